//! The rows that a range lacks, as edits of its designs that a reviewer can accept. Each is what `guard scope add` would
//! write.

use std::collections::{BTreeMap, BTreeSet};

use gix::bstr::{BStr, BString, ByteSlice};

use super::Options;
use super::facts::JudgementFacts;
use write_guard_policy::design::{self, MissingRow, propose};
use write_guard_policy::error::Result;
use write_guard_policy::finding::{Finding, Level, WantedRow};
use write_guard_policy::measure::{LineEdit, line_edits, shown_lines};
use write_guard_policy::policy::{Policy, Stage};
use write_guard_policy::scope::Actions;
use write_guard_policy::scope::glob::is_glob;
use write_guard_policy::verdict::RowSuggestions;

/// The suggestions for the rows that the findings of a range ask for, if they are wanted. A design gets all of its rows
/// or none: those that the range does not show, or that guard reads from elsewhere, get none.
///
/// # Errors
/// A version of a design cannot be read.
pub(super) fn suggestions(
    facts: &JudgementFacts<'_>,
    policy: &Policy,
    findings: &[Finding],
    options: &Options,
) -> Result<RowSuggestions> {
    if !options.for_suggestions || facts.stage != Stage::Range {
        return Ok(RowSuggestions::default());
    }
    let mut wanted: BTreeMap<&BString, BTreeSet<&WantedRow>> = BTreeMap::new();
    let errors = findings.iter().filter(|one| one.level == Level::Error);
    for row in errors.filter_map(|finding| finding.row.as_deref()) {
        if row.from.iter().chain([&row.path]).all(is_plain) {
            wanted.entry(&row.design).or_default().insert(row);
        }
    }
    let mut all = RowSuggestions::default();
    for (design, rows) in wanted {
        if let Some(edits) = edits(facts, policy, design.as_ref(), &rows)? {
            all.paths.extend(rows.iter().map(|row| row.path.clone()));
            all.edits
                .extend(edits.into_iter().map(|edit| (design.clone(), edit)));
        }
    }
    Ok(all)
}

/// The edits that add rows to a design; `None` where a reviewer could not comment on the lines.
fn edits(
    facts: &JudgementFacts<'_>,
    policy: &Policy,
    path: &BStr,
    rows: &BTreeSet<&WantedRow>,
) -> Result<Option<Vec<LineEdit>>> {
    let Some(governing) = policy.governing(path) else {
        return Ok(None);
    };
    let design = &governing.design;
    let is_of_range = facts
        .result
        .read(path)?
        .is_some_and(|head| head == design.text.as_bytes());
    // GitHub does not keep the line endings of Windows in a suggestion.
    if !is_of_range || design.text.contains('\r') {
        return Ok(None);
    }
    let missing = rows.iter().map(|row| {
        Some(MissingRow {
            path: row.path.as_ref(),
            from: row.from.as_ref().map(|from| from.as_bstr()),
            word: row.word,
            actions: match row.from {
                Some(_) => Actions::ADD,
                None => propose::actions_of(row.word)?,
            },
        })
    });
    let Some(missing) = missing.collect::<Option<Vec<MissingRow<'_>>>>() else {
        return Ok(None);
    };
    let parse = |text: &str| design::parse(path, text.as_bytes(), &policy.settings);
    let Ok(after) = propose::insert(design, &missing, "", &parse) else {
        return Ok(None);
    };
    let base = facts.base.tree.read(path)?.unwrap_or_default();
    let shown = shown_lines(&base.to_str_lossy(), &design.text);
    let edits = line_edits(&design.text, &after);
    let is_shown = |edit: &LineEdit| {
        let mut hunks = shown.iter();
        hunks.any(|lines| lines.contains(&edit.first) && lines.contains(&edit.last))
    };
    Ok(edits.iter().all(is_shown).then_some(edits))
}

/// Whether a path has no character that Markdown reads, and names one file.
fn is_plain(path: &BString) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    path.to_str().is_ok_and(|text| text.chars().all(is_plain)) && !is_glob(path.as_ref())
}
