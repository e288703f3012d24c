//! The hooks of coding agents: where an agent reads the settings of a project, what guard writes there, and a call that
//! must be denied as the proof that it works.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Map, Value};

use super::{Check, Part, Plan, SetupAction, Status, Step, agent_settings, text, write};
use crate::agents::Agent;
use crate::error::Result;
use crate::path::escaped;

/// One agent and its hooks.
#[derive(Debug)]
pub struct AgentHooks {
    agent: Agent,
    /// The settings or, if it is no JSON, the plugin, from the root of the work tree.
    pub file: &'static str,
    /// What guard adds to the settings, or the whole plugin.
    content: &'static str,
    /// Files and directories of the agent in a repository.
    files: &'static [&'static str],
    /// What only a person can do.
    trust: &'static [&'static str],
}

macro_rules! agents {
    ($($agent:ident $file:literal $content:literal $files:tt $trust:tt)*) => {
        /// Every agent whose hooks guard installs.
        pub const AGENTS: &[AgentHooks] = &[$(AgentHooks {
            agent: Agent::$agent,
            file: $file,
            content: include_str!(concat!("../../hooks/agents/", $content)),
            files: &$files,
            trust: &$trust,
        }),*];
    };
}

agents! {
    Claude ".claude/settings.json" "claude.json" [".claude", "CLAUDE.md"] []
    Codex ".codex/hooks.json" "codex.json" [".codex"]
        ["run /hooks in Codex and trust the hook: until then, Codex skips it"]
    Copilot ".github/hooks/guard.json" "copilot.json" [".github/hooks", ".github/copilot-instructions.md"] []
    Cursor ".cursor/hooks.json" "cursor.json" [".cursor", ".cursorrules"]
        ["trust the workspace in Cursor: until then, it skips the hooks of the project"]
    Gemini ".gemini/settings.json" "gemini.json" [".gemini", "GEMINI.md"]
        ["trust the folder in Gemini CLI: until then, it skips the hooks of the project"]
    Opencode ".opencode/plugins/guard.js" "opencode.js" [".opencode", "opencode.json"] []
    Vscode ".github/hooks/guard-vscode.json" "vscode.json" [] ["trust the workspace in VS Code"]
}

impl AgentHooks {
    /// Its name in `guard hook NAME`.
    pub fn name(&self) -> &'static str {
        self.agent.name()
    }

    /// Whether the repository has files of the agent.
    pub fn has_files(&self, root: &Path) -> bool {
        self.files.iter().any(|name| root.join(name).exists())
    }

    /// Adds the hooks to the agent's settings, then tries a call that must be denied. If it is not, the file is put back.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn install(&self, root: &Path, dry_run: bool) -> Result<Step> {
        let part = self.part(root);
        let before = fs::read(&part.path).ok();
        let mut step = part.carry_out(&part.install, dry_run)?;
        if dry_run || step.action == SetupAction::Refuse {
            return Ok(step);
        }
        let Err(why) = self.prove(root) else {
            step.message += &format!("; {DENIED}");
            let trust = self.trust.iter().copied();
            step.help.extend(trust.map(str::to_owned));
            return Ok(step);
        };
        let mut refused = Step {
            message: why,
            ..step
        };
        if refused.action == SetupAction::Write {
            match before {
                Some(before) => write(&part.path, &before)?,
                None => part.carry_out(&Plan::Remove, dry_run).map(drop)?,
            }
            refused.message += ", so the file is as it was";
        }
        refused.action = SetupAction::Refuse;
        Ok(refused)
    }

    /// Removes the hooks from the agent's settings; a file that held nothing else is deleted.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn uninstall(&self, root: &Path, dry_run: bool) -> Result<Step> {
        let part = self.part(root);
        part.carry_out(&part.uninstall, dry_run)
    }

    /// The file, and what installing and removing mean for it.
    fn part(&self, root: &Path) -> Part {
        let mut part = Part::new(self.name(), root.join(self.file));
        let Some(text) = part.text_or_plan(root, self.content) else {
            return part;
        };
        let (added, removed) = match serde_json::from_str::<Map<String, Value>>(self.content) {
            Ok(wanted) => (
                agent_settings::add(&text, &wanted, self.name()),
                agent_settings::remove(&text, &wanted, self.name()),
            ),
            Err(_) if text == self.content => (Ok(text.clone()), Ok(None)),
            Err(_) => {
                let why = "another file has its name".to_owned();
                (Err(why.clone()), Err(why))
            }
        };
        match added {
            Ok(new) if new == text => part.message = "has the hooks".to_owned(),
            Ok(new) => {
                part.message = "does not call guard".to_owned();
                part.install = Plan::Write(new.into(), "written");
            }
            Err(why) => {
                part.message = format!("guard leaves it alone: {why}");
                part.install = super::add_by_hand("add these lines yourself:", self.content);
            }
        }
        part.uninstall = match removed {
            Ok(None) => Plan::Remove,
            Ok(Some(left)) if left == text => Plan::Keep,
            Ok(Some(left)) => Plan::Write(left.into(), "guard's hooks removed"),
            Err(_) => Plan::ByHand(Vec::new()),
        };
        part
    }

    /// Checks the hooks with a call that must be denied; `None` if the agent is not used here.
    pub(super) fn check(&self, root: &Path) -> Option<Check> {
        let check = |status, message: String| Check::new(self.name(), status, message);
        let install = format!("guard install {}", self.name());
        if self.command(root).is_none() {
            let message = format!("absent: {} does not call guard", self.file);
            return self
                .has_files(root)
                .then(|| check(Status::Warn, message).help(install));
        }
        Some(match self.prove(root) {
            Err(why) => check(Status::Fail, format!("registered, but not firing: {why}"))
                .help("check that guard is on the PATH of the agent")
                .help(install),
            // An agent skips hooks that the person does not trust, which guard cannot see.
            Ok(()) => Check {
                help: self.trust.iter().copied().map(Into::into).collect(),
                ..check(Status::Ok, format!("live: {DENIED}"))
            },
        })
    }

    /// The command in the settings, or the one that the plugin runs.
    fn command(&self, root: &Path) -> Option<String> {
        let text = self.text(root)?;
        match self.file.ends_with(".json") {
            true => agent_settings::command(&text, self.name()),
            false => (text == self.content).then(|| format!("guard hook {}", self.name())),
        }
    }

    /// The text of the file, if there is one that guard may touch.
    fn text(&self, root: &Path) -> Option<String> {
        text(root, &root.join(self.file)).ok()?
    }

    /// Sends a call that must be denied through the command that the settings name; or says why it was not.
    fn prove(&self, root: &Path) -> std::result::Result<(), String> {
        let denied = match self.command(root) {
            Some(command) => try_it(self.agent, &command, root),
            None => Err("the file does not call guard".to_owned()),
        };
        denied.map_err(|why| format!("a call that must be denied was not: {why}"))
    }
}

const DENIED: &str = "a call that must be denied was denied";

/// A file outside the workspace.
const OUTSIDE: &str = "guard-must-deny-this";

/// Sends a write of that file, as the agent would announce it, to a command; or says why it was not denied.
fn try_it(agent: Agent, command: &str, root: &Path) -> std::result::Result<(), String> {
    let (shell, option) = match cfg!(windows) {
        true => ("cmd", "/C"),
        false => ("sh", "-c"),
    };
    let shown = escaped(command);
    let cannot = |error: std::io::Error| format!("`{shown}` cannot be run: {error}");
    let mut child = Command::new(shell)
        .args([option, command])
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(cannot)?;
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let outside = root.join("..").join(OUTSIDE);
    let payload = agent.sample(&root.to_string_lossy(), &outside.to_string_lossy());
    if let Some(mut input) = child.stdin.take() {
        // A program that does not read it is not guard, which the answer shows.
        let _ = input.write_all(payload.to_string().as_bytes());
    }
    let output = child.wait_with_output().map_err(cannot)?;
    let answer = String::from_utf8_lossy(&output.stdout);
    let told = String::from_utf8_lossy(&output.stderr);
    let is_denied = output.status.code() == Some(2) || answer.contains("\"deny\"");
    // A payload that guard cannot read is denied as well, but proves nothing.
    if is_denied && (answer.contains(OUTSIDE) || told.contains(OUTSIDE)) {
        return Ok(());
    }
    let last = escaped(told.lines().last().unwrap_or("it said nothing"));
    Err(format!("`{shown}` ended with {}: {last}", output.status))
}
