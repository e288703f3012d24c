//! Observes what commands do: a checkpoint before, a look afterwards, and a report of what the rules refuse.

mod hook_files;
mod judgement;

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::files;
use crate::judge::Options;
use hook_files::hook_files;
use judgement::{Observation, Observed};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::{Finding, Rule};
use write_guard_policy::path::escaped;
use write_guard_repo::{Checkpoint, CheckpointStore, ObservedChange, Repository};

/// How many findings a model reads with attention.
const MAX_FINDINGS: usize = 6;

const SEEN: &str = "guard saw that the command changed what it may not:";
const BETWEEN: &str = "Between two tools this changed, perhaps in an editor or by a job in the background, and guard would refuse to commit it:";

/// What guard knows about a session.
#[derive(Default, Serialize, Deserialize)]
struct ObservedSession {
    /// The first checkpoint.
    first: Option<Checkpoint>,
    /// The newest checkpoint: before the commands that run now, or after the last one.
    last: Option<Checkpoint>,
    /// The calls that run.
    open: Vec<String>,
    /// What was reported, and will be once more at the end of the turn.
    again: Vec<String>,
    /// All reported changes.
    reported: Vec<String>,
    /// What changed between two tools, and was not told yet.
    between: Vec<String>,
}

/// What an agent reads after an event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Told {
    /// The text.
    pub(crate) text: String,
    /// Whether nothing in it is the agent's doing, so that it must not hold the agent.
    pub(crate) is_neutral: bool,
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
    /// The turn of the agent.
    Turn,
    /// The session.
    Session,
}

/// Observes one work tree for one session.
pub(crate) struct Observer<'a> {
    repo: &'a Repository,
    options: &'a Options,
    store: CheckpointStore<'a>,
    id: String,
    session: ObservedSession,
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
        })
    }

    /// Records what there is before a call.
    ///
    /// # Errors
    /// It cannot be recorded, so the tool must not run.
    pub(crate) fn begin(mut self, call: &str) -> Result<()> {
        if self.session.open.is_empty() {
            let now = self.record(None)?;
            self.note_between(&now);
            self.session.first.get_or_insert_with(|| now.clone());
            self.session.last = Some(now);
        }
        self.session.open.push(call.to_owned());
        self.store.keep_session(&self.id, &self.session)
    }

    /// Looks at what happened since the call began.
    ///
    /// # Errors
    /// guard cannot look.
    pub(crate) fn finish(mut self, ended: Ended<'_>) -> Result<Option<Told>> {
        // Without a command, the user may have changed something.
        let runs = !self.session.open.is_empty();
        match ended {
            Ended::Session => {
                self.store.end_session(&self.id);
                return Ok(None);
            }
            Ended::Call {
                id: Some(id),
                goes_on,
            } => {
                if !self.session.open.iter().any(|open| open == id) {
                    return Ok(None);
                }
                // A command in the background goes on.
                if !goes_on {
                    self.session.open.retain(|open| open != id);
                }
            }
            Ended::Call { id: None, .. } | Ended::Turn => {}
        }
        let ends_turn = ended == Ended::Turn;
        let mut texts = Vec::new();
        if runs {
            let looked = self.look();
            if looked.is_err() {
                // The call is over all the same, so that the next one is denied until guard can look.
                self.store.keep_session(&self.id, &self.session)?;
            }
            texts.extend(looked?);
        }
        if ends_turn {
            self.session.open.clear();
            texts.extend(self.look_again()?);
        }
        let is_neutral = texts.is_empty();
        if !ends_turn {
            texts.append(&mut self.session.between);
        }
        self.store.keep_session(&self.id, &self.session)?;
        let text = texts.join("\n");
        Ok((!text.is_empty()).then_some(Told { text, is_neutral }))
    }

    fn record(&self, before: Option<&Checkpoint>) -> Result<Checkpoint> {
        let switches = hook_files(self.repo.workdir()?);
        self.store.record(&switches, before)
    }

    /// The report on what happened since the last look; `None` if there is nothing to tell.
    fn look(&mut self) -> Result<Option<String>> {
        let Some(before) = self.session.last.clone() else {
            return Ok(None);
        };
        let after = self.record(Some(&before))?;
        self.session.last = Some(after.clone());
        let kept = self.keep(before, after)?;
        Ok(kept.map(|(lines, name)| {
            self.session.again.push(name.clone());
            self.session.reported.push(name.clone());
            report(&lines, &name)
        }))
    }

    /// Keeps a change of which the rules refuse something: what, and the name of the change.
    fn keep(&self, before: Checkpoint, after: Checkpoint) -> Result<Option<(Vec<String>, String)>> {
        let (lines, seen) = self.refused(&before, &after, |_| true);
        if lines.is_empty() {
            return Ok(None);
        }
        let paths = seen.findings.iter().filter_map(|one| one.path.as_ref());
        let paths = paths.map(ToString::to_string).collect();
        let change = ObservedChange {
            before,
            after,
            paths,
        };
        files::keep_only_copies(self.repo, &self.store, &change, &seen.only_copies)
            .map_err(files::Failure::into_error)?;
        Ok(Some((lines, self.store.report(&change)?)))
    }

    /// What the rules refuse of a difference, as far as it is wanted, with a line for each; or why guard cannot tell.
    fn refused(
        &self,
        before: &Checkpoint,
        after: &Checkpoint,
        is_wanted: impl FnMut(&Finding) -> bool,
    ) -> (Vec<String>, Observation) {
        let reported = self.session.reported.iter();
        let reported: Vec<ObservedChange> = reported
            .filter_map(|name| self.store.observed(name).ok())
            .collect();
        let observed = Observed {
            store: &self.store,
            first: self.session.first.as_ref().unwrap_or(before),
            before,
            after,
            reported: &reported,
        };
        match observed.judge(self.repo, self.options) {
            Ok(mut seen) => {
                seen.findings.retain(is_wanted);
                (seen.findings.iter().map(line).collect(), seen)
            }
            Err(error) => {
                let why = failed_to("check what it changed", &error, "");
                (vec![why], Observation::default())
            }
        }
    }

    /// What was reported in this turn and is still there.
    fn look_again(&mut self) -> Result<Option<String>> {
        let mut texts: Vec<String> = Vec::new();
        for name in std::mem::take(&mut self.session.again) {
            let change = self.store.observed(&name)?;
            let now = self.record(Some(&change.before))?;
            let is_of_it = |finding: &Finding| {
                let mut known = change.paths.iter();
                let path = finding.path.as_ref();
                path.is_none_or(|path| known.any(|known| path == known.as_str()))
            };
            let (lines, _) = self.refused(&change.before, &now, is_of_it);
            if !lines.is_empty() && !texts.concat().contains(&lines.join("\n")) {
                texts.push(report(&lines, &name));
            }
        }
        Ok((!texts.is_empty()).then(|| texts.join("\n")))
    }

    /// Notes what changed since the last command that no rule allows: not the agent's doing, as far as guard knows. Its
    /// own tools were judged. Whatever fails here is told when a command is looked at.
    fn note_between(&mut self, now: &Checkpoint) {
        let has_changed = |last: &Checkpoint| last.rules == now.rules && last != now;
        if let Some(last) = self.session.last.clone().filter(has_changed)
            && let Ok(Some((lines, name))) = self.keep(last, now.clone())
        {
            let text = format!(
                "{BETWEEN}\n{}Leave it alone if it is not yours. If a command of yours did it: guard snapshot restore {name}",
                list(&lines)
            );
            self.session.between.push(text);
        }
    }
}

/// What guard could not do after a tool, with the next steps.
pub(crate) fn failed_to(what: &str, error: &Error, first_step: &str) -> String {
    let help: Vec<&str> = error.help.iter().map(|help| help.trim_end()).collect();
    let (message, help) = (&error.message, help.join("; "));
    format!("guard could not {what}: {message}; {first_step}{help}")
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

fn list(lines: &[String]) -> String {
    let listed = lines.iter().take(MAX_FINDINGS);
    let mut text: String = listed.map(|line| format!("- {line}\n")).collect();
    if lines.len() > MAX_FINDINGS {
        let _ = writeln!(text, "and {} more", lines.len() - MAX_FINDINGS);
    }
    text
}

fn report(lines: &[String], name: &str) -> String {
    format!(
        "{SEEN}\n{}The next step is to take back exactly what the command did: guard snapshot restore {name}\nIf the change is needed, ask the user for it afterwards. Another command for it is reported as well, and so is the commit.",
        list(lines)
    )
}
