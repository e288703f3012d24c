//! Parses a text with a grammar, within limits.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{Language, ParseOptions, Parser, Tree};

/// Larger sources are generated.
const MAX_BYTES: usize = 4 << 20;

/// Real sources of the maximum size parse faster; hostile ones may not.
const MAX_TIME: Duration = Duration::from_secs(30);

/// The syntax tree of a text, possibly with errors.
///
/// # Errors
/// A predicate such as `takes too long to parse`.
pub(crate) fn tree(grammar: &Language, text: &str) -> Result<Tree, String> {
    if text.len() > MAX_BYTES {
        let bytes = text.len();
        return Err(format!(
            "has {bytes} bytes, more than the limit of {MAX_BYTES}"
        ));
    }
    let mut parser = Parser::new();
    let failed = |_| "cannot be parsed: the grammar does not match this build".to_owned();
    parser.set_language(grammar).map_err(failed)?;
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
    tree.ok_or_else(|| "takes too long to parse".to_owned())
}
