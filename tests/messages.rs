//! What people read: one commit for every rule that a commit can break, as the terminal shows it.

use std::fmt::Write as _;

use crate::common::{Repo, run};

/// People do not read longer messages: this many lines fit on most screens.
const SCREEN: usize = 40;

/// The output of `guard lint` at 80 columns. Colour changes nothing but the colour.
#[track_caller]
fn message(repo: &Repo, code: i32) -> String {
    let run = |columns: &str, color: &str| {
        let columns = [("COLUMNS", columns)];
        let output = repo.guard_with(&columns, &["lint", "--color", color]);
        output.exits(code)
    };
    let narrow = run("80", "never").text();
    let color = run("80", "always").text();
    assert_eq!(without_color(&color), narrow, "colour changes the text");
    assert!(color != narrow, "there is no colour");
    let lines = narrow.lines().count();
    assert!(lines <= SCREEN, "{lines} lines:\n{narrow}");
    has_the_order(&narrow);
    let wide = run("120", "never").text();
    assert!(wide.lines().count() <= lines, "wider is longer:\n{wide}");
    narrow
}

/// Each refusal says what is wrong, where in the design, why or how to mend it, and at the end one command.
#[track_caller]
fn has_the_order(text: &str) {
    let is_command = |line: &&str| {
        let (_, step) = line.split_once("help:").unwrap_or(("", line));
        let step = format!(": {}", step.trim_start());
        step.contains(": git ") || step.contains(": guard ")
    };
    let refusals = text
        .split("\n\n")
        .flat_map(|block| block.split_inclusive("\npreview:").next());
    let is_refusal =
        |block: &&str| block.starts_with("error[") || block.starts_with("guard: error: ");
    let refusals = refusals.filter(is_refusal);
    for refusal in refusals {
        let lines: Vec<&str> = refusal
            .lines()
            .skip(1)
            .filter(|line| *line != "preview:")
            .collect();
        let steps = lines.iter().position(|line| line.contains("help: "));
        let (above, steps) = lines.split_at(steps.unwrap_or(lines.len()));
        let is_place = |line: &&str| line.contains(" --> ");
        assert!(!steps.iter().any(is_place), "{refusal}");
        assert!(!above.iter().any(is_command), "{refusal}");
        let commands = steps.iter().filter(|line| is_command(line)).count();
        assert_eq!(commands, 1, "{refusal}");
        assert!(is_command(steps.last().unwrap()), "{refusal}");
    }
}

/// The text without `ESC [ … m`.
fn without_color(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.split_once('m').unwrap().1);
    }
    out
}

/// A repository that a script makes, with the helpers of the fixtures.
fn made_by(script: &str) -> Repo {
    let helpers = r#"
settings() { printf '[lld]\npath = "docs/lld/active/LLD-{issue}.md"\n%b' "${1-}" >guard.toml; }
branch() { init; commit Begin; git switch --quiet --create 188-work; }
"#;
    let repo = Repo::nothing();
    run(&mut repo.shell(&format!("{helpers}{script}"))).exits(0);
    repo
}

/// The name of each case, the exit code of `guard lint`, and a script that makes and stages the change.
const CASES: &str = r#"
accepted 0: start 'src/a.rs Add'; lines 1 | stage src/a.rs
out-of-scope-closest 1: start 'src/utils/lld.rs Add'; lines 1 | stage src/core/lld.rs
out-of-scope-nothing-close 1: start 'src/utils/lld.rs Add'; lines 1 | stage Makefile
out-of-scope-rename 1: lines 30 | put src/old.rs; start 'lib/other.py Add'; git mv src/old.rs src/new.rs
out-of-scope-own-columns 1: settings; printf '## Files Changed\n\n| # | Action | File | Why |\n|---|---|---|---|\n| 1 | Modify | `src/a.rs` | x |\n' | put docs/lld/active/LLD-188.md; branch; lines 1 | stage 'src/we`ird|name.rs'
action-not-granted-modify 1: lines 1 | put src/a.rs; start 'src/a.rs Add'; git config branch.188-work.remote .; git update-ref refs/remotes/origin/HEAD HEAD; lines 2 | stage src/a.rs
action-not-granted-delete 1: lines 1 | put src/a.rs; start 'src/a.rs Modify'; git rm --quiet src/a.rs
action-not-granted-delete-of-add 1: start 'src/a.rs Add'; lines 1 | put src/a.rs; commit Add; git rm --quiet src/a.rs
action-not-granted-directory 1: lines 1 | put src/a.rs; start 'src/ Modify'; lines 1 | stage src/b.rs
destructive-replace 1: lines 200 old | put src/a.rs; start 'src/a.rs Modify'; lines 150 new | stage src/a.rs
destructive-delete 1: settings '[scope]\nalways = ["notes/**"]\n'; lines 200 | put notes/a.txt; start 'src/a.rs Add'; git rm --quiet notes/a.txt
destructive-conversion 1: lines 200 1,2 | put table.csv; start 'table.csv Modify'; printf 'version https://git-lfs.github.com/spec/v1\noid sha256:9f86\nsize 4\n' | stage table.csv
destructive-design 1: start 'src/a.rs Add'; git rm --quiet docs/lld/active/LLD-188.md
protected-path-setting 1: settings '[scope]\nprotect = ["migrations/**"]\n'; lines 1 | put migrations/1.sql; start 'migrations/1.sql Modify'; lines 2 | stage migrations/1.sql
protected-path-test 1: settings '[scope]\nprotect-tests = "always"\n'; lines 1 | put tests/test_a.py; start 'tests/test_a.py Add'; lines 2 | stage tests/test_a.py
outside-workspace 1: start 'link Symlink'; stage_as 120000 $(printf ../../etc/passwd | blob) link
unsafe-path 1: start 'src/ Add'; stage_raw 100644 $(lines 1 | blob) src/.GIT/config
scope-amended-rows 1: start 'src/a.rs Add'; design docs/lld/active/LLD-188.md 'src/a.rs Add' 'src/b.rs Add'; git add docs; lines 1 | stage src/b.rs
scope-amended-new 1: settings; branch; design docs/lld/active/LLD-188.md 'src/a.rs Add'; git add docs; lines 1 | stage src/a.rs
policy-changed 1: start 'src/a.rs Add'; settings '[scope]\nalways = ["**"]\n'; git add guard.toml; lines 1 | stage src/a.rs
policy-changed-broken 1: start 'src/a.rs Add'; printf '[lld]\npaht = "x.md"\n' | stage guard.toml
submodule-changed 1: start 'src/a.rs Add'; stage_as 160000 1234567890123456789012345678901234567890 vendor/lib
hidden-change 0: start '.gitattributes Add'; echo '*.rs -diff' | stage .gitattributes
portable-name 0: lines 1 | put src/a.rs; start 'src/ Add'; stage_as 100644 $(lines 1 | blob) src/A.rs
design-bad-row 0: start 'src/a.rs Add' 'src/b.rs Frobnicate'; lines 1 | stage src/a.rs
unusable-design 2: settings; printf '# A feature\n\nSome prose.\n' | put docs/lld/active/LLD-188.md; branch; lines 1 | stage src/a.rs
unusable-design-label 2: settings; printf '# A feature\n\n**Files:** `src/a.rs`\n' | put docs/lld/active/LLD-188.md; branch; lines 1 | stage src/a.rs
no-design 2: settings; branch; lines 1 | stage src/a.rs
no-issue 2: start 'src/a.rs Add'; git switch --quiet main; lines 1 | stage src/a.rs
no-settings 2: init; lines 1 | stage src/a.rs
two-candidates 2: printf '[lld]\npath = "LLD-{issue}*.md"\n' | put guard.toml; design LLD-188-a.md 'src/a.rs Add'; design LLD-188-b.md 'src/b.rs Add'; branch; lines 1 | stage src/a.rs
"#;

/// To renew the recorded messages: `INSTA_UPDATE=always cargo test messages`.
#[test]
fn each_message_is_as_recorded() {
    let mut all = String::new();
    for case in CASES.trim().lines() {
        let (head, script) = case.split_once(": ").unwrap();
        let (name, code) = head.split_once(' ').unwrap();
        let text = message(&made_by(script), code.parse().unwrap());
        write!(all, "======== {name}\n{text}\n").unwrap();
    }
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("messages", all);
    });
}

/// A large file that the design lets be modified, and a replacement beside it.
const LARGE: &str =
    "lines 200 old | put src/a.rs; start 'src/a.rs Modify'; lines 150 new | put new";

#[test]
fn each_refused_write_ends_with_one_command() {
    let repo = made_by(LARGE);
    for path in "src/b.rs src/a.rs guard.toml .env ../x .git/config".split(' ') {
        let write = ["write", path, "--content-file", "new"];
        let text = repo.guard_with(&[("COLUMNS", "80")], &write);
        let text = text.exits(1).text();
        has_the_order(&text);
        assert!(text.starts_with("guard: error: "), "{text}");
    }
    let missing = repo.guard(&["read", "src/none.rs"]).exits(1).text();
    has_the_order(&missing);
    assert!(!missing.contains("another"), "{missing}");
}

#[test]
fn many_paths_out_of_scope_stay_readable() {
    let stray = "for i in 1 2 3 4 5 6 7 8; do lines 1 | stage src/$i.rs; done";
    let repo = made_by(&format!("start 'lib/other.py Add'; {stray}"));
    let text = repo.guard(&["lint"]).exits(1).text();
    assert!(text.contains("8 files are not in the design"), "{text}");
    for number in 1..=8 {
        let row = format!("| `src/{number}.rs` | Add | … |");
        assert!(text.contains(&row), "{text}");
    }
    assert_eq!(text.matches("guard scope add").count(), 1, "{text}");
    assert!(text.lines().count() <= 24, "{text}");
}

/// The same loss in a request, before the commit and in a range: each message names the command that approves it.
#[test]
fn destructive_change_names_the_command_that_approves_it() {
    let repo = made_by(LARGE);
    let unwrapped = |arguments: &[&str]| {
        let output = repo.guard_with(&[("COLUMNS", "1000")], arguments);
        output.exits(1)
    };
    let write = unwrapped(&["write", "src/a.rs", "--content-file", "new"]);
    let id = repo.json(&["approve"])["held"][0]["id"].clone();
    write.says(&format!("guard approve {}", id.as_str().unwrap()));
    repo.stage("src/a.rs", repo.text("new"));
    unwrapped(&["lint"])
        .says("list it in `[destructive] exempt`\n")
        .says("a person can approve it at a terminal: guard approve --staged\n");
    repo.commit("Rewrite");
    let range = unwrapped(&["lint", "--range", "main..188-work"]);
    let range = range.says("guard approve --staged --sign KEY");
    assert!(!range.text().contains("git restore"), "{}", range.text());
}
