//! The paths in a cell, and the words and signs between them.

use std::ops::Range;

use super::source::DesignText;

/// One path as written, not yet checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WrittenPath {
    pub(super) text: String,
    /// Including its backticks.
    pub(super) span: Range<usize>,
    /// Whether an arrow points from the previous path to this one.
    pub(super) arrow: bool,
    /// Whether "(directory)" follows.
    pub(super) directory: bool,
    /// Whether "(no changes)" follows.
    pub(super) denied: bool,
    /// The words between the previous path and this one, in lower case.
    pub(super) before: Vec<String>,
    /// The text in parentheses that follows.
    pub(super) note: String,
    /// The whole code span, if it is one.
    pub(super) code: Option<String>,
    /// Whether an existing file has this name, whatever else the text could mean.
    pub(super) is_name: bool,
}

impl WrittenPath {
    /// Takes code literally if a file of this name exists.
    pub(super) fn of_code(source: &DesignText<'_>, text: &str, span: Range<usize>) -> WrittenPath {
        let is_name = source.is_file(text);
        let path = if is_name { text } else { text.trim() };
        WrittenPath {
            text: path.to_owned(),
            span,
            code: Some(text.to_owned()),
            is_name,
            ..WrittenPath::default()
        }
    }

    /// `a.py::TestX` means a part of `a.py`.
    pub(super) fn cut_member(&mut self) {
        if !self.text.contains(':') {
            return;
        }
        let file = self.text.split_once("::").map(|(file, _)| file);
        if let Some(file) = file.filter(|file| !self.is_name && file.contains('.')) {
            self.text.truncate(file.len());
        }
    }
}

/// Whether a tag is a `<br>` in any spelling.
pub(super) fn is_break(tag: &str) -> bool {
    let name = tag
        .trim_start_matches('<')
        .trim_end_matches(['>', '/', ' ']);
    name.eq_ignore_ascii_case("br")
}

/// Marks and words that point from the old to the new path.
pub(super) fn is_arrow(text: &str) -> bool {
    matches!(
        text,
        "->" | "-->" | "=>" | "→" | "⇒" | "➜" | "to" | "renamed to" | "moved to"
    )
}

/// Splits each `a -> b` inside one span.
pub(super) fn split_arrows(paths: Vec<WrittenPath>) -> Vec<WrittenPath> {
    let may_split = |path: &WrittenPath| path.text.contains('>') || path.text.contains('→');
    match paths.iter().any(may_split) {
        true => paths.into_iter().flat_map(split_arrow).collect(),
        false => paths,
    }
}

fn split_arrow(path: WrittenPath) -> Vec<WrittenPath> {
    if path.is_name {
        return vec![path];
    }
    let parts: Vec<&str> = [" -> ", "→", " => "]
        .iter()
        .find_map(|arrow| {
            let parts: Vec<&str> = path.text.split(arrow).map(str::trim).collect();
            (parts.len() == 2 && parts.iter().all(|part| !part.is_empty())).then_some(parts)
        })
        .unwrap_or_default();
    match *parts {
        [old, new] => {
            let end = |text: &str, arrow| WrittenPath {
                text: text.to_owned(),
                arrow,
                ..path.clone()
            };
            vec![end(old, path.arrow), end(new, true)]
        }
        _ => vec![path],
    }
}

/// "(directory)" and similar remarks.
pub(super) fn is_directory_remark(remark: &str) -> bool {
    let word = remark
        .trim()
        .split(|c: char| !c.is_alphabetic())
        .next()
        .unwrap_or("");
    ["directory", "dir", "folder"]
        .iter()
        .any(|name| word.eq_ignore_ascii_case(name))
}
