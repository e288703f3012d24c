//! Signing an approval with `ssh-keygen`, so that agents, hardware keys and passphrases work as they do for git. Which
//! program runs and with which arguments is fixed: nothing that a repository can set has a say.

// Ssh-keygen takes and writes files.
#![allow(clippy::disallowed_methods)]

use std::collections::hash_map::RandomState;
use std::ffi::OsString;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use super::{Failure, FailureKind, GateResult};
use crate::approval::{NAMESPACE, one_line};
use crate::disk;
use crate::git::{Repository, show_file};

const PROGRAM: &str = "ssh-keygen";
/// What an interrupt left behind is taken away after this time.
const STALE: Duration = Duration::from_hours(24);

/// Which key signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SigningKey {
    /// The file of a private key, or of the public key of one that an agent holds.
    File(PathBuf),
    /// The public key itself, of one that an agent holds.
    Public(String),
}

/// Signs approvals in the name of git's identity.
#[derive(Debug, Clone)]
pub struct Signer {
    key: SigningKey,
    /// The address of git's identity: the principal of allowed signers.
    pub(super) who: String,
    program: PathBuf,
    directory: PathBuf,
}

impl Signer {
    /// Looks for the program and for who signs; nothing is run yet.
    ///
    /// # Errors
    /// There is no `ssh-keygen`, or git has no address for the user.
    pub fn new(repo: &Repository, key: SigningKey) -> GateResult<Signer> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let program = find(std::env::split_paths(&path)).ok_or_else(|| {
            not_signed("ssh-keygen is not on PATH").help("install the client of OpenSSH")
        })?;
        let who = repo.signature().email.to_string();
        if who.is_empty() {
            return Err(not_signed("git has no address for you")
                .help("set one: git config --global user.email you@example.org"));
        }
        Ok(Signer {
            key,
            who,
            program,
            directory: repo.common_dir().join("guard").join("signing"),
        })
    }

    /// The signature of a text, as base64 on one line; asks at the terminal for what the key needs.
    pub(super) fn sign(&self, text: &str) -> GateResult<String> {
        let failed =
            |error: io::Error| not_signed(&format!("the text cannot be handed over: {error}"));
        disk::create_private_directory(&self.directory).map_err(failed)?;
        self.sweep();
        let text_file = self.directory.join(new_id());
        let (key_file, signature_file) = (
            text_file.with_extension("pub"),
            text_file.with_extension("sig"),
        );
        let signed = self.run(text, &text_file, &key_file, &signature_file);
        for file in [&text_file, &key_file, &signature_file] {
            // Whatever is left is swept away later; it holds no secret.
            let _ = fs::remove_file(file);
        }
        signed
    }

    fn run(&self, text: &str, file: &Path, key_file: &Path, result: &Path) -> GateResult<String> {
        let failed =
            |error: io::Error| not_signed(&format!("the text cannot be handed over: {error}"));
        disk::replace(file, text.as_bytes(), Some(disk::PRIVATE)).map_err(failed)?;
        let key = match &self.key {
            SigningKey::File(path) => path.clone(),
            SigningKey::Public(key) => {
                let line = format!("{key}\n");
                disk::replace(key_file, line.as_bytes(), Some(disk::PRIVATE)).map_err(failed)?;
                key_file.to_owned()
            }
        };
        let ended = Command::new(&self.program)
            .args(["-q", "-Y", "sign", "-n", NAMESPACE, "-f"])
            .arg(&key)
            .arg(file)
            .stdout(Stdio::null())
            .status()
            .map_err(|error| not_signed(&format!("ssh-keygen cannot be run: {error}")))?;
        if !ended.success() {
            let key = match &self.key {
                SigningKey::File(path) => show_file(path),
                SigningKey::Public(_) => "the key in git's user.signingKey".to_owned(),
            };
            return Err(not_signed(&format!("ssh-keygen did not sign with {key}"))
                .help("name another key: --sign KEY")
                .help("or approve without a signature, for this clone alone: --no-sign"));
        }
        let armoured = fs::read_to_string(result).map_err(failed)?;
        one_line(&armoured).ok_or_else(|| not_signed("ssh-keygen wrote no signature"))
    }

    /// Takes away what interrupted runs left.
    fn sweep(&self) {
        let entries = fs::read_dir(&self.directory).into_iter().flatten();
        for entry in entries.flatten() {
            let modified = entry.metadata().and_then(|data| data.modified());
            let age = modified
                .ok()
                .and_then(|time| SystemTime::now().duration_since(time).ok());
            if age.is_some_and(|age| age > STALE) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn not_signed(why: &str) -> Failure {
    Failure::new(
        FailureKind::NotSigned,
        format!("nothing was approved: {why}"),
    )
}

/// Only absolute directories count: a relative one, as `.`, may be of a hostile repository.
fn find(directories: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    let mut name = OsString::from(PROGRAM);
    name.push(std::env::consts::EXE_SUFFIX);
    directories
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(&name))
        .find(|file| file.is_file())
}

/// 128 bits that no other call gives: the keys of the standard hash are random and change with each state.
pub(super) fn new_id() -> String {
    let half = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", half(), half())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ() {
        let ids: std::collections::HashSet<String> = (0..1000).map(|_| new_id()).collect();
        assert_eq!(ids.len(), 1000);
        assert!(ids.iter().all(|id| id.len() == 32));
    }

    #[test]
    fn a_program_in_a_relative_directory_is_not_found() {
        let none = ["", ".", "bin"].into_iter().map(PathBuf::from);
        assert_eq!(find(none), None);
    }
}
