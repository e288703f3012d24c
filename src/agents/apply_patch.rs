//! The patch format `*** Begin Patch` of several agents.

use gix::bstr::BString;

use super::call::FileAction;
use super::rebuild::PatchChunk;
use crate::error::{Error, Result};
use crate::path::text_on_one_line;

/// The actions of a patch, in its order.
///
/// # Errors
/// It is not such a patch.
pub(super) fn parse(patch: &str) -> Result<Vec<FileAction>> {
    let bad = |why: String| {
        Error::new(format!("the patch cannot be read: {why}"))
            .help("send one patch from `*** Begin Patch` to `*** End Patch`")
    };
    let lines: Vec<&str> = patch.trim().lines().collect();
    let [first, body @ .., last] = lines.as_slice() else {
        return Err(bad("it is empty".to_owned()));
    };
    if first.trim() != "*** Begin Patch" || last.trim() != "*** End Patch" {
        return Err(bad("its first or last line is missing".to_owned()));
    }
    let mut actions = Vec::new();
    let mut rest = body;
    while let Some((header, after)) = rest.split_first() {
        let header = header.trim();
        rest = after;
        if let Some(path) = header.strip_prefix("*** Add File: ") {
            let (added, after) = split_while(rest, |line| line.starts_with('+'));
            let content: String = added
                .iter()
                .map(|line| format!("{}\n", &line[1..]))
                .collect();
            rest = after;
            actions.push(FileAction::Write(path.into(), content.into()));
        } else if let Some(path) = header.strip_prefix("*** Delete File: ") {
            actions.push(FileAction::Delete(path.into()));
        } else if let Some(path) = header.strip_prefix("*** Update File: ") {
            let path: BString = path.into();
            let target = rest
                .first()
                .and_then(|line| line.trim().strip_prefix("*** Move to: "));
            if target.is_some() {
                rest = &rest[1..];
            }
            let (body, after) = split_while(rest, |line| {
                !line.starts_with("*** ") || is_end_of_file(line)
            });
            rest = after;
            let chunks = chunks(body)
                .map_err(|line| bad(format!("unexpected line {}", text_on_one_line(line))))?;
            actions.push(match target {
                Some(to) => FileAction::Move(path, to.into(), chunks),
                None => FileAction::Patch(path, chunks),
            });
        } else if !header.is_empty() {
            return Err(bad(format!("unexpected line {}", text_on_one_line(header))));
        }
    }
    match actions.is_empty() {
        true => Err(bad("it names no file".to_owned())),
        false => Ok(actions),
    }
}

fn split_while<'a, 'b>(
    lines: &'a [&'b str],
    belongs: impl Fn(&str) -> bool,
) -> (&'a [&'b str], &'a [&'b str]) {
    let end = lines.iter().position(|line| !belongs(line));
    lines.split_at(end.unwrap_or(lines.len()))
}

fn is_end_of_file(line: &str) -> bool {
    line.trim_end() == "*** End of File"
}

/// The chunks of an update; the error is a line that does not belong there.
fn chunks<'b>(lines: &[&'b str]) -> Result<Vec<PatchChunk>, &'b str> {
    let mut chunks: Vec<PatchChunk> = Vec::new();
    for line in lines {
        if *line == "@@" || line.starts_with("@@ ") {
            let context = line[2..].strip_prefix(' ').map(str::to_owned);
            chunks.push(PatchChunk {
                context,
                ..PatchChunk::default()
            });
            continue;
        }
        if chunks.last().is_none_or(|chunk| chunk.is_at_end) {
            chunks.push(PatchChunk::default());
        }
        let Some(chunk) = chunks.last_mut() else {
            return Err(line);
        };
        if is_end_of_file(line) {
            chunk.is_at_end = true;
            continue;
        }
        let (sign, text) = match line.chars().next() {
            None => (' ', ""),
            Some(sign) => (sign, &line[sign.len_utf8()..]),
        };
        if !matches!(sign, ' ' | '-' | '+') {
            return Err(line);
        }
        if sign != '+' {
            chunk.old.push(text.to_owned());
        }
        if sign != '-' {
            chunk.new.push(text.to_owned());
        }
    }
    Ok(chunks)
}
