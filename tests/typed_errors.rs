//! What a program learns when something goes wrong: refusals, and answers that cannot be printed.
use serde_json::Value;

use crate::common::{GUARD, Repo, lines, run, run_with_input};

/// Large enough that a person must approve its replacement.
fn large() -> String {
    lines(1..=200)
}

fn other() -> String {
    large().replace("line", "other")
}

fn with_large() -> Repo {
    let repo = Repo::open();
    repo.stage("state.py", large());
    repo.commit("Large");
    repo
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
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs /dev/full, which only Linux has"
)]
fn an_answer_that_cannot_be_printed_is_an_error_whatever_was_done() {
    let repo = with_large();
    repo.write("content", other());
    for (arguments, file) in [
        ("write a --content-file content", "a"),
        (
            "write state.py --content-file content --format json",
            "state.py",
        ),
        ("read a --format json", "a"),
    ] {
        let script = format!("\"$0\" {arguments} >/dev/full");
        let answer = run(repo.command("sh").args(["-c", &script, GUARD]));
        answer.exits(2).says("cannot be written to standard output");
        let content = if file == "a" { other() } else { large() };
        assert_eq!(repo.read(file), content.as_bytes(), "{arguments}");
    }
}
