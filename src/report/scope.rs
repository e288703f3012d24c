//! The report of `guard scope`: what is granted, and by which line.

use std::io;

use annotate_snippets::renderer::DEFAULT_EMPHASIS_STYLE;
use gix::bstr::{BString, ByteSlice};
use serde::Serialize;

use super::json::{DesignJson, FindingJson, designs, document, findings, path};
use super::{DesignUsed, Format, Style, Texts, escape, human};
use crate::finding::{Finding, Level};
use crate::path::show;
use crate::policy::{Grant, GrantKind};

/// All grants in force, what the designs merely mention, and their faults.
#[derive(Debug, Clone, Default)]
pub struct ScopeReport {
    /// The documents that were read.
    pub designs: Vec<DesignUsed>,
    /// The grants, in the order of their designs and lines.
    pub grants: Vec<ScopeGrant>,
    /// Paths that are named and not granted, such as an `Exists` row.
    pub mentions: Vec<Mention>,
    /// Faults of the designs, in any order.
    pub problems: Vec<Finding>,
    /// Remarks on which documents these are, one sentence each.
    pub notes: Vec<String>,
    /// The designs to quote.
    pub texts: Texts,
}

/// A grant and what is known of its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeGrant {
    /// The grant.
    pub grant: Grant,
    /// Whether something is there now: the path, or for a glob any match.
    pub exists: bool,
    /// Whether the settings protect it nevertheless.
    pub protected: bool,
}

/// A path that a design names without granting it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The path as named.
    pub path: BString,
    /// The type cell as written, such as `Exists`.
    pub change_type: String,
    /// The document.
    pub design: BString,
    /// 1-based line.
    pub line: usize,
    /// 1-based column, in Unicode scalar values.
    pub column: usize,
}

#[derive(Serialize)]
struct ScopeJson<'a> {
    version: u32,
    designs: Vec<DesignJson<'a>>,
    grants: Vec<GrantJson<'a>>,
    mentions: Vec<MentionJson<'a>>,
    problems: Vec<FindingJson<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct GrantJson<'a> {
    path: String,
    kind: &'static str,
    actions: Vec<&'static str>,
    from: Option<String>,
    role: &'static str,
    description: &'a str,
    exists: bool,
    protected: bool,
    design: String,
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct MentionJson<'a> {
    path: String,
    change_type: &'a str,
    design: String,
    line: usize,
    column: usize,
}

impl ScopeReport {
    /// 1 if a design has a fault at level error, else 0.
    pub fn exit_code(&self) -> u8 {
        u8::from(self.problems.iter().any(|p| p.level == Level::Error))
    }

    /// Writes the report in one piece.
    ///
    /// # Errors
    ///
    /// Those of `out`, and `Unsupported` for a format that is neither human nor JSON.
    pub fn write(&self, format: Format, out: &mut dyn io::Write, style: &Style) -> io::Result<()> {
        let text = match format {
            Format::Human => escape::commands(self.human(style)),
            Format::Json => self.json()?,
            other => return Err(other.not_here("guard scope")),
        };
        out.write_all(text.as_bytes())
    }

    /// Writes the answer of a lint of documents: for people the faults and a summary, for programs everything.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_lint(
        &self,
        format: Format,
        out: &mut dyn io::Write,
        style: &Style,
    ) -> io::Result<()> {
        let text = match format {
            Format::Human => escape::commands(self.human_lint(style)),
            Format::Json => self.json()?,
            other => return Err(other.not_here("guard scope check")),
        };
        out.write_all(text.as_bytes())
    }

    fn human_lint(&self, style: &Style) -> String {
        let mut out = human::findings(&self.problems, &[], &self.texts, style);
        if style.quiet {
            return out;
        }
        out.push_str(&human::notes(&self.notes, style));
        let count = |level| self.problems.iter().filter(|p| p.level == level).count();
        let (errors, warnings) = (count(Level::Error), count(Level::Warning));
        let mut found: Vec<String> = Vec::new();
        if errors > 0 {
            found.push(human::plural(errors, "error"));
        }
        if warnings > 0 {
            found.push(human::plural(warnings, "warning"));
        }
        let found = if found.is_empty() {
            "nothing to correct".to_owned()
        } else {
            found.join(", ")
        };
        let documents = human::plural(self.designs.len(), "design");
        out.push_str(&format!("guard: {found} in {documents}\n"));
        out
    }

    fn json(&self) -> io::Result<String> {
        document(&ScopeJson {
            version: 1,
            designs: designs(&self.designs),
            grants: self.grants.iter().map(grant_json).collect(),
            mentions: self
                .mentions
                .iter()
                .map(|mention| MentionJson {
                    path: path(mention.path.as_bstr()),
                    change_type: &mention.change_type,
                    design: path(mention.design.as_bstr()),
                    line: mention.line,
                    column: mention.column,
                })
                .collect(),
            problems: findings(&self.problems),
            notes: &self.notes,
        })
    }

    fn human(&self, style: &Style) -> String {
        let mut out = human::findings(&self.problems, &[], &self.texts, style);
        if style.quiet {
            return out;
        }
        out.push_str(&human::notes(&self.notes, style));
        out.push_str(&table(
            "granted",
            self.grants.iter().map(grant_row).collect(),
            style,
        ));
        if !self.mentions.is_empty() {
            out.push('\n');
            out.push_str(&table(
                "named, not granted",
                self.mentions.iter().map(mention_row).collect(),
                style,
            ));
        }
        out
    }
}

/// One grant of the JSON interface; `from` is the other end of a rename.
fn grant_json(line: &ScopeGrant) -> GrantJson<'_> {
    let grant = &line.grant;
    GrantJson {
        path: path(grant.path.as_bstr()),
        kind: grant.kind.name(),
        actions: grant.actions.names().collect(),
        from: grant.renamed.as_ref().map(|p| path(p.as_bstr())),
        role: grant.role.name(),
        description: &grant.description,
        exists: line.exists,
        protected: line.protected,
        design: path(grant.anchor.path.as_bstr()),
        line: grant.anchor.line,
        column: grant.anchor.column,
    }
}

fn grant_row(line: &ScopeGrant) -> Vec<String> {
    let grant = &line.grant;
    let mut name = show(&grant.path).to_string();
    if grant.kind == GrantKind::Directory {
        name.push('/');
    }
    let mut role = grant.role.name().to_owned();
    if line.protected {
        role.push_str(" (protected)");
    }
    let actions: Vec<_> = grant.actions.names().collect();
    vec![
        name,
        actions.join(", "),
        role,
        place(&grant.anchor.path, grant.anchor.line),
    ]
}

fn mention_row(mention: &Mention) -> Vec<String> {
    vec![
        show(&mention.path).to_string(),
        escape::message(&mention.change_type),
        place(&mention.design, mention.line),
    ]
}

/// `design:line`.
pub(super) fn place(design: &BString, line: usize) -> String {
    format!("{}:{line}", show(design))
}

/// Rows in columns that are as wide as their widest cell, below a title.
fn table(title: &str, rows: Vec<Vec<String>>, style: &Style) -> String {
    let width = |cell: &String| cell.chars().count();
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<_> = (0..columns)
        .map(|i| rows.iter().map(|row| width(&row[i])).max().unwrap_or(0))
        .collect();
    let count = if rows.is_empty() {
        ": nothing".to_owned()
    } else {
        format!(" ({}):", human::plural(rows.len(), "path"))
    };
    let mut out = human::paint(DEFAULT_EMPHASIS_STYLE, &format!("{title}{count}"), style);
    out.push('\n');
    for row in rows {
        let cells: Vec<_> = row
            .iter()
            .zip(&widths)
            .map(|(cell, &widest)| format!("{cell:widest$}"))
            .collect();
        out.push_str("  ");
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    out
}
