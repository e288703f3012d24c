//! `guard scope`: lists what the designs grant, lints them, writes them, and adds rows to them. A person writes; guard
//! stages the design and says how to go on. Without a terminal, `import` only prints the rows.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::Subcommand;
use gix::bstr::{BString, ByteSlice};
use serde_json::json;

use super::options::{DesignArgs, repository};
use super::output::Output;
use crate::approvals::{Person, answer, refuse_agents_and_ci};
use crate::judge::{
    self, DesignEdit, DocumentSelection, DocumentVersion, OverlapOptions, RowsToAdd,
};
use crate::report::{write_overlap, write_prompt, write_scope};
use write_guard_policy::design::propose::{self, Proposal};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::{escaped, shell_word};
use write_guard_repo::Repository;
use write_guard_repo::boundary::Boundary;

#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  guard scope show    list the allowed paths, each with its line
  guard scope new     write a design for this branch")]
pub(super) enum ScopeArgs {
    /// List every allowed path with its line in the design.
    #[command(after_help = "Examples:\n  guard scope show --lld docs/lld/LLD-188.md --format json")]
    Show(DesignArgs),
    /// Print the allowed paths as a section for an agent's prompt.
    #[command(after_help = "Examples:\n  guard scope prompt >> prompt.md")]
    Prompt(DesignArgs),
    /// Lint design documents.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(ScopeCheckArgs),
    /// List the files that several open designs name.
    #[command(after_help = OVERLAP_EXAMPLES)]
    Overlap(ScopeOverlapArgs),
    /// Add rows to the design and stage it, at a terminal.
    Add(ScopeAddArgs),
    /// Write a design for this branch and stage it.
    New(ScopeNewArgs),
    /// Propose a table for the files that a plan names; at a terminal, write it.
    Import(ScopeImportArgs),
}

const CHECK_EXAMPLES: &str = "\
Examples:
  guard scope check                          lint this branch's designs on disk
  guard scope check docs/lld/LLD-188.md      lint this document

The exit code is 0 if there is no finding at level error, 1 if there is one, and 2 if guard could \
not read a document. guard does not compare the rows of a finished design with the files.";

#[derive(Debug, clap::Args)]
pub(super) struct ScopeCheckArgs {
    /// The documents to lint; by default, the designs of this branch.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Lint every tracked design.
    #[arg(long, conflicts_with = "files")]
    all: bool,
    /// Lint the staged versions, and skip files that are not designs.
    #[arg(long)]
    staged: bool,
    #[command(flatten)]
    design: DesignArgs,
}

impl ScopeArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        match self {
            ScopeArgs::Show(args) => {
                let listing = judge::scope(&repository()?, &args.options(false))?;
                output.print(|to| write_scope(&listing, false, to));
                Ok(0)
            }
            ScopeArgs::Prompt(args) => {
                let section = judge::prompt(&repository()?, &args.options(false))?;
                let section = section.ok_or_else(|| {
                    Error::new("no design applies, so there are no paths to list")
                        .help("name a design: guard scope prompt --lld FILE")
                })?;
                output.print(|to| write_prompt(&section, to));
                output.notes(&section.notes);
                Ok(0)
            }
            ScopeArgs::Overlap(args) => args.run(output),
            ScopeArgs::Add(args) => args.run(output),
            ScopeArgs::New(args) => args.run(output),
            ScopeArgs::Import(args) => args.run(output),
            ScopeArgs::Check(args) => args.run(output),
        }
    }
}

const OVERLAP_EXAMPLES: &str = "\
Examples:
  guard scope overlap                   compare the open designs of all branches
  guard scope overlap 7-a origin/8-b    compare those of two branches

A design is open while its branch is not merged; on the target branch, while `[lld] done` does not \
say that it is done. Only branches and designs of the last 90 days count, unless --all is given. \
Two designs that add the same file are a warning. The exit code is 0.";

#[derive(Debug, clap::Args)]
pub(super) struct ScopeOverlapArgs {
    /// The branches or commits to compare; by default, all branches and the work tree.
    #[arg(value_name = "REF")]
    refs: Vec<String>,
    /// Compare branches and designs of any age.
    #[arg(long)]
    all: bool,
}

impl ScopeOverlapArgs {
    fn run(&self, output: &mut Output) -> Result<u8> {
        let options = OverlapOptions {
            refs: self.refs.clone(),
            all: self.all,
        };
        let open = judge::open_designs(&repository()?, &options)?;
        let now = gix::date::Time::now_utc().seconds;
        output.print(|to| write_overlap(&open, now, to));
        Ok(0)
    }
}

impl ScopeCheckArgs {
    fn run(&self, output: &mut Output) -> Result<u8> {
        let selection = if self.all {
            DocumentSelection::All
        } else if self.files.is_empty() {
            DocumentSelection::Branch
        } else {
            DocumentSelection::Files(&self.files)
        };
        let version = if self.staged {
            DocumentVersion::Staged
        } else {
            DocumentVersion::WorkTree
        };
        let options = self.design.options(false);
        let listing = judge::check_documents(&repository()?, selection, version, &options)?;
        output.print(|to| write_scope(&listing, true, to));
        Ok(listing.exit_code())
    }
}

#[derive(Debug, clap::Args)]
#[command(after_help = NEW_EXAMPLES)]
pub(super) struct ScopeNewArgs {
    /// What fills the placeholder of `[lld] path` where the branch name does not.
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Write the rows that the staged changes need or, if nothing is staged, all changes.
    #[arg(long)]
    from_changes: bool,
}

const NEW_EXAMPLES: &str = "\
Examples:
  guard scope new                          write the design of this branch
  guard scope new hotfix --from-changes    write one for what has changed so far

guard writes the design at the place that `[lld] path` in guard.toml names, stages it, and prints \
the commands that commit and choose it. `guard scope add` adds rows. It never overwrites a file, \
and refuses to write under an agent or CI.";

impl ScopeNewArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        refuse_agents_and_ci()?;
        let repo = repository()?;
        let rows = if self.from_changes {
            judge::rows_of_changes(&repo)?
        } else {
            Vec::new()
        };
        let edit = judge::new_design(&repo, self.name.as_deref(), &today(), &rows)?;
        finish(&repo, &edit, &[], output)
    }
}

/// The date for plans that are called after it.
fn today() -> String {
    let now = gix::date::Time::now_local_or_utc();
    now.format_or_unix(gix::date::time::format::SHORT)
}

#[derive(Debug, clap::Args)]
#[command(after_help = ADD_EXAMPLES)]
pub(super) struct ScopeAddArgs {
    /// The paths to add; a slash at the end adds everything below a directory.
    #[arg(value_name = "PATH", required_unless_present = "missing")]
    paths: Vec<PathBuf>,
    /// Add every staged path that `guard lint` refuses for lack of a row; every changed path, if nothing is staged.
    #[arg(long)]
    missing: bool,
    /// The type of the rows; by default, what has become of the file: Add, Modify, Delete or Symlink.
    #[arg(long = "type", value_name = "TYPE")]
    change_type: Option<String>,
    /// What the rows say about the change.
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// The design to extend; by default, that of this branch.
    #[arg(long, value_name = "FILE")]
    design: Option<PathBuf>,
}

const ADD_EXAMPLES: &str = "\
Examples:
  guard scope add src/b.rs                 add a row to the design of this branch
  guard scope add old.rs --type Delete     let a file go

guard adds the row at the end of the table or list, in its form, and stages only the design. A \
design without one that can hold the row gets a section with a list. guard writes nothing if the \
design would then allow more than the paths given. Only a person at a terminal can extend a design \
this way: guard refuses under an agent or CI.";

impl ScopeAddArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        refuse_agents_and_ci()?;
        let present = Person::present();
        let repo = repository()?;
        if let Some(text) = &self.description
            && text.chars().any(char::is_control)
        {
            return Err(Error::new("the description must be one line of text"));
        }
        let paths: Vec<BString> = self.paths.iter().map(|path| repo.request(path)).collect();
        let wanted = RowsToAdd {
            paths: &paths,
            missing: self.missing,
            change_type: self.change_type.as_deref(),
            description: self.description.as_deref().unwrap_or_default(),
            design: self.design.as_deref(),
        };
        let edited = judge::extend_design(&repo, &wanted);
        if let Err(error) = present {
            return Err(match edited {
                Ok((edit, _)) => instead_of_asking(error, &edit),
                Err(_) => error,
            });
        }
        let (edit, granted) = edited?;
        finish(&repo, &edit, &granted, output)
    }
}

#[derive(Debug, clap::Args)]
#[command(after_help = IMPORT_EXAMPLES)]
pub(super) struct ScopeImportArgs {
    /// The plan to read, in any form and language.
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// Write the table into this document; by default, into the plan.
    ///
    /// Documents of one directory that `[lld] path` lists are one design, so a framework that rewrites its plan leaves the
    /// table alone in a file of its own.
    #[arg(long, value_name = "FILE")]
    into: Option<PathBuf>,
    /// Print the table and write nothing.
    #[arg(long)]
    print: bool,
}

const IMPORT_EXAMPLES: &str = "\
Examples:
  guard scope import plan.md           show the rows, ask, and write them into the plan
  guard scope import plan.md --print   print the table only
  guard scope import specs/1/tasks.md --into specs/1/files.md

guard proposes a row for every path of the plan that the repository has, or whose directory it \
has, and asks whether to write all of them, or row by row. Paths that the text denies stand in a \
list below the table. The table is then the whole scope of the document, and guard stages it. \
Without a terminal, and under an agent or CI, guard prints the table and writes nothing.";

impl ScopeImportArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let proposal = judge::propose_from_plan(&repo, &self.plan)?;
        if proposal.rows.is_empty() {
            let table = propose::section(&[]);
            let denied = not_proposed(&proposal);
            output.answer(
                &json!({"version": 1, "table": table, "not_proposed": []}),
                table.clone() + &denied,
            );
            output.notes(&[
                "guard found no path to propose; write the rows into this table".to_owned(),
            ]);
            return Ok(0);
        }
        let rows: Vec<String> = proposal.rows.iter().map(|row| row.text.clone()).collect();
        let table = propose::section(&rows);
        let is_printed = self.print || !output.is_human();
        let person = Person::present();
        if let (Ok(person), false) = (&person, is_printed) {
            let confirmed = confirmed_rows(person, &proposal);
            if confirmed.is_empty() {
                output.notes(&["guard wrote nothing".to_owned()]);
                return Ok(0);
            }
            let target = self.into.as_ref().unwrap_or(&self.plan);
            let edit = judge::with_table(&repo, target, &confirmed)?;
            return finish(&repo, &edit, &[], output);
        }
        let mut denied = Vec::new();
        for path in &proposal.denied {
            denied.push(json!({"path": path.path, "line": path.line, "said": path.said}));
        }
        let text = table.clone() + &not_proposed(&proposal);
        output.answer(
            &json!({"version": 1, "table": table, "not_proposed": denied}),
            &text,
        );
        if let (Err(error), false) = (&person, is_printed) {
            output.notes(&[format!("guard wrote nothing: {}", error.message)]);
        }
        Ok(0)
    }
}

/// The paths that the text denies, as a list below the table.
fn not_proposed(proposal: &Proposal) -> String {
    if proposal.denied.is_empty() {
        return String::new();
    }
    let mut text = String::from("\nNot proposed, since the text says otherwise:\n\n");
    for path in &proposal.denied {
        text += &format!(
            "- `{}` (line {}): {}\n",
            escaped(&path.path),
            path.line,
            escaped(&path.said)
        );
    }
    text
}

/// The rows that a person wants: all, none, or those confirmed one by one.
fn confirmed_rows(person: &Person, proposal: &Proposal) -> Vec<String> {
    let all: Vec<String> = proposal.rows.iter().map(|row| row.text.clone()).collect();
    let shown = propose::section(&all) + &not_proposed(proposal);
    let question =
        format!("{shown}\nType `yes` to write these rows, `each` to be asked row by row: ");
    match answer(person, &question).as_deref() {
        Some("yes" | "all") => all,
        Some("each") => confirmed_row_by_row(person, proposal),
        _ => Vec::new(),
    }
}

/// The rows that a person confirms; none if the answers end early.
fn confirmed_row_by_row(person: &Person, proposal: &Proposal) -> Vec<String> {
    let mut rows = Vec::new();
    for row in &proposal.rows {
        let question = format!(
            "line {}: {}\nType `yes` to write this row: ",
            row.line, row.text
        );
        match answer(person, &question).as_deref() {
            Some("yes" | "y") => rows.push(row.text.clone()),
            Some(_) => {}
            None => return Vec::new(),
        }
    }
    rows
}

/// The error where no person is at a terminal: a script, or the author of the design, can write the rows.
fn instead_of_asking(error: Error, edit: &DesignEdit) -> Error {
    let rows = new_rows(edit);
    if rows.is_empty() {
        return error;
    }
    let design = escaped(&edit.design.path);
    let how = format!("in a script, write into {design}, and commit it before the code:");
    let rows = rows.into_iter().map(|(_, row)| escaped(row).to_string());
    rows.fold(error.help(how), Error::help)
}

/// The rows that an edit adds, with their lines.
fn new_rows(edit: &DesignEdit) -> Vec<(usize, &str)> {
    let known: HashSet<&str> = edit.design.text.lines().collect();
    let rows = (1..).zip(edit.after.lines());
    let rows = rows.filter(|(_, line)| line.contains('`') && !known.contains(line));
    rows.collect()
}

/// Writes and stages the design. Returns the commands that commit it and, if the branch does not select it, choose it.
fn write(repo: &Repository, edit: &DesignEdit) -> Result<Vec<String>> {
    let path = edit.design.path.as_ref();
    Boundary::open(repo.own_workdir()?)
        .and_then(|root| root.replace(path, edit.before.as_ref(), edit.after.as_bytes(), false))
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

/// Writes and stages the design, and prints its new rows and the next commands; a table without rows needs some before the
/// commit. `granted` are paths that need no row.
fn finish(
    repo: &Repository,
    edit: &DesignEdit,
    granted: &[BString],
    output: &mut Output,
) -> Result<u8> {
    let design = &edit.design.path;
    let commands = if edit.before.is_some() && edit.after == edit.design.text {
        Vec::new()
    } else {
        write(repo, edit)?
    };
    let rows = new_rows(edit);
    let mut listed = Vec::new();
    for (line, text) in &rows {
        listed.push(json!({"line": line, "text": text}));
    }
    let is_empty = edit.before.is_none() && rows.is_empty();
    let add = is_empty.then(|| format!("guard scope add PATH --design {}", shell_word(design)));
    let json = json!({
        "version": 1,
        "design": design.to_str_lossy(),
        "rows": listed,
        "granted": granted.iter().map(|path| path.to_str_lossy()).collect::<Vec<_>>(),
        "next": commands.first(),
        "choose": commands.get(1),
        "add": add,
    });
    let rows: String = rows
        .iter()
        .map(|(line, row)| format!("  {line:>4}: {}\n", escaped(*row)))
        .collect();
    let steps: Vec<String> = add.into_iter().chain(commands).collect();
    let text = if steps.is_empty() {
        "nothing to add\n".to_owned()
    } else {
        let shown = escaped(design);
        format!("wrote {shown} and staged it:\n{rows}commit it before the code:\n")
    };
    let steps: String = steps.iter().map(|step| format!("  {step}\n")).collect();
    output.report_done(&json, &(text + &steps));
    let own = std::slice::from_ref(design);
    if let Some(note) = judge::note_on_overlap(repo, own) {
        output.notes(&[note]);
    }
    Ok(0)
}
