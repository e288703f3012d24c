//! Effects on a workspace. The order is always the same: boundary, rules, snapshot, record "started", write, record
//! "done". If the snapshot or the record fails, nothing is written; there is no way to leave them out.

mod decision;
mod failure;
mod held;
mod log;
mod patch;
mod store;
mod undo;

use std::path::Path;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::{Map, Value};

use crate::approval::Approval;
use crate::change::{Change, Kind, State};
use crate::finding::{Finding, Level, Rule};
use crate::git::{Before, Parents, Repository};
use crate::judge::{self, Options, Request, WorkTreeView};
use crate::measure::{self, Class, Measured};
use crate::path::boundary::{Boundary, Entry};
use crate::path::show;
use crate::policy::Policy;
use crate::rules::{self, Case, Subject};

pub use decision::{Answer, Ask, Consent, Question, approvals, consume, pending, reject};
pub use failure::{Failure, FailureKind};
pub use held::{Held, HeldChange};
pub use log::{Fault, Head, Log, Record, Verification, verify};
pub use patch::{Edit, apply};
pub use store::Store;
pub use undo::Undo;

/// Lines of the preview and of the content that would be lost (requirement 000, section 2.4).
const PREVIEW_LINES: usize = 50;

/// The result of a file operation.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// What is asked for at a path.
#[derive(Debug, Clone)]
pub enum Operation {
    /// The whole content, with the digest (a git blob id) that the caller last saw.
    Write {
        /// The new content.
        content: Vec<u8>,
        /// A precondition.
        expect: Option<String>,
    },
    /// Replacements in the content that is there.
    Patch {
        /// Applied all or none.
        edits: Vec<Edit>,
        /// A precondition.
        expect: Option<String>,
    },
    /// Removing the file.
    Delete,
}

impl Operation {
    fn verb(&self) -> &'static str {
        match self {
            Operation::Write { .. } => "write",
            Operation::Patch { .. } => "patch",
            Operation::Delete => "delete",
        }
    }

    /// The title of the snapshot (requirement 001, section 2.2).
    fn title(&self, path: &BStr) -> String {
        let name = show(path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)).to_string();
        match self {
            Operation::Patch { .. } => format!("Backup before file patch: {name}"),
            _ => format!("Backup before file mod: {name}"),
        }
    }
}

/// What a write would do (requirement 000, section 2.3).
#[derive(Debug, Clone)]
pub struct Analysis {
    /// Relative to the workspace.
    pub path: BString,
    /// Whether the file was there.
    pub exists: bool,
    /// Class and counts.
    pub measured: Measured,
    /// The content that would be lost; only where a file is replaced, converted or deleted.
    pub deleted_content: Option<String>,
    /// The unified preview; only where the content that would be lost is given.
    pub diff_preview: Option<String>,
}

/// A file operation that happened.
#[derive(Debug, Clone)]
pub struct Done {
    /// What it did.
    pub analysis: Analysis,
    /// Size of the file in bytes now; 0 where it is gone.
    pub size: usize,
    /// The snapshot that holds what was there.
    pub backup: ObjectId,
    /// How many replacements were made.
    pub replaced: usize,
}

/// A workspace with everything that its file operations need.
pub struct Gate<'a> {
    repo: &'a Repository,
    boundary: Boundary,
    policy: Policy,
    log: Log,
    held: Held,
    approvals: Vec<Approval>,
}

impl<'a> Gate<'a> {
    /// Opens the workspace of a repository; designs and settings are HEAD's.
    ///
    /// # Errors
    /// Whatever keeps guard from a verdict.
    pub fn open(repo: &'a Repository, options: &Options) -> Result<Gate<'a>> {
        let request = Request {
            options,
            needs_design: true,
        };
        let policy = judge::load_for_request(repo, &request)?;
        let boundary = Boundary::open(repo.workdir()?)?;
        Ok(Gate {
            repo,
            boundary,
            policy,
            log: Log::new(repo.common_dir()),
            held: Held::new(repo.common_dir()),
            approvals: approvals(repo)?,
        })
    }

    /// Reads a file inside the read roots.
    ///
    /// # Errors
    /// The path is refused, there is no such file, or it cannot be read.
    pub fn read(&self, request: &BStr) -> Result<(BString, Entry)> {
        let path = self.boundary.locate(request).map_err(|rejection| {
            self.note_refusal("read", request, rejection.reason.detail());
            Failure::from(rejection)
        })?;
        self.check_roots(path.as_ref(), Access::Read)?;
        let entry = self
            .boundary
            .read(path.as_ref(), self.policy.settings.max_size)?;
        let entry = entry.ok_or_else(|| not_found(path.as_ref()))?;
        Ok((path, entry))
    }

    /// Does what is asked for, or says why not; a destructive change is held with an id.
    ///
    /// # Errors
    /// Everything but success; see [`FailureKind`].
    pub fn perform(&self, request: &BStr, operation: &Operation) -> Result<Done> {
        let (plan, finding) = self.prepare(request, operation)?;
        if let Some(finding) = finding {
            let failure = self.hold(&plan, &finding, operation);
            self.note_refusal(operation.verb(), request, failure.kind.name());
            return Err(failure);
        }
        self.execute(&plan, operation)
    }

    /// What would be done, and the finding that only a person can clear. Touches nothing; a refusal is on record.
    fn prepare(&self, request: &BStr, operation: &Operation) -> Result<(Plan, Option<Finding>)> {
        let verb = operation.verb();
        let path = self.boundary.locate(request).map_err(|rejection| {
            self.note_refusal(verb, request, rejection.reason.detail());
            Failure::from(rejection)
        })?;
        self.plan(path, operation).inspect_err(|failure| {
            self.note_refusal(verb, request, failure.kind.name());
        })
    }

    fn plan(&self, path: BString, operation: &Operation) -> Result<(Plan, Option<Finding>)> {
        self.check_roots(path.as_ref(), Access::Write)?;
        let old = self
            .boundary
            .read(path.as_ref(), self.policy.settings.max_size)?;
        if let Some(entry) = &old
            && !entry.writable
        {
            return Err(Failure::new(
                FailureKind::Permission,
                format!("{} may not be written by its owner", show(&path)),
            )
            .help("a person has to change the permissions"));
        }
        let new = self.new_content(path.as_ref(), old.as_ref(), operation)?;
        let (subject, compared) = self.subject(path.clone(), old.as_ref(), new.as_deref())?;
        let analysis = self.analysis(&subject, old.is_some(), &compared, new.as_deref());
        let consent = Change {
            old: match &compared {
                Some(content) => Some(self.state(content)?),
                None => None,
            },
            ..subject.change.clone()
        };
        let finding = self.judge(subject)?;
        let plan = Plan {
            path,
            old,
            new,
            analysis,
            consent,
        };
        Ok((plan, finding))
    }

    fn new_content(
        &self,
        path: &BStr,
        old: Option<&Entry>,
        operation: &Operation,
    ) -> Result<Option<Vec<u8>>> {
        let (content, expect) = match operation {
            Operation::Write { content, expect } => (content.clone(), expect),
            Operation::Patch { edits, expect } => {
                let old = old.ok_or_else(|| not_found(path))?;
                refuse_binary(path, &old.content)?;
                (apply(&old.content, edits)?, expect)
            }
            Operation::Delete => {
                old.ok_or_else(|| not_found(path))?;
                return Ok(None);
            }
        };
        if let Some(expected) = expect {
            let actual = old
                .and_then(|entry| self.repo.blob_id(&entry.content))
                .map(|id| id.to_string());
            if actual.as_ref() != Some(expected) {
                return Err(Failure::new(
                    FailureKind::Stale,
                    format!("{} is not what was read before", show(path)),
                )
                .help("read it again and decide anew")
                .detail("expected", expected.clone())
                .detail("actual", actual.map_or(Value::Null, Value::from)));
            }
        }
        refuse_binary(path, &content)?;
        let max = self.policy.settings.max_size;
        if content.len() as u64 > max {
            return Err(Failure::new(
                FailureKind::TooLarge,
                format!(
                    "the content for {} has {} bytes, more than the {max} of [workspace] max-size",
                    show(path),
                    content.len()
                ),
            )
            .help("write a smaller file, or let a person change the limit"));
        }
        Ok(Some(content))
    }

    /// The change as the rules see it, and the old content that it is measured against. Both what is on disk and
    /// what HEAD holds may be lost, so the greater loss counts: many small edits add up to one.
    fn subject(
        &self,
        path: BString,
        old: Option<&Entry>,
        new: Option<&[u8]>,
    ) -> Result<(Subject, Option<Vec<u8>>)> {
        let head = self
            .repo
            .tree_of(self.repo.head_commit()?)?
            .read(path.as_ref())?;
        let thresholds = &self.policy.settings.thresholds;
        let on_disk = old.map(|entry| entry.content.as_slice());
        let measure = |old: Option<&[u8]>| {
            let new = new.map(|content| (Kind::File, content));
            measure::measure(old.map(|content| (Kind::File, content)), new, thresholds)
        };
        let now = measure(on_disk);
        let since_head = head
            .as_deref()
            .filter(|_| new.is_some())
            .map(|head| measure(Some(head)));
        let (measured, compared) = match since_head {
            Some(since_head) if weight(&since_head) > weight(&now) => (since_head, head),
            _ => (now, on_disk.map(<[u8]>::to_vec)),
        };
        let subject = Subject {
            measured,
            content: rules::wants_content(path.as_ref()).then(|| {
                (
                    on_disk.unwrap_or_default().to_vec(),
                    new.unwrap_or_default().to_vec(),
                )
            }),
            change: Change {
                path,
                old: on_disk.map(|content| self.state(content)).transpose()?,
                new: new.map(|content| self.state(content)).transpose()?,
                renamed: None,
            },
        };
        Ok((subject, compared))
    }

    fn state(&self, content: &[u8]) -> Result<State> {
        let id = self.repo.blob_id(content).ok_or_else(|| {
            Failure::new(FailureKind::CannotJudge, "the content cannot be hashed")
        })?;
        Ok(State {
            kind: Kind::File,
            id,
        })
    }

    fn analysis(
        &self,
        subject: &Subject,
        exists: bool,
        compared: &Option<Vec<u8>>,
        new: Option<&[u8]>,
    ) -> Analysis {
        let old = compared.as_deref().unwrap_or_default();
        let new = new.unwrap_or_default();
        let name = show(subject.path()).to_string();
        let shows = matches!(subject.measured.class, Class::Replace | Class::Delete)
            || subject.measured.conversion.is_some();
        Analysis {
            path: subject.change.path.clone(),
            exists,
            measured: subject.measured,
            deleted_content: shows.then(|| measure::deleted_content(old, new, PREVIEW_LINES)),
            diff_preview: shows
                .then(|| measure::unified_preview(old, new, &name, &name, PREVIEW_LINES)),
        }
    }

    /// Refuses what the policy refuses; returns the finding about which only a person may decide.
    fn judge(&self, subject: Subject) -> Result<Option<Finding>> {
        let root = self.repo.workdir()?.to_owned();
        let view = WorkTreeView::new(&root);
        let parents = Parents {
            head: self.repo.head_commit()?,
            merged: Vec::new(),
        };
        let work_base = judge::look_up_work_base(
            self.repo,
            &self.policy,
            parents.head,
            [&subject.change].into_iter(),
        )?;
        let findings = rules::check(&Case {
            policy: &self.policy,
            subjects: std::slice::from_ref(&subject),
            result: &view,
            work_base: &work_base,
            approvals: &self.approvals,
        });
        let mut errors: Vec<Finding> = findings
            .into_iter()
            .filter(|finding| finding.level == Level::Error)
            .collect();
        errors.sort_by_key(|finding| finding.rule);
        let (destructive, refusals): (Vec<_>, Vec<_>) = errors
            .into_iter()
            .partition(|finding| finding.rule == Rule::DestructiveChange);
        match refusals.into_iter().next() {
            Some(finding) => Err(finding.into()),
            None => Ok(destructive.into_iter().next()),
        }
    }

    /// Keeps a change for a person, and says so.
    fn hold(&self, plan: &Plan, finding: &Finding, operation: &Operation) -> Failure {
        let digest = |content: Option<&[u8]>| {
            let id = content.and_then(|content| self.repo.blob_id(content));
            id.map(|id| id.to_string())
        };
        let change = HeldChange {
            path: plan.path.clone(),
            operation: operation.verb().to_owned(),
            old: digest(plan.old.as_ref().map(|entry| entry.content.as_slice())),
            new: digest(plan.new.as_deref()),
            class: plan.analysis.measured.class.name().to_owned(),
            why: finding.message.clone(),
            expires: decision::now().saturating_add_unsigned(self.policy.settings.expiry),
            content: plan.new.clone(),
        };
        let id = match self.held.hold(&change) {
            Ok(id) => id,
            Err(failure) => return failure,
        };
        Failure {
            details: finding.details.clone(),
            finding: Some(Box::new(finding.clone())),
            ..Failure::new(
                FailureKind::Held,
                format!(
                    "{}; it is held as {id} and nothing was written",
                    finding.message
                ),
            )
        }
        .help(format!(
            "a person decides: guard approve {id}, or guard reject {id}"
        ))
        .help("do not try another way: it will be refused too; make a smaller change instead")
        .detail("id", id)
    }

    fn execute(&self, plan: &Plan, operation: &Operation) -> Result<Done> {
        let path: &BStr = plan.path.as_ref();
        let backup = self.snapshot(plan, operation)?;
        let facts = self.facts(plan, operation, backup);
        record(&self.log, "started", facts.clone())?;
        let written = match &plan.new {
            Some(content) => self.boundary.replace(
                path,
                content,
                plan.old.as_ref().and_then(|entry| entry.mode),
            ),
            None => self.boundary.remove(path),
        };
        if let Err(error) = written {
            let failure = Failure::from(error);
            let mut facts = facts;
            facts.insert("error".into(), failure.kind.name().into());
            // The failure itself is told either way; the log shows an operation without an end.
            let _ = record(&self.log, "failed", facts);
            return Err(failure);
        }
        record(&self.log, "done", facts).map_err(|failure| Failure {
            message: format!(
                "{} is written, but its end is not on record: {}",
                show(path),
                failure.message
            ),
            ..failure
        })?;
        Ok(Done {
            analysis: plan.analysis.clone(),
            size: plan.new.as_ref().map_or(0, Vec::len),
            backup,
            replaced: match operation {
                Operation::Patch { edits, .. } => edits.len(),
                _ => 0,
            },
        })
    }

    fn snapshot(&self, plan: &Plan, operation: &Operation) -> Result<ObjectId> {
        let executable = |entry: &Entry| entry.mode.is_some_and(|mode| mode & 0o100 != 0);
        let before = Before {
            path: plan.path.as_ref(),
            content: plan
                .old
                .as_ref()
                .map(|entry| (entry.content.as_slice(), executable(entry))),
        };
        let title = operation.title(plan.path.as_ref());
        self.repo.take_snapshot(&[before], &title).map_err(|error| {
            Failure::new(FailureKind::Backup, error.message)
                .help("nothing was written; repair the repository first")
        })
    }

    fn facts(&self, plan: &Plan, operation: &Operation, backup: ObjectId) -> Map<String, Value> {
        let digest = |content: Option<&[u8]>| {
            let id = content.and_then(|content| self.repo.blob_id(content));
            id.map_or(Value::Null, |id| id.to_string().into())
        };
        let mut facts = Map::new();
        facts.insert("operation".into(), operation.verb().into());
        facts.insert("path".into(), plan.path.to_str_lossy().into());
        facts.insert("class".into(), plan.analysis.measured.class.name().into());
        facts.insert(
            "old".into(),
            digest(plan.old.as_ref().map(|entry| entry.content.as_slice())),
        );
        facts.insert("new".into(), digest(plan.new.as_deref()));
        facts.insert("backup".into(), backup.to_string().into());
        facts
    }

    /// A refusal is on record too, but one that cannot be recorded is a refusal all the same.
    fn note_refusal(&self, verb: &str, request: &BStr, reason: &str) {
        let mut facts = Map::new();
        facts.insert("operation".into(), verb.into());
        facts.insert("path".into(), show(request).to_string().into());
        facts.insert("reason".into(), reason.into());
        let _ = self.log.append("refused", facts);
    }

    fn check_roots(&self, path: &BStr, access: Access) -> Result<()> {
        let settings = &self.policy.settings;
        let (roots, word) = match access {
            Access::Read => (&settings.read, "read"),
            Access::Write => (&settings.write, "write"),
        };
        if !roots.iter().any(|root| is_below(path, root)) {
            let finding = Finding::new(
                Rule::OutsideRoots,
                path,
                format!(
                    "{} is outside the {word} roots: {}",
                    show(path),
                    roots.join(", ")
                ),
            )
            .help(format!(
                "[workspace] {word} in guard.toml lists the directories that may be used"
            ));
            return Err(finding.into());
        }
        if let Some(pattern) = settings.secrets.find(path) {
            let finding = Finding::new(
                Rule::ProtectedPath,
                path,
                format!(
                    "{} is named like a secret (`{}` in [workspace] secrets)",
                    show(path),
                    show(pattern)
                ),
            )
            .help("a person has to handle it");
            return Err(finding.into());
        }
        Ok(())
    }
}

fn record(log: &Log, event: &str, facts: Map<String, Value>) -> Result<Head> {
    log.append(event, facts).map_err(|error| {
        Failure::new(
            FailureKind::Record,
            format!("the audit log cannot be written: {error}"),
        )
        .help("nothing is written without a record; make room, or repair the log")
    })
}

/// Which roots count.
#[derive(Clone, Copy)]
enum Access {
    Read,
    Write,
}

/// What [`Gate::perform`] is about to do.
struct Plan {
    path: BString,
    old: Option<Entry>,
    new: Option<Vec<u8>>,
    analysis: Analysis,
    /// What a person would consent to: from the content shown as the old one to the new one.
    consent: Change,
}

fn is_below(path: &BStr, root: &str) -> bool {
    let root = root.trim_start_matches("./").trim_end_matches('/');
    root.is_empty()
        || root == "."
        || path
            .strip_prefix(root.as_bytes())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// How bad a loss is.
fn weight(measured: &Measured) -> (u8, f64) {
    let class =
        u8::from(measured.class == Class::Replace) + u8::from(measured.conversion.is_some());
    (class, measured.lost.share())
}

fn refuse_binary(path: &BStr, content: &[u8]) -> Result<()> {
    if measure::is_binary(content) {
        return Err(Failure::new(
            FailureKind::Binary,
            format!("the content of {} is binary", show(path)),
        )
        .help("guard writes text; a person has to place binary files"));
    }
    Ok(())
}

fn not_found(path: &BStr) -> Failure {
    Failure::new(
        FailureKind::NotFound,
        format!("there is no file {}", show(path)),
    )
    .help("guard scope show lists what the design grants, and what of it exists")
}

/// The absolute spelling of a path in the workspace.
pub fn absolute(root: &Path, path: &BStr) -> String {
    let relative = path.to_str_lossy();
    root.join(relative.as_ref()).to_string_lossy().into_owned()
}
