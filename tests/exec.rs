//! `guard exec`: what a program changes is judged as the command of an agent; what is not allowed is taken back.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::agent_observe::{copy_of, is_allowed, state, template};
use crate::common::terminal::{self, End};
use crate::common::{GUARD, Output, Repo, assert_each, lines, run, system};

/// Runs a script by `guard exec`, or with bare bash.
fn bash(repo: &Repo, options: Option<&[&str]>, script: &str) -> Output {
    let temporary = repo.path("../temporary");
    fs::create_dir_all(&temporary).unwrap();
    let mut command = match options {
        Some(options) => {
            let mut guard = repo.command(GUARD);
            guard.arg("exec").args(options).args(["--", "bash"]);
            guard
        }
        None => repo.command("bash"),
    };
    command.args(["-c", script]);
    run(system::set_temporary(&mut command, temporary))
}

fn exec(repo: &Repo, script: &str) -> Output {
    bash(repo, Some(&[]), script)
}

/// The report as JSON: the last line of standard error.
fn report(output: &Output) -> Value {
    let line = output.stderr.lines().last().unwrap();
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// The scripts of a list below its titles, of which one in `step` is taken.
fn scripts(step: usize) -> Vec<(&'static str, bool)> {
    let mut is_refused = false;
    let mut all = Vec::new();
    for line in include_str!("data/programs.txt").lines() {
        match line.strip_prefix("# ") {
            Some(title) => is_refused = title == "refused",
            None => all.push((line, is_refused)),
        }
    }
    assert!(all.len() >= 100, "{}", all.len());
    all.into_iter().step_by(step).collect()
}

/// What differs between two states, but for what `leaves_out` says.
fn differences(
    one: &BTreeMap<String, String>,
    other: &BTreeMap<String, String>,
    leaves_out: impl Fn(&str) -> bool,
) -> Vec<String> {
    let names = one.keys().chain(other.keys());
    let differ = names.filter(|name| one.get(*name) != other.get(*name) && !leaves_out(name));
    differ.cloned().collect()
}

/// What is wrong with a run by guard, compared with a bare one.
fn wrong(template: &Repo, script: &str, is_refused: bool) -> (Option<String>, [Duration; 2]) {
    let (bare, guarded) = (copy_of(template), copy_of(template));
    let began = Instant::now();
    let alone = bash(&bare, None, script);
    let bare_time = began.elapsed();
    let began = Instant::now();
    let output = exec(&guarded, script);
    let times = [bare_time, began.elapsed()];
    let (before, wanted, found) = (state(template), state(&bare), state(&guarded));
    // What a rule about contents refuses is taken back, too.
    let is_taken_back =
        |name: &str| is_refused && (!is_allowed(name) || output.stderr.contains(name));
    let lost = differences(&wanted, &found, is_taken_back);
    let escaped = differences(&before, &found, |name| {
        !is_refused || is_allowed(name) || name == "the index"
    });
    let code = match alone.code {
        0 if is_refused => 1,
        code => code,
    };
    let is_right = lost.is_empty() && escaped.is_empty() && output.code == code;
    let why = (!is_right).then(|| {
        format!(
            "{script}\n    lost {lost:?}, escaped {escaped:?}, exits {} for {code}: {}",
            output.code,
            output.text()
        )
    });
    (why, times)
}

/// All with `GUARD_LONG`, which also prints how long they took beside the bare commands.
#[test]
fn what_is_not_allowed_is_taken_back_and_allowed_work_stays() {
    let is_long = std::env::var_os("GUARD_LONG").is_some();
    let all = scripts(if is_long { 1 } else { 8 });
    let template = template();
    let times = std::sync::Mutex::new([Vec::new(), Vec::new()]);
    assert_each(&all, |(script, is_refused)| {
        let (why, taken) = wrong(&template, script, *is_refused);
        let mut times = times.lock().unwrap();
        for (all, one) in times.iter_mut().zip(taken) {
            all.push(one.as_millis());
        }
        why
    });
    let mut times = times.into_inner().unwrap();
    let [bare, guarded] = times.each_mut().map(|all| {
        all.sort_unstable();
        (all[all.len() / 2], all[all.len() * 95 / 100])
    });
    println!(
        "{} programs, ms (p50, p95): bare {bare:?}, by guard exec {guarded:?}",
        all.len()
    );
}

/// git stores the file of the work tree as HEAD has it.
#[test]
fn file_with_line_endings_that_git_converts_is_taken_back() {
    let repo = copy_of(&template());
    repo.git(&["config", "core.autocrlf", "true"]);
    repo.write("src/other.py", "x = 1\r\n");
    let output = exec(&repo, "echo x > src/other.py").exits(1);
    assert!(!output.stderr.contains("to take back"), "{output:?}");
    assert_eq!(repo.text("src/other.py"), "x = 1\r\n");
}

#[test]
fn files_with_changes_are_left_and_reported_with_their_restore() {
    let repo = copy_of(&template());
    let before = state(&repo);
    let script =
        "echo x > README.md; echo x > notes.txt; echo x > src/other.py; echo '# a' >> src/log.py";
    let output = exec(&repo, script).exits(1);
    assert!(output.stdout.is_empty(), "{output:?}");
    assert_eq!(repo.text("src/other.py"), "x = 1\n");
    assert_eq!(repo.text("README.md"), "x\n");
    assert!(repo.text("src/log.py").ends_with("# a\n"));
    let line = output
        .stderr
        .lines()
        .find(|line| line.contains("to take back README.md"));
    let line = line.unwrap_or_else(|| panic!("{output:?}"));
    let command = line.rsplit_once("guard ").unwrap().1;
    repo.guard(&command.split(' ').collect::<Vec<_>>()).exits(0);
    assert_eq!(
        differences(&before, &state(&repo), |name| name == "src/log.py"),
        [""; 0]
    );
}

#[test]
fn keep_only_reports_and_what_was_taken_back_is_in_a_snapshot() {
    let repo = copy_of(&template());
    let kept = bash(
        &repo,
        Some(&["--keep", "--format", "json"]),
        "echo x > src/other.py",
    )
    .exits(1);
    assert_eq!(repo.text("src/other.py"), "x\n");
    let kept = report(&kept);
    assert_eq!(kept["left"][0], "src/other.py", "{kept}");
    assert_eq!(
        (&kept["verdict"], &kept["exit_code"]),
        (&"refused".into(), &1.into())
    );
    repo.git(&["restore", "src/other.py"]);

    let output = bash(
        &repo,
        Some(&["--format", "json"]),
        "echo out; echo y > src/other.py",
    )
    .exits(1);
    assert_eq!(output.stdout, "out\n");
    let taken = report(&output);
    assert_eq!(taken["taken_back"][0], "src/other.py", "{taken}");
    assert_eq!(
        (&taken["left"], &taken["restore"]),
        (&Value::Array(Vec::new()), &Value::Null)
    );
    assert_eq!(taken["findings"][0]["rule"], "out-of-scope");
    let backup = taken["backup"].as_str().unwrap();
    let content = repo
        .guard(&["snapshot", "show", backup, "src/other.py"])
        .exits(0);
    assert_eq!(content.stdout, "y\n");
    let accepted = bash(&repo, Some(&["--format", "json"]), "true").exits(0);
    assert_eq!(report(&accepted)["verdict"], "accepted");
}

#[test]
fn exit_codes_are_those_of_the_program_and_of_env() {
    let repo = copy_of(&template());
    for (script, code) in [
        ("exit 0", 0),
        ("exit 9", 9),
        ("echo x > new.py; exit 9", 9),
        ("kill -TERM $$", 143),
    ] {
        exec(&repo, script).exits(code);
    }
    assert!(!repo.path("new.py").exists());
    repo.guard(&["exec", "--", "no-such-program"])
        .exits(127)
        .says("no-such-program cannot be started");
    repo.guard(&["exec", "--", "./README.md"]).exits(126);
    repo.guard(&["exec"]).exits(125);
    repo.guard(&["exec", "--lld", "none.md", "--", "touch", "made.py"])
        .exits(125);
    assert!(!repo.path("made.py").exists());
    // Without a usable design, guard could not judge, so nothing runs.
    repo.git(&["switch", "--quiet", "--detach"]);
    repo.guard(&["exec", "--", "touch", "made.py"])
        .exits(125)
        .says("design");
    assert!(!repo.path("made.py").exists());
}

#[test]
fn a_commit_by_the_program_is_reported_and_its_restore_takes_it_back() {
    let repo = copy_of(&template());
    let before = state(&repo);
    let output = exec(
        &repo,
        "echo x > src/other.py; git commit --quiet --no-verify -am x",
    )
    .exits(1);
    let command = output
        .stderr
        .lines()
        .find_map(|line| line.rsplit_once("guard snapshot restore cp-"));
    let (_, name) = command.unwrap_or_else(|| panic!("{output:?}"));
    let name = name.split(' ').next().unwrap();
    repo.guard(&["snapshot", "restore", &format!("cp-{name}")])
        .exits(0);
    assert_eq!(differences(&before, &state(&repo), |_| false), [""; 0]);
}

#[test]
fn work_of_others_that_a_program_destroys_is_told() {
    let repo = copy_of(&template());
    let notes = lines(1..=30);
    repo.write("docs/notes.md", &notes);
    let output = exec(&repo, "rm docs/notes.md")
        .exits(1)
        .says("docs/notes.md (30 lines)");
    let command = output
        .stderr
        .lines()
        .find_map(|line| line.rsplit_once(": guard snapshot"));
    let words = command.unwrap_or_else(|| panic!("{output:?}")).1;
    let words: Vec<&str> = ["snapshot"]
        .into_iter()
        .chain(words.split_whitespace())
        .collect();
    repo.guard(&words).exits(0);
    assert_eq!(repo.text("docs/notes.md"), notes);
}

#[test]
fn what_is_not_allowed_and_what_is_gone_have_a_heading_each() {
    let template = template();
    template.write("docs/notes.md", lines(1..=30));
    let headings = [
        "guard: the program changed what the design does not allow:\n- ",
        "guard: this is gone, which nothing else has:\n- ",
    ];
    for (script, expected) in [
        ("true", [false, false]),
        ("echo x > src/other.py", [true, false]),
        ("rm docs/notes.md", [false, true]),
        ("rm docs/notes.md; echo x > src/other.py", [true, true]),
    ] {
        let output = exec(&copy_of(&template), script);
        let found = headings.map(|heading| output.stderr.contains(heading));
        assert_eq!(found, expected, "{script}: {output:?}");
    }
}

#[test]
#[cfg_attr(not(unix), ignore = "needs signals, which Windows lacks")]
fn signals_for_guard_reach_the_program_and_guard_still_judges() {
    let template = template();
    // A shell with jobs lets those in the background have the interrupt, too.
    for signal in ["TERM", "INT", "HUP", "USR1"] {
        let repo = copy_of(&template);
        let program = format!(
            "trap 'echo x > src/other.py; exit 5' {signal}; : > ../ready; for _ in $(seq 400); do sleep 0.05; done; exit 8"
        );
        repo.write("../program.sh", program);
        let script = format!(
            "set -m; '{GUARD}' exec -- sh ../program.sh & until [ -e ../ready ]; do sleep 0.05; done; \
             kill -{signal} $!; wait $!"
        );
        let mut shell = repo.command("bash");
        run(shell.args(["-c", &script]))
            .exits(5)
            .says("taken back: src/other.py");
        assert_eq!(repo.text("src/other.py"), "x = 1\n", "{signal}");
    }
    // As below `nohup`; not every system says which signals are ignored.
    if !Path::new("/proc/self/status").exists() {
        return;
    }
    for (ignored, signal, code) in [("HUP", "HUP", 7), ("HUP", "TERM", 143), ("TERM", "TERM", 7)] {
        let program = format!("kill -{signal} $$; exit 7");
        let script = format!("trap '' {ignored}; exec '{GUARD}' exec -- sh -c '{program}'");
        let mut shell = template.command("bash");
        run(shell.args(["-c", &script])).exits(code);
    }
}

#[test]
fn a_program_has_the_terminal_and_gets_the_interrupt() {
    let repo = copy_of(&template());
    let program = "test -t 0 && test -t 1 && test -t 2 || exit 9\n\
        trap 'echo x > src/other.py; exit 5' INT\nprintf 'go? '; read answer\nwhile :; do sleep 0.05; done";
    repo.write("../program.sh", program);
    let Some(driver) = terminal::driver(&repo) else {
        return;
    };
    let arguments = ["exec", "--", "sh", "../program.sh"];
    terminal::guard_at_terminal(driver, &arguments, &[("go?", "yes")], End::Interrupt)
        .exits(5)
        .says("taken back: src/other.py");
}
