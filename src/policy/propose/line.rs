//! Reads one line of a document: the paths that it names, and what its words say about each.

use gix::bstr::{BStr, BString};

use super::token::{Existing, PathToken, path_token};
use super::verb::{ASIDE, Verb};
use super::{ProposedRow, plain};

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    /// A code span, or the target of a link.
    Code(String),
}

/// What the headings and labels around a line say.
#[derive(Debug, Clone, Default)]
pub(super) struct Context {
    pub(super) title: String,
    /// Whether it announces files.
    pub(super) declares: bool,
    pub(super) verb: Option<Verb>,
    pub(super) is_doubtful: bool,
}

impl Context {
    pub(super) fn of(text: &str) -> Context {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
        let words: Vec<String> = words.map(str::to_lowercase).collect();
        let verbs: Vec<Verb> = words.iter().filter_map(|word| Verb::of(word)).collect();
        let is_files = |word: &String| matches!(word.as_str(), "file" | "files" | "paths" | "code");
        let verb = verbs.iter().copied().find(|verb| verb.writes());
        Context {
            title: plain(text),
            declares: words.iter().any(is_files),
            verb,
            is_doubtful: verbs.iter().any(|verb| !verb.writes()),
        }
    }
}

/// A path on a line, as a row.
#[derive(Debug, Clone)]
pub(super) struct Sighting {
    pub(super) row: ProposedRow,
    /// Whether words deny the change.
    pub(super) is_denied: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Unit {
    Path(PathToken),
    Word(String),
    /// A separator of a list.
    Comma,
    Arrow,
    Colon,
    Dash,
    Open,
    Close,
    /// The end of a sentence or clause.
    Stop,
}

/// A line as units, each with the place of its text.
pub(super) struct Line {
    units: Vec<(Unit, usize, usize)>,
    text: String,
}

impl Line {
    pub(super) fn new(pieces: &[Piece], exists: &dyn Fn(&BStr) -> Existing) -> Line {
        let mut line = Line {
            units: Vec::new(),
            text: String::new(),
        };
        for piece in pieces {
            match piece {
                Piece::Code(code) => {
                    let unit = match path_token(code, true, exists) {
                        Some(token) => Unit::Path(token),
                        None => Unit::Word("`".to_owned()),
                    };
                    line.push(unit, code);
                }
                Piece::Text(text) => line.push_text(text, exists),
            }
        }
        line
    }

    fn push(&mut self, unit: Unit, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        self.units.push((unit, start, self.text.len()));
    }

    fn push_text(&mut self, text: &str, exists: &dyn Fn(&BStr) -> Existing) {
        let is_in_word = |c: char| c < '\u{500}' && !c.is_whitespace() && !",;|\"`".contains(c);
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let is_word = is_in_word(first);
            let end = rest.find(|c| is_in_word(c) != is_word || !is_word && c != first);
            let (piece, tail) = rest.split_at(end.unwrap_or(rest.len()));
            match is_word {
                true => self.push_word(piece, exists),
                false => self.push_mark(piece, first),
            }
            rest = tail;
        }
    }

    fn push_mark(&mut self, text: &str, mark: char) {
        let unit = match mark {
            ',' | '，' | '、' => Unit::Comma,
            ';' | '；' | '。' => Unit::Stop,
            '：' => Unit::Colon,
            '（' => Unit::Open,
            '）' => Unit::Close,
            '—' | '–' => Unit::Dash,
            '→' => Unit::Arrow,
            c if c.is_alphanumeric() => Unit::Word(c.to_string()),
            _ => return self.text.push_str(text),
        };
        self.push(unit, text);
    }

    fn push_word(&mut self, word: &str, exists: &dyn Fn(&BStr) -> Existing) {
        let unit = match word {
            "-" | "--" | "#" | "//" => Some(Unit::Dash),
            "->" | "=>" => Some(Unit::Arrow),
            "&" | "+" | "/" => Some(Unit::Comma),
            _ => None,
        };
        if let Some(unit) = unit {
            return self.push(unit, word);
        }
        // `(auth)/x` is a path, `(new)` a remark.
        let is_unbalanced =
            |word: &str, open, close| word.matches(open).count() > word.matches(close).count();
        if let Some(inner) = word
            .strip_prefix(['(', '['])
            .filter(|_| !word.contains(")/") && !word.contains("]/"))
        {
            self.push(Unit::Open, &word[..1]);
            return self.push_word(inner, exists);
        }
        let opens = |(at, _): &(usize, &str)| *at > 0 && !word[..*at].ends_with('/');
        if let Some((at, _)) = word
            .match_indices('(')
            .find(opens)
            .filter(|_| !word.ends_with('/'))
        {
            self.push_word(&word[..at], exists);
            return self.push_word(&word[at..], exists);
        }
        let is_end = |c: char| ".:!?'*_".contains(c);
        let is_close = |word: &str| {
            word.ends_with(')') && is_unbalanced(word, ')', '(')
                || word.ends_with(']') && is_unbalanced(word, ']', '[')
        };
        let mut bare = word.trim_start_matches(['*', '\'']);
        let mut ends = Vec::new();
        while let Some(last) = bare
            .chars()
            .next_back()
            .filter(|&c| is_end(c) || is_close(bare))
        {
            bare = &bare[..bare.len() - last.len_utf8()];
            ends.push(last);
        }
        let token = path_token(bare, false, exists);
        match token {
            Some(token) => self.push(Unit::Path(token), bare),
            None => {
                for part in bare.split(|c: char| !c.is_alphanumeric() && c != '\'') {
                    if !part.is_empty() {
                        self.push(Unit::Word(part.to_lowercase()), part);
                        self.text.push(' ');
                    }
                }
            }
        }
        for end in ends.into_iter().rev() {
            match end {
                '.' | '!' | '?' => self.push(Unit::Stop, "."),
                ':' => self.push(Unit::Colon, ":"),
                ')' | ']' => self.push(Unit::Close, ")"),
                _ => {}
            }
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn has_path(&self) -> bool {
        self.units
            .iter()
            .any(|(unit, ..)| matches!(unit, Unit::Path(_)))
    }

    /// Whether each line of a block like this one is a path with a remark.
    pub(super) fn is_only_path(&self) -> bool {
        let mut units = self.units.iter().map(|(unit, ..)| unit);
        matches!(units.next(), Some(Unit::Path(_)))
            && matches!(
                units.next(),
                None | Some(Unit::Dash | Unit::Open | Unit::Comma)
            )
    }

    pub(super) fn ends_with_colon(&self) -> bool {
        matches!(self.units.last(), Some((Unit::Colon, ..)))
    }

    /// The sightings of the line.
    pub(super) fn sightings(&self, context: &Context, number: usize) -> Vec<Sighting> {
        let mut clause = Clause::default();
        let mut label = context.clone();
        let mut found: Vec<Sighting> = Vec::new();
        let (mut is_content, mut paths, mut label_start) = (false, 0, 0);
        for (at, (unit, start, end)) in self.units.iter().enumerate() {
            match unit {
                Unit::Stop => {
                    clause = Clause::default();
                    paths = 0;
                }
                Unit::Colon if paths == 0 && !found.is_empty() => clause.idle += 1,
                Unit::Colon if paths == 0 => {
                    let own = Context::of(&self.text[label_start..*start]);
                    label.declares |= own.declares;
                    label.is_doubtful |= own.is_doubtful;
                    clause = Clause::default();
                    match own.declares {
                        true => label.verb = own.verb,
                        false => clause.verb = own.verb,
                    }
                    label_start = *end;
                }
                // What follows the object is what it will contain.
                Unit::Colon | Unit::Dash if paths > 0 => is_content = true,
                Unit::Word(word) => clause.word(word),
                Unit::Path(token) => {
                    let from = clause
                        .renames_from()
                        .then(|| found.last().map(|last| last.row.path.clone()));
                    let next = self.units[at + 1..]
                        .iter()
                        .find(|(unit, ..)| matches!(unit, Unit::Path(_)));
                    let rest =
                        &self.text[*end..next.map_or(self.text.len(), |(_, start, _)| *start)];
                    let note = self.note(at + 1);
                    let is_apart = is_content || paths > 0 && clause.idle > 0;
                    let mut sighting = clause.sighting(token, &label, &note, is_apart);
                    sighting.row.line = number;
                    sighting.row.description =
                        match plain(rest.trim_matches(|c: char| !c.is_alphanumeric())) {
                            text if text.chars().count() > 3 => text,
                            _ => label.title.clone(),
                        };
                    if let Some(Some(from)) = from {
                        sighting.row.change_type = "Rename".to_owned();
                        sighting.row.from = Some(from);
                        found.pop();
                    }
                    if token.exists || !token.is_weak || clause.has_ground(&label, &note) {
                        found.push(sighting);
                    }
                    paths += 1;
                    clause.idle = 0;
                    clause.arrow = false;
                    clause.aside = false;
                }
                Unit::Arrow => clause.arrow = true,
                Unit::Comma | Unit::Dash | Unit::Open | Unit::Close | Unit::Colon => {}
            }
        }
        found
    }

    /// The words behind a path up to the next one, if they are a remark and no description.
    fn note(&self, from: usize) -> Vec<Verb> {
        let rest = self.units[from..].iter().map(|(unit, ..)| unit);
        let rest: Vec<&Unit> = rest
            .take_while(|unit| !matches!(unit, Unit::Path(_) | Unit::Stop | Unit::Comma))
            .collect();
        let is_described = matches!(rest.first(), Some(Unit::Dash | Unit::Colon));
        let words = rest.iter().filter_map(|unit| match unit {
            Unit::Word(word) => Some(word),
            _ => None,
        });
        let words: Vec<&String> = words.collect();
        match is_described && words.len() > 4 {
            true => Vec::new(),
            false => words
                .into_iter()
                .filter_map(|word| Verb::of(word))
                .collect(),
        }
    }
}

/// What the words before a path say.
#[derive(Debug, Default)]
struct Clause {
    verb: Option<Verb>,
    is_doubtful: bool,
    is_denied: bool,
    /// The number of words since the verb or the last path.
    idle: usize,
    arrow: bool,
    /// Whether the last word is a preposition that sets the path apart.
    aside: bool,
}

impl Clause {
    fn word(&mut self, word: &str) {
        self.aside = ASIDE.contains(&word) && !(word == "from" && self.verb == Some(Verb::Delete));
        if matches!(word, "and" | "the" | "a") {
            return;
        }
        self.arrow |= word == "to";
        match Verb::of(word) {
            Some(Verb::Doubt) => self.is_doubtful = true,
            Some(Verb::Deny) => self.is_denied = true,
            Some(verb) => {
                self.verb = Some(verb);
                self.idle = 0;
            }
            None if word == "to" => {}
            None => self.idle += 1,
        }
    }

    fn renames_from(&self) -> bool {
        self.verb == Some(Verb::Rename) && self.arrow && self.idle == 0
    }

    fn has_ground(&self, label: &Context, note: &[Verb]) -> bool {
        let is_noted = note.first().is_some_and(|verb| verb.writes());
        self.verb.is_some() || label.declares && self.idle == 0 || is_noted
    }

    fn sighting(
        &self,
        token: &PathToken,
        label: &Context,
        note: &[Verb],
        is_apart: bool,
    ) -> Sighting {
        let noted = note.first().copied().filter(|verb| verb.writes());
        let is_direct = self.verb.is_some() && self.idle == 0;
        let own = self.verb.or(noted);
        let around = label.verb.filter(|_| self.idle == 0);
        let existing = match token.exists {
            true => "Modify",
            false => "Add",
        };
        let word = match (noted.filter(|_| self.verb.is_none()).or(own), around) {
            (Some(Verb::Delete), _) if is_direct || noted == Some(Verb::Delete) => "Delete",
            (None, Some(Verb::Delete)) => "Delete",
            (Some(Verb::Modify | Verb::Delete), _) => "Modify",
            _ if token.is_directory() => "Add/Modify",
            _ => existing,
        };
        let note_doubts = !is_direct && note.iter().any(|verb| !verb.writes());
        let is_denied = self.is_denied || note.contains(&Verb::Deny) && !is_direct;
        let is_vague =
            token.is_directory() && !is_direct && noted.is_none() && around != Some(Verb::Delete);
        let is_glob = token.path.contains(&b'*');
        let is_sure = self.has_ground(label, note)
            && !(self.is_doubtful
                || is_denied
                || self.aside
                || is_apart
                || note_doubts
                || label.is_doubtful)
            && !is_vague
            && !is_glob;
        Sighting {
            row: ProposedRow {
                is_doubtful: !is_sure,
                ..ProposedRow::new(BString::from(token.path.as_slice()), word, "")
            },
            is_denied,
        }
    }
}
