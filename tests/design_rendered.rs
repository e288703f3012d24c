//! guard and cmark-gfm, which renders Markdown for GitHub, agree on what a design shows.
//!
//! cmark-gfm renders random documents, and a parser reads the result as a browser does
//! (`design_rendered.py`). guard grants nothing that is invisible there. In documents without unusual
//! parts, it grants all of it. `GUARD_LONG` reads more documents, and `GUARD_SEED` chooses others.

use std::collections::BTreeSet;
use std::process::Command;

use crate::common::random::Random;
use crate::common::{self, SOURCE};
use gix::bstr::BStr;
use serde_json::{Value, json};
use write_guard_policy::design::parse;
use write_guard_policy::scope::GrantForm;
use write_guard_policy::scope::settings::Settings;
use write_guard_testing::designs::{corpus, read};

/// Headings that announce files. In all lists, `@` stands for a new path.
const AFFIRM: &[&str] = &[
    "Files Changed",
    "2.1 Files Changed",
    "Files to Modify",
    "File Changes",
];
const DENY: &[&str] = &[
    "Out of scope",
    "Deferred",
    "Future work",
    "Won't be touched",
    "Phase 2 (out of scope)",
    "Not in this change",
    "Non-goals",
    "Files not to modify",
    "Background",
];
const OTHER: &[&str] = &["Parser", "Backend", "Tests", "3. Notes", "Risks"];
/// Around a title, which `%` stands for.
const TITLES: &[&str] = &[
    "%",
    "%",
    "%",
    "%",
    "%",
    "%",
    "%",
    "%",
    "**%**",
    "*%*",
    "~~%~~",
    "<del>%</del>",
    "<s>%",
    "<b>%</b>",
    "<!-- no --> %",
    "% <!-- no -->",
    "% #",
    "[%](x)",
    "![%](x)",
    "%&#58;",
    "% <details>",
];
const HTML: &[&str] = &[
    "<details>",
    "<details>\n<summary>x</summary>",
    "</details>",
    "</details>",
    "<div hidden>",
    "<div>",
    "</div>",
    "</div>",
    "<template>",
    "</template>",
    "<!-- x -->",
    "<!--",
    "-->",
    "<!-->",
    "<!-- a --> b -->",
    "<?x",
    "?>",
    "<!X",
    "<![CDATA[",
    "]]>",
    "<del>",
    "</del>",
    "<s>",
    "</s>",
    "<span hidden>",
    "</span>",
    "<p hidden>",
    "<ul><li>",
    "</ul>",
    "<table><tr><td>",
    "</td></tr></table>",
    "<pre>",
    "</pre>",
    "<script>",
    "</script>",
    "<style>a{}</style>",
    "<textarea>",
    "</textarea>",
    "<h2>Out of scope</h2>",
    "<h3>Backend</h3>",
    "<h2>Files Changed</h2>",
    "<br>",
    "<img alt=\"</details>\" src=x>",
    "<a name=\"x\">",
    "<a name=\"x\"></a>",
    "text <details>",
    "text <s>more",
    "text <b>more</b> <i>x",
    "text <template>",
    "text </details>",
    "text </div>",
    "text <title> and <name>",
    "<x-y",
    ">",
    "<div title=\"",
    "\">",
    "- <details>\n  x",
    "- x <s>y",
    "> <div hidden>",
    "> <template>",
    "> </details>",
    "> <!--",
];
const BLOCKS: &[&str] = &[
    "text",
    "text\nmore text",
    "| text",
    "> quote\nlazy",
    "> ## Files Changed",
    "> | File | Change Type |\n> |---|---|\n> | `src/quoted.py` | Add |",
    "- ## Files Changed\n- x",
    "- item\n\n  | File | Change Type |\n  |---|---|\n  | `src/item.py` | Add |",
    "```\n## Files Changed\n```",
    "```",
    "~~~",
    "```\n| File | Change Type |\n|---|---|\n| `src/fenced.py` | Add |\n```",
    "    code",
    "---",
    "***",
    "===",
    "[a]: /x",
    "[a]: /x\n\"title",
    "[^1]: note",
    "[^1]: note\n\n    more",
    "a[^1]",
    "**Files:**",
    "**Files:**\n- `@`",
    "Files to modify:\n\n- `@`",
    "<details>**Files:**\n- `@`",
    "~~**Files:**~~\n- `@`",
    "> **Files:**\n> - `@`",
    "- **Files:**\n  - `@`",
    "**Out of scope:**",
    "**Deferred**",
    "   ",
    "\t",
    "1. one\n2. two",
    "* * *",
    "+",
    "\\",
    "&nbsp;",
    "~~struck~~",
    "~~text",
    "`code",
];
const ITEMS: &[&str] = &[
    "- `@`",
    "- Modify: `@`",
    "- <del>`@`</del>",
    "- ~~`@`~~",
    "- `@` - text",
    "- `@`, `@`",
    "1. Create: `@`\n2. `@`",
    "- [ ] `@`",
    "- `@`\n  - <del>text</del>",
];
const HEADERS: &[&str] = &[
    "| File | Change Type |\n|---|---|",
    "| File | Change Type |\n|---|---|",
    "File | Change Type\n|:-:|-|",
    "| **File** | Change Type\n---|---",
    "| File | Change Type |\n|---|",
    "| File | Change Type |\n|---|---|x",
];
const PATHS: &[&str] = &[
    "`@`",
    "`@`",
    "`@`",
    "`@`",
    "@",
    "**@**",
    "src/**/@/**.py",
    "@/*/x/*",
    "~~`@`~~",
    "<del>`@`</del>",
    "<s>@</s>",
    "[src/linked.py](src/linked.py)",
    "``@``",
    "`@` <!-- x -->",
    "src/**/@",
];
const TYPES: &[&str] = &[
    "Add",
    "Add",
    "Modify",
    "Delete",
    "**Add**",
    "~~Add~~",
    "<del>Add</del>",
    "<s>Add",
    "<b>Add</b>",
    "<!-- Add --> Modify",
    "Add <!--",
    "Add <template>",
    "A\\dd",
    "Add&#33;",
    "![Add](x)",
];
/// Around the path `@` and the type `%` of a row.
const ROWS: &[&str] = &[
    "| @ | % |",
    "| @ | % |",
    "| @ | % |",
    "| @ | % |",
    "| @ | % |",
    "| @ | % |",
    "| @ | % |",
    "| @ | % |",
    "@ | %",
    "| @ | %",
    "| @ |",
    "| @ | % | x |",
    "lazy text",
    "> | @ | % |",
    "- | @ | % |",
    "<div hidden>",
];
const INDENTS: &[&str] = &[
    "", "", "", "", "", "", "", "", "", "", "", " ", "   ", "    ", "\t", "  \t",
];
/// Blocks without unusual parts.
const USUAL: &[&str] = &[
    "text",
    "> quote",
    "- item\n- item",
    "```\n# code\n```",
    "**bold** text",
    "<!-- x -->",
];

fn heading(random: &mut Random, titles: &[&str], is_exotic: bool) -> String {
    let title = random.of(titles);
    let title = if is_exotic {
        random.of(TITLES).replace('%', title)
    } else {
        title.to_owned()
    };
    if is_exotic && random.one_in(6) {
        let line = random.of(&["===", "---", "-", " ---", "    ---", "- - -"]);
        return format!("{title}\n{line}");
    }
    let level = if is_exotic {
        1 + random.below(4)
    } else {
        2 + random.below(2)
    };
    format!("{} {title}", "#".repeat(level))
}

fn table(random: &mut Random, is_exotic: bool) -> String {
    let mut text = if is_exotic {
        random.of(HEADERS).to_owned()
    } else {
        "| File | Change Type |\n|---|---|".to_owned()
    };
    for _ in 0..1 + random.below(3) {
        let (row, path, kind) = if is_exotic {
            (random.of(ROWS), random.of(PATHS), random.of(TYPES))
        } else {
            ("| @ | % |", "`@`", random.of(&["Add", "Modify", "Delete"]))
        };
        text = format!("{text}\n{}", row.replace('@', path).replace('%', kind));
    }
    text
}

/// The blocks of a document: one section of files with others around it, or anything.
fn blocks(random: &mut Random, is_exotic: bool) -> Vec<String> {
    let mut blocks = Vec::new();
    if !is_exotic || random.one_in(2) {
        blocks.push("# Design".to_owned());
        blocks.push(random.of(USUAL).to_owned());
        blocks.push("## Files Changed".to_owned());
        blocks.push(table(random, is_exotic));
    }
    for _ in 0..random.below(if is_exotic { 10 } else { 5 }) {
        if !is_exotic {
            let titles = [DENY, OTHER][random.below(2)];
            blocks.push(heading(random, titles, false));
            blocks.push(random.of(USUAL).to_owned());
            blocks.push(table(random, false));
            continue;
        }
        let block = match random.below(8) {
            0 => heading(random, AFFIRM, true),
            1 => heading(random, DENY, true),
            2 => heading(random, OTHER, true),
            3 | 4 => table(random, true),
            5 => random.of(ITEMS).to_owned(),
            6 => random.of(HTML).to_owned(),
            _ => random.of(BLOCKS).to_owned(),
        };
        blocks.push(block);
    }
    blocks
}

fn document(random: &mut Random, is_exotic: bool) -> String {
    let mut text = String::new();
    for block in blocks(random, is_exotic) {
        for line in block.lines() {
            let indent = if is_exotic { random.of(INDENTS) } else { "" };
            text.push_str(&format!("{indent}{line}\n"));
        }
        if !is_exotic || !random.one_in(4) {
            text.push('\n');
        }
    }
    let parts = text.split('@').enumerate();
    let parts = parts.map(|(number, part)| match number {
        0 => part.to_owned(),
        number => format!("src/p{number}.py{part}"),
    });
    let text: String = parts.collect();
    if is_exotic && random.one_in(8) {
        text.replace('\n', "\r\n")
    } else {
        text
    }
}

/// What the oracle answers to a request; `None` (a counted skip) without it.
fn asked(request: &Value) -> Option<String> {
    let python = common::tool("python")?;
    let mut libraries = Command::new(&python);
    libraries.args(["-c", "import cmarkgfm, selectolax"]);
    if common::run(&mut libraries).code != 0 {
        common::skip("cmarkgfm and selectolax are not installed; tests/run installs them");
        return None;
    }
    let script = format!("{SOURCE}/tests/design_rendered.py");
    let mut command = Command::new(python);
    let request = request.to_string();
    let output = common::run_with_input(command.arg(script), request.as_bytes());
    Some(output.exits(0).stdout)
}

/// The visible part of each rendered document.
fn rendered(documents: &[(bool, String)]) -> Option<Vec<BTreeSet<(String, String)>>> {
    let lower =
        |list: &[&str]| -> Vec<String> { list.iter().map(|title| title.to_lowercase()).collect() };
    let texts: Vec<&str> = documents.iter().map(|(_, text)| text.as_str()).collect();
    let answer = asked(&json!({
        "affirm": lower(AFFIRM), "deny": lower(DENY), "documents": texts
    }))?;
    Some(serde_json::from_str(&answer).unwrap())
}

/// A document without its front matter, which GitHub shows as a table of its own.
fn without_front_matter(text: &str) -> &str {
    let body = text.trim_start_matches('\u{feff}');
    let is_front = body.starts_with("---\n") || body.starts_with("---\r\n");
    match body.match_indices("\n---").next() {
        Some((at, _)) if is_front => &body[at + 4..],
        _ => body,
    }
}

#[test]
fn every_row_of_the_fixtures_is_visible() {
    let documents = corpus();
    let texts: Vec<&str> = documents
        .iter()
        .map(|(_, text)| without_front_matter(text))
        .collect();
    let Some(answer) = asked(&json!({ "documents": texts })) else {
        return;
    };
    let shown: Vec<String> = serde_json::from_str(&answer).unwrap();
    assert_eq!(shown.len(), documents.len());
    let (mut count, mut wrong) = (0, Vec::new());
    for ((at, text), shown) in documents.iter().zip(shown) {
        let shown = shown.replace(['_', '*', '\\'], "");
        let design = parse(BStr::new(at), text.as_bytes(), &Settings::default());
        for grant in design.grants {
            if grant.form == GrantForm::FrontMatter {
                continue;
            }
            count += 1;
            let path = grant.path.to_string();
            let name = path.rsplit('/').next().unwrap();
            // GitHub shows `__init__` as emphasis, and `./src//a.rs` as it is written.
            let bare = |text: &str| text.replace(['_', '*', '\\'], "");
            let is_shown =
                shown.contains(&bare(&path)) || text.contains("./") && shown.contains(&bare(name));
            if !is_shown {
                wrong.push(format!("{at}: {path}\n{text}"));
            }
        }
    }
    assert!(count >= 500, "only {count} grants were looked at");
    wrong.truncate(8);
    assert!(wrong.is_empty(), "{}", wrong.join("\n=======\n"));
}

#[test]
fn guard_grants_only_what_cmark_gfm_shows() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let mut random = Random(number("GUARD_SEED").unwrap_or(0x9e37_79b9_7f4a_7c15));
    let count = match std::env::var_os("GUARD_LONG") {
        Some(_) => 100_000,
        None => 3_000,
    };
    let documents = (0..count).map(|number| number % 4 != 0);
    let documents = documents.map(|is_exotic| (is_exotic, document(&mut random, is_exotic)));
    let documents: Vec<(bool, String)> = documents.collect();
    let Some(shown) = rendered(&documents) else {
        return;
    };
    assert_eq!(shown.len(), count);
    let (mut granted, mut unusual, mut wrong) = (0, 0, Vec::new());
    for ((is_exotic, text), seen) in documents.iter().zip(shown) {
        let grants = read(text).grants.into_iter();
        let grants = grants.map(|grant| (grant.path.to_string(), grant.change_type));
        let grants: BTreeSet<(String, String)> = grants.collect();
        granted += grants.len();
        unusual += usize::from(*is_exotic && !grants.is_empty());
        let is_seen = |grant: &(String, String)| {
            seen.contains(grant) || seen.contains(&(grant.0.clone(), "*".to_owned()))
        };
        let of_tables = seen.iter().filter(|(_, kind)| kind != "*");
        let is_same = *is_exotic || grants.iter().eq(of_tables);
        if !is_same || !grants.iter().all(is_seen) {
            let found = format!("--- granted {grants:?}\n--- seen    {seen:?}");
            wrong.push(format!("{text}\n{found}\n"));
        }
    }
    println!("{count} documents, {granted} grants, {unusual} unusual documents with grants");
    assert!(
        unusual > count / 50,
        "few unusual documents grant something"
    );
    wrong.truncate(8);
    assert!(wrong.is_empty(), "{}", wrong.join("\n=======\n"));
}
