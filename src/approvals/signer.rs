//! Who signs approvals, and how a decision came.

use gix::bstr::ByteSlice;

use super::ssh_keygen::{SigningKey, SshKeygen};
use crate::files::{Failure, FailureKind, GateResult};
use crate::judge;
use write_guard_policy::approve::NAMESPACE;
use write_guard_policy::error::Result;
use write_guard_policy::finding::Help;
use write_guard_policy::path::escaped;
use write_guard_repo::Repository;

/// A word typed at a terminal: how a decision came, as approvals and the log name it.
pub const TERMINAL: &str = "terminal";
/// The client of an MCP server says that a person decided.
pub const ELICITATION: &str = "elicitation";

/// Signs approvals as the user of git.
#[derive(Debug, Clone)]
pub struct Signer {
    program: SshKeygen,
    key: SigningKey,
    /// The user's email address in git, which is the principal of allowed signers.
    pub(super) who: String,
}

impl Signer {
    /// Finds the program and the user's address; runs nothing.
    ///
    /// # Errors
    /// `ssh-keygen` is missing, or git has no address for the user.
    pub fn new(repo: &Repository, key: SigningKey) -> GateResult<Signer> {
        let who = repo.signature().email.to_string();
        if who.is_empty() {
            return Err(
                not_signed("git has no email address for you").help(Help::run(
                    "set one",
                    "git config --global user.email you@example.org",
                )),
            );
        }
        let program = SshKeygen::find().map_err(|error| not_signed(&error.message))?;
        Ok(Signer { program, key, who })
    }

    /// The signature of a text, as base64 on one line. `ssh-keygen` may ask at the terminal.
    pub(super) fn sign(&self, text: &str) -> GateResult<String> {
        let signed = self.program.sign(&self.key, text);
        let signed = signed.map_err(|error| not_signed(&error.message))?;
        signed.ok_or_else(|| not_signed("ssh-keygen did not sign"))
    }
}

fn not_signed(why: &str) -> Failure {
    let message = format!("nothing was approved: {why}");
    Failure::new(FailureKind::NotSigned, message)
        .help("name another key: --sign KEY")
        .help("or approve without a signature, valid only in this clone: --no-sign")
}

/// The key that git signs with, where it signs with SSH keys. The programs that git's configuration can name for it
/// (`gpg.ssh.program`, `gpg.ssh.defaultKeyCommand`) are not run.
pub(crate) fn of_git(repo: &Repository) -> Result<Option<SigningKey>> {
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
pub(crate) fn unsigned_notes(repo: &Repository) -> Vec<String> {
    let settings = judge::settings_of_head(repo).unwrap_or_default();
    if settings.accept_unsigned {
        return Vec::new();
    }
    vec![format!(
        "this approval is unsigned, so it counts only in this clone: pushes, pull requests and CI refuse the change; to sign, list your key in {} on the target branch (ADDRESS namespaces=\"{NAMESPACE}\" PUBLIC-KEY), and approve with --sign KEY",
        escaped(&settings.signers)
    )]
}
