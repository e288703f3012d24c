//! The keys as rows, and what is read from `guard.toml`.

#![allow(clippy::unwrap_used)]

use super::keys::{EXEMPT, SECRETS, TEST_PATTERNS};
use super::*;
use crate::scope::patterns::Patterns;

fn message(text: &str) -> String {
    parse(text.as_bytes())
        .err()
        .map(|error| error.message)
        .unwrap_or_default()
}

/// A file that sets every key to a value of its kind other than the default.
fn every_key_set() -> Vec<(&'static Key, String)> {
    let line = |key: &'static Key| {
        let value = match key.kind {
            ValueKind::Text | ValueKind::Regex => r#""zz\\d\"""#.to_owned(),
            ValueKind::Choice(words) => format!("{:?}", words[1]),
            ValueKind::Texts | ValueKind::Directories => r#"["zz/y", "ä"]"#.to_owned(),
            ValueKind::Patterns => r#"["zz/**", "ä"]"#.to_owned(),
            ValueKind::Flag => (key.value(&Settings::default()) == false).to_string(),
            ValueKind::Count => "7".to_owned(),
            ValueKind::Share => "0.25".to_owned(),
            ValueKind::Span => r#""5h""#.to_owned(),
        };
        (key, format!("{}.{} = {value}\n", key.section, key.name))
    };
    KEYS.iter().map(line).collect()
}

#[test]
fn every_default_is_a_value_of_its_key() {
    let line = |key: &Key| {
        let default = key.default_text();
        default.map(|default| format!("{}.{} = {default}\n", key.section, key.name))
    };
    let text: String = KEYS.iter().filter_map(line).collect();
    assert_eq!(parse(b"").unwrap(), Settings::default());
    assert_eq!(parse(text.as_bytes()).unwrap(), Settings::default());
}

#[test]
fn each_key_sets_its_own_field() {
    for (key, line) in every_key_set() {
        let settings = parse(line.as_bytes()).unwrap();
        for other in KEYS {
            let is_default = other.value(&settings) == other.value(&Settings::default());
            assert_eq!(is_default, other.name != key.name, "{line}{}", other.name);
        }
    }
}

#[test]
fn every_key_comes_back_as_it_was_set() {
    let text: String = every_key_set().into_iter().map(|(_, line)| line).collect();
    let settings = parse(text.as_bytes()).unwrap();
    let line = |key: &Key| format!("{}.{} = {}\n", key.section, key.name, key.value(&settings));
    let back: String = KEYS.iter().map(line).collect();
    assert_eq!(parse(back.as_bytes()).unwrap(), settings);
}

#[test]
fn every_table_has_keys_and_every_key_a_table() {
    let mut sections: Vec<&str> = KEYS.iter().map(|key| key.section).collect();
    sections.dedup();
    let known: Vec<&str> = SECTIONS.iter().map(|(name, _)| *name).collect();
    assert_eq!(sections, known);
}

#[test]
fn all_faults_are_reported_with_line_and_fix() {
    let text = "[lld]\npth = \"x\"\nmissing = \"no\"\n\n[ruls]\n[rules]\nout-of-scop = \"off\"\n";
    assert_eq!(
        message(text),
        "guard.toml:2:1: unknown key `pth` in [lld]; did you mean `path`?\n\
         guard.toml:3:11: `missing` must be \"block\" or \"skip\"\n\
         guard.toml:5:2: unknown table `ruls`; did you mean `rules`?\n\
         guard.toml:7:1: unknown rule `out-of-scop`; did you mean `out-of-scope`?"
    );
}

#[test]
fn broken_toml_names_the_place() {
    let message = message("[lld]\npath = \n");
    assert!(message.starts_with("guard.toml:2:"), "{message}");
}

#[test]
fn a_pattern_and_a_regular_expression_are_refused_at_their_place() {
    let text = "[lld]\nissue-pattern = \"(\"\n[scope]\nprotect = [\"a\", \"{b,c}\"]\n";
    let message = message(text);
    let lines: Vec<&str> = message.lines().collect();
    let [regex, pattern] = lines[..] else {
        panic!("{message}");
    };
    assert!(regex.starts_with("guard.toml:2:17: `issue-pattern` is not a regular expression"));
    assert!(pattern.starts_with("guard.toml:4:17: the pattern `{b,c}` of `protect` has braces"));
}

#[test]
fn a_root_that_no_path_can_be_below_is_refused_at_its_place() {
    for root in [
        "/tmp",
        "../out",
        "in/../out",
        "~/out",
        "C:/out",
        "",
        "out/*",
        "a\\\\b",
    ] {
        let message = message(&format!("[workspace]\nread = [\".\", \"{root}\"]\n"));
        assert!(
            message.starts_with("guard.toml:2:14: "),
            "{root}: {message}"
        );
    }
    for root in [".", "./", "out", "./out/", "..out", "a/b"] {
        assert_eq!(
            message(&format!("[workspace]\nwrite = \"{root}\"\n")),
            "",
            "{root}"
        );
    }
}

#[test]
fn unconditional_rules_cannot_be_weakened() {
    for (line, place) in [
        ("unsafe-path = \"off\"", "guard.toml:2:15"),
        ("outside-workspace = \"warning\"", "guard.toml:2:21"),
        ("design-bad-row = \"off\"", "guard.toml:2:18"),
    ] {
        let message = message(&format!("[rules]\n{line}\n"));
        assert!(message.starts_with(place), "{message}");
        assert!(message.contains("always an error"), "{message}");
    }
    assert!(message("[rules]\ndesign-unread = \"error\"\n").contains("always a warning"));
    assert_eq!(message("[rules]\nunsafe-path = \"error\"\n"), "");
}

#[test]
fn numbers_and_units() {
    for (text, ok) in [
        ("[destructive]\nshare = 1", true),
        ("[destructive]\nshare = 0", false),
        ("[destructive]\nshare = 1.5", false),
        ("[destructive]\nlines = -1", false),
        ("[snapshots]\nkeep = \"10 d\"", true),
        ("[snapshots]\nkeep = \"10 parsecs\"", false),
        ("[snapshots]\nkeep = \"9999999999999999w\"", false),
        ("[snapshots]\nkeep = 14", false),
    ] {
        assert_eq!(parse(text.as_bytes()).is_ok(), ok, "{text}");
    }
}

#[test]
fn the_built_in_patterns_are_patterns() {
    for list in [SECRETS, TEST_PATTERNS, EXEMPT] {
        assert_eq!(
            Patterns::built_in(list).iter().count(),
            list.split_whitespace().count()
        );
    }
}
