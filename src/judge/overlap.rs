//! The open designs of all branches and of the work tree, and the files that more than one of them names.
//!
//! A design is open where it is the work of a branch: the branch has added or changed it, and the target branch does not
//! have this version yet. On the target branch itself, a design is open if it was changed recently and is not done
//! (`[lld] done`).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use gix::ObjectId;
use gix::bstr::{BStr, BString};

use super::facts::settings_of_head;
use super::policy_loader::matching_among;
use super::tree_view::work_tree;
use write_guard_policy::change::State;
use write_guard_policy::design;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::{Node, TreeView, below_directory, escaped};
use write_guard_policy::policy::{self, normal_pattern};
use write_guard_policy::scope::done;
use write_guard_policy::scope::glob::{directory_above, is_glob};
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
    /// The target branch, if it is known.
    target: Option<MergeTarget<'a>>,
    /// The recent commits of the target branch: a branch that ends at one is merged.
    merged: HashSet<ObjectId>,
    /// The designs by which a directory differs from the target branch; many branches share one.
    differing: HashMap<(BString, ObjectId), Vec<FoundDocument>>,
    /// Whether a path is that of an open design.
    open_paths: HashMap<BString, bool>,
    parsed: HashMap<FoundDocument, Vec<Grant>>,
    designs: BTreeMap<BString, OpenDesign>,
    branches: usize,
}

/// The branch that work is merged into.
struct MergeTarget<'a> {
    name: String,
    tip: Commit,
    tree: Tree<'a>,
    /// The files of the directories in which done work is noted.
    listed: HashMap<BString, Vec<BString>>,
}

impl MergeTarget<'_> {
    /// Whether the branch has a file that this pattern matches.
    fn has(&mut self, pattern: &BStr) -> Result<bool> {
        if !is_glob(pattern) {
            return Ok(self.tree.get(pattern)?.is_some());
        }
        let directory = directory_above(pattern);
        if !self.listed.contains_key(directory) {
            let files = self.tree.files_below(directory)?;
            self.listed.insert(directory.to_owned(), files);
        }
        Ok(!matching_among(pattern, &self.listed[directory]).is_empty())
    }
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
            differing: HashMap::new(),
            open_paths: HashMap::new(),
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
        let tree = Tree::at(self.repo.objects(), tip.tree);
        for directory in self.directories.clone() {
            let Some(id) = tree.directory_id(directory.as_ref())? else {
                continue;
            };
            let place = (directory, id);
            let known = self.differing.remove(&place);
            let documents = match known {
                Some(documents) => documents,
                None => self.documents_beyond_target(&place)?,
            };
            for document in &documents {
                self.open_stored((name, Some(tip.time)), document)?;
            }
            self.differing.insert(place, documents);
        }
        Ok(())
    }

    /// The open designs in a directory that the target branch does not have, or not in this version.
    fn documents_beyond_target(
        &mut self,
        (directory, id): &(BString, ObjectId),
    ) -> Result<Vec<FoundDocument>> {
        let target = self.target.as_ref();
        let old = target.map(|target| target.tree.directory_id(directory.as_ref()));
        let old = old.transpose()?.flatten();
        let old = old.unwrap_or_else(|| ObjectId::empty_tree(id.kind()));
        let mut found = Vec::new();
        for change in changes_between(self.repo.objects(), old, *id)? {
            let path = below_directory(directory, &change.path);
            let known = change.old.map(|known| known.id);
            let is_new = |now: &State| now.kind.is_file() && known != Some(now.id);
            if let Some(now) = change.new.filter(is_new)
                && self.is_open_design(&path)?
            {
                found.push((path, now.id));
            }
        }
        Ok(found)
    }

    /// Reads the designs of the target branch that were changed recently, and keeps in mind which commits it has.
    fn read_target(&mut self) -> Result<()> {
        let Some(target) = &self.target else {
            return Ok(());
        };
        self.branches += 1;
        let name = target.name.clone();
        let tree = target.tree.clone();
        let mut changed: BTreeMap<BString, i64> = BTreeMap::new();
        for commit in self.repo.commits_since(target.tip.id, self.since)? {
            self.merged.insert(commit.id);
            for path in self.changed_documents(&commit)? {
                changed.entry(path).or_insert(commit.time);
            }
        }
        for (path, time) in changed {
            let state = tree.get(path.as_ref())?;
            if let Some(state) = state.filter(|state| state.kind.is_file())
                && self.is_open_design(&path)?
            {
                self.open_stored((&name, Some(time)), &(path, state.id))?;
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
            let old = old?.unwrap_or(none);
            let new = new?.unwrap_or(none);
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

    /// Whether a path is that of a design of some work, which is not done on the target branch.
    fn is_open_design(&mut self, path: &BString) -> Result<bool> {
        if let Some(known) = self.open_paths.get(path) {
            return Ok(*known);
        }
        let is_open = self.is_of_open_work(path.as_ref())?;
        self.open_paths.insert(path.clone(), is_open);
        Ok(is_open)
    }

    fn is_of_open_work(&mut self, path: &BStr) -> Result<bool> {
        let settings = self.settings;
        if !policy::is_design(settings, path) || policy::is_standing(settings, path) {
            return Ok(false);
        }
        let Some(target) = &mut self.target else {
            return Ok(true);
        };
        for sign in done::signs_of(path, settings.lld_path.iter(), &settings.done) {
            if target.has(sign.as_ref())? {
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
                    Node::Entry(kind) if kind.is_file() && self.is_open_design(&path)? => {
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

    /// Adds a version of a design that git has. Branches share versions, so each is read once.
    fn open_stored(&mut self, branch: BranchAge<'_>, document: &FoundDocument) -> Result<()> {
        let mut content = Vec::new();
        if !self.parsed.contains_key(document) {
            self.repo.objects().blob(document.1, &mut content)?;
        }
        self.open(branch, document.clone(), &content);
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
fn target<'a>(repo: &'a Repository, settings: &Settings) -> Result<Option<MergeTarget<'a>>> {
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
    let Some(tip) = tip.map(|tip| repo.commit(tip)).transpose()? else {
        return Ok(None);
    };
    let tree = Tree::at(repo.objects(), tip.tree);
    Ok(Some(MergeTarget {
        name,
        tip,
        tree,
        listed: HashMap::new(),
    }))
}

fn entries(boundary: &Boundary, directory: &BStr) -> Result<Vec<(BString, Node)>> {
    let entries = boundary.entries(directory);
    entries.map_err(|error| Error::new(error.to_string()))
}
