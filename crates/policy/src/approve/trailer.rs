//! The two forms of an approval as text: the one to sign, and the `Guard-Approved:` trailer of a commit message.

use bstr::{BString, ByteSlice};
use serde::{Deserialize, Deserializer, Serializer};
use serde_json::{Map, Value};

use super::Approval;

/// The key of the trailer.
pub const TRAILER: &str = "Guard-Approved";

/// The first line of the text to sign, with its version.
const TITLE: &str = "guard approval 1\n";

impl Approval {
    /// The text to sign: every member but the signature as JSON, one per line, in a fixed order. JSON escapes line
    /// breaks and quotes, so different approvals never give the same text.
    pub fn payload(&self) -> String {
        let mut text = TITLE.to_owned();
        for (key, value) in self.to_json() {
            if key != "signature" {
                text += &format!("{key} {value}\n");
            }
        }
        text
    }

    /// The value of the trailer: the members as JSON on one line, the signature last.
    pub fn to_trailer_value(&self) -> String {
        Value::Object(self.to_json()).to_string()
    }

    /// Parses the value of a trailer.
    ///
    /// # Errors
    /// It is not a JSON object, or as for [`Approval::from_json`].
    pub fn from_trailer_value(value: &[u8]) -> Result<Approval, String> {
        match serde_json::from_slice(value) {
            Ok(Value::Object(object)) => Approval::from_json(object),
            _ => Err("it is not a JSON object".to_owned()),
        }
    }

    /// The members as JSON, the signature last.
    pub fn to_json(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(members)) => members,
            _ => Map::new(),
        }
    }

    /// Parses the output of [`Approval::to_json`].
    ///
    /// # Errors
    /// A member is missing or has the wrong type.
    pub fn from_json(object: Map<String, Value>) -> Result<Approval, String> {
        serde_json::from_value(Value::Object(object)).map_err(|error| error.to_string())
    }
}

/// Writes a path as a string, or as a list of bytes if it is not UTF-8, because replacement characters would be
/// ambiguous.
pub(super) fn serialize<S: Serializer>(path: &BString, serializer: S) -> Result<S::Ok, S::Error> {
    match path.to_str() {
        Ok(text) => serializer.serialize_str(text),
        Err(_) => serializer.collect_seq(path.iter()),
    }
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BString, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "`path` is neither a text nor a list of bytes")]
    enum Path {
        Text(String),
        Bytes(Vec<u8>),
    }
    Ok(match Path::deserialize(deserializer)? {
        Path::Text(text) => text.into(),
        Path::Bytes(bytes) => bytes.into(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::HashSet;

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
            assert!(read.is_err(), "{key} {broken}");
        }
        for text in ["yes", "[]", "", "{", "\u{fffd}"] {
            assert!(Approval::from_trailer_value(text.as_bytes()).is_err());
        }
    }

    #[test]
    fn the_text_to_sign_is_fixed_to_the_byte() {
        // Tools that sign or verify without guard need to know it.
        let text = "guard approval 1\n\
             id \"00112233445566778899aabbccddeeff\"\n\
             path \"src/state.py\"\n\
             old \"1111111111111111111111111111111111111111\"\n\
             new null\n\
             design \"docs/LLD-1.md\"\n\
             who \"person@example.org\"\n\
             when 1700000000\n\
             how \"terminal\"\n\
             reason \"a new format\"\n\
             expires 1800000000\n";
        assert_eq!(approval().payload(), text);
        let signature = Some("AAAA".into());
        let signed = Approval {
            signature,
            ..approval()
        };
        assert_eq!(signed.payload(), text, "the signature is no part of it");
    }

    /// Values that pretend to be other members, lines or ends of strings.
    const HOSTILE: &[&str] = &[
        "",
        "a",
        "null",
        "a\"",
        "a\\",
        "a\\\"",
        "a\nold null",
        "a\"\nold null\nnew \"b",
        "a\r",
        "a\u{0}",
        "a\u{2028}b",
        "\u{fffd}",
        "[97]",
    ];

    #[test]
    fn two_different_approvals_never_give_the_same_text() {
        type Setter = fn(&mut Approval, &str);
        let texts: &[Setter] = &[
            |a, v| a.id = v.into(),
            |a, v| a.path = v.into(),
            |a, v| a.old = Some(v.into()),
            |a, v| a.new = Some(v.into()),
            |a, v| a.design = Some(v.into()),
            |a, v| a.who = v.into(),
            |a, v| a.how = v.into(),
            |a, v| a.reason = v.into(),
        ];
        let mut all = vec![approval()];
        for neighbours in texts.windows(2) {
            for (value, second) in HOSTILE
                .iter()
                .flat_map(|a| HOSTILE.iter().map(move |b| (a, b)))
            {
                let mut one = approval();
                neighbours[0](&mut one, value);
                neighbours[1](&mut one, second);
                all.push(one);
            }
        }
        let others: &[fn(&mut Approval)] = &[
            |a| a.path = BString::from(&b"\xff"[..]),
            |a| a.path = BString::from(&b"\xfe"[..]),
            |a| a.path = "[255]".into(),
            |a| a.old = None,
            |a| a.design = None,
            |a| a.when += 1,
            |a| a.expires += 1,
        ];
        for set in others {
            let mut one = approval();
            set(&mut one);
            all.push(one);
        }
        let mut distinct = Vec::new();
        for one in all {
            if !distinct.contains(&one) {
                distinct.push(one);
            }
        }
        let texts: HashSet<String> = distinct.iter().map(Approval::payload).collect();
        assert!(distinct.len() > 500);
        assert_eq!(texts.len(), distinct.len());
        for text in &texts {
            assert_eq!(text.matches('\n').count(), 11, "{text}");
        }
    }
}
