//! `files_modified:` and `allowed_paths:` at the top level of the YAML front matter: a block list, or one line.

use std::ops::Range;

use super::{DesignBuilder, DesignText, GrantForm, Row, RowAction, WrittenPath};
use super::{any, problem};

/// The range of the front matter's lines without its fences, and where the document continues.
pub(super) fn find(source: &DesignText<'_>) -> Option<(Range<usize>, usize)> {
    let text = source.slice(source.lines.range(1).start..source.text.len());
    let (fence, body) = text.split_once('\n')?;
    if fence.trim_end() != "---" || body.lines().next()?.trim().is_empty() {
        return None;
    }
    let mut lines = body.lines();
    let end = lines.find(|line| matches!(line.trim_end(), "---" | "..."))?;
    let end = source.span_of(end);
    Some((source.span_of(body).start..end.start, end.end))
}

/// Grants the listed paths.
pub(super) fn read(body: &Range<usize>, draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    let values = values(source.slice(body.clone()));
    if values.is_empty() {
        return;
    }
    draft.form = GrantForm::FrontMatter;
    for value in values {
        let path = plain(value)
            .map(|(inner, text)| WrittenPath::new(&text, source.span_of(inner)))
            .ok_or_else(|| problem::front_matter(value).at(source.span_of(value)));
        draft.item(path.map(|path| Row::of(vec![path], RowAction::Grant(any()), "")));
    }
}

/// The values of both keys, without comments.
fn values(body: &str) -> Vec<&str> {
    let (mut found, mut is_listed) = (Vec::new(), false);
    for line in body.lines() {
        let line = line.split(" #").next().unwrap_or(line).trim_end();
        let mut keys = ["files_modified:", "allowed_paths:"].iter();
        if let Some(value) = keys.find_map(|key| line.strip_prefix(key)) {
            let value = value.trim();
            let list = value.strip_prefix('[');
            is_listed = value.is_empty();
            match list.and_then(|list| list.strip_suffix(']')) {
                Some(list) => found.extend(list.split(',').map(str::trim)),
                None => found.push(value),
            }
        } else if is_listed && let Some(value) = line.trim_start().strip_prefix("- ") {
            found.push(value.trim());
        } else {
            is_listed &= line.is_empty() || line.trim_start().starts_with('#');
        }
    }
    found.retain(|value| !value.is_empty() && !value.starts_with('#'));
    found
}

/// The text and path of a value without its quotes; `None` if YAML could read something else.
fn plain(value: &str) -> Option<(&str, String)> {
    let inner = |mark| value.strip_prefix(mark)?.strip_suffix(mark);
    let (text, path) = match (inner('\''), inner('"')) {
        (Some(text), _) => (text, text.replace("''", "\0")),
        (_, Some(text)) => (text, text.to_owned()),
        _ if value.starts_with(['[', '{', '|', '>', '&', '!', '"']) => return None,
        _ => (value, value.to_owned()),
    };
    let is_plain = !path.contains(|c: char| c.is_whitespace() || matches!(c, '\'' | '\\'))
        && path.matches('{').count() == path.matches('}').count();
    is_plain.then(|| (text, path.replace('\0', "'")))
}

#[cfg(test)]
mod tests {
    use gix::bstr::BStr;

    use super::*;
    use crate::scope::settings::Settings;

    fn found(text: &str) -> Vec<String> {
        let options = Settings::default();
        let source = DesignText::new(BStr::new("d.md"), text, &options);
        let Some((body, _)) = find(&source) else {
            return vec!["no front matter".to_owned()];
        };
        let values = values(&text[body]).into_iter();
        let path = |value| plain(value).map_or("?".to_owned(), |(_, path)| path);
        values.map(path).collect()
    }

    #[test]
    fn block_list() {
        let text = "---\nid: 1\nfiles_modified:\n  - src/a.rs # why\n  - \"b.rs\"\n\n  # why\n- 'd#e''f.rs'\n- b c.rs\nother:\n  - no\n---\n";
        assert_eq!(found(text), ["src/a.rs", "b.rs", "d#e'f.rs", "?"]);
    }

    #[test]
    fn one_line() {
        assert_eq!(
            found("---\nallowed_paths: [a.rs, 'b.rs', \"c.rs\"] # x\nz: [no]\n---\n"),
            ["a.rs", "b.rs", "c.rs"]
        );
        assert_eq!(
            found("---\nfiles_modified: []\n---\n"),
            Vec::<String>::new()
        );
        assert_eq!(found("---\nfiles_modified: a.rs\n---\n"), ["a.rs"]);
        for (list, read) in [
            ("[a.rs,\n  b.rs]", ["?"].as_slice()),
            ("['b,c.rs']", &["?", "?"]),
            ("[src/{d,e}.rs]", &["?", "?"]),
        ] {
            let text = format!("---\nfiles_modified: {list}\n---\n");
            assert_eq!(found(&text), read, "{list}");
        }
    }

    #[test]
    fn only_at_the_start_and_closed() {
        for text in [
            "\n---\nfiles_modified: [a]\n---\n",
            "---\nfiles_modified: [a]\n",
            "---\n\nfiles_modified: [a]\n---\n",
        ] {
            assert_eq!(found(text), ["no front matter"]);
        }
        assert_eq!(
            found("---\nx:\n  files_modified: [a]\n  - b\n---\n"),
            Vec::<String>::new()
        );
    }
}
