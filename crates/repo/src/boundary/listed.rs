//! The names of files as their directories list them.
//!
//! Some file systems find a file by other spellings of its name: in another case, in another Unicode form, or by the
//! short name that Windows gives it. The scope, the protected paths, the log and approvals know one name for a file, so
//! each request is brought to that name first.

use std::io;
use std::path::Path;

use cap_fs_ext::{DirExt, MetadataExt};
use cap_std::fs::{Dir, Metadata};
use gix::bstr::{BStr, BString, ByteSlice};

use super::{Boundary, bytes, os};
use write_guard_policy::path::{Platform, fold};
use write_guard_policy::scope::unicode_form::composed;

impl Boundary {
    /// The path with each component that exists as its directory lists it; on macOS in the composed Unicode form, which
    /// git records there.
    ///
    /// # Errors
    /// A directory cannot be listed, or does not list the component: it changed meanwhile.
    pub(super) fn as_listed(&self, path: &BStr) -> io::Result<BString> {
        let mut listed = BString::default();
        let mut dir = Some(self.root.try_clone()?);
        for name in path.split_str("/") {
            if !listed.is_empty() {
                listed.push(b'/');
            }
            let known = match &dir {
                Some(dir) => listed_name(dir, name.as_bstr())?,
                None => None,
            };
            // Only directories lead on; what follows a file or nothing does not exist.
            dir = match (&dir, &known) {
                (Some(dir), Some(known)) => dir.open_dir_nofollow(os(known.as_bstr())?).ok(),
                _ => None,
            };
            listed.extend_from_slice(&known.unwrap_or_else(|| name.into()));
        }
        if cfg!(target_vendor = "apple")
            && let Ok(text) = listed.to_str()
        {
            return Ok(composed(text).into_owned().into());
        }
        Ok(listed)
    }
}

/// The name by which a directory lists what `name` finds in it; `None` if that is nothing.
fn listed_name(dir: &Dir, name: &BStr) -> io::Result<Option<BString>> {
    let path = os(name)?;
    let Ok(found) = dir.symlink_metadata(path) else {
        return Ok(None);
    };
    if !may_be_listed_otherwise(dir, name, &found) {
        return Ok(Some(name.to_owned()));
    }
    let names = names(dir)?;
    let chosen = choose(&names, name, |listed| {
        os(listed).is_ok_and(|listed| is_same(dir, listed, &found))
    });
    // It was there a moment ago.
    let chosen = chosen.ok_or(io::ErrorKind::NotFound)?;
    Ok(Some(chosen.to_owned()))
}

/// The listed name of the file that `name` finds; `None` if no listed name is that file.
fn choose<'n>(
    names: &'n [BString],
    name: &BStr,
    is_the_file: impl Fn(&BStr) -> bool,
) -> Option<&'n BString> {
    if let Some(exact) = names.iter().find(|listed| *listed == name) {
        return Some(exact);
    }
    // Most often only the case differs, so those names are looked at first.
    let folded = fold(name);
    let (alike, others): (Vec<&BString>, Vec<&BString>) = names
        .iter()
        .partition(|listed| fold(listed.as_ref()) == folded);
    let mut all = alike.into_iter().chain(others);
    all.find(|listed| is_the_file(listed.as_ref()))
}

/// Whether a file system may find the file by this name although its directory lists another one. Listing a directory
/// takes long where it is large, so an ASCII name is taken as it is where another case finds nothing or another file.
fn may_be_listed_otherwise(dir: &Dir, name: &BStr, found: &Metadata) -> bool {
    let may_be_short = Platform::HOST == Platform::Windows && name.contains(&b'~');
    if !name.is_ascii() || may_be_short {
        return true;
    }
    let other = other_case(name);
    other != name && os(other.as_ref()).is_ok_and(|other| is_same(dir, other, found))
}

/// The name with capital letters for small ones, and small ones for capital ones.
fn other_case(name: &BStr) -> BString {
    let mut other = name.to_owned();
    for byte in other.iter_mut() {
        if byte.is_ascii_lowercase() {
            byte.make_ascii_uppercase();
        } else {
            byte.make_ascii_lowercase();
        }
    }
    other
}

fn names(dir: &Dir) -> io::Result<Vec<BString>> {
    let mut names = Vec::new();
    for entry in dir.entries()? {
        names.push(bytes(entry?.file_name().as_ref()).into());
    }
    Ok(names)
}

/// Whether a name finds this file.
fn is_same(dir: &Dir, name: &Path, file: &Metadata) -> bool {
    dir.symlink_metadata(name)
        .is_ok_and(|other| (other.dev(), other.ino()) == (file.dev(), file.ino()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn listed(names: &[&str], name: &str, same: &[&str]) -> Option<String> {
        let names: Vec<BString> = names.iter().map(|name| (*name).into()).collect();
        let found = choose(&names, BStr::new(name), |listed| {
            same.iter().any(|same| listed == *same)
        });
        found.map(|found| found.to_string())
    }

    #[test]
    fn a_directory_tells_the_name_of_its_file() {
        for (names, name, same, expected) in [
            // As it is, although the file system ignores case or has hard links.
            (
                &["A.py", "a.py"][..],
                "a.py",
                &["A.py", "a.py"][..],
                Some("a.py"),
            ),
            (
                &["b.py", "locked-file.py"],
                "LOCKED-FILE.py",
                &["locked-file.py"],
                Some("locked-file.py"),
            ),
            // The short name of NTFS.
            (
                &["guard.toml", "x"],
                "GUARD~1.TOM",
                &["guard.toml"],
                Some("guard.toml"),
            ),
            // Another Unicode form.
            (
                &["cafe\u{301}.py"],
                "caf\u{e9}.py",
                &["cafe\u{301}.py"],
                Some("cafe\u{301}.py"),
            ),
            // A name that looks alike on a file system that tells them apart.
            (&["Locked.py"], "locked.py", &[], None),
        ] {
            let expected = expected.map(str::to_owned);
            assert_eq!(listed(names, name, same), expected, "{name} in {names:?}");
        }
    }

    #[test]
    fn what_exists_keeps_the_name_that_its_directory_lists() {
        let temp = tempfile::tempdir().unwrap();
        for name in ["a.py", "é/日本.md", "d/e/f.txt"] {
            let file = temp.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "x").unwrap();
        }
        let boundary = Boundary::open(temp.path()).unwrap();
        for path in [
            "a.py",
            "é/日本.md",
            "d/e/f.txt",
            "d/new/x",
            "a.py/below",
            "new.py",
        ] {
            let path = BStr::new(path);
            assert_eq!(boundary.as_listed(path).unwrap(), path);
        }
        // Where case is ignored, the other case is another spelling; elsewhere it is a file that does not exist.
        let is_same = temp.path().join("A.PY").exists();
        let expected = if is_same { "a.py" } else { "A.PY" };
        assert_eq!(boundary.as_listed(BStr::new("A.PY")).unwrap(), expected);
    }

    #[test]
    fn hard_links_that_differ_in_case_are_two_names() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::write(temp.path().join("a.py"), "x").unwrap();
        // Fails where case is ignored.
        if std::fs::hard_link(temp.path().join("a.py"), temp.path().join("A.PY")).is_ok() {
            let boundary = Boundary::open(temp.path()).unwrap();
            for path in ["a.py", "A.PY"] {
                assert_eq!(boundary.as_listed(BStr::new(path)).unwrap(), path);
            }
        }
    }

    #[test]
    fn only_letters_have_another_case() {
        assert_eq!(other_case(BStr::new("Ab-1_é.py")), "aB-1_é.PY");
    }

    #[test]
    fn a_name_is_compared_by_the_file_that_it_finds() {
        let temp = tempfile::tempdir().unwrap();
        for name in ["a.py", "b.py"] {
            std::fs::write(temp.path().join(name), "x").unwrap();
        }
        std::fs::hard_link(temp.path().join("a.py"), temp.path().join("c.py")).unwrap();
        let dir = Dir::open_ambient_dir(temp.path(), cap_std::ambient_authority()).unwrap();
        let file = dir.symlink_metadata("a.py").unwrap();
        for (name, expected) in [
            ("a.py", true),
            ("c.py", true),
            ("b.py", false),
            ("d.py", false),
        ] {
            assert_eq!(is_same(&dir, name.as_ref(), &file), expected, "{name}");
        }
    }
}
