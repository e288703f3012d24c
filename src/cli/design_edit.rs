//! Writes a design with more rows into the work tree, stages it, and says how to go on.

use std::path::Path;

use gix::bstr::ByteSlice;
use serde_json::json;

use super::output::Output;
use crate::error::{Error, Result};
use crate::git::{Index, Repository};
use crate::install::files;
use crate::judge::{self, DesignEdit};
use crate::path::{escaped, shell_word};
use crate::{disk, system};

/// Writes and stages the design. Returns the commands that commit it and, if the branch does not select it, choose it.
pub(super) fn finish(repo: &Repository, edit: &DesignEdit) -> Result<Vec<String>> {
    write(repo, edit)?;
    repo.stage_file(edit.path.as_ref())?;
    let word = shell_word(&edit.path);
    let staged = Index::open(repo)?.tree()?.read(edit.path.as_ref())?;
    if !staged.is_some_and(|staged| judge::is_same_design(&staged, &edit.after)) {
        return Err(Error::new(format!(
            "git staged {} with another content, by a filter of the repository",
            escaped(&edit.path)
        ))
        .help(format!(
            "look at it before you commit: git diff --cached -- {word}"
        )));
    }
    let verb = if edit.before.is_some() {
        "Extend"
    } else {
        "Add"
    };
    let mut commands = vec![format!("git commit -m \"{verb} the design\" -- {word}")];
    if !judge::is_selected(repo, edit.path.as_ref())? {
        commands.push(format!("guard use {word}"));
    }
    Ok(commands)
}

fn write(repo: &Repository, edit: &DesignEdit) -> Result<()> {
    let path = &edit.path;
    let failed = |why: String| Error::new(format!("{} cannot be written: {why}", escaped(path)));
    let file = repo.work_tree_file(path.as_ref())?;
    let mut above = file
        .ancestors()
        .skip(1)
        .take(path.iter().filter(|&&byte| byte == b'/').count());
    if above.any(Path::is_symlink) {
        return Err(failed("a directory above it is a symbolic link".to_owned()));
    }
    let Some(before) = &edit.before else {
        return files::create_below(&file, &edit.after).map_err(|error| failed(error.to_string()));
    };
    let metadata = file
        .symlink_metadata()
        .map_err(|error| failed(error.to_string()))?;
    let now = std::fs::read(&file).map_err(|error| failed(error.to_string()))?;
    if now != *before {
        return Err(
            failed("another program has just changed it".to_owned()).help("run the command again")
        );
    }
    disk::replace(&file, &edit.after, system::std_mode(&metadata))
        .map_err(|error| failed(error.to_string()))
}

/// Prints what was written.
pub(super) fn print(output: &mut Output, edit: &DesignEdit, commands: &[String]) {
    let quiet = output.style.quiet;
    output.print_either(
        || {
            let rows = edit.rows.iter();
            json!({
                "version": 1,
                "design": edit.path.to_str_lossy(),
                "rows": rows.map(|row| json!({"line": row.line, "text": row.text})).collect::<Vec<_>>(),
                "granted": edit.granted.iter().map(|path| path.to_str_lossy()).collect::<Vec<_>>(),
                "next": commands.first(),
                "choose": commands.get(1),
            })
        },
        |out| match quiet {
            true => Ok(()),
            false => write!(out, "{}", told(edit, commands)),
        },
    );
}

fn told(edit: &DesignEdit, commands: &[String]) -> String {
    let design = escaped(&edit.path);
    let mut text = String::new();
    for path in &edit.granted {
        text.push_str(&format!(
            "{design} has a row for {} already\n",
            escaped(path)
        ));
    }
    text.push_str(&match (commands.is_empty(), edit.before.is_some()) {
        (true, _) => return text + "nothing to add\n",
        (false, true) => format!("added to {design} and staged:\n"),
        (false, false) => format!("wrote {design} and staged it\n"),
    });
    for row in &edit.rows {
        text.push_str(&format!("  {:>4}: {}\n", row.line, escaped(&row.text)));
    }
    if edit.rows.is_empty() {
        text.push_str(&format!(
            "add its rows:\n  guard scope add PATH --design {}\n",
            shell_word(&edit.path)
        ));
    }
    text.push_str("commit it before the code:\n");
    for command in commands {
        text.push_str(&format!("  {command}\n"));
    }
    text
}
