//! The result of a judgement, as plain data. The program's `judge` fills it; `report` prints it.

mod answers;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;

use bstr::BString;
use gix_hash::ObjectId;
use serde::Serialize;

pub use answers::{
    BranchStatus, CheckAnswers, CheckResult, ChosenDesigns, PromptPath, PromptSection, Protection,
    RowsSoFar, ScopeGrant, ScopeListing, SettingsInForce,
};

use crate::approve::Approval;
use crate::change::State;
use crate::finding::{Finding, Level, json};
use crate::measure::LineEdit;
use crate::path::escaped;
use crate::scope::Grant;

/// The texts of documents that findings refer to, by path.
pub type Texts = BTreeMap<BString, String>;

/// The result of a judgement: the changes, and a finding for each rule that one of them breaks.
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    /// The source of the changes.
    pub source: Source,
    /// The designs in force.
    pub designs: Vec<DesignUsed>,
    /// The findings, in any order.
    pub findings: Vec<Finding>,
    /// All judged changes, in any order.
    pub changes: Vec<JudgedChange>,
    /// Notes on how guard reached the verdict, one sentence each, for example that it read a design from the work
    /// tree.
    pub notes: Vec<String>,
    /// The documents to quote. If a finding's document is missing here, only its place is shown.
    pub texts: Texts,
    /// The rows that the designs lack, as edits for a reviewer; empty unless asked for.
    pub suggestions: RowSuggestions,
    /// What only the review page and the map show; `None` unless asked for.
    pub review: Option<Box<Review>>,
}

/// Missing rows as edits of the designs in the judged commits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowSuggestions {
    /// The edits, each with its design.
    pub edits: Vec<(BString, LineEdit)>,
    /// The paths that the new rows name.
    pub paths: BTreeSet<BString>,
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
    /// Whether it joins every other design.
    #[serde(skip)]
    pub is_standing: bool,
}

/// One judged change. Serialized, it is the change of the JSON report.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
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
    /// The lost share of the old lines, or of those with content if it is larger, 0 to 1; `None` likewise.
    pub lost_share: Option<f64>,
    /// The share of all old lines, 0 to 1; `None` likewise.
    #[serde(skip)]
    pub lost_of_all: Option<f64>,
    /// Whether the lines changed and the words stayed, as after a formatter.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reformatted: bool,
    /// The files of the same change that gained lines of this one, with their number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moved_to: Vec<MovedTo>,
    /// Whether an approval covers exactly this change.
    pub approved: bool,
    /// The unified preview, for people.
    #[serde(skip)]
    pub preview: Option<String>,
}

/// Another file of the same change that gains lines which a file loses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedTo {
    /// Its path.
    #[serde(serialize_with = "json::path")]
    pub path: BString,
    /// The number of lines.
    pub lines: usize,
}

impl JudgedChange {
    /// The lines that it keeps, loses and adds; `None` if the content is not text or was not counted.
    pub fn lines(&self) -> Option<ChangedLines> {
        if self.original_lines.is_none() && self.new_lines.is_none() {
            return None;
        }
        let old = self.original_lines.unwrap_or(0);
        let new = self.new_lines.unwrap_or(0);
        let share = match self.new_lines {
            None => 1.0,
            Some(_) => self.lost_of_all.unwrap_or(0.0),
        };
        // A share of a number of lines; rounding cannot leave 0..=old.
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss
        )]
        let lost = ((old as f64 * share).round() as usize).min(old);
        let kept = old - lost;
        let added = new.saturating_sub(kept);
        Some(ChangedLines { kept, lost, added })
    }
}

/// Lines that a change keeps, loses and adds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChangedLines {
    /// Those that stay.
    pub kept: usize,
    /// Those that go.
    pub lost: usize,
    /// Those that come.
    pub added: usize,
}

impl ChangedLines {
    /// All lines of both versions.
    pub fn total(self) -> usize {
        self.kept + self.lost + self.added
    }

    /// The lost share in words, rounded down so that a share below a threshold never appears to reach it.
    pub fn lost_percent(self) -> String {
        let percent = (self.lost * 100).checked_div(self.kept + self.lost);
        percent.map_or_else(String::new, |percent| format!(" ({percent} %)"))
    }

    /// Adds those of another change.
    pub fn add(&mut self, other: ChangedLines) {
        self.kept += other.kept;
        self.lost += other.lost;
        self.added += other.added;
    }
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

impl Outcome {
    /// Refused if there is any error.
    pub fn of(findings: &[Finding]) -> Outcome {
        if findings.iter().any(|one| one.level == Level::Error) {
            Outcome::Refused
        } else {
            Outcome::Accepted
        }
    }

    /// 0 for accepted, 1 for refused.
    pub(crate) fn exit_code(self) -> u8 {
        u8::from(self == Outcome::Refused)
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
    pub fn outcome(&self) -> Outcome {
        Outcome::of(&self.findings)
    }

    /// Whether no finding refuses the changes.
    pub fn is_accepted(&self) -> bool {
        self.outcome() == Outcome::Accepted
    }

    /// The counts for the summary.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts {
            changes: self.changes.len(),
            approved: self.changes.iter().filter(|c| c.approved).count(),
            ..Counts::default()
        };
        for finding in &self.findings {
            match finding.level {
                Level::Error => counts.errors += 1,
                Level::Warning => counts.warnings += 1,
                Level::Note => counts.notes += 1,
            }
        }
        counts
    }

    /// 0 for accepted, 1 for refused. A run that could not check has no verdict and exits with 2.
    pub fn exit_code(&self) -> u8 {
        self.outcome().exit_code()
    }

    /// The changes in report order: by path.
    pub fn ordered_changes(&self) -> Vec<&JudgedChange> {
        let mut changes: Vec<_> = self.changes.iter().collect();
        changes.sort_by(|a, b| (&a.path, a.action).cmp(&(&b.path, b.action)));
        changes
    }

    /// The old paths of renamed files: their lines count at the new path.
    pub fn renamed_away(&self) -> HashSet<&BString> {
        let changes = self.changes.iter();
        changes.filter_map(|change| change.from.as_ref()).collect()
    }
}

/// Facts for the review page. A judgement collects them only if asked to.
#[derive(Debug, Clone, Default)]
pub struct Review {
    /// The rows of the designs, in the order of designs and lines.
    pub rows: Vec<ReviewRow>,
    /// The approvals of the judged changes.
    pub approvals: Vec<ReviewApproval>,
    /// The commits of a range, oldest first.
    pub commits: Vec<ReviewCommit>,
}

/// A row of a design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewRow {
    /// What it grants.
    pub grant: Grant,
    /// Whether it grants anything yet.
    pub in_force: bool,
    /// The number of changed paths that it covers.
    pub touched: usize,
    /// The number of those that guard refuses.
    pub refused: usize,
}

/// The states of a path before and after a commit.
pub type StatePair = (Option<State>, Option<State>);

/// Why an approval in a commit message does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalRefusal {
    /// It has no signature, which ranges and CI ask for.
    Unsigned,
    /// The signature does not verify, for this reason.
    BadSignature(String),
    /// The merge base has no list of signers at this path.
    NoSigners(String),
    /// The target branch no longer lists the signer at this path.
    SignerRemoved(String),
    /// It had expired.
    Expired,
    /// The clone is shallow.
    ParentMissing,
    /// It is for another change than that of the commit.
    OtherChange,
    /// This commit used it before.
    Used(ObjectId),
    /// This later commit took the approved change back.
    TakenBack(ObjectId),
}

impl fmt::Display for ApprovalRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApprovalRefusal::Unsigned => f.write_str("it is not signed"),
            ApprovalRefusal::BadSignature(why) => f.write_str(why),
            ApprovalRefusal::NoSigners(file) => {
                write!(f, "the merge base lists no signers in {}", escaped(file))
            }
            ApprovalRefusal::SignerRemoved(file) => {
                let file = escaped(file);
                write!(
                    f,
                    "its signer is no longer listed in {file} on the target branch"
                )
            }
            ApprovalRefusal::Expired => f.write_str("it had expired when the commit was made"),
            ApprovalRefusal::ParentMissing => f.write_str("the parent commit is not in this clone"),
            ApprovalRefusal::OtherChange => {
                f.write_str("the commit does not make the approved change")
            }
            ApprovalRefusal::Used(first) => {
                let first = first.to_hex_with_len(12);
                write!(f, "already used in commit {first}; an approval counts once")
            }
            ApprovalRefusal::TakenBack(commit) => {
                let commit = commit.to_hex_with_len(12);
                write!(f, "commit {commit} took the approved change back")
            }
        }
    }
}

/// An approval in a commit message, and whether it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewApproval {
    /// The approval.
    pub approval: Approval,
    /// The commit.
    pub commit: ObjectId,
    /// The approved step, or why the approval does not count.
    pub verdict: Result<StatePair, ApprovalRefusal>,
}

/// A commit of a range.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReviewCommit {
    /// Its id in hexadecimal.
    pub id: String,
    /// The first line of its message.
    pub subject: BString,
    /// The name of its author.
    pub author: BString,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kept_lost_and_added() {
        let lines = |old, new, share| {
            let change = JudgedChange {
                original_lines: old,
                new_lines: new,
                lost_of_all: share,
                ..JudgedChange::default()
            };
            change
                .lines()
                .map(|lines| (lines.kept, lines.lost, lines.added))
        };
        assert_eq!(lines(Some(120), Some(50), Some(0.75)), Some((30, 90, 20)));
        assert_eq!(lines(None, Some(7), None), Some((0, 0, 7)));
        assert_eq!(lines(Some(7), None, Some(1.0)), Some((0, 7, 0)));
        assert_eq!(lines(None, None, None), None);
        // A rewrite that keeps every word, with lines joined.
        assert_eq!(lines(Some(10), Some(4), Some(0.0)), Some((10, 0, 0)));
    }

    #[test]
    fn lost_share_is_rounded_down() {
        let lines = |kept, lost| ChangedLines {
            kept,
            lost,
            added: 0,
        };
        assert_eq!(lines(101, 100).lost_percent(), " (49 %)");
        assert_eq!(lines(0, 0).lost_percent(), "");
    }
}
