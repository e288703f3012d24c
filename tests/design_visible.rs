//! guard grants nothing that a reader of the rendered document does not see, and nothing below a heading that negates.
//! `fixtures/grammar/visible.txt` has more documents.
#![allow(clippy::unwrap_used)]

use write_guard::finding::Level;

use crate::design_support::{HEADER, faults, paths, read};

const TABLE: &str =
    "| File | Change Type | Description |\n|---|---|---|\n| `hidden.py` | Delete | x |\n";

#[test]
fn a_table_inside_raw_html_is_not_granted() {
    let real = format!("## Files Changed\n\n{HEADER}| `real.py` | Add | x |\n");
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
        let other = format!("{open}\n\n## Files Changed\n\n{TABLE}\n{close}");
        for text in [
            format!("# D\n\n{other}\n\n{real}"),
            format!("# D\n\n{real}\n{other}\n"),
        ] {
            let design = read(&text);
            assert_eq!(paths(&design), ["real.py"], "{open}");
            assert_eq!(faults(&design)[0].0, "raw-html", "{open}");
        }
        let alone = read(&format!("## Files Changed\n\n{open}\n\n{TABLE}\n{close}\n"));
        assert!(!alone.is_usable() && faults(&alone).len() > 1, "{open}");
    }
}

#[test]
fn unclosed_element_hides_the_rest_of_the_document() {
    for (open, is_hidden) in [
        ("<details>", true),
        ("<div title=\"", true),
        ("text <s>struck", true),
        ("- a\n- b <s>\n", true),
        ("<template></div>\n\n</template>", true),
        ("- a\n\n  <ul><li>\n", true),
        ("| a |\n|---|\n<span hidden>\n", true),
        ("> <template>\n", true),
        ("text <details>\n\n</details>\n", true),
        ("<details>\n<?x </details> ?>\n</details>\n", true),
        ("- <details>\n\n  x\n", true),
        ("> <div hidden>\n", true),
        ("<ul><li>a<li>b</ul>", true),
        ("text </ul>\n", true),
        ("<b hidden>\n", true),
        ("text <b style=\"display: none\">\n", true),
        ("<a name=\"x\"></a>", false),
        ("<p align=\"center\">", false),
        ("<br>", false),
        ("<img src=\"x\">", false),
        ("Write `docs/` <name> and Vec<T>", false),
        ("a <b>bold word", false),
        ("<ul><li>a</li><li>b</li></ul>", false),
        ("- <details>x</details>\n", false),
        ("<style>h2 { color: red }</style>", false),
        ("<!-- a -->", false),
        ("<details>\n<summary>x</summary>\n\ntext\n</details>", false),
    ] {
        let design = read(&format!("{open}\n\n## Files Changed\n\n{TABLE}"));
        assert_eq!(design.is_usable(), !is_hidden, "{open}");
        assert_eq!(
            design.faults.is_empty(),
            !is_hidden,
            "{open}: {:?}",
            faults(&design)
        );
    }
}

const NEGATIONS: &str = "Out of scope|Out-of-Scope|7. Out of scope|Explicitly out of scope|Deferred|Deferred to later|\
    Future work|Future Phases|Won't be touched|Won’t be touched|What we won't touch|Phase 2 (out of scope)|\
    Phase 2 — deferred|Not in this change|Non-goals|Nongoals|Not in scope|Not part of this work|Excluded|Exclusions|\
    Will not change|Do not touch|Postponed|Later|Follow-ups|Rejected alternatives|Untouched|Off limits";

#[test]
fn nothing_below_a_heading_that_negates_is_granted() {
    for heading in NEGATIONS.split('|') {
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
            let mut excluded = design
                .faults
                .iter()
                .filter(|fault| fault.reason == "excluded");
            let message = &excluded.next().unwrap().message;
            assert!(
                message.contains(heading.trim_start_matches("7. ")),
                "{message}"
            );
            assert_eq!(excluded.count(), 0, "{text}");
        }
        // It excludes only itself.
        let design = read(&format!(
            "## Files Changed\n\n{HEADER}| `a.py` | Add | x |\n\n### {heading}\n\n{TABLE}\n### Tests\n\n{HEADER}| `b.py` | Add | x |\n"
        ));
        assert_eq!(paths(&design), ["a.py", "b.py"], "{heading}");
        assert_eq!(faults(&design), [("excluded", 9)], "{heading}");
        assert_eq!(design.faults[0].rule.default_level(), Level::Warning);
    }
}
