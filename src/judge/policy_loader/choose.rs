//! Selects designs: by flag, by `guard use`, by the trailers of a range, or by settings and branch.

use std::collections::{BTreeMap, BTreeSet};

use gix::bstr::{BStr, BString, ByteSlice};

use super::{GitTree, Loader, add_and_commit};
use crate::change::Kind;
use crate::error::{Error, Result};
use crate::finding::Help;
use crate::git::Tree;
use crate::path::escaped;
use crate::policy::design_selection::FilledPattern;
use crate::policy::glob::{Glob, is_glob};
use crate::policy::path_placeholders::{NamedBy, PathNames};
use crate::policy::{ChosenBy, Stage, design_selection, settings};
use crate::rules;

const CHOOSE: &str =
    "choose a design: `guard use FILE` for this branch, or `--lld FILE` for this run";

/// The key below `branch.NAME` in git's configuration that holds the choice of `guard use`.
pub const CHOICE_KEY: &str = "guardDesign";

/// What reports say of a design that `guard use` chose.
pub const GUARD_USE: &str = "guard use";

/// A design to load and the reason it was selected.
pub(in crate::judge) struct Choice {
    pub(in crate::judge) path: BString,
    pub(in crate::judge) by: ChosenBy,
    /// Whether a flag or variable named it; the work tree may then stand in for a missing commit.
    pub(super) by_hand: bool,
    /// Whether guard found it among others, so that it may declare nothing.
    pub(in crate::judge) is_found: bool,
}

impl Loader<'_> {
    /// The designs of this branch, by the first method that names one.
    pub(super) fn choices(&self) -> Result<Vec<Choice>> {
        if !self.by_hand.is_empty() {
            let by = self.options.designs_from;
            let choices = self.by_hand.iter().map(|path| Choice {
                by_hand: true,
                ..choice(path.clone(), by)
            });
            let choices: Vec<Choice> = choices.collect();
            return match self.is_manual {
                true => Ok(choices),
                false => self.of_the_settings(choices),
            };
        }
        if let Some(branch) = &self.inputs.branch {
            let chosen = self.repo.branch_values(branch.as_ref(), CHOICE_KEY);
            if !chosen.is_empty() {
                return self.of_the_settings(self.chosen(chosen)?);
            }
        }
        if !self.inputs.trailers.is_empty() {
            return self.by_trailers();
        }
        self.by_settings()
    }

    /// The designs that `guard use` stored: files, and directories with a slash at the end.
    pub(super) fn chosen(&self, stored: Vec<BString>) -> Result<Vec<Choice>> {
        let mut choices = Vec::new();
        for path in stored {
            let Some(directory) = path.strip_suffix(b"/") else {
                choices.push(choice(path, GUARD_USE));
                continue;
            };
            let below = self.designs_below(directory.into())?;
            if below.is_empty() {
                return Err(Error::new(format!(
                    "no committed document below {} matches `[lld] path` or `standing`",
                    escaped(&path)
                ))
                .help("commit the designs first, or choose others: guard use FILE"));
            }
            choices.extend(below.into_iter().map(|path| Choice {
                is_found: true,
                ..choice(path, GUARD_USE)
            }));
        }
        Ok(choices)
    }

    fn designs_below(&self, directory: &BStr) -> Result<Vec<BString>> {
        for side in self.sides() {
            let mut found = side.files_below(directory)?;
            found.retain(|path| {
                let is_below = path.strip_prefix(directory.as_bytes());
                is_below.is_some_and(|rest| rest.starts_with(b"/"))
                    && design_selection::is_design(&self.settings, path.as_ref())
            });
            if !found.is_empty() {
                found.sort();
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// Refuses documents that the settings do not know: an agent could choose any old plan.
    pub(super) fn of_the_settings(&self, choices: Vec<Choice>) -> Result<Vec<Choice>> {
        let is_design =
            |choice: &&Choice| !design_selection::is_design(&self.settings, choice.path.as_ref());
        let Some(other) = choices.iter().find(is_design) else {
            return Ok(choices);
        };
        if !self.configured {
            let base = self.base_name();
            return Err(Error {
                message: format!("{base} has no guard.toml, so no document is a design"),
                ..self.why_no_design()
            });
        }
        Err(Error::new(format!(
            "{} (chosen by {}) does not match `[lld] path` or `standing` in guard.toml",
            escaped(&other.path),
            other.by
        ))
        .help("choose a design that matches, or add this one to the settings and commit guard.toml first"))
    }

    /// The design that `[lld] path` names: one document, or the documents of one directory.
    fn by_settings(&self) -> Result<Vec<Choice>> {
        let is_unnamed = self.inputs.stage == Stage::Range && self.inputs.branch.is_none();
        if let Some(path) = self.only_new_design().filter(|_| is_unnamed) {
            return Ok(vec![choice(path, "the range, which adds it")]);
        }
        let names = self.names()?;
        let entries = design_selection::filled(&self.settings, &names);
        for side in self.sides() {
            let found = self.on_side(&entries, &names, side)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        // The range may have added a design and moved it since.
        for commit in self.inputs.commits.iter().rev() {
            let tree = Tree::at(self.objects, commit.tree);
            let found = self.on_side(&entries, &names, GitTree::Tree(&tree))?;
            if !found.is_empty() {
                return self.where_moved(found);
            }
        }
        Ok(Vec::new())
    }

    /// The one design that the range adds.
    fn only_new_design(&self) -> Option<BString> {
        let mut added = self.changes.iter().filter(|change| {
            let path: &BStr = change.path.as_ref();
            let is_file = change.new.is_some_and(|state| state.kind == Kind::File);
            let is_standing = || {
                let mut standing = self.settings.standing.iter();
                standing.any(|pattern| {
                    design_selection::matches(design_selection::normal(pattern), path)
                })
            };
            let is_design = design_selection::is_design(&self.settings, path);
            change.old.is_none() && is_file && is_design && !is_standing()
        });
        let only = added.next()?;
        added.next().is_none().then(|| only.path.clone())
    }

    /// The branch: where a merge queue hides it, the one that the subject of its merge names.
    fn branch(&self) -> Option<BString> {
        self.inputs.branch.clone().or_else(|| {
            let last = self
                .inputs
                .commits
                .last()
                .filter(|last| last.parents.len() > 1)?;
            let subject = self.repo.headline(last.id).ok()?.subject;
            let subject = subject.to_str().ok()?;
            let branch = match subject.strip_prefix("Merge pull request #") {
                Some(rest) => rest.split_once(" from ")?.1.split_once('/')?.1,
                None => subject.strip_prefix("Merge branch '")?.split_once('\'')?.0,
            };
            Some(branch.into())
        })
    }

    /// The design that one side has.
    fn on_side(
        &self,
        entries: &[FilledPattern],
        names: &PathNames,
        side: GitTree<'_>,
    ) -> Result<Vec<Choice>> {
        let mut designs: BTreeMap<BString, (NamedBy, BTreeSet<BString>)> = BTreeMap::new();
        for entry in entries {
            for path in self.first_matching(entry, side)? {
                let key = design_selection::design_of(&self.settings, path.as_ref());
                let design = designs.entry(key).or_insert((entry.by, BTreeSet::new()));
                design.1.insert(path);
            }
        }
        if designs.len() > 1 {
            let all = designs.values().flat_map(|(_, paths)| paths);
            let all: Vec<String> = all.map(|path| escaped(path).to_string()).collect();
            return Err(Error::new(format!("more than one design applies: {}", all.join(", ")))
                .help("choose with `guard use FILE` for this branch, or `--lld FILE` (repeat it for a union)"));
        }
        let Some((by, paths)) = designs.into_values().next() else {
            return Ok(Vec::new());
        };
        let by = reason(by, names);
        let is_found = paths.len() > 1;
        let choice = |path| Choice {
            is_found,
            ..choice(path, by.as_str())
        };
        Ok(paths.into_iter().map(choice).collect())
    }

    /// Follows designs that the range itself added and then moved to where they are at its end: a new Markdown file
    /// of the same name. Without such a file they stay as they are.
    fn where_moved(&self, mut choices: Vec<Choice>) -> Result<Vec<Choice>> {
        let name = |path: &BString| path.rsplit(|&byte| byte == b'/').next().map(<[u8]>::to_vec);
        for choice in &mut choices {
            let path: &BStr = choice.path.as_ref();
            let [one, other] = self.sides();
            let is_there = one.get(path)?.or(other.get(path)?).is_some();
            let commits = self.inputs.commits.iter();
            let mut trees = commits.map(|commit| Tree::at(self.objects, commit.tree));
            let was_there = |tree: Tree<'_>| tree.get(path).is_ok_and(|state| state.is_some());
            if is_there || !trees.any(was_there) {
                continue;
            }
            let to = self.changes.iter().find(|change| {
                change.old.is_none()
                    && change.new.is_some_and(|state| state.kind == Kind::File)
                    && change.path.ends_with(b".md")
                    && name(&change.path) == name(&choice.path)
            });
            if let Some(to) = to {
                choice.path = to.path.clone();
            }
        }
        Ok(choices)
    }

    /// The documents of the first pattern that matches any.
    fn first_matching(&self, entry: &FilledPattern, side: GitTree<'_>) -> Result<Vec<BString>> {
        for pattern in &entry.tries {
            let mut found = matching(pattern, side)?;
            found.retain(|path| design_selection::is_design(&self.settings, path.as_ref()));
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// What fills the placeholders of `[lld] path`.
    pub(super) fn names(&self) -> Result<PathNames> {
        Ok(PathNames {
            issue: self.issue()?,
            branch: self
                .branch()
                .and_then(|branch| Some(branch.to_str().ok()?.to_owned())),
        })
    }

    /// The issue in the branch name, if the settings select designs by issue.
    ///
    /// # Errors
    /// The name contains several issues, and guard does not guess.
    pub(super) fn issue(&self) -> Result<Option<String>> {
        let Some(branch) = &self.branch() else {
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

    /// The standing designs. A person who chose some of those that a pattern matches left out the others.
    pub(super) fn standing(&mut self, own: &[Choice]) -> Result<Vec<Choice>> {
        let mut choices = Vec::new();
        for pattern in self.settings.standing.clone() {
            let pattern = design_selection::normal(&pattern);
            let is_one = |choice: &Choice| {
                let by_person = choice.by_hand || choice.by == ChosenBy::from(GUARD_USE);
                by_person && design_selection::matches(pattern, choice.path.as_ref())
            };
            if own.iter().any(is_one) {
                continue;
            }
            let found = self.matching(pattern)?;
            if found.is_empty() {
                self.notes
                    .push(format!("no standing design matches {}", escaped(pattern)));
            }
            choices.extend(found.into_iter().map(|path| Choice {
                is_found: is_glob(pattern.into()),
                ..choice(path, ChosenBy::Standing)
            }));
        }
        Ok(choices)
    }

    /// A commit may select one of the configured designs, but not turn any document into a design.
    fn by_trailers(&self) -> Result<Vec<Choice>> {
        let choices = self.inputs.trailers.iter().map(|(path, commit)| {
            let by = format!("Guard-Design trailer of {}", commit.to_hex_with_len(12));
            choice(path.clone(), by.as_str())
        });
        self.where_moved(self.of_the_settings(choices.collect())?)
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
            let what = match self.settings.standing.is_empty() {
                true => "guard.toml does not set `[lld] path`".to_owned(),
                false => format!("no design: nothing in {base} matches `[lld] standing`"),
            };
            return Error::new(what)
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
            return ways(format!("no design: {what}"), " NAME").help(other_branch);
        }
        let work = match (&names.issue, &names.branch) {
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
        match self.uncommitted().first().filter(|_| !is_range) {
            Some(choice) => Error::new(what)
                .help("commit the design first:")
                .help(add_and_commit(&choice.path)),
            None => ways(what, ""),
        }
    }

    /// Why nothing fills a placeholder.
    fn missing_name(&self, by: NamedBy) -> String {
        let is_range = self.inputs.stage == Stage::Range;
        match (by, &self.inputs.branch) {
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
            (_, None) => "HEAD is detached, so no branch name gives the path".to_owned(),
        }
    }
}

/// An error with the ways to get a design; `name` is an argument that the new one needs.
fn ways(what: String, name: &str) -> Error {
    Error::new(what)
        .help(format!(
            "write a design for this branch: guard scope new{name}"
        ))
        .help("or choose one: guard use FILE")
}

pub(super) fn choice(path: BString, by: impl Into<ChosenBy>) -> Choice {
    Choice {
        path,
        by: by.into(),
        by_hand: false,
        is_found: false,
    }
}

fn reason(by: NamedBy, names: &PathNames) -> String {
    let text = |name: &Option<String>| name.clone().unwrap_or_default();
    match by {
        NamedBy::Settings => settings::FILE.to_owned(),
        NamedBy::Issue => format!("issue {} in the branch name", text(&names.issue)),
        NamedBy::Branch => format!("branch name {}", escaped(&text(&names.branch))),
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
