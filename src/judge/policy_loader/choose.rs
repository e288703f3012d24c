//! Selects designs: by flag, by `guard use`, by the trailers of a range, or by settings and branch.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use gix::bstr::{BStr, BString, ByteSlice};

use super::{GitTree, Loader, add_and_commit};
use crate::error::{Error, Result};
use crate::finding::Help;
use crate::path::escaped;
use crate::policy::design_selection::FilledPattern;
use crate::policy::glob::{Glob, is_glob};
use crate::policy::path_placeholders::{self, NamedBy, PathNames};
use crate::policy::{ChosenBy, Stage, design_selection, pointer, settings};
use crate::rules;

const CHOOSE: &str =
    "choose a design: `guard use FILE` for this branch, or `--lld FILE` for this run";

/// The key below `branch.NAME` in git's configuration that holds the choice of `guard use`.
pub const CHOICE_KEY: &str = "guardDesign";

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
        if let Some(branch) = &self.inputs.branch {
            let chosen = self.repo.branch_values(branch.as_ref(), CHOICE_KEY);
            if !chosen.is_empty() {
                let chosen = chosen.into_iter();
                return Ok(chosen
                    .map(|path| choice(path, "guard use", false))
                    .collect());
            }
        }
        if !self.inputs.trailers.is_empty() {
            return self.by_trailers();
        }
        self.by_settings()
    }

    /// The design that `[lld] path` names: one document, or the documents of one directory.
    fn by_settings(&self) -> Result<Vec<Choice>> {
        let names = self.names()?;
        let (pointed, others): (Vec<_>, Vec<_>) = design_selection::filled(&self.settings, &names)
            .into_iter()
            .partition(|filled| filled.by == NamedBy::Pointer);
        // A pointer may be stale; a branch name is not.
        for entries in [others, pointed] {
            for side in self.sides() {
                let mut designs = BTreeMap::new();
                for entry in &entries {
                    self.add_matching(entry, side, &mut designs)?;
                }
                let mut found = designs.into_values();
                let Some((by, paths)) = found.next() else {
                    continue;
                };
                let others: Vec<BString> = found.flat_map(|(_, paths)| paths).collect();
                if !others.is_empty() {
                    let all = paths.iter().chain(&others);
                    let all: Vec<String> = all.map(|path| escaped(path).to_string()).collect();
                    return Err(Error::new(format!(
                        "more than one design applies: {}",
                        all.join(", ")
                    ))
                    .help("choose with `guard use FILE` for this branch, or `--lld FILE` (repeat it for a union)"));
                }
                let by = self.reason(by, &names);
                let paths = paths.into_iter();
                return Ok(paths.map(|path| choice(path, by.as_str(), false)).collect());
            }
        }
        Ok(Vec::new())
    }

    /// Adds the documents of the first pattern that matches any. The documents of a set share the key of their
    /// directory.
    fn add_matching(
        &self,
        entry: &FilledPattern,
        side: GitTree<'_>,
        designs: &mut BTreeMap<BString, (NamedBy, BTreeSet<BString>)>,
    ) -> Result<()> {
        for pattern in &entry.tries {
            let mut found = matching(pattern, side)?;
            found.retain(|path| design_selection::is_design(&self.settings, path.as_ref()));
            if entry.by == NamedBy::Pointer {
                found = open_plans(found, side)?;
            }
            if found.is_empty() {
                continue;
            }
            let is_set = path_placeholders::is_set(pattern);
            for path in found {
                let slash = path.rfind_byte(b'/').map_or(0, |slash| slash + 1);
                let key = match is_set {
                    true => path[..slash].into(),
                    false => path.clone(),
                };
                let (_, paths) = designs.entry(key).or_insert((entry.by, BTreeSet::new()));
                paths.insert(path);
            }
            break;
        }
        Ok(())
    }

    fn reason(&self, by: NamedBy, names: &PathNames) -> String {
        let text = |name: &Option<String>| name.clone().unwrap_or_default();
        match by {
            NamedBy::Settings => settings::FILE.to_owned(),
            NamedBy::Issue => format!("issue {} in the branch name", text(&names.issue)),
            NamedBy::Branch => format!("branch name {}", escaped(&text(&names.branch))),
            NamedBy::Pointer => self.pointer_file().unwrap_or_default().to_owned(),
        }
    }

    /// What fills the placeholders of `[lld] path`.
    pub(super) fn names(&self) -> Result<PathNames> {
        let branch = self.inputs.branch.as_ref();
        Ok(PathNames {
            issue: self.issue()?,
            branch: branch.and_then(|branch| Some(branch.to_str().ok()?.to_owned())),
            pointer: self.pointed()?,
        })
    }

    fn pointer_file(&self) -> Option<&str> {
        let pointer = self.settings.lld_pointer.as_deref()?;
        Some(design_selection::normal(pointer))
    }

    /// What the pointer file names on the side whose designs apply: a change that moves the pointer is not judged by
    /// the plan that it points to.
    fn pointed(&self) -> Result<Option<String>> {
        let Some(file) = self.pointer_file() else {
            return Ok(None);
        };
        let Some(read) = pointer::reader(file) else {
            return Err(Error::new(format!(
                "guard cannot read the pointer {} of `[lld] pointer`",
                escaped(file)
            ))
            .help(
                "guard reads feature.json (spec-kit), sprint-status.yaml (BMAD) and STATE.md (GSD)",
            ));
        };
        let path = BStr::new(file);
        let text = match self.head_governs() {
            true => self.proposed(path)?,
            false => self.base.read(path)?,
        };
        Ok(text.and_then(|text| read(text.to_str().ok()?)))
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
        design_selection::is_standing(&self.settings, path)
    }

    pub(super) fn standing(&mut self) -> Result<Vec<Choice>> {
        let mut choices = Vec::new();
        for pattern in self.settings.standing.clone() {
            let found = self.matching(design_selection::normal(&pattern))?;
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
    fn matching(&self, pattern: &str) -> Result<Vec<BString>> {
        let [first, second] = self.sides();
        let found = matching(pattern, first)?;
        if found.is_empty() {
            return matching(pattern, second);
        }
        Ok(found)
    }

    /// The side whose designs apply, then the other one.
    fn sides(&self) -> [GitTree<'_>; 2] {
        let base = GitTree::Tree(&self.base);
        match self.head_governs() {
            true => [self.inputs.proposal, base],
            false => [base, self.inputs.proposal],
        }
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
        let names = match self.names() {
            Ok(names) => names,
            Err(error) => return error,
        };
        let filled = design_selection::filled(&self.settings, &names);
        let tries: Vec<&String> = filled.iter().flat_map(|one| &one.tries).collect();
        if tries.is_empty() {
            let by = filled.iter().map(|one| one.by).min();
            let what = self.missing_name(by.unwrap_or(NamedBy::Settings));
            let other_branch = match design_selection::needs_issue(&self.settings) {
                true => {
                    "or name the branch after an issue that has a design: git switch -c 188-enforce-paths"
                }
                false => "or name the branch after its plan, and commit the plan first",
            };
            return self.ways(format!("no design: {what}"), other_branch);
        }
        let on_disk = |path: &String| self.in_work_tree(BStr::new(path.as_str())).is_some();
        let uncommitted: Vec<String> = match is_range {
            true => Vec::new(),
            false => tries
                .iter()
                .flat_map(|pattern| path_placeholders::literal_paths(pattern))
                .filter(on_disk)
                .collect(),
        };
        let is_pointed = filled
            .iter()
            .all(|one| one.by == NamedBy::Pointer || one.tries.is_empty());
        let work = match (&names.issue, &names.branch) {
            _ if is_pointed => format!(" by {}", escaped(self.pointer_file().unwrap_or_default())),
            (Some(issue), _) => format!(" for issue {issue}"),
            (None, Some(branch)) => format!(" for branch {}", escaped(branch)),
            (None, None) => String::new(),
        };
        let first = filled.iter().filter_map(|one| one.tries.first());
        let first: Vec<String> = first.map(|pattern| escaped(pattern).to_string()).collect();
        let what = format!(
            "no design{work}: {} is not in {}",
            first.join(", "),
            if is_range { "the range" } else { "HEAD" }
        );
        match uncommitted.first() {
            Some(path) => Error::new(what)
                .help("commit the design first:")
                .help(add_and_commit(path.as_bytes())),
            None => self.ways(what, "or write it and commit it first"),
        }
    }

    /// Why nothing fills a placeholder.
    fn missing_name(&self, by: NamedBy) -> String {
        let is_range = self.inputs.stage == Stage::Range;
        match (by, &self.inputs.branch) {
            (NamedBy::Pointer, _) => format!(
                "{} names no single plan in progress",
                escaped(self.pointer_file().unwrap_or("`[lld] pointer`"))
            ),
            (NamedBy::Branch, Some(branch)) => format!(
                "the branch name {} cannot be part of a path",
                escaped(branch)
            ),
            (_, Some(branch)) => format!(
                "the branch name {} contains no issue number",
                escaped(branch)
            ),
            (_, None) if is_range => {
                "neither the branch name nor a Guard-Design trailer names one".to_owned()
            }
            (NamedBy::Branch, None) => {
                "HEAD is detached, so no branch name gives the path".to_owned()
            }
            (_, None) => "HEAD is detached, so no branch name gives the issue".to_owned(),
        }
    }

    /// An error with the three legitimate ways to go on, in the order in which to consider them.
    fn ways(&self, what: String, other_branch: &str) -> Error {
        let standing = match self.settings.standing.first() {
            Some(standing) => escaped(standing).to_string(),
            None => "a design under `[lld] standing`".to_owned(),
        };
        Error::new(what)
            .help(format!(
                "for a bump, formatting or a release, name its files in {standing}"
            ))
            .help("or choose a design for this branch (without FILE: list the open ones): guard use FILE")
            .help(other_branch)
    }
}

pub(super) fn choice(path: BString, by: impl Into<ChosenBy>, by_hand: bool) -> Choice {
    Choice {
        path,
        by: by.into(),
        by_hand,
    }
}

/// The matching files of one side, in path order.
fn matching(pattern: &str, side: GitTree<'_>) -> Result<Vec<BString>> {
    if !is_glob(pattern.into()) {
        let path = BString::from(pattern);
        let is_there = side.get(path.as_ref())?.is_some();
        return Ok(is_there.then_some(path).into_iter().collect());
    }
    let Ok(glob) = Glob::new(pattern.into()) else {
        return Ok(Vec::new());
    };
    let mut found = side.files_below(design_selection::literal_directory(pattern).into())?;
    found.retain(|path| glob.matches(path.as_ref()));
    found.sort();
    Ok(found)
}

/// The plans that GSD has not finished: a finished one has a summary beside it.
fn open_plans(mut plans: Vec<BString>, side: GitTree<'_>) -> Result<Vec<BString>> {
    let mut open = Vec::with_capacity(plans.len());
    for plan in plans.drain(..) {
        let summary = design_selection::summary_of(plan.as_ref());
        let is_finished = match summary {
            Some(summary) => side.get(summary.as_ref())?.is_some(),
            None => false,
        };
        if !is_finished {
            open.push(plan);
        }
    }
    Ok(open)
}
