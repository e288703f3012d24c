//! The keys as rows, and what is read from `guard.toml`.

#![allow(clippy::unwrap_used)]

use super::keys::{EXEMPT, SECRETS};
use super::*;
use crate::finding::{Level, Rule};
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
fn an_unused_approval_stays_valid_for_two_weeks() {
    assert_eq!(EXPIRY, 2 * 7 * 24 * 60 * 60);
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
    assert!(
        regex.starts_with("guard.toml:2:17: `(` of `issue-pattern` is not a regular expression")
    );
    assert!(pattern.starts_with("guard.toml:4:17: `{b,c}` of `protect` has braces"));
}

#[test]
fn a_pattern_of_done_that_no_plan_can_fill_is_refused_at_its_place() {
    let plans = "[lld]\npath = \"plans/*.md\"\n";
    let second = message(&format!(
        "{plans}done = [\"old/{{1}}.md\", \"old/{{2}}.md\"]\n"
    ));
    assert!(
        second.starts_with("guard.toml:3:23: `old/{2}.md` of `done` refers to more than any"),
        "{second}"
    );
    assert_eq!(message(&format!("{plans}done = \"old/{{1}}.md\"\n")), "");
    let standing = "[lld]\nstanding = [\"a/*/*.md\"]\ndone = \"old/{2}.md\"\n";
    assert_eq!(message(standing), "");
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
        assert!(message.contains("is always error"), "{message}");
    }
    assert!(message("[rules]\ndesign-duplicate = \"error\"\n").contains("is always warning"));
    assert_eq!(message("[rules]\nunsafe-path = \"error\"\n"), "");
}

#[test]
fn without_rules_only_those_of_a_fixed_level_count() {
    let settings = Settings::without_rules();
    for rule in Rule::ALL {
        let is_off = settings.levels.get(rule) == Some(&None);
        assert_eq!(is_off, !rule.has_fixed_level(), "{}", rule.id());
    }
    assert_eq!(settings.missing, Missing::Skip);
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
        assert_eq!(Patterns::built_in(list).iter().count(), list.len());
    }
}

#[test]
fn each_kind_says_what_it_expects() {
    for (line, expected) in [
        ("lld.base = 1", "`base` must be a string"),
        ("lld.issue-pattern = 1", "`issue-pattern` must be a string"),
        ("lld.missing = 1", "`missing` must be \"block\" or \"skip\""),
        (
            "lld.path = 1",
            "`path` must be a string or a list of strings",
        ),
        (
            "lld.path = [1]",
            "`path` must be a string or a list of strings",
        ),
        (
            "workspace.read = 1",
            "`read` must be a string or a list of strings",
        ),
        (
            "scope.always = 1",
            "`always` must be a string or a list of strings",
        ),
        (
            "approvals.accept-unsigned = 1",
            "`accept-unsigned` must be true or false",
        ),
        (
            "destructive.lines = 1.5",
            "`lines` must be a whole number, 0 or more",
        ),
        (
            "destructive.share = 2",
            "`share` must be a number above 0, at most 1",
        ),
        (
            "snapshots.keep = \"7\"",
            "`keep` must be a string such as \"12h\", \"14d\" or \"8w\"",
        ),
    ] {
        let message = message(line);
        assert!(message.ends_with(expected), "{line}: {message}");
    }
    assert_eq!(
        message("lld = 1"),
        "guard.toml:1:7: `lld` must be a table: write [lld]"
    );
    assert_eq!(
        message("rules = 1"),
        "guard.toml:1:9: `rules` must be a table: write [rules]"
    );
    let level = message("rules.out-of-scope = \"no\"");
    assert!(level.ends_with("`out-of-scope` must be \"off\", \"note\", \"warning\" or \"error\""));
}

#[test]
fn lengths_of_time_are_read_and_written_in_their_units() {
    let keep = KEYS.iter().find(|key| key.name == "keep").unwrap();
    for (text, seconds, written) in [
        ("12h", 43_200, "12h"),
        ("48h", 172_800, "2d"),
        ("25h", 90_000, "25h"),
        ("14d", 1_209_600, "14d"),
        ("8w", 4_838_400, "56d"),
        ("0d", 0, "0d"),
    ] {
        let settings = parse(format!("snapshots.keep = \"{text}\"").as_bytes()).unwrap();
        assert_eq!(settings.keep, seconds);
        assert_eq!(keep.value(&settings), written);
    }
}

#[test]
fn defaults_are_shown_as_toml_in_words_or_as_none() {
    let default = |name: &str| {
        let key = KEYS.iter().find(|key| key.name == name).unwrap();
        (key.default_text(), key.default_markdown())
    };
    let text = |text: &str| (Some(text.to_owned()), format!("`{text}`"));
    assert_eq!(default("missing"), text("\"block\""));
    assert_eq!(default("read"), text("[\".\"]"));
    assert_eq!(default("lines"), text("100"));
    assert_eq!(default("keep"), text("\"90d\""));
    assert_eq!(default("base"), (None, "none".to_owned()));
    let (exempt, words) = default("exempt");
    assert_eq!(exempt, None);
    assert_eq!(
        words,
        "lock files of all ecosystems, snapshots and golden files"
    );
    // A literal string needs no second backslashes.
    assert!(default("issue-pattern").0.unwrap().starts_with("'^("));
}

#[test]
fn a_level_of_the_settings_replaces_that_of_the_rule_unless_that_is_fixed() {
    use crate::finding::Rule;

    let settings = parse(b"[rules]\nout-of-scope = \"off\"\nhidden-change = \"error\"\n").unwrap();
    assert_eq!(settings.level(Rule::OutOfScope), None);
    assert_eq!(settings.level(Rule::HiddenChange), Some(Level::Error));
    assert_eq!(settings.level(Rule::PortableName), Some(Level::Warning));
    assert_eq!(settings.level(Rule::RowUntouched), None);
    let mut forced = settings;
    forced.levels.insert(Rule::UnsafePath, None);
    assert_eq!(forced.level(Rule::UnsafePath), Some(Level::Error));
}

#[test]
fn the_place_of_every_key_is_known() {
    let text = b"[lld]\nbase = \"main\"\n  standing = []\n[rules]\nout-of-scope = \"off\"\n";
    let (_, places) = parse_with_places(text).unwrap();
    let places: Vec<_> = places
        .iter()
        .map(|((section, key), (line, column))| (&**section, &**key, *line, *column))
        .collect();
    assert_eq!(
        places,
        [
            ("lld", "base", 2, 1),
            ("lld", "standing", 3, 3),
            ("rules", "out-of-scope", 5, 1),
        ]
    );
    assert_eq!(
        parse(b"\xff").unwrap_err().message,
        "guard.toml is not UTF-8"
    );
}

#[test]
fn settings_observe_where_nothing_about_commits_is_an_error() {
    let observes = |text: &str| parse(text.as_bytes()).unwrap().is_observing();
    let quiet: String = crate::finding::Rule::ALL
        .iter()
        .filter(|rule| !rule.has_fixed_level())
        .map(|rule| format!("{} = \"warning\"\n", rule.id()))
        .collect();
    let skip = "[lld]\nmissing = \"skip\"\n[rules]\n";
    assert!(observes(&format!("{skip}{quiet}")));
    // Rules about requests may stay errors, the others not.
    for (rule, expected) in [
        ("protected-path", true),
        ("outside-roots", true),
        ("out-of-scope", false),
        ("destructive-change", false),
    ] {
        let with_error = quiet.replace(
            &format!("{rule} = \"warning\"\n"),
            &format!("{rule} = \"error\"\n"),
        );
        assert_eq!(observes(&format!("{skip}{with_error}")), expected, "{rule}");
    }
    assert!(
        !observes(&format!("[rules]\n{quiet}")),
        "commits need a design"
    );
}
