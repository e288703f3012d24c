//! The report of `guard scope`: what is granted, and by which line.

use std::io;

use annotate_snippets::renderer::DEFAULT_EMPHASIS_STYLE;
use gix::bstr::{BString, ByteSlice};
use serde::Serialize;

use super::json::{DesignJson, FindingJson, designs, document, findings, path};
use super::style::Style;
use super::{Format, escape, human};
use crate::finding::Level;
use crate::path::show;
use crate::policy::GrantKind;
use crate::policy::design::Mention;
use crate::verdict::{ScopeGrant, ScopeListing};

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

/// Writes the report in one piece.
///
/// # Errors
///
/// Those of `out`, and `Unsupported` for a format that is neither human nor JSON.
pub fn write_scope(
    scope: &ScopeListing,
    format: Format,
    out: &mut dyn io::Write,
    style: &Style,
) -> io::Result<()> {
    let text = match format {
        Format::Human => escape::commands(people(scope, style)),
        Format::Json => json(scope)?,
        other => return Err(other.not_here("guard scope")),
    };
    out.write_all(text.as_bytes())
}

/// Writes the answer of a lint of documents: for people the faults and a summary, for programs everything.
///
/// # Errors
///
/// Those of `out`.
pub fn write_scope_check(
    scope: &ScopeListing,
    format: Format,
    out: &mut dyn io::Write,
    style: &Style,
) -> io::Result<()> {
    let text = match format {
        Format::Human => escape::commands(human_lint(scope, style)),
        Format::Json => json(scope)?,
        other => return Err(other.not_here("guard scope check")),
    };
    out.write_all(text.as_bytes())
}

fn human_lint(scope: &ScopeListing, style: &Style) -> String {
    let mut out = human::findings(&scope.problems, &[], &scope.texts, style);
    if style.quiet {
        return out;
    }
    out.push_str(&human::notes(&scope.notes, style));
    let count = |level| scope.problems.iter().filter(|p| p.level == level).count();
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
    let documents = human::plural(scope.designs.len(), "design");
    out.push_str(&format!("guard: {found} in {documents}\n"));
    out
}

fn json(scope: &ScopeListing) -> io::Result<String> {
    document(&ScopeJson {
        version: 1,
        designs: designs(&scope.designs),
        grants: scope.grants.iter().map(grant_json).collect(),
        mentions: scope
            .mentions
            .iter()
            .map(|mention| MentionJson {
                path: path(mention.path.as_bstr()),
                change_type: &mention.change_type,
                design: path(mention.anchor.path.as_bstr()),
                line: mention.anchor.line,
                column: mention.anchor.column,
            })
            .collect(),
        problems: findings(&scope.problems),
        notes: &scope.notes,
    })
}

fn people(scope: &ScopeListing, style: &Style) -> String {
    let mut out = human::findings(&scope.problems, &[], &scope.texts, style);
    if style.quiet {
        return out;
    }
    out.push_str(&human::notes(&scope.notes, style));
    out.push_str(&table(
        "granted",
        scope.grants.iter().map(grant_row).collect(),
        style,
    ));
    if !scope.mentions.is_empty() {
        out.push('\n');
        out.push_str(&table(
            "named, not granted",
            scope.mentions.iter().map(mention_row).collect(),
            style,
        ));
    }
    out
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
        place(&mention.anchor.path, mention.anchor.line),
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
