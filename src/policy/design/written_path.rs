//! The paths in a cell or item as written, and what looks like one.

use std::ops::Range;

use super::words::{is_in, words};

/// One path as written, not yet checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WrittenPath {
    pub(super) text: String,
    /// Including its backticks.
    pub(super) span: Range<usize>,
    /// Whether an arrow points from the previous path to this one.
    pub(super) arrow: bool,
    /// Whether "(directory)" follows.
    pub(super) directory: bool,
    /// Whether "(no changes)" follows.
    pub(super) denied: bool,
}

impl WrittenPath {
    pub(super) fn new(text: &str, span: Range<usize>) -> WrittenPath {
        WrittenPath {
            text: text.trim().to_owned(),
            span,
            ..WrittenPath::default()
        }
    }
}

/// Names of files without an extension.
const WELL_KNOWN: &str = "makefile|gnumakefile|dockerfile|containerfile|jenkinsfile|vagrantfile|procfile|rakefile|\
    gemfile|brewfile|podfile|fastfile|justfile|caddyfile|tiltfile|build|workspace|license|licence|copying|notice|readme|\
    changelog|changes|authors|contributors|codeowners|version";

/// Whether code looks like a path rather than an identifier.
pub(super) fn has_path_shape(text: &str) -> bool {
    let text = text.trim();
    // `mylib>=1.2` is a requirement of a package.
    let versions = [">=", "<=", "==", "~=", "@^"];
    let is_name =
        !text.contains(char::is_whitespace) && !versions.iter().any(|mark| text.contains(mark));
    is_name && (text.contains('/') || is_file_name(text))
}

/// Whether a word without backticks is a path.
pub(super) fn is_bare_path(word: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "._/@+[]()$-".contains(c);
    word.chars().all(is_allowed)
        && word.contains(|c: char| c.is_ascii_alphanumeric())
        && has_path_shape(word)
}

/// Whether a name has an extension, begins with a dot, or is well known.
fn is_file_name(text: &str) -> bool {
    // `a.rs:10-20` is a range of lines.
    let name = text.split(':').next().unwrap_or("");
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let has_extension = (1..=5).contains(&extension.len())
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    has_extension
        || text.starts_with('.') && text.len() > 1
        || is_in(&name.to_lowercase(), WELL_KNOWN)
}

/// Splits `a -> b` in one span into its two ends.
pub(super) fn split_arrow(mut path: WrittenPath) -> Vec<WrittenPath> {
    let ends = [" -> ", "→", " => "].iter().find_map(|arrow| {
        let (old, new) = path.text.split_once(arrow)?;
        let is_pair = !old.trim().is_empty() && !new.trim().is_empty() && !new.contains(arrow);
        is_pair.then(|| [old, new].map(|end| end.trim().to_owned()))
    });
    let Some([old, new]) = ends else {
        return vec![path];
    };
    let mut first = path.clone();
    (first.text, path.text, path.arrow) = (old, new, true);
    vec![first, path]
}

/// "(directory)" and similar remarks.
pub(super) fn is_directory_remark(remark: &str) -> bool {
    let first = words(remark).into_iter().next();
    first.is_some_and(|word| is_in(&word, "directory|dir|folder"))
}
