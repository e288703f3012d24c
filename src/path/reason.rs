//! Why a path is refused: the reason, its rule, and what to do about it.

use std::fmt;

use gix::bstr::{BStr, ByteSlice};

use super::show::show;
use crate::finding::Rule;

/// Why a path is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// No path at all, or nothing but blanks.
    Empty,
    /// The path is the workspace itself.
    IsWorkspaceRoot,
    /// The spelling says directory: it ends in `/`, `.` or `..`.
    TrailingSlash,
    /// `..` leaves the workspace, for good or to come back.
    PathEscapes,
    /// An absolute path that is not below the workspace.
    PathOutside,
    /// A NUL byte.
    Nul,
    /// A C0 or C1 control, DEL, or a Unicode line or paragraph separator.
    ControlChar,
    /// A character that reorders the text around it.
    BidiControl,
    /// A character that is not drawn.
    InvisibleChar,
    /// A character that looks like `/` or `\`, or dots that look like `..`.
    ConfusableSeparator,
    /// `.git` in any case.
    GitDir,
    /// A name that some file system takes for `.git`.
    GitDirAlias,
    /// Bytes that are not UTF-8.
    NonUtf8,
    /// A component over [`MAX_NAME`](super::MAX_NAME).
    NameTooLong,
    /// A path over [`MAX_PATH`](super::MAX_PATH).
    PathTooLong,
    /// `..` between backslashes leaves the workspace where `\` separates.
    BackslashTraversal,
    /// A leading `~`, which shells and tools expand.
    Tilde,
    /// `scheme://`.
    Uri,
    /// Windows would read an absolute path.
    WindowsAbsolute,
    /// Not a path that git would write: empty, rooted, `.`, `..`, `//`.
    MalformedEntry,
    /// A file that steers git, as a symbolic link.
    ControlFileSymlink,
    /// A mode that git does not write.
    BadFilemode,
    /// Equal to a link's path once case is folded.
    CaseCollision,
    /// Below a path that is a link.
    DirFileConflict,
    /// A link with an absolute target.
    SymlinkAbsolute,
    /// A link whose target leaves the workspace, for good or to come back.
    SymlinkEscape,
    /// A link that leads to itself.
    SymlinkLoop,
    /// A link whose target cannot be read.
    UnreadableLink,
    /// A directory stands where a file should be.
    IsADirectory,
    /// Something on the way is a file.
    NotADirectory,
    /// A FIFO, socket or device.
    NotARegularFile,
    /// A file with more than one name.
    Hardlink,
    /// A device name such as `con` or `com1.txt`.
    WindowsReservedName,
    /// A character that Windows does not allow in names.
    WindowsIllegalChar,
    /// A name that Windows would shorten.
    WindowsTrailingDotOrSpace,
    /// `name:stream`.
    WindowsStream,
    /// `c:name`, relative to whatever directory drive `c:` is in.
    WindowsDriveRelative,
    /// The root of the current drive.
    IsDriveRoot,
}

impl Reason {
    /// The stable kebab-case name.
    pub fn id(self) -> &'static str {
        self.texts().0
    }

    /// One sentence without a final full stop: what to do.
    pub fn advice(self) -> &'static str {
        self.texts().1
    }

    /// The rule that a finding with this reason belongs to.
    pub fn rule(self) -> Rule {
        match self {
            Reason::PathEscapes
            | Reason::PathOutside
            | Reason::IsDriveRoot
            | Reason::WindowsDriveRelative
            | Reason::SymlinkEscape
            | Reason::SymlinkAbsolute => Rule::OutsideWorkspace,
            _ => Rule::UnsafePath,
        }
    }

    /// The value of `details.reason` in a finding: how the path leaves the
    /// workspace, or the reason's own name.
    pub fn detail(self) -> &'static str {
        match self {
            Reason::PathEscapes => "path-escapes",
            Reason::PathOutside | Reason::IsDriveRoot | Reason::WindowsDriveRelative => {
                "path-outside"
            }
            Reason::SymlinkEscape | Reason::SymlinkAbsolute => "symlink-escapes",
            other => other.id(),
        }
    }

    fn texts(self) -> (&'static str, &'static str) {
        const PLAIN: &str = "rename the file with ordinary letters, digits and punctuation";
        const INSIDE: &str = "name a path inside the workspace, relative to its root";
        const RENAME_WINDOWS: &str = "choose a name that Windows allows";
        const LINK_INSIDE: &str =
            "let the link point to a path inside the repository, relative to the link";
        match self {
            Reason::Empty => ("empty", "name a file"),
            Reason::IsWorkspaceRoot => (
                "is-workspace-root",
                "name a file below the workspace, not the workspace itself",
            ),
            Reason::TrailingSlash => (
                "trailing-slash",
                "name a file: leave out the slash or the dots at the end",
            ),
            Reason::PathEscapes | Reason::PathOutside => ("outside-workspace", INSIDE),
            Reason::Nul => ("nul", "leave out the NUL byte"),
            Reason::ControlChar => ("control-char", PLAIN),
            Reason::BidiControl => ("bidi-control", PLAIN),
            Reason::InvisibleChar => ("invisible-char", PLAIN),
            Reason::ConfusableSeparator => (
                "confusable-separator",
                "use the ordinary / between directories and another character inside a name",
            ),
            Reason::GitDir => ("git-dir", "leave git's own directory to git"),
            Reason::GitDirAlias => (
                "git-dir-alias",
                "choose a name that no file system takes for .git",
            ),
            Reason::NonUtf8 => ("non-utf8", "rename the file to valid UTF-8"),
            Reason::NameTooLong => ("name-too-long", "shorten the name to at most 255 bytes"),
            Reason::PathTooLong => (
                "path-too-long",
                "shorten the path to at most 4095 bytes, the workspace's own path included",
            ),
            Reason::BackslashTraversal => (
                "backslash-traversal",
                "separate directories with / and stay inside the workspace",
            ),
            Reason::Tilde => (
                "tilde",
                "spell the path out; for a file whose name begins with ~ write ./~",
            ),
            Reason::Uri => ("uri", "name a path, not a URL"),
            Reason::WindowsAbsolute => ("windows-absolute", INSIDE),
            Reason::MalformedEntry => (
                "malformed-entry",
                "remove the entry with git rm --cached and add the file again",
            ),
            Reason::ControlFileSymlink => (
                "control-file-symlink",
                "commit the file itself in place of the link",
            ),
            Reason::BadFilemode => (
                "bad-filemode",
                "add the file again with git add, so that git writes one of its own modes",
            ),
            Reason::CaseCollision => (
                "case-collision",
                "rename one of the two, so that they differ in more than case",
            ),
            Reason::DirFileConflict => (
                "dir-file-conflict",
                "remove either the link or what is below it",
            ),
            Reason::SymlinkAbsolute => ("symlink-absolute", LINK_INSIDE),
            Reason::SymlinkEscape => ("symlink-escape", LINK_INSIDE),
            Reason::SymlinkLoop => (
                "symlink-loop",
                "let the link point to something other than itself",
            ),
            Reason::UnreadableLink => (
                "unreadable",
                "restore the link's blob, or replace the link by a file",
            ),
            Reason::IsADirectory => ("is-a-directory", "name a file in the directory"),
            Reason::NotADirectory => (
                "not-a-directory",
                "name a path whose directories are directories",
            ),
            Reason::NotARegularFile => (
                "not-a-regular-file",
                "name a regular file, not a device, a FIFO or a socket",
            ),
            Reason::Hardlink => (
                "hardlink",
                "copy the file first, so that its other names keep their content",
            ),
            Reason::WindowsReservedName => ("windows-reserved-name", RENAME_WINDOWS),
            Reason::WindowsIllegalChar => ("windows-illegal-char", RENAME_WINDOWS),
            Reason::WindowsTrailingDotOrSpace => (
                "windows-trailing-dot-or-space",
                "end the name with something other than a dot or a blank",
            ),
            Reason::WindowsStream => ("windows-stream", "leave out the colon"),
            Reason::WindowsDriveRelative => ("windows-drive-relative", INSIDE),
            Reason::IsDriveRoot => ("is-drive-root", INSIDE),
        }
    }
}

/// A refused path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// Why.
    pub reason: Reason,
    /// One sentence without a final full stop that names the path, escaped and
    /// shortened, and the offending character as `U+XXXX` where there is one.
    pub message: String,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Rejection {}

/// A reason and its half sentence, before it is known which path to name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) reason: Reason,
    /// Begins with a verb: "holds the control character U+000A".
    what: String,
}

impl Fault {
    pub(crate) fn new(reason: Reason, what: impl Into<String>) -> Fault {
        Fault {
            reason,
            what: what.into(),
        }
    }

    /// The verdict on a path.
    pub(crate) fn of(self, path: &[u8]) -> Rejection {
        Rejection {
            reason: self.reason,
            message: format!("{} {}", brief(path), self.what),
        }
    }

    /// The verdict on a link and its target.
    pub(crate) fn of_link(self, link: &[u8], target: &[u8]) -> Rejection {
        Rejection {
            reason: self.reason,
            message: format!(
                "the link {} with the target {} {}",
                brief(link),
                brief(target),
                self.what
            ),
        }
    }
}

/// Names longer than this many bytes are cut in messages.
const BRIEF: usize = 160;

/// The path as shown, with the tail of an overlong one left out.
fn brief(path: &[u8]) -> String {
    if path.len() <= BRIEF {
        return show(path).to_string();
    }
    let path = BStr::new(path);
    let end = path
        .char_indices()
        .map(|(_, end, _)| end)
        .take_while(|&end| end <= BRIEF)
        .last()
        .unwrap_or(0);
    format!("{}...", show(&path[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaving_the_workspace_has_its_own_rule_and_details() {
        for (reason, id, detail) in [
            (Reason::PathEscapes, "outside-workspace", "path-escapes"),
            (Reason::PathOutside, "outside-workspace", "path-outside"),
            (Reason::SymlinkEscape, "symlink-escape", "symlink-escapes"),
            (
                Reason::SymlinkAbsolute,
                "symlink-absolute",
                "symlink-escapes",
            ),
        ] {
            assert_eq!(reason.rule(), Rule::OutsideWorkspace);
            assert_eq!((reason.id(), reason.detail()), (id, detail));
        }
        assert_eq!(Reason::SymlinkLoop.rule(), Rule::UnsafePath);
        assert_eq!(Reason::GitDir.detail(), "git-dir");
    }

    #[test]
    fn a_message_cuts_an_overlong_name_between_characters() {
        let name = "é".repeat(500);
        let rejection = Fault::new(Reason::NameTooLong, "is long").of(name.as_bytes());
        assert_eq!(
            rejection.message,
            format!("{}... is long", "é".repeat(BRIEF / 2))
        );
    }
}
