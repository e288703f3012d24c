//! JSON-RPC messages, one per line. The SDK's own transport leaves requests that it cannot decode without an answer.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Stdin, Stdout,
};
use tokio::sync::Mutex;

/// Larger messages end the session. A file in a message takes more than its size, because it is escaped.
pub(super) const MAX_MESSAGE: usize = 64 << 20;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// Standard input and output.
pub(super) struct StdioLines {
    input: BufReader<Stdin>,
    /// The part of a line that has been read. A read may be cancelled at any time.
    line: Vec<u8>,
    output: Arc<Mutex<Stdout>>,
    is_exceeded: Arc<AtomicBool>,
}

impl StdioLines {
    /// The lines, and whether one was too long: the SDK does not say why a session ended.
    pub(crate) fn new() -> (StdioLines, Arc<AtomicBool>) {
        let is_exceeded = Arc::<AtomicBool>::default();
        let lines = StdioLines {
            input: BufReader::new(tokio::io::stdin()),
            line: Vec::new(),
            output: Arc::new(Mutex::new(tokio::io::stdout())),
            is_exceeded: Arc::clone(&is_exceeded),
        };
        (lines, is_exceeded)
    }

    /// The next line; `None` at the end, and after a line that is too long.
    async fn next_line(&mut self) -> Option<Vec<u8>> {
        let room = (MAX_MESSAGE + 1).saturating_sub(self.line.len()) as u64;
        let mut input = (&mut self.input).take(room);
        input.read_until(b'\n', &mut self.line).await.ok()?;
        let line = std::mem::take(&mut self.line);
        if line.len() > MAX_MESSAGE {
            self.is_exceeded.store(true, Ordering::Relaxed);
        }
        (1..=MAX_MESSAGE).contains(&line.len()).then_some(line)
    }
}

impl Transport<RoleServer> for StdioLines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move { write(&output, serde_json::to_vec(&message)?).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let line = self.next_line().await?;
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            match decode(line) {
                Ok(message) => return Some(message),
                Err(Some(answer)) => {
                    let output = Arc::clone(&self.output);
                    // In a task of its own, because this function may be cancelled.
                    tokio::spawn(async move { write(&output, answer.to_string().into()).await });
                }
                Err(None) => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.flush().await
    }
}

async fn write(output: &Mutex<Stdout>, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}

/// The message on a line.
///
/// # Errors
/// The line is no message. The error is the answer, if the sender waits for one.
pub fn decode(line: &[u8]) -> Result<RxJsonRpcMessage<RoleServer>, Option<Value>> {
    serde_json::from_slice(line).map_err(|error| answer_to_undecodable(line, &error))
}

/// The members that tell requests, responses and notifications apart. Bad text elsewhere in the message is ignored.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Envelope {
    id: Option<Value>,
    method: Option<IgnoredAny>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// The error for a message that cannot be decoded; `None` for a notification or a response.
fn answer_to_undecodable(line: &[u8], error: &serde_json::Error) -> Option<Value> {
    let is_json = serde_json::from_slice::<IgnoredAny>(line).is_ok();
    let envelope = if line.starts_with(b"{") {
        serde_json::from_slice::<Envelope>(line).unwrap_or_default()
    } else {
        Envelope::default()
    };
    let is_response = envelope.result.is_some() || envelope.error.is_some();
    let is_notification = envelope.method.is_some() && envelope.id.is_none();
    if is_json && (is_response || is_notification) {
        return None;
    }
    let (code, what) = if is_json {
        (INVALID_REQUEST, "not a request that guard understands")
    } else {
        (PARSE_ERROR, "not JSON")
    };
    Some(json!({
        "jsonrpc": "2.0",
        "id": envelope.id,
        "error": { "code": code, "message": format!("the message is {what}: {error}") },
    }))
}
