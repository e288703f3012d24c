//! Files that may change together with a granted one: the lock file of a granted manifest, an empty `__init__.py` beside
//! an added file, and `.gitmodules` with a granted submodule.

use bstr::{BStr, ByteSlice};
use gix_hash::ObjectId;

use crate::change::{Action, Change};
use crate::scope::{Actions, GrantKind, Scope};

/// Lock files and the manifests that their package managers read.
const COMPANIONS: &[(&str, &[&str])] = &[
    ("Cargo.lock", &["Cargo.toml"]),
    ("package-lock.json", &["package.json"]),
    ("npm-shrinkwrap.json", &["package.json"]),
    ("yarn.lock", &["package.json"]),
    ("pnpm-lock.yaml", &["package.json", "pnpm-workspace.yaml"]),
    ("bun.lock", &["package.json"]),
    ("bun.lockb", &["package.json"]),
    ("deno.lock", &["deno.json", "deno.jsonc"]),
    ("poetry.lock", &["pyproject.toml"]),
    ("uv.lock", &["pyproject.toml"]),
    ("pdm.lock", &["pyproject.toml"]),
    ("pylock.toml", &["pyproject.toml"]),
    ("pixi.lock", &["pixi.toml", "pyproject.toml"]),
    ("Pipfile.lock", &["Pipfile"]),
    ("Gemfile.lock", &["Gemfile"]),
    ("composer.lock", &["composer.json"]),
    ("go.sum", &["go.mod"]),
    ("go.work.sum", &["go.work"]),
    ("mix.lock", &["mix.exs"]),
    ("pubspec.lock", &["pubspec.yaml"]),
    ("flake.lock", &["flake.nix"]),
    ("Podfile.lock", &["Podfile"]),
    ("Package.resolved", &["Package.swift"]),
    ("gradle.lockfile", &["build.gradle", "build.gradle.kts"]),
    (".terraform.lock.hcl", &["versions.tf", "main.tf"]),
    ("Chart.lock", &["Chart.yaml"]),
    ("MODULE.bazel.lock", &["MODULE.bazel"]),
];

/// Whether the scope grants the change through another file: a lock file in the directory of a granted manifest or
/// above it, an empty `__init__.py` in the directory of an added file, or `.gitmodules` with a granted submodule.
pub(super) fn is_granted(scope: &Scope, change: &Change) -> bool {
    let is_edit = matches!(change.action(), Action::Add | Action::Modify);
    if !is_edit || change.leaves_no_regular_file() {
        return false;
    }
    let path: &BStr = change.path.as_ref();
    // `submodule-changed` judges the content of `.gitmodules` key by key.
    if path == ".gitmodules" {
        let mut grants = scope.grants().iter();
        return grants.any(|grant| grant.actions.contains(Actions::SUBMODULE));
    }
    let (directory, name) = split(path);
    if name == b"__init__.py" {
        let is_empty = change
            .new
            .is_some_and(|state| state.id == ObjectId::empty_blob(state.id.kind()));
        if change.old.is_some() || !is_empty {
            return false;
        }
        return scope.grants().iter().any(|grant| {
            grant.kind == GrantKind::File
                && grant.actions.contains(Actions::ADD)
                && split(grant.path.as_ref()).0 == directory
        });
    }
    let Some((_, manifests)) = COMPANIONS.iter().find(|(lock, _)| lock.as_bytes() == name) else {
        return false;
    };
    scope.grants().iter().any(|grant| {
        let (below, manifest) = split(grant.path.as_ref());
        grant.kind == GrantKind::File
            && (grant.actions.contains(Actions::MODIFY) || grant.actions.contains(Actions::ADD))
            && manifests.iter().any(|known| known.as_bytes() == manifest)
            && below.starts_with(directory)
    })
}

/// The directory, with its trailing slash, and the file name.
fn split(path: &BStr) -> (&[u8], &[u8]) {
    path.split_at(path.rfind_byte(b'/').map_or(0, |slash| slash + 1))
}
