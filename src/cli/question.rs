//! Asks a person about a change, with quotes from it, and finds the key that signs an approval.

use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;

use gix::bstr::ByteSlice;

use super::output::Output;
use super::person::Person;
use crate::files::{Answer, Ask, Gate, GateResult, Question, Signer, Strategy};
use crate::judge;
use crate::ssh_keygen::SigningKey;
use write_guard_policy::approve::{NAMESPACE, REJECT, reason_line};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::escaped;
use write_guard_repo::Repository;
use write_guard_repo::system;

/// The person to ask about a destructive change, with the key that signs the approval. Without one, guard holds the
/// change.
pub(super) fn person_to_ask(auto: bool) -> Option<(Person, SignArgs)> {
    match auto {
        true => None,
        false => Some((Person::present().ok()?, SignArgs::of_environment())),
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
    let (is_signed, mut is_unsigned) = (signer.is_some(), false);
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

/// Shows a question, and returns the line that the person types; `None` if the terminal closes.
pub(super) fn answer(person: &Person, question: &str) -> Option<String> {
    // What was typed before the question is no answer to it.
    system::discard_input(&person.reads).ok()?;
    write!(&person.writes, "{question}").ok()?;
    let mut typed = String::new();
    BufReader::new(&person.reads).read_line(&mut typed).ok()?;
    let line = typed.strip_suffix('\n')?;
    Some(line.trim().to_owned())
}

/// Shows `text`, and asks for the word and a reason, or for one of the `others`: strategies to preview instead. An
/// interrupt ends guard before anything happens.
pub(super) fn ask_for_word(person: &Person, text: &str, word: &str, others: &[&str]) -> Answer {
    // Without a complete dialogue there is no answer.
    dialogue(person, text, word, others).unwrap_or(Answer::Nothing)
}

fn dialogue(person: &Person, text: &str, word: &str, others: &[&str]) -> io::Result<Answer> {
    // Discard what was typed before the question.
    system::discard_input(&person.reads)?;
    let mut terminal = &person.writes;
    let instead = match others {
        [] => String::new(),
        _ => format!(" `{}` to preview that instead,", others.join("`, `")),
    };
    writeln!(terminal, "{text}")?;
    let mut lines = BufReader::new(&person.reads);
    let mut next = || -> io::Result<Option<String>> {
        let mut line = String::new();
        lines.read_line(&mut line)?;
        // A line without an end was cut off when the terminal closed.
        Ok(line.strip_suffix('\n').map(|line| line.trim().to_owned()))
    };
    write!(
        terminal,
        "Type `{word}` to approve,{instead} `{REJECT}` to reject, or anything else to decide later: "
    )?;
    let is_rejection = match next()? {
        Some(typed) if typed == word => false,
        Some(typed) if typed == REJECT => true,
        Some(typed) => {
            let chosen = chosen(&typed, others);
            return Ok(chosen.map_or(Answer::Nothing, Answer::Instead));
        }
        None => return Ok(Answer::Nothing),
    };
    write!(terminal, "Reason: ")?;
    let Some(reason) = next()?.map(|reason| reason_line(&reason)) else {
        return Ok(Answer::Nothing);
    };
    Ok(match (is_rejection, reason.is_empty()) {
        (true, _) => Answer::Reject(reason),
        (false, false) => Answer::Approve(reason),
        (false, true) => {
            writeln!(terminal, "An approval needs a reason.")?;
            Answer::Nothing
        }
    })
}

/// The strategy that was typed, if it was offered.
fn chosen(typed: &str, others: &[&str]) -> Option<Strategy> {
    let (name, line) = typed.split_once(' ').unwrap_or((typed, ""));
    let mut others = others.iter();
    let is_offered = others.any(|other| other.split(' ').next() == Some(name));
    Strategy::named(name, line.trim().parse().ok()).filter(|_| is_offered)
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
    vec![format!(
        "this approval is unsigned, so it counts only in this clone: pushes, pull requests and CI refuse the change; to sign, list your key in {} on the target branch (ADDRESS namespaces=\"{NAMESPACE}\" PUBLIC-KEY), and approve with --sign KEY",
        escaped(&settings.signers)
    )]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strategy_can_be_chosen_only_if_offered() {
        let offered = ["append", "insert LINE"];
        assert_eq!(chosen("append", &offered), Some(Strategy::Append));
        assert_eq!(
            chosen("insert 12", &offered),
            Some(Strategy::Insert { line: 12 })
        );
        for typed in [
            "extend",
            "insert",
            "insert x",
            "insert -1",
            "append 1",
            "",
            "LINE",
        ] {
            assert_eq!(chosen(typed, &offered), None, "{typed}");
        }
    }
}
