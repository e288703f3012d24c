//! Objects outside the repository: in the quarantine of a push, or in a temporary directory where git writes what the
//! repository shall not keep.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use super::errors::show_file;
use crate::error::{Error, Result};
use crate::system;

/// A temporary directory whose `objects` also has the objects of other directories; removed on drop.
pub(super) struct PrivateObjects {
    directory: PathBuf,
}

impl Drop for PrivateObjects {
    fn drop(&mut self) {
        // At worst, a directory stays behind among the temporary files.
        let _ = fs::remove_dir_all(&self.directory);
    }
}

impl PrivateObjects {
    /// Borrows the objects in these directories.
    ///
    /// # Errors
    /// The directory for temporary files is not writable, or a path cannot be listed.
    pub(super) fn borrowing(others: impl IntoIterator<Item = PathBuf>) -> Result<PrivateObjects> {
        let mut list = String::new();
        for directory in others {
            list += &object_directory(&directory)?;
        }
        let private = PrivateObjects {
            directory: private_directory().map_err(|error| no_directory(&error))?,
        };
        let info = private.file("objects/info");
        fs::create_dir_all(&info)
            .and_then(|()| fs::write(info.join("alternates"), list))
            .map_err(|error| no_directory(&error))?;
        Ok(private)
    }

    /// A file in the directory.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Reads these objects from now on.
    ///
    /// # Errors
    /// They cannot be read.
    pub(super) fn open(&self, hash: gix::hash::Kind) -> Result<gix::OdbHandle> {
        let objects = gix::odb::at(self.file("objects"), hash);
        let objects = objects.map_err(|error| no_directory(&error))?;
        Ok(gix::odb::memory::Proxy::from(objects))
    }
}

/// Also reads objects from the quarantine, if there is one. `git receive-pack` keeps pushed objects there until it
/// accepts them, and names it to the pre-receive hook in variables that gix ignores.
///
/// # Errors
/// As for [`PrivateObjects::borrowing`].
pub(super) fn enter_quarantine(repo: &mut gix::Repository) -> Result<Option<PrivateObjects>> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let Some(quarantine) = variable("GIT_QUARANTINE_PATH") else {
        return Ok(None);
    };
    // git sets both to the same directory.
    let own = PathBuf::from(variable("GIT_OBJECT_DIRECTORY").unwrap_or(quarantine));
    let others = variable("GIT_ALTERNATE_OBJECT_DIRECTORIES").unwrap_or_default();
    let others = std::env::split_paths(&others).filter(|path| !path.as_os_str().is_empty());
    let directories = std::iter::once(own).chain(others);
    let all = directories.chain([repo.objects.store_ref().path().to_owned()]);
    let private = PrivateObjects::borrowing(all)?;
    repo.objects = private.open(repo.object_hash())?;
    Ok(Some(private))
}

/// The line that names an object directory in `info/alternates`.
pub(super) fn object_directory(directory: &Path) -> Result<String> {
    let text = directory.canonicalize().ok();
    let text = text.as_deref().and_then(Path::to_str);
    match text {
        Some(text) if !text.contains('\n') && !text.starts_with(['"', '#']) => {
            Ok(format!("{text}\n"))
        }
        _ => Err(Error::new(format!(
            "the objects at {} cannot be read",
            show_file(directory)
        ))
        .help("`git receive-pack` sets GIT_QUARANTINE_PATH, GIT_OBJECT_DIRECTORY and GIT_ALTERNATE_OBJECT_DIRECTORIES")
        .help("outside its hooks, unset these variables")),
    }
}

fn private_directory() -> io::Result<PathBuf> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_nanos());
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("guard-{}-{now}-{count}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    let mut builder = fs::DirBuilder::new();
    system::make_private(&mut builder);
    // Fails if the directory already exists.
    builder.create(&directory)?;
    Ok(directory)
}

fn no_directory(error: &io::Error) -> Error {
    Error::new(format!(
        "objects cannot be kept in a temporary directory: {error}"
    ))
    .help("guard needs a writable directory for temporary files (TMPDIR)")
}
