//! Judges what has happened to files as if somebody requested it now.

use gix::ObjectId;
use gix::bstr::BString;

use super::Options;
use super::facts::JudgementFacts;
use super::pipeline;
use write_guard_policy::change::Change;
use write_guard_policy::error::Result;
use write_guard_policy::finding::Finding;
use write_guard_policy::policy::Stage;
use write_guard_policy::rules::{self, Access};
use write_guard_repo::{Repository, Tree};

/// The findings on changes that lead to this tree, by the policy of `base` and the rules for requests.
///
/// # Errors
/// They cannot be judged, for example because there is no design.
pub(crate) fn as_requests(
    repo: &Repository,
    base: Option<ObjectId>,
    changes: Vec<Change>,
    result: Tree<'_>,
    options: &Options,
) -> Result<Vec<Finding>> {
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let paths: Vec<BString> = changes.iter().map(|change| change.path.clone()).collect();
    let facts = JudgementFacts {
        changes,
        ..JudgementFacts::new(repo, Stage::Request, base, result)?
    };
    let judged = pipeline::judge(facts, options)?;
    let mut findings = judged.findings;
    for path in paths {
        let settings = &judged.policy.settings;
        findings.extend(rules::check_request(settings, path.as_ref(), Access::Write));
    }
    Ok(findings)
}
