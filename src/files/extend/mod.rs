//! The strategy `extend`: adds the definitions that a Python file lacks, without changing an existing byte. Works on
//! text only.

mod merge;
mod scope;

use gix::bstr::{BStr, ByteSlice};
use tree_sitter::{Node, Tree};

use self::scope::CodeScope;
use super::failure::{Failure, FailureKind, GateResult};
use super::text::{BOM, Extension, ending_of};
use crate::grammar;
use crate::path::escaped;

/// Whether `extend` supports the language of a file.
pub(super) fn can_extend(path: &BStr) -> bool {
    let (_, extension) = path.rsplit_once_str(b".").unwrap_or_default();
    [&b"py"[..], b"pyi"]
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
}

/// `old` with the missing parts of `content`, and what was done.
///
/// # Errors
/// The language is unsupported, a text does not parse, nothing is missing, or an addition has no safe place.
pub(super) fn extend(path: &BStr, old: &[u8], content: &[u8]) -> GateResult<(Vec<u8>, Extension)> {
    if !can_extend(path) {
        return Err(unknown_language(path));
    }
    let (mark, old) = match old.strip_prefix(BOM) {
        Some(text) => (BOM, text),
        None => (&b""[..], old),
    };
    let ending = ending_of(old);
    let content = content.strip_prefix(BOM).unwrap_or(content);
    let content = content.replace("\r\n", "\n");
    let old = readable(old).map_err(|why| unreadable(path, "the file", &why))?;
    let new = readable(&content).map_err(|why| unreadable(path, "the content", &why))?;

    let old_tree = parse(old).map_err(|why| unreadable(path, "the file", &why))?;
    let new_tree = parse(new).map_err(|why| unreadable(path, "the content", &why))?;
    let before = CodeScope::of_file(old, old_tree.root_node());
    let proposed = CodeScope::of_file(new, new_tree.root_node());
    let mut additions = merge::compare(&before, &proposed).map_err(|why| no_place(path, &why))?;
    if additions.is_empty() {
        return Err(nothing_to_add(path, &additions.extension));
    }
    let ending = if ending == b"\r\n" { "\r\n" } else { "\n" };
    let text = additions.insert_into(old, ending);

    // Parse the result again: additions and existing code must be unchanged.
    let tree =
        parse(&text).map_err(|why| no_place(path, &format!("the result does not parse: {why}")))?;
    let mut expected = before.keys();
    expected.extend(additions.keys);
    expected.sort();
    let mut found = CodeScope::of_file(&text, tree.root_node()).keys();
    found.sort();
    if found != expected {
        return Err(no_place(
            path,
            "the result would parse differently from the file and the additions",
        ));
    }
    Ok(([mark, text.as_bytes()].concat(), additions.extension))
}

/// The syntax tree of a text without errors.
///
/// # Errors
/// A predicate such as `does not parse at line 3`.
fn parse(text: &str) -> Result<Tree, String> {
    let tree = grammar::tree(&tree_sitter_python::LANGUAGE.into(), text)?;
    if tree.root_node().has_error() {
        let line = first_error(tree.root_node());
        return Err(format!("does not parse as Python at line {line}"));
    }
    Ok(tree)
}

/// The 1-based line of the first error. Not recursive, because trees may be deep.
fn first_error(root: Node<'_>) -> usize {
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let is_found = node.is_error() || node.is_missing();
        if is_found || !cursor.goto_first_child() {
            return node.start_position().row + 1;
        }
        while !cursor.node().has_error() {
            if !cursor.goto_next_sibling() {
                return node.start_position().row + 1;
            }
        }
    }
}

/// The text for the grammar.
fn readable(text: &[u8]) -> GateResult<&str, String> {
    if text.contains(&0) {
        return Err("has a NUL byte".to_owned());
    }
    text.to_str().map_err(|_| "is not UTF-8".to_owned())
}

fn unknown_language(path: &BStr) -> Failure {
    let message = format!(
        "{} cannot be extended: it is not a Python file",
        escaped(path)
    );
    Failure::new(FailureKind::UnsupportedLanguage, message)
        .help("use --strategy append or insert, or guard patch")
}

fn unreadable(path: &BStr, which: &str, why: &str) -> Failure {
    Failure::new(
        FailureKind::SyntaxError,
        format!("{} cannot be extended: {which} {why}", escaped(path)),
    )
    .help("correct it, or use guard patch")
}

fn no_place(path: &BStr, why: &str) -> Failure {
    Failure::new(
        FailureKind::NoPlace,
        format!("{} cannot be extended: {why}", escaped(path)),
    )
    .help("leave that out of the content, or place it with guard patch")
}

fn nothing_to_add(path: &BStr, extension: &Extension) -> Failure {
    let kept = match extension.kept.len() {
        0 => String::new(),
        _ => format!("; kept although different: {}", extension.kept.join(", ")),
    };
    Failure::new(
        FailureKind::NothingToAdd,
        format!(
            "{} already has every definition in the content{kept}",
            escaped(path)
        ),
    )
    .help("extend never changes existing definitions; use guard patch for that")
    .detail("kept", extension.kept.clone())
    .detail("left_out", extension.left_out.clone())
}

#[cfg(test)]
mod tests;
