//! Reads one line of a document: the paths that it names, and what its words say about each. The few English words
//! here only spare a person some question marks: what they do not cover makes a row doubtful.

use super::MAX_DESCRIPTION;
use super::token::{FileLookup, PlanToken, tokens, words};

/// The beginnings of the verbs that give a type; a common ending follows.
const TYPES: [(&str, &str); 4] = [
    ("Add", "creat add new writ implement generat test"),
    ("Modify", "modif updat edit chang extend refactor rewrit"),
    ("Delete", "delet remov"),
    ("Rename", "renam mov"),
];
const ENDINGS: &str = "e es s d ed ing y ies ied";

/// Words before a path that change nothing.
const FILLERS: &str = "file files paths code affected allowed produced changed touched task step and or the an in into to at";

/// Words that announce files.
const FILES: &str = "file files paths code";

/// Words behind which a path is the place of what a verb makes: "Create the model in src/task.py".
const PLACES: &str = "in into to at";

/// Words that deny a change or put it off.
const DOUBTS: &str = "not no none never nothing without avoid unchanged untouched unaffected skip only if unless maybe \
    possibly probably perhaps optional later equivalent exists existing scope deferred rollback alternatives rejected \
    references history background appendix";

/// How many words before and behind a path say something about it.
const NEAR: usize = 30;

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

/// What headings and labels say about the lines below them.
#[derive(Debug, Clone, Default)]
pub(super) struct PlanContext {
    pub(super) title: String,
    /// What a label that announces files says: the words for files, and whether they are deleted.
    pub(super) label: Vec<String>,
    pub(super) is_doubtful: bool,
}

impl PlanContext {
    pub(super) fn of(text: &str) -> PlanContext {
        let mut label: Vec<String> = words(text).collect();
        let is_doubtful = label.iter().any(|word| doubts(word));
        let declares = label.iter().any(|word| has(FILES, word));
        label.retain(|word| declares && (has(FILES, word) || type_of(word) == Some("Delete")));
        PlanContext {
            title: text.trim().to_owned(),
            label,
            is_doubtful,
        }
    }
}

/// A path that a line names.
#[derive(Debug)]
pub(super) struct Sighting {
    pub(super) path: String,
    pub(super) change_type: &'static str,
    pub(super) description: String,
    pub(super) is_doubtful: bool,
    /// Whether words deny the change.
    pub(super) is_denied: bool,
}

/// The paths that a line names; `None` if it names none, not even a doubtful one.
pub(super) fn sightings(
    text: &str,
    context: &PlanContext,
    lookup: &FileLookup<'_>,
) -> Option<Vec<Sighting>> {
    let tokens = tokens(text, lookup);
    let sentence: String = text.chars().take(MAX_DESCRIPTION).collect();
    let mut found = None;
    for (at, token) in tokens.iter().enumerate() {
        let PlanToken::Path(path) = token else {
            continue;
        };
        let found = found.get_or_insert_with(Vec::new);
        let before = &tokens[at.saturating_sub(NEAR)..at];
        let before = before
            .rsplit(|token| *token == PlanToken::Stop)
            .next()
            .unwrap_or_default();
        let behind = &tokens[at + 1..tokens.len().min(at + NEAR)];
        let ends = |token: &PlanToken| matches!(token, PlanToken::Path(_) | PlanToken::Stop);
        let behind = behind.split(ends).next().unwrap_or_default();
        let word = |token: &PlanToken| match token {
            PlanToken::Word(word) => Some(word.clone()),
            _ => None,
        };
        let said = context.label.iter().cloned();
        let said: Vec<String> = said.chain(before.iter().filter_map(word)).collect();
        let remark: Vec<String> = behind.iter().filter_map(word).collect();
        let verb = said
            .iter()
            .rev()
            .chain(remark.first())
            .find_map(|word| type_of(word));
        // Neither tags such as `T012` nor marks such as `x` are words.
        let is_mark = |word: &str| word.len() == 1 || word.contains(|c: char| c.is_ascii_digit());
        let is_known =
            |word: &String| type_of(word).is_some() || has(FILLERS, word) || is_mark(word);
        let is_near = said.iter().all(is_known);
        let is_listed = is_near && said.iter().any(|word| has(FILES, word));
        let is_place = said
            .iter()
            .find(|word| !is_mark(word))
            .is_some_and(|word| type_of(word).is_some())
            && matches!(before, [.., PlanToken::Word(last)] if has(PLACES, last));
        let is_wide = path.path.ends_with('/');
        let is_remarked = matches!(behind, [PlanToken::Word(_), ..]);
        let is_ground =
            verb.is_some() && is_near || is_place || is_listed && !is_remarked && !is_wide;
        let is_denied = said.iter().any(|word| doubts(word));
        let is_doubtful =
            is_denied || context.is_doubtful || remark.iter().any(|word| doubts(word));
        let is_second = before
            .iter()
            .any(|token| matches!(token, PlanToken::Path(_)));
        if path.is_weak && verb.is_none() && !is_listed {
            continue;
        }
        found.push(Sighting {
            path: path.path.clone(),
            change_type: match verb {
                Some("Delete") if is_near => "Delete",
                Some("Rename") if !is_second => "Delete",
                _ if is_wide => "Add/Modify",
                Some("Delete" | "Modify") => "Modify",
                _ if path.exists => "Modify",
                _ => "Add",
            },
            description: match is_ground && !is_doubtful {
                true => context.title.clone(),
                false => format!("{}: {sentence}", context.title),
            },
            is_doubtful: is_doubtful || !is_ground || path.is_odd,
            is_denied,
        });
    }
    found
}
