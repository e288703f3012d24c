//! `guard hook claude` and the like: reads what a coding agent announces, and prints the answer.

use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::bounded;
use super::design_args::DesignArgs;
use super::output::CANNOT_JUDGE;
use super::repository::{repository, with_approvals};
use crate::agent::{
    self, Agent, Commands, ContextEvent, FileAction, Finished, Reply, Surroundings, ToolCall,
};
use crate::error::{Error, Result};
use crate::gate::GateResult;
use crate::git::{Repository, show_file};
use crate::install::agents;
use crate::judge::Options;

/// Larger payloads are denied unread.
const MAX_PAYLOAD: u64 = 64 << 20;

/// Agents go on when a hook takes too long, so guard denies before that.
const DEADLINE: Duration = Duration::from_secs(8);

#[derive(Debug, clap::Args)]
pub(super) struct AgentArgs {
    #[command(flatten)]
    design: DesignArgs,
}

impl AgentArgs {
    /// Answers one payload. The result is the exit code.
    pub(super) fn run(&self, agent: Agent) -> u8 {
        fail_in_form();
        deny_in_time(agent);
        let options = self.design.options(false);
        let payload = bounded::whole(io::stdin().lock(), MAX_PAYLOAD);
        let payload = bounded::read("standard input", payload, MAX_PAYLOAD);
        say(&agent.answer(
            payload,
            |call| judge(agent, &options, call),
            |finished| landed(agent, &options, finished),
            |event| scope_to_tell(agent, &options, event),
            |session, reason| match repository() {
                Ok(repo) => agent::times_told(repo.git_dir(), session, reason),
                Err(_) => 1,
            },
        ))
    }
}

/// Changes to the directory in which the agent works.
fn enter(call: &ToolCall) -> Result<()> {
    let entered = match &call.directory {
        Some(directory) => std::env::set_current_dir(directory).map_err(|error| (directory, error)),
        None => Ok(()),
    };
    entered.map_err(|(directory, error)| {
        let directory = show_file(directory);
        Error::new(format!(
            "the agent's directory {directory} cannot be entered: {error}"
        ))
    })
}

fn judge(agent: Agent, options: &Options, call: &ToolCall) -> GateResult<()> {
    enter(call)?;
    let commands = Commands::of(call, &surroundings());
    if commands.are_harmless() && call.actions.iter().all(FileAction::is_command) {
        return Ok(());
    }
    agent::judge(&repository_of(agent, call)?, options, call, &commands)
}

/// What landed in the work tree. Where guard cannot look, it says why: nothing is denied after the fact.
fn landed(agent: Agent, options: &Options, finished: &Finished) -> Option<String> {
    let look = || {
        let call = ToolCall::in_directory(finished.directory.clone());
        enter(&call)?;
        let repo = repository_of(agent, &call)?;
        let options = with_approvals(&repo, options.clone())?;
        agent::landed(finished, repo, &options)
    };
    look().unwrap_or_else(|error| {
        let text = format!("guard could not look for what landed: {}\n", error.message);
        let _ = io::stderr().lock().write_all(text.as_bytes());
        None
    })
}

/// What to tell the model about the scope. A prompt is no request, so nothing is denied here.
fn scope_to_tell(agent: Agent, options: &Options, event: &ContextEvent) -> Option<String> {
    let call = ToolCall::in_directory(event.directory.clone());
    enter(&call).ok()?;
    let repo = repository_of(agent, &call).ok()?;
    agents::note_call(&repo, agent);
    agent::scope_to_tell(event, &repo, options)
}

/// Where the agent's commands run.
fn surroundings() -> Surroundings {
    Surroundings {
        directory: std::env::current_dir().unwrap_or_default(),
        home: std::env::home_dir(),
        temporary: std::env::temp_dir(),
    }
}

/// The repository of the agent's directory. If the agent names its project and works elsewhere, such as in a
/// repository of its own making, the project's repository judges; linked work trees belong to the project.
fn repository_of(agent: Agent, call: &ToolCall) -> Result<Repository> {
    let here = repository();
    let project = agent.project_variable().and_then(std::env::var_os);
    let Some(project) = project.filter(|project| !project.is_empty()) else {
        return here;
    };
    let project = Repository::open(Path::new(&project))?;
    match here {
        Ok(here) if is_same(here.common_dir(), project.common_dir()) => Ok(here),
        _ if call.has_only_absolute_paths() => Ok(project),
        _ => Err(Error::new(
            "the tool call names a relative path, but the agent's directory is outside its project",
        )
        .help("use the absolute path")),
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
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

/// Ends guard with a denial if there is no answer in time.
fn deny_in_time(agent: Agent) {
    // Without the thread, guard still answers; only a call without end stays unanswered.
    let _ = thread::Builder::new().spawn(move || {
        thread::sleep(DEADLINE);
        let seconds = DEADLINE.as_secs();
        let why = format!(
            "guard could not judge the tool call within {seconds} seconds, so it is denied; try again"
        );
        std::process::exit(i32::from(say(&agent.failed(&why))));
    });
}

/// A panic is a fault of guard. It only says so, because the answer still has to be a denial in the agent's form.
fn fail_in_form() {
    std::panic::set_hook(Box::new(|panic| {
        let text = format!("guard: internal error: {panic}\nguard: please report this\n");
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }));
}
