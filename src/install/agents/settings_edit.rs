//! Adds guard's hooks to the settings of an agent, and removes them. Everything else stays as it is written, comments
//! included.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::{Map, Value};

/// The key below which agents keep their hooks, by event.
const HOOKS: &str = "hooks";

/// JSON with comments and trailing commas, as agents read it.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The settings with the hooks of `wanted` and no other call of guard for this agent; `None` if they are like that.
///
/// # Errors
/// Why guard leaves the settings alone: they cannot be read, or have another shape.
pub(super) fn add(
    text: &str,
    wanted: &Map<String, Value>,
    agent: &str,
) -> Result<Option<String>, String> {
    let (root, settings) = parse(text)?;
    for (key, value) in wanted.iter().filter(|(key, _)| *key != HOOKS) {
        if settings.get(key).is_none() {
            settings.append(key, input(value));
        }
    }
    let hooks = object(&settings, HOOKS)?;
    for (event, entries) in events(wanted) {
        let entries = entries.as_array().map(Vec::as_slice).unwrap_or_default();
        let array = array(&hooks, event)?;
        let present: Vec<Value> = array.elements().iter().filter_map(value).collect();
        if entries.iter().all(|entry| present.contains(entry))
            && present.iter().filter(|entry| calls(entry, agent)).count() == entries.len()
        {
            continue;
        }
        remove_calls(&array, agent);
        for entry in entries {
            array.append(input(entry));
        }
    }
    let new = root.to_string();
    Ok((new != text).then_some(new))
}

/// The settings without guard's hooks for this agent, and whether nothing but `wanted` was in them; `None` if there are
/// no such hooks.
///
/// # Errors
/// As for [`add`].
pub(super) fn remove(
    text: &str,
    wanted: &Map<String, Value>,
    agent: &str,
) -> Result<Option<(String, bool)>, String> {
    let (root, settings) = parse(text)?;
    let Some(hooks) = settings.object_value(HOOKS) else {
        return Ok(None);
    };
    let mut is_changed = false;
    for property in hooks.properties() {
        let Some(array) = property.array_value() else {
            continue;
        };
        let is_ours = remove_calls(&array, agent);
        is_changed |= is_ours;
        if is_ours && array.elements().is_empty() {
            property.remove();
        }
    }
    if !is_changed {
        return Ok(None);
    }
    if hooks.properties().is_empty()
        && let Some(property) = settings.get(HOOKS)
    {
        property.remove();
    }
    let left = root.to_serde_value();
    let left = left.as_ref().and_then(Value::as_object);
    let is_ours = |(key, value): (&String, &Value)| wanted.get(key) == Some(value);
    let is_empty = left.is_some_and(|left| left.iter().all(is_ours));
    let new = root.to_string();
    let has_comments = new.contains("//") || new.contains("/*");
    Ok(Some((new, is_empty && !has_comments)))
}

fn parse(text: &str) -> Result<(CstRootNode, CstObject), String> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    let root = CstRootNode::parse(text, &OPTIONS).map_err(|error| error.to_string())?;
    let settings = root.object_value().ok_or("it is not a JSON object")?;
    refuse_doubles(&settings)?;
    Ok((root, settings))
}

/// Of two properties with one name, an agent may read the other one.
fn refuse_doubles(object: &CstObject) -> Result<(), String> {
    let mut names: Vec<String> = object
        .properties()
        .iter()
        .filter_map(|property| property.decoded_name())
        .collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!(
            "it has the key \"{}\" twice",
            pair[0].escape_debug()
        )),
        None => Ok(()),
    }
}

fn object(parent: &CstObject, name: &str) -> Result<CstObject, String> {
    let found = parent.object_value_or_create(name);
    let object = found.ok_or_else(|| format!("\"{name}\" is not an object"))?;
    refuse_doubles(&object)?;
    Ok(object)
}

fn array(parent: &CstObject, name: &str) -> Result<CstArray, String> {
    let found = parent.array_value_or_create(name);
    found.ok_or_else(|| format!("\"{name}\" is not a list"))
}

fn events(wanted: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let hooks = wanted.get(HOOKS).and_then(Value::as_object);
    hooks.into_iter().flatten()
}

/// Removes guard's calls from the hooks of one event. Hooks of others in the same entry stay.
fn remove_calls(array: &CstArray, agent: &str) -> bool {
    let mut is_changed = false;
    for element in array.elements() {
        if !value(&element).is_some_and(|entry| calls(&entry, agent)) {
            continue;
        }
        is_changed = true;
        let inner = element
            .as_object()
            .and_then(|entry| entry.array_value(HOOKS));
        let others = |inner: &CstArray| {
            let entries: Vec<Value> = inner.elements().iter().filter_map(value).collect();
            entries.iter().any(|entry| !calls(entry, agent))
        };
        match inner.filter(others) {
            Some(inner) => {
                remove_calls(&inner, agent);
            }
            None => element.remove(),
        }
    }
    is_changed
}

/// Whether a value calls guard for this agent.
fn calls(value: &Value, agent: &str) -> bool {
    command_in(value, agent).is_some()
}

/// The first command line in the settings that calls guard for this agent, with its list of arguments.
pub(super) fn command(text: &str, agent: &str) -> Option<String> {
    command_in(&parse(text).ok()?.0.to_serde_value()?, agent)
}

fn command_in(value: &Value, agent: &str) -> Option<String> {
    match value {
        Value::Array(items) => items.iter().find_map(|item| command_in(item, agent)),
        Value::Object(object) => object.values().find_map(|value| match value {
            Value::String(text) => {
                let arguments = object.get("args").and_then(Value::as_array);
                let arguments = arguments.into_iter().flatten().filter_map(Value::as_str);
                let line: Vec<&str> = std::iter::once(text.as_str()).chain(arguments).collect();
                let line = line.join(" ");
                is_call(&line, agent).then_some(line)
            }
            other => command_in(other, agent),
        }),
        _ => None,
    }
}

/// Whether a command line calls guard for this agent.
fn is_call(line: &str, agent: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.windows(3).any(|words| {
        let program = words[0].rsplit(['/', '\\']).next().unwrap_or_default();
        let is_guard = program == "guard" || program == "guard.exe";
        is_guard && words[1] == "hook" && words[2] == agent
    })
}

fn value(node: &CstNode) -> Option<Value> {
    node.to_serde_value()
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
        add(text, &wanted(), "x").unwrap().unwrap()
    }

    #[test]
    fn adding_keeps_what_is_there_and_removing_brings_it_back() {
        for text in [
            "{}",
            "{\n}\n",
            "{\n  // mine\n  \"a\": [1, 2],\n}\n",
            "{\"a\":1}",
            "{\r\n\t\"a\": 1\r\n}\r\n",
            "{\n  \"version\": 1,\n  \"hooks\": {\n    \"Before\": [\n      { \"hooks\": [{ \"command\": \"other\" }] } // theirs\n    ]\n  }\n}\n",
            "{\n  \"hooks\": {\n    \"After\": [] /* none */\n  },\n  \"z\": null\n}\n",
        ] {
            let new = added(text);
            assert_eq!(add(&new, &wanted(), "x"), Ok(None), "{new}");
            for part in ["// mine", "// theirs", "/* none */", "\"other\"", "\"a\""] {
                assert_eq!(new.contains(part), text.contains(part), "{new}");
            }
            let (back, _) = remove(&new, &wanted(), "x").unwrap().unwrap();
            let plain = |text: &str| {
                let mut value = parse(text).unwrap().0.to_serde_value().unwrap();
                value.as_object_mut().unwrap().remove("version");
                value
            };
            assert_eq!(plain(&back), plain(text), "{back}");
            assert_eq!(remove(&back, &wanted(), "x"), Ok(None));
        }
    }

    #[test]
    fn only_settings_that_hold_nothing_else_are_empty_afterwards() {
        let is_empty = |text: &str| remove(&added(text), &wanted(), "x").unwrap().unwrap().1;
        assert!(is_empty("{}"));
        assert!(is_empty(""));
        assert!(!is_empty("{\"a\": 1}"));
        assert!(!is_empty("{\n  // mine\n}"));
        assert!(!is_empty("{\"hooks\": {\"After\": []}}"));
    }

    #[test]
    fn older_calls_of_guard_are_replaced_and_hooks_beside_them_stay() {
        for old in [
            r#"{"hooks": {"Before": [{"matcher": "Old", "hooks": [{"command": "guard hook x"}]}]}}"#,
            r#"{"hooks": {"Before": [{"matcher": "Old", "hooks": [{"command": "guard", "args": ["hook", "x"]}]}]}}"#,
            r#"{"hooks": {"Before": [{"hooks": [{"command": "/usr/bin/guard hook x --lld a.md"}]}]}}"#,
        ] {
            let new = added(old);
            assert_eq!(new.matches("guard").count(), 1, "{new}");
            assert!(!new.contains("Old"), "{new}");
        }
        let new = added(
            r#"{"hooks": {"Before": [{"hooks": [{"command": "guard hook x"}, {"command": "lint"}]}]}}"#,
        );
        assert!(new.contains("lint"), "{new}");
        assert_eq!(new.matches("guard hook x").count(), 1, "{new}");
        let new = added(r#"{"hooks": {"Before": [{"hooks": [{"command": "guard hook xy"}]}]}}"#);
        assert!(new.contains("guard hook xy"), "{new}");
    }

    #[test]
    fn settings_of_another_shape_are_refused() {
        for (text, why) in [
            ("{", ""),
            ("[]", "it is not a JSON object"),
            ("{\"a\": 1, \"a\": 2}", "it has the key \"a\" twice"),
            ("{\"hooks\": []}", "\"hooks\" is not an object"),
            ("{\"hooks\": {\"Before\": {}}}", "\"Before\" is not a list"),
            ("{'a': 1}", ""),
        ] {
            let error = add(text, &wanted(), "x").unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
