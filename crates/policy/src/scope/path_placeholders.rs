//! The placeholders of `[lld] path`: `{issue}`, `{branch}` and `{slug}`. A branch name fills them, so it never acts as
//! a pattern and never leaves the directory.

use super::glob::expand;

const ISSUE: &str = "{issue}";
const BRANCH: &str = "{branch}";
const SLUG: &str = "{slug}";

/// What fills the placeholders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathNames {
    /// The issue in the branch name.
    pub issue: Option<String>,
    /// The branch name.
    pub branch: Option<String>,
}

/// The pattern for any names.
pub fn for_any_name(pattern: &str) -> String {
    let any = pattern.replace(ISSUE, "*").replace(SLUG, "*");
    // A branch name may contain slashes.
    any.replace("/{branch}/", "/*/**/").replace(BRANCH, "**")
}

/// The pattern with its placeholders filled in, the most specific first; the first that matches a document counts.
/// None if a name is missing or could act as more than a name.
pub fn fill(pattern: &str, names: &PathNames) -> Vec<String> {
    let mut filled = vec![pattern.to_owned()];
    let branch = names.branch.as_deref().filter(|branch| is_path(branch));
    for (placeholder, values) in [
        (ISSUE, names.issue.iter().cloned().collect()),
        (BRANCH, branch.map_or_else(Vec::new, ends)),
        (SLUG, branch.map_or_else(Vec::new, slugs)),
    ] {
        if pattern.contains(placeholder) {
            filled = filled
                .iter()
                .flat_map(|one| {
                    values
                        .iter()
                        .map(move |value| one.replace(placeholder, value))
                })
                .collect();
        }
    }
    filled
}

/// Whether all characters stand for themselves, and the path stays below its directory.
pub fn is_path(name: &str) -> bool {
    !name.contains(|c: char| c.is_control() || "*?[]{}\\,:".contains(c))
        && name
            .split('/')
            .all(|part| !matches!(part, "" | "." | "..") && part.trim() == part)
}

/// The branch name and its ends after each slash: real branches carry `feature/` before the name.
fn ends(branch: &str) -> Vec<String> {
    let slashes = branch.match_indices('/').map(|(at, _)| at + 1);
    let ends = std::iter::once(0).chain(slashes);
    ends.map(|at| branch[at..].to_owned()).collect()
}

/// The last part of the branch name, and the same without a leading number or key such as `PROJ-12`.
fn slugs(branch: &str) -> Vec<String> {
    let last = branch.rsplit('/').next().unwrap_or_default();
    let number = regex_lite::Regex::new("^(?:[A-Z][A-Z0-9]*-)?[0-9]+[-_](.+)$").ok();
    let name = number.and_then(|number| Some(number.captures(last)?.get(1)?.as_str()));
    let slugs = std::iter::once(last).chain(name);
    slugs.map(str::to_owned).collect()
}

/// Whether the documents of one directory that match the pattern are one design: its file name lists alternatives.
pub fn is_set(pattern: &str) -> bool {
    let name = pattern.rsplit('/').next().unwrap_or_default();
    literal_paths(name).len() > 1
}

/// The paths that a pattern without stars names; none if there are too many.
pub fn literal_paths(pattern: &str) -> Vec<String> {
    if pattern.contains('*') {
        return Vec::new();
    }
    expand(pattern, "").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(pattern: &str, branch: &str) -> Vec<String> {
        let names = PathNames {
            branch: Some(branch.to_owned()),
            ..PathNames::default()
        };
        fill(pattern, &names)
    }

    #[test]
    fn branch_and_its_ends() {
        assert_eq!(
            filled("specs/{branch}/plan.md", "a/feature/004-x"),
            [
                "specs/a/feature/004-x/plan.md",
                "specs/feature/004-x/plan.md",
                "specs/004-x/plan.md"
            ]
        );
        for (branch, slugs) in [
            ("feat/login", &["login"][..]),
            ("feat/7-login", &["7-login", "login"]),
            ("PROJ-12-login", &["PROJ-12-login", "login"]),
            ("2fa", &["2fa"]),
            ("188", &["188"]),
        ] {
            assert_eq!(filled("{slug}", branch), slugs, "{branch}");
        }
    }

    #[test]
    fn hostile_names_fill_nothing() {
        for branch in [
            "../x", "a/../x", "..", "/x", "x/", "a//b", "./x", "*", "a*", "{a,b}", "a,b", "a\\b",
            "a\nb", "C:x", "[a]", " a", "",
        ] {
            assert_eq!(filled("docs/{branch}.md", branch), [""; 0], "{branch:?}");
            assert_eq!(filled("docs/{slug}.md", branch), [""; 0], "{branch:?}");
        }
    }

    #[test]
    fn a_set_lists_its_files() {
        assert!(is_set("specs/*/{spec,plan}.md"));
        for pattern in [
            "specs/{a,b}/x.md",
            "specs/*.md",
            "specs/{a,b*}.md",
            "{a}.md",
        ] {
            assert!(!is_set(pattern), "{pattern}");
        }
        assert_eq!(
            literal_paths("{a,b}/{c,d}.md"),
            ["a/c.md", "a/d.md", "b/c.md", "b/d.md"]
        );
        assert_eq!(literal_paths("a/*.md"), [""; 0]);
        assert_eq!(literal_paths("a/{x}.md"), ["a/{x}.md"]);
    }
}
