//! guard and cmark-gfm, which renders Markdown for GitHub, agree on what a design shows.
//!
//! cmark-gfm renders random documents, and a parser reads the result as a browser does
//! (`design_support/rendered.py`). guard grants nothing that is invisible there. In documents without unusual
//! parts, it grants all of it. `GUARD_LONG` reads more documents, and `GUARD_SEED` chooses others.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeSet;
use std::process::Command;

use crate::common::random::Random;
use crate::common::{self, SOURCE};
use crate::design_support::read;
use serde_json::{Value, json};

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
];
const OTHER: &[&str] = &["Background", "Backend", "Tests", "3. Notes", "Risks"];
const INDENT: &[&str] = &["", "", "", "", "", "", " ", "   ", "    ", "\t", "  \t"];
/// Separated by `¦`.
const HTML: &str = "<details>¦<details>\n<summary>x</summary>¦</details>¦</details>¦<div hidden>¦<div>¦</div>¦\
    </div>¦<template>¦</template>¦<!-- x -->¦<!--¦-->¦<!-->¦<!-- a --> b -->¦<?x¦?>¦<!X¦<![CDATA[¦]]>¦<del>¦\
    </del>¦<s>¦</s>¦<span hidden>¦</span>¦<p hidden>¦<ul><li>¦</ul>¦<table><tr><td>¦</td></tr></table>¦<pre>¦\
    </pre>¦<script>¦</script>¦<style>a{}</style>¦<textarea>¦</textarea>¦<h2>Out of scope</h2>¦<h3>Backend</h3>¦\
    <h2>Files Changed</h2>¦<br>¦<img alt=\"</details>\" src=x>¦<a name=\"x\">¦<a name=\"x\"></a>¦text <details>¦\
    text <s>more¦text <b>more</b> <i>x¦text <template>¦text </details>¦text </div>¦text <title> and <name>¦<x-y¦\
    >¦<div title=\"¦\">¦- <details>\n  x¦- x <s>y¦> <div hidden>¦> <template>¦> </details>¦> <!--";
/// Separated by `¦`.
const BLOCKS: &str = "text¦text\nmore text¦| text¦> quote\nlazy¦> ## Files Changed¦\
    > | File | Change Type |\n> |---|---|\n> | `src/quoted.py` | Add |¦- ## Files Changed\n- x¦\
    - item\n\n  | File | Change Type |\n  |---|---|\n  | `src/item.py` | Add |¦```\n## Files Changed\n```¦```¦\
    ~~~¦```\n| File | Change Type |\n|---|---|\n| `src/fenced.py` | Add |\n```¦    code¦---¦***¦===¦[a]: /x¦\
    [a]: /x\n\"title¦[^1]: note¦[^1]: note\n\n    more¦a[^1]¦**Files:**¦**Out of scope:**¦**Deferred**¦   ¦\t¦\
    1. one\n2. two¦* * *¦+¦\\¦&nbsp;¦~~struck~~¦~~text¦`code";

struct Writer<'r> {
    random: &'r mut Random,
    text: String,
    paths: usize,
    exotic: bool,
}

impl Writer<'_> {
    fn path(&mut self) -> String {
        self.paths += 1;
        format!("src/p{}.py", self.paths)
    }

    fn heading(&mut self, titles: &[&'static str]) {
        let mut title = self.random.of(titles).to_owned();
        if self.exotic && self.random.one_in(5) {
            let (before, after) = [
                ("**", "**"),
                ("*", "*"),
                ("~~", "~~"),
                ("<del>", "</del>"),
                ("<s>", ""),
                ("<b>", "</b>"),
                ("<!-- no --> ", ""),
                ("", " <!-- no -->"),
                ("", " #"),
                ("[", "](x)"),
                ("![", "](x)"),
                ("", "&#58;"),
                ("", " <details>"),
            ][self.random.below(13)];
            title = format!("{before}{title}{after}");
        }
        let level = 1 + self.random.below(4);
        let indent = self.indent();
        if self.exotic && self.random.one_in(6) {
            let line = self
                .random
                .of(&["===", "---", "-", " ---", "    ---", "- - -"]);
            self.text.push_str(&format!("{indent}{title}\n{line}\n"));
        } else {
            let close = if self.random.one_in(6) { " ##" } else { "" };
            self.text
                .push_str(&format!("{indent}{} {title}{close}\n", "#".repeat(level)));
        }
        self.blank();
    }

    fn indent(&mut self) -> &'static str {
        if self.exotic {
            self.random.of(INDENT)
        } else {
            ""
        }
    }

    fn blank(&mut self) {
        if !self.exotic || !self.random.one_in(4) {
            self.text.push('\n');
        }
    }

    fn path_cell(&mut self) -> String {
        let path = self.path();
        if !self.exotic {
            return format!("`{path}`");
        }
        match self.random.below(16) {
            0 => path,
            1 => format!("**{path}**"),
            2 => format!("src/**/{path}/**.py"),
            3 => format!("{path}/*/x/*"),
            4 => format!("~~`{path}`~~"),
            5 => format!("<del>`{path}`</del>"),
            6 => format!("<s>{path}</s>"),
            7 => format!("[{path}]({path})"),
            8 => path.replace('.', "\\."),
            9 => path.replace('.', "&#46;"),
            10 => format!("``{path}``"),
            11 => format!("`{path}` <!-- x -->"),
            12 => format!("src/**/{}", path.trim_start_matches("src/")),
            _ => format!("`{path}`"),
        }
    }

    fn type_cell(&mut self) -> &'static str {
        if !self.exotic {
            return self.random.of(&["Add", "Modify", "Delete"]);
        }
        self.random.of(&[
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
        ])
    }

    fn table(&mut self) {
        let indent = self.indent();
        let separator = if self.exotic {
            self.random.of(&[
                "|---|---|",
                "|---|---|",
                "|:-:|-|",
                "---|---",
                "|---|",
                "| - | - |",
                "|---|---|x",
            ])
        } else {
            "|---|---|"
        };
        let header = if self.exotic {
            self.random.of(&[
                "| File | Change Type |",
                "| File | Change Type |",
                "File | Change Type",
                "| **File** | Change Type",
            ])
        } else {
            "| File | Change Type |"
        };
        let second = self.indent();
        self.text
            .push_str(&format!("{indent}{header}\n{second}{separator}\n"));
        for _ in 0..1 + self.random.below(3) {
            let (indent, path, kind) = (self.indent(), self.path_cell(), self.type_cell());
            let row = if self.exotic && self.random.one_in(12) {
                [
                    format!("{path} | {kind}"),
                    format!("| {path} | {kind}"),
                    format!("| {path} |"),
                    format!("| {path} | {kind} | x |"),
                    "lazy text".to_owned(),
                    format!("> | {path} | {kind} |"),
                    format!("- | {path} | {kind} |"),
                    "<div hidden>".to_owned(),
                ][self.random.below(8)]
                .clone()
            } else {
                format!("| {path} | {kind} |")
            };
            self.text.push_str(&format!("{indent}{row}\n"));
        }
        self.blank();
    }

    fn list(&mut self) {
        for _ in 0..1 + self.random.below(3) {
            let path = self.path();
            let indent = self.indent();
            let (before, after) = [
                ("", ""),
                ("", ""),
                ("Modify: ", ""),
                ("<del>", "</del>"),
                ("~~", "~~"),
                ("", " - text"),
            ][self.random.below(6)];
            self.text
                .push_str(&format!("{indent}- {before}`{path}`{after}\n"));
        }
        self.blank();
    }

    fn block(&mut self, list: &[&'static str]) {
        let block = self.random.of(list);
        let indent = self.indent();
        self.text.push_str(&format!("{indent}{block}\n"));
        self.blank();
    }

    /// A few blocks that may enclose, hide or end what comes next.
    fn around(&mut self) {
        for _ in 0..self.random.below(3) {
            let list = if self.random.one_in(2) { HTML } else { BLOCKS };
            self.block(&list.split('¦').collect::<Vec<_>>());
        }
    }

    fn exotic(&mut self) {
        let is_one_section = self.random.one_in(2);
        if is_one_section {
            self.around();
            self.heading(AFFIRM);
            self.around();
            self.table();
        }
        for _ in 0..self.random.below(if is_one_section { 4 } else { 10 }) {
            match self.random.below(12) {
                0 | 1 if !is_one_section => self.heading(AFFIRM),
                2 => self.heading(DENY),
                3 => self.heading(OTHER),
                4 | 5 if !is_one_section => {
                    self.heading(AFFIRM);
                    self.table();
                }
                6 => self.table(),
                7 | 8 => self.list(),
                _ => self.around(),
            }
        }
        let crlf = self.random.one_in(8);
        if crlf {
            self.text = self.text.replace('\n', "\r\n");
        }
        if self.random.one_in(40) {
            self.text = self.text.replacen('\n', "\r", 1 + self.random.below(9));
        }
    }

    /// One section of files, others around it, and a heading above each table.
    fn usual(&mut self) {
        let filler: &[&str] = &[
            "text",
            "> quote",
            "- item\n- item",
            "```\n# code\n```",
            "**bold** text",
            "<!-- x -->",
        ];
        self.text.push_str("# Design\n\n");
        for _ in 0..self.random.below(3) {
            self.block(filler);
        }
        self.text.push_str("## Files Changed\n\n");
        self.table();
        for _ in 0..self.random.below(5) {
            let level = ["##", "###"][self.random.below(2)];
            let title = if self.random.one_in(2) {
                self.random.of(DENY)
            } else {
                self.random.of(OTHER)
            };
            self.text.push_str(&format!("{level} {title}\n\n"));
            self.block(filler);
            self.table();
        }
    }
}

fn documents(seed: u64, count: usize) -> Vec<(bool, String)> {
    let mut random = Random(seed);
    (0..count)
        .map(|number| {
            let exotic = number % 4 != 0;
            let mut writer = Writer {
                random: &mut random,
                text: String::new(),
                paths: 0,
                exotic,
            };
            if exotic {
                writer.exotic()
            } else {
                writer.usual()
            }
            (exotic, writer.text)
        })
        .collect()
}

/// The visible part of each rendered document.
fn rendered(documents: &[(bool, String)]) -> Option<Vec<BTreeSet<(String, String)>>> {
    let python = common::tool("python")?;
    let libraries = Command::new(&python)
        .args(["-c", "import cmarkgfm, selectolax"])
        .output()
        .unwrap();
    if !libraries.status.success() {
        common::skip("cmarkgfm and selectolax are not installed; tests/run installs them");
        return None;
    }
    let lower = |list: &[&str]| {
        list.iter()
            .map(|text| text.to_lowercase())
            .collect::<Vec<_>>()
    };
    let texts: Vec<&str> = documents.iter().map(|(_, text)| text.as_str()).collect();
    let request = json!({ "affirm": lower(AFFIRM), "deny": lower(DENY), "documents": texts });
    let script = format!("{SOURCE}/tests/design_support/rendered.py");
    let mut command = Command::new(python);
    let output =
        common::run_with_input(command.arg(script), request.to_string().as_bytes()).exits(0);
    let answer: Vec<Vec<(String, String)>> = serde_json::from_str::<Value>(&output.stdout)
        .and_then(serde_json::from_value)
        .unwrap();
    assert_eq!(answer.len(), documents.len());
    Some(
        answer
            .into_iter()
            .map(|seen| seen.into_iter().collect())
            .collect(),
    )
}

#[test]
fn guard_grants_only_what_cmark_gfm_shows() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let seed = number("GUARD_SEED").unwrap_or(0x9e37_79b9_7f4a_7c15);
    let count = if std::env::var_os("GUARD_LONG").is_some() {
        100_000
    } else {
        6_500
    };
    let documents = documents(seed, count);
    let Some(shown) = rendered(&documents) else {
        return;
    };
    let (mut granted, mut unusual, mut missed, mut wrong) = (0, 0, 0, Vec::new());
    for ((exotic, text), seen) in documents.iter().zip(shown) {
        let grants: BTreeSet<(String, String)> = read(text)
            .grants
            .iter()
            .map(|grant| (grant.path.to_string(), grant.change_type.clone()))
            .collect();
        granted += grants.len();
        unusual += usize::from(*exotic && !grants.is_empty());
        let is_seen = |grant: &&(String, String)| {
            seen.contains(grant) || seen.contains(&(grant.0.clone(), "*".to_owned()))
        };
        let unseen: Vec<_> = grants.iter().filter(|grant| !is_seen(grant)).collect();
        missed += usize::from(*exotic && grants.len() < seen.len());
        let of_tables: BTreeSet<_> = seen
            .iter()
            .filter(|(_, kind)| kind != "*")
            .cloned()
            .collect();
        if !unseen.is_empty() || (!exotic && grants != of_tables) {
            wrong.push(format!(
                "{text}\n--- granted {grants:?}\n--- seen    {seen:?}\n"
            ));
        }
    }
    println!(
        "{count} documents, {granted} grants, {unusual} unusual documents with grants, {missed} of which guard reads more strictly"
    );
    assert!(
        unusual > count / 50,
        "only {unusual} unusual documents grant something"
    );
    let first: Vec<&str> = wrong.iter().take(8).map(String::as_str).collect();
    assert!(
        wrong.is_empty(),
        "{} documents differ:\n{}",
        wrong.len(),
        first.join("\n=======\n")
    );
}
