//! What the review page shows beyond findings and changes.

use std::collections::HashMap;

use gix::bstr::BString;

use crate::approve::Approval;
use crate::design::Mention;
use crate::scope::Grant;

/// Facts for the review page. A judgement collects them only if asked to.
#[derive(Debug, Clone, Default)]
pub struct Review {
    /// The rows of the designs, in the order of designs and lines.
    pub rows: Vec<ReviewRow>,
    /// Rows that name a path without granting it, such as `Exists`.
    pub mentions: Vec<Mention>,
    /// The unified previews of refused, replaced and deleted files, longer than those of a report.
    pub hunks: HashMap<BString, String>,
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

/// An approval that came with the changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewApproval {
    /// The approval.
    pub approval: Approval,
    /// The commit whose message contains it, in hexadecimal.
    pub commit: Option<String>,
    /// Why it does not count; `None` if it does.
    pub why_not: Option<String>,
}

/// A commit of a range, judged on its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReviewCommit {
    /// Its id in hexadecimal.
    pub id: String,
    /// The first line of its message.
    pub subject: BString,
    /// The name of its author.
    pub author: BString,
    /// The number of its own changes; `None` if it was not judged.
    pub changes: Option<usize>,
    /// The number of its errors.
    pub errors: usize,
    /// The number of its warnings.
    pub warnings: usize,
    /// What its first errors say.
    pub messages: Vec<String>,
}

impl Review {
    /// Adds what another judgement of the same push collected. A row may then be there twice: the page adds them up.
    pub(crate) fn join(&mut self, other: Review) {
        self.rows.extend(other.rows);
        self.mentions.extend(other.mentions);
        self.hunks.extend(other.hunks);
        self.approvals.extend(other.approvals);
        self.commits.extend(other.commits);
    }
}
