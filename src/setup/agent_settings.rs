//! Adds guard's hooks to the settings of an agent, and removes them. What else is in the settings stays.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstRootNode;
use serde_json::{Value, json};

use super::manager::call;
use write_guard_policy::own_part::{denies_without_guard, with_entries, with_plain_calls};

/// The key below which agents keep their hooks, by event.
const HOOKS: &str = "hooks";

/// The settings with the hooks of `wanted` and no other call of guard for this agent; unchanged if they are like that.
///
/// # Errors
/// Why guard leaves the settings alone: they cannot be read, have comments, or have another shape.
pub(super) fn add(text: &str, wanted: &Value, agent: &str) -> Result<String, String> {
    let before = parse(text)?;
    if is_installed(&before, wanted, agent) {
        return Ok(text.to_owned());
    }
    let settings = with_entries(without_calls(before.clone(), agent), wanted);
    let mut events = wanted[HOOKS].as_object().into_iter().flatten();
    if !events.all(|(event, _)| settings[HOOKS][event].is_array()) {
        return Err(format!("its \"{HOOKS}\" have another shape"));
    }
    written(text, &before, &settings)
}

/// Whether the settings have the hooks of `wanted`, and no other call of guard for this agent. A command may be stricter
/// than the one in `wanted`.
fn is_installed(settings: &Value, wanted: &Value, agent: &str) -> bool {
    let plain = with_plain_calls(settings.clone());
    let has_all = with_entries(plain.clone(), &with_plain_calls(wanted.clone())) == plain;
    let calls = commands_in(settings, agent);
    let mut events = wanted[HOOKS].as_object().into_iter().flatten();
    let is_as_strict = events.all(|(event, entries)| {
        let deny = |value: &Value| {
            let commands = commands_in(value, agent);
            commands.iter().all(|command| denies_without_guard(command))
        };
        !deny(entries) || deny(&settings[HOOKS][event])
    });
    has_all && is_as_strict && calls.len() == commands_in(wanted, agent).len()
}

/// The settings without guard's hooks for this agent, unchanged if there are none; `None` if nothing but `wanted` was
/// in them.
///
/// # Errors
/// As for [`add`].
pub(super) fn remove(text: &str, wanted: &Value, agent: &str) -> Result<Option<String>, String> {
    let before = parse(text)?;
    let left = without_calls(before.clone(), agent);
    let text = written(text, &before, &left)?;
    let mut keys = left.as_object().into_iter().flatten();
    let is_empty = keys.all(|(key, value)| wanted.get(key) == Some(value));
    Ok((left == before || !is_empty).then_some(text))
}

/// The first command line in the settings that calls guard for this agent, with its list of arguments.
pub(super) fn command(text: &str, agent: &str) -> Option<String> {
    command_in(&parse(text).ok()?, agent)
}

/// The settings: an object. They may have comments.
fn parse(text: &str) -> Result<Value, String> {
    let root = CstRootNode::parse(text, &ParseOptions::default());
    match root.map_err(|error| error.to_string())?.to_serde_value() {
        None => Ok(json!({})),
        Some(settings) if settings.is_object() => Ok(settings),
        Some(_) => Err("it is not a JSON object".to_owned()),
    }
}

/// The text of changed settings, which would lose comments.
fn written(text: &str, before: &Value, after: &Value) -> Result<String, String> {
    if before == after {
        return Ok(text.to_owned());
    }
    if !text.trim().is_empty() && serde_json::from_str::<Value>(text).is_err() {
        return Err("it is not plain JSON, for example because of comments".to_owned());
    }
    Ok(format!("{after:#}\n"))
}

/// The settings without guard's calls in the hooks of any event.
fn without_calls(mut settings: Value, agent: &str) -> Value {
    if let Some(hooks) = settings.get_mut(HOOKS).and_then(Value::as_object_mut) {
        let before = hooks.len();
        hooks.retain(|_, entries| !empties(entries, agent));
        if hooks.is_empty() && before > 0 {
            settings.as_object_mut().and_then(|keys| keys.remove(HOOKS));
        }
    }
    settings
}

/// Removes guard's calls from a list, and whether that empties it. Hooks of others in the same entry stay.
fn empties(entries: &mut Value, agent: &str) -> bool {
    let Some(entries) = entries.as_array_mut() else {
        return false;
    };
    let before = entries.len();
    entries.retain_mut(|entry| match entry.get_mut(HOOKS) {
        Some(inner) if inner.is_array() => !empties(inner, agent),
        _ => command_in(entry, agent).is_none(),
    });
    entries.is_empty() && before > 0
}

fn command_in(value: &Value, agent: &str) -> Option<String> {
    commands_in(value, agent).into_iter().next()
}

/// The command lines that call guard for this agent, each with its list of arguments.
fn commands_in(value: &Value, agent: &str) -> Vec<String> {
    let mut commands = Vec::new();
    match value {
        Value::Array(items) => {
            for item in items {
                commands.extend(commands_in(item, agent));
            }
        }
        Value::Object(object) => {
            let arguments = object.get("args").and_then(Value::as_array);
            let arguments = arguments.into_iter().flatten().filter_map(Value::as_str);
            let arguments: Vec<&str> = arguments.collect();
            for member in object.values() {
                if let Value::String(text) = member {
                    let line = [&[text.as_str()], arguments.as_slice()].concat().join(" ");
                    commands.extend(call(agent, line.as_bytes()).is_some().then_some(line));
                } else {
                    commands.extend(commands_in(member, agent));
                }
            }
        }
        _ => {}
    }
    commands
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn wanted() -> Value {
        let text = r#"{"version": 1, "hooks": {"Before": [
            {"matcher": "Write", "hooks": [{"type": "command", "command": "guard hook x"}]}]}}"#;
        serde_json::from_str(text).unwrap()
    }

    fn added(text: &str) -> String {
        add(text, &wanted(), "x").unwrap()
    }

    #[test]
    fn adding_keeps_what_is_there_and_removing_brings_it_back() {
        for text in [
            "{\"a\": [1, 2], \"b\": {\"c\": null}}",
            "{\"version\": 1, \"hooks\": {\"Before\": [{\"hooks\": [{\"command\": \"other\"}]}]}}",
            "{\"hooks\": {\"After\": []}, \"z\": null}",
            "{\"hooks\": {\"Before\": [{\"command\": \"other\"}]}}",
        ] {
            let new = added(text);
            assert_eq!(added(&new), new);
            let back = remove(&new, &wanted(), "x").unwrap().unwrap();
            let plain = |text: &str| {
                let mut settings = parse(text).unwrap();
                settings.as_object_mut().unwrap().remove("version");
                settings
            };
            assert_eq!(plain(&back), plain(text), "{back}");
            assert_eq!(remove(&back, &wanted(), "x"), Ok(Some(back)));
        }
        for empty in ["", "{}", "{\n}\n"] {
            assert_eq!(remove(&added(empty), &wanted(), "x"), Ok(None));
        }
    }

    /// Before a tool, the installed command denies where guard is missing; a person may let the others do the same.
    #[test]
    fn stricter_commands_of_a_person_stay_and_weaker_ones_are_replaced() {
        let entry = |command: &str| format!("[{{\"hooks\": [{{\"command\": \"{command}\"}}]}}]");
        let settings = |before: &str, stop: &str| {
            let hooks = format!("\"Before\": {}, \"Stop\": {}", entry(before), entry(stop));
            format!("{{\"hooks\": {{{hooks}}}}}")
        };
        let (weak, strict) = ("guard hook x", "guard hook x || exit 2");
        let wanted: Value = serde_json::from_str(&settings(strict, weak)).unwrap();
        for kept in [settings(strict, weak), settings(strict, strict)] {
            assert_eq!(add(&kept, &wanted, "x"), Ok(kept.clone()));
            assert_eq!(remove(&kept, &wanted, "x"), Ok(None));
        }
        let replaced = add(&settings(weak, weak), &wanted, "x").unwrap();
        assert_eq!(parse(&replaced).unwrap(), wanted);
        let twice = settings(strict, weak).replace(
            "\"Stop\"",
            "\"More\": [{\"command\": \"guard hook x\"}], \"Stop\"",
        );
        assert_eq!(parse(&add(&twice, &wanted, "x").unwrap()).unwrap(), wanted);
    }

    #[test]
    fn comments_are_read_and_never_lost() {
        let text = "{\n  // mine\n  \"a\": 1,\n}\n";
        assert!(add(text, &wanted(), "x").unwrap_err().contains("comments"));
        let hooks = "\"hooks\": {\"Before\": [{\"command\": \"guard hook x\"}]}";
        let text = format!("{{\n  // mine\n  {hooks}\n}}\n");
        assert_eq!(command(&text, "x").as_deref(), Some("guard hook x"));
        assert!(remove(&text, &wanted(), "x").is_err());
    }

    #[test]
    fn older_calls_of_guard_are_replaced_and_hooks_beside_them_stay() {
        for (old, kept) in [
            (r#"{"hooks": [{"command": "guard hook x"}]}"#, ""),
            (r#"{"command": "guard", "args": ["hook", "x"]}"#, ""),
            (
                r#"{"hooks": [{"command": "/usr/bin/guard hook x --lld a.md"}]}"#,
                "",
            ),
            (
                r#"{"hooks": [{"command": "guard hook x"}, {"command": "lint"}]}"#,
                "lint",
            ),
            (
                r#"{"hooks": [{"command": "guard hook xy"}]}"#,
                "guard hook xy",
            ),
        ] {
            let new = added(&format!("{{\"hooks\": {{\"Before\": [{old}]}}}}"));
            assert_eq!(new.matches("guard hook x\"").count(), 1, "{new}");
            assert!(
                new.contains(kept) && !new.contains("args") && !new.contains("/usr"),
                "{new}"
            );
        }
    }

    #[test]
    fn settings_of_another_shape_are_refused() {
        for (text, why) in [
            ("{", ""),
            ("[]", "it is not a JSON object"),
            ("{\"hooks\": []}", "another shape"),
            ("{\"hooks\": {\"Before\": {}}}", "another shape"),
        ] {
            let error = add(text, &wanted(), "x").unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
