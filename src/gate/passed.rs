//! What guard lets another program do to existing files. Before it does, guard takes a snapshot and logs a record, as
//! for its own writes, so that `guard snapshot restore` can undo it.

use gix::bstr::{BStr, BString};
use serde_json::{Map, Value};

use super::lock::Lock;
use super::log::record;
use super::perform::{add_circumstances, snapshot_of, standing};
use super::{GateResult, Log, Operation};
use crate::boundary::OpenedFile;
use crate::git::Repository;
use crate::path::escaped;
use crate::policy::DesignVersion;

/// The id of content that guard does not know yet; no content has it.
pub(super) const UNKNOWN: &str = "";

/// The changes of a tool call to files with contents.
#[derive(Debug, Default)]
pub(crate) struct Passed {
    pub(super) changes: Vec<PassedChange>,
    pub(super) designs: Vec<DesignVersion>,
}

/// One of them.
#[derive(Debug)]
pub(super) struct PassedChange {
    /// The state of each path; the changed one comes first.
    pub(super) before: Vec<(BString, Option<OpenedFile>)>,
    /// One for each path, or one for a move.
    pub(super) steps: Vec<Map<String, Value>>,
}

impl Passed {
    /// Takes the snapshot and logs the record, before the tool runs.
    ///
    /// # Errors
    /// One of them fails: then the tool must not run.
    pub(crate) fn keep(self, repo: &Repository, tool: &str) -> GateResult<()> {
        let title = match self.changes.as_slice() {
            [] => return Ok(()),
            [one] => {
                let path: &BStr = one.before[0].0.as_ref();
                Operation::DELETE.title(path)
            }
            several => format!("Backup before tool call: {} files", several.len()),
        };
        let _alone = Lock::new(repo.common_dir()).take()?;
        let log = Log::of(repo);
        let before = self.changes.iter().flat_map(|change| &change.before);
        let backup = snapshot_of(repo, before, &title, &standing(&log)?)?;
        let mut steps: Vec<Value> = self
            .changes
            .into_iter()
            .flat_map(|change| change.steps)
            .map(Value::Object)
            .collect();
        let mut facts = match (steps.pop(), steps.is_empty()) {
            (Some(Value::Object(only)), true) => only,
            (last, _) => {
                steps.extend(last);
                let mut facts = Map::new();
                facts.insert("operation".into(), "call".into());
                facts.insert("operations".into(), steps.into());
                facts
            }
        };
        facts.insert("tool".into(), escaped(tool).to_string().into());
        add_circumstances(repo, &self.designs, &mut facts, Some(backup));
        record(&log, "passed", facts)?;
        Ok(())
    }
}
