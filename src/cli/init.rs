//! `guard init`: write the first `guard.toml`.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use gix::bstr::{BStr, BString};
use serde_json::json;

use super::options::repository;
use super::output::Output;
use crate::error::{Error, Result};
use crate::git::{Index, Repository, show_file};
use crate::scope::settings::FILE;
use crate::setup::{
    self,
    draft::{Facts, STANDING, SettingsDraft, draft, observing},
};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct InitArgs {
    /// Print the file instead of writing it.
    #[arg(long)]
    dry_run: bool,
    /// Write settings in which findings warn, to observe first.
    ///
    /// guard still refuses links and names that leave the repository, and commits under an unusable design.
    #[arg(long)]
    observe: bool,
}

const EXAMPLES: &str = "\
Examples:
  guard init --dry-run    print the settings that guard would write
  guard init              write guard.toml and list the next steps
  guard init --observe    the same, with findings that warn

guard never overwrites a guard.toml in the work tree, the index or HEAD.";

impl InitArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let root = repo.workdir()?;
        let path = root.join(FILE);
        refuse_to_overwrite(&repo, &path)?;
        let mut draft = draft(&facts(&repo)?);
        if self.observe {
            draft.text = observing(&draft.text);
        }
        let mut standing = draft.standing.as_deref();
        if !self.dry_run {
            setup::create(&path, draft.text.as_bytes()).map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => exists("the work tree"),
                _ => Error::new(format!("{} cannot be written: {error}", show_file(&path))),
            })?;
            let file = root.join(STANDING);
            standing = standing.filter(|_| !setup::is_behind_link(root, &file));
            if let Some(text) = standing {
                let help =
                    format!("{FILE} is written; write {STANDING} or remove `standing` from it");
                let cannot = |error| {
                    let file = show_file(&file);
                    Error::new(format!("{file} cannot be written: {error}")).help(help)
                };
                setup::create(&file, text.as_bytes()).map_err(cannot)?;
            }
        }
        let mut steps = next_steps(&draft, standing.is_some());
        if self.observe {
            steps.push(format!(
                "when the warnings are right, remove [rules] and `missing` from {FILE}"
            ));
        }
        let json = json!({
            "version": 1,
            "path": FILE,
            "written": !self.dry_run,
            "content": draft.text,
            "found": draft.found,
            "standing": draft.standing.as_ref().map(|content| json!({
                "path": STANDING,
                "content": content,
            })),
            "next": steps,
        });
        match self.dry_run {
            true => output.answer(&json, &draft.text),
            false => output.report_done(&json, &told(&draft, standing.is_some(), &steps)),
        }
        Ok(0)
    }
}

fn refuse_to_overwrite(repo: &Repository, path: &Path) -> Result<()> {
    let name = BStr::new(FILE);
    if fs::symlink_metadata(path).is_ok() {
        return Err(exists("the work tree"));
    }
    if Index::open(repo)?.tree()?.get(name)?.is_some() {
        return Err(exists("the index"));
    }
    if repo.tree_of(repo.head_commit()?)?.get(name)?.is_some() {
        return Err(exists("HEAD"));
    }
    Ok(())
}

fn exists(place: &str) -> Error {
    Error::new(format!("{FILE} already exists in {place}"))
        .help("edit it; to list every key: guard generate settings")
}

/// What the settings depend on; in a bare repository, the files are those of HEAD.
pub(super) fn facts(repo: &Repository) -> Result<Facts> {
    let owned = |names: Vec<BString>| names.iter().map(BString::to_string).collect();
    let branches = repo.branches("refs/heads/")?;
    let mut branches: Vec<_> = branches.into_iter().map(|(name, _)| name).collect();
    // Before the first commit, HEAD's branch is not yet a ref.
    branches.extend(repo.branch()?.map(|branch| branch.name));
    let files = match repo.workdir() {
        Ok(_) => repo.listed_files()?,
        Err(_) => repo.tree_of(repo.head_commit()?)?.files_below("".into())?,
    };
    Ok(Facts {
        files: owned(files),
        branches: owned(branches),
        origin: repo.default_branch_of_origin().map(|name| name.to_string()),
    })
}

fn next_steps(draft: &SettingsDraft, has_standing: bool) -> Vec<String> {
    let design = match &draft.design {
        None => "to narrow the plans of a branch: guard use DIR".to_owned(),
        Some(_) if draft.plans => {
            "name branches after their plans, or choose a plan: guard use FILE".to_owned()
        }
        Some(design) if draft.designs == 0 => {
            format!(
                "write the first design, {design}, on a branch named after its issue: guard scope new"
            )
        }
        Some(_) => "name branches after the issue of their design, or write one: guard scope new"
            .to_owned(),
    };
    let hooks = match draft.pre_commit {
        true => "guard install pre-commit, or: guard install git",
        false => "guard install git",
    };
    let files = match has_standing {
        true => format!("{FILE} {STANDING}"),
        false => FILE.to_owned(),
    };
    vec![
        format!("git add {files} && git commit -m \"Set guard up\" -- {files}"),
        design,
        hooks.to_owned(),
        "guard doctor".to_owned(),
    ]
}

fn told(draft: &SettingsDraft, has_standing: bool, steps: &[String]) -> String {
    let mut text = format!("wrote {FILE}\n");
    if has_standing {
        text.push_str(&format!(
            "wrote {STANDING}, the design for bumps, formatting and releases: remove what should not be open to every change\n"
        ));
    }
    for found in &draft.found {
        text.push_str(&format!("  {found}\n"));
    }
    text.push_str("\nnext:\n");
    for (at, step) in steps.iter().enumerate() {
        text.push_str(&format!("  {}. {step}\n", at + 1));
    }
    text
}
