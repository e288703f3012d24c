use super::*;
use crate::verdict::{CheckAnswers, CheckResult};

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
                kind: Some("refused"),
                violation: None,
                design: None,
            },
        ],
        notes: Vec::new(),
    }
}

fn write_check(report: &CheckAnswers, format: Format) -> String {
    let mut out = Vec::new();
    super::super::write_check(report, format, &mut out, &Style::default()).unwrap();
    String::from_utf8(out).unwrap()
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
fn answers_in_json() {
    insta::assert_snapshot!(write_check(&check(), Format::Json));
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
