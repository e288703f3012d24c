//! A call of a tool and its answer, and what the server remembers between calls: the designs that the client has seen.
//! Each call sees the repository as it is then.
//!
//! The text of an answer is for the model. What only programs need is in `_meta`, or in the small structured content of an
//! error: Claude Code gives the model the structured content of a success in place of its text, and Gemini CLI shows it
//! the `_meta` of an error.

use std::fmt::Write as _;
use std::sync::Mutex;

use gix::bstr::BString;
use rmcp::ErrorData;
use rmcp::handler::server::tool::IntoCallToolResult;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, JsonObject, MetaObject};
use serde_json::{Value, json};

use crate::agents::{explained, locked};
use crate::files::{Effect, Failure, FailureKind, Gate, GateResult, Operation};
use crate::judge::Options;
use write_guard_policy::policy::DesignVersion;
use write_guard_policy::scope::Scope;
use write_guard_repo::Repository;

/// One client's session.
#[derive(Default)]
pub(super) struct Session {
    pub(super) options: Options,
    /// Why the client may not ask the person, if it may not.
    pub(super) refusal_to_ask: Option<String>,
    pub(super) seen: Mutex<Option<SeenScope>>,
}

/// The scope of the calls so far.
#[derive(Clone)]
pub(super) struct SeenScope {
    pub(super) designs: Vec<DesignVersion>,
    pub(super) scope: Scope,
}

impl SeenScope {
    pub(super) fn of(gate: &Gate<'_>) -> SeenScope {
        SeenScope {
            designs: gate.policy.design_versions(),
            scope: gate.policy.scope.clone().unwrap_or_default(),
        }
    }
}

impl Session {
    /// Refuses if other designs apply than at the first call. The client plans by what it knows of the scope.
    ///
    /// # Errors
    /// The designs have changed.
    pub(crate) fn check(&self, gate: &Gate<'_>) -> GateResult<()> {
        let mut seen = locked(&self.seen);
        let known = seen.get_or_insert_with(|| SeenScope::of(gate));
        let designs = gate.policy.design_versions();
        if known.designs == designs {
            return Ok(());
        }
        let what = "the designs have changed since this session began";
        Err(Failure::new(FailureKind::Stale, what)
            .help("call reload_scope, which tells what changed, then call the tool again"))
    }

    /// Takes the designs of this gate, and returns those before.
    pub(super) fn reload(&self, gate: &Gate<'_>) -> SeenScope {
        let now = SeenScope::of(gate);
        let mut seen = locked(&self.seen);
        seen.replace(now.clone()).unwrap_or(now)
    }
}

/// A call, with the repository as it is now.
pub(super) struct Call<'a> {
    pub(crate) repo: &'a Repository,
    pub(super) session: &'a Session,
}

impl Call<'_> {
    /// The gate with the policy of this moment.
    pub(super) fn gate(&self) -> GateResult<Gate<'_>> {
        self.checked(Gate::open(self.repo, &self.session.options)?)
    }

    /// The same to read.
    pub(super) fn gate_to_read(&self) -> GateResult<Gate<'_>> {
        self.checked(Gate::open_to_read(self.repo, &self.session.options)?)
    }

    /// The same to change the files at these paths.
    pub(super) fn gate_to_change(&self, paths: &[&str]) -> GateResult<Gate<'_>> {
        let requests: Vec<BString> = paths.iter().map(|path| self.request(path)).collect();
        let options = &self.session.options;
        self.checked(Gate::open_to_change(self.repo, options, &requests)?)
    }

    fn checked<'g>(&self, mut gate: Gate<'g>) -> GateResult<Gate<'g>> {
        gate.agent = Some("mcp");
        self.session.check(&gate)?;
        Ok(gate)
    }

    /// The path in an argument, as a request.
    pub(super) fn request(&self, path: &str) -> BString {
        self.repo.request_of(path.as_bytes())
    }

    pub(super) fn perform(
        &self,
        gate: &Gate<'_>,
        path: &str,
        operation: &Operation,
        expect: Option<String>,
    ) -> GateResult<ToolAnswer> {
        let request = self.request(path);
        let done = gate.perform(request.as_ref(), operation, expect.as_deref(), None)?;
        Ok(ToolAnswer::done(gate, &done))
    }
}

/// The tools in place of commands in advice. Commands for people stay.
const TOOLS: &[(&str, &str)] = &[
    ("guard scope show", "show_scope"),
    ("guard patch", "edit_file"),
    ("guard check", "check_write"),
    ("--strategy ", "the strategy "),
    ("with --expect", "as `expect`"),
];

/// What a tool answers.
pub(super) struct ToolAnswer {
    /// For the model.
    pub(super) texts: Vec<String>,
    /// For programs.
    pub(super) facts: Value,
}

impl ToolAnswer {
    pub(crate) fn new(text: impl Into<String>, mut facts: Value) -> ToolAnswer {
        if let Some(facts) = facts.as_object_mut() {
            // It is as large as the change.
            facts.remove("analysis");
        }
        ToolAnswer {
            texts: vec![text.into()],
            facts,
        }
    }

    /// What an operation did.
    pub(super) fn done(gate: &Gate<'_>, done: &Effect) -> ToolAnswer {
        ToolAnswer::new(account(done), done.to_json(gate))
    }
}

/// What an operation did, with a short diff.
fn account(done: &Effect) -> String {
    let mut text = done.in_words() + "\n";
    if let Some(digest) = &done.digest {
        let _ = writeln!(text, "digest: {digest}");
    }
    if done.changes() && done.existed() && !done.is_gone() && done.moved_to.is_none() {
        text.push_str(&done.preview());
    }
    text
}

impl IntoCallToolResult for ToolAnswer {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        let texts = self.texts.into_iter().map(ContentBlock::text);
        let mut result = CallToolResult::success(texts.collect());
        result.meta = Some(meta(self.facts));
        Ok(result.into())
    }
}

/// A refusal or failure is an error of the tool, with the next step.
impl IntoCallToolResult for Failure {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        let mut result = CallToolResult::error(vec![ContentBlock::text(reason(&self))]);
        let facts = json!({
            "kind": self.kind.name(),
            "rule": self.finding.as_ref().map(|finding| finding.rule.id()),
            "details": self.details,
        });
        result.structured_content = Some(json!({ "error": facts }));
        // Only what the request asked for: some clients show it to the model.
        let analysis = self.analysis;
        result.meta = analysis.map(|analysis| meta(json!({ "analysis": analysis })));
        Ok(result.into())
    }
}

fn meta(facts: Value) -> MetaObject {
    MetaObject(JsonObject::from_iter([("guard".to_owned(), facts)]))
}

/// What a model reads about a refusal.
fn reason(failure: &Failure) -> String {
    let verdict = match failure.kind {
        FailureKind::Held => "this change waits for approval",
        FailureKind::Security | FailureKind::Refused => "guard refused this call",
        _ => "the call failed",
    };
    in_tools(&explained(verdict, failure, "changed", usize::MAX))
}

/// A text for a model that may have tools but no shell.
pub(super) fn in_tools(text: &str) -> String {
    TOOLS.iter().fold(text.to_owned(), |text, (command, tool)| {
        text.replace(command, tool)
    })
}
