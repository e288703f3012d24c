//! `row-untouched`: a design lists a path that the range does not change.

use std::collections::HashSet;

use bstr::BStr;

use super::{Case, ChangeRule, Sink};
use crate::finding::{Finding, Rule};
use crate::path::escaped;
use crate::policy::{Policy, Stage};
use crate::scope::Grant;

pub(super) const RULE: ChangeRule = ChangeRule { check, reads: None };

fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    if case.policy.stage != Stage::Range {
        return;
    }
    let paths = case.changes.iter().map(|changed| changed.path());
    for grant in done_and_open(case.policy, paths).1 {
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

/// The rows of this branch's own designs: those that cover one of the paths, and the others.
pub fn done_and_open<'a>(
    policy: &Policy,
    paths: impl Iterator<Item = &'a BStr>,
) -> (Vec<&Grant>, Vec<&Grant>) {
    let Some(scope) = &policy.scope else {
        return (Vec::new(), Vec::new());
    };
    let touched: HashSet<_> = paths
        .flat_map(|path| scope.lookup(path))
        .map(Grant::place)
        .collect();
    let own = policy
        .designs
        .iter()
        .filter(|governing| governing.in_force && !governing.is_standing());
    own.flat_map(|governing| &governing.design.grants)
        .partition(|grant| touched.contains(&grant.place()))
}
