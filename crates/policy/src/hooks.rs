//! The hooks of git that guard installs, and the lines in files of others that run guard.

use bstr::ByteSlice;

/// A hook of git that guard installs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hook {
    /// Git's name for it.
    pub name: &'static str,
    /// The content of guard's own hook file.
    pub script: &'static str,
    /// What is not judged without it.
    pub gap: &'static str,
}

macro_rules! hooks {
    ($($name:literal $gap:literal)*) => {
        [$(Hook {
            name: $name,
            script: include_str!(concat!("../../../hooks/", $name)),
            gap: $gap,
        }),*]
    };
}

/// Every hook, in the order in which git calls them.
pub const HOOKS: [Hook; 8] = hooks! {
    "pre-commit" "guard does not check commits"
    "pre-merge-commit" "guard checks a merge late or not at all"
    "pre-applypatch" "guard does not check what git am applies"
    "prepare-commit-msg"
        "guard does not check commits made with --no-verify, cherry-pick, revert and rebase"
    "commit-msg" "messages written in an editor do not name the design"
    "post-commit" "used approvals stay until they expire"
    "pre-push" "guard checks a push only on the server, if at all"
    "reference-transaction" "guard does not check commits made without hooks"
};

/// Whether guard has a hook for this name of git.
pub fn is_hook(name: &str) -> bool {
    HOOKS.iter().any(|hook| hook.name == name)
}

/// Hooks that read the ref updates from standard input.
const READS_INPUT: &[&str] = &["pre-push", "reference-transaction"];

/// Whether git gives the hook lines on standard input.
pub fn reads_input(hook: &str) -> bool {
    READS_INPUT.contains(&hook)
}

/// The lines of a shell script that call guard by `program`. What follows them in the script can read the ref updates
/// again.
pub fn call_lines(hook: &str, program: &str) -> Vec<String> {
    let call = format!("{program} hook {hook} \"$@\" || exit $?");
    if !reads_input(hook) {
        return vec![call];
    }
    vec![KEEP_INPUT.to_owned(), call, INPUT_AGAIN.to_owned()]
}

/// Keeps the ref updates for what follows.
pub(crate) const KEEP_INPUT: &str =
    "refs=$(mktemp) && cat >\"$refs\" && exec <\"$refs\" 3<\"$refs\" && rm \"$refs\" || exit 1";
/// Lets what follows read the ref updates.
pub(crate) const INPUT_AGAIN: &str = "exec <&3 3<&-";

/// The verbs that hooks and CI definitions call.
const VERBS: &[&str] = &[
    "hook",
    "lint",
    "scope",
    "check",
    "install",
    "uninstall",
    "init",
    "doctor",
];

/// The keys with which CI definitions and pre-commit include what others publish.
const INCLUDING: &[&str] = &["uses:", "repo:", "id:"];

/// Whether the line runs, installs or includes this guard. Ruby has a program of the same name, and a script may be
/// called `test:guard`.
pub fn runs_guard(line: &[u8]) -> bool {
    if line.contains_str("write-guard") {
        return true;
    }
    let key = line
        .trim()
        .strip_prefix(b"- ")
        .unwrap_or(line.trim())
        .trim();
    let mut words =
        line.split(|byte| byte.is_ascii_whitespace() || b"\"'()[]{},;&|".contains(byte));
    if INCLUDING.iter().any(|start| key.starts_with_str(start)) {
        return words.any(|word| is_published_name(name_of(word)));
    }
    // The verb stands behind the program, though not directly: `guard -C sub lint`.
    words.any(|word| matches!(name_of(word), b"guard" | b"guard.exe"))
        && words.any(|word| VERBS.iter().any(|verb| verb.as_bytes() == word))
}

/// The last component of a path or address.
fn name_of(word: &[u8]) -> &[u8] {
    word.rsplit(|&byte| byte == b'/').next().unwrap_or(word)
}

/// `guard`, `guard@v1`, `guard-trailer`, `guard.git`: guard as others include it.
fn is_published_name(name: &[u8]) -> bool {
    name.strip_prefix(b"guard")
        .is_some_and(|rest| matches!(rest.first(), None | Some(b'@' | b'-' | b'.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_run_this_guard_count() {
        for line in [
            "run: guard lint --ci",
            "- script: guard -C sub lint",
            "sh 'guard lint --ci'",
            "exec ./bin/guard hook pre-commit \"$@\"",
            "cargo run --bin guard -- lint",
            "if ! guard lint; then",
            "cargo install --git https://example.com/guard write-guard",
            "pip install write-guard==0.1.0",
            "- uses: your-organisation/guard@v0.1.0",
            "- repo: https://example.com/guard",
            "- id: guard-trailer",
            "      - id: guard",
        ] {
            assert!(runs_guard(line.as_bytes()), "{line}");
        }
        for line in [
            "run: npm run test:guard",
            "- run: bundle exec guard",
            "run: bundle exec guard start",
            "gem install guard guard-rspec",
            "name: guard",
            "guard:",
            "junit: guard.xml",
            "safeguards: lint",
            "# a guard against typos",
        ] {
            assert!(!runs_guard(line.as_bytes()), "{line}");
        }
    }
}
