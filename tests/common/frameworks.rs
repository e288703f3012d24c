//! The hook frameworks, configured with the hooks that guard ships.

use std::fs;
use std::path::{Path, PathBuf};

use super::{GUARD, Repo, SOURCE, system};

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

/// Unpacks a package of npm as `tests/run` stores it, below `node_modules`.
pub fn npm_package(repo: &Repo, name: &str) -> Option<PathBuf> {
    let packages = Path::new(SOURCE).join("target/packaging");
    let begin = format!("{name}-");
    let files = fs::read_dir(packages).into_iter().flatten().flatten();
    let mut archives = files.map(|file| file.path());
    let Some(archive) = archives.find(|path| {
        let file = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        file.starts_with(&begin) && file.ends_with(".tgz")
    }) else {
        super::skip(&format!("{name} is not there; tests/run fetches it"));
        return None;
    };
    let place = repo.path(format!("node_modules/{name}"));
    fs::create_dir_all(&place).unwrap();
    let mut tar = repo.command("tar");
    tar.arg("-xzf")
        .arg(archive)
        .args(["--strip-components", "1", "-C"]);
    super::run(tar.arg(&place)).exits(0);
    Some(place)
}
