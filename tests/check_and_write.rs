//! `guard check`, `guard write` and `guard lint` give the same verdict for every kind of row and every state of a path.
//!
//! Each repository holds one path per row and state, so that few processes check many paths. All small files share one
//! content and all large ones another, so that one content on standard input is the same change for all of them.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;

use crate::common::{DESIGN, GUARD, Repo, lines, run_with_input};
use serde_json::Value;
use write_guard::files::{Gate, Operation, Strategy};
use write_guard::git::Repository;
use write_guard::judge::Options;

const SMALL: &str = "one\ntwo\nthree\n";
const BINARY: &[u8] = b"\x89PNG\r\n\x1a\n\0\x01\x02\x03\0\xff\xfe";

/// What the design, the settings or the name determine for a path.
const ROWS: &str = "none add modify add-modify delete rename-old rename-new exists directory glob always companion \
                    protect protect-tests modified-test secret outside-roots design governing";

/// What exists at a path on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Disk {
    Absent,
    Same,
    File(Text),
    LinkInside,
    LinkOutside,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Text {
    Small,
    Short,
    Large,
    Binary,
}

impl Text {
    fn bytes(self) -> Vec<u8> {
        match self {
            Text::Small => SMALL.into(),
            Text::Short => "x\n".into(),
            Text::Large => lines(1..=200).into(),
            Text::Binary => BINARY.into(),
        }
    }
}

/// A state: its name, what HEAD holds, what is staged, and what is on disk.
type State = (&'static str, Option<Text>, Option<Text>, Disk);

const STATES: [State; 12] = [
    ("absent", None, None, Disk::Absent),
    ("committed", Some(Text::Small), None, Disk::Same),
    ("deleted", Some(Text::Small), None, Disk::Absent),
    ("staged", None, Some(Text::Small), Disk::File(Text::Small)),
    ("untracked", None, None, Disk::File(Text::Small)),
    ("untracked-large", None, None, Disk::File(Text::Large)),
    ("large", Some(Text::Large), None, Disk::Same),
    ("cut", Some(Text::Large), None, Disk::File(Text::Short)),
    ("large-deleted", Some(Text::Large), None, Disk::Absent),
    ("binary", Some(Text::Binary), None, Disk::Same),
    ("link-inside", None, None, Disk::LinkInside),
    ("link-outside", None, None, Disk::LinkOutside),
];

/// The requested content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Content {
    SmallMore,
    LargeMore,
    Small,
    Large,
    Short,
    Binary,
    Empty,
    EmptyAllowed,
    /// Only for the applicable design.
    DesignMore,
    /// The design without a section that declares files.
    DesignEmptied,
}

const CONTENTS: [Content; 10] = {
    use Content::*;
    [
        SmallMore,
        LargeMore,
        Small,
        Large,
        Short,
        Binary,
        Empty,
        EmptyAllowed,
        DesignMore,
        DesignEmptied,
    ]
};

/// The merge base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    Has,
    Lacks,
    Unknown,
}

struct Cell {
    row: &'static str,
    state: State,
    path: String,
}

impl Cell {
    fn new(row: &'static str, state: State) -> Option<Cell> {
        let name = state.0;
        let path = match row {
            "companion" => format!("ws/companion/{name}/Cargo.lock"),
            "protect-tests" | "modified-test" => format!("ws/{row}/{name}/test_a.py"),
            "secret" => format!("ws/secret/{name}/a.pem"),
            "outside-roots" => format!("out/{name}/a.py"),
            "design" => format!("docs/lld/{name}/LLD-900.md"),
            "governing" if name == "committed" => DESIGN.to_owned(),
            "governing" => return None,
            _ => format!("ws/{row}/{name}/a.py"),
        };
        Some(Cell { row, state, path })
    }

    fn directory(&self) -> &str {
        self.path.rsplit_once('/').unwrap().0
    }

    /// The content at the path on disk before the request.
    fn there(&self) -> Option<Text> {
        match self.state.3 {
            Disk::File(text) => Some(text),
            Disk::Absent => None,
            _ => self.state.1,
        }
    }

    /// The content that must be kept, if any.
    fn harmless(&self) -> Content {
        let is_large = |text| text == Some(Text::Large);
        if self.row == "governing" {
            Content::DesignMore
        } else if is_large(self.state.1) || is_large(self.there()) {
            Content::LargeMore
        } else {
            Content::SmallMore
        }
    }

    /// Whether the pair is worth starting a process for.
    fn wants(&self, content: Content, base: Base) -> bool {
        let harmless = content == self.harmless();
        match content {
            // Only the path counts here.
            _ if self.state.3 == Disk::LinkOutside => harmless,
            Content::DesignMore | Content::DesignEmptied => self.row == "governing",
            // The loss does not depend on the merge base.
            _ if base != Base::Has => harmless,
            Content::Small => {
                self.there() == Some(Text::Small) || self.state.1 == Some(Text::Small)
            }
            Content::Large => {
                self.there() == Some(Text::Large) || self.state.1 == Some(Text::Large)
            }
            Content::SmallMore | Content::LargeMore => harmless,
            // Refused regardless of the row.
            Content::Binary | Content::Empty => ["none", "add-modify"].contains(&self.row),
            Content::Short => {
                let much = |text| matches!(text, Some(Text::Large | Text::Binary));
                much(self.there()) || much(self.state.1)
            }
            Content::EmptyAllowed => true,
        }
    }

    fn rows(&self) -> Vec<(String, &'static str)> {
        let path = self.path.clone();
        let other = format!("{}/other.py", self.directory());
        match self.row {
            "add" | "protect-tests" => vec![(path, "Add")],
            "modify" | "modified-test" => vec![(path, "Modify")],
            "add-modify" | "protect" | "secret" | "outside-roots" => vec![(path, "Add/Modify")],
            "delete" => vec![(path, "Delete")],
            "rename-old" => vec![(format!("{path}` -> `{other}"), "Rename")],
            "rename-new" => vec![(format!("{other}` -> `{path}"), "Rename")],
            "exists" => vec![(path, "Exists")],
            "companion" => vec![(format!("{}/Cargo.toml", self.directory()), "Modify")],
            _ => Vec::new(),
        }
    }

    /// Writes the state to disk.
    fn put(&self, repo: &Repo) {
        let path = repo.path(&self.path);
        let head = self.state.1.map(Text::bytes).unwrap_or_default();
        let _ = fs::remove_file(&path);
        match self.state.3 {
            Disk::Absent => {}
            Disk::Same => repo.write(&self.path, head),
            Disk::File(text) => repo.write(&self.path, text.bytes()),
            Disk::LinkInside | Disk::LinkOutside => {
                repo.write(format!("{}/target.py", self.directory()), SMALL);
                let inside = self.state.3 == Disk::LinkInside;
                let target = if inside { "target.py" } else { "/etc/hosts" };
                symlink(target, path).unwrap();
            }
        }
    }
}

/// A repository with all cells.
struct Matrix {
    repo: Repo,
    cells: Vec<Cell>,
    design: String,
}

impl Matrix {
    fn new(base: Base, has_design: bool) -> Matrix {
        let rows = ROWS.split(' ');
        let rows = rows.filter(|row| has_design || !["governing", "design"].contains(row));
        let cells = rows.flat_map(|row| STATES.iter().map(move |state| Cell::new(row, *state)));
        let cells: Vec<Cell> = cells.flatten().collect();
        let repo = Repo::nothing_in_memory().initialized(&[]);
        let mut settings = String::from("[lld]\n");
        if has_design {
            settings.push_str("path = \"docs/lld/*/LLD-{issue}.md\"\n");
        } else {
            settings.push_str("missing = \"skip\"\n");
        }
        if base != Base::Unknown {
            settings.push_str("base = \"main\"\n");
        }
        settings.push_str(
            "[scope]\nalways = [\"/ws/always/**\"]\nprotect = [\"/ws/protect/**\"]\nprotect-tests = \"always\"\n\
             [workspace]\nwrite = [\"ws\", \"docs\"]\nsecrets = [\"*.pem\"]\n",
        );
        repo.stage("guard.toml", settings);
        let mut design = String::from(
            "# A feature\n\n## Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n\
             | `ws/directory/` | Add/Modify | x |\n| `ws/glob/*/a.py` | Modify | x |\n",
        );
        for (path, kind) in cells.iter().flat_map(Cell::rows) {
            writeln!(design, "| `{path}` | {kind} | x |").unwrap();
        }
        if has_design {
            repo.stage(DESIGN, &design);
        }
        if base == Base::Lacks {
            repo.commit("Begin");
            repo.branch("188-work");
        }
        for cell in cells.iter().filter(|cell| cell.row != "governing") {
            if let Some(text) = cell.state.1 {
                repo.write(&cell.path, text.bytes());
            }
        }
        repo.git(&["add", "--all", "--force"]);
        repo.commit("Have files");
        if base != Base::Lacks {
            repo.branch("188-work");
        }
        for cell in cells.iter().filter(|cell| cell.row != "governing") {
            if let Some(text) = cell.state.2 {
                repo.write(&cell.path, text.bytes());
            }
        }
        repo.git(&["add", "--all", "--force"]);
        let matrix = Matrix {
            repo,
            cells,
            design,
        };
        for cell in &matrix.cells {
            matrix.put(cell);
        }
        matrix
    }

    fn put(&self, cell: &Cell) {
        match cell.row {
            "governing" => self.repo.write(DESIGN, &self.design),
            _ => cell.put(&self.repo),
        }
    }

    fn bytes(&self, content: Content) -> Vec<u8> {
        let more = |text: Text| [&text.bytes()[..], b"one more\n"].concat();
        match content {
            Content::SmallMore => more(Text::Small),
            Content::LargeMore => more(Text::Large),
            Content::Small => Text::Small.bytes(),
            Content::Large => Text::Large.bytes(),
            Content::Short => Text::Short.bytes(),
            Content::Binary => [BINARY, b"more"].concat(),
            Content::Empty | Content::EmptyAllowed => Vec::new(),
            Content::DesignMore => format!("{}\nA remark.\n", self.design).into(),
            Content::DesignEmptied => self.design.replace("Files Changed", "Notes").into(),
        }
    }

    /// The answers of one `guard check` for these cells; `None` if it could not check.
    fn check(&self, cells: &[&Cell], content: Option<Content>) -> Option<Vec<Value>> {
        let mut check = self.repo.command(GUARD);
        check.args(["check", "--format", "json"]);
        check.args(cells.iter().map(|cell| &cell.path));
        if content.is_some() {
            check.args(["--content-file", "-"]);
        }
        if content == Some(Content::EmptyAllowed) {
            check.arg("--allow-empty");
        }
        let input = content.map_or_else(Vec::new, |content| self.bytes(content));
        let output = run_with_input(&mut check, &input);
        if output.code == 2 {
            assert_eq!(content, Some(Content::Empty), "{output:?}");
            return None;
        }
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        let results = report["results"].as_array().unwrap().clone();
        assert_eq!(results.len(), cells.len());
        Some(results)
    }

    /// Writes, and returns the exit code and the rule that refused.
    fn write(&self, gate: &Gate<'_>, cell: &Cell, content: Content) -> (u8, Value) {
        let operation = Operation::Write {
            content: self.bytes(content),
            strategy: Strategy::Replace,
            expect: None,
            allow_empty: content == Content::EmptyAllowed,
        };
        match gate.perform(cell.path.as_str().into(), &operation, None) {
            Ok(_) => (0, Value::Null),
            Err(failure) => {
                let rule = failure.finding.map(|finding| finding.rule.id());
                (failure.kind.exit_code(), rule.into())
            }
        }
    }
}

/// Writes each content to each path that wants it, and compares the verdict with those of `check` and `lint`.
fn check_all(base: Base, has_design: bool) {
    let matrix = Matrix::new(base, has_design);
    let repo = &matrix.repo;
    let index = fs::read(repo.path(".git/index")).unwrap();
    let all: Vec<&Cell> = matrix.cells.iter().collect();
    let of_paths = matrix.check(&all, None).unwrap();
    let opened = Repository::open(&repo.root).unwrap();
    let gate = Gate::open(&opened, &Options::default()).unwrap();
    let mut harmless = HashMap::new();
    let mut wrong = Vec::new();
    for content in CONTENTS {
        let wanted = |cell: &&Cell| cell.wants(content, base);
        let cells: Vec<&Cell> = all.iter().copied().filter(wanted).collect();
        if cells.is_empty() {
            continue;
        }
        let checked = matrix.check(&cells, Some(content));
        let mut written = HashSet::new();
        for (at, cell) in cells.iter().enumerate() {
            let (code, rule) = matrix.write(&gate, cell, content);
            if code == 0 {
                written.insert(cell.path.as_str());
            }
            if content == cell.harmless() {
                harmless.insert(&cell.path, (code == 0, rule.clone()));
            }
            let Some(checked) = &checked else {
                assert_ne!(code, 0, "{content:?} {}", cell.path);
                continue;
            };
            let result = &checked[at];
            let same = result["allowed"] == (code == 0) && result["rule"] == rule && code != 2;
            if !same {
                wrong.push(format!(
                    "{content:?} {}: check {result}, write {code} {rule}",
                    cell.path
                ));
            }
        }
        wrong.extend(matrix.lint(content, &written));
        fs::write(repo.path(".git/index"), &index).unwrap();
        for cell in &cells {
            if written.contains(cell.path.as_str()) {
                matrix.put(cell);
            }
        }
    }
    for (cell, result) in all.iter().zip(&of_paths) {
        let (allowed, rule) = &harmless[&cell.path];
        if result["allowed"] != *allowed || result["rule"] != *rule {
            wrong.push(format!(
                "no content {}: check {result}, write {allowed} {rule}",
                cell.path
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{base:?}: {} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

impl Matrix {
    /// What `guard lint` refuses of the written files when they are staged.
    fn lint(&self, content: Content, written: &HashSet<&str>) -> Vec<String> {
        // Writing to a link changes its target.
        let files = |path: &&str| {
            let path = self.repo.path(path).canonicalize().unwrap();
            let path = path.strip_prefix(&self.repo.root).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let files: HashSet<String> = written.iter().map(files).collect();
        let paths = files
            .iter()
            .fold(String::new(), |all, path| all + path + "\n");
        let add = ["add", "--force", "--pathspec-from-file=-"];
        self.repo.git_with_input(&add, paths.as_bytes());
        let report = self.repo.json(&["lint"]);
        let findings = report["findings"].as_array();
        let findings = findings.unwrap_or_else(|| panic!("{report}"));
        let refused = findings.iter().filter(|finding| {
            let path = finding["path"].as_str().unwrap_or_default();
            finding["level"] == "error" && files.contains(path)
        });
        refused
            .map(|finding| {
                let (rule, message) = (&finding["rule"], &finding["message"]);
                format!("{content:?} is written, but lint: {rule} {message}")
            })
            .collect()
    }
}

#[test]
fn check_write_and_lint_agree_on_files_of_the_merge_base() {
    check_all(Base::Has, true);
}

#[test]
fn check_write_and_lint_agree_on_files_that_the_merge_base_lacks() {
    check_all(Base::Lacks, true);
}

#[test]
fn check_write_and_lint_agree_without_a_merge_base() {
    check_all(Base::Unknown, true);
}

#[test]
fn check_write_and_lint_agree_without_a_design() {
    check_all(Base::Unknown, false);
}
