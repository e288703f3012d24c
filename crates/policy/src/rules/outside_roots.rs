//! `outside-roots`: a request outside the read or write roots of the settings.

use bstr::BStr;

use super::{Access, Sink};
use crate::finding::{Finding, Rule};
use crate::path::escaped;
use crate::scope::settings::Settings;

pub(super) fn check_request(settings: &Settings, path: &BStr, access: Access, sink: &mut Sink<'_>) {
    let (roots, word) = match access {
        Access::Read => (&settings.read, "read"),
        Access::Write => (&settings.write, "write"),
    };
    if roots.iter().any(|root| is_below(path, root)) {
        return;
    }
    let message = format!(
        "{} is outside the {word} roots: {}",
        escaped(path),
        roots.join(", ")
    );
    let help = format!("`[workspace] {word}` in guard.toml lists the allowed directories");
    sink.push(Finding::new(Rule::OutsideRoots, path, message).help(help));
}

/// Whether a path is below a root; `.` is the workspace.
fn is_below(path: &BStr, root: &str) -> bool {
    let root = root.trim_start_matches("./").trim_end_matches('/');
    root.is_empty()
        || root == "."
        || path
            .strip_prefix(root.as_bytes())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_is_a_directory_not_a_name_prefix() {
        for (path, root, expected) in [
            ("out/a", "out", true),
            ("out/a", "./out/", true),
            ("out", "out", true),
            ("output/a", "out", false),
            ("a/out/b", "out", false),
            ("a", ".", true),
            ("a", "./", true),
        ] {
            assert_eq!(is_below(path.into(), root), expected, "{path} {root}");
        }
    }
}
