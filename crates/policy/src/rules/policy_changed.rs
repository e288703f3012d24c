//! `policy-changed`: guard's configuration changes together with code, so neither would be judged by the other's
//! reviewers.

use bstr::{BStr, ByteSlice};

use super::{Case, ChangeRule, MeasuredChange, Sink, agent_settings};
use crate::finding::{Finding, Level, Rule};
use crate::hooks::runs_guard;
use crate::own_part::{self, HostFile, Switch, switches};
use crate::path::escaped;
use crate::policy::{self, Policy, Stage};
use crate::scope::settings;

pub(super) const RULE: ChangeRule = ChangeRule {
    check,
    reads: Some(may_call_guard),
};

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
    let settings = own_part::MANAGER_SETTINGS
        .iter()
        .map(|(settings, _)| settings);
    let mut callers = settings.chain(CALLERS);
    let mut directories = CALLER_DIRECTORIES.iter();
    callers.any(|caller| caller.as_bytes() == name)
        || HostFile::of(path).is_some()
        || agent_settings::concerns(path)
        || directories.any(|directory| path.starts_with(directory.as_bytes()))
}

fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    let policy = case.policy;
    if let Some(why) = &policy.broken_settings {
        let message = format!("the new {} cannot be used", settings::FILE);
        let finding = Finding::new(Rule::PolicyChanged, settings::FILE, message);
        let finding = why.lines().fold(finding, Finding::help);
        sink.push(finding.help("correct it and stage it again"));
    }
    weakened_settings(policy, sink);
    let all = case.changes.iter();
    let (own, others): (Vec<_>, Vec<_>) =
        all.partition(|changed| configures_guard(policy, changed));
    let mut others = others
        .into_iter()
        .filter(|changed| !policy.is_exempt(changed.path()));
    if others.next().is_none() {
        for changed in own {
            switched_off(changed, sink);
        }
        return;
    }
    let paths: Vec<&BStr> = own.iter().map(|changed| changed.path()).collect();
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
                let help = policy.commit_alone(why, "Change guard's settings", &paths);
                help.into_iter().fold(finding, Finding::help)
            }
        });
    }
}

/// Notes the settings that a range weakens, so that reviewers see them.
fn weakened_settings(policy: &Policy, sink: &mut Sink<'_>) {
    let Some(next) = &policy.next_settings else {
        return;
    };
    let keys = settings::weakened(&policy.settings, next);
    if keys.is_empty() {
        return;
    }
    let message = format!(
        "the branch weakens {} in {}",
        keys.join(", "),
        settings::FILE
    );
    let finding = Finding::new(Rule::PolicyChanged, settings::FILE, message)
        .help("review them like the code; they count for work that begins after the merge")
        .detail("weakened", keys);
    sink.push(Finding {
        level: Level::Note,
        ..finding
    });
}

/// Notes a change that decides whether guard runs; what it says is for reviewers.
fn switched_off(changed: &MeasuredChange, sink: &mut Sink<'_>) {
    let mut switches = new_switches(changed);
    switches.retain(Switch::is_decisive);
    if switches.is_empty() {
        return;
    }
    let path = changed.path();
    let shown: Vec<String> = switches
        .iter()
        .map(|one| escaped(one.to_string().as_str()).to_string())
        .collect();
    let message = format!(
        "{} changes when guard runs, or whether its failure counts: {}",
        escaped(path),
        shown.join(", ")
    );
    sink.push(Finding {
        level: Level::Note,
        ..Finding::new(Rule::PolicyChanged, path, message)
    });
}

/// Whether the change is to guard's settings, to what calls guard, or to what switches that off.
fn configures_guard(policy: &Policy, changed: &MeasuredChange) -> bool {
    let path = changed.path();
    if policy::is_own_settings(&policy.settings, path) {
        return true;
    }
    let Some((old, new)) = changed.content.as_deref().filter(|_| may_call_guard(path)) else {
        return false;
    };
    // Moving such lines, or editing text around them, does not change how guard is called.
    calls(path, old) != calls(path, new) || !new_switches(changed).is_empty()
}

/// The lines that run guard, in order, and guard's part of the settings of others. A manifest names guard as a package,
/// which calls nothing.
fn calls<'c>(path: &BStr, content: &'c [u8]) -> (Vec<&'c [u8]>, String) {
    let target = HostFile::of(path);
    let found = target.and_then(|target| own_part::without(target, content.to_str().ok()?));
    let part = found.map(|found| found.calls.into_iter().collect::<String>() + &found.part);
    let lines = content.lines().filter(|line| runs_guard(line));
    let lines = lines.filter(|_| target != Some(HostFile::SimpleGitHooks));
    (
        lines.map(ByteSlice::trim).collect(),
        part.unwrap_or_default(),
    )
}

/// What the change adds or takes away that decides whether a call of guard runs, and whether its failure counts.
fn new_switches(changed: &MeasuredChange) -> Vec<Switch> {
    let path = changed.path();
    let content = changed.content.as_deref();
    let Some((old, new)) = content.filter(|_| may_call_guard(path)) else {
        return Vec::new();
    };
    if !old.lines().any(runs_guard) || !new.lines().any(runs_guard) {
        return Vec::new();
    }
    let old = switches(path, old);
    let new = switches(path, new);
    new.symmetric_difference(&old).cloned().collect()
}

/// Whether the step between two versions of a file that may call guard (the first is empty for a new file) changes only
/// guard's own part. It then needs no design.
pub fn changes_only_own_part(path: &BStr, old: &[u8], new: &[u8]) -> bool {
    own_part::is_own_change(path, old, new).is_ok()
}

/// Why a change of a file that calls guard is judged like any other.
pub(super) fn why_not_own(changed: &MeasuredChange) -> Option<&'static str> {
    let (old, new) = changed.content.as_deref()?;
    own_part::is_own_change(changed.path(), old, new).err()?
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
