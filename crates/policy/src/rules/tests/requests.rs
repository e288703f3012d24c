//! `protected-path` and `outside-roots`, for requests and for commits.

use super::*;
use crate::verdict::Protection;

const TEST: &str = "`tests/x.rs` | Add | x";

/// The findings about a request for a path.
fn asked(settings: &str, path: &str, access: Access) -> Vec<String> {
    let settings = guard_toml::parse(settings.as_bytes()).unwrap();
    let findings = check_request(&settings, path.into(), access);
    findings.iter().map(said).collect()
}

#[test]
fn requests_stay_within_the_roots_of_their_access() {
    let roots = "[workspace]\nread = [\"docs\", \"src/\"]\nwrite = [\"src\"]\n";
    let none: [&str; 0] = [];
    assert_eq!(asked(roots, "docs/a.md", Access::Read), none);
    assert_eq!(asked(roots, "src/a.rs", Access::Write), none);
    assert_eq!(
        asked(roots, "docs/a.md", Access::Write),
        ["error outside-roots docs/a.md: docs/a.md is outside the write roots: src"]
    );
    assert_eq!(
        asked(roots, "lib/a.rs", Access::Read),
        ["error outside-roots lib/a.rs: lib/a.rs is outside the read roots: docs, src/"]
    );
    assert_eq!(asked("", "lib/a.rs", Access::Write), none);
    let settings = guard_toml::parse(roots.as_bytes()).unwrap();
    let help = &check_request(&settings, "lib/a.rs".into(), Access::Read)[0].help;
    assert_eq!(
        &*help[0],
        "`[workspace] read` in guard.toml lists the allowed directories"
    );
}

#[test]
fn requests_may_touch_no_secrets_and_write_no_settings() {
    let secret = |path: &str| {
        format!(
            "error protected-path {path}: {path} looks like a secret (`.env` in [workspace] secrets)"
        )
    };
    let own = |path: &str| format!("error protected-path {path}: {path} configures guard");
    let settings = "[workspace]\nsecrets = [\".env\"]\n";
    for (path, read, write) in [
        (".env", Some(secret(".env")), Some(secret(".env"))),
        (
            "sub/.ENV",
            Some(secret("sub/.ENV")),
            Some(secret("sub/.ENV")),
        ),
        ("env", None, None),
        ("guard.toml", None, Some(own("guard.toml"))),
        ("Guard.TOML", None, Some(own("Guard.TOML"))),
        (
            ".guard/allowed_signers",
            None,
            Some(own(".guard/allowed_signers")),
        ),
        (".guardian/x", None, None),
    ] {
        assert_eq!(
            asked(settings, path, Access::Read),
            read.into_iter().collect::<Vec<_>>()
        );
        assert_eq!(
            asked(settings, path, Access::Write),
            write.into_iter().collect::<Vec<_>>()
        );
    }
    // The settings may open secrets, but not the files that configure guard.
    let off = format!("{settings}[rules]\nprotected-path = \"off\"\n");
    assert_eq!(asked(&off, ".env", Access::Write), [""; 0]);
    assert_eq!(
        asked(&off, "guard.toml", Access::Write),
        [own("guard.toml")]
    );
}

#[test]
fn settings_of_an_agent_that_call_guard_are_closed_to_requests() {
    let asked = |path: &str, access, committed: Option<&str>| {
        let mut read = None;
        let found = refuse_request(path.into(), access, |path| {
            read = Some(path.to_string());
            Ok::<_, ()>(committed.map(|text| text.as_bytes().to_vec()))
        });
        (found.unwrap().map(|finding| said(&finding)), read)
    };
    let calls = "{\n  \"hooks\": \"guard hook claude\"\n}\n";
    let settings = ".claude/settings.json";
    let refused = |path: &str| {
        Some(format!(
            "error protected-path {path}: {path} decides whether the agent calls guard"
        ))
    };
    for (path, access, committed, expected, read) in [
        (
            settings,
            Access::Write,
            Some(calls),
            refused(settings),
            Some(settings),
        ),
        (
            ".claude/settings.local.json",
            Access::Write,
            Some(calls),
            refused(".claude/settings.local.json"),
            Some(settings),
        ),
        (settings, Access::Read, Some(calls), None, None),
        (settings, Access::Write, Some("{}\n"), None, Some(settings)),
        (settings, Access::Write, None, None, Some(settings)),
        ("src/x.json", Access::Write, Some(calls), None, None),
    ] {
        let read = read.map(str::to_owned);
        assert_eq!(asked(path, access, committed), (expected, read), "{path}");
    }
}

#[test]
fn protected_paths_may_not_change_whatever_the_rows_say() {
    let protect = "[scope]\nprotect = [\"migrations/**\"]\n";
    let work = || commit(protect, &["`migrations/` | Add/Modify | x"]).add("migrations/1.sql", "");
    work().says(&["error protected-path migrations/1.sql: migrations/1.sql is protected by `migrations/**` in guard.toml"]);
    work().helps(&[
        "no row allows a protected path; to unprotect it, change `[scope] protect` in a separate commit",
        "to leave it out of the commit: git restore --staged -- migrations/1.sql",
    ]);
    assert_eq!(
        work().details(),
        serde_json::json!({"pattern": "migrations/**"})
    );
    for stage in [Stage::Request, Stage::Range, Stage::Step] {
        let work = super::work(stage, protect, &["`migrations/` | Add/Modify | x"]);
        let work = work.add("migrations/1.sql", "");
        assert_eq!(work.findings()[0].help.len(), 1, "nothing is staged");
    }
}

/// What is kept of listed tests: stage, setting, row, whether HEAD has the file.
#[test]
fn listed_tests_that_exist_stay_as_they_are() {
    let settings = |protect: &str| format!("[scope]\nprotect-tests = \"{protect}\"\n");
    let test = "is an existing test: DO NOT MODIFY";
    for (stage, protect, row, is_new, expected) in [
        (Stage::Request, "requests", TEST, false, Some(test)),
        (Stage::Request, "off", TEST, false, None),
        (Stage::Request, "always", TEST, false, Some(test)),
        (Stage::Request, "requests", TEST, true, None),
        (
            Stage::Request,
            "requests",
            "`src/x.rs` | Add | x",
            false,
            None,
        ),
        (
            Stage::Request,
            "requests",
            "`tests/x.rs` | Add/Modify | x",
            false,
            None,
        ),
        (
            Stage::Request,
            "requests",
            "`tests/x.rs` | Modify | x",
            false,
            None,
        ),
        (Stage::Commit, "requests", TEST, false, None),
        (Stage::Commit, "always", TEST, false, Some(test)),
        (Stage::Commit, "always", TEST, true, None),
        (Stage::Range, "always", TEST, false, Some(test)),
        (Stage::Step, "requests", TEST, false, None),
    ] {
        let path = row.split('`').nth(1).unwrap();
        let old = if is_new { None } else { file("a\n") };
        let work = work(stage, &settings(protect), &[row]).step(path, old, file("a\nb\n"));
        let said: Vec<String> = work.findings().iter().map(said).collect();
        let said: Vec<&String> = said
            .iter()
            .filter(|said| said.contains("protected-path"))
            .collect();
        let expected = expected.map(|why| format!("error protected-path {path}: {path} {why}"));
        assert_eq!(
            said,
            expected.iter().collect::<Vec<_>>(),
            "{stage:?} {protect} {row}"
        );
    }
}

#[test]
fn a_kept_test_is_explained() {
    let always = "[scope]\nprotect-tests = \"always\"\n";
    let work = commit(always, &[TEST]).modify("tests/x.rs", "a\n", "b\n");
    let findings = work.findings();
    let finding = findings
        .iter()
        .find(|one| one.rule == Rule::ProtectedPath)
        .unwrap();
    assert_eq!(finding.design.as_ref().unwrap().label, "not a Modify row");
    let help: Vec<&str> = finding.help.iter().map(|help| &**help).collect();
    assert_eq!(
        help,
        [
            "make the code pass the test; if it must change, a person may write `Add/Modify` as the type of its row, and commit the design first",
            "to leave it out of the commit: git restore --staged -- tests/x.rs",
        ]
    );
}

#[test]
fn a_request_does_not_replace_a_listed_test_that_is_only_on_the_disk_where_all_are_kept() {
    for (protect, row, is_kept) in [("always", TEST, true), ("requests", TEST, false)] {
        let settings = format!("[scope]\nprotect-tests = \"{protect}\"\n");
        let beside = |work: Work| work.beside("tests/x.rs", Kind::File, "a\n");
        let request = beside(work(Stage::Request, &settings, &[row]));
        let request = request.add("tests/x.rs", "b\n");
        assert_eq!(
            request.findings().len(),
            usize::from(is_kept),
            "{protect} {row}"
        );
        let committed = beside(work(Stage::Commit, &settings, &[row])).add("tests/x.rs", "b\n");
        assert!(committed.findings().is_empty(), "{protect} {row}");
    }
}

#[test]
fn a_delete_or_rename_row_lets_a_kept_file_go() {
    let always = "[scope]\nprotect-tests = \"always\"\n";
    let deleted = |rows: &[&str]| commit(always, rows).delete("tests/x.rs", "a\n");
    let rules = |work: Work| {
        work.findings()
            .iter()
            .map(|one| one.rule)
            .collect::<Vec<_>>()
    };
    assert!(rules(deleted(&[TEST])).contains(&Rule::ProtectedPath));
    assert_eq!(rules(deleted(&[TEST, "`tests/x.rs` | Delete | x"])), []);
    let rows = [TEST, "`tests/x.rs` -> `tests/y.rs` | Rename | x"];
    assert!(rules(deleted(&rows)).contains(&Rule::ProtectedPath));
    let renamed = commit(always, &rows).rename("tests/x.rs", "tests/y.rs", "a\n", "a\n");
    assert_eq!(rules(renamed), []);
    // It may go, but not change.
    let rows = [TEST, "`tests/x.rs` | Delete | x"];
    let modified = commit(always, &rows).modify("tests/x.rs", "a\n", "b\n");
    assert!(rules(modified).contains(&Rule::ProtectedPath));
}

#[test]
fn the_prompt_marks_what_requests_may_not_change() {
    for (settings, row, is_committed, exists, expected) in [
        (
            "[scope]\nprotect = [\"src/x.rs\"]\n",
            "`src/x.rs` | Modify | x",
            false,
            false,
            Some(Protection::Settings),
        ),
        ("", TEST, true, true, Some(Protection::Scaffolded)),
        ("", TEST, false, true, None),
        (
            "[scope]\nprotect-tests = \"always\"\n",
            TEST,
            false,
            true,
            Some(Protection::Scaffolded),
        ),
        ("[scope]\nprotect-tests = \"off\"\n", TEST, true, true, None),
        ("", "`src/x.rs` | Add | x", true, true, None),
    ] {
        let work = commit(settings, &[row]);
        let scope = work.policy.scope.as_ref().unwrap();
        let grant = &scope.grants()[0];
        let found = protection(&work.policy.settings, scope, grant, is_committed, exists);
        assert_eq!(found, expected, "{settings} {row} {is_committed} {exists}");
    }
}

const OTHER: &str = "docs/lld/LLD-2.md";

/// What is said of a request to change the design of issue 2.
fn of_other_work() -> String {
    format!(
        "error out-of-scope {OTHER}: {OTHER} is a design of other work: it does not govern this branch, and this branch did not add it"
    )
}

#[test]
fn a_request_may_not_change_a_design_of_other_work() {
    let change = |stage, settings, rows: &[&str]| {
        let work = work(stage, settings, rows).modify(OTHER, "a\n", "a\nb\n");
        work.began_with(&[(OTHER, Some("a\n"))])
    };
    let request = |settings, rows: &[&str]| change(Stage::Request, settings, rows);
    request("", &[]).says(&[&of_other_work()]);
    let choose = format!(
        "leave it as it is; if it is the design of this work, a person can choose it: guard use {OTHER}"
    );
    request("", &[]).helps(&[&choose]);
    request("[scope]\nalways = [\"docs/\"]\n", &[]).says(&[&of_other_work()]);
    request("", &[&format!("`{OTHER}` | Modify | x")]).says(&[]);
    request("[rules]\nout-of-scope = \"off\"\n", &[]).says(&[]);
    // Where a design may be missing, too.
    let without_scope = request("", &[]).with(|policy| policy.scope = None);
    without_scope.says(&[&of_other_work()]);
    for stage in [Stage::Commit, Stage::Range, Stage::Step] {
        let work = change(stage, "", &[]).with(|policy| policy.designs.clear());
        work.says(&[]);
    }
    let selected = request("", &[]).with(|policy| policy.of_branch.selected = vec![OTHER.into()]);
    selected.says(&[]);
    // `[lld] path` may name several documents, of which none is chosen.
    let named = request("", &[]).with(|policy| policy.of_branch.patterns = vec![OTHER.into()]);
    named.says(&[&of_other_work()]);
}

#[test]
fn whether_a_new_design_is_of_other_work_needs_no_merge_base() {
    let unknown = |work: Work| work.with(|policy| policy.designs.clear());
    let changed = unknown(work(Stage::Request, "", &[]).modify(OTHER, "a\n", "b\n"));
    let added = unknown(work(Stage::Request, "", &[]).add(OTHER, "b\n"));
    let said = |work: &Work| work.findings().iter().map(said).collect::<Vec<_>>();
    assert_ne!(said(&changed), said(&added));
    assert!(
        said(&changed)[0].contains("other work"),
        "{:?}",
        said(&changed)
    );
    assert!(
        !said(&added).concat().contains("other work"),
        "{:?}",
        said(&added)
    );
}

#[test]
fn a_request_may_change_a_design_that_the_branch_has_added_and_take_back_its_own_change() {
    let work = || work(Stage::Request, "", &[]).modify(OTHER, "a\n", "b\n");
    work().began_with(&[(OTHER, None)]).says(&[]);
    let without = work().with(|policy| policy.designs.clear());
    without.began_with(&[(OTHER, None)]).says(&[]);
    work().began_with(&[(OTHER, Some("b\n"))]).says(&[]);
    work()
        .began_with(&[(OTHER, Some("c\n"))])
        .says(&[&of_other_work()]);
    // The merge base is unknown.
    work().says(&[&of_other_work()]);
    let help = work().findings()[0].help.len();
    assert_eq!(help, 2);
}

#[test]
fn a_new_design_is_the_one_of_the_branch_as_long_as_that_has_none() {
    let work = |patterns: &[&str]| {
        let patterns = patterns.iter().map(|one| (*one).to_owned()).collect();
        let work = with_designs(Stage::Request, "", |_| Vec::new()).add(OTHER, "a\n");
        work.with(|policy| policy.of_branch.patterns = patterns)
    };
    let refused = format!("error out-of-scope {OTHER}: {OTHER} is not the design of this branch");
    work(&["docs/lld/LLD-1.md"]).says(&[&refused]);
    work(&["docs/lld/LLD-1.md"])
        .helps(&["write the design of this branch instead: docs/lld/LLD-1.md"]);
    work(&[]).says(&[&refused]);
    work(&[OTHER]).says(&[]);
    work(&["docs/lld/*.md"]).says(&[]);
    let skips = work(&[]).with(|policy| policy.settings.missing = guard_toml::Missing::Skip);
    skips.says(&[]);
    // Where the merge base is known to lack the file, too.
    work(&[]).began_with(&[(OTHER, None)]).says(&[&refused]);
    work(&[OTHER]).began_with(&[(OTHER, None)]).says(&[]);
    let row = "`src/x.rs` | Add | x";
    super::work(Stage::Request, "", &[row])
        .add(OTHER, "a\n")
        .says(&[]);
}

#[test]
fn a_design_that_cannot_be_used_may_change_and_not_vanish() {
    let work = || {
        let work = with_designs(Stage::Request, "", |_| Vec::new());
        work.with(|policy| policy.of_branch.selected = vec![DESIGN.into()])
    };
    work().modify(DESIGN, "a\nb\nc\n", "d\n").says(&[]);
    let said =
        |what| format!("error destructive-change {DESIGN}: the governing design {DESIGN} {what}");
    work().delete(DESIGN, "a\n").says(&[&said("is deleted")]);
    let link = Some((Kind::Symlink, b"x".to_vec()));
    let becomes_link = work().step(DESIGN, file("a\n"), link).findings();
    let all: Vec<String> = becomes_link.iter().map(super::said).collect();
    assert!(
        all.contains(&said("becomes something other than a file")),
        "{all:?}"
    );
}
