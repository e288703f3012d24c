//! Writes HTML: everything that comes from a repository is escaped, and each section has a limit.

use std::fmt::Write as _;

use crate::path::escaped;
use crate::report::escape;

/// The longest sentence or name.
const MOST_CHARS: usize = 1000;

/// Text inside an element or a quoted attribute.
pub(super) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A sentence of guard, on one line.
pub(super) fn prose(text: &str) -> String {
    html(&escape::clip(&escape::text(text), MOST_CHARS))
}

/// A name from the repository, with hostile characters spelled out.
pub(super) fn name(name: &[u8]) -> String {
    let shown = escaped(name).to_string();
    html(&escape::clip(&shown, MOST_CHARS))
}

/// A name as code, apart from the direction of the text around it.
pub(super) fn code(text: &[u8]) -> String {
    format!("<code><bdi>{}</bdi></code>", name(text))
}

/// A line of a file, whose hostile characters are spelled out already.
pub(super) fn line(text: &str) -> String {
    let shown: String = text
        .chars()
        .map(|c| match c {
            '\t' => c,
            c if crate::path::is_hostile(c) => '\u{fffd}',
            c => c,
        })
        .collect();
    html(&shown)
}

/// A part of the page that takes items as long as they fit.
pub(super) struct LimitedPart {
    text: String,
    limit: usize,
}

impl LimitedPart {
    pub(super) fn new(limit: usize) -> LimitedPart {
        LimitedPart {
            text: String::new(),
            limit,
        }
    }

    /// Adds an item, unless it does not fit.
    pub(super) fn push(&mut self, item: &str) -> bool {
        let fits = self.text.len() + item.len() <= self.limit;
        if fits {
            self.text.push_str(item);
        }
        fits
    }

    /// Adds the beginning of an item and keeps room for its end, unless they do not fit.
    pub(super) fn open(&mut self, begin: &str, end: &'static str) -> bool {
        let fits = self.text.len() + begin.len() + end.len() <= self.limit;
        if fits {
            self.text.push_str(begin);
            self.limit -= end.len();
        }
        fits
    }

    /// Adds the end of the item that was opened last.
    pub(super) fn close(&mut self, end: &'static str) {
        self.limit += end.len();
        self.text.push_str(end);
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

/// A list of what a section has no room for: names as far as they fit, then a count.
pub(super) fn left_out<'a>(
    what: &str,
    names: impl ExactSizeIterator<Item = &'a [u8]>,
    limit: usize,
) -> String {
    let count = names.len();
    if count == 0 {
        return String::new();
    }
    let mut list = LimitedPart::new(limit);
    let mut named = 0;
    for one in names {
        if !list.push(&format!("<li>{}</li>", code(one))) {
            break;
        }
        named += 1;
    }
    let mut out = String::new();
    push(
        &mut out,
        format_args!(
            "<details class=\"more\"><summary>{count} more {what}, not shown for size</summary><ul>{}</ul>",
            list.finish()
        ),
    );
    if named < count {
        let rest = count - named;
        push(
            &mut out,
            format_args!(
                "<p>… and {rest} more. <code>guard lint --format json</code> lists all.</p>"
            ),
        );
    }
    out.push_str("</details>");
    out
}

/// A section with its heading.
pub(super) fn section(id: &str, heading: &str, lead: &str, content: &str) -> String {
    let lead = match lead {
        "" => String::new(),
        lead => format!("<p class=\"lead\">{lead}</p>"),
    };
    format!(
        "<section id=\"{id}\" aria-labelledby=\"h-{id}\"><h2 id=\"h-{id}\">{heading}</h2>{lead}{content}</section>\n"
    )
}

pub(super) fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_hostile_characters_do_not_survive() {
        assert_eq!(
            html("<a b=\"c\" d='e'>&"),
            "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;"
        );
        assert_eq!(name(b"a\x1b<b>\xff"), "&quot;a\\033&lt;b&gt;\\377&quot;");
        assert_eq!(prose("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(line("a\tb\u{202e}\0<"), "a\tb\u{fffd}\u{fffd}&lt;");
    }

    #[test]
    fn what_does_not_fit_is_named_and_the_rest_counted() {
        let names: Vec<&[u8]> = vec![b"a", b"b", b"c"];
        let one = "<li><code><bdi>a</bdi></code></li>".len();
        let out = left_out("files", names.into_iter(), 2 * one);
        assert!(
            out.contains("3 more files") && out.contains("… and 1 more"),
            "{out}"
        );
        assert!(out.contains(">b<") && !out.contains(">c<"), "{out}");
        assert_eq!(left_out("files", std::iter::empty(), 9), "");
    }
}
