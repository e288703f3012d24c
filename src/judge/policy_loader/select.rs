//! Selects designs: by flag, by `guard use`, by the trailers of a range, or by settings and branch. Reads none of them.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use gix::bstr::{BStr, BString, ByteSlice};

use super::{Loader, is_new_file, new_documents, of_head};
use crate::judge::Options;
use crate::judge::facts::JudgementFacts;
use crate::judge::tree_view::in_repository;
use write_guard_policy::change::Change;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::{escaped, escaped_list};
use write_guard_policy::policy::{self, BranchDesigns, ChosenBy, DonePlan, FilledPattern, Stage};
use write_guard_policy::scope::done;
use write_guard_policy::scope::glob::{Glob, directory_above, is_glob};
use write_guard_policy::scope::path_placeholders::{self, PathNames};
use write_guard_policy::scope::settings::{self, Settings};
use write_guard_policy::trailer;
use write_guard_repo::{Repository, Tree, changes_between};

/// The key below `branch.NAME` in git's configuration that holds the choice of `guard use`.
pub const CHOICE_KEY: &str = "guardDesign";

/// A design to load and the reason it was selected.
pub(in crate::judge) struct Choice {
    pub(in crate::judge) path: BString,
    pub(in crate::judge) by: ChosenBy,
    /// Whether guard found it among others, so that it may declare nothing.
    pub(in crate::judge) is_found: bool,
}

impl Choice {
    fn new(path: impl Into<BString>, by: ChosenBy, is_found: bool) -> Choice {
        Choice {
            path: path.into(),
            by,
            is_found,
        }
    }
}

impl Loader<'_, '_> {
    /// The designs of this branch: by the first method that names one, and of a range those that its commits name.
    pub(super) fn choices(&mut self) -> Result<Vec<Choice>> {
        if !self.by_hand.is_empty() {
            let by = ChosenBy::Caller(self.options.designs_from);
            let paths = self.by_hand.iter();
            let choices = paths.map(|path| Choice::new(path.clone(), by.clone(), false));
            let choices = choices.collect();
            return if self.options.in_hook {
                self.of_the_settings(choices)
            } else {
                Ok(choices)
            };
        }
        let named = self.by_trailers()?;
        let own = match self.stored() {
            stored if stored.is_empty() => self.by_settings(),
            stored => self
                .chosen(stored)
                .and_then(|own| self.of_the_settings(own)),
        };
        let mut own = match own {
            // A branch name that says too much leaves the choice to the commits.
            Err(_) if !named.is_empty() => Vec::new(),
            own => own?,
        };
        for choice in named {
            if own.iter().all(|known| known.path != choice.path) {
                own.push(choice);
            }
        }
        Ok(own)
    }

    /// The choice of `guard use` for this branch.
    fn stored(&self) -> Vec<BString> {
        let branch = self.facts.branch.as_ref();
        branch.map_or_else(Vec::new, |branch| {
            self.facts.repo.branch_values(branch.as_ref(), CHOICE_KEY)
        })
    }

    /// The designs that the commits of a range name, each by the first commit that does. One that is gone, such as that
    /// of a cherry-picked commit, only gets a note.
    fn by_trailers(&mut self) -> Result<Vec<Choice>> {
        let (mut known, mut named) = (HashSet::new(), Vec::new());
        for commit in self.facts.commits {
            for path in trailer::values(&commit.trailers, trailer::DESIGN) {
                if known.insert(path) {
                    named.push(Choice::new(path, ChosenBy::Trailer(commit.id), false));
                }
            }
        }
        let mut here = Vec::new();
        for choice in named {
            let path = choice.path.clone();
            // A commit may select one of the configured designs, but not turn any document into a design.
            let choice = if self.is_design(&path) {
                self.where_moved(vec![choice])?
            } else if self.is_on_a_side(path.as_ref())? {
                self.of_the_settings(vec![choice])?
            } else {
                vec![choice]
            };
            for one in choice {
                if self.is_on_a_side(one.path.as_ref())? {
                    here.push(one);
                    continue;
                }
                let (shown, commit) = (escaped(&path), one.by.commit());
                self.policy.notes.push(format!(
                    "{shown}, which commit {commit} names, is not there, so it allows nothing here"
                ));
            }
        }
        Ok(here)
    }

    fn is_on_a_side(&self, path: &BStr) -> Result<bool> {
        let [one, other] = self.sides();
        Ok(one.get(path)?.or(other.get(path)?).is_some())
    }

    /// The designs that `guard use` stored: files, and directories with a slash at the end.
    fn chosen(&self, stored: Vec<BString>) -> Result<Vec<Choice>> {
        let mut choices = Vec::new();
        for path in stored {
            let Some(directory) = path.strip_suffix(b"/") else {
                choices.push(Choice::new(path, ChosenBy::GuardUse, false));
                continue;
            };
            let below = self.first_found(|side| {
                let mut found = side.files_below(directory.into())?;
                found.retain(|file| file.starts_with(&path) && self.is_design(file));
                found.sort();
                Ok(found)
            })?;
            if below.is_empty() {
                let wanted = "matches `[lld] path` or `standing`";
                let message = format!("no committed document below {} {wanted}", escaped(&path));
                return Err(Error::new(message)
                    .help("commit the designs first, or choose others: guard use FILE"));
            }
            for document in below {
                choices.push(Choice::new(document, ChosenBy::GuardUse, true));
            }
        }
        Ok(choices)
    }

    /// Refuses documents that the settings do not know: an agent could choose any old plan.
    fn of_the_settings(&self, choices: Vec<Choice>) -> Result<Vec<Choice>> {
        let Some(other) = choices.iter().find(|choice| !self.is_design(&choice.path)) else {
            return Ok(choices);
        };
        if !self.configured {
            return Err(self.no_design());
        }
        Err(Error::new(format!(
            "{} (chosen by {}) does not match `[lld] path` or `standing` in guard.toml",
            escaped(&other.path),
            other.by
        ))
        .help("choose a design that matches, or add this one to the settings and commit guard.toml first"))
    }

    pub(super) fn is_design(&self, path: &BString) -> bool {
        policy::is_design(&self.policy.settings, path.as_ref())
    }

    /// The design that `[lld] path` names: one document, or the documents of one directory. Where it leaves several or none,
    /// the one that this branch adds.
    fn by_settings(&self) -> Result<Vec<Choice>> {
        let found = self.by_names();
        let is_clear = found.as_ref().is_ok_and(|found| !found.is_empty());
        if is_clear || !self.configured {
            return found;
        }
        match found {
            Ok(_) => self.only_added(self.added_designs()?),
            Err(several) => {
                let candidates = self.named_by_settings();
                let mut added = self.added_designs()?;
                added.retain(|path| candidates.is_empty() || candidates.contains(path));
                match self.only_added(added) {
                    Ok(only) if !only.is_empty() => Ok(only),
                    _ => Err(several),
                }
            }
        }
    }

    /// The design that the names of the branch give.
    fn by_names(&self) -> Result<Vec<Choice>> {
        let names = self.names()?;
        let entries = policy::filled_patterns(&self.policy.settings, &names);
        let found = self.first_found(|side| self.on_side(&entries, side))?;
        if !found.is_empty() {
            return Ok(found);
        }
        // The range may have added a design and moved it since.
        for tree in self.trees_of_commits().rev() {
            let added = self.on_side(&entries, &tree)?;
            if !added.is_empty() {
                return self.where_moved(added);
            }
        }
        Ok(Vec::new())
    }

    fn trees_of_commits(&self) -> impl DoubleEndedIterator<Item = Tree<'_>> {
        let commits = self.facts.commits.iter();
        commits.map(|commit| Tree::at(self.facts.repo.objects(), commit.tree))
    }

    /// The designs that this branch adds: those of its commits or, where they add none, those that a commit is about to
    /// add. Where the branch began is unknown, there are none of the former, and the latter would be forgotten at once.
    fn added_designs(&self) -> Result<Vec<BString>> {
        if self.facts.stage == Stage::Range {
            return Ok(self.new_designs(&self.facts.changes));
        }
        let (repo, target) = (self.facts.repo, self.policy.settings.base.as_deref());
        let Some((_, first)) = self.facts.base.merge_base(repo, target)? else {
            return Ok(Vec::new());
        };
        let earlier = changes_between(repo.objects(), first.id(), self.base().id())?;
        Ok(match self.new_designs(&earlier) {
            added if added.is_empty() => self.new_designs(&self.facts.changes),
            added => added,
        })
    }

    /// The designs that changes add, without standing ones.
    pub(super) fn new_designs(&self, changes: &[Change]) -> Vec<BString> {
        let is_new = |change: &&Change| {
            let path: &BStr = change.path.as_ref();
            is_new_file(change)
                && policy::is_design(&self.policy.settings, path)
                && !policy::is_standing(&self.policy.settings, path)
        };
        let new = changes.iter().filter(is_new);
        new.map(|change| change.path.clone()).collect()
    }

    /// The only design among those that the branch adds; its documents may be several.
    fn only_added(&self, added: Vec<BString>) -> Result<Vec<Choice>> {
        let mut open = Vec::new();
        for path in added {
            if self.is_open(&path)? {
                open.push(path);
            }
        }
        self.refuse_several(&open)?;
        let is_found = open.len() > 1;
        let choice = |path| Choice::new(path, ChosenBy::AddedByBranch, is_found);
        Ok(open.into_iter().map(choice).collect())
    }

    /// Refuses to choose between different designs.
    fn refuse_several<'p>(
        &self,
        found: impl IntoIterator<Item = &'p BString> + Clone,
    ) -> Result<()> {
        let key = |path: &BString| policy::design_of(&self.policy.settings, path.as_ref());
        let keys: HashSet<BString> = found.clone().into_iter().map(key).collect();
        if keys.len() <= 1 {
            return Ok(());
        }
        let all: Vec<&BString> = found.into_iter().collect();
        let error = Error::new(format!(
            "more than one design applies: {}",
            escaped_list(&all)
        ));
        Err(self.how_to_choose(error, all.first().copied()))
    }

    /// All documents that the names of the branch give, on either side.
    fn named_by_settings(&self) -> Vec<BString> {
        let names = self.names().unwrap_or_default();
        let entries = policy::filled_patterns(&self.policy.settings, &names);
        let patterns = entries.iter().flat_map(|entry| &entry.tries);
        let mut all = Vec::new();
        for pattern in patterns {
            for side in self.sides() {
                all.extend(matching(pattern.as_str().into(), side).unwrap_or_default());
            }
        }
        all
    }

    /// The design that one side has.
    fn on_side(&self, entries: &[FilledPattern], side: &Tree<'_>) -> Result<Vec<Choice>> {
        let mut found = BTreeSet::new();
        let mut by = None;
        for entry in entries {
            for pattern in &entry.tries {
                let mut paths = Vec::new();
                for path in matching(pattern.as_str().into(), side)? {
                    if self.is_design(&path) && self.is_open(&path)? {
                        paths.push(path);
                    }
                }
                if !paths.is_empty() {
                    by.get_or_insert(&entry.by);
                    found.extend(paths);
                    break;
                }
            }
        }
        self.refuse_several(&found)?;
        let Some(by) = by else {
            return Ok(Vec::new());
        };
        let is_found = found.len() > 1;
        let by = match (by, self.made_from()) {
            (ChosenBy::Issue(_) | ChosenBy::BranchName(_), Some(branch)) => {
                ChosenBy::MadeFrom(branch)
            }
            (by, _) => by.clone(),
        };
        let choice = |path| Choice::new(path, by.clone(), is_found);
        Ok(found.into_iter().map(choice).collect())
    }

    /// Follows designs that the range itself added and then moved to where they are at its end: a new Markdown file
    /// of the same name, in a place for designs, for those that are done, or for what a framework writes beside them.
    /// Without such a file they stay as they are.
    fn where_moved(&self, mut choices: Vec<Choice>) -> Result<Vec<Choice>> {
        for choice in &mut choices {
            let path: &BStr = choice.path.as_ref();
            let is_there = self.is_on_a_side(path)?;
            let was_there = |tree: Tree<'_>| tree.get(path).is_ok_and(|state| state.is_some());
            if is_there || !self.trees_of_commits().any(was_there) {
                continue;
            }
            let settings = &self.policy.settings;
            let mut moved = new_documents(&self.facts.changes, &choice.path);
            if let Some(to) = moved.find(|to| {
                self.is_design(to)
                    || done::is_sign(to.as_bstr(), &settings.done)
                    || settings.always.contains(to.as_bstr())
            }) {
                choice.path = to.clone();
            }
        }
        Ok(choices)
    }

    /// The branch whose designs apply, if the work tree's own branch is another one that was made from it.
    fn made_from(&self) -> Option<BString> {
        let own = self.facts.repo.branch().ok()??.name;
        let applies = self.facts.branch.clone()?;
        let repo = self.facts.repo;
        (own != applies && repo.design_branch_of(own.as_ref()).as_ref() == Some(&applies))
            .then_some(applies)
    }

    /// What fills the placeholders of `[lld] path`.
    ///
    /// # Errors
    /// The branch name contains several issues, and guard does not guess.
    pub(super) fn names(&self) -> Result<PathNames> {
        let branch = self.facts.branch.clone().or_else(|| self.queued_branch());
        let settings = &self.policy.settings;
        let mut issues = match &branch {
            Some(branch) if policy::needs_issue(settings) => {
                policy::issues_of(settings, branch.as_ref())
            }
            _ => Vec::new(),
        };
        if let (Some(branch), true) = (&branch, issues.len() > 1) {
            let error = Error::new(format!(
                "the branch name {} contains several issues: {}",
                escaped(branch),
                issues.join(", ")
            ));
            return Err(self.how_to_choose(error, None));
        }
        Ok(PathNames {
            issue: issues.pop(),
            branch: branch.and_then(|branch| Some(branch.to_str().ok()?.to_owned())),
        })
    }

    /// The branch that a merge queue hides: the subject of its merge names it.
    fn queued_branch(&self) -> Option<BString> {
        let last = self.facts.commits.last()?;
        if self.facts.stage != Stage::Range || last.parents.len() < 2 {
            return None;
        }
        let subject = self.facts.repo.headline(last.id).ok()?.subject;
        let subject = subject.to_str().ok()?;
        let branch = match subject.strip_prefix("Merge pull request #") {
            Some(rest) => rest.split_once(" from ")?.1.split_once('/')?.1,
            None => subject.strip_prefix("Merge branch '")?.split_once('\'')?.0,
        };
        Some(branch.into())
    }

    /// The standing designs. A person who chose some of those that a pattern matches left out the others.
    pub(super) fn standing(&self, own: &[Choice]) -> Result<Vec<Choice>> {
        let mut choices = Vec::new();
        for pattern in &self.policy.settings.standing {
            let pattern = policy::normal_pattern(pattern);
            let is_one = |choice: &Choice| {
                let by_person =
                    self.by_hand.contains(&choice.path) || choice.by == ChosenBy::GuardUse;
                by_person && policy::pattern_matches(pattern, choice.path.as_ref())
            };
            if own.iter().any(is_one) {
                continue;
            }
            let found = self.first_found(|side| matching(pattern.into(), side))?;
            let is_found = is_glob(pattern.into());
            let found = found.into_iter();
            choices.extend(found.map(|path| Choice::new(path, ChosenBy::Standing, is_found)));
        }
        Ok(choices)
    }

    /// The designs of this branch, which a request may change.
    pub(super) fn designs_of_branch(&self, choices: &[Choice]) -> BranchDesigns {
        let selected = choices.iter().map(|choice| choice.path.clone()).collect();
        // A branch name with several issues names no document.
        let names = self.names();
        let filled = names.map(|names| policy::filled_patterns(&self.policy.settings, &names));
        let filled = filled.unwrap_or_default();
        let patterns = filled.into_iter().flat_map(|one| one.tries).collect();
        BranchDesigns { selected, patterns }
    }

    /// What the governing side has or, if that has none, the other side.
    fn first_found<T>(&self, find: impl Fn(&Tree<'_>) -> Result<Vec<T>>) -> Result<Vec<T>> {
        let [first, second] = self.sides();
        match find(first)? {
            found if found.is_empty() => find(second),
            found => Ok(found),
        }
    }

    /// The side whose designs apply, then the other one.
    fn sides(&self) -> [&Tree<'_>; 2] {
        if self.head_governs() {
            [&self.facts.result, self.base()]
        } else {
            [self.base(), &self.facts.result]
        }
    }

    /// Documents of this branch that only the work tree has.
    pub(super) fn uncommitted(&self) -> Vec<Choice> {
        let names = self.names().unwrap_or_default();
        let entries = policy::filled_patterns(&self.policy.settings, &names).into_iter();
        let tries = entries.flat_map(|entry| entry.tries);
        let paths = tries.flat_map(|pattern| path_placeholders::literal_paths(&pattern));
        let is_there = |path: &String| {
            let file = self.file(BStr::new(path.as_str()));
            file.is_some_and(|file| file.is_file())
        };
        let choice = |path| Choice::new(path, ChosenBy::WorkTree, false);
        paths.filter(is_there).map(choice).collect()
    }
}

/// The matching files of one side, in path order.
pub(super) fn matching(pattern: &BStr, side: &Tree<'_>) -> Result<Vec<BString>> {
    if !is_glob(pattern) {
        let is_there = side.get(pattern)?.is_some();
        return Ok(is_there.then(|| pattern.to_owned()).into_iter().collect());
    }
    let files = side.files_below(directory_above(pattern))?;
    let mut found = matching_among(pattern, &files);
    found.sort();
    Ok(found)
}

/// The files that match a glob.
pub(in crate::judge) fn matching_among(glob: &BStr, files: &[BString]) -> Vec<BString> {
    let Ok(glob) = Glob::new(glob) else {
        return Vec::new();
    };
    let matching = files.iter().filter(|path| glob.matches(path.as_bstr()));
    matching.cloned().collect()
}

/// The documents to lint, usable or not.
pub(in crate::judge) struct LocatedDesigns {
    /// HEAD's settings or, if it has none, those about to be committed.
    pub(in crate::judge) settings: Settings,
    /// The designs of this branch, or why there is none.
    pub(in crate::judge) own: Result<Vec<Choice>>,
    pub(in crate::judge) standing: Vec<Choice>,
    /// Those named by flag or variable.
    pub(in crate::judge) by_hand: Vec<BString>,
    /// The plans that would be among them, but are done.
    pub(in crate::judge) done: Vec<DonePlan>,
}

/// Locates the designs of the branch in HEAD, index and work tree, without reading them.
///
/// # Errors
/// Settings that cannot be used, or an object that cannot be read.
pub(in crate::judge) fn locate(repo: &Repository, options: &Options) -> Result<LocatedDesigns> {
    locate_with(repo, None, options, &[])
}

/// The same with `tree` as what the next commit has, and with those of `others` that are done.
///
/// # Errors
/// As for [`locate`].
pub(in crate::judge) fn locate_with(
    repo: &Repository,
    tree: Option<Tree<'_>>,
    options: &Options,
    others: &[BString],
) -> Result<LocatedDesigns> {
    let result = tree.map_or_else(|| repo.tree_of(None), Ok)?;
    let facts = JudgementFacts::new(repo, Stage::Commit, repo.head_commit()?, result)?;
    let mut loader = Loader::new(&facts, options)?;
    // Before the first settings are committed, the coming ones apply.
    let file = BStr::new(settings::FILE);
    if !loader.configured
        && let Some(text) = facts
            .result
            .read(file)?
            .or_else(|| loader.in_work_tree(file))
    {
        loader.policy.settings = settings::parse(&text)?;
        loader.configured = true;
    }
    let own = loader.choices();
    let standing = loader.standing(own.as_deref().unwrap_or_default())?;
    let mut own = own.and_then(|own| loader.own_open_ones(own));
    let standing = loader.open_ones(standing)?;
    for other in others {
        loader.is_open(other)?;
    }
    if own.as_ref().is_ok_and(Vec::is_empty) {
        let uncommitted = loader.uncommitted();
        own = if uncommitted.is_empty() && standing.is_empty() {
            Err(loader.no_design())
        } else {
            Ok(uncommitted)
        };
    }
    Ok(LocatedDesigns {
        settings: loader.policy.settings,
        own,
        standing,
        by_hand: loader.by_hand,
        done: loader.done.into_inner(),
    })
}

/// Reads the designs at these paths, which are relative to the current directory. A directory stands for every
/// readable design below it.
///
/// # Errors
/// A path is outside the repository, is missing, is no design by the settings, or grants nothing.
pub fn candidates(repo: &Repository, paths: &[PathBuf]) -> Result<Vec<BString>> {
    let (facts, options) = (of_head(repo)?, Options::default());
    let mut loader = Loader::new(&facts, &options)?;
    let mut stored = Vec::new();
    for path in paths {
        // A shell completes a directory with a slash.
        let path: PathBuf = path.components().collect();
        let mut path = in_repository(repo, &path)?;
        let file = loader.file(path.as_ref());
        if loader.base().is_dir(path.as_ref())? || file.is_some_and(|file| file.is_dir()) {
            path.push(b'/');
        }
        if !stored.contains(&path) {
            stored.push(path);
        }
    }
    let choices = loader.of_the_settings(loader.chosen(stored.clone())?)?;
    let choices = loader.open_ones(choices)?;
    if choices.is_empty()
        && let Some(done) = loader.done.borrow().first()
    {
        return Err(Error::new(done.statement()).help("choose a plan whose work is still to do"));
    }
    // The work tree may have what HEAD lacks.
    loader.by_hand = choices.iter().map(|choice| choice.path.clone()).collect();
    loader.load_all(choices, true)?;
    Ok(stored)
}
