//! Reads one design from the side whose designs apply, with the version of the other side.

// A design named by hand may be in the work tree alone.
#![allow(clippy::disallowed_methods)]

use std::path::PathBuf;

use gix::bstr::{BStr, ByteSlice};

use super::choose::Choice;
use super::{Loader, add_and_commit};
use crate::change::{Change, Kind};
use crate::error::{Error, Result};
use crate::finding::Help;
use crate::path::{escaped, shell_word};
use crate::policy::design::{self, Design, DesignOptions};
use crate::policy::scope::Scope;
use crate::policy::{Governing, Grant, Origin, Stage, design_selection};

impl Loader<'_> {
    pub(super) fn load(&mut self, choice: &Choice) -> Result<Governing> {
        let path: &BStr = choice.path.as_ref();
        let staged = self.proposed(path)?;
        let current = self.base.read(path)?;
        if self.head_governs() && staged.is_some() {
            return self.at_the_head(choice, current, staged.unwrap_or_default());
        }
        if let Some(bytes) = current {
            let may_surprise = match self.inputs.stage {
                Stage::Request => true,
                Stage::Commit | Stage::Step => choice.by_hand,
                Stage::Range => false,
            };
            if may_surprise
                && self
                    .in_work_tree(path)
                    .is_some_and(|now| is_other_text(&now, &bytes))
            {
                self.notes.push(format!(
                    "{} is read from HEAD; the work tree has a different version",
                    escaped(path)
                ));
            }
            let proposed = staged
                .filter(|staged| *staged != bytes)
                .map(|staged| self.parse(path, &staged));
            let design = self.read(choice, &bytes)?;
            // If the head lacks the document, nothing in it is new.
            let before = self.head_governs().then(|| design.clone());
            return Ok(Governing {
                proposed,
                before,
                ..self.governing(design, &bytes, self.base_origin(), choice)
            });
        }
        if let Some(bytes) = staged {
            let design = self.read(choice, &bytes)?;
            let origin = self.inputs.head.map_or(Origin::Index, Origin::Commit);
            return Ok(Governing {
                in_force: false,
                proposed: Some(design.clone()),
                ..self.governing(design, &bytes, origin, choice)
            });
        }
        match self.in_work_tree(path) {
            Some(bytes) if choice.by_hand && self.is_manual => {
                self.notes.push(format!(
                    "{} is read from the work tree: {} does not have it",
                    escaped(path),
                    self.inputs.head.map_or("HEAD", |_| "the range")
                ));
                let design = self.read(choice, &bytes)?;
                Ok(self.governing(design, &bytes, Origin::WorkTree, choice))
            }
            _ if self.is_link(path)? => Err(Error::new(format!(
                "the design {} is a symbolic link, but guard reads only regular files",
                escaped(path)
            ))
            .help("name the document that the link points to")),
            Some(_) => Err(
                Error::new(format!("the design {} is not committed", escaped(path)))
                    .help("commit the design first:")
                    .help(add_and_commit(path)),
            ),
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

    /// A range is judged by the design at its head; its grants beyond the base's version are listed.
    fn at_the_head(
        &mut self,
        choice: &Choice,
        before: Option<Vec<u8>>,
        now: Vec<u8>,
    ) -> Result<Governing> {
        let path: &BStr = choice.path.as_ref();
        let design = self.read(choice, &now)?;
        let before = match before {
            None => self.before_move(path)?,
            before => before,
        };
        let origin = self.inputs.head.map_or(Origin::Head, Origin::Commit);
        Ok(Governing {
            before: before.map(|bytes| self.parse(path, &bytes)),
            ..self.governing(design, &now, origin, choice)
        })
    }

    /// The rows that a range adds to designs other than `own`. They apply to other branches, but reviewers must see
    /// them too. A document without grants adds nothing.
    pub(super) fn added_elsewhere(
        &self,
        changes: &[Change],
        own: &[Governing],
    ) -> Result<Vec<Grant>> {
        if self.inputs.stage != Stage::Range {
            return Ok(Vec::new());
        }
        let key = |path: &BStr| design_selection::design_of(&self.settings, path);
        let is_own = |path: &BStr| {
            let mut own = own.iter();
            own.any(|governing| key(governing.design.path.as_ref()) == key(path))
        };
        let mut added = Vec::new();
        for change in changes {
            let path: &BStr = change.path.as_ref();
            let is_file = change.new.is_some_and(|state| state.kind.is_file());
            if !is_file || is_own(path) || !design_selection::is_design(&self.settings, path) {
                continue;
            }
            let Some(now) = self.proposed(path)? else {
                continue;
            };
            let before = match self.base.read(path)? {
                None => self.before_move(path)?,
                before => before,
            };
            let before = before.map(|bytes| self.parse(path, &bytes));
            let now = Scope::new(self.parse(path, &now).grants);
            let before = before.map(|design| design.grants).unwrap_or_default();
            let beyond = now.grants_beyond(&Scope::new(before));
            added.extend(beyond.into_iter().cloned());
        }
        Ok(added)
    }

    /// The merge base's version of a design that the change moves to `path`.
    fn before_move(&self, path: &BStr) -> Result<Option<Vec<u8>>> {
        let moved = self.moved_designs.iter().find(|moved| moved.to == path);
        moved.map_or(Ok(None), |moved| self.base.read(moved.from.as_ref()))
    }

    fn base_origin(&self) -> Origin {
        match self.inputs.stage {
            Stage::Range | Stage::Step => Origin::MergeBase,
            Stage::Commit | Stage::Request => Origin::Head,
        }
    }

    pub(super) fn is_directory(&self, path: &BStr) -> Result<bool> {
        Ok(self.base.is_dir(path)? || self.file(path).is_some_and(|file| file.is_dir()))
    }

    pub(super) fn file(&self, path: &BStr) -> Option<PathBuf> {
        self.repo.work_tree_file(path).ok()
    }

    /// Whether a commit or the work tree has a link at the path.
    fn is_link(&self, path: &BStr) -> Result<bool> {
        let committed = self.base.get(path)?;
        let on_disk = || {
            self.file(path)
                .and_then(|file| file.symlink_metadata().ok())
        };
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
        let options = DesignOptions::from_settings(&self.settings);
        design::parse(path, bytes, &options)
    }

    /// The design; one that guard found among others may grant nothing.
    fn read(&self, choice: &Choice, bytes: &[u8]) -> Result<Design> {
        let design = self.parse(choice.path.as_ref(), bytes);
        match choice.is_found {
            true => Ok(design),
            false => self.corrected(design.usable()),
        }
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

    fn governing(&self, design: Design, read: &[u8], origin: Origin, choice: &Choice) -> Governing {
        Governing {
            design,
            blob: self.repo.blob_id(read),
            origin,
            chosen_by: choice.by.clone(),
            in_force: true,
            proposed: None,
            before: None,
        }
    }
}

/// Whether two versions differ in more than line endings, which git may convert in the work tree.
fn is_other_text(one: &[u8], other: &[u8]) -> bool {
    one != other && one.replace("\r\n", "\n") != other.replace("\r\n", "\n")
}
