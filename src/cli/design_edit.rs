//! Writes a design with more rows into the work tree, stages it, and says how to go on.

use gix::bstr::ByteSlice;
use serde_json::json;

use super::output::Output;
use crate::boundary::Boundary;
use crate::error::{Error, Result};
use crate::git::Repository;
use crate::judge::{self, DesignEdit};
use crate::path::{escaped, shell_word};

/// Writes and stages the design. Returns the commands that commit it and, if the branch does not select it, choose it.
pub(super) fn write(repo: &Repository, edit: &DesignEdit) -> Result<Vec<String>> {
    let path = edit.design.path.as_ref();
    Boundary::open(repo.own_workdir()?)
        .and_then(|root| root.replace(path, edit.before.as_ref(), edit.after.as_bytes()))
        .map_err(|error| Error::new(error.to_string()))?;
    repo.stage_file(path)?;
    let word = shell_word(path);
    let verb = edit.before.as_ref().map_or("Add", |_| "Extend");
    let mut commands = vec![format!("git commit -m \"{verb} the design\" -- {word}")];
    if !judge::is_selected(repo, path)? {
        commands.push(format!("guard use {word}"));
    }
    Ok(commands)
}

/// Writes and stages the design, and prints the commands.
pub(super) fn finish(repo: &Repository, edit: &DesignEdit, output: &mut Output) -> Result<()> {
    let (path, commands) = (&edit.design.path, write(repo, edit)?);
    let quiet = output.style.quiet;
    let next = commands.join("\n  ");
    output.print_either(
        || json!({"version": 1, "design": path.to_str_lossy(), "next": commands.first(), "choose": commands.get(1)}),
        |out| match quiet {
            true => Ok(()),
            false => writeln!(out, "wrote {} and staged it; commit it before the code:\n  {next}", escaped(path)),
        },
    );
    Ok(())
}
