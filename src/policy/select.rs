//! Which documents are designs, and which of them belong to a branch. Pure: names in, names out.

use gix::bstr::{BStr, ByteSlice};

use super::glob::{Glob, is_glob};
use super::settings::Settings;

/// The placeholder for the issue in `[lld] path`.
const ISSUE: &str = "{issue}";

/// guard's own directory, besides `guard.toml`.
pub const OWN_DIRECTORY: &str = ".guard";

/// Whether `path` is a design by the settings, whatever its issue.
pub fn is_design(settings: &Settings, path: &BStr) -> bool {
    // Most paths are not even below the right directory; a pattern is only made for the others.
    let near = |pattern: &&String| path.starts_with(literal_directory(normal(pattern)).as_bytes());
    let any_issue = settings.lld_path.iter().filter(near);
    any_issue
        .map(|pattern| pattern.replace(ISSUE, "*"))
        .chain(settings.standing.iter().filter(near).cloned())
        .any(|pattern| matches(normal(&pattern), path))
}

/// Whether `path` is `guard.toml`, below `.guard/` or the list of signers.
pub fn is_own_settings(settings: &Settings, path: &BStr) -> bool {
    path == super::settings::FILE
        || path == settings.signers.as_bytes()
        || path
            .strip_prefix(OWN_DIRECTORY.as_bytes())
            .is_some_and(|rest| rest.starts_with(b"/"))
}

/// The issue in a branch's name, by `[lld] issue-pattern`. Only letters, digits, `.`, `-` and `_` make an
/// issue, so that a branch cannot point outside the design's directory.
pub fn issue_of(settings: &Settings, branch: &BStr) -> Option<String> {
    let branch = branch.to_str().ok()?;
    // Settings with a pattern that is no regular expression are refused when they are read.
    let pattern = regex_lite::Regex::new(&settings.issue_pattern).ok()?;
    let captures = pattern.captures(branch)?;
    let issue = captures.get(1).or_else(|| captures.get(0))?.as_str();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    (!issue.is_empty() && issue.chars().all(plain) && !issue.starts_with('.'))
        .then(|| issue.to_owned())
}

/// The patterns of `[lld] path` for a branch: with the issue filled in; without an issue, only those that
/// need none.
pub fn patterns(settings: &Settings, issue: Option<&str>) -> Vec<String> {
    settings
        .lld_path
        .iter()
        .filter(|pattern| issue.is_some() || !pattern.contains(ISSUE))
        .map(|pattern| normal(&pattern.replace(ISSUE, issue.unwrap_or_default())).to_owned())
        .collect()
}

/// A pattern as paths are written in git.
pub fn normal(pattern: &str) -> &str {
    pattern.trim_start_matches("./").trim_start_matches('/')
}

/// Whether a pattern of the settings matches `path`; one that is no pattern matches nothing.
pub fn matches(pattern: &str, path: &BStr) -> bool {
    Glob::new(pattern.into()).is_ok_and(|glob| glob.matches(path))
}

/// The directory that every match of `pattern` is below; empty for the root.
pub fn literal_directory(pattern: &str) -> &str {
    let literal = pattern
        .find(['*', '{'])
        .map_or(pattern, |at| &pattern[..at]);
    literal.rfind('/').map_or("", |slash| &literal[..slash])
}

/// Whether `pattern` names exactly one path.
pub fn is_literal(pattern: &str) -> bool {
    !is_glob(pattern.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(path: &str) -> Settings {
        Settings {
            lld_path: vec![path.to_owned()],
            ..Settings::default()
        }
    }

    #[test]
    fn the_first_number_of_the_branch_that_is_no_version_is_the_issue() {
        for (branch, issue) in [
            ("188-enforce-paths", Some("188")),
            ("feature/188-v2", Some("188")),
            ("main", None),
            ("gh188", Some("188")),
            ("dependabot/npm_and_yarn/lodash-4.17.21", None),
            ("release-1.2", None),
            ("v1.0-188", Some("188")),
        ] {
            assert_eq!(
                issue_of(&Settings::default(), branch.into()).as_deref(),
                issue,
                "{branch}"
            );
        }
    }

    #[test]
    fn an_own_pattern_uses_its_first_group() {
        let settings = Settings {
            issue_pattern: "^(?:fix|feat)/([A-Z]+-[0-9]+)".into(),
            ..Settings::default()
        };
        assert_eq!(
            issue_of(&settings, "feat/ABC-12-x".into()).as_deref(),
            Some("ABC-12")
        );
    }

    #[test]
    fn a_branch_cannot_choose_a_document_elsewhere() {
        let settings = Settings {
            issue_pattern: "^x/(.*)$".into(),
            ..Settings::default()
        };
        for branch in ["x/../../evil", "x/*", "x/{a,b}", "x/", "x/.."] {
            assert_eq!(issue_of(&settings, branch.into()), None, "{branch}");
        }
    }

    #[test]
    fn patterns_without_an_issue_stay() {
        let settings = settings("./docs/LLD-{issue}.md");
        assert_eq!(patterns(&settings, Some("7")), ["docs/LLD-7.md"]);
        assert_eq!(patterns(&settings, None), [""; 0]);
        assert!(is_design(&settings, "docs/LLD-9.md".into()));
        assert!(!is_design(&settings, "docs/sub/LLD-9.md".into()));
    }

    #[test]
    fn own_settings_are_the_file_and_the_directory() {
        for (path, own) in [
            ("guard.toml", true),
            (".guard/allowed_signers", true),
            (".guardian/x", false),
            ("a/guard.toml", false),
        ] {
            assert_eq!(
                is_own_settings(&Settings::default(), path.into()),
                own,
                "{path}"
            );
        }
    }
}
