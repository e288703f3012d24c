//! `guard check`: whether guard would do a write or a read. Judged like these, but nothing is recorded or held.

use std::cell::OnceCell;
use std::path::PathBuf;

use gix::bstr::{BStr, BString};
use serde_json::Map;

use super::designs;
use super::log::record;
use super::perform::destruction;
use super::{Failure, FailureKind, Gate, GateResult, Operation, Strategy};
use crate::boundary::Boundary;
use crate::error;
use crate::finding::Finding;
use crate::git::Repository;
use crate::judge::Options;
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
    /// For requests outside the workspace, which need no design, and for those inside.
    gates: [OnceCell<error::Result<Gate<'a>>>; 2],
}

impl<'a> Checker<'a> {
    /// Opens the workspace.
    ///
    /// # Errors
    /// There is no work tree, or it cannot be opened.
    pub fn open(repo: &'a Repository, options: &'a Options) -> error::Result<Checker<'a>> {
        Ok(Checker {
            repo,
            options,
            boundary: open_boundary(repo)?,
            gates: Default::default(),
        })
    }

    /// The gate for a request.
    ///
    /// # Errors
    /// guard cannot reach a verdict.
    pub fn gate(&self, request: &BString) -> error::Result<&Gate<'a>> {
        let is_inside = self.boundary.locate(request.as_ref()).is_ok();
        let open = || Gate::open_to_check(self.repo, self.options, std::slice::from_ref(request));
        let gate = self.gates[usize::from(is_inside)].get_or_init(open);
        gate.as_ref().map_err(Clone::clone)
    }
}

fn open_boundary(repo: &Repository) -> error::Result<Boundary> {
    Boundary::open(repo.own_workdir()?).map_err(|error| Failure::from(error).into_error())
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
        Gate::with(repo, boundary, options, needs_design)
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
        content: Option<Vec<u8>>,
        allow_empty: bool,
    ) -> error::Result<CheckResult> {
        let finding = match content {
            Some(content) => {
                let write = Operation::Write {
                    content,
                    strategy: Strategy::Replace,
                    expect: None,
                    allow_empty,
                };
                self.plan(request, &write).map(|(_, finding)| finding)
            }
            None => self.plan_unknown(request),
        };
        let judged = finding.and_then(|finding| match finding {
            None => Ok(()),
            Some(finding) => Err(Failure {
                kind: FailureKind::Held,
                ..Failure::from(finding)
            }),
        });
        self.result_of_check(requested, request, judged, |answer| {
            let policy = &self.policy;
            let path = answer.path.as_ref().map(AsRef::as_ref).unwrap_or_default();
            let scope = policy.scope.as_ref();
            let grant = scope.and_then(|scope| scope.lookup(path).grants.first().copied());
            answer.design = grant.map(|grant| grant.anchor.clone());
            answer.reason = match &answer.design {
                Some(anchor) => format!("allowed by {}:{}", escaped(&anchor.path), anchor.line),
                None if policy.is_exempt(path) => {
                    "design documents are exempt from the scope table".to_owned()
                }
                None if scope.is_none() => "no design applies".to_owned(),
                None => "the settings allow it without a row".to_owned(),
            };
        })
    }

    /// Whether `guard read` would read the file, or what is in the directory.
    ///
    /// # Errors
    /// guard cannot reach a verdict.
    pub fn check_read(&self, requested: BString, request: &BStr) -> error::Result<CheckResult> {
        let readable = || -> GateResult<()> {
            let path = self.admitted(request, Access::Read)?;
            match self.boundary.view().entry(path.as_ref()) {
                Some(Node::Directory) => Ok(()),
                _ => self.find(request).map(drop),
            }
        };
        self.result_of_check(requested, request, readable(), |answer| {
            answer.reason = "inside the directories that may be read".to_owned();
        })
    }

    /// The answer to a request that was judged; `allow` completes that of an allowed one.
    fn result_of_check(
        &self,
        requested: BString,
        request: &BStr,
        judged: GateResult<()>,
        allow: impl FnOnce(&mut CheckResult),
    ) -> error::Result<CheckResult> {
        let path = self.boundary.locate(request).ok();
        let absolute: Option<PathBuf> = path.as_ref().map(|path| self.absolute(path.as_ref()));
        let mut answer = CheckResult {
            allowed: judged.is_ok() && path.is_some(),
            requested_path: requested,
            absolute_path: absolute,
            path,
            closest_match: None,
            reason: String::new(),
            rule: None,
            kind: None,
            violation: None,
            design: None,
        };
        match judged {
            Ok(()) => allow(&mut answer),
            Err(failure) if failure.kind.exit_code() == 2 => return Err(failure.into_error()),
            Err(failure) => {
                answer.kind = Some(failure.kind.name());
                answer.reason = failure.message;
                if let Some(finding) = failure.finding {
                    answer.rule = Some(finding.rule);
                    answer.violation = violation(&finding);
                    answer.closest_match = finding.closest;
                    answer.design = finding.design;
                }
            }
        }
        Ok(answer)
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
        let texts = [
            ("reason", result.kind),
            ("violation", result.violation.as_deref()),
            ("rule", result.rule.map(|rule| rule.id())),
        ];
        for (key, text) in texts {
            facts.extend(text.map(|text| (key.to_owned(), text.into())));
        }
        designs::name(&mut facts, &self.policy.design_versions());
        record(&self.log, "checked", facts)
            .map_err(Failure::into_error)
            .map(drop)
    }

    /// The finding that needs approval for any text.
    pub(super) fn plan_unknown(&self, request: &BStr) -> GateResult<Option<Finding>> {
        let context = self.context()?;
        let (path, old) = self.look(&context, request)?;
        let (path, old) = (path.as_ref(), old.as_ref());
        let measured = context.least_loss(old.map(|entry| entry.content.as_slice()), path)?;
        destruction(&context, &[context.unknown_content(path, measured)?], false)
    }
}

fn violation(finding: &Finding) -> Option<String> {
    let reason = finding.details.get("reason")?.as_str()?;
    let leaves = VIOLATIONS.contains(&reason);
    leaves.then(|| format!("{}_boundary", reason.replace('-', "_")))
}
