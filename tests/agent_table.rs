//! The lines of the table of what guard says about an agent's command, each with what stands beside it.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::agent_observe::copy_of;
use crate::common::agents::{Answered, absolute, claude, hook};
use crate::common::{DESIGN, Output, Repo, assert_says, lines, run};

/// A session in a repository, whose directory may be another.
struct Session {
    repo: Repo,
    cwd: String,
    project: Option<String>,
    calls: usize,
}

impl Session {
    fn of(repo: Repo) -> Session {
        let cwd = repo.root.to_str().unwrap().to_owned();
        let (project, calls) = (None, 0);
        Session {
            repo,
            cwd,
            project,
            calls,
        }
    }

    fn send(&self, event: &str, tool: &str, input: &Value) -> Output {
        let mut payload = claude(&self.repo, tool, input);
        payload["hook_event_name"] = event.into();
        payload["cwd"] = self.cwd.as_str().into();
        payload["tool_use_id"] = format!("c{}", self.calls).into();
        let mut guard = self.repo.command(crate::common::GUARD);
        guard.args(["hook", "claude"]);
        if let Some(project) = &self.project {
            guard.env("CLAUDE_PROJECT_DIR", project);
        }
        crate::common::run_with_input(&mut guard, payload.to_string().as_bytes())
    }

    /// Runs a command of the agent. The answer is what guard told.
    fn call(&mut self, command: &str) -> String {
        self.calls += 1;
        let input = json!({"command": command});
        self.send("PreToolUse", "Bash", &input).passes();
        self.by_hand(command);
        told(&self.send("PostToolUse", "Bash", &input))
    }

    fn by_hand(&self, command: &str) -> Output {
        let mut shell = self.repo.with_guard_on_path("bash");
        let directory = std::path::Path::new(&self.cwd);
        if directory.is_dir() {
            shell.current_dir(directory);
        }
        run(shell.arg("-c").arg(command))
    }

    /// Runs the command that a text names.
    fn follow(&self, text: &str) -> Output {
        let line = text
            .lines()
            .find(|line| line.contains("guard snapshot restore "));
        let line = line.unwrap_or_else(|| panic!("no restore in {text:?}"));
        let start = line.find("guard snapshot restore ").unwrap();
        self.by_hand(&line[start..])
    }
}

/// The texts of an answer, those for a person too; empty if guard says nothing.
fn told(output: &Output) -> String {
    assert_eq!(output.code, 0, "{output:?}");
    let answer: Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    let texts = [
        &answer["reason"],
        &answer["hookSpecificOutput"]["additionalContext"],
        &answer["systemMessage"],
    ];
    let texts: Vec<&str> = texts.iter().filter_map(|text| text.as_str()).collect();
    texts.join("\n")
}

fn template() -> Repo {
    let repo = Repo::nothing_in_memory().initialized(&[]);
    repo.git(&["config", "user.name", "A"]);
    repo.git(&["config", "user.email", "a@example.com"]);
    repo.stage("src/a.py", lines(1..=300));
    repo.stage("src/b.py", lines(1..=300));
    repo.design("docs/lld/active/LLD-3.md", &[("src/b.py", "Modify", "")]);
    repo.govern(&[("src/a.py", "Modify", ""), ("src/new.py", "Add", "")]);
    repo
}

/// Commits content on a branch of the person, and returns to the work.
fn on_branch(repo: &Repo, name: &str) -> String {
    repo.git(&["switch", "--quiet", "--create", name]);
    repo.stage("src/w.py", lines(5001..=5040));
    let commit = repo.commit("Work of the person");
    repo.git(&["switch", "--quiet", "188-work"]);
    commit
}

const GC: &str = "git reflog expire --expire=now --all; git gc -q --prune=now";

#[test]
fn commits_and_stashes_of_others_are_told_and_come_back_after_gc() {
    let template = template();
    for (ready, command, word, check) in [
        (
            "",
            "git branch -q -D wip",
            "wip",
            "git cat-file -e wip:src/w.py",
        ),
        (
            "git tag kept wip; git branch -q -D wip",
            "git tag -d kept",
            "kept",
            "git cat-file -e kept:src/w.py",
        ),
        (
            "git tag -a -m x kept wip; git branch -q -D wip",
            "git tag -d kept",
            "kept",
            "git cat-file -e kept:src/w.py && test $(git cat-file -t kept) = tag",
        ),
        (
            "git update-ref refs/kept/x wip; git branch -q -D wip",
            "git update-ref -d refs/kept/x",
            "kept/x",
            "git cat-file -e refs/kept/x:src/w.py",
        ),
        (
            "git switch -q wip",
            "git reset -q --hard HEAD~1",
            "wip",
            "test -s src/w.py && git diff --quiet HEAD",
        ),
        (
            "git switch -q wip",
            "git checkout -q -B wip 188-work",
            "wip",
            "git cat-file -e wip:src/w.py",
        ),
        (
            "echo mine >> src/a.py; git stash -q",
            "git stash drop -q",
            "stash",
            "git stash show -p | grep -q mine",
        ),
        (
            "echo one >> src/a.py; git stash -q; echo two >> src/b.py; git stash -q",
            "git stash drop -q stash@{1}",
            "stash",
            "git stash list | grep -c . | grep -qx 2",
        ),
        (
            "echo one >> src/a.py; git stash -q; echo two >> src/b.py; git stash -q",
            "git stash clear",
            "stash",
            "git stash list | grep -c . | grep -qx 2",
        ),
        (
            "echo mine > notes.txt; git stash -q -u",
            "git stash drop -q",
            "notes.txt",
            "git stash pop -q && grep -q mine notes.txt",
        ),
    ] {
        // Expiring the logs would forget the other stashes.
        let gc = if ready.contains("stash") {
            "git gc -q --prune=now"
        } else {
            GC
        };
        for gc in ["true", gc] {
            let mut session = Session::of(copy_of(&template));
            on_branch(&session.repo, "wip");
            session.by_hand(ready);
            assert_eq!(session.call("true"), "");
            let text = session.call(&format!("{command}; {gc}"));
            let parts = [
                "which this session did not make",
                word,
                "the agent's command",
            ];
            assert_says(&text, &parts);
            session.follow(&text).exits(0);
            let is_back = session.by_hand(check);
            assert_eq!(is_back.code, 0, "{ready}; {command}; {gc}: {text}");
            let text = session.call("true");
            assert!(!text.contains("did not make"), "{command}: {text}");
        }
    }
}

/// A stash has what was staged twice: for the index and for the work tree.
#[test]
fn a_lost_stash_is_told_with_each_of_its_files_once() {
    let mut session = Session::of(copy_of(&template()));
    session.by_hand(
        "echo one >> src/a.py; git add src/a.py; echo two >> src/b.py; echo x > notes.txt",
    );
    session.by_hand("git stash -q -u");
    assert_eq!(session.call("true"), "");
    let text = session.call("git stash drop -q");
    assert_says(&text, &["with src/a.py, src/b.py, notes.txt"]);
}

#[test]
fn lost_commits_are_listed_until_they_are_pruned() {
    let mut session = Session::of(copy_of(&template()));
    let commit = on_branch(&session.repo, "wip");
    assert_eq!(session.call("true"), "");
    session.call("git branch -q -D wip");
    let repo = &session.repo;
    let listed = || repo.json(&["snapshot", "list"])["lost_commits"].clone();
    let line = format!("git branch NAME {}", &commit[..12]);
    repo.tells("snapshot list", 0, &line);
    repo.guard(&["snapshot", "prune"]).exits(0);
    assert_eq!(listed()[0]["commit"], commit);
    let settings = repo.text("guard.toml");
    repo.stage(
        "guard.toml",
        format!("{settings}[snapshots]\nkeep = \"0d\"\n"),
    );
    repo.commit("Keep nothing");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    repo.guard(&["snapshot", "prune"]).exits(0);
    assert_eq!(listed(), json!([]));
}

/// The directory of the notes of sessions in the user's cache.
fn sessions(repo: &Repo) -> PathBuf {
    let stores = fs::read_dir(repo.home().join(".cache/guard")).unwrap();
    let mut places = stores.map(|store| store.unwrap().path().join("sessions"));
    places.find(|place| place.is_dir()).unwrap()
}

#[test]
fn a_session_without_a_call_for_a_day_is_forgotten() {
    let mut session = Session::of(copy_of(&template()));
    session.call("true");
    let place = sessions(&session.repo);
    for (name, hours) in [("young", 23), ("old", 25)] {
        fs::write(place.join(name), "{}").unwrap();
        let file = fs::File::options().append(true).open(place.join(name));
        let then = SystemTime::now() - Duration::from_secs(hours * 60 * 60);
        file.unwrap().set_modified(then).unwrap();
    }
    session.call("true");
    assert!(place.join("young").exists());
    assert!(!place.join("old").exists());
}

#[test]
fn notes_of_a_session_outlive_a_guard_that_is_killed_while_it_keeps_them() {
    // In part, before there were any.
    let mut session = Session::of(copy_of(&template()));
    session.call("true");
    let place = sessions(&session.repo);
    let notes = fs::read_dir(&place).unwrap().next().unwrap();
    let notes = notes.unwrap().path();
    let new = notes.with_extension("new");
    fs::remove_file(&notes).unwrap();
    fs::remove_file(session.repo.path(".git/guard/observed")).unwrap();
    fs::write(&new, "{\"first\":").unwrap();
    session.by_hand("seq 1 40 > notes.txt");
    assert_eq!(session.call("true"), "");
    assert!(notes.exists() && !new.exists());
    // All of them, when the old ones were gone already.
    fs::rename(&notes, &new).unwrap();
    let text = session.call("rm notes.txt");
    assert_says(&text, &["which this session did not make", "notes.txt"]);
    session.follow(&text).exits(0);
    assert!(session.repo.path("notes.txt").exists());
    assert!(notes.exists() && !new.exists());
}

#[test]
fn what_only_the_index_had_comes_back_after_gc() {
    let mut session = Session::of(copy_of(&template()));
    session.by_hand("seq 1 40 > notes.txt; git add notes.txt; rm notes.txt");
    assert_eq!(session.call("true"), "");
    let text = session.call("git reset -q; git gc -q --prune=now");
    assert_says(&text, &["which this session did not make", "notes.txt"]);
    session.follow(&text).exits(0);
    let is_back = session.by_hand("test $(git show :notes.txt | grep -c .) = 40");
    assert_eq!(is_back.code, 0, "{text}");
}

#[test]
fn commits_whose_content_is_still_there_are_not_lost() {
    let template = template();
    for command in [
        "git branch -q -d merged",
        "git branch -q copy wip; git branch -q -D wip",
        "git switch -q wip; git commit -q --amend -m Reworded --no-verify",
        "git switch -q wip; git reset -q --soft HEAD~1",
        "git switch -q wip; git rebase -q main",
        "git stash pop -q",
        "git branch -q -m wip other",
    ] {
        let mut session = Session::of(copy_of(&template));
        let repo = &session.repo;
        on_branch(repo, "wip");
        repo.git(&["branch", "merged", "188-work"]);
        repo.on_main("src/main.py", "main = 1\n");
        session.by_hand("echo mine >> src/a.py; git stash -q");
        assert_eq!(session.call("true"), "");
        let text = session.call(command);
        assert!(!text.contains("did not make"), "{command}: {text}");
    }
}

#[test]
fn what_guard_keeps_is_watched() {
    let template = template();
    let delete = |refs: &str| {
        format!("git for-each-ref --format='delete %(refname)' {refs} | git update-ref --stdin")
    };
    for (command, word) in [
        ("rm -rf .git/guard".to_owned(), "guard's log"),
        ("rm .git/guard/log.jsonl".to_owned(), "guard's log"),
        ("sed -i 1d .git/guard/log.jsonl".to_owned(), "guard's log"),
        (delete("refs/guard/snapshots"), "snapshots"),
        (
            "git update-ref refs/guard/snapshots HEAD".to_owned(),
            "snapshots",
        ),
        (delete("refs/guard/checkpoints"), "checkpoints"),
        (
            "git config submodule.x.update '!touch /nowhere'".to_owned(),
            "submodule.x.update",
        ),
        (
            "git config remote.x.uploadpack /nowhere".to_owned(),
            "remote.x.uploadpack",
        ),
        ("echo exit 0 > .git/hooks/pre-push".to_owned(), "pre-push"),
        (
            "d=.clau; mkdir ${d}de; echo '{\"hooks\": 1}' > ${d}de/settings.json".to_owned(),
            "settings.json",
        ),
    ] {
        let mut session = Session::of(copy_of(&template));
        fs::create_dir_all(session.repo.path(".git/hooks")).unwrap();
        session.by_hand("echo x | guard write src/a.py --strategy append");
        assert_eq!(
            session.call("echo x | guard write src/a.py --strategy append"),
            ""
        );
        let text = session.call(&command);
        assert_says(&text, &[word, "hooks may be off now"]);
    }
    // What guard itself does with them is no loss.
    let mut session = Session::of(copy_of(&template));
    for command in [
        "echo x | guard write src/a.py --strategy append",
        "guard snapshot prune",
        "git gc -q",
        "git config submodule.x.update rebase",
    ] {
        assert_eq!(session.call(command), "", "{command}");
    }
}

#[test]
fn only_what_a_remote_of_the_beginning_has_is_fetched() {
    let template = template();
    template.git(&["init", "--quiet", "--bare", "../origin.git"]);
    template.git(&["remote", "add", "origin", "../origin.git"]);
    template.git(&["push", "--quiet", "origin", "188-work", "main"]);
    let others = "git clone -q -b 188-work ../origin.git ../theirs; cd ../theirs; git config user.name B; git config user.email b@example.com; echo x > theirs.py; git add .; git commit -qm Theirs; git push -q origin 188-work";
    let evil = "echo x > evil.py; git add .; git -c core.hooksPath=/dev/null commit -qm x";
    for (before, command, is_reported) in [
        (others, "git pull -q --ff-only origin 188-work", false),
        (others, "git fetch -q; git merge -q origin/188-work", false),
        (
            others,
            "git fetch -q; git switch -q -c theirs origin/188-work",
            false,
        ),
        (
            "true",
            "echo x > evil.py; git add .; GIT_REFLOG_ACTION=fetch git -c core.hooksPath=/dev/null commit -qm x",
            true,
        ),
        (
            "true",
            "echo x > evil.py; git add .; git update-ref -m 'fetch origin: fast-forward' refs/heads/188-work $(git commit-tree -p HEAD -m x $(git write-tree))",
            true,
        ),
        (
            &format!(
                "git clone -q . ../c; cd ../c; git config user.name B; git config user.email b@example.com; {evil}"
            ),
            "git fetch -q ../c +188-work:188-fetched",
            true,
        ),
        (
            &format!(
                "git clone -q . ../c; cd ../c; git config user.name B; git config user.email b@example.com; {evil}"
            ),
            "git remote add c ../c; git fetch -q c; git merge -q c/188-work",
            true,
        ),
        (
            &format!(
                "git clone -q . ../c; cd ../c; git config user.name B; git config user.email b@example.com; {evil}"
            ),
            "git remote set-url origin ../c; git fetch -q origin; git merge -q origin/188-work",
            true,
        ),
    ] {
        let mut session = Session::of(copy_of(&template));
        session.by_hand("git remote set-url origin ../origin.git");
        assert_eq!(session.call("true"), "");
        session.by_hand(before);
        let text = session.call(command);
        assert_eq!(text.contains("commit "), is_reported, "{command}: {text}");
    }
}

#[test]
fn scope_that_an_own_act_widened_is_told_once_logged_and_shown() {
    let template = template();
    let row = "sed -i 's/`src.a.py`/`src\\/evil.py`, `src\\/a.py`/' docs/lld/active/LLD-188.md; git commit -qm design -- docs";
    for (command, row, design) in [
        ("git switch -q -c 3-x", "src/b.py (modify)", "LLD-3.md"),
        (row, "src/evil.py (modify)", "LLD-188.md"),
    ] {
        let mut session = Session::of(copy_of(&template));
        session.repo.git(&["config", "core.hooksPath", "/dev/null"]);
        let text = session.call(command);
        assert_says(&text, &["the scope in force", row, design]);
        // Both the agent and the person.
        assert_eq!(text.matches("the scope in force").count(), 2, "{text}");
        assert_eq!(session.call("true"), "");
        let status = session.repo.json(&["status"]);
        assert_says(&status["scope_changes"].to_string(), &[row]);
        session.repo.tells("status", 0, "scope    at ").says(row);
        let records = session.repo.records();
        assert!(records.iter().any(|one| one["event"] == "scope-changed"));
        let page = session.repo.path("../page.html");
        let page = page.to_str().unwrap();
        session
            .repo
            .guard(&["review", "main..HEAD", "--file", page]);
        let page = fs::read_to_string(page).unwrap();
        assert_says(&page, &["an agent changed the scope"]);
        // It is the scope of that branch only.
        session.by_hand("git switch -q main");
        let status = session.repo.json(&["status"]);
        assert_eq!(status["scope_changes"], json!([]));
    }
    // What a person switches between two calls is no act of the agent, and less is no more.
    let mut session = Session::of(copy_of(&template));
    assert_eq!(session.call("true"), "");
    session.by_hand("git switch -q -c 3-x");
    assert_eq!(session.call("true"), "");
    assert_eq!(session.call("git switch -q main"), "");
    let status = session.repo.json(&["status"]);
    assert_eq!(status["scope_changes"], json!([]));
}

#[test]
fn undo_takes_back_what_was_refused_and_can_itself_be_undone() {
    let mut session = Session::of(copy_of(&template()));
    let text = session.call(
        "echo good >> src/a.py; echo bad >> src/b.py; echo n > new.py; git add src/a.py new.py",
    );
    assert_says(&text, &["src/b.py", "new.py", "If your command did this"]);
    let undone = session.follow(&text).exits(0);
    let repo = &session.repo;
    assert!(
        repo.text("src/a.py").ends_with("good\n"),
        "allowed work stays"
    );
    assert!(!repo.text("src/b.py").contains("bad") && !repo.path("new.py").exists());
    assert_eq!(repo.git(&["diff", "--cached", "--name-only"]), "src/a.py");
    // By a command that guard names, a person gets it again.
    let again = undone.text();
    let again = again
        .lines()
        .find(|line| line.contains("if that was a mistake"))
        .unwrap();
    let (_, command) = again.split_once(": ").unwrap();
    let refused = session.by_hand(command).exits(1).text();
    let by_hand = refused
        .lines()
        .find_map(|line| line.split_once("by hand: "));
    session.by_hand(by_hand.unwrap().1).exits(0);
    assert!(
        session.repo.text("src/b.py").ends_with("bad\n") || session.repo.path("new.py").exists()
    );
}

#[test]
fn list_shows_what_each_call_changed() {
    let mut session = Session::of(copy_of(&template()));
    session.call("echo x >> src/a.py");
    session.call("ls");
    session.call("git checkout -q src/a.py");
    let list = session.repo.json(&["snapshot", "list"]);
    let calls = list["calls"].as_array().unwrap();
    let about: Vec<&str> = calls
        .iter()
        .map(|call| call["call"].as_str().unwrap())
        .collect();
    assert_eq!(
        about,
        ["Bash: git checkout -q src/a.py", "Bash: echo x >> src/a.py"]
    );
    assert_eq!(calls[0]["files"], json!(["src/a.py"]));
    let id = calls[0]["id"].as_str().unwrap();
    let shown = session
        .repo
        .guard(&["snapshot", "show", id, "src/a.py"])
        .exits(0);
    assert!(shown.stdout.ends_with("x\n"));
    session.repo.tells(
        "snapshot list",
        0,
        "before Bash: echo x >> src/a.py  src/a.py",
    );
}

#[test]
fn work_trees_of_an_agent() {
    let template = template();
    template.stage(".gitignore", ".claude/worktrees/\n");
    template.commit("Ignore the work trees of agents");
    let linked = ".claude/worktrees/x";
    let with = |branch: &str| {
        let repo = copy_of(&template);
        repo.git(&[
            "worktree", "add", "--quiet", "-b", branch, linked, "188-work",
        ]);
        let mut session = Session::of(repo);
        session.cwd = absolute(&session.repo, linked);
        session.project = Some(session.repo.root.to_str().unwrap().to_owned());
        session
    };
    // A write into the main checkout is denied by the file's name here, and a command's is told.
    let mut session = with("worktree-x");
    let input = json!({"file_path": absolute(&session.repo, "src/a.py"), "old_string": "line number 7\n", "new_string": "z\n"});
    let reason = session.send("PreToolUse", "Edit", &input).denies();
    assert_says(&reason, &[".claude/worktrees/x/src/a.py"]);
    let text = session.call(&format!(
        "echo leak > {}",
        absolute(&session.repo, "src/b.py")
    ));
    assert_says(&text, &["src/b.py"]);
    // The design of the branch that it was made from applies, whatever is switched to elsewhere.
    let mut session = with("worktree-y");
    session
        .repo
        .git(&["switch", "--quiet", "--create", "3-other"]);
    assert_eq!(
        session.call("echo x >> src/a.py; git commit -qam x --no-verify"),
        ""
    );
    session.by_hand("guard lint 188-work..HEAD").exits(0);
    let status = session.by_hand("guard status").text();
    assert_says(&status, &[DESIGN, "branch 188-work"]);
    assert_says(
        &session.call("echo x >> src/b.py"),
        &["src/b.py is not in the design"],
    );
    // Its folder is gone: the project is known.
    let mut session = with("worktree-z");
    session.cwd = absolute(&session.repo, "gone");
    assert_says(&session.call("echo x > stray.py"), &["stray.py"]);
    session.project = None;
    session.send("Stop", "Bash", &json!({})).passes();
}

#[test]
fn linked_work_tree_inside_the_work_tree_is_no_submodule() {
    let template = template();
    let linked = ".worktrees/tagging";
    let add = format!("git worktree add -q -b 188-tagging {linked} 188-work");
    let ignore = "mkdir -p .git/info && echo .worktrees/ >> .git/info/exclude";
    let nothing = "true".to_owned();
    for (by_person, by_agent) in [
        (&nothing, &format!("{ignore} && {add}")),
        (&ignore.to_owned(), &add),
        (&add, &ignore.to_owned()),
        (&add, &nothing),
        (&nothing, &add),
    ] {
        let mut session = Session::of(copy_of(&template));
        session.by_hand(by_person).exits(0);
        let text = session.call(by_agent);
        assert!(!text.contains(".worktrees"), "{by_agent}: {text}");
        session.send("Stop", "Bash", &json!({}));
        // Whether the agent reaches into it or works in it.
        let commit = "echo x >> src/a.py; git commit -qam x --no-verify";
        let root = session.cwd.clone();
        assert_eq!(session.call(&format!("cd {linked}; {commit}")), "");
        assert_eq!(session.call(&format!("echo x > {linked}/stray.py")), "");
        session.by_hand(&format!("rm {linked}/stray.py")).exits(0);
        session.project = Some(root);
        session.cwd = absolute(&session.repo, linked);
        assert_eq!(session.call(commit), "", "{by_person}; {by_agent}");
        session.send("Stop", "Bash", &json!({})).passes();
        let text = session.call("echo x >> src/b.py");
        assert_says(&text, &["src/b.py is not in the design"]);
        session.follow(&text).exits(0);
        session.cwd = session.project.take().unwrap();
        let remove = format!("git worktree remove {linked}");
        assert_eq!(session.call(&remove), "");
    }
    // A repository of its own is one, and so is a directory that only says that it is a work tree.
    let mut session = Session::of(copy_of(&template));
    session.by_hand(&add).exits(0);
    for nested in [
        "git clone -q . vendor",
        "mkdir vendor; cp .worktrees/tagging/.git vendor",
    ] {
        assert_says(&session.call(nested), &["[submodule-changed]"]);
        session.by_hand("rm -rf vendor");
    }
}

#[test]
fn repository_of_the_file_judges_where_a_session_has_several() {
    let one = template();
    let other = template();
    let above = Repo::nothing();
    for (name, repo) in [("one", &one), ("other", &other)] {
        let mut copy = above.command("cp");
        copy.arg("-a").arg(&repo.root).arg(above.path(name));
        run(&mut copy).exits(0);
    }
    let write = |file: &str| {
        let input = json!({"file_path": absolute(&above, file), "content": "x\n"});
        hook(
            &above,
            "claude",
            claude(&above, "Write", &input).to_string(),
        )
        .code
    };
    assert_eq!(write("one/src/new.py"), 0);
    assert_eq!(write("other/src/stray.py"), 2);
    assert_eq!(write("stray.py"), 2);
    let mut session = Session::of(above);
    let text = session.call("echo x > one/stray.py");
    assert_says(&text, &["does not observe commands here"]);
    assert_eq!(session.call("echo y > one/stray.py"), "", "it is said once");
    // Cursor names its roots.
    let roots = ["one", "other"].map(|name| absolute(&session.repo, name));
    let write = |file: &str| {
        let payload = json!({
            "conversation_id": "c", "generation_id": "g", "hook_event_name": "preToolUse", "cursor_version": "3",
            "workspace_roots": roots, "tool_name": "Write", "tool_use_id": "t", "cwd": roots[0],
            "tool_input": {"file_path": absolute(&session.repo, file), "content": "x\n"},
        });
        hook(&session.repo, "cursor", payload.to_string()).code
    };
    assert_eq!(
        (write("other/src/new.py"), write("other/src/stray.py")),
        (0, 2)
    );
}

#[test]
#[cfg_attr(not(unix), ignore = "needs the directory /tmp, which Windows lacks")]
fn file_with_another_name_is_no_scratch() {
    let repo = copy_of(&template());
    let temporary = tempfile::tempdir_in("/tmp").unwrap();
    // Links need one file system.
    let there = temporary.path().join("b.py");
    let here = temporary.path().join("a.py");
    fs::write(&here, "x\n").unwrap();
    fs::hard_link(&here, &there).unwrap();
    let write = |file: &std::path::Path| {
        let input = json!({"file_path": file, "content": "y\n"});
        hook(&repo, "claude", claude(&repo, "Write", &input).to_string()).code
    };
    assert_eq!(write(&there), 2);
    assert_eq!(write(&temporary.path().join("c.py")), 0);
}

#[test]
fn nothing_grows_with_the_number_of_calls() {
    let mut session = Session::of(copy_of(&template()));
    let kept = |session: &Session| {
        let cache = session.repo.home().join(".cache/guard");
        let store = fs::read_dir(cache).unwrap().next().unwrap().unwrap().path();
        let size = |name: &str| {
            let entries = fs::read_dir(store.join(name)).unwrap().flatten();
            let sizes = entries.map(|entry| entry.metadata().unwrap().len());
            sizes.fold((0, 0), |(count, sum), one| (count + 1, sum + one))
        };
        ["sessions", "checkpoints", "copies", "changes"].map(size)
    };
    for _ in 0..3 {
        assert_eq!(session.call("true"), "");
    }
    let few = kept(&session);
    for at in 0..20 {
        // Some are denied, and have no end.
        session.calls += 1;
        session
            .send("PreToolUse", "Bash", &json!({"command": "true"}))
            .passes();
        if at % 4 == 0 {
            session.send("Stop", "Bash", &json!({})).passes();
        }
        assert_eq!(session.call("true"), "");
    }
    session.send("Stop", "Bash", &json!({})).passes();
    let many = kept(&session);
    for (few, many) in few.into_iter().zip(many) {
        assert!(
            many.0 <= few.0 + 1 && many.1 <= few.1 + few.1 / 10 + 200,
            "{few:?} {many:?}"
        );
    }
}

#[test]
fn later_commit_to_a_file_that_the_branch_added_is_accepted() {
    let mut session = Session::of(copy_of(&template()));
    for content in ["x = 1", "x = 2"] {
        let command =
            format!("echo '{content}' > src/new.py; git add src/new.py; git commit -qm more");
        assert_eq!(session.call(&command), "", "{content}");
    }
    let told = session.call("git rm -q src/new.py; git commit -qm gone");
    assert_says(&told, &["[action-not-granted]"]);
}
