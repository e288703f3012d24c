//! guard grants nothing that a reader of the rendered document does not see.
#![allow(clippy::unwrap_used)]

use crate::common::{DESIGN, Repo, SETTINGS};
use write_guard::finding::{Level, Rule};
use write_guard::policy::design::Design;

use crate::design_support::{HEADER, faults, paths, read, rows};

const TABLE: &str =
    "| File | Change Type | Description |\n|---|---|---|\n| `hidden.py` | Delete | x |\n";

/// A document with a valid table and `other` before and after it.
fn before_and_after(other: &str) -> [Design; 2] {
    let real = format!("## Files Changed\n\n{HEADER}| `real.py` | Add | x |\n");
    [
        read(&format!("# D\n\n{other}\n\n{real}")),
        read(&format!("# D\n\n{real}\n{other}\n")),
    ]
}

/// The reasons of the passages that are not read.
fn unread(design: &Design) -> Vec<&'static str> {
    design
        .faults
        .iter()
        .filter(|fault| fault.rule == Rule::DesignUnread)
        .map(|fault| fault.reason)
        .collect()
}

#[test]
fn a_table_inside_raw_html_is_not_granted() {
    for (open, close) in [
        ("<details>\n<summary>Old</summary>", "</details>"),
        ("<template>", "</template>"),
        ("<div hidden>", "</div>"),
        ("<div\n  hidden>", "</div>"),
        ("<unknown>", "</unknown>"),
        ("<table><tr><td>", "</td></tr></table>"),
        ("<del>", "</del>"),
        ("<details><img alt='</details>'>", "</details>"),
        ("<details><!-- </details> -->", "</details>"),
    ] {
        for design in before_and_after(&format!("{open}\n\n## Files Changed\n\n{TABLE}\n{close}")) {
            assert_eq!(paths(&design), ["real.py"], "{open}");
            assert_eq!(unread(&design), ["raw-html"], "{open}");
        }
        let alone = read(&format!("## Files Changed\n\n{open}\n\n{TABLE}\n{close}\n"));
        assert!(!alone.is_usable(), "{open}");
        assert!(!unread(&alone).is_empty(), "{open}");
    }
}

#[test]
fn comment_longer_than_its_html_block_hides_what_follows() {
    let comment = "<div>\n<!-- no\n\nend -->\n\n</div>";
    let design = read(&format!("{comment}\n\n## Files Changed\n\n{TABLE}"));
    assert!(!design.is_usable());
    assert_eq!(unread(&design), ["raw-html"]);
    let closed = read(&format!(
        "{comment}\n\n<!-- -->\n\n## Files Changed\n\n{TABLE}"
    ));
    assert_eq!(unread(&closed), ["raw-html"]);
}

#[test]
fn unclosed_element_hides_the_rest_of_the_document() {
    for open in [
        "<details>",
        "<div title=\"",
        "text <s>struck",
        "- a\n- b <s>\n",
        "<template></div>\n\n</template>",
        "- a\n\n  <ul><li>\n",
        "| a |\n|---|\n<span hidden>\n",
        "> <template>\n",
        "text <details>\n\n</details>\n",
        "<details>\n<?x </details> ?>\n</details>\n",
        "- <details>\n\n  x\n",
        "> <div hidden>\n",
        "<ul><li>a<li>b</ul>",
        "text </ul>\n",
        "<b hidden>\n",
        "text <b style=\"display: none\">\n",
    ] {
        let design = read(&format!("{open}\n\n## Files Changed\n\n{TABLE}"));
        assert!(!design.is_usable(), "{open}");
    }
    for closed in [
        "<a name=\"x\"></a>",
        "<p align=\"center\">",
        "<br>",
        "<img src=\"x\">",
        "Write `docs/` <name> and Vec<T>",
        "a <b>bold word",
        "<ul><li>a</li><li>b</li></ul>",
        "- <details>x</details>\n",
        "<style>h2 { color: red }</style>",
        "<!-- a -->",
        "<details>\n<summary>x</summary>\n\ntext\n</details>",
    ] {
        let design = read(&format!("{closed}\n\n## Files Changed\n\n{TABLE}"));
        assert_eq!(paths(&design), ["hidden.py"], "{closed}");
        assert!(design.faults.is_empty(), "{closed}: {:?}", faults(&design));
    }
}

#[test]
fn a_tag_that_only_some_renderers_read_as_a_part_of_the_quote_stays_open() {
    let design = read(&format!(
        "> text\n<span hidden>\n\n## Files Changed\n\n{TABLE}"
    ));
    assert!(!design.is_usable());
    for text in [
        "> text\n<br>\n## Files Changed\n\n",
        "- x\n\n  </ul>\n\n## Files Changed\n\n",
        "text\n**Out of scope:**\n\n## Files Changed\n\n**Deferred:**\nmore\n\n",
        "## Files Changed\r\n\r\n- x\r\n",
    ] {
        assert!(
            !paths(&read(&format!("{text}{TABLE}"))).contains(&"hidden.py".to_owned()),
            "{text}"
        );
    }
    let cut = "## Files Changed\n\n| File | Change Type |\n|---|---|\n    | `a.py` | Add |\n| `b.py` | <s>Add |\n";
    let design = read(&format!("{cut}\n## Files Changed\n\n- `c.py`\n"));
    assert!(!design.is_usable());
}

#[test]
fn items_after_an_unclosed_element_are_not_granted() {
    let design = read("## Files Changed\n\n- `a.py` <s>x\n\n- `b.py`\n");
    assert_eq!(paths(&design), [""; 0]);
    let quoted = "> <!--\n\n**Files:**\n\nx <!-- y -->\n\n## Files Changed\n\n- `a.py`\n";
    assert!(!read(quoted).is_usable());
}

#[test]
fn a_table_with_an_unclosed_element_is_not_granted() {
    let design = rows("| `a.py` | Add | <template> |\n| `b.py` | Add | x |\n");
    assert!(!design.is_usable());
    assert!(faults(&design).contains(&("raw-html", 5)));
}

#[test]
fn a_raw_heading_ends_the_section() {
    let section = format!("## Files Changed\n\ntext\n\n<h2>Notes</h2>\n\n{TABLE}");
    assert!(!read(&section).is_usable());
    for negating in ["<h3>Out of scope</h3>", "text <h3>Out of <i>scope</i></h3>"] {
        let design = read(&format!("## Files Changed\n\n{negating}\n\n{TABLE}"));
        assert!(!design.is_usable(), "{negating}");
        assert_eq!(unread(&design), ["raw-html"], "{negating}");
    }
    let raw = read(&format!("<h2>Files Changed</h2>\n\n{TABLE}"));
    assert!(!raw.is_usable());
}

#[test]
fn a_type_struck_out_by_html_is_not_granted() {
    for kind in [
        "<del>Delete</del>",
        "<s>Delete</s>",
        "<strike>Delete</strike>",
        "<DEL cite='x'>Delete</DEL>",
        "<del>Delete",
    ] {
        let design = rows(&format!("| `a.py` | {kind} | x |\n| `b.py` | Add | y |\n"));
        assert_eq!(paths(&design), ["b.py"], "{kind}");
        assert_eq!(faults(&design), [("struck-out", 7)], "{kind}");
    }
    for kind in [
        "<span hidden>Delete</span>",
        "<template>Delete</template>",
        "![Delete](x.png)",
    ] {
        let design = rows(&format!("| `a.py` | {kind} | x |\n"));
        assert!(!design.is_usable(), "{kind}");
    }
    let bold = rows("| `a.py` | <b>Modify</b> | x |\n");
    assert_eq!(paths(&bold), ["a.py"]);
}

#[test]
fn a_path_or_item_struck_out_by_html_is_not_granted() {
    let table =
        rows("| <del>`a.py`</del> | Add | x |\n| <s>b.py</s> | Add | x |\n| `c.py` | Add | x |\n");
    assert_eq!(paths(&table), ["c.py"]);
    assert_eq!(faults(&table), [("html", 7), ("html", 8)]);
    let list = read("## Files Changed\n\n- <del>Delete: `a.py`</del>\n- <s>`b.py`</s>\n- `c.py`\n");
    assert_eq!(paths(&list), ["c.py"]);
}

#[test]
fn struck_out_heading_starts_no_section() {
    for heading in [
        "<del>Files Changed</del>",
        "Files <s>Changed</s>",
        "<template>Files Changed</template>",
        "<span style=\"display:none\">Files Changed</span>",
        "![Files Changed](x.png)",
    ] {
        let design = read(&format!("## {heading}\n\n{TABLE}"));
        assert!(!design.is_usable(), "{heading}");
    }
    for parent in ["~~Phase 2~~", "<del>Phase 2</del>"] {
        let design = read(&format!("## {parent}\n\n### Files Changed\n\n{TABLE}"));
        assert!(!design.is_usable(), "{parent}");
        assert_eq!(unread(&design), ["excluded"], "{parent}");
    }
    let part = read(&format!(
        "# Design ~~draft~~\n\n## Files Changed\n\n{TABLE}"
    ));
    assert_eq!(paths(&part), ["hidden.py"]);
}

const NEGATIONS: &[&str] = &[
    "Out of scope",
    "Out-of-Scope",
    "7. Out of scope",
    "Explicitly out of scope",
    "Deferred",
    "Deferred to later",
    "Future work",
    "Future Phases",
    "Won't be touched",
    "Won’t be touched",
    "What we won't touch",
    "Phase 2 (out of scope)",
    "Phase 2 — deferred",
    "Not in this change",
    "Non-goals",
    "Nongoals",
    "Not in scope",
    "Not part of this work",
    "Excluded",
    "Exclusions",
    "Will not change",
    "Do not touch",
    "Postponed",
    "Later",
    "Follow-ups",
    "Rejected alternatives",
    "Untouched",
    "Off limits",
];

#[test]
fn nothing_below_a_heading_that_negates_is_granted() {
    for heading in NEGATIONS {
        for text in [
            format!("## {heading}\n\n### Files Changed\n\n{TABLE}"),
            format!("## {heading}\n\n#### More\n\n### Files Changed\n\n- `a.py`\n"),
            format!("## Files Changed\n\n### {heading}\n\n{TABLE}"),
            format!("## Files Changed\n\n### {heading}\n\n- `a.py`\n"),
            format!("## {heading}\n\n**Files:**\n\n- `a.py`\n"),
            format!("## {heading}\n\n#### [DELETE] [a.py](a.py)\n"),
            format!("## Files Changed\n\n**{heading}:**\n\n{TABLE}"),
            format!("## Files Changed\n\n__{heading}__:\n\n- `a.py`\n"),
        ] {
            let design = read(&text);
            assert!(!design.is_usable(), "{text}");
            assert_eq!(unread(&design), ["excluded"], "{text}");
            let message = &design
                .faults
                .iter()
                .find(|fault| fault.rule == Rule::DesignUnread)
                .unwrap()
                .message;
            assert!(
                message.contains(heading.trim_start_matches("7. ")),
                "{message}"
            );
        }
    }
    for heading in [
        "Files Changed (out of scope)",
        "Files Changed — deferred",
        "Files we won't modify",
    ] {
        assert!(
            !read(&format!("## {heading}\n\n{TABLE}")).is_usable(),
            "{heading}"
        );
    }
}

#[test]
fn negated_section_excludes_only_itself() {
    for heading in NEGATIONS {
        let design = read(&format!(
            "## Files Changed\n\n{HEADER}| `a.py` | Add | x |\n\n### {heading}\n\n{TABLE}\n### Tests\n\n{HEADER}| `b.py` | Add | x |\n"
        ));
        assert_eq!(paths(&design), ["a.py", "b.py"], "{heading}");
        assert_eq!(faults(&design), [("excluded", 9)], "{heading}");
        assert_eq!(design.faults[0].rule.default_level(), Level::Warning);
    }
    let labels = read("## Files Changed\n\n**Deferred:**\n\n- `a.py`\n\n**Files:**\n\n- `b.py`\n");
    assert_eq!(paths(&labels), ["b.py"]);
}

#[test]
fn title_that_mentions_a_negation_excludes_nothing() {
    for heading in [
        "# LLD-4: Report out-of-scope paths",
        "# Deferred loading of plugins",
        "# Do not lose files",
        "# LLD-7: Never replace a large file",
        "## Handling of deferred tasks",
        "## Reference implementation",
    ] {
        let design = read(&format!("{heading}\n\n### Files Changed\n\n{TABLE}"));
        assert_eq!(paths(&design), ["hidden.py"], "{heading}");
        assert!(design.faults.is_empty(), "{heading}");
    }
}

#[test]
fn bare_cell_with_emphasis_is_not_a_glob() {
    for cell in [
        "src/**/x/**.py",
        "src/**/**/x.py",
        "**/a/**",
        "src/*/x/*.py",
        "**src**/a.py",
        "tests/test_*_x_*.py",
    ] {
        let design = rows(&format!("| {cell} | Modify | x |\n"));
        assert!(!design.is_usable(), "{cell}: {:?}", paths(&design));
        assert_eq!(faults(&design), [("emphasis", 7)], "{cell}");
        assert!(
            design.faults[0].help[0].contains(&format!("`{cell}`")),
            "{cell}"
        );
    }
    let plain = rows(
        "| src/**/*.py | Modify | x |\n| **a.py** | Modify | x |\n| *b.py* | Add | x |\n| src/__init__.py | Add | x |\n",
    );
    assert_eq!(
        paths(&plain),
        ["src/**/*.py", "a.py", "b.py", "src/__init__.py"]
    );
}

#[test]
fn rows_that_render_as_code_are_not_granted() {
    for indent in ["    ", "\t", "  \t", "     "] {
        let design = rows(&format!(
            "| `a.py` | Add | x |\n{indent}| `b.py` | Add | x |\n| `c.py` | Add | x |\n"
        ));
        assert!(!design.is_usable(), "{indent:?}");
        assert_eq!(unread(&design), ["raw-html"], "{indent:?}");
    }
    let three = rows("| `a.py` | Add | x |\n   | `b.py` | Add | x |\n");
    assert_eq!(paths(&three), ["a.py", "b.py"]);
}

#[test]
fn table_with_a_mismatched_separator_row_is_not_granted() {
    let design = read(
        "## Files Changed\n\n| File | Change Type |\n|---|\n| File | Change Type |\n|---|---|\n| `a.py` | Add |\n",
    );
    assert!(!design.is_usable());
    assert!(unread(&design).contains(&"raw-html"));
}

#[test]
fn a_table_that_continues_a_list_is_not_granted() {
    let table = TABLE.replace("|---|---|---|", "   ---|---|---");
    let design = read(&format!("## Files Changed\n\n- `a.py`\n{table}"));
    assert!(!paths(&design).contains(&"hidden.py".to_owned()));
    let indented = "- x\n File | Change Type\n    |---|---|\n| `a.py` | Add |\n";
    assert!(!read(&format!("## Files Changed\n\n{indented}")).is_usable());
    let apart = read(&format!("## Files Changed\n\n- a\n\n{TABLE}"));
    assert_eq!(paths(&apart), ["hidden.py"]);
}

#[test]
fn a_document_with_a_nul_or_a_lone_carriage_return_grants_nothing() {
    let table = format!("## Files Changed\n\n{HEADER}| `a.py` | Add | x |\n");
    for (text, reason, line) in [
        (format!("{table}\0"), "hidden-bytes", 6),
        (
            table.replace("| x |\n", "| x |\r| `b.py` | Add | x |\n"),
            "hidden-bytes",
            5,
        ),
        (table.replace('\n', "\r"), "hidden-bytes", 1),
        (format!("{table}\r"), "hidden-bytes", 6),
    ] {
        let design = read(&text);
        assert!(!design.is_usable(), "{text:?}");
        assert_eq!(faults(&design), [(reason, line)], "{text:?}");
    }
}

/// A repository in which `text` is the committed design and `a.py` is staged.
fn judged(text: &str) -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    repo.stage(DESIGN, text);
    repo.commit("Begin");
    repo.branch("188-work");
    repo.stage("a.py", "a = 1\n");
    repo
}

#[test]
fn guard_cannot_judge_by_a_design_with_a_nul_or_a_lone_carriage_return() {
    let table = format!("## Files Changed\n\n{HEADER}| `a.py` | Add | x |\n");
    judged(&table).guard(&["lint"]).exits(0);
    judged(&format!("{table}\n\0"))
        .guard(&["lint"])
        .exits(2)
        .says("NUL");
    let row = table.replace("| x |\n", "| x |\r| `b.py` | Add | y |\n");
    judged(&row)
        .guard(&["lint"])
        .exits(2)
        .says("carriage return");
}

#[test]
fn unread_passages_are_reported() {
    let hidden = format!(
        "## Files Changed\n\n{HEADER}| `b.py` | Add | x |\n\n<details>\n\n### Files Changed\n\n{HEADER}| `a.py` | Add | x |\n\n</details>\n"
    );
    let repo = judged(&hidden);
    repo.guard(&["lint"]).exits(1).says("out-of-scope");
    repo.guard(&["scope", "check"])
        .exits(0)
        .says("warning[design-unread]")
        .says("`<details>`");
    let only = judged(&format!(
        "## Files Changed\n\n<details>\n\n{HEADER}| `a.py` | Add | x |\n\n</details>\n"
    ));
    only.guard(&["lint"]).exits(2).says("`<details>`");
}
