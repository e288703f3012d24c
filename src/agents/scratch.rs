//! Where an agent may write whatever the design says: the system's directory for temporary files, its own directory
//! under the home, and files that git ignores. What switches its hooks, or guard, off is none of these.
//!
//! What an agent's commands may not even name are the files that switch its hooks, and the verb that removes them. After
//! such a command, nothing might be observed any more.

use std::path::{Component, Path, PathBuf};

use gix::bstr::BStr;

use super::tools::{FileAction, ToolCall};
use crate::boundary::Boundary;
use crate::error::Result;
use crate::files::{Failure, FailureKind, GateResult};
use crate::git::Repository;
use crate::rules::may_call_guard;

/// The directories of agents under the home.
const OWN: &[&str] = &[
    ".claude",
    ".codex",
    ".copilot",
    ".cursor",
    ".gemini",
    ".config/opencode",
    ".local/share/opencode",
];

/// How files end in which agents keep their settings, and the programs that they run at an event.
const SWITCHES: &[&str] = &[
    "json", "jsonc", "toml", "yaml", "yml", "js", "mjs", "cjs", "ts", "mts", "sh",
];

/// What is needed to know such places in a repository.
pub(super) struct ScratchPlaces<'a> {
    repo: &'a Repository,
    boundary: &'a Boundary,
}

impl<'a> ScratchPlaces<'a> {
    pub(super) fn new(repo: &'a Repository, boundary: &'a Boundary) -> ScratchPlaces<'a> {
        ScratchPlaces { repo, boundary }
    }

    /// Whether a request is for such a place outside the work tree.
    pub(super) fn is_outside(&self, request: &BStr) -> bool {
        let Some(path) = gix::path::from_bstr(request)
            .ok()
            .and_then(|path| settled(&path))
        else {
            return false;
        };
        let is_own = [
            self.boundary.root(),
            self.repo.git_dir(),
            self.repo.common_dir(),
        ]
        .iter()
        .filter_map(|own| own.canonicalize().ok())
        .any(|own| path.starts_with(own));
        let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
        let home = home.unwrap_or_default();
        let below = |base: PathBuf| {
            let base = base.canonicalize().ok();
            base.is_some_and(|base| {
                // A home below the temporary directory is a home all the same.
                let is_home = home.starts_with(&base) && path.starts_with(&home);
                path.starts_with(&base) && !is_home && !is_in_repository(&path, &base)
            })
        };
        let mut own = OWN.iter().map(|own| home.join(own));
        let is_temporary = || below(std::env::temp_dir()) || cfg!(unix) && below("/tmp".into());
        !is_own && (is_temporary() || !ends_as_switch(&path) && own.any(below))
    }

    /// Whether git ignores the path, relative to the root, and it configures neither an agent nor guard.
    ///
    /// # Errors
    /// A `.gitignore` or the index cannot be read.
    pub(super) fn is_ignored(&self, path: &BStr) -> Result<bool> {
        let Ok(name) = gix::path::from_bstr(path) else {
            return Ok(false);
        };
        // Tools keep settings of a person's own at the root, and in directories that begin with a dot.
        let begins_with_dot =
            |part: Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
        let is_deep = name.components().count() > 1;
        let is_switch =
            ends_as_switch(&name) && (!is_deep || name.components().any(begins_with_dot));
        let configures_guard =
            may_call_guard(path) || path.starts_with(b".guard/") || path == "guard.toml";
        Ok(!is_switch && !configures_guard && self.repo.is_ignored(path)?)
    }
}

/// Where a write of an absolute path ends: links are followed. `None` for one that leads nowhere, and for a path with
/// `..` in it.
fn settled(path: &Path) -> Option<PathBuf> {
    if !path.is_absolute() || path.components().any(|part| part == Component::ParentDir) {
        return None;
    }
    match path.symlink_metadata() {
        Ok(_) => path.canonicalize().ok(),
        Err(_) => Some(settled(path.parent()?)?.join(path.file_name()?)),
    }
}

/// Whether a repository lies on the way from `base` to the path: its own rules count there.
fn is_in_repository(path: &Path, base: &Path) -> bool {
    let is_git = |part: Component<'_>| part.as_os_str().eq_ignore_ascii_case(".git");
    let between = path
        .ancestors()
        .skip(1)
        .take_while(|above| above.starts_with(base));
    path.components().any(is_git) || between.into_iter().any(|above| above.join(".git").exists())
}

fn ends_as_switch(path: &Path) -> bool {
    let end = path
        .extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    SWITCHES.contains(&end.as_str())
}

/// The files that agents read their hooks from, in the project or in the home directory.
const HOOK_FILES: &[&str] = &[
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/hooks.json",
    ".cursor/hooks.json",
    ".gemini/settings.json",
    ".github/hooks/guard.json",
    ".github/hooks/guard-vscode.json",
    ".opencode/plugins/guard.js",
];

/// Other words that switch hooks off.
const SWITCH_WORDS: &[&str] = &["guard uninstall", "disableAllHooks", ".claude/settings"];

/// The files that switch hooks here.
pub(super) fn hook_files(root: &Path) -> Vec<PathBuf> {
    let home = std::env::home_dir();
    let places = [Some(root), home.as_deref()];
    let in_place = |place: &Path| {
        HOOK_FILES
            .iter()
            .map(|file| place.join(file))
            .collect::<Vec<_>>()
    };
    places.into_iter().flatten().flat_map(in_place).collect()
}

/// Refuses a command that names one of them, by its plain words.
///
/// # Errors
/// It does.
pub(crate) fn refuse(call: &ToolCall) -> GateResult<()> {
    for action in &call.actions {
        let FileAction::Command(text) = action else {
            continue;
        };
        let mut words = String::with_capacity(text.len());
        for word in text.split_whitespace() {
            words.extend([word, " "]);
        }
        let named = HOOK_FILES
            .iter()
            .chain(SWITCH_WORDS)
            .find(|word| words.contains(**word));
        if let Some(word) = named {
            return Err(Failure::new(
                FailureKind::Refused,
                format!("the command names `{word}`, which decides whether guard sees what commands do"),
            )
            .help("to read such a file, use the agent's own tool for reading; to change it, ask the user"));
        }
    }
    Ok(())
}
