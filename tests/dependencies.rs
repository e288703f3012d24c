//! docs/dev/dependencies.md gives the reason for each dependency that users compile.

use std::collections::BTreeSet;

const MANIFESTS: [&str; 4] = [
    include_str!("../Cargo.toml"),
    include_str!("../crates/policy/Cargo.toml"),
    include_str!("../crates/repo/Cargo.toml"),
    include_str!("../crates/testing/Cargo.toml"),
];
const PAGE: &str = include_str!("../docs/dev/dependencies.md");

/// The crates of others in the tables of the manifests whose heading ends with `dependencies]`.
fn direct() -> BTreeSet<&'static str> {
    let mut crates = BTreeSet::new();
    for manifest in MANIFESTS {
        let mut is_inside = false;
        for line in manifest.lines() {
            if line.starts_with('[') {
                is_inside = line.ends_with("dependencies]");
            } else if let Some((name, _)) = line.split_once(" = ").filter(|_| is_inside) {
                crates.insert(name.trim_end_matches(".workspace"));
            }
        }
    }
    crates.retain(|name| !name.starts_with("write-guard"));
    crates
}

#[test]
fn each_dependency_has_its_reason_and_its_cost() {
    let rows = PAGE.lines().filter(|line| line.starts_with("| `"));
    let mut documented = BTreeSet::new();
    for row in rows {
        let cells: Vec<_> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        assert_eq!(cells.len(), 3, "{row}");
        assert!(cells.iter().all(|cell| !cell.is_empty()), "{row}");
        documented.extend(cells[0].split(", ").map(|name| name.trim_matches('`')));
    }
    assert_eq!(documented, direct());
    assert!(documented.len() > 20);
}
