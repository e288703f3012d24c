//! The server: the protocol on one side, the table of tools on the other.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientResult, ElicitRequest, ElicitRequestParams,
    ElicitResult, ErrorData, Implementation, InputRequest, InputRequests, InputRequiredResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig,
    ServerRequest,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use tokio::sync::Semaphore;

use super::answer::{refusal, result};
use super::arguments::Arguments;
use super::held::{self, id_of, not_approved};
use super::input::{LimitedLines, MAX_MESSAGE};
use super::question;
use super::session::Session;
use super::table::TOOLS;
use super::tool::{Call, Tool, ToolAnswer};
use crate::error::{Error, Result};
use crate::gate::{Failure, FailureKind, GateResult, new_id};
use crate::git::Repository;
use crate::judge::Options;

/// How many calls work at the same time. Writes take turns at the gate.
const AT_ONCE: usize = 4;

const INSTRUCTIONS: &str = "\
File operations that guard judges: a change may touch only what the design document names, may not leave the \
workspace, and may not silently destroy a file. show_scope lists what may be written. A refused call says what to do \
next; a retry or another tool is refused as well. A change that destroys much of a file is held until a person \
decides. Relative paths start at the root of the repository.";

/// Serves one client on standard input and output until it closes standard input.
///
/// # Errors
/// The session could not begin.
pub(crate) fn serve(options: Options, refusal_to_ask: Option<String>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::new(format!("the server cannot start: {error}")))?;
    let server = Server {
        session: Arc::new(Session::new(options, refusal_to_ask)),
        workers: Arc::new(Semaphore::new(AT_ONCE)),
    };
    let ended = runtime.block_on(server.run());
    // A read from standard input may never end.
    runtime.shutdown_background();
    ended
}

#[derive(Clone)]
struct Server {
    session: Arc<Session>,
    workers: Arc<Semaphore>,
}

impl Server {
    async fn run(self) -> Result<()> {
        let workers = Arc::clone(&self.workers);
        let (input, is_exceeded) = LimitedLines::new(tokio::io::stdin());
        let transport = AsyncRwTransport::new_server(input, tokio::io::stdout())
            .with_max_line_length(usize::MAX);
        let running = match self.serve(transport).await {
            Ok(running) => running,
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => {
                return Err(Error::new(format!("the session cannot begin: {error}"))
                    .help("guard mcp speaks the Model Context Protocol; a client starts it"));
            }
        };
        let ended = running.waiting().await;
        // A change that has begun is completed.
        let all = u32::try_from(AT_ONCE).unwrap_or(1);
        let _ = workers.acquire_many(all).await;
        if is_exceeded.load(Ordering::Relaxed) {
            return Err(Error::new(format!(
                "the session ended: a message has more than {MAX_MESSAGE} bytes"
            ))
            .help("write a large file in parts, with the strategy append"));
        }
        ended
            .map(drop)
            .map_err(|error| Error::new(format!("the server failed: {error}")))
    }

    /// Runs blocking work beside the protocol. A call that was cancelled before it began does nothing.
    async fn work<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Session) -> GateResult<T> + Send + 'static,
    ) -> GateResult<T> {
        let permit = Arc::clone(&self.workers).acquire_owned().await;
        if context.ct.is_cancelled() {
            return Err(Failure::new(
                FailureKind::CannotJudge,
                "the call was cancelled",
            ));
        }
        let session = Arc::clone(&self.session);
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work(&session)
        });
        done.await.unwrap_or_else(|_| Err(internal_error()))
    }

    /// The answer to a call whose change is held.
    async fn ask(
        &self,
        tool: &'static Tool,
        failure: Failure,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let plain = |failure: &Failure| CallToolResponse::from(refusal(tool, failure));
        let Some(id) = id_of(&failure).map(str::to_owned) else {
            return plain(&failure);
        };
        if !tool.may_ask || !can_ask(context) {
            return plain(&failure);
        }
        if let Some(why) = self.session.refusal_to_ask() {
            return plain(&failure.help(format!("the client cannot ask the person: {why}")));
        }
        let about = id.clone();
        let asked = self.work(context, move |session| held::question(session, &about));
        let form = match asked.await {
            Ok(Some(question)) => question::form(&question),
            Ok(None) => None,
            Err(failure) => return plain(&failure),
        };
        let Some(form) = form else {
            return plain(&failure);
        };
        if answers_come_later(context) {
            return self.question_for_later(id, form);
        }
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(form));
        let answer = tokio::select! {
            answer = context.peer.send_request(request) => answer,
            () = context.ct.cancelled() => {
                return plain(&not_approved("the call was cancelled", &id, Some(&failure)));
            }
        };
        match answer {
            Ok(ClientResult::ElicitResult(answer)) => {
                self.decided(tool, id, &answer, Some(&failure), context)
                    .await
            }
            Ok(_) => plain(&not_approved(
                "the client's answer is none to the question",
                &id,
                Some(&failure),
            )),
            Err(error) => plain(&not_approved(
                &format!("the client could not ask: {error}"),
                &id,
                Some(&failure),
            )),
        }
    }

    /// From 2026-07-28 on, a server does not send requests. The client asks, and repeats the call with the answer.
    fn question_for_later(&self, id: String, form: ElicitRequestParams) -> CallToolResponse {
        let key = new_id();
        self.session.note_question(key.clone(), id);
        let request = InputRequest::Elicitation(ElicitRequest::new(form));
        let requests = InputRequests::from([(key.clone(), request)]);
        InputRequiredResult::new(Some(requests), Some(key)).into()
    }

    /// The answer to a repeated call.
    async fn answered(
        &self,
        tool: &'static Tool,
        request: &CallToolRequestParams,
        key: &str,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let Some(id) = self.session.take_question(key) else {
            let failure = Failure::new(
                FailureKind::NotApproved,
                "the answer belongs to no open question",
            )
            .help("call the tool again without an answer");
            return refusal(tool, &failure).into();
        };
        let answers = request.input_responses.as_ref();
        let answer = answers
            .and_then(|answers| answers.get(key))
            .and_then(|answer| serde_json::from_value::<ElicitResult>(answer.clone()).ok());
        match answer {
            Some(answer) => self.decided(tool, id, &answer, None, context).await,
            None => refusal(tool, &not_approved("the client gave no answer", &id, None)).into(),
        }
    }

    async fn decided(
        &self,
        tool: &'static Tool,
        id: String,
        answer: &ElicitResult,
        held: Option<&Failure>,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let decision = match question::decision(answer) {
            Ok(decision) => decision,
            Err(why) => return refusal(tool, &not_approved(&why, &id, held)).into(),
        };
        let done = self.work(context, move |session| {
            held::decide(session, &id, &decision)
        });
        result(tool, done.await).into()
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("guard", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> std::result::Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(
            TOOLS.iter().map(Tool::announced).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            let message = format!("unknown tool {}", request.name.escape_debug());
            return Err(ErrorData::invalid_params(message, None));
        };
        if let Some(key) = request.request_state.clone() {
            return Ok(self.answered(tool, &request, &key, &context).await);
        }
        let given = request.arguments.unwrap_or_default();
        let called = self.work(&context, move |session| call(tool, session, given));
        Ok(match called.await {
            Err(failure) => self.ask(tool, failure, &context).await,
            done => result(tool, done).into(),
        })
    }
}

/// Does one call, with the repository as it is now.
fn call(
    tool: &Tool,
    session: &Session,
    given: serde_json::Map<String, serde_json::Value>,
) -> GateResult<ToolAnswer> {
    let arguments = Arguments::new(given, tool.arguments)?;
    let repo = Repository::open(".".as_ref())?;
    (tool.run)(&Call {
        repo: &repo,
        session,
        arguments: &arguments,
    })
}

/// A panic, which is a fault of guard. The server goes on.
fn internal_error() -> Failure {
    Failure::new(
        FailureKind::CannotJudge,
        "internal error of guard; the call may have been done in part",
    )
    .help("check the file before you go on, and report the text on standard error")
}

fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
    // Before 2025-11-25 there was only the form.
    elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
}

fn answers_come_later(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_panic_in_a_tool_is_an_error_of_the_tool() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let failure = runtime.block_on(async {
            let task = tokio::task::spawn_blocking(|| -> GateResult<()> { panic!("on purpose") });
            task.await
                .unwrap_or_else(|_| Err(internal_error()))
                .unwrap_err()
        });
        assert!(
            failure.message.contains("internal error"),
            "{}",
            failure.message
        );
    }
}
