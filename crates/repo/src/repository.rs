//! Opens a repository and reads its configuration.

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice, ByteVec};

use super::objects::{MAX_MEMORY, Objects};
use super::program::{Git, PrivateObjects, enter_quarantine, told};
use super::{cannot_open, failed, real_path, show_file};
use crate::boundary::bytes;
use crate::disk::absolute;
use write_guard_policy::change::blob_id;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::{Platform, escaped, from_directory};
use write_guard_policy::policy::branch_of_ref;

/// A git repository, which guard reads in process.
///
/// ```
/// use write_guard_repo::Repository;
///
/// let directory = tempfile::tempdir()?;
/// let made = std::process::Command::new("git")
///     .args(["init", "--quiet", "--initial-branch=188-add-a"])
///     .current_dir(&directory)
///     .status()?;
/// assert!(made.success());
///
/// let repository = Repository::open(directory.path())?;
/// assert!(repository.branch()?.is_some_and(|branch| branch.name == "188-add-a"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Repository {
    pub(super) repo: gix::Repository,
    /// The root of the work tree; `None` for a bare repository.
    pub(super) workdir: Option<PathBuf>,
    /// The submodules of the index.
    pub(super) gitlinks: OnceCell<Vec<BString>>,
    /// The current directory below the root.
    prefix: OnceCell<Option<BString>>,
    /// Reads trees.
    pub(super) objects: Objects,
    /// Objects that are not in the repository, kept while it is read.
    pub(super) private: Vec<PrivateObjects>,
    /// What a fresh clone would have checked out: it counts as HEAD, and what this clone keeps for branches does not.
    pub(super) checked_out: Option<ObjectId>,
}

/// CI variables with the branch of a pull request, most specific first.
const CI_VARIABLES: &[&str] = &[
    "GITHUB_HEAD_REF",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
    "CI_COMMIT_BRANCH",
    "BITBUCKET_BRANCH",
    "SYSTEM_PULLREQUEST_SOURCEBRANCH",
    "BUILDKITE_BRANCH",
    "CHANGE_BRANCH",
];

/// Begins the names of branches that an agent makes for work trees of its own.
const OF_AGENTS: &[u8] = b"worktree-";
/// The key below `branch.NAME` with the branch that it was made from.
const MADE_FROM: &str = "guardMadeFrom";

/// An entry of the log of a ref.
struct LogEntry<'a> {
    /// In seconds since 1970.
    time: i64,
    /// What git says about it.
    message: &'a [u8],
}

impl LogEntry<'_> {
    fn of(line: &[u8]) -> Option<LogEntry<'_>> {
        let (about, message) = line.split_once_str("\t")?;
        let time = about.rsplit_str(" ").nth(1)?;
        let time = time.to_str().ok()?.parse().ok()?;
        Some(LogEntry { time, message })
    }
}

/// The branch that the content of a `HEAD` names.
fn of_head(head: &[u8]) -> Option<BString> {
    let name = head.trim().strip_prefix(b"ref: refs/heads/")?;
    Some(name.into())
}

/// A branch and how it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The short name, such as `188-enforce-paths`.
    pub name: BString,
    /// `HEAD`, `rebase`, or the name of the CI variable.
    pub source: &'static str,
}

impl Branch {
    fn new(name: &[u8], source: &'static str) -> Branch {
        Branch {
            name: name.into(),
            source,
        }
    }
}

impl Repository {
    /// Opens the repository that git would use in `dir`, respecting `GIT_DIR`, `GIT_WORK_TREE` and `GIT_INDEX_FILE`.
    ///
    /// # Errors
    /// There is no repository, another user owns it, or its format is not supported.
    pub fn open(dir: &Path) -> Result<Repository> {
        let options = gix::open::Options::default()
            .bail_if_untrusted(true)
            .lossy_config(true)
            // A replace ref would make guard judge other objects than those committed.
            .cli_overrides([
                "core.useReplaceRefs=false".to_owned(),
                format!("gitoxide.objects.allocLimit={MAX_MEMORY}"),
            ]);
        let trust = gix::sec::trust::Mapping {
            full: options.clone(),
            reduced: options,
        };
        let discover = gix::discover::upwards::Options {
            match_ceiling_dir_or_error: false,
            ..Default::default()
        };
        let mut repo = gix::ThreadSafeRepository::discover_with_environment_overrides_opts(
            dir, discover, trust,
        )
        .map_err(|error| cannot_open(dir, error))?
        .to_thread_local();
        let workdir = repo.workdir().map(Path::to_owned);
        let workdir = workdir.or_else(|| work_tree_of_git_dir(&repo, dir));
        let quarantine = enter_quarantine(&mut repo)?;
        let shallow = repo.shallow_commits();
        let shallow = shallow.map_err(failed("the list of shallow commits cannot be read"))?;
        let boundary = shallow.iter().flat_map(|commits| commits.iter().copied());
        let repository = Repository {
            objects: Objects::new(repo.objects.clone(), boundary.collect())
                .partial(is_partial(&repo)),
            repo,
            workdir,
            gitlinks: OnceCell::new(),
            prefix: OnceCell::new(),
            private: quarantine.into_iter().collect(),
            checked_out: None,
        };
        repository.refuse_unreadable_formats()?;
        Ok(repository)
    }

    /// gix cannot read these; reporting "no changes" instead would accept everything.
    fn refuse_unreadable_formats(&self) -> Result<()> {
        let config = self.repo.config_snapshot();
        if let Some(storage) = config.string("extensions.refStorage")
            && !storage.eq_ignore_ascii_case(b"files")
        {
            let storage = format!("{}, which guard cannot read", escaped(&storage));
            return Err(
                Error::new(format!("the repository keeps its refs as {storage}"))
                    .help("convert it with `git refs migrate --ref-format=files`"),
            );
        }
        let version = config.integer("core.repositoryFormatVersion").unwrap_or(0);
        let what = match version {
            ..=0 => None,
            1 => unknown_extension(&config).map(|name| format!("the extension {name}")),
            _ => Some(format!("the repository format {version}")),
        };
        what.map_or(Ok(()), |what| {
            let message = format!("the repository uses {what}, which guard does not support");
            Err(Error::new(message).help("use a newer guard"))
        })
    }

    /// The root of the work tree.
    ///
    /// # Errors
    /// The repository is bare.
    pub fn workdir(&self) -> Result<&Path> {
        self.workdir.as_deref().ok_or_else(|| {
            Error::new("this is a bare repository: it has no index and no work tree to check")
                .help("run guard in a clone of it")
        })
    }

    /// The file at a path of the work tree.
    ///
    /// # Errors
    /// The repository is bare, or this system cannot have such a name.
    pub fn work_tree_file(&self, path: &BStr) -> Result<PathBuf> {
        let relative = gix::path::from_bstr(path);
        let relative = relative.map_err(failed(format!("{} names no file", escaped(path))))?;
        Ok(self.workdir()?.join(relative))
    }

    /// What is at a path of the work tree, if it can be seen; a link is not followed.
    pub fn metadata_of(&self, path: &BStr) -> Option<fs::Metadata> {
        self.work_tree_file(path).ok()?.symlink_metadata().ok()
    }

    /// The current directory relative to the root of the work tree; `None` in the root or elsewhere.
    pub fn prefix(&self) -> Option<&BString> {
        self.prefix.get_or_init(|| self.find_prefix()).as_ref()
    }

    fn find_prefix(&self) -> Option<BString> {
        let root = real_path(self.workdir.as_deref()?).ok()?;
        let here = real_path(&std::env::current_dir().ok()?).ok()?;
        let below = gix::path::into_bstr(here.strip_prefix(root).ok()?).ok()?;
        let below = gix::path::to_unix_separators_on_windows(below).into_owned();
        (!below.is_empty()).then_some(below)
    }

    /// A path given relative to the current directory, as a path from the root, or absolute.
    pub fn request(&self, path: &Path) -> BString {
        self.request_of(&bytes(path))
    }

    /// The same for the bytes of a path.
    pub fn request_of(&self, path: &[u8]) -> BString {
        let here = self
            .prefix()
            .map(|here| here.as_slice())
            .unwrap_or_default();
        from_directory(here, path, Platform::HOST)
    }

    /// The git directory of this work tree (`.git` or `.git/worktrees/NAME`).
    pub fn git_dir(&self) -> &Path {
        self.repo.git_dir()
    }

    /// The HEAD commit; `None` before the first commit.
    ///
    /// # Errors
    /// HEAD is damaged or names a missing commit.
    pub fn head_commit(&self) -> Result<Option<ObjectId>> {
        if self.checked_out.is_some() {
            return Ok(self.checked_out);
        }
        let head = self.repo.head();
        let id = head.and_then(|mut head| Ok(head.try_peel_to_id()?.map(gix::Id::detach)));
        id.map_err(failed("HEAD cannot be read"))
    }

    /// The commit of `revision`; `None` if it does not exist.
    ///
    /// # Errors
    /// It is not a commit.
    pub fn resolve_commit(&self, revision: &BStr) -> Result<Option<ObjectId>> {
        let Ok(id) = self.repo.rev_parse_single(revision) else {
            return Ok(None);
        };
        let object = id
            .object()
            .and_then(gix::Object::peel_to_commit)
            .map_err(failed(format!("{} is not a commit", escaped(revision))))?;
        Ok(Some(object.id))
    }

    /// The merge base; `None` if the histories are unrelated or the clone is too shallow.
    ///
    /// # Errors
    /// A commit is missing or damaged.
    pub fn merge_base(&self, one: ObjectId, two: ObjectId) -> Result<Option<ObjectId>> {
        let base = self
            .repo
            .merge_base(one, two)
            .map_err(failed("the merge base cannot be found"))?;
        Ok(base.map(gix::Id::detach))
    }

    /// A value of git's configuration.
    pub fn config(&self, key: &str) -> Option<BString> {
        self.repo
            .config_snapshot()
            .string(key)
            .map(|value| value.to_owned())
    }

    /// A file name in git's configuration; `~` is expanded, and a relative path starts at the root of the work tree.
    ///
    /// # Errors
    /// The value is not a path.
    pub fn config_path(&self, key: &str) -> Result<Option<PathBuf>> {
        let path = self
            .repo
            .config_snapshot()
            .trusted_path(key)
            .map_err(failed(format!("{key} cannot be read")))?;
        // In a bare repository, git runs hooks in the git directory.
        let here = self.workdir.as_deref().unwrap_or_else(|| self.git_dir());
        Ok(path.map(|path| absolute(here).join(path)))
    }

    /// The id of a blob with this content, without writing it.
    ///
    /// # Errors
    /// As for [`blob_id`].
    pub fn blob_id(&self, content: &[u8]) -> Result<ObjectId> {
        blob_id(self.repo.object_hash(), content)
    }

    /// The directory of git hooks, which may not exist: `core.hooksPath`, relative to where git runs hooks; otherwise
    /// `hooks` in the common git directory.
    ///
    /// # Errors
    /// `core.hooksPath` is not a valid path.
    pub fn hooks_directory(&self) -> Result<PathBuf> {
        let configured = self.config_path("core.hooksPath")?;
        Ok(configured.unwrap_or_else(|| absolute(self.common_dir()).join("hooks")))
    }

    /// The git directory that all work trees share.
    pub fn common_dir(&self) -> &Path {
        self.repo.common_dir()
    }

    /// The branch of HEAD. With a detached HEAD, that of the current rebase or of the CI variables.
    ///
    /// # Errors
    /// HEAD cannot be read.
    pub fn branch(&self) -> Result<Option<Branch>> {
        // What the branch points to does not matter here.
        let head = self
            .repo
            .find_reference("HEAD")
            .map_err(failed("HEAD cannot be read"))?;
        if let Some(name) = head.target().try_name() {
            return Ok(Some(Branch::new(name.shorten(), "HEAD")));
        }
        for file in ["rebase-merge/head-name", "rebase-apply/head-name"] {
            if let Ok(content) = fs::read(self.git_dir().join(file)) {
                let name = content.trim();
                // git writes "detached HEAD" if the rebase did not start on a branch.
                if let Some(name) = name.strip_prefix(b"refs/heads/") {
                    return Ok(Some(Branch::new(name, "rebase")));
                }
            }
        }
        Ok(CI_VARIABLES.iter().find_map(|&variable| {
            let value = Vec::from_os_string(std::env::var_os(variable)?).ok()?;
            let name = value.strip_prefix(b"refs/heads/").unwrap_or(&value);
            (!name.is_empty()).then(|| Branch::new(name, variable))
        }))
    }

    /// The values of `branch.<branch>.<key>`.
    pub fn branch_values(&self, branch: &BStr, key: &str) -> Vec<BString> {
        let config = self.repo.config_snapshot();
        let values = config.plumbing().strings_by("branch", Some(branch), key);
        values
            .filter(|_| self.checked_out.is_none())
            .unwrap_or_default()
    }

    /// Sets the values of `branch.<branch>.<key>` in the repository's own file, or removes the key if there are none.
    ///
    /// # Errors
    /// git is not there, another process holds the lock, or the file cannot be read or written.
    pub fn set_branch_values(&self, branch: &BStr, key: &str, values: &[BString]) -> Result<()> {
        let file = self.common_dir().join("config");
        let name = BString::from([b"branch.", branch.as_bytes(), b".", key.as_bytes()].concat());
        let mut calls = vec![("--unset-all", None)];
        calls.extend(values.iter().map(|value| ("--add", Some(value))));
        for (action, value) in calls {
            let place = file.as_os_str().as_encoded_bytes();
            let words = [b"config", b"--file", place, action.as_bytes(), &name];
            let words = words.into_iter().chain(value.map(|value| value.as_slice()));
            let git = Git::isolated(self.git_dir());
            let output = git.output(words.map(|word| word.to_os_str_lossy()), b"");
            let output = output.map_err(|why| cannot_change(&file, &why))?;
            // 5: there was nothing to remove.
            if !matches!(output.status.code(), Some(0 | 5)) {
                return Err(cannot_change(&file, &told(&output)));
            }
        }
        Ok(())
    }

    /// The branch whose designs hold here: usually that of HEAD.
    ///
    /// # Errors
    /// HEAD cannot be read.
    pub fn design_branch(&self) -> Result<Option<BString>> {
        let own = self.branch()?;
        Ok(own.and_then(|own| self.design_branch_of(own.name.as_ref())))
    }

    /// The branch whose designs hold for a branch: usually itself. A branch that an agent made for a work tree of its
    /// own is named after that, so it selects no design, unless a person chose one for it; the branch that it was made
    /// from does. No branch for what stands for none, such as the name that a merge queue makes.
    pub fn design_branch_of(&self, name: &BStr) -> Option<BString> {
        branch_of_ref(name).map(|own| self.origin_of(own))
    }

    fn origin_of(&self, name: &BStr) -> BString {
        let is_chosen = !self.branch_values(name, "guardDesign").is_empty();
        if !name.starts_with(OF_AGENTS) || is_chosen || self.checked_out.is_some() {
            return name.to_owned();
        }
        let recorded = self.branch_values(name, MADE_FROM).into_iter().next();
        let found = recorded.or_else(|| self.made_from(name)).or_else(|| {
            let head = fs::read(self.common_dir().join("HEAD")).ok()?;
            of_head(&head)
        });
        // Repositories with reftables keep HEAD elsewhere.
        let found = found.filter(|main| main != ".invalid");
        found.unwrap_or_else(|| name.to_owned())
    }

    /// Records the branch that the current one was made from, once, if an agent made it for a work tree.
    ///
    /// # Errors
    /// As for [`Repository::set_branch_values`].
    pub fn record_made_from(&self) -> Result<()> {
        let Some(own) = self.branch()?.map(|branch| branch.name) else {
            return Ok(());
        };
        let from = self.origin_of(own.as_ref());
        if from == own || !self.branch_values(own.as_ref(), MADE_FROM).is_empty() {
            return Ok(());
        }
        self.set_branch_values(own.as_ref(), MADE_FROM, &[from])
    }

    /// The branch that a branch was made from, by git's own records: the first entry of its log, and for `HEAD` where
    /// the main work tree was then.
    fn made_from(&self, name: &BStr) -> Option<BString> {
        let logs = self.common_dir().join("logs");
        let made = fs::read(logs.join(format!("refs/heads/{name}"))).ok()?;
        let first = LogEntry::of(made.lines().next()?)?;
        let from = first.message.strip_prefix(b"branch: Created from ")?;
        if from == b"HEAD" {
            let entries = fs::read(logs.join("HEAD")).ok()?;
            let mut entries = entries.lines().filter_map(LogEntry::of);
            let there = entries.find_map(|entry| {
                let rest = entry.message.strip_prefix(b"checkout: moving from ")?;
                let (left, _) = rest.split_once_str(" to ")?;
                (entry.time > first.time).then(|| BString::from(left))
            });
            return there
                .or_else(|| of_head(&fs::read(self.common_dir().join("HEAD")).ok()?))
                .filter(|branch| self.has_branch(branch));
        }
        let from = BString::from(from.strip_prefix(b"refs/heads/").unwrap_or(from));
        (from != name && self.has_branch(&from)).then_some(from)
    }

    fn has_branch(&self, name: &BString) -> bool {
        let found = self.repo.try_find_reference(&format!("refs/heads/{name}"));
        found.is_ok_and(|found| found.is_some())
    }

    /// The names of hooks in git's configuration (git 2.54 and newer).
    pub(super) fn configured_hooks(&self) -> Vec<BString> {
        let config = self.repo.config_snapshot();
        let sections = config.plumbing().sections_by_name("hook");
        let mut names: Vec<BString> = sections
            .into_iter()
            .flatten()
            .filter_map(|section| Some(section.header().subsection_name()?.to_owned()))
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// The same with a cache of objects, to read many commits.
    pub fn remembering(self) -> Repository {
        Repository {
            objects: self.objects.remembering(),
            ..self
        }
    }

    /// From now on, reads as a job would whose fresh clone has this commit checked out.
    pub fn check_out(&mut self, commit: ObjectId) {
        self.checked_out = Some(commit);
    }

    /// Also reads these objects from now on.
    pub(super) fn read_from(&mut self, private: PrivateObjects) -> Result<()> {
        self.repo.objects = private.open(self.repo.object_hash())?;
        self.objects = self.objects.reading(self.repo.objects.clone());
        self.private.push(private);
        Ok(())
    }

    /// The object database.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }
}

/// Whether the clone left out objects by a filter.
fn is_partial(repo: &gix::Repository) -> bool {
    let config = repo.config_snapshot();
    let mut remotes = config
        .plumbing()
        .sections_by_name("remote")
        .into_iter()
        .flatten();
    config.string("extensions.partialClone").is_some()
        || remotes.any(|section| section.body().value("promisor").is_some())
}

/// If `GIT_DIR` names a directory other than `.git`, as in hooks of a repository with a separate git directory, the
/// work tree is where git was started (git(1), `--git-dir`). gix would treat the repository as bare.
fn work_tree_of_git_dir(repo: &gix::Repository, dir: &Path) -> Option<PathBuf> {
    let is_bare = repo.config_snapshot().boolean("core.bare") == Some(true);
    (!is_bare && std::env::var_os("GIT_DIR").is_some()).then(|| dir.to_owned())
}

/// Extensions that do not change the format of the index and objects, or that gix supports; refStorage is checked
/// separately. Git refuses a format 1 repository with an unknown extension (gitrepository-layout(5)).
const KNOWN_EXTENSIONS: &[&str] = &[
    "noop",
    "objectformat",
    "partialclone",
    "preciousobjects",
    "refstorage",
    "relativeworktrees",
    "worktreeconfig",
];

fn cannot_change(file: &Path, why: &str) -> Error {
    let shown = show_file(file);
    Error::new(format!("{shown} cannot be changed: {why}"))
        .help(format!("if no git command is running, remove {shown}.lock"))
}

fn unknown_extension(config: &gix::config::Snapshot<'_>) -> Option<String> {
    let sections = config.plumbing().sections_by_name("extensions")?;
    let mut own = sections.filter(|section| section.meta().source == gix::config::Source::Local);
    own.find_map(|section| {
        let body = section.body();
        let mut names = body.value_names();
        let unknown =
            names.find(|name| !KNOWN_EXTENSIONS.contains(&name.to_lowercase().as_str()))?;
        Some(unknown.escape_default().to_string())
    })
}
