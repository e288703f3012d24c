//! Checks the hooks of coding agents, each with a call that must be denied.

use super::check::{Check, Status};
use crate::git::Repository;
use crate::install::agents::{AGENTS, Wiring};

/// One check per agent whose settings call guard, or that has files in the repository.
pub(super) fn check(repo: &Repository) -> Vec<Check> {
    let Ok(root) = repo.workdir() else {
        return Vec::new();
    };
    let mut checks = Vec::new();
    for agent in AGENTS {
        let Ok((wiring, why)) = agent.wiring(repo) else {
            continue;
        };
        let (status, rest) = match wiring {
            Wiring::Absent if !agent.has_files(root) => continue,
            Wiring::Absent => (
                Status::Warn,
                format!("{} does not call guard", agent.file()),
            ),
            Wiring::Live => (
                Status::Ok,
                "a call that must be denied was denied".to_owned(),
            ),
            Wiring::Untrusted => (
                Status::Warn,
                "a call that must be denied was denied, but the agent itself has not called guard"
                    .to_owned(),
            ),
            Wiring::NotFiring => (Status::Fail, why),
        };
        let mut check = Check::new(agent.name(), status, format!("{}: {rest}", wiring.name()));
        check = match wiring {
            Wiring::Live => check,
            Wiring::Untrusted => check.help(agent.trust()),
            Wiring::Absent => check.help(format!("guard install {}", agent.name())),
            Wiring::NotFiring => check
                .help("check that guard is on the PATH of the agent")
                .help(format!("guard install {}", agent.name())),
        };
        checks.push(check);
    }
    checks
}
