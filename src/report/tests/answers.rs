//! The answers of `guard check` and `guard scope`.

use super::*;
use write_guard_policy::design::Mention;
use write_guard_policy::error::FailureKind;
use write_guard_policy::scope::{Actions, Denial, DenialSource, Grant, GrantKind};
use write_guard_policy::verdict::{
    CheckAnswers, CheckResult, PromptSection, Protection, ScopeGrant, ScopeListing,
};

fn check() -> CheckAnswers {
    let (_, at) = anchor(ROW, "`src/utils/lld.rs`", "");
    CheckAnswers {
        results: vec![
            CheckResult {
                requested_path: "src/utils/lld.rs".into(),
                path: Some("src/utils/lld.rs".into()),
                absolute_path: Some("/project/src/utils/lld.rs".into()),
                allowed: true,
                closest_match: None,
                reason: "granted by docs/lld/LLD-188.md:24".into(),
                rule: None,
                kind: None,
                violation: None,
                design: Some(at),
            },
            CheckResult {
                requested_path: "./src/core/lld.rs".into(),
                path: Some("src/core/lld.rs".into()),
                absolute_path: Some("/project/src/core/lld.rs".into()),
                allowed: false,
                closest_match: Some("src/utils/lld.rs".into()),
                reason: "not in the design".into(),
                rule: Some(Rule::OutOfScope),
                kind: Some(FailureKind::Refused),
                violation: None,
                design: None,
            },
        ],
        notes: Vec::new(),
    }
}

fn write_check(report: &CheckAnswers, format: Format) -> String {
    let style = Style::default();
    written(|to| super::super::write_check(report, to), format, &style)
}

#[test]
fn answers_for_people() {
    assert_eq!(
        write_check(&check(), Format::Human),
        "allowed src/utils/lld.rs (docs/lld/LLD-188.md:24)\n\
         refused ./src/core/lld.rs = src/core/lld.rs: not in the design; \
         closest: src/utils/lld.rs [out-of-scope]\n"
    );
    assert_eq!(check().exit_code(), 1);
}

#[test]
fn a_hostile_answer_is_escaped() {
    let mut report = check();
    report.results[1].requested_path = HOSTILE.into();
    report.results[1].path = Some(HOSTILE.into());
    report.results[1].closest_match = Some(HOSTILE.into());
    report.results[1].reason = HOSTILE.into();
    let text = write_check(&report, Format::Human);
    assert_clean(&text);
    assert_eq!(text.lines().count(), 2);
    assert_clean(&write_check(&report, Format::Json));
}

fn scope() -> ScopeListing {
    let (texts, at) = anchor(ROW, "`src/utils/lld.rs`", "");
    let grant = Grant {
        path: "src/utils/lld.rs".into(),
        kind: GrantKind::File,
        actions: Actions::ADD | Actions::MODIFY_NEW,
        change_type: "Add".into(),
        renamed: None,
        form: write_guard_policy::scope::GrantForm::Table,
        description: "path enforcement".into(),
        anchor: at.clone(),
    };
    let tests = Grant {
        path: "tests".into(),
        kind: GrantKind::Directory,
        actions: Actions::ADD | Actions::MODIFY,
        renamed: Some("old".into()),
        ..grant.clone()
    };
    let mention = Anchor {
        line: 26,
        column: 3,
        ..at.clone()
    };
    let denial = |path: &str, kind, source, line| Denial {
        path: path.into(),
        kind,
        source,
        description: String::new(),
        anchor: Anchor { line, ..at.clone() },
    };
    let denials = vec![
        denial(
            "src/secret",
            GrantKind::Directory,
            DenialSource::FrontMatter,
            3,
        ),
        denial("src/frozen.rs", GrantKind::File, DenialSource::Row, 27),
    ];
    let line = |grant, protection| ScopeGrant {
        grant,
        exists: false,
        protection,
    };
    ScopeListing {
        designs: vec![DesignUsed {
            path: DESIGN.into(),
            from: "HEAD".into(),
            selected_by: "--lld".into(),
            grants: 2,
            is_standing: false,
        }],
        notes: vec!["a remark".into()],
        grants: vec![line(grant, None), line(tests, Some(Protection::Settings))],
        mentions: vec![Mention {
            path: "src/lib.rs".into(),
            change_type: "Exists".into(),
            anchor: mention,
        }],
        denials,
        problems: vec![
            Finding::new(Rule::DesignDuplicate, "src/utils/lld.rs", "named twice").at(at),
        ],
        texts,
    }
}

fn write_scope(report: &ScopeListing, format: Format) -> String {
    let style = Style::default();
    written(
        |to| super::super::write_scope(report, false, to),
        format,
        &style,
    )
}

#[test]
fn the_scope_for_people() {
    insta::assert_snapshot!(write_scope(&scope(), Format::Human));
}

#[test]
fn empty_scope_is_stated_and_a_fault_sets_the_exit_code() {
    let mut report = ScopeListing::default();
    assert_eq!(write_scope(&report, Format::Human), "allowed: nothing\n");
    assert_eq!(scope().exit_code(), 0);
    report
        .problems
        .push(Finding::new(Rule::DesignNoTable, DESIGN, "no table"));
    assert_eq!(report.exit_code(), 1);
}

#[test]
fn a_hostile_scope_is_escaped() {
    let mut report = scope();
    report.grants[0].grant.path = HOSTILE.into();
    report.grants[0].grant.description = HOSTILE.into();
    report.grants[0].grant.anchor.path = HOSTILE.into();
    report.mentions[0].path = HOSTILE.into();
    report.mentions[0].change_type = HOSTILE.into();
    report.mentions[0].anchor.path = HOSTILE.into();
    report.denials[0].path = HOSTILE.into();
    report.denials[0].description = HOSTILE.into();
    report.denials[0].anchor.path = HOSTILE.into();
    assert_clean(&write_scope(&report, Format::Human));
    assert_clean(&write_scope(&report, Format::Json));
}

#[test]
fn the_prompt_lists_what_the_designs_forbid() {
    let mut listing = scope();
    listing.denials[1].description = "written by the\u{202e} generator".to_owned();
    listing.mentions[0].path = "src/frozen.rs".into();
    let section = PromptSection::new(listing);
    let text = super::super::prompt_text(&section);
    let expected = "\nForbidden by the design, also below the paths above:\n\
        - src/secret/  # DO NOT MODIFY anything below\n\
        - src/frozen.rs  # DO NOT MODIFY: written by the";
    assert!(text.contains(expected), "{text}");
    // A row that says so is no mention, too.
    assert_eq!(text.matches("src/frozen.rs").count(), 1, "{text}");
    assert_clean(&text);
}

#[test]
fn denials_are_facts_for_programs() {
    let json = write_scope(&scope(), Format::Json);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let expected = serde_json::json!({
        "path": "src/secret",
        "kind": "directory",
        "source": "front-matter",
        "description": "",
        "design": DESIGN,
        "line": 3,
        "column": 3,
    });
    assert_eq!(json["denials"][0], expected);
    assert_eq!(json["denials"][1]["source"], "row");
}

#[test]
fn the_prompt_says_which_granted_paths_must_stay() {
    const FROZEN: &str = " - DO NOT MODIFY (protected)";
    const THERE: &str = " - DO NOT MODIFY (already scaffolded)";
    const BELOW: &str = " - DO NOT MODIFY the files that exist (already scaffolded)";
    use GrantKind::{Directory, File, Glob};
    use Protection::{Scaffolded, Settings};
    let add = Actions::ADD;
    let modify = Actions::MODIFY;
    for (kind, actions, protection, remark) in [
        (File, add, None, ""),
        (File, add, Some(Settings), FROZEN),
        (Directory, add | modify, Some(Settings), FROZEN),
        (File, add, Some(Scaffolded), THERE),
        (File, add | modify, Some(Scaffolded), THERE),
        (Directory, add, Some(Scaffolded), BELOW),
        (Glob, add, Some(Scaffolded), BELOW),
        (Directory, add | modify, Some(Scaffolded), ""),
        (Directory, modify, Some(Scaffolded), ""),
        (Directory, Actions::DELETE, Some(Scaffolded), ""),
    ] {
        let mut listing = scope();
        let mut line = listing.grants.remove(0);
        line.grant.kind = kind;
        line.grant.actions = actions;
        line.protection = protection;
        listing.grants = vec![line];
        let text = super::super::prompt_text(&PromptSection::new(listing));
        let line = text.lines().find(|line| line.contains("path enforcement"));
        let shown = line.unwrap().split_once("path enforcement").unwrap().1;
        assert_eq!(shown, remark, "{kind:?} {actions:?} {protection:?}");
    }
}
