//! What other systems do instead: files on systems other than Unix, and the call that only Linux and macOS have.

/// Files on systems other than Unix: no permission bits and no directory sync.
#[cfg(not(unix))]
pub(super) mod files {
    use std::fs;
    use std::io;
    use std::path::Path;

    use cap_std::fs::{Dir, Metadata, OpenOptions};
    use gix::index::entry::Stat;

    /// No permission bits.
    pub fn mode(_metadata: &Metadata) -> Option<u32> {
        None
    }

    /// No permission bits.
    pub(crate) fn is_executable(_about: &fs::Metadata) -> bool {
        false
    }

    /// Nothing: see `TELLS_CHANGES`.
    pub(crate) fn index_stat(_about: &fs::Metadata) -> Option<Stat> {
        None
    }

    /// Does nothing.
    ///
    /// # Errors
    /// Never.
    pub(crate) fn set_mode(_file: &fs::File, _mode: u32) -> io::Result<()> {
        Ok(())
    }

    /// Does nothing.
    pub(crate) fn create_with_mode(_options: &mut OpenOptions, _mode: u32) {}

    /// Does nothing: no name in a directory is a pipe.
    pub(crate) fn never_wait(_options: &mut OpenOptions) {}

    /// Does nothing: Windows has no such call and journals names itself.
    ///
    /// # Errors
    /// Never.
    pub fn sync_directory(_dir: &Dir) -> io::Result<()> {
        Ok(())
    }

    /// Does nothing: directories inherit access rights.
    pub(crate) fn make_private(_builder: &mut fs::DirBuilder) {}

    /// Opens a file for reading and appending; creates it if missing. Refuses a link that exists before: the standard
    /// library has no flag to check that atomically.
    ///
    /// # Errors
    /// A file system error.
    pub(crate) fn open_append(path: &Path, _mode: u32) -> io::Result<fs::File> {
        if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
            return Err(io::Error::other("it is a symbolic link"));
        }
        fs::OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
    }

    /// Does nothing: such a write fails with an error anyway.
    pub fn survive_size_limit() {}

    /// Copies a file, because links need a privilege.
    ///
    /// # Errors
    /// A file system error.
    pub fn link_or_copy(file: &Path, to: &Path) -> io::Result<()> {
        fs::copy(file, to).map(|_| ())
    }

    /// Does nothing: discarding input needs unsafe code.
    ///
    /// # Errors
    /// Never.
    pub fn discard_input(_terminal: &fs::File) -> io::Result<()> {
        Ok(())
    }
}

/// Running another program on systems other than Unix, where signals cannot be passed on.
#[cfg(not(unix))]
pub(super) mod running {
    use std::io;
    use std::process::Command;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use signal_hook::consts::SIGINT;

    /// Runs a program to its end. The answer is its exit code; those above 254 become 255. Ctrl+C reaches the program as
    /// well, and guard outlives it.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn run_in_place(command: &mut Command) -> io::Result<u8> {
        signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false)))?;
        let code = command.status()?.code();
        Ok(code
            .and_then(|code| u8::try_from(code).ok())
            .unwrap_or(u8::MAX))
    }
}

/// The fallback for systems without the call: callers take the portable way.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub(super) mod kernel {
    use std::io;
    use std::path::Path;

    use cap_std::fs::Dir;

    /// Always `None`.
    pub(crate) fn rename_to_free(
        _old_dir: &Dir,
        _old: &Path,
        _new_dir: &Dir,
        _new: &Path,
    ) -> Option<io::Result<()>> {
        None
    }
}
