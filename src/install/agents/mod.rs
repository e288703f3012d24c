//! The hooks of coding agents: where an agent reads the settings of a project, what guard writes there, and the proof
//! that it works.

mod original;
mod proof;
mod settings_edit;

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use super::files::{self, FileOnDisk};
use super::git_hooks::{HookAction, HookStep};
use crate::agent::Agent;
use crate::disk;
use crate::error::Result;
use crate::git::{Repository, show_file};

/// One agent and its hooks.
#[derive(Debug)]
pub struct AgentHooks {
    agent: Agent,
    /// The settings or the plugin, from the root of the work tree.
    file: &'static str,
    /// What guard adds to the settings, or the whole plugin.
    content: &'static str,
    kind: FileKind,
    /// Files and directories of the agent in a repository.
    files: &'static [&'static str],
    /// Its program.
    program: &'static str,
    /// What guard cannot do for the person.
    trust: &'static str,
}

/// How guard shares the file with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    /// Settings of the project, to which guard adds.
    Settings,
    /// A file of guard's own that the agent reads.
    Own,
}

macro_rules! content {
    ($name:literal) => {
        include_str!(concat!("../../../hooks/agents/", $name))
    };
}

/// Every agent whose hooks guard installs.
pub const AGENTS: &[AgentHooks] = &[
    AgentHooks {
        agent: Agent::Claude,
        file: ".claude/settings.json",
        content: content!("claude.json"),
        kind: FileKind::Settings,
        files: &[".claude", "CLAUDE.md"],
        program: "claude",
        trust: "",
    },
    AgentHooks {
        agent: Agent::Codex,
        file: ".codex/hooks.json",
        content: content!("codex.json"),
        kind: FileKind::Settings,
        files: &[".codex"],
        program: "codex",
        trust: "run /hooks in Codex and trust the hook: until then, Codex skips it",
    },
    AgentHooks {
        agent: Agent::Copilot,
        file: ".github/hooks/guard.json",
        content: content!("copilot.json"),
        kind: FileKind::Settings,
        files: &[".github/hooks", ".github/copilot-instructions.md"],
        program: "copilot",
        trust: "",
    },
    AgentHooks {
        agent: Agent::Cursor,
        file: ".cursor/hooks.json",
        content: content!("cursor.json"),
        kind: FileKind::Settings,
        files: &[".cursor", ".cursorrules"],
        program: "cursor",
        trust: "trust the workspace in Cursor: until then, it skips the hooks of the project",
    },
    AgentHooks {
        agent: Agent::Gemini,
        file: ".gemini/settings.json",
        content: content!("gemini.json"),
        kind: FileKind::Settings,
        files: &[".gemini", "GEMINI.md"],
        program: "gemini",
        trust: "trust the folder in Gemini CLI: until then, it skips the hooks of the project",
    },
    AgentHooks {
        agent: Agent::Opencode,
        file: ".opencode/plugins/guard.js",
        content: content!("opencode.js"),
        kind: FileKind::Own,
        files: &[".opencode", "opencode.json"],
        program: "opencode",
        trust: "",
    },
    AgentHooks {
        agent: Agent::Vscode,
        file: ".github/hooks/guard-vscode.json",
        content: content!("vscode.json"),
        kind: FileKind::Settings,
        files: &[],
        program: "code",
        trust: "trust the workspace in VS Code",
    },
];

named! {
    /// How far the hooks of an agent are set up.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Wiring {
        /// A call that must be denied is denied.
        Live = "live",
        /// The same, but the agent has not called guard yet: it skips hooks that the person does not trust.
        Untrusted = "not trusted yet",
        /// The settings call guard, but such a call is not denied.
        NotFiring = "registered, but not firing",
        /// The settings do not call guard.
        Absent = "absent",
    }
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

    /// Whether the agent seems to be in use: it has files here, or its program is on `PATH`.
    pub fn is_in_use(&self, root: &Path) -> bool {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let program = format!("{}{}", self.program, std::env::consts::EXE_SUFFIX);
        self.has_files(root)
            || std::env::split_paths(&path).any(|directory| directory.join(&program).is_file())
    }

    /// Adds the hooks to the agent's settings, then tries a call that must be denied. If it is not, the file is put back.
    ///
    /// # Errors
    /// The repository has no work tree.
    pub fn install(&self, repo: &Repository, dry_run: bool) -> Result<HookStep> {
        let root = repo.workdir()?;
        let path = root.join(self.file);
        let before = match self.look(root) {
            Ok(before) => before,
            Err(why) => return Ok(self.step(&path, HookAction::Refuse, why)),
        };
        let new = match self.with_hooks(before.as_deref()) {
            Ok(Some(new)) => new,
            Ok(None) => return Ok(self.proven(root, &path, HookAction::Keep)),
            Err(why) => {
                let step = self.step(
                    &path,
                    HookAction::Refuse,
                    format!("guard leaves it alone: {why}"),
                );
                return Ok(self.with_advice(step));
            }
        };
        if dry_run {
            let message = "gets the hooks".to_owned();
            return Ok(self.step(&path, HookAction::Write, message));
        }
        let written = fs::create_dir_all(disk::directory_of(&path))
            .and_then(|()| disk::replace(&path, new.as_bytes(), mode_of(&path)));
        if let Err(error) = written {
            return Ok(self.step(
                &path,
                HookAction::Refuse,
                format!("it cannot be written: {error}"),
            ));
        }
        let step = self.proven(root, &path, HookAction::Write);
        if step.action == HookAction::Refuse {
            let undone = match before {
                Some(before) => disk::replace(&path, before.as_bytes(), mode_of(&path)),
                None => fs::remove_file(&path),
            };
            let message = match undone {
                Ok(()) => format!("{}, so the file is as it was", step.message),
                Err(error) => format!("{}, and the file cannot be put back: {error}", step.message),
            };
            return Ok(HookStep { message, ..step });
        }
        original::note(repo, self.name(), before.as_deref(), &new);
        Ok(step)
    }

    /// Removes the hooks from the agent's settings; a file that held nothing else is deleted.
    ///
    /// # Errors
    /// The repository has no work tree.
    pub fn uninstall(&self, repo: &Repository, dry_run: bool) -> Result<HookStep> {
        let root = repo.workdir()?;
        let path = root.join(self.file);
        let before = match self.look(root) {
            Ok(Some(before)) => before,
            Ok(None) => {
                return Ok(self.step(&path, HookAction::Keep, "there is no such file".to_owned()));
            }
            Err(why) => return Ok(self.step(&path, HookAction::Refuse, why)),
        };
        let left = match (
            original::original(repo, self.name(), &before),
            self.settings(),
        ) {
            (Some(original), _) => Ok(Some((
                original.clone().unwrap_or_default(),
                original.is_none(),
            ))),
            (None, Some(wanted)) => settings_edit::remove(&before, &wanted, self.name()),
            (None, None) if before == self.content => Ok(Some((String::new(), true))),
            (None, None) => Err("it is not the file that guard wrote".to_owned()),
        };
        let (left, is_empty) = match left {
            Ok(Some(left)) => left,
            Ok(None) => {
                return Ok(self.step(&path, HookAction::Keep, "does not call guard".to_owned()));
            }
            Err(why) => {
                return Ok(self.step(
                    &path,
                    HookAction::Refuse,
                    format!("guard leaves it alone: {why}"),
                ));
            }
        };
        let message = if is_empty {
            "removed"
        } else {
            "guard's hooks removed"
        };
        if !dry_run {
            let done = match is_empty {
                true => fs::remove_file(&path),
                false => disk::replace(&path, left.as_bytes(), mode_of(&path)),
            };
            if let Err(error) = done {
                return Ok(self.step(
                    &path,
                    HookAction::Refuse,
                    format!("it cannot be changed: {error}"),
                ));
            }
        }
        Ok(self.step(&path, HookAction::Remove, message.to_owned()))
    }

    /// How far the hooks are set up, and why they do not fire.
    ///
    /// # Errors
    /// The repository has no work tree.
    pub fn wiring(&self, repo: &Repository) -> Result<(Wiring, String)> {
        let root = repo.workdir()?;
        let tried = (self.command(root)).map(|command| proof::try_it(self.agent, &command, root));
        let is_trusted = || self.trust.is_empty() || self.has_fired(repo);
        Ok(match tried {
            None => (Wiring::Absent, String::new()),
            Some(Ok(())) if is_trusted() => (Wiring::Live, String::new()),
            Some(Ok(())) => (Wiring::Untrusted, String::new()),
            Some(Err(why)) => (Wiring::NotFiring, why),
        })
    }

    /// Whether the agent has called guard since its settings are as they are.
    fn has_fired(&self, repo: &Repository) -> bool {
        let text = repo.workdir().ok().and_then(|root| self.look(root).ok()?);
        text.is_some_and(|text| original::has_fired(repo, self.name(), &text))
    }

    /// The command in the settings, or the one that the plugin runs.
    fn command(&self, root: &Path) -> Option<String> {
        let text = self.look(root).ok()??;
        let command = match self.kind {
            FileKind::Settings => return settings_edit::command(&text, self.name()),
            FileKind::Own => format!("guard hook {}", self.name()),
        };
        (text == self.content).then_some(command)
    }

    /// What a person has to do so that the agent runs the hooks; may be empty.
    pub fn trust(&self) -> &'static str {
        self.trust
    }

    /// The file, from the root of the work tree.
    pub fn file(&self) -> &'static str {
        self.file
    }

    /// What guard adds to the settings; `None` for a file of its own.
    fn settings(&self) -> Option<Map<String, Value>> {
        let text = (self.kind == FileKind::Settings).then_some(self.content)?;
        serde_json::from_str(text).ok()
    }

    /// The file with the hooks; `None` if it has them.
    fn with_hooks(&self, before: Option<&str>) -> std::result::Result<Option<String>, String> {
        match (before, self.settings()) {
            (None, _) => Ok(Some(self.content.to_owned())),
            (Some(before), Some(wanted)) => settings_edit::add(before, &wanted, self.name()),
            (Some(before), None) if before == self.content => Ok(None),
            (Some(_), None) => Err("another file has its name".to_owned()),
        }
    }

    /// The text of the file, if it exists; or why guard does not touch it.
    fn look(&self, root: &Path) -> std::result::Result<Option<String>, String> {
        let mut path = root.to_owned();
        let parts: Vec<&str> = self.file.split('/').collect();
        for (at, part) in parts.iter().enumerate() {
            path.push(part);
            let is_last = at + 1 == parts.len();
            match files::look(&path) {
                Ok(FileOnDisk::Nothing) => return Ok(None),
                Ok(FileOnDisk::Other) if !is_last => {}
                Ok(FileOnDisk::File { content, .. }) if is_last => {
                    let text = String::from_utf8(content);
                    return text.map(Some).map_err(|_| "it is not UTF-8".to_owned());
                }
                Ok(_) => return Err(format!("{} is a link or a special file", show_file(&path))),
                Err(error) => return Err(format!("{} cannot be read: {error}", show_file(&path))),
            }
        }
        Ok(None)
    }

    /// The step after a call that must be denied: refused unless it is.
    fn proven(&self, root: &Path, path: &Path, action: HookAction) -> HookStep {
        let tried = match self.command(root) {
            Some(command) => proof::try_it(self.agent, &command, root),
            None => Err("the file does not call guard".to_owned()),
        };
        match tried {
            Ok(()) => {
                let message = match action {
                    HookAction::Keep => "has the hooks, and a call that must be denied was denied",
                    _ => "written; a call that must be denied was denied",
                };
                let mut step = self.step(path, action, message.to_owned());
                step.help
                    .extend((!self.trust.is_empty()).then(|| self.trust.to_owned()));
                step
            }
            Err(why) => {
                let message = format!("a call that must be denied was not: {why}");
                let step = self.step(path, HookAction::Refuse, message);
                HookStep {
                    help: vec!["`guard` must be on the PATH; then install again".to_owned()],
                    ..step
                }
            }
        }
    }

    fn with_advice(&self, mut step: HookStep) -> HookStep {
        step.help.push("add these lines yourself:".to_owned());
        step.help.extend(self.content.lines().map(str::to_owned));
        step
    }

    fn step(&self, path: &Path, action: HookAction, message: String) -> HookStep {
        HookStep {
            hook: self.name(),
            path: path.to_owned(),
            action,
            message,
            help: Vec::new(),
        }
    }
}

/// Notes that an agent called guard, and so trusts its settings.
pub fn note_call(repo: &Repository, agent: Agent) {
    let hooks = AGENTS.iter().find(|hooks| hooks.agent == agent);
    let Some((hooks, root)) = hooks.zip(repo.workdir().ok()) else {
        return;
    };
    if let Ok(Some(text)) = hooks.look(root)
        && !hooks.has_fired(repo)
    {
        original::note_call(repo, hooks.name(), &text);
    }
}

/// The mode of the existing file; that of any new file for a new one.
fn mode_of(path: &Path) -> Option<u32> {
    let old = fs::metadata(path).ok()?;
    crate::system::std_mode(&old)
}
