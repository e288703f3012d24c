//! JSON Lines: one finding per line, then one line for the run.
//!
//! `type` distinguishes them: `finding` with the keys of a finding in [`super::json`], `summary` with the verdict and
//! counts, or `error` if guard could not judge. The last line shows that the report is complete.

use std::io::{self, Write};

use serde::Serialize;

use super::json::{FindingJson, finding, write_line};
use super::order::ordered;
use crate::error::Error;
use crate::finding::Help;
use crate::verdict::{Counts, Verdict};

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    Finding(FindingJson<'a>),
    Error {
        version: u32,
        kind: &'static str,
        message: &'a str,
        help: &'a [Help],
    },
    Summary {
        version: u32,
        verdict: &'static str,
        #[serde(flatten)]
        counts: Counts,
    },
}

pub(super) fn report(
    verdict: &Verdict,
    failure: Option<&Error>,
    out: &mut dyn Write,
) -> io::Result<()> {
    for one in ordered(&verdict.findings) {
        write_line(&Line::Finding(finding(one)), out)?;
    }
    let last = match failure {
        Some(failure) => Line::Error {
            version: 1,
            kind: failure.kind(),
            message: &failure.message,
            help: &failure.help,
        },
        None => Line::Summary {
            version: 1,
            verdict: verdict.outcome().name(),
            counts: verdict.counts(),
        },
    };
    write_line(&last, out)
}
