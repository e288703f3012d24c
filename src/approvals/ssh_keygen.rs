//! Runs `ssh-keygen`, which signs approvals and verifies their signatures as it does for git. SSH agents, hardware keys
//! and passphrases therefore work as in git, and OpenSSH alone says what a list of signers means. Program and
//! arguments are fixed; repository settings cannot change them.

// Ssh-keygen takes and writes files.
#![allow(clippy::disallowed_methods)]

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use gix::date::time::CustomFormat;
use tempfile::TempDir;

use write_guard_policy::approve::{Approval, NAMESPACE, SshSignature, one_line};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::escaped;
use write_guard_repo::find_program;

/// How the program takes a time.
const TIME: CustomFormat = CustomFormat::new("%Y%m%d%H%M%S");

/// The key that signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SigningKey {
    /// A private key file, or the public key file of a key in an agent.
    File(PathBuf),
    /// The public key of a key in an agent.
    Public(String),
}

/// The program.
#[derive(Debug, Clone)]
pub struct SshKeygen {
    program: PathBuf,
}

impl SshKeygen {
    /// Finds the program.
    ///
    /// # Errors
    /// It is not installed.
    pub fn find() -> Result<SshKeygen> {
        let program = find_program("ssh-keygen").ok_or_else(|| {
            Error::new("ssh-keygen is not on PATH").help("install the OpenSSH client")
        })?;
        Ok(SshKeygen { program })
    }

    /// The signature of a text, as base64 on one line; `None` if the program refuses. It may ask at the terminal.
    ///
    /// # Errors
    /// The program cannot be run, or its files cannot be written.
    pub fn sign(&self, key: &SigningKey, text: &str) -> Result<Option<String>> {
        let sign = || -> io::Result<Option<String>> {
            let files = TempDir::with_prefix("guard-")?;
            let [text_file, key_file] = ["text", "key.pub"].map(|name| files.path().join(name));
            fs::write(&text_file, text)?;
            let key_file = match key {
                SigningKey::File(file) => file,
                SigningKey::Public(key) => {
                    fs::write(&key_file, format!("{key}\n"))?;
                    &key_file
                }
            };
            let mut program = Command::new(&self.program);
            program.args(["-q", "-Y", "sign", "-n", NAMESPACE, "-f"]);
            program.arg(key_file).arg(&text_file);
            if !program.stdout(Stdio::null()).status()?.success() {
                return Ok(None);
            }
            Ok(one_line(&fs::read_to_string(
                files.path().join("text.sig"),
            )?))
        };
        sign().map_err(cannot_run)
    }

    /// Verifies by a list of signers, the text of `file`, that the named person signed an approval with a key that was
    /// valid then. A hardware key must have been touched, which the program does not demand.
    ///
    /// The inner error says why the signature does not count.
    ///
    /// # Errors
    /// The program cannot be run, or its files cannot be written.
    pub fn verify(
        &self,
        approval: &Approval,
        file: &str,
        list: &[u8],
    ) -> Result<std::result::Result<(), String>> {
        let body = approval.signature.as_deref().unwrap_or_default();
        let Some(signature) = SshSignature::parse(body) else {
            return Ok(Err("its signature is malformed".to_owned()));
        };
        if signature.namespace != NAMESPACE {
            let namespace = escaped(&signature.namespace);
            let why = format!("it was signed for `{namespace}`, not for `{NAMESPACE}`");
            return Ok(Err(why));
        }
        let given = gix::date::Time::new(approval.when, 0).format(TIME);
        let given = given.unwrap_or_default();
        let who = &approval.who;
        let verify = || -> io::Result<std::process::Output> {
            let files = TempDir::with_prefix("guard-")?;
            fs::write(files.path().join("list"), list)?;
            fs::write(files.path().join("signature"), &signature.armoured)?;
            fs::write(files.path().join("text"), approval.payload())?;
            Command::new(&self.program)
                .args(["-Y", "verify", "-n", NAMESPACE, "-I", who])
                .args(["-O", &format!("verify-time={given}")])
                .args(["-f", "list", "-s", "signature"])
                // Otherwise each machine would read a time without `Z` as its own.
                .env("TZ", "UTC")
                .current_dir(files.path())
                .stdin(File::open(files.path().join("text"))?)
                .output()
        };
        let output = verify().map_err(cannot_run)?;
        Ok(match (output.status.success(), signature.is_touched) {
            (true, true) => Ok(()),
            (true, false) => Err("the hardware key signed it without a touch".to_owned()),
            (false, _) => Err(refusal(&output.stderr, file, &signature.key, who)),
        })
    }
}

/// Why the program does not verify a signature: in its words, if it says more than that.
fn refusal(stderr: &[u8], file: &str, key: &str, who: &str) -> String {
    let said = String::from_utf8_lossy(stderr);
    let said = said.lines().next().unwrap_or_default().chars();
    let said: String = said.filter(|c| *c == ' ' || c.is_ascii_graphic()).collect();
    if said.is_empty() {
        let key = escaped(key);
        let who = escaped(who);
        return format!("its signing key {key} is not listed for {who}");
    }
    match said.strip_prefix("list:") {
        Some(line) => format!("ssh-keygen does not verify it: {}:{line}", escaped(file)),
        None => format!("ssh-keygen does not verify it: {said}"),
    }
}

fn cannot_run(error: io::Error) -> Error {
    Error::new(format!("ssh-keygen cannot be run: {error}"))
}

#[cfg(test)]
pub(crate) mod testing {
    #![allow(clippy::unwrap_used)]

    use write_guard_policy::approve::Approval;

    /// Consent to the deletion of a file, unsigned.
    pub(crate) fn approval() -> Approval {
        serde_json::from_str(write_guard_testing::APPROVAL).unwrap()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::testing::approval;
    use super::*;

    /// A hardware key, made in software as FIDO defines it.
    const KEY: &str = "sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAIGY2/+GmbbfKlXHdl4CHoc9PTyES4e00k6tLQ1dK5HJMAAAABHNzaDo=";
    /// Its signatures of [`approval`]: one with a touch, one without.
    const TOUCHED: &str = "U1NIU0lHAAAAAQAAAEoAAAAac2stc3NoLWVkMjU1MTlAb3BlbnNzaC5jb20AAAAgZjb/4aZtt8qVcd2XgIehz09PIRLh7TSTq0tDV0rkckwAAAAEc3NoOgAAAAVndWFyZAAAAAAAAAAGc2hhNTEyAAAAZwAAABpzay1zc2gtZWQyNTUxOUBvcGVuc3NoLmNvbQAAAEBH2VSXdJ2jYu0V66FdDAAx8Bkbe+SDyOMMzFLFiTMvdSPPcKDMu3Y/Eh+GVDygDFGVUZFrb6iISsHK9E7SuBcJAQAAAAc=";
    const UNTOUCHED: &str = "U1NIU0lHAAAAAQAAAEoAAAAac2stc3NoLWVkMjU1MTlAb3BlbnNzaC5jb20AAAAgZjb/4aZtt8qVcd2XgIehz09PIRLh7TSTq0tDV0rkckwAAAAEc3NoOgAAAAVndWFyZAAAAAAAAAAGc2hhNTEyAAAAZwAAABpzay1zc2gtZWQyNTUxOUBvcGVuc3NoLmNvbQAAAECoBEyj39+VaMJxeijWK9Q6Zg9c8BnOrE/TTzL5k0Op+qXaf4jodWa+CevSR7qcb70c6ojD8TDSK4NxvmxVSIAKAAAAAAc=";

    fn verified(body: &str, list: &str) -> std::result::Result<(), String> {
        let signature = Some(body.to_owned());
        let approval = Approval {
            signature,
            ..approval()
        };
        let list = list.replace("KEY", KEY);
        let keygen = SshKeygen::find().unwrap();
        keygen.verify(&approval, "f", list.as_bytes()).unwrap()
    }

    #[test]
    fn untouched_hardware_key_does_not_count() {
        if SshKeygen::find().is_err() {
            return;
        }
        let list = "person@example.org KEY\n";
        assert_eq!(verified(TOUCHED, list), Ok(()));
        let why = verified(UNTOUCHED, list).unwrap_err();
        assert_eq!(why, "the hardware key signed it without a touch");
    }

    /// The approval was given at 2023-11-14T22:13:20Z.
    #[test]
    fn list_counts_as_at_the_time_of_the_approval() {
        if SshKeygen::find().is_err() {
            return;
        }
        for (list, why) in [
            ("*@example.org namespaces=\"guard\" KEY", ""),
            ("person@example.org valid-after=\"20231114221320\" KEY", ""),
            ("person@example.org valid-before=\"20231114221321\" KEY", ""),
            ("a b c\nother@example.org KEY\nperson@example.org KEY", ""),
            (
                "other@example.org KEY",
                "is not listed for person@example.org",
            ),
            (
                "*,!person@example.org KEY",
                "is not listed for person@example.org",
            ),
            (
                "# person@example.org KEY",
                "is not listed for person@example.org",
            ),
            ("person@example.org cert-authority KEY", "is not listed for"),
            (
                "person@example.org namespaces=\"git\" KEY",
                "f:1: key is not permitted",
            ),
            (
                "person@example.org valid-after=\"20231114221321\" KEY",
                "f:1: key is not yet valid",
            ),
            (
                "person@example.org valid-before=\"20231114221319\" KEY",
                "f:1: key has expired",
            ),
        ] {
            let result = verified(TOUCHED, &format!("{list}\n"));
            assert_eq!(result.is_ok(), why.is_empty(), "{list} {result:?}");
            let said = result.err().unwrap_or_default();
            assert!(said.contains(why), "{list}: {said}");
        }
    }
}
