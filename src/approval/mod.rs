//! A person's consent to exactly one step: this path, from this content to that. Pure: matching, the trailer, the
//! text that is signed.

mod trailer;

use gix::bstr::BString;

use crate::change::Change;

pub use trailer::{TRAILER, TrailerError};

/// Consent to one path going from one content to another, and to nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// The path in the repository.
    pub path: BString,
    /// The blob id of the old content; `None` where there was nothing.
    pub old: Option<String>,
    /// The blob id of the new content; `None` where nothing will be.
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
    /// Whether this is consent to `change` at the time `now`.
    pub fn covers(&self, change: &Change, now: i64) -> bool {
        let id = |state: Option<crate::change::State>| state.map(|state| state.id.to_string());
        self.path == change.path
            && self.old == id(change.old)
            && self.new == id(change.new)
            && self.old != self.new
            && now < self.expires
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
}
