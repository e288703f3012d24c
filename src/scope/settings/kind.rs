//! The kinds of values in `guard.toml`: how to read and write them.

use serde_json::{Value, json};
use toml::Spanned;
use toml::de::DeValue;

/// One hour and one day in seconds.
const HOUR: u64 = 60 * 60;
pub(super) const DAY: u64 = 24 * HOUR;

/// The kind of a value in `guard.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// A string.
    Text,
    /// A regular expression.
    Regex,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A string or a list of strings.
    Texts,
    /// A directory of the repository or a list of them.
    Directories,
    /// A gitignore pattern or a list of them.
    Patterns,
    /// `true` or `false`.
    Flag,
    /// A whole number, at least 0.
    Count,
    /// A number from 0 to 1.
    Share,
    /// A length of time: `"12h"`, `"14d"`, `"8w"`.
    Span,
}

impl ValueKind {
    /// The expected value, for error messages and documentation.
    pub fn expected(self) -> String {
        match self {
            ValueKind::Text | ValueKind::Regex => "a string",
            ValueKind::Choice(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                return quoted.join(" or ");
            }
            ValueKind::Texts | ValueKind::Directories | ValueKind::Patterns => {
                "a string or a list of strings"
            }
            ValueKind::Flag => "true or false",
            ValueKind::Count => "a whole number, 0 or more",
            ValueKind::Share => "a number above 0, at most 1",
            ValueKind::Span => r#"a string such as "12h", "14d" or "8w""#,
        }
        .to_owned()
    }

    /// The value as the settings store it: a list for lists, seconds for durations. `None` if it is
    /// of another kind.
    pub(super) fn read(self, value: &DeValue<'_>) -> Option<Value> {
        let text = |value: &DeValue<'_>| value.as_str().map(Value::from);
        match (self, value) {
            (ValueKind::Text | ValueKind::Regex, _) => text(value),
            (ValueKind::Choice(words), _) => {
                text(value).filter(|word| words.iter().any(|known| word == known))
            }
            (
                ValueKind::Texts | ValueKind::Directories | ValueKind::Patterns,
                DeValue::Array(items),
            ) => items
                .iter()
                .map(|item: &Spanned<DeValue<'_>>| text(item.get_ref()))
                .collect(),
            (ValueKind::Texts | ValueKind::Directories | ValueKind::Patterns, _) => {
                Some(json!([text(value)?]))
            }
            (ValueKind::Flag, _) => value.as_bool().map(Value::from),
            (ValueKind::Share, _) => share(value).map(Value::from),
            (ValueKind::Count, _) => whole(value).map(Value::from),
            (ValueKind::Span, _) => span(value.as_str()?).map(Value::from),
        }
    }

    /// The value as `guard.toml` would hold it, from what [`ValueKind::read`] made of it.
    pub(super) fn written(self, value: Value) -> Value {
        match (self, value.as_u64()) {
            // Days and hours are enough.
            (ValueKind::Span, Some(time)) if time.is_multiple_of(DAY) => {
                format!("{}d", time / DAY).into()
            }
            (ValueKind::Span, Some(time)) => format!("{}h", time / HOUR).into(),
            _ => value,
        }
    }
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

/// The seconds of a whole number with a unit, such as `14d`.
fn span(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let seconds = match unit.trim_start() {
        "h" => HOUR,
        "d" => DAY,
        "w" => 7 * DAY,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(seconds)
}
