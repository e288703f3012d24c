//! Parses a text with a grammar, within limits.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{Node, ParseOptions, Parser, Tree};

use super::syntax::Syntax;

/// Larger sources are generated.
const MAX_BYTES: usize = 4 << 20;

/// Real sources of the maximum size parse faster; hostile ones may not.
const MAX_TIME: Duration = Duration::from_secs(30);

/// The syntax tree of a text without errors.
///
/// # Errors
/// A predicate such as `does not parse at line 3`.
pub(super) fn parse(syntax: &Syntax, text: &str) -> Result<Tree, String> {
    if text.len() > MAX_BYTES {
        let bytes = text.len();
        return Err(format!(
            "has {bytes} bytes, more than the limit of {MAX_BYTES}"
        ));
    }
    let mut parser = Parser::new();
    let failed = |_| "cannot be parsed: the grammar does not match this build".to_owned();
    parser.set_language(&syntax.grammar()).map_err(failed)?;
    let begin = Instant::now();
    let mut in_time = |_: &tree_sitter::ParseState| {
        if begin.elapsed() > MAX_TIME {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut in_time);
    let mut read = |at: usize, _| text.as_bytes().get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    let tree = tree.ok_or_else(|| "takes too long to parse".to_owned())?;
    if tree.root_node().has_error() {
        let line = first_error(tree.root_node());
        let name = syntax.name;
        return Err(format!("does not parse as {name} at line {line}"));
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
