//! The report of `guard scope prompt`: the section of an agent's prompt that lists the writable paths (requirement
//! 002, section 2.5).

use std::io;

use gix::bstr::{BString, ByteSlice};
use serde_json::{Value, json};

use super::{Format, escape, write_answer};
use crate::finding::json::path_text;
use crate::path::{escaped, escaped_list};
use crate::scope::{Actions, GrantKind};
use crate::verdict::{PromptPath, PromptSection, Protection, ScopeGrant};

/// The maximum length of a description.
const DESCRIPTION_CHARS: usize = 300;

/// Writes the section.
///
/// # Errors
///
/// Those of `out`.
pub fn write_prompt(
    section: &PromptSection,
    format: Format,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let json = || {
        let designs = section
            .designs
            .iter()
            .map(|design| path_text(design.as_bstr()));
        json!({
            "version": 1,
            "designs": designs.collect::<Vec<_>>(),
            "text": prompt_text(section),
            "paths": section.paths.iter().map(line_json).collect::<Vec<_>>(),
            "notes": section.remarks(),
        })
    };
    write_answer(format, out, || prompt_text(section), json)
}

/// The section as text; empty for an empty scope.
pub fn prompt_text(section: &PromptSection) -> String {
    if section.paths.is_empty() {
        return String::new();
    }
    let mut out = String::new();
    for is_standing in [false, true] {
        let (standing, own): (Vec<_>, Vec<_>) =
            (section.designs.iter()).partition(|design| section.standing.contains(design));
        let mut lines = (section.paths.iter())
            .filter(|line| line.is_standing == is_standing)
            .peekable();
        if lines.peek().is_none() {
            continue;
        }
        out.push_str(&match (is_standing, out.is_empty()) {
            (false, _) => format!(
                "You may change only these files (from {}):\n",
                escaped_list(&own)
            ),
            (true, true) => format!(
                "You may change only these files, which are allowed on every branch (from {}):\n",
                escaped_list(&standing)
            ),
            (true, false) => format!(
                "\nAllowed on every branch (from {}):\n",
                escaped_list(&standing)
            ),
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
        let all = escape::text(&all.join("; ")).into_owned();
        out.push_str(&format!(": {}", escape::clip(&all, DESCRIPTION_CHARS)));
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
