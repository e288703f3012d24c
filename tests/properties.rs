//! What holds for every input: a path that is accepted opens inside the workspace, and the order of designs does not
//! matter.

use crate::common::system::{self, symlink};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use gix::bstr::BStr;
use write_guard::{Level, Policy, ProposedChange, Verdict, judge_changes};
use write_guard_repo::boundary::Boundary;

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

/// Findings without the places in designs, which follow the order.
fn findings(verdict: &Verdict) -> BTreeSet<(String, String, Level)> {
    let one = |finding: &write_guard::Finding| {
        let path = finding.path.as_ref().map(ToString::to_string);
        let rule = finding.rule.id().to_owned();
        (rule, path.unwrap_or_default(), finding.level)
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
        let row = |dice: &mut Random| format!("| `{}` | {} |\n", dice.of(&ROWS), dice.of(&TYPES));
        let mut design = || (0..1 + dice.below(4)).map(|_| row(&mut dice)).collect();
        let designs: Vec<Vec<String>> = (0..1 + case % 3).map(|_| design()).collect();
        let changes = PATHS.map(|path| change(&mut dice, path));
        let judged = |designs: &[Vec<String>]| {
            let texts = designs.iter().map(|rows| rows.concat());
            let texts = texts.map(|rows| (format!("d{}.md", rows.len()), format!("{HEAD}{rows}")));
            let texts: Vec<(String, String)> = texts.collect();
            let texts: Vec<_> = texts
                .iter()
                .map(|(path, text)| (&**path, &**text))
                .collect();
            let policy = Policy::from_texts("", &texts).unwrap();
            findings(&judge_changes(&policy, &changes).unwrap())
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
fn an_accepted_path_opens_inside_the_workspace() {
    const PIECES: [&str; 14] = [
        "a", "b", "in", "out", "up", "loop", "abs", "..", ".", "", "file", "file", "file", "secret",
    ];
    let dir = tempfile::tempdir().unwrap();
    let base = system::real(dir.path());
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
