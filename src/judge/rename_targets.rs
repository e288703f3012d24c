//! Finds how much of a deleted file survives at the new path of its Rename row.

use std::collections::HashMap;

use gix::bstr::{BStr, BString};

use crate::change::{Change, State};
use crate::error::Result;
use crate::git::Objects;
use crate::measure::{self, Kept};
use crate::policy::Policy;
use crate::rules::RenameTarget;

/// Looks up where deleted files continue.
pub(super) struct RenameTargets<'a> {
    policy: &'a Policy,
    /// The added and modified files by path; empty if no row renames anything.
    made: HashMap<&'a BStr, State>,
}

impl<'a> RenameTargets<'a> {
    pub(super) fn new(policy: &'a Policy, changes: impl Iterator<Item = &'a Change>) -> Self {
        let renames =
            policy.scope.iter().any(|scope| scope.has_renames()) || policy.proposed.has_renames();
        let made = changes
            .filter(|_| renames)
            .filter_map(|change| Some((change.path.as_ref(), change.new?)))
            .collect();
        RenameTargets { policy, made }
    }

    /// The new paths of a deleted file that the change adds or modifies, by all its Rename rows.
    ///
    /// # Errors
    /// A blob is missing or damaged.
    pub(super) fn of(&self, objects: &Objects, change: &Change) -> Result<Vec<RenameTarget>> {
        let (Some(old), None) = (change.old, change.new) else {
            return Ok(Vec::new());
        };
        if self.made.is_empty() {
            return Ok(Vec::new());
        }
        let scopes = self.policy.scope.iter().chain([&self.policy.proposed]);
        let mut paths: Vec<BString> = scopes
            .flat_map(|scope| scope.new_ends(change.path.as_ref()))
            .collect();
        paths.sort();
        paths.dedup();
        let mut ends = Vec::new();
        for path in paths {
            let Some(&new) = self.made.get::<BStr>(path.as_ref()) else {
                continue;
            };
            let kept = self.kept(objects, (&change.path, old), (&path, new))?;
            ends.push(RenameTarget { path, kept });
        }
        Ok(ends)
    }

    fn kept(
        &self,
        objects: &Objects,
        (from, old): (&BString, State),
        (to, new): (&BString, State),
    ) -> Result<Kept> {
        let are_files = old.kind.is_file() && new.kind.is_file();
        if old.id == new.id && (are_files || old.kind == new.kind) {
            return Ok(Kept::WHOLE);
        }
        if !are_files {
            return Ok(Kept::NOTHING);
        }
        let settings = &self.policy.settings;
        // Such as lock files, which tools rewrite at any time.
        if settings.exempt.contains(from.as_ref()) && settings.exempt.contains(to.as_ref()) {
            return Ok(Kept::WHOLE);
        }
        let (mut before, mut after) = (Vec::new(), Vec::new());
        objects.blob(old.id, &mut before)?;
        objects.blob(new.id, &mut after)?;
        Ok(measure::kept(&before, &after, &settings.thresholds))
    }
}
