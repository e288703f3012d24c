//! Reads one line of a document: the paths that it names, and the verb beside each.

use super::token::{FileLookup, PathToken, PlanToken, tokens};

/// The beginnings of the verbs that give a type; a common ending follows.
const TYPES: [(&str, &str); 4] = [
    ("Add", "creat add new writ implement generat test"),
    ("Modify", "modif updat edit chang extend refactor rewrit"),
    ("Delete", "delet remov"),
    ("Rename", "renam mov"),
];
const ENDINGS: &str = "e es s d ed ing y ies ied";

/// How many tokens before a path can say what happens to it.
const NEAR: usize = 30;

fn type_of(word: &str) -> Option<&'static str> {
    let is_form = |stem: &str| {
        let ending = word.strip_prefix(stem);
        ending
            .is_some_and(|ending| ending.is_empty() || ENDINGS.split(' ').any(|one| one == ending))
    };
    let mut types = TYPES.into_iter();
    let found = types.find(|(_, stems)| stems.split(' ').any(is_form));
    found.map(|(word, _)| word)
}

/// The paths that a line names, each with the type of the last verb before it or, if there is none, of the word behind.
pub(super) fn paths_of_line(
    text: &str,
    lookup: &FileLookup<'_>,
) -> Vec<(PathToken, Option<&'static str>)> {
    let tokens = tokens(text, lookup);
    let verb = |token: &PlanToken| match token {
        PlanToken::Word(word) => type_of(word),
        _ => None,
    };
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let PlanToken::Path(path) = token else {
            continue;
        };
        let before = tokens[at.saturating_sub(NEAR)..at].iter().rev();
        let mut before = before.take_while(|token| **token != PlanToken::Stop);
        let mut behind = tokens[at + 1..]
            .iter()
            .skip_while(|token| **token == PlanToken::Mark);
        let change_type = before
            .find_map(verb)
            .or_else(|| behind.next().and_then(verb));
        found.push((path.clone(), change_type));
    }
    found
}
