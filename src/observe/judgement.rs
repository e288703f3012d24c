//! Judges what happened between two checkpoints: the work tree and the index by the rules for requests, new commits as
//! a range.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use crate::judge::{Options, as_requests, range, settings_of_head};
use write_guard_policy::change::{Change, State};
use write_guard_policy::error::Result;
use write_guard_policy::finding::{Finding, Level, Rule};
use write_guard_policy::rules::{self, at_level};
use write_guard_repo::{
    Blobs, CheckedOut, Checkpoint, CheckpointStore, ObservedChange, Parents, Repository, Tree,
    changes_between, differing, is_in_any, state_of, tree_of_changes,
};

/// What is compared.
pub struct Observed<'a> {
    /// The checkpoints.
    pub store: &'a CheckpointStore<'a>,
    /// What there was before.
    pub before: &'a Checkpoint,
    /// What is there now.
    pub after: &'a Checkpoint,
    /// What there was at the beginning of the session.
    pub first: &'a Checkpoint,
    /// The changes that were reported: their paths may return to what there was before.
    pub reported: &'a [ObservedChange],
}

/// What a difference comes to.
#[derive(Debug, Default)]
pub struct Observation {
    /// The errors.
    pub findings: Vec<Finding>,
    /// The refused files whose content no commit had, before the change.
    pub only_copies: Vec<BString>,
}

impl Observed<'_> {
    /// Judges the difference.
    ///
    /// # Errors
    /// It cannot be judged, for example because there is no design.
    pub fn judge(&self, repo: &Repository, options: &Options) -> Result<Observation> {
        let (before, after) = (self.before, self.after);
        if before == after {
            return Ok(Observation::default());
        }
        let (sized, blobs) = sized_files(repo, before, after)?;
        let checkpoint_repo = self.store.repository(blobs)?;
        let mut found = Observation::default();
        let known = self.known(&checkpoint_repo);
        let judged = ObservedJudge {
            observed: self,
            base: self.base(&checkpoint_repo, &known)?,
            known,
            repo: &checkpoint_repo,
            options,
        };
        // What would keep guard from looking comes first.
        judged.switches(&mut found)?;
        judged.commits(&mut found)?;
        if before.tree != after.tree || !sized.is_empty() {
            judged.files(sized, &mut found)?;
        }
        if before.index != after.index {
            judged.index(&mut found)?;
        }
        let mut seen = HashSet::new();
        found.findings.retain(|finding| {
            let key = (finding.rule, finding.path.clone(), finding.message.clone());
            finding.level == Level::Error && seen.insert(key)
        });
        Ok(found)
    }

    /// The newest commit that was there before and that HEAD has now: its policy judges.
    fn base(&self, repo: &Repository, known: &[ObjectId]) -> Result<Option<ObjectId>> {
        match self.after.head_commit() {
            Some(head) if !known.contains(&head) => {
                let base = repo.history(known, head)?.base;
                Ok(base.or(self.before.head_commit()))
            }
            head => Ok(head),
        }
    }

    /// The commits that are not new: those that a ref had, and those that were fetched.
    fn known(&self, repo: &Repository) -> Vec<ObjectId> {
        let fetched = self.after.refs().filter(|(name, _)| repo.was_fetched(name));
        let refs = self.before.refs().chain(fetched).map(|(_, id)| id);
        let known: BTreeSet<ObjectId> = refs.chain(self.before.head_commit()).collect();
        let known = known.into_iter();
        known.filter(|&id| repo.commit(id).is_ok()).collect()
    }
}

/// The changes of files that are recorded by size and time only, which stand for the content.
fn sized_files(
    repo: &Repository,
    before: &Checkpoint,
    after: &Checkpoint,
) -> Result<(Vec<Change>, Blobs)> {
    let mut blobs = Blobs::new();
    let hash = repo.tree_of(None)?.id().kind();
    let mut state = |size: Option<&String>| {
        let content = size.map(|size| state_of(&mut blobs, hash, size.as_bytes()));
        content.transpose()
    };
    let mut changes = Vec::new();
    for (path, old, new) in differing(&before.sizes, &after.sizes) {
        changes.push(Change::new(path.as_str(), state(old)?, state(new)?));
    }
    Ok((changes, blobs))
}

/// Both lists as one, by path. A file that crosses the limit of size is in both.
fn one_per_path(changes: Vec<Change>, sized: Vec<Change>) -> impl Iterator<Item = Change> {
    let mut by_path: BTreeMap<BString, Change> = BTreeMap::new();
    for change in changes.into_iter().chain(sized) {
        let merged = by_path
            .entry(change.path.clone())
            .or_insert_with(|| Change::new(change.path.as_bstr(), None, None));
        merged.old = merged.old.or(change.old);
        merged.new = merged.new.or(change.new);
    }
    by_path.into_values()
}

struct ObservedJudge<'a> {
    observed: &'a Observed<'a>,
    repo: &'a Repository,
    base: Option<ObjectId>,
    known: Vec<ObjectId>,
    options: &'a Options,
}

impl ObservedJudge<'_> {
    /// The work tree.
    fn files(&self, sized: Vec<Change>, found: &mut Observation) -> Result<()> {
        let observed = self.observed;
        let repo = self.repo;
        let tree = |one: &Checkpoint| repo.tree_in(one);
        let (old, new) = (tree(observed.before), tree(observed.after));
        let changes = changes_between(repo.objects(), old.id(), new.id())?;
        let excuse = Excuses::of(self)?;
        let base = repo.tree_of(self.base)?;
        let was = repo.tree_of(observed.before.head_commit())?;
        let first = tree(observed.first);
        let stashed = repo.stash_in(observed.after);
        let (mut since_head, mut since_before) = (Vec::new(), Vec::new());
        for change in one_per_path(changes, sized) {
            let path: &BStr = change.path.as_ref();
            let committed = base.get(path)?;
            let is_committed = change.old == committed || change.old == was.get(path)?;
            if excuse.head.get(path)? == change.new {
                // What the session found and no commit has must not vanish, unless it is in a stash.
                let is_only_copy = !is_committed && first.get(path)? == change.old;
                if is_only_copy && !is_in_any(&stashed, path, change.old)? {
                    since_before.push(change);
                }
                continue;
            }
            if excuse.covers(path, change.new)? {
                continue;
            }
            if committed != change.new {
                since_head.push(Change {
                    old: committed,
                    ..change.clone()
                });
            }
            // What the session itself made and no commit has may go again.
            let is_own = first.get(path)?.is_none() && committed.is_none();
            if change.old.is_some() && !is_committed && !is_own {
                since_before.push(change);
            }
        }
        // The lost contents, each with whether the file is gone.
        let lost = since_before.iter();
        let lost = lost.map(|change| (change.path.clone(), change.new.is_none()));
        let lost: HashMap<BString, bool> = lost.collect();
        let lost_at = |finding: &Finding| lost.get(finding.path.as_ref()?).copied();
        let mut findings = self.judge(since_head, new.clone())?;
        let of_losses = self.judge(since_before, new)?.into_iter();
        findings.extend(of_losses.filter(|finding| {
            finding.rule == Rule::DestructiveChange || lost_at(finding) == Some(true)
        }));
        for finding in &findings {
            if finding.level == Level::Error && lost_at(finding).is_some() {
                found.only_copies.extend(finding.path.clone());
            }
        }
        found.findings.extend(findings);
        found.only_copies.sort();
        found.only_copies.dedup();
        Ok(())
    }

    /// What is staged and not in the work tree.
    fn index(&self, found: &mut Observation) -> Result<()> {
        let observed = self.observed;
        let repo = self.repo;
        let index = |one| observed.store.index_of(repo, one);
        let (old, new) = (index(observed.before)?, index(observed.after)?);
        let base = repo.tree_of(self.base)?;
        let files = repo.tree_in(observed.after);
        let excuse = Excuses::of(self)?;
        let mut changes = Vec::new();
        for change in new.changes_since(&old)? {
            let (path, is): (&BStr, _) = (change.path.as_ref(), change.new);
            let (head, base) = (excuse.head.get(path)?, base.get(path)?);
            let is_known = [head, base, files.get(path)?].contains(&is);
            if !is_known && !excuse.covers(path, is)? {
                changes.push(Change::new(path, base, is));
            }
        }
        let (objects, staged) = tree_of_changes(repo.objects(), &changes)?;
        let staged = Tree::at(&objects, staged);
        found.findings.extend(self.judge(changes, staged)?);
        Ok(())
    }

    /// The findings on changes, by the rules for requests.
    fn judge(&self, changes: Vec<Change>, result: Tree<'_>) -> Result<Vec<Finding>> {
        as_requests(self.repo, self.base, changes, result, self.options)
    }

    /// The new commits, by the rules for ranges.
    fn commits(&self, found: &mut Observation) -> Result<()> {
        let observed = self.observed;
        let before: HashMap<&str, ObjectId> = observed.before.refs().collect();
        let heads = observed.after.refs();
        let heads = heads
            .filter_map(|(name, tip)| Some((Some((name, name.strip_prefix("refs/heads/")?)), tip)));
        let head = observed.after.head_commit().map(|tip| (None, tip));
        let known = self.known.iter().chain(before.values());
        let mut seen: HashSet<ObjectId> = known.copied().collect();
        for (name, tip) in heads.chain(head) {
            if !seen.insert(tip) {
                continue;
            }
            let mut new_range = self.repo.history(&self.known, tip)?;
            if new_range.commits.is_empty() {
                continue;
            }
            // A merge takes over what its parents had.
            let bases = new_range.base.iter().chain(&new_range.other_bases);
            new_range.known = bases.copied().collect();
            new_range.branch = match name {
                Some((_, branch)) => Some(branch.into()),
                None => self.repo.branch()?.map(|branch| branch.name),
            };
            let old = name.and_then(|(name, _)| before.get(name).copied());
            let old = self.repo.tree_of(old.or(observed.before.head_commit()))?;
            let new = self.repo.tree_of(Some(tip))?;
            for mut finding in range(self.repo, &new_range, self.options)?.findings {
                let is_old = match &finding.path {
                    Some(path) => old.get(path.as_ref())? == new.get(path.as_ref())?,
                    None => false,
                };
                // A person approved it here; only CI asks for the signature.
                if is_old || finding.lacks_signature {
                    continue;
                }
                finding.message =
                    format!("commit {}: {}", tip.to_hex_with_len(12), finding.message);
                found.findings.push(finding);
            }
        }
        Ok(())
    }

    /// The files that say which hooks run and what git ignores.
    fn switches(&self, found: &mut Observation) -> Result<()> {
        let Observed { store, after, .. } = self.observed;
        let changed = store.changed_switches(self.observed.before, after)?;
        if changed.is_empty() {
            return Ok(());
        }
        let returned = store.changed_switches(self.observed.first, after)?;
        let settings = settings_of_head(self.repo).unwrap_or_default();
        for (path, what) in changed.into_iter().filter(|one| returned.contains(one)) {
            let inside = path.strip_prefix(self.repo.workdir()?).unwrap_or(&path);
            let name = BString::from(inside.to_string_lossy().as_ref());
            let finding = rules::switch_changed(name.as_ref(), &what);
            found.findings.extend(at_level(&settings, finding));
        }
        Ok(())
    }
}

/// Where content comes from that is nobody's new work.
struct Excuses<'a> {
    index: CheckedOut<'a>,
    head: Tree<'a>,
    /// The tree at the beginning of the session.
    first: Tree<'a>,
    /// What a stash or another parent of a merge had.
    others: Vec<Tree<'a>>,
    /// What there was before each reported change, with its paths.
    reported: Vec<(Tree<'a>, &'a [String])>,
}

impl<'a> Excuses<'a> {
    fn of(judged: &'a ObservedJudge<'a>) -> Result<Excuses<'a>> {
        let (observed, repo) = (judged.observed, judged.repo);
        let mut others = repo.stash_in(observed.first);
        for merged in Parents::of_next_commit(repo, false)?.merged {
            if judged.known.contains(&merged) {
                others.push(repo.tree_of(Some(merged))?);
            }
        }
        let reported = observed.reported.iter();
        let reported =
            reported.map(|change| (repo.tree_in(&change.before), change.paths.as_slice()));
        Ok(Excuses {
            index: CheckedOut::of(repo)?,
            head: repo.tree_of(observed.after.head_commit())?,
            first: repo.tree_in(observed.first),
            others,
            reported: reported.collect(),
        })
    }

    fn covers(&self, path: &BStr, new: Option<State>) -> Result<bool> {
        // That a stash or another parent lacks a file is no reason for it to go.
        let mut is_covered = self.first.get(path)? == new
            || new.is_some() && is_in_any(&self.others, path, new)?
            || self.index.is_as_in(path, self.head.get(path)?);
        for (before, paths) in &self.reported {
            let is_reported = paths.iter().any(|known| path == known.as_str());
            is_covered |= is_reported && before.get(path)? == new;
        }
        Ok(is_covered)
    }
}
