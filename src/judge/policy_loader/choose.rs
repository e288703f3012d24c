//! Selects designs: by flag, by `guard use`, by the trailers of a range, or by settings and branch.

use std::collections::HashSet;

use gix::bstr::{BStr, BString};

use super::{GitTree, Loader, add_and_commit};
use crate::error::{Error, Result};
use crate::finding::Help;
use crate::path::escaped;
use crate::policy::glob::Glob;
use crate::policy::{ChosenBy, Stage, design_selection, settings};
use crate::rules;

const CHOOSE: &str =
    "choose a design: `guard use FILE` for this branch, or `--lld FILE` for this run";

/// A design to load and the reason it was selected.
pub(in crate::judge) struct Choice {
    pub(in crate::judge) path: BString,
    pub(in crate::judge) by: ChosenBy,
    /// Whether a flag or variable named it; the work tree may then stand in for a missing commit.
    pub(super) by_hand: bool,
}

impl Loader<'_> {
    /// The designs of this branch, by the first method that names one.
    pub(super) fn choices(&self) -> Result<Vec<Choice>> {
        if !self.by_hand.is_empty() {
            let by = self.options.designs_from;
            return Ok(self
                .by_hand
                .iter()
                .map(|path| choice(path.clone(), by, true))
                .collect());
        }
        if let Some(branch) = &self.inputs.branch
            && let Some(path) = self.repo.config(&format!("branch.{branch}.guardDesign"))
        {
            return Ok(vec![choice(path, "guard use", false)]);
        }
        if !self.inputs.trailers.is_empty() {
            return self.by_trailers();
        }
        let issue = self.issue()?;
        let by = issue.as_ref().map_or_else(
            || "guard.toml".to_owned(),
            |issue| format!("issue {issue} in the branch name"),
        );
        let patterns = design_selection::patterns(&self.settings, issue.as_deref());
        let mut found = self.matching(&patterns)?;
        if found.len() > 1 {
            let paths: Vec<String> = found.iter().map(|path| escaped(path).to_string()).collect();
            return Err(Error::new(format!("more than one design applies: {}", paths.join(", ")))
                .help("choose with `guard use FILE` for this branch, or `--lld FILE` (repeat it for a union)"));
        }
        Ok(found
            .drain(..)
            .map(|path| choice(path, by.as_str(), false))
            .collect())
    }

    /// The issue in the branch name, if the settings select designs by issue.
    ///
    /// # Errors
    /// The name contains several issues, and guard does not guess.
    pub(super) fn issue(&self) -> Result<Option<String>> {
        let Some(branch) = &self.inputs.branch else {
            return Ok(None);
        };
        if !design_selection::needs_issue(&self.settings) {
            return Ok(None);
        }
        let mut issues = design_selection::issues_of(&self.settings, branch.as_ref());
        if issues.len() > 1 {
            return Err(Error::new(format!(
                "the branch name {} contains several issues: {}",
                escaped(branch),
                issues.join(", ")
            ))
            .help(CHOOSE)
            .help("or name it in a commit message: Guard-Design: FILE"));
        }
        Ok(issues.pop())
    }

    pub(super) fn is_standing(&self, path: &BStr) -> bool {
        let standing = self
            .settings
            .standing
            .iter()
            .map(|pattern| design_selection::normal(pattern));
        standing
            .into_iter()
            .any(|pattern| design_selection::matches(pattern, path))
    }

    pub(super) fn standing(&mut self) -> Result<Vec<Choice>> {
        let mut choices = Vec::new();
        for pattern in self.settings.standing.clone() {
            let found = self.matching(&[design_selection::normal(&pattern).to_owned()])?;
            if found.is_empty() {
                self.notes
                    .push(format!("no standing design matches {}", escaped(&pattern)));
            }
            choices.extend(
                found
                    .into_iter()
                    .map(|path| choice(path, ChosenBy::Standing, false)),
            );
        }
        Ok(choices)
    }

    /// A commit may select one of the configured designs, but not turn any document into a design.
    fn by_trailers(&self) -> Result<Vec<Choice>> {
        let is_markdown = |path: &BStr| path.to_ascii_lowercase().ends_with(b".md");
        let mut choices: Vec<Choice> = Vec::new();
        let mut known = HashSet::new();
        for (path, commit) in &self.inputs.trailers {
            let path: &BStr = path.as_ref();
            let may_be_one = if self.settings.lld_path.is_empty() {
                is_markdown(path)
            } else {
                design_selection::is_design(&self.settings, path)
            };
            let commit = commit.to_hex_with_len(12);
            if !may_be_one {
                return Err(Error::new(format!(
                    "the Guard-Design trailer of commit {commit} names {}, which does not match `[lld] path` in guard.toml",
                    escaped(path)
                ))
                .help("correct the trailer, or choose for this run: --lld FILE"));
            }
            if known.insert(path) {
                let by = format!("Guard-Design trailer of {commit}");
                choices.push(choice(path.to_owned(), by.as_str(), false));
            }
        }
        Ok(choices)
    }

    /// The matching files on the governing side or, if there are none, on the other side.
    fn matching(&self, patterns: &[String]) -> Result<Vec<BString>> {
        let sides = [GitTree::Tree(&self.base), self.inputs.proposal];
        let [first, second] = match self.head_governs() {
            true => [1, 0].map(|at| sides[at]),
            false => sides,
        };
        let found = matching(patterns, first)?;
        if found.is_empty() {
            return matching(patterns, second);
        }
        Ok(found)
    }

    /// Why there is no design, and what to do.
    pub(super) fn no_design(&self) -> Error {
        let error = self.why_no_design();
        match &self.first_refused {
            Some(path) => self
                .order(path.as_ref())
                .into_iter()
                .fold(error, Error::help),
            None => error,
        }
    }

    /// Which order of commits works when guard is set up.
    fn order(&self, path: &BStr) -> Vec<Help> {
        let becomes_design = self
            .next_settings
            .as_ref()
            .is_some_and(|next| design_selection::is_design(next, path));
        let shown = escaped(path);
        if becomes_design {
            let commits = self.inputs.stage == Stage::Commit && self.inputs.head.is_none();
            let how = format!(
                "only the guard.toml in this change makes {shown} a design: commit guard.toml first, then the design"
            );
            let command = Help::command("git commit -m \"Change how guard judges\" -- guard.toml");
            return std::iter::once(how.into())
                .chain(commits.then_some(command))
                .collect();
        }
        if self.configured && rules::may_call_guard(path) {
            return vec![format!(
                "commit the lines of {shown} that call guard first, in a separate commit: they need no design"
            ).into()];
        }
        Vec::new()
    }

    fn why_no_design(&self) -> Error {
        let base = self.base_name();
        let is_range = self.inputs.stage == Stage::Range;
        if let Some(root) = self.root_commit().filter(|_| !self.configured) {
            let root = root.to_hex_with_len(12);
            return Error::new(format!(
                "commit {root} has no parent with a guard.toml to judge it by"
            ))
            .help(format!(
                "name a design for this run: guard lint --commit {root} --lld FILE"
            ));
        }
        if !self.configured {
            let error = Error::new(format!("{base} has no guard.toml, and no design was named"));
            return if is_range || self.inputs.head.is_some() {
                error.help(
                    "set guard up in a separate change first: guard.toml and designs, no code",
                )
            } else if self.in_work_tree(BStr::new(settings::FILE)).is_some() {
                error.help("commit the settings first:").help(Help::command(
                    "git add guard.toml && git commit -m \"Set guard up\" -- guard.toml",
                ))
            } else {
                error
                    .help("set guard up with `guard init`, or name a design: guard lint --lld FILE")
            };
        }
        if self.settings.lld_path.is_empty() {
            return Error::new("guard.toml does not set `[lld] path`")
                .help("add `path = \"docs/lld/LLD-{issue}.md\"` under [lld], or name a design: guard lint --lld FILE");
        }
        let issue = match self.issue() {
            Ok(issue) => issue,
            Err(error) => return error,
        };
        let Some(issue) = issue else {
            let where_from = match &self.inputs.branch {
                Some(branch) => {
                    format!(
                        "the branch name {} contains no issue number",
                        escaped(branch)
                    )
                }
                None if is_range => {
                    "neither the branch name nor a Guard-Design trailer names one".to_owned()
                }
                None => "HEAD is detached, so no branch name gives the issue".to_owned(),
            };
            return Error::new(format!("no design: {where_from}"))
                .help("name the branch after the issue, such as 188-enforce-paths")
                .help(format!("or {CHOOSE}"));
        };
        let patterns = design_selection::patterns(&self.settings, Some(&issue));
        let uncommitted = patterns.iter().find(|pattern| {
            !is_range
                && design_selection::is_literal(pattern)
                && self.in_work_tree(BStr::new(pattern.as_str())).is_some()
        });
        let error = Error::new(format!(
            "no design for issue {issue}: {} is not in {}",
            patterns.join(", "),
            if is_range { "the range" } else { "HEAD" }
        ));
        match uncommitted {
            Some(path) => error
                .help("commit the design first:")
                .help(add_and_commit(path.as_bytes())),
            None => error
                .help("write it and commit it first")
                .help(format!("or {CHOOSE}")),
        }
    }
}

pub(super) fn choice(path: BString, by: impl Into<ChosenBy>, by_hand: bool) -> Choice {
    Choice {
        path,
        by: by.into(),
        by_hand,
    }
}

fn matching(patterns: &[String], side: GitTree<'_>) -> Result<Vec<BString>> {
    let mut found = Vec::new();
    for pattern in patterns {
        if design_selection::is_literal(pattern) {
            let path = BString::from(pattern.as_str());
            let is_there = side.get(path.as_ref())?.is_some();
            found.extend(is_there.then_some(path));
        } else if let Ok(glob) = Glob::new(pattern.as_str().into()) {
            let below = side.files_below(design_selection::literal_directory(pattern).into())?;
            found.extend(below.into_iter().filter(|path| glob.matches(path.as_ref())));
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}
