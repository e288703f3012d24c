//! Drafts the first standing design: the files that bumps, formatting and releases change.

use std::fmt::Write;

use super::designs::is_plain;
use crate::rules::HOOK_SETTINGS;

/// Where it goes.
pub(super) const STANDING: &str = "docs/lld/standing.md";

/// More rows would hide what matters.
const MOST: usize = 20;

/// Directories whose files are not the repository's own.
const FOREIGN: &[&str] = &[
    "examples",
    "fixtures",
    "node_modules",
    "templates",
    "test",
    "testdata",
    "tests",
    "third_party",
    "vendor",
];

const MANIFESTS: &[&str] = &[
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
];

const FORMATTERS: &[&str] = &[
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
];

const RELEASES: &[&str] = &[
    "CHANGELOG.md",
    "CHANGELOG.rst",
    "CHANGES.md",
    "HISTORY.md",
    "RELEASES.md",
    "VERSION",
    "version.txt",
];

const START: &str = "\
# Standing design: bumps, formatting and releases

The files below may change on every branch, along with what its own design names. Keep the list short: a row here also
lets agents change that file in any piece of work. Lock files may change with their manifests and need no row. A
formatter run over the sources is work of its own: give it a branch and a design.

## Files Changed

| File | Change Type | Description |
|------|-------------|-------------|
";

/// The design; `None` if there is a file in its place.
pub(super) fn draft(files: &[String]) -> Option<String> {
    if files.iter().any(|file| file == STANDING) {
        return None;
    }
    let mut rows = Vec::new();
    for (names, why) in [
        (MANIFESTS, "dependency bumps, versions"),
        (FORMATTERS, "formatting"),
        (RELEASES, "releases"),
        (&HOOK_SETTINGS, "hooks and their versions"),
    ] {
        let is_own = |file: &&String| {
            let (directories, name) = file.rsplit_once('/').unwrap_or(("", file));
            let is_foreign = |part: &str| part.starts_with('.') || FOREIGN.contains(&part);
            names.contains(&name) && is_plain(file) && !directories.split('/').any(is_foreign)
        };
        rows.extend(files.iter().filter(is_own).map(|file| (file.as_str(), why)));
    }
    rows.truncate(MOST);
    let mut text = START.to_owned();
    for (file, why) in &rows {
        // Writing to a String does not fail.
        let _ = writeln!(text, "| `{file}` | Modify | {why} |");
    }
    let has_changelog = rows.iter().any(|(file, _)| RELEASES.contains(file));
    if !has_changelog {
        text.push_str("| `CHANGELOG.md` | Add/Modify | releases |\n");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::design::{DesignOptions, parse};

    #[test]
    fn rows_name_the_files_of_the_repository() {
        for (files, expected) in [
            (&[][..], &["CHANGELOG.md"][..]),
            (
                &[
                    "CHANGELOG.md",
                    ".pre-commit-config.yaml",
                    "Cargo.lock",
                    "Cargo.toml",
                    "a/b/package.json",
                    "node_modules/x/package.json",
                    "rustfmt.toml",
                    "src/lib.rs",
                    "tests/x/Cargo.toml",
                    "x\n| `src/` | Modify |/Cargo.toml",
                ],
                &[
                    "Cargo.toml",
                    "a/b/package.json",
                    "rustfmt.toml",
                    "CHANGELOG.md",
                    ".pre-commit-config.yaml",
                ],
            ),
        ] {
            let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
            let text = draft(&files).unwrap_or_default();
            let design = parse(STANDING.into(), text.as_bytes(), &DesignOptions::default());
            let granted: Vec<_> = design.grants.iter().map(|grant| &grant.path).collect();
            assert_eq!(granted, expected);
            assert_eq!(design.faults, []);
        }
        assert_eq!(draft(&[STANDING.to_owned()]), None);
    }
}
