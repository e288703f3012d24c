//! JSON Lines: one finding per line, then one line for the run.
//!
//! `type` distinguishes them: `finding` with the keys of a finding in [`super::json`], `summary` with the verdict and
//! counts, or `error` if guard could not judge. The last line shows that the report is complete.

use std::io::{self, Write};

use serde::Serialize;

use super::json::{ErrorJson, FindingJson, error, finding, write_line};
use super::order::ordered;
use crate::error::Error;
use crate::verdict::{Counts, Verdict};

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
struct FailureLine<'a> {
    version: u32,
    #[serde(flatten)]
    error: ErrorJson<'a>,
}

pub(super) fn report(
    verdict: &Verdict,
    failure: Option<&Error>,
    out: &mut dyn Write,
) -> io::Result<()> {
    for one in ordered(&verdict.findings) {
        let line = Typed::<FindingJson<'_>> {
            r#type: "finding",
            value: finding(one),
        };
        write_line(&line, out)?;
    }
    match failure {
        Some(failure) => {
            let line = Typed {
                r#type: "error",
                value: FailureLine {
                    version: 1,
                    error: error(failure),
                },
            };
            write_line(&line, out)
        }
        None => {
            let line = Typed {
                r#type: "summary",
                value: Summary {
                    version: 1,
                    verdict: verdict.outcome().name(),
                    counts: verdict.counts(),
                },
            };
            write_line(&line, out)
        }
    }
}
