//! `guard read`, `write`, `patch`, `delete`, `move`, and `edit` with the spellings of requirement 001.

mod answer;
mod forecast;
mod input;

pub(super) use answer::{
    answer_failure, answered, extension_lines, has_typed_errors, print_done, told,
};

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use gix::bstr::BString;

use super::design_args::DesignArgs;
use super::output::Output;
use super::path_base::PathBase;
use super::person::{self, Person};
use super::question::ask;
use super::repository::repository;
use super::signing::{SignArgs, unsigned_notes};
use super::usage_error::usage;
use crate::error::Result;
use crate::gate::{self, Edit, Gate, Operation, Strategy};
use crate::git::Repository;
pub(super) use input::read_stdin;
use input::{edit, parse_edits, read_content, read_edits};

/// The file of an operation, and how to judge it.
#[derive(Debug, clap::Args)]
struct OperationTarget {
    /// The file, absolute or relative to the current directory.
    #[arg(value_name = "FILE")]
    path: OsString,
    #[command(flatten)]
    design: DesignArgs,
    #[command(flatten)]
    base: PathBase,
    /// Never ask; hold a change that needs approval, as guard does without a terminal.
    #[arg(long)]
    auto: bool,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  guard read src/state.py\n  guard read src/state.py --lines 10:20\n  guard read src/state.py --format json"
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
    #[command(flatten)]
    base: PathBase,
    /// Print only lines A to B, counted from 1; either may be left out.
    #[arg(long, value_name = "A:B")]
    lines: Option<String>,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  guard write src/new.py < new.py\n  guard write src/state.py --content-file new.py\n  guard write a.py --expect $(git hash-object --no-filters a.py) < new.py\n  guard write src/state.py --strategy append < more.py\n  guard write src/state.py --strategy insert --line 12 < more.py\n  guard write src/state.py --strategy extend < state-with-more-methods.py\n\nappend, insert and extend keep the file's line endings, byte order mark and final newline. extend supports Python, Rust, JavaScript, TypeScript, Go and Java, which it recognises by the file extension."
)]
pub(super) struct WriteArgs {
    #[command(flatten)]
    target: OperationTarget,
    #[command(flatten)]
    content: NewContent,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  guard analyze src/state.py --content-file new.py\n  guard analyze src/state.py --strategy append --format json < more.py\n\nguard answers what `guard write` with the same options would do: the lines before and after, the share that is lost, the lost content, a preview, and whether a person must approve it. The exit code is 1 if a person must, or if guard would refuse the write. guard writes, holds and logs nothing."
)]
pub(super) struct AnalyzeArgs {
    /// The file, absolute or relative to the current directory.
    #[arg(value_name = "FILE")]
    path: OsString,
    #[command(flatten)]
    design: DesignArgs,
    #[command(flatten)]
    base: PathBase,
    #[command(flatten)]
    content: NewContent,
}

/// New content for a file, and how to combine it with the old one.
#[derive(Debug, clap::Args)]
struct NewContent {
    /// Read the content from this file instead of standard input; `guard read` must be allowed to read it.
    #[arg(long, value_name = "FILE")]
    content_file: Option<PathBuf>,
    /// Accept empty content; without this flag, guard takes it for a mistake and refuses.
    #[arg(long)]
    allow_empty: bool,
    /// Write only if the file still has this `digest` of an earlier answer; `none` if it must not exist.
    ///
    /// The digest is git's blob id, as `git hash-object --no-filters FILE` prints it. A write of the content that the
    /// file already has succeeds in any case, without a change.
    #[arg(long, value_name = "DIGEST")]
    expect: Option<String>,
    /// How to combine the content with the existing file.
    #[arg(long, value_enum, default_value_t = StrategyName::Replace)]
    strategy: StrategyName,
    /// Insert before this line, counted from 1; requires `--strategy insert`.
    #[arg(long, value_name = "N", required_if_eq("strategy", "insert"))]
    line: Option<usize>,
}

/// The names of the strategies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StrategyName {
    /// Replace the whole file.
    Replace,
    /// Add the content at the end.
    Append,
    /// Insert the content before a line.
    Insert,
    /// Add only the definitions that the file lacks.
    Extend,
}

impl StrategyName {
    fn strategy(self, line: Option<usize>) -> Result<Strategy> {
        match (self, line) {
            (StrategyName::Insert, Some(line)) => Ok(Strategy::Insert { line }),
            (StrategyName::Replace, None) => Ok(Strategy::Replace),
            (StrategyName::Append, None) => Ok(Strategy::Append),
            (StrategyName::Extend, None) => Ok(Strategy::Extend),
            _ => Err(usage("--line requires --strategy insert")
                .help("to insert before line N: --strategy insert --line N")),
        }
    }
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  guard patch src/a.py --search 'x = 1' --replace 'x = 2'\n  guard patch src/a.py --edits edits.json\n\nThe edits are a list such as [{\"search\": \"x = 1\", \"replace\": \"x = 2\"}]. guard applies all of them or none."
)]
pub(super) struct PatchArgs {
    #[command(flatten)]
    target: OperationTarget,
    /// The exact text to replace, which must occur exactly once.
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        requires = "replace",
        conflicts_with_all = ["search_file", "edits"]
    )]
    search: Option<String>,
    /// The replacement, taken literally.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    replace: Option<String>,
    /// Read the text to replace from this file.
    #[arg(
        long,
        value_name = "FILE",
        requires = "replace_file",
        conflicts_with = "edits"
    )]
    search_file: Option<PathBuf>,
    /// Read the replacement from this file.
    #[arg(long, value_name = "FILE")]
    replace_file: Option<PathBuf>,
    /// Read a JSON list of edits from this file; `-` is standard input.
    #[arg(long, value_name = "FILE", required_unless_present_any = ["search", "search_file"])]
    edits: Option<PathBuf>,
    /// Patch only if the file still has this `digest` of an earlier answer.
    #[arg(long, value_name = "DIGEST")]
    expect: Option<String>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  guard delete src/old.py")]
pub(super) struct DeleteArgs {
    #[command(flatten)]
    target: OperationTarget,
    /// Delete only if the file still has this `digest` of an earlier answer.
    #[arg(long, value_name = "DIGEST")]
    expect: Option<String>,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  guard move src/old.py src/new.py\n\nguard judges both paths: the old one as deleted, the new one as added."
)]
pub(super) struct MoveArgs {
    /// The file, absolute or relative to the current directory.
    from: OsString,
    /// The new path, which must not exist.
    to: OsString,
    /// Move only if the file still has this `digest` of an earlier answer.
    #[arg(long, value_name = "DIGEST")]
    expect: Option<String>,
    #[command(flatten)]
    design: DesignArgs,
    #[command(flatten)]
    base: PathBase,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  guard edit --file src/a.py --content 'x = 1'\n  guard edit --file src/a.py --search 'x = 1' --replace 'x = 2'\n  guard edit --file src/a.py --expect none < a.py"
)]
pub(super) struct EditArgs {
    /// The file.
    #[arg(long = "file", value_name = "FILE")]
    path: OsString,
    /// The whole new content; by default, standard input.
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        conflicts_with = "search"
    )]
    content: Option<String>,
    /// Read the content from this file; `guard read` must be allowed to read it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["content", "search"])]
    content_file: Option<PathBuf>,
    /// The exact text to replace, which must occur exactly once.
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        requires = "replace"
    )]
    search: Option<String>,
    /// The replacement, taken literally.
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        requires = "search"
    )]
    replace: Option<String>,
    /// Accept empty content.
    #[arg(long)]
    allow_empty: bool,
    /// Edit only if the file still has this `digest` of an earlier answer; `none` if it must not exist.
    #[arg(long, value_name = "DIGEST")]
    expect: Option<String>,
    /// Never ask; hold a change that needs approval, as guard does without a terminal.
    #[arg(long)]
    auto: bool,
    #[command(flatten)]
    design: DesignArgs,
    #[command(flatten)]
    base: PathBase,
}

impl ReadArgs {
    pub(super) fn run(&self, output: &mut Output) -> gate::GateResult<u8> {
        let repo = repository()?;
        let gate = Gate::open(&repo, &self.design.options(false))?;
        output.notes(gate.notes());
        let path = self.path.iter().chain(&self.file).next();
        let request = path.map(|path| self.base.request(&repo, Path::new(path)));
        let request = request.unwrap_or_default();
        let read = gate.read(request.as_ref());
        let (path, entry) = read.map_err(|failure| self.base.locate(&repo, &gate, failure))?;
        let (content, range) = match &self.lines {
            Some(range) => {
                let (content, range) = input::lines(path.as_ref(), &entry.content, range)?;
                (content, Some(range))
            }
            None => (entry.content.as_slice(), None),
        };
        answer::print_read(
            output,
            &gate,
            path.as_ref(),
            (content, range.as_ref()),
            &entry,
        )?;
        Ok(0)
    }
}

impl WriteArgs {
    pub(super) fn run(&self, output: &mut Output) -> gate::GateResult<u8> {
        let strategy = self.content.strategy.strategy(self.content.line)?;
        perform(output, &self.target, |gate, files| {
            let content = files.content(gate, self.content.content_file.as_deref())?;
            Ok(self.content.operation(content, strategy))
        })
    }
}

impl NewContent {
    fn operation(&self, content: Vec<u8>, strategy: Strategy) -> Operation {
        Operation::Write {
            content,
            strategy,
            expect: self.expect.clone(),
            allow_empty: self.allow_empty,
        }
    }
}

impl AnalyzeArgs {
    pub(super) fn run(&self, output: &mut Output) -> gate::GateResult<u8> {
        let strategy = self.content.strategy.strategy(self.content.line)?;
        let repo = repository()?;
        let gate = Gate::open(&repo, &self.design.options(false))?;
        output.notes(gate.notes());
        let content = match self.content.content_file.as_deref() {
            Some(file) if file != Path::new("-") => {
                gate.content(self.base.request(&repo, file).as_ref())?
            }
            _ => read_stdin(gate.max_size())?,
        };
        let request = self.base.request(&repo, Path::new(&self.path));
        let operation = self.content.operation(content, strategy);
        let forecast = gate.analyze(request.as_ref(), &operation);
        let forecast = forecast.map_err(|failure| self.base.locate(&repo, &gate, failure))?;
        forecast::print_forecast(output, &gate, &forecast);
        Ok(u8::from(forecast.finding.is_some()))
    }
}

impl PatchArgs {
    pub(super) fn run(&self, output: &mut Output) -> gate::GateResult<u8> {
        perform(output, &self.target, |gate, files| {
            Ok(Operation::Patch {
                edits: self.edits(gate, files)?,
                expect: self.expect.clone(),
            })
        })
    }

    fn edits(&self, gate: &Gate<'_>, files: &NamedFiles<'_>) -> gate::GateResult<Vec<Edit>> {
        let read = |file: &Path| read_content(gate, files.request(file).as_ref());
        Ok(match (&self.search, &self.search_file, &self.edits) {
            (Some(search), ..) => vec![edit(
                search.as_bytes(),
                self.replace.as_deref().unwrap_or_default().as_bytes(),
            )],
            (None, Some(search), _) => {
                let replace = self.replace_file.as_deref().map_or(Ok(Vec::new()), read)?;
                vec![edit(&read(search)?, &replace)]
            }
            (None, None, Some(file)) if file == Path::new("-") => read_edits(gate.max_size())?,
            (None, None, Some(file)) => parse_edits(&read(file)?)?,
            (None, None, None) => Vec::new(),
        })
    }
}

impl DeleteArgs {
    pub(super) fn run(&self, output: &mut Output) -> gate::GateResult<u8> {
        perform(output, &self.target, |_, _| {
            let expect = self.expect.clone();
            Ok(Operation::Delete { expect })
        })
    }
}

impl MoveArgs {
    pub(super) fn run(&self, output: &mut Output) -> gate::GateResult<u8> {
        // guard refuses a destructive move instead of holding it.
        let from = OperationTarget {
            path: self.from.clone(),
            auto: true,
            design: self.design.clone(),
            base: self.base.clone(),
        };
        perform(output, &from, |_, files| {
            Ok(Operation::Move {
                to: files.request(Path::new(&self.to)),
                expect: self.expect.clone(),
            })
        })
    }
}

impl EditArgs {
    pub(super) fn run(&self, output: &mut Output) -> gate::GateResult<u8> {
        let target = OperationTarget {
            path: self.path.clone(),
            auto: self.auto,
            design: self.design.clone(),
            base: self.base.clone(),
        };
        perform(output, &target, |gate, files| {
            let expect = self.expect.clone();
            if let Some(search) = &self.search {
                let replace = self.replace.as_deref().unwrap_or_default();
                return Ok(Operation::Patch {
                    edits: vec![edit(search.as_bytes(), replace.as_bytes())],
                    expect,
                });
            }
            let content = match &self.content {
                Some(content) => content.clone().into_bytes(),
                None => files.content(gate, self.content_file.as_deref())?,
            };
            Ok(Operation::Write {
                content,
                strategy: Strategy::Replace,
                expect,
                allow_empty: self.allow_empty,
            })
        })
    }
}

/// The files that the command line names.
struct NamedFiles<'a> {
    repo: &'a Repository,
    base: &'a PathBase,
}

impl NamedFiles<'_> {
    fn request(&self, path: &Path) -> BString {
        self.base.request(self.repo, path)
    }

    /// The new content, from a file or from standard input.
    fn content(&self, gate: &Gate<'_>, file: Option<&Path>) -> gate::GateResult<Vec<u8>> {
        match file {
            Some(file) if file != Path::new("-") => read_content(gate, self.request(file).as_ref()),
            _ => read_stdin(gate.max_size()),
        }
    }
}

/// The person to ask about a destructive change. Without one, guard holds the change.
pub(in crate::cli) fn person(auto: bool) -> Option<Person> {
    (!auto && person::is_at_a_terminal())
        .then(|| Person::present().ok())
        .flatten()
}

fn perform(
    output: &mut Output,
    target: &OperationTarget,
    operation: impl Fn(&Gate<'_>, &NamedFiles<'_>) -> gate::GateResult<Operation>,
) -> gate::GateResult<u8> {
    let repo = repository()?;
    let style = output.style.clone();
    let mut gate = Gate::open(&repo, &target.design.options(false))?;
    output.notes(gate.notes());
    let files = NamedFiles {
        repo: &repo,
        base: &target.base,
    };
    let operation = operation(&gate, &files)?;
    let mut is_unsigned = false;
    let path = files.request(Path::new(&target.path));
    let done = match &mut person(target.auto) {
        Some(person) => {
            let signer = SignArgs::of_environment().signer(&repo)?;
            let has_signer = signer.is_some();
            gate = gate.signing(signer);
            gate.perform_asking(path.as_ref(), &operation, &mut |question| {
                is_unsigned = question.finding.is_some() && !has_signer;
                ask(person, question, &style)
            })
        }
        None => gate.perform(path.as_ref(), &operation),
    };
    let done = done.map_err(|failure| target.base.locate(&repo, &gate, failure))?;
    answer::print_done(output, &gate, &done);
    if is_unsigned {
        output.notes(&unsigned_notes(&repo));
    }
    Ok(0)
}
