//! A client of `guard mcp` that speaks the protocol line by line, for what the SDKs of clients do not let through.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::{GUARD, Repo};

/// A session.
pub struct McpClient {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: u64,
    /// What each question is answered with: the result of `elicitation/create`.
    pub answer: Value,
    /// The questions so far.
    pub questions: Vec<Value>,
}

impl McpClient {
    /// Starts the server and the session; the client can ask the person if `capabilities` say so.
    #[track_caller]
    pub fn start(repo: &Repo, version: &str, capabilities: Value) -> McpClient {
        McpClient::start_as(&mut repo.command(GUARD), version, capabilities)
    }

    /// The same with a command of its own, to which `mcp` is added.
    #[track_caller]
    pub fn start_as(command: &mut Command, version: &str, capabilities: Value) -> McpClient {
        let mut client = McpClient::spawn(command.arg("mcp"));
        let about = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": version, "capabilities": capabilities, "clientInfo": about });
        let begun = client.request("initialize", params);
        assert_eq!(begun["result"]["protocolVersion"], version, "{begun}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    /// Only starts the server.
    #[track_caller]
    pub fn spawn(command: &mut Command) -> McpClient {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        McpClient {
            child,
            input,
            output,
            last_id: 0,
            answer: Value::Null,
            questions: Vec::new(),
        }
    }

    /// Sends one message.
    #[track_caller]
    pub fn send(&mut self, message: &Value) {
        self.send_bytes(message.to_string().as_bytes());
    }

    /// Sends one line.
    #[track_caller]
    pub fn send_bytes(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        // A server that has ended is seen by the lack of an answer.
        let _ = input
            .write_all(&[line, b"\n"].concat())
            .and_then(|()| input.flush());
    }

    /// Sends a request without waiting for its answer, and returns its id.
    #[track_caller]
    pub fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The next message; `None` if the server has closed its output.
    pub fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        (!line.is_empty()).then(|| serde_json::from_str(&line).unwrap())
    }

    /// Sends a request and returns the answer. Questions that come before are answered.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.wait(id)
    }

    /// The answer to a request.
    #[track_caller]
    pub fn wait(&mut self, id: u64) -> Value {
        loop {
            let message = self.receive().expect("the server has ended");
            if message["method"] == "elicitation/create" {
                self.questions.push(message["params"].clone());
                let answer =
                    json!({ "jsonrpc": "2.0", "id": message["id"], "result": self.answer });
                self.send(&answer);
            } else if message["id"] == id {
                return message;
            }
        }
    }

    /// The result of a tool.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = self.request("tools/call", params);
        assert!(answer["error"].is_null(), "{tool} {arguments}: {answer}");
        answer["result"].clone()
    }

    /// The facts for programs of a tool that did what was asked.
    #[track_caller]
    pub fn does(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        result["_meta"]["guard"].clone()
    }

    /// The kind of the error of a tool that refused, with the text for the model.
    #[track_caller]
    pub fn refuses(&mut self, tool: &str, arguments: Value) -> (String, String) {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        let kind = &result["structuredContent"]["error"]["kind"];
        (kind.as_str().unwrap().to_owned(), text(&result))
    }

    /// Closes standard input and returns the exit code.
    #[track_caller]
    pub fn end(mut self) -> i32 {
        drop(self.input.take());
        self.child.wait().unwrap().code().unwrap()
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

/// The text of a result.
pub fn text(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap().to_owned()
}
