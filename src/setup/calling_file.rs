//! What `guard install` writes besides git's hooks: the settings of coding agents, with a call that must be denied as the
//! proof that they work, and the files that call guard in CI and under pre-commit.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{Check, Part, Plan, SetupAction, Status, Step, agent_settings, text};
use crate::agents::Agent;
use write_guard_policy::error::Result;
use write_guard_policy::hooks::runs_guard;
use write_guard_policy::own_part::{self, HostFile};
use write_guard_policy::path::escaped;
use write_guard_repo::{disk, find_shell, show_file};

/// A file that calls guard.
#[derive(Debug)]
pub struct CallingFile {
    /// Its name in `guard install NAME`; for an agent, also in `guard hook NAME`.
    pub name: &'static str,
    /// The file, from the root of the work tree.
    file: &'static str,
    /// A new file, or what guard adds to the settings of an agent; empty where that depends on the repository.
    pub(super) content: &'static str,
    /// Files and directories of the agent in a repository.
    signs: &'static [&'static str],
    /// What only a person can do.
    next: &'static [&'static str],
}

macro_rules! files {
    ($($name:literal $file:literal $content:expr, $signs:tt $next:tt)*) => {
        /// Every file that guard writes.
        pub const FILES: &[CallingFile] = &[$(CallingFile {
            name: $name,
            file: $file,
            content: $content,
            signs: &$signs,
            next: &$next,
        }),*];
    };
}

files! {
    "claude" ".claude/settings.json" include_str!("../../hooks/agents/claude.json"),
        [".claude", "CLAUDE.md"] []
    "codex" ".codex/hooks.json" include_str!("../../hooks/agents/codex.json"), [".codex"]
        ["run /hooks in Codex and trust the hook: until then, Codex skips it"]
    "copilot" ".github/hooks/guard.json" include_str!("../../hooks/agents/copilot.json"),
        [".github/hooks", ".github/copilot-instructions.md"] []
    "cursor" ".cursor/hooks.json" include_str!("../../hooks/agents/cursor.json"),
        [".cursor", ".cursorrules"]
        ["trust the workspace in Cursor: until then, it skips the hooks of the project"]
    "gemini" ".gemini/settings.json" include_str!("../../hooks/agents/gemini.json"),
        [".gemini", "GEMINI.md"]
        ["trust the folder in Gemini CLI: until then, it skips the hooks of the project"]
    "opencode" ".opencode/plugins/guard.js" include_str!("../../hooks/agents/opencode.js"),
        [".opencode", "opencode.json"] []
    "vscode" ".github/hooks/guard-vscode.json" include_str!("../../hooks/agents/vscode.json"), []
        ["trust the workspace in VS Code"]
    "pre-commit" ".pre-commit-config.yaml" include_str!("../../hooks/ci/pre-commit.yaml"), []
        ["write the address of guard behind `repo:`, commit the file alone, and run: \
          pre-commit install", ROW_FOR_ADDRESS]
    "husky" ".husky/pre-commit" "", [] ["commit the file alone"]
    "husky" ".husky/prepare-commit-msg" "", [] []
    "lefthook" "lefthook.yml" "", [] ["commit the file alone, and run: lefthook install"]
    "github" ".github/workflows/guard.yml" include_str!("../../hooks/ci/github.yml"), []
        ["write the address of guard behind `uses:`, and make the job `guard` a required check \
          of the branch", ROW_FOR_ADDRESS]
    "gitlab" ".gitlab-ci.yml" include_str!("../../hooks/ci/gitlab.yml"), []
        ["write the address of guard behind `--git`, and let merge requests wait for their \
          pipelines", ROW_FOR_ADDRESS]
}

/// The program that another address serves is not guard's to excuse.
const ROW_FOR_ADDRESS: &str = "a design has to name the file in the commit that writes the address, since the program \
                               there may be anything: guard scope new --from-changes";

impl CallingFile {
    /// The agent that reads the file.
    fn agent(&self) -> Option<Agent> {
        let mut agents = Agent::VARIANTS.iter().copied();
        agents.find(|agent| agent.name() == self.name)
    }

    /// Whether the repository has files of the agent.
    pub fn has_signs(&self, root: &Path) -> bool {
        self.signs.iter().any(|name| root.join(name).exists())
    }

    /// Whether the file has something that guard can remove.
    pub fn is_written(&self, root: &Path) -> bool {
        matches!(self.part(root).uninstall, Plan::Remove | Plan::Write(..))
    }

    /// Tries a call that an agent's hooks must deny; if they do, writes the file, or says what to add to it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn install(&self, root: &Path, dry_run: bool) -> Result<Step> {
        let mut part = self.part(root);
        let text = match &part.install {
            Plan::Write(text, _) => Some(String::from_utf8_lossy(text).into_owned()),
            Plan::Keep => text(root, &part.path).ok().flatten(),
            _ => None,
        };
        let proved = match (self.agent(), text) {
            (Some(agent), Some(text)) if !dry_run => Some(self.prove(agent, &text, root)),
            _ => None,
        };
        if let Some(Err(why)) = proved {
            part.message = format!("{why}, so the file is as it was");
            return part.carry_out(&Plan::ByHand(Vec::new()), dry_run);
        }
        let mut step = part.carry_out(&part.install, dry_run)?;
        if proved.is_some() {
            step.message += &format!("; {DENIED}");
        }
        if step.action == SetupAction::Write {
            step.help
                .extend(self.next.iter().copied().map(str::to_owned));
        }
        Ok(step)
    }

    /// Removes what guard wrote; a file that held nothing else is deleted.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn uninstall(&self, root: &Path, dry_run: bool) -> Result<Step> {
        let part = self.part(root);
        part.carry_out(&part.uninstall, dry_run)
    }

    /// The file, and what installing and removing mean for it.
    fn part(&self, root: &Path) -> Part {
        let mut part = Part {
            name: self.name,
            path: root.join(self.file_in(root)),
            ..Part::default()
        };
        let text = match text(root, &part.path) {
            Ok(Some(text)) => text,
            Ok(None) => {
                part.message = "there is no such file".to_owned();
                part.install = Plan::Write(self.new_file(root).into(), "written");
                return part;
            }
            Err(why) => {
                part.message = why;
                part.install = Plan::ByHand(Vec::new());
                part.uninstall = Plan::ByHand(Vec::new());
                return part;
            }
        };
        if let Ok(wanted) = serde_json::from_str::<Value>(self.content) {
            match agent_settings::add(&text, &wanted, self.name) {
                Ok(new) if new == text => part.message = "runs guard".to_owned(),
                Ok(new) => {
                    part.message = "does not call guard".to_owned();
                    part.install = Plan::Write(new.into(), "written");
                }
                Err(why) => {
                    part.message = format!("guard leaves it alone: {why}");
                    part.install = self.by_hand();
                }
            }
            part.uninstall = match agent_settings::remove(&text, &wanted, self.name) {
                Ok(None) => Plan::Remove,
                Ok(Some(left)) if left == text => Plan::Keep,
                Ok(Some(left)) => Plan::Write(left.into(), "guard's hooks removed"),
                Err(_) => Plan::ByHand(Vec::new()),
            };
        } else if self.content.is_empty() || self.agent().is_none() {
            self.own_part(&text, &mut part, root);
        } else if text == self.content {
            part.message = "runs guard".to_owned();
            part.uninstall = Plan::Remove;
        } else {
            part.message = "exists, and does not run guard".to_owned();
            part.install = self.by_hand();
        }
        part
    }

    /// A person adds what guard would have written.
    fn by_hand(&self) -> Plan {
        let mut lines = vec!["add these lines yourself:".to_owned()];
        lines.extend(self.content.lines().map(str::to_owned));
        Plan::ByHand(lines)
    }

    /// What installing and removing mean for a file in which guard has a part.
    fn own_part(&self, text: &str, part: &mut Part, root: &Path) {
        let target = HostFile::of(self.file_in(root).into());
        let removed = target.and_then(|target| own_part::removed(target, text));
        if let Some(left) = removed {
            part.message = "runs guard".to_owned();
            part.uninstall = if left.trim().is_empty() {
                Plan::Remove
            } else {
                Plan::Write(left.into(), "guard's part removed")
            };
        } else if text.lines().any(|line| runs_guard(line.as_bytes())) {
            part.message = "runs guard, by lines that guard install did not write".to_owned();
            part.uninstall = Plan::ByHand(vec!["remove the lines that run guard".to_owned()]);
            return;
        } else {
            part.message = "exists, and does not run guard".to_owned();
        }
        match target.and_then(|target| own_part::with(target, text, program(root))) {
            Some(new) if new == text => {}
            Some(new) => part.install = Plan::Write(new.into(), "guard's part added"),
            None if part.uninstall == Plan::Keep => {
                let lines = self.content.split_once("repos:\n");
                let lines = lines.map_or(self.content, |(_, entry)| entry);
                let how = if lines == self.content {
                    "add these lines yourself:"
                } else {
                    "add this to the list `repos`:"
                };
                let lines = [how].into_iter().chain(lines.lines());
                part.install = Plan::ByHand(lines.map(str::to_owned).collect());
            }
            None => {}
        }
    }

    /// A new file.
    fn new_file(&self, root: &Path) -> String {
        let target = HostFile::of(self.file_in(root).into()).filter(|_| self.content.is_empty());
        let with = target.and_then(|target| own_part::with(target, "", program(root)));
        with.unwrap_or_else(|| self.content.to_owned())
    }

    /// The file in this repository: that of lefthook has several names.
    fn file_in(&self, root: &Path) -> &'static str {
        if self.name != "lefthook" {
            return self.file;
        }
        let names = own_part::MANAGER_SETTINGS.iter();
        let mut names = names.filter(|(_, target)| *target == HostFile::Lefthook);
        let found = names.find(|(name, _)| root.join(name).is_file());
        found.map_or(self.file, |(name, _)| name)
    }

    /// Checks the hooks with a call that must be denied; `None` if the agent is not used here. `is_at_root` is whether
    /// guard was called in the root of the work tree.
    pub(crate) fn check(&self, root: &Path, is_at_root: bool) -> Option<Check> {
        let agent = self.agent()?;
        let check = |status, message: String| Check::new(self.name, status, message);
        let install = format!("guard install {}", self.name);
        let text = text(root, &root.join(self.file)).ok().flatten();
        let Some(text) = text.filter(|text| self.command(text).is_some()) else {
            let message = format!("absent: {} does not call guard", self.file);
            return self
                .has_signs(root)
                .then(|| check(Status::Warn, message).help(install));
        };
        Some(match self.prove(agent, &text, root) {
            Err(why) => check(Status::Fail, format!("registered, but not firing: {why}"))
                .help("check that guard is on the PATH of the agent")
                .help(install),
            Ok(()) if !is_at_root && READ_AT_ROOT.contains(&self.name) => check(
                Status::Warn,
                format!(
                    "live at the root, but an agent that is started in this directory does not \
                     read {}",
                    self.file
                ),
            )
            .help(format!("start it at the root: {}", show_file(root))),
            // An agent skips hooks that the person does not trust, which guard cannot see.
            Ok(()) => Check {
                help: self.next.iter().copied().map(Into::into).collect(),
                ..check(Status::Ok, format!("live: {DENIED}"))
            },
        })
    }

    /// The command in the text of the settings, or the one that the plugin runs.
    fn command(&self, text: &str) -> Option<String> {
        if self.file.ends_with(".json") {
            agent_settings::command(text, self.name)
        } else {
            (text == self.content).then(|| format!("guard hook {}", self.name))
        }
    }

    /// Sends a call that must be denied through the command in the text of the settings; or says why it was not.
    fn prove(&self, agent: Agent, text: &str, root: &Path) -> std::result::Result<(), String> {
        let command = self.command(text).unwrap_or_default();
        let denied = try_it(agent, &command, root);
        denied.map_err(|why| format!("a call that must be denied was not: {why}"))
    }
}

/// How settings of others find guard: as npm has installed it here, or on `PATH`.
fn program(root: &Path) -> &'static str {
    const OF_NPM: &str = "node_modules/write-guard/guard";
    if root.join(OF_NPM).exists() {
        OF_NPM
    } else {
        "guard"
    }
}

/// Agents that read the hooks of a project only where they are started at its root, as Claude Code 2.1 and Gemini CLI
/// 0.61 do.
const READ_AT_ROOT: &[&str] = &["claude", "gemini"];

const DENIED: &str = "a call that must be denied was denied";

/// A file outside the workspace.
const OUTSIDE: &str = "guard-must-deny-this";

/// Sends a write of that file, as the agent would announce it, to a command; or says why it was not denied.
fn try_it(agent: Agent, command: &str, root: &Path) -> std::result::Result<(), String> {
    let shown = escaped(command);
    // Agents run their hooks in a POSIX shell: on Windows in the one of Git for Windows.
    let shell = find_shell()
        .ok_or_else(|| format!("`{shown}` cannot be run: there is no sh, which comes with git"))?;
    let cannot = |error: std::io::Error| format!("`{shown}` cannot be run: {error}");
    let mut child = Command::new(shell)
        .args(["-c", command])
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(cannot)?;
    let root = disk::absolute(root);
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
