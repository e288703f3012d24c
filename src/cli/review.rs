//! `guard review`: writes the review page and prints the address to open.

use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice;
use serde_json::json;

use super::lint;
use super::options::{DesignArgs, repository};
use super::output::Output;
use crate::judge::{self, Options};
use crate::observe::{self, ScopeChange};
use crate::report::{self, Format};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Help;
use write_guard_policy::path::Platform;
use write_guard_policy::sha256::sha256;
use write_guard_policy::verdict::Verdict;
use write_guard_repo::disk;
use write_guard_repo::{Repository, show_file};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ReviewArgs {
    /// The commits to review; without them, the current branch from its merge base with the target branch.
    ///
    /// `A..B` and `A...B` mean what B adds to A, as in `guard lint`. The target branch is `[lld] base` of guard.toml,
    /// else the default branch of the upstream, else `origin/HEAD`.
    #[arg(value_name = "A..B")]
    range: Option<String>,
    /// Review the staged changes.
    #[arg(long, conflicts_with = "range")]
    staged: bool,
    /// Write the page to this file instead of the directory for temporary files.
    ///
    /// The file must be new, or an earlier page of guard. guard never overwrites a tracked file, a design, guard.toml,
    /// or a file below .git or .guard.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    design: DesignArgs,
}

const EXAMPLES: &str = "\
Examples:
  guard review               review the current branch
  guard review main..HEAD    review these commits

`guard lint --output html=FILE` writes the same page next to other reports. The exit code is that \
of `guard lint`.";

impl ReviewArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let file = self.file.clone().unwrap_or_else(|| temporary_file(&repo));
        output.add_file(Format::Html, file.clone(), self.file.is_none());
        let options = Options {
            for_page: true,
            ..self.design.options(false)
        };
        let mut verdict = self.judge(&repo, &options)?;
        let changes = observe::scope_changes(&repo);
        verdict.notes.extend(changes.iter().map(ScopeChange::text));
        let designs = verdict.designs.iter().map(|design| design.path.clone());
        let overlap = judge::note_on_overlap(&repo, &designs.collect::<Vec<_>>());
        verdict.notes.extend(overlap);
        let address = address_of(&file);
        let outcome = verdict.outcome();
        let shown = show_file(&file);
        let json = json!({"version": 1, "verdict": outcome, "file": shown, "address": address});
        output.print(|to| match to.format {
            Format::Html => report::write(&verdict, to),
            _ => to.answer(
                |style| format!("{}\n{address}\n", report::summary(&verdict, style)),
                || &json,
            ),
        });
        Ok(verdict.exit_code())
    }

    fn judge(&self, repo: &Repository, options: &Options) -> Result<Verdict> {
        if self.staged {
            return lint::staged_report(repo, options);
        }
        let range = match &self.range {
            Some(text) => repo.parse_range(text)?,
            None => judge::range_of_branch(repo)?.ok_or_else(|| {
                Error::new(
                    "guard does not know the target branch, so it cannot tell what this branch \
                     changes",
                )
                .help(Help::run("name the commits", "guard review main..HEAD"))
                .help("or set `[lld] base = \"main\"` in guard.toml")
            })?,
        };
        judge::range(repo, &range, options)
    }
}

/// The `file:` address of a path, to open in a browser.
fn address_of(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let path = path.to_string_lossy().replace('\\', "/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    // On Windows only a drive has a colon, and an address shows it as it is.
    let (drive, path) = match path.split_once(':') {
        Some((drive, path)) if Platform::HOST == Platform::Windows => (format!("{drive}:"), path),
        _ => (String::new(), path.as_str()),
    };
    format!(
        "file://{slash}{drive}{}",
        report::uri(path.as_bytes().as_bstr())
    )
}

/// A page per repository in the directory for temporary files: in the work tree it would be one more file to judge, and
/// one that `git add --all` stages.
fn temporary_file(repo: &Repository) -> PathBuf {
    let git_dir = disk::absolute(repo.git_dir());
    let digest = sha256(git_dir.as_os_str().as_encoded_bytes());
    std::env::temp_dir().join(format!("guard-review-{}.html", digest.to_hex_with_len(16)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_has_no_blank_and_no_character_with_a_meaning() {
        let drive = if cfg!(windows) { "C:" } else { "" };
        let slash = if cfg!(windows) { "/" } else { "" };
        assert_eq!(
            address_of(Path::new(&format!("{drive}/tmp/a b/#c?ä.html"))),
            format!("file://{slash}{drive}/tmp/a%20b/%23c%3F%C3%A4.html")
        );
        if !cfg!(windows) {
            assert_eq!(address_of(Path::new("/a b:c")), "file:///a%20b%3Ac");
        }
    }
}
