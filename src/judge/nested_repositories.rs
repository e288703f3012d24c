//! Requests stop at nested repositories, which have their own designs, settings and signers.

use gix::bstr::{BStr, ByteSlice};

use crate::boundary::{Boundary, BoundaryError, NestedRepository};
use crate::error::{Error, Result};
use crate::finding::{Finding, Help, Rule};
use crate::git::{Repository, Tree};
use crate::path::{Reason, escaped, shell_word};

/// The finding for a path in another repository: a work tree, a submodule that is not checked out, or a bare
/// repository. `head` is HEAD's tree.
///
/// # Errors
/// A parent directory, HEAD's tree or the index cannot be read.
pub(super) fn refusal(
    repo: &Repository,
    head: &Tree<'_>,
    boundary: &Boundary,
    path: &BStr,
) -> Result<Option<Finding>> {
    let nested = match boundary.nested_repository(path) {
        Ok(nested) => nested,
        Err(BoundaryError::Refused(rejection)) => {
            let reason = rejection.reason;
            let finding = Finding::new(reason.rule(), path, rejection.message);
            let finding = finding.help(reason.advice());
            return Ok(Some(finding.detail("reason", reason.detail())));
        }
        Err(error) => return Err(Error::new(error.to_string())),
    };
    let finding = match nested {
        Some(NestedRepository::WorkTree(at)) => {
            let what = "a separate repository";
            let help = "it has its own settings and designs; run guard there:";
            outside(path, at.as_ref(), what)
                .help(help)
                .help(Help::command(command(path, at.as_ref())))
        }
        Some(NestedRepository::Bare(at)) => {
            let what = "a bare repository, whose configuration and hooks git would run";
            outside(path, at.as_ref(), what).help("ask a person to change it")
        }
        None => match repo.submodule_of(head, path)? {
            Some(at) => {
                let what = "a submodule that is not checked out";
                outside(path, at.as_ref(), what)
                    .help("it has its own settings and designs; check it out, and run guard there:")
                    .help(Help::command(format_args!(
                        "git submodule update --init {}",
                        shell_word(&at)
                    )))
            }
            None => return Ok(None),
        },
    };
    Ok(Some(finding))
}

fn outside(path: &BStr, at: &BStr, what: &str) -> Finding {
    let message = match path == at {
        true => format!("{} is {what}", escaped(path)),
        false => format!("{} is in {}, {what}", escaped(path), escaped(at)),
    };
    let finding = Finding::new(Rule::OutsideWorkspace, path, message);
    finding.detail("reason", Reason::PathOutside.detail())
}

/// The command that checks the path in its own repository.
fn command(path: &BStr, at: &BStr) -> String {
    let inside = path.get(at.len() + 1..).unwrap_or_default();
    let at = shell_word(at);
    match inside.is_empty() {
        true => format!("guard -C {at} lint"),
        false => format!("guard -C {at} check {}", shell_word(inside.as_bstr())),
    }
}
