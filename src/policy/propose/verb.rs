//! The few English words that say what a plan does with a file. Other words only make a proposal doubtful.

/// What a word says about the path after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlanVerb {
    Create,
    Modify,
    Delete,
    Rename,
    /// The file is only read, or nothing is certain.
    Doubt,
    /// The file stays as it is.
    Deny,
}

/// The beginnings of verbs; a common ending follows.
const STEMS: [(PlanVerb, &str); 5] = [
    (
        PlanVerb::Create,
        "creat add new writ written implement generat produc test",
    ),
    (
        PlanVerb::Modify,
        "modif updat edit chang extend refactor rewrit fix wir append register configur affect",
    ),
    (PlanVerb::Delete, "delet remov"),
    (PlanVerb::Rename, "renam mov"),
    (
        PlanVerb::Doubt,
        "read verif referenc refer review check run us follow keep inspect validat exist relat pattern exampl \
         consider reject defer deferr complet",
    ),
];

const ENDINGS: &str = "e es s d ed ing y ies ied ying";

const DOUBTS: &str = "see like via if or maybe possibly probably perhaps optional later unless when relevant critical \
                      context history background alternatives future rollback backlog scope appendix done";

const DENIALS: &str =
    "not no none never nothing without avoid unchanged untouched unaffected skip frozen off only";

/// Prepositions before a path that is not the object: `like x`, `tests for x`.
const ASIDE: &str = "for from like with as using by of";

fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|known| known == word)
}

impl PlanVerb {
    /// The meaning of a word in lower case, if it has one here.
    pub(super) fn of(word: &str) -> Option<PlanVerb> {
        if has(DENIALS, word) || word.ends_with("n't") {
            return Some(PlanVerb::Deny);
        }
        let is_form = |stem: &str| {
            let ending = word.strip_prefix(stem);
            ending.is_some_and(|ending| ending.is_empty() || has(ENDINGS, ending))
        };
        let verb = STEMS
            .iter()
            .find(|(_, stems)| stems.split_whitespace().any(is_form));
        let doubt = has(DOUBTS, word).then_some(PlanVerb::Doubt);
        doubt.or(verb.map(|(verb, _)| *verb))
    }

    /// Whether it changes a file.
    pub(super) fn writes(self) -> bool {
        !matches!(self, PlanVerb::Doubt | PlanVerb::Deny)
    }
}

/// Whether the path after this word is not what the verb is about.
pub(super) fn sets_aside(word: &str, verb: Option<PlanVerb>) -> bool {
    has(ASIDE, word) && !(word == "from" && verb == Some(PlanVerb::Delete))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_verb_are_known_and_other_words_are_not() {
        for (word, verb) in [
            ("create", Some(PlanVerb::Create)),
            ("creating", Some(PlanVerb::Create)),
            ("modified", Some(PlanVerb::Modify)),
            ("removes", Some(PlanVerb::Delete)),
            ("move", Some(PlanVerb::Rename)),
            ("using", Some(PlanVerb::Doubt)),
            ("doesn't", Some(PlanVerb::Deny)),
            ("address", None),
            ("note", None),
            ("修改", None),
        ] {
            assert_eq!(PlanVerb::of(word), verb, "{word}");
        }
    }
}
