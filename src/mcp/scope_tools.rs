//! The tools about the scope: what may be written, and whether the design has changed.

use gix::bstr::ByteSlice;
use serde_json::{Value, json};

use super::session::SeenScope;
use super::tool::{Call, ToolAnswer};
use crate::error::Error;
use crate::gate::{Failure, Gate, GateResult};
use crate::judge;
use crate::path::escaped;
use crate::policy::Grant;
use crate::policy::scope::Scope;
use crate::report::{Format, Style, write_check, write_scope};
use crate::verdict::CheckAnswers;

pub(super) fn check_write(call: &Call<'_>) -> GateResult<ToolAnswer> {
    let path = call.arguments.text("path");
    let requests = [call.path("path")];
    let gate = Gate::open_to_check(call.repo, call.session.options(), &requests)?;
    if gate.locate(requests[0].as_ref()).is_ok() {
        call.session.check(&gate)?;
    }
    let content = call.arguments.given("content").map(str::as_bytes);
    let result = gate.check(path.into(), requests[0].as_ref(), content, true)?;
    let answers = CheckAnswers {
        results: vec![result],
        notes: gate.notes().to_vec(),
    };
    reported(|format, out| write_check(&answers, format, out, &Style::default()))
}

pub(super) fn show_scope(call: &Call<'_>) -> GateResult<ToolAnswer> {
    call.gate()?;
    let listing = judge::scope(call.repo, call.session.options())?;
    reported(|format, out| write_scope(&listing, format, out, &Style::default()))
}

/// A report of a verb: JSON for programs, its text for the model.
fn reported(
    write: impl Fn(Format, &mut dyn std::io::Write) -> std::io::Result<()>,
) -> GateResult<ToolAnswer> {
    let bytes = |format| {
        let mut bytes = Vec::new();
        let failed = |error| Error::new(format!("the answer cannot be written: {error}"));
        write(format, &mut bytes).map_err(failed)?;
        Ok::<_, Failure>(bytes)
    };
    let structured: Value = serde_json::from_slice(&bytes(Format::Json)?)
        .map_err(|error| Error::new(format!("the answer is not JSON: {error}")))?;
    Ok(ToolAnswer {
        structured,
        text: Some(bytes(Format::Human)?.to_str_lossy().into_owned()),
    })
}

pub(super) fn reload_scope(call: &Call<'_>) -> GateResult<ToolAnswer> {
    let gate = Gate::open(call.repo, call.session.options())?;
    let before = call.session.reload(&gate);
    let now = SeenScope::of(&gate);
    let is_changed = before.designs != now.designs;
    if is_changed {
        gate.record_reload(&before.designs)?;
    }
    let (added, removed) = (
        beyond(&now.scope, &before.scope),
        beyond(&before.scope, &now.scope),
    );
    let designs: Vec<Value> = now
        .designs
        .iter()
        .map(|design| design.path.to_str_lossy().into())
        .collect();
    let text = match (is_changed, added.is_empty() && removed.is_empty()) {
        (false, _) => "The design has not changed.".to_owned(),
        (true, true) => "The design has changed; it grants the same as before.".to_owned(),
        (true, false) => {
            let lines = |mark: &str, grants: &[Value]| -> String {
                let lines = grants.iter().map(|grant| {
                    let path = escaped(grant["path"].as_str().unwrap_or_default());
                    let actions = grant["actions"].as_array().into_iter().flatten();
                    let actions: Vec<&str> = actions.filter_map(Value::as_str).collect();
                    format!("{mark} {path} ({})\n", actions.join(", "))
                });
                lines.collect()
            };
            let (more, less) = (lines("+", &added), lines("-", &removed));
            format!("The design has changed.\n{more}{less}")
        }
    };
    Ok(ToolAnswer {
        structured: json!({
            "version": 1,
            "changed": is_changed,
            "designs": designs,
            "added": added,
            "removed": removed,
        }),
        text: Some(text),
    })
}

/// What one scope grants and the other does not.
fn beyond(scope: &Scope, other: &Scope) -> Vec<Value> {
    let grant = |grant: &Grant| {
        json!({
            "path": grant.path.to_str_lossy(),
            "kind": grant.kind.name(),
            "actions": grant.actions.names().collect::<Vec<_>>(),
        })
    };
    scope.grants_beyond(other).into_iter().map(grant).collect()
}

pub(super) fn list_allowed_directories(call: &Call<'_>) -> GateResult<ToolAnswer> {
    let gate = call.gate_to_look()?;
    let [read, write] = gate.roots().map(|roots| {
        let roots = roots.iter().map(|root| {
            let root = gate.locate_directory(root.as_str().into())?;
            let root = gate.absolute(root.as_ref());
            Ok(root.to_string_lossy().into_owned())
        });
        roots.collect::<GateResult<Vec<String>>>()
    });
    let (read, write) = (read?, write?);
    let text = format!(
        "May be read:\n{}\nMay be written, as far as the design names the files:\n{}",
        read.join("\n"),
        write.join("\n")
    );
    Ok(ToolAnswer::of_text(
        json!({ "read": read, "write": write }),
        text,
    ))
}
