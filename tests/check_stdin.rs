//! `guard check --stdin`: one process answers many paths as `guard check PATH` answers each of them.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::common::{DESIGN, GUARD, Output, Repo, SETTINGS, lines, run, run_with_input, strace};

/// Paths of every kind: granted, not granted, settings, designs, outside, links, other repositories, bad names.
const PATHS: &[&[u8]] = &[
    b"src/granted.rs",
    b"./src//granted.rs",
    b"src/other.rs",
    b"src/new.rs",
    b"src/large.rs",
    b"src/link.rs",
    b"src/way/out.rs",
    b"src",
    b"src/granted.rs/below",
    b"guard.toml",
    b"docs/lld/active/LLD-188.md",
    b"docs/lld/active/LLD-7.md",
    b".git/config",
    b"../outside",
    b"/etc/passwd",
    b"nested/a.rs",
    b"sub/a.rs",
    b"SUB/a.rs",
    b"tests/test_a.py",
    b"",
    b" ",
    b"-z",
    b"\"quoted\"",
    b"back\\slash.rs",
    b"new\nline",
    b"cr\r",
    b"src/gr\xc3\xa4nted.rs",
    b"src/\xff.rs",
    b"src/\xe2\x80\xaehidden.rs",
];

const OTHER_DESIGN: &str = "docs/lld/active/LLD-7.md";

/// A repository with two designs and files of several kinds.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("src/granted.rs", "a\n");
    repo.stage("src/other.rs", "b\n");
    repo.stage("src/large.rs", lines(1..=200));
    repo.stage("tests/test_a.py", "c\n");
    repo.design(OTHER_DESIGN, &[("src/other.rs", "Modify", "x")]);
    repo.govern(&[
        ("src/granted.rs", "Modify", "x"),
        ("src/large.rs", "Modify", "x"),
        ("src/new.rs", "Add", "x"),
        ("src/gränted.rs", "Add", "x"),
        ("tests/test_a.py", "Add", "x"),
    ]);
    symlink("granted.rs", repo.path("src/link.rs")).unwrap();
    symlink("../..", repo.path("src/way")).unwrap();
    repo
}

/// What a fresh process answers: the result, or the message of the error.
fn fresh(repo: &Repo, path: &[u8]) -> (Value, i32) {
    let path = std::ffi::OsStr::from_bytes(path);
    let output = run(repo
        .command(GUARD)
        .args(["check", "--format", "json", "--"])
        .arg(path));
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let answer = match output.code {
        2 => json!({"message": report["error"]["message"], "help": report["error"]["help"]}),
        _ => report["results"][0].clone(),
    };
    (answer, output.code)
}

/// The same of a line of JSON Lines.
fn answer(line: &str) -> (Value, i32) {
    let mut line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line:?}"));
    let keys = line.as_object_mut().unwrap();
    if keys["type"] == "error" {
        return (json!({"message": keys["message"], "help": keys["help"]}), 2);
    }
    assert_eq!(keys.remove("type").unwrap(), "result");
    let code = i32::from(keys["allowed"] == false);
    (line, code)
}

/// The answers for a list on standard input.
fn check(repo: &Repo, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = repo.command(GUARD);
    command.args(["check", "--stdin"]).args(arguments);
    run_with_input(&mut command, input)
}

/// A path as git writes it in a line.
fn quoted(path: &[u8]) -> Vec<u8> {
    let octal = path.iter().map(|byte| format!("\\{byte:03o}"));
    format!("\"{}\"", octal.collect::<String>()).into()
}

#[test]
fn a_list_gets_the_answers_of_single_paths() {
    let repo = repo();
    let expected: Vec<_> = PATHS.iter().map(|path| fresh(&repo, path)).collect();
    let joined = |end: u8, each: &dyn Fn(&[u8]) -> Vec<u8>| -> Vec<u8> {
        let ended = PATHS.iter().map(|path| [each(path), vec![end]].concat());
        ended.collect::<Vec<_>>().concat()
    };
    let as_git = |path: &[u8]| {
        let is_plain = !path.starts_with(b"\"") && !path.contains(&b'\n') && !path.ends_with(b"\r");
        match is_plain {
            true => path.to_vec(),
            false => quoted(path),
        }
    };
    let lists = [
        (joined(0, &<[u8]>::to_vec), &["-z", "--format", "jsonl"][..]),
        (joined(b'\n', &as_git), &["--format", "jsonl"]),
        (joined(b'\n', &quoted), &["--format", "jsonl"]),
    ];
    for (list, arguments) in lists {
        let output = check(&repo, arguments, &list).exits(1);
        let (answers, summary) = output.stdout.trim_end().rsplit_once('\n').unwrap();
        let answers: Vec<_> = answers.lines().map(answer).collect();
        assert_eq!(answers, expected);
        let count = |code| expected.iter().filter(|(_, found)| *found == code).count();
        let summary: Value = serde_json::from_str(summary).unwrap();
        let counts = json!({"type": "summary", "version": 1, "allowed": count(0), "refused": count(1), "errors": 0, "notes": []});
        assert_eq!(summary, counts);
    }
    // The documents and lines of a list are those of the same paths as arguments.
    for format in ["human", "json", "jsonl"] {
        let some = ["src/granted.rs", "src/other.rs", "../outside"];
        let named = repo.guard(&[&["check", "--format", format][..], &some].concat());
        let listed = check(&repo, &["--format", format], some.join("\n").as_bytes());
        assert_eq!(
            (listed.code, listed.stdout),
            (named.code, named.stdout),
            "{format}"
        );
    }
}

#[test]
fn the_exit_code_is_the_worst_of_all_answers() {
    let repo = repo();
    for (list, code) in [
        ("", 0),
        ("src/granted.rs\nsrc/new.rs\n", 0),
        ("src/granted.rs\nsrc/other.rs\nsrc/new.rs\n", 1),
        ("../outside", 1),
        ("\"badly quoted\nsrc/other.rs\nsrc/granted.rs\n", 2),
    ] {
        for format in ["human", "jsonl"] {
            check(&repo, &["--format", format], list.as_bytes()).exits(code);
        }
    }
    repo.git(&["switch", "--quiet", "--detach"]);
    let output = check(&repo, &[], b"../outside\nsrc/granted.rs\nsrc/new.rs\n").exits(2);
    let words: Vec<_> = output
        .stdout
        .lines()
        .map(|line| line.split(' ').next())
        .collect();
    assert_eq!(words, [Some("refused"), Some("error"), Some("error")]);
    // What to do about it is said once.
    assert_eq!(
        output.stderr.matches("HEAD is detached").count(),
        1,
        "{output:?}"
    );
    check(&repo, &["--format", "json"], b"src/granted.rs\n").exits(2);
    fs::remove_dir_all(repo.path(".git")).unwrap();
    check(&repo, &[], b"").exits(2);
    check(&repo, &[], b"a\n").exits(2).says("error a: ");
}

#[test]
fn stdin_excludes_paths_and_content_and_bounds_each_path() {
    let repo = repo();
    for arguments in [
        &["check", "--stdin", "src/granted.rs"][..],
        &["check", "--stdin", "--content-file", "src/granted.rs"],
        &["check", "-z", "src/granted.rs"],
        &["check"],
    ] {
        repo.guard(arguments).exits(2).says("Usage: guard check");
    }
    let long = vec![b'a'; 100_000];
    check(&repo, &[], &[&b"src/granted.rs\n"[..], &long].concat())
        .exits(2)
        .says("allowed src/granted.rs")
        .says("a path on standard input has more than 65536 bytes");
}

#[test]
fn a_report_file_has_all_answers() {
    let repo = repo();
    let file = repo.path("../answers.jsonl");
    let target = format!("jsonl={}", file.display());
    for list in ["src/granted.rs\n", "src/granted.rs\nsrc/other.rs\n"] {
        let output = check(
            &repo,
            &["--output", &target, "--format", "jsonl"],
            list.as_bytes(),
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), output.stdout);
        assert_eq!(output.stdout.lines().count(), list.lines().count() + 1);
    }
}

#[test]
fn many_paths_open_the_repository_once() {
    let repo = repo();
    if !strace::is_there(&repo) {
        return;
    }
    let design = repo.git(&["rev-parse", &format!("HEAD:{DESIGN}")]);
    let design = format!(".git/objects/{}/{}", &design[..2], &design[2..]);
    let opened = |paths: usize| {
        let list = "src/granted.rs\nsrc/other.rs\nsrc/new.rs\n".repeat(paths);
        let mut command = repo.command("strace");
        command.args(["-f", "-qq", "-e", "trace=openat", "-o", "../trace"]);
        command.args([GUARD, "check", "--stdin"]);
        run_with_input(&mut command, list.as_bytes()).exits(1);
        let trace = fs::read_to_string(repo.path("../trace")).unwrap();
        let parts = [".git/config\"", ".git/index\"", &design];
        parts.map(|part| trace.lines().filter(|line| line.contains(part)).count())
    };
    let one = opened(1);
    assert!(one.iter().all(|count| *count > 0), "{one:?}");
    assert_eq!(opened(100), one);
}

/// A running `guard check --stdin`.
struct CoProcess {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl CoProcess {
    fn start(repo: &Repo) -> CoProcess {
        let mut child = repo
            .command(GUARD)
            .args(["check", "--stdin", "-z", "--format", "jsonl"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        CoProcess {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    /// Writes a path and waits for its answer.
    fn ask(&mut self, path: &[u8]) -> (Value, i32) {
        self.input.write_all(&[path, b"\0"].concat()).unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        answer(&line)
    }

    fn end(mut self) -> i32 {
        drop(self.input);
        self.child.wait().unwrap().code().unwrap()
    }
}

/// Something that changes answers, or none.
type Step = (&'static str, fn(&Repo));

/// Commits on the branch whatever is staged.
fn commit(repo: &Repo) {
    repo.try_git(&[
        "-c",
        "core.hooksPath=/dev/null",
        "commit",
        "--quiet",
        "-m",
        "x",
    ]);
}

fn settings(repo: &Repo, more: &str) {
    repo.stage("guard.toml", format!("{SETTINGS}{more}"));
    commit(repo);
}

fn design(repo: &Repo, files: &[&str]) {
    let rows: Vec<_> = files
        .iter()
        .map(|file| (*file, "Add/Modify", "x"))
        .collect();
    repo.design(DESIGN, &rows);
    commit(repo);
}

fn remove(repo: &Repo, path: &str) {
    let path = repo.path(path);
    let _ = fs::remove_dir_all(&path);
    let _ = fs::remove_file(&path);
}

const STEPS: &[Step] = &[
    ("another design", |repo| design(repo, &["src/other.rs"])),
    ("its rows back", |repo| {
        design(repo, &["src/granted.rs", "src/new.rs"])
    }),
    ("another branch", |repo| {
        repo.try_git(&["switch", "--quiet", "-C", "7-other"]);
    }),
    ("the branch again", |repo| {
        repo.try_git(&["switch", "--quiet", "-C", "188-work"]);
    }),
    ("no branch", |repo| {
        repo.try_git(&["switch", "--quiet", "--detach"]);
    }),
    ("the branch again", |repo| {
        repo.try_git(&["switch", "--quiet", "-C", "188-work"]);
    }),
    ("a chosen design", |repo| {
        repo.git(&["config", "branch.188-work.guardDesign", OTHER_DESIGN]);
    }),
    ("no chosen design", |repo| {
        repo.try_git(&["config", "--unset", "branch.188-work.guardDesign"]);
    }),
    ("protected files", |repo| {
        settings(
            repo,
            "[scope]\nprotect = [\"/src/granted.rs\"]\nprotect-tests = \"always\"\n",
        );
    }),
    ("a broken guard.toml", |repo| settings(repo, "[lld\n")),
    ("plain settings", |repo| settings(repo, "")),
    ("a committed file", |repo| {
        repo.stage("src/new.rs", lines(1..=300));
        commit(repo);
    }),
    ("a nested repository", |repo| {
        repo.write("nested/.git", "gitdir: x\n")
    }),
    ("a submodule in the index", |repo| {
        let id = repo.git(&["rev-parse", "HEAD"]);
        let entry = format!("160000,{id},sub");
        repo.git(&["update-index", "--add", "--cacheinfo", &entry]);
    }),
    ("packed refs and objects", |repo| {
        repo.git(&["gc", "--quiet", "--prune=now"]);
    }),
    ("approvals that cannot be read", |repo| {
        remove(repo, ".git/guard");
        fs::create_dir(repo.path(".git/guard")).unwrap();
        fs::write(repo.path(".git/guard/approvals"), "").unwrap();
    }),
    ("no approvals", |repo| remove(repo, ".git/guard")),
    ("no HEAD", |repo| {
        fs::rename(repo.path(".git/HEAD"), repo.path(".git/kept")).ok();
    }),
    ("HEAD again", |repo| {
        fs::rename(repo.path(".git/kept"), repo.path(".git/HEAD")).ok();
    }),
    ("another repository in the directory", |repo| {
        fs::rename(repo.path(".git"), repo.path("../kept")).unwrap();
        repo.git(&["init", "--quiet", "--template=", "--initial-branch=7-other"]);
        repo.git(&["add", "src/other.rs", OTHER_DESIGN]);
        repo.stage("guard.toml", SETTINGS);
        commit(repo);
    }),
    ("the repository again", |repo| {
        if repo.path("../kept").exists() {
            remove(repo, ".git");
            fs::rename(repo.path("../kept"), repo.path(".git")).unwrap();
        }
    }),
];

#[test]
fn a_change_between_two_paths_counts() {
    let repo = repo();
    let mut guard = CoProcess::start(&repo);
    let asked: [&[u8]; 3] = [b"src/granted.rs", b"src/new.rs", b"nested/a.rs"];
    let (mut changed, mut last) = (0, Vec::new());
    for (name, change) in STEPS {
        change(&repo);
        let answers: Vec<_> = asked.iter().map(|path| guard.ask(path)).collect();
        let expected: Vec<_> = asked.iter().map(|path| fresh(&repo, path)).collect();
        assert_eq!(answers, expected, "after {name}");
        changed += usize::from(answers != last);
        last = answers;
    }
    assert!(changed > STEPS.len() / 2, "only {changed} answers changed");
    assert_eq!(guard.end(), 2);
}

#[test]
fn closed_output_ends_guard_quietly() {
    let repo = repo();
    let mut child = repo
        .command(GUARD)
        .args(["check", "--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    // The input stays open: guard ends because of the output.
    input.write_all(b"src/granted.rs\n").unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), ended.stderr), (Some(0), Vec::new()));
    drop(input);
}
