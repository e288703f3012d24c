//! The list of operations that `guard apply` reads.

use gix::bstr::BString;
use serde::Deserialize;
use serde_json::Value;

use super::{Edit, Failure, FailureKind, GateResult, Operation, Strategy};

/// An operation of the list, with the keys of its JSON object.
#[derive(Debug, Deserialize)]
#[serde(tag = "operation", rename_all = "lowercase", deny_unknown_fields)]
enum ListedOperation {
    Write {
        path: String,
        content: String,
        #[serde(default)]
        strategy: ListedStrategy,
        line: Option<usize>,
        expect: Option<String>,
        #[serde(default)]
        allow_empty: bool,
    },
    Patch {
        path: String,
        edits: Vec<ListedEdit>,
        expect: Option<String>,
    },
    Delete {
        path: String,
        expect: Option<String>,
    },
    Move {
        path: String,
        to: String,
        expect: Option<String>,
    },
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ListedStrategy {
    #[default]
    Replace,
    Append,
    Insert,
    Extend,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListedEdit {
    search: String,
    replace: String,
}

/// Parses a JSON list of operations. `request` makes the request for a path of the list.
///
/// # Errors
/// It is not such a list; the message names the operation, from 1.
pub fn parse_batch(
    bytes: &[u8],
    request: &dyn Fn(&str) -> BString,
) -> GateResult<Vec<(BString, Operation)>> {
    let items: Vec<Value> =
        serde_json::from_slice(bytes).map_err(|error| bad(&error.to_string()))?;
    if items.is_empty() {
        return Err(bad("the list is empty"));
    }
    let count = items.len();
    let parsed = items.into_iter().enumerate().map(|(at, item)| {
        let of = |why: &str| bad(&format!("operation {} of {count}: {why}", at + 1));
        let listed = ListedOperation::deserialize(item).map_err(|error| of(&error.to_string()))?;
        operation(listed, request).map_err(of)
    });
    parsed.collect()
}

fn operation(
    listed: ListedOperation,
    request: &dyn Fn(&str) -> BString,
) -> Result<(BString, Operation), &'static str> {
    Ok(match listed {
        ListedOperation::Write {
            path,
            content,
            strategy,
            line,
            expect,
            allow_empty,
        } => {
            let strategy = match (strategy, line) {
                (ListedStrategy::Insert, Some(line)) => Strategy::Insert { line },
                (ListedStrategy::Insert, None) => return Err("the strategy `insert` needs `line`"),
                (_, Some(_)) => return Err("`line` needs the strategy `insert`"),
                (ListedStrategy::Replace, None) => Strategy::Replace,
                (ListedStrategy::Append, None) => Strategy::Append,
                (ListedStrategy::Extend, None) => Strategy::Extend,
            };
            let write = Operation::Write {
                content: content.into_bytes(),
                strategy,
                expect,
                allow_empty,
            };
            (request(&path), write)
        }
        ListedOperation::Patch { edits, .. } if edits.is_empty() => {
            return Err("the list of edits is empty");
        }
        ListedOperation::Patch {
            path,
            edits,
            expect,
        } => {
            let edits = edits.into_iter().map(|edit| Edit {
                search: edit.search.into_bytes(),
                replace: edit.replace.into_bytes(),
            });
            let patch = Operation::Patch {
                edits: edits.collect(),
                expect,
            };
            (request(&path), patch)
        }
        ListedOperation::Delete { path, expect } => (request(&path), Operation::Delete { expect }),
        ListedOperation::Move { path, to, expect } => {
            let to = request(&to);
            (request(&path), Operation::Move { to, expect })
        }
    })
}

fn bad(why: &str) -> Failure {
    Failure::new(
        FailureKind::Usage,
        format!("the operations cannot be read: {why}"),
    )
    .help("write a list such as [{\"operation\": \"write\", \"path\": \"a.py\", \"content\": \"…\"}, {\"operation\": \"delete\", \"path\": \"b.py\"}]")
    .help("for all keys: guard apply --help")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parse(text: &str) -> Result<usize, String> {
        let request = |path: &str| BString::from(path);
        let parsed = parse_batch(text.as_bytes(), &request);
        parsed
            .map(|all| all.len())
            .map_err(|failure| failure.message)
    }

    #[test]
    fn every_operation_is_read() {
        let text = r#"[
            {"operation": "write", "path": "a", "content": "x"},
            {"operation": "write", "path": "b", "content": "x", "strategy": "insert", "line": 1, "expect": "none", "allow_empty": true},
            {"operation": "patch", "path": "c", "edits": [{"search": "a", "replace": "b"}]},
            {"operation": "delete", "path": "d"},
            {"operation": "move", "path": "e", "to": "f"},
            {"operation": "delete", "path": "g", "expect": "00"},
            {"operation": "move", "path": "h", "to": "i", "expect": "00"}
        ]"#;
        assert_eq!(parse(text), Ok(7));
    }

    #[test]
    fn anything_else_is_refused_by_number() {
        for (item, part) in [
            (r#"{"operation": "write", "path": "a"}"#, "content"),
            (r#"{"operation": "burn", "path": "a"}"#, "burn"),
            (
                r#"{"operation": "delete", "path": "a", "force": true}"#,
                "force",
            ),
            (
                r#"{"operation": "patch", "path": "a", "edits": []}"#,
                "empty",
            ),
            (
                r#"{"operation": "patch", "path": "a", "edits": [{"search": "a", "replace": "b", "all": true}]}"#,
                "all",
            ),
            (
                r#"{"operation": "write", "path": "a", "content": "x", "line": 3}"#,
                "insert",
            ),
            (
                r#"{"operation": "write", "path": "a", "content": "x", "strategy": "insert"}"#,
                "line",
            ),
            ("3", "operation 2"),
        ] {
            let text = format!(r#"[{{"operation": "delete", "path": "d"}}, {item}]"#);
            let message = parse(&text).unwrap_err();
            assert!(message.contains("operation 2 of 2"), "{message}");
            assert!(message.contains(part), "{message}");
        }
        for text in ["", "{}", "[]", "x"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
