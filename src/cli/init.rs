//! `guard init`: write the first `guard.toml`.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use gix::bstr::{BStr, ByteSlice};
use serde_json::json;

use super::output::Output;
use super::repository::repository;
use crate::error::{Error, Result};
use crate::git::{Index, Repository, show_file};
use crate::install::files;
use crate::install::settings::{Facts, SettingsDraft, draft};
use crate::policy::settings::FILE;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct InitArgs {
    /// Print the file instead of writing it.
    #[arg(long)]
    dry_run: bool,
}

const EXAMPLES: &str = "\
Examples:
  guard init --dry-run    print the settings that guard would write
  guard init              write guard.toml and list the next steps

guard never overwrites a guard.toml in the work tree, the index or HEAD.";

/// Limits for the search of the work tree: names and depth.
const NAMES: usize = 20_000;
const DEPTH: usize = 6;
/// How many of the latest commits to look at.
const COMMITS: usize = 100;

impl InitArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let index = Index::open(&repo)?;
        let path = repo.workdir()?.join(FILE);
        refuse_to_overwrite(&repo, &index, &path)?;
        let draft = draft(&facts(&repo, &index)?);
        if !self.dry_run {
            files::create(&path, draft.text.as_bytes()).map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => exists("the work tree"),
                _ => Error::new(format!("{} cannot be written: {error}", show_file(&path))),
            })?;
        }
        let standing = match &draft.standing {
            Some((path, text)) if !self.dry_run => write_standing(&repo, path, text)?,
            _ => None,
        };
        let steps = next_steps(&draft, standing);
        let quiet = output.style.quiet;
        output.print_either(
            || {
                json!({
                    "version": 1,
                    "path": FILE,
                    "written": !self.dry_run,
                    "content": draft.text,
                    "found": draft.found,
                    "standing": draft.standing.as_ref().map(|(path, content)| json!({
                        "path": path,
                        "content": content,
                    })),
                    "next": steps,
                })
            },
            |out| match (self.dry_run, quiet) {
                (true, _) => write!(out, "{}", draft.text),
                (false, true) => Ok(()),
                (false, false) => write!(out, "{}", told(&draft, standing, &steps)),
            },
        );
        Ok(0)
    }
}

/// Writes the standing design; `None` if a link on the way leads elsewhere.
fn write_standing(
    repo: &Repository,
    path: &'static str,
    text: &str,
) -> Result<Option<&'static str>> {
    let file = repo.workdir()?.join(path);
    let mut above = file.ancestors().skip(1).take(path.matches('/').count());
    if above.any(Path::is_symlink) {
        return Ok(None);
    }
    files::create_below(&file, text.as_bytes()).map_err(|error| {
        Error::new(format!("{} cannot be written: {error}", show_file(&file))).help(format!(
            "{FILE} is written; write {path} or remove `standing` from it"
        ))
    })?;
    Ok(Some(path))
}

fn refuse_to_overwrite(repo: &Repository, index: &Index, path: &Path) -> Result<()> {
    let name = BStr::new(FILE);
    if fs::symlink_metadata(path).is_ok() {
        return Err(exists("the work tree"));
    }
    if index.tree()?.get(name)?.is_some() {
        return Err(exists("the index"));
    }
    if repo.tree_of(repo.head_commit()?)?.get(name)?.is_some() {
        return Err(exists("HEAD"));
    }
    Ok(())
}

fn exists(place: &str) -> Error {
    Error::new(format!("{FILE} already exists in {place}"))
        .help("edit it; to list every key: guard explain settings")
}

fn facts(repo: &Repository, index: &Index) -> Result<Facts> {
    let mut files: BTreeSet<String> = index
        .files()?
        .iter()
        .filter_map(|(path, _)| Some(path.to_str().ok()?.to_owned()))
        .collect();
    let mut left = NAMES;
    walk(repo.workdir()?, "", DEPTH, &mut left, &mut files);
    let mut branches: Vec<String> = repo
        .local_branches()?
        .iter()
        .map(|name| name.to_string())
        .collect();
    // Before the first commit, HEAD's branch is not yet a ref.
    branches.extend(repo.branch()?.map(|branch| branch.name.to_string()));
    Ok(Facts {
        files: files.into_iter().collect(),
        branches,
        origin: repo.default_branch_of_origin().map(|name| name.to_string()),
        // A draft does without a history that cannot be read.
        touched: repo
            .touched(COMMITS)
            .unwrap_or_default()
            .iter()
            .map(|paths| paths.iter().map(|path| path.to_string()).collect())
            .collect(),
    })
}

/// Adds the files below a directory. A draft ignores what guard cannot read.
fn walk(
    directory: &Path,
    prefix: &str,
    depth: usize,
    left: &mut usize,
    files: &mut BTreeSet<String>,
) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let Some(budget) = left.checked_sub(1) else {
            return;
        };
        *left = budget;
        let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
            continue;
        };
        let path = format!("{prefix}{name}");
        if kind.is_file() {
            files.insert(path);
        } else if kind.is_dir()
            && depth > 0
            && !matches!(name.as_str(), ".git" | "node_modules" | "target" | ".venv")
        {
            walk(&entry.path(), &format!("{path}/"), depth - 1, left, files);
        }
    }
}

fn next_steps(draft: &SettingsDraft, standing: Option<&str>) -> Vec<String> {
    let design = match &draft.design {
        None => "to narrow the plans of a branch: guard use DIR".to_owned(),
        Some(_) if draft.plans => {
            "name branches after their plans, or choose a plan: guard use FILE".to_owned()
        }
        Some(design) if draft.designs == 0 => {
            format!("write the first design, {design}, and commit it")
        }
        Some(_) => "name branches after the issue of their design".to_owned(),
    };
    let hooks = if draft.pre_commit {
        "add guard to .pre-commit-config.yaml, or: guard install git"
    } else {
        "guard install git"
    };
    let files = match standing {
        Some(standing) => format!("{FILE} {standing}"),
        None => FILE.to_owned(),
    };
    vec![
        format!("git add {files} && git commit -m \"Set guard up\" -- {files}"),
        design,
        hooks.to_owned(),
        "guard doctor".to_owned(),
    ]
}

fn told(draft: &SettingsDraft, standing: Option<&str>, steps: &[String]) -> String {
    let mut text = format!("wrote {FILE}\n");
    if let Some(standing) = standing {
        text.push_str(&format!(
            "wrote {standing}, the design for bumps, formatting and releases: remove what should not be open to every change\n"
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
