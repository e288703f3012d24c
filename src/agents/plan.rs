//! The table that guard proposes for a plan that an agent has written without rows. The author of a plan copies what the
//! work needs; only committed rows count.

use super::payload::AgentEvent;
use crate::judge::{self, Options, UnreadPlan};
use crate::observe::Told;
use write_guard_policy::design::propose;
use write_guard_policy::path::escaped;
use write_guard_repo::Repository;

/// What a plan needs where guard finds no path to propose.
const LINE: &str = "End it with a section Files Changed: a table File | Change Type | Description, with a row for each file that the work changes.";

/// The proposed tables of the plans that a tool has written without rows; nothing for other files.
pub(super) fn rows_to_propose(
    event: &AgentEvent,
    repo: &Repository,
    options: &Options,
) -> Option<Told> {
    let mut texts = Vec::new();
    for path in &event.written {
        // The write is done, and a plan that cannot be read is refused wherever it counts.
        if let Ok(Some(plan)) = judge::plan_without_rows(repo, options, path.as_ref()) {
            texts.push(text_of(&plan));
        }
    }
    (!texts.is_empty()).then(|| Told {
        text: texts.join("\n"),
        is_neutral: true,
        ..Told::default()
    })
}

fn text_of(plan: &UnreadPlan) -> String {
    let path = escaped(&plan.path);
    let fault = match &plan.fault {
        Some(fault) => format!(": {fault}"),
        None => String::new(),
    };
    let start = format!("{path} has no row that guard can read, so it allows no change{fault}.");
    if plan.proposal.rows.is_empty() {
        return format!("{start} {LINE}\n");
    }
    let rows: Vec<String> = plan
        .proposal
        .rows
        .iter()
        .map(|row| row.text.clone())
        .collect();
    let table = propose::section(&rows);
    let mut text = format!(
        "{start} Copy the rows that the work needs to its end, and correct their types:\n\n{table}"
    );
    for denied in &plan.proposal.denied {
        text += &format!(
            "\nNot proposed, since line {} says: {}: {}",
            denied.line,
            escaped(&denied.path),
            escaped(&denied.said)
        );
    }
    text
}
