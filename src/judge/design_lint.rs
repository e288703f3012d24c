//! Lints design documents: their own mistakes, and whether their rows fit the existing files.

// Lints designs as they are on disk.
#![allow(clippy::disallowed_methods)]

use std::collections::HashSet;
use std::path::PathBuf;

use gix::bstr::{BStr, BString, ByteSlice};

use super::base::BaseCommit;
use super::policy_loader::{Choice, LocatedDesigns, declares_nothing, locate};
use super::scope::listed;
use super::tree_view::{GitTree, GitTreeView, work_tree};
use super::{Options, named_files};
use crate::boundary::Boundary;
use crate::error::{Error, Result};
use crate::finding::{Finding, Rule};
use crate::git::{Index, Repository, Tree, show_file};
use crate::path::escaped;
use crate::policy::design::{self, Design};
use crate::policy::glob::is_glob;
use crate::policy::scope::Scope;
use crate::policy::settings::Settings;
use crate::policy::{Grant, GrantKind, design_selection};
use crate::rules::{self, DesignContext, ResultTree};
use crate::verdict::{DesignUsed, ScopeListing};

/// Which documents to lint.
#[derive(Debug, Clone, Default)]
pub struct DocumentChoice {
    /// Paths given by the user, relative to the current directory; empty for the designs of this branch.
    pub files: Vec<PathBuf>,
    /// All tracked files that match `[lld] path`.
    pub all: bool,
    /// Lint the staged versions. Files that are not designs are skipped and, if no files are given, so are designs
    /// that the commit does not change.
    pub staged: bool,
}

/// Lints the documents. Read-only.
///
/// # Errors
/// Settings that cannot be used, nothing to read, or an object that cannot be read.
pub fn check_documents(
    repo: &Repository,
    choice: &DocumentChoice,
    options: &Options,
) -> Result<ScopeListing> {
    let index = match repo.workdir() {
        Ok(_) => Some(Index::open(repo)?),
        Err(bare) if choice.staged => return Err(bare),
        Err(_) => None,
    };
    let tree = index.as_ref().map(Index::tree).transpose()?;
    let mut located = locate(repo, tree.as_ref(), options)?;
    let head = BaseCommit::new(repo, repo.head_commit()?)?;
    let base = match head.merge_base(repo, located.settings.base.as_deref()) {
        Ok(base) => base.map(|(_, tree)| tree),
        Err(error) => {
            located.notes.push(error.message);
            None
        }
    };
    let objects = repo.objects();
    let reader = DocumentReader {
        repo,
        index: index.as_ref(),
        tree: tree.as_ref(),
        staged: choice.staged,
        head: head.tree(),
        base,
    };
    let documents = reader.documents(choice, &located)?;
    let head = GitTree::Tree(reader.head).view(objects);
    let base = base.map(|base| GitTree::Tree(base).view(objects));
    let boundary = repo.workdir().ok().map(work_tree).transpose()?;
    let disk = boundary.as_ref().map(Boundary::view_of_many);
    let listed = index.as_ref().zip(tree.as_ref());
    let listed = listed.map(|(index, tree)| GitTree::Index(index, tree).view(objects));
    let mut there: Vec<&dyn ResultTree> = Vec::new();
    if let (Some(disk), false) = (&disk, choice.staged) {
        there.push(disk);
    }
    there.extend(listed.as_ref().map(|view| view as &dyn ResultTree));
    there.push(&head);
    there.extend(base.as_ref().map(|view| view as &dyn ResultTree));

    let mut report = ScopeListing {
        notes: located.notes.clone(),
        ..ScopeListing::default()
    };
    let mut lint = Lint {
        reader: &reader,
        located: &located,
        there,
        listed: listed
            .as_ref()
            .map_or(&head, |view| view as &dyn ResultTree),
        head: &head,
        base: base.as_ref().map(|view| view as &dyn ResultTree),
        unread: Vec::new(),
        silent: Vec::new(),
        declared: HashSet::new(),
    };
    for document in documents {
        lint.document(document, &mut report)?;
    }
    for (group, findings) in std::mem::take(&mut lint.silent) {
        // The others of the group may come in later commits.
        if !choice.staged && !lint.declared.contains(&group) {
            report.problems.extend(findings);
        }
    }
    let unread = lint.unread;
    if report.designs.is_empty()
        && let Some(first) = unread.first()
    {
        let others = &unread[1..];
        let error = Error::new(first.message.clone());
        return Err(others.iter().fold(error, |error, other| {
            error.help(format!("and {}", other.message))
        }));
    }
    report.problems.extend(unread);
    if let Some(listed) = listed {
        listed.finish()?;
    }
    head.finish()?;
    base.map_or(Ok(()), GitTreeView::finish)?;
    Ok(report)
}

/// A document to lint and the reason it was selected.
struct Document {
    path: BString,
    by: String,
    /// Whether its work is in progress, so that its rows can be compared with the files. The files that finished work
    /// adds already exist.
    is_current: bool,
    /// What it was found among: it may declare nothing if another one declares something.
    group: Option<BString>,
}

/// Reads documents.
struct DocumentReader<'a> {
    repo: &'a Repository,
    index: Option<&'a Index>,
    /// The tree of the next commit.
    tree: Option<&'a Tree<'a>>,
    staged: bool,
    head: &'a Tree<'a>,
    /// The tree where the work began.
    base: Option<&'a Tree<'a>>,
}

impl DocumentReader<'_> {
    fn documents(
        &self,
        choice: &DocumentChoice,
        located: &LocatedDesigns,
    ) -> Result<Vec<Document>> {
        let own: &[Choice] = located.own.as_deref().unwrap_or_default();
        let is_own = |path: &BStr| own.iter().any(|choice| choice.path == path);
        let is_design = |path: &BStr| {
            design_selection::is_design(&located.settings, path)
                || is_own(path)
                || located.by_hand.iter().any(|chosen| chosen == path)
        };
        let document = |path: BString, by: &str| Document {
            is_current: is_own(path.as_ref()),
            group: group(&located.settings, path.as_ref()),
            path,
            by: by.to_owned(),
        };
        if choice.staged || choice.all {
            let settings = &located.settings;
            let nowhere = settings.lld_path.is_empty() && settings.standing.is_empty();
            if let (true, Err(error)) = (nowhere && located.by_hand.is_empty(), &located.own) {
                return Err(error.clone());
            }
        }
        if !choice.files.is_empty() {
            let mut documents = Vec::new();
            for file in &choice.files {
                let path = named_files::in_repository(self.repo, file)?;
                if !choice.staged {
                    documents.push(Document {
                        path,
                        by: "command line".to_owned(),
                        is_current: true,
                        group: None,
                    });
                } else if is_design(path.as_ref()) {
                    documents.push(document(path, "command line"));
                }
            }
            return Ok(documents);
        }
        if choice.all || choice.staged {
            let by = if choice.all { "--all" } else { "--staged" };
            let mut paths = self.tracked()?;
            paths.retain(|path| is_design(path.as_ref()));
            if !choice.staged {
                paths.extend(own.iter().map(|choice| choice.path.clone()));
                paths.sort();
                paths.dedup();
            }
            let mut documents = Vec::new();
            for path in paths {
                if choice.all || self.is_staged(path.as_ref())? {
                    documents.push(document(path, by));
                }
            }
            if documents.is_empty() && choice.all {
                return Err(Error::new("no file matches `[lld] path` in guard.toml")
                    .help("correct the setting, or name the documents: guard scope check FILE"));
            }
            return Ok(documents);
        }
        let own = located.own.as_ref().map_err(Error::clone)?;
        let chosen = own.iter().chain(&located.standing);
        Ok(chosen
            .map(|choice| {
                let by = choice.by.to_string();
                let group = choice.is_found.then(|| by.as_str().into());
                Document {
                    group,
                    ..document(choice.path.clone(), &by)
                }
            })
            .collect())
    }

    fn tracked(&self) -> Result<Vec<BString>> {
        match self.index {
            Some(index) => Ok(index.files()?.into_iter().map(|(path, _)| path).collect()),
            None => self.head.files_below(BStr::new("")),
        }
    }

    /// Whether the commit would change the file.
    fn is_staged(&self, path: &BStr) -> Result<bool> {
        match self.tree {
            Some(tree) => Ok(tree.get(path)? != self.head.get(path)?),
            None => Ok(false),
        }
    }

    /// The document and the name of its version; `Err` says why there is none.
    fn read(&self, path: &BStr) -> Result<Result<(Vec<u8>, &'static str), String>> {
        let not_a_file = || Ok(Err(format!("{} is not a regular file", escaped(path))));
        if let (true, Some(tree)) = (self.staged, self.tree) {
            return match tree.read(path)? {
                Some(bytes) => Ok(Ok((bytes, "index"))),
                None if tree.get(path)?.is_some() => not_a_file(),
                None => Ok(Err(format!("{} is not staged", escaped(path)))),
            };
        }
        if let Ok(file) = self.repo.work_tree_file(path) {
            match file.symlink_metadata() {
                Ok(metadata) if metadata.is_file() => {
                    let bytes = std::fs::read(&file).map_err(|error| {
                        Error::new(format!("{} cannot be read: {error}", show_file(&file)))
                    })?;
                    return Ok(Ok((bytes, "work tree")));
                }
                Ok(_) => return not_a_file(),
                Err(_) => {}
            }
        }
        Ok(match self.head.read(path)? {
            Some(bytes) => Ok((bytes, "HEAD")),
            None => Err(format!("there is no design at {}", escaped(path))),
        })
    }

    /// Whether this work changes the document.
    fn is_changed(&self, path: &BStr, bytes: &[u8]) -> Result<bool> {
        let before = self.base.unwrap_or(self.head).read(path)?;
        Ok(before.as_deref() != Some(bytes))
    }
}

/// One lint run.
struct Lint<'a> {
    reader: &'a DocumentReader<'a>,
    located: &'a LocatedDesigns,
    /// The trees in which a file counts as existing, the current one first.
    there: Vec<&'a dyn ResultTree>,
    /// The current tree, which lists all files.
    listed: &'a dyn ResultTree,
    head: &'a dyn ResultTree,
    base: Option<&'a dyn ResultTree>,
    /// Named files that could not be read.
    unread: Vec<Finding>,
    /// The faults of documents that declare nothing, each with its group.
    silent: Vec<(BString, Vec<Finding>)>,
    /// The groups in which a document declares something.
    declared: HashSet<BString>,
}

impl Lint<'_> {
    fn document(&mut self, document: Document, report: &mut ScopeListing) -> Result<()> {
        let path = document.path.as_bstr();
        let (bytes, from) = match self.reader.read(path)? {
            Ok(read) => read,
            Err(why) => {
                self.unread
                    .push(Finding::new(Rule::DesignNoTable, path, why));
                return Ok(());
            }
        };
        let settings = &self.located.settings;
        let design = self.parse(path, &bytes);
        let mut findings = design.findings();
        if let Some(group) = document.group {
            if !design.is_usable() && declares_nothing(&design) {
                self.silent.push((group, findings));
                report.texts.insert(design.path, design.text);
                return Ok(());
            }
            self.declared.insert(group);
        }
        if document.is_current || self.reader.is_changed(path, &bytes)? {
            findings.extend(self.against_files(&design, &bytes)?);
        }
        let at_level = |finding| rules::at_level(settings, finding);
        report
            .problems
            .extend(findings.into_iter().filter_map(at_level));
        let count = design.grants.len();
        let scope = Scope::new(design.grants);
        let matched = rules::matched(scope.grants(), &[self.listed]);
        let is_there = |(grant, matched): (&Grant, bool)| match grant.kind {
            GrantKind::Glob => matched,
            GrantKind::File | GrantKind::Directory => {
                self.there[0].entry(grant.path.as_ref()).is_some()
            }
        };
        let is_committed = |grant: &Grant| self.head.entry(grant.path.as_ref()).is_some();
        let facts = |pair: (&Grant, bool)| (is_committed(pair.0), is_there(pair));
        let facts = scope.grants().iter().zip(matched).map(facts).collect();
        report.grants.extend(listed(settings, scope, facts));
        report.mentions.extend(design.mentions);
        report.designs.push(DesignUsed {
            path: design.path.clone(),
            from: from.to_owned(),
            selected_by: document.by,
            grants: count,
        });
        report.texts.insert(design.path, design.text);
        Ok(())
    }

    fn parse(&self, path: &BStr, bytes: &[u8]) -> Design {
        let options = design::DesignOptions::from_settings(&self.located.settings);
        design::parse(path, bytes, &options)
    }

    fn against_files(&self, design: &Design, bytes: &[u8]) -> Result<Vec<Finding>> {
        let path = design.path.as_ref();
        let agreed = match self.reader.head.read(path)? {
            Some(head) if head == bytes => Scope::new(design.grants.clone()),
            Some(head) => Scope::new(self.parse(path, &head).grants),
            None => Scope::default(),
        };
        Ok(rules::check_design_rows(
            design,
            &DesignContext {
                there: &self.there,
                merge_base: self.base,
                head: self.head,
                agreed: &agreed,
            },
        ))
    }
}

/// What a document is one of several of: its directory or a standing pattern.
fn group(settings: &Settings, path: &BStr) -> Option<BString> {
    let key = design_selection::design_of(settings, path);
    if key != path {
        return Some(key);
    }
    let is_of_pattern = |pattern: &&String| {
        let pattern = design_selection::normal(pattern);
        is_glob(pattern.into()) && design_selection::matches(pattern, path)
    };
    let pattern = settings.standing.iter().find(is_of_pattern)?;
    Some(pattern.as_str().into())
}
