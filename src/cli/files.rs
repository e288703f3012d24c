//! `guard read`, `write`, `patch`, `delete`, and `edit` with the spellings of requirement 001.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use gix::bstr::{BString, ByteSlice};
use serde_json::{Map, Value, json};

use super::approve::ask;
use super::person::{self, Person};
use super::{DesignArgs, output::Output, repository};
use crate::error::{Error, Result};
use crate::gate::{self, Analysis, Done, Edit, Failure, FailureKind, Gate, Operation};
use crate::git::{Repository, show_file};
use crate::path::show;
use crate::report::Format;

/// The file of an operation, and how to judge it.
#[derive(Debug, clap::Args)]
struct Target {
    /// The file, absolute or relative to the workspace's root.
    #[arg(value_name = "FILE")]
    path: OsString,
    #[command(flatten)]
    design: DesignArgs,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  guard read src/state.py\n  guard read src/state.py --lines 10:20\n  guard read src/state.py --format json"
)]
pub(super) struct ReadArgs {
    #[command(flatten)]
    target: Target,
    /// Only these lines, both included, from 1.
    #[arg(long, value_name = "A:B")]
    lines: Option<String>,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  guard write src/new.py < new.py\n  guard write src/state.py --content-file new.py --expect $(git hash-object src/state.py)"
)]
pub(super) struct WriteArgs {
    #[command(flatten)]
    target: Target,
    /// Read the content from this file in place of standard input.
    #[arg(long, value_name = "FILE")]
    content_file: Option<PathBuf>,
    /// Write only if the file still has this blob id (`git hash-object FILE`).
    #[arg(long, value_name = "DIGEST")]
    expect: Option<String>,
    /// Never ask: hold a change that needs a person, as it happens without a terminal.
    #[arg(long)]
    auto: bool,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  guard patch src/a.py --search 'x = 1' --replace 'x = 2'\n  guard patch src/a.py --edits edits.json     [{\"search\": \"…\", \"replace\": \"…\"}, …], all or none"
)]
pub(super) struct PatchArgs {
    #[command(flatten)]
    target: Target,
    /// The exact text to replace; it must be there exactly once.
    #[arg(long, value_name = "TEXT", requires = "replace", conflicts_with_all = ["search_file", "edits"])]
    search: Option<String>,
    /// What takes its place, literally.
    #[arg(long, value_name = "TEXT")]
    replace: Option<String>,
    /// The same from files.
    #[arg(
        long,
        value_name = "FILE",
        requires = "replace_file",
        conflicts_with = "edits"
    )]
    search_file: Option<PathBuf>,
    /// What takes its place, from a file.
    #[arg(long, value_name = "FILE")]
    replace_file: Option<PathBuf>,
    /// A JSON list of objects with `search` and `replace`; `-` for standard input.
    #[arg(long, value_name = "FILE", required_unless_present_any = ["search", "search_file"])]
    edits: Option<PathBuf>,
    /// Patch only if the file still has this blob id.
    #[arg(long, value_name = "DIGEST")]
    expect: Option<String>,
    /// Never ask: hold a change that needs a person, as it happens without a terminal.
    #[arg(long)]
    auto: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  guard delete src/old.py")]
pub(super) struct DeleteArgs {
    #[command(flatten)]
    target: Target,
    /// Never ask: hold a change that needs a person, as it happens without a terminal.
    #[arg(long)]
    auto: bool,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  guard edit --file src/a.py --content 'x = 1'\n  guard edit --file src/a.py --search 'x = 1' --replace 'x = 2'"
)]
pub(super) struct EditArgs {
    /// The file.
    #[arg(long = "file", value_name = "FILE")]
    path: OsString,
    /// The whole new content.
    #[arg(
        long,
        value_name = "TEXT",
        conflicts_with = "search",
        required_unless_present = "search"
    )]
    content: Option<String>,
    /// The exact text to replace; it must be there exactly once.
    #[arg(long, value_name = "TEXT", requires = "replace")]
    search: Option<String>,
    /// What takes its place, literally.
    #[arg(long, value_name = "TEXT", requires = "search")]
    replace: Option<String>,
    /// Never ask: hold a change that needs a person, as it happens without a terminal.
    #[arg(long)]
    auto: bool,
    #[command(flatten)]
    design: DesignArgs,
}

impl ReadArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let read = || -> gate::Result<_> {
            let gate = Gate::open(&repo, &self.target.design.options(false))?;
            let (path, entry) = gate.read(requested(&self.target.path).as_ref())?;
            let content = match &self.lines {
                Some(range) => lines(&entry.content, range)?,
                None => entry.content.as_slice(),
            };
            Ok((path, content.to_vec(), entry.content.len()))
        };
        let root = repo.workdir()?.to_owned();
        match read() {
            Ok((path, content, size)) => {
                output.print_either(
                    "guard read",
                    || {
                        json!({
                            "version": 1,
                            "path": gate::absolute(&root, path.as_ref()),
                            "content": content.to_str().map_or(Value::Null, Value::from),
                            "size": size,
                            "exists": true,
                        })
                    },
                    |out| out.write_all(&content),
                );
                Ok(0)
            }
            Err(failure) => tell(output, &failure),
        }
    }
}

impl WriteArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let content = match &self.content_file {
            Some(file) => read_file(file)?,
            None => read_stdin()?,
        };
        let operation = Operation::Write {
            content,
            expect: self.expect.clone(),
        };
        perform(output, &self.target, self.auto, &operation)
    }
}

impl PatchArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let edits = match (&self.search, &self.search_file, &self.edits) {
            (Some(search), ..) => vec![edit(
                search.as_bytes(),
                self.replace.as_deref().unwrap_or_default().as_bytes(),
            )],
            (None, Some(search), _) => {
                let replace = self
                    .replace_file
                    .as_deref()
                    .map_or(Ok(Vec::new()), read_file)?;
                vec![edit(&read_file(search)?, &replace)]
            }
            (None, None, Some(file)) => parse_edits(&if file == Path::new("-") {
                read_stdin()?
            } else {
                read_file(file)?
            })?,
            (None, None, None) => Vec::new(),
        };
        let operation = Operation::Patch {
            edits,
            expect: self.expect.clone(),
        };
        perform(output, &self.target, self.auto, &operation)
    }
}

impl DeleteArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        perform(output, &self.target, self.auto, &Operation::Delete)
    }
}

impl EditArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let operation = match (&self.content, &self.search) {
            (Some(content), _) => Operation::Write {
                content: content.clone().into_bytes(),
                expect: None,
            },
            (None, search) => Operation::Patch {
                edits: vec![edit(
                    search.as_deref().unwrap_or_default().as_bytes(),
                    self.replace.as_deref().unwrap_or_default().as_bytes(),
                )],
                expect: None,
            },
        };
        perform_at(output, &self.path, &self.design, self.auto, &operation)
    }
}

fn perform(output: &mut Output, target: &Target, auto: bool, operation: &Operation) -> Result<u8> {
    perform_at(output, &target.path, &target.design, auto, operation)
}

fn perform_at(
    output: &mut Output,
    path: &OsString,
    design: &DesignArgs,
    auto: bool,
    operation: &Operation,
) -> Result<u8> {
    let repo = repository()?;
    // Whoever cannot be asked finds the change held.
    let person = (!auto && person::is_at_a_terminal())
        .then(|| Person::present().ok())
        .flatten();
    let run = || -> gate::Result<Done> {
        let gate = Gate::open(&repo, &design.options(false))?;
        let path = requested(path);
        match person {
            Some(mut person) => gate.perform_asking(path.as_ref(), operation, &mut |question| {
                ask(&mut person, question)
            }),
            None => gate.perform(path.as_ref(), operation),
        }
    };
    match run() {
        Ok(done) => {
            print_done(output, &repo, operation, &done)?;
            Ok(0)
        }
        Err(failure) => tell(output, &failure),
    }
}

pub(super) fn print_done(
    output: &mut Output,
    repo: &Repository,
    operation: &Operation,
    done: &Done,
) -> Result<()> {
    let root = repo.workdir()?.to_owned();
    let quiet = output.style.quiet;
    output.print_either(
        "a file operation",
        || Value::Object(done_json(&root, operation, done)),
        |out| {
            if quiet {
                return Ok(());
            }
            let path = show(&done.analysis.path);
            match operation {
                Operation::Delete => writeln!(out, "deleted {path}; snapshot {}", done.backup),
                Operation::Patch { .. } => writeln!(
                    out,
                    "patched {path} ({}); snapshot {}",
                    plural(done.replaced),
                    done.backup
                ),
                Operation::Write { .. } => writeln!(
                    out,
                    "wrote {path} ({} bytes); snapshot {}",
                    done.size, done.backup
                ),
            }
        },
    );
    Ok(())
}

fn plural(replacements: usize) -> String {
    match replacements {
        1 => "1 replacement".to_owned(),
        _ => format!("{replacements} replacements"),
    }
}

/// The fields of requirement 001 section 3 and requirement 000 section 2.3.
fn done_json(root: &Path, operation: &Operation, done: &Done) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("version".into(), 1.into());
    object.insert(
        "path".into(),
        gate::absolute(root, done.analysis.path.as_ref()).into(),
    );
    match operation {
        Operation::Write { .. } => {
            object.insert("size".into(), done.size.into());
            object.insert("created".into(), (!done.analysis.exists).into());
        }
        Operation::Patch { .. } => {
            object.insert("matched".into(), true.into());
            object.insert("replaced".into(), done.replaced.into());
        }
        Operation::Delete => {
            object.insert("deleted".into(), true.into());
        }
    }
    object.insert("backup".into(), done.backup.to_string().into());
    object.insert("analysis".into(), analysis_json(&done.analysis));
    object
}

fn analysis_json(analysis: &Analysis) -> Value {
    json!({
        "target_path": analysis.path.to_str_lossy(),
        "exists": analysis.exists,
        "original_lines": analysis.measured.original_lines,
        "new_lines": analysis.measured.new_lines,
        "change_classification": analysis.measured.class.name(),
        "change_percentage": analysis.measured.lost.share() * 100.0,
        "deleted_content": analysis.deleted_content,
        "diff_preview": analysis.diff_preview,
    })
}

/// A failure as JSON on stdout, or as a sentence on stderr.
pub(super) fn tell(output: &mut Output, failure: &Failure) -> Result<u8> {
    if output.format == Format::Json {
        let value = json!({
            "version": 1,
            "error": {
                "kind": failure.kind.name(),
                "message": failure.message,
                "help": failure.help,
                "rule": failure.finding.as_ref().map(|finding| finding.rule.id()),
                "details": failure.details,
            },
        });
        output.print(|out, _, _| writeln!(out, "{value:#}"));
    } else {
        let mut error = Error::new(failure.message.clone());
        error.help.clone_from(&failure.help);
        output.error(&error);
    }
    Ok(failure.kind.exit_code())
}

fn requested(path: &OsString) -> BString {
    gix::path::os_str_into_bstr(path).map_or_else(
        |_| path.to_string_lossy().into_owned().into(),
        |name| name.to_owned(),
    )
}

fn edit(search: &[u8], replace: &[u8]) -> Edit {
    Edit {
        search: search.to_vec(),
        replace: replace.to_vec(),
    }
}

fn parse_edits(bytes: &[u8]) -> Result<Vec<Edit>> {
    let bad = |why: String| {
        Error::new(format!("the edits cannot be read: {why}"))
            .help("[{\"search\": \"…\", \"replace\": \"…\"}]")
    };
    let value: Value = serde_json::from_slice(bytes).map_err(|error| bad(error.to_string()))?;
    let items = value
        .as_array()
        .ok_or_else(|| bad("they are no list".into()))?;
    items
        .iter()
        .map(|item| {
            let text = |key: &str| item.get(key).and_then(Value::as_str);
            match (text("search"), text("replace")) {
                (Some(search), Some(replace)) => Ok(edit(search.as_bytes(), replace.as_bytes())),
                _ => Err(bad("an entry lacks `search` or `replace`".into())),
            }
        })
        .collect()
}

/// Lines `A:B` of a text, both included; either may be left out.
fn lines<'c>(content: &'c [u8], range: &str) -> gate::Result<&'c [u8]> {
    let bad = || {
        Failure::new(
            FailureKind::CannotJudge,
            format!("`{}` is no range of lines", range.escape_default()),
        )
        .help("write --lines 10:20")
    };
    let (from, to) = range.split_once(':').ok_or_else(bad)?;
    let number = |text: &str, default| {
        if text.is_empty() {
            Ok(default)
        } else {
            text.parse::<usize>().map_err(|_| bad())
        }
    };
    let (from, to) = (number(from, 1)?, number(to, usize::MAX)?);
    if from == 0 || from > to {
        return Err(bad());
    }
    let ends: Vec<usize> = content
        .lines_with_terminator()
        .scan(0, |at, line| {
            *at += line.len();
            Some(*at)
        })
        .collect();
    let start = if from == 1 {
        0
    } else {
        ends.get(from - 2).copied().unwrap_or(content.len())
    };
    let end = ends
        .get(to.saturating_sub(1))
        .copied()
        .unwrap_or(content.len());
    Ok(&content[start..end.max(start)])
}

fn read_file(file: &Path) -> Result<Vec<u8>> {
    fs::read(file)
        .map_err(|error| Error::new(format!("{} cannot be read: {error}", show_file(file))))
}

fn read_stdin() -> Result<Vec<u8>> {
    let mut content = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut content)
        .map_err(|error| Error::new(format!("standard input cannot be read: {error}")))?;
    Ok(content)
}
