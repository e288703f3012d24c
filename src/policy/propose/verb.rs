//! The few English words that say what a plan does with a file. Other words only make a proposal doubtful.

/// What a word says about the path after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Create,
    Modify,
    Delete,
    Rename,
    /// It is only read, or it is not certain.
    Doubt,
    /// It stays as it is.
    Deny,
}

/// The beginnings of verbs; their common endings follow.
const STEMS: &[(Verb, &[&str])] = &[
    (
        Verb::Create,
        &[
            "creat",
            "add",
            "new",
            "writ",
            "written",
            "implement",
            "generat",
            "produc",
            "test",
        ],
    ),
    (
        Verb::Modify,
        &[
            "modif",
            "updat",
            "edit",
            "chang",
            "extend",
            "refactor",
            "rewrit",
            "fix",
            "wir",
            "append",
            "register",
            "replac",
            "configur",
            "initializ",
            "affect",
            "touch",
        ],
    ),
    (Verb::Delete, &["delet", "remov"]),
    (Verb::Rename, &["renam", "mov"]),
    (
        Verb::Doubt,
        &[
            "read", "verif", "referenc", "refer", "review", "check", "run", "us", "follow", "keep",
            "inspect", "validat", "exist", "relat", "pattern", "exampl", "consider", "reject",
            "defer", "complet", "depend",
        ],
    ),
];

const ENDINGS: &[&str] = &[
    "", "e", "es", "s", "d", "ed", "ing", "y", "ies", "ied", "ying",
];

const DOUBTS: &[&str] = &[
    "see",
    "like",
    "via",
    "if",
    "or",
    "maybe",
    "possibly",
    "probably",
    "perhaps",
    "optional",
    "later",
    "unless",
    "when",
    "relevant",
    "critical",
    "structure",
    "context",
    "history",
    "background",
    "alternatives",
    "future",
    "rollback",
    "backlog",
    "scope",
    "appendix",
    "done",
];

const DENIALS: &[&str] = &[
    "not",
    "no",
    "none",
    "never",
    "without",
    "avoid",
    "unchanged",
    "untouched",
    "unaffected",
    "skip",
    "frozen",
    "off",
    "only",
];

/// Prepositions that say that a path is not the object: `like x`, `tests for x`.
pub(super) const ASIDE: &[&str] = &["for", "from", "like", "with", "as", "using", "by", "of"];

impl Verb {
    /// The meaning of a word in lower case, if it has one here.
    pub(super) fn of(word: &str) -> Option<Verb> {
        if DENIALS.contains(&word) || word.ends_with("n't") || word.ends_with("n\u{2019}t") {
            return Some(Verb::Deny);
        }
        if DOUBTS.contains(&word) {
            return Some(Verb::Doubt);
        }
        let is_form = |stem: &&str| {
            word.strip_prefix(stem)
                .is_some_and(|end| ENDINGS.contains(&end))
        };
        let mut stems = STEMS.iter();
        stems
            .find(|(_, stems)| stems.iter().any(|stem| is_form(&stem)))
            .map(|(verb, _)| *verb)
    }

    /// Whether it changes a file.
    pub(super) fn writes(self) -> bool {
        !matches!(self, Verb::Doubt | Verb::Deny)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_verb_are_known_and_other_words_are_not() {
        for (word, verb) in [
            ("create", Some(Verb::Create)),
            ("creating", Some(Verb::Create)),
            ("modified", Some(Verb::Modify)),
            ("removes", Some(Verb::Delete)),
            ("move", Some(Verb::Rename)),
            ("using", Some(Verb::Doubt)),
            ("doesn't", Some(Verb::Deny)),
            ("address", None),
            ("note", None),
            ("\u{4fee}\u{6539}", None),
        ] {
            assert_eq!(Verb::of(word), verb, "{word}");
        }
    }
}
