//! Inspects, installs and removes the hooks of a repository.

use std::fs;
use std::path::{Path, PathBuf};

use super::files::{self, FileOnDisk};
use super::hook::{HOOKS, Hook, HookPlan, HookState};
use super::manager::{Managed, Manager, SettingsFile};
use crate::error::{Error, Result};
use crate::git::{Repository, show_file};
use crate::path::shell_word;

/// A hook and what is at its place.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Which hook.
    pub hook: Hook,
    /// The file that decides: under husky the one that a person writes.
    pub path: PathBuf,
    /// What it is.
    pub state: HookState,
    /// Whether git would run it.
    pub executable: bool,
    /// Its bytes.
    pub content: Vec<u8>,
}

impl Placed {
    /// The file as a word of a command.
    pub(super) fn as_word(&self) -> String {
        shell_word(self.path.as_os_str().as_encoded_bytes())
    }

    /// Whether it should call guard: an opt-in hook only where guard's part is there already.
    pub fn is_wanted(&self) -> bool {
        !self.hook.is_opt_in()
            || !matches!(
                self.state,
                HookState::Missing
                    | HookState::Shell
                    | HookState::Managed(_)
                    | HookState::Foreign(_)
            )
    }
}

/// All hooks of a repository.
#[derive(Debug, Clone)]
pub struct Survey {
    /// Where git looks for hooks.
    pub directory: PathBuf,
    /// Whether `core.hooksPath` says so.
    pub configured: bool,
    /// Whether the directory belongs to this repository: to its work tree or its git directory.
    pub inside: bool,
    /// The hooks that guard installs.
    pub hooks: Vec<Placed>,
}

/// What was done, or would be done, with one hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookStep {
    /// Git's name of the hook.
    pub hook: &'static str,
    /// The file.
    pub path: PathBuf,
    /// What guard does with it.
    pub action: HookAction,
    /// Why or how, in a few words.
    pub message: String,
    /// What a person has to do.
    pub help: Vec<String>,
}

named! {
    /// What happens to a hook file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum HookAction {
        /// It stays.
        Keep = "keep",
        /// It is written.
        Write = "write",
        /// It is removed.
        Remove = "remove",
        /// It stays although it is not as wanted.
        Refuse = "refuse",
    }
}

/// Looks at every hook.
///
/// # Errors
/// A hook file cannot be read, or `core.hooksPath` is not a path.
pub fn survey(repo: &Repository) -> Result<Survey> {
    let found = repo.hooks_directory()?;
    let husky = found.path.ends_with(".husky/_");
    let hooks = HOOKS
        .iter()
        .map(|&hook| {
            let directory = match found.path.parent() {
                Some(parent) if husky => parent,
                _ => &found.path,
            };
            place(repo, hook, &directory.join(hook.name), husky)
        })
        .collect::<Result<_>>()?;
    Ok(Survey {
        inside: is_inside(repo, &found.path),
        directory: found.path,
        configured: found.configured,
        hooks,
    })
}

fn place(repo: &Repository, hook: Hook, path: &Path, husky: bool) -> Result<Placed> {
    let found = files::look(path)
        .map_err(|error| Error::new(format!("{} cannot be read: {error}", show_file(path))))?;
    let (state, executable, content) = match found {
        FileOnDisk::Nothing => (HookState::Missing, false, Vec::new()),
        FileOnDisk::Link => (
            HookState::Foreign("it is a symbolic link, which guard does not follow"),
            true,
            Vec::new(),
        ),
        FileOnDisk::Other => (HookState::Foreign("it is not a file"), false, Vec::new()),
        FileOnDisk::File {
            content,
            executable,
        } => (hook.classify(&content), executable, content),
    };
    let state = match state {
        // husky runs its own files with sh, whatever their mode and first line.
        _ if husky => {
            let settings = Some(SettingsFile {
                name: format!(".husky/{}", hook.name),
                content: content.clone(),
            });
            let tool = Manager::Husky;
            decided(Managed { tool, settings }, &hook)
        }
        HookState::Managed(managed) => of_manager(repo, managed.tool, &hook),
        state => state,
    };
    Ok(Placed {
        hook,
        path: path.to_owned(),
        state,
        executable: executable || husky,
        content,
    })
}

/// What a manager runs at this hook: its own settings decide.
fn of_manager(repo: &Repository, tool: Manager, hook: &Hook) -> HookState {
    let settings = repo.workdir().ok().and_then(|root| {
        tool.settings_names().into_iter().find_map(|name| {
            let content = fs::read(root.join(&name)).ok()?;
            Some(SettingsFile { name, content })
        })
    });
    decided(Managed { tool, settings }, hook)
}

fn decided(managed: Managed, hook: &Hook) -> HookState {
    if managed.calls_guard(hook.name) {
        HookState::ManagedCallsGuard(managed)
    } else {
        HookState::Managed(managed)
    }
}

/// Whether a directory, which need not exist, is in the work tree or the git directory, links resolved.
fn is_inside(repo: &Repository, directory: &Path) -> bool {
    let real = |path: &Path| {
        let existing = path.ancestors().find_map(|ancestor| {
            let real = ancestor.canonicalize().ok()?;
            Some((real, path.strip_prefix(ancestor).ok()?))
        });
        existing.map(|(real, rest)| real.join(rest))
    };
    // `..` behind a directory that does not exist could lead anywhere.
    let climbs = directory
        .components()
        .any(|part| part == std::path::Component::ParentDir);
    let Some(directory) = real(directory).filter(|path| !climbs || path.exists()) else {
        return false;
    };
    [repo.workdir().ok(), Some(repo.common_dir())]
        .into_iter()
        .flatten()
        .filter_map(real)
        .any(|root| directory.starts_with(root))
}

/// Installs every hook that can be installed, of the opt-in ones those in `with`; with `dry_run` only says what
/// it would do.
///
/// # Errors
/// The hooks of this repository are shared with others, or a file cannot be read or written.
pub fn install(repo: &Repository, with: &[String], dry_run: bool) -> Result<Vec<HookStep>> {
    let mut survey = survey(repo)?;
    survey
        .hooks
        .retain(|placed| placed.is_wanted() || with.iter().any(|name| name == placed.hook.name));
    if !survey.inside {
        return Err(outside(&survey)
            .help(
                "give this repository its own hooks: git config --local core.hooksPath .git/hooks",
            )
            .help("or call guard from there: guard hook NAME \"$@\" || exit $?"));
    }
    carry_out(&survey, dry_run, |placed| {
        placed.hook.plan_install(
            &placed.state,
            placed.executable,
            &placed.content,
            &placed.as_word(),
        )
    })
}

fn outside(survey: &Survey) -> Error {
    Error::new(format!(
        "core.hooksPath is {}, outside this repository, so its hooks may serve other repositories too",
        show_file(&survey.directory)
    ))
}

/// Removes what guard wrote, and nothing else.
///
/// # Errors
/// The hooks of this repository are shared with others, or a file cannot be read or written.
pub fn uninstall(repo: &Repository, dry_run: bool) -> Result<Vec<HookStep>> {
    let survey = survey(repo)?;
    let is_ours = |placed: &Placed| matches!(placed.state, HookState::Ours | HookState::Chained);
    if !survey.inside && survey.hooks.iter().any(is_ours) {
        return Err(outside(&survey).help(
            "if no other repository needs guard there, remove by hand its files and the lines from `# >>> guard` to `# <<< guard`",
        ));
    }
    carry_out(&survey, dry_run, |placed| {
        placed
            .hook
            .plan_uninstall(&placed.state, &placed.content, &placed.as_word())
    })
}

fn carry_out(
    survey: &Survey,
    dry_run: bool,
    plan: impl Fn(&Placed) -> HookPlan,
) -> Result<Vec<HookStep>> {
    let mut steps = Vec::new();
    for placed in &survey.hooks {
        let (action, message, help) = match plan(placed) {
            HookPlan::Keep(why) => (HookAction::Keep, why.to_owned(), Vec::new()),
            HookPlan::Refuse(why, help) => (HookAction::Refuse, why, help),
            HookPlan::Write(content, what) => {
                if !dry_run {
                    files::replace_script(&placed.path, &content)
                        .map_err(|error| unwritable(&placed.path, &error))?;
                }
                (HookAction::Write, what.to_owned(), Vec::new())
            }
            HookPlan::Remove => {
                if !dry_run {
                    fs::remove_file(&placed.path)
                        .map_err(|error| unwritable(&placed.path, &error))?;
                }
                (HookAction::Remove, "removed".to_owned(), Vec::new())
            }
        };
        steps.push(HookStep {
            hook: placed.hook.name,
            path: placed.path.clone(),
            action,
            message,
            help,
        });
    }
    Ok(steps)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    Error::new(format!("{} cannot be written: {error}", show_file(path)))
}
