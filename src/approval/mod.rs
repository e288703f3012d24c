//! A person's consent to exactly one step: this path, from this content to that. Pure: matching, the trailer, the
//! text that is signed.

mod trailer;
mod word;

use gix::bstr::BString;

use crate::change::{Change, Kind};

pub use trailer::{TRAILER, TrailerError};
pub use word::{REJECT, word};

/// Consent to one path going from one content to another, and to nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// The path in the repository.
    pub path: BString,
    /// What there was, as [`sides`] writes it; `None` where there was nothing.
    pub old: Option<String>,
    /// What will be; `None` where nothing will be.
    pub new: Option<String>,
    /// The design in force at that path, if any.
    pub design: Option<BString>,
    /// Who consented, as git's identity has it.
    pub who: String,
    /// When, in seconds since 1970.
    pub when: i64,
    /// How it was given, such as `terminal`.
    pub how: String,
    /// Why, in the person's words; one line.
    pub reason: String,
    /// From when on it holds no longer, in seconds since 1970.
    pub expires: i64,
    /// An armoured SSH signature of [`Approval::payload`], as `ssh-keygen -Y sign -n guard` makes it.
    pub signature: Option<String>,
}

/// The namespace of signatures, so that a signature made for something else is none here.
pub const NAMESPACE: &str = "guard";

impl Approval {
    /// Whether this is consent to `change`, for as long as it holds.
    pub fn is_for(&self, change: &Change) -> bool {
        let (old, new) = sides(change);
        self.path == change.path && self.old == old && self.new == new && old != new
    }

    /// Whether this is consent to `change` at the time `now`, in seconds since 1970.
    pub fn covers(&self, change: &Change, now: i64) -> bool {
        self.is_for(change) && now < self.expires
    }

    /// Whether its new content is what `change` leads to, wherever that began: the change has landed.
    pub fn is_landed_by(&self, change: &Change) -> bool {
        let new = change.new.map(|state| state.id.to_string());
        let consented = self
            .new
            .as_deref()
            .map(|new| new.rsplit(' ').next().unwrap_or(new));
        self.path == change.path && consented == new.as_deref()
    }

    /// The text that is signed: one member a line, in a fixed order, without the signature.
    pub fn payload(&self) -> String {
        let mut text = String::from("guard approval 1\n");
        for (key, value) in self.members() {
            text.push_str(&format!("{key} {value}\n"));
        }
        text
    }

    /// Key and JSON value of each member but the signature; JSON keeps every value on its line.
    fn members(&self) -> Vec<(&'static str, serde_json::Value)> {
        vec![
            ("path", self.path.to_string().into()),
            ("old", self.old.clone().into()),
            ("new", self.new.clone().into()),
            (
                "design",
                self.design.as_ref().map(ToString::to_string).into(),
            ),
            ("who", self.who.clone().into()),
            ("when", self.when.into()),
            ("how", self.how.clone().into()),
            ("reason", self.reason.clone().into()),
            ("expires", self.expires.into()),
        ]
    }
}

/// Both ends of a change: the id of a file's blob; for a link or a submodule, and for a file whose exec bit the
/// change sets or takes away, with git's mode before it (`120000 ID`), so that consent to a content is none to
/// another kind of file that holds it.
pub fn sides(change: &Change) -> (Option<String>, Option<String>) {
    let plain = |id: gix::ObjectId| id.to_string();
    let with_mode = |kind: Kind, id| format!("{:06o} {id}", kind.mode());
    let old = change.old.map(|state| match state.kind.is_file() {
        true => plain(state.id),
        false => with_mode(state.kind, state.id),
    });
    let before = change
        .old
        .map(|state| state.kind)
        .filter(|kind| kind.is_file());
    let new = change.new.map(|state| {
        if state.kind == before.unwrap_or(Kind::File) {
            plain(state.id)
        } else {
            with_mode(state.kind, state.id)
        }
    });
    (old, new)
}

/// An approval and what is known of its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The approval.
    pub approval: Approval,
    /// Whose signature it bears; `None` for an unsigned one, or one whose signer is not listed.
    pub signer: Option<String>,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::change::{Kind, State};
    use gix::ObjectId;

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
    fn consent_is_to_one_path_one_old_and_one_new_content_until_it_expires() {
        let approval = Approval {
            path: "a".into(),
            old: Some(id('1').to_string()),
            new: Some(id('2').to_string()),
            design: None,
            who: "x".into(),
            when: 0,
            how: "terminal".into(),
            reason: "r".into(),
            expires: 100,
            signature: None,
        };
        assert!(approval.covers(&change("a", '1', '2'), 99));
        assert!(!approval.covers(&change("a", '1', '2'), 100), "expired");
        assert!(!approval.covers(&change("b", '1', '2'), 99), "another path");
        assert!(
            !approval.covers(&change("a", '3', '2'), 99),
            "another old content"
        );
        assert!(
            !approval.covers(&change("a", '1', '3'), 99),
            "another new content"
        );
    }

    #[test]
    fn consent_to_a_content_is_none_to_another_kind_of_file() {
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
}
