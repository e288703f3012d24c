//! What verbs that ask a person share: the options to sign with, and the question about each change.

use std::path::PathBuf;

use super::output::Output;
use crate::approvals::{
    Ask, Person, Question, Signer, SigningKey, ask_for_word, of_git, unsigned_notes,
};
use crate::files::{Gate, GateResult};
use write_guard_policy::error::Error;
use write_guard_repo::Repository;

/// The person to ask about a destructive change, with the key that signs the approval. Without one, guard holds the
/// change.
pub(super) fn person_to_ask(auto: bool) -> Option<(Person, SignArgs)> {
    if auto {
        None
    } else {
        Some((Person::present().ok()?, SignArgs::of_environment()))
    }
}

/// Does something with a gate, and asks the person, if there is one, about what needs approval.
pub(super) fn asking<T>(
    output: &mut Output,
    repo: &Repository,
    gate: &mut Gate<'_>,
    person: Option<(Person, SignArgs)>,
    work: impl FnOnce(&Gate<'_>, Option<Ask<'_>>) -> GateResult<T>,
) -> GateResult<T> {
    let Some((person, sign)) = person else {
        return work(gate, None);
    };
    let signer = sign.signer(repo)?;
    let is_signed = signer.is_some();
    let mut is_unsigned = false;
    gate.signer = signer;
    let style = output.style.clone();
    let mut ask = |question: &Question| {
        is_unsigned = question.effect.finding.is_some() && !is_signed;
        let text = question.text(&style);
        ask_for_word(&person, &text, &question.word, &question.others())
    };
    let done = work(gate, Some(&mut ask))?;
    if is_unsigned {
        output.notes(&unsigned_notes(repo));
    }
    Ok(done)
}

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
    fn of_environment() -> SignArgs {
        SignArgs {
            sign: std::env::var_os(VARIABLE).map(PathBuf::from),
            no_sign: false,
        }
    }

    /// The signer; `None` without a key.
    pub(super) fn signer(&self, repo: &Repository) -> GateResult<Option<Signer>> {
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
