//! The boundary: a handle to the workspace that requests cannot escape.
//!
//! The root is opened once. A request is first *located*: links inside the workspace are resolved by name, which only
//! decides which path the scope is asked about. Every effect then goes through a handle to the parent directory,
//! opened without following links, and touches one name in it. If another process swaps a directory for a link, the
//! operation fails instead of escaping.
//!
//! Each directory is opened from its parent without following links. On Linux the kernel confines each step (`openat2`
//! with `RESOLVE_BENEATH`); elsewhere, and on old kernels, cap-std does.
//!
//! A file is changed only while it is what the caller saw: another program, such as an editor, may save it at any
//! time without guard's lock.
//!
//! Not covered: mounts, and a directory that is moved out of the workspace after it was opened.

mod effect;
mod file;
mod listed;
mod view;

use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};
use gix::bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{disk, system};
pub use file::OpenedFile;
use write_guard_policy::path::{
    PathFault, Platform, Reason, Rejection, below_directory, escaped, normalize_request,
    resolve_path, spelled_below,
};

/// Why an operation failed.
#[derive(Debug)]
pub enum BoundaryError {
    /// The path is refused; nothing was changed.
    Refused(Rejection),
    /// Another program changed the file; its version is in place.
    Changed(BString),
    /// The operating system refused or failed.
    Io {
        /// What was tried, such as `open src/a.py`.
        what: String,
        /// The error.
        source: io::Error,
    },
}

/// That the system refused to do something with a path.
fn cannot<'a>(what: &'a str, path: &'a BStr) -> impl Fn(io::Error) -> BoundaryError + Copy + 'a {
    move |source| BoundaryError::Io {
        what: format!("{what} {}", escaped(path)),
        source,
    }
}

impl fmt::Display for BoundaryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoundaryError::Refused(rejection) => f.write_str(&rejection.message),
            BoundaryError::Changed(path) => {
                write!(
                    f,
                    "{} changed meanwhile; nothing was written",
                    escaped(path)
                )
            }
            BoundaryError::Io { what, source } if system::is_held_open(source) => {
                write!(
                    f,
                    "cannot {what}: it may be open in another program: {source}"
                )
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
    /// The root with links resolved, to recognise absolute requests.
    path: PathBuf,
}

/// How answers name the root.
pub const ROOT: &str = ".";

/// A name that no directory lists.
const NEW_NAME: &str = "guard-asks-for-the-directory";

impl Boundary {
    /// Opens the root, which may itself be behind links.
    ///
    /// # Errors
    /// The root is missing, not a directory, or cannot be opened.
    pub fn open(root: &Path) -> BoundaryResult<Boundary> {
        let failed = |source| BoundaryError::Io {
            what: format!("open {}", root.display()),
            source,
        };
        let path = system::real_path(root).map_err(failed)?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority()).map_err(failed)?;
        Ok(Boundary { root: dir, path })
    }

    /// The path in the workspace that a request names. Absolute, relative and linked spellings give one path, which
    /// need not exist. The path has no links now; operations refuse links that appear later.
    ///
    /// # Errors
    /// The request leaves the workspace, textually or through a link, or is not a valid path.
    pub fn locate(&self, request: &BStr) -> BoundaryResult<BString, Rejection> {
        let root = bytes(&self.path);
        let request = match request.to_path() {
            Ok(path) => bytes(&from_real_root(&self.path, path)),
            Err(_) => request.to_vec(),
        };
        let platform = Platform::HOST;
        let path = normalize_request(&root, &request, platform)?;
        // On Windows, `..` is resolved by name; elsewhere, `link/..` is the parent of the link's target.
        let way = match platform {
            Platform::Unix => spelled_below(&root, &request, platform)?.as_bstr(),
            Platform::Windows => path.as_bstr(),
        };
        if way == path && !self.has_link_on_the_way(way) {
            return self.named(path);
        }
        let located = resolve_path(self, way)?;
        if located.is_empty() {
            return Err(
                PathFault::new(Reason::IsWorkspaceRoot, "is the workspace itself").of(&request),
            );
        }
        self.named(located)
    }

    /// The same for a request that may also name a directory by a slash or dots at its end, or the root.
    ///
    /// # Errors
    /// As for [`Boundary::locate`].
    pub fn locate_directory(&self, request: &BStr) -> BoundaryResult<BString, Rejection> {
        let located = self.locate(request);
        match &located {
            Err(rejection) if rejection.reason.is_of_directories() => {}
            _ => return located,
        }
        // Where a new file in it would be.
        let inside = self.locate(below_directory(request, NEW_NAME.as_bytes()).as_ref())?;
        let (directory, name) = split(inside.as_ref());
        if name != NEW_NAME {
            return located;
        }
        Ok(match directory.as_bytes() {
            b"" => ROOT.into(),
            _ => directory.to_owned(),
        })
    }

    /// A path by the names that its directories list, which must be valid, too.
    fn named(&self, path: BString) -> BoundaryResult<BString, Rejection> {
        let listed = self.as_listed(path.as_ref()).map_err(|error| {
            let what = format!("has another name that its directory does not list ({error})");
            PathFault::new(Reason::UnlistedName, what).of(&path)
        })?;
        if listed == path {
            return Ok(path);
        }
        normalize_request(&bytes(&self.path), &listed, Platform::HOST)
    }

    /// The root, without links.
    pub fn root(&self) -> &Path {
        &self.path
    }

    /// The absolute spelling of a path from [`Boundary::locate`], without links; empty for the root.
    pub fn absolute(&self, path: &BStr) -> PathBuf {
        system::join(&self.path, path)
    }

    /// The parent directory of `path`, and the name in it.
    fn parent<'p>(&self, path: &'p BStr) -> BoundaryResult<(Dir, &'p BStr)> {
        let (parent, name) = split(path);
        let dir = self.directory(parent);
        Ok((dir.map_err(cannot("open the directory of", path))?, name))
    }

    /// Opens the directory that [`Boundary::locate`] named; empty for the root. Each directory is opened from the
    /// previous one, so that a swapped-in link is detected.
    fn directory(&self, path: &BStr) -> io::Result<Dir> {
        let mut dir = self.root.try_clone()?;
        for name in path.split_str("/").filter(|name| !name.is_empty()) {
            dir = dir.open_dir_nofollow(os(name.as_bstr())?)?;
        }
        Ok(dir)
    }

    /// Opens the directory, creating missing directories.
    fn create_directory(&self, path: &BStr) -> io::Result<Dir> {
        let mut dir = self.root.try_clone()?;
        for name in path.split_str("/").filter(|name| !name.is_empty()) {
            let name = os(name.as_bstr())?;
            match dir.create_dir(name) {
                Ok(()) => disk::sync(&dir)?,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
            dir = dir.open_dir_nofollow(name)?;
        }
        Ok(dir)
    }
}

/// The parent directory (empty for the root) and the name of a path.
fn split(path: &BStr) -> (&BStr, &BStr) {
    match path.rfind_byte(b'/') {
        Some(slash) => (path[..slash].as_bstr(), path[slash + 1..].as_bstr()),
        None => (BStr::new(""), path),
    }
}

/// A name for the operating system.
fn os(name: &BStr) -> io::Result<&Path> {
    name.to_path()
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "the name is not UTF-8"))
}

/// Opens a file for reading, without following a link and without waiting for a writer.
fn open_to_read(dir: &Dir, name: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No);
    system::never_wait(&mut options);
    system::patiently(|| dir.open_with(name, &options))
}

/// Rewrites an absolute path that reaches the workspace through links above it (such as `/tmp/work` on macOS) to
/// start at the real root. Other paths stay unchanged.
pub fn from_real_root(root: &Path, path: &Path) -> PathBuf {
    // The result depends on the process.
    let depends = path.starts_with("/proc") || path.starts_with("/dev");
    if !path.is_absolute() || path.starts_with(root) || depends {
        return path.to_owned();
    }
    let mut above = None;
    for ancestor in path.ancestors() {
        let mut parts = ancestor.components();
        // `link/..` is not the directory of `link`.
        let is_plain = parts.all(|part| part != Component::ParentDir);
        if is_plain && system::real_path(ancestor).is_ok_and(|real| real == root) {
            above = Some(ancestor);
        }
    }
    let Some(below) = above.and_then(|above| path.strip_prefix(above).ok()) else {
        return path.to_owned();
    };
    let mut real = root.join(below);
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        real.push("");
    }
    real
}

/// The bytes of a path. On systems whose names are not bytes, it is converted to UTF-8 with replacement characters,
/// which the path rules refuse.
pub fn bytes(path: &Path) -> Vec<u8> {
    Vec::from_path_lossy(path).into_owned()
}
