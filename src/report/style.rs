//! The appearance of output for people.

use gix::bstr::BString;

/// The appearance of [`Format::Human`](super::Format::Human) and of the part for people in
/// [`Format::Github`](super::Format::Github).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    /// Whether to write ANSI colours.
    pub color: bool,
    /// The width of the terminal; quoted lines are cut to it.
    pub width: usize,
    /// Whether to print only errors, without notes and summary.
    pub quiet: bool,
    /// The current directory below the workspace root. The `-->` lines are relative to it, so that terminals and
    /// editors can open them; all other paths are relative to the workspace.
    pub prefix: Option<BString>,
}

impl Default for Style {
    /// No colours, 80 columns.
    fn default() -> Self {
        Style {
            color: false,
            width: 80,
            quiet: false,
            prefix: None,
        }
    }
}

/// `text` in a colour, if colours are on.
pub(super) fn paint(color: anstyle::Style, text: &str, style: &Style) -> String {
    if style.color {
        format!("{color}{text}{color:#}")
    } else {
        text.to_owned()
    }
}
