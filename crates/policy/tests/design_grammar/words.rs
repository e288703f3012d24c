//! Each word that a row may have has its own case: in a list, in a table with types and in a table without, beside a
//! control that differs in that word alone. The lists are those of the grammar, not those of the reader.

use super::{design, deviations, none_deviates};

/// Types, with what each grants. A word of the last entry only mentions a path.
const TYPES: &[(&str, &[&str])] = &[
    (
        "add",
        &[
            "Add", "Added", "Adding", "New", "Create", "Created", "Creating", "Write", "Written",
        ],
    ),
    (
        "modify",
        &[
            "Modify",
            "Modified",
            "Modifying",
            "Update",
            "Updated",
            "Edit",
            "Edited",
            "Change",
            "Changed",
            "Rewrite",
            "Rewritten",
        ],
    ),
    (
        "write",
        &["Test", "Add/Modify", "Add / Modify", "Create or update"],
    ),
    ("delete", &["Delete", "Deleted", "Remove", "Removed"]),
    ("symlink", &["Symlink"]),
    ("submodule", &["Submodule"]),
    (
        "mention",
        &[
            "Exists",
            "Existing",
            "Verify",
            "Unchanged",
            "No change",
            "No changes",
            "Read",
            "Check",
            "Review",
            "Reference",
            "Keep",
            "Done",
        ],
    ),
];

/// What may stand behind a type in parentheses or behind a dash.
const NOTES: &[&str] = &[
    "test",
    "tests",
    "unit tests",
    "integration test",
    "docs",
    "documentation",
    "config",
    "minor",
    "major",
    "lines 12-34",
    "L10",
    "+12/-3",
];

/// Notes that say more than a type may.
const UNKNOWN_NOTES: &[&str] = &[
    "if approved",
    "phase 2",
    "one day",
    "not yet",
    "deleted",
    "minor?",
    "nur lesen",
    "❌",
];

/// Phrases that make a row a mention wherever they stand in a remark.
const DENIAL_PHRASES: &[&str] = &[
    "do not",
    "don't",
    "don’t",
    "must not",
    "never",
    "not part of",
    "no changes",
    "unchanged",
    "untouched",
    "off limits",
    "off-limits",
    "out of scope",
    "out-of-scope",
    "only if",
    "if needed",
    "if necessary",
    "if required",
    "later",
    "TBD",
    "to be decided",
    "leave as",
    "as is",
    "cannot be changed",
    "should not be changed",
    "read only",
    "read-only",
    "reference only",
    "nicht ändern",
    "ne pas modifier",
    "no modificar",
    "не менять",
    "不要",
    "変更しない",
];

/// Remarks that resemble a denial and say something else about the work.
const PLAIN_REMARKS: &[&str] = &[
    "the loop",
    "not the loop, only its end",
    "collateral, whenever, nevertheless, ifdef",
    "handle rejected promises",
    "skips blank lines",
    "no longer blocks",
];

/// Remarks that are a denial as a whole: they contradict the row.
const DENIALS: &[&str] = &[
    "No",
    "Rejected",
    "Dropped",
    "Deferred",
    "Postponed",
    "Cancelled",
    "Excluded",
    "Forbidden",
    "Out of scope",
    "Future work",
    "Optional",
    "Maybe",
    "Not yet",
    "Not planned",
];

/// With one of these at the beginning, a remark makes a row without a type, and an item, a mention.
const MENTION_WORDS: &[&str] = &[
    "Verify",
    "Read",
    "Check",
    "Review",
    "Reference",
    "Keep",
    "Done",
    "Exists",
    "Unchanged",
    "Skip",
];

/// A list with an item beside one that is granted.
fn list(item: &str) -> String {
    format!("# Plan\n\n**Files:**\n- Modify: `src/a.rs`\n- {item}\n")
}

/// A table with types, with a row for `src/b.rs` beside one that is granted.
fn typed(change_type: &str, description: &str) -> String {
    let rows =
        format!("| `src/a.rs` | Modify | x |\n| `src/b.rs` | {change_type} | {description} |\n");
    format!(
        "# Plan\n\n## Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n{rows}"
    )
}

/// The same without types; both rows may only modify.
fn untyped(description: &str) -> String {
    let rows = format!("| `src/a.rs` | x |\n| `src/b.rs` | {description} |\n");
    format!("# Plan\n\n## Files to Modify\n\n| File | Description |\n|---|---|\n{rows}")
}

/// Checks documents against what each says of `src/b.rs`: an action, `mention`, or `report` for a row that is bad. Each
/// document also grants to modify `src/a.rs`.
#[track_caller]
fn check(cases: Vec<(String, &str)>) {
    none_deviates(cases.into_iter().map(|(text, said)| {
        let mut labels = vec!["modify src/a.rs".to_owned()];
        if said == "report" {
            labels.push("report src/b.rs".to_owned());
        } else {
            labels.push(format!("{said} src/b.rs"));
        }
        let deviations = deviations(&design("docs/plans/plan.md", &text), &labels);
        (text, deviations)
    }));
}

#[test]
fn each_type_word_grants_its_actions() {
    let mut cases = Vec::new();
    for (action, words) in TYPES {
        for word in *words {
            for item in [
                format!("{word}: `src/b.rs`"),
                format!("{word} `src/b.rs`"),
                format!("**{word}:** `src/b.rs`"),
                format!("**{word}** `src/b.rs`"),
                format!("**{word}**: `src/b.rs` — the loop"),
                format!("{}: src/b.rs", word.to_lowercase()),
                format!("{}: `src/b.rs` (the loop)", word.to_uppercase()),
            ] {
                cases.push((list(&item), *action));
            }
            for cell in [
                (*word).to_owned(),
                format!("**{word}**"),
                word.to_lowercase(),
                word.to_uppercase(),
            ] {
                cases.push((typed(&cell, "the loop"), *action));
            }
        }
    }
    check(cases);
}

#[test]
fn a_similar_word_is_no_type() {
    let mut cases = Vec::new();
    for (_, words) in TYPES {
        for word in *words {
            for changed in [
                format!("x{word}"),
                format!("{word}x"),
                format!("Not {word}"),
                format!("To {word}"),
                format!("{word}?"),
                format!("{word} in phase 2"),
                format!("❌ {word}"),
                format!("{word}/Delete/Add"),
            ] {
                cases.push((list(&format!("{changed}: `src/b.rs`")), "report"));
                cases.push((typed(&changed, "the loop"), "report"));
            }
            cases.push((list(&format!("{word} the loop of `src/b.rs`")), "report"));
            cases.push((list(&format!("{word}, `src/b.rs` behind it")), "report"));
        }
    }
    check(cases);
}

#[test]
fn each_known_note_may_stand_behind_a_type_and_no_other() {
    let mut cases = Vec::new();
    for (notes, said) in [(NOTES, "modify"), (UNKNOWN_NOTES, "report")] {
        for note in notes {
            for change_type in [
                format!("Modify ({note})"),
                format!("Modify — {note}"),
                format!("Modify – {note}"),
                format!("Modify - {note}"),
                format!("**Modify** ({note})"),
            ] {
                cases.push((typed(&change_type, "the loop"), said));
            }
            cases.push((list(&format!("Modify ({note}): `src/b.rs`")), said));
        }
    }
    check(cases);
}

#[test]
fn a_rename_names_two_ends() {
    for (text, labels) in [
        (
            list("Rename: `src/b.rs` -> `src/c.rs`"),
            &["delete src/b.rs", "write src/c.rs"][..],
        ),
        (
            list("**Moved**: `src/b.rs` → `src/c.rs` (the loop)"),
            &["delete src/b.rs", "write src/c.rs"],
        ),
        (
            typed("Rename", "x").replace("`src/b.rs`", "`src/b.rs` -> `src/c.rs`"),
            &["delete src/b.rs", "write src/c.rs"],
        ),
        (list("Rename: `src/b.rs`"), &["report src/b.rs"]),
        (list("Rename: `src/b.rs`, `src/c.rs`"), &["report src/b.rs"]),
        (
            list("Modify: `src/b.rs` -> `src/c.rs`"),
            &["report src/b.rs"],
        ),
        (typed("Rename", "x"), &["report src/b.rs"]),
    ] {
        let labels: Vec<String> = [&["modify src/a.rs"], labels]
            .concat()
            .into_iter()
            .map(str::to_owned)
            .collect();
        let found = deviations(&design("docs/plans/plan.md", &text), &labels);
        assert_eq!(found, "", "{text}");
    }
}

#[test]
fn each_denial_phrase_makes_a_row_a_mention() {
    let mut cases = Vec::new();
    for phrase in DENIAL_PHRASES {
        for remark in [
            format!("the loop {phrase} the printer"),
            format!("the loop, {} it", phrase.to_uppercase()),
        ] {
            cases.push((list(&format!("`src/b.rs` — {remark}")), "mention"));
            cases.push((list(&format!("Modify: `src/b.rs`: {remark}")), "mention"));
            cases.push((list(&format!("Modify: `src/b.rs` ({remark})")), "mention"));
            cases.push((
                list(&format!("Modify: `src/b.rs`\n  - {remark}")),
                "mention",
            ));
            cases.push((typed("Modify", &remark), "mention"));
            cases.push((typed("Modify", &format!("**{remark}**")), "mention"));
            cases.push((untyped(&remark), "mention"));
        }
        // Code is not searched.
        cases.push((typed("Modify", &format!("the loop `{phrase}`")), "modify"));
    }
    for remark in PLAIN_REMARKS {
        cases.push((list(&format!("Modify: `src/b.rs` — {remark}")), "modify"));
        cases.push((list(&format!("Modify: `src/b.rs` ({remark})")), "modify"));
        cases.push((list(&format!("Modify: `src/b.rs`\n  - {remark}")), "modify"));
        cases.push((typed("Modify", remark), "modify"));
        cases.push((untyped(remark), "modify"));
    }
    check(cases);
}

#[test]
fn each_remark_that_is_a_denial_or_another_type_makes_a_row_bad() {
    let mut cases = Vec::new();
    for denial in DENIALS.iter().chain(&["Delete", "Rename"]) {
        for remark in [
            (*denial).to_owned(),
            format!("**{denial}**"),
            denial.to_lowercase(),
        ] {
            cases.push((typed("Modify", &remark), "report"));
            cases.push((list(&format!("Modify: `src/b.rs` — {remark}")), "report"));
            cases.push((list(&format!("Modify: `src/b.rs` ({remark})")), "report"));
        }
        if !["Delete", "Rename"].contains(denial) {
            cases.push((untyped(denial), "report"));
        }
    }
    for agreeing in ["Modify", "modified", "Update", "tests", ""] {
        cases.push((typed("Modify", agreeing), "modify"));
    }
    check(cases);
}

#[test]
fn each_mention_word_counts_at_the_beginning_where_a_row_has_no_type() {
    let mut cases = Vec::new();
    for word in MENTION_WORDS {
        for remark in [
            format!("{word} the printer"),
            format!("**{word}** the printer"),
            format!("{} — the printer", word.to_uppercase()),
        ] {
            cases.push((untyped(&remark), "mention"));
            cases.push((list(&format!("`src/b.rs` — {remark}")), "mention"));
            cases.push((list(&format!("Modify: `src/b.rs` ({remark})")), "mention"));
        }
        // In a table with types, the type says what happens.
        if *word != "Unchanged" {
            cases.push((typed("Modify", &format!("{word} the printer")), "modify"));
        }
        cases.push((untyped(&format!("x{word} the printer")), "modify"));
    }
    check(cases);
}

#[test]
fn do_not_modify_forbids_the_file_under_any_type() {
    for text in [
        typed("Modify", "DO NOT MODIFY"),
        typed("Delete", "scaffolded; do not modify!"),
        typed("Exists", "Do Not Modify"),
        typed("DO NOT MODIFY", "the loop"),
        typed("Modify (do not modify)", "the loop"),
        untyped("the loop (DO NOT MODIFY)"),
        list("Add: `src/b.rs` (DO NOT MODIFY)"),
        list("`src/b.rs` — generated, do not modify"),
    ] {
        let design = design("docs/plans/plan.md", &text);
        assert_eq!(design.grants.len(), 1, "{text}");
        assert_eq!(design.denials.len(), 1, "{text}");
        assert_eq!(design.denials[0].path, "src/b.rs", "{text}");
    }
}
