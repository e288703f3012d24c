//! What HEAD's `guard.toml` says, and where.

// Shows the settings of the work tree.
#![allow(clippy::disallowed_methods)]

use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};

use super::Options;
use crate::error::Result;
use crate::git::{Repository, show_file};
use crate::policy::settings::{self, KeyPlaces, Settings, parse_with_places};
use crate::verdict::{ChosenDesigns, SettingsInForce};

/// HEAD's settings; the defaults where it has none.
///
/// # Errors
/// HEAD's `guard.toml` cannot be used, or HEAD cannot be read.
pub fn settings_of_head(repo: &Repository) -> Result<Settings> {
    let committed = settings_of(repo, repo.head_commit()?)?;
    committed.unwrap_or_else(|| Ok(Settings::default()))
}

/// What the `guard.toml` of a commit says, if it has one; the inner error is that it cannot be used.
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

/// The settings in force with the place of each, and what chooses the designs in their stead.
///
/// # Errors
/// HEAD's `guard.toml` cannot be used, or HEAD cannot be read.
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
        notes.push("HEAD has no guard.toml, so that the defaults are in force".to_owned());
    }
    if on_disk.is_some_and(|bytes| settings::parse(&bytes).ok().as_ref() != Some(&in_force)) {
        notes.push(
            "the guard.toml of the work tree says something else; it counts once it is committed"
                .to_owned(),
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

/// The designs that were chosen by hand, which go before `[lld] path`.
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
    let chosen = repo.branch_value(branch.name.as_ref(), "guardDesign");
    Ok(chosen.map(|file| ChosenDesigns {
        files: vec![file.to_str_lossy().into_owned()],
        by: "guard use".to_owned(),
    }))
}
