//! Hostile documents cause no panic, no escape and no long wait.

use std::time::{Duration, Instant};
use write_guard_testing::random::Random;

use write_guard_testing::designs::{paths, read};

/// Pieces of documents, most of them of rows.
const FRAGMENTS: &[&str] = &[
    "## Files Changed\n\n",
    "### Files to Create\n",
    "## Files NOT to Modify\n\n",
    "#### [MODIFY] ",
    "**Files:**\n\n",
    "Files to modify:\n",
    "| File | Change Type | Description |\n|---|---|---|\n",
    "|File|\n|-|\n",
    "| `src/a.py` | Add | x |\n",
    "\n",
    "\n\n",
    "|",
    " ",
    "`",
    "``",
    "~~",
    "**",
    "_",
    "\\",
    "\\|",
    "(",
    ")",
    "[",
    "](",
    "<br>",
    "<!--",
    "-->",
    "<x>",
    "{",
    "}",
    "{a,b}",
    ",",
    ":12-34",
    "#L10",
    "->",
    " → ",
    "../",
    "/",
    "~",
    "C:\\",
    "\u{feff}",
    "\u{202e}",
    "ä",
    "\u{1f4c1}",
    "\r\n",
    "\r",
    "\0",
    "- ",
    "  - ",
    "- [ ] ",
    "- Modify: `a`",
    " — ",
    "> ",
    "```\n",
    "---\n",
    "files_modified:\n",
    "- x\n",
    "allowed_paths: [a, 'b",
    "forbidden_paths: [a.py]\n",
    "&#46;",
    "&nbsp;",
    "Add",
    "Rename",
    "Delete",
    "Exists",
    "DO NOT MODIFY",
    "(Directory)",
    "path/to",
    "*",
    "**/*",
    "guard.toml",
    ".git/x",
    "[^1]: ",
    "\t",
];

/// Checks one document and says how much it grants.
fn check(text: &str) -> usize {
    let design = read(text);
    let grants = design.grants.iter().map(|grant| &grant.anchor);
    let mentions = design.mentions.iter().map(|mention| &mention.anchor);
    let denials = design.denials.iter().map(|denial| &denial.anchor);
    let faults = design.faults.iter();
    let faults = faults.filter_map(|fault| fault.anchor.as_deref());
    for anchor in grants.chain(mentions).chain(denials).chain(faults) {
        let is_in_text = design.text.get(anchor.span.clone()).is_some();
        let is_placed = anchor.line > 0 && anchor.column > 0;
        assert!(is_in_text && is_placed, "{anchor:?} in {text:?}");
    }
    for path in paths(&design) {
        let is_bad =
            |name: &str| matches!(name, "" | "." | "..") || name.eq_ignore_ascii_case(".git");
        let is_bad = path.split('/').any(is_bad)
            || path.starts_with('~')
            || path.contains(['\\', '\n', '\r', '\0', '\u{202e}', '\u{feff}'])
            || path == "guard.toml";
        assert!(!is_bad, "granted {path:?} in {text:?}");
    }
    let is_explained = design.is_usable() || !design.faults.is_empty();
    assert!(is_explained, "refused without a word: {text:?}");
    design.grants.len()
}

#[test]
fn mixed_fragments() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut granted = 0;
    for round in 0..20_000 {
        let mut text = String::new();
        for _ in 0..random.below(if round % 2 == 0 { 30 } else { 6 }) {
            text.push_str(random.of(FRAGMENTS));
        }
        if round % 2 == 1 {
            // One cell of an otherwise valid table.
            let cell = text.replace(['\n', '\r'], "`b/c.rs`");
            let rest = random.of(&["a.rs | Add", "`a.rs` | Add", " | Rename"]);
            text = format!("## Files Changed\n\n| File | Action |\n|---|---|\n| {cell}{rest} |\n");
        }
        granted += check(&text);
    }
    assert!(granted > 1_000, "only {granted} grants were looked at");
}

#[test]
fn long_documents_come_to_an_end() {
    let many = |text: &str| text.repeat(200_000 / text.len());
    let table = "## Files Changed\n\n| File | Change Type |\n|---|---|\n| ";
    let sections = "### x\n\n|File|\n|-|\n|a|\n\n";
    let documents = [
        many("## Files Changed\n\n"),
        many("# Files not to modify\n## x\n"),
        many("## Files Changed\n\n|File|\n|-|\n|a|\n\n"),
        format!("## Files Changed\n\n{}", many(sections)),
        format!("{table}{}", many("`a` ")),
        format!("{table}{}", many("[a](a) ")),
        format!("{table}{}", many("{")),
        format!("{table}`{}` | Add |\n", many("{a,b}")),
        format!("{table}{} | Add |\n", many("&amp;")),
        format!("{table}{}", many("\\")),
        format!("{table}{}", many("(")),
        format!("{table}{}", many("| `a.py` | Add |\n")),
        format!("## Files Changed\n\n- {}", many("`a - b` - ")),
        format!("## Files Changed\n\n- {}", many("(x) - ")),
        format!("## Files Changed\n\n{}", many("- `a`\n")),
        format!("## Files Changed\n\n- {}", many("`a`, ")),
        format!("## Files Changed\n\n- {}", many("{")),
        format!("## Files Changed\n\n- {}", many("Modify ")),
        format!("## Files Changed\n\n- `a` {}", many("(")),
        format!("## Files Changed\n\n- `a` {}", many("() ")),
        format!("## Files Changed\n\n- `a` — {}", many("do ")),
        format!("**Files:**\n\n- `a`\n{}", many("  - the loop\n")),
        many("**Files:**\n- `a.py`\n\n"),
        many("**Files:** `a.py`\n\n"),
        format!("---\nfiles_modified: [{}\n---\n", many("a, ")),
        format!("---\n{}\n---\n", many("files_modified:\n - a\n")),
        format!("---\nfiles_modified:\n{}---\n", many(" - a.py\n")),
        format!("---\nforbidden_paths:\n{}---\n", many(" - a.py\n")),
        format!("---\nx: {}\n---\n", many("[")),
        format!(
            "---\n{}---\n",
            (0..10_000)
                .map(|n| format!("key{n}: x\n"))
                .collect::<String>()
        ),
        many("> "),
        many("- "),
        many("```\n# Files Changed\n```\n"),
        many("#"),
        many("\r"),
    ];
    for text in documents {
        let start = Instant::now();
        read(&text);
        let spent = start.elapsed();
        let head: String = text.chars().take(60).collect();
        // A slow machine needs seconds; work that grows with the square of the length would need many minutes.
        assert!(spent < Duration::from_secs(60), "{spent:?} for {head:?}");
    }
}
