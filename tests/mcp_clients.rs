//! Real clients drive `guard mcp`: the official SDKs for Python and TypeScript.

use std::process::Command;

use serde_json::{Value, json};

use crate::common::clients::{newest_python_sdk, node_packages, program, python};
use crate::common::mcp::text;
use crate::common::{GUARD, Repo, lines, run};

/// A design with a file for each tool, and a change that is held under the returned ID.
fn repo() -> (Repo, String) {
    let repo = Repo::new();
    for name in ["read", "edit", "move", "delete"] {
        repo.stage(format!("src/{name}.py"), format!("name = '{name}'\n"));
    }
    for name in ["large", "held"] {
        repo.stage(format!("src/{name}.py"), lines(1..=200));
    }
    repo.govern(&[
        ("src/write.py", "Add", ""),
        ("src/edit.py", "Modify", ""),
        ("src/move.py", "Delete", ""),
        ("src/moved.py", "Add", ""),
        ("src/delete.py", "Delete", ""),
        ("src/large.py", "Modify", ""),
        ("src/held.py", "Modify", ""),
    ]);
    repo.guard(&["write", "src/held.py", "--content-file", "src/read.py"])
        .exits(1);
    let held = repo.json(&["approve"])["held"][0]["id"].clone();
    (repo, held.as_str().unwrap().to_owned())
}

/// A call of each tool; one more is held.
fn calls(held: &str) -> Vec<(&'static str, Value)> {
    let path = |path: &str| json!({ "path": path });
    let write = |path: &str| json!({ "path": path, "content": "a = 1\n" });
    let edits = json!([{ "oldText": "edit", "newText": "edited" }]);
    let editing = json!({ "path": "src/edit.py", "edits": edits });
    let moving = json!({ "source": "src/move.py", "destination": "src/moved.py" });
    vec![
        ("read_text_file", path("src/read.py")),
        ("write_file", write("src/write.py")),
        ("write_file", write("src/large.py")),
        ("edit_file", editing),
        ("move_file", moving),
        ("delete_file", path("src/delete.py")),
        ("check_write", path("src/edit.py")),
        ("list_directory", path("src")),
        ("search_files", json!({ "path": ".", "pattern": "*.py" })),
        ("show_scope", json!({})),
        ("reload_scope", json!({})),
        ("request_approval", json!({ "id": held })),
    ]
}

/// Asserts which calls were refused; all others must have done something.
#[track_caller]
fn assert_results(calls: &[(&str, Value)], results: &[Value], refused: &[&str]) {
    assert_eq!(calls.len(), results.len());
    for ((tool, arguments), result) in calls.iter().zip(results) {
        let is_large = arguments["path"] == "src/large.py";
        let is_refused = refused.contains(tool) && (is_large || *tool != "write_file");
        assert_eq!(result["isError"], is_refused, "{tool}: {result}");
        let facts = if is_refused {
            &result["structuredContent"]["error"]
        } else {
            &result["_meta"]["guard"]
        };
        assert!(facts.is_object(), "{tool}: {result}");
        assert_ne!(text(result), "", "{tool}: {result}");
    }
}

/// What is asked about a held change.
const ASKS: [&str; 2] = ["write_file", "request_approval"];

fn approval() -> Value {
    json!({ "action": "accept", "content": { "decision": "approve", "word": "line", "reason": "agreed" } })
}

/// Drives every tool, with a client that approves, one that declines and one that cannot ask.
#[track_caller]
fn drive(version: Option<&str>, client: impl Fn(&Repo) -> Command) {
    for (answer, refused, questions) in [
        (approval(), &[][..], 2),
        (json!({ "action": "decline" }), &ASKS[..], 2),
        (Value::Null, &ASKS[..], 0),
    ] {
        let (repo, held) = repo();
        let calls = calls(&held);
        let mut command = client(&repo);
        command.args([GUARD, &answer.to_string(), &json!(calls).to_string()]);
        let output = run(&mut command).exits(0);
        let said: Value = serde_json::from_str(&output.stdout).unwrap();
        assert_eq!(said["version"].as_str(), version);
        assert_eq!(said["tools"].as_array().unwrap().len(), 11, "{said}");
        let asked = said["questions"].as_array().unwrap().len();
        assert_eq!(asked, questions, "{said}");
        assert_results(&calls, said["results"].as_array().unwrap(), refused);
        let held = repo.json(&["approve"])["held"].as_array().unwrap().len();
        assert_eq!(held, if refused.is_empty() { 0 } else { 2 });
        repo.guard(&["audit", "verify"]).exits(0);
    }
}

#[test]
fn python_sdk_drives_every_tool() {
    let Some(python) = python() else {
        return;
    };
    drive(Some("2025-11-25"), |repo| {
        let mut command = program(repo, &python, "mcp_client.py");
        command.env("PYTHONPATH", newest_python_sdk());
        command
    });
}

#[test]
fn typescript_sdk_drives_every_tool() {
    if let Some(packages) = node_packages() {
        drive(None, |repo| {
            let mut command = program(repo, "node", "mcp_client.mjs");
            command.arg(&packages);
            command
        });
    }
}
