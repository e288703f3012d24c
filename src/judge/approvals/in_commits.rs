//! Reads approvals from commit messages and decides which of them count. Anyone can write such a trailer, so it
//! counts once, in the commit that makes the change, and with the signature of a signer listed at the base.

use std::collections::HashMap;

use gix::ObjectId;
use gix::bstr::BStr;

use super::validity::{Invalidity, StatePair, ValidityCheck};
use crate::approval::{Approval, TRAILER};
use crate::error::Result;
use crate::finding::{Finding, Help};
use crate::git::{Commit, Repository};
use crate::path::escaped;
use crate::policy::settings::Settings;
use crate::rules;
use crate::trailer;

/// The number of invalid trailers to report.
const MAX_NOTES: usize = 3;

/// A trailer and its commit.
struct ApprovalTrailer {
    commit: ObjectId,
    approval: Result<Approval, String>,
}

/// The approvals in a commit message.
fn in_commit(commit: &Commit) -> Vec<ApprovalTrailer> {
    let found = |value: &[u8]| ApprovalTrailer {
        commit: commit.id,
        approval: Approval::from_trailer_value(value).map_err(|error| error.0),
    };
    trailer::values(&commit.trailers, TRAILER)
        .map(found)
        .collect()
}

/// An approval in a commit message, and whether it counts.
pub(in crate::judge) struct CommitApproval {
    pub(in crate::judge) commit: ObjectId,
    pub(in crate::judge) approval: Approval,
    /// The approved step, or why the approval does not count.
    pub(in crate::judge) verdict: Result<StatePair, Invalidity>,
}

impl CommitApproval {
    /// Why it does not count, in words.
    fn refusal(&self) -> Option<String> {
        let who = escaped(&self.approval.who);
        let commit = self.commit.to_hex_with_len(12);
        Some(match self.verdict.as_ref().err()? {
            Invalidity::Unsigned => {
                format!("approved locally by {who}, but unsigned approvals do not count here")
            }
            invalidity => {
                format!("the approval by {who} in commit {commit} does not count: {invalidity}")
            }
        })
    }
}

/// The number of refused approvals to report per path.
const MAX_TOLD: usize = 3;

/// The approvals in the commits of a range.
#[derive(Default)]
pub(in crate::judge) struct CommitApprovals {
    /// In commit order.
    pub(in crate::judge) all: Vec<CommitApproval>,
    /// The positions of each commit's approvals in `all`.
    by_commit: HashMap<ObjectId, Vec<usize>>,
    /// Notes on invalid trailers and on the list of signers.
    pub(in crate::judge) notes: Vec<String>,
}

impl CommitApprovals {
    /// Checks the approvals in the trailers of `commits` against `settings` and the signers at `base`; `known` are
    /// commits that existed before. Without approvals nothing is read.
    ///
    /// # Errors
    /// The list of signers or an object cannot be read.
    pub(in crate::judge) fn judge(
        repo: &Repository,
        commits: &[Commit],
        settings: &Settings,
        base: Option<ObjectId>,
        known: &[ObjectId],
    ) -> Result<CommitApprovals> {
        let found: Vec<ApprovalTrailer> = commits.iter().flat_map(in_commit).collect();
        let approvals = found
            .iter()
            .filter_map(|found| found.approval.as_ref().ok());
        let oldest = approvals.map(|approval| approval.when).min();
        let mut judge = ValidityCheck::new(repo, settings, base, oldest).beside(known);
        let mut approvals = CommitApprovals::default();
        let mut unread = Vec::new();
        for ApprovalTrailer { commit, approval } in found {
            match approval {
                Ok(approval) => {
                    let places = approvals.by_commit.entry(commit).or_default();
                    places.push(approvals.all.len());
                    approvals.all.push(CommitApproval {
                        commit,
                        verdict: judge.judge(commit, &approval)?,
                        approval,
                    });
                }
                Err(why) => unread.push(format!(
                    "commit {}: invalid {TRAILER} trailer: {why}",
                    commit.to_hex_with_len(12)
                )),
            }
        }
        let left_out = unread.len().saturating_sub(MAX_NOTES);
        unread.truncate(MAX_NOTES);
        if left_out > 0 {
            unread.push(format!("{left_out} more {TRAILER} trailers are invalid"));
        }
        approvals.notes = unread;
        approvals.notes.extend(judge.warnings());
        Ok(approvals)
    }

    /// The approvals that count in this commit.
    pub(in crate::judge) fn counted_in(&self, commit: ObjectId) -> Vec<Approval> {
        let counted = self
            .of(Some(commit))
            .filter(|statement| statement.verdict.is_ok());
        counted
            .map(|statement| statement.approval.clone())
            .collect()
    }

    /// Adds to each remaining error why the approvals of its path do not count; considers one commit or all.
    pub(in crate::judge) fn tell(&self, findings: &mut [Finding], commit: Option<ObjectId>) {
        if self.all.is_empty() {
            return;
        }
        let mut refused: HashMap<&BStr, Vec<&CommitApproval>> = HashMap::new();
        for statement in self.of(commit) {
            let path = statement.approval.path.as_ref();
            let same_path = refused.entry(path).or_default();
            if statement.verdict.is_err() && same_path.len() < MAX_TOLD {
                same_path.push(statement);
            }
        }
        for finding in findings {
            let path = finding.path.as_ref().map(|path| BStr::new(path).to_owned());
            let same_path = path
                .as_ref()
                .and_then(|path| refused.get::<BStr>(path.as_ref()));
            if !rules::can_be_cleared(finding) {
                continue;
            }
            for statement in same_path.into_iter().flatten() {
                finding.help.extend(statement.refusal().map(Help::from));
                let facts =
                    statement.facts(statement.verdict.as_ref().err().map(Invalidity::to_string));
                finding.details.insert("approval", facts);
            }
        }
    }

    fn of(&self, commit: Option<ObjectId>) -> impl Iterator<Item = &CommitApproval> {
        let (some, all) = match commit {
            Some(commit) => (self.by_commit.get(&commit), [].as_slice()),
            None => (None, self.all.as_slice()),
        };
        let some = some.into_iter().flatten().map(|&at| &self.all[at]);
        some.chain(all)
    }
}

impl CommitApproval {
    /// The approval for JSON; `why_not` says why it does not clear the finding.
    pub(in crate::judge) fn facts(&self, why_not: Option<String>) -> serde_json::Value {
        let mut facts = self.approval.facts();
        facts["counts"] = why_not.is_none().into();
        facts["commit"] = self.commit.to_string().into();
        if let Some(why_not) = why_not {
            facts["why_not"] = why_not.into();
        }
        facts
    }
}
