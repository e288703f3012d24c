//! What landed in the work tree although no design allows it.

// Notes below the git directory what was reported.
#![allow(clippy::disallowed_methods)]

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::finished::Finished;
use crate::disk;
use crate::error::{Error, Result};
use crate::finding::Level;
use crate::git::Repository;
use crate::judge::{self, Options};
use crate::path::escaped;

/// How many findings a model reads with attention.
const MAX_FINDINGS: usize = 4;

/// What to tell the agent about the work tree; `None` if there is nothing, or nothing that the session does not know.
///
/// # Errors
/// The work tree has changes, and guard cannot judge them.
pub(crate) fn landed(
    finished: &Finished,
    repo: Repository,
    options: &Options,
) -> Result<Option<String>> {
    let root = repo.workdir()?.to_owned();
    let directory = repo.git_dir().join("guard");
    let report = match judge::everything(repo, options) {
        Ok(verdict) => {
            let errors = verdict
                .findings
                .iter()
                .filter(|finding| finding.level == Level::Error);
            let lines: Vec<String> = errors
                .map(|finding| format!("{} [{}]", finding.message, finding.rule.id()))
                .collect();
            lines
        }
        // Without changes, no design is needed.
        Err(_) if judge::uncommitted(Repository::open(&root)?)?.is_empty() => Vec::new(),
        Err(error) => vec![cannot_judge(&error)],
    };
    if is_known(&directory, finished, &report) || report.is_empty() {
        return Ok(None);
    }
    Ok(Some(text(&report)))
}

fn cannot_judge(error: &Error) -> String {
    let help: Vec<&str> = error.help.iter().map(|help| help.trim_end()).collect();
    format!(
        "guard could not judge: {}; {}",
        error.message,
        help.join("; ")
    )
}

fn text(report: &[String]) -> String {
    let mut text =
        "guard found changes in the work tree that it would refuse to commit:\n".to_owned();
    for line in report.iter().take(MAX_FINDINGS) {
        let _ = writeln!(text, "- {line}");
    }
    if report.len() > MAX_FINDINGS {
        let more = report.len() - MAX_FINDINGS;
        let _ = writeln!(text, "and {more} more: guard lint --worktree");
    }
    text.push_str(
        "If you made them, take them back: git restore FILE for a tracked file; guard snapshot list and guard snapshot restore for what a file held before a change that guard let pass. Ask the user about new files, and about changes that you did not make.",
    );
    text
}

/// Whether the session was told exactly this before; notes it otherwise. A note that fails only repeats a report.
fn is_known(directory: &Path, finished: &Finished, report: &[String]) -> bool {
    let kind = if finished.ends_turn { "turn" } else { "tool" };
    let file = directory.join(format!("landed-{kind}"));
    let note = format!("{}\n{}\n", escaped(&finished.session), report.join("\n"));
    let known = fs::read(&file).is_ok_and(|known| known == note.as_bytes());
    if !known && (!report.is_empty() || file.exists()) {
        let written = disk::create_private_directory(directory)
            .and_then(|()| disk::replace(&file, note.as_bytes(), Some(disk::PRIVATE)));
        drop(written);
    }
    known
}
