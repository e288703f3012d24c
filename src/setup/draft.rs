//! Drafts the first `guard.toml` and the first standing design from the files of a repository. Pure: names in, text out.

use std::collections::BTreeMap;

use regex_lite::Regex;

use crate::finding::Rule;
use crate::report::plural;
use crate::rules::HOOK_SETTINGS;
use crate::scope::glob::Glob;
use crate::scope::path_placeholders;

/// Where designs go if there are none yet.
const DEFAULT_PATH: &str = "docs/lld/active/LLD-{issue}.md";

/// Where the first standing design goes.
pub const STANDING: &str = "docs/lld/standing.md";

/// What the draft depends on.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Paths of files, tracked or not, relative to the root.
    pub files: Vec<String>,
    /// Local branches.
    pub branches: Vec<String>,
    /// The default branch of `origin`.
    pub origin: Option<String>,
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
    /// The number of existing designs and plans.
    pub designs: usize,
    /// Whether branches are named after plans.
    pub plans: bool,
    /// The text of the first standing design; `None` if there is one already.
    pub standing: Option<String>,
    /// Whether pre-commit or prek is in use.
    pub pre_commit: bool,
}

/// The file. Lines in angle brackets are filled in.
const TEMPLATE: &str = "\
# The settings of guard. guard judges a commit by the guard.toml in HEAD, so a change here takes effect once
# you commit it. To list all keys: guard generate settings

[lld]
<path>
<issues>
# The branch that work starts from.
<base>
<standing>
# On a branch without a design, \"block\" refuses commits, and \"skip\" leaves out the scope rules.
# missing = \"block\"

[scope]
# Paths that need no row; patterns as in a .gitignore at the root.
# always = [\"/CHANGELOG.md\"]
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

const PLACEHOLDERS: [(&str, &str); 3] = [
    ("{issue}", "the issue in the branch name"),
    ("{branch}", "the branch name or its end after a slash"),
    (
        "{slug}",
        "the last part of the branch name, with or without its number",
    ),
];

/// The branches that work usually starts from.
const BASES: &[&str] = &["main", "master", "trunk", "develop"];

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
Kiro                 path     .kiro/specs/{slug}/{requirements,design,tasks}.md
";

/// Documents in a directory of plans that are none.
const NO_PLANS: &[&str] = &["AGENTS.md", "CLAUDE.md", "README.md"];

/// Directories that hold designs, by their own name.
const DESIGN_DIRECTORIES: &str = "lld llds design designs design-docs plan plans spec specs rfcs";

/// Directories whose files are examples, finished, or not the repository's own.
const FOREIGN: &str = "examples fixtures node_modules template templates test testdata tests third_party vendor archive \
    archived closed done old";

/// The name of a design without its extension. Dates and numbers with leading zeros are not issues, because no branch
/// has such a name.
const DESIGN_NAME: &str = r"^(?P<prefix>(?i:lld|design|plan|spec|issue|rfc)[-_])?(?P<key>[A-Z][A-Z0-9]+-)?[1-9][0-9]*(?P<rest>[-_].*)?$";
const DATE: &str = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}";

/// The files that everyday work changes beside its own, and why.
const EVERYDAY: [(&str, &str); 3] = [
    (
        "Cargo.toml Gemfile build.gradle build.gradle.kts composer.json deno.json go.mod gradle.properties mix.exs \
         package.json pnpm-workspace.yaml pom.xml pubspec.yaml pyproject.toml requirements.txt",
        "dependency bumps, versions",
    ),
    (
        ".clang-format .editorconfig .git-blame-ignore-revs .prettierignore .prettierrc .prettierrc.json .rustfmt.toml \
         biome.json dprint.json ruff.toml rustfmt.toml",
        "formatting",
    ),
    (RELEASES, "releases"),
];
const RELEASES: &str =
    "CHANGELOG.md CHANGELOG.rst CHANGES.md HISTORY.md RELEASES.md VERSION version.txt";

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

/// The rules of which `guard init --observe` makes warnings: those about commits. What is closed to requests, such as
/// secrets, stays closed.
const OBSERVED: [Rule; 6] = [
    Rule::OutOfScope,
    Rule::ActionNotGranted,
    Rule::DestructiveChange,
    Rule::ScopeAmended,
    Rule::PolicyChanged,
    Rule::SubmoduleChanged,
];

/// The drafted settings with findings that warn, and commits that need no design.
pub fn observing(text: &str) -> String {
    let levels = OBSERVED.map(|rule| format!("{} = \"warning\"\n", rule.id()));
    format!(
        "{}\n[rules]\n# guard only observes. Remove a line to refuse what its rule finds.\n{}",
        text.replace("# missing = \"block\"", "missing = \"skip\""),
        levels.concat()
    )
}

/// Drafts the settings.
pub fn draft(facts: &Facts) -> SettingsDraft {
    let is_foreign = |part: &str| lists(FOREIGN, part);
    let mut files: Vec<&str> = facts.files.iter().map(String::as_str).collect();
    files.retain(|file| is_plain(file) && !split(file).0.split('/').any(is_foreign));
    let designs = Designs::find(&files);
    let mut found = designs.told();
    let mut paths = designs.patterns.clone();
    let plans = find_plans(&files);
    let mut always = Vec::new();
    for plan in &plans {
        let (list, by) = match plan.key {
            "path" => (&mut paths, "the branch name selects the plan"),
            _ => (&mut always, "all apply until guard use DIR narrows them"),
        };
        list.push(plan.pattern.to_owned());
        let documents = plural(plan.count, "document");
        found.push(format!("{documents} of {} found; {by}", plan.framework));
    }
    let narrow = match always.is_empty() {
        true => "",
        false => " To narrow plans for a branch: guard use DIR",
    };
    if paths.is_empty() && always.is_empty() {
        found.push(format!(
            "no designs yet; guard will look for {DEFAULT_PATH}"
        ));
        paths.push(DEFAULT_PATH.to_owned());
    }
    let base = base(facts);
    found.extend(
        base.iter()
            .map(|base| format!("work starts from the branch {base}")),
    );
    let has_standing = facts.files.iter().any(|file| file == STANDING);
    let standing = (!has_standing).then(|| standing(&files));
    always.extend(standing.iter().map(|_| STANDING.to_owned()));
    let mut about_path =
        "# The paths of the designs that branches select by their names.".to_owned();
    let used = |placeholder: &str| paths.iter().any(|path| path.contains(placeholder));
    for (placeholder, meaning) in PLACEHOLDERS.into_iter().filter(|(name, _)| used(name)) {
        about_path.push_str(&format!(" {placeholder} is {meaning}."));
    }
    let text = TEMPLATE
        .replace("<path>", &match paths.as_slice() {
            [] => format!("{about_path}\n# path = \"{DEFAULT_PATH}\""),
            [one] => format!("{about_path}\npath = \"{one}\""),
            several => format!("{about_path}\npath = {several:?}"),
        })
        .replace("<issues>\n", match used("{issue}") {
            false => "",
            true if designs.has_keys => "# Issues are keys such as ABC-12.\nissue-pattern = '[A-Z][A-Z0-9]+-[0-9]+'\n",
            true => "# A number that stands alone in the branch name is the issue, as in 188-enforce-paths.\n",
        })
        .replace("<base>", &match base {
            Some(base) => format!("base = \"{base}\""),
            None => "# base = \"main\"".to_owned(),
        })
        .replace("<standing>", &{
            let about = "# Designs that always apply, such as those for releases and dependency bumps.";
            match always.is_empty() {
                true => format!("{about}\n# standing = [\"{STANDING}\"]"),
                false => format!("{about}{narrow}\nstanding = {always:?}"),
            }
        });
    let is_framework = |file: &&str| matches!(*file, ".pre-commit-config.yaml" | "prek.toml");
    SettingsDraft {
        text,
        found,
        design: paths.first().cloned(),
        designs: designs.count + plans.iter().map(|plan| plan.count).sum::<usize>(),
        plans: !plans.is_empty(),
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

fn base(facts: &Facts) -> Option<String> {
    let is_there = |base: &&&str| facts.branches.iter().any(|branch| branch == *base);
    let local = || BASES.iter().find(is_there).map(|base| (*base).to_owned());
    facts
        .origin
        .clone()
        .filter(|name| is_plain(name))
        .or_else(local)
}

/// The designs that are named after issues.
#[derive(Debug, Default)]
struct Designs {
    /// For `[lld] path`.
    patterns: Vec<String>,
    count: usize,
    /// Whether issues are keys such as `ABC-12`.
    has_keys: bool,
}

impl Designs {
    /// Those of one directory, prefix and kind of issue: the place with the best name, then with the most designs.
    fn find(files: &[&str]) -> Designs {
        let (Ok(name), Ok(date)) = (Regex::new(DESIGN_NAME), Regex::new(DATE)) else {
            return Designs::default();
        };
        let mut places: BTreeMap<(&str, &str, bool), BTreeMap<String, usize>> = BTreeMap::new();
        for file in files {
            let (directory, file_name) = split(file);
            let stem = file_name
                .strip_suffix(".md")
                .filter(|stem| !date.is_match(stem));
            let Some(parts) = stem.and_then(|stem| name.captures(stem)) else {
                continue;
            };
            let part = |name: &str| parts.name(name).map_or("", |part| part.as_str());
            let prefix = part("prefix");
            let is_design = |part: &str| lists(DESIGN_DIRECTORIES, part);
            if directory.is_empty() || !(is_lld(prefix) || directory.split('/').any(is_design)) {
                continue;
            }
            let rest = part("rest")
                .get(..1)
                .map_or(String::new(), |first| format!("{first}*"));
            let pattern = format!("{directory}/{prefix}{{issue}}{rest}.md");
            let place = (directory, prefix, !part("key").is_empty());
            *places.entry(place).or_default().entry(pattern).or_default() += 1;
        }
        let best = places
            .into_iter()
            .max_by_key(|((directory, prefix, _), patterns)| {
                let is_active = split(directory).1 == "active";
                (is_active, is_lld(prefix), patterns.values().sum::<usize>())
            });
        let Some(((.., has_keys), patterns)) = best else {
            return Designs::default();
        };
        Designs {
            count: patterns.values().sum(),
            patterns: patterns.into_keys().collect(),
            has_keys,
        }
    }

    fn told(&self) -> Vec<String> {
        let verb = if self.count == 1 { "is" } else { "are" };
        let told = |first| format!("{} {verb} named like {first}", plural(self.count, "design"));
        self.patterns.first().map(told).into_iter().collect()
    }
}

fn is_lld(prefix: &str) -> bool {
    prefix.to_ascii_lowercase().starts_with("lld")
}

/// The plans of a framework.
struct Plans {
    framework: String,
    /// `path` or `standing`.
    key: &'static str,
    pattern: &'static str,
    count: usize,
}

fn find_plans(files: &[&str]) -> Vec<Plans> {
    let mut left = files.to_vec();
    let find = |line: &'static str| {
        let mut words = line.split_whitespace();
        let (framework, key, pattern) = (words.next()?, words.next()?, words.next()?);
        let start = Regex::new(words.next().unwrap_or_default()).ok()?;
        let any = path_placeholders::for_any_name(pattern);
        let any = Glob::new(any.as_str().into()).ok()?;
        let before = left.len();
        left.retain(|file| {
            let (_, name) = split(file);
            let is_plan = !NO_PLANS.contains(&name) && start.is_match(name);
            !(is_plan && any.matches((*file).into()))
        });
        Some(Plans {
            framework: framework.replace('_', " "),
            key,
            pattern,
            count: before - left.len(),
        })
    };
    let plans = FRAMEWORKS.lines().filter_map(find);
    plans.filter(|plans| plans.count > 0).collect()
}

/// The first standing design: a row for each file that bumps, formatting and releases change.
fn standing(files: &[&str]) -> String {
    let hooks = HOOK_SETTINGS.join(" ");
    let everyday = EVERYDAY
        .into_iter()
        .chain([(hooks.as_str(), "hooks and their versions")]);
    let rows = everyday.flat_map(|(names, why)| {
        let is_own = move |file: &&&str| {
            let (directories, name) = split(file);
            lists(names, name) && !directories.split('/').any(|part| part.starts_with('.'))
        };
        files.iter().filter(is_own).map(move |file| (*file, why))
    });
    let rows: Vec<_> = rows.take(MOST_ROWS).collect();
    let mut text = STANDING_START.to_owned();
    for (file, why) in &rows {
        text.push_str(&format!("| `{file}` | Modify | {why} |\n"));
    }
    if !rows.iter().any(|(file, _)| lists(RELEASES, file)) {
        text.push_str("| `CHANGELOG.md` | Add/Modify | releases |\n");
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::design::parse;
    use crate::policy;
    use crate::scope::settings::{self, Settings};

    fn drafted(files: &[&str], branches: &[&str]) -> (SettingsDraft, Settings) {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let draft = draft(&Facts {
            files: owned(files),
            branches: owned(branches),
            origin: None,
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
                ],
                &[
                    "docs/lld/active/LLD-{issue}-*.md",
                    "docs/lld/active/LLD-{issue}.md",
                ],
            ),
            (&["docs/design/12-tables.md"], &["docs/design/{issue}-*.md"]),
            (&["notes/lld_5.md"], &["notes/lld_{issue}.md"]),
            (&["docs/lld/LLD-ABC-12.md"], &["docs/lld/LLD-{issue}.md"]),
            (&["docs/design/2026-01-31-launch.md"], &[DEFAULT_PATH]),
            (&["docs/design/0042-padded.md"], &[DEFAULT_PATH]),
            (&["docs/notes/12-tables.md"], &[DEFAULT_PATH]),
            (&["tests/fixtures/lld/LLD-1.md"], &[DEFAULT_PATH]),
            (
                &["LLD-1.md", "docs/lld/LLD-{issue}.md", "docs/lld\"/LLD-1.md"],
                &[DEFAULT_PATH],
            ),
        ] {
            let (draft, settings) = drafted(files, &["feature/ABC-12-x"]);
            assert_eq!(settings.lld_path, path, "{files:?}");
            assert_eq!(draft.designs == 0, path == [DEFAULT_PATH], "{files:?}");
            if files[0].contains("ABC") {
                let issues = policy::issues_of(&settings, "feature/ABC-12-x".into());
                assert_eq!(issues, ["ABC-12"]);
            }
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
            let plans = find_plans(&[file]);
            let found = plans
                .first()
                .map_or(("", ""), |plans| (plans.key, plans.pattern));
            assert_eq!(found, (key, pattern), "{file}");
            assert!(plans.len() < 2, "{file}");
        }
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
    fn hostile_names_stay_out_of_the_files() {
        let files = [
            "a\nb/tests/x",
            "x\n[rules]/Cargo.lock",
            "x\n| `src/` | Modify |/Cargo.toml",
        ];
        let (draft, settings) = drafted(&files, &["1\n[rules]\nout-of-scope=\"off\""]);
        assert!(!draft.text.contains("[rules]"), "{}", draft.text);
        assert_eq!(settings.levels, Settings::default().levels);
        assert!(!draft.standing.unwrap().contains("src/"));
    }

    #[test]
    fn rows_of_the_standing_design_name_the_files_of_the_repository() {
        let files = "CHANGELOG.md .pre-commit-config.yaml Cargo.lock Cargo.toml a/b/package.json \
            node_modules/x/package.json rustfmt.toml src/lib.rs tests/x/Cargo.toml";
        let own = "Cargo.toml a/b/package.json rustfmt.toml CHANGELOG.md .pre-commit-config.yaml";
        for (files, expected) in [("", "CHANGELOG.md"), (files, own)] {
            let files: Vec<&str> = files.split_whitespace().collect();
            let text = drafted(&files, &[]).0.standing.unwrap();
            let design = parse(STANDING.into(), text.as_bytes(), &Settings::default());
            let granted: Vec<_> = design
                .grants
                .iter()
                .map(|grant| grant.path.to_string())
                .collect();
            assert_eq!(granted.join(" "), expected);
            assert_eq!(design.faults, []);
        }
        assert_eq!(drafted(&[STANDING], &[]).0.standing, None);
    }
}
