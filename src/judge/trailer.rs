//! Trailers: `Key: value` lines in the last paragraph of a commit message.

use gix::bstr::{BStr, BString, ByteSlice};

/// The values of the trailers named `key`, case aside, in order. The subject is never a trailer.
pub(super) fn values(message: &BStr, key: &str) -> Vec<BString> {
    let text = message.trim_end();
    let mut lines: Vec<&[u8]> = text.lines().collect();
    let Some(blank) = lines.iter().rposition(|line| line.trim().is_empty()) else {
        return Vec::new();
    };
    lines.drain(..=blank);
    let value = |line: &&[u8]| {
        let (name, value) = line.split_once_str(":")?;
        let value = value.trim();
        (name.trim().eq_ignore_ascii_case(key.as_bytes()) && !value.is_empty())
            .then(|| value.into())
    };
    lines.iter().filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::values;

    fn designs(message: &str) -> Vec<String> {
        let values = values(message.into(), "Guard-Design");
        values.iter().map(|value| value.to_string()).collect()
    }

    #[test]
    fn only_the_last_paragraph_counts() {
        for (message, expected) in [
            ("Subject\n\nGuard-Design: a.md\n", &["a.md"][..]),
            (
                "Subject\n\nText.\n\nguard-design:b.md\nGuard-Design: c.md\nSigned-off-by: X <x>\n\n",
                &["b.md", "c.md"],
            ),
            ("Subject\r\n\r\nGuard-Design: a.md\r\n", &["a.md"]),
            ("Guard-Design: a.md", &[]),
            ("Subject\nGuard-Design: a.md", &[]),
            ("Subject\n\nGuard-Design: a.md\n\nThe end.", &[]),
            ("Subject\n\nGuard-Design:\nGuard-Designs: a.md", &[]),
            ("", &[]),
        ] {
            assert_eq!(designs(message), expected, "{message:?}");
        }
    }
}
