//! After criss-cross merges, histories have several merge bases, and a merge may use any of them as the old version.
//! A change counts if it differs from any merge base, unless the target already has it.

use std::collections::BTreeMap;
use std::iter;

use gix::bstr::BString;

use super::request::weight;
use crate::change::{Change, State};
use crate::error::Result;
use crate::git::{Objects, Range, Repository, Tree, changes_between};
use crate::measure::{self, Thresholds};

/// The trees that a range is compared with.
pub(super) struct MergeBases<'a> {
    /// The newest merge base.
    first: &'a Tree<'a>,
    /// The other merge bases; usually none.
    others: Vec<Tree<'a>>,
    /// The tips that existed before; used only if there are several merge bases.
    tips: Vec<Tree<'a>>,
}

impl<'a> MergeBases<'a> {
    /// # Errors
    /// A commit or its tree is missing or damaged.
    pub(super) fn of(repo: &'a Repository, range: &Range, first: &'a Tree<'a>) -> Result<Self> {
        let trees = |commits: &[_]| {
            let trees = commits.iter().map(|&commit| repo.tree_of(Some(commit)));
            trees.collect::<Result<Vec<_>>>()
        };
        let others = trees(&range.other_bases)?;
        let tips = match others.is_empty() {
            true => Vec::new(),
            false => trees(&range.known)?,
        };
        Ok(MergeBases {
            first,
            others,
            tips,
        })
    }

    /// What differs in `head` from any merge base and from every tip, in path order. The old side is that of the
    /// newest merge base that differs.
    ///
    /// # Errors
    /// A tree is missing or damaged.
    pub(super) fn changes(&self, objects: &Objects, head: &Tree<'_>) -> Result<Vec<Change>> {
        let changes = changes_between(objects, self.first.id(), head.id())?;
        if self.others.is_empty() {
            return Ok(changes);
        }
        let mut all: BTreeMap<BString, Change> = BTreeMap::new();
        let others = self.others.iter();
        let others = others.map(|base| changes_between(objects, base.id(), head.id()));
        for changes in iter::once(Ok(changes)).chain(others) {
            for change in changes? {
                all.entry(change.path.clone()).or_insert(change);
            }
        }
        let mut own = Vec::with_capacity(all.len());
        for change in all.into_values() {
            if !self.is_in_a_tip(&change)? {
                own.push(change);
            }
        }
        Ok(own)
    }

    fn is_in_a_tip(&self, change: &Change) -> Result<bool> {
        for tip in &self.tips {
            if tip.get(change.path.as_ref())? == change.new {
                return Ok(true);
            }
        }
        Ok(false)
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
        if self.others.is_empty() {
            return Ok(());
        }
        for change in changes {
            let mut olds = vec![change.old];
            for base in iter::once(self.first).chain(&self.others) {
                let old = base.get(change.path.as_ref())?;
                if old != change.new && !olds.contains(&old) {
                    olds.push(old);
                }
            }
            if olds.len() < 2 {
                continue;
            }
            let mut worst = None;
            for old in olds {
                let (before, after) = (objects.content(old)?, objects.content(change.new)?);
                let side = |state: Option<State>, content| Some((state?.kind, content));
                let measured = measure::measure(
                    side(old, before.as_slice()),
                    side(change.new, after.as_slice()),
                    thresholds,
                );
                let weight = weight(&measured);
                if worst.is_none_or(|(heaviest, _)| weight > heaviest) {
                    worst = Some((weight, old));
                }
            }
            change.old = worst.and_then(|(_, old)| old);
        }
        Ok(())
    }
}
