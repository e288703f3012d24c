//! `guard mcp`: the file operations as an MCP server.

use super::options::DesignArgs;
use write_guard_policy::error::Result;

pub(super) const EXAMPLES: &str = "\
Examples:
  guard mcp
  claude mcp add guard -- guard mcp

A client starts this command and speaks the Model Context Protocol on its standard input and \
output. Each tool is checked, backed up and logged as by the file verb. guard reads designs and \
settings anew for each call.

If a change waits for approval, guard asks the person through the client, where the client can do \
that.";

/// Serves until the client goes.
#[cfg(feature = "mcp")]
pub(super) fn run(design: &DesignArgs) -> Result<u8> {
    use std::panic::AssertUnwindSafe;

    use super::options::repository;
    use super::output::on_panic;
    use crate::approvals::refusal_of_client;
    use write_guard_policy::error::Error;

    let repo = repository()?;
    let mut options = design.options(false);
    for file in &mut options.designs {
        *file = std::path::absolute(&file).map_err(|error| unusable(file, &error))?;
    }
    // Relative paths in calls start at the root.
    let root = repo.own_workdir()?;
    std::env::set_current_dir(root).map_err(|error| unusable(root, &error))?;
    // A panic ends the call, not the server.
    on_panic("", || ());
    let served = std::panic::catch_unwind(AssertUnwindSafe(|| {
        crate::mcp::serve(options, refusal_of_client())
    }));
    served.unwrap_or_else(|_| Err(Error::new("the server ended by an internal error")))?;
    Ok(0)
}

#[cfg(feature = "mcp")]
fn unusable(path: &std::path::Path, error: &std::io::Error) -> write_guard_policy::error::Error {
    let shown = write_guard_repo::show_file(path);
    write_guard_policy::error::Error::new(format!("{shown}: {error}"))
}

#[cfg(not(feature = "mcp"))]
pub(super) fn run(_: &DesignArgs) -> Result<u8> {
    Err(crate::features::not_built("cannot serve MCP", "mcp"))
}
