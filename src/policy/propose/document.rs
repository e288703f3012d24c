//! Reads any document for the files that its work may touch. It is generous: what is not certain becomes a doubtful
//! row, which a person confirms or drops.

use std::collections::HashMap;
use std::ops::Range;

use gix::bstr::{BStr, BString};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::ProposedRow;
use super::line::{PlanContext, PlanLine, PlanPiece, Sighting};
use super::token::Existing;
use super::tree;

/// Words that begin the heading of a part of the work; its title says nothing about files.
const PARTS: &[&str] = &["task", "step", "unit", "story", "phase"];

/// What guard calls front matter, among the languages of code blocks.
const FRONT_MATTER: &str = "front matter";

/// The rows for all paths of a document outside quotes and outside code that lists no files.
pub fn rows_of_document(text: &str, exists: &dyn Fn(&BStr) -> Existing) -> Vec<ProposedRow> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut reader = PlanReader {
        exists,
        line_ends: text.match_indices('\n').map(|(at, _)| at).collect(),
        found: Vec::new(),
        headings: Vec::new(),
        around: Vec::new(),
        label: None,
        has_files_tag: false,
        is_comment: false,
        pieces: Vec::new(),
        is_strong: false,
        start: 0,
        cells: Vec::new(),
    };
    reader.read(Parser::new_ext(text, options).into_offset_iter());
    merged(reader.found)
}

struct PlanReader<'a> {
    exists: &'a dyn Fn(&BStr) -> Existing,
    line_ends: Vec<usize>,
    found: Vec<Sighting>,
    headings: Vec<(HeadingLevel, PlanContext)>,
    /// What introduces each open list or table.
    around: Vec<PlanContext>,
    /// The line that introduces the next block.
    label: Option<PlanContext>,
    has_files_tag: bool,
    is_comment: bool,
    /// The line so far, whether all of it is bold, and where it starts.
    pieces: Vec<PlanPiece>,
    is_strong: bool,
    start: usize,
    cells: Vec<Vec<PlanPiece>>,
}

impl PlanReader<'_> {
    fn read<'b>(&mut self, events: impl Iterator<Item = (Event<'b>, Range<usize>)>) {
        // How many quotes, struck texts and links with a target that counts are open: their text does not.
        let (mut hidden, mut strong) = (0_usize, 0_usize);
        let mut links: Vec<bool> = Vec::new();
        let mut code: Option<(String, String, usize)> = None;
        let mut is_broken = false;
        for (event, span) in events {
            match &event {
                Event::Start(Tag::BlockQuote(_) | Tag::Strikethrough) => hidden += 1,
                Event::End(TagEnd::BlockQuote(_) | TagEnd::Strikethrough) => hidden -= 1,
                Event::End(TagEnd::Link) => hidden -= usize::from(links.pop() == Some(true)),
                _ => {}
            }
            if hidden > 0 {
                continue;
            }
            if std::mem::take(&mut is_broken) {
                match event {
                    Event::Start(Tag::Strong) => self.flush(),
                    _ => self.pieces.push(PlanPiece::Text(" ".to_owned())),
                }
            }
            match event {
                Event::Start(Tag::Heading { .. } | Tag::Paragraph | Tag::Item)
                | Event::End(TagEnd::Paragraph | TagEnd::Item) => self.flush(),
                Event::End(TagEnd::Heading(level)) => self.end_heading(level),
                Event::Start(Tag::List(_) | Tag::Table(_)) => {
                    self.flush();
                    let context = self.introduction();
                    self.around.push(context);
                }
                Event::End(TagEnd::List(_) | TagEnd::Table) => {
                    self.flush();
                    self.around.pop();
                    self.label = None;
                }
                Event::Start(Tag::TableRow) => self.start = span.start,
                Event::End(TagEnd::TableCell) => self.cells.push(std::mem::take(&mut self.pieces)),
                Event::End(TagEnd::TableHead) => self.cells.clear(),
                Event::End(TagEnd::TableRow) => self.end_row(),
                Event::Start(Tag::CodeBlock(kind)) => {
                    self.flush();
                    let language = match kind {
                        CodeBlockKind::Fenced(language) => language.to_string(),
                        CodeBlockKind::Indented => String::new(),
                    };
                    code = Some((language, String::new(), 0));
                }
                Event::Start(Tag::MetadataBlock(_)) => {
                    code = Some((FRONT_MATTER.to_owned(), String::new(), 0));
                }
                Event::End(TagEnd::CodeBlock | TagEnd::MetadataBlock(_)) => {
                    if let Some((language, text, start)) = code.take() {
                        self.block(&language, &text, start);
                    }
                }
                Event::Start(Tag::Link { dest_url, .. }) => {
                    let names_file =
                        !dest_url.contains(':') && !dest_url.starts_with(['#', '/', '.']);
                    if names_file {
                        self.push(
                            PlanPiece::Code(dest_url.to_string()),
                            span.start,
                            strong > 0,
                        );
                        hidden += 1;
                    }
                    links.push(names_file);
                }
                Event::Start(Tag::Strong) => strong += 1,
                Event::End(TagEnd::Strong) => strong -= 1,
                Event::Text(text) => match &mut code {
                    Some((_, whole, start)) => {
                        if whole.is_empty() {
                            *start = span.start;
                        }
                        whole.push_str(&text);
                    }
                    None => self.push(PlanPiece::Text(text.to_string()), span.start, strong > 0),
                },
                Event::Code(text) => {
                    self.push(PlanPiece::Code(text.to_string()), span.start, strong > 0)
                }
                Event::SoftBreak | Event::HardBreak => is_broken = true,
                Event::Html(html) | Event::InlineHtml(html) => self.html(&html, span.start),
                _ => {}
            }
        }
        self.flush();
    }

    fn push(&mut self, piece: PlanPiece, start: usize, is_strong: bool) {
        let is_first = self.pieces.is_empty();
        if is_first && self.cells.is_empty() {
            self.start = start;
        }
        let is_mark =
            matches!(&piece, PlanPiece::Text(text) if text.trim().is_empty() || text.trim() == ":");
        self.is_strong = (is_first || self.is_strong) && (is_strong || is_mark);
        match (self.pieces.last_mut(), piece) {
            // The parser cuts text at brackets.
            (Some(PlanPiece::Text(before)), PlanPiece::Text(text)) => before.push_str(&text),
            (_, piece) => self.pieces.push(piece),
        }
    }

    /// Adds the paths of a line that starts at this offset.
    fn sight(&mut self, line: &PlanLine, context: &PlanContext, start: usize) {
        let number = self.line_ends.partition_point(|&end| end < start) + 1;
        self.found.extend(line.sightings(context, number));
    }

    /// What is said around a line: by the list that it is in, or by the headings. A heading with a word of doubt makes
    /// everything below it doubtful.
    fn context(&self) -> PlanContext {
        let heading = || {
            let last = self.headings.last().map(|(_, last)| last.clone());
            PlanContext {
                is_doubtful: self.headings.iter().any(|(_, heading)| heading.is_doubtful),
                ..last.unwrap_or_default()
            }
        };
        let mut context = self.around.last().cloned().unwrap_or_else(heading);
        context.declares |= self.has_files_tag;
        context
    }

    /// What introduces the next block: a label, or what is said around it.
    fn introduction(&mut self) -> PlanContext {
        let around = self.context();
        match self.label.take() {
            Some(label) => PlanContext {
                title: around.title,
                is_doubtful: label.is_doubtful || around.is_doubtful,
                ..label
            },
            None => around,
        }
    }

    /// Ends a line of text.
    fn flush(&mut self) {
        let pieces = std::mem::take(&mut self.pieces);
        if pieces.is_empty() {
            return;
        }
        let line = PlanLine::new(&pieces, self.exists);
        let is_label = (line.ends_with_colon() || self.is_strong) && !line.has_path();
        self.label = is_label.then(|| PlanContext::of(&text_of(&pieces)));
        self.sight(&line, &self.context(), self.start);
    }

    fn end_heading(&mut self, level: HeadingLevel) {
        let pieces = std::mem::take(&mut self.pieces);
        self.headings.retain(|(above, _)| *above < level);
        let line = PlanLine::new(&pieces, self.exists);
        self.sight(&line, &self.context(), self.start);
        let text = text_of(&pieces);
        let mut context = PlanContext::of(&text);
        let first = text.split(' ').next().unwrap_or_default().to_lowercase();
        context.is_doubtful &= level != HeadingLevel::H1 && !PARTS.contains(&first.as_str());
        self.headings.push((level, context));
        self.label = None;
    }

    /// The files in the first cell that names any; a cell of few words may be their type, the longest describes them.
    fn end_row(&mut self) {
        let mut context = self.context();
        let mut lines = Vec::new();
        let mut longest = String::new();
        for cell in std::mem::take(&mut self.cells) {
            let line = PlanLine::new(&cell, self.exists);
            if line.has_path() {
                lines.push(line);
                continue;
            }
            let said = PlanContext::of(&text_of(&cell));
            if said.title.split(' ').count() <= 3 {
                context.declares |= said.verb.is_some();
                context.verb = context.verb.or(said.verb);
                context.is_doubtful |= said.is_doubtful;
            }
            if said.title.len() > longest.len() {
                longest = said.title;
            }
        }
        if !longest.is_empty() {
            context.title = longest;
        }
        for line in lines {
            self.sight(&line, &context, self.start);
            context.is_doubtful = true;
        }
    }

    /// Raw HTML: the text between tags, with `<files>` as a label.
    fn html(&mut self, html: &str, start: usize) {
        self.is_comment |= html.contains("<!--");
        if self.is_comment {
            self.is_comment = !html.contains("-->");
            return;
        }
        let is_tag = html.contains("files>");
        if is_tag && !html.starts_with("</") {
            self.flush();
        }
        self.has_files_tag |= html.contains("<files>");
        for part in html.split('<') {
            let text = part.rsplit('>').next().unwrap_or_default().trim();
            if !text.is_empty() {
                self.push(PlanPiece::Text(text.to_owned()), start, false);
            }
        }
        if html.ends_with('\n') || is_tag {
            self.flush();
        }
        self.has_files_tag &= !html.contains("</files>");
    }

    /// A code block or front matter, if it lists files or draws a tree.
    fn block(&mut self, language: &str, text: &str, start: usize) {
        let mut context = self.introduction();
        let is_front = language == FRONT_MATTER;
        let is_sample = language.starts_with('m');
        if tree::is_tree(text) && !is_sample {
            for (pieces, mark, at) in tree::entries(text) {
                let title = context.title.clone();
                self.sight(
                    &PlanLine::new(&pieces, self.exists),
                    &PlanContext { title, ..mark },
                    start + at,
                );
            }
            return;
        }
        let new =
            |text: &str| PlanLine::new(&[PlanPiece::Text(text.trim().to_owned())], self.exists);
        let lines: Vec<(&str, PlanLine)> = text
            .split_inclusive('\n')
            .map(|text| (text, new(text)))
            .collect();
        if is_sample || !is_front && !lines.iter().all(|(_, line)| line.is_entry()) {
            return;
        }
        context.is_doubtful |= !is_front && !matches!(language, "" | "text" | "txt");
        let mut at = start;
        for (text, line) in lines {
            if is_front && text.starts_with(|c: char| c.is_alphabetic()) {
                let key = text.split(':').next().unwrap_or_default();
                context = PlanContext::of(&key.replace('_', " "));
            }
            self.sight(&line, &context, at);
            at += text.len();
        }
    }
}

fn text_of(pieces: &[PlanPiece]) -> String {
    let texts = pieces.iter().map(|piece| match piece {
        PlanPiece::Text(text) | PlanPiece::Code(text) => text.as_str(),
    });
    texts.collect()
}

/// One row per path: the first certain sighting. A denial, or another type, leaves it to a person.
fn merged(found: Vec<Sighting>) -> Vec<ProposedRow> {
    let mut rows: Vec<ProposedRow> = Vec::new();
    let mut places: HashMap<BString, (usize, bool)> = HashMap::new();
    for Sighting { row, is_denied } in found {
        let Some((at, was_denied)) = places.get_mut(&row.path) else {
            places.insert(row.path.clone(), (rows.len(), is_denied));
            rows.push(row);
            continue;
        };
        *was_denied |= is_denied;
        let known = &mut rows[*at];
        let is_other = (known.change_type == "Delete") != (row.change_type == "Delete");
        if known.is_doubtful && !row.is_doubtful {
            *known = row;
        } else if is_other && !row.is_doubtful {
            known.is_doubtful = true;
        }
        known.is_doubtful |= *was_denied;
    }
    rows
}
