//! The answers of `guard check`.

use gix::bstr::BString;

use crate::finding::{Anchor, Rule};

/// The answers, in the order of the requests.
#[derive(Debug, Clone, Default)]
pub struct CheckAnswers {
    /// One per path.
    pub results: Vec<CheckResult>,
    /// Notes on how guard reached the answers.
    pub notes: Vec<String>,
}

/// The answer for one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckResult {
    /// The requested path.
    pub requested_path: BString,
    /// The path in the workspace; `None` if it is outside.
    pub path: Option<BString>,
    /// Whether it may be written.
    pub allowed: bool,
    /// The closest path that would be allowed; only if `allowed` is false.
    pub closest_match: Option<BString>,
    /// The reason in one sentence without a full stop; names in it are escaped.
    pub reason: String,
    /// The rule that refuses.
    pub rule: Option<Rule>,
    /// The line of the design that grants the path or explains the refusal.
    pub design: Option<Anchor>,
}

impl CheckAnswers {
    /// 1 if any path is refused, otherwise 0.
    pub fn exit_code(&self) -> u8 {
        u8::from(self.results.iter().any(|result| !result.allowed))
    }
}
