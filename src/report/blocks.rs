//! Findings that ask for the same step, as one: twenty files without a row need one commit of the design.

use std::borrow::Cow;
use std::collections::BTreeMap;

use gix::bstr::BString;

use super::texts::plural;
use write_guard_policy::finding::{Finding, Help, Level, Rule};
use write_guard_policy::path::{escaped, listed};

/// So many findings of one kind are shown one by one.
const ALONE: usize = 2;

/// The most rows in one block.
const MOST_ROWS: usize = 40;

/// The most names in a sentence.
const MOST_NAMES: usize = 8;

/// What findings of one block share.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct SharedStep<'f> {
    level: Level,
    rule: Rule,
    commit: Option<usize>,
    /// The design that lacks the rows.
    design: Option<&'f BString>,
    /// The step, where it is the same for all.
    help: Vec<&'f str>,
}

/// The findings, those that ask for the same step as one finding.
pub(super) fn joined(findings: &[Finding]) -> Cow<'_, [Finding]> {
    let mut kinds: BTreeMap<SharedStep<'_>, Vec<&Finding>> = BTreeMap::new();
    let mut others = Vec::new();
    for finding in findings {
        match kind(finding) {
            Some(kind) => kinds.entry(kind).or_default().push(finding),
            None => others.push(finding),
        }
    }
    if kinds.values().all(|alike| alike.len() <= ALONE) {
        return Cow::Borrowed(findings);
    }
    let mut all: Vec<Finding> = others.into_iter().cloned().collect();
    for (kind, alike) in kinds {
        match alike[..] {
            [first, ..] if alike.len() > ALONE => all.push(block(&kind, first, &alike)),
            _ => all.extend(alike.into_iter().cloned()),
        }
    }
    Cow::Owned(all)
}

fn kind(finding: &Finding) -> Option<SharedStep<'_>> {
    let (design, help) = match (finding.rule, &finding.row) {
        (Rule::OutOfScope, Some(row)) => (Some(&row.design), Vec::new()),
        (Rule::PolicyChanged, _) if finding.level == Level::Error => {
            (None, finding.help.iter().map(|line| &**line).collect())
        }
        _ => return None,
    };
    Some(SharedStep {
        level: finding.level,
        rule: finding.rule,
        commit: finding.commit,
        design,
        help,
    })
}

/// One finding for all of a kind.
fn block(kind: &SharedStep<'_>, first: &Finding, alike: &[&Finding]) -> Finding {
    let mut paths: Vec<&BString> = alike.iter().filter_map(|one| one.path.as_ref()).collect();
    paths.sort();
    let count = plural(paths.len(), "file");
    let names = listed(
        paths.iter().map(|path| escaped(path).to_string()),
        MOST_NAMES,
    );
    let Some(design) = kind.design else {
        return Finding {
            message: format!("{count} configure guard but change together with code: {names}"),
            ..first.clone()
        };
    };
    let rows: Vec<&Help> = unique(
        alike
            .iter()
            .flat_map(|one| &one.help)
            .filter(|line| line.is_row()),
    );
    let steps = alike.iter().flat_map(|one| &one.help);
    let commands: Vec<&Help> = unique(steps.filter(|line| line.to_run().is_some()));
    let mut help: Vec<Help> = vec![
        format!(
            "add these rows to {} and commit the design first:",
            escaped(design)
        )
        .into(),
    ];
    let more = rows.len().saturating_sub(MOST_ROWS);
    help.extend(rows.into_iter().take(MOST_ROWS).cloned());
    if more > 0 {
        help.push(Help::Row(format!(
            "… and {more} more (use --format json for all)"
        )));
    }
    help.extend(commands.into_iter().cloned());
    Finding {
        message: format!("{count} are not in the design: {names}"),
        closest: None,
        help,
        ..first.clone()
    }
}

fn unique<'h>(lines: impl Iterator<Item = &'h Help>) -> Vec<&'h Help> {
    let mut kept: Vec<&Help> = Vec::new();
    for line in lines {
        if !kept.contains(&line) {
            kept.push(line);
        }
    }
    kept
}
