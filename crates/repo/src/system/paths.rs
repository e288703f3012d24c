//! How the paths and programs of a system are found and spelled.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use gix::bstr::{BStr, ByteSlice};
use write_guard_policy::path::{escaped, without_verbatim_prefix};

/// A path without links and `..`, as every program takes it: on Windows without the prefix `\\?\`, which git refuses and
/// no user writes. This is the only function that asks the system for it.
///
/// # Errors
/// Nothing is there, or the system does not let guard look.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    let real = path.canonicalize()?;
    Ok(match real.to_str() {
        Some(text) if cfg!(windows) => PathBuf::from(without_verbatim_prefix(text).as_ref()),
        _ => real,
    })
}

/// A path of the system for messages.
pub fn show_file(path: &Path) -> String {
    escaped(path.to_string_lossy().as_bytes()).to_string()
}

/// A directory and a path of the repository below it, with the separators of the system.
pub(crate) fn join(directory: &Path, path: &BStr) -> PathBuf {
    let mut whole = directory.to_owned();
    for name in path.split_str("/").filter(|name| !name.is_empty()) {
        whole.push(name.to_path_lossy());
    }
    whole
}

/// A program of `PATH`. Only absolute directories count: a relative one such as `.` may belong to a hostile repository.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    in_directories(&path, name)
}

fn in_directories(path: &OsStr, name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(path)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(&file))
        .find(|program| program.is_file())
}

/// The POSIX shell: of `PATH`, or on Windows the one that comes with git, which stands beside git's directory.
pub fn find_shell() -> Option<PathBuf> {
    find_program("sh").or_else(|| {
        let git = find_program("git")?;
        let above = git.ancestors().skip(2).take(2);
        let mut places = above.flat_map(|above| [above.join("bin"), above.join("usr/bin")]);
        places.find_map(|place| in_directories(place.as_os_str(), "sh"))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn programs_are_found_in_absolute_directories_only() {
        let temp = tempfile::tempdir().unwrap();
        let program = temp
            .path()
            .join(format!("tool{}", std::env::consts::EXE_SUFFIX));
        std::fs::write(&program, "").unwrap();
        std::fs::create_dir(temp.path().join("directory")).unwrap();
        let relative = Path::new("src");
        assert!(relative.join("lib.rs").is_file());
        let both = std::env::join_paths([relative, temp.path()]).unwrap();
        assert_eq!(in_directories(&both, "tool"), Some(program));
        assert_eq!(in_directories(&both, "directory"), None);
        if std::env::consts::EXE_SUFFIX.is_empty() {
            assert_eq!(in_directories(relative.as_os_str(), "lib.rs"), None);
        }
    }

    #[test]
    fn a_real_path_has_no_prefix_that_git_refuses() {
        let temp = tempfile::tempdir().unwrap();
        let real = real_path(temp.path()).unwrap();
        assert!(!real.to_string_lossy().starts_with(r"\\?\"));
        assert!(real.is_absolute());
        assert!(real_path(&temp.path().join("none")).is_err());
    }

    #[test]
    fn a_path_is_joined_with_the_separators_of_the_system() {
        let joined = join(Path::new("root"), BStr::new("a/b"));
        assert_eq!(joined, Path::new("root").join("a").join("b"));
        let separator = std::path::MAIN_SEPARATOR_STR;
        assert_eq!(joined.to_str().unwrap(), ["root", "a", "b"].join(separator));
        assert_eq!(join(Path::new("root"), BStr::new("")), Path::new("root"));
    }
}
