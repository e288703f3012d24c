//! The keys that sign approvals.

use std::path::PathBuf;

use gix::bstr::ByteSlice;

use crate::approve::NAMESPACE;
use crate::error::{Error, Result};
use crate::files::{self, Signer};
use crate::git::Repository;
use crate::judge;
use crate::path::escaped;
use crate::ssh_keygen::SigningKey;

const VARIABLE: &str = "GUARD_SIGN";

#[derive(Debug, Clone, clap::Args)]
pub(super) struct SignArgs {
    /// Sign with the SSH key in this file instead of git's `user.signingKey`.
    #[arg(long, value_name = "KEY", env = VARIABLE)]
    sign: Option<PathBuf>,
    /// Do not sign; the approval then counts only in this clone.
    #[arg(long)]
    no_sign: bool,
}

impl SignArgs {
    /// For verbs that ask but lack these options.
    pub(super) fn of_environment() -> SignArgs {
        SignArgs {
            sign: std::env::var_os(VARIABLE).map(PathBuf::from),
            no_sign: false,
        }
    }

    /// The signer; `None` without a key.
    pub(super) fn signer(&self, repo: &Repository) -> files::GateResult<Option<Signer>> {
        if self.no_sign {
            return Ok(None);
        }
        let named = self
            .sign
            .as_ref()
            .filter(|file| !file.as_os_str().is_empty());
        let key = match named {
            Some(file) => Some(SigningKey::File(
                std::path::absolute(file)
                    .map_err(|error| Error::new(format!("--sign: {error}")))?,
            )),
            None => of_git(repo)?,
        };
        key.map(|key| Signer::new(repo, key)).transpose()
    }
}

/// The key that git signs with, where it signs with SSH keys. The programs that git's configuration can name for it
/// (`gpg.ssh.program`, `gpg.ssh.defaultKeyCommand`) are not run.
fn of_git(repo: &Repository) -> Result<Option<SigningKey>> {
    const KEY: &str = "user.signingKey";
    if repo.config("gpg.format").is_none_or(|name| name != "ssh") {
        return Ok(None);
    }
    let Some(value) = repo.config(KEY).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let literal = value.strip_prefix(b"key::").or_else(|| {
        // The older form of a literal key.
        value.starts_with(b"ssh-").then_some(value.as_slice())
    });
    match literal {
        Some(key) => Ok(Some(SigningKey::Public(key.to_str_lossy().into_owned()))),
        None => Ok(repo.config_path(KEY)?.map(SigningKey::File)),
    }
}

/// Notes for an unsigned approval: where it does not count, and how to sign. Empty if unsigned approvals count.
pub(super) fn unsigned_notes(repo: &Repository) -> Vec<String> {
    let settings = judge::settings_of_head(repo).unwrap_or_default();
    if settings.accept_unsigned {
        return Vec::new();
    }
    vec![
        "this approval is unsigned, so it counts only in this clone: pushes, pull requests and CI refuse the change".to_owned(),
        format!(
            "to sign, list your key in {} on the target branch (ADDRESS namespaces=\"{NAMESPACE}\" PUBLIC-KEY), and approve with --sign KEY",
            escaped(&settings.signers)
        ),
    ]
}
