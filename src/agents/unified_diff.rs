//! Unified diffs, as `diff -u` and `git diff` print them, read as changes of files.

use std::iter::Peekable;
use std::str::Lines;

use gix::bstr::BString;

use super::action::FileAction;
use super::rebuild::PatchChunk;
use write_guard_policy::path::text_on_one_line;

/// The name of a file that does not exist.
const NONE: &str = "/dev/null";

/// Lines of git before the names of a file, which change nothing in its content.
const HEADERS: &[&str] = &[
    "diff --git ",
    "index ",
    "new file mode ",
    "deleted file mode ",
    "similarity index ",
    "dissimilarity index ",
];

/// Whether a text is a unified diff: the two names of a file stand below each other, or git announces one.
pub(super) fn is_diff(text: &str) -> bool {
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let names_new = lines.peek().is_some_and(|next| next.starts_with("+++ "));
        if line.starts_with("diff --git ") || (line.starts_with("--- ") && names_new) {
            return true;
        }
    }
    false
}

/// The actions of a diff, in its order; or why guard cannot tell them.
///
/// # Errors
/// A line is none of a unified diff, or the diff changes more than text: a mode, a copy, binary content.
pub(super) fn actions(diff: &str) -> Result<Vec<FileAction>, String> {
    let mut lines = diff.lines().peekable();
    let mut actions = Vec::new();
    let mut renamed_from = None;
    while let Some(line) = lines.next() {
        if let Some(from) = line.strip_prefix("rename from ") {
            let to = lines
                .next()
                .and_then(|next| next.strip_prefix("rename to "));
            let to = to.ok_or("a file is renamed without its new name")?;
            renamed_from = Some(from);
            actions.push(FileAction::Patch(name(from)?, Some(name(to)?), Vec::new()));
        } else if let Some(old) = line.strip_prefix("--- ") {
            let new = lines.next().and_then(|next| next.strip_prefix("+++ "));
            let new = new.ok_or("a file has no new name")?;
            let hunks = hunks(&mut lines)?;
            match (actions.last_mut(), renamed_from.take()) {
                (Some(FileAction::Patch(_, _, chunks)), Some(_)) => *chunks = hunks.chunks,
                _ => actions.push(action(old, new, hunks)?),
            }
        } else if line.starts_with("diff --git ") {
            renamed_from = None;
        } else if !line.trim().is_empty() && !HEADERS.iter().any(|known| line.starts_with(known)) {
            return Err(format!("unexpected line {}", text_on_one_line(line)));
        }
    }
    if actions.is_empty() {
        return Err("it changes no content of a file".to_owned());
    }
    Ok(actions)
}

/// The changes of one file.
#[derive(Default)]
struct Hunks {
    chunks: Vec<PatchChunk>,
    /// Whether the new file ends without a line end.
    is_open: bool,
}

fn action(old: &str, new: &str, hunks: Hunks) -> Result<FileAction, String> {
    let old = without_time(old);
    let new = without_time(new);
    let has_prefixes =
        (old == NONE || old.starts_with("a/")) && (new == NONE || new.starts_with("b/"));
    let path = |given: &str| name(if has_prefixes { &given[2..] } else { given });
    match (old, new) {
        (NONE, NONE) => Err("a file has no name".to_owned()),
        (old, NONE) => Ok(FileAction::Delete(path(old)?)),
        (NONE, new) => {
            let mut content: String = hunks.chunks.into_iter().map(|chunk| chunk.new).collect();
            if hunks.is_open {
                content.pop();
            }
            Ok(FileAction::Write(path(new)?, content.into_bytes()))
        }
        (old, new) => {
            let from = path(old)?;
            let to = path(new)?;
            let target = (from != to).then_some(to);
            Ok(FileAction::Patch(from, target, hunks.chunks))
        }
    }
}

/// `diff` writes the time of a file behind a tab.
fn without_time(name: &str) -> &str {
    name.split('\t').next().unwrap_or(name).trim_end()
}

fn name(given: &str) -> Result<BString, String> {
    if given.starts_with('"') {
        return Err(format!("the name {} is quoted", text_on_one_line(given)));
    }
    Ok(given.into())
}

fn hunks(lines: &mut Peekable<Lines<'_>>) -> Result<Hunks, String> {
    let mut all = Hunks::default();
    while let Some(header) = lines.next_if(|line| line.starts_with("@@ ")) {
        let (mut old, mut new) =
            sizes(header).ok_or_else(|| format!("unexpected line {}", text_on_one_line(header)))?;
        let mut chunk = PatchChunk::default();
        while old > 0 || new > 0 {
            // Some programs cut off the blank of an empty line.
            let line = lines.next().ok_or("it ends within a hunk")?;
            let (sign, text) = line.split_at_checked(1).unwrap_or((" ", ""));
            match sign {
                " " if old > 0 && new > 0 => {
                    old -= 1;
                    new -= 1;
                    chunk.old += &format!("{text}\n");
                    chunk.new += &format!("{text}\n");
                }
                "-" if old > 0 => {
                    old -= 1;
                    chunk.old += &format!("{text}\n");
                }
                "+" if new > 0 => {
                    new -= 1;
                    chunk.new += &format!("{text}\n");
                }
                "\\" => {}
                _ => return Err(format!("unexpected line {}", text_on_one_line(line))),
            }
        }
        // It stands behind the line that has no end.
        if lines.next_if(|line| line.starts_with('\\')).is_some() {
            all.is_open = true;
        }
        all.chunks.push(chunk);
    }
    Ok(all)
}

/// The number of old and of new lines in `@@ -1,2 +3,4 @@`; 1 where the header names none.
fn sizes(header: &str) -> Option<(usize, usize)> {
    let mut words = header.strip_prefix("@@ ")?.split(' ');
    let old = size(words.next()?.strip_prefix('-')?)?;
    let new = size(words.next()?.strip_prefix('+')?)?;
    (words.next()? == "@@").then_some((old, new))
}

fn size(range: &str) -> Option<usize> {
    match range.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => Some(1),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn chunk(old: &str, new: &str) -> PatchChunk {
        PatchChunk {
            old: old.to_owned(),
            new: new.to_owned(),
            ..PatchChunk::default()
        }
    }

    #[test]
    fn a_diff_is_read_as_changes_of_its_files() {
        let diff = "diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n\
            @@ -1,3 +1,3 @@ def f\n one\n-two\n+2\n\n@@ -9 +9,0 @@\n---- x\n\
            diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n\
            --- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+1\n+2\n\\ No newline at end of file\n\
            diff --git a/old b/moved\nsimilarity index 90%\nrename from old\nrename to moved\n\
            --- a/old\n+++ b/moved\n@@ -1 +1 @@\n-x\n+y\n\
            diff --git a/from b/to\nsimilarity index 100%\nrename from from\nrename to to\n";
        let expected = [
            FileAction::Patch(
                "a.py".into(),
                None,
                vec![chunk("one\ntwo\n\n", "one\n2\n\n"), chunk("--- x\n", "")],
            ),
            FileAction::Delete("gone".into()),
            FileAction::Write("new".into(), b"1\n2".to_vec()),
            FileAction::Patch(
                "old".into(),
                Some("moved".into()),
                vec![chunk("x\n", "y\n")],
            ),
            FileAction::Patch("from".into(), Some("to".into()), Vec::new()),
        ];
        assert!(is_diff(diff));
        assert_eq!(actions(diff).unwrap(), expected);
    }

    #[test]
    fn names_without_prefixes_and_with_times_are_read() {
        let diff = "--- src/a.py\t2026-01-01 00:00:00\n+++ src/a.py\t2026-01-02 00:00:00\n@@ -1 +1 @@\n-x\n+y\n";
        let expected = [FileAction::Patch(
            "src/a.py".into(),
            None,
            vec![chunk("x\n", "y\n")],
        )];
        assert_eq!(actions(diff).unwrap(), expected);
    }

    /// git writes `a/` and `b/` before the two names; directories may be called like that.
    #[test]
    fn names_lose_their_prefixes_only_together() {
        for (old, new, from, to) in [
            ("a/x", "b/x", "x", "x"),
            ("a/a/x", "b/a/x", "a/x", "a/x"),
            ("a/x", "a/x", "a/x", "a/x"),
            ("b/x", "b/x", "b/x", "b/x"),
            ("a/x", "c/x", "a/x", "c/x"),
            ("src/x", "b/x", "src/x", "b/x"),
            ("a/x", "/dev/null", "x", ""),
            ("src/x", "/dev/null", "src/x", ""),
            ("/dev/null", "b/x", "", "x"),
            ("/dev/null", "a/x", "", "a/x"),
        ] {
            let (hunk, expected) = match (from, to) {
                (from, "") => ("-1 +0,0 @@\n-x", FileAction::Delete(from.into())),
                ("", to) => (
                    "-0,0 +1 @@\n+y",
                    FileAction::Write(to.into(), b"y\n".to_vec()),
                ),
                (from, to) => {
                    let target = (from != to).then(|| to.into());
                    let chunks = vec![chunk("x\n", "y\n")];
                    (
                        "-1 +1 @@\n-x\n+y",
                        FileAction::Patch(from.into(), target, chunks),
                    )
                }
            };
            let diff = format!("--- {old}\n+++ {new}\n@@ {hunk}\n");
            assert_eq!(actions(&diff).unwrap(), [expected], "{diff}");
        }
    }

    /// The note about the last line of a side stands behind it, so it may be within the hunk.
    #[test]
    fn a_missing_end_of_a_line_is_noted_of_either_side() {
        let note = "\\ No newline at end of file\n";
        for hunk in [
            format!("-x\n{note}+y\n"),
            format!("-x\n+y\n{note}"),
            format!("-x\n{note}+y\n{note}"),
            format!("+y\n{note}-x\n"),
        ] {
            let diff = format!("--- a/a\n+++ b/a\n@@ -1 +1 @@\n{hunk}--- a/b\n+++ /dev/null\n");
            let expected = [
                FileAction::Patch("a".into(), None, vec![chunk("x\n", "y\n")]),
                FileAction::Delete("b".into()),
            ];
            assert_eq!(actions(&diff).unwrap(), expected, "{diff}");
        }
    }

    #[test]
    fn a_hunk_has_as_many_lines_as_its_header_says() {
        for (header, lines, extra) in [
            ("-1 +1,2", " x\n z\n", " z"),
            ("-1,2 +1", " x\n z\n", " z"),
            ("-1 +1,2", "-x\n-z\n", "-z"),
            ("-1,2 +1", "+x\n+z\n", "+z"),
            ("-0,0 +1", "-z\n", "-z"),
            ("-1 +0,0", "+z\n", "+z"),
            ("-1 +1", "-x\n+y\n z\n", " z"),
        ] {
            let diff = format!("--- a/a\n+++ b/a\n@@ {header} @@\n{lines}");
            let error = actions(&diff).unwrap_err();
            assert_eq!(error, format!("unexpected line {extra}"), "{diff}");
        }
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        let head = "--- a/a\n+++ b/a\n";
        for (diff, why) in [
            (format!("{head}@@ -1,2 +1 @@\n-x\n+y\n"), "ends within"),
            (format!("{head}@@ -1 +1 @@\n-x\n*y\n"), "unexpected line *y"),
            (format!("{head}@@ what @@\n"), "unexpected line @@ what"),
            (
                "--- a/a\n+++ b/a\nBinary files differ\n".to_owned(),
                "Binary",
            ),
            (
                "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n".to_owned(),
                "old mode",
            ),
            (
                "diff --git a/a b/b\ncopy from a\ncopy to b\n".to_owned(),
                "copy from",
            ),
            ("diff --git a/a b/a\nindex 1..2\n".to_owned(), "no content"),
            (
                "--- \"a/\\303\"\n+++ \"b/\\303\"\n@@ -1 +1 @@\n-x\n+y\n".to_owned(),
                "quoted",
            ),
            ("--- /dev/null\n+++ /dev/null\n".to_owned(), "no name"),
        ] {
            let error = actions(&diff).unwrap_err();
            assert!(error.contains(why), "{diff}: {error}");
        }
    }

    #[test]
    fn other_texts_are_no_diff() {
        for text in [
            "",
            "x\n",
            "--- a\n",
            "--- a\nb\n+++ c\n",
            "a list\n- x\n+ y\n",
        ] {
            assert!(!is_diff(text), "{text}");
        }
    }
}
