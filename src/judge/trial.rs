//! Judges the last changes of the target branch by given settings, each as if it were proposed today.

use gix::ObjectId;
use gix::bstr::BStr;

use super::pipeline::designs_used;
use super::{Options, facts, range};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Finding;
use write_guard_policy::measure::Precision;
use write_guard_policy::policy::Policy;
use write_guard_policy::scope::settings::{Missing, Settings};
use write_guard_policy::verdict::DesignUsed;
use write_guard_repo::{Headline, Repository};

/// What guard would have said to the last changes of a branch.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The branch.
    pub target: String,
    /// The changes, newest first.
    pub changes: Vec<TriedChange>,
    /// The first commit that a shallow clone lacks, if it ends before enough changes.
    pub missing: Option<ObjectId>,
}

/// A commit of the branch, compared with its first parent.
#[derive(Debug, Clone)]
pub struct TriedChange {
    /// The commit.
    pub id: ObjectId,
    /// What a person recognises it by.
    pub headline: Headline,
    /// What guard would have found.
    pub findings: Vec<Finding>,
    /// The designs that guard found for it.
    pub designs: Vec<DesignUsed>,
    /// Why the scope rules did not apply.
    pub unscoped: Option<String>,
    /// Whether it touches a file that no design names, so that it would need one of its own.
    pub needs_design: bool,
}

/// Judges the last `most` changes of the target branch: the commits and merges that follow its first parents.
///
/// # Errors
/// There is no commit to judge, or a commit or file cannot be read.
pub fn trial(repo: &Repository, settings: &Settings, most: usize) -> Result<Trial> {
    let (target, tip) = match facts::target_of(repo, settings.base.as_deref())? {
        Some(target) => target,
        None => {
            let head = repo.head_commit()?;
            let head = head.ok_or_else(|| Error::new("there is no commit to check yet"))?;
            let branch = repo.branch()?.map(|branch| branch.name.to_string());
            (branch.unwrap_or_else(|| "HEAD".to_owned()), head)
        }
    };
    let mut trial = Trial {
        target: target
            .trim_start_matches("refs/heads/")
            .trim_start_matches("refs/remotes/")
            .to_owned(),
        changes: Vec::new(),
        missing: None,
    };
    // The branch has no design for what came before guard.
    let mut settings = settings.clone();
    settings.missing = Missing::Skip;
    let unscoped = options_with(Settings {
        lld_path: Vec::new(),
        standing: Vec::new(),
        ..settings.clone()
    });
    let options = options_with(settings);
    let mut next = Some(tip);
    while let Some(id) = next.filter(|_| trial.changes.len() < most) {
        next = repo.commit(id)?.parents.first().copied();
        if next.is_some_and(|parent| repo.is_shallow() && !repo.has(parent)) {
            trial.missing = next;
            break;
        }
        let range = repo.range_since(next, id)?;
        // Without usable designs, the other rules still apply.
        let (judged, why) = match range::net(repo, &range, id, &options) {
            Ok(judged) => (judged, None),
            Err(error) => (
                range::net(repo, &range, id, &unscoped)?,
                Some(error.message),
            ),
        };
        let is_scoped = judged.policy.scope.is_some();
        let mut changed = judged.changes.iter();
        let needs_design =
            !is_scoped && changed.any(|changed| !is_named(&judged.policy, changed.path()));
        trial.changes.push(TriedChange {
            id,
            headline: repo.headline(id)?,
            designs: designs_used(&judged.policy),
            needs_design,
            unscoped: (!is_scoped).then(|| why.unwrap_or_else(|| "no design".to_owned())),
            findings: judged.findings,
        });
    }
    if trial.changes.is_empty() {
        return Err(Error::new(
            "the clone is too shallow to check a change: it holds only the newest commit",
        )
        .help(repo.fetch_command(&[])));
    }
    Ok(trial)
}

/// Whether a standing design names the path, or it needs no row.
fn is_named(policy: &Policy, path: &BStr) -> bool {
    policy.is_exempt(path)
        || policy.settings.always.contains(path)
        || !policy.unasked.actions(path).is_empty()
}

fn options_with(settings: Settings) -> Options {
    Options {
        precision: Precision::Verdict,
        settings: Some(settings),
        ..Options::default()
    }
}
