//! `guard mcp`: the file operations as an MCP server on standard input and output.
//!
//! Each call opens the repository anew and goes through the gate, as the file verb does. A refusal is the result of a
//! tool, which the model reads, and never an error of the protocol.

mod answer;
mod elicitation;
mod server;
mod session;
mod tools;
mod transport;

pub(crate) use server::serve;
#[cfg(fuzzing)]
pub(crate) use transport::decode;
