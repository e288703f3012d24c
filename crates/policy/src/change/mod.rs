//! A change: one path going from an old to a new state.

use bstr::BString;
use gix_hash::ObjectId;

use crate::error::{Error, Result};

/// The kind of an entry, by git's mode bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `100644`.
    File,
    /// `100755`.
    Executable,
    /// `120000`; the blob is the target of the link.
    Symlink,
    /// `160000`, a submodule; the id is a commit of another repository.
    Submodule,
    /// Another mode, which git would not write.
    Other(u32),
}

impl Kind {
    /// What a listing calls a directory; no change has this kind.
    pub const DIRECTORY: Kind = Kind::Other(0o040_000);

    /// From git's mode bits.
    pub fn from_mode(mode: u32) -> Kind {
        match mode {
            0o100644 => Kind::File,
            0o100755 => Kind::Executable,
            0o120000 => Kind::Symlink,
            0o160000 => Kind::Submodule,
            other => Kind::Other(other),
        }
    }

    /// Git's mode bits.
    pub fn mode(self) -> u32 {
        match self {
            Kind::File => 0o100644,
            Kind::Executable => 0o100755,
            Kind::Symlink => 0o120000,
            Kind::Submodule => 0o160000,
            Kind::Other(mode) => mode,
        }
    }

    /// Whether it is a regular file.
    pub fn is_file(self) -> bool {
        matches!(self, Kind::File | Kind::Executable)
    }
}

/// One side of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct State {
    /// The kind of the entry.
    pub kind: Kind,
    /// The blob, or the commit of a submodule.
    pub id: ObjectId,
}

named! {
    /// The action of a change.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Action {
        /// The path is new.
        Add = "add",
        /// The content or the executable bit changes.
        Modify = "modify",
        /// The path is deleted.
        Delete = "delete",
        /// The path changes between file, symlink and submodule.
        TypeChange = "type-change",
    }
}

/// One path going from an old to a new state; at least one exists, and they differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The path in the repository as bytes, separated by `/`.
    pub path: BString,
    /// The old state; `None` for an addition.
    pub old: Option<State>,
    /// The new state; `None` for a deletion.
    pub new: Option<State>,
    /// The other path of a rename: the old path of an addition, the new path of a deletion.
    pub renamed: Option<BString>,
}

impl Change {
    /// A change that is no part of a rename.
    pub fn new(path: impl Into<BString>, old: Option<State>, new: Option<State>) -> Change {
        Change {
            path: path.into(),
            old,
            new,
            renamed: None,
        }
    }

    /// The action.
    pub fn action(&self) -> Action {
        match (self.old, self.new) {
            (None, _) => Action::Add,
            (_, None) => Action::Delete,
            (Some(old), Some(new)) if old.kind.is_file() && new.kind.is_file() => Action::Modify,
            (Some(old), Some(new)) if old.kind == new.kind => Action::Modify,
            _ => Action::TypeChange,
        }
    }

    /// Whether either side is a submodule.
    pub fn is_gitlink(&self) -> bool {
        let mut sides = [self.old, self.new].into_iter().flatten();
        sides.any(|state| state.kind == Kind::Submodule)
    }

    /// Whether the result is a link, a submodule or anything else but a regular file.
    pub fn leaves_no_regular_file(&self) -> bool {
        self.new.is_some_and(|state| !state.kind.is_file())
    }
}

/// git's id of a blob with this content.
///
/// # Errors
/// The content attacks the hash function.
pub fn blob_id(hash: gix_hash::Kind, content: &[u8]) -> Result<ObjectId> {
    let mut hasher = gix_hash::hasher(hash);
    hasher.update(format!("blob {}\0", content.len()).as_bytes());
    hasher.update(content);
    hasher
        .try_finalize()
        .map_err(|error| Error::new(format!("the content cannot be hashed: {error}")))
}

/// A change to one regular file, with both contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedChange {
    /// The path, relative to the root of the workspace.
    pub path: BString,
    /// The content before; `None` for a new file.
    pub old: Option<Vec<u8>>,
    /// The content afterwards; `None` for a deleted file.
    pub new: Option<Vec<u8>>,
}

impl ProposedChange {
    /// A new file. Paths are relative to the root of the workspace and separated by `/`.
    pub fn add(path: impl Into<BString>, content: impl Into<Vec<u8>>) -> Self {
        ProposedChange {
            path: path.into(),
            old: None,
            new: Some(content.into()),
        }
    }

    /// A file that gets another content.
    pub fn modify(
        path: impl Into<BString>,
        old: impl Into<Vec<u8>>,
        new: impl Into<Vec<u8>>,
    ) -> Self {
        ProposedChange {
            old: Some(old.into()),
            ..ProposedChange::add(path, new)
        }
    }

    /// A file that goes. A renamed file is one that goes and a new one.
    pub fn delete(path: impl Into<BString>, content: impl Into<Vec<u8>>) -> Self {
        ProposedChange {
            path: path.into(),
            old: Some(content.into()),
            new: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use gix_hash::ObjectId;

    use super::*;

    fn change(old: Option<Kind>, new: Option<Kind>) -> Change {
        let state = |kind| State {
            kind,
            id: ObjectId::null(gix_hash::Kind::Sha1),
        };
        Change::new("a", old.map(state), new.map(state))
    }

    #[test]
    fn each_step_has_its_action() {
        use Kind::{Executable, File, Submodule, Symlink};
        for (old, new, action, is_gitlink, is_no_file) in [
            (None, Some(File), Action::Add, false, false),
            (None, Some(Symlink), Action::Add, false, true),
            (None, Some(Submodule), Action::Add, true, true),
            (Some(File), None, Action::Delete, false, false),
            (Some(Submodule), None, Action::Delete, true, false),
            (Some(File), Some(File), Action::Modify, false, false),
            (Some(File), Some(Executable), Action::Modify, false, false),
            (Some(Symlink), Some(Symlink), Action::Modify, false, true),
            (Some(Submodule), Some(Submodule), Action::Modify, true, true),
            (Some(File), Some(Symlink), Action::TypeChange, false, true),
            (Some(Symlink), Some(File), Action::TypeChange, false, false),
            (Some(Submodule), Some(File), Action::TypeChange, true, false),
            (
                Some(Symlink),
                Some(Submodule),
                Action::TypeChange,
                true,
                true,
            ),
        ] {
            let change = change(old, new);
            assert_eq!(change.action(), action, "{change:?}");
            assert_eq!(change.is_gitlink(), is_gitlink, "{change:?}");
            assert_eq!(change.leaves_no_regular_file(), is_no_file, "{change:?}");
        }
    }

    #[test]
    fn a_proposed_change_has_the_sides_of_its_kind() {
        let sides = |change: ProposedChange| (change.old, change.new);
        let text = |text: &str| Some(text.as_bytes().to_vec());
        assert_eq!(sides(ProposedChange::add("a", "x")), (None, text("x")));
        let modify = ProposedChange::modify("a", "x", "y");
        assert_eq!(sides(modify), (text("x"), text("y")));
        assert_eq!(sides(ProposedChange::delete("a", "x")), (text("x"), None));
    }

    #[test]
    fn kinds_are_gits_modes() {
        for (mode, kind, is_file) in [
            (0o100_644, Kind::File, true),
            (0o100_755, Kind::Executable, true),
            (0o120_000, Kind::Symlink, false),
            (0o160_000, Kind::Submodule, false),
            (0o040_000, Kind::DIRECTORY, false),
            (0o100_664, Kind::Other(0o100_664), false),
        ] {
            assert_eq!(Kind::from_mode(mode), kind);
            assert_eq!((kind.mode(), kind.is_file()), (mode, is_file));
        }
    }
}
