//! Time grows in proportion to the input: four times the input takes far less than sixteen times as long.
use std::time::{Duration, Instant};

use crate::common::{DESIGN, GUARD, Repo, SETTINGS, run};

/// A run of guard: the repository, the exit code and the arguments.
struct Case(Repo, i32, &'static [&'static str]);

impl Case {
    /// The processor time: wall time says little on a busy machine.
    fn time(&self) -> Duration {
        let Case(repo, code, arguments) = self;
        if cfg!(windows) {
            // Its shell need not count the time of programs that are not its own.
            let begun = Instant::now();
            repo.guard(arguments).exits(*code);
            return begun.elapsed();
        }
        let script = "\"$0\" \"$@\" >/dev/null 2>&1; code=$?; times; exit $code";
        let mut shell = repo.command("sh");
        shell.args(["-c", script, GUARD]).args(*arguments);
        let times = run(&mut shell).exits(*code).stdout;
        let children = times.lines().nth(1).unwrap();
        children.split(' ').map(seconds).sum()
    }
}

/// The time of `guard scope check` of this design.
fn check(text: &str) -> Case {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    repo.stage(DESIGN, text);
    repo.commit("Say what may change");
    repo.git(&["switch", "--quiet", "--create", "188-work"]);
    let code = repo.guard(&["scope", "check", DESIGN]).code;
    Case(repo, code, &["scope", "check", DESIGN])
}

/// `1m2.345s`.
fn seconds(text: &str) -> Duration {
    let (minutes, seconds) = text.trim_end_matches('s').split_once('m').unwrap();
    let minutes: f64 = minutes.parse().unwrap();
    let seconds: f64 = seconds.parse().unwrap();
    Duration::from_secs_f64(60.0 * minutes + seconds)
}

/// Four times the input must take less than ten times as long. On a busy machine even processor time varies, so most of
/// five rounds decide. Where the time grows with the square of the input, it takes sixteen times as long.
#[track_caller]
fn grows_gently(few: usize, of: impl Fn(usize) -> Case) {
    let (few, many) = (of(few), of(4 * few));
    let (mut gentle, mut steep) = (0, Vec::new());
    while gentle < 3 && steep.len() < 3 {
        let (few, many) = (few.time(), many.time());
        // The system counts in steps of 10 ms.
        if many < few.max(Duration::from_millis(10)) * 10 {
            gentle += 1;
        } else {
            steep.push((few, many));
        }
    }
    assert!(gentle == 3, "four times as much: {steep:?}");
}

/// A template for each number, which stands for its `{n}`.
fn repeated(template: &str, count: usize) -> String {
    let text = |n: usize| template.replace("{n}", &n.to_string());
    (0..count).map(text).collect()
}

/// A repository with a design of these rows, on the design's branch.
fn with_rows(row: &str, count: usize) -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    let head = "# Many\n\n## Files Changed\n\n| File | Change Type |\n|---|---|\n";
    repo.stage(DESIGN, format!("{head}{}", repeated(row, count)));
    repo.commit("Say what may change");
    repo.branch("188-work");
    repo
}

/// Stages files, one for each number.
fn stage(repo: &Repo, path: &str, count: usize) {
    let line = format!("100644 {}\t{path}\n", repo.blob(b"x\n"));
    let lines = repeated(&line, count);
    repo.git_with_input(&["update-index", "--index-info"], lines.as_bytes());
}

/// None of the files exists, but one of the same name does elsewhere.
#[test]
fn many_rows_that_name_files_of_one_directory_are_checked_in_time() {
    grows_gently(1_000, |count| {
        let repo = with_rows("| `src/f{n}.rs` | Modify |\n", count);
        stage(&repo, "lib/f{n}.rs", count);
        repo.commit("Files");
        Case(repo, 1, &["scope", "check", DESIGN])
    });
}

#[test]
fn the_closest_of_many_rows_of_one_name_is_found_in_time() {
    grows_gently(500, |count| {
        let repo = with_rows("| `src/d{n}/same.rs` | Add |\n", count);
        stage(&repo, "lib/e{n}/same.rs", count);
        Case(repo, 1, &["lint"])
    });
}

#[test]
fn many_trailers_of_one_message_are_read_in_time() {
    grows_gently(2_500, |count| {
        let repo = with_rows("| `a.rs` | Add |\n", 1);
        repo.stage("a.rs", "x\n");
        let trailers = repeated("Guard-Design: docs/lld/active/LLD-9{n}.md\n", count);
        let message = format!("Add a\n\n{trailers}");
        repo.git_with_input(&["commit", "-qF", "-"], message.as_bytes());
        // Each design that is gone is a note.
        Case(repo, 0, &["lint", "--range", "HEAD~..HEAD"])
    });
}

#[test]
fn a_plan_of_many_rows_in_each_place_is_read_in_time() {
    for form in [
        "### Task {n}: x\n\n**Files:**\n- Create: `src/f{n}.rs`\n\n- [ ] **Step 1: x**\n\n",
        "## Files to Create\n\n- `src/f{n}.rs` — the module\n\n",
        "## Files to Create\n\n| File |\n|---|\n| `src/f{n}.rs` |\n\n",
        "## Files Changed\n\n### Part {n}\n\n| File | Change Type |\n|---|---|\n| `src/f{n}.rs` | Add |\n\n",
        "**Existing files (no changes):**\n- `src/f{n}.rs`\n",
    ] {
        grows_gently(500, |count| {
            let text = repeated(form, count);
            check(&format!(
                "# Plan\n\n{text}\n\n**Files:**\n- `src/last.rs`\n"
            ))
        });
    }
}

#[test]
fn a_plan_of_many_forms_that_are_no_rows_is_read_in_time() {
    for form in [
        "**Files:** `src/a{n}.rs`, `src/b{n}.rs` (new)\n**Action:** x\n",
        "**Files:**\n\nText.\n\n",
        "- [ ] T{n} Create the model in src/f{n}.rs\n  - Files: `src/g{n}.rs`\n",
        "<task>\n<files>src/f{n}.rs, src/g{n}.rs</files>\n</task>\n",
        "- Files:\n    - Files:\n            - Files:\n",
        "```\nsrc/\n├── f{n}.rs # NEW\n```\n",
        "<files>`src/{n}.rs` <!-- <details> (",
        "## Out of scope {n}\n\n- `src/f{n}.rs`\n\n",
        "Change `src/f{n}.rs`, but do not touch `src/g{n}.rs`.\n\n",
    ] {
        grows_gently(500, |count| {
            let text = repeated(form, count);
            check(&format!(
                "# Plan\n\n**Files:**\n- `src/last.rs`\n\n# Work\n\n{text}\n"
            ))
        });
    }
}

#[test]
fn a_line_of_many_paths_is_read_in_time() {
    for (begin, end) in [
        ("---\nfiles_modified: [", "]\n---\n"),
        ("---\nforbidden_files: [", "]\n---\n"),
        ("**Files:**\n- ", "src/last.rs\n"),
        ("## Files Changed\n\n| File |\n|---|\n| ", "src/last.rs |\n"),
        ("**Files:** ", "src/last.rs\n"),
    ] {
        grows_gently(2_000, |count| {
            let list = repeated("src/f{n}.rs, ", count);
            check(&format!("{begin}{list}{end}"))
        });
    }
}

#[test]
fn many_proposals_are_made_in_time() {
    for form in [
        "- Create: `src/f{n}.rs`\n",
        "`src/f{n}.rs`, ",
        "src/f{n}.rs(",
        "a: ",
    ] {
        grows_gently(500, |count| {
            let repo = Repo::new();
            repo.stage("guard.toml", SETTINGS);
            repo.stage("src/last.rs", "x\n");
            repo.commit("Begin");
            repo.write(
                "plan.md",
                repeated(form, count) + "\n\nChange `src/last.rs`.\n",
            );
            let arguments = &["scope", "import", "plan.md", "--print"];
            Case(repo, 0, arguments)
        });
    }
}
