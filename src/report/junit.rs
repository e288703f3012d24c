//! JUnit XML: one test case per change, one failure per error.
//!
//! Findings at another path, such as a design, get their own test case. Warnings and notes do not fail; they are in
//! `system-out`.

use std::io::{self, Write};

use gix::bstr::BString;

use super::escape;
use super::texts::{advice, cannot_judge, ordered, sentence};
use crate::error::Error;
use crate::finding::{Finding, Level};
use crate::path::escaped;
use crate::verdict::Verdict;

/// A test case and its findings.
struct TestCase<'a> {
    /// The action of the change; `None` for another path.
    action: Option<&'static str>,
    path: Option<&'a BString>,
    findings: &'a [(Option<&'a BString>, &'a Finding)],
}

pub(super) fn report(
    verdict: &Verdict,
    failure: Option<&Error>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut findings: Vec<_> = ordered(&verdict.findings)
        .into_iter()
        .map(|finding| {
            let document = finding.design.as_ref().map(|at| &at.path);
            (finding.path.as_ref().or(document), finding)
        })
        .collect();
    findings.sort_by_key(|(path, _)| *path);
    let cases = cases(verdict, &findings);
    let failures = cases.iter().filter(|case| case.fails()).count();
    let errors = usize::from(failure.is_some());
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\"",
        cases.len() + errors
    );
    write!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"guard\" {counts}>\n  \
         <testsuite name=\"guard\" {counts} skipped=\"0\">\n"
    )?;
    if let Some(error) = failure {
        write!(
            out,
            "    <testcase classname=\"guard\" name=\"verdict\">\n      \
             <error type=\"could-not-judge\" message=\"{}\"/>\n    </testcase>\n",
            xml(&cannot_judge(error))
        )?;
    }
    for case in &cases {
        case.write(out)?;
    }
    if !verdict.notes.is_empty() {
        let notes = xml_lines(&verdict.notes.join("\n"));
        writeln!(out, "    <system-out>{notes}</system-out>")?;
    }
    out.write_all(b"  </testsuite>\n</testsuites>\n")
}

/// The changes in order, then the other paths in order; `findings` are sorted by path.
fn cases<'a>(
    verdict: &'a Verdict,
    findings: &'a [(Option<&'a BString>, &'a Finding)],
) -> Vec<TestCase<'a>> {
    let mut changes = verdict.ordered_changes();
    changes.dedup_by(|a, b| (&a.path, a.action) == (&b.path, b.action));
    let mut cases: Vec<_> = changes
        .chunk_by(|a, b| a.path == b.path)
        .flat_map(|of_path| {
            let path = Some(&of_path[0].path);
            let start = findings.partition_point(|(other, _)| *other < path);
            let count = findings[start..].partition_point(|(other, _)| *other == path);
            // Findings at a path are reported once.
            of_path
                .iter()
                .enumerate()
                .map(move |(at, change)| TestCase {
                    action: Some(change.action),
                    path,
                    findings: match at {
                        0 => &findings[start..start + count],
                        _ => &[],
                    },
                })
        })
        .collect();
    let is_change = |path: Option<&BString>| {
        path.is_some_and(|path| changes.binary_search_by_key(&path, |c| &c.path).is_ok())
    };
    let others = findings
        .chunk_by(|(a, _), (b, _)| a == b)
        .filter(|found| !is_change(found[0].0));
    cases.extend(others.map(|found| TestCase {
        action: None,
        path: found[0].0,
        findings: found,
    }));
    cases
}

impl TestCase<'_> {
    fn fails(&self) -> bool {
        let mut findings = self.findings.iter();
        findings.any(|(_, finding)| finding.level == Level::Error)
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let class = self.action.unwrap_or("document");
        let name = self
            .path
            .map_or_else(|| "guard".to_owned(), |path| escaped(path).to_string());
        let name = xml(&name);
        write!(
            out,
            "    <testcase classname=\"guard.{class}\" name=\"{name}\""
        )?;
        if self.findings.is_empty() {
            return out.write_all(b"/>\n");
        }
        out.write_all(b">\n")?;
        let (errors, remarks): (Vec<&Finding>, Vec<&Finding>) = self
            .findings
            .iter()
            .map(|(_, finding)| *finding)
            .partition(|finding| finding.level == Level::Error);
        for finding in errors {
            let mut body = advice(finding);
            if let Some(at) = &finding.design {
                let place = format!("{}:{}:{}", escaped(&at.path), at.line, at.column);
                body.insert(0, place);
            }
            writeln!(
                out,
                "      <failure type=\"{}\" message=\"{}\">{}</failure>",
                finding.rule.id(),
                xml(&sentence(finding)),
                xml_lines(&body.join("\n")),
            )?;
        }
        if !remarks.is_empty() {
            let lines: Vec<_> = remarks
                .into_iter()
                .map(|finding| {
                    let (level, rule) = (finding.level.name(), finding.rule.id());
                    xml(&format!("{level}[{rule}]: {}", sentence(finding)))
                })
                .collect();
            let lines = lines.join("\n");
            writeln!(out, "      <system-out>{lines}</system-out>")?;
        }
        out.write_all(b"    </testcase>\n")
    }
}

/// Escapes one line for an attribute or text. XML 1.0 cannot represent control characters.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in escape::text(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    escape::brackets(out, "&#91;")
}

/// Escapes lines of text so that none is a command in a CI log.
fn xml_lines(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(xml).collect();
    escape::commands(lines.join("\n"))
}
