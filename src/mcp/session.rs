//! What the server remembers between calls: the designs that the client has seen, and open questions. Each call sees the
//! repository as it is then.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gix::bstr::BString;

use super::answer::ToolAnswer;
use crate::files::{Failure, FailureKind, Gate, GateResult, Operation};
use crate::git::Repository;
use crate::judge::Options;
use crate::policy::DesignVersion;
use crate::scope::Scope;

/// One client's session.
#[derive(Default)]
pub(super) struct Session {
    pub(super) options: Options,
    /// Why the client may not ask the person, if it may not.
    pub(super) refusal_to_ask: Option<String>,
    pub(super) seen: Mutex<Option<SeenScope>>,
    /// Questions whose answers come with the next call: the held change by the question's key.
    pub(super) questions: Mutex<HashMap<String, String>>,
}

/// The scope of the calls so far.
#[derive(Clone)]
pub(super) struct SeenScope {
    pub(super) designs: Vec<DesignVersion>,
    pub(super) scope: Scope,
}

impl SeenScope {
    pub(super) fn of(gate: &Gate<'_>) -> SeenScope {
        SeenScope {
            designs: gate.design_versions(),
            scope: gate.scope().cloned().unwrap_or_default(),
        }
    }
}

impl Session {
    /// Refuses if other designs apply than at the first call. The client plans by what it knows of the scope.
    ///
    /// # Errors
    /// The designs have changed.
    pub(super) fn check(&self, gate: &Gate<'_>) -> GateResult<()> {
        let mut seen = locked(&self.seen);
        let known = seen.get_or_insert_with(|| SeenScope::of(gate));
        let designs = gate.design_versions();
        if known.designs == designs {
            return Ok(());
        }
        let what = match designs.is_empty() {
            true => "no design applies any more",
            false => "the design has changed since this session began",
        };
        Err(Failure::new(FailureKind::Stale, what)
            .help("call reload_scope, which tells what changed, then call the tool again"))
    }

    /// Takes the designs of this gate, and returns those before.
    pub(super) fn reload(&self, gate: &Gate<'_>) -> SeenScope {
        let now = SeenScope::of(gate);
        let mut seen = locked(&self.seen);
        seen.replace(now.clone()).unwrap_or(now)
    }

    /// Notes a question about a held change, under a key that nobody can guess.
    pub(super) fn note_question(&self, key: String, id: String) {
        locked(&self.questions).insert(key, id);
    }

    /// The held change of a question. Each question is answered once.
    pub(super) fn take_question(&self, key: &str) -> Option<String> {
        locked(&self.questions).remove(key)
    }
}

/// A call that panicked leaves the data whole: nothing can fail while it is locked.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A call, with the repository as it is now.
pub(super) struct Call<'a> {
    pub(super) repo: &'a Repository,
    pub(super) session: &'a Session,
}

impl Call<'_> {
    /// The gate with the policy of this moment.
    pub(super) fn gate(&self) -> GateResult<Gate<'_>> {
        let gate = Gate::open(self.repo, &self.session.options)?;
        self.session.check(&gate)?;
        Ok(gate)
    }

    /// The path in an argument, as a request.
    pub(super) fn request(&self, path: &str) -> BString {
        self.repo.request_of(path.as_bytes())
    }

    pub(super) fn perform(&self, path: &str, operation: &Operation) -> GateResult<ToolAnswer> {
        self.perform_by(&self.gate()?, path, operation)
    }

    pub(super) fn perform_by(
        &self,
        gate: &Gate<'_>,
        path: &str,
        operation: &Operation,
    ) -> GateResult<ToolAnswer> {
        let done = gate.perform(self.request(path).as_ref(), operation);
        done.map(|done| ToolAnswer::done(gate, &done))
    }
}
