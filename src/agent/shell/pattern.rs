//! Paths with wildcards, as a shell or `find` expands them.

use regex_lite::Regex;

use super::word::{Part, Word};

/// An absolute path, or a pattern for such paths.
#[derive(Debug, Clone, Default)]
pub(crate) struct PathPattern {
    /// The names before the first wildcard.
    pub(crate) base: String,
    /// From the first wildcard on; empty for one path.
    pub(crate) rest: Vec<Segment>,
}

/// What one or more names of a path must be.
#[derive(Debug, Clone)]
pub(crate) enum Segment {
    /// This name.
    Name(String),
    /// A name that matches.
    Matching(NameGlob),
    /// Any directories, or none.
    Below,
}

/// A wildcard within a name.
#[derive(Debug, Clone)]
pub(crate) struct NameGlob(Option<Regex>, bool);

impl Segment {
    pub(super) fn matching(parts: &[Part]) -> Segment {
        let mut pattern = "(?s)^".to_owned();
        for part in parts {
            match part {
                Part::Text(text) => pattern.push_str(&regex_lite::escape(text)),
                Part::Glob(glob) => match glob.as_str() {
                    "*" => pattern.push_str(".*"),
                    "?" => pattern.push('.'),
                    set => pattern.push_str(&set.replacen("[!", "[^", 1).replace('\\', "\\\\")),
                },
                _ => pattern.push_str(".*"),
            }
        }
        pattern.push('$');
        let hidden = matches!(parts.first(), Some(Part::Text(text)) if text.starts_with('.'));
        Segment::Matching(NameGlob(Regex::new(&pattern).ok(), hidden))
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        match self {
            Segment::Name(this) => this == name,
            // A set that cannot be read may match anything.
            Segment::Matching(NameGlob(regex, hidden)) => {
                (*hidden || !name.starts_with('.'))
                    && regex.as_ref().is_none_or(|regex| regex.is_match(name))
            }
            Segment::Below => true,
        }
    }
}

impl PathPattern {
    /// The absolute path of a word; `None` if a part is not known, or it is relative to an unknown directory.
    pub(super) fn of(word: &Word, directory: Option<&str>) -> Option<PathPattern> {
        if word.has_unknown() || word.0.is_empty() {
            return None;
        }
        let mut parts = Vec::new();
        if !word.start().starts_with('/') {
            parts.push(Part::Text(format!("{}/", directory?)));
        }
        parts.extend(word.0.iter().cloned());
        Some(pattern(&parts))
    }
}

fn pattern(parts: &[Part]) -> PathPattern {
    let mut names: Vec<Vec<Part>> = vec![Vec::new()];
    let push = |names: &mut Vec<Vec<Part>>, part: Part| {
        if let Some(last) = names.last_mut() {
            last.push(part);
        }
    };
    for part in parts {
        let Part::Text(text) = part else {
            push(&mut names, part.clone());
            continue;
        };
        for (at, piece) in text.split('/').enumerate() {
            if at > 0 {
                names.push(Vec::new());
            }
            if !piece.is_empty() {
                push(&mut names, Part::Text(piece.to_owned()));
            }
        }
    }
    let mut path = PathPattern::default();
    let is_here = |name: &Vec<Part>| matches!(name.as_slice(), [Part::Text(text)] if text == ".");
    for name in names
        .iter()
        .filter(|name| !name.is_empty() && !is_here(name))
    {
        let is_text = |part: &Part| !matches!(part, Part::Glob(_) | Part::Below);
        if name.contains(&Part::Below) {
            path.rest.push(Segment::Below);
        } else if name.iter().all(is_text) {
            let name = Word(name.clone()).text().unwrap_or_default();
            match path.rest.is_empty() {
                true => {
                    path.base.push('/');
                    path.base.push_str(&name);
                }
                false => path.rest.push(Segment::Name(name)),
            }
        } else {
            path.rest.push(Segment::matching(name));
        }
    }
    if path.base.is_empty() {
        path.base.push('/');
    }
    path
}
