//! guard's part of the settings of pre-commit and prek.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::command::{GuardCall, are_known};
use super::remainder::{INSTALLS, Without};
use super::yaml::{self, YamlEntry, YamlNode};
use crate::hooks::is_hook;

/// What `guard install pre-commit` writes.
const SHIPPED: &str = include_str!("../../../../hooks/ci/pre-commit.yaml");

/// The list of hooks of git that the framework installs.
const INSTALLED: &str = "default_install_hook_types";

/// The hooks that guard ships, and whether a commit must run them.
const IDS: &[(&str, bool)] = &[
    ("guard", true),
    ("guard-design", true),
    ("guard-trailer", false),
    ("guard-landed", false),
];

/// How a hook that guard ships is installed: what follows its id.
const KINDS: &[&str] = &["", "-rust", "-system"];

/// What a language may be where guard is on `PATH`.
const LANGUAGES: &[&str] = &["system", "unsupported"];

/// The stage of a commit, as it is called now and before.
const COMMIT_STAGES: &[&str] = &["pre-commit", "commit"];

/// Keys that change nothing about what guard judges.
const FREE_KEYS: &[&str] = &[
    "name",
    "description",
    "verbose",
    "pass_filenames",
    "require_serial",
    "minimum_pre_commit_version",
];

pub(super) fn without(text: &str) -> Option<Without> {
    let root = yaml::entries(text)?;
    let mut found = Without::default();
    let mut cut: Vec<RangeInclusive<usize>> = Vec::new();
    for entry in &root {
        match entry.key.as_str() {
            INSTALLED if has_hooks_of_git(&entry.value) => {
                for item in entry.value.items() {
                    found
                        .calls
                        .extend(text_of(item).map(|hook| format!("{INSTALLS}{hook}")));
                }
                cut.push(entry.lines.clone());
            }
            "repos" => cut.extend(repos(entry, &mut found)),
            _ => {}
        }
    }
    if !found.has_call() {
        cut.extend(
            root.iter()
                .filter(|one| is_empty_list(one))
                .map(|one| one.lines.clone()),
        );
    }
    (found.rest, found.part) = yaml::split_lines(text, &cut)?;
    Some(found)
}

/// Whether `repos` is there and lists nothing.
fn is_empty_list(entry: &YamlEntry) -> bool {
    let value = entry.value.value();
    let is_nothing = value.is_some_and(|value| match value {
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    });
    entry.key == "repos" && is_nothing
}

fn text_of(node: &YamlNode) -> Option<String> {
    Some(node.value()?.as_str()?.to_owned())
}

fn has_hooks_of_git(node: &YamlNode) -> bool {
    let items = node.items();
    let mut items = items.iter();
    items.len() > 0 && items.all(|item| text_of(item).is_some_and(|name| is_hook(&name)))
}

/// The lines of guard's entries below `repos`; the whole list, if it has no others.
fn repos(list: &YamlEntry, found: &mut Without) -> Vec<RangeInclusive<usize>> {
    let items = list.value.items();
    let mut cut = Vec::new();
    let mut whole = 0;
    for item in items {
        let Some(Value::Object(entry)) = item.value() else {
            continue;
        };
        if let Some(own) = own_entry(&entry) {
            found.calls.extend(own.calls);
            found.sources.extend(own.sources);
            cut.push(item.lines.clone());
            whole += 1;
        } else if entry.get("repo").and_then(Value::as_str) == Some("local") {
            let hooks = item.entries().iter().find(|one| one.key == "hooks");
            for hook in hooks.map(|hooks| hooks.value.items()).unwrap_or_default() {
                let own = hook.value().and_then(|hook| local_hook(hook.as_object()?));
                if let Some(calls) = own {
                    found.calls.extend(calls);
                    cut.push(hook.lines.clone());
                }
            }
        }
    }
    if whole > 0 && whole == items.len() {
        return vec![list.lines.clone()];
    }
    cut
}

/// What an entry does that holds nothing but guard's hooks.
pub(super) fn own_entry(entry: &Map<String, Value>) -> Option<Without> {
    let mut found = Without::default();
    let repo = entry.get("repo")?.as_str()?;
    let hooks = entry.get("hooks")?.as_array()?;
    let is_local = repo == "local";
    let mut keys = entry.keys().map(String::as_str);
    if hooks.is_empty() || !keys.all(|key| matches!(key, "repo" | "rev" | "hooks")) {
        return None;
    }
    if !is_local {
        entry.get("rev")?.as_str()?;
        found.sources.insert(repo.to_owned());
    }
    for hook in hooks {
        let hook = hook.as_object()?;
        let calls = if is_local {
            local_hook(hook)
        } else {
            shipped_hook(hook)
        };
        found.calls.extend(calls?);
    }
    Some(found)
}

/// A hook that guard ships, with nothing that weakens it.
fn shipped_hook(hook: &Map<String, Value>) -> Option<Vec<String>> {
    let id = hook.get("id")?.as_str()?;
    let (name, is_for_commits) = IDS.iter().rev().find(|(name, _)| {
        id.strip_prefix(name)
            .is_some_and(|kind| KINDS.contains(&kind))
    })?;
    for (key, value) in hook {
        let is_fine = match key.as_str() {
            "id" => true,
            "stages" => !is_for_commits || has_commit(value),
            "args" => has_known_arguments(value),
            "always_run" => is_true(value),
            key => FREE_KEYS.contains(&key),
        };
        if !is_fine {
            return None;
        }
    }
    Some(vec![(*name).to_owned()])
}

/// A local hook that only runs guard.
fn local_hook(hook: &Map<String, Value>) -> Option<Vec<String>> {
    hook.get("id")?.as_str()?;
    let call = GuardCall::parse(hook.get("entry")?.as_str()?)?;
    let is_for_commits = ["hook framework", "hook pre-commit", "lint"].contains(&&*call.verb);
    let mut calls = vec![call.verb];
    for (key, value) in hook {
        let is_fine = match key.as_str() {
            "id" | "entry" => true,
            "stages" => value.is_array() && (!is_for_commits || has_own_stage(value)),
            "args" => has_known_arguments(value),
            "always_run" => {
                calls.push("always".to_owned());
                is_true(value)
            }
            "language" => value.as_str().is_some_and(|name| LANGUAGES.contains(&name)),
            "types" => *value == Value::from(vec!["markdown"]) && calls[0] == "scope check",
            key => FREE_KEYS.contains(&key),
        };
        if !is_fine {
            return None;
        }
    }
    Some(calls)
}

fn is_true(value: &Value) -> bool {
    value.as_str() == Some("true") || value.as_bool() == Some(true)
}

fn texts(value: &Value) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Value::as_str).collect()
}

fn has_commit(stages: &Value) -> bool {
    let mut stages = texts(stages).unwrap_or_default().into_iter();
    stages.any(|stage| COMMIT_STAGES.contains(&stage))
}

/// Whether the stages of a local hook have the commit, or a hook of git of their own, such as pre-push.
fn has_own_stage(stages: &Value) -> bool {
    let mut stages = texts(stages).unwrap_or_default().into_iter();
    stages.any(|stage| COMMIT_STAGES.contains(&stage) || is_hook(stage))
}

fn has_known_arguments(arguments: &Value) -> bool {
    texts(arguments).is_some_and(|arguments| are_known(&arguments))
}

/// The text that `guard uninstall` leaves: a list of hooks of git that guard may not have written stays.
pub(super) fn removed(text: &str) -> Option<String> {
    let root = yaml::entries(text)?;
    let mut found = Without::default();
    let mut cut = Vec::new();
    for entry in &root {
        if entry.key == "repos" {
            cut.extend(repos(entry, &mut found));
        }
    }
    let shipped = yaml::values(&yaml::entries(SHIPPED)?)?;
    for entry in root.iter().filter(|entry| entry.key == INSTALLED) {
        let is_ours = entry.value.value().as_ref() == shipped.get(INSTALLED);
        cut.extend(is_ours.then(|| entry.lines.clone()));
    }
    let (rest, _) = yaml::split_lines(text, &cut)?;
    Some(rest)
}

/// The settings with guard's entry at the end of the list. What is there stays.
pub(super) fn with(text: &str) -> Option<String> {
    let found = without(text)?;
    if found.has_call() {
        return Some(text.to_owned());
    }
    if found.rest.trim().is_empty() {
        return Some(SHIPPED.to_owned());
    }
    let root = yaml::entries(text)?;
    let repos = root.iter().find(|entry| entry.key == "repos")?;
    let last = repos.value.items().last()?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let first = lines.get(repos.value.items().first()?.lines.start() - 1)?;
    let indent = first.len() - first.trim_start().len();
    if !first.trim_start().starts_with("- ") {
        return None;
    }
    let (_, entry) = SHIPPED.split_once("repos:\n")?;
    let entry = entry
        .lines()
        .map(|line| format!("{}{line}", " ".repeat(indent)));
    let at = *last.lines.end();
    lines.splice(at..at, entry);
    if !root.iter().any(|one| one.key == INSTALLED) {
        let installed = SHIPPED.lines().find(|line| line.starts_with(INSTALLED))?;
        lines.insert(repos.lines.start() - 1, installed.to_owned());
    }
    Some(lines.join("\n") + "\n")
}
