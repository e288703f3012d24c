//! The acceptance criteria of requirement 001, by number and through the binary, and related cases that no other test
//! covers.

use crate::common::system::symlink;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;

use crate::common::files::answer_of;
use crate::common::{GUARD, Repo, lines, table};
use gix::bstr::BStr;
use write_guard::files::{FailureKind, Gate, Operation};
use write_guard::judge::Options;
use write_guard_repo::Repository;

/// Also scenarios 140 and 150 of requirement 000.
#[test]
fn r000_140_r000_150_r001_1_1_no_operation_leaves_the_workspace_and_each_refusal_is_logged_ag_05_to_07()
 {
    let repo = Repo::open();
    repo.write("../home/secret", "one\n");
    repo.write("inside", "one\n");
    symlink("../home/secret", repo.path("link")).unwrap();
    symlink("../home", repo.path("dir")).unwrap();
    let absolute = repo.root.parent().unwrap().join("home/secret");
    symlink(&absolute, repo.path("absolute")).unwrap();
    for path in [
        "../home/secret",
        "x/../../home/secret",
        absolute.to_str().unwrap(),
        "../../etc/passwd",
        "/etc/hosts",
        "link",
        "absolute",
        "dir/secret",
        "dir/new",
        "C:\\Windows\\System32\\config",
        ".git/config",
        "a\tb",
    ] {
        let asked: [&[&str]; 6] = [
            &["read", path],
            &["write", path],
            &["patch", path, "--search", "one", "--replace", "two"],
            &["delete", path],
            &["move", path, "taken"],
            // A path through a link is refused before guard looks at what is there.
            &["move", "inside", path],
        ];
        for arguments in asked {
            let answer = repo.ask(arguments);
            assert_eq!(answer.fails("security").code, 1, "{arguments:?}");
            // Requirement 001, 2.1 and 4.3: the message names the path, or the link on it that leads out.
            let link = format!("the link {} ", path.split('/').next().unwrap());
            let names = [path, &path.escape_debug().to_string(), &link];
            let is_named = names.iter().any(|name| answer.message().contains(name));
            assert!(is_named, "{}", answer.message());
            let record = repo.records().pop().unwrap();
            assert_eq!(record["event"], "refused", "{arguments:?}");
            assert_eq!(record["operation"], arguments[0]);
            let recorded = record["path"].as_str().unwrap().trim_matches('"');
            let mut escaped = arguments[1].escape_debug().to_string();
            // There, a backslash stands between names.
            if cfg!(windows) {
                escaped = escaped.replace("\\\\", "\\");
            }
            assert_eq!(recorded, escaped);
            assert!(record["time"].is_string());
        }
    }
    assert_eq!(repo.read("../home/secret"), b"one\n");
    assert_eq!(repo.read("inside"), b"one\n");
    assert!(!repo.path("taken").exists());
    assert_eq!(fs::read_dir(repo.home()).unwrap().count(), 1);
}

#[test]
fn r001_1_4_r001_3_the_command_line_reads_writes_and_patches_with_the_fields_of_the_requirement_ag_13()
 {
    let repo = Repo::open();
    repo.write("a", "old\n");
    let written = repo.put("a", "new\n", &[]);
    let read = repo.ask(&["read", "a"]);
    let patched = repo.ask(&["patch", "a", "--search", "new", "--replace", "newer"]);
    for (answer, wanted, before) in [
        (&written, "path size created backup", "old\n"),
        (&read, "path content size exists", ""),
        (&patched, "path matched replaced backup", "new\n"),
    ] {
        let keys = answer.works().json.as_object().unwrap();
        for key in wanted.split(' ') {
            assert!(keys.contains_key(key), "{key} is missing: {answer:#?}");
        }
        if let Some(backup) = answer.json["backup"].as_str() {
            let held = repo.guard(&["snapshot", "show", backup, "a"]).exits(0);
            assert_eq!(held.stdout, before);
        }
    }
    for read in [&["read", "a"][..], &["read", "--file", "a"]] {
        assert_eq!(repo.guard(read).exits(0).stdout, "newer\n");
    }
    let missing = repo.guard(&["read", "b"]).exits(1);
    assert_eq!(missing.stdout, "");
    missing.says("there is no file b");
    // Usage errors: neither given, both given.
    let wrong = "read, read a --file a, write, patch a, patch a --search new, delete, move a, snapshot, snapshot burn";
    for words in wrong.split(", ") {
        repo.guard(&words.split(' ').collect::<Vec<_>>()).exits(2);
    }
    assert_eq!(repo.read("a"), b"newer\n");
    // A large file needs a person to go.
    repo.write("large", lines(1..=101));
    repo.git(&["add", "large"]);
    repo.commit("Large");
    let answer = repo.ask(&["delete", "large"]);
    assert_eq!(answer.fails("held").class(), "DELETE");
}

#[test]
fn r001_2_2_ag_10_every_change_names_a_backup_with_the_old_content() {
    let repo = Repo::open();
    repo.write("a", "0\n");
    for [words, path, before] in table(
        "write a | a | 0
         patch a --search 1 --replace 2 | a | 1
         move a b | a | 2
         delete b | b | 2
         write c | c | -",
    ) {
        let mut guard = repo.command(GUARD);
        let answer = answer_of(guard.args(words.split(' ')), b"1\n");
        let backup = answer.works().json["backup"].as_str().unwrap().to_owned();
        let mut records = repo.records();
        let records = records.split_off(records.len() - 2);
        // The backup is logged before the change begins.
        for (record, event) in records.iter().zip(["started", "done"]) {
            assert_eq!(record["event"], event);
            assert_eq!(record["backup"], backup.as_str(), "{words}");
            assert_eq!(record["path"], path);
        }
        let listed = repo.git(&["rev-parse", "refs/guard/snapshots"]);
        assert_eq!(listed, backup);
        let blob = format!("{backup}:{path}");
        match before {
            "-" => assert_eq!(repo.git(&["ls-tree", "-r", &backup]), ""),
            content => assert_eq!(repo.git(&["cat-file", "blob", &blob]), content),
        }
    }
}

#[test]
fn r001_2_2_the_backup_cannot_be_switched_off() {
    let repo = Repo::open();
    repo.write("a", "old\n");
    for flag in ["--no-backup", "--backup=false", "--force"] {
        repo.guard_reads(&["write", "a", flag], b"x\n").exits(2);
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
    for spelled in ["./src//a.py", "src/./b/../a.py", absolute] {
        let answer = repo.ask(&["read", spelled]);
        assert_eq!(answer.works().json["path"], absolute, "{spelled}");
    }
    for (spelled, said) in [
        ("a\u{1b}[2Jb", "U+001B"),
        ("a\u{202e}b", "U+202E"),
        ("", "is not a path"),
    ] {
        let answer = repo.put(spelled, "x\n", &[]);
        let message = answer.fails("security").message();
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
fn r001_4_2_ag_11_no_operation_leaves_other_files_behind() {
    let repo = Repo::open();
    repo.write("d/a", lines(1..=270));
    let names = || -> BTreeSet<OsString> {
        let entries = fs::read_dir(repo.path("d")).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect()
    };
    let are = |names: &[&str]| names.iter().map(OsString::from).collect();
    repo.put("d/a", lines(1..=260), &[]).works();
    assert_eq!(names(), are(&["a"]));
    // Held, not found, ambiguous, binary: the file stays, byte for byte.
    let before = repo.read("d/a");
    repo.put("d/a", "x\n", &[]).fails("held");
    repo.ask(&["patch", "d/a", "--search", "number 1", "--replace", "x"])
        .fails("multiple-matches");
    repo.put("d/a", b"a\0b", &[]).fails("binary");
    repo.ask(&["move", "d/a", "d"]).fails("security");
    assert_eq!(repo.read("d/a"), before);
    assert_eq!(names(), are(&["a"]));
    repo.ask(&["move", "d/a", "d/b"]).works();
    assert_eq!(names(), are(&["b"]));
    // A name that looks like one of guard's temporary files belongs to the user.
    repo.write("d/.a.tmp", "mine\n");
    repo.put("d/a", "x\n", &[]).works();
    assert_eq!(names(), are(&[".a.tmp", "a", "b"]));
    assert_eq!(repo.read("d/.a.tmp"), b"mine\n");
}
