//! Recognises placeholders for paths that are not known yet.

use super::braces;
use super::words::is_in;

/// Whether a text is a word or template for a path that is not known yet.
pub(super) fn is_placeholder(text: &str) -> bool {
    let bare = text.trim_matches(['*', '_', '`', ' ', '(', ')', '[', ']']);
    let bare = bare.to_lowercase();
    let starts = ["todo ", "todo:", "tbd ", "tbd:", "to be "];
    // `*` and `.` alone are judged as globs and directories.
    let is_mark = |c: char| matches!(c, '-' | '–' | '—' | '…' | '?' | ':');
    let is_path = format!("/{text}/").contains("/path/to/");
    is_in(&bare, "n/a|na|none|todo|tbd|tba|xxx|...")
        || !bare.is_empty() && bare.chars().all(is_mark)
        || starts.iter().any(|start| bare.starts_with(start))
        || is_path
        || text.split('/').any(|name| matches!(name, "..." | "…"))
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
