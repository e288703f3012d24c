//! `guard check`: whether paths may be written, and with a given content, or read.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use gix::bstr::BString;

use super::bounded::PathList;
use super::design_args::DesignArgs;
use super::files::read_stdin;
use super::output::Output;
use super::repository::repository;
use crate::boundary::bytes;
use crate::error::Result;
use crate::files::{Failure, Gate};
use crate::report::{write_check, write_check_end, write_check_error, write_check_result};
use crate::scope::settings::MAX_SIZE;
use crate::verdict::{CheckAnswers, CheckCounts, CheckResult};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
pub(super) struct CheckArgs {
    /// Paths, absolute or relative to the current directory.
    #[arg(required_unless_present = "stdin", value_name = "PATH")]
    paths: Vec<OsString>,
    /// Read the paths from standard input, one per line, and answer each as soon as it arrives.
    ///
    /// A line that starts with a double quote is a path as git quotes it.
    #[arg(long, conflicts_with_all = ["paths", "content_file"])]
    stdin: bool,
    /// The paths on standard input end with NUL and are not quoted.
    #[arg(short = 'z', requires = "stdin", conflicts_with = "paths")]
    is_nul: bool,
    /// Also judge whether this file's content may be written to the path; `-` is standard input.
    ///
    /// `guard read` must be allowed to read the file.
    #[arg(long, value_name = "FILE")]
    content_file: Option<PathBuf>,
    /// Accept empty content, as `guard write --allow-empty` does.
    #[arg(long, requires = "content_file")]
    allow_empty: bool,
    /// Ask whether the files may be read and the directories listed, instead of written.
    #[arg(long, conflicts_with_all = ["content_file", "stdin"])]
    read: bool,
    /// Record each answer in the log (`guard audit show`), allowed or refused.
    #[arg(long)]
    record: bool,
    #[command(flatten)]
    design: DesignArgs,
}

const USAGE: &str = "\
guard check [OPTIONS] <PATH>...
       guard check [OPTIONS] --stdin [-z]";

const EXAMPLES: &str = "\
Examples:
  guard check src/utils/lld.py
  guard check src/state.py --content-file - < new.py
  guard check --format json -- -odd-name.py
  guard check --stdin -z --format jsonl < paths
  guard check --record src/utils/lld.py
  guard check --read src docs/lld.md

Without --content-file, guard says whether the path may be changed at all. With it, guard answers as `guard write` \
would for that content. guard reads designs and settings from HEAD, and writes nothing but the log with --record.

With --stdin, a program can write a path, read the answer, and continue. Whenever guard waits for a path, it reads the \
repository again, so no answer is older than its question. If guard cannot judge a path, the answer is an error, and \
the exit code is 2. With --format json or --output, guard answers at the end of the input.";

impl CheckArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        if self.stdin && output.is_stream() {
            return self.answer_each(output);
        }
        let paths = match self.stdin {
            true => PathList::new(io::stdin().lock(), self.is_nul).whole()?,
            false => {
                let paths = self.paths.iter();
                paths.map(|path| bytes(Path::new(path)).into()).collect()
            }
        };
        self.answer_all(&paths, output)
    }

    /// Answers in one report.
    fn answer_all(&self, paths: &[BString], output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let requests: Vec<BString> = paths.iter().map(|path| repo.request_of(path)).collect();
        // Reading needs no design.
        let inside: &[BString] = if self.read { &[] } else { &requests };
        let gate = Gate::open_to_check(&repo, &self.design.options(false), inside)?;
        let content = match self.content_file.as_deref() {
            None => None,
            Some(file) if file == "-" => Some(read_stdin(MAX_SIZE)),
            Some(file) => Some(
                gate.content(repo.request(file).as_ref())
                    .map_err(|failure| {
                        failure.help("pass the content on standard input: --content-file - < FILE")
                    }),
            ),
        };
        let content = content.transpose().map_err(Failure::into_error)?;
        // The last one gets the content itself, which may be large.
        let contents = std::iter::repeat_n(content, paths.len());
        let cases = paths.iter().zip(&requests).zip(contents);
        let results = cases.map(|((path, request), content)| {
            let (path, request) = (path.clone(), request.as_ref());
            match self.read {
                true => gate.check_read(path, request),
                false => gate.check(path, request, content, self.allow_empty),
            }
        });
        let answers = CheckAnswers {
            results: results.collect::<Result<_>>()?,
            notes: gate.notes().to_vec(),
        };
        if self.record {
            let mut results = answers.results.iter();
            results.try_for_each(|result| gate.record_answer(result))?;
        }
        output.print(|out, format, style| write_check(&answers, format, out, style));
        output.notes(&answers.notes);
        Ok(answers.exit_code())
    }

    /// Answers each path as it arrives. Whenever guard had to wait for one, it reads the repository again, because
    /// anything may have changed meanwhile; paths that arrived together share one reading, as those of a command line
    /// do.
    fn answer_each(&self, output: &mut Output) -> Result<u8> {
        let options = self.design.options(false);
        let mut list = PathList::new(io::stdin().lock(), self.is_nul);
        let mut counts = CheckCounts::default();
        let (mut all_notes, mut last_error) = (Vec::new(), String::new());
        loop {
            let batch = list.wait()?;
            let repo = repository();
            if batch.is_empty() {
                // Without a path there is no other sign that guard works here.
                if counts == CheckCounts::default() {
                    repo?;
                }
                break;
            }
            let requests = repo.as_ref().map_or_else(
                |_| Vec::new(),
                |repo| {
                    let paths = batch
                        .iter()
                        .filter_map(|written| list.path(written.as_ref()).ok());
                    paths.map(|path| repo.request_of(&path)).collect()
                },
            );
            let shared = repo.as_ref().ok();
            let shared =
                shared.and_then(|repo| Gate::open_to_check(repo, &options, &requests).ok());
            for written in &batch {
                let mut answer = || -> Result<CheckResult> {
                    let repo = repo.as_ref().map_err(Clone::clone)?;
                    let path = list.path(written.as_ref())?;
                    let request = repo.request_of(&path);
                    let own;
                    let gate = match &shared {
                        Some(gate) => gate,
                        // A request outside needs no design, which the others lack.
                        None => {
                            own = Gate::open_to_check(
                                repo,
                                &options,
                                std::slice::from_ref(&request),
                            )?;
                            &own
                        }
                    };
                    let result = gate.check(path, request.as_ref(), None, false)?;
                    if self.record {
                        gate.record_answer(&result)?;
                    }
                    for note in gate.notes() {
                        if !all_notes.contains(note) {
                            output.notes(std::slice::from_ref(note));
                            all_notes.push(note.clone());
                        }
                    }
                    Ok(result)
                };
                let is_read = match answer() {
                    Ok(result) => {
                        counts.add(&result);
                        output.stream(|out, format, style| {
                            write_check_result(&result, format, out, style)
                        })
                    }
                    Err(error) => {
                        counts.errors += 1;
                        // What to do about it is told once for many paths in a row.
                        if last_error != error.message {
                            output.tell(&error);
                        }
                        let is_read = output.stream(|out, format, style| {
                            write_check_error(written.as_ref(), &error, format, out, style)
                        });
                        last_error = error.message;
                        is_read
                    }
                };
                if !is_read {
                    return Ok(counts.exit_code());
                }
            }
        }
        output.stream(|out, format, _| write_check_end(&counts, &all_notes, format, out));
        Ok(counts.exit_code())
    }
}
