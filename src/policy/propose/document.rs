//! Reads the lines of any document for the files that its work may touch. It is generous: what is not certain becomes
//! a doubtful row, which a person confirms or drops.

use std::collections::HashMap;

use gix::bstr::BStr;

use super::line::{PlanContext, Sighting, sightings, type_of};
use super::row;
use super::token::{FileLookup, path_token, words};

/// The rows for all paths of a document outside quotes and outside code that lists no files. A doubtful row starts with
/// `? `, a cell that moves the others out of their columns: it grants nothing until a person removes the mark.
pub fn rows_of_document(path: &BStr, text: &str, lookup: &FileLookup<'_>) -> Vec<String> {
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
    let rows = merged(reader.found).into_iter().filter_map(|one| {
        let row = row(
            path,
            one.path.as_str().into(),
            one.change_type,
            &one.description,
        )?;
        let is_doubtful = one.is_doubtful || one.is_denied;
        Some(if is_doubtful { format!("? {row}") } else { row })
    });
    rows.collect()
}

struct PlanReader<'a> {
    lookup: &'a FileLookup<'a>,
    headings: Vec<(usize, PlanContext)>,
    /// What the last heading or label says.
    context: PlanContext,
    found: Vec<Sighting>,
}

impl PlanReader<'_> {
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
        let is_item = ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark));
        let is_row = line.starts_with('|') || is_item && !line.ends_with(':');
        if line.is_empty() || line.starts_with('>') {
            return;
        }
        if self.sight(text, &self.context.clone()) && level == 0 || is_row {
            return;
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
        own.is_doubtful |= self.headings.iter().any(|(_, heading)| heading.is_doubtful);
        own.title = self
            .headings
            .last()
            .map_or(String::new(), |(_, last)| last.title.clone());
        if text.starts_with("</") {
            own.label.clear();
        }
        self.context = own;
    }

    /// A code block, if it lists files or draws a tree. What is below an entry of a tree is in it.
    fn block(&mut self, language: &str, lines: &[&str]) {
        if !matches!(language, "" | "text" | "txt") {
            return;
        }
        let is_tree = lines
            .iter()
            .any(|line| line.contains(['├', '└']) || line.contains("|--"));
        let mut open: Vec<(usize, &str)> = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let (indent, name, remark) = entry(line);
            open.retain(|(above, _)| *above < indent);
            let is_deeper = lines.get(at + 1).is_some_and(|next| entry(next).0 > indent);
            let is_parent = is_deeper && (is_tree || name.ends_with('/'));
            let bare = name.trim_start_matches("./").trim_end_matches('/');
            let above: String = open.iter().map(|(_, name)| format!("{name}/")).collect();
            let slash = if is_parent || name.ends_with('/') {
                "/"
            } else {
                ""
            };
            let is_named = is_tree || path_token(name, false, self.lookup).is_some();
            let is_marked = words(remark)
                .next()
                .is_some_and(|word| type_of(&word).is_some());
            if is_named && (is_marked || !is_parent) {
                let mut context = self.context.clone();
                context.is_doubtful |= is_tree && !is_marked;
                self.sight(&format!("`{above}{bare}{slash}` - {remark}"), &context);
            }
            if !slash.is_empty() && !matches!(bare, "" | ".") {
                open.push((indent, bare));
            }
        }
    }
}

/// The indentation of a line in a code block, its first word, and the rest.
fn entry(line: &str) -> (usize, &str, &str) {
    let is_drawn = |c: char| c.is_whitespace() || "├└│─┬|+`-".contains(c);
    let entry = line.trim_start_matches(is_drawn);
    let (name, remark) = entry.split_once(char::is_whitespace).unwrap_or((entry, ""));
    (line.chars().count() - entry.chars().count(), name, remark)
}

/// One sighting per path: the first certain one. A denial, or another type, leaves it to a person.
fn merged(found: Vec<Sighting>) -> Vec<Sighting> {
    let mut merged: Vec<Sighting> = Vec::new();
    let mut places = HashMap::new();
    for one in found {
        let at = *places.entry(one.path.clone()).or_insert(merged.len());
        let Some(known) = merged.get_mut(at) else {
            merged.push(one);
            continue;
        };
        let is_certain = !known.is_doubtful && !one.is_doubtful;
        let is_other = (known.change_type == "Delete") != (one.change_type == "Delete");
        let is_denied = known.is_denied || one.is_denied || is_certain && is_other;
        if known.is_doubtful && !one.is_doubtful {
            *known = one;
        }
        known.is_denied = is_denied;
    }
    merged
}
