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
    let entries = match entries(text) {
        Ok(entries) => entries,
        Err(at) => return unreadable(text, source.line_span(body.start + at)),
    };
    let mut found = FrontMatter::default();
    for entry in entries {
        let place = body.start + entry.key_span.start..body.start + entry.key_span.end;
        let key = entry.key.as_ref();
        let is_forbidding = FORBIDDING.contains(&key);
        if !is_forbidding && !ALLOWING.contains(&key) {
            // A merge may bring any key.
            let inner = entry.value.keys.iter().map(Cow::as_ref);
            let denying = std::iter::once(key).chain(inner).find(|key| denies(key));
            if key == "<<" {
                found.refusals.push(problem::unknown_denial(key).at(place));
            } else if let Some(denying) = denying.filter(|_| entry.value.names_paths()) {
                found
                    .refusals
                    .push(problem::unknown_denial(denying).at(place));
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
            } else if string.text.starts_with('!') {
                // As in a .gitignore, this takes something out.
                found
                    .refusals
                    .push(problem::excepted(&string.text).at(span));
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

/// The problem of a text that is not YAML, if it seems to allow or deny something.
fn unreadable(text: &str, place: Range<usize>) -> FrontMatter {
    let mut found = FrontMatter::default();
    let problem = problem::no_yaml().at(place);
    if text.lines().any(denies) {
        found.refusals.push(problem);
    } else if ALLOWING.iter().any(|key| text.contains(key)) {
        found.faults.push(problem);
    }
    found
}

/// Whether a key says that something is forbidden. Its words stand between `_`, `-`, blanks and capital letters.
fn denies(key: &str) -> bool {
    let key = key.split(':').next().unwrap_or(key);
    let mut spaced = String::new();
    let mut was_lower = false;
    for c in key.chars() {
        if was_lower && c.is_uppercase() {
            spaced.push(' ');
        }
        was_lower = c.is_lowercase();
        spaced.push(if matches!(c, '_' | '-') { ' ' } else { c });
    }
    let said = words(&spaced);
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
    /// The keys of the mappings in it.
    keys: Vec<Cow<'t, str>>,
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
            // Without an anchor and a tag, as everywhere below.
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
                    (event, _) => self.pass_over(event, &mut value)?,
                }
            },
            (event, _) => self.pass_over(event, &mut value)?,
        }
        Ok(value)
    }

    /// Passes over a node that begins with this event, and collects its strings and keys.
    fn pass_over(&mut self, mut event: Event<'t>, value: &mut Value<'t>) -> Result<(), usize> {
        // An alias or an empty mapping has no string of its own, but is something.
        value.others.push(Cow::Borrowed(""));
        let mut open: Vec<OpenNode> = Vec::new();
        loop {
            let is_key = open.last_mut().is_some_and(OpenNode::takes_key);
            match event {
                Event::Scalar(text, ..) if is_key => value.keys.push(text),
                Event::Scalar(text, ..) => value.others.push(text),
                Event::SequenceStart(..) => open.push(OpenNode::Sequence),
                Event::MappingStart(..) => open.push(OpenNode::Mapping { is_at_key: true }),
                Event::SequenceEnd | Event::MappingEnd => drop(open.pop()),
                _ => {}
            }
            if open.is_empty() {
                return Ok(());
            }
            event = self.next()?.0;
        }
    }
}

/// A node that is being passed over.
enum OpenNode {
    Sequence,
    Mapping {
        /// Whether a key comes next.
        is_at_key: bool,
    },
}

impl OpenNode {
    /// Whether the next node is a key; the one behind it is its value.
    fn takes_key(&mut self) -> bool {
        match self {
            OpenNode::Sequence => false,
            OpenNode::Mapping { is_at_key } => std::mem::replace(is_at_key, !*is_at_key),
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
        Offsets {
            length: text.len(),
            of_characters: (!text.is_ascii())
                .then(|| text.char_indices().map(|(offset, _)| offset).collect()),
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::scope::settings::Settings;

    const NOTHING: [Vec<String>; 4] = [const { Vec::new() }; 4];

    /// The allowed and forbidden paths, and the reasons of faults and refusals.
    fn read(yaml: &str) -> [Vec<String>; 4] {
        let settings = Settings::default();
        let text = format!("---\n{yaml}---\n\n# A\n");
        let source = DesignText::new("d.md".into(), &text, &settings);
        let Some((body, _)) = find(&source) else {
            return NOTHING;
        };
        let found = parse(&source, &body);
        let paths = |paths: Vec<WrittenPath>| {
            let spanned = paths.into_iter().map(|path| {
                // The place covers the value, and its quotes.
                assert!(text[path.span.clone()].contains(&path.text));
                path.text
            });
            spanned.collect()
        };
        let reasons = |problems: Vec<Problem>| {
            problems
                .iter()
                .map(|problem| problem.reason.to_owned())
                .collect()
        };
        [
            paths(found.allowed),
            paths(found.forbidden),
            reasons(found.faults),
            reasons(found.refusals),
        ]
    }

    #[test]
    fn a_problem_is_placed_at_its_key_or_its_value() {
        let settings = Settings::default();
        let front = "title: x\ndenied_paths: [src/a.py]\nforbidden_paths: {b: c}\nfiles_modified: [\"!d\", e f]\n";
        let text = format!("---\n{front}---\n");
        let source = DesignText::new("d.md".into(), &text, &settings);
        let (body, _) = find(&source).unwrap();
        let found = parse(&source, &body);
        let places = |problems: &[Problem]| -> Vec<String> {
            let spans = problems.iter().map(|problem| problem.span.clone());
            spans.map(|span| text[span].to_owned()).collect()
        };
        assert_eq!(
            places(&found.refusals),
            ["denied_paths", "forbidden_paths", "\"!d\""]
        );
        assert_eq!(places(&found.faults), ["e f"]);
    }

    #[test]
    fn strings_and_lists_of_the_three_keys_are_allowed() {
        for yaml in [
            "files_modified: [src/a.rs, \"b.rs\"]\n",
            "id: 1\nallowed_paths:\n  - src/a.rs # why\n  # - c.rs\n  - 'b.rs'\n",
            "allowed_files: src/a.rs\nfiles_modified:\n- b.rs\n",
            "title: ä\nallowed_paths: [\n  src/a.rs,\n  b.rs,\n]\n",
        ] {
            let [allowed, forbidden, faults, refusals] = read(yaml);
            assert_eq!(allowed, ["src/a.rs", "b.rs"], "{yaml}");
            assert!(
                forbidden.is_empty() && faults.is_empty() && refusals.is_empty(),
                "{yaml}"
            );
        }
        for yaml in [
            "files_modified: []\n",
            "files_modified:\n",
            "allowed_paths: ~\n",
            "allowed_paths: [None]\n",
        ] {
            assert_eq!(read(yaml), NOTHING, "{yaml}");
        }
    }

    #[test]
    fn what_is_no_plain_path_is_a_fault_beside_the_paths() {
        for yaml in [
            "files_modified:\n  - src/a.rs\n  - Delete: src/b.rs\n",
            "files_modified: [src/a.rs, *x]\nx: &x src/b.rs\n",
            "x: &x src/b.rs\nfiles_modified: [src/a.rs, *x]\n",
            "files_modified: [src/a.rs, !t src/b.rs]\n",
            "files_modified: [src/a.rs, not src/b.rs]\n",
            "files_modified:\n  - src/a.rs\n  - |\n    src/b.rs\n",
            "files_modified:\n  - src/a.rs\n  - bin/setup\n",
        ] {
            let [allowed, _, faults, refusals] = read(yaml);
            assert!(allowed == ["src/a.rs"] || allowed.is_empty(), "{yaml}");
            assert!(!faults.is_empty() && refusals.is_empty(), "{yaml}");
        }
        let quoted = read("files_modified: [\"My App/a.rs\", \"all of src/a.rs (rejected)\"]\n");
        assert_eq!(quoted[0], ["My App/a.rs"]);
    }

    #[test]
    fn denials_are_read_or_refused() {
        let [_, forbidden, ..] = read("forbidden_paths: [src/keys/**]\nforbidden_files: b.rs\n");
        assert_eq!(forbidden, ["src/keys/**", "b.rs"]);
        for yaml in [
            "excluded_paths: [src/keys/**]\n",
            "do-not-readonly-paths: src/keys/a.rs\n",
            "read_only: [src/keys/]\n",
            "forbiddenPaths: [src/keys/]\n",
            "scope:\n  forbidden_paths: [src/keys/]\n",
            "scope: {forbidden_paths: src/keys/a.rs}\n",
            "scope: {reviewers: a, forbidden_paths: src/keys/a.rs}\n",
            "scope: {more: {a: b}, forbidden_paths: src/keys/a.rs}\n",
            "scope: {more: {forbidden_paths: src/keys/a.rs}}\n",
            "base: &base {a: b}\n<<: *base\n",
            "forbidden_paths: {a: src/keys/}\n",
            "forbidden_paths: [a\n",
            "allowed_paths: [src/**, \"!src/keys/**\"]\n",
        ] {
            let [.., refusals] = read(yaml);
            assert!(!refusals.is_empty(), "{yaml}");
        }
        for yaml in [
            "excluded: no\n",
            "reviewers: [a/b]\n",
            // A value is no key, whatever it says.
            "scope: {about: forbidden_paths, of: src/keys/a.rs}\n",
            "scope: [forbidden_paths, src/keys/a.rs]\n",
            "truths:\n  - \"the excluded paths of src/a.rs\"\n",
            "protected_until: tomorrow\n",
        ] {
            assert_eq!(read(yaml), NOTHING, "{yaml}");
        }
    }

    #[test]
    fn a_text_that_yaml_cannot_read_matters_only_with_a_key_of_guard() {
        assert_eq!(read("title: a: b\n"), NOTHING);
        let [allowed, _, faults, _] = read("title: a: b\nfiles_modified: [src/a.rs]\n");
        assert!(allowed.is_empty());
        assert_eq!(faults, ["front-matter"]);
        let twice = read("files_modified: [src/a.rs]\nfiles_modified: [src/b.rs]\n");
        assert_eq!(twice[2], ["front-matter"]);
    }

    #[test]
    fn front_matter_begins_the_document_and_ends() {
        let settings = Settings::default();
        for text in [
            "\n---\nfiles_modified: [a.rs]\n---\n",
            "---\nfiles_modified: [a.rs]\n",
            "---\n\nfiles_modified: [a.rs]\n---\n",
        ] {
            let source = DesignText::new("d.md".into(), text, &settings);
            assert_eq!(find(&source), None, "{text}");
        }
    }
}
