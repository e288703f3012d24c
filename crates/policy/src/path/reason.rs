//! Why a path is refused: the reason, its rule, and what to do about it.

use crate::finding::Rule;

macro_rules! reasons {
    ($($(#[$doc:meta])* $variant:ident $id:literal $advice:expr,)*) => {
        /// Why a path is refused.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Reason {
            $($(#[$doc])* $variant,)*
        }

        impl Reason {
            /// The stable kebab-case name.
            pub fn id(self) -> &'static str {
                match self { $(Reason::$variant => $id,)* }
            }

            /// Whether the path may be fine as that of a directory.
            pub fn is_of_directories(self) -> bool {
                matches!(self, Reason::IsWorkspaceRoot | Reason::TrailingSlash)
            }

            /// What to do, in one sentence without a full stop.
            pub fn advice(self) -> &'static str {
                match self { $(Reason::$variant => $advice,)* }
            }
        }
    };
}

const PLAIN: &str = "rename the file with ordinary letters, digits and punctuation";
const INSIDE: &str = "name a path inside the workspace";
const RENAME_WINDOWS: &str = "choose a name that Windows allows";
const LINK_INSIDE: &str = "make the link point inside the repository, relative to the link";

reasons! {
    /// Empty or blank.
    Empty "empty" "name a file",
    /// The path is the workspace itself.
    IsWorkspaceRoot "is-workspace-root" "name a file below the workspace, not the workspace itself",
    /// The spelling of a directory: it ends in `/`, `.` or `..`.
    TrailingSlash "trailing-slash" "name a file: remove the slash or the dots at the end",
    /// `..` leaves the workspace, even if the path returns.
    PathEscapes "outside-workspace" INSIDE,
    /// An absolute path that is not below the workspace.
    PathOutside "outside-workspace" INSIDE,
    /// A NUL byte.
    Nul "nul" "remove the NUL byte",
    /// A C0 or C1 control, DEL, or a Unicode line or paragraph separator.
    ControlChar "control-char" PLAIN,
    /// A character that reorders the text around it.
    BidiControl "bidi-control" PLAIN,
    /// An invisible character.
    InvisibleChar "invisible-char" PLAIN,
    /// A character that looks like `/` or `\`, or dots that look like `..`.
    ConfusableSeparator "confusable-separator"
        "use the ordinary / between directories and another character inside a name",
    /// `.git` in any case.
    GitDir "git-dir" "choose a path outside git's own directory",
    /// A name that some file system treats as `.git`.
    GitDirAlias "git-dir-alias" "choose a name that no file system treats as .git",
    /// Bytes that are not UTF-8.
    NonUtf8 "non-utf8" "rename the file to valid UTF-8",
    /// A component over [`MAX_NAME`](super::MAX_NAME).
    NameTooLong "name-too-long" "shorten the name to at most 255 bytes",
    /// A path over [`MAX_PATH`](super::MAX_PATH).
    PathTooLong "path-too-long"
        "shorten the path to at most 4095 bytes, including the workspace's path",
    /// `..` between backslashes leaves the workspace where `\` is a separator.
    BackslashTraversal "backslash-traversal"
        "separate directories with / and stay inside the workspace",
    /// A leading `~`, which shells and tools expand.
    Tilde "tilde" "write the full path; for a file name that starts with ~ write ./~",
    /// `scheme://`.
    Uri "uri" "name a path, not a URL",
    /// An absolute path on Windows.
    WindowsAbsolute "windows-absolute" INSIDE,
    /// A path that git would not write: empty, rooted, or with `.`, `..` or `//`.
    MalformedEntry "malformed-entry" "remove the entry with git rm --cached and add the file again",
    /// A file that configures git, as a symbolic link.
    ControlFileSymlink "control-file-symlink" "commit the file itself instead of a link",
    /// A mode that git would not write.
    BadFilemode "bad-filemode" "add the file again with git add, which writes a valid mode",
    /// Equal to a link when case is ignored.
    CaseCollision "case-collision" "rename one of them so that they differ in more than case",
    /// Another spelling of a file whose name the directory does not tell.
    UnlistedName "unlisted-name" "spell the path as its directory lists it",
    /// Below a path that is a link.
    DirFileConflict "dir-file-conflict" "remove either the link or what is below it",
    /// A link with an absolute target.
    SymlinkAbsolute "symlink-absolute" LINK_INSIDE,
    /// A link whose target leaves the workspace, even if it returns.
    SymlinkEscape "symlink-escape" LINK_INSIDE,
    /// A link that leads to itself.
    SymlinkLoop "symlink-loop" "make the link point to something other than itself",
    /// A link whose target cannot be read.
    UnreadableLink "unreadable" "restore the link's blob, or replace the link with a file",
    /// A directory in place of a file.
    IsADirectory "is-a-directory" "name a file in the directory",
    /// A parent is a file.
    NotADirectory "not-a-directory" "name a path whose parents are directories",
    /// A FIFO, socket or device.
    NotARegularFile "not-a-regular-file" "name a regular file, not a device, a FIFO or a socket",
    /// A file with several hard links.
    Hardlink "hardlink" "copy the file first, so that its other names keep their content",
    /// A device name such as `con` or `com1.txt`.
    WindowsReservedName "windows-reserved-name" RENAME_WINDOWS,
    /// A character that Windows does not allow in names.
    WindowsIllegalChar "windows-illegal-char" RENAME_WINDOWS,
    /// A name that Windows would shorten.
    WindowsTrailingDotOrSpace "windows-trailing-dot-or-space"
        "rename it so that it does not end with a dot or space",
    /// `name:stream`.
    WindowsStream "windows-stream" "remove the colon",
    /// `c:name`, relative to the current directory of drive `c:`.
    WindowsDriveRelative "windows-drive-relative" INSIDE,
    /// The root of the current drive.
    IsDriveRoot "is-drive-root" INSIDE,
}

impl Reason {
    /// How the path leaves the workspace, if it does.
    fn escape(self) -> Option<&'static str> {
        match self {
            Reason::PathEscapes => Some("path-escapes"),
            Reason::PathOutside | Reason::IsDriveRoot | Reason::WindowsDriveRelative => {
                Some("path-outside")
            }
            Reason::SymlinkEscape | Reason::SymlinkAbsolute => Some("symlink-escapes"),
            _ => None,
        }
    }

    /// The rule of findings with this reason.
    pub fn rule(self) -> Rule {
        match self.escape() {
            Some(_) => Rule::OutsideWorkspace,
            None => Rule::UnsafePath,
        }
    }

    /// The value of `details.reason` in a finding: how the path leaves the workspace, or the id.
    pub fn detail(self) -> &'static str {
        self.escape().unwrap_or(self.id())
    }
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
}
