//! Restores files from a snapshot. A restore is judged as the write or removal that it is, unless it undoes guard's
//! last operation there; scope and loss then do not matter, because the previous state returns.

use gix::bstr::{BStr, BString};

use super::lock::Lock;
use super::previous_content::{PreviousContent, Restore};
use super::recorded_steps::BlobIds;
use super::undone_operation::{UndoneOperation, digest, undone};
use super::{
    Ask, CompletedOperation, Failure, FailureKind, Gate, GateResult, Log, Operation, check_is_here,
};
use crate::boundary::{Boundary, OpenedFile};
use crate::change::Kind;
use crate::git::{Pruned, Repository, Snapshot};
use crate::judge::{Options, settings_of_head};
use crate::path::{escaped, shell_word};

impl<'a> Gate<'a> {
    /// Opens the workspace to restore files from a snapshot, and plans the steps. Undoing guard's last operation
    /// needs no design.
    ///
    /// # Errors
    /// As for [`Gate::open`]; the snapshot cannot be read.
    pub fn open_to_restore(
        repo: &'a Repository,
        options: &Options,
        snapshot: &Snapshot,
        paths: &[BString],
    ) -> GateResult<(Gate<'a>, Vec<(BString, Operation)>)> {
        let id = snapshot.id;
        let count = snapshot.files.len() + snapshot.absent.len();
        let mut arguments = format!("snapshot restore {id}");
        for path in paths.iter().filter(|_| paths.len() < count) {
            arguments.push_str(&format!(" {}", shell_word(path)));
        }
        check_is_here(
            repo,
            &snapshot.work_tree,
            &format!("the snapshot {id}"),
            &arguments,
            &format!("guard snapshot show {id} FILE prints its content"),
        )?;
        let boundary = Boundary::open(repo.own_workdir()?)?;
        let max = crate::policy::settings::MAX_SIZE;
        let tree = repo.tree_of(Some(snapshot.id))?;
        let (mut steps, mut now, mut back) = (Vec::new(), BlobIds::new(), BlobIds::new());
        for path in paths {
            let previous = match (tree.get(path.as_ref())?, tree.read(path.as_ref())?) {
                (Some(state), Some(bytes)) => PreviousContent::Content {
                    bytes,
                    is_executable: state.kind == Kind::Executable,
                },
                _ => PreviousContent::Absent,
            };
            // An unreadable file is not an undo; its step reports the error.
            let there = boundary.read(path.as_ref(), max).ok();
            let content = there
                .as_ref()
                .map(|entry| entry.as_ref().map(|entry| entry.content.as_slice()));
            let is_there = match (&previous, content) {
                (PreviousContent::Content { bytes, .. }, Some(content)) => {
                    content == Some(bytes.as_slice())
                }
                (_, Some(content)) => content.is_none(),
                (_, None) => false,
            };
            if let Some(content) = content {
                now.push((path.clone(), digest(repo, content)));
                back.push((path.clone(), previous.digest(repo)));
            }
            if !is_there {
                steps.push((path.clone(), previous));
            }
        }
        let is_whole = now.len() == count;
        let name = snapshot.id.to_string();
        let undone = match is_whole && !steps.is_empty() {
            true => undone(repo, &read(&Log::of(repo))?, &now, &back),
            false => None,
        };
        if let Some(UndoneOperation {
            moved: Some((from, to)),
            ..
        }) = &undone
        {
            steps = vec![(to.clone(), PreviousContent::From(from.clone()))];
        }
        let undoes = undone.map(|undone| undone.seq);
        let operation = |(path, previous)| {
            let snapshot = name.clone();
            let restore = Restore {
                snapshot,
                previous,
                undoes,
            };
            (path, Operation::Restore(restore))
        };
        let needs_design = undoes.is_none() && !steps.is_empty();
        let gate = Gate::open_with(repo, options, needs_design)?;
        Ok((gate, steps.into_iter().map(operation).collect()))
    }

    /// Performs the steps after all are judged. If a person must decide about one, nothing is done before.
    ///
    /// # Errors
    /// As for [`Gate::perform_asking`], or without `ask` as for [`Gate::perform`]. The error names the steps already
    /// done.
    pub fn restore(
        &self,
        steps: &[(BString, Operation)],
        mut ask: Option<Ask<'_>>,
    ) -> GateResult<Vec<CompletedOperation>> {
        let mut judged = Vec::new();
        if steps.len() > 1 {
            let _alone = self.alone()?;
            for (path, operation) in steps {
                let (_, finding) = self.prepare(path.as_ref(), operation)?;
                judged.push((finding.is_none(), path, operation));
            }
        } else {
            judged.extend(
                steps
                    .iter()
                    .map(|(path, operation)| (true, path, operation)),
            );
        }
        judged.sort_by_key(|&(is_free, ..)| is_free);
        let mut all: Vec<CompletedOperation> = Vec::new();
        for (_, path, operation) in judged {
            let done = match ask.as_deref_mut() {
                Some(ask) => self.perform_asking(path.as_ref(), operation, ask),
                None => self.perform(path.as_ref(), operation),
            };
            all.push(done.map_err(|failure| after(&all, failure))?);
        }
        Ok(all)
    }

    /// Whether an undo still is one, now that the lock is held; `target` is the path that a file returns to.
    pub(super) fn confirm(
        &self,
        restore: &Restore,
        path: &BStr,
        entry: Option<&OpenedFile>,
        target: Option<(&BStr, Option<&OpenedFile>)>,
    ) -> GateResult<()> {
        if restore.undoes.is_none() {
            return Ok(());
        }
        let digest = |entry: Option<&OpenedFile>| {
            let content = entry.map(|entry| entry.content.as_slice());
            digest(self.repo, content)
        };
        let mut now = vec![(path.to_owned(), digest(entry))];
        let mut back = vec![(path.to_owned(), restore.previous.digest(self.repo))];
        if let Some((target, there)) = target {
            now.push((target.to_owned(), digest(there)));
            back.push((target.to_owned(), digest(entry)));
        }
        let undone = undone(self.repo, &read(&self.log)?, &now, &back);
        if undone.map(|undone| undone.seq) == restore.undoes {
            return Ok(());
        }
        Err(Failure::new(
            FailureKind::Stale,
            "the file changed meanwhile; nothing was written",
        )
        .help("review the change again: guard snapshot diff"))
    }
}

/// Removes snapshots older than the settings say, with the lock held.
///
/// # Errors
/// The lock is unavailable, or a snapshot cannot be read or written.
pub fn prune(repo: &Repository) -> crate::error::Result<Pruned> {
    let keep = settings_of_head(repo)?.keep;
    let lock = Lock::new(repo.common_dir());
    let _alone = lock.take().map_err(Failure::into_error)?;
    let now = gix::date::Time::now_utc().seconds;
    repo.prune_snapshots(now.saturating_sub_unsigned(keep))
}

fn read(log: &Log) -> GateResult<Vec<u8>> {
    log.read().map_err(|error| {
        Failure::new(
            FailureKind::Record,
            format!("the audit log cannot be read: {error}"),
        )
        .help("guard writes nothing without a record; check the log: guard audit verify")
    })
}

fn after(done: &[CompletedOperation], failure: Failure) -> Failure {
    if done.is_empty() {
        return failure;
    }
    let paths: Vec<String> = done
        .iter()
        .map(|done| escaped(&done.analysis.path).to_string())
        .collect();
    let message = format!("{}; already done: {}", failure.message, paths.join(", "));
    Failure { message, ..failure }
}
