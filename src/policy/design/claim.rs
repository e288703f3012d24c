//! What a heading or label lets rows do that have no type.

use crate::policy::Actions;

/// The action of rows under a heading that do not name one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// "Files Changed": anything but deleting.
    Any,
    /// "Files to Create".
    Create,
    /// "Files to Modify".
    Modify,
    /// "Files to Delete".
    Delete,
}

impl Claim {
    /// The actions of a row without a type.
    pub(super) fn actions(self) -> Actions {
        match self {
            Claim::Any => Actions::ADD | Actions::MODIFY,
            Claim::Create => Actions::ADD | Actions::MODIFY_NEW,
            Claim::Modify => Actions::MODIFY,
            Claim::Delete => Actions::DELETE,
        }
    }

    /// Whether two sections cannot both declare the scope.
    pub(super) fn conflicts(self, other: Claim) -> bool {
        self == other || self == Claim::Any || other == Claim::Any
    }
}
