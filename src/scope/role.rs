//! The role of granted files, derived from their paths (requirement 002, section 2.3).

use std::sync::LazyLock;

use super::Role;
use super::patterns::Patterns;
use super::settings::test_patterns;

const CONFIG_EXTENSIONS: &str =
    "toml|yaml|yml|json|jsonc|json5|jsonl|ini|cfg|conf|properties|lock|csv|tsv|xml|plist|env";
const CONFIG_NAMES: &str = "go.mod|go.sum|requirements.txt";

/// The patterns of tests.
static TESTS: LazyLock<Patterns> = LazyLock::new(test_patterns);

/// The role of a path, directory or glob.
pub fn role(path: &str) -> Role {
    let tests = &*TESTS;
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let holds_tests = !directory.is_empty() && tests.contains_directory(directory.into());
    // A granted directory of tests stands for the files below it.
    if holds_tests || tests.names_here_or_below(path.into(), "*") {
        return Role::Test;
    }
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_in = |word: &str, list: &str| list.split('|').any(|other| other == word);
    let is_dot_file = stem.is_empty() && !extension.is_empty();
    let is_config = is_in(&extension.to_ascii_lowercase(), CONFIG_EXTENSIONS);
    match is_dot_file || is_config || is_in(name, CONFIG_NAMES) {
        true => Role::Config,
        false => Role::Implementation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles() {
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
}
