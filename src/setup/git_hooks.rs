//! Looks at the hooks of a repository, and installs or removes them.

use std::path::{Component, Path, PathBuf};

use super::FileOnDisk;
use super::hook::{HookState, OPT_IN};
use super::manager::{self, Managed, Manager};
use super::{Part, Status, Step};
use crate::error::{Error, Result};
use crate::git::{Repository, show_file};
use crate::rules::{HOOKS, Hook};

/// A hook and what is at its place.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Which hook.
    pub hook: Hook,
    /// What it is.
    pub state: HookState,
    /// What that means for the file that decides: under husky the one that a person writes.
    pub part: Part,
    /// Whether git calls guard by it.
    pub status: Status,
    /// The line that calls guard, and the program as it names it; none if a framework runs a program of its own.
    pub(super) call: Option<(String, String)>,
}

impl Placed {
    /// The tool that calls guard in this hook.
    pub(super) fn caller(&self) -> Option<Manager> {
        match &self.state {
            HookState::CallsGuard(Some(managed)) => Some(managed.tool),
            _ => None,
        }
    }

    /// Whether it should call guard: an opt-in hook only where guard's part is there already.
    pub fn is_wanted(&self) -> bool {
        use HookState::{Foreign, Managed, Missing, Shell};
        let is_absent = matches!(self.state, Missing | Shell | Managed(_) | Foreign(_));
        self.hook.name != OPT_IN || !is_absent
    }
}

/// All hooks of a repository.
#[derive(Debug, Clone)]
pub struct Survey {
    /// Where git looks for hooks.
    pub directory: PathBuf,
    /// Whether the directory belongs to this repository: to its work tree or its git directory.
    pub inside: bool,
    /// The hooks that guard installs.
    pub hooks: Vec<Placed>,
}

/// How to get hooks that serve this repository alone.
pub(super) const OWN_HOOKS: &str =
    "give this repository its own hooks: git config --local core.hooksPath .git/hooks";

/// Looks at every hook.
///
/// # Errors
/// A hook file cannot be read, or `core.hooksPath` is not a path.
pub fn survey(repo: &Repository) -> Result<Survey> {
    let found = repo.hooks_directory()?;
    let directory = match found.parent() {
        // husky runs the files above its own directory with sh, whatever their mode and first line.
        Some(parent) if found.ends_with(".husky/_") => parent,
        _ => found.as_path(),
    };
    let is_husky = directory != found.as_path();
    let place = |&hook: &Hook| place(repo, hook, directory.join(hook.name), is_husky);
    Ok(Survey {
        inside: is_inside(repo, &found),
        hooks: HOOKS.iter().map(place).collect::<Result<_>>()?,
        directory: found,
    })
}

fn place(repo: &Repository, hook: Hook, path: PathBuf, is_husky: bool) -> Result<Placed> {
    let found = super::look(&path)
        .map_err(|error| Error::new(format!("{} cannot be read: {error}", show_file(&path))))?;
    let link = "it is a symbolic link, which guard does not follow";
    let (state, executable, content) = match found {
        FileOnDisk::Nothing => (HookState::Missing, false, Vec::new()),
        FileOnDisk::Link => (HookState::Foreign(link), true, Vec::new()),
        FileOnDisk::Other => (HookState::Foreign("it is not a file"), false, Vec::new()),
        FileOnDisk::File {
            content,
            executable,
        } => (hook.classify(&content), executable, content),
    };
    let managed = match &state {
        _ if is_husky => Some(Managed {
            tool: Manager::Husky,
            file: format!(".husky/{}", hook.name),
            content: content.clone(),
        }),
        HookState::Managed(managed) => Some(match repo.workdir() {
            Ok(root) => Managed::find(managed.tool, root),
            Err(_) => managed.clone(),
        }),
        _ => None,
    };
    let state = match managed {
        Some(managed) if managed.calls_guard(hook.name) => HookState::CallsGuard(Some(managed)),
        Some(managed) => HookState::Managed(managed),
        None => state,
    };
    let call = match &state {
        HookState::CallsGuard(Some(managed)) => managed.call(hook.name),
        HookState::Ours | HookState::Chained | HookState::CallsGuard(None) => {
            manager::call(hook.name, &content)
        }
        _ => None,
    };
    let call = call.map(|(line, program)| (line.to_owned(), program.to_owned()));
    let (part, status) = hook.assess(&state, executable || is_husky, &content, path);
    Ok(Placed {
        hook,
        state,
        part,
        status,
        call,
    })
}

/// Whether a directory, which need not exist, is in the work tree or the git directory, links resolved.
fn is_inside(repo: &Repository, directory: &Path) -> bool {
    let existing = directory.ancestors().find_map(|ancestor| {
        let real = ancestor.canonicalize().ok()?;
        Some((real, directory.strip_prefix(ancestor).ok()?))
    });
    let Some((real, rest)) = existing else {
        return false;
    };
    // `..` behind a directory that does not exist could lead anywhere.
    let climbs = rest.components().any(|part| part == Component::ParentDir);
    let roots = [repo.workdir().ok(), Some(repo.common_dir())];
    let mut roots = roots
        .into_iter()
        .flatten()
        .filter_map(|root| root.canonicalize().ok());
    !climbs && roots.any(|root| real.starts_with(root))
}

/// Installs every hook that can be installed, of the opt-in ones those in `with`; with `dry_run` only says what
/// it would do.
///
/// # Errors
/// The hooks of this repository are shared with others, or a file cannot be read or written.
pub fn install(repo: &Repository, with: &[String], dry_run: bool) -> Result<Vec<Step>> {
    let survey = survey(repo)?;
    if !survey.inside {
        return Err(outside(&survey)
            .help(OWN_HOOKS)
            .help("or call guard from there: guard hook NAME \"$@\" || exit $?"));
    }
    let is_asked =
        |placed: &&Placed| placed.is_wanted() || with.iter().any(|name| name == placed.hook.name);
    let wanted = survey.hooks.iter().filter(is_asked);
    wanted
        .map(|placed| placed.part.carry_out(&placed.part.install, dry_run))
        .collect()
}

/// Removes what guard wrote, and nothing else.
///
/// # Errors
/// The hooks of this repository are shared with others, or a file cannot be read or written.
pub fn uninstall(repo: &Repository, dry_run: bool) -> Result<Vec<Step>> {
    let survey = survey(repo)?;
    let is_ours = |placed: &Placed| matches!(placed.state, HookState::Ours | HookState::Chained);
    if !survey.inside && survey.hooks.iter().any(is_ours) {
        return Err(outside(&survey).help(
            "if no other repository needs guard there, remove by hand its files and the lines from `# >>> guard` to `# <<< guard`",
        ));
    }
    let hooks = survey.hooks.iter();
    hooks
        .map(|placed| placed.part.carry_out(&placed.part.uninstall, dry_run))
        .collect()
}

fn outside(survey: &Survey) -> Error {
    Error::new(format!(
        "core.hooksPath is {}, outside this repository, so its hooks may serve other repositories too",
        show_file(&survey.directory)
    ))
}
