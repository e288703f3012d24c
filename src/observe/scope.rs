//! The scope in force, and what of it an agent's own act changed.

use std::collections::BTreeSet;

use gix::bstr::ByteSlice;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::files::{Log, Record, members, record};
use crate::judge::{self, Options};
use write_guard_policy::path::escaped;
use write_guard_repo::{Checkpoint, Repository};

/// The event of the log.
const SCOPE_CHANGED: &str = "scope-changed";
/// So many rows are named.
const MOST: usize = 10;

/// The scope in force, with what it was read from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ScopeInForce {
    /// HEAD and the choice of a design: what the scope depends on.
    pub(super) key: String,
    /// The branch whose design applies.
    branch: String,
    /// The designs, by path.
    designs: BTreeSet<String>,
    /// The rows: a path with what may happen to it.
    rows: BTreeSet<String>,
}

/// What a call added to the scope.
pub(super) struct Widened {
    branch: String,
    designs: BTreeSet<String>,
    /// The rows that were not in force before.
    rows: Vec<String>,
}

impl ScopeInForce {
    /// The scope at a checkpoint; the one before, where nothing that it depends on has changed.
    pub(super) fn at(
        repo: &Repository,
        options: &Options,
        now: &Checkpoint,
        known: Option<&ScopeInForce>,
    ) -> ScopeInForce {
        let branch = repo.design_branch().ok().flatten().unwrap_or_default();
        let chosen = repo.branch_values(branch.as_ref(), judge::CHOICE_KEY);
        let head = now.head_commit().map(|head| head.to_string());
        let key = format!("{branch}\n{}\n{chosen:?}", head.unwrap_or_default());
        if let Some(known) = known.filter(|known| known.key == key) {
            return known.clone();
        }
        let mut scope = ScopeInForce {
            key,
            branch: branch.to_string(),
            ..ScopeInForce::default()
        };
        // Without a design that can be used, nothing is allowed.
        if let Ok(listing) = judge::scope(repo, options) {
            let designs = listing.designs.iter();
            scope.designs = designs
                .map(|one| one.path.to_str_lossy().into_owned())
                .collect();
            for line in &listing.grants {
                let actions: Vec<&str> = line.grant.actions.names().collect();
                let path = escaped(&line.grant.path);
                scope
                    .rows
                    .insert(format!("{path} ({})", actions.join(", ")));
            }
        }
        scope
    }

    /// The designs, by path.
    pub(super) fn designs(&self) -> Vec<String> {
        self.designs.iter().cloned().collect()
    }

    /// What this scope allows that the one before did not.
    pub(super) fn beyond(&self, before: &ScopeInForce) -> Option<Widened> {
        let rows: Vec<String> = self.rows.difference(&before.rows).cloned().collect();
        (!rows.is_empty()).then(|| Widened {
            branch: self.branch.clone(),
            designs: self.designs.clone(),
            rows,
        })
    }
}

/// A change of the scope that an agent's own act made, as the log has it.
pub(crate) struct ScopeChange {
    /// The record's time.
    pub(crate) time: String,
    /// What was allowed then, and not before.
    pub(crate) rows: Vec<String>,
}

/// So much of the end of the log is searched.
const END_OF_LOG: u64 = 256 * 1024;

/// The changes of the scope of this branch that agents made, the newest last.
pub(crate) fn scope_changes(repo: &Repository) -> Vec<ScopeChange> {
    let branch = repo.design_branch().ok().flatten().unwrap_or_default();
    let records = Log::of(repo).last_records(END_OF_LOG).unwrap_or_default();
    let of_branch = records
        .iter()
        .filter(|record| record.event() == SCOPE_CHANGED && branch == record.text("branch"));
    let change = |record: &Record| ScopeChange {
        time: record.text("time").to_owned(),
        rows: record.texts("rows").map(str::to_owned).collect(),
    };
    of_branch.map(change).collect()
}

impl ScopeChange {
    /// The change as a sentence for people.
    pub(crate) fn text(&self) -> String {
        format!(
            "at {} an agent changed the scope of this branch; new: {}",
            escaped(&self.time),
            self.rows.join(", ")
        )
    }
}

impl Widened {
    /// What the agent and the person read.
    pub(super) fn text(&self) -> String {
        let designs: Vec<&str> = self.designs.iter().map(String::as_str).collect();
        let more = self.rows.len().saturating_sub(MOST);
        let mut rows: Vec<String> = self.rows.iter().take(MOST).cloned().collect();
        if more > 0 {
            rows.push(format!("and {more} more"));
        }
        format!(
            "guard: the command changed the scope in force. On the branch {} the design is {}. Allowed now, and not before: {}. The log and guard status show it to the user.",
            escaped(&self.branch),
            designs.join(", "),
            rows.join(", ")
        )
    }

    /// Records it. A log that cannot be written is told by whatever writes next.
    pub(super) fn log(&self, repo: &Repository) {
        let designs: Value = self.designs.iter().cloned().collect();
        let rows: Value = self.rows.iter().cloned().collect();
        let facts = members([
            ("branch", Some(self.branch.clone().into())),
            ("designs", Some(designs)),
            ("rows", Some(rows)),
        ]);
        let _ = record(&Log::of(repo), SCOPE_CHANGED, facts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_beyond_the_first_ten_are_counted() {
        for (count, end) in [
            (1, "not before: row 0. The log"),
            (MOST, "row 8, row 9. The log"),
            (MOST + 1, "row 9, and 1 more. The log"),
            (MOST + 5, "row 9, and 5 more. The log"),
        ] {
            let widened = Widened {
                branch: "188-work".to_owned(),
                designs: ["LLD-188.md".to_owned()].into(),
                rows: (0..count).map(|row| format!("row {row}")).collect(),
            };
            let text = widened.text();
            assert!(text.contains(end), "{text}");
            assert!(text.contains("On the branch 188-work the design is LLD-188.md."));
        }
    }
}
