//! The output of `guard analyze`.

use super::super::output::Output;
use super::super::question::GUTTER;
use crate::gate::{Forecast, Gate};
use crate::path::escaped;
use crate::report::painted;

/// Prints what an operation would do.
pub(super) fn print_forecast(output: &mut Output, gate: &Gate<'_>, forecast: &Forecast) {
    let analysis = &forecast.analysis;
    let style = output.style.clone();
    output.print_either(
        || forecast.to_json(gate),
        |out| {
            let (path, measured) = (escaped(&analysis.path), &analysis.measured);
            let lost = measured.lost.share() * 100.0;
            let class = measured.class.name();
            writeln!(
                out,
                "{class} {path}: {lost:.1} % of the old content is lost"
            )?;
            if let Some(finding) = &forecast.finding {
                writeln!(out, "a person must approve it: {}", finding.message)?;
            }
            let preview = painted(&analysis.diff_preview, &style);
            preview
                .lines()
                .try_for_each(|line| writeln!(out, "{GUTTER}{line}"))
        },
    );
}
