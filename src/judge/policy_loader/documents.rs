//! Documents that changes add. What moves keeps its file name.

use gix::bstr::BString;

use write_guard_policy::change::{Change, Kind};
use write_guard_policy::policy;
use write_guard_policy::scope::settings::Settings;

/// The old and new paths of designs that move: a new Markdown file has the file name of a design that the same change
/// deletes. The content may differ, for example by a status line.
pub(in crate::judge) fn moved_designs(
    settings: &Settings,
    changes: &[Change],
) -> Vec<(BString, BString)> {
    let mut moved = Vec::new();
    for gone in deleted_designs(settings, changes) {
        for new in new_documents(changes, &gone.path) {
            moved.push((gone.path.clone(), new.path.clone()));
        }
    }
    moved
}

/// The changes that delete designs.
pub(super) fn deleted_designs<'c>(
    settings: &Settings,
    changes: &'c [Change],
) -> impl Iterator<Item = &'c Change> {
    changes
        .iter()
        .filter(|change| change.new.is_none() && policy::is_design(settings, change.path.as_ref()))
}

/// The changes that add a Markdown file with the file name of `path`.
pub(super) fn new_documents<'c>(
    changes: &'c [Change],
    path: &BString,
) -> impl Iterator<Item = &'c Change> {
    changes
        .iter()
        .filter(|change| is_new_document(change) && file_name(&change.path) == file_name(path))
}

/// Whether the change adds a Markdown file.
pub(super) fn is_new_document(change: &Change) -> bool {
    is_new_file(change) && change.path.ends_with(b".md")
}

/// Whether the change adds a file.
pub(super) fn is_new_file(change: &Change) -> bool {
    change.old.is_none() && change.new.is_some_and(|state| state.kind == Kind::File)
}

pub(super) fn file_name(path: &BString) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}
