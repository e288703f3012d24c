//! The missing row, ready to paste in the columns of the design's table.

use bstr::BStr;

use super::{MeasuredChange, granted};
use crate::change::Change;
use crate::design::MissingRow;
use crate::finding::{Finding, Help};
use crate::path::{escaped, shell_word};
use crate::policy::{Policy, Stage};
use crate::scope::Actions;

/// Adds the row that would permit the change to the finding's help, or how to write a design if only standing ones
/// apply. `before` is an alternative such as "write src/a.rs, or ". A finding without an anchor then points at the table.
pub(super) fn advise(
    mut finding: Finding,
    policy: &Policy,
    wanted: &MissingRow<'_>,
    before: &str,
) -> Finding {
    let near = finding.design.as_ref().map(|at| at.path.as_ref());
    let Some(design) = policy.document_to_extend(near) else {
        return finding.help("no design applies to this branch; to write one: guard scope new");
    };
    let row = design.row(wanted);
    if finding.design.is_none() {
        finding.design = (row.anchor).map(|anchor| anchor.labelled("the row belongs here"));
    }
    if !row.is_read {
        let why = "no row of the design can name this path: give the file another name";
        return finding.help(format!("{before}{why}"));
    }
    let (place, then) = (escaped(&design.path), policy.commit_the_design());
    let step = format!("{before}add this row to {place} and {then}:");
    let mut finding = finding.help(step);
    for line in row.lines {
        finding = finding.help(Help::Row(line));
    }
    let path = shell_word(wanted.path);
    let of_design = if policy.has_several_designs() {
        format!(" --design {}", shell_word(&design.path))
    } else {
        String::new()
    };
    match (policy.stage, policy.operation) {
        (Stage::Commit, Some(operation)) => {
            finding.help(format!("to leave the {operation}: git {operation} --abort"))
        }
        (Stage::Commit, None) => {
            finding.help(format!("to add it: guard scope add --missing{of_design}"))
        }
        (Stage::Request, _) => {
            let command = format!("guard scope add {path}{of_design}");
            finding.help(format!("a person can add it: {command}"))
        }
        // The type of the row is taken from the file, which a rename or a deletion has left behind.
        _ if matches!(wanted.word, "Add" | "Modify") => {
            let word = wanted.word;
            let command = format!("guard scope add {path} --type {word}{of_design}");
            finding.help(format!("to add it: {command}"))
        }
        _ => finding,
    }
}

/// The row for one change alone.
pub(super) fn of(change: &Change) -> MissingRow<'_> {
    let actions = granted::needed(change);
    let word = match actions {
        Actions::DELETE => "Delete",
        Actions::SYMLINK => "Symlink",
        Actions::SUBMODULE => "Submodule",
        Actions::ADD => "Add",
        _ => "Modify",
    };
    MissingRow {
        path: change.path.as_ref(),
        from: None,
        word,
        actions,
    }
}

/// The single row for both ends of a rename.
pub(super) fn of_rename(changed: &MeasuredChange) -> Option<MissingRow<'_>> {
    let change = &changed.change;
    let other: &BStr = change.renamed.as_ref()?.as_ref();
    let (from, path) = match change.new {
        Some(_) => (other, changed.path()),
        None => (changed.path(), other),
    };
    Some(MissingRow {
        path,
        from: Some(from),
        word: "Rename",
        actions: Actions::ADD,
    })
}
