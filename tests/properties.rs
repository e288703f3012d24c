//! What holds for every input: losses only fall when lines are added, a path that is accepted opens inside the
//! workspace, the order of designs does not matter, and every format carries the same findings.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use gix::bstr::{BStr, ByteSlice};
use serde_json::Value;
use write_guard::boundary::Boundary;
use write_guard::{Format, Level, Policy, ProposedChange, Verdict};

use crate::common::random::Random;

const HEAD: &str = "## Files Changed\n\n| File | Change Type |\n|---|---|\n";
/// Short and equal lines are counted in another way than lines that say something.
const LINES: [&str; 8] = [
    "",
    "}",
    "    return result;",
    "import os",
    "    value = compute(first, second)",
    "\tif done { break }",
    "# a comment that nobody misses",
    "let name = String::from(\"guard\");",
];

fn lines(dice: &mut Random, most: usize) -> Vec<String> {
    let count = dice.below(most);
    let line = |dice: &mut Random| match dice.below(3) {
        0 => format!("    step_{}(state, {});", dice.below(40), dice.below(9)),
        _ => dice.of(&LINES).to_owned(),
    };
    (0..count).map(|_| line(dice)).collect()
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn share(policy: &Policy, old: &[String], new: &[String]) -> f64 {
    let change = ProposedChange::modify("a.py", text(old), text(new));
    let verdict = policy.judge(&[change]).unwrap();
    let share = verdict.changes.first().and_then(|one| one.lost_share);
    share.unwrap_or(0.0)
}

#[test]
fn added_lines_never_raise_the_lost_share() {
    let policy = Policy::from_texts("", &[("d.md", &format!("{HEAD}| `a.py` | Modify |\n"))]);
    let policy = policy.unwrap();
    let mut dice = Random(30);
    let mut lost_something = 0;
    for case in 0..600 {
        let old = lines(&mut dice, 60);
        let mut new: Vec<String> = old.clone();
        new.retain(|_| !dice.one_in(3));
        if new == old {
            continue;
        }
        let before = share(&policy, &old, &new);
        let place = dice.below(new.len() + 1);
        for line in lines(&mut dice, 12) {
            new.insert(place, line);
        }
        let after = share(&policy, &old, &new);
        assert!(
            after <= before,
            "case {case}: {before} -> {after}\n{old:#?}\n{new:#?}"
        );
        lost_something += usize::from(after > 0.0);
    }
    assert!(lost_something > 200, "{lost_something} cases lose lines");
}

/// Findings without the places in designs, which follow the order.
fn findings(verdict: &Verdict) -> BTreeSet<(String, String, Level)> {
    let one = |finding: &write_guard::Finding| {
        let path = finding.path.as_ref().map(ToString::to_string);
        (
            finding.rule.id().to_owned(),
            path.unwrap_or_default(),
            finding.level,
        )
    };
    verdict.findings.iter().map(one).collect()
}

const PATHS: [&str; 6] = [
    "src/a.py",
    "src/b.py",
    "src/sub/c.py",
    "docs/x.md",
    "e.toml",
    "tests/t.py",
];
const ROWS: [&str; 8] = [
    "src/a.py",
    "src/b.py",
    "src/sub/c.py",
    "src/**",
    "docs/",
    "e.toml",
    "tests/*.py",
    "*.md",
];
const TYPES: [&str; 4] = ["Add", "Modify", "Delete", "Add/Modify"];

fn change(dice: &mut Random, path: &str) -> ProposedChange {
    let old = text(&lines(dice, 20)) + "first\n";
    match dice.below(3) {
        0 => ProposedChange::add(path, old),
        1 => ProposedChange::delete(path, old),
        _ => ProposedChange::modify(path, old.clone(), old + "more\n"),
    }
}

#[test]
fn the_order_of_designs_and_of_their_rows_changes_no_finding() {
    let mut dice = Random(31);
    let mut refused = 0;
    for case in 0..150 {
        let designs: Vec<Vec<String>> = (0..1 + dice.below(3))
            .map(|_| {
                let row =
                    |dice: &mut Random| format!("| `{}` | {} |\n", dice.of(&ROWS), dice.of(&TYPES));
                (0..1 + dice.below(4)).map(|_| row(&mut dice)).collect()
            })
            .collect();
        let changes: Vec<ProposedChange> =
            PATHS.iter().map(|path| change(&mut dice, path)).collect();
        let judged = |designs: &[Vec<String>]| {
            let texts: Vec<(String, String)> = designs
                .iter()
                .map(|rows| {
                    (
                        format!("d{}.md", rows.concat().len()),
                        format!("{HEAD}{}", rows.concat()),
                    )
                })
                .collect();
            let texts: Vec<(&str, &str)> = texts
                .iter()
                .map(|(path, text)| (path.as_str(), text.as_str()))
                .collect();
            let policy = Policy::from_texts("", &texts).unwrap();
            findings(&policy.judge(&changes).unwrap())
        };
        let mut turned: Vec<Vec<String>> = designs.iter().rev().cloned().collect();
        for rows in &mut turned {
            rows.reverse();
        }
        let (first, second) = (judged(&designs), judged(&turned));
        assert_eq!(first, second, "case {case}: {designs:#?}");
        refused += usize::from(!first.is_empty());
    }
    assert!(refused > 40, "{refused} cases have findings");
}

#[test]
fn every_format_carries_the_same_findings() {
    let mut dice = Random(32);
    let policy = Policy::from_texts("", &[("d.md", &format!("{HEAD}| `src/a.py` | Modify |\n"))]);
    let policy = policy.unwrap();
    for _ in 0..20 {
        let changes: Vec<ProposedChange> =
            PATHS.iter().map(|path| change(&mut dice, path)).collect();
        let verdict = policy.judge(&changes).unwrap();
        let written = |format| {
            let mut out = Vec::new();
            verdict.write(format, &mut out).unwrap();
            out.to_str().unwrap().to_owned()
        };
        let json = |format| serde_json::from_str::<Value>(&written(format)).unwrap();
        let pairs = |found: &Value, rule: &str, path: &str| -> BTreeSet<(String, String)> {
            let text = |one: &Value, pointer: &str| {
                let value = one.pointer(pointer).and_then(Value::as_str);
                value.unwrap_or_default().to_owned()
            };
            found
                .as_array()
                .unwrap()
                .iter()
                .map(|one| (text(one, rule), text(one, path)))
                .collect()
        };
        let expected: BTreeSet<(String, String)> = findings(&verdict)
            .into_iter()
            .map(|(rule, path, _)| (rule, path))
            .collect();
        assert!(!expected.is_empty());
        assert_eq!(
            pairs(&json(Format::Json)["findings"], "/rule", "/path"),
            expected
        );
        // A deleted file has no place of its own, so the message names it.
        let sarif = json(Format::Sarif);
        let results = sarif["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), verdict.findings.len());
        for (rule, path) in &expected {
            let is_it = |one: &&Value| one["ruleId"] == *rule && one.to_string().contains(path);
            assert!(results.iter().any(|one| is_it(&one)), "{rule} of {path}");
        }
        for format in [
            Format::Human,
            Format::Github,
            Format::Gitlab,
            Format::Junit,
            Format::Markdown,
            Format::Html,
        ] {
            let report = written(format);
            for (rule, path) in &expected {
                assert!(
                    report.contains(rule) && report.contains(path),
                    "{format:?} lacks {rule} of {path}:\n{report}"
                );
            }
        }
    }
}

#[test]
fn an_accepted_path_opens_inside_the_workspace() {
    const PIECES: [&str; 14] = [
        "a", "b", "in", "out", "up", "loop", "abs", "..", ".", "", "file", "file", "file", "secret",
    ];
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    let root = base.join("ws");
    fs::create_dir_all(root.join("a/b")).unwrap();
    fs::create_dir_all(base.join("out")).unwrap();
    for (file, content) in [
        ("ws/file", "inside"),
        ("ws/a/file", "inside"),
        ("ws/a/b/file", "inside"),
        ("out/secret", "outside"),
        ("out/file", "outside"),
        ("file", "outside"),
    ] {
        fs::write(base.join(file), content).unwrap();
    }
    for (target, link) in [
        ("a", "in"),
        ("../out", "out"),
        ("..", "up"),
        ("loop", "loop"),
        ("..", "a/up"),
        ("../../out", "a/out"),
        ("../file", "a/b/in"),
    ] {
        symlink(target, root.join(link)).unwrap();
    }
    symlink(base.join("out"), root.join("abs")).unwrap();
    let mut dice = Random(33);
    let boundary = Boundary::open(&root).unwrap();
    let mut read = 0;
    for _ in 0..3_000 {
        let pieces: Vec<&str> = (0..1 + dice.below(6)).map(|_| dice.of(&PIECES)).collect();
        let mut request = PathBuf::from(pieces.join("/"));
        if dice.one_in(3) {
            request = root.join(request);
        }
        let request = gix::path::into_bstr(request).unwrap().into_owned();
        let Ok(path) = boundary.locate(BStr::new(&request)) else {
            continue;
        };
        if let Ok(Some(file)) = boundary.read(path.as_ref(), 1 << 20) {
            assert_eq!(file.content, b"inside", "{request}");
            read += 1;
        }
    }
    assert!(read > 100, "{read} paths were read");
}
