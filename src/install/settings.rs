//! Drafts the first `guard.toml` from the files of a repository. Pure: names in, text out.

use std::fmt::Write;

use super::designs::{DEFAULT_PATH, Designs, is_plain};
use super::plan_frameworks::FrameworkPlans;
use super::process_documents::process_documents;
use super::standing;

/// What the draft depends on.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Paths of files, tracked or not, relative to the root.
    pub files: Vec<String>,
    /// Local branches.
    pub branches: Vec<String>,
    /// The default branch of `origin`.
    pub origin: Option<String>,
    /// The paths that each of the latest commits touched.
    pub touched: Vec<Vec<String>>,
}

/// A drafted `guard.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsDraft {
    /// The file's content.
    pub text: String,
    /// What guard found, one sentence each.
    pub found: Vec<String>,
    /// Where the first design goes: the pattern of `[lld] path`; `None` if all plans of a framework apply.
    pub design: Option<String>,
    /// The number of existing designs.
    pub designs: usize,
    /// Whether branches are named after plans.
    pub plans: bool,
    /// The first standing design, path and text; `None` if there is one already.
    pub standing: Option<(&'static str, String)>,
    /// Whether pre-commit or prek is in use.
    pub pre_commit: bool,
}

/// The end of the file.
const REST: &str = "\
# Paths that no change may touch.
# protect = [\"/LICENSE*\"]
# Protect existing tests from commits, too, unless their row says Modify.
# protect-tests = \"always\"

[workspace]
# Directories that agents and `guard write` may read and write, relative to the repository's root.
# read = [\".\"]
# write = [\"src\", \"tests\"]

[destructive]
# A file with more lines than this is large. Losing most of a large file needs a person's approval.
# lines = 100
";

/// The branches that work usually starts from.
const BASES: &[&str] = &["main", "master", "trunk", "develop"];

/// Drafts the settings.
pub fn draft(facts: &Facts) -> SettingsDraft {
    let designs = Designs::find(&facts.files);
    let plans = FrameworkPlans::find(&facts.files);
    let base = base(facts);
    let mut found = designs.told();
    found.extend(plans.told.iter().cloned());
    let mut paths = designs.patterns.clone();
    paths.extend(plans.paths.iter().cloned());
    if paths.is_empty() && plans.standing.is_empty() {
        found.push(format!(
            "no designs yet; guard will look for {DEFAULT_PATH}"
        ));
        paths.push(DEFAULT_PATH.to_owned());
    }
    let has = |placeholder: &str| paths.iter().any(|path| path.contains(placeholder));
    let mut text = String::from(
        "# The settings of guard. guard judges a commit by the guard.toml in HEAD, so a change here takes effect once\n\
         # you commit it. To list all keys: guard explain settings\n\n[lld]\n",
    );
    text.push_str("# The paths of the designs that branches select by their names.");
    for (placeholder, meaning) in [
        ("{issue}", "the issue in the branch name"),
        ("{branch}", "the branch name or its end after a slash"),
        (
            "{slug}",
            "the last part of the branch name, with or without its number",
        ),
    ] {
        if has(placeholder) {
            let _ = write!(text, " {placeholder} is {meaning}.");
        }
    }
    // Writing to a String does not fail.
    let _ = match paths.is_empty() {
        true => writeln!(text, "\n# path = \"{DEFAULT_PATH}\""),
        false => writeln!(text, "\npath = {}", listed(&paths)),
    };
    if !has("{issue}") {
        // No issue selects a design.
    } else if designs.keys {
        text.push_str(
            "# Issues are keys such as ABC-12.\nissue-pattern = '[A-Z][A-Z0-9]+-[0-9]+'\n",
        );
    } else {
        text.push_str(
            "# A number that stands alone in the branch name is the issue, as in 188-enforce-paths.\n",
        );
    }
    match &base {
        Some(base) => {
            found.push(format!("work starts from the branch {base}"));
            let _ = writeln!(
                text,
                "# The branch that work starts from.\nbase = \"{base}\""
            );
        }
        None => text.push_str("# The branch that work starts from.\n# base = \"main\"\n"),
    }
    let standing = standing::draft(&facts.files).map(|text| (standing::STANDING, text));
    let mut always = plans.standing.clone();
    always.extend(standing.iter().map(|(path, _)| (*path).to_owned()));
    text.push_str("# Designs that always apply, such as those for releases and dependency bumps.");
    if !plans.standing.is_empty() {
        text.push_str(" To narrow plans for a branch: guard use DIR");
    }
    let _ = match always.is_empty() {
        true => writeln!(text, "\n# standing = [\"{}\"]", standing::STANDING),
        false => writeln!(text, "\nstanding = {always:?}"),
    };
    text.push_str(
        "# On a branch without a design, \"block\" refuses commits, and \"skip\" leaves out the scope rules.\n\
         # missing = \"block\"\n",
    );
    scope(&mut text, &mut found, facts);
    let is_framework =
        |file: &String| matches!(file.as_str(), ".pre-commit-config.yaml" | "prek.toml");
    SettingsDraft {
        text,
        found,
        design: paths.first().cloned(),
        designs: designs.count + plans.count,
        plans: plans.count > 0,
        standing,
        pre_commit: facts.files.iter().any(is_framework),
    }
}

/// A TOML string, or a list of several.
fn listed(texts: &[String]) -> String {
    let quoted: Vec<String> = texts.iter().map(|one| format!("\"{one}\"")).collect();
    match quoted.as_slice() {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    }
}

fn scope(text: &mut String, found: &mut Vec<String>, facts: &Facts) {
    let files = facts.files.as_slice();
    text.push_str("\n[scope]\n");
    text.push_str("# Paths that need no row; patterns as in a .gitignore at the root.\n");
    let documents = process_documents(files, &facts.touched);
    let mut always: Vec<String> = Vec::new();
    for (document, count) in &documents {
        let touched = format!(
            "{count} of the last {} commits touch {document}",
            facts.touched.len()
        );
        let _ = writeln!(text, "# {touched}.");
        found.push(format!("{touched}: guard.toml proposes `always`"));
        always.push(format!("/{document}"));
    }
    if always.is_empty() {
        always.push("/CHANGELOG.md".to_owned());
    }
    let _ = writeln!(text, "# always = {always:?}");
    text.push_str(REST);
}

fn base(facts: &Facts) -> Option<String> {
    let local = || {
        let is_there = |base: &&&str| facts.branches.iter().any(|branch| branch == *base);
        BASES.iter().find(is_there).map(|base| (*base).to_owned())
    };
    let origin = facts.origin.clone().filter(|name| is_plain(name));
    origin.or_else(local)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::policy::settings::Settings;
    use crate::policy::{design_selection, settings};

    fn drafted(files: &[&str], branches: &[&str]) -> (SettingsDraft, Settings) {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let draft = draft(&Facts {
            files: owned(files),
            branches: owned(branches),
            ..Facts::default()
        });
        let settings = settings::parse(draft.text.as_bytes()).unwrap();
        (draft, settings)
    }

    #[test]
    fn designs_are_found_by_their_names() {
        for (files, path) in [
            (
                &["docs/lld/LLD-188.md", "docs/lld/LLD-9.md"][..],
                &["docs/lld/LLD-{issue}.md"][..],
            ),
            (
                &["docs/plans/LLD-7-sort.md"],
                &["docs/plans/LLD-{issue}-*.md"],
            ),
            (
                &[
                    "docs/lld/active/LLD-7.md",
                    "docs/lld/active/LLD-8-x.md",
                    "docs/lld/done/LLD-1.md",
                    "docs/lld/done/LLD-2.md",
                    "docs/lld/done/LLD-3.md",
                ],
                &[
                    "docs/lld/active/LLD-{issue}-*.md",
                    "docs/lld/active/LLD-{issue}.md",
                ],
            ),
            (&["docs/design/12-tables.md"], &["docs/design/{issue}-*.md"]),
            (&["notes/lld_5.md"], &["notes/lld_{issue}.md"]),
        ] {
            assert_eq!(drafted(files, &[]).1.lld_path, path, "{files:?}");
        }
    }

    #[test]
    fn other_documents_are_not_taken_for_designs() {
        for file in [
            "docs/design/2026-01-31-launch.md",
            "docs/design/0042-padded.md",
            "docs/notes/12-tables.md",
            "tests/fixtures/lld/LLD-1.md",
            "LLD-1.md",
            "docs/lld/LLD-{issue}.md",
            "docs/lld\"/LLD-1.md",
        ] {
            let (draft, settings) = drafted(&[file], &[]);
            assert_eq!(settings.lld_path, [DEFAULT_PATH], "{file}");
            assert_eq!(draft.designs, 0);
        }
    }

    #[test]
    fn keys_of_a_tracker_are_issues() {
        let (_, settings) = drafted(&["docs/lld/LLD-ABC-12.md"], &["feature/ABC-12-x"]);
        assert_eq!(settings.lld_path, ["docs/lld/LLD-{issue}.md"]);
        let issues = design_selection::issues_of(&settings, "feature/ABC-12-x".into());
        assert_eq!(issues, ["ABC-12"]);
    }

    #[test]
    fn the_base_is_a_branch_that_exists() {
        assert_eq!(
            drafted(&[], &["work", "master"]).1.base.as_deref(),
            Some("master")
        );
        assert_eq!(drafted(&[], &["work"]).1.base, None);
        let facts = Facts {
            origin: Some("next".into()),
            branches: vec!["main".into()],
            ..Facts::default()
        };
        assert!(draft(&facts).text.contains("base = \"next\""));
    }

    #[test]
    fn hostile_names_stay_out_of_the_file() {
        let (draft, settings) = drafted(
            &[
                "a\nb/tests/x",
                "x\n[rules]/Cargo.lock",
                "docs/lld/\"]/LLD-1.md",
            ],
            &["1\n[rules]\nout-of-scope=\"off\""],
        );
        assert!(!draft.text.contains("[rules]"), "{}", draft.text);
        assert_eq!(settings.levels, Settings::default().levels);
    }
}
