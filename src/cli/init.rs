//! `guard init`: write the first `guard.toml`.

use std::fs;
use std::path::Path;

use gix::bstr::{BStr, BString};
use serde_json::json;

use super::options::repository;
use super::output::Output;
use crate::setup;
use crate::setup::draft::{LINE_FOR_PLANS, STANDING, SettingsDraft, directories, draft, observing};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Help;
use write_guard_policy::scope::settings::FILE;
use write_guard_repo::{Index, PushSide, Repository};

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
  guard init              write guard.toml and list the next steps
  guard init --observe    the same, with findings that warn

guard never overwrites a guard.toml in the work tree, the index or HEAD.";

impl InitArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let root = repo.workdir()?;
        let path = root.join(FILE);
        refuse_to_overwrite(&repo, &path)?;
        let mut draft = drafted(&repo)?;
        if self.observe {
            draft.text = observing(&draft.text);
        }
        // A link may lead out of the repository, and an ignored file is a person's own.
        let file = root.join(STANDING);
        let is_free = setup::text(root, &file) == Ok(None);
        let standing = draft.standing.as_deref().filter(|_| is_free);
        if !self.dry_run {
            setup::write(&path, draft.text.as_bytes())?;
            if let Some(text) = standing {
                setup::write(&file, text.as_bytes()).map_err(|error| {
                    error.help(format!("write it, or remove `standing` from {FILE}"))
                })?;
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
        if self.dry_run {
            output.answer(&json, &draft.text)
        } else {
            output.report_done(&json, &told(&draft, standing.is_some(), &steps))
        }
        Ok(0)
    }
}

fn refuse_to_overwrite(repo: &Repository, path: &Path) -> Result<()> {
    let name = BStr::new(FILE);
    if fs::symlink_metadata(path).is_err()
        && Index::open(repo)?.tree()?.get(name)?.is_none()
        && repo.tree_of(repo.head_commit()?)?.get(name)?.is_none()
    {
        return Ok(());
    }
    Err(Error::new(format!(
        "{FILE} already exists in the work tree, the index or HEAD"
    ))
    .help(Help::run(
        "edit it; to list every key",
        "guard generate settings",
    )))
}

/// The branches that work usually starts from.
const BASES: [&str; 4] = ["main", "master", "trunk", "develop"];

/// The settings for this repository; in a bare one, the files are those of HEAD.
pub(super) fn drafted(repo: &Repository) -> Result<SettingsDraft> {
    let branches = repo.branches("refs/heads/")?.into_iter();
    let mut branches: Vec<_> = branches.map(|(name, _)| name).collect();
    // Before the first commit, HEAD's branch is not yet a ref.
    branches.extend(repo.branch()?.map(|branch| branch.name));
    let mut usual = BASES.map(BString::from).into_iter();
    let base = repo.target(None, PushSide::Local("origin"))?;
    let base = base
        .map(|target| target.name)
        .or_else(|| usual.find(|name| branches.contains(name)));
    let files = match repo.workdir() {
        Ok(_) => repo.listed_files()?,
        Err(_) => repo.tree_of(repo.head_commit()?)?.files_below("".into())?,
    };
    let mut files: Vec<String> = files.iter().map(BString::to_string).collect();
    if repo.workdir().is_ok() {
        // A framework leaves empty directories at first, which git does not list. What git ignores is a person's own.
        for directory in directories() {
            let about = repo.metadata_of(BStr::new(directory));
            let file = format!("{directory}/plan.md");
            if about.is_some_and(|about| about.is_dir()) && !repo.is_ignored(BStr::new(&file))? {
                files.push(format!("{directory}/"));
            }
        }
    }
    Ok(draft(&files, base.map(|base| base.to_string())))
}

fn next_steps(draft: &SettingsDraft, has_standing: bool) -> Vec<String> {
    let hooks = match draft.manager {
        Some("pre-commit") => "guard install pre-commit, or: guard install git".to_owned(),
        // guard's own hooks would take the place of the manager's.
        Some(manager) => format!("guard install {manager}"),
        None => "guard install git".to_owned(),
    };
    let standing = if has_standing { STANDING } else { "" };
    let files = format!("{FILE} {standing}");
    let files = files.trim_end();
    let mut steps = vec![
        format!("git add {files} && git commit -m \"Set guard up\" -- {files}"),
        draft.next.clone(),
    ];
    if !draft.line_goes_to.is_empty() {
        let places = draft.line_goes_to.join(", and to ");
        steps.push(format!(
            "add this line to {places} and commit it, so that guard can read every plan: \"{LINE_FOR_PLANS}\""
        ));
    }
    steps.extend([hooks, "guard doctor".to_owned()]);
    steps
}

fn told(draft: &SettingsDraft, has_standing: bool, steps: &[String]) -> String {
    let mut lines = vec![format!("wrote {FILE}")];
    if has_standing {
        lines.push(format!(
            "wrote {STANDING}, the design for bumps, formatting and releases: \
             remove what should not be open to every change"
        ));
    }
    lines.extend(draft.found.iter().map(|found| format!("  {found}")));
    lines.push("\nnext:".to_owned());
    lines.extend((1..).zip(steps).map(|(at, step)| format!("  {at}. {step}")));
    lines.join("\n") + "\n"
}
