//! Objects that a push brings, before git takes them in: `git receive-pack` keeps them in a directory of their own
//! and names it to the pre-receive hook in variables that gix does not read.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Objects, Repository};
use crate::error::{Error, Result};
use crate::system;

/// A directory whose only content is the list of the object directories to read; removed on drop.
pub(super) struct Quarantine {
    directory: PathBuf,
}

impl Drop for Quarantine {
    fn drop(&mut self) {
        // What is left behind is one empty list in the directory for temporary files.
        let _ = fs::remove_dir_all(&self.directory);
    }
}

impl Repository {
    /// Reads objects from the quarantine as well, if git has set one up.
    ///
    /// # Errors
    /// The directory for temporary files cannot be written, or a path cannot stand in a list.
    pub(super) fn enter_quarantine(&mut self) -> Result<()> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        if variable("GIT_QUARANTINE_PATH").is_none() {
            return Ok(());
        }
        let own = variable("GIT_OBJECT_DIRECTORY").map(PathBuf::from);
        let others = variable("GIT_ALTERNATE_OBJECT_DIRECTORIES").unwrap_or_default();
        let directories = own.into_iter().chain(std::env::split_paths(&others));
        let mut list = String::new();
        for directory in directories.chain([self.repo.objects.store_ref().path().to_owned()]) {
            list += &line(&directory)?;
        }
        let quarantine = Quarantine {
            directory: private_directory()?,
        };
        let info = quarantine.directory.join("info");
        fs::create_dir(&info)
            .and_then(|()| fs::write(info.join("alternates"), list))
            .map_err(|error| no_directory(&error))?;
        let objects = gix::odb::at(&quarantine.directory, self.repo.object_hash())
            .map_err(|error| no_directory(&error))?;
        self.repo.objects = gix::odb::memory::Proxy::from(objects);
        self.objects = Objects::new(self.repo.objects.clone());
        self._quarantine = Some(quarantine);
        Ok(())
    }
}

fn line(directory: &Path) -> Result<String> {
    let text = directory.canonicalize().ok();
    let text = text.as_deref().and_then(Path::to_str);
    match text {
        Some(text) if !text.contains('\n') && !text.starts_with(['"', '#']) => {
            Ok(format!("{text}\n"))
        }
        _ => Err(Error::new(format!(
            "the objects at {} cannot be read",
            super::show_file(directory)
        ))),
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
    // Fails if somebody else was there first.
    builder
        .create(&directory)
        .map_err(|error| no_directory(&error))?;
    Ok(directory)
}

fn no_directory(error: &std::io::Error) -> Error {
    Error::new(format!("pushed objects cannot be read: {error}"))
        .help("the pre-receive hook needs a writable directory for temporary files (TMPDIR)")
}
