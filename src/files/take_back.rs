//! Takes back what an observed command did: exactly that, as long as it is as the command left it.

use std::path::PathBuf;

use gix::ObjectId;
use gix::bstr::BString;

use super::log::{members, record};
use super::perform::{backup, circumstances};
use super::restore::{RestoreStep, previous};
use super::{Gate, GateResult, Log, Operation, log, snapshot_path};
use crate::boundary::Boundary;
use crate::change::Change;
use crate::git::{Blobs, CheckpointStore, ObservedChange, Repository};
use crate::judge::Options;
use crate::path::escaped;
use crate::scope::settings::MAX_SIZE;

/// The most files whose present content becomes a snapshot first.
const MOST: usize = 500;

/// What was taken back.
#[derive(Debug, Default)]
pub struct TakenBackChange {
    /// The files and what else returned to its former state.
    pub done: Vec<String>,
    /// What guard has no copy of.
    pub lost: Vec<String>,
}

/// Takes back an observed change. A file that changed since is judged as the write or removal that it is. `only`
/// limits it to these files, relative to the current directory.
///
/// # Errors
/// The change is not known, a file cannot be restored, or a later change is refused.
pub fn take_back(
    repo: &Repository,
    options: &Options,
    name: &str,
    only: &[PathBuf],
) -> GateResult<TakenBackChange> {
    let store = CheckpointStore::open(repo)?;
    let observed = store.observed(name)?;
    let only = only.iter().map(|path| snapshot_path(repo, path));
    let only: Vec<BString> = only.collect::<GateResult<_>>()?;
    let back = store.to_take_back(repo, &observed, &only)?;
    let mut done = shown(back.files.iter().map(|change| &change.path));
    {
        let _alone = log::alone(repo)?;
        keep_present(repo, name, &back.files)?;
        store.take_back_files(&back)?;
        if only.is_empty() {
            done.extend(store.take_back_rest(repo, &observed)?);
        }
    }
    if !back.changed.is_empty() {
        let both = store.repository(Blobs::new())?;
        let step = |change: &Change| -> GateResult<RestoreStep> {
            let (snapshot, previous) = (name.to_owned(), previous(&both, change.old)?);
            let restore = Operation::Restore { snapshot, previous };
            Ok((change.path.clone(), restore))
        };
        let steps = back.changed.iter().map(step);
        let steps = steps.collect::<GateResult<Vec<_>>>()?;
        drop(store);
        let restored = Gate::open(repo, options)?.restore_all(&steps, None)?;
        done.extend(shown(restored.iter().map(|effect| &effect.path)));
    }
    Ok(TakenBackChange {
        done,
        lost: shown(&back.lost),
    })
}

fn shown<'p>(paths: impl IntoIterator<Item = &'p BString>) -> Vec<String> {
    let paths = paths.into_iter();
    paths.map(|path| escaped(path).to_string()).collect()
}

/// A path, its content, and whether it was executable.
type FileCopy<'p> = (&'p BString, (Vec<u8>, bool));

/// A snapshot of these copies; `None` if there are none.
fn snapshot(
    repo: &Repository,
    copies: &[FileCopy<'_>],
    when: &str,
) -> GateResult<Option<ObjectId>> {
    if copies.is_empty() {
        return Ok(None);
    }
    let before = copies.iter().map(|(path, (content, is_executable))| {
        (path.as_ref(), Some((content.as_slice(), *is_executable)))
    });
    let title = format!("Before {when}: {} files", copies.len());
    backup(repo, before, &title).map(Some)
}

/// The content that goes stays as a snapshot, so that a person can look at it.
fn keep_present(repo: &Repository, name: &str, files: &[Change]) -> GateResult<()> {
    if files.is_empty() {
        return Ok(());
    }
    let boundary = Boundary::open(repo.own_workdir()?)?;
    let present = files.iter().filter_map(|change| {
        let entry = boundary.read(change.path.as_ref(), MAX_SIZE).ok()??;
        let is_executable = entry.is_executable();
        Some((&change.path, (entry.content, is_executable)))
    });
    let present: Vec<FileCopy<'_>> = present.take(MOST).collect();
    let backup = snapshot(repo, &present, &format!("taking back {name}"))?;
    let paths = shown(files.iter().map(|change| &change.path));
    let mut facts = members([
        ("operation", Some("take-back".into())),
        ("change", Some(name.into())),
        ("paths", Some(paths.into())),
    ]);
    facts.extend(circumstances(repo, &[], backup));
    record(&Log::of(repo), "taken-back", facts).map(drop)
}

/// Keeps the content of files that no commit has, as it was in a checkpoint, as a snapshot.
///
/// # Errors
/// It cannot be written.
pub fn keep_only_copies(
    repo: &Repository,
    store: &CheckpointStore,
    change: &ObservedChange,
    paths: &[BString],
) -> GateResult<()> {
    let both = store.repository(Blobs::new())?;
    let tree = both.tree_in(&change.before);
    let mut kept = Vec::new();
    for path in paths.iter().take(MOST) {
        kept.extend(previous(&both, tree.get(path.as_ref())?)?.map(|file| (path, file)));
    }
    let _alone = log::alone(repo)?;
    snapshot(repo, &kept, "a command").map(drop)
}
