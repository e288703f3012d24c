//! Pushed objects before git accepts them. `git receive-pack` keeps them in a quarantine directory and names it to
//! the pre-receive hook in variables that gix ignores.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::errors::show_file;
use crate::error::{Error, Result};
use crate::system;

/// A temporary directory with the list of object directories to read; removed on drop.
pub(super) struct Quarantine {
    directory: PathBuf,
}

impl Drop for Quarantine {
    fn drop(&mut self) {
        // At worst, an empty list stays behind in the directory for temporary files.
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Also reads objects from the quarantine, if there is one.
///
/// # Errors
/// The directory for temporary files is not writable, or a path cannot be listed.
pub(super) fn enter(repo: &mut gix::Repository) -> Result<Option<Quarantine>> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let Some(quarantine) = variable("GIT_QUARANTINE_PATH") else {
        return Ok(None);
    };
    // git sets both to the same directory.
    let own = PathBuf::from(variable("GIT_OBJECT_DIRECTORY").unwrap_or(quarantine));
    let others = variable("GIT_ALTERNATE_OBJECT_DIRECTORIES").unwrap_or_default();
    let others = std::env::split_paths(&others).filter(|path| !path.as_os_str().is_empty());
    let directories = std::iter::once(own).chain(others);
    let mut list = String::new();
    for directory in directories.chain([repo.objects.store_ref().path().to_owned()]) {
        list += &object_directory(&directory)?;
    }
    let quarantine = Quarantine {
        directory: private_directory()?,
    };
    let info = quarantine.directory.join("info");
    fs::create_dir(&info)
        .and_then(|()| fs::write(info.join("alternates"), list))
        .map_err(no_directory)?;
    let objects = gix::odb::at(&quarantine.directory, repo.object_hash()).map_err(no_directory)?;
    repo.objects = gix::odb::memory::Proxy::from(objects);
    Ok(Some(quarantine))
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

fn private_directory() -> Result<PathBuf> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |now| now.as_nanos());
    let name = format!("guard-{}-{now}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    let mut builder = fs::DirBuilder::new();
    system::make_private(&mut builder);
    // Fails if the directory already exists.
    builder.create(&directory).map_err(no_directory)?;
    Ok(directory)
}

fn no_directory(error: std::io::Error) -> Error {
    Error::new(format!("pushed objects cannot be read: {error}"))
        .help("the pre-receive hook needs a writable directory for temporary files (TMPDIR)")
}
