//! The answers of `guard check`.

use gix::bstr::BString;

use crate::finding::{Anchor, Rule};

/// The answers, in the order in which they were asked for.
#[derive(Debug, Clone, Default)]
pub struct CheckAnswers {
    /// One per path.
    pub results: Vec<CheckResult>,
    /// Remarks on how the answers came about.
    pub notes: Vec<String>,
}

/// The answer for one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckResult {
    /// The path as it was asked for.
    pub requested_path: BString,
    /// What it resolves to, relative to the workspace; `None` where it leaves it.
    pub path: Option<BString>,
    /// Whether it may be written.
    pub allowed: bool,
    /// The closest path that would be allowed; only where `allowed` is false.
    pub closest_match: Option<BString>,
    /// Why, in one sentence without a final full stop; names in it are escaped.
    pub reason: String,
    /// The rule that refuses.
    pub rule: Option<Rule>,
    /// The design's line that grants the path, or that the refusal refers to.
    pub design: Option<Anchor>,
}

impl CheckAnswers {
    /// 1 if any path is refused, else 0.
    pub fn exit_code(&self) -> u8 {
        u8::from(self.results.iter().any(|result| !result.allowed))
    }
}
