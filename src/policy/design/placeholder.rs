//! Recognises placeholders for paths that are not known yet.

use super::braces;

/// Whether a text is a word or template for a path that is not known yet.
pub(super) fn is_placeholder(text: &str) -> bool {
    let bare = text.trim_matches(['*', '_', '`', ' ', '(', ')', '[', ']']);
    let begins_with = |start: &&str| {
        let begin = bare.as_bytes().get(..start.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(start.as_bytes()))
    };
    let first = bare.as_bytes().first().map(u8::to_ascii_lowercase);
    let is_word = matches!(first, Some(b'n' | b't' | b'x'))
        && (["n/a", "na", "none", "todo", "tbd", "tba", "xxx"]
            .iter()
            .any(|word| bare.eq_ignore_ascii_case(word))
            || ["todo ", "todo:", "tbd ", "tbd:", "to be "]
                .iter()
                .any(begins_with));
    // `*` and `.` alone are judged as globs and directories.
    let is_mark = ["-", "–", "—", "…", "...", "?", "??", "???"].contains(&bare);
    is_word || is_mark || is_template(text)
}

fn is_template(text: &str) -> bool {
    let has = |part: &[u8]| {
        text.as_bytes()
            .windows(part.len())
            .any(|found| found == part)
    };
    // Of the letters in names, only these may begin what is looked for.
    let is_plain = |byte: u8| {
        byte.is_ascii_alphanumeric() && byte != b'X' || matches!(byte, b'/' | b'.' | b'_' | b'-')
    };
    let is_path = text == "path/to" || text.starts_with("path/to/") || has(b"/path/to/");
    if is_path || !has(b"...") && text.bytes().all(is_plain) {
        return is_path;
    }
    text.split('/').any(|name| name == "..." || name == "…")
        || text.contains("XXXX")
        || text.contains("0XXX")
        || text.contains('<') && text.contains('>')
        || braces::has_template(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders() {
        for text in [
            "path/to/file.py",
            "src/path/to/x",
            "docs/adr/XXXX-name.md",
            "docs/0XXX-a.md",
            "{path/to/file.py}",
            "src/{name}.py",
            "TBD",
            "todo",
            "TODO: find it",
            "N/A",
            "None",
            "-",
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
}
