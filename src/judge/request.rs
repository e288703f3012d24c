//! Judging what somebody wants to do, before it is done: by HEAD's policy, against the work tree.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use gix::bstr::{BString, ByteSlice};

use super::proposal::{Access, Desk};
use super::work_tree::work_tree;
use super::{Options, Request, load_for_request};
use crate::error::{Error, Result};
use crate::finding::{Anchor, Finding, Rule};
use crate::git::Repository;
use crate::path::boundary::{BoundaryError, bytes};
use crate::path::{Rejection, show};
use crate::policy::Policy;
use crate::report::{CheckReport, CheckResult};

/// The content that a path is to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proposed<'a> {
    /// Any: the question is about the path alone.
    Any,
    /// This content.
    Content(&'a [u8]),
    /// The content of this file, which must be one that `guard read` reads.
    File(&'a Path),
}

/// Whether each path may be written, and with this content. Paths are relative to the current directory.
///
/// # Errors
/// Whatever keeps guard from a verdict.
pub fn check_paths(
    repo: &Repository,
    paths: &[OsString],
    proposed: Proposed<'_>,
    options: &Options,
) -> Result<CheckReport> {
    let boundary = work_tree(repo.own_workdir()?)?;
    let locate = |path: &Path| {
        let request = repo.request(path);
        boundary.locate(request.as_bstr())
    };
    let located: Vec<(BString, Result<BString, Rejection>)> = paths
        .iter()
        .map(|requested| {
            let path = Path::new(requested);
            (BString::from(bytes(path)), locate(path))
        })
        .collect();
    let request = Request {
        options,
        needs_design: located.iter().any(|(_, path)| path.is_ok()),
    };
    let policy = load_for_request(repo, &request)?;
    let desk = Desk {
        repo,
        policy: &policy,
        boundary: &boundary,
        approvals: &options.approvals,
    };
    let read;
    let content = match proposed {
        Proposed::Any => None,
        Proposed::Content(content) => Some(content),
        Proposed::File(file) => {
            let path = locate(file).map_err(|rejection| Error::new(rejection.message));
            read = desk.read(path.map_err(use_standard_input)?.as_ref())?;
            Some(read.as_slice())
        }
    };
    let results = located
        .into_iter()
        .map(|(requested, path)| match path {
            Ok(path) => answer(&desk, requested, path, content),
            Err(rejection) => Ok(CheckResult {
                path: None,
                ..refused(
                    requested,
                    BString::default(),
                    rejection.reason.rule(),
                    rejection.message,
                )
            }),
        })
        .collect::<Result<_>>()?;
    Ok(CheckReport {
        results,
        notes: policy.notes.clone(),
    })
}

/// What to do where guard does not read a file.
fn use_standard_input(error: Error) -> Error {
    error.help("give the content on standard input instead: --content-file - < FILE")
}

fn answer(
    desk: &Desk<'_>,
    requested: BString,
    path: BString,
    content: Option<&[u8]>,
) -> Result<CheckResult> {
    if let Err(finding) = desk.admit(path.as_ref(), Access::Write) {
        return Ok(refused_by(requested, path, *finding));
    }
    let old = match desk
        .boundary
        .read(path.as_ref(), desk.policy.settings.max_size)
    {
        Ok(entry) => entry.map(|entry| entry.content),
        Err(BoundaryError::Refused(rejection)) => {
            let rule = rejection.reason.rule();
            return Ok(refused(requested, path, rule, rejection.message));
        }
        Err(error) if error.io_kind() == Some(io::ErrorKind::FileTooLarge) => {
            return Ok(refused(
                requested,
                path,
                Rule::UnsafePath,
                error.to_string(),
            ));
        }
        Err(error) => return Err(Error::new(error.to_string())),
    };
    let old = old.as_deref();
    let (new, measured) = match content {
        Some(new) => (new, desk.loss(old, Some(new), &[path.as_ref()])?.0),
        // Without a content the question is about the path alone: nothing is lost.
        None => {
            let same = old.unwrap_or_default();
            (same, desk.step(old, Some(same)))
        }
    };
    let subject = desk.subject(path.as_ref(), old, Some(new), None, measured)?;
    let refusal = desk.refusals(&[subject])?.into_iter().next();
    Ok(match refusal {
        Some(finding) => refused_by(requested, path, finding),
        None => allowed(desk.policy, requested, path),
    })
}

fn refused(requested: BString, path: BString, rule: Rule, reason: String) -> CheckResult {
    CheckResult {
        requested_path: requested,
        path: Some(path),
        allowed: false,
        closest_match: None,
        reason,
        rule: Some(rule),
        design: None,
    }
}

fn refused_by(requested: BString, path: BString, finding: Finding) -> CheckResult {
    CheckResult {
        closest_match: finding.closest,
        design: finding.design,
        ..refused(requested, path, finding.rule, finding.message)
    }
}

fn allowed(policy: &Policy, requested: BString, path: BString) -> CheckResult {
    let grant = policy
        .scope
        .as_ref()
        .and_then(|scope| scope.lookup(path.as_ref()).grants.first().copied().cloned());
    let anchor: Option<Anchor> = grant.map(|grant| grant.anchor);
    let reason = match &anchor {
        Some(anchor) => format!("granted by {}:{}", show(&anchor.path), anchor.line),
        None if policy.is_exempt(path.as_ref()) => "designs need no row".to_owned(),
        None if policy.scope.is_none() => "no design applies here".to_owned(),
        None => "the settings let it be written without a row".to_owned(),
    };
    CheckResult {
        requested_path: requested,
        path: Some(path),
        allowed: true,
        closest_match: None,
        reason,
        rule: None,
        design: anchor,
    }
}
