//! Lines of the document.

/// The start of the line at a byte offset.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or("");
    before.rfind(['\n', '\r']).map_or(0, |end| end + 1)
}

/// The line at a byte offset, without its ending.
pub(super) fn line_at(text: &str, at: usize) -> &str {
    let behind = text.get(at..).unwrap_or("");
    let start = line_start(text, at);
    let end = behind.find(['\n', '\r']).map_or(text.len(), |end| at + end);
    text.get(start..end).unwrap_or("")
}

/// Whether a line is indented by four columns or more; GitHub shows it as code.
pub(super) fn is_indented(text: &str, at: usize) -> bool {
    let start = line_start(text, at);
    let blanks = text
        .get(start..)
        .unwrap_or("")
        .chars()
        .take_while(|c| matches!(c, ' ' | '\t'));
    let columns = blanks.fold(0, |columns, c| match c {
        '\t' => columns + 4 - columns % 4,
        _ => columns + 1,
    });
    columns >= 4
}

/// The text from a byte offset up to the next empty line.
pub(super) fn until_blank(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or("");
    let length = rest
        .split_inclusive('\n')
        .take_while(|line| !line.trim().is_empty())
        .map(str::len)
        .sum();
    rest.get(..length).unwrap_or(rest)
}

/// Whether a line could separate a table header from its rows.
pub(super) fn is_separator(line: &str) -> bool {
    let is_mark = |c| matches!(c, '|' | '-' | ':' | ' ' | '\t');
    line.contains('-') && line.contains('|') && line.chars().all(is_mark)
}
