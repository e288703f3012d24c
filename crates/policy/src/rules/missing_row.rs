//! The missing row, ready to paste in the columns of the design's table.

use bstr::BStr;

use super::{MeasuredChange, granted};
use crate::change::Change;
use crate::design::{Design, MissingRow};
use crate::finding::{Finding, Help, WantedRow};
use crate::path::{escaped, shell_word};
use crate::policy::{Obstacle, Policy, Stage};
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
        if policy.ways_to_a_design.is_empty() {
            return finding.help("no design applies to this branch; a person writes one");
        }
        let none = finding.help("this branch has no design of its own");
        return policy
            .ways_to_a_design
            .iter()
            .cloned()
            .fold(none, Finding::help);
    };
    let row = design.row(wanted);
    if finding.design.is_none() {
        finding.design = (row.anchor).map(|anchor| anchor.labelled("the row belongs here"));
    }
    if !row.is_read {
        let why = "no row of the design can name this path: give the file another name";
        return finding.help(format!("{before}{why}"));
    }
    let place = escaped(&design.path);
    let then = policy.commit_the_design();
    let step = format!("{before}add this row to {place} and {then}:");
    let mut finding = finding.help(step);
    for line in row.lines {
        finding = finding.help(Help::Row(line));
    }
    with_command(finding, policy, wanted, design)
}

/// Adds the command that writes the row into the design, and then the same row for `guard scope add --missing`.
pub(super) fn with_command(
    mut finding: Finding,
    policy: &Policy,
    wanted: &MissingRow<'_>,
    design: &Design,
) -> Finding {
    let path: &BStr = design.path.as_ref();
    let shown = shell_word(path);
    if policy.stage == Stage::Commit
        && let Some(operation) = policy.operation
    {
        let leave = format!("git {operation} --abort");
        return finding.help(Help::run(format_args!("to leave the {operation}"), leave));
    }
    match policy
        .governing(path)
        .and_then(|governing| governing.obstacle)
    {
        None => {}
        Some(Obstacle::Settled) => return finding,
        Some(Obstacle::Gone) => {
            return finding
                .help("this change takes the design or guard.toml away: restore it first");
        }
        Some(Obstacle::Unstaged) => {
            let stage = format!("git add -- {shown}");
            return finding.help(Help::run("first stage what you have changed there", stage));
        }
    }
    finding.row = word_of(wanted).map(|word| {
        Box::new(WantedRow {
            design: design.path.clone(),
            path: wanted.path.to_owned(),
            from: wanted.from.map(ToOwned::to_owned),
            word,
        })
    });
    let of_design = if policy.has_several_designs() {
        format!(" --design {shown}")
    } else {
        String::new()
    };
    let paths = wanted.from.into_iter().chain([wanted.path]);
    let paths: Vec<String> = paths.map(|one| shell_word(one).to_string()).collect();
    let one = format!(
        "guard scope add {} --type {}{of_design}",
        paths.join(" "),
        wanted.word
    );
    let (why, command) = match policy.stage {
        Stage::Commit => ("to add it", format!("guard scope add --missing{of_design}")),
        Stage::Request => ("a person can add it", one),
        Stage::Range | Stage::Step => ("to add it", one),
    };
    finding.help(Help::run(why, command))
}

/// The words of types that guard proposes.
const WORDS: &[&str] = &[
    "Add",
    "Modify",
    "Add/Modify",
    "Delete",
    "Rename",
    "Symlink",
    "Submodule",
];

fn word_of(wanted: &MissingRow<'_>) -> Option<&'static str> {
    WORDS.iter().copied().find(|word| *word == wanted.word)
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
