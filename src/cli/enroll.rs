//! `guard approve --enroll KEY`: adds a public key to the list of signers, for the address of git's identity.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use gix::bstr::BStr;
use serde_json::json;

use super::output::Output;
use super::person::Person;
use super::repository::repository;
use crate::approval::{self, Signers};
use crate::boundary::Boundary;
use crate::error::{Error, Result};
use crate::gate::Failure;
use crate::git::show_file;
use crate::judge;
use crate::path::{escaped, shell_word};

/// Files of keys are smaller.
const MAX_KEY: u64 = 64 * 1024;
/// A list of some thousand keys.
const MAX_LIST: u64 = 1024 * 1024;

/// Appends the line; the other lines of the list stay as they are.
pub(super) fn run(output: &mut Output, key: &Path) -> Result<u8> {
    let repo = repository()?;
    Person::present()?;
    let text = public_key(key)?;
    let who = repo.signature().email.to_string();
    let file = judge::settings_of_head(&repo)?.signers;
    let boundary = Boundary::open(repo.own_workdir()?).map_err(refused)?;
    let path = boundary
        .locate(BStr::new(&file))
        .map_err(|rejection| Failure::from(rejection).into_error())?;
    let there = boundary.read(path.as_ref(), MAX_LIST).map_err(refused)?;
    let old = there.as_ref().map(|entry| entry.content.as_slice());
    let old = old.unwrap_or_default();
    let line = Signers::parse(&file, old)?
        .line_for(&who, &text)
        .map_err(|why| {
            Error::new(format!(
                "the key is not enrolled: {}",
                why.replace("FILE", &escaped(&file).to_string())
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
    output.print_either(
        || json!({ "version": 1, "enrolled": who, "file": file, "line": line, "next": steps }),
        |out| {
            writeln!(out, "added to {}: {line}", escaped(&file))?;
            steps.iter().try_for_each(|step| writeln!(out, "{step}"))
        },
    );
    Ok(0)
}

fn refused(error: crate::boundary::BoundaryError) -> Error {
    Failure::from(error).into_error()
}

/// The public key: given literally, in a file, or in the file next to a private key.
fn public_key(key: &Path) -> Result<String> {
    if let Some(text) = key.to_str()
        && approval::is_public_key(text)
    {
        return Ok(text.to_owned());
    }
    let text = read(key)?;
    if text.starts_with("-----BEGIN") {
        let mut public = key.as_os_str().to_owned();
        public.push(".pub");
        return read(&PathBuf::from(public));
    }
    Ok(text)
}

fn read(file: &Path) -> Result<String> {
    let failed = |why: String| {
        Error::new(format!(
            "the public key {} cannot be read: {why}",
            show_file(file)
        ))
        .help("give the file of a public key: guard approve --enroll ~/.ssh/id_ed25519.pub")
    };
    let opened = File::open(file).map_err(|error| failed(error.to_string()))?;
    let is_file = opened.metadata().is_ok_and(|data| data.is_file());
    if !is_file {
        return Err(failed("it is not a file".to_owned()));
    }
    let mut text = String::new();
    opened
        .take(MAX_KEY)
        .read_to_string(&mut text)
        .map_err(|error| failed(error.to_string()))?;
    Ok(text)
}

/// Notes for an unsigned approval: where it does not count, and how to sign. Empty if unsigned approvals count.
pub(super) fn unsigned_notes(repo: &crate::git::Repository) -> Vec<String> {
    let settings = judge::settings_of_head(repo).unwrap_or_default();
    if settings.accept_unsigned {
        return Vec::new();
    }
    vec![
        "this approval is unsigned, so it counts only in this clone: pushes, ranges and CI refuse the change".to_owned(),
        format!(
            "to sign, add your key to {} (guard approve --enroll KEY), commit that on the target branch, and approve with --sign KEY",
            escaped(&settings.signers)
        ),
    ]
}
