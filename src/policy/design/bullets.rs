//! Lists of files: `- Modify: \`a.py:1-20\``, `- \`a.py\` (new) - why`.

use std::ops::Range;

use super::blocks::{InlineText, PieceKind};
use super::cell::{self, Paths};
use super::design_builder::{DesignBuilder, Row};
use super::heading::Claim;
use super::kind::{self, RowAction, Type};
use super::problem::{LocatedProblem, Problem, ambiguous, html, unknown_type};
use super::source::DesignText;

/// Grants every item of a list.
pub(super) fn read(
    source: &DesignText<'_>,
    items: &[InlineText],
    claim: Claim,
    draft: &mut DesignBuilder<'_>,
) {
    for item in items {
        match read_item(source, item, claim) {
            Ok(row) => draft.row(row),
            Err(problem) => draft.bad_row(vec![problem]),
        }
    }
}

/// What precedes the path.
enum Label {
    /// Nothing about the file.
    None,
    /// A type and the words for it.
    Type(TypeWords),
    /// An edit of a part of the file: "Remove the debug flag from".
    Phrase,
}

/// A type and the words for it.
type TypeWords = (Type, String);

fn read_item(
    source: &DesignText<'_>,
    item: &InlineText,
    claim: Claim,
) -> Result<Row, LocatedProblem> {
    let span = source.trim(item.span.clone());
    cell::refuse_overload(item)?;
    if item.is_obscured {
        return Err(html(source.slice(span.clone())).at(span));
    }
    if source
        .slice(span.clone())
        .lines()
        .skip(1)
        .any(|line| line.contains('|'))
    {
        let problem = ambiguous("a line of this item looks like a table row");
        return Err(problem.at(span));
    }
    let (label, path) = split_label(source, item, span)?;
    let (path, rest) = split_description(source, item, path);
    let within = |inner: &Range<usize>, outer: &Range<usize>| {
        inner.start >= outer.start && inner.end <= outer.end
    };
    let mut struck = item
        .pieces
        .iter()
        .filter(|piece| piece.kind == PieceKind::Struck);
    if struck.any(|piece| !within(&piece.span, &path) && !within(&piece.span, &rest)) {
        let message = "the item is struck out";
        let problem = Problem::placeholder("struck-out", message, "remove the item");
        return Err(problem.at(item.span.clone()));
    }
    let rest = source
        .slice(rest)
        .trim_start_matches([' ', '-', '–', '—', ':']);
    let Paths { mut paths, prose } = cell::paths(source, &item.part(path.clone()))?;
    let prose = prose || matches!(label, Label::Phrase);
    let said = match label {
        Label::Type((found, _)) if prose && found.kind.takes_away() => None,
        Label::Type(said) => Some(said),
        Label::None | Label::Phrase => {
            // Parentheses in a description may not be about the file.
            let about_file = |said: &TypeWords, alone: bool| alone || !said.0.kind.takes_away();
            remark(source.slice(path))
                .filter(|said| about_file(said, !prose))
                .or_else(|| {
                    remark(rest).filter(|said| about_file(said, !prose && rest.starts_with('(')))
                })
        }
    };
    if prose && said.is_none() {
        // "Move the parser from `a` to `b`" edits two files.
        paths.iter_mut().for_each(|path| path.arrow = false);
    }
    let (mut kind, mut directory, mut change_type) =
        (RowAction::Grant(claim.actions()), false, String::new());
    if let Some((found, words)) = said {
        (kind, directory, change_type) = (found.kind, found.directory, words);
    }
    if kind::denies(rest) {
        kind = RowAction::Mention;
    }
    Ok(Row {
        paths,
        prose,
        kind,
        directory,
        change_type,
        description: rest.split_whitespace().collect::<Vec<_>>().join(" "),
    })
}

/// Reads `Modify:` or `Create` before the path, and where the path begins.
fn split_label(
    source: &DesignText<'_>,
    item: &InlineText,
    span: Range<usize>,
) -> Result<(Label, Range<usize>), LocatedProblem> {
    let first = item
        .pieces
        .iter()
        .find(|piece| !matches!(piece.kind, PieceKind::Struck | PieceKind::Html));
    let text =
        source.slice(span.start..first.map_or(span.end, |piece| piece.span.start.max(span.start)));
    let colon = text
        .match_indices(':')
        .map(|(index, _)| index)
        .find(|index| {
            text.get(index + 1..)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '*', '_']))
        });
    if let Some(colon) = colon {
        let label = text
            .get(..colon)
            .unwrap_or("")
            .trim_matches(['*', '_', ' ']);
        let after = span.start + colon + 1;
        let skipped = source
            .slice(after..span.end)
            .find(|c: char| !matches!(c, '*' | '_' | ' '))
            .unwrap_or(0);
        if let Some(found) = kind::parse(label) {
            let said = Label::Type((found, label.to_owned()));
            return Ok((said, after + skipped..span.end));
        }
        if kind::is_phrase(label) {
            return Ok((Label::Phrase, after + skipped..span.end));
        }
        let word = label.to_lowercase();
        if matches!(word.as_str(), "test" | "tests" | "file" | "files" | "path") {
            return Ok((Label::None, after + skipped..span.end));
        }
        // In `src/a.py: what changes` the path comes first.
        if !label.contains(['/', '.']) || label.contains(char::is_whitespace) {
            return Err(unknown_type(label).at(span));
        }
        return Ok((Label::None, span));
    }
    let end = if first.is_some() {
        text.len()
    } else {
        text.find(' ').unwrap_or(0)
    };
    let word = text.get(..end).unwrap_or("").trim_matches(['*', '_', ' ']);
    if word.contains(['.', '/']) && !word.contains(' ') {
        return Ok((Label::None, span));
    }
    let label = if kind::is_phrase(word) {
        Label::Phrase
    } else if let Some(found) = kind::parse(word) {
        Label::Type((found, word.to_owned()))
    } else {
        return Ok((Label::None, span));
    };
    Ok((label, span.start + end..span.end))
}

/// Splits an item before ` - `, ` — ` or `: `, outside of code and parentheses.
fn split_description(
    source: &DesignText<'_>,
    item: &InlineText,
    span: Range<usize>,
) -> (Range<usize>, Range<usize>) {
    let text = source.slice(span.clone());
    let in_piece = |at: usize| item.pieces.iter().any(|piece| piece.span.contains(&at));
    let mut depth = 0_usize;
    for (index, c) in text.char_indices() {
        let rest = text.get(index..).unwrap_or("");
        let is_mark = [" - ", " – ", " — ", ": "]
            .iter()
            .any(|mark| rest.starts_with(mark));
        if !is_mark && !matches!(c, '(' | ')') || in_piece(span.start + index) {
            continue;
        }
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => {
                return (span.start..span.start + index, span.start + index..span.end);
            }
            _ => {}
        }
    }
    (span.clone(), span.end..span.end)
}

/// The type in `(new)` or `(unchanged — why)`.
fn remark(text: &str) -> Option<TypeWords> {
    let (_, inner) = text.rsplit_once('(')?;
    let (inner, _) = inner.split_once(')').unwrap_or((inner, ""));
    kind::parse(inner).map(|found| (found, inner.to_owned()))
}
