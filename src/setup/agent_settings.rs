//! Adds guard's hooks to the settings of an agent, and removes them. Everything else stays as it is written, comments
//! included.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstObject, CstRootNode};
use serde_json::{Map, Value};

use super::manager::call;

/// The key below which agents keep their hooks, by event.
const HOOKS: &str = "hooks";

/// The settings with the hooks of `wanted` and no other call of guard for this agent; unchanged if they are like that.
///
/// # Errors
/// Why guard leaves the settings alone: they cannot be read, or have another shape.
pub(super) fn add(text: &str, wanted: &Map<String, Value>, agent: &str) -> Result<String, String> {
    let (root, settings) = parse(text)?;
    if has(&root, wanted, agent) {
        return Ok(text.to_owned());
    }
    for (key, value) in wanted.iter().filter(|(key, _)| *key != HOOKS) {
        if settings.get(key).is_none() {
            settings.append(key, input(value));
        }
    }
    let hooks = settings.object_value_or_create(HOOKS);
    let hooks = hooks.ok_or_else(|| format!("\"{HOOKS}\" is not an object"))?;
    for (event, entries) in events(wanted) {
        let array = hooks.array_value_or_create(event);
        let array = array.ok_or_else(|| format!("\"{event}\" is not a list"))?;
        remove_calls(&array, agent);
        for entry in entries.as_array().into_iter().flatten() {
            array.append(input(entry));
        }
    }
    // Of two keys with one name, an agent may read the other one.
    let new = root.to_string();
    let is_read = has(&parse(&new)?.0, wanted, agent);
    is_read
        .then_some(new)
        .ok_or_else(|| "it has a key twice".to_owned())
}

/// The settings without guard's hooks for this agent, unchanged if there are none; `None` if nothing but `wanted` was
/// in them.
///
/// # Errors
/// As for [`add`].
pub(super) fn remove(
    text: &str,
    wanted: &Map<String, Value>,
    agent: &str,
) -> Result<Option<String>, String> {
    let (root, settings) = parse(text)?;
    let hooks = settings.object_value(HOOKS);
    for property in hooks.iter().flat_map(CstObject::properties) {
        if let Some(array) = property.array_value()
            && remove_calls(&array, agent)
            && array.elements().is_empty()
        {
            property.remove();
        }
    }
    let new = root.to_string();
    if new == text {
        return Ok(Some(new));
    }
    if hooks.is_some_and(|hooks| hooks.properties().is_empty())
        && let Some(property) = settings.get(HOOKS)
    {
        property.remove();
    }
    let left = root.to_serde_value();
    let mut left = left.iter().filter_map(Value::as_object).flatten();
    let is_empty = left.all(|(key, value)| wanted.get(key) == Some(value));
    let new = root.to_string();
    let has_comments = new.contains("//") || new.contains("/*");
    Ok((!is_empty || has_comments).then_some(new))
}

/// The first command line in the settings that calls guard for this agent, with its list of arguments.
pub(super) fn command(text: &str, agent: &str) -> Option<String> {
    command_in(&parse(text).ok()?.0.to_serde_value()?, agent)
}

fn parse(text: &str) -> Result<(CstRootNode, CstObject), String> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    let root =
        CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| error.to_string())?;
    let settings = root.object_value().ok_or("it is not a JSON object")?;
    Ok((root, settings))
}

/// Whether the settings, as a program reads them, have exactly the wanted calls of guard.
fn has(root: &CstRootNode, wanted: &Map<String, Value>, agent: &str) -> bool {
    let settings = root.to_serde_value().unwrap_or_default();
    let calls = |list: &Value| -> Vec<Value> {
        let entries = list.as_array().into_iter().flatten();
        entries
            .filter(|entry| command_in(entry, agent).is_some())
            .cloned()
            .collect()
    };
    wanted.keys().all(|key| settings.get(key).is_some())
        && events(wanted).all(|(event, list)| calls(&settings[HOOKS][event]) == calls(list))
}

fn events(wanted: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let hooks = wanted.get(HOOKS).and_then(Value::as_object);
    hooks.into_iter().flatten()
}

/// Removes guard's calls from the hooks of one event. Hooks of others in the same entry stay.
fn remove_calls(array: &CstArray, agent: &str) -> bool {
    let mut is_changed = false;
    for element in array.elements() {
        let entry = element.as_object();
        let is_call = match entry.and_then(|entry| entry.array_value(HOOKS)) {
            Some(inner) => {
                remove_calls(&inner, agent) && {
                    is_changed = true;
                    inner.elements().is_empty()
                }
            }
            None => {
                let value = element.to_serde_value().unwrap_or_default();
                command_in(&value, agent).is_some()
            }
        };
        if is_call {
            element.remove();
            is_changed = true;
        }
    }
    is_changed
}

fn command_in(value: &Value, agent: &str) -> Option<String> {
    match value {
        Value::Array(items) => items.iter().find_map(|item| command_in(item, agent)),
        Value::Object(object) => object.values().find_map(|value| match value {
            Value::String(text) => {
                let arguments = object.get("args").and_then(Value::as_array);
                let arguments = arguments.into_iter().flatten().filter_map(Value::as_str);
                let line: Vec<&str> = [text.as_str()].into_iter().chain(arguments).collect();
                let line = line.join(" ");
                call(agent, line.as_bytes()).is_some().then_some(line)
            }
            other => command_in(other, agent),
        }),
        _ => None,
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(object) => {
            let pairs = object
                .iter()
                .map(|(key, value)| (key.clone(), input(value)));
            CstInputValue::Object(pairs.collect())
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn wanted() -> Map<String, Value> {
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
            "{\n  // mine\n  \"a\": [1, 2],\n}\n",
            "{\"a\":1}",
            "{\r\n\t\"a\": 1\r\n}\r\n",
            "{\n  \"version\": 1,\n  \"hooks\": {\n    \"Before\": [\n      { \"hooks\": [{ \"command\": \"other\" }] } // theirs\n    ]\n  }\n}\n",
            "{\n  \"hooks\": {\n    \"After\": [] /* none */\n  },\n  \"z\": null\n}\n",
        ] {
            let new = added(text);
            assert_eq!(added(&new), new);
            for part in ["// mine", "// theirs", "/* none */", "\"other\"", "\"a\""] {
                assert_eq!(new.contains(part), text.contains(part), "{new}");
            }
            let back = remove(&new, &wanted(), "x").unwrap().unwrap();
            let plain = |text: &str| {
                let mut value = parse(text).unwrap().0.to_serde_value().unwrap();
                value.as_object_mut().unwrap().remove("version");
                value
            };
            assert_eq!(plain(&back), plain(text), "{back}");
            assert_eq!(remove(&back, &wanted(), "x"), Ok(Some(back)));
        }
        for empty in ["", "{}", "{\n}\n"] {
            assert_eq!(remove(&added(empty), &wanted(), "x"), Ok(None));
        }
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
            (
                "{\"hooks\": {}, \"hooks\": {\"Before\": []}}",
                "it has a key twice",
            ),
            ("{\"hooks\": []}", "\"hooks\" is not an object"),
            ("{\"hooks\": {\"Before\": {}}}", "\"Before\" is not a list"),
        ] {
            let error = add(text, &wanted(), "x").unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
