//! The role of granted files, derived from their paths (requirement 002, section 2.3).

use std::collections::HashMap;

use crate::policy::Role;
use crate::policy::patterns::Patterns;

const CONFIG_EXTENSIONS: &[&str] = &[
    "toml",
    "yaml",
    "yml",
    "json",
    "jsonc",
    "json5",
    "jsonl",
    "ini",
    "cfg",
    "conf",
    "properties",
    "lock",
    "csv",
    "tsv",
    "xml",
    "plist",
    "env",
];
const CONFIG_NAMES: &[&str] = &["go.mod", "go.sum", "requirements.txt"];

/// Tells the roles of paths.
pub(super) struct Roles<'a> {
    tests: &'a Patterns,
    /// Whether a directory holds tests: many paths have the same one.
    directories: HashMap<String, bool>,
}

impl<'a> Roles<'a> {
    pub(super) fn new(tests: &'a Patterns) -> Roles<'a> {
        Roles {
            tests,
            directories: HashMap::new(),
        }
    }

    /// The role of a path, directory or glob.
    pub(super) fn of(&mut self, path: &str) -> Role {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        // A granted directory of tests stands for the files below it.
        if self.holds_tests(directory) || self.tests.names_here_or_below(path.into(), "*") {
            return Role::Test;
        }
        of_name(name)
    }

    fn holds_tests(&mut self, directory: &str) -> bool {
        if let Some(&known) = self.directories.get(directory) {
            return known;
        }
        let found = !directory.is_empty() && self.tests.contains_directory(directory.into());
        self.directories.insert(directory.to_owned(), found);
        found
    }
}

fn of_name(name: &str) -> Role {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let extension = extension.to_ascii_lowercase();
    let is_dot_file = stem.is_empty() && !extension.is_empty();
    if is_dot_file
        || CONFIG_EXTENSIONS.contains(&extension.as_str())
        || CONFIG_NAMES.contains(&name)
    {
        return Role::Config;
    }
    Role::Implementation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles() {
        let tests = crate::policy::settings::test_patterns();
        let mut roles = Roles::new(&tests);
        let mut role = |path| roles.of(path);
        for path in [
            "tests/unit/test_a.py",
            "tests",
            "pkg/tests",
            "src/a_test.go",
            "src/x.spec.ts",
            "test_a.py",
            "a/__tests__/x.js",
            "tests/*.py",
            "tests/data.json",
        ] {
            assert_eq!(role(path), Role::Test, "{path}");
        }
        for path in [
            "Cargo.toml",
            ".gitignore",
            "a/b.lock",
            "data/x.csv",
            ".github/workflows/ci.yml",
            "go.sum",
        ] {
            assert_eq!(role(path), Role::Config, "{path}");
        }
        for path in [
            "src/a.py",
            "src",
            "src/testing.rs",
            "contest.py",
            "Makefile",
            "README.md",
            "latest/x.rs",
        ] {
            assert_eq!(role(path), Role::Implementation, "{path}");
        }
    }

    #[test]
    fn settings_replace_the_patterns() {
        assert_eq!(
            Roles::new(&Patterns::built_in(&["checks/**"])).of("tests/a.py"),
            Role::Implementation
        );
        assert_eq!(
            Roles::new(&Patterns::built_in(&["checks/**"])).of("checks/a.py"),
            Role::Test
        );
    }
}
