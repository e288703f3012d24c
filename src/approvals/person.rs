//! Finds out whether a person is at the terminal. A program under the same user account can emulate a
//! terminal; this refuses the ways in which known agents run guard. docs/approvals.md says what that is worth.

// Variables and the terminal itself say who is there.
#![allow(clippy::disallowed_methods)]

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal};
use std::path::Path;

use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::escaped;
use write_guard_repo::system;

/// A variable that agents or CI set for the programs that they start. Those that configure an agent, such as `CODEX_HOME`,
/// are set in profiles and say nothing.
struct Marker {
    name: &'static str,
    /// Whether the agent also sets it for the MCP servers that it starts, where it says nothing about who asks.
    #[cfg_attr(not(feature = "mcp"), allow(dead_code, reason = "only a server asks"))]
    is_for_servers: bool,
}

const fn shells(name: &'static str) -> Marker {
    Marker {
        name,
        is_for_servers: false,
    }
}

const fn all_programs(name: &'static str) -> Marker {
    Marker {
        name,
        is_for_servers: true,
    }
}

const MARKERS: &[Marker] = &[
    // Seen in the commands and servers of Claude Code 2.1.
    all_programs("CLAUDECODE"),
    all_programs("CLAUDE_CODE_ENTRYPOINT"),
    all_programs("AI_AGENT"),
    shells("CLAUDE_CODE_CHILD_SESSION"),
    // Seen in the commands of Codex CLI 0.169; the first two are in its documentation, for its sandbox.
    shells("CODEX_SANDBOX"),
    shells("CODEX_SANDBOX_NETWORK_DISABLED"),
    shells("CODEX_CI"),
    shells("CODEX_THREAD_ID"),
    // Seen in the commands and servers of Gemini CLI 0.61, OpenCode 1.18 and Copilot CLI 1.0.
    all_programs("GEMINI_CLI"),
    all_programs("OPENCODE"),
    all_programs("COPILOT_CLI"),
    // VS Code, pull request 316267: terminals of its agent.
    shells("COPILOT_AGENT"),
    // Cursor's documentation of its terminal, goose's of its variables, and Cline's change log (3.24).
    shells("CURSOR_AGENT"),
    shells("GOOSE_TERMINAL"),
    shells("CLINE_ACTIVE"),
    // GitHub, GitLab and most others.
    shells("CI"),
];

/// The end of `AI_AGENT` in a shell of Claude Code; its servers have another.
#[cfg(feature = "mcp")]
const SHELL_OF_AGENT: &str = "_agent";

/// The process names of agents.
const AGENTS: &[&str] = &[
    "claude",
    "claude-code",
    "codex",
    "gemini",
    "gemini-cli",
    "cursor-agent",
    "aider",
    "opencode",
    "copilot",
    "cline",
    "goose",
];

/// A terminal with a person at it, as far as guard can see.
pub(crate) struct Person {
    pub(super) reads: File,
    pub(super) writes: File,
}

impl Person {
    /// Opens the terminal.
    ///
    /// # Errors
    /// There is none, or an agent or CI runs this.
    pub(crate) fn present() -> Result<Person> {
        refuse_agents_and_ci()?;
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Err(needs_a_person(
                "standard input and output are not a terminal",
            ));
        }
        let open = |name| {
            let file = OpenOptions::new().read(true).write(true).open(name);
            file.map_err(|error| needs_a_person(&format!("{name} cannot be opened: {error}")))
        };
        let [reads, writes] = system::CONSOLE;
        Ok(Person {
            reads: open(reads)?,
            writes: open(writes)?,
        })
    }
}

/// Refuses under an agent to do `what`, which is for people and their scripts. CI is not an agent: it sets up the
/// hooks of its own clone.
///
/// # Errors
/// An agent runs this.
pub(crate) fn refuse_agents(what: &str) -> Result<()> {
    let variables = std::env::vars_os().filter(|(name, _)| name != "CI");
    match agent_by(variables, "self") {
        Some(why) => Err(Error::new(format!("only a person can {what}: {why}"))
            .help("run the command in your own terminal")),
        None => Ok(()),
    }
}

fn needs_a_person(why: &str) -> Error {
    Error::new(format!(
        "only a person at a terminal can decide this: {why}"
    ))
    .help("run the command in your own terminal")
    .help("no flag and no variable answers for a person")
}

/// Why the client that started guard may not answer for the person; `None` if it may. The client is the parent
/// process. An agent further up runs guard from its shell, perhaps through a client of its own making.
#[cfg(feature = "mcp")]
pub(crate) fn refusal_of_client() -> Option<String> {
    let client = parent_of(Path::new(PROCESSES), "self")
        .map_or("self".to_owned(), |client| client.to_string());
    let of_shells = std::env::vars_os().filter(|(name, value)| {
        let marker = MARKERS.iter().find(|marker| name == marker.name);
        let is_shell = name == "AI_AGENT" && value.to_string_lossy().ends_with(SHELL_OF_AGENT);
        is_shell || marker.is_some_and(|marker| !marker.is_for_servers)
    });
    let agent = agent_by(of_shells, &client);
    agent.map(|why| needs_a_person(&why).message)
}

/// Why an agent or CI seems to run guard; `None` if none does.
fn agent_by_variable(mut variables: impl Iterator<Item = (OsString, OsString)>) -> Option<String> {
    let is_marker = |(name, value): &(OsString, OsString)| {
        let is_off = value.is_empty() || (name == "CI" && (value == "false" || value == "0"));
        !is_off && MARKERS.iter().any(|marker| name == marker.name)
    };
    let (name, _) = variables.find(is_marker)?;
    let name = name.to_string_lossy();
    Some(format!(
        "the variable {name} shows that an agent or CI runs guard"
    ))
}

/// Refuses to decide for a person where an agent or CI runs guard.
///
/// # Errors
/// A variable or a parent process shows that one does.
pub(crate) fn refuse_agents_and_ci() -> Result<()> {
    match agent_by(std::env::vars_os(), "self") {
        Some(why) => Err(needs_a_person(&why)),
        None => Ok(()),
    }
}

/// The directory of the processes on Linux.
const PROCESSES: &str = "/proc";

/// Looks at the variables and at the processes that started this one. Only Linux shows processes as files.
fn agent_by(
    variables: impl Iterator<Item = (OsString, OsString)>,
    process: &str,
) -> Option<String> {
    let above = || agent_above(Path::new(PROCESSES), process).filter(|_| system::SHOWS_PROCESSES);
    agent_by_variable(variables).or_else(above)
}

/// `processes` is the directory that shows them.
fn agent_above(processes: &Path, process: &str) -> Option<String> {
    let mut below = process.to_owned();
    // Guards against an endless chain.
    for _ in 0..1000 {
        let id = match parent_of(processes, &below) {
            None if below == process => {
                return Some("guard cannot read its parent processes in /proc".to_owned());
            }
            // A process of another user may be hidden. No agent of this user is above it.
            None | Some(0) => return None,
            Some(id) => id,
        };
        below = id.to_string();
        if let Some(agent) = agent_of(processes, &below) {
            return Some(format!("the parent process {id} is an agent: {agent}"));
        }
    }
    Some("guard cannot follow the chain of its parent processes".to_owned())
}

/// The fourth field of `ID/stat`; the second, in parentheses, may hold anything.
fn parent_of(processes: &Path, process: &str) -> Option<u32> {
    let stat = read(processes, process, "stat")?;
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

fn agent_of(processes: &Path, process: &str) -> Option<String> {
    let arguments = read(processes, process, "cmdline").unwrap_or_default();
    let words: Vec<&str> = arguments.split('\0').take(2).collect();
    let name = read(processes, process, "comm").unwrap_or_default();
    named_agent(name.trim(), &words)
}

/// What the system says about a process.
fn read(processes: &Path, process: &str, file: &str) -> Option<String> {
    let bytes = fs::read(processes.join(process).join(file)).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The agent by the process's name, its program or the script that it runs. The script is known by its name or, as in
/// `…/node_modules/@vendor/agent/dist/cli.js`, by its package.
fn named_agent(comm: &str, words: &[&str]) -> Option<String> {
    for candidate in [&[comm], words].concat() {
        let file_name = candidate.rsplit(['/', '\\']).next().unwrap_or_default();
        let is_script = stem(file_name) != file_name.to_lowercase();
        let mut packages = ["node_modules", "site-packages"].iter();
        let package = packages.find_map(|packages| Some(candidate.rsplit_once(packages)?.1));
        let package = package.filter(|_| is_script).unwrap_or_default();
        let mut names = std::iter::once(file_name).chain(package.split(['/', '\\']));
        if let Some(agent) = names.find(|name| AGENTS.contains(&stem(name).as_str())) {
            return Some(escaped(agent).to_string());
        }
    }
    None
}

/// The name in lower case, without the extension of a program.
fn stem(name: &str) -> String {
    let name = name.to_lowercase();
    [".exe", ".js", ".mjs", ".cjs", ".py", ".cmd"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(&name)
        .to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::ffi::OsStr;

    use super::*;

    fn agent(comm: &str, words: &[&str]) -> bool {
        named_agent(comm, words).is_some()
    }

    #[test]
    fn agents_are_known_by_name_program_script_or_package() {
        assert!(agent("claude", &["claude"]));
        assert!(agent("node", &["/usr/bin/node", "/opt/bin/gemini"]));
        assert!(agent("MainThread", &["node", "C:\\x\\codex.JS"]));
        assert!(agent(
            "node",
            &["node", "/a/node_modules/@anthropic-ai/claude-code/cli.js"]
        ));
        assert!(agent(
            "python3",
            &["python", "/v/site-packages/aider/__main__.py"]
        ));
        // A user or a file that is named like an agent is not an agent.
        assert!(!agent("bash", &["/home/claude/bin/bash", "-l"]));
        assert!(!agent(
            "vim",
            &["vim", "/a/node_modules/claude-code/README.md"]
        ));
        assert!(!agent("codexd", &["codexd"]));
        assert!(!agent("", &[]));
    }

    /// Each process is there as its id, its name, its arguments and its parent.
    #[test]
    fn agent_is_found_among_the_parent_processes() {
        let temp = tempfile::tempdir().unwrap();
        for (process, name, arguments, parent) in [
            ("10", "bash", "bash\0-l", 1),
            ("11", "my ) S 9 tool", "tool", 10),
            ("20", "claude", "claude", 1),
            ("21", "sh", "sh\0-c\0guard", 20),
            ("22", "guard", "guard\0approve", 21),
            ("30", "node", "node\0/opt/codex.js\0x", 0),
            ("31", "guard", "guard", 30),
            ("40", "sh", "sh\0-c\0claude", 0),
            ("41", "guard", "guard", 40),
            // The parent belongs to another user and is hidden.
            ("50", "guard", "guard", 999),
            ("70", "guard", "guard", 71),
            ("71", "sh", "sh", 70),
        ] {
            let directory = temp.path().join(process);
            fs::create_dir(&directory).unwrap();
            let stat = format!("{process} ({name}) S {parent} 7 8");
            fs::write(directory.join("stat"), stat).unwrap();
            fs::write(directory.join("comm"), format!("{name}\n")).unwrap();
            fs::write(directory.join("cmdline"), arguments).unwrap();
        }
        for (process, expected) in [
            ("10", None),
            ("11", None),
            ("20", None),
            ("21", Some("the parent process 20 is an agent: claude")),
            ("22", Some("the parent process 20 is an agent: claude")),
            ("31", Some("the parent process 30 is an agent: codex.js")),
            ("41", None),
            ("50", None),
            (
                "60",
                Some("guard cannot read its parent processes in /proc"),
            ),
            (
                "70",
                Some("guard cannot follow the chain of its parent processes"),
            ),
        ] {
            let found = agent_above(temp.path(), process);
            assert_eq!(found.as_deref(), expected, "{process}");
        }
    }

    #[test]
    fn variables_of_agents_and_ci_are_markers_unless_empty() {
        let refused = |name: &str, value: &str| {
            agent_by_variable([(OsStr::new(name).into(), OsStr::new(value).into())].into_iter())
                .is_some()
        };
        for marker in MARKERS {
            assert!(refused(marker.name, "1"), "{}", marker.name);
        }
        for (name, value) in [
            ("CLAUDECODE", ""),
            ("CI", "false"),
            ("CITY", "1"),
            ("HOME", "/root"),
            // In profiles, and in terminals of people.
            ("CURSOR_TRACE_ID", "1"),
            ("CLAUDE_CODE_USE_BEDROCK", "1"),
            ("CLAUDE_CODE_MAX_OUTPUT_TOKENS", "32000"),
            ("CODEX_HOME", "/home/me/.codex"),
            ("AIDER_MODEL", "m"),
            ("OPENCODE_CONFIG", "/home/me/o.json"),
            ("COPILOT_MODEL", "m"),
            ("GEMINI_API_KEY", "k"),
        ] {
            assert!(!refused(name, value), "{name}");
        }
    }
}
