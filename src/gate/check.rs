//! `guard check`: whether guard would do a write. Judged like `guard write`, but nothing is recorded or held.

use std::cell::OnceCell;
use std::path::PathBuf;

use gix::bstr::{BStr, BString};
use serde_json::Map;

use super::designs;
use super::perform::record;
use super::plan::destruction;
use super::{Failure, FailureKind, Gate, GateResult, Operation, Strategy, approvals};
use crate::boundary::Boundary;
use crate::error;
use crate::finding::{Anchor, Finding};
use crate::git::Repository;
use crate::judge::{self, Options};
use crate::path::{Node, TreeView, escaped};
use crate::rules::Access;
use crate::verdict::CheckResult;

/// The ways in which a path leaves the workspace (requirement 004).
const VIOLATIONS: [&str; 3] = ["path-escapes", "path-outside", "symlink-escapes"];

/// Answers many requests from one reading of designs, settings and approvals.
pub struct Checker<'a> {
    repo: &'a Repository,
    options: &'a Options,
    boundary: Boundary,
    /// Whether each answer goes to the log.
    is_recorded: bool,
    /// For requests outside the workspace, which need no design, and for those inside.
    gates: [OnceCell<error::Result<Gate<'a>>>; 2],
}

impl<'a> Checker<'a> {
    /// Opens the workspace.
    ///
    /// # Errors
    /// There is no work tree, or it cannot be opened.
    pub fn open(
        repo: &'a Repository,
        options: &'a Options,
        is_recorded: bool,
    ) -> error::Result<Checker<'a>> {
        Ok(Checker {
            repo,
            options,
            boundary: open_boundary(repo)?,
            is_recorded,
            gates: Default::default(),
        })
    }

    /// Whether the request may be written, with notes on how guard reached the answer.
    ///
    /// # Errors
    /// As for [`Gate::open_to_check`] and [`Gate::check`].
    pub fn check(
        &self,
        requested: BString,
        request: &BStr,
    ) -> error::Result<(CheckResult, &[String])> {
        let is_inside = self.boundary.locate(request).is_ok();
        let open = || {
            let boundary = open_boundary(self.repo)?;
            open_with(self.repo, boundary, self.options, is_inside)
        };
        let gate = self.gates[usize::from(is_inside)].get_or_init(open);
        let gate = gate.as_ref().map_err(Clone::clone)?;
        let result = gate.check(requested, request, None, false)?;
        if self.is_recorded {
            gate.record_answer(&result)?;
        }
        Ok((result, gate.notes()))
    }
}

fn open_boundary(repo: &Repository) -> error::Result<Boundary> {
    Boundary::open(repo.own_workdir()?).map_err(|error| Failure::from(error).into_error())
}

fn open_with<'a>(
    repo: &'a Repository,
    boundary: Boundary,
    options: &Options,
    needs_design: bool,
) -> error::Result<Gate<'a>> {
    let policy = judge::load_for_request(repo, options, needs_design)?;
    let approvals = approvals(repo).map_err(Failure::into_error)?;
    Ok(Gate::new(repo, boundary, policy, approvals))
}

impl<'a> Gate<'a> {
    /// Opens the workspace to check these requests. If none is inside, no design is needed.
    ///
    /// # Errors
    /// guard cannot reach a verdict.
    pub fn open_to_check(
        repo: &'a Repository,
        options: &Options,
        requests: &[BString],
    ) -> error::Result<Gate<'a>> {
        let boundary = open_boundary(repo)?;
        let is_inside = |request: &BString| boundary.locate(request.as_ref()).is_ok();
        let needs_design = requests.iter().any(is_inside);
        open_with(repo, boundary, options, needs_design)
    }

    /// The content to check, from a file that `guard read` may read.
    ///
    /// # Errors
    /// The file is refused or cannot be read.
    pub fn content(&self, request: &BStr) -> GateResult<Vec<u8>> {
        Ok(self.find(request)?.1.content)
    }

    /// Whether `guard write` would write this content, or without one any content.
    ///
    /// # Errors
    /// The errors for which `guard write` exits with 2.
    pub fn check(
        &self,
        requested: BString,
        request: &BStr,
        content: Option<&[u8]>,
        allow_empty: bool,
    ) -> error::Result<CheckResult> {
        let refusal = match content {
            Some(content) => {
                let write = Operation::Write {
                    content: content.to_vec(),
                    strategy: Strategy::Replace,
                    expect: None,
                    allow_empty,
                };
                self.plan(request, &write).map(|(_, finding)| finding)
            }
            None => self.plan_unknown(request),
        };
        let refusal = match refusal {
            Ok(finding) => finding.map(|finding| Failure {
                kind: FailureKind::Held,
                ..Failure::from(finding)
            }),
            Err(failure) if failure.kind.exit_code() == 1 => Some(failure),
            Err(failure) => return Err(failure.into_error()),
        };
        let path = self.boundary.locate(request).ok();
        Ok(match (refusal, path) {
            (None, Some(path)) => self.allowed(requested, path),
            (failure, path) => refused(requested, self.located(path), failure),
        })
    }

    /// Whether `guard read` would read the file, or list the directory.
    ///
    /// # Errors
    /// guard cannot reach a verdict.
    pub fn check_read(&self, requested: BString, request: &BStr) -> error::Result<CheckResult> {
        let path = self.boundary.locate(request);
        let readable = || -> GateResult<()> {
            let path = path.clone()?;
            self.context()?.admit(path.as_ref(), Access::Read)??;
            match self.boundary.view().entry(path.as_ref()) {
                Some(Node::Directory) => {}
                _ => drop(self.find(request)?),
            }
            Ok(())
        };
        match readable() {
            Ok(()) => Ok(CheckResult {
                absolute_path: path.as_ref().ok().map(|path| self.absolute(path.as_ref())),
                path: path.ok(),
                requested_path: requested,
                allowed: true,
                closest_match: None,
                reason: "inside the directories that may be read".to_owned(),
                rule: None,
                kind: None,
                violation: None,
                design: None,
            }),
            Err(failure) if failure.kind.exit_code() == 2 => Err(failure.into_error()),
            Err(failure) => Ok(refused(requested, self.located(path.ok()), Some(failure))),
        }
    }

    fn located(&self, path: Option<BString>) -> Option<(BString, PathBuf)> {
        path.map(|path| (path.clone(), self.absolute(path.as_ref())))
    }

    /// Records an answer in the log.
    ///
    /// # Errors
    /// The log cannot be written: then the answer does not count.
    pub fn record_answer(&self, result: &CheckResult) -> error::Result<()> {
        let path = result.path.as_ref().unwrap_or(&result.requested_path);
        let mut facts = Map::new();
        facts.insert("operation".into(), "check".into());
        facts.insert("path".into(), escaped(path).to_string().into());
        facts.insert("allowed".into(), result.allowed.into());
        facts.extend(result.kind.map(|kind| ("reason".to_owned(), kind.into())));
        let violation = result.violation.as_deref();
        facts.extend(violation.map(|kind| ("violation".to_owned(), kind.into())));
        facts.extend(
            result
                .rule
                .map(|rule| ("rule".to_owned(), rule.id().into())),
        );
        designs::name(&mut facts, &self.policy.design_versions());
        record(&self.log, "checked", facts).map_err(Failure::into_error)?;
        Ok(())
    }

    /// The finding that needs approval for any text.
    pub(super) fn plan_unknown(&self, request: &BStr) -> GateResult<Option<Finding>> {
        let context = self.context()?;
        let (path, old) = self.look(&context, request)?;
        let (path, old) = (path.as_ref(), old.as_ref());
        let measured = context.least_loss(old.map(|entry| entry.content.as_slice()), path)?;
        destruction(&context, &[context.unknown_content(path, measured)?], None)
    }

    fn allowed(&self, requested: BString, path: BString) -> CheckResult {
        let policy = &self.policy;
        let scope = policy.scope.as_ref();
        let grant = scope.and_then(|scope| scope.lookup(path.as_ref()).grants.first().copied());
        let anchor: Option<Anchor> = grant.map(|grant| grant.anchor.clone());
        let reason = match &anchor {
            Some(anchor) => format!("granted by {}:{}", escaped(&anchor.path), anchor.line),
            None if policy.is_exempt(path.as_ref()) => {
                "design documents are exempt from the scope table".to_owned()
            }
            None if policy.scope.is_none() => "no design applies".to_owned(),
            None => "the settings allow it without a row".to_owned(),
        };
        CheckResult {
            requested_path: requested,
            absolute_path: Some(self.absolute(path.as_ref())),
            path: Some(path),
            allowed: true,
            closest_match: None,
            reason,
            rule: None,
            kind: None,
            violation: None,
            design: anchor,
        }
    }
}

fn refused(
    requested: BString,
    path: Option<(BString, PathBuf)>,
    failure: Option<Failure>,
) -> CheckResult {
    let (path, absolute_path) = path.unzip();
    let kind = failure.as_ref().map(|failure| failure.kind.name());
    let (reason, finding) = failure.map_or_else(Default::default, |failure| {
        (failure.message, failure.finding.map(|finding| *finding))
    });
    let reason_of = |finding: &Finding| finding.details.get("reason")?.as_str().map(str::to_owned);
    let violation = finding.as_ref().and_then(reason_of);
    let violation = violation.filter(|reason| VIOLATIONS.contains(&reason.as_str()));
    CheckResult {
        requested_path: requested,
        path,
        absolute_path,
        violation: violation.map(|reason| format!("{}_boundary", reason.replace('-', "_"))),
        allowed: false,
        reason,
        rule: finding.as_ref().map(|finding| finding.rule),
        kind,
        closest_match: finding.as_ref().and_then(|finding| finding.closest.clone()),
        design: finding.and_then(|finding| finding.design),
    }
}
