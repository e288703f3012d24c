//! Items: `[type:] path {, path} [(note)] [- text]`. Anything else in an item makes it bad. Tasks: checkbox lines of
//! `tasks.md` that begin with a verb and name exactly one path.

use std::sync::LazyLock;

use gix::bstr::{BStr, ByteSlice};
use regex_lite::Regex;

use super::markdown::one_line;
use super::paths::{self, has_path_shape};
use super::{Actions, DesignBuilder, DesignText, GrantForm, ListNode, ListNodeKind, PIECE};
use super::{PieceKind, Problem, Row, RowAction, Run, WrittenPath};
use super::{any, is_in, problem, types, words};

/// The longest type, in bytes: `Rewritten and modified`.
const LONGEST_TYPE: usize = 32;
/// The marks between paths; an arrow leads from the old path to the new one.
const SEPARATORS: &[&str] = &["->", "=>", "→", ",", "&", "+", "·", "|", "/"];

/// Reads an item. A path without a type grants the actions `untyped`; `below` is the text of what stands below it in a
/// list.
///
/// # Errors
/// The item is bad.
pub(super) fn read(
    source: &DesignText<'_>,
    run: &Run,
    untyped: Actions,
    below: &str,
) -> Result<Row, Problem> {
    let item = paths::check_pieces(run, source.path);
    let mut parser = Parser { source, run, at: 0 };
    let item = item.and_then(|()| parser.item(untyped, below));
    item.map_err(|problem| problem.at(source.trim(run.span())))
}

/// The parts of a text between separators outside parentheses and braces, which end with the line.
pub(super) fn parts<'t>(
    text: &'t str,
    separators: &'static [char],
) -> impl Iterator<Item = &'t str> {
    let mut depth = 0_usize;
    let parts = text.split(move |c| {
        depth = match c {
            '(' | '{' => depth + 1,
            ')' | '}' => depth.saturating_sub(1),
            '\n' => 0,
            _ => depth,
        };
        depth == 0 && separators.contains(&c)
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// The paths in a text, wherever they stand, each with its offset in the text.
fn paths_anywhere(source: &DesignText<'_>, run: &Run) -> Vec<(usize, WrittenPath)> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '_' | '-');
    let mut parser = Parser { source, run, at: 0 };
    let mut found = Vec::new();
    while !parser.rest().is_empty() {
        let start = parser.at;
        if let Some(path) = parser.path() {
            found.push((start, path));
        } else if !parser.skip(|c| c == PIECE) {
            while parser.skip(|c| !is_word_end(c)) {}
        }
        while parser.skip(|c| !is_word(c) && c != PIECE) {}
    }
    found
}

struct Parser<'r> {
    source: &'r DesignText<'r>,
    run: &'r Run,
    /// The offset in the text.
    at: usize,
}

impl<'r> Parser<'r> {
    fn item(&mut self, untyped: Actions, below: &str) -> Result<Row, Problem> {
        self.skip_blanks();
        let text = self.rest();
        let said = self.type_words();
        let (word, kind) = said.unwrap_or(("", RowAction::Grant(untyped)));
        let has_colon = said.is_some() && self.skip(|c| c == ':');
        self.skip_blanks();
        if (said.is_none() || has_colon) && is_nothing(self.rest()) {
            return Ok(Row::of(Vec::new(), RowAction::Mention, ""));
        }
        let mut row = Row::of(Vec::new(), kind, word);
        if said.is_some() && self.rest().is_empty() {
            return Ok(row);
        }
        row.paths.push(self.path().ok_or_else(|| unreadable(text))?);
        while let Some(arrow) = self.separator() {
            if arrow && kind != RowAction::Rename {
                return Err(problem::arrow());
            }
            let path = self.path().ok_or_else(|| unreadable(text))?;
            row.paths.push(WrittenPath { arrow, ..path });
        }
        let unread = || problem::unread_item(shown(text));
        let notes = self.remark(&mut row).ok_or_else(unread)?;
        let is_directory = notes.iter().any(|note| paths::is_directory_remark(note));
        for path in &mut row.paths {
            path.directory = is_directory;
        }
        let mut types = notes.iter().filter(|_| said.is_none()).filter_map(|note| {
            let kind = types::of_note(note.trim_end_matches('.'))?;
            Some((note.trim(), kind))
        });
        if let Some((word, kind)) = types.next_back() {
            if types.any(|(_, other)| other != kind) {
                return Err(problem::two_types());
            }
            (row.kind, row.change_type) = (kind, word.to_owned());
        }
        let remark = format!("{}\n{below}", notes.join("\n"));
        match row.kind != RowAction::Mention && words::denies(&remark, said.is_some()) {
            true => Err(problem::denied()),
            false => Ok(row),
        }
    }

    /// The notes in parentheses, and the text behind a dash or colon. Nothing else may follow the paths.
    fn remark(&mut self, row: &mut Row) -> Option<Vec<&'r str>> {
        let mut notes: Vec<&str> = Vec::new();
        self.skip_blanks();
        while self.skip(|c| c == '(') {
            notes.push(self.note()?);
            self.skip_blanks();
        }
        self.skip(|c| matches!(c, '.' | ',' | ';'));
        self.skip_blanks();
        let mut description = notes.first().copied().unwrap_or("");
        let has_colon = self.rest().starts_with(':');
        if self.skip(|c| matches!(c, '-' | '–' | '—' | ':')) {
            while self.skip(|c| c == '-' || c.is_whitespace()) {}
            // What looked like a path was text before one: "acme/web: `src/a.rs`".
            if has_colon && self.path().is_some() {
                return None;
            }
            description = self.source.slice(self.run.offset(self.at)..self.run.end);
            notes.push(self.rest());
        } else if !self.rest().is_empty() {
            return None;
        }
        row.description = one_line(description);
        Some(notes)
    }

    /// The text up to the parenthesis that closes the open one.
    fn note(&mut self) -> Option<&'r str> {
        let (rest, mut depth) = (self.rest(), 1_usize);
        let end = rest.find(|c| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth == 0
        })?;
        self.at += end + 1;
        rest.get(..end)
    }

    /// The longest type at this place that a colon, a blank or a path ends.
    fn type_words(&mut self) -> Option<(&'r str, RowAction)> {
        let rest = self.rest();
        let most = rest.find([':', PIECE]).unwrap_or(rest.len());
        let is_end = |c: char| c.is_whitespace() || matches!(c, ':' | PIECE);
        let (word, kind) = (1..=most.min(LONGEST_TYPE)).rev().find_map(|end| {
            let (word, behind) = rest.split_at_checked(end)?;
            let ends = behind.is_empty() || behind.starts_with(is_end);
            Some((word, ends.then(|| types::of_item(word))??))
        })?;
        self.at += word.len();
        self.skip_blanks();
        Some((word.trim(), kind))
    }

    /// Skips a separator between paths; whether it is an arrow.
    fn separator(&mut self) -> Option<bool> {
        let has_blank = self.rest().starts_with(char::is_whitespace);
        self.skip_blanks();
        let mut marks = SEPARATORS.iter().copied();
        let mark = marks.find(|mark| self.rest().starts_with(mark));
        self.at += mark.map_or(0, str::len);
        self.skip_blanks();
        let can_be_word = mark.map_or(has_blank, |mark| mark == ",");
        let ends = |behind: &str| behind.starts_with(is_word_end);
        let mut words = ["and", "or"].into_iter().filter(|_| can_be_word);
        let word = words.find(|word| self.rest().strip_prefix(word).is_some_and(ends));
        self.at += word.map_or(0, str::len);
        self.skip_blanks();
        let found = mark.or(word)?;
        Some(matches!(found, "->" | "=>" | "→"))
    }

    /// A path at this place.
    fn path(&mut self) -> Option<WrittenPath> {
        let rest = self.rest();
        if let Some(piece) = self.run.piece(self.at) {
            let text = match &piece.kind {
                PieceKind::Code(text) if has_path_shape(text) => text,
                PieceKind::Link { text, .. } => text,
                _ => return None,
            };
            self.at += PIECE.len_utf8();
            return Some(WrittenPath::new(text, piece.span.clone()));
        }
        let path = bare_path(rest.split(is_word_end).next()?)?;
        let start = self.run.offset(self.at);
        self.at += path.len();
        // Marks of emphasis may stand between its end and what follows.
        let end = self.run.offset(self.at - 1) + 1;
        Some(WrittenPath::new(path, start..end))
    }

    fn rest(&self) -> &'r str {
        self.run.text.get(self.at..).unwrap_or("")
    }

    fn skip(&mut self, is_wanted: impl Fn(char) -> bool) -> bool {
        let found = self.rest().chars().next().filter(|c| is_wanted(*c));
        self.at += found.map_or(0, char::len_utf8);
        found.is_some()
    }

    fn skip_blanks(&mut self) {
        while self.skip(char::is_whitespace) {}
    }
}

fn is_word_end(c: char) -> bool {
    c.is_whitespace() || c == PIECE
}

fn unreadable(text: &str) -> Problem {
    match text.split_once(':') {
        Some((word, _)) if !word.contains(PIECE) => problem::unknown_type(shown(word)),
        _ => problem::unread_item(shown(text)),
    }
}

/// The path at the start of a word; closing punctuation and a range of lines are not part of it.
fn bare_path(word: &str) -> Option<&str> {
    let count = |c: char| word.matches(c).count();
    let mut unopened = count(')').saturating_sub(count('('));
    let is_closing = |c: char| {
        let is_unopened = c == ')' && unopened > 0;
        unopened -= usize::from(is_unopened);
        is_unopened || matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '*')
    };
    let mut path = word.trim_end_matches(is_closing);
    if let Some((before, lines)) = path.split_once([',', ';', ':']) {
        let is_line = |c: char| c.is_ascii_digit() || matches!(c, '-' | ',');
        let is_lines = path.get(before.len()..)?.starts_with(':') && lines.chars().all(is_line);
        path = if is_lines { path } else { before };
    }
    let plain = path.split_once(':').map_or(path, |(plain, _)| plain);
    paths::is_bare_path(plain).then_some(path)
}

/// "None", "none (…)", "N/A" and "-" name no file, and are no fault.
fn is_nothing(text: &str) -> bool {
    let text = text.trim().trim_end_matches('.');
    let (word, rest) = text.split_once('(').unwrap_or((text, ")"));
    let word = word.trim().to_lowercase();
    rest.ends_with(')') && matches!(word.as_str(), "none" | "n/a")
        || matches!(text, "-" | "–" | "—")
}

/// The beginning of a text for a message.
fn shown(text: &str) -> String {
    let text = one_line(&text.replace(PIECE, "…"));
    text.chars().take(60).collect()
}

/// Whether the tasks of the document count without a setting.
pub(super) fn is_task_list(path: &BStr) -> bool {
    let name = path.rsplit_str("/").next();
    name.is_some_and(|name| name.eq_ignore_ascii_case(b"tasks.md"))
}

/// Grants the file of a task; other items are passed over.
pub(super) fn read_task(node: &ListNode, draft: &mut DesignBuilder<'_>) {
    let is_task = matches!(node.kind, ListNodeKind::Item { is_task: true, .. });
    let run = &node.content.run;
    if !is_task || paths::check_pieces(run, draft.source.path).is_err() {
        return;
    }
    let mut found = paths_anywhere(draft.source, run);
    let (Some((at, path)), true) = (found.pop(), found.is_empty()) else {
        return;
    };
    let (verb, between) = verb(&run.text[..at]);
    let Some(kind) = action(verb) else { return };
    let is_direct = between.trim().is_empty();
    if !is_direct && (kind.takes_away() || !leads_to(between)) {
        return;
    }
    let row = Row {
        description: node.content.one_line(),
        ..Row::of(vec![path], kind, verb)
    };
    draft.form = GrantForm::TaskLine;
    draft.row(row);
}

/// Numbers, ids such as `T012`, and tags such as `[US1]` before the verb.
static IDS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s*(?:(?:\[P\]|\[?[A-Z-]{0,4}[0-9][0-9.]*[.:)]*\]?)\s+)*").ok());

/// The verb and what stands between it and the path.
fn verb(before: &str) -> (&str, &str) {
    let ids = IDS.as_ref().and_then(|ids| ids.find(before));
    let rest = &before[ids.map_or(0, |ids| ids.end())..];
    let (verb, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    (verb.trim_end_matches(':'), behind)
}

/// What a verb does with the path behind it.
fn action(verb: &str) -> Option<RowAction> {
    let verb = verb.to_lowercase();
    match verb.as_str() {
        "create" | "add" | "implement" | "write" | "extend" => Some(RowAction::Grant(any())),
        "update" | "modify" | "edit" | "delete" | "remove" => types::of_word(&verb),
        _ => None,
    }
}

/// Whether the words between a verb and a path lead to the path: "a model in".
fn leads_to(between: &str) -> bool {
    let words = words::words(between);
    let leads = |word: &str| is_in(word, "in|into|to|at");
    let turns = |word: &String| is_in(word, "like|as|from|for|with");
    between.trim_end().ends_with(char::is_alphanumeric)
        && words.last().is_some_and(|last| leads(last))
        && !words.iter().any(turns)
}
