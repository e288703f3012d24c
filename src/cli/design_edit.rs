//! Writes a design with more rows into the work tree, stages it, and says how to go on.

use std::collections::HashSet;

use gix::bstr::ByteSlice;
use serde_json::json;

use super::output::Output;
use crate::boundary::Boundary;
use crate::error::{Error, Result};
use crate::git::Repository;
use crate::judge::{self, DesignEdit};
use crate::path::{escaped, shell_word};

/// Writes and stages the design if it changes, and prints what to do next: the commands that commit it and, if the
/// branch does not select it, choose it.
pub(super) fn finish(repo: &Repository, edit: &DesignEdit, output: &mut Output) -> Result<()> {
    let (path, word) = (edit.path.as_ref(), shell_word(&edit.path));
    let old = edit.before.as_ref().map(|file| file.content.to_str_lossy());
    let (verb, told) = match &old {
        Some(_) => ("Extend", "added to"),
        None => ("Add", "wrote"),
    };
    let mut commands = Vec::new();
    if old.as_deref() != Some(&edit.after) {
        Boundary::open(repo.own_workdir()?)
            .and_then(|root| root.replace(path, edit.before.as_ref(), edit.after.as_bytes()))
            .map_err(|error| Error::new(error.to_string()))?;
        repo.stage_file(path)?;
        commands.push(format!("git commit -m \"{verb} the design\" -- {word}"));
        if !judge::is_selected(repo, path)? {
            commands.push(format!("guard use {word}"));
        }
    }
    let known: HashSet<&str> = old.iter().flat_map(|old| old.lines()).collect();
    let rows = (1..).zip(edit.after.lines());
    let rows = rows.filter(|(_, line)| line.starts_with("| ") && !known.contains(line));
    let rows: Vec<(usize, &str)> = rows.collect();
    let shown = escaped(&edit.path);
    let mut text = String::new();
    for path in &edit.granted {
        text += &format!("{shown} has a row for {} already\n", escaped(path));
    }
    text += &match commands.is_empty() {
        true => "nothing to add\n".to_owned(),
        false => format!("{told} {shown} and staged it:\n"),
    };
    for (line, row) in &rows {
        text += &format!("  {line:>4}: {}\n", escaped(*row));
    }
    if !commands.is_empty() {
        text += &format!("commit it before the code:\n  {}\n", commands.join("\n  "));
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
            false => write!(out, "{text}"),
        },
    );
    Ok(())
}
