//! Paths that are written without backticks, and those that begin with a slash.

use std::ops::Range;

use super::blocks::InlineText;
use super::cell::Paths;
use super::change_type::of_item_word;
use super::negation::negation;
use super::problem::LocatedProblem;
use super::raw;
use super::source::DesignText;
use super::written_path::{WrittenPath, is_directory_remark};

/// What ends a path without backticks.
const BLANKS: [char; 4] = [' ', '\t', '\n', '（'];

/// Paths without backticks, separated by commas.
pub(super) fn bare_paths(
    source: &DesignText<'_>,
    part: &InlineText,
    span: Range<usize>,
) -> Result<Option<Paths>, LocatedProblem> {
    let mut found = Vec::new();
    for piece in bare_pieces(source, span) {
        let text = source.slice(piece.clone());
        let end = text.find(BLANKS).unwrap_or(text.len());
        let (mut token, mut rest) = text.split_at(end);
        let mut start = piece.start;
        // "new src/a.rs"
        let skip = of_item_word(&token.to_lowercase()).is_some() && !rest.trim().is_empty();
        let mut before = Vec::new();
        if skip && !found.is_empty() {
            before.push(token.to_lowercase());
            let blanks = rest.len() - rest.trim_start().len();
            start += end + blanks;
            let text = rest.trim_start();
            let end = text.find(BLANKS).unwrap_or(text.len());
            (token, rest) = text.split_at(end);
        }
        let token = token.trim_end_matches('.');
        let rest = rest.trim();
        let is_alone = rest.is_empty()
            || rest.starts_with(['(', '（'])
            || rest.starts_with("->")
            || rest.starts_with('→');
        if !is_bare_path(token, is_alone) {
            continue;
        }
        let has_note = rest.starts_with('(') || rest.starts_with("->") || rest.starts_with('→');
        let end = match has_note {
            true => piece.end,
            false => start + token.len(),
        };
        let wide = rest
            .strip_prefix('（')
            .and_then(|note| note.strip_suffix('）'));
        let own = start..end;
        let paths = raw::paths(source, &part.within(own.clone()), &own)
            .map_err(|problem| problem.at(own.clone()))?;
        found.extend(paths.into_iter().map(|path| WrittenPath {
            before: before.clone(),
            directory: path.directory || wide.is_some_and(is_directory_remark),
            denied: path.denied || wide.is_some_and(|note| negation(note).is_some()),
            note: wide.map_or_else(|| path.note.clone(), str::to_owned),
            ..path
        }));
    }
    Ok((!found.is_empty()).then_some(Paths {
        paths: found,
        prose: false,
    }))
}

/// The parts between commas, semicolons and "and", outside parentheses and braces.
fn bare_pieces(source: &DesignText<'_>, span: Range<usize>) -> Vec<Range<usize>> {
    let text = source.slice(span.clone());
    let (mut pieces, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (index, c) in text.char_indices() {
        match c {
            '(' | '{' | '（' => depth += 1,
            ')' | '}' | '）' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_and = c == ' '
            && text
                .get(index..)
                .is_some_and(|rest| rest.starts_with(" and "));
        if depth == 0 && (matches!(c, ',' | ';' | '、' | '，' | '；') || is_and) {
            pieces.push(start..index);
            start = index + if is_and { " and ".len() } else { c.len_utf8() };
        }
    }
    pieces.push(start.min(text.len())..text.len());
    pieces
        .into_iter()
        .map(|piece| source.trim(span.start + piece.start.min(piece.end)..span.start + piece.end))
        .filter(|piece| !piece.is_empty())
        .collect()
}

/// Names of files without an extension.
const NAMES: &[&str] = &[
    "Makefile",
    "Dockerfile",
    "LICENSE",
    "Justfile",
    "justfile",
    "Gemfile",
    "Rakefile",
    "Procfile",
    "CODEOWNERS",
    "VERSION",
];

/// Whether a word without backticks is a path. `is_alone`: no words follow.
pub(super) fn is_bare_path(word: &str, is_alone: bool) -> bool {
    let word = word.trim_matches(['*', '_']);
    if word.contains("://") || word.is_empty() || word.contains('`') {
        return false;
    }
    if NAMES.contains(&word) {
        return true;
    }
    let name = word.rsplit('/').next().unwrap_or(word);
    let has_extension = name.rsplit_once('.').is_some_and(|(_, extension)| {
        (1..=8).contains(&extension.len())
            && extension.starts_with(|c: char| c.is_ascii_alphabetic())
            && extension.bytes().all(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'-' | b'#' | b',' | b'*')
            })
    }) || name.contains(':')
        && name
            .split(':')
            .next()
            .is_some_and(|name| name.contains('.'));
    match word.contains('/') {
        true => is_alone || has_extension || name.is_empty() || name.contains('*'),
        false => is_alone && (has_extension || name.starts_with('.') && name.len() > 2),
    }
}

/// Directories that no system has at its root: `/src/a.ts` means the root of the repository.
const AT_ROOT: &[&str] = &[
    "src",
    "app",
    "apps",
    "packages",
    "tests",
    "test",
    "docs",
    "components",
    "scripts",
    "server",
    "client",
    "specs",
    "crates",
];

/// Directories at the root of a system.
const SYSTEM: &[&str] = &[
    "applications",
    "bin",
    "boot",
    "data",
    "dev",
    "etc",
    "home",
    "lib",
    "lib64",
    "library",
    "media",
    "mnt",
    "nix",
    "opt",
    "private",
    "proc",
    "root",
    "run",
    "sbin",
    "snap",
    "srv",
    "sys",
    "system",
    "tmp",
    "users",
    "usr",
    "var",
    "volumes",
    "workspace",
    "workspaces",
];

/// `/libs/a.ts` means the root of the repository, unless a system has such a directory, or it is a route.
pub(super) fn from_root(path: &mut WrittenPath) {
    let Some((first, _)) = path
        .text
        .strip_prefix('/')
        .and_then(|rest| rest.split_once('/'))
    else {
        return;
    };
    let is_known = AT_ROOT.contains(&first);
    let is_file = path
        .text
        .rsplit('/')
        .next()
        .is_some_and(|name| name.contains('.'));
    if is_known || is_file && !first.is_empty() && !SYSTEM.contains(&first.to_lowercase().as_str())
    {
        path.text.remove(0);
    }
}
