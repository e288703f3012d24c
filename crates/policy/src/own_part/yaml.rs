//! A YAML document as a tree whose nodes know their lines, so that lines can be taken out of the text.

use std::ops::RangeInclusive;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};
use serde_json::{Map, Value};

/// A node.
#[derive(Debug, Clone)]
pub(super) struct YamlNode {
    /// Its lines, 1-based.
    pub(super) lines: RangeInclusive<usize>,
    /// Whether it has neither an anchor nor a tag.
    is_plain: bool,
    pub(super) kind: YamlNodeKind,
}

#[derive(Debug, Clone)]
pub(super) enum YamlNodeKind {
    Text(String),
    List(Vec<YamlNode>),
    Map(Vec<YamlEntry>),
    /// What stands for another node.
    Alias,
}

/// A key and its value.
#[derive(Debug, Clone)]
pub(super) struct YamlEntry {
    pub(super) key: String,
    pub(super) value: YamlNode,
    /// The lines of both.
    pub(super) lines: RangeInclusive<usize>,
}

/// Deeper documents are not read.
const DEEPEST: usize = 40;

/// The only document of a text, which must be a mapping without repeated keys; `None` if it is anything else. An empty
/// text has no entries.
pub(super) fn entries(text: &str) -> Option<Vec<YamlEntry>> {
    let mut reader = YamlReader {
        events: Parser::new_from_str(text),
        text,
    };
    let (Event::StreamStart, _) = reader.next()? else {
        return None;
    };
    match reader.next()? {
        (Event::DocumentStart(_), _) => {}
        (Event::StreamEnd, _) => return Some(Vec::new()),
        _ => return None,
    }
    let (event, span) = reader.next()?;
    let root = reader.node(event, span, 0)?;
    let (Event::DocumentEnd, _) = reader.next()? else {
        return None;
    };
    let (Event::StreamEnd, _) = reader.next()? else {
        return None;
    };
    match root.kind {
        YamlNodeKind::Map(entries) => Some(entries),
        YamlNodeKind::Text(word) if word.is_empty() || word == "~" => Some(Vec::new()),
        _ => None,
    }
}

struct YamlReader<'t> {
    events: Parser<'t, StrInput<'t>>,
    text: &'t str,
}

impl<'t> YamlReader<'t> {
    fn next(&mut self) -> Option<(Event<'t>, Span)> {
        self.events.next_event()?.ok()
    }

    fn node(&mut self, event: Event<'t>, span: Span, depth: usize) -> Option<YamlNode> {
        if depth > DEEPEST {
            return None;
        }
        let first = span.start.line();
        let mut last = first;
        let (is_plain, kind) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                last = self.last_line(&span, style).max(first);
                (
                    anchor == 0 && tag.is_none(),
                    YamlNodeKind::Text(text.into_owned()),
                )
            }
            Event::SequenceStart(anchor, tag) => {
                let mut items = Vec::new();
                loop {
                    let (next, place) = self.next()?;
                    if matches!(next, Event::SequenceEnd) {
                        last = last.max(self.end_of_flow(&span, &place));
                        break;
                    }
                    let item = self.node(next, place, depth + 1)?;
                    last = last.max(*item.lines.end());
                    items.push(item);
                }
                (anchor == 0 && tag.is_none(), YamlNodeKind::List(items))
            }
            Event::MappingStart(anchor, tag) => {
                let mut entries: Vec<YamlEntry> = Vec::new();
                loop {
                    let (next, place) = self.next()?;
                    if matches!(next, Event::MappingEnd) {
                        last = last.max(self.end_of_flow(&span, &place));
                        break;
                    }
                    let entry = self.entry(next, place, depth)?;
                    if entries.iter().any(|known| known.key == entry.key) {
                        return None;
                    }
                    last = last.max(*entry.lines.end());
                    entries.push(entry);
                }
                (anchor == 0 && tag.is_none(), YamlNodeKind::Map(entries))
            }
            Event::Alias(_) => (false, YamlNodeKind::Alias),
            _ => return None,
        };
        Some(YamlNode {
            lines: first..=last,
            is_plain,
            kind,
        })
    }

    fn entry(&mut self, key: Event<'t>, place: Span, depth: usize) -> Option<YamlEntry> {
        let Event::Scalar(key, ..) = key else {
            return None;
        };
        let first = place.start.line();
        let (event, span) = self.next()?;
        let value = self.node(event, span, depth + 1)?;
        // A value that is not there has the place of what follows.
        let is_missing = matches!(&value.kind, YamlNodeKind::Text(text) if text.is_empty());
        let last = if is_missing {
            first
        } else {
            *value.lines.end()
        };
        Some(YamlEntry {
            key: key.into_owned(),
            lines: first..=last.max(first),
            value,
        })
    }

    /// The last line of a scalar; that of a block ends before the line that follows it.
    fn last_line(&self, span: &Span, style: ScalarStyle) -> usize {
        let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        let end = span.end.line();
        if is_block && span.end.col() == 0 {
            end.saturating_sub(1)
        } else {
            end
        }
    }

    /// The line of the bracket that ends a list or mapping in brackets; 0 for one that only its indentation ends.
    fn end_of_flow(&self, start: &Span, end: &Span) -> usize {
        let line = self.text.lines().nth(start.start.line().saturating_sub(1));
        let opening = line.and_then(|line| line.chars().nth(start.start.col()));
        if matches!(opening, Some('[' | '{')) {
            end.start.line()
        } else {
            0
        }
    }
}

impl YamlNode {
    /// The node without its lines, if it consists of plain texts, lists and mappings.
    pub(super) fn value(&self) -> Option<Value> {
        if !self.is_plain {
            return None;
        }
        Some(match &self.kind {
            YamlNodeKind::Text(text) => Value::String(text.clone()),
            YamlNodeKind::List(items) => {
                items.iter().map(YamlNode::value).collect::<Option<_>>()?
            }
            YamlNodeKind::Map(entries) => Value::Object(values(entries)?),
            YamlNodeKind::Alias => return None,
        })
    }

    /// The node for a comparison, without its lines and marks.
    pub(super) fn shown(&self) -> String {
        match &self.kind {
            YamlNodeKind::Text(text) => format!("{text:?}"),
            YamlNodeKind::List(items) => {
                let items: Vec<String> = items.iter().map(YamlNode::shown).collect();
                format!("[{}]", items.join(", "))
            }
            YamlNodeKind::Map(entries) => {
                let entries: Vec<String> = entries
                    .iter()
                    .map(|entry| format!("{}: {}", entry.key, entry.value.shown()))
                    .collect();
                format!("{{{}}}", entries.join(", "))
            }
            YamlNodeKind::Alias => "*".to_owned(),
        }
    }

    /// The items of a list that has one item per line or more.
    pub(super) fn items(&self) -> &[YamlNode] {
        match &self.kind {
            YamlNodeKind::List(items) if self.is_plain => items,
            _ => &[],
        }
    }

    /// The entries of a mapping.
    pub(super) fn entries(&self) -> &[YamlEntry] {
        match &self.kind {
            YamlNodeKind::Map(entries) if self.is_plain => entries,
            _ => &[],
        }
    }
}

/// Entries without their lines.
pub(super) fn values(entries: &[YamlEntry]) -> Option<Map<String, Value>> {
    entries
        .iter()
        .map(|entry| Some((entry.key.clone(), entry.value.value()?)))
        .collect()
}

/// The text without these lines, and they alone; `None` if one of them has something beside a node of its own, as in
/// `[{a}, {b}]`. Where only comments are left, nothing is.
pub(super) fn split_lines(text: &str, cut: &[RangeInclusive<usize>]) -> Option<(String, String)> {
    for lines in cut {
        let first = text.lines().nth(lines.start().checked_sub(1)?)?;
        let begins = first.trim_start();
        if begins.starts_with(['[', '{', ']', '}']) || first.contains("- - ") {
            return None;
        }
    }
    let mut rest = String::new();
    let mut part = String::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if cut.iter().any(|lines| lines.contains(&number)) {
            part.push_str(line);
        } else {
            rest.push_str(line);
        }
    }
    if !part.is_empty() && rest.lines().all(says_nothing) {
        rest.clear();
    }
    Some((rest, part))
}

/// Whether the line is blank, a comment, or the mark at which a document begins.
fn says_nothing(line: &str) -> bool {
    let line = line.trim();
    matches!(line, "" | "---") || line.starts_with('#')
}
