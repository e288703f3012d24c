//! `row-untouched`: a design lists a path that the range does not change.

use std::collections::HashSet;

use gix::bstr::BStr;

use super::{Case, Sink};
use crate::finding::{Finding, Rule};
use crate::path::escaped;
use crate::policy::{ChosenBy, Grant, Stage};

pub(super) fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    let policy = case.policy;
    let Some(scope) = policy
        .scope
        .as_ref()
        .filter(|_| policy.stage == Stage::Range)
    else {
        return;
    };
    let touched: HashSet<_> = case
        .changes
        .iter()
        .flat_map(|changed| scope.lookup(changed.path()).grants)
        .map(place)
        .collect();
    let own = policy
        .designs
        .iter()
        .filter(|governing| governing.in_force && governing.chosen_by != ChosenBy::Standing);
    for grant in own.flat_map(|governing| &governing.design.grants) {
        if touched.contains(&place(grant)) {
            continue;
        }
        sink.push(
            Finding::new(
                Rule::RowUntouched,
                grant.path.clone(),
                format!(
                    "{} is granted, but the range does not change it",
                    escaped(&grant.path)
                ),
            )
            .at(grant.anchor.labelled("not changed"))
            .help("do the work or remove the row"),
        );
    }
}

/// Identifies the row: two may name the same path.
fn place(grant: &Grant) -> (&BStr, usize) {
    (grant.anchor.path.as_ref(), grant.anchor.span.start)
}
