//! Adds guard's hooks to a text of JSON and takes them out again; every other byte stays.
//!
//! What guard makes begins on a line of its own. An empty list or object that was there is filled directly behind its
//! bracket. So the text itself says what goes with guard's hooks, and removing them gives the bytes of before.

use jsonc_parser::ast::{Array, Object, Value as Node};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::parse_to_ast;
use serde::Serialize;
use serde_json::ser::PrettyFormatter;
use serde_json::{Serializer, Value};

/// The key below which agents keep their hooks, by event.
pub(super) const HOOKS: &str = "hooks";

/// What a text is without a hook.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AfterRemoval {
    Text(String),
    /// Nothing, because guard made the whole of it.
    Nothing,
}

/// A list or an object in a text.
struct Container {
    /// Where it begins, behind its bracket.
    inside: usize,
    members: Vec<Range>,
}

impl Container {
    fn of_object(object: &Object<'_>) -> Container {
        Container {
            inside: object.range.start + 1,
            members: object.properties.iter().map(Ranged::range).collect(),
        }
    }

    fn of_list(list: &Array<'_>) -> Container {
        Container {
            inside: list.range.start + 1,
            members: list.elements.iter().map(Ranged::range).collect(),
        }
    }

    /// Whether it goes with its only member, because guard made it for that.
    fn is_made_for_one(&self, text: &str) -> bool {
        self.members.len() == 1 && text[self.inside..self.members[0].start].contains('\n')
    }

    /// The text without a member, and without the comma that belongs to it.
    fn without(&self, at: usize, text: &str) -> String {
        let member = self.members[at];
        let cut = if at > 0 {
            self.members[at - 1].end..member.end
        } else if let Some(next) = self.members.get(1) {
            member.start..next.start
        } else {
            self.inside..member.end
        };
        [&text[..cut.start], &text[cut.end..]].concat()
    }
}

/// How the text of a file looks.
struct JsonLayout<'a> {
    line_end: &'a str,
    indentation: &'a str,
}

impl<'a> JsonLayout<'a> {
    fn of(text: &'a str, root: &Container) -> JsonLayout<'a> {
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let before_first = root
            .members
            .first()
            .map_or("", |first| &text[root.inside..first.start]);
        let indentation = match before_first.rsplit_once('\n') {
            Some((_, indentation)) if !indentation.is_empty() => indentation,
            _ => "  ",
        };
        JsonLayout {
            line_end,
            indentation,
        }
    }

    /// The beginning of a line this deep.
    fn line(&self, depth: usize) -> String {
        self.line_end.to_owned() + &self.indentation.repeat(depth)
    }

    /// A value over several lines, of which the first is this deep.
    fn written(&self, value: &Value, depth: usize) -> Option<String> {
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(self.indentation.as_bytes());
        let mut serializer = Serializer::with_formatter(&mut bytes, formatter);
        value.serialize(&mut serializer).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        Some(text.replace('\n', &self.line(depth)))
    }
}

/// The text with the entries of an event behind those that are there; `None` if the hooks have another shape.
pub(super) fn with_entries(text: &str, event: &str, entries: &Value) -> Option<String> {
    let root = parse(text)?;
    let root = root.as_object()?;
    let layout = JsonLayout::of(text, &Container::of_object(root));
    let named = |name: &str, value: &Value, depth| {
        Some(format!(
            "{}: {}",
            Value::from(name),
            layout.written(value, depth)?
        ))
    };
    let Some(hooks) = root.get(HOOKS) else {
        let hooks = Value::Object([(event.to_owned(), entries.clone())].into_iter().collect());
        let member = named(HOOKS, &hooks, 1)?;
        return Some(with_member(
            text,
            &Container::of_object(root),
            &layout.line(1),
            &member,
        ));
    };
    let hooks = hooks.value.as_object()?;
    let Some(list) = hooks.get(event) else {
        let member = named(event, entries, 2)?;
        return Some(with_member(
            text,
            &Container::of_object(hooks),
            &layout.line(2),
            &member,
        ));
    };
    let list = Container::of_list(list.value.as_array()?);
    let entries = entries.as_array()?.iter();
    let entries: Option<Vec<String>> = entries.map(|entry| layout.written(entry, 3)).collect();
    let entries = entries?;
    if entries.is_empty() {
        return Some(text.to_owned());
    }
    let line = layout.line(3);
    let member = entries.join(&format!(",{line}"));
    Some(with_member(text, &list, &line, &member))
}

fn with_member(text: &str, container: &Container, line: &str, member: &str) -> String {
    let place = container.members.last();
    let at = place.map_or(container.inside, |last| last.end);
    let comma = place.map_or(String::new(), |_| format!(",{line}"));
    format!("{}{comma}{member}{}", &text[..at], &text[at..])
}

/// The text without the first hook of this kind, and without what guard made for it; `None` if there is none.
pub(super) fn without_one(text: &str, is_own: &dyn Fn(&Value) -> bool) -> Option<AfterRemoval> {
    let root = parse(text)?;
    let mut way = way_to_one(root.as_object()?, is_own)?;
    while let Some((container, at)) = way.pop() {
        if !container.is_made_for_one(text) {
            return Some(AfterRemoval::Text(container.without(at, text)));
        }
    }
    Some(AfterRemoval::Nothing)
}

/// From the root to the hook: each list or object, and which of its members.
fn way_to_one(
    root: &Object<'_>,
    is_own: &dyn Fn(&Value) -> bool,
) -> Option<Vec<(Container, usize)>> {
    let at = root
        .properties
        .iter()
        .position(|key| key.name.as_str() == HOOKS)?;
    let hooks = root.properties[at].value.as_object()?;
    for (event, entries) in hooks.properties.iter().enumerate() {
        let list = entries.value.as_array();
        if let Some(way) = list.and_then(|list| way_in_list(list, is_own)) {
            let above = [
                (Container::of_object(root), at),
                (Container::of_object(hooks), event),
            ];
            return Some(above.into_iter().chain(way).collect());
        }
    }
    None
}

fn way_in_list(
    list: &Array<'_>,
    is_own: &dyn Fn(&Value) -> bool,
) -> Option<Vec<(Container, usize)>> {
    for (at, entry) in list.elements.iter().enumerate() {
        let step = (Container::of_list(list), at);
        let inner = entry.as_object().and_then(|entry| entry.get_array(HOOKS));
        let Some(inner) = inner else {
            if is_own(&entry.clone().into()) {
                return Some(vec![step]);
            }
            continue;
        };
        if let Some(below) = way_in_list(inner, is_own) {
            // An entry is nothing without its hooks.
            let is_all = inner.elements.len() == 1;
            let below = below.into_iter().filter(|_| !is_all);
            return Some([step].into_iter().chain(below).collect());
        }
    }
    None
}

fn parse(text: &str) -> Option<Node<'_>> {
    parse_to_ast(text, &Default::default(), &Default::default())
        .ok()?
        .value
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn entries_are_indented_as_the_text_is() {
        let entry = json!([{"command": "guard hook x"}]);
        for (text, expected) in [
            (
                "{\n    \"a\": 1\n}\n",
                "{\n    \"a\": 1,\n    \"hooks\": {\n        \"Stop\": [\n            {\n                \"command\": \"guard hook x\"\n            }\n        ]\n    }\n}\n",
            ),
            (
                "{\r\n\t\"hooks\": {}\r\n}\r\n",
                "{\r\n\t\"hooks\": {\"Stop\": [\r\n\t\t\t{\r\n\t\t\t\t\"command\": \"guard hook x\"\r\n\t\t\t}\r\n\t\t]}\r\n}\r\n",
            ),
            (
                "{\n\"a\": 1}",
                "{\n\"a\": 1,\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"command\": \"guard hook x\"\n      }\n    ]\n  }}",
            ),
        ] {
            assert_eq!(
                with_entries(text, "Stop", &entry).as_deref(),
                Some(expected)
            );
        }
    }

    #[test]
    fn all_entries_of_an_event_follow_those_of_others() {
        let entries = json!(["a", "b", "c"]);
        for (others, expected) in [
            ("[]", "[\"a\",\n      \"b\",\n      \"c\"]"),
            ("[1]", "[1,\n      \"a\",\n      \"b\",\n      \"c\"]"),
            (
                "[1, 2 ]",
                "[1, 2,\n      \"a\",\n      \"b\",\n      \"c\" ]",
            ),
        ] {
            let text = |list: &str| format!("{{\"hooks\": {{\"Stop\": {list}, \"More\": []}}}}");
            let added = with_entries(&text(others), "Stop", &entries);
            assert_eq!(added, Some(text(expected)));
            let same = with_entries(&text(others), "Stop", &json!([]));
            assert_eq!(same, Some(text(others)));
        }
    }
}
