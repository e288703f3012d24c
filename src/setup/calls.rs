//! Finds the lines of hook files and settings that call guard. Pure.

use gix::bstr::ByteSlice;

/// Hooks that read the ref updates from standard input.
pub(super) const READS_INPUT: [&str; 2] = ["pre-push", "reference-transaction"];

/// Whether a line of shell, YAML, TOML or JSON runs `guard hook NAME`.
pub(super) fn calls_guard(name: &str, content: &[u8]) -> bool {
    call(name, content).is_some()
}

/// The first line that runs `guard hook NAME`, and the program as it names it.
pub(super) fn call<'a>(name: &str, content: &'a [u8]) -> Option<(&'a str, &'a str)> {
    content.lines().find_map(|line| {
        let mut words = words(line);
        let is_guard = |word: &&[u8]| {
            let program = &word[word.rfind_byteset(b"/\\").map_or(0, |at| at + 1)..];
            program == b"guard" || program == b"guard.exe"
        };
        let program = words.find(is_guard)?;
        let mut plain = words.filter(|word| !word.starts_with(b"-"));
        let is_call = plain.next() == Some(b"hook") && plain.next() == Some(name.as_bytes());
        Some((line.to_str().ok()?, program.to_str().ok()?)).filter(|_| is_call)
    })
}

/// The words of a line without quotes and comments.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| byte.is_ascii_whitespace() || b"\"'`,{}[]();&|".contains(byte))
        .filter(|word| !word.is_empty())
        .take_while(|word| !word.starts_with(b"#"))
}
