//! `guard mcp`: the file operations as an MCP server.

use super::design_args::DesignArgs;
#[cfg(feature = "mcp")]
use super::mcp_server;
use crate::error::Result;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct McpArgs {
    #[command(flatten)]
    design: DesignArgs,
}

const EXAMPLES: &str = "\
Examples:
  guard mcp
  guard -C /path/to/repository mcp
  claude mcp add guard -- guard mcp

A client starts this command and speaks the Model Context Protocol on its standard input and output. Each tool is \
judged, backed up and logged as the file verb. guard reads designs and settings anew for each call.

If a change is held, guard asks the person through the client, where the client can do that.";

impl McpArgs {
    #[cfg(feature = "mcp")]
    pub(super) fn run(&self) -> Result<u8> {
        mcp_server::run(&self.design)
    }

    #[cfg(not(feature = "mcp"))]
    pub(super) fn run(&self) -> Result<u8> {
        Err(crate::error::not_built("cannot serve MCP", "mcp"))
    }
}
