//! `guard apply`: a batch of operations.

use std::path::{Path, PathBuf};

use super::answer::in_words;
use super::input::{read_content, read_list};
use crate::cli::design_args::DesignArgs;
use crate::cli::output::Output;
use crate::cli::path_base::PathBase;
use crate::cli::repository::repository;
use crate::gate::{CompletedBatch, Gate, GateResult, parse_batch};
use crate::report::plural;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct ApplyArgs {
    /// A JSON list of operations; `-` is standard input. `guard read` must be allowed to read the file.
    #[arg(value_name = "OPS")]
    list: PathBuf,
    #[command(flatten)]
    design: DesignArgs,
    #[command(flatten)]
    base: PathBase,
}

const EXAMPLES: &str = "\
Examples:
  guard apply ops.json
  guard apply - < ops.json
  guard apply ops.json --format json

Operations and their keys (those in brackets may be left out):
  write   path, content, [strategy, line, expect, allow_empty]
  patch   path, edits: a list of search and replace, [expect]
  delete  path, [expect]
  move    path, to, [expect]

An example of a list: [{\"operation\": \"write\", \"path\": \"a.py\", \"content\": \"x = 1\\n\", \"expect\": \"none\"}, {\"operation\": \"move\", \"path\": \"b.py\", \"to\": \"c.py\"}]

guard judges every operation as the verb of that name would, before it does the first. If one is refused or needs \
approval, guard does none and names each such operation. One snapshot holds all files as they were. If an operation \
fails, guard takes back those before it; if guard is killed, the next run that writes does so. No two operations may \
concern the same path.";

impl ApplyArgs {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> GateResult<u8> {
        let repo = repository()?;
        let gate = Gate::open(&repo, &self.design.options(false))?;
        output.notes(gate.notes());
        let list = match self.list.as_path() {
            file if file == Path::new("-") => read_list(gate.max_size())?,
            file => read_content(&gate, self.base.request(&repo, file).as_ref())?,
        };
        let steps = parse_batch(&list, &|path| self.base.request(&repo, Path::new(path)))?;
        let done = gate.apply(&steps);
        output.notes(&gate.recovered());
        let done = done.map_err(|failure| self.base.locate(&repo, &gate, failure))?;
        print(output, &gate, &done);
        Ok(0)
    }
}

fn print(output: &mut Output, gate: &Gate<'_>, done: &CompletedBatch) {
    let count = plural(done.operations.len(), "operation");
    let what = match done.backup {
        Some(backup) => format!("{count}; snapshot {backup}"),
        None => format!("{count}; nothing changed"),
    };
    output.settle(format!("the batch is done: {what}"));
    let quiet = output.style.quiet;
    output.print_either(
        || done.to_json(gate),
        |out| {
            if quiet {
                return Ok(());
            }
            for one in &done.operations {
                writeln!(out, "{}", in_words(one))?;
            }
            writeln!(out, "{what}")
        },
    );
}
