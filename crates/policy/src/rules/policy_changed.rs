//! `policy-changed`: guard's configuration changes together with code, so neither would be judged by the other's
//! reviewers.

use bstr::{BStr, ByteSlice};

use super::hook_lines::{self, lines, runs_guard};
use super::manifest;
use super::{Case, MeasuredChange, Sink, agent_settings};
use crate::finding::{Finding, Rule};
use crate::path::escaped;
use crate::policy::{self, Policy, Stage};
use crate::scope::settings;

/// More files that may call guard; matched by the end of their path.
const CALLERS: &[&str] = &[
    "hk.pkl",
    ".gitlab-ci.yml",
    "Jenkinsfile",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
];

/// Directories of hooks and CI definitions.
const CALLER_DIRECTORIES: &[&str] = &[
    ".github/workflows/",
    ".github/actions/",
    ".husky/",
    ".buildkite/",
    ".circleci/",
    "hooks/",
    ".githooks/",
];

/// Whether the file, a hook or CI definition, may call guard.
pub fn may_call_guard(path: &BStr) -> bool {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
    let mut callers = hook_lines::SETTINGS.iter().chain(CALLERS);
    let mut directories = CALLER_DIRECTORIES.iter();
    callers.any(|caller| caller.as_bytes() == name)
        || agent_settings::concerns(path)
        || directories.any(|directory| path.starts_with(directory.as_bytes()))
}

pub(super) fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    let policy = case.policy;
    if let Some(why) = &policy.broken_settings {
        let message = format!("the new {} cannot be used", settings::FILE);
        let finding = Finding::new(Rule::PolicyChanged, settings::FILE, message);
        let finding = why.lines().fold(finding, Finding::help);
        sink.push(finding.help("correct it and stage it again: git add guard.toml"));
    }
    let all = case.changes.iter();
    let (own, others): (Vec<_>, Vec<_>) =
        all.partition(|changed| configures_guard(policy, changed));
    let mut others = others
        .into_iter()
        .filter(|changed| !policy.is_exempt(changed.path()));
    if others.next().is_none() {
        return;
    }
    for changed in own {
        let path = changed.path();
        let shown = escaped(path);
        let message = format!("{shown} configures guard but changes together with code");
        let finding = Finding::new(Rule::PolicyChanged, path, message)
            .detail("action", changed.change.action().name());
        sink.push(match policy.stage {
            Stage::Range | Stage::Step => finding.help(
                "move it to a separate pull request, so that reviewers see it apart from code",
            ),
            Stage::Commit | Stage::Request => {
                let why = "commit it separately, so that reviewers see it apart from code";
                let help = policy.commit_alone(why, "Change guard's settings", path);
                help.into_iter().fold(finding, Finding::help)
            }
        });
    }
}

/// Whether the change is to guard's settings, or to lines that call guard.
fn configures_guard(policy: &Policy, changed: &MeasuredChange) -> bool {
    let path = changed.path();
    if policy::is_own_settings(&policy.settings, path) {
        return true;
    }
    if manifest::is_manifest(path) {
        return is_own_part(changed);
    }
    let Some((old, new)) = changed.content.as_deref().filter(|_| may_call_guard(path)) else {
        return false;
    };
    // Moving such lines, or editing text around them, does not change how guard is called.
    calls(old) != calls(new)
}

/// The lines that configure guard, in order: those that run it, and the version of guard's entry in the pre-commit
/// configuration.
fn calls(content: &[u8]) -> Vec<&[u8]> {
    let own = lines(content).into_iter();
    own.filter(|(line, is_version)| *is_version || runs_guard(line))
        .map(|(line, _)| line.trim())
        .collect()
}

/// Whether the step between two versions of hook settings (the first is empty for a new file) only changes guard's
/// version, or only adds calls of guard or its packages. It then needs no design.
pub fn changes_only_own_part(path: &BStr, old: &[u8], new: &[u8]) -> bool {
    hook_lines::brings_only_calls(path, old, new)
        || manifest::is_manifest(path) && manifest::brings_only_packages(old, new)
        || agent_settings::brings_only_hooks(path, old, new)
}

/// A command changed a file that says which hooks run, what git ignores or how an agent calls guard.
pub fn switch_changed(path: &BStr, setting: &str) -> Finding {
    let what = match setting {
        "" => escaped(path).to_string(),
        setting => format!("{} in {}", escaped(BStr::new(setting)), escaped(path)),
    };
    let message = format!("{what} was changed, which decides about hooks, ignored files or git");
    Finding::new(Rule::PolicyChanged, path, message)
        .help("take it back; if it is needed, ask the user to change it")
}

/// What guard keeps in a repository to see and undo what commands do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// The log of requests and decisions.
    Log,
    /// The snapshots of what was written over.
    Snapshots,
    /// What keeps the commits of a checkpoint.
    Checkpoints,
}

/// A command removed or changed what guard keeps in the repository.
pub fn means_removed(what: Means) -> Finding {
    let (path, what) = match what {
        Means::Log => (".git/guard/log.jsonl", "guard's log"),
        Means::Snapshots => ("refs/guard/snapshots", "the ref of guard's snapshots"),
        Means::Checkpoints => ("refs/guard/checkpoints", "the ref of guard's checkpoints"),
    };
    let message = format!("{what} ({path}) was removed or changed");
    Finding::new(Rule::PolicyChanged, BStr::new(path), message)
        .help("stop, and tell the user what the command was")
}

/// Whether the change touches only guard's own part of hook settings. It then needs no row.
pub(super) fn is_own_part(changed: &MeasuredChange) -> bool {
    let is_file = changed.change.new.is_some_and(|state| state.kind.is_file());
    let content = changed.content.as_deref().filter(|_| is_file);
    content.is_some_and(|(old, new)| changes_only_own_part(changed.path(), old, new))
}

/// Whether the file is part of the set-up, in the commit that adds the first `guard.toml`.
pub(super) fn is_set_up(policy: &Policy, changed: &MeasuredChange) -> bool {
    let is_file = changed.change.new.is_some_and(|state| state.kind.is_file());
    policy.adopting && is_file && configures_guard(policy, changed)
}
