//! `guard check`: whether paths may be written, and with a given content, or read.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use gix::bstr::{BStr, BString};

use super::bounded::PathList;
use super::design_args::DesignArgs;
use super::files::read_stdin;
use super::output::Output;
use super::repository::repository;
use crate::boundary::bytes;
use crate::error::{Error, Result};
use crate::files::{Checker, Failure, Gate};
use crate::judge::Options;
use crate::report::{write_check, write_check_end, write_check_error, write_check_result};
use crate::scope::settings::MAX_SIZE;
use crate::verdict::{CheckAnswers, CheckCounts};

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
    /// Also check whether this file's content may be written to the path; `-` is standard input.
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
repository again, so no answer is older than its question. If guard cannot check a path, the answer is an error, and \
the exit code is 2. With --format json or --output, guard answers at the end of the input.";

impl CheckArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let options = self.design.options(false);
        if !self.stdin {
            let paths = self.paths.iter();
            let paths: Vec<BString> = paths.map(|path| bytes(Path::new(path)).into()).collect();
            return self.answer_all(&paths, &options, output);
        }
        let list = PathList::new(io::stdin().lock(), self.is_nul);
        match output.is_stream() {
            true => answer_each(list, &options, self.record, output),
            false => self.answer_all(&list.whole()?, &options, output),
        }
    }

    /// Answers in one report.
    fn answer_all(&self, paths: &[BString], options: &Options, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let requests: Vec<BString> = paths.iter().map(|path| repo.request_of(path)).collect();
        // Reading needs no design.
        let inside: &[BString] = if self.read { &[] } else { &requests };
        let gate = Gate::open_to_check(&repo, options, inside)?;
        let content = match self.content_file.as_deref() {
            None => Ok(None),
            Some(file) if file == "-" => read_stdin(MAX_SIZE).map(Some),
            Some(file) => {
                let content = gate.content(repo.request(file).as_ref()).map(Some);
                content.map_err(|failure| {
                    failure.help("pass the content on standard input: --content-file - < FILE")
                })
            }
        };
        let content = content.map_err(Failure::into_error)?;
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
            answers
                .results
                .iter()
                .try_for_each(|result| gate.record_answer(result))?;
        }
        output.print(|out, format, style| write_check(&answers, format, out, style));
        output.notes(&answers.notes);
        Ok(answers.exit_code())
    }
}

/// Answers each path as it arrives. Whenever guard had to wait for one, it reads the repository again, because
/// anything may have changed meanwhile; paths that arrived together share one reading, as those of a command line do.
fn answer_each(
    mut list: PathList<impl io::Read>,
    options: &Options,
    is_recorded: bool,
    output: &mut Output,
) -> Result<u8> {
    let mut progress = CheckProgress::default();
    loop {
        let batch = list.wait()?;
        if batch.is_empty() {
            break;
        }
        let repo = repository();
        let checker = match &repo {
            Ok(repo) => Checker::open(repo, options).map(|checker| (repo, checker)),
            Err(error) => Err(error.clone()),
        };
        for written in &batch {
            let answer = checker.as_ref().map_err(Clone::clone);
            let answer = answer.and_then(|(repo, checker)| {
                let path = list.path(written.as_ref())?;
                let request = repo.request_of(&path);
                let gate = checker.gate(&request)?;
                let result = gate.check(path, request.as_ref(), None, false)?;
                if is_recorded {
                    gate.record_answer(&result)?;
                }
                Ok((result, gate.notes()))
            });
            let is_read = match answer {
                Ok((result, notes)) => {
                    progress.counts.add(&result);
                    progress.notes(notes, output);
                    output.stream(|out, format, style| {
                        write_check_result(&result, format, out, style)
                    })
                }
                Err(error) => progress.error(written.as_ref(), error, output),
            };
            if !is_read {
                return Ok(progress.counts.exit_code());
            }
        }
    }
    if progress.counts == CheckCounts::default() {
        // Without a path there is no other sign that guard works here.
        repository()?;
    }
    output.stream(|out, format, _| write_check_end(&progress.counts, &progress.notes, format, out));
    Ok(progress.counts.exit_code())
}

/// What guard has told so far.
#[derive(Default)]
struct CheckProgress {
    counts: CheckCounts,
    /// Each of them once.
    notes: Vec<String>,
    last_error: String,
}

impl CheckProgress {
    fn notes(&mut self, notes: &[String], output: &Output) {
        for note in notes {
            if !self.notes.contains(note) {
                output.notes(std::slice::from_ref(note));
                self.notes.push(note.clone());
            }
        }
    }

    /// Answers that guard cannot judge the path. What to do about it is told once for many paths in a row.
    fn error(&mut self, written: &BStr, error: Error, output: &mut Output) -> bool {
        self.counts.errors += 1;
        if self.last_error != error.message {
            output.tell(&error);
        }
        let is_read = output
            .stream(|out, format, style| write_check_error(written, &error, format, out, style));
        self.last_error = error.message;
        is_read
    }
}
