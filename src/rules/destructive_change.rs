//! `destructive-change`: a large file is replaced, deleted unseen, or turned into something else; a governing
//! design is deleted or gutted.

use super::{Case, MeasuredChange, Sink, missing_row, out_of_scope};
use crate::change::{Action, Change};
use crate::finding::{Finding, Rule};
use crate::measure::{Class, Conversion, Measured, Unit};
use crate::path::{shell_word, show};
use crate::policy::{Policy, Stage};

pub(super) fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    for subject in case.changes {
        // A new kind of governing document is worse than a large file lost: say only that.
        if let Some(finding) = governing_design(case, subject).or_else(|| large_file(case, subject))
        {
            sink.push(finding);
        }
    }
}

/// Whether the change is refused here for what it destroys.
pub(super) fn refuses(case: &Case<'_>, subject: &MeasuredChange) -> bool {
    governing_design(case, subject).is_some() || large_file(case, subject).is_some()
}

fn large_file(case: &Case<'_>, subject: &MeasuredChange) -> Option<Finding> {
    let path = subject.path();
    let measured = &subject.measured;
    let exempt = || is_exempt(case.policy, &subject.change);
    let shown = show(path);
    let message = match (measured.class, measured.conversion) {
        // The old end of a rename goes on at the new end, where the loss is measured.
        (Class::Delete, _) if subject.change.renamed.is_some() => return None,
        // No row could speak of it, and it is well that it goes.
        (Class::Delete, _) if !out_of_scope::can_be_named(&subject.change) => return None,
        (Class::Delete, _)
            if !measured.large || exempt() || out_of_scope::has_row(case.policy, subject) =>
        {
            return None;
        }
        // Designs come and go without rows; those in force are judged above.
        (Class::Delete, _) if case.policy.is_design(path) => return None,
        (Class::Delete, _) => format!(
            "{shown} with {} is deleted, and no row of a design says so",
            size(measured)
        ),
        (_, Some(conversion)) if measured.large || conversion != Conversion::Emptied => {
            format!("{shown} becomes {}", conversion.name())
        }
        (Class::Replace, _) if !exempt() => {
            let unit = plural(measured.lost.unit);
            format!(
                "{shown} loses {}{} of {} {unit} ({} %)",
                if measured.lost.is_exact { "" } else { "up to " },
                measured.lost.lost,
                measured.lost.total,
                percent(measured.lost.share())
            )
        }
        _ => return None,
    };
    let mut finding = Finding::new(Rule::DestructiveChange, path, message)
        .detail("class", measured.class.name())
        .detail("lost", measured.lost.lost)
        .detail("original", measured.lost.total)
        .detail("unit", measured.lost.unit.name());
    if !measured.lost.is_exact {
        finding = finding.detail("exact", false).help(
            "the versions are too large and too different to compare in full: lines that a full comparison might keep count as lost",
        );
    }
    if let Some(conversion) = measured.conversion {
        finding = finding.detail("becomes", conversion.name());
    }
    if let Some(from) = subject
        .change
        .renamed
        .as_ref()
        .filter(|_| subject.change.new.is_some())
    {
        finding = finding.help(format!(
            "compared with {}, from which it was renamed",
            show(from)
        ));
    }
    let finding = match subject.change.action() {
        Action::Delete => missing_row::advise(finding, case.policy, &missing_row::of(&subject.change), ""),
        _ => finding.help(format!(
            "bring back what is lost and change only what is needed; {} is a replacement, which needs a person's approval",
            match measured.conversion {
                None => format!("a loss of {} % or more", percent(case.policy.settings.thresholds.share)),
                Some(_) => "this".to_owned(),
            }
        )),
    };
    Some(advise_approval(finding, case.policy, &subject.change))
}

/// The command by which a person approves the change, and what to do without a person.
fn advise_approval(finding: Finding, policy: &Policy, change: &Change) -> Finding {
    match policy.stage {
        Stage::Request => finding.help(
            "`guard write` and `guard delete` hold it for a person, who decides by the ID that they print: guard approve ID",
        ),
        Stage::Commit => finding
            .help("a person approves it at a terminal: guard approve --staged")
            .help(format!(
                "without one, leave it out: git restore --staged -- {}",
                shell_word(&change.path)
            )),
        Stage::Range | Stage::Step if policy.settings.accept_unsigned => finding.help(
            "or a person makes the commit anew and approves it before committing: guard approve --staged",
        ),
        Stage::Range | Stage::Step => finding.help(
            "a range counts only signed approvals: a person makes the commit anew and signs before committing: guard approve --staged --sign KEY",
        ),
    }
}

/// Whether the settings let the content be rewritten. A file that is renamed on the way needs that by both of its
/// names: else any file could take the name of a lock file and lose its content there.
pub(super) fn is_exempt(policy: &Policy, change: &Change) -> bool {
    let exempt = &policy.settings.exempt;
    let other = change.renamed.as_ref().filter(|_| change.new.is_some());
    exempt.contains(change.path.as_ref())
        && other.is_none_or(|other| exempt.contains(other.as_ref()))
}

/// How large the old version is, in what is compared with the threshold.
fn size(measured: &Measured) -> String {
    match measured.lost.unit {
        Unit::Lines => format!("{} lines", measured.original_lines.unwrap_or_default()),
        Unit::Tokens | Unit::Bytes => format!("{} bytes", measured.lost.bytes),
    }
}

/// Deleting or gutting the document that grants is refused whatever its size.
fn governing_design(case: &Case<'_>, subject: &MeasuredChange) -> Option<Finding> {
    let path = subject.path();
    let governing = case.policy.governing(path)?;
    let what = match subject.change.action() {
        Action::Add => return None,
        Action::Delete if subject.change.renamed.is_some() => return None,
        Action::Delete => "is deleted",
        Action::TypeChange => "is replaced by something that is not a file",
        Action::Modify => {
            let unusable = governing
                .proposed
                .as_ref()
                .is_some_and(|design| !design.is_usable());
            if unusable && governing.design.is_usable() {
                "would grant nothing any more"
            } else if subject
                .measured
                .lost
                .at_least(case.policy.settings.thresholds.share)
            {
                "loses most of its text"
            } else {
                return None;
            }
        }
    };
    let finding = Finding::new(
        Rule::DestructiveChange,
        path,
        format!("the governing design {} {what}", show(path)),
    )
    .help(
        "keep it until the work that it governs has landed; move it with `git mv` when it is done",
    )
    .detail("class", subject.measured.class.name());
    Some(advise_approval(finding, case.policy, &subject.change))
}

/// What was counted, for people.
pub(super) fn plural(unit: Unit) -> &'static str {
    match unit {
        Unit::Lines => "lines",
        Unit::Tokens => "words",
        Unit::Bytes => "bytes",
    }
}

/// Rounded down, so that 49.9 % is never shown as the threshold.
pub(super) fn percent(share: f64) -> u8 {
    // In 0..=100 by construction of a share.
    (share * 100.0).floor() as u8
}
