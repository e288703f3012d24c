//! A guard without optional features, as hooks build it: it says what it cannot do, and never passes it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::common::{self, Output, Repo, SOURCE};

/// guard with the default features: named by the environment, else built.
fn guard() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        if let Some(binary) = std::env::var_os("GUARD_DEFAULT_FEATURES") {
            return Some(binary.into());
        }
        if std::env::var_os("GUARD_LONG").is_none() {
            common::skip("builds guard anew; .ci/long runs it");
            return None;
        }
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(["build", "--locked", "--bin", "guard"])
            .args(["--target-dir", "target/install"])
            .current_dir(SOURCE);
        common::run(&mut cargo).exits(0);
        Some(Path::new(SOURCE).join("target/install/debug/guard"))
    };
    BUILT.get_or_init(build).as_deref()
}

fn run(repo: &Repo, guard: &Path, arguments: &[&str]) -> Output {
    common::run(repo.command(guard).args(arguments).env("COLUMNS", "1000"))
}

#[test]
fn a_missing_feature_is_named_with_the_way_to_get_it() {
    let Some(guard) = guard() else { return };
    let repo = Repo::new();
    repo.stage("a.py", "a = 1\n");
    repo.govern(&[("a.py", "Modify", "")]);
    repo.write("content", "b = 1\n");
    let content = ["--strategy", "extend", "--content-file", "content"];
    let extend = [&["write", "a.py"][..], &content].concat();
    for (arguments, feature) in [(&["mcp"][..], "mcp"), (&extend, "extend")] {
        run(&repo, guard, arguments)
            .exits(2)
            .says(&format!("it was built without the feature `{feature}`"))
            .says("cargo install --locked --path . --features full");
    }
}
