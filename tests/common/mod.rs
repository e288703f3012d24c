//! A real repository in a temporary directory, made with the real git and judged by the built binary.
//!
//! From the caller's environment, only `PATH` and the directory for temporary files reach git and guard. Home,
//! identity, dates and language are fixed.

#![allow(
    dead_code,
    reason = "every test target uses its own part of the harness"
)]

pub mod agents;
pub mod branch_answers;
pub mod branches;
pub mod case;
pub mod clients;
pub mod commits;
pub mod corpus_layout;
pub mod disturb;
pub mod files;
pub mod frameworks;
pub mod image;
pub mod log;
pub mod mcp;
pub mod pages;
pub mod race;
pub mod raw;
pub mod real_agents;
pub mod registry;
pub mod reviews;
mod server;
pub mod signing;
pub mod strace;
pub mod system;
pub mod terminal;
pub mod verbs;
pub mod worktree;

#[allow(
    unused_imports,
    reason = "every test target uses its own part of the harness"
)]
pub use write_guard_testing::{corpus, random, table};

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gix::ObjectId;
use serde_json::Value;
use tempfile::TempDir;

/// The binary under test.
pub const GUARD: &str = env!("CARGO_BIN_EXE_guard");

/// The checked-out sources of guard.
pub const SOURCE: &str = env!("CARGO_MANIFEST_DIR");

/// The settings that [`Repo::govern`] commits.
pub const SETTINGS: &str = "[lld]\npath = \"docs/lld/active/LLD-{issue}.md\"\n";

/// The design that [`SETTINGS`] chooses on the branch `188-work`.
pub const DESIGN: &str = "docs/lld/active/LLD-188.md";

/// What a finished command left behind.
#[derive(Debug)]
pub struct Output {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Output {
    /// Both streams, as a person at a terminal sees them.
    pub fn text(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    fn streams(&self) -> String {
        format!("stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr)
    }

    /// Asserts the exit code; a failure shows both streams.
    #[track_caller]
    pub fn exits(self, code: i32) -> Output {
        assert_eq!(self.code, code, "{}", self.streams());
        self
    }

    /// Asserts that both streams together contain `part`.
    #[track_caller]
    pub fn says(self, part: &str) -> Output {
        let is_there = self.text().contains(part);
        assert!(is_there, "{part:?} is missing; {}", self.streams());
        self
    }
}

/// Runs a command without standard input. A death by signal is a failure of the test.
#[track_caller]
pub fn run(command: &mut Command) -> Output {
    run_with_input(command, b"")
}

/// Runs a command with `input` on its standard input.
#[track_caller]
pub fn run_with_input(command: &mut Command, input: &[u8]) -> Output {
    let shown = format!("{command:?}");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{shown}: {error}"));
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        // A child that does not read its input closes the pipe early, which is not a failure.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    });
    let code = output.status.code();
    Output {
        code: code.unwrap_or_else(|| panic!("{shown}: {}", output.status)),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Reports that the running test was skipped; `tests/run` counts it.
pub fn skip(reason: &str) {
    let thread = std::thread::current();
    let line = format!("skipped: {}: {reason}", thread.name().unwrap_or("test"));
    eprintln!("{line}");
    if let Some(list) = std::env::var_os("GUARD_SKIPS") {
        let list = fs::File::options().append(true).create(true).open(list);
        writeln!(list.unwrap(), "{line}").unwrap();
    }
}

/// Asserts, in two threads, that nothing is wrong with any of these; `wrong` says what is.
#[track_caller]
pub fn assert_each<T: Sync>(all: &[T], wrong: impl Fn(&T) -> Option<String> + Sync) {
    let work = |some: &[T]| -> Vec<String> { some.iter().filter_map(&wrong).collect() };
    let (one, other) = all.split_at(all.len() / 2);
    let found = std::thread::scope(|scope| {
        let other = scope.spawn(|| work(other));
        [work(one), other.join().unwrap()].concat()
    });
    assert_eq!(found, [""; 0]);
}

/// A program that `tests/run` installs below `target/venv`; without it the test skips.
pub fn tool(name: &str) -> Option<PathBuf> {
    let program = system::venv_program(name);
    if !program.is_file() {
        skip(&format!("{name} is not installed; tests/run installs it"));
        return None;
    }
    Some(program)
}

/// A repository on the branch `main`, with a home directory next to it. Both are deleted on drop.
pub struct Repo {
    temp: TempDir,
    /// The root of the work tree, free of symbolic links.
    pub root: PathBuf,
}

/// The program as a path. For a bare name, with an environment of its own, the library would copy this whole process to
/// start the program, which took a quarter of the time of all tests.
fn found(program: &OsStr) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut file = program.to_owned();
    if Path::new(program).extension().is_none() {
        file.push(std::env::consts::EXE_SUFFIX);
    }
    let mut places = std::env::split_paths(&path).map(|place| place.join(&file));
    places.find(|it| it.is_file()).unwrap_or(program.into())
}

impl Repo {
    /// An empty SHA-1 repository.
    pub fn new() -> Repo {
        Repo::init(&[])
    }

    /// An empty repository made with further arguments of `git init`, as `--object-format=sha256`.
    pub fn init(options: &[&str]) -> Repo {
        Repo::nothing().initialized(options)
    }

    /// Turns an empty directory into what [`Repo::init`] returns.
    pub fn initialized(self, options: &[&str]) -> Repo {
        let mut init = vec!["init", "--quiet", "--template=", "--initial-branch=main"];
        init.extend(options);
        self.git(&init);
        self
    }

    /// An empty directory that is not a repository yet.
    pub fn nothing() -> Repo {
        Repo::nothing_in(tempfile::tempdir().unwrap())
    }

    /// The same, in memory if possible, for tests that mostly wait for the disk.
    pub fn nothing_in_memory() -> Repo {
        let memory = Path::new("/dev/shm");
        Repo::nothing_in(if memory.is_dir() {
            tempfile::tempdir_in(memory).unwrap()
        } else {
            tempfile::tempdir().unwrap()
        })
    }

    fn nothing_in(temp: TempDir) -> Repo {
        let base = system::real(temp.path());
        fs::create_dir(base.join("home")).unwrap();
        let root = base.join("work");
        fs::create_dir(&root).unwrap();
        Repo { temp, root }
    }

    /// A path below the root; `../x` is next to the repository.
    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        let relative = relative.as_ref();
        if cfg!(windows) {
            // With the separators that guard's answers have.
            return self.root.join(relative.components().collect::<PathBuf>());
        }
        self.root.join(relative)
    }

    /// The home directory of every command.
    pub fn home(&self) -> PathBuf {
        self.path("../home")
    }

    /// A program that finds the built guard on `PATH`.
    pub fn with_guard_on_path(&self, program: impl AsRef<OsStr>) -> Command {
        let guard = Path::new(GUARD).parent().unwrap();
        let mut command = self.command(program);
        command.env("PATH", system::path_beginning_with(guard));
        command
    }

    /// A script to run at the root that knows the helpers of the fixtures.
    pub fn shell(&self, script: &str) -> Command {
        let prelude = Path::new(SOURCE).join("fixtures/repos/prelude.sh");
        let script = format!(". '{}'\n{script}\n", prelude.display());
        let mut shell = self.command("sh");
        shell.args(["-euc", &script]);
        shell
    }

    /// A program to run at the root in the fixed environment.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(found(program.as_ref()));
        command.current_dir(&self.root).env_clear();
        for kept in system::KEPT {
            if let Some(value) = std::env::var_os(kept) {
                command.env(kept, value);
            }
        }
        let fixed = "GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 GIT_EDITOR=true LC_ALL=C TZ=UTC";
        command.envs(fixed.split(' ').filter_map(|pair| pair.split_once('=')));
        command.env("XDG_CONFIG_HOME", self.home().join(".config"));
        command.env("GIT_CEILING_DIRECTORIES", self.temp.path());
        command.env("HOME", self.home());
        for who in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{who}_NAME"), "A U Thor")
                .env(format!("GIT_{who}_EMAIL"), "author@example.com")
                .env(format!("GIT_{who}_DATE"), "2026-01-01T00:00:00Z");
        }
        command
    }

    /// Runs git, which must succeed; its output without the final newline.
    #[track_caller]
    pub fn git(&self, arguments: &[&str]) -> String {
        self.git_with_input(arguments, b"")
    }

    /// Runs git with standard input.
    #[track_caller]
    pub fn git_with_input(&self, arguments: &[&str], input: &[u8]) -> String {
        let output = run_with_input(self.command("git").args(arguments), input);
        assert_eq!(output.code, 0, "git {arguments:?}:\n{}", output.stderr);
        output.stdout.trim_end_matches('\n').to_owned()
    }

    /// Runs git, which may fail.
    #[track_caller]
    pub fn try_git(&self, arguments: &[&str]) -> Output {
        run(self.command("git").args(arguments))
    }

    /// Writes a file of the work tree, parents included.
    #[track_caller]
    pub fn write(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// The text of a file of the work tree.
    #[track_caller]
    pub fn text(&self, path: impl AsRef<Path>) -> String {
        let path = self.path(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Writes a file and stages it.
    #[track_caller]
    pub fn stage(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        self.write(&path, bytes);
        let mut git = self.command("git");
        git.args(["--literal-pathspecs", "add", "--force", "--"]);
        run(git.arg(path.as_ref())).exits(0);
    }

    /// Commits the staged changes as part of the set-up, without hooks.
    #[track_caller]
    pub fn commit(&self, message: &str) -> String {
        // `--no-verify` would still run prepare-commit-msg.
        let no_hooks = ["-c", "core.hooksPath=/dev/null"];
        self.git(&[&no_hooks[..], &["commit", "--quiet", "-m", message]].concat());
        self.git(&["rev-parse", "HEAD"])
    }

    /// Creates a branch at HEAD and switches to it.
    #[track_caller]
    pub fn branch(&self, name: &str) {
        self.git(&["switch", "--quiet", "--create", name]);
    }

    /// Commits a file to `main`, then switches back to `188-work`.
    #[track_caller]
    pub fn on_main(&self, path: &str, content: impl AsRef<[u8]>) {
        self.git(&["switch", "--quiet", "main"]);
        self.stage(path, content);
        self.commit("Change main");
        self.git(&["switch", "--quiet", "188-work"]);
    }

    /// Stages a design with one table; a row is path, type and description.
    #[track_caller]
    pub fn design(&self, path: &str, rows: &[(&str, &str, &str)]) {
        let mut text = String::from(
            "# A feature\n\n### 2.1 Files Changed\n\n\
             | File | Change Type | Description |\n|------|-------------|-------------|\n",
        );
        for (file, change, description) in rows {
            writeln!(text, "| `{file}` | {change} | {description} |").unwrap();
        }
        self.stage(path, text);
    }

    /// Commits [`SETTINGS`] and [`DESIGN`] with these rows, then switches to the branch `188-work`.
    #[track_caller]
    pub fn govern(&self, rows: &[(&str, &str, &str)]) {
        self.govern_with("", rows);
    }

    /// The same with further settings.
    #[track_caller]
    pub fn govern_with(&self, settings: &str, rows: &[(&str, &str, &str)]) {
        self.stage("guard.toml", format!("{SETTINGS}{settings}"));
        self.design(DESIGN, rows);
        self.commit("Say what may change");
        self.branch("188-work");
    }

    /// Runs guard at the root.
    #[track_caller]
    pub fn guard(&self, arguments: &[&str]) -> Output {
        run(self.command(GUARD).args(arguments))
    }

    /// Runs guard at the root with these variables.
    #[track_caller]
    pub fn guard_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
        let mut guard = self.command(GUARD);
        run(guard.envs(variables.iter().copied()).args(arguments))
    }

    /// Runs guard with the words of this line, and asserts the exit code and a part of what it says.
    #[track_caller]
    pub fn tells(&self, line: &str, code: i32, part: &str) -> Output {
        let words: Vec<&str> = line.split(' ').collect();
        self.guard(&words).exits(code).says(part)
    }

    /// Runs guard with `input` on its standard input.
    #[track_caller]
    pub fn guard_reads(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
        run_with_input(self.command(GUARD).args(arguments), input.as_ref())
    }

    /// Runs guard with `--format json` added; standard output must be one JSON value.
    #[track_caller]
    pub fn json(&self, arguments: &[&str]) -> Value {
        let output = self.guard(&[arguments, &["--format", "json"]].concat());
        serde_json::from_str(&output.stdout)
            .unwrap_or_else(|error| panic!("guard {arguments:?}: {error}\n{output:?}"))
    }

    /// Installs a git hook that runs `guard hook NAME` of the built binary.
    #[track_caller]
    pub fn install_hook(&self, name: &str) {
        let script = format!("#!/bin/sh\nexec '{GUARD}' hook {name} \"$@\"\n");
        self.install_hook_script(name, &script);
    }

    /// Installs the hooks of a commit.
    #[track_caller]
    pub fn install_commit_hooks(&self) {
        for hook in &HOOKS[..5] {
            self.install_hook(hook);
        }
    }

    /// Installs a script as a git hook.
    #[track_caller]
    pub fn install_hook_script(&self, name: &str, script: &str) {
        let hooks = self.path(self.git(&["rev-parse", "--git-path", "hooks"]));
        fs::create_dir_all(&hooks).unwrap();
        write_executable(&hooks.join(name), script);
    }

    /// Stores a blob.
    #[track_caller]
    pub fn blob(&self, bytes: &[u8]) -> ObjectId {
        let id = self.git_with_input(&["hash-object", "-w", "--stdin"], bytes);
        ObjectId::from_hex(id.as_bytes()).unwrap()
    }

    /// Adds entries to the index, replacing those of the same path, by writing the file itself:
    /// for paths that git refuses to stage. `mode` is git's, as `0o100644`.
    #[track_caller]
    pub fn stage_raw(&self, entries: &[(u32, ObjectId, &[u8])]) {
        let mut git = self.command("git");
        let listing = git.args(["ls-files", "-z", "--stage"]).output().unwrap();
        let mut all = raw::parse_listing(&listing.stdout);
        all.retain(|(_, _, path)| entries.iter().all(|(.., new)| new != path));
        let new = entries.iter();
        all.extend(new.map(|&(mode, id, path)| (mode, id, path.to_owned())));
        all.sort_by(|a, b| a.2.cmp(&b.2));
        let file = self.path(self.git(&["rev-parse", "--git-path", "index"]));
        fs::write(file, raw::index_file(&all)).unwrap();
    }

    /// One line per file of the work tree and the git directory, including the index: mode,
    /// digest, name. Equal listings mean that nothing changed.
    pub fn digest_tree(&self) -> String {
        raw::digest_tree(&self.root)
    }
}

/// Rule and path of each finding of a report, in its order.
pub fn findings(report: &Value) -> Vec<(&str, &str)> {
    let all = report["findings"].as_array().unwrap().iter();
    let words = all.map(|one| ["rule", "path"].map(|key| one[key].as_str().unwrap_or_default()));
    words.map(<(_, _)>::from).collect()
}

/// The paths of the changes of a report.
pub fn changed_paths(report: &Value) -> Vec<&str> {
    let changes = report["changes"].as_array().unwrap().iter();
    changes.map(|it| it["path"].as_str().unwrap()).collect()
}

/// Asserts that a text has all these parts.
#[track_caller]
pub fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing: {text}");
    }
}

/// The keys of an object are these, in this order.
#[track_caller]
pub fn has_keys(value: &Value, expected: &str) {
    let keys = value.as_object().unwrap().keys();
    let keys: Vec<&str> = keys.map(String::as_str).collect();
    assert_eq!(keys.join(" "), expected);
}

/// The git hooks that `guard install git` installs.
pub const HOOKS: [&str; 7] = [
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-push",
    "pre-applypatch",
];

/// `from..=to` as numbered lines, each different from all others.
pub fn lines(range: std::ops::RangeInclusive<usize>) -> String {
    range.fold(String::new(), |mut text, number| {
        writeln!(text, "line number {number}").unwrap();
        text
    })
}

/// Writes an executable script. A child writes it: while this process has a file open for writing, a command that
/// another test starts can inherit the handle for a moment, and the file cannot be run until it is closed.
#[track_caller]
pub fn write_executable(path: &Path, script: &str) {
    if cfg!(unix) {
        let mut shell = Command::new("sh");
        let writer = shell.args(["-c", "cat >\"$0\" && chmod 755 \"$0\""]);
        run_with_input(writer.arg(path), script.as_bytes()).exits(0);
    } else {
        fs::write(path, script).unwrap();
    }
}
