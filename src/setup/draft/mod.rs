//! Drafts the first `guard.toml` and the first standing design from the files of a repository. Pure: names in, text out.

mod frameworks;
#[cfg(test)]
mod tests;

use crate::report::plural;
use write_guard_policy::own_part::MANAGER_SETTINGS;
use write_guard_policy::scope::glob::Glob;
use write_guard_policy::scope::path_placeholders;

use frameworks::{DEFAULT_DONE, DEFAULT_PATH, FRAMEWORKS, Framework, Plans, Selected};

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
    /// Where the line belongs that makes the plans of a framework readable.
    pub line_goes_to: Vec<&'static str>,
    /// The text of the first standing design; `None` if there is one already.
    pub standing: Option<String>,
    /// The target of `guard install` for the program that runs the hooks here, if one does.
    pub manager: Option<&'static str>,
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
# Files that say that the work of a plan is done: it grants nothing on branches that begin after it. {1} is what the first
# `*` of its pattern matched, {issue} its issue.
# done = [\"docs/lld/done/LLD-{issue}.md\"]
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
const PATH_LINE: &str = "path = \"docs/lld/active/LLD-{issue}.md\"";
const BASE_LINE: &str = "base = \"main\"";
const STANDING_LINE: &str = "standing = [\"docs/lld/standing.md\"]";
const DONE_LINE: &str = "done = [\"docs/lld/done/LLD-{issue}.md\"]";
const ALWAYS_LINE: &str = "always = [\"/CHANGELOG.md\"]";

/// What makes the plans of every framework readable.
pub const LINE_FOR_PLANS: &str =
    "End every plan with a section Files Changed: a table File | Change Type | Description";

/// Documents in a directory of plans that are none.
const NO_PLANS: &[&str] = &["AGENTS.md", "CLAUDE.md", "README.md"];

/// Directories whose files are examples, finished, or not the repository's own.
const FOREIGN: &[&str] = &[
    "examples",
    "fixtures",
    "node_modules",
    "template",
    "templates",
    "test",
    "testdata",
    "tests",
    "third_party",
    "vendor",
    "archive",
    "archived",
    "closed",
    "done",
    "old",
];

/// How the name of a change log begins, in lower case.
const CHANGE_LOGS: &[&str] = &["change", "history", "news", "release"];

/// What may follow that.
const CHANGE_LOG_ENDS: &[&str] = &["", "s", "log", "notes", "_notes", "-notes"];

/// The endings of a change log.
const TEXT_ENDINGS: &[&str] = &["", "md", "rst", "txt", "adoc"];

/// Whether a file is a change log by its name, such as `CHANGES.rst` or `NEWS`.
fn is_change_log(name: &str) -> bool {
    let name = name.to_lowercase();
    let (stem, ending) = name.split_once('.').unwrap_or((&name, ""));
    let mut starts = CHANGE_LOGS
        .iter()
        .filter_map(|start| stem.strip_prefix(start));
    starts.any(|rest| CHANGE_LOG_ENDS.contains(&rest)) && TEXT_ENDINGS.contains(&ending)
}

/// The files that everyday work changes beside its own: manifests and the settings of formatters.
const EVERYDAY: &[&str] = &[
    "Cargo.toml",
    "Gemfile",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "deno.json",
    "go.mod",
    "gradle.properties",
    "mix.exs",
    "package.json",
    "pnpm-workspace.yaml",
    "pom.xml",
    "pubspec.yaml",
    "pyproject.toml",
    "requirements.txt",
    ".clang-format",
    ".editorconfig",
    ".git-blame-ignore-revs",
    ".prettierignore",
    ".prettierrc",
    ".prettierrc.json",
    ".rustfmt.toml",
    "biome.json",
    "dprint.json",
    "ruff.toml",
    "rustfmt.toml",
    "VERSION",
    "version.txt",
];

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

/// The directories that show a framework even if they are empty, which git does not list.
pub fn directories() -> impl Iterator<Item = &'static str> {
    let all = FRAMEWORKS.iter().map(|framework| framework.directories);
    all.flatten().copied()
}

/// What the files of a repository say about its plans.
#[derive(Default)]
struct Found {
    paths: Vec<&'static str>,
    standing: Vec<&'static str>,
    done: Vec<&'static str>,
    always: Vec<&'static Framework>,
    line_goes_to: Vec<&'static str>,
    sentences: Vec<String>,
}

/// Drafts the settings from the paths of all files, tracked or not, of empty directories with a slash at the end, and from
/// the branch that work starts from.
pub fn draft(all: &[String], base: Option<String>) -> SettingsDraft {
    let mut files: Vec<&str> = all.iter().map(String::as_str).collect();
    files.retain(|file| is_plain(file));
    let mut found = Found::default();
    let mut others = files.clone();
    others.retain(|file| {
        let (directories, _) = split(file);
        !directories.split('/').any(|part| FOREIGN.contains(&part))
    });
    for framework in FRAMEWORKS {
        found.look_for(framework, &files, &mut others);
    }
    let mut next = "name branches after their designs, or choose one: guard use FILE".to_owned();
    if found.paths.is_empty() && found.standing.is_empty() {
        found.sentences.push(format!(
            "no designs yet; guard will look for {DEFAULT_PATH}"
        ));
        next = format!(
            "write the first design, {DEFAULT_PATH}, on a branch named after its issue: \
             guard scope new"
        );
        found.paths.push(DEFAULT_PATH);
        found.done.push(DEFAULT_DONE);
    }
    let standing = (!all.iter().any(|file| file == STANDING)).then(|| standing(&others));
    if standing.is_some() {
        found.standing.push(STANDING);
    }
    let base = base.filter(|base| is_plain(base));
    if let Some(base) = &base {
        let sentence = format!("work starts from the branch {base}");
        found.sentences.push(sentence);
    }
    SettingsDraft {
        text: found.settings(base.as_deref()),
        found: found.sentences,
        next,
        line_goes_to: found.line_goes_to,
        standing,
        manager: others.iter().find_map(|file| manager_of(file)),
    }
}

/// The program that runs hooks and has this file, by its name for `guard install`.
fn manager_of(file: &str) -> Option<&'static str> {
    match file {
        ".pre-commit-config.yaml" | "prek.toml" => Some("pre-commit"),
        "lefthook.yml" | ".lefthook.yml" | "lefthook.yaml" | ".lefthook.yaml" => Some("lefthook"),
        _ => file.starts_with(".husky/").then_some("husky"),
    }
}

impl Found {
    /// Notes what a framework needs, if it is in use: one of its directories is there, or one of its plans among the
    /// `others`, from which these are then taken.
    fn look_for(&mut self, framework: &'static Framework, files: &[&str], others: &mut Vec<&str>) {
        let is_there = framework.directories.iter().any(|directory| {
            let mut below = files.iter().filter_map(|file| file.strip_prefix(directory));
            below.any(|rest| rest.starts_with('/'))
        });
        let before = others.len();
        let mut by = None;
        for plans in framework.plans {
            let all = others.len();
            others.retain(|file| !is_plan(plans, file));
            if is_there || others.len() < all {
                by = Some(plans.selected);
                self.done.extend(plans.done);
                match plans.selected {
                    Selected::ByBranch => self.paths.push(plans.pattern),
                    Selected::All => self.standing.push(plans.pattern),
                }
            }
        }
        if !is_there && by.is_none() {
            return;
        }
        self.always.push(framework);
        if let Some(place) = framework.line_goes_to
            && !self.line_goes_to.contains(&place)
        {
            self.line_goes_to.push(place);
        }
        let count = match before - others.len() {
            0 => "no plan yet".to_owned(),
            count => plural(count, "plan"),
        };
        let name = framework.name;
        self.sentences.push(match by {
            Some(Selected::ByBranch) => {
                format!("{name}: {count}; the branch name selects the plan")
            }
            Some(Selected::All) => {
                let is_known = framework.plans.iter().any(|plans| plans.done.is_some());
                let which = if is_known {
                    "all that are not done"
                } else {
                    "all"
                };
                format!("{name}: {count}; {which} apply until guard use DIR narrows them")
            }
            None => format!("{name}: its tasks name no files, so write designs beside them"),
        });
    }

    /// The template with the lines filled in that something was found for.
    fn settings(&self, base: Option<&str>) -> String {
        let mut text = TEMPLATE.to_owned();
        if let [path] = self.paths[..] {
            fill_in(&mut text, PATH_LINE, &format!("path = \"{path}\""));
        } else if !self.paths.is_empty() {
            fill_in(&mut text, PATH_LINE, &format!("path = {:?}", self.paths));
        }
        if let Some(base) = base {
            fill_in(&mut text, BASE_LINE, &format!("base = \"{base}\""));
        }
        if !self.standing.is_empty() {
            let standing = format!("standing = {:?}", self.standing);
            fill_in(&mut text, STANDING_LINE, &standing);
        }
        if !self.done.is_empty() {
            fill_in(&mut text, DONE_LINE, &format!("done = {:?}", self.done));
        }
        let mut always = String::new();
        for framework in &self.always {
            if !framework.always.is_empty() {
                always += &format!("  # What {} writes beside its plans.\n", framework.name);
            }
            for pattern in framework.always {
                always += &format!("  \"{pattern}\",\n");
            }
        }
        if !always.is_empty() {
            fill_in(&mut text, ALWAYS_LINE, &format!("always = [\n{always}]"));
        }
        text
    }
}

/// Puts a setting in the place of the commented line of the template.
fn fill_in(text: &mut String, line: &str, setting: &str) {
    let commented = format!("# {line}");
    debug_assert!(text.contains(&commented), "{line}");
    *text = text.replacen(&commented, setting, 1);
}

/// Whether a file is one of these plans.
fn is_plan(plans: &Plans, file: &str) -> bool {
    let (_, name) = split(file);
    let any = path_placeholders::for_any_name(plans.pattern);
    (plans.is_plan)(name)
        && !NO_PLANS.contains(&name)
        && Glob::new(any.as_str().into()).is_ok_and(|any| any.matches(file.into()))
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
    let mut bumped = Vec::new();
    let mut logs = Vec::new();
    for file in files {
        let (directory, name) = split(file);
        // Such as the settings of an editor.
        if directory.split('/').any(|part| part.starts_with('.')) {
            continue;
        }
        let mut managers = MANAGER_SETTINGS.iter();
        if EVERYDAY.contains(&name) || managers.any(|(settings, _)| *settings == name) {
            bumped.push(file);
        }
        if is_change_log(name) {
            logs.push(file);
        }
    }
    let mut text = STANDING_START.to_owned();
    for file in bumped.iter().take(MOST_ROWS) {
        text += &format!("| `{file}` | Modify | versions, formatting, releases |\n");
    }
    for file in logs.iter().take(MOST_ROWS) {
        text += &format!("| `{file}` | Modify | releases |\n");
    }
    if logs.is_empty() {
        text += "| `CHANGELOG.md` | Add/Modify | releases |\n";
    }
    text
}
