//! What is guard's own in the files from which others call it: for each target of `guard install` one pair of pure
//! functions, with and without guard's part. `guard uninstall` uses the second, and so do the rules: a change whose
//! versions are equal without guard's part needs no row. A part with anything else in it is no part.

mod ci;
mod command;
mod json;
mod lefthook;
mod pre_commit;
mod remainder;
mod script;
mod switches;
mod toml_blocks;
mod yaml;

use bstr::{BStr, ByteSlice};

pub use json::{AGENT_FILES, denies_without_guard, with_entries, with_plain_calls};
pub use remainder::Without;
pub use switches::{Switch, switches};

/// A file that may call guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostFile {
    /// The settings of pre-commit or prek, in YAML.
    PreCommit,
    /// Those of prek, in TOML.
    PrekToml,
    /// The settings of lefthook, in YAML.
    Lefthook,
    /// The same in TOML.
    LefthookToml,
    /// A script for the hook of git with this name.
    Script(&'static str),
    /// guard's workflow of GitHub.
    Github,
    /// The pipeline of GitLab.
    Gitlab,
    /// The settings of a coding agent, with those that guard ships.
    Agent(&'static str),
    /// The manifest of npm, in which simple-git-hooks has its commands.
    SimpleGitHooks,
}

/// The settings of hook managers in which guard may have a part.
pub const MANAGER_SETTINGS: &[(&str, HostFile)] = &[
    (".pre-commit-config.yaml", HostFile::PreCommit),
    (".pre-commit-config.yml", HostFile::PreCommit),
    ("prek.toml", HostFile::PrekToml),
    ("lefthook.yml", HostFile::Lefthook),
    ("lefthook.yaml", HostFile::Lefthook),
    (".lefthook.yml", HostFile::Lefthook),
    (".lefthook.yaml", HostFile::Lefthook),
    (".config/lefthook.yml", HostFile::Lefthook),
    (".config/lefthook.yaml", HostFile::Lefthook),
    ("lefthook.toml", HostFile::LefthookToml),
    (".lefthook.toml", HostFile::LefthookToml),
    (".config/lefthook.toml", HostFile::LefthookToml),
];

/// guard's workflow of GitHub.
pub const WORKFLOW: &str = ".github/workflows/guard.yml";
/// The pipeline of GitLab.
pub const PIPELINE: &str = ".gitlab-ci.yml";
/// The manifest of npm.
const MANIFEST: &str = "package.json";

/// Directories of scripts that git runs as hooks.
const SCRIPTS: &[&str] = &[".husky/", ".githooks/", "hooks/"];

impl HostFile {
    /// What guard may have in the file at `path`.
    pub fn of(path: &BStr) -> Option<HostFile> {
        if let Some((_, target)) = MANAGER_SETTINGS.iter().find(|(name, _)| path == name) {
            return Some(*target);
        }
        let script = SCRIPTS.iter().find_map(|directory| {
            let name = path.strip_prefix(directory.as_bytes())?;
            crate::hooks::HOOKS
                .iter()
                .find(|hook| name == hook.name.as_bytes())
        });
        if let Some(hook) = script {
            return Some(HostFile::Script(hook.name));
        }
        if let Some(shipped) = json::shipped(path) {
            return Some(HostFile::Agent(shipped));
        }
        match path.to_str().ok()? {
            WORKFLOW => Some(HostFile::Github),
            PIPELINE => Some(HostFile::Gitlab),
            MANIFEST => Some(HostFile::SimpleGitHooks),
            _ => None,
        }
    }
}

/// The text that `guard uninstall` leaves; `None` if the file cannot be read, or holds no part of guard.
pub fn removed(target: HostFile, text: &str) -> Option<String> {
    let found = without(target, text).filter(Without::has_call)?;
    match target {
        HostFile::PreCommit => pre_commit::removed(text),
        _ => Some(found.rest),
    }
}

/// The file without guard's part. A file in which guard has none is its own rest. `None` if the file cannot be read.
pub fn without(target: HostFile, text: &str) -> Option<Without> {
    match target {
        HostFile::PreCommit => pre_commit::without(text),
        HostFile::PrekToml => toml_blocks::without_prek(text),
        HostFile::Lefthook => lefthook::without(text),
        HostFile::LefthookToml => toml_blocks::without_lefthook(text),
        HostFile::Script(hook) => Some(script::without(hook, text)),
        HostFile::Github => ci::without_workflow(text),
        HostFile::Gitlab => ci::without_job(text),
        HostFile::Agent(shipped) => json::without_entries(shipped, text),
        HostFile::SimpleGitHooks => json::without_simple_git_hooks(text),
    }
}

/// The file with guard's part; `program` is how the file finds guard. `None` where a person has to write it, and for what
/// guard adds in another way.
pub fn with(target: HostFile, text: &str, program: &str) -> Option<String> {
    match target {
        HostFile::PreCommit => pre_commit::with(text),
        HostFile::Lefthook => lefthook::with(text, program),
        HostFile::Script(hook) => Some(script::with(hook, text, program)),
        HostFile::Github => text.trim().is_empty().then(|| ci::GITHUB.to_owned()),
        HostFile::Gitlab => ci::with_job(text),
        _ => None,
    }
}

/// Whether the step between two versions of a file (the first is empty for a new file) only brings guard in, or changes
/// what is guard's own and takes nothing away; or why it does more.
///
/// # Errors
/// Why the file is judged like any other.
pub fn is_own_change(path: &BStr, old: &[u8], new: &[u8]) -> Result<(), Option<&'static str>> {
    let target = HostFile::of(path).ok_or(None)?;
    let before = parts_of(target, old).ok_or(None)?;
    let after = parts_of(target, new).ok_or(None)?;
    // A file that calls guard no more, or does so in lines that guard did not write, is not guard's to excuse.
    if !after.has_call() {
        let has_tried = new
            .lines()
            .any(|line| crate::hooks::runs_guard(line.as_bytes()));
        return Err(has_tried.then_some(
            "guard's lines there are not as `guard install` or the documentation writes them",
        ));
    }
    // Everything that is not guard's part must be as it was. Where that part was the end of the file, blank lines may
    // come or go with it.
    if before.rest.trim_end() != after.rest.trim_end() {
        return Err(Some(
            "it also changes what is not guard's own, or guard's lines have more than \
             `guard install` or the documentation writes",
        ));
    }
    // A call behind other commands may never be reached, so moving one there takes it away as well.
    if !before.calls.is_subset(&after.calls)
        || (!before.calls.is_empty() && after.behind > before.behind)
    {
        return Err(Some("it takes away a call of guard"));
    }
    // The program that another address serves may be anything.
    for source in &after.sources {
        if !before.sources.contains(source) && !SHIPPED_SOURCES.contains(&source.as_str()) {
            return Err(Some("it takes guard from another address"));
        }
    }
    Ok(())
}

/// A version of the file, split into guard's part and the rest; `None` if it is no text, or not in the file's format.
fn parts_of(target: HostFile, content: &[u8]) -> Option<Without> {
    without(target, content.to_str().ok()?)
}

/// Where the files that `guard install` writes take guard from.
const SHIPPED_SOURCES: &[&str] = &["https://example.com/guard", "your-organisation/guard"];

#[cfg(test)]
mod tests;
