//! `guard check`: whether paths may be written, and with a given content.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gix::bstr::BString;

use super::design_args::DesignArgs;
use super::files::read_stdin;
use super::output::Output;
use super::repository::repository;
use crate::boundary::bytes;
use crate::error::Result;
use crate::gate::{Failure, Gate};
use crate::report::write_check;
use crate::verdict::CheckAnswers;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CheckArgs {
    /// Paths, absolute or relative to the current directory.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<OsString>,
    /// Also judge whether this file's content may be written to the path; `-` is standard input.
    ///
    /// `guard read` must be allowed to read the file.
    #[arg(long, value_name = "FILE")]
    content_file: Option<PathBuf>,
    /// Accept empty content, as `guard write --allow-empty` does.
    #[arg(long, requires = "content_file")]
    allow_empty: bool,
    #[command(flatten)]
    design: DesignArgs,
}

const EXAMPLES: &str = "\
Examples:
  guard check src/utils/lld.py
  guard check src/state.py --content-file - < new.py
  guard check --format json -- -odd-name.py

Without --content-file, guard says whether the path may be changed at all. With it, guard answers as `guard write` \
would for that content. guard reads designs and settings from HEAD, and writes nothing.";

impl CheckArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let request = |path: &OsString| repo.request(Path::new(path));
        let requests: Vec<BString> = self.paths.iter().map(request).collect();
        let options = self.design.options(false);
        let gate = Gate::open_to_check(&repo, &options, &requests)?;
        let content = match self.content_file.as_deref() {
            None => Ok(None),
            Some(file) if file == "-" => read_stdin(gate.max_size()).map(Some),
            Some(file) => {
                let content = gate.content(repo.request(file).as_ref()).map(Some);
                content.map_err(|failure| {
                    failure.help("pass the content on standard input: --content-file - < FILE")
                })
            }
        };
        let content = content.map_err(Failure::into_error)?;
        let results = self.paths.iter().zip(&requests).map(|(path, request)| {
            let requested = BString::from(bytes(Path::new(path)));
            gate.check(
                requested,
                request.as_ref(),
                content.as_deref(),
                self.allow_empty,
            )
        });
        let answers = CheckAnswers {
            results: results.collect::<Result<_>>()?,
            notes: gate.notes().to_vec(),
        };
        output.print(|out, format, style| write_check(&answers, format, out, style));
        output.notes(&answers.notes);
        Ok(answers.exit_code())
    }
}
