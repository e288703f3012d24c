//! Reads one item of a list of files, or the text behind a label: `Modify: \`a.py:1-20\` (new) - why`.

use std::ops::Range;

use super::bare_path::{bare_paths, from_root, is_bare_path};
use super::blocks::{InlineText, Piece, PieceKind};
use super::cell::{self, Paths};
use super::change_type::{add, of_item_word, split_word};
use super::claim::Claim;
use super::design_builder::{DesignBuilder, Row};
use super::doubt::{self, Doubts, begins_open, is_open, open};
use super::exclusion::{first_word, words};
use super::kind::{self, RowAction, Type};
use super::lead::{Lead, TypeWords, split_label};
use super::negation::negation;
use super::placeholder::is_placeholder;
use super::problem::{LocatedProblem, Problem, ambiguous, escaped, html};
use super::source::DesignText;
use super::written_path::WrittenPath;

/// How to read an item.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    /// What an item without a verb grants; `None` only mentions its paths.
    pub(super) claim: Option<Claim>,
    /// Whether the path must come first, or directly after a verb.
    pub(super) is_strict: bool,
    /// Whether only items with a verb or a note such as "(new)" grant something.
    pub(super) is_marked: bool,
}

impl Reading {
    pub(super) fn of(claim: Option<Claim>) -> Reading {
        Reading {
            claim,
            is_strict: false,
            is_marked: false,
        }
    }
}

/// What an item holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Paths, granted or not.
    Paths,
    /// No path.
    Nothing,
}

/// Reads an item into the draft.
pub(super) fn read(
    source: &DesignText<'_>,
    item: &InlineText,
    reading: Reading,
    draft: &mut DesignBuilder<'_>,
) -> Found {
    for piece in &item.pieces {
        if let PieceKind::Code(text) = &piece.kind
            && is_call(text)
        {
            draft.ask_name(text);
        }
    }
    let mut doubts = Doubts::default();
    let rows = rows(source, item, reading, &mut doubts);
    if reading.claim.is_some() && !matches!(rows, Ok(ref rows) if rows.is_empty()) {
        doubts.told.extend(cut_paths(source, item));
    }
    doubts.asked.iter().for_each(|name| draft.ask_name(name));
    match rows {
        Ok(rows) if rows.is_empty() && doubts.told.is_empty() => Found::Nothing,
        Ok(rows) => {
            rows.into_iter().for_each(|row| draft.row(row));
            if !doubts.told.is_empty() {
                draft.bad_row(doubts.told);
            }
            Found::Paths
        }
        Err(problem) => {
            draft.bad_row(vec![problem]);
            Found::Paths
        }
    }
}

/// The parts of the text behind a label: "create `a`; modify `b`". After a description, a comma before a path begins
/// a part too.
pub(super) fn parts(source: &DesignText<'_>, value: &InlineText) -> Vec<Range<usize>> {
    let span = first_part(source, value, source.trim(value.span.clone()));
    let text = source.slice(span.clone());
    let mut pieces = value.pieces.iter().peekable();
    let (mut parts, mut start, mut depth, mut is_described) = (Vec::new(), 0, 0_usize, false);
    for (index, c) in text.char_indices() {
        let at = span.start + index;
        while pieces.next_if(|piece| piece.span.end <= at).is_some() {}
        if pieces.peek().is_some_and(|piece| piece.span.contains(&at)) {
            continue;
        }
        let rest = text.get(index..).unwrap_or("");
        match c {
            '(' | '（' => depth += 1,
            ')' | '）' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            ';' | '；' => {
                parts.push(start..index);
                (start, is_described) = (index + c.len_utf8(), false);
            }
            ',' | '，'
                if is_described && begins_with_path(rest.get(c.len_utf8()..).unwrap_or("")) =>
            {
                parts.push(start..index);
                (start, is_described) = (index + c.len_utf8(), false);
            }
            _ => {
                is_described |= [" - ", " – ", " — ", ": "]
                    .iter()
                    .any(|mark| rest.starts_with(mark))
            }
        }
    }
    parts.push(start..text.len());
    let parts = parts
        .into_iter()
        .map(|part| source.trim(span.start + part.start..span.start + part.end));
    parts.filter(|part| !part.is_empty()).collect()
}

fn begins_with_path(text: &str) -> bool {
    let text = text.trim_start();
    match text.strip_prefix('`') {
        Some(code) => cell::has_path_shape(code.split('`').next().unwrap_or("")),
        None => {
            let word = text.split([' ', ',']).next().unwrap_or("");
            word.contains('/') && is_bare_path(word, false)
        }
    }
}

/// The paths that an item names, whatever it says about them.
pub(super) fn names(source: &DesignText<'_>, item: &InlineText) -> bool {
    rows(source, item, Reading::of(None), &mut Doubts::default())
        .map_or(true, |rows| !rows.is_empty())
}

/// What a note in parentheses says about its path.
enum Note {
    Type(RowAction),
    /// It is "existing", which says less than a verb.
    Existing,
    /// "If needed".
    Open,
}

fn rows(
    source: &DesignText<'_>,
    item: &InlineText,
    reading: Reading,
    doubts: &mut Doubts,
) -> Result<Vec<Row>, LocatedProblem> {
    let span = source.trim(item.span.clone());
    cell::refuse_overload(item)?;
    if item.is_obscured {
        return Err(html(source.slice(span.clone())).at(span));
    }
    if source
        .slice(span.clone())
        .lines()
        .skip(1)
        .any(|line| line.contains('|'))
    {
        let problem = ambiguous("a line of this item looks like a table row");
        return Err(problem.at(span));
    }
    let whole = first_part(source, item, span.clone());
    let (label, path) = split_label(source, item, whole.clone())?;
    let (path, rest) = split_description(source, item, path);
    let within = |inner: &Range<usize>, outer: &Range<usize>| {
        inner.start >= outer.start && inner.end <= outer.end
    };
    let mut struck = item
        .pieces
        .iter()
        .filter(|piece| piece.kind == PieceKind::Struck && piece.span.start < whole.end);
    if struck.any(|piece| !within(&piece.span, &path) && !within(&piece.span, &rest)) {
        let message = "the item is struck out";
        let problem = Problem::placeholder("struck-out", message, "remove the item");
        return Err(problem.at(item.span.clone()));
    }
    let rest = source
        .slice(rest)
        .trim_start_matches([' ', '-', '–', '—', ':', '：', '.']);
    let (path, tail) = match doubt::unnamed_tail(source, item, &path) {
        Some(tail) => (source.trim(path.start..tail.start), Some(tail)),
        None => (path, None),
    };
    let Paths { mut paths, prose } = match paths(source, item, path.clone())? {
        Some(found) => found,
        None => return nothing(source, &label, path, rest),
    };
    paths.retain(|path| path.is_name || !is_line_range(&path.text));
    if paths
        .iter()
        .any(|path| path.text.contains('/') || !is_call(&path.text))
    {
        paths.retain(|path| path.is_name || !is_call(&path.text));
    }
    for path in paths.iter_mut().filter(|path| !path.is_name) {
        path.cut_member();
        from_root(path);
    }
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let prose = prose || matches!(label, Lead::Phrase);
    let is_direct = paths.first().is_some_and(|first| {
        let lead = source.slice(path.start..first.span.start);
        lead.chars().all(|c| !c.is_alphanumeric())
    });
    if reading.is_strict && (!is_direct || matches!(label, Lead::Phrase)) {
        return Ok(Vec::new());
    }
    let open_at = paths
        .first()
        .and_then(|first| doubt::open_from(source, item, first, &path));
    let lead = source
        .slice(whole.start..open_at.unwrap_or(path.end))
        .to_lowercase();
    let outside = without_parentheses(lead);
    let last = paths.last().map_or(path.end, |last| last.span.end);
    let behind_last = source.slice(last.min(path.end)..path.end);
    let mut is_condition = ["if ", "when ", "unless ", "only "]
        .iter()
        .any(|word| behind_last.trim_start().starts_with(word));
    // "`a.rs`, and `b.rs` if the schema changes"
    if is_condition && paths.len() > 1 && !paths.iter().any(|path| path.arrow) {
        let last = paths.pop();
        doubts
            .told
            .extend(last.map(|last| open(&last.text).at(last.span)));
        is_condition = false;
    }
    if matches!(label, Lead::Open) || is_condition || is_open(&outside) || begins_open(rest) {
        return Err(open(source.slice(path.clone())).at(span));
    }
    let has_label = matches!(label, Lead::Noun);
    let (said, has_colon) = match label {
        Lead::Type(said, has_colon) => (Some(said), has_colon),
        Lead::None | Lead::Phrase | Lead::Noun | Lead::Open => (None, false),
    };
    let is_delete =
        |(found, _): &TypeWords| found.kind.takes_away() && found.kind != RowAction::Rename;
    if prose && has_colon && is_direct && said.as_ref().is_some_and(is_delete) {
        // "Delete: `src/a/` leftovers"
        let text = escaped(source.slice(path.clone()));
        let message = format!("is `{text}` deleted, or only a part of it?");
        return Err(ambiguous(message).at(path));
    }
    let said = said.filter(|(found, _)| !(prose && found.kind.takes_away()));
    let behind = behind(rest).filter(|(found, _)| !(prose && found.kind.takes_away()));
    if prose && said.is_none() {
        // "Move the parser from `a` to `b`" edits two files.
        paths.iter_mut().for_each(|path| path.arrow = false);
    }
    let is_pair = said.is_none() && paths.iter().any(|path| path.arrow);
    let default = match reading.claim {
        _ if is_pair => RowAction::Rename,
        Some(claim) => RowAction::Grant(claim.actions()),
        None => RowAction::Mention,
    };
    let has_verb = said.is_some() || has_label;
    let says = |path: &WrittenPath, word: &str| path.before.iter().any(|said| said == word);
    let is_existing = said.is_none()
        && paths
            .first()
            .is_some_and(|path| says(path, "existing") && !says(path, "new"));
    let (found, change_type) = match said.or(behind) {
        Some((found, words)) => (Some(found), words),
        None => (None, String::new()),
    };
    let mut kind = found.map_or(default, |found| found.kind);
    let is_denied = kind::denies(rest) || reading.claim.is_none();
    if is_denied || is_existing || looks_only(&paths, has_colon) {
        kind = RowAction::Mention;
    }
    if let (true, Some(found)) = (!has_verb || has_label, found)
        && found.kind == RowAction::Grant(add())
        && !found.bare
    {
        // "`a.rs` - new helper" adds to a file.
        kind = if kind == RowAction::Mention {
            kind
        } else {
            default
        };
    }
    let row = |paths: Vec<WrittenPath>, kind: RowAction, change_type: &str| Row {
        paths,
        prose,
        kind,
        directory: found.is_some_and(|found| found.directory),
        change_type: change_type.to_owned(),
        description: rest.split_whitespace().collect::<Vec<_>>().join(" "),
    };
    if kind != RowAction::Mention {
        let words = open_at.filter(|&at| paths.iter().all(|path| path.span.start < at));
        let rest = words.map(|at| open(source.slice(at..path.end)).at(at..path.end));
        let tail = tail.map(|tail| unnamed(source, tail));
        doubts.told.extend(rest.into_iter().chain(tail));
    }
    if kind == RowAction::Rename {
        if let [old, new] = paths.as_slice()
            && let Some(problem) = doubt::new_name(source, old, new, &mut doubts.asked)
        {
            doubts.told.push(problem.at(new.span.clone()));
            return Ok(Vec::new());
        }
        return Ok(vec![row(paths, kind, &change_type)]);
    }
    let for_all = paths.last().and_then(|path| note_for_all(&path.note));
    let mut unsure = doubt::of_paths(source, &paths, open_at, &mut doubts.asked).into_iter();
    let mut rows = Vec::with_capacity(paths.len());
    for (number, path) in paths.into_iter().enumerate() {
        let unsure = unsure.next().flatten();
        let mut change_type = change_type.clone();
        // "`a`, and tests for `b`"
        let is_seen = number > 0
            && path.before.last().is_some_and(|word| {
                matches!(
                    word.as_str(),
                    "for"
                        | "using"
                        | "via"
                        | "like"
                        | "per"
                        | "following"
                        | "matching"
                        | "mirroring"
                        | "see"
                        | "use"
                        | "uses"
                        | "reuses"
                        | "against"
                )
            });
        if is_seen && kind != RowAction::Mention {
            rows.push(row(vec![path], RowAction::Mention, ""));
            continue;
        }
        if number > 0
            && let Some(verb) = path.before.first().and_then(|word| of_item_word(word))
            && kind != RowAction::Mention
        {
            kind = match verb {
                RowAction::Mention => {
                    rows.push(row(vec![path], RowAction::Mention, ""));
                    continue;
                }
                verb if path.before.len() == 1 => verb,
                _ => default,
            };
            change_type = path.before.join(" ");
        }
        let own = for_all.or_else(|| {
            note(&path.note).map(|note| match note {
                Note::Type(found) => Some(found),
                Note::Existing if has_verb => Some(kind),
                Note::Existing => Some(RowAction::Mention),
                Note::Open => None,
            })
        });
        let is_add = |kind: &RowAction| matches!(kind, RowAction::Grant(_)) && !kind.takes_away();
        let own = match own {
            // A verb says more than "(new section)".
            Some(Some(own)) if has_verb && is_add(&own) => None,
            // "Drop the helper from `a` (removed)".
            Some(Some(own)) if prose && own.takes_away() => None,
            Some(None) => return Err(open(&path.text).at(path.span)),
            Some(Some(_)) if kind == RowAction::Mention => Some(kind),
            // The label of a list and a verb may say more than "(new)".
            Some(Some(RowAction::Rename)) | None => None,
            Some(found) => found,
        };
        let is_marked = own.is_some() || found.is_some();
        if own.is_some() && change_type.is_empty() {
            change_type = path.note.clone();
        }
        let kind = own.unwrap_or(kind);
        let kind = if reading.is_marked && !is_marked {
            RowAction::Mention
        } else {
            kind
        };
        match unsure {
            Some(problem) if kind != RowAction::Mention => {
                doubts.told.push(problem.at(path.span));
            }
            _ => rows.push(row(vec![path], kind, &change_type)),
        }
    }
    Ok(rows)
}

/// Words for files that an item does not name.
fn unnamed(source: &DesignText<'_>, span: Range<usize>) -> LocatedProblem {
    let text = source
        .slice(span.clone())
        .trim_matches([',', ';', '.', ' ']);
    ambiguous(format!("`{}` names no file", escaped(text))).at(span)
}

/// What an item without a path is: a statement that nothing changes, words, or files that it does not name.
fn nothing(
    source: &DesignText<'_>,
    label: &Lead,
    path: Range<usize>,
    rest: &str,
) -> Result<Vec<Row>, LocatedProblem> {
    let text = source
        .slice(path.clone())
        .trim_matches(['*', '_', ' ', '.', '`']);
    let reads = matches!(
        label,
        Lead::Type(
            (
                Type {
                    kind: RowAction::Mention,
                    ..
                },
                _
            ),
            _
        )
    );
    let first = first_word(text);
    if is_placeholder(text) || negation(text).is_some() || matches!(first.as_str(), "none" | "no") {
        let problem = Problem::placeholder("no-file", "no file", "name the files");
        return Err(problem.at(path));
    }
    let whole = format!("{text} {rest}").to_lowercase();
    let is_wide = words(&whole).iter().any(|word| doubt::is_wide(word));
    if is_wide && !reads {
        let problem = ambiguous(format!("`{}` names no file", escaped(text)));
        return Err(problem.at(path));
    }
    Ok(Vec::new())
}

fn without_parentheses(text: String) -> String {
    if !cell::has_parentheses(&text) {
        return text;
    }
    let mut depth = 0_usize;
    let outside = text.chars().filter(|c| {
        match c {
            '(' | '（' => depth += 1,
            ')' | '）' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    });
    outside.collect()
}

/// The first line, and the next ones while they continue a list of paths.
fn first_part(source: &DesignText<'_>, item: &InlineText, span: Range<usize>) -> Range<usize> {
    let text = source.slice(span.clone());
    for (newline, _) in text.match_indices('\n') {
        let before = text.get(..newline).unwrap_or("").trim_end();
        let behind = text.get(newline + 1..).unwrap_or("").trim_start();
        let at = span.start + newline;
        let in_piece = item.pieces.iter().any(|piece| piece.span.contains(&at));
        let continues = before.ends_with([',', ';', '、', '，'])
            || before.ends_with(" and")
            || behind.starts_with(['`', '(', '['])
            || !before.contains(['`', '/', '.']);
        if !continues && !in_piece {
            return span.start..span.start + newline;
        }
    }
    span
}

/// Paths on the lines that [`first_part`] cuts off, if they continue the list: "`a.rs`, the tests\nbelow, `src/b.rs`".
pub(super) fn cut_paths(source: &DesignText<'_>, item: &InlineText) -> Option<LocatedProblem> {
    let span = source.trim(item.span.clone());
    let first = first_part(source, item, span.clone());
    if first.end >= span.end || split_description(source, item, first.clone()).0.end < first.end {
        return None;
    }
    let continues = |piece: &&Piece| {
        let before = source.slice(first.end..piece.span.start.max(first.end));
        let before = before.trim_end();
        let is_path = matches!(&piece.kind, PieceKind::Code(text) if text.contains('/') && cell::has_path_shape(text));
        is_path && (before.ends_with([',', '，', '、']) || before.ends_with(" and"))
    };
    let mut behind = item
        .pieces
        .iter()
        .filter(|piece| piece.span.start >= first.end);
    let piece = behind.find(continues)?;
    let text = escaped(source.slice(piece.span.clone()));
    let problem = ambiguous(format!(
        "{text} stands behind a sentence: does it belong to the list?"
    ));
    Some(problem.at(piece.span.clone()))
}

/// Whether the words directly before the first path say that it is only looked at: "tests for `a`".
fn looks_only(paths: &[WrittenPath], has_colon: bool) -> bool {
    let Some(first) = paths.first().filter(|_| !has_colon) else {
        return false;
    };
    let last = first.before.last().map(String::as_str);
    let is_look = |word: &str| {
        matches!(
            word,
            "for"
                | "using"
                | "via"
                | "like"
                | "per"
                | "following"
                | "follows"
                | "matching"
                | "mirroring"
                | "mirrors"
                | "see"
                | "by"
                | "than"
                | "as"
                | "with"
                | "reuses"
                | "uses"
                | "use"
                | "existing"
                | "against"
        )
    };
    last.is_some_and(is_look)
}

/// The paths in a part of an item; `None` if it holds words only.
fn paths(
    source: &DesignText<'_>,
    item: &InlineText,
    span: Range<usize>,
) -> Result<Option<Paths>, LocatedProblem> {
    let part = item.within(span.clone());
    let is_code = |kind: &PieceKind| matches!(kind, PieceKind::Code(_) | PieceKind::Link { .. });
    let has_piece = part.pieces.iter().any(|piece| is_code(&piece.kind));
    let has_piece = has_piece && !is_bare_with_note(source, &part, &span);
    if has_piece || part.is_struck() {
        let found = match cell::paths(source, &part) {
            Ok(found) => found,
            Err(problem) => {
                let shaped = part.pieces.iter().any(|piece| match &piece.kind {
                    PieceKind::Code(text) => cell::has_path_shape(text),
                    PieceKind::Link { .. } | PieceKind::Struck => true,
                    _ => false,
                });
                return if shaped { Err(problem) } else { Ok(None) };
            }
        };
        // Code that is not a path, such as a function's name, is no file.
        let no_shape = found
            .paths
            .iter()
            .all(|path| !path.is_name && is_call(&path.text));
        return Ok((!no_shape).then_some(found));
    }
    bare_paths(source, &part, span)
}

/// A path without backticks, and code only in the note behind it: "src/a.rs (calls `run`)".
fn is_bare_with_note(source: &DesignText<'_>, part: &InlineText, span: &Range<usize>) -> bool {
    let text = source.slice(span.clone());
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let word = word.trim_end_matches([',', ';']);
    let (Some(first), Some(last)) = (part.pieces.first(), part.pieces.last()) else {
        return false;
    };
    let before = source.slice(span.start..first.span.start.max(span.start));
    let behind = source.slice(last.span.end.min(span.end)..span.end);
    word.contains('/')
        && is_bare_path(word, false)
        && rest.trim_start().starts_with('(')
        && before.matches('(').count() == 1
        && !before.contains(')')
        && behind.matches(')').count() == 1
}

/// `:45-60`, `L10`: more lines of the file before.
fn is_line_range(text: &str) -> bool {
    let text = text.trim_start_matches([':', 'L', 'l', '#']);
    text.contains(|c: char| c.is_ascii_digit())
        && text
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '-' | '–' | ',' | ' ' | ':'))
}

/// `run()`, `a::b`, `npm test`.
fn is_call(text: &str) -> bool {
    let has = |c: char| text.contains(c);
    text.ends_with(')') && has('(') && !has('/')
        || !has('.') && !has('/') && (text.contains("::") || text.contains(char::is_whitespace))
}

/// The type behind a dash: "— NEW", "- deleted (unused)".
fn behind(rest: &str) -> Option<TypeWords> {
    if rest.is_empty() {
        return None;
    }
    let rest = rest.trim_start_matches(['*', '_', '(', '[']);
    let found = kind::parse(rest)?;
    let is_short = rest.split_whitespace().count() <= 3 && found.kind == RowAction::Mention;
    let end = rest.find([')', ']']).unwrap_or(rest.len());
    let alone = rest
        .get(..end)
        .and_then(kind::parse)
        .is_some_and(|found| found.bare);
    (found.bare || alone || is_short || is_upper(rest) && !found.kind.takes_away())
        .then(|| (found, split_word(rest).0.to_owned()))
}

fn is_upper(text: &str) -> bool {
    let (word, _) = split_word(text);
    word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase())
}

/// What "(all deleted)" after the last path says about every path.
fn note_for_all(text: &str) -> Option<Option<RowAction>> {
    let lower = text.trim().to_lowercase();
    let rest = ["all ", "both "]
        .iter()
        .find_map(|word| lower.strip_prefix(word))?;
    match note(rest)? {
        Note::Type(found) => Some(Some(found)),
        Note::Existing => Some(Some(RowAction::Mention)),
        Note::Open => Some(None),
    }
}

/// What a note says about its path; `None` for any other remark.
fn note(text: &str) -> Option<Note> {
    if text.is_empty() {
        return None;
    }
    let lower = text.trim().to_lowercase();
    let lower = lower.trim_start_matches(['*', '_', '~']);
    if is_open(lower) || lower.starts_with("if ") {
        return Some(Note::Open);
    }
    let (word, rest) = split_word(lower);
    if matches!(word, "existing" | "exists" | "already") {
        return Some(Note::Existing);
    }
    let reads = matches!(
        word,
        "read"
            | "reads"
            | "readonly"
            | "verify"
            | "verification"
            | "verified"
            | "check"
            | "inspect"
            | "review"
            | "reference"
            | "unchanged"
            | "context"
            | "unmodified"
            | "untouched"
    ) || lower.starts_with("for reference")
        || lower.starts_with("no change")
        || lower.contains("read-only")
        || lower.contains("verify only");
    if reads {
        return Some(Note::Type(RowAction::Mention));
    }
    let parsed =
        kind::parse(lower).filter(|found| found.bare || found.kind != RowAction::Grant(add()));
    let found = parsed.map(|found| found.kind).or_else(|| {
        // "deleted, replaced by the new module"
        let is_done = matches!(word, "deleted" | "removed")
            && rest.trim_start().starts_with([',', ';', '—', '–']);
        is_done
            .then(|| kind::parse(word))
            .flatten()
            .map(|found| found.kind)
    })?;
    Some(Note::Type(found))
}

/// Splits an item before ` - `, ` — `, `: ` or `. `, outside of code and parentheses.
fn split_description(
    source: &DesignText<'_>,
    item: &InlineText,
    span: Range<usize>,
) -> (Range<usize>, Range<usize>) {
    let text = source.slice(span.clone());
    let mut pieces = item.pieces.iter().peekable();
    let mut depth = 0_usize;
    for (index, c) in text.char_indices() {
        if !matches!(c, '(' | ')' | '（' | '）' | ' ' | ':' | '：' | '.' | '—') {
            continue;
        }
        let at = span.start + index;
        while pieces.next_if(|piece| piece.span.end <= at).is_some() {}
        if pieces
            .peek()
            .is_some_and(|piece| piece.span.contains(&at) && piece.kind != PieceKind::Struck)
        {
            continue;
        }
        let rest = text.get(index..).unwrap_or("");
        let marks: &[&str] = match c {
            ' ' => &[" - ", " – ", " — ", " -- "],
            ':' => &[": "],
            '.' => &[". "],
            '—' => &["— "],
            _ => &[],
        };
        let is_mark = c == '：' || marks.iter().any(|mark| rest.starts_with(mark));
        match c {
            '(' | '（' => depth += 1,
            ')' | '）' => depth = depth.saturating_sub(1),
            _ if is_mark && depth == 0 => {
                return (span.start..at, at..span.end);
            }
            _ => {}
        }
    }
    (span.clone(), span.end..span.end)
}
