//! Each phrase that announces files, and each that excludes them, has its own case and a control.

use super::{design, deviations, none_deviates};

/// The phrases of labels and headings, with what a row without a type grants below them.
const PHRASES: &[(&str, &[&str])] = &[
    (
        "write",
        &[
            "Files changed",
            "Files touched",
            "Files affected",
            "Affected files",
            "Files to change / create",
            "Files to Create/Modify",
            "Files to create and modify",
            "Files to create or modify",
            "Files to implement",
            "File changes",
            "File map",
            "File list",
            "Declared files",
            "Allowed files",
            "Files you may modify",
        ],
    ),
    ("add", &["Files to create", "New files", "Created files"]),
    (
        "modify",
        &[
            "Files to modify",
            "Files modified",
            "Modified files",
            "Files to change",
            "Files to update",
            "Updated files",
        ],
    ),
    ("delete", &["Files to delete", "Deleted files"]),
];

/// Phrases that exclude what stands below them, in a heading of their own.
const EXCLUDING: &[&str] = &[
    "Out of scope",
    "Out-of-scope",
    "Not in scope",
    "Out of bounds",
    "Off limits",
    "Non-goals",
    "Non-goal",
    "Nongoals",
    "Deferred",
    "Postponed",
    "Later",
    "Future work",
    "Future phases",
    "Follow-up",
    "Follow-ups",
    "Dropped",
    "Rejected",
    "Refused",
    "Declined",
    "Discarded",
    "Skipped",
    "Cancelled",
    "Canceled",
    "Ruled out",
    "Abandoned approach",
    "Superseded plan",
    "Obsolete",
    "Excluded",
    "Exclusions",
    "Forbidden files",
    "Alternatives",
    "Alternatives considered",
    "Considered alternatives",
    "Rollback plan",
    "Example",
    "Examples",
    "Sample",
    "Template",
    "Appendix",
    "Appendix B",
    "Background",
    "Context",
    "History",
    "Existing files",
    "Previous work",
    "References",
    "Done",
    "Completed tasks",
    "Optional",
    "Maybe",
    "Stretch",
    "Untouched files",
    "Unchanged",
    "Backlog",
    "Open questions",
    "Prior art",
];

/// With one of these words, a heading excludes whatever else it says.
const NEGATIONS: &[&str] = &["not", "don't", "don’t", "won't", "won’t", "never"];

const WORK: &str = "\n\n## Work\n\n**Files:**\n- Modify: `src/a.rs`\n";

/// Checks documents against what each grants for `src/b.rs`, or nothing. Each document also grants to modify `src/a.rs`.
#[track_caller]
fn check(cases: Vec<(String, &str)>) {
    none_deviates(cases.into_iter().map(|(text, action)| {
        let mut labels = vec!["modify src/a.rs".to_owned()];
        if !action.is_empty() {
            labels.push(format!("{action} src/b.rs"));
        }
        let deviations = deviations(&design("docs/plans/plan.md", &text), &labels);
        (text, deviations)
    }));
}

#[test]
fn each_phrase_announces_a_table_and_a_list() {
    let mut cases = Vec::new();
    for (action, phrases) in PHRASES {
        for phrase in *phrases {
            for opening in [
                format!("## {phrase}\n\n- "),
                format!("## 2.1 {phrase} (engine)\n\n- "),
                format!("# Task 3: {phrase}\n\n- "),
                format!("#### {}:\n- ", phrase.to_uppercase()),
                format!("## {phrase}\n\n### Engine\n\n- "),
                format!("## {phrase}\n\n| File |\n|---|\n| "),
                format!("## {phrase}\n\nThese:\n\n| File |\n|---|\n| "),
                format!("## {phrase}\n\n### Engine\n\n| Why | Path |\n|---|---|\n| x | "),
                format!("**{phrase}:**\n- "),
                format!("**{phrase}**\n\n- "),
                format!("**{phrase}**:\n\n- "),
                format!("{phrase}:\n\n- "),
            ] {
                cases.push((format!("# Plan\n\n{opening}`src/b.rs`{WORK}"), *action));
            }
        }
    }
    check(cases);
}

#[test]
fn a_longer_or_a_looking_phrase_announces_nothing() {
    let mut cases = Vec::new();
    for (_, phrases) in PHRASES {
        for phrase in *phrases {
            for opening in [
                format!("**{phrase} again:**\n- "),
                format!("{phrase} in the SDK:\n\n- "),
                format!("## {phrase} of the SDK\n\n- "),
                format!("## {phrase} of the SDK\n\n| File |\n|---|\n| "),
                format!("## Not {phrase}\n\n- "),
                format!("## {phrase} to investigate\n\n- "),
                format!("## {phrase} to read\n\n| File |\n|---|\n| "),
                format!("## {phrase} for reference\n\n- "),
                format!("**{phrase} (do not edit):**\n- "),
                format!("**{phrase} (if needed):**\n- "),
                // No label, no list directly below, or no row at all.
                format!("{phrase}\n\n- "),
                format!("The {phrase}\n**{phrase}:** "),
                format!("**{phrase}:** "),
                format!("- **{phrase}**: "),
                format!("- {phrase}:\n  - "),
                format!("## {phrase}\n\nThese:\n\n- "),
                format!("> ## {phrase}\n>\n> - "),
                format!("**{phrase}:**\n\n| File |\n|---|\n| "),
            ] {
                cases.push((format!("# Plan\n\n{opening}`src/b.rs`{WORK}"), ""));
            }
            let block = format!("**{phrase}:**\n\n```\nsrc/b.rs\n```");
            cases.push((format!("# Plan\n\n{block}{WORK}"), ""));
        }
    }
    check(cases);
}

/// A list below a heading, another one that counts, and what excludes before it.
fn below(heading: &str) -> String {
    format!("# Plan\n\n{heading}\n\n#### Details\n\nFiles to modify:\n\n- `src/b.rs`{WORK}")
}

#[test]
fn each_excluding_phrase_takes_out_everything_below_its_heading() {
    let mut cases = Vec::new();
    for phrase in EXCLUDING {
        for text in [
            below(&format!("## {phrase}")),
            below(&format!("## {}", phrase.to_uppercase())),
            below(&format!("## 3. {phrase}")),
            below(&format!("### Phase 2: {phrase}")),
            below(&format!("### Task 1 — {phrase}")),
            below(&format!("## {phrase}: the engine")),
            below(&format!("## {phrase} — the engine")),
            below(&format!("## {phrase} - the engine")),
            below(&format!("## The engine ({phrase})")),
            below(&format!("## The engine [{phrase}]")),
            below(&format!("### Task 1: engine — {phrase}")),
            below(&format!("## Work\n\n## {phrase}\n\n### Parser")),
            format!("# Plan\n\n## Files to Modify ({phrase})\n\n- `src/b.rs`{WORK}"),
            format!("# Plan\n\n## Files to Modify\n\n### {phrase}\n\n- `src/b.rs`{WORK}"),
            format!(
                "# Plan\n\n## {phrase}\n\n### Files to Modify\n\n| File |\n|---|\n| `src/b.rs` |{WORK}"
            ),
            format!("# Plan\n\n**Files to modify ({phrase}):**\n\n- `src/b.rs`{WORK}"),
        ] {
            cases.push((text, ""));
        }
    }
    for word in NEGATIONS {
        cases.push((below(&format!("## What we {word} touch")), ""));
        cases.push((below(&format!("## {word} the engine")), ""));
    }
    check(cases);
}

#[test]
fn a_title_a_task_and_a_longer_word_exclude_nothing() {
    let mut cases = Vec::new();
    for phrase in EXCLUDING {
        let is_negated = phrase.starts_with("Not ");
        cases.push((below("## Parser"), "modify"));
        cases.push((below(&format!("## {phrase}\n\n## Parser")), "modify"));
        if !is_negated {
            cases.push((below(&format!("## {phrase}ish")), "modify"));
            cases.push((below(&format!("## Handle the {phrase} index")), "modify"));
            cases.push((
                below(&format!("### Task 1: Move {phrase} tokens")),
                "modify",
            ));
        }
    }
    for word in NEGATIONS {
        let title = below("## Parser").replace("# Plan", &format!("# What we {word} retry"));
        cases.push((title, "modify"));
        cases.push((below(&format!("## x{word} the engine")), "modify"));
    }
    check(cases);
}

/// The title excludes by what it consists of, begins or ends with.
#[test]
fn a_title_that_excludes_leaves_nothing() {
    for title in ["Rejected", "Rejected: the parser", "The parser (rejected)"] {
        let text = below("## Parser").replace("# Plan", &format!("# {title}"));
        assert!(
            design("docs/plans/plan.md", &text).grants.is_empty(),
            "{text}"
        );
    }
}

#[test]
fn nothing_below_a_heading_that_names_a_document_is_a_row() {
    for document in ["docs/guide.md", "`notes.rst`", "[the guide](x.md) guide.md"] {
        check(vec![
            (below(&format!("## New: {document}")), ""),
            (below(&format!("## New: {document}\n\n## Parser")), "modify"),
        ]);
    }
    check(vec![(below("## New: src/guide.rs"), "modify")]);
}
