//! Observes what commands do: a checkpoint before, a look afterwards, and a report of what the rules refuse.

// Notes beside the checkpoints what a session was told.
#![allow(clippy::disallowed_methods)]

use std::collections::HashSet;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use gix::bstr::BString;
use serde::{Deserialize, Serialize};

use super::payload::AgentEvent;
use super::{judgement, reason};
use crate::disk;
use crate::error::{Error, Result};
use crate::files;
use crate::finding::{Finding, Rule};
use crate::git::{Checkpoint, CheckpointStore, ObservedChange, Repository, show_file};
use crate::judge::{Observed, Options};
use crate::path::escaped;

/// How many findings a model reads with attention.
const MAX_FINDINGS: usize = 6;
/// After this time without a call, a session has ended.
const IDLE: Duration = Duration::from_secs(24 * 60 * 60);

/// What guard knows about a session.
#[derive(Default, Serialize, Deserialize)]
struct ObservedSession {
    /// The first checkpoint.
    first: Option<Checkpoint>,
    /// Before the commands that run now.
    since: Option<Checkpoint>,
    /// The newest checkpoint, if nothing runs.
    last: Option<Checkpoint>,
    /// The calls that run.
    open: Vec<String>,
    /// What was told about them.
    told: HashSet<String>,
    /// What was reported, and will be once more at the end of the turn.
    again: Vec<String>,
    /// All reported changes.
    reported: Vec<String>,
    /// What changed between two tools, and was not told yet.
    between: Vec<String>,
}

/// What the rules refuse of a difference.
#[derive(Default)]
struct Refused {
    lines: Vec<String>,
    paths: Vec<String>,
    /// The files whose content only the work tree had.
    only_copies: Vec<BString>,
}

/// What an agent reads after a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    /// The text.
    pub(crate) text: String,
    /// Whether nothing in it is the agent's doing, so that it must not hold the agent.
    pub(crate) is_neutral: bool,
}

impl Told {
    /// About what the agent did.
    pub(crate) fn of_agent(text: String) -> Told {
        Told {
            text,
            is_neutral: false,
        }
    }

    /// About what nobody did.
    pub(super) fn neutral(text: String) -> Told {
        Told {
            text,
            is_neutral: true,
        }
    }
}

/// Observes one work tree for one session.
pub(crate) struct Observer<'a> {
    repo: &'a Repository,
    options: &'a Options,
    store: CheckpointStore,
    /// The file of the session.
    file: String,
    session: ObservedSession,
    /// Where the git directory notes which session is observed.
    note: PathBuf,
    switches: Vec<PathBuf>,
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
        let note = repo.git_dir().join("guard").join("observed");
        let mut store = CheckpointStore::open(repo)?;
        if forget_idle(&store) == (true, false) {
            store.forget();
            let _ = fs::remove_file(&note);
            drop(store);
            store = CheckpointStore::open(repo)?;
        }
        let file = format!("sessions/{}", repo.blob_id(session.as_bytes())?);
        let text = fs::read(store.file(&file));
        if text.is_err() && fs::read_to_string(&note).is_ok_and(|known| known == file) {
            let _ = fs::remove_file(&note);
            return Err(Error::new("the checkpoints of this session are gone")
                .help("if a command removed them, tell the user what it changed"));
        }
        let session = match text {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| {
                Error::new(format!("the notes of the session are damaged: {error}")).help(format!(
                    "a person may delete {}",
                    show_file(&store.file(&file))
                ))
            })?,
            Err(_) => ObservedSession::default(),
        };
        Ok(Observer {
            session,
            note,
            switches: judgement::hook_files(repo.workdir()?),
            repo,
            options,
            store,
            file,
        })
    }

    /// Records what there is before a call.
    ///
    /// # Errors
    /// It cannot be recorded, so the tool must not run.
    pub(crate) fn begin(mut self, call: &str) -> Result<()> {
        if self.session.open.is_empty() {
            let now = self.store.record(self.repo, &self.switches, None)?;
            self.note_between(&now);
            self.session.first.get_or_insert_with(|| now.clone());
            self.session.since = Some(now);
            // What happens from now on is new, even if it was told before.
            self.session.told.clear();
        }
        self.session.open.push(call.to_owned());
        self.save()
    }

    /// Looks at what happened since the call began.
    ///
    /// # Errors
    /// guard cannot look.
    pub(crate) fn finish(mut self, event: &AgentEvent) -> Result<Option<Told>> {
        if event.ends_session() {
            let _ = fs::remove_file(self.store.file(&self.file));
            let _ = fs::remove_file(&self.note);
            let (_, is_left) = forget_idle(&self.store);
            if !is_left {
                self.store.forget();
            }
            return Ok(None);
        }
        if !event.ends_turn() {
            let is_open = |open: &String| Some(open) == event.call.as_ref();
            let all = event.call.is_none();
            if !all && !self.session.open.iter().any(is_open) {
                return Ok(None);
            }
            // A command in the background goes on.
            if !event.goes_on {
                self.session.open.retain(|open| !all && !is_open(open));
            }
        }
        let mut texts = Vec::from_iter(self.look()?);
        if event.ends_turn() {
            self.session.open.clear();
            texts.extend(self.look_again()?);
        }
        if self.session.open.is_empty()
            && let Some(since) = self.session.since.take()
        {
            self.session.last.get_or_insert(since);
        }
        let is_neutral = texts.is_empty();
        if !event.ends_turn() {
            texts.append(&mut self.session.between);
        }
        self.save()?;
        let text = texts.join("\n");
        Ok((!text.is_empty()).then_some(Told { text, is_neutral }))
    }

    fn save(&self) -> Result<()> {
        let session = &self.session;
        let text = serde_json::to_vec(session).unwrap_or_default();
        let note = || {
            if fs::read(&self.note).is_ok_and(|known| known == self.file.as_bytes()) {
                return Ok(());
            }
            disk::create_private_directory(disk::directory_of(&self.note))?;
            fs::write(&self.note, &self.file)
        };
        let written = self.store.write(&self.file, &text).and_then(|()| note());
        written.map_err(|error| {
            let message = format!("the notes of the session cannot be written: {error}");
            Error::new(message)
                .help("the cache directory and the git directory must be writable and have space")
        })?;
        self.forget_copies();
        Ok(())
    }

    /// Deletes copies that no session and no change needs.
    fn forget_copies(&self) {
        let mut needed = HashSet::new();
        let mut need = |one: &Checkpoint| needed.extend(one.copies().map(str::to_owned));
        for text in files(&self.store, "sessions") {
            let session: ObservedSession = serde_json::from_slice(&text).unwrap_or_default();
            let all = [session.first, session.since, session.last];
            all.iter().flatten().for_each(&mut need);
        }
        for text in files(&self.store, "changes") {
            if let Ok(change) = serde_json::from_slice::<ObservedChange>(&text) {
                need(&change.before);
                need(&change.after);
            }
        }
        self.store.forget_copies(|name| needed.contains(name));
    }

    /// The report on what happened since the calls began; `None` if there is nothing new to tell.
    fn look(&mut self) -> Result<Option<String>> {
        let Some(before) = self.session.since.clone() else {
            return Ok(None);
        };
        let after = self
            .store
            .record(self.repo, &self.switches, Some(&before))?;
        self.session.last = Some(after.clone());
        let mut told = std::mem::take(&mut self.session.told);
        let refused = self.refused(&before, &after, |finding| told.insert(key(finding)));
        let refused = refused.unwrap_or_else(|error| {
            let text = cannot_judge(&error);
            let is_new = told.insert(text.clone());
            Refused {
                lines: Vec::from_iter(is_new.then_some(text)),
                ..Refused::default()
            }
        });
        self.session.told = told;
        if refused.lines.is_empty() {
            return Ok(None);
        }
        let change = ObservedChange {
            before,
            after,
            paths: refused.paths,
        };
        let name = self.store.report(self.repo, &change)?;
        files::keep_only_copies(self.repo, &self.store, &change, &refused.only_copies)
            .map_err(files::Failure::into_error)?;
        self.session.again.push(name.clone());
        self.session.reported.push(name.clone());
        Ok(Some(report(&refused.lines, &name)))
    }

    /// What the rules refuse of a difference, as far as it is wanted.
    fn refused(
        &self,
        before: &Checkpoint,
        after: &Checkpoint,
        is_wanted: impl FnMut(&Finding) -> bool,
    ) -> Result<Refused> {
        let reported = self.session.reported.iter();
        let reported: Vec<(Checkpoint, Vec<String>)> = reported
            .filter_map(|name| self.store.observed(name).ok())
            .map(|change| (change.before, change.paths))
            .collect();
        let observed = Observed {
            store: &self.store,
            first: self.session.first.as_ref().unwrap_or(before),
            before,
            after,
            reported: &reported,
        };
        let mut judged = observed.judge(self.repo, self.options)?;
        judged.findings.retain(is_wanted);
        let paths = judged.findings.iter().filter_map(|one| one.path.as_ref());
        Ok(Refused {
            paths: paths.map(|path| path.to_string()).collect(),
            lines: judged.findings.iter().map(line).collect(),
            only_copies: judged.only_copies,
        })
    }

    /// What was reported in this turn and is still there.
    fn look_again(&mut self) -> Result<Option<String>> {
        let names = std::mem::take(&mut self.session.again);
        let mut text = String::new();
        for name in names {
            let change = self.store.observed(&name)?;
            let now = self
                .store
                .record(self.repo, &self.switches, Some(&change.before))?;
            let is_of_it = |finding: &Finding| {
                let mut known = change.paths.iter();
                let path = finding.path.as_ref();
                path.is_none_or(|path| known.any(|known| path == known.as_str()))
            };
            let refused = self.refused(&change.before, &now, is_of_it);
            let lines =
                refused.map_or_else(|error| vec![cannot_judge(&error)], |refused| refused.lines);
            if !lines.is_empty() && !text.contains(&lines.join("\n")) {
                text += &report(&lines, &name);
                text.push('\n');
            }
        }
        Ok(Some(text.trim_end().to_owned()).filter(|text| !text.is_empty()))
    }

    /// Notes what changed since the last command that no rule allows: not the agent's doing, as far as guard knows.
    fn note_between(&mut self, now: &Checkpoint) {
        let Some(last) = self.session.last.take() else {
            return;
        };
        if !last.has_rules_of(now) || last == *now {
            return;
        }
        // The agent's own tools were judged; whatever fails here is told when a command is looked at.
        let Ok(refused) = self.refused(&last, now, |_| true) else {
            return;
        };
        if refused.lines.is_empty() {
            return;
        }
        let change = ObservedChange {
            before: last,
            after: now.clone(),
            paths: refused.paths,
        };
        let Ok(name) = self.store.report(self.repo, &change) else {
            return;
        };
        let mut text = "Between two tools this changed, perhaps in an editor or by a job in the background, and guard would refuse to commit it:\n".to_owned();
        list(&mut text, &refused.lines);
        let _ = write!(
            text,
            "Leave it alone if it is not yours. If a command of yours did it: guard snapshot restore {name}"
        );
        self.session.between.push(text);
    }
}

/// Forgets sessions without a call for a long time. Whether one was forgotten, and whether one is left.
fn forget_idle(store: &CheckpointStore) -> (bool, bool) {
    let sessions = fs::read_dir(store.file("sessions")).into_iter().flatten();
    let (mut is_forgotten, mut is_left) = (false, false);
    for session in sessions.flatten() {
        let modified = session.metadata().and_then(|about| about.modified());
        let age = modified
            .ok()
            .and_then(|at| SystemTime::now().duration_since(at).ok());
        if age.is_some_and(|age| age > IDLE) {
            is_forgotten |= fs::remove_file(session.path()).is_ok();
        } else {
            is_left = true;
        }
    }
    (is_forgotten, is_left)
}

fn files(store: &CheckpointStore, directory: &str) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(store.file(directory))
        .into_iter()
        .flatten()
        .flatten();
    entries
        .filter_map(|entry| fs::read(entry.path()).ok())
        .collect()
}

/// What makes a finding the same.
fn key(finding: &Finding) -> String {
    let path = finding.path.clone().unwrap_or_default();
    format!("{} {path} {}", finding.rule.id(), finding.message)
}

fn line(finding: &Finding) -> String {
    let mut line = format!("{} [{}]", finding.message, finding.rule.id());
    if let Some(closest) = &finding.closest {
        let _ = write!(line, "; closest path in the design: {}", escaped(closest));
    }
    if finding.rule == Rule::OutOfScope && finding.details.get("action") == Some(&"add".into()) {
        line.push_str("; for a scratch file, use a temporary or ignored path");
    }
    line
}

fn list(text: &mut String, lines: &[String]) {
    for line in lines.iter().take(MAX_FINDINGS) {
        let _ = writeln!(text, "- {line}");
    }
    if lines.len() > MAX_FINDINGS {
        let more = lines.len() - MAX_FINDINGS;
        let _ = writeln!(text, "and {more} more");
    }
}

fn report(lines: &[String], name: &str) -> String {
    let mut text = "guard saw that the command changed what it may not:\n".to_owned();
    list(&mut text, lines);
    let _ = write!(
        text,
        "The next step is to take back exactly what the command did: guard snapshot restore {name}\nIf the change is needed, ask the user for it afterwards. Another command for it is reported as well, and so is the commit."
    );
    text
}

fn cannot_judge(error: &Error) -> String {
    reason::failed_to("check what it changed", error, "")
}
