//! Judges what a request would do to a file, for `guard check` and the file verbs.

use gix::ObjectId;
use gix::bstr::BStr;

use super::excuses;
use super::facts::BaseCommit;
use super::tree_view::FirstError;
use write_guard_policy::approve::Approval;
use write_guard_policy::change::{Change, Kind, State};
use write_guard_policy::design;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::{Finding, Help, Level, Rule};
use write_guard_policy::measure::{self, Class, Kept, Measured};
use write_guard_policy::path::{Platform, Reason, escaped, shell_word};
use write_guard_policy::policy::Policy;
use write_guard_policy::rules::{self, Access, Case, MeasuredChange, RenameTarget};
use write_guard_policy::scope::Actions;
use write_guard_repo::boundary::{Boundary, ROOT};
use write_guard_repo::{Repository, Tree};

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
            None => rules::refuse_request(path, access, |path| self.head().read(path)),
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
        let edit = self.step(old, new);
        let mut loss = Loss {
            edit,
            since_head: None,
            judged: edit,
            committed: None,
        };
        for path in paths {
            // Content that HEAD and disk share is measured once; it may be large.
            if let Some(old) = old
                && head.get(path)?.map(|state| state.id) == Some(self.stored_id(path, old)?)
            {
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
        if let (Some(compared), Some(new), [path]) = (compared, new, paths)
            && excuses::is_replaced(&loss.judged)
        {
            let credited = self.without_moved(path, compared, new)?;
            loss.judged = credited.unwrap_or(loss.judged);
        }
        Ok(loss)
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
    pub(super) fn new_end(&self, from: &BStr, to: &BStr, content: &[u8]) -> Result<RenameTarget> {
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

    /// A change to a text that is not known yet. It destroys at least this: nothing of the text on disk (`old`) and in
    /// HEAD, which it may keep.
    ///
    /// # Errors
    /// HEAD cannot be read.
    pub fn unknown_text(&self, path: &BStr, old: Option<&[u8]>) -> Result<MeasuredChange> {
        let head = self.head();
        let mut measured = self.least_loss(old);
        let since_head = self.least_loss(head.read(path)?.as_deref());
        if since_head.weight() > measured.weight() {
            measured = since_head;
        }
        // No content has this id, so no approval can name it.
        let unknown = ObjectId::null(head.id().kind());
        let change = written(path, head.get(path)?, unknown);
        Ok(of_one_file(change, measured, None))
    }

    /// What a version loses at least by a text that may keep all of it.
    fn least_loss(&self, version: Option<&[u8]>) -> Measured {
        let text = version.filter(|content| !measure::is_binary(content));
        self.step(version, Some(text.unwrap_or(b"text\n")))
    }

    /// The change as a commit would show it, from HEAD's state. `old` is the content on disk.
    ///
    /// # Errors
    /// A content cannot be hashed, or HEAD cannot be read.
    pub fn measured_change(
        &self,
        path: &BStr,
        old: Option<&[u8]>,
        new: Option<&[u8]>,
        measured: Measured,
    ) -> Result<MeasuredChange> {
        let head = self.head();
        let Some(new) = new else {
            // A file that HEAD lacks still counts as deleted.
            let change = self.change(path, old, None)?;
            let committed = head.get(path)?.map(|state| state.id);
            let is_committed = committed == change.old.map(|state| state.id);
            let mut deleted =
                self.with_contents(change, old.unwrap_or_default().to_vec(), &[], measured);
            deleted.is_committed = is_committed;
            return Ok(deleted);
        };
        let change = written(path, head.get(path)?, self.stored_id(path, new)?);
        let committed = head.read(path)?.unwrap_or_default();
        Ok(self.with_contents(change, committed, new, measured))
    }

    /// The end of a move that loses the file. `old` is the content there, and `new` the content at the end `to`.
    ///
    /// # Errors
    /// A content cannot be hashed, or HEAD cannot be read.
    pub fn old_end_of_move(
        &self,
        from: &BStr,
        old: Option<&[u8]>,
        to: &BStr,
        new: &[u8],
    ) -> Result<MeasuredChange> {
        let mut old_end = self.measured_change(from, old, None, self.step(old, None))?;
        old_end.change.renamed = Some(to.to_owned());
        old_end.new_ends = vec![self.new_end(from, to, new)?];
        Ok(old_end)
    }

    /// The end of a move that gains the file. A file that HEAD has there does not count: the work tree lacks it.
    ///
    /// # Errors
    /// The content cannot be hashed.
    pub fn new_end_of_move(
        &self,
        from: &BStr,
        to: &BStr,
        new: &[u8],
        measured: Measured,
    ) -> Result<MeasuredChange> {
        let mut change = self.change(to, None, Some(new))?;
        change.renamed = Some(from.to_owned());
        Ok(self.with_contents(change, Vec::new(), new, measured))
    }

    /// A measured change, with its contents if a rule reads them.
    fn with_contents(
        &self,
        change: Change,
        before: Vec<u8>,
        after: &[u8],
        measured: Measured,
    ) -> MeasuredChange {
        let is_wanted = rules::wants_content_under(self.policy, change.path.as_ref());
        let contents = is_wanted.then(|| Box::new((before, after.to_vec())));
        of_one_file(change, measured, contents)
    }

    /// The id that a content has in git, which approvals name: HEAD's own, or that of the content as git would store
    /// it.
    fn stored_id(&self, path: &BStr, content: &[u8]) -> Result<ObjectId> {
        let id = self.repo.blob_id(content)?;
        if self.head().get(path)?.is_some_and(|state| state.id == id) {
            return Ok(id);
        }
        self.repo.stored_id(path, content)
    }

    /// The step that an approval names: from the content that the loss is measured against to what `change` writes.
    ///
    /// # Errors
    /// A content cannot be hashed.
    pub fn consent(
        &self,
        path: &BStr,
        old: Option<&[u8]>,
        change: &MeasuredChange,
    ) -> Result<Change> {
        let mut consent = self.change(path, old, None)?;
        consent.new = change.change.new.map(|new| State {
            kind: Kind::File,
            ..new
        });
        Ok(consent)
    }

    /// The step of the commit that follows the write of a disk's content beyond HEAD's, which the same person need not be
    /// asked about again: what the disk had loses nothing of HEAD's content that needs an approval of its own.
    ///
    /// # Errors
    /// HEAD cannot be read, or a content cannot be hashed.
    pub fn consent_to_commit(
        &self,
        path: &BStr,
        disk: Option<&[u8]>,
        loss: &Loss,
        change: &MeasuredChange,
    ) -> Result<Option<Change>> {
        let committed = self.head().read(path)?;
        let committed = committed.filter(|_| loss.committed.is_none());
        let is_own_step = committed.is_some()
            && committed.as_deref() != disk
            && loss
                .since_head
                .is_some_and(|since| since.destroys() || since.class == Class::Delete)
            && !self.step(committed.as_deref(), disk).destroys();
        let consent = is_own_step.then(|| self.consent(path, committed.as_deref(), change));
        consent.transpose()
    }

    /// The step between two contents of a path.
    ///
    /// # Errors
    /// A content cannot be hashed.
    pub fn change(&self, path: &BStr, old: Option<&[u8]>, new: Option<&[u8]>) -> Result<Change> {
        let before = old.map(|old| self.stored_state(path, old)).transpose()?;
        let after = new.map(|new| self.stored_state(path, new)).transpose()?;
        Ok(Change::new(path, before, after))
    }

    /// The state that a file with this content would have in git.
    fn stored_state(&self, path: &BStr, content: &[u8]) -> Result<State> {
        Ok(State {
            kind: Kind::File,
            id: self.stored_id(path, content)?,
        })
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
        if committed == Some(self.stored_id(path, old)?)
            || !self.step(Some(old), Some(new)).destroys()
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

    /// HEAD's tree.
    pub(super) fn head(&self) -> &Tree<'_> {
        &self.head.tree
    }

    /// The errors of the rules, most severe first.
    ///
    /// # Errors
    /// The configured base does not exist, or a commit cannot be read.
    pub fn refusals(&self, changes: &[MeasuredChange]) -> Result<Vec<Finding>> {
        let failed = FirstError::default();
        let mut findings = rules::check(&Case {
            platform: Platform::HOST,
            policy: self.policy,
            changes,
            result: self.boundary,
            merge_base: &|path| failed.seen(self.before(path)).flatten(),
            submodules: write_guard_repo::submodules,
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
        let scope = self.policy.scope.as_ref();
        let may_add = scope.is_some_and(|scope| scope.actions(path).contains(Actions::ADD));
        if may_add && known.is_none() && self.head().get(path)?.is_none() {
            return Ok(Some(None));
        }
        Ok(known)
    }

    /// Requests stop at nested repositories, which have their own designs, settings and signers: the finding for a path
    /// in a work tree, a submodule that is not checked out, or a bare repository.
    fn refuse_nested(&self, path: &BStr) -> Result<Option<Finding>> {
        if path == ROOT {
            return Ok(None);
        }
        let nested = self.boundary.nested_repository(path);
        let nested = match nested.map_err(|error| Error::new(error.to_string()))? {
            None => self.repo.submodule_of(self.head(), path)?,
            nested => nested,
        };
        let Some(at) = nested else {
            return Ok(None);
        };
        let shown = escaped(path);
        let place = escaped(&at);
        let message = format!("{shown} belongs to the separate repository {place}");
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
pub(super) fn of_one_file(
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
        is_committed: false,
        pays_for: None,
        content,
    }
}
