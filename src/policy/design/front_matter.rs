//! `files_modified:` and `allowed_paths:` at the top level of the YAML front matter: a block list, or one line.

use std::ops::Range;

use super::design_builder::{DesignBuilder, Row};
use super::form::Shape;
use super::heading::Claim;
use super::kind::RowAction;
use super::problem::{Problem, escaped};
use super::source::DesignText;
use super::written_path::WrittenPath;
use crate::policy::GrantForm;

/// The range of the front matter's lines without its fences, and where the document continues.
pub(super) fn find(source: &DesignText<'_>) -> Option<(Range<usize>, usize)> {
    let mut lines = source.lines();
    let (_, fence) = lines.next()?;
    let (first, second) = lines.next()?;
    if fence.trim_end() != "---" || second.trim().is_empty() {
        return None;
    }
    let mut lines = std::iter::once((first.clone(), second)).chain(lines);
    let (end, _) = lines.find(|(_, line)| matches!(line.trim_end(), "---" | "..."))?;
    Some((first.start..end.start, end.end))
}

/// Grants the listed paths.
pub(super) fn read(source: &DesignText<'_>, body: &Range<usize>, draft: &mut DesignBuilder<'_>) {
    let items = items(source, body);
    if items.is_empty() {
        return;
    }
    let actions = Claim::Any.actions();
    draft.form(
        Shape::Line,
        GrantForm::FrontMatter,
        actions,
        source.line_span(body.start),
    );
    for span in items {
        let text = source.slice(span.clone());
        let quote = source.slice(span.start.saturating_sub(1)..span.start);
        if text.contains(char::is_whitespace) {
            let problem = Problem::bad_row(
                "front-matter",
                format!("`{}` is not a plain path", escaped(text)),
                "write one path per item",
            );
            draft.bad_row(vec![problem.at(span)]);
            continue;
        }
        let text = if quote == "'" {
            text.replace("''", "'")
        } else {
            text.to_owned()
        };
        draft.row(Row {
            paths: vec![WrittenPath {
                text,
                span,
                ..WrittenPath::default()
            }],
            prose: false,
            kind: RowAction::Grant(actions),
            directory: false,
            change_type: String::new(),
            description: String::new(),
        });
    }
}

/// The ranges of the values, without quotes and comments.
fn items(source: &DesignText<'_>, body: &Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut is_listed = false;
    for (span, line) in source.lines() {
        if span.start < body.start || span.start >= body.end {
            continue;
        }
        let text = line.trim_start();
        let at = span.start + line.len() - text.len();
        if is_listed && let Some(value) = text.strip_prefix("- ") {
            found.extend(scalar(source, at + text.len() - value.len()..span.end));
            continue;
        }
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        is_listed = false;
        let keys = ["files_modified:", "allowed_paths:"];
        let Some(value) = keys.iter().find_map(|key| line.strip_prefix(key)) else {
            continue;
        };
        let value = source.trim(span.end - value.len()..span.end);
        let text = source.slice(value.clone());
        match text
            .strip_prefix('[')
            .map(|list| list.split_once(']').map_or(list, |(list, _)| list))
        {
            Some(list) => found.extend(flow(source, value.start + 1..value.start + 1 + list.len())),
            None if text.is_empty() || text.starts_with('#') => is_listed = true,
            None => found.extend(scalar(source, value)),
        }
    }
    found
}

/// The values of `[a, 'b, c', "d"]`, without the brackets.
fn flow(source: &DesignText<'_>, span: Range<usize>) -> Vec<Range<usize>> {
    let (mut quote, mut depth, mut start, mut found) = (None, 0_usize, span.start, Vec::new());
    for (offset, c) in source.slice(span.clone()).char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '{') => depth += 1,
            (None, '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                found.extend(scalar(source, start..span.start + offset));
                start = span.start + offset + 1;
            }
            _ => {}
        }
    }
    found.extend(scalar(source, start..span.end));
    found
}

/// One value.
fn scalar(source: &DesignText<'_>, span: Range<usize>) -> Option<Range<usize>> {
    let span = source.trim(span);
    let text = source.slice(span.clone());
    let inner = match text.chars().next()? {
        '#' => return None,
        // In single quotes, `''` is a quote.
        '\'' => {
            let end = text.strip_prefix('\'')?.replace("''", "..").find('\'')?;
            return Some(span.start + 1..span.start + 1 + end);
        }
        '"' => {
            let end = text.get(1..)?.find('"')?;
            return Some(span.start + 1..span.start + 1 + end);
        }
        _ => text.split(" #").next().unwrap_or("").trim_end(),
    };
    Some(span.start..span.start + inner.len())
}

#[cfg(test)]
mod tests {
    use gix::bstr::BStr;

    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let source = DesignText::new(BStr::new("d.md"), text);
        let Some((body, _)) = find(&source) else {
            return vec!["no front matter"];
        };
        let spans = items(&source, &body).into_iter();
        spans.map(|span| &text[span]).collect()
    }

    #[test]
    fn block_list() {
        let text = "---\nid: 1\nfiles_modified:\n  - src/a.rs # why\n  - \"b c.rs\"\n- 'd#e.rs'\nother:\n  - no\n---\n";
        assert_eq!(found(text), ["src/a.rs", "b c.rs", "d#e.rs"]);
    }

    #[test]
    fn one_line() {
        assert_eq!(
            found("---\nallowed_paths: [a.rs, 'b,c.rs', src/{d,e}.rs] # x\nz: [no]\n---\n"),
            ["a.rs", "b,c.rs", "src/{d,e}.rs"]
        );
        assert_eq!(found("---\nfiles_modified: []\n---\n"), Vec::<&str>::new());
        assert_eq!(found("---\nfiles_modified: a.rs\n---\n"), ["a.rs"]);
    }

    #[test]
    fn only_at_the_start_and_closed() {
        for text in [
            "\n---\nfiles_modified: [a]\n---\n",
            "---\nfiles_modified: [a]\n",
            "---\n\nfiles_modified: [a]\n---\n",
        ] {
            assert_eq!(found(text), ["no front matter"]);
        }
        assert_eq!(
            found("---\nx:\n  files_modified: [a]\n  - b\n---\n"),
            Vec::<&str>::new()
        );
    }
}
