//! The acceptance criteria of requirement 001, by number and through the binary, and related cases that no other test
//! covers.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::symlink;

use crate::common::files::{Answer, answer_of};
use crate::common::{self, GUARD, Repo, lines};
use gix::bstr::BStr;
use write_guard::files::{FailureKind, Gate, Operation};
use write_guard::git::Repository;
use write_guard::judge::Options;

/// A file outside, and the paths to it: with dots, absolute, and through a link.
fn with_outside() -> (Repo, Vec<String>) {
    let repo = Repo::open();
    repo.write("../home/secret", "one\n");
    symlink("../home/secret", repo.path("link")).unwrap();
    symlink("../home", repo.path("dir")).unwrap();
    let absolute = repo.root.parent().unwrap().join("home/secret");
    let paths = [
        "../home/secret",
        "x/../../home/secret",
        "link",
        "dir/secret",
    ];
    let mut paths: Vec<String> = paths.map(str::to_owned).to_vec();
    paths.push(absolute.to_str().unwrap().to_owned());
    (repo, paths)
}

#[test]
fn r001_1_1_r001_1_2_r001_1_3_no_operation_leaves_the_workspace_and_each_refusal_is_logged() {
    let (repo, paths) = with_outside();
    repo.write("inside", "one\n");
    for path in &paths {
        let patch = ["patch", path, "--search", "one", "--replace", "two"];
        let asked: [&[&str]; 5] = [
            &["read", path],
            &["write", path],
            &patch,
            &["delete", path],
            &["move", path, "taken"],
        ];
        for arguments in asked {
            let answer = repo.ask(arguments);
            answer.fails("security");
            assert_eq!(answer.code, 1, "{arguments:?}");
            // Requirement 001, 2.1 and 4.3: the message names the path, or the link on it that leads out.
            let message = answer.message();
            let begin = path.split('/').next().unwrap();
            assert!(
                message.contains(path) || message.contains(&format!("the link {begin} ")),
                "{message}"
            );
            let record = repo.records().pop().unwrap();
            assert_eq!(record["event"], "refused", "{arguments:?}");
            assert_eq!(record["operation"], arguments[0]);
            assert_eq!(record["path"], path.as_str());
            assert!(record["time"].is_string());
        }
        let answer = repo.ask(&["move", "inside", path]);
        // A path through a link is refused before guard looks at what is there.
        answer.fails("security");
    }
    assert_eq!(repo.read("../home/secret"), b"one\n");
    assert_eq!(repo.read("inside"), b"one\n");
    assert!(!repo.path("taken").exists());
    assert_eq!(fs::read_dir(repo.home()).unwrap().count(), 1);
}

#[test]
fn r001_1_4_the_command_line_reads_writes_and_patches_ag_13() {
    let repo = Repo::open();
    repo.write("a", "old\n");
    let written = repo.put("a", "new\n", &[]);
    let patched = repo.ask(&["patch", "a", "--search", "new", "--replace", "newer"]);
    for (answer, before) in [(written, "old\n"), (patched, "new\n")] {
        let backup = answer.works().json["backup"].as_str().unwrap();
        let held = repo.guard(&["snapshot", "show", backup, "a"]).exits(0);
        assert_eq!(held.stdout, before);
    }
    for read in [&["read", "a"][..], &["read", "--file", "a"]] {
        assert_eq!(repo.guard(read).exits(0).stdout, "newer\n");
    }
    let missing = repo.guard(&["read", "b"]).exits(1);
    assert_eq!(missing.stdout, "");
    assert!(missing.stderr.contains("there is no file b"));
    // Usage errors: neither given, both given.
    for arguments in [
        &["read"][..],
        &["read", "a", "--file", "a"],
        &["write"],
        &["patch", "a"],
        &["patch", "a", "--search", "new"],
        &["delete"],
        &["move", "a"],
        &["snapshot"],
        &["snapshot", "burn"],
    ] {
        repo.guard(arguments).exits(2);
    }
    assert_eq!(repo.read("a"), b"newer\n");
}

#[test]
fn r001_2_2_ag_10_every_change_names_a_backup_with_the_old_content() {
    let repo = Repo::open();
    repo.write("a", "0\n");
    let steps: [(&[&str], &str, Option<&str>); 5] = [
        (&["write", "a"], "a", Some("0\n")),
        (
            &["patch", "a", "--search", "1", "--replace", "2"],
            "a",
            Some("1\n"),
        ),
        (&["move", "a", "b"], "a", Some("2\n")),
        (&["delete", "b"], "b", Some("2\n")),
        (&["write", "c"], "c", None),
    ];
    for (arguments, path, before) in steps {
        let answer = answer_of(repo.command(GUARD).args(arguments), b"1\n");
        let backup = answer.works().json["backup"].as_str().unwrap().to_owned();
        let records = repo.records();
        let [started, done] = &records[records.len() - 2..] else {
            panic!("two records belong to a change: {records:?}");
        };
        // The backup is logged before the change begins.
        assert_eq!(
            (&started["event"], &done["event"]),
            (&"started".into(), &"done".into())
        );
        for record in [started, done] {
            assert_eq!(record["backup"], backup.as_str(), "{arguments:?}");
            assert_eq!(record["path"], path);
        }
        let listed = repo.git(&["rev-parse", "refs/guard/snapshots"]);
        assert_eq!(listed, backup);
        match before {
            Some(content) => {
                let blob = format!("{backup}:{path}");
                assert_eq!(repo.git(&["cat-file", "blob", &blob]) + "\n", content);
            }
            None => assert_eq!(repo.git(&["ls-tree", "-r", &backup]), ""),
        }
    }
}

#[test]
fn r001_2_2_the_backup_cannot_be_switched_off() {
    let repo = Repo::open();
    repo.write("a", "old\n");
    for flag in ["--no-backup", "--backup=false", "--force"] {
        let output = common::run_with_input(repo.command(GUARD).args(["write", "a", flag]), b"x\n");
        output.exits(2);
    }
    let mut guard = repo.command(GUARD);
    guard.env("GUARD_BACKUP", "0").env("GUARD_NO_BACKUP", "1");
    let answer = answer_of(guard.args(["write", "a"]), b"new\n");
    assert!(answer.works().json["backup"].is_string());
}

#[test]
fn r001_2_3_paths_are_made_absolute_normal_and_checked_jc_30_to_32() {
    let repo = Repo::open();
    let absolute = repo.path("src/a.py");
    let absolute = absolute.to_str().unwrap();
    repo.put("src/a.py", "x\n", &[]).works();
    for spelled in [
        "./src/a.py",
        "src//a.py",
        "src/./a.py",
        "src/b/../a.py",
        absolute,
    ] {
        let answer = repo.ask(&["read", spelled]);
        assert_eq!(answer.works().json["path"], absolute, "{spelled}");
    }
    for (spelled, said) in [
        ("a\nb", "U+000A"),
        ("a\u{7f}b", "U+007F"),
        ("a\u{1b}[2Jb", "U+001B"),
        ("a\u{202e}b", "U+202E"),
        ("a\u{200b}b", "U+200B"),
        ("a\u{2215}b", "U+2215"),
        ("", "is not a path"),
        (".", "is the workspace itself"),
        ("src/", "names a directory"),
    ] {
        let answer = repo.put(spelled, "x\n", &[]);
        let message = answer.fails("security").message().to_owned();
        assert!(message.contains(said), "{spelled:?}: {message}");
        assert!(!message.contains(char::is_control), "{message:?}");
    }
    assert_eq!(fs::read_dir(&repo.root).unwrap().count(), 3);
}

#[test]
fn r001_2_3_a_nul_is_refused_and_logged_ag_06_jc_33() {
    let repo = Repo::open();
    repo.write("file.txt", "x\n");
    let opened = Repository::open(&repo.root).unwrap();
    let gate = Gate::open(&opened, &Options::default()).unwrap();
    // A command-line argument cannot contain a NUL, but a request through the library can.
    let request = BStr::new(b"file.txt\0/../../etc/passwd");
    let write = Operation::replace(b"y\n".to_vec());
    for operation in [write, Operation::Delete] {
        let failure = gate.perform(request, &operation, None, None).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Security);
        assert_eq!(failure.details.get("reason"), Some(&"nul".into()));
        let record = repo.records().pop().unwrap();
        assert_eq!(record["event"], "refused");
        assert_eq!(record["operation"], operation.verb());
    }
    let failure = gate.read(request).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Security);
    assert_eq!(repo.read("file.txt"), b"x\n");
}

#[test]
fn r001_3_answers_have_the_fields_of_the_requirement() {
    let repo = Repo::open();
    let has = |answer: &Answer, wanted: &[&str]| {
        let keys = answer.works().json.as_object().unwrap();
        for key in wanted {
            assert!(keys.contains_key(*key), "{key} is missing: {answer:#?}");
        }
    };
    has(
        &repo.put("a", "one\n", &[]),
        &["path", "size", "created", "backup"],
    );
    has(
        &repo.ask(&["read", "a"]),
        &["path", "content", "size", "exists"],
    );
    let patched = repo.ask(&["patch", "a", "--search", "one", "--replace", "three"]);
    has(&patched, &["path", "matched", "replaced", "backup"]);
    let backup = patched.json["backup"].as_str().unwrap();
    assert_eq!(repo.git(&["cat-file", "-t", backup]), "commit");
    // A large file needs a person to go.
    repo.stage("large", lines(1..=101));
    repo.commit("Large");
    let answer = repo.ask(&["delete", "large"]);
    assert_eq!(answer.fails("held").class(), "DELETE");
}

#[test]
fn r001_4_2_ag_11_no_operation_leaves_other_files_behind() {
    let repo = Repo::open();
    repo.write("d/a", lines(1..=270));
    let names = || -> Vec<_> {
        let mut names: Vec<_> = fs::read_dir(repo.path("d"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    repo.put("d/a", lines(1..=260), &[]).works();
    assert_eq!(names(), ["a"]);
    // Held, not found, ambiguous, binary: the file stays, byte for byte.
    let before = repo.read("d/a");
    repo.put("d/a", "x\n", &[]).fails("held");
    repo.ask(&["patch", "d/a", "--search", "number 1", "--replace", "x"])
        .fails("multiple-matches");
    repo.put("d/a", b"a\0b", &[]).fails("binary");
    repo.ask(&["move", "d/a", "d"]).fails("security");
    assert_eq!(repo.read("d/a"), before);
    assert_eq!(names(), ["a"]);
    repo.ask(&["move", "d/a", "d/b"]).works();
    assert_eq!(names(), ["b"]);
    // A name that looks like one of guard's temporary files belongs to the user.
    repo.write("d/.a.tmp", "mine\n");
    repo.put("d/a", "x\n", &[]).works();
    assert_eq!(names(), [".a.tmp", "a", "b"]);
    assert_eq!(repo.read("d/.a.tmp"), b"mine\n");
}
