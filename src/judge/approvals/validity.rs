//! Whether an approval in a commit counts: signed by a signer of the base, in the commit that makes its step, in time,
//! once.

use std::collections::HashMap;
use std::fmt;

use gix::ObjectId;
use gix::bstr::BStr;

use super::spent;
use crate::approval::{Approval, Invalid, Signers};
use crate::change::{Change, State};
use crate::error::{Result, not_built};
use crate::git::{Repository, Tree};
use crate::judge::settings::settings_of;
use crate::path::escaped;
use crate::policy::settings::Settings;

/// The states of a path before and after a commit.
pub(in crate::judge) type StatePair = (Option<State>, Option<State>);

/// Why an approval in a commit does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::judge) enum Invalidity {
    Unsigned,
    NoSigners(String),
    Signature(Invalid),
    /// The target branch no longer accepts it; the list of signers and the tip of that branch.
    Withdrawn(String, ObjectId),
    Expired,
    /// The parent of the commit is not in the clone, so its changes are unknown.
    Shallow,
    /// The commit makes another change.
    OtherStep,
    /// Another commit has already used it.
    Used(ObjectId),
}

impl fmt::Display for Invalidity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Invalidity::Unsigned => f.write_str("it is not signed"),
            Invalidity::NoSigners(file) => {
                write!(f, "the merge base lists no signers in {}", escaped(file))
            }
            Invalidity::Signature(invalid) => invalid.fmt(f),
            Invalidity::Withdrawn(file, tip) => write!(
                f,
                "its signer is no longer listed in {} on the target branch ({})",
                escaped(file),
                tip.to_hex_with_len(12)
            ),
            Invalidity::Expired => f.write_str("it had expired when the commit was made"),
            Invalidity::Shallow => f.write_str("the parent commit is not in this clone"),
            Invalidity::OtherStep => f.write_str("the commit does not make the approved change"),
            Invalidity::Used(commit) => write!(
                f,
                "already used in commit {}; an approval counts once",
                commit.to_hex_with_len(12)
            ),
        }
    }
}

/// Checks approvals one after the other.
pub(in crate::judge) struct ValidityCheck<'a> {
    repo: &'a Repository,
    settings: &'a Settings,
    base: Option<ObjectId>,
    /// When the oldest approval was given.
    oldest: i64,
    /// Read at the first signature; `Some(None)` if there is no list.
    signers: Option<Option<Signers>>,
    /// The same for the `known` commits.
    signers_beside: Option<Vec<(ObjectId, Option<Signers>)>>,
    /// The commit that used each approval, within the checked commits and, once needed, the history of the base.
    used: Option<HashMap<String, ObjectId>>,
    /// Commits that existed before, such as the tip of the target branch.
    known: Vec<ObjectId>,
    /// The commit in their histories that states each approval.
    used_beside: Option<HashMap<String, ObjectId>>,
}

impl<'a> ValidityCheck<'a> {
    /// Uses `settings` and the signers of `base`; `oldest` is when the oldest approval was given.
    pub(in crate::judge) fn new(
        repo: &'a Repository,
        settings: &'a Settings,
        base: Option<ObjectId>,
        oldest: Option<i64>,
    ) -> Self {
        ValidityCheck {
            repo,
            settings,
            base,
            oldest: oldest.unwrap_or(i64::MAX),
            signers: None,
            signers_beside: None,
            used: None,
            known: Vec::new(),
            used_beside: None,
        }
    }

    /// Also checks the tips of target branches. A key must be listed there too, so that a key that was removed, or
    /// listed only for a while, does not count. An approval in their histories is used up unless every tip still has
    /// its result: a branch may contain a commit that the target took over, but not restore what the target reverted.
    pub(in crate::judge) fn beside(mut self, known: &[ObjectId]) -> Self {
        self.known = known.to_vec();
        self.known.retain(|&id| Some(id) != self.base);
        self
    }

    /// The step that the commit makes at the approved path, or why the approval does not count.
    pub(in crate::judge) fn judge(
        &mut self,
        commit: ObjectId,
        approval: &Approval,
    ) -> Result<Result<StatePair, Invalidity>> {
        if !self.accepts_unsigned()?
            && let Some(invalidity) = self.signature(approval)?
        {
            return Ok(Err(invalidity));
        }
        if self.repo.authored(commit)? >= approval.expires {
            return Ok(Err(Invalidity::Expired));
        }
        let Some(step) = step_of(self.repo, commit, approval.path.as_ref())? else {
            return Ok(Err(Invalidity::Shallow));
        };
        let change = Change {
            path: approval.path.clone(),
            old: step.0,
            new: step.1,
            renamed: None,
        };
        if !approval.is_for(&change) {
            return Ok(Err(Invalidity::OtherStep));
        }
        if let Some(&first) = self.used()?.get(&approval.id) {
            return Ok(Err(Invalidity::Used(first)));
        }
        if let Some(first) = self.was_taken_back(approval, step.1)? {
            return Ok(Err(Invalidity::Used(first)));
        }
        self.used()?.insert(approval.id.clone(), commit);
        Ok(Ok(step))
    }

    /// Warnings about the list of signers, if it was read.
    pub(in crate::judge) fn warnings(self) -> Vec<String> {
        let signers = self.signers.flatten();
        signers.map_or_else(Vec::new, |signers| signers.warnings)
    }

    /// The commit that used each approval, by its id.
    pub(in crate::judge) fn used(&mut self) -> Result<&mut HashMap<String, ObjectId>> {
        let known = match self.used.take() {
            Some(known) => known,
            None => spent::in_history(self.repo, self.base.as_slice(), self.oldest)?,
        };
        Ok(self.used.insert(known))
    }

    /// The commit outside the range that used the approval and whose result is gone.
    fn was_taken_back(
        &mut self,
        approval: &Approval,
        result: Option<State>,
    ) -> Result<Option<ObjectId>> {
        if self.known.is_empty() {
            return Ok(None);
        }
        let used = match self.used_beside.take() {
            Some(used) => used,
            None => spent::in_history(self.repo, &self.known, self.oldest)?,
        };
        let Some(&first) = self.used_beside.insert(used).get(&approval.id) else {
            return Ok(None);
        };
        for &known in &self.known {
            let now = self.repo.tree_of(Some(known))?;
            if now.get(approval.path.as_ref())? != result {
                return Ok(Some(first));
            }
        }
        Ok(None)
    }

    /// What is wrong with the signature, if anything.
    pub(in crate::judge) fn signature(
        &mut self,
        approval: &Approval,
    ) -> Result<Option<Invalidity>> {
        let Some(signature) = &approval.signature else {
            return Ok(Some(Invalidity::Unsigned));
        };
        if self.signers.is_none() {
            let base = self.repo.tree_of(self.base)?;
            self.signers = Some(signers(&base, self.settings)?);
        }
        let Some(Some(signers)) = &self.signers else {
            return Ok(Some(Invalidity::NoSigners(self.settings.signers.clone())));
        };
        if let Err(invalid) = approval.verify(signature, signers) {
            if invalid == Invalid::NotBuilt {
                return Err(not_built(
                    "cannot verify the RSA signature of an approval",
                    "rsa",
                ));
            }
            return Ok(Some(Invalidity::Signature(invalid)));
        }
        let beside = match self.signers_beside.take() {
            Some(beside) => beside,
            None => self.lists_beside()?,
        };
        let refuses = |(_, signers): &&(ObjectId, Option<Signers>)| {
            let listed = signers.as_ref();
            listed.is_none_or(|signers| approval.verify(signature, signers).is_err())
        };
        let withdrawn = self.signers_beside.insert(beside).iter().find(refuses);
        Ok(withdrawn.map(|&(tip, _)| Invalidity::Withdrawn(self.settings.signers.clone(), tip)))
    }

    /// Whether the settings accept unsigned approvals, both at the base and on the target branch.
    fn accepts_unsigned(&self) -> Result<bool> {
        if !self.settings.accept_unsigned {
            return Ok(false);
        }
        for &tip in &self.known {
            let now = settings_of(self.repo, Some(tip))?;
            if !now.is_some_and(|now| now.is_ok_and(|now| now.accept_unsigned)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn lists_beside(&self) -> Result<Vec<(ObjectId, Option<Signers>)>> {
        let list = |&tip: &ObjectId| {
            let tree = self.repo.tree_of(Some(tip))?;
            Ok((tip, signers(&tree, self.settings)?))
        };
        self.known.iter().map(list).collect()
    }
}

/// The signers that a tree lists; `None` if it has no list.
///
/// # Errors
/// A line of the list cannot be read, or the tree cannot.
fn signers(tree: &Tree<'_>, settings: &Settings) -> Result<Option<Signers>> {
    let file = &settings.signers;
    let text = tree.read(BStr::new(file))?;
    text.map(|text| Signers::parse(file, &text)).transpose()
}

/// The step of a commit at a path relative to its first parent; `None` if the parent is missing.
fn step_of(repo: &Repository, commit: ObjectId, path: &BStr) -> Result<Option<StatePair>> {
    let recorded = repo.objects().recorded(commit)?;
    let parent = recorded.parents.first().copied();
    if parent.is_some_and(|parent| !repo.has(parent)) {
        return Ok(None);
    }
    let old = repo.tree_of(parent)?.get(path)?;
    let new = repo.tree_of(Some(commit))?.get(path)?;
    Ok(Some((old, new)))
}
