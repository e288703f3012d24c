//! `Guard-Approved:` trailers of a commit message: the approval as one line of JSON.

use serde_json::{Map, Value};

use super::{Approval, text};

/// The key of the trailer.
pub const TRAILER: &str = "Guard-Approved";

/// Why a trailer is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrailerError(pub String);

impl Approval {
    /// The value of the trailer, on one line.
    pub fn to_trailer_value(&self) -> String {
        Value::Object(self.to_json()).to_string()
    }

    /// Parses the value of a trailer.
    ///
    /// # Errors
    /// It is not a JSON object, or as for [`Approval::from_json`].
    pub fn from_trailer_value(value: &[u8]) -> Result<Approval, TrailerError> {
        match serde_json::from_slice(value) {
            Ok(Value::Object(object)) => Approval::from_json(&object),
            _ => Err(TrailerError("it is not a JSON object".to_owned())),
        }
    }

    /// The members as JSON, the signature last.
    pub fn to_json(&self) -> Map<String, Value> {
        let members = self
            .members()
            .into_iter()
            .chain([("signature", self.signature.clone().into())]);
        members
            .map(|(key, value)| (key.to_owned(), value))
            .collect()
    }

    /// Parses the output of [`Approval::to_json`].
    ///
    /// # Errors
    /// A member is missing or has the wrong type.
    pub fn from_json(object: &Map<String, Value>) -> Result<Approval, TrailerError> {
        let wrong = |key: &str| TrailerError(format!("`{key}` is missing or invalid"));
        let text = |key: &str| match object.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(wrong(key)),
        };
        let path = |key: &str| match object.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => text::path(value).map(Some).ok_or_else(|| wrong(key)),
        };
        let needed = |key: &str| text(key)?.ok_or_else(|| wrong(key));
        let number = |key: &str| {
            let value = object.get(key).and_then(Value::as_i64);
            value.ok_or_else(|| wrong(key))
        };
        Ok(Approval {
            id: needed("id")?,
            path: path("path")?.ok_or_else(|| wrong("path"))?,
            old: text("old")?,
            new: text("new")?,
            design: path("design")?,
            who: needed("who")?,
            when: number("when")?,
            how: needed("how")?,
            reason: needed("reason")?,
            expires: number("expires")?,
            signature: text("signature")?,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use gix::bstr::BString;

    use super::super::testing::approval;
    use super::*;

    #[test]
    fn a_trailer_is_one_line_and_reads_back() {
        let odd = Approval {
            path: "src/ä \"x\".py".into(),
            old: None,
            reason: "line\nbreak: and Guard-Approved: {}".into(),
            signature: Some("AAAA".into()),
            ..approval()
        };
        let no_text = Approval {
            path: BString::from(&b"a\xff"[..]),
            ..approval()
        };
        for one in [approval(), odd, no_text] {
            let value = one.to_trailer_value();
            assert!(!value.contains('\n'), "{value}");
            assert_eq!(Approval::from_trailer_value(value.as_bytes()), Ok(one));
        }
    }

    #[test]
    fn invalid_approval_is_an_error() {
        let whole = Value::Object(approval().to_json());
        for (key, value) in [
            ("path", Value::Null),
            ("path", 5.into()),
            ("path", vec![256].into()),
            ("id", Value::Null),
            ("old", 5.into()),
            ("who", vec!["a"].into()),
            ("when", "1".into()),
            ("expires", 1.5.into()),
            ("signature", true.into()),
        ] {
            let mut broken = whole.clone();
            broken[key] = value;
            let read = Approval::from_trailer_value(broken.to_string().as_bytes());
            assert!(
                read.is_err_and(|error| error.0.contains(key)),
                "{key} {broken}"
            );
        }
        for text in ["yes", "[]", "", "{", "\u{fffd}"] {
            assert!(Approval::from_trailer_value(text.as_bytes()).is_err());
        }
    }
}
