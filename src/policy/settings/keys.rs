//! Every key of `guard.toml`: one row each, from which reading, the suggestion for a misspelt key and the
//! documentation are made.

use super::super::patterns::Patterns;
use super::{Authority, Missing, Settings};

/// One day in seconds.
pub(super) const DAY: u64 = 24 * 60 * 60;
/// Ten megabytes.
pub(super) const MAX_SIZE: u64 = 10_000_000;
/// A number that stands alone: `123-x`, `x/123`, `x-123-y`, `#123`. Digits of a word (`python3`), of a version (`4.17.21`)
/// and of a date (`2026-11-22`), which matches without the group, are no issue.
pub(super) const ISSUE_PATTERN: &str =
    r"(?:^|[/_#-])(?:20[0-9]{2}-[01][0-9](?:-[0-3][0-9])?\b|([0-9]+)(?:[/_-]|$))";

/// What a value of `guard.toml` must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A string.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A string or a list of strings.
    Texts,
    /// A gitignore pattern or a list of them.
    Patterns,
    /// `true` or `false`.
    Flag,
    /// A whole number, at least 0.
    Count,
    /// A number from 0 to 1.
    Share,
    /// A number of bytes: `10000`, `"500kB"`, `"10MB"`, `"2GB"`.
    Size,
    /// A length of time: `"12h"`, `"14d"`, `"8w"`.
    Span,
}

/// A value as read, of the kind that its key asks for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Texts(Vec<String>),
    Flag(bool),
    /// Counts, sizes in bytes and spans in seconds.
    Number(u64),
    Share(f64),
}

/// One key of `guard.toml`.
#[derive(Debug)]
pub struct Key {
    /// The table, such as `lld`.
    pub section: &'static str,
    /// The key within it.
    pub name: &'static str,
    /// What its value must be.
    pub kind: Kind,
    /// The default as it would be written; empty where there is none.
    pub default: &'static str,
    /// What it does, in a sentence.
    pub doc: &'static str,
}

const fn key(
    section: &'static str,
    name: &'static str,
    kind: Kind,
    default: &'static str,
    doc: &'static str,
) -> Key {
    Key {
        section,
        name,
        kind,
        default,
        doc,
    }
}

/// Every key but those of `[rules]`, which are the names of the rules; in the order of the documentation.
pub const KEYS: &[Key] = &[
    key(
        "lld",
        "path",
        Kind::Texts,
        "[]",
        "Where the designs are; `{issue}` is the issue in the branch's name, `*` and `**` match as in a shell.",
    ),
    key(
        "lld",
        "standing",
        Kind::Texts,
        "[]",
        "Designs that join every other: releases, dependency bumps, formatting.",
    ),
    key(
        "lld",
        "base",
        Kind::Text,
        "",
        "The branch that work starts from, such as `main`.",
    ),
    key(
        "lld",
        "issue-pattern",
        Kind::Text,
        r#"'(?:^|[/_#-])(?:20[0-9]{2}-[01][0-9](?:-[0-3][0-9])?\b|([0-9]+)(?:[/_-]|$))'"#,
        "A regular expression that finds the issue in the branch name: its first group if it has one, else the whole match.",
    ),
    key(
        "lld",
        "headings",
        Kind::Texts,
        "[]",
        "Words of headings that open the list of files, besides the built-in ones.",
    ),
    key(
        "lld",
        "missing",
        Kind::Choice(&["block", "skip"]),
        r#""block""#,
        "On a branch without a design: `block` judges nothing and exits with 2, `skip` leaves out the scope rules.",
    ),
    key(
        "lld",
        "authority",
        Kind::Choice(&["head", "base"]),
        r#""head""#,
        "In a range, whether rows that the range itself added grant (`head`) or not (`base`).",
    ),
    key(
        "scope",
        "always",
        Kind::Patterns,
        "[]",
        "Paths that need no row.",
    ),
    key(
        "scope",
        "protect",
        Kind::Patterns,
        "[]",
        "Paths that nothing may touch.",
    ),
    key(
        "scope",
        "protect-tests",
        Kind::Flag,
        "false",
        "Protect listed test files that exist where the work began, unless their row is Modify.",
    ),
    key(
        "scope",
        "test-patterns",
        Kind::Patterns,
        "",
        "Which paths are tests, in place of the built-in patterns.",
    ),
    key(
        "scope",
        "companions",
        Kind::Flag,
        "true",
        "Grant the lock file of a granted manifest.",
    ),
    key(
        "workspace",
        "read",
        Kind::Texts,
        r#"["."]"#,
        "Requests only: directories that may be read.",
    ),
    key(
        "workspace",
        "write",
        Kind::Texts,
        r#"["."]"#,
        "Requests only: directories that may be written.",
    ),
    key(
        "workspace",
        "secrets",
        Kind::Patterns,
        "",
        "Requests only: files that are never read or written, in place of the built-in names.",
    ),
    key(
        "workspace",
        "max-size",
        Kind::Size,
        r#""10MB""#,
        "Requests only: the largest file.",
    ),
    key(
        "destructive",
        "lines",
        Kind::Count,
        "100",
        "A file of more lines than this can be replaced or deleted only where the design says so.",
    ),
    key(
        "destructive",
        "share",
        Kind::Share,
        "0.5",
        "The share of its lines from which on losing them is a replacement.",
    ),
    key(
        "destructive",
        "exempt",
        Kind::Patterns,
        "",
        "Files whose content may be replaced, in place of the built-in lock files.",
    ),
    key(
        "approvals",
        "signers",
        Kind::Text,
        r#"".guard/allowed_signers""#,
        "Who may sign approvals, in the format of git's `gpg.ssh.allowedSignersFile`.",
    ),
    key(
        "approvals",
        "accept-unsigned",
        Kind::Flag,
        "false",
        "Let unsigned approvals count in ranges.",
    ),
    key(
        "approvals",
        "expiry",
        Kind::Span,
        r#""14d""#,
        "How long an approval holds.",
    ),
    key(
        "snapshots",
        "keep",
        Kind::Span,
        r#""90d""#,
        "How long snapshots are kept.",
    ),
];

/// Puts a value in place; `None` where the value is not one that the key knows.
pub(super) fn apply(settings: &mut Settings, key: &Key, value: Value) -> Option<()> {
    use Value::{Flag, Number, Share, Text, Texts};
    let s = settings;
    match (key.section, key.name, value) {
        ("lld", "path", Texts(v)) => s.lld_path = v,
        ("lld", "standing", Texts(v)) => s.standing = v,
        ("lld", "base", Text(v)) => s.base = Some(v),
        ("lld", "issue-pattern", Text(v)) => s.issue_pattern = v,
        ("lld", "headings", Texts(v)) => s.headings = v,
        ("lld", "missing", Text(v)) => {
            s.missing = match v.as_str() {
                "block" => Missing::Block,
                "skip" => Missing::Skip,
                _ => return None,
            }
        }
        ("lld", "authority", Text(v)) => {
            s.authority = match v.as_str() {
                "head" => Authority::Head,
                "base" => Authority::Base,
                _ => return None,
            }
        }
        ("scope", "always", Texts(v)) => s.always = Patterns::new(v).ok()?,
        ("scope", "protect", Texts(v)) => s.protect = Patterns::new(v).ok()?,
        ("scope", "protect-tests", Flag(v)) => s.protect_tests = v,
        ("scope", "test-patterns", Texts(v)) => s.test_patterns = Some(Patterns::new(v).ok()?),
        ("scope", "companions", Flag(v)) => s.companions = v,
        ("workspace", "read", Texts(v)) => s.read = v,
        ("workspace", "write", Texts(v)) => s.write = v,
        ("workspace", "secrets", Texts(v)) => s.secrets = Patterns::new(v).ok()?,
        ("workspace", "max-size", Number(v)) => s.max_size = v,
        ("destructive", "lines", Number(v)) => s.thresholds.lines = usize::try_from(v).ok()?,
        ("destructive", "share", Share(v)) => s.thresholds.share = v,
        ("destructive", "exempt", Texts(v)) => s.exempt = Patterns::new(v).ok()?,
        ("approvals", "signers", Text(v)) => s.signers = v,
        ("approvals", "accept-unsigned", Flag(v)) => s.accept_unsigned = v,
        ("approvals", "expiry", Number(v)) => s.expiry = v,
        ("snapshots", "keep", Number(v)) => s.keep = v,
        _ => return None,
    }
    Some(())
}

/// What the value of a key must be, for error messages.
pub(super) fn expected(key: &Key) -> String {
    match key.kind {
        Kind::Text => "a string",
        Kind::Choice(words) => {
            let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            return quoted.join(" or ");
        }
        Kind::Texts | Kind::Patterns => "a string or a list of strings",
        Kind::Flag => "true or false",
        Kind::Count => "a whole number, 0 or more",
        Kind::Share => "a number above 0, at most 1",
        Kind::Size => r#"a number of bytes or a string such as "10MB""#,
        Kind::Span => r#"a string such as "12h", "14d" or "8w""#,
    }
    .to_owned()
}
