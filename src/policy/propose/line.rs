//! Reads one line of a document: the paths that it names, and what its words say about each. The few English words
//! here only spare a person some question marks: what they do not cover makes a row doubtful.

use super::token::{FileLookup, PathToken, PlanToken, tokens, words};
use super::{ProposedRow, plain};

/// The beginnings of the verbs that give a type; a common ending follows.
const TYPES: [(&str, &str); 4] = [
    ("Add", "creat add new writ implement generat test"),
    (
        "Modify",
        "modif updat edit chang extend refactor rewrit fix wir append register",
    ),
    ("Delete", "delet remov"),
    ("Rename", "renam mov"),
];
const ENDINGS: &str = "e es s d ed ing y ies ied";

/// Words that deny a change or put it off.
const DOUBTS: &str = "not no none never nothing without avoid unchanged untouched unaffected skip only if unless maybe \
    possibly probably perhaps optional later equivalent scope deferred rollback alternatives rejected references \
    history background appendix";

/// Words between a verb and its path that change nothing.
const FILLERS: &str = "and the a an file files";

/// Words behind which a path is the place of what a verb makes: "Create the model in src/task.py".
const PLACES: &str = "in into to at";

fn has(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

fn doubts(word: &str) -> bool {
    has(DOUBTS, word) || word.ends_with("n't")
}

/// The type of row that a verb in lower case stands for.
pub(super) fn type_of(word: &str) -> Option<&'static str> {
    let is_form = |stem: &str| {
        let ending = word.strip_prefix(stem);
        ending.is_some_and(|ending| ending.is_empty() || has(ENDINGS, ending))
    };
    let mut types = TYPES.into_iter();
    let found = types.find(|(_, stems)| stems.split(' ').any(is_form));
    found.map(|(word, _)| word)
}

/// What a heading or label says about the lines below it.
#[derive(Debug, Clone, Default)]
pub(super) struct PlanContext {
    pub(super) title: String,
    /// Whether it announces files.
    pub(super) declares: bool,
    pub(super) change_type: Option<&'static str>,
    pub(super) is_doubtful: bool,
}

impl PlanContext {
    pub(super) fn of(text: &str) -> PlanContext {
        let words: Vec<String> = words(text).collect();
        PlanContext {
            title: plain(text),
            declares: words.iter().any(|word| has("file files paths code", word)),
            change_type: words.iter().find_map(|word| type_of(word)),
            is_doubtful: words.iter().any(|word| doubts(word)),
        }
    }
}

/// A path on a line, as a row.
#[derive(Debug)]
pub(super) struct Sighting {
    pub(super) row: ProposedRow,
    /// Whether words deny the change.
    pub(super) is_denied: bool,
}

/// The paths that a line names, in order; `None` if it names none.
pub(super) fn sightings(
    text: &str,
    context: &PlanContext,
    lookup: &FileLookup<'_>,
) -> Option<Vec<Sighting>> {
    let tokens = tokens(text, lookup);
    let is_path = |token: &PlanToken| matches!(token, PlanToken::Path(_));
    tokens.iter().any(is_path).then_some(())?;
    let sentence = plain(&format!("{}: {text}", context.title));
    let mut context = context.clone();
    let mut clause = Clause::default();
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            PlanToken::Mark('.') => clause = Clause::default(),
            PlanToken::Mark(':') if clause.paths == 0 && !clause.words.is_empty() => {
                // A label without a known word may deny the change in any language.
                let label = PlanContext::of(&clause.words);
                clause = Clause {
                    verb: label.change_type.filter(|_| !label.declares),
                    ..Clause::default()
                };
                context = PlanContext {
                    title: context.title,
                    is_doubtful: context.is_doubtful || label.is_doubtful,
                    ..label
                };
            }
            PlanToken::Mark(',') => {}
            PlanToken::Mark(_) => clause.is_apart = clause.paths > 0,
            PlanToken::Word(word) => clause.push(word),
            PlanToken::Path(token) => {
                let remark = Remark::of(&tokens[at + 1..]);
                found.extend(clause.sighting(token, &context, &remark, &sentence));
            }
        }
    }
    Some(found)
}

/// What the words behind a path say, up to the next path.
struct Remark {
    change_type: Option<&'static str>,
    is_doubtful: bool,
    /// Whether it follows without a mark.
    is_direct: bool,
}

impl Remark {
    fn of(rest: &[PlanToken]) -> Remark {
        let ends =
            |token: &PlanToken| matches!(token, PlanToken::Path(_) | PlanToken::Mark('.' | ','));
        let rest = rest.split(ends).next().unwrap_or_default();
        let mut words = rest.iter().filter_map(|token| match token {
            PlanToken::Word(word) => Some(word),
            _ => None,
        });
        Remark {
            is_doubtful: words.clone().any(|word| doubts(word)),
            change_type: words.next().and_then(|word| type_of(word)),
            is_direct: matches!(rest.first(), Some(PlanToken::Word(_))),
        }
    }
}

/// What the words before a path say.
#[derive(Debug, Default)]
struct Clause {
    words: String,
    verb: Option<&'static str>,
    is_doubtful: bool,
    /// Whether unknown words come before the verb.
    is_strange: bool,
    /// Whether unknown words come between the verb or the last path and this one.
    has_gap: bool,
    paths: usize,
    /// Whether a mark, or a doubtful path, separates the next path from the verb.
    is_apart: bool,
}

impl Clause {
    fn push(&mut self, word: &str) {
        self.words.push_str(word);
        self.words.push(' ');
        self.is_doubtful |= doubts(word);
        let is_mark = word.len() == 1 || word.contains(|c: char| c.is_ascii_digit());
        match type_of(word) {
            Some(verb) => (self.verb, self.has_gap) = (Some(verb), false),
            None if has(PLACES, word) && self.verb.is_some() => self.has_gap = false,
            None if is_mark || has(FILLERS, word) => {}
            None => {
                self.has_gap = true;
                self.is_strange |= self.verb.is_none();
            }
        }
    }

    fn sighting(
        &mut self,
        token: &PathToken,
        context: &PlanContext,
        remark: &Remark,
        sentence: &str,
    ) -> Option<Sighting> {
        let is_near = !self.has_gap && !self.is_strange;
        let is_listed = context.declares && is_near;
        let verb = self.verb.or(remark.change_type);
        let verb = verb.or(context
            .change_type
            .filter(|word| is_listed && *word == "Delete"));
        let is_wide = token.path.ends_with('/');
        let is_ground = verb.is_some() && is_near || is_listed && !remark.is_direct && !is_wide;
        let is_doubtful = self.is_doubtful || context.is_doubtful || remark.is_doubtful;
        let is_sure = is_ground && !(is_doubtful || self.is_apart || token.is_odd);
        let change_type = match verb {
            Some("Delete") if !self.has_gap => "Delete",
            Some("Rename") if self.paths == 0 => "Delete",
            _ if is_wide => "Add/Modify",
            Some("Delete" | "Modify") => "Modify",
            _ if token.exists => "Modify",
            _ => "Add",
        };
        let about = if is_sure { &context.title } else { sentence };
        let is_kept = !token.is_weak || verb.is_some() || is_listed;
        self.paths += 1;
        self.has_gap = false;
        self.is_apart = !is_sure;
        is_kept.then(|| Sighting {
            row: ProposedRow {
                is_doubtful: !is_sure,
                ..ProposedRow::new(token.path.as_str().into(), change_type, about)
            },
            is_denied: self.is_doubtful,
        })
    }
}
