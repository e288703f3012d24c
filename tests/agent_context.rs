//! What the model is told about the scope, before its first write.

use crate::common::agents::{Answered, absolute, claude, hook, repo, write};
use crate::common::{DESIGN, Output, Repo, SETTINGS, assert_says, run, table};
use serde_json::{Value, json};

/// What each agent sends at the start of a session and with a prompt (older settings call guard then), and where it reads the
/// context.
const AGENTS: &str = "\
    claude | SessionStart | UserPromptSubmit | /hookSpecificOutput/additionalContext
    codex | SessionStart | UserPromptSubmit | /hookSpecificOutput/additionalContext
    gemini | SessionStart | BeforeAgent | /hookSpecificOutput/additionalContext
    vscode | SessionStart | - | /hookSpecificOutput/additionalContext
    cursor | sessionStart | - | /additional_context
    opencode | session.created | - | /report
    copilot | source | prompt | /additionalContext";

fn send(repo: &Repo, agent: &str, event: &str) -> Output {
    let mut payload = match agent {
        "copilot" => json!({"sessionId": "s", "timestamp": 1, "cwd": repo.root, event: "x"}),
        "vscode" => json!({"sessionId": "s", "cwd": repo.root, "hookEventName": event}),
        "cursor" => json!({
            "conversation_id": "s", "generation_id": "g", "cursor_version": "3", "hook_event_name": event,
            "workspace_roots": [repo.root],
        }),
        "opencode" => json!({"session": "s", "cwd": repo.root, "hook_event_name": event}),
        _ => json!({"session_id": "s", "cwd": repo.root, "hook_event_name": event}),
    };
    if agent == "codex" {
        payload["turn_id"] = "t".into();
        payload["model"] = "m".into();
    }
    let output = hook(repo, agent, payload.to_string());
    assert_eq!(output.stderr, "", "{agent} {event}");
    output.exits(0)
}

/// The context that an agent gets; empty if there is none.
fn told(repo: &Repo, agent: &str, event: &str) -> String {
    let [.., pointer] = table::<4>(AGENTS)
        .find(|[name, ..]| *name == agent)
        .unwrap();
    let output = send(repo, agent, event);
    let answer: Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    let text = answer.pointer(pointer).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

#[test]
fn every_agent_learns_the_scope_at_the_start_of_a_session() {
    for [agent, start, prompt, _] in table(AGENTS) {
        let repo = repo();
        let text = told(&repo, agent, start);
        let row = "- src/log.py  # modify: logging\n";
        assert_says(&text, &["You may change only these files", row]);
        // After a compaction the session starts anew.
        assert_eq!(told(&repo, agent, start), text, "{agent}");
        repo.design(DESIGN, &[("src/more.py", "Add", "more")]);
        repo.commit("Amend the design");
        if prompt != "-" {
            assert_eq!(told(&repo, agent, prompt), "", "{agent}");
        }
        let text = told(&repo, agent, start);
        assert_says(&text, &["- src/more.py  # add: more\n"]);
    }
}

#[test]
fn branch_without_a_design_says_what_to_ask_the_user() {
    let repo = repo();
    repo.branch("189-other");
    let text = told(&repo, "claude", "SessionStart");
    let parts = ["no design for issue 189", "ask the user", "guard scope new"];
    assert_says(&text, &parts);
    // It may also write the design itself.
    let own = "write the plan to `docs/lld/active/LLD-{issue}.md`";
    assert_says(&text, &[own, "commit it before"]);
    // Standing rows hold on every branch.
    let settings = format!("{SETTINGS}standing = \"docs/lld/standing.md\"\n");
    repo.stage("guard.toml", settings);
    let rows = [("CHANGELOG.md", "Add/Modify", "what changed")];
    repo.design("docs/lld/standing.md", &rows);
    repo.commit("Let everyone write the change log");
    let text = told(&repo, "claude", "SessionStart");
    let standing = "allowed on every branch (from docs/lld/standing.md):\n- CHANGELOG.md  # ";
    assert_says(&text, &[standing, "ask the user", "guard scope new"]);
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.git(&["merge", "--quiet", "189-other"]);
    let text = told(&repo, "claude", "SessionStart");
    let (own, others) = text.split_once("\nAllowed on every branch").unwrap();
    assert_says(own, &["- src/log.py"]);
    assert_says(others, &["- CHANGELOG.md"]);
    assert!(!text.contains("guard scope new"), "{text}");
}

#[test]
fn nothing_is_said_where_no_scope_applies() {
    let repo = Repo::open();
    assert_eq!(send(&repo, "claude", "SessionStart").stdout, "");
    std::fs::remove_dir_all(repo.path(".git")).unwrap();
    assert_eq!(send(&repo, "claude", "SessionStart").stdout, "");
}

/// `claude --worktree NAME` makes a branch `worktree-NAME` beside the one where the person works.
#[test]
fn work_tree_of_an_agent_inherits_the_design_of_the_branch_that_it_was_made_from() {
    let repo = repo();
    let linked = repo.path(".claude/worktrees/trial");
    let linked = linked.to_str().unwrap();
    repo.git(&["worktree", "add", "--quiet", "-b", "worktree-trial", linked]);
    let check = |path: &str| repo.guard(&["-C", linked, "check", path]).code;
    assert_eq!((check("src/log.py"), check("src/other.py")), (0, 1));
    // What a person chose for the branch counts.
    let design = "docs/lld/active/LLD-189.md";
    repo.design(design, &[("src/other.py", "Modify", "x")]);
    repo.commit("Add a design");
    repo.git(&["-C", linked, "merge", "--quiet", "188-work"]);
    repo.git(&["config", "branch.worktree-trial.guardDesign", design]);
    assert_eq!((check("src/log.py"), check("src/other.py")), (1, 0));
    // Other names are the person's own.
    repo.git(&["-C", linked, "switch", "--quiet", "-c", "other"]);
    assert_eq!(check("src/log.py"), 2);
}

#[test]
fn work_tree_of_an_agent_keeps_its_design_when_the_person_goes_to_another_branch() {
    let repo = repo();
    let linked = repo.path(".claude/worktrees/trial");
    let linked = linked.to_str().unwrap();
    repo.git(&["worktree", "add", "--quiet", "-b", "worktree-trial", linked]);
    for (name, date) in [("other", "2031-01-01"), ("another", "2032-01-01")] {
        let mut git = repo.command("git");
        git.env("GIT_COMMITTER_DATE", format!("{date}T00:00:00Z"));
        run(git.args(["switch", "--quiet", "--create", name])).exits(0);
        let check = |path: &str| repo.guard(&["-C", linked, "check", path]).code;
        assert_eq!(
            (check("src/log.py"), check("src/other.py")),
            (0, 1),
            "{name}"
        );
    }
}

#[test]
fn next_session_reads_what_was_refused_and_where_it_belongs() {
    let repo = repo();
    assert!(!told(&repo, "claude", "SessionStart").contains("Refused"));
    write(&repo, "src/core/lld.py", "x = 1\n").denies();
    let text = told(&repo, "claude", "SessionStart");
    let part = "Refused on this branch before: src/core/lld.py (use src/utils/lld.py). Do not";
    assert_says(&text, &[part]);
    // Once, and only what is about the scope.
    write(&repo, "src/core/lld.py", "x = 2\n").denies();
    write(&repo, ".env", "KEY=1\n").denies();
    let text = told(&repo, "claude", "SessionStart");
    assert_says(&text, &[part]);
    for n in 0..12 {
        write(&repo, &format!("lib/more_{n}.py"), "x = 1\n").denies();
    }
    let text = told(&repo, "claude", "SessionStart");
    let (_, refused) = text.split_once("Refused on this branch before: ").unwrap();
    assert_eq!(refused.matches("lib/more_").count(), 10, "{text}");
    // What a row allows by now is no refusal any more.
    repo.design(
        DESIGN,
        &[("lib/", "Add", "more"), ("src/core/*.py", "Add", "more")],
    );
    repo.commit("Extend the design");
    assert!(!told(&repo, "claude", "SessionStart").contains("Refused"));
}

#[test]
fn next_session_reads_nothing_of_what_another_branch_was_refused() {
    let repo = repo();
    let settings = format!("{SETTINGS}standing = \"docs/lld/standing.md\"\n");
    repo.stage("guard.toml", settings);
    repo.design(
        "docs/lld/standing.md",
        &[("CHANGELOG.md", "Add/Modify", "changes")],
    );
    repo.commit("Let everyone write the change log");
    write(&repo, "src/core/lld.py", "x = 1\n").denies();
    assert_says(&told(&repo, "claude", "SessionStart"), &["src/core/lld.py"]);
    repo.branch("189-other");
    repo.design(
        "docs/lld/active/LLD-189.md",
        &[("src/log.py", "Modify", "x")],
    );
    repo.commit("Add another design");
    assert!(!told(&repo, "claude", "SessionStart").contains("Refused"));
}

/// What Claude Code reads after it has written this text.
fn told_after_write(repo: &Repo, path: &str, text: &str) -> String {
    repo.write(path, text);
    let input = json!({"file_path": absolute(repo, path), "content": text});
    let mut payload = claude(repo, "Write", &input);
    payload["hook_event_name"] = "PostToolUse".into();
    let output = hook(repo, "claude", payload.to_string()).exits(0);
    let answer: Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str();
    text.unwrap_or_default().to_owned()
}

#[test]
fn plan_that_an_agent_wrote_without_rows_is_answered_with_rows_to_copy() {
    let repo = repo();
    repo.branch("189-other");
    let plan = "docs/lld/active/LLD-189.md";
    let no_row =
        "docs/lld/active/LLD-189.md has no row that guard can read, so it allows no change";
    let copy = "Copy the rows that the work needs to its end, and correct their types:\n\n";
    for (text, parts) in [
        (
            "Text.",
            &[no_row, "End it with a section Files Changed"][..],
        ),
        (
            "Change `src/log.py`, and create `src/new.py`.",
            &[
                no_row,
                copy,
                "| `src/log.py` | Modify |",
                "| `src/new.py` | Add |",
            ],
        ),
        (
            "Change `src/log.py`.\n\nDo not modify `src/state.py`.",
            &[
                copy,
                "| `src/log.py` | Modify |",
                "Not proposed, since line 5 says: src/state.py: Do not modify",
            ],
        ),
    ] {
        let told = told_after_write(&repo, plan, &format!("# Plan\n\n{text}\n"));
        assert_says(&told, parts);
    }
    // Nothing is missing, or it is no plan.
    let rows = "# Plan\n\n## Files Changed\n\n- Modify: `src/log.py`\n";
    assert_eq!(told_after_write(&repo, plan, rows), "");
    assert_eq!(told_after_write(&repo, "docs/notes.md", "# Notes\n"), "");
}
