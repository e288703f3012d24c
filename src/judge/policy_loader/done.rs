//! Tells plans whose work was done before this work began: they grant nothing.

use gix::bstr::{BStr, BString};

use super::Loader;
use super::select::{Choice, matching};
use write_guard_policy::error::Result;
use write_guard_policy::policy::{DonePlan, Stage};
use write_guard_policy::scope::done;
use write_guard_repo::Tree;

impl Loader<'_, '_> {
    /// The file by `[lld] done` that says that the work of a plan was done before this work began. A summary that the
    /// branch itself adds ends nothing on this branch.
    pub(super) fn sign_of_done(&self, plan: &BStr) -> Result<Option<BString>> {
        let settings = &self.policy.settings;
        if settings.done.is_empty() {
            return Ok(None);
        }
        let patterns = settings.lld_path.iter().chain(&settings.standing);
        for sign in done::signs_of(plan, patterns, &settings.done) {
            if let Some(file) = matching(sign.as_ref(), self.began_with()?)?
                .into_iter()
                .next()
            {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    /// The tree that this work began with: the merge base's or, where that is unknown, HEAD's.
    fn began_with(&self) -> Result<&Tree<'_>> {
        if matches!(self.facts.stage, Stage::Range | Stage::Step) {
            return Ok(self.base());
        }
        let target = self.policy.settings.base.as_deref();
        let merge_base = self.facts.base.merge_base(self.facts.repo, target)?;
        Ok(merge_base.map_or(self.base(), |(_, tree)| tree))
    }

    /// Whether the work of a plan is still to do. A plan that is done is kept in mind, to be reported.
    pub(super) fn is_open(&self, plan: &BString) -> Result<bool> {
        let Some(sign) = self.sign_of_done(plan.as_ref())? else {
            return Ok(true);
        };
        let mut done = self.done.borrow_mut();
        if done.iter().all(|known| known.path != *plan) {
            let path = plan.clone();
            done.push(DonePlan { path, sign });
        }
        Ok(false)
    }

    /// The choices whose work is still to do.
    pub(super) fn open_ones(&self, choices: Vec<Choice>) -> Result<Vec<Choice>> {
        let mut open = Vec::new();
        for choice in choices {
            if self.is_open(&choice.path)? {
                open.push(choice);
            }
        }
        Ok(open)
    }

    /// The designs of this branch whose work is still to do. Those that were chosen and are done get a note.
    pub(super) fn own_open_ones(&mut self, own: Vec<Choice>) -> Result<Vec<Choice>> {
        let chosen: Vec<BString> = own.iter().map(|choice| choice.path.clone()).collect();
        let open = self.open_ones(own)?;
        let done = self.done.borrow();
        self.own_is_done = open.is_empty() && !done.is_empty();
        for plan in done.iter() {
            // Without any open one, this is why there is no design.
            if chosen.contains(&plan.path) && !open.is_empty() {
                self.policy.notes.push(plan.note());
            }
        }
        Ok(open)
    }
}
