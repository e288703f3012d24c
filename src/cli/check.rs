//! `guard check`: may these paths be written, and with this content?

use std::path::PathBuf;

use super::files::read_stdin;
use super::{DesignArgs, output::Output, repository, with_approvals};
use crate::error::Result;
use crate::gate::Failure;
use crate::judge::{self, Proposed};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Paths, absolute or relative to the current directory.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<std::ffi::OsString>,
    /// Judge also whether the path may get this file's content; `-` is standard input.
    ///
    /// The file must be one that `guard read` reads.
    #[arg(long, value_name = "FILE")]
    content_file: Option<PathBuf>,
    #[command(flatten)]
    design: DesignArgs,
}

const EXAMPLES: &str = "\
Examples:
  guard check src/utils/lld.py
  guard check src/state.py --content-file - < new.py
  guard check --format json -- -odd-name.py

Designs and settings are read from HEAD. Nothing is written.";

impl Args {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let options = with_approvals(&repo, self.design.options(false))?;
        let input;
        let proposed = match self.content_file.as_deref() {
            None => Proposed::Any,
            Some(file) if file == "-" => {
                input = read_stdin(judge::settings_of_head(&repo)?.max_size)
                    .map_err(Failure::into_error)?;
                Proposed::Content(&input)
            }
            Some(file) => Proposed::File(file),
        };
        let report = judge::check_paths(&repo, &self.paths, proposed, &options)?;
        output.print(|out, format, style| report.write(format, out, style));
        output.notes(&report.notes);
        Ok(report.exit_code())
    }
}
