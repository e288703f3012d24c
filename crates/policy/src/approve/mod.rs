//! A person's approval of exactly one step: this path, from this content to that. Pure: matching, the trailer, the
//! text to sign, and what the person types: the word that approves, and the reason.

mod ssh_signature;
mod trailer;

use bstr::{BStr, BString, ByteSlice};
use serde::{Deserialize, Serialize};

use crate::change::{Change, Kind, State};

pub use ssh_signature::base64;
pub use ssh_signature::{NAMESPACE, SshSignature, one_line};
pub use trailer::TRAILER;

/// A person's approval of one path going from one content to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// A unique id, so that copies are recognised.
    pub id: String,
    /// The path in the repository.
    #[serde(with = "trailer")]
    pub path: BString,
    /// The old state, as from [`sides`]; `None` for a new file.
    pub old: Option<String>,
    /// The new state; `None` for a deletion.
    pub new: Option<String>,
    /// The governing design, if any.
    pub design: Option<String>,
    /// Who approved: the user's email address in git if signed, otherwise name and address.
    pub who: String,
    /// When it was given, in seconds since 1970.
    pub when: i64,
    /// How it was given, such as `terminal`.
    pub how: String,
    /// The reason, on one line.
    pub reason: String,
    /// When it expires, in seconds since 1970.
    pub expires: i64,
    /// A signature of [`Approval::payload`] as from `ssh-keygen -Y sign -n guard`: its base64 body on one line.
    pub signature: Option<String>,
}

impl Approval {
    /// Whether this approves `change`, regardless of time.
    pub fn is_for(&self, change: &Change) -> bool {
        let (old, new) = sides(change);
        self.path == change.path && self.old == old && self.new == new && old != new
    }

    /// The kind and the fingerprint of the key that made the signature, whether or not that counts.
    pub fn key(&self) -> Option<String> {
        Some(SshSignature::parse(self.signature.as_deref()?)?.key)
    }

    /// The approval in the JSON of a finding.
    pub fn facts(&self) -> serde_json::Value {
        serde_json::json!({
            "id": self.id,
            "who": self.who,
            "when": self.when,
            "how": self.how,
            "reason": self.reason,
            "expires": self.expires,
            "signed": self.signature.is_some(),
        })
    }

    /// Whether `change` results in the approved content, from whatever state: the change has landed.
    pub fn is_landed_by(&self, change: &Change) -> bool {
        let new = change.new.map(|state| state.id.to_string());
        let consented = self
            .new
            .as_deref()
            .map(|side| side.rsplit(' ').next().unwrap_or(side));
        self.path == change.path && consented == new.as_deref()
    }
}

/// Both states of a change: the blob id of a file. For a link, a submodule, or a file whose executable bit changes,
/// git's mode precedes it (`120000 ID`), so that an approval does not cover another kind of file with the same
/// content.
pub fn sides(change: &Change) -> (Option<String>, Option<String>) {
    let mut usual = Kind::File;
    let mut old = None;
    if let Some(state) = change.old {
        if state.kind.is_file() {
            usual = state.kind;
        }
        old = Some(side(state, usual));
    }
    let new = change.new.map(|state| side(state, usual));
    (old, new)
}

/// The id of a state, behind its mode unless it is of the kind that goes without saying.
fn side(State { kind, id }: State, usual: Kind) -> String {
    if kind == usual {
        id.to_string()
    } else {
        format!("{:06o} {id}", kind.mode())
    }
}

/// The word to reject; never the word to approve.
pub const REJECT: &str = "reject";
/// What has another meaning in the prompt.
const ANSWERS: &[&str] = &["replace", "append", "insert", "extend", REJECT];
/// Shorter words are typed by accident, longer ones with mistakes.
const LENGTH: std::ops::RangeInclusive<usize> = 4..=24;
/// Longer reasons are cut.
const REASON_CHARS: usize = 500;

/// The word to approve: the first suitable one of the lost content, of the file name, or the change's id. It comes
/// from the change, so that people approve only what they have seen.
pub fn word(lost: &[u8], path: &BStr, id: &str) -> String {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
    first(lost)
        .or_else(|| first(name))
        .unwrap_or_else(|| id.to_owned())
}

/// ASCII only, so that any keyboard can type it.
fn first(text: &[u8]) -> Option<String> {
    text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
        .filter(|word| LENGTH.contains(&word.len()))
        .find(|word| word[0].is_ascii_alphabetic() && !is_answer(word))
        .map(|word| word.to_str_lossy().into_owned())
}

/// Whether the word alone already answers the question, so that nobody can be asked to type it.
fn is_answer(word: &[u8]) -> bool {
    ANSWERS
        .iter()
        .any(|answer| word.eq_ignore_ascii_case(answer.as_bytes()))
}

/// A reason for the log: printable, and of limited length.
pub fn reason_line(reason: &str) -> String {
    let printable = reason.chars().filter(|c| !c.is_control());
    let line: String = printable.take(REASON_CHARS).collect();
    line.trim().to_owned()
}

#[cfg(test)]
pub(crate) mod testing {
    #![allow(clippy::unwrap_used)]

    use super::Approval;

    /// Consent to the deletion of a file, unsigned.
    pub(crate) fn approval() -> Approval {
        serde_json::from_str(write_guard_testing::APPROVAL).unwrap()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::change::{Kind, State};
    use gix_hash::ObjectId;

    fn id(digit: char) -> ObjectId {
        ObjectId::from_hex(digit.to_string().repeat(40).as_bytes()).unwrap()
    }

    fn change(path: &str, old: char, new: char) -> Change {
        let state = |digit| State {
            kind: Kind::File,
            id: id(digit),
        };
        Change {
            path: path.into(),
            old: Some(state(old)),
            new: Some(state(new)),
            renamed: None,
        }
    }

    #[test]
    fn approval_covers_one_path_one_old_and_one_new_content() {
        let approval = Approval {
            path: "a".into(),
            old: Some(id('1').to_string()),
            new: Some(id('2').to_string()),
            expires: 100,
            ..testing::approval()
        };
        assert!(approval.is_for(&change("a", '1', '2')));
        assert!(!approval.is_for(&change("b", '1', '2')), "another path");
        assert!(
            !approval.is_for(&change("a", '3', '2')),
            "another old content"
        );
        assert!(
            !approval.is_for(&change("a", '1', '3')),
            "another new content"
        );
    }

    #[test]
    fn an_approval_has_landed_with_its_content_at_its_path() {
        let approval = |new: Option<String>| Approval {
            path: "a".into(),
            new,
            ..testing::approval()
        };
        let two = id('2').to_string();
        for new in [two.clone(), format!("120000 {two}")] {
            let approval = approval(Some(new));
            assert!(approval.is_landed_by(&change("a", '1', '2')));
            assert!(
                approval.is_landed_by(&change("a", '9', '2')),
                "from any state"
            );
            assert!(!approval.is_landed_by(&change("b", '1', '2')));
            assert!(!approval.is_landed_by(&change("a", '1', '3')));
        }
        let deleted = Change::new("a", change("a", '1', '2').old, None);
        assert!(approval(None).is_landed_by(&deleted));
        assert!(!approval(Some(two)).is_landed_by(&deleted));
    }

    #[test]
    fn approval_of_content_does_not_cover_another_file_kind() {
        let of = |old: Option<Kind>, new: Option<Kind>| {
            let state = |digit| {
                move |kind| State {
                    kind,
                    id: id(digit),
                }
            };
            sides(&Change {
                old: old.map(state('1')),
                new: new.map(state('2')),
                ..change("a", '1', '2')
            })
        };
        let file = of(Some(Kind::File), Some(Kind::File));
        assert_eq!(file, (Some("1".repeat(40)), Some("2".repeat(40))));
        assert_eq!(of(Some(Kind::Executable), Some(Kind::Executable)), file);
        let others = [
            (Some(Kind::File), Some(Kind::Executable)),
            (Some(Kind::Executable), Some(Kind::File)),
            (Some(Kind::File), Some(Kind::Symlink)),
            (Some(Kind::File), Some(Kind::Submodule)),
            (Some(Kind::Symlink), Some(Kind::File)),
            (Some(Kind::Symlink), Some(Kind::Symlink)),
            (None, Some(Kind::File)),
            (None, Some(Kind::Executable)),
        ];
        let all: Vec<_> = others.iter().map(|&(old, new)| of(old, new)).collect();
        for (at, sides) in all.iter().enumerate() {
            assert_ne!(sides, &file, "{:?}", others[at]);
            assert!(!all[..at].contains(sides), "{:?}", others[at]);
        }
    }

    #[test]
    fn confirmation_word_comes_from_lost_text_then_from_the_name() {
        let of = |lost: &str, path: &str| word(lost.as_bytes(), path.into(), "0123abcd");
        assert_eq!(of("x = 1\nclass State:", "src/state.py"), "class");
        assert_eq!(of("# reject_all", "a"), "reject_all");
        assert_eq!(of("REJECT state", "a"), "state");
        assert_eq!(of("Append extend insert replace state", "a"), "state");
        assert_eq!(of("1234 äöüß", "src/state.py"), "state");
        assert_eq!(of("", "a"), "0123abcd");
    }

    #[test]
    fn a_reason_is_one_printable_line() {
        assert_eq!(reason_line(" a\u{1b}[2Jb\tc "), "a[2Jbc");
        assert_eq!(reason_line(&"x".repeat(600)).len(), 500);
    }
}
