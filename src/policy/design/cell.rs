//! Reads the paths in a table cell: its code spans and links, or else its text.

use std::ops::Range;

use super::blocks::{InlineText, PieceKind};
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
    let found = match span.is_empty() {
        true => Err(empty_cell()),
        false => read(source, content, &span),
    };
    found.map_err(|problem| problem.at(span))
}

fn read(
    source: &DesignText<'_>,
    content: &InlineText,
    span: &Range<usize>,
) -> Result<Vec<WrittenPath>, Problem> {
    let mut reader = CellReader::default();
    // The parts between `<br>`s and comments.
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
            PieceKind::Html => {
                reader.tag(source.slice(piece.span.clone()))?;
                parts.push(source.trim(begin..piece.span.start));
                begin = piece.span.end;
            }
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
        let message = "the path is struck out";
        return Err(Problem::placeholder(
            "struck-out",
            message,
            "remove the row",
        ));
    }
    parts.push(source.trim(begin..span.end));
    parts.retain(|part| !part.is_empty());
    let mut paths = Vec::new();
    for part in &parts {
        let text = visible(source, content, part, parts.len() == 1)?;
        paths.extend(bare_paths(&text, part)?);
    }
    match paths.is_empty() {
        true => Err(empty_cell()),
        false => Ok(paths),
    }
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
                        note(path, &remark);
                    }
                }
                _ if self.depth == 0 => self.gap.push(c),
                _ => self.remark.push(c),
            }
        }
    }

    fn path(&mut self, text: &str, span: &Range<usize>) -> Result<(), Problem> {
        if self.depth == 0 {
            let arrow = self.gap()? && !self.paths.is_empty();
            self.paths.extend(split_arrow(WrittenPath {
                text: text.trim().to_owned(),
                span: span.clone(),
                arrow,
                ..WrittenPath::default()
            }));
        }
        Ok(())
    }

    fn tag(&mut self, tag: &str) -> Result<(), Problem> {
        let name = tag.trim_matches(['<', '>', '/', ' ']);
        if name.eq_ignore_ascii_case("br") {
            self.text(",");
        } else if !tag.starts_with("<!--") {
            return Err(html(tag));
        }
        Ok(())
    }

    /// Whether the text since the last path is an arrow.
    fn gap(&mut self) -> Result<bool, Problem> {
        let gap = std::mem::take(&mut self.gap);
        let mut words = gap.split(|c: char| !c.is_alphanumeric());
        let is_word = |word: &&str| !word.is_empty() && !matches!(*word, "or" | "and");
        if let Some(word) = words.find(is_word) {
            let word = escaped(word);
            return Err(ambiguous(format!(
                "`{word}` next to a path: is all of the file meant, or a part, or another one?"
            )));
        }
        let mark = gap.trim().trim_matches(['*', '_']).trim();
        Ok(matches!(mark, "->" | "-->" | "=>" | "→" | "⇒" | "➜"))
    }
}

/// Notes what a remark in parentheses says about the path before it.
fn note(path: &mut WrittenPath, remark: &str) {
    path.directory |= is_directory_remark(remark);
    path.denied |= takes_back(remark);
}

/// A part of a cell without code, as a reader sees it: without the emphasis of all of it, but with underscores
/// (`__init__.py`). Asterisks around less than that were meant as a glob, which readers do not see.
fn visible(
    source: &DesignText<'_>,
    content: &InlineText,
    part: &Range<usize>,
    is_whole: bool,
) -> Result<String, Problem> {
    let raw = source.slice(part.clone());
    let is_star = |span: &Range<usize>| source.slice(span.clone()).starts_with('*');
    let mut text = raw;
    let mut has_underscores = false;
    for emphasis in &content.emphasis {
        has_underscores |= !is_star(&emphasis.span);
        if !is_star(&emphasis.span) {
            continue;
        }
        let inner = emphasis.marks..raw.len().saturating_sub(emphasis.marks);
        text = raw.get(inner).unwrap_or("");
        if emphasis.span != *part || text.starts_with('/') || text.ends_with('/') {
            let shown = escaped(source.slice(source.trim(content.span.clone())));
            let message = format!(
                "Markdown renders the asterisks in `{shown}` as emphasis, so readers see another path"
            );
            let help = format!("write it in backticks: `{shown}`");
            return Err(Problem::bad_row("emphasis", message, help));
        }
    }
    match text.contains(['\\', '&']) {
        false => Ok(text.to_owned()),
        // Markdown has resolved escapes and references in the text of the cell.
        true if is_whole && !has_underscores => Ok(content.plain.trim().to_owned()),
        true => Err(ambiguous("the cell has escapes beside emphasis or tags")),
    }
}

/// One path, or the two ends of an arrow, and a remark in parentheses behind a blank.
fn bare_paths(text: &str, span: &Range<usize>) -> Result<Vec<WrittenPath>, Problem> {
    if is_placeholder(text) {
        return Err(placeholder(text));
    }
    let remark = text
        .strip_suffix(')')
        .and_then(|text| text.split_once(" ("));
    let (path, remark) = remark.unwrap_or((text, ""));
    let mut written = WrittenPath {
        text: path.trim_end().to_owned(),
        span: span.clone(),
        ..WrittenPath::default()
    };
    note(&mut written, remark);
    let paths = split_arrow(written);
    for WrittenPath { text, .. } in &paths {
        let is_odd = |c: char| c.is_whitespace() || matches!(c, '`' | '<' | '>');
        let expanded = braces::expand(text).unwrap_or_default();
        if text.contains(is_odd) || expanded.iter().any(|path| path.contains([',', ';'])) {
            let text = escaped(text);
            return Err(ambiguous(format!(
                "`{text}` has no backticks: one path or several?"
            )));
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bare(text: &str) -> Result<Vec<String>, &'static str> {
        let paths = bare_paths(text, &(0..text.len()));
        let texts = |paths: Vec<WrittenPath>| paths.into_iter().map(|path| path.text).collect();
        paths.map(texts).map_err(|problem| problem.reason)
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
        ] {
            assert_eq!(bare(text), Err("ambiguous-cell"), "{text}");
        }
        assert_eq!(bare("src/{a,b}.py"), Ok(vec!["src/{a,b}.py".into()]));
        assert_eq!(bare("a -> b"), Ok(vec!["a".into(), "b".into()]));
        assert_eq!(bare("--- "), Err("placeholder"));
    }

    #[test]
    fn remarks() {
        assert_eq!(bare("a.py (new)"), Ok(vec!["a.py".into()]));
        assert_eq!(bare("app/(shell)"), Ok(vec!["app/(shell)".into()]));
    }
}
