//! What guard does about a payload: it judges the call before a tool, and tells what happened after it.

// An agent names its project by a variable, and its directory in the payload.
#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};

use super::Agent;
use super::judgement::{judge, refuse};
use super::payload::AgentEvent;
use super::plan::rows_to_propose;
use super::protocol::EventKind;
use super::reason::scope_to_tell;
use crate::approvals;
use crate::files::GateResult;
use crate::judge::Options;
use crate::observe::{Ended, Observer, Told, failed_to};
use write_guard_policy::error::{Error, Result};
use write_guard_repo::disk::absolute;
use write_guard_repo::{CheckpointStore, Repository, show_file};

/// The agent whose hook was called, and how to judge.
pub(super) struct AgentWork<'a> {
    pub(super) agent: Agent,
    pub(super) options: &'a Options,
}

impl AgentWork<'_> {
    /// Decides about a call that reads or changes files, and prepares to see what any other does.
    ///
    /// # Errors
    /// The call is refused, or guard cannot decide.
    pub(crate) fn judge(&self, call: &AgentEvent) -> GateResult<()> {
        enter(&call.directory)?;
        refuse(call)?;
        let mut actions = call.actions.iter();
        if actions.any(|action| action.paths().next().is_some()) {
            let repo = repository_of(self.agent, call.has_only_absolute_paths())?;
            judge(&repo, self.options, call)?;
        }
        if call.is_observed()
            && let Some(repo) = self.observed(call.has_only_absolute_paths())?
        {
            let options = approvals::with_unexpired(&repo, self.options.clone())?;
            Observer::open(&repo, &options, &call.session)?
                .begin(call.call.as_deref().unwrap_or_default())?;
        }
        Ok(())
    }

    /// Says what a call did, or what the model does not know about the scope.
    pub(crate) fn tell(&self, event: &AgentEvent) -> Option<Told> {
        if event.takes_context() {
            enter(&event.directory).ok()?;
            let repo = repository_of(self.agent, true).ok()?;
            return scope_to_tell(event, &repo, self.options);
        }
        // What a file tool does was judged before; only a plan without rows needs a word.
        if !event.written.is_empty() {
            enter(&event.directory).ok()?;
            let repo = repository_of(self.agent, true).ok()?;
            return rows_to_propose(event, &repo, self.options);
        }
        self.look(event).unwrap_or_else(|error| {
            let next = "look yourself: git status; ";
            let text = failed_to("look at what the tool did", &error, next);
            Some(Told {
                text,
                is_neutral: false,
            })
        })
    }

    /// What a call did.
    fn look(&self, event: &AgentEvent) -> Result<Option<Told>> {
        enter(&event.directory)?;
        let Some(repo) = self.observed(true)? else {
            return if CheckpointStore::is_there_for(&event.directory) {
                Err(Error::new("the .git directory of the repository is gone")
                    .help("stop, and ask the user to bring it back"))
            } else {
                Ok(None)
            };
        };
        let options = approvals::with_unexpired(&repo, self.options.clone())?;
        let ended = match event.kind {
            EventKind::EndOfTurn => Ended::Turn,
            EventKind::EndOfSession => Ended::Session,
            _ => Ended::Call {
                id: event.call.as_deref(),
                goes_on: event.goes_on,
            },
        };
        Observer::open(&repo, &options, &event.session)?.finish(ended)
    }

    /// The repository whose work tree is observed; `None` where there is none.
    fn observed(&self, has_only_absolute_paths: bool) -> Result<Option<Repository>> {
        let here = std::env::current_dir().unwrap_or_default();
        let project = project_of(self.agent);
        if here
            .ancestors()
            .chain(project.as_deref())
            .any(|path| path.join(".git").exists())
        {
            repository_of(self.agent, has_only_absolute_paths).map(Some)
        } else {
            Ok(None)
        }
    }
}

/// Changes to the directory in which the agent works.
fn enter(directory: &Path) -> Result<()> {
    std::env::set_current_dir(directory).map_err(|error| {
        let directory = show_file(directory);
        Error::new(format!(
            "the agent's directory {directory} cannot be entered: {error}"
        ))
    })
}

/// The directory of the project, if the agent names it.
fn project_of(agent: Agent) -> Option<PathBuf> {
    let project = std::env::var_os(agent.project_variable()?);
    project.filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The repository of the agent's directory. If the agent names its project and works elsewhere, such as in a
/// repository of its own making, the project's repository judges; linked work trees belong to the project.
fn repository_of(agent: Agent, has_only_absolute_paths: bool) -> Result<Repository> {
    let here = Repository::open(".".as_ref());
    let Some(project) = project_of(agent) else {
        return here;
    };
    let project = Repository::open(&project)?;
    match here {
        Ok(here) if absolute(here.common_dir()) == absolute(project.common_dir()) => Ok(here),
        _ if has_only_absolute_paths => Ok(project),
        _ => Err(Error::new(
            "the tool call names a relative path, but the agent's directory is outside its project",
        )
        .help("use the absolute path")),
    }
}
