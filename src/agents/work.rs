//! What guard does about a payload: it judges the call before a tool, and tells what happened after it.

// An agent names its project by a variable, and its directory in the payload.
#![allow(clippy::disallowed_methods)]

use super::Agent;
use super::judgement::judge;
use super::payload::AgentEvent;
use super::place::Places;
use super::plan::rows_to_propose;
use super::protocol::EventKind;
use super::reason::scope_to_tell;
use super::switch_words::refuse;
use crate::approvals;
use crate::files::{Effect, GateResult};
use crate::judge::Options;
use crate::observe::{Begun, Ended, Observer, Told, Written, failed_to};
use write_guard_policy::error::{Error, Result};
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
        let places = Places::enter(self.agent, call)?;
        refuse(call)?;
        let mut actions = call.actions.iter();
        if actions.any(|action| action.paths().next().is_some()) {
            for (repo, part) in places.by_repository(call)? {
                let effects = judge(&repo, self.options, self.agent, &part)
                    .map_err(|failure| places.naming_own_file(&repo, &part, failure))?;
                // Whose content it is does not decide about the write.
                let _ = self.note_written(&repo, call, &effects);
            }
        }
        if call.is_observed() {
            for (repo, _) in places.observed()? {
                let options = approvals::with_unexpired(&repo, self.options.clone())?;
                // So that a later switch of the main work tree changes nothing.
                let _ = repo.record_made_from();
                Observer::open(&repo, &options, &call.session)?.begin(Begun {
                    id: call.call.as_deref().unwrap_or_default(),
                    about: &call.about(),
                    prompt: call.prompt.as_deref(),
                })?;
            }
        }
        Ok(())
    }

    /// Notes that the session makes what its tool writes.
    fn note_written(&self, repo: &Repository, call: &AgentEvent, effects: &[Effect]) -> Result<()> {
        let written = effects.iter().filter_map(|effect| {
            Some(Written {
                path: effect.moved_to.as_ref().unwrap_or(&effect.path).as_ref(),
                before: effect.old_content(),
                content: effect.new.as_deref()?,
            })
        });
        let written: Vec<Written<'_>> = written.collect();
        if written.is_empty() {
            return Ok(());
        }
        Observer::open(repo, self.options, &call.session)?.note_written(&written)
    }

    /// Says what a call did, or what the model does not know about the scope.
    pub(crate) fn tell(&self, event: &AgentEvent) -> Option<Told> {
        // What a file tool does was judged before; only a plan without rows needs a word.
        let is_about_text = event.takes_context() || !event.written.is_empty();
        if is_about_text {
            let places = Places::enter(self.agent, event).ok()?;
            if event.kind == EventKind::Prompt {
                let _ = self.prompted(&places, event);
                return None;
            }
            let repo = places.repository().ok()?;
            if event.takes_context() {
                let _ = repo.record_made_from();
                return scope_to_tell(event, &repo, self.options);
            }
            return rows_to_propose(event, &repo, self.options);
        }
        self.look(event).unwrap_or_else(|error| {
            let next = "look yourself: git status; ";
            let text = failed_to("look at what the tool did", &error, next);
            Some(Told {
                text,
                ..Told::default()
            })
        })
    }

    /// What has not ended when a prompt begins was denied or interrupted.
    fn prompted(&self, places: &Places, event: &AgentEvent) -> Result<()> {
        for (repo, _) in places.observed()? {
            if CheckpointStore::is_there_for(repo.workdir()?) {
                Observer::open(&repo, self.options, &event.session)?.prompted()?;
            }
        }
        Ok(())
    }

    /// What a call did.
    fn look(&self, event: &AgentEvent) -> Result<Option<Told>> {
        let places = match Places::enter(self.agent, event) {
            Ok(places) => places,
            // Nothing is known there, and the end of a turn must not hold an agent that cannot go on.
            Err(_) if event.kind != EventKind::AfterTool => return Ok(None),
            Err(error) => return Err(error),
        };
        let ended = match event.kind {
            EventKind::EndOfTurn => Ended::Turn,
            EventKind::EndOfSubagent => Ended::Subagent,
            EventKind::EndOfSession => Ended::Session,
            _ => Ended::Call {
                id: event.call.as_deref(),
                goes_on: event.goes_on,
            },
        };
        let observed = places.observed()?;
        if observed.is_empty() {
            return self.unobserved(&places, event);
        }
        let mut all: Option<Told> = None;
        for (repo, is_second) in observed {
            let options = approvals::with_unexpired(&repo, self.options.clone())?;
            let observer = Observer::open(&repo, &options, &event.session)?;
            let observer = observer
                .of_second_work_tree(is_second)
                .by(self.agent.name());
            if let Some(told) = observer.finish(ended)? {
                all = Some(all.map_or(told.clone(), |known| known.with(told)));
            }
        }
        Ok(all)
    }

    /// What there is to say where no repository is.
    fn unobserved(&self, places: &Places, event: &AgentEvent) -> Result<Option<Told>> {
        let here = places.directory();
        if CheckpointStore::is_there_for(here) {
            return Err(Error::new("the .git directory of the repository is gone")
                .help("stop, and ask the user to bring it back"));
        }
        let is_call = event.kind == EventKind::AfterTool;
        if !is_call
            || !places.has_repositories_below()
            || !CheckpointStore::note_unobserved(&event.session)
        {
            return Ok(None);
        }
        Ok(Some(Told {
            text: format!(
                "guard does not observe commands here: {} is in no git repository. It checks each file that a tool writes by the design of the repository of the file; of what commands do, the commit hooks and CI see the commits.",
                show_file(here)
            ),
            is_neutral: true,
            for_person: None,
        }))
    }
}
