//! Finds the lines of hook files and settings that call guard. Pure.

use gix::bstr::ByteSlice;

/// Hooks that read the ref updates from standard input.
pub(super) const READS_INPUT: [&str; 2] = ["pre-push", "reference-transaction"];

/// Whether a line makes guard judge in this git hook: by `guard hook NAME`, or by a `guard lint` that judges the same.
pub(super) fn is_called(hook: &str, content: &[u8]) -> bool {
    content.lines().any(|line| {
        guards_arguments(line)
            .is_some_and(|arguments| is_hook(hook, &arguments) || is_lint_for(hook, &arguments))
    })
}

/// Whether a line runs `guard hook NAME`.
pub(super) fn calls_hook(name: &str, content: &[u8]) -> bool {
    content
        .lines()
        .any(|line| guards_arguments(line).is_some_and(|arguments| is_hook(name, &arguments)))
}

fn is_hook(name: &str, arguments: &[&[u8]]) -> bool {
    let mut plain = arguments.iter().filter(|word| !word.starts_with(b"-"));
    plain.next() == Some(&&b"hook"[..]) && plain.next() == Some(&name.as_bytes())
}

/// `guard lint` judges the staged changes without a range, and a push with one.
fn is_lint_for(hook: &str, arguments: &[&[u8]]) -> bool {
    let verb = arguments.iter().find(|word| !word.starts_with(b"-"));
    if verb != Some(&&b"lint"[..]) {
        return false;
    }
    let has = |option: &str| {
        arguments.iter().any(|word| {
            word.strip_prefix(option.as_bytes())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"="))
        })
    };
    let of_commits = has("--push")
        || has("--ci")
        || has("--range")
        || arguments.iter().any(|word| word.contains_str(".."));
    match hook {
        "pre-commit" | "pre-merge-commit" | "prepare-commit-msg" => {
            !of_commits && !has("--worktree") && !has("--commit")
        }
        "pre-push" => of_commits,
        _ => false,
    }
}

/// The arguments that a line passes to guard; `None` if it does not run guard.
fn guards_arguments(line: &[u8]) -> Option<Vec<&[u8]>> {
    let mut words = words(line);
    words.find(|word| {
        let name = &word[word.rfind_byteset(b"/\\").map_or(0, |at| at + 1)..];
        name == b"guard" || name == b"guard.exe"
    })?;
    Some(words.collect())
}

/// The words of a line of shell, YAML, TOML or JSON, without quotes and comments.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| byte.is_ascii_whitespace() || b"\"'`,{}[]();&|".contains(byte))
        .filter(|word| !word.is_empty())
        .take_while(|word| !word.starts_with(b"#"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_calls_guard_if_its_program_judges_at_that_hook() {
        for (hook, line, called) in [
            ("pre-commit", "guard hook pre-commit \"$@\"", true),
            ("pre-commit", "'/opt/a/guard' hook pre-commit", true),
            (
                "pre-commit",
                "run: node_modules/write-guard/guard hook pre-commit {0}",
                true,
            ),
            ("pre-commit", "run: guard lint", true),
            ("pre-commit", "{run: \"guard --quiet lint --staged\"}", true),
            ("pre-merge-commit", "guard lint", true),
            ("pre-push", "guard lint --push", true),
            ("pre-push", "guard lint --range=main..HEAD", true),
            ("pre-push", "guard lint", false),
            ("pre-commit", "guard lint --push", false),
            ("pre-commit", "guard lint main..HEAD", false),
            ("pre-commit", "guard lint --worktree", false),
            ("commit-msg", "guard lint", false),
            ("post-commit", "guard lint", false),
            ("pre-commit", "guard hook pre-commit-x", false),
            ("pre-commit", "guard hook commit-msg", false),
            ("pre-commit", "safeguard lint", false),
            ("pre-commit", "guard check x", false),
            ("pre-commit", "# guard lint", false),
            ("pre-commit", "make # guard lint", false),
        ] {
            assert_eq!(is_called(hook, line.as_bytes()), called, "{hook}: {line}");
        }
    }
}
