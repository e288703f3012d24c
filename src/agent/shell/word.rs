//! The words of a command, after the expansions that its text alone decides.

/// How many words one brace expansion may yield.
const MAX_ALTERNATIVES: usize = 256;

/// A piece of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    /// `*`, `?` or `[…]`, without quotes.
    Glob(String),
    /// Any number of directories, as in what `find` finds.
    Below,
    /// What only the run decides.
    Unknown,
    /// `{`, `,` or `}` without quotes.
    Brace(char),
    /// Blanks in an unquoted expansion.
    Split,
}

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Word(pub(super) Vec<Part>);

impl From<&str> for Word {
    fn from(text: &str) -> Word {
        Word(vec![Part::Text(text.to_owned())])
    }
}

impl From<String> for Word {
    fn from(text: String) -> Word {
        Word(vec![Part::Text(text)])
    }
}

impl Word {
    pub(super) fn unknown() -> Word {
        Word(vec![Part::Unknown])
    }

    /// The text as it is spelled; `None` if a part is not known.
    pub(super) fn text(&self) -> Option<String> {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Text(part) | Part::Glob(part) => text.push_str(part),
                Part::Brace(brace) => text.push(*brace),
                Part::Split => text.push(' '),
                Part::Below | Part::Unknown => return None,
            }
        }
        Some(text)
    }

    /// The known text at its beginning.
    pub(super) fn start(&self) -> String {
        let known = self.0.iter().map_while(|part| match part {
            Part::Text(part) => Some(part.as_str()),
            _ => None,
        });
        known.collect()
    }

    pub(super) fn has_unknown(&self) -> bool {
        self.0.contains(&Part::Unknown)
    }

    pub(super) fn then(self, other: Word) -> Word {
        Word(merge(&[self.0, other.0].concat()))
    }

    /// The word with `from` replaced, as `xargs -I` and `find -exec` do.
    pub(super) fn replace(&self, from: &str, to: &Word) -> Word {
        let Some(text) = self.text().filter(|text| text.contains(from)) else {
            return self.clone();
        };
        let mut pieces = text.split(from);
        let first = Word::from(pieces.next().unwrap_or_default());
        pieces.fold(first, |word, piece| {
            word.then(to.clone()).then(Word::from(piece))
        })
    }

    /// The last name of a path.
    pub(super) fn file_name(&self) -> Word {
        self.split_name().1
    }

    /// The path without its last name.
    pub(super) fn parent(&self) -> Word {
        let (directory, _) = self.split_name();
        match directory.0.is_empty() {
            true => Word::from("."),
            false => directory,
        }
    }

    fn split_name(&self) -> (Word, Word) {
        let mut parts = self.0.clone();
        if let Some(Part::Text(text)) = parts.last_mut() {
            text.truncate(text.trim_end_matches('/').len());
        }
        let slash = |part: &Part| match part {
            Part::Text(text) => text.rfind('/'),
            _ => None,
        };
        let Some(at) = parts.iter().rposition(|part| slash(part).is_some()) else {
            return (Word::default(), Word(parts));
        };
        let mut name = parts.split_off(at);
        if let Some(Part::Text(text)) = name.first_mut() {
            let rest = text.split_off(text.rfind('/').map_or(0, |slash| slash + 1));
            let directory = text.trim_end_matches('/');
            parts.push(Part::Text(match directory {
                "" => "/".to_owned(),
                directory => directory.to_owned(),
            }));
            *text = rest;
        }
        (Word(parts), Word(name))
    }

    /// The path below a directory, unless it is absolute.
    pub(super) fn below(&self, directory: &Word) -> Word {
        let start = self.start();
        if start.starts_with('/') || directory.text().as_deref() == Some(".") {
            return self.clone();
        }
        let slash = match directory.text() {
            Some(text) if text.is_empty() || text.ends_with('/') => "",
            _ => "/",
        };
        directory.clone().then(slash.into()).then(self.clone())
    }

    /// Without this end.
    pub(super) fn without_end(&self, end: &str) -> Word {
        let mut parts = self.0.clone();
        if let Some(Part::Text(text)) = parts.last_mut()
            && let Some(rest) = text.strip_suffix(end)
        {
            *text = rest.to_owned();
        }
        Word(parts)
    }
}

/// The parts of unquoted text.
pub(super) fn unquoted(text: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(escaped) => literal(&mut parts, escaped),
            },
            '*' | '?' => parts.push(Part::Glob(char.to_string())),
            '[' => {
                let rest: String = chars.clone().collect();
                let end = rest.get(1..).and_then(|rest| rest.find(']'));
                match end.filter(|end| !rest[..*end].contains('/')) {
                    Some(end) => {
                        let set: String = chars
                            .by_ref()
                            .take(rest[..end + 2].chars().count())
                            .collect();
                        parts.push(Part::Glob(format!("[{set}")));
                    }
                    None => literal(&mut parts, char),
                }
            }
            '{' | ',' | '}' => parts.push(Part::Brace(char)),
            _ => literal(&mut parts, char),
        }
    }
    parts
}

fn literal(parts: &mut Vec<Part>, char: char) {
    match parts.last_mut() {
        Some(Part::Text(text)) => text.push(char),
        _ => parts.push(Part::Text(char.to_string())),
    }
}

/// The words that one word expands to: braces, and blanks in unquoted expansions.
pub(super) fn expand(parts: Vec<Part>) -> Vec<Word> {
    let mut words = Vec::new();
    for parts in braces(parts) {
        let pieces = parts.split(|part| *part == Part::Split);
        let is_split = parts.contains(&Part::Split);
        for piece in pieces {
            if !is_split || !piece.is_empty() {
                words.push(Word(merge(piece)));
            }
        }
    }
    words
}

/// Joins neighbouring texts.
fn merge(parts: &[Part]) -> Vec<Part> {
    let mut merged: Vec<Part> = Vec::new();
    for part in parts {
        match (merged.last_mut(), part) {
            (Some(Part::Text(before)), Part::Text(text)) => before.push_str(text),
            (Some(Part::Text(before)), Part::Brace(brace)) => before.push(*brace),
            (_, Part::Brace(brace)) => merged.push(Part::Text(brace.to_string())),
            (_, part) => merged.push(part.clone()),
        }
    }
    merged
}

fn braces(parts: Vec<Part>) -> Vec<Vec<Part>> {
    let mut done: Vec<Vec<Part>> = Vec::new();
    let mut open = vec![parts];
    while let Some(parts) = open.pop() {
        if done.len() + open.len() > MAX_ALTERNATIVES {
            return vec![vec![Part::Unknown]];
        }
        match first_brace(&parts) {
            Some((begin, commas, end)) => {
                let mut bounds = vec![begin];
                bounds.extend(commas);
                bounds.push(end);
                // In reverse, because the last one is expanded first.
                for pair in bounds.windows(2).rev() {
                    let inner = &parts[pair[0] + 1..pair[1]];
                    open.push([&parts[..begin], inner, &parts[end + 1..]].concat());
                }
            }
            None => done.push(parts),
        }
    }
    done
}

/// The first pair of braces with a comma: its begin, its commas, its end.
fn first_brace(parts: &[Part]) -> Option<(usize, Vec<usize>, usize)> {
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut found: Option<(usize, Vec<usize>, usize)> = None;
    for (at, part) in parts.iter().enumerate() {
        let Part::Brace(brace) = part else { continue };
        match brace {
            '{' => open.push((at, Vec::new())),
            '}' => {
                if let Some((begin, commas)) = open.pop()
                    && !commas.is_empty()
                    && found.as_ref().is_none_or(|found| begin < found.0)
                {
                    found = Some((begin, commas, at));
                }
            }
            _ => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(at);
                }
            }
        }
    }
    found
}
