//! `unsafe-path` and `outside-workspace`: paths and link targets that are dangerous on some system. Deleting such a
//! path is always allowed.

use super::{Case, MeasuredChange, Sink};
use crate::change::Kind;
use crate::finding::{Finding, Rule};
use crate::path::{self, Links, Platform, Rejection, escaped};

pub(super) fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    let platform = case.platform;
    for (changed, kind) in arrivals(case) {
        if let Err(rejection) = path::check_entry(changed.path(), kind, platform) {
            sink.push(finding(changed, &rejection));
        }
        if kind == Kind::Symlink
            && let Err(rejection) = check_link(case, changed, platform)
        {
            sink.push(finding(changed, &rejection));
        }
    }
    check_clashes_with_links(case, sink);
}

/// The changes that leave something at their path, with its kind.
fn arrivals<'a>(case: &Case<'a>) -> impl Iterator<Item = (&'a MeasuredChange, Kind)> {
    case.changes
        .iter()
        .filter_map(|changed| changed.change.new.map(|state| (changed, state.kind)))
}

fn check_link(
    case: &Case<'_>,
    changed: &MeasuredChange,
    platform: Platform,
) -> Result<(), Rejection> {
    // A target that was not loaded counts as empty, which is refused.
    let target = changed.content.as_deref().map_or(&[][..], |(_, new)| new);
    path::check_link_target(changed.path(), target, platform)?;
    path::resolve_link(case.result, changed.path(), target).map(drop)
}

/// On a case-insensitive file system, checkout would write through a link whose name differs only in case.
fn check_clashes_with_links(case: &Case<'_>, sink: &mut Sink<'_>) {
    if arrivals(case).next().is_none() {
        return;
    }
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
    for (changed, _) in arrivals(case) {
        if let Err(rejection) = links.check(changed.path()) {
            sink.push(finding(changed, &rejection));
        }
    }
    // A new link may also collide with an older path.
    if arrivals(case).any(|(_, kind)| kind == Kind::Symlink) {
        let changed: std::collections::HashSet<_> =
            case.changes.iter().map(MeasuredChange::path).collect();
        case.result.for_each(&mut |path, _| {
            if !changed.contains(path)
                && let Err(rejection) = links.check(path)
            {
                let message = rejection.message.clone();
                sink.push(
                    Finding::new(rejection.reason.rule(), path, message)
                        .help(rejection.reason.advice())
                        .detail("reason", rejection.reason.detail()),
                );
            }
        });
    }
}

fn finding(changed: &MeasuredChange, rejection: &Rejection) -> Finding {
    let rule = rejection.reason.rule();
    let mut finding = Finding::new(rule, changed.path(), rejection.message.clone())
        .help(rejection.reason.advice())
        .detail("reason", rejection.reason.detail());
    if rule == Rule::UnsafePath
        && let Some(from) = &changed.change.renamed
    {
        finding = finding.help(format!("its name before the rename: {}", escaped(from)));
    }
    finding
}
