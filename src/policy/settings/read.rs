//! Reading `guard.toml`: all faults at once, each with line, column and fix.

use std::collections::BTreeMap;
use std::ops::Range;

use gix::bstr::ByteSlice;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::super::patterns::Patterns;
use super::keys::{KEYS, Key, Kind, Value, apply, expected};
use super::{FILE, Settings};
use crate::error::{Error, Result};
use crate::finding::{Level, Rule};
use crate::suggest::closest_word;

/// The table whose keys are the names of the rules.
pub const RULES: &str = "rules";

/// Reads settings; what the text leaves out keeps its default.
///
/// # Errors
/// The text is not TOML, a key is unknown or a value is of the wrong kind.
pub fn parse(bytes: &[u8]) -> Result<Settings> {
    parse_with_places(bytes).map(|(settings, _)| settings)
}

/// As [`parse`], with the place of every key that the text sets.
///
/// # Errors
/// As for [`parse`].
pub fn parse_with_places(bytes: &[u8]) -> Result<(Settings, Places)> {
    let Ok(text) = bytes.to_str() else {
        return Err(Error::new(format!("{FILE} is not UTF-8")).help("save it as UTF-8"));
    };
    let mut reader = Reader {
        text,
        settings: Settings::default(),
        places: Places::new(),
        faults: Vec::new(),
    };
    let (document, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        reader.fault(error.span().unwrap_or_default(), error.message());
    }
    if errors.is_empty() {
        reader.document(document.get_ref());
    }
    reader.finish()
}

/// Where keys are set, by table and key.
pub type Places = BTreeMap<(String, String), Place>;

/// A place in `guard.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// 1-based.
    pub line: usize,
    /// 1-based, in characters.
    pub column: usize,
}

struct Reader<'a> {
    text: &'a str,
    settings: Settings,
    places: Places,
    faults: Vec<(Range<usize>, String)>,
}

impl Reader<'_> {
    fn fault(&mut self, span: Range<usize>, what: impl Into<String>) {
        self.faults.push((span, what.into()));
    }

    fn set_at(&mut self, section: &str, name: &Spanned<impl AsRef<str>>) {
        let (line, column) = position(self.text, name.span().start);
        let key = (section.to_owned(), name.get_ref().as_ref().to_owned());
        self.places.insert(key, Place { line, column });
    }

    fn document(&mut self, document: &DeTable<'_>) {
        for (name, value) in document {
            let section = name.get_ref().as_ref();
            let known = KEYS.iter().any(|key| key.section == section) || section == RULES;
            match value.get_ref() {
                _ if !known => {
                    let sections = KEYS.iter().map(|key| key.section).chain([RULES]);
                    let what = format!(
                        "unknown table `{}`{}",
                        section.escape_default(),
                        suggest(section, sections)
                    );
                    self.fault(name.span(), what);
                }
                DeValue::Table(table) if section == RULES => self.levels(table),
                DeValue::Table(table) => self.section(section, table),
                _ => self.fault(
                    value.span(),
                    format!("`{section}` must be a table: write [{section}]"),
                ),
            }
        }
    }

    fn section(&mut self, section: &str, table: &DeTable<'_>) {
        for (name, value) in table {
            let keys = || KEYS.iter().filter(|key| key.section == section);
            let Some(key) = keys().find(|key| key.name == name.get_ref().as_ref()) else {
                let what = format!(
                    "unknown key `{}` in [{section}]{}",
                    name.get_ref().escape_default(),
                    suggest(name.get_ref(), keys().map(|key| key.name)),
                );
                self.fault(name.span(), what);
                continue;
            };
            self.set_at(section, name);
            if key.kind == Kind::Patterns && self.bad_patterns(key, value) {
                continue;
            }
            let read = convert(key.kind, value.get_ref())
                .and_then(|value| apply(&mut self.settings, key, value));
            if read.is_none() {
                self.fault(
                    value.span(),
                    format!("`{}` must be {}", key.name, expected(key)),
                );
            } else if key.name == "issue-pattern"
                && let Err(error) = regex_lite::Regex::new(&self.settings.issue_pattern)
            {
                self.fault(
                    value.span(),
                    format!("`issue-pattern` is not a regular expression: {error}"),
                );
            }
        }
    }

    /// Refuses every pattern that cannot be used, at its own place.
    fn bad_patterns(&mut self, key: &Key, value: &Spanned<DeValue<'_>>) -> bool {
        let items = match value.get_ref() {
            DeValue::Array(items) => items.iter().collect(),
            _ => vec![value],
        };
        let before = self.faults.len();
        for item in items {
            if let Some(pattern) = item.get_ref().as_str()
                && let Err(error) = Patterns::check(pattern)
            {
                let pattern = shortened(pattern);
                let what = format!("the pattern `{pattern}` of `{}` {error}", key.name);
                self.fault(item.span(), what);
            }
        }
        self.faults.len() > before
    }

    fn levels(&mut self, table: &DeTable<'_>) {
        for (name, value) in table {
            let id = name.get_ref().as_ref();
            let Some(rule) = Rule::from_id(id) else {
                let what = format!(
                    "unknown rule `{}`{}",
                    id.escape_default(),
                    suggest(id, Rule::ALL.iter().map(|rule| rule.id())),
                );
                self.fault(name.span(), what);
                continue;
            };
            let level = match value.get_ref().as_str() {
                Some("off") => None,
                Some("note") => Some(Level::Note),
                Some("warning") => Some(Level::Warning),
                Some("error") => Some(Level::Error),
                _ => {
                    self.fault(
                        value.span(),
                        format!(r#"`{id}` must be "off", "note", "warning" or "error""#),
                    );
                    continue;
                }
            };
            if rule.is_always() && level != Some(Level::Error) {
                self.fault(
                    value.span(),
                    format!("`{id}` is always an error; take this line out"),
                );
            }
            self.set_at(RULES, name);
            self.settings.levels.insert(rule, level);
        }
    }

    fn finish(mut self) -> Result<(Settings, Places)> {
        if self.faults.is_empty() {
            return Ok((self.settings, self.places));
        }
        self.faults.sort_by_key(|(span, _)| span.start);
        let lines: Vec<String> = self
            .faults
            .iter()
            .map(|(span, what)| {
                let (line, column) = position(self.text, span.start);
                format!("{FILE}:{line}:{column}: {what}")
            })
            .collect();
        Err(Error::new(lines.join("\n")).help("`guard explain settings` lists every key"))
    }
}

/// The beginning of a pattern, safe to show.
fn shortened(pattern: &str) -> String {
    let shown: String = pattern.chars().take(40).collect();
    let more = if shown.len() < pattern.len() {
        "…"
    } else {
        ""
    };
    format!("{}{more}", shown.escape_debug())
}

/// 1-based line and column, the column in characters.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(at)];
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .map_or(0, |last| last.chars().count())
        + 1;
    (line, column)
}

/// `; did you mean …?`, or nothing where no name is close.
fn suggest<'n>(given: &str, known: impl Iterator<Item = &'n str>) -> String {
    closest_word(given, known)
        .map(|name| format!("; did you mean `{name}`?"))
        .unwrap_or_default()
}

fn convert(kind: Kind, value: &DeValue<'_>) -> Option<Value> {
    let text = |value: &DeValue<'_>| value.as_str().map(str::to_owned);
    Some(match (kind, value) {
        (Kind::Text, _) => Value::Text(text(value)?),
        (Kind::Choice(words), _) => {
            Value::Text(text(value).filter(|word| words.contains(&word.as_str()))?)
        }
        (Kind::Texts | Kind::Patterns, DeValue::Array(items)) => Value::Texts(
            items
                .iter()
                .map(|item: &Spanned<DeValue<'_>>| text(item.get_ref()))
                .collect::<Option<_>>()?,
        ),
        (Kind::Texts | Kind::Patterns, _) => Value::Texts(vec![text(value)?]),
        (Kind::Flag, _) => Value::Flag(value.as_bool()?),
        (Kind::Count, _) => Value::Number(whole(value)?),
        (Kind::Share, _) => Value::Share(share(value)?),
        (Kind::Size, DeValue::String(text)) => Value::Number(quantity(
            text,
            &[
                ("kB", 1_000),
                ("MB", 1_000_000),
                ("GB", 1_000_000_000),
                ("B", 1),
            ],
        )?),
        (Kind::Size, _) => Value::Number(whole(value)?),
        (Kind::Span, _) => {
            let day = super::keys::DAY;
            Value::Number(quantity(
                value.as_str()?,
                &[("h", 3600), ("d", day), ("w", 7 * day)],
            )?)
        }
    })
}

fn whole(value: &DeValue<'_>) -> Option<u64> {
    let number = value.as_integer()?;
    u64::from_str_radix(number.as_str(), number.radix()).ok()
}

fn share(value: &DeValue<'_>) -> Option<f64> {
    let text = match value {
        DeValue::Float(number) => number.as_str(),
        DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
        _ => return None,
    };
    text.parse()
        .ok()
        .filter(|share| *share > 0.0 && *share <= 1.0)
}

/// A whole number with a unit, such as `10MB`.
fn quantity(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim_start())?;
    number.parse::<u64>().ok()?.checked_mul(*factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        parse(text.as_bytes())
            .err()
            .map(|error| error.message)
            .unwrap_or_default()
    }

    #[test]
    fn an_empty_file_means_the_defaults() {
        assert_eq!(parse(b"").ok(), Some(Settings::default()));
    }

    #[test]
    fn every_documented_default_is_the_default() {
        let mut text = String::new();
        for key in KEYS.iter().filter(|key| !key.default.is_empty()) {
            text.push_str(&format!("{}.{} = {}\n", key.section, key.name, key.default));
        }
        assert_eq!(
            parse(text.as_bytes()).map_err(|error| error.message),
            Ok(Settings::default())
        );
    }

    #[test]
    fn every_key_can_be_set() {
        for key in KEYS {
            let value = match key.kind {
                Kind::Choice(words) => &format!("{:?}", words[1]),
                Kind::Text => r#""zz""#,
                Kind::Texts | Kind::Patterns => r#"["zz"]"#,
                Kind::Flag => {
                    if key.default == "true" {
                        "false"
                    } else {
                        "true"
                    }
                }
                Kind::Count => "7",
                Kind::Share => "0.25",
                Kind::Size => r#""3kB""#,
                Kind::Span => r#""5w""#,
            };
            let text = format!("[{}]\n{} = {value}\n", key.section, key.name);
            let settings = parse(text.as_bytes()).map_err(|error| error.message);
            assert!(settings.is_ok(), "{settings:?}");
            assert_ne!(settings, Ok(Settings::default()), "{text}");
        }
    }

    #[test]
    fn all_faults_are_named_with_place_and_fix() {
        let text =
            "[lld]\npth = \"x\"\nmissing = \"no\"\n\n[ruls]\n[rules]\nout-of-scop = \"off\"\n";
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
        assert!(
            message("[lld]\npath = \n").starts_with("guard.toml:2:"),
            "{}",
            message("[lld]\npath = \n")
        );
    }

    #[test]
    fn the_two_always_rules_cannot_be_weakened() {
        assert!(message("[rules]\nunsafe-path = \"off\"\n").contains("always an error"));
        assert!(message("[rules]\noutside-workspace = \"warning\"\n").contains("always an error"));
        assert_eq!(message("[rules]\nunsafe-path = \"error\"\n"), "");
    }

    #[test]
    fn numbers_and_units() {
        for (text, ok) in [
            ("[destructive]\nshare = 1", true),
            ("[destructive]\nshare = 0", false),
            ("[destructive]\nshare = 1.5", false),
            ("[destructive]\nlines = -1", false),
            ("[workspace]\nmax-size = \"10 MB\"", true),
            ("[workspace]\nmax-size = \"10 parsecs\"", false),
            ("[workspace]\nmax-size = \"99999999999GB\"", false),
            ("[approvals]\nexpiry = 14", false),
        ] {
            assert_eq!(parse(text.as_bytes()).is_ok(), ok, "{text}");
        }
    }
}
