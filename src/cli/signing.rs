//! The keys of approvals: which one signs, and `guard approve --enroll KEY`, which adds a public key to the list of
//! signers, for the address of git's identity.

use std::fs::File;
use std::path::{Path, PathBuf};

use gix::bstr::{BStr, ByteSlice};
use serde_json::json;

use super::bounded;
use super::options::repository;
use super::output::Output;
use super::person::Person;
use crate::boundary::{Boundary, BoundaryError};
use crate::error::{Error, Result};
use crate::files::{self, Failure, Signer};
use crate::git::{Repository, show_file};
use crate::judge;
use crate::path::{escaped, shell_word};
use crate::ssh_keygen::{SigningKey, SshKeygen, line_for};

const VARIABLE: &str = "GUARD_SIGN";
/// Files of keys are smaller.
const MAX_KEY: u64 = 64 * 1024;
/// A list of some thousand keys.
const MAX_LIST: u64 = 1024 * 1024;

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
                    .map_err(|error| crate::error::Error::new(format!("--sign: {error}")))?,
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

/// Appends the line; the other lines of the list stay as they are.
pub(super) fn enroll(output: &mut Output, key: &Path) -> Result<u8> {
    let repo = repository()?;
    Person::present()?;
    let text = public_key(key)?;
    let who = repo.signature().email.to_string();
    let file = judge::settings_of_head(&repo)?.signers;
    let refused = |error: BoundaryError| Failure::from(error).into_error();
    let boundary = Boundary::open(repo.own_workdir()?).map_err(refused)?;
    let path = boundary
        .locate(BStr::new(&file))
        .map_err(|rejection| Failure::from(rejection).into_error())?;
    let there = boundary.read(path.as_ref(), MAX_LIST).map_err(refused)?;
    let old = there.as_ref().map(|entry| entry.content.as_slice());
    let old = old.unwrap_or_default();
    let not_enrolled = |why: &str| Error::new(format!("the key is not enrolled: {why}"));
    if !SshKeygen::find()?.is_public_key(&text)? {
        return Err(not_enrolled("it is not a single public key on one line"));
    }
    let own = text.split_whitespace().nth(1).map(str::as_bytes);
    let mut lines = old.lines().filter(|line| !line.starts_with(b"#"));
    if lines.any(|line| line.fields().any(|word| Some(word) == own)) {
        return Err(not_enrolled(&format!(
            "{} already lists it",
            escaped(&file)
        )));
    }
    let line = line_for(&who, &text).ok_or_else(|| {
        let (who, file) = (escaped(&who), escaped(&file));
        not_enrolled(&format!(
            "git's user.email `{who}` cannot be used in {file}"
        ))
    })?;
    let mut new = old.to_vec();
    if !new.is_empty() && !new.ends_with(b"\n") {
        new.push(b'\n');
    }
    new.extend_from_slice(line.as_bytes());
    new.push(b'\n');
    boundary
        .replace(path.as_ref(), there.as_ref(), &new)
        .map_err(refused)?;
    let steps = [
        format!(
            "the key takes effect once you commit this on the target branch: git add {0} && git commit -m 'List a signer' -- {0}",
            shell_word(file.as_bytes())
        ),
        "then sign approvals: guard approve --staged --sign KEY".to_owned(),
    ];
    output.answer(
        &json!({ "version": 1, "enrolled": who, "file": file, "line": line, "next": steps }),
        format!(
            "added to {}: {line}\n{}\n",
            escaped(&file),
            steps.join("\n")
        ),
    );
    Ok(0)
}

/// The public key in a file, or in the one next to a private key.
fn public_key(key: &Path) -> Result<String> {
    let text = read(key)?;
    if text.starts_with("-----BEGIN") {
        let mut public = key.as_os_str().to_owned();
        public.push(".pub");
        return read(Path::new(&public));
    }
    Ok(text)
}

fn read(file: &Path) -> Result<String> {
    let open = || match File::open(file)? {
        opened if opened.metadata()?.is_file() => Ok(opened),
        _ => Err(std::io::Error::other("it is not a file")),
    };
    let what = format!("the public key {}", show_file(file));
    let text = bounded::read(&what, open(), MAX_KEY).map_err(|error| {
        error.help("give the file of a public key: guard approve --enroll ~/.ssh/id_ed25519.pub")
    })?;
    Ok(String::from_utf8_lossy(&text).into_owned())
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
            "to sign, add your key to {} (guard approve --enroll KEY), commit that on the target branch, and approve with --sign KEY",
            escaped(&settings.signers)
        ),
    ]
}
