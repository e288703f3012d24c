//! Recognises placeholders for paths that are not known yet.

use super::braces;

/// Whether a text is a word or template for a path that is not known yet.
pub(super) fn is_placeholder(text: &str) -> bool {
    let bare = text.trim_matches(['*', '_', '`', ' ', '(', ')', '[', ']']);
    let begins_with = |start: &&str| {
        let begin = bare.as_bytes().get(..start.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(start.as_bytes()))
    };
    let is_word = ["n/a", "na", "none", "todo", "tbd", "tba", "xxx"]
        .iter()
        .any(|word| bare.eq_ignore_ascii_case(word))
        || ["todo ", "todo:", "tbd ", "tbd:", "to be "]
            .iter()
            .any(begins_with);
    // `*` and `.` alone are judged as globs and directories.
    let is_mark = ["-", "–", "—", "…", "...", "?", "??", "???"].contains(&bare);
    let is_template = text.split('/').any(|name| name == "..." || name == "…")
        || text == "path/to"
        || text.starts_with("path/to/")
        || text.contains("/path/to/")
        || text.contains("XXXX")
        || text.contains("0XXX")
        || text.contains('<') && text.contains('>')
        || braces::has_template(text);
    is_word || is_mark || is_template
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
