//! Writes results: one file per format. The caller chooses a [`Target`].

mod blocks;
mod check;
mod diagnostic;
mod explain;
mod github;
mod github_review;
mod gitlab;
mod html;
mod human;
mod json;
mod junit;
mod markdown;
mod overlap;
mod own_report;
mod place;
mod sarif;
mod scope;
mod settings;
mod short;
mod status;
mod target;
mod texts;
mod trial;

use std::io::{self, Write as _};

pub use check::write_check;
pub use explain::write_rules;
pub(crate) use human::{gutter, painted, push_change, summary};
pub use human::{write_error, write_notes};
pub(crate) use overlap::write_overlap;
pub(crate) use own_report::{RECOGNISED_FROM, is_report};
pub use scope::{prompt_text, write_prompt, write_scope};
pub use settings::{schema, settings_reference, write_settings};
pub use status::write_status;
pub use target::{Format, Style, Target};
pub(crate) use texts::{plural, rfc3339, uri};
pub(crate) use trial::write_trial;

use target::BUFFER;
use texts::RunResult;
use write_guard_policy::error::Error;
use write_guard_policy::verdict::Verdict;

/// Writes a verdict, one finding after the other.
///
/// # Errors
///
/// Those of `out`.
pub fn write(verdict: &Verdict, to: Target<'_>) -> io::Result<()> {
    let failure = None;
    write_run(RunResult { verdict, failure }, to)
}

/// Writes that guard could not check, in a form that readers of the format cannot mistake for a verdict.
///
/// # Errors
///
/// Those of `out`.
pub fn write_failure(error: &Error, to: Target<'_>) -> io::Result<()> {
    let verdict = &Verdict {
        findings: error.problems.clone(),
        texts: error.texts.clone(),
        ..Verdict::default()
    };
    let failure = Some(error);
    write_run(RunResult { verdict, failure }, to)
}

/// Reports for people are written in one piece; the formats that list everything write each finding as they make it.
fn write_run(run: RunResult<'_>, to: Target<'_>) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(BUFFER, to.out);
    match to.format {
        Format::Json => json::report(run, &mut out)?,
        Format::Sarif => sarif::report(run, &mut out)?,
        Format::Gitlab => gitlab::report(run, &mut out)?,
        Format::Junit => junit::report(run, &mut out)?,
        Format::Human => out.write_all(human::report(run, to.style).as_bytes())?,
        Format::Short => out.write_all(short::report(run, to.style).as_bytes())?,
        Format::Github => out.write_all(github::report(run, to.style).as_bytes())?,
        Format::GithubReview => github_review::report(run, &mut out)?,
        Format::Markdown => out.write_all(markdown::report(run).as_bytes())?,
        Format::Html => out.write_all(html::report(run).as_bytes())?,
    }
    out.flush()
}

#[cfg(test)]
mod tests;
