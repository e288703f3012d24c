//! The tools of agents: patches in every form, texts whatever line endings a file has, and tools that change nothing here.

use serde_json::{Value, json};

use crate::common::agents::{Answered, LOG, call, codex, edit, hook, payload, repo};
use crate::common::{Output, Repo, lines};

fn diff(repo: &Repo, tool: &str, diff: &str) -> Output {
    call(repo, tool, &json!({ "patch": diff }))
}

#[test]
fn a_unified_diff_is_judged_as_the_changes_of_its_files() {
    let repo = repo();
    let granted =
        "--- a/src/log.py\n+++ b/src/log.py\n@@ -1,2 +1,2 @@\n-import sys\n+import os\n \n";
    let new = "--- /dev/null\n+++ b/src/utils/lld.py\n@@ -0,0 +1 @@\n+new = 1\n";
    let gone = "--- a/src/other.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x = 1\n";
    let stale = "--- a/src/log.py\n+++ b/src/log.py\n@@ -1 +1 @@\n-no such line\n+import os\n";
    let moved = "diff --git a/src/log.py b/src/core/log.py\nsimilarity index 100%\n\
        rename from src/log.py\nrename to src/core/log.py\n";
    let removed: String = lines(1..=200)
        .lines()
        .map(|line| format!("-{line}\n"))
        .collect();
    let replaced =
        format!("--- a/src/state.py\n+++ b/src/state.py\n@@ -1,200 +1 @@\n{removed}+x\n");
    for tool in [
        "apply_patch",
        "patch",
        "mcp__files__apply_patch",
        "mcp__files__git_apply_diff",
    ] {
        diff(&repo, tool, granted).passes();
        diff(&repo, tool, &format!("{granted}{new}")).passes();
        for (refused, part) in [
            (gone, "src/other.py"),
            (&format!("{granted}{gone}"), "src/other.py"),
            (stale, "the lines of chunk 1 are not in the file"),
            (moved, "src/core/log.py"),
            (&replaced, "loses 200 of 200 lines"),
            (
                "--- a/src/log.py\n+++ b/src/log.py\nBinary files differ\n",
                "unexpected line",
            ),
        ] {
            diff(&repo, tool, refused).answers(part);
        }
    }
    // A second argument may say where it applies.
    let elsewhere = json!({ "patch": granted, "strip": 2 });
    call(&repo, "mcp__files__apply_patch", &elsewhere).answers("does not know the tool");
    // A comment may quote a diff.
    let comment = json!({ "body": gone });
    call(&repo, "mcp__tracker__comment", &comment).passes();
}

#[test]
fn a_patch_is_judged_as_a_whole() {
    let repo = repo();
    let patch = |stale: &str| {
        format!(
            "*** Begin Patch\n*** Add File: src/utils/lld.py\n+x\n\
             *** Update File: src/log.py\n@@\n-{stale}\n+import os\n*** End Patch\n"
        )
    };
    hook(
        &repo,
        "codex",
        codex(&repo, &patch("import sys")).to_string(),
    )
    .passes();
    hook(
        &repo,
        "codex",
        codex(&repo, &patch("import io")).to_string(),
    )
    .answers("chunk 1");
}

#[test]
fn lines_are_found_whatever_line_endings_the_file_has() {
    let repo = repo();
    for content in [
        "import sys\r\n\r\nlevel = 1\r\nend\r\n",
        "import sys\n\r\nlevel = 1\r\nend\n",
    ] {
        repo.write(LOG, content);
        let patch = "*** Begin Patch\n*** Update File: src/log.py\n@@ import sys\n \n-level = 1\n\
            +level = 2\n end\n*** End of File\n*** End Patch\n";
        hook(&repo, "codex", codex(&repo, patch).to_string()).passes();
        edit(&repo, LOG, "sys\n\nlevel", "os\n\nlevel", false).passes();
        edit(&repo, LOG, "sys\r\n\r\nlevel", "os\r\nlevel", false).passes();
        edit(&repo, LOG, "sys\n\n\nlevel", "os", false).answers("not in the file");
        let found = repo.guard(&["patch", LOG, "--search", "1\nend", "--replace", "2\nend"]);
        found.exits(0);
        let expected = content.replace("level = 1", "level = 2");
        assert_eq!(repo.text(LOG), expected);
    }
}

#[test]
fn a_tool_that_works_elsewhere_is_not_denied() {
    let repo = repo();
    for (tool, input) in [
        (
            "github_create_or_update_file",
            json!({ "owner": "o", "repo": "r", "path": "src/other.py", "content": "x" }),
        ),
        (
            "mcp__gitlab__create_or_update_file",
            json!({ "project_id": "7", "file_path": "src/other.py", "content": "x" }),
        ),
        (
            "github_delete_file",
            json!({ "owner": "o", "repo": "r", "path": "src/other.py" }),
        ),
    ] {
        call(&repo, tool, &input).passes();
        let mut here: Value = input;
        for key in ["owner", "project_id"] {
            here.as_object_mut().unwrap().remove(key);
        }
        call(&repo, tool, &here).answers("does not know the tool");
    }
}

/// `guard mcp` judges each call itself, and asks the person about what it holds.
#[test]
fn tools_of_guards_own_server_pass() {
    let repo = repo();
    let held = json!({ "path": "src/state.py", "content": "x\n" });
    for tool in [
        "mcp__guard__write_file",
        "guard_write_file",
        "guard-write_file",
    ] {
        call(&repo, tool, &held).passes();
        let sent = payload(&repo, "opencode", tool, &held).to_string();
        hook(&repo, "opencode", sent).exits(0);
    }
    for other in [
        "mcp__guards__write_file",
        "guard_write_all_files",
        "my_guard_write_file",
    ] {
        call(&repo, other, &held).answers("does not know the tool");
    }
}
