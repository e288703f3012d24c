//! Records a checkpoint.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File, Metadata};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use gix::bstr::{BStr, BString, ByteSlice};

use super::switches::RULES;
use super::{Checkpoint, CheckpointStore, SavedFile, unusable};
use crate::error::{Error, Result};
use crate::git::work_tree::nested_commit;
use crate::git::{Repository, failed};
use crate::system;

/// Larger files are recorded by size and time.
const LARGEST: u64 = 16 << 20;

/// After this time, the lock of the private index is nobody's.
const KILLED: Duration = Duration::from_secs(60);

/// What git itself would see, and what it ignores.
const WALK: [&str; 7] = [
    "status",
    "--porcelain",
    "-z",
    "--no-renames",
    "--untracked-files=all",
    "--ignored=matching",
    "--ignore-submodules=dirty",
];
/// The same by the rules of a checkpoint, whatever the files say now.
const WALK_BY_RULES: [&str; 6] = [
    "ls-files",
    "-z",
    "-t",
    "--others",
    "--modified",
    "--deleted",
];

/// What differs from the private index.
#[derive(Default)]
struct Differences {
    gone: Vec<BString>,
    /// Changed, or not in the index.
    there: Vec<BString>,
    ignored: Vec<BString>,
}

impl CheckpointStore {
    /// Records the work tree by the ignore rules in force now, or by those of `before`. `agent` names the files that
    /// switch the agent's hooks.
    ///
    /// # Errors
    /// git is not there or fails, or the repository cannot be read.
    pub fn record(
        &self,
        repo: &Repository,
        agent: &[PathBuf],
        before: Option<&Checkpoint>,
    ) -> Result<Checkpoint> {
        self.wait_for_git();
        let mut outer = Vec::new();
        let mut arguments: Vec<String> = Vec::new();
        match before {
            None => {
                outer = self.outer_rules(repo)?;
                self.save("info/exclude", &outer)?;
                arguments.extend(WALK.map(str::to_owned));
            }
            Some(before) => {
                let rules = self.copy(&before.rules);
                arguments.extend(WALK_BY_RULES.map(str::to_owned));
                arguments.push(format!("--exclude-from={}", rules.display()));
            }
        }
        let git = self.program(&self.directory, true);
        let (listed, rest) = thread::scope(|scope| {
            let walk = scope.spawn(|| git.run(arguments, b""));
            let rest = self.beside_the_files(repo, agent);
            let failed = |_| Err("git failed".to_owned());
            (walk.join().unwrap_or_else(failed), rest)
        });
        let listed = listed.map_err(|why| self.failed(&why))?;
        let mut differences = match before {
            None => by_status(&listed),
            Some(_) => by_ls_files(&listed),
        };
        let sizes = self.update(repo, &mut differences)?;
        let rules = match before {
            None => {
                let files = self.rule_files(repo, &differences)?;
                self.keep(repo, &self.all_rules(outer, files))?
            }
            Some(before) => before.rules.clone(),
        };
        Ok(Checkpoint {
            tree: self.tree()?,
            sizes,
            rules,
            ..rest?
        })
    }

    /// All but what the walk finds.
    fn beside_the_files(&self, repo: &Repository, agent: &[PathBuf]) -> Result<Checkpoint> {
        let head = fs::read_to_string(self.git_dir.join("HEAD"))
            .map_err(|error| unusable(&self.git_dir, &error))?;
        let refs = self.refs(repo)?;
        let index = fs::read(repo.repo.index_path()).ok();
        let stash = refs.get("refs/stash").and_then(|tip| super::id(tip));
        let stash = stash.and_then(|tip| Some((tip, repo.commit(tip).ok()?.parents)));
        Ok(Checkpoint {
            head: head.trim().to_owned(),
            head_commit: repo.head_commit()?.map(|id| id.to_string()),
            stash: stash.map_or_else(Vec::new, |(tip, parents)| {
                let untracked = parents.get(2);
                let all = std::iter::once(&tip).chain(untracked);
                all.map(ToString::to_string).collect()
            }),
            refs,
            index: index.map(|index| self.keep(repo, &index)).transpose()?,
            switches: self.keep_switches(repo, agent)?,
            ..Checkpoint::default()
        })
    }

    /// The git of a guard that ran out of time may still write the private index; after a while, it was killed.
    fn wait_for_git(&self) {
        let lock = self.directory.join("index.lock");
        while let Ok(about) = fs::metadata(&lock) {
            let age = about.modified().ok().and_then(|at| at.elapsed().ok());
            if age.is_none_or(|age| age > KILLED) {
                let _ = fs::remove_file(&lock);
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Brings the private index up to date. The answer are the files that it does not keep.
    fn update(
        &self,
        repo: &Repository,
        found: &mut Differences,
    ) -> Result<BTreeMap<String, String>> {
        self.add_tracked(repo, found)?;
        let mut sizes = BTreeMap::new();
        let mut add: Vec<BString> = Vec::new();
        let mut remove = std::mem::take(&mut found.gone);
        for path in &found.there {
            let path = path.trim_end_with(|c| c == '/').as_bstr();
            let place = gix::path::from_bstr(path);
            let place = self
                .root
                .join(place.map_err(failed("a path is no name here"))?);
            match fs::symlink_metadata(&place) {
                Ok(about) if about.is_dir() => match nested_commit(&place, path)? {
                    Some(_) => add.push(path.to_owned()),
                    None => remove.push(path.to_owned()),
                },
                Ok(about) if about.is_file() && !is_kept(&place, &about) => {
                    sizes.insert(path.to_str_lossy().into_owned(), size_and_time(&about));
                    remove.push(path.to_owned());
                }
                Ok(about) if about.is_file() || about.is_symlink() => add.push(path.to_owned()),
                Ok(_) => remove.push(path.to_owned()),
                Err(error) if error.kind() == ErrorKind::NotFound => remove.push(path.to_owned()),
                Err(error) => return Err(unusable(&place, &error)),
            }
        }
        let is_first = !self.directory.join("index").exists();
        if remove.is_empty() && add.is_empty() && !is_first {
            return Ok(sizes);
        }
        self.forget_tree();
        if !remove.is_empty() && !is_first {
            let arguments = ["update-index", "--force-remove", "-z", "--stdin"];
            self.git(false, &arguments, &list(&remove))?;
        }
        // Only what a commit has is borrowed: git may delete anything else.
        let head = repo.tree_of(repo.head_commit()?)?;
        let (mut own, mut borrowed) = (Vec::new(), Vec::new());
        for path in add {
            match is_first && head.get(path.as_ref())?.is_some() {
                true => borrowed.push(path),
                false => own.push(path),
            }
        }
        let arguments = [
            "update-index",
            "--add",
            "--remove",
            "--replace",
            "-z",
            "--stdin",
        ];
        for (borrows, paths) in [(true, borrowed), (false, own)] {
            if !paths.is_empty() {
                self.git(borrows, &arguments, &list(&paths))?;
            }
        }
        Ok(sizes)
    }

    /// Files that git tracks are never ignored, whatever the rules say.
    fn add_tracked(&self, repo: &Repository, found: &mut Differences) -> Result<()> {
        if found.ignored.is_empty() {
            return Ok(());
        }
        let index = repo.repo.index_or_empty();
        let index = index.map_err(failed("the index cannot be read"))?;
        for path in &found.ignored {
            match path.ends_with(b"/") {
                true => {
                    let below = index.prefixed_entries(path.as_ref());
                    let below = below.into_iter().flatten();
                    found
                        .there
                        .extend(below.map(|entry| entry.path(&index).to_owned()));
                }
                false if index.entry_by_path(path.as_ref()).is_some() => {
                    found.there.push(path.clone());
                }
                false => {}
            }
        }
        Ok(())
    }

    /// The files with ignore rules, those that ignore themselves included.
    fn rule_files(&self, repo: &Repository, found: &Differences) -> Result<Vec<BString>> {
        let is_rules = |path: &BStr| {
            path.ends_with(RULES) && (path.len() == RULES.len() || path.ends_with(b"/.gitignore"))
        };
        let mut files: Vec<BString> = found.ignored.clone();
        files.retain(|path| is_rules(path.as_ref()));
        if let Ok(known) = fs::read(self.directory.join("rule_files")) {
            let paths = known.split(|&byte| byte == 0);
            files.extend(paths.filter(|path| !path.is_empty()).map(BString::from));
            return Ok(files);
        }
        let index = self.directory.join("index");
        let mut kept: Vec<BString> = Vec::new();
        if index.exists() {
            let hash = repo.repo.object_hash();
            let options = gix::index::decode::Options::default();
            let index = gix::index::File::at(index, hash, true, options)
                .map_err(failed("the private index cannot be read"))?;
            let paths = index.entries().iter().map(|entry| entry.path(&index));
            kept.extend(paths.filter(|path| is_rules(path)).map(BStr::to_owned));
        }
        self.save("rule_files", &list(&kept))?;
        files.extend(kept);
        Ok(files)
    }

    /// Forgets what is known about the private index, before it changes.
    pub(super) fn forget_tree(&self) {
        for name in ["tree", "rule_files"] {
            let _ = fs::remove_file(self.directory.join(name));
        }
    }

    /// The tree of the private index, with a commit for git to compare with.
    fn tree(&self) -> Result<String> {
        if let Ok(known) = fs::read_to_string(self.directory.join("tree")) {
            return Ok(known);
        }
        let hex = |output: Vec<u8>| output.trim().to_str_lossy().into_owned();
        // So that all trees are the store's own.
        let tree = hex(self.git(false, &["write-tree", "--missing-ok"], b"")?);
        let commit = self.git(false, &["commit-tree", "-m", "checkpoint", &tree], b"")?;
        self.save("HEAD", hex(commit).as_bytes())?;
        self.save("tree", tree.as_bytes())?;
        Ok(tree)
    }

    pub(super) fn refs(&self, repo: &Repository) -> Result<BTreeMap<String, String>> {
        let unreadable = failed("the refs cannot be read");
        let platform = repo.repo.references().map_err(&unreadable)?;
        let mut refs = BTreeMap::new();
        for reference in platform.all().map_err(&unreadable)? {
            let reference =
                reference.map_err(|error| Error::new(format!("a ref cannot be read: {error}")))?;
            let name = reference.name().as_bstr().to_str_lossy().into_owned();
            if name.starts_with("refs/guard/") {
                continue;
            }
            let target = match reference.target() {
                gix::refs::TargetRef::Object(id) => id.to_string(),
                gix::refs::TargetRef::Symbolic(name) => format!("ref: {}", name.as_bstr()),
            };
            refs.insert(name, target);
        }
        Ok(refs)
    }

    fn keep_switches(
        &self,
        repo: &Repository,
        agent: &[PathBuf],
    ) -> Result<BTreeMap<String, Option<SavedFile>>> {
        let mut saved = BTreeMap::new();
        for file in self.switches(repo)?.iter().chain(agent) {
            let copy = match fs::read(file) {
                Ok(content) => Some(SavedFile {
                    copy: self.keep(repo, &content)?,
                    is_executable: is_executable(file),
                }),
                Err(_) => None,
            };
            saved.insert(file.to_string_lossy().into_owned(), copy);
        }
        Ok(saved)
    }
}

fn by_status(listed: &[u8]) -> Differences {
    let mut found = Differences::default();
    for line in listed.split(|&byte| byte == 0) {
        let (Some(tags), Some(path)) = (line.get(..2), line.get(3..)) else {
            continue;
        };
        match (tags, tags[1]) {
            (b"!!", _) => found.ignored.push(path.into()),
            (_, b'D') => found.gone.push(path.into()),
            (b"??", _) | (_, b'M' | b'T' | b'A') => found.there.push(path.into()),
            _ => {}
        }
    }
    found
}

fn by_ls_files(listed: &[u8]) -> Differences {
    let mut found = Differences::default();
    for line in listed.split(|&byte| byte == 0) {
        match line.split_first_chunk::<2>() {
            Some((b"R ", path)) => found.gone.push(path.into()),
            Some((b"C " | b"? ", path)) => found.there.push(path.into()),
            _ => {}
        }
    }
    let gone: HashSet<BString> = found.gone.iter().cloned().collect();
    found.there.retain(|path| !gone.contains(path));
    found
}

impl Repository {
    /// Whether the ref got its commit from another repository, as its log says.
    pub(crate) fn was_fetched(&self, name: &str) -> bool {
        let log = fs::read(self.common_dir().join("logs").join(name)).unwrap_or_default();
        let last = log.trim_end().lines().next_back().unwrap_or_default();
        let message = last.split_once_str("\t").map_or(&b""[..], |(_, text)| text);
        let mut words = message.fields();
        let verb = words.next().unwrap_or_default();
        // From this repository itself, it may be anything.
        let is_elsewhere = words.all(|word| word != b"." && word != b".:");
        let fetched = verb.starts_with(b"fetch");
        let forwarded = verb.starts_with(b"pull") && message.ends_with(b"Fast-forward");
        is_elsewhere && (fetched || forwarded)
    }
}

fn list(paths: &[BString]) -> Vec<u8> {
    let mut list = Vec::new();
    for path in paths {
        list.extend_from_slice(path);
        list.push(0);
    }
    list
}

fn is_kept(place: &PathBuf, about: &Metadata) -> bool {
    about.len() <= LARGEST && File::open(place).is_ok()
}

fn size_and_time(about: &Metadata) -> String {
    let time = about.modified().ok();
    let time = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let nanoseconds = time.map_or(0, |time| time.as_nanos());
    format!("{} bytes, {nanoseconds}", about.len())
}

fn is_executable(file: &PathBuf) -> bool {
    let about = fs::metadata(file).ok();
    let mode = about.and_then(|about| system::std_mode(&about));
    mode.is_some_and(|mode| mode & 0o100 != 0)
}
