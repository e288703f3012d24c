//! Signed approvals outside a range: new ones, and those that a rebase keeps.

use gix::bstr::BStr;

use super::validity::{Invalidity, ValidityCheck};
use crate::approval::{Approval, Invalid, TRAILER};
use crate::error::Result;
use crate::git::Repository;
use crate::judge::settings::settings_of_head;
use crate::path::escaped;
use crate::trailer;

/// For signed approvals that would not count by HEAD's list of signers, says why.
///
/// # Errors
/// HEAD, its settings or its list cannot be read.
pub fn not_listed(repo: &Repository, approvals: &[Approval]) -> Result<Vec<String>> {
    let is_signed = |approval: &&Approval| approval.signature.is_some();
    let mut signed = approvals.iter().filter(is_signed).peekable();
    if signed.peek().is_none() {
        return Ok(Vec::new());
    }
    let (head, settings) = (repo.head_commit()?, settings_of_head(repo)?);
    let mut judge = ValidityCheck::new(repo, &settings, head, None);
    let mut notes = Vec::new();
    for approval in signed {
        if let Some(invalidity) = judge.signature(approval)? {
            let enroll =
                "; to add the key: guard approve --enroll KEY, then commit on the target branch";
            let invalidity = match invalidity {
                Invalidity::NoSigners(file) => format!("HEAD has no {}{enroll}", escaped(&file)),
                invalidity @ Invalidity::Signature(Invalid::UnknownKey(_)) => {
                    format!("{invalidity}{enroll}")
                }
                invalidity => invalidity.to_string(),
            };
            let note = format!("this approval will not count in a range or in CI: {invalidity}");
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    Ok(notes)
}

/// The signed approvals to keep from a message when git rewrites a commit, as in a rebase: they count by HEAD's list,
/// have not expired at `now` (seconds since 1970), and no earlier commit has used them.
///
/// # Errors
/// As for [`not_listed`], or a commit cannot be read.
pub fn brought_along(repo: &Repository, message: &BStr, now: i64) -> Result<Vec<Approval>> {
    let trailers = trailer::of_guard(message);
    let approvals: Vec<Approval> = trailer::values(trailers, TRAILER)
        .filter_map(|value| Approval::from_trailer_value(value).ok())
        .filter(|approval| approval.signature.is_some() && now < approval.expires)
        .collect();
    let Some(oldest) = approvals.iter().map(|approval| approval.when).min() else {
        return Ok(Vec::new());
    };
    let (head, settings) = (repo.head_commit()?, settings_of_head(repo)?);
    let mut judge = ValidityCheck::new(repo, &settings, head, Some(oldest));
    let mut counted = Vec::new();
    for approval in approvals {
        if judge.signature(&approval)?.is_none() && !judge.used()?.contains_key(&approval.id) {
            counted.push(approval);
        }
    }
    Ok(counted)
}
