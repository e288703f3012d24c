//! A reformat is a modification, and text that only keeps the words is not: when it is written, committed and pushed.

use serde_json::Value;

use crate::common::Repo;

const FILE: &str = "src/app.py";

fn old() -> String {
    let step = |n| {
        format!(
            "def step_{n}(path, size):\n    data = read(path, limit='{n}')\n    return parse(data, size * {n})\n"
        )
    };
    (1..=60).map(step).collect()
}

/// As a formatter may lay it out.
fn reformatted() -> String {
    old()
        .replace('\'', "\"")
        .replace(", ", ",\n        ")
        .replace("):", ",\n):")
        .replace("return parse(", "return parse(\n        ")
}

fn commented() -> String {
    old().lines().map(|line| format!("# {line}\n")).collect()
}

/// A repository whose design grants modifying the file.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage(FILE, old());
    repo.govern(&[(FILE, "Modify", "the app")]);
    repo
}

fn change(report: &Value) -> (&str, Option<bool>) {
    let change = &report["changes"][0];
    let class = change["class"].as_str().unwrap();
    (class, change["reformatted"].as_bool())
}

#[test]
fn reformat_passes_in_every_moment() {
    let repo = repo();
    repo.write("new.py", reformatted());
    repo.tells("check src/app.py --content-file new.py", 0, "");
    repo.tells("write src/app.py --content-file new.py --auto", 0, "");
    repo.git(&["add", FILE]);
    let staged = repo.json(&["lint"]);
    assert_eq!(change(&staged), ("MODIFY", Some(true)));
    assert!(staged["changes"][0]["lost_share"].as_f64().unwrap() > 0.5);
    repo.git(&["commit", "--quiet", "-m", "Format"]);
    let range = repo.json(&["lint", "--range", "main..HEAD", "--each-commit"]);
    assert_eq!(change(&range), ("MODIFY", Some(true)));
    assert_eq!(range["verdict"], "accepted");
}

#[test]
fn comments_that_keep_the_words_are_refused_in_every_moment() {
    let repo = repo();
    repo.write("new.py", commented());
    repo.tells("check src/app.py --content-file new.py", 1, "");
    repo.tells("write src/app.py --content-file new.py --auto", 1, "");
    repo.stage(FILE, commented());
    let staged = repo.json(&["lint"]);
    assert_eq!(change(&staged), ("REPLACE", None));
    repo.git(&["commit", "--quiet", "--no-verify", "-m", "Disable"]);
    let range = repo.json(&["lint", "--range", "main..HEAD"]);
    assert_eq!(change(&range), ("REPLACE", None));
    assert_eq!(range["verdict"], "refused");
}

#[test]
fn renamed_file_may_be_laid_out() {
    let repo = Repo::new();
    repo.stage(FILE, old());
    repo.govern(&[("src/app.py` -> `src/main.py", "Rename", "a better name")]);
    repo.git(&["mv", FILE, "src/main.py"]);
    repo.stage("src/main.py", reformatted());
    repo.guard(&["lint"]).exits(0);
    repo.stage("src/main.py", commented());
    repo.guard(&["lint"]).exits(1);
}
