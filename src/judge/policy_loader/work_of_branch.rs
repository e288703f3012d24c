//! What a branch has committed since its merge base with the target.

use std::borrow::Cow;

use gix::bstr::{BString, ByteSlice};

use super::documents::{deleted_designs, file_name, is_new_document, new_documents};
use crate::judge::facts::JudgementFacts;
use write_guard_policy::change::Change;
use write_guard_policy::error::Result;
use write_guard_policy::policy::{self, Stage};
use write_guard_policy::scope::path_placeholders;
use write_guard_policy::scope::settings::Settings;
use write_guard_repo::{Commit, Tree, changes_between};

/// The commits and changes of a branch, and the designs that it has moved.
pub(super) struct WorkOfBranch<'f> {
    pub(super) merge_base: Tree<'f>,
    /// What the commits change in all.
    pub(super) changes: Cow<'f, [Change]>,
    /// The designs that a commit has moved to where they are new in `changes`.
    pub(super) moves: Vec<Move>,
}

/// A document that one commit has moved.
#[derive(Debug)]
pub(super) struct Move {
    pub(super) from: BString,
    pub(super) to: BString,
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
        let base = &facts.base;
        if facts.stage == Stage::Range {
            let added = added_documents(settings, &facts.changes);
            return Ok(Some(WorkOfBranch {
                moves: moves(facts, settings, facts.commits, &added)?,
                merge_base: Tree::at(repo.objects(), base.tree.id()),
                changes: Cow::Borrowed(&facts.changes),
            }));
        }
        let merge_base = base.merge_base(repo, settings.base.as_deref())?;
        let (Some(last), Some((first, tree))) = (base.commit, merge_base) else {
            return Ok(None);
        };
        let changes = changes_between(repo.objects(), tree.id(), base.tree.id())?;
        let added = added_documents(settings, &changes);
        // Most branches add no such document, and their commits are not looked at.
        let commits = if added.is_empty() {
            Vec::new()
        } else {
            repo.range_since(Some(*first), last)?.commits
        };
        Ok(Some(WorkOfBranch {
            moves: moves(facts, settings, &commits, &added)?,
            merge_base: Tree::at(repo.objects(), tree.id()),
            changes: Cow::Owned(changes),
        }))
    }
}

/// The documents that the changes add and that may be designs in another place.
fn added_documents(settings: &Settings, changes: &[Change]) -> Vec<BString> {
    let patterns: Vec<String> = settings
        .lld_path
        .iter()
        .map(|pattern| path_placeholders::for_any_name(pattern))
        .collect();
    let new = changes.iter().filter(|change| {
        is_new_document(change) && patterns.iter().any(|one| may_name(one, &change.path))
    });
    new.map(|change| change.path.clone()).collect()
}

/// The designs that one of the commits moved to one of these documents.
fn moves(
    facts: &JudgementFacts<'_>,
    settings: &Settings,
    commits: &[Commit],
    added: &[BString],
) -> Result<Vec<Move>> {
    let mut moves = Vec::new();
    if added.is_empty() {
        return Ok(moves);
    }
    let repo = facts.repo;
    for commit in commits {
        let parent = repo.tree_of(commit.parents.first().copied())?;
        let step = changes_between(repo.objects(), parent.id(), commit.tree)?;
        moves.extend(moves_of(settings, &step));
    }
    moves.retain(|one| added.contains(&one.to));
    Ok(moves)
}

/// The designs that one commit deletes and adds elsewhere: with the same content or, if it is the only one of its file
/// name, with another one, such as that of another status.
fn moves_of(settings: &Settings, step: &[Change]) -> Vec<Move> {
    let gone: Vec<&Change> = deleted_designs(settings, step).collect();
    let mut moves = Vec::new();
    for &one in &gone {
        let of_name = gone
            .iter()
            .filter(|other| file_name(&other.path) == file_name(&one.path));
        let mut new: Vec<&Change> = new_documents(step, &one.path).collect();
        if new.len() > 1 || of_name.count() > 1 {
            new.retain(|change| change.new == one.old);
        }
        if let [to] = new.as_slice() {
            moves.push(Move {
                from: one.path.clone(),
                to: to.path.clone(),
            });
        }
    }
    moves
}

/// Whether the last part of the pattern may be the file name of the path.
fn may_name(pattern: &str, path: &BString) -> bool {
    let (_, last) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    policy::pattern_matches(last, file_name(path).as_bstr())
}
