//! The open designs of all branches and of the work tree, and the files that more than one of them names.
//!
//! A design is open where it is the work of a branch: the branch has added or changed it, and the target branch does not
//! have this version yet. On the target branch itself, a design is open if it was changed recently and is not done
//! (`[lld] done`).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use gix::ObjectId;
use gix::bstr::{BStr, BString};

use super::facts::settings_of_head;
use super::policy_loader::matching;
use super::tree_view::work_tree;
use write_guard_policy::design;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::{Node, TreeView, below_directory, escaped};
use write_guard_policy::policy::{self, normal_pattern};
use write_guard_policy::scope::done;
use write_guard_policy::scope::glob::directory_above;
use write_guard_policy::scope::overlap::{Overlap, overlaps};
use write_guard_policy::scope::settings::{MAX_SIZE, Settings};
use write_guard_policy::scope::{Grant, path_placeholders};
use write_guard_repo::boundary::Boundary;
use write_guard_repo::{Commit, PushSide, Repository, Tree, changes_between};

/// Older branches are someone's past.
const RECENT_DAYS: i64 = 90;

/// The name of what no branch has yet.
pub(crate) const WORK_TREE: &str = "the work tree";

/// What to compare.
#[derive(Debug, Clone, Default)]
pub struct OverlapOptions {
    /// Branches or commits; empty for all branches and the work tree.
    pub refs: Vec<String>,
    /// Whether branches and designs of any age count.
    pub all: bool,
}

/// A design that is being worked on.
#[derive(Debug)]
pub struct OpenDesign {
    /// The document, or the directory whose documents are one design.
    pub path: BString,
    /// The branches that have it, and [`WORK_TREE`].
    pub branches: BTreeSet<String>,
    /// When the newest of them was last committed to, in seconds since 1970; `None` for the work tree alone.
    pub committed: Option<i64>,
    /// Its rows.
    pub grants: Vec<Grant>,
}

/// The open designs, and how they meet.
#[derive(Debug, Default)]
pub struct OpenDesigns {
    /// In the order of their paths.
    pub designs: Vec<OpenDesign>,
    /// The number of branches that were looked at.
    pub branches: usize,
}

impl OpenDesigns {
    /// The paths that at least two of them name.
    pub fn overlaps(&self) -> Vec<Overlap<'_>> {
        let grants: Vec<&[Grant]> = self
            .designs
            .iter()
            .map(|design| design.grants.as_slice())
            .collect();
        overlaps(&grants)
    }
}

/// Reads the open designs.
///
/// # Errors
/// A ref, the settings, a tree or a design cannot be read.
pub fn open_designs(repo: &Repository, options: &OverlapOptions) -> Result<OpenDesigns> {
    designs_open_by(repo, &settings_of_head(repo)?, options)
}

fn designs_open_by(
    repo: &Repository,
    settings: &Settings,
    options: &OverlapOptions,
) -> Result<OpenDesigns> {
    let now = gix::date::Time::now_utc().seconds;
    let since = if options.all {
        i64::MIN
    } else {
        now - RECENT_DAYS * 24 * 60 * 60
    };
    let mut reader = OpenDesignReader::new(repo, settings, since)?;
    if options.refs.is_empty() {
        reader.read_branches()?;
        reader.read_work_tree()?;
    } else {
        for name in &options.refs {
            let commit = repo.commit(repo.revision(name)?)?;
            reader.read_branch(name, &commit)?;
        }
    }
    Ok(reader.finish())
}

/// One sentence about the files of these designs that other open designs name, too, or why guard cannot tell; `None` if
/// there are none. Other branches are not this work's, so what is wrong with them stops nothing.
pub fn note_on_overlap(repo: &Repository, own: &[BString]) -> Option<String> {
    overlap_in_words(repo, own).unwrap_or_else(|error| {
        let why = error.message;
        Some(format!(
            "the designs of other branches cannot be compared: {why}"
        ))
    })
}

fn overlap_in_words(repo: &Repository, own: &[BString]) -> Result<Option<String>> {
    if own.is_empty() {
        return Ok(None);
    }
    let settings = settings_of_head(repo)?;
    let open = designs_open_by(repo, &settings, &OverlapOptions::default())?;
    let own: HashSet<BString> = own
        .iter()
        .map(|path| policy::design_of(&settings, path.as_ref()))
        .collect();
    let is_own = |design: usize| own.contains(&open.designs[design].path);
    let mut shared = Vec::new();
    for overlap in open.overlaps() {
        let mut claims = overlap.claims.iter();
        let has_own = claims.any(|claim| is_own(claim.design));
        if has_own && overlap.claims.iter().any(|claim| !is_own(claim.design)) {
            shared.push(overlap.path);
        }
    }
    let Some(first) = shared.first() else {
        return Ok(None);
    };
    let first = escaped(first);
    Ok(Some(match shared.len() {
        1 => format!("another open design names {first}, too: guard scope overlap"),
        count => format!(
            "other open designs name {count} of these paths, too, such as {first}: guard scope overlap"
        ),
    }))
}

/// A document and the id of its content.
type FoundDocument = (BString, ObjectId);

/// A branch, and when it was last committed to.
type BranchAge<'a> = (&'a str, Option<i64>);

struct OpenDesignReader<'a> {
    repo: &'a Repository,
    settings: &'a Settings,
    since: i64,
    /// The directories in which designs stand.
    directories: BTreeSet<BString>,
    /// The target branch and its tip, if they are known.
    target: Option<(String, Commit)>,
    /// The recent commits of the target branch: a branch that ends at one is merged.
    merged: HashSet<ObjectId>,
    /// The designs in a directory that was read before; most branches share it.
    listed: HashMap<(BString, ObjectId), Vec<FoundDocument>>,
    parsed: HashMap<FoundDocument, Vec<Grant>>,
    designs: BTreeMap<BString, OpenDesign>,
    branches: usize,
}

impl<'a> OpenDesignReader<'a> {
    fn new(
        repo: &'a Repository,
        settings: &'a Settings,
        since: i64,
    ) -> Result<OpenDesignReader<'a>> {
        let directories = settings.lld_path.iter().map(|pattern| {
            let pattern = path_placeholders::for_any_name(pattern);
            directory_above(normal_pattern(&pattern).into()).to_owned()
        });
        Ok(OpenDesignReader {
            repo,
            settings,
            since,
            directories: directories.collect(),
            target: target(repo, settings)?,
            merged: HashSet::new(),
            listed: HashMap::new(),
            parsed: HashMap::new(),
            designs: BTreeMap::new(),
            branches: 0,
        })
    }

    fn read_branches(&mut self) -> Result<()> {
        self.read_target()?;
        for prefix in ["refs/heads/", "refs/remotes/"] {
            for (name, tip) in self.repo.branches(prefix)? {
                let is_merged = tip.is_none_or(|tip| self.merged.contains(&tip));
                let Some(tip) = tip.filter(|_| !is_merged) else {
                    continue;
                };
                let commit = self.repo.commit(tip)?;
                if commit.time >= self.since {
                    self.read_branch(&name.to_string(), &commit)?;
                }
            }
        }
        Ok(())
    }

    /// Reads the designs that a branch has, and the target branch does not.
    fn read_branch(&mut self, name: &str, tip: &Commit) -> Result<()> {
        self.branches += 1;
        let objects = self.repo.objects();
        let tree = Tree::at(objects, tip.tree);
        let target = self.target.as_ref();
        let target = target.map(|(_, target)| Tree::at(objects, target.tree));
        for (path, blob) in self.documents(&tree)? {
            let known = target.as_ref().map(|target| target.get(path.as_ref()));
            let known = known.transpose()?.flatten();
            if known.is_none_or(|known| known.id != blob) {
                self.open_in(&tree, (name, Some(tip.time)), (path, blob))?;
            }
        }
        Ok(())
    }

    /// Reads the designs of the target branch that were changed recently, and keeps in mind which commits it has.
    fn read_target(&mut self) -> Result<()> {
        let Some((name, target)) = self.target.clone() else {
            return Ok(());
        };
        self.branches += 1;
        let mut changed: HashMap<BString, i64> = HashMap::new();
        for commit in self.repo.commits_since(target.id, self.since)? {
            self.merged.insert(commit.id);
            for path in self.changed_documents(&commit)? {
                changed.entry(path).or_insert(commit.time);
            }
        }
        let tree = Tree::at(self.repo.objects(), target.tree);
        for (path, blob) in self.documents(&tree)? {
            if let Some(time) = changed.get(&path) {
                self.open_in(&tree, (&name, Some(*time)), (path, blob))?;
            }
        }
        Ok(())
    }

    /// The paths in the directories of designs that a commit changes against its first parent.
    fn changed_documents(&self, commit: &Commit) -> Result<Vec<BString>> {
        let objects = self.repo.objects();
        let parent = commit
            .parents
            .first()
            .filter(|parent| self.repo.has(**parent));
        let parent = self.repo.tree_of(parent.copied())?;
        let tree = Tree::at(objects, commit.tree);
        let none = ObjectId::empty_tree(tree.id().kind());
        let mut paths = Vec::new();
        for directory in &self.directories {
            let ids = [&parent, &tree].map(|tree| tree.directory_id(directory.as_ref()));
            let [old, new] = ids;
            let (old, new) = (old?.unwrap_or(none), new?.unwrap_or(none));
            if old != new {
                let changes = changes_between(objects, old, new)?;
                paths.extend(
                    changes
                        .into_iter()
                        .map(|change| below_directory(directory, &change.path)),
                );
            }
        }
        Ok(paths)
    }

    /// The designs of a tree, without those that always apply.
    fn documents(&mut self, tree: &Tree<'_>) -> Result<Vec<FoundDocument>> {
        let mut documents = Vec::new();
        for directory in self.directories.clone() {
            let Some(id) = tree.directory_id(directory.as_ref())? else {
                continue;
            };
            let place = (directory, id);
            if !self.listed.contains_key(&place) {
                let mut found = Vec::new();
                for path in tree.files_below(place.0.as_ref())? {
                    if self.is_open_design(path.as_ref())?
                        && let Some(state) = tree.get(path.as_ref())?
                        && state.kind.is_file()
                    {
                        found.push((path, state.id));
                    }
                }
                self.listed.insert(place.clone(), found);
            }
            documents.extend(self.listed.get(&place).into_iter().flatten().cloned());
        }
        Ok(documents)
    }

    /// Whether a path is that of a design of some work, which is not done on the target branch.
    fn is_open_design(&self, path: &BStr) -> Result<bool> {
        let settings = self.settings;
        if !policy::is_design(settings, path) || policy::is_standing(settings, path) {
            return Ok(false);
        }
        let Some((_, target)) = &self.target else {
            return Ok(true);
        };
        let target = Tree::at(self.repo.objects(), target.tree);
        for sign in done::signs_of(path, settings.lld_path.iter(), &settings.done) {
            if !matching(sign.as_ref(), &target)?.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads the designs that the work tree has otherwise than HEAD.
    fn read_work_tree(&mut self) -> Result<()> {
        let Ok(root) = self.repo.own_workdir() else {
            return Ok(());
        };
        let boundary = work_tree(root)?;
        let head = self.repo.tree_of(self.repo.head_commit()?)?;
        let mut left: Vec<BString> = self.directories.iter().cloned().collect();
        while let Some(directory) = left.pop() {
            let is_there =
                directory.is_empty() || boundary.entry(directory.as_ref()) == Some(Node::Directory);
            if !is_there {
                continue;
            }
            for (name, node) in entries(&boundary, directory.as_ref())? {
                let path = below_directory(&directory, &name);
                match node {
                    Node::Directory if name != ".git" => left.push(path),
                    Node::Entry(kind)
                        if kind.is_file() && self.is_open_design(path.as_ref())? =>
                    {
                        self.read_file(&boundary, &head, path)?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn read_file(&mut self, boundary: &Boundary, head: &Tree<'_>, path: BString) -> Result<()> {
        // What guard does not read, such as a file with other hard links, is no design.
        let Ok(Some(file)) = boundary.read(path.as_ref(), MAX_SIZE) else {
            return Ok(());
        };
        let blob = self.repo.stored_id(path.as_ref(), &file.content)?;
        if head
            .get(path.as_ref())?
            .is_none_or(|known| known.id != blob)
        {
            self.open((WORK_TREE, None), (path, blob), &file.content);
        }
        Ok(())
    }

    /// Adds a version of a design in a tree. Branches share versions, so each is read once.
    fn open_in(
        &mut self,
        tree: &Tree<'_>,
        branch: BranchAge<'_>,
        document: FoundDocument,
    ) -> Result<()> {
        let content = if self.parsed.contains_key(&document) {
            Vec::new()
        } else {
            tree.read(document.0.as_ref())?.unwrap_or_default()
        };
        self.open(branch, document, &content);
        Ok(())
    }

    /// Adds a version of a design that a branch has. The content is read if the version is new.
    fn open(
        &mut self,
        (branch, committed): BranchAge<'_>,
        document: FoundDocument,
        content: &[u8],
    ) {
        let settings = self.settings;
        let design = policy::design_of(settings, document.0.as_ref());
        let grants = self
            .parsed
            .entry(document)
            .or_insert_with_key(|(path, _)| design::parse(path.as_ref(), content, settings).grants);
        let open = self
            .designs
            .entry(design.clone())
            .or_insert_with(|| OpenDesign {
                path: design,
                branches: BTreeSet::new(),
                committed: None,
                grants: Vec::new(),
            });
        open.branches.insert(branch.to_owned());
        open.committed = open.committed.max(committed);
        for grant in grants.iter() {
            let is_known = open.grants.iter().any(|known| {
                (&known.path, known.kind, known.actions) == (&grant.path, grant.kind, grant.actions)
            });
            if !is_known {
                open.grants.push(grant.clone());
            }
        }
    }

    fn finish(self) -> OpenDesigns {
        let designs = self.designs.into_values();
        OpenDesigns {
            designs: designs.filter(|design| !design.grants.is_empty()).collect(),
            branches: self.branches,
        }
    }
}

/// The branch that work is merged into: of the remote or, without one there, the local branch that the settings name.
fn target(repo: &Repository, settings: &Settings) -> Result<Option<(String, Commit)>> {
    let base = settings.base.as_deref();
    let remote = repo.target(base, PushSide::Local("origin"))?;
    let (name, tip) = match (remote, base) {
        (Some(remote), _) => (remote.name.to_string(), remote.tip),
        (None, Some(base)) => {
            let tip = repo.commit_of_ref(&format!("refs/heads/{base}"))?;
            (base.to_owned(), tip)
        }
        (None, None) => return Ok(None),
    };
    let commit = tip.map(|tip| repo.commit(tip)).transpose()?;
    Ok(commit.map(|commit| (name, commit)))
}

fn entries(boundary: &Boundary, directory: &BStr) -> Result<Vec<(BString, Node)>> {
    let entries = boundary.entries(directory);
    entries.map_err(|error| Error::new(error.to_string()))
}
