//! SARIF 2.1.0 as required by GitHub's code scanning.
//!
//! Sources: OASIS SARIF 2.1.0 errata 01, and "SARIF support for code scanning" in GitHub's documentation: required
//! properties, at most 25,000 results, descriptions of at most 1024 characters. A finding on a deleted file is placed
//! at the design, because GitHub needs an existing line; the path is in the message and in `properties`.

use std::io::{self, Write};

use gix::bstr::ByteSlice;
use serde::Serialize;
use serde_json::{Value, json};

use super::json::{Streamed, write_document};
use super::place::{ReportPlace, hashes, places};
use super::texts::{RunResult, cannot_judge, in_full, ordered, uri};
use write_guard_policy::error::Error;
use write_guard_policy::finding::json::path_text;
use write_guard_policy::finding::{Finding, Level, Rule};
use write_guard_policy::scope::settings;
use write_guard_policy::sha256::sha256;

/// GitHub's limit of results per run.
const MOST_RESULTS: usize = 25_000;

/// The rule of a run that could not check.
const NO_VERDICT: &str = "could-not-judge";

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

pub(super) fn report(run: RunResult<'_>, out: &mut dyn Write) -> io::Result<()> {
    let RunResult { verdict, failure } = run;
    let mut findings = ordered(&verdict.findings);
    let rules: Vec<_> = Rule::ALL.iter().map(rule_described).collect();
    let place = places(verdict);
    let first = failure.map(no_verdict);
    let room = MOST_RESULTS - usize::from(first.is_some());
    let left_out = findings.len().saturating_sub(room);
    findings.truncate(room);
    let fingerprints = hashes(&findings);
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct SarifRun<R> {
        tool: Value,
        automation_details: Value,
        invocations: [Value; 1],
        results: R,
    }
    #[derive(Serialize)]
    struct SarifLog<R> {
        #[serde(rename = "$schema")]
        schema: &'static str,
        version: &'static str,
        runs: [SarifRun<R>; 1],
    }
    let version = env!("CARGO_PKG_VERSION");
    let run = SarifRun {
        tool: json!({"driver": {"name": "guard", "version": version, "rules": rules}}),
        automation_details: json!({"id": "guard/"}),
        invocations: [invocation(run, left_out)],
        results: Streamed(|| {
            let found = findings.iter().zip(&fingerprints);
            let found =
                found.map(|(finding, id)| result(&place(finding), finding, &id.to_string()));
            first.iter().cloned().chain(found)
        }),
    };
    let log = SarifLog {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [run],
    };
    write_document(&log, out)
}

fn rule_described(rule: &Rule) -> Value {
    let more = ["Why", "Fix", "Allow it"].map(|part| format!("\n\n{part}: {}", rule.section(part)));
    let what = rule.section("");
    json!({
        "id": rule.id(),
        "shortDescription": {"text": rule.summary()},
        "fullDescription": {"text": what},
        "help": {"text": format!("{what}{}", more.concat())},
        "defaultConfiguration": {"level": rule.default_level().name()},
    })
}

/// A failed run must contain a result. Otherwise code scanning, reviewdog and others would take it for success, and
/// earlier alerts for fixed.
fn no_verdict(error: &Error) -> Value {
    let place = ReportPlace::top(settings::FILE.into());
    let fingerprint = sha256(NO_VERDICT.as_bytes()).to_string();
    json!({
        "ruleId": NO_VERDICT,
        "level": Level::Error.name(),
        "message": {"text": plain(&cannot_judge(error))},
        "locations": [location(&place)],
        "partialFingerprints": {
            "primaryLocationLineHash": format!("{fingerprint}:1"),
            "guard/v1": fingerprint,
        },
    })
}

fn invocation(RunResult { verdict, failure }: RunResult<'_>, left_out: usize) -> Value {
    let left_out = (left_out > 0).then(|| {
        let text = format!(
            "{left_out} more findings were left out: the limit is {MOST_RESULTS} results; \
             --format json lists all"
        );
        json!({"level": "warning", "message": {"text": text}})
    });
    json!({
        "executionSuccessful": failure.is_none(),
        "exitCode": failure.map_or(verdict.exit_code(), |_| 2),
        "toolExecutionNotifications": Vec::from_iter(left_out),
    })
}

fn result(main: &ReportPlace, finding: &Finding, fingerprint: &str) -> Value {
    let is_elsewhere = finding.path.as_ref() != Some(&main.path);
    let mut fingerprints = json!({"guard/v1": fingerprint});
    if is_elsewhere {
        // GitHub computes this one from the shown line, which findings on several paths share; equal ones would
        // become one alert.
        fingerprints["primaryLocationLineHash"] = format!("{fingerprint}:1").into();
    }
    json!({
        "ruleId": finding.rule.id(),
        "ruleIndex": Rule::ALL.iter().position(|rule| *rule == finding.rule),
        "level": finding.level.name(),
        "message": {"text": plain(&in_full(finding))},
        "locations": [location(main)],
        "partialFingerprints": fingerprints,
        "properties": {
            "path": finding.path.as_ref().map(|path| path_text(path.as_bstr())),
            "closest": finding.closest.as_ref().map(|path| path_text(path.as_bstr())),
            "details": finding.details,
        },
    })
}

fn location(place: &ReportPlace) -> Value {
    // Code scanning requires all four.
    let region = json!({
        "startLine": place.line, "startColumn": 1, "endLine": place.line, "endColumn": 1,
    });
    json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(place.path.as_bstr())},
        "region": region,
    }})
}

/// Escapes a plain text message, because `[text](target)` is a link in SARIF (3.11.6).
fn plain(text: &str) -> String {
    text.replace("](", "\\](")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_fits_githubs_limits() {
        for rule in Rule::ALL {
            let value = rule_described(rule);
            for key in ["shortDescription", "fullDescription", "help"] {
                let text = value[key]["text"].as_str().unwrap_or_default();
                assert!(!text.is_empty(), "{rule:?} {key}");
                assert!(key == "help" || text.len() <= 1024, "{rule:?} {key}");
            }
        }
    }
}
