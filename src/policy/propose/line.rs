//! Reads one line of a document: the paths that it names, and what its words say about each.

use gix::bstr::BStr;

use super::token::{Existing, PathToken, path_token};
use super::verb::{PlanVerb, sets_aside};
use super::{ProposedRow, plain};

/// A part of a line.
#[derive(Debug, Clone)]
pub(super) enum PlanPiece {
    Text(String),
    /// A code span, or the target of a link.
    Code(String),
}

/// What the headings and labels around a line say.
#[derive(Debug, Clone, Default)]
pub(super) struct PlanContext {
    pub(super) title: String,
    /// Whether it announces files.
    pub(super) declares: bool,
    pub(super) verb: Option<PlanVerb>,
    pub(super) is_doubtful: bool,
}

impl PlanContext {
    pub(super) fn of(text: &str) -> PlanContext {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
        let words: Vec<String> = words.map(str::to_lowercase).collect();
        let is_files = |word: &String| matches!(word.as_str(), "file" | "files" | "paths" | "code");
        let verbs = || words.iter().filter_map(|word| PlanVerb::of(word));
        PlanContext {
            title: plain(text),
            declares: words.iter().any(is_files),
            verb: verbs().find(|verb| verb.writes()),
            is_doubtful: verbs().any(|verb| !verb.writes()),
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
enum PlanUnit {
    Path(PathToken),
    Word(String),
    Comma,
    Arrow,
    Colon,
    Dash,
    /// The end of a clause.
    Stop,
}

/// The units of a line.
pub(super) struct PlanLine(Vec<PlanUnit>);

impl PlanLine {
    pub(super) fn new(pieces: &[PlanPiece], exists: &dyn Fn(&BStr) -> Existing) -> PlanLine {
        let mut units = Vec::new();
        for piece in pieces {
            match piece {
                PlanPiece::Code(code) => units.push(match path_token(code, true, exists) {
                    Some(token) => PlanUnit::Path(token),
                    None => PlanUnit::Word(String::new()),
                }),
                PlanPiece::Text(text) => push_text(&mut units, text, exists),
            }
        }
        PlanLine(units)
    }

    pub(super) fn has_path(&self) -> bool {
        self.0.iter().any(|unit| matches!(unit, PlanUnit::Path(_)))
    }

    /// Whether it is a path with at most a remark, or blank.
    pub(super) fn is_entry(&self) -> bool {
        match self.0.as_slice() {
            [] | [PlanUnit::Path(_), PlanUnit::Dash | PlanUnit::Comma, ..] => true,
            units => matches!(units, [PlanUnit::Path(_), ..]) && units.len() <= 4,
        }
    }

    pub(super) fn ends_with_colon(&self) -> bool {
        self.0.last() == Some(&PlanUnit::Colon)
    }

    /// The paths of the line, in order.
    pub(super) fn sightings(&self, context: &PlanContext, number: usize) -> Vec<Sighting> {
        let mut clause = Clause::default();
        let mut label = context.clone();
        let mut found: Vec<Sighting> = Vec::new();
        for (at, unit) in self.0.iter().enumerate() {
            match unit {
                PlanUnit::Stop => clause = Clause::default(),
                PlanUnit::Colon if found.is_empty() => {
                    let own = PlanContext::of(&clause.words);
                    // A label without a known word may deny the change in any language.
                    let is_unknown = !clause.words.is_empty() && own.verb.is_none();
                    label.is_doubtful |= own.is_doubtful || is_unknown && !own.declares;
                    label.declares |= own.declares;
                    clause = Clause::default();
                    match own.declares {
                        true => label.verb = own.verb,
                        false => clause.verb = own.verb,
                    }
                }
                // What follows the object is its content.
                PlanUnit::Colon | PlanUnit::Dash => clause.is_content = clause.paths > 0,
                PlanUnit::Word(word) => clause.push(word),
                PlanUnit::Arrow => clause.has_arrow = true,
                PlanUnit::Comma => {}
                PlanUnit::Path(token) => {
                    let note = note(&self.0[at + 1..]);
                    let mut sighting = clause.sighting(token, &label, &note);
                    sighting.row.line = number;
                    if clause.verb == Some(PlanVerb::Rename) && clause.has_arrow && clause.idle == 0
                    {
                        sighting.row.change_type = "Rename".to_owned();
                        sighting.row.from = found.pop().map(|old| old.row.path);
                    }
                    if !token.is_weak || clause.has_ground(&label, &note) {
                        found.push(sighting);
                    }
                    clause.paths += 1;
                    (clause.idle, clause.has_arrow, clause.is_aside) = (0, false, false);
                }
            }
        }
        found
    }
}

/// Characters below U+0500 that are neither blanks nor separators make words; scripts without blanks stand alone.
fn push_text(units: &mut Vec<PlanUnit>, text: &str, exists: &dyn Fn(&BStr) -> Existing) {
    let is_separator = |c: char| c >= '\u{500}' || c.is_whitespace() || ",;|\"`".contains(c);
    let mut rest = text;
    // A bracket belongs to a path such as `app/(auth)/x`, but `a.rs(new)` is a path with a remark.
    let ends =
        |rest: &str, at: usize, c: char| is_separator(c) || c == '(' && !rest[..at].ends_with('/');
    while let Some((at, mark)) = rest.char_indices().find(|&(at, c)| ends(rest, at, c)) {
        push_word(units, &rest[..at], exists);
        match mark {
            ',' | '，' | '、' => units.push(PlanUnit::Comma),
            ';' | '；' | '。' => units.push(PlanUnit::Stop),
            '：' => units.push(PlanUnit::Colon),
            '—' | '–' => units.push(PlanUnit::Dash),
            '→' => units.push(PlanUnit::Arrow),
            c if c.is_alphanumeric() => units.push(PlanUnit::Word(c.to_string())),
            _ => {}
        }
        rest = &rest[at + mark.len_utf8()..];
    }
    push_word(units, rest, exists);
}

fn push_word(units: &mut Vec<PlanUnit>, word: &str, exists: &dyn Fn(&BStr) -> Existing) {
    match word {
        "" => return,
        "-" | "--" | "#" | "//" => return units.push(PlanUnit::Dash),
        "->" | "=>" => return units.push(PlanUnit::Arrow),
        "&" | "+" | "/" => return units.push(PlanUnit::Comma),
        _ => {}
    }
    let bare = word.trim_start_matches(['(', '[', '\'', '*']);
    let end = bare.trim_end_matches(['.', ':', '!', '?', '\'', '*', '_', ')', ']']);
    match path_token(end, false, exists) {
        Some(token) => units.push(PlanUnit::Path(token)),
        None => {
            let words = end.split(|c: char| !c.is_alphanumeric() && c != '\'');
            let words = words.filter(|word| !word.is_empty());
            units.extend(words.map(|word| PlanUnit::Word(word.to_lowercase())));
        }
    }
    match &bare[end.len()..] {
        closing if closing.contains(':') => units.push(PlanUnit::Colon),
        closing if closing.contains(['.', '!', '?']) => units.push(PlanUnit::Stop),
        _ => {}
    }
}

/// The verbs of a remark behind a path; a description has more than four words.
fn note(rest: &[PlanUnit]) -> Vec<PlanVerb> {
    let ends =
        |unit: &PlanUnit| matches!(unit, PlanUnit::Path(_) | PlanUnit::Stop | PlanUnit::Comma);
    let rest = rest.split(ends).next().unwrap_or_default();
    let words = rest.iter().filter_map(|unit| match unit {
        PlanUnit::Word(word) => Some(PlanVerb::of(word)),
        _ => None,
    });
    let words: Vec<Option<PlanVerb>> = words.collect();
    let is_described =
        matches!(rest.first(), Some(PlanUnit::Dash | PlanUnit::Colon)) && words.len() > 4;
    words
        .into_iter()
        .flatten()
        .filter(|_| !is_described)
        .collect()
}

/// What the words before a path say.
#[derive(Debug, Default)]
struct Clause {
    words: String,
    verb: Option<PlanVerb>,
    is_doubtful: bool,
    is_denied: bool,
    /// The number of other words since the verb or the last path.
    idle: usize,
    paths: usize,
    has_arrow: bool,
    is_aside: bool,
    is_content: bool,
}

impl Clause {
    fn push(&mut self, word: &str) {
        self.words.push_str(word);
        self.words.push(' ');
        self.is_aside = sets_aside(word, self.verb);
        self.has_arrow |= word == "to";
        match PlanVerb::of(word) {
            Some(PlanVerb::Doubt) => self.is_doubtful = true,
            Some(PlanVerb::Deny) => self.is_denied = true,
            Some(verb) => (self.verb, self.idle) = (Some(verb), 0),
            None => self.idle += usize::from(!matches!(word, "and" | "the" | "a" | "to")),
        }
    }

    /// Whether anything says that this path is to change.
    fn has_ground(&self, label: &PlanContext, note: &[PlanVerb]) -> bool {
        let is_noted = note.first().is_some_and(|verb| verb.writes());
        self.verb.is_some() || label.declares && self.idle == 0 || is_noted
    }

    fn sighting(&self, token: &PathToken, label: &PlanContext, note: &[PlanVerb]) -> Sighting {
        let noted = note.first().copied().filter(|verb| verb.writes());
        let is_direct = self.verb.is_some() && self.idle == 0;
        let around = label.verb.filter(|_| self.idle == 0);
        let deletes = Some(PlanVerb::Delete);
        let is_deleted = match self.verb {
            Some(verb) => verb == PlanVerb::Delete && is_direct,
            None => noted.or(around) == deletes,
        };
        let word = match self.verb.or(noted) {
            _ if is_deleted => "Delete",
            _ if token.path.ends_with(b"/") => "Add/Modify",
            Some(PlanVerb::Modify | PlanVerb::Delete) => "Modify",
            _ if token.exists => "Modify",
            _ => "Add",
        };
        let is_wide = token.is_wide() && !is_direct && noted.is_none() && !is_deleted;
        let is_denied = self.is_denied || !is_direct && note.contains(&PlanVerb::Deny);
        let is_noted_doubtful = !is_direct && note.contains(&PlanVerb::Doubt);
        let is_apart = self.is_aside || self.is_content || self.paths > 0 && self.idle > 0;
        let is_doubtful = self.is_doubtful || label.is_doubtful || is_denied || is_noted_doubtful;
        let is_sure =
            self.has_ground(label, note) && !(is_doubtful || is_apart || is_wide || token.is_odd);
        Sighting {
            row: ProposedRow {
                is_doubtful: !is_sure,
                ..ProposedRow::new(token.path.clone(), word, &label.title)
            },
            is_denied,
        }
    }
}
