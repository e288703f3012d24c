//! Writes a design with more rows into the work tree, stages it, and says how to go on.

use gix::bstr::ByteSlice;
use serde_json::json;

use super::output::Output;
use crate::boundary::Boundary;
use crate::error::{Error, Result};
use crate::git::{Index, Repository};
use crate::judge::{self, DesignEdit};
use crate::path::{escaped, shell_word};
use crate::policy::propose::ProposedRow;

/// Names the paths that no row can name.
pub(super) fn tell_left_out(rows: &[ProposedRow], output: &mut Output) {
    let note = |row: &ProposedRow| format!("no row can name {}", escaped(&row.path));
    output.notes(&rows.iter().map(note).collect::<Vec<_>>());
}

/// Writes and stages the design, if it has new rows or is new, and prints what to do next: the commands that commit it
/// and, if the branch does not select it, choose it.
pub(super) fn finish(repo: &Repository, edit: &DesignEdit, output: &mut Output) -> Result<()> {
    let path = edit.path.as_ref();
    let old = edit.before.as_ref().map(|file| file.content.to_str_lossy());
    let known: Vec<&str> = old.iter().flat_map(|old| old.lines()).collect();
    let is_new_row = |(_, line): &(usize, &str)| line.starts_with("| ") && !known.contains(line);
    let rows: Vec<(usize, &str)> = (1..).zip(edit.after.lines()).filter(is_new_row).collect();
    let mut commands = Vec::new();
    if old.as_deref() != Some(&edit.after) {
        Boundary::open(repo.own_workdir()?)
            .and_then(|root| root.replace(path, edit.before.as_ref(), edit.after.as_bytes()))
            .map_err(|error| Error::new(error.to_string()))?;
        repo.stage_file(path)?;
        let word = shell_word(path);
        let staged = Index::open(repo)?.tree()?.read(path)?;
        if !staged.is_some_and(|staged| judge::is_same_design(&staged, edit.after.as_bytes())) {
            let why = "with another content, by a filter of the repository";
            return Err(
                Error::new(format!("git staged {} {why}", escaped(path))).help(format!(
                    "look at it before you commit: git diff --cached -- {word}"
                )),
            );
        }
        let verb = if old.is_some() { "Extend" } else { "Add" };
        commands.push(format!("git commit -m \"{verb} the design\" -- {word}"));
        if !judge::is_selected(repo, path)? {
            commands.push(format!("guard use {word}"));
        }
    }
    let quiet = output.style.quiet;
    output.print_either(
        || {
            json!({
                "version": 1,
                "design": path.to_str_lossy(),
                "rows": rows.iter().map(|(line, text)| json!({"line": line, "text": text})).collect::<Vec<_>>(),
                "granted": edit.granted.iter().map(|path| path.to_str_lossy()).collect::<Vec<_>>(),
                "next": commands.first(),
                "choose": commands.get(1),
            })
        },
        |out| match quiet {
            true => Ok(()),
            false => write!(out, "{}", told(edit, &rows, &commands)),
        },
    );
    Ok(())
}

fn told(edit: &DesignEdit, rows: &[(usize, &str)], commands: &[String]) -> String {
    let design = escaped(&edit.path);
    let known = edit.granted.iter().map(escaped);
    let mut text: String = known
        .map(|path| format!("{design} has a row for {path} already\n"))
        .collect();
    text.push_str(&match (commands, &edit.before) {
        ([], _) => return text + "nothing to add\n",
        (_, Some(_)) => format!("added to {design} and staged:\n"),
        (_, None) => format!("wrote {design} and staged it\n"),
    });
    for (line, row) in rows {
        text.push_str(&format!("  {line:>4}: {}\n", escaped(row)));
    }
    if edit.after.ends_with("---|\n") {
        let word = shell_word(&edit.path);
        text.push_str(&format!(
            "add its rows:\n  guard scope add PATH --design {word}\n"
        ));
    }
    format!(
        "{text}commit it before the code:\n  {}\n",
        commands.join("\n  ")
    )
}
