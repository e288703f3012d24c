//! Time grows in proportion to the input: four times the input takes far less than sixteen times as long.
#![cfg(target_os = "linux")]
use std::fmt::Write as _;
use std::time::Duration;

use crate::common::{DESIGN, GUARD, Repo, SETTINGS, run};

/// A run of guard: the repository, the exit code and the arguments.
struct Case(Repo, i32, &'static [&'static str]);

impl Case {
    /// The processor time: wall time says little on a busy machine.
    fn time(&self) -> Duration {
        let Case(repo, code, arguments) = self;
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
    repo.stage("guard.toml", format!("{SETTINGS}tasks = true\n"));
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

/// On a busy machine even processor time varies, so a few rounds decide. Where the time grows with the square of the
/// input, none passes.
#[track_caller]
fn grows_gently(few: &Case, many: &Case) {
    let mut seen = Vec::new();
    while seen.len() < 6 {
        let (few, many) = (few.time(), many.time());
        // The system counts in steps of 10 ms.
        if many < few.max(Duration::from_millis(10)) * 10 {
            return;
        }
        seen.push((few, many));
    }
    panic!("four times as much: {seen:?}");
}

/// A repository with a design of these rows, on the design's branch.
fn with_rows(count: usize, row: impl Fn(usize) -> String) -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    let mut text = String::from(
        "# Many\n\n## Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n",
    );
    for n in 0..count {
        writeln!(text, "{}", row(n)).unwrap();
    }
    repo.stage(DESIGN, text);
    repo
}

/// Stages the files.
fn stage(repo: &Repo, paths: impl Iterator<Item = String>) {
    let blob = repo.blob(b"x\n");
    let lines = paths.map(|path| format!("100644 {blob}\t{path}\n"));
    let lines: String = lines.collect();
    repo.git_with_input(&["update-index", "--index-info"], lines.as_bytes());
}

/// Commits on the design's branch.
fn commit(repo: &Repo) {
    repo.commit("Say what may change");
    repo.git(&["switch", "--quiet", "--create", "188-work"]);
}

#[test]
fn many_rows_that_name_files_of_one_directory_are_checked_in_time() {
    let of = |count: usize| {
        let repo = with_rows(count, |n| format!("| `src/f{n}.rs` | Modify | x |"));
        // Half of them are missing, but a file of the same name exists elsewhere.
        let path = |n: usize| match n % 2 {
            0 => format!("src/f{n}.rs"),
            _ => format!("lib/f{n}.rs"),
        };
        stage(&repo, (0..count).map(path));
        commit(&repo);
        Case(repo, 1, &["scope", "check", DESIGN])
    };
    grows_gently(&of(1_000), &of(4_000));
}

#[test]
fn the_closest_of_many_rows_of_one_name_is_found_in_time() {
    let of = |count: usize| {
        let repo = with_rows(count, |n| format!("| `src/d{n}/same.rs` | Add | x |"));
        commit(&repo);
        stage(&repo, (0..count).map(|n| format!("lib/e{n}/same.rs")));
        Case(repo, 1, &["lint"])
    };
    grows_gently(&of(500), &of(2_000));
}

#[test]
fn many_trailers_of_one_message_are_read_in_time() {
    let of = |count: usize| {
        let repo = with_rows(1, |_| "| `a.rs` | Add | x |".to_owned());
        commit(&repo);
        repo.stage("a.rs", "x\n");
        let mut message = String::from("Add a\n\n");
        for n in 0..count {
            writeln!(message, "Guard-Design: docs/lld/active/LLD-{}.md", n + 188).unwrap();
        }
        repo.git_with_input(&["commit", "-qF", "-"], message.as_bytes());
        // The first missing design ends the run.
        Case(repo, 2, &["lint", "--range", "HEAD~..HEAD"])
    };
    grows_gently(&of(2_500), &of(10_000));
}

#[test]
fn a_plan_of_many_labels_bullets_tasks_and_tags_is_read_in_time() {
    let forms: [fn(usize) -> String; 8] = [
        |n| {
            format!(
                "### Task {n}: x\n\n**Files:**\n- Create: `src/f{n}.rs`\n\n- [ ] **Step 1: x**\n\n"
            )
        },
        |n| format!("**Files:** `src/a{n}.rs`, `src/b{n}.rs` (new)\n**Action:** x\n"),
        |n| format!("- [ ] T{n} Create the model in src/f{n}.rs\n  - Files: `src/g{n}.rs`\n"),
        |n| format!("<task>\n<files>src/f{n}.rs, src/g{n}.rs</files>\n</task>\n"),
        |n| format!("**Existing files (no changes):**\n- `src/f{n}.rs`\n"),
        |n| format!("{}- Files:\n", " ".repeat(2 * (n % 40))),
        |n| format!("```\nsrc/\n├── f{n}.rs # NEW\n```\n"),
        |n| format!("<files>`src/{n}.rs` <!-- <details> ("),
    ];
    for form in forms {
        let of = |count: usize| {
            let text: String = (0..count).map(form).collect();
            check(&format!("# Plan\n\n{text}\n\n**Files:** `src/last.rs`\n"))
        };
        grows_gently(&of(500), &of(2_000));
    }
}

#[test]
fn a_line_of_many_paths_is_read_in_time() {
    type Part = fn(usize) -> String;
    let forms: [(&str, Part, &str); 3] = [
        (
            "<task><files>",
            |n| format!("src/f{n}.rs, "),
            "</files></task>\n",
        ),
        (
            "---\nfiles_modified: [",
            |n| format!("src/f{n}.rs, "),
            "]\n---\n",
        ),
        (
            "**Files:** ",
            |n| format!("src/f{n}.rs,\n"),
            "src/last.rs\n",
        ),
    ];
    for (begin, form, end) in forms {
        let of = |count: usize| {
            let text: String = (0..count).map(form).collect();
            check(&format!("{begin}{text}{end}"))
        };
        grows_gently(&of(2_000), &of(8_000));
    }
}
