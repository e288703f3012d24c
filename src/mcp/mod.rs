//! `guard mcp`: the file operations as an MCP server on standard input and output.
//!
//! Each call opens the repository anew and goes through the gate, as the file verb does. A refusal is the result of a
//! tool, which the model reads, and never an error of the protocol.

mod answer;
mod arguments;
mod browse_tools;
mod file_tools;
mod held;
mod input;
mod question;
mod scope_tools;
mod server;
mod session;
mod snapshot_tools;
mod table;
mod tool;

pub(crate) use server::serve;
