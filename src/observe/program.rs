//! Runs a program between two checkpoints. Its changes are judged as those of an agent's command; what the rules refuse
//! is taken back where the path had no uncommitted change, and the rest is reported with its restore.

use std::collections::BTreeSet;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use super::judgement::{FoundIn, Observation};
use super::{Begun, Look, Observer, text};
use crate::files::{self, Failure, GateResult, TakenBackChange};
use crate::judge::{self, Options, Purpose};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Finding;
use write_guard_repo::{Blobs, Checkpoint, ObservedChange, Repository};

/// One session for all runs, so that the next run finds the files recorded.
const SESSION: &str = "guard exec";

/// A program whose changes are judged when it has ended.
pub(crate) struct ObservedProgram<'a> {
    repo: &'a Repository,
    options: &'a Options,
    /// What tells this run from others.
    id: String,
}

/// What a program did and may not.
#[derive(Default)]
pub(crate) struct ProgramReport {
    /// What the rules refuse.
    pub(crate) findings: Vec<Finding>,
    /// What only the work tree, the index or a ref had, and is gone.
    pub(crate) losses: Vec<String>,
    /// What is as it was before.
    pub(crate) taken_back: Vec<String>,
    /// The snapshot of the contents that were taken back.
    pub(crate) backup: Option<ObjectId>,
    /// The refused paths that are as the program left them.
    pub(crate) left: Vec<BString>,
    /// The command that takes back the rest.
    pub(crate) restore: Option<String>,
    /// How the scope in force changed.
    pub(crate) notes: Vec<String>,
}

impl ProgramReport {
    /// Whether the program did what it may not.
    pub(crate) fn is_refused(&self) -> bool {
        !self.findings.is_empty() || !self.losses.is_empty()
    }
}

/// What was seen after a program, and what it is to be taken back from.
struct Seen {
    observation: Observation,
    change: Option<(String, ObservedChange)>,
    /// The refused files that had no uncommitted change.
    clean: Vec<BString>,
    notes: Vec<String>,
}

impl<'a> ObservedProgram<'a> {
    /// Records what there is before a program runs.
    ///
    /// # Errors
    /// guard could not judge the changes, or cannot record what there is: then the program must not run.
    pub(crate) fn begin(
        repo: &'a Repository,
        options: &'a Options,
        about: &str,
    ) -> Result<ObservedProgram<'a>> {
        judge::load_for_request(repo, options, Purpose::Scope)?;
        let time = gix::date::Time::now_utc().seconds;
        let id = format!("{} {time}", std::process::id());
        let observer = Observer::open(repo, options, SESSION)?;
        let now = observer.record(None)?.checkpoint;
        let call = Begun {
            id: &id,
            about,
            prompt: None,
        };
        observer.open_call(call, now)?;
        Ok(ObservedProgram { repo, options, id })
    }

    /// Judges what the program changed, and takes back what it may not have changed; with `keeps`, only reports it.
    ///
    /// # Errors
    /// guard cannot judge it, or cannot take it back.
    pub(crate) fn end(self, keeps: bool) -> GateResult<ProgramReport> {
        let Seen {
            observation,
            change,
            clean,
            notes,
        } = Observer::open(self.repo, self.options, SESSION)?
            .by("exec")
            .end_program(&self.id)?;
        let taken = match &change {
            Some((name, _)) if !clean.is_empty() && !keeps => {
                files::take_back_paths(self.repo, self.options, name, &clean)?
            }
            _ => TakenBackChange::default(),
        };
        let restore = change.and_then(|(name, change)| {
            let mut back = change.back;
            for path in &taken.files {
                back.files.remove(&*path.to_str_lossy());
                back.staged.remove(&*path.to_str_lossy());
            }
            (!back.is_empty()).then(|| text::restore(&name, &back))
        });
        if let Some(error) = observation.failed {
            let restore = restore.map(|command| format!("to take back what changed: {command}"));
            return Err(Failure::from(restore.into_iter().fold(error, Error::help)));
        }
        let findings: Vec<Finding> = observation
            .findings
            .into_iter()
            .map(|(one, _)| one)
            .collect();
        let refused = findings.iter().filter_map(|one| one.path.as_ref());
        let left: BTreeSet<&BString> = refused.filter(|path| !taken.files.contains(path)).collect();
        Ok(ProgramReport {
            left: left.into_iter().cloned().collect(),
            findings,
            losses: observation.losses.told.iter().map(text::lost).collect(),
            taken_back: taken.done,
            backup: taken.kept,
            restore,
            notes,
        })
    }
}

impl Observer<'_> {
    /// What happened since a program began.
    fn end_program(mut self, id: &str) -> Result<Seen> {
        let mut calls = self.session.open.iter();
        let call = calls.find(|call| call.id == id).cloned().ok_or_else(|| {
            Error::new("the checkpoint from before the program is gone, so guard cannot judge what it changed")
                .help("look yourself: git status")
        })?;
        self.session.open.retain(|one| one.id != id);
        // Each run reports all that it sees, also what another one has reported.
        self.session.told.clear();
        let before = self.store.checkpoint(&call.before)?;
        let now = self.record(Some(&before))?;
        self.session.last = Some(self.store.keep_checkpoint(&now.checkpoint)?);
        let mut observation = self.observe(&before, &now.checkpoint)?;
        let clean = self.clean_before(&observation, &before)?;
        let change = self.keep(&call, (before, &now), &mut observation)?;
        self.note_refused(&observation);
        let mut look = Look::default();
        self.look_at_scope(&now.checkpoint, &mut look);
        self.store.keep_session(&self.id, &self.session)?;
        self.store.tidy();
        Ok(Seen {
            observation,
            change,
            clean,
            notes: look.for_person,
        })
    }

    /// The refused files that were as in HEAD before: to take them back loses no work of others.
    fn clean_before(&self, seen: &Observation, before: &Checkpoint) -> Result<Vec<BString>> {
        let both = self.store.repository(Blobs::new())?;
        let head = both.tree_of(before.head_commit())?;
        let files = both.tree_in(before);
        let mut clean = BTreeSet::new();
        for (finding, place) in &seen.findings {
            let Some(path) = finding.path.as_ref().filter(|_| *place == FoundIn::File) else {
                continue;
            };
            let name: &BStr = path.as_ref();
            let committed = head.get(name)?;
            let there = files.get(name)?;
            // git may store a file with other line endings than it has.
            let is_stored = || match (committed, files.read(name)?) {
                (Some(committed), Some(content)) => {
                    Ok::<_, Error>(self.repo.stored_id(name, &content)? == committed.id)
                }
                _ => Ok(false),
            };
            if committed == there || is_stored()? {
                clean.insert(path.clone());
            }
        }
        Ok(clean.into_iter().collect())
    }
}
