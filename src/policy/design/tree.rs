//! Directory trees in code blocks: only entries marked as new, changed or deleted count.

use std::ops::Range;

use super::change_type::{RowAction, of_item_word, split_word};
use super::design_builder::{DesignBuilder, Row};
use super::doubt;
use super::exclusion::words;
use super::form::Shape;
use super::kind;
use super::negation;
use super::problem::Problem;
use super::source::DesignText;
use super::written_path::WrittenPath;
use crate::finding::Rule;
use crate::policy::{Actions, GrantForm};

/// Directories that a tree may begin with and that are no name of a repository.
const TOP: &[&str] = &[
    "src",
    "lib",
    "app",
    "apps",
    "packages",
    "tests",
    "test",
    "docs",
    "specs",
    "backend",
    "frontend",
    "server",
    "client",
    "api",
    "web",
    "scripts",
    "crates",
    "cmd",
    "internal",
    "pkg",
    "components",
    "services",
    "config",
    ".github",
    "public",
    "infra",
    "tools",
    "e2e",
    "convex",
    "supabase",
    "prisma",
    "functions",
    "plugins",
    "modules",
    "include",
    "examples",
    "migrations",
];

/// What a remark begins with.
const REMARKS: [char; 3] = ['#', '(', '←'];

/// Grants the marked entries of a tree, if the code is one, or of a list of paths with remarks.
pub(super) fn read(source: &DesignText<'_>, span: Range<usize>, draft: &mut DesignBuilder<'_>) {
    let text = source.slice(span.clone());
    let first = text.lines().next().unwrap_or("");
    let is_quoted = ["markdown", "md", "python", "diff"]
        .iter()
        .any(|name| first.trim_start_matches(['`', '~', ' ']).starts_with(name));
    if is_quoted {
        return;
    }
    let is_drawn = text.contains(['├', '└']);
    if !is_drawn && !first.trim_matches(['`', '~', ' ']).is_empty() && !first.ends_with("text") {
        return;
    }
    // With other entries beside it, the first one is no repository.
    let tops = text.lines().skip(1).filter_map(entry);
    let is_alone = tops
        .filter(|(column, name, _)| *column == 0 && !name.starts_with(['`', '~']))
        .count()
        < 2;
    // Column and name of the directories around the current line.
    let mut around: Vec<(usize, String)> = Vec::new();
    let mut unknown_root = None;
    let mut has_form = false;
    let mut start = span.start;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let found = entry(line).filter(|(column, name, remark)| {
            is_drawn || *column == 0 && name.contains('/') && remark.starts_with(REMARKS)
        });
        let Some((column, name, remark)) = found else {
            if line.trim().is_empty() {
                around.clear();
            }
            continue;
        };
        while around.last().is_some_and(|(other, _)| *other >= column) {
            around.pop();
        }
        let is_top = around.is_empty();
        let is_root =
            is_top && column == 0 && (name.ends_with('/') || !name.contains('.') || name == ".");
        let known = matches!(
            name.trim_end_matches('/'),
            "." | "root" | "repo" | "project" | "project-root" | "repository" | "(root)"
        );
        if is_root {
            let bare = name.trim_end_matches('/');
            unknown_root = (is_alone && !known && !bare.contains('/') && !TOP.contains(&bare))
                .then(|| bare.to_owned());
        }
        around.push((
            column,
            if is_root && known || name == "." {
                String::new()
            } else {
                name.to_owned()
            },
        ));
        let Some(kind) = mark(remark) else { continue };
        let path = around
            .iter()
            .map(|(_, name)| name.trim_matches('/'))
            .filter(|name| !name.is_empty());
        let mut path = path.collect::<Vec<_>>().join("/");
        if name.ends_with('/') {
            path.push('/');
        }
        let line_span = source.line_span(at);
        if let Some(root) = &unknown_root {
            let message = format!("is `{root}/` a directory, or the name of the repository?");
            let help = "begin the tree with `./`, or list the files below `**Files:**`";
            draft.fault(Problem::new(Rule::DesignUnread, "tree-root", message, help).at(line_span));
            return;
        }
        if !has_form {
            has_form = true;
            draft.form(
                Shape::Tree,
                GrantForm::Tree,
                Actions::NONE,
                line_span.clone(),
            );
        }
        let offset = line.find(name).unwrap_or(0);
        draft.row(Row {
            paths: vec![WrittenPath {
                text: path,
                span: at + offset..at + offset + name.len(),
                ..WrittenPath::default()
            }],
            prose: false,
            kind,
            directory: false,
            change_type: remark
                .trim_matches(['#', '←', ' ', '-', '—', '/'])
                .to_owned(),
            description: String::new(),
        });
    }
}

/// Whether a remark neither marks an entry nor leaves open whether it changes.
pub(super) fn is_plain(remark: &str) -> bool {
    let lower = remark.to_lowercase();
    let looks = |word: String| of_item_word(&word) == Some(RowAction::Mention);
    mark(remark).is_none()
        && !lower.contains("optional")
        && !doubt::is_open(&lower)
        && !negation::forbids_any(remark)
        && negation::negation(&lower).is_none()
        && !words(&lower).into_iter().take(2).any(looks)
}

/// The column, the name and the remark of a line of a tree.
fn entry(line: &str) -> Option<(usize, &str, &str)> {
    let line = line.trim_end();
    let is_branch = |c: char| {
        matches!(
            c,
            '│' | '├' | '└' | '─' | '|' | ' ' | '\t' | '\u{a0}' | '`' | '+'
        )
    };
    let rest = line.trim_start_matches(is_branch);
    let column = line.chars().count() - rest.chars().count();
    let (name, remark) = rest
        .split_once(|c: char| c.is_whitespace())
        .unwrap_or((rest, ""));
    let is_name = !name.is_empty() && !name.starts_with(['#', '~', '(', '.'])
        || name.starts_with('.') && name != "..." && !name.starts_with("..");
    is_name.then_some((column, name, remark.trim()))
}

/// The meaning of a remark such as `# NEW` or `(modified)`.
fn mark(remark: &str) -> Option<RowAction> {
    let is_open =
        remark.to_lowercase().contains("optional") || doubt::is_open(&remark.to_lowercase());
    if is_open || negation::forbids_any(remark) {
        return None;
    }
    let text = remark.trim_start_matches(|c: char| !c.is_alphanumeric());
    let (first, rest) = split_word(text);
    let rest = rest.trim_start_matches(['*', ']']);
    let ends = rest.trim().is_empty()
        || rest
            .trim_start()
            .starts_with([':', '-', '—', '–', '(', ')', ',', ']'])
        || rest.trim_start().to_lowercase().starts_with("file");
    let is_upper = |word: &str| word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase());
    let word = if !first.is_empty() && (ends || is_upper(first)) {
        kind::parse(&first.to_lowercase())
    } else {
        None
    };
    // "the parser (MODIFY to read flags)", but not "documents the NEW parser".
    let later = || {
        let parts = remark.split([
            '(', ')', '[', ']', ',', ';', ':', '.', '—', '–', '-', '#', '*',
        ]);
        let firsts =
            parts.map(|part| split_word(part.trim_start_matches(|c: char| !c.is_alphanumeric())).0);
        firsts.filter(|word| is_upper(word)).find_map(kind::parse)
    };
    let noted = || {
        let (_, note) = remark.rsplit_once('(')?;
        let (note, _) = note.split_once(')')?;
        kind::parse(note).filter(|found| found.bare)
    };
    let kind = word.or_else(later).or_else(noted)?.kind;
    (kind != RowAction::Mention && kind != RowAction::Rename).then_some(kind)
}
