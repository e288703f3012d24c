//! Who signs approvals, and how a decision came.

use super::{Failure, FailureKind, GateResult};
use crate::ssh_keygen::{SigningKey, SshKeygen};
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
            return Err(not_signed("git has no email address for you")
                .help("set one: git config --global user.email you@example.org"));
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
