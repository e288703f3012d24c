//! Patches: the form from `*** Begin Patch` to `*** End Patch` that coding agents send, and unified diffs.
//!
//! A line that guard does not understand may change what a program makes of the patch, so the call is denied.

use gix::bstr::BString;

use super::action::FileAction;
use super::rebuild::PatchChunk;
use super::unified_diff;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::text_on_one_line;

const BEGIN: &str = "*** Begin Patch";

/// Whether a text is a patch in the agents' own form.
pub(super) fn is_own_form(text: &str) -> bool {
    text.trim_start().starts_with(BEGIN)
}

/// The actions of a patch, in its order.
///
/// # Errors
/// It is not a patch, or has a line that guard does not know.
pub(super) fn patch_actions(patch: &str) -> Result<Vec<FileAction>> {
    if !is_own_form(patch) && unified_diff::is_diff(patch) {
        return unified_diff::actions(patch).map_err(|why| {
            Error::new(format!("the diff cannot be read: {why}"))
                .help("send a unified diff of text files, such as `git diff` prints")
        });
    }
    own_form(patch).map_err(|why| {
        Error::new(format!("the patch cannot be read: {why}"))
            .help("send one patch from `*** Begin Patch` to `*** End Patch`")
    })
}

fn own_form(patch: &str) -> std::result::Result<Vec<FileAction>, String> {
    let lines: Vec<&str> = patch.trim().lines().collect();
    let [BEGIN, body @ .., "*** End Patch"] = lines.as_slice() else {
        return Err("its first or last line is missing".to_owned());
    };
    let mut actions = Vec::new();
    for (at, line) in body.iter().enumerate() {
        // A blank line behind a section is not a part of it.
        if line.is_empty() && body.get(at + 1).is_none_or(|next| next.starts_with("*** ")) {
            continue;
        }
        let path = |header| Some(BString::from(line.strip_prefix(header)?.trim()));
        if let Some(path) = path("*** Add File: ") {
            actions.push(FileAction::Write(path, Vec::new()));
        } else if let Some(path) = path("*** Delete File: ") {
            actions.push(FileAction::Delete(path));
        } else if let Some(path) = path("*** Update File: ") {
            actions.push(FileAction::Patch(path, None, Vec::new()));
        } else if let Some(to) = path("*** Move to: ")
            && let Some(FileAction::Patch(_, target @ None, chunks)) = actions.last_mut()
            && chunks.is_empty()
        {
            *target = Some(to);
        } else {
            let is_expected = match actions.last_mut() {
                Some(FileAction::Write(_, content)) if line.starts_with('+') => {
                    content.extend_from_slice(&line.as_bytes()[1..]);
                    content.push(b'\n');
                    true
                }
                Some(FileAction::Patch(_, _, chunks)) => add_to_chunks(chunks, line),
                _ => line.trim().is_empty(),
            };
            if !is_expected {
                return Err(format!("unexpected line {}", text_on_one_line(line)));
            }
        }
    }
    if actions.is_empty() {
        Err("it names no file".to_owned())
    } else {
        Ok(actions)
    }
}

/// Reads a line of an update; whether it belongs there.
fn add_to_chunks(chunks: &mut Vec<PatchChunk>, line: &str) -> bool {
    if line == "@@" || line.starts_with("@@ ") {
        chunks.push(PatchChunk {
            context: line.strip_prefix("@@ ").map(str::to_owned),
            ..PatchChunk::default()
        });
        return true;
    }
    if chunks.last().is_none_or(|chunk| chunk.is_at_end) {
        chunks.push(PatchChunk::default());
    }
    let Some(chunk) = chunks.last_mut() else {
        return false;
    };
    if line.trim_end() == "*** End of File" {
        chunk.is_at_end = true;
        return true;
    }
    let sign = line.bytes().next().unwrap_or(b' ');
    if !b" -+".contains(&sign) {
        return false;
    }
    let text = format!("{}\n", line.get(1..).unwrap_or_default());
    if sign != b'+' {
        chunk.old += &text;
    }
    if sign != b'-' {
        chunk.new += &text;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_is_read_in_the_form_that_it_has() {
        let diff = "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
        let quoted: String = diff.lines().map(|line| format!("+{line}\n")).collect();
        let own = format!("\n*** Begin Patch\n*** Add File: a\n{quoted}*** End Patch\n");
        let added = vec![FileAction::Write("a".into(), diff.into())];
        assert_eq!(patch_actions(&own).ok(), Some(added));
        let deleted = vec![FileAction::Delete("a".into())];
        assert_eq!(patch_actions(diff).ok(), Some(deleted));
        for (patch, why) in [
            ("", "the patch cannot be read: "),
            ("-x\n+y\n", "the patch cannot be read: "),
            (
                "*** Begin Patch\n--- a/a\n+++ b/a\n",
                "the patch cannot be read: ",
            ),
            ("--- a/a\n+++ b/a\nx\n", "the diff cannot be read: "),
        ] {
            let error = patch_actions(patch).err().unwrap_or_else(|| Error::new(""));
            assert!(error.message.starts_with(why), "{patch}: {}", error.message);
        }
    }

    #[test]
    fn a_new_file_has_only_added_lines() {
        let patch = |body: &str| format!("*** Begin Patch\n*** Add File: a\n{body}\n*** End Patch");
        let added = own_form(&patch("+one\n+two"));
        assert!(matches!(
            added.as_deref(),
            Ok([FileAction::Write(path, content)]) if path == "a" && content == b"one\ntwo\n"
        ));
        for line in ["one", " one", "-one"] {
            assert!(own_form(&patch(line)).is_err(), "{line}");
        }
    }
}
