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

/// The text of an item as a reader sees it: emphasis is transparent, and a code span or link is one character.
pub(super) struct ItemText {
    /// The characters with their offsets in the document.
    characters: Vec<(char, usize)>,
    /// The code spans and links, in order.
    spans: Vec<Result<WrittenPath, String>>,
    end: usize,
}

/// The longest type, in characters: `Rewritten and modified`.
const LONGEST_TYPE: usize = 32;

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
        let at_span = |problem: Problem| problem.at(source.trim(span.clone()));
        let mut characters = Vec::new();
        let mut spans = Vec::new();
        let part = content.within(span.clone());
        let marks = marks(source, &part);
        let mut marks = marks.iter().peekable();
        let mut cursor = span.start;
        let mut push = |range: Range<usize>, characters: &mut Vec<(char, usize)>| {
            for (offset, c) in source.slice(range.clone()).char_indices() {
                let at = range.start + offset;
                while marks.next_if(|mark| mark.end <= at).is_some() {}
                if c != SPAN && !marks.peek().is_some_and(|mark| mark.contains(&at)) {
                    characters.push((c, at));
                }
            }
        };
        for piece in &part.pieces {
            let found = match &piece.kind {
                _ if piece.span.start < cursor => continue,
                PieceKind::Code(text) if has_path_shape(text) => Ok(text.trim().to_owned()),
                PieceKind::Code(text) => Err(text.clone()),
                PieceKind::Link { text, target } => {
                    link::agree_in_repository(source.path(), text, target).map_err(at_span)?;
                    Ok(text.trim().to_owned())
                }
                PieceKind::Html if source.slice(piece.span.clone()).starts_with("<!--") => continue,
                PieceKind::Html => return Err(at_span(html(source.slice(piece.span.clone())))),
                PieceKind::Image => return Err(at_span(ambiguous("the item contains an image"))),
                PieceKind::Struck => {
                    let problem = Problem::placeholder(
                        "struck-out",
                        "the item is struck out",
                        "remove the item",
                    );
                    return Err(at_span(problem));
                }
            };
            push(cursor..piece.span.start, &mut characters);
            characters.push((SPAN, piece.span.start));
            spans.push(found.map(|text| WrittenPath {
                text,
                span: piece.span.clone(),
                ..WrittenPath::default()
            }));
            cursor = piece.span.end;
        }
        push(cursor..span.end, &mut characters);
        Ok(ItemText {
            characters,
            spans,
            end: span.end,
        })
    }

    /// Text without code spans or emphasis, such as the lines of a code block.
    pub(super) fn plain(text: &str, start: usize) -> ItemText {
        let characters = text.char_indices().filter(|(_, c)| *c != SPAN);
        ItemText {
            characters: characters.map(|(offset, c)| (c, start + offset)).collect(),
            spans: Vec::new(),
            end: start + text.len(),
        }
    }

    /// The text without what is in code.
    pub(super) fn text(&self) -> String {
        self.characters.iter().map(|(c, _)| *c).collect()
    }

    /// The text up to the first colon outside parentheses and the rest.
    pub(super) fn split_colon(mut self) -> (ItemText, Option<ItemText>) {
        let Some(at) = self.characters.iter().position(|(c, _)| *c == ':') else {
            return (self, None);
        };
        let rest = self.characters.split_off(at);
        let before = self.characters.iter().filter(|(c, _)| *c == SPAN).count();
        let spans = self.spans.split_off(before);
        let end = self.end;
        self.end = rest.first().map_or(end, |(_, at)| *at);
        let rest = ItemText {
            characters: rest.into_iter().skip(1).collect(),
            spans,
            end,
        };
        (self, Some(rest))
    }

    /// The parts between semicolons outside parentheses.
    pub(super) fn split_semicolons(self) -> Vec<ItemText> {
        let mut spans = self.spans.into_iter();
        let (mut parts, mut depth) = (vec![Vec::new()], 0_usize);
        for (c, at) in self.characters {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            match parts.last_mut() {
                Some(last) if c != ';' || depth > 0 => last.push((c, at)),
                _ => parts.push(Vec::new()),
            }
        }
        let part = |characters: Vec<(char, usize)>| {
            let count = characters.iter().filter(|(c, _)| *c == SPAN).count();
            let end = characters
                .last()
                .map_or(self.end, |(c, at)| at + c.len_utf8());
            ItemText {
                spans: spans.by_ref().take(count).collect(),
                characters,
                end,
            }
        };
        parts
            .into_iter()
            .map(part)
            .filter(|part| !part.text().trim().is_empty())
            .collect()
    }

    /// The range in the document.
    pub(super) fn span(&self) -> Range<usize> {
        let is_text = |(c, _): &&(char, usize)| !c.is_whitespace();
        let start = self
            .characters
            .iter()
            .find(is_text)
            .map_or(self.end, |(_, at)| *at);
        start..self.end.max(start)
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
        let mut parser = Parser {
            item: self,
            at: 0,
            spans: 0,
        };
        parser
            .item(source, below)
            .map_err(|problem| problem.at(source.trim(self.span())))
    }

    /// The paths in the text, wherever they stand.
    pub(super) fn paths_anywhere(&self) -> Vec<(usize, WrittenPath)> {
        let mut parser = Parser {
            item: self,
            at: 0,
            spans: 0,
        };
        let mut found = Vec::new();
        while parser.peek().is_some() {
            let start = parser.at;
            match parser.path() {
                Some(path) => found.push((start, path)),
                None => parser.skip_word(),
            }
        }
        found
    }

    /// The text before a position that [`ItemText::paths_anywhere`] gave.
    pub(super) fn before(&self, at: usize) -> String {
        self.characters.iter().take(at).map(|(c, _)| *c).collect()
    }
}

/// The marks of emphasis, in order; `_` inside a word belongs to the word: `__init__.py`.
fn marks(source: &DesignText<'_>, content: &InlineText) -> Vec<Range<usize>> {
    let is_edge =
        |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '/' | '.' | '_'));
    let mut marks = Vec::new();
    for emphasis in &content.emphasis {
        let span = emphasis.span.clone();
        let around = (
            source.slice(0..span.start).chars().next_back(),
            source.slice(span.end..source.text().len()).chars().next(),
        );
        let is_word = source.slice(span.clone()).starts_with('_')
            && !(is_edge(around.0) && is_edge(around.1));
        if !is_word {
            marks.push(span.start..span.start + emphasis.marks);
            marks.push(span.end - emphasis.marks..span.end);
        }
    }
    marks.sort_by_key(|mark| mark.start);
    marks
}

struct Parser<'i> {
    item: &'i ItemText,
    at: usize,
    /// The number of code spans and links before `at`.
    spans: usize,
}

impl Parser<'_> {
    fn item(&mut self, source: &DesignText<'_>, below: &str) -> Result<DesignItem, Problem> {
        self.skip_blanks();
        let text = self.rest();
        if is_nothing(&text) {
            return Ok(DesignItem::Nothing);
        }
        let change_type = self.type_words();
        let kind = change_type.as_deref().and_then(kind::of_item);
        let has_colon = kind.is_some() && self.skip(|c| c == ':');
        self.skip_blanks();
        if let Some(kind) = kind {
            if self.peek().is_none() {
                return Ok(DesignItem::Type(kind));
            }
            if has_colon && is_nothing(&self.rest()) {
                return Ok(DesignItem::Nothing);
            }
        }
        let Some(first) = self.path() else {
            return Err(self.bad(&text));
        };
        let is_rename = kind == Some(RowAction::Rename);
        let mut paths = vec![first];
        while let Some(arrow) = self.separator() {
            if arrow && !is_rename {
                return Err(Problem::bad_row(
                    "arrow-without-rename",
                    "there is an arrow between two paths, but the type is not Rename",
                    "write `Rename: old -> new`, or one item per path",
                ));
            }
            let Some(path) = self.path() else {
                return Err(self.bad(&text));
            };
            paths.push(WrittenPath { arrow, ..path });
        }
        self.remark(source, paths, kind, change_type.unwrap_or_default(), below).ok_or_else(|| {
            ambiguous(format!("`{}` is not read: only a note in parentheses or a text behind a dash or colon may follow the paths", shown(&text)))
        })?
    }

    /// What follows the paths; `None` if it is neither a note nor a text behind a dash or colon.
    fn remark(
        &mut self,
        source: &DesignText<'_>,
        mut paths: Vec<WrittenPath>,
        mut kind: Option<RowAction>,
        mut change_type: String,
        below: &str,
    ) -> Option<Result<DesignItem, Problem>> {
        let is_typed = kind.is_some();
        let mut notes: Vec<String> = Vec::new();
        let mut behind = None;
        self.skip_blanks();
        while self.skip(|c| c == '(') {
            notes.push(self.note()?);
            self.skip_blanks();
        }
        self.skip(|c| matches!(c, '.' | ',' | ';'));
        self.skip_blanks();
        let has_colon = self.peek() == Some(':');
        if self.skip(|c| matches!(c, '-' | '–' | '—' | ':')) {
            while self.skip(|c| c == '-' || c.is_whitespace()) {}
            // What looked like a path was text before one: "acme/web: `src/a.rs`".
            if has_colon && self.path().is_some() {
                return None;
            }
            behind = Some(source.slice(self.offset()..self.item.end.max(self.offset())));
            notes.push(self.rest());
            self.at = self.item.characters.len();
        }
        if self.peek().is_some() {
            return None;
        }
        for note in &notes {
            if is_directory_remark(note) {
                paths.iter_mut().for_each(|path| path.directory = true);
            }
            let Some(found) = kind::of_note(note.trim_end_matches('.')).filter(|_| !is_typed)
            else {
                continue;
            };
            if kind.is_some_and(|kind| kind != found) {
                return Some(Err(ambiguous("the notes of the item name two types")));
            }
            (kind, change_type) = (Some(found), note.trim().to_owned());
        }
        let remark = format!("{}\n{below}", notes.join("\n"));
        if has_reference(&remark) {
            return None;
        }
        if kind != Some(RowAction::Mention) && words::denies(&remark, is_typed) {
            return Some(Err(Problem::bad_row(
                "denied",
                "the remark takes back, or leaves open, what the item would allow",
                "write the condition elsewhere, or remove the item",
            )));
        }
        let description = behind.or(notes.first().map(String::as_str)).unwrap_or("");
        let description = description.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(Ok(DesignItem::Paths(ItemPaths {
            paths,
            kind,
            change_type,
            description,
        })))
    }

    /// The text in parentheses that are open, without what is in code.
    fn note(&mut self) -> Option<String> {
        let (mut depth, mut text) = (1_usize, String::new());
        loop {
            let c = self.next()?;
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(text);
            }
            text.push(c);
        }
    }

    /// The longest type at this place that a colon, a blank or a path ends.
    fn type_words(&mut self) -> Option<String> {
        let rest = self.item.characters.get(self.at..)?;
        let is_end = |c: char| c.is_whitespace() || matches!(c, ':' | SPAN);
        let ends = (1..=rest.len().min(LONGEST_TYPE)).rev();
        let mut ends = ends.filter(|&end| rest.get(end).is_none_or(|(c, _)| is_end(*c)));
        let text = |end: usize| rest.iter().take(end).map(|(c, _)| *c).collect::<String>();
        let (end, found) = ends.find_map(|end| {
            Some((end, text(end))).filter(|(_, text)| kind::of_item(text).is_some())
        })?;
        self.at += end;
        self.skip_blanks();
        Some(found.trim().to_owned())
    }

    /// A separator between paths; whether it is an arrow.
    fn separator(&mut self) -> Option<bool> {
        let before = self.at;
        self.skip_blanks();
        let blank = self.at > before;
        let rest: String = self
            .item
            .characters
            .iter()
            .skip(self.at)
            .take(5)
            .map(|(c, _)| *c)
            .collect();
        let word = |word: &str| {
            blank
                && rest.starts_with(word)
                && rest
                    .chars()
                    .nth(word.len())
                    .is_some_and(|c| c.is_whitespace() || c == SPAN)
        };
        let (length, arrow) = match () {
            () if rest.starts_with("->") || rest.starts_with("=>") => (2, true),
            () if rest.starts_with('→') => (1, true),
            () if word("and") => (3, false),
            () if word("or") => (2, false),
            () if rest.starts_with(['&', '+', '·', '|', '/']) => (1, false),
            () if rest.starts_with(',') => {
                self.at += 1;
                self.separator();
                self.skip_blanks();
                return Some(false);
            }
            () => {
                self.at = before;
                return None;
            }
        };
        self.at += length;
        self.skip_blanks();
        Some(arrow)
    }

    /// A path at this place.
    fn path(&mut self) -> Option<WrittenPath> {
        if self.peek() == Some(SPAN) {
            let found = self.item.spans.get(self.spans)?.as_ref().ok()?;
            (self.at, self.spans) = (self.at + 1, self.spans + 1);
            return Some(found.clone());
        }
        let word: Vec<(char, usize)> = self
            .item
            .characters
            .iter()
            .skip(self.at)
            .copied()
            .take_while(|(c, _)| !c.is_whitespace() && *c != SPAN)
            .collect();
        let text: String = word.iter().map(|(c, _)| *c).collect();
        let path = bare_path(&text)?;
        let span = word.first()?.1
            ..word
                .get(path.chars().count() - 1)
                .map(|(c, at)| at + c.len_utf8())?;
        self.at += path.chars().count();
        Some(WrittenPath {
            text: path.to_owned(),
            span,
            ..WrittenPath::default()
        })
    }

    fn bad(&self, text: &str) -> Problem {
        match text.split_once(':') {
            Some((word, _)) if !word.contains(SPAN) => unknown_type(&shown(word)),
            _ => ambiguous(format!(
                "`{}` is not read: an item begins with a path, or with a type and a path",
                shown(text)
            )),
        }
    }

    fn rest(&self) -> String {
        self.item
            .characters
            .iter()
            .skip(self.at)
            .map(|(c, _)| *c)
            .collect()
    }

    fn offset(&self) -> usize {
        self.item
            .characters
            .get(self.at)
            .map_or(self.item.end, |(_, at)| *at)
    }

    fn peek(&self) -> Option<char> {
        self.item.characters.get(self.at).map(|(c, _)| *c)
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        self.spans += usize::from(c == SPAN);
        Some(c)
    }

    fn skip(&mut self, is_wanted: impl Fn(char) -> bool) -> bool {
        let found = self.peek().is_some_and(is_wanted);
        self.at += usize::from(found);
        found
    }

    fn skip_blanks(&mut self) {
        while self.skip(char::is_whitespace) {}
    }

    fn skip_word(&mut self) {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '_' | '-');
        while self.next().is_some_and(is_word) && self.peek().is_some_and(is_word) {}
    }
}

/// The path at the start of a word; closing punctuation and a range of lines are not part of it.
fn bare_path(word: &str) -> Option<&str> {
    let mut path = word;
    loop {
        let is_open = path.matches('(').count() >= path.matches(')').count();
        let shorter = match path.chars().next_back()? {
            ')' if is_open => break,
            c if matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | ')' | '*') => {
                path.get(..path.len() - c.len_utf8())?
            }
            _ => break,
        };
        path = shorter;
    }
    if let Some(end) = path.find([',', ';', ':']) {
        let lines = path.get(end + 1..)?;
        let is_lines = path.as_bytes().get(end) == Some(&b':')
            && lines
                .bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b','));
        path = if is_lines { path } else { path.get(..end)? };
    }
    let plain = path.split_once(':').map_or(path, |(plain, _)| plain);
    is_bare_path(plain).then_some(path)
}

/// Whether a text has a character reference, behind which a word may hide: `do&nbsp;not`.
fn has_reference(text: &str) -> bool {
    text.split('&').skip(1).any(|rest| {
        let name = rest
            .split(';')
            .next()
            .filter(|name| name.len() < rest.len())
            .unwrap_or("");
        let is_name =
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '#');
        is_name && !matches!(name, "amp" | "lt" | "gt")
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

/// The beginning of a text for a message.
fn shown(text: &str) -> String {
    let text = text.replace(SPAN, "…");
    let short: String = text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(60)
        .collect();
    escaped(&short)
}
