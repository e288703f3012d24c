//! `scope-amended`: a change that widens its own design and brings code with it. Of a commit it is refused; of a
//! range every row is listed for the reviewers.

use super::{Case, Sink, policy_changed};
use crate::finding::{Finding, Level, Rule};
use crate::path::{shell_word, show};
use crate::policy::scope::Scope;
use crate::policy::settings::Authority;
use crate::policy::{Moment, Policy};

/// How many new rows are listed.
const LISTED: usize = 10;

pub(super) fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    let policy = case.policy;
    if case.subjects.iter().all(|subject| {
        policy.is_exempt(subject.path()) || policy_changed::is_set_up(policy, subject)
    }) {
        return;
    }
    match policy.moment {
        Moment::Commit => of_commit(case, sink),
        Moment::Range => of_range(policy, sink),
        Moment::Request | Moment::Step => {}
    }
}

fn of_range(policy: &Policy, sink: &mut Sink<'_>) {
    for grant in &policy.added {
        let counts = match policy.settings.authority {
            Authority::Head => "look at it as at the code",
            Authority::Base => {
                "it grants nothing here: `authority = \"base\"` counts only rows of the merge base"
            }
        };
        let mut anchor = grant.anchor.clone();
        anchor.label = "new in this range".to_owned();
        let names: Vec<_> = grant.actions.names().collect();
        let message = format!("the range adds the row for {}", show(&grant.path));
        let mut finding = Finding::new(Rule::ScopeAmended, grant.anchor.path.clone(), message)
            .at(anchor)
            .help(counts)
            .detail("added", vec![grant.path.to_string()])
            .detail("granted", names);
        finding.level = Level::Warning;
        sink.push(finding);
    }
}

fn of_commit(case: &Case<'_>, sink: &mut Sink<'_>) {
    let policy = case.policy;
    let in_force = policy.scope.as_ref();
    for governing in &policy.designs {
        let path = &governing.design.path;
        let is_new = !governing.in_force;
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
                "the design {} gets {} together with code",
                show(path),
                match added.len() {
                    1 => "a new row".to_owned(),
                    count => format!("{count} new rows"),
                }
            )
        };
        let listed = added.iter().take(LISTED);
        let mut rows: Vec<String> = listed
            .map(|grant| format!("{} (line {})", show(&grant.path), grant.anchor.line))
            .collect();
        if added.len() > LISTED {
            rows.push(format!("{} more", added.len() - LISTED));
        }
        let verb = if is_new { "Add" } else { "Amend" };
        let finding = Finding::new(Rule::ScopeAmended, path.clone(), message)
            .help(format!("newly granted: {}", rows.join(", ")))
            .help("commit the design first, then the code:")
            .help(format!(
                "  git commit -m \"{verb} the design\" -- {}",
                shell_word(path)
            ));
        let paths: Vec<String> = added.iter().map(|grant| grant.path.to_string()).collect();
        sink.push(finding.detail("added", paths));
    }
}
