//! `guard hook claude` and the like: reads what a coding agent announces, and prints the answer.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::bounded;
use super::options::DesignArgs;
use super::output::{CANNOT_JUDGE, on_panic};
use crate::agents::{self, Agent, Reply};

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
    say(&agents::answer(agent, payload, &options, &fallback))
}

/// Prints the answer. The result is the exit code, which denies if the agent cannot read the answer.
fn say(reply: &Reply) -> u8 {
    let mut stdout = io::stdout().lock();
    let mut stderr = io::stderr().lock();
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
