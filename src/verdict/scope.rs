//! The listing of `guard scope`: what is granted, and by which line; and the section of an agent's prompt that lists
//! the writable paths (requirement 002, section 2.5).

use std::collections::{HashMap, HashSet};

use gix::bstr::BString;

use super::{DesignUsed, Texts};
use crate::design::Mention;
use crate::finding::{Finding, Level};
use crate::scope::Grant;

/// All grants in force, paths that the designs only mention, and faults.
#[derive(Debug, Clone, Default)]
pub struct ScopeListing {
    /// The designs.
    pub designs: Vec<DesignUsed>,
    /// The grants, in the order of their designs and lines.
    pub grants: Vec<ScopeGrant>,
    /// Paths that are named but not granted, such as an `Exists` row.
    pub mentions: Vec<Mention>,
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
    /// A listed test that exists, without a Modify row, or a file whose row says DO NOT MODIFY.
    Scaffolded,
}

impl ScopeListing {
    /// 1 if a design has an error, otherwise 0.
    pub fn exit_code(&self) -> u8 {
        u8::from(self.problems.iter().any(|p| p.level == Level::Error))
    }
}

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
    /// The number of faults in the designs; faulty rows allow nothing.
    pub faults: usize,
    /// Notes, one sentence each.
    pub notes: Vec<String>,
    /// Whether a design is in force that is not a standing one.
    pub has_own_design: bool,
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
        for row in grants {
            let is_standing = standing.contains(&row.grant.anchor.path);
            let description = row.grant.description.clone();
            let key = (row.grant.path.clone(), row.grant.kind.name());
            match places.get(&key) {
                Some(&place) => {
                    let known: &mut PromptPath = &mut paths[place];
                    known.row.grant.actions = known.row.grant.actions | row.grant.actions;
                    known.row.protection = known.row.protection.or(row.protection);
                    known.is_standing &= is_standing;
                    if !known.descriptions.contains(&description) {
                        known.descriptions.push(description);
                    }
                }
                None => {
                    places.insert(key, paths.len());
                    paths.push(PromptPath {
                        row,
                        descriptions: vec![description],
                        is_standing,
                    });
                }
            }
        }
        let mut listed: HashSet<BString> = paths
            .iter()
            .map(|line| line.row.grant.path.clone())
            .collect();
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
                "the design has faults; faulty rows allow nothing: guard scope check".to_owned(),
            );
        }
        remarks
    }
}
