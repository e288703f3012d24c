//! `Guard-Approved:` trailers of a commit message: the approval as one line of JSON.

use gix::bstr::BString;
use serde_json::{Map, Value};

use super::Approval;

/// The trailer's key.
pub const TRAILER: &str = "Guard-Approved";

/// Why a trailer is no approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrailerError(pub String);

impl Approval {
    /// The trailer's value: one line.
    pub fn to_trailer_value(&self) -> String {
        Value::Object(self.to_json()).to_string()
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

    /// Reads what [`Approval::to_json`] wrote.
    ///
    /// # Errors
    /// A member is missing or of the wrong kind.
    pub fn from_json(object: &Map<String, Value>) -> Result<Approval, TrailerError> {
        let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
        let needed =
            |key: &str| text(key).ok_or_else(|| TrailerError(format!("`{key}` is missing")));
        let number = |key: &str| {
            let value = object.get(key).and_then(Value::as_i64);
            value.ok_or_else(|| TrailerError(format!("`{key}` is missing")))
        };
        Ok(Approval {
            path: BString::from(needed("path")?),
            old: text("old"),
            new: text("new"),
            design: text("design").map(BString::from),
            who: needed("who")?,
            when: number("when")?,
            how: needed("how")?,
            reason: needed("reason")?,
            expires: number("expires")?,
            signature: text("signature"),
        })
    }

    /// The approvals among a commit's trailers, see [`crate::trailer::of_guard`]. A line that is no approval is an
    /// error beside the others, so that it is not taken for consent in silence.
    pub fn from_trailers(trailers: &[u8]) -> Vec<Result<Approval, TrailerError>> {
        crate::trailer::values(trailers, TRAILER)
            .map(|value| match serde_json::from_slice(value) {
                Ok(Value::Object(object)) => Approval::from_json(&object),
                _ => Err(TrailerError("it is not a JSON object".to_owned())),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::*;
    use crate::trailer::of_guard;

    fn approval() -> Approval {
        Approval {
            path: "src/ä \"x\".py".into(),
            old: Some("a".repeat(40)),
            new: None,
            design: Some("docs/LLD-1.md".into()),
            who: "A Person <person@example.org>".into(),
            when: 1_700_000_000,
            how: "terminal".into(),
            reason: "line\nbreak: and Guard-Approved: {}".into(),
            expires: 1_800_000_000,
            signature: Some(
                "-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n".into(),
            ),
        }
    }

    #[test]
    fn a_trailer_is_one_line_and_reads_back() {
        let line = format!("{TRAILER}: {}", approval().to_trailer_value());
        assert!(!line.contains('\n'), "{line}");
        let message = format!("Subject\n\nBody\n\nSigned-off-by: x\n{line}\n");
        assert_eq!(
            Approval::from_trailers(of_guard(message.as_bytes())),
            [Ok(approval())]
        );
    }

    #[test]
    fn only_the_last_paragraph_holds_trailers() {
        let message = format!(
            "Subject\n\n{TRAILER}: {}\n\nSigned-off-by: x\n",
            approval().to_trailer_value()
        );
        assert_eq!(Approval::from_trailers(of_guard(message.as_bytes())), []);
    }

    #[test]
    fn what_is_no_approval_is_an_error_and_not_left_out() {
        let message = "S\n\nGuard-Approved: yes\nGuard-Approved: {\"path\": \"a\"}\n";
        let read = Approval::from_trailers(of_guard(message.as_bytes()));
        assert_eq!(read.len(), 2);
        assert!(read.iter().all(Result::is_err));
    }

    #[test]
    fn the_signed_text_has_every_member_but_the_signature() {
        let payload = approval().payload();
        assert_eq!(payload.lines().count(), 10);
        assert!(
            payload.contains("new null\n") && !payload.contains("SSH SIGNATURE"),
            "{payload}"
        );
        for change in [
            |a: &mut Approval| a.path = "b".into(),
            |a: &mut Approval| a.old = None,
            |a: &mut Approval| a.new = Some("b".into()),
            |a: &mut Approval| a.expires += 1,
            |a: &mut Approval| a.who.push('x'),
            |a: &mut Approval| a.reason.push('x'),
        ] {
            let mut other = approval();
            change(&mut other);
            assert_ne!(other.payload(), payload);
        }
    }
}
