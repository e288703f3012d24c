//! JUnit XML: one test case per changed path, one failure per error.
//!
//! Findings at another path, such as a design, get their own test case. Warnings and notes do not fail; they are in
//! `system-out`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use gix::bstr::BString;

use super::texts::{self, RunResult, advice, cannot_judge, ordered, sentence};
use write_guard_policy::finding::{Finding, Level};
use write_guard_policy::path::escaped;

pub(super) fn report(
    RunResult { verdict, failure }: RunResult<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    // By path: the action of the change, or nothing for another path, and the findings.
    let mut cases: BTreeMap<Option<&BString>, (&str, Vec<&Finding>)> = BTreeMap::new();
    for change in verdict.ordered_changes() {
        let case = (change.action, Vec::new());
        cases.entry(Some(&change.path)).or_insert(case);
    }
    for finding in ordered(&verdict.findings) {
        let document = finding.design.as_ref().map(|at| &at.path);
        let case = cases.entry(finding.path.as_ref().or(document));
        case.or_insert(("document", Vec::new())).1.push(finding);
    }
    let failures = cases
        .values()
        .filter(|(_, findings)| findings.iter().any(|one| one.level == Level::Error))
        .count();
    let errors = usize::from(failure.is_some());
    let tests = cases.len() + errors;
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"");
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
    for (path, (class, findings)) in cases {
        let name = path.map_or_else(|| "guard".to_owned(), |path| escaped(path).to_string());
        let (failed, others): (Vec<&Finding>, Vec<&Finding>) = findings
            .into_iter()
            .partition(|one| one.level == Level::Error);
        let mut body: String = failed.into_iter().map(failed_case).collect();
        let remarks = others.into_iter().map(|finding| {
            let level = finding.level.name();
            let rule = finding.rule.id();
            xml(&format!("{level}[{rule}]: {}", sentence(finding)))
        });
        let remarks: Vec<String> = remarks.collect();
        if !remarks.is_empty() {
            let remarks = remarks.join("\n");
            body += &format!("      <system-out>{remarks}</system-out>\n");
        }
        let name = xml(&name);
        write!(
            out,
            "    <testcase classname=\"guard.{class}\" name=\"{name}\""
        )?;
        match &*body {
            "" => out.write_all(b"/>\n")?,
            body => write!(out, ">\n{body}    </testcase>\n")?,
        }
    }
    out.write_all(b"  </testsuite>\n</testsuites>\n")
}

fn failed_case(finding: &Finding) -> String {
    let place = finding.design.as_ref();
    let place = place.map(|at| format!("{}:{}:{}", escaped(&at.path), at.line, at.column));
    let body: Vec<_> = place.into_iter().chain(advice(finding)).collect();
    let body: Vec<_> = body.join("\n").split('\n').map(xml).collect();
    format!(
        "      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
        finding.rule.id(),
        xml(&sentence(finding)),
        texts::commands(body.join("\n")),
    )
}

/// Escapes one line for an attribute or text. XML 1.0 cannot represent control characters.
fn xml(text: &str) -> String {
    let text = texts::markup(&texts::text(text))
        .replace('\u{fffe}', "\\u{fffe}")
        .replace('\u{ffff}', "\\u{ffff}");
    texts::brackets(text)
}
