//! `guard read`, `write`, `patch`, `delete` and `move`: their answers, what they keep and what they refuse.

use std::fs;

use crate::common::files::answer_of;
use crate::common::system::{self, symlink};
use crate::common::{GUARD, Repo, assert_says, lines, run_with_input};

/// 270 lines, of which `changed` differ.
fn large(changed: usize) -> String {
    lines(1..=270 - changed) + &lines(1001..=1000 + changed)
}

/// A repository with `state.py`, 270 lines long.
fn with_large() -> Repo {
    let repo = Repo::open();
    repo.stage("state.py", large(0));
    repo.commit("Large");
    repo
}

#[test]
fn r000_010_a_new_file_is_written_ag_02() {
    let repo = Repo::open();
    let answer = repo.put("new/dir/a.py", "x = 1\n", &[]);
    answer.works();
    assert_eq!(answer.class(), "NEW");
    assert_eq!(answer.json["analysis"]["requires_approval"], false);
    assert_eq!(answer.json["created"], true);
    assert_eq!(answer.json["size"], 6);
    assert_eq!(repo.read("new/dir/a.py"), b"x = 1\n");
    // With the mode of any new file, not that of a temporary one.
    fs::write(repo.path("by-hand"), "").unwrap();
    let mode = |path: &str| system::mode(repo.path(path));
    assert_eq!(mode("new/dir/a.py"), mode("by-hand"));
}

#[test]
fn a_dry_run_says_how_much_would_be_lost() {
    let repo = with_large();
    let mut guard = repo.command(GUARD);
    guard.args(["write", "state.py", "--dry-run"]);
    let said = run_with_input(&mut guard, large(216).as_bytes()).exits(1);
    let first = said.stdout.lines().next();
    assert_eq!(
        first,
        Some("REPLACE state.py: 80.0 % of the old content is lost")
    );
    assert_eq!(repo.read("state.py"), large(0).as_bytes());
}

#[test]
fn r000_020_to_050_the_lost_share_decides_whether_a_person_must() {
    let repo = with_large();
    repo.write("small.py", lines(1..=50));
    let small = repo.put("small.py", lines(101..=150), &[]);
    assert_eq!(small.works().class(), "MODIFY");
    assert_eq!(small.json["created"], false);
    assert_eq!(repo.read("small.py"), lines(101..=150).as_bytes());
    let minor = repo.put("state.py", large(54), &[]);
    assert_eq!(minor.works().class(), "MODIFY");
    assert_eq!(minor.json["analysis"]["auto_mode_blocked"], false);
    assert_eq!(minor.json["analysis"]["change_percentage"], 20.0);
    assert_eq!(minor.json["analysis"]["original_lines"], 270);
    let repo = with_large();
    let major = repo.put("state.py", large(216), &[]);
    assert_eq!((major.fails("held").code, major.class()), (1, "REPLACE"));
    let analysis = &major.json["error"]["analysis"];
    assert_eq!(analysis["requires_approval"], true);
    assert_eq!(analysis["auto_mode_blocked"], true);
    assert_eq!(analysis["change_percentage"], 80.0);
    let lost = analysis["deleted_content"].as_str().unwrap();
    assert!(lost.contains("line number 55\n"), "{lost}");
    // Requirement 000, scenario 170: a long preview is cut.
    let preview: Vec<&str> = analysis["diff_preview"].as_str().unwrap().lines().collect();
    assert!(preview.len() <= 50, "{}", preview.len());
    assert!(preview.iter().any(|line| line.contains("[truncated]")));
    assert_eq!(repo.read("state.py"), large(0).as_bytes());
    assert_eq!(repo.records().last().unwrap()["event"], "refused");
}

#[test]
fn r000_080_append_keeps_both() {
    let repo = with_large();
    let answer = repo.put("state.py", "more\n", &["--strategy", "append"]);
    assert_eq!(answer.works().class(), "MODIFY");
    assert_eq!(repo.read("state.py"), (large(0) + "more\n").as_bytes());
    let preview = answer.json["analysis"]["diff_preview"].as_str().unwrap();
    assert!(preview.contains("+more"), "{preview}");
}

#[test]
fn az_64_insert_at_a_line_and_beyond_the_end() {
    let repo = Repo::open();
    repo.write("a", "\u{feff}one\r\ntwo\r\n");
    let insert = |line: &str| repo.put("a", "x\n", &["--strategy", "insert", "--line", line]);
    insert("2").works();
    assert_eq!(repo.read("a"), "\u{feff}one\r\nx\r\ntwo\r\n".as_bytes());
    insert("5").fails("no-such-line");
    // Without a line it is a usage error.
    let usage = repo.guard(&["write", "a", "--strategy", "insert"]);
    usage.exits(2).says("--line");
}

#[test]
fn a_link_inside_is_followed_to_the_file_and_stays_a_link_jc_97() {
    let repo = Repo::open();
    repo.write("real/a", "old\n");
    symlink("real/a", repo.path("link")).unwrap();
    let answer = repo.put("link", "new\n", &[]);
    answer.works();
    // The answer names the absolute path of the file itself.
    assert_eq!(answer.json["path"], repo.path("real/a").to_str().unwrap());
    assert!(repo.path("link").is_symlink());
    assert_eq!(repo.read("real/a"), b"new\n");
}

#[test]
fn small_edits_add_up_and_so_do_deleting_and_creating() {
    let repo = with_large();
    for changed in [54, 108] {
        repo.put("state.py", large(changed), &[]).works();
    }
    let before = repo.read("state.py");
    // Only 27 more lines, but 135 of the 270 that HEAD has.
    repo.put("state.py", large(135), &[]).fails("held");
    assert_eq!(repo.read("state.py"), before);

    fs::remove_file(repo.path("state.py")).unwrap();
    repo.put("state.py", "x\n", &[]).fails("held");
    assert!(!repo.path("state.py").exists());
    // Nor by replacing it with another file.
    repo.write("small", "x\n");
    repo.ask(&["move", "small", "state.py"]).fails("refused");
    assert!(repo.path("small").exists() && !repo.path("state.py").exists());
}

#[test]
fn r001_1_1_and_3_1_read_answers_content_and_size_ag_01() {
    let repo = Repo::open();
    repo.write("a b.txt", "one\ntwo\nthree\n");
    let answer = repo.ask(&["read", "./x/../a b.txt"]);
    answer.works();
    assert_eq!(answer.json["path"], repo.path("a b.txt").to_str().unwrap());
    assert_eq!(answer.json["content"], "one\ntwo\nthree\n");
    assert_eq!(answer.json["size"], 14);
    assert_eq!(answer.json["exists"], true);
    repo.ask(&["read", "missing"]).fails("not-found");
    repo.ask(&["read", "x"]).fails("not-found");
    repo.write("latin", b"\xe9\n");
    repo.ask(&["read", "latin"]).fails("binary");
}

#[test]
fn r001_1_3_patch_is_exact_literal_and_unique_ag_03_ag_04_jc_105_to_114() {
    let repo = Repo::open();
    repo.write("a", "one\r\ntwo $& .*\ntwo\nend");
    let patch = |search: &str, replace: &str| {
        repo.ask(&["patch", "a", "--search", search, "--replace", replace])
    };
    let answer = patch("$& .*", "\\1 ${x}");
    answer.works();
    assert_eq!(answer.json["matched"], true);
    assert_eq!(answer.json["replaced"], 1);
    assert_eq!(repo.read("a"), b"one\r\ntwo \\1 ${x}\ntwo\nend");
    patch("nowhere", "x").fails("search-not-found");
    let answer = patch("two", "x");
    let message = answer.fails("multiple-matches").message();
    assert_says(message, &["2 times: lines 2, 3"]);
    let edits = |edits: &str| {
        let mut guard = repo.command(GUARD);
        answer_of(guard.args(["patch", "a", "--edits", "-"]), edits.as_bytes())
    };
    let failed = edits(r#"[{"search":"one","replace":"1"},{"search":"three","replace":"3"}]"#);
    let message = failed.fails("search-not-found").message();
    assert_says(message, &["edit 2 of 2"]);
    assert_eq!(repo.read("a"), b"one\r\ntwo \\1 ${x}\ntwo\nend");
    edits(r#"[{"search":"one\r\n","replace":""},{"search":"\nend","replace":""}]"#).works();
    assert_eq!(repo.read("a"), b"two \\1 ${x}\ntwo");
    repo.ask(&["patch", "missing", "--search", "a", "--replace", "b"])
        .fails("not-found");
}

/// A list of edits has the old and the new text, so it may be four times as large as a file.
#[test]
fn list_of_edits_may_be_larger_than_a_file_but_has_a_limit() {
    let repo = Repo::open();
    repo.write("a", "one\n");
    for (times, code) in [(1, 0), (4, 1)] {
        let blank = " ".repeat(times * 20_000_000);
        let edits = format!("[{blank}{{\"search\": \"one\", \"replace\": \"two\"}}]");
        let output = repo.guard_reads(&["patch", "a", "--edits", "-"], edits);
        assert_eq!(output.code, code, "{output:?}");
        assert_eq!(output.text().contains("80000000 bytes"), code != 0);
    }
    assert_eq!(repo.read("a"), b"two\n");
}

#[test]
fn verb_that_cannot_start_answers_in_json_too() {
    let repo = Repo::open();
    repo.write("a", "one\n");
    let broken = "patch a --edits none, patch a --edits a, write a --content-file none, approve 000000000000, \
        approve 000000000000 --reject";
    for words in broken.split(", ") {
        let answer = repo.ask(&words.split(' ').collect::<Vec<_>>());
        assert_eq!(answer.json["error"]["kind"], "cannot-judge", "{answer:#?}");
        assert_eq!(answer.code, 2, "{answer:#?}");
    }
    repo.ask(&["write", "a", "--line", "1"]).fails("usage");
    assert_eq!(repo.read("a"), b"one\n");
}

#[test]
fn a_move_is_judged_at_both_ends() {
    let repo = Repo::new();
    repo.stage("old.py", "x\n");
    repo.stage("kept.py", "x\n");
    repo.govern(&[("old.py", "Delete", "x"), ("new/a.py", "Add", "x")]);
    for (from, to) in [("old.py", "stray.py"), ("kept.py", "new/a.py")] {
        let answer = repo.ask(&["move", from, to]);
        answer.fails("refused");
        assert_eq!(answer.json["error"]["rule"], "out-of-scope", "{from} {to}");
        assert!(repo.path(from).exists() && !repo.path(to).exists());
    }
    let missing = repo.ask(&["move", "missing.py", "new/a.py"]);
    missing.fails("not-found");
    // A move never replaces a file.
    repo.write("new/a.py", "mine\n");
    repo.ask(&["move", "old.py", "new/a.py"]).fails("exists");
    assert_eq!(repo.read("new/a.py"), b"mine\n");
    fs::remove_file(repo.path("new/a.py")).unwrap();
    let answer = repo.ask(&["move", "old.py", "new/a.py"]);
    answer.works();
    for (key, path) in [("path", "new/a.py"), ("moved_from", "old.py")] {
        assert_eq!(answer.json[key], repo.path(path).to_str().unwrap());
    }
    assert_eq!(repo.read("new/a.py"), b"x\n");
    assert!(!repo.path("old.py").exists());
    let done = repo.records().pop().unwrap();
    assert_eq!(done["path"], "old.py");
    assert_eq!(done["to"], "new/a.py");
    // And back again: the snapshot holds both paths.
    let backup = answer.json["backup"].as_str().unwrap();
    repo.guard(&["snapshot", "restore", backup]).exits(0);
    assert_eq!(repo.read("old.py"), b"x\n");
    assert!(!repo.path("new/a.py").exists());
}

#[test]
fn r000_100_empty_input_never_empties_a_file_and_an_empty_file_is_modified_jc_98() {
    let repo = Repo::open();
    repo.write("a", "one\n");
    for path in ["a", "new"] {
        let answer = repo.ask(&["write", path]);
        assert_eq!(answer.fails("cannot-judge").code, 2);
    }
    assert_eq!(repo.read("a"), b"one\n");
    assert!(!repo.path("new").exists());
    repo.ask(&["write", "a", "--allow-empty"]).works();
    assert_eq!(repo.read("a"), b"");
    let filled = repo.put("a", "x\n", &[]);
    assert_eq!(filled.works().class(), "MODIFY");
}

#[test]
fn a_move_is_compared_with_what_head_has_at_both_ends() {
    for (from, to, share) in [(27, 0, 20.0), (0, 27, 20.0), (54, 27, 10.0)] {
        let repo = Repo::open();
        repo.stage("from.py", large(from));
        repo.stage("to.py", large(to));
        repo.commit("Large");
        repo.write("from.py", large(54));
        fs::remove_file(repo.path("to.py")).unwrap();
        let answer = repo.ask(&["move", "from.py", "to.py"]);
        let analysis = &answer.works().json["analysis"];
        let since_head = &analysis["since_head"]["change_percentage"];
        assert_eq!(since_head.as_f64().unwrap().round(), share, "{analysis}");
    }
}
