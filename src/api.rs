//! The interface of the library: judging with the items at the root of the crate.

use std::io;

use crate::change::ProposedChange;
use crate::error::Result;
use crate::files;
use crate::git::Repository;
use crate::judge::{self, Options, Purpose};
use crate::policy::Policy;
use crate::report::{self, Format, Style, Target};
use crate::verdict::Verdict;

impl Repository {
    /// Judges what `git commit` would record now, as `guard lint` does.
    ///
    /// # Errors
    /// guard cannot judge: there is no design, a design or `guard.toml` cannot be used, or git's data cannot be read.
    pub fn judge_staged(&self) -> Result<Verdict> {
        let options = Options {
            approvals: files::approvals(self)?,
            ..Options::default()
        };
        judge::staged(self, &options)
    }

    /// Judges the net change of a range, as `guard lint A..B` does: `main..HEAD` compares HEAD with its
    /// merge base with `main`. Only signed approvals count.
    ///
    /// # Errors
    /// As for [`judge_staged`](Repository::judge_staged), or the range names no commits.
    pub fn judge_range(&self, range: &str) -> Result<Verdict> {
        let range = self.parse_range(range)?;
        judge::range(self, &range, &Options::default())
    }

    /// The policy of HEAD: its `guard.toml` and the designs of the current branch.
    ///
    /// # Errors
    /// There is no design, or a design or `guard.toml` cannot be used.
    pub fn policy(&self) -> Result<Policy> {
        judge::load_for_request(self, &Options::default(), Purpose::Scope)
    }
}

impl Policy {
    /// A policy from the text of `guard.toml`, which may be empty, and the Markdown of each design with its path.
    ///
    /// # Errors
    /// `guard.toml` has a fault, or a design grants nothing. Without a design, every change is out of scope.
    pub fn from_texts(guard_toml: &str, designs: &[(&str, &str)]) -> Result<Policy> {
        judge::policy_of_texts(guard_toml, designs)
    }

    /// Judges changes that are in memory only, as the commit that makes them. guard knows neither other files nor
    /// approvals here. What a change calls its old content counts as the content at the merge base.
    ///
    /// ```
    /// use write_guard::{Policy, ProposedChange, Rule};
    ///
    /// let design = "## Files Changed\n\n| File | Change Type |\n|---|---|\n| `notes.md` | Modify |\n";
    /// let policy = Policy::from_texts("", &[("docs/lld/LLD-188.md", design)])?;
    ///
    /// let old = "a line\n".repeat(200);
    /// let append = ProposedChange::modify("notes.md", old.as_str(), format!("{old}one more\n"));
    /// assert!(policy.judge(&[append])?.is_accepted());
    ///
    /// let replace = ProposedChange::modify("notes.md", old, "all new\n");
    /// let verdict = policy.judge(&[replace])?;
    /// assert_eq!(verdict.findings[0].rule, Rule::DestructiveChange);
    /// # Ok::<(), write_guard::Error>(())
    /// ```
    ///
    /// # Errors
    /// Two changes have the same path.
    pub fn judge(&self, changes: &[ProposedChange]) -> Result<Verdict> {
        judge::in_memory(self, changes)
    }
}

impl Verdict {
    /// Writes the verdict in a format: for people without colours, 80 columns wide.
    ///
    /// ```
    /// use write_guard::{Format, Policy, ProposedChange};
    ///
    /// let design = "## Files Changed\n\n| File | Change Type |\n|---|---|\n| `a.rs` | Add |\n";
    /// let policy = Policy::from_texts("", &[("design.md", design)])?;
    /// let verdict = policy.judge(&[ProposedChange::add("b.rs", "fn b() {}\n")])?;
    ///
    /// let mut json = Vec::new();
    /// verdict.write(Format::Json, &mut json)?;
    /// let json: serde_json::Value = serde_json::from_slice(&json)?;
    /// assert_eq!(json["verdict"], "refused");
    /// assert_eq!(json["findings"][0]["rule"], "out-of-scope");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, format: Format, out: &mut dyn io::Write) -> io::Result<()> {
        let style = &Style::default();
        report::write(self, Target { out, format, style })
    }
}
