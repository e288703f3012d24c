//! `guard check`: whether paths may be written, and with a given content, or read.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gix::bstr::BString;

use super::files::ContentSource;
use super::options::{DesignArgs, repository};
use super::output::Output;
use crate::files::{Failure, Gate, GateResult};
use crate::report::write_check;
use write_guard_policy::error::Result;
use write_guard_policy::verdict::{CheckAnswers, CheckResult};
use write_guard_repo::Repository;
use write_guard_repo::boundary::bytes;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CheckArgs {
    /// Paths, absolute or relative to the current directory.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<OsString>,
    /// Also check whether this file's content may be written to the path; `-` is standard input.
    ///
    /// `guard read` must be allowed to read the file.
    #[arg(long, value_name = "FILE")]
    content_file: Option<PathBuf>,
    /// Accept empty content, as `guard write --allow-empty` does.
    #[arg(long, requires = "content_file")]
    allow_empty: bool,
    /// Ask whether the files may be read and the directories listed, instead of written.
    #[arg(long, conflicts_with = "content_file")]
    read: bool,
    /// Record each answer in the log (`guard audit show`), allowed or refused.
    #[arg(long)]
    record: bool,
    #[command(flatten)]
    design: DesignArgs,
}

const EXAMPLES: &str = "\
Examples:
  guard check src/utils/lld.py
  guard check src/state.py --content-file - < new.py
  guard check --read src docs/lld.md

Without --content-file, guard says whether the path may be changed at all. With it, guard answers \
as `guard write` would for that content. guard reads designs and settings from HEAD, and writes \
nothing but the log with --record. If guard cannot check one of several paths, it answers none, \
and the exit code is 2.";

impl CheckArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let options = self.design.options(false);
        let mut gate = if self.read {
            Gate::open_to_read(&repo, &options)?
        } else {
            let paths = self.paths.iter();
            let requests = paths.map(|path| repo.request_of(&bytes(Path::new(path))));
            Gate::open_to_change(&repo, &options, &requests.collect::<Vec<_>>())?
        };
        gate.refuses_empty = !self.allow_empty;
        let results = self.results(&repo, &gate);
        let answers = CheckAnswers {
            results: results.map_err(Failure::into_error)?,
            notes: gate.policy.notes.clone(),
        };
        output.print(|to| write_check(&answers, to));
        output.notes(&answers.notes);
        Ok(answers.exit_code())
    }

    fn results(&self, repo: &Repository, gate: &Gate<'_>) -> GateResult<Vec<CheckResult>> {
        let input = ContentSource {
            repo,
            gate,
            is_recorded: false,
        };
        let file = self.content_file.as_deref();
        let new_content = file.map(|file| input.content(Some(file))).transpose()?;
        let mut results = Vec::new();
        // The last one gets the content itself, which may be large.
        let contents = std::iter::repeat_n(new_content, self.paths.len());
        for (path, content) in self.paths.iter().zip(contents) {
            let path = BString::from(bytes(Path::new(path)));
            let request = repo.request_of(&path);
            results.push(if self.read {
                gate.check_read(path, request.as_ref())?
            } else {
                gate.check(path, request.as_ref(), content)?
            });
        }
        for result in results.iter().filter(|_| self.record) {
            gate.record_answer(result)?;
        }
        Ok(results)
    }
}
