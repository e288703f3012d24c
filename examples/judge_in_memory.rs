//! Judges changes that are in memory only: `cargo run --example judge_in_memory`.

use std::error::Error;
use std::io;
use std::process::ExitCode;

use write_guard::{Format, Policy, ProposedChange, judge_changes};

const GUARD_TOML: &str = "
[destructive]
lines = 50
";

const DESIGN: &str = "
# LLD-188: path enforcement

## Files Changed

| File | Change Type | Description |
|------|-------------|-------------|
| `src/utils/lld.rs` | Add | path enforcement |
| `CHANGELOG.md` | Modify | one more entry |
";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let policy = Policy::from_texts(GUARD_TOML, &[("docs/lld/LLD-188.md", DESIGN)])?;
    let changelog: String = (1..=80).map(|entry| format!("- entry {entry}\n")).collect();
    let changes = [
        // The design grants this change.
        ProposedChange::add("src/utils/lld.rs", "pub fn enforce() {}\n"),
        // The design names another path.
        ProposedChange::add("src/core/lld.rs", "pub fn enforce() {}\n"),
        // The design grants a change, but this one loses all entries.
        ProposedChange::modify("CHANGELOG.md", changelog, "- path enforcement\n"),
    ];
    let verdict = judge_changes(&policy, &changes)?;
    Format::Human.write(&verdict, &mut io::stdout())?;
    Ok(ExitCode::from(verdict.exit_code()))
}
