//! Parses a source without errors.

use tree_sitter::{Node, Tree};

use crate::grammar;

/// The syntax tree of a text without errors.
///
/// # Errors
/// A predicate such as `does not parse at line 3`.
pub(super) fn parse(text: &str) -> Result<Tree, String> {
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
