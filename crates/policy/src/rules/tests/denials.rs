//! What designs forbid: front matters and rows that say DO NOT MODIFY.

use super::*;
use crate::policy::ChosenBy;
use crate::scope::DenialSource;
use crate::scope::testing::denial;

const OTHER: &str = "docs/lld/LLD-2.md";
const SECRET: &str = "src/secret.rs";

/// A design of these rows that forbids these paths.
fn forbidding(
    path: &str,
    rows: &[&str],
    source: DenialSource,
    paths: &[&str],
    settings: &Settings,
) -> Governing {
    let mut governing = governing(path, &document(rows), settings);
    let denials = paths.iter().map(|denied| denial(path, denied, source));
    governing.design.denials = denials.collect();
    governing
}

/// Work under a design of these rows whose front matter forbids these paths, beside another design.
fn forbidden(settings: &str, rows: &[&str], paths: &[&str], other: Option<&str>) -> Work {
    with_designs(Stage::Commit, settings, |settings| {
        let source = DenialSource::FrontMatter;
        let mut designs = vec![forbidding(DESIGN, rows, source, paths, settings)];
        designs.extend(other.map(|row| governing(OTHER, &document(&[row]), settings)));
        designs
    })
}

/// Work under a design of these rows, one more of which says DO NOT MODIFY.
fn frozen(stage: Stage, settings: &str, rows: &[&str], path: &str) -> Work {
    with_designs(stage, settings, |settings| {
        let source = DenialSource::Row;
        vec![forbidding(DESIGN, rows, source, &[path], settings)]
    })
}

/// The rules that a change breaks, with their paths.
fn broken(work: &Work) -> Vec<String> {
    let findings = work.findings();
    let broken = findings
        .iter()
        .filter(|one| one.level == Level::Error)
        .map(|one| format!("{} {}", one.rule.id(), one.path.as_ref().unwrap()));
    broken.collect()
}

#[test]
fn what_the_front_matter_forbids_no_row_of_the_design_grants() {
    for (row, denied) in [
        ("`src/secret.rs` | Modify | x", SECRET),
        ("`src/` | Modify | x", SECRET),
        ("`src/**` | Modify | x", SECRET),
        ("`src/` | Modify | x", "src/*.rs"),
        ("`src/` | Modify | x", "src/"),
        ("`src/` | Modify | x", "src"),
        ("`lib.rs` | Modify | x", SECRET),
    ] {
        let work = forbidden("", &[row], &[denied], None).modify(SECRET, "a\n", "a\nb\n");
        work.says(&["error protected-path src/secret.rs: src/secret.rs is forbidden by the front matter of the design"]);
        let finding = &work.findings()[0];
        let at = finding.design.as_ref().unwrap();
        assert_eq!(at.path, DESIGN, "{row} {denied}");
    }
    let work = forbidden("", &["`src/` | Modify | x"], &[SECRET], None);
    let work = work.modify("src/open.rs", "a\n", "a\nb\n");
    work.says(&[]);
}

#[test]
fn a_row_of_another_design_grants_what_a_front_matter_forbids() {
    let rows = ["`src/` | Modify | x"];
    let work = |other| forbidden("", &rows, &[SECRET], Some(other));
    let granted = work("`src/secret.rs` | Modify | x").modify(SECRET, "a\n", "a\nb\n");
    granted.says(&[]);
    // Only with the action of that row: the own row does not count.
    let deleted = work("`src/secret.rs` | Add | x").modify(SECRET, "a\n", "a\nb\n");
    let deleted = deleted.began_with(&[(SECRET, Some("a\n"))]);
    assert_eq!(broken(&deleted), ["action-not-granted src/secret.rs"]);
}

#[test]
fn standing_designs_and_always_do_not_grant_what_a_front_matter_forbids() {
    let work = with_designs(
        Stage::Commit,
        "[scope]\nalways = [\"src/\"]\n",
        |settings| {
            let source = DenialSource::FrontMatter;
            let own = forbidding(
                DESIGN,
                &["`a.rs` | Modify | x"],
                source,
                &["src/"],
                settings,
            );
            let mut standing = governing(OTHER, &document(&["`src/` | Modify | x"]), settings);
            standing.chosen_by = ChosenBy::Standing;
            vec![own, standing]
        },
    );
    let work = work.modify(SECRET, "a\n", "a\nb\n");
    assert_eq!(broken(&work), ["protected-path src/secret.rs"]);
}

#[test]
fn a_row_that_says_do_not_modify_refuses_every_change_at_every_moment() {
    let grants = [
        "`src/secret.rs` | Add/Modify | x",
        "`src/` | Modify | x",
        "`src/secret.rs` | Delete | x",
    ];
    for stage in [Stage::Commit, Stage::Range, Stage::Step, Stage::Request] {
        for settings in [
            "",
            "[scope]\nalways = [\"src/\"]\nprotect-tests = \"off\"\n",
        ] {
            let work = || frozen(stage, settings, &grants, SECRET);
            for work in [
                work().add(SECRET, "a\n"),
                work().modify(SECRET, "a\n", "a\nb\n"),
                work().delete(SECRET, "a\n"),
            ] {
                let told = work.findings();
                let errors: Vec<String> = told
                    .iter()
                    .filter(|one| one.level == Level::Error)
                    .map(said)
                    .collect();
                let why = "must stay as it is: its row says DO NOT MODIFY";
                let expected = format!("error protected-path {SECRET}: {SECRET} {why}");
                assert_eq!(errors, [expected], "{stage:?} {settings}");
            }
        }
    }
    // Another design does not help.
    let work = with_designs(Stage::Commit, "", |settings| {
        let source = DenialSource::Row;
        vec![
            forbidding(DESIGN, &grants, source, &[SECRET], settings),
            governing(OTHER, &document(&grants), settings),
        ]
    });
    let work = work.modify(SECRET, "a\n", "a\nb\n");
    assert_eq!(broken(&work), ["protected-path src/secret.rs"]);
}

#[test]
fn a_denial_is_explained_without_a_row_to_add() {
    let work = |source| {
        with_designs(Stage::Commit, "", |settings| {
            vec![forbidding(
                DESIGN,
                &["`a.rs` | Modify | x"],
                source,
                &[SECRET],
                settings,
            )]
        })
        .delete(SECRET, &lines("secret", 200))
    };
    let leave_out = "to leave it out of the commit: git restore --staged -- src/secret.rs";
    let front_matter = work(DenialSource::FrontMatter);
    let findings = front_matter.findings();
    let denied = findings
        .iter()
        .find(|one| one.rule == Rule::ProtectedPath)
        .unwrap();
    let help: Vec<&str> = denied.help.iter().map(|help| &**help).collect();
    assert_eq!(
        help,
        [
            "leave it as it is; if it must change, a person may take it off this list in docs/lld/LLD-1.md, and commit the design first",
            leave_out,
        ]
    );
    assert_eq!(denied.details["denied_by"], "front-matter");
    let row = work(DenialSource::Row).findings();
    for finding in findings.iter().chain(&row) {
        assert!(
            !finding.help.iter().any(crate::finding::Help::is_row),
            "{finding:?}"
        );
    }
    let denied = row
        .iter()
        .find(|one| one.rule == Rule::ProtectedPath)
        .unwrap();
    assert!(denied.help[0].contains("may change this row in docs/lld/LLD-1.md"));
    assert_eq!(denied.design.as_ref().unwrap().label, "DO NOT MODIFY");
}

#[test]
fn a_person_can_approve_the_change_of_a_denied_path() {
    let work = frozen(Stage::Commit, "", &[], SECRET);
    let work = work.modify(SECRET, "a\n", "a\nb\n").approve(SECRET);
    assert_eq!(broken(&work), [""; 0]);
}

#[test]
fn a_change_back_to_the_merge_base_is_not_denied() {
    let work = frozen(Stage::Commit, "", &[], SECRET).modify(SECRET, "b\n", "a\n");
    assert_eq!(broken(&work.began_with(&[(SECRET, Some("a\n"))])), [""; 0]);
}

#[test]
fn where_the_rule_only_warns_a_denied_path_is_out_of_scope() {
    for level in ["warning", "off"] {
        let settings = format!("[rules]\nprotected-path = \"{level}\"\n");
        let work = forbidden(&settings, &["`src/` | Modify | x"], &[SECRET], None);
        let work = work.modify(SECRET, "a\n", "a\nb\n");
        assert_eq!(broken(&work), ["out-of-scope src/secret.rs"], "{level}");
        let findings = work.findings();
        let refused = findings
            .iter()
            .find(|one| one.rule == Rule::OutOfScope)
            .unwrap();
        assert!(refused.help[0].contains("take it off this list"));
    }
}

#[test]
fn a_design_can_be_amended_whatever_it_forbids() {
    let work = forbidden("", &["`a.rs` | Modify | x"], &["docs/", "guard.toml"], None);
    let text = lines("line", 20);
    let work = work.modify(DESIGN, &text, &format!("{text}more\n"));
    assert_eq!(broken(&work), [""; 0]);
    // Other documents are not in force here.
    let work = forbidden("", &["`a.rs` | Modify | x"], &["docs/"], None);
    let work = work.modify(OTHER, "a\n", "a\nb\n");
    assert_eq!(broken(&work), ["protected-path docs/lld/LLD-2.md"]);
}

#[test]
fn denials_count_where_no_scope_is_judged() {
    let work = frozen(Stage::Commit, "", &["`src/` | Modify | x"], SECRET);
    let work = Work {
        policy: work.policy.without_scope(),
        ..work
    };
    let work = work
        .modify(SECRET, "a\n", "a\nb\n")
        .modify("else.rs", "a\n", "b\n");
    assert_eq!(broken(&work), ["protected-path src/secret.rs"]);
}

#[test]
fn no_denied_path_is_suggested_or_left_in_the_design_in_force() {
    let rows = ["`src/secret.rs` | Add | x", "`lib/` | Modify | x"];
    let work = forbidden("", &rows, &[SECRET], None).add("core/secret.rs", "a\n");
    let finding = &work.findings()[0];
    assert_eq!(finding.rule, Rule::OutOfScope);
    assert_eq!(finding.closest, None);
    let grants = &work.policy.designs[0].design.grants;
    let paths: Vec<String> = grants.iter().map(|grant| grant.path.to_string()).collect();
    assert_eq!(paths, ["lib"]);
}

/// A commit that changes a design; both versions forbid these paths.
fn amending(before: &[&str], after: &[&str], source: DenialSource) -> Work {
    with_designs(Stage::Commit, "", |settings| {
        let rows = ["`src/` | Modify | x", "`a.rs` | Modify | x"];
        let mut governing = forbidding(DESIGN, &rows, source, before, settings);
        let proposed = forbidding(DESIGN, &rows, source, after, settings);
        governing.proposed = Some(proposed.design);
        vec![governing]
    })
}

/// A file of the design changes, too.
fn with_code(work: Work) -> Work {
    work.modify("a.rs", "a\n", "a\nb\n")
}

#[test]
fn a_commit_that_lifts_a_denial_together_with_code_widens_its_scope() {
    for source in DenialSource::VARIANTS.iter().copied() {
        for denied in [SECRET, "src/secret/", "src/*.rs", "src/"] {
            let file = if denied == "src/secret/" {
                "src/secret/a.rs"
            } else {
                SECRET
            };
            let lifted = amending(&[denied], &[], source).modify(file, "a\n", "a\nb\n");
            let broken_by_it = broken(&lifted);
            assert!(
                broken_by_it.contains(&"scope-amended docs/lld/LLD-1.md".to_owned()),
                "{source:?} {denied}: {broken_by_it:?}"
            );
            let other = with_code(amending(&[denied], &[], source));
            assert_eq!(broken(&other), [""; 0], "{source:?} {denied}");
            let same = with_code(amending(&[denied], &[denied], source));
            assert_eq!(broken(&same), [""; 0], "{source:?} {denied}");
            let more = with_code(amending(&[], &[denied], source));
            assert_eq!(broken(&more), [""; 0], "{source:?} {denied}");
        }
        // What no row covers may be allowed to no one.
        let work = with_code(amending(&["lib/x.rs"], &[], source));
        assert_eq!(broken(&work), [""; 0], "{source:?}");
    }
}

#[test]
fn a_range_that_lifts_a_denial_lists_the_rows_that_allow_more() {
    let work = with_designs(Stage::Range, "", |settings| {
        let rows = ["`src/` | Modify | x", "`lib/` | Modify | x"];
        let source = DenialSource::FrontMatter;
        let before = forbidding(DESIGN, &rows, source, &["src/secret.rs"], settings);
        let mut now = governing(DESIGN, &document(&rows), settings);
        now.before = Some(before.design);
        vec![now]
    });
    let work = work.modify("src/open.rs", "a\n", "a\nb\n");
    let work = work.modify("lib/x.rs", "a\n", "a\nb\n");
    work.says(&["warning scope-amended docs/lld/LLD-1.md: the branch adds a row to the design docs/lld/LLD-1.md"]);
    assert_eq!(work.details()["added"][0], "src");
}
