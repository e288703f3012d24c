//! Reads any document for the files that its work may touch. It is generous, in one simple way: a token is a path if the
//! repository has it, or if it has an extension and its directory is known. A person confirms the rows.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use bstr::BStr;
use regex_lite::Regex;

use super::row;
use crate::design::markdown::{TableRow, markdown};
use crate::design::outline::Outline;
use crate::design::paths::{self, has_extension, is_code_path};
use crate::design::remarks::{self, Remark};
use crate::design::types::{self, RowAction};
use crate::design::{Block, BlockKind, DesignText, InlineText, PieceKind, WrittenPath};
use crate::design::{exclusion, front_matter, words};
use crate::scope::settings::Settings;
use crate::scope::{Actions, GrantKind};

/// What the repository has.
pub trait KnownFiles {
    /// Whether what is at a path is a directory; `None` if there is nothing.
    fn is_directory(&self, path: &str) -> Option<bool>;

    /// The only file whose path ends with these names, if there is just one.
    fn only_file_ending(&self, end: &str) -> Option<String>;
}

/// The longest text of a document that guard shows.
const MAX_SHOWN: usize = 60;

/// What a document proposes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proposal {
    /// One row per path, in document order.
    pub rows: Vec<ProposedRow>,
    /// The paths that the text names in order to leave them alone.
    pub denied: Vec<DeniedPath>,
}

/// A row of the proposed table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedRow {
    /// The path; a slash ends that of a directory.
    pub path: String,
    /// The line that names it first.
    pub line: usize,
    /// The row of the usual table.
    pub text: String,
}

/// A path that is not proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeniedPath {
    /// The path; a slash ends that of a directory.
    pub path: String,
    /// The line that denies it.
    pub line: usize,
    /// What the text says there.
    pub said: String,
}

/// Proposes a row for each path of a document, and lists those that the text denies on their line, in their item, or
/// below a heading that excludes. A path that `is_named` knows needs no row.
pub fn propose(
    document: &BStr,
    text: &str,
    files: &dyn KnownFiles,
    is_named: &dyn Fn(&str) -> bool,
) -> Proposal {
    let options = Settings::default();
    let source = DesignText::new(document, text, &options);
    let front = front_matter::find(&source);
    let start = front.as_ref().map_or(0, |(_, end)| *end);
    let blocks = markdown(text, start);
    let outline = Outline::new(&source, &blocks);
    let mut reader = ProposalReader {
        source: &source,
        files,
        candidates: Vec::new(),
        denied: Vec::new(),
    };
    if let Some(front) = front.map(|(body, _)| front_matter::parse(&source, &body)) {
        for written in front.allowed {
            let line = source.lines.line(written.span.start);
            reader.propose(&NamedPath::behind("Add", written), line, "");
        }
        for written in front.forbidden {
            let line = source.lines.line(written.span.start);
            let named = NamedPath::behind("Add", written);
            reader.deny(&named, line, "the front matter forbids it");
        }
    }
    for (block, place) in blocks.iter().zip(&outline.places) {
        let excluding = place.exclusion.and_then(|index| match &blocks[index].kind {
            BlockKind::Heading(_, content) | BlockKind::Paragraph(content) => {
                Some(content.one_line())
            }
            _ => None,
        });
        reader.block(block, excluding.as_deref());
    }
    reader.finish(is_named)
}

/// A path that a text names, and how.
struct NamedPath {
    written: WrittenPath,
    /// The type in front of it, or in its row.
    said: Option<RowAction>,
    /// Whether the type stands directly in front of it.
    is_direct: bool,
    /// Whether any word in front of it says that something is new.
    is_new: bool,
    /// Whether it stands in a table.
    is_in_table: bool,
}

impl NamedPath {
    /// A path behind a text.
    fn behind(before: &str, written: WrittenPath) -> NamedPath {
        let (said, is_direct) = type_before(before);
        let mut words = words::words(end_of(before)).into_iter();
        let new = Some(RowAction::Grant(types::add()));
        NamedPath {
            written,
            said,
            is_direct,
            is_new: words.any(|word| types::of_word(&word) == new),
            is_in_table: false,
        }
    }
}

/// A path that may become a row.
struct Candidate {
    path: String,
    action: RowAction,
    line: usize,
    /// The text that names it.
    text: String,
}

struct ProposalReader<'r> {
    source: &'r DesignText<'r>,
    files: &'r dyn KnownFiles,
    candidates: Vec<Candidate>,
    denied: Vec<DeniedPath>,
}

impl ProposalReader<'_> {
    /// Reads a block below a heading that excludes it, if there is one.
    fn block(&mut self, block: &Block, excluding: Option<&str>) {
        match &block.kind {
            BlockKind::Heading(_, content) | BlockKind::Paragraph(content) => {
                self.lines(content, excluding);
            }
            BlockKind::List(nodes) => {
                for node in nodes {
                    self.lines(&node.content, excluding);
                }
            }
            BlockKind::Table(table) => {
                for row in &table.rows {
                    self.row(row, excluding);
                }
            }
            BlockKind::Code(code) => {
                if let Some("" | "text" | "txt") = code.info.as_deref() {
                    self.raw_lines(code.body.clone(), excluding);
                }
            }
            // The text of tags such as `<files>`; a comment is for nobody.
            BlockKind::Html(range) => {
                if !self.source.slice(range.clone()).contains("<!--") {
                    self.raw_lines(range.clone(), excluding);
                }
            }
            BlockKind::Other => {}
        }
    }

    /// Reads each line of a text that is no Markdown.
    fn raw_lines(&mut self, range: Range<usize>, excluding: Option<&str>) {
        let mut start = range.start;
        for line in self.source.slice(range).split_inclusive('\n') {
            let named = words_of(line, "", |offset| start + offset);
            self.text(&named, line, start, excluding);
            start += line.len();
        }
    }

    /// Reads each line of a text on its own.
    fn lines(&mut self, content: &InlineText, excluding: Option<&str>) {
        if content.is_struck_whole {
            return;
        }
        let text = self.source.slice(content.span.clone());
        self.text(&tokens(content), text, content.span.start, excluding);
    }

    /// Reads a row of a table as one text.
    fn row(&mut self, row: &TableRow, excluding: Option<&str>) {
        let mut named = Vec::new();
        let mut said = None;
        let mut text = String::new();
        for cell in &row.cells {
            if let Some(found) = types::of_text(&cell.plain) {
                said = Some(found.action);
            }
            named.extend(tokens(cell));
            text += &cell.one_line();
            text.push_str(" | ");
        }
        for path in &mut named {
            path.said = said.or(path.said);
            path.is_in_table = true;
        }
        self.text(&named, text.trim_end_matches(" | "), row.start, excluding);
    }

    /// Proposes or denies the paths of one text.
    fn text(&mut self, named: &[NamedPath], text: &str, start: usize, excluding: Option<&str>) {
        if named.is_empty() {
            return;
        }
        let is_denied = excluding.is_some() || is_denial(text) || self.leaves(text, named);
        let shown = super::plain(excluding.unwrap_or(text));
        for path in named {
            let line = self.source.lines.line(path.written.span.start.max(start));
            if is_denied || path.said == Some(RowAction::Mention) {
                self.deny(path, line, &shown);
            } else {
                self.propose(path, line, &shown);
            }
        }
    }

    /// Whether a text says that its files stay as they are with a path between the words, as in "leave `src/a.rs` alone",
    /// or by a label that excludes as a heading does, as in "Alternative considered: …".
    fn leaves(&self, text: &str, named: &[NamedPath]) -> bool {
        let label = text.split_once(':').map_or("", |(label, _)| label);
        if exclusion::excludes(label, true) {
            return true;
        }
        let mut words = text.replace('`', "");
        for path in named.iter().filter(|path| self.path(path).is_some()) {
            words = words.replace(&path.written.text, "");
        }
        is_denial(&words)
    }

    /// The path as a row names it, if it is one: the repository has it, or it has an extension and its directory is
    /// known. In backticks, any directory above it may be known, or a word in front may say that something is new. Else it may
    /// be the end of just one path that the repository has.
    fn path(&self, named: &NamedPath) -> Option<String> {
        let written = &named.written;
        let (path, kind) = paths::read(written, self.source.path).ok()?;
        if kind == GrantKind::Glob {
            let literal = path.split(['*', '{']).next().unwrap_or("");
            let directory = literal
                .rsplit_once('/')
                .map_or("", |(directory, _)| directory);
            return (!directory.is_empty() && self.knows_ancestor(directory)).then_some(path);
        }
        let there = self.files.is_directory(&path);
        if there == Some(true) || kind == GrantKind::Directory {
            // Prose names directories to say where something is.
            let is_named = written.text.ends_with('/') && named.is_direct;
            return (is_named && there == Some(true)).then(|| path + "/");
        }
        if there.is_some() {
            // A document is cited more often than changed.
            let is_cited = is_document(&path) && named.said.is_none() && !named.is_in_table;
            return (!is_cited).then_some(path);
        }
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", &path));
        if !has_extension(name) {
            return None;
        }
        if let Some(whole) = self.files.only_file_ending(&path) {
            return Some(whole);
        }
        let is_new = named.is_new || named.said == Some(RowAction::Grant(types::add()));
        let is_known = if written.is_code {
            is_new || self.knows_ancestor(directory)
        } else {
            self.knows(directory)
        };
        (is_known && !directory.is_empty()).then_some(path)
    }

    fn knows(&self, directory: &str) -> bool {
        self.files.is_directory(directory) == Some(true)
    }

    fn knows_ancestor(&self, directory: &str) -> bool {
        let mut directory = directory;
        loop {
            if self.knows(directory) {
                return true;
            }
            match directory.rsplit_once('/') {
                Some((above, _)) => directory = above,
                None => return false,
            }
        }
    }

    fn propose(&mut self, named: &NamedPath, line: usize, text: &str) {
        let Some(path) = self.path(named) else { return };
        let action = named.said.unwrap_or(RowAction::Grant(Actions::NONE));
        self.candidates.push(Candidate {
            path,
            action,
            line,
            text: text.to_owned(),
        });
    }

    fn deny(&mut self, named: &NamedPath, line: usize, said: &str) {
        let Some(path) = self.path(named) else { return };
        let said = said.chars().take(MAX_SHOWN).collect();
        self.denied.push(DeniedPath { path, line, said });
    }

    /// One row per path, without those that the text denies or that `is_named` knows.
    fn finish(mut self, is_named: &dyn Fn(&str) -> bool) -> Proposal {
        let denied: HashSet<&String> = self.denied.iter().map(|one| &one.path).collect();
        let delete = RowAction::Grant(Actions::DELETE);
        let deleted: HashSet<&String> = self
            .candidates
            .iter()
            .filter(|one| one.action == delete)
            .map(|one| &one.path)
            .collect();
        let mut seen = HashSet::new();
        let mut proposal = Proposal::default();
        for one in &self.candidates {
            let path = &one.path;
            if denied.contains(path) || !seen.insert(path) || is_named(path) {
                continue;
            }
            let there = self.files.is_directory(path.trim_end_matches('/'));
            let word = if path.ends_with('/') || path.contains('*') {
                "Add/Modify"
            } else if there.is_none() {
                "Add"
            } else if deleted.contains(path) {
                "Delete"
            } else {
                "Modify"
            };
            let row = row(self.source.path, path.as_str().into(), word, &one.text);
            if let Some(text) = row {
                proposal.rows.push(ProposedRow {
                    path: path.clone(),
                    line: one.line,
                    text,
                });
            }
        }
        let mut listed = HashSet::new();
        self.denied.retain(|one| listed.insert(one.path.clone()));
        proposal.denied = self.denied;
        proposal
    }
}

/// Whether a text says that its files stay as they are.
fn is_denial(text: &str) -> bool {
    let said = remarks::judge(text, RowAction::Grant(Actions::NONE), true);
    matches!(said, Remark::Mention | Remark::Forbidden)
}

/// A word that may be a path: parentheses belong to it only behind a slash, and commas only in braces. Scripts without
/// blanks and most symbols end it.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let symbols = r"\s,;|\x22'()`{}<>=";
    let symbols =
        format!("{symbols}\u{500}-\u{1fff}\u{2010}-\u{2027}\u{2030}-\u{205e}\u{2070}-\u{10ffff}");
    let token = format!(r"(?:/\([^()\s]*\)|\{{[^{{}}\s]*\}}|[^{symbols}])+");
    words::pattern(&token)
});

/// The code spans, links and words of a content that may be paths.
fn tokens(content: &InlineText) -> Vec<NamedPath> {
    let run = &content.run;
    let mut named = Vec::new();
    // What stands before the place, code and links left out.
    let mut before = String::new();
    let mut start = 0;
    for (at, c) in run.text.char_indices() {
        let Some(piece) = run.piece(at) else { continue };
        let words = run.text.get(start..at).unwrap_or("");
        named.extend(words_of(words, &before, |offset| {
            run.offset(start + offset)
        }));
        before.push_str(words);
        start = at + c.len_utf8();
        match &piece.kind {
            PieceKind::Code(text) if is_code_path(text) => {
                for written in WrittenPath::ends(text, &piece.span, false) {
                    named.push(NamedPath::behind(&before, written));
                }
            }
            PieceKind::Code(text) => {
                named.extend(words_of(text, &before, |_| piece.span.start));
            }
            PieceKind::Link { text, target } => {
                let path = if text.contains('/') { text } else { target };
                let written = WrittenPath::code(path, piece.span.clone());
                named.push(NamedPath::behind(&before, written));
            }
            PieceKind::Html(_) | PieceKind::Image | PieceKind::Struck => {}
        }
    }
    let words = run.text.get(start..).unwrap_or("");
    named.extend(words_of(words, &before, |offset| {
        run.offset(start + offset)
    }));
    named
}

/// The words of a text that may be paths; `before` stands in front of it. A word with `@` in front is a reference.
fn words_of(text: &str, before: &str, place: impl Fn(usize) -> usize) -> Vec<NamedPath> {
    let mut named = Vec::new();
    for token in TOKEN.find_iter(text) {
        let name = token.as_str().trim_start_matches(['[', '*']);
        let name = name.trim_end_matches(['.', ':', ']', '!', '?', '*']);
        if name.is_empty() || name.starts_with('@') {
            continue;
        }
        let start = place(token.start());
        let in_front = [end_of(before), end_of(&text[..token.start()])].concat();
        let written = WrittenPath::new(name, start..start + token.len());
        named.push(NamedPath::behind(&in_front, written));
    }
    named
}

/// The last type word among the last three words of a text, and whether it is the last of all.
fn type_before(text: &str) -> (Option<RowAction>, bool) {
    let said = words::words(end_of(text));
    for (distance, word) in said.iter().rev().take(3).enumerate() {
        if let Some(action) = types::of_word(word) {
            return (Some(action), distance == 0);
        }
    }
    (None, false)
}

/// The end of a text, which may be long.
fn end_of(text: &str) -> &str {
    let mut start = text.len().saturating_sub(MAX_SHOWN);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// Whether a path is that of a Markdown document, as plans and designs are.
fn is_document(path: &str) -> bool {
    path.ends_with(".md")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_text_begins_at_a_character() {
        assert_eq!(end_of("short"), "short");
        let long = "é".repeat(MAX_SHOWN) + "x";
        let end = end_of(&long);
        assert_eq!(end.len(), MAX_SHOWN - 1);
        assert!(long.ends_with(end));
        let ascii = "a".repeat(MAX_SHOWN + 5);
        assert_eq!(end_of(&ascii).len(), MAX_SHOWN);
    }
}
