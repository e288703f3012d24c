//! Helpers that parse a design and list what was found.

#![allow(dead_code, reason = "every test target uses its own part")]

use gix::bstr::BStr;
use write_guard::design::{Design, Problem, parse};
use write_guard::scope::Actions;
use write_guard::scope::settings::Settings;

/// The usual header of a table of files.
pub const HEADER: &str =
    "| File | Change Type | Description |\n|------|-------------|-------------|\n";

/// A design read with the default settings.
pub fn read(text: &str) -> Design {
    let path = BStr::new("docs/lld/LLD-1.md");
    parse(path, text.as_bytes(), &Settings::default())
}

/// A design with one table of these rows.
pub fn rows(rows: &str) -> Design {
    let section = "# Design\n\n### 2.1 Files Changed\n\n";
    read(&format!("{section}{HEADER}{rows}\n"))
}

/// The granted paths.
pub fn paths(design: &Design) -> Vec<String> {
    let grants = design.grants.iter();
    grants.map(|grant| grant.path.to_string()).collect()
}

/// Reason and line of each fault.
pub fn faults(design: &Design) -> Vec<(&'static str, usize)> {
    let faults = design.faults.iter();
    let line = |fault: &Problem| fault.anchor.as_ref().map_or(0, |anchor| anchor.line);
    faults.map(|fault| (fault.reason, line(fault))).collect()
}

/// The actions of each grant.
pub fn actions(design: &Design) -> Vec<Actions> {
    design.grants.iter().map(|grant| grant.actions).collect()
}

/// What an Add row grants.
pub fn add() -> Actions {
    Actions::ADD | Actions::MODIFY_NEW
}

/// What a row without a type grants.
pub fn any() -> Actions {
    Actions::ADD | Actions::MODIFY
}
