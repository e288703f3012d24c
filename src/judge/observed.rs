//! Judges what happened between two checkpoints: the work tree and the index by the rules for requests, new commits as
//! a range.

use std::collections::{BTreeMap, HashMap, HashSet};

use gix::ObjectId;
use gix::bstr::{BStr, BString};

use super::facts::JudgementFacts;
use super::{Options, pipeline, range, settings_of_head};
use crate::change::{Change, State};
use crate::error::Result;
use crate::finding::{Finding, Level, Rule};
use crate::git::{
    Blobs, CheckedOut, Checkpoint, CheckpointStore, Parents, Range, Repository, Tree,
    changes_between, differing, is_in_any, tree_of_changes,
};
use crate::policy::Stage;
use crate::rules::{self, Access, at_level};

/// What is compared.
pub struct Observed<'a> {
    /// The checkpoints.
    pub store: &'a CheckpointStore,
    /// What there was before.
    pub before: &'a Checkpoint,
    /// What is there now.
    pub after: &'a Checkpoint,
    /// What there was at the beginning of the session.
    pub first: &'a Checkpoint,
    /// What there was before each change that was reported, with the paths of the report: they may return to that.
    pub reported: &'a [(Checkpoint, Vec<String>)],
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
        let sized = SizedFiles::of(repo, before, after);
        let both = self.store.repository(sized.blobs.clone())?;
        let mut found = Observation::default();
        let is_same = before.tree() == after.tree() && sized.changes.is_empty();
        let known = self.known(&both);
        let judged = ObservedJudge {
            observed: self,
            base: self.base(&both, &known)?,
            known,
            repo: &both,
            options,
        };
        // What would keep guard from looking comes first.
        judged.switches(&mut found)?;
        judged.commits(&mut found)?;
        if !is_same {
            judged.files(sized.changes, &mut found)?;
        }
        if before.has_other_index(after) {
            judged.index(&mut found)?;
        }
        let mut known = HashSet::new();
        found.findings.retain(|finding| {
            let key = (finding.rule, finding.path.clone(), finding.message.clone());
            finding.level == Level::Error && known.insert(key)
        });
        Ok(found)
    }

    /// The newest commit that was there before and that HEAD has now: its policy judges.
    fn base(&self, repo: &Repository, known: &[ObjectId]) -> Result<Option<ObjectId>> {
        let Some(head) = self.after.head_commit() else {
            return Ok(None);
        };
        if known.contains(&head) {
            return Ok(Some(head));
        }
        let history = repo.history(known, head)?;
        Ok(history.bases.first().copied().or(self.before.head_commit()))
    }

    /// The commits that are not new: those that a ref had, and those that were fetched.
    fn known(&self, repo: &Repository) -> Vec<ObjectId> {
        let fetched = self.after.refs().filter(|(name, _)| repo.was_fetched(name));
        let refs = self.before.refs().chain(fetched).map(|(_, id)| id);
        let mut known: Vec<ObjectId> = refs.chain(self.before.head_commit()).collect();
        known.sort();
        known.dedup();
        known.retain(|&id| repo.commit(id).is_ok());
        known
    }
}

/// Files that are recorded by size and time only.
struct SizedFiles {
    changes: Vec<Change>,
    blobs: Blobs,
}

impl SizedFiles {
    fn of(repo: &Repository, before: &Checkpoint, after: &Checkpoint) -> SizedFiles {
        let mut blobs = Blobs::new();
        let mut states = |one: &Checkpoint| -> BTreeMap<BString, State> {
            let mut states = BTreeMap::new();
            for (path, state, text) in one.sized(repo) {
                blobs.insert(state.id, text.into_bytes());
                states.insert(path, state);
            }
            states
        };
        let (old, new) = (states(before), states(after));
        let changes = differing(&old, &new)
            .map(|(path, old, new)| Change::new(path.clone(), old.copied(), new.copied()));
        SizedFiles {
            changes: changes.collect(),
            blobs,
        }
    }
}

struct ObservedJudge<'a> {
    observed: &'a Observed<'a>,
    repo: &'a Repository,
    base: Option<ObjectId>,
    known: Vec<ObjectId>,
    options: &'a Options,
}

impl ObservedJudge<'_> {
    fn tree(&self, one: &Checkpoint) -> Tree<'_> {
        self.repo.tree_in(one)
    }

    /// The work tree.
    fn files(&self, sized: Vec<Change>, found: &mut Observation) -> Result<()> {
        let observed = self.observed;
        let repo = self.repo;
        let objects = repo.objects();
        let (old, new) = (self.tree(observed.before), self.tree(observed.after));
        let mut differences = changes_between(objects, old.id(), new.id())?;
        // A file that crosses the limit is in both lists.
        for change in sized {
            match differences.iter_mut().find(|one| one.path == change.path) {
                Some(known) => {
                    known.old = known.old.or(change.old);
                    known.new = known.new.or(change.new);
                }
                None => differences.push(change),
            }
        }
        differences.sort_by(|a, b| a.path.cmp(&b.path));
        let excuse = Excuses::of(self)?;
        let head = repo.tree_of(observed.after.head_commit())?;
        let base = repo.tree_of(self.base)?;
        let was = repo.tree_of(observed.before.head_commit())?;
        let first = self.tree(observed.first);
        let stashed = observed.after.stash();
        let stashed: Vec<Tree<'_>> = stashed
            .filter_map(|id| repo.tree_of(Some(id)).ok())
            .collect();
        let (mut since_head, mut since_before) = (Vec::new(), Vec::new());
        for change in differences {
            let path: &BStr = change.path.as_ref();
            let committed = base.get(path)?;
            let is_committed = change.old == committed || change.old == was.get(path)?;
            if head.get(path)? == change.new {
                // What the session found and no commit has must not vanish, unless it is in a stash.
                let is_only_copy = !is_committed && first.get(path)? == change.old;
                if is_only_copy && !is_in_any(&stashed, path, change.old)? {
                    since_before.push(change);
                }
                continue;
            }
            if excuse.covers(path, change.new, head.get(path)?)? {
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
        let of_requests = self.judge(since_head, new.clone())?;
        let mut of_losses = self.judge(since_before, new)?;
        of_losses.retain(|finding| {
            finding.rule == Rule::DestructiveChange || lost_at(finding) == Some(true)
        });
        let all = of_requests.into_iter().chain(of_losses);
        for finding in all.filter(|finding| finding.level == Level::Error) {
            let only_copy = finding.path.clone().filter(|_| lost_at(&finding).is_some());
            found.only_copies.extend(only_copy);
            found.findings.push(finding);
        }
        found.only_copies.sort();
        found.only_copies.dedup();
        Ok(())
    }

    /// What is staged and not in the work tree.
    fn index(&self, found: &mut Observation) -> Result<()> {
        let observed = self.observed;
        let staged = |one| observed.store.staged(self.repo, one);
        let (old, new) = (staged(observed.before)?, staged(observed.after)?);
        let (head, base) = (
            self.repo.tree_of(observed.after.head_commit())?,
            self.repo.tree_of(self.base)?,
        );
        let files = self.tree(observed.after);
        let excuse = Excuses::of(self)?;
        let mut changes = Vec::new();
        for (path, _, is) in differing(&old, &new) {
            let (name, is): (&BStr, _) = (path.as_ref(), is.copied());
            let committed = base.get(name)?;
            let is_known = is == head.get(name)?
                || is == committed
                || is == files.get(name)?
                || excuse.covers(name, is, head.get(name)?)?;
            if !is_known {
                changes.push(Change::new(name, committed, is));
            }
        }
        let (objects, staged) = tree_of_changes(self.repo.objects(), &changes)?;
        let staged = Tree::at(&objects, staged);
        found.findings.extend(self.judge(changes, staged)?);
        Ok(())
    }

    /// The findings on changes, by the rules for requests.
    fn judge(&self, changes: Vec<Change>, result: Tree<'_>) -> Result<Vec<Finding>> {
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        let paths: Vec<BString> = changes.iter().map(|change| change.path.clone()).collect();
        let facts = JudgementFacts {
            changes,
            ..JudgementFacts::new(self.repo, Stage::Request, self.base, result)?
        };
        let judged = pipeline::judge(facts, self.options)?;
        let mut findings = judged.findings;
        for path in paths {
            findings.extend(rules::check_request(
                &judged.policy.settings,
                path.as_ref(),
                Access::Write,
            ));
        }
        Ok(findings)
    }

    /// The new commits, by the rules for ranges.
    fn commits(&self, found: &mut Observation) -> Result<()> {
        let observed = self.observed;
        let heads = observed
            .after
            .refs()
            .filter(|(name, _)| name.starts_with("refs/heads/"));
        let before: HashMap<&str, ObjectId> = observed.before.refs().collect();
        let mut tips: Vec<(Option<&str>, ObjectId)> = heads
            .filter(|(name, tip)| before.get(name) != Some(tip))
            .map(|(name, tip)| (Some(name), tip))
            .collect();
        tips.extend(observed.after.head_commit().map(|tip| (None, tip)));
        tips.retain(|(_, tip)| !self.known.contains(tip));
        let mut seen = HashSet::new();
        for (name, tip) in tips {
            if !seen.insert(tip) {
                continue;
            }
            let new_range = Range::of(self.repo.history(&self.known, tip)?, tip);
            let old = name.and_then(|name| before.get(name).copied());
            let old = self.repo.tree_of(old.or(observed.before.head_commit()))?;
            let new = self.repo.tree_of(Some(tip))?;
            if new_range.commits.is_empty() {
                continue;
            }
            let bases = new_range.base.iter().chain(&new_range.other_bases);
            let new_range = Range {
                // A merge takes over what its parents had.
                known: bases.copied().collect(),
                branch: match name {
                    Some(name) => Some(name.trim_start_matches("refs/heads/").into()),
                    None => self.repo.branch()?.map(|branch| branch.name),
                },
                ..new_range
            };
            for mut finding in range(self.repo, &new_range, None, self.options)?.findings {
                let is_old = match &finding.path {
                    Some(path) => old.get(path.as_ref())? == new.get(path.as_ref())?,
                    None => false,
                };
                // A person approved it here; only CI asks for the signature.
                let mut help = finding.help.iter();
                if is_old || help.any(|help| help.contains("approved locally")) {
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
    index: CheckedOut,
    /// The tree at the beginning of the session.
    first: ObjectId,
    /// Trees that every path, or one of these paths, may return to.
    trees: Vec<(Tree<'a>, Option<&'a [String]>)>,
}

impl<'a> Excuses<'a> {
    fn of(judged: &'a ObservedJudge<'a>) -> Result<Excuses<'a>> {
        let observed = judged.observed;
        let merged = Parents::of_next_commit(judged.repo, false)?.merged;
        let merged = merged.into_iter().filter(|id| judged.known.contains(id));
        let first = judged.tree(observed.first);
        let mut trees = vec![(first.clone(), None)];
        for commit in observed.first.stash().chain(merged) {
            let tree = judged.repo.tree_of(Some(commit)).ok();
            trees.extend(tree.map(|tree| (tree, None)));
        }
        for (before, paths) in observed.reported {
            trees.push((judged.tree(before), Some(paths.as_slice())));
        }
        Ok(Excuses {
            index: CheckedOut::of(judged.repo)?,
            first: first.id(),
            trees,
        })
    }

    fn covers(&self, path: &BStr, new: Option<State>, head: Option<State>) -> Result<bool> {
        for (tree, paths) in &self.trees {
            let is_meant = match paths {
                Some(paths) => paths.iter().any(|known| path == known.as_str()),
                // That a stash or another parent lacks a file is no reason for it to go.
                None => new.is_some() || tree.id() == self.first,
            };
            if is_meant && tree.get(path)? == new {
                return Ok(true);
            }
        }
        Ok(self.index.is_as_in(path, head))
    }
}
