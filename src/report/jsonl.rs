//! JSON Lines: one finding per line, then one line for the run.
//!
//! `type` distinguishes them: `finding` with the keys of a finding in [`super::json`], `summary` with the verdict and
//! counts, or `error` if guard could not judge. The last line shows that the report is complete.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::json;

use super::json::{FindingJson, finding, write_line};
use super::order::ordered;
use crate::error::Error;
use crate::verdict::{Counts, Verdict};

#[derive(Serialize)]
struct FindingLine<'a> {
    r#type: &'static str,
    #[serde(flatten)]
    finding: FindingJson<'a>,
}

#[derive(Serialize)]
struct SummaryLine {
    r#type: &'static str,
    version: u32,
    verdict: &'static str,
    #[serde(flatten)]
    counts: Counts,
}

pub(super) fn report(
    verdict: &Verdict,
    failure: Option<&Error>,
    out: &mut dyn Write,
) -> io::Result<()> {
    for one in ordered(&verdict.findings) {
        let line = FindingLine {
            r#type: "finding",
            finding: finding(one),
        };
        write_line(&line, out)?;
    }
    if let Some(Error { message, help, .. }) = failure {
        let line = json!({"type": "error", "version": 1, "message": message, "help": help});
        return write_line(&line, out);
    }
    let line = SummaryLine {
        r#type: "summary",
        version: 1,
        verdict: verdict.outcome().name(),
        counts: verdict.counts(),
    };
    write_line(&line, out)
}
