//! The listing of `guard scope`: what is granted, and by which line.

use super::{DesignUsed, Texts};
use crate::finding::{Finding, Level};
use crate::policy::Grant;
use crate::policy::design::Mention;

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
