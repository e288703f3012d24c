//! GitLab's Code Quality report: one array of issues.
//!
//! GitLab requires a description, a check name, a unique fingerprint, a severity (info, minor, major, critical,
//! blocker), and a path with a line.

use std::io::{self, Write};

use gix::ObjectId;
use gix::bstr::ByteSlice;
use serde_json::{Value, json};

use super::json::{Streamed, write_document};
use super::place::{ReportPlace, hashes, places};
use super::texts::{RunResult, advice, cannot_judge, ordered, sentence};
use write_guard_policy::error::Error;
use write_guard_policy::finding::json::path_text;
use write_guard_policy::finding::{Finding, Level};
use write_guard_policy::scope::settings;
use write_guard_policy::sha256::sha256;

pub(super) fn report(
    RunResult { verdict, failure }: RunResult<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let findings = ordered(&verdict.findings);
    let fingerprints = hashes(&findings);
    let place = places(verdict);
    let failed = failure.map(no_verdict);
    let issues = Streamed(|| {
        let found = findings.iter().zip(&fingerprints);
        let found =
            found.map(|(finding, fingerprint)| issue(finding, &place(finding), fingerprint));
        failed.iter().cloned().chain(found)
    });
    write_document(&issues, out)
}

fn issue(finding: &Finding, place: &ReportPlace, fingerprint: &ObjectId) -> Value {
    json!({
        "description": described(finding),
        "check_name": finding.rule.id(),
        "fingerprint": fingerprint.to_string(),
        "severity": severity(finding),
        "location": {"path": path_text(place.path.as_bstr()), "lines": {"begin": place.line}},
    })
}

fn no_verdict(error: &Error) -> Value {
    json!({
        "description": cannot_judge(error),
        "check_name": "guard",
        "fingerprint": sha256(error.message.as_bytes()).to_string(),
        "severity": "blocker",
        "location": {"path": settings::FILE, "lines": {"begin": 1}},
    })
}

fn described(finding: &Finding) -> String {
    let sentence = sentence(finding);
    match advice(finding).join(" ") {
        advice if advice.is_empty() => sentence,
        advice => format!("{sentence}; {advice}"),
    }
}

fn severity(finding: &Finding) -> &'static str {
    match finding.level {
        Level::Error if finding.rule.is_always() => "blocker",
        Level::Error => "critical",
        Level::Warning => "minor",
        Level::Note => "info",
    }
}
