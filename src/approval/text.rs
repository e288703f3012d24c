//! The text to sign: every member of an approval as JSON, one per line, in a fixed order. JSON escapes line breaks
//! and quotes, so different approvals never give the same text.

use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::Value;

use super::Approval;

/// The first line, with the version of the text.
const TITLE: &str = "guard approval 1\n";

impl Approval {
    /// The text to sign: everything but the signature.
    pub fn payload(&self) -> String {
        let mut text = String::from(TITLE);
        for (key, value) in self.members() {
            text.push_str(&format!("{key} {value}\n"));
        }
        text
    }

    /// The key and value of each member but the signature.
    pub(super) fn members(&self) -> [(&'static str, Value); 10] {
        let path = |path: &BString| bytes(path.as_ref());
        [
            ("id", self.id.clone().into()),
            ("path", path(&self.path)),
            ("old", self.old.clone().into()),
            ("new", self.new.clone().into()),
            ("design", self.design.as_ref().map(path).into()),
            ("who", self.who.clone().into()),
            ("when", self.when.into()),
            ("how", self.how.clone().into()),
            ("reason", self.reason.clone().into()),
            ("expires", self.expires.into()),
        ]
    }
}

/// A path as a string, or as a list of bytes if it is not UTF-8, because replacement characters would be ambiguous.
fn bytes(path: &BStr) -> Value {
    match path.to_str() {
        Ok(text) => text.into(),
        Err(_) => path.to_vec().into(),
    }
}

/// Parses the output of [`bytes`].
pub(super) fn path(value: &Value) -> Option<BString> {
    match value {
        Value::String(text) => Some(text.as_str().into()),
        Value::Array(bytes) => bytes
            .iter()
            .map(|byte| byte.as_u64().and_then(|byte| u8::try_from(byte).ok()))
            .collect::<Option<Vec<u8>>>()
            .map(BString::from),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::HashSet;

    use super::super::testing::approval;
    use super::*;

    #[test]
    fn the_text_is_fixed_to_the_byte() {
        // Tools that sign or verify without guard need to know it.
        assert_eq!(
            approval().payload(),
            "guard approval 1\n\
             id \"00112233445566778899aabbccddeeff\"\n\
             path \"src/state.py\"\n\
             old \"1111111111111111111111111111111111111111\"\n\
             new null\n\
             design \"docs/LLD-1.md\"\n\
             who \"person@example.org\"\n\
             when 1700000000\n\
             how \"terminal\"\n\
             reason \"a new format\"\n\
             expires 1800000000\n"
        );
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

    #[test]
    fn signature_is_not_part_of_the_signed_text() {
        let mut signed = approval();
        signed.signature = Some("AAAA".into());
        assert_eq!(signed.payload(), approval().payload());
    }
}
