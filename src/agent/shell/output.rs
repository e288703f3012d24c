//! What a command prints, as far as its text says so.

use super::word::Word;

/// The standard output of one command, which is the standard input of another.
#[derive(Debug, Clone, Default)]
pub(super) struct Printed {
    /// All of it, byte for byte.
    pub(super) text: Option<String>,
    /// All of it but for expansions, if it is a script.
    script: Option<String>,
    /// The paths in it, one per line.
    paths: Option<Vec<Word>>,
}

impl Printed {
    pub(super) fn of(text: String) -> Printed {
        Printed {
            text: Some(text),
            ..Printed::default()
        }
    }

    pub(super) fn paths(paths: Vec<Word>) -> Printed {
        Printed {
            paths: Some(paths),
            ..Printed::default()
        }
    }

    pub(super) fn script(script: String) -> Printed {
        Printed {
            script: Some(script),
            ..Printed::default()
        }
    }

    /// The text as a script to read.
    pub(super) fn as_script(&self) -> Option<&str> {
        self.text.as_deref().or(self.script.as_deref())
    }

    /// Its words; `None` if they are not known.
    pub(super) fn words(&self) -> Option<Vec<Word>> {
        let split = |text: &String| text.split_whitespace().map(Word::from).collect();
        self.paths.clone().or_else(|| self.text.as_ref().map(split))
    }
}
