//! The facts of a judgement, which each source gathers once.

use std::collections::HashSet;

use gix::ObjectId;
use gix::bstr::BString;

use super::base::BaseCommit;
use super::criss_cross::MergeBases;
use super::merge_commits::{self, MergedContents, OwnChanges};
use crate::change::Change;
use crate::error::Result;
use crate::git::{Commit, Index, Parents, Repository, Tree};
use crate::policy::Stage;
use crate::trailer;
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
    /// For changes from a commit to `result`, without any changes yet.
    ///
    /// # Errors
    /// The commit cannot be read.
    pub(super) fn new(
        repo: &'a Repository,
        stage: Stage,
        base: Option<ObjectId>,
        result: Tree<'a>,
    ) -> Result<JudgementFacts<'a>> {
        Ok(JudgementFacts {
            repo,
            source: SourceKind::Range,
            stage,
            base: BaseCommit::new(repo, base)?,
            result,
            head: None,
            branch: None,
            operation: None,
            commits: &[],
            known: &[],
            changes: Vec::new(),
            merged: MergedContents::default(),
            merge_bases: None,
        })
    }

    /// For what is not committed yet on the current branch.
    ///
    /// # Errors
    /// HEAD cannot be read.
    pub(super) fn uncommitted(
        repo: &'a Repository,
        stage: Stage,
        base: Option<ObjectId>,
        result: Tree<'a>,
    ) -> Result<JudgementFacts<'a>> {
        Ok(JudgementFacts {
            source: SourceKind::Index,
            branch: repo.design_branch()?,
            ..JudgementFacts::new(repo, stage, base, result)?
        })
    }

    /// The designs that the commits name, in commit order, each with the first commit that does.
    pub(super) fn named_designs(&self) -> Vec<(BString, ObjectId)> {
        let mut known = HashSet::new();
        let mut named = Vec::new();
        for commit in self.commits {
            for path in trailer::values(&commit.trailers, trailer::DESIGN) {
                if known.insert(path) {
                    named.push((path.into(), commit.id));
                }
            }
        }
        named
    }
}

/// The next commit: its parents, and what the committer changes.
pub(super) struct NextCommit {
    pub(super) parents: Parents,
    pub(super) own: OwnChanges,
}

impl NextCommit {
    /// The commit of an index. `githead` as in [`Options`](super::Options).
    ///
    /// # Errors
    /// The index, HEAD or an object cannot be read, or the parents cannot be merged.
    pub(super) fn of(repo: &Repository, index: &Index, githead: bool) -> Result<NextCommit> {
        let parents = Parents::of_next_commit(repo, githead)?;
        let own = merge_commits::of_next_commit(repo, &parents, index)?;
        Ok(NextCommit { parents, own })
    }

    /// The facts of the commit that records `result`.
    ///
    /// # Errors
    /// HEAD cannot be read.
    pub(super) fn facts<'a>(
        self,
        repo: &'a Repository,
        result: Tree<'a>,
    ) -> Result<JudgementFacts<'a>> {
        Ok(JudgementFacts {
            operation: self.parents.operation,
            changes: self.own.changes,
            merged: self.own.merged,
            ..JudgementFacts::uncommitted(repo, Stage::Commit, self.parents.head, result)?
        })
    }
}
