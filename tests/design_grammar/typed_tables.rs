//! A table with types is the whole scope: nothing around it adds or removes a grant.

use std::collections::BTreeSet;

use write_guard::design::Problem;
use write_guard::finding::Rule;

use super::{design, granted, none_deviates};
use crate::common::documents::corpus;
use crate::common::random::Random;

const AT: &str = "docs/lld/LLD-1.md";
const TABLE: &str = "### 2.1 Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n| `src/a.rs` | Modify | why |\n| `src/b.rs` | Add | why |\n| `src/c/` | Add (Directory) | why |\n| `src/d.rs` | Delete | why |\n";

/// Blocks that are rows in a document without such a table, or once were.
const BLOCKS: &[&str] = &[
    "Some prose about `src/x.rs`, which is deleted.",
    "**Files:**\n- Create: `src/x1.rs`\n- Delete: `src/a.rs`",
    "**Files:** `src/x2.rs`; Delete: `src/b.rs`",
    "- Affected code:\n  - `src/x3.rs`",
    "## Files to Create\n\n- `src/x14.rs`",
    "### Files to Delete\n\n- `src/b.rs`\n- `src/x15.rs` — the loop",
    "## New Files\n\n| File | Purpose |\n|---|---|\n| `src/x4.rs` | why |",
    "#### Traceability\n\n| File | Section |\n|---|---|\n| `src/x5.rs` | 2.1 |",
    "#### New Files Created\n\n| File | Created | Verified |\n|---|---|---|\n| `src/x6.rs` | yes | yes |",
    "#### [MODIFY] src/x7.rs",
    "```\nsrc/\n├── x8.rs   # NEW\n└── a.rs    # DELETE\n```",
    "<task>\n<files>src/x9.rs</files>\n</task>",
    "> **Files:** `src/x10.rs`",
    "- [ ] T001 Create src/x11.rs",
    "```markdown\n## Files Changed\n\n| File | Change Type |\n|---|---|\n| `src/x12.rs` | Delete |\n```",
    "1. Step one\n2. Step two: `src/x13.rs`",
];

/// What the document begins with.
const BEGINNINGS: &[&str] = &[
    "# LLD-1\n\n",
    "---\nfiles_modified: [src/x16.rs]\n---\n# LLD-1\n\n",
    "---\nallowed_paths:\n  - src/\n---\n",
];

#[test]
fn blocks_around_a_typed_table_change_no_grant() {
    let expected = granted(&design(AT, TABLE));
    assert_eq!(expected.len(), 4);
    let mut random = Random(25);
    none_deviates((0..400).map(|_| {
        let mut text = random.of(BEGINNINGS).to_owned();
        for _ in 0..random.below(4) {
            text += &format!("{}\n\n", random.of(BLOCKS));
        }
        text += TABLE;
        for _ in 0..random.below(5) {
            text += &format!("\n{}\n", random.of(BLOCKS));
        }
        differences(random.of(&[AT, "specs/001-x/tasks.md"]), text, &expected)
    }));
}

#[test]
fn each_block_alone_is_read_or_not_as_its_form_is() {
    // Those that grant something are rows; the others once were, or look as if they did.
    let mut granting = 0;
    for block in BLOCKS {
        granting += usize::from(!granted(&design(AT, block)).is_empty());
    }
    assert_eq!(granting, 5);
}

#[test]
fn a_whole_plan_below_a_typed_table_changes_no_grant() {
    let expected = granted(&design(AT, TABLE));
    // Two tables with types, two columns of paths, or hidden bytes are another matter.
    let plans = corpus().into_iter().filter(|(at, plan)| {
        let design = design(at, plan);
        let is_ambiguous = |fault: &Problem| fault.rule == Rule::DesignAmbiguous;
        let hides = plan.contains(['\r', '\0']);
        !hides && !design.is_typed() && !design.faults.iter().any(is_ambiguous)
    });
    none_deviates(plans.map(|(at, plan)| {
        let text = format!("# LLD-1\n\n{TABLE}\n{plan}");
        differences(&at, text, &expected)
    }));
}

fn differences(at: &str, text: String, expected: &BTreeSet<String>) -> (String, String) {
    let found = granted(&design(at, &text));
    let lines = found.symmetric_difference(expected);
    let lines = lines.map(|line| format!("    differs: {line}\n"));
    (text, lines.collect())
}
