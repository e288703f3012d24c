//! The report of `guard scope`.

use std::io;

use annotate_snippets::renderer::DEFAULT_EMPHASIS_STYLE;
use gix::bstr::BString;
use serde_json::{Value, json};

use super::style::{Style, paint};
use super::texts::ordered;
use super::{Format, escape, human, write_answer};
use crate::design::Mention;
use crate::finding::Level;
use crate::finding::json::path_text;
use crate::path::escaped;
use crate::scope::GrantKind;
use crate::verdict::{Protection, ScopeGrant, ScopeListing};

/// Writes the report in one piece.
///
/// # Errors
///
/// Those of `out`, and `Unsupported` for formats other than human and JSON.
pub fn write_scope(
    scope: &ScopeListing,
    format: Format,
    out: &mut dyn io::Write,
    style: &Style,
) -> io::Result<()> {
    let human = || people(scope, style, || tables(scope, style));
    write_answer(format, out, human, || json(scope))
}

/// Writes the result of linting documents: for people the faults and a summary, for programs everything.
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
    let human = || people(scope, style, || summary(scope));
    write_answer(format, out, human, || json(scope))
}

/// The faults and notes, and what `more` says.
fn people(scope: &ScopeListing, style: &Style, more: impl FnOnce() -> String) -> String {
    let mut out = human::findings(&scope.problems, &[], &scope.texts, style);
    if !style.quiet {
        out.push_str(&human::notes(&scope.notes, style));
        out.push_str(&more());
    }
    out
}

fn summary(scope: &ScopeListing) -> String {
    let count = |level| scope.problems.iter().filter(|p| p.level == level).count();
    let found = human::remarks(&[
        (count(Level::Error), "error"),
        (count(Level::Warning), "warning"),
    ]);
    let found = match found.as_str() {
        "" => "nothing to correct",
        found => found,
    };
    let documents = human::plural(scope.designs.len(), "design");
    format!("guard: {found} in {documents}\n")
}

fn tables(scope: &ScopeListing, style: &Style) -> String {
    let granted = scope.grants.iter().map(grant_row).collect();
    let mut out = table("allowed", granted, style);
    if !scope.mentions.is_empty() {
        let mentions = scope.mentions.iter().map(mention_row).collect();
        out.push('\n');
        out.push_str(&table("named, not allowed", mentions, style));
    }
    out
}

fn json(scope: &ScopeListing) -> Value {
    let grants: Vec<_> = scope.grants.iter().map(grant_json).collect();
    let mentions: Vec<_> = scope.mentions.iter().map(mention_json).collect();
    json!({
        "version": 1,
        "designs": scope.designs,
        "grants": grants,
        "mentions": mentions,
        "problems": ordered(&scope.problems),
        "notes": scope.notes,
    })
}

fn grant_json(line: &ScopeGrant) -> Value {
    let grant = &line.grant;
    json!({
        "path": path_text(grant.path.as_ref()),
        "kind": grant.kind,
        "actions": grant.actions.names().collect::<Vec<_>>(),
        "from": grant.renamed.as_ref().map(|from| path_text(from.as_ref())),
        "role": grant.role,
        "form": grant.form,
        "description": grant.description,
        "exists": line.exists,
        "protected": is_protected(line),
        "design": path_text(grant.anchor.path.as_ref()),
        "line": grant.anchor.line,
        "column": grant.anchor.column,
    })
}

fn mention_json(mention: &Mention) -> Value {
    json!({
        "path": path_text(mention.path.as_ref()),
        "change_type": mention.change_type,
        "design": path_text(mention.anchor.path.as_ref()),
        "line": mention.anchor.line,
        "column": mention.anchor.column,
    })
}

/// Whether requests may not change the path; a directory may still get files.
fn is_protected(line: &ScopeGrant) -> bool {
    let is_settings = line.protection == Some(Protection::Settings);
    is_settings || line.protection.is_some() && line.grant.kind == GrantKind::File
}

fn grant_row(line: &ScopeGrant) -> Vec<String> {
    let grant = &line.grant;
    let mut name = escaped(&grant.path).to_string();
    if grant.kind == GrantKind::Directory {
        name.push('/');
    }
    let mut role = grant.role.name().to_owned();
    if is_protected(line) {
        role.push_str(" (protected)");
    }
    let actions: Vec<_> = grant.actions.names().collect();
    vec![
        name,
        actions.join(", "),
        role,
        grant.form.name().to_owned(),
        place(&grant.anchor.path, grant.anchor.line),
    ]
}

fn mention_row(mention: &Mention) -> Vec<String> {
    vec![
        escaped(&mention.path).to_string(),
        escape::message(&mention.change_type),
        place(&mention.anchor.path, mention.anchor.line),
    ]
}

/// `design:line`.
pub(super) fn place(design: &BString, line: usize) -> String {
    format!("{}:{line}", escaped(design))
}

/// Rows in aligned columns, below a title.
fn table(title: &str, rows: Vec<Vec<String>>, style: &Style) -> String {
    let count = match rows.len() {
        0 => ": nothing".to_owned(),
        count => format!(" ({}):", human::plural(count, "path")),
    };
    let mut out = paint(DEFAULT_EMPHASIS_STYLE, &format!("{title}{count}"), style) + "\n";
    let mut widths = vec![0; rows.iter().map(Vec::len).max().unwrap_or(0)];
    for row in &rows {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = cell.chars().count().max(*widest);
        }
    }
    for row in rows {
        let cells = row.iter().zip(&widths);
        let line: String = cells
            .map(|(cell, widest)| format!("  {cell:widest$}"))
            .collect();
        out.push_str(line.trim_end_matches(' '));
        out.push('\n');
    }
    out
}
