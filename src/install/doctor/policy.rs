//! Checks the settings, the list of signers and the design of this branch.

use gix::bstr::{BStr, ByteSlice};

use super::check::{Check, Status};
use crate::error::Result;
use crate::git::Repository;
use crate::judge::{self, Options};
use crate::path::escaped;
use crate::policy::settings::{self, FILE};
use crate::ssh_keygen::SshKeygen;

const SETTINGS: &str = "settings";
const DESIGN: &str = "design";
const SIGNERS: &str = "signers";

pub(super) fn check(repo: &Repository) -> Vec<Check> {
    let settings =
        settings(repo).unwrap_or_else(|error| Check::of_error(SETTINGS, Status::Fail, error));
    if settings.status != Status::Ok {
        return vec![settings];
    }
    let signers =
        signers(repo).unwrap_or_else(|error| Check::of_error(SIGNERS, Status::Fail, error));
    vec![settings, design(repo), signers]
}

/// Checks the list of signers in HEAD.
fn signers(repo: &Repository) -> Result<Check> {
    let head = repo.tree_of(repo.head_commit()?)?;
    let settings = head.read(BStr::new(FILE))?.unwrap_or_default();
    let settings = settings::parse(&settings)?;
    let file = &settings.signers;
    let ok = |message: String| Ok(Check::ok(SIGNERS, message));
    let Some(text) = head.read(BStr::new(file))? else {
        return ok(format!(
            "HEAD has no {}, so approvals count only in local hooks",
            escaped(file)
        ));
    };
    let is_key = |line: &&[u8]| !line.trim().is_empty() && !line.starts_with(b"#");
    let keys = text.lines().filter(is_key).count();
    let message = format!("lines of {} that list signers: {keys}", escaped(file));
    match SshKeygen::find() {
        Ok(_) => ok(message),
        Err(error) => Ok(Check::of_error(SIGNERS, Status::Warn, error)),
    }
}

fn settings(repo: &Repository) -> Result<Check> {
    let head = repo.tree_of(repo.head_commit()?)?;
    let Some(bytes) = head.read(BStr::new(FILE))? else {
        let check = Check::new(SETTINGS, Status::Fail, format!("HEAD has no {FILE}"));
        return Ok(if repo.workdir()?.join(FILE).exists() {
            check.help(format!(
                "commit it: git add {FILE} && git commit -m \"Set guard up\" -- {FILE}"
            ))
        } else {
            check.help("write one: guard init")
        });
    };
    settings::parse(&bytes)?;
    let message = format!("{FILE} in HEAD is in force");
    Ok(Check::ok(SETTINGS, message))
}

fn design(repo: &Repository) -> Check {
    match judge::load_for_request(repo, &Options::default(), true) {
        Ok(policy) if policy.designs.is_empty() => Check::warn(
            DESIGN,
            "this branch has no design, and `missing = \"skip\"` leaves out the scope rules",
        )
        .help("write one (guard scope new), or choose one (guard use FILE)"),
        Ok(policy) => {
            let designs = policy.designs.iter().map(|governing| {
                let (by, count) = (&governing.chosen_by, governing.design.grants.len());
                format!(
                    "{} ({count} granted, by {by})",
                    escaped(&governing.design.path)
                )
            });
            Check::ok(DESIGN, designs.collect::<Vec<_>>().join(", "))
        }
        // A branch without a design is not broken: guard refuses its commits until it has one.
        Err(error) if error.problems.is_empty() => Check::of_error(DESIGN, Status::Warn, error),
        Err(error) => {
            let faults = error.problems.clone().into_iter();
            let check = Check::of_error(DESIGN, Status::Fail, error);
            faults.fold(check, |check, finding| check.help(finding.message))
        }
    }
}
