//! The answers of `guard check`.

use std::path::PathBuf;

use gix::bstr::BString;
use serde::{Serialize, Serializer};

use crate::finding::{Anchor, Rule, json};

/// The answers, in the order of the requests.
#[derive(Debug, Clone, Default)]
pub struct CheckAnswers {
    /// One per path.
    pub results: Vec<CheckResult>,
    /// Notes on how guard reached the answers.
    pub notes: Vec<String>,
}

/// The answer for one path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CheckResult {
    /// The requested path.
    #[serde(serialize_with = "json::path")]
    pub requested_path: BString,
    /// The path in the workspace; `None` if it is outside.
    #[serde(serialize_with = "json::optional_path")]
    pub path: Option<BString>,
    /// The absolute path; `None` if it is outside.
    #[serde(serialize_with = "system_path")]
    pub absolute_path: Option<PathBuf>,
    /// Whether it may be written, or read.
    pub allowed: bool,
    /// The closest path that would be allowed; only if `allowed` is false.
    #[serde(serialize_with = "json::optional_path")]
    pub closest_match: Option<BString>,
    /// The reason in one sentence without a full stop; names in it are escaped.
    pub reason: String,
    /// The rule that refuses.
    pub rule: Option<Rule>,
    /// The kind of the refusal, as `guard write` would answer it.
    pub kind: Option<&'static str>,
    /// How the path leaves the workspace, as requirement 004 names it.
    pub violation: Option<String>,
    /// The line of the design that grants the path or explains the refusal.
    #[serde(skip)]
    pub design: Option<Anchor>,
}

/// A path of the system need not be UTF-8.
fn system_path<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref()
        .map(|path| path.to_string_lossy())
        .serialize(serializer)
}

/// How many answers of each kind there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CheckCounts {
    /// Paths that may be written.
    pub allowed: usize,
    /// Paths that may not.
    pub refused: usize,
    /// Paths that guard could not check.
    pub errors: usize,
}

impl CheckAnswers {
    /// The number of allowed and refused paths.
    pub fn counts(&self) -> CheckCounts {
        let mut counts = CheckCounts::default();
        for result in &self.results {
            counts.add(result);
        }
        counts
    }

    /// 1 if any path is refused, otherwise 0.
    pub fn exit_code(&self) -> u8 {
        self.counts().exit_code()
    }
}

impl CheckCounts {
    /// Counts an answer.
    pub fn add(&mut self, result: &CheckResult) {
        match result.allowed {
            true => self.allowed += 1,
            false => self.refused += 1,
        }
    }

    /// The worst: 2 if guard could not check a path, else 1 if one is refused, otherwise 0.
    pub fn exit_code(&self) -> u8 {
        match (self.errors, self.refused) {
            (0, 0) => 0,
            (0, _) => 1,
            _ => 2,
        }
    }
}
