//! Options and operands of a program.

use super::word::Word;

/// The arguments of a program, told apart.
#[derive(Debug, Default)]
pub(super) struct ParsedOptions {
    options: Vec<(String, Option<Word>)>,
    pub(super) operands: Vec<Word>,
}

/// Which options of a program take a value.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct OptionSyntax {
    /// Letters whose value follows, in the same word or the next.
    pub(super) short: &'static str,
    /// Letters that take the rest of the word, which may be empty.
    pub(super) attached: &'static str,
    /// Long names whose value follows, after `=` or in the next word; also those with one dash.
    pub(super) long: &'static [&'static str],
    /// Whether options end at the first operand.
    pub(super) stops: bool,
}

impl OptionSyntax {
    pub(super) fn short(short: &'static str) -> OptionSyntax {
        OptionSyntax {
            short,
            ..OptionSyntax::default()
        }
    }

    pub(super) fn long(self, long: &'static [&'static str]) -> OptionSyntax {
        OptionSyntax { long, ..self }
    }

    pub(super) fn read(self, words: &[Word]) -> ParsedOptions {
        let mut found = ParsedOptions::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.text().unwrap_or_else(|| word.start());
            if text == "--" {
                found.operands.extend(words.cloned());
                break;
            }
            let Some(body) = text.strip_prefix('-').filter(|body| !body.is_empty()) else {
                found.operands.push(word.clone());
                if self.stops {
                    found.operands.extend(words.cloned());
                    break;
                }
                continue;
            };
            let long = body.strip_prefix('-').unwrap_or(body);
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(word_after(word, value))),
                None => (long, None),
            };
            if self.long.contains(&name) {
                let value = value.or_else(|| words.next().cloned());
                found.options.push((name.to_owned(), value));
            } else if body.starts_with('-') {
                found.options.push((name.to_owned(), value));
            } else {
                self.cluster(body, word, &mut words, &mut found);
            }
        }
        found
    }

    fn cluster<'w>(
        self,
        body: &str,
        word: &Word,
        words: &mut impl Iterator<Item = &'w Word>,
        found: &mut ParsedOptions,
    ) {
        for (at, letter) in body.char_indices() {
            let rest = &body[at + letter.len_utf8()..];
            let name = letter.to_string();
            if self.attached.contains(letter) {
                found.options.push((name, Some(Word::from(rest))));
                return;
            }
            if self.short.contains(letter) {
                let value = match rest.is_empty() && word.text().is_some() {
                    true => words.next().cloned(),
                    false => Some(word_after(word, rest)),
                };
                found.options.push((name, value));
                return;
            }
            found.options.push((name, None));
        }
    }
}

/// The end of a word from where its known beginning ends with `rest`.
fn word_after(word: &Word, rest: &str) -> Word {
    match word.text() {
        Some(_) => Word::from(rest),
        None => {
            let start = word.start();
            let unknown = word.0.iter().skip(1).cloned().collect();
            Word::from(&start[start.len() - rest.len().min(start.len())..]).then(Word(unknown))
        }
    }
}

impl ParsedOptions {
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options
            .iter()
            .any(|(name, _)| names.contains(&name.as_str()))
    }

    /// The last value of an option.
    pub(super) fn value(&self, names: &[&str]) -> Option<Word> {
        self.values(names).pop()
    }

    pub(super) fn values(&self, names: &[&str]) -> Vec<Word> {
        self.options
            .iter()
            .filter(|(name, _)| names.contains(&name.as_str()))
            .filter_map(|(_, value)| value.clone())
            .collect()
    }
}
