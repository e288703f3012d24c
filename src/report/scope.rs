//! The reports of `guard scope`: what is allowed, by which row, and the section of an agent's prompt that lists the
//! writable paths (requirement 002, section 2.5).

use std::io;

use gix::bstr::{BString, ByteSlice};
use serde_json::{Value, json};

use super::target::{Style, Target};
use super::texts::{ordered, place, plural, remarks};
use super::{human, texts};
use crate::design::Mention;
use crate::finding::Level;
use crate::finding::json::path_text;
use crate::path::{escaped, escaped_list};
use crate::scope::{Actions, GrantKind};
use crate::verdict::{PromptPath, PromptSection, Protection, ScopeGrant, ScopeListing};

/// The maximum length of a description.
const DESCRIPTION_CHARS: usize = 300;

/// Writes the report in one piece.
///
/// # Errors
///
/// Those of `out`, and `Unsupported` for formats other than human and JSON.
pub fn write_scope(scope: &ScopeListing, to: Target<'_>) -> io::Result<()> {
    to.answer(|style| people(scope, style, tables), || json(scope))
}

/// Writes the result of linting documents: for people the faults and a summary, for programs everything.
///
/// # Errors
///
/// Those of `out`.
pub fn write_scope_check(scope: &ScopeListing, to: Target<'_>) -> io::Result<()> {
    to.answer(|style| people(scope, style, summary), || json(scope))
}

/// The faults and notes, and what `more` says.
fn people(
    scope: &ScopeListing,
    style: &Style,
    more: fn(&ScopeListing, &Style) -> String,
) -> String {
    let mut out = human::findings(&scope.problems, &[], &scope.texts, style);
    if !style.quiet {
        out.push_str(&human::notes(&scope.notes, style));
        out.push_str(&more(scope, style));
    }
    out
}

fn summary(scope: &ScopeListing, _: &Style) -> String {
    let count = |level| scope.problems.iter().filter(|p| p.level == level).count();
    let found = remarks(&[
        (count(Level::Error), "error"),
        (count(Level::Warning), "warning"),
    ]);
    let found = match found.as_str() {
        "" => "nothing to correct",
        found => found,
    };
    let documents = plural(scope.designs.len(), "design");
    format!("guard: {found} in {documents}\n")
}

fn tables(scope: &ScopeListing, style: &Style) -> String {
    let granted = scope.grants.iter().map(|line| {
        let grant = &line.grant;
        let slash = if grant.kind == GrantKind::Directory {
            "/"
        } else {
            ""
        };
        let protected = if is_protected(line) {
            " (protected)"
        } else {
            ""
        };
        let actions = grant.actions.names().collect::<Vec<_>>().join(", ");
        [
            format!("{}{slash}", escaped(&grant.path)),
            actions,
            format!("{}{protected}", grant.role.name()),
            grant.form.name().to_owned(),
            place(&grant.anchor),
        ]
    });
    let mut out = table("allowed", granted.collect(), style);
    if !scope.mentions.is_empty() {
        let mentions = scope.mentions.iter().map(|mention| {
            let path = escaped(&mention.path).to_string();
            [
                path,
                texts::message(&mention.change_type),
                place(&mention.anchor),
            ]
        });
        out.push('\n');
        out.push_str(&table("named, not allowed", mentions.collect(), style));
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

/// Rows in aligned columns, below a title.
fn table<const N: usize>(title: &str, rows: Vec<[String; N]>, style: &Style) -> String {
    let count = match rows.len() {
        0 => ": nothing".to_owned(),
        count => format!(" ({}):", plural(count, "path")),
    };
    let mut out = style.title(&format!("{title}{count}")) + "\n";
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or(0));
    for row in &rows {
        let cells = row.iter().zip(widths);
        let line: String = cells
            .map(|(cell, width)| format!("  {cell:width$}"))
            .collect();
        out.push_str(line.trim_end_matches(' '));
        out.push('\n');
    }
    out
}

/// Writes the section.
///
/// # Errors
///
/// Those of `out`.
pub fn write_prompt(section: &PromptSection, to: Target<'_>) -> io::Result<()> {
    let json = || {
        let designs = section.designs.iter();
        let designs = designs.map(|design| path_text(design.path.as_bstr()));
        json!({
            "version": 1,
            "designs": designs.collect::<Vec<_>>(),
            "text": prompt_text(section),
            "paths": section.paths.iter().map(line_json).collect::<Vec<_>>(),
            "notes": section.notes,
        })
    };
    to.answer(|_| prompt_text(section), json)
}

/// The section as text; empty for an empty scope.
pub fn prompt_text(section: &PromptSection) -> String {
    if section.paths.is_empty() {
        return String::new();
    }
    let mut out = String::new();
    for is_standing in [false, true] {
        let mut lines = (section.paths.iter())
            .filter(|line| line.is_standing == is_standing)
            .peekable();
        if lines.peek().is_none() {
            continue;
        }
        let designs = section.designs.iter().map(|design| &design.path);
        let designs = designs.filter(|design| section.standing.contains(design) == is_standing);
        let from = escaped_list(designs);
        out.push_str(&match (is_standing, out.is_empty()) {
            (false, _) => format!("You may change only these files (from {from}):\n"),
            (true, true) => format!(
                "You may change only these files, which are allowed on every branch (from {from}):\n"
            ),
            (true, false) => format!("\nAllowed on every branch (from {from}):\n"),
        });
        out.extend(lines.map(line_text));
    }
    if !section.named.is_empty() {
        out.push_str("\nNamed by the design, not to be changed:\n");
        for path in &section.named {
            out.push_str(&format!("- {}\n", shown(path)));
        }
    }
    out.push_str("\nAny files written to other paths will be rejected.\n");
    out
}

fn line_text(line: &PromptPath) -> String {
    let grant = &line.row.grant;
    let (slash, what) = match grant.kind {
        GrantKind::File => ("", ""),
        GrantKind::Directory => ("/", " anything below"),
        GrantKind::Glob => ("", " what matches"),
    };
    let actions = grant.actions.names().collect::<Vec<_>>().join(" or ");
    let mut out = format!("- {}{slash}  # {actions}{what}", shown(&grant.path));
    let descriptions = line.descriptions.iter().map(String::as_str);
    let all: Vec<_> = descriptions.filter(|text| !text.is_empty()).collect();
    if !all.is_empty() {
        let all = texts::text(&all.join("; ")).into_owned();
        out.push_str(&format!(": {}", texts::clip(&all, DESCRIPTION_CHARS)));
    }
    out.push_str(warning(&line.row));
    out.push('\n');
    out
}

fn warning(row: &ScopeGrant) -> &'static str {
    let actions = row.grant.actions;
    let adds_only = actions.contains(Actions::ADD) && !actions.contains(Actions::MODIFY);
    match (row.protection, row.grant.kind) {
        (Some(Protection::Settings), _) => " - DO NOT MODIFY (protected)",
        (Some(Protection::Scaffolded), GrantKind::File) => " - DO NOT MODIFY (already scaffolded)",
        (Some(Protection::Scaffolded), _) if adds_only => {
            " - DO NOT MODIFY the files that exist (already scaffolded)"
        }
        _ => "",
    }
}

fn line_json(line: &PromptPath) -> Value {
    let grant = &line.row.grant;
    let reason = line.row.protection.map(|protection| match protection {
        Protection::Settings => "protected",
        Protection::Scaffolded => "scaffolded",
    });
    json!({
        "path": path_text(grant.path.as_ref()),
        "kind": grant.kind,
        "actions": grant.actions.names().collect::<Vec<_>>(),
        "role": grant.role,
        "description": line.descriptions.join("; "),
        "exists": line.row.exists,
        "do_not_modify": reason.is_some(),
        "reason": reason,
    })
}

/// A path that cannot be mistaken for path and remark.
fn shown(path: &BString) -> String {
    let text = escaped(path).to_string();
    if text.contains('#') && !text.starts_with('"') {
        format!("\"{text}\"")
    } else {
        text
    }
}
