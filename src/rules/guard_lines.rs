//! Lines of hook and CI settings that name guard.

use gix::bstr::ByteSlice;

/// The trimmed lines, each with whether it is the `rev:` of an entry whose `repo:` names guard.
pub(super) fn lines(content: &[u8]) -> impl Iterator<Item = (&[u8], bool)> {
    let mut is_own_entry = false;
    content.lines().map(move |line| {
        let line = line.trim();
        let key = line.strip_prefix(b"- ").unwrap_or(line).trim_start();
        if key.starts_with(b"repo:") {
            is_own_entry = names_guard(key);
        }
        (line, is_own_entry && key.starts_with(b"rev:"))
    })
}

/// The same lines with their blanks, which count in YAML before a key.
pub(super) fn whole_lines(content: &[u8]) -> Vec<(&[u8], bool)> {
    let flags = lines(content).map(|(_, is_version)| is_version);
    content.lines().zip(flags).collect()
}

/// Whether the line has `guard` as a word of its own.
pub(super) fn names_guard(line: &[u8]) -> bool {
    line.find_iter("guard").any(|at| {
        let is_word = |byte: Option<&u8>| {
            byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        };
        let before = at.checked_sub(1).and_then(|at| line.get(at));
        !is_word(before) && !is_word(line.get(at + "guard".len()))
    })
}

/// The verbs that hooks and CI definitions call.
const VERBS: [&[u8]; 8] = [
    b"hook",
    b"lint",
    b"scope",
    b"check",
    b"install",
    b"uninstall",
    b"init",
    b"doctor",
];

/// Whether the line runs, installs or includes this guard. Ruby has a program of the same name, and a script may be
/// called `test:guard`.
pub(super) fn runs_guard(line: &[u8]) -> bool {
    let key = line.trim().strip_prefix(b"- ").unwrap_or(line.trim());
    let includes = [&b"uses:"[..], b"repo:", b"id:"]
        .iter()
        .any(|start| key.trim().starts_with(start));
    let mut words =
        line.split(|byte| byte.is_ascii_whitespace() || b"\"'()[]{},;&|".contains(byte));
    let is_own = |word: &[u8]| {
        let name = word.rsplit(|&byte| byte == b'/').next().unwrap_or(word);
        match includes {
            true => name
                .strip_prefix(b"guard")
                .is_some_and(|rest| matches!(rest.first(), None | Some(b'@' | b'-' | b'.'))),
            false => name == b"guard" || name == b"guard.exe",
        }
    };
    line.contains_str("write-guard")
        || words.any(is_own) && (includes || words.any(|word| VERBS.contains(&word)))
}

#[cfg(test)]
mod tests {
    use super::{names_guard, runs_guard};

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

    #[test]
    fn guard_counts_as_a_word_only() {
        for (line, names) in [
            ("      - id: guard", true),
            ("run: guard lint --ci", true),
            ("cargo install write-guard", true),
            ("lock guard_page", false),
            ("safeguards", false),
            ("# bodyguard", false),
        ] {
            assert_eq!(names_guard(line.as_bytes()), names, "{line}");
        }
    }
}
