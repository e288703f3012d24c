//! Which designs a gate judges by, for a program that has to be told when they change.

use serde_json::Map;

use super::perform::record;
use super::{Gate, GateResult, designs};
use crate::policy::DesignVersion;
use crate::policy::scope::Scope;

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
        designs::name(&mut facts, before);
        if let Some(before) = facts.remove("designs") {
            facts.insert("before".into(), before);
        }
        designs::name(&mut facts, &self.design_versions());
        record(&self.log, "scope-reloaded", facts).map(drop)
    }
}
