//! `policy-changed`, `scope-amended` and `row-untouched`: changes of what guard judges by.

use super::*;

const ROWS: [&str; 1] = ["`src/` | Add/Modify | x"];

fn refused(path: &str) -> String {
    format!("error policy-changed {path}: {path} configures guard but changes together with code")
}

/// Which of these paths configure guard, if they change together with code.
fn configures(path: &str, old: &str, new: &str) -> bool {
    let work = commit("[scope]\nalways = [\"**\"]\n", &ROWS);
    let old = Some(old).filter(|old| !old.is_empty());
    let work = work
        .step(path, old.and_then(file), file(new))
        .add("src/x.rs", "a\n");
    let findings: Vec<String> = work.findings().iter().map(said).collect();
    assert!(
        findings.is_empty() || findings == [refused(path)],
        "{findings:?}"
    );
    !findings.is_empty()
}

#[test]
fn settings_may_not_change_together_with_code() {
    let both = || {
        commit("", &ROWS)
            .modify("guard.toml", "a", "b")
            .add("src/x.rs", "a\n")
    };
    both().says(&[&refused("guard.toml")]);
    assert_eq!(both().details(), serde_json::json!({"action": "modify"}));
    both().helps(&[
        "commit it separately, so that reviewers see it apart from code:",
        "  git commit -m \"Change guard's settings\" -- guard.toml",
    ]);
    for stage in [Stage::Range, Stage::Step] {
        let work = work(stage, "", &ROWS)
            .modify("guard.toml", "a", "b")
            .add("src/x.rs", "a\n");
        work.helps(&[
            "move it to a separate pull request, so that reviewers see it apart from code",
        ]);
    }
    // Alone, or with a design, they may.
    commit("", &ROWS).modify("guard.toml", "a", "b").says(&[]);
    let with_design = commit("", &ROWS).add("docs/lld/LLD-2.md", "# x\n");
    with_design
        .modify("guard.toml", "a", "b")
        .add(".guard/x", "")
        .says(&[]);
    commit("", &ROWS).add("src/x.rs", "a\n").says(&[]);
}

#[test]
fn broken_settings_are_refused_at_every_stage() {
    for stage in [Stage::Commit, Stage::Request, Stage::Range, Stage::Step] {
        let work = work(stage, "", &ROWS);
        let work = work.with(|policy| policy.broken_settings = Some("why\nmore".to_owned()));
        work.says(&["error policy-changed guard.toml: the new guard.toml cannot be used"]);
        let how = "correct it and stage it again";
        work.helps(&["why", "more", how]);
    }
}

#[test]
fn lines_that_call_guard_configure_it() {
    let ci = "jobs:\n  - run: make\n  - run: guard lint --ci\n";
    for (path, old, new, expected) in [
        (
            ".github/workflows/ci.yml",
            ci,
            "jobs:\n  - run: make\n",
            true,
        ),
        (".github/workflows/ci.yml", "jobs:\n", ci, true),
        // Other lines, and the place of the call, do not matter.
        (
            ".github/workflows/ci.yml",
            ci,
            "jobs:\n  - run: guard lint --ci\n  - run: make all\n",
            false,
        ),
        (".github/actions/x/action.yml", "x:\n", ci, true),
        (".buildkite/pipeline.yml", "x:\n", ci, true),
        (".circleci/config.yml", "x:\n", ci, true),
        (".gitlab-ci.yml", "x:\n", ci, true),
        ("sub/.gitlab-ci.yml", "x:\n", ci, true),
        ("Jenkinsfile", "x:\n", ci, true),
        (
            ".husky/pre-commit",
            "npm test && guard lint\n",
            "npm test\n",
            true,
        ),
        ("hooks/pre-push", "x\nguard lint\n", "x\n", true),
        ("lefthook.yml", "x:\n  - run: guard lint\n", "x:\n", true),
        ("src/hooks.rs", "guard lint\n", "x\n", false),
        ("xJenkinsfile", "guard lint\n", "x\n", false),
        ("docs/.github/workflows/ci.yml", ci, "x:\n", false),
        (
            ".claude/settings.json",
            "{}\n",
            "{\"hooks\": \"guard hook claude\"}\n",
            true,
        ),
    ] {
        assert_eq!(configures(path, old, new), expected, "{path}");
    }
}

#[test]
fn guards_version_in_the_pre_commit_configuration_configures_it() {
    let yaml = |guard: &str, ruff: &str| {
        format!(
            "repos:\n- repo: https://example.com/ruff\n  rev: {ruff}\n- repo: https://example.com/guard\n  rev: {guard}\n"
        )
    };
    let path = ".pre-commit-config.yaml";
    assert!(configures(path, &yaml("v1", "v1"), &yaml("v2", "v1")));
    assert!(!configures(path, &yaml("v1", "v1"), &yaml("v1", "v2")));
}

#[test]
fn guards_version_needs_no_row_but_anything_else_does() {
    let yaml = |guard: &str, ruff: &str| {
        format!(
            "repos:\n- repo: https://example.com/ruff\n  rev: {ruff}\n- repo: https://example.com/guard\n  rev: {guard}\n  hooks:\n  - id: guard\n"
        )
    };
    let none = "repos:\n- repo: https://example.com/ruff\n  rev: v1\n";
    for (path, old, new, is_accepted) in [
        (
            ".pre-commit-config.yaml",
            yaml("v1", "v1"),
            yaml("v2", "v1"),
            true,
        ),
        (
            ".pre-commit-config.yml",
            yaml("v1", "v1"),
            yaml("v2", "v1"),
            true,
        ),
        ("other.yaml", yaml("v1", "v1"), yaml("v2", "v1"), false),
        (
            ".pre-commit-config.yaml",
            yaml("v1", "v1"),
            yaml("v2", "v2"),
            false,
        ),
        (
            ".pre-commit-config.yaml",
            yaml("v1", "v1"),
            none.to_owned(),
            false,
        ),
        (
            ".pre-commit-config.yaml",
            none.to_owned(),
            none.replace("v1", "v2"),
            false,
        ),
    ] {
        let work = commit("", &ROWS).modify(path, &old, &new);
        assert_eq!(
            work.findings().is_empty(),
            is_accepted,
            "{path}\n{old}\n{new}"
        );
        assert_eq!(
            changes_only_own_part(path.into(), old.as_bytes(), new.as_bytes()),
            is_accepted
        );
    }
}

#[test]
fn guards_own_part_of_hook_settings_needs_no_row() {
    let call = "guard hook pre-commit \"$@\" || exit $?\n";
    commit("", &ROWS).add(".husky/pre-commit", call).says(&[]);
    let with_code = commit("", &ROWS).add(".husky/pre-commit", call);
    with_code
        .add("src/x.rs", "a\n")
        .says(&[&refused(".husky/pre-commit")]);
    let claude = include_str!("../../../../../hooks/agents/claude.json");
    commit("", &ROWS)
        .add(".claude/settings.json", claude)
        .says(&[]);
    // A manifest is no settings of guard; another file, or a link in the place of one, needs a row.
    let package = "{\"name\": \"x\", \"devDependencies\": {\"write-guard\": \"^0.1.0\"}}";
    let needs_row = |work: Work| {
        work.findings()
            .iter()
            .any(|finding| finding.rule == Rule::OutOfScope)
    };
    assert!(needs_row(commit("", &ROWS).modify(
        "package.json",
        "{\"name\": \"x\"}",
        package
    )));
    assert!(needs_row(commit("", &ROWS).add("other/pre-commit", call)));
    let link = Some((Kind::Symlink, call.trim().as_bytes().to_vec()));
    assert!(needs_row(commit("", &ROWS).step(
        ".husky/pre-commit",
        None,
        link
    )));
    assert!(needs_row(
        commit("", &ROWS).delete(".husky/pre-commit", call)
    ));
}

#[test]
fn why_a_change_is_not_only_of_guards_own_part_is_said() {
    let call = "guard hook pre-commit \"$@\" || exit $?\n";
    let work = commit("", &ROWS).add(".husky/pre-commit", &format!("{call}make\n"));
    let findings = work.findings();
    let mut findings = findings.iter();
    let refused = findings.find(|finding| finding.rule == Rule::OutOfScope);
    let help: Vec<&str> = refused.unwrap().help.iter().map(|help| &**help).collect();
    assert!(
        help[0].starts_with("the change is not only of guard's own part: it also changes what"),
        "{help:?}"
    );
}

#[test]
fn what_decides_whether_guard_runs_is_noted() {
    let path = ".github/workflows/ci.yml";
    let ci = "jobs:\n  a:\n    steps:\n      - run: guard lint --ci\n";
    let notes = |new: &str| -> Vec<String> {
        let work = commit("", &["`.github/workflows/ci.yml` | Modify | x"]).modify(path, ci, new);
        let findings = work.findings();
        let notes = findings
            .iter()
            .filter(|finding| finding.level == Level::Note);
        notes.map(|finding| finding.message.clone()).collect()
    };
    let off = format!("{ci}        continue-on-error: true\n");
    let notes_of_off = notes(&off);
    assert_eq!(notes_of_off.len(), 1, "{notes_of_off:?}");
    assert!(
        notes_of_off[0].starts_with(&format!(
            "{path} changes when guard runs, or whether its failure counts: "
        )) && notes_of_off[0].contains("continue-on-error"),
        "{notes_of_off:?}"
    );
    assert_eq!(notes(&format!("{ci}# a comment\n")), [""; 0]);
}

#[test]
fn the_commit_that_adds_the_first_settings_may_add_calls_of_guard() {
    let ci = "jobs:\n  - run: make\n  - run: guard lint --ci\n";
    let adopt = || commit("", &ROWS).with(|policy| policy.adopting = true);
    let path = ".github/workflows/ci.yml";
    let findings = |work: Work| {
        work.findings()
            .iter()
            .map(|finding| finding.rule)
            .collect::<Vec<_>>()
    };
    assert_eq!(findings(adopt().add(path, ci).add("guard.toml", "")), []);
    assert_eq!(findings(adopt().add(path, "jobs:\n")), [Rule::OutOfScope]);
    assert_eq!(findings(adopt().delete(path, ci)), [Rule::OutOfScope]);
    let later = commit("", &ROWS).add(path, ci);
    assert!(findings(later).contains(&Rule::OutOfScope));
}

#[test]
fn a_switch_that_a_command_changed_is_named() {
    let said_of = |setting: &str| said(&switch_changed(".git/config".into(), setting));
    assert_eq!(
        said_of("core.hooksPath"),
        "error policy-changed .git/config: core.hooksPath in .git/config was changed, which decides about hooks, ignored files or git"
    );
    assert_eq!(
        said_of(""),
        "error policy-changed .git/config: .git/config was changed, which decides about hooks, ignored files or git"
    );
}

#[test]
fn the_rules_read_only_what_may_concern_them() {
    for path in [
        ".gitmodules",
        ".gitattributes",
        "a/.gitattributes",
        ".github/workflows/x.yml",
        "lefthook.toml",
        "package.json",
        "requirements.txt",
        "a/requirements-dev.txt",
        ".claude/settings.json",
    ] {
        assert!(wants_content(path.into()), "{path}");
    }
    for path in [
        "src/x.rs",
        "a/.gitmodules",
        "x.gitattributes",
        "a/package.json",
        "requirements.in",
        "a.txt",
    ] {
        assert!(!wants_content(path.into()), "{path}");
    }
}

/// A design with these rows at HEAD, and those in the change.
fn amended(stage: Stage, settings: &str, old: &[&str], new: &[&str]) -> Work {
    with_designs(stage, settings, |settings| {
        let old = document(old);
        let new = document(new);
        let mut design = governing(DESIGN, &old, settings);
        match (stage, settings.authority) {
            (Stage::Range, guard_toml::Authority::Head) => {
                design = governing(DESIGN, &new, settings);
                design.before = Some(parsed(DESIGN, &old, settings));
            }
            _ => design.proposed = Some(parsed(DESIGN, &new, settings)),
        }
        vec![design]
    })
}

const A: &str = "`src/a.rs` | Modify | x";
const B: &str = "`src/b.rs` | Add | x";
const C: &str = "`src/c.rs` | Add | x";

#[test]
fn a_commit_may_not_widen_its_own_design() {
    let one = amended(Stage::Commit, "", &[A], &[A, B]).add("src/b.rs", "b\n");
    one.says(&["error scope-amended docs/lld/LLD-1.md: the design docs/lld/LLD-1.md gains a new row together with code"]);
    one.helps(&[
        "newly allowed: src/b.rs (line 8)",
        "commit the design first, then the code:",
        "  git commit -m \"Amend the design\" -- docs/lld/LLD-1.md",
    ]);
    assert_eq!(one.details(), serde_json::json!({"added": ["src/b.rs"]}));
    let place = one.findings()[0].design.clone().unwrap();
    assert_eq!((place.line, &*place.label), (8, "new row"));
    let two = amended(Stage::Commit, "", &[A], &[A, B, C]).add("src/b.rs", "b\n");
    two.says(&["error scope-amended docs/lld/LLD-1.md: the design docs/lld/LLD-1.md gains 2 new rows together with code"]);
    // A design may change freely without code that needs its new rows, and may become narrower with it.
    amended(Stage::Commit, "", &[A], &[A, B])
        .modify("src/a.rs", "a\n", "b\n")
        .says(&[]);
    amended(Stage::Commit, "", &[A], &[A, B]).says(&[]);
    amended(Stage::Commit, "", &[A], &[A, B])
        .add("guard.toml", "")
        .says(&[]);
    amended(Stage::Commit, "", &[A, B], &[A])
        .modify("src/a.rs", "a\n", "b\n")
        .says(&[]);
    amended(Stage::Step, "", &[A], &[A, B])
        .modify("src/a.rs", "a\n", "b\n")
        .says(&[]);
    amended(Stage::Request, "", &[A], &[A, B])
        .modify("src/a.rs", "a\n", "b\n")
        .says(&[]);
}

#[test]
fn a_new_design_may_not_come_with_its_code() {
    let work = with_designs(Stage::Commit, "", |settings| {
        let mut design = governing(DESIGN, &document(&[A]), settings);
        design.in_force = false;
        design.proposed = Some(design.design.clone());
        vec![design]
    });
    let work = work.modify("src/a.rs", "a\n", "b\n");
    work.says(&["error scope-amended docs/lld/LLD-1.md: the design docs/lld/LLD-1.md is committed together with the code that it allows"]);
    assert_eq!(
        &*work.findings()[0].help[2],
        "  git commit -m \"Add the design\" -- docs/lld/LLD-1.md"
    );
    // The calls of guard that come with its first settings are no code.
    let set_up = with_designs(Stage::Commit, "", |settings| {
        let mut design = governing(DESIGN, &document(&[A]), settings);
        design.in_force = false;
        design.proposed = Some(design.design.clone());
        vec![design]
    });
    let set_up = set_up
        .with(|policy| policy.adopting = true)
        .add(".gitlab-ci.yml", "x:\n  guard lint\n");
    assert!(
        set_up
            .findings()
            .iter()
            .all(|finding| finding.rule != Rule::ScopeAmended)
    );
}

#[test]
fn a_range_lists_the_rows_that_it_adds() {
    let one = amended(Stage::Range, "", &[A], &[A, B]);
    one.says(&["warning scope-amended docs/lld/LLD-1.md: the branch adds a row to the design docs/lld/LLD-1.md"]);
    one.helps(&[
        "newly allowed: src/b.rs (line 8)",
        "review them like the code",
    ]);
    let rows = serde_json::json!([{"path": "src/b.rs", "granted": ["add"], "line": 8}]);
    assert_eq!(
        one.details(),
        serde_json::json!({"added": ["src/b.rs"], "rows": rows})
    );
    assert_eq!(
        one.findings()[0].design.as_ref().unwrap().label,
        "new in this branch"
    );
    let two = amended(Stage::Range, "", &[A], &[A, B, C]);
    two.says(&["warning scope-amended docs/lld/LLD-1.md: the branch adds 2 rows to the design docs/lld/LLD-1.md"]);
    amended(Stage::Range, "", &[A, B], &[A, B]).says(&[]);
    let base = amended(Stage::Range, "[lld]\nauthority = \"base\"\n", &[A], &[A, B]);
    base.helps(&[
        "newly allowed: src/b.rs (line 8)",
        "they allow nothing here: with `authority = \"base\"` only rows of the merge base count",
    ]);
}

#[test]
fn a_new_design_of_a_range_is_only_noted() {
    let new = || amended(Stage::Range, "", &[], &[A, B]);
    let text = document(&[A, B]);
    let note = "note scope-amended docs/lld/LLD-1.md: the branch adds the design docs/lld/LLD-1.md with 2 rows";
    let warning = "warning scope-amended docs/lld/LLD-1.md: the branch adds 2 rows to the design docs/lld/LLD-1.md";
    new().add(DESIGN, &text).says(&[note]);
    new()
        .modify(DESIGN, &document(&[A]), &text)
        .says(&[warning]);
    new()
        .rename("docs/lld/LLD-9.md", DESIGN, &text, &text)
        .says(&[warning]);
    new().add("docs/lld/LLD-2.md", &text).says(&[warning]);
}

#[test]
fn rows_of_a_design_that_does_not_govern_allow_nothing_here() {
    let work = amended(Stage::Range, "", &[A], &[A, B]).with(|policy| policy.designs.clear());
    work.helps(&[
        "newly allowed: src/b.rs (line 8)",
        "review them: they allow nothing here, only on branches that use this design",
    ]);
}

#[test]
fn each_design_of_a_range_has_its_own_finding() {
    let work = with_designs(Stage::Range, "", |settings| {
        let design = |path: &str, rows: &[&str]| {
            let mut design = governing(path, &document(rows), settings);
            design.before = None;
            design
        };
        vec![
            design("docs/lld/LLD-1.md", &[A, B]),
            design("docs/lld/LLD-2.md", &[C]),
        ]
    });
    work.says(&[
        "warning scope-amended docs/lld/LLD-1.md: the branch adds 2 rows to the design docs/lld/LLD-1.md",
        "warning scope-amended docs/lld/LLD-2.md: the branch adds a row to the design docs/lld/LLD-2.md",
    ]);
}

#[test]
fn ten_new_rows_are_listed() {
    for (count, end) in [
        (10, "src/9.rs (line 16)"),
        (11, "src/9.rs (line 16) and 1 more"),
        (13, " and 3 more"),
    ] {
        let rows: Vec<String> = (0..count)
            .map(|at| format!("`src/{at}.rs` | Add | x"))
            .collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let work = amended(Stage::Range, "", &[], &rows);
        let listed = &work.findings()[0].help[0];
        assert!(listed.ends_with(end), "{}", &**listed);
    }
}

#[test]
fn untouched_rows_of_a_range_are_notes_where_the_settings_want_them() {
    let on = "[rules]\nrow-untouched = \"note\"\n";
    let rows = [A, B, "`lib/` | Modify | x", "`*.md` | Modify | x"];
    let changed = |stage, settings| {
        work(stage, settings, &rows)
            .modify("src/a.rs", "a\n", "b\n")
            .add("lib/x", "")
    };
    let work = changed(Stage::Range, on);
    let findings: Vec<String> = work
        .findings()
        .iter()
        .map(said)
        .filter(|said| said.starts_with("note"))
        .collect();
    assert_eq!(
        findings,
        [
            "note row-untouched src/b.rs: src/b.rs is allowed, but the branch does not change it",
            "note row-untouched *.md: *.md is allowed, but the branch does not change it",
        ]
    );
    for (stage, settings) in [
        (Stage::Range, ""),
        (Stage::Commit, on),
        (Stage::Step, on),
        (Stage::Request, on),
    ] {
        let findings = changed(stage, settings).findings();
        assert!(
            findings
                .iter()
                .all(|finding| finding.rule != Rule::RowUntouched),
            "{stage:?}"
        );
    }
}

#[test]
fn only_rows_in_force_of_the_branchs_own_designs_are_done_or_open() {
    let work = |change: fn(&mut Governing)| {
        with_designs(Stage::Range, "", |settings| {
            let mut design = governing(DESIGN, &document(&[A, A, B]), settings);
            change(&mut design);
            vec![design]
        })
    };
    let count = |work: &Work, path: &str| {
        let (done, open) = done_and_open(&work.policy, [BStr::new(path)].into_iter());
        (done.len(), open.len())
    };
    let own = work(|_| ());
    assert_eq!(count(&own, "src/a.rs"), (2, 1));
    assert_eq!(count(&own, "src/z.rs"), (0, 3));
    assert_eq!(
        count(&work(|design| design.in_force = false), "src/a.rs"),
        (0, 0)
    );
    let standing = work(|design| design.chosen_by = crate::policy::ChosenBy::Standing);
    assert_eq!(count(&standing, "src/a.rs"), (0, 0));
    let skipped = work(|_| ()).with(|policy| policy.scope = None);
    assert_eq!(count(&skipped, "src/a.rs"), (0, 0));
}

/// A range under a limit of 50 lines that brings another one.
fn with_next_limit(lines: usize) -> Work {
    let next =
        format!("[lld]\npath = \"docs/lld/LLD-{{issue}}.md\"\n[destructive]\nlines = {lines}\n");
    let next = guard_toml::parse(next.as_bytes()).unwrap();
    work(Stage::Range, "[destructive]\nlines = 50\n", &ROWS)
        .add("src/x.rs", "a\n")
        .with(|policy| policy.next_settings = Some(Box::new(next)))
}

#[test]
fn settings_that_a_range_weakens_are_noted_for_reviewers() {
    with_next_limit(50).says(&[]);
    let weaker = with_next_limit(500);
    weaker.says(&[
        "note policy-changed guard.toml: the branch weakens `[destructive] lines` in guard.toml",
    ]);
    weaker.helps(&["review them like the code; they count for work that begins after the merge"]);
    let facts = serde_json::json!({"weakened": ["`[destructive] lines`"]});
    assert_eq!(weaker.details(), facts);
}

/// A range whose design a trailer of a commit chose.
fn chosen_by_trailer(settings: &str) -> Work {
    let commit = ObjectId::from_hex(&b"c".repeat(40)).unwrap();
    with_designs(Stage::Range, settings, |settings| {
        let mut design = governing(DESIGN, &document(&["`src/` | Add | x"]), settings);
        design.chosen_by = ChosenBy::Trailer(commit);
        vec![design]
    })
    .add("src/x.rs", "a\n")
}

#[test]
fn a_design_that_only_a_trailer_chose_is_told_to_reviewers() {
    let warning = format!(
        "warning scope-amended {DESIGN}: {DESIGN} applies only because commit cccccccccccc names it"
    );
    chosen_by_trailer("").says(&[&warning]);
    assert_eq!(
        chosen_by_trailer("").details(),
        serde_json::json!({"commit": "cccccccccccc"})
    );
    // What joins every branch, and what the branch itself brings, are no surprise.
    let standing = format!("[lld]\nstanding = [\"{DESIGN}\"]\n");
    chosen_by_trailer(&standing).says(&[]);
    let said: Vec<String> = chosen_by_trailer("")
        .add(DESIGN, &document(&["`src/` | Add | x"]))
        .findings()
        .iter()
        .map(said)
        .collect();
    assert!(!said.contains(&warning), "{said:?}");
}
