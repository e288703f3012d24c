//! Reads the paths in a table cell: its code spans and links, or else its text.

use std::ops::Range;

use super::blocks::{Emphasis, InlineText, PieceKind};
use super::braces;
use super::columns;
use super::link;
use super::negation::takes_back;
use super::placeholder::is_placeholder;
use super::problem::{LocatedProblem, Problem, ambiguous, empty_cell, escaped, html, placeholder};
use super::source::DesignText;
use super::words::is_in;
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
    let mut cursor = span.start;
    for piece in &content.pieces {
        // Part of a link or of struck-out text.
        if piece.span.start < cursor {
            continue;
        }
        reader.text(source.slice(cursor..piece.span.start));
        cursor = piece.span.end;
        let tag = source.slice(piece.span.clone());
        let name = tag.trim_matches(['<', '>', '/', ' ']);
        match &piece.kind {
            PieceKind::Code(text) => reader.path(text, &piece.span)?,
            PieceKind::Link { text, target } => {
                link::agree(source.path(), text, target)?;
                reader.path(text, &piece.span)?;
            }
            PieceKind::Html if tag.starts_with("<!--") => {}
            PieceKind::Html if name.eq_ignore_ascii_case("br") => reader.text(","),
            PieceKind::Html => return Err(html(tag)),
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
    let text = visible(source, content, span)?;
    Ok(vec![bare_path(text, span.clone())?])
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

/// A cell without code, as a reader sees it, but with its underscores (`__init__.py`). Asterisks that render as emphasis
/// of less than the cell were meant as a glob, which readers do not see.
fn visible<'a>(
    source: &DesignText<'a>,
    content: &'a InlineText,
    span: &Range<usize>,
) -> Result<&'a str, Problem> {
    let (raw, plain) = (source.slice(span.clone()), content.plain.trim());
    let all = &content.emphasis;
    let is_star = |found: &&Emphasis| source.slice(found.span.clone()).starts_with('*');
    let stars = all.iter().filter(is_star).count();
    let is_bold = all.len() == 1 && all.iter().all(|found| found.span == *span);
    if stars > 0 && (!is_bold || plain.starts_with('/') || plain.ends_with('/')) {
        let shown = escaped(raw);
        let message = format!("Markdown renders the asterisks in `{shown}` as emphasis");
        let help = format!("write it in backticks: `{shown}`");
        return Err(Problem::bad_row("emphasis", message, help));
    }
    match all.len() > stars {
        // Escapes and references are resolved here.
        false => Ok(plain),
        true if raw.contains(['\\', '&']) => Err(ambiguous("the cell has emphasis and escapes")),
        true => Ok(raw),
    }
}

/// The path that is all of a text without code.
fn bare_path(text: &str, span: Range<usize>) -> Result<WrittenPath, Problem> {
    let is_odd = |c: char| c.is_whitespace() || matches!(c, '`' | '<' | '>');
    let is_list = |path: &String| path.contains([',', ';']);
    if text.is_empty() {
        Err(empty_cell())
    } else if is_placeholder(text) || is_in(&text.to_lowercase(), columns::PATH) {
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
        for text in ["---", "N/A", "File", "path"] {
            assert_eq!(bare(text), Err("placeholder"), "{text}");
        }
    }
}
