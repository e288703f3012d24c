//! The git operations of the hook matrix, and what each must show.

/// One git operation in a repository whose LLD-188 grants modifying src/app.py and adding src/own.py and
/// third.py, but does not name other.py.
pub struct Operation {
    pub name: &'static str,
    /// Shell, before the hooks are installed. `$FILE` is the file to change.
    pub prepare: &'static str,
    /// Shell: the operation itself.
    pub run: &'static str,
    /// The commit hooks that run if nothing is refused.
    pub hooks: &'static str,
    /// The name of the index that git passes to pre-commit.
    pub index: &'static str,
    /// What refuses if `$FILE` is not in the design: a commit hook; reference-transaction, if installed; or, if no
    /// commit hook does, `range`: the check of the resulting branch.
    pub refused_by: &'static str,
}

const NONE: &str = "";
const COMMIT: &str = "pre-commit prepare-commit-msg";
const MERGE: &str = "pre-merge-commit prepare-commit-msg";
const MESSAGE: &str = "prepare-commit-msg";

/// No branch gets a commit that its base lacks.
const NOTHING: &str = "";
const PRE_COMMIT: &str = "pre-commit reference-transaction";
const PREPARE: &str = "prepare-commit-msg reference-transaction";
const TRANSACTION: &str = "reference-transaction range";
/// Hooks do not run, or see only commits of another branch.
const RANGE: &str = "range";

const fn operation(
    name: &'static str,
    prepare: &'static str,
    run: &'static str,
    (hooks, index): (&'static str, &'static str),
    refused_by: &'static str,
) -> Operation {
    Operation {
        name,
        prepare,
        run,
        hooks,
        index,
        refused_by,
    }
}

pub const OPERATIONS: &[Operation] = &[
    operation("commit", "change; git add $FILE", "git commit -m x", (COMMIT, "index"), PRE_COMMIT),
    operation("commit --amend", "own; change; git add $FILE", "git commit --amend -m x", (COMMIT, "index"), PRE_COMMIT),
    operation("commit --allow-empty", "", "git commit --allow-empty -m x", (COMMIT, "index"), NOTHING),
    operation("commit --all", "change", "git commit --all -m x", (COMMIT, "index.lock"), PRE_COMMIT),
    operation("commit --patch", "change", "echo y | git commit --patch -m x", (COMMIT, "index.lock"), PRE_COMMIT),
    operation("commit -- PATH", "change", "git commit -m x -- $FILE", (COMMIT, "next-index-N.lock"), PRE_COMMIT),
    operation("commit --no-verify", "change; git add $FILE", "git commit --no-verify -m x", (MESSAGE, ""), PREPARE),
    operation("commit, core.hooksPath=/dev/null",
        "change; git add $FILE",
        "git -c core.hooksPath=/dev/null commit -m x",
        (NONE, ""), RANGE),
    operation("merge, true merge", "side; own", "git merge --no-edit side", (MERGE, ""), RANGE),
    operation("merge, both changed the file", "side; top", "git merge --no-edit side", (MERGE, ""), RANGE),
    operation("merge, octopus", "side; own; third", "git merge --no-edit side third", (MERGE, ""), RANGE),
    operation("merge, fast-forward", "side", "git merge side", (NONE, ""), RANGE),
    operation("merge --squash, commit", "side; own", "git merge --squash side; git commit -m x", (COMMIT, "index"), PRE_COMMIT),
    operation("merge --no-commit, commit",
        "side; own",
        "git merge --no-commit --no-ff side; git commit -m x",
        (COMMIT, "index"), RANGE),
    operation("merge, conflict, commit",
        "side; clash",
        "git merge side || resolve; git commit -m x",
        (COMMIT, "index"), PRE_COMMIT),
    operation("pull, fast-forward", "side", "git pull --ff-only . side", (NONE, ""), RANGE),
    operation("fetch into a branch", "side", "git fetch . side:188-elsewhere", (NONE, ""), RANGE),
    operation("reset --hard", "side", "git reset --hard side", (NONE, ""), RANGE),
    operation("cherry-pick", "side; own", "git cherry-pick side", (MESSAGE, ""), PREPARE),
    operation(
        "revert",
        "git switch --quiet main; change; commit c; git push --quiet origin main
         git switch --quiet 188-work; git merge --quiet main",
        "git revert --no-edit HEAD",
        (MESSAGE, ""),
        PREPARE,
    ),
    operation(
        "revert of the branch's own commit",
        "change; commit c",
        "git revert --no-edit HEAD",
        (MESSAGE, ""),
        NOTHING,
    ),
    operation("cherry-pick, conflict, --continue",
        "side; clash",
        "git cherry-pick side || resolve; git cherry-pick --continue",
        (COMMIT, "index"), PRE_COMMIT),
    operation("cherry-pick --no-commit, commit",
        "side; own",
        "git cherry-pick --no-commit side; git commit -m x",
        (COMMIT, "index"), PRE_COMMIT),
    operation("rebase", "change; commit c; third", "git rebase --quiet third", (MESSAGE, ""), PREPARE),
    operation("rebase, conflict, --continue",
        "side; clash",
        "git rebase side || resolve; git rebase --continue",
        (MESSAGE, ""), PREPARE),
    operation("rebase --autosquash, fixup",
        "own; change; commit 'fixup! Own work'",
        "GIT_SEQUENCE_EDITOR=true git rebase --interactive --autosquash main",
        (MESSAGE, ""), PREPARE),
    operation("rebase, reword",
        "change; commit c",
        "GIT_EDITOR='sed -i 1s/c/d/' GIT_SEQUENCE_EDITOR='sed -i 1s/pick/reword/' git rebase --interactive HEAD~",
        (COMMIT, "index"), TRANSACTION),
    operation("rebase, edit, commit --amend",
        "own",
        "GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/' git rebase --interactive HEAD~
         change; git add $FILE; git commit --amend -m x; git rebase --continue",
        (COMMIT, "index"), PRE_COMMIT),
    operation("rebase --apply", "change; commit c; third", "git rebase --quiet --apply third", (NONE, ""), TRANSACTION),
    operation("am",
        "change; commit c; git format-patch -1 -o .. ; git reset --quiet --hard HEAD~",
        "git am ../0001-c.patch",
        (NONE, ""), TRANSACTION),
    operation("stash", "change", "git stash", (NONE, ""), NOTHING),
    operation("commit-tree, update-ref",
        "change; git add $FILE",
        "git update-ref HEAD $(git commit-tree -m x -p HEAD $(git write-tree))",
        (NONE, ""), TRANSACTION),
    operation("fast-import",
        "",
        "printf 'commit refs/heads/188-fast\\ncommitter A <a@b> 1 +0000\\ndata 1\\nx\\nfrom refs/heads/main^0\\nM 644 inline %s\\ndata 1\\nx\\n' $FILE |
         git fast-import --quiet",
        (NONE, ""), TRANSACTION),
    operation("a ref file written by hand",
        "side",
        "git rev-parse side >.git/refs/heads/188-work",
        (NONE, ""), RANGE),
];

/// Helpers for the scripts of the operations; `commit` and the others are the prelude's.
pub const HELPERS: &str = r#"
change() { echo "more for $FILE" >>"$FILE"; }
own() { lines 31 | put src/own.py; commit 'Own work'; }
branch_from_main() { git switch --quiet --create "$1" main; }
side() { branch_from_main side; echo side >>"$FILE"; commit 'On the side'; git switch --quiet 188-work; }
third() { branch_from_main third; lines 3 | put third.py; commit 'Third'; git switch --quiet 188-work; }
top() { { echo top; cat "$FILE"; } >../new; mv ../new "$FILE"; commit 'At the top'; }
clash() { echo mine >>"$FILE"; commit 'Mine'; }
resolve() { { lines 30; echo both; } >"$FILE"; git add "$FILE"; }
"#;
