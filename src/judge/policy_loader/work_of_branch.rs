//! What a branch has committed since its merge base with the target.

use std::borrow::Cow;

use crate::judge::facts::JudgementFacts;
use write_guard_policy::change::Change;
use write_guard_policy::error::Result;
use write_guard_policy::policy::Stage;
use write_guard_policy::scope::settings::Settings;
use write_guard_repo::{Commit, Tree, changes_between};

/// Trees and changes of a branch.
pub(super) struct WorkOfBranch<'f> {
    pub(super) merge_base: Tree<'f>,
    /// The trees of its commits, the newest first.
    pub(super) of_commits: Vec<Tree<'f>>,
    /// What the commits change in all.
    pub(super) changes: Cow<'f, [Change]>,
}

impl<'f> WorkOfBranch<'f> {
    /// The commits of a range or, for a commit or a request, those before it. `None` where nothing says where the branch
    /// began.
    ///
    /// # Errors
    /// The configured target does not exist, or a commit cannot be read.
    pub(super) fn of(
        facts: &'f JudgementFacts<'_>,
        settings: &Settings,
    ) -> Result<Option<WorkOfBranch<'f>>> {
        let repo = facts.repo;
        let trees = |commits: &[Commit]| {
            let newest_first = commits.iter().rev();
            newest_first
                .map(|commit| Tree::at(repo.objects(), commit.tree))
                .collect()
        };
        let base = &facts.base;
        if facts.stage == Stage::Range {
            return Ok(Some(WorkOfBranch {
                merge_base: Tree::at(repo.objects(), base.tree.id()),
                of_commits: trees(facts.commits),
                changes: Cow::Borrowed(&facts.changes),
            }));
        }
        let merge_base = base.merge_base(repo, settings.base.as_deref())?;
        let (Some(last), Some((first, tree))) = (base.commit, merge_base) else {
            return Ok(None);
        };
        let commits = repo.range_since(Some(*first), last)?.commits;
        let changes = changes_between(repo.objects(), tree.id(), base.tree.id())?;
        Ok(Some(WorkOfBranch {
            merge_base: Tree::at(repo.objects(), tree.id()),
            of_commits: trees(&commits),
            changes: Cow::Owned(changes),
        }))
    }

    /// All trees, the newest first.
    pub(super) fn trees(&self) -> impl Iterator<Item = &Tree<'f>> {
        self.of_commits.iter().chain([&self.merge_base])
    }
}
