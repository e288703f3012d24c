//! Tracks open raw HTML elements.
//!
//! CommonMark ends an HTML block at a blank line, not at the end tag, so Markdown below a `<details>` is still inside
//! it. If browsers could disagree, the element counts as open, and its content is not granted.

use super::tag::{RawHeading, STRIKES, Tag, raw_heading, tag};

/// An element whose end tag has not come yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Element {
    /// In lower case; `!--` is a comment.
    pub(super) name: String,
    /// The start of its tag.
    pub(super) start: usize,
}

/// A part of the rendered document that closes the elements opened in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HtmlPart {
    /// A paragraph or heading.
    Text,
    /// A quote, list item or footnote.
    Container,
    /// A cell of a table.
    Cell,
}

const VOID: &[&str] = &[
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "image", "img",
    "input", "keygen", "link", "meta", "param", "source", "track", "wbr",
];
/// Elements that end where the enclosing element ends.
const OPTIONAL_END: &[&str] = &[
    "caption", "colgroup", "dd", "dt", "li", "optgroup", "option", "rp", "rt", "tbody", "td",
    "tfoot", "th", "thead", "tr",
];
/// Tags that GitHub shows as text, but that make other renderers ignore later tags.
const FILTERED: &[&str] = &[
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
/// Elements that close a paragraph, so the end of the paragraph does not close them.
const BLOCK: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "li",
    "listing",
    "main",
    "menu",
    "nav",
    "ol",
    "pre",
    "search",
    "section",
    "summary",
    "ul",
];
/// Elements that Markdown writes too: the end tag closes the inner one.
const CONTAINERS: &[&str] = &["blockquote", "li", "ol", "section", "ul"];
/// Elements that only their own end tag closes.
const ISOLATED: &[&str] = &[
    "applet", "button", "caption", "frameset", "marquee", "math", "object", "select", "svg",
    "table", "td", "template", "th",
];
impl HtmlPart {
    fn keeps(self, name: &str) -> bool {
        ISOLATED.contains(&name)
            || (self != HtmlPart::Cell && STRIKES.contains(&name))
            || (self == HtmlPart::Text && BLOCK.contains(&name))
            || (self == HtmlPart::Container && CONTAINERS.contains(&name))
    }
}

/// The open elements at the current position.
#[derive(Default)]
pub(super) struct OpenElements {
    stack: Vec<Element>,
    /// For each part being read, the number of elements open at its start.
    parts: Vec<(HtmlPart, usize)>,
    /// A construct after which the open elements are unknown.
    lost: Option<Element>,
}

impl OpenElements {
    /// The element around everything from here on.
    pub(super) fn around(&self) -> Option<&Element> {
        self.lost.as_ref().or(self.stack.first())
    }

    pub(super) fn enter(&mut self, part: HtmlPart) {
        self.parts.push((part, self.stack.len()));
    }

    pub(super) fn leave(&mut self) {
        let Some((part, height)) = self.parts.pop() else {
            return;
        };
        // If such an element hides the end tag of the part, its own end tag comes too late.
        let mut opened = self.stack.iter().skip(height);
        if let Some(element) = opened
            .find(|element| ISOLATED.contains(&element.name.as_str()))
            .cloned()
        {
            self.lost.get_or_insert(element);
        }
        let mut index = 0;
        self.stack.retain(|element| {
            index += 1;
            index <= height || part.keeps(&element.name)
        });
    }

    /// Reads an inline tag or comment.
    pub(super) fn inline(&mut self, html: &str, start: usize) {
        let is_filtered = tag(html.get(1..).unwrap_or(""))
            .is_some_and(|tag| FILTERED.contains(&tag.name.as_str()));
        if !is_filtered {
            self.block(html, start);
        }
    }

    /// Gives up: from here on, the open elements are unknown.
    pub(super) fn give_up(&mut self, start: usize) {
        self.lost.get_or_insert(Element {
            name: "!".to_owned(),
            start,
        });
    }

    /// Reads a tag alone on a line of a quote or list. Some renderers place it outside the quote, so that only an end
    /// tag outside closes it.
    pub(super) fn alone(&mut self, html: &str, start: usize) {
        let parts = std::mem::take(&mut self.parts);
        self.block(html, start);
        self.parts = parts;
        let height = self.stack.len();
        for (_, at) in &mut self.parts {
            *at = height;
        }
    }

    /// Reads raw HTML and returns the headings in it.
    pub(super) fn block(&mut self, html: &str, start: usize) -> Vec<RawHeading> {
        let mut headings = Vec::new();
        let mut cursor = 0;
        while let Some(found) = html.get(cursor..).and_then(|rest| rest.find('<'))
            && self.lost.is_none()
        {
            let at = cursor + found;
            let rest = html.get(at + 1..).unwrap_or("");
            let Some(length) = self.markup(rest, start + at) else {
                break;
            };
            cursor = at + 1 + length;
            headings.extend(raw_heading(rest, length, start + at));
        }
        headings
    }

    /// Reads markup at a `<` and returns its length; `None` if it does not end.
    fn markup(&mut self, rest: &str, start: usize) -> Option<usize> {
        let element = |name: &str| Element {
            name: name.to_owned(),
            start,
        };
        if let Some(body) = rest.strip_prefix("!--") {
            if let Some(mark) = [">", "->"].iter().find(|mark| body.starts_with(**mark)) {
                return Some(3 + mark.len());
            }
            match comment_end(body) {
                Some((end, true)) => return Some(3 + end),
                // A comment hides end tags, too.
                _ => self.lost = Some(element("!--")),
            }
            return None;
        }
        let is_bogus = rest.starts_with(['!', '?'])
            || (rest.starts_with('/')
                && !rest
                    .get(1..)
                    .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic())));
        if is_bogus {
            let end = rest.find('>');
            if end.is_none() {
                self.lost = Some(element("!"));
            }
            return end.map(|end| end + 1);
        }
        if !rest
            .trim_start_matches('/')
            .starts_with(|c: char| c.is_ascii_alphabetic())
        {
            return Some(0);
        }
        let Some(tag) = tag(rest) else {
            self.lost = Some(element("!"));
            return None;
        };
        if tag.is_end {
            self.close(&tag.name, start);
        } else {
            self.open(&tag, rest.get(tag.length..).unwrap_or(""), start);
        }
        Some(tag.length)
    }

    fn open(&mut self, tag: &Tag<'_>, behind: &str, start: usize) {
        let name = tag.name.as_str();
        // The next Markdown block closes a `<p>`.
        if name == "p" || VOID.contains(&name) {
            return;
        }
        let element = Element {
            name: tag.name.clone(),
            start,
        };
        if FILTERED.contains(&name) {
            let closes = behind
                .find('<')
                .and_then(|at| behind.get(at + 1..))
                .and_then(super::tag::tag)
                .is_some_and(|next| next.is_end && next.name == name);
            if !closes {
                self.lost = Some(element);
            }
            return;
        }
        let repeats = OPTIONAL_END.contains(&name)
            && self.stack.len() > self.floor()
            && self.stack.last().is_some_and(|last| last.name == name);
        if repeats {
            self.stack.pop();
        }
        self.stack.push(element);
    }

    fn close(&mut self, name: &str, start: usize) {
        let floor = self.floor();
        let found = self
            .stack
            .iter()
            .enumerate()
            .skip(floor)
            .rev()
            .find(|(_, element)| {
                element.name == name || !OPTIONAL_END.contains(&element.name.as_str())
            });
        match found {
            Some((index, element)) if element.name == name => self.stack.truncate(index),
            // It ends the list or quote that Markdown has started.
            None if !self.parts.is_empty() && CONTAINERS.contains(&name) => self.give_up(start),
            _ => {}
        }
    }

    /// The number of elements open at the start of the innermost container.
    fn floor(&self) -> usize {
        self.parts
            .iter()
            .rev()
            .find(|(part, _)| *part != HtmlPart::Text)
            .map_or(0, |(_, height)| *height)
    }
}

/// The length up to the end of a comment, and whether it is the usual `-->`.
fn comment_end(body: &str) -> Option<(usize, bool)> {
    let usual = body.find("-->").map(|at| (at + 3, true));
    let odd = body.find("--!>").map(|at| (at + 4, false));
    usual.into_iter().chain(odd).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(html: &str) -> Option<String> {
        let mut elements = OpenElements::default();
        elements.block(html, 0);
        elements.around().map(|element| element.name.clone())
    }

    #[test]
    fn an_end_tag_closes_its_element() {
        for closed in [
            "<div><b>x</b></div>",
            "<ul><li>a<li>b</ul>",
            "<table><tr><td>a<td>b<tr><td>c</table>",
            "<br><img src=x><hr/>",
            "<p><p>",
            "</div>",
            "a < b </> <",
            "<div a='>' b=\">\" c=x>x</div >",
            "<!-- <div> --><!--><!--->",
            "<!DOCTYPE html><?x y?>",
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
            ("<div><s></div>", "div"),
            ("<div><template></div>", "div"),
            ("<details><img alt='</details>'>", "details"),
            ("<details><!-- </details> -->", "details"),
            ("<details></detail></ details>", "details"),
            ("<a\nhref=\"x", "!"),
            ("<!-- x", "!--"),
            ("<!-- --!> -->", "!--"),
            ("<script>\n<details>\n</script>", "script"),
            ("<textarea><!-- </textarea>", "textarea"),
        ] {
            assert_eq!(open(html).as_deref(), Some(name), "{html}");
        }
    }

    #[test]
    fn end_of_a_block_closes_elements_opened_in_it() {
        for (part, html, stays) in [
            (HtmlPart::Text, "<span>", false),
            (HtmlPart::Text, "<div>", true),
            (HtmlPart::Text, "<s>", true),
            (HtmlPart::Container, "<div>", false),
            (HtmlPart::Container, "<s>", true),
            (HtmlPart::Cell, "<s>", false),
            (HtmlPart::Cell, "<template>", true),
        ] {
            let mut elements = OpenElements::default();
            elements.enter(part);
            elements.inline(html, 0);
            elements.leave();
            assert_eq!(elements.around().is_some(), stays, "{html} in {part:?}");
        }
        let mut elements = OpenElements::default();
        elements.block("<div>", 0);
        elements.enter(HtmlPart::Container);
        elements.block("</div>", 5);
        elements.leave();
        assert!(elements.around().is_some());
    }
}
