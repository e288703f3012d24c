//! Selects designs by the first method that names one: a flag, `guard use`, the trailers of a range, or settings and
//! branch. Reads none of them.

use std::collections::HashSet;

use gix::bstr::{BStr, BString, ByteSlice};

use super::Loader;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::escaped;
use write_guard_policy::policy::{self, BranchDesigns, ChosenBy};
use write_guard_policy::scope::glob::{Glob, directory_above, is_glob};
use write_guard_policy::trailer;
use write_guard_repo::Tree;

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
    pub(super) fn new(path: impl Into<BString>, by: ChosenBy, is_found: bool) -> Choice {
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
                .and_then(|own| self.of_the_settings(own))
                .and_then(|own| self.where_moved(own)),
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
        let mut known = HashSet::new();
        let mut named = Vec::new();
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
            let commit = choice.by.commit();
            let is_there = self.is_on_a_side(path.as_ref())?;
            // A commit may select one of the configured designs, or one that this branch has moved, but not turn any
            // document into a design.
            let mut chosen = if self.is_design(&path) {
                self.where_moved(vec![choice])?
            } else if self.is_moved_there(&path)? {
                vec![choice]
            } else if is_there && !self.may_be_moved_to(&path) {
                self.of_the_settings(vec![choice])?
            } else {
                Vec::new()
            };
            if let Some(one) = chosen.pop()
                && self.is_on_a_side(one.path.as_ref())?
            {
                here.push(one);
                continue;
            }
            let why = if is_there {
                "is no design"
            } else {
                "is not there"
            };
            self.policy.notes.push(format!(
                "{}, which commit {commit} names, {why}, so it allows nothing here",
                escaped(&path)
            ));
        }
        Ok(here)
    }

    pub(super) fn is_on_a_side(&self, path: &BStr) -> Result<bool> {
        let [one, other] = self.sides();
        Ok(one.get(path)?.or(other.get(path)?).is_some())
    }

    /// The designs that `guard use` stored: files, and directories with a slash at the end.
    pub(super) fn chosen(&self, stored: Vec<BString>) -> Result<Vec<Choice>> {
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
    pub(super) fn of_the_settings(&self, choices: Vec<Choice>) -> Result<Vec<Choice>> {
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
        .help(
            "choose a design that matches, or add this one to the settings and commit guard.toml \
             first",
        ))
    }

    pub(super) fn is_design(&self, path: &BString) -> bool {
        policy::is_design(&self.policy.settings, path.as_ref())
    }

    /// The standing designs. A person who chose some of those that a pattern matches left out the others.
    pub(super) fn standing(&self, own: &[Choice]) -> Result<Vec<Choice>> {
        let mut choices = Vec::new();
        for pattern in &self.policy.settings.standing {
            let pattern = policy::normal_pattern(pattern);
            let is_chosen_from = own.iter().any(|choice| {
                let by_person =
                    self.by_hand.contains(&choice.path) || choice.by == ChosenBy::GuardUse;
                by_person && policy::pattern_matches(pattern, choice.path.as_ref())
            });
            if is_chosen_from {
                continue;
            }
            let mut found = self.first_found(|side| matching(pattern.into(), side))?;
            if found.is_empty() {
                let later = self.options.standing.iter().map(|later| &later.path);
                let later = later.filter(|path| policy::pattern_matches(pattern, path.as_ref()));
                found.extend(later.cloned());
            }
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
    pub(super) fn first_found<T>(
        &self,
        find: impl Fn(&Tree<'_>) -> Result<Vec<T>>,
    ) -> Result<Vec<T>> {
        let [first, second] = self.sides();
        match find(first)? {
            found if found.is_empty() => find(second),
            found => Ok(found),
        }
    }

    /// The side whose designs apply, then the other one.
    pub(super) fn sides(&self) -> [&Tree<'_>; 2] {
        if self.head_governs() {
            [&self.facts.result, self.base()]
        } else {
            [self.base(), &self.facts.result]
        }
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
