//! Scans the text of a cell or an item: paths with what separates them, and the notes in parentheses behind them. Any
//! other text ends the scan; the caller decides whether something may follow.

use super::html::is_break;
use super::markdown::InlineText;
use super::paths::{self, is_bare_path, is_code_path};
use super::source::{PIECE, PieceKind, Run};
use super::{DesignText, Problem, WrittenPath, link, problem};

/// The marks between paths. An arrow leads from the old path to the new one.
const SEPARATORS: &[&str] = &["-->", "->", "=>", "→", "⇒", "➜", ",", "，", "、", "/"];
const ARROWS: &[&str] = &["-->", "->", "=>", "→", "⇒", "➜"];
/// The words between paths.
const CONJUNCTIONS: &[&str] = &["and", "or"];

/// The paths of a row, and the notes behind them.
#[derive(Default)]
pub(super) struct ScannedPaths {
    pub(super) paths: Vec<WrittenPath>,
    /// The text of each note, in which [`PIECE`] stands for each code span.
    pub(super) notes: Vec<String>,
}

/// Checks that the asterisks beside a path without backticks emphasise all of it or something else. Those that
/// render as emphasis of a part were meant as a glob, which readers do not see.
///
/// # Errors
/// Emphasis begins, ends or touches inside of a path.
pub(super) fn check_stars(
    source: &DesignText<'_>,
    content: &InlineText,
    paths: &[WrittenPath],
) -> Result<(), Problem> {
    for path in paths.iter().filter(|path| !path.is_code) {
        for stars in &content.stars {
            let is_around = stars.start <= path.span.start && path.span.end <= stars.end;
            let is_apart = stars.end < path.span.start || path.span.end < stars.start;
            if !is_around && !is_apart {
                let start = stars.start.min(path.span.start);
                let end = stars.end.max(path.span.end);
                return Err(problem::emphasis(source.slice(start..end)));
            }
        }
    }
    Ok(())
}

/// A place in the text of a cell or an item.
pub(super) struct Scanner<'r> {
    source: &'r DesignText<'r>,
    run: &'r Run,
    /// The offset in the text of the run.
    at: usize,
    /// Whether each code span is a path, as in the File column of a table.
    is_cell: bool,
}

impl<'r> Scanner<'r> {
    /// Starts a scan.
    pub(super) fn new(source: &'r DesignText<'r>, content: &'r InlineText) -> Self {
        Scanner {
            source,
            run: &content.run,
            at: 0,
            is_cell: false,
        }
    }

    /// The same for the File column of a table, in which each code span is a path.
    pub(super) fn of_cell(source: &'r DesignText<'r>, content: &'r InlineText) -> Self {
        Scanner {
            is_cell: true,
            ..Scanner::new(source, content)
        }
    }

    /// Checks what has been read. A remark behind it may hold anything.
    ///
    /// # Errors
    /// There is an image, HTML other than a comment or line break, struck-out text, or a link that names two files.
    pub(super) fn check(&self) -> Result<(), Problem> {
        for piece in self.run.pieces_before(self.at) {
            let found = match &piece.kind {
                PieceKind::Code(_) => Ok(()),
                PieceKind::Link { text, target } => link::agree(self.source.path, text, target),
                PieceKind::Html(tag) if tag.starts_with("<!--") || is_break(tag) => Ok(()),
                PieceKind::Html(tag) => Err(problem::html(tag)),
                PieceKind::Image => Err(problem::image()),
                PieceKind::Struck => Err(problem::struck_out()),
            };
            found.map_err(|problem| problem.at(piece.span.clone()))?;
        }
        Ok(())
    }

    /// Reads paths, each with its notes, up to what is neither.
    pub(super) fn paths(&mut self) -> ScannedPaths {
        let mut found = ScannedPaths::default();
        loop {
            self.skip_blanks();
            let before = self.at;
            let has_separator = !found.paths.is_empty();
            let arrow = if has_separator {
                match self.separator() {
                    Some(arrow) => arrow,
                    None => break,
                }
            } else {
                false
            };
            let Some(path) = self.path() else {
                self.at = before;
                break;
            };
            for (index, end) in path.into_iter().enumerate() {
                found.paths.push(WrittenPath {
                    arrow: end.arrow || arrow && index == 0,
                    ..end
                });
            }
            self.notes_behind(&mut found);
        }
        found
    }

    /// Reads the notes behind the last path.
    fn notes_behind(&mut self, found: &mut ScannedPaths) {
        self.skip_blanks();
        while let Some(note) = self.note() {
            if paths::is_directory_note(&note)
                && let Some(path) = found.paths.last_mut()
            {
                path.directory = true;
            }
            found.notes.push(note);
            self.skip_blanks();
        }
    }

    /// The text of a note in parentheses at this place, without its code spans.
    fn note(&mut self) -> Option<String> {
        let rest = self.rest();
        if !rest.starts_with(['(', '（']) {
            return None;
        }
        let mut depth = 0_usize;
        for (at, c) in rest.char_indices() {
            match c {
                '(' | '（' => depth += 1,
                ')' | '）' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let open = rest.chars().next().map_or(0, char::len_utf8);
                let note = text_of(self.run, self.at + open, self.at + at);
                self.at += at + c.len_utf8();
                return Some(note);
            }
        }
        None
    }

    /// The path or the two ends at this place.
    fn path(&mut self) -> Option<Vec<WrittenPath>> {
        if let Some(piece) = self.run.piece(self.at) {
            let text = match &piece.kind {
                PieceKind::Code(text)
                    if self.is_cell || is_code_path(text) || is_arrow_pair(text) =>
                {
                    text
                }
                PieceKind::Link { text, .. } => text,
                _ => return None,
            };
            self.at += PIECE.len_utf8();
            return Some(WrittenPath::ends(text, &piece.span, false));
        }
        let rest = self.rest();
        let word = rest
            .split(|c: char| c.is_whitespace() || c == PIECE)
            .next()?;
        let path = bare_path(word)?;
        let start = self.run.offset(self.at);
        self.at += path.len();
        // Marks of emphasis may stand between its end and what follows.
        let end = self.run.offset(self.at - 1) + 1;
        Some(vec![WrittenPath::new(path, start..end)])
    }

    /// Skips what separates two paths, and says whether it is an arrow.
    fn separator(&mut self) -> Option<bool> {
        let mut found = None;
        loop {
            self.skip_blanks();
            let rest = self.rest();
            if let Some(piece) = self.run.piece(self.at)
                && matches!(&piece.kind, PieceKind::Html(tag) if is_break(tag))
            {
                self.at += PIECE.len_utf8();
                found = Some(found.unwrap_or(false));
                continue;
            }
            if let Some(mark) = SEPARATORS.iter().find(|mark| rest.starts_with(**mark)) {
                // "a / b" and "a, or b", but not "a - b".
                found = Some(found.unwrap_or(false) || ARROWS.contains(mark));
                self.at += mark.len();
                continue;
            }
            let word = CONJUNCTIONS.iter().find(|word| {
                rest.strip_prefix(**word).is_some_and(|behind| {
                    behind.starts_with(|c: char| c.is_whitespace() || c == PIECE)
                })
            });
            let Some(word) = word else { break };
            self.at += word.len();
            found = Some(found.unwrap_or(false));
        }
        found
    }

    /// Skips a text if it stands at this place.
    pub(super) fn skip(&mut self, text: &str) -> bool {
        let is_there = self.rest().starts_with(text);
        if is_there {
            self.at += text.len();
        }
        is_there
    }

    /// Skips blanks and comments.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            match self.run.piece(self.at).map(|piece| &piece.kind) {
                Some(PieceKind::Html(tag)) if tag.starts_with("<!--") => {
                    self.at += PIECE.len_utf8();
                }
                _ => break,
            }
        }
    }

    /// Moves to an offset in the text.
    pub(super) fn move_to(&mut self, at: usize) {
        self.at = at;
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// What has not been read.
    pub(super) fn rest(&self) -> &'r str {
        self.run.text.get(self.at..).unwrap_or("")
    }

    /// What has not been read, without code spans.
    pub(super) fn rest_without_code(&self) -> String {
        text_of(self.run, self.at, self.run.text.len())
    }

    /// What has not been read, as it is written in the document.
    pub(super) fn rest_as_written(&self) -> &'r str {
        self.source.slice(self.run.offset(self.at)..self.run.end)
    }

    /// Whether a path stands at this place.
    pub(super) fn is_at_path(&mut self) -> bool {
        let before = self.at;
        let is_path = self.path().is_some();
        self.at = before;
        is_path
    }
}

/// A content without images, HTML and struck-out text, in which [`PIECE`] stands for each code span: what a remark says.
pub(super) fn remark_of(content: &InlineText) -> String {
    text_of(&content.run, 0, content.run.text.len())
}

/// A part of a text, in which links have their text, [`PIECE`] stands for a code span, and nothing for all other pieces.
fn text_of(run: &Run, start: usize, end: usize) -> String {
    let mut text = String::new();
    for (at, c) in run.text.get(start..end).unwrap_or("").char_indices() {
        match run.piece(start + at).map(|piece| &piece.kind) {
            Some(PieceKind::Link { text: link, .. }) => text.push_str(link),
            Some(PieceKind::Code(_)) => text.push(PIECE),
            Some(PieceKind::Html(tag)) if is_break(tag) => text.push(' '),
            Some(_) => {}
            None => text.push(c),
        }
    }
    text
}

/// Whether a code span holds both ends of a rename.
fn is_arrow_pair(text: &str) -> bool {
    [" -> ", "→", " => "]
        .iter()
        .any(|arrow| text.contains(arrow))
}

/// The path at the start of a word without backticks; closing punctuation is not part of it.
fn bare_path(word: &str) -> Option<&str> {
    let mut path = word;
    let mut depth = 0_usize;
    for (at, c) in word.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            // A comma or semicolon ends it, and an opening parenthesis that no slash precedes begins a note.
            ',' | ';' if depth == 0 => {
                path = &word[..at];
                break;
            }
            _ => {}
        }
    }
    while let Some(last) = path.chars().last() {
        let is_unopened = last == ')' && path.matches(')').count() > path.matches('(').count();
        if !is_unopened && !matches!(last, '.' | ':' | '!' | '?') {
            break;
        }
        path = &path[..path.len() - last.len_utf8()];
    }
    is_bare_path(path).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::super::markdown::{BlockKind, markdown};
    use super::*;
    use crate::scope::settings::Settings;

    /// The paths at the beginning of a text, their notes, and the rest.
    fn scan(text: &str) -> Result<(Vec<String>, Vec<String>, String), &'static str> {
        let settings = Settings::default();
        let source = DesignText::new("docs/d.md".into(), text, &settings);
        let blocks = markdown(text, 0);
        let Some(BlockKind::Paragraph(content)) = blocks.first().map(|block| &block.kind) else {
            panic!("no paragraph in {text}")
        };
        let mut scanner = Scanner::new(&source, content);
        let found = scanner.paths();
        let rest = scanner.rest().to_owned();
        scanner.move_to(content.run.text.len());
        scanner.check().map_err(|problem| problem.reason)?;
        let mut paths = Vec::new();
        for path in found.paths {
            let arrow = if path.arrow { "->" } else { "" };
            let slash = if path.directory { "/" } else { "" };
            paths.push(format!("{arrow}{}{slash}", path.text));
        }
        Ok((paths, found.notes, rest))
    }

    #[test]
    fn paths_stand_between_separators_with_notes_behind_them() {
        for (text, paths, notes, rest) in [
            ("`a.rs`", &["a.rs"][..], &[][..], ""),
            ("`a.rs`, `b.rs`", &["a.rs", "b.rs"], &[], ""),
            (
                "`a.rs`/`b.rs` or `c.rs`",
                &["a.rs", "b.rs", "c.rs"],
                &[],
                "",
            ),
            ("`a.rs`<br>b.rs", &["a.rs", "b.rs"], &[], ""),
            ("`a.rs` -> `b.rs`", &["a.rs", "->b.rs"], &[], ""),
            ("`a.rs → b.rs`", &["a.rs", "->b.rs"], &[], ""),
            ("`a.rs` (x (y)), b.rs", &["a.rs", "b.rs"], &["x (y)"], ""),
            ("`src` (directory)", &["src/"], &["directory"], ""),
            ("`a.rs` <!-- x --> (y)", &["a.rs"], &["y"], ""),
            ("[a.rs](../a.rs) (y)", &["a.rs"], &["y"], ""),
            ("`a.rs` and the rest", &["a.rs"], &[], "and the rest"),
            ("`a.rs` `b.rs`", &["a.rs"], &[], "\u{fffc}"),
            (
                "app/(shell)/a.rs, b.rs.",
                &["app/(shell)/a.rs", "b.rs"],
                &[],
                ".",
            ),
            ("src/{a,b}.rs; c.rs", &["src/{a,b}.rs"], &[], "; c.rs"),
            ("the `a.rs`", &[], &[], "the \u{fffc}"),
            ("`mylib>=1.2`", &[], &[], "\u{fffc}"),
            ("word", &[], &[], "word"),
        ] {
            let strings = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect::<Vec<_>>();
            let expected = (strings(paths), strings(notes), rest.to_owned());
            assert_eq!(scan(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_remark_has_the_words_that_readers_see() {
        for (text, seen) in [
            ("on<b>ly</b> if", "only if"),
            ("only<br>if", "only if"),
            ("see `a.rs` ![x](y.png) ~~now~~", "see \u{fffc}  "),
            ("[only](x.md) if", "only if"),
        ] {
            let blocks = markdown(text, 0);
            let Some(BlockKind::Paragraph(content)) = blocks.first().map(|block| &block.kind)
            else {
                panic!("no paragraph in {text}")
            };
            assert_eq!(remark_of(content), seen, "{text}");
        }
    }

    #[test]
    fn a_comma_in_braces_does_not_end_a_bare_path() {
        for (word, path) in [
            ("src/{a,b}.rs,", Some("src/{a,b}.rs")),
            ("src/{a,{b,c}}.rs,x", Some("src/{a,{b,c}}.rs")),
            ("src/}a.rs,x", Some("src/}a.rs")),
            ("src/a.rs;", Some("src/a.rs")),
            ("src/a.rs).", Some("src/a.rs")),
            ("app/(x)/a.rs:", Some("app/(x)/a.rs")),
            ("word", None),
        ] {
            assert_eq!(bare_path(word), path, "{word}");
        }
    }

    #[test]
    fn pieces_that_readers_see_in_another_way_are_refused() {
        for (text, reason) in [
            ("`a.rs` ![b.rs](b.rs)", "ambiguous-cell"),
            ("<b>`a.rs`", "html"),
            ("~~`a.rs`~~ `b.rs`", "struck-out"),
            ("[a.rs](b.rs)", "ambiguous-cell"),
            ("[a.rs](https://x/a.rs)", "uri"),
        ] {
            assert_eq!(scan(text).err(), Some(reason), "{text}");
        }
    }
}
