//! The settings of coding agents in which `guard install AGENT` registers guard's hooks.

use bstr::{BStr, ByteSlice};

use super::Access;
use crate::finding::{Finding, Rule};
use crate::hooks::runs_guard;
use crate::own_part;
use crate::path::escaped;

/// Whether guard may have hooks in the file.
pub(super) fn concerns(path: &BStr) -> bool {
    own_part::AGENT_FILES.iter().any(|(file, _)| path == *file)
}

/// Refuses to let a request change the settings that call guard, or those that could switch these off. `committed`
/// gives HEAD's content of a file.
///
/// # Errors
/// Those of `committed`.
pub fn refuse_request<E>(
    path: &BStr,
    access: Access,
    committed: impl FnOnce(&BStr) -> Result<Option<Vec<u8>>, E>,
) -> Result<Option<Finding>, E> {
    let local = path == ".claude/settings.local.json";
    let settings = if local {
        ".claude/settings.json".into()
    } else {
        path
    };
    if access != Access::Write || !concerns(settings) {
        return Ok(None);
    }
    let content = committed(settings)?.unwrap_or_default();
    Ok(content.lines().any(runs_guard).then(|| {
        let message = format!("{} decides whether the agent calls guard", escaped(path));
        Finding::new(Rule::ProtectedPath, path, message)
            .help("ask a person to change it in a separate commit")
    }))
}
