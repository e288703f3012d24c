//! Faults of a whole document: its encoding, its line endings, and bytes that hide lines.

use gix::bstr::ByteSlice;

use super::problem::{LocatedProblem, Problem};
use crate::finding::Rule;

/// Decodes a document into its text and the reason why it cannot be read further. `\r\r\n` endings are a fault:
/// Markdown then sees an empty line between all lines, and no table.
pub(super) fn decode(bytes: &[u8]) -> (String, Option<LocatedProblem>) {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(error) => {
            let at = error.valid_up_to();
            let problem = Problem::new(
                Rule::DesignBadRow,
                "non-utf8",
                "the document is not UTF-8",
                "save it as UTF-8; this is the first invalid byte",
            );
            // Everything before the invalid byte keeps its offset.
            let text = String::from_utf8_lossy(bytes).into_owned();
            return (text, Some(problem.at(at..at)));
        }
    };
    let fault = line_endings(&text).or_else(|| hidden_bytes(&text));
    (text, fault)
}

fn line_endings(text: &str) -> Option<LocatedProblem> {
    text.as_bytes().find("\r\r\n").map(|at| {
        Problem::new(
            Rule::DesignNoTable,
            "line-endings",
            "the lines end with CR CR LF, so Markdown sees no table",
            "save the document with LF or CRLF line endings",
        )
        .at(at..at)
    })
}

/// Bytes that show a reviewer other lines than guard reads.
fn hidden_bytes(text: &str) -> Option<LocatedProblem> {
    let bytes = text.as_bytes();
    let mut at = bytes.find_byteset(b"\0\r")?;
    while bytes[at..].starts_with(b"\r\n") {
        at += 2 + bytes[at + 2..].find_byteset(b"\0\r")?;
    }
    let (reason, message, help) = if bytes.get(at) == Some(&0) {
        (
            "nul",
            "the document contains a NUL byte, so git treats it as binary",
            "remove the NUL byte and commit the document again",
        )
    } else {
        (
            "lone-cr",
            "a carriage return without a line feed ends a line here, which diffs do not show",
            "save the document with LF or CRLF line endings",
        )
    };
    Some(Problem::new(Rule::DesignBadRow, reason, message, help).at(at..at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(bytes: &[u8]) -> Option<(&'static str, usize)> {
        decode(bytes)
            .1
            .map(|fault| (fault.problem.reason, fault.span.start))
    }

    #[test]
    fn encodings() {
        assert_eq!(fault(b"a\xe9b"), Some(("non-utf8", 1)));
        assert_eq!(fault(b"\xff\xfea\0"), Some(("non-utf8", 0)));
        assert_eq!(fault("\u{feff}ä\r\n".as_bytes()), None);
    }

    #[test]
    fn line_endings() {
        assert_eq!(fault(b"a\r\r\nb"), Some(("line-endings", 1)));
        assert_eq!(fault(b"a\r\nb\nc\r\n"), None);
        assert_eq!(fault(b"a\r\nb\nc\rd"), Some(("lone-cr", 6)));
        assert_eq!(fault(b"a\nb\r"), Some(("lone-cr", 3)));
        assert_eq!(fault(b"a\nb\0c\r"), Some(("nul", 3)));
    }
}
