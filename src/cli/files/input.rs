//! What the file verbs read: files, standard input, lists of edits, ranges of lines.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use gix::bstr::ByteSlice;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::gate::{self, Edit, Failure, FailureKind};
use crate::git::show_file;

pub(super) fn edit(search: &[u8], replace: &[u8]) -> Edit {
    Edit {
        search: search.to_vec(),
        replace: replace.to_vec(),
    }
}

pub(super) fn parse_edits(bytes: &[u8]) -> Result<Vec<Edit>> {
    let bad = |why: String| {
        Error::new(format!("the edits cannot be read: {why}"))
            .help("[{\"search\": \"…\", \"replace\": \"…\"}]")
    };
    let value: Value = serde_json::from_slice(bytes).map_err(|error| bad(error.to_string()))?;
    let items = value
        .as_array()
        .ok_or_else(|| bad("they are no list".into()))?;
    if items.is_empty() {
        return Err(bad("the list is empty".into()));
    }
    items
        .iter()
        .map(|item| {
            let text = |key: &str| item.get(key).and_then(Value::as_str);
            match (text("search"), text("replace")) {
                (Some(search), Some(replace)) => Ok(edit(search.as_bytes(), replace.as_bytes())),
                _ => Err(bad("an entry lacks `search` or `replace`".into())),
            }
        })
        .collect()
}

/// Lines `A:B` of a text, both included; either may be left out.
pub(super) fn lines<'c>(content: &'c [u8], range: &str) -> gate::Result<&'c [u8]> {
    let bad = || {
        Failure::new(
            FailureKind::CannotJudge,
            format!("`{}` is no range of lines", range.escape_default()),
        )
        .help("write --lines 10:20")
    };
    let (from, to) = range.split_once(':').ok_or_else(bad)?;
    let number = |text: &str, default| {
        if text.is_empty() {
            Ok(default)
        } else {
            text.parse::<usize>().map_err(|_| bad())
        }
    };
    let (from, to) = (number(from, 1)?, number(to, usize::MAX)?);
    if from == 0 || from > to {
        return Err(bad());
    }
    let ends: Vec<usize> = content
        .lines_with_terminator()
        .scan(0, |at, line| {
            *at += line.len();
            Some(*at)
        })
        .collect();
    let start = if from == 1 {
        0
    } else {
        ends.get(from - 2).copied().unwrap_or(content.len())
    };
    let end = ends
        .get(to.saturating_sub(1))
        .copied()
        .unwrap_or(content.len());
    Ok(&content[start..end.max(start)])
}

pub(super) fn read_file(file: &Path) -> Result<Vec<u8>> {
    fs::read(file)
        .map_err(|error| Error::new(format!("{} cannot be read: {error}", show_file(file))))
}

pub(super) fn read_stdin() -> Result<Vec<u8>> {
    let mut content = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut content)
        .map_err(|error| Error::new(format!("standard input cannot be read: {error}")))?;
    Ok(content)
}
