//! The plans that a branch could be judged by: those that the settings name for any branch and that are not finished.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use gix::bstr::{BStr, BString, ByteSlice};

use super::policy_loader::load_to_show;
use super::settings::settings_of_head;
use super::{Options, applicable_designs};
use crate::error::Result;
use crate::git::{Repository, Tree};
use crate::policy::design_selection::{self, is_design, summary_of};
use crate::policy::settings::Settings;

/// How many commits to look through for the newest plans.
const COMMITS: usize = 500;
/// How many lines at the start of a document may hold its status.
const LINES: usize = 80;

/// Directories of finished plans.
const FINISHED_PLACES: &[&str] = &[
    "_archived",
    "archive",
    "archived",
    "closed",
    "completed",
    "done",
    "milestones",
    "old",
];

/// Words of a status that ends the work.
const FINISHED: &[&str] = &[
    "abandoned",
    "archived",
    "cancelled",
    "closed",
    "complete",
    "completed",
    "done",
    "finished",
    "implemented",
    "merged",
    "shipped",
    "superseded",
];

/// The designs that the settings select for the current branch; none if there is no such design.
pub fn selected_by_settings(repo: &Repository) -> Vec<BString> {
    let policy = load_to_show(repo, &Options::default());
    policy.map_or_else(
        |_| Vec::new(),
        |policy| applicable_designs::own_designs(&policy),
    )
}

/// The open plans in HEAD, the one that a commit last touched first. Each is a list of documents that belong together.
///
/// # Errors
/// The settings cannot be used, or an object cannot be read.
pub fn open_plans(repo: &Repository) -> Result<Vec<Vec<BString>>> {
    let settings = settings_of_head(repo)?;
    let head = repo.tree_of(repo.head_commit()?)?;
    let mut plans: BTreeMap<BString, Vec<BString>> = BTreeMap::new();
    for path in head.files_below(BStr::new(""))? {
        if is_design(&settings, path.as_ref()) && !is_in_finished_place(&settings, path.as_ref()) {
            let key = design_selection::design_of(&settings, path.as_ref());
            plans.entry(key).or_default().push(path);
        }
    }
    let mut open = Vec::new();
    for (key, documents) in plans {
        if !is_finished(&head, &documents)? {
            open.push((key, documents));
        }
    }
    let mut newest: HashMap<BString, usize> = HashMap::new();
    for (age, paths) in repo.touched(COMMITS)?.into_iter().enumerate() {
        for path in paths {
            newest.entry(path).or_insert(age);
        }
    }
    let age = |documents: &[BString]| {
        let ages = documents.iter().filter_map(|path| newest.get(path));
        ages.min().copied().unwrap_or(usize::MAX)
    };
    // Names often begin with a date or a number.
    open.sort_by_cached_key(|(key, documents)| (age(documents), Reverse(key.clone())));
    Ok(open.into_iter().map(|(_, documents)| documents).collect())
}

/// Whether the document is a standing design, or in an archive that the settings do not name.
fn is_in_finished_place(settings: &Settings, path: &BStr) -> bool {
    let is_archive = |part: &[u8]| FINISHED_PLACES.iter().any(|place| place.as_bytes() == part);
    design_selection::is_standing(settings, path)
        || path.split(|&byte| byte == b'/').any(is_archive)
}

fn is_finished(head: &Tree<'_>, documents: &[BString]) -> Result<bool> {
    for path in documents {
        if let Some(summary) = summary_of(path.as_ref())
            && head.get(summary.as_ref())?.is_some()
        {
            return Ok(true);
        }
        let text = head.read(path.as_ref())?.unwrap_or_default();
        if has_finished_status(&text.to_str_lossy()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the document says `status: done`, `**Status:** Done`, or Done below a heading Status.
fn has_finished_status(text: &str) -> bool {
    let mut lines = text.lines().take(LINES).map(|line| {
        let line: String = line.chars().filter(|&c| c != '*').collect();
        line.trim_start_matches(['#', '-', '>', ' '])
            .trim()
            .to_lowercase()
    });
    while let Some(line) = lines.next() {
        let Some(rest) = line.strip_prefix("status") else {
            continue;
        };
        let value = rest.strip_prefix(':').unwrap_or(rest).trim().to_owned();
        let value = match value.is_empty() {
            true => lines.find(|line| !line.is_empty()).unwrap_or_default(),
            false => value,
        };
        let word = value
            .split(|c: char| !c.is_alphanumeric())
            .find(|word| !word.is_empty());
        return word.is_some_and(|word| FINISHED.contains(&word));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_of_a_plan() {
        for text in [
            "---\nstatus: completed\n---\n",
            "# A story\n\n## Status\n\nDone\n",
            "# A\n\n**Status:** Done (2026)\n",
            "- Status: shipped\n",
        ] {
            assert!(has_finished_status(text), "{text}");
        }
        for text in [
            "---\nstatus: active\n---\nStatus: done\n",
            "## Status\n\nApproved\n",
            "Statusbar: done\n",
            "The status is done.\n",
            "",
        ] {
            assert!(!has_finished_status(text), "{text}");
        }
    }
}
