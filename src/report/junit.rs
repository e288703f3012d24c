//! JUnit's XML: one test case a change, one failure an error.
//!
//! Findings at a path that is no change, such as a design, have a test case of
//! their own. Warnings and notes fail nothing and stand in `system-out`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use gix::bstr::BString;

use super::{ChangeLine, Report, advice, cannot_judge, escape, ordered, sentence};
use crate::error::Error;
use crate::finding::{Finding, Level};
use crate::path::show;

/// A test case and what was found at it.
struct Case<'a> {
    class: String,
    name: String,
    findings: Vec<&'a Finding>,
}

pub(super) fn report(report: &Report, failure: Option<&Error>) -> String {
    let cases = cases(report);
    let failures = cases.iter().filter(|case| case.fails()).count();
    let errors = usize::from(failure.is_some());
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\"",
        cases.len() + errors
    );
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"guard\" {counts}>\n  \
         <testsuite name=\"guard\" {counts} skipped=\"0\">\n"
    );
    if let Some(error) = failure {
        push(
            &mut out,
            format_args!("    <testcase classname=\"guard\" name=\"verdict\">\n"),
        );
        push(
            &mut out,
            format_args!(
                "      <error type=\"could-not-judge\" message=\"{}\"/>\n    </testcase>\n",
                xml(&cannot_judge(error))
            ),
        );
    }
    for case in &cases {
        case.write(&mut out);
    }
    if !report.notes.is_empty() {
        let notes = xml_lines(&report.notes.join("\n"));
        push(
            &mut out,
            format_args!("    <system-out>{notes}</system-out>\n"),
        );
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

/// The changes in order, then the other paths in order.
fn cases(report: &Report) -> Vec<Case<'_>> {
    let mut by_path: BTreeMap<Option<&BString>, Vec<&Finding>> = BTreeMap::new();
    for finding in ordered(&report.findings) {
        let document = finding.design.as_ref().map(|at| &at.path);
        let path = finding.path.as_ref().or(document);
        by_path.entry(path).or_default().push(finding);
    }
    let mut seen = BTreeSet::new();
    let mut cases: Vec<_> = report
        .ordered_changes()
        .into_iter()
        .filter(|change| seen.insert((&change.path, change.action)))
        .map(|change: &ChangeLine| Case {
            class: format!("guard.{}", change.action),
            name: show(&change.path).to_string(),
            findings: by_path.remove(&Some(&change.path)).unwrap_or_default(),
        })
        .collect();
    cases.extend(by_path.into_iter().map(|(path, findings)| Case {
        class: "guard.document".to_owned(),
        name: path.map_or_else(|| "guard".to_owned(), |path| show(path).to_string()),
        findings,
    }));
    cases
}

impl Case<'_> {
    fn fails(&self) -> bool {
        self.findings.iter().any(|f| f.level == Level::Error)
    }

    fn write(&self, out: &mut String) {
        let (class, name) = (xml(&self.class), xml(&self.name));
        let head = format!("    <testcase classname=\"{class}\" name=\"{name}\"");
        if self.findings.is_empty() {
            push(out, format_args!("{head}/>\n"));
            return;
        }
        push(out, format_args!("{head}>\n"));
        let (errors, remarks): (Vec<&Finding>, Vec<&Finding>) = self
            .findings
            .iter()
            .copied()
            .partition(|finding| finding.level == Level::Error);
        for finding in errors {
            let mut body = advice(finding);
            if let Some(at) = &finding.design {
                let place = format!("{}:{}:{}", show(&at.path), at.line, at.column);
                body.insert(0, place);
            }
            push(
                out,
                format_args!(
                    "      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                    finding.rule.id(),
                    xml(&sentence(finding)),
                    xml_lines(&body.join("\n")),
                ),
            );
        }
        if !remarks.is_empty() {
            let lines: Vec<_> = remarks
                .into_iter()
                .map(|finding| {
                    let (level, rule) = (finding.level.name(), finding.rule.id());
                    xml(&format!("{level}[{rule}]: {}", sentence(finding)))
                })
                .collect();
            push(
                out,
                format_args!("      <system-out>{}</system-out>\n", lines.join("\n")),
            );
        }
        out.push_str("    </testcase>\n");
    }
}

/// One line as an attribute's value or as text. XML 1.0 has no way to write a
/// control character, not even by its number.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in escape::text(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => push(&mut out, format_args!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    escape::brackets(out, "&#91;")
}

/// Lines of text; none of them can start a command in the log of a CI system.
fn xml_lines(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(xml).collect();
    escape::commands(lines.join("\n"))
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(text);
}
