//! Reads the lines of any document for the files that its work may touch. It is generous: what is not certain becomes
//! a doubtful row, which a person confirms or drops.

use std::collections::HashMap;

use super::line::{PlanContext, rows_of_line, type_of};
use super::token::{FileLookup, path_token, words};
use super::{ProposedRow, plain};

/// The rows for all paths of a document outside quotes and outside code that lists no files.
pub fn rows_of_document(text: &str, lookup: &FileLookup<'_>) -> Vec<ProposedRow> {
    let mut reader = PlanReader {
        lookup,
        headings: Vec::new(),
        context: PlanContext::default(),
        found: Vec::new(),
    };
    let mut fence: Option<(&str, &str, Vec<&str>)> = None;
    let mut is_comment = false;
    for line in text.lines() {
        let bare = line.trim();
        let rest = bare.trim_start_matches(['`', '~']);
        let mark = &bare[..bare.len() - rest.len()];
        match &mut fence {
            Some((open, language, lines)) if rest.is_empty() && mark.starts_with(*open) => {
                reader.block(language, lines);
                fence = None;
            }
            Some((.., lines)) => lines.push(line),
            None if is_comment => is_comment = !line.contains("-->"),
            None if mark.len() > 2 && !rest.contains('`') => fence = Some((mark, rest, Vec::new())),
            None => {
                let (shown, comment) = bare.split_once("<!--").unwrap_or((bare, "-->"));
                is_comment = !comment.contains("-->");
                // Struck text does not count.
                reader.line(&shown.split("~~").step_by(2).collect::<String>());
            }
        }
    }
    merged(reader.found)
}

struct PlanReader<'a> {
    lookup: &'a FileLookup<'a>,
    headings: Vec<(usize, PlanContext)>,
    /// What the last heading or label says.
    context: PlanContext,
    found: Vec<(ProposedRow, bool)>,
}

impl PlanReader<'_> {
    /// Adds the paths of a line, if it has any.
    fn sight(&mut self, line: &str, context: &PlanContext) -> bool {
        let found = rows_of_line(line, context, self.lookup);
        let has_paths = found.is_some();
        self.found.extend(found.into_iter().flatten());
        has_paths
    }

    fn line(&mut self, line: &str) {
        let text = line.trim_start_matches('#');
        let level = line.len() - text.len();
        let is_item = ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark));
        match line.chars().next() {
            None | Some('>') => return,
            Some('|') => return self.row(line),
            _ if self.sight(text, &self.context.clone()) && level == 0 => return,
            _ if is_item && !line.ends_with(':') => return,
            _ => {}
        }
        let mut own = PlanContext::of(text);
        if level > 0 {
            // The title of a document or task says nothing about its files.
            let is_task = words(text).next().is_some_and(|word| word == "task");
            own.is_doubtful &= level > 1 && !is_task;
            self.headings.retain(|(above, _)| *above < level);
            self.headings.push((level, own.clone()));
        }
        // A heading with a word of doubt makes everything below it doubtful.
        let mut headings = self.headings.iter().map(|(_, heading)| heading);
        own.is_doubtful |= headings.any(|heading| heading.is_doubtful);
        own.declares &= !text.contains("</");
        own.title = self
            .headings
            .last()
            .map_or(String::new(), |(_, last)| last.title.clone());
        self.context = own;
    }

    /// A row of a table: a cell of few words may be the type of the files, the longest describes them.
    fn row(&mut self, row: &str) {
        let mut context = self.context.clone();
        let has_path = |cell: &&str| rows_of_line(cell, &context, self.lookup).is_some();
        let is_type = |cell: &&str| {
            let words: Vec<String> = words(cell).collect();
            words.len() <= 3 && words.iter().any(|word| type_of(word).is_some())
        };
        let cells = row
            .split('|')
            .map(str::trim)
            .filter(|cell| !cell.is_empty());
        let (files, others): (Vec<&str>, Vec<&str>) = cells.partition(has_path);
        let (types, texts): (Vec<&str>, Vec<&str>) = others.into_iter().partition(is_type);
        if let Some(text) = texts.iter().max_by_key(|text| text.len()) {
            context.title = plain(text);
        }
        self.sight(&[types, files, texts].concat().join(" - "), &context);
    }

    /// A code block, if it lists files or draws a tree. What is below an entry is in it.
    fn block(&mut self, language: &str, lines: &[&str]) {
        let is_drawn = |c: char| c.is_whitespace() || "├└│─┬|+`-".contains(c);
        let is_tree = lines
            .iter()
            .any(|line| line.contains(['├', '└']) || line.contains("|--"));
        let entries = lines.iter().map(|line| {
            let entry = line.trim_start_matches(is_drawn);
            let (name, remark) = entry.split_once(char::is_whitespace).unwrap_or((entry, ""));
            (line.chars().count() - entry.chars().count(), name, remark)
        });
        let is_shown =
            |(_, name, _): &(usize, &str, &str)| !name.is_empty() && !name.starts_with('#');
        let entries: Vec<(usize, &str, &str)> = entries.filter(is_shown).collect();
        let is_entry = |(_, name, remark): &(usize, &str, &str)| {
            let is_remark = remark.is_empty() || remark.starts_with(['(', '#', '-', '—']);
            is_remark && path_token(name, false, self.lookup).is_some()
        };
        if language.starts_with('m') || !is_tree && !entries.iter().all(is_entry) {
            return;
        }
        let mut open: Vec<(usize, &str)> = Vec::new();
        for (at, &(indent, name, remark)) in entries.iter().enumerate() {
            open.retain(|(above, _)| *above < indent);
            let is_parent = entries.get(at + 1).is_some_and(|(next, ..)| *next > indent);
            let mut path: String = open.iter().map(|(_, name)| format!("{name}/")).collect();
            let bare = name.trim_start_matches("./").trim_end_matches('/');
            path.push_str(bare);
            if (is_parent || name.ends_with('/')) && !matches!(bare, "" | ".") {
                path.push('/');
                open.push((indent, bare));
            }
            let is_marked = words(remark)
                .next()
                .is_some_and(|word| type_of(&word).is_some());
            if is_marked || !is_parent {
                let mut entry = self.context.clone();
                entry.is_doubtful |= is_tree && !is_marked || !matches!(language, "" | "text");
                self.sight(&format!("`{path}` - {remark}"), &entry);
            }
        }
    }
}

/// One row per path: the first certain one. A denial, or another type, leaves it to a person.
fn merged(found: Vec<(ProposedRow, bool)>) -> Vec<ProposedRow> {
    let mut rows: Vec<(ProposedRow, bool)> = Vec::new();
    let mut places = HashMap::new();
    for (row, is_denied) in found {
        let at = *places.entry(row.path.clone()).or_insert(rows.len());
        let Some((known, was_denied)) = rows.get_mut(at) else {
            rows.push((row, is_denied));
            continue;
        };
        let is_other = (known.change_type == "Delete") != (row.change_type == "Delete");
        *was_denied |= is_denied || is_other && !row.is_doubtful && !known.is_doubtful;
        if known.is_doubtful && !row.is_doubtful {
            *known = row;
        }
    }
    let rows = rows.into_iter().map(|(row, is_denied)| ProposedRow {
        is_doubtful: row.is_doubtful || is_denied,
        ..row
    });
    rows.collect()
}
