//! Where an agent works: the folder of its session, its project and its other roots, and the repositories there.

// An agent names its project by a variable, and its directory in the payload.
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::path::{Path, PathBuf};

use gix::bstr::BStr;

use super::Agent;
use super::action::FileAction;
use super::payload::AgentEvent;
use crate::files::Failure;
use write_guard_policy::error::{Error, Result};
use write_guard_repo::disk::{absolute, directory_of};
use write_guard_repo::{Repository, show_file};

/// So many entries of a folder are searched for repositories.
const MOST_ENTRIES: usize = 500;

/// The places of a session.
pub(super) struct Places {
    /// The folder in which the agent works, or its project if that folder is gone.
    directory: PathBuf,
    /// The project, if the agent names it.
    project: Option<PathBuf>,
    /// The roots of a session that has several.
    roots: Vec<PathBuf>,
    has_only_absolute_paths: bool,
}

impl Places {
    /// Changes to the folder in which the agent works. If that is gone, to the project.
    ///
    /// # Errors
    /// None of them is there, or a relative path would mean another file.
    pub(super) fn enter(agent: Agent, event: &AgentEvent) -> Result<Places> {
        let project = agent.project_variable().and_then(std::env::var_os);
        let project = project.filter(|path| !path.is_empty()).map(PathBuf::from);
        let cannot = |error: std::io::Error| {
            let directory = show_file(&event.directory);
            Error::new(format!(
                "the agent's directory {directory} cannot be entered: {error}"
            ))
            .help("if it was removed, start the agent in its project")
        };
        let has_only_absolute_paths = event.has_only_absolute_paths();
        let mut directory = event.directory.clone();
        if let Err(error) = std::env::set_current_dir(&directory) {
            let elsewhere = project
                .iter()
                .chain(&event.roots)
                .find(|path| path.is_dir());
            let elsewhere = elsewhere.filter(|_| has_only_absolute_paths);
            let Some(elsewhere) = elsewhere else {
                return Err(cannot(error));
            };
            std::env::set_current_dir(elsewhere).map_err(cannot)?;
            directory.clone_from(elsewhere);
        }
        Ok(Places {
            directory,
            project,
            roots: event.roots.clone(),
            has_only_absolute_paths,
        })
    }

    /// Where the agent works.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The repository of the session. If the agent names its project and works elsewhere, such as in a repository of
    /// its own making, the project's repository judges; linked work trees belong to the project.
    ///
    /// # Errors
    /// There is none, or a relative path would mean another file.
    pub(super) fn repository(&self) -> Result<Repository> {
        let here = Repository::open(&self.directory);
        let Some(project) = &self.project else {
            return here;
        };
        let project = Repository::open(project)?;
        match here {
            Ok(here) if is_same_repository(&here, &project) => Ok(here),
            _ if self.has_only_absolute_paths => Ok(project),
            _ => Err(Error::new(
                "the tool call names a relative path, but the agent's directory is outside its project",
            )
            .help("use the absolute path")),
        }
    }

    /// The work trees whose commands are observed: that of the session, then the project's and those of other roots.
    /// Each with whether the refs are those of one before.
    ///
    /// # Errors
    /// A repository cannot be opened.
    pub(super) fn observed(&self) -> Result<Vec<(Repository, bool)>> {
        let mut found: Vec<(Repository, bool)> = Vec::new();
        let is_in_one = |place: &Path| place.ancestors().any(|path| path.join(".git").exists());
        let is_here = is_in_one(&self.directory) || self.project.as_deref().is_some_and(is_in_one);
        if is_here {
            found.push((self.repository()?, false));
        }
        let others = self.project.iter().chain(&self.roots);
        for place in others.filter(|place| is_in_one(place)) {
            let repo = Repository::open(place)?;
            let root = absolute(repo.workdir()?);
            let is_known = |known: &(Repository, bool)| {
                known.0.workdir().is_ok_and(|known| absolute(known) == root)
            };
            if !found.iter().any(is_known) {
                let mut known = found.iter();
                let is_second = known.any(|(known, _)| is_same_repository(known, &repo));
                found.push((repo, is_second));
            }
        }
        Ok(found)
    }

    /// Whether the folder of the session holds repositories.
    pub(super) fn has_repositories_below(&self) -> bool {
        let entries = fs::read_dir(&self.directory)
            .into_iter()
            .flatten()
            .flatten();
        let mut entries = entries.take(MOST_ENTRIES);
        entries.any(|entry| entry.path().join(".git").exists())
    }

    /// The actions of a call by the repository that judges them: that of the file, where the session has several.
    ///
    /// # Errors
    /// There is no repository.
    pub(super) fn by_repository(&self, call: &AgentEvent) -> Result<Vec<(Repository, AgentEvent)>> {
        let own = self.repository();
        let mut parts: Vec<(Option<PathBuf>, Vec<FileAction>)> = Vec::new();
        for action in &call.actions {
            let place = action
                .paths()
                .find_map(|path| self.other_root(path, own.as_ref().ok()));
            match parts.iter_mut().find(|(known, _)| *known == place) {
                Some((_, actions)) => actions.push(action.clone()),
                None => parts.push((place, vec![action.clone()])),
            }
        }
        let mut own = Some(own);
        let mut found = Vec::new();
        for (place, actions) in parts {
            let repo = match place {
                Some(place) => Repository::open(&place)?,
                None => own.take().unwrap_or_else(|| self.repository())?,
            };
            let part = AgentEvent {
                actions,
                ..call.clone()
            };
            found.push((repo, part));
        }
        Ok(found)
    }

    /// The root of another repository that has the file, if the session works there, too.
    fn other_root(&self, path: &BStr, own: Option<&Repository>) -> Option<PathBuf> {
        let path = gix::path::from_bstr(path).ok()?;
        if !path.is_absolute() {
            return None;
        }
        if own.is_some_and(|own| is_directly_in(own, &path)) {
            return None;
        }
        let repo = repository_around(&path)?;
        if own.is_some_and(|own| is_same_repository(own, &repo)) {
            return None;
        }
        let root = absolute(repo.workdir().ok()?);
        // Without a repository of its own, a session works in those below its folder.
        let folders = self
            .roots
            .iter()
            .chain(own.is_none().then_some(&self.directory));
        let mut folders = folders.map(|folder| absolute(folder));
        folders
            .any(|folder| root.starts_with(&folder) || folder.starts_with(&root))
            .then_some(root)
    }

    /// A refusal names the file of the session's own work tree, where the call names that of another work tree of the
    /// repository.
    pub(super) fn naming_own_file(
        &self,
        repo: &Repository,
        call: &AgentEvent,
        failure: Failure,
    ) -> Failure {
        let Ok(own) = repo.workdir().map(absolute) else {
            return failure;
        };
        let named = call
            .actions
            .iter()
            .flat_map(FileAction::paths)
            .find_map(|path| {
                let path = gix::path::from_bstr(path).ok()?.into_owned();
                let other = repository_around(&path)?;
                let root = absolute(other.workdir().ok()?);
                let is_other = root != own && is_same_repository(&other, repo);
                let full = absolute(directory_of(&path)).join(path.file_name()?);
                let below = full.strip_prefix(&root).ok().filter(|_| is_other)?;
                Some(own.join(below))
            });
        match named {
            Some(named) => failure.first_help(format!(
                "this session works in another work tree of the repository; you mean {}",
                show_file(&named)
            )),
            None => failure,
        }
    }
}

/// Whether a file is in the work tree of a repository, and in none inside. Tells without opening a repository.
fn is_directly_in(repo: &Repository, file: &Path) -> bool {
    let Some(root) = repo.workdir().ok().map(absolute) else {
        return false;
    };
    let mut places = directory_of(file).ancestors();
    let Some(directory) = places.find(|place| place.is_dir()).map(absolute) else {
        return false;
    };
    let mut between = directory.ancestors().take_while(|place| *place != root);
    directory.starts_with(&root) && !between.any(|place| place.join(".git").exists())
}

/// The repository that has a file, which need not exist.
fn repository_around(path: &Path) -> Option<Repository> {
    let mut places = directory_of(path).ancestors();
    Repository::open(&absolute(places.find(|place| place.is_dir())?)).ok()
}

/// Whether both are work trees of one repository.
fn is_same_repository(one: &Repository, other: &Repository) -> bool {
    absolute(one.common_dir()) == absolute(other.common_dir())
}
