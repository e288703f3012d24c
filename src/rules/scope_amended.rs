//! `scope-amended`: a commit that widens its own design and brings code with it.

use super::{Case, Sink, policy_changed};
use crate::finding::{Finding, Rule};
use crate::path::show;
use crate::policy::Origin;
use crate::policy::scope::Scope;

/// How many new rows are listed.
const LISTED: usize = 10;

pub(super) fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    let policy = case.policy;
    if case.subjects.iter().all(|subject| {
        policy.is_exempt(subject.path()) || policy_changed::is_set_up(policy, subject)
    }) {
        return;
    }
    let in_force = policy.scope.as_ref();
    for governing in &policy.designs {
        let path = &governing.design.path;
        let is_new = governing.origin == Origin::Index;
        let Some(proposed) = &governing.proposed else {
            continue;
        };
        let proposed = Scope::new(proposed.grants.clone());
        let empty = Scope::default();
        let added = proposed.grants_beyond(in_force.unwrap_or(&empty));
        if added.is_empty() {
            continue;
        }
        let message = if is_new {
            format!(
                "the design {} is committed together with the code that it grants",
                show(path)
            )
        } else {
            format!(
                "the design {} gets {} new together with code",
                show(path),
                rows(added.len())
            )
        };
        let mut finding = Finding::new(Rule::ScopeAmended, path.clone(), message)
            .help("commit the design first, then the code:")
            .help(format!(
                "  git commit -m \"Amend the design\" -- {}",
                show(path)
            ));
        for grant in added.iter().take(LISTED) {
            finding = finding.help(format!(
                "line {} grants {}",
                grant.anchor.line,
                show(&grant.path)
            ));
        }
        if added.len() > LISTED {
            finding = finding.help(format!("and {} more", rows(added.len() - LISTED)));
        }
        let paths: Vec<String> = added.iter().map(|grant| grant.path.to_string()).collect();
        sink.push(finding.detail("added", paths));
    }
}

fn rows(count: usize) -> String {
    match count {
        1 => "1 row".to_owned(),
        _ => format!("{count} rows"),
    }
}
