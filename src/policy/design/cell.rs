//! Reads the paths in a table cell: its code spans and links, or else its text.

use std::ops::Range;

use super::blocks::{Emphasis, InlineText, PieceKind};
use super::braces;
use super::link;
use super::negation::takes_back;
use super::placeholder::is_placeholder;
use super::problem::{LocatedProblem, Problem, ambiguous, empty_cell, escaped, html, placeholder};
use super::source::DesignText;
use super::written_path::{WrittenPath, is_directory_remark, split_arrow};

/// The paths of a cell, in order; never empty.
///
/// # Errors
/// The cell is ambiguous, empty or not a path.
pub(super) fn paths(
    source: &DesignText<'_>,
    content: &InlineText,
) -> Result<Vec<WrittenPath>, LocatedProblem> {
    let span = source.trim(content.span.clone());
    read(source, content, &span).map_err(|problem| problem.at(span))
}

fn read(
    source: &DesignText<'_>,
    content: &InlineText,
    span: &Range<usize>,
) -> Result<Vec<WrittenPath>, Problem> {
    let mut reader = CellReader::default();
    // The parts between `<br>`s.
    let (mut parts, mut begin) = (Vec::new(), span.start);
    let mut cursor = span.start;
    for piece in &content.pieces {
        // Part of a link or of struck-out text.
        if piece.span.start < cursor {
            continue;
        }
        reader.text(source.slice(cursor..piece.span.start));
        cursor = piece.span.end;
        match &piece.kind {
            PieceKind::Code(text) => reader.path(text, &piece.span)?,
            PieceKind::Link { text, target } => {
                link::agree(source.path(), text, target)?;
                reader.path(text, &piece.span)?;
            }
            PieceKind::Html => match source.slice(piece.span.clone()) {
                tag if is_break(tag) => {
                    reader.text(",");
                    parts.push(source.trim(begin..piece.span.start));
                    begin = cursor;
                }
                tag if tag.starts_with("<!--") => {}
                tag => return Err(html(tag)),
            },
            PieceKind::Image => return Err(ambiguous("the cell contains an image")),
            PieceKind::Struck => {}
        }
    }
    reader.text(source.slice(cursor..span.end));
    if !reader.paths.is_empty() {
        reader.gap()?;
        return Ok(reader.paths);
    }
    if content.is_struck() {
        let (message, help) = ("the path is struck out", "remove the row");
        return Err(Problem::placeholder("struck-out", message, help));
    }
    parts.push(source.trim(begin..span.end));
    parts.retain(|part| !part.is_empty());
    let is_whole = parts.len() == 1;
    let path = |part| bare_path(visible(source, content, &part, is_whole)?, part);
    match parts.is_empty() {
        true => Err(empty_cell()),
        false => parts.into_iter().map(path).collect(),
    }
}

/// Whether a tag is a `<br>` in any spelling.
fn is_break(tag: &str) -> bool {
    let name = tag.trim_matches(['<', '>', '/', ' ']);
    name.eq_ignore_ascii_case("br")
}

/// Collects the paths outside parentheses. Words beside them make the cell ambiguous, in every language.
#[derive(Default)]
struct CellReader {
    paths: Vec<WrittenPath>,
    /// The text since the last path.
    gap: String,
    depth: usize,
    /// The text in parentheses.
    remark: String,
}

impl CellReader {
    fn text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '(' | '（' => self.depth += 1,
                ')' | '）' => {
                    self.depth = self.depth.saturating_sub(1);
                    let remark = std::mem::take(&mut self.remark);
                    if let Some(path) = self.paths.last_mut() {
                        path.directory |= is_directory_remark(&remark);
                        path.denied |= takes_back(&remark);
                    }
                }
                _ if self.depth == 0 => self.gap.push(c),
                _ => self.remark.push(c),
            }
        }
    }

    fn path(&mut self, text: &str, span: &Range<usize>) -> Result<(), Problem> {
        if self.depth == 0 {
            let mut path = WrittenPath::new(text, span.clone());
            path.arrow = self.gap()? && !self.paths.is_empty();
            self.paths.extend(split_arrow(path));
        }
        Ok(())
    }

    /// Whether the text since the last path is an arrow.
    fn gap(&mut self) -> Result<bool, Problem> {
        let gap = std::mem::take(&mut self.gap);
        let mut words = gap.split(|c: char| !c.is_alphanumeric());
        let is_word = |word: &&str| !word.is_empty() && !matches!(*word, "or" | "and");
        if let Some(word) = words.find(is_word) {
            let message = format!("`{}` stands beside a path", escaped(word));
            return Err(ambiguous(message));
        }
        let mark = gap.trim().trim_matches(['*', '_']).trim();
        Ok(matches!(mark, "->" | "-->" | "=>" | "→" | "⇒" | "➜"))
    }
}

/// A part of a cell without code, as a reader sees it, but with its underscores (`__init__.py`). Asterisks that render
/// as emphasis of less than the cell were meant as a glob, which readers do not see.
fn visible<'a>(
    source: &DesignText<'a>,
    content: &'a InlineText,
    part: &Range<usize>,
    is_whole: bool,
) -> Result<&'a str, Problem> {
    let (raw, plain) = (source.slice(part.clone()), content.plain.trim());
    let all = &content.emphasis;
    let is_star = |found: &&Emphasis| source.slice(found.span.clone()).starts_with('*');
    let stars = all.iter().filter(is_star).count();
    let is_bold = all.len() == 1 && all.iter().all(|found| found.span == *part);
    if stars > 0 && (!is_bold || plain.starts_with('/') || plain.ends_with('/')) {
        let shown = escaped(source.slice(source.trim(content.span.clone())));
        let message = format!("Markdown renders the asterisks in `{shown}` as emphasis");
        let help = format!("write it in backticks: `{shown}`");
        return Err(Problem::bad_row("emphasis", message, help));
    }
    match () {
        // Escapes and references are resolved here.
        () if is_whole && all.len() == stars => Ok(plain),
        () if stars == 0 && !raw.contains(['\\', '&']) => Ok(raw),
        () => Err(ambiguous("the cell mixes emphasis, tags and escapes")),
    }
}

/// The path that is all of a text without code.
fn bare_path(text: &str, span: Range<usize>) -> Result<WrittenPath, Problem> {
    let is_odd = |c: char| c.is_whitespace() || matches!(c, '`' | '<' | '>');
    let is_list = |path: &String| path.contains([',', ';']);
    if is_placeholder(text) {
        Err(placeholder(text))
    } else if text.contains(is_odd) || braces::expand(text).iter().flatten().any(is_list) {
        let text = escaped(text);
        let message = format!("`{text}` has no backticks: one path or several?");
        Err(ambiguous(message))
    } else {
        Ok(WrittenPath::new(text, span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bare(text: &str) -> Result<String, &'static str> {
        let path = bare_path(text, 0..text.len());
        path.map(|path| path.text).map_err(|problem| problem.reason)
    }

    #[test]
    fn one_path_or_several() {
        for text in [
            "a b.py",
            "a.py,b.py",
            "a\u{a0}b",
            "a.py;b.py",
            "a,{b,c}",
            "`src/a",
            "a<b",
            "a -> b",
            "a.py (new)",
        ] {
            assert_eq!(bare(text), Err("ambiguous-cell"), "{text}");
        }
        for text in ["src/{a,b}.py", "app/(shell)", "src/__init__.py"] {
            assert_eq!(bare(text), Ok(text.to_owned()));
        }
        assert_eq!(bare("---"), Err("placeholder"));
    }
}
