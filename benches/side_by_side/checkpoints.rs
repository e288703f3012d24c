//! The checkpoints around a shell command, compared with `git status`, and a call that needs none.

use std::fs::{self, File};

use serde_json::json;

use super::common::Repo;
use super::{GUARD, Scale, median, text, timed, timed_with};

/// Prints a line for each number of files.
pub(super) fn measure(scale: &Scale) {
    measure_writes(scale);
    println!(
        "{:<10} {:>12} {:>12} {:>12} {:>8} {:>12} {:>8} {:>5}",
        "files", "first ms", "status ms", "before ms", "ratio", "after ms", "ratio", "aim"
    );
    for (files, aim) in [(scale.of(2_000), 1.5), (scale.of(50_000), 1.2)] {
        let repo = with_files(files);
        let hook = |event: &str| {
            let payload = json!({
                "session_id": "s", "cwd": repo.root, "hook_event_name": event, "tool_name": "Bash",
                "tool_use_id": "t", "tool_input": {"command": "true"},
            });
            let file = repo.root.join(".git/payload");
            fs::write(&file, payload.to_string()).unwrap();
            let file = File::open(file).unwrap();
            let run = timed_with(file.into(), &repo, &GUARD, &["hook", "claude"]);
            assert_eq!(run.code, 0, "{event}");
            run.milliseconds
        };
        let first = hook("PreToolUse");
        hook("PostToolUse");
        let status = || timed(&repo, "git", &["status", "--porcelain"]).milliseconds;
        status();
        let (mut base, mut before, mut after) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..scale.pairs(20) {
            base.push(status());
            before.push(hook("PreToolUse"));
            after.push(hook("PostToolUse"));
        }
        let ratio = |times: &[f64]| {
            let ratios = times.iter().zip(&base).map(|(time, base)| time / base);
            median(ratios.collect())
        };
        let ratios = (ratio(&before), ratio(&after));
        println!(
            "{files:<10} {first:>12.1} {:>12.1} {:>12.1} {:>8.2} {:>12.1} {:>8.2} {aim:>5}",
            median(base),
            median(before),
            ratios.0,
            median(after),
            ratios.1,
        );
    }
}

/// The answer to a write that a row allows, before which nothing is observed.
fn measure_writes(scale: &Scale) {
    println!(
        "{:<10} {:>12} {:>12} {:>5}",
        "files", "write ms", "git ms", "aim"
    );
    for files in [scale.of(200), scale.of(50_000)] {
        let repo = with_files(files);
        repo.govern(&[("src/new.py", "Add", "the work")]);
        let payload = json!({
            "session_id": "s", "cwd": repo.root, "hook_event_name": "PreToolUse", "tool_name": "Write",
            "tool_use_id": "t", "tool_input": {"file_path": repo.path("src/new.py"), "content": "x = 1\n"},
        });
        let file = repo.root.join(".git/payload");
        fs::write(&file, payload.to_string()).unwrap();
        let (mut writes, mut base) = (Vec::new(), Vec::new());
        for _ in 0..scale.pairs(60) {
            let input = File::open(&file).unwrap();
            let run = timed_with(input.into(), &repo, &GUARD, &["hook", "claude"]);
            assert_eq!(run.code, 0);
            writes.push(run.milliseconds);
            base.push(timed(&repo, "git", &["--version"]).milliseconds);
        }
        println!(
            "{files:<10} {:>12.1} {:>12.1} {:>5}",
            median(writes),
            median(base),
            "10"
        );
    }
}

fn with_files(files: usize) -> Repo {
    let repo = Repo::new();
    for number in 0..files {
        let path = format!(
            "src/part_{}/group_{}/file_{number}.py",
            number / 200,
            number / 20 % 10
        );
        repo.write(path, text(number, 30));
    }
    repo.write(".gitignore", "target/\n*.pyc\n");
    repo.git(&["add", "--all"]);
    repo.commit("Begin");
    repo
}
