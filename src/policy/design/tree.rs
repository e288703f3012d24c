//! Directory trees in code blocks: only entries marked as new, changed or deleted count.

use super::blocks::CodeBlock;
use super::design_builder::{DesignBuilder, Row};
use super::form::Shape;
use super::kind::{self, RowAction};
use super::source::DesignText;
use super::words::is_in;
use super::written_path::WrittenPath;
use crate::policy::{Actions, GrantForm};

/// Whether the code draws a tree.
pub(super) fn is_drawn(source: &DesignText<'_>, block: &CodeBlock) -> bool {
    let is_text = block
        .info
        .as_deref()
        .is_some_and(|info| is_in(info, "|text|txt|plaintext|tree|bash|sh"));
    is_text && source.slice(block.body.clone()).contains(['├', '└'])
}

/// Grants the marked entries.
pub(super) fn read(source: &DesignText<'_>, block: &CodeBlock, draft: &mut DesignBuilder<'_>) {
    // Column and name of the directories around the current line.
    let mut around: Vec<(usize, &str)> = Vec::new();
    let mut has_form = false;
    let mut start = block.body.start;
    for line in source.slice(block.body.clone()).split_inclusive('\n') {
        let at = start;
        start += line.len();
        let Some((column, name, remark)) = entry(line) else {
            around.clear();
            continue;
        };
        while around.last().is_some_and(|(other, _)| *other >= column) {
            around.pop();
        }
        around.push((column, name));
        let Some(kind) = mark(remark) else { continue };
        let names = around.iter().map(|(_, name)| name.trim_end_matches('/'));
        let mut path = names
            .filter(|name| *name != ".")
            .collect::<Vec<_>>()
            .join("/");
        if name.ends_with('/') {
            path.push('/');
        }
        if !has_form {
            has_form = true;
            draft.form(
                Shape::Line,
                GrantForm::Tree,
                Actions::NONE,
                source.line_span(at),
            );
        }
        let offset = line.find(name).unwrap_or(0);
        draft.row(Row {
            paths: vec![WrittenPath {
                text: path,
                span: at + offset..at + offset + name.len(),
                ..WrittenPath::default()
            }],
            prose: false,
            kind,
            directory: false,
            change_type: remark
                .trim_matches(['#', '/', '(', ')', '[', ']', '<', '-', '←', ' '])
                .to_owned(),
            description: String::new(),
        });
    }
}

/// The column, the name and the remark of a line.
fn entry(line: &str) -> Option<(usize, &str, &str)> {
    let line = line.trim_end();
    let is_branch = |c: char| {
        matches!(
            c,
            '│' | '├' | '└' | '─' | '|' | ' ' | '\t' | '\u{a0}' | '`' | '+'
        )
    };
    let rest = line.trim_start_matches(is_branch);
    let column = line.chars().count() - rest.chars().count();
    let (name, remark) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    (!name.is_empty() && !name.starts_with(['#', '(', '['])).then_some((
        column,
        name,
        remark.trim(),
    ))
}

/// The meaning of a remark such as `# NEW`, `(modify)` or `# NEW: the model`.
fn mark(remark: &str) -> Option<RowAction> {
    let remark = ["#", "//", "←", "<-"]
        .iter()
        .find_map(|mark| remark.strip_prefix(mark))
        .unwrap_or(remark)
        .trim();
    let end = remark
        .find([')', ']', ':', '-', '–', '—'])
        .unwrap_or(remark.len());
    let (word, rest) = remark.split_at(end);
    let (word, closing) = match word.strip_prefix('(') {
        Some(word) => (word, Some(")")),
        None => word
            .strip_prefix('[')
            .map_or((word, None), |word| (word, Some("]"))),
    };
    let is_whole = closing.is_none_or(|closing| rest == closing)
        && !(closing.is_none() && rest.starts_with([')', ']']));
    let word = word.trim().to_lowercase();
    (is_whole && is_in(&word, "new|modify|update|delete"))
        .then(|| kind::of_word(&word))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_the_whole_remark_or_stands_in_brackets_or_before_a_dash_or_colon() {
        for remark in [
            "# NEW",
            "NEW",
            "(new)",
            "[NEW]",
            "# NEW: the model",
            "# new - a model",
            "← NEW",
            "// NEW",
        ] {
            assert_eq!(
                mark(remark),
                Some(RowAction::Grant(kind::add())),
                "{remark}"
            );
        }
        for remark in [
            "",
            "# DELETE /users/:id",
            "# the NEW parser",
            "# existing",
            "# NEW?",
            "(new) maybe",
            "# NEW parser",
            "NEW)",
        ] {
            assert_eq!(mark(remark), None, "{remark}");
        }
    }
}
