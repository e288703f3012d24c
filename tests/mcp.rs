//! `guard mcp` by its protocol: what each tool does, refuses and asks, and that the server survives bad clients.

use serde_json::{Value, json};

use crate::common::mcp::{McpClient, text};
use crate::common::{DESIGN, GUARD, Repo, lines, write_executable};

const NOW: &str = "2025-06-18";

/// A design for `src/`, with a file of 200 lines that is committed.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("src/large.py", lines(1..=200));
    repo.stage("src/small.py", "a = 1\nb = 2\n");
    repo.stage("src/old.py", "old = 1\n");
    repo.stage("src/trash.py", "trash = 1\n");
    repo.stage("other.py", "x = 1\n");
    repo.stage(".env", "TOKEN=1\n");
    repo.govern(&[
        ("src/large.py", "Modify", ""),
        ("src/small.py", "Modify", ""),
        ("src/new/deep.py", "Add", ""),
        ("src/gone.py", "Add", ""),
        ("src/moved.py", "Add", ""),
        ("src/old.py", "Delete", ""),
        ("src/trash.py", "Delete", ""),
    ]);
    repo
}

fn client(repo: &Repo) -> McpClient {
    McpClient::start(repo, NOW, json!({}))
}

/// A client that can ask, and gets this answer.
fn asking(repo: &Repo, answer: Value) -> McpClient {
    let mut client = McpClient::start(repo, NOW, json!({ "elicitation": {} }));
    client.answer = answer;
    client
}

/// The records of one event.
fn records(repo: &Repo, event: &str) -> Vec<Value> {
    let all = repo.records().into_iter();
    all.filter(|record| record["event"] == event).collect()
}

/// The arguments that replace the large file.
fn large() -> Value {
    json!({ "path": "src/large.py", "content": replacement() })
}

fn replacement() -> String {
    lines(1..=200).replace("line number", "other text")
}

/// An approval as the person types it: the word is in the question.
fn approval(decision: &str, word: &str) -> Value {
    json!({ "action": "accept", "content": { "decision": decision, "word": word, "reason": "agreed" } })
}

/// The word for the large file: the first of what would be lost.
const WORD: &str = "line";

#[test]
fn tools_have_names_hints_and_schemas() {
    let repo = repo();
    let mut client = client(&repo);
    let listed = client.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names = tools.iter().filter_map(|tool| tool["name"].as_str());
    let names: Vec<&str> = names.collect();
    let expected = "check_write delete_file edit_file list_directory move_file read_text_file \
                    reload_scope request_approval search_files show_scope write_file";
    assert_eq!(names.join(" "), expected);
    for (tool, name) in tools.iter().zip(names) {
        // Clients resolve no references.
        assert!(!tool["inputSchema"].to_string().contains("$ref"), "{tool}");
        let schema = tool["inputSchema"].to_string();
        // JSON Schema has no formats for the numbers of Rust.
        assert!(!schema.contains("\"format\""), "{schema}");
        // A client that takes words from a person converts them by the only type.
        let properties = tool["inputSchema"]["properties"].as_object();
        for (key, property) in properties.into_iter().flatten() {
            let kinds = property["type"].as_array().into_iter().flatten();
            let mut kinds = kinds.filter(|kind| *kind != "null");
            assert!(
                kinds.all(|kind| kind == "string"),
                "{name} {key}: {property}"
            );
        }
        assert!(!tool["title"].as_str().unwrap().is_empty(), "{tool}");
        assert!(tool["description"].as_str().unwrap().len() <= 600, "{tool}");
        let reads = [
            "check_write",
            "list_directory",
            "read_text_file",
            "search_files",
            "show_scope",
        ]
        .contains(&name);
        // A repeated append or insert adds the content again.
        let is_idempotent = ["delete_file", "reload_scope"].contains(&name);
        for (hint, expected) in [
            ("openWorldHint", false),
            ("readOnlyHint", reads),
            ("destructiveHint", !reads && name != "reload_scope"),
            ("idempotentHint", is_idempotent),
        ] {
            assert_eq!(tool["annotations"][hint] == true, expected, "{hint} {tool}");
        }
        let asks = &tool["_meta"]["anthropic/requiresUserInteraction"];
        assert_eq!(*asks == true, name == "request_approval", "{tool}");
    }
    let length = listed.to_string().len();
    assert!(length <= 12_000, "{length}");
}

#[test]
fn files_are_read_written_edited_moved_and_deleted_as_by_the_verbs() {
    let repo = repo();
    let mut client = client(&repo);
    let whole = client.call("read_text_file", json!({ "path": "src/small.py" }));
    assert_eq!(text(&whole), "a = 1\nb = 2\n");
    // Claude Code would show the model the structured content in place of the text.
    assert!(whole["structuredContent"].is_null(), "{whole}");
    let digest = whole["_meta"]["guard"]["digest"].as_str().unwrap();
    let facts = whole["content"][1]["text"].as_str().unwrap();
    assert!(facts.contains(digest), "{whole}");
    let taken = json!({ "path": "src/small.py", "content": "c\n", "expect": "none" });
    assert_eq!(client.refuses("write_file", taken).0, "exists");
    for (path, kind, is_policy) in [("absent.py", "not-found", false), (".env", "refused", true)] {
        let (refused, said) = client.refuses("read_text_file", json!({ "path": path }));
        assert_eq!(refused, kind);
        assert_eq!(said.contains("another tool"), is_policy, "{said}");
        assert!(!said.contains("guard scope"), "{said}");
    }

    let new = json!({ "path": "src/new/deep.py", "content": "one\n" });
    assert_eq!(client.does("write_file", new)["created"], true);
    let more =
        json!({ "path": repo.path("src/new/deep.py"), "content": "two\n", "strategy": "append" });
    let added = client.does("write_file", more);
    assert_eq!(repo.text("src/new/deep.py"), "one\ntwo\n");
    let edit =
        json!({ "path": "src/small.py", "edits": [{ "oldText": "a = 1", "newText": "a = 3" }] });
    let mut expecting = edit.clone();
    expecting["expect"] = digest.into();
    let changed = client.call("edit_file", expecting);
    let told = text(&changed);
    let is_told = told.starts_with("wrote src/small.py") && told.contains("-a = 1\n+a = 3\n");
    assert!(is_told, "{told}");
    assert_eq!(repo.text("src/small.py"), "a = 3\nb = 2\n");
    assert_eq!(client.refuses("edit_file", edit).0, "search-not-found");

    // Files are moved and deleted only as the client saw them.
    let seen = client.does("read_text_file", json!({ "path": "src/old.py" }))["digest"].clone();
    let mut moving =
        json!({ "source": "src/old.py", "destination": "src/moved.py", "expect": seen });
    let mut deleting = json!({ "path": "src/trash.py", "expect": seen });
    repo.write("src/old.py", "old = 2\n");
    for (tool, arguments) in [("move_file", &mut moving), ("delete_file", &mut deleting)] {
        let (_, said) = client.refuses(tool, arguments.clone());
        assert!(said.contains("has changed since it was read"), "{said}");
        arguments.as_object_mut().unwrap().remove("expect");
        client.does(tool, arguments.clone());
    }
    assert_eq!(repo.text("src/moved.py"), "old = 2\n");
    assert!(!repo.path("src/old.py").exists() && !repo.path("src/trash.py").exists());
    let backup = added["backup"].as_str().unwrap();
    repo.guard(&["snapshot", "restore", backup]).exits(0);
    assert_eq!(repo.text("src/new/deep.py"), "one\n");
    assert_eq!(client.end(), 0);
    repo.guard(&["audit", "verify"]).exits(0);
}

#[test]
fn client_learns_the_server_and_the_limits_of_its_numbers() {
    let repo = repo();
    let mut client = McpClient::spawn(repo.command(GUARD).arg("mcp"));
    let about = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": NOW, "capabilities": {}, "clientInfo": about });
    let begun = client.request("initialize", params)["result"].clone();
    assert_eq!(begun["serverInfo"]["name"], "guard", "{begun}");
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(begun["serverInfo"]["version"], version, "{begun}");
    let instructions = begun["instructions"].as_str().unwrap();
    assert!(instructions.contains("Call show_scope first"), "{begun}");
    assert!(begun["capabilities"]["tools"].is_object(), "{begun}");
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));

    let listed = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let mut tools = listed.as_array().unwrap().iter();
    for (name, key, expected) in [
        ("read_text_file", "head", json!(["integer", 1, null])),
        ("read_text_file", "tail", json!(["integer", 1, null])),
        ("write_file", "line", json!(["integer", 1, null])),
        ("write_file", "lineThreshold", json!(["integer", 0, null])),
        ("write_file", "changeThreshold", json!(["number", 0, 1])),
    ] {
        let tool = tools.clone().find(|tool| tool["name"] == name).unwrap();
        let property = &tool["inputSchema"]["properties"][key];
        let found = ["type", "minimum", "maximum"].map(|word| &property[word]);
        assert_eq!(json!(found), expected, "{name} {key}");
    }
    assert!(tools.all(|tool| tool["inputSchema"]["type"] == "object"));
}

/// What is new, moved, gone or the same has no lines to compare.
#[test]
fn only_a_changed_file_is_told_with_its_differences() {
    let repo = repo();
    let mut client = client(&repo);
    for (tool, arguments, part, has_lines) in [
        (
            "write_file",
            json!({ "path": "src/gone.py", "content": "one\n" }),
            "wrote src/gone.py",
            false,
        ),
        (
            "write_file",
            json!({ "path": "src/gone.py", "content": "one\ntwo\n" }),
            "wrote src/gone.py",
            true,
        ),
        (
            "write_file",
            json!({ "path": "src/gone.py", "content": "one\ntwo\n" }),
            "unchanged src/gone.py",
            false,
        ),
        (
            "move_file",
            json!({ "source": "src/old.py", "destination": "src/moved.py" }),
            "moved src/old.py to src/moved.py",
            false,
        ),
        (
            "delete_file",
            json!({ "path": "src/trash.py" }),
            "deleted src/trash.py",
            false,
        ),
    ] {
        let told = text(&client.call(tool, arguments));
        assert!(told.starts_with(part), "{told}");
        assert_eq!(told.contains("\n@@"), has_lines, "{told}");
    }
}

#[test]
fn directories_are_listed_and_searched_within_what_may_be_read() {
    let repo = repo();
    repo.write("src/deep/part.py", "x\n");
    repo.write("src/deep/part.txt", "x\n");
    repo.write(".env", "KEY=1\n");
    let mut client = client(&repo);
    let mut told = |tool: &str, arguments: Value| text(&client.call(tool, arguments)).to_owned();
    let root = told("list_directory", json!({ "path": "." }));
    assert!(
        root.contains("[DIR] src\n") && root.contains("[FILE] guard.toml\n"),
        "{root}"
    );
    // Neither git's directory nor a secret.
    assert!(!root.contains(".git\n") && !root.contains(".env"), "{root}");
    assert_eq!(
        told("list_directory", json!({ "path": repo.path("") })),
        root
    );
    let deep = "[FILE] src/deep/part.py\n[FILE] src/deep/part.txt\n";
    assert_eq!(told("list_directory", json!({ "path": "src/deep" })), deep);
    let found = |pattern: &str| json!({ "path": ".", "pattern": pattern });
    for pattern in ["part", "part.*", "src/**/part.*", "**/deep/*"] {
        assert_eq!(told("search_files", found(pattern)), deep, "{pattern}");
    }
    let below = json!({ "path": "src", "pattern": "deep/*", "excludePatterns": ["*.txt"] });
    assert_eq!(told("search_files", below), "[FILE] src/deep/part.py\n");
    assert_eq!(
        told("search_files", found("*.none")),
        "nothing that may be read\n"
    );
    for path in ["..", "/", "src/../.."] {
        let (kind, said) = client.refuses("list_directory", json!({ "path": path }));
        assert_eq!(kind, "security", "{said}");
        // Only the name that the client gave.
        assert!(!said.contains("guard-asks"), "{said}");
    }
    assert_eq!(
        client
            .refuses("list_directory", json!({ "path": "none" }))
            .0,
        "not-found"
    );
}

#[test]
fn a_thousand_files_are_listed_and_more_are_said_to_be_left_out() {
    let repo = repo();
    for number in 0..1_000 {
        repo.write(format!("many/{number:04}.txt"), "x\n");
    }
    let mut client = client(&repo);
    let list = json!({ "path": "many" });
    let search = json!({ "path": "many", "pattern": "*.txt" });
    let note = "only the first 1000 are listed; name a directory below\n";
    for is_cut in [false, true] {
        for (tool, arguments) in [("list_directory", &list), ("search_files", &search)] {
            let answer = client.call(tool, arguments.clone());
            let told = text(&answer);
            assert_eq!(told.matches("[FILE]").count(), 1_000, "{tool}");
            assert_eq!(told.ends_with(note), is_cut, "{tool}");
        }
        repo.write("many/next.txt", "x\n");
    }
}

#[test]
fn a_part_of_a_text_is_read_with_the_digest_of_the_whole() {
    let repo = repo();
    let mut client = client(&repo);
    let whole = client.call("read_text_file", json!({ "path": "src/large.py" }));
    for (key, part) in [("head", lines(1..=2)), ("tail", lines(199..=200))] {
        let read = client.call("read_text_file", json!({ "path": "src/large.py", key: 2 }));
        assert_eq!(text(&read), part);
        assert_eq!(
            read["_meta"]["guard"]["digest"],
            whole["_meta"]["guard"]["digest"]
        );
    }
    let both = json!({ "path": "src/large.py", "head": 1, "tail": 1 });
    let (_, said) = client.refuses("read_text_file", both);
    assert!(said.contains("exclude each other"), "{said}");
}

#[test]
fn an_edit_can_be_tried_and_needs_something_to_edit() {
    let repo = repo();
    let mut client = client(&repo);
    let edits = json!([{ "oldText": "a = 1", "newText": "a = 3" }]);
    let dry = json!({ "path": "src/small.py", "edits": edits, "dryRun": true });
    let told = client.call("edit_file", dry);
    assert!(text(&told).contains("-a = 1\n+a = 3\n"), "{told}");
    assert_eq!(repo.text("src/small.py"), "a = 1\nb = 2\n");
    assert_eq!(records(&repo, "done").len(), 0);
    let (_, said) = client.refuses("edit_file", json!({ "path": "src/small.py", "edits": [] }));
    assert!(said.contains("list of edits is empty"), "{said}");
    let edits = json!([{ "oldText": "x = 1", "newText": "x = 2" }]);
    let outside = json!({ "path": "other.py", "edits": edits, "dryRun": true });
    assert_eq!(client.refuses("edit_file", outside).0, "refused");
}

/// What the reference file-system server (2026.8.31) takes, by its schemas, and what models send by mistake.
#[test]
fn arguments_of_the_reference_server_are_taken_or_refused_with_a_sentence() {
    let repo = repo();
    let mut client = client(&repo);
    let edit = |new: &str| json!([{ "oldText": "a = 1", "newText": new }]);
    for (tool, arguments) in [
        ("read_text_file", json!({ "path": "src/small.py" })),
        (
            "read_text_file",
            json!({ "path": "src/small.py", "head": 1 }),
        ),
        (
            "read_text_file",
            json!({ "path": "src/small.py", "head": 2.0 }),
        ),
        (
            "read_text_file",
            json!({ "path": "src/small.py", "tail": 1, "head": null }),
        ),
        (
            "write_file",
            json!({ "path": "src/new/deep.py", "content": "x = 1\n" }),
        ),
        (
            "edit_file",
            json!({ "path": "src/small.py", "edits": edit("a = 2"), "dryRun": true }),
        ),
        (
            "edit_file",
            json!({ "path": "src/small.py", "edits": edit("a = 1.5"), "dryRun": null }),
        ),
        ("list_directory", json!({ "path": "src" })),
        ("search_files", json!({ "path": ".", "pattern": "*.py" })),
        (
            "search_files",
            json!({ "path": ".", "pattern": "*.py", "excludePatterns": [] }),
        ),
        (
            "search_files",
            json!({ "path": ".", "pattern": "*.py", "excludePatterns": null }),
        ),
        (
            "move_file",
            json!({ "source": "src/old.py", "destination": "src/moved.py" }),
        ),
    ] {
        let result = client.call(tool, arguments.clone());
        assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
    }
    for (tool, arguments, said) in [
        (
            "read_text_file",
            json!({ "path": "src/small.py", "head": 0 }),
            "0 is no number of lines; the smallest is 1",
        ),
        (
            "read_text_file",
            json!({ "path": "src/small.py", "tail": 1.5 }),
            "1.5 is no number of lines",
        ),
        (
            "read_text_file",
            json!({ "path": "src/small.py", "tail": "1" }),
            "expected a JSON number",
        ),
        (
            "read_text_file",
            json!({ "path": "src/small.py", "head": 1, "tail": 1 }),
            "exclude each other",
        ),
        (
            "write_file",
            json!({ "path": "src/new/deep.py" }),
            "missing field `content`",
        ),
        (
            "edit_file",
            json!({ "path": "src/small.py", "edits": [] }),
            "the list of edits is empty",
        ),
        (
            "edit_file",
            json!({ "path": "src/small.py", "edits": [{ "oldText": "a" }] }),
            "missing field `newText`",
        ),
        (
            "move_file",
            json!({ "source": "src/small.py" }),
            "missing field `destination`",
        ),
    ] {
        let result = client.call(tool, arguments.clone());
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        assert!(text(&result).contains(said), "{tool} {arguments}: {result}");
    }
    for tool in [
        "create_directory",
        "directory_tree",
        "get_file_info",
        "list_allowed_directories",
        "list_directory_with_sizes",
        "read_file",
        "read_media_file",
        "read_multiple_files",
    ] {
        let answer = client.request(
            "tools/call",
            json!({ "name": tool, "arguments": { "path": "src" } }),
        );
        let said = answer["error"]["message"].as_str().unwrap();
        assert!(
            said.starts_with(&format!("guard has no tool {tool}; it has check_write, ")),
            "{said}"
        );
    }
}

/// Agents send LF, whatever the file has.
#[test]
fn an_edit_finds_its_lines_in_a_file_with_crlf() {
    let repo = repo();
    repo.write("src/small.py", "a = 1\r\nb = 2\r\nc = 3\r\n");
    let mut client = client(&repo);
    let edits = json!([{ "oldText": "a = 1\nb = 2\n", "newText": "a = 3\nd = 4\n" }]);
    client.does(
        "edit_file",
        json!({ "path": "src/small.py", "edits": edits }),
    );
    assert_eq!(repo.text("src/small.py"), "a = 3\r\nd = 4\r\nc = 3\r\n");
}

/// Gemini CLI shows the model whatever an error carries.
#[test]
fn an_error_carries_its_text_and_small_facts_only() {
    let repo = repo();
    let mut client = client(&repo);
    let held = client.call("write_file", large());
    assert_eq!(held["isError"], true);
    assert!(held["_meta"].is_null(), "{held}");
    let facts = held["structuredContent"].to_string();
    assert!(
        facts.len() < 400 && !facts.contains("line number"),
        "{facts}"
    );
    let params = json!({
        "name": "write_file",
        "arguments": large(),
        "_meta": { "guard/analysis": true },
    });
    let asked = client.request("tools/call", params.clone());
    let analysis = &asked["result"]["_meta"]["guard"]["analysis"];
    assert_eq!(analysis["requires_approval"], true, "{asked}");
    // The same where the person was asked and did not approve.
    for (answer, has_analysis) in [
        (json!({ "action": "decline" }), true),
        (approval("reject", ""), false),
    ] {
        let mut asking = asking(&repo, answer);
        let declined = asking.request("tools/call", params.clone());
        let analysis = &declined["result"]["_meta"]["guard"]["analysis"];
        let is_there = analysis["requires_approval"] == true;
        assert_eq!(is_there, has_analysis, "{declined}");
    }
}

#[test]
fn refusal_is_an_error_of_the_tool_with_the_next_step() {
    let repo = repo();
    let mut client = client(&repo);
    let outside = json!({ "path": "src/smal.py", "content": "x\n" });
    let (kind, said) = client.refuses("write_file", outside);
    assert_eq!(kind, "refused");
    assert!(said.contains(DESIGN), "{said}");
    let checked = client.does("check_write", json!({ "path": "src/smal.py" }));
    assert_eq!(checked["rule"], "out-of-scope", "{checked}");
    let fine = json!({ "path": "src/small.py", "content": "" });
    assert_eq!(client.does("check_write", fine)["allowed"], true);
    let shown = text(&client.call("show_scope", json!({})));
    assert!(shown.contains("allowed (7 paths)"), "{shown}");
    for (key, value, part) in [
        ("content", Value::Null, "expected a string"),
        ("path", 1.into(), "expected a string"),
        ("contents", "".into(), "unknown field `contents`"),
        ("strategy", "merge".into(), "one of `replace`"),
        ("strategy", "insert".into(), "`line`"),
    ] {
        let mut arguments = json!({ "path": "src/small.py", "content": "" });
        arguments[key] = value;
        let refused = client.call("write_file", arguments);
        assert_eq!(refused["isError"], true);
        assert!(text(&refused).contains(part), "{refused}");
    }
    assert_eq!(records(&repo, "refused").len(), 1);
}

#[test]
fn changed_design_is_used_only_after_a_reload_that_tells_and_logs_it() {
    let repo = repo();
    let mut client = client(&repo);
    client.does("show_scope", json!({}));
    let rows = [("src/small.py", "Modify", ""), ("src/extra.py", "Add", "")];
    repo.design(DESIGN, &rows);
    repo.commit("Change the design");
    let extra = json!({ "path": "src/extra.py", "content": "x\n" });
    let (kind, said) = client.refuses("write_file", extra.clone());
    assert_eq!(kind, "stale");
    assert!(said.contains("reload_scope"), "{said}");
    assert!(!repo.path("src/extra.py").exists());
    let reloaded = client.call("reload_scope", json!({}));
    assert_eq!(reloaded["_meta"]["guard"]["changed"], true);
    let told = text(&reloaded);
    assert!(told.contains("+ src/extra.py (add)"), "{told}");
    assert_eq!(told.matches("\n- ").count(), 6, "{told}");
    client.does("write_file", extra);
    let removed = json!({ "path": "src/moved.py", "content": "x\n" });
    assert_eq!(client.refuses("write_file", removed).0, "refused");
    let log = records(&repo, "scope-reloaded");
    assert_eq!(log.len(), 1);
    assert_ne!(log[0]["before"], log[0]["designs"]);
    assert_eq!(client.does("reload_scope", json!({}))["changed"], false);
    assert_eq!(records(&repo, "scope-reloaded").len(), 1);
    drop(client);
    repo.guard(&["audit", "verify"]).exits(0);
}

#[test]
fn held_change_without_a_person_to_ask_names_the_command_for_a_terminal() {
    let repo = repo();
    let mut client = client(&repo);
    let (kind, said) = client.refuses("write_file", large());
    assert_eq!(kind, "held");
    let held = repo.json(&["approve"])["held"][0]["id"].clone();
    let held = held.as_str().unwrap();
    assert!(said.contains(&format!("guard approve {held}")), "{said}");
    for (id, kind) in [(held, "held"), ("0123456789ab", "not-found")] {
        let asked = client.refuses("request_approval", json!({ "id": id }));
        assert_eq!(asked.0, kind);
    }
    assert_eq!(repo.text("src/large.py"), lines(1..=200));
}

#[test]
fn approval_through_the_client_writes_once_and_is_logged_as_such() {
    let repo = repo();
    let mut client = asking(&repo, approval("replace", WORD));
    let done = client.call("write_file", large());
    assert_eq!(done["_meta"]["guard"]["approval"], "elicitation", "{done}");
    assert!(text(&done).starts_with("The user approved"), "{done}");
    assert_eq!(repo.text("src/large.py"), replacement());
    let question = &client.questions[0];
    let offered = &question["requestedSchema"]["properties"]["decision"]["enum"];
    let strategies = json!(["replace", "append", "insert", "extend", "reject"]);
    assert_eq!(*offered, strategies);
    let message = question["message"].as_str().unwrap();
    for part in ["-line number 1", "What else would be lost"] {
        assert!(message.contains(part), "{message}");
    }
    let [approved] = records(&repo, "approved").try_into().unwrap();
    assert_eq!(approved["how"], "elicitation");
    assert_eq!(approved["reason"], "agreed");
    assert_eq!(repo.json(&["approve"])["held"], json!([]));
}

#[test]
fn anything_but_a_whole_approval_leaves_the_change_held() {
    let repo = repo();
    let accept = |content: Value| json!({ "action": "accept", "content": content });
    let no_reason = accept(json!({ "decision": "approve", "word": WORD }));
    for (answer, part) in [
        (json!({ "action": "decline" }), "declined"),
        (json!({ "action": "cancel" }), "closed"),
        (json!({ "action": "accept" }), "no decision"),
        (approval("replace", "number"), "the word was not"),
        (no_reason, "needs a reason"),
        (approval("yes", WORD), "no decision"),
        (json!({ "nonsense": 1 }), "not approved"),
    ] {
        let mut client = asking(&repo, answer);
        let (kind, said) = client.refuses("write_file", large());
        assert_eq!(kind, "not-approved", "{said}");
        for part in [part, "guard approve"] {
            assert!(said.contains(part), "{said}");
        }
        assert_eq!(repo.text("src/large.py"), lines(1..=200));
    }
    assert_eq!(records(&repo, "approved").len(), 0);
    assert_eq!(repo.json(&["approve"])["held"].as_array().unwrap().len(), 1);
}

#[test]
fn person_may_choose_another_way_to_write_what_is_held() {
    let chosen = |decision: &str, line: Value| {
        let mut answer = approval(decision, WORD);
        answer["content"]["line"] = line;
        answer
    };
    let (old, new) = (lines(1..=200), replacement());
    for (answer, expected) in [
        (chosen("append", Value::Null), format!("{old}{new}")),
        // Only insert has a line.
        (chosen("append", 1.into()), format!("{old}{new}")),
        (chosen("insert", 1.into()), format!("{new}{old}")),
        (chosen("replace", 1.into()), new.clone()),
    ] {
        let repo = repo();
        let mut client = asking(&repo, answer.clone());
        client.does("write_file", large());
        assert_eq!(repo.text("src/large.py"), expected, "{answer}");
        assert_eq!(records(&repo, "approved").len(), 1, "{answer}");
    }
    let repo = repo();
    for (line, part) in [
        (Value::Null, "insert needs a line"),
        ("1".into(), "insert needs a line"),
        (900.into(), "900"),
    ] {
        let mut client = asking(&repo, chosen("insert", line.clone()));
        let (kind, said) = client.refuses("write_file", large());
        assert_eq!(kind, "not-approved", "{line}: {said}");
        assert!(said.contains(part), "{line}: {said}");
        assert_eq!(repo.text("src/large.py"), old);
    }
}

#[test]
fn rejection_through_the_client_discards_the_change() {
    let repo = repo();
    let mut client = asking(&repo, approval("reject", ""));
    assert_eq!(client.refuses("write_file", large()).0, "rejected");
    assert_eq!(records(&repo, "rejected")[0]["how"], "elicitation");
    // What was held by stricter thresholds still needs the person's answer.
    let write = json!({ "path": "src/small.py", "content": "c = 3\n", "lineThreshold": 1 });
    assert_eq!(client.refuses("write_file", write).0, "rejected");
    assert_eq!(repo.text("src/small.py"), "a = 1\nb = 2\n");
    assert_eq!(repo.json(&["approve"])["held"], json!([]));
}

/// An agent that starts the server as its client may ask; its shell, and a program that the shell runs, may not.
#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs the names of parent processes, which only Linux shows in files"
)]
fn client_below_an_agent_may_not_ask_but_the_agent_may() {
    for (script, questions) in [
        ("\"$GUARD\" mcp; :", 1),
        ("sh -c '\"$GUARD\" mcp; :'; :", 0),
        // What Claude Code, Gemini CLI and OpenCode set for their servers, too.
        (
            "CLAUDECODE=1 GEMINI_CLI=1 OPENCODE=1 AI_AGENT=claude-code_harness \"$GUARD\" mcp",
            1,
        ),
        ("AI_AGENT=claude-code_agent \"$GUARD\" mcp", 0),
        ("CLAUDE_CODE_CHILD_SESSION=1 \"$GUARD\" mcp", 0),
        ("CODEX_CI=1 \"$GUARD\" mcp", 0),
    ] {
        let repo = repo();
        let agent = repo.path("../claude");
        write_executable(&agent, &format!("#!/bin/sh\n{script}\n"));
        let mut command = repo.command(&agent);
        command.env("GUARD", GUARD);
        let mut client = McpClient::start_as(&mut command, NOW, json!({ "elicitation": {} }));
        client.answer = approval("replace", WORD);
        let result = client.call("write_file", large());
        assert_eq!(client.questions.len(), questions, "{script}: {result}");
        assert_eq!(result["isError"], questions == 0, "{script}: {result}");
    }
}

#[test]
fn newest_revision_is_refused_with_those_in_which_guard_can_ask() {
    let repo = repo();
    let mut client = McpClient::spawn(repo.command(GUARD).arg("mcp"));
    let meta = |version: &str| {
        json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
        })
    };
    let call = json!({ "_meta": meta("2026-07-28"), "name": "write_file", "arguments": large() });
    let refused = client.request("tools/call", call);
    let known = &refused["error"]["data"]["supported"];
    assert!(known.to_string().ends_with("\"2025-11-25\"]"), "{refused}");
    let known = client.request("server/discover", json!({ "_meta": meta("2025-11-25") }));
    let versions = known["result"]["supportedVersions"].to_string();
    assert!(versions.ends_with("\"2025-11-25\"]"), "{known}");
    assert_eq!(repo.text("src/large.py"), lines(1..=200));
}

#[test]
fn concurrent_calls_take_turns_and_all_are_answered() {
    let repo = repo();
    let mut client = client(&repo);
    let append = json!({ "path": "src/gone.py", "content": "line\n", "strategy": "append" });
    let call = json!({ "name": "write_file", "arguments": append });
    let first = json!({ "path": "src/gone.py", "content": "line\n" });
    client.does("write_file", first);
    let calls = [(); 5].map(|()| client.begin("tools/call", call.clone()));
    let mut answered = calls.map(|_| client.receive().unwrap()["id"].as_u64().unwrap());
    answered.sort_unstable();
    assert_eq!(answered, calls);
    assert_eq!(repo.text("src/gone.py"), "line\n".repeat(6));
    repo.guard(&["audit", "verify"]).exits(0);
}

#[test]
fn cancelled_question_leaves_the_change_held_and_the_server_serves_on() {
    let repo = repo();
    let mut client = asking(&repo, Value::Null);
    let write = json!({ "name": "write_file", "arguments": large() });
    let call = client.begin("tools/call", write.clone());
    let mut messages = std::iter::from_fn(|| client.receive());
    let question = messages.find(|message| message["method"] == "elicitation/create");
    let question = question.unwrap();
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": call } }));
    client.does("read_text_file", json!({ "path": "src/small.py" }));
    // An answer that comes too late decides nothing.
    client.send(
        &json!({ "jsonrpc": "2.0", "id": question["id"], "result": approval("replace", WORD) }),
    );
    client.does("read_text_file", json!({ "path": "src/small.py" }));
    // A client that leaves decides nothing either.
    client.begin("tools/call", write);
    while client.receive().unwrap()["method"] != "elicitation/create" {}
    assert_eq!(client.end(), 0);
    assert_eq!(repo.text("src/large.py"), lines(1..=200));
    assert_eq!(records(&repo, "approved").len(), 0);
    assert_eq!(repo.json(&["approve"])["held"].as_array().unwrap().len(), 1);
}

#[test]
fn bad_messages_do_not_end_the_session_but_endless_ones_do() {
    let repo = repo();
    let mut client = client(&repo);
    let unknown = json!({ "name": "no_such_tool", "arguments": {} });
    let unknown = client.request("tools/call", unknown);
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let large = json!({ "path": "src/gone.py", "content": "x".repeat(21_000_000) });
    assert_eq!(client.refuses("write_file", large).0, "too-large");
    client.does("read_text_file", json!({ "path": "src/small.py" }));
    client.send(&json!({ "jsonrpc": "2.0", "id": 99, "method": "x".repeat(70 << 20) }));
    assert!(std::iter::from_fn(|| client.receive()).all(|message| message["id"] != 99));
    assert_eq!(client.end(), 2);
    repo.tells("-C .. mcp", 2, "repository");
}

#[test]
fn every_request_with_a_readable_id_gets_an_answer() {
    let repo = repo();
    let mut client = client(&repo);
    let call = |id: &str, path: &[u8]| {
        let head = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"read_text_file","arguments":{{"path":""#
        );
        [head.as_bytes(), path, br#""}}}"#].concat()
    };
    let line = |line: &str| line.as_bytes().to_vec();
    let unknown = line(r#"{"jsonrpc":"2.0","id":9,"method":"no"}"#);
    for (line, id, code) in [
        (call("71", br"\ud800"), json!(71), -32600),
        (call("\"b\"", b"\xff"), json!("b"), -32600),
        (call("9.5", b"src/small.py"), json!(9.5), -32600),
        (line(r#"{"jsonrpc":"2.0","id":7}"#), json!(7), -32600),
        (unknown, json!(9), -32601),
        (line("[]"), Value::Null, -32600),
        (line("no JSON"), Value::Null, -32700),
        (line(r#"{"jsonrpc":"2.0","id":11,"#), Value::Null, -32700),
    ] {
        client.send_bytes(&line);
        let answer = client.receive().unwrap();
        let shown = String::from_utf8_lossy(&line);
        assert_eq!(answer["id"], id, "{shown}: {answer}");
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
    }
    // Notifications are not answered.
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": [] }));
    let id = client.begin("ping", json!({}));
    assert_eq!(client.receive().unwrap()["id"], id);
    assert_eq!(client.end(), 0);
}

#[test]
fn thresholds_of_a_call_count_only_if_they_are_stricter() {
    let repo = repo();
    let mut client = client(&repo);
    let mut write = json!({ "path": "src/small.py", "content": "c = 3\n", "lineThreshold": 1, "changeThreshold": 0.9 });
    assert_eq!(client.refuses("write_file", write.clone()).0, "held");
    write["lineThreshold"] = 2.into();
    client.does("write_file", write);
    let mut large = large();
    large["lineThreshold"] = 1000.into();
    assert_eq!(client.refuses("write_file", large).0, "held");
}
