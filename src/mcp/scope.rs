//! The tools about the scope: what may be written, and whether the design has changed.

use gix::bstr::ByteSlice;
use serde_json::{Value, json};

use super::answer::{ToolAnswer, in_tools};
use super::call::Call;
use super::session::SeenScope;
use crate::error::Error;
use crate::gate::{Gate, GateResult};
use crate::judge;
use crate::path::escaped;
use crate::policy::Grant;
use crate::policy::scope::Scope;
use crate::report::{Format, Style, write_check, write_scope};
use crate::verdict::CheckAnswers;

pub(super) fn check(call: &Call<'_>, path: &str, content: Option<&str>) -> GateResult<ToolAnswer> {
    let requests = [call.request(path)];
    let gate = Gate::open_to_check(call.repo, &call.session.options, &requests)?;
    if gate.locate(requests[0].as_ref()).is_ok() {
        call.session.check(&gate)?;
    }
    let content = content.map(str::as_bytes);
    let result = gate.check(path.into(), requests[0].as_ref(), content, true)?;
    let answers = CheckAnswers {
        results: vec![result],
        notes: gate.notes().to_vec(),
    };
    let report = |format| written(|out| write_check(&answers, format, out, &Style::default()));
    let facts: Value = serde_json::from_slice(&report(Format::Json)?).unwrap_or_default();
    let text = report(Format::Human)?;
    let text = in_tools(&text.to_str_lossy());
    Ok(ToolAnswer::new(text, facts["results"][0].clone()))
}

pub(super) fn show(call: &Call<'_>) -> GateResult<ToolAnswer> {
    call.gate()?;
    let listing = judge::scope(call.repo, &call.session.options)?;
    let text = written(|out| write_scope(&listing, Format::Human, out, &Style::default()))?;
    let facts = json!({ "grants": listing.grants.len() });
    Ok(ToolAnswer::new(in_tools(&text.to_str_lossy()), facts))
}

fn written(
    write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>,
) -> GateResult<Vec<u8>> {
    let mut bytes = Vec::new();
    write(&mut bytes)
        .map_err(|error| Error::new(format!("the answer cannot be written: {error}")))?;
    Ok(bytes)
}

pub(super) fn reload(call: &Call<'_>) -> GateResult<ToolAnswer> {
    let gate = Gate::open(call.repo, &call.session.options)?;
    let before = call.session.reload(&gate);
    let now = SeenScope::of(&gate);
    let is_changed = before.designs != now.designs;
    let mut text = "The design has not changed.\n".to_owned();
    if is_changed {
        gate.record_reload(&before.designs)?;
        let added = beyond("+", &now.scope, &before.scope);
        let removed = beyond("-", &before.scope, &now.scope);
        text = match added.is_empty() && removed.is_empty() {
            true => "The design has changed; it grants the same as before.\n".to_owned(),
            false => format!("The design has changed.\n{added}{removed}"),
        };
    }
    Ok(ToolAnswer::new(text, json!({ "changed": is_changed })))
}

/// What one scope grants and the other does not, one line each.
fn beyond(mark: &str, scope: &Scope, other: &Scope) -> String {
    let line = |grant: &Grant| {
        let actions: Vec<&str> = grant.actions.names().collect();
        let path = escaped(&grant.path);
        format!("{mark} {path} ({})\n", actions.join(", "))
    };
    scope.grants_beyond(other).into_iter().map(line).collect()
}
