//! What is judged, and against what: a commit, the merge base where this piece of work began, or the merge bases of a
//! range.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::iter;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use super::merge_commits::MergedContents;
use crate::change::{Change, State};
use crate::error::{Error, Result};
use crate::git::{Commit, Objects, Range, Repository, Tree, changes_between, is_in_any};
use crate::measure::{self, Thresholds};
use crate::path::escaped;
use crate::policy::Stage;
use crate::scope::settings::{self, Settings};
use crate::verdict::SourceKind;

/// What is judged, and against what.
pub(super) struct JudgementFacts<'a> {
    pub(super) repo: &'a Repository,
    pub(super) source: SourceKind,
    pub(super) stage: Stage,
    /// HEAD for a commit or a request, the merge base for a range.
    pub(super) base: BaseCommit<'a>,
    /// The resulting tree.
    pub(super) result: Tree<'a>,
    /// The commit of a result that is committed.
    pub(super) head: Option<ObjectId>,
    /// The branch whose designs apply.
    pub(super) branch: Option<BString>,
    /// The operation of git that waits for this commit.
    pub(super) operation: Option<&'static str>,
    /// The commits to judge, whose trailers may name designs and approvals.
    pub(super) commits: &'a [Commit],
    /// Commits that existed before the range, such as the tip of the target branch.
    pub(super) known: &'a [ObjectId],
    pub(super) changes: Vec<Change>,
    /// What git merged, if a commit is a merge.
    pub(super) merged: MergedContents,
    /// The merge bases of a range.
    pub(super) merge_bases: Option<&'a MergeBases<'a>>,
}

impl<'a> JudgementFacts<'a> {
    /// For changes from a commit to `result` that are not committed yet on the current branch, without any changes yet.
    ///
    /// # Errors
    /// The commit or HEAD cannot be read.
    pub(super) fn new(
        repo: &'a Repository,
        stage: Stage,
        base: Option<ObjectId>,
        result: Tree<'a>,
    ) -> Result<JudgementFacts<'a>> {
        Ok(JudgementFacts {
            repo,
            source: SourceKind::Index,
            stage,
            base: BaseCommit::new(repo, base)?,
            result,
            head: None,
            branch: repo.design_branch()?,
            operation: None,
            commits: &[],
            known: &[],
            changes: Vec::new(),
            merged: MergedContents::default(),
            merge_bases: None,
        })
    }
}

/// The commit that changes are compared with. All that is judged by it shares what is read from it.
pub struct BaseCommit<'a> {
    commit: Option<ObjectId>,
    tree: Tree<'a>,
    /// The merge base with the target branch, and its tree; looked up when a verdict first depends on it.
    merge_base: OnceCell<Option<(ObjectId, Tree<'a>)>>,
}

impl<'a> BaseCommit<'a> {
    /// What is read from a commit; nothing for `None`.
    ///
    /// # Errors
    /// The commit is missing or damaged.
    pub fn new(repo: &'a Repository, commit: Option<ObjectId>) -> Result<BaseCommit<'a>> {
        Ok(BaseCommit {
            commit,
            tree: repo.tree_of(commit)?,
            merge_base: OnceCell::new(),
        })
    }

    /// The commit; `None` before the first one.
    pub fn commit(&self) -> Option<ObjectId> {
        self.commit
    }

    pub(super) fn tree(&self) -> &Tree<'a> {
        &self.tree
    }

    /// The merge base with `[lld] base` or, without that setting, the default branch; `None` if unknown.
    ///
    /// # Errors
    /// The configured base does not exist, or a commit cannot be read.
    pub(super) fn merge_base(
        &self,
        repo: &'a Repository,
        target: Option<&str>,
    ) -> Result<Option<&(ObjectId, Tree<'a>)>> {
        if let Some(known) = self.merge_base.get() {
            return Ok(known.as_ref());
        }
        let mut found = None;
        if let Some(commit) = self.commit
            && let Some((_, target)) = target_of(repo, target)?
        {
            found = repo.merge_base(commit, target)?;
        }
        let found = found
            .map(|id| Ok((id, repo.tree_of(Some(id))?)))
            .transpose()?;
        Ok(self.merge_base.get_or_init(|| found).as_ref())
    }

    /// What the merge base holds at `path`, for rules.
    ///
    /// # Errors
    /// As for [`BaseCommit::merge_base`], or the tree cannot be read.
    pub(super) fn at_merge_base(
        &self,
        repo: &'a Repository,
        target: Option<&str>,
        path: &BStr,
    ) -> Result<Option<Option<State>>> {
        let merge_base = self.merge_base(repo, target)?;
        merge_base.map(|(_, tree)| tree.get(path)).transpose()
    }
}

/// The old state of the change at `path`, of changes in path order.
pub(super) fn old_state(changes: &[Change], path: &BStr) -> Option<Option<State>> {
    let at = changes.binary_search_by(|one| one.path.as_bstr().cmp(path));
    Some(changes[at.ok()?].old)
}

/// The work on the current branch: from its merge base with the target branch to HEAD; `None` if the target is
/// unknown.
///
/// # Errors
/// The configured base does not exist, or the clone is too shallow to be sure.
pub fn range_of_branch(repo: &Repository) -> Result<Option<Range>> {
    let (head, branch) = repo.revision_and_branch("HEAD")?;
    let settings = settings_of(repo, Some(head))?.and_then(Result::ok);
    let base = settings.and_then(|settings| settings.base);
    let Some((_, target)) = target_of(repo, base.as_deref())? else {
        return Ok(None);
    };
    let range = repo.range_from(&[target], head, &[])?;
    Ok(Some(Range { branch, ..range }))
}

/// The name and the tip of `[lld] base`, else of the default branch of the upstream, else of `origin/HEAD`.
///
/// # Errors
/// The configured base does not exist.
pub(super) fn target_of(
    repo: &Repository,
    base: Option<&str>,
) -> Result<Option<(String, ObjectId)>> {
    let branch = repo.branch()?.map(|branch| branch.name);
    let Some(base) = base else {
        let upstream = branch.and_then(|branch| repo.config(&format!("branch.{branch}.remote")));
        let remotes = upstream.into_iter().chain(["origin".into()]);
        for remote in remotes {
            let name = format!("refs/remotes/{remote}/HEAD");
            if let Some(id) = repo.resolve_commit(BStr::new(&name))? {
                return Ok(Some((format!("{remote}/HEAD"), id)));
            }
        }
        return Ok(None);
    };
    // On the base branch itself, only pushed commits are older than the work.
    let is_on_base = branch.as_ref().is_some_and(|branch| branch == base);
    // Branches come first: git would prefer a tag of the same name.
    let places: &[&str] = match is_on_base {
        true => &["refs/remotes/origin/"],
        false => &["refs/heads/", "refs/remotes/", "refs/remotes/origin/"],
    };
    for place in places {
        let name = format!("{place}{base}");
        if let Some(id) = repo.commit_of_ref(&name)? {
            return Ok(Some((name, id)));
        }
    }
    if is_on_base {
        return Ok(None);
    }
    if let Some(id) = repo.resolve_commit(BStr::new(base))? {
        return Ok(Some((base.to_owned(), id)));
    }
    let base = escaped(base);
    let message =
        format!("guard.toml has `[lld] base = \"{base}\"`, but this repository has no such branch");
    let fetch = format!("fetch it: git fetch origin {base}:refs/remotes/origin/{base}");
    Err(Error::new(message).help(fetch))
}

/// The trees that a range is compared with. After criss-cross merges, histories have several merge bases, and a merge
/// may use any of them as the old version. A change counts if it differs from any merge base, unless the target already
/// has it.
pub(super) struct MergeBases<'a> {
    /// The merge bases, the newest first; usually one.
    bases: Vec<Tree<'a>>,
    /// The tips that existed before; used only if there are several merge bases.
    tips: Vec<Tree<'a>>,
}

impl<'a> MergeBases<'a> {
    /// # Errors
    /// A commit or its tree is missing or damaged.
    pub(super) fn of(repo: &'a Repository, range: &Range) -> Result<Self> {
        let others = range.other_bases.iter().copied().map(Some);
        let bases = iter::once(range.base).chain(others);
        let bases = bases
            .map(|base| repo.tree_of(base))
            .collect::<Result<Vec<_>>>()?;
        let tips = range.known.iter().filter(|_| bases.len() > 1);
        let tips = tips.map(|&tip| repo.tree_of(Some(tip)));
        Ok(MergeBases {
            tips: tips.collect::<Result<_>>()?,
            bases,
        })
    }

    /// What differs in `head` from any merge base and from every tip, in path order. The old side is that of the
    /// newest merge base that differs.
    ///
    /// # Errors
    /// A tree is missing or damaged.
    pub(super) fn changes(&self, objects: &Objects, head: &Tree<'_>) -> Result<Vec<Change>> {
        let mut all: BTreeMap<BString, Change> = BTreeMap::new();
        for base in &self.bases {
            for change in changes_between(objects, base.id(), head.id())? {
                all.entry(change.path.clone()).or_insert(change);
            }
        }
        let mut own = Vec::with_capacity(all.len());
        for change in all.into_values() {
            if !is_in_any(&self.tips, change.path.as_ref(), change.new)? {
                own.push(change);
            }
        }
        Ok(own)
    }

    /// Replaces the old side of each change by that of the merge base that loses most.
    ///
    /// # Errors
    /// A tree or blob is missing or damaged.
    pub(super) fn worst(
        &self,
        objects: &Objects,
        thresholds: &Thresholds,
        changes: &mut [Change],
    ) -> Result<()> {
        for change in changes.iter_mut().filter(|_| self.bases.len() > 1) {
            let mut worst = None;
            for base in &self.bases {
                let old = base.get(change.path.as_ref())?;
                if old == change.new {
                    continue;
                }
                let (before, after) = objects.both(old, change.new)?;
                let measured = measure::measure(
                    old.map(|state| (state.kind, before.as_slice())),
                    change.new.map(|state| (state.kind, after.as_slice())),
                    thresholds,
                );
                let weight = measured.weight();
                if worst.is_none_or(|(heaviest, _)| weight > heaviest) {
                    worst = Some((weight, old));
                }
            }
            change.old = worst.map_or(change.old, |(_, old)| old);
        }
        Ok(())
    }
}

/// HEAD's settings; the defaults if it has none.
///
/// # Errors
/// HEAD's `guard.toml` is invalid, or HEAD cannot be read.
pub fn settings_of_head(repo: &Repository) -> Result<Settings> {
    let committed = settings_of(repo, repo.head_commit()?)?;
    committed.unwrap_or_else(|| Ok(Settings::default()))
}

/// The settings of a commit, if it has any; the inner error is an invalid `guard.toml`.
///
/// # Errors
/// The commit cannot be read.
pub fn settings_of(
    repo: &Repository,
    commit: Option<ObjectId>,
) -> Result<Option<Result<Settings>>> {
    let text = repo.tree_of(commit)?.read(settings::FILE.into())?;
    Ok(text.map(|text| settings::parse(&text)))
}
