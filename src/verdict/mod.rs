//! The result of a judgement: plain data. `judge` and `gate` fill it, `report` prints it.

mod check;
mod prompt;
mod scope;
mod settings;

use std::collections::BTreeMap;

use gix::bstr::BString;
use serde::Serialize;

pub use check::{CheckAnswers, CheckResult};
pub use prompt::{PromptPath, PromptSection, Protection};
pub use scope::{ScopeGrant, ScopeListing};
pub use settings::{ChosenDesigns, SettingsInForce};

use crate::finding::{Finding, Level};

/// The texts of the documents that findings point into, by repository-relative path.
pub type Texts = BTreeMap<BString, String>;

/// The result of a judgement: the changes, and a finding for each rule that one of them breaks.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Verdict {
    /// Where the changes came from.
    pub(crate) source: Source,
    /// The designs whose grants were in force.
    pub(crate) designs: Vec<DesignUsed>,
    /// What was found, in any order.
    pub findings: Vec<Finding>,
    /// Every change that was judged, in any order.
    pub changes: Vec<JudgedChange>,
    /// Remarks on how the run came to judge what it judged, one sentence each,
    /// such as a design that was read from the work tree.
    pub notes: Vec<String>,
    /// The documents to quote; a finding whose document is missing here is
    /// shown with its place only.
    pub(crate) texts: Texts,
}

named! {
    /// Where changes come from.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum SourceKind {
        /// The index against its parents.
        #[default]
        Index = "index",
        /// Commits, against a merge base.
        Range = "range",
        /// The work tree against the parents of the next commit, as if everything in it were added.
        WorkTree = "worktree",
        /// Changes in memory, which were asked about.
        Request = "request",
    }
}

/// What was judged, and against what.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// Where the changes came from.
    pub kind: SourceKind,
    /// The commit judged against, in hexadecimal; `None` where there is none yet.
    pub base: Option<String>,
    /// The last commit of a range, in hexadecimal.
    pub head: Option<String>,
    /// The branch; `None` if detached.
    pub branch: Option<BString>,
}

/// A design whose grants were in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesignUsed {
    /// Repository-relative path.
    pub path: BString,
    /// The version read: `HEAD`, `work tree` or a commit in hexadecimal.
    pub from: String,
    /// What chose it, such as `--lld` or `branch name`.
    pub selected_by: String,
    /// How many grants it holds.
    pub grants: usize,
}

/// One change, as it was measured and judged.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct JudgedChange {
    /// The path.
    pub path: BString,
    /// The old path if the change is the new end of a rename.
    pub from: Option<BString>,
    /// `add`, `modify`, `delete`, `type-change`.
    pub action: &'static str,
    /// `NEW`, `MODIFY`, `REPLACE`, `DELETE`.
    pub class: &'static str,
    /// Lines before; `None` where lines mean nothing (no old version, binary, submodule).
    pub original_lines: Option<usize>,
    /// Lines after; `None` as above.
    pub new_lines: Option<usize>,
    /// The share of the old lines that is lost, 0 to 1; `None` as above.
    pub lost_share: Option<f64>,
    /// Whether an approval covers exactly this change.
    pub approved: bool,
    /// The unified preview, for people.
    pub preview: Option<String>,
    /// The content that would be lost, for people.
    pub deleted: Option<String>,
}

named! {
    /// The answer in one word.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Outcome {
        /// No finding at level error.
        Accepted = "accepted",
        /// At least one.
        Refused = "refused",
    }
}

/// How many of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// Findings that refuse.
    pub errors: usize,
    /// Findings worth a look.
    pub warnings: usize,
    /// Findings for information.
    pub notes: usize,
    /// Changes judged.
    pub changes: usize,
    /// Changes that an approval covers.
    pub approved: usize,
}

impl Verdict {
    /// Refused if anything was found at level error.
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

    /// The figures of the summary.
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

    /// 0 for accepted, 1 for refused. A run that could not judge has no
    /// report and exits 2; that is the caller's.
    pub fn exit_code(&self) -> u8 {
        match self.outcome() {
            Outcome::Accepted => 0,
            Outcome::Refused => 1,
        }
    }

    /// The changes in the order in which reports list them: by path.
    pub(crate) fn ordered_changes(&self) -> Vec<&JudgedChange> {
        let mut changes: Vec<_> = self.changes.iter().collect();
        changes.sort_by(|a, b| (&a.path, a.action).cmp(&(&b.path, b.action)));
        changes
    }
}
