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

#[cfg(test)]
mod tests {
    use super::names_guard;

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
