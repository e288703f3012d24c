//! The built-in lists of names and patterns.

use std::sync::LazyLock;

/// Patterns, separated by blanks.
type PatternList = LazyLock<Vec<&'static str>>;

/// Names of files with secrets, by the tools that write them. Templates without values are committed.
pub(super) static SECRETS: PatternList = LazyLock::new(|| {
    let patterns = "
        .env .env.* !.env*.example !.env*.sample !.env*.template !.env*.dist
        *.pem *.key *.p12 *.pfx *.jks *.keystore
        id_rsa* id_dsa* id_ecdsa* id_ed25519*
        credentials *-credentials *credentials*.json .git-credentials
        *secret*.json *secret*.yaml *secret*.yml *secret*.toml
        .netrc .npmrc .pypirc";
    patterns.split_whitespace().collect()
});

/// The patterns of tests.
pub(super) static TEST_PATTERNS: PatternList = LazyLock::new(|| {
    let patterns = "
        tests/ test/ __tests__/ spec/ testdata/
        test_*.py *_test.py conftest.py
        *_test.go *_test.rs *_test.dart *_test.exs
        *.test.* *.spec.*
        *_test.rb *_spec.rb
        *Test.java *Test.kt *Tests.cs *Test.php *Tests.swift";
    patterns.split_whitespace().collect()
});

/// Files that programs write anew: lock files, by the package managers, and what tests compare with.
pub(super) static EXEMPT: PatternList = LazyLock::new(|| {
    let patterns = "
        __snapshots__/ *.snap *.golden
        Cargo.lock go.sum go.work.sum
        package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock
        requirements.lock poetry.lock uv.lock pdm.lock pylock.toml Pipfile.lock conda-lock.yml pixi.lock
        Gemfile.lock composer.lock mix.lock rebar.lock pubspec.lock flake.lock
        packages.lock.json paket.lock Podfile.lock Package.resolved Cartfile.resolved
        gradle.lockfile buildscript-gradle.lockfile .terraform.lock.hcl Chart.lock MODULE.bazel.lock
        cabal.project.freeze stack.yaml.lock Manifest.toml renv.lock shard.lock vcpkg-lock.json conan.lock";
    patterns.split_whitespace().collect()
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::patterns::Patterns;

    #[test]
    fn the_built_in_patterns_are_patterns() {
        for list in [&SECRETS, &TEST_PATTERNS, &EXEMPT] {
            assert_eq!(Patterns::built_in(list).iter().count(), list.len());
        }
    }
}
