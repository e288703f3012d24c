//! Lines that move to another granted file of the same change are not lost.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::common::{Repo, findings, lines};

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
