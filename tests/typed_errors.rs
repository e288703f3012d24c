//! What a program learns when something goes wrong: usage errors, refusals, answers that cannot be printed, and what
//! became of a held change.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use serde_json::Value;

use crate::common::{GUARD, Repo, lines, run, run_with_input};

/// Large enough that a person must approve its replacement.
fn large() -> String {
    lines(1..=200)
}

fn other() -> String {
    large().replace("line", "other")
}

/// Holds the replacement of `state.py` and returns its ID.
fn hold(repo: &Repo) -> String {
    let held = repo.put("state.py", other(), &[]);
    held.fails("held");
    let details = &held.json["error"]["details"];
    assert!(details["expires"].is_i64(), "{details}");
    details["id"].as_str().unwrap().to_owned()
}

fn with_large() -> Repo {
    let repo = Repo::open();
    repo.stage("state.py", large());
    repo.commit("Large");
    repo
}

/// Adds a record of a decision, as a person at a terminal makes one.
fn decide(repo: &Repo, event: &str, id: &str) {
    use write_guard::files::Log;
    let facts = serde_json::json!({
        "path": "state.py", "held": id, "who": "A <a@example.com>", "how": "terminal", "reason": "it is meant",
    });
    let Value::Object(facts) = facts else {
        unreachable!()
    };
    Log::new(&repo.path(".git")).append(event, facts).unwrap();
}

#[test]
fn usage_errors_are_json_if_that_is_the_format() {
    let repo = Repo::open();
    for arguments in [
        &["read", "--format", "json"][..],
        &["write", "a", "--strategy", "insert", "--format", "json"],
        &["write", "a", "--line", "1", "--format=json"],
        &["patch", "a", "--format", "json"],
        &["write", "--bogus", "--format", "json"],
        &["pending", "--full", "--format", "json"],
        &["snapshot", "burn", "--format", "json"],
        &["check", "--format", "json"],
        &["check", "--format", "jsonl"],
        &["scope", "shwo", "--format", "json"],
        &["lint", "--bogus", "--format", "json"],
        &["raed", "a", "--format", "json"],
    ] {
        let output = repo.guard(arguments).exits(2);
        let report: Value = serde_json::from_str(&output.stdout)
            .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {output:?}"));
        let error = if report["type"] == "error" {
            &report
        } else {
            &report["error"]
        };
        assert_eq!(error["kind"], "usage", "{arguments:?}: {report}");
        assert!(!error["message"].as_str().unwrap().is_empty());
        assert!(!error["help"].as_array().unwrap().is_empty(), "{report}");
    }
    let missing = repo.json(&["read"]);
    let message = missing["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("required") && message.contains("FILE"),
        "{message}"
    );
    let mut variable = repo.command(GUARD);
    let output = run(variable.arg("write").env("GUARD_FORMAT", "json"));
    assert!(output.stdout.contains("\"usage\""), "{output:?}");
    // Without a format for programs there is nothing on standard output, nor on the protocol of a hook.
    assert_eq!(repo.guard(&["write"]).stdout, "");
    assert_eq!(
        repo.guard(&["hook", "claude", "--bogus", "--format", "json"])
            .stdout,
        ""
    );
}

#[test]
fn texts_may_begin_with_a_hyphen() {
    let repo = Repo::open();
    repo.write("a", "--x\n- item\n");
    repo.ask(&["patch", "a", "--search", "- item", "--replace", "--item"])
        .works();
    repo.ask(&["patch", "a", "--search", "--x", "--replace", "-y"])
        .works();
    assert_eq!(repo.read("a"), b"-y\n--item\n");
}

#[test]
fn errors_and_refusals_of_check_have_a_kind() {
    let repo = with_large();
    let check = |arguments: &[&str], input: &str| {
        let mut guard = repo.command(GUARD);
        let guard = guard.args(["check", "--format", "json"]).args(arguments);
        let output = run_with_input(guard, input.as_bytes());
        serde_json::from_str::<Value>(&output.stdout).unwrap()
    };
    let content = |path: &str, input: &str| check(&[path, "--content-file", "-"], input);
    let kind = |report: &Value| report["results"][0]["kind"].clone();
    assert_eq!(kind(&content("state.py", &large())), Value::Null);
    assert_eq!(kind(&content("state.py", &other())), "held");
    assert_eq!(kind(&content("../a", "x\n")), "security");
    assert_eq!(kind(&content("a", "\0")), "binary");
    assert_eq!(kind(&content("guard.toml", "x\n")), "refused");
    assert_eq!(content("a", "")["error"]["kind"], "cannot-judge");
    let missing = check(&["a", "--content-file", "none"], "");
    assert_eq!(missing["error"]["kind"], "not-found");
    // One line per path.
    std::fs::write(repo.path("guard.toml"), "x").unwrap();
    repo.git(&["add", "guard.toml"]);
    repo.commit("Break the settings");
    let mut guard = repo.command(GUARD);
    let guard = guard.args(["check", "--stdin", "--format", "jsonl"]);
    let line = run_with_input(guard, b"a\n").exits(2).stdout;
    let line: Value = serde_json::from_str(line.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&line["type"], &line["kind"]),
        (&"error".into(), &"cannot-judge".into())
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_change_that_is_done_is_no_error_if_the_answer_cannot_be_printed() {
    let repo = with_large();
    repo.write("content", other());
    let full = |arguments: &str| {
        let script = format!("\"$0\" {arguments} >/dev/full");
        run(repo.command("sh").args(["-c", &script, GUARD]))
    };
    for format in ["human", "json"] {
        repo.write("new", format);
        let answer = full(&format!("write a --content-file new --format {format}"));
        let answer = answer.exits(0);
        assert!(
            answer
                .stderr
                .contains("cannot be written to standard output"),
            "{answer:?}"
        );
        assert!(
            answer.stderr.contains("the change is done: wrote a"),
            "{answer:?}"
        );
        assert_eq!(repo.read("a"), format.as_bytes());
    }
    // A refusal stays one.
    full("write state.py --content-file content --format json")
        .exits(1)
        .says("waits for approval as");
    assert_eq!(repo.read("state.py"), large().as_bytes());
    // What was not delivered is not done.
    full("read a --format json").exits(2);
}

#[test]
fn a_program_can_ask_what_became_of_a_held_change() {
    let repo = with_large();
    let id = hold(&repo);
    let status = |id: &str| repo.json(&["pending", id]);
    let held = status(&id);
    assert_eq!(
        (&held["status"], &held["id"]),
        (&"held".into(), &id.clone().into())
    );
    assert_eq!(held["held"][0]["id"], id.as_str());
    for word in ["rejected", "approved"] {
        decide(&repo, word, &id);
        let decided = status(&id);
        assert_eq!(decided["status"], word, "{decided}");
        assert_eq!(decided["reason"], "it is meant");
        assert_eq!(decided["who"], "A <a@example.com>");
        repo.guard(&["pending", &id])
            .exits(0)
            .says(&format!("{word} by A"));
        // Asked for again, it waits again.
        hold(&repo);
        assert_eq!(status(&id)["status"], "held");
    }
    let unknown = repo.ask(&["pending", "000000000000"]);
    unknown.fails("not-found");
}
