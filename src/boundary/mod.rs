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
//! A file is changed only while it is what the caller saw: another program, such as an editor, may save it at any
//! time, and does not take guard's lock.
//!
//! What it cannot see: a directory that somebody moves out of the workspace after it was opened, and mounts.

mod directory;
mod effect;
mod file;
mod listing;
mod nested;
mod place;
mod root;
mod seen;
mod settled;
mod view;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use gix::bstr::{BStr, BString, ByteSlice};

use crate::path::{
    PathFault, Platform, Reason, Rejection, normalize_request, resolve_path, show, spelled_below,
};
use crate::system;
pub use file::OpenedFile;
pub use listing::Listing;
pub use nested::NestedRepository;
pub(crate) use root::{absolute, bytes, from_real_root};
pub use view::BoundaryView;

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
    /// Somebody else has changed this path since it was looked at; what they saved is there.
    Changed(BString),
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
            BoundaryError::Refused(_) | BoundaryError::Changed(_) => None,
        }
    }
}

impl fmt::Display for BoundaryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoundaryError::Refused(rejection) => rejection.fmt(f),
            BoundaryError::Changed(path) => {
                write!(f, "{} changed meanwhile; nothing was written", show(path))
            }
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
pub type BoundaryResult<T, E = BoundaryError> = std::result::Result<T, E>;

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
    pub fn open(root: &Path) -> BoundaryResult<Boundary> {
        let backend = if system::can_open_beneath() {
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
    pub fn with_backend(root: &Path, backend: Backend) -> BoundaryResult<Boundary> {
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
    pub fn locate(&self, request: &BStr) -> BoundaryResult<BString, Rejection> {
        let root = bytes(&self.path);
        let request = match request.to_path() {
            Ok(path) => bytes(&from_real_root(&self.path, path)),
            Err(_) => request.to_vec(),
        };
        let platform = system::PLATFORM;
        let path = normalize_request(&root, &request, platform)?;
        // Windows takes `..` back by name; elsewhere `link/..` is the parent of where the link leads.
        let way = match platform {
            Platform::Unix => spelled_below(&root, &request, platform)?.as_bstr(),
            Platform::Windows => path.as_bstr(),
        };
        let view = self.view();
        if way == path && !view.has_link_on_the_way(way) {
            return Ok(path);
        }
        let located = resolve_path(&view, way)?;
        if located.is_empty() {
            return Err(
                PathFault::new(Reason::IsWorkspaceRoot, "is the workspace itself").of(&request),
            );
        }
        Ok(located)
    }

    /// The absolute spelling of a path that [`Boundary::locate`] gave, free of links.
    pub fn absolute(&self, path: &BStr) -> PathBuf {
        match path.to_path() {
            Ok(path) => self.path.join(path),
            // Only on systems whose names are not bytes, and such a path is refused before.
            Err(_) => self.path.join(path.to_str_lossy().as_ref()),
        }
    }

    /// The directory that holds `path`, and the name in it.
    fn parent<'p>(&self, path: &'p BStr) -> BoundaryResult<(Dir, &'p BStr)> {
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

/// One name for the operating system.
fn os(name: &BStr) -> io::Result<&Path> {
    name.to_path()
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "the name is not UTF-8"))
}
