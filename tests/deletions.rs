//! Deleted files among files that stay.

#![allow(clippy::unwrap_used)]

use crate::common::Repo;

#[test]
fn deleted_entries_may_precede_kept_ones() {
    let repo = Repo::new();
    for path in ["a.rs", "b/one.rs", "b/two.rs", "c.rs", "d/kept.rs", "e.rs"] {
        repo.stage(path, format!("// {path}\n"));
    }
    repo.govern(&[
        ("a.rs", "Delete", ""),
        ("b/", "Delete", ""),
        ("e.rs", "Modify", ""),
    ]);
    repo.git(&["rm", "--quiet", "-r", "a.rs", "b"]);
    repo.stage("e.rs", "// changed\n");

    let report = repo.json(&["lint"]);
    assert_eq!(report["verdict"], "accepted", "{report:#}");
    let changes = report["changes"].as_array().unwrap();
    let changes: Vec<_> = changes
        .iter()
        .map(|change| {
            (
                change["action"].as_str().unwrap(),
                change["path"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        changes,
        [
            ("delete", "a.rs"),
            ("delete", "b/one.rs"),
            ("delete", "b/two.rs"),
            ("modify", "e.rs")
        ]
    );
}
