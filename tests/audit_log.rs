//! The audit log stays valid with many writers, and `guard audit verify` names the first damaged record.

use std::fs;

use crate::common::log::{log_file, log_lines, restamp, set_log, verdict, with_log};
use crate::common::{Repo, lines};
use serde_json::Value;

/// The log of three writes after this change, as `guard audit verify` sees it.
fn after(change: impl FnOnce(&mut Vec<String>)) -> Option<(u64, String)> {
    let repo = with_log(3);
    let mut lines = log_lines(&repo);
    change(&mut lines);
    set_log(&repo, &lines);
    verdict(&repo)
}

fn other_path(line: &mut String) {
    *line = line.replace("\"path\":\"a\"", "\"path\":\"b\"");
}

#[test]
fn the_first_damaged_record_is_named() {
    let other = Repo::open();
    other.put("b", "x\n", &[]).works();
    other.put("b", "y\n", &[]).works();
    let theirs = log_lines(&other);
    type Change<'a> = &'a dyn Fn(&mut Vec<String>);
    let rehash = |lines: &mut Vec<String>| {
        other_path(&mut lines[2]);
        lines[2] = restamp(lines)[2].clone();
    };
    let continued = |lines: &mut Vec<String>| *lines = [&lines[..2], &theirs[2..]].concat();
    let changes: [(&str, Change<'_>, u64); 9] = [
        ("edited", &|lines| other_path(&mut lines[2]), 3),
        ("not a record", &|lines| lines[2] = "{}".to_owned(), 3),
        ("the next one no longer follows", &rehash, 4),
        ("removed", &|lines| drop(lines.drain(2..4)), 3),
        ("the first removed", &|lines| drop(lines.remove(0)), 1),
        ("reordered", &|lines| lines.swap(1, 2), 2),
        ("repeated", &|lines| lines.push(lines[1].clone()), 7),
        ("another log", &|lines| lines.extend(theirs.clone()), 7),
        ("another log in its place", &continued, 3),
    ];
    // The cases can rehash: without a change, the result is the same chain.
    assert_eq!(after(|lines| *lines = restamp(lines)), None);
    for (name, change, line) in changes {
        assert_eq!(after(change), Some((line, "damaged".to_owned())), "{name}");
    }
}

#[test]
fn incomplete_last_line_is_reported_and_sealed_by_the_next_record() {
    // Without its newline, in the middle, and after the first byte.
    for cut in [None, Some(40), Some(0)] {
        let repo = with_log(2);
        let whole = fs::read(log_file(&repo)).unwrap();
        let fourth = whole.len() - log_lines(&repo)[3].len();
        let cut = cut.map_or(whole.len() - 1, |at| fourth + at);
        fs::write(log_file(&repo), &whole[..cut]).unwrap();
        assert_eq!(verdict(&repo), Some((4, "damaged".into())), "{cut}");
        repo.put("a", "next\n", &[]).works();
        assert_eq!(verdict(&repo), None, "{cut}");
        let mut sealed = repo.records();
        sealed.retain(|record| record["after_torn_line"] == true);
        assert_eq!(sealed.len(), 1, "{cut}");
    }
}

#[test]
fn unfinished_operation_is_reported() {
    let repo = with_log(3);
    let lines = log_lines(&repo);
    set_log(&repo, &lines[..5]);
    let report = repo.json(&["audit", "verify"]);
    assert_eq!(report["verdict"], "sound");
    let open = &report["unfinished"];
    assert_eq!(open.as_array().unwrap().len(), 1, "{report}");
    assert_eq!(open[0]["seq"], 5);
    assert_eq!(open[0]["path"], "a");
    let told = repo.guard(&["audit", "verify"]).exits(0);
    told.says("record 5: the write of a started but never finished");
    repo.put("b", "x\n", &[]).works();
    let report = repo.json(&["audit", "verify"]);
    assert_eq!(report["unfinished"], *open, "it stays on record");
}

#[test]
fn r004_check_records_its_answers_if_asked() {
    let repo = Repo::open_with("[workspace]\nwrite = [\"out\"]\n");
    let logged = || -> Vec<String> {
        let records = repo.records();
        let line = |record: &Value| {
            let facts = ["event", "path", "allowed", "reason", "violation"].map(|key| &record[key]);
            Value::from(facts.map(Clone::clone).to_vec()).to_string()
        };
        records.iter().map(line).collect()
    };
    repo.guard(&["check", "out/a", "b", "../c"]).exits(1);
    assert!(logged().is_empty());
    let paths = ["check", "--record", "out/a", "b", "../c"];
    repo.guard(&paths).exits(1);
    let expected = [
        r#"["checked","out/a",true,null,null]"#,
        r#"["checked","b",false,"security",null]"#,
        r#"["checked","../c",false,"security","path_escapes_boundary"]"#,
    ];
    assert_eq!(logged(), expected);
    assert_eq!(verdict(&repo), None);
    // Without its record, an answer does not count.
    fs::remove_file(log_file(&repo)).unwrap();
    fs::create_dir(log_file(&repo)).unwrap();
    let output = repo.guard(&["check", "--record", "out/a"]).exits(2);
    assert_eq!(output.stdout, "");
    let output = repo.guard(&["check", "--record", "out/a", "--format", "json"]);
    let error: Value = serde_json::from_str(&output.exits(2).stdout).unwrap();
    assert_eq!(error["error"]["kind"], "record");
}

#[test]
fn r000_a_refused_or_held_change_is_logged_with_the_digests_of_its_content() {
    let repo = Repo::open_with("[scope]\nprotect = [\"/p\"]\n");
    let digest = |content: &str| repo.blob(content.as_bytes()).to_string();
    let old = lines(1..=200);
    repo.put("large", &old, &[]).works();
    repo.put("large", "gone\n", &[]).fails("held");
    let record = repo.records().pop().unwrap();
    assert_eq!(record["event"], "refused");
    assert_eq!(record["old"], digest(&old));
    assert_eq!(record["new"], digest("gone\n"));
    repo.put("p", "protected\n", &[]).fails("refused");
    let record = repo.records().pop().unwrap();
    assert_eq!(record["event"], "refused");
    assert_eq!(record["content"], digest("protected\n"));
}
