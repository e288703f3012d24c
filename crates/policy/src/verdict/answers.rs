//! What other verbs than `guard lint` find out: whether paths may be written, what is allowed, where a branch stands, and
//! which settings are in force.

use std::collections::{HashMap, HashSet};

use bstr::BString;
use serde::Serialize;

use super::{DesignUsed, Outcome, Texts, Verdict};
use crate::design::Mention;
use crate::error::{FailureKind, Result};
use crate::finding::{Anchor, Finding, Rule, json};
use crate::policy::DonePlan;
use crate::scope::settings::{KeyPlaces, Settings};
use crate::scope::{Denial, Grant};

/// The answers of `guard check`, in the order of the requests.
#[derive(Debug, Clone, Default)]
pub struct CheckAnswers {
    /// One per path.
    pub results: Vec<CheckResult>,
    /// Notes on how guard reached the answers.
    pub notes: Vec<String>,
}

/// The answer for one path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CheckResult {
    /// The requested path.
    #[serde(serialize_with = "json::path")]
    pub requested_path: BString,
    /// The path in the workspace; `None` if it is outside.
    #[serde(serialize_with = "json::optional_path")]
    pub path: Option<BString>,
    /// The absolute path; `None` if it is outside.
    pub absolute_path: Option<String>,
    /// Whether it may be written, or read.
    pub allowed: bool,
    /// The closest path that would be allowed; only if `allowed` is false.
    #[serde(serialize_with = "json::optional_path")]
    pub closest_match: Option<BString>,
    /// The reason in one sentence without a full stop; names in it are escaped.
    pub reason: String,
    /// The rule that refuses.
    pub rule: Option<Rule>,
    /// The kind of the refusal, as `guard write` would answer it.
    pub kind: Option<FailureKind>,
    /// How the path leaves the workspace, as requirement 004 names it.
    pub violation: Option<String>,
    /// The line of the design that grants the path or explains the refusal.
    #[serde(skip)]
    pub design: Option<Anchor>,
}

impl CheckAnswers {
    /// The number of refused paths.
    pub fn refused(&self) -> usize {
        let refused = self.results.iter().filter(|result| !result.allowed);
        refused.count()
    }

    /// 1 if any path is refused, otherwise 0.
    pub fn exit_code(&self) -> u8 {
        u8::from(self.refused() > 0)
    }
}

/// All grants in force, paths that the designs only mention, and faults.
#[derive(Debug, Clone, Default)]
pub struct ScopeListing {
    /// The designs.
    pub designs: Vec<DesignUsed>,
    /// The grants, in the order of their designs and lines.
    pub grants: Vec<ScopeGrant>,
    /// Paths that are named but not granted, such as an `Exists` row.
    pub mentions: Vec<Mention>,
    /// Paths that the designs forbid, in the order of their designs and lines.
    pub denials: Vec<Denial>,
    /// The faults of the designs, in any order.
    pub problems: Vec<Finding>,
    /// Notes on these designs, one sentence each.
    pub notes: Vec<String>,
    /// The designs to quote.
    pub texts: Texts,
}

/// A grant and facts about its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeGrant {
    /// The grant.
    pub grant: Grant,
    /// Whether the path, or a match of the glob, exists.
    pub exists: bool,
    /// Why requests may not change what exists there.
    pub protection: Option<Protection>,
}

/// Why a granted path must not be modified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// `[scope] protect` covers it.
    Settings,
    /// A listed test that exists, without a Modify row.
    Scaffolded,
}

impl ScopeListing {
    /// 1 if a design has an error, otherwise 0.
    pub fn exit_code(&self) -> u8 {
        Outcome::of(&self.problems).exit_code()
    }
}

/// The paths of the scope, without duplicates, in the order of the designs.
#[derive(Debug, Clone, Default)]
pub struct PromptSection {
    /// The designs.
    pub designs: Vec<DesignUsed>,
    /// The paths of those that join every branch's.
    pub standing: Vec<BString>,
    /// The writable paths.
    pub paths: Vec<PromptPath>,
    /// Paths that are named but not granted.
    pub named: Vec<BString>,
    /// Paths that the designs forbid.
    pub denials: Vec<Denial>,
    /// Notes for the caller, one sentence each; they are not part of the section.
    pub notes: Vec<String>,
}

/// One path of the section, from all rows that name it.
#[derive(Debug, Clone)]
pub struct PromptPath {
    /// The first row, with the actions of all.
    pub row: ScopeGrant,
    /// The descriptions of all rows.
    pub descriptions: Vec<String>,
    /// Whether only standing designs name it.
    pub is_standing: bool,
}

impl PromptSection {
    /// The section for this scope.
    pub fn new(scope: ScopeListing) -> PromptSection {
        let standing = scope.designs.iter().filter(|design| design.is_standing);
        let standing: Vec<BString> = standing.map(|design| design.path.clone()).collect();
        let mut paths: Vec<PromptPath> = Vec::new();
        let mut places = HashMap::new();
        for row in scope.grants {
            let key = (row.grant.path.clone(), row.grant.kind.name());
            let place = *places.entry(key).or_insert(paths.len());
            if place == paths.len() {
                paths.push(PromptPath {
                    row: row.clone(),
                    descriptions: Vec::new(),
                    is_standing: true,
                });
            }
            let known = &mut paths[place];
            let grant = row.grant;
            known.row.grant.actions = known.row.grant.actions | grant.actions;
            known.row.protection = known.row.protection.or(row.protection);
            known.is_standing &= standing.contains(&grant.anchor.path);
            if !known.descriptions.contains(&grant.description) {
                known.descriptions.push(grant.description);
            }
        }
        let granted = paths.iter().map(|line| line.row.grant.path.clone());
        let denied = scope.denials.iter().map(|denial| denial.path.clone());
        let mut listed: HashSet<BString> = granted.chain(denied).collect();
        let mentions = scope.mentions.into_iter();
        let mut named: Vec<BString> = mentions.map(|mention| mention.path).collect();
        named.retain(|path| listed.insert(path.clone()));
        let mut notes = scope.notes;
        if !scope.problems.is_empty() {
            notes.push(
                "the design has faults; faulty rows allow nothing: guard scope check".to_owned(),
            );
        }
        PromptSection {
            designs: scope.designs,
            standing,
            paths,
            named,
            denials: scope.denials,
            notes,
        }
    }

    /// Whether a design is in force that is not a standing one.
    pub fn has_own_design(&self) -> bool {
        self.designs.len() > self.standing.len()
    }
}

/// Where the work on a branch stands. An error says why guard cannot tell a part of it.
#[derive(Debug)]
pub struct BranchStatus {
    /// The branch; `None` for a detached HEAD.
    pub branch: Option<BString>,
    /// The designs in force.
    pub designs: Result<Vec<DesignUsed>>,
    /// The plans that grant nothing because their work is done.
    pub done: Vec<DonePlan>,
    /// The rows of the branch's own designs; `None` without such a design.
    pub rows: Result<Option<RowsSoFar>>,
    /// What a commit of the staged changes would say.
    pub commit: Result<Verdict>,
    /// Notes on how guard reached all this, one sentence each.
    pub notes: Vec<String>,
}

/// The rows of a branch's own designs.
#[derive(Debug)]
pub struct RowsSoFar {
    /// The number of those that the work so far changes.
    pub done: usize,
    /// The others.
    pub open: Vec<Grant>,
}

/// The settings with their sources.
#[derive(Debug, Clone, Default)]
pub struct SettingsInForce {
    /// The commit whose `guard.toml` was read, in hexadecimal; `None` if it has none.
    pub commit: Option<String>,
    /// The settings in force.
    pub settings: Settings,
    /// The places of settings in the file.
    pub places: KeyPlaces,
    /// Designs chosen by hand.
    pub designs: Option<ChosenDesigns>,
    /// The environment variables that affect guard and are set, by name.
    pub variables: Vec<(String, String)>,
    /// Notes, one sentence each.
    pub notes: Vec<String>,
}

/// Designs that override those of the settings.
#[derive(Debug, Clone, Serialize)]
pub struct ChosenDesigns {
    /// The files as given.
    pub files: Vec<String>,
    /// The flag, variable or command that chose them.
    #[serde(rename = "from")]
    pub by: String,
}
