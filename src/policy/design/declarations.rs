//! Reads the lists and lines of a document that declare files: below headings, behind labels, in tasks and trees.
//!
//! One document holds many of them, and its scope is their union. A stack of frames says which list an item belongs to.

use std::ops::Range;

use super::bare_path::is_bare_path;
use super::blocks::{Heading, InlineText, Table};
use super::claim::Claim;
use super::columns::{self, Columns};
use super::design_builder::DesignBuilder;
use super::draft::Draft;
use super::entries::{Entry, ListItem, PassageKind, TextLine, entries};
use super::exclusion;
use super::file_headings;
use super::form::Shape;
use super::heading::Title;
use super::item::{self, Found, Reading};
use super::kind;
use super::label::{self, LabelRole};
use super::map::Map;
use super::options::DesignOptions;
use super::problem::{LocatedProblem, Problem, escaped};
use super::section::{CandidateTable, Section};
use super::source::DesignText;
use super::{table, tree, unread};
use crate::finding::Rule;
use crate::policy::{Actions, GrantForm};

/// A list that is being read, or a section that may hold lists.
struct Frame {
    /// The depth of its items.
    level: usize,
    what: What,
    /// The level of its heading, for a section.
    heading: Option<u8>,
    /// The start of its label or heading.
    start: usize,
    name: String,
    /// The number of items read so far.
    items: usize,
    /// Whether its first item is a checkbox.
    begins_with_task: bool,
    is_strict: bool,
    /// Whether something was read from the label's own line.
    has_value: bool,
    /// The block whose items no longer belong to it.
    ended: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Files(Claim),
    Mention,
    Marked,
    Unclear,
    /// Only a table of files and their changes counts.
    Changes,
    /// Nothing here is a list of files.
    Nothing,
}

impl What {
    fn of(role: LabelRole) -> What {
        match role {
            LabelRole::Files(claim) => What::Files(claim),
            LabelRole::Mention => What::Mention,
            LabelRole::Unclear => What::Unclear,
        }
    }
}

/// Reads everything that declares files, in document order.
pub(super) fn read(
    source: &DesignText<'_>,
    map: &Map<'_>,
    sections: &[Section<'_>],
    options: &DesignOptions,
    draft: &mut DesignBuilder<'_>,
) {
    let found = entries(source, map.blocks);
    // "All paths in this story are relative to `apps/web`".
    let note = found.iter().find_map(|entry| match &entry.kind {
        PassageKind::Line(line) => {
            let text = source.slice(source.trim(line.content.span.clone()));
            label::moves_all_paths(text).then_some(line.content.span.start)
        }
        _ => None,
    });
    if let Some(start) = note {
        let message =
            "all paths of this document start at another directory than the repository root";
        return draft.fault(doubtful(source, message.to_owned(), start));
    }
    let mut reader = Reader {
        source,
        map,
        tables: sections
            .iter()
            .flat_map(|section| {
                section
                    .tables
                    .iter()
                    .map(move |found| (section.claim, found))
            })
            .collect(),
        sections,
        tasks: options.tasks || is_tasks(source),
        checkbox: None,
        frames: Vec::new(),
        draft: Draft::new(source, draft),
    };
    reader.tables.sort_by_key(|(_, found)| found.index);
    for (index, entry) in found.iter().enumerate() {
        reader.entry(entry, found.get(index + 1));
    }
    reader.close_from(0);
    reader.draft.now();
}

/// Whether the document is named `tasks.md`.
pub(super) fn is_tasks(source: &DesignText<'_>) -> bool {
    let name = source.path().rsplit(|byte| *byte == b'/').next();
    name.is_some_and(|name| name.eq_ignore_ascii_case(b"tasks.md"))
}

struct Reader<'r, 'b, 'd, 'e> {
    source: &'r DesignText<'r>,
    map: &'r Map<'b>,
    /// The tables of the sections, in document order.
    tables: Vec<(Claim, &'r CandidateTable<'b>)>,
    sections: &'r [Section<'b>],
    tasks: bool,
    /// The depth of the checkbox around the current line.
    checkbox: Option<usize>,
    frames: Vec<Frame>,
    draft: Draft<'r, 'd, 'e>,
}

impl<'e> Reader<'_, '_, '_, 'e> {
    fn entry(&mut self, entry: &'e Entry<'_>, next: Option<&Entry<'_>>) {
        if let PassageKind::Line(TextLine {
            item: Some(item),
            content,
            ..
        }) = &entry.kind
        {
            let text = self.source.slice(content.span.clone());
            if item.is_task || text.starts_with("[ ]") || text.starts_with("[x]") {
                self.checkbox = Some(entry.level);
            } else if self.checkbox.is_some_and(|level| level >= entry.level) {
                self.checkbox = None;
            }
        }
        if let PassageKind::Heading(heading) = &entry.kind {
            self.checkbox = None;
            return self.heading(entry.block, heading);
        }
        if self.map.is_denied(entry.block) && !self.map.is_mention(entry.block) {
            return self.close_lists();
        }
        match &entry.kind {
            PassageKind::Heading(_) => {}
            PassageKind::Table(table) => self.table(entry.block, table),
            PassageKind::Code(span) => {
                self.leave(entry.level, false);
                if !self.code_list(entry.level, span.clone()) {
                    let before = self.draft.now().mark();
                    tree::read(self.source, span.clone(), self.draft.now());
                    if self.draft.now().mark() != before {
                        if let Some(frame) = self.frames.last_mut() {
                            frame.has_value = true;
                        }
                    } else {
                        self.expect_nothing(entry.level, "a code block");
                        self.code(self.source.slice(span.clone()));
                    }
                }
            }
            PassageKind::Line(line) => self.line(entry, line, next),
            PassageKind::Other => self.leave(entry.level, false),
        }
    }

    fn heading(&mut self, block: usize, heading: &Heading) {
        self.close_lists();
        let is_inside = |frame: &Frame| frame.heading.is_some_and(|level| level < heading.level);
        while self.frames.last().is_some_and(|frame| !is_inside(frame)) {
            self.frames.pop();
        }
        if self.map.is_denied(block) {
            return self.push_section(heading, What::Nothing, true);
        }
        let title = self.map.title(block);
        let around = self
            .frames
            .last()
            .map(|frame| (frame.what, frame.is_strict));
        if let Some((found, words)) = file_headings::type_of(heading)
            && !heading.content.is_struck()
        {
            let line = self.source.line_span(heading.content.span.start);
            self.draft
                .now()
                .form(Shape::Heading, GrantForm::FileHeading, Actions::NONE, line);
            file_headings::read(self.source, heading, found, words, self.draft.now());
            return self.push_section(heading, What::Nothing, true);
        }
        let inside = matches!(around, Some((What::Files(_), _)));
        let claim = match around {
            Some((What::Files(claim), _)) => claim,
            _ => Claim::Any,
        };
        let opens = !heading.content.is_struck() && !heading.content.is_obscured;
        if opens && file_headings::names_file(self.source, heading, inside) {
            let line = self.source.line_span(heading.content.span.start);
            self.draft
                .now()
                .form(Shape::Heading, GrantForm::FileHeading, Actions::NONE, line);
            let content = file_headings::name(self.source, heading);
            item::read(
                self.source,
                &content,
                Reading::of(Some(claim)),
                self.draft.now(),
            );
            return self.push_section(heading, What::Nothing, true);
        }
        let plain = heading.content.plain.trim();
        if inside && label::is_undecided(plain) {
            self.undecided(plain, heading.content.span.start);
            return self.push_section(heading, What::Nothing, true);
        }
        let (what, is_strict) = match (title, around) {
            (Title::Scope(claim) | Title::Files(claim), _) => {
                let index = self
                    .sections
                    .iter()
                    .find(|section| section.body.start == block + 1);
                let has_table = index.is_some_and(|section| !section.tables.is_empty());
                (
                    if has_table {
                        What::Nothing
                    } else {
                        What::Files(claim)
                    },
                    false,
                )
            }
            // "Supporting Files" below "Files to Modify".
            (Title::Marked, Some((What::Files(claim), _))) => (What::Files(claim), true),
            (Title::Marked, _) => (What::Marked, false),
            (Title::Denied, _) => (What::Nothing, true),
            (Title::Other, Some((What::Files(_), _)))
                if label::of_heading(plain) == Some(LabelRole::Mention) =>
            {
                (What::Mention, true)
            }
            (Title::Other, Some((What::Files(_), _))) if label::group(plain).is_some() => {
                (What::Files(label::group(plain).unwrap_or(claim)), false)
            }
            (Title::Other, Some((What::Files(_), _))) if label::only_looks(plain) => {
                (What::Mention, true)
            }
            (Title::Other, Some((What::Files(claim), _))) if !label::is_narrative(plain) => {
                (What::Files(claim), true)
            }
            (Title::Other, Some((What::Marked, _))) => (What::Marked, false),
            (Title::Other, _) if label::is_changes(plain) => (What::Changes, true),
            (Title::Other, _) => (What::Nothing, true),
        };
        self.push_section(heading, what, is_strict);
    }

    fn push_section(&mut self, heading: &Heading, what: What, is_strict: bool) {
        self.frames.push(Frame {
            level: 0,
            what,
            heading: Some(heading.level),
            start: heading.content.span.start,
            name: heading.content.one_line(),
            items: 0,
            begins_with_task: false,
            is_strict,
            has_value: true,
            ended: None,
        });
    }

    /// Ends all lists, but no section.
    fn close_lists(&mut self) {
        let first = self.frames.iter().position(|frame| frame.heading.is_none());
        if let Some(first) = first {
            self.close_from(first);
        }
    }

    fn close_from(&mut self, first: usize) {
        let closed: Vec<Frame> = self.frames.drain(first.min(self.frames.len())..).collect();
        for frame in closed {
            let is_empty = frame.heading.is_none()
                && frame.items == 0
                && !frame.has_value
                && !frame.name.is_empty();
            if is_empty && matches!(frame.what, What::Files(_)) {
                let message = format!("no list of files follows `{}`", escaped(&frame.name));
                self.tell("empty-label", message, frame.start);
            }
        }
    }

    /// Ends the lists that an entry at this depth does not belong to.
    fn leave(&mut self, level: usize, is_item: bool) {
        let ends = |frame: &Frame| {
            frame.heading.is_none()
                && (frame.level > level || !is_item && frame.level == level && frame.items > 0)
        };
        if let Some(first) = self.frames.iter().position(ends) {
            self.close_from(first);
        }
    }

    /// Reads a code block below a label or heading of files, if every line of it is a path and perhaps a description.
    fn code_list(&mut self, level: usize, span: Range<usize>) -> bool {
        let source = self.source;
        let Some(frame) = self.frames.last() else {
            return false;
        };
        let is_free = frame.items == 0 && !frame.is_strict;
        let waits = match frame.heading {
            Some(_) => level == 0,
            None => frame.level == level && !frame.has_value,
        };
        let What::Files(claim) = frame.what else {
            return false;
        };
        let Some(lines) = code_lines(source, span).filter(|_| is_free && waits) else {
            return false;
        };
        let form = match frame.heading {
            Some(_) => GrantForm::HeadingList,
            None => GrantForm::LabelList,
        };
        if let Some(frame) = self.frames.last_mut() {
            frame.items += 1;
            frame.has_value = true;
        }
        let at = source.line_span(lines.first().map_or(0, |line| line.start));
        self.draft
            .now()
            .form(Shape::List, form, claim.actions(), at);
        let reading = Reading {
            is_strict: true,
            ..Reading::of(Some(claim))
        };
        for line in lines {
            item::read(source, &InlineText::new(line), reading, self.draft.now());
        }
        true
    }

    /// Reports a code block that may list the files of a section.
    fn code(&mut self, text: &str) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let is_section = frame.heading.is_some() && frame.items == 0 && !frame.is_strict;
        let is_list = text
            .lines()
            .any(|line| is_bare_path(line.trim(), true) && line.contains('/'));
        if is_section && is_list && matches!(frame.what, What::Files(_)) {
            frame.items += 1;
            let (start, message) = (
                frame.start,
                format!(
                    "a code block follows `{}` instead of a list of files",
                    escaped(&frame.name)
                ),
            );
            self.tell("second-form", message, start);
        }
    }

    /// Reports what stands where the list of a label should begin.
    fn expect_nothing(&mut self, level: usize, what: &str) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let waits =
            frame.heading.is_none() && frame.level == level && frame.items == 0 && !frame.has_value;
        if waits && matches!(frame.what, What::Files(_)) {
            frame.has_value = true;
            let (start, message) = (
                frame.start,
                format!(
                    "{what} follows `{}` instead of a list of files",
                    escaped(&frame.name)
                ),
            );
            self.tell("second-form", message, start);
        }
    }

    /// Reports "Maybe" or "Optional" above files.
    fn undecided(&mut self, name: &str, start: usize) {
        let message = format!("`{}`: do these files change or not?", escaped(name));
        let help = "decide, and list only the files that change";
        let line = self.source.line_span(start);
        self.draft
            .now()
            .fault(Problem::new(Rule::DesignUnread, "undecided", message, help).at(line));
    }

    fn tell(&mut self, reason: &'static str, message: String, start: usize) {
        self.draft
            .now()
            .fault(told(self.source, reason, message, start));
    }

    fn table(&mut self, block: usize, table: &Table) {
        if let Ok(index) = self
            .tables
            .binary_search_by_key(&block, |(_, found)| found.index)
            && let Some((claim, found)) = self.tables.get(index).copied()
        {
            self.close_lists();
            return self.read_table(table, &found.columns, claim, GrantForm::Table);
        }
        let waiting = self
            .frames
            .last()
            .filter(|frame| frame.heading.is_none() && frame.items == 0 && frame.level == 0);
        let what = match (waiting, self.frames.last()) {
            (Some(frame), _) => frame.what,
            (None, Some(frame)) if matches!(frame.what, What::Marked | What::Changes) => frame.what,
            _ => What::Nothing,
        };
        let found = match what {
            What::Files(claim) => columns::own_columns(table).map(|found| (claim, found)),
            What::Marked => columns::own_columns(table).map(|found| (Claim::Any, found)),
            What::Changes => columns::own_columns(table)
                .filter(Columns::is_of_changes)
                .map(|found| (Claim::Any, found)),
            _ => None,
        };
        let found = match found {
            // "`src/a.rs` (new)" in a table of responsibilities.
            Some((_, columns)) if what == What::Marked && columns.kind.is_none() => {
                return self.marked_rows(table, &columns);
            }
            found => found,
        };
        if let Some((claim, columns)) = found {
            if let Some(frame) = self.frames.last_mut() {
                frame.has_value = true;
            }
            return self.read_table(table, &columns, claim, GrantForm::Table);
        }
        self.expect_nothing(0, "a table without a column of files");
        self.close_lists();
    }

    /// Grants the rows of a table whose paths carry a mark such as "(new)".
    fn marked_rows(&mut self, table: &Table, columns: &Columns) {
        let reading = Reading {
            is_marked: true,
            is_strict: true,
            ..Reading::of(Some(Claim::Any))
        };
        let header = self.source.line_span(table.header.span.start);
        let (shape, form) = (Shape::of(columns), GrantForm::Table);
        self.draft
            .now()
            .form(shape, form, Claim::Any.actions(), header.clone());
        let before = self.draft.now().mark();
        let paths = table
            .rows
            .iter()
            .filter_map(|row| row.cells.get(columns.path));
        for path in paths {
            item::read(self.source, path, reading, self.draft.now());
        }
        self.draft.now().drop_if_relative(before, header);
    }

    fn read_table(&mut self, table: &Table, columns: &Columns, claim: Claim, form: GrantForm) {
        let header = self.source.line_span(table.header.span.start);
        self.draft
            .now()
            .form(Shape::of(columns), form, claim.actions(), header.clone());
        let before = self.draft.now().mark();
        table::read(self.source, table, columns, claim, self.draft.now());
        self.draft.now().drop_if_relative(before, header);
        unread::report_cut(self.source, table, self.draft.now());
    }

    fn line(&mut self, entry: &'e Entry<'_>, line: &'e TextLine, next: Option<&Entry<'_>>) {
        let level = entry.level;
        self.leave(level, line.item.is_some());
        if let Some(item) = line.item
            && self.member(entry.block, level, item, line, next)
        {
            return;
        }
        if line.item.is_none() && label::is_relative(self.source.slice(line.content.span.clone())) {
            self.doubt(line);
        }
        if self.is_described(level) || label::is_struck(&line.content) || line.content.is_obscured {
            return;
        }
        if self.labelled(level, line, next) {
            return;
        }
        match line.item {
            Some(_) => self.task(entry.level, line),
            None => self.paragraph(level, line),
        }
    }

    /// Whether a line at this depth describes an item of a list of files.
    fn is_described(&self, level: usize) -> bool {
        self.frames.last().is_some_and(|frame| {
            let is_list = frame.heading.is_none() || matches!(frame.what, What::Files(_));
            is_list
                && frame.items > 0
                && frame.ended.is_none()
                && level > frame.level
                && frame.what != What::Nothing
        })
    }

    /// Reads an item of the list that is being read; `false` if it does not belong to it.
    fn member(
        &mut self,
        block: usize,
        level: usize,
        item: ListItem,
        line: &'e TextLine,
        next: Option<&Entry<'_>>,
    ) -> bool {
        let source = self.source;
        let Some(frame) = self.frames.last_mut().filter(|frame| frame.level == level) else {
            return false;
        };
        let text = source.slice(line.content.span.clone());
        let is_section = frame.heading.is_some();
        if frame.ended == Some(block) {
            return false;
        }
        let reading = match frame.what {
            What::Files(claim) => Reading {
                is_strict: frame.is_strict,
                ..Reading::of(Some(claim))
            },
            What::Marked => Reading {
                is_marked: true,
                is_strict: true,
                ..Reading::of(Some(Claim::Any))
            },
            What::Mention => Reading::of(None),
            What::Unclear | What::Changes | What::Nothing => Reading {
                is_strict: true,
                ..Reading::of(None)
            },
        };
        if matches!(frame.what, What::Nothing | What::Changes) {
            return false;
        }
        let begins = frame.items == 0;
        if begins {
            frame.begins_with_task = item.is_task;
        }
        let is_step = is_step(text);
        let is_other_list = item.is_first && !begins && !is_section;
        let is_late_task = item.is_task && !frame.begins_with_task && !starts_with_path(text);
        if is_step || is_late_task || is_other_list || frame.has_value && !is_section {
            let is_list_form = (is_other_list || frame.has_value && !is_section)
                && !is_step
                && !item.is_task
                && matches!(frame.what, What::Files(_))
                && is_entry(source, &line.content);
            let (start, name) = (line.content.span.start, frame.name.clone());
            if is_section {
                frame.ended = Some(block);
            } else {
                let last = self.frames.len() - 1;
                self.close_from(last);
            }
            if is_list_form {
                let message = format!(
                    "the files of `{}` are listed already; this second list is not granted",
                    escaped(&name)
                );
                self.tell("second-form", message, start);
            }
            return false;
        }
        // A group within the list: "- Backend:".
        let label = label::label(source, &line.content);
        if let Some(found) = &label
            && found.value.is_empty()
            && next.is_some_and(|next| {
                next.level > level
                    && matches!(&next.kind, PassageKind::Line(line) if line.item.is_some())
            })
        {
            let inherited = frame.what;
            frame.items += 1;
            let is_undecided =
                label::is_undecided(&found.text) || label::is_undecided(&found.notes);
            if is_undecided && matches!(inherited, What::Files(_)) {
                self.undecided(&found.text, line.content.span.start);
                self.push_label(level + 1, What::Nothing, &line.content, &found.text);
                return true;
            }
            let what = match (
                label::role(&found.text, &found.notes),
                label::group(&found.text),
            ) {
                _ if label::only_looks(&found.text) => What::Mention,
                (Some(LabelRole::Unclear), _) => inherited,
                (Some(role), _) => What::of(role),
                (None, Some(claim)) if matches!(inherited, What::Files(_)) => What::Files(claim),
                _ if label::is_narrative(&found.text) => What::Nothing,
                _ => inherited,
            };
            self.push_label(level + 1, what, &line.content, &found.text);
            return true;
        }
        // A label of its own: "- New files: `a`".
        let is_own_label = label.is_some_and(|found| {
            let role = label::role(&found.text, &found.notes);
            role.is_some_and(|role| role != LabelRole::Unclear)
                && !matches!(found.text.to_lowercase().as_str(), "file" | "files")
        });
        if is_own_label {
            frame.items += 1;
            return false;
        }
        if begins && !is_section || is_section && frame.items == 0 {
            let (claim, form) = match (frame.what, is_section) {
                (What::Files(claim), true) => (claim, GrantForm::HeadingList),
                (What::Files(claim), false) => (claim, GrantForm::LabelList),
                (_, true) => (Claim::Any, GrantForm::HeadingList),
                (_, false) => (Claim::Any, GrantForm::LabelList),
            };
            let at = source.line_span(line.content.span.start);
            if matches!(frame.what, What::Files(_) | What::Marked) {
                self.draft
                    .now()
                    .form(Shape::List, form, claim.actions(), at);
            }
        }
        frame.items += 1;
        let what = frame.what;
        let is_base = text.trim_end().ends_with(['/', '`'])
            && next.is_some_and(|next| next.level > level && bare_name(source, next));
        if is_base && matches!(what, What::Files(_)) && text.trim_end_matches('`').ends_with('/') {
            let message = "the names below this directory do not say where they start".to_owned();
            self.draft
                .now()
                .fault(doubtful(source, message, line.content.span.start));
            return true;
        }
        match what {
            What::Unclear => {
                if item::names(source, &line.content) && !frame.has_value {
                    frame.has_value = true;
                    let message = format!(
                        "`{}` does not say that these files change",
                        escaped(&frame.name)
                    );
                    let start = frame.start;
                    self.tell("unclear-label", message, start);
                }
            }
            _ => self.draft.later(&line.content, Some(reading)),
        }
        true
    }

    /// Refuses what follows a sentence such as "All in `src/commands/`:".
    fn doubt(&mut self, line: &TextLine) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        if let What::Files(_) = frame.what {
            frame.what = What::Nothing;
            let message =
                "the paths here start at another directory than the repository root".to_owned();
            self.draft
                .now()
                .fault(doubtful(self.source, message, line.content.span.start));
        }
    }

    /// Reads a label and the paths behind it.
    fn labelled(&mut self, level: usize, line: &TextLine, next: Option<&Entry<'_>>) -> bool {
        let source = self.source;
        let Some(found) = label::label(source, &line.content) else {
            return false;
        };
        let Some(role) = label::role(&found.text, &found.notes) else {
            let is_group = found.is_bold && line.item.is_none() && self.group(level, line, &found);
            let is_entry = || {
                let kind = kind::parse(&found.text).filter(|kind| kind.bare);
                kind.is_some_and(|kind| kind.kind != kind::RowAction::Mention)
                    && starts_with_path(source.slice(found.value.clone()))
            };
            if !is_group && found.value.is_empty() && label::is_changes(&found.text) {
                let inner = level + usize::from(line.item.is_some());
                self.push_label(inner, What::Changes, &line.content, &found.text);
                return true;
            }
            if !is_group && found.is_bold && is_entry() {
                let message = format!(
                    "no label such as `**Files:**` stands above `{}`",
                    escaped(&found.text)
                );
                self.tell("no-label", message, line.content.span.start);
            }
            return is_group;
        };
        let inner = level + usize::from(line.item.is_some());
        let mut what = match (role, self.frames.last().map(|frame| frame.what)) {
            // "Backend files:" below "File List".
            (LabelRole::Unclear, Some(inherited @ What::Files(_))) => inherited,
            (role, _) => What::of(role),
        };
        if !found.is_bold && line.item.is_none() && what == What::Unclear {
            return false;
        }
        if label::is_undecided(&found.text) && matches!(what, What::Files(_)) {
            self.undecided(&found.text, line.content.span.start);
            what = What::Nothing;
        }
        if label::is_relative(&found.notes) && matches!(what, What::Files(_)) {
            let message = format!(
                "the paths of `{}` start at another directory than the repository root",
                escaped(&found.text)
            );
            self.draft
                .now()
                .fault(doubtful(source, message, line.content.span.start));
            what = What::Nothing;
        }
        let first = self
            .frames
            .iter()
            .position(|frame| frame.heading.is_none() && frame.level >= inner);
        if let Some(first) = first {
            self.close_from(first);
        }
        if found.value.is_empty() {
            self.push_label(inner, what, &line.content, &found.text);
            return true;
        }
        let value = line.content.within(found.value.clone());
        let read = self.value(&value, what, &found.text);
        if read == Found::Nothing && matches!(what, What::Files(_)) {
            // "**Files:** as follows", then a list.
            let is_list = next.is_some_and(|next| matches!(&next.kind, PassageKind::Line(line) if line.item.is_some() && next.level == inner));
            let is_note = is_list && source.slice(found.value.clone()).len() < 80;
            if is_note {
                self.push_label(inner, what, &line.content, &found.text);
                return true;
            }
            let message = format!(
                "`{}` names no file that guard can read",
                escaped(source.slice(source.line_span(line.content.span.start)))
            );
            self.tell("unread-label", message, line.content.span.start);
        }
        self.push_label(inner, what, &line.content, &found.text);
        if let Some(frame) = self.frames.last_mut() {
            frame.has_value = true;
        }
        true
    }

    /// Reads the paths behind a label, part by part.
    fn value(&mut self, value: &InlineText, what: What, name: &str) -> Found {
        let source = self.source;
        let reading = match what {
            What::Files(claim) => Reading::of(Some(claim)),
            _ => Reading::of(None),
        };
        if what == What::Nothing {
            return Found::Paths;
        }
        if what == What::Unclear {
            if item::names(source, value) {
                let message = format!("`{}` does not say that these files change", escaped(name));
                self.tell("unclear-label", message, value.span.start);
            }
            return Found::Paths;
        }
        let line = source.line_span(value.span.start);
        if let Some(claim) = reading.claim {
            self.draft
                .now()
                .form(Shape::Line, GrantForm::LabelLine, claim.actions(), line);
        }
        if let Some(problem) = item::cut_paths(source, value).filter(|_| reading.claim.is_some()) {
            self.draft.now().bad_row(vec![problem]);
        }
        let mut read = Found::Nothing;
        for part in item::parts(source, value) {
            if item::read(source, &value.within(part), reading, self.draft.now()) == Found::Paths {
                read = Found::Paths;
            }
        }
        read
    }

    fn push_label(&mut self, level: usize, what: What, line: &InlineText, name: &str) {
        self.frames.push(Frame {
            level,
            what,
            heading: None,
            start: self.source.trim(line.span.clone()).start,
            name: name.to_owned(),
            items: 0,
            begins_with_task: false,
            is_strict: false,
            has_value: false,
            ended: None,
        });
    }

    /// A bold label in a section of files: "**Backend:**", "**Modified:**", "**Notes:**".
    fn group(&mut self, level: usize, line: &TextLine, found: &label::Label) -> bool {
        let first = self
            .frames
            .iter()
            .position(|frame| frame.heading.is_none() && frame.level >= level);
        if let Some(first) = first {
            self.close_from(first);
        }
        let Some(frame) = self
            .frames
            .last()
            .filter(|frame| frame.heading.is_some() && level == 0)
        else {
            return false;
        };
        let group = label::group(&found.text);
        match frame.what {
            What::Files(_) => {}
            // "**Modify:**" below "File Structure".
            What::Marked if group.is_some() => {}
            _ => return false,
        }
        if !found.value.is_empty() {
            let Some(claim) = group else {
                return false;
            };
            let value = line.content.within(found.value.clone());
            self.value(&value, What::Files(claim), &found.text);
            return true;
        }
        let is_undecided = label::is_undecided(&found.text);
        let what = match group {
            _ if is_undecided => What::Nothing,
            Some(claim) => What::Files(claim),
            None if label::is_narrative(&found.text) => What::Nothing,
            None if label::only_looks(&found.text) => What::Mention,
            None if exclusion::governs(&found.text, false) => What::Nothing,
            None => frame.what,
        };
        if is_undecided {
            self.undecided(&found.text, line.content.span.start);
        }
        let start = found.value.start;
        self.frames.push(Frame {
            level: 0,
            what,
            heading: None,
            start,
            name: String::new(),
            items: 0,
            begins_with_task: false,
            is_strict: group.is_none(),
            has_value: false,
            ended: None,
        });
        true
    }

    /// A paragraph that is not a label.
    fn paragraph(&mut self, level: usize, line: &TextLine) {
        let source = self.source;
        // The description of the file before ends here.
        let describes = |frame: &Frame| {
            frame.heading.is_none() && frame.what == What::Nothing && frame.level == level
        };
        while self.frames.last().is_some_and(describes) {
            self.frames.pop();
        }
        let text = source.slice(line.content.span.clone());
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let waits =
            frame.heading.is_none() && frame.level == level && frame.items == 0 && !frame.has_value;
        let What::Files(claim) = frame.what else {
            if waits {
                let last = self.frames.len() - 1;
                self.close_from(last);
            }
            return;
        };
        let is_path = starts_with_path(text);
        if waits {
            if is_path {
                frame.has_value = true;
                let name = frame.name.clone();
                self.value(&line.content, What::Files(claim), &name);
            } else if !text.trim_end().ends_with([':', '：']) {
                let last = self.frames.len() - 1;
                self.close_from(last);
            }
            return;
        }
        // A line with the file, and a description below it.
        if frame.heading.is_some() && level == 0 && is_path && line.is_first {
            let has_slash = text
                .split_whitespace()
                .next()
                .is_some_and(|word| word.contains('/'));
            if !has_slash {
                return;
            }
            frame.items += 1;
            frame.is_strict = true;
            let at = source.line_span(line.content.span.start);
            self.draft
                .now()
                .form(Shape::Line, GrantForm::FileHeading, claim.actions(), at);
            item::read(
                source,
                &line.content,
                Reading::of(Some(claim)),
                self.draft.now(),
            );
            self.push_label(0, What::Nothing, &line.content, "");
        }
    }

    /// A task that writes one file.
    fn task(&mut self, level: usize, line: &'e TextLine) {
        let in_list = self.frames.last().is_some_and(|frame| {
            frame.heading.is_none() && frame.level <= level && frame.what == What::Mention
        });
        if self.tasks && self.checkbox.is_some() && !in_list {
            self.draft.later(&line.content, None);
        }
    }
}

/// Whether an item is one of the steps that follow a list: "**Step 1: …**".
fn is_step(text: &str) -> bool {
    let text = text.trim_start_matches(['*', '_', ' ']);
    let rest = ["step", "task", "substep"].iter().find_map(|word| {
        let (begin, rest) = text.split_at_checked(word.len())?;
        begin.eq_ignore_ascii_case(word).then_some(rest)
    });
    rest.is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()))
}

fn starts_with_path(text: &str) -> bool {
    let text = text.trim_start_matches(['*', '_', ' ']);
    let numbered = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = numbered
        .strip_prefix(['.', ')'])
        .filter(|_| numbered.len() < text.len())
        .map_or(text, str::trim_start);
    if let Some(code) = text.strip_prefix('`') {
        let code = code.split('`').next().unwrap_or("");
        return super::cell::has_path_shape(code);
    }
    let word = text.split_whitespace().next().unwrap_or("");
    let word = word.trim_end_matches(['*', '_', ',', ':']);
    is_bare_path(word, false) && word.contains('/')
}

/// The lines of a code block of plain text in which each line is a path, alone or before a dash.
fn code_lines(source: &DesignText<'_>, span: Range<usize>) -> Option<Vec<Range<usize>>> {
    let mut found = Vec::new();
    let mut start = span.start;
    for (number, line) in source.slice(span).split_inclusive('\n').enumerate() {
        let own = source.trim(start..start + line.len());
        start += line.len();
        let text = source.slice(own.clone());
        let is_fence = text.starts_with("```") || text.starts_with("~~~");
        if text.is_empty() || is_fence {
            let language = text.trim_start_matches(['`', '~']);
            if number == 0 && !matches!(language, "" | "text" | "txt" | "plaintext") {
                return None;
            }
            continue;
        }
        let (path, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim_start();
        let is_described =
            rest.is_empty() || rest.starts_with(['—', '–']) || rest.starts_with("- ");
        let is_remark =
            ["#", "//", "←"].iter().any(|mark| rest.starts_with(mark)) && tree::is_plain(rest);
        if !path.contains('/') || !is_bare_path(path, true) || !is_described && !is_remark {
            return None;
        }
        found.push(if is_remark {
            own.start..own.start + path.len()
        } else {
            own
        });
    }
    (!found.is_empty()).then_some(found)
}

/// Whether an item is a verb or nothing, and then a path.
fn is_entry(source: &DesignText<'_>, content: &InlineText) -> bool {
    let text = source.slice(source.trim(content.span.clone()));
    if starts_with_path(text) {
        return true;
    }
    label::label(source, content).is_some_and(|found| {
        kind::parse(&found.text).is_some() && starts_with_path(source.slice(found.value))
    })
}

/// Whether an entry is an item that begins with a name without a directory.
fn bare_name(source: &DesignText<'_>, entry: &Entry<'_>) -> bool {
    let PassageKind::Line(line) = &entry.kind else {
        return false;
    };
    let text = source.slice(source.trim(line.content.span.clone()));
    let text = text.trim_start_matches(['*', '_']);
    let word = match text.strip_prefix('`') {
        Some(code) => code.split('`').next().unwrap_or(""),
        None => text.split_whitespace().next().unwrap_or(""),
    };
    line.item.is_some() && !word.contains('/') && is_bare_path(word, true)
}

/// A passage that guard does not read.
pub(super) fn told(
    source: &DesignText<'_>,
    reason: &'static str,
    message: String,
    start: usize,
) -> LocatedProblem {
    let help = "list the files below it, one per item: - Modify: `src/a.rs`";
    Problem::new(Rule::DesignUnread, reason, message, help).at(source.line_span(start))
}

/// Paths that may start at another directory than the root.
pub(super) fn doubtful(source: &DesignText<'_>, message: String, start: usize) -> LocatedProblem {
    let help = "write every path from the repository root";
    Problem::new(Rule::DesignUnread, "relative-paths", message, help).at(source.line_span(start))
}
