//! Judges what happened between two checkpoints: the work tree and the index by the rules for requests, new commits as
//! a range.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use super::losses::{LossFinder, Losses, LostThing};
use super::session::ObservedSession;
use super::table::{Does, Fact, Had, Now};
use crate::approvals::is_given;
use crate::judge::{Options, as_requests, range, settings_of, settings_of_head};
use write_guard_policy::change::{Change, State};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::{Finding, Level};
use write_guard_policy::rules::{self, at_level};
use write_guard_repo::{
    Back, Blobs, CheckedOut, Checkpoint, CheckpointStore, OwnLoss, Parents, Range, Repository,
    Tree, changes_between, differing, is_in_any, state_of, tree_of_changes,
};

/// What is compared.
pub(super) struct Observed<'a> {
    /// The checkpoints.
    pub(super) store: &'a CheckpointStore<'a>,
    /// What there was before.
    pub(super) before: &'a Checkpoint,
    /// What is there now.
    pub(super) after: &'a Checkpoint,
    /// What guard remembers of the session.
    pub(super) session: &'a ObservedSession,
    /// Whether the refs are judged with another work tree.
    pub(super) leaves_refs: bool,
}

/// What a difference comes to.
#[derive(Debug, Default)]
pub(super) struct Observation {
    /// The errors, each with where it stands, which says how to take it back.
    pub(super) findings: Vec<(Finding, FoundIn)>,
    /// What is nowhere any more.
    pub(super) losses: Losses,
    /// The files that differ.
    pub(super) changes: Vec<Change>,
    /// Those that are as in HEAD now.
    followed: Vec<BString>,
    /// Why the rules could not be asked.
    pub(super) failed: Option<Error>,
}

/// Where a finding stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FoundIn {
    /// In the work tree.
    File,
    /// In the index.
    Index,
    /// In commits of this ref, or of `HEAD`.
    Ref(String),
    /// In the files that switch hooks.
    Switch,
    /// In what guard keeps.
    Own,
}

impl Observed<'_> {
    /// Judges the difference.
    ///
    /// # Errors
    /// It cannot be judged, for example because there is no design.
    pub(super) fn judge(&self, repo: &Repository, options: &Options) -> Result<Observation> {
        let before = self.before;
        let after = self.after;
        let mut found = Observation::default();
        if before == after && self.store.lost_own(before).is_empty() {
            return Ok(found);
        }
        let (sized, blobs) = sized_files(repo, before, after)?;
        let checkpoint_repo = self.store.repository(blobs)?;
        let known = self.known(&checkpoint_repo);
        let tree = |one| checkpoint_repo.tree_in(one).id();
        let objects = checkpoint_repo.objects();
        let changes = changes_between(objects, tree(before), tree(after))?;
        let changes: Vec<Change> = one_per_path(changes, sized).collect();
        let judged = ObservedJudge {
            observed: self,
            base: self.base(&checkpoint_repo, &known)?,
            known,
            repo: &checkpoint_repo,
            options,
        };
        // What would keep guard from looking comes first.
        judged.means(&mut found)?;
        let finder = LossFinder {
            store: self.store,
            repo: &checkpoint_repo,
            before,
            after,
            session: self.session,
            changes: &changes,
            measured: Cell::new(0),
        };
        found.losses = Losses::sorted(finder.find(self.leaves_refs)?);
        found.failed = judged.by_rules(&changes, &mut found).err();
        let mut seen = HashSet::new();
        found.findings.retain(|(finding, _)| {
            let key = (finding.rule, finding.path.clone(), finding.message.clone());
            finding.level == Level::Error && seen.insert(key)
        });
        found.changes = changes;
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
        let fetched = self
            .after
            .refs()
            .filter(|(name, _)| self.is_excused(repo, name));
        let refs = self.before.refs().chain(fetched).map(|(_, id)| id);
        let known: BTreeSet<ObjectId> = refs.chain(self.before.head_commit()).collect();
        let known = known.into_iter();
        known.filter(|&id| repo.commit(id).is_ok()).collect()
    }

    /// Whether the table has nothing against a commit that no ref had before.
    fn is_excused(&self, repo: &Repository, name: &str) -> bool {
        let now = if self.is_fetched(repo, name) {
            Now::Fetched
        } else {
            Now::Differs
        };
        Fact::of(Had::NoRef, now).does() == Does::Nothing
    }

    /// Whether a ref has what a remote has, which was configured with this address when the session began.
    fn is_fetched(&self, repo: &Repository, name: &str) -> bool {
        let Some(short) = name.strip_prefix("refs/remotes/") else {
            return false;
        };
        let now = repo.remote_addresses();
        let known = self.session.remotes.as_ref();
        let is_of = |remote: &String| {
            let rest = short.strip_prefix(remote.as_str());
            rest.is_some_and(|rest| rest.starts_with('/'))
                && known.and_then(|known| known.get(remote)) == now.get(remote)
        };
        now.keys().any(is_of) && repo.may_be_fetched(name)
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
    /// What the rules say: commits as a range, files and the index as requests.
    fn by_rules(&self, changes: &[Change], found: &mut Observation) -> Result<()> {
        if !self.observed.leaves_refs {
            self.commits(found)?;
        }
        self.files(changes, found)?;
        if self.observed.before.index != self.observed.after.index {
            self.index(found)?;
        }
        Ok(())
    }

    /// The work tree.
    fn files(&self, changes: &[Change], found: &mut Observation) -> Result<()> {
        let excuse = Excuses::of(self)?;
        let base = self.repo.tree_of(self.base)?;
        let mut since_head = Vec::new();
        for change in changes {
            let path: &BStr = change.path.as_ref();
            let committed = base.get(path)?;
            let is_head = excuse.head.get(path)? == change.new;
            if is_head {
                found.followed.push(change.path.clone());
            }
            let is_known = is_head || excuse.covers(path, change.new)?;
            if is_reported(is_known) && committed != change.new {
                since_head.push(Change {
                    old: committed,
                    ..change.clone()
                });
            }
        }
        let files = self.repo.tree_in(self.observed.after);
        let findings = self.judge(since_head, files)?;
        found.add(findings, &FoundIn::File);
        Ok(())
    }

    /// What is staged and not in the work tree.
    fn index(&self, found: &mut Observation) -> Result<()> {
        let observed = self.observed;
        let repo = self.repo;
        let index = |one| observed.store.index_of(repo, one);
        let old = index(observed.before)?;
        let new = index(observed.after)?;
        let base = repo.tree_of(self.base)?;
        let files = repo.tree_in(observed.after);
        let excuse = Excuses::of(self)?;
        let mut changes = Vec::new();
        for change in new.changes_since(&old)? {
            let (path, is): (&BStr, _) = (change.path.as_ref(), change.new);
            let head = excuse.head.get(path)?;
            let base = base.get(path)?;
            let is_known = [head, base, files.get(path)?].contains(&is);
            if is_reported(is_known || excuse.covers(path, is)?) {
                changes.push(Change::new(path, base, is));
            }
        }
        let (objects, staged) = tree_of_changes(repo.objects(), &changes)?;
        let staged = Tree::at(&objects, staged);
        let findings = self.judge(changes, staged)?;
        found.add(findings, &FoundIn::Index);
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
            new_range.is_part = true;
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
            let place = FoundIn::Ref(name.map_or("HEAD", |(name, _)| name).to_owned());
            for mut finding in range(self.repo, &new_range, &self.options_of(&new_range)?)?.findings
            {
                let is_old = match &finding.path {
                    Some(path) => old.get(path.as_ref())? == new.get(path.as_ref())?,
                    None => false,
                };
                // A person approved it here; only CI asks for the signature.
                let unsigned = finding.unsigned.as_ref();
                let is_approved = unsigned.map(|(id, commit)| is_given(self.repo, id, *commit));
                if is_old || is_approved.transpose()?.unwrap_or(false) {
                    continue;
                }
                finding.message =
                    format!("commit {}: {}", tip.to_hex_with_len(12), finding.message);
                found.add(vec![finding], &place);
            }
        }
        Ok(())
    }

    /// How new commits are judged. Without settings and without a commit in common they would pass as work from before
    /// `guard.toml`; but a session keeps the settings that it began under, whatever it makes.
    fn options_of(&self, new_range: &Range) -> Result<Options> {
        let mut options = self.options.clone();
        if new_range.base.is_none() && settings_of(self.repo, new_range.head)?.is_none() {
            let settings = settings_of(self.repo, self.observed.before.head_commit())?;
            options.settings = settings.transpose()?;
        }
        Ok(options)
    }

    /// What guard looks with: its own log, snapshots and checkpoints, and the files that say which hooks run and what
    /// git ignores.
    fn means(&self, found: &mut Observation) -> Result<()> {
        // The answer is always the same: it is asked so that the table alone decides.
        if Fact::of(Had::Means, Now::Changed).does() != Does::ReportMeans {
            return Ok(());
        }
        let Observed {
            store,
            before,
            after,
            ..
        } = *self.observed;
        let settings = settings_of_head(self.repo).unwrap_or_default();
        let root = self.repo.workdir()?;
        for lost in store.lost_own(before) {
            let finding = rules::means_removed(match lost {
                OwnLoss::Log => rules::Means::Log,
                OwnLoss::Snapshots => rules::Means::Snapshots,
                OwnLoss::Checkpoints => rules::Means::Checkpoints,
            });
            found.add(
                at_level(&settings, finding).into_iter().collect(),
                &FoundIn::Own,
            );
        }
        let first = self.observed.session.first.as_ref();
        let first = first.map(|first| store.checkpoint(first)).transpose()?;
        let since_first = first.map(|first| store.changed_switches(&first, after));
        let since_first = since_first.transpose()?;
        for (path, what) in store.changed_switches(before, after)? {
            // A switch that is again as it was when the session began is nobody's loss.
            let is_back = |all: &Vec<_>| !all.contains(&(path.clone(), what.clone()));
            if since_first.as_ref().is_some_and(is_back) {
                continue;
            }
            let inside = path.strip_prefix(root).unwrap_or(&path);
            let name = BString::from(inside.to_string_lossy().as_ref());
            let finding = rules::switch_changed(name.as_ref(), &what);
            let finding = at_level(&settings, finding);
            found.add(finding.into_iter().collect(), &FoundIn::Switch);
        }
        Ok(())
    }
}

impl Observation {
    fn add(&mut self, findings: Vec<Finding>, place: &FoundIn) {
        let findings = findings.into_iter();
        self.findings
            .extend(findings.map(|finding| (finding, place.clone())));
    }

    /// What is to be taken back: exactly what was refused, and what was lost.
    pub(super) fn back(&self, before: &Checkpoint, after: &Checkpoint) -> Back {
        let mut back = Back::default();
        for (finding, place) in &self.findings {
            let path = finding.path.as_ref().map(|path| path.to_string());
            match place {
                FoundIn::File => back.files.extend(path),
                FoundIn::Index => back.staged.extend(path),
                FoundIn::Ref(name) => {
                    back.refs.insert(name.clone());
                    back.files.extend(path);
                }
                FoundIn::Switch => back.switches = true,
                FoundIn::Own => {}
            }
        }
        for loss in self.losses.all() {
            match &loss.what {
                LostThing::File { path, .. } => {
                    back.files.insert(path.to_string());
                }
                LostThing::Staged { path, .. } => {
                    back.staged.insert(path.to_string());
                }
                LostThing::Commit(lost) if lost.is_stash() => {
                    back.stashes.push(lost.commit.to_string());
                }
                LostThing::Commit(lost) => back.refs.extend(lost.refs.iter().cloned()),
            }
        }
        if self.failed.is_some() {
            self.add_everything(&mut back, before, after);
        }
        self.follow_head(&mut back, before, after);
        // What was staged with a file goes with it.
        back.staged.extend(back.files.iter().cloned());
        back
    }

    /// Where the rules could not be asked, everything may be taken back.
    fn add_everything(&self, back: &mut Back, before: &Checkpoint, after: &Checkpoint) {
        let changes = self.changes.iter();
        back.files
            .extend(changes.map(|change| change.path.to_string()));
        let refs = before.refs().chain(after.refs());
        let moved = refs.filter(|(name, _)| before.tip_of(name) != after.tip_of(name));
        back.refs.extend(moved.map(|(name, _)| name.to_owned()));
        if before.head() != after.head() {
            back.refs.insert("HEAD".to_owned());
        }
        back.index |= before.index != after.index;
    }

    /// Where the ref of HEAD returns, HEAD itself does, and the index. So do the files that git has checked out with
    /// it, unless the call made the commit.
    fn follow_head(&self, back: &mut Back, before: &Checkpoint, after: &Checkpoint) {
        let branch = |one: &Checkpoint| {
            one.head()
                .strip_prefix("ref: ")
                .unwrap_or("HEAD")
                .to_owned()
        };
        let names = [branch(before), branch(after)];
        if !names.iter().any(|name| back.refs.contains(name)) {
            return;
        }
        back.refs.insert("HEAD".to_owned());
        back.index = true;
        let is_known = |tip: ObjectId| before.refs().any(|(_, known)| known == tip);
        let mut losses = self.losses.all();
        let is_reset = losses.any(|loss| match &loss.what {
            LostThing::Commit(lost) => lost.refs.iter().any(|name| names.contains(name)),
            _ => false,
        });
        if is_reset || after.head_commit().is_some_and(is_known) {
            back.files
                .extend(self.followed.iter().map(|path| path.to_string()));
        }
    }
}

/// Whether the table reports a path that differs; not if its content is that of a commit or stash.
fn is_reported(is_known: bool) -> bool {
    let fact = if is_known {
        Fact::of(Had::Known, Now::CheckedOut)
    } else {
        Fact::of(Had::Path, Now::Differs)
    };
    fact.does() == Does::Report
}

/// Where content comes from that is nobody's new work.
struct Excuses<'a> {
    index: CheckedOut<'a>,
    head: Tree<'a>,
    /// What a stash or another parent of a merge had.
    others: Vec<Tree<'a>>,
    /// The paths that may return to what there was before they were reported.
    session: &'a ObservedSession,
}

impl<'a> Excuses<'a> {
    fn of(judged: &'a ObservedJudge<'a>) -> Result<Excuses<'a>> {
        let observed = judged.observed;
        let repo = judged.repo;
        let mut others = repo.stashes_in(observed.before);
        for merged in Parents::of_next_commit(repo, false)?.merged {
            if judged.known.contains(&merged) {
                others.push(repo.tree_of(Some(merged))?);
            }
        }
        Ok(Excuses {
            index: CheckedOut::of(repo)?,
            head: repo.tree_of(observed.after.head_commit())?,
            others,
            session: observed.session,
        })
    }

    fn covers(&self, path: &BStr, new: Option<State>) -> Result<bool> {
        // That a stash or another parent lacks a file is no reason for it to go.
        let is_elsewhere = new.is_some() && is_in_any(&self.others, path, new)?;
        Ok(is_elsewhere
            || self.index.is_as_in(path, self.head.get(path)?)
            || self.session.is_excused(path, new))
    }
}
