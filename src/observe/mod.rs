//! Observes what commands do: a checkpoint before, a look afterwards, and a report of what the rules refuse and of what
//! is nowhere any more. `table` says what guard does about each difference.

mod hook_files;
mod judgement;
mod losses;
mod program;
mod scope;
mod session;
mod table;
mod text;
mod whereabouts;

use std::collections::BTreeSet;

use gix::bstr::BStr;

use crate::attempts::note_refused;
use crate::files::{self, now as time_now};
use crate::judge::Options;
use hook_files::hook_files;
use judgement::{FoundIn, Observation, Observed};
use losses::LostThing;
pub(crate) use program::{ObservedProgram, ProgramReport};
use scope::ScopeInForce;
pub(crate) use scope::{ScopeChange, scope_changes};
use session::{ObservedSession, OpenCall};
use table::{Does, Fact, Had, Maker, Now};
pub(crate) use text::{failed_to, line as finding_line};
use write_guard_policy::change::{Change, State};
use write_guard_policy::error::Result;
use write_guard_policy::finding::Finding;
use write_guard_policy::measure::{Thresholds, kept};
use write_guard_repo::{Blobs, Checkpoint, CheckpointStore, ObservedChange, Recorded, Repository};

/// So many files of a change are named in a list.
const MAX_FILES: usize = 50;

/// What an agent reads after an event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Told {
    /// The text.
    pub(crate) text: String,
    /// Whether nothing in it is the agent's doing, so that it must not hold the agent.
    pub(crate) is_neutral: bool,
    /// What a person is to see, where the agent has a way to show it.
    pub(crate) for_person: Option<String>,
}

impl Told {
    /// Both texts as one.
    pub(crate) fn with(self, other: Told) -> Told {
        let persons = self.for_person.into_iter().chain(other.for_person);
        let persons: Vec<String> = persons.collect();
        Told {
            text: format!("{}\n{}", self.text, other.text),
            is_neutral: self.is_neutral && other.is_neutral,
            for_person: (!persons.is_empty()).then(|| persons.join("\n")),
        }
    }
}

/// What has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended<'a> {
    /// A tool call.
    Call {
        /// What tells it from others; `None` for several at once.
        id: Option<&'a str>,
        /// Whether its command goes on in the background.
        goes_on: bool,
    },
    /// The turn of a subagent, beside which others go on.
    Subagent,
    /// The turn of the agent.
    Turn,
    /// The session.
    Session,
}

/// A call that begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Begun<'a> {
    /// What tells it from others.
    pub(crate) id: &'a str,
    /// What it does, for people.
    pub(crate) about: &'a str,
    /// The prompt that it belongs to, if the agent says so.
    pub(crate) prompt: Option<&'a str>,
}

/// A content that an agent's own tool writes.
pub(crate) struct Written<'a> {
    pub(crate) path: &'a BStr,
    pub(crate) before: Option<&'a [u8]>,
    pub(crate) content: &'a [u8],
}

/// Observes one work tree for one session.
pub(crate) struct Observer<'a> {
    repo: &'a Repository,
    options: &'a Options,
    store: CheckpointStore<'a>,
    id: String,
    session: ObservedSession,
    /// Whether another work tree of the repository is observed for the same call, which judges the refs.
    is_second: bool,
    /// Who calls, for the log.
    agent: &'static str,
}

/// What one look told.
#[derive(Default)]
struct Look {
    /// What holds the agent.
    held: Vec<String>,
    /// What does not.
    neutral: Vec<String>,
    for_person: Vec<String>,
}

impl<'a> Observer<'a> {
    /// Opens the checkpoints of a session.
    ///
    /// # Errors
    /// There can be none.
    pub(crate) fn open(
        repo: &'a Repository,
        options: &'a Options,
        session: &str,
    ) -> Result<Observer<'a>> {
        let store = CheckpointStore::open(repo)?;
        let id = repo.blob_id(session.as_bytes())?.to_string();
        Ok(Observer {
            session: store.session(&id)?,
            repo,
            options,
            store,
            id,
            is_second: false,
            agent: "",
        })
    }

    /// Leaves the refs to another work tree of the repository, if one is observed for the same call.
    pub(crate) fn of_second_work_tree(self, is_second: bool) -> Observer<'a> {
        Observer { is_second, ..self }
    }

    /// The same for calls of this agent.
    pub(crate) fn by(self, agent: &'static str) -> Observer<'a> {
        Observer { agent, ..self }
    }

    /// Records what there is before a call.
    ///
    /// # Errors
    /// It cannot be recorded, so the tool must not run.
    pub(crate) fn begin(mut self, call: Begun<'_>) -> Result<()> {
        let now = self.record(None)?.checkpoint;
        self.note_between(&now)?;
        self.open_call(call, now)
    }

    /// Keeps what there is before a call.
    fn open_call(mut self, call: Begun<'_>, now: Checkpoint) -> Result<()> {
        self.store.hold(&now)?;
        let repo = self.repo;
        let remotes = || repo.remote_addresses();
        self.session.remotes.get_or_insert_with(remotes);
        let scope = ScopeInForce::at(repo, self.options, &now, self.session.scope.as_ref());
        self.session.scope = Some(scope);
        let before = self.store.keep_checkpoint(&now)?;
        self.session.first.get_or_insert_with(|| before.clone());
        self.session.last = Some(before.clone());
        let call_notes = OpenCall {
            id: call.id.to_owned(),
            before,
            goes_on: false,
            about: call.about.to_owned(),
        };
        self.session.begin(call_notes, call.prompt);
        self.store.keep_session(&self.id, &self.session)
    }

    /// Notes what the agent's own tool is about to write: it is the session's, unless it continues work of others.
    ///
    /// # Errors
    /// The notes cannot be written.
    pub(crate) fn note_written(mut self, written: &[Written<'_>]) -> Result<()> {
        let head = self.repo.tree_of(self.repo.head_commit()?)?;
        for one in written {
            let content = self.repo.blob_id(one.content)?;
            if self.store.has_seen(content) {
                continue;
            }
            let continues = match one.before {
                Some(before) if !kept(before, one.content, &Thresholds::default()).enough => false,
                Some(before) => {
                    let before = self.repo.blob_id(before)?;
                    let committed = head.get(one.path)?.map(|state| state.id);
                    committed != Some(before) && self.session.maker_of(before) == Maker::Others
                }
                None => false,
            };
            self.session.note_own(content, continues);
        }
        self.store.keep_session(&self.id, &self.session)
    }

    /// A prompt begins: what has not ended was denied or interrupted.
    ///
    /// # Errors
    /// The notes cannot be written.
    pub(crate) fn prompted(mut self) -> Result<()> {
        self.session.drop_open();
        self.store.keep_session(&self.id, &self.session)
    }

    /// Looks at what happened since the call began.
    ///
    /// # Errors
    /// guard cannot look.
    pub(crate) fn finish(mut self, ended: Ended<'_>) -> Result<Option<Told>> {
        let open = self.session.open.iter();
        let ending: Vec<OpenCall> = match ended {
            Ended::Session => {
                self.store.end_session(&self.id);
                return Ok(None);
            }
            Ended::Call { id: Some(id), .. } => {
                open.filter(|call| call.id == id).cloned().collect()
            }
            Ended::Call { id: None, .. } => open.cloned().collect(),
            // Calls without an end were denied or interrupted; only those in the background go on.
            Ended::Subagent | Ended::Turn => open.filter(|call| call.goes_on).cloned().collect(),
        };
        let is_call = matches!(ended, Ended::Call { .. });
        if is_call && ending.is_empty() {
            return Ok(None);
        }
        let mut look = Look::default();
        for call in &ending {
            self.end(call, ended);
            let looked = self.look(call, &mut look);
            if looked.is_err() {
                // The call is over all the same, so that the next one is denied until guard can look.
                self.store.keep_session(&self.id, &self.session)?;
            }
            looked?;
        }
        if !is_call {
            self.note_unended(&mut look)?;
            self.look_again(&mut look)?;
        }
        if ended == Ended::Turn {
            self.session.drop_open();
            self.store.tidy();
        }
        let is_neutral = look.held.is_empty();
        let mut texts = look.held;
        texts.append(&mut look.neutral);
        if is_call {
            texts.append(&mut self.session.between);
        }
        if self.session.open.is_empty() {
            self.session.told.clear();
        }
        self.store.keep_session(&self.id, &self.session)?;
        let text = texts.join("\n");
        let for_person = look.for_person.join("\n");
        Ok((!text.is_empty()).then_some(Told {
            text,
            is_neutral,
            for_person: Some(for_person).filter(|one| !one.is_empty()),
        }))
    }

    /// A call is over, unless its command goes on in the background.
    fn end(&mut self, call: &OpenCall, ended: Ended<'_>) {
        let goes_on = match ended {
            Ended::Call { goes_on, .. } => goes_on,
            Ended::Subagent => true,
            Ended::Turn | Ended::Session => false,
        };
        if !goes_on {
            self.session.open.retain(|open| open.id != call.id);
        }
        for open in &mut self.session.open {
            open.goes_on |= goes_on && open.id == call.id;
        }
    }

    fn record(&self, before: Option<&Checkpoint>) -> Result<Recorded> {
        let switches = hook_files(&write_guard_repo::disk::absolute(self.repo.workdir()?));
        self.store.record(&switches, before)
    }

    /// Looks at what happened since a call began.
    fn look(&mut self, call: &OpenCall, look: &mut Look) -> Result<()> {
        let before = self.store.checkpoint(&call.before)?;
        let now = self.record(Some(&before))?;
        self.session.last = Some(self.store.keep_checkpoint(&now.checkpoint)?);
        let mut seen = match self.observe(&before, &now.checkpoint) {
            Ok(seen) => seen,
            Err(error) => {
                let what = failed_to("check what it changed", &error, "");
                look.held.push(what);
                return Ok(());
            }
        };
        if let Some((name, change)) = self.keep(call, (before, &now), &mut seen)? {
            let command = text::restore(&name, &change.back);
            if let Some(error) = &seen.failed {
                let told = text::unjudged(error, &seen.changes, &command);
                look.held.push(told);
            }
            self.tell(&seen, &command, look);
            if !seen.findings.is_empty() {
                self.session.again.push(name);
            }
            self.excuse(&seen, &change);
        } else if !seen.findings.is_empty() {
            self.tell(&seen, "", look);
        }
        self.look_at_scope(&now.checkpoint, look);
        Ok(())
    }

    /// Keeps what a call changed for a restore, under the name in the answer; `None` if there is nothing to restore.
    fn keep(
        &mut self,
        call: &OpenCall,
        (before, now): (Checkpoint, &Recorded),
        seen: &mut Observation,
    ) -> Result<Option<(String, ObservedChange)>> {
        let after = &now.checkpoint;
        let back = seen.back(&before, after);
        self.attribute(&seen.changes, &before, &now.fresh)?;
        self.leave_out_told(seen);
        self.keep_lost(seen)?;
        if before.holds_the_same(after) && back.is_empty() {
            return Ok(None);
        }
        let files = seen.changes.iter().take(MAX_FILES);
        let change = ObservedChange {
            files: files.map(|change| change.path.to_string()).collect(),
            back,
            call: call.about.clone(),
            time: time_now(),
            before,
            after: after.clone(),
        };
        let name = self.store.keep_change(&change)?;
        Ok(Some((name, change)))
    }

    /// What the table says about a difference.
    fn observe(&self, before: &Checkpoint, after: &Checkpoint) -> Result<Observation> {
        let observed = Observed {
            store: &self.store,
            before,
            after,
            session: &self.session,
            leaves_refs: self.is_second,
        };
        observed.judge(self.repo, self.options)
    }

    fn tell(&self, seen: &Observation, command: &str, look: &mut Look) {
        let losses = &seen.losses;
        let is_means = |place: &FoundIn| matches!(place, FoundIn::Own | FoundIn::Switch);
        let means_are_off = seen.findings.iter().any(|(_, place)| is_means(place));
        self.note_refused(seen);
        if !seen.findings.is_empty() || !losses.told.is_empty() {
            look.held.push(text::report(seen, command, means_are_off));
        }
        if !losses.told.is_empty() {
            look.for_person
                .push(text::for_person(&losses.told, command));
        }
        if !losses.own.is_empty() {
            look.neutral.push(text::own_line(&losses.own, command));
        }
    }

    /// Logs what was refused.
    fn note_refused(&self, seen: &Observation) {
        let scope = self.session.scope.as_ref();
        let designs: Vec<String> = scope.map(ScopeInForce::designs).unwrap_or_default();
        for (finding, place) in &seen.findings {
            if *place == FoundIn::File {
                note_refused(self.repo, self.agent, &designs, finding);
            }
        }
    }

    /// Where calls overlap, each finding is told once.
    fn leave_out_told(&mut self, seen: &mut Observation) {
        let told = &mut self.session.told;
        let changes = &seen.changes;
        seen.findings.retain(|(finding, _)| {
            let path = finding.path.as_ref();
            let change = path.and_then(|path| changes.iter().find(|change| change.path == *path));
            let now = change.map(|change| (change.old, change.new));
            told.insert(format!("{} {} {now:?}", finding.rule.id(), finding.message))
        });
        let mut is_new_loss = |loss: &losses::LostWork| {
            told.insert(match &loss.what {
                LostThing::File { path, content, .. } => format!("file {path} {}", content.id),
                LostThing::Staged { path, content } => format!("staged {path} {}", content.id),
                LostThing::Commit(lost) => format!("commit {}", lost.commit),
            })
        };
        seen.losses.told.retain(&mut is_new_loss);
        seen.losses.own.retain(&mut is_new_loss);
    }

    /// Keeps what is nowhere any more beyond the end of the session.
    fn keep_lost(&self, seen: &Observation) -> Result<()> {
        let mut contents = Vec::new();
        for loss in seen.losses.all() {
            match &loss.what {
                LostThing::File {
                    path,
                    content,
                    has_copy: true,
                } => contents.push((path, *content)),
                LostThing::File { .. } => {}
                LostThing::Staged { path, content } => contents.push((path, *content)),
                LostThing::Commit(lost) => self.repo.keep_lost(lost.commit, time_now())?,
            }
        }
        files::keep_contents(self.repo, &self.store, &contents).map_err(files::Failure::into_error)
    }

    /// Notes which contents appeared during the call.
    fn attribute(
        &mut self,
        changes: &[Change],
        before: &Checkpoint,
        fresh: &BTreeSet<gix::ObjectId>,
    ) -> Result<()> {
        if fresh.is_empty() {
            return Ok(());
        }
        let both = self.store.repository(Blobs::new())?;
        let head = both.tree_of(before.head_commit())?;
        let stashes = both.stashes_in(before);
        for change in changes {
            let Some(new) = change.new.filter(|new| fresh.contains(&new.id)) else {
                continue;
            };
            let path: &BStr = change.path.as_ref();
            if write_guard_repo::is_in_any(&stashes, path, Some(new))? {
                continue;
            }
            let committed = head.get(path)?;
            let continues = match change
                .old
                .filter(|old| committed.is_none_or(|one| one.id != old.id))
            {
                Some(old) if self.session.maker_of(old.id) == Maker::Others => {
                    is_kept(&both, old, new)?
                }
                _ => false,
            };
            self.session.note_own(new.id, continues);
        }
        // What is only staged was in no file.
        let of_files: BTreeSet<_> = changes
            .iter()
            .filter_map(|change| Some(change.new?.id))
            .collect();
        for &content in fresh.difference(&of_files) {
            self.session.note_own(content, false);
        }
        Ok(())
    }

    /// The reported paths may return to what there was before.
    fn excuse(&mut self, seen: &Observation, change: &ObservedChange) {
        for one in &seen.changes {
            if self.session.is_excused(one.path.as_ref(), one.new) {
                self.session.has_returned(one.path.as_ref());
            }
        }
        for one in &seen.changes {
            if change.back.files.contains(&one.path.to_string()) {
                self.session.excuse(&one.path, one.old);
            }
        }
    }

    /// Tells it and logs it if the scope in force allows more than before the call.
    fn look_at_scope(&mut self, after: &Checkpoint, look: &mut Look) {
        let scope = ScopeInForce::at(self.repo, self.options, after, self.session.scope.as_ref());
        let before = self
            .session
            .scope
            .replace(scope.clone())
            .unwrap_or_default();
        if let Some(widened) = scope.beyond(&before)
            && Fact::of(Had::Scope, Now::Changed).does() == Does::TellScope
        {
            widened.log(self.repo);
            look.neutral.push(widened.text());
            look.for_person.push(widened.text());
        }
    }

    /// What was reported in this turn and is still there.
    fn look_again(&mut self, look: &mut Look) -> Result<()> {
        for name in std::mem::take(&mut self.session.again) {
            let Ok(change) = self.store.observed(&name) else {
                continue;
            };
            let now = self.record(Some(&change.before))?.checkpoint;
            let Ok(mut seen) = self.observe(&change.before, &now) else {
                continue;
            };
            let is_of_it = |finding: &Finding| {
                let path = finding.path.as_ref().map(ToString::to_string);
                path.is_none_or(|path| {
                    change.back.files.contains(&path) || change.back.staged.contains(&path)
                })
            };
            let is_switch =
                |place: &FoundIn| matches!(place, FoundIn::Switch | FoundIn::Own | FoundIn::Ref(_));
            seen.findings
                .retain(|(finding, place)| is_switch(place) || is_of_it(finding));
            seen.losses = losses::Losses::default();
            let command = text::restore(&name, &change.back);
            if !seen.findings.is_empty() {
                let text = text::report(&seen, &command, false);
                if !look.held.contains(&text) {
                    look.held.push(text);
                }
            }
        }
        Ok(())
    }

    /// Calls without an end were denied or interrupted, or their agent does not tell: what changed since is a note.
    fn note_unended(&mut self, look: &mut Look) -> Result<()> {
        if self.session.open.iter().any(|call| !call.goes_on) {
            let now = self.record(None)?.checkpoint;
            self.note_between(&now)?;
            self.session.last = Some(self.store.keep_checkpoint(&now)?);
            look.neutral.append(&mut self.session.between);
        }
        Ok(())
    }

    /// Notes what changed since the last command that no rule allows: not the agent's doing, as far as guard knows. Its
    /// own tools were judged. Whatever fails here is told when a command is looked at.
    fn note_between(&mut self, now: &Checkpoint) -> Result<()> {
        let last = self.session.last.as_ref();
        let last = last.map(|name| self.store.checkpoint(name)).transpose()?;
        let has_changed = |one: &Checkpoint| one.rules == now.rules && !one.holds_the_same(now);
        if let Some(last) = last.filter(has_changed)
            && let Ok(seen) = self.observe(&last, now)
        {
            let findings: Vec<Finding> = seen.findings.into_iter().map(|(one, _)| one).collect();
            if !findings.is_empty() {
                self.session.between.push(text::between(&findings));
            }
        }
        Ok(())
    }
}

/// Whether a content continues another, instead of replacing it.
fn is_kept(both: &Repository, old: State, new: State) -> Result<bool> {
    let (old, new) = both.objects().both(Some(old), Some(new))?;
    Ok(kept(&old, &new, &Thresholds::default()).enough)
}

#[cfg(test)]
mod tests;
