//! Reads the paths in a table cell or list item.
//!
//! Code spans take precedence. Without one, the raw text counts, because rendered text has lost underscores and
//! asterisks to emphasis.

use std::ops::Range;

use super::blocks::{InlineText, Piece, PieceKind};
use super::link;
use super::negation::negation;
use super::problem::{LocatedProblem, Problem, ambiguous, empty_cell, escaped, html};
use super::raw;
use super::source::DesignText;
use super::words::is_in;
use super::written_path::{
    WrittenPath, has_path_shape, is_arrow, is_break, is_directory_remark, split_arrows,
};

/// The paths of a cell.
#[derive(Debug, Default)]
pub(super) struct Paths {
    pub(super) paths: Vec<WrittenPath>,
    /// Whether there are words next to the paths: the cell may be about part of a file.
    pub(super) prose: bool,
}

/// The maximum number of code spans, links and tags in a cell.
const MAX_PIECES: usize = 256;
/// The maximum length of a cell, in bytes.
const MAX_LENGTH: usize = 32_768;

/// The paths of a cell, in order; never empty.
///
/// # Errors
/// The cell is ambiguous, empty or not a path.
pub(super) fn paths(
    source: &DesignText<'_>,
    content: &InlineText,
) -> Result<Paths, LocatedProblem> {
    let span = source.trim(content.span.clone());
    let problem = |problem: Problem| Err(problem.at(span.clone()));
    if span.is_empty() {
        return problem(empty_cell());
    }
    refuse_overload(content)?;
    let tokens = match tokens(source, content, &span) {
        Ok(tokens) => tokens,
        Err(found) => return problem(found),
    };
    let mut reader = CellReader::default();
    for token in tokens {
        reader.token(token);
    }
    if !reader.paths.is_empty() {
        return reader.finish().or_else(problem);
    }
    if content.is_struck() {
        return problem(if content.is_struck_whole() {
            Problem::placeholder("struck-out", "the path is struck out", "remove the row")
        } else {
            ambiguous("part of the cell is struck out")
        });
    }
    let paths = raw::paths(source, content, &span).map_err(|found| found.at(span.clone()))?;
    Ok(Paths {
        paths,
        prose: false,
    })
}

/// Refuses a cell that would take long to parse.
fn refuse_overload(content: &InlineText) -> Result<(), LocatedProblem> {
    if content.pieces.len() > MAX_PIECES || content.span.len() > MAX_LENGTH {
        let problem = ambiguous(format!(
            "the text has more than {MAX_PIECES} code spans, links and tags, or {MAX_LENGTH} bytes"
        ));
        return Err(problem.at(content.span.clone()));
    }
    Ok(())
}

/// A piece of a cell, from left to right.
enum Token<'a> {
    Text(&'a str),
    Path(WrittenPath),
    Break,
}

fn tokens<'a>(
    source: &DesignText<'a>,
    content: &InlineText,
    span: &Range<usize>,
) -> Result<Vec<Token<'a>>, Problem> {
    let mut tokens = Vec::new();
    let mut cursor = span.start;
    for Piece { span: piece, kind } in &content.pieces {
        if piece.start < cursor {
            continue;
        }
        tokens.push(Token::Text(source.slice(cursor..piece.start)));
        cursor = piece.end;
        match kind {
            PieceKind::Code(text) => {
                tokens.push(Token::Path(WrittenPath {
                    text: text.trim().to_owned(),
                    span: piece.clone(),
                    ..WrittenPath::default()
                }));
            }
            PieceKind::Link { text, target } => {
                link::agree(source.path(), text, target)?;
                tokens.push(Token::Path(WrittenPath {
                    text: text.trim().to_owned(),
                    span: piece.clone(),
                    ..WrittenPath::default()
                }));
            }
            PieceKind::Html => {
                let tag = source.slice(piece.clone());
                if is_break(tag) {
                    tokens.push(Token::Break);
                } else if !tag.starts_with("<!--") {
                    return Err(html(tag));
                }
            }
            PieceKind::Image => return Err(ambiguous("the cell contains an image")),
            PieceKind::Struck => {}
        }
    }
    tokens.push(Token::Text(source.slice(cursor..span.end)));
    Ok(tokens)
}

/// Collects the paths outside parentheses and the words between them.
#[derive(Default)]
struct CellReader {
    paths: Vec<WrittenPath>,
    /// Text since the last path.
    gap: String,
    /// Words that are neither separators nor in parentheses.
    prose: Vec<String>,
    depth: usize,
    remark: String,
}

impl CellReader {
    fn token(&mut self, token: Token<'_>) {
        match token {
            Token::Text(text) if self.depth == 0 && !has_parentheses(text) => {
                self.gap.push_str(text);
            }
            Token::Text(text) => text.chars().for_each(|c| self.character(c)),
            Token::Break if self.depth == 0 => self.gap.push(','),
            Token::Path(path) if self.depth == 0 => {
                let arrow = self.close_gap();
                self.paths.push(WrittenPath { arrow, ..path });
            }
            Token::Break | Token::Path(_) => {}
        }
    }

    fn character(&mut self, c: char) {
        match (c, self.depth) {
            ('(' | '（', _) => self.depth += 1,
            (')' | '）', 1) => {
                self.depth = 0;
                let remark = std::mem::take(&mut self.remark);
                if let Some(path) = self.paths.last_mut() {
                    path.directory |= is_directory_remark(&remark);
                    path.denied |= negation(&remark).is_some();
                }
            }
            (')' | '）', 0) => {}
            (')' | '）', _) => self.depth -= 1,
            (_, 0) => self.gap.push(c),
            _ => self.remark.push(c),
        }
    }

    /// Whether the text since the last path is an arrow; words go to `prose`.
    fn close_gap(&mut self) -> bool {
        let gap = std::mem::take(&mut self.gap);
        let gap = gap.trim().trim_matches(['*', '_']).trim();
        if gap.is_empty() {
            return false;
        }
        let gap = gap.to_lowercase();
        if is_arrow(&gap) {
            return !self.paths.is_empty();
        }
        let words = gap.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’');
        self.prose.extend(
            words
                .filter(|word| !word.is_empty() && !matches!(*word, "or" | "and"))
                .map(str::to_owned),
        );
        false
    }

    fn finish(mut self) -> Result<Paths, Problem> {
        self.close_gap();
        if let Some(word) = self.prose.iter().find(|word| is_exclusion(word)) {
            return Err(ambiguous(format!(
                "`{}` next to a path: is the path included or excluded?",
                escaped(word)
            )));
        }
        if !self.prose.is_empty() {
            self.paths.retain(|path| has_path_shape(&path.text));
            if self.paths.is_empty() {
                return Err(ambiguous("the cell contains words but no path"));
            }
        }
        Ok(Paths {
            prose: !self.prose.is_empty(),
            paths: split_arrows(self.paths),
        })
    }
}

/// Whether a text has parentheses of any width.
fn has_parentheses(text: &str) -> bool {
    // Both wide ones begin with this byte.
    let may_be = |byte: u8| matches!(byte, b'(' | b')' | 0xEF);
    text.bytes().any(may_be) && text.contains(['(', ')', '（', '）'])
}

/// Words that change "these files" to "all but these files".
const EXCLUSIONS: &str = "not|no|none|nothing|never|cannot|except|excluding|without|but|unlike|instead|outside|importing|all|\
    any|every|everything|other";

fn is_exclusion(word: &str) -> bool {
    is_in(word, EXCLUSIONS) || word.ends_with("n't") || word.ends_with("n’t")
}
