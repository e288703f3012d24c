//! Reads the paths in a table cell: its code spans and links, or else its text.

use std::ops::Range;

use super::{DesignText, InlineText, PIECE, PieceKind, Problem, WrittenPath};
use super::{is_in, paths, problem, types};

/// The names of a column of paths. A bare cell with such a name repeats the header.
pub(super) const PATH_COLUMN: &str =
    "file|files|file(s)|path|paths|file path|filepath|file name|filename";

/// The paths of a cell, in order; never empty.
///
/// # Errors
/// The cell is ambiguous, empty or not a path.
pub(super) fn paths(
    source: &DesignText<'_>,
    content: &InlineText,
) -> Result<Vec<WrittenPath>, Problem> {
    let span = source.trim(content.span.clone());
    read(source, content, &span).map_err(|problem| problem.at(span))
}

fn read(
    source: &DesignText<'_>,
    content: &InlineText,
    span: &Range<usize>,
) -> Result<Vec<WrittenPath>, Problem> {
    let mut found: Vec<WrittenPath> = Vec::new();
    let mut pieces = content.run.pieces.iter();
    // What stands between the paths, and in parentheses behind them.
    let (mut gap, mut remark, mut depth) = (String::new(), String::new(), 0_usize);
    for c in content.run.text.chars() {
        match c {
            PIECE => {
                let Some(piece) = pieces.next() else { continue };
                let text = match &piece.kind {
                    PieceKind::Code(text) => text,
                    PieceKind::Link { text, target } => {
                        paths::agree(source.path, text, target)?;
                        text
                    }
                    PieceKind::Html(tag) if tag.starts_with("<!--") => continue,
                    PieceKind::Html(tag) if is_break(tag) => {
                        gap.push(',');
                        continue;
                    }
                    PieceKind::Html(tag) => return Err(problem::html(tag)),
                    PieceKind::Image => return Err(problem::image()),
                    PieceKind::Struck => continue,
                };
                if depth == 0 {
                    let mut path = WrittenPath::new(text, piece.span.clone());
                    path.arrow = is_arrow(&std::mem::take(&mut gap))? && !found.is_empty();
                    found.extend(path.split_arrow());
                }
            }
            '(' | '（' => depth += 1,
            ')' | '）' => {
                depth = depth.saturating_sub(1);
                if let Some(path) = found.last_mut() {
                    path.directory |= paths::is_directory_remark(&remark);
                    path.denied |= types::takes_back(&remark);
                }
                remark.clear();
            }
            _ if depth == 0 => gap.push(c),
            _ => remark.push(c),
        }
    }
    if !found.is_empty() {
        return is_arrow(&gap).map(|_| found);
    }
    match content.is_struck {
        true => Err(problem::struck_out()),
        false => Ok(vec![bare_path(
            &visible(source, content, span)?,
            span.clone(),
        )?]),
    }
}

fn is_break(tag: &str) -> bool {
    let name = tag.trim_matches(['<', '>', '/', ' ']);
    name.eq_ignore_ascii_case("br")
}

/// Whether the text since the last path is an arrow. Words make the cell ambiguous, in every language.
fn is_arrow(gap: &str) -> Result<bool, Problem> {
    let mut words = gap.split(|c: char| !c.is_alphanumeric());
    let is_word = |word: &&str| !word.is_empty() && !matches!(*word, "or" | "and");
    if let Some(word) = words.find(is_word) {
        return Err(problem::beside_path(word));
    }
    let mark = gap.trim().trim_matches('_').trim();
    Ok(matches!(mark, "->" | "-->" | "=>" | "→" | "⇒" | "➜"))
}

/// A cell without code, as a reader sees it, but with its underscores (`__init__.py`). Asterisks that render as emphasis
/// of less than the cell were meant as a glob, which readers do not see.
fn visible(
    source: &DesignText<'_>,
    content: &InlineText,
    span: &Range<usize>,
) -> Result<String, Problem> {
    let (run, stars) = (&content.run, &content.stars);
    let text = if run.pieces.is_empty() {
        &run.text
    } else {
        &content.plain
    };
    let text = text.trim();
    let is_whole = || stars.len() == 1 && stars[0] == *span;
    if stars.is_empty() || is_whole() && !text.starts_with('/') && !text.ends_with('/') {
        return Ok(text.to_owned());
    }
    Err(problem::emphasis(source.slice(span.clone())))
}

/// The path that is all of a text without code.
fn bare_path(text: &str, span: Range<usize>) -> Result<WrittenPath, Problem> {
    let is_odd = |c: char| c.is_whitespace() || matches!(c, '`' | '<' | '>');
    let is_list = |path: &String| path.contains([',', ';']);
    if text.is_empty() {
        Err(problem::empty())
    } else if paths::is_placeholder(text) || is_in(&text.to_lowercase(), PATH_COLUMN) {
        Err(problem::placeholder(text))
    } else if text.contains(is_odd) || paths::expand(text).iter().flatten().any(is_list) {
        Err(problem::no_backticks(text))
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
