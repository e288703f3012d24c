//! Judging what somebody wants to do, before it is done: by HEAD's policy, against the work tree.

use std::ffi::OsString;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use super::named::{bytes, canonical, from_real_root};
use super::work_tree::WorkTreeView;
use super::{Options, Request, load_for_request, work_base};
use crate::approval::Approval;
use crate::change::{Change, Kind, State};
use crate::error::{Error, Result};
use crate::finding::{Anchor, Finding, Level, Rule};
use crate::git::{Parents, Repository, show_file};
use crate::measure;
use crate::path::{self, Platform, Rejection, show};
use crate::policy::Policy;
use crate::report::{CheckReport, CheckResult};
use crate::rules::{self, Case, Subject};

/// Whether each path may be written, and with this content.
///
/// # Errors
/// Whatever keeps guard from a verdict.
pub fn check_paths(
    repo: &Repository,
    paths: &[OsString],
    content: Option<&[u8]>,
    options: &Options,
) -> Result<CheckReport> {
    let root = canonical(repo.workdir()?).map_err(Error::new)?;
    let view = WorkTreeView::new(&root);
    let resolved: Vec<(BString, Result<BString, Rejection>)> = paths
        .iter()
        .map(|requested| {
            let requested = Path::new(requested);
            let path = bytes(&from_real_root(&root, requested));
            let path = resolve(&view, &bytes(&root), path.as_bstr());
            (BString::from(bytes(requested)), path)
        })
        .collect();
    let request = Request {
        options,
        needs_design: resolved.iter().any(|(_, path)| path.is_ok()),
    };
    let policy = load_for_request(repo, &request)?;
    let desk = Desk {
        repo,
        policy: &policy,
        root: &root,
        view: &view,
        approvals: &options.approvals,
    };
    let results = resolved
        .into_iter()
        .map(|(requested, path)| match path {
            Ok(path) => desk.judge(requested, path, content),
            Err(rejection) => Ok(CheckResult {
                requested_path: requested,
                path: None,
                allowed: false,
                closest_match: None,
                rule: Some(rejection.reason.rule()),
                reason: rejection.message,
                design: None,
            }),
        })
        .collect::<Result<_>>()?;
    Ok(CheckReport { results })
}

/// Absolute and relative spellings, and ways over links inside the workspace, meet in one path.
fn resolve(view: &WorkTreeView<'_>, root: &[u8], requested: &BStr) -> Result<BString, Rejection> {
    let platform = Platform::host();
    let path = path::normalize_request(root, requested, platform)?;
    // Windows takes `..` back by name; elsewhere `link/..` is the parent of where the link leads.
    let way = match platform {
        Platform::Unix => path::spelled_below(root, requested, platform)?.as_bstr(),
        Platform::Windows => path.as_bstr(),
    };
    if !view.has_link_on_the_way(way) {
        return Ok(path);
    }
    path::resolve_path(view, way)
}

/// What every path of a request is judged with.
struct Desk<'a> {
    repo: &'a Repository,
    policy: &'a Policy,
    root: &'a Path,
    view: &'a WorkTreeView<'a>,
    approvals: &'a [Approval],
}

impl Desk<'_> {
    fn judge(
        &self,
        requested: BString,
        path: BString,
        content: Option<&[u8]>,
    ) -> Result<CheckResult> {
        let file = on_disk(self.root, path.as_ref());
        if let Some(why) = not_a_file(&file) {
            let reason = format!("{} {why}", show(&path));
            return Ok(refused(requested, path, Rule::UnsafePath, reason));
        }
        if let Some(pattern) = self.policy.settings.secrets.find(path.as_ref()) {
            let reason = format!(
                "{} is named like a secret (`{}` in [workspace] secrets)",
                show(&path),
                show(pattern)
            );
            return Ok(refused(requested, path, Rule::ProtectedPath, reason));
        }
        let old = match std::fs::read(&file) {
            Ok(old) => Some(old),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
                let reason = format!("{} is below a file", show(&path));
                return Ok(refused(requested, path, Rule::UnsafePath, reason));
            }
            Err(error) => {
                return Err(Error::new(format!(
                    "{} cannot be read: {error}",
                    show_file(&file)
                )));
            }
        };
        let subject = self.subject(path.clone(), old.as_deref(), content);
        let subjects = [subject];
        let parents = Parents {
            head: self.repo.head_commit()?,
            merged: Vec::new(),
        };
        let work_base = work_base::look_up(
            self.repo,
            self.policy,
            parents.head,
            subjects.iter().map(|s| &s.change),
        )?;
        let findings = rules::check(&Case {
            policy: self.policy,
            subjects: &subjects,
            result: self.view,
            work_base: &work_base,
            approvals: self.approvals,
        });
        let refusal = findings
            .into_iter()
            .filter(|finding| finding.level == Level::Error)
            .min_by_key(|finding| finding.rule);
        Ok(match refusal {
            Some(finding) => refused_by(requested, path, finding),
            None => allowed(self.policy, requested, path),
        })
    }

    fn subject(&self, path: BString, old: Option<&[u8]>, content: Option<&[u8]>) -> Subject {
        let state = |bytes: &[u8]| State {
            kind: Kind::File,
            id: self
                .repo
                .blob_id(bytes)
                .unwrap_or(ObjectId::null(gix::hash::Kind::Sha1)),
        };
        // Without a content the question is about the path alone: nothing is lost.
        let new = content.or(old).unwrap_or_default();
        let side = |bytes| (Kind::File, bytes);
        Subject {
            measured: measure::measure(
                old.map(side),
                Some(side(new)),
                &self.policy.settings.thresholds,
            ),
            content: rules::wants_content(path.as_ref())
                .then(|| (old.unwrap_or_default().to_vec(), new.to_vec())),
            change: Change {
                path,
                old: old.map(state),
                new: Some(state(new)),
                renamed: None,
            },
        }
    }
}

fn on_disk(root: &Path, path: &BStr) -> PathBuf {
    match gix::path::from_bstr(path) {
        Ok(relative) => root.join(relative),
        // Only on systems whose names are not bytes, and such a path is refused before.
        Err(_) => root.join(path.to_str_lossy().as_ref()),
    }
}

/// Why nothing can be written there although the path itself is right.
fn not_a_file(file: &Path) -> Option<&'static str> {
    let metadata = file.symlink_metadata().ok()?;
    if metadata.is_dir() {
        Some("is a directory")
    } else if !metadata.is_file() {
        Some("is not a regular file")
    } else if has_other_names(&metadata) {
        Some("has other names (hard links), which would change as well")
    } else {
        None
    }
}

#[cfg(unix)]
fn has_other_names(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

/// Elsewhere the standard library does not tell.
#[cfg(not(unix))]
fn has_other_names(_metadata: &Metadata) -> bool {
    false
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
        None if policy.is_exempt(path.as_ref()) => {
            "designs and guard's own settings need no row".to_owned()
        }
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
