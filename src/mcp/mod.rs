//! `guard mcp`: the file operations as an MCP server on standard input and output, the protocol on one side and the gate on
//! the other.
//!
//! Each call opens the repository anew and goes through the gate, as the file verb does. A refusal is the result of a
//! tool, which the model reads, and never an error of the protocol.

mod call;
mod elicitation;
mod tools;
mod transport;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientResult, ElicitRequest, Implementation,
    ProtocolVersion, ServerCapabilities, ServerConfig, ServerRequest,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt, tool_handler};
use serde_json::Value;
use tokio::sync::Mutex;

use crate::files::{Failure, FailureKind, GateResult};
use crate::judge::Options;
use call::{Call, Session, ToolAnswer};
use elicitation::not_approved;
pub use transport::decode;
use transport::{MAX_MESSAGE, StdioLines};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::escaped;
use write_guard_repo::Repository;

/// The key in the `_meta` of a request that asks for the analysis of a change that is held. The node for LangGraph does.
const WANTS_ANALYSIS: &str = "guard/analysis";

type Context = RequestContext<RoleServer>;

const INSTRUCTIONS: &str = "\
File operations that guard checks: a change may touch only what the design document names, may not leave the \
workspace, and may not silently destroy a file. Call show_scope first; it lists what may be written. Prefer edit_file \
to write_file. A refused call says what to do next; a retry or another tool is refused as well. A change that destroys \
much of a file waits until a person approves it: call request_approval with its id to ask the user. Relative paths \
start at the root of the repository.";

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
        session: Arc::new(Session {
            options,
            refusal_to_ask,
            ..Session::default()
        }),
        turn: Arc::default(),
        tools: Server::tool_router(),
    };
    let ended = runtime.block_on(server.run());
    // A read from standard input may never end.
    runtime.shutdown_background();
    ended
}

struct Server {
    session: Arc<Session>,
    /// Calls take turns.
    turn: Arc<Mutex<()>>,
    tools: ToolRouter<Server>,
}

impl Server {
    async fn run(self) -> Result<()> {
        let turn = Arc::clone(&self.turn);
        let (lines, is_exceeded) = StdioLines::new();
        let running = match self.serve(lines).await {
            Ok(running) => running,
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => {
                return Err(Error::new(format!("the session cannot begin: {error}"))
                    .help("guard mcp speaks the Model Context Protocol; a client starts it"));
            }
        };
        let ended = running.waiting().await;
        // A change that has begun is completed.
        drop(turn.lock().await);
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
        context: &Context,
        work: impl FnOnce(&Call<'_>) -> GateResult<T> + Send + 'static,
    ) -> GateResult<T> {
        let turn = Arc::clone(&self.turn).lock_owned().await;
        if context.ct.is_cancelled() {
            let message = "the call was cancelled";
            return Err(Failure::new(FailureKind::CannotJudge, message));
        }
        let session = Arc::clone(&self.session);
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let repo = Repository::open(".".as_ref())?;
            work(&Call {
                repo: &repo,
                session: &session,
            })
        });
        done.await.unwrap_or_else(|_| Err(internal_error()))
    }

    /// A call that changes files. An error has the analysis of the change only if the request asks for it.
    async fn change(
        &self,
        context: Context,
        work: impl FnOnce(&Call<'_>) -> GateResult<ToolAnswer> + Send + 'static,
    ) -> GateResult<ToolAnswer> {
        let is_wanted = context.meta.0.get(WANTS_ANALYSIS) == Some(&Value::Bool(true));
        let mut done = self.change_or_ask(context, work).await;
        if let Err(failure) = &mut done
            && !is_wanted
        {
            failure.analysis = None;
        }
        done
    }

    /// If the change is held, the client may ask the person at once.
    async fn change_or_ask(
        &self,
        context: Context,
        work: impl FnOnce(&Call<'_>) -> GateResult<ToolAnswer> + Send + 'static,
    ) -> GateResult<ToolAnswer> {
        let failure = match self.work(&context, work).await {
            Err(failure) if failure.kind == FailureKind::Held && can_ask(&context) => failure,
            done => return done,
        };
        let Some(id) = failure.details.get("id").and_then(Value::as_str) else {
            return Err(failure);
        };
        let id = id.to_owned();
        if let Some(why) = &self.session.refusal_to_ask {
            return Err(failure.help(format!("the client cannot ask the person: {why}")));
        }
        let about = id.clone();
        let form = move |call: &Call<'_>| elicitation::form(call, &about);
        let form = self.work(&context, form).await?;
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(form));
        let why = tokio::select! {
            answer = context.peer.send_request(request) => match answer {
                Ok(ClientResult::ElicitResult(answer)) => {
                    let decide = move |call: &Call<'_>| elicitation::decide(call, &id, &answer);
                    return self.work(&context, decide).await;
                }
                Ok(_) => "the client's answer is none to the question".to_owned(),
                Err(error) => format!("the client could not ask: {error}"),
            },
            () = context.ct.cancelled() => "the call was cancelled".to_owned(),
        };
        Err(not_approved(&why, &id, failure.analysis))
    }
}

#[tool_handler(router = self.tools)]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("guard", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    /// A model may know the tools of another server.
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> std::result::Result<CallToolResponse, ErrorData> {
        if !self.tools.has_route(&request.name) {
            let tools = self.tools.list_all();
            let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
            let name = escaped(request.name.as_ref());
            let why = format!("guard has no tool {name}; it has {}", names.join(", "));
            return Err(ErrorData::invalid_params(why, None));
        }
        let call = ToolCallContext::new(self, request, context);
        self.tools.call(call).await
    }

    /// Without the newest, in which a server cannot ask while it works on a call. Its clients also speak the one before.
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        ProtocolVersion::known_up_to(&ProtocolVersion::LATEST_WITH_INITIALIZE).into()
    }
}

/// A panic, which is a fault of guard. The server goes on.
fn internal_error() -> Failure {
    Failure::new(
        FailureKind::CannotJudge,
        "internal error of guard; the call may have been done in part",
    )
    .help("check the file before you go on, and report the text on standard error")
}

fn can_ask(context: &Context) -> bool {
    let capabilities = context.client_capabilities();
    capabilities.is_some_and(|capabilities| capabilities.elicitation.is_some())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The hooks of agents know them, too, and let them pass.
    #[test]
    fn hooks_know_every_tool() {
        let router = Server::tool_router();
        let mut served: Vec<String> = router
            .list_all()
            .into_iter()
            .map(|tool| tool.name.into_owned())
            .collect();
        let mut known = crate::agents::OWN_TOOLS.to_vec();
        served.sort_unstable();
        known.sort_unstable();
        assert_eq!(served, known);
    }

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
