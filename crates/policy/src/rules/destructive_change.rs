//! `destructive-change`: a large file loses most of its content, is deleted without a row, or becomes something else;
//! a governing design is deleted or loses its table.

use bstr::{BStr, ByteSlice};

use super::{Case, ChangeRule, MeasuredChange, PaidFor, Sink, granted, missing_row};
use crate::change::{Action, Change};
use crate::finding::{Finding, Help, Rule};
use crate::measure::{self, Class, Conversion, Lost, LostPart, Measured, Thresholds, Unit};
use crate::path::{escaped, listed};
use crate::policy::{Policy, Stage};

pub(super) const RULE: ChangeRule = ChangeRule {
    check,
    reads: Some(may_be_generated),
};

fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    for changed in case.changes {
        if let Some(finding) = found(case, changed) {
            sink.push(finding);
        }
    }
}

/// Losing a governing design is worse than losing a large file, so only that is reported.
pub(super) fn found(case: &Case<'_>, changed: &MeasuredChange) -> Option<Finding> {
    governing_design(case, changed)
        .or_else(|| large_file(case, changed))
        .or_else(|| paid_for(case, changed))
}

/// The lines that the file gained from a large one go with it.
fn paid_for(case: &Case<'_>, changed: &MeasuredChange) -> Option<Finding> {
    let PaidFor { path, measured } = changed.pays_for.as_deref()?;
    if case.policy.settings.exempt.contains(path.as_ref()) {
        return None;
    }
    let LostPart { lost, total } = measured.lost.part();
    let unit = unit_of(&measured.lost);
    let percent = percent(measured.lost.share());
    let shown = escaped(changed.path());
    let from = escaped(path);
    let message = format!(
        "{shown} has lines of {from}, which would lose {lost} of {total} {unit} ({percent} %)"
    );
    let finding = Finding::new(Rule::DestructiveChange, changed.path(), message)
        .detail("class", measured.class.name())
        .detail("lost", lost)
        .detail("original", total)
        .detail("unit", unit)
        .detail("from", path.to_string())
        .help(format!(
            "keep these lines here, or put them back into {from} first"
        ));
    Some(advise_approval(finding, case.policy))
}

fn large_file(case: &Case<'_>, changed: &MeasuredChange) -> Option<Finding> {
    let path = changed.path();
    let change = &changed.change;
    let measured = changed.measured.as_ref()?;
    let message = loss_message(case, changed, measured)?;
    let lost = &measured.lost;
    let part = lost.part();
    let unit = unit_of(lost);
    let is_deleted = measured.class == Class::Delete;
    let mut finding = Finding::new(Rule::DestructiveChange, path, message)
        .detail("class", measured.class.name())
        .detail("lost", part.lost)
        .detail("original", part.total)
        .detail("unit", unit);
    if !lost.is_exact {
        finding = finding.detail("exact", false).help(
            "the versions are too large and too different to compare in full, so some kept lines \
             may count as lost",
        );
    }
    if !changed.moved_to.is_empty() {
        let to = changed.moved_to.iter();
        let lines: usize = to.clone().map(|to| to.lines).sum();
        let to = listed(to.map(|to| escaped(&to.path).to_string()), 3);
        finding = finding.detail("moved", lines).help(format!(
            "{lines} lines are not counted, because they moved to {to}"
        ));
    }
    if let Some(conversion) = measured.conversion {
        finding = finding.detail("becomes", conversion.name());
    }
    if let (Some(from), Some(_)) = (&change.renamed, change.new) {
        let from = escaped(from);
        finding = finding.help(format!("renamed from {from}; compared with that file"));
    }
    // No row helps where a design forbids the change.
    if is_deleted && case.policy.has_own_design() && case.policy.denial(path).is_none() {
        let before = "restore it, have a person approve the deletion, or ";
        let row = missing_row::of(change);
        return Some(missing_row::advise(finding, case.policy, &row, before));
    }
    let help = match measured.conversion {
        None if !is_deleted && lost.unit != Unit::Bytes => {
            "restore the lines or, if they moved, stage the file that they moved to; if a program \
             writes this file, list it in `[destructive] exempt`"
        }
        _ => "restore it, or have a person approve the loss",
    };
    Some(advise_approval(finding.help(help), case.policy))
}

/// What happens to the file; `None` if that is not destructive.
fn loss_message(case: &Case<'_>, changed: &MeasuredChange, measured: &Measured) -> Option<String> {
    let change = &changed.change;
    let lost = &measured.lost;
    let shown = escaped(changed.path());
    let size = match lost.unit {
        Unit::Lines => format!("{} lines", lost.all.total),
        Unit::Tokens | Unit::Bytes => format!("{} bytes", lost.bytes),
    };
    let is_deleted = measured.class == Class::Delete;
    match measured.conversion {
        // The loss of a rename is measured at its new path. Deleting what no row can name is welcome.
        _ if is_deleted
            && (change.renamed.is_some()
                || !granted::can_be_named(change, case.platform)
                || !measured.large
                || may_be_rewritten(case.policy, changed)
                || granted::has_row(case.policy, changed)
                || is_own(case, changed)) =>
        {
            None
        }
        _ if is_deleted => Some(format!("{shown} ({size}) is deleted without a Delete row")),
        Some(conversion) if measured.large || conversion != Conversion::Emptied => {
            Some(format!("{shown} becomes {}", conversion.name()))
        }
        _ if measured.class == Class::Replace && !may_be_rewritten(case.policy, changed) => {
            let LostPart { lost: gone, total } = lost.part();
            let up_to = if lost.is_exact { "" } else { "up to " };
            let unit = unit_of(lost);
            let percent = percent(lost.share());
            Some(format!(
                "{shown} loses {up_to}{gone} of {total} {unit} ({percent} %)"
            ))
        }
        _ => None,
    }
}

/// Whether the file is only of this work, such as one that was committed by mistake: the merge base lacks it, and a
/// commit of the branch has its content.
fn is_own(case: &Case<'_>, changed: &MeasuredChange) -> bool {
    changed.is_committed && (case.merge_base)(changed.path()) == Some(None)
}

/// What the larger of the two shares counts.
fn unit_of(lost: &Lost) -> &'static str {
    match lost.unit {
        Unit::Lines if lost.is_of_content() => "lines with content",
        Unit::Lines => "lines",
        Unit::Tokens => "words",
        Unit::Bytes => "bytes",
    }
}

/// Names the command that approves the change.
fn advise_approval(finding: Finding, policy: &Policy) -> Finding {
    match policy.stage {
        Stage::Request => finding.help(
            "guard does not write it; it prints an ID, by which a person can approve it: \
             guard approve ID",
        ),
        Stage::Commit => finding.help(Help::run(
            "a person can approve it at a terminal",
            "guard approve --staged",
        )),
        Stage::Range | Stage::Step => finding.help(
            "a person stages the change again, approves and signs it before committing: \
             guard approve --staged --sign KEY",
        ),
    }
}

/// Whether a program writes the file anew, so that it may lose any of its lines.
fn may_be_rewritten(policy: &Policy, changed: &MeasuredChange) -> bool {
    is_exempt(policy, &changed.change) || is_generated(changed)
}

/// Whether the settings exempt the file from this rule. A renamed file needs that under both names; otherwise any
/// file could be renamed to a lock file and lose its content.
pub(super) fn is_exempt(policy: &Policy, change: &Change) -> bool {
    let exempt = &policy.settings.exempt;
    let other = change.renamed.as_ref().filter(|_| change.new.is_some());
    exempt.contains(change.path.as_ref())
        && other.is_none_or(|other| exempt.contains(other.as_ref()))
}

/// Whether pip-compile or uv may have written the file.
pub(super) fn may_be_generated(path: &BStr) -> bool {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
    name.starts_with(b"requirements") && name.ends_with(b".txt")
}

/// Whether both versions say that pip-compile or uv wrote them.
fn is_generated(changed: &MeasuredChange) -> bool {
    let Some((old, new)) = changed.content.as_deref() else {
        return false;
    };
    may_be_generated(changed.path()) && says_generated(old) && says_generated(new)
}

fn says_generated(content: &[u8]) -> bool {
    let mut head = content.lines().take(3);
    head.any(|line| line.starts_with(b"#") && line.contains_str("autogenerated by"))
}

/// Deleting or gutting a governing design is refused at any size.
fn governing_design(case: &Case<'_>, changed: &MeasuredChange) -> Option<Finding> {
    let path = changed.path();
    let measured = changed.measured.as_ref()?;
    let governing = case.policy.governing(path);
    // A design that cannot be used must be free to change, so that it can be repaired, but it stays.
    if governing.is_none() && !case.policy.of_branch.has_selected(path) {
        return None;
    }
    let what = match changed.change.action() {
        Action::Add => return None,
        Action::Delete if changed.change.renamed.is_some() => return None,
        Action::Delete => "is deleted",
        Action::TypeChange => "becomes something other than a file",
        Action::Modify => {
            let governing = governing?;
            let unusable = governing
                .proposed
                .as_ref()
                .is_some_and(|design| !design.is_usable());
            if unusable && governing.design.is_usable() {
                "would allow nothing"
            } else if loses_text(changed, measured, &case.policy.settings.thresholds) {
                "loses most of its text"
            } else {
                return None;
            }
        }
    };
    let message = format!("the governing design {} {what}", escaped(path));
    let finding = Finding::new(Rule::DestructiveChange, path, message)
        .help("keep it until its work has landed, then move it away in a separate commit")
        .detail("class", measured.class.name());
    Some(advise_approval(finding, case.policy))
}

/// Whether the lines are lost and the words with them: a ticked box or a row in another form keeps its words.
fn loses_text(changed: &MeasuredChange, measured: &Measured, thresholds: &Thresholds) -> bool {
    // Counting words takes longer.
    if !measured.loses(thresholds) {
        return false;
    }
    match changed.content.as_deref() {
        Some((old, new)) => measure::lost_words(old, new) >= thresholds.share,
        None => true,
    }
}

/// Rounded down, so that 49.9 % is never shown as the threshold.
pub(super) fn percent(share: f64) -> u8 {
    // In 0..=100 by construction of a share.
    (share * 100.0).floor() as u8
}
