//! Items: `[type:] path {, path} [(note)] [- text]`. Anything else in an item makes it bad.

use std::ops::Range;

use super::blocks::{InlineText, PieceKind};
use super::kind::{self, RowAction};
use super::link;
use super::problem::{LocatedProblem, Problem, ambiguous, escaped, html, unknown_type};
use super::source::DesignText;
use super::words;
use super::written_path::{WrittenPath, has_path_shape, is_bare_path, is_directory_remark};

/// What stands for a code span or a link in [`ItemText`].
const SPAN: char = '\u{fffc}';
/// The longest type, in bytes: `Rewritten and modified`.
const LONGEST_TYPE: usize = 32;
/// The marks between paths; an arrow leads from the old path to the new one.
const SEPARATORS: &[&str] = &["->", "=>", "→", ",", "&", "+", "·", "|", "/"];

/// The text of an item as a reader sees it: emphasis is transparent, and a code span or link is one character.
pub(super) struct ItemText {
    text: String,
    /// For each byte of the text, and for its end, the offset in the document.
    offsets: Vec<usize>,
    /// What the code spans and links name, in order; `None` without the shape of a path.
    spans: Vec<Option<WrittenPath>>,
}

/// What an item says.
pub(super) enum DesignItem {
    /// The paths with what to do with them.
    Paths(ItemPaths),
    /// A type for the items below it.
    Type(RowAction),
    /// "None" and the like.
    Nothing,
}

/// The paths of an item.
pub(super) struct ItemPaths {
    pub(super) paths: Vec<WrittenPath>,
    /// The type before the paths or in the note; `None` if the label decides.
    pub(super) kind: Option<RowAction>,
    /// The type as written.
    pub(super) change_type: String,
    pub(super) description: String,
}

impl ItemText {
    /// # Errors
    /// A part is struck out, an image or HTML, or a link names two files.
    pub(super) fn new(
        source: &DesignText<'_>,
        content: &InlineText,
        span: Range<usize>,
    ) -> Result<ItemText, LocatedProblem> {
        let bad = |problem: Problem| problem.at(source.trim(span.clone()));
        let part = content.within(span.clone());
        let marks = marks(source, &part).into_iter().map(|mark| (mark, None));
        let pieces = part.pieces.iter();
        let pieces = pieces.map(|piece| (piece.span.clone(), Some(&piece.kind)));
        let mut cuts: Vec<_> = marks.chain(pieces).collect();
        cuts.sort_by_key(|(cut, _)| cut.start);
        let mut item = ItemText::plain("", span.start);
        let mut cursor = span.start;
        for (cut, kind) in cuts {
            let raw = source.slice(cut.clone());
            let found = match kind {
                _ if cut.start < cursor => continue,
                None => None,
                Some(PieceKind::Code(text)) => Some(has_path_shape(text).then_some(text)),
                Some(PieceKind::Link { text, target }) => {
                    link::agree_in_repository(source.path(), text, target).map_err(bad)?;
                    Some(Some(text))
                }
                Some(PieceKind::Html) if raw.starts_with("<!--") => continue,
                Some(PieceKind::Html) => return Err(bad(html(raw))),
                Some(PieceKind::Image) => {
                    return Err(bad(ambiguous("the item contains an image")));
                }
                Some(PieceKind::Struck) => {
                    let (what, help) = ("the item is struck out", "remove the item");
                    return Err(bad(Problem::placeholder("struck-out", what, help)));
                }
            };
            item.push(source.slice(cursor..cut.start), cursor);
            cursor = cut.end;
            if let Some(path) = found {
                item.text.push(SPAN);
                item.offsets.extend([cut.start; SPAN.len_utf8()]);
                let path = path.map(|text| WrittenPath::new(text, cut));
                item.spans.push(path);
            }
        }
        item.push(source.slice(cursor..span.end), cursor);
        item.offsets.push(span.end);
        Ok(item)
    }

    /// Text without code spans or emphasis, such as the lines of a code block.
    pub(super) fn plain(text: &str, start: usize) -> ItemText {
        let mut item = ItemText {
            text: String::new(),
            offsets: Vec::new(),
            spans: Vec::new(),
        };
        if !text.is_empty() {
            item.push(text, start);
            item.offsets.push(start + text.len());
        }
        item
    }

    fn push(&mut self, text: &str, start: usize) {
        for (offset, c) in text.char_indices().filter(|(_, c)| *c != SPAN) {
            self.text.push(c);
            let bytes = (0..c.len_utf8()).map(|byte| start + offset + byte);
            self.offsets.extend(bytes);
        }
    }

    /// The text without what is in code.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The text up to the first colon and the rest.
    pub(super) fn split_colon(self) -> (ItemText, Option<ItemText>) {
        let colon: Vec<usize> = self.text.find(':').into_iter().collect();
        let mut parts = self.split(&colon).into_iter();
        let first = parts.next().unwrap_or_else(|| ItemText::plain("", 0));
        (first, parts.next())
    }

    /// The parts between semicolons outside parentheses.
    pub(super) fn split_semicolons(self) -> Vec<ItemText> {
        let mut depth = 0_usize;
        let mut is_end = |c: char| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ';' && depth == 0
        };
        let ends = self.text.char_indices().filter(|(_, c)| is_end(*c));
        let ends: Vec<usize> = ends.map(|(at, _)| at).collect();
        let mut parts = self.split(&ends);
        parts.retain(|part| !part.text.trim().is_empty());
        parts
    }

    /// The parts between separators of one byte.
    fn split(self, separators: &[usize]) -> Vec<ItemText> {
        let mut spans = self.spans.into_iter();
        let mut start = 0;
        let ends = separators.iter().copied().chain([self.text.len()]);
        let part = |end: usize| {
            let text = self.text.get(start..end).unwrap_or("").to_owned();
            let offsets = self.offsets.get(start..=end).unwrap_or(&[]).to_vec();
            start = end + 1;
            ItemText {
                spans: spans.by_ref().take(text.matches(SPAN).count()).collect(),
                offsets,
                text,
            }
        };
        ends.map(part).collect()
    }

    /// The range in the document, without outer blanks.
    pub(super) fn span(&self) -> Range<usize> {
        let offset = |at: usize| self.offsets.get(at).copied().unwrap_or(0);
        let blanks = self.text.len() - self.text.trim_start().len();
        offset(blanks)..offset(self.text.len())
    }

    /// Reads the item. `below` is the text of what stands below it in a list.
    ///
    /// # Errors
    /// The item is bad.
    pub(super) fn read(
        &self,
        source: &DesignText<'_>,
        below: &str,
    ) -> Result<DesignItem, LocatedProblem> {
        let found = Parser::new(self).item(source, below);
        found.map_err(|problem| problem.at(source.trim(self.span())))
    }

    /// The paths in the text, wherever they stand, each with its offset in the text.
    pub(super) fn paths_anywhere(&self) -> Vec<(usize, WrittenPath)> {
        let mut parser = Parser::new(self);
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
}

/// The marks of emphasis; `_` inside a word belongs to the word: `__init__.py`.
fn marks(source: &DesignText<'_>, content: &InlineText) -> Vec<Range<usize>> {
    let is_edge =
        |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '/' | '.' | '_'));
    let is_mark = |span: &Range<usize>| {
        let before = source.slice(0..span.start).chars().next_back();
        let behind = source.slice(span.end..source.text().len()).chars().next();
        !source.slice(span.clone()).starts_with('_') || is_edge(before) && is_edge(behind)
    };
    let marks = content.emphasis.iter().filter(|found| is_mark(&found.span));
    marks
        .flat_map(|found| {
            let (span, length) = (&found.span, found.marks);
            [span.start..span.start + length, span.end - length..span.end]
        })
        .collect()
}

struct Parser<'i> {
    item: &'i ItemText,
    /// The offset in the text.
    at: usize,
    /// The number of code spans and links before it.
    spans: usize,
}

impl<'i> Parser<'i> {
    fn new(item: &'i ItemText) -> Self {
        let (at, spans) = (0, 0);
        Parser { item, at, spans }
    }

    fn item(&mut self, source: &DesignText<'_>, below: &str) -> Result<DesignItem, Problem> {
        self.skip_blanks();
        let text = self.rest();
        if is_nothing(text) {
            return Ok(DesignItem::Nothing);
        }
        let change_type = self.type_words();
        let kind = change_type.and_then(kind::of_item);
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
                return Err(Problem::bad_row(
                    "arrow-without-rename",
                    "there is an arrow between two paths, but the type is not Rename",
                    "write `Rename: old -> new`, or one item per path",
                ));
            }
            let path = self.path().ok_or_else(|| unreadable(text))?;
            paths.push(WrittenPath { arrow, ..path });
        }
        let item = ItemPaths {
            paths,
            kind,
            change_type: change_type.unwrap_or("").to_owned(),
            description: String::new(),
        };
        self.remark(source, item, below).ok_or_else(|| {
            ambiguous(format!(
                "`{}` is not read: only a note in parentheses or a text behind a dash or colon may follow the paths",
                shown(text)
            ))
        })?
    }

    /// What follows the paths; `None` if it is neither a note nor a text behind a dash or colon.
    fn remark(
        &mut self,
        source: &DesignText<'_>,
        mut item: ItemPaths,
        below: &str,
    ) -> Option<Result<DesignItem, Problem>> {
        let is_typed = item.kind.is_some();
        let mut notes: Vec<&str> = Vec::new();
        let mut behind = None;
        self.skip_blanks();
        while self.skip(|c| c == '(') {
            notes.push(self.note()?);
            self.skip_blanks();
        }
        self.skip(|c| matches!(c, '.' | ',' | ';'));
        self.skip_blanks();
        let has_colon = self.rest().starts_with(':');
        if self.skip(|c| matches!(c, '-' | '–' | '—' | ':')) {
            while self.skip(|c| c == '-' || c.is_whitespace()) {}
            // What looked like a path was text before one: "acme/web: `src/a.rs`".
            if has_colon && self.path().is_some() {
                return None;
            }
            let offset = |at: usize| self.item.offsets.get(at).copied().unwrap_or(0);
            behind = Some(source.slice(offset(self.at)..offset(self.item.text.len())));
            notes.push(self.rest());
        } else if !self.rest().is_empty() {
            return None;
        }
        for note in &notes {
            if is_directory_remark(note) {
                item.paths.iter_mut().for_each(|path| path.directory = true);
            }
            let found = kind::of_note(note.trim_end_matches('.')).filter(|_| !is_typed);
            if found.is_some() && item.kind.is_some_and(|kind| Some(kind) != found) {
                return Some(Err(ambiguous("the notes of the item name two types")));
            }
            if found.is_some() {
                (item.kind, item.change_type) = (found, note.trim().to_owned());
            }
        }
        let remark = format!("{}\n{below}", notes.join("\n"));
        if has_reference(&remark) {
            return None;
        }
        if item.kind != Some(RowAction::Mention) && words::denies(&remark, is_typed) {
            return Some(Err(Problem::bad_row(
                "denied",
                "the remark takes back, or leaves open, what the item would allow",
                "write the condition elsewhere, or remove the item",
            )));
        }
        let description = behind.or(notes.first().copied()).unwrap_or("");
        item.description = one_line(description);
        Some(Ok(DesignItem::Paths(item)))
    }

    /// The text up to the parenthesis that closes the open one.
    fn note(&mut self) -> Option<&'i str> {
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
    fn type_words(&mut self) -> Option<&'i str> {
        let rest = self.rest();
        let is_end = |c: char| c.is_whitespace() || matches!(c, ':' | SPAN);
        let found = (1..=rest.len().min(LONGEST_TYPE)).rev().find_map(|end| {
            let (word, behind) = rest.split_at_checked(end)?;
            let ends = behind.is_empty() || behind.starts_with(is_end);
            (ends && kind::of_item(word).is_some()).then_some(word)
        })?;
        self.advance(found.len());
        self.skip_blanks();
        Some(found.trim())
    }

    /// Skips a separator between paths; whether it is an arrow.
    fn separator(&mut self) -> Option<bool> {
        let rest = self.rest();
        let text = rest.trim_start();
        let is_end = |c: char| c.is_whitespace() || c == SPAN;
        let word = |text: &str| {
            let mut words = ["and", "or"].into_iter();
            words.find(|word| {
                text.strip_prefix(word)
                    .is_some_and(|behind| behind.starts_with(is_end))
            })
        };
        let mark = SEPARATORS
            .iter()
            .copied()
            .find(|mark| text.starts_with(mark));
        let found = mark.or_else(|| word(text).filter(|_| text.len() < rest.len()))?;
        self.advance(rest.len() - text.len() + found.len());
        self.skip_blanks();
        if found == ","
            && let Some(word) = word(self.rest())
        {
            self.advance(word.len());
            self.skip_blanks();
        }
        Some(matches!(found, "->" | "=>" | "→"))
    }

    /// A path at this place.
    fn path(&mut self) -> Option<WrittenPath> {
        let rest = self.rest();
        if rest.starts_with(SPAN) {
            let found = self.item.spans.get(self.spans)?.clone()?;
            self.advance(SPAN.len_utf8());
            return Some(found);
        }
        let word = rest
            .split(|c: char| c.is_whitespace() || c == SPAN)
            .next()?;
        let path = bare_path(word)?;
        let start = *self.item.offsets.get(self.at)?;
        self.advance(path.len());
        // Marks of emphasis may stand between its end and what follows.
        let end = *self.item.offsets.get(self.at - 1)? + 1;
        Some(WrittenPath::new(path, start..end))
    }

    fn rest(&self) -> &'i str {
        self.item.text.get(self.at..).unwrap_or("")
    }

    fn advance(&mut self, length: usize) {
        let passed = self.rest().get(..length).unwrap_or("");
        self.spans += passed.matches(SPAN).count();
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

    /// Skips a word that is no path, or what stands before the next one.
    fn skip_word(&mut self) {
        let rest = self.rest();
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '_' | '-');
        let is_end = |c: char| c.is_whitespace() || c == SPAN;
        let length = match rest.starts_with(is_word) {
            true => rest.find(is_end).unwrap_or(rest.len()),
            // A code span that is no path is passed over.
            false => {
                let first = rest.chars().next().map_or(0, char::len_utf8);
                let behind = rest.get(first..).unwrap_or("");
                first
                    + behind
                        .find(|c| is_word(c) || c == SPAN)
                        .unwrap_or(behind.len())
            }
        };
        self.advance(length);
    }
}

fn unreadable(text: &str) -> Problem {
    match text.split_once(':') {
        Some((word, _)) if !word.contains(SPAN) => unknown_type(&shown(word)),
        _ => ambiguous(format!(
            "`{}` is not read: an item begins with a path, or with a type and a path",
            shown(text)
        )),
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
    is_bare_path(plain).then_some(path)
}

/// Whether a text has a character reference, behind which a word may hide: `do&nbsp;not`.
fn has_reference(text: &str) -> bool {
    text.split('&').skip(1).any(|rest| {
        let name = rest.split_once(';').map_or("", |(name, _)| name);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '#';
        !name.is_empty() && name.chars().all(is_name) && !matches!(name, "amp" | "lt" | "gt")
    })
}

/// "None", "none (…)", "N/A" and "-" name no file, and are no fault.
fn is_nothing(text: &str) -> bool {
    let text = text.trim().trim_end_matches('.');
    let (word, rest) = text.split_once('(').unwrap_or((text, ")"));
    let word = word.trim().to_lowercase();
    rest.ends_with(')') && matches!(word.as_str(), "none" | "n/a")
        || matches!(text, "-" | "–" | "—")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The beginning of a text for a message.
fn shown(text: &str) -> String {
    let text = one_line(&text.replace(SPAN, "…"));
    escaped(&text.chars().take(60).collect::<String>())
}
