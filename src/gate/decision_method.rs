//! How a person's decision reaches guard, as approvals and the log name it.

/// A word typed at a terminal.
pub const TERMINAL: &str = "terminal";
/// The client of an MCP server says that a person decided.
pub const ELICITATION: &str = "elicitation";
