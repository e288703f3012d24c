//! Runs a single hook of pre-commit or prek, and no other hook from their settings.

use std::path::{Path, PathBuf};
use std::process::Command;

use gix::bstr::ByteSlice;

use crate::git::show_file;
use crate::install::git_hooks::Placed;
use crate::install::manager::{Managed, Manager};

/// The run of the hook that calls guard.
pub(super) struct HookRun<'a> {
    /// The tool with its settings.
    pub(super) managed: &'a Managed,
    /// The hook's id in them.
    pub(super) id: String,
    stage: &'static str,
    program: PathBuf,
    module: Option<&'static str>,
}

impl HookRun<'_> {
    /// The run for a hook file that the tool generated; `None` if no id names only guard's part.
    pub(super) fn of<'a>(placed: &Placed, managed: &'a Managed) -> Option<HookRun<'a>> {
        let id = managed.guard_id(placed.hook.name)?;
        let (key, module) = match managed.tool {
            Manager::PreCommit => ("INSTALL_PYTHON=", Some("-mpre_commit")),
            Manager::Prek => ("PREK=", None),
            Manager::Lefthook | Manager::Husky => return None,
        };
        // The program that wrote the generated file, else the one on PATH, as the file itself does.
        let named = named(&placed.content, key).filter(|file| file.is_file());
        let module = module.filter(|_| named.is_some());
        Some(HookRun {
            program: named.unwrap_or_else(|| managed.tool.name().into()),
            managed,
            id,
            stage: placed.hook.name,
            module,
        })
    }

    /// What a person would type.
    pub(super) fn shown(&self) -> String {
        let HookRun { id, stage, .. } = self;
        let stage = match *stage {
            "pre-commit" => String::new(),
            stage => format!(" --hook-stage {stage}"),
        };
        format!("{} run {id}{stage}", self.managed.tool.name())
    }

    /// The command. It uses the tool's own cache, which already contains the built hooks of other repositories.
    pub(super) fn command(&self, message: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(self.module);
        command.args(["run", "--color", "never", "--hook-stage", self.stage]);
        if self.stage == "prepare-commit-msg" {
            command.arg("--commit-msg-filename").arg(message);
            command.args(["--prepare-commit-message-source", "message"]);
        }
        command.arg(&self.id);
        command
    }

    /// The variable for the tool's cache, and its directory if that exists.
    pub(super) fn cache(&self) -> Option<(&'static str, PathBuf)> {
        let (variable, name) = match self.managed.tool {
            Manager::Prek => ("PREK_HOME", "prek"),
            _ => ("PRE_COMMIT_HOME", "pre-commit"),
        };
        let set = |name: &str| {
            let value = std::env::var_os(name).filter(|value| !value.is_empty());
            value.map(PathBuf::from)
        };
        let below_home = || Some(set("HOME")?.join(".cache"));
        let standard = || Some(set("XDG_CACHE_HOME").or_else(below_home)?.join(name));
        let place = set(variable).or_else(standard)?;
        place.is_dir().then_some((variable, place))
    }

    /// The settings to check if the hook does not refuse.
    pub(super) fn settings(&self) -> String {
        show_file(self.managed.settings_name().as_ref()).to_string()
    }
}

/// The path that a line `KEY=path` of the generated file names.
fn named(content: &[u8], key: &str) -> Option<PathBuf> {
    let line = content
        .lines()
        .find_map(|line| line.strip_prefix(key.as_bytes()))?;
    let path = line.trim_with(|at| matches!(at, '"' | '\'' | ' '));
    path.to_path().ok().map(Path::to_path_buf)
}
