//! The role of granted files, derived from their paths (requirement 002, section 2.3).

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

/// The role of a path, directory or glob.
pub fn role_of(path: &str, test_patterns: &Patterns) -> Role {
    let name = path.rsplit('/').next().unwrap_or(path);
    // A granted directory of tests stands for the files below it.
    if test_patterns.contains_here_or_below(path.into(), "*") {
        return Role::Test;
    }
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
    use crate::policy::settings::Settings;

    #[test]
    fn roles() {
        let tests = Settings::default().test_patterns;
        let role = |path| role_of(path, &tests);
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
            role_of("tests/a.py", &Patterns::built_in(&["checks/**"])),
            Role::Implementation
        );
        assert_eq!(
            role_of("checks/a.py", &Patterns::built_in(&["checks/**"])),
            Role::Test
        );
    }
}
