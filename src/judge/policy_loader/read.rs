//! Reads designs from the side whose designs apply, each with the version of the other side, and keeps those that count.

// A design named by hand may be in the work tree alone.
#![allow(clippy::disallowed_methods)]

use std::collections::HashSet;
use std::path::PathBuf;

use gix::bstr::{BStr, BString, ByteSlice};

use super::select::Choice;
use super::{Loader, commit_first};
use crate::change::Kind;
use crate::design::{self, Design};
use crate::error::{Error, Result};
use crate::finding::{Help, Rule};
use crate::path::{escaped, shell_word};
use crate::policy::{self, ChosenBy, Governing, Origin, Stage};
use crate::scope::Grant;
use crate::scope::Scope;

impl Loader<'_, '_> {
    pub(super) fn load(&mut self, choice: &Choice) -> Result<Governing> {
        let path: &BStr = choice.path.as_ref();
        let staged = self.proposed(path)?;
        let current = self.base().read(path)?;
        let head_governs = self.head_governs();
        let committed = |otherwise| self.facts.head.map_or(otherwise, Origin::Commit);
        let mut governing = match (&staged, &current) {
            // A range is judged by the design at its head; its grants beyond the base's version are listed.
            (Some(text), _) if head_governs => {
                self.governing(choice, text, committed(Origin::Head))?
            }
            (_, Some(text)) => {
                let (origin, may_surprise) = match self.facts.stage {
                    Stage::Request => (Origin::Head, true),
                    Stage::Commit => (Origin::Head, self.is_by_hand(&choice.path)),
                    Stage::Range | Stage::Step => (Origin::MergeBase, false),
                };
                let on_disk = may_surprise.then(|| self.in_work_tree(path)).flatten();
                if on_disk.is_some_and(|now| is_other_text(&now, text)) {
                    self.notes.push(format!(
                        "{} is read from HEAD; the work tree has a different version",
                        escaped(path)
                    ));
                }
                self.governing(choice, text, origin)?
            }
            (Some(text), None) => Governing {
                in_force: false,
                ..self.governing(choice, text, committed(Origin::Index))?
            },
            (None, None) => return self.load_from_work_tree(choice),
        };
        match (staged, current) {
            (Some(_), current) if head_governs => {
                governing.before = self.version_before(path, current)?;
            }
            // If the head lacks the document, nothing in it is new.
            _ if head_governs => governing.before = Some(governing.design.clone()),
            (Some(staged), Some(current)) if staged != current => {
                governing.proposed = Some(self.parse(path, &staged));
            }
            (Some(_), None) => governing.proposed = Some(governing.design.clone()),
            _ => {}
        }
        Ok(governing)
    }

    /// A design that a person named for one run and that is not committed.
    fn load_from_work_tree(&mut self, choice: &Choice) -> Result<Governing> {
        let path: &BStr = choice.path.as_ref();
        match self.in_work_tree(path) {
            Some(bytes) if self.is_by_hand(&choice.path) && self.is_manual => {
                self.notes.push(format!(
                    "{} is read from the work tree: {} does not have it",
                    escaped(path),
                    self.facts.head.map_or("HEAD", |_| "the branch")
                ));
                self.governing(choice, &bytes, Origin::WorkTree)
            }
            _ if self.is_link(path)? => Err(Error::new(format!(
                "the design {} is a symbolic link, but guard reads only regular files",
                escaped(path)
            ))
            .help("name the document that the link points to")),
            Some(_) => {
                let what = format!("the design {} is not committed", escaped(path));
                Err(commit_first(Error::new(what), path))
            }
            None if self.is_directory(path)? => Err(Error::new(format!(
                "the design {} is a directory",
                escaped(path)
            ))
            .help("name the Markdown file itself")),
            None => Err(
                Error::new(format!("there is no design at {}", escaped(path))).help(format!(
                    "it was chosen by {}; write it, or choose another",
                    choice.by
                )),
            ),
        }
    }

    /// The rows that a range adds to designs other than `own`. They apply to other branches, but reviewers must see
    /// them too. A document without grants adds nothing.
    pub(super) fn added_elsewhere(&self, own: &[Governing]) -> Result<Vec<Grant>> {
        if self.facts.stage != Stage::Range {
            return Ok(Vec::new());
        }
        let key = |path: &BStr| policy::design_of(&self.settings, path);
        let is_own = |path: &BStr| {
            let mut own = own.iter();
            own.any(|governing| key(governing.design.path.as_ref()) == key(path))
        };
        let mut added = Vec::new();
        for change in &self.facts.changes {
            let path: &BStr = change.path.as_ref();
            let is_file = change.new.is_some_and(|state| state.kind.is_file());
            if !is_file || is_own(path) || !policy::is_design(&self.settings, path) {
                continue;
            }
            let Some(now) = self.proposed(path)? else {
                continue;
            };
            let before = self.version_before(path, self.base().read(path)?)?;
            let now = Scope::new(self.parse(path, &now).grants);
            let before = before.map(|design| design.grants).unwrap_or_default();
            let beyond = now.grants_beyond(&Scope::new(before));
            added.extend(beyond.into_iter().cloned());
        }
        Ok(added)
    }

    /// The merge base's version of a design: `at_base`, or what the change moves to `path`.
    fn version_before(&self, path: &BStr, at_base: Option<Vec<u8>>) -> Result<Option<Design>> {
        let moved = self.moved_designs.iter().find(|moved| moved.to == path);
        let before = match (at_base, moved) {
            (None, Some(moved)) => self.base().read(moved.from.as_ref())?,
            (at_base, _) => at_base,
        };
        Ok(before.map(|bytes| self.parse(path, &bytes)))
    }

    pub(super) fn is_directory(&self, path: &BStr) -> Result<bool> {
        Ok(self.base().is_dir(path)? || self.file(path).is_some_and(|file| file.is_dir()))
    }

    pub(super) fn file(&self, path: &BStr) -> Option<PathBuf> {
        self.facts.repo.work_tree_file(path).ok()
    }

    /// Whether a commit or the work tree has a link at the path.
    fn is_link(&self, path: &BStr) -> Result<bool> {
        let committed = self.base().get(path)?;
        let on_disk = || self.facts.repo.metadata_of(path);
        Ok(committed.is_some_and(|state| state.kind == Kind::Symlink)
            || on_disk().is_some_and(|metadata| metadata.is_symlink()))
    }

    /// The content of a regular file in the work tree. Opening anything else, such as a FIFO, could block.
    pub(super) fn in_work_tree(&self, path: &BStr) -> Option<Vec<u8>> {
        let file = self.file(path)?;
        let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
        is_file.then(|| std::fs::read(file).ok()).flatten()
    }

    fn parse(&self, path: &BStr, bytes: &[u8]) -> Design {
        design::parse(path, bytes, &self.settings)
    }

    /// The design in force; one that guard found among others may grant nothing.
    fn governing(&self, choice: &Choice, text: &[u8], origin: Origin) -> Result<Governing> {
        let mut design = self.parse(choice.path.as_ref(), text);
        if !choice.is_found {
            design = self.corrected(design.usable())?;
        }
        Ok(Governing {
            design,
            blob: self.facts.repo.blob_id(text)?,
            origin,
            chosen_by: choice.by.clone(),
            in_force: true,
            proposed: None,
            before: None,
        })
    }

    /// Adds to the error how to correct the design.
    pub(super) fn corrected(&self, design: Result<Design>) -> Result<Design> {
        design.map_err(|error| {
            let words = error.texts.keys().map(|path| shell_word(path).to_string());
            let words: Vec<String> = words.collect();
            error
                .help("correct it and commit it first:")
                .help(Help::command(format_args!(
                    "git commit -m \"Correct the design\" -- {}",
                    words.join(" ")
                )))
        })
    }

    /// Reads the chosen documents, each once. If they are not `needed`, those that cannot be used are left out.
    /// `beside`: whether other designs apply as well.
    pub(super) fn load_all(
        &mut self,
        choices: Vec<Choice>,
        needed: bool,
        beside: bool,
    ) -> Result<Vec<Governing>> {
        let mut designs: Vec<Governing> = Vec::new();
        let mut known = HashSet::new();
        for choice in choices {
            if !known.insert(choice.path.clone()) {
                continue;
            }
            match self.load(&choice) {
                Ok(governing) => designs.push(governing),
                Err(error) if needed => return Err(error),
                Err(_) => {}
            }
        }
        self.those_that_count(designs, needed, beside)
    }

    /// Leaves out the documents that declare nothing as long as another one does, and those of a directory whose scope
    /// is a typed table in another document. If no design is needed, all that cannot be used are left out.
    ///
    /// # Errors
    /// None of the documents grants anything, or the rows of one cannot be used.
    fn those_that_count(
        &mut self,
        read: Vec<Governing>,
        needed: bool,
        beside: bool,
    ) -> Result<Vec<Governing>> {
        let one_grants = beside || read.iter().any(|governing| governing.design.is_usable());
        let mut designs = Vec::with_capacity(read.len());
        for governing in read {
            if governing.design.is_usable() {
                designs.push(governing);
                continue;
            }
            let is_standing = governing.chosen_by == ChosenBy::Standing;
            // Removing a table must not widen the scope to the lists beside it.
            let was_typed = governing.before.as_ref().is_some_and(Design::is_typed);
            let is_silent = !was_typed && declares_nothing(&governing.design);
            if needed && !(one_grants && (is_standing || is_silent)) {
                let unusable = self.corrected(governing.design.usable());
                return unusable.map(|_| Vec::new());
            }
            // One bad plan among those of a pattern does not stop all work.
            if needed && !is_silent {
                let path = escaped(&governing.design.path);
                self.notes.push(format!(
                    "the standing design {path} cannot be used: guard scope check {path}"
                ));
            }
        }
        self.narrow(&mut designs);
        Ok(designs)
    }

    /// A typed table is the scope of all documents of its directory, in each version of them.
    fn narrow(&self, designs: &mut Vec<Governing>) {
        let key = |design: &Design| policy::design_of(&self.settings, design.path.as_ref());
        let typed = |version: fn(&Governing) -> Option<&Design>| -> Vec<BString> {
            let versions = designs.iter().filter_map(version);
            versions.filter(|one| one.is_typed()).map(key).collect()
        };
        let now = typed(|governing| Some(&governing.design));
        let before = typed(|governing| governing.before.as_ref());
        let proposed = typed(|governing| governing.proposed.as_ref());
        let is_beside =
            |keys: &[BString], design: &Design| !design.is_typed() && keys.contains(&key(design));
        designs.retain(|governing| !is_beside(&now, &governing.design));
        for governing in designs {
            for (version, keys) in [
                (&mut governing.before, &before),
                (&mut governing.proposed, &proposed),
            ] {
                if let Some(design) = version.as_mut().filter(|design| is_beside(keys, design)) {
                    design.grants.clear();
                }
            }
        }
    }
}

/// Whether the document has no passage that names files to change, as most specifications do.
pub(in crate::judge) fn declares_nothing(design: &Design) -> bool {
    let is_absence = |reason| matches!(reason, "no-section" | "empty-section" | "nothing-granted");
    let is_harmless = |rule| rule == Rule::DesignUnread;
    !design.is_typed()
        && design
            .faults
            .iter()
            .all(|fault| is_absence(fault.reason) || is_harmless(fault.rule))
}

/// Whether two versions differ in more than line endings, which git may convert in the work tree.
pub(in crate::judge) fn is_other_text(one: &[u8], other: &[u8]) -> bool {
    one != other && one.replace("\r\n", "\n") != other.replace("\r\n", "\n")
}
