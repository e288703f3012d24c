//! Reads the lines of any document for the files that its work may touch. It is generous: what is not certain becomes
//! a doubtful row, which a person confirms or drops.

use std::collections::HashMap;

use gix::bstr::BString;

use super::line::{PlanContext, Sighting, sightings, type_of};
use super::token::{FileLookup, path_token, words};
use super::{ProposedRow, plain};

/// The rows for all paths of a document outside quotes and outside code that lists no files.
pub fn rows_of_document(text: &str, lookup: &FileLookup<'_>) -> Vec<ProposedRow> {
    let mut reader = PlanReader {
        lookup,
        headings: Vec::new(),
        label: None,
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
                let shown: String = shown.split("~~").step_by(2).collect();
                reader.line(&shown);
            }
        }
    }
    merged(reader.found)
}

struct PlanReader<'a> {
    lookup: &'a FileLookup<'a>,
    headings: Vec<(usize, PlanContext)>,
    /// The line that introduces what follows.
    label: Option<PlanContext>,
    found: Vec<Sighting>,
}

impl PlanReader<'_> {
    /// What is said around a line. A heading with a word of doubt makes everything below it doubtful.
    fn context(&self) -> PlanContext {
        let last = self.headings.last().map(|(_, last)| last.clone());
        let last = last.unwrap_or_default();
        let is_doubtful = self.headings.iter().any(|(_, heading)| heading.is_doubtful);
        match &self.label {
            Some(label) => PlanContext {
                title: last.title,
                is_doubtful: is_doubtful || label.is_doubtful,
                ..label.clone()
            },
            None => PlanContext {
                is_doubtful,
                ..last
            },
        }
    }

    /// Adds the paths of a line, if it has any.
    fn sight(&mut self, line: &str, context: &PlanContext) -> bool {
        let found = sightings(line, context, self.lookup);
        let has_paths = found.is_some();
        self.found.extend(found.into_iter().flatten());
        has_paths
    }

    fn line(&mut self, line: &str) {
        let text = line.trim_start_matches('#');
        let level = line.len() - text.len();
        match line.chars().next() {
            None | Some('>') => {}
            Some('|') => self.row(line),
            Some('#') => {
                self.label = None;
                self.headings.retain(|(above, _)| *above < level);
                self.sight(text, &self.context());
                let mut heading = PlanContext::of(text);
                heading.is_doubtful &= level > 1;
                self.headings.push((level, heading));
            }
            Some(_) => {
                let is_item = ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark));
                if !self.sight(text, &self.context()) && !(is_item && !line.ends_with(':')) {
                    let mut label = PlanContext::of(text);
                    label.declares &= !text.contains("</");
                    self.label = Some(label);
                }
            }
        }
    }

    /// A row of a table: a cell of few words may be the type of the files, the longest describes them.
    fn row(&mut self, row: &str) {
        let mut context = self.context();
        let cells = row.split('|').map(str::trim);
        let has_path = |cell: &&str| sightings(cell, &context, self.lookup).is_some();
        let is_type = |cell: &&str| {
            cell.split(' ').count() <= 3 && PlanContext::of(cell).change_type.is_some()
        };
        let (files, others): (Vec<&str>, Vec<&str>) = cells.partition(has_path);
        let (types, texts): (Vec<&str>, Vec<&str>) = others.into_iter().partition(is_type);
        if let Some(text) = texts
            .iter()
            .max_by_key(|text| text.len())
            .filter(|text| text.len() > 1)
        {
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
        let mut entries: Vec<(usize, &str, &str)> = Vec::new();
        for line in lines {
            let entry = line.trim_start_matches(is_drawn);
            let indent = line.chars().count() - entry.chars().count();
            let (name, remark) = entry.split_once(char::is_whitespace).unwrap_or((entry, ""));
            if !name.is_empty() && !name.starts_with(['#', '(']) {
                entries.push((indent, name, remark));
            }
        }
        let is_entry = |(_, name, remark): &(usize, &str, &str)| {
            let is_remark = remark.trim_start().starts_with(['(', '#', '-', '—']);
            (remark.is_empty() || is_remark) && path_token(name, false, self.lookup).is_some()
        };
        if language.starts_with('m') || !is_tree && !entries.iter().all(is_entry) {
            return;
        }
        let mut context = self.context();
        context.is_doubtful |= !matches!(language, "" | "text" | "txt");
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
            let entry = PlanContext {
                declares: is_tree || context.declares,
                is_doubtful: context.is_doubtful || is_tree && !is_marked,
                ..context.clone()
            };
            if is_marked || !is_parent {
                self.sight(&format!("`{path}` - {remark}"), &entry);
            }
        }
    }
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
