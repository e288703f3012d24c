//! The section of an agent's prompt that names what it may write (requirement 002, section 2.5).

use gix::bstr::BString;

use super::ScopeGrant;
use crate::policy::design::Mention;
use crate::policy::{Actions, GrantKind, Role};

/// The paths of the scope, each once, in the order of the designs.
#[derive(Debug, Clone, Default)]
pub struct PromptSection {
    /// The designs, by path.
    pub designs: Vec<BString>,
    /// What may be written.
    pub paths: Vec<PromptPath>,
    /// Named, not granted.
    pub named: Vec<BString>,
    /// How many faults the designs have: what is behind them grants nothing.
    pub faults: usize,
    /// Remarks, one sentence each.
    pub notes: Vec<String>,
}

/// One path of the section, joined from all rows that name it.
#[derive(Debug, Clone)]
pub struct PromptPath {
    /// The path.
    pub path: BString,
    /// What kind of path.
    pub kind: GrantKind,
    /// What may be done there.
    pub actions: Actions,
    /// What the file is for.
    pub role: Role,
    /// The descriptions of all rows.
    pub descriptions: Vec<String>,
    /// Whether something is there now.
    pub exists: bool,
    /// Why it must not be modified.
    pub protection: Option<Protection>,
}

/// Why what a grant names is to be left as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// `[scope] protect` covers it.
    Settings,
    /// A listed test that exists, and no row says Modify.
    Scaffolded,
}

impl PromptSection {
    /// The section for these grants, each with what protects it.
    pub fn new(
        designs: Vec<BString>,
        grants: Vec<(ScopeGrant, Option<Protection>)>,
        mentions: Vec<Mention>,
        faults: usize,
        notes: Vec<String>,
    ) -> PromptSection {
        let mut paths: Vec<PromptPath> = Vec::new();
        for (line, protection) in grants {
            let grant = line.grant;
            let known = paths
                .iter_mut()
                .find(|known| known.path == grant.path && known.kind == grant.kind);
            match known {
                Some(known) => {
                    known.actions = known.actions | grant.actions;
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
                    protection,
                }),
            }
        }
        let mut named: Vec<BString> = Vec::new();
        for mention in mentions {
            let is_listed = paths.iter().any(|line| line.path == mention.path);
            if !is_listed && !named.contains(&mention.path) {
                named.push(mention.path);
            }
        }
        PromptSection {
            designs,
            paths,
            named,
            faults,
            notes,
        }
    }

    /// Remarks for whoever asks for the section; they are no part of it.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.notes.clone();
        if self.faults > 0 {
            remarks.push(
                "the design has faults, and what cannot be read grants nothing: guard scope check"
                    .to_owned(),
            );
        }
        remarks
    }
}
