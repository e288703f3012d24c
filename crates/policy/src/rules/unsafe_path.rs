//! `unsafe-path` and `outside-workspace`: paths and link targets that are dangerous on some system. Deleting such a
//! path is always allowed.

use std::collections::HashSet;

use bstr::BStr;

use super::{Case, ChangeRule, MeasuredChange, Sink};
use crate::change::Kind;
use crate::finding::{Finding, Rule};
use crate::path::{self, Links, Rejection};

pub(super) const RULE: ChangeRule = ChangeRule { check, reads: None };

fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    // The changes that leave something at their path, with its kind.
    let arrivals = case.changes.iter();
    let arrivals = arrivals.filter_map(|changed| Some((changed, changed.change.new?.kind)));
    let arrivals: Vec<(&MeasuredChange, Kind)> = arrivals.collect();
    for &(changed, kind) in &arrivals {
        if let Err(rejection) = path::check_entry(changed.path(), kind, case.platform) {
            sink.push(of_change(case, changed, &rejection));
        }
        if kind == Kind::Symlink
            && let Err(rejection) = check_link(case, changed)
        {
            sink.push(of_change(case, changed, &rejection));
        }
    }
    if !arrivals.is_empty() {
        check_clashes_with_links(case, &arrivals, sink);
    }
}

fn check_link(case: &Case<'_>, changed: &MeasuredChange) -> Result<(), Rejection> {
    // A target that was not loaded counts as empty, which is refused.
    let target = changed.content.as_deref().map_or(&[][..], |(_, new)| new);
    path::check_link_target(changed.path(), target, case.platform)?;
    path::resolve_link(case.result, changed.path(), target).map(drop)
}

/// On a case-insensitive file system, checkout would write through a link whose name differs only in case.
fn check_clashes_with_links(
    case: &Case<'_>,
    arrivals: &[(&MeasuredChange, Kind)],
    sink: &mut Sink<'_>,
) {
    let mut links = Vec::new();
    case.result.for_each(&mut |path, kind| {
        if kind == Kind::Symlink {
            links.push(path.to_owned());
        }
    });
    if links.is_empty() {
        return;
    }
    let links = Links::new(links);
    for (changed, _) in arrivals {
        if let Err(rejection) = links.check(changed.path()) {
            sink.push(of_change(case, changed, &rejection));
        }
    }
    // A new link may also collide with an older path.
    if arrivals.iter().any(|(_, kind)| *kind == Kind::Symlink) {
        let changed: HashSet<_> = case.changes.iter().map(MeasuredChange::path).collect();
        case.result.for_each(&mut |path, _| {
            if !changed.contains(path)
                && let Err(rejection) = links.check(path)
            {
                sink.push(rejected(rejection.reason.rule(), path, &rejection));
            }
        });
    }
}

/// The finding about a path that was rejected.
pub(super) fn rejected(rule: Rule, path: &BStr, rejection: &Rejection) -> Finding {
    Finding::new(rule, path, rejection.message.clone())
        .help(rejection.reason.advice())
        .detail("reason", rejection.reason.detail())
}

fn of_change(case: &Case<'_>, changed: &MeasuredChange, rejection: &Rejection) -> Finding {
    let mut finding = rejected(rejection.reason.rule(), changed.path(), rejection);
    finding.help.extend(case.policy.leave_out(changed.path()));
    finding
}
