//! JSON Lines: one finding a line, then one line for the run.
//!
//! `type` tells them apart: `finding` with the keys of a finding in
//! [`super::json`], `summary` with the verdict and the figures, or `error`
//! where guard could not judge. The last line tells that the report is whole.

use std::io;

use serde::Serialize;

use super::json::{ErrorJson, FindingJson, error, findings, line};
use super::{Counts, Report};
use crate::error::Error;

#[derive(Serialize)]
struct Typed<T> {
    r#type: &'static str,
    #[serde(flatten)]
    value: T,
}

#[derive(Serialize)]
struct Summary {
    version: u32,
    verdict: &'static str,
    #[serde(flatten)]
    counts: Counts,
}

#[derive(Serialize)]
struct Failure<'a> {
    version: u32,
    #[serde(flatten)]
    error: ErrorJson<'a>,
}

pub(super) fn report(report: &Report, failure: Option<&Error>) -> io::Result<String> {
    let mut out = String::new();
    for value in findings(&report.findings) {
        out.push_str(&line(&Typed::<FindingJson<'_>> {
            r#type: "finding",
            value,
        })?);
    }
    let last = match failure {
        Some(failure) => line(&Typed {
            r#type: "error",
            value: Failure {
                version: 1,
                error: error(failure),
            },
        }),
        None => line(&Typed {
            r#type: "summary",
            value: Summary {
                version: 1,
                verdict: report.verdict().name(),
                counts: report.counts(),
            },
        }),
    };
    out.push_str(&last?);
    Ok(out)
}
