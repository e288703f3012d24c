//! The strategy `extend`: adds the definitions that a Python file lacks, without changing an existing byte. Works on
//! text only.

mod merge;
mod scope;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use gix::bstr::{BStr, ByteSlice};
use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use self::merge::Additions;
use self::scope::{CodeScope, walk};
use super::failure::{Failure, FailureKind, GateResult};
use super::text::{Extension, ending_of, split_mark};
use crate::path::escaped;

/// Larger sources are generated.
const MAX_BYTES: usize = 4 << 20;

/// Real sources of the maximum size parse faster; hostile ones may not.
const MAX_TIME: Duration = Duration::from_secs(30);

/// Whether `extend` supports the language of a file.
pub(super) fn can_extend(path: &BStr) -> bool {
    let (_, extension) = path.rsplit_once_str(b".").unwrap_or_default();
    matches!(&*extension.to_ascii_lowercase(), b"py" | b"pyi")
}

/// `old` with the missing parts of `content`, and what was done.
///
/// # Errors
/// The language is unsupported, a text does not parse, nothing is missing, or an addition has no safe place.
pub(super) fn extend(path: &BStr, old: &[u8], content: &[u8]) -> GateResult<(Vec<u8>, Extension)> {
    let failed = |kind, why: &str, help: &'static str| {
        Failure::new(kind, format!("{} cannot be extended: {why}", escaped(path))).help(help)
    };
    if !can_extend(path) {
        let help = "use --strategy append or insert, or guard patch";
        let why = "it is not a Python file";
        return Err(failed(FailureKind::UnsupportedLanguage, why, help));
    }
    let unreadable = |which: &str, why: String| {
        let help = "correct it, or use guard patch";
        failed(FailureKind::SyntaxError, &format!("{which} {why}"), help)
    };
    let no_place = |why: String| {
        let help = "leave that out of the content, or place it with guard patch";
        failed(FailureKind::NoPlace, &why, help)
    };
    let (mark, old) = split_mark(old);
    let content = split_mark(content).1.replace("\r\n", "\n");
    let (old, old_tree) = parse(old).map_err(|why| unreadable("the file", why))?;
    let (new, new_tree) = parse(&content).map_err(|why| unreadable("the content", why))?;
    let before = CodeScope::of_file(old, old_tree.root_node());
    let proposed = CodeScope::of_file(new, new_tree.root_node());
    let mut additions = Additions::default();
    additions.compare(&before, &proposed).map_err(no_place)?;
    if additions.is_empty() {
        let Extension { kept, left_out, .. } = additions.extension;
        let why = match kept.as_slice() {
            [] => "it already has every definition in the content".to_owned(),
            kept => format!(
                "it already has every definition in the content; kept although different: {}",
                kept.join(", ")
            ),
        };
        let help = "extend never changes existing definitions; use guard patch for that";
        let failure = failed(FailureKind::NothingToAdd, &why, help);
        return Err(failure.detail("kept", kept).detail("left_out", left_out));
    }
    let is_crlf = ending_of(old.as_bytes()) == b"\r\n";
    let text = additions.insert_into(old, if is_crlf { "\r\n" } else { "\n" });

    // Parse the result again: additions and existing code must be unchanged.
    let (_, tree) = parse(text.as_bytes())
        .map_err(|why| no_place(format!("the result does not parse: {why}")))?;
    let mut expected = before.keys();
    expected.extend(additions.keys);
    expected.sort();
    let mut found = CodeScope::of_file(&text, tree.root_node()).keys();
    found.sort();
    if found != expected {
        let why = "the result would parse differently from the file and the additions";
        return Err(no_place(why.to_owned()));
    }
    Ok(([mark, text.as_bytes()].concat(), additions.extension))
}

/// A text without errors, and its syntax tree.
///
/// # Errors
/// A predicate such as `does not parse at line 3`.
fn parse(text: &[u8]) -> GateResult<(&str, Tree), String> {
    if text.contains(&0) {
        return Err("has a NUL byte".to_owned());
    }
    let text = text.to_str().map_err(|_| "is not UTF-8".to_owned())?;
    let tree = tree(text)?;
    let mut first_error = None;
    walk(tree.root_node(), |node| {
        if first_error.is_none() && (node.is_error() || node.is_missing()) {
            first_error = Some(node.start_position().row + 1);
        }
        first_error.is_none() && node.has_error()
    });
    match first_error {
        Some(line) => Err(format!("does not parse as Python at line {line}")),
        None if tree.root_node().has_error() => Err("does not parse as Python".to_owned()),
        None => Ok((text, tree)),
    }
}

/// The syntax tree of a text, possibly with errors.
///
/// # Errors
/// A predicate such as `takes too long to parse`.
fn tree(text: &str) -> Result<Tree, String> {
    if text.len() > MAX_BYTES {
        let bytes = text.len();
        return Err(format!(
            "has {bytes} bytes, more than the limit of {MAX_BYTES}"
        ));
    }
    let mut parser = Parser::new();
    let failed = |_| "cannot be parsed: the grammar does not match this build".to_owned();
    let grammar = tree_sitter_python::LANGUAGE.into();
    parser.set_language(&grammar).map_err(failed)?;
    let begin = Instant::now();
    let mut in_time = |_: &ParseState| {
        if begin.elapsed() > MAX_TIME {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut in_time);
    let mut read = |at: usize, _| text.as_bytes().get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    tree.ok_or_else(|| "takes too long to parse".to_owned())
}

#[cfg(test)]
mod tests;
