//! Lines that move to another granted file of the same change are not lost.

use serde_json::{Value, json};

use crate::common::{Repo, findings, lines};

/// The merge base is known.
const BASE: &str = "base = \"main\"\n";

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
    let app = changes.find(|change| change["path"] == "src/app.py");
    app.unwrap()
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
    let moved = json!([{"path": "src/one.py", "lines": 130}, {"path": "src/two.py", "lines": 150}]);
    assert_eq!(app(&report)["moved_to"], moved);
    // A binary file receives no lines.
    repo.stage("src/two.py", format!("\0{}", lines(151..=300)));
    let report = repo.json(&["lint"]);
    assert_eq!(findings(&report), [("destructive-change", "src/app.py")]);
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

/// Splitting a module through `guard write`, one file after the other: what stands in another granted file of this work
/// is moved. Without that file, the cut is held.
#[test]
fn a_module_is_split_through_guard_write() {
    let line = |at| format!("value_{at} = compute({at})\n");
    let text = |range: std::ops::RangeInclusive<usize>| range.map(line).collect::<String>();
    for (receiver, row, is_moved) in [
        ("src/rest.py", "src/rest.py", true),
        // No row names it, so guard refuses to write it; it lies there all the same.
        ("src/other.py", "src/rest.py", false),
        // Another language.
        ("src/rest.js", "src/rest.js", false),
    ] {
        let repo = Repo::new();
        repo.stage("src/large.py", text(1..=300));
        repo.govern_with(BASE, &[("src/large.py", "Modify", ""), (row, "Add", "")]);
        let cut = text(1..=80);
        repo.put("src/large.py", &cut, &[]).fails("held");
        repo.write(receiver, text(81..=300));
        let put = repo.put("src/large.py", &cut, &[]);
        if is_moved {
            put.works()
        } else {
            put.fails("held")
        };
    }
    // A file that the target branch already has gains nothing.
    let repo = Repo::new();
    repo.stage("src/large.py", text(1..=300));
    repo.stage("src/rest.py", text(81..=300));
    let rows = ["src/large.py", "src/rest.py"].map(|path| (path, "Modify", ""));
    repo.govern_with(BASE, &rows);
    repo.put("src/large.py", text(1..=80), &[]).fails("held");
}

/// The lines of one file cannot stand for two that lose them.
#[test]
fn a_request_earns_nothing_beside_another_file_that_loses_lines() {
    let text = lines(1..=300);
    let repo = Repo::new();
    repo.stage("src/one.py", &text);
    repo.stage("src/two.py", &text);
    let mut rows = vec![("src/rest.py", "Add", "")];
    rows.extend(["src/one.py", "src/two.py"].map(|path| (path, "Modify", "")));
    repo.govern_with(BASE, &rows);
    repo.write("src/rest.py", lines(81..=300));
    repo.put("src/one.py", lines(1..=80), &[]).works();
    repo.put("src/two.py", lines(1..=80), &[]).fails("held");
    std::fs::remove_file(repo.path("src/one.py")).unwrap();
    repo.put("src/two.py", lines(1..=80), &[]).fails("held");
}
