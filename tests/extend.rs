//! `guard write --strategy extend` adds what a file lacks and changes nothing else.
#![cfg(all(unix, feature = "extend"))]
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use crate::common::files::Answer;
use crate::common::terminal::{End, Session, driver, guard_at_terminal};
use crate::common::{self, GUARD, Repo};
use serde_json::{Value, json};

const EXTEND: &[&str] = &["--strategy", "extend"];

fn names(value: &Value) -> Vec<&str> {
    let list = value.as_array().unwrap();
    list.iter().map(|name| name.as_str().unwrap()).collect()
}

/// Extends a committed file; every line of it must still be there, in order, and none counts as lost.
#[track_caller]
fn extend(path: &str, old: &str, content: &str) -> (Answer, String) {
    let repo = Repo::open();
    repo.stage(path, old);
    repo.commit("Old");
    let answer = repo.put(path, content, EXTEND);
    answer.works();
    let result = String::from_utf8(repo.read(path)).unwrap();
    let mut lines = result.lines();
    for line in old.lines() {
        assert!(lines.any(|it| it == line), "{line:?} is lost:\n{result}");
    }
    let analysis = &answer.json["analysis"];
    assert_eq!(analysis["change_percentage"], 0.0);
    assert_eq!(analysis["change_classification"], "MODIFY");
    assert_eq!(analysis["requires_approval"], false);
    (answer, result)
}

/// A class of many methods: a replacement of it is held.
fn large() -> String {
    let mut text = "class State:\n    \"\"\"Kept.\"\"\"\n".to_owned();
    for number in 1..=80 {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n    def method_{number}(self):\n        return {number}\n"
        );
    }
    text
}

/// Half of the proposal is new; existing definitions appear only by name.
const PROPOSAL: &str = "\
class State:
    \"\"\"Kept.\"\"\"

    def method_1(self):
        return 'other'

    def save(self):
        return str(self.method_1())

def later():
    return State()
";

fn extended() -> String {
    format!(
        "{}\n    def save(self):\n        return str(self.method_1())\n\n\n\
         def later():\n    return State()\n",
        large()
    )
}

#[test]
fn r000_090_extend_adds_the_methods_that_a_class_lacks() {
    let (answer, result) = extend("src/state.py", &large(), PROPOSAL);
    assert_eq!(result, extended());
    assert_eq!(
        names(&answer.json["added"]),
        ["function State.save", "function later"]
    );
    assert_eq!(names(&answer.json["kept"]), ["function State.method_1"]);
    assert_eq!(answer.json["left_out"], json!([]));
    let preview = answer.json["analysis"]["diff_preview"].as_str().unwrap();
    assert!(preview.contains("+    def save(self):"), "{preview}");
}

#[test]
fn human_output_lists_added_kept_and_omitted_definitions() {
    let repo = Repo::open();
    repo.write("a.py", "def a():\n    pass\n");
    let mut guard = repo.command(GUARD);
    let content = b"def a():\n    return 1\n\ndef b():\n    pass\n\nb()\n";
    common::run_with_input(guard.args(["write", "a.py"]).args(EXTEND), content)
        .exits(0)
        .says("added: function b")
        .says("kept: function a")
        .says("left out: b()");
    let done = repo.records().pop().unwrap();
    assert_eq!(done["strategy"], "extend");
}

#[test]
fn file_that_cannot_be_extended_is_refused_and_unchanged() {
    let repo = Repo::open();
    let good = "def a():\n    pass\n";
    for (path, old, content, kind) in [
        ("a.rs", "fn a() {}\n", "fn b() {}\n", "unsupported-language"),
        ("a.py", "def (:\n", good, "syntax-error"),
        ("a.py", good, good, "nothing-to-add"),
        ("a.py", "import a\n", "import b\n", "no-place"),
        ("a.py", "x = 1\n", "y = '\0'\n", "binary"),
        ("a.py", "x = '\0'\n", "y = 1\n", "binary"),
    ] {
        repo.write(path, old);
        repo.put(path, content, EXTEND).fails(kind);
        assert_eq!(repo.read(path), old.as_bytes(), "{old:?} {content:?}");
    }
    repo.put("new.py", good, EXTEND).fails("not-found");
    assert!(!repo.path("new.py").exists());
}

#[test]
fn hostile_sources_never_hang_or_crash() {
    let repo = Repo::open();
    let deep = |open: &str, close: &str| open.repeat(100_000) + &close.repeat(100_000);
    let classes = (0..500).map(|depth| " ".repeat(depth) + "class A:\n");
    let classes: String = classes.chain([" ".repeat(500) + "x = 1\n"]).collect();
    repo.write("a.py", "");
    for content in [
        format!("x = {}\n", deep("(", ")")),
        classes,
        "[".repeat(1 << 20),
    ] {
        let answer = repo.put("a.py", &content, EXTEND);
        let kind = answer.json["error"]["kind"].as_str().unwrap_or("done");
        let known = ["done", "syntax-error", "no-place", "nothing-to-add"];
        assert!(known.contains(&kind), "{kind}");
    }
    // The time is in proportion to the number of definitions.
    let many = (0..20_000).map(|number| format!("def f{number}(): pass\n"));
    let many: String = many.collect();
    repo.write("a.py", &many);
    let others = many.replace("def f", "def g");
    repo.put("a.py", others, EXTEND).works();
}

/// `src/state.py` is large and committed, and its replacement is held.
fn held() -> (Repo, String) {
    let repo = Repo::open();
    repo.stage("src/state.py", large());
    repo.commit("Large");
    let answer = repo.put("src/state.py", PROPOSAL, &[]);
    answer.fails("held");
    let id = answer.json["error"]["details"]["id"].as_str().unwrap();
    (repo, id.to_owned())
}

const QUESTION: &str = "Type `";

fn talk(repo: &Repo, arguments: &[&str], answers: &[&str]) -> Option<Session> {
    let answers: Vec<String> = answers.iter().map(|answer| format!("{answer}\n")).collect();
    let last = answers.len() - 1;
    let dialogue: Vec<(&str, &str)> = answers
        .iter()
        .enumerate()
        .map(|(index, answer)| {
            (
                if index == last { "Reason: " } else { QUESTION },
                answer.as_str(),
            )
        })
        .collect();
    Some(guard_at_terminal(
        driver(repo)?,
        arguments,
        &dialogue,
        End::Wait,
    ))
}

fn content(repo: &Repo) -> String {
    String::from_utf8(repo.read("src/state.py")).unwrap()
}

fn pending(repo: &Repo) -> usize {
    repo.json(&["pending"])["held"].as_array().unwrap().len()
}

#[test]
fn r000_090_a_person_extends_in_place_of_a_held_replacement() {
    let (repo, id) = held();
    let answers = ["extend", "state", "the rest stays"];
    let Some(session) = talk(&repo, &["approve", &id], &answers) else {
        return;
    };
    let session = session.exits(0);
    assert_eq!(content(&repo), extended());
    assert_eq!(pending(&repo), 0);
    // guard showed both, the second one before it asked for the word.
    let (first, second) = session
        .shown
        .split_once("`append`, `insert LINE`, `extend`")
        .unwrap();
    assert!(first.contains("-    def method_80(self):") || first.contains("[truncated]"));
    let (second, _) = second.split_once("Type `state`").unwrap();
    assert!(second.contains("added: function State.save"), "{second}");
    assert!(second.contains("kept: function State.method_1"), "{second}");
    assert!(second.contains("+def later():"), "{second}");
    assert!(!second.contains("What would be lost"), "{second}");
    let records = repo.records();
    let approved = records.iter().find(|it| it["event"] == "approved").unwrap();
    assert_eq!(approved["reason"], "the rest stays");
    assert_eq!(approved["strategy"], "extend");
    assert_eq!(
        approved["new"],
        repo.blob(extended().as_bytes()).to_string()
    );
    let done = records.last().unwrap();
    assert_eq!(
        (&done["event"], &done["strategy"]),
        (&json!("done"), &json!("extend"))
    );
    // No change needed approval, so none is stored.
    assert!(!repo.path(".git/guard/approvals").exists());
    repo.git(&["add", "src/state.py"]);
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn person_may_append_insert_or_return_to_replace() {
    let (repo, id) = held();
    let write = ["approve", id.as_str()];
    let Some(session) = talk(
        &repo,
        &write,
        &[
            "append",
            "insert 999",
            "insert 1",
            "replace",
            "insert 1",
            "state",
            "at the top",
        ],
    ) else {
        return;
    };
    session
        .exits(0)
        .says("with append, src/state.py loses nothing that needs approval")
        .says("has no line 999 to insert before");
    assert_eq!(content(&repo), PROPOSAL.to_owned() + &large());
}

#[test]
fn strategy_alone_does_not_approve() {
    let (repo, id) = held();
    let before = repo.digest_tree();
    for answers in [&["extend", "no"][..], &["extend", "class"], &["extend", ""]] {
        let Some(driver) = driver(&repo) else { return };
        let typed: Vec<String> = answers.iter().map(|answer| format!("{answer}\n")).collect();
        let dialogue: Vec<(&str, &str)> = typed
            .iter()
            .map(|answer| (QUESTION, answer.as_str()))
            .collect();
        guard_at_terminal(driver, &["approve", &id], &dialogue, End::Wait)
            .exits(1)
            .says("was not approved");
        assert_eq!(repo.digest_tree(), before);
    }
    // Rejecting after a preview of another strategy rejects the held change.
    let Some(session) = talk(&repo, &["approve", &id], &["extend", "reject", "no"]) else {
        return;
    };
    session.exits(1);
    assert_eq!((content(&repo), pending(&repo)), (large(), 0));
    let rejected = repo
        .records()
        .into_iter()
        .find(|it| it["event"] == "rejected")
        .unwrap();
    assert_eq!(rejected["new"], repo.blob(PROPOSAL.as_bytes()).to_string());
}
