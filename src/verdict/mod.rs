//! The result of a judgement, as plain data. `judge` and `gate` fill it; `report` prints it.

mod check;
mod review;
mod scope;

use std::collections::BTreeMap;

use gix::bstr::BString;
use serde::{Serialize, Serializer};

pub use check::{CheckAnswers, CheckCounts, CheckResult};
pub use review::{Review, ReviewApproval, ReviewCommit, ReviewRow};
pub use scope::{PromptPath, PromptSection, Protection, ScopeGrant, ScopeListing};

use crate::error::Result;
use crate::finding::{Finding, Level, json};
use crate::scope::Grant;
use crate::scope::settings::{KeyPlaces, Settings};

/// The texts of documents that findings refer to, by path.
pub type Texts = BTreeMap<BString, String>;

/// The result of a judgement: the changes, and a finding for each rule that one of them breaks.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Verdict {
    /// The source of the changes.
    pub(crate) source: Source,
    /// The designs in force.
    pub(crate) designs: Vec<DesignUsed>,
    /// The findings, in any order.
    pub findings: Vec<Finding>,
    /// All judged changes, in any order.
    pub changes: Vec<JudgedChange>,
    /// Notes on how guard reached the verdict, one sentence each, for example that it read a design from the work
    /// tree.
    pub notes: Vec<String>,
    /// The documents to quote. If a finding's document is missing here, only its place is shown.
    pub(crate) texts: Texts,
    /// What only the review page and the map show; `None` unless asked for.
    pub(crate) review: Option<Box<Review>>,
}

named! {
    /// The source of the changes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum SourceKind {
        /// The index, compared with HEAD.
        #[default]
        Index = "index",
        /// Commits, compared with a merge base.
        Range = "range",
        /// The work tree, compared with HEAD as if everything were added.
        WorkTree = "worktree",
        /// Changes in memory, which were asked about.
        Request = "request",
    }
}

/// What was judged, and against what.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// The source of the changes.
    pub kind: SourceKind,
    /// The commit compared with, in hexadecimal; `None` if there is none.
    pub base: Option<String>,
    /// The last commit of a range, in hexadecimal.
    pub head: Option<String>,
    /// The address of the remote `origin`, or else the directory; for the review page.
    pub repository: Option<BString>,
    /// The branch; `None` for a detached HEAD.
    pub branch: Option<BString>,
    /// The commit that the changes revert exactly, in hexadecimal, if the verdict depends on that.
    pub reverts: Option<String>,
}

/// A design in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DesignUsed {
    /// The path in the repository.
    #[serde(serialize_with = "json::path")]
    pub path: BString,
    /// The version: `HEAD`, `work tree` or a commit in hexadecimal.
    pub from: String,
    /// What selected it, such as `--lld` or `branch name`.
    pub selected_by: String,
    /// The number of its grants.
    pub grants: usize,
}

/// One judged change. Serialized, it is the change of the JSON report.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct JudgedChange {
    /// The path.
    #[serde(serialize_with = "json::path")]
    pub path: BString,
    /// The old path of a renamed file.
    #[serde(serialize_with = "json::optional_path")]
    pub from: Option<BString>,
    /// `add`, `modify`, `delete` or `type-change`.
    pub action: &'static str,
    /// `NEW`, `MODIFY`, `REPLACE` or `DELETE`.
    pub class: &'static str,
    /// Lines before; `None` without an old version, for binary content or a submodule, and where only the findings were
    /// asked for.
    pub original_lines: Option<usize>,
    /// Lines after; `None` likewise.
    pub new_lines: Option<usize>,
    /// The lost share of the old lines, 0 to 1; `None` likewise.
    pub lost_share: Option<f64>,
    /// Whether the lines changed and the words stayed, as after a formatter.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reformatted: bool,
    /// The files of the same change that gained lines of this one, with their number.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "moved_lines")]
    pub moved_to: Vec<(BString, usize)>,
    /// Whether an approval covers exactly this change.
    pub approved: bool,
    /// The unified preview, for people.
    #[serde(skip)]
    pub preview: Option<String>,
    /// The lost content, for people.
    #[serde(skip)]
    pub deleted: Option<String>,
}

fn moved_lines<S: Serializer>(
    moved: &[(BString, usize)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct MovedLines<'a> {
        #[serde(serialize_with = "json::path")]
        path: &'a BString,
        lines: usize,
    }
    serializer.collect_seq(moved.iter().map(|(path, lines)| MovedLines {
        path,
        lines: *lines,
    }))
}

named! {
    /// The verdict in one word.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Outcome {
        /// There is no error.
        Accepted = "accepted",
        /// There is at least one error.
        Refused = "refused",
    }
}

/// Counts for the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Notes.
    pub notes: usize,
    /// Judged changes.
    pub changes: usize,
    /// Approved changes.
    pub approved: usize,
}

impl Verdict {
    /// Refused if there is any error.
    pub(crate) fn outcome(&self) -> Outcome {
        if self.counts().errors > 0 {
            Outcome::Refused
        } else {
            Outcome::Accepted
        }
    }

    /// Whether no finding refuses the changes.
    pub fn is_accepted(&self) -> bool {
        self.outcome() == Outcome::Accepted
    }

    /// The counts for the summary.
    pub(crate) fn counts(&self) -> Counts {
        let at = |level| self.findings.iter().filter(|f| f.level == level).count();
        Counts {
            errors: at(Level::Error),
            warnings: at(Level::Warning),
            notes: at(Level::Note),
            changes: self.changes.len(),
            approved: self.changes.iter().filter(|c| c.approved).count(),
        }
    }

    /// 0 for accepted, 1 for refused. A run that could not check has no verdict and exits with 2.
    pub fn exit_code(&self) -> u8 {
        match self.outcome() {
            Outcome::Accepted => 0,
            Outcome::Refused => 1,
        }
    }

    /// The changes in report order: by path.
    pub(crate) fn ordered_changes(&self) -> Vec<&JudgedChange> {
        let mut changes: Vec<_> = self.changes.iter().collect();
        changes.sort_by(|a, b| (&a.path, a.action).cmp(&(&b.path, b.action)));
        changes
    }
}

/// Where the work on a branch stands. An error says why guard cannot tell a part of it.
#[derive(Debug)]
pub struct BranchStatus {
    /// The branch; `None` for a detached HEAD.
    pub branch: Option<BString>,
    /// The designs in force.
    pub designs: Result<Vec<DesignUsed>>,
    /// The rows of the branch's own designs; `None` without such a design.
    pub rows: Result<Option<RowsSoFar>>,
    /// What a commit of the staged changes would say.
    pub commit: Result<Verdict>,
    /// Notes on how guard reached all this, one sentence each.
    pub notes: Vec<String>,
}

/// The rows of a branch's own designs.
#[derive(Debug)]
pub struct RowsSoFar {
    /// The number of those that the work so far changes.
    pub done: usize,
    /// The others.
    pub open: Vec<Grant>,
}

/// The settings with their sources.
#[derive(Debug, Clone, Default)]
pub struct SettingsInForce {
    /// The commit whose `guard.toml` was read, in hexadecimal; `None` if it has none.
    pub commit: Option<String>,
    /// The settings in force.
    pub settings: Settings,
    /// The places of settings in the file.
    pub places: KeyPlaces,
    /// Designs chosen by hand.
    pub designs: Option<ChosenDesigns>,
    /// The environment variables that affect guard and are set, by name.
    pub variables: Vec<(String, String)>,
    /// Notes, one sentence each.
    pub notes: Vec<String>,
}

/// Designs that override those of the settings.
#[derive(Debug, Clone, Serialize)]
pub struct ChosenDesigns {
    /// The files as given.
    pub files: Vec<String>,
    /// The flag, variable or command that chose them.
    #[serde(rename = "from")]
    pub by: String,
}
