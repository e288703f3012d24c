//! One line per finding, as compilers print them: editors jump to the place.
//!
//! `path:line:column: level[rule]: message`. A finding about a file is at its first line, one about a design at its row.

use super::human;
use super::target::Style;
use super::texts::{self, RunResult, cannot_judge, ordered, sentence};
use write_guard_policy::finding::{Finding, Level};
use write_guard_policy::path::escaped;
use write_guard_policy::scope::settings;

pub(super) fn report(run: RunResult<'_>, style: &Style) -> String {
    let RunResult { verdict, failure } = run;
    let mut out = String::new();
    for finding in ordered(&verdict.findings) {
        if !style.quiet || finding.level == Level::Error {
            out += &line(finding);
        }
    }
    match failure {
        Some(error) => out += &format!("guard: error: {}\n", cannot_judge(error)),
        None if style.quiet => {}
        None => out += &format!("{}\n", human::summary(verdict, &Style::default())),
    }
    texts::commands(out)
}

fn line(finding: &Finding) -> String {
    let level = finding.level.name();
    let rule = finding.rule.id();
    let message = sentence(finding);
    let place = match (&finding.path, &finding.design) {
        (Some(path), Some(design)) if *path != design.path => format!("{}:1:1", escaped(path)),
        (_, Some(design)) => {
            let path = escaped(&design.path);
            format!("{path}:{}:{}", design.line, design.column)
        }
        (Some(path), None) => format!("{}:1:1", escaped(path)),
        (None, None) => format!("{}:1:1", settings::FILE),
    };
    format!("{place}: {level}[{rule}]: {message}\n")
}
