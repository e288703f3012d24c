//! Headings that exclude: nothing below them is a row.

use super::headings::without_number;
use super::words::{as_seen, joined, words};

/// What a part of a heading that excludes consists of, with words that add nothing.
const EXCLUDING: &[&str] = &[
    "out of scope",
    "not in scope",
    "out of bounds",
    "off limits",
    "non goal",
    "non goals",
    "nongoal",
    "nongoals",
    "no goals",
    "deferred",
    "deferred to",
    "postponed",
    "postponed to",
    "later",
    "future",
    "follow up",
    "follow ups",
    "followup",
    "followups",
    "dropped",
    "rejected",
    "refused",
    "declined",
    "discarded",
    "skip",
    "skipped",
    "cancelled",
    "canceled",
    "ruled out",
    "abandoned",
    "superseded",
    "obsolete",
    "deprecated",
    "excluded",
    "exclusion",
    "exclusions",
    "forbidden",
    "prohibited",
    "alternative",
    "alternatives",
    "considered",
    "rollback",
    "roll back",
    "example",
    "examples",
    "sample",
    "samples",
    "template",
    "templates",
    "appendix",
    "appendices",
    "background",
    "context",
    "history",
    "current",
    "existing",
    "previous",
    "reference",
    "references",
    "done",
    "completed",
    "optional",
    "maybe",
    "tbd",
    "stretch",
    "untouched",
    "unchanged",
    "unmodified",
    "unaffected",
    "keep",
    "kept",
    "to keep",
    "as is",
    "no change",
    "no changes",
    "frozen",
    "backlog",
    "blocked",
    "root cause",
    "root causes",
    "investigate",
    "investigation",
    "read only",
    "nice to have",
    "wontfix",
    "icebox",
    "parking lot",
    "open questions",
    "prior art",
];

/// Words that add nothing to those above.
const NEUTRAL: &[&str] = &[
    "a",
    "an",
    "the",
    "and",
    "or",
    "of",
    "for",
    "in",
    "this",
    "these",
    "all",
    "plan",
    "plans",
    "planned",
    "work",
    "approach",
    "approaches",
    "idea",
    "ideas",
    "item",
    "items",
    "option",
    "options",
    "note",
    "notes",
    "list",
    "section",
    "task",
    "tasks",
    "step",
    "steps",
    "file",
    "files",
    "design",
    "designs",
    "solution",
    "solutions",
    "version",
    "versions",
    "material",
    "phase",
    "phases",
];

/// Words that exclude wherever they stand in a heading.
const NEGATIONS: &[&str] = &["not", "don't", "dont", "won't", "wont", "never"];

/// Names of Markdown and other documents, which a heading may be about.
const DOCUMENTS: &[&str] = &[".md", ".markdown", ".mdx", ".mdc", ".rst", ".adoc"];

/// Whether a heading excludes what is below it. That of the whole document may say "not": "Do not retry twice".
pub(super) fn excludes(heading: &str, is_title: bool) -> bool {
    let said = words(heading);
    let denies = said.iter().any(|word| NEGATIONS.contains(&word.as_str()));
    if denies && !is_title {
        return true;
    }
    let text = as_seen(heading);
    let text = without_number(text.trim()).trim();
    if is_excluding(text) {
        return true;
    }
    let parts = parts(text);
    let [first, .., last] = parts.as_slice() else {
        return false;
    };
    is_excluding(first) || is_excluding(last)
}

/// Whether a heading names a document: what is below it describes that document.
pub(super) fn names_document(heading: &str) -> bool {
    heading
        .split(|c: char| c.is_whitespace() || "`'\"()[]<>,;:".contains(c))
        .any(|word| {
            let word = word.trim_end_matches(['.', '!', '?']).to_lowercase();
            DOCUMENTS
                .iter()
                .any(|end| word.len() > end.len() && word.ends_with(end))
        })
}

/// Whether a text consists only of excluding phrases and neutral words, with at least one of the former.
fn is_excluding(text: &str) -> bool {
    let said = words(text);
    let mut rest = said.as_slice();
    let mut is_found = false;
    while let [first, behind @ ..] = rest {
        if let Some(length) = excluding_length(rest) {
            is_found = true;
            rest = &rest[length..];
        } else if NEUTRAL.contains(&first.as_str()) || is_label(first) {
            rest = behind;
        } else {
            return false;
        }
    }
    is_found
}

/// The number of words that the longest excluding phrase at the beginning has.
fn excluding_length(said: &[String]) -> Option<usize> {
    (1..=said.len().min(3))
        .rev()
        .find(|&length| EXCLUDING.contains(&said[..length].join(" ").as_str()))
}

/// A number or one letter: "Appendix A", "Alternative 2".
fn is_label(word: &str) -> bool {
    word.chars().count() == 1 || word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The parts of a heading: what stands before a dash, a colon or a bracket, between them, and behind.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let is_spaced_hyphen =
            c == '-' && text[..at].ends_with(' ') && text[at + 1..].starts_with([' ', '-']);
        if is_spaced_hyphen || matches!(c, ':' | '—' | '–' | '(' | ')' | '[' | ']' | '{' | '}')
        {
            parts.push(&text[start..at]);
            start = at + c.len_utf8();
        }
    }
    parts.push(&text[start..]);
    parts.retain(|part| !joined(part).is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_of_excluding_words_excludes() {
        for heading in [
            "Out of scope",
            "2.3 Out-of-scope",
            "Non-goals",
            "Future work",
            "Deferred to later",
            "Ruled out",
            "Abandoned approach",
            "Superseded plan",
            "Obsolete",
            "Alternatives considered",
            "Rollback plan",
            "Appendix B",
            "Examples",
            "Rej\u{200b}ected",
            "Task 3: cancelled",
            "Phase 2 — Deferred",
        ] {
            assert!(excludes(heading, false), "{heading}");
            assert!(excludes(heading, true), "{heading}");
        }
    }

    #[test]
    fn an_excluding_part_before_or_behind_a_mark_excludes() {
        for heading in [
            "Rejected: the cache",
            "Deferred - the cache",
            "Task 3: parser (skipped)",
            "The cache [dropped]",
            "[dropped] The cache",
            "The cache — later",
            "Files Changed: out of scope",
            "Appendix A: Files Changed",
            "Unchanged (Keep As-Is)",
            "Deferred (the cache)",
            "Files to keep as is",
            "No changes (for reference only)",
        ] {
            assert!(excludes(heading, false), "{heading}");
        }
    }

    #[test]
    fn a_negation_excludes_except_in_the_title() {
        for heading in ["Files not changed", "We won’t do this", "Never retry"] {
            assert!(excludes(heading, false), "{heading}");
            assert!(!excludes(heading, true), "{heading}");
        }
    }

    #[test]
    fn real_work_excludes_nothing() {
        for heading in [
            "Task 1: Register backlog items",
            "Task 2.3 — RED: loading existing local settings",
            "Fix 1.3: Add a filter to the batch history",
            "Replace the current cache",
            "Background and current state",
            "Deferred loading",
            "Notebook support",
            "Files Changed",
            "2.1 Files Changed (estimated)",
            "Rollback on failure",
        ] {
            assert!(!excludes(heading, false), "{heading}");
        }
    }

    #[test]
    fn a_document_in_a_heading_is_recognised_by_its_extension() {
        for heading in [
            "1. New brief: `docs/briefs/a.md`",
            "plans/B.md",
            "[guide](docs/guide.rst)",
        ] {
            assert!(names_document(heading), "{heading}");
        }
        for heading in ["Task 1: the .md parser", "src/a.rs", "Version 2.md5"] {
            assert!(!names_document(heading), "{heading}");
        }
    }
}
