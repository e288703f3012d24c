//! Takes back what an observed command did: exactly that, as long as it is as the command left it.

use std::path::PathBuf;

use gix::bstr::BString;
use serde_json::Value;

use super::log::{members, record};
use super::perform::{backup, circumstances};
use super::restore::previous;
use super::{Gate, GateResult, Log, Operation, log, snapshot_path};
use crate::boundary::{Boundary, OpenedFile};
use crate::change::Change;
use crate::error::Result;
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
    let only: Vec<BString> = only.collect::<Result<_>>()?;
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
        let step = |change: &Change| {
            let (snapshot, previous) = (name.to_owned(), previous(&both, change.old)?);
            Ok((
                change.path.clone(),
                Operation::Restore { snapshot, previous },
            ))
        };
        let steps = back.changed.iter().map(step).collect::<Result<Vec<_>>>()?;
        drop(store);
        let restored = Gate::open(repo, options)?.restore(&steps, None)?;
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

/// The content that goes stays as a snapshot, so that a person can look at it.
fn keep_present(repo: &Repository, name: &str, files: &[Change]) -> GateResult<()> {
    if files.is_empty() {
        return Ok(());
    }
    let boundary = Boundary::open(repo.own_workdir()?)?;
    let present = |change| -> Option<(&Change, OpenedFile)> {
        let change: &Change = change;
        Some((change, boundary.read(change.path.as_ref(), MAX_SIZE).ok()??))
    };
    let present: Vec<_> = files.iter().filter_map(present).take(MOST).collect();
    let before = present
        .iter()
        .map(|(change, entry)| (change.path.as_ref(), Some(entry.as_git_has_it())));
    let title = format!("Before taking back {name}: {} files", files.len());
    let backup = match present.is_empty() {
        true => None,
        false => Some(backup(repo, before, &title)?),
    };
    let paths = shown(files.iter().map(|change| &change.path));
    let mut facts = members([
        ("operation", Some("take-back".into())),
        ("change", Some(name.into())),
        ("paths", Some(Value::from(paths))),
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
    if kept.is_empty() {
        return Ok(());
    }
    let before = kept.iter().map(|(path, (content, is_executable))| {
        (path.as_ref(), Some((content.as_slice(), *is_executable)))
    });
    let title = format!("Before a command: {} files", kept.len());
    let _alone = log::alone(repo)?;
    backup(repo, before, &title).map(drop)
}
