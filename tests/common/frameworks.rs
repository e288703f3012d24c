//! The hook frameworks, configured with the hooks that guard ships.

use std::path::{Path, PathBuf};

use super::{GUARD, SOURCE};

/// The frameworks found, by name and path: named by the environment, else as `tests/run` installs them.
pub fn frameworks() -> Vec<(&'static str, PathBuf)> {
    let mut found = Vec::new();
    for (name, variable) in [("pre-commit", "GUARD_PRE_COMMIT"), ("prek", "GUARD_PREK")] {
        let installed = Path::new(SOURCE).join("target/venv/bin").join(name);
        let program = std::env::var_os(variable).map_or(installed, PathBuf::from);
        if program.is_file() {
            found.push((name, program));
        } else {
            super::skip(&format!("{name} is not installed; tests/run installs it"));
        }
    }
    found
}

/// lefthook, named by the environment, else as `tests/run` installs it.
#[allow(dead_code)]
pub fn lefthook() -> Option<PathBuf> {
    let installed = Path::new(SOURCE).join("target/venv/bin/lefthook");
    let program = std::env::var_os("GUARD_LEFTHOOK").map_or(installed, PathBuf::from);
    if !program.is_file() {
        super::skip("lefthook is not installed; tests/run installs it");
        return None;
    }
    Some(program)
}

/// The shipped hook `guard-system` as a local one, with the built binary in place of the name.
pub fn local_config() -> String {
    format!(
        "repos:\n- repo: local\n  hooks:\n  - id: guard-system\n    name: guard\n    \
         entry: {GUARD} hook framework\n    language: system\n    always_run: true\n    \
         pass_filenames: false\n    require_serial: true\n    \
         stages: [pre-commit, pre-merge-commit, pre-push, manual]\n"
    )
}
