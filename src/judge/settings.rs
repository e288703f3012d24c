//! HEAD's `guard.toml`, with the place of each setting.

// Shows the settings of the work tree.
#![allow(clippy::disallowed_methods)]

use gix::ObjectId;
use gix::bstr::BStr;

use super::Options;
use super::policy_loader::{CHOICE_KEY, GUARD_USE};
use crate::error::Result;
use crate::git::{Repository, show_file};
use crate::scope::settings::{self, KeyPlaces, Settings, parse_with_places};
use crate::verdict::{ChosenDesigns, SettingsInForce};

/// HEAD's settings; the defaults if it has none.
///
/// # Errors
/// HEAD's `guard.toml` is invalid, or HEAD cannot be read.
pub fn settings_of_head(repo: &Repository) -> Result<Settings> {
    let committed = settings_of(repo, repo.head_commit()?)?;
    committed.unwrap_or_else(|| Ok(Settings::default()))
}

/// The settings of a commit, if it has any; the inner error is an invalid `guard.toml`.
///
/// # Errors
/// The commit cannot be read.
pub(super) fn settings_of(
    repo: &Repository,
    commit: Option<ObjectId>,
) -> Result<Option<Result<Settings>>> {
    let text = repo.tree_of(commit)?.read(settings::FILE.into())?;
    Ok(text.map(|text| settings::parse(&text)))
}

/// The settings in force with their places, and any designs chosen by hand.
///
/// # Errors
/// HEAD's `guard.toml` is invalid, or HEAD cannot be read.
pub fn settings(repo: &Repository, options: &Options) -> Result<SettingsInForce> {
    let commit = repo.head_commit()?;
    let file = BStr::new(settings::FILE);
    let committed = repo.tree_of(commit)?.read(file)?;
    let (in_force, places) = match &committed {
        Some(bytes) => parse_with_places(bytes)?,
        None => (Settings::default(), KeyPlaces::new()),
    };
    let on_disk = repo
        .workdir()
        .ok()
        .and_then(|root| std::fs::read(root.join(settings::FILE)).ok());
    let mut notes = Vec::new();
    if committed.is_none() {
        notes.push("HEAD has no guard.toml; the defaults apply".to_owned());
    }
    if on_disk.is_some_and(|bytes| settings::parse(&bytes).ok().as_ref() != Some(&in_force)) {
        notes.push(
            "the guard.toml in the work tree differs; it takes effect once committed".to_owned(),
        );
    }
    Ok(SettingsInForce {
        commit: committed.and(commit).map(|id| id.to_string()),
        settings: in_force,
        places,
        designs: chosen(repo, options)?,
        variables: Vec::new(),
        notes,
    })
}

/// The designs chosen by hand, which override `[lld] path`.
fn chosen(repo: &Repository, options: &Options) -> Result<Option<ChosenDesigns>> {
    if !options.designs.is_empty() {
        return Ok(Some(ChosenDesigns {
            files: options.designs.iter().map(|file| show_file(file)).collect(),
            by: options.designs_from.to_owned(),
        }));
    }
    let Some(branch) = repo.branch()? else {
        return Ok(None);
    };
    let chosen = repo.branch_values(branch.name.as_ref(), CHOICE_KEY);
    let files: Vec<String> = chosen.iter().map(ToString::to_string).collect();
    Ok((!files.is_empty()).then(|| ChosenDesigns {
        files,
        by: GUARD_USE.to_owned(),
    }))
}
