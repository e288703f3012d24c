//! `guard snapshot`: undo.

use clap::Subcommand;
use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::{Value, json};

use super::{output::Output, repository};
use crate::change::Kind;
use crate::error::{Error, Result};
use crate::gate::Undo;
use crate::git::{Repository, Snapshot};
use crate::measure::unified_preview;
use crate::path::show;
use crate::report::Format;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  guard snapshot list\n  guard snapshot diff 4b45435\n  guard snapshot restore 4b45435 src/state.py"
)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List the snapshots, newest first.
    #[command(after_help = "Examples:\n  guard snapshot list\n  guard snapshot list --format json")]
    List,
    /// Print what a snapshot holds of a file.
    #[command(
        after_help = "Examples:\n  guard snapshot show 4b45435\n  guard snapshot show 4b45435 src/state.py > old.py"
    )]
    Show {
        /// The snapshot: its commit id or the beginning of it.
        snapshot: String,
        /// The file; without it, the list of files.
        path: Option<String>,
    },
    /// Show what changed since a snapshot.
    #[command(after_help = "Examples:\n  guard snapshot diff 4b45435")]
    Diff {
        /// The snapshot.
        snapshot: String,
    },
    /// Put a snapshot's files back, after a snapshot of what is there now.
    #[command(
        after_help = "Examples:\n  guard snapshot restore 4b45435\n  guard snapshot restore 4b45435 src/state.py"
    )]
    Restore {
        /// The snapshot.
        snapshot: String,
        /// Only these files.
        paths: Vec<String>,
    },
    /// Forget snapshots that are older than `[snapshots] keep`.
    #[command(
        after_help = "Examples:\n  guard snapshot prune\n\ngit gc removes their content later."
    )]
    Prune,
}

impl Args {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        match &self.verb {
            Verb::List => list(output, &repo)?,
            Verb::Show { snapshot, path } => show_one(output, &repo, snapshot, path.as_deref())?,
            Verb::Diff { snapshot } => diff(output, &repo, snapshot)?,
            Verb::Restore { snapshot, paths } => restore(output, &repo, snapshot, paths)?,
            Verb::Prune => prune(output, &repo)?,
        }
        Ok(0)
    }
}

fn list(output: &mut Output, repo: &Repository) -> Result<()> {
    let all = repo.snapshots()?;
    let snapshots = &all.readable;
    let lost = |id: &ObjectId| {
        format!("the snapshot {id} is not listed: an object of it is missing or broken (git fsck)")
    };
    let mut notes: Vec<String> = all.lost.iter().map(lost).collect();
    if all.is_cut {
        notes.push("nothing says what came before the last of these".to_owned());
    }
    output.notes(&notes);
    output.print_either(
        "guard snapshot list",
        || {
            let items: Vec<Value> = snapshots.iter().map(json_of).collect();
            let lost: Vec<String> = all.lost.iter().map(ToString::to_string).collect();
            json!({ "version": 1, "snapshots": items, "lost": lost })
        },
        |out| {
            snapshots.iter().try_for_each(|snapshot| {
                let id = snapshot.id.to_hex_with_len(12);
                writeln!(
                    out,
                    "{id}  {}  {}",
                    time(snapshot.time),
                    show(&snapshot.title)
                )
            })
        },
    );
    Ok(())
}

fn json_of(snapshot: &Snapshot) -> Value {
    json!({
        "id": snapshot.id.to_string(),
        "time": time(snapshot.time),
        "title": snapshot.title,
        "files": texts(&snapshot.files),
        "absent": texts(&snapshot.absent),
    })
}

fn texts(paths: &[BString]) -> Vec<String> {
    paths
        .iter()
        .map(|path| path.to_str_lossy().into_owned())
        .collect()
}

fn time(seconds: i64) -> String {
    gix::date::Time::new(seconds, 0).format_or_unix(gix::date::time::format::ISO8601_STRICT)
}

/// The snapshot that a person means; never another commit of the repository.
fn find(repo: &Repository, name: &str) -> Result<Snapshot> {
    let matching = match name.len() {
        0..4 => Vec::new(),
        _ => repo.snapshots_named(name)?,
    };
    match <[Snapshot; 1]>::try_from(matching) {
        Ok([snapshot]) => Ok(snapshot),
        Err(matching) => {
            let what = if matching.is_empty() {
                "is no snapshot"
            } else {
                "is the beginning of several snapshots"
            };
            Err(Error::new(format!("{} {what}", show(name))).help("guard snapshot list shows them"))
        }
    }
}

fn content(repo: &Repository, id: ObjectId, path: &BStr) -> Result<Option<Vec<u8>>> {
    repo.tree_of(Some(id))?.read(path)
}

fn show_one(output: &mut Output, repo: &Repository, name: &str, path: Option<&str>) -> Result<()> {
    let snapshot = find(repo, name)?;
    let Some(path) = path else {
        output.print_either(
            "guard snapshot show",
            || json_of(&snapshot),
            |out| {
                writeln!(out, "{}  {}", time(snapshot.time), show(&snapshot.title))?;
                for path in &snapshot.files {
                    writeln!(out, "  {}", show(path))?;
                }
                for path in &snapshot.absent {
                    writeln!(out, "  {} (was not there)", show(path))?;
                }
                Ok(())
            },
        );
        return Ok(());
    };
    let bytes = content(repo, snapshot.id, path.into())?.ok_or_else(|| {
        Error::new(format!("the snapshot holds no {}", show(path)))
            .help("guard snapshot show lists its files")
    })?;
    let Ok(text) = bytes.to_str() else {
        if output.format == Format::Json {
            return Err(
                Error::new(format!("{} is not UTF-8, as JSON must be", show(path)))
                    .help("leave out --format json to get the bytes as they are"),
            );
        }
        output.print(|out, _, _| out.write_all(&bytes));
        return Ok(());
    };
    output.print_either(
        "guard snapshot show",
        || json!({ "version": 1, "id": snapshot.id.to_string(), "path": path, "content": text }),
        |out| out.write_all(&bytes),
    );
    Ok(())
}

fn diff(output: &mut Output, repo: &Repository, name: &str) -> Result<()> {
    let snapshot = find(repo, name)?;
    let undo = Undo::open(repo)?;
    let mut text = String::new();
    for path in snapshot.files.iter().chain(&snapshot.absent) {
        let before = content(repo, snapshot.id, path.as_ref())?.unwrap_or_default();
        let now = undo.current(path.as_ref())?.unwrap_or_default();
        if before != now {
            let shown = show(path).to_string();
            text.push_str(&unified_preview(&before, &now, &shown, &shown, usize::MAX));
        }
    }
    output.print_either(
        "guard snapshot diff",
        || json!({ "version": 1, "id": snapshot.id.to_string(), "diff": text }),
        |out| out.write_all(text.as_bytes()),
    );
    Ok(())
}

fn restore(output: &mut Output, repo: &Repository, name: &str, only: &[String]) -> Result<()> {
    let snapshot = find(repo, name)?;
    let wanted = |path: &&BString| {
        only.is_empty() || only.iter().any(|only| path.as_bytes() == only.as_bytes())
    };
    if let Some(unknown) = only.iter().find(|only| {
        !snapshot
            .files
            .iter()
            .chain(&snapshot.absent)
            .any(|path| path.as_bytes() == only.as_bytes())
    }) {
        return Err(
            Error::new(format!("the snapshot says nothing of {}", show(unknown)))
                .help("guard snapshot show lists its files"),
        );
    }
    let undo = Undo::open(repo)?;
    let (mut restored, mut removed) = (Vec::new(), Vec::new());
    for path in snapshot.files.iter().filter(wanted) {
        let before = content(repo, snapshot.id, path.as_ref())?;
        let state = repo.tree_of(Some(snapshot.id))?.get(path.as_ref())?;
        let executable = state.is_some_and(|state| state.kind == Kind::Executable);
        undo.restore(path.as_ref(), before.as_deref(), executable)?;
        restored.push(path.clone());
    }
    for path in snapshot.absent.iter().filter(wanted) {
        undo.restore(path.as_ref(), None, false)?;
        removed.push(path.clone());
    }
    output.print_either(
        "guard snapshot restore",
        || json!({ "version": 1, "restored": texts(&restored), "removed": texts(&removed) }),
        |out| {
            let lines = restored.iter().map(|path| ("restored", path));
            let lines = lines.chain(removed.iter().map(|path| ("removed", path)));
            lines
                .into_iter()
                .try_for_each(|(what, path)| writeln!(out, "{what} {}", show(path)))
        },
    );
    Ok(())
}

fn prune(output: &mut Output, repo: &Repository) -> Result<()> {
    let kept = Undo::open(repo)?.prune()?;
    output.print_either(
        "guard snapshot prune",
        || json!({ "version": 1, "forgotten": kept.forgotten, "kept": kept.kept }),
        |out| {
            writeln!(
                out,
                "{} snapshots forgotten, {} kept",
                kept.forgotten, kept.kept
            )
        },
    );
    Ok(())
}
