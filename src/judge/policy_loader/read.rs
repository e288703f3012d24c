//! Reads designs from the side whose designs apply, each with the version of the other side, and keeps those that count.

// A design named by hand may be in the work tree alone.
#![allow(clippy::disallowed_methods)]

use std::collections::HashSet;
use std::path::PathBuf;

use gix::bstr::{BStr, BString, ByteSlice};

use super::documents::new_documents;
use super::select::Choice;
use super::{Loader, commit_first};
use write_guard_policy::design::{self, Design};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Help;
use write_guard_policy::path::{escaped, shell_word};
use write_guard_policy::policy::{self, Governing, Obstacle, Stage};
use write_guard_policy::scope::settings;
use write_guard_policy::scope::{DeclaredRows, Grant, Scope};

impl Loader<'_, '_> {
    fn load(&mut self, choice: &Choice) -> Result<Governing> {
        let path: &BStr = choice.path.as_ref();
        let staged = self.facts.result.read(path)?;
        let current = self.base().read(path)?;
        let head_governs = self.head_governs();
        let is_range = self.facts.stage == Stage::Range;
        let judged = self.facts.head.map(|commit| commit.to_string());
        let judged = judged.unwrap_or_else(|| "index".to_owned());
        let moved = match (&staged, &current) {
            (None, None) if !self.by_hand.contains(&choice.path) => self.before_move(path)?,
            _ => None,
        };
        let (text, origin) = match (&staged, &current, &moved) {
            // A range is judged by the design at its head; its grants beyond the base's version are listed.
            (Some(text), ..) if head_governs => (text, judged),
            (_, Some(text), _) if is_range => (text, "merge base".to_owned()),
            (_, Some(text), _) => (text, "HEAD".to_owned()),
            (Some(text), ..) => (text, judged),
            (_, _, Some(text)) => (text, "merge base".to_owned()),
            (None, None, None) => {
                return match self.later_standing(choice)? {
                    Some(governing) => Ok(governing),
                    None => self.load_from_work_tree(choice),
                };
            }
        };
        let may_surprise =
            self.facts.stage == Stage::Request || self.by_hand.contains(&choice.path);
        if may_surprise
            && !is_range
            && current.is_some()
            && let Some(now) = self.in_work_tree(path)
            && is_other_text(&now, text)
        {
            self.policy.notes.push(format!(
                "{} is read from HEAD; the work tree has a different version",
                escaped(path)
            ));
        }
        let is_gone = staged.is_none();
        let mut governing = self.governing(choice, text, origin)?;
        governing.obstacle = self.obstacle(path, is_gone)?;
        if head_governs {
            governing.before = match staged {
                Some(_) => self.version_before(path, current)?,
                // If the head lacks the document, nothing in it is new.
                None => Some(governing.design.clone()),
            };
        } else if let Some(staged) = staged.filter(|staged| Some(staged) != current.as_ref()) {
            governing.in_force = current.is_some();
            governing.proposed = Some(self.parse(path, &staged));
        }
        Ok(governing)
    }

    /// What stands in the way of another row in the design.
    fn obstacle(&self, path: &BStr, is_gone: bool) -> Result<Option<Obstacle>> {
        let stage = self.facts.stage;
        let result = &self.facts.result;
        let is_committed = stage == Stage::Commit && self.facts.head.is_some();
        let by_base = stage == Stage::Range && !self.head_governs();
        if is_committed || by_base {
            return Ok(Some(Obstacle::Settled));
        }
        if stage == Stage::Request {
            return Ok(None);
        }
        if is_gone || result.get(BStr::new(settings::FILE))?.is_none() {
            return Ok(Some(Obstacle::Gone));
        }
        if stage == Stage::Commit
            && let (Some(staged), Some(now)) = (result.read(path)?, self.in_work_tree(path))
            && is_other_text(&now, &staged)
        {
            return Ok(Some(Obstacle::Unstaged));
        }
        Ok(None)
    }

    /// A standing design that a trial applies to an older change. The change adds none of its rows.
    fn later_standing(&self, choice: &Choice) -> Result<Option<Governing>> {
        let mut later = self.options.standing.iter();
        let Some(later) = later.find(|later| later.path == choice.path) else {
            return Ok(None);
        };
        let mut governing =
            self.governing(choice, later.text.as_bytes(), "later commit".to_owned())?;
        governing.before = Some(governing.design.clone());
        Ok(Some(governing))
    }

    /// A design that a person named for one run and that is not committed.
    fn load_from_work_tree(&mut self, choice: &Choice) -> Result<Governing> {
        let path: &BStr = choice.path.as_ref();
        let shown = escaped(path);
        match self.in_work_tree(path) {
            Some(bytes) if self.by_hand.contains(&choice.path) && !self.options.in_hook => {
                let side = self.facts.head.map_or("HEAD", |_| "the branch");
                self.policy.notes.push(format!(
                    "{shown} is read from the work tree: {side} does not have it"
                ));
                self.governing(choice, &bytes, "work tree".to_owned())
            }
            Some(_) => {
                let what = format!("the design {shown} is not committed as a regular file");
                Err(commit_first(Error::new(what), path))
            }
            None => {
                let none = Error::new(format!("there is no design at {shown}"));
                let work = self.work_of_branch().ok().flatten();
                let moved = work.and_then(|work| new_documents(&work.changes, &choice.path).next());
                Err(none.help(match moved {
                    Some(to) => format!(
                        "the branch moved it to {}, which no pattern of `path`, `standing`, `done` \
                         or `always` in guard.toml matches: move it after the merge, or add a \
                         pattern to `done` on the target branch first",
                        escaped(&to.path)
                    ),
                    None => format!(
                        "it was chosen by {}; write it, or choose another",
                        choice.by
                    ),
                }))
            }
        }
    }

    /// The rows that a range adds to designs other than `own`. They apply to other branches, but reviewers must see
    /// them too. A document without grants adds nothing.
    pub(super) fn added_elsewhere(&self, own: &[Governing]) -> Result<Vec<Grant>> {
        if self.facts.stage != Stage::Range {
            return Ok(Vec::new());
        }
        let settings = &self.policy.settings;
        let own: Vec<BString> = own
            .iter()
            .map(|one| policy::design_of(settings, one.design.path.as_ref()))
            .collect();
        let mut added = Vec::new();
        for change in &self.facts.changes {
            let path: &BStr = change.path.as_ref();
            let is_own = own.contains(&policy::design_of(settings, path));
            if is_own || !policy::is_design(settings, path) {
                continue;
            }
            let Some(now) = self.facts.result.read(path)? else {
                continue;
            };
            let before = self.version_before(path, self.base().read(path)?)?;
            let before = scope_of(before.unwrap_or_default());
            let now = scope_of(self.parse(path, &now));
            added.extend(now.grants_beyond(&before).into_iter().cloned());
        }
        Ok(added)
    }

    /// The merge base's version of a design: `at_base`, or what the change moves to `path`.
    fn version_before(&self, path: &BStr, at_base: Option<Vec<u8>>) -> Result<Option<Design>> {
        let mut moved = self.policy.moved_designs.iter();
        let before = match (at_base, moved.find(|(_, to)| to == path)) {
            (None, Some((from, _))) => self.base().read(from.as_ref())?,
            (at_base, _) => at_base,
        };
        Ok(before.map(|bytes| self.parse(path, &bytes)))
    }

    pub(super) fn file(&self, path: &BStr) -> Option<PathBuf> {
        self.facts.repo.work_tree_file(path).ok()
    }

    /// The content of a regular file in the work tree. Opening anything else, such as a FIFO, could block.
    pub(super) fn in_work_tree(&self, path: &BStr) -> Option<Vec<u8>> {
        let file = self.file(path)?;
        let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
        is_file.then(|| std::fs::read(file).ok()).flatten()
    }

    fn parse(&self, path: &BStr, bytes: &[u8]) -> Design {
        design::parse(path, bytes, &self.policy.settings)
    }

    /// The design in force; one that guard found among others may grant nothing.
    fn governing(&self, choice: &Choice, text: &[u8], origin: String) -> Result<Governing> {
        let mut design = self.parse(choice.path.as_ref(), text);
        if !choice.is_found {
            design = corrected(design.usable())?;
        }
        let blob = self.facts.repo.blob_id(text)?;
        Ok(Governing::new(design, blob, origin, choice.by.clone()))
    }

    /// Reads the chosen documents, each once, and leaves out those that declare nothing as long as another one does, and
    /// those of a directory whose scope is a typed table in another document, unless they forbid something. If no design is `needed`, all that cannot
    /// be used are left out.
    ///
    /// # Errors
    /// None of the documents grants anything, or the rows of one cannot be used.
    pub(super) fn load_all(
        &mut self,
        choices: Vec<Choice>,
        needed: bool,
    ) -> Result<Vec<Governing>> {
        let mut read: Vec<Governing> = Vec::new();
        for choice in choices {
            if read.iter().any(|known| known.design.path == choice.path) {
                continue;
            }
            match self.load(&choice) {
                Err(error) if needed => return Err(error),
                loaded => read.extend(loaded),
            }
        }
        let (mut designs, mut unusable): (Vec<_>, Vec<_>) = read
            .into_iter()
            .partition(|governing| governing.design.is_usable());
        for governing in unusable.iter().filter(|_| needed) {
            let is_standing = governing.is_standing();
            // Removing a table must not widen the scope to the lists beside it.
            let was_typed = governing.before.as_ref().is_some_and(Design::is_typed);
            let is_silent = !was_typed && governing.design.declares_nothing();
            let mut others = designs.iter();
            let one_grants = others.any(|other| is_standing || !other.is_standing());
            if !one_grants || !is_standing && !is_silent {
                corrected(governing.design.clone().usable())?;
            } else if !is_silent {
                // One bad plan among those of a pattern does not stop all work.
                let path = escaped(&governing.design.path);
                self.policy.notes.push(format!(
                    "the standing design {path} cannot be used: guard scope check {path}"
                ));
            }
        }
        self.narrow(&mut designs);
        // What grants nothing may still forbid something to the others.
        unusable.retain(|governing| !governing.design.denials.is_empty());
        if !designs.is_empty() {
            designs.extend(unusable);
        }
        Ok(designs)
    }

    /// A typed table is the scope of all documents of its directory, in each version of them.
    fn narrow(&self, designs: &mut Vec<Governing>) {
        let settings = &self.policy.settings;
        let versions: [fn(&mut Governing) -> Option<&mut Design>; 3] = [
            |governing| Some(&mut governing.design),
            |governing| governing.before.as_mut(),
            |governing| governing.proposed.as_mut(),
        ];
        for version in versions {
            let (typed, others): (Vec<_>, Vec<_>) = designs
                .iter_mut()
                .filter_map(version)
                .partition(|design| design.is_typed());
            let typed: HashSet<BString> = typed
                .into_iter()
                .map(|design| policy::design_of(settings, design.path.as_ref()))
                .collect();
            for design in others {
                if typed.contains(&policy::design_of(settings, design.path.as_ref())) {
                    design.grants.clear();
                }
            }
        }
        designs.retain(|governing| {
            governing.design.is_usable() || !governing.design.denials.is_empty()
        });
    }
}

/// What a document grants by itself.
fn scope_of(design: Design) -> Scope {
    Scope::of_documents([DeclaredRows {
        grants: design.grants,
        denials: design.denials,
        ..DeclaredRows::default()
    }])
}

/// Adds to the error how to correct the design.
fn corrected(design: Result<Design>) -> Result<Design> {
    design.map_err(|error| {
        let words = error.texts.keys().map(|path| shell_word(path).to_string());
        let words = words.collect::<Vec<String>>().join(" ");
        let command = format!("git commit -m \"Correct the design\" -- {words}");
        error
            .help("correct it and commit it first:")
            .help(Help::command(command))
    })
}

/// Whether two versions differ in more than line endings, which git may convert in the work tree.
pub(in crate::judge) fn is_other_text(one: &[u8], other: &[u8]) -> bool {
    one != other && one.replace("\r\n", "\n") != other.replace("\r\n", "\n")
}
