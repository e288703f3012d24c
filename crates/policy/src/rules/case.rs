//! How a rule is declared, and what it is given: the case to look at, and the sink for its findings.

use std::collections::BTreeMap;

use bstr::{BStr, BString};

use crate::approve::Approval;
use crate::change::{Change, Kind, State};
use crate::finding::{Finding, Level, Rule};
use crate::measure::{Kept, Measured};
use crate::path::{Platform, TreeView};
use crate::policy::Policy;
use crate::scope::settings::Settings;
use crate::verdict::MovedTo;

/// A rule about changes, as its file declares it. Its name, level and page are in [`Rule`].
pub(super) struct ChangeRule {
    /// Finds what violates it.
    pub(super) check: fn(&Case<'_>, &mut Sink<'_>),
    /// Which files it reads the content of, beside governing designs. Others are not loaded for it.
    pub(super) reads: Option<fn(&BStr) -> bool>,
}

/// A change with everything that the rules read.
#[derive(Debug, Clone)]
pub struct MeasuredChange {
    /// The change.
    pub change: Change,
    /// The old version to compare with: that of the path, or of the path it was renamed from.
    pub compared: Option<State>,
    /// What it destroys; `None` if a text that governs nothing surely stays text and below the thresholds, and nobody
    /// asked for more.
    pub measured: Option<Measured>,
    /// Where Rename rows move a deleted path to, if the same change adds or modifies a file there.
    pub new_ends: Vec<RenameTarget>,
    /// Where lines of a large file went that is not lost for that reason, or not as much.
    pub moved_to: Vec<MovedTo>,
    /// Whether a commit has the old version: then deleting it loses nothing that the branch alone has.
    pub is_committed: bool,
    /// The file whose lines stand in the old version, and nowhere else in the new one's work tree.
    pub pays_for: Option<Box<PaidFor>>,
    /// Both versions, old and new, of a file whose content is itself a rule
    /// ([`super::wants_content_under`]) or a link's target; empty where a side is missing.
    pub content: Option<Box<(Vec<u8>, Vec<u8>)>>,
}

impl MeasuredChange {
    /// The path.
    pub fn path(&self) -> &BStr {
        self.change.path.as_ref()
    }
}

/// The new path of a Rename row whose old path is deleted.
#[derive(Debug, Clone, PartialEq)]
pub struct RenameTarget {
    /// Its path.
    pub path: BString,
    /// What it keeps of the old file.
    pub kept: Kept,
}

/// A large file that lost lines while another one gained them.
#[derive(Debug, Clone, PartialEq)]
pub struct PaidFor {
    /// Its path.
    pub path: BString,
    /// What it loses without the other one.
    pub measured: Measured,
}

/// What the merge base holds at a path: `None` if it is unknown, `Some(None)` if there was nothing. Rules ask only if
/// the verdict depends on it, because finding the merge base takes time.
pub type MergeBase<'a> = dyn Fn(&BStr) -> Option<Option<State>> + 'a;

/// The resulting tree.
pub trait ResultTree: TreeView {
    /// Calls `visit` at least for every path that equals, contains or is below a changed path when case is ignored.
    /// Directories come, if at all, after those above them; the order is otherwise unspecified.
    fn for_each(&self, visit: &mut dyn FnMut(&BStr, Kind));
}

/// The values of a `.gitmodules`, by the name of a submodule and the key in lower case.
pub type Submodules = BTreeMap<(BString, String), BString>;

/// Reads a `.gitmodules` as git reads its configuration; `None` if it is not valid.
pub type ReadSubmodules = fn(&[u8]) -> Option<Submodules>;

/// The input of one judgement.
pub struct Case<'a> {
    /// The platform whose path rules apply.
    pub platform: Platform,
    /// The policy.
    pub policy: &'a Policy,
    /// The changes.
    pub changes: &'a [MeasuredChange],
    /// The resulting tree.
    pub result: &'a dyn ResultTree,
    /// The merge base.
    pub merge_base: &'a MergeBase<'a>,
    /// How a `.gitmodules` is read.
    pub submodules: ReadSubmodules,
    /// The approvals that count here, without expired ones and, in a range, without unsigned ones.
    pub approvals: &'a [Approval],
}

impl Case<'_> {
    /// The approval of this change.
    pub fn approval(&self, change: &Change) -> Option<&Approval> {
        self.approvals
            .iter()
            .find(|approval| approval.is_for(change))
    }
}

/// The access that a request wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To read the content.
    Read,
    /// To change the content.
    Write,
}

/// The largest number of findings in a report; one takes about a kilobyte with its help.
pub(super) const MOST_FINDINGS: usize = 100_000;

/// Collects findings at the levels that the settings ask for.
pub struct Sink<'a> {
    settings: &'a Settings,
    pub(super) findings: Vec<Finding>,
    most: usize,
    /// How many findings there are beyond `most`.
    left_out: usize,
    /// The most severe of them.
    worst: Option<(Level, Rule)>,
}

impl<'a> Sink<'a> {
    pub(super) fn new(settings: &'a Settings, most: usize) -> Sink<'a> {
        Sink {
            settings,
            findings: Vec::new(),
            most,
            left_out: 0,
            worst: None,
        }
    }

    /// Adds a finding unless its rule is off.
    pub fn push(&mut self, finding: Finding) {
        self.push_made_by(finding.rule, || finding);
    }

    /// Adds a finding at its own level, regardless of the settings.
    pub fn push_always(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Adds a finding of `rule`; beyond the limit, `make` is not called.
    pub fn push_made_by(&mut self, rule: Rule, make: impl FnOnce() -> Finding) {
        let Some(level) = self.settings.level(rule) else {
            return;
        };
        if self.findings.len() < self.most {
            self.findings.extend(at_level(self.settings, make()));
        } else {
            self.left_out += 1;
            self.worst = self.worst.max(Some((level, rule)));
        }
    }

    /// The findings, plus one that counts those beyond the limit.
    pub(super) fn finish(mut self) -> Vec<Finding> {
        if let Some((level, rule)) = self.worst {
            let more = self.left_out;
            let most = self.most;
            let message =
                format!("{more} more findings are not listed; a report lists at most {most}");
            let finding =
                Finding::new(rule, "", message).help("split the change into smaller ones");
            self.findings.push(Finding {
                path: None,
                level,
                ..finding
            });
        }
        self.findings
    }
}

/// The finding at the level of the settings; `None` if its rule is off.
pub fn at_level(settings: &Settings, mut finding: Finding) -> Option<Finding> {
    let level = settings.level(finding.rule)?;
    // A rule may lower a finding below its default level. The settings replace only the default.
    let lowered = finding.level < finding.rule.default_level();
    finding.level = if lowered {
        finding.level.min(level)
    } else {
        level
    };
    Some(finding)
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
    fn findings_within_the_limit_are_all_listed() {
        let settings = Settings::default();
        let mut sink = Sink::new(&settings, 2);
        sink.push(finding(Rule::OutOfScope, "a"));
        sink.push_made_by(Rule::OutOfScope, || finding(Rule::OutOfScope, "b"));
        assert_eq!(sink.finish().len(), 2);
    }
    #[test]
    fn of_equally_severe_findings_beyond_the_limit_the_first_is_named() {
        let settings = Settings::default();
        let mut sink = Sink::new(&settings, 0);
        for rule in [Rule::PortableName, Rule::HiddenChange] {
            sink.push_made_by(rule, || unreachable!("nothing is listed"));
        }
        // A rule that is off is not counted.
        sink.push_made_by(Rule::RowUntouched, || unreachable!("nothing is listed"));
        let more = &sink.finish()[0];
        assert_eq!(
            (more.level, more.rule),
            (Level::Warning, Rule::PortableName)
        );
        assert!(more.message.starts_with("2 more"), "{more:?}");
    }

    #[test]
    fn settings_replace_the_default_level_and_only_limit_a_lowered_one() {
        for (own, configured, expected) in [
            (Level::Error, Some(Level::Warning), Some(Level::Warning)),
            (Level::Error, None, None),
            (Level::Warning, Some(Level::Error), Some(Level::Warning)),
            (Level::Warning, Some(Level::Note), Some(Level::Note)),
        ] {
            let mut settings = Settings::default();
            settings.levels.insert(Rule::ScopeAmended, configured);
            let mut finding = finding(Rule::ScopeAmended, "a");
            finding.level = own;
            let level = at_level(&settings, finding).map(|finding| finding.level);
            assert_eq!(level, expected);
        }
        let mut settings = Settings::default();
        let raised = Some(Level::Error);
        settings.levels.insert(Rule::PortableName, raised);
        let finding = at_level(&settings, finding(Rule::PortableName, "a"));
        assert_eq!(finding.map(|finding| finding.level), raised);
    }
}
