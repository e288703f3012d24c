//! Text that stands where a path will be, and words that say that there is none.

use std::sync::LazyLock;

use regex_lite::Regex;

use super::words::pattern;

/// Words for a path that is not known yet.
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    let word = "todo|tbd|tba|xxx|[…?:]+|[.]{3,}|(?:todo|tbd)[ :].*|to be .*";
    pattern(&format!(r"^[*_` ()\[\]]*(?is:{word})[*_` ()\[\]]*$"))
});

/// Words that say that there is no file.
const NOTHING: &[&str] = &["none", "n/a", "na", "nil", "nothing", "-", "–", "—", "--"];

/// Whether a text says that there is no file: "None", "N/A (docs only)", "-".
pub(super) fn is_nothing(text: &str) -> bool {
    let text = text.trim().trim_end_matches('.');
    let word = match text.split_once('(') {
        Some((word, note)) if note.ends_with(')') => word,
        Some(_) => return false,
        None => text,
    };
    let word = word.trim_matches(['*', '_', '`', ' ']).to_lowercase();
    NOTHING.contains(&word.as_str())
}

/// Whether a text begins with the first letter of such a word, or has no letter.
fn begins_as_placeholder(text: &str) -> bool {
    let first = text.chars().find(|c| c.is_alphanumeric());
    first.is_none_or(|first| matches!(first, 't' | 'T' | 'x' | 'X'))
}

/// Whether a text is a word or template for a path that is not known yet: `TODO`, `path/to/a`, `…/a`, `LLD-XXXX.md`,
/// `<name>.py`, `{…}`. `*` and `.` alone are judged as globs and directories.
pub(super) fn is_placeholder(text: &str) -> bool {
    // Hardly any path has one of these, and hardly any begins like a word for a placeholder.
    let has_mark =
        text.contains(['…', 'X', '{', '<']) || text.contains("..") || text.contains("to/");
    if !has_mark && !begins_as_placeholder(text) {
        return false;
    }
    let whole = format!("/{text}/");
    let parts = [
        "/path/to/",
        "{path/to/",
        "/.../",
        "/…/",
        "XXXX",
        "0XXX",
        "{…}",
        "{...}",
    ];
    parts.iter().any(|part| whole.contains(part))
        || text.contains('<') && text.contains('>')
        || PLACEHOLDER.is_match(text)
}

/// Whether braces without a comma stand in a path, as in `{name}.py`.
pub(super) fn has_slot(text: &str) -> bool {
    let mut is_open = false;
    let mut has_comma = false;
    for c in text.chars() {
        match c {
            '{' => (is_open, has_comma) = (true, false),
            ',' => has_comma = true,
            '}' if is_open && !has_comma => return true,
            _ => {}
        }
    }
    false
}

/// Whether a whole segment is a name in braces, as in `src/{module}/a.py`: a placeholder where other rows have
/// placeholders, too. `{{name}}` and `{% name %}` are names of template files.
pub(super) fn has_slot_segment(text: &str) -> bool {
    text.split('/').any(|segment| {
        let name = segment
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'));
        name.is_some_and(|name| {
            let is_word = |c: char| c.is_alphanumeric() || "_-. ".contains(c);
            !name.is_empty() && name.chars().all(is_word)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_begins_like_a_placeholder_is_looked_at() {
        for text in ["TODO", "tbd", "xx", "(x)", "…", ""] {
            assert!(begins_as_placeholder(text), "{text}");
        }
        for text in ["src/x", "9x", "é"] {
            assert!(!begins_as_placeholder(text), "{text}");
        }
    }

    #[test]
    fn placeholders() {
        for text in [
            "path/to/file.py",
            "src/path/to/x",
            "docs/adr/XXXX-name.md",
            "docs/0XXX-a.md",
            "{path/to/file.py}",
            "src/{…}/a.py",
            "TBD",
            "todo",
            "TODO: find it",
            "...",
            "src/.../x",
            "src/<module>/x.py",
            "*To be populated*",
            "?",
        ] {
            assert!(is_placeholder(text), "{text}");
        }
    }

    #[test]
    fn braces_without_a_comma_are_a_slot() {
        for text in ["{name}.py", "a/{b}", "{a,b}{c}", "}{a}", "{a}}"] {
            assert!(has_slot(text), "{text}");
        }
        for text in ["{a,b}.py", "a}b{", "{a,b}c}", "}", "{a", "plain"] {
            assert!(!has_slot(text), "{text}");
        }
    }

    #[test]
    fn words_for_no_file() {
        for text in [
            "None",
            "none.",
            "N/A",
            "-",
            "—",
            "None (docs only)",
            "`None`",
        ] {
            assert!(is_nothing(text), "{text}");
        }
        for text in [
            "none.py",
            "None of them",
            "None (docs) yet",
            "None (docs",
            "a-b",
            "",
            "TODO",
        ] {
            assert!(!is_nothing(text), "{text}");
        }
    }

    #[test]
    fn names_that_only_look_like_it() {
        for text in [
            "none.py",
            "src/todo",
            "na.rs",
            "*",
            ".",
            "src/{a,b}.rs",
            "my/path/tool.rs",
            "[...slug].tsx",
            "docs/08xx.md",
        ] {
            assert!(!is_placeholder(text), "{text}");
        }
    }

    #[test]
    fn a_slot_is_a_whole_segment_in_braces() {
        for text in ["src/{module}/a.py", "{name}", "src/{a b}"] {
            assert!(has_slot_segment(text), "{text}");
        }
        for text in [
            "users@{id}.yaml",
            "{{pkg.slug}}/setup.py",
            "{% if x %}/a.py",
            "src/{a,b}/c.py",
        ] {
            assert!(!has_slot_segment(text), "{text}");
        }
    }
}
