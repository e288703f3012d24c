//! Reads any document for the files that its work may touch. It is generous: what is not certain becomes a doubtful
//! row, which a person confirms or drops.

use std::collections::HashMap;

use gix::bstr::{BStr, BString};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::ProposedRow;
use super::line::{Context, Line, Piece, Sighting};
use super::token::Existing;
use super::verb::Verb;

/// Headings that number a part of the work; their titles are no statement about files.
const PARTS: &[&str] = &["task", "step", "unit", "story", "phase"];

/// Characters that draw a tree.
const TREE: &[char] = &['├', '└', '│', '─', '┬'];

/// The rows for all paths of a document outside quotes and outside code that lists no files.
pub fn rows_of_document(text: &str, exists: &dyn Fn(&BStr) -> Existing) -> Vec<ProposedRow> {
    let line_ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let mut reader = Reader {
        exists,
        line_ends,
        found: Vec::new(),
        headings: Vec::new(),
        lists: Vec::new(),
        label: None,
        files_tag: false,
        comment: false,
        pieces: Vec::new(),
        is_strong: true,
        start: 0,
        row: None,
        cells: Vec::new(),
    };
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    reader.read(Parser::new_ext(text, options).into_offset_iter());
    merged(reader.found)
}

struct Reader<'a> {
    exists: &'a dyn Fn(&BStr) -> Existing,
    line_ends: Vec<usize>,
    found: Vec<Sighting>,
    headings: Vec<(HeadingLevel, Context)>,
    /// What introduces each open list.
    lists: Vec<Context>,
    /// The line that introduces the next block.
    label: Option<Context>,
    /// Whether a `<files>` tag is open.
    files_tag: bool,
    comment: bool,
    pieces: Vec<Piece>,
    is_strong: bool,
    start: usize,
    /// The context of the table whose row is open.
    row: Option<Context>,
    cells: Vec<Vec<Piece>>,
}

impl<'a> Reader<'a> {
    fn read<'b>(&mut self, events: impl Iterator<Item = (Event<'b>, std::ops::Range<usize>)>) {
        let (mut quotes, mut strong, mut struck, mut breaks) = (0_usize, 0_usize, 0_usize, false);
        let mut code: Option<(String, usize, String)> = None;
        let mut link: Option<(String, usize)> = None;
        for (event, span) in events {
            match &event {
                Event::Start(Tag::BlockQuote(_)) => quotes += 1,
                Event::End(TagEnd::BlockQuote(_)) => quotes = quotes.saturating_sub(1),
                _ => {}
            }
            if quotes > 0 {
                continue;
            }
            if std::mem::take(&mut breaks) {
                match event {
                    Event::Start(Tag::Strong) => self.flush(),
                    _ => self.pieces.push(Piece::Text(" ".to_owned())),
                }
            }
            match event {
                Event::Start(Tag::Heading { .. } | Tag::Paragraph | Tag::Item) => self.flush(),
                Event::Start(Tag::Strong) => strong += 1,
                Event::End(TagEnd::Strong) => strong = strong.saturating_sub(1),
                Event::Start(Tag::Strikethrough) => struck += 1,
                Event::End(TagEnd::Strikethrough) => struck = struck.saturating_sub(1),
                Event::Start(Tag::List(_)) => {
                    self.flush();
                    let context = self.introduction();
                    self.lists.push(context);
                }
                Event::End(TagEnd::List(_)) => {
                    self.flush();
                    self.lists.pop();
                    self.label = None;
                }
                Event::End(TagEnd::Heading(level)) => self.end_heading(level),
                Event::End(TagEnd::Paragraph | TagEnd::Item) => self.flush(),
                Event::Start(Tag::CodeBlock(kind)) => {
                    self.flush();
                    let language = match kind {
                        CodeBlockKind::Fenced(language) => language.to_string(),
                        CodeBlockKind::Indented => String::new(),
                    };
                    code = Some((language, 0, String::new()));
                }
                Event::Start(Tag::MetadataBlock(_)) => {
                    code = Some(("front matter".to_owned(), 0, String::new()))
                }
                Event::End(TagEnd::CodeBlock | TagEnd::MetadataBlock(_)) => {
                    if let Some((language, start, text)) = code.take() {
                        self.block(&language, start, &text);
                    }
                    self.label = None;
                }
                Event::Start(Tag::Table(_)) => {
                    self.flush();
                    self.row = Some(self.introduction());
                }
                Event::End(TagEnd::Table) => {
                    self.row = None;
                    self.label = None;
                }
                Event::Start(Tag::TableRow) => self.start = span.start,
                Event::End(TagEnd::TableCell) => self.cells.push(std::mem::take(&mut self.pieces)),
                Event::End(TagEnd::TableHead) => self.cells.clear(),
                Event::End(TagEnd::TableRow) => self.end_row(),
                Event::Start(Tag::Link { dest_url, .. }) => {
                    link = Some((dest_url.to_string(), self.pieces.len()))
                }
                Event::End(TagEnd::Link) => self.end_link(link.take()),
                Event::Text(text) => match &mut code {
                    Some((_, start, whole)) => {
                        if whole.is_empty() {
                            *start = span.start;
                        }
                        whole.push_str(&text);
                    }
                    None if struck == 0 => {
                        self.push(Piece::Text(text.to_string()), span.start, strong > 0)
                    }
                    None => {}
                },
                Event::Code(text) if struck == 0 => {
                    self.push(Piece::Code(text.to_string()), span.start, strong > 0)
                }
                Event::SoftBreak | Event::HardBreak => breaks = true,
                Event::Html(html) | Event::InlineHtml(html) => self.html(&html, span.start),
                _ => {}
            }
        }
        self.flush();
    }

    fn push(&mut self, piece: Piece, start: usize, is_strong: bool) {
        if self.pieces.is_empty() && self.row.is_none() {
            self.start = start;
            self.is_strong = true;
        }
        let is_blank =
            matches!(&piece, Piece::Text(text) if text.trim().is_empty() || text.trim() == ":");
        self.is_strong &= is_strong || is_blank;
        self.pieces.push(piece);
    }

    fn number(&self, offset: usize) -> usize {
        self.line_ends.partition_point(|&end| end < offset) + 1
    }

    /// What the headings say; a heading with words of doubt makes all below it doubtful.
    fn heading(&self) -> Context {
        let mut context = self
            .headings
            .last()
            .map(|(_, own)| own.clone())
            .unwrap_or_default();
        context.is_doubtful = self.headings.iter().any(|(_, own)| own.is_doubtful);
        context
    }

    /// What introduces the next block: a label, the list around it or the heading.
    fn introduction(&mut self) -> Context {
        let around = self.around();
        match self.label.take() {
            Some(label) => Context {
                is_doubtful: label.is_doubtful || around.is_doubtful,
                ..label
            },
            None => around,
        }
    }

    fn around(&self) -> Context {
        let context = self.lists.last().cloned().unwrap_or_else(|| self.heading());
        Context {
            declares: context.declares || self.files_tag,
            ..context
        }
    }

    /// Ends a line of text.
    fn flush(&mut self) {
        let pieces = std::mem::take(&mut self.pieces);
        if pieces.is_empty() {
            return;
        }
        let line = Line::new(&pieces, self.exists);
        let is_label = line.ends_with_colon() || self.is_strong;
        self.label = (is_label && !line.has_path()).then(|| Context::of(line.text()));
        let number = self.number(self.start);
        let found = line.sightings(&self.around(), number);
        self.found.extend(found);
    }

    fn end_heading(&mut self, level: HeadingLevel) {
        let pieces = std::mem::take(&mut self.pieces);
        let line = Line::new(&pieces, self.exists);
        self.headings.retain(|(above, _)| *above < level);
        let number = self.number(self.start);
        self.found.extend(line.sightings(&self.heading(), number));
        let mut context = Context::of(line.text());
        let first = line
            .text()
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_lowercase();
        context.is_doubtful &= level != HeadingLevel::H1 && !PARTS.contains(&first.as_str());
        self.headings.push((level, context));
        self.label = None;
    }

    /// A link names its target, or the path in its text if the target is elsewhere.
    fn end_link(&mut self, link: Option<(String, usize)>) {
        let Some((target, at)) = link else {
            return;
        };
        if target.contains(':') || target.starts_with(['#', '/', '.']) || at > self.pieces.len() {
            return;
        }
        self.pieces.truncate(at);
        self.pieces.push(Piece::Code(target));
    }

    /// The files of a table row: those of the first cell that names any, with the type in a cell of its own.
    fn end_row(&mut self) {
        let cells = std::mem::take(&mut self.cells);
        let Some(mut context) = self.row.clone() else {
            return;
        };
        let lines: Vec<Line> = cells
            .iter()
            .map(|cell| Line::new(cell, self.exists))
            .collect();
        let mut is_first = true;
        for line in lines.iter().filter(|line| !line.has_path()) {
            let said = Context::of(line.text());
            if line.text().split_whitespace().count() <= 3 {
                context.declares |= said.verb.is_some();
                context.verb = context.verb.or(said.verb);
                context.is_doubtful |= said.is_doubtful;
            }
            if said.title.len() > context.title.len() || is_first {
                context.title = said.title;
                is_first = false;
            }
        }
        let number = self.number(self.start);
        for line in lines.iter().filter(|line| line.has_path()) {
            self.found.extend(line.sightings(&context, number));
            context.is_doubtful = true;
        }
    }

    /// Raw HTML: the text between its tags, and `<files>`.
    fn html(&mut self, html: &str, start: usize) {
        let mut rest = html;
        while !rest.is_empty() {
            if self.comment {
                let Some((_, after)) = rest.split_once("-->") else {
                    return;
                };
                (self.comment, rest) = (false, after);
            }
            let (before, tag) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
            if !before.trim().is_empty() {
                self.push(Piece::Text(before.to_owned()), start, false);
            }
            if tag.starts_with("<!--") {
                (self.comment, rest) = (true, tag);
                continue;
            }
            let (name, after) = tag.split_once('>').unwrap_or((tag, ""));
            if name == "<files" || name == "</files" || rest.ends_with('\n') {
                self.flush();
                self.files_tag = name == "<files" || self.files_tag && name != "</files";
            }
            rest = after;
        }
    }

    /// A code block or front matter, if it lists files.
    fn block(&mut self, language: &str, start: usize, text: &str) {
        let mut context = self.introduction();
        let is_tree = text.contains(TREE) || text.contains("|--");
        let is_front = language == "front matter";
        if language.starts_with('m') {
            return;
        }
        if is_tree {
            return self.tree(start, text, &context);
        }
        let lines = text.split_inclusive('\n').scan(start, |at, line| {
            *at += line.len();
            Some((*at - line.len(), line))
        });
        let pieces = |line: &str| [Piece::Text(line.trim().to_owned())];
        let lines = lines.map(|(at, text)| (at, text, Line::new(&pieces(text), self.exists)));
        let lines: Vec<(usize, &str, Line)> = lines.collect();
        let is_list =
            |(_, text, line): &(usize, &str, Line)| text.trim().is_empty() || line.is_only_path();
        if !is_front && !lines.iter().all(is_list) {
            return;
        }
        context.is_doubtful |=
            !is_front && !matches!(language, "" | "text" | "txt" | "plain" | "plaintext");
        for (at, text, line) in lines {
            if is_front && text.starts_with(|c: char| c.is_alphabetic()) {
                context = Context {
                    verb: None,
                    ..Context::of(&text.split(':').next().unwrap_or_default().replace('_', " "))
                };
            }
            self.found.extend(line.sightings(&context, self.number(at)));
        }
    }

    /// A drawn tree: a remark such as NEW makes an entry certain; other files are doubtful.
    fn tree(&mut self, start: usize, text: &str, context: &Context) {
        let is_drawn = |c: char| TREE.contains(&c) || c.is_whitespace() || "|+`-".contains(c);
        let mut entries: Vec<(usize, &str, &str, usize)> = Vec::new();
        let mut at = start;
        for line in text.split_inclusive('\n') {
            let entry = line.trim_start_matches(is_drawn);
            let indent = line.chars().count() - entry.chars().count();
            let (name, remark) = entry
                .trim_end()
                .split_once(char::is_whitespace)
                .unwrap_or((entry.trim_end(), ""));
            if !name.is_empty() && !name.starts_with(['#', '(']) {
                entries.push((indent, name, remark, at));
            }
            at += line.len();
        }
        let mut open: Vec<(usize, String)> = Vec::new();
        for (index, &(indent, name, remark, at)) in entries.iter().enumerate() {
            open.retain(|(above, _)| *above < indent);
            let above: String = open.iter().map(|(_, name)| name.as_str()).collect();
            let is_parent = entries
                .get(index + 1)
                .is_some_and(|(next, ..)| *next > indent);
            let is_directory = is_parent || name.ends_with('/');
            let name = name.trim_start_matches("./").trim_end_matches('/');
            let path = format!("{above}{name}{}", if is_directory { "/" } else { "" });
            if is_directory {
                let own = if matches!(name, "." | "") {
                    String::new()
                } else {
                    format!("{name}/")
                };
                open.push((indent, own));
            }
            let first = remark
                .split(|c: char| !c.is_alphanumeric())
                .find(|word| !word.is_empty());
            let verb = first.and_then(|word| Verb::of(&word.to_lowercase()));
            let is_marked = verb.is_some_and(Verb::writes);
            if is_directory && !is_marked {
                continue;
            }
            let mark = Context {
                title: context.title.clone(),
                declares: true,
                verb,
                is_doubtful: !is_marked,
            };
            let line = Line::new(
                &[Piece::Code(path), Piece::Text(format!(" ({remark})"))],
                self.exists,
            );
            let found = line.sightings(&mark, self.number(at));
            self.found.extend(found);
        }
    }
}

/// One row per path: the first certain sighting. A denial anywhere, or a second type, leaves it to a person.
fn merged(found: Vec<Sighting>) -> Vec<ProposedRow> {
    let mut rows: Vec<ProposedRow> = Vec::new();
    let mut places: HashMap<BString, (usize, bool)> = HashMap::new();
    for Sighting { row, is_denied } in found {
        let Some((at, denied)) = places.get_mut(&row.path) else {
            places.insert(row.path.clone(), (rows.len(), is_denied));
            rows.push(row);
            continue;
        };
        *denied |= is_denied;
        let known = &mut rows[*at];
        let is_other = (known.change_type == "Delete") != (row.change_type == "Delete");
        if known.is_doubtful && !row.is_doubtful {
            *known = row;
            known.is_doubtful = *denied;
        } else if !row.is_doubtful && is_other || is_denied {
            known.is_doubtful = true;
        }
    }
    // A rename names its old path too.
    let renamed: Vec<BString> = rows.iter().filter_map(|row| row.from.clone()).collect();
    rows.retain(|row| row.from.is_some() || !renamed.contains(&row.path));
    rows
}
