//! What a command does to paths.

use super::pattern::PathPattern;

/// Devices that keep nothing.
const DEVICES: [&str; 7] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/tty",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
];

/// Directories for temporary files, besides the configured one.
pub(crate) const TEMPORARY: [&str; 6] = [
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    "/private/tmp",
    "/private/var/tmp",
    "/var/folders",
];

/// What a command does to a path, or to all paths of a pattern.
#[derive(Debug, Clone)]
pub(crate) struct FileEffect {
    pub(crate) kind: EffectKind,
    pub(crate) path: PathPattern,
}

#[derive(Debug, Clone)]
pub(crate) enum EffectKind {
    /// Changes it, or creates it: what it holds then is not known, but follows from what it holds now.
    Modify,
    /// Replaces it, or creates it.
    Replace {
        /// The new content, if the command names it.
        content: Option<String>,
    },
    /// Copies something to it, or into it if it is a directory.
    Copy(CopySource),
    /// The same, and removes the source.
    Move(CopySource),
    /// Deletes it, with all that is in it.
    Delete,
    /// Creates it only if it is missing.
    Touch,
    /// Creates a directory.
    Directory,
    /// Puts files into it whose names the command does not say.
    Unpack,
    /// Takes tracked files back to what git has.
    Restore,
    /// Deletes untracked files in it.
    Clean,
}

/// What is copied or moved.
#[derive(Debug, Clone)]
pub(crate) struct CopySource {
    pub(crate) path: PathPattern,
    /// Whether the target must be a directory.
    pub(crate) into_directory: bool,
    /// Whether what is in the source goes there, and not the source itself.
    pub(crate) contents: bool,
}

/// What the text of a command says about files.
#[derive(Debug, Default)]
pub(crate) struct Sight {
    /// In the order of the text.
    pub(crate) effects: Vec<FileEffect>,
    /// A part that may write, but could not be read.
    pub(crate) unread: Option<String>,
}

impl FileEffect {
    /// Whether it keeps nothing.
    pub(super) fn is_void(&self) -> bool {
        let path = self.path.base.as_str();
        DEVICES.contains(&path) || path.starts_with("/dev/fd/")
    }
}

impl Sight {
    /// Forgets effects on temporary files, as their paths are spelled. Where there is no work tree, no link leads to it.
    pub(crate) fn forget_temporary(&mut self, temporary: &str) {
        let is_temporary = |path: &PathPattern| {
            let is_below = |place: &&str| {
                let rest = path.base.strip_prefix(*place);
                rest.is_some_and(|rest| rest.starts_with('/'))
            };
            !path.base.contains("/..") && TEMPORARY.iter().chain([&temporary]).any(is_below)
        };
        self.effects.retain(|effect| {
            let is_source_kept = match &effect.kind {
                EffectKind::Move(source) => !is_temporary(&source.path),
                _ => false,
            };
            is_source_kept || !is_temporary(&effect.path)
        });
    }
}
