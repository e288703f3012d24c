//! Judges a tool call: what the files would hold afterwards, as `guard write` and `guard read` judge it.
//!
//! An agent may write to some places whatever the design says: the system's directory for temporary files, its own
//! directory under the home, and files that git ignores. What switches its hooks, or guard, off is none of these.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use gix::bstr::{BStr, BString};

use super::Agent;
use super::action::FileAction;
use super::payload::AgentEvent;
use super::rebuild::{edited_notebook, edited_text, patched};
use crate::files::{Effect, Failure, FailureKind, Gate, GateResult, Operation};
use crate::judge::Options;
use write_guard_policy::error::Result;
use write_guard_policy::path::escaped;
use write_guard_policy::rules::{Access, may_call_guard};
use write_guard_repo::boundary::Boundary;
use write_guard_repo::disk::has_several_names;
use write_guard_repo::{Repository, real_path, system};

/// Judges every action but reads, which count only where the settings say what may be read, and writes to scratch
/// places. A refusal is logged; a destructive change is held for a person. If all pass, guard takes a snapshot of the
/// files that they change. The answer is what they do.
///
/// # Errors
/// The first action that is refused, or the reason why guard cannot judge or take the snapshot.
pub(crate) fn judge(
    repo: &Repository,
    options: &Options,
    agent: Agent,
    call: &AgentEvent,
) -> GateResult<Vec<Effect>> {
    let boundary = Boundary::open(repo.own_workdir()?)?;
    let mut judged = Vec::new();
    let mut requests = Vec::new();
    let mut ignored = Vec::new();
    for action in &call.actions {
        let mut needs_judging = action.is_read();
        for request in action.paths().map(|path| repo.request_of(path)) {
            match boundary.locate(request.as_ref()) {
                _ if action.is_read() => {}
                Err(_) if is_scratch(repo, &boundary, request.as_ref()) => {}
                Ok(path) if is_ignored(repo, path.as_ref())? => ignored.push(request),
                _ => {
                    requests.push(request);
                    needs_judging = true;
                }
            }
        }
        judged.extend(needs_judging.then_some(action));
    }
    if judged.is_empty() && ignored.is_empty() {
        return Ok(Vec::new());
    }
    let mut gate = Gate::open_to_change(repo, options, &requests)?;
    gate.agent = Some(agent.name());
    check_each_once(&gate, &requests)?;
    for request in &ignored {
        let request: &BStr = request.as_ref();
        gate.noting("write", request, gate.judge_ignored(request))?;
    }
    judged.retain(|action| !action.is_read() || gate.judges_reads());
    let changes = judged
        .into_iter()
        .filter_map(|action| judge_action(repo, &gate, action).transpose());
    let changes: Vec<Effect> = changes.collect::<GateResult<_>>()?;
    gate.keep(changes.clone(), &call.tool)?;
    Ok(changes)
}

/// Each change is checked from the state on disk, so two of them to one file could add up to more.
fn check_each_once(gate: &Gate<'_>, requests: &[BString]) -> GateResult<()> {
    let mut seen = BTreeSet::new();
    for request in requests.iter().filter(|_| requests.len() > 1) {
        let path = gate.boundary.locate(request.as_ref())?;
        let message = format!("the call changes {} more than once", escaped(&path));
        if !seen.insert(path) {
            return Err(Failure::new(FailureKind::CannotJudge, message)
                .help("put all changes of a file into one section, or make two calls"));
        }
    }
    Ok(())
}

/// What an action does to a file, if it may.
fn judge_action(
    repo: &Repository,
    gate: &Gate<'_>,
    action: &FileAction,
) -> GateResult<Option<Effect>> {
    let mut requests = action.paths().map(|path| repo.request_of(path));
    let (Some(request), target) = (requests.next(), requests.next()) else {
        return Ok(None);
    };
    let request: &BStr = request.as_ref();
    let old = || {
        let (_, old) = gate.noting("write", request, gate.look(request))?;
        Ok::<_, Failure>(old.map(|entry| entry.content))
    };
    let rebuilt = match action {
        // Whether the file exists and is text does not matter.
        FileAction::Read(_) => {
            let admitted = gate.admitted(request, Access::Read);
            return gate.noting("read", request, admitted).map(|_| None);
        }
        FileAction::Delete(_) => return gate.judge(request, &Operation::Delete).map(Some),
        FileAction::Write(_, content) => Ok(content.clone()),
        FileAction::Edit(_, edits) => edited_text(old()?.as_deref(), edits),
        FileAction::EditCell(edit) => edited_notebook(old()?.as_deref(), edit),
        FileAction::Patch(_, _, chunks) => patched(old()?.as_deref(), chunks),
        // Observed, or judged by guard's own server.
        FileAction::Command(_) | FileAction::Guarded => return Ok(None),
    };
    let content = match rebuilt {
        Ok(content) => content,
        // A path that may not be changed at all is the better reason.
        Err(failure) => {
            gate.noting("write", request, gate.plan_unknown(request))?;
            return Err(failure);
        }
    };
    let operation = match target {
        Some(to) => Operation::Move {
            to,
            content: Some(content),
        },
        None => Operation::replace(content),
    };
    gate.judge(request, &operation).map(Some)
}

/// The directories of agents under the home.
const OWN: &[&str] = &[
    ".claude",
    ".codex",
    ".copilot",
    ".cursor",
    ".gemini",
    ".config/opencode",
    ".local/share/opencode",
];

/// How files end in which agents keep their settings, and the programs that they run at an event.
const SWITCHES: &[&str] = &[
    "json", "jsonc", "toml", "yaml", "yml", "js", "mjs", "cjs", "ts", "mts", "sh",
];

/// Whether a request is for a place outside the work tree where an agent may write whatever the design says.
fn is_scratch(repo: &Repository, boundary: &Boundary, request: &BStr) -> bool {
    let Some(path) = gix::path::from_bstr(request)
        .ok()
        .and_then(|path| settled(&path))
    else {
        return false;
    };
    let is_own = [boundary.root(), repo.git_dir(), repo.common_dir()]
        .iter()
        .filter_map(|own| real_path(own).ok())
        .any(|own| path.starts_with(own));
    let home = std::env::home_dir().and_then(|home| real_path(&home).ok());
    let home = home.unwrap_or_default();
    let below = |base: PathBuf| {
        let base = real_path(&base).ok();
        base.is_some_and(|base| {
            // A home below the temporary directory is a home all the same.
            let is_home = home.starts_with(&base) && path.starts_with(&home);
            path.starts_with(&base) && !is_home && !is_in_repository(&path, &base)
        })
    };
    let mut own = OWN.iter().map(|own| home.join(own));
    let is_temporary = || system::temporary_directories().into_iter().any(below);
    // A file with another name elsewhere is no scratch.
    !is_own
        && !has_several_names(&path)
        && (is_temporary() || !ends_as_switch(&path) && own.any(below))
}

/// Whether git ignores the path, relative to the root, and it configures no agent and calls no guard. What configures guard
/// is refused wherever it is.
///
/// # Errors
/// A `.gitignore` or the index cannot be read.
fn is_ignored(repo: &Repository, path: &BStr) -> Result<bool> {
    let Ok(name) = gix::path::from_bstr(path) else {
        return Ok(false);
    };
    // Tools keep settings of a person's own at the root, and in directories that begin with a dot.
    let begins_with_dot =
        |part: Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
    let is_deep = name.components().count() > 1;
    let is_switch = ends_as_switch(&name) && (!is_deep || name.components().any(begins_with_dot));
    Ok(!is_switch && !may_call_guard(path) && repo.is_ignored(path)?)
}

/// Where a write of an absolute path ends: links are followed. `None` for one that leads nowhere, and for a path with
/// `..` in it.
fn settled(path: &Path) -> Option<PathBuf> {
    if !path.is_absolute() || path.components().any(|part| part == Component::ParentDir) {
        return None;
    }
    match path.symlink_metadata() {
        Ok(_) => real_path(path).ok(),
        Err(_) => Some(settled(path.parent()?)?.join(path.file_name()?)),
    }
}

/// Whether a repository lies on the way from `base` to the path: its own rules count there.
fn is_in_repository(path: &Path, base: &Path) -> bool {
    let is_git = |part: Component<'_>| part.as_os_str().eq_ignore_ascii_case(".git");
    let mut parents = path
        .ancestors()
        .skip(1)
        .take_while(|parent| parent.starts_with(base));
    path.components().any(is_git) || parents.any(|parent| parent.join(".git").exists())
}

fn ends_as_switch(path: &Path) -> bool {
    let end = path.extension().unwrap_or_default();
    SWITCHES.iter().any(|known| end.eq_ignore_ascii_case(known))
}
