//! Whether the person who signed an approval is listed: at the base and, still, on the target branch.

use gix::ObjectId;
use gix::bstr::BStr;

use crate::approve::Approval;
use crate::error::Result;
use crate::git::Repository;
use crate::judge::settings::{settings_of, settings_of_head};
use crate::path::escaped;
use crate::scope::settings::Settings;
use crate::ssh_keygen::SshKeygen;

/// Why an unsigned approval does not count.
pub(super) const UNSIGNED: &str = "it is not signed";

/// The lists of signers by which approvals are verified.
pub(super) struct SignerLists {
    file: String,
    /// Whether approvals need no signature.
    accept_unsigned: bool,
    /// The list of the base.
    own: Option<Vec<u8>>,
    /// Those of the tips of target branches.
    beside: Vec<(ObjectId, Option<Vec<u8>>)>,
}

impl SignerLists {
    /// The lists of `base` and of `tips`, in the file that `settings` name. A key must be listed in all of them, so that
    /// one that was removed, or listed only for a while, does not count; nor do unsigned approvals unless all accept
    /// them.
    pub(super) fn new(
        repo: &Repository,
        settings: &Settings,
        base: Option<ObjectId>,
        tips: &[ObjectId],
    ) -> Result<SignerLists> {
        let list = |commit| repo.tree_of(commit)?.read(BStr::new(&settings.signers));
        let mut accept_unsigned = settings.accept_unsigned;
        let mut beside = Vec::new();
        for &tip in tips {
            beside.push((tip, list(Some(tip))?));
            if accept_unsigned {
                let now = settings_of(repo, Some(tip))?;
                accept_unsigned = now.is_some_and(|now| now.is_ok_and(|now| now.accept_unsigned));
            }
        }
        Ok(SignerLists {
            file: settings.signers.clone(),
            accept_unsigned,
            own: list(base)?,
            beside,
        })
    }

    /// Why the approval does not count by these lists, if it does not.
    ///
    /// # Errors
    /// There is a signature to verify, but no `ssh-keygen`.
    pub(super) fn refusal(&self, approval: &Approval) -> Result<Option<String>> {
        if self.accept_unsigned {
            return Ok(None);
        }
        if approval.signature.is_none() {
            return Ok(Some(UNSIGNED.to_owned()));
        }
        let file = escaped(&self.file);
        let Some(own) = &self.own else {
            return Ok(Some(format!("the merge base lists no signers in {file}")));
        };
        let keygen = SshKeygen::find().map_err(|mut error| {
            error.message = format!(
                "cannot verify the signature of an approval: {}",
                error.message
            );
            error
        })?;
        if let Err(why) = keygen.verify(approval, &self.file, own)? {
            return Ok(Some(why));
        }
        for (tip, list) in &self.beside {
            let is_listed = match list {
                Some(list) => list == own || keygen.verify(approval, &self.file, list)?.is_ok(),
                None => false,
            };
            if !is_listed {
                return Ok(Some(format!(
                    "its signer is no longer listed in {file} on the target branch ({})",
                    tip.to_hex_with_len(12)
                )));
            }
        }
        Ok(None)
    }
}

/// For signed approvals that would not count by HEAD's list of signers, says why.
///
/// # Errors
/// HEAD, its settings or its list cannot be read, or there is no `ssh-keygen`.
pub fn not_listed(repo: &Repository, approvals: &[Approval]) -> Result<Vec<String>> {
    let settings = Settings {
        accept_unsigned: false,
        ..settings_of_head(repo)?
    };
    let lists = SignerLists::new(repo, &settings, repo.head_commit()?, &[])?;
    let mut notes = Vec::new();
    for approval in approvals.iter().filter(|one| one.signature.is_some()) {
        let why = match lists.own {
            None => Some(format!("HEAD has no {}", escaped(&lists.file))),
            Some(_) => lists.refusal(approval)?,
        };
        notes.extend(why.map(|why| {
            format!(
                "this approval will not count for a pull request or in CI: {why}; to add the key: guard approve --enroll KEY, then commit on the target branch"
            )
        }));
    }
    notes.dedup();
    Ok(notes)
}
