//! The node for LangGraph in a real graph: a scripted node plays the model, and its writes go through guard. The same
//! graph without the gate breaks what these tests assert.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::clients::{program, python};
use crate::common::{GUARD, Repo, SOURCE, lines, run};

/// A design for two files, one of them large.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("src/large.py", lines(1..=200));
    repo.stage("other.py", "x = 1\n");
    repo.govern(&[("src/large.py", "Modify", ""), ("src/new.py", "Add", "")]);
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

fn read(repo: &Repo, path: &str) -> Option<String> {
    fs::read_to_string(repo.path(path)).ok()
}

fn records(repo: &Repo) -> Vec<Value> {
    let log = read(repo, ".git/guard/log.jsonl").unwrap_or_default();
    let records = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.collect()
}

/// Asserts that the state holds exactly the records of guard's log, in order.
#[track_caller]
fn assert_log_agrees(repo: &Repo, state: &Value) {
    let log = state["approval_log"].as_array().unwrap();
    let of_guard: Vec<&Value> = log.iter().filter(|entry| !entry["seq"].is_null()).collect();
    let records = records(repo);
    assert_eq!(of_guard, records.iter().collect::<Vec<_>>());
    let done = records
        .iter()
        .filter(|record| record["event"] == "done")
        .count();
    assert_eq!(
        done,
        state["approved_writes"].as_array().unwrap().len(),
        "{state}"
    );
    repo.guard(&["audit", "verify"]).exits(0);
}

/// What may never happen to the files, whatever the model writes.
fn damage(repo: &Repo) -> Vec<&'static str> {
    let mut damage = Vec::new();
    if read(repo, "other.py").as_deref() != Some("x = 1\n") {
        damage.push("a file outside the scope was written");
    }
    if read(repo, "src/large.py").is_none_or(|text| !text.starts_with(&lines(1..=200))) {
        damage.push("a large file was replaced without approval");
    }
    if repo.path("../escaped.py").exists() {
        damage.push("a file outside the workspace was written");
    }
    damage
}

fn hostile() -> [Value; 3] {
    [
        write("other.py", "y = 2\n"),
        replacement(),
        write("src/../../escaped.py", "z = 3\n"),
    ]
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
    assert_eq!(read(&repo, "src/new.py").as_deref(), Some("b = 2\n"));
    assert!(
        said["seen"][0].as_str().unwrap().contains("src/new.py"),
        "{said}"
    );
    assert_log_agrees(&repo, state);
}

#[test]
fn write_outside_the_scope_or_the_workspace_is_refused_and_logged() {
    let repo = repo();
    let requests = [
        write("other.py", "y = 2\n"),
        write("src/../../escaped.py", "z = 3\n"),
    ];
    let Some(said) = graph(&repo, &requests, &[]) else {
        return;
    };
    let state = &said["state"];
    assert_eq!(
        state["rejected_writes"],
        json!(["other.py", "src/../../escaped.py"]),
        "{said}"
    );
    assert_eq!(state["approved_writes"], json!([]));
    assert_eq!(damage(&repo), [""; 0]);
    let refused: Vec<Value> = records(&repo)
        .iter()
        .map(|record| record["rule"].clone())
        .collect();
    assert_eq!(refused, ["out-of-scope", "outside-workspace"]);
    assert_log_agrees(&repo, state);
}

#[test]
fn held_replacement_is_written_with_the_strategy_that_the_person_chooses() {
    let chosen = ["append", "replace"];
    let repos = chosen.map(|_| repo());
    let scenarios: Vec<Value> = repos
        .iter()
        .zip(chosen)
        .map(|(repo, chosen)| scenario(repo, &[replacement()], &[decision(chosen)]))
        .collect();
    let Some(said) = graphs(&repos[0], &scenarios) else {
        return;
    };
    let expected = [lines(1..=200) + "a = 1\n", "a = 1\n".to_owned()];
    for ((repo, said), expected) in repos.iter().zip(said).zip(expected) {
        let question = &said["interrupts"][0];
        assert_eq!(question["change_classification"], "REPLACE", "{said}");
        let message = question["question"]["message"].as_str().unwrap();
        assert!(message.contains("What would be lost"), "{message}");
        let state = &said["state"];
        assert_eq!(state["approved_writes"], json!(["src/large.py"]), "{said}");
        assert_eq!(state["pending_writes"], json!([]));
        assert_eq!(read(repo, "src/large.py"), Some(expected));
        let approved: Vec<Value> = records(repo)
            .into_iter()
            .filter(|record| record["event"] == "approved")
            .collect();
        assert_eq!(approved.len(), 1);
        assert_eq!(approved[0]["how"], "elicitation");
        assert_log_agrees(repo, state);
    }
}

#[test]
fn rejected_replacement_leaves_the_file_and_a_wrong_word_asks_again() {
    let repo = repo();
    let wrong = json!({ "decision": "replace", "word": "wrong", "reason": "agreed" });
    let answers = [wrong, decision("reject")];
    let Some(said) = graph(&repo, &[replacement()], &answers) else {
        return;
    };
    assert_eq!(said["interrupts"].as_array().unwrap().len(), 2, "{said}");
    let state = &said["state"];
    assert_eq!(state["rejected_writes"], json!(["src/large.py"]), "{said}");
    assert_eq!(state["pending_writes"], json!([]));
    assert_eq!(damage(&repo), [""; 0]);
    assert_eq!(repo.json(&["pending"])["held"], json!([]));
    assert_log_agrees(&repo, state);
}

#[test]
fn nothing_is_replaced_while_no_person_answers() {
    let repo = repo();
    let waiting = scenario(&repo, &[replacement()], &[]);
    let mut alone = waiting.clone();
    alone["auto_mode"] = true.into();
    let Some(said) = graphs(&repo, &[waiting, alone]) else {
        return;
    };
    let [waiting, alone] = said.try_into().unwrap();
    assert_eq!(
        waiting["left"][0]["target_path"], "src/large.py",
        "{waiting}"
    );
    assert_eq!(
        waiting["state"]["pending_writes"].as_array().unwrap().len(),
        1
    );
    assert!(
        alone["raised"].as_str().unwrap().contains("guard approve"),
        "{alone}"
    );
    assert_eq!(damage(&repo), [""; 0]);
}

#[test]
fn without_the_gate_the_same_writes_do_damage() {
    let (gated, bare) = (repo(), repo());
    let mut ungated = scenario(&bare, &hostile(), &[]);
    ungated["gate"] = false.into();
    if graphs(&gated, &[scenario(&gated, &hostile(), &[]), ungated]).is_none() {
        return;
    }
    assert_eq!(damage(&gated), [""; 0]);
    assert_eq!(damage(&bare).len(), 3);
    assert_eq!(records(&bare), Vec::<Value>::new());
}
