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

#[cfg(test)]
mod tests {
    use super::*;
    use gix::ObjectId;
    use write_guard_policy::change::State;

    #[test]
    fn a_design_moves_to_a_new_markdown_file_of_its_name() {
        let state = |kind| {
            let id = ObjectId::null(gix::hash::Kind::Sha1);
            Some(State { kind, id })
        };
        let file = state(Kind::File);
        let gone = Change::new("docs/lld/LLD-7.md", file, None);
        for (path, old, new, is_moved) in [
            ("docs/done/LLD-7.md", None, file, true),
            ("docs/done/LLD-8.md", None, file, false),
            ("docs/done/LLD-7.txt", None, file, false),
            ("docs/done/LLD-7.md", file, file, false),
            ("docs/done/LLD-7.md", None, state(Kind::Symlink), false),
        ] {
            let changes = [gone.clone(), Change::new(path, old, new)];
            let settings = Settings {
                lld_path: vec!["docs/lld/LLD-{issue}.md".to_owned()],
                ..Settings::default()
            };
            let moved = moved_designs(&settings, &changes);
            let expected = is_moved.then(|| (gone.path.clone(), BString::from(path)));
            assert_eq!(moved, Vec::from_iter(expected), "{path}");
        }
    }
}
