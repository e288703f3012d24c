//! Requests about designs: a missing design can be written and an unusable one repaired, and designs of other work stay.

use crate::common::agents::{Answered, codex, edit, hook, write};
use crate::common::files::Answer;
use crate::common::mcp::{McpClient, text};
use crate::common::terminal::{decide, driver};
use crate::common::{Repo, lines};
use serde_json::json;

const OWN: &str = "docs/lld/active/LLD-9.md";
const OTHER: &str = "docs/lld/active/LLD-8.md";
const SETTINGS: &str = "[lld]\npath = \"docs/lld/active/LLD-{issue}.md\"\nbase = \"main\"\n";
const TABLE: &str =
    "# Plan\n\n## Files Changed\n\n| File | Change Type |\n|---|---|\n| `src/a.py` | Modify |\n";

/// The branch `9-more` of a repository where `main` has the settings, the design of issue 8, and code.
fn repo() -> Repo {
    repo_with(SETTINGS)
}

fn repo_with(settings: &str) -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", settings);
    repo.stage(OTHER, TABLE);
    repo.stage("src/a.py", "a = 1\n");
    repo.commit("Base");
    repo.branch("9-more");
    repo
}

/// The same, and the branch has this design.
fn with_own(text: &str) -> Repo {
    let repo = repo();
    repo.stage(OWN, text);
    repo.commit("Add the design");
    repo
}

/// A design whose table is cut off.
fn broken() -> String {
    TABLE.replace("|---|---|", "|---|")
}

fn client(repo: &Repo) -> McpClient {
    McpClient::start(repo, "2025-06-18", json!({}))
}

#[track_caller]
fn is_of_other_work(answer: &Answer, path: &str) {
    answer.fails("refused");
    assert_eq!(answer.rule(), "out-of-scope");
    let message = answer.message();
    assert!(
        message.starts_with(&format!("{path} is a design of other work")),
        "{message}"
    );
}

#[test]
fn missing_design_can_be_written_by_every_route() {
    let repo = repo();
    repo.tells(&format!("check {OWN}"), 0, &format!("allowed {OWN}"));
    write(&repo, OWN, TABLE).passes();
    let patch = format!("*** Begin Patch\n*** Add File: {OWN}\n+# Plan\n*** End Patch\n");
    hook(&repo, "codex", codex(&repo, &patch).to_string()).exits(0);
    let dry = ["--dry-run"];
    repo.put(OWN, TABLE, &dry).works();
    client(&repo).does("write_file", json!({"path": OWN, "content": "# Plan\n"}));
    repo.ask(&["patch", OWN, "--search", "# Plan", "--replace", "# A plan"])
        .works();
    repo.ask(&["delete", OWN]).works();
    repo.put(OWN, TABLE, &[]).works();
}

#[test]
fn without_a_design_nothing_else_can_be_written() {
    let repo = repo();
    let no_design = "no design for issue 9";
    repo.tells("check src/b.py", 2, no_design);
    // One path that needs a design is enough.
    repo.tells(&format!("check {OWN} src/b.py"), 2, no_design);
    write(&repo, "src/b.py", "b = 1\n").answers(no_design);
    let patch = format!("*** Add File: {OWN}\n+# Plan\n*** Add File: src/b.py\n+b = 1\n");
    let patch = format!("*** Begin Patch\n{patch}*** End Patch\n");
    hook(&repo, "codex", codex(&repo, &patch).to_string())
        .exits(2)
        .says(no_design);
    assert!(
        repo.ask(&["move", "src/a.py", OWN])
            .message()
            .contains(no_design)
    );
    assert!(
        repo.put("src/b.py", "b = 1\n", &[])
            .message()
            .contains(no_design)
    );
    let mut client = client(&repo);
    let (kind, said) = client.refuses("write_file", json!({"path": "src/b.py", "content": "b"}));
    assert_eq!(
        (kind.as_str(), said.contains(no_design)),
        ("cannot-judge", true),
        "{said}"
    );
    let (kind, _) = client.refuses(
        "move_file",
        json!({"source": "src/a.py", "destination": OWN}),
    );
    assert_eq!(kind, "cannot-judge");
}

#[test]
fn missing_design_is_the_one_that_the_settings_name_for_the_branch() {
    let repo = repo();
    let another = "docs/lld/active/LLD-10.md";
    let answer = repo.put(another, TABLE, &[]);
    answer.fails("refused");
    assert_eq!(
        answer.message(),
        format!("{another} is not the design of this branch")
    );
    let help = answer.json["error"]["help"].to_string();
    assert!(
        help.contains(&format!("write the design of this branch instead: {OWN}")),
        "{help}"
    );
    write(&repo, another, TABLE).answers("is not the design of this branch");
    // A branch name without an issue names no document.
    repo.branch("more");
    repo.put(another, TABLE, &[]).fails("refused");
    // A branch with a design may plan later work.
    let repo = with_own(TABLE);
    repo.put(another, TABLE, &[]).works();
    // So may every branch where a design may be missing.
    let repo = repo_with(&format!("{SETTINGS}missing = \"skip\"\n"));
    repo.put(another, TABLE, &[]).works();
}

#[test]
fn files_can_be_read_without_a_design_that_can_be_used() {
    for repo in [repo(), with_own(&broken())] {
        repo.tells("check --read src/a.py", 0, "allowed");
        repo.tells("read src/a.py", 0, "a = 1");
        repo.tells(&format!("read {OTHER}"), 0, "# Plan");
        client(&repo).does("read_text_file", json!({"path": "src/a.py"}));
        // The other rules of reading still hold.
        repo.write(".env", "TOKEN=1\n");
        repo.ask(&["read", ".env"]).fails("refused");
    }
}

#[test]
fn unusable_design_can_be_repaired_by_every_route_and_not_removed() {
    let repo = with_own(&broken());
    write(&repo, OWN, TABLE).passes();
    edit(&repo, OWN, "|---|\n", "|---|---|\n", false).passes();
    repo.tells(&format!("check {OWN}"), 0, &format!("allowed {OWN}"));
    for path in ["src/a.py", "src/b.py"] {
        repo.tells(
            &format!("check {path}"),
            2,
            &format!("{OWN} cannot be used"),
        );
        write(&repo, path, "a = 2\n").denies();
    }
    let answer = repo.ask(&["delete", OWN]);
    assert_eq!(answer.fails("held").rule(), "destructive-change");
    assert!(
        answer.message().contains("the governing design"),
        "{}",
        answer.message()
    );
    let edits = json!([{"oldText": "|---|\n", "newText": "|---|---|\n"}]);
    client(&repo).does("edit_file", json!({"path": OWN, "edits": edits}));
    assert_eq!(repo.text(OWN), TABLE);
    repo.write(OWN, broken());
    repo.ask(&[
        "patch",
        OWN,
        "--search",
        "|---|\n",
        "--replace",
        "|---|---|\n",
    ])
    .works();
    repo.put(OWN, TABLE, &[]).works();
    repo.git(&["commit", "--quiet", "-am", "Correct the design"]);
    repo.tells("check src/a.py", 0, "allowed src/a.py");
}

#[test]
fn loss_in_a_long_unusable_design_waits_for_a_person() {
    let repo = with_own(&(broken() + &lines(1..=200)));
    let answer = repo.put(OWN, TABLE, &[]);
    assert_eq!(answer.fails("held").rule(), "destructive-change");
    let id = repo.held_id();
    let Some(driver) = driver(&repo) else {
        return;
    };
    decide(driver, &["approve", &id], "line", "the table is enough").exits(0);
    assert_eq!(repo.text(OWN), TABLE);
}

#[test]
fn mcp_session_goes_on_after_its_design_became_unusable() {
    let repo = with_own(TABLE);
    let mut client = client(&repo);
    client.does(
        "write_file",
        json!({"path": "src/a.py", "content": "a = 2\n"}),
    );
    repo.write(OWN, broken());
    repo.git(&["commit", "--quiet", "-am", "Break the design"]);
    let repaired = json!({"path": OWN, "content": TABLE});
    assert_eq!(client.refuses("write_file", repaired.clone()).0, "stale");
    let told = text(&client.call("reload_scope", json!({})));
    assert!(told.contains("- src/a.py (modify)"), "{told}");
    assert!(told.contains(&format!("{OWN} cannot be used")), "{told}");
    client.does("write_file", repaired);
}

#[test]
fn design_of_other_work_stays_whatever_the_request() {
    for repo in [repo(), with_own(TABLE), with_own(&broken())] {
        is_of_other_work(&repo.put(OTHER, TABLE.to_owned() + "more\n", &[]), OTHER);
        is_of_other_work(
            &repo.ask(&["patch", OTHER, "--search", "Plan", "--replace", "x"]),
            OTHER,
        );
        is_of_other_work(&repo.ask(&["delete", OTHER]), OTHER);
        is_of_other_work(
            &repo.ask(&["move", OTHER, "docs/lld/active/LLD-9-b.md"]),
            OTHER,
        );
        repo.tells(&format!("check {OTHER}"), 1, "is a design of other work");
        write(&repo, OTHER, "# Mine\n").answers("is a design of other work");
        let (kind, said) =
            client(&repo).refuses("write_file", json!({"path": OTHER, "content": "x"}));
        assert_eq!(kind, "refused", "{said}");
        assert!(said.contains("is a design of other work"), "{said}");
        assert_eq!(repo.text(OTHER), TABLE);
        // A person may commit the change.
        repo.stage(OTHER, TABLE.to_owned() + "| `src/b.py` | Add |\n");
        repo.guard(&["lint"]).exits(0);
    }
}

#[test]
fn design_that_governs_or_that_the_branch_added_can_be_changed() {
    let more = TABLE.to_owned() + "more\n";
    let repo = with_own(TABLE);
    repo.put(OWN, &more, &[]).works();
    // A later plan that this branch has committed.
    let later = "docs/lld/active/LLD-10.md";
    repo.stage(later, TABLE);
    repo.commit("Plan later work");
    repo.put(later, &more, &[]).works();
    // A design that a person chose for the branch.
    repo.guard(&["use", OTHER]).exits(0);
    repo.put(OTHER, &more, &[]).works();
    // What the request takes back is no change.
    let repo = with_own(TABLE);
    repo.stage(OTHER, &more);
    repo.commit("Change the plan of issue 8");
    repo.put(OTHER, TABLE, &[]).works();
}

#[test]
fn row_permits_a_design_of_other_work_and_always_does_not() {
    let row = format!("| `{OTHER}` | Modify |\n");
    let repo = with_own(&(TABLE.to_owned() + &row));
    repo.put(OTHER, TABLE.to_owned() + "more\n", &[]).works();
    let repo = repo_with(&format!("{SETTINGS}[scope]\nalways = [\"docs/\"]\n"));
    is_of_other_work(&repo.put(OTHER, "# Mine\n", &[]), OTHER);
}

#[test]
fn unknown_merge_base_is_named_as_a_reason() {
    let repo = repo_with(&SETTINGS.replace("base = \"main\"\n", ""));
    let answer = repo.put(OTHER, TABLE.to_owned() + "more\n", &[]);
    is_of_other_work(&answer, OTHER);
    let help = answer.json["error"]["help"].to_string();
    assert!(help.contains("set `[lld] base"), "{help}");
    repo.put(OWN, TABLE, &[]).works();
}

#[test]
fn command_that_changes_a_design_of_other_work_is_reported() {
    let repo = with_own(TABLE);
    let event = |name: &str| {
        let input = json!({"command": "sed -i s/Plan/Mine/ docs/lld/active/LLD-8.md"});
        let mut payload = crate::common::agents::claude(&repo, "Bash", &input);
        payload["hook_event_name"] = name.into();
        hook(&repo, "claude", payload.to_string())
    };
    event("PreToolUse").exits(0);
    repo.write(OTHER, TABLE.replace("Plan", "Mine"));
    event("PostToolUse").says("is a design of other work");
}
