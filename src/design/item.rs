//! Items: `[type:] path {, path} [(note)] [- text]`. Anything else in an item makes it bad.

use super::markdown::one_line;
use super::paths::{self, has_path_shape};
use super::{Actions, DesignText, PIECE, PieceKind, Problem, RowAction, Run, WrittenPath};
use super::{ambiguous, escaped, problem, types, words};

/// The longest type, in bytes: `Rewritten and modified`.
const LONGEST_TYPE: usize = 32;
/// The marks between paths; an arrow leads from the old path to the new one.
const SEPARATORS: &[&str] = &["->", "=>", "→", ",", "&", "+", "·", "|", "/"];

/// One row of a table, or a list item.
pub(super) struct Row {
    pub(super) paths: Vec<WrittenPath>,
    pub(super) kind: RowAction,
    /// The type as written.
    pub(super) change_type: String,
    pub(super) description: String,
}

impl Row {
    /// A row with one path and without a description.
    pub(super) fn of(path: WrittenPath, kind: RowAction, change_type: &str) -> Row {
        Row {
            paths: vec![path],
            kind,
            change_type: change_type.to_owned(),
            description: String::new(),
        }
    }
}

/// What an item says.
pub(super) enum DesignItem {
    /// The paths with what to do with them.
    Row(Row),
    /// A type for the items below it.
    Type(RowAction),
    /// "None" and the like.
    Nothing,
}

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
) -> Result<DesignItem, Problem> {
    let item = paths::check_pieces(run, source.path);
    let item = item.and_then(|()| Parser::new(run).item(source, untyped, below));
    item.map_err(|problem| problem.at(source.trim(run.span())))
}

/// The paths in a text, wherever they stand, each with its offset in the text.
pub(super) fn paths_anywhere(run: &Run) -> Vec<(usize, WrittenPath)> {
    let mut parser = Parser::new(run);
    let mut found = Vec::new();
    while !parser.rest().is_empty() {
        let start = parser.at;
        match parser.path() {
            Some(path) => found.push((start, path)),
            None => parser.skip_word(),
        }
    }
    found
}

struct Parser<'r> {
    run: &'r Run,
    /// The offset in the text.
    at: usize,
    /// The number of pieces before it.
    pieces: usize,
}

impl<'r> Parser<'r> {
    fn new(run: &'r Run) -> Self {
        let (at, pieces) = (0, 0);
        Parser { run, at, pieces }
    }

    fn item(
        &mut self,
        source: &DesignText<'_>,
        untyped: Actions,
        below: &str,
    ) -> Result<DesignItem, Problem> {
        self.skip_blanks();
        let text = self.rest();
        if is_nothing(text) {
            return Ok(DesignItem::Nothing);
        }
        let change_type = self.type_words();
        let kind = change_type.and_then(types::of_item);
        if let Some(kind) = kind {
            let has_colon = self.skip(|c| c == ':');
            self.skip_blanks();
            if self.rest().is_empty() {
                return Ok(DesignItem::Type(kind));
            }
            if has_colon && is_nothing(self.rest()) {
                return Ok(DesignItem::Nothing);
            }
        }
        let mut paths = vec![self.path().ok_or_else(|| unreadable(text))?];
        while let Some(arrow) = self.separator() {
            if arrow && kind != Some(RowAction::Rename) {
                let what = "there is an arrow between two paths, but the type is not Rename";
                let help = "write `Rename: old -> new`, or one item per path";
                return Err(Problem::bad_row("arrow-without-rename", what, help));
            }
            let path = self.path().ok_or_else(|| unreadable(text))?;
            paths.push(WrittenPath { arrow, ..path });
        }
        let row = Row {
            paths,
            kind: kind.unwrap_or(RowAction::Grant(untyped)),
            change_type: change_type.unwrap_or("").to_owned(),
            description: String::new(),
        };
        let row = self.remark(source, row, kind.is_some(), below);
        row.map(DesignItem::Row).map_err(|problem| {
            let unread = || {
                let text = shown(text);
                let what = "only a note in parentheses or a text behind a dash or colon may follow the paths";
                ambiguous(&format!("`{text}` is not read: {what}"))
            };
            problem.unwrap_or_else(unread)
        })
    }

    /// What follows the paths.
    ///
    /// # Errors
    /// It takes the item back, or, without a problem of its own, is neither a note nor a text behind a dash or colon.
    fn remark(
        &mut self,
        source: &DesignText<'_>,
        mut row: Row,
        is_typed: bool,
        below: &str,
    ) -> Result<Row, Option<Problem>> {
        let mut notes: Vec<&str> = Vec::new();
        self.skip_blanks();
        while self.skip(|c| c == '(') {
            notes.push(self.note().ok_or(None)?);
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
                return Err(None);
            }
            description = source.slice(self.run.offset(self.at)..self.run.span().end);
            notes.push(self.rest());
        } else if !self.rest().is_empty() {
            return Err(None);
        }
        row.description = one_line(description);
        let mut said = None;
        for note in &notes {
            if paths::is_directory_remark(note) {
                row.paths.iter_mut().for_each(|path| path.directory = true);
            }
            let found = types::of_note(note.trim_end_matches('.')).filter(|_| !is_typed);
            if let Some(kind) = found {
                if said.is_some_and(|said| said != kind) {
                    return Err(Some(ambiguous("the notes of the item name two types")));
                }
                (said, row.kind, row.change_type) = (found, kind, note.trim().to_owned());
            }
        }
        let remark = format!("{}\n{below}", notes.join("\n"));
        match row.kind != RowAction::Mention && words::denies(&remark, is_typed) {
            true => Err(Some(Problem::bad_row(
                "denied",
                "the remark takes back, or leaves open, what the item would allow",
                "write the condition elsewhere, or remove the item",
            ))),
            false => Ok(row),
        }
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
        self.advance(end + 1);
        rest.get(..end)
    }

    /// The longest type at this place that a colon, a blank or a path ends.
    fn type_words(&mut self) -> Option<&'r str> {
        let rest = self.rest();
        let is_end = |c: char| c.is_whitespace() || matches!(c, ':' | PIECE);
        let found = (1..=rest.len().min(LONGEST_TYPE)).rev().find_map(|end| {
            let (word, behind) = rest.split_at_checked(end)?;
            let ends = behind.is_empty() || behind.starts_with(is_end);
            (ends && types::of_item(word).is_some()).then_some(word)
        })?;
        self.advance(found.len());
        self.skip_blanks();
        Some(found.trim())
    }

    /// Skips a separator between paths; whether it is an arrow.
    fn separator(&mut self) -> Option<bool> {
        let rest = self.rest();
        let text = rest.trim_start();
        let word = |text: &str| {
            let ends = |behind: &str| behind.starts_with(is_word_end);
            let mut words = ["and", "or"].into_iter();
            words.find(|word| text.strip_prefix(word).is_some_and(ends))
        };
        let mut marks = SEPARATORS.iter().copied();
        let mark = marks.find(|mark| text.starts_with(mark));
        let found = mark.or_else(|| word(text).filter(|_| text.len() < rest.len()))?;
        self.advance(rest.len() - text.len() + found.len());
        self.skip_blanks();
        if found == "," {
            self.advance(word(self.rest()).map_or(0, str::len));
            self.skip_blanks();
        }
        Some(matches!(found, "->" | "=>" | "→"))
    }

    /// A path at this place.
    fn path(&mut self) -> Option<WrittenPath> {
        let rest = self.rest();
        if rest.starts_with(PIECE) {
            let piece = self.run.pieces.get(self.pieces)?;
            let text = match &piece.kind {
                PieceKind::Code(text) if has_path_shape(text) => text,
                PieceKind::Link { text, .. } => text,
                _ => return None,
            };
            self.advance(PIECE.len_utf8());
            return Some(WrittenPath::new(text, piece.span.clone()));
        }
        let path = bare_path(rest.split(is_word_end).next()?)?;
        let start = self.run.offset(self.at);
        self.advance(path.len());
        // Marks of emphasis may stand between its end and what follows.
        let end = self.run.offset(self.at - 1) + 1;
        Some(WrittenPath::new(path, start..end))
    }

    fn rest(&self) -> &'r str {
        self.run.text.get(self.at..).unwrap_or("")
    }

    fn advance(&mut self, length: usize) {
        let passed = self.rest().get(..length).unwrap_or("");
        self.pieces += passed.matches(PIECE).count();
        self.at += length;
    }

    fn skip(&mut self, is_wanted: impl Fn(char) -> bool) -> bool {
        let found = self.rest().chars().next().filter(|c| is_wanted(*c));
        self.advance(found.map_or(0, char::len_utf8));
        found.is_some()
    }

    fn skip_blanks(&mut self) {
        while self.skip(char::is_whitespace) {}
    }

    /// Skips a word that is no path, or what stands before the next word or piece.
    fn skip_word(&mut self) {
        let rest = self.rest();
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '_' | '-');
        let mut chars = rest.char_indices().skip(1);
        let next = match rest.starts_with(is_word) {
            true => chars.find(|(_, c)| is_word_end(*c)),
            false => chars.find(|(_, c)| is_word(*c) || *c == PIECE),
        };
        self.advance(next.map_or(rest.len(), |(at, _)| at));
    }
}

fn is_word_end(c: char) -> bool {
    c.is_whitespace() || c == PIECE
}

fn unreadable(text: &str) -> Problem {
    match text.split_once(':') {
        Some((word, _)) if !word.contains(PIECE) => problem::unknown_type(&shown(word)),
        _ => {
            let what = "an item begins with a path, or with a type and a path";
            ambiguous(&format!("`{}` is not read: {what}", shown(text)))
        }
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
    escaped(&text.chars().take(60).collect::<String>())
}
