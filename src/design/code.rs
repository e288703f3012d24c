//! Files in code blocks below a heading or label and in `<files>` tags directly in the tasks of a plan, and directory trees,
//! in which only entries marked as new, changed or deleted count.

use std::ops::Range;

use super::{Actions, CodeBlock, DesignBuilder, DesignText, GrantForm, Problem, Row, RowAction};
use super::{Run, WrittenPath, any, is_in, item, types};

/// The item that is a part of the document's text.
fn item(source: &DesignText<'_>, part: &str, untyped: Actions) -> Result<Row, Problem> {
    let run = Run::plain(part, source.span_of(part).start);
    item::read(source, &run, untyped, "")
}

/// Reads the lines of a code block as items; false if one of them is no item with a path.
pub(super) fn read(block: &CodeBlock, untyped: Actions, draft: &mut DesignBuilder<'_>) -> bool {
    let source = draft.source;
    let lines = source.slice(block.body.clone()).lines();
    let lines = lines.map(str::trim_end).filter(|line| !line.is_empty());
    let read: Vec<_> = lines.map(|line| item(source, line, untyped)).collect();
    let is_row = |read: &Result<Row, _>| read.as_ref().is_ok_and(|row| !row.paths.is_empty());
    if !block.is_text() || read.is_empty() || !read.iter().all(is_row) {
        return false;
    }
    let span = source.line_span(block.body.start);
    draft.form = GrantForm::LabelList;
    draft.passage(span, |draft| {
        read.into_iter().for_each(|read| draft.item(read));
    });
    true
}

/// Grants the files of one tag, `<task><files>src/a.ts, src/b.ts</files>…`: its lines and the parts between commas are
/// items.
pub(super) fn read_tag(content: &Range<usize>, draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    draft.form = GrantForm::FilesTag;
    for part in item::parts(source.slice(content.clone()), &['\n', ',', ';']) {
        let part = part.strip_prefix("- ").unwrap_or(part);
        draft.item(item(source, part, any()));
    }
}

/// Whether the code draws a tree.
pub(super) fn is_tree(source: &DesignText<'_>, block: &CodeBlock) -> bool {
    let is_text = |info| is_in(info, "|text|txt|plaintext|tree|bash|sh");
    block.info.as_deref().is_some_and(is_text)
        && source.slice(block.body.clone()).contains(['├', '└'])
}

/// Grants the marked entries.
pub(super) fn read_tree(block: &CodeBlock, draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    for entry in tree_entries(source.slice(block.body.clone())) {
        let Some((word, kind)) = mark(entry.remark) else {
            continue;
        };
        let span = source.span_of(entry.name);
        draft.form = GrantForm::Tree;
        draft.row(Row::of(
            vec![WrittenPath::new(&entry.path, span)],
            kind,
            word,
        ));
    }
}

/// A line of a directory tree.
pub(super) struct DrawnEntry<'t> {
    pub(super) column: usize,
    name: &'t str,
    /// The name with the directories around it.
    pub(super) path: String,
    pub(super) remark: &'t str,
}

/// The entries of a tree, in order.
pub(super) fn tree_entries(code: &str) -> Vec<DrawnEntry<'_>> {
    let mut entries = Vec::new();
    // Column and name of the directories around the current line.
    let mut around: Vec<(usize, &str)> = Vec::new();
    for line in code.lines() {
        let rest = line.trim_start_matches(|c: char| c.is_whitespace() || "│├└─|`+".contains(c));
        let column = line.chars().count() - rest.chars().count();
        let (name, remark) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if name.is_empty() || name.starts_with(['#', '(', '[']) {
            around.clear();
            continue;
        }
        around.retain(|(other, _)| *other < column);
        around.push((column, name));
        let names = around.iter().map(|(_, name)| name.trim_end_matches('/'));
        let names: Vec<_> = names.filter(|name| *name != ".").collect();
        let end = if name.ends_with('/') { "/" } else { "" };
        entries.push(DrawnEntry {
            column,
            name,
            path: names.join("/") + end,
            remark: remark.trim(),
        });
    }
    entries
}

/// What may introduce a remark.
const SIGNS: [&str; 4] = ["#", "//", "←", "<-"];

/// The word and meaning of a remark such as `# NEW`, `(modify)` or `# NEW: the model`.
fn mark(remark: &str) -> Option<(&str, RowAction)> {
    let rest = SIGNS.iter().find_map(|sign| remark.strip_prefix(sign));
    let rest = rest.unwrap_or(remark).trim_ascii_start();
    let word = match rest.split_at_checked(1)? {
        ("(", inner) => inner.strip_suffix(')')?,
        ("[", inner) => inner.strip_suffix(']')?,
        _ => rest.split(['-', '–', '—', ':']).next()?,
    };
    let word = word.trim_ascii();
    let lower = word.to_ascii_lowercase();
    let is_mark = is_in(&lower, "new|modify|update|delete");
    Some((word, types::of_word(&lower).filter(|_| is_mark)?))
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
