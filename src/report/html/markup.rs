//! Writes HTML: everything that comes from a repository is escaped, and each list has a limit.

use crate::report::texts;
pub(super) use crate::report::texts::markup as html;
use write_guard_policy::path::{escaped, is_hostile};

/// The longest sentence or name.
const MOST_CHARS: usize = 1000;
/// The bytes of most lists, so that a page of all sections stays below 5 MB.
pub(super) const LIMIT: usize = 400_000;

/// A sentence of guard, on one line.
pub(super) fn prose(text: &str) -> String {
    html(&texts::clip(&texts::text(text), MOST_CHARS))
}

/// A name from the repository, with hostile characters spelled out.
pub(super) fn name(name: &[u8]) -> String {
    let shown = escaped(name).to_string();
    html(&texts::clip(&shown, MOST_CHARS))
}

/// A name as code, apart from the direction of the text around it.
pub(super) fn code(text: &[u8]) -> String {
    format!("<code><bdi>{}</bdi></code>", name(text))
}

/// The start of a commit's id.
pub(super) fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}

/// A line of a file, whose hostile characters are spelled out already.
pub(super) fn line(text: &str) -> String {
    html(&text.replace(|c| c != '\t' && is_hostile(c), "\u{fffd}"))
}

/// A word in a coloured frame.
pub(super) fn tag(class: &str, word: &str) -> String {
    format!(" <span class=\"tag {class}\">{word}</span>")
}

/// The first `most` items between `tags`, and the others folded below, as far as they fit into `limit` bytes.
pub(super) fn folded(
    what: &str,
    (open, close): (&str, &str),
    (most, limit): (usize, usize),
    items: impl ExactSizeIterator<Item = String>,
) -> String {
    let count = items.len();
    let mut first = String::new();
    let mut rest = String::new();
    let mut left_out = 0;
    for (at, item) in items.enumerate() {
        if first.len() + rest.len() + item.len() > limit {
            left_out += 1;
        } else if at < most {
            first += &item;
        } else {
            rest += &item;
        }
    }
    let mut out = format!("{open}{first}{close}");
    if !rest.is_empty() {
        out += &format!(
            "<details class=\"more\"><summary>{} more {what}</summary>\
             {open}{rest}{close}</details>",
            count - most
        );
    }
    out + &not_shown(left_out, what)
}

/// How much a section has no room for.
pub(super) fn not_shown(count: usize, what: &str) -> String {
    match count {
        0 => String::new(),
        count => format!(
            "<p class=\"more\">{count} more {what}, not shown for size. \
             <code>guard lint --format json</code> lists all.</p>"
        ),
    }
}

/// A section and its entry in the navigation.
pub(super) struct PagePart {
    pub(super) entry: String,
    pub(super) section: String,
}

/// The section with this id and heading, of which `count` says how much is in it; `None` for an empty one.
pub(super) fn part(
    (id, heading): (&str, &str),
    count: usize,
    lead: &str,
    content: String,
) -> Option<PagePart> {
    (count > 0).then(|| PagePart {
        entry: format!("<li><a href=\"#{id}\">{heading} <b>{count}</b></a></li>"),
        section: section(id, heading, lead, &content),
    })
}

/// A section with its heading.
pub(super) fn section(id: &str, heading: &str, lead: &str, content: &str) -> String {
    let lead = match lead {
        "" => String::new(),
        lead => format!("<p class=\"lead\">{lead}</p>"),
    };
    format!(
        "<section id=\"{id}\" aria-labelledby=\"h-{id}\"><h2 id=\"h-{id}\">{heading}</h2>\
         {lead}{content}</section>\n"
    )
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
    fn what_does_not_fit_is_counted() {
        let list = |most, length| {
            let items = ["a", "b", "c", "d"].map(|name| name.repeat(length));
            folded("files", ("<ul>", "</ul>"), (most, 1000), items.into_iter())
        };
        let all = list(4, 100);
        assert!(all.contains("ddd") && !all.contains("more files"), "{all}");
        let folded = list(1, 100);
        assert!(
            folded.contains("<summary>3 more files</summary><ul>bbb"),
            "{folded}"
        );
        let cut = list(4, 300);
        assert!(
            !cut.contains("ddd") && cut.contains("1 more files, not shown"),
            "{cut}"
        );
    }
}
