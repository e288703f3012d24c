//! Which of git's operations call which hooks, and where guard therefore refuses: the installed hooks run the
//! built guard, under every git that is found here.
//!
//! What no hook sees (cherry-picks, rebases, refs written by hand) is for the gate of the range to judge.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{GUARD, Repo, SOURCE};

/// One operation of git on a repository in which LLD-188 lets src/app.py be modified, and not other.py.
struct Operation {
    name: &'static str,
    /// Shell, before the hooks are installed. `$FILE` is the file to change.
    prepare: &'static str,
    /// Shell: the operation itself.
    run: &'static str,
    /// The hooks that run where nothing is refused.
    hooks: &'static str,
    /// The name of the index that pre-commit is told of.
    index: &'static str,
    /// Whether guard refuses where `$FILE` is not in the design.
    refuses: bool,
}

const NONE: &str = "";
const COMMIT: &str = "pre-commit prepare-commit-msg";
const MERGE: &str = "pre-merge-commit prepare-commit-msg";
const MESSAGE: &str = "prepare-commit-msg";

const fn operation(
    name: &'static str,
    prepare: &'static str,
    run: &'static str,
    (hooks, index): (&'static str, &'static str),
    refuses: bool,
) -> Operation {
    Operation {
        name,
        prepare,
        run,
        hooks,
        index,
        refuses,
    }
}

const REFUSES: bool = true;
const ACCEPTS: bool = false;

const OPERATIONS: &[Operation] = &[
    operation("commit", "change; git add $FILE", "git commit -m x", (COMMIT, "index"), REFUSES),
    operation("commit --amend", "own; change; git add $FILE", "git commit --amend -m x", (COMMIT, "index"), REFUSES),
    operation("commit --allow-empty", "", "git commit --allow-empty -m x", (COMMIT, "index"), ACCEPTS),
    operation("commit --all", "change", "git commit --all -m x", (COMMIT, "index.lock"), REFUSES),
    operation("commit --patch", "change", "echo y | git commit --patch -m x", (COMMIT, "index.lock"), REFUSES),
    operation("commit -- PATH", "change", "git commit -m x -- $FILE", (COMMIT, "next-index-N.lock"), REFUSES),
    operation("commit --no-verify", "change; git add $FILE", "git commit --no-verify -m x", (MESSAGE, ""), ACCEPTS),
    operation(
        "commit, core.hooksPath=/dev/null",
        "change; git add $FILE",
        "git -c core.hooksPath=/dev/null commit -m x",
        (NONE, ""),
        ACCEPTS,
    ),
    operation("merge, true merge", "side; own", "git merge --no-edit side", (MERGE, ""), ACCEPTS),
    operation("merge, both changed the file", "side; top", "git merge --no-edit side", (MERGE, ""), ACCEPTS),
    operation("merge, octopus", "side; own; third", "git merge --no-edit side third", (MERGE, ""), ACCEPTS),
    operation("merge, fast-forward", "side", "git merge side", (NONE, ""), ACCEPTS),
    operation("merge --squash, commit", "side; own", "git merge --squash side; git commit -m x", (COMMIT, "index"), REFUSES),
    operation(
        "merge --no-commit, commit",
        "side; own",
        "git merge --no-commit --no-ff side; git commit -m x",
        (COMMIT, "index"),
        ACCEPTS,
    ),
    operation(
        "merge, conflict, commit",
        "side; clash",
        "git merge side || resolve; git commit -m x",
        (COMMIT, "index"),
        REFUSES,
    ),
    operation("pull, fast-forward", "side", "git pull --ff-only . side", (NONE, ""), ACCEPTS),
    operation("fetch into a branch", "side", "git fetch . side:elsewhere", (NONE, ""), ACCEPTS),
    operation("reset --hard", "side", "git reset --hard side", (NONE, ""), ACCEPTS),
    operation("cherry-pick", "side; own", "git cherry-pick side", (MESSAGE, ""), ACCEPTS),
    operation("revert", "change; commit c", "git revert --no-edit HEAD", (MESSAGE, ""), ACCEPTS),
    operation(
        "cherry-pick, conflict, --continue",
        "side; clash",
        "git cherry-pick side || resolve; git cherry-pick --continue",
        (COMMIT, "index"),
        REFUSES,
    ),
    operation(
        "cherry-pick --no-commit, commit",
        "side; own",
        "git cherry-pick --no-commit side; git commit -m x",
        (COMMIT, "index"),
        REFUSES,
    ),
    operation("rebase", "change; commit c; third", "git rebase --quiet third", (MESSAGE, ""), ACCEPTS),
    operation(
        "rebase, conflict, --continue",
        "side; clash",
        "git rebase side || resolve; git rebase --continue",
        (MESSAGE, ""),
        ACCEPTS,
    ),
    operation(
        "rebase --autosquash, fixup",
        "own; change; commit 'fixup! Own work'",
        "GIT_SEQUENCE_EDITOR=true git rebase --interactive --autosquash main",
        (MESSAGE, ""),
        ACCEPTS,
    ),
    operation(
        "rebase, reword",
        "change; commit c",
        "GIT_SEQUENCE_EDITOR='sed -i 1s/pick/reword/' git rebase --interactive HEAD~",
        (COMMIT, "index"),
        ACCEPTS,
    ),
    operation(
        "rebase, edit, commit --amend",
        "own",
        "GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/' git rebase --interactive HEAD~
         change; git add $FILE; git commit --amend -m x; git rebase --continue",
        (COMMIT, "index"),
        REFUSES,
    ),
    operation("rebase --apply", "change; commit c; third", "git rebase --quiet --apply third", (NONE, ""), ACCEPTS),
    operation(
        "am",
        "change; commit c; git format-patch -1 -o .. ; git reset --quiet --hard HEAD~",
        "git am ../0001-c.patch",
        (NONE, ""),
        ACCEPTS,
    ),
    operation("stash", "change", "git stash", (NONE, ""), ACCEPTS),
    operation(
        "commit-tree, update-ref",
        "change; git add $FILE",
        "git update-ref HEAD $(git commit-tree -m x -p HEAD $(git write-tree))",
        (NONE, ""),
        ACCEPTS,
    ),
    operation(
        "fast-import",
        "",
        "printf 'commit refs/heads/fast\\ncommitter A <a@b> 1 +0000\\ndata 1\\nx\\nM 644 inline %s\\ndata 1\\nx\\n' $FILE |
         git fast-import --quiet",
        (NONE, ""),
        ACCEPTS,
    ),
    operation(
        "a ref file written by hand",
        "side",
        "git rev-parse side >.git/refs/heads/188-work",
        (NONE, ""),
        ACCEPTS,
    ),
];

/// Helpers for the scripts of the operations; `commit` and the others are the prelude's.
const HELPERS: &str = r#"
change() { echo "more for $FILE" >>"$FILE"; }
own() { lines 31 | put src/own.py; commit 'Own work'; }
branch_from_main() { git switch --quiet --create "$1" main; }
side() { branch_from_main side; echo side >>"$FILE"; commit 'On the side'; git switch --quiet 188-work; }
third() { branch_from_main third; lines 3 | put third.py; commit 'Third'; git switch --quiet 188-work; }
top() { { echo top; cat "$FILE"; } >../new; mv ../new "$FILE"; commit 'At the top'; }
clash() { echo mine >>"$FILE"; commit 'Mine'; }
resolve() { { lines 30; echo both; } >"$FILE"; git add "$FILE"; }
"#;

/// What one run of an operation showed.
struct Seen {
    hooks: BTreeSet<String>,
    /// The index files that pre-commit was told of, digits as `N`.
    indexes: BTreeSet<String>,
    /// A guard hook ended with 1.
    refused: bool,
    /// A guard hook could not judge.
    failed: bool,
    code: i32,
    output: String,
}

fn run(git: &Path, operation: &Operation, file: &str) -> Seen {
    let repo = Repo::nothing();
    let bin = repo.path("../bin");
    fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink(git, bin.join("git")).unwrap();
    let sh = |script: &str| {
        let prelude = Path::new(SOURCE).join("fixtures/repos/prelude.sh");
        let mut path = std::ffi::OsString::from(&bin);
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let script = format!(". '{}'\n{HELPERS}\n{script}\n", prelude.display());
        let mut command: Command = repo.command("sh");
        command
            .args(["-euc", &script])
            .env("FILE", file)
            .env("PATH", path);
        common::run(&mut command)
    };
    let prepared = sh(&format!(
        "lines 30 | put src/app.py\nlines 30 | put other.py\nstart 'src/app.py Modify'\n{}",
        operation.prepare
    ));
    assert_eq!(prepared.code, 0, "{}: {}", operation.name, prepared.text());
    let log = repo.path("../log");
    for (hook, guard) in [
        ("pre-commit", format!("'{GUARD}' hook pre-commit")),
        (
            "pre-merge-commit",
            format!("'{GUARD}' hook pre-merge-commit"),
        ),
        ("prepare-commit-msg", "true".to_owned()),
    ] {
        repo.install_hook_script(
            hook,
            &format!(
                "#!/bin/sh\n{guard}\ncode=$?\necho \"{hook} $code ${{GIT_INDEX_FILE##*/}}\" >>'{}'\nexit $code\n",
                log.display()
            ),
        );
    }
    let output = sh(operation.run);
    let mut seen = Seen {
        hooks: BTreeSet::new(),
        indexes: BTreeSet::new(),
        refused: false,
        failed: false,
        code: output.code,
        output: output.text(),
    };
    for line in fs::read_to_string(log).unwrap_or_default().lines() {
        let mut words = line.split(' ');
        let (hook, code) = (words.next().unwrap(), words.next().unwrap());
        seen.hooks.insert(hook.to_owned());
        seen.refused |= code == "1";
        seen.failed |= code == "2";
        if hook == "pre-commit" {
            let index = words.next().unwrap_or_default();
            let letters = index.split(|c: char| c.is_ascii_digit());
            let parts: Vec<_> = letters.filter(|part| !part.is_empty()).collect();
            seen.indexes.insert(parts.join("N"));
        }
    }
    seen
}

/// What is wrong with an operation under one git; its row for the table.
fn judge(git: &Path, operation: &Operation) -> (String, Vec<String>) {
    let mut faults = Vec::new();
    let inside = run(git, operation, "src/app.py");
    let outside = run(git, operation, "other.py");
    let hooks: Vec<_> = inside.hooks.iter().map(String::as_str).collect();
    let indexes: Vec<_> = inside.indexes.iter().map(String::as_str).collect();
    if hooks.join(" ") != operation.hooks || indexes.join(" ") != operation.index {
        faults.push(format!(
            "runs {hooks:?} with {indexes:?}, not {:?} with {:?}:\n{}",
            operation.hooks, operation.index, inside.output
        ));
    }
    for (seen, refuses) in [(&inside, false), (&outside, operation.refuses)] {
        if seen.failed || seen.refused != refuses || (seen.code != 0) != refuses {
            faults.push(format!(
                "refused: {}, not {refuses}; could not judge: {}; ends with {}:\n{}",
                seen.refused, seen.failed, seen.code, seen.output
            ));
        }
    }
    let row = format!(
        "{:34} {:36} {:18} {}",
        operation.name,
        hooks.join(" "),
        indexes.join(" "),
        outcome(&outside)
    );
    (row, faults)
}

/// What guard made of a run.
fn outcome(seen: &Seen) -> &'static str {
    match seen.hooks.iter().any(|hook| hook.ends_with("-commit")) {
        _ if seen.refused => "refused",
        true => "accepted",
        false => "not seen",
    }
}

/// The gits that are installed here, by version.
fn gits() -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories =
        std::env::split_paths(&path).chain(["/usr/local/bin".into(), "/usr/bin".into()]);
    for git in directories.map(|directory: PathBuf| directory.join("git")) {
        if let Ok(output) = Command::new(&git).arg("version").output()
            && output.status.success()
        {
            let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            found.entry(version).or_insert(git);
        }
    }
    found
}

#[test]
fn every_operation_calls_the_hooks_of_the_matrix() {
    let gits = gits();
    if gits.len() < 2 {
        common::skip("the hook matrix has only one git to run under");
    }
    let jobs: Vec<_> = gits
        .iter()
        .flat_map(|(version, git)| {
            OPERATIONS
                .iter()
                .map(move |operation| (version, git, operation))
        })
        .collect();
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some((version, git, operation)) = jobs.get(at) else {
                        return;
                    };
                    let judged = judge(git, operation);
                    rows.lock()
                        .unwrap()
                        .insert(at, (*version, *operation, judged));
                }
            });
        }
    });
    let rows = rows.into_inner().unwrap();
    let mut failures = String::new();
    let mut heading = "";
    for (version, operation, (row, faults)) in rows.values() {
        if heading != version.as_str() {
            heading = version;
            println!(
                "\n{version}\n{:34} {:36} {:18} a change outside the design",
                "operation", "hooks", "index"
            );
        }
        println!("{row}");
        for fault in faults {
            writeln!(failures, "--- {version}, {}: {fault}", operation.name).unwrap();
        }
    }
    assert_eq!(rows.len(), gits.len() * OPERATIONS.len());
    assert!(failures.is_empty(), "\n{failures}");
}
