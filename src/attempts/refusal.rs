//! A refusal, as the log has it.

use std::path::Path;

use gix::bstr::{BStr, BString};
use serde_json::Value;

use crate::files::{Log, REFUSED, Record, members, record};
use write_guard_policy::finding::{Finding, Rule};
use write_guard_policy::path::escaped;
use write_guard_policy::scope::Scope;
use write_guard_repo::Repository;

/// A request that guard refused or held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefusedRequest {
    /// The record's time.
    pub(crate) time: String,
    /// The agent, or what else asked; empty for the command line.
    pub(crate) agent: String,
    /// The branch whose design applied; empty for none.
    pub(crate) branch: String,
    /// The designs that applied.
    pub(crate) designs: Vec<String>,
    /// The path, escaped.
    pub(crate) path: String,
    /// The rule that refused it.
    pub(crate) rule: String,
    /// Where it belongs, escaped; empty if guard knew no path.
    pub(crate) closest: String,
    /// Whether it waited for a person.
    pub(crate) is_held: bool,
    /// The content that it would have written, by its digest.
    pub(super) content: String,
    /// The place of its record among those that were read.
    pub(super) at: usize,
}

impl RefusedRequest {
    /// The refusal that a record is about; `None` for other records and for reading.
    pub(super) fn of(record: &Record, at: usize, root: &Path) -> Option<RefusedRequest> {
        if record.event() != REFUSED || record.text("operation") == "read" {
            return None;
        }
        let text = |key: &str| record.text(key).to_owned();
        Some(RefusedRequest {
            time: text("time"),
            agent: text("agent"),
            branch: text("branch"),
            designs: record.designs().map(str::to_owned).collect(),
            path: in_repository(record.text("path"), root),
            rule: text("rule"),
            closest: text("closest"),
            is_held: record.text("reason") == "held",
            content: text("new"),
            at,
        })
    }

    /// Whether a row could have allowed it.
    pub(super) fn is_about_scope(&self) -> bool {
        Rule::from_id(&self.rule).is_some_and(Rule::wants_row)
    }
}

/// The part of a recorded path below the root of the work tree; paths elsewhere stay as they are.
pub(super) fn in_repository(path: &str, root: &Path) -> String {
    let below = Path::new(path)
        .strip_prefix(root)
        .ok()
        .and_then(Path::to_str);
    below.unwrap_or(path).to_owned()
}

/// Whether a row names the path.
pub(super) fn has_row(scope: &Scope, path: &str) -> bool {
    !scope.lookup(BStr::new(path)).is_empty()
}

/// Records what a command changed and the rules refuse. A log that cannot be written is told by whatever writes next.
pub(crate) fn note_refused(repo: &Repository, agent: &str, designs: &[String], finding: &Finding) {
    let Some(path) = &finding.path else {
        return;
    };
    let shown = |name: &BString| Value::from(escaped(name).to_string());
    let branch = repo.design_branch().ok().flatten();
    let facts = members([
        ("operation", Some("command".into())),
        ("path", Some(shown(path))),
        ("reason", Some("refused".into())),
        ("rule", Some(finding.rule.id().into())),
        ("closest", finding.closest.as_ref().map(shown)),
        ("agent", Some(agent.into())),
        ("branch", branch.map(|branch| branch.to_string().into())),
        ("designs", Some(designs.iter().cloned().collect())),
    ]);
    let _ = record(&Log::of(repo), REFUSED, facts);
}
