//! `files_modified:` and `allowed_paths:` in the YAML front matter of a document, and `files:` of its `tasks:`.
//!
//! Reads the two list forms; other YAML is ignored.

use std::ops::Range;

use super::claim::Claim;
use super::design_builder::{DesignBuilder, Row};
use super::kind::RowAction;
use super::problem::{Problem, escaped};
use super::source::DesignText;
use super::written_path::WrittenPath;

const KEYS: &[&str] = &["files_modified", "allowed_paths"];

/// The range of the front matter's lines without its fences, and where the document continues.
pub(super) fn find(source: &DesignText<'_>) -> Option<(Range<usize>, usize)> {
    let mut lines = source.lines();
    let (first, fence) = lines.next()?;
    if fence.trim_end() != "---" {
        return None;
    }
    let mut begin = first.end;
    for (number, (span, line)) in lines.enumerate() {
        if number == 0 {
            begin = span.start;
            // After an empty line, `---` is a thematic break.
            if line.trim().is_empty() {
                return None;
            }
        }
        if matches!(line.trim_end(), "---" | "...") {
            return Some((begin..span.start, span.end));
        }
    }
    None
}

/// Whether one of the lists exists.
pub(super) fn has_list(source: &DesignText<'_>, body: &Range<usize>) -> bool {
    !items(source, body).is_empty()
}

/// Grants every item of the lists.
pub(super) fn read(source: &DesignText<'_>, body: &Range<usize>, draft: &mut DesignBuilder<'_>) {
    for span in items(source, body) {
        let text = source.slice(span.clone());
        let quote = source.slice(span.start.saturating_sub(1)..span.start);
        let is_quoted = matches!(quote, "'" | "\"");
        let is_odd = text.contains(": ")
            || text.starts_with(['{', '[', '&', '*', '!', '|', '>']) && !text.contains('/');
        if is_odd && !is_quoted {
            let message = format!("`{}` is not a plain path", escaped(text));
            let help = "write one path per item";
            let problem = Problem::bad_row("front-matter", message, help);
            draft.bad_row(vec![problem.at(span)]);
            continue;
        }
        let unescaped = text.replace("''", "'");
        let text = if quote == "'" { &unescaped } else { text };
        draft.row(Row {
            paths: vec![WrittenPath::of_code(source, text, span)],
            prose: false,
            kind: RowAction::Grant(Claim::Any.actions()),
            directory: false,
            change_type: String::new(),
            description: String::new(),
        });
    }
}

fn items(source: &DesignText<'_>, body: &Range<usize>) -> Vec<Range<usize>> {
    let mut items = Vec::new();
    let mut state = FrontMatterState::Outside;
    let mut tasks: Option<Tasks> = None;
    for (span, line) in source.lines() {
        if span.start < body.start || span.end > body.end {
            continue;
        }
        let is_key = line.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if is_key && state != FrontMatterState::Flow {
            let Some((key, _)) = line.split_once(':') else {
                continue;
            };
            tasks = (key.trim_end() == "tasks").then(Tasks::default);
            if !KEYS.contains(&key.trim_end()) {
                state = FrontMatterState::Outside;
                continue;
            }
            let value = source.trim(without_comment(
                source,
                span.start + key.len() + 1..span.end,
            ));
            state = if source.slice(value.clone()).starts_with('[') {
                flow(source, value.start + 1..value.end, &mut items)
            } else {
                push(source, value, &mut items);
                FrontMatterState::Block
            };
        } else if let Some(tasks) = &mut tasks {
            tasks.line(source, span, line, &mut items);
        } else if state == FrontMatterState::Flow {
            state = flow(source, without_comment(source, span), &mut items);
        } else if state == FrontMatterState::Block {
            let item = source.trim(without_comment(source, span));
            if source.slice(item.clone()).starts_with('-') {
                push(source, item.start + 1..item.end, &mut items);
            }
        }
    }
    items
}

/// The lines below `tasks:`.
#[derive(Default)]
struct Tasks {
    /// The column of the `files:` whose items are being read.
    files: Option<usize>,
    /// Whether its `[` is still open.
    in_flow: bool,
    /// The column of a key whose value is a text of several lines.
    text: Option<usize>,
}

impl Tasks {
    fn line(
        &mut self,
        source: &DesignText<'_>,
        span: Range<usize>,
        line: &str,
        items: &mut Vec<Range<usize>>,
    ) {
        if self.in_flow {
            let content = without_comment(source, span);
            self.in_flow = flow(source, content, items) == FrontMatterState::Flow;
            return;
        }
        let content = line.trim_start();
        let mut column = line.len() - content.len();
        if content.is_empty() || self.text.is_some_and(|text| column > text) {
            return;
        }
        self.text = None;
        let is_item = content.starts_with("- ");
        if is_item && self.files.is_some_and(|files| column >= files) {
            return push(
                source,
                without_comment(source, span.start + column + 1..span.end),
                items,
            );
        }
        self.files = None;
        let key = content.trim_start_matches(['-', ' ']);
        column = line.len() - key.len();
        let Some((key, value)) = key.split_once(':') else {
            return;
        };
        if value.trim_start().starts_with(['|', '>']) {
            self.text = Some(column);
        }
        if key != "files" {
            return;
        }
        let begin = span.start + column + key.len() + 1;
        let value = source.trim(without_comment(source, begin..span.end));
        if source.slice(value.clone()).starts_with('[') {
            let state = flow(source, value.start + 1..value.end, items);
            self.in_flow = state == FrontMatterState::Flow;
        } else {
            push(source, value, items);
            self.files = Some(column);
        }
    }
}

#[derive(PartialEq, Eq)]
enum FrontMatterState {
    Outside,
    /// After the key, where `- item` lines count.
    Block,
    /// Between `[` and `]`.
    Flow,
}

fn flow(
    source: &DesignText<'_>,
    span: Range<usize>,
    items: &mut Vec<Range<usize>>,
) -> FrontMatterState {
    let text = source.slice(span.clone());
    let mut quote = None;
    let mut begin = 0;
    let mut braces = 0_usize;
    for (index, c) in text.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, '{') => braces += 1,
            (None, '}') => braces = braces.saturating_sub(1),
            (None, ',' | ']') if braces == 0 => {
                push(source, span.start + begin..span.start + index, items);
                begin = index + 1;
                if c == ']' {
                    return FrontMatterState::Block;
                }
            }
            _ => {}
        }
    }
    push(source, span.start + begin..span.end, items);
    FrontMatterState::Flow
}

/// Adds an item without its quotes, unless it is empty.
fn push(source: &DesignText<'_>, span: Range<usize>, items: &mut Vec<Range<usize>>) {
    let mut span = source.trim(span);
    let text = source.slice(span.clone());
    let is_quoted = text.len() > 1
        && ['"', '\'']
            .iter()
            .any(|&quote| text.starts_with(quote) && text.ends_with(quote));
    if is_quoted {
        span = span.start + 1..span.end - 1;
    }
    if !span.is_empty() {
        items.push(span);
    }
}

/// Strips ` # …`, except in quotes.
fn without_comment(source: &DesignText<'_>, span: Range<usize>) -> Range<usize> {
    let mut quote = None;
    let mut before = ' ';
    for (index, c) in source.slice(span.clone()).char_indices() {
        match (quote, c) {
            (None, '#') if before.is_whitespace() => return span.start..span.start + index,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
        before = c;
    }
    span
}

#[cfg(test)]
mod tests {
    use gix::bstr::BStr;

    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let files = std::collections::BTreeSet::new();
        let source = DesignText::new(BStr::new("d.md"), text, &files);
        let Some((body, _)) = find(&source) else {
            return vec!["no front matter"];
        };
        items(&source, &body)
            .into_iter()
            .map(|span| &text[span])
            .collect()
    }

    #[test]
    fn block_list() {
        let text = "---\nid: 1\nfiles_modified:\n  - src/a.rs # why\n  - \"b c.rs\"\n- 'd#e.rs'\nother:\n  - no\n---\n";
        assert_eq!(found(text), ["src/a.rs", "b c.rs", "d#e.rs"]);
    }

    #[test]
    fn flow_list() {
        assert_eq!(
            found("---\nallowed_paths: [a.rs, 'b,c.rs', src/{d,e}.rs] # x\nz: [no]\n---\n"),
            ["a.rs", "b,c.rs", "src/{d,e}.rs"]
        );
        assert_eq!(
            found("---\nallowed_paths: [a.rs,\n  b.rs,\n]\nz: no\n---\n"),
            ["a.rs", "b.rs"]
        );
        assert_eq!(found("---\nfiles_modified: []\n---\n"), Vec::<&str>::new());
        assert_eq!(found("---\nfiles_modified: a.rs\n---\n"), ["a.rs"]);
    }

    #[test]
    fn files_of_tasks() {
        assert_eq!(
            found(
                "---\nfiles: [x]\ntasks:\n  - id: T1\n    files: [\"a.rs\",\n      b.rs]\n    text: |\n      files: [no]\n  - files:\n      - c.rs # why\n      - d.rs\n    done: e.rs\n  - name: no\nz:\n  - files: [no]\n---\n"
            ),
            ["a.rs", "b.rs", "c.rs", "d.rs"]
        );
    }

    #[test]
    fn only_at_the_start_and_closed() {
        assert_eq!(
            found("\n---\nfiles_modified: [a]\n---\n"),
            ["no front matter"]
        );
        assert_eq!(found("---\nfiles_modified: [a]\n"), ["no front matter"]);
        assert_eq!(
            found("---\n\nfiles_modified: [a]\n---\n"),
            ["no front matter"]
        );
        assert_eq!(
            found("---\nx:\n  files_modified: [a]\n---\n"),
            Vec::<&str>::new()
        );
    }
}
