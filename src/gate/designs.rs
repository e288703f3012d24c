//! The designs in a log record: each path with its version.

use gix::bstr::ByteSlice;
use serde_json::{Map, Value, json};

use crate::policy::DesignVersion;

/// Adds the designs to a record.
pub(super) fn name(facts: &mut Map<String, Value>, designs: &[DesignVersion]) {
    let one = |design: &DesignVersion| {
        let blob = design.blob.map(|blob| blob.to_string());
        json!({ "path": design.path.to_str_lossy(), "blob": blob })
    };
    let all: Vec<Value> = designs.iter().map(one).collect();
    facts.insert("designs".into(), all.into());
}
