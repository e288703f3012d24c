//! Changes of one work tree are applied only there.

use super::{Failure, FailureKind, GateResult};
use crate::git::{Repository, WorkTree, show_file};
use crate::path::shell_word;

/// The name of a work tree in messages: its path, if it has one.
pub fn name_of(repo: &Repository, work_tree: &WorkTree) -> String {
    match (repo.place_of(work_tree), work_tree.name()) {
        (Some(place), _) => show_file(&place),
        (None, Some(name)) => format!("{}, which no longer exists", crate::path::escaped(name)),
        (None, None) => "the main work tree".to_owned(),
    }
}

/// A guard command to paste for this work tree.
pub fn command_in(repo: &Repository, work_tree: &WorkTree, arguments: &str) -> Option<String> {
    if *work_tree == repo.work_tree() {
        return Some(format!("guard {arguments}"));
    }
    let place = repo.place_of(work_tree)?;
    let word = shell_word(&crate::boundary::bytes(&place));
    Some(format!("guard -C {word} {arguments}"))
}

/// Refuses what belongs to another work tree, with the command to run there, or `otherwise` if that work tree is
/// gone.
///
/// # Errors
/// It belongs to another work tree.
pub fn check_is_here(
    repo: &Repository,
    work_tree: &WorkTree,
    what: &str,
    arguments: &str,
    otherwise: &str,
) -> GateResult<()> {
    if *work_tree == repo.work_tree() {
        return Ok(());
    }
    let name = name_of(repo, work_tree);
    let message = format!("{what} belongs to another work tree: {name}");
    let command = command_in(repo, work_tree, arguments);
    Err(Failure::new(FailureKind::OtherWorkTree, message)
        .help(command.unwrap_or_else(|| otherwise.to_owned())))
}
