//! Lints design documents: their own mistakes, and whether their rows fit the existing files.

// Lints designs as they are on disk.
#![allow(clippy::disallowed_methods)]

use std::collections::HashSet;
use std::path::PathBuf;

use gix::bstr::{BStr, BString, ByteSlice};

use super::Options;
use super::facts::BaseCommit;
use super::policy_loader::{Choice, LocatedDesigns, declares_nothing, locate};
use super::scope::listed;
use super::tree_view::{GitTreeView, in_repository, work_tree};
use crate::design::{self, Design};
use crate::error::{Error, Result};
use crate::finding::{Finding, Rule};
use crate::git::{Index, Repository, Tree, show_file};
use crate::path::escaped;
use crate::policy;
use crate::rules::{self, DesignContext, ResultTree};
use crate::scope::Scope;
use crate::scope::glob::is_glob;
use crate::scope::settings::Settings;
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
    let head = BaseCommit::new(repo, repo.head_commit()?)?;
    let tree = match &index {
        Some(index) => index.tree()?,
        None => head.tree().clone(),
    };
    let mut located = locate(repo, Some(tree.clone()), options)?;
    let base = match head.merge_base(repo, located.settings.base.as_deref()) {
        Ok(base) => base.map(|(_, tree)| tree),
        Err(error) => {
            located.notes.push(error.message);
            None
        }
    };
    let mut report = ScopeListing {
        notes: std::mem::take(&mut located.notes),
        ..ScopeListing::default()
    };
    let (tree_view, head_view) = (GitTreeView::of(&tree), GitTreeView::of(head.tree()));
    let base_view = base.map(GitTreeView::of);
    let of_base = base_view.as_ref().map(|view| view as &dyn ResultTree);
    let disk = repo.workdir().ok().map(work_tree).transpose()?;
    let disk = disk.as_ref().filter(|_| !choice.staged);
    let disk = disk.map(|disk| disk as &dyn ResultTree);
    let there = [disk, Some(&tree_view), Some(&head_view), of_base];
    let lint = DesignLint {
        repo,
        choice,
        located: &located,
        tree: &tree,
        head: head.tree(),
        base,
        there: there.into_iter().flatten().collect(),
        head_view: &head_view,
        base_view: of_base,
    };
    // Named files that could not be read, and the faults of documents that declare nothing, each with its group.
    let (mut unread, mut silent) = (Vec::new(), Vec::new());
    let mut declared = HashSet::new();
    for document in lint.documents()? {
        let path = document.path.as_bstr();
        let (bytes, from) = match lint.read(path)? {
            Ok(read) => read,
            Err(why) => {
                unread.push(Finding::new(Rule::DesignNoTable, path, why));
                continue;
            }
        };
        let design = lint.parse(path, &bytes);
        let mut findings = design.findings();
        if let Some(group) = &document.group {
            if !design.is_usable() && declares_nothing(&design) {
                silent.push((group.clone(), findings));
                report.texts.insert(design.path, design.text);
                continue;
            }
            declared.insert(group.clone());
        }
        if document.is_current || lint.is_changed(path, &bytes)? {
            findings.extend(lint.against_files(&design, &bytes)?);
        }
        report.problems.extend(findings);
        report.designs.push(DesignUsed {
            path: design.path.clone(),
            from: from.to_owned(),
            selected_by: document.by,
            grants: design.grants.len(),
        });
        let now: (&dyn ResultTree, _) = (&tree_view, lint.there[0]);
        let grants = listed(&located.settings, design.grants, &head_view, Some(now));
        report.grants.extend(grants);
        report.mentions.extend(design.mentions);
        report.texts.insert(design.path, design.text);
    }
    // The others of the group may come in later commits.
    silent.retain(|(group, _)| !choice.staged && !declared.contains(group));
    report
        .problems
        .extend(silent.into_iter().flat_map(|(_, findings)| findings));
    if let (true, Some((first, others))) = (report.designs.is_empty(), unread.split_first()) {
        let error = Error::new(first.message.clone());
        return Err(others.iter().fold(error, |error, other| {
            error.help(format!("and {}", other.message))
        }));
    }
    report.problems.extend(unread);
    for view in [tree_view, head_view].into_iter().chain(base_view) {
        view.finish()?;
    }
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

/// What the documents are compared with.
struct DesignLint<'a> {
    repo: &'a Repository,
    choice: &'a DocumentChoice,
    located: &'a LocatedDesigns,
    /// The tree of the next commit; in a bare repository, that of HEAD.
    tree: &'a Tree<'a>,
    head: &'a Tree<'a>,
    /// The tree where the work began.
    base: Option<&'a Tree<'a>>,
    /// The trees in which a file counts as existing, the current one first.
    there: Vec<&'a dyn ResultTree>,
    head_view: &'a dyn ResultTree,
    base_view: Option<&'a dyn ResultTree>,
}

impl DesignLint<'_> {
    fn documents(&self) -> Result<Vec<Document>> {
        let (choice, settings) = (self.choice, &self.located.settings);
        let own: &[Choice] = self.located.own.as_deref().unwrap_or_default();
        let by_hand = &self.located.by_hand;
        let is_own = |path: &BStr| own.iter().any(|choice| choice.path == path);
        let is_design = |path: &BStr| {
            policy::is_design(settings, path)
                || is_own(path)
                || by_hand.iter().any(|chosen| chosen == path)
        };
        let document = |path: BString, by: &str| Document {
            is_current: is_own(path.as_ref()),
            group: group(settings, path.as_ref()),
            path,
            by: by.to_owned(),
        };
        if choice.staged || choice.all {
            let is_nowhere = settings.lld_path.is_empty() && settings.standing.is_empty();
            if let (true, Err(error)) = (is_nowhere && by_hand.is_empty(), &self.located.own) {
                return Err(error.clone());
            }
        }
        let mut documents = Vec::new();
        if !choice.files.is_empty() {
            for file in &choice.files {
                let path = in_repository(self.repo, file)?;
                if !choice.staged {
                    documents.push(Document {
                        is_current: true,
                        group: None,
                        ..document(path, "command line")
                    });
                } else if is_design(path.as_ref()) {
                    documents.push(document(path, "command line"));
                }
            }
        } else if choice.all || choice.staged {
            let by = if choice.all { "--all" } else { "--staged" };
            let mut paths = self.tree.files_below(BStr::new(""))?;
            paths.retain(|path| is_design(path.as_ref()));
            if !choice.staged {
                paths.extend(own.iter().map(|choice| choice.path.clone()));
                paths.sort();
                paths.dedup();
            }
            for path in paths {
                if choice.all || self.is_staged(path.as_ref())? {
                    documents.push(document(path, by));
                }
            }
            if documents.is_empty() && choice.all {
                return Err(Error::new("no file matches `[lld] path` in guard.toml")
                    .help("correct the setting, or name the documents: guard scope check FILE"));
            }
        } else {
            let own = self.located.own.as_ref().map_err(Error::clone)?;
            for choice in own.iter().chain(&self.located.standing) {
                let by = choice.by.clone();
                documents.push(Document {
                    group: choice.is_found.then(|| by.as_str().into()),
                    ..document(choice.path.clone(), &by)
                });
            }
        }
        Ok(documents)
    }

    /// Whether the commit would change the file.
    fn is_staged(&self, path: &BStr) -> Result<bool> {
        Ok(self.tree.get(path)? != self.head.get(path)?)
    }

    /// The document and the name of its version; `Err` says why there is none.
    fn read(&self, path: &BStr) -> Result<Result<(Vec<u8>, &'static str), String>> {
        let not_a_file = || Ok(Err(format!("{} is not a regular file", escaped(path))));
        if self.choice.staged {
            return match self.tree.read(path)? {
                Some(bytes) => Ok(Ok((bytes, "index"))),
                None if self.tree.get(path)?.is_some() => not_a_file(),
                None => Ok(Err(format!("{} is not staged", escaped(path)))),
            };
        }
        if let Ok(file) = self.repo.work_tree_file(path)
            && let Ok(metadata) = file.symlink_metadata()
        {
            if !metadata.is_file() {
                return not_a_file();
            }
            let bytes = std::fs::read(&file).map_err(|error| {
                Error::new(format!("{} cannot be read: {error}", show_file(&file)))
            })?;
            return Ok(Ok((bytes, "work tree")));
        }
        let committed = self.head.read(path)?.map(|bytes| (bytes, "HEAD"));
        Ok(committed.ok_or_else(|| format!("there is no design at {}", escaped(path))))
    }

    fn parse(&self, path: &BStr, bytes: &[u8]) -> Design {
        design::parse(path, bytes, &self.located.settings)
    }

    /// Whether this work changes the document.
    fn is_changed(&self, path: &BStr, bytes: &[u8]) -> Result<bool> {
        let before = self.base.unwrap_or(self.head).read(path)?;
        Ok(before.as_deref() != Some(bytes))
    }

    fn against_files(&self, design: &Design, bytes: &[u8]) -> Result<Vec<Finding>> {
        let path = design.path.as_ref();
        let agreed = match self.head.read(path)? {
            Some(head) if head == bytes => Scope::new(design.grants.clone()),
            Some(head) => Scope::new(self.parse(path, &head).grants),
            None => Scope::default(),
        };
        Ok(rules::check_design_rows(
            design,
            &DesignContext {
                there: &self.there,
                merge_base: self.base_view,
                head: self.head_view,
                agreed: &agreed,
            },
        ))
    }
}

/// What a document is one of several of: its directory or a standing pattern.
fn group(settings: &Settings, path: &BStr) -> Option<BString> {
    let key = policy::design_of(settings, path);
    if key != path {
        return Some(key);
    }
    let is_of_pattern = |pattern: &&String| {
        let pattern = policy::normal_pattern(pattern);
        is_glob(pattern.into()) && policy::pattern_matches(pattern, path)
    };
    let pattern = settings.standing.iter().find(is_of_pattern)?;
    Some(pattern.as_str().into())
}
