//! The rejection of a path: a reason, and the sentence that names the path.

use bstr::{BStr, ByteSlice};

use super::escape::escaped;
use super::reason::Reason;

/// A refused path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// The reason.
    pub reason: Reason,
    /// One sentence without a full stop that names the path, escaped and shortened, and the offending character, if
    /// any, as `U+XXXX`.
    pub message: String,
}

/// A reason and half a sentence, without the path.
#[derive(Debug, PartialEq, Eq)]
pub struct PathFault {
    pub(crate) reason: Reason,
    /// Starts with a verb: "contains the control character U+000A".
    what: String,
}

impl PathFault {
    /// A fault; `what` starts with a verb.
    pub fn new(reason: Reason, what: impl Into<String>) -> PathFault {
        PathFault {
            reason,
            what: what.into(),
        }
    }

    /// The rejection of a path.
    pub fn of(self, path: &[u8]) -> Rejection {
        Rejection {
            reason: self.reason,
            message: format!("{} {}", brief(path), self.what),
        }
    }

    /// The rejection of a link and its target.
    pub(crate) fn of_link(self, link: &[u8], target: &[u8]) -> Rejection {
        Rejection {
            reason: self.reason,
            message: format!(
                "the link {} to {} {}",
                brief(link),
                brief(target),
                self.what
            ),
        }
    }
}

/// Refuses a path, whatever its check would yield.
pub(super) fn refuse<T>(reason: Reason, what: impl Into<String>) -> Result<T, PathFault> {
    Err(PathFault::new(reason, what))
}

/// Longer names are cut in messages.
const BRIEF: usize = 160;

/// The path as shown, cut if it is long.
fn brief(path: &[u8]) -> String {
    if path.len() <= BRIEF {
        return escaped(path).to_string();
    }
    let path = BStr::new(path);
    let end = path
        .char_indices()
        .map(|(_, end, _)| end)
        .take_while(|&end| end <= BRIEF)
        .last()
        .unwrap_or(0);
    format!("{}...", escaped(&path[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_cuts_an_overlong_name_between_characters() {
        let name = "é".repeat(500);
        let rejection = PathFault::new(Reason::NameTooLong, "is long").of(name.as_bytes());
        assert_eq!(
            rejection.message,
            format!("{}... is long", "é".repeat(BRIEF / 2))
        );
    }
}
