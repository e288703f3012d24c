//! Reads one line of a document: the paths that it names, and what its words say about each. The few English words
//! here only spare a person some question marks: what they do not cover makes a row doubtful.

use super::token::{FileLookup, PlanToken, tokens, words};
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

/// Words before a path that change nothing.
const FILLERS: &str =
    "file files paths code affected allowed produced task step and or the an in into to at";

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

/// What a heading or label says about the lines below it.
#[derive(Debug, Clone, Default)]
pub(super) struct PlanContext {
    pub(super) title: String,
    /// Whether it announces files.
    pub(super) declares: bool,
    pub(super) deletes: bool,
    pub(super) is_doubtful: bool,
}

impl PlanContext {
    pub(super) fn of(text: &str) -> PlanContext {
        let words: Vec<String> = words(text).collect();
        PlanContext {
            title: plain(text),
            declares: words.iter().any(|word| has(FILES, word)),
            deletes: words.iter().any(|word| type_of(word) == Some("Delete")),
            is_doubtful: words.iter().any(|word| doubts(word)),
        }
    }
}

/// The rows for the paths that a line names, each with whether words deny the change; `None` if it names no path.
pub(super) fn rows_of_line(
    text: &str,
    context: &PlanContext,
    lookup: &FileLookup<'_>,
) -> Option<Vec<(ProposedRow, bool)>> {
    let tokens = tokens(text, lookup);
    let sentence = plain(&format!("{}: {text}", context.title));
    let mut rows = None;
    for (at, token) in tokens.iter().enumerate() {
        let PlanToken::Path(path) = token else {
            continue;
        };
        let rows = rows.get_or_insert_with(Vec::new);
        let before = tokens[at.saturating_sub(NEAR)..at].rsplit(|token| *token == PlanToken::Stop);
        let before = before.into_iter().next().unwrap_or_default();
        let behind = &tokens[at + 1..tokens.len().min(at + NEAR)];
        let ends = |token: &PlanToken| matches!(token, PlanToken::Path(_) | PlanToken::Stop);
        let behind = behind.split(ends).next().unwrap_or_default();
        let [said, remark] = [before, behind].map(|tokens| {
            let words = tokens.iter().filter_map(|token| match token {
                PlanToken::Word(word) => Some(word.as_str()),
                _ => None,
            });
            words.collect::<Vec<&str>>()
        });
        // Neither numbers and tags such as `T012` nor marks such as `x` are words.
        let is_mark = |word: &str| word.len() == 1 || word.contains(|c: char| c.is_ascii_digit());
        let is_known = |word: &&str| type_of(word).is_some() || has(FILLERS, word) || is_mark(word);
        let is_near = said.iter().all(is_known);
        let first = said.iter().find(|word| !is_mark(word));
        let is_place = first.is_some_and(|word| type_of(word).is_some())
            && matches!(before, [.., PlanToken::Word(last)] if has(PLACES, last));
        let verb = said.iter().rev().find_map(|word| type_of(word));
        let verb = verb.or(remark.first().and_then(|word| type_of(word)));
        let declares = context.declares || said.iter().any(|word| has(FILES, word));
        let is_wide = path.path.ends_with('/');
        let is_direct = matches!(behind, [PlanToken::Word(_), ..]);
        let is_listed = is_near && (verb.is_some() || declares && !is_direct && !is_wide);
        let is_denied = said.iter().any(|word| doubts(word));
        let is_doubtful =
            is_denied || context.is_doubtful || remark.iter().any(|word| doubts(word));
        let is_sure = (is_listed || is_place) && !is_doubtful && !path.is_odd;
        let has_paths = before
            .iter()
            .any(|token| matches!(token, PlanToken::Path(_)));
        let change_type = match verb {
            Some("Delete") if is_near => "Delete",
            Some("Rename") if !has_paths => "Delete",
            None if context.deletes && declares && is_near => "Delete",
            _ if is_wide => "Add/Modify",
            Some("Delete" | "Modify") => "Modify",
            _ if path.exists => "Modify",
            _ => "Add",
        };
        if !path.is_weak || verb.is_some() || declares && is_near {
            let about = if is_sure { &context.title } else { &sentence };
            let row = ProposedRow {
                is_doubtful: !is_sure,
                ..ProposedRow::new(path.path.as_str().into(), change_type, about)
            };
            rows.push((row, is_denied));
        }
    }
    rows
}
