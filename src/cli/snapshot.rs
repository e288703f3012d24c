//! `guard snapshot`: lists, shows, compares and restores snapshots.

use clap::Subcommand;
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice;
use serde_json::{Value, json};

use super::files::print_content;
use super::options::{DesignArgs, repository};
use super::output::Output;
use super::question::{asking, person_to_ask};
use crate::approvals::with_unexpired;
use crate::files::{self, Gate};
use crate::report::rfc3339;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Help;
use write_guard_policy::measure::unified_preview;
use write_guard_policy::path::escaped;
use write_guard_repo::boundary::Boundary;
use write_guard_repo::{CHANGE, ObservedChange, Repository, Snapshot};

#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  guard snapshot list
  guard snapshot diff 4b45435
  guard snapshot restore 4b45435 src/state.py")]
pub(super) enum SnapshotArgs {
    /// List the snapshots, newest first, and what the calls of agents changed.
    #[command(after_help = "Examples:\n  guard snapshot list\n  guard snapshot list --format json")]
    List,
    /// List the files of a snapshot, or print one of them.
    #[command(after_help = "\
Examples:
  guard snapshot show 4b45435
  guard snapshot show 4b45435 src/state.py > old.py")]
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
    #[command(after_help = "\
Examples:
  guard snapshot restore 4b45435
  guard snapshot restore 4b45435 src/state.py

guard checks a restore as `guard write` or `guard delete`, and may refuse it or let it wait for \
approval. `guard snapshot show ID FILE` prints the content in any case.")]
    Restore(RestoreArgs),
    /// Delete snapshots that are older than `[snapshots] keep`.
    #[command(
        after_help = "Examples:\n  guard snapshot prune\n\n`git gc` later removes their content."
    )]
    Prune,
}

#[derive(Debug, clap::Args)]
pub(super) struct RestoreArgs {
    /// The snapshot.
    snapshot: String,
    /// Restore only these files, relative to the current directory.
    paths: Vec<PathBuf>,
    #[command(flatten)]
    design: DesignArgs,
    /// Never ask; let a change that needs approval wait, as guard does without a terminal.
    #[arg(long)]
    auto: bool,
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
            SnapshotArgs::Restore(args) => args.run(output, &repo)?,
            SnapshotArgs::Prune => prune(output, &repo)?,
        }
        Ok(0)
    }
}

fn list(output: &mut Output, repo: &Repository) -> Result<()> {
    let all = repo.snapshots()?;
    let lost: Vec<String> = all.lost.iter().map(ToString::to_string).collect();
    if !lost.is_empty() {
        let lost = lost.join(", ");
        output.notes(&[format!(
            "an object of these snapshots is missing or damaged, which may hide \
             older ones: {lost}; to check the repository: git fsck"
        )]);
    }
    let mut text = String::new();
    let mut items = Vec::new();
    for snapshot in &all.readable {
        let id = snapshot.id.to_hex_with_len(12);
        text.push_str(&format!("{id}  {}\n", in_a_line(repo, snapshot)));
        items.push(files::snapshot_json(repo, snapshot));
    }
    let changes = files::kept_changes(repo)?;
    let calls: Vec<Value> = changes.iter().map(change_json).collect();
    for (name, change) in &changes {
        text.push_str(&format!("{name:<12}  {}\n", change_in_a_line(change)));
    }
    let commits = repo.kept_lost()?;
    for (time, commit) in &commits {
        let time = rfc3339(*time);
        let id = commit.to_hex_with_len(12);
        text.push_str(&format!(
            "{id}  {time}  commit that no ref reached: git branch NAME {id}\n"
        ));
    }
    let commits: Vec<Value> = commits
        .iter()
        .map(|(time, id)| json!({"commit": id.to_string(), "time": rfc3339(*time)}))
        .collect();
    let json = json!({
        "version": 1, "snapshots": items, "lost": lost, "calls": calls, "lost_commits": commits,
    });
    output.answer(&json, text);
    Ok(())
}

/// What an agent's call changed, as JSON.
fn change_json((name, change): &(String, ObservedChange)) -> Value {
    json!({
        "id": name,
        "time": rfc3339(change.time),
        "call": change.call,
        "files": change.files,
    })
}

/// How many files of a call a line names.
const MAX_FILES: usize = 5;

fn change_in_a_line(change: &ObservedChange) -> String {
    let named = change.files.iter().take(MAX_FILES);
    let mut named: Vec<String> = named
        .map(|path| escaped(path.as_str()).to_string())
        .collect();
    if change.files.len() > MAX_FILES {
        named.push("…".to_owned());
    }
    let named = if named.is_empty() {
        String::new()
    } else {
        format!("  {}", named.join(" "))
    };
    let time = rfc3339(change.time);
    let call = escaped(change.call.as_str());
    format!("{time}  before {call}{named}")
}

fn in_a_line(repo: &Repository, snapshot: &Snapshot) -> String {
    let time = rfc3339(snapshot.time);
    let title = escaped(&snapshot.title);
    if snapshot.work_tree == repo.work_tree() {
        return format!("{time}  {title}");
    }
    let name = snapshot.work_tree.as_deref().unwrap_or("main");
    format!("{time}  {title}  (work tree {})", escaped(name))
}

fn show_one(
    output: &mut Output,
    repo: &Repository,
    name: &str,
    path: Option<&Path>,
) -> files::GateResult<()> {
    if name.starts_with(CHANGE) {
        return show_change(output, repo, name, path);
    }
    let snapshot = repo.snapshot_named(name)?;
    if let Some(path) = path {
        return print_file(output, repo, &snapshot, path);
    }
    let mut text = in_a_line(repo, &snapshot) + "\n";
    for file in &snapshot.files {
        text.push_str(&format!("  {}\n", escaped(file)));
    }
    for file in &snapshot.absent {
        text.push_str(&format!("  {} (did not exist)\n", escaped(file)));
    }
    output.answer(&files::snapshot_json(repo, &snapshot), text);
    Ok(())
}

/// What an agent's call changed, or what a file held before.
fn show_change(
    output: &mut Output,
    repo: &Repository,
    name: &str,
    path: Option<&Path>,
) -> files::GateResult<()> {
    if let Some(path) = path {
        let bytes = files::content_before(repo, name, path)?.ok_or_else(|| {
            Error::new(format!("there was no such file before {}", escaped(name)))
                .help(format!("to list the files: guard snapshot show {name}"))
        })?;
        return print_content(output, &bytes, || {
            let path = path.to_string_lossy();
            json!({ "version": 1, "id": name, "path": path, "content": bytes.to_str_lossy() })
        });
    }
    let changes = files::kept_changes(repo)?;
    let found = changes.iter().find(|(known, _)| known == name);
    let found = found.ok_or_else(|| {
        Error::new(format!("guard knows no change {}", escaped(name)))
            .help("to list them: guard snapshot list")
    })?;
    let mut text = change_in_a_line(&found.1) + "\n";
    for file in &found.1.files {
        text.push_str(&format!("  {}\n", escaped(file.as_str())));
    }
    output.answer(&change_json(found), text);
    Ok(())
}

fn print_file(
    output: &mut Output,
    repo: &Repository,
    snapshot: &Snapshot,
    path: &Path,
) -> files::GateResult<()> {
    let id = snapshot.id;
    let path = files::snapshot_path(repo, path)?;
    let bytes = repo.tree_of(Some(id))?.read(path.as_ref())?;
    let bytes = bytes.ok_or_else(|| {
        Error::new(format!("the snapshot has no file {}", escaped(&path))).help(Help::run(
            "to list its files",
            format_args!("guard snapshot show {id}"),
        ))
    })?;
    print_content(output, &bytes, || {
        let id = id.to_string();
        let path = path.to_str_lossy();
        json!({ "version": 1, "id": id, "path": path, "content": bytes.to_str_lossy() })
    })
}

fn diff(output: &mut Output, repo: &Repository, name: &str) -> files::GateResult<()> {
    let snapshot = files::own_snapshot(repo, name)?;
    let id = snapshot.id;
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
    let json = json!({"version": 1, "id": snapshot.id.to_string(), "diff": text});
    output.answer(&json, &text);
    Ok(())
}

impl RestoreArgs {
    fn run(&self, output: &mut Output, repo: &Repository) -> files::GateResult<()> {
        if self.snapshot.starts_with(CHANGE) {
            return self.take_back(output, repo);
        }
        let mut gate = Gate::open(repo, &self.design.options(false))?;
        output.notes(&gate.policy.notes);
        let person = person_to_ask(self.auto);
        let done = asking(output, repo, &mut gate, person, |gate, ask| {
            gate.restore(&self.snapshot, &self.paths, ask)
        })?;
        let mut text = "every file is as the snapshot has it\n".to_owned();
        if !done.is_empty() {
            text = done.iter().map(|done| done.in_words() + "\n").collect();
        }
        output.answer(&files::restored_json(&done), text);
        Ok(())
    }

    /// Takes back what an observed command did.
    fn take_back(&self, output: &mut Output, repo: &Repository) -> files::GateResult<()> {
        let options = with_unexpired(repo, self.design.options(false))?;
        let taken = files::take_back(repo, &options, &self.snapshot, &self.paths)?;
        if !taken.lost.is_empty() {
            let lost = taken.lost.join(", ");
            output.notes(&[format!("guard has no copy of {lost}; restore it yourself")]);
        }
        let mut text = if taken.done.is_empty() {
            "nothing is left to take back\n".to_owned()
        } else {
            format!("taken back: {}\n", taken.done.join(", "))
        };
        let kept = taken.kept.map(|kept| kept.to_string());
        if let Some(kept) = &kept {
            text += &format!("if that was a mistake: guard snapshot restore {kept}\n");
        }
        let json =
            json!({"version": 1, "taken_back": taken.done, "no_copy": taken.lost, "backup": kept});
        output.answer(&json, text);
        Ok(())
    }
}

fn prune(output: &mut Output, repo: &Repository) -> files::GateResult<()> {
    let (forgotten, kept) = files::prune(repo)?;
    let told = format!("deleted {forgotten} snapshots, kept {kept}\n");
    let json = json!({"version": 1, "forgotten": forgotten, "kept": kept});
    output.answer(&json, told);
    Ok(())
}
