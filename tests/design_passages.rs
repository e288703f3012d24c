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
}
