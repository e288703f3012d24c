//! `guard check`: whether paths may be written, and with a given content, or read.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use gix::bstr::BString;

use super::bounded;
use super::files::ContentSource;
use super::options::{DesignArgs, repository};
use super::output::Output;
use crate::boundary::bytes;
use crate::error::Result;
use crate::files::{Failure, Gate};
use crate::report::write_check;
use crate::verdict::{CheckAnswers, CheckResult};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
pub(super) struct CheckArgs {
    /// Paths, absolute or relative to the current directory.
    #[arg(required_unless_present = "stdin", value_name = "PATH")]
    paths: Vec<OsString>,
    /// Read the paths from standard input, one per line.
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
would for that content. guard reads designs and settings from HEAD, and writes nothing but the log with --record. \
If guard cannot check one of several paths, it answers none, and the exit code is 2.";

impl CheckArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let given = self.paths.iter();
        let paths = match self.stdin {
            true => bounded::paths(io::stdin().lock(), self.is_nul)?,
            false => given.map(|path| bytes(Path::new(path)).into()).collect(),
        };
        let answers = self.answers(&paths)?;
        output.print(|to| write_check(&answers, to));
        output.notes(&answers.notes);
        Ok(answers.exit_code())
    }

    fn answers(&self, paths: &[BString]) -> Result<CheckAnswers> {
        let repo = repository()?;
        let requests: Vec<BString> = paths.iter().map(|path| repo.request_of(path)).collect();
        // Reading needs no design.
        let inside: &[BString] = if self.read { &[] } else { &requests };
        let mut gate = Gate::open_to_check(&repo, &self.design.options(false), inside)?;
        gate.refuses_empty = !self.allow_empty;
        let input = ContentSource {
            repo: &repo,
            gate: &gate,
            is_recorded: false,
        };
        let file = self.content_file.as_deref();
        let content = file.map(|file| input.content(Some(file)));
        let content = content.transpose().map_err(Failure::into_error)?;
        // The last one gets the content itself, which may be large.
        let contents = std::iter::repeat_n(content, paths.len());
        let cases = paths.iter().zip(&requests).zip(contents);
        let results = cases.map(|((path, request), content)| {
            let (path, request) = (path.clone(), request.as_ref());
            match self.read {
                true => gate.check_read(path, request),
                false => gate.check(path, request, content),
            }
        });
        let results: Vec<CheckResult> = results.collect::<Result<_>>()?;
        if self.record {
            results
                .iter()
                .try_for_each(|result| gate.record_answer(result))?;
        }
        Ok(CheckAnswers {
            results,
            notes: gate.policy.notes.clone(),
        })
    }
}
