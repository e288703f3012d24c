//! The files that decide whether an agent runs guard's hooks.

use std::path::{Path, PathBuf};

use write_guard_policy::rules::AGENT_FILES;

/// Settings of a person's own, which may switch hooks off.
const LOCAL_SETTINGS: &str = ".claude/settings.local.json";

/// The files that switch hooks here, in the project or in the home directory.
pub(super) fn hook_files(root: &Path) -> Vec<PathBuf> {
    let home = std::env::home_dir();
    let places = [Some(root), home.as_deref()].into_iter().flatten();
    let files = |place: &Path| {
        let files = AGENT_FILES.map(|(file, _)| place.join(file));
        files.into_iter().chain([place.join(LOCAL_SETTINGS)])
    };
    places.flat_map(files).collect()
}
