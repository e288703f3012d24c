//! What the next session reads about earlier refusals.

use super::refusal::{RefusedRequest, has_row};
use crate::files::Log;
use crate::judge::{self, Options};
use write_guard_policy::scope::Scope;
use write_guard_repo::Repository;
use write_guard_repo::disk::absolute;

/// How many refused paths the text of a session names.
const MOST_TOLD: usize = 10;
/// So much of the end of the log is searched for them.
const END_OF_LOG: u64 = 256 * 1024;

/// What the next session reads: the paths that were refused on this branch, the newest first, and where they belong.
/// Empty where nothing was.
pub(crate) fn refused_before(repo: &Repository, options: &Options) -> String {
    let Ok(listing) = judge::scope(repo, options) else {
        return String::new();
    };
    // A standing design applies on all branches, so the designs do not say where a refusal was.
    let branch = repo.design_branch().ok().flatten().unwrap_or_default();
    let grants = listing.grants.iter().map(|line| line.grant.clone());
    let scope = Scope::new(grants.collect());
    let records = Log::of(repo).last_records(END_OF_LOG).unwrap_or_default();
    let root = repo.workdir().map(absolute).unwrap_or_default();
    let mut told: Vec<RefusedRequest> = Vec::new();
    for (at, record) in records.iter().enumerate().rev() {
        let Some(refusal) = RefusedRequest::of(record, at, &root) else {
            continue;
        };
        let is_told = told.iter().any(|known| known.path == refusal.path);
        if !is_told
            && refusal.is_about_scope()
            && branch == refusal.branch
            && !has_row(&scope, &refusal.path)
        {
            told.push(refusal);
        }
        if told.len() == MOST_TOLD {
            break;
        }
    }
    sentence(&told)
}

/// The sentence that a session begins with.
fn sentence(told: &[RefusedRequest]) -> String {
    if told.is_empty() {
        return String::new();
    }
    let named = told.iter().map(|refusal| match refusal.closest.as_str() {
        "" => refusal.path.clone(),
        closest => format!("{} (use {closest})", refusal.path),
    });
    let named: Vec<String> = named.collect();
    format!(
        "\nRefused on this branch before: {}. Do not try these again without a row.\n",
        named.join(", ")
    )
}
