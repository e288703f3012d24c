//! The report for people: each finding drawn like a rustc diagnostic that points into the design.
//!
//! A finding takes at most a screenful: message and help are cut at the constants below, previews where they are made. Repeated findings
//! of a rule are folded after [`FOLD_AFTER`]; folding changes neither the summary nor the verdict.

use std::collections::BTreeMap;
use std::io;

use annotate_snippets::renderer::{
    DEFAULT_ADDITION_STYLE, DEFAULT_ERROR_STYLE, DEFAULT_HELP_STYLE, DEFAULT_NOTE_STYLE,
    DEFAULT_REMOVAL_STYLE, DEFAULT_WARNING_STYLE,
};

use super::blocks;
use super::diagnostic::{drawn, help_blocks};
use super::target::Style;
use super::texts::{self, RunResult, message, ordered, plural, remarks};
use write_guard_policy::error::Error;
use write_guard_policy::finding::{Finding, Level, Rule};
use write_guard_policy::measure::truncate_preview;
use write_guard_policy::path::escaped;
use write_guard_policy::verdict::{JudgedChange, Outcome, Texts, Verdict};

/// Findings per rule and level that are drawn in full, so that the first ones stay visible.
const FULL: usize = 5;
/// Findings per rule and level that are shown at all, later ones in one line; the rest is counted.
const FOLD_AFTER: usize = 20;
/// The most lines of a preview.
const PREVIEW: usize = 20;

/// The report of `guard lint`: the error if there is one, else the verdict.
pub(super) fn report(run: RunResult<'_>, style: &Style) -> String {
    let RunResult { verdict, failure } = run;
    if let Some(error) = failure {
        return text(error, style);
    }
    let mut out = findings(&verdict.findings, &verdict.changes, &verdict.texts, style);
    if !style.quiet {
        out.push_str(&notes(&verdict.notes, style));
        out += &format!("{}\n", summary(verdict, style));
    }
    texts::commands(out)
}

/// Notes, one per line.
pub(crate) fn notes(notes: &[String], style: &Style) -> String {
    let label = style.paint(DEFAULT_NOTE_STYLE, "note");
    notes
        .iter()
        .map(|note| format!("{label}: {}\n", message(note)))
        .collect()
}

/// Findings in the common order, each followed by an empty line.
pub(super) fn findings(
    findings: &[Finding],
    changes: &[JudgedChange],
    texts: &Texts,
    style: &Style,
) -> String {
    let mut out = String::new();
    let mut seen: BTreeMap<(Level, Rule), usize> = BTreeMap::new();
    let blocks = blocks::joined(findings);
    for finding in ordered(&blocks) {
        if style.quiet && finding.level != Level::Error {
            continue;
        }
        let count = seen.entry((finding.level, finding.rule)).or_default();
        *count += 1;
        if *count > FOLD_AFTER {
            continue;
        }
        if *count > FULL {
            let title = title(finding.level, finding.rule, style);
            out += &format!("{title}: {}\n", message(&finding.message));
            continue;
        }
        out += &format!("{}\n", drawn(finding, texts, style));
        if finding.rule == Rule::DestructiveChange {
            let of_path = changes
                .iter()
                .filter(|change| Some(&change.path) == finding.path.as_ref());
            for preview in of_path.filter_map(|change| change.preview.as_ref()) {
                push_preview(&mut out, preview, style);
            }
        }
        out.push('\n');
    }
    for ((level, rule), count) in seen.into_iter().rev() {
        if let more @ 1.. = count.saturating_sub(FOLD_AFTER) {
            let title = title(level, rule, style);
            out += &format!("{title}: … and {more} more (use --format json for all)\n\n");
        }
    }
    out
}

/// The prefix of quoted content, which distinguishes it from guard's own words.
const GUTTER: &str = "  | ";

/// The lines of content, each behind the gutter.
pub(crate) fn gutter(content: &str) -> String {
    let lines = content.lines().map(|line| format!("{GUTTER}{line}\n"));
    lines.collect()
}

/// Appends the preview of a change, and what would be lost beyond the lines that the preview shows as removed.
pub(crate) fn push_change(text: &mut String, preview: &str, lost: &str, style: &Style) {
    // Two lines name the file.
    let removed = preview.lines().skip(2);
    let mut removed: Vec<&str> = removed.filter_map(|line| line.strip_prefix('-')).collect();
    let of_rest = if removed.is_empty() {
        "What would be lost"
    } else {
        "What else would be lost"
    };
    let mut rest = String::new();
    for line in lost.lines() {
        match removed.iter().position(|shown| *shown == line) {
            Some(at) => drop(removed.swap_remove(at)),
            None => rest += &format!("{line}\n"),
        }
    }
    let preview = painted(preview, style);
    for (title, content) in [("The change", preview), (of_rest, rest)] {
        if !content.is_empty() {
            text.push_str(&format!("\n{title}:\n{}", gutter(&content)));
        }
    }
}

/// A unified preview, whose content is escaped already, in colour if colours are on.
pub(crate) fn painted(preview: &str, style: &Style) -> String {
    preview
        .lines()
        .map(|line| match line.as_bytes().first() {
            Some(b'+') => style.paint(DEFAULT_ADDITION_STYLE, line) + "\n",
            Some(b'-') => style.paint(DEFAULT_REMOVAL_STYLE, line) + "\n",
            _ => format!("{line}\n"),
        })
        .collect()
}

/// The preview of a change below the finding, each line as far as it fits.
fn push_preview(out: &mut String, preview: &str, style: &Style) {
    let room = style.width.saturating_sub(GUTTER.len()).max(GUTTER.len());
    // That of the review page is longer.
    let mut lines: Vec<String> = preview
        .lines()
        .take(PREVIEW + 1)
        .map(|line| texts::clip(&texts::line(&line.replace('\t', "    ")), room).into_owned())
        .collect();
    truncate_preview(&mut lines, PREVIEW);
    *out += &format!("{}\n", style.title("preview:"));
    out.push_str(&gutter(&painted(&lines.join("\n"), style)));
}

/// The last line.
pub(crate) fn summary(verdict: &Verdict, style: &Style) -> String {
    let outcome = verdict.outcome();
    let color = match outcome {
        Outcome::Accepted => DEFAULT_NOTE_STYLE,
        Outcome::Refused => DEFAULT_ERROR_STYLE,
    };
    let word = style.paint(color, outcome.name());
    format!("guard: {word}: {}", in_one_line(verdict))
}

/// What was judged and found, in one line.
pub(super) fn in_one_line(verdict: &Verdict) -> String {
    let counts = verdict.counts();
    let changes = plural(counts.changes, "change");
    let remarks = remarks(&[
        (counts.errors, "error"),
        (counts.warnings, "warning"),
        (counts.notes, "note"),
    ]);
    let design = match &verdict.designs[..] {
        [] => "no design".to_owned(),
        // In case a branch name only looks like an issue.
        [one] if !one.selected_by.is_empty() => {
            let by = message(&one.selected_by);
            format!("design {}, from {by}", escaped(&one.path))
        }
        [one] => format!("design {}", escaped(&one.path)),
        [a, b] => format!("designs {} and {}", escaped(&a.path), escaped(&b.path)),
        [a, b, rest @ ..] => {
            let more = rest.len();
            format!(
                "designs {}, {} and {more} more",
                escaped(&a.path),
                escaped(&b.path)
            )
        }
    };
    let mut text = match (verdict.outcome(), counts.changes) {
        (Outcome::Refused, _) => format!("{remarks} in {changes} ({design})"),
        (_, 0) => "nothing to check".to_owned(),
        _ if verdict.designs.is_empty() => format!("{changes}, no design"),
        _ => format!("{changes} within {design}"),
    };
    if verdict.is_accepted() && !remarks.is_empty() {
        text.push_str(&format!(", {remarks}"));
    }
    if counts.approved > 0 {
        text.push_str(&format!(", {} approved", counts.approved));
    }
    text
}

/// Level and rule, as annotate-snippets draws them.
fn title(level: Level, rule: Rule, style: &Style) -> String {
    let color = match level {
        Level::Error => DEFAULT_ERROR_STYLE,
        Level::Warning => DEFAULT_WARNING_STYLE,
        Level::Note => DEFAULT_NOTE_STYLE,
    };
    style.paint(color, &format!("{}[{}]", level.name(), rule.id()))
}

/// The width of `  help: `.
const HELP_INDENT: &str = "        ";

/// Writes notes, one per line.
///
/// # Errors
///
/// Those of `out`.
pub fn write_notes(lines: &[String], out: &mut dyn io::Write, style: &Style) -> io::Result<()> {
    out.write_all(texts::commands(notes(lines, style)).as_bytes())
}

/// Writes the error with the faults behind it and its help.
///
/// # Errors
///
/// Those of `out`.
pub fn write_error(error: &Error, out: &mut dyn io::Write, style: &Style) -> io::Result<()> {
    out.write_all(text(error, style).as_bytes())
}

fn text(error: &Error, style: &Style) -> String {
    let mut text = findings(&error.problems, &[], &error.texts, style);
    let label = format!("guard: {}", style.paint(DEFAULT_ERROR_STYLE, "error"));
    let mut lines = error.message.lines();
    text.push_str(&format!(
        "{label}: {}\n",
        message(lines.next().unwrap_or_default())
    ));
    for line in lines {
        text.push_str(&format!("       {}\n", texts::text(line)));
    }
    for help in help_blocks(&error.help) {
        let help_label = style.paint(DEFAULT_HELP_STYLE, "help");
        let help = help.replace('\n', &format!("\n{HELP_INDENT}"));
        text.push_str(&format!("  {help_label}: {help}\n"));
    }
    texts::commands(text)
}
