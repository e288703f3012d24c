//! What chose a design.

use std::fmt;

use bstr::BString;
use gix_hash::ObjectId;

use crate::path::escaped;
use crate::scope::settings;

/// What chose a design. Written out, it is what reports say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChosenBy {
    /// The caller, by this flag or variable.
    Caller(&'static str),
    /// `guard use`.
    GuardUse,
    /// The `Guard-Design` trailer of this commit.
    Trailer(ObjectId),
    /// The branch, whose commits add it.
    AddedByBranch,
    /// `[lld] path`, with this name of the branch.
    BranchName(String),
    /// `[lld] path`, with this issue in the name of the branch.
    Issue(String),
    /// The branch that an agent's work tree was made from.
    MadeFrom(BString),
    /// `[lld] path` alone.
    Settings,
    /// `[lld] standing`: the design joins every other.
    Standing,
    /// The work tree, since no commit has a design.
    WorkTree,
}

impl ChosenBy {
    /// The commit that named it, as messages show it; empty if none did.
    pub fn commit(&self) -> String {
        match self {
            ChosenBy::Trailer(commit) => commit.to_hex_with_len(12).to_string(),
            _ => String::new(),
        }
    }
}

impl fmt::Display for ChosenBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChosenBy::Caller(how) => f.write_str(how),
            ChosenBy::GuardUse => f.write_str("guard use"),
            ChosenBy::Trailer(commit) => {
                write!(f, "Guard-Design trailer of {}", commit.to_hex_with_len(12))
            }
            ChosenBy::AddedByBranch => f.write_str("the branch, which adds it"),
            ChosenBy::BranchName(branch) => write!(f, "branch name {}", escaped(branch)),
            ChosenBy::Issue(issue) => write!(f, "issue {issue} in the branch name"),
            ChosenBy::MadeFrom(branch) => write!(
                f,
                "branch {}, which this work tree was made from",
                escaped(branch)
            ),
            ChosenBy::Settings => f.write_str(settings::FILE),
            ChosenBy::Standing => f.write_str("standing"),
            ChosenBy::WorkTree => f.write_str("work tree"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_trailer_names_a_commit() {
        let commit = ObjectId::empty_tree(gix_hash::Kind::Sha1);
        assert_eq!(ChosenBy::Trailer(commit).commit(), "4b825dc642cb");
        assert_eq!(ChosenBy::GuardUse.commit(), "");
        assert_eq!(ChosenBy::Settings.commit(), "");
    }
}
