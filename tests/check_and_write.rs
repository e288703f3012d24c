//! `guard check`, `guard write` and `guard lint` give the same verdict for every kind of row and every state of a path.
//!
//! Each repository holds one path per row and state, so that few processes check many paths. All small files share one
//! content and all large ones another, so that one content on standard input is the same change for all of them.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::fs;

use crate::common::{DESIGN, GUARD, Repo, lines, run_with_input, table};
use serde_json::Value;
use write_guard::files::{Gate, Operation};
use write_guard::judge::Options;
use write_guard_repo::Repository;

/// What the design, the settings or the name determine for a path.
const ROWS: &str = "none add modify add-modify delete rename-old rename-new exists directory glob always companion \
                    protect protect-tests modified-test secret outside-roots design";

/// The content of this name; `-` is no file.
fn bytes(name: &str) -> Option<Vec<u8>> {
    let more = |name| [&bytes(name).unwrap()[..], b"one more\n"].concat();
    match name {
        "-" => None,
        "small" => Some(b"one\ntwo\nthree\n".into()),
        "small-more" => Some(more("small")),
        "short" => Some(b"x\n".into()),
        "large" => Some(lines(1..=200).into()),
        "large-more" => Some(more("large")),
        "binary" => Some(b"\x89PNG\r\n\x1a\n\0\x01\x02\x03\0\xff\xfe".into()),
        _ => Some(Vec::new()),
    }
}

/// A state: its name, what HEAD holds, what is staged, and what is on disk.
type State = [&'static str; 4];

const STATES: &str = "\
    absent | - | - | -
    committed | small | - | small
    deleted | small | - | -
    staged | - | small | small
    untracked | - | - | small
    untracked-large | - | - | large
    large | large | - | large
    cut | large | - | short
    large-deleted | large | - | -
    binary | binary | - | binary";

/// What is written.
const CONTENTS: &str = "small-more large-more small large short binary empty";

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
    fn new(row: &'static str, state: State) -> Cell {
        let name = state[0];
        let path = match row {
            "companion" => format!("ws/companion/{name}/Cargo.lock"),
            "protect-tests" | "modified-test" => format!("ws/{row}/{name}/test_a.py"),
            "secret" => format!("ws/secret/{name}/a.pem"),
            "outside-roots" => format!("out/{name}/a.py"),
            "design" => format!("docs/lld/{name}/LLD-900.md"),
            _ => format!("ws/{row}/{name}/a.py"),
        };
        Cell { row, state, path }
    }

    /// Whether HEAD or the disk has such a content.
    fn has(&self, content: &str) -> bool {
        [self.state[1], self.state[3]].contains(&content)
    }

    /// The content that loses nothing.
    fn harmless(&self) -> &'static str {
        if self.has("large") {
            "large-more"
        } else {
            "small-more"
        }
    }

    /// Whether the pair is worth trying.
    fn wants(&self, content: &str, base: Base) -> bool {
        match content {
            "small-more" | "large-more" => content == self.harmless(),
            // The loss does not depend on the merge base.
            _ if base != Base::Has => false,
            // Refused regardless of the row.
            "binary" => ["none", "add-modify"].contains(&self.row),
            "short" => self.has("large") || self.has("binary"),
            "empty" => true,
            _ => self.has(content),
        }
    }

    fn row(&self) -> Option<(String, &'static str)> {
        let path = self.path.clone();
        let directory = path.rsplit_once('/')?.0.to_owned();
        let other = format!("{directory}/other.py");
        Some(match self.row {
            "add" | "protect-tests" => (path, "Add"),
            "modify" | "modified-test" => (path, "Modify"),
            "add-modify" | "protect" | "secret" | "outside-roots" => (path, "Add/Modify"),
            "delete" => (path, "Delete"),
            "rename-old" => (format!("{path}` -> `{other}"), "Rename"),
            "rename-new" => (format!("{other}` -> `{path}"), "Rename"),
            "exists" => (path, "Exists"),
            "companion" => (format!("{directory}/Cargo.toml"), "Modify"),
            _ => return None,
        })
    }

    fn put(&self, repo: &Repo, content: &str) {
        match bytes(content) {
            Some(bytes) => repo.write(&self.path, bytes),
            None => drop(fs::remove_file(repo.path(&self.path))),
        }
    }
}

/// A repository with all cells.
struct Matrix {
    repo: Repo,
    cells: Vec<Cell>,
}

impl Matrix {
    fn new(base: Base, has_design: bool) -> Matrix {
        let rows = ROWS.split(' ').filter(|row| has_design || *row != "design");
        let cells = rows.flat_map(|row| table(STATES).map(move |state| Cell::new(row, state)));
        let cells: Vec<Cell> = cells.collect();
        let repo = Repo::nothing_in_memory().initialized(&[]);
        let designs = if has_design {
            "path = \"docs/lld/*/LLD-{issue}.md\"\n"
        } else {
            "missing = \"skip\"\n"
        };
        let known = match base {
            Base::Unknown => "",
            _ => "base = \"main\"\n",
        };
        let settings = format!(
            "[lld]\n{designs}{known}[scope]\nalways = [\"/ws/always/**\"]\nprotect = [\"/ws/protect/**\"]\n\
             protect-tests = \"always\"\n[workspace]\nwrite = [\"ws\", \"docs\"]\nsecrets = [\"*.pem\"]\n",
        );
        repo.stage("guard.toml", settings);
        let mut design = String::from(
            "# A feature\n\n## Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n\
             | `ws/directory/` | Add/Modify | x |\n| `ws/glob/*/a.py` | Modify | x |\n",
        );
        for (path, kind) in cells.iter().filter_map(Cell::row) {
            writeln!(design, "| `{path}` | {kind} | x |").unwrap();
        }
        if has_design {
            repo.stage(DESIGN, &design);
        }
        if base == Base::Lacks {
            repo.commit("Begin");
            repo.branch("188-work");
        }
        let put_all = |of: fn(&State) -> &str| {
            let put = |cell: &Cell| cell.put(&repo, of(&cell.state));
            cells.iter().for_each(put);
        };
        put_all(|state| state[1]);
        repo.git(&["add", "--all", "--force"]);
        repo.commit("Have files");
        if base != Base::Lacks {
            repo.branch("188-work");
        }
        put_all(|state| if state[2] == "-" { state[1] } else { state[2] });
        repo.git(&["add", "--all", "--force"]);
        put_all(|state| state[3]);
        Matrix { repo, cells }
    }

    /// The answers of one `guard check` for these cells.
    fn check(&self, cells: &[&Cell], content: &str) -> Vec<Value> {
        let mut check = self.repo.command(GUARD);
        check.args(["check", "--format", "json"]);
        check.args(cells.iter().map(|cell| &cell.path));
        let input = bytes(content);
        if input.is_some() {
            check.args(["--content-file", "-", "--allow-empty"]);
        }
        let output = run_with_input(&mut check, &input.unwrap_or_default());
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        let results = report["results"].as_array().unwrap().clone();
        assert_eq!(results.len(), cells.len());
        results
    }

    /// What `guard lint` refuses of the written files when they are staged.
    fn lint(&self, content: &str, written: &HashSet<&str>) -> Vec<String> {
        let paths: String = written.iter().flat_map(|path| [path, "\n"]).collect();
        let add = ["add", "--force", "--pathspec-from-file=-"];
        self.repo.git_with_input(&add, paths.as_bytes());
        let report = self.repo.json(&["lint"]);
        let findings = report["findings"].as_array();
        let findings = findings.unwrap_or_else(|| panic!("{report}"));
        let refused = findings.iter().filter(|finding| {
            let path = finding["path"].as_str().unwrap_or_default();
            finding["level"] == "error" && written.contains(path)
        });
        let told = |finding| format!("{content} is written, but lint: {finding}");
        refused.map(told).collect()
    }
}

/// Writes, and returns whether that is allowed, and the rule that refused.
fn write(gate: &Gate<'_>, path: &str, content: &str) -> (bool, Value) {
    let operation = Operation::replace(bytes(content).unwrap());
    match gate.perform(path.into(), &operation, None, None) {
        Ok(_) => (true, Value::Null),
        Err(failure) => {
            assert_eq!(failure.kind.exit_code(), 1, "{path}: {failure:?}");
            let rule = failure.finding.map(|finding| finding.rule.id());
            (false, rule.into())
        }
    }
}

/// Writes each content to each path that wants it, and compares the verdict with those of `check` and `lint`.
fn check_all(base: Base, has_design: bool) {
    let matrix = Matrix::new(base, has_design);
    let repo = &matrix.repo;
    let index = fs::read(repo.path(".git/index")).unwrap();
    let all: Vec<&Cell> = matrix.cells.iter().collect();
    let of_paths = matrix.check(&all, "-");
    let opened = Repository::open(&repo.root).unwrap();
    let gate = Gate::open(&opened, &Options::default()).unwrap();
    let mut harmless = HashMap::new();
    let mut wrong = Vec::new();
    let mut compare = |what: String, answer: &Value, (allowed, rule): &(bool, Value)| {
        if answer["allowed"] != *allowed || answer["rule"] != *rule {
            wrong.push(format!("{what}: check {answer}, write {allowed} {rule}"));
        }
    };
    let mut linted = Vec::new();
    for content in CONTENTS.split(' ') {
        let wanted = |cell: &&Cell| cell.wants(content, base);
        let cells: Vec<&Cell> = all.iter().copied().filter(wanted).collect();
        if cells.is_empty() {
            continue;
        }
        let checked = matrix.check(&cells, content);
        let mut written = HashSet::new();
        for (cell, answer) in cells.iter().zip(&checked) {
            let result = write(&gate, &cell.path, content);
            compare(format!("{content} {}", cell.path), answer, &result);
            if result.0 {
                written.insert(cell.path.as_str());
            }
            if content == cell.harmless() {
                harmless.insert(&cell.path, result);
            }
        }
        linted.extend(matrix.lint(content, &written));
        fs::write(repo.path(".git/index"), &index).unwrap();
        cells.iter().for_each(|cell| cell.put(repo, cell.state[3]));
    }
    for (cell, answer) in all.iter().zip(&of_paths) {
        let what = format!("no content {}", cell.path);
        compare(what, answer, &harmless[&cell.path]);
    }
    wrong.extend(linted);
    assert!(wrong.is_empty(), "{base:?}:\n{}", wrong.join("\n"));
}

#[test]
fn check_write_and_lint_agree_with_a_merge_base() {
    check_all(Base::Has, true);
    check_all(Base::Lacks, true);
}

#[test]
fn check_write_and_lint_agree_without_a_merge_base_or_a_design() {
    check_all(Base::Unknown, true);
    check_all(Base::Unknown, false);
}
