//! `row-untouched`: a design lists a path that the range does not change.

use std::collections::HashSet;

use gix::bstr::BStr;

use super::{Case, Sink};
use crate::finding::{Finding, Rule};
use crate::path::escaped;
use crate::policy::{ChosenBy, Stage};
use crate::scope::Grant;

pub(super) fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    let policy = case.policy;
    let Some(scope) = &policy.scope else {
        return;
    };
    if policy.stage != Stage::Range {
        return;
    }
    let changes = case.changes.iter();
    let touched: HashSet<_> = changes
        .flat_map(|changed| scope.lookup(changed.path()).grants)
        .map(place)
        .collect();
    let own = policy
        .designs
        .iter()
        .filter(|governing| governing.in_force && governing.chosen_by != ChosenBy::Standing);
    let rows = own.flat_map(|governing| &governing.design.grants);
    for grant in rows.filter(|grant| !touched.contains(&place(grant))) {
        let path = &grant.path;
        let message = format!(
            "{} is allowed, but the branch does not change it",
            escaped(path)
        );
        sink.push(
            Finding::new(Rule::RowUntouched, path.clone(), message)
                .at(grant.anchor.labelled("not changed"))
                .help("do the work or remove the row"),
        );
    }
}

/// Identifies the row: two may name the same path.
fn place(grant: &Grant) -> (&BStr, usize) {
    (grant.anchor.path.as_ref(), grant.anchor.span.start)
}
