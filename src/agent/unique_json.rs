//! JSON in which no key occurs twice. Two programs may choose different values for one, so a call that has one is
//! denied.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::path::escaped;

/// Parses a text.
///
/// # Errors
/// It is not JSON, or a key occurs twice.
pub(super) fn parse(text: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice::<UniqueJson>(text).map(|unique| unique.0)
}

struct UniqueJson(Value);

impl<'de> Deserialize<'de> for UniqueJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueKeys).map(UniqueJson)
    }
}

struct UniqueKeys;

impl<'de> Visitor<'de> for UniqueKeys {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(UniqueJson(value)) = list.next_element()? {
            all.push(value);
        }
        Ok(all.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut keys: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some((key, UniqueJson(value))) = keys.next_entry::<String, _>()? {
            if all.contains_key(&key) {
                let key = escaped(key.as_str());
                return Err(A::Error::custom(format_args!(
                    "the key `{key}` occurs twice"
                )));
            }
            all.insert(key, value);
        }
        Ok(all.into())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::parse;

    #[test]
    fn a_value_is_read_as_ever_unless_a_key_occurs_twice() {
        let text =
            br#"{"a": [null, true, -1, 18446744073709551615, 0.5, "x\u001b"], "b": {"a": {}}}"#;
        assert_eq!(
            parse(text).unwrap(),
            serde_json::from_slice::<serde_json::Value>(text).unwrap()
        );
        for text in [
            r#"{"a": 1, "a": 1}"#,
            r#"[{"b": {"\u001b": 1, "\u001b": 2}}]"#,
        ] {
            let error = parse(text.as_bytes()).unwrap_err().to_string();
            assert!(
                error.contains("occurs twice") && !error.contains('\u{1b}'),
                "{error}"
            );
        }
    }
}
