//! What an agent may do without a row: read, and write where nothing is kept.

use crate::common::system::{self, symlink};
use std::fs;
use std::path::Path;

use crate::common::agents::{LOG, absolute, call, claude, codex, hook, repo};
use crate::common::{GUARD, Output, Repo, SETTINGS, run_with_input};
use serde_json::json;

/// The repository, with a directory for temporary files beside it.
fn with_temporary() -> Repo {
    let repo = repo();
    fs::create_dir_all(repo.path("../temporary")).unwrap();
    repo
}

/// Writes with this directory for temporary files.
fn write(repo: &Repo, path: &str, temporary: &Path) -> Output {
    let payload = claude(repo, "Write", &json!({"file_path": path, "content": "x\n"}));
    let mut guard = repo.command(GUARD);
    system::set_temporary(&mut guard, temporary).args(["hook", "claude"]);
    run_with_input(&mut guard, payload.to_string().as_bytes())
}

#[track_caller]
fn assert_answers(repo: &Repo, path: &str, code: i32) {
    let output = write(repo, path, &repo.path("../temporary"));
    assert_eq!(output.code, code, "{path}: {output:?}");
}

#[test]
fn temporary_files_need_no_row_and_no_design() {
    let repo = with_temporary();
    let temporary = system::real(repo.path("../temporary"));
    let scratch = format!("{}/deep/scratch.py", temporary.display());
    assert_answers(&repo, &scratch, 0);
    repo.branch("189-no-design");
    assert_answers(&repo, &scratch, 0);
    // A link leads elsewhere, and a repository there has rules of its own.
    symlink(&repo.root, temporary.join("link")).unwrap();
    symlink(repo.path("src/other.py"), temporary.join("file.py")).unwrap();
    symlink("/nowhere/at/all", temporary.join("dangling")).unwrap();
    fs::create_dir_all(temporary.join("clone/.git")).unwrap();
    let paths = "link/src/other.py file.py dangling clone/a.py \
        clone/.git/config deep/../../stray.py ../stray.py";
    for path in paths.split(' ') {
        assert_answers(&repo, &format!("{}/{path}", temporary.display()), 2);
    }
    // Nor is the work tree scratch where it lies below the temporary directory.
    let inside = absolute(&repo, "src/other.py");
    assert_eq!(write(&repo, &inside, repo.root.parent().unwrap()).code, 2);
}

#[test]
fn own_directory_of_an_agent_is_free_but_for_what_switches_its_hooks() {
    let repo = with_temporary();
    let directory = system::real(repo.home());
    let home = |path: &str| directory.join(path).to_str().unwrap().to_owned();
    let frees = ".claude/plans/a-plan.md \
        .claude/projects/p/memory/MEMORY.md .codex/memories/a.md .gemini/GEMINI.md";
    for free in frees.split(' ') {
        fs::create_dir_all(repo.home().join(free).parent().unwrap()).unwrap();
        assert_answers(&repo, &home(free), 0);
    }
    let switchs = ".claude/settings.json .claude/settings.local.JSON .claude/plugins/p/hooks/hooks.json \
        .codex/config.toml .codex/hooks.json .config/opencode/plugins/guard.js .bashrc .claude.json";
    for switch in switchs.split(' ') {
        assert_answers(&repo, &home(switch), 2);
    }
}

#[test]
fn ignored_files_are_free_but_for_secrets_and_switches() {
    let repo = with_temporary();
    let ignored = "*.out\n/target/\n.env.local\n.claude/settings.local.json\nlefthook-local.yml\nguard.toml\n.guard/\n";
    repo.stage(".gitignore", ignored);
    repo.commit("Ignore what is built");
    repo.write("src/forced.out", "x\n");
    repo.git(&["add", "--force", "src/forced.out"]);
    repo.commit("Track an ignored file");
    for free in ["src/run.out", "target/debug/deep/a.json"] {
        assert_answers(&repo, &absolute(&repo, free), 0);
    }
    repo.branch("189-no-design");
    assert_answers(&repo, &absolute(&repo, "src/run.out"), 0);
    let refuseds = ".env.local .claude/settings.local.json \
        lefthook-local.yml guard.toml .guard/notes src/forced.out src/new.py";
    for refused in refuseds.split(' ') {
        assert_answers(&repo, &absolute(&repo, refused), 2);
    }
}

#[test]
fn reads_count_only_where_the_settings_say_what_may_be_read() {
    let repo = repo();
    let outside = "/etc/passwd";
    let reads = |path: &str| call(&repo, "Read", &json!({"file_path": path})).code;
    assert_eq!((reads(outside), reads(&absolute(&repo, ".env"))), (0, 0));
    for (setting, expected) in [
        ("read = [\"src\"]", (2, 2)),
        ("secrets = [\"*.key\"]", (2, 0)),
    ] {
        repo.stage("guard.toml", format!("{SETTINGS}[workspace]\n{setting}\n"));
        repo.commit("Say what may be read");
        let codes = (reads(outside), reads(&absolute(&repo, ".env")));
        assert_eq!(codes, expected, "{setting}");
    }
    // What nobody may change may be read, ignored or not.
    repo.stage(".gitignore", "kept/\n");
    let protect = "[scope]\nprotect = [\"kept/**\", \"src/*.pem\"]\n";
    repo.stage("guard.toml", format!("{SETTINGS}{protect}"));
    repo.commit("Protect files");
    for path in ["kept/a", "src/a.pem"] {
        assert_eq!(reads(&absolute(&repo, path)), 0, "{path}");
        let changed = json!({"file_path": absolute(&repo, path), "content": "x\n"});
        assert_eq!(call(&repo, "Write", &changed).code, 2, "{path}");
    }
}

#[test]
fn a_file_that_the_agent_made_may_go_again() {
    let repo = repo();
    let delete = |path: &str| {
        let patch = format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n");
        hook(&repo, "codex", codex(&repo, &patch).to_string())
    };
    repo.write("src/utils/lld.py", "x = 1\n".repeat(300));
    assert_eq!(delete("src/utils/lld.py").code, 0);
    // HEAD has it, or no row lets it be added.
    repo.write("src/stray.py", "x = 1\n");
    for path in [LOG, "src/other.py", "src/stray.py"] {
        assert_eq!(delete(path).code, 2, "{path}");
    }
    repo.git(&["add", "src/utils/lld.py"]);
    repo.commit("Add it");
    assert_eq!(delete("src/utils/lld.py").code, 2);
}
