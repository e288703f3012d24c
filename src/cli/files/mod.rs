//! `guard read`, `write`, `patch`, `delete` and `move`.

mod answer;
mod input;

pub(super) use answer::{print_content, print_done, told};

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gix::bstr::{BStr, BString};

use super::options::{DesignArgs, repository};
use super::output::Output;
use super::question::{asking, person_to_ask};
use super::usage::usage;
use crate::files::{self, Edit, Effect, Failure, FailureKind, Gate, Operation, Strategy};
use crate::report::{gutter, painted};
pub(super) use input::ContentSource;
use write_guard_policy::path::escaped;

// The file of an operation, and how to judge it: help shows no comment of a part.
#[derive(Debug, clap::Args)]
pub(super) struct OperationTarget {
    /// The file, absolute or relative to the current directory.
    #[arg(value_name = "FILE")]
    path: OsString,
    #[command(flatten)]
    design: DesignArgs,
    /// Never ask; let a change that needs approval wait, as guard does without a terminal.
    #[arg(long)]
    auto: bool,
    /// Change the file only if it still has this `digest` of an earlier answer; `none` if it must not exist.
    ///
    /// The digest is git's blob id, as `git hash-object --no-filters FILE` prints it.
    #[arg(long, value_name = "DIGEST")]
    expect: Option<String>,
    /// Only show what the change would do, and whether a person must approve it; the exit code is then 1.
    ///
    /// guard writes, holds and logs nothing. The exit code is also 1 if guard would refuse the change.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  guard read src/state.py\n  guard read src/state.py --format json"
)]
pub(super) struct ReadArgs {
    /// The file, absolute or relative to the current directory.
    #[arg(value_name = "FILE", required_unless_present = "file")]
    path: Option<OsString>,
    /// Same as FILE.
    #[arg(long, value_name = "FILE", conflicts_with = "path")]
    file: Option<OsString>,
    #[command(flatten)]
    design: DesignArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  guard write src/new.py < new.py
  guard write src/state.py --content-file new.py
  guard write a.py --expect $(git hash-object --no-filters a.py) < new.py
  guard write src/state.py --strategy append < more.py
  guard write src/state.py --strategy insert --line 12 < more.py
  guard write src/state.py --strategy extend < state-with-more-methods.py
  guard write src/state.py --content-file new.py --dry-run

append, insert and extend keep the file's line endings, byte order mark and final newline. extend \
supports Python.")]
pub(super) struct WriteArgs {
    #[command(flatten)]
    target: OperationTarget,
    /// Read the content from this file instead of standard input; `guard read` must be allowed to read it.
    #[arg(long, value_name = "FILE")]
    content_file: Option<PathBuf>,
    /// Accept empty content; without this flag, guard takes it for a mistake and refuses.
    #[arg(long)]
    allow_empty: bool,
    /// How to combine the content with the existing file: replace it, append to it, insert before a line, or add only the
    /// definitions that it lacks.
    #[arg(
        long,
        value_parser = ["replace", "append", "insert", "extend"],
        default_value = "replace"
    )]
    strategy: String,
    /// Insert before this line, counted from 1; requires `--strategy insert`.
    #[arg(long, value_name = "N", required_if_eq("strategy", "insert"))]
    line: Option<usize>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  guard patch src/a.py --search 'x = 1' --replace 'x = 2'
  guard patch src/a.py --edits edits.json

The edits are a list such as [{\"search\": \"x = 1\", \"replace\": \"x = 2\"}]. guard applies all \
of them or none.")]
pub(super) struct PatchArgs {
    #[command(flatten)]
    target: OperationTarget,
    /// The exact text to replace, which must occur exactly once.
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        requires = "replace",
        conflicts_with = "edits"
    )]
    search: Option<String>,
    /// The replacement, taken literally.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    replace: Option<String>,
    /// Read a JSON list of edits from this file; `-` is standard input.
    #[arg(long, value_name = "FILE", required_unless_present = "search")]
    edits: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  guard move src/old.py src/new.py

guard checks both paths: the old one as deleted, the new one as added.")]
pub(super) struct MoveArgs {
    #[command(flatten)]
    target: OperationTarget,
    /// The new path, which must not exist.
    to: OsString,
}

impl ReadArgs {
    pub(super) fn run(&self, output: &mut Output) -> files::GateResult<u8> {
        let repo = repository()?;
        let gate = Gate::open_to_read(&repo, &self.design.options(false))?;
        output.notes(&gate.policy.notes);
        let argument = self.path.iter().chain(&self.file).next();
        let request = argument.map(|path| repo.request(Path::new(path)));
        let (path, entry) = gate.read(request.unwrap_or_default().as_ref())?;
        answer::print_content(output, &entry.content, || {
            files::read_json(&gate, path.as_ref(), &entry)
        })?;
        Ok(0)
    }
}

impl WriteArgs {
    pub(super) fn run(&self, output: &mut Output) -> files::GateResult<u8> {
        let strategy = Strategy::named(&self.strategy, self.line).ok_or_else(|| {
            usage("--line requires --strategy insert")
                .help("to insert before line N: --strategy insert --line N")
        })?;
        self.target
            .perform(output, None, !self.allow_empty, |input| {
                let content = input.content(self.content_file.as_deref())?;
                Ok(Operation::Write { content, strategy })
            })
    }
}

impl PatchArgs {
    pub(super) fn run(&self, output: &mut Output) -> files::GateResult<u8> {
        self.target.perform(output, None, false, |input| {
            Ok(Operation::Patch(match &self.search {
                Some(search) => vec![Edit {
                    search: search.clone(),
                    replace: self.replace.clone().unwrap_or_default(),
                    every: false,
                }],
                None => input.edits(self.edits.as_deref())?,
            }))
        })
    }
}

impl MoveArgs {
    pub(super) fn run(&self, output: &mut Output) -> files::GateResult<u8> {
        self.target.perform(output, Some(&self.to), false, |input| {
            let to = input.repo.request(Path::new(&self.to));
            Ok(Operation::Move { to, content: None })
        })
    }
}

impl OperationTarget {
    pub(super) fn delete(&self, output: &mut Output) -> files::GateResult<u8> {
        self.perform(output, None, false, |_| Ok(Operation::Delete))
    }

    /// Performs the operation, which also changes the file at `to`.
    fn perform(
        &self,
        output: &mut Output,
        to: Option<&OsString>,
        refuses_empty: bool,
        operation: impl Fn(&ContentSource<'_, '_>) -> files::GateResult<Operation>,
    ) -> files::GateResult<u8> {
        let repo = repository()?;
        let ends = [&self.path].into_iter().chain(to);
        let ends = ends.map(|path| repo.request(Path::new(path)));
        let requests: Vec<BString> = ends.collect();
        let mut gate = Gate::open_to_change(&repo, &self.design.options(false), &requests)?;
        gate.refuses_empty = refuses_empty;
        output.notes(&gate.policy.notes);
        let input = ContentSource {
            repo: &repo,
            gate: &gate,
            is_recorded: !self.dry_run,
        };
        let operation = operation(&input).map_err(|failure| match failure.kind {
            // The missing file is not the one that the operation changes.
            FailureKind::NotFound => Failure {
                kind: FailureKind::CannotJudge,
                ..failure
            },
            _ => failure,
        })?;
        let expect = self.expect.as_deref();
        let path: &BStr = requests[0].as_ref();
        if self.dry_run {
            let forecast = gate.plan(path, &operation, expect)?;
            print_forecast(output, &gate, &forecast);
            return Ok(u8::from(forecast.finding.is_some()));
        }
        let person = person_to_ask(self.auto);
        let done = asking(output, &repo, &mut gate, person, |gate, ask| {
            gate.perform(path, &operation, expect, ask)
        })?;
        answer::print_done(output, &gate, &done);
        Ok(0)
    }
}

/// Prints what an operation would do.
fn print_forecast(output: &mut Output, gate: &Gate<'_>, forecast: &Effect) {
    let path = escaped(&forecast.path);
    let measured = forecast.measured();
    let lost = measured.lost.share() * 100.0;
    let class = measured.class.name();
    let mut text = format!("{class} {path}: {lost:.1} % of the old content is lost\n");
    if let Some(finding) = &forecast.finding {
        text.push_str(&format!("a person must approve it: {}\n", finding.message));
    }
    text.push_str(&gutter(&painted(&forecast.preview(), &output.style)));
    output.answer(&forecast.forecast_json(gate), text);
}
