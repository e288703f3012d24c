//! A plan whose work was done before this work began.

use bstr::BString;

use crate::path::escaped;

/// A plan that grants nothing because its work is done, as `[lld] done` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DonePlan {
    /// The plan.
    pub path: BString,
    /// The file that says so.
    pub sign: BString,
}

impl DonePlan {
    /// That the plan is done, and why.
    pub fn statement(&self) -> String {
        format!(
            "{} is done: {} existed before this work began",
            escaped(&self.path),
            escaped(&self.sign)
        )
    }

    /// The same with what follows from it.
    pub fn note(&self) -> String {
        format!("{}, so it grants nothing", self.statement())
    }
}

/// One note on all of these plans.
pub fn note_on_done(done: &[DonePlan]) -> Option<String> {
    let first = done.first()?;
    Some(match done.len() {
        1 => first.note(),
        count => format!(
            "{count} plans are done and grant nothing; {}",
            first.statement()
        ),
    })
}
