//! Reads any document for the files that its work may touch. It is generous: a row is certain only if the strict reader
//! grants its path, and a person confirms or drops the others.

use std::collections::HashSet;
use std::sync::LazyLock;

use gix::bstr::{BStr, ByteSlice};
use regex_lite::Regex;

use super::row;
use crate::design::code::{self, DrawnEntry};
use crate::design::markdown::markdown;
use crate::design::paths::{self, is_file_name};
use crate::design::words::is_in;
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
    for grant in design::parse(path, text.as_bytes(), &options).grants {
        let name = grant.path.to_str_lossy().into_owned();
        let (slash, change_type) = match grant.actions {
            Actions::DELETE => ("", "Delete"),
            _ if grant.kind == GrantKind::Directory => ("/", "Add/Modify"),
            Actions::MODIFY => ("", "Modify"),
            _ if lookup(&name).is_some() => ("", "Modify"),
            _ => ("", "Add"),
        };
        let place = format!("{name}{slash}");
        let row = row(path, place.as_str().into(), change_type, &grant.description);
        if let Some(row) = row.filter(|_| known.insert(name)) {
            let place = grant.anchor.span.start;
            let number = blocks.partition_point(|block| block.start <= place);
            rows.push((number, row));
        }
    }
    for (number, block) in (1..).zip(&blocks) {
        let texts = texts(&source, block);
        for line in texts.iter().flat_map(|text| text.lines()) {
            for (name, change_type) in paths_of_line(path, line, lookup) {
                let bare = name.trim_end_matches('/');
                if known.contains(bare) {
                    continue;
                }
                if let Some(row) = row(path, name.as_str().into(), change_type, line) {
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

/// The beginnings of the verbs that give a type; a common ending follows.
const TYPES: [(&str, &str); 4] = [
    ("Add", "creat|add|new|writ|implement|generat|test"),
    ("Modify", "modif|updat|edit|chang|extend|refactor|rewrit"),
    ("Delete", "delet|remov"),
    ("Rename", "renam|mov"),
];
const ENDINGS: &str = "|e|es|s|d|ed|ing|y|ies|ied";

/// How many words before a path can say what happens to it.
const NEAR: usize = 30;

fn type_of(word: &&str) -> Option<&'static str> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let word = word.to_lowercase();
    let is_form = |stem| {
        word.strip_prefix(stem)
            .is_some_and(|end| is_in(end, ENDINGS))
    };
    let mut types = TYPES.into_iter();
    let found = types.find(|(_, stems)| stems.split('|').any(is_form));
    found.map(|(word, _)| word)
}

/// The paths that a line names, each with the type of the last verb of the sentence before it or, if there is none, of the
/// word behind it.
fn paths_of_line(
    document: &BStr,
    line: &str,
    lookup: &FileLookup<'_>,
) -> Vec<(String, &'static str)> {
    let tokens = TOKEN.iter().flat_map(|token| token.find_iter(line));
    let tokens: Vec<&str> = tokens.map(|token| token.as_str()).collect();
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let name = token
            .trim_start_matches('[')
            .trim_end_matches(['.', ':', ']', '!', '?']);
        let (has_slash, is_file) = (name.contains('/'), is_file_name(name));
        if !has_slash && !is_file {
            continue;
        }
        let Ok((mut path, kind)) = paths::read(name, false, document) else {
            continue;
        };
        let before = tokens[at.saturating_sub(NEAR)..at].iter().rev();
        let mut before = before.take_while(|token| !token.ends_with(['.', '!', '?']));
        let behind = || {
            tokens[at + 1..]
                .iter()
                .find(|token| token.contains(char::is_alphanumeric))
        };
        let verb = before
            .find_map(type_of)
            .or_else(|| behind().and_then(type_of));
        let there = lookup(&path);
        // What could as well be something else, such as `path.join` or `feature/x`, needs a verb.
        let is_path = match there {
            Some(is_directory) => has_slash || !is_directory,
            None => has_slash && (is_file || kind != GrantKind::File) || verb.is_some(),
        };
        let is_directory = kind == GrantKind::Directory || there == Some(true);
        let change_type = match verb {
            Some("Delete") => "Delete",
            Some("Rename") if there.is_some() => "Delete",
            _ if is_directory => "Add/Modify",
            Some("Modify") => "Modify",
            _ if there.is_some() => "Modify",
            _ => "Add",
        };
        if is_directory {
            path.push('/');
        }
        if is_path {
            found.push((path, change_type));
        }
    }
    found
}
