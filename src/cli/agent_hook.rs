//! `guard hook claude` and the like: reads what a coding agent announces, and prints the answer.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::bounded;
use super::options::{DesignArgs, repository, with_approvals};
use super::output::{CANNOT_JUDGE, on_panic};
use crate::agents::{self, Agent, AgentEvent, FileAction, HookWork, Observer, Reply, Told};
use crate::files::GateResult;
use crate::judge::Options;
use write_guard_policy::error::{Error, Result};
use write_guard_repo::disk::absolute;
use write_guard_repo::{CheckpointStore, Repository, show_file};

/// Larger payloads are denied unread.
const MAX_PAYLOAD: u64 = 16 << 20;

/// How long an answer may take. Agents go on when a hook takes too long, so guard answers before that.
const DEADLINE: Duration = Duration::from_secs(8);

/// Answers one payload. The result is the exit code.
pub(super) fn answer(agent: Agent, design: &DesignArgs) -> u8 {
    // The answer still has to be a denial in the agent's form.
    on_panic("", || ());
    let fallback = Arc::new(Mutex::new(agent.failed()));
    let late = Arc::clone(&fallback);
    // Without the thread, guard still answers; only a call without end stays unanswered.
    let _ = thread::Builder::new().spawn(move || {
        thread::sleep(DEADLINE);
        let reply = agents::locked(&late);
        std::process::exit(i32::from(say(&reply)));
    });
    let options = design.options(false);
    let payload = bounded::read("standard input", Ok(io::stdin().lock()), MAX_PAYLOAD);
    say(&agent.answer(payload, &AgentWork { agent, options }, &fallback))
}

struct AgentWork {
    agent: Agent,
    options: Options,
}

impl HookWork for AgentWork {
    fn judge(&self, call: &AgentEvent) -> GateResult<()> {
        enter(&call.directory)?;
        agents::refuse(call)?;
        if !call.actions.iter().all(FileAction::is_command) {
            let repo = repository_of(self.agent, call.has_only_absolute_paths())?;
            agents::judge(&repo, &self.options, call)?;
        }
        if call.is_observed()
            && let Some(repo) = self.observed(call.has_only_absolute_paths())?
        {
            let options = with_approvals(&repo, self.options.clone())?;
            Observer::open(&repo, &options, &call.session)?
                .begin(call.call.as_deref().unwrap_or_default())?;
        }
        Ok(())
    }

    fn tell(&self, event: &AgentEvent) -> Option<Told> {
        if event.takes_context() {
            enter(&event.directory).ok()?;
            let repo = repository_of(self.agent, true).ok()?;
            return agents::scope_to_tell(event, &repo, &self.options);
        }
        // What a file tool does was judged before; only a plan without rows needs a word.
        if !event.written.is_empty() {
            enter(&event.directory).ok()?;
            let repo = repository_of(self.agent, true).ok()?;
            return agents::rows_to_propose(event, &repo, &self.options);
        }
        self.look(event).unwrap_or_else(|error| {
            let next = "look yourself: git status; ";
            let text = agents::failed_to("look at what the tool did", &error, next);
            Some(Told {
                text,
                is_neutral: false,
            })
        })
    }
}

impl AgentWork {
    /// What a call did.
    fn look(&self, event: &AgentEvent) -> Result<Option<Told>> {
        enter(&event.directory)?;
        let Some(repo) = self.observed(true)? else {
            return match CheckpointStore::is_there_for(&event.directory) {
                true => Err(Error::new("the .git directory of the repository is gone")
                    .help("stop, and ask the user to bring it back")),
                false => Ok(None),
            };
        };
        let options = with_approvals(&repo, self.options.clone())?;
        Observer::open(&repo, &options, &event.session)?.finish(event)
    }

    /// The repository whose work tree is observed; `None` where there is none.
    fn observed(&self, has_only_absolute_paths: bool) -> Result<Option<Repository>> {
        let here = std::env::current_dir().unwrap_or_default();
        let project = project_of(self.agent);
        match here
            .ancestors()
            .chain(project.as_deref())
            .any(|path| path.join(".git").exists())
        {
            true => repository_of(self.agent, has_only_absolute_paths).map(Some),
            false => Ok(None),
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
    let here = repository();
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

/// Prints the answer. The result is the exit code, which denies if the agent cannot read the answer.
fn say(reply: &Reply) -> u8 {
    let (mut stdout, mut stderr) = (io::stdout().lock(), io::stderr().lock());
    let told = stderr.write_all(reply.stderr.as_bytes());
    let answered = stdout
        .write_all(reply.stdout.as_bytes())
        .and_then(|()| stdout.flush());
    match (answered, told) {
        (Ok(()), Ok(())) => reply.code,
        // Codex goes on after a denial by the exit code that gives no reason, but it reads standard output after code 0.
        (Ok(()), Err(_)) if !reply.stdout.is_empty() => 0,
        _ => CANNOT_JUDGE,
    }
}
