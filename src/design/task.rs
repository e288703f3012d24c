//! Tasks: checkbox lines of `tasks.md` that begin with a verb and name exactly one path.

use std::sync::LazyLock;

use gix::bstr::{BStr, ByteSlice};
use regex_lite::Regex;

use super::words::words;
use super::{DesignBuilder, GrantForm, ListNode, ListNodeKind, Row, RowAction};
use super::{any, is_in, item, paths, types};

/// Whether the tasks of the document count without a setting.
pub(super) fn is_task_list(path: &BStr) -> bool {
    let name = path.rsplit_str("/").next();
    name.is_some_and(|name| name.eq_ignore_ascii_case(b"tasks.md"))
}

/// Grants the file of a task; other items are passed over.
pub(super) fn read(node: &ListNode, draft: &mut DesignBuilder<'_>) {
    let is_task = matches!(node.kind, ListNodeKind::Item { is_task: true, .. });
    let run = &node.content.run;
    if !is_task || paths::check_pieces(run, draft.source.path).is_err() {
        return;
    }
    let mut found = item::paths_anywhere(draft.source, run);
    let (Some((at, path)), true) = (found.pop(), found.is_empty()) else {
        return;
    };
    let (verb, between) = verb(&run.text[..at]);
    let Some(kind) = action(verb) else { return };
    let is_direct = between.trim().is_empty();
    if !is_direct && (kind.takes_away() || !leads_to(between)) {
        return;
    }
    let row = Row {
        description: node.content.one_line(),
        ..Row::of(vec![path], kind, verb)
    };
    draft.line(GrantForm::TaskLine, any(), node.content.span.start, row);
}

/// Numbers, ids such as `T012`, and tags such as `[US1]` before the verb.
static IDS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s*(?:(?:\[P\]|\[?[A-Z-]{0,4}[0-9][0-9.]*[.:)]*\]?)\s+)*").ok());

/// The verb and what stands between it and the path.
fn verb(before: &str) -> (&str, &str) {
    let ids = IDS.as_ref().and_then(|ids| ids.find(before));
    let rest = &before[ids.map_or(0, |ids| ids.end())..];
    let (verb, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    (verb.trim_end_matches(':'), behind)
}

/// What a verb does with the path behind it.
fn action(verb: &str) -> Option<RowAction> {
    let verb = verb.to_lowercase();
    match verb.as_str() {
        "create" | "add" | "implement" | "write" | "extend" => Some(RowAction::Grant(any())),
        "update" | "modify" | "edit" | "delete" | "remove" => types::of_word(&verb),
        _ => None,
    }
}

/// Whether the words between a verb and a path lead to the path: "a model in".
fn leads_to(between: &str) -> bool {
    let words = words(between);
    let leads = |word: &str| is_in(word, "in|into|to|at");
    let turns = |word: &String| is_in(word, "like|as|from|for|with");
    between.trim_end().ends_with(char::is_alphanumeric)
        && words.last().is_some_and(|last| leads(last))
        && !words.iter().any(turns)
}
