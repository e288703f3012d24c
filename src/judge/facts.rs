//! What is judged, and against what: a commit, the merge base where this piece of work began, or the merge bases of a
//! range.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::iter;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use super::merge_commits::MergedContents;
use write_guard_policy::change::{Change, State};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::measure;
use write_guard_policy::path::escaped;
use write_guard_policy::policy::Stage;
use write_guard_policy::scope::settings::{self, Settings};
use write_guard_policy::verdict::SourceKind;
use write_guard_repo::{Commit, Range, Repository, Tree, changes_between, is_in_any};

/// What is judged, and against what.
pub(crate) struct JudgementFacts<'a> {
    pub(crate) repo: &'a Repository,
    pub(super) source: SourceKind,
    pub(super) stage: Stage,
    /// HEAD for a commit or a request, the merge base for a range.
    pub(crate) base: BaseCommit<'a>,
    /// Whether the base of a range may be a commit of the same branch.
    pub(super) is_part: bool,
    /// The resulting tree.
    pub(super) result: Tree<'a>,
    /// The commit of a result that is committed.
    pub(super) head: Option<ObjectId>,
    /// The branch whose designs apply.
    pub(super) branch: Option<BString>,
    /// The target branch, if this work began before its `guard.toml`: guard then checks only what needs no settings.
    pub(super) older_than: Option<String>,
    /// The operation of git that waits for this commit.
    pub(super) operation: Option<&'static str>,
    /// The commits to judge, whose trailers may name designs and approvals.
    pub(crate) commits: &'a [Commit],
    /// Commits that existed before the range, such as the tip of the target branch.
    pub(crate) known: &'a [ObjectId],
    pub(super) changes: Vec<Change>,
    /// What git merged, if a commit is a merge.
    pub(super) merged: MergedContents,
}

impl<'a> JudgementFacts<'a> {
    /// For changes from a commit to `result` that are not committed yet on the current branch, without any changes yet.
    ///
    /// # Errors
    /// The commit or HEAD cannot be read.
    pub(crate) fn new(
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
            is_part: false,
            result,
            head: None,
            branch: repo.design_branch()?,
            older_than: None,
            operation: None,
            commits: &[],
            known: &[],
            changes: Vec::new(),
            merged: MergedContents::default(),
        })
    }
}

/// The commit that changes are compared with. All that is judged by it shares what is read from it.
pub struct BaseCommit<'a> {
    /// `None` before the first commit.
    pub(crate) commit: Option<ObjectId>,
    pub(super) tree: Tree<'a>,
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
    let places: &[&str] = if is_on_base {
        &["refs/remotes/origin/"]
    } else {
        &["refs/heads/", "refs/remotes/", "refs/remotes/origin/"]
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

fn trees_of<'repo>(repo: &'repo Repository, commits: &[ObjectId]) -> Result<Vec<Tree<'repo>>> {
    let commits = commits.iter().copied().map(Some);
    commits.map(|commit| repo.tree_of(commit)).collect()
}

/// What a range changes in `head`, in path order. After criss-cross merges, histories have several merge bases, and a merge
/// may use any of them as the old version: a change counts if it differs from any of them, unless the target already has
/// it, and its old side is that of the base that loses most, by the settings of the newest.
///
/// # Errors
/// A commit, tree or blob is missing or damaged.
pub(super) fn changes_of_range(
    repo: &Repository,
    range: &Range,
    head: &Tree<'_>,
) -> Result<Vec<Change>> {
    let objects = repo.objects();
    let newest = repo.tree_of(range.base)?;
    if range.other_bases.is_empty() {
        return changes_between(objects, newest.id(), head.id());
    }
    let settings = settings_of(repo, range.base)?.and_then(Result::ok);
    let thresholds = settings.unwrap_or_default().thresholds;
    let tips = trees_of(repo, &range.known)?;
    let mut worst = BTreeMap::new();
    for base in iter::once(newest).chain(trees_of(repo, &range.other_bases)?) {
        for change in changes_between(objects, base.id(), head.id())? {
            if is_in_any(&tips, change.path.as_ref(), change.new)? {
                continue;
            }
            let (before, after) = objects.both(change.old, change.new)?;
            let measured = measure::measure(
                change.old.map(|state| (state.kind, before.as_slice())),
                change.new.map(|state| (state.kind, after.as_slice())),
                &thresholds,
            );
            let weight = measured.weight();
            let known = worst.get(&change.path);
            if known.is_none_or(|(heaviest, _)| weight > *heaviest) {
                worst.insert(change.path.clone(), (weight, change));
            }
        }
    }
    Ok(worst.into_values().map(|(_, change)| change).collect())
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
