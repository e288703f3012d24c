//! Tracks open raw HTML elements.
//!
//! CommonMark ends an HTML block at a blank line, not at the end tag, so Markdown below a `<details>` is still inside
//! it. In doubt the rest of the document counts as enclosed, and is not granted.

use std::sync::LazyLock;

use regex_lite::Regex;

use super::words::pattern;

/// Elements that a browser closes neither with the paragraph nor with the end tag of an element around them.
const LASTING: &[&str] = &[
    "address",
    "applet",
    "article",
    "aside",
    "blockquote",
    "button",
    "caption",
    "center",
    "colgroup",
    "dd",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "li",
    "main",
    "marquee",
    "menu",
    "nav",
    "ol",
    "optgroup",
    "option",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
];
/// Those that also hide or strike out what they hold.
const HIDING: &[&str] = &[
    "details", "dialog", "listing", "math", "noscript", "object", "pre", "s", "select", "strike",
    "svg", "template",
];
/// Tags that GitHub shows as text, and other readers obey.
const SHOWN: &[&str] = &[
    "iframe",
    "noembed",
    "noframes",
    "plaintext",
    "script",
    "style",
    "textarea",
    "title",
    "xmp",
];
/// Headings, which may end or exclude a section.
const HEADINGS: &[&str] = &["h1", "h2", "h3", "h4", "h5", "h6"];
/// Elements that strike text out.
const STRIKING: &[&str] = &["del", "s", "strike"];
/// The maximum number of open elements.
const MAX_OPEN: usize = 256;

/// An element whose end tag has not come yet.
#[derive(Debug, Clone)]
pub(super) struct Element {
    /// In lower case; empty if it is unclear what begins there.
    pub(super) name: String,
    /// The start of its tag.
    pub(super) start: usize,
    /// Whether only its own end tag closes it.
    is_lasting: bool,
}

/// The open elements at the current position.
#[derive(Default)]
pub(super) struct OpenElements {
    stack: Vec<Element>,
    /// What makes the rest of the document unclear.
    lost: Option<Element>,
    /// The number of elements open around the current text.
    floor: usize,
}

impl OpenElements {
    /// The element around everything from here on.
    pub(super) fn around(&self) -> Option<&Element> {
        self.lost.as_ref().or(self.stack.first())
    }

    /// Gives up: what follows may be enclosed.
    pub(super) fn give_up(&mut self, name: &str, start: usize) {
        self.lost.get_or_insert(Element {
            name: name.to_owned(),
            start,
            is_lasting: true,
        });
    }

    /// Starts a text whose elements end with it.
    pub(super) fn enter(&mut self) {
        self.floor = self.stack.len();
    }

    /// Ends that text.
    pub(super) fn leave(&mut self) {
        let opened = self.stack.drain(self.floor..);
        let lasting = opened.into_iter().find(|element| element.is_lasting);
        self.lost = self.lost.take().or(lasting);
        self.floor = 0;
    }

    /// Reads a block of HTML at the top level, or HTML in a text.
    pub(super) fn read(&mut self, html: &str, start: usize, is_block: bool) {
        let mut cursor = 0;
        while self.lost.is_none()
            && let Some((at, found)) = next_tag(html, &mut cursor)
        {
            let Ok(tag) = found else {
                return self.give_up("", start + at);
            };
            if is_block || !SHOWN.contains(&tag.name.as_str()) {
                self.tag(&tag, start + at);
            }
        }
    }

    fn tag(&mut self, tag: &Tag<'_>, start: usize) {
        let hides = HIDING.contains(&tag.name.as_str())
            || SHOWN.contains(&tag.name.as_str())
            || tag.hides();
        let is_lasting = hides || LASTING.contains(&tag.name.as_str());
        if tag.is_end {
            let open = self.stack.get(self.floor..).unwrap_or(&[]);
            let opened = open.iter().rposition(|element| element.name == tag.name);
            match opened.map(|at| open.split_at(at + 1)) {
                Some((_, inner)) if inner.iter().all(|element| !element.is_lasting) => {
                    self.stack.truncate(self.stack.len() - inner.len() - 1);
                }
                // Browsers ignore it.
                None if !is_lasting => {}
                _ => self.give_up(&tag.name, start),
            }
        } else if HEADINGS.contains(&tag.name.as_str()) || self.stack.len() == MAX_OPEN {
            // A heading, which may end or exclude the section.
            self.give_up(&tag.name, start);
        } else if !(tag.is_harmless() && self.stack.is_empty()) {
            self.stack.push(Element {
                name: tag.name.clone(),
                start,
                is_lasting,
            });
        }
    }
}

/// Elements that change how text looks without hiding it. The next block ends a `<p>`.
const HARMLESS: &[&str] = &[
    "a", "abbr", "b", "big", "br", "cite", "code", "em", "hr", "i", "img", "input", "ins", "kbd",
    "mark", "p", "q", "samp", "small", "span", "strong", "sub", "sup", "tt", "u", "var", "wbr",
];

/// Whether a tag breaks the line: `<br>`, `<br/>`.
pub(super) fn is_break(tag: &str) -> bool {
    "br".eq_ignore_ascii_case(tag.trim_matches(['<', '>', '/', ' ']))
}

/// One tag with its attributes.
pub(super) struct Tag<'a> {
    /// In lower case.
    pub(super) name: String,
    attributes: &'a str,
    pub(super) is_end: bool,
}

impl Tag<'_> {
    /// Whether its attributes may hide what the element holds.
    pub(super) fn hides(&self) -> bool {
        let attributes = self.attributes.to_ascii_lowercase();
        attributes.contains("hidden") || attributes.contains("style")
    }

    /// Whether the text after it is as visible as before.
    pub(super) fn is_harmless(&self) -> bool {
        HARMLESS.contains(&self.name.as_str()) && !self.hides()
    }

    /// Whether it strikes text out.
    pub(super) fn strikes(&self) -> bool {
        STRIKING.contains(&self.name.as_str())
    }
}

/// The next tag and its start; the cursor moves behind it. Comments and the like are passed over.
///
/// # Errors
/// At the offset, there is markup without an end, or with one on which readers of HTML differ.
pub(super) fn next_tag<'a>(
    html: &'a str,
    cursor: &mut usize,
) -> Option<(usize, Result<Tag<'a>, ()>)> {
    loop {
        let at = *cursor + html.get(*cursor..)?.find('<')?;
        let rest = html.get(at + 1..)?;
        let (tag, length) = match rest.chars().next() {
            Some('!' | '?') => (None, declaration(rest)),
            Some(c) if c == '/' || c.is_ascii_alphabetic() => tag(rest).unzip(),
            _ => (None, Some(0)),
        };
        let Some(length) = length else {
            return Some((at, Err(())));
        };
        *cursor = at + 1 + length;
        if let Some(tag) = tag {
            return Some((at, Ok(tag)));
        }
    }
}

/// The length of a comment, declaration or the like.
fn declaration(rest: &str) -> Option<usize> {
    let kinds = [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>"), ("!", ">")];
    let (begin, end) = kinds
        .into_iter()
        .find(|(begin, _)| rest.starts_with(begin))?;
    let (inner, _) = rest.get(begin.len()..)?.split_once(end)?;
    let is_clear = match begin {
        "!--" => !inner.starts_with('>') && !inner.starts_with("->") && !inner.contains("--!>"),
        // Browsers end all others at the first `>`.
        _ => !inner.contains('>'),
    };
    is_clear.then_some(begin.len() + inner.len() + end.len())
}

/// A tag after its `<`, as a browser reads it: whether it ends an element, the name and the attributes.
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    let tag = concat!(
        r#"^(/?)([A-Za-z][^_/>]*)"#,
        r#"((?:[_/]+|[^_/>=]+(?:[_]*=[_]*(?:"[^"]*"|'[^']*'|[^_>"'][^_>]*))?)*)>"#
    );
    pattern(&tag.replace('_', r" \t\n\f\r"))
});

/// The tag after a `<`, and its length.
fn tag(text: &str) -> Option<(Tag<'_>, usize)> {
    let (whole, [is_end, name, attributes]) = TAG.captures(text)?.extract();
    let tag = Tag {
        name: name.to_ascii_lowercase(),
        attributes,
        is_end: !is_end.is_empty(),
    };
    Some((tag, whole.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(html: &str) -> Option<String> {
        let mut elements = OpenElements::default();
        elements.read(html, 0, true);
        elements.around().map(|element| element.name.clone())
    }

    #[test]
    fn an_end_tag_closes_its_element() {
        for closed in [
            "<div><b>x</b></div>",
            "<div><b>x<i></div>",
            "<br><img src=x><hr/>",
            "<p><p>",
            "<div a='>' b=\">\" c=x>x</div >",
            "<span hidden><span></span></span>",
            "<task>Vec<T></task>",
            "<style>a{}</style>",
        ] {
            assert_eq!(open(closed), None, "{closed}");
        }
    }

    #[test]
    fn in_doubt_an_element_stays_open() {
        for (html, name) in [
            ("<div>", "div"),
            ("<DIV/>", "div"),
            ("</div>", "div"),
            ("<div><s></div>", "div"),
            ("<ul><li>a<li>b</ul>", "ul"),
            ("<span hidden><span></span>", "span"),
            ("<details><img alt='</details>'>", "details"),
            ("<details><!-- </details> -->", "details"),
            ("<a\nhref=\"x", ""),
            ("<font color=white>", "font"),
            ("<h2>x</h2>", "h2"),
        ] {
            assert_eq!(open(html).as_deref(), Some(name), "{html}");
        }
    }

    #[test]
    fn an_open_element_is_placed_where_its_tag_begins() {
        for (html, at) in [
            ("<b></b> <div>", 8),
            ("x <a\nhref=\"x", 2),
            ("<br> </div>", 5),
            ("a <h2>", 2),
        ] {
            let mut elements = OpenElements::default();
            elements.read(html, 100, true);
            let start = elements.around().map(|element| element.start);
            assert_eq!(start, Some(100 + at), "{html}");
        }
    }

    #[test]
    fn end_of_a_text_closes_only_ordinary_elements() {
        for (html, stays) in [
            ("<span>", false),
            ("<T>", false),
            ("</T>", false),
            ("<title>", false),
            ("<div>", true),
            ("<s>", true),
            ("<b hidden>", true),
            ("<font color=white>", false),
            ("</ul>", true),
        ] {
            let mut elements = OpenElements::default();
            elements.enter();
            elements.read(html, 0, false);
            elements.leave();
            assert_eq!(elements.around().is_some(), stays, "{html}");
        }
        let mut elements = OpenElements::default();
        elements.read("<div>", 0, true);
        elements.enter();
        elements.read("</div>", 5, false);
        elements.leave();
        assert!(elements.around().is_some());
    }

    #[test]
    fn attributes_end_as_in_a_browser() {
        for (text, attributes) in [
            ("a b='>' c>x", " b='>' c"),
            ("a b'>'>", " b'"),
            ("a b = \">\">", " b = \">\""),
            ("/a b=x/y>", " b=x/y"),
        ] {
            let found = tag(text).map(|(tag, _)| tag.attributes);
            assert_eq!(found, Some(attributes), "{text}");
        }
        for text in ["a b='>", "1>", "/ a>", "a =\">", "a"] {
            assert!(tag(text).is_none(), "{text}");
        }
    }

    #[test]
    fn comments_and_declarations() {
        for clear in ["<!-- <a> -->", "<!DOCTYPE html>", "<?x y?>", "a < b"] {
            assert!(next_tag(clear, &mut 0).is_none(), "{clear}");
        }
        for doubtful in [
            "<!-- x",
            "<!-- --!> -->",
            "<!-->",
            "<!--->",
            // Browsers end these two at the first `>`.
            "<!--> -->",
            "<!---> -->",
            "<?x <a> ?>",
            "<![CDATA[ <a> ]]>",
        ] {
            assert!(
                matches!(next_tag(doubtful, &mut 0), Some((0, Err(())))),
                "{doubtful}"
            );
        }
    }

    #[test]
    fn the_tag_behind_a_comment_or_declaration_is_the_next_one() {
        for hidden in [
            "<!--<i>-->",
            "<!-- > -> -->",
            "<!---->",
            "<!DOCTYPE html>",
            "<!x>",
            "<?x y?>",
            "<![CDATA[x]]>",
        ] {
            let html = format!("{hidden}<b>");
            let found = next_tag(&html, &mut 0);
            let found = found.map(|(at, tag)| (at, tag.is_ok_and(|tag| tag.name == "b")));
            assert_eq!(found, Some((hidden.len(), true)), "{hidden}");
        }
    }
}
