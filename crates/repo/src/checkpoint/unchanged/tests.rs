//! What guard sees itself is what git says: after each step, the checkpoint is the one of a store that always asks git.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use gix::ObjectId;
use tempfile::TempDir;
use write_guard_testing::random::Random;
use write_guard_testing::system::{set_mode, symlink};

use super::{Entry, Flags, LIST, Mode, Stage};
use crate::disk::absolute;
use crate::system::find_program;
use crate::{Checkpoint, CheckpointStore, Repository};

/// A repository with two stores, of which one always asks git.
struct Fixture {
    root: PathBuf,
    base: PathBuf,
    _temp: TempDir,
}

impl Fixture {
    fn new(options: &[&str]) -> Fixture {
        let memory = Path::new("/dev/shm");
        let temp = if memory.is_dir() {
            tempfile::tempdir_in(memory).unwrap()
        } else {
            tempfile::tempdir().unwrap()
        };
        let base = absolute(temp.path());
        let fixture = Fixture {
            root: base.join("work"),
            base,
            _temp: temp,
        };
        fs::create_dir(&fixture.root).unwrap();
        fixture.git(&[&["init", "--quiet", "--template="], options].concat());
        // As on Linux.
        for setting in ["core.ignoreCase", "core.precomposeUnicode"] {
            fixture.git(&["config", setting, "false"]);
        }
        fs::create_dir(fixture.path(".git/info")).unwrap();
        for (path, content) in [
            (".gitignore", "*.tmp\n/build/\n"),
            ("src/a.py", "one\n"),
            ("src/deep/b.py", "two\n"),
            ("src/deep/.gitignore", "*.out\n"),
            ("build/out", "ignored\n"),
            ("src/x.tmp", "ignored\n"),
            ("run.sh", "run\n"),
        ] {
            fixture.write(path, content);
        }
        fixture.git(&["add", "--all"]);
        fixture.git(&["commit", "--quiet", "--message=Begin"]);
        fixture.write("notes", "untracked\n");
        fixture
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Runs git, which may refuse.
    fn git(&self, arguments: &[&str]) {
        let mut git = Command::new(find_program("git").unwrap());
        git.current_dir(&self.root).args(arguments);
        git.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", &self.base);
        for who in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{who}_NAME"), "A");
            git.env(format!("GIT_{who}_EMAIL"), "a@example.com");
        }
        git.output().unwrap();
    }

    /// Writes a file, with a time of long ago.
    fn write(&self, path: &str, content: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        set_back(&path);
    }

    fn store<'a>(&self, repo: &'a Repository, name: &str) -> CheckpointStore<'a> {
        let directory = self.base.join(name);
        fs::create_dir_all(&directory).unwrap();
        let store = CheckpointStore {
            _alone: File::create(directory.join("lock")).unwrap(),
            repo,
            root: self.root.clone(),
            git_dir: absolute(repo.git_dir()),
            common_dir: absolute(repo.common_dir()),
            directory,
        };
        store.begin().unwrap();
        store
    }

    /// Records the work tree in both ways. The answer is whether guard saw itself that nothing has changed.
    fn record(&self, before: Option<&Checkpoint>, step: &str) -> (Checkpoint, bool) {
        let repo = Repository::open(&self.root).unwrap();
        let looking = self.store(&repo, "looking");
        let asking = self.store(&repo, "asking");
        asking.forget_answer().unwrap();
        let sees = sees_itself(&looking);
        let ours = looking.record(&[], before).unwrap().checkpoint;
        let gits = asking.record(&[], before).unwrap().checkpoint;
        let [our_names, gits_names] = [(&looking, &ours), (&asking, &gits)].map(|(store, one)| {
            let names = store.read_copy(&one.ignored).unwrap();
            String::from_utf8(names).unwrap().replace('\0', " ")
        });
        assert_eq!(our_names, gits_names, "{step}: {sees}");
        assert_eq!(ours, gits, "{step}: {sees}");
        (ours, sees)
    }

    /// Records until guard sees itself that nothing has changed.
    #[track_caller]
    fn settle(&self) -> Checkpoint {
        for _ in 0..4 {
            if let (settled, true) = self.record(None, "settle") {
                return settled;
            }
        }
        panic!("git is asked each time");
    }

    fn sees_itself(&self) -> bool {
        let repo = Repository::open(&self.root).unwrap();
        let outer = self.store(&repo, "looking").outer_rules().unwrap();
        let known = fs::read(self.base.join("looking/info/exclude")).unwrap();
        outer == known && sees_itself(&self.store(&repo, "looking"))
    }
}

/// Whether guard sees without git that nothing has changed.
fn sees_itself(store: &CheckpointStore<'_>) -> bool {
    let last = store.last_answer();
    last.is_some_and(|last| last.look(&store.root, || ()).0.unchanged.is_some())
}

fn set_time(path: &Path, time: SystemTime) {
    let file = File::options().append(true).open(path).unwrap();
    file.set_modified(time).unwrap();
}

/// Sets the time of a file to long ago: guard leaves it to git if it is of the second of the index.
fn set_back(path: &Path) {
    set_time(path, SystemTime::now() - Duration::new(86_400, 5));
}

/// Writes another content of the same size, and sets the time to what it was.
fn change_in_secret(path: &Path) {
    let about = fs::metadata(path).unwrap();
    let size = usize::try_from(about.len()).unwrap();
    fs::write(path, "z".repeat(size)).unwrap();
    set_time(path, about.modified().unwrap());
}

/// A step after which nothing is as before.
type Step = (&'static str, fn(&Fixture));

const STEPS: &[Step] = &[
    ("another content of the same size", |it| {
        it.write("src/a.py", "eno\n");
    }),
    ("another content of the same size and time", |it| {
        change_in_secret(&it.path("src/a.py"));
    }),
    ("an executable", |it| set_mode(it.path("run.sh"), 0o755)),
    ("a file that becomes a link", |it| {
        fs::rename(it.path("src/a.py"), it.path("build/a.py")).unwrap();
        symlink("../build/a.py", it.path("src/a.py")).unwrap();
    }),
    ("a directory that becomes a link", |it| {
        fs::rename(it.path("src/deep"), it.path("build/deep")).unwrap();
        symlink("../build/deep", it.path("src/deep")).unwrap();
    }),
    ("a file that becomes a directory", |it| {
        fs::remove_file(it.path("run.sh")).unwrap();
        fs::create_dir(it.path("run.sh")).unwrap();
    }),
    ("a file that becomes a directory with a file", |it| {
        fs::remove_file(it.path("run.sh")).unwrap();
        it.write("run.sh/a", "a\n");
    }),
    ("a file that another takes the place of", |it| {
        fs::rename(it.path("notes"), it.path("run.sh")).unwrap();
    }),
    ("a file that is gone", |it| {
        fs::remove_file(it.path("notes")).unwrap()
    }),
    ("a directory that is gone", |it| {
        fs::remove_dir_all(it.path("src/deep")).unwrap();
    }),
    ("a new file", |it| it.write("src/c.py", "new\n")),
    ("a new file in a new directory", |it| {
        it.write("new/c.py", "new\n")
    }),
    ("a new file in an empty directory", |it| {
        it.write("empty/c.py", "new\n");
    }),
    ("a new ignored file", |it| it.write("src/y.tmp", "new\n")),
    ("a new ignored directory", |it| {
        fs::create_dir(it.path("src/z.tmp")).unwrap();
    }),
    ("an ignored directory in an empty one", |it| {
        fs::create_dir(it.path("empty/z.tmp")).unwrap();
    }),
    ("an ignored file that is gone", |it| {
        fs::remove_file(it.path("src/x.tmp")).unwrap();
    }),
    ("an ignored file that becomes a directory", |it| {
        fs::remove_file(it.path("src/x.tmp")).unwrap();
        fs::create_dir(it.path("src/x.tmp")).unwrap();
    }),
    ("an ignored directory that becomes a file", |it| {
        fs::remove_dir_all(it.path("build")).unwrap();
        it.write("build", "a file\n");
    }),
    ("an ignored directory that is gone", |it| {
        fs::remove_dir_all(it.path("build")).unwrap();
    }),
    ("an ignored file that becomes a pipe", |it| {
        fs::remove_file(it.path("src/x.tmp")).unwrap();
        let path = it.path("src/x.tmp");
        Command::new("mkfifo").arg(path).status().unwrap();
    }),
    ("other ignore rules", |it| {
        it.write(".gitignore", "*.tmq\n/build/\n")
    }),
    ("other ignore rules of a directory", |it| {
        change_in_secret(&it.path("src/deep/.gitignore"));
    }),
    ("no ignore rules of a directory", |it| {
        fs::remove_file(it.path("src/deep/.gitignore")).unwrap();
    }),
    ("other ignore rules of the repository", |it| {
        it.write(".git/info/exclude", "notes\n");
    }),
    ("a repository in a directory", |it| {
        it.git(&["init", "--quiet", "src/deep"])
    }),
    ("a repository in an empty directory", |it| {
        it.git(&["init", "--quiet", "empty"])
    }),
    ("a work tree in a directory", |it| {
        it.git(&["worktree", "add", "--quiet", "--detach", "src/linked"]);
    }),
    ("settings by which git compares otherwise", |it| {
        it.git(&["config", "core.fileMode", "false"]);
    }),
];

#[test]
fn what_changes_is_seen() {
    for (step, change) in STEPS {
        let fixture = Fixture::new(&[]);
        fs::create_dir(fixture.path("empty")).unwrap();
        let before = fixture.settle();
        change(&fixture);
        assert!(!fixture.sees_itself(), "{step}");
        fixture.record(Some(&before), step);
        fixture.record(None, step);
    }
}

#[test]
fn what_does_not_change_is_seen_without_git() {
    for options in [&[][..], &["--object-format=sha256"]] {
        let fixture = Fixture::new(options);
        symlink("notes", fixture.path("link")).unwrap();
        // git lists no directory without files, nor what is in an ignored one.
        fs::create_dir_all(fixture.path("empty/deep")).unwrap();
        set_mode(fixture.path("run.sh"), 0o755);
        std::thread::sleep(Duration::from_millis(1100));
        let before = fixture.settle();
        fixture.write("build/more", "ignored\n");
        fixture.write("build/.gitignore", "*\n");
        fs::create_dir_all(fixture.path("build/.git")).unwrap();
        fixture.write("src/x.tmp", "ignored, and changed\n");
        fs::remove_dir_all(fixture.path("empty/deep")).unwrap();
        assert!(fixture.sees_itself());
        let (after, _) = fixture.record(Some(&before), "ignored files change");
        assert_eq!(before, after);
        assert!(fixture.sees_itself());
    }
}

#[test]
fn file_of_the_second_in_which_the_index_was_written_is_for_git() {
    let fixture = Fixture::new(&[]);
    let index = fixture.base.join("looking/index");
    let second = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let notes = fixture.path("notes");
    for path in [
        "a.py",
        "deep/b.py",
        "deep/.gitignore",
        "../.gitignore",
        "../run.sh",
    ] {
        set_time(
            &fixture.path("src").join(path),
            second - Duration::from_secs(9),
        );
    }
    // Without a fraction, it may be of a file system that counts every other second.
    for (later, fraction, from) in [(0, 5, 1_000), (60, 0, 3_000)] {
        let second = second + Duration::from_secs(later);
        set_time(&notes, second + Duration::from_nanos(fraction));
        fixture.settle();
        for (written, sees) in [(from - 1, false), (from, true)] {
            set_time(&index, second + Duration::from_millis(written));
            assert_eq!(fixture.sees_itself(), sees, "{fraction} {written}");
        }
    }
}

#[test]
fn list_of_another_index_is_not_used() {
    let fixture = Fixture::new(&[]);
    fixture.settle();
    let list = fixture.base.join("looking").join(LIST);
    let mut other = fs::read(&list).unwrap();
    other[0] ^= 1;
    fs::write(&list, other).unwrap();
    assert!(!fixture.sees_itself());
}

/// What becomes of an ignore file that ignores itself, as in the caches of many programs.
const RULES_STEPS: &[Step] = &[
    ("another content of the same size and time", |it| {
        change_in_secret(&it.path("cache/.gitignore"));
    }),
    ("no content", |it| it.write("cache/.gitignore", "")),
    ("no file", |it| {
        fs::remove_file(it.path("cache/.gitignore")).unwrap();
    }),
    ("a link to the same content", |it| {
        fs::rename(it.path("cache/.gitignore"), it.path("build/rules")).unwrap();
        symlink("../build/rules", it.path("cache/.gitignore")).unwrap();
    }),
    ("a directory", |it| {
        fs::remove_file(it.path("cache/.gitignore")).unwrap();
        fs::create_dir(it.path("cache/.gitignore")).unwrap();
    }),
];

#[test]
fn ignored_rules_are_compared_by_their_content() {
    let mut fixtures = Vec::new();
    for step in RULES_STEPS {
        let fixture = Fixture::new(&[]);
        fixture.write("cache/deep/made", "made\n");
        fixture.write("cache/.gitignore", "*\n");
        // What git read is not known of a file that has just changed.
        for _ in 0..3 {
            assert!(!fixture.record(None, "new rules").1);
        }
        assert!(!fixture.base.join("looking").join(LIST).exists());
        fixtures.push((fixture, step));
    }
    std::thread::sleep(Duration::from_millis(3100));
    for (fixture, (step, change)) in fixtures {
        let before = fixture.settle();
        // The same content, written again, and rules that git does not read.
        fixture.write("cache/.gitignore", "*\n");
        fixture.write("cache/deep/.gitignore", "!*\n");
        assert!(fixture.sees_itself(), "{step}");
        change(&fixture);
        assert!(!fixture.sees_itself(), "{step}");
        fixture.record(Some(&before), step);
        fixture.record(None, step);
    }
}

#[test]
fn repository_in_the_index_is_for_git() {
    let fixture = Fixture::new(&[]);
    let nested = fixture.path("nested");
    fs::create_dir(&nested).unwrap();
    fixture.git(&["-C", "nested", "init", "--quiet"]);
    let commit = ["commit", "--quiet", "--allow-empty", "--message=x"];
    fixture.git(&[&["-C", "nested"][..], &commit].concat());
    for _ in 0..3 {
        assert!(!fixture.record(None, "a repository in the index").1);
    }
    // What may become one, too.
    let fixture = Fixture::new(&[]);
    fs::create_dir_all(fixture.path("src/deep/.git")).unwrap();
    for _ in 0..4 {
        assert!(!fixture.record(None, "the beginning of a repository").1);
    }
}

/// A change of an entry.
type EntryEdit = (&'static str, fn(&mut Entry));

const EDITS: &[EntryEdit] = &[
    ("the executable bit", |entry| {
        entry.mode = Mode::FILE_EXECUTABLE
    }),
    ("a link", |entry| entry.mode = Mode::SYMLINK),
    ("a repository", |entry| entry.mode = Mode::COMMIT),
    ("a conflict", |entry| {
        entry.flags = Flags::from_stage(Stage::Ours)
    }),
    ("assume-unchanged", |entry| {
        entry.flags |= Flags::ASSUME_VALID
    }),
    ("sparse checkout", |entry| {
        entry.flags |= Flags::SKIP_WORKTREE | Flags::EXTENDED;
    }),
    ("git add -N", |entry| {
        entry.flags |= Flags::INTENT_TO_ADD | Flags::EXTENDED;
    }),
    ("another owner", |entry| entry.stat.uid += 1),
    ("another group", |entry| entry.stat.gid += 1),
    ("another inode", |entry| entry.stat.ino += 1),
    ("another fraction of the time", |entry| {
        entry.stat.mtime.nsecs += 1
    }),
    // git notes no size for a file that it has to read: it changed in the second in which the index was written.
    ("an empty file", |entry| {
        entry.id = ObjectId::empty_tree(entry.id.kind())
    }),
];

#[test]
fn entry_that_is_not_plain_is_for_git() {
    for (about, edit) in EDITS {
        let fixture = Fixture::new(&[]);
        fixture.write("notes", "");
        fixture.settle();
        let repo = Repository::open(&fixture.root).unwrap();
        let store = fixture.store(&repo, "looking");
        let edit_with = |edit: fn(&mut Entry)| {
            let hash = repo.repo.object_hash();
            let index = gix::index::File::at(store.file("index"), hash, true, Default::default());
            let mut index = index.unwrap();
            let at = index.entry_index_by_path("notes".into()).unwrap();
            edit(&mut index.entries_mut()[at]);
            index.write(Default::default()).unwrap();
            // The list is of this index, as if git had said the same.
            let list = fs::read(store.file(LIST)).unwrap();
            let checksum = store.index_checksum().unwrap();
            let list = [&checksum[..], &list[checksum.len()..]].concat();
            fs::write(store.file(LIST), list).unwrap();
        };
        edit_with(|_| {});
        assert!(fixture.sees_itself(), "{about}");
        edit_with(*edit);
        assert!(!fixture.sees_itself(), "{about}");
    }
}

#[test]
fn ignored_directory_is_listed_as_git_lists_it() {
    let fixture = Fixture::new(&[]);
    // git lists the other files of a directory of which it tracks one.
    fixture.write("build/more", "ignored\n");
    fixture.git(&["add", "--force", "build/out"]);
    fixture.settle();
    fixture.git(&["rm", "--quiet", "--force", "build/out"]);
    for _ in 0..3 {
        fixture.record(None, "nothing tracked in it");
    }
    fixture.settle();
    // A name is tracked or ignored.
    let list = fixture.base.join("looking").join(LIST);
    let listed = fs::read(&list).unwrap();
    fs::write(&list, [&listed[..], b"!notes\0"].concat()).unwrap();
    assert!(!fixture.sees_itself());
}

const DIRECTORIES: [&str; 6] = ["", "src/", "src/deep/", "build/", "empty/", "a b/"];
const NAMES: [&str; 10] = [
    "a.py",
    "b.py",
    "x.tmp",
    "y.out",
    "build",
    "deep",
    ".gitignore",
    "é",
    "target/x",
    "target/y/z",
];
const RULES: [&str; 8] = [
    "*.tmp\n",
    "build/\n",
    "deep\n",
    "/a.py\n",
    "*\n!*.py\n",
    "target/\n",
    "empty/\n",
    "",
];

/// Random steps in a repository.
struct Walk<'a> {
    fixture: &'a Fixture,
    dice: Random,
}

impl Walk<'_> {
    fn name(&mut self) -> String {
        self.dice.of(&DIRECTORIES).to_owned() + self.dice.of(&NAMES)
    }

    /// One step; most refuse nothing, and those that fail change nothing.
    fn step(&mut self) -> String {
        let path = self.name();
        let other = self.name();
        let kind = self.dice.below(20);
        let place = self.fixture.path(&path);
        let content = format!("{}\n", 100 + self.dice.below(900));
        match kind {
            0..=2 => drop(fs::write(&place, content)),
            3 if place.is_file() => change_in_secret(&place),
            4 => drop(fs::remove_file(&place)),
            5 => drop(fs::create_dir_all(&place)),
            6 => drop(fs::rename(&place, self.fixture.path(&other))),
            7 if place.is_file() => set_mode(&place, [0o644, 0o755, 0o600][self.dice.below(3)]),
            8 => drop(symlink("a.py", &place)),
            9 => drop(fs::write(
                place.with_file_name(".gitignore"),
                self.dice.of(&RULES),
            )),
            10 => drop(fs::write(
                self.fixture.path(".git/info/exclude"),
                self.dice.of(&RULES),
            )),
            11 => self.fixture.git(&["add", "--force", &path]),
            12 => self.fixture.git(&["add", "--all"]),
            13 => self
                .fixture
                .git(&["commit", "--quiet", "--all", "--message=x"]),
            14 => self
                .fixture
                .git(&["checkout", "--quiet", "-B", "other", "HEAD~1"]),
            15 => self
                .fixture
                .git(&["reset", "--quiet", "--hard", "HEAD@{1}"]),
            16 => self
                .fixture
                .git(&["rm", "--quiet", "-r", "--cached", &path]),
            17 if self.dice.one_in(4) => drop(fs::remove_dir_all(&place)),
            18 if self.dice.one_in(6) => self.fixture.git(&["init", "--quiet", &path]),
            19 if self.dice.one_in(4) => self.fixture.git(&["clean", "-dffxq", &path]),
            _ => {}
        }
        format!("step {kind} with {path} and {other}")
    }

    /// Sets the times of all files back.
    fn set_all_back(&self, directory: &Path) {
        for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
            let kind = entry.file_type().unwrap();
            let about = entry.metadata().unwrap();
            let age = about.modified().unwrap().elapsed().unwrap_or_default();
            if kind.is_dir() && entry.file_name() != ".git" {
                self.set_all_back(&entry.path());
            } else if kind.is_file() && age < Duration::from_secs(3_600) {
                set_back(&entry.path());
            }
        }
    }
}

#[test]
fn after_random_steps_guard_sees_what_git_says() {
    let mut seen = 0;
    for seed in 1..=6 {
        let fixture = Fixture::new(&[]);
        let dice = Random(seed * 7_919);
        let mut walk = Walk {
            fixture: &fixture,
            dice,
        };
        let mut before = None;
        for at in 0..100 {
            let mut step = "nothing".to_owned();
            if walk.dice.one_in(2) {
                step = walk.step();
            }
            if !walk.dice.one_in(4) {
                walk.set_all_back(&fixture.root);
            }
            let (now, sees) =
                fixture.record(before.as_ref(), &format!("seed {seed}, {at}: {step}"));
            seen += usize::from(sees);
            if walk.dice.one_in(3) {
                before = Some(now);
            } else if walk.dice.one_in(4) {
                before = None;
            }
        }
    }
    assert!((200..450).contains(&seen), "{seen} of 600");
}
