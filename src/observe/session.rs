//! What guard remembers of a session, and who made a content.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use gix::ObjectId;
use gix::bstr::{BStr, BString};
use serde::{Deserialize, Serialize};

use super::scope::ScopeInForce;
use super::table::Maker;
use write_guard_policy::change::State;

/// So many contents are known as the session's own; older ones count as those of others, which says more, not less.
const MOST_OWN: usize = 4000;
/// So many paths may return to what was there before a report.
const MOST_EXCUSED: usize = 500;
/// So many calls may run at the same time.
const MOST_OPEN: usize = 64;

/// The notes of a session. Checkpoints are kept by name.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct ObservedSession {
    /// The first checkpoint: switches of hooks may return to what it has.
    pub(super) first: Option<String>,
    /// The newest checkpoint.
    pub(super) last: Option<String>,
    /// The calls that run.
    pub(super) open: Vec<OpenCall>,
    /// The changes that were reported in this turn, and will be once more at its end.
    pub(super) again: Vec<String>,
    /// What changed between two calls, and was not told yet.
    pub(super) between: Vec<String>,
    /// What was told while calls overlap.
    pub(super) told: BTreeSet<String>,
    /// What there was at each path before it was reported: it may return.
    excused: BTreeMap<String, String>,
    /// The contents that appeared during calls of the session, the oldest first.
    own: VecDeque<String>,
    /// The addresses of remotes when the session began.
    pub(super) remotes: Option<BTreeMap<String, Vec<String>>>,
    /// The scope in force before the call.
    pub(super) scope: Option<ScopeInForce>,
    /// The prompt to which the calls belong.
    prompt: Option<String>,
}

/// A call that runs.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct OpenCall {
    /// What tells it from others.
    pub(super) id: String,
    /// The checkpoint right before it.
    pub(super) before: String,
    /// Whether its command goes on in the background.
    pub(super) goes_on: bool,
    /// What it does, for people.
    pub(super) about: String,
}

impl ObservedSession {
    /// A call begins. An earlier one with the same id was denied or interrupted, and so were those of an earlier
    /// prompt.
    pub(super) fn begin(&mut self, call: OpenCall, prompt: Option<&str>) {
        if prompt.is_some() && self.prompt.as_deref() != prompt {
            self.prompt = prompt.map(str::to_owned);
            self.drop_open();
        }
        self.open.retain(|open| open.id != call.id);
        self.open.push(call);
        let more = self.open.len().saturating_sub(MOST_OPEN);
        self.open.drain(..more);
    }

    /// The calls that have not ended were denied or interrupted: nothing stays open.
    pub(super) fn drop_open(&mut self) {
        self.open.clear();
        self.told.clear();
    }

    /// Who made a content.
    pub(super) fn maker_of(&self, content: ObjectId) -> Maker {
        let hex = content.to_string();
        if self.own.contains(&hex) {
            Maker::Session
        } else {
            Maker::Others
        }
    }

    /// Notes a content that appeared during a call of the session, and that was seen by no checkpoint before. Where it
    /// continues work of others that no commit has, it stays theirs: `others_work` says so.
    pub(super) fn note_own(&mut self, content: ObjectId, others_work: bool) {
        let hex = content.to_string();
        if others_work || self.own.contains(&hex) {
            return;
        }
        self.own.push_back(hex);
        if self.own.len() > MOST_OWN {
            self.own.pop_front();
        }
    }

    /// A path may return to what there was before it was reported.
    pub(super) fn excuse(&mut self, path: &BString, before: Option<State>) {
        if self.excused.len() < MOST_EXCUSED {
            let known = self.excused.entry(path.to_string());
            known.or_insert_with(|| in_words(before));
        }
    }

    /// Whether a path returns to what there was before it was reported.
    pub(super) fn is_excused(&self, path: &BStr, now: Option<State>) -> bool {
        let known = self.excused.get(&path.to_string());
        known.is_some_and(|known| *known == in_words(now))
    }

    /// The paths that have returned need no excuse any more.
    pub(super) fn has_returned(&mut self, path: &BStr) {
        self.excused.remove(&path.to_string());
    }
}

fn in_words(state: Option<State>) -> String {
    match state {
        Some(state) => format!("{:o} {}", state.kind.mode(), state.id),
        None => String::new(),
    }
}
