//! Resolves symbolic links in a tree that need not be on disk.

use bstr::{BStr, BString};

use super::names::{self, check_git_dir, check_path_length, text};
use super::platform::Platform;
use super::reason::Reason;
use super::rejection::{PathFault, Rejection, refuse};
use super::windows::{self, check_backslash_traversal, check_windows_absolute, drive};
use crate::change::Kind;

/// The maximum number of links in one resolution (Linux's limit).
pub const MAX_LINKS: usize = 40;

/// What a tree has at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// Entries are below it.
    Directory,
    /// An entry.
    Entry(Kind),
}

/// A tree or index. Paths are relative to its root, separated by `/`, without `.` and `..`, never empty.
pub trait TreeView {
    /// The node at `path`, if any.
    fn entry(&self, path: &BStr) -> Option<Node>;

    /// The target of the link at `path`; `None` if it cannot be read.
    fn link_target(&self, path: &BStr) -> Option<BString>;
}

/// Checks the text of a link target: empty, absolute, `.git`, characters, length, and whether its `..` leave the
/// workspace lexically. Use it with [`resolve_link`], because systems resolve `..` in two ways.
pub fn check_link_target(
    link_path: &BStr,
    target: &[u8],
    platform: Platform,
) -> Result<(), Rejection> {
    faults(link_path, target, platform).map_err(|fault| fault.of_link(link_path, target))
}

fn faults(link_path: &[u8], target: &[u8], platform: Platform) -> Result<(), PathFault> {
    if target.is_empty() {
        return refuse(Reason::Empty, "leads nowhere");
    }
    let text = text(target)?;
    check_path_length(target.len())?;
    check_absolute(target, platform)?;
    check_git_dir(text)?;
    let at: Vec<&[u8]> = link_path.split(|&byte| byte == b'/').collect();
    let parent = &at[..at.len() - 1];
    check_by_name(&at, parent, target, platform)?;
    if platform == Platform::Unix {
        check_backslash_traversal(target, parent.len())?;
    }
    names::faults(target, platform)?;
    if platform == Platform::Windows {
        for name in platform.segments(target) {
            if !matches!(name, b"" | b"." | b"..") {
                windows::faults(name)?;
            }
        }
    }
    Ok(())
}

fn check_absolute(target: &[u8], platform: Platform) -> Result<(), PathFault> {
    let absolute = match platform {
        Platform::Unix => target.starts_with(b"/"),
        Platform::Windows => platform.is_separator(target[0]) || drive(target).is_some(),
    };
    if absolute {
        return refuse(Reason::SymlinkAbsolute, "is absolute");
    }
    check_windows_absolute(target)
}

/// Resolves the target lexically from the link's directory.
fn check_by_name(
    link: &[&[u8]],
    parent: &[&[u8]],
    target: &[u8],
    platform: Platform,
) -> Result<(), PathFault> {
    let mut here = parent.to_vec();
    for segment in platform.segments(target) {
        match segment {
            b"" | b"." => {}
            b".." => {
                here.pop().ok_or_else(escape)?;
            }
            name => here.push(name),
        }
        if here == link {
            return Err(endless());
        }
    }
    Ok(())
}

fn escape() -> PathFault {
    PathFault::new(Reason::SymlinkEscape, "leaves the workspace")
}

fn endless() -> PathFault {
    PathFault::new(Reason::SymlinkLoop, "leads back to itself")
}

/// The path that a link leads to, with all links resolved and `..` taken from their targets. Empty for the workspace
/// itself. The path need not exist.
///
/// Refuses what [`check_link_target`] refuses on Unix, for this link and every one on the way, and any step outside
/// the workspace.
pub fn resolve_link(
    view: &dyn TreeView,
    link_path: &BStr,
    target: &[u8],
) -> Result<BString, Rejection> {
    follow(view, link_path, target, |fault| {
        fault.of_link(link_path, target)
    })
}

/// The path that `path` leads to, with all links resolved and `..` taken from their targets. Empty for the workspace
/// itself. The path need not exist.
///
/// Refuses like [`resolve_link`]; the error names the link at fault.
pub fn resolve_path(view: &dyn TreeView, path: &BStr) -> Result<BString, Rejection> {
    // Resolved as the target of a link in the root. That link has an empty name, so nothing leads back to it.
    follow(view, BStr::new(""), path, |fault| fault.of(path))
}

fn follow(
    view: &dyn TreeView,
    link_path: &BStr,
    target: &[u8],
    of_the_whole: impl Fn(PathFault) -> Rejection,
) -> Result<BString, Rejection> {
    faults(link_path, target, Platform::Unix).map_err(&of_the_whole)?;
    let mut here = BString::from(link_path);
    pop(&mut here);
    // The next one is the last.
    let mut ahead: Vec<BString> = segments(target).rev().collect();
    let mut followed = 1;
    while let Some(name) = ahead.pop() {
        if name == ".." {
            if !pop(&mut here) {
                return Err(of_the_whole(escape()));
            }
            continue;
        }
        push(&mut here, &name);
        if here == link_path {
            return Err(of_the_whole(endless()));
        }
        if view.entry(here.as_ref()) != Some(Node::Entry(Kind::Symlink)) {
            continue;
        }
        followed += 1;
        if followed > MAX_LINKS {
            let what = format!("passes through more than {MAX_LINKS} links");
            return Err(of_the_whole(PathFault::new(Reason::SymlinkLoop, what)));
        }
        let Some(next) = view.link_target(here.as_ref()) else {
            let what = "passes through a link that cannot be read";
            return Err(of_the_whole(PathFault::new(Reason::UnreadableLink, what)));
        };
        faults(&here, &next, Platform::Unix).map_err(|fault| fault.of_link(&here, &next))?;
        ahead.extend(segments(&next).rev());
        pop(&mut here);
    }
    Ok(here)
}

/// The components of a target: names and `..`.
fn segments(target: &[u8]) -> impl DoubleEndedIterator<Item = BString> {
    target
        .split(|&byte| byte == b'/')
        .filter(|segment| !matches!(*segment, b"" | b"."))
        .map(BString::from)
}

fn push(path: &mut BString, name: &[u8]) {
    if !path.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
}

/// Removes the last name; returns whether there was one.
fn pop(path: &mut BString) -> bool {
    let slash = path.iter().rposition(|&byte| byte == b'/');
    let there = !path.is_empty();
    path.truncate(slash.unwrap_or(0));
    there
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Links by path; everything else is absent.
    struct Tree(BTreeMap<&'static str, &'static str>);

    impl TreeView for Tree {
        fn entry(&self, path: &BStr) -> Option<Node> {
            self.link_target(path).map(|_| Node::Entry(Kind::Symlink))
        }

        fn link_target(&self, path: &BStr) -> Option<BString> {
            let path = std::str::from_utf8(path).ok()?;
            self.0.get(path).map(|&target| target.into())
        }
    }

    fn resolve(links: &[(&'static str, &'static str)]) -> Result<String, Reason> {
        let (link, target) = links[0];
        let tree = Tree(links.iter().copied().collect());
        resolve_link(&tree, link.into(), target.as_bytes())
            .map(|path| path.to_string())
            .map_err(|rejection| rejection.reason)
    }

    fn by_name(target: &[u8], platform: Platform) -> Option<Reason> {
        check_link_target("src/link".into(), target, platform)
            .err()
            .map(|rejection| rejection.reason)
    }

    #[test]
    fn a_path_is_resolved_through_the_links_on_its_way() {
        let tree = Tree([("out", ".."), ("src/docs", "../docs"), ("a", "a")].into());
        let resolved = |path: &str| {
            resolve_path(&tree, path.into())
                .map(|path| path.to_string())
                .map_err(|rejection| rejection.reason)
        };
        assert_eq!(resolved("src/docs/x.md").as_deref(), Ok("docs/x.md"));
        assert_eq!(resolved("src/x.rs").as_deref(), Ok("src/x.rs"));
        assert_eq!(resolved("out/x"), Err(Reason::SymlinkEscape));
        assert_eq!(resolved("a/x"), Err(Reason::SymlinkLoop));
    }

    #[test]
    fn targets_inside_pass_whether_they_exist_or_not() {
        for (target, path) in [
            ("a.py", "src/a.py"),
            ("./a.py", "src/a.py"),
            ("../README", "README"),
            ("..", ""),
            ("dir/", "src/dir"),
            ("%2e%2e/x", "src/%2e%2e/x"),
        ] {
            assert_eq!(by_name(target.as_bytes(), Platform::Unix), None, "{target}");
            assert_eq!(resolve(&[("src/link", target)]).as_deref(), Ok(path));
        }
    }

    #[test]
    fn each_fault_of_a_target_has_its_reason() {
        let long = "a/".repeat(2048);
        for (target, reason) in [
            (&b""[..], Reason::Empty),
            (b"a\0b", Reason::Nul),
            (b"\xff", Reason::NonUtf8),
            (b"a\nb", Reason::ControlChar),
            ("a\u{202e}".as_bytes(), Reason::BidiControl),
            (b"/ws/a", Reason::SymlinkAbsolute),
            (br"C:\x", Reason::WindowsAbsolute),
            (br"..\..\x", Reason::BackslashTraversal),
            (b"../..", Reason::SymlinkEscape),
            (b"../../ws/a", Reason::SymlinkEscape),
            (b"x/../../../etc", Reason::SymlinkEscape),
            (b"../.git/../a", Reason::GitDir),
            (b"../git~1/hooks", Reason::GitDirAlias),
            (b"./link", Reason::SymlinkLoop),
            (b"../src/link/x", Reason::SymlinkLoop),
            (long.as_bytes(), Reason::PathTooLong),
        ] {
            assert_eq!(by_name(target, Platform::Unix), Some(reason), "{target:?}");
            let tree = Tree(BTreeMap::new());
            assert!(resolve_link(&tree, "src/link".into(), target).is_err());
        }
    }

    #[test]
    fn windows_reads_backslashes_drives_and_reserved_names() {
        for (target, reason) in [
            (&br"..\..\x"[..], Reason::SymlinkEscape),
            (br"C:\x", Reason::SymlinkAbsolute),
            (br"\x", Reason::SymlinkAbsolute),
            (b"c:x", Reason::SymlinkAbsolute),
            (b"nul", Reason::WindowsReservedName),
        ] {
            assert_eq!(
                by_name(target, Platform::Windows),
                Some(reason),
                "{target:?}"
            );
        }
        assert_eq!(by_name(br"..\x", Platform::Windows), None);
    }

    #[test]
    fn a_chain_of_links_is_followed() {
        let chain = [
            ("link", "a/b/c/target"),
            ("a/b", "e"),
            ("a/e", "../f"),
            ("f", "g/h/i"),
            ("g/h/i", ".."),
        ];
        assert_eq!(resolve(&chain).as_deref(), Ok("g/c/target"));
    }

    #[test]
    fn dot_dot_starts_at_the_target_of_a_link() {
        let links = [("link", "a/../t"), ("a", "b/c")];
        assert_eq!(resolve(&links).as_deref(), Ok("b/t"));
    }

    #[test]
    fn path_through_an_escaping_link_is_refused() {
        for (links, reason) in [
            ([("l", "a/x"), ("a", "/etc")], Reason::SymlinkAbsolute),
            ([("l", "a/x"), ("a", "../ws")], Reason::SymlinkEscape),
            // By name s/up/.. is s; where the link leads, it is above the root.
            ([("l", "s/up/../x"), ("s/up", "..")], Reason::SymlinkEscape),
            ([("l", "a/x"), ("a", "sub/.git")], Reason::GitDir),
        ] {
            assert_eq!(resolve(&links), Err(reason), "{links:?}");
        }
    }

    #[test]
    fn loops_end() {
        assert_eq!(resolve(&[("a", "b"), ("b", "a")]), Err(Reason::SymlinkLoop));
        assert_eq!(
            resolve(&[("l", "a"), ("a", "b"), ("b", "a/x")]),
            Err(Reason::SymlinkLoop)
        );
    }

    #[test]
    fn forty_links_are_followed_and_no_more() {
        let names: Vec<&'static str> = (0..=41)
            .map(|i| &*Box::leak(format!("l{i}").into_boxed_str()))
            .collect();
        let chain = |n: usize| -> Vec<_> { (0..n).map(|i| (names[i], names[i + 1])).collect() };
        assert_eq!(resolve(&chain(40)).as_deref(), Ok("l40"));
        assert_eq!(resolve(&chain(41)), Err(Reason::SymlinkLoop));
    }

    #[test]
    fn a_link_that_cannot_be_read_is_refused() {
        struct Damaged;
        impl TreeView for Damaged {
            fn entry(&self, _: &BStr) -> Option<Node> {
                Some(Node::Entry(Kind::Symlink))
            }
            fn link_target(&self, _: &BStr) -> Option<BString> {
                None
            }
        }
        let verdict = resolve_link(&Damaged, "l".into(), b"a");
        assert_eq!(verdict.map_err(|r| r.reason), Err(Reason::UnreadableLink));
    }

    #[test]
    fn the_message_names_link_and_target() {
        let message = check_link_target("l".into(), b"../x\n", Platform::Unix)
            .map_err(|rejection| rejection.message);
        assert_eq!(
            message,
            Err(r#"the link l to "../x\n" leaves the workspace"#.into())
        );
    }
}
