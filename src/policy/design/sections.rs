//! Finds the tables and lists of a document that declare its scope.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use super::absent;
use super::blocks::{Block, InlineText, ListNode, ListNodeKind};
use super::claim::Claim;
use super::collect::blocks;
use super::columns::columns;
use super::declarations;
use super::design_builder::DesignBuilder;
use super::files_tag;
use super::form::Shape;
use super::front_matter;
use super::item::{self, Reading};
use super::map::Map;
use super::options::DesignOptions;
use super::problem::{LocatedProblem, Problem, escaped};
use super::section::{CandidateTable, Section};
use super::source::DesignText;
use super::table;
use super::unread;
use crate::finding::Rule;
use crate::policy::GrantForm;

/// Reads a whole document into the draft.
pub(super) fn read(
    source: &DesignText<'_>,
    options: &DesignOptions,
    draft: &mut DesignBuilder<'_>,
) {
    let front = front_matter::find(source);
    let start = front.as_ref().map_or(source.start(), |(_, end)| *end);
    let blocks = blocks(source.text(), start);
    let map = Map::new(source, &blocks, options);
    let mut sections = map.sections();
    for section in &mut sections {
        collect_tables(&map, section, source, draft);
    }
    let whole = sections
        .iter()
        .filter(|section| section.is_whole)
        .flat_map(|section| &section.tables)
        .find(|found| found.columns.kind.is_some())
        .map(|found| found.table.header.span.start);
    let has_table = sections.iter().any(|section| !section.tables.is_empty());
    let front = front.map(|(body, _)| body);
    let declarations = Declarations {
        source,
        map: &map,
        options,
        front: front.filter(|body| front_matter::has_list(source, body)),
        start,
    };
    unread::report(source, &map, draft);
    match whole {
        Some(table) => {
            report_ambiguity(source, options, &mut sections, draft);
            read_whole(source, &map, &sections, draft);
            let parts: Vec<Section<'_>> = sections
                .into_iter()
                .map(|mut section| {
                    section.tables.retain(|_| !section.is_whole);
                    section
                })
                .collect();
            let mut other = DesignBuilder::new(source, options);
            declarations.read(&parts, &mut other);
            report_beyond(source, table, &other, draft);
        }
        None => {
            declarations.read(&sections, draft);
            draft.drop_short_names();
            if !has_table && !draft.has_rows() && !draft.is_void() {
                absent::report(source, &map, &sections, draft);
            }
        }
    }
}

/// Everything besides a table that is the whole scope.
struct Declarations<'d> {
    source: &'d DesignText<'d>,
    map: &'d Map<'d>,
    options: &'d DesignOptions,
    /// The front matter, if it lists files.
    front: Option<Range<usize>>,
    /// Where the document continues after the front matter.
    start: usize,
}

impl Declarations<'_> {
    fn read(&self, sections: &[Section<'_>], draft: &mut DesignBuilder<'_>) {
        let source = self.source;
        if let Some(body) = &self.front {
            let line = source.line_span(body.start);
            let actions = Claim::Any.actions();
            draft.form(Shape::FrontMatter, GrantForm::FrontMatter, actions, line);
            front_matter::read(source, body, draft);
        }
        for content in files_tag::find(source, self.start) {
            files_tag::read(source, &content, draft);
        }
        declarations::read(source, self.map, sections, self.options, draft);
    }
}

/// Reads the tables that are the whole scope, and the lists below headings that claim what no table claims.
fn read_whole(
    source: &DesignText<'_>,
    map: &Map<'_>,
    sections: &[Section<'_>],
    draft: &mut DesignBuilder<'_>,
) {
    let mut work: Vec<(usize, Claim, Option<&CandidateTable<'_>>)> = Vec::new();
    for section in sections.iter().filter(|section| section.is_whole) {
        work.extend(
            section
                .tables
                .iter()
                .map(|found| (found.index, section.claim, Some(found))),
        );
        if section.tables.is_empty() && may_list(section, sections) {
            let lists = map
                .own(section)
                .filter(|(_, _, block)| matches!(block, Block::List(_)));
            work.extend(lists.map(|(index, ..)| (index, section.claim, None)));
        }
    }
    work.sort_by_key(|(index, ..)| *index);
    work.dedup_by_key(|(index, ..)| *index);
    for (index, claim, found) in work {
        if let Some(found) = found {
            read_table(source, found, claim, draft);
        } else if let Some(Block::List(nodes)) = map.blocks.get(index) {
            let items = nodes.iter().filter(|node| node.depth == 0);
            let items = items.filter(|node| matches!(node.kind, ListNodeKind::Item { .. }));
            let items: Vec<&ListNode> = items.collect();
            let first = nodes
                .first()
                .map_or(source.start(), |node| node.content.span.start);
            let line = source.line_span(first);
            draft.form(Shape::List, GrantForm::HeadingList, claim.actions(), line);
            draft.each(&items, |node, draft| {
                item::read(source, &node.content, Reading::of(Some(claim)), draft);
            });
        }
    }
}

fn read_table(
    source: &DesignText<'_>,
    found: &CandidateTable<'_>,
    claim: Claim,
    draft: &mut DesignBuilder<'_>,
) {
    let header = source.line_span(found.table.header.span.start);
    draft.form(
        Shape::of(&found.columns),
        GrantForm::Table,
        claim.actions(),
        header,
    );
    table::read(source, found.table, &found.columns, claim, draft);
    unread::report_cut(source, found.table, draft);
}

/// Reports files that other passages name beyond the table that is the whole scope.
fn report_beyond(
    source: &DesignText<'_>,
    table: usize,
    other: &DesignBuilder<'_>,
    draft: &mut DesignBuilder<'_>,
) {
    if draft.is_void() {
        return;
    }
    for (start, paths) in draft.beyond(other) {
        let names: Vec<String> = paths
            .iter()
            .take(3)
            .map(|path| format!("`{}`", escaped(&path.to_string())))
            .collect();
        let more = paths.len().saturating_sub(names.len());
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let message = format!(
            "{}{more} is not granted: the table on line {} is the whole scope",
            names.join(", "),
            source.line(table)
        );
        let help = "add a row to the table if this work changes the file";
        let problem = Problem::new(Rule::DesignUnread, "beyond-table", message, help);
        draft.fault(problem.at(source.line_span(start)));
    }
}

/// Next to tables, a list counts only if no table claims what its heading says.
fn may_list(section: &Section<'_>, sections: &[Section<'_>]) -> bool {
    !sections
        .iter()
        .filter(|other| other.is_whole && !other.tables.is_empty())
        .any(|other| other.claim.conflicts(section.claim))
}

/// Keeps the tables with the same columns as the section's own table.
fn collect_tables<'b>(
    map: &Map<'b>,
    section: &mut Section<'b>,
    source: &DesignText<'_>,
    draft: &mut DesignBuilder<'_>,
) {
    let own_heading = section.body.start.saturating_sub(1);
    let mut candidates = Vec::new();
    let mut without_path = Vec::new();
    for (index, unit, block) in map.own(section) {
        match block {
            Block::Table(table) => match columns(table) {
                Ok(Some(columns)) => candidates.push(CandidateTable {
                    index,
                    table,
                    columns,
                    unit,
                }),
                Ok(None) => without_path.push(source.line_span(table.span.start)),
                Err(problem) => {
                    draft.fault(problem.at(source.line_span(table.span.start)));
                    draft.void();
                }
            },
            Block::Paragraph(content) if source.slice(content.span.clone()).starts_with('|') => {
                draft.fault(broken_table(source, content));
            }
            _ => {}
        }
    }
    let says_what =
        |found: &&CandidateTable<'_>| found.columns.kind.is_some() || section.claim != Claim::Any;
    let direct = candidates.iter().find(|found| found.unit == own_heading);
    let names = direct
        .or_else(|| candidates.iter().find(says_what))
        .map(|found| found.columns.names.clone());
    if candidates.is_empty() {
        for span in without_path {
            let message = "the table has no File or Path column";
            let help = "name the columns: | File | Change Type | Description |";
            let problem = Problem::new(Rule::DesignNoTable, "no-path-column", message, help);
            draft.fault(problem.at(span));
        }
    }
    section.tables = candidates
        .into_iter()
        .filter(|found| found.unit == own_heading || Some(&found.columns.names) == names.as_ref())
        .filter(|found| section.is_whole || found.columns.is_of_files())
        .collect();
}

fn broken_table(source: &DesignText<'_>, content: &InlineText) -> LocatedProblem {
    let help =
        "below the header, write a separator row with the same number of cells: |---|---|---|";
    let message = "these lines look like a table, but Markdown does not parse them as one";
    Problem::new(Rule::DesignNoTable, "broken-table", message, help)
        .at(source.line_span(content.span.start))
}

/// Two tables that claim the same role make the document ambiguous, unless the second one only repeats rows.
fn report_ambiguity(
    source: &DesignText<'_>,
    options: &DesignOptions,
    sections: &mut [Section<'_>],
    draft: &mut DesignBuilder<'_>,
) {
    // The first table of each section, and of each heading.
    let mut claimed: Vec<usize> = Vec::new();
    let mut units = HashMap::new();
    let mut repeated: Vec<(usize, usize)> = Vec::new();
    let mut known: Option<((usize, usize), DesignBuilder<'_>)> = None;
    'all: for (number, section) in sections.iter().enumerate() {
        for (at, found) in section.tables.iter().enumerate() {
            let same = match units.entry((number, found.unit)) {
                Entry::Occupied(first) => Some((number, *first.get())),
                Entry::Vacant(free) => {
                    free.insert(at);
                    None
                }
            };
            let conflicts = |&&other: &&usize| {
                let Some((other, before)) = sections
                    .get(other)
                    .and_then(|other| Some((other, other.tables.first()?)))
                else {
                    return false;
                };
                let is_nested = other.body.contains(&found.index)
                    && before.columns.names == found.columns.names;
                other.claim.conflicts(section.claim) && !is_nested
            };
            let rival = same.or_else(|| {
                claimed
                    .iter()
                    .filter(|other| **other != number)
                    .find(conflicts)
                    .map(|other| (*other, 0))
            });
            let rival = rival.and_then(|key| {
                let other = sections.get(key.0)?;
                Some((key, other.claim, other.tables.get(key.1)?))
            });
            let Some((key, claim, before)) = rival else {
                if at == 0 {
                    claimed.push(number);
                }
                continue;
            };
            let reading = |claim, found: &CandidateTable<'_>| {
                let mut builder = DesignBuilder::new(source, options);
                read_table(source, found, claim, &mut builder);
                builder
            };
            if known.as_ref().is_none_or(|(of, _)| *of != key) {
                known = Some((key, reading(claim, before)));
            }
            let repeats = known
                .as_ref()
                .is_some_and(|(_, known)| known.repeats(&reading(section.claim, found)));
            if repeats {
                repeated.push((number, found.index));
                continue;
            }
            let line = source.line(before.table.header.span.start);
            let second = source.line_span(found.table.header.span.start);
            let message = format!(
                "two tables claim to be the scope: one on line {line}, one on line {}",
                source.line(second.start)
            );
            let help = "keep one table, or move the other one into a code fence";
            let problem = Problem::new(Rule::DesignAmbiguous, "two-tables", message, help);
            draft.fault(problem.at(second));
            draft.void();
            break 'all;
        }
    }
    for (number, index) in repeated {
        if let Some(section) = sections.get_mut(number) {
            section.tables.retain(|found| found.index != index);
        }
    }
}
