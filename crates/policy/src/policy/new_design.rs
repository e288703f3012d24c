//! Where a new design of a branch belongs, and how it is called.

use crate::scope::path_placeholders::{PathNames, is_path, literal_paths};
use crate::scope::settings::Settings;

use super::document_paths::{filled_patterns, issues_of};

/// The name of a design for work on a branch whose name says nothing about it.
const USUAL_NAME: &str = "hotfix";

/// Of the documents of one directory, the one that no framework writes: a framework would take a design that stands in
/// its own document for one of its plans, and find that incomplete.
const OWN_DOCUMENT: &str = "/files.md";

/// The path for a new design. A name takes the place of what the branch name says; `date` that of the last star in a
/// pattern that has a placeholder, too.
pub fn place_of_new_design(
    settings: &Settings,
    branch: Option<&str>,
    name: Option<&str>,
    date: &str,
) -> Option<String> {
    if name.is_some_and(|name| !is_path(name)) {
        return None;
    }
    // What stands in front of the last slash, as in `feature/004-login`, says what kind of work it is.
    let last = branch.and_then(|branch| branch.rsplit('/').next());
    let names = PathNames {
        issue: match (name, branch) {
            (Some(name), _) => Some(last_issue(settings, name).unwrap_or_else(|| name.to_owned())),
            (None, Some(branch)) => last_issue(settings, branch),
            (None, None) => None,
        },
        branch: name.or(last).map(str::to_owned),
    };
    let entries = filled_patterns(settings, &names);
    for (pattern, entry) in settings.lld_path.iter().zip(entries) {
        // The last star stands for a date beside a name, or else for the name.
        let star = if pattern.contains('{') {
            Some(date)
        } else {
            name
        };
        for one in entry.tries {
            let paths = match (one.rsplit_once('*'), star) {
                (Some((start, end)), Some(star)) if !end.contains('/') => {
                    literal_paths(&format!("{start}{star}{end}"))
                }
                _ => literal_paths(&one),
            };
            let own = paths.iter().find(|path| path.ends_with(OWN_DOCUMENT));
            if let Some(path) = own.or(paths.first()) {
                return Some(path.clone());
            }
        }
    }
    None
}

fn last_issue(settings: &Settings, text: &str) -> Option<String> {
    issues_of(settings, text.into()).pop()
}

/// A name for the design of a branch whose name alone gives no place.
pub fn name_of_new_design(branch: Option<&str>) -> String {
    let last = branch.and_then(|branch| branch.rsplit('/').next());
    let name: String = last
        .unwrap_or_default()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    match name.trim_matches('-') {
        "" | "main" | "master" => USUAL_NAME.to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_takes_the_place_of_the_branch_and_a_date_that_of_a_star() {
        for (pattern, branch, name, expected) in [
            (
                "d/LLD-{issue}.md",
                Some("300-b"),
                None,
                Some("d/LLD-300.md"),
            ),
            (
                "d/LLD-{issue}.md",
                Some("300-b"),
                Some("part2"),
                Some("d/LLD-part2.md"),
            ),
            (
                "d/LLD-{issue}.md",
                Some("300-b"),
                Some("301-c"),
                Some("d/LLD-301.md"),
            ),
            ("d/LLD-{issue}.md", Some("main"), None, None),
            (
                "d/*-{slug}.md",
                Some("feature/count"),
                None,
                Some("d/2026-11-30-count.md"),
            ),
            (
                "d/*-{slug}.md",
                Some("feature/count"),
                Some("sum"),
                Some("d/2026-11-30-sum.md"),
            ),
            (
                "d/*.md",
                Some("feature/count"),
                Some("sum"),
                Some("d/sum.md"),
            ),
            ("d/*.md", Some("feature/count"), None, None),
            ("d/*/{slug}.md", Some("x"), None, None),
            (
                "d/{slug}/{spec,plan}.md",
                Some("x"),
                None,
                Some("d/x/spec.md"),
            ),
            (
                "d/{slug}/{spec,plan,files}.md",
                Some("x"),
                None,
                Some("d/x/files.md"),
            ),
            ("d/{slug}.md", Some("x"), Some("../y"), None),
        ] {
            let settings = Settings {
                lld_path: vec![pattern.to_owned()],
                ..Settings::default()
            };
            let place = place_of_new_design(&settings, branch, name, "2026-11-30");
            assert_eq!(place.as_deref(), expected, "{pattern} {branch:?} {name:?}");
        }
    }

    #[test]
    fn a_design_is_called_after_the_last_part_of_the_branch() {
        for (branch, expected) in [
            (Some("fix/login page"), "login-page"),
            (Some("fix-login"), "fix-login"),
            (Some("é"), "hotfix"),
            (Some("main"), "hotfix"),
            (None, "hotfix"),
        ] {
            assert_eq!(name_of_new_design(branch), expected);
        }
    }
}
