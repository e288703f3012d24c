//! `guard mcp`: the file operations as an MCP server.

use super::repository::DesignArgs;
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
checked, backed up and logged as by the file verb. guard reads designs and settings anew for each call.

If a change waits for approval, guard asks the person through the client, where the client can do that.";

impl McpArgs {
    #[cfg(feature = "mcp")]
    pub(super) fn run(&self) -> Result<u8> {
        server::run(&self.design)
    }

    #[cfg(not(feature = "mcp"))]
    pub(super) fn run(&self) -> Result<u8> {
        Err(crate::error::not_built("cannot serve MCP", "mcp"))
    }
}

#[cfg(feature = "mcp")]
mod server {
    use std::panic::AssertUnwindSafe;
    use std::path::PathBuf;

    use super::super::output::on_panic;
    use super::super::person;
    use super::super::repository::{DesignArgs, repository};
    use crate::error::{Error, Result};
    use crate::git::show_file;
    use crate::mcp;

    /// Serves until the client goes.
    pub(super) fn run(design: &DesignArgs) -> Result<u8> {
        let repo = repository()?;
        let mut options = design.options(false);
        options.designs = absolute(&options.designs)?;
        // Relative paths in calls start at the root.
        let root = repo.own_workdir()?;
        std::env::set_current_dir(root)
            .map_err(|error| Error::new(format!("{}: {error}", show_file(root))))?;
        // A panic ends the call, not the server.
        on_panic("", || ());
        let serve = || mcp::serve(options, person::refusal_of_client());
        std::panic::catch_unwind(AssertUnwindSafe(serve))
            .unwrap_or_else(|_| Err(Error::new("the server ended by an internal error")))?;
        Ok(0)
    }

    fn absolute(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
        let absolute = |path: &PathBuf| {
            let failed = |error| Error::new(format!("{}: {error}", show_file(path)));
            std::path::absolute(path).map_err(failed)
        };
        paths.iter().map(absolute).collect()
    }
}
