//! Judges the last changes of the target branch by given settings, each as if it were proposed today.

use gix::ObjectId;

use super::pipeline::{Judged, designs_used};
use super::{Options, StandingDesign, facts, range};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::{Finding, Level};
use write_guard_policy::measure::Precision;
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
    /// Whether the settings leave out the scope rules for changes without a design.
    pub skips_scope: bool,
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
    /// Whether guard would refuse it without a design of its own.
    pub needs_design: bool,
}

/// Judges the last `most` changes of the target branch: the commits and merges that follow its first parents. The
/// `standing` designs count for changes that are older than they are.
///
/// # Errors
/// There is no commit to judge, or a commit or file cannot be read.
pub fn trial(
    repo: &Repository,
    settings: Settings,
    standing: Vec<StandingDesign>,
    most: usize,
) -> Result<Trial> {
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
        skips_scope: settings.missing == Missing::Skip,
    };
    let tried_by = TriedBy::new(settings, standing);
    let mut next = Some(tip);
    while let Some(id) = next.filter(|_| trial.changes.len() < most) {
        next = repo.commit(id)?.parents.first().copied();
        if next.is_some_and(|parent| repo.is_shallow() && !repo.has(parent)) {
            trial.missing = next;
            break;
        }
        trial.changes.push(tried_by.judge(repo, id, next)?);
    }
    if trial.changes.is_empty() {
        return Err(Error::new(
            "the clone is too shallow to check a change: it holds only the newest commit",
        )
        .help(repo.fetch_command(&[])));
    }
    Ok(trial)
}

/// The settings of the trial, and what replaces them where they leave a change without a verdict.
struct TriedBy {
    in_force: Options,
    /// Without a design, no scope.
    skipping: Options,
    /// Without any design.
    unscoped: Options,
    /// Whether guard refuses changes without a design.
    blocks: bool,
}

impl TriedBy {
    fn new(settings: Settings, standing: Vec<StandingDesign>) -> TriedBy {
        let skipping = Settings {
            missing: Missing::Skip,
            ..settings.clone()
        };
        let unscoped = Settings {
            lld_path: Vec::new(),
            standing: Vec::new(),
            ..skipping.clone()
        };
        TriedBy {
            blocks: settings.missing == Missing::Block,
            in_force: options_with(settings, &standing),
            skipping: options_with(skipping, &standing),
            unscoped: options_with(unscoped, &[]),
        }
    }

    /// Judges the commit `id`, compared with `parent`.
    fn judge(
        &self,
        repo: &Repository,
        id: ObjectId,
        parent: Option<ObjectId>,
    ) -> Result<TriedChange> {
        let range = repo.range_since(parent, id)?;
        let mut result = range::net(repo, &range, id, &self.in_force);
        let needs_design = self.blocks && result.as_ref().map_or(true, exceeds_standing);
        if needs_design {
            result = range::net(repo, &range, id, &self.skipping);
        }
        let mut why = "no design".to_owned();
        let judged = match result {
            Ok(judged) => judged,
            // Without usable designs, the other rules still apply.
            Err(error) => {
                why = error.message;
                range::net(repo, &range, id, &self.unscoped)?
            }
        };
        Ok(TriedChange {
            id,
            headline: repo.headline(id)?,
            designs: designs_used(&judged.policy),
            needs_design,
            unscoped: judged.policy.scope.is_none().then_some(why),
            findings: judged.findings,
        })
    }
}

/// Whether a change without a design of its own does more than the standing designs grant.
fn exceeds_standing(judged: &Judged) -> bool {
    let mut findings = judged.findings.iter();
    !judged.policy.has_own_design()
        && findings.any(|finding| finding.rule.wants_row() && finding.level == Level::Error)
}

fn options_with(settings: Settings, standing: &[StandingDesign]) -> Options {
    Options {
        precision: Precision::Verdict,
        settings: Some(settings),
        standing: standing.to_vec(),
        ..Options::default()
    }
}
