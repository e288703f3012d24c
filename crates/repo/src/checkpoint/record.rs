//! Records a checkpoint.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use gix::ObjectId;
use gix::bstr::{self, BStr, BString, ByteSlice};

use super::unchanged::OwnLook;
use super::{Checkpoint, CheckpointStore, GuardsOwn, Recorded, SavedFile, has_rules, unusable};
use crate::system;
use crate::work_tree::{excludes_file, has_commit, is_linked_work_tree};
use crate::{Index, Repository, changes_between, failed};
use write_guard_policy::change::Kind;
use write_guard_policy::error::Result;

/// Larger files are recorded by size and time.
const LARGEST: u64 = 16 << 20;

/// After this time, the lock of the private index is nobody's.
const KILLED: Duration = Duration::from_secs(60);

/// Lists what differs from the private index, and what git ignores.
const WALK: [&str; 7] = [
    "status",
    "--porcelain",
    "-z",
    "--no-renames",
    "--untracked-files=all",
    "--ignored=matching",
    "--ignore-submodules=dirty",
];

/// What a checkpoint holds beside the files of the work tree.
struct BesideFiles {
    head: String,
    index: Option<String>,
    /// The contents that only the index has, and that the store had not seen.
    fresh: Vec<ObjectId>,
    refs: BTreeMap<String, String>,
    switches: BTreeMap<String, SavedFile>,
    stashes: Vec<String>,
    own: GuardsOwn,
}

/// What git says of the work tree.
#[derive(Default)]
struct GitAnswer {
    differing: Vec<BString>,
    ignored: Vec<BString>,
}

impl GitAnswer {
    fn unchanged(ignored: &[BString]) -> GitAnswer {
        GitAnswer {
            differing: Vec::new(),
            ignored: ignored.to_vec(),
        }
    }
}

/// What an update of the private index left out.
struct Updated {
    /// The files that it does not keep, with size and time.
    sizes: BTreeMap<String, String>,
    /// Whether names were removed.
    has_removed: bool,
}

impl CheckpointStore<'_> {
    /// Records the work tree. What was ignored `before` stays ignored, and what has been hidden since is recorded.
    /// `agent` names the files that switch the agent's hooks.
    ///
    /// # Errors
    /// git is not there or fails, or the repository cannot be read.
    pub fn record(&self, agent: &[PathBuf], before: Option<&Checkpoint>) -> Result<Recorded> {
        self.wait_for_git();
        let asked = SystemTime::now();
        let outer = self.outer_rules()?;
        if fs::read(self.file("info/exclude")).ok().as_ref() != Some(&outer) {
            self.forget_answer()?;
            self.save("info/exclude", &outer)?;
        }
        if !self.file("index").exists() {
            // Only what a commit has is borrowed: git may delete anything else.
            self.git(true, ["read-tree", &self.head_tree()?], b"")?;
        }
        let (look, beside, answer) = self.look_at_all(agent)?;
        let GitAnswer {
            mut differing,
            ignored,
        } = answer;
        let mut rules = self.keep(&self.rules(outer, &differing, &ignored)?)?;
        let mut ignored_copy = self.keep(&bstr::join("\0", &ignored))?;
        if let Some(before) = before
            && before.rules != rules
        {
            self.ignore_as_before(before, &mut differing, &ignored)?;
            (rules, ignored_copy) = (before.rules.clone(), before.ignored.clone());
        }
        self.add_tracked(&ignored, &mut differing)?;
        let mut fresh = BTreeSet::new();
        if before.is_some() {
            fresh.extend(beside.fresh);
            fresh.extend(
                differing
                    .iter()
                    .filter_map(|path| self.fresh(path.as_ref())),
            );
        }
        let Updated { sizes, has_removed } = self.update(&differing)?;
        let tree = self.tree()?;
        let has_new_rules = differing.iter().any(|path| has_rules(path));
        if look.unchanged.is_none() && !has_removed && !has_new_rules {
            self.keep_answer(&ignored, &look, asked)?;
        }
        let checkpoint = Checkpoint {
            tree,
            head: beside.head,
            refs: beside.refs,
            index: beside.index,
            switches: beside.switches,
            sizes,
            rules,
            ignored: ignored_copy,
            stashes: beside.stashes,
            own: beside.own,
        };
        Ok(Recorded { checkpoint, fresh })
    }

    /// Looks at the files, itself or by asking git, and at what there is beside them.
    fn look_at_all(&self, agent: &[PathBuf]) -> Result<(OwnLook, BesideFiles, GitAnswer)> {
        let mut look = OwnLook::default();
        let mut done = None;
        if let Some(last) = self.last_answer() {
            let (own, beside) = last.look(&self.root, || self.beside_files(agent));
            let beside = beside?;
            if let Some(ignored) = &own.unchanged {
                let answer = GitAnswer::unchanged(ignored);
                return Ok((own, beside, answer));
            }
            look = own;
            done = Some(beside);
        }
        let (beside, answer) = self.ask_git(agent, done)?;
        Ok((look, beside, answer))
    }

    /// Asks git for what differs from the private index. git looks at all files, which takes longer than everything else,
    /// so that guard does its part meanwhile, unless it has `done` that.
    fn ask_git(
        &self,
        agent: &[PathBuf],
        done: Option<BesideFiles>,
    ) -> Result<(BesideFiles, GitAnswer)> {
        self.forget_answer()?;
        let walk = self.program(&self.directory, true).start(WALK);
        let walk = walk.map_err(|why| self.failed(&why))?;
        let beside = match done {
            Some(done) => Ok(done),
            None => self.beside_files(agent),
        };
        let walked = walk.finish().map_err(|why| self.failed(&why))?;
        let mut answer = GitAnswer::default();
        for line in walked.split(|&byte| byte == 0) {
            match line {
                [b'!', _, _, path @ ..] => answer.ignored.push(path.into()),
                // The first letter compares with the commit.
                [_, tag, _, path @ ..] if *tag != b' ' => answer.differing.push(path.into()),
                _ => {}
            }
        }
        Ok((beside?, answer))
    }

    /// The tree of HEAD's commit. With a HEAD that names none, nothing could be judged later.
    fn head_tree(&self) -> Result<String> {
        let tree = self.repo.tree_of(self.repo.head_commit()?)?;
        Ok(tree.id().to_string())
    }

    /// What there is beside the files of the work tree.
    fn beside_files(&self, agent: &[PathBuf]) -> Result<BesideFiles> {
        let head = fs::read_to_string(self.git_dir.join("HEAD"))
            .map_err(|error| unusable(&self.git_dir, &error))?;
        // With a damaged index, nothing could be judged later.
        Index::open(self.repo)?;
        let known = fs::read_to_string(self.file("staged")).unwrap_or_default();
        let index = match fs::read(self.repo.repo.index_path()) {
            Ok(index) => Some(self.keep_index(&index, &known)?),
            Err(_) => None,
        };
        Ok(BesideFiles {
            head: head.trim().to_owned(),
            fresh: self.keep_staged(index.as_deref(), &self.head_tree()?, &known)?,
            index,
            refs: self.refs()?,
            switches: self.keep_switches(agent)?,
            stashes: self.stashes(),
            own: self.guards_own(),
        })
    }

    /// Files that git tracks are never ignored, whatever the rules say.
    fn add_tracked(&self, ignored: &[BString], differing: &mut Vec<BString>) -> Result<()> {
        if ignored.is_empty() {
            return Ok(());
        }
        let index = self.repo.repo.index_or_empty();
        let index = index.map_err(failed("the index cannot be read"))?;
        for path in ignored {
            let tracked = index.prefixed_entries(path.as_ref()).into_iter().flatten();
            differing.extend(tracked.map(|entry| entry.path(&index).to_owned()));
        }
        Ok(())
    }

    /// The content of a file, if the store has never seen it.
    fn fresh(&self, path: &BStr) -> Option<ObjectId> {
        let path = path.trim_end_with(|c| c == '/').as_bstr();
        let place = self.repo.work_tree_file(path).ok()?;
        let about = fs::symlink_metadata(&place).ok()?;
        let content = if about.is_symlink() {
            gix::path::into_bstr(fs::read_link(&place).ok()?)
                .ok()?
                .to_vec()
        } else if about.is_file() && about.len() <= LARGEST {
            fs::read(&place).ok()?
        } else {
            return None;
        };
        let id = self.repo.blob_id(&content).ok()?;
        (!self.objects().contains(&id)).then_some(id)
    }

    /// Whether the store has seen this content.
    pub fn has_seen(&self, id: ObjectId) -> bool {
        self.objects().contains(&id)
    }

    /// Keeps a copy of the index. Most often it is the one of last time, which `known` names: comparing them takes far less
    /// time than hashing one.
    fn keep_index(&self, index: &[u8], known: &str) -> Result<String> {
        let name = known.lines().next().unwrap_or_default();
        if ObjectId::from_hex(name.as_bytes()).is_ok()
            && self.read_copy(name).is_ok_and(|copy| copy == index)
        {
            return Ok(name.to_owned());
        }
        self.keep(index)
    }

    /// Copies the contents that only the index has, and answers those that the store had not seen. `known` is what it kept
    /// last: the name of the index, and HEAD's tree.
    fn keep_staged(
        &self,
        index: Option<&str>,
        head_tree: &str,
        known: &str,
    ) -> Result<Vec<ObjectId>> {
        let about = format!("{}\n{head_tree}", index.unwrap_or_default());
        if known == about {
            return Ok(Vec::new());
        }
        let head = self.repo.tree_of(self.repo.head_commit()?)?;
        let staged = Index::open(self.repo)?.tree().ok().map(|tree| tree.id());
        let mut fresh = Vec::new();
        if let Some(staged) = staged.filter(|&staged| staged != head.id()) {
            let there = Index::open(self.repo)?;
            let tree = there.tree()?;
            for change in changes_between(tree.objects(), head.id(), staged)? {
                if let Some(new) = change.new.filter(|new| new.kind != Kind::Submodule)
                    && !self.has_seen(new.id)
                {
                    self.copy_object(new.id);
                    fresh.push(new.id);
                }
            }
        }
        self.save("staged", about.as_bytes())?;
        Ok(fresh)
    }

    /// The commits of all stashes, the newest first: git keeps the older ones in the log of the ref alone.
    pub(super) fn stashes(&self) -> Vec<String> {
        let log = fs::read(self.common_dir.join("logs/refs/stash")).unwrap_or_default();
        let mut all: Vec<String> = log
            .lines()
            .filter_map(|line| Some(line.split_str(" ").nth(1)?.to_str_lossy().into_owned()))
            .collect();
        all.reverse();
        all
    }

    /// The git of a guard that ran out of time may still write the private index; after a while, it was killed.
    fn wait_for_git(&self) {
        let lock = self.file("index.lock");
        while let Ok(about) = fs::metadata(&lock) {
            let age = about.modified().ok().and_then(|at| at.elapsed().ok());
            if age.is_none_or(|age| age > KILLED) {
                let _ = fs::remove_file(&lock);
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The ignore rules outside the work tree: of the user and of the repository, in rising precedence.
    pub(super) fn outer_rules(&self) -> Result<Vec<u8>> {
        let mut rules = Vec::new();
        let own = self.common_dir.join("info").join("exclude");
        for file in excludes_file(self.repo)?.into_iter().chain([own]) {
            rules.extend(fs::read(file).unwrap_or_default());
            rules.push(b'\n');
        }
        Ok(rules)
    }

    /// All ignore rules, to compare them with others: the outer ones, and those of each directory, also of files that
    /// ignore themselves.
    fn rules(&self, outer: Vec<u8>, differing: &[BString], ignored: &[BString]) -> Result<Vec<u8>> {
        let listed = self.of_index("gitignores", || {
            let files = Index::at(self.repo, &self.file("index"))?.files()?;
            let files = files.into_iter().map(|(path, _)| path);
            let files: Vec<BString> = files.filter(|path| has_rules(path)).collect();
            Ok(bstr::join("\0", files))
        })?;
        let listed = listed.split(|&byte| byte == 0).map(BStr::new);
        let found = differing.iter().chain(ignored).map(BString::as_ref);
        let mut files: BTreeSet<&BStr> = found.chain(listed).collect();
        files.retain(|path| has_rules(path));
        let mut rules = outer;
        for path in files {
            let place = self.repo.work_tree_file(path)?;
            // git follows no link here.
            if place.symlink_metadata().is_ok_and(|about| about.is_file()) {
                rules.extend_from_slice(path);
                rules.push(0);
                rules.extend(fs::read(place).unwrap_or_default());
            }
        }
        Ok(rules)
    }

    /// The rules have changed. What was ignored before did not come from the command that changed them; what is
    /// ignored only now may have.
    fn ignore_as_before(
        &self,
        before: &Checkpoint,
        differing: &mut Vec<BString>,
        ignored: &[BString],
    ) -> Result<()> {
        let known = self.read_copy(&before.ignored)?;
        let known: HashSet<&[u8]> = known.split(|&byte| byte == 0).collect();
        let was_ignored = |path: &BString| {
            let mut above = path.find_iter("/").map(|end| &path[..=end]);
            known.contains(path.as_slice()) || above.any(|above| known.contains(above))
        };
        let hidden = ignored.iter().filter(|path| !was_ignored(path));
        let hidden: Vec<_> = hidden.map(|path| path.to_os_str_lossy()).collect();
        if !hidden.is_empty() {
            let listing = ["--literal-pathspecs", "ls-files", "-z", "--others", "--"];
            let paths = hidden.iter().map(AsRef::as_ref);
            let arguments = listing.map(OsStr::new).into_iter().chain(paths);
            let listed = self.git(false, arguments, b"")?;
            let listed = listed.split(|&byte| byte == 0);
            differing.extend(listed.filter(|path| !path.is_empty()).map(BString::from));
        }
        differing.retain(|path| !was_ignored(path));
        Ok(())
    }

    /// Brings the private index up to date with these paths.
    fn update(&self, paths: &[BString]) -> Result<Updated> {
        let mut sizes = BTreeMap::new();
        let mut add = Vec::new();
        let mut remove = Vec::new();
        for path in paths {
            let path = path.trim_end_with(|c| c == '/').as_bstr();
            let place = self.repo.work_tree_file(path)?;
            // git looks behind no link.
            let above = path.find_iter("/").map(|end| path[..end].as_bstr());
            let mut above = above.filter_map(|above| self.repo.metadata_of(above));
            let is_kept = match fs::symlink_metadata(&place) {
                _ if above.any(|about| about.is_symlink()) => false,
                // A linked work tree inside this one is no part of it, and has a record of its own where the session
                // works in it.
                Ok(about) if about.is_dir() => {
                    has_commit(&place) && !is_linked_work_tree(&place, &self.common_dir)
                }
                Ok(about) if about.is_file() && !is_kept(&place, &about) => {
                    let about = format!("{} bytes, {:?}", about.len(), about.modified().ok());
                    sizes.insert(path.to_str_lossy().into_owned(), about);
                    false
                }
                Ok(about) => about.is_file() || about.is_symlink(),
                Err(error) if error.kind() == ErrorKind::NotFound => false,
                Err(error) => return Err(unusable(&place, &error)),
            };
            let list = if is_kept { &mut add } else { &mut remove };
            list.push(path.to_owned());
        }
        let has_removed = !remove.is_empty();
        for (how, listed) in [("--force-remove", remove), ("--replace", add)] {
            if !listed.is_empty() {
                let arguments = ["update-index", "--add", "--remove", how, "-z", "--stdin"];
                self.git(false, arguments, &bstr::join("\0", &listed))?;
            }
        }
        Ok(Updated { sizes, has_removed })
    }

    /// The tree of the private index, with a commit for git to compare with.
    fn tree(&self) -> Result<String> {
        let tree = self.of_index("tree", || {
            // So that all trees are the store's own.
            let tree = self.git(false, ["write-tree", "--missing-ok"], b"")?;
            let id = tree.trim().to_str_lossy();
            let commit = self.git(false, ["commit-tree", "-m", "checkpoint", &id], b"")?;
            self.save("HEAD", commit.trim())?;
            Ok(tree.trim().to_vec())
        })?;
        Ok(tree.trim().to_str_lossy().into_owned())
    }

    /// What git says of the private index: it is asked again once the checksum at the end of the index is another one.
    fn of_index(&self, name: &str, ask: impl Fn() -> Result<Vec<u8>>) -> Result<Vec<u8>> {
        let known = fs::read(self.file(name)).unwrap_or_default();
        if let Some(answer) = known.strip_prefix(self.index_checksum()?.as_slice()) {
            return Ok(answer.to_vec());
        }
        let answer = ask()?;
        self.save(name, &[&self.index_checksum()?[..], &answer].concat())?;
        Ok(answer)
    }

    /// The checksum at the end of the private index.
    pub(super) fn index_checksum(&self) -> Result<Vec<u8>> {
        let size = self.repo.repo.object_hash().len_in_bytes() as i64;
        let mut end = Vec::new();
        File::open(self.file("index"))
            .and_then(|mut index| index.seek(SeekFrom::End(-size)).map(|_| index))
            .and_then(|mut index| index.read_to_end(&mut end).map(|_| end))
            .map_err(|error| unusable(&self.directory, &error))
    }

    pub(super) fn refs(&self) -> Result<BTreeMap<String, String>> {
        let refs = self.repo.branches("refs/")?.into_iter();
        let refs = refs.filter_map(|(name, tip)| Some((format!("refs/{name}"), tip?.to_string())));
        Ok(refs
            .filter(|(name, _)| !name.starts_with("refs/guard/"))
            .collect())
    }

    fn keep_switches(&self, agent: &[PathBuf]) -> Result<BTreeMap<String, SavedFile>> {
        let mut saved = BTreeMap::new();
        for file in self.switches()?.iter().chain(agent) {
            let about = fs::metadata(file).ok();
            if let (Ok(content), Some(about)) = (fs::read(file), about) {
                let copy = SavedFile {
                    copy: self.keep(&content)?,
                    is_executable: system::is_executable(&about),
                };
                saved.insert(file.to_string_lossy().into_owned(), copy);
            }
        }
        Ok(saved)
    }
}

fn is_kept(place: &Path, about: &Metadata) -> bool {
    about.len() <= LARGEST && File::open(place).is_ok()
}

impl Repository {
    /// Whether the log of a remote-tracking ref does not contradict that a fetch set it: a push sets it, too, and so
    /// does a fetch from this repository itself. The log proves nothing; anyone can write it.
    pub fn may_be_fetched(&self, name: &str) -> bool {
        let log = fs::read(self.common_dir().join("logs").join(name)).unwrap_or_default();
        let last = log.trim_end().lines().next_back().unwrap_or_default();
        let message = last.split_once_str("\t").map_or(&b""[..], |(_, text)| text);
        let mut words = message.fields();
        let verb = words.next().unwrap_or_default();
        let is_elsewhere = words.all(|word| word != b"." && word != b".:");
        let verbs = [&b"fetch"[..], b"pull", b"clone", b"remote"];
        is_elsewhere && verbs.iter().any(|known| verb.starts_with(known))
    }

    /// The addresses of the configured remotes, by name.
    pub fn remote_addresses(&self) -> BTreeMap<String, Vec<String>> {
        let config = self.repo.config_snapshot();
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for section in config
            .plumbing()
            .sections_by_name("remote")
            .into_iter()
            .flatten()
        {
            if let Some(name) = section.header().subsection_name() {
                let values = section.values("url").into_iter();
                let values = values.map(|value| value.to_str_lossy().into_owned());
                let known = found.entry(name.to_str_lossy().into_owned());
                known.or_default().extend(values);
            }
        }
        found
    }
}
