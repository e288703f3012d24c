//! Characters and names that no path of a design may hold.

/// What is wrong with a character, and how to call it.
pub(super) fn fault(c: char) -> Option<(&'static str, &'static str)> {
    match c {
        '\u{2028}' | '\u{2029}' | '\u{fffd}' => Some(("control-char", "a control character")),
        c if c.is_control() => Some(("control-char", "a control character")),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some(("bidi-control", "a bidirectional control character"))
        }
        '\u{ad}'
        | '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => Some(("invisible-char", "an invisible character")),
        '\u{2024}' | '\u{2025}' | '\u{2044}' | '\u{2215}' | '\u{29f5}' | '\u{29f8}'
        | '\u{29f9}' | '\u{fe52}' | '\u{fe68}' | '\u{ff0e}' | '\u{ff0f}' | '\u{ff3c}' => Some((
            "confusable-separator",
            "a character that looks like a dot, a slash or a backslash",
        )),
        _ => None,
    }
}

/// Whether some file system reads this name as `.git`; `Some(true)` for a disguise.
pub(super) fn is_git_dir(name: &str) -> Option<bool> {
    if name.eq_ignore_ascii_case(".git") {
        return Some(false);
    }
    let visible: String = name.chars().filter(|c| !is_ignored_by_hfs(*c)).collect();
    let stem = visible
        .split(':')
        .next()
        .unwrap_or("")
        .trim_end_matches(['.', ' ']);
    (stem.eq_ignore_ascii_case(".git") || stem.eq_ignore_ascii_case("git~1")).then_some(true)
}

fn is_ignored_by_hfs(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_in_disguise() {
        assert_eq!(is_git_dir(".GIT"), Some(false));
        for name in [
            "git~1",
            "GIT~1",
            ".git ",
            ".git. .",
            ".git::$INDEX_ALLOCATION",
            ".g\u{200c}it",
            ".git\u{200e}",
        ] {
            assert_eq!(is_git_dir(name), Some(true), "{name:?}");
        }
        for name in [".github", ".gitignore", "git", "a.git", "git~2"] {
            assert_eq!(is_git_dir(name), None, "{name:?}");
        }
    }

    #[test]
    fn joiners_and_letters_pass() {
        for c in ['\u{200c}', '\u{200d}', 'а', 'é', '字', '$', '[', '\u{fe0f}'] {
            assert_eq!(fault(c), None, "{c:?}");
        }
        assert_eq!(fault('\u{202e}').map(|f| f.0), Some("bidi-control"));
        assert_eq!(fault('\t').map(|f| f.0), Some("control-char"));
    }
}
