//! The section of an agent's prompt that lists the writable paths (requirement 002, section 2.5).

use std::collections::{HashMap, HashSet};

use gix::bstr::BString;

use super::{Protection, ScopeGrant};
use crate::policy::design::Mention;
use crate::policy::{Actions, GrantKind, Role};

/// The paths of the scope, without duplicates, in the order of the designs.
#[derive(Debug, Clone, Default)]
pub struct PromptSection {
    /// The designs, by path.
    pub designs: Vec<BString>,
    /// Those of them that join every branch's.
    pub standing: Vec<BString>,
    /// The writable paths.
    pub paths: Vec<PromptPath>,
    /// Paths that are named but not granted.
    pub named: Vec<BString>,
    /// The number of faults in the designs; faulty rows grant nothing.
    pub faults: usize,
    /// Notes, one sentence each.
    pub notes: Vec<String>,
    /// Whether a design is in force that is not a standing one.
    pub has_own_design: bool,
}

/// One path of the section, from all rows that name it.
#[derive(Debug, Clone)]
pub struct PromptPath {
    /// The path.
    pub path: BString,
    /// Its kind.
    pub kind: GrantKind,
    /// The permitted actions.
    pub actions: Actions,
    /// The purpose of the file.
    pub role: Role,
    /// The descriptions of all rows.
    pub descriptions: Vec<String>,
    /// Whether a file exists there.
    pub exists: bool,
    /// Whether only standing designs name it.
    pub is_standing: bool,
    /// Why it must not be modified.
    pub protection: Option<Protection>,
}

impl PromptSection {
    /// The section for these grants.
    pub fn new(
        designs: Vec<BString>,
        standing: Vec<BString>,
        grants: Vec<ScopeGrant>,
        mentions: Vec<Mention>,
        faults: usize,
        notes: Vec<String>,
    ) -> PromptSection {
        let mut paths: Vec<PromptPath> = Vec::new();
        let mut places: HashMap<(BString, &'static str), usize> = HashMap::new();
        for line in grants {
            let (grant, protection) = (line.grant, line.protection);
            let is_standing = standing.contains(&grant.anchor.path);
            let key = (grant.path.clone(), grant.kind.name());
            let place = *places.entry(key).or_insert(paths.len());
            match paths.get_mut(place) {
                Some(known) => {
                    known.actions = known.actions | grant.actions;
                    known.is_standing &= is_standing;
                    known.protection = known.protection.or(protection);
                    if !known.descriptions.contains(&grant.description) {
                        known.descriptions.push(grant.description);
                    }
                }
                None => paths.push(PromptPath {
                    path: grant.path,
                    kind: grant.kind,
                    actions: grant.actions,
                    role: grant.role,
                    descriptions: vec![grant.description],
                    exists: line.exists,
                    is_standing,
                    protection,
                }),
            }
        }
        let mut listed: HashSet<BString> = paths.iter().map(|line| line.path.clone()).collect();
        let mut named = Vec::new();
        for mention in mentions {
            if listed.insert(mention.path.clone()) {
                named.push(mention.path);
            }
        }
        PromptSection {
            has_own_design: designs.len() > standing.len(),
            designs,
            standing,
            paths,
            named,
            faults,
            notes,
        }
    }

    /// Notes for the caller; they are not part of the section.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.notes.clone();
        if self.faults > 0 {
            remarks.push(
                "the design has faults; faulty rows grant nothing: guard scope check".to_owned(),
            );
        }
        remarks
    }
}
