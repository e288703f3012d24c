//! What the review page and the map of the change show beyond findings and changes.

use std::collections::{HashMap, HashSet};

use gix::bstr::BString;

use crate::approval::Approval;
use crate::measure::SideBySide;
use crate::policy::Grant;
use crate::policy::design::Mention;

/// Facts for the review page and the map. A judgement collects them only if asked to.
#[derive(Debug, Clone, Default)]
pub struct Review {
    /// The rows of the designs, in the order of designs and lines.
    pub rows: Vec<ReviewRow>,
    /// Rows that name a path without granting it, such as `Exists`.
    pub mentions: Vec<Mention>,
    /// The narrowest row that covers a changed path, as a position in `rows`.
    pub row_of: HashMap<BString, usize>,
    /// The old and new lines of replaced and deleted files.
    pub contents: HashMap<BString, SideBySide>,
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
    /// Adds what another judgement of the same push collected.
    pub(crate) fn join(&mut self, other: Review) {
        let key = |row: &ReviewRow| {
            let anchor = &row.grant.anchor;
            (
                anchor.path.clone(),
                anchor.span.start,
                row.grant.path.clone(),
            )
        };
        let known = self.rows.iter().enumerate();
        let known: HashMap<_, _> = known.map(|(at, row)| (key(row), at)).collect();
        let mut places = Vec::new();
        for row in other.rows {
            let at = known.get(&key(&row)).copied();
            match at.filter(|&at| self.rows[at].grant == row.grant) {
                Some(at) => {
                    self.rows[at].touched += row.touched;
                    self.rows[at].refused += row.refused;
                    places.push(at);
                }
                None => {
                    places.push(self.rows.len());
                    self.rows.push(row);
                }
            }
        }
        for (path, row) in other.row_of {
            self.row_of.entry(path).or_insert(places[row]);
        }
        let key = |mention: &Mention| (mention.path.clone(), mention.anchor.span.start);
        let known: HashSet<_> = self.mentions.iter().map(key).collect();
        let new = other.mentions.into_iter();
        self.mentions
            .extend(new.filter(|mention| !known.contains(&key(mention))));
        self.contents.extend(other.contents);
        self.approvals.extend(other.approvals);
        self.commits.extend(other.commits);
    }
}
