//! Which paths are those of designs and of guard's own settings, and which of them belong to a branch.

use bstr::{BStr, BString, ByteSlice};

use super::chosen_by::ChosenBy;
use crate::scope::glob::{Glob, directory_above, is_glob};
use crate::scope::path_placeholders::{self, PathNames};
use crate::scope::settings::Settings;

/// guard's own directory, in addition to `guard.toml`.
pub const OWN_DIRECTORY: &str = ".guard";

/// Whether `path` matches `[lld] path`, for any branch.
pub fn is_design(settings: &Settings, path: &BStr) -> bool {
    // A pattern is compiled only for paths below the right directory.
    for pattern in &settings.lld_path {
        if is_near(path, pattern) {
            let any_name = path_placeholders::for_any_name(pattern);
            if pattern_matches(normal_pattern(&any_name), path) {
                return true;
            }
        }
    }
    settings
        .standing
        .iter()
        .any(|pattern| is_near(path, pattern) && pattern_matches(normal_pattern(pattern), path))
}

/// Whether the path is below the directory in which the pattern begins to have wildcards.
fn is_near(path: &BStr, pattern: &str) -> bool {
    path.starts_with(directory_above(normal_pattern(pattern).into()))
}

/// Whether `path` is `guard.toml`, below `.guard/`, or the list of signers.
pub fn is_own_settings(settings: &Settings, path: &BStr) -> bool {
    path == crate::scope::settings::FILE
        || path == settings.signers.as_bytes()
        || path
            .strip_prefix(OWN_DIRECTORY.as_bytes())
            .is_some_and(|rest| rest.starts_with(b"/"))
}

/// Whether `path` matches `[lld] standing`.
pub fn is_standing(settings: &Settings, path: &BStr) -> bool {
    let mut standing = settings.standing.iter();
    standing.any(|pattern| pattern_matches(normal_pattern(pattern), path))
}

/// The distinct issues in a branch name, by `[lld] issue-pattern`. If the pattern has a group, only matches of the
/// group count. An issue consists of letters, digits, `.`, `-` and `_`, so that a branch name cannot point outside
/// the design's directory.
pub fn issues_of(settings: &Settings, branch: &BStr) -> Vec<String> {
    let mut issues = Vec::new();
    // Settings with an invalid regular expression are refused when they are read.
    let Ok(pattern) = regex_lite::Regex::new(&settings.issue_pattern) else {
        return issues;
    };
    let Ok(branch) = branch.to_str() else {
        return issues;
    };
    let group = usize::from(pattern.captures_len() > 1);
    let mut at = 0;
    while let Some(captures) = pattern.captures_at(branch, at) {
        let found = captures.get(group);
        let issue = found.map_or("", |found| found.as_str());
        if !issue.is_empty()
            && issue
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
            && !issue.starts_with('.')
            && issues.iter().all(|known| known != issue)
        {
            issues.push(issue.to_owned());
        }
        // The separator after an issue may also precede the next one.
        let end = found.or(captures.get(0)).map_or(at, |found| found.end());
        let next = branch[at..].chars().next().map(|c| at + c.len_utf8());
        match next {
            _ if end > at => at = end,
            Some(next) => at = next,
            None => break,
        }
    }
    issues
}

/// Whether the settings select designs by issue.
pub fn needs_issue(settings: &Settings) -> bool {
    let mut patterns = settings.lld_path.iter();
    patterns.any(|pattern| pattern.contains("{issue}"))
}

/// An entry of `[lld] path` with its placeholders filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilledPattern {
    /// The patterns to try; the first that matches a document counts.
    pub tries: Vec<String>,
    /// What names the documents.
    pub by: ChosenBy,
}

/// The entries of `[lld] path` for these names; one whose name is missing has nothing to try.
pub fn filled_patterns(settings: &Settings, names: &PathNames) -> Vec<FilledPattern> {
    settings
        .lld_path
        .iter()
        .map(|pattern| FilledPattern {
            tries: path_placeholders::fill(normal_pattern(pattern), names),
            by: match (&names.branch, &names.issue) {
                (Some(branch), _) if pattern.contains("{branch}") || pattern.contains("{slug}") => {
                    ChosenBy::BranchName(branch.clone())
                }
                (_, Some(issue)) if pattern.contains("{issue}") => ChosenBy::Issue(issue.clone()),
                _ => ChosenBy::Settings,
            },
        })
        .collect()
}

/// The key of the design that a document belongs to: its directory if the settings list the documents of one
/// directory, else its own path.
pub fn design_of(settings: &Settings, path: &BStr) -> BString {
    let slash = path.rfind_byte(b'/').map_or(0, |slash| slash + 1);
    let is_in_set = settings.lld_path.iter().any(|pattern| {
        let any = path_placeholders::for_any_name(normal_pattern(pattern));
        path_placeholders::is_set(pattern) && pattern_matches(&any, path)
    });
    if is_in_set {
        path[..slash].into()
    } else {
        path.to_owned()
    }
}

/// The directory or the standing pattern that may select several documents, this one among them.
pub fn group_of(settings: &Settings, path: &BStr) -> Option<BString> {
    let key = design_of(settings, path);
    if key != path {
        return Some(key);
    }
    let standing = settings.standing.iter().map(|one| normal_pattern(one));
    let mut patterns = standing.filter(|pattern| is_glob((*pattern).into()));
    let pattern = patterns.find(|pattern| pattern_matches(pattern, path))?;
    Some(pattern.into())
}

/// A pattern in git's path notation.
pub fn normal_pattern(pattern: &str) -> &str {
    pattern.trim_start_matches("./").trim_start_matches('/')
}

/// Whether a pattern of the settings matches `path`; an invalid pattern matches nothing.
pub fn pattern_matches(pattern: &str, path: &BStr) -> bool {
    Glob::new(pattern.into()).is_ok_and(|glob| glob.matches(path))
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

    fn issues(branch: &str) -> Vec<String> {
        issues_of(&Settings::default(), branch.into())
    }

    #[test]
    fn the_documents_of_a_set_are_the_design_of_their_directory() {
        let set = settings("specs/*/{spec,plan}.md");
        assert_eq!(design_of(&set, "specs/7/plan.md".into()), "specs/7/");
        assert_eq!(
            design_of(&set, "specs/7/notes.md".into()),
            "specs/7/notes.md"
        );
        let group = |settings: &Settings, path: &str| group_of(settings, path.into());
        assert_eq!(group(&set, "specs/7/plan.md"), Some("specs/7/".into()));
        assert_eq!(group(&set, "specs/7/notes.md"), None);
        let standing = Settings {
            standing: vec!["./rules/*.md".to_owned(), "rules.md".to_owned()],
            ..Settings::default()
        };
        assert_eq!(group(&standing, "rules/a.md"), Some("rules/*.md".into()));
        assert_eq!(group(&standing, "rules.md"), None, "it selects one only");
        let single = settings("specs/*.md");
        assert_eq!(design_of(&single, "specs/7.md".into()), "specs/7.md");
    }

    #[test]
    fn standalone_number_is_the_issue() {
        for branch in [
            "188",
            "188-enforce-paths",
            "188_enforce_paths",
            "feature/188-v2",
            "feature/188",
            "feature/188/paths",
            "fix-188",
            "fix-188-crash",
            "fix/#188",
            "fix#188-crash",
            "gh-188",
            "GH-188-crash",
            "issue-188",
            "user/issue-188-crash",
            "PROJ-188",
            "feature/PROJ-188-crash",
            "v1.0-188",
            "2026-11-22-188-crash",
            "188-again-188",
            "python3-188",
            "dev/eng-188-title",
            "copilot/fix-188",
            "claude/issue-188-20261129-0637",
            "claude/issue-188-20261129_063712",
            "188-2026-11-29-06-37",
            "revert-57-188-work",
            "dispatch-188",
        ] {
            assert_eq!(issues(branch), ["188"], "{branch}");
        }
    }

    #[test]
    fn digits_in_words_versions_dates_and_ids_are_not_an_issue() {
        for branch in [
            "main",
            "fix/python3-crash",
            "s3-upload",
            "utf8-names",
            "gh188",
            "v2",
            "release/v2",
            "release-1.2",
            "release/1.2.x",
            "1.2-fixes",
            "dependabot/npm_and_yarn/lodash-4.17.21",
            "dependabot/github_actions/actions/checkout-5",
            "renovate/node-22",
            "renovate/major-7-eslint/12",
            "2026-11-22-x",
            "x/2026-11-22",
            "release/2026-11",
            "fix/3f2a9c1",
            "codex/9d8e-4f1a",
            "x/188é",
            "patch-1",
            "alice-patch-1",
            "backport-57-to-1.x",
            "backport/57/to-1.x",
            "mergify/bp/main/pr-57",
            "cherry-pick-57-into-v1",
            "pull-57-head",
            "pull/57/head",
            "pull-request-57",
            "revert-57",
            "x-20261129",
        ] {
            assert_eq!(issues(branch), [""; 0], "{branch}");
        }
    }

    #[test]
    fn every_different_issue_is_found() {
        for (branch, expected) in [
            ("188-part-2", &["188", "2"][..]),
            ("188/189", &["188", "189"]),
            ("188-189-188", &["188", "189"]),
            ("2026-11-22-188-189", &["188", "189"]),
        ] {
            assert_eq!(issues(branch), expected, "{branch}");
        }
    }

    #[test]
    fn custom_pattern_uses_its_first_group() {
        let settings = |pattern: &str| Settings {
            issue_pattern: pattern.into(),
            ..Settings::default()
        };
        for (pattern, branch, expected) in [
            (
                "^(?:fix|feat)/([A-Z]+-[0-9]+)",
                "feat/ABC-12-x",
                &["ABC-12"][..],
            ),
            ("[A-Z]+-[0-9]+", "feat/ABC-12-x", &["ABC-12"]),
            ("[A-Z]+-[0-9]+", "ABC-12-ABC-13", &["ABC-12", "ABC-13"]),
            ("^(?:main|x([0-9]+))", "main", &[]),
            ("[0-9]*", "é7", &["7"]),
            ("", "7", &[]),
        ] {
            let found = issues_of(&settings(pattern), branch.into());
            assert_eq!(found, expected, "{pattern} {branch}");
        }
    }

    #[test]
    fn branch_name_cannot_select_a_document_elsewhere() {
        let settings = Settings {
            issue_pattern: "^x/(.*)$".into(),
            ..Settings::default()
        };
        for branch in ["x/../../evil", "x/*", "x/{a,b}", "x/", "x/.."] {
            assert_eq!(issues_of(&settings, branch.into()), [""; 0], "{branch}");
        }
    }

    #[test]
    fn an_entry_is_chosen_by_the_name_that_it_has() {
        let names = PathNames {
            branch: Some("7-x".to_owned()),
            issue: Some("7".to_owned()),
        };
        for (entry, expected) in [
            ("docs/{branch}.md", ChosenBy::BranchName("7-x".to_owned())),
            ("docs/LLD-{issue}.md", ChosenBy::Issue("7".to_owned())),
            ("docs/plan.md", ChosenBy::Settings),
        ] {
            let filled = filled_patterns(&settings(entry), &names).remove(0);
            assert_eq!(filled.by, expected, "{entry}");
        }
    }

    #[test]
    fn entry_without_its_issue_has_nothing_to_try() {
        let settings = settings("./docs/LLD-{issue}.md");
        let tries = |issue: Option<&str>| {
            let names = PathNames {
                issue: issue.map(str::to_owned),
                ..PathNames::default()
            };
            filled_patterns(&settings, &names).remove(0).tries
        };
        assert_eq!(tries(Some("7")), ["docs/LLD-7.md"]);
        assert_eq!(tries(None), [""; 0]);
        assert!(is_design(&settings, "docs/LLD-9.md".into()));
        assert!(!is_design(&settings, "docs/sub/LLD-9.md".into()));
    }

    #[test]
    fn designs_for_any_branch() {
        for (pattern, path, is) in [
            ("specs/{branch}/{spec,plan}.md", "specs/004-a/plan.md", true),
            (
                "specs/{branch}/{spec,plan}.md",
                "specs/x/004-a/plan.md",
                true,
            ),
            ("specs/{branch}/{spec,plan}.md", "specs/plan.md", false),
            (
                "specs/{branch}/{spec,plan}.md",
                "specs/004-a/other.md",
                false,
            ),
            ("changes/{slug}/tasks.md", "changes/a/tasks.md", true),
            (
                "changes/{slug}/tasks.md",
                "changes/archive/a/tasks.md",
                false,
            ),
        ] {
            assert_eq!(is_design(&settings(pattern), path.into()), is, "{path}");
        }
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
