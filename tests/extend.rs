//! `guard write --strategy extend` adds what a file lacks and changes nothing else.

use crate::common::files::Answer;
use crate::common::terminal::{End, Session, driver, guard_at_terminal};
use crate::common::{Repo, assert_says};
use serde_json::json;

const EXTEND: &[&str] = &["--strategy", "extend"];

/// Extends a committed file; every line of it must still be there, in order, and none counts as lost.
#[track_caller]
fn extend(path: &str, old: &str, content: &str) -> (Answer, String) {
    let repo = Repo::open();
    repo.stage(path, old);
    repo.commit("Old");
    let answer = repo.put(path, content, EXTEND);
    let analysis = &answer.works().json["analysis"];
    assert_eq!(analysis["change_percentage"], 0.0);
    assert_eq!(analysis["change_classification"], "MODIFY");
    assert_eq!(analysis["requires_approval"], false);
    let result = String::from_utf8(repo.read(path)).unwrap();
    let mut lines = result.lines();
    for line in old.lines() {
        assert!(lines.any(|it| it == line), "{line:?} is lost:\n{result}");
    }
    (answer, result)
}

/// A class of many methods: a replacement of it is held.
fn large() -> String {
    let method = |n| format!("\n    def method_{n}(self):\n        return {n}\n");
    let methods: String = (1..=80).map(method).collect();
    format!("class State:\n    \"\"\"Kept.\"\"\"\n{methods}")
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
    let added = json!(["function State.save", "function later"]);
    assert_eq!(answer.json["added"], added);
    assert_eq!(answer.json["kept"], json!(["function State.method_1"]));
    assert_eq!(answer.json["left_out"], json!([]));
    let preview = answer.json["analysis"]["diff_preview"].as_str().unwrap();
    assert_says(preview, &["+    def save(self):"]);
}

#[test]
fn human_output_lists_added_kept_and_omitted_definitions() {
    let repo = Repo::open();
    repo.write("a.py", "def a():\n    pass\n");
    let content = "def a():\n    return 1\n\ndef b():\n    pass\n\nb()\n";
    let told = repo.guard_reads(&[&["write", "a.py"], EXTEND].concat(), content);
    let told = told.exits(0).says("added: function b");
    told.says("kept: function a").says("left out: b()");
    assert_eq!(repo.records().pop().unwrap()["strategy"], "extend");
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
    repo.put("a.py", many.replace("def f", "def g"), EXTEND)
        .works();
}

/// `src/state.py` is large and committed, and its replacement is held.
fn held() -> (Repo, String) {
    let repo = Repo::open();
    repo.stage("src/state.py", large());
    repo.commit("Large");
    repo.put("src/state.py", PROPOSAL, &[]).fails("held");
    let id = repo.held_id();
    (repo, id)
}

/// Answers the questions of `guard approve`, and those for a reason with the last answers.
fn talk(repo: &Repo, id: &str, answers: &[&str], reasons: &[&str]) -> Option<Session> {
    let typed = |answer: &&str| format!("{answer}\n");
    let (answers, reasons) = (answers.iter().map(typed), reasons.iter().map(typed));
    let answers = answers.map(|answer| ("Type `", answer));
    let dialogue: Vec<_> = answers
        .chain(reasons.map(|reason| ("Reason: ", reason)))
        .collect();
    let dialogue: Vec<_> = dialogue
        .iter()
        .map(|(asked, typed)| (*asked, typed.as_str()))
        .collect();
    let approve = ["approve", id];
    let driver = driver(repo)?;
    Some(guard_at_terminal(driver, &approve, &dialogue, End::Wait))
}

fn content(repo: &Repo) -> String {
    String::from_utf8(repo.read("src/state.py")).unwrap()
}

#[test]
fn r000_090_a_person_extends_in_place_of_a_held_replacement() {
    let (repo, id) = held();
    let session = talk(&repo, &id, &["extend", "state"], &["the rest stays"]);
    let Some(session) = session else { return };
    let session = session.exits(0);
    assert_eq!(content(&repo), extended());
    assert_eq!(repo.pending().len(), 0);
    // guard showed both, the second one before it asked for the word.
    let choices = "`append`, `insert LINE`, `extend`";
    let (first, second) = session.shown.split_once(choices).unwrap();
    assert!(first.contains("-    def method_80(self):") || first.contains("[truncated]"));
    let (second, _) = second.split_once("Type `state`").unwrap();
    assert_says(second, &["added: function State.save", "+def later():"]);
    assert_says(second, &["kept: function State.method_1"]);
    assert!(!second.contains("would be lost"), "{second}");
    let records = repo.records();
    let approved = records.iter().find(|it| it["event"] == "approved").unwrap();
    assert_eq!(approved["reason"], "the rest stays");
    assert_eq!(approved["strategy"], "extend");
    let new = repo.blob(extended().as_bytes()).to_string();
    assert_eq!(approved["new"], new);
    let done = records.last().unwrap();
    assert_eq!(done["event"], "done");
    assert_eq!(done["strategy"], "extend");
    // No change needed approval, so none is stored.
    assert!(!repo.path(".git/guard/approvals").exists());
    repo.git(&["add", "src/state.py"]);
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn person_may_append_insert_or_return_to_replace() {
    let (repo, id) = held();
    let answers = "append,insert 999,insert 1,replace,insert 1,state";
    let answers: Vec<&str> = answers.split(',').collect();
    let session = talk(&repo, &id, &answers, &["at the top"]);
    let Some(session) = session else { return };
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
    for answers in [["extend", "no"], ["extend", "class"], ["extend", ""]] {
        let Some(session) = talk(&repo, &id, &answers, &[]) else {
            return;
        };
        session.exits(1).says("was not approved");
        assert_eq!(repo.digest_tree(), before);
    }
    // Rejecting after a preview of another strategy rejects the held change.
    let session = talk(&repo, &id, &["extend", "reject"], &["no"]);
    session.unwrap().exits(1);
    assert_eq!((content(&repo), repo.pending().len()), (large(), 0));
    let rejected = repo.records().pop().unwrap();
    assert_eq!(rejected["event"], "rejected");
    assert_eq!(rejected["new"], repo.blob(PROPOSAL.as_bytes()).to_string());
}
