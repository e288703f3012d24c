//! What an agent's commands may not even name: the files that switch its hooks, and the verb that removes them. After
//! such a command, nothing might be observed any more.

use std::path::{Path, PathBuf};

use super::call::{FileAction, ToolCall};
use crate::files::{Failure, FailureKind, GateResult};

/// The files that agents read their hooks from, in the project or in the home directory.
const FILES: &[&str] = &[
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
const WORDS: &[&str] = &["guard uninstall", "disableAllHooks", ".claude/settings"];

/// The files that switch hooks here.
pub(super) fn files(root: &Path) -> Vec<PathBuf> {
    let home = std::env::home_dir();
    let places = [Some(root), home.as_deref()];
    let in_place = |place: &Path| {
        FILES
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
        let named = FILES
            .iter()
            .chain(WORDS)
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
