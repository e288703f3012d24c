//! The formats that count if a design has no table: lists, front matter and file headings.
#![allow(clippy::unwrap_used)]

use gix::bstr::BStr;
use write_guard::policy::Actions;
use write_guard::policy::design::{Design, DesignOptions, parse};

fn read(text: &str) -> Design {
    parse(
        BStr::new("docs/plan.md"),
        text.as_bytes(),
        &DesignOptions::default(),
    )
}

fn granted(design: &Design) -> Vec<(String, Actions)> {
    design
        .grants
        .iter()
        .map(|grant| (grant.path.to_string(), grant.actions))
        .collect()
}

fn pairs(all: &[(&str, Actions)]) -> Vec<(String, Actions)> {
    all.iter()
        .map(|(path, actions)| ((*path).to_owned(), *actions))
        .collect()
}

fn faults(design: &Design) -> Vec<(&'static str, usize)> {
    design
        .faults
        .iter()
        .map(|fault| {
            (
                fault.reason,
                fault.anchor.as_ref().map_or(0, |anchor| anchor.line),
            )
        })
        .collect()
}

const MODIFY: Actions = Actions::MODIFY;

fn add() -> Actions {
    Actions::ADD | Actions::MODIFY_NEW
}

fn any() -> Actions {
    Actions::ADD | MODIFY
}

#[test]
fn bullets_below_files_marks_are_a_union() {
    let design = read(
        "# Plan\n\n### Task 1\n\n**Files:**\n- Create: `src/a.py`\n- Modify: `src/b.py:123-145`\n- Test: `tests/test_a.py`\n\n### Task 2\n\n**Files:**\n\n- **Delete:** `c.py`\n",
    );
    assert_eq!(
        granted(&design),
        pairs(&[
            ("src/a.py", add()),
            ("src/b.py", MODIFY),
            ("tests/test_a.py", any()),
            ("c.py", Actions::DELETE)
        ])
    );
    assert!(design.faults.is_empty());
    assert_eq!(design.grants[1].change_type, "Modify");
    assert_eq!(
        (design.grants[1].anchor.line, design.grants[1].anchor.column),
        (7, 11)
    );
}

#[test]
fn bullets_below_a_heading() {
    let design = read(
        "## Files Changed\n\n- `a.py` (new) - why\n- b.py (modified) — how\n- `c.py` — text with `code.py`\n- d.py: adds a thing\n- Create `e.py`\n- update f.py\n- `g.py` (unchanged)\n- **Modify** `h.py`, `i.py`\n",
    );
    assert_eq!(
        granted(&design),
        pairs(&[
            ("a.py", add()),
            ("b.py", MODIFY),
            ("c.py", any()),
            ("d.py", any()),
            ("e.py", add()),
            ("f.py", MODIFY),
            ("h.py", MODIFY),
            ("i.py", MODIFY)
        ])
    );
    assert_eq!(design.mentions[0].path, "g.py");
    assert!(design.faults.is_empty(), "{:?}", design.faults);
    assert_eq!(design.grants[2].description, "text with `code.py`");
}

#[test]
fn bad_items_are_reported() {
    let design = read(
        "## Files Changed\n\n- Frobnicate: `a.py`\n- everything else\n- `~/b.py`\n- ~~`c.py`~~\n- ~~Modify: `d.py`~~\n- None\n- `e.py`\n  - `nested.py`\n",
    );
    assert_eq!(granted(&design), pairs(&[("e.py", any())]));
    assert_eq!(
        faults(&design),
        [
            ("unknown-type", 3),
            ("ambiguous-cell", 4),
            ("tilde", 5),
            ("struck-out", 6),
            ("struck-out", 7)
        ]
    );
}

#[test]
fn lists_do_not_count_if_there_is_a_table() {
    let design = read(
        "## Files Changed\n\n| File | Action |\n|---|---|\n| `a.py` | Add |\n\n- `b.py`\n\n**Files:**\n\n- `c.py`\n\n#### [MODIFY] [d.py](d.py)\n",
    );
    assert_eq!(granted(&design), pairs(&[("a.py", add())]));
}

#[test]
fn lists_of_forbidden_or_unrelated_files() {
    let design = read(
        "## Files NOT to modify\n\n- `a.py`\n\n## Notes\n\n- `b.py`\n\n> **Files:**\n>\n> - `c.py`\n",
    );
    assert!(!design.is_usable());
    assert_eq!(faults(&design), [("no-section", 1)]);
}

#[test]
fn front_matter_lists() {
    let design = read(
        "---\nid: 7\nfiles_modified:\n  - src/a.rs\n  - ../b.rs\nallowed_paths: [\"docs/\", 'x-y.md', two words]\n---\n\n# Plan\n",
    );
    assert_eq!(
        granted(&design),
        pairs(&[("src/a.rs", any()), ("docs", any()), ("x-y.md", any())])
    );
    assert_eq!(faults(&design), [("dotdot", 5), ("front-matter", 6)]);
    assert_eq!(
        (design.grants[0].anchor.line, design.grants[0].anchor.column),
        (4, 5)
    );
    let empty = read("---\nfiles_modified: []\n---\n# Plan\n");
    assert_eq!(faults(&empty), [("no-section", 4)]);
}

#[test]
fn file_headings() {
    let design = read(
        "## Proposed Changes\n\n#### [MODIFY] [a.rs](src/a.rs)\n\ntext\n\n#### [NEW] [b c.rs](src/b%20c.rs)\n\n#### [DELETE] `old.rs`\n\n#### [NEW] [d.rs](file:///home/x/d.rs)\n\n#### [MODIFY] [e.rs](src/evil.rs)\n\n#### [Note] [f.rs](f.rs)\n",
    );
    assert_eq!(
        granted(&design),
        pairs(&[
            ("src/a.rs", MODIFY),
            ("src/b c.rs", add()),
            ("old.rs", Actions::DELETE)
        ])
    );
    assert_eq!(faults(&design), [("absolute", 11), ("ambiguous-cell", 13)]);
}
