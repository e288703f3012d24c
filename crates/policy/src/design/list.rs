//! Lists: each item at the top level is `[Type[:]] path {, path} [(note)] [— remark]` and nothing else.

use super::markdown::one_line;
use super::propose::form::{Form, FormPlace};
use super::row::WrittenRow;
use super::scan::{Scanner, check_stars};
use super::types::{self, RowAction, RowType};
use super::{Actions, DesignBuilder, DesignText, GrantForm, ListNode, ListNodeKind, PIECE};
use super::{Problem, WrittenPath, placeholders, problem};

/// The most words that a type has: "Created and modified (unit tests)".
const MOST_TYPE_WORDS: usize = 6;

/// What an item says.
enum Item {
    Row(Box<WrittenRow>),
    /// "None", "N/A": no file.
    Nothing,
}

/// Reads the items of a list up to the first checkbox. `untyped` is what an item without a type grants, `form` where
/// the list stands. Says whether there was an item that is a row, should be one, or says that there is none.
pub(super) fn read(
    nodes: &[ListNode],
    untyped: Actions,
    form: GrantForm,
    draft: &mut DesignBuilder<'_>,
) -> bool {
    draft.form = form;
    let source = draft.source;
    let mut has_items = false;
    let mut last_row = None;
    let mut bad = Vec::new();
    for group in nodes.chunk_by(|_, next| next.depth > 0) {
        let [node, below @ ..] = group else { break };
        // What a checkbox begins belongs to the steps of the work.
        if matches!(node.kind, ListNodeKind::Item { is_task: true, .. }) {
            break;
        }
        if node.kind == ListNodeKind::Paragraph {
            continue;
        }
        has_items = true;
        match item(source, node, below, untyped) {
            Ok(Item::Row(row)) => {
                let last = below.last().unwrap_or(node);
                last_row = Some(last.content.span.end);
                draft.row(*row);
            }
            Ok(Item::Nothing) => draft.no_file(),
            Err(problem) => bad.push(problem),
        }
    }
    for problem in bad {
        draft.bad_row(vec![problem]);
    }
    if let (Some(first), Some(last_row)) = (nodes.first(), last_row) {
        let start = source
            .lines
            .range(source.lines.line(first.content.span.start))
            .start;
        let last_line = source.lines.line(last_row.saturating_sub(1));
        draft.design.forms.push(Form {
            place: FormPlace::List {
                marker: source.slice(start..first.content.span.start).to_owned(),
            },
            anchor: source.anchor(source.line_span(start)),
            end: source.lines.range(last_line).end,
        });
    }
    has_items
}

/// Whether an item of the list would be a row.
pub(super) fn has_rows(source: &DesignText<'_>, nodes: &[ListNode]) -> bool {
    let mut groups = nodes.chunk_by(|_, next| next.depth > 0);
    groups.any(|group| match group {
        [node, below @ ..] => {
            let is_task = matches!(node.kind, ListNodeKind::Item { is_task: true, .. });
            !is_task && matches!(item(source, node, below, Actions::NONE), Ok(Item::Row(_)))
        }
        [] => false,
    })
}

/// Reads an item; `below` is what stands below it.
fn item(
    source: &DesignText<'_>,
    node: &ListNode,
    below: &[ListNode],
    untyped: Actions,
) -> Result<Item, Problem> {
    let place = source.trim(node.content.run.span());
    let read = read_item(source, node, below, untyped);
    read.map_err(|problem| {
        if problem.span.is_empty() {
            problem.at(place)
        } else {
            problem
        }
    })
}

fn read_item(
    source: &DesignText<'_>,
    node: &ListNode,
    below: &[ListNode],
    untyped: Actions,
) -> Result<Item, Problem> {
    let content = &node.content;
    if content.is_struck_whole && !content.run.text.trim().is_empty() {
        return Ok(Item::Nothing);
    }
    let text = content.run.text.trim_start();
    let mut scanner = Scanner::new(source, content);
    scanner.skip_blanks();
    let (change_type, said) = leading_type(&mut scanner);
    if placeholders::is_nothing(scanner.rest()) {
        return Ok(Item::Nothing);
    }
    let mut found = scanner.paths();
    if found.paths.is_empty() {
        // What stands in place of a path may be the reason.
        scanner.move_to(content.run.text.len());
        scanner.check()?;
        return Err(no_path(text, said.is_some()));
    }
    scanner.check()?;
    check_stars(source, content, &found.paths)?;
    let mut remarks = std::mem::take(&mut found.notes);
    let description = match remark(&mut scanner) {
        Some((remark, as_written)) => {
            remarks.push(remark);
            as_written
        }
        None if scanner
            .rest()
            .trim_matches(['.', ',', ';', ' ', '\n'])
            .is_empty() =>
        {
            remarks
                .first()
                .map_or_else(String::new, |note| one_line(note))
        }
        None => return Err(problem::unread_item(shown(text))),
    };
    if let Some(other) = below.iter().find(|child| child.kind == ListNodeKind::Other) {
        return Err(problem::odd_item().at(source.line_span(other.content.span.start)));
    }
    // Items below a directory or glob may narrow it.
    if !below.is_empty() && found.paths.iter().any(WrittenPath::may_be_narrowed) {
        return Err(problem::odd_item());
    }
    remarks.extend(
        below
            .iter()
            .map(|child| super::scan::remark_of(&child.content)),
    );
    let action = said.map_or(RowAction::Grant(untyped), |said| said.action);
    let is_directory = said.is_some_and(|said| said.is_directory);
    for path in &mut found.paths {
        path.directory |= is_directory;
    }
    Ok(Item::Row(Box::new(WrittenRow {
        paths: found.paths,
        action,
        change_type,
        description,
        remarks,
        is_open: true,
    })))
}

/// Whether a type and a path stand at this place.
pub(super) fn has_type_and_path(scanner: &mut Scanner<'_>) -> bool {
    leading_type(scanner).1.is_some() && scanner.is_at_path()
}

/// The longest type at the beginning that a colon, a blank or a path ends.
fn leading_type(scanner: &mut Scanner<'_>) -> (String, Option<RowType>) {
    let rest = scanner.rest();
    let start = scanner.at();
    let mut ends = Vec::new();
    for (at, c) in rest.char_indices() {
        let is_end = c.is_whitespace() || matches!(c, ':' | '：') || c == PIECE;
        if is_end {
            ends.push(at);
        }
        if matches!(c, ':' | '：') || c == PIECE || ends.len() == MOST_TYPE_WORDS {
            break;
        }
    }
    for end in ends.into_iter().rev() {
        let Some(said) = types::of_text(&rest[..end]) else {
            continue;
        };
        let change_type = one_line(&rest[..end]);
        scanner.move_to(start + end);
        scanner.skip_blanks();
        if !scanner.skip(":") {
            scanner.skip("：");
        }
        scanner.skip_blanks();
        return (change_type, Some(said));
    }
    (String::new(), None)
}

/// The text behind a dash or colon: without its code spans, and as it is written.
fn remark(scanner: &mut Scanner<'_>) -> Option<(String, String)> {
    scanner.skip_blanks();
    for stop in [".", ",", ";"] {
        scanner.skip(stop);
    }
    scanner.skip_blanks();
    let has_colon = scanner.skip(":") || scanner.skip("：");
    let has_dash = !has_colon && ["-", "–", "—"].iter().any(|dash| scanner.skip(dash));
    if !has_colon && !has_dash {
        return None;
    }
    while scanner.skip("-") {}
    scanner.skip_blanks();
    // What looked like a path was text before one: "web.app: `src/a.rs`".
    if has_colon && scanner.is_at_path() {
        return None;
    }
    Some((
        scanner.rest_without_code(),
        one_line(scanner.rest_as_written()),
    ))
}

/// Why an item has no path: its type is unknown, or it is a sentence.
fn no_path(text: &str, has_type: bool) -> Problem {
    match text.split_once(':') {
        Some((word, behind))
            if !has_type && !word.contains(PIECE) && behind.trim_start().starts_with(PIECE) =>
        {
            problem::unknown_type(shown(word))
        }
        _ => problem::unread_item(shown(text)),
    }
}

/// The beginning of a text for a message.
fn shown(text: &str) -> String {
    let text = one_line(&text.replace(PIECE, "…"));
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::super::markdown::{BlockKind, markdown};
    use super::super::types::add;
    use super::*;
    use crate::scope::settings::Settings;

    /// What a list with this item says: the type as written, the paths, and the remarks.
    type Said = Result<(String, Vec<String>, Vec<String>), &'static str>;

    fn said(text: &str) -> Said {
        let settings = Settings::default();
        let source = DesignText::new("d.md".into(), text, &settings);
        let blocks = markdown(text, 0);
        let Some(BlockKind::List(nodes)) = blocks.first().map(|block| &block.kind) else {
            panic!("no list in {text}")
        };
        match item(&source, &nodes[0], &nodes[1..], Actions::MODIFY) {
            Ok(Item::Row(row)) => {
                let paths = row.paths.into_iter().map(|path| path.text).collect();
                Ok((row.change_type, paths, row.remarks))
            }
            Ok(Item::Nothing) => Ok(Default::default()),
            Err(problem) => Err(problem.reason),
        }
    }

    #[test]
    fn an_item_is_a_type_paths_a_note_and_a_remark() {
        for (text, change_type, paths, remarks) in [
            ("- `src/a.rs`", "", &["src/a.rs"][..], &[][..]),
            ("- src/a.rs.", "", &["src/a.rs"], &[]),
            ("- Modify: `src/a.rs`", "Modify", &["src/a.rs"], &[]),
            ("- Modify `src/a.rs`", "Modify", &["src/a.rs"], &[]),
            ("- **New file:** `src/a.rs`", "New file", &["src/a.rs"], &[]),
            (
                "- Add and modify： `a.rs`",
                "Add and modify",
                &["a.rs"],
                &[],
            ),
            (
                "- `a.rs`, `b.rs` or `c.rs`",
                "",
                &["a.rs", "b.rs", "c.rs"],
                &[],
            ),
            ("- `a.rs` (x) (y) — z", "", &["a.rs"], &["x", "y", "z"]),
            ("- `a.rs`: the parser", "", &["a.rs"], &["the parser"]),
            ("- `a.rs` - the parser", "", &["a.rs"], &["the parser"]),
            ("- `a.rs`\n  - the parser", "", &["a.rs"], &["the parser"]),
            ("- None (docs only)", "", &[], &[]),
            ("- ~~`a.rs`~~", "", &[], &[]),
            ("- **src/a.rs**", "", &["src/a.rs"], &[]),
            (
                "- *src/a.rs* and *src/b.rs*",
                "",
                &["src/a.rs", "src/b.rs"],
                &[],
            ),
            (
                "- **Modify:** src/a.rs — *all* of it",
                "Modify",
                &["src/a.rs"],
                &["all of it"],
            ),
            ("- `docs/**/x/**`", "", &["docs/**/x/**"], &[]),
        ] {
            let strings = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect();
            let expected = (change_type.to_owned(), strings(paths), strings(remarks));
            assert_eq!(said(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn any_other_text_makes_an_item_bad() {
        for (text, reason) in [
            ("- the parser `a.rs`", "unread-item"),
            ("- `a.rs` the parser", "unread-item"),
            ("- Modify the parser in `a.rs`", "unread-item"),
            ("- ✗ `a.rs`", "unread-item"),
            ("- `a.rs`; `b.rs`", "unread-item"),
            ("- web.app: `a.rs`", "unread-item"),
            ("- Tweak: `a.rs`", "unknown-type"),
            ("- the parser", "unread-item"),
            // A type alone is no path.
            ("- Modify", "unread-item"),
            ("- Add/Modify", "unread-item"),
            ("- ![a.rs](a.rs)", "ambiguous-cell"),
            ("- <b>`a.rs`</b>", "html"),
            ("- `a.rs` ~~x~~", "unread-item"),
            ("- ~~Modify:~~ `a.rs`", "struck-out"),
            ("- `src/`\n  - not `src/a.rs`", "odd-item"),
            ("- `a.rs`\n  > quoted", "odd-item"),
            ("- docs/**/x/**", "emphasis"),
            ("- docs/*/x/*", "emphasis"),
            ("- src/*.*", "emphasis"),
            ("- *src/a*/b.rs", "emphasis"),
        ] {
            assert_eq!(said(text), Err(reason), "{text}");
        }
    }

    #[test]
    fn a_type_has_at_most_six_words_and_ends_at_the_first_colon() {
        for (text, expected) in [
            ("- Add or modify: `a.rs`", Ok("Add or modify")),
            ("- Add and modify: `a.rs`, `b.rs`", Ok("Add and modify")),
            ("- Add (lines 1 2 3 4): `a.rs`", Ok("Add (lines 1 2 3 4)")),
            ("- Add (lines 1 2 3 4 5): `a.rs`", Err("unread-item")),
            ("- Add (lines 1 2) `a.rs`", Ok("Add (lines 1 2)")),
            ("- Add (lines: 1 2) `a.rs`", Err("unread-item")),
        ] {
            let found = said(text).map(|(change_type, ..)| change_type);
            assert_eq!(found, expected.map(str::to_owned), "{text}");
        }
    }

    #[test]
    fn a_list_has_rows_if_an_item_of_its_first_level_is_one() {
        let settings = Settings::default();
        for (text, expected) in [
            ("- `a.rs`\n", true),
            ("- words\n- `a.rs`\n", true),
            ("- `a.rs`\n- words\n", true),
            ("- `a.rs`\n  - the parser\n", true),
            ("- words\n  - `a.rs`\n", false),
            ("- `src/`\n  - not `src/a.rs`\n", false),
            ("- [ ] `a.rs`\n", false),
            ("- None\n", false),
        ] {
            let source = DesignText::new("d.md".into(), text, &settings);
            let blocks = markdown(text, 0);
            let Some(BlockKind::List(nodes)) = blocks.first().map(|block| &block.kind) else {
                panic!("no list in {text}")
            };
            assert_eq!(has_rows(&source, nodes), expected, "{text}");
        }
    }

    #[test]
    fn a_list_is_read_up_to_its_first_checkbox() {
        let settings = Settings::default();
        for (text, paths) in [
            ("- `a.rs`\n- `b.rs`\n", &["a.rs", "b.rs"][..]),
            ("- `a.rs`\n- [ ] `b.rs`\n- `c.rs`\n", &["a.rs"]),
            ("- group\n  - `x.rs`\n- `a.rs`\n", &["a.rs"]),
        ] {
            let source = DesignText::new("d.md".into(), text, &settings);
            let mut draft = DesignBuilder::new(&source);
            let blocks = markdown(text, 0);
            let Some(BlockKind::List(nodes)) = blocks.first().map(|block| &block.kind) else {
                panic!("no list in {text}")
            };
            assert!(
                read(nodes, add(), GrantForm::LabelList, &mut draft),
                "{text}"
            );
            let grants = draft.finish().grants;
            let found: Vec<String> = grants.iter().map(|one| one.path.to_string()).collect();
            assert_eq!(found, paths, "{text}");
            assert!(grants.iter().all(|grant| grant.actions == add()), "{text}");
        }
    }
}
