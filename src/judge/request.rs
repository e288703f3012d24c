//! Judges what a request would do to a file, for `guard check` and the file verbs.

use gix::ObjectId;
use gix::bstr::{BStr, BString};

use super::excuses;
use super::facts::BaseCommit;
use super::tree_view::FirstError;
use crate::approve::Approval;
use crate::boundary::{Boundary, BoundaryError, NestedRepository};
use crate::change::{Change, Kind, State};
use crate::design;
use crate::error::{Error, Result};
use crate::finding::{Finding, Help, Level, Rule};
use crate::git::{Repository, Tree};
use crate::measure::{self, Kept, Measured};
use crate::path::{Reason, escaped, shell_word};
use crate::policy::Policy;
use crate::rules::{self, Access, Case, MeasuredChange, RenameTarget};
use crate::scope::{Actions, Scope};
use crate::system;

/// The context of a request.
#[derive(Clone, Copy)]
pub struct OperationContext<'a, 'repo> {
    /// The repository.
    pub repo: &'repo Repository,
    /// HEAD when the request came.
    pub head: &'a BaseCommit<'repo>,
    /// HEAD's policy.
    pub policy: &'a Policy,
    /// The workspace.
    pub boundary: &'a Boundary,
    /// The approvals.
    pub approvals: &'a [Approval],
}

/// What a step destroys.
#[derive(Debug, Clone)]
pub struct Loss {
    /// Measured against the content on disk.
    pub edit: Measured,
    /// Measured against HEAD's content; `None` if HEAD has no such file.
    pub since_head: Option<Measured>,
    /// The greater of both, by which the step is judged.
    pub judged: Measured,
    /// HEAD's content, if `judged` is measured against that.
    pub committed: Option<Vec<u8>>,
}

impl OperationContext<'_, '_> {
    /// The finding of nested repositories, or of the rules for requests, that refuses the path.
    ///
    /// # Errors
    /// Nested repositories cannot be determined.
    pub fn refusal(&self, path: &BStr, access: Access) -> Result<Option<Finding>> {
        if let Some(finding) = self.refuse_nested(path)? {
            return Ok(Some(finding));
        }
        let mut findings = rules::check_request(&self.policy.settings, path, access).into_iter();
        match findings.find(|finding| finding.level == Level::Error) {
            Some(finding) => Ok(Some(finding)),
            None => rules::refuse_request(path, access, |path| self.committed(path)),
        }
    }

    /// What the step from `old` to `new` destroys. The content on
    /// disk and HEAD's content at `paths` both count, and the greatest loss wins: many small edits, or deleting and
    /// recreating, add up to one large loss.
    ///
    /// # Errors
    /// HEAD cannot be read.
    pub fn loss(&self, old: Option<&[u8]>, new: Option<&[u8]>, paths: &[&BStr]) -> Result<Loss> {
        let head = self.head();
        let there = old.map(|old| self.repo.blob_id(old)).transpose()?;
        let edit = self.step(old, new);
        let mut loss = Loss {
            edit,
            since_head: None,
            judged: edit,
            committed: None,
        };
        for path in paths {
            // Content that HEAD and disk share is measured once; it may be large.
            if there.is_some() && head.get(path)?.map(|state| state.id) == there {
                loss.since_head.get_or_insert(edit);
                continue;
            }
            if let Some(committed) = head.read(path)? {
                let since_head = self.step(Some(&committed), new);
                let known = loss.since_head.as_ref();
                if known.is_none_or(|known| since_head.weight() > known.weight()) {
                    loss.since_head = Some(since_head);
                }
                if since_head.weight() > loss.judged.weight() {
                    loss.judged = since_head;
                    loss.committed = Some(committed);
                }
            }
        }
        let compared = loss.committed.as_deref().or(old);
        if let (Some(old), Some(new), [path]) = (compared, new, paths) {
            let step = (old, new);
            excuses::credit_request(self.policy, path, step, &mut loss.judged, |other| {
                self.grown(other)
            })?;
        }
        Ok(loss)
    }

    /// The versions of a file at the merge base and on disk, empty where there is none, if they differ. Without a merge base,
    /// nothing is known to be of this work.
    fn grown(&self, path: &BStr) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        let target = self.policy.settings.base.as_deref();
        let Some((_, base)) = self.head.merge_base(self.repo, target)? else {
            return Ok(None);
        };
        // What cannot be read gains nothing.
        let Ok(now) = self.boundary.read(path, crate::scope::settings::MAX_SIZE) else {
            return Ok(None);
        };
        let now = now.map_or_else(Vec::new, |file| file.content);
        let before = base.read(path)?.unwrap_or_default();
        Ok((before != now).then_some((before, now)))
    }

    /// What a step destroys, ignoring HEAD.
    pub fn step(&self, old: Option<&[u8]>, new: Option<&[u8]>) -> Measured {
        measure::measure(
            old.map(|old| (Kind::File, old)),
            new.map(|new| (Kind::File, new)),
            &self.policy.settings.thresholds,
        )
    }

    /// How much of `from` (as in HEAD) the file `to` keeps with this content.
    ///
    /// # Errors
    /// HEAD cannot be read.
    pub fn new_end(&self, from: &BStr, to: &BStr, content: &[u8]) -> Result<RenameTarget> {
        let head = self.head();
        let thresholds = &self.policy.settings.thresholds;
        Ok(RenameTarget {
            path: to.to_owned(),
            kept: match head.read(from)? {
                Some(committed) => measure::kept(&committed, content, thresholds),
                None => Kept::WHOLE,
            },
        })
    }

    /// The least that writing an unknown text over `old` and HEAD's content destroys: nothing if those are text,
    /// which the new text may keep.
    ///
    /// # Errors
    /// HEAD cannot be read.
    pub fn least_loss(&self, old: Option<&[u8]>, path: &BStr) -> Result<Measured> {
        let least = |version: Option<&[u8]>| {
            let text = version.filter(|content| !measure::is_binary(content));
            self.step(version, Some(text.unwrap_or(b"text\n")))
        };
        let now = least(old);
        let since_head = least(self.committed(path)?.as_deref());
        Ok(match since_head.weight() > now.weight() {
            true => since_head,
            false => now,
        })
    }

    /// The change as a commit would show it, from HEAD's state. `old` is the content on disk, `renamed` the other
    /// path of a move.
    ///
    /// # Errors
    /// A content cannot be hashed, or HEAD cannot be read.
    pub fn measured_change(
        &self,
        path: &BStr,
        old: Option<&[u8]>,
        new: Option<&[u8]>,
        renamed: Option<&BStr>,
        measured: Measured,
    ) -> Result<MeasuredChange> {
        let wants_content = rules::wants_content(path);
        let (change, before) = match (new, renamed) {
            (Some(new), None) => {
                let head = self.head();
                let committed = wants_content.then(|| head.read(path)).transpose()?;
                let change = written(path, head.get(path)?, self.repo.blob_id(new)?);
                (change, committed.flatten())
            }
            // A file that HEAD lacks still counts as deleted or moved.
            _ => {
                let mut change = self.change(path, old, new)?;
                change.renamed = renamed.map(BString::from);
                (change, old.map(<[u8]>::to_vec))
            }
        };
        let contents = || (before.unwrap_or_default(), new.unwrap_or_default().to_vec());
        let contents = wants_content.then(|| Box::new(contents()));
        Ok(of_one_file(change, measured, contents))
    }

    /// A change to content that is not known yet.
    ///
    /// # Errors
    /// HEAD cannot be read.
    pub fn unknown_content(&self, path: &BStr, measured: Measured) -> Result<MeasuredChange> {
        let head = self.head();
        // No content has this id, so no approval can name it.
        let unknown = ObjectId::null(head.id().kind());
        let change = written(path, head.get(path)?, unknown);
        Ok(of_one_file(change, measured, None))
    }

    /// The step between two contents of a path.
    ///
    /// # Errors
    /// A content cannot be hashed.
    pub fn change(&self, path: &BStr, old: Option<&[u8]>, new: Option<&[u8]>) -> Result<Change> {
        let state = |content: &[u8]| -> Result<State> {
            Ok(State {
                kind: Kind::File,
                id: self.repo.blob_id(content)?,
            })
        };
        let (old, new) = (old.map(state).transpose()?, new.map(state).transpose()?);
        Ok(Change::new(path, old, new))
    }

    /// The same context, without approvals if they do not cover the loss: approvals name HEAD's content, not content
    /// that only the disk has.
    ///
    /// # Errors
    /// A content cannot be hashed, or HEAD cannot be read.
    pub fn consenting(self, path: &BStr, old: Option<&[u8]>, new: &[u8]) -> Result<Self> {
        let Some(old) = old.filter(|_| !self.approvals.is_empty()) else {
            return Ok(self);
        };
        let committed = self.head().get(path)?.map(|state| state.id);
        if committed == Some(self.repo.blob_id(old)?) || !self.step(Some(old), Some(new)).destroys()
        {
            return Ok(self);
        }
        Ok(OperationContext {
            approvals: &[],
            ..self
        })
    }

    /// The policy with the proposed version of a governing design, as for a commit; `None` if `path` is not a
    /// governing design.
    pub fn proposing(&self, path: &BStr, new: &[u8]) -> Option<Policy> {
        let mut designs = self.policy.designs.iter();
        let at = designs.position(|governing| governing.design.path == path)?;
        let proposed = design::parse(path, new, &self.policy.settings);
        let mut policy = self.policy.clone();
        policy.designs[at].proposed = Some(proposed);
        Some(policy)
    }

    /// HEAD's content of a file.
    ///
    /// # Errors
    /// HEAD cannot be read.
    pub fn committed(&self, path: &BStr) -> Result<Option<Vec<u8>>> {
        self.head().read(path)
    }

    /// HEAD's tree.
    fn head(&self) -> &Tree<'_> {
        self.head.tree()
    }

    /// The errors of the rules, most severe first.
    ///
    /// # Errors
    /// The configured base does not exist, or a commit cannot be read.
    pub fn refusals(&self, changes: &[MeasuredChange]) -> Result<Vec<Finding>> {
        let failed = FirstError::default();
        let mut findings = rules::check(&Case {
            platform: system::PLATFORM,
            policy: self.policy,
            changes,
            result: self.boundary,
            merge_base: &|path| failed.seen(self.before(path)).flatten(),
            approvals: self.approvals,
        });
        failed.finish()?;
        findings.retain(|finding| finding.level == Level::Error);
        findings.sort_by_key(|finding| finding.rule);
        Ok(findings)
    }

    /// The state at the merge base. Without one, a file that HEAD lacks and a row lets be added is of this work, so it
    /// may go again.
    fn before(&self, path: &BStr) -> Result<Option<Option<State>>> {
        let target = self.policy.settings.base.as_deref();
        let known = self.head.at_merge_base(self.repo, target, path)?;
        let is_own = |scope: &Scope| scope.actions(path).contains(Actions::ADD);
        Ok(match self.policy.scope.as_ref().is_some_and(is_own) {
            true if known.is_none() && self.head().get(path)?.is_none() => Some(None),
            _ => known,
        })
    }

    /// Requests stop at nested repositories, which have their own designs, settings and signers: the finding for a path
    /// in a work tree, a submodule that is not checked out, or a bare repository.
    fn refuse_nested(&self, path: &BStr) -> Result<Option<Finding>> {
        let nested = match self.boundary.nested_repository(path) {
            Ok(nested) => nested,
            Err(BoundaryError::Refused(rejection)) => {
                let reason = rejection.reason;
                let finding = Finding::new(reason.rule(), path, rejection.message);
                let finding = finding.help(reason.advice());
                return Ok(Some(finding.detail("reason", reason.detail())));
            }
            Err(error) => return Err(Error::new(error.to_string())),
        };
        let (at, what) = match nested {
            Some(NestedRepository::WorkTree(at)) => (at, "a separate repository"),
            Some(NestedRepository::Bare(at)) => {
                let what = "a bare repository, whose configuration and hooks git would run";
                (at, what)
            }
            None => match self.repo.submodule_of(self.head(), path)? {
                Some(at) => (at, "a submodule that is not checked out"),
                None => return Ok(None),
            },
        };
        let message = match path == at {
            true => format!("{} is {what}", escaped(path)),
            false => format!("{} is in {}, {what}", escaped(path), escaped(&at)),
        };
        let inside = path.get(at.len() + 1..).unwrap_or(b".");
        let command = format!("guard -C {} check {}", shell_word(&at), shell_word(inside));
        let finding = Finding::new(Rule::OutsideWorkspace, path, message)
            .help("it has its own settings and designs; check it out, and run guard there:")
            .help(Help::command(command));
        Ok(Some(finding.detail("reason", Reason::PathOutside.detail())))
    }
}

/// The change that writes a content, from the committed state. A write keeps the file mode.
fn written(path: &BStr, committed: Option<State>, id: ObjectId) -> Change {
    let kind = committed.map(|state| state.kind);
    let kind = kind.filter(|kind| kind.is_file()).unwrap_or(Kind::File);
    Change::new(path, committed, Some(State { kind, id }))
}

/// A request is about one file; only a move knows the new path.
fn of_one_file(
    change: Change,
    measured: Measured,
    content: Option<Box<(Vec<u8>, Vec<u8>)>>,
) -> MeasuredChange {
    MeasuredChange {
        compared: change.old,
        change,
        measured: Some(measured),
        new_ends: Vec::new(),
        moved_to: Vec::new(),
        content,
    }
}
