//! Signed approvals beside a range: those just given, and those that a message brings along.

use gix::bstr::BStr;

use super::validity::{Invalidity, ValidityCheck};
use crate::approval::{Approval, Invalid, TRAILER};
use crate::error::Result;
use crate::git::Repository;
use crate::judge::settings::settings_of_head;
use crate::path::show;
use crate::trailer;

/// Says of signed approvals that would not count by HEAD's list why they would not.
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
            let enroll = "; to list it: guard approve --enroll KEY, committed on the target branch";
            let invalidity = match invalidity {
                Invalidity::NoSigners(file) => format!("HEAD has no {}{enroll}", show(&file)),
                invalidity @ Invalidity::Signature(Invalid::UnknownKey(_)) => {
                    format!("{invalidity}{enroll}")
                }
                invalidity => invalidity.to_string(),
            };
            let note = format!("in a range and in CI this approval will not count: {invalidity}");
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    Ok(notes)
}

/// The signed approvals that a message brings along when git makes a commit anew, as in a rebase: those that count by
/// HEAD's list, hold at `now` (in seconds since 1970) and stand in no commit before.
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
