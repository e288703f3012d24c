//! The boundary: a handle to the workspace that nothing escapes.
//!
//! The root is opened once. A request is first *located*: links inside are followed by name, which decides only
//! which path the scope is asked about. Every effect then goes through the directory handle of that path, opened
//! with all links refused, and touches one name below it. Whoever swaps a directory for a link in between makes
//! the operation fail, not escape.
//!
//! On Linux the kernel enforces this (`openat2` with `RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS`); elsewhere, and where
//! the kernel is too old, each directory on the way is opened from the one before without following links.
//!
//! What it cannot see: a directory that somebody moves out of the workspace after it was opened, and mounts.

mod directory;
mod file;
mod view;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use gix::bstr::{BStr, BString, ByteSlice};

use super::reason::{Fault, Reason};
use super::{Platform, Rejection, normalize_request, resolve_link, show};
pub use file::Entry;
use view::BoundaryView;

/// Stands for the request itself where a link on the way leads back.
const REQUEST: &str = "the requested path";

/// How directories on the way are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// The kernel contains the resolution (Linux 5.6 and later).
    Kernel,
    /// A handle for each directory on the way.
    Walk,
}

/// Why an operation at the boundary did not happen.
#[derive(Debug)]
pub enum BoundaryError {
    /// The path is refused; nothing was touched.
    Refused(Rejection),
    /// The operating system refused or failed.
    Io {
        /// What was tried, such as `open src/a.py`.
        what: String,
        /// The error.
        source: io::Error,
    },
}

impl BoundaryError {
    fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> BoundaryError {
        let what = what.into();
        move |source| BoundaryError::Io { what, source }
    }

    /// The kind of the operating system's error.
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        match self {
            BoundaryError::Io { source, .. } => Some(source.kind()),
            BoundaryError::Refused(_) => None,
        }
    }
}

impl fmt::Display for BoundaryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoundaryError::Refused(rejection) => rejection.fmt(f),
            BoundaryError::Io { what, source } => write!(f, "cannot {what}: {source}"),
        }
    }
}

impl std::error::Error for BoundaryError {}

impl From<Rejection> for BoundaryError {
    fn from(rejection: Rejection) -> Self {
        BoundaryError::Refused(rejection)
    }
}

/// The result of an operation at the boundary.
pub type Result<T, E = BoundaryError> = std::result::Result<T, E>;

/// A handle to a directory tree.
pub struct Boundary {
    root: Dir,
    /// The root with its links resolved, to recognise absolute requests.
    path: PathBuf,
    backend: Backend,
}

impl Boundary {
    /// Opens the root, which may itself be reached over links.
    ///
    /// # Errors
    /// The root is missing, no directory, or cannot be opened.
    pub fn open(root: &Path) -> Result<Boundary> {
        let backend = if directory::kernel_contains() {
            Backend::Kernel
        } else {
            Backend::Walk
        };
        Boundary::with_backend(root, backend)
    }

    /// Opens the root for one backend; tests use it to force the fallback.
    ///
    /// # Errors
    /// As for [`Boundary::open`].
    pub fn with_backend(root: &Path, backend: Backend) -> Result<Boundary> {
        let what = format!("open {}", root.display());
        let path = root.canonicalize().map_err(BoundaryError::io(&what))?;
        let root =
            Dir::open_ambient_dir(&path, ambient_authority()).map_err(BoundaryError::io(what))?;
        Ok(Boundary {
            root,
            path,
            backend,
        })
    }

    /// The path in the workspace that a request names: absolute and relative spellings, and ways over links
    /// inside, meet in one path. Nothing need exist there. The answer holds no links at the time of asking;
    /// operations on it refuse those that appear later.
    ///
    /// # Errors
    /// The request leaves the workspace, by its text or over a link, or is no path that may be used.
    pub fn locate(&self, request: &BStr) -> Result<BString, Rejection> {
        let root = bytes(&self.path);
        let relative = self.below_root(&root, request);
        let lexical = normalize_request(&root, relative, Platform::host())?;
        let view = BoundaryView { boundary: self };
        // `..` behind a link leads to where the link points, not to where it stands.
        let is_plain = relative == lexical;
        if is_plain && !view.has_link_on_the_way(lexical.as_ref()) {
            return Ok(lexical);
        }
        let located = resolve_link(&view, REQUEST.into(), relative)?;
        if located.is_empty() {
            return Err(Fault::new(Reason::IsWorkspaceRoot, "is the workspace itself").of(request));
        }
        Ok(located)
    }

    /// What follows the root in an absolute request that begins with it, also where it is reached over links; any
    /// other request as it is. Ways over `/proc` and `/dev` depend on who asks and are left alone.
    fn below_root<'r>(&self, root: &[u8], request: &'r BStr) -> &'r BStr {
        if !request.starts_with(b"/")
            || request.starts_with(b"/proc/")
            || request.starts_with(b"/dev/")
        {
            return request;
        }
        let ends = request.find_iter("/").skip(1).chain([request.len()]);
        for end in ends {
            let prefix = &request[..end];
            let is_root = prefix == root
                || prefix
                    .to_path()
                    .is_ok_and(|path| path.canonicalize().is_ok_and(|path| path == self.path));
            let rest = request[end..].trim_start_with(|c| c == '/');
            if is_root && !rest.is_empty() {
                return rest.as_bstr();
            }
        }
        request
    }

    /// The directory that holds `path`, and the name in it.
    fn parent<'p>(&self, path: &'p BStr) -> Result<(Dir, &'p BStr)> {
        let (parent, name) = split(path);
        let dir = self.directory(parent).map_err(BoundaryError::io(format!(
            "open the directory of {}",
            show(path)
        )))?;
        Ok((dir, name))
    }
}

/// The directory (empty for the root) and the name of a path.
fn split(path: &BStr) -> (&BStr, &BStr) {
    match path.rfind_byte(b'/') {
        Some(slash) => (path[..slash].as_bstr(), path[slash + 1..].as_bstr()),
        None => (BStr::new(""), path),
    }
}

/// The bytes of a path; where names are not bytes, what has no UTF-8 is replaced and then refused.
fn bytes(path: &Path) -> Vec<u8> {
    gix::path::os_str_into_bstr(path.as_os_str()).map_or_else(
        |_| path.to_string_lossy().into_owned().into_bytes(),
        |name| name.to_vec(),
    )
}

/// One name for the operating system.
fn os(name: &BStr) -> io::Result<&Path> {
    name.to_path()
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "the name is not UTF-8"))
}
