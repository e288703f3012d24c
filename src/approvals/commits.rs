//! The approvals in commit messages, and which of them count. Anyone can write such a trailer, so it counts once, in
//! the commit that makes the change, in time, and with the signature of a signer who is listed at the base and, still,
//! on the target branch.

use std::collections::{HashMap, HashSet, VecDeque};

use gix::ObjectId;
use gix::bstr::BStr;

use super::ssh_keygen::SshKeygen;
use crate::files::Log;
use crate::judge::{JudgementFacts, settings_of};
use write_guard_policy::approve::{Approval, TRAILER};
use write_guard_policy::change::{Change, State};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Finding;
use write_guard_policy::measure::{self, Class};
use write_guard_policy::path::escaped;
use write_guard_policy::rules;
use write_guard_policy::scope::settings::Settings;
use write_guard_policy::trailer;
use write_guard_policy::verdict::{ApprovalRefusal, ReviewApproval, StatePair};
use write_guard_repo::{Repository, repeated_by_rebase};

/// The number of invalid trailers, and of refused approvals of one path, to report.
const MAX_TOLD: usize = 3;
/// Clocks differ, so a commit may claim to be older than its approval.
const SLACK: i64 = 86_400;
/// The nearest commits are searched for used approvals regardless of their date.
const NEAR: usize = 2_000;
/// That search stops after this many commits.
const MAX_COMMITS: usize = 100_000;

/// The approvals in the commits of a range.
#[derive(Default)]
pub(crate) struct CommitApprovals {
    /// In commit order.
    pub(crate) all: Vec<ReviewApproval>,
    /// Notes on invalid trailers.
    pub(crate) notes: Vec<String>,
}

impl CommitApprovals {
    /// Checks the approvals in the trailers of the commits against `settings` and the signers at the base. Without
    /// approvals nothing is read.
    ///
    /// # Errors
    /// An object cannot be read, or there is no `ssh-keygen` to verify a signature.
    pub(crate) fn judge(
        facts: &JudgementFacts<'_>,
        settings: &Settings,
    ) -> Result<CommitApprovals> {
        let repo = facts.repo;
        let base = facts.base.commit;
        let mut commits = facts.commits.iter();
        if !commits.any(|one| trailer::values(&one.trailers, TRAILER).next().is_some()) {
            return Ok(CommitApprovals::default());
        }
        let lists = SignerLists::new(repo, settings, base, facts.known)?;
        let mut all = Vec::new();
        let mut notes = Vec::new();
        for commit in facts.commits {
            for value in trailer::values(&commit.trailers, TRAILER) {
                let approval = match Approval::from_trailer_value(value) {
                    Ok(approval) => approval,
                    Err(why) => {
                        let id = commit.id.to_hex_with_len(12);
                        notes.push(format!("commit {id}: invalid {TRAILER} trailer: {why}"));
                        continue;
                    }
                };
                all.push(ReviewApproval {
                    verdict: match lists.refusal(&approval)? {
                        Some(why) => Err(why),
                        None => step(repo, commit.id, &approval)?,
                    },
                    commit: commit.id,
                    approval,
                });
            }
        }
        notes.truncate(MAX_TOLD);
        refuse_used(facts, &mut all)?;
        refuse_taken_back(facts, settings, &mut all)?;
        Ok(CommitApprovals { all, notes })
    }

    /// The approvals that count in this commit.
    pub(crate) fn counted_in(&self, commit: ObjectId) -> Vec<Approval> {
        // What a later commit took back was approved all the same.
        let counts = |one: &&ReviewApproval| {
            matches!(one.verdict, Ok(_) | Err(ApprovalRefusal::TakenBack(_)))
        };
        let counted = self.all.iter().filter(counts);
        let counted = counted.filter(|one| one.commit == commit);
        counted.map(|one| one.approval.clone()).collect()
    }

    /// Adds to each remaining error why the approvals of its path do not count; considers one commit or all.
    pub(crate) fn tell(&self, findings: &mut [Finding], commit: Option<ObjectId>) {
        for finding in findings.iter_mut().filter(|one| rules::can_be_cleared(one)) {
            let is_about = |one: &&ReviewApproval| {
                commit.is_none_or(|commit| one.commit == commit)
                    && finding.path.as_ref() == Some(&one.approval.path)
            };
            let refused = self.all.iter().filter(is_about);
            let refused = refused.filter_map(|one| Some((one, one.verdict.as_ref().err()?)));
            for (one, why) in refused.take(MAX_TOLD).collect::<Vec<_>>() {
                let line = if *why == ApprovalRefusal::Unsigned {
                    finding.unsigned = Some((one.approval.id.clone(), one.commit));
                    format!(
                        "approved locally by {}, but unsigned approvals do not count here",
                        escaped(&one.approval.who)
                    )
                } else {
                    format!("{} does not count: {why}", named(one))
                };
                finding.help.push(line.into());
                let facts = facts_of(one, Some(why.to_string()));
                finding.details.insert("approval", facts);
            }
        }
    }
}

/// The approvals that commits have used which a rebase now repeats. They count for the same changes: a rebase moves the
/// commits.
///
/// # Errors
/// A commit or the log cannot be read.
pub(super) fn repeated(repo: &Repository) -> Result<Vec<Approval>> {
    let mut all = Vec::new();
    for id in repeated_by_rebase(repo)? {
        let commit = repo.commit(id)?;
        for value in trailer::values(&commit.trailers, TRAILER) {
            if let Ok(approval) = Approval::from_trailer_value(value)
                && is_given(repo, &approval.id, id)?
            {
                all.push(approval);
            }
        }
    }
    Ok(all)
}

/// Whether a commit makes the change that an approval in its message is for, and the log says that a person gave it: a
/// trailer alone proves nothing.
///
/// # Errors
/// A commit or the log cannot be read.
pub(crate) fn is_given(repo: &Repository, id: &str, commit: ObjectId) -> Result<bool> {
    let read = repo.commit(commit)?;
    let mut stated = trailer::values(&read.trailers, TRAILER)
        .filter_map(|value| Approval::from_trailer_value(value).ok());
    let Some(approval) = stated.find(|approval| approval.id == id) else {
        return Ok(false);
    };
    if step(repo, commit, &approval)?.is_err() {
        return Ok(false);
    }
    let mut is_given = false;
    let log = Log::of(repo).decisions(|record| {
        let facts = approval.to_json();
        let same = |key: &str| record.facts.get(key) == facts.get(key);
        let is_it = record.event() == "approved" && record.text("id") == id;
        is_given = is_it && ["path", "old", "new"].into_iter().all(same);
        is_it
    });
    log.map_err(|error| Error::new(format!("the log cannot be read: {error}")))?;
    Ok(is_given)
}

/// An approval for JSON; `why_not` says why it does not clear the finding.
pub(crate) fn facts_of(one: &ReviewApproval, why_not: Option<String>) -> serde_json::Value {
    let mut facts = one.approval.facts();
    facts["counts"] = why_not.is_none().into();
    facts["commit"] = one.commit.to_string().into();
    if let Some(why_not) = why_not {
        facts["why_not"] = why_not.into();
    }
    facts
}

/// An approval as messages name it.
pub(crate) fn named(one: &ReviewApproval) -> String {
    let who = escaped(&one.approval.who);
    let commit = one.commit.to_hex_with_len(12);
    format!("the approval by {who} in commit {commit}")
}

/// The step that the commit makes at the approved path against its first parent, or why it is not the approved one.
fn step(
    repo: &Repository,
    commit: ObjectId,
    approval: &Approval,
) -> Result<Result<StatePair, ApprovalRefusal>> {
    if repo.headline(commit)?.authored >= approval.expires {
        return Ok(Err(ApprovalRefusal::Expired));
    }
    let parent = repo.commit(commit)?.parents.first().copied();
    if parent.is_some_and(|parent| !repo.has(parent)) {
        return Ok(Err(ApprovalRefusal::ParentMissing));
    }
    let path: &BStr = approval.path.as_ref();
    let (old, new) = (
        repo.tree_of(parent)?.get(path)?,
        repo.tree_of(Some(commit))?.get(path)?,
    );
    let change = Change::new(path, old, new);
    Ok(if approval.is_for(&change) {
        Ok((old, new))
    } else {
        Err(ApprovalRefusal::OtherChange)
    })
}

/// Refuses approvals that an earlier commit has used: one of the range, or of the history of its base or of a target
/// branch.
fn refuse_used(facts: &JudgementFacts<'_>, all: &mut [ReviewApproval]) -> Result<()> {
    let counted = all.iter().filter(|one| one.verdict.is_ok());
    let Some(oldest) = counted.map(|one| one.approval.when).min() else {
        return Ok(());
    };
    let base = facts.base.commit;
    let earlier: Vec<ObjectId> = base.iter().chain(facts.known).copied().collect();
    let mut used = used_in(facts.repo, &earlier, oldest)?;
    for one in all.iter_mut().filter(|one| one.verdict.is_ok()) {
        if let Some(first) = used.get(&one.approval.id) {
            one.verdict = Err(ApprovalRefusal::Used(*first));
        } else {
            used.insert(one.approval.id.clone(), one.commit);
        }
    }
    Ok(())
}

/// Ends approvals whose change a later commit of the range takes back: the old version is there again, or most of it.
fn refuse_taken_back(
    facts: &JudgementFacts<'_>,
    settings: &Settings,
    all: &mut [ReviewApproval],
) -> Result<()> {
    let repo = facts.repo;
    let objects = facts.repo.objects();
    let destroys = |old: Option<State>, new: Option<State>| -> Result<bool> {
        let (before, after) = objects.both(old, new)?;
        let measured = measure::measure(
            old.map(|state| (state.kind, before.as_slice())),
            new.map(|state| (state.kind, after.as_slice())),
            &settings.thresholds,
        );
        Ok(measured.destroys() || measured.class == Class::Delete)
    };
    for one in all {
        let Ok((old, new)) = one.verdict else {
            continue;
        };
        let path: &BStr = one.approval.path.as_ref();
        let is_loss = destroys(old, new)?;
        let mut later = HashSet::from([one.commit]);
        let mut last = new;
        // A commit comes after its parents.
        for commit in facts.commits {
            if !commit.parents.iter().any(|parent| later.contains(parent)) {
                continue;
            }
            later.insert(commit.id);
            let now = repo.tree_of(Some(commit.id))?.get(path)?;
            if now == last || now == new {
                continue;
            }
            last = now;
            if now == old || is_loss && !destroys(old, now)? {
                one.verdict = Err(ApprovalRefusal::TakenBack(commit.id));
                break;
            }
        }
    }
    Ok(())
}

/// Maps approval ids to the nearest commit that states them, among `from` and its ancestors: the nearest ones, and
/// those not older than `since` (seconds since 1970). Commits missing from a shallow clone are not seen.
fn used_in(repo: &Repository, from: &[ObjectId], since: i64) -> Result<HashMap<String, ObjectId>> {
    let mut used = HashMap::new();
    let mut seen: HashSet<ObjectId> = from.iter().copied().collect();
    let mut open: VecDeque<ObjectId> = from.iter().copied().collect();
    while let Some(id) = open.pop_front() {
        let commit = repo.commit(id)?;
        for value in trailer::anywhere(&repo.message(id)?, TRAILER) {
            if let Ok(approval) = Approval::from_trailer_value(value) {
                used.entry(approval.id).or_insert(id);
            }
        }
        let is_old = commit.time.saturating_add(SLACK) < since;
        if is_old && seen.len() > NEAR || seen.len() > MAX_COMMITS {
            continue;
        }
        for parent in commit.parents {
            if repo.has(parent) && seen.insert(parent) {
                open.push_back(parent);
            }
        }
    }
    Ok(used)
}

/// The lists of signers by which approvals are verified.
struct SignerLists {
    file: String,
    /// Whether approvals need no signature.
    accept_unsigned: bool,
    /// The list of the base, then those of the tips of target branches.
    lists: Vec<Option<Vec<u8>>>,
}

impl SignerLists {
    /// The lists of `base` and of `tips`, in the file that `settings` name. A key must be listed in all of them, so that
    /// one that was removed, or listed only for a while, does not count; nor do unsigned approvals unless all accept
    /// them.
    fn new(
        repo: &Repository,
        settings: &Settings,
        base: Option<ObjectId>,
        tips: &[ObjectId],
    ) -> Result<SignerLists> {
        let list = |commit| repo.tree_of(commit)?.read(BStr::new(&settings.signers));
        let mut accept_unsigned = settings.accept_unsigned;
        let mut lists = vec![list(base)?];
        for &tip in tips {
            lists.push(list(Some(tip))?);
            if accept_unsigned {
                let now = settings_of(repo, Some(tip))?;
                accept_unsigned = now.is_some_and(|now| now.is_ok_and(|now| now.accept_unsigned));
            }
        }
        lists.dedup();
        Ok(SignerLists {
            file: settings.signers.clone(),
            accept_unsigned,
            lists,
        })
    }

    /// Why the approval does not count by these lists, if it does not.
    ///
    /// # Errors
    /// There is a signature to verify, but no `ssh-keygen`.
    fn refusal(&self, approval: &Approval) -> Result<Option<ApprovalRefusal>> {
        if self.accept_unsigned {
            return Ok(None);
        }
        if approval.signature.is_none() {
            return Ok(Some(ApprovalRefusal::Unsigned));
        }
        let keygen = || {
            SshKeygen::find().map_err(|error| Error {
                message: format!(
                    "cannot verify the signature of an approval: {}",
                    error.message
                ),
                ..error
            })
        };
        for (at, list) in self.lists.iter().enumerate() {
            let why = match list {
                None => Some(ApprovalRefusal::NoSigners(self.file.clone())),
                Some(list) => {
                    let verified = keygen()?.verify(approval, &self.file, list)?;
                    verified.err().map(ApprovalRefusal::BadSignature)
                }
            };
            if at > 0 && why.is_some() {
                return Ok(Some(ApprovalRefusal::SignerRemoved(self.file.clone())));
            } else if why.is_some() {
                return Ok(why);
            }
        }
        Ok(None)
    }
}
