//! `row-untouched`: what a design promises and a range does not do.

use std::collections::HashSet;

use gix::bstr::BStr;

use super::{Case, Sink};
use crate::finding::{Finding, Rule};
use crate::path::show;
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
        .flat_map(|subject| scope.lookup(subject.path()).grants)
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
        let mut anchor = grant.anchor.clone();
        anchor.label = "nothing did".to_owned();
        sink.push(
            Finding::new(
                Rule::RowUntouched,
                grant.path.clone(),
                format!(
                    "{} is granted, and the range does not touch it",
                    show(&grant.path)
                ),
            )
            .at(anchor)
            .help("do the work, or remove the row"),
        );
    }
}

/// Where the row stands: two may name the same path.
fn place(grant: &Grant) -> (&BStr, usize) {
    (grant.anchor.path.as_ref(), grant.anchor.span.start)
}
