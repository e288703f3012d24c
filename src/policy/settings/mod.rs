//! `guard.toml`: what can be set, its defaults, and reading it.

mod keys;
mod lists;
mod read;
mod value;

use std::collections::BTreeMap;

use crate::finding::{Level, Rule};
use crate::measure::Thresholds;

use super::patterns::Patterns;

pub use keys::{KEYS, Key, Kind};
pub(super) use lists::TEST_PATTERNS;
pub use read::{Place, Places, RULES, parse, parse_with_places};
pub use value::value;

/// The file's path, at the workspace root.
pub const FILE: &str = "guard.toml";

/// What happens on a branch that no design belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// guard cannot judge: exit code 2.
    Block,
    /// The scope rules do not apply; all others do.
    Skip,
}

/// Which version of a design counts in a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authority {
    /// The designs at the range's head; rows that the range added are listed.
    Head,
    /// The designs at the merge base; rows that the range added grant nothing.
    Base,
}

/// Everything that `guard.toml` can say; [`Settings::default`] is what an empty file means.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Where designs are, with `{issue}` for the number in the branch's name.
    pub lld_path: Vec<String>,
    /// Designs that join every other.
    pub standing: Vec<String>,
    /// The branch that work starts from.
    pub base: Option<String>,
    /// How the issue is found in a branch name: the first group if there is one, else the whole match.
    pub issue_pattern: String,
    /// Words of headings that open the list of files, besides the built-in ones.
    pub headings: Vec<String>,
    /// What a branch without a design means.
    pub missing: Missing,
    /// Which version of a design counts in a range.
    pub authority: Authority,
    /// Paths that need no row.
    pub always: Patterns,
    /// Paths that nothing may touch.
    pub protect: Patterns,
    /// Whether listed test files that exist at the work base are protected.
    pub protect_tests: bool,
    /// Which paths are tests; `None` for the built-in patterns.
    pub test_patterns: Option<Patterns>,
    /// Whether the lock file of a granted manifest is granted.
    pub companions: bool,
    /// Requests only: what may be read.
    pub read: Vec<String>,
    /// Requests only: what may be written.
    pub write: Vec<String>,
    /// Requests only: names that are never read or written.
    pub secrets: Patterns,
    /// Requests only: the largest file in bytes.
    pub max_size: u64,
    /// When a change is a replacement.
    pub thresholds: Thresholds,
    /// Files whose content may be replaced: lock files.
    pub exempt: Patterns,
    /// Levels that differ from the rules' own; `None` is off.
    pub levels: BTreeMap<Rule, Option<Level>>,
    /// Who may sign approvals.
    pub signers: String,
    /// Whether an unsigned approval counts in a range.
    pub accept_unsigned: bool,
    /// For how many seconds an approval holds.
    pub expiry: u64,
    /// For how many seconds snapshots are kept.
    pub keep: u64,
}

impl Settings {
    /// The level of a rule; `None` where it is off.
    pub fn level(&self, rule: Rule) -> Option<Level> {
        match self.levels.get(&rule) {
            Some(&level) if !rule.is_always() => level,
            _ => Some(rule.default_level()),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        let workspace = || vec![".".to_owned()];
        Settings {
            lld_path: Vec::new(),
            standing: Vec::new(),
            base: None,
            issue_pattern: keys::ISSUE_PATTERN.to_owned(),
            headings: Vec::new(),
            missing: Missing::Block,
            authority: Authority::Head,
            always: Patterns::default(),
            protect: Patterns::default(),
            protect_tests: false,
            test_patterns: None,
            companions: true,
            read: workspace(),
            write: workspace(),
            secrets: Patterns::built_in(lists::SECRETS),
            max_size: keys::MAX_SIZE,
            thresholds: Thresholds::default(),
            exempt: Patterns::built_in(lists::LOCK_FILES),
            levels: BTreeMap::from([(Rule::RowUntouched, None)]),
            signers: ".guard/allowed_signers".to_owned(),
            accept_unsigned: false,
            expiry: 14 * keys::DAY,
            keep: 90 * keys::DAY,
        }
    }
}
