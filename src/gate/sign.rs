//! Signs approvals with `ssh-keygen`, so that SSH agents, hardware keys and passphrases work as in git. Program and
//! arguments are fixed; repository settings cannot change them.

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
/// Leftovers of interrupted runs are removed after this time.
const STALE: Duration = Duration::from_hours(24);

/// The signing key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SigningKey {
    /// A private key file, or the public key file of a key in an agent.
    File(PathBuf),
    /// The public key of a key in an agent.
    Public(String),
}

/// Signs approvals as the user of git.
#[derive(Debug, Clone)]
pub struct Signer {
    key: SigningKey,
    /// The user's email address in git, which is the principal of allowed signers.
    pub(super) who: String,
    program: PathBuf,
    directory: PathBuf,
}

impl Signer {
    /// Finds the program and the user's address; runs nothing.
    ///
    /// # Errors
    /// `ssh-keygen` is missing, or git has no address for the user.
    pub fn new(repo: &Repository, key: SigningKey) -> GateResult<Signer> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let program = find(std::env::split_paths(&path)).ok_or_else(|| {
            not_signed("ssh-keygen is not on PATH").help("install the OpenSSH client")
        })?;
        let who = repo.signature().email.to_string();
        if who.is_empty() {
            return Err(not_signed("git has no email address for you")
                .help("set one: git config --global user.email you@example.org"));
        }
        Ok(Signer {
            key,
            who,
            program,
            directory: repo.common_dir().join("guard").join("signing"),
        })
    }

    /// The signature of a text, as base64 on one line. `ssh-keygen` may ask at the terminal.
    pub(super) fn sign(&self, text: &str) -> GateResult<String> {
        let failed =
            |error: io::Error| not_signed(&format!("cannot pass the text to ssh-keygen: {error}"));
        disk::create_private_directory(&self.directory).map_err(failed)?;
        self.sweep();
        let text_file = self.directory.join(new_id());
        let (key_file, signature_file) = (
            text_file.with_extension("pub"),
            text_file.with_extension("sig"),
        );
        let signed = self.run(text, &text_file, &key_file, &signature_file);
        for file in [&text_file, &key_file, &signature_file] {
            // Leftovers are removed later; they contain no secrets.
            let _ = fs::remove_file(file);
        }
        signed
    }

    fn run(&self, text: &str, file: &Path, key_file: &Path, result: &Path) -> GateResult<String> {
        let failed =
            |error: io::Error| not_signed(&format!("cannot pass the text to ssh-keygen: {error}"));
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
                .help("or approve without a signature, valid only in this clone: --no-sign"));
        }
        let armoured = fs::read_to_string(result).map_err(failed)?;
        one_line(&armoured).ok_or_else(|| not_signed("ssh-keygen wrote no signature"))
    }

    /// Removes leftovers of interrupted runs.
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

/// Only absolute directories count: a relative one such as `.` may belong to a hostile repository.
fn find(directories: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    let mut name = OsString::from(PROGRAM);
    name.push(std::env::consts::EXE_SUFFIX);
    directories
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(&name))
        .find(|file| file.is_file())
}

/// 128 unique bits: the keys of the standard hasher are random and differ for each state.
pub fn new_id() -> String {
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
