//! Clients of `guard mcp` that `tests/run` installs below `target/`.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Repo, SOURCE, skip, system};

/// Python with the official SDK and LangGraph.
pub fn python() -> Option<PathBuf> {
    let venv = Path::new(SOURCE).join("target/venv");
    if !venv.join("clients").is_file() {
        skip("the Python clients are not installed; tests/run installs them");
        return None;
    }
    Some(system::venv_program("python"))
}

/// The folder with the newest Python SDK, which LangGraph's adapters do not take yet.
pub fn newest_python_sdk() -> PathBuf {
    Path::new(SOURCE).join("target/venv/newest-mcp")
}

/// The folder with the packages for node.
pub fn node_packages() -> Option<PathBuf> {
    let packages = Path::new(SOURCE).join("target/node");
    if !packages.join("installed").is_file() {
        skip("the clients for node are not installed; tests/run installs them if node is there");
        return None;
    }
    Some(packages)
}

/// A program of `tests/clients` to run in a repository.
pub fn program(repo: &Repo, interpreter: impl AsRef<Path>, name: &str) -> Command {
    let mut command = repo.command(interpreter.as_ref());
    command
        .arg(Path::new(SOURCE).join("tests/clients").join(name))
        // Python would write its cache beside the sources.
        .env("PYTHONDONTWRITEBYTECODE", "1");
    command
}
