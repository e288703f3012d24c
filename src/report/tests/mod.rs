#![allow(clippy::unwrap_used)]

mod answers;
mod human;
mod machines;
mod page;

use super::texts::ordered;
use super::*;
use gix::bstr::BString;

use write_guard_policy::finding::{Anchor, Finding, Help, Level, Rule};
use write_guard_policy::verdict::{DesignUsed, JudgedChange, Outcome, Source, SourceKind, Texts};

const DESIGN: &str = "docs/lld/LLD-188.md";
const ROW: &str = "| `src/utils/lld.rs` | Add | path enforcement |";
/// What a hostile name or text may hold: escape sequences, line ends, tab, NUL,
/// DEL, C1, bidirectional and invisible characters.
const HOSTILE: &str = "x\u{1b}[31m\r\n\t\0\u{7f}\u{9b}2J\u{202e}\u{2066}\u{200b}\u{2028}\u{feff}y";

/// The place of `marked` in `row`, the 24th line of the design.
fn anchor(row: &str, marked: &str, label: &str) -> (Texts, Anchor) {
    let text = format!("{}{row}\nlast\n", "\n".repeat(23));
    let start = text.find(marked).unwrap();
    let anchor = Anchor {
        path: DESIGN.into(),
        span: start..start + marked.len(),
        line: 24,
        column: row[..row.find(marked).unwrap()].chars().count() + 1,
        label: label.into(),
    };
    (Texts::from([(DESIGN.into(), text)]), anchor)
}

fn out_of_scope(path: &str, at: Anchor) -> Finding {
    Finding::new(
        Rule::OutOfScope,
        path,
        format!("{path} is not in the design"),
    )
    .at(at)
    .help("write src/utils/lld.rs, or add this row and commit the design first:")
    .help(Help::Row(format!("| `{path}` | Add | … |")))
}

fn change(path: &str) -> JudgedChange {
    JudgedChange {
        path: path.into(),
        action: "add",
        class: "NEW",
        ..JudgedChange::default()
    }
}

fn design() -> DesignUsed {
    DesignUsed {
        path: DESIGN.into(),
        from: "HEAD".into(),
        selected_by: "branch name".into(),
        grants: 3,
        is_standing: false,
    }
}

/// One refused and one accepted file.
fn refused() -> Verdict {
    let (texts, at) = anchor(ROW, "`src/utils/lld.rs`", "closest path in the design");
    let mut finding = out_of_scope("src/core/lld.rs", at);
    finding.closest = Some("src/utils/lld.rs".into());
    Verdict {
        source: Source {
            kind: SourceKind::Index,
            base: Some("0123456789abcdef0123456789abcdef01234567".into()),
            head: None,
            repository: None,
            branch: Some("188-paths".into()),
            reverts: None,
        },
        designs: vec![design()],
        findings: vec![finding.detail("kind", "name")],
        changes: vec![change("src/utils/lld.rs"), change("src/core/lld.rs")],
        notes: vec!["docs/lld/LLD-188.md was read from HEAD".into()],
        texts,
        ..Verdict::default()
    }
}

/// A file of which most would be lost, without a place in the design.
fn destructive() -> Verdict {
    let finding = Finding::new(
        Rule::DestructiveChange,
        "src/state.py",
        "src/state.py would lose 230 of 270 lines",
    )
    .help(Help::run(
        "take it back",
        "git restore --staged --worktree src/state.py",
    ));
    Verdict {
        designs: vec![design()],
        findings: vec![finding],
        changes: vec![JudgedChange {
            path: "src/state.py".into(),
            action: "modify",
            class: "REPLACE",
            original_lines: Some(270),
            new_lines: Some(56),
            lost_share: Some(230.0 / 270.0),
            lost_of_all: Some(230.0 / 270.0),
            preview: Some("@@ -1,2 +1,2 @@\n-\told\n+\tnew\n same\n".into()),
            ..JudgedChange::default()
        }],
        ..Verdict::default()
    }
}

fn write(report: &Verdict, format: Format, style: &Style) -> String {
    written(|to| super::write(report, to), format, style)
}

/// What a report writes.
fn written(
    write: impl FnOnce(Target<'_>) -> io::Result<()>,
    format: Format,
    style: &Style,
) -> String {
    let mut out = Vec::new();
    let to = Target {
        out: &mut out,
        format,
        style,
    };
    write(to).unwrap();
    String::from_utf8(out).unwrap()
}

fn plain(report: &Verdict) -> String {
    write(report, Format::Human, &Style::default())
}

fn columns(width: usize) -> Style {
    Style {
        width,
        ..Style::default()
    }
}

fn assert_clean(text: &str) {
    for c in text.chars() {
        assert!(
            c == '\n' || !write_guard_policy::path::is_hostile(c),
            "{c:?} in:\n{text}"
        );
    }
}

#[test]
fn findings_come_most_serious_first_then_by_path_then_by_rule() {
    let mut note = Finding::new(Rule::RowUntouched, "a", "1");
    note.level = Level::Note;
    let warning = Finding::new(Rule::PortableName, "a", "2");
    let b = Finding::new(Rule::OutOfScope, "b", "3");
    let a_late = Finding::new(Rule::DestructiveChange, "a", "4");
    let a = Finding::new(Rule::OutOfScope, "a", "5");
    let mut findings = vec![note, warning, b, a_late, a];
    let order = |findings: &[Finding]| -> String {
        ordered(findings)
            .iter()
            .map(|f| f.message.as_str())
            .collect()
    };
    assert_eq!(order(&findings), "54321");
    findings.reverse();
    assert_eq!(order(&findings), "54321");
}

#[test]
fn an_error_refuses_with_exit_code_1() {
    let report = refused();
    assert_eq!(report.outcome(), Outcome::Refused);
    assert_eq!(report.exit_code(), 1);
    assert_eq!(Verdict::default().exit_code(), 0);
}
