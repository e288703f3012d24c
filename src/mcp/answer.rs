//! Answers and failures as results of a tool.

use rmcp::model::{CallToolResult, ContentBlock};

use super::tool::{Tool, ToolAnswer, ToolEffect};
use crate::agent;
use crate::gate::{Failure, GateResult};

/// The result of a call.
pub(super) fn result(tool: &Tool, outcome: GateResult<ToolAnswer>) -> CallToolResult {
    match outcome {
        Ok(ToolAnswer { structured, text }) => {
            let text = text.unwrap_or_else(|| structured.to_string());
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(structured);
            result
        }
        Err(failure) => refusal(tool, &failure),
    }
}

/// A refusal or failure, with the next step.
pub(super) fn refusal(tool: &Tool, failure: &Failure) -> CallToolResult {
    let changes_files = tool.effect != ToolEffect::Reads;
    let text = agent::reason(tool.name, changes_files, failure);
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.structured_content = Some(failure.to_json());
    result
}
