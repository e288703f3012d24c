//! `guard check`: whether paths may be written, and with a given content, or read.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gix::bstr::BString;

use super::files::ContentSource;
use super::options::{DesignArgs, repository};
use super::output::Output;
use crate::boundary::bytes;
use crate::error::Result;
use crate::files::{Failure, Gate, GateResult};
use crate::report::write_check;
use crate::verdict::{CheckAnswers, CheckResult};

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

Without --content-file, guard says whether the path may be changed at all. With it, guard answers as `guard write` \
would for that content. guard reads designs and settings from HEAD, and writes nothing but the log with --record. \
If guard cannot check one of several paths, it answers none, and the exit code is 2.";

impl CheckArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let answers = self.answers().map_err(Failure::into_error)?;
        output.print(|to| write_check(&answers, to));
        output.notes(&answers.notes);
        Ok(answers.exit_code())
    }

    fn answers(&self) -> GateResult<CheckAnswers> {
        let repo = repository()?;
        // Reading needs no design.
        let gate = Gate::open_to_check(&repo, &self.design.options(false), !self.read)?;
        let input = ContentSource {
            repo: &repo,
            gate: &gate,
            is_recorded: false,
        };
        let file = self.content_file.as_deref();
        let content = file.map(|file| input.content(Some(file), self.allow_empty));
        let content = content.transpose()?;
        let results = self.paths.iter().map(|path| {
            let path = bytes(Path::new(path));
            let (path, request) = (BString::from(&*path), repo.request_of(&path));
            match self.read {
                true => gate.check_read(path, request.as_ref()),
                false => gate.check(path, request.as_ref(), content.clone()),
            }
        });
        let results: Vec<CheckResult> = results.collect::<GateResult<_>>()?;
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
