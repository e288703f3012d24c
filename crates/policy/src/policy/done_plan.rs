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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_names_the_first_plan_and_counts_the_others() {
        let plan = |path: &str| DonePlan {
            path: path.into(),
            sign: "docs/done".into(),
        };
        let is_done = "a.md is done: docs/done existed before this work began";
        assert_eq!(plan("a.md").statement(), is_done);
        assert_eq!(note_on_done(&[]), None);
        let one = note_on_done(&[plan("a.md")]);
        assert_eq!(one, Some(format!("{is_done}, so it grants nothing")));
        let two = note_on_done(&[plan("a.md"), plan("b.md")]);
        let expected = format!("2 plans are done and grant nothing; {is_done}");
        assert_eq!(two, Some(expected));
    }
}
