//! Lines that move to another granted file of the same change are not lost.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::common::{DESIGN, Repo, SETTINGS, findings, lines};

/// A repository whose designs grants `src/app.py` of 300 lines and two new files.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("src/app.py", lines(1..=300));
    repo.govern(&[
        ("src/app.py", "Modify", "the app"),
        ("src/one.py", "Add", "a part"),
        ("src/two.py", "Add", "a part"),
    ]);
    repo
}

fn app(report: &Value) -> &Value {
    let mut changes = report["changes"].as_array().unwrap().iter();
    changes
        .find(|change| change["path"] == "src/app.py")
        .unwrap()
}

#[test]
fn report_names_where_lines_went() {
    let repo = repo();
    repo.stage("src/app.py", lines(1..=20));
    repo.stage("src/one.py", lines(21..=150));
    repo.stage("src/two.py", lines(151..=300));
    let report = repo.json(&["lint"]);
    assert_eq!(report["verdict"], "accepted");
    assert_eq!(app(&report)["class"], "MODIFY");
    assert_eq!(app(&report)["lost_share"], 0.0);
    assert_eq!(
        app(&report)["moved_to"],
        json!([{"path": "src/one.py", "lines": 130}, {"path": "src/two.py", "lines": 150}])
    );
}

#[test]
fn finding_counts_only_what_is_lost() {
    let repo = repo();
    repo.stage("src/app.py", lines(1..=20));
    repo.stage("src/one.py", lines(21..=100));
    let report = repo.json(&["lint"]);
    assert_eq!(findings(&report), [("destructive-change", "src/app.py")]);
    let finding = &report["findings"][0];
    assert_eq!(finding["details"]["lost"], 200);
    assert_eq!(finding["details"]["moved"], 80);
    repo.guard(&["lint"])
        .exits(1)
        .says("80 lines are not counted, because they moved to src/one.py");
}

#[test]
fn request_sees_no_other_file() {
    let repo = repo();
    repo.write("new.py", lines(1..=20));
    repo.guard(&["check", "src/app.py", "--content-file", "new.py"])
        .exits(1);
}

#[test]
fn many_files_that_gain_lines_are_read_only_if_one_loses_them() {
    let repo = Repo::new();
    repo.stage("src/app.py", lines(1..=300));
    repo.govern(&[("src/", "Add/Modify", "everything")]);
    for n in 0..40 {
        let first = 21 + 7 * n;
        repo.stage(format!("src/part_{n}.py"), lines(first..=first + 6));
    }
    repo.stage("src/app.py", lines(1..=20));
    let report = repo.json(&["lint"]);
    assert_eq!(app(&report)["class"], "MODIFY");
    assert_eq!(app(&report)["moved_to"].as_array().unwrap().len(), 40);
}

/// Real files of more than 200 lines, some with few words per line.
fn real_files() -> Vec<(String, String)> {
    let folder = std::path::Path::new(crate::common::SOURCE).join("src");
    let mut files = Vec::new();
    for part in ["git", "judge", "measure", "rules"] {
        for entry in std::fs::read_dir(folder.join(part)).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if text.lines().count() > 200 {
                let name = path.file_name().unwrap().to_str().unwrap();
                files.push((format!("{part}_{name}"), text));
            }
        }
    }
    files.sort();
    files.truncate(9);
    assert_eq!(files.len(), 9);
    files
}

/// Cuts real files to 45 %, and adds to a new file a run of three of the lost lines and what `junk` makes of the others.
#[track_caller]
fn cut_files_are_refused(junk: impl Fn(&[&str]) -> String) {
    let (repo, files) = (Repo::new(), real_files());
    for (name, text) in &files {
        repo.stage(format!("src/{name}"), text);
    }
    repo.govern(&[("src/", "Add/Modify", "everything")]);
    for (name, text) in &files {
        let lines: Vec<&str> = text.lines().collect();
        let (kept, lost) = lines.split_at(lines.len() * 45 / 100);
        let has_words = |line: &&str| line.contains(|c: char| c.is_alphanumeric());
        let run = lost
            .windows(3)
            .find(|run| run.iter().all(has_words))
            .unwrap();
        repo.stage(format!("src/{name}"), kept.join("\n") + "\n");
        let moved = run.join("\n") + "\n" + &junk(lost);
        repo.stage(format!("src/new_{name}"), moved);
    }
    let report = repo.json(&["lint"]);
    let mut expected: Vec<String> = files
        .iter()
        .map(|(name, _)| format!("src/{name}"))
        .collect();
    expected.sort();
    let found = findings(&report);
    let found: Vec<&str> = found
        .iter()
        .map(|(rule, path)| {
            assert_eq!(*rule, "destructive-change");
            *path
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn lines_without_words_do_not_pay_for_a_cut() {
    cut_files_are_refused(|lost| {
        let is_wordless = |line: &&&str| !line.contains(|c: char| c.is_alphanumeric());
        let wordless = lost.iter().filter(is_wordless);
        wordless.map(|line| format!("{line}\n")).collect()
    });
}

#[test]
fn lines_out_of_their_runs_do_not_pay_for_a_cut() {
    // Two lines in order, then another.
    cut_files_are_refused(|lost| {
        let pairs = lost.chunks(2).enumerate();
        pairs
            .map(|(n, pair)| format!("{}\n// part {n}\n", pair.join("\n")))
            .collect()
    });
    cut_files_are_refused(|lost| lost.iter().rev().map(|line| format!("{line}\n")).collect());
}

#[test]
fn binary_file_receives_no_lines() {
    let repo = repo();
    repo.stage("src/app.py", lines(1..=20));
    repo.stage("src/one.py", lines(21..=150));
    repo.stage("src/two.py", format!("\0{}", lines(151..=300)));
    assert_eq!(
        findings(&repo.json(&["lint"])),
        [("destructive-change", "src/app.py")]
    );
}

/// Splitting a module through `guard write`, one file after the other: what stands in another granted file of this work
/// is moved. Without that file, the cut is held.
#[test]
fn a_module_is_split_through_guard_write() {
    let text = |range: std::ops::RangeInclusive<usize>| -> String {
        range
            .map(|at| format!("value_{at} = compute({at})\n"))
            .collect()
    };
    for (receiver, row, is_moved) in [
        ("src/rest.py", "src/rest.py", true),
        // No row names it, so guard refuses to write it; it lies there all the same.
        ("src/other.py", "src/rest.py", false),
        // Another language.
        ("src/rest.js", "src/rest.js", false),
    ] {
        let repo = Repo::new();
        repo.stage("guard.toml", format!("{SETTINGS}base = \"main\"\n"));
        repo.stage("src/large.py", text(1..=300));
        governed(&repo, &[("src/large.py", "Modify", ""), (row, "Add", "")]);
        let cut = text(1..=80);
        repo.put("src/large.py", &cut, &[]).fails("held");
        repo.write(receiver, text(81..=300));
        let put = repo.put("src/large.py", &cut, &[]);
        match is_moved {
            true => put.works(),
            false => put.fails("held"),
        };
    }
    // A file that the target branch already has gains nothing.
    let repo = Repo::new();
    repo.stage("src/large.py", text(1..=300));
    repo.stage("guard.toml", format!("{SETTINGS}base = \"main\"\n"));
    repo.stage("src/rest.py", text(81..=300));
    governed(
        &repo,
        &[
            ("src/large.py", "Modify", ""),
            ("src/rest.py", "Modify", ""),
        ],
    );
    repo.put("src/large.py", text(1..=80), &[]).fails("held");
}

/// The lines of one file cannot stand for two that lose them.
#[test]
fn a_request_earns_nothing_beside_another_file_that_loses_lines() {
    let text = lines(1..=300);
    let repo = Repo::new();
    repo.stage("guard.toml", format!("{SETTINGS}base = \"main\"\n"));
    repo.stage("src/one.py", &text);
    repo.stage("src/two.py", &text);
    let mut rows = vec![("src/rest.py", "Add", "")];
    rows.extend(["src/one.py", "src/two.py"].map(|path| (path, "Modify", "")));
    governed(&repo, &rows);
    repo.write("src/rest.py", lines(81..=300));
    repo.put("src/one.py", lines(1..=80), &[]).works();
    repo.put("src/two.py", lines(1..=80), &[]).fails("held");
    std::fs::remove_file(repo.path("src/one.py")).unwrap();
    repo.put("src/two.py", lines(1..=80), &[]).fails("held");
}

/// The design of a branch whose merge base is known.
fn governed(repo: &Repo, rows: &[(&str, &str, &str)]) {
    repo.design(DESIGN, rows);
    repo.commit("Say what may change");
    repo.branch("188-work");
}
