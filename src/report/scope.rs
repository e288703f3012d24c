//! The reports of `guard scope`: what is allowed, by which row, and the section of an agent's prompt that lists the
//! writable paths (requirement 002, section 2.5).

use std::io;

use gix::bstr::{BString, ByteSlice};
use serde_json::{Value, json};

use super::target::{Style, Target};
use super::texts::{columns, ordered, place, plural, remarks};
use super::{human, texts};
use write_guard_policy::design::Mention;
use write_guard_policy::finding::Level;
use write_guard_policy::finding::json::path_text;
use write_guard_policy::path::{escaped, escaped_list};
use write_guard_policy::scope::{Actions, Denial, DenialSource, Grant, GrantKind};
use write_guard_policy::verdict::{
    PromptPath, PromptSection, Protection, ScopeGrant, ScopeListing,
};

/// What a row says that forbids to change its file.
const DO_NOT_MODIFY: &str = "DO NOT MODIFY";
/// The maximum length of a description.
const DESCRIPTION_CHARS: usize = 300;

/// Writes a scope or, with `is_check`, the result of linting documents: for people the faults, and the allowed paths or
/// a summary; for programs everything.
///
/// # Errors
///
/// Those of `out`.
pub fn write_scope(scope: &ScopeListing, is_check: bool, to: Target<'_>) -> io::Result<()> {
    to.answer(
        |style| {
            let mut out = human::findings(&scope.problems, &[], &scope.texts, style);
            if !style.quiet {
                out += &human::notes(&scope.notes, style);
                out += &if is_check {
                    summary(scope)
                } else {
                    tables(scope, style)
                };
            }
            out
        },
        || json(scope),
    )
}

fn summary(scope: &ScopeListing) -> String {
    let mut errors = 0;
    let mut warnings = 0;
    for problem in &scope.problems {
        match problem.level {
            Level::Error => errors += 1,
            Level::Warning => warnings += 1,
            Level::Note => {}
        }
    }
    let mut found = remarks(&[(errors, "error"), (warnings, "warning")]);
    if found.is_empty() {
        "nothing to correct".clone_into(&mut found);
    }
    let documents = plural(scope.designs.len(), "design");
    format!("guard: {found} in {documents}\n")
}

fn tables(scope: &ScopeListing, style: &Style) -> String {
    let granted = scope.grants.iter().map(|line| {
        let grant = &line.grant;
        let is_protected = is_protected(line);
        let protected = if is_protected { " (protected)" } else { "" };
        vec![
            format!("{}{}", escaped(&grant.path), slash(grant.kind)),
            actions(grant).join(", "),
            format!("{}{protected}", grant.role().name()),
            grant.form.name().to_owned(),
            place(&grant.anchor),
        ]
    });
    let title = match granted.len() {
        0 => "allowed: nothing".to_owned(),
        count => format!("allowed ({}):", plural(count, "path")),
    };
    let mut out = style.title(&title) + "\n" + &columns(granted);
    let denials = scope.denials.iter();
    let denied = denials.map(|denial| {
        let why = match denial.source {
            DenialSource::FrontMatter => "front matter",
            DenialSource::Row => DO_NOT_MODIFY,
        };
        vec![
            format!("{}{}", escaped(&denial.path), slash(denial.kind)),
            why.to_owned(),
            place(&denial.anchor),
        ]
    });
    if denied.len() > 0 {
        let heading = format!("forbidden ({}):", plural(denied.len(), "path"));
        out += &(style.title(&heading) + "\n" + &columns(denied));
    }
    out
}

/// What marks a directory.
fn slash(kind: GrantKind) -> &'static str {
    match kind {
        GrantKind::Directory => "/",
        GrantKind::File | GrantKind::Glob => "",
    }
}

fn actions(grant: &Grant) -> Vec<&'static str> {
    grant.actions.names().collect()
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

fn json(scope: &ScopeListing) -> Value {
    json!({
        "version": 1,
        "designs": scope.designs,
        "grants": scope.grants.iter().map(grant_json).collect::<Vec<_>>(),
        "mentions": scope.mentions.iter().map(mention_json).collect::<Vec<_>>(),
        "denials": scope.denials.iter().map(denial_json).collect::<Vec<_>>(),
        "problems": ordered(&scope.problems),
        "notes": scope.notes,
    })
}

fn grant_json(line: &ScopeGrant) -> Value {
    let grant = &line.grant;
    json!({
        "path": path_text(grant.path.as_ref()),
        "kind": grant.kind,
        "actions": actions(grant),
        "from": grant.renamed.as_ref().map(|from| path_text(from.as_ref())),
        "role": grant.role(),
        "form": grant.form,
        "description": grant.description,
        "exists": line.exists,
        "protected": is_protected(line),
        "design": path_text(grant.anchor.path.as_ref()),
        "line": grant.anchor.line,
        "column": grant.anchor.column,
    })
}

fn denial_json(denial: &Denial) -> Value {
    json!({
        "path": path_text(denial.path.as_ref()),
        "kind": denial.kind,
        "source": denial.source,
        "description": denial.description,
        "design": path_text(denial.anchor.path.as_ref()),
        "line": denial.anchor.line,
        "column": denial.anchor.column,
    })
}

/// Whether requests may not change the path; a directory may still get files.
fn is_protected(line: &ScopeGrant) -> bool {
    let is_settings = line.protection == Some(Protection::Settings);
    is_settings || line.protection.is_some() && line.grant.kind == GrantKind::File
}

/// Writes the section.
///
/// # Errors
///
/// Those of `out`.
pub fn write_prompt(section: &PromptSection, to: Target<'_>) -> io::Result<()> {
    to.answer(
        |_| prompt_text(section),
        || {
            let designs = section.designs.iter();
            let designs = designs.map(|design| path_text(design.path.as_bstr()));
            json!({
                "version": 1,
                "designs": designs.collect::<Vec<_>>(),
                "text": prompt_text(section),
                "paths": section.paths.iter().map(line_json).collect::<Vec<_>>(),
                "denials": section.denials.iter().map(denial_json).collect::<Vec<_>>(),
                "notes": section.notes,
            })
        },
    )
}

/// The section as text; empty for an empty scope.
pub fn prompt_text(section: &PromptSection) -> String {
    if section.paths.is_empty() {
        return String::new();
    }
    let mut out = String::new();
    for is_standing in [false, true] {
        let lines = section.paths.iter();
        let lines = lines.filter(|line| line.is_standing == is_standing);
        let lines: String = lines.map(line_text).collect();
        if lines.is_empty() {
            continue;
        }
        let designs = section.designs.iter().map(|design| &design.path);
        let designs = designs.filter(|design| section.standing.contains(design) == is_standing);
        out.push_str(match (is_standing, out.is_empty()) {
            (false, _) => "You may change only these files",
            (true, true) => "You may change only these files, which are allowed on every branch",
            (true, false) => "\nAllowed on every branch",
        });
        out.push_str(&format!(" (from {}):\n{lines}", escaped_list(designs)));
    }
    if !section.named.is_empty() {
        out.push_str("\nNamed by the design, not to be changed:\n");
        for path in &section.named {
            out.push_str(&format!("- {}\n", shown(path)));
        }
    }
    if !section.denials.is_empty() {
        out.push_str("\nForbidden by the design, also below the paths above:\n");
        out.extend(section.denials.iter().map(denial_text));
    }
    out.push_str("\nAny files written to other paths will be rejected.\n");
    out
}

fn denial_text(denial: &Denial) -> String {
    let path = shown(&denial.path);
    let slash = slash(denial.kind);
    let what = extent(denial.kind);
    let described = match &*texts::clip(&texts::text(&denial.description), DESCRIPTION_CHARS) {
        "" => String::new(),
        text if text.eq_ignore_ascii_case(DO_NOT_MODIFY) => String::new(),
        text => format!(": {text}"),
    };
    format!("- {path}{slash}  # {DO_NOT_MODIFY}{what}{described}\n")
}

/// What a path of this kind stands for.
fn extent(kind: GrantKind) -> &'static str {
    match kind {
        GrantKind::File => "",
        GrantKind::Directory => " anything below",
        GrantKind::Glob => " what matches",
    }
}

fn line_text(line: &PromptPath) -> String {
    let grant = &line.row.grant;
    let what = extent(grant.kind);
    let path = shown(&grant.path);
    let slash = slash(grant.kind);
    let actions = actions(grant).join(" or ");
    let descriptions = line.descriptions.iter().map(String::as_str);
    let all: Vec<_> = descriptions.filter(|text| !text.is_empty()).collect();
    let all = texts::text(&all.join("; ")).into_owned();
    let described = match &*texts::clip(&all, DESCRIPTION_CHARS) {
        "" => String::new(),
        text => format!(": {text}"),
    };
    let warning = warning(&line.row);
    format!("- {path}{slash}  # {actions}{what}{described}{warning}\n")
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
    let reason = line.row.protection.map(|protection| match protection {
        Protection::Settings => "protected",
        Protection::Scaffolded => "scaffolded",
    });
    let mut value = grant_json(&line.row);
    value["description"] = line.descriptions.join("; ").into();
    value["do_not_modify"] = reason.is_some().into();
    value["reason"] = reason.into();
    value
}

/// A path that cannot be mistaken for path and remark.
fn shown(path: &BString) -> String {
    match escaped(path).to_string() {
        text if text.contains('#') && !text.starts_with('"') => format!("\"{text}\""),
        text => text,
    }
}
