//! What granted files are for, told from their paths (requirement 002, section 2.3).

use crate::policy::Role;

/// The globs that mean "a test" where the settings name none. A pattern
/// without a slash is matched against the file name.
pub const DEFAULT_TEST_PATTERNS: &[&str] = &[
    "**/tests/**",
    "**/test/**",
    "**/__tests__/**",
    "**/spec/**",
    "**/testdata/**",
    "test_*.py",
    "*_test.py",
    "conftest.py",
    "*_test.go",
    "*_test.rs",
    "*_test.dart",
    "*.test.*",
    "*.spec.*",
    "*_test.rb",
    "*_spec.rb",
    "*_test.exs",
    "*Test.java",
    "*Test.kt",
    "*Tests.cs",
    "*Test.php",
    "*Tests.swift",
];

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
pub fn role_of<P: AsRef<str>>(path: &str, test_patterns: &[P]) -> Role {
    let name = path.rsplit('/').next().unwrap_or(path);
    let below = format!("{path}/");
    let is_test = |pattern: &str| match pattern.contains('/') {
        true => matches(pattern, path) || matches(pattern, &below),
        false => matches(pattern, name),
    };
    if test_patterns
        .iter()
        .any(|pattern| is_test(pattern.as_ref()))
    {
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

/// Whether a pattern matches: `*` within a name, `**/` and `/**` over directories.
fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('/').collect();
    let text: Vec<&str> = text.split('/').collect();
    names_match(&pattern, &text)
}

fn names_match(pattern: &[&str], text: &[&str]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, None) => true,
        (Some((&"**", [])), _) => !text.is_empty(),
        (Some((&"**", rest)), _) => {
            (0..=text.len()).any(|skip| names_match(rest, text.get(skip..).unwrap_or(&[])))
        }
        (Some((name, pattern)), Some((first, text))) => {
            name_matches(name, first) && names_match(pattern, text)
        }
        _ => false,
    }
}

fn name_matches(pattern: &str, name: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(rest) = name.strip_prefix(head) else {
        return false;
    };
    let mut parts: Vec<&str> = tail.split('*').collect();
    let last = parts.pop().unwrap_or("");
    let mut rest = rest;
    for part in parts {
        match rest.find(part) {
            Some(index) => rest = rest.get(index + part.len()..).unwrap_or(""),
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles() {
        let role = |path| role_of(path, DEFAULT_TEST_PATTERNS);
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
        assert_eq!(role_of("tests/a.py", &["checks/**"]), Role::Implementation);
        assert_eq!(role_of("checks/a.py", &["checks/**"]), Role::Test);
    }
}
