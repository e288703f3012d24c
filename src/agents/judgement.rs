//! Judges a tool call: what the files would hold afterwards, as `guard write` and `guard read` judge it.

use std::collections::BTreeSet;

use gix::bstr::{BStr, BString};

use super::rebuild::{edited_notebook, edited_text, patched};
use super::scratch::ScratchPlaces;
use super::tools::{FileAction, ToolCall};
use crate::boundary::Boundary;
use crate::files::{Effect, Failure, FailureKind, Gate, GateResult, Operation};
use crate::git::Repository;
use crate::judge::Options;
use crate::path::escaped;

/// Judges every action but reads, which count only where the settings say what may be read, and writes to scratch
/// places. A refusal is logged; a destructive change is held for a person. If all pass, guard takes a snapshot of the
/// files that they change.
///
/// # Errors
/// The first action that is refused, or the reason why guard cannot judge or take the snapshot.
pub(crate) fn judge(repo: &Repository, options: &Options, call: &ToolCall) -> GateResult<()> {
    let boundary = Boundary::open(repo.own_workdir()?)?;
    let scratch = ScratchPlaces::new(repo, &boundary);
    let (mut judged, mut requests, mut ignored) = (Vec::new(), Vec::new(), Vec::new());
    for action in &call.actions {
        let mut needs_judging = action.is_read();
        for request in action.paths().map(|path| repo.request_of(path)) {
            match boundary.locate(request.as_ref()) {
                _ if action.is_read() => {}
                Err(_) if scratch.is_outside(request.as_ref()) => {}
                Ok(path) if scratch.is_ignored(path.as_ref())? => ignored.push(request),
                _ => {
                    requests.push(request);
                    needs_judging = true;
                }
            }
        }
        judged.extend(needs_judging.then_some(action));
    }
    if judged.is_empty() && ignored.is_empty() {
        return Ok(());
    }
    // Without requests to change something inside, no design is needed.
    let gate = Gate::open_to_check(repo, options, &requests)?;
    check_each_once(&gate, &requests)?;
    for request in &ignored {
        gate.judge_ignored(request.as_ref())?;
    }
    judged.retain(|action| !action.is_read() || gate.judges_reads());
    let changes = judged
        .into_iter()
        .filter_map(|action| judge_action(repo, &gate, action).transpose());
    gate.keep(changes.collect::<GateResult<_>>()?, &call.tool)
}

/// Each change is checked from the state on disk, so two of them to one file could add up to more.
fn check_each_once(gate: &Gate<'_>, requests: &[BString]) -> GateResult<()> {
    if requests.len() < 2 {
        return Ok(());
    }
    let mut seen = BTreeSet::new();
    for request in requests {
        let path = gate.boundary.locate(request.as_ref())?;
        if let Some(path) = seen.replace(path) {
            return Err(Failure::new(
                FailureKind::CannotJudge,
                format!("the call changes {} more than once", escaped(&path)),
            )
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
    let old = || gate.content_to_change(request);
    let rebuilt = match action {
        FileAction::Read(_) => return gate.judge_read(request).map(|()| None),
        FileAction::Delete(_) => return gate.judge(request, &Operation::DELETE).map(Some),
        FileAction::Write(_, content) => Ok(content.clone()),
        FileAction::Edit(_, edits) => edited_text(old()?.as_deref(), edits),
        FileAction::EditCell(edit) => edited_notebook(old()?.as_deref(), edit),
        FileAction::Patch(_, chunks) | FileAction::Move(_, _, chunks) => {
            patched(old()?.as_deref(), chunks)
        }
        // Observed.
        FileAction::Command(_) => return Ok(None),
    };
    let content = match rebuilt {
        Ok(content) => content,
        // A path that may not be changed at all is the better reason.
        Err(failure) => return gate.judge_path(request).and(Err(failure)),
    };
    let effect = match target {
        Some(to) => gate.judge_move(request, to.as_ref(), &content),
        // The agent names the content in any case; nothing can be forgotten.
        None => gate.judge(request, &Operation::replace(content, true)),
    };
    effect.map(Some)
}
