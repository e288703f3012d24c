//! The interface of the library: judging with the items at the root of the crate.

use std::io;

use write_guard_policy::error::Result;
use write_guard_policy::{Policy, ProposedChange, Verdict};
use write_guard_repo::Repository;

use crate::approvals;
use crate::judge::{self, Options, Purpose};
use crate::report::{self, Format, Style, Target};

/// Judges what `git commit` would record now, as `guard lint` does. guard reads the repository in process and writes nothing.
///
/// ```
/// use std::fs;
/// use std::process::Command;
///
/// use write_guard::{Repository, Rule, judge_range, judge_staged};
///
/// let directory = tempfile::tempdir()?;
/// let root = directory.path();
/// let git = |arguments: &[&str]| {
///     let status = Command::new("git").args(arguments).current_dir(root).status();
///     assert!(status.is_ok_and(|status| status.success()), "git {arguments:?}");
/// };
/// git(&["init", "--quiet", "--initial-branch=main"]);
/// git(&["config", "user.name", "Ann"]);
/// git(&["config", "user.email", "ann@example.org"]);
///
/// // The policy: where designs are, and one for issue 188.
/// fs::write(root.join("guard.toml"), "[lld]\npath = \"LLD-{issue}.md\"\n")?;
/// let design = "## Files Changed\n\n| File | Change Type |\n|---|---|\n| `a.rs` | Add |\n";
/// fs::write(root.join("LLD-188.md"), design)?;
/// git(&["add", "."]);
/// git(&["commit", "--quiet", "--message", "Add the design of issue 188"]);
/// git(&["switch", "--quiet", "--create", "188-add-a"]);
///
/// fs::write(root.join("a.rs"), "fn a() {}\n")?;
/// git(&["add", "a.rs"]);
/// assert!(judge_staged(&Repository::open(root)?)?.is_accepted());
///
/// fs::write(root.join("b.rs"), "fn b() {}\n")?;
/// git(&["add", "b.rs"]);
/// git(&["commit", "--quiet", "--message", "Add a and b"]);
/// let verdict = judge_range(&Repository::open(root)?, "main..HEAD")?;
/// let finding = &verdict.findings[0];
/// assert_eq!(finding.rule, Rule::OutOfScope);
/// assert!(finding.path.as_ref().is_some_and(|path| path == "b.rs"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// guard cannot judge: there is no design, a design or `guard.toml` cannot be used, or git's data cannot be read.
pub fn judge_staged(repository: &Repository) -> Result<Verdict> {
    let options = approvals::with_unexpired(repository, Options::default())?;
    judge::staged(repository, &options)
}

/// Judges the net change of a range, as `guard lint A..B` does: `main..HEAD` compares HEAD with its merge base with
/// `main`. Only signed approvals count.
///
/// # Errors
/// As for [`judge_staged`], or the range names no commits.
pub fn judge_range(repository: &Repository, range: &str) -> Result<Verdict> {
    let range = repository.parse_range(range)?;
    judge::range(repository, &range, &Options::default())
}

/// The policy of HEAD: its `guard.toml` and the designs of the current branch.
///
/// # Errors
/// There is no design, or a design or `guard.toml` cannot be used.
pub fn load_policy(repository: &Repository) -> Result<Policy> {
    judge::load_for_request(repository, &Options::default(), Purpose::Scope)
}

/// Judges changes that are in memory only, as the commit that makes them. guard knows neither other files nor approvals
/// here. What a change calls its old content counts as the content at the merge base.
///
/// ```
/// use write_guard::{Policy, ProposedChange, Rule, judge_changes};
///
/// let design = "## Files Changed\n\n| File | Change Type |\n|---|---|\n| `notes.md` | Modify |\n";
/// let policy = Policy::from_texts("", &[("docs/lld/LLD-188.md", design)])?;
///
/// let old = "a line\n".repeat(200);
/// let append = ProposedChange::modify("notes.md", old.as_str(), format!("{old}one more\n"));
/// assert!(judge_changes(&policy, &[append])?.is_accepted());
///
/// let replace = ProposedChange::modify("notes.md", old, "all new\n");
/// let verdict = judge_changes(&policy, &[replace])?;
/// assert_eq!(verdict.findings[0].rule, Rule::DestructiveChange);
/// # Ok::<(), write_guard::Error>(())
/// ```
///
/// # Errors
/// Two changes have the same path.
pub fn judge_changes(policy: &Policy, changes: &[ProposedChange]) -> Result<Verdict> {
    judge::in_memory(policy, changes)
}

impl Format {
    /// Writes a verdict in this format: for people without colours, 80 columns wide.
    ///
    /// ```
    /// use write_guard::{Format, Policy, ProposedChange, judge_changes};
    ///
    /// let design = "## Files Changed\n\n| File | Change Type |\n|---|---|\n| `a.rs` | Add |\n";
    /// let policy = Policy::from_texts("", &[("design.md", design)])?;
    /// let verdict = judge_changes(&policy, &[ProposedChange::add("b.rs", "fn b() {}\n")])?;
    ///
    /// let mut json = Vec::new();
    /// Format::Json.write(&verdict, &mut json)?;
    /// let json: serde_json::Value = serde_json::from_slice(&json)?;
    /// assert_eq!(json["verdict"], "refused");
    /// assert_eq!(json["findings"][0]["rule"], "out-of-scope");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(self, verdict: &Verdict, out: &mut dyn io::Write) -> io::Result<()> {
        let format = self;
        let style = &Style::default();
        report::write(verdict, Target { out, format, style })
    }
}
