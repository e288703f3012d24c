//! What `guard scope` lists: what is granted, and by which line.

use super::{DesignUsed, Texts};
use crate::finding::{Finding, Level};
use crate::policy::Grant;
use crate::policy::design::Mention;

/// All grants in force, what the designs merely mention, and their faults.
#[derive(Debug, Clone, Default)]
pub struct ScopeListing {
    /// The documents that were read.
    pub designs: Vec<DesignUsed>,
    /// The grants, in the order of their designs and lines.
    pub grants: Vec<ScopeGrant>,
    /// Paths that are named and not granted, such as an `Exists` row.
    pub mentions: Vec<Mention>,
    /// Faults of the designs, in any order.
    pub problems: Vec<Finding>,
    /// Remarks on which documents these are, one sentence each.
    pub notes: Vec<String>,
    /// The designs to quote.
    pub texts: Texts,
}

/// A grant and what is known of its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeGrant {
    /// The grant.
    pub grant: Grant,
    /// Whether something is there now: the path, or for a glob any match.
    pub exists: bool,
    /// Whether the settings protect it nevertheless.
    pub protected: bool,
}

impl ScopeListing {
    /// 1 if a design has a fault at level error, else 0.
    pub fn exit_code(&self) -> u8 {
        u8::from(self.problems.iter().any(|p| p.level == Level::Error))
    }
}
