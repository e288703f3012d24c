//! Reads any document for the files that its work may touch. It is generous: a row is certain only if the strict reader
//! grants its path, and a person confirms or drops the others.

use std::collections::HashSet;
use std::sync::LazyLock;

use gix::bstr::{BStr, ByteSlice};
use regex_lite::{Match, Regex};

use super::row;
use crate::design::code::{self, DrawnEntry};
use crate::design::markdown::markdown;
use crate::design::paths::{self, is_file_name};
use crate::design::{self, Block, BlockKind, DesignText, InlineText};
use crate::design::{PieceKind, TableRow, front_matter};
use crate::scope::settings::Settings;
use crate::scope::{Actions, GrantKind};

/// Whether what the repository has at a path is a directory; `None` if it has nothing.
pub type FileLookup<'a> = dyn Fn(&str) -> Option<bool> + 'a;

/// The rows for all paths of a document outside quotes and outside code that lists no files. A doubtful row starts with
/// `? `, a cell that moves the others out of their columns: it grants nothing until a person removes the mark.
pub fn rows_of_document(path: &BStr, text: &str, lookup: &FileLookup<'_>) -> Vec<String> {
    let options = Settings {
        tasks: true,
        ..Settings::default()
    };
    let source = DesignText::new(path, text, &options);
    let start = front_matter::find(&source).map_or(0, |(_, end)| end);
    let (blocks, _) = markdown(text, start);
    // The rows with the number of their block, and the paths that have one.
    let (mut rows, mut known) = (Vec::new(), HashSet::new());
    let type_of = |name: &str| match lookup(name.trim_end_matches('/')) {
        _ if name.ends_with('/') => "Add/Modify",
        Some(_) => "Modify",
        None => "Add",
    };
    for grant in design::parse(path, text.as_bytes(), &options).grants {
        let mut name = grant.path.to_str_lossy().into_owned();
        if grant.kind == GrantKind::Directory {
            name.push('/');
        }
        let change_type = match grant.actions {
            Actions::DELETE => "Delete",
            Actions::MODIFY if !name.ends_with('/') => "Modify",
            _ => type_of(&name),
        };
        let row = row(path, name.as_str().into(), change_type, &grant.description);
        if let Some(row) = row.filter(|_| known.insert(grant.path.to_string())) {
            let place = grant.anchor.span.start;
            let number = blocks.partition_point(|block| block.start <= place);
            rows.push((number, row));
        }
    }
    for (number, block) in (1..).zip(&blocks) {
        let texts = texts(&source, block);
        for line in texts.iter().flat_map(|text| text.lines()) {
            for name in paths_of_line(path, line, lookup) {
                let bare = name.trim_end_matches('/');
                if !known.contains(bare)
                    && let Some(row) = row(path, name.as_str().into(), type_of(&name), line)
                {
                    known.insert(bare.to_owned());
                    rows.push((number, format!("? {row}")));
                }
            }
        }
    }
    rows.sort_by_key(|(number, _)| *number);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// The texts of a block that may name files.
fn texts(source: &DesignText<'_>, block: &Block) -> Vec<String> {
    match &block.kind {
        BlockKind::Heading(_, content) | BlockKind::Paragraph(content) => vec![shown(content)],
        BlockKind::List(nodes) => nodes.iter().map(|node| shown(&node.content)).collect(),
        BlockKind::Table(table) => {
            let row = |row: &TableRow| row.cells.iter().map(shown).collect::<Vec<_>>().join(" | ");
            table.rows.iter().map(row).collect()
        }
        BlockKind::Code(code) if code::is_tree(source, code) => {
            let mut entries = code::tree_entries(source.slice(code.body.clone()));
            let next: Vec<usize> = entries.iter().skip(1).map(|entry| entry.column).collect();
            let mut next = next.into_iter();
            // A directory with entries stands for them.
            entries.retain(|entry| next.next().is_none_or(|next| next <= entry.column));
            let line = |entry: &DrawnEntry<'_>| format!("{} {}", entry.path, entry.remark);
            entries.iter().map(line).collect()
        }
        BlockKind::Code(code) if code.is_text() => vec![source.slice(code.body.clone()).to_owned()],
        BlockKind::Code(_) | BlockKind::Other => Vec::new(),
    }
}

/// A text with its code and links, and without what is struck out.
fn shown(content: &InlineText) -> String {
    let (run, mut shown) = (&content.run, String::new());
    for (at, c) in run.text.char_indices() {
        match run.piece(at).map(|piece| &piece.kind) {
            Some(PieceKind::Link { text, target }) if !text.contains('/') => {
                shown.push_str(&format!(" {target} "));
            }
            Some(PieceKind::Code(text) | PieceKind::Link { text, .. }) => {
                shown.push_str(&format!(" {text} "));
            }
            Some(_) => shown.push(' '),
            None => shown.push(c),
        }
    }
    shown
}

/// A word or path. Parentheses belong to a path only behind a slash, and commas only in braces. Scripts without blanks
/// and most symbols are neither; invisible characters make a path invalid.
static TOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let symbols = r"\s,;|\x22'()`{}";
    let symbols =
        format!("{symbols}\u{500}-\u{1fff}\u{2010}-\u{2027}\u{2030}-\u{205e}\u{2070}-\u{10ffff}");
    Regex::new(&format!(
        r"(?:/\([^()\s]*\)|\{{[^{{}}\s]*\}}|[^{symbols}])+"
    ))
    .ok()
});

/// The paths that a line names; a slash ends those of directories.
fn paths_of_line(document: &BStr, line: &str, lookup: &FileLookup<'_>) -> Vec<String> {
    let tokens = TOKEN.iter().flat_map(|token| token.find_iter(line));
    let path = |token: Match<'_>| {
        let name = token.as_str().trim_start_matches('[');
        let name = name.trim_end_matches(['.', ':', ']', '!', '?']);
        let (has_slash, is_file) = (name.contains('/'), is_file_name(name));
        let (path, kind) = paths::read(name, false, document).ok()?;
        let there = lookup(&path);
        // `feature/x` and a word could as well be something else.
        let is_path = match there {
            Some(is_directory) => has_slash || is_file && !is_directory,
            None => is_file || has_slash && kind != GrantKind::File,
        };
        let is_directory = kind == GrantKind::Directory || there == Some(true);
        is_path.then(|| path + if is_directory { "/" } else { "" })
    };
    tokens.filter_map(path).collect()
}
