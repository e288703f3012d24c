//! Passages beyond the labelled documents of `fixtures/grammar`: the edges of labels and headings.
#![allow(clippy::unwrap_used)]

use crate::design_support::{faults, paths, read};

/// The granted paths, and the reason of each fault.
fn read_passage(text: &str) -> (Vec<String>, Vec<&'static str>) {
    let design = read(text);
    let reasons = faults(&design).into_iter().map(|(reason, _)| reason);
    let reasons = reasons.collect();
    (paths(&design), reasons)
}

#[test]
fn a_heading_names_one_file_and_says_nothing_more() {
    for (heading, granted) in [
        ("[MODIFY] [a.py](src/a.py)", Some("src/a.py")),
        ("[MODIFY] src/a.py", Some("src/a.py")),
        ("[MODIFY] [b.py](src/a.py)", None),
        ("[MODIFY] [a.py](src/a.py) maybe", None),
        ("[MODIFY] [a.py](src/a.py) [b.py](src/b.py)", None),
        ("[MODIFY] src/a.py src/b.py", None),
        ("[CHECK] src/a.py", None),
        ("[ADD] src/a.py", None),
        ("[MODIFY]", None),
    ] {
        let (paths, _) = read_passage(&format!("# Plan\n\n#### {heading}\n\nText.\n"));
        assert_eq!(paths.first().map(String::as_str), granted, "{heading}");
        assert!(paths.len() < 2, "{heading}");
    }
}

#[test]
fn what_resembles_a_label_of_files_is_reported_as_unread() {
    for (label, is_reported) in [
        ("Some files that matter:", true),
        ("**Some files that matter**", true),
        ("__Some files that matter:__", true),
        ("Some files that matter", false),
        ("Some things that matter:", false),
        ("**Some things that matter**", false),
    ] {
        let text =
            format!("# Plan\n\n{label}\n\n- `src/a.py`\n\n## Files Changed\n\n- `src/b.py`\n");
        let code = text.replace("- `src/a.py`", "```\nsrc/a.py\n```");
        for text in [text, code] {
            let (paths, reasons) = read_passage(&text);
            assert_eq!(paths, ["src/b.py"], "{text}");
            assert_eq!(!reasons.is_empty(), is_reported, "{text}: {reasons:?}");
        }
    }
}

#[test]
fn items_on_the_line_of_a_label_stand_between_semicolons() {
    for (line, granted) in [
        (
            "**Files:** `src/a.py`; `src/b.py`",
            &["src/a.py", "src/b.py"][..],
        ),
        (
            "**Files (new):** `src/a.py` (x; y); `src/b.py`",
            &["src/a.py", "src/b.py"],
        ),
        ("**Files:** `src/a.py`;", &["src/a.py"]),
        // Only behind the colon.
        (
            "Files; changed: `src/a.py`; `src/b.py`",
            &["src/a.py", "src/b.py"],
        ),
        ("****", &[]),
    ] {
        let (paths, reasons) = read_passage(&format!("# Plan\n\n{line}\n"));
        assert_eq!(paths, granted, "{line} {reasons:?}");
    }
}

#[test]
fn a_tag_lists_files_by_line_and_by_commas_outside_of_brackets() {
    let tag = |files: &str| {
        let (paths, _) = read_passage(&format!(
            "# Plan\n\n<task>\n<files>{files}</files>\n</task>\n"
        ));
        paths
    };
    assert_eq!(tag("src/a.ts, src/b.ts"), ["src/a.ts", "src/b.ts"]);
    assert_eq!(tag("src/a.ts (x, y), src/b.ts"), ["src/a.ts", "src/b.ts"]);
    assert_eq!(
        tag("src/a.ts; src/b.ts\n- src/c.ts"),
        ["src/a.ts", "src/b.ts", "src/c.ts"]
    );
    // A bracket ends with its line.
    assert_eq!(
        tag("src/a.ts (x\nsrc/b.ts, src/c.ts"),
        ["src/b.ts", "src/c.ts"]
    );
}

#[test]
fn a_label_inside_a_paragraph_announces_nothing_and_is_reported() {
    let (paths, reasons) = read_passage("# Plan\n\nSome words.\n**Files:** `src/a.py`\n");
    assert!(paths.is_empty());
    assert_eq!(reasons, ["no-section", "unread-passage"]);
}

#[test]
fn a_group_that_excludes_ends_with_its_items() {
    let text =
        "# Plan\n\n- **Do not modify:**\n  - **Files:** `src/x.py`\n- **Files:** `src/a.py`\n";
    assert_eq!(read_passage(text).0, ["src/a.py"]);
}

#[test]
fn a_table_below_a_label_that_leads_elsewhere_lists_no_files() {
    let table = |header: &str| {
        let text = format!(
            "# Plan\n\n**Files:**\n\n| {header} |\n|---|---|\n| `src/a.py` | `src/b.py` |\n"
        );
        read_passage(&text).0
    };
    assert_eq!(table("Path | Purpose"), ["src/a.py"]);
    assert_eq!(table("Purpose | Path"), [""; 0]);
}

#[test]
fn the_end_of_a_comment_begins_no_element() {
    let (paths, reasons) =
        read_passage("# Plan\n\n<!--<s>-->\n\n## Files Changed\n\n- `src/a.py`\n");
    assert_eq!((paths, reasons), (vec!["src/a.py".to_owned()], Vec::new()));
}

#[test]
fn a_fault_in_a_code_block_is_at_its_line() {
    let design = read("## Files Changed\n\n```\nsrc/a.py\n../b.py\n```\n");
    let fault = design
        .faults
        .iter()
        .find(|fault| fault.reason == "dotdot")
        .unwrap();
    assert_eq!(
        &design.text[fault.anchor.as_ref().unwrap().span.clone()],
        "../b.py"
    );
}

#[test]
fn brackets_may_stand_in_a_note_and_around_a_path() {
    let design = read("## Files Changed\n\n- Modify: src/a.py (x (y) z) - why\n");
    assert_eq!(design.grants[0].path, "src/a.py");
    assert_eq!(design.grants[0].description, "why");
    let tasks = "# Tasks\n\n- [ ] T001 Create a model (in src/b.py)\n";
    let settings = write_guard::scope::settings::Settings::default();
    let design = write_guard::design::parse("specs/1/tasks.md".into(), tasks.as_bytes(), &settings);
    assert_eq!(crate::design_support::paths(&design), ["src/b.py"]);
}
