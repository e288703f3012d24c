//! The paths in a cell, and the words and signs between them.

use std::ops::Range;

use super::words::is_in;

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

/// Names of files without an extension.
const WELL_KNOWN: &str = "makefile|gnumakefile|dockerfile|containerfile|jenkinsfile|vagrantfile|procfile|rakefile|\
    gemfile|brewfile|podfile|fastfile|justfile|caddyfile|tiltfile|build|workspace|license|licence|copying|notice|readme|\
    changelog|changes|authors|contributors|codeowners|version";

/// Whether code looks like a path rather than an identifier.
pub(super) fn has_path_shape(text: &str) -> bool {
    let text = text.trim();
    // `mylib>=1.2` is a requirement of a package.
    let is_version = [">=", "<=", "==", "~=", "@^"]
        .iter()
        .any(|mark| text.contains(mark));
    !text.contains(char::is_whitespace) && !is_version && (text.contains('/') || is_file_name(text))
}

/// Whether a word without backticks is a path.
pub(super) fn is_bare_path(word: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "._/@+[]()$-".contains(c);
    let has_name = |c: char| c.is_ascii_alphanumeric();
    word.chars().all(is_allowed)
        && word.contains(has_name)
        && (word.contains('/') || is_file_name(word))
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

/// Whether a tag is a `<br>` in any spelling.
pub(super) fn is_break(tag: &str) -> bool {
    let name = tag
        .trim_start_matches('<')
        .trim_end_matches(['>', '/', ' ']);
    name.eq_ignore_ascii_case("br")
}

/// Marks and words that point from the old to the new path.
pub(super) fn is_arrow(text: &str) -> bool {
    matches!(
        text,
        "->" | "-->" | "=>" | "→" | "⇒" | "➜" | "to" | "renamed to" | "moved to"
    )
}

/// Splits each `a -> b` inside one span.
pub(super) fn split_arrows(paths: Vec<WrittenPath>) -> Vec<WrittenPath> {
    let may_split = |path: &WrittenPath| path.text.contains('>') || path.text.contains('→');
    match paths.iter().any(may_split) {
        true => paths.into_iter().flat_map(split_arrow).collect(),
        false => paths,
    }
}

fn split_arrow(path: WrittenPath) -> Vec<WrittenPath> {
    let parts: Vec<&str> = [" -> ", "→", " => "]
        .iter()
        .find_map(|arrow| {
            let parts: Vec<&str> = path.text.split(arrow).map(str::trim).collect();
            (parts.len() == 2 && parts.iter().all(|part| !part.is_empty())).then_some(parts)
        })
        .unwrap_or_default();
    match *parts {
        [old, new] => {
            let end = |text: &str, arrow| WrittenPath {
                text: text.to_owned(),
                arrow,
                ..path.clone()
            };
            vec![end(old, path.arrow), end(new, true)]
        }
        _ => vec![path],
    }
}

/// "(directory)" and similar remarks.
pub(super) fn is_directory_remark(remark: &str) -> bool {
    let word = remark
        .trim()
        .split(|c: char| !c.is_alphabetic())
        .next()
        .unwrap_or("");
    ["directory", "dir", "folder"]
        .iter()
        .any(|name| word.eq_ignore_ascii_case(name))
}
