//! Directory trees in code blocks: only entries marked as new, changed or deleted count.

use super::{
    Actions, CodeBlock, DesignBuilder, DesignText, GrantForm, Row, RowAction, Shape, WrittenPath,
};
use super::{is_in, types};

/// Whether the code draws a tree.
pub(super) fn is_drawn(source: &DesignText<'_>, block: &CodeBlock) -> bool {
    let is_text = block
        .info
        .as_deref()
        .is_some_and(|info| is_in(info, "|text|txt|plaintext|tree|bash|sh"));
    is_text && source.slice(block.body.clone()).contains(['├', '└'])
}

/// Grants the marked entries.
pub(super) fn read(block: &CodeBlock, draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    // Column and name of the directories around the current line.
    let mut around: Vec<(usize, &str)> = Vec::new();
    let mut has_form = false;
    for line in source.slice(block.body.clone()).lines() {
        let Some((column, name, remark)) = entry(line) else {
            around.clear();
            continue;
        };
        around.retain(|(other, _)| *other < column);
        around.push((column, name));
        let Some((word, kind)) = mark(remark) else {
            continue;
        };
        let names = around.iter().map(|(_, name)| name.trim_end_matches('/'));
        let names: Vec<_> = names.filter(|name| *name != ".").collect();
        let end = if name.ends_with('/') { "/" } else { "" };
        if !std::mem::replace(&mut has_form, true) {
            let line = source.line_span(source.span_of(line).start);
            draft.form(Shape::Line, GrantForm::Tree, Actions::NONE, line);
        }
        let path = WrittenPath::new(&(names.join("/") + end), source.span_of(name));
        draft.row(Row::of(path, kind, word));
    }
}

/// The column, the name and the remark of a line.
fn entry(line: &str) -> Option<(usize, &str, &str)> {
    let rest = line.trim_start_matches(|c: char| c.is_whitespace() || "│├└─|`+".contains(c));
    let column = line.chars().count() - rest.chars().count();
    let (name, remark) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let is_entry = !name.is_empty() && !name.starts_with(['#', '(', '[']);
    is_entry.then_some((column, name, remark.trim()))
}

/// The word and meaning of a remark such as `# NEW`, `(modify)` or `# NEW: the model`.
fn mark(remark: &str) -> Option<(&str, RowAction)> {
    let mut marks = ["#", "//", "←", "<-"].iter();
    let remark = marks
        .find_map(|mark| remark.strip_prefix(mark))
        .unwrap_or(remark);
    let remark = remark.trim();
    let inner = |open, close| remark.strip_prefix(open)?.strip_suffix(close);
    let word = inner('(', ')').or_else(|| inner('[', ']'));
    let word = word.or(remark.split([':', '-', '–', '—']).next())?.trim();
    let lower = word.to_lowercase();
    let kind = types::of_word(&lower).filter(|_| is_in(&lower, "new|modify|update|delete"))?;
    Some((word, kind))
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
            let kind = mark(remark).map(|(_, kind)| kind);
            assert_eq!(kind, Some(RowAction::Grant(types::add())), "{remark}");
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
