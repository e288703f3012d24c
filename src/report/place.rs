//! Where a machine-readable report shows a finding.
//!
//! Review tools need a line that exists in the result. Findings on deleted files, impossible names or documents are
//! placed in the design or, without one, in `guard.toml`.

use std::collections::HashSet;

use gix::bstr::{BStr, BString, ByteSlice};

use crate::finding::{Anchor, Finding, Rule};
use crate::scope::settings;
use crate::verdict::{Texts, Verdict};

/// A place in a file of the result; line and columns start at 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReportPlace {
    /// The path in the repository.
    pub path: BString,
    pub line: usize,
    pub column: usize,
    /// The column after the last one, on the same line.
    pub end_column: usize,
}

impl ReportPlace {
    pub(super) fn top(path: BString) -> ReportPlace {
        ReportPlace {
            path,
            line: 1,
            column: 1,
            end_column: 1,
        }
    }

    fn marked(anchor: &Anchor, texts: &Texts) -> ReportPlace {
        let marked = texts
            .get(&anchor.path)
            .and_then(|text| text.get(anchor.span.clone()))
            .and_then(|marked| marked.split(['\n', '\r']).next())
            .map_or(0, |marked| marked.chars().count());
        let column = anchor.column.max(1);
        ReportPlace {
            path: anchor.path.clone(),
            line: anchor.line.max(1),
            column,
            end_column: column + marked,
        }
    }
}

/// Chooses the places of findings in one report.
pub(super) struct ReportPlaces<'a> {
    verdict: &'a Verdict,
    /// The paths that the changes leave in the result.
    exist: HashSet<&'a BString>,
}

impl<'a> ReportPlaces<'a> {
    pub(super) fn new(verdict: &'a Verdict) -> ReportPlaces<'a> {
        let changes = verdict.changes.iter();
        ReportPlaces {
            verdict,
            exist: changes
                .filter(|change| change.action != "delete")
                .map(|change| &change.path)
                .collect(),
        }
    }

    /// The place of the finding.
    pub(super) fn place(&self, finding: &Finding) -> ReportPlace {
        if let Some(path) = &finding.path
            && !is_about_document(finding.rule)
            && is_plain(path.as_bstr())
            && self.exist.contains(path)
        {
            return ReportPlace::top(path.clone());
        }
        self.in_design(finding)
    }

    /// The finding's line in the design, or a substitute.
    pub(super) fn in_design(&self, finding: &Finding) -> ReportPlace {
        if let Some(anchor) = &finding.design
            && is_plain(anchor.path.as_bstr())
        {
            return ReportPlace::marked(anchor, &self.verdict.texts);
        }
        let mut designs = self.verdict.designs.iter().map(|design| &design.path);
        let first = designs.find(|path| is_plain(path.as_bstr()));
        ReportPlace::top(first.cloned().unwrap_or_else(|| settings::FILE.into()))
    }
}

/// Whether the path is valid on every system: UTF-8, with components that are neither empty nor dots.
pub(super) fn is_plain(path: &BStr) -> bool {
    path.is_utf8()
        && path
            .split_str("/")
            .all(|segment| !matches!(segment, b"" | b"." | b".."))
}

fn is_about_document(rule: Rule) -> bool {
    rule.is_about_design() || matches!(rule, Rule::ScopeAmended | Rule::RowUntouched)
}
