//! Adds guard's hooks to the settings of an agent, and removes them. What else is in the settings stays.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstRootNode;
use serde_json::{Value, json};

use super::manager::call;
use super::settings_text::{self, AfterRemoval, HOOKS};
use write_guard_policy::own_part::{denies_without_guard, with_entries, with_plain_calls};

/// The settings with the hooks of `wanted` and no other call of guard for this agent; unchanged if they are like that.
///
/// # Errors
/// Why guard leaves the settings alone: they cannot be read, have comments, or have another shape.
pub(super) fn add(text: &str, wanted: &Value, agent: &str) -> Result<String, String> {
    let before = parse(text)?;
    if is_installed(&before, wanted, agent) {
        return Ok(text.to_owned());
    }
    let Some(left) = without_calls(text, agent)? else {
        return Ok(format!("{wanted:#}\n"));
    };
    let settings = parse(&left)?;
    let mut keys = wanted.as_object().into_iter().flatten();
    if let Some((key, value)) = keys.find(|(key, _)| *key != HOOKS && settings.get(key).is_none()) {
        return Err(format!("it has no \"{key}\": {value}"));
    }
    let mut new = left;
    for (event, entries) in wanted[HOOKS].as_object().into_iter().flatten() {
        let added = settings_text::with_entries(&new, event, entries);
        new = added.ok_or_else(|| format!("its \"{HOOKS}\" have another shape"))?;
    }
    if parse(&new)? != with_entries(settings, wanted) {
        return Err("a key occurs twice in it".to_owned());
    }
    Ok(new)
}

/// Whether all commands of an agent deny where guard is missing.
fn all_deny(entries: &Value, agent: &str) -> bool {
    let commands = commands_in(entries, agent);
    commands.iter().all(|command| denies_without_guard(command))
}

/// Whether the settings have the hooks of `wanted`, and no other call of guard for this agent. A command may be stricter
/// than the one in `wanted`.
fn is_installed(settings: &Value, wanted: &Value, agent: &str) -> bool {
    let plain = with_plain_calls(settings.clone());
    let has_all = with_entries(plain.clone(), &with_plain_calls(wanted.clone())) == plain;
    let calls = commands_in(settings, agent);
    let mut events = wanted[HOOKS].as_object().into_iter().flatten();
    let is_as_strict = events.all(|(event, entries)| {
        !all_deny(entries, agent) || all_deny(&settings[HOOKS][event], agent)
    });
    has_all && is_as_strict && calls.len() == commands_in(wanted, agent).len()
}

/// The settings as they were before guard's hooks for this agent were added, unchanged if there are none; `None` if
/// there was no file.
///
/// # Errors
/// As for [`add`].
pub(super) fn remove(text: &str, wanted: &Value, agent: &str) -> Result<Option<String>, String> {
    if commands_in(&parse(text)?, agent).is_empty() {
        return Ok(Some(text.to_owned()));
    }
    let Some(left) = without_calls(text, agent)? else {
        return Ok(None);
    };
    let settings = parse(&left)?;
    let is_shipped = settings.as_object().is_some_and(|keys| {
        let mut others = keys
            .iter()
            .filter(|(key, value)| wanted.get(*key) != Some(*value));
        !keys.is_empty() && others.next().is_none()
    });
    Ok((!is_shipped).then_some(left))
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

/// The text without guard's calls in the hooks of any event; `None` if guard made all of it.
fn without_calls(text: &str, agent: &str) -> Result<Option<String>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    if serde_json::from_str::<Value>(text).is_err() {
        return Err("it is not plain JSON, for example because of comments".to_owned());
    }
    let is_own = |hook: &Value| command_in(hook, agent).is_some();
    let mut left = text.to_owned();
    while let Some(without) = settings_text::without_one(&left, &is_own) {
        match without {
            AfterRemoval::Text(rest) => left = rest,
            AfterRemoval::Nothing => return Ok(None),
        }
    }
    Ok(Some(left))
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
    use crate::setup::calling_file::FILES;
    use write_guard_testing::random::Random;

    fn wanted() -> Value {
        let text = r#"{"hooks": {"Before": [
            {"matcher": "Write", "hooks": [{"type": "command", "command": "guard hook x"}]}]}}"#;
        serde_json::from_str(text).unwrap()
    }

    fn added(text: &str) -> String {
        add(text, &wanted(), "x").unwrap()
    }

    /// Settings of others as a text, in a style of its own for each list and object.
    struct Typist {
        random: Random,
        line_end: &'static str,
        indentation: &'static str,
        /// One of so many lists and objects is on one line.
        one_line_of: usize,
    }

    impl Typist {
        fn new(seed: u64) -> Typist {
            let mut random = Random(seed << 32 | 0x9e37_79b9);
            Typist {
                line_end: random.of(&["\n", "\r\n"]),
                indentation: random.of(&["\t", "  ", "    ", " "]),
                one_line_of: [1, 2, 1000][random.below(3)],
                random,
            }
        }

        fn text(&mut self, value: &Value, depth: usize) -> String {
            let brackets = if value.is_array() {
                ["[", "]"]
            } else {
                ["{", "}"]
            };
            let mut members = Vec::new();
            for member in value.as_array().into_iter().flatten() {
                members.push(self.text(member, depth + 1));
            }
            for (key, member) in value.as_object().into_iter().flatten() {
                let colon = self.random.of(&[": ", ":", " : "]);
                let member = self.text(member, depth + 1);
                members.push(format!("{}{colon}{member}", Value::from(key.as_str())));
            }
            let is_container = value.is_array() || value.is_object();
            if !is_container {
                return value.to_string();
            }
            if members.is_empty() {
                let blank = format!("{}{}", self.line_end, self.indentation.repeat(depth));
                return brackets.join(self.random.of(&["", " ", &blank]));
            }
            let is_on_one_line = self.random.below(self.one_line_of) == 0;
            let pad = self.random.of(&["", " "]);
            let [line, end] = if is_on_one_line {
                [self.random.of(&["", " "]).to_owned(), String::new()]
            } else {
                [depth + 1, depth]
                    .map(|depth| self.line_end.to_owned() + &self.indentation.repeat(depth))
            };
            let first = if is_on_one_line { pad } else { line.as_str() };
            let end = if is_on_one_line { pad } else { end.as_str() };
            let members = members.join(&format!(",{line}"));
            [brackets[0], first, &members, end, brackets[1]].concat()
        }
    }

    /// Settings of others, and perhaps hooks of theirs for the same events.
    fn settings_of_others(random: &mut Random, wanted: &Value) -> Value {
        let mut settings = json!({});
        let values = [
            json!(1.50),
            json!("ä\n{"),
            json!([1, [], {"a": null}]),
            json!({"b": {}, "c": [true]}),
        ];
        for name in ["model", "permissions"].into_iter().take(random.below(3)) {
            settings[name] = values[random.below(4)].clone();
        }
        for (key, value) in wanted
            .as_object()
            .unwrap()
            .iter()
            .filter(|(key, _)| *key != HOOKS)
        {
            settings[key] = value.clone();
        }
        if random.below(4) > 0 {
            settings[HOOKS] = json!({});
            for (event, _) in wanted[HOOKS].as_object().unwrap() {
                let entries = [
                    json!([]),
                    json!([{"matcher": "Bash", "hooks": [{"type": "command", "command": "./lint"}]}]),
                    json!([{"command": "guard lint"}, {"hooks": []}]),
                ];
                if random.below(3) == 0 {
                    settings[HOOKS][event] = entries[random.below(3)].clone();
                }
            }
        }
        if random.below(2) == 0 {
            settings["last"] = values[random.below(4)].clone();
        }
        settings
    }

    #[test]
    fn removing_brings_every_byte_back() {
        for agent in FILES.iter().filter(|file| file.content.starts_with('{')) {
            let wanted: Value = serde_json::from_str(agent.content).unwrap();
            for seed in 1..150 {
                let mut typist = Typist::new(seed);
                let settings = settings_of_others(&mut typist.random, &wanted);
                let end = typist.random.of(&["", typist.line_end]);
                let text = typist.text(&settings, 0) + end;
                let new = add(&text, &wanted, agent.name).unwrap();
                assert_eq!(
                    parse(&new),
                    Ok(with_entries(settings.clone(), &wanted)),
                    "{text}"
                );
                assert_eq!(add(&new, &wanted, agent.name).as_ref(), Ok(&new));
                // A file with nothing but the version that guard ships goes.
                let is_shipped = settings == json!({"version": 1});
                let left = remove(&new, &wanted, agent.name);
                assert_eq!(left, Ok((!is_shipped).then_some(text)));
            }
        }
    }

    #[test]
    fn a_file_that_guard_made_is_removed() {
        for blank in ["", "\n"] {
            assert_eq!(remove(&added(blank), &wanted(), "x"), Ok(None));
        }
        for file in FILES.iter().filter(|file| file.content.starts_with('{')) {
            let wanted = serde_json::from_str(file.content).unwrap();
            assert_eq!(remove(file.content, &wanted, file.name), Ok(None));
        }
        for own in ["{}", "{\n}\n", "{\"hooks\": {}}"] {
            let left = remove(&added(own), &wanted(), "x").unwrap();
            assert_eq!(left.as_deref(), Some(own));
        }
    }

    /// The agent itself may write its settings anew between the two.
    #[test]
    fn rewritten_settings_lose_nothing_but_the_hooks() {
        let mine = json!({"a": [1], "hooks": {"Before": [{"command": "other"}], "Stop": []}});
        let new = parse(&added(&mine.to_string())).unwrap();
        for text in [format!("{new:#}"), new.to_string()] {
            let left = remove(&text, &wanted(), "x").unwrap().unwrap();
            assert_eq!(parse(&left).unwrap(), mine);
        }
        let alone = added("{\"a\": 2}");
        let alone = format!("{:#}", parse(&alone).unwrap());
        let left = remove(&alone, &wanted(), "x").unwrap().unwrap();
        assert_eq!(parse(&left).unwrap(), json!({"a": 2}));
    }

    /// Before a tool, the installed command denies where guard is missing; a person may let the others do the same.
    #[test]
    fn stricter_commands_of_a_person_stay_and_weaker_ones_are_replaced() {
        let entry = |command: &str| format!("[{{\"hooks\": [{{\"command\": \"{command}\"}}]}}]");
        let settings = |before: &str, stop: &str| {
            let hooks = format!("\"Before\": {}, \"Stop\": {}", entry(before), entry(stop));
            format!("{{\"hooks\": {{{hooks}}}}}")
        };
        let weak = "guard hook x";
        let strict = "guard hook x || exit 2";
        let wanted: Value = serde_json::from_str(&settings(strict, weak)).unwrap();
        for kept in [settings(strict, weak), settings(strict, strict)] {
            assert_eq!(add(&kept, &wanted, "x"), Ok(kept.clone()));
            let over_lines = format!("{:#}", parse(&kept).unwrap());
            assert_eq!(remove(&over_lines, &wanted, "x"), Ok(None));
        }
        let replaced = add(&settings(weak, weak), &wanted, "x").unwrap();
        assert_eq!(parse(&replaced).unwrap(), wanted);
        let twice = settings(strict, weak).replace(
            "\"Stop\"",
            "\"More\": [\n{\"command\": \"guard hook x\"}], \"Stop\"",
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
            ("{\"hooks\": {}, \"hooks\": {}}", "a key occurs twice"),
        ] {
            let error = add(text, &wanted(), "x").unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    /// The agent would read none of the hooks in such a file.
    #[test]
    fn a_file_without_the_version_that_the_agent_asks_for_is_refused() {
        let wanted = json!({"version": 1, "hooks": {"Before": []}});
        let error = add("{\"hooks\": {}}", &wanted, "x").unwrap_err();
        assert_eq!(error, "it has no \"version\": 1");
    }
}
