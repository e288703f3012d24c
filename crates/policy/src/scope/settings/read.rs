//! Parses `guard.toml` and reports all mistakes together, each with line, column and fix.

use std::collections::BTreeMap;
use std::ops::Range;

use bstr::ByteSlice;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::super::done;
use super::super::patterns::Patterns;
use super::{FILE, KEYS, Key, LEVELS, RULES, Settings, ValueKind};
use crate::error::{Error, Result};
use crate::finding::{Rule, TextLines};
use crate::scope::closest_word;

/// Parses settings; missing keys keep their defaults.
///
/// # Errors
/// The text is not TOML, a key is unknown or a value is of the wrong kind.
pub fn parse(bytes: &[u8]) -> Result<Settings> {
    parse_with_places(bytes).map(|(settings, _)| settings)
}

/// Like [`parse`], with the place of every key in the text.
///
/// # Errors
/// As for [`parse`].
pub fn parse_with_places(bytes: &[u8]) -> Result<(Settings, KeyPlaces)> {
    let Ok(text) = bytes.to_str() else {
        return Err(Error::new(format!("{FILE} is not UTF-8")).help("save it as UTF-8"));
    };
    let mut reader = SettingsReader {
        lines: TextLines::new(text),
        settings: Settings::default(),
        places: KeyPlaces::new(),
        faults: Vec::new(),
    };
    let (document, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        reader.fault(error.span().unwrap_or_default(), error.message());
    }
    if errors.is_empty() {
        reader.document(document.get_ref());
        reader.done(document.get_ref());
    }
    if reader.faults.is_empty() {
        return Ok((reader.settings, reader.places));
    }
    reader.faults.sort_by_key(|(span, _)| span.start);
    let faults = reader.faults.iter().map(|(span, what)| {
        let (line, column) = reader.lines.position(span.start);
        format!("{FILE}:{line}:{column}: {what}")
    });
    let faults: Vec<String> = faults.collect();
    Err(Error::new(faults.join("\n")).help("`guard generate settings` lists every key"))
}

/// The line and column of every key that is set, 1-based and in characters, by table and key.
pub type KeyPlaces = BTreeMap<(String, String), (usize, usize)>;

struct SettingsReader<'a> {
    lines: TextLines<'a>,
    settings: Settings,
    places: KeyPlaces,
    faults: Vec<(Range<usize>, String)>,
}

impl SettingsReader<'_> {
    fn fault(&mut self, span: Range<usize>, what: impl Into<String>) {
        self.faults.push((span, what.into()));
    }

    /// Says that there is no such name, and which of the known ones is close.
    fn unknown<'n>(
        &mut self,
        what: &str,
        name: &Spanned<impl AsRef<str>>,
        place: &str,
        known: impl Iterator<Item = &'n str>,
    ) {
        let given = name.get_ref().as_ref();
        let mut fault = format!("unknown {what} `{}`{place}", given.escape_default());
        if let Some(close) = closest_word(given, known) {
            fault += &format!("; did you mean `{close}`?");
        }
        self.fault(name.span(), fault);
    }

    fn set_at(&mut self, section: &str, name: &Spanned<impl AsRef<str>>) {
        let key = (section.to_owned(), name.get_ref().as_ref().to_owned());
        let place = self.lines.position(name.span().start);
        self.places.insert(key, place);
    }

    fn document(&mut self, document: &DeTable<'_>) {
        for (name, value) in document {
            let section = name.get_ref().as_ref();
            let known = KEYS.iter().any(|key| key.section == section) || section == RULES;
            match value.get_ref() {
                _ if !known => {
                    let sections = KEYS.iter().map(|key| key.section).chain([RULES]);
                    self.unknown("table", name, "", sections);
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
        let keys = KEYS.iter().filter(|key| key.section == section);
        let keys: Vec<&Key> = keys.collect();
        for (name, value) in table {
            let mut known = keys.iter();
            let Some(key) = known.find(|key| key.name == name.get_ref().as_ref()) else {
                let place = format!(" in [{section}]");
                self.unknown("key", name, &place, keys.iter().map(|key| key.name));
                continue;
            };
            self.set_at(section, name);
            if self.is_refused(key, value) {
                continue;
            }
            let read = key.kind.read(value.clone());
            let set = read.and_then(|read| (key.set)(&mut self.settings, read).ok());
            if set.is_none() {
                let what = format!("`{}` must be {}", key.name, key.kind.expected());
                self.fault(value.span(), what);
            }
        }
    }

    /// Refuses each invalid pattern, directory and regular expression at its own place.
    fn is_refused(&mut self, key: &Key, value: &Spanned<DeValue<'_>>) -> bool {
        let before = self.faults.len();
        for item in items(value) {
            let Some(text) = item.get_ref().as_str() else {
                continue;
            };
            let why = match key.kind {
                ValueKind::Patterns => Patterns::new(vec![text.to_owned()])
                    .err()
                    .map(str::to_owned),
                ValueKind::Directories if !is_directory(text) => Some(
                    "does not name a directory of the repository: write its path from the root, \
                     or `.` for the whole repository"
                        .to_owned(),
                ),
                ValueKind::Regex => regex_lite::Regex::new(text)
                    .err()
                    .map(|error| format!("is not a regular expression: {error}")),
                _ => None,
            };
            if let Some(why) = why {
                let what = format!("`{}` of `{}` {why}", text.escape_debug(), key.name);
                self.fault(item.span(), what);
            }
        }
        self.faults.len() > before
    }

    /// Refuses each pattern of `done` that refers to more than any pattern of `path` or `standing` leaves open: it would
    /// end no plan.
    fn done(&mut self, document: &DeTable<'_>) {
        let plans = [&*self.settings.lld_path, &self.settings.standing].concat();
        if plans.is_empty() {
            return;
        }
        let section = document.get("lld").and_then(|lld| lld.get_ref().as_table());
        let Some(value) = section.and_then(|section| section.get("done")) else {
            return;
        };
        for item in items(value) {
            if let Some(text) = item.get_ref().as_str()
                && !done::can_be_filled(text, plans.iter())
            {
                let what = format!(
                    "`{}` of `done` refers to more than any pattern of `path` or `standing` has: \
                     `{{1}}` stands for its first `*`, `{{issue}}` for its `{{issue}}`",
                    text.escape_debug()
                );
                self.fault(item.span(), what);
            }
        }
    }

    fn levels(&mut self, table: &DeTable<'_>) {
        for (name, value) in table {
            let id = name.get_ref().as_ref();
            let Some(rule) = Rule::from_id(id) else {
                self.unknown("rule", name, "", Rule::ALL.iter().map(|rule| rule.id()));
                continue;
            };
            let word = value.get_ref().as_str();
            let Some(&(_, level)) = LEVELS.iter().find(|(known, _)| word == Some(*known)) else {
                let what = format!(r#"`{id}` must be "off", "note", "warning" or "error""#);
                self.fault(value.span(), what);
                continue;
            };
            if rule.has_fixed_level() && level != Some(rule.default_level()) {
                let fixed = rule.default_level().name();
                let what = format!("the level of `{id}` is always {fixed}; remove this line");
                self.fault(value.span(), what);
            }
            self.set_at(RULES, name);
            self.settings.levels.insert(rule, level);
        }
    }
}

/// The items of a list, or the one value that stands for a list.
fn items<'v, 'a>(value: &'v Spanned<DeValue<'a>>) -> Vec<&'v Spanned<DeValue<'a>>> {
    match value.get_ref() {
        DeValue::Array(items) => items.iter().collect(),
        _ => vec![value],
    }
}

/// Whether a text can name a directory of the repository.
fn is_directory(text: &str) -> bool {
    let has_drive = text.as_bytes().get(1) == Some(&b':');
    !text.is_empty()
        && !text.starts_with(['/', '~'])
        && !has_drive
        && !text.contains(['*', '\\'])
        && text.split('/').all(|name| name != "..")
}
