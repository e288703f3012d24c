//! `guard snapshot`: lists, shows, compares and restores snapshots.

use clap::Subcommand;
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice;
use serde_json::{Value, json};

use super::files::in_words;
use super::options::{DesignArgs, repository, with_approvals};
use super::output::Output;
use super::question::{asking, person_to_ask};
use crate::boundary::Boundary;
use crate::error::{Error, Result};
use crate::files::{self, Gate};
use crate::git::{CHANGE, Repository, Snapshot, WorkTree};
use crate::measure::unified_preview;
use crate::path::escaped;
use crate::report::Format;

#[derive(Debug, Subcommand)]
#[command(
    after_help = "Examples:\n  guard snapshot list\n  guard snapshot diff 4b45435\n  guard snapshot restore 4b45435 src/state.py"
)]
pub(super) enum SnapshotArgs {
    /// List the snapshots, newest first.
    #[command(after_help = "Examples:\n  guard snapshot list\n  guard snapshot list --format json")]
    List,
    /// List the files of a snapshot, or print one of them.
    #[command(
        after_help = "Examples:\n  guard snapshot show 4b45435\n  guard snapshot show 4b45435 src/state.py > old.py"
    )]
    Show {
        /// The snapshot: its commit id, or at least the first four characters of it.
        snapshot: String,
        /// The file to print, relative to the current directory.
        path: Option<PathBuf>,
    },
    /// Show what changed since a snapshot.
    #[command(after_help = "Examples:\n  guard snapshot diff 4b45435")]
    Diff {
        /// The snapshot.
        snapshot: String,
    },
    /// Restore the files of a snapshot, after taking a snapshot of the current ones.
    #[command(
        after_help = "Examples:\n  guard snapshot restore 4b45435\n  guard snapshot restore 4b45435 src/state.py\n\nguard checks a restore as `guard write` or `guard delete`, and may refuse it or let it wait for approval. `guard snapshot show ID FILE` prints the content in any case."
    )]
    Restore {
        /// The snapshot.
        snapshot: String,
        /// Restore only these files, relative to the current directory.
        paths: Vec<PathBuf>,
        #[command(flatten)]
        design: DesignArgs,
        /// Never ask; let a change that needs approval wait, as guard does without a terminal.
        #[arg(long)]
        auto: bool,
    },
    /// Delete snapshots that are older than `[snapshots] keep`.
    #[command(
        after_help = "Examples:\n  guard snapshot prune\n\n`git gc` later removes their content."
    )]
    Prune,
}

impl SnapshotArgs {
    pub(super) fn run(&self, output: &mut Output) -> files::GateResult<u8> {
        let repo = repository()?;
        match self {
            SnapshotArgs::List => list(output, &repo)?,
            SnapshotArgs::Show { snapshot, path } => {
                show_one(output, &repo, snapshot, path.as_deref())?
            }
            SnapshotArgs::Diff { snapshot } => diff(output, &repo, snapshot)?,
            SnapshotArgs::Restore {
                snapshot,
                paths,
                design,
                auto,
            } => restore(output, &repo, snapshot, paths, design, *auto)?,
            SnapshotArgs::Prune => prune(output, &repo)?,
        }
        Ok(0)
    }
}

fn list(output: &mut Output, repo: &Repository) -> Result<()> {
    let all = repo.snapshots()?;
    let lost: Vec<String> = all.lost.iter().map(ToString::to_string).collect();
    let note = |id| {
        format!(
            "snapshot {id} cannot be listed: an object is missing or damaged; to check the repository: git fsck"
        )
    };
    let mut notes: Vec<String> = lost.iter().map(note).collect();
    if all.is_cut {
        notes.push(
            "the list is incomplete: guard cannot find the snapshots before the last one"
                .to_owned(),
        );
    }
    output.notes(&notes);
    let line = |snapshot: &Snapshot| {
        let id = snapshot.id.to_hex_with_len(12);
        format!("{id}  {}\n", in_a_line(repo, snapshot))
    };
    let text: String = all.readable.iter().map(line).collect();
    let items = all.readable.iter();
    let items: Vec<Value> = items.map(|one| files::snapshot_json(repo, one)).collect();
    output.answer(
        &json!({ "version": 1, "snapshots": items, "lost": lost }),
        text,
    );
    Ok(())
}

fn in_a_line(repo: &Repository, snapshot: &Snapshot) -> String {
    let (time, title) = (files::rfc3339(snapshot.time), escaped(&snapshot.title));
    format!("{time}  {title}{}", elsewhere(repo, &snapshot.work_tree))
}

/// The suffix of a list entry that belongs to another work tree.
pub(super) fn elsewhere(repo: &Repository, work_tree: &WorkTree) -> String {
    match *work_tree == repo.work_tree() {
        true => String::new(),
        false => format!("  (work tree {})", files::name_of(repo, work_tree)),
    }
}

fn show_one(
    output: &mut Output,
    repo: &Repository,
    name: &str,
    path: Option<&Path>,
) -> files::GateResult<()> {
    let snapshot = repo.snapshot_named(name)?;
    if let Some(path) = path {
        return print_file(output, repo, &snapshot, path);
    }
    let mut text = in_a_line(repo, &snapshot) + "\n";
    for path in &snapshot.files {
        text.push_str(&format!("  {}\n", escaped(path)));
    }
    for path in &snapshot.absent {
        text.push_str(&format!("  {} (did not exist)\n", escaped(path)));
    }
    output.answer(&files::snapshot_json(repo, &snapshot), text);
    Ok(())
}

fn print_file(
    output: &mut Output,
    repo: &Repository,
    snapshot: &Snapshot,
    path: &Path,
) -> files::GateResult<()> {
    let (id, path) = (snapshot.id, files::snapshot_path(repo, path)?);
    let bytes = repo.tree_of(Some(id))?.read(path.as_ref())?;
    let bytes = bytes.ok_or_else(|| {
        Error::new(format!("the snapshot has no file {}", escaped(&path)))
            .help(format!("to list its files: guard snapshot show {id}"))
    })?;
    if output.format == Format::Json && bytes.to_str().is_err() {
        let message = format!("{} is not UTF-8, so JSON cannot hold it", escaped(&path));
        let help = "to get the bytes as they are, leave out --format json";
        return Err(Error::new(message).help(help).into());
    }
    let (id, path) = (id.to_string(), path.to_str_lossy());
    output.answer(
        &json!({ "version": 1, "id": id, "path": path, "content": bytes.to_str_lossy() }),
        &bytes,
    );
    Ok(())
}

fn diff(output: &mut Output, repo: &Repository, name: &str) -> files::GateResult<()> {
    let snapshot = repo.snapshot_named(name)?;
    let id = snapshot.id;
    files::check_is_here(
        repo,
        &snapshot.work_tree,
        &format!("the snapshot {id}"),
        &format!("snapshot diff {id}"),
        &format!("to print one of its files: guard snapshot show {id} FILE"),
    )?;
    let boundary = Boundary::open(repo.own_workdir()?)?;
    let tree = repo.tree_of(Some(id))?;
    let mut text = String::new();
    for path in snapshot.files.iter().chain(&snapshot.absent) {
        let before = tree.read(path.as_ref())?.unwrap_or_default();
        let now = boundary.read(path.as_ref(), u64::MAX)?;
        let now = now.map_or_else(Vec::new, |entry| entry.content);
        if before != now {
            let shown = escaped(path).to_string();
            text.push_str(&unified_preview(&before, &now, &shown, &shown, usize::MAX));
        }
    }
    output.answer(
        &json!({ "version": 1, "id": snapshot.id.to_string(), "diff": text }),
        &text,
    );
    Ok(())
}

/// Takes back what an observed command did.
fn take_back(
    output: &mut Output,
    repo: &Repository,
    name: &str,
    only: &[PathBuf],
    design: &DesignArgs,
) -> files::GateResult<()> {
    let options = with_approvals(repo, design.options(false))?;
    let taken = files::take_back(repo, &options, name, only)?;
    if !taken.lost.is_empty() {
        let lost = taken.lost.join(", ");
        output.notes(&[format!("guard has no copy of {lost}; restore it yourself")]);
    }
    let text = match taken.done.is_empty() {
        true => "nothing is left to take back\n".to_owned(),
        false => format!("taken back: {}\n", taken.done.join(", ")),
    };
    output.answer(
        &json!({ "version": 1, "taken_back": taken.done, "no_copy": taken.lost }),
        text,
    );
    Ok(())
}

fn restore(
    output: &mut Output,
    repo: &Repository,
    name: &str,
    only: &[PathBuf],
    design: &DesignArgs,
    auto: bool,
) -> files::GateResult<()> {
    if name.starts_with(CHANGE) {
        return take_back(output, repo, name, only, design);
    }
    let gate = Gate::open(repo, &design.options(false))?;
    output.notes(&gate.policy.notes);
    let person = person_to_ask(auto);
    let (_, done) = asking(output, repo, gate, person, |gate, ask| {
        gate.restore(name, only, ask)
    })?;
    if !done.is_empty() {
        output.settle(format!("the restore is done: {}", files::paths_of(&done)));
    }
    let text = match done.is_empty() {
        true => "every file is as the snapshot has it\n".to_owned(),
        false => done.iter().map(|done| in_words(done) + "\n").collect(),
    };
    output.answer(&files::restored_json(&done), text);
    Ok(())
}

fn prune(output: &mut Output, repo: &Repository) -> Result<()> {
    let kept = files::prune(repo)?;
    let (forgotten, kept) = (kept.forgotten, kept.kept);
    output.answer(
        &json!({ "version": 1, "forgotten": forgotten, "kept": kept }),
        format!("deleted {forgotten} snapshots, kept {kept}\n"),
    );
    Ok(())
}
