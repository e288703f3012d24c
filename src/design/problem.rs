//! Every problem that a design can have, with what to write instead.

use std::fmt::Display;
use std::ops::Range;

use crate::finding::{Anchor, Rule};
use crate::path::escaped;

/// A problem in a design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// One of the `design-…` rules.
    pub rule: Rule,
    /// A stable word for machines, such as `dotdot` or `truncated-row`.
    pub reason: &'static str,
    /// One sentence without a full stop; names in it are escaped.
    pub message: String,
    /// What to write instead: one sentence, and below it the lines of an example to paste and a command.
    pub help: String,
    /// The place; `None` only for a document without text, and before it is reported.
    pub anchor: Option<Box<Anchor>>,
    pub(super) span: Range<usize>,
}

impl Problem {
    pub(super) fn new(rule: Rule, reason: &'static str, message: String, help: &str) -> Problem {
        Problem {
            rule,
            reason,
            message,
            help: help.to_owned(),
            anchor: None,
            span: 0..0,
        }
    }

    pub(super) fn at(self, span: Range<usize>) -> Problem {
        Problem { span, ..self }
    }
}

/// One function for each problem. What it takes is escaped and stands in the message and the help.
macro_rules! problems {
    ($($name:ident($($arg:ident),*) $rule:ident $reason:literal $message:literal $help:expr;)*) => {
        $(pub(super) fn $name($($arg: impl Display),*) -> Problem {
            $(let $arg = escaped(&$arg.to_string()).to_string();)*
            Problem::new(Rule::$rule, $reason, format!($message), &$help)
        })*
    };
}

const INSIDE: &str = "write the path from the root of the repository, with `/` and without `..`";
const NARROWER: &str = "name the files or directories of this change";
const NO_ROW: &str = "remove the row; the file may change in a separate commit";
const NO_TAGS: &str = "write the path in backticks, without tags";
const ONE_FILE: &str = "name at least one file with a type such as Add or Modify";
const OUTSIDE: &str = "write it outside of HTML; close tags and comments where they begin; put an empty line above a table, and no indentation before its rows";
const REAL_PATH: &str = "write the real path, or remove the row";
const TICKS: &str = "write each path in backticks, separated by commas: `src/a.rs`, `src/b.rs`";
const TYPES: &str =
    "write one of Add, Modify, Add/Modify, Delete, Rename, Symlink, Submodule, Exists";
const TABLE: &str = "put this table below it, with the files that this work may change:\n\
    | File | Change Type | Description |\n\
    | ---- | ----------- | ----------- |\n\
    | `src/a.rs` | Modify | what changes |";

problems! {
    // Documents.
    too_large(size, most) DesignBadRow "too-large" "the document has {size} bytes, more than {most}"
        "split the design, or allow directories instead of files";
    not_utf8() DesignBadRow "non-utf8" "the document is not UTF-8"
        "save it as UTF-8; this is the first invalid byte";
    hidden_bytes() DesignBadRow "hidden-bytes"
        "a NUL byte, or a carriage return without a line feed, hides lines from reviewers"
        "remove it, and save the document with LF or CRLF line endings";
    no_section(path) DesignNoTable "no-section" "no section lists the files to change"
        format!("add a section `## Files Changed` and {TABLE}\nto propose a table from this document: guard scope import {path}");
    empty_section(text) DesignNoTable "empty-section" "the section `{text}` has no table of files" TABLE;
    nothing_granted() DesignNoTable "nothing-granted" "no row allows anything" ONE_FILE;
    only_placeholders() DesignPlaceholder "only-placeholders"
        "the design contains only placeholders and allows nothing" ONE_FILE;

    // Tables and rows.
    two_tables(first, second) DesignAmbiguous "two-tables"
        "two tables claim to be the scope: one on line {first}, one on line {second}"
        "keep one table, or move the other one into a code fence";
    two_columns(name) DesignAmbiguous "two-columns" "two columns have the same meaning; the second is `{name}`"
        "keep one File column and one Change Type column";
    no_path_column() DesignNoTable "no-path-column" "the table has no File or Path column"
        "name the columns: | File | Change Type | Description |";
    broken_table() DesignNoTable "broken-table"
        "these lines look like a table, but Markdown does not parse them as one"
        "below the header, write a separator row with the same number of cells: |---|---|---|";
    empty_table() DesignNoTable "empty-table" "the table has no rows"
        "add a row, such as: | `src/a.rs` | Modify | what changes |";
    not_a_row() DesignBadRow "not-a-row" "the line is not a row that fits the header of its table"
        "add an empty line before it";
    truncated_row() DesignBadRow "truncated-row" "the line is not a row that fits the header of its table"
        "complete it: cells are missing";
    extra_cells() DesignBadRow "extra-cells" "the line is not a row that fits the header of its table"
        "write `\\|` for a pipe inside a cell";
    duplicate(path, line) DesignDuplicate "duplicate" "`{path}` is already listed on line {line}" "keep one row";
    missing_type() DesignBadRow "unknown-type" "the type is missing" TYPES;
    unknown_type(text) DesignBadRow "unknown-type" "`{text}` is not a change type" TYPES;
    arrow() DesignBadRow "arrow-without-rename" "there is an arrow between two paths, but the type is not Rename"
        "write Rename as the type, or each path on a line of its own";
    rename_ends() DesignBadRow "rename-ends" "a Rename row needs the old and the new path: two files or two directories"
        "write `old/path` -> `new/path`";

    // Cells and items.
    empty() DesignBadRow "empty" "the path cell is empty" REAL_PATH;
    placeholder(text) DesignPlaceholder "placeholder" "`{text}` is a placeholder" REAL_PATH;
    struck_out() DesignPlaceholder "struck-out" "this is struck out" "remove it";
    html(tag) DesignBadRow "html" "there is HTML beside the path: {tag}" NO_TAGS;
    image() DesignBadRow "ambiguous-cell" "there is an image beside the path" TICKS;
    beside_path(word) DesignBadRow "ambiguous-cell" "`{word}` stands beside a path" TICKS;
    no_backticks(text) DesignBadRow "ambiguous-cell" "`{text}` has no backticks: one path or several?" TICKS;
    emphasis(text) DesignBadRow "emphasis" "Markdown renders the asterisks in `{text}` as emphasis"
        format!("write it in backticks: `{text}`");
    link_mismatch(text, target) DesignBadRow "ambiguous-cell" "the link text is `{text}`, but its target is `{target}`"
        TICKS;
    unread_item(text) DesignBadRow "ambiguous-cell"
        "`{text}` is not read: an item is a path, or a type and a path; only a note in parentheses or a text behind a dash or colon may follow"
        TICKS;
    two_types() DesignBadRow "ambiguous-cell" "the notes of the item name two types" TICKS;
    denied() DesignBadRow "denied" "the remark takes back, or leaves open, what the item would allow"
        "write the condition elsewhere, or remove the item";
    file_heading() DesignBadRow "ambiguous-cell" "the heading names no single path, or says more" TICKS;
    front_matter(value) DesignBadRow "front-matter" "`{value}` is not a plain path" "write one path per item";

    // Paths.
    uri(text) DesignBadRow "uri" "`{text}` is a URL, not a path" INSIDE;
    absolute(text) DesignOutside "absolute" "`{text}` is absolute" INSIDE;
    tilde(text) DesignOutside "tilde" "`{text}` starts with `~`" INSIDE;
    dotdot(text) DesignOutside "dotdot" "`{text}` contains `..`" INSIDE;
    backslash(text) DesignBadRow "backslash" "`{text}` contains a backslash" INSIDE;
    bad_braces(text) DesignBadRow "bad-braces" "`{text}` has braces that are unclosed or expand to too many paths"
        "write `{a,b}` with a closing brace, or one row per path";
    too_wide(text) DesignTooWide "too-wide" "`{text}` allows the whole workspace" NARROWER;
    glob_too_wide(text) DesignTooWide "glob-too-wide" "`{text}` allows the whole workspace" NARROWER;
    protected_file(text) DesignBadRow "protected-file" "`{text}` belongs to guard's settings" NO_ROW;
    self_grant(text) DesignBadRow "self-grant" "`{text}` is the design itself" NO_ROW;

    // Passages.
    relative_paths() DesignOutside "relative-paths"
        "a path of this passage contains `..`, so its other paths may start elsewhere than at the root; guard allows none of them"
        "write every path from the repository root";
    odd_item() DesignBadRow "odd-item" "what stands below this item says more about it than guard reads"
        "move it out of the list; write each path in full";
    unknown_label() DesignUnread "unknown-label"
        "this looks like a list of files, but it is not one of the headings and labels that announce one"
        "write `**Files:**`, or a heading such as `## Files Changed`";
    unread_passage() DesignUnread "unread-passage"
        "this announces files, but no list, table or code block of paths follows directly"
        "put the list directly below, without a sentence in between";
    excluded(text) DesignUnread "excluded" "nothing below `{text}` is allowed: it is struck out, or it excludes files"
        "to allow it, move it below a heading such as `## Files Changed`";
    raw_html(name, line) DesignUnread "raw-html"
        "this is not allowed: it is inside or behind the HTML element `<{name}>` of line {line}" OUTSIDE;
    unclear(line) DesignUnread "raw-html"
        "this is not allowed: GitHub may show the document from line {line} on in another way" OUTSIDE;
}
