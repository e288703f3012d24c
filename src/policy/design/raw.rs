//! Reads a path cell without code spans: the raw text, with escapes and character references resolved, but without
//! emphasis or HTML.

use std::ops::Range;

use super::blocks::{Emphasis, InlineText, PieceKind};
use super::negation::negation;
use super::placeholder::is_placeholder;
use super::problem::{Problem, ambiguous, empty_cell, escaped, html, placeholder, url};
use super::source::DesignText;
use super::written_path::{WrittenPath, is_break, is_directory_remark, split_arrows};

/// The paths of a bare cell; `span` is its trimmed range.
///
/// # Errors
/// The text has blanks, HTML, a list without backticks, or is not a single path.
pub(super) fn paths(
    source: &DesignText<'_>,
    content: &InlineText,
    span: &Range<usize>,
) -> Result<Vec<WrittenPath>, Problem> {
    let mut found = Vec::new();
    for part in parts(source, content, span)? {
        let part = source.trim(part);
        if !part.is_empty() {
            found.extend(part_paths(source, content, part)?);
        }
    }
    if found.is_empty() {
        return Err(empty_cell());
    }
    Ok(found)
}

/// The ranges between `<br>`s and comments.
fn parts(
    source: &DesignText<'_>,
    content: &InlineText,
    span: &Range<usize>,
) -> Result<Vec<Range<usize>>, Problem> {
    let mut parts = Vec::new();
    let mut start = span.start;
    for piece in content
        .pieces
        .iter()
        .filter(|piece| piece.kind == PieceKind::Html)
    {
        let tag = source.slice(piece.span.clone());
        if !is_break(tag) && !tag.starts_with("<!--") {
            return Err(html(tag));
        }
        parts.push(start..piece.span.start.max(start));
        start = piece.span.end.max(start);
    }
    parts.push(start..span.end.max(start));
    Ok(parts)
}

fn part_paths(
    source: &DesignText<'_>,
    content: &InlineText,
    span: Range<usize>,
) -> Result<Vec<WrittenPath>, Problem> {
    let text = source.slice(span.clone());
    if text.chars().all(|c| matches!(c, '-' | ':')) && text.len() > 2 {
        let help = "remove the row; only the line below the header is a separator";
        return Err(Problem::bad_row(
            "separator-row",
            "a second separator row",
            help,
        ));
    }
    if is_placeholder(text) && !text.contains('<') {
        return Err(placeholder(text));
    }
    let (text, remark) = split_remark(text);
    let written = WrittenPath {
        text: without_emphasis(text, content, span.start)?.to_owned(),
        span,
        directory: is_directory_remark(remark),
        denied: negation(remark).is_some(),
        ..WrittenPath::default()
    };
    let mut paths = split_arrows(vec![written]);
    for path in &mut paths {
        path.text = plain_path(&path.text)?;
    }
    Ok(paths)
}

/// One path: no blanks, no tags, no list.
fn plain_path(text: &str) -> Result<String, Problem> {
    if text.contains('`') {
        let help = "close the code span with a second backtick";
        return Err(Problem::bad_row(
            "unclosed-code",
            "the cell contains a single backtick, so the row may be cut off",
            help,
        ));
    }
    if text.contains("://") {
        return Err(url(text));
    }
    if text.contains(['<', '>']) {
        return Err(html(text));
    }
    let path = resolve(text)?;
    if path.contains(char::is_whitespace) {
        return Err(ambiguous(format!(
            "`{}` contains spaces but no backticks: one path or several?",
            escaped(&path)
        )));
    }
    let mut depth = 0_usize;
    let has_comma = path.chars().any(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(c, ',' | ';')
    });
    if has_comma {
        return Err(ambiguous(format!(
            "`{}` has no backticks: one path or several?",
            escaped(&path)
        )));
    }
    Ok(path)
}

/// Splits a remark in parentheses off the end; parentheses in a path have no blank before them.
fn split_remark(text: &str) -> (&str, &str) {
    text.strip_suffix(')')
        .and_then(|text| text.split_once(" ("))
        .map_or((text, ""), |(path, remark)| (path.trim_end(), remark))
}

/// Removes bold from `**a.py**`. Asterisks around part of the text, or around `/a/`, were meant as a glob that
/// readers do not see.
fn without_emphasis<'a>(
    text: &'a str,
    content: &InlineText,
    start: usize,
) -> Result<&'a str, Problem> {
    let mut inner = start..start + text.len();
    for Emphasis { span, marks } in &content.emphasis {
        let is_underscore = || {
            text.get(span.start.saturating_sub(start)..)
                .is_some_and(|text| text.starts_with('_'))
        };
        if span.end <= inner.start || span.start >= inner.end || is_underscore() {
            continue;
        }
        if *span != inner {
            return Err(emphasis(text));
        }
        inner = inner.start + marks..inner.end - marks;
    }
    let bare = text
        .get(inner.start - start..inner.end - start)
        .unwrap_or(text);
    if bare.len() < text.len() && (bare.starts_with('/') || bare.ends_with('/')) {
        return Err(emphasis(text));
    }
    Ok(bare)
}

fn emphasis(text: &str) -> Problem {
    let text = escaped(text);
    let message = format!(
        "Markdown renders the asterisks in `{text}` as emphasis, so readers see another path"
    );
    Problem::bad_row(
        "emphasis",
        message,
        format!("write it in backticks: `{text}`"),
    )
}

/// Resolves backslash escapes and character references as CommonMark does outside code.
fn resolve(text: &str) -> Result<String, Problem> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let tail = rest.get(c.len_utf8()..).unwrap_or("");
        let (resolved, next) = match c {
            '\\' if tail.starts_with(|c: char| c.is_ascii_punctuation()) => (
                tail.chars().next().unwrap_or(c),
                tail.get(1..).unwrap_or(""),
            ),
            '&' => match reference(tail) {
                Some((name, next)) => {
                    let message = format!("unknown character reference `&{};`", escaped(name));
                    (character(name).ok_or_else(|| ambiguous(message))?, next)
                }
                None => (c, tail),
            },
            _ => (c, tail),
        };
        out.push(resolved);
        rest = next;
    }
    Ok(out)
}

/// `name;…` -> the name and what follows it.
fn reference(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once(';')?;
    let shape = name.strip_prefix('#').unwrap_or(name);
    let is_name = !shape.is_empty()
        && shape.len() < 32
        && shape.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_name.then_some((name, rest))
}

fn character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        let known = char::from_u32(code).filter(|c| *c != '\0');
        return Some(known.unwrap_or('\u{fffd}'));
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        "period" => '.',
        "sol" => '/',
        "bsol" => '\\',
        "lowbar" => '_',
        "ast" => '*',
        "num" => '#',
        "dollar" => '$',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Result<String, &'static str> {
        plain_path(text).map_err(|problem| problem.reason)
    }

    #[test]
    fn escapes_and_references() {
        assert_eq!(
            plain("src/\\_\\_init\\_\\_.py"),
            Ok("src/__init__.py".into())
        );
        assert_eq!(plain("src/__init__.py"), Ok("src/__init__.py".into()));
        assert_eq!(plain("&#46;&#x2e;/etc"), Ok("../etc".into()));
        assert_eq!(plain("a&amp;b"), Ok("a&b".into()));
        assert_eq!(plain("a&b"), Ok("a&b".into()));
        assert_eq!(plain("a&zwj;b"), Err("ambiguous-cell"));
        assert_eq!(plain("src\\a.py"), Ok("src\\a.py".into()));
        assert_eq!(plain("&#0;&#xd800;"), Ok("\u{fffd}\u{fffd}".into()));
    }

    #[test]
    fn one_path_or_several() {
        for text in ["a b.py", "a.py,b.py", "a&nbsp;b", "a.py;b.py"] {
            assert_eq!(plain(text), Err("ambiguous-cell"), "{text}");
        }
        assert_eq!(plain("src/{a,b}.py"), Ok("src/{a,b}.py".into()));
        assert_eq!(plain("`src/a"), Err("unclosed-code"));
        assert_eq!(plain("<src/a.py>"), Err("html"));
    }

    #[test]
    fn remarks() {
        assert_eq!(split_remark("a.py (new)"), ("a.py", "new"));
        assert_eq!(split_remark("app/(shell)"), ("app/(shell)", ""));
    }
}
