//! The paths in a task line, and which of them its verb writes.

use std::ops::Range;

use super::bare_path::is_bare_path;
use super::blocks::{InlineText, PieceKind};
use super::cell::has_path_shape;
use super::change_type::{RowAction, of_item_word};
use super::languages;
use super::link;
use super::source::DesignText;
use super::written_path::{WrittenPath, is_arrow};

/// A path in a task, and the words before it.
pub(super) struct Object {
    pub(super) path: WrittenPath,
    pub(super) before: Vec<String>,
    /// Whether only a comma or "and" stands before it.
    is_joined: bool,
    pub(super) arrow: bool,
    /// Whether "and" and more words precede it: "the model in `a` and its port in `b`".
    pub(super) is_further: bool,
}

/// Words for what helps to write another file: "with the helpers in `a`".
const AIDS: &[&str] = &[
    "helper",
    "helpers",
    "utility",
    "utilities",
    "utils",
    "fixture",
    "fixtures",
    "pattern",
    "patterns",
    "existing",
    "same",
    "convention",
    "conventions",
    "from",
    "found",
    "available",
];

impl Object {
    /// Whether the words before it say that something is written there.
    pub(super) fn is_place(&self) -> bool {
        let last = self.before.last().map_or("", String::as_str);
        matches!(last, "in" | "into" | "at" | "inside" | "within")
    }

    /// Whether it only holds what helps to write another file.
    pub(super) fn is_aid(&self) -> bool {
        let mut near = self.before.iter().rev().take_while(|word| *word != "with");
        near.any(|word| AIDS.contains(&word.as_str()))
    }
}

/// Punctuation of Chinese and Japanese, which no blank follows.
const WIDE: [char; 9] = ['（', '）', '，', '。', '、', '；', '：', '「', '」'];
/// Words between the verb and a path after which the path is not written.
const STOPS: &[&str] = &[
    "for",
    "of",
    "with",
    "using",
    "via",
    "like",
    "per",
    "following",
    "against",
    "by",
    "matching",
    "than",
    "about",
    "see",
    "described",
    "defined",
    "documented",
    "specified",
    "listed",
    "shown",
    "outlined",
    "according",
    "based",
    "similar",
    "mirroring",
    "consistent",
    "reference",
    "used",
    "reuse",
    "reusing",
    "called",
    "calling",
    "as",
    "when",
    "if",
    "where",
];
/// Words before a path that say where something is written.
const INSIDE: &[&str] = &["in", "into", "to", "at", "inside", "within", "under"];
/// Stands among the words before a path for code that is no path.
const CODE: &str = "code";
/// Stands there for the name of a file without a directory.
const NAME: &str = "name";

/// The paths in a part of a line: code that looks like a path, and words with a slash.
pub(super) fn objects(
    source: &DesignText<'_>,
    line: &InlineText,
    span: Range<usize>,
) -> Vec<Object> {
    let part = line.within(span.clone());
    let mut reader = ObjectReader {
        source,
        end: span.end,
        objects: Vec::new(),
        before: Vec::new(),
        is_joined: false,
        depth: 0,
    };
    let mut cursor = span.start;
    let pieces = part
        .pieces
        .iter()
        .filter(|piece| matches!(piece.kind, PieceKind::Code(_) | PieceKind::Link { .. }));
    for piece in pieces {
        reader.words(cursor..piece.span.start);
        cursor = piece.span.end;
        match &piece.kind {
            PieceKind::Link { text, target } => reader.link(text, target, piece.span.clone()),
            PieceKind::Code(text) => reader.code(text, piece.span.clone()),
            _ => {}
        }
    }
    reader.words(cursor..span.end);
    reader.objects
}

/// Reads a line from left to right.
struct ObjectReader<'s> {
    source: &'s DesignText<'s>,
    /// Where the part that is read ends.
    end: usize,
    objects: Vec<Object>,
    /// The words since the last path.
    before: Vec<String>,
    is_joined: bool,
    /// The depth of the parentheses directly behind a path: "`a` (lines 3, 8) and `b`".
    depth: usize,
}

impl ObjectReader<'_> {
    fn push(&mut self, path: WrittenPath) {
        if self.depth > 0 {
            return;
        }
        let rest = self
            .source
            .slice(path.span.end..self.end.max(path.span.end));
        if is_possessive(rest) {
            self.before.push(CODE.to_owned());
            return;
        }
        if !path.text.contains('/') && self.lies_elsewhere(rest) {
            self.before.push(NAME.to_owned());
            return;
        }
        let arrow = !self.objects.is_empty()
            && self.before.len() == 1
            && self.before.first().is_some_and(|word| is_arrow(word));
        self.objects.push(Object {
            path,
            before: std::mem::take(&mut self.before),
            is_joined: std::mem::take(&mut self.is_joined),
            arrow,
            is_further: false,
        });
    }

    fn link(&mut self, text: &str, target: &str, span: Range<usize>) {
        if is_bare_path(text, true) && link::agree(self.source.path(), text, target).is_ok() {
            self.push(WrittenPath {
                text: text.trim().to_owned(),
                span,
                ..WrittenPath::default()
            });
        }
    }

    fn code(&mut self, text: &str, span: Range<usize>) {
        let is_path = (text.contains('/') && !text.starts_with('/') || is_root_file(text))
            && has_path_shape(text)
            && !is_call(text)
            && !text.starts_with('@');
        if is_path && (is_bare_path(text, true) || text.contains('{')) {
            let mut path = WrittenPath::of_code(self.source, text, span);
            path.cut_member();
            self.push(path);
        } else if self.depth == 0 {
            let is_name =
                !text.contains(['/', '(', '=']) && has_path_shape(text) && is_bare_path(text, true);
            self.before
                .push(if is_name { NAME } else { CODE }.to_owned());
        }
    }

    fn words(&mut self, range: Range<usize>) {
        let source = self.source;
        let mut at = range.start;
        let text = source.slice(range);
        for word in text.split_inclusive(|c: char| c.is_whitespace() || WIDE.contains(&c)) {
            let begin = at;
            at += word.len();
            if !self.is_note(word) {
                self.word(word, begin);
            }
        }
    }

    /// Whether a word belongs to the parentheses directly behind a path.
    fn is_note(&mut self, word: &str) -> bool {
        let count = |marks: [char; 2]| word.matches(marks).count();
        let (open, close) = (count(['(', '（']), count([')', '）']));
        let is_behind = !self.objects.is_empty() && self.before.is_empty() && !self.is_joined;
        if self.depth == 0 && !(is_behind && word.trim_start().starts_with(['(', '（'])) {
            return false;
        }
        self.depth = (self.depth + open).saturating_sub(close);
        self.is_joined = self.depth == 0 && word.trim_end().ends_with([',', '，', '、']);
        true
    }

    fn word(&mut self, word: &str, begin: usize) {
        let trimmed = word.trim_matches(|c: char| c.is_whitespace() || WIDE.contains(&c));
        let bare = trimmed
            .trim_matches(['(', ')', ',', ';', '"', '\''])
            .trim_end_matches('.');
        let offset = begin + word.find(bare).unwrap_or(0);
        let bare = without_particle(bare);
        let is_root = is_root_file(bare)
            || bare.starts_with('.') && is_bare_path(bare, true) && !bare.contains('/');
        if is_root || bare.contains('/') && !bare.starts_with('/') && is_bare_path(bare, false) {
            let mut path = WrittenPath {
                text: bare.to_owned(),
                span: offset..offset + bare.len(),
                ..WrittenPath::default()
            };
            path.cut_member();
            self.push(path);
            self.is_joined = trimmed.ends_with(',');
        } else if !bare.is_empty() {
            let lower = bare.trim_end_matches(':').to_lowercase();
            let lower = languages::preposition(&lower).map_or(lower, str::to_owned);
            if is_and(&lower) && self.before.is_empty() {
                self.is_joined = true;
            } else {
                self.before.push(lower);
            }
        } else if word.contains([',', '，', '、']) && self.before.is_empty() {
            self.is_joined = true;
        }
    }

    /// Whether a name at the root stands for files elsewhere: "`README.md` files in all packages", "the frontend
    /// `package.json`".
    fn lies_elsewhere(&self, text: &str) -> bool {
        const EACH: &[&str] = &["all", "each", "every", "both", "either"];
        const PARTS: &[&str] = &[
            "package",
            "packages",
            "module",
            "modules",
            "workspace",
            "workspaces",
            "app",
            "apps",
            "service",
            "services",
            "crate",
            "crates",
            "backend",
            "frontend",
            "server",
            "client",
            "directory",
            "folder",
            "api",
            "web",
            "mobile",
            "worker",
        ];
        let is_part = |word: &str| EACH.contains(&word) || PARTS.contains(&word);
        if self.before.last().is_some_and(|word| is_part(word)) {
            return true;
        }
        if text.starts_with(char::is_alphanumeric) {
            return false;
        }
        let mut words = text
            .split_whitespace()
            .map(|word| word.trim_matches([',', '.', ';', ')']).to_lowercase());
        let first = words.next().unwrap_or_default();
        let first = match first.as_str() {
            "file" => words.next().unwrap_or_default(),
            _ => first,
        };
        match first.as_str() {
            "files" => true,
            "in" | "under" | "inside" | "within" | "across" | "of" => {
                let place: Vec<String> = words.take(4).collect();
                !place.iter().any(|word| word == "root")
                    && (place.iter().any(|word| is_part(word))
                        || place.first().is_some_and(|word| word.contains('/')))
            }
            _ => false,
        }
    }
}

fn is_and(word: &str) -> bool {
    matches!(
        word,
        "and" | "+" | "&" | "和" | "與" | "与" | "と" | "及び" | "および"
    )
}

/// Whether "'s" follows: the path only owns what the words speak of.
fn is_possessive(rest: &str) -> bool {
    rest.starts_with("'s") || rest.starts_with("’s")
}

/// `src/a.ts` of "src/a.tsに", as Japanese puts no blank between them.
fn without_particle(word: &str) -> &str {
    let Some(end) = word.find(|c: char| ('\u{3041}'..='\u{9fff}').contains(&c)) else {
        return word;
    };
    let path = word.get(..end).unwrap_or("");
    let has_extension = path
        .rsplit('/')
        .next()
        .is_some_and(|name| name.contains('.'));
    if path.contains('/') && has_extension && is_bare_path(path, false) {
        path
    } else {
        word
    }
}

/// `run()` and `a=b`, but not `app/(shell)/page.tsx`.
fn is_call(text: &str) -> bool {
    let mut before = None;
    text.chars().any(|c| {
        let opens = c == '=' || c == '(' && !matches!(before, Some('/' | '.'));
        before = Some(c);
        opens
    })
}

/// Names that every tool expects at the root.
fn is_root_file(name: &str) -> bool {
    let is_config = !name.contains('/')
        && [".config.ts", ".config.js", ".config.mjs", ".config.cjs"]
            .iter()
            .any(|end| name.strip_suffix(end).is_some_and(|stem| !stem.is_empty()));
    is_config
        || matches!(
            name,
            "package.json"
                | "README.md"
                | "CHANGELOG.md"
                | "Cargo.toml"
                | "pyproject.toml"
                | "go.mod"
                | "tsconfig.json"
                | ".gitignore"
                | "Makefile"
                | "Dockerfile"
                | "docker-compose.yml"
                | "requirements.txt"
                | "pom.xml"
                | "CLAUDE.md"
                | "AGENTS.md"
                | ".env.example"
        )
}

/// Whether "and" begins another object: "and its port in", "and update".
fn is_further(object: &Object) -> bool {
    let (Some(first), Some(last)) = (object.before.first(), object.before.last()) else {
        return false;
    };
    let is_place = matches!(last.as_str(), "in" | "into" | "to");
    let verb = of_item_word(first);
    let is_written = |action: RowAction| {
        action != RowAction::Mention
            && !action.takes_away()
            && (is_place || object.before.len() == 1)
    };
    let reads = |word: &String| {
        !matches!(word.as_str(), "for") && of_item_word(word) == Some(RowAction::Mention)
    };
    object.is_joined && verb.map_or(is_place, is_written) && !object.before.iter().any(reads)
}

/// The first path that the verb writes, and those joined to it.
pub(super) fn written(objects: Vec<Object>) -> Vec<Object> {
    // "Implement `x.py`, taking `a/b.py` as a model", "`x.py` in `a/b`"
    let is_beside = |object: &Object| {
        let names = object.before.iter().any(|word| word == NAME);
        let last = object.before.last().map_or("", String::as_str);
        let name = object.path.text.rsplit('/').next().unwrap_or("");
        names
            && (!name.contains('.')
                || object.before.len() > 1 && !INSIDE.contains(&last) && !is_and(last))
    };
    // "Write tests for `a` in `b`": `a` is not written, `b` is.
    let stops = |object: &Object| match object.before.last() {
        _ if is_beside(object) => true,
        Some(last) if STOPS.contains(&last.as_str()) => true,
        Some(last) if last != "in" => object
            .before
            .iter()
            .any(|word| STOPS.contains(&word.as_str()) && word != "for" && word != "of"),
        Some(_) => object.before.iter().any(|word| {
            matches!(
                word.as_str(),
                "described"
                    | "defined"
                    | "documented"
                    | "specified"
                    | "listed"
                    | "shown"
                    | "outlined"
                    | "used"
                    | "as"
                    | "similar"
                    | "like"
                    | "pattern"
            )
        }),
        None => false,
    };
    let is_object = |object: &Object| !stops(object);
    let mut kept: Vec<Object> = Vec::new();
    for mut object in objects {
        let continues = object.is_joined && object.before.is_empty() || object.arrow;
        object.is_further = !kept.is_empty() && is_further(&object) && is_object(&object);
        if kept.is_empty() && is_object(&object)
            || !kept.is_empty() && (continues || object.is_further)
        {
            kept.push(object);
        } else if !kept.is_empty() {
            break;
        }
    }
    kept
}
