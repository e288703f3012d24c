//! The rules, one file each: policy, changes and a view of the resulting tree in, findings out.
//! No git, no disk, no clock, no environment.

mod companions;
mod design_rows;
mod destructive;
mod gitmodules;
mod hidden;
mod hook_calls;
mod outside_roots;
mod paths;
mod policy_changed;
mod portable;
mod protected;
mod row;
mod row_untouched;
mod scope;
mod scope_amended;
mod submodule;
mod vanished;

pub(crate) use hidden::hiding as hiding_attributes;

use std::collections::HashMap;

use gix::bstr::{BStr, BString};

use crate::approval::Approval;
use crate::change::{Change, Kind, State};
use crate::finding::{Finding, Level, Rule};
use crate::measure::{Kept, Measured};
use crate::path::{TreeView, show};
use crate::policy::Policy;
use crate::policy::settings::Settings;

pub use design_rows::{DesignContext, check_design_rows, matched};
pub use protected::{is_protected, protection};

/// A change with everything that the rules look at.
#[derive(Debug, Clone)]
pub struct MeasuredChange {
    /// What is proposed.
    pub change: Change,
    /// How much it destroys.
    pub measured: Measured,
    /// Where Rename rows move a deleted path to, as far as the same change adds or modifies something there.
    pub new_ends: Vec<NewEnd>,
    /// Both versions, old and new, of a file whose content is itself a rule
    /// ([`wants_content`]) or a link's target; empty where a side is missing.
    pub content: Option<Box<(Vec<u8>, Vec<u8>)>>,
}

impl MeasuredChange {
    /// The path, which every rule needs.
    pub fn path(&self) -> &BStr {
        self.change.path.as_ref()
    }
}

/// The new end of a Rename row whose old end is deleted.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEnd {
    /// Its path.
    pub path: BString,
    /// What it keeps of the old end.
    pub kept: Kept,
}

/// What is known of the tree where this piece of work began.
#[derive(Debug, Clone, Default)]
pub enum MergeBase {
    /// There is no target branch to compare with.
    #[default]
    Unknown,
    /// What it holds at the paths that [`needs_merge_base`] asked for.
    Known(HashMap<BString, Option<State>>),
}

impl MergeBase {
    /// What was at `path`; `None` where nothing is known, `Some(None)` where nothing was.
    pub fn get(&self, path: &BStr) -> Option<Option<State>> {
        match self {
            MergeBase::Unknown => None,
            MergeBase::Known(states) => states.get(path).copied(),
        }
    }
}

/// The resulting tree, as the rules see it.
pub trait ResultTree: TreeView {
    /// Calls `visit` with every path of the result that is one with a changed path where case does not count, or
    /// leads to one or is below one; with others too, if that is cheaper. In any order.
    fn for_each(&self, visit: &mut dyn FnMut(&BStr, Kind));
}

/// Everything that one judgement looks at.
pub struct Case<'a> {
    /// What the changes are judged by.
    pub policy: &'a Policy,
    /// What is proposed.
    pub subjects: &'a [MeasuredChange],
    /// What the proposal leads to.
    pub result: &'a dyn ResultTree,
    /// Where this piece of work began.
    pub merge_base: &'a MergeBase,
    /// The consent that counts here: expired approvals, and in a range unsigned ones, are left out.
    pub approvals: &'a [Approval],
}

impl Case<'_> {
    /// The consent to this change.
    pub fn approval(&self, change: &Change) -> Option<&Approval> {
        self.approvals
            .iter()
            .find(|approval| approval.is_for(change))
    }
}

/// What a request wants of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Its content.
    Read,
    /// To change it.
    Write,
}

/// A request for a path, before anything there is opened.
pub struct PathRequest<'a> {
    /// The settings in force.
    pub settings: &'a Settings,
    /// The path, free of links.
    pub path: &'a BStr,
    /// What it wants there.
    pub access: Access,
}

/// More findings than anybody reads; a finding with its advice takes about a kilobyte.
const MOST_FINDINGS: usize = 100_000;

/// Takes findings and gives them the level that the settings ask for.
pub struct Sink<'a> {
    settings: &'a Settings,
    findings: Vec<Finding>,
    most: usize,
    /// The findings beyond `most`.
    left_out: LeftOut,
}

/// Findings that are counted and not listed.
#[derive(Default)]
struct LeftOut {
    count: usize,
    /// The gravest of them.
    worst: Option<(Level, Rule)>,
}

impl<'a> Sink<'a> {
    fn new(settings: &'a Settings, most: usize) -> Sink<'a> {
        Sink {
            settings,
            findings: Vec::new(),
            most,
            left_out: LeftOut::default(),
        }
    }

    /// Records a finding unless its rule is off.
    pub fn push(&mut self, finding: Finding) {
        let Some(finding) = at_level(self.settings, finding) else {
            return;
        };
        if self.findings.len() < self.most {
            self.findings.push(finding);
        } else {
            self.leave_out(finding.level, finding.rule);
        }
    }

    /// Records a finding at its own level, whatever the settings say of its rule.
    pub fn push_always(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Records a finding of `rule` at its default level, which is not even made where no more are listed.
    pub fn push_made_by(&mut self, rule: Rule, make: impl FnOnce() -> Finding) {
        if self.findings.len() < self.most {
            self.push(make());
        } else if let Some(level) = self.settings.level(rule) {
            self.leave_out(level, rule);
        }
    }

    fn leave_out(&mut self, level: Level, rule: Rule) {
        self.left_out.count += 1;
        let worst = self.left_out.worst.get_or_insert((level, rule));
        if level > worst.0 {
            *worst = (level, rule);
        }
    }

    /// The findings, with one that counts those that are not listed.
    fn finish(mut self) -> Vec<Finding> {
        if let Some((level, rule)) = self.left_out.worst {
            let mut more = Finding::new(
                rule,
                "",
                format!(
                    "{} more findings are not listed: a report has at most {}",
                    self.left_out.count, self.most
                ),
            )
            .help("judge the change in smaller steps");
            more.path = None;
            more.level = level;
            self.findings.push(more);
        }
        self.findings
    }
}

/// The finding at the level that the settings ask for; `None` where its rule is off.
pub fn at_level(settings: &Settings, mut finding: Finding) -> Option<Finding> {
    let level = settings.level(finding.rule)?;
    // A rule may lower a finding below its own level; the settings replace the rule's level only.
    let lowered = finding.level < finding.rule.default_level();
    finding.level = if lowered {
        finding.level.min(level)
    } else {
        level
    };
    Some(finding)
}

/// Judges the changes by every rule.
pub fn check(case: &Case<'_>) -> Vec<Finding> {
    let mut sink = Sink::new(&case.policy.settings, MOST_FINDINGS);
    let rules: [fn(&Case<'_>, &mut Sink<'_>); 11] = [
        paths::check,
        scope::check,
        destructive::check,
        protected::check,
        scope_amended::check,
        policy_changed::check,
        submodule::check,
        gitmodules::check,
        hidden::check,
        portable::check,
        row_untouched::check,
    ];
    for rule in rules {
        rule(case, &mut sink);
    }
    clear_approved(case, &mut sink.findings);
    sink.finish()
}

/// Judges a request by the rules that need no more than its path.
pub fn check_request(request: &PathRequest<'_>) -> Vec<Finding> {
    let mut sink = Sink::new(request.settings, MOST_FINDINGS);
    outside_roots::check_request(request, &mut sink);
    protected::check_request(request, &mut sink);
    sink.finish()
}

/// Errors of an approved change become notes, but for the rules that no approval clears.
fn clear_approved(case: &Case<'_>, findings: &mut [Finding]) {
    if case.approvals.is_empty() {
        return;
    }
    let approved: HashMap<&BStr, (&Change, &Approval)> = case
        .subjects
        .iter()
        .filter_map(|subject| {
            let approval = case.approval(&subject.change)?;
            Some((subject.path(), (&subject.change, approval)))
        })
        .collect();
    for finding in findings {
        let consent = finding
            .path
            .as_ref()
            .and_then(|path| approved.get::<BStr>(path.as_ref()));
        let Some(&(change, approval)) = consent.filter(|_| can_be_cleared(finding)) else {
            continue;
        };
        match lost_at(finding, change) {
            Some(from) if !approved.contains_key(from) => finding.help.push(both_ends(from).into()),
            _ => clear(finding, &[approval]),
        }
    }
}

/// Where the content was that a renamed file loses: consent to the new end alone does not name it.
pub fn lost_at<'a>(finding: &Finding, change: &'a Change) -> Option<&'a BStr> {
    let is_new = finding.rule == Rule::DestructiveChange && change.old.is_none();
    let from = change.renamed.as_ref().filter(|_| is_new)?;
    Some(from.as_ref())
}

/// What a loss on the way of a rename takes besides.
pub fn both_ends(from: &BStr) -> String {
    format!(
        "what is lost comes from {}: approve its deletion in the same commit too; `guard approve --staged` approves both",
        show(from)
    )
}

/// Whether consent to the change clears this finding.
pub fn can_be_cleared(finding: &Finding) -> bool {
    finding.level == Level::Error && finding.rule.can_be_approved()
}

/// Makes a note of an error: a person consented, step by step where there are several approvals.
pub fn clear(finding: &mut Finding, approvals: &[&Approval]) {
    finding.level = Level::Note;
    finding.help.clear();
    for approval in approvals {
        let (who, reason) = (show(&approval.who), show(&approval.reason));
        finding.message = format!("{}; approved by {who}: {reason}", finding.message);
        finding
            .details
            .insert("approved_by", approval.who.clone().into());
        finding
            .details
            .insert("reason_of_approval", approval.reason.clone().into());
        finding.details.insert("approval", approval.facts());
    }
}

/// Whether the rules read this file's content.
pub fn wants_content(path: &BStr) -> bool {
    gitmodules::concerns(path) || hidden::concerns(path) || policy_changed::may_name_guard(path)
}

/// Whether the verdict on this change depends on what the merge base holds at its path.
pub fn needs_merge_base(policy: &Policy, subject: &MeasuredChange) -> bool {
    scope::depends_on_merge_base(policy, subject)
        || protected::depends_on_merge_base(policy, subject)
}

/// Whether the step between two versions of hook settings, the first empty for a new file, only moves guard's own
/// version or only has guard called. It needs no design.
pub fn changes_only_own_part(path: &BStr, old: &[u8], new: &[u8]) -> bool {
    policy_changed::changes_only_own_part(path, old, new)
}

/// Whether lines of this file may call guard: hook and CI definitions.
pub fn may_call_guard(path: &BStr) -> bool {
    policy_changed::may_name_guard(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: Rule, path: &str) -> Finding {
        Finding::new(rule, path, "x")
    }

    #[test]
    fn findings_beyond_the_limit_are_counted_and_still_refuse() {
        let settings = Settings::default();
        let mut sink = Sink::new(&settings, 2);
        for path in ["a", "b", "c"] {
            sink.push(finding(Rule::PortableName, path));
        }
        sink.push_made_by(Rule::OutOfScope, || unreachable!("nothing more is listed"));
        let findings = sink.finish();
        assert_eq!(findings.len(), 3);
        let more = &findings[2];
        assert_eq!((more.level, more.rule), (Level::Error, Rule::OutOfScope));
        assert!(
            more.path.is_none() && more.message.starts_with("2 more findings"),
            "{more:?}"
        );
    }

    #[test]
    fn as_many_findings_as_fit_are_listed_alone() {
        let settings = Settings::default();
        let mut sink = Sink::new(&settings, 2);
        sink.push(finding(Rule::OutOfScope, "a"));
        sink.push_made_by(Rule::OutOfScope, || finding(Rule::OutOfScope, "b"));
        assert_eq!(sink.finish().len(), 2);
    }
}
