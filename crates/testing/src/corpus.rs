//! The labelled hostile and harmless paths.

use serde_json::Value;

/// The entries of fixtures/paths/hostile.json.
pub fn entries() -> Vec<Value> {
    serde_json::from_str(include_str!("../../../fixtures/paths/hostile.json")).unwrap()
}

/// A string of an entry.
pub fn text<'a>(entry: &'a Value, key: &str) -> &'a str {
    entry[key].as_str().unwrap()
}

/// The input: a string, or `{"bytes_hex": "61ff"}`.
pub fn input(entry: &Value) -> Vec<u8> {
    let input = &entry["input"];
    if let Some(text) = input.as_str() {
        return text.as_bytes().to_vec();
    }
    let hex = text(input, "bytes_hex");
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect()
}

/// The existing files, one per line.
pub fn given(entry: &Value) -> impl Iterator<Item = &str> {
    let lines = entry["given"].as_array().into_iter().flatten();
    lines.filter_map(Value::as_str)
}

/// `"a"`, `["a", "b"]` or `{"kind": …, "path": …}` of a cell as pairs of kind and path.
pub fn parsed_as(entry: &Value) -> Vec<(String, String)> {
    let one = |value: &Value| match value {
        Value::String(path) => ("file".to_owned(), path.clone()),
        other => ["kind", "path"]
            .map(|key| text(other, key).to_owned())
            .into(),
    };
    match &entry["parsed_as"] {
        Value::Array(all) => all.iter().map(one).collect(),
        other => vec![one(other)],
    }
}

/// A design whose only row has this cell: a Rename row if the cell has an arrow between two paths, else Modify.
pub fn design_with(cell: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(cell);
    let kind = if text.contains(" -> ") || text.contains('→') {
        "Rename"
    } else {
        "Modify"
    };
    let mut out = b"# LLD-188\n\n## 2.1 Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n| ".to_vec();
    out.extend_from_slice(cell);
    out.extend_from_slice(format!(" | {kind} | why |\n").as_bytes());
    out
}
