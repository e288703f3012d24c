//! `guard lint`: judge what would be committed, or what was.

use super::{DesignArgs, output::Output, progress, repository};
use crate::error::Result;
use crate::git::{Range, Repository};
use crate::judge::{self, Options};
use crate::report::Report;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Judge what B has that A has not: the net difference from their merge base to B.
    ///
    /// `A..B` and `A...B` mean the same; an end that is left out is HEAD. What happened in A since the merge
    /// base is never shown as B's doing.
    #[arg(long, value_name = "A..B", conflicts_with = "commit")]
    range: Option<String>,
    /// Judge one commit as it would have been judged before it was made.
    #[arg(long, value_name = "REV")]
    commit: Option<String>,
    /// Of a range, judge also every commit on its own: a merge by what differs from all its parents.
    #[arg(long, requires = "range", conflicts_with = "commit")]
    each_commit: bool,
    #[command(flatten)]
    design: DesignArgs,
}

const EXAMPLES: &str = "\
Examples:
  guard lint                                judge the index by this branch's design
  guard lint --lld docs/lld/LLD-188.md      judge it by this design
  guard lint --range main..HEAD             judge the whole branch, from its merge base with main
  guard lint --range main..HEAD --each-commit
                                            and every commit of it
  guard lint --format json                  the same for a program

Nothing is written: not the index, not the work tree, not the git directory.";

impl Args {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        output.seen_from(repo.prefix());
        let options = self.design.options(false);
        if let Some(revision) = &self.commit {
            let (id, branch) = repo.revision_and_branch(revision)?;
            return print(output, &judge::commit(&repo, id, branch, &options)?);
        }
        if let Some(text) = &self.range {
            let range = repo.parse_range(text)?;
            return self.range(output, &repo, &range, &options);
        }
        staged(output, &options)
    }

    fn range(
        &self,
        output: &mut Output,
        repo: &Repository,
        range: &Range,
        options: &Options,
    ) -> Result<u8> {
        let progress = progress::Progress::new();
        let tell = |done, all| progress.tell(done, all);
        let each: Option<&judge::Progress<'_>> = if self.each_commit { Some(&tell) } else { None };
        print(output, &judge::range(repo, range, each, options)?)
    }
}

/// Judges the staged changes and prints the report.
pub(super) fn staged(output: &mut Output, options: &Options) -> Result<u8> {
    let repo = repository()?;
    output.seen_from(repo.prefix());
    print(output, &judge::staged(&repo, options)?)
}

/// Prints a report; the exit code.
pub(super) fn print(output: &mut Output, report: &Report) -> Result<u8> {
    output.print(|out, format, style| report.write(format, out, style));
    Ok(report.exit_code())
}
