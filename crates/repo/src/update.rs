//! The refs that a push changes, with their old and new values, and where a push is judged.

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::escaped;

/// One ref of a push, by its name on the receiving side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// The full name.
    pub name: BString,
    /// The old value; `None` for a new ref.
    pub old: Option<ObjectId>,
    /// The new value; `None` for a deletion.
    pub new: Option<ObjectId>,
}

/// The target branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetBranch {
    /// The short name.
    pub name: BString,
    /// Its commit; `None` while it is empty.
    pub tip: Option<ObjectId>,
}

impl TargetBranch {
    /// Whether the update is of this branch.
    pub(super) fn is_of(&self, update: &Update) -> bool {
        update.branch() == Some(self.name.as_ref())
    }
}

/// Where a push is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushSide<'a> {
    /// Before it is sent to the remote of this name.
    Local(&'a str),
    /// Where it is received.
    Server,
}

impl Update {
    /// A ref with hexadecimal values; all zeros mean none.
    ///
    /// # Errors
    /// A value is not an object id.
    pub fn new(name: &BStr, old: &[u8], new: &[u8]) -> Result<Update> {
        Ok(Update {
            name: name.to_owned(),
            old: object_id(old)?,
            new: object_id(new)?,
        })
    }

    /// Parses the input of the pre-push hook: `<local ref> <local id> <remote ref> <remote id>` per line.
    ///
    /// # Errors
    /// A line is malformed.
    pub fn parse_pushed(input: &[u8]) -> Result<Vec<Update>> {
        parse(input, |words| match words {
            [_, new, name, old] => Some([name, old, new]),
            _ => None,
        })
    }

    /// Parses the input of the pre-receive and reference-transaction hooks: `<old id> <new id> <ref>` per line.
    ///
    /// # Errors
    /// A line is malformed.
    pub fn parse_received(input: &[u8]) -> Result<Vec<Update>> {
        parse(input, |words| match words {
            [old, new, name] => Some([name, old, new]),
            _ => None,
        })
    }

    /// Whether the ref may hold code: notes and guard's own records do not.
    pub(crate) fn holds_code(&self) -> bool {
        !self.name.starts_with(b"refs/notes/") && !self.name.starts_with(b"refs/guard/")
    }

    /// The short name of a branch.
    pub fn branch(&self) -> Option<&BStr> {
        self.name
            .strip_prefix(b"refs/heads/")
            .map(ByteSlice::as_bstr)
    }
}

/// Parses lines of words; `order` picks the name, the old and the new value.
fn parse(
    input: &[u8],
    order: impl for<'a> Fn(&[&'a [u8]]) -> Option<[&'a [u8]; 3]>,
) -> Result<Vec<Update>> {
    let mut updates = Vec::new();
    for line in input.lines().filter(|line| !line.is_empty()) {
        let words: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
        let Some([name, old, new]) = order(&words) else {
            let line = escaped(line.as_bstr());
            let message = format!("{line} is not valid input for this hook");
            return Err(Error::new(message));
        };
        // A symbolic ref does not name a commit itself.
        if !new.starts_with(b"ref:") {
            let old = if old.starts_with(b"ref:") { b"0" } else { old };
            updates.push(Update::new(name.as_bstr(), old, new)?);
        }
    }
    Ok(updates)
}

fn object_id(hex: &[u8]) -> Result<Option<ObjectId>> {
    if !hex.is_empty() && hex.iter().all(|&byte| byte == b'0') {
        return Ok(None);
    }
    ObjectId::from_hex(hex)
        .map(Some)
        .map_err(|_| Error::new(format!("{} is not an object id", escaped(hex.as_bstr()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "1111111111111111111111111111111111111111";
    const ZERO: &str = "0000000000000000000000000000000000000000";

    #[test]
    fn both_forms_of_git_are_read() {
        let a = ObjectId::from_hex(A.as_bytes()).ok();
        let pushed =
            Update::parse_pushed(format!("refs/heads/x {A} refs/heads/y {ZERO}\n").as_bytes());
        let expected = Update {
            name: "refs/heads/y".into(),
            old: None,
            new: a,
        };
        assert_eq!(pushed.ok(), Some(vec![expected]));
        let received = Update::parse_received(format!("{A} {ZERO} refs/heads/y\n").as_bytes());
        let expected = Update {
            name: "refs/heads/y".into(),
            old: a,
            new: None,
        };
        assert_eq!(received.ok(), Some(vec![expected]));
        let symbolic = Update::parse_received(b"ref:refs/heads/a ref:refs/heads/b HEAD\n");
        assert_eq!(symbolic.ok(), Some(Vec::new()));
    }

    #[test]
    fn anything_else_is_refused() {
        for bad in [
            "x",
            &format!("{A} {A}"),
            &format!("{A} xyz refs/heads/a"),
            &format!("{A} {A} a b"),
        ] {
            assert!(Update::parse_received(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(Update::parse_pushed(format!("{A} {A} refs/heads/a\n").as_bytes()).is_err());
    }
}
