//! Checks paths in an index or a tree: each by itself, and against the links of the tree.

use std::collections::HashMap;

use bstr::{BStr, BString};

use super::chars::fold;
use super::escape::escaped;
use super::names::{self, MAX_NAME, MAX_PATH, check_path_length, control_file};
use super::platform::Platform;
use super::reason::Reason;
use super::rejection::{PathFault, Rejection, refuse};
use super::windows::{self, check_backslash_traversal, check_windows_absolute};
use crate::change::Kind;

/// Whether this entry may be checked out. Checks only path and mode. [`check_link_target`](super::check_link_target)
/// and [`resolve_link`](super::resolve_link) check link targets, and [`Links`](super::Links) collisions with links.
///
/// Cheap for ordinary paths: one pass without allocation.
pub fn check_entry(path: &BStr, kind: Kind, platform: Platform) -> Result<(), Rejection> {
    if let Kind::Other(mode) = kind {
        let what = format!("has the invalid mode {mode:06o}");
        return Err(PathFault::new(Reason::BadFilemode, what).of(path));
    }
    if platform == Platform::Unix && is_plain(path) {
        return Ok(());
    }
    faults(path, kind, platform).map_err(|fault| fault.of(path))
}

/// Whether a path has only ordinary names, so that no rule applies: ASCII letters, digits, `_`, `-` and inner dots, 1
/// to [`MAX_NAME`] per component.
fn is_plain(path: &[u8]) -> bool {
    let mut name = 0;
    for &byte in path {
        name = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' => name + 1,
            b'.' if name > 0 => name + 1,
            b'/' if name > 0 => 0,
            _ => return false,
        };
        if name > MAX_NAME {
            return false;
        }
    }
    name > 0 && path.len() <= MAX_PATH
}

pub(super) fn faults(path: &[u8], kind: Kind, platform: Platform) -> Result<(), PathFault> {
    check_shape(path)?;
    names::faults(path, platform)?;
    check_path_length(path.len())?;
    check_windows_absolute(path)?;
    check_backslash_traversal(path, 0)?;
    if kind == Kind::Symlink
        && let Some(file) = control_file(path)
    {
        let what = format!("is a link in place of {file}");
        return refuse(Reason::ControlFileSymlink, what);
    }
    if platform == Platform::Windows {
        windows::faults(path)?;
    }
    Ok(())
}

/// Refuses paths that git itself never writes.
fn check_shape(path: &[u8]) -> Result<(), PathFault> {
    for name in path.split(|&byte| byte == b'/') {
        let what = match name {
            b"" => "has an empty component",
            b"." => "contains the name .",
            b".." => "contains the name ..",
            _ => continue,
        };
        return refuse(Reason::MalformedEntry, what);
    }
    Ok(())
}

/// The links of a tree.
#[derive(Debug, Default)]
pub struct Links {
    /// The paths by their case-folded spelling.
    by_fold: HashMap<BString, Vec<BString>>,
}

impl Links {
    /// From the paths of all links in a tree or index.
    pub fn new(paths: impl IntoIterator<Item = BString>) -> Links {
        let mut by_fold: HashMap<BString, Vec<BString>> = HashMap::new();
        for path in paths {
            by_fold.entry(fold(path.as_ref())).or_default().push(path);
        }
        Links { by_fold }
    }

    /// Refuses an entry of the same tree that is below a link, or that equals a link or is below one when case is
    /// ignored.
    ///
    /// Check all changed entries or, if a link changed, all entries.
    pub fn check(&self, path: &BStr) -> Result<(), Rejection> {
        if self.by_fold.is_empty() {
            return Ok(());
        }
        let mut folded = BString::default();
        let mut end = 0;
        for name in path.split(|&byte| byte == b'/') {
            if end > 0 {
                folded.push(b'/');
                end += 1;
            }
            end += name.len();
            folded.extend_from_slice(&fold(name.into()));
            let same = self.by_fold.get(&folded).map_or(&[][..], Vec::as_slice);
            for link in same {
                check_pair(path, end, link).map_err(|fault| fault.of(path))?;
            }
        }
        Ok(())
    }
}

/// Checks a path whose first `end` bytes equal a link when case is ignored.
fn check_pair(path: &[u8], end: usize, link: &[u8]) -> Result<(), PathFault> {
    if path[..end] != *link {
        let what = format!(
            "collides with the link {} on case-insensitive file systems",
            escaped(link)
        );
        return refuse(Reason::CaseCollision, what);
    }
    if end < path.len() {
        let what = format!("is below the link {}", escaped(link));
        return refuse(Reason::DirFileConflict, what);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(path: &[u8], kind: Kind, platform: Platform) -> Option<Reason> {
        check_entry(BStr::new(path), kind, platform)
            .err()
            .map(|rejection| rejection.reason)
    }

    #[test]
    fn ordinary_entries_pass() {
        for path in [
            "a.py",
            "src/core/lld.rs",
            ".github/workflows/ci.yml",
            ".gitignore",
            "a b/[id].tsx",
            "日本語.md",
            "~x",
            "a~1",
            "dev\\x2ddisk",
            "com1",
            "aux.c",
        ] {
            assert_eq!(
                verdict(path.as_bytes(), Kind::File, Platform::Unix),
                None,
                "{path}"
            );
        }
        assert_eq!(
            verdict(b"vendor/lib", Kind::Submodule, Platform::Unix),
            None
        );
        assert_eq!(verdict(b"link", Kind::Symlink, Platform::Unix), None);
    }

    #[test]
    fn the_short_way_takes_only_what_no_rule_refuses() {
        let longest = "a".repeat(MAX_NAME);
        for path in ["a", "src/core/a-b_c.d.rs", "A9/z0", &longest] {
            assert!(is_plain(path.as_bytes()), "{path}");
            assert_eq!(faults(path.as_bytes(), Kind::File, Platform::Unix), Ok(()));
        }
        let longer = format!("{longest}a");
        for path in ["", "/a", "a/", "a//b", ".git", "a/.b", "a b", "ä", &longer] {
            assert!(!is_plain(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn each_fault_of_a_path_has_its_reason() {
        let long_name = "a".repeat(256);
        let long_dotted_name = "a.b".repeat(86);
        let long_path = "a/".repeat(2048) + "f";
        for (path, reason) in [
            (&b""[..], Reason::MalformedEntry),
            (b"/a", Reason::MalformedEntry),
            (b"a/", Reason::MalformedEntry),
            (b"a//b", Reason::MalformedEntry),
            (b"./a", Reason::MalformedEntry),
            (b"a/../b", Reason::MalformedEntry),
            (b".git/config", Reason::GitDir),
            (b"a/git~1", Reason::GitDirAlias),
            (b"a\nb", Reason::ControlChar),
            ("a\u{2066}b".as_bytes(), Reason::BidiControl),
            ("a\u{2060}b".as_bytes(), Reason::InvisibleChar),
            ("a\u{2215}b".as_bytes(), Reason::ConfusableSeparator),
            (b"a\xff", Reason::NonUtf8),
            (br"..\x", Reason::BackslashTraversal),
            (br"C:\x", Reason::WindowsAbsolute),
            (long_name.as_bytes(), Reason::NameTooLong),
            (long_dotted_name.as_bytes(), Reason::NameTooLong),
            (long_path.as_bytes(), Reason::PathTooLong),
        ] {
            assert_eq!(
                verdict(path, Kind::File, Platform::Unix),
                Some(reason),
                "{path:?}"
            );
        }
    }

    #[test]
    fn the_limits_themselves_pass() {
        let name = "a".repeat(255);
        let path = "a/".repeat(2047) + "f";
        assert_eq!(path.len(), 4095);
        assert_eq!(verdict(name.as_bytes(), Kind::File, Platform::Unix), None);
        assert_eq!(verdict(path.as_bytes(), Kind::File, Platform::Unix), None);
    }

    #[test]
    fn control_file_may_be_a_file_but_not_a_link() {
        for path in [&b".gitmodules"[..], b"a/.gitattributes", b"GI250A~1"] {
            assert_eq!(verdict(path, Kind::File, Platform::Unix), None);
            assert_eq!(
                verdict(path, Kind::Symlink, Platform::Unix),
                Some(Reason::ControlFileSymlink)
            );
        }
    }

    #[test]
    fn a_mode_that_git_does_not_write_is_refused() {
        let mode = Kind::from_mode(0o100664);
        assert_eq!(
            verdict(b"x", mode, Platform::Unix),
            Some(Reason::BadFilemode)
        );
    }

    #[test]
    fn windows_refuses_its_own_names() {
        assert_eq!(
            verdict(b"src/aux.c", Kind::File, Platform::Windows),
            Some(Reason::WindowsReservedName)
        );
        assert_eq!(verdict(b"src/a.c", Kind::File, Platform::Windows), None);
    }

    #[test]
    fn fast_path_agrees_with_the_rules() {
        // Every string of up to five of the characters that decide anything,
        // as it is and followed by what a name needs to be a special one.
        let letters = b"ag./~1\\ ";
        let mut paths = vec![Vec::new()];
        for _ in 0..5 {
            paths = paths
                .iter()
                .flat_map(|path: &Vec<u8>| letters.iter().map(move |&b| [&path[..], &[b]].concat()))
                .collect();
            for path in &paths {
                for tail in [&b""[..], b"it", b"git", b"gitmodules"] {
                    let path = [path, tail].concat();
                    if is_plain(&path) {
                        for kind in [Kind::File, Kind::Symlink, Kind::Submodule] {
                            assert_eq!(faults(&path, kind, Platform::Unix), Ok(()), "{path:?}");
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod collision_tests {
    use super::*;

    fn verdict(links: &[&str], path: &str) -> Option<Reason> {
        Links::new(links.iter().map(|&link| link.into()))
            .check(path.into())
            .err()
            .map(|rejection| rejection.reason)
    }

    #[test]
    fn entries_that_collide_with_a_link_only_if_case_is_ignored() {
        for (links, path) in [
            (&["a"][..], "A/post-checkout"),
            (&["a"], "A"),
            (&["sub/a"], "SUB/A/x"),
            (&["a", "A"], "a"),
            (&["\u{212a}"], "k/x"),
        ] {
            assert_eq!(
                verdict(links, path),
                Some(Reason::CaseCollision),
                "{links:?} {path}"
            );
        }
    }

    #[test]
    fn entries_below_a_link() {
        assert_eq!(verdict(&["d"], "d/x"), Some(Reason::DirFileConflict));
        assert_eq!(verdict(&["s/d"], "s/d/e/x"), Some(Reason::DirFileConflict));
    }

    #[test]
    fn link_itself_and_its_neighbours_are_allowed() {
        for path in ["d", "dd/x", "s/d", "d.x/y"] {
            assert_eq!(verdict(&["d"], path), None, "{path}");
        }
        assert_eq!(verdict(&[], "d/x"), None);
    }
}
