//! Directory trees in code blocks: only entries marked as new, changed or deleted count.

use std::sync::LazyLock;

use regex_lite::Regex;

use super::{
    Actions, CodeBlock, DesignBuilder, DesignText, GrantForm, Row, RowAction, WrittenPath,
};
use super::{is_in, types};

/// Whether the code draws a tree.
pub(super) fn is_drawn(source: &DesignText<'_>, block: &CodeBlock) -> bool {
    let is_text = |info| is_in(info, "|text|txt|plaintext|tree|bash|sh");
    block.info.as_deref().is_some_and(is_text)
        && source.slice(block.body.clone()).contains(['├', '└'])
}

/// Grants the marked entries.
pub(super) fn read(block: &CodeBlock, draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    // Column and name of the directories around the current line.
    let mut around: Vec<(usize, &str)> = Vec::new();
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
        let path = WrittenPath::new(&(names.join("/") + end), source.span_of(name));
        let at = source.span_of(line).start;
        draft.line(
            GrantForm::Tree,
            Actions::NONE,
            at,
            Row::of(vec![path], kind, word),
        );
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

/// A remark such as `# NEW`, `(modify)` or `# NEW: the model`.
static MARK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let mark = r"^(?:#|//|←|<-)?\s*(?:\(\s*_\s*\)|\[\s*_\s*\]|_\s*(?:[-–—:].*)?)$";
    Regex::new(&mark.replace('_', "((?i:new|modify|update|delete))")).ok()
});

/// The word and meaning of a remark.
fn mark(remark: &str) -> Option<(&str, RowAction)> {
    let found = MARK.as_ref()?.captures(remark)?;
    let word = found.iter().skip(1).flatten().next()?.as_str();
    Some((word, types::of_word(&word.to_lowercase())?))
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
