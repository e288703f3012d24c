//! The designs that a gate judges by, in log records and for a program that has to be told when they change.

use gix::bstr::ByteSlice;
use serde_json::{Map, Value, json};

use super::{Gate, GateResult, log};
use crate::policy::DesignVersion;
use crate::scope::Scope;

/// Adds the designs to a record: each path with its version.
pub(super) fn name(facts: &mut Map<String, Value>, designs: &[DesignVersion]) {
    facts.insert("designs".into(), versions(designs));
}

fn versions(designs: &[DesignVersion]) -> Value {
    let one = |design: &DesignVersion| {
        let blob = design.blob.map(|blob| blob.to_string());
        json!({ "path": design.path.to_str_lossy(), "blob": blob })
    };
    designs.iter().map(one).collect()
}

impl Gate<'_> {
    /// The designs in force, with their versions.
    pub fn design_versions(&self) -> Vec<DesignVersion> {
        self.policy.design_versions()
    }

    /// What the designs grant; `None` if no design applies.
    pub fn scope(&self) -> Option<&Scope> {
        self.policy.scope.as_ref()
    }

    /// Records that a program was told about other designs.
    ///
    /// # Errors
    /// The log cannot be written.
    pub fn record_reload(&self, before: &[DesignVersion]) -> GateResult<()> {
        let mut facts = Map::new();
        facts.insert("before".into(), versions(before));
        name(&mut facts, &self.design_versions());
        log::record(&self.log, "scope-reloaded", facts).map(drop)
    }
}
