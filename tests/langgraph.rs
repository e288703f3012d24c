//! The node for LangGraph in a real graph: a scripted node plays the model, and its writes go through guard. The same
//! graph without the gate breaks what these tests assert.

use std::path::Path;

use serde_json::{Value, json};

use crate::common::clients::{program, python};
use crate::common::{GUARD, Repo, SOURCE, has_keys, lines, run};

/// A design for two files, one of them large.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("src/large.py", lines(1..=200));
    repo.stage("src/second.py", lines(1..=200));
    repo.stage("other.py", "x = 1\n");
    repo.govern(&[
        ("src/large.py", "Modify", ""),
        ("src/second.py", "Modify", ""),
        ("src/new.py", "Add", ""),
        ("src/newer.py", "Add", ""),
    ]);
    repo
}

fn write(path: &str, content: &str) -> Value {
    json!({ "target_path": path, "new_content": content })
}

fn replacement() -> Value {
    write("src/large.py", "a = 1\n")
}

/// A decision of the person, with the word from guard's question.
fn decision(decision: &str) -> Value {
    json!({ "decision": decision, "word": "line", "reason": "agreed" })
}

/// What one graph does.
fn scenario(repo: &Repo, requests: &[Value], resume: &[Value]) -> Value {
    json!({
        "guard": GUARD,
        "package": Path::new(SOURCE).join("hooks/langgraph"),
        "workspace": repo.root,
        "requests": requests,
        "resume": resume,
        "gate": true,
    })
}

/// Runs graphs. `None` if Python's packages are not installed.
fn graphs(repo: &Repo, scenarios: &[Value]) -> Option<Vec<Value>> {
    let mut command = program(repo, python()?, "langgraph_graph.py");
    let output = run(command.arg(json!(scenarios).to_string())).exits(0);
    Some(serde_json::from_str(&output.stdout).unwrap())
}

fn graph(repo: &Repo, requests: &[Value], resume: &[Value]) -> Option<Value> {
    let mut said = graphs(repo, &[scenario(repo, requests, resume)])?;
    said.pop()
}

/// Asserts which decisions the state has, each in the same shape and with a time, and that guard's log has all writes.
#[track_caller]
fn assert_log_agrees(repo: &Repo, state: &Value, expected: &[(&str, &str)]) {
    let mut decisions = Vec::new();
    for entry in state["approval_log"].as_array().unwrap() {
        has_keys(entry, "path decision timestamp strategy held_id reason");
        let text = |key: &str| entry[key].as_str().unwrap();
        assert!(text("timestamp").ends_with("+00:00"), "{entry}");
        // Nobody was asked before the graph was interrupted.
        assert!(!text("reason").contains("closed"), "{entry}");
        decisions.push((text("path"), text("decision")));
    }
    assert_eq!(decisions, expected, "{state}");
    let done = repo.records().into_iter();
    let done = done.filter(|record| record["event"] == "done").count();
    let written = decisions.iter();
    let written = written.filter(|(_, decision)| ["written", "approved"].contains(decision));
    assert_eq!(done, written.count(), "{state}");
    repo.guard(&["audit", "verify"]).exits(0);
}

/// What may never happen to the files, whatever the model writes.
fn damage(repo: &Repo) -> Vec<&'static str> {
    let mut damage = Vec::new();
    if repo.text("other.py") != "x = 1\n" {
        damage.push("a file outside the scope was written");
    }
    if !repo.text("src/large.py").starts_with(&lines(1..=200)) {
        damage.push("a large file was replaced without approval");
    }
    if repo.path("../escaped.py").exists() {
        damage.push("a file outside the workspace was written");
    }
    damage
}

#[test]
fn allowed_write_is_done_and_logged() {
    let repo = repo();
    let Some(said) = graph(&repo, &[write("src/new.py", "b = 2\n")], &[]) else {
        return;
    };
    let state = &said["state"];
    assert_eq!(state["approved_writes"], json!(["src/new.py"]), "{said}");
    assert_eq!(state["rejected_writes"], json!([]));
    assert_eq!(repo.text("src/new.py"), "b = 2\n");
    let seen = said["seen"][0].as_str().unwrap();
    assert!(seen.contains("src/new.py"), "{said}");
    assert_log_agrees(&repo, state, &[("src/new.py", "written")]);
}

#[test]
fn write_outside_the_scope_is_rejected_and_one_outside_the_workspace_raises() {
    let repo = repo();
    let requests = [
        write("other.py", "y = 2\n"),
        write("src/../../escaped.py", "z = 3\n"),
        write("src/new.py", "b = 2\n"),
    ];
    let Some(said) = graph(&repo, &requests, &[]) else {
        return;
    };
    let raised = &said["raised"];
    assert_eq!(raised["type"], "SecurityError", "{said}");
    let state = &raised["update"];
    let rejected = json!(["other.py", "src/../../escaped.py"]);
    assert_eq!(state["rejected_writes"], rejected, "{said}");
    assert_eq!(state["approved_writes"], json!([]));
    assert_eq!(state["write_requests"], json!([requests[2]]));
    assert_eq!(damage(&repo), [""; 0]);
    let escaped = ("src/../../escaped.py", "security");
    assert_log_agrees(&repo, state, &[("other.py", "refused"), escaped]);
}

#[test]
fn held_replacement_is_written_with_the_strategy_that_the_person_chooses() {
    // With synchronous and asynchronous nodes, and in a running event loop.
    let chosen = ["append", "replace", "replace"];
    let repos = chosen.map(|_| repo());
    let scenarios = repos
        .iter()
        .zip(chosen)
        .zip(["invoke", "ainvoke", "in_loop"]);
    let scenarios = scenarios.map(|((repo, chosen), mode)| {
        let mut scenario = scenario(repo, &[replacement()], &[decision(chosen)]);
        scenario["mode"] = mode.into();
        scenario
    });
    let scenarios: Vec<Value> = scenarios.collect();
    let Some(said) = graphs(&repos[0], &scenarios) else {
        return;
    };
    let replaced = "a = 1\n".to_owned();
    let expected = [lines(1..=200) + &replaced, replaced.clone(), replaced];
    for ((repo, said), expected) in repos.iter().zip(said).zip(expected) {
        let question = &said["interrupts"][0];
        assert_eq!(question["change_classification"], "REPLACE", "{said}");
        let message = question["question"]["message"].as_str().unwrap();
        assert!(message.contains("would be lost"), "{message}");
        let state = &said["state"];
        assert_eq!(state["approved_writes"], json!(["src/large.py"]), "{said}");
        assert_eq!(state["pending_writes"], json!([]));
        assert_eq!(repo.text("src/large.py"), expected);
        let mut records = repo.records().into_iter();
        let approved = records.find(|record| record["event"] == "approved");
        assert_eq!(approved.unwrap()["how"], "elicitation");
        let expected = [("src/large.py", "held"), ("src/large.py", "approved")];
        assert_log_agrees(repo, state, &expected);
    }
}

#[test]
fn rejected_replacement_leaves_the_file_and_a_wrong_word_asks_again() {
    let repo = repo();
    let wrong = json!({ "decision": "replace", "word": "wrong", "reason": "agreed" });
    let answers = [wrong, decision("reject")];
    // Nothing is replaced while no person answers.
    let waiting = scenario(&repo, &[replacement()], &[]);
    let Some(waiting) = graphs(&repo, &[waiting]) else {
        return;
    };
    assert_eq!(waiting[0]["left"][0]["target_path"], "src/large.py");
    assert_eq!(damage(&repo), [""; 0]);
    let Some(said) = graph(&repo, &[replacement()], &answers) else {
        return;
    };
    assert_eq!(said["interrupts"].as_array().unwrap().len(), 2, "{said}");
    let state = &said["state"];
    assert_eq!(state["rejected_writes"], json!(["src/large.py"]), "{said}");
    assert_eq!(state["pending_writes"], json!([]));
    assert_eq!(damage(&repo), [""; 0]);
    assert_eq!(repo.json(&["approve"])["held"], json!([]));
    let expected = ["held", "not-approved", "rejected"].map(|word| ("src/large.py", word));
    assert_log_agrees(&repo, state, &expected);
}

#[test]
fn errors_without_a_person_carry_what_was_written_before() {
    let refused = write("other.py", "y = 2\n");
    for (request, error, word) in [
        (replacement(), "HeldError", "held"),
        (refused, "RefusedError", "refused"),
    ] {
        let repo = repo();
        let first = write("src/new.py", "b = 2\n");
        let requests = [first, request, write("src/newer.py", "c = 3\n")];
        let mut alone = scenario(&repo, &requests, &[]);
        alone["auto_mode"] = true.into();
        let Some(said) = graphs(&repo, &[alone]) else {
            return;
        };
        let raised = &said[0]["raised"];
        assert_eq!(raised["type"], error, "{raised}");
        assert_eq!(raised["kind"], word);
        let update = &raised["update"];
        assert_eq!(update["approved_writes"], json!(["src/new.py"]), "{update}");
        assert_eq!(update["write_requests"], json!([requests[2]]));
        let path = requests[1]["target_path"].as_str().unwrap();
        assert_log_agrees(&repo, update, &[("src/new.py", "written"), (path, word)]);
        let message = raised["message"].as_str().unwrap();
        assert!(message.contains(path), "{message}");
        let names_command = message.contains("guard approve");
        assert_eq!(names_command, word == "held", "{message}");
        assert_eq!(damage(&repo), [""; 0]);
    }
}

#[test]
fn parallel_branches_add_to_one_state() {
    let repo = repo();
    let mut branches = scenario(&repo, &[], &[decision("append"), decision("reject")]);
    branches["mode"] = "invoke".into();
    branches["branches"] = json!([
        [write("src/new.py", "b = 2\n"), replacement()],
        [write("src/second.py", "a = 1\n")],
        [write("src/newer.py", "c = 3\n")],
    ]);
    let Some(said) = graphs(&repo, &[branches]) else {
        return;
    };
    let state = &said[0]["state"];
    let written = json!(["src/new.py", "src/newer.py", "src/large.py"]);
    assert_eq!(state["approved_writes"], written, "{state}");
    assert_eq!(state["rejected_writes"], json!(["src/second.py"]));
    assert_eq!(state["pending_writes"], json!([]));
    let expected = [
        ("src/new.py", "written"),
        ("src/large.py", "held"),
        ("src/second.py", "held"),
        ("src/newer.py", "written"),
        ("src/large.py", "approved"),
        ("src/second.py", "rejected"),
    ];
    assert_log_agrees(&repo, state, &expected);
}

#[test]
fn what_was_approved_in_a_terminal_is_approved_when_the_graph_resumes() {
    let repo = repo();
    let mut elsewhere = scenario(&repo, &[replacement()], &[decision("reject")]);
    elsewhere["in_terminal"] = json!(["Type `", "line\n", "Reason: ", "seen\n"]);
    let Some(said) = graphs(&repo, &[elsewhere]) else {
        return;
    };
    let state = &said[0]["state"];
    assert_eq!(state["approved_writes"], json!(["src/large.py"]), "{state}");
    assert_eq!(state["rejected_writes"], json!([]));
    assert_eq!(state["pending_writes"], json!([]));
    assert_eq!(repo.text("src/large.py"), "a = 1\n");
    let expected = [("src/large.py", "held"), ("src/large.py", "approved")];
    assert_log_agrees(&repo, state, &expected);
    let decided = &state["approval_log"][1];
    assert_eq!(decided["reason"], "seen");
    assert_eq!(decided["strategy"], "replace");
}

#[test]
fn what_was_rejected_in_a_terminal_is_logged_as_such_when_the_graph_resumes() {
    for (reason, logged) in [("too much", "too much"), ("", "rejected in a terminal")] {
        let repo = repo();
        let mut elsewhere = scenario(&repo, &[replacement()], &[decision("replace")]);
        elsewhere["in_terminal"] = json!(["Type `", "reject\n", "Reason", format!("{reason}\n")]);
        let Some(said) = graphs(&repo, &[elsewhere]) else {
            return;
        };
        let state = &said[0]["state"];
        assert_eq!(state["rejected_writes"], json!(["src/large.py"]), "{state}");
        assert_eq!(state["approval_log"][1]["decision"], "rejected", "{state}");
        assert_eq!(state["approval_log"][1]["reason"], logged, "{state}");
        assert_eq!(damage(&repo), [""; 0]);
    }
}

/// The gate ends at a path outside the workspace.
#[test]
fn without_the_gate_the_same_writes_do_damage() {
    let hostile = [
        write("other.py", "y = 2\n"),
        replacement(),
        write("src/../../escaped.py", "z = 3\n"),
    ];
    let (gated, bare) = (repo(), repo());
    let mut ungated = scenario(&bare, &hostile, &[]);
    ungated["gate"] = false.into();
    if graphs(&gated, &[scenario(&gated, &hostile, &[]), ungated]).is_none() {
        return;
    }
    assert_eq!(damage(&gated), [""; 0]);
    assert_eq!(damage(&bare).len(), 3);
    assert_eq!(bare.records(), Vec::<Value>::new());
}
