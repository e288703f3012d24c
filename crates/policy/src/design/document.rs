//! Reads a whole document. A table with types below a Files heading is its scope; else the rows of its untyped tables,
//! its lists and its front matter are.

use std::collections::{HashMap, HashSet};

use bstr::ByteSlice;

use super::front_matter::{self, FrontMatter};
use super::headings::Announcement;
use super::markdown::markdown;
use super::outline::{BlockPlace, label_of};
use super::row::WrittenRow;
use super::table::{self, Columns};
use super::types::{RowAction, any};
use super::{Block, BlockKind, DesignBuilder, DesignText, GrantForm, InlineText, Outline, Table};
use super::{WrittenPath, headings, list, placeholders, problem, scan};
use crate::path::{escaped, listed};
use crate::scope::{DenialSource, Scope};

/// A table below a heading that announces files.
struct ScopeTable<'b> {
    table: &'b Table,
    columns: Columns,
    place: &'b BlockPlace,
    /// The index of that heading.
    section: usize,
    announcement: Announcement,
}

impl ScopeTable<'_> {
    /// Whether both cannot be the scope. One may go on with the table of another heading in its section.
    fn rivals(&self, other: &ScopeTable<'_>, outline: &Outline<'_>) -> bool {
        let ours = self.announcement.untyped;
        let theirs = other.announcement.untyped;
        let continues = self.columns.sorted_names() == other.columns.sorted_names()
            && self.place.heading != other.place.heading
            && outline.is_below(self.place, other.section);
        (ours == theirs || ours == any() || theirs == any()) && !continues
    }

    /// Whether a cell names a path.
    fn names_path(&self, source: &DesignText<'_>) -> bool {
        table::names_path(source, self.table, &self.columns)
    }
}

/// Reads a whole document into the draft.
pub(super) fn read(draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    let front = front_matter::find(source);
    // After a BOM.
    let start = source.lines.range(1).start;
    let start = front.as_ref().map_or(start, |(_, end)| *end);
    let blocks = markdown(source.text, start);
    let outline = Outline::new(source, &blocks);
    let front = front.map(|(body, _)| front_matter::parse(source, &body));
    let mut sections = HashSet::new();
    let tables = tables(&outline, draft, &mut sections);
    let is_typed = tables.iter().any(|found| found.columns.is_typed());
    draft.design.is_typed = is_typed;
    report_raw_html(&outline, draft, &mut sections);
    let mut allowed = Vec::new();
    if let Some(front) = front {
        allowed = read_front_matter(front, draft);
    }
    if is_typed {
        let tables = typed_tables(tables, draft);
        let first = tables.first().map(|found| found.table.header.start);
        read_typed_tables(&outline, tables, draft);
        let mut other = DesignBuilder::new(source);
        read_allowed(allowed, &mut other);
        read_lists(&outline, &mut other, &mut HashSet::new());
        if !draft.is_void
            && let Some(first) = first
        {
            report_beyond(first, other, draft);
        }
        return;
    }
    read_allowed(allowed, draft);
    for found in &tables {
        sections.extend(outline.sections_around(found.place));
        table::read(
            found.table,
            &found.columns,
            found.announcement.untyped,
            draft,
        );
    }
    read_lists(&outline, draft, &mut sections);
    report_empty_sections(&outline, &sections, draft);
    if draft.has_no_rows() && draft.design.faults.is_empty() {
        report_absence(&outline, draft);
    }
}

/// Applies what the front matter denies, and returns the paths that it allows.
fn read_front_matter(front: FrontMatter, draft: &mut DesignBuilder<'_>) -> Vec<WrittenPath> {
    for problem in front.refusals {
        draft.refuse(problem);
    }
    for problem in front.faults {
        draft.bad_row(vec![problem]);
    }
    for path in front.forbidden {
        if let Err(problem) = draft.deny(&path, DenialSource::FrontMatter, String::new()) {
            draft.refuse(problem.at(path.span));
        }
    }
    front.allowed
}

fn read_allowed(allowed: Vec<WrittenPath>, draft: &mut DesignBuilder<'_>) {
    draft.form = GrantForm::FrontMatter;
    for path in allowed {
        draft.row(WrittenRow {
            paths: vec![path],
            action: RowAction::Grant(any()),
            change_type: String::new(),
            description: String::new(),
            remarks: Vec::new(),
            is_open: false,
        });
    }
}

/// The tables with a column of paths in the sections about files. A section in which none has one is reported; `reported`
/// gets the sections with a fault.
fn tables<'b>(
    outline: &'b Outline<'b>,
    draft: &mut DesignBuilder<'_>,
    reported: &mut HashSet<usize>,
) -> Vec<ScopeTable<'b>> {
    let source = draft.source;
    let mut tables: Vec<ScopeTable<'b>> = Vec::new();
    let mut others = Vec::new();
    for (block, place) in outline.blocks.iter().zip(&outline.places) {
        let Some((section, announcement)) = open_section(outline, place) else {
            continue;
        };
        let line = source.line_span(block.start);
        match block.visible() {
            BlockKind::Table(table) => match table::columns(source, table, announcement) {
                Ok(Some(columns)) => tables.push(ScopeTable {
                    table,
                    columns,
                    place,
                    section,
                    announcement,
                }),
                Ok(None) => others.push((section, line)),
                Err(problem) => {
                    draft.fault(problem.at(line));
                    draft.has_broken_table = true;
                    reported.insert(section);
                }
            },
            BlockKind::Paragraph(_) if source.slice(line.clone()).starts_with('|') => {
                draft.fault(problem::broken_table().at(line));
                draft.has_broken_table = true;
                reported.insert(section);
            }
            _ => {}
        }
    }
    let named: HashSet<usize> = tables.iter().map(|found| found.section).collect();
    for (section, line) in others {
        if !named.contains(&section) {
            draft.fault(problem::no_path_column().at(line));
            draft.has_broken_table = true;
            reported.insert(section);
        }
    }
    tables
}

/// The innermost section about files around a place that no heading excludes, and what it announces.
fn open_section(outline: &Outline<'_>, place: &BlockPlace) -> Option<(usize, Announcement)> {
    let section = place.section.filter(|_| !place.is_excluded())?;
    Some((section, outline.places[section].announces?))
}

/// The tables with types: of each section the first, those that stand directly below its heading, and those with the same
/// columns as the first. A table in which no cell names a path claims nothing beside another.
fn typed_tables<'b>(
    mut tables: Vec<ScopeTable<'b>>,
    draft: &DesignBuilder<'_>,
) -> Vec<ScopeTable<'b>> {
    let source = draft.source;
    tables.retain(|found| found.columns.is_typed());
    if tables.iter().any(|found| found.names_path(source)) {
        tables.retain(|found| found.names_path(source));
    }
    // The columns of the first table of each section. Those directly below the heading come before all others.
    let mut models: HashMap<usize, Vec<String>> = HashMap::new();
    tables.retain(|found| {
        let names = found.columns.sorted_names();
        let model = models
            .entry(found.section)
            .or_insert_with(|| names.iter().map(|&name| name.to_owned()).collect());
        found.place.heading == Some(found.section) || *model == names
    });
    tables
}

/// Reads the tables. Two that claim the same role make the document ambiguous, unless the second one only repeats rows.
fn read_typed_tables(
    outline: &Outline<'_>,
    tables: Vec<ScopeTable<'_>>,
    draft: &mut DesignBuilder<'_>,
) {
    let source = draft.source;
    let mut kept: Vec<(ScopeTable<'_>, HashSet<_>)> = Vec::new();
    for found in tables {
        let before = draft.design.grants.len();
        table::read(
            found.table,
            &found.columns,
            found.announcement.untyped,
            draft,
        );
        let granted: HashSet<_> = draft.design.grants[before..]
            .iter()
            .map(|grant| (grant.path.clone(), grant.kind, grant.actions))
            .collect();
        let rival = kept.iter().find(|(other, _)| found.rivals(other, outline));
        if let Some((other, known)) = rival.filter(|_| !draft.is_void) {
            if !granted.is_empty() && granted.is_subset(known) {
                draft.design.grants.truncate(before);
                continue;
            }
            let first = source.lines.line(other.table.header.start);
            let second = table::header(source, found.table);
            let problem = problem::two_tables(first, source.lines.line(second.start));
            draft.fault(problem.at(second));
        }
        kept.push((found, granted));
    }
}

/// Reads the lists directly below a label, a Files heading, or a subheading of one. `sections` gets the headings in whose
/// sections there are rows.
fn read_lists(outline: &Outline<'_>, draft: &mut DesignBuilder<'_>, sections: &mut HashSet<usize>) {
    let source = draft.source;
    let mut read: HashSet<usize> = HashSet::new();
    for (index, (block, place)) in outline.blocks.iter().zip(&outline.places).enumerate() {
        if place.is_excluded() {
            continue;
        }
        let next = outline.blocks.get(index + 1).map(Block::visible);
        let is_heading = matches!(block.visible(), BlockKind::Heading(..));
        let line = source.line_span(block.start);
        let Some(announcement) = place.announces else {
            match (block.visible(), next) {
                // A subheading of a Files heading. A list without a row below it describes something.
                (BlockKind::Heading(..), Some(BlockKind::List(nodes))) => {
                    let below = &outline.places[index + 1];
                    if let Some((_, announcement)) = open_section(outline, below)
                        && list::has_rows(source, nodes)
                    {
                        read.insert(index + 1);
                        let untyped = announcement.untyped;
                        list::read(nodes, untyped, GrantForm::HeadingList, draft);
                        sections.extend(outline.sections_around(below));
                    }
                }
                (BlockKind::Paragraph(content), _) if is_label_line(draft, content) => {
                    draft.bad_row(vec![problem::label_line(source.path).at(line)]);
                    sections.extend(outline.sections_around(place));
                }
                (BlockKind::List(nodes), _)
                    if !read.contains(&index)
                        && place.section.is_some()
                        && list::has_rows(source, nodes) =>
                {
                    draft.bad_row(vec![problem::unread_list().at(line)]);
                    sections.extend(outline.sections_around(place));
                }
                _ => {}
            }
            continue;
        };
        let form = if is_heading {
            GrantForm::HeadingList
        } else {
            GrantForm::LabelList
        };
        if let Some(BlockKind::List(nodes)) = next {
            read.insert(index + 1);
            if list::read(nodes, announcement.untyped, form, draft) {
                if is_heading {
                    sections.insert(index);
                }
                sections.extend(outline.sections_around(place));
                continue;
            }
        }
        if !is_heading {
            let label = label_of(source, block).unwrap_or_default();
            draft.bad_row(vec![problem::no_list(label, source.path).at(line)]);
            sections.extend(outline.sections_around(place));
        }
    }
}

/// Whether a paragraph begins with a label and a path on its line: `**Files:** src/a.rs`.
fn is_label_line(draft: &DesignBuilder<'_>, content: &InlineText) -> bool {
    let source = draft.source;
    let Some((label, rest)) = content.run.text.split_once([':', '：']) else {
        return false;
    };
    let extra = &source.options.headings;
    if headings::of_label(label, extra).is_none() {
        return false;
    }
    let mut scanner = scan::Scanner::new(source, content);
    scanner.move_to(content.run.text.len() - rest.len());
    scanner.skip_blanks();
    scanner.is_at_path() || list::has_type_and_path(&mut scanner)
}

/// Reports the Files headings below which nothing was read.
fn report_empty_sections(
    outline: &Outline<'_>,
    sections: &HashSet<usize>,
    draft: &mut DesignBuilder<'_>,
) {
    let source = draft.source;
    for (index, (block, place)) in outline.blocks.iter().zip(&outline.places).enumerate() {
        let BlockKind::Heading(_, content) = block.visible() else {
            continue;
        };
        if place.announces.is_none() || place.is_excluded() || sections.contains(&index) {
            continue;
        }
        let below = outline.blocks.get(index + 1).map(Block::visible);
        if let Some(BlockKind::Paragraph(text)) = below
            && placeholders::is_nothing(&text.plain)
        {
            continue;
        }
        let problem = problem::empty_section(content.plain.trim(), source.path);
        draft.fault(problem.at(source.line_span(block.start)));
    }
}

/// Reports files that lists and the front matter name beyond the table that is the scope, and that it does not even mention.
fn report_beyond(table: usize, other: DesignBuilder<'_>, draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    let design = &draft.design;
    let mut beyond = other.finish().grants;
    if beyond.is_empty() {
        return;
    }
    let named = design.named_paths();
    let scope = Scope::new(design.grants.clone());
    beyond.retain(|grant| {
        !named.contains(grant.path.as_bstr()) && scope.lookup(grant.path.as_ref()).is_empty()
    });
    let Some(first) = beyond.first() else { return };
    let line = source.lines.line(table);
    let names = beyond
        .iter()
        .map(|grant| format!("`{}` (line {})", escaped(&grant.path), grant.anchor.line));
    let problem = problem::beyond_table(line, listed(names, 3)).warning();
    draft.fault(problem.at(source.line_span(first.anchor.span.start)));
}

/// Reports what raw HTML hides, once per element, if it would be part of the scope elsewhere. `sections` gets the headings
/// around it.
fn report_raw_html(
    outline: &Outline<'_>,
    draft: &mut DesignBuilder<'_>,
    sections: &mut HashSet<usize>,
) {
    let source = draft.source;
    let extra = &source.options.headings;
    let mut reported = HashSet::new();
    for (block, place) in outline.blocks.iter().zip(&outline.places) {
        let Some(element) = &block.element else {
            continue;
        };
        let declares = match &block.kind {
            BlockKind::Heading(_, content) => headings::of_heading(&content.plain, extra).is_some(),
            BlockKind::Table(_) | BlockKind::List(_) => place.section.is_some(),
            BlockKind::Paragraph(content) => {
                let text = content.plain.trim();
                let label = text.trim_end_matches([':', '：']);
                label.len() < text.len() && headings::of_label(label, extra).is_some()
            }
            BlockKind::Code(_) | BlockKind::Html(_) | BlockKind::Other => false,
        };
        if !declares || place.is_excluded() {
            continue;
        }
        sections.extend(outline.sections_around(place));
        if !reported.insert(element.start) {
            continue;
        }
        let line = source.lines.line(element.start);
        let problem = if element.name.is_empty() {
            problem::unclear(line)
        } else {
            problem::raw_html(&element.name, line)
        };
        draft.fault(problem.at(source.line_span(block.start)));
    }
}

/// Reports why the document declares no scope: at the first table or list whose entries are paths, or else at its
/// beginning.
fn report_absence(outline: &Outline<'_>, draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    for (block, place) in outline.blocks.iter().zip(&outline.places) {
        let lists_paths = match block.visible() {
            BlockKind::Table(table) => {
                let announcement = Announcement {
                    untyped: any(),
                    is_declared: true,
                };
                matches!(table::columns(source, table, announcement), Ok(Some(columns))
                    if table::names_path(source, table, &columns))
            }
            BlockKind::List(nodes) => list::has_rows(source, nodes),
            _ => false,
        };
        if !lists_paths {
            continue;
        }
        let exclusion = place.excluded_by().map(|index| &outline.blocks[index].kind);
        let problem = match exclusion {
            Some(BlockKind::Heading(_, content) | BlockKind::Paragraph(content)) => {
                problem::excluded(content.one_line())
            }
            _ => problem::unknown_heading(),
        };
        draft.fault(problem.at(source.line_span(block.start)));
        return;
    }
    let first = outline.blocks.first();
    let line = source.line_span(first.map_or(0, |block| block.start));
    draft.fault(problem::no_section(source.path).at(line));
}

#[cfg(test)]
mod tests {
    use crate::design::{Design, parse};
    use crate::scope::settings::Settings;

    fn read(text: &str) -> Design {
        parse("d.md".into(), text.as_bytes(), &Settings::default())
    }

    fn paths(text: &str) -> Vec<String> {
        let grants = read(text).grants;
        grants.iter().map(|grant| grant.path.to_string()).collect()
    }

    fn reasons(text: &str) -> Vec<&'static str> {
        let faults = read(text).faults;
        faults.iter().map(|fault| fault.reason).collect()
    }

    const TYPED: &str = "| File | Type |\n|---|---|\n| `typed.rs` | Add |\n";
    const UNTYPED: &str = "| File |\n|---|\n| `untyped.rs` |\n";

    #[test]
    fn a_table_with_types_is_the_whole_scope_and_else_all_places_count() {
        let front = "---\nfiles_modified: [front.rs]\n---\n";
        let list = "**Files:**\n- `list.rs`\n";
        let all = format!("{front}## Files Changed\n\n{UNTYPED}\n{list}");
        assert_eq!(paths(&all), ["front.rs", "untyped.rs", "list.rs"]);
        let typed = format!("{front}## Files Changed\n\n{TYPED}\n{UNTYPED}\n{list}");
        assert_eq!(paths(&typed), ["typed.rs"]);
    }

    #[test]
    fn a_table_without_a_path_claims_nothing_beside_one_with_paths() {
        let placeholders = "| File | Type |\n|---|---|\n| TODO | Add |\n";
        for (first, second) in [(placeholders, TYPED), (TYPED, placeholders)] {
            let text = format!("## Files Changed\n\n{first}\n## Files Changed\n\n{second}");
            assert_eq!(paths(&text), ["typed.rs"], "{text}");
        }
    }

    #[test]
    fn two_tables_of_one_role_are_ambiguous_unless_one_repeats_rows_or_continues_the_other() {
        let other = TYPED.replace("typed", "other");
        let moved = "| Type | File |\n|---|---|\n| Add | `other.rs` |\n";
        for (first, second, rows, granted) in [
            ("Files Changed", "## Files Changed", other.as_str(), 0),
            ("Files Changed", "## Files to Modify", &other, 0),
            ("Files to Create", "## Files to Modify", &other, 2),
            ("Files Changed", "## Files Changed", TYPED, 1),
            ("Files Changed", "### Parser", &other, 2),
            ("Files Changed", "### Parser", moved, 2),
            ("Files Changed", "", &other, 0),
        ] {
            let text = format!("## {first}\n\n{TYPED}\n{second}\n\n{rows}");
            assert_eq!(paths(&text).len(), granted, "{text}");
        }
    }

    #[test]
    fn a_heading_or_label_without_rows_is_a_fault() {
        for (text, reason) in [
            ("## Files Changed\n\nText.\n", Some("empty-section")),
            ("## Files Changed\n\n- [ ] `x.rs`\n", Some("empty-section")),
            ("## Files Changed\n\nNone.\n", None),
            ("## Rejected\n\n### Files Changed\n\nText.\n", None),
            ("**Files:**\n\nText.\n", Some("no-list")),
            ("**Files:** `x.rs`\n", Some("label-line")),
        ] {
            let work = format!("{text}\n# Work\n\n**Files:**\n- `a.rs`\n");
            let expected: Vec<&str> = reason.into_iter().collect();
            assert_eq!(reasons(&work), expected, "{text}");
        }
    }

    /// The level, rule and reason of each fault of a table with these rows, in the order of these words.
    fn faults(rows: &[&str]) -> Vec<String> {
        let rows: String = rows.iter().map(|row| format!("| {row} |\n")).collect();
        let text = format!("## Files Changed\n\n| File | Type | Notes |\n|---|---|---|\n{rows}");
        let findings = read(&text).findings();
        let told = findings.iter().zip(read(&text).faults);
        let mut told: Vec<String> = told
            .map(|(one, fault)| format!("{} {} {}", one.level.name(), one.rule.id(), fault.reason))
            .collect();
        told.sort();
        told
    }

    #[test]
    fn what_a_table_without_a_grant_lacks_depends_on_all_of_its_rows() {
        let exists = "`a.rs` | Exists | x";
        let todo = "TODO | Add | x";
        let bad = "`../a.rs` | Add | x";
        let frozen = "`b.rs` | Add | DO NOT MODIFY";
        let placeholder = "error design-placeholder placeholder";
        let only = "error design-placeholder only-placeholders";
        let nothing = "error design-no-table nothing-granted";
        assert_eq!(faults(&[todo]), [only, placeholder]);
        assert_eq!(faults(&["None | | "]), [only]);
        assert_eq!(faults(&[todo, "None | | "]), [only, placeholder]);
        assert_eq!(faults(&[exists]), [nothing]);
        assert_eq!(faults(&[frozen]), [nothing]);
        assert_eq!(faults(&[exists, todo]), [nothing, placeholder]);
        assert_eq!(faults(&[todo, frozen]), [nothing, placeholder]);
        let outside = faults(&[bad, todo]);
        assert!(
            !outside.iter().any(|one| one == only || one == nothing),
            "{outside:?}"
        );
        assert_eq!(outside.len(), 2, "{outside:?}");
    }

    #[test]
    fn a_fault_keeps_its_level_as_a_finding() {
        let front = "---\nfiles_modified: [front.rs]\n---\n";
        let text = format!("{front}## Files Changed\n\n{TYPED}");
        let levels: Vec<&str> = read(&text)
            .findings()
            .iter()
            .map(|one| one.level.name())
            .collect();
        assert_eq!(levels, ["warning"]);
    }

    /// A list in an element of HTML is what a reader sees, and what guard does not read.
    #[test]
    fn rows_that_html_hides_from_guard_are_a_fault_of_what_announces_them() {
        let beside = format!("# Work\n\n## Files Changed\n\n{TYPED}\n# Rest\n\n");
        for (label, expected) in [
            ("**Files:**", &["raw-html"][..]),
            ("## Files Changed", &["raw-html"]),
            ("**Files**", &[]),
            ("Some words:", &[]),
        ] {
            let text = format!("{beside}<div>\n\n{label}\n\n- `x.rs`\n\n</div>\n");
            assert_eq!(reasons(&text), expected, "{label}");
        }
    }
}
