//! The hook frameworks, configured with the hooks that guard ships.

use std::path::PathBuf;

use super::{GUARD, system};

/// The frameworks found, by name and path: named by the environment, else as `tests/run` installs them.
pub fn frameworks() -> impl Iterator<Item = (&'static str, PathBuf)> {
    let names = [("pre-commit", "GUARD_PRE_COMMIT"), ("prek", "GUARD_PREK")];
    let found = |(name, variable)| Some((name, program(name, variable)?));
    names.into_iter().filter_map(found)
}

fn program(name: &str, variable: &str) -> Option<PathBuf> {
    match std::env::var_os(variable) {
        Some(program) => Some(program.into()),
        None => super::tool(name),
    }
}

/// lefthook, named by the environment, else as `tests/run` installs it.
pub fn lefthook() -> Option<PathBuf> {
    program("lefthook", "GUARD_LEFTHOOK")
}

/// The shipped hook `guard-system` as a local one, with the built binary in place of the name.
pub fn local_config() -> String {
    format!(
        "repos:\n- repo: local\n  hooks:\n  - id: guard-system\n    name: guard\n    \
         entry: {} hook framework\n    language: system\n    always_run: true\n    \
         pass_filenames: false\n    require_serial: true\n    \
         stages: [pre-commit, pre-merge-commit, pre-push, manual]\n",
        system::in_shell(GUARD)
    )
}
