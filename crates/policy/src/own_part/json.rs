//! guard's part of settings in JSON: those of coding agents, and the commands of simple-git-hooks.

use bstr::BStr;
use jsonc_parser::cst::CstRootNode;
use serde_json::{Map, Value};

use super::command::GuardCall;
use super::remainder::Without;
use crate::hooks::is_hook;

macro_rules! shipped {
    ($($path:literal $file:literal,)*) => {
        [$(($path, include_str!(concat!("../../../../hooks/agents/", $file)))),*]
    };
}

/// Each file of an agent with the settings that guard ships for it.
pub const AGENT_FILES: [(&str, &str); 7] = shipped![
    ".claude/settings.json" "claude.json",
    ".codex/hooks.json" "codex.json",
    ".cursor/hooks.json" "cursor.json",
    ".gemini/settings.json" "gemini.json",
    ".github/hooks/guard.json" "copilot.json",
    ".github/hooks/guard-vscode.json" "vscode.json",
    ".opencode/plugins/guard.js" "opencode.js",
];

/// What guard ships for the agent that reads this file.
pub(super) fn shipped(path: &BStr) -> Option<&'static str> {
    let found = AGENT_FILES.iter().find(|(file, _)| path == *file);
    found.map(|(_, text)| *text)
}

fn parse(text: &str) -> Option<Value> {
    if text.trim().is_empty() {
        return Some(Value::Object(Map::new()));
    }
    CstRootNode::parse(text, &Default::default())
        .ok()?
        .to_serde_value()
}

/// How a command may end so that a missing or broken guard denies the call of a tool: the agents take exit code 2 for a
/// denial, and any other for a fault that stops nothing. The first one also says how to get guard.
const DENYING_ENDS: &[&str] = &[
    " || { [ $? -eq 2 ] || echo 'guard is missing or failed, so the call is denied: ask the user \
     to install guard, or to run guard doctor' >&2; exit 2; }",
    " || exit 2",
];

/// How a command may end so that a missing or broken guard stops nothing: Gemini CLI takes every code but this one for a
/// denial, and would never end its turn.
const HARMLESS_END: &str = " || exit 1";

/// The command without what says what happens where guard is missing.
fn plain_call(command: &str) -> &str {
    let mut ends = DENYING_ENDS.iter().chain([&HARMLESS_END]);
    let plain = ends.find_map(|end| command.strip_suffix(end));
    plain.unwrap_or(command)
}

/// Whether a command denies where guard is missing or fails.
pub fn denies_without_guard(command: &str) -> bool {
    DENYING_ENDS.iter().any(|end| command.ends_with(end))
}

/// The settings with the plain form of each command.
pub fn with_plain_calls(settings: Value) -> Value {
    match settings {
        Value::Object(keys) => {
            let keys = keys.into_iter();
            let plain = keys.map(|(key, value)| (key, with_plain_calls(value)));
            Value::Object(plain.collect())
        }
        Value::Array(all) => all.into_iter().map(with_plain_calls).collect(),
        Value::String(text) => Value::String(plain_call(&text).to_owned()),
        other => other,
    }
}

/// The number of commands that deny where guard is missing.
fn denying_calls(settings: &Value) -> usize {
    match settings {
        Value::Object(keys) => keys.values().map(denying_calls).sum(),
        Value::Array(all) => all.iter().map(denying_calls).sum(),
        Value::String(text) => usize::from(denies_without_guard(text)),
        _ => 0,
    }
}

/// The settings of an agent without guard's entries, if they are all there. A person may make any of guard's commands
/// deny where guard is missing; taking that back weakens guard.
pub(super) fn without_entries(shipped: &str, text: &str) -> Option<Without> {
    let mut found = Without::default();
    let (settings, own) = match (parse(text), parse(shipped)) {
        (Some(settings), Some(own)) => (settings, own),
        // A plugin is guard's as a whole.
        _ if text == shipped => {
            found.calls.insert("hooks".to_owned());
            return Some(found);
        }
        _ => {
            found.rest = text.to_owned();
            return Some(found);
        }
    };
    let denying = denying_calls(&settings);
    for count in 1..=denying {
        found
            .calls
            .insert(format!("hook that denies without guard: {count}"));
    }
    let settings = with_plain_calls(settings);
    let own = with_plain_calls(own);
    if with_entries(settings.clone(), &own) == settings {
        found.calls.insert("hooks".to_owned());
    }
    found.rest = written(&without_own(settings, &own));
    Some(found)
}

/// Settings as a text to compare; nothing for empty ones.
fn written(value: &Value) -> String {
    match value.as_object() {
        Some(keys) if keys.is_empty() => String::new(),
        _ => value.to_string(),
    }
}

/// The settings with guard's entries at the end of each list. What is there stays.
pub fn with_entries(settings: Value, own: &Value) -> Value {
    match (settings, own) {
        (Value::Object(mut keys), Value::Object(own)) => {
            for (key, value) in own {
                let known = keys.get_mut(key).map(Value::take).unwrap_or_default();
                keys.insert(key.clone(), with_entries(known, value));
            }
            keys.into()
        }
        (Value::Array(mut all), Value::Array(own)) => {
            let missing = own.iter().filter(|entry| !all.contains(entry));
            let missing: Vec<Value> = missing.cloned().collect();
            all.extend(missing);
            all.into()
        }
        (Value::Null, own) => own.clone(),
        (other, _) => other,
    }
}

/// The settings without guard's entries, each once, and without what that empties.
fn without_own(settings: Value, own: &Value) -> Value {
    match (settings, own) {
        (Value::Object(mut keys), Value::Object(own)) => {
            for (key, value) in own {
                let Some(known) = keys.get_mut(key).map(Value::take) else {
                    continue;
                };
                let left = without_own(known, value);
                let is_empty = left.is_null()
                    || left.as_array().is_some_and(Vec::is_empty)
                    || left.as_object().is_some_and(Map::is_empty);
                if is_empty {
                    keys.shift_remove(key);
                } else {
                    keys.insert(key.clone(), left);
                }
            }
            keys.into()
        }
        (Value::Array(mut all), Value::Array(own)) => {
            for entry in own {
                if let Some(at) = all.iter().rposition(|one| one == entry) {
                    all.remove(at);
                }
            }
            all.into()
        }
        (value, own) if value == *own => Value::Null,
        (other, _) => other,
    }
}

/// The key in `package.json` below which simple-git-hooks has a command per hook.
const COMMANDS: &str = "simple-git-hooks";

/// The manifest without guard's calls in the commands of simple-git-hooks.
pub(super) fn without_simple_git_hooks(text: &str) -> Option<Without> {
    let mut found = Without::default();
    let mut manifest: Value = serde_json::from_str(text).ok()?;
    if let Some(commands) = manifest.get_mut(COMMANDS).and_then(Value::as_object_mut) {
        for (hook, command) in commands.iter_mut().filter(|(hook, _)| is_hook(hook)) {
            let Some(line) = command.as_str() else {
                continue;
            };
            // Only what comes first surely runs, and refuses.
            let mut parts: Vec<&str> = line.split("&&").map(str::trim).collect();
            let call = parts.first().and_then(|part| GuardCall::parse(part));
            if call.is_some_and(|call| call.is_for(hook) && !call.is_last) {
                found.calls.insert(format!("{hook}: hook"));
                parts.remove(0);
                *command = Value::String(parts.join(" && "));
            }
        }
        commands.retain(|_, command| command.as_str() != Some(""));
        if commands.is_empty() && !found.calls.is_empty() {
            manifest.as_object_mut()?.shift_remove(COMMANDS);
        }
    }
    found.rest = written(&manifest);
    Some(found)
}
