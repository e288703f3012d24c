//! How output for people is drawn.

use gix::bstr::BString;

/// How [`Format::Human`](super::Format::Human), and the part for people of [`Format::Github`](super::Format::Github), is
/// drawn; the other formats do not look at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    /// Whether to write ANSI colours.
    pub color: bool,
    /// Columns of the terminal; quoted lines are trimmed to it.
    pub width: usize,
    /// Only findings at level error, no notes and no summary.
    pub quiet: bool,
    /// The current directory below the workspace root. The `-->` lines are
    /// written relative to it, so that terminals and editors can open them;
    /// all other paths stay relative to the workspace.
    pub prefix: Option<BString>,
}

impl Default for Style {
    /// Plain, 80 columns.
    fn default() -> Self {
        Style {
            color: false,
            width: 80,
            quiet: false,
            prefix: None,
        }
    }
}

/// `text` in a colour if colours are on.
pub(super) fn paint(color: anstyle::Style, text: &str, style: &Style) -> String {
    if style.color {
        format!("{color}{text}{color:#}")
    } else {
        text.to_owned()
    }
}
