//! `guard scope check` lints design documents.

use crate::common::{DESIGN, Repo, SETTINGS};
use serde_json::Value;

/// The problems that a command line reports, each as level, rule, path and line, sorted.
fn problems(repo: &Repo, line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split(' ').collect();
    let json = repo.json(&words);
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let problem = |problem: &Value| {
        let [level, rule, path] = ["level", "rule", "path"].map(|key| text(&problem[key]));
        let path = if path == DESIGN { "DESIGN" } else { &path };
        format!("{level} {rule} {path}:{}", problem["design"]["line"])
    };
    let mut all: Vec<String> = json["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(problem)
        .collect();
    all.sort();
    all
}

/// A repository in which the branch `188-work` starts at `origin/HEAD`; the design is committed on the branch.
fn begun(files: &[&str], rows: &[(&str, &str, &str)]) -> Repo {
    let repo = Repo::new();
    for file in files {
        repo.stage(file, "content\n");
    }
    begin(&repo, rows);
    repo
}

/// Commits a design and records the merge base.
fn begin(repo: &Repo, rows: &[(&str, &str, &str)]) {
    repo.govern(rows);
    let (main, head) = ("refs/remotes/origin/main", "refs/remotes/origin/HEAD");
    repo.git(&["update-ref", main, "HEAD"]);
    repo.git(&["symbolic-ref", head, main]);
}

#[test]
fn az_27_and_az_30_rows_that_fit_the_files_have_no_faults_and_nothing_is_made() {
    let repo = begun(
        &["src/a.py", "src/old.py"],
        &[
            ("src/a.py", "Modify", ""),
            ("src/new/deep/b.py", "Add", ""),
            ("src/old.py", "Delete", ""),
        ],
    );
    let before = repo.digest_tree();
    repo.tells("scope check", 0, "guard: nothing to correct in 1 design");
    repo.tells("scope check --staged", 0, "nothing to correct in 0 designs");
    assert_eq!(repo.digest_tree(), before);
}

#[test]
fn az_28_and_az_31_all_faults_are_reported_together_with_their_places() {
    let repo = begun(
        &["src/there.py"],
        &[
            ("src/no.py", "Modify", ""),
            ("src/none.py", "Delete", ""),
            ("src/there.py", "Add", ""),
            ("../out.py", "Modify", ""),
            ("src/new.py", "Tweak", ""),
            ("src/ok.py", "Add", ""),
            ("src/ok.py", "Add", ""),
            ("**", "Modify", ""),
            ("path/to/file.py", "Add", ""),
        ],
    );
    assert_eq!(
        problems(&repo, "scope check"),
        [
            "error design-add-exists src/there.py:9",
            "error design-bad-row DESIGN:11",
            "error design-modify-missing src/no.py:7",
            "error design-modify-missing src/none.py:8",
            "error design-outside DESIGN:10",
            "error design-placeholder DESIGN:15",
            "error design-too-wide DESIGN:14",
            "warning design-duplicate DESIGN:13",
        ]
    );
    repo.tells("scope check", 1, "guard: 7 errors, 1 warning in 1 design")
        .says("the file to modify does not exist: src/no.py")
        .says("docs/lld/active/LLD-188.md:7:3");
}

/// The Rename row already names the new path, and a warning alone does not fail.
#[test]
fn changes_made_by_the_branch_are_not_faults() {
    let repo = begun(
        &["old.py", "moved.py"],
        &[
            ("new.py", "Add", ""),
            ("old.py", "Delete", ""),
            ("moved.py` -> `there.py", "Rename", ""),
            ("there.py", "Modify", ""),
        ],
    );
    repo.stage("new.py", "new\n");
    repo.git(&["rm", "--quiet", "old.py"]);
    repo.git(&["mv", "moved.py", "there.py"]);
    repo.commit("Do the work");
    let warning = "warning design-duplicate DESIGN:10";
    assert_eq!(problems(&repo, "scope check"), [warning]);
    repo.tells("scope check", 0, "design-duplicate");
}

#[test]
fn without_a_merge_base_a_committed_add_row_is_a_warning_and_a_new_one_an_error() {
    let repo = Repo::new();
    repo.govern(&[("a.py", "Add", "")]);
    repo.stage("a.py", "a\n");
    repo.stage("b.py", "b\n");
    repo.commit("Add files");
    let warning = "warning design-add-exists a.py:7";
    assert_eq!(problems(&repo, "scope check"), [warning]);
    repo.design(DESIGN, &[("a.py", "Add", ""), ("b.py", "Add", "")]);
    let error = "error design-add-exists b.py:8";
    assert_eq!(problems(&repo, "scope check"), [error, warning]);
}

#[test]
fn directory_and_glob_rows_are_checked_against_matching_files() {
    let repo = begun(
        &["src/a.py", "docs/x.md"],
        &[
            ("src/*.py", "Modify", ""),
            ("src/*.rs", "Modify", ""),
            ("docs/", "Modify", ""),
            ("lib/", "Modify", ""),
            ("docs/", "Add", "more in a directory that exists"),
            ("docs", "Delete", "not a file"),
            ("src/a.py/", "Modify", "not a directory"),
        ],
    );
    let mut found = problems(&repo, "scope check");
    found.retain(|line| line.contains("missing"));
    assert_eq!(
        found,
        [
            "error design-modify-missing docs:12",
            "error design-modify-missing lib:10",
            "error design-modify-missing src/*.rs:8",
            "error design-modify-missing src/a.py:13",
        ]
    );
    let json = repo.json(&["scope", "check"]);
    let grants = json["grants"].as_array().unwrap().iter();
    let exists: Vec<_> = grants.map(|grant| grant["exists"] == true).collect();
    assert_eq!(exists, [true, false, true, false, true, true, true]);
}

#[test]
fn a_document_that_is_named_or_not_committed_yet_is_read_from_disk() {
    let repo = Repo::new();
    repo.write("guard.toml", SETTINGS);
    repo.stage("x.py", "x\n");
    repo.commit("Begin");
    repo.branch("188-work");
    repo.design(DESIGN, &[("y.py", "Modify", "")]);
    repo.design("notes/plan.md", &[("a.py", "Modify", "")]);
    repo.git(&["rm", "--quiet", "--cached", "-r", "docs", "notes"]);
    let missing = |path: &str| [format!("error design-modify-missing {path}:7")];
    assert_eq!(problems(&repo, "scope check"), missing("y.py"));
    let named = "scope check notes/plan.md";
    assert_eq!(problems(&repo, named), missing("a.py"));
}

#[test]
fn paths_that_only_the_text_names_are_noted() {
    let repo = begun(
        &["src/a.py", "src/b.py", "src/kept.py"],
        &[("src/a.py", "Modify", ""), ("src/kept.py", "Exists", "")],
    );
    repo.tells("scope check", 0, "nothing to correct in 1 design");
    let text = repo.text(DESIGN);
    let more =
        "\nChange `src/b.py` and `src/new.py`.\n\nDo not touch `src/c.py`; `src/kept.py` stays.\n";
    repo.stage(DESIGN, format!("{text}{more}"));
    let line = text.lines().count() + 2;
    let said = format!(
        "also names 2 paths that no row has: `src/b.py` (line {line}), `src/new.py` (line {line})"
    );
    repo.tells("scope check", 0, &said);
    assert_eq!(problems(&repo, "scope check"), [""; 0]);
}

#[test]
fn a_directory_that_a_row_names_is_not_noted() {
    let repo = begun(&["src/a.py"], &[("src/a.py", "Modify", "")]);
    repo.stage(DESIGN, "# Work\n\n## Files Changed\n\n- Modify `src/`\n");
    let output = repo.guard(&["scope", "check"]).exits(0).text();
    assert!(!output.contains("that no row has"), "{output}");
}

#[test]
fn unreadable_document_exits_with_2() {
    let repo = begun(&[], &[("a.py", "Add", "")]);
    let none = "there is no design at none.md";
    repo.tells("scope check none.md", 2, none);
    repo.tells("scope check docs", 2, "docs is not a regular file");
    repo.tells("scope check ../../etc/passwd", 2, "");
    repo.tells(&format!("scope check {DESIGN} none.md"), 2, none);
    repo.branch("no-issue");
    repo.tells("scope check", 2, "contains no issue number");
}

#[test]
fn all_judges_the_form_of_finished_designs_but_not_their_rows() {
    let repo = Repo::new();
    let finished = "docs/lld/active/LLD-1.md";
    repo.stage("done.py", "done\n");
    let rows = [("done.py", "Add", ""), ("gone.py", "Delete", "")];
    repo.design(finished, &rows);
    repo.commit("Finish issue 1");
    begin(&repo, &[("done.py", "Add", ""), ("b.py", "Add", "")]);
    let error = "error design-add-exists done.py:7";
    assert_eq!(problems(&repo, "scope check --all"), [error]);
    repo.design(finished, &[("done.py", "Tweak", "")]);
    repo.tells("scope check --all", 1, "design-bad-row");
    repo.git(&["rm", "-r", "--quiet", "--force", "docs"]);
    repo.git(&["switch", "--quiet", "--detach"]);
    repo.commit("Remove the designs");
    repo.tells("scope check --all", 2, "[lld]");
}

#[test]
fn staged_version_counts_with_staged() {
    let repo = begun(&[], &[("a.py", "Add", "")]);
    // The index has a fault that the file on disk lacks.
    repo.design(DESIGN, &[("a.py", "Add", ""), ("b.py", "Modify", "")]);
    let good = repo.text(DESIGN).replace("Modify", "Add");
    repo.write(DESIGN, &good);
    let (disk, staged) = (format!("scope check {DESIGN}"), "scope check --staged");
    let fault = ["error design-modify-missing b.py:8"];
    assert_eq!(problems(&repo, staged), fault);
    assert_eq!(problems(&repo, &format!("{staged} {DESIGN}")), fault);
    assert_eq!(problems(&repo, &disk), [""; 0]);
    // And vice versa.
    repo.stage(DESIGN, &good);
    repo.write(DESIGN, good.replace("| Add |", "| Tweak |"));
    assert_eq!(problems(&repo, staged), [""; 0]);
    repo.tells(&disk, 1, "design-bad-row");
    // A file that only the disk has is not part of the commit.
    repo.stage(DESIGN, good.replace("b.py` | Add", "c.py` | Modify"));
    repo.write("c.py", "c\n");
    let fault = ["error design-modify-missing c.py:8"];
    assert_eq!(problems(&repo, staged), fault);
    assert_eq!(problems(&repo, &disk), [""; 0]);
}

#[test]
fn staged_skips_files_that_are_not_designs() {
    let repo = Repo::new();
    repo.stage("README.md", "# Read me\n");
    let staged = format!("scope check --staged README.md {DESIGN}");
    let other = "scope check --staged README.md";
    repo.tells(other, 2, "guard init");
    // The commit that sets guard up is judged by the settings that it brings.
    repo.stage("guard.toml", SETTINGS);
    repo.design(DESIGN, &[("a.py", "Tweak", "")]);
    repo.tells(&staged, 1, "design-bad-row");
    repo.tells(other, 0, "in 0 designs");
    repo.tells("scope check README.md", 1, "design-no-table");
    // A link is no design.
    repo.git(&["rm", "--quiet", "--cached", DESIGN]);
    let blob = repo.blob(b"../../../other.md");
    repo.stage_raw(&[(0o120000, blob, DESIGN.as_bytes())]);
    repo.tells(&staged, 2, "is not a regular file");
}

#[test]
fn a_row_that_means_another_file_allows_nothing_and_says_which() {
    let repo = begun(
        &[
            "src/ui/step.rs",
            "src/ui/new.rs",
            "src/a/two.rs",
            "src/b/two.rs",
        ],
        &[
            ("step.rs", "Modify", ""),
            ("ui/step.rs", "Delete", ""),
            ("new.rs", "Add", ""),
            ("two.rs", "Modify", ""),
        ],
    );
    for verb in ["show", "check"] {
        let scope = repo.json(&["scope", verb]);
        let mut paths = Vec::new();
        for grant in scope["grants"].as_array().unwrap() {
            paths.push(grant["path"].as_str().unwrap());
        }
        assert_eq!(paths, ["new.rs", "two.rs"], "{verb}");
        let output = repo.guard(&["scope", verb]);
        output.says("did you mean `src/ui/step.rs`?");
    }
    let prompt = repo.guard(&["scope", "prompt"]).exits(0).text();
    assert!(!prompt.contains("step.rs"), "{prompt}");
}
