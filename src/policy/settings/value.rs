//! Settings back to the values that `guard.toml` would hold.

use serde_json::{Value, json};

use super::super::patterns::Patterns;
use super::keys::DAY;
use super::lists::TEST_PATTERNS;
use super::{Authority, Key, Missing, Settings};

/// The value of a key; `null` where it has none.
pub fn value(settings: &Settings, key: &Key) -> Value {
    let s = settings;
    match (key.section, key.name) {
        ("lld", "path") => json!(s.lld_path),
        ("lld", "standing") => json!(s.standing),
        ("lld", "base") => json!(s.base),
        ("lld", "issue-pattern") => json!(s.issue_pattern),
        ("lld", "headings") => json!(s.headings),
        ("lld", "missing") => json!(match s.missing {
            Missing::Block => "block",
            Missing::Skip => "skip",
        }),
        ("lld", "authority") => json!(match s.authority {
            Authority::Head => "head",
            Authority::Base => "base",
        }),
        ("scope", "always") => patterns(&s.always),
        ("scope", "protect") => patterns(&s.protect),
        ("scope", "protect-tests") => json!(s.protect_tests),
        ("scope", "test-patterns") => match &s.test_patterns {
            Some(own) => patterns(own),
            None => json!(TEST_PATTERNS),
        },
        ("scope", "companions") => json!(s.companions),
        ("workspace", "read") => json!(s.read),
        ("workspace", "write") => json!(s.write),
        ("workspace", "secrets") => patterns(&s.secrets),
        ("workspace", "max-size") => size(s.max_size),
        ("destructive", "lines") => json!(s.thresholds.lines),
        ("destructive", "share") => json!(s.thresholds.share),
        ("destructive", "exempt") => patterns(&s.exempt),
        ("approvals", "signers") => json!(s.signers),
        ("approvals", "accept-unsigned") => json!(s.accept_unsigned),
        ("approvals", "expiry") => span(s.expiry),
        ("snapshots", "keep") => span(s.keep),
        _ => Value::Null,
    }
}

fn patterns(patterns: &Patterns) -> Value {
    patterns.iter().collect()
}

/// Bytes in the largest unit that holds them as a whole number.
fn size(bytes: u64) -> Value {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    let whole = |(factor, _): &(u64, &str)| bytes > 0 && bytes.is_multiple_of(*factor);
    match units.into_iter().find(whole) {
        Some((factor, unit)) => json!(format!("{}{unit}", bytes / factor)),
        None => json!(bytes),
    }
}

/// Seconds in days, or in hours; `guard.toml` knows nothing smaller.
fn span(seconds: u64) -> Value {
    if seconds.is_multiple_of(DAY) {
        json!(format!("{}d", seconds / DAY))
    } else {
        json!(format!("{}h", seconds / 3600))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::{KEYS, Kind, parse};
    use super::*;

    /// The settings as a file.
    fn text(settings: &Settings) -> String {
        let line = |key: &Key| match value(settings, key) {
            Value::Null => String::new(),
            value => format!("{}.{} = {value}\n", key.section, key.name),
        };
        KEYS.iter().map(line).collect()
    }

    #[test]
    fn every_key_comes_back_as_it_was_set() {
        let mut set = String::new();
        for key in KEYS {
            let value = match key.kind {
                Kind::Text => r#""zz\\d\"""#.to_owned(),
                Kind::Choice(words) => format!("{:?}", words[1]),
                Kind::Texts | Kind::Patterns => r#"["zz/**", "ä"]"#.to_owned(),
                Kind::Flag => (key.default == "false").to_string(),
                Kind::Count => "7".to_owned(),
                Kind::Share => "0.25".to_owned(),
                Kind::Size => "1500".to_owned(),
                Kind::Span => r#""5h""#.to_owned(),
            };
            set.push_str(&format!("{}.{} = {value}\n", key.section, key.name));
        }
        let settings = parse(set.as_bytes()).unwrap();
        let back = text(&settings);
        assert_eq!(back.lines().count(), KEYS.len(), "{back}");
        assert_eq!(parse(back.as_bytes()).unwrap(), settings);
    }

    #[test]
    fn defaults_are_written_as_they_are_documented() {
        for key in KEYS.iter().filter(|key| !key.default.is_empty()) {
            let parsed = toml::from_str::<toml::Table>(&format!("x = {}", key.default)).unwrap();
            let documented = serde_json::to_value(&parsed["x"]).unwrap();
            assert_eq!(value(&Settings::default(), key), documented, "{}", key.name);
        }
    }

    #[test]
    fn units_are_the_largest_that_fit() {
        assert_eq!(size(2_000_000_000), "2GB");
        assert_eq!(size(1_500_000), "1500kB");
        assert_eq!(size(1_001), 1_001);
        assert_eq!(size(0), 0);
        assert_eq!(span(14 * DAY), "14d");
        assert_eq!(span(DAY + 3600), "25h");
    }
}
