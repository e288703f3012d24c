//! Drafts the first `guard.toml` and the first standing design from the files of a repository. Pure: names in, text out.

use regex_lite::Regex;

use crate::report::plural;
use crate::rules::HOOK_SETTINGS;
use crate::scope::glob::Glob;
use crate::scope::path_placeholders;

/// Where designs go if there are none yet.
const DEFAULT_PATH: &str = "docs/lld/active/LLD-{issue}.md";

/// Where the first standing design goes.
pub const STANDING: &str = "docs/lld/standing.md";

/// A drafted `guard.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsDraft {
    /// The file's content.
    pub text: String,
    /// What guard found, one sentence each.
    pub found: Vec<String>,
    /// How a branch gets its design.
    pub next: String,
    /// The text of the first standing design; `None` if there is one already.
    pub standing: Option<String>,
    /// Whether pre-commit or prek is in use.
    pub pre_commit: bool,
}

/// The file. What guard finds replaces commented lines.
const TEMPLATE: &str = "\
# The settings of guard. guard judges a commit by the guard.toml in HEAD, so a change here takes effect once
# you commit it. To list all keys: guard generate settings

[lld]
# The paths of the designs that branches select by their names: {issue} is the issue in the name, {branch} the name or
# its end after a slash, {slug} the last part of the name, with or without its number.
# path = \"docs/lld/active/LLD-{issue}.md\"
# A number that stands alone in the branch name is the issue, as in 188-enforce-paths. For keys such as ABC-12:
# issue-pattern = '[A-Z][A-Z0-9]+-[0-9]+'
# The branch that work starts from.
# base = \"main\"
# Designs that always apply, such as those for releases and dependency bumps. To narrow plans: guard use DIR
# standing = [\"docs/lld/standing.md\"]
# On a branch without a design, \"block\" refuses commits, and \"skip\" leaves out the scope rules.
# missing = \"block\"

[scope]
# Paths that need no row; patterns as in a .gitignore at the root.
# always = [\"/CHANGELOG.md\"]
# Paths that no change may touch.
# protect = [\"/LICENSE*\"]

[workspace]
# Directories that agents and `guard write` may read and write, relative to the repository's root.
# read = [\".\"]
# write = [\"src\", \"tests\"]
";

/// Lines of the template that guard fills in.
const PATH: &str = "path = \"docs/lld/active/LLD-{issue}.md\"";
const BASE: &str = "base = \"main\"";
const ALWAYS: &str = "standing = [\"docs/lld/standing.md\"]";

/// Each framework, the key of `[lld]` for its plans, their pattern, and how their names begin where other documents are
/// beside them. All plans of those that go from plan to plan on one branch are standing.
const FRAMEWORKS: &str = "\
GSD                  standing .planning/phases/*/*PLAN.md
yolo                 standing .yolo-planning/phases/*/*PLAN.md
vbw                  standing .vbw-planning/phases/*/*PLAN.md
superpowers          path     docs/superpowers/plans/*-{slug}.md ^[0-9]{4}-[0-9]{2}-[0-9]{2}-
compound_engineering path     docs/plans/*-{slug}-plan.md ^[0-9]{4}-[0-9]{2}-[0-9]{2}-
dated_plans          path     docs/plans/*-{slug}.md ^[0-9]{4}-[0-9]{2}-[0-9]{2}-
ultrapower           path     .omc/plans/{slug}.md
OpenSpec             path     openspec/changes/{slug}/{proposal,design,tasks}.md
spec-kit             path     specs/{branch}/{spec,plan,tasks}.md
BMAD_4               standing docs/stories/*.md ^[0-9]+[.-][0-9]+
BMAD_6               standing _bmad-output/implementation-artifacts/*-*-*.md ^[0-9]+[.-][0-9]+
BMAD_6               standing _bmad-output/implementation-artifacts/stories/*.md ^[0-9]+[.-][0-9]+
numbered_designs     path     docs/lld/active/LLD-{issue}-*.md ^LLD-[1-9][0-9]*-
numbered_designs     path     docs/lld/active/LLD-{issue}.md ^LLD-[1-9][0-9]*\\.
numbered_designs     path     docs/lld/LLD-{issue}-*.md ^LLD-[1-9][0-9]*-
numbered_designs     path     docs/lld/LLD-{issue}.md ^LLD-[1-9][0-9]*\\.
numbered_designs     path     docs/design/LLD-{issue}-*.md ^LLD-[1-9][0-9]*-
numbered_designs     path     docs/design/LLD-{issue}.md ^LLD-[1-9][0-9]*\\.
Kiro                 path     .kiro/specs/{slug}/{requirements,design,tasks}.md
";

/// Documents in a directory of plans that are none.
const NO_PLANS: &[&str] = &["AGENTS.md", "CLAUDE.md", "README.md"];

/// Directories whose files are examples, finished, or not the repository's own.
const FOREIGN: &str = "examples fixtures node_modules template templates test testdata tests third_party vendor archive \
    archived closed done old";

/// The files that everyday work changes beside its own: manifests, the settings of formatters, change logs.
const EVERYDAY: &str = "Cargo.toml Gemfile build.gradle build.gradle.kts composer.json deno.json go.mod gradle.properties \
    mix.exs package.json pnpm-workspace.yaml pom.xml pubspec.yaml pyproject.toml requirements.txt .clang-format \
    .editorconfig .git-blame-ignore-revs .prettierignore .prettierrc .prettierrc.json .rustfmt.toml biome.json \
    dprint.json ruff.toml rustfmt.toml CHANGELOG.rst CHANGES.md HISTORY.md RELEASES.md VERSION version.txt";

/// More rows would hide what matters.
const MOST_ROWS: usize = 20;

const STANDING_START: &str = "\
# Standing design: bumps, formatting and releases

The files below may change on every branch, along with what its own design names. Keep the list short: a row here also
lets agents change that file in any piece of work. Lock files may change with their manifests and need no row. A
formatter run over the sources is work of its own: give it a branch and a design.

## Files Changed

| File | Change Type | Description |
|------|-------------|-------------|
";

/// What `guard init --observe` adds: the rules about commits warn. What is closed to requests, such as secrets, stays
/// closed.
const OBSERVING: &str = "
[rules]
# guard only observes. Remove a line to refuse what its rule finds.
out-of-scope = \"warning\"
action-not-granted = \"warning\"
destructive-change = \"warning\"
scope-amended = \"warning\"
policy-changed = \"warning\"
submodule-changed = \"warning\"
";

/// The drafted settings with findings that warn, and commits that need no design.
pub fn observing(text: &str) -> String {
    text.replace("# missing = \"block\"", "missing = \"skip\"") + OBSERVING
}

/// Drafts the settings from the paths of all files, tracked or not, and the branch that work starts from.
pub fn draft(all: &[String], base: Option<String>) -> SettingsDraft {
    let is_foreign = |part: &str| lists(FOREIGN, part);
    let mut files: Vec<&str> = all.iter().map(String::as_str).collect();
    files.retain(|file| is_plain(file) && !split(file).0.split('/').any(is_foreign));
    let (mut paths, mut always, mut found) = (Vec::new(), Vec::new(), Vec::new());
    for line in FRAMEWORKS.lines() {
        let mut words = line.split_whitespace();
        let mut word = || words.next().unwrap_or_default();
        let (framework, key, pattern, start) = (word(), word(), word(), word());
        let any = path_placeholders::for_any_name(pattern);
        let (Ok(start), Ok(any)) = (Regex::new(start), Glob::new(any.as_str().into())) else {
            continue;
        };
        let before = files.len();
        files.retain(|file| {
            let (_, name) = split(file);
            let is_plan = !NO_PLANS.contains(&name) && start.is_match(name);
            !(is_plan && any.matches((*file).into()))
        });
        let count = before - files.len();
        if count == 0 {
            continue;
        }
        let (list, by) = match key {
            "path" => (&mut paths, "the branch name selects the plan"),
            _ => (&mut always, "all apply until guard use DIR narrows them"),
        };
        list.push(pattern.to_owned());
        let (documents, framework) = (plural(count, "document"), framework.replace('_', " "));
        found.push(format!("{documents} found ({framework}); {by}"));
    }
    let mut next = "name branches after their designs, or choose one: guard use FILE".to_owned();
    if paths.is_empty() && always.is_empty() {
        found.push(format!(
            "no designs yet; guard will look for {DEFAULT_PATH}"
        ));
        next = format!(
            "write the first design, {DEFAULT_PATH}, on a branch named after its issue: guard scope new"
        );
        paths.push(DEFAULT_PATH.to_owned());
    }
    let standing = (!all.iter().any(|file| file == STANDING)).then(|| standing(&files));
    always.extend(standing.iter().map(|_| STANDING.to_owned()));
    let mut text = TEMPLATE.to_owned();
    let mut set = |line: &str, value: &str| text = text.replacen(&format!("# {line}"), value, 1);
    match paths.as_slice() {
        [] => {}
        [one] => set(PATH, &format!("path = \"{one}\"")),
        several => set(PATH, &format!("path = {several:?}")),
    }
    if let Some(base) = base.filter(|base| is_plain(base)) {
        found.push(format!("work starts from the branch {base}"));
        set(BASE, &format!("base = \"{base}\""));
    }
    if !always.is_empty() {
        set(ALWAYS, &format!("standing = {always:?}"));
    }
    let is_framework = |file: &&str| matches!(*file, ".pre-commit-config.yaml" | "prek.toml");
    SettingsDraft {
        text,
        found,
        next,
        standing,
        pre_commit: files.iter().any(is_framework),
    }
}

/// Whether a list of words has this one.
fn lists(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|listed| listed == word)
}

/// The directory and the name of a file.
fn split(file: &str) -> (&str, &str) {
    file.rsplit_once('/').unwrap_or(("", file))
}

/// Whether all characters are ordinary in TOML strings, comments and globs.
fn is_plain(name: &str) -> bool {
    name.chars()
        .all(|c| c.is_ascii_alphanumeric() || "._-/ +@".contains(c))
}

/// The first standing design: a row for each file that bumps, formatting and releases change.
fn standing(files: &[&str]) -> String {
    let is_own = |file: &&&str| {
        let (directories, name) = split(file);
        let is_hidden = directories.split('/').any(|part| part.starts_with('.'));
        !is_hidden && (lists(EVERYDAY, name) || HOOK_SETTINGS.contains(&name))
    };
    let mut text = STANDING_START.to_owned();
    for file in files.iter().filter(is_own).take(MOST_ROWS) {
        text.push_str(&format!(
            "| `{file}` | Modify | versions, formatting, releases |\n"
        ));
    }
    text + "| `CHANGELOG.md` | Add/Modify | releases |\n"
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::design::parse;
    use crate::scope::settings::{self, Settings};

    fn drafted(files: &[&str], base: &str) -> (SettingsDraft, Settings) {
        let files: Vec<String> = files.iter().map(|name| (*name).to_owned()).collect();
        let draft = draft(&files, Some(base.to_owned()));
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
                &["docs/design/LLD-7-sort.md"],
                &["docs/design/LLD-{issue}-*.md"],
            ),
            (
                &[
                    "docs/lld/active/LLD-7.md",
                    "docs/lld/active/LLD-8-x.md",
                    "docs/lld/done/LLD-1.md",
                ],
                &[
                    "docs/lld/active/LLD-{issue}-*.md",
                    "docs/lld/active/LLD-{issue}.md",
                ],
            ),
            (&["docs/lld/LLD-0042-padded.md"], &[DEFAULT_PATH]),
            (&["tests/docs/lld/LLD-1.md"], &[DEFAULT_PATH]),
            (&["LLD-1.md", "docs/lld/LLD-{issue}.md"], &[DEFAULT_PATH]),
        ] {
            let (draft, settings) = drafted(files, "main");
            assert_eq!(settings.lld_path, path, "{files:?}");
            let is_first = draft.next.contains("write the first design");
            assert_eq!(is_first, path == [DEFAULT_PATH], "{files:?}");
        }
    }

    #[test]
    fn each_framework_has_its_pattern() {
        for (file, key, pattern) in [
            (
                "docs/superpowers/plans/2026-01-31-x.md",
                "path",
                "docs/superpowers/plans/*-{slug}.md",
            ),
            (
                "docs/plans/2026-01-31-001-x-plan.md",
                "path",
                "docs/plans/*-{slug}-plan.md",
            ),
            (
                "docs/plans/2026-01-31-x.md",
                "path",
                "docs/plans/*-{slug}.md",
            ),
            (".omc/plans/x.md", "path", ".omc/plans/{slug}.md"),
            (
                "openspec/changes/x/tasks.md",
                "path",
                "openspec/changes/{slug}/{proposal,design,tasks}.md",
            ),
            (
                "specs/004-x/plan.md",
                "path",
                "specs/{branch}/{spec,plan,tasks}.md",
            ),
            (
                ".kiro/specs/6-api/design.md",
                "path",
                ".kiro/specs/{slug}/{requirements,design,tasks}.md",
            ),
            (
                ".planning/phases/03-x/03-01-PLAN.md",
                "standing",
                ".planning/phases/*/*PLAN.md",
            ),
            (
                ".yolo-planning/phases/03-x/01-PLAN.md",
                "standing",
                ".yolo-planning/phases/*/*PLAN.md",
            ),
            (
                ".vbw-planning/phases/03-x/01-PLAN.md",
                "standing",
                ".vbw-planning/phases/*/*PLAN.md",
            ),
            ("docs/stories/1.2.login.md", "standing", "docs/stories/*.md"),
            (
                "_bmad-output/implementation-artifacts/1-2-x.md",
                "standing",
                "_bmad-output/implementation-artifacts/*-*-*.md",
            ),
            (
                "_bmad-output/implementation-artifacts/stories/1.2.md",
                "standing",
                "_bmad-output/implementation-artifacts/stories/*.md",
            ),
            ("docs/plans/AGENTS.md", "", ""),
            ("docs/plans/launch.md", "", ""),
            (".omc/plans/README.md", "", ""),
            ("specs/plan.md", "", ""),
            ("openspec/changes/archive/2026-01-31-x/tasks.md", "", ""),
            ("openspec/specs/x/spec.md", "", ""),
            ("tests/.planning/phases/1/01-PLAN.md", "", ""),
        ] {
            let (_, settings) = drafted(&[file, STANDING], "main");
            let found = match (&settings.lld_path[..], &settings.standing[..]) {
                ([path], []) if path != DEFAULT_PATH => ("path", path.as_str()),
                ([], [standing]) => ("standing", standing.as_str()),
                _ => ("", ""),
            };
            assert_eq!(found, (key, pattern), "{file}");
        }
    }

    #[test]
    fn hostile_names_stay_out_of_the_files() {
        let files = [
            "a\nb/tests/x",
            "x\n[rules]/Cargo.lock",
            "x\n| `src/` | Modify |/Cargo.toml",
        ];
        let (draft, settings) = drafted(&files, "1\n[rules]\nout-of-scope=\"off\"");
        assert!(!draft.text.contains("[rules]"), "{}", draft.text);
        assert_eq!(settings.levels, Settings::default().levels);
        assert!(!draft.standing.unwrap().contains("src/"));
    }

    #[test]
    fn rows_of_the_standing_design_name_the_files_of_the_repository() {
        let files = "CHANGELOG.md .pre-commit-config.yaml Cargo.lock Cargo.toml a/b/package.json \
            node_modules/x/package.json rustfmt.toml src/lib.rs tests/x/Cargo.toml";
        let own = ".pre-commit-config.yaml Cargo.toml a/b/package.json rustfmt.toml CHANGELOG.md";
        for (files, expected) in [("", "CHANGELOG.md"), (files, own)] {
            let files: Vec<&str> = files.split_whitespace().collect();
            let text = drafted(&files, "main").0.standing.unwrap();
            let design = parse(STANDING.into(), text.as_bytes(), &Settings::default());
            let granted: Vec<_> = design
                .grants
                .iter()
                .map(|grant| grant.path.to_string())
                .collect();
            assert_eq!(granted.join(" "), expected);
            assert_eq!(design.faults, []);
        }
        assert_eq!(drafted(&[STANDING], "main").0.standing, None);
    }
}
