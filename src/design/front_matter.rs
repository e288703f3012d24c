//! The YAML front matter: lists of paths that the work may change, and of paths that it must not.

use std::borrow::Cow;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};

use super::words::words;
use super::{DesignText, Problem, WrittenPath, paths, placeholders, problem};

/// Keys whose paths may be added and modified.
const ALLOWING: &[&str] = &["allowed_paths", "allowed_files", "files_modified"];
/// Keys whose paths no row of the design grants.
const FORBIDDING: &[&str] = &["forbidden_paths", "forbidden_files"];
/// Words of keys that deny something. guard refuses a key with one that it does not know.
const DENYING_WORDS: &[&str] = &[
    "forbidden",
    "denied",
    "deny",
    "excluded",
    "exclude",
    "protected",
    "readonly",
];

/// The range of the front matter's lines without its fences, and where the document continues.
pub(super) fn find(source: &DesignText<'_>) -> Option<(Range<usize>, usize)> {
    let text = source.slice(source.lines.range(1).start..source.text.len());
    let (fence, body) = text.split_once('\n')?;
    if fence.trim_end() != "---" || body.lines().next()?.trim().is_empty() {
        return None;
    }
    let mut lines = body.lines();
    let end = lines.find(|line| matches!(line.trim_end(), "---" | "..."))?;
    let end = source.span_of(end);
    Some((source.span_of(body).start..end.start, end.end))
}

/// What the front matter says about files.
#[derive(Default)]
pub(super) struct FrontMatter {
    pub(super) allowed: Vec<WrittenPath>,
    pub(super) forbidden: Vec<WrittenPath>,
    /// What cannot be read of what it allows.
    pub(super) faults: Vec<Problem>,
    /// What cannot be read of what it denies: the design must not be used without it.
    pub(super) refusals: Vec<Problem>,
}

/// Reads the front matter.
pub(super) fn parse(source: &DesignText<'_>, body: &Range<usize>) -> FrontMatter {
    let text = source.slice(body.clone());
    let mut found = FrontMatter::default();
    let entries = match entries(text) {
        Ok(entries) => entries,
        Err(at) => {
            let problem = problem::no_yaml().at(source.line_span(body.start + at));
            if text.lines().any(denies) {
                found.refusals.push(problem);
            } else {
                found.faults.push(problem);
            }
            return found;
        }
    };
    for entry in entries {
        let place = body.start + entry.key_span.start..body.start + entry.key_span.end;
        let key = entry.key.as_ref();
        let is_forbidding = FORBIDDING.contains(&key);
        if !is_forbidding && !ALLOWING.contains(&key) {
            // A merge may bring any key.
            if key == "<<" || denies(key) && entry.value.names_paths() {
                found.refusals.push(problem::unknown_denial(key).at(place));
            }
            continue;
        }
        if !entry.value.others.is_empty() {
            let problem = problem::front_matter(key).at(place);
            if is_forbidding {
                found.refusals.push(problem);
            } else {
                found.faults.push(problem);
            }
        }
        for string in entry.value.paths {
            let span = body.start + string.place.start..body.start + string.place.end;
            if placeholders::is_nothing(&string.text) {
                continue;
            }
            let path = WrittenPath::code(&string.text, span.clone());
            if is_forbidding {
                found.forbidden.push(path);
            } else if string.is_path() {
                found.allowed.push(path);
            } else {
                found
                    .faults
                    .push(problem::no_plain_path(&string.text).at(span));
            }
        }
    }
    found
}

/// Whether a key says that something is forbidden. Its words stand between `_`, `-` and blanks.
fn denies(key: &str) -> bool {
    let key = key.split(':').next().unwrap_or(key);
    let said = words(&key.replace(['_', '-'], " "));
    said.iter()
        .any(|word| DENYING_WORDS.contains(&word.as_str()))
        || said.windows(2).any(|pair| pair == ["read", "only"])
}

/// A key at the top level with its value.
struct Entry<'t> {
    key: Cow<'t, str>,
    key_span: Range<usize>,
    value: Value<'t>,
}

/// A string of one line.
struct YamlString<'t> {
    text: Cow<'t, str>,
    place: Range<usize>,
    is_quoted: bool,
}

impl YamlString<'_> {
    /// Whether it names a path and nothing else. Blanks belong to a path only in quotes.
    fn is_path(&self) -> bool {
        paths::is_bare_path(&self.text)
            || placeholders::is_placeholder(&self.text)
            || self.is_quoted && self.text.contains(' ') && paths::is_code_path(&self.text)
    }
}

/// What a key has.
#[derive(Default)]
struct Value<'t> {
    /// Plain and quoted strings of one line, alone or in a list.
    paths: Vec<YamlString<'t>>,
    /// The strings of everything else; one that is empty stands for what has none.
    others: Vec<Cow<'t, str>>,
}

impl<'t> Value<'t> {
    /// Adds a string. A block of text is no path; a plain `~`, `null` or nothing says that there is none.
    fn push(&mut self, text: Cow<'t, str>, style: ScalarStyle, place: Range<usize>) {
        let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        let is_null = style == ScalarStyle::Plain
            && matches!(text.as_ref(), "" | "~" | "null" | "Null" | "NULL");
        if is_block || text.contains('\n') {
            self.others.push(text);
        } else if !is_null {
            self.paths.push(YamlString {
                text,
                place,
                is_quoted: style != ScalarStyle::Plain,
            });
        }
    }

    /// Whether a string has a slash or a glob.
    fn names_paths(&self) -> bool {
        let paths = self.paths.iter().map(|string| &string.text);
        let mut strings = paths.chain(&self.others);
        strings.any(|text| text.contains(['/', '*']))
    }
}

/// The entries of the mapping at the top level.
///
/// # Errors
/// The text is not one YAML mapping without repeated keys; the offset of the place.
fn entries(text: &str) -> Result<Vec<Entry<'_>>, usize> {
    let mut reader = Reader {
        events: Parser::new_from_str(text),
        offsets: Offsets::new(text),
    };
    match reader.next()? {
        (Event::StreamStart, _) => {}
        (_, place) => return Err(place.start),
    }
    match reader.next()? {
        (Event::DocumentStart(_), _) => {}
        // Only comments.
        (_, _) => return Ok(Vec::new()),
    }
    match reader.next()? {
        (Event::MappingStart(..), _) => {}
        (_, place) => return Err(place.start),
    }
    let mut entries: Vec<Entry<'_>> = Vec::new();
    loop {
        let (key, key_span) = match reader.next()? {
            (Event::MappingEnd, _) => break,
            (Event::Scalar(key, _, 0, None), place) => (key, place),
            (_, place) => return Err(place.start),
        };
        if entries.iter().any(|entry| entry.key == key) {
            return Err(key_span.start);
        }
        entries.push(Entry {
            key,
            key_span,
            value: reader.value()?,
        });
    }
    // A second document would be read by nobody.
    match reader.next()? {
        (Event::DocumentEnd, _) => Ok(entries),
        (_, place) => Err(place.start),
    }
}

/// The events of a YAML text with their places in bytes.
struct Reader<'t> {
    events: Parser<'t, StrInput<'t>>,
    offsets: Offsets,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<(Event<'t>, Range<usize>), usize> {
        match self.events.next_event() {
            Some(Ok((event, span))) => Ok((event, self.offsets.range(&span))),
            Some(Err(error)) => Err(self.offsets.of(error.marker().index())),
            None => Err(self.offsets.length),
        }
    }

    /// Reads a value: a string, a list, or something else.
    fn value(&mut self) -> Result<Value<'t>, usize> {
        let mut value = Value::default();
        match self.next()? {
            (Event::Scalar(text, style, 0, None), place) => value.push(text, style, place),
            (Event::SequenceStart(0, None), _) => loop {
                match self.next()? {
                    (Event::SequenceEnd, _) => break,
                    (Event::Scalar(text, style, 0, None), place) => value.push(text, style, place),
                    (event, _) => self.pass_over(event, &mut value.others)?,
                }
            },
            (event, _) => self.pass_over(event, &mut value.others)?,
        }
        Ok(value)
    }

    /// Passes over a node that begins with this event, and collects its strings.
    fn pass_over(
        &mut self,
        mut event: Event<'t>,
        strings: &mut Vec<Cow<'t, str>>,
    ) -> Result<(), usize> {
        // An alias or an empty mapping has no string of its own, but is something.
        strings.push(Cow::Borrowed(""));
        let mut depth = 0_usize;
        loop {
            match event {
                Event::Scalar(text, ..) => strings.push(text),
                Event::SequenceStart(..) | Event::MappingStart(..) => depth += 1,
                Event::SequenceEnd | Event::MappingEnd => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
            event = self.next()?.0;
        }
    }
}

/// The byte offsets of the characters that the parser counts.
struct Offsets {
    length: usize,
    /// The offset of each character; `None` if each has one byte.
    of_characters: Option<Vec<usize>>,
}

impl Offsets {
    fn new(text: &str) -> Self {
        let offsets = || text.char_indices().map(|(offset, _)| offset).collect();
        Offsets {
            length: text.len(),
            of_characters: (!text.is_ascii()).then(offsets),
        }
    }

    fn of(&self, index: usize) -> usize {
        let offset = match &self.of_characters {
            Some(offsets) => offsets.get(index).copied().unwrap_or(self.length),
            None => index,
        };
        offset.min(self.length)
    }

    fn range(&self, span: &Span) -> Range<usize> {
        let start = self.of(span.start.index());
        start..self.of(span.end.index()).max(start)
    }
}
