//! Every problem that a design can have, with what to write instead.

use std::fmt::Display;
use std::ops::Range;

use crate::finding::{Anchor, Help, Level, Rule};
use crate::path::escaped;

/// A problem in a design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// One of the `design-…` rules.
    pub rule: Rule,
    /// The level of the finding.
    pub level: Level,
    /// A stable word for machines, such as `dotdot` or `truncated-row`.
    pub reason: &'static str,
    /// One sentence without a full stop; names in it are escaped.
    pub message: String,
    /// What to write instead: one sentence, and below it the lines of an example to paste and a command.
    pub help: Vec<Help>,
    /// The place; `None` only for a document without text, and before it is reported.
    pub anchor: Option<Box<Anchor>>,
    pub(super) span: Range<usize>,
}

/// Faults that name `guard scope import` themselves, and those that it cannot mend.
pub(super) const NO_IMPORT: &[&str] = &[
    "no-section",
    "label-line",
    "no-list",
    "empty-section",
    "too-large",
    "non-utf8",
    "hidden-bytes",
    "two-tables",
    "two-columns",
];

/// The reason of a row that holds the place of a path.
pub(super) const PLACEHOLDER: &str = "placeholder";

impl Problem {
    /// Whether the row is to be filled in, or is struck out.
    pub(super) fn is_placeholder(&self) -> bool {
        self.rule == Rule::DesignPlaceholder
    }

    pub(super) fn new(rule: Rule, reason: &'static str, message: String, help: &str) -> Problem {
        Problem {
            rule,
            level: rule.default_level(),
            reason,
            message,
            help: vec![Help::from(help)],
            anchor: None,
            span: 0..0,
        }
    }

    /// Adds lines of help below the sentence.
    fn with_help(mut self, lines: impl IntoIterator<Item = Help>) -> Problem {
        self.help.extend(lines);
        self
    }

    /// The same, but only a warning.
    pub(super) fn warning(self) -> Problem {
        Problem {
            level: Level::Warning,
            ..self
        }
    }

    pub(super) fn at(self, span: Range<usize>) -> Problem {
        Problem { span, ..self }
    }
}

/// One function for each problem: its rule, reason, message and help, and behind `=>` lines below the help. What it takes
/// is escaped and stands in them.
macro_rules! problems {
    ($($name:ident($($arg:ident),*)
        $rule:ident $reason:literal $message:literal $help:expr $(=> $below:expr)?;)*) => {
        $(pub(super) fn $name($($arg: impl Display),*) -> Problem {
            $(let $arg = escaped(&$arg.to_string()).to_string();)*
            Problem::new(Rule::$rule, $reason, format!($message), &$help)$(.with_help($below))?
        })*
    };
}

const INSIDE: &str = "write the path from the root of the repository, with `/` and without `..`";
const NARROWER: &str = "name the files or directories of this change";
const NO_ROW: &str = "remove the row; the file may change in a separate commit";
const NO_TAGS: &str = "write the path in backticks, without tags";
const ONE_FILE: &str = "name at least one file with a type such as Add or Modify";
const OUTSIDE: &str = "write it outside of HTML; close tags and comments where they begin; put an \
                       empty line above a table, and no indentation before its rows";
const REAL_PATH: &str = "write the real path, or remove the row";
const TICKS: &str = "write each path in backticks, separated by commas: `src/a.rs`, `src/b.rs`";
const TYPES: &str =
    "write one of Add, Modify, Add/Modify, Delete, Rename, Symlink, Submodule, Exists";
/// A table to paste.
const TABLE: [&str; 3] = [
    "| File | Change Type | Description |",
    "| ---- | ----------- | ----------- |",
    "| `src/a.rs` | Modify | what changes |",
];

/// The command that reads a document more generously.
fn import(path: &str) -> Help {
    let command = format!("guard scope import {path}");
    Help::run("to propose a table from this document", command)
}

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
        "add a section `## Files Changed` and put this table below it, with the files that this \
         work may change:"
        => TABLE.map(|line| Help::Row(line.to_owned())).into_iter().chain([import(&path)]);
    nothing_granted() DesignNoTable "nothing-granted" "no row allows anything" ONE_FILE;
    only_placeholders() DesignPlaceholder "only-placeholders"
        "the design contains only placeholders and allows nothing" ONE_FILE;

    // Tables and rows.
    two_tables(first, second) DesignAmbiguous "two-tables"
        "two tables claim to be the scope: one on line {first}, one on line {second}"
        "keep one table, or move the other one into a code fence";
    two_columns(name) DesignAmbiguous "two-columns"
        "two columns have the same meaning; the second is `{name}`"
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
    truncated_row() DesignBadRow "truncated-row"
        "the line is not a row that fits the header of its table"
        "complete it: cells are missing";
    extra_cells() DesignBadRow "extra-cells"
        "the line is not a row that fits the header of its table"
        "write `\\|` for a pipe inside a cell";
    duplicate(path, line) DesignDuplicate "duplicate" "`{path}` is already listed on line {line}"
        "keep one row";
    missing_type() DesignBadRow "unknown-type" "the type is missing" TYPES;
    unknown_type(text) DesignBadRow "unknown-type" "`{text}` is not a change type" TYPES;
    arrow() DesignBadRow "arrow-without-rename"
        "there is an arrow between two paths, but the type is not Rename"
        "write Rename as the type, or each path on a line of its own";
    rename_ends() DesignBadRow "rename-ends"
        "a Rename row needs the old and the new path: two files or two directories"
        "write `old/path` -> `new/path`";

    // Cells and items.
    empty() DesignBadRow "empty" "the path cell is empty" REAL_PATH;
    placeholder(text) DesignPlaceholder "placeholder" "`{text}` is a placeholder" REAL_PATH;
    struck_out() DesignPlaceholder "struck-out" "this is struck out" "remove it";
    html(tag) DesignBadRow "html" "there is HTML beside the path: {tag}" NO_TAGS;
    image() DesignBadRow "ambiguous-cell" "there is an image beside the path" TICKS;
    beside_path(word) DesignBadRow "ambiguous-cell" "`{word}` stands beside a path" TICKS;
    no_backticks(text) DesignBadRow "ambiguous-cell"
        "`{text}` has no backticks: one path or several?"
        TICKS;
    emphasis(text) DesignBadRow "emphasis" "Markdown renders the asterisks in `{text}` as emphasis"
        format!("write it in backticks: `{text}`");
    link_mismatch(text, target) DesignBadRow "ambiguous-cell"
        "the link text is `{text}`, but its target is `{target}`"
        TICKS;
    unread_item(text) DesignBadRow "unread-item"
        "`{text}` is not a row: an item is a path, or a type and a path; only a note in \
         parentheses or a remark behind a dash may follow"
        TICKS;
    odd_item() DesignBadRow "odd-item"
        "what stands below this item says more about it than guard reads"
        "move it out of the list; write each path in full, in an item of its own";
    contradiction(text) DesignBadRow "contradiction" "`{text}` contradicts the type of the row"
        "change the type, or the remark, or remove the row";
    short_path(text) DesignBadRow "short-path"
        "`{text}` has no directory, unlike the path beside it"
        "write the directory, too, or put each path in a row of its own";
    front_matter(key) DesignBadRow "front-matter" "`{key}` is not a list of plain strings"
        "write one path per item";
    no_plain_path(text) DesignBadRow "front-matter" "`{text}` is not a plain path"
        "write one path per item, without other text; a name without an extension belongs into a \
         table, in backticks";
    excepted(text) DesignBadRow "front-matter"
        "`{text}` takes a path out of a list that allows paths"
        "list what must not change below forbidden_paths";
    no_yaml() DesignBadRow "front-matter"
        "guard cannot read the front matter as YAML: no anchors, tags or repeated keys"
        "correct it from this line on";
    unknown_denial(key) DesignBadRow "unknown-denial"
        "guard does not know the key `{key}`, which denies paths"
        "write forbidden_paths or forbidden_files, or rename the key";

    // Paths.
    uri(text) DesignBadRow "uri" "`{text}` is a URL, not a path" INSIDE;
    absolute(text) DesignOutside "absolute" "`{text}` is absolute" INSIDE;
    tilde(text) DesignOutside "tilde" "`{text}` starts with `~`" INSIDE;
    dotdot(text) DesignOutside "dotdot" "`{text}` contains `..`" INSIDE;
    backslash(text) DesignBadRow "backslash" "`{text}` contains a backslash" INSIDE;
    bad_braces(text) DesignBadRow "bad-braces"
        "`{text}` has braces that are unclosed or expand to too many paths"
        "write `{a,b}` with a closing brace, or one row per path";
    too_long(length, most) DesignBadRow "too-long" "the path has {length} bytes, more than {most}"
        REAL_PATH;
    too_wide(text) DesignTooWide "too-wide" "`{text}` allows the whole workspace" NARROWER;
    glob_too_wide(text) DesignTooWide "glob-too-wide" "`{text}` allows the whole workspace"
        NARROWER;
    protected_file(text) DesignBadRow "protected-file" "`{text}` belongs to guard's settings"
        NO_ROW;
    self_grant(text) DesignBadRow "self-grant" "`{text}` is the design itself" NO_ROW;

    // Places.
    label_line(path) DesignBadRow "label-line" "guard does not read paths on the line of a label"
        "write each path as an item of a list below it: - Modify: `src/a.rs`" => [import(&path)];
    empty_section(text, path) DesignNoTable "empty-section"
        "`{text}` announces files, but no table or list of them follows"
        "put a table below the heading, or a list directly below it, without a sentence in between"
        => [import(&path)];
    no_list(text, path) DesignBadRow "no-list"
        "`{text}` announces files, but no list of them follows directly"
        "put a list directly below it, without a sentence in between; a table belongs below a \
         heading"
        => [import(&path)];
    unread_list() DesignBadRow "unread-list"
        "guard does not read this list of files: something stands between it and its heading"
        "put it directly below a heading such as `## Files Changed`, or below a line `**Files:**`";
    beyond_table(table, names) DesignBadRow "beyond-table"
        "the table on line {table} is the whole scope, so it leaves out {names}"
        "add a row to the table if this work changes the file";
    raw_html(name, line) DesignBadRow "raw-html"
        "this is not allowed: it is inside or behind the HTML element `<{name}>` of line {line}"
        OUTSIDE;
    unclear(line) DesignBadRow "raw-html"
        "this is not allowed: GitHub may show the document from line {line} on in another way"
        OUTSIDE;
    excluded(text) DesignNoTable "excluded"
        "nothing below `{text}` is allowed: the heading excludes it, or names a document"
        "to allow it, move it below a heading such as `## Files Changed`";
    unknown_heading() DesignNoTable "unknown-heading"
        "this lists files, but no heading above it announces them"
        "write a heading such as `## Files Changed` above it, or add its heading to \
         `[lld] headings` in guard.toml";
}
