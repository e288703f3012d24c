//! The test scenarios of requirement 002 (a design's file table decides what may be written), through the binary.

use crate::common::{self, DESIGN, Repo, findings};
use serde_json::{Value, json};

/// A repository whose design names `utils/lld.py` on line 7 and `cli/main.py` on line 8.
fn governed() -> Repo {
    let repo = Repo::new();
    repo.govern(&[
        ("utils/lld.py", "Add", "path enforcement"),
        ("cli/main.py", "Modify", "call it"),
    ]);
    repo
}

/// A repository whose design is this text.
fn governed_by(text: &str) -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", common::SETTINGS);
    repo.stage(DESIGN, text);
    repo.commit("Say what may change");
    repo.branch("188-work");
    repo
}

/// The one answer of `guard check PATH`.
fn check(repo: &Repo, path: &str) -> Value {
    let report = repo.json(&["check", path]);
    assert_eq!(report["results"].as_array().map(Vec::len), Some(1));
    report["results"][0].clone()
}

#[test]
fn scenario_010_and_az_01_extract_paths_from_a_valid_design() {
    let repo = Repo::new();
    repo.govern(&[
        ("src/enforcer.py", "Add", "New module"),
        ("tests/test_enforcer.py", "Add", "Unit tests"),
        ("config/paths.toml", "Modify", "New key"),
    ]);
    repo.guard(&["scope", "show"]).exits(0);
    let scope = repo.json(&["scope", "show"]);
    for (at, path, role, description) in [
        (0, "src/enforcer.py", "implementation", "New module"),
        (1, "tests/test_enforcer.py", "test", "Unit tests"),
        (2, "config/paths.toml", "config", "New key"),
    ] {
        let grant = &scope["grants"][at];
        let keys = [
            "path",
            "kind",
            "role",
            "description",
            "design",
            "line",
            "column",
        ];
        let shown = json!(keys.map(|key| &grant[key]));
        let expected = json!([path, "file", role, description, DESIGN, 7 + at, 3]);
        assert_eq!(shown, expected);
    }
    assert_eq!(scope["problems"], json!([]));
}

#[test]
fn scenario_020_and_az_02_a_design_without_the_section_blocks_everything() {
    let repo = governed_by("# A feature\n\nNothing about files.\n");
    repo.stage("utils/lld.py", "x\n");
    for line in ["scope show", "check utils/lld.py", "lint"] {
        let output = repo.tells(line, 2, "design-no-table").says(DESIGN);
        assert_eq!(output.stdout, "");
    }
}

#[test]
fn scenario_025_and_az_03_a_malformed_table_grants_its_good_rows_and_reports_the_others() {
    let repo = governed_by(
        "# A feature\n\n### 2.1 Files Changed\n\n| File | Change Type | Description\n|---|---|---|\n\
         | `broken/path.py` | Add\n\n| `utils/lld.py` | Add | good |\n",
    );
    // The blank line ends the table, so that its only row is the broken one.
    repo.tells("scope show", 2, "LLD-188.md:7:");

    let repo = governed_by(
        "# A feature\n\n### 2.1 Files Changed\n\n| File | Change Type | Description\n|---|---|---|\n\
         | `broken/path.py` | Add\n| `utils/lld.py` | Add | good |\n",
    );
    let scope = repo.json(&["scope", "show"]);
    assert_eq!(scope["grants"].as_array().map(Vec::len), Some(1));
    assert_eq!(scope["grants"][0]["path"], "utils/lld.py");
    assert_eq!(scope["problems"][0]["rule"], "design-bad-row");
    assert_eq!(scope["problems"][0]["design"]["line"], 7);
    assert_eq!(check(&repo, "utils/lld.py")["allowed"], true);
    assert_eq!(check(&repo, "broken/path.py")["allowed"], false);
}

#[test]
fn scenario_030_and_az_08_a_path_in_the_design_is_allowed() {
    let repo = governed();
    repo.guard(&["check", "utils/lld.py"]).exits(0);
    let answer = check(&repo, "utils/lld.py");
    assert_eq!(answer["allowed"], true);
    assert_eq!(answer["closest_match"], Value::Null);
    assert_eq!(answer["rule"], Value::Null);

    repo.stage("utils/lld.py", "x\n");
    let report = repo.json(&["lint"]);
    assert_eq!(report["verdict"], "accepted");
    assert_eq!(findings(&report), []);
}

#[test]
fn scenario_040_and_az_09_a_path_that_is_not_in_the_design_is_refused_with_the_closest_one() {
    let repo = governed();
    repo.guard(&["check", "core/lld.py"]).exits(1);
    let answer = check(&repo, "core/lld.py");
    assert_eq!(answer["allowed"], false);
    assert_eq!(answer["closest_match"], "utils/lld.py");
    assert_eq!(answer["rule"], "out-of-scope");
    assert_eq!(answer["reason"], "core/lld.py is not in the design");

    repo.stage("core/lld.py", "x\n");
    repo.guard(&["lint"])
        .exits(1)
        .says("error[out-of-scope]: core/lld.py is not in the design")
        .says("docs/lld/active/LLD-188.md:7:3")
        .says("| `core/lld.py` | Add |");
    let report = repo.json(&["lint"]);
    assert_eq!(report["verdict"], "refused");
    assert_eq!(findings(&report), [("out-of-scope", "core/lld.py")]);
    assert_eq!(report["findings"][0]["closest"], "utils/lld.py");
    let place = json!({"path": DESIGN, "line": 7, "column": 3});
    assert_eq!(report["findings"][0]["design"], place);
}

#[test]
fn scenario_050_and_az_10_other_spellings_of_a_path_meet_the_same_row() {
    let repo = governed();
    let absolute = repo.path("utils/lld.py").display().to_string();
    for spelling in [
        "./utils/lld.py",
        "utils/./lld.py",
        "utils//lld.py",
        "utils/../utils/lld.py",
        &absolute,
    ] {
        let answer = check(&repo, spelling);
        assert_eq!(answer["allowed"], true, "{spelling}");
        assert_eq!(answer["path"], "utils/lld.py");
        assert_eq!(answer["requested_path"], spelling);
    }

    let repo = Repo::new();
    repo.govern(&[("./utils/lld.py", "Add", "x")]);
    assert_eq!(check(&repo, "utils/lld.py")["allowed"], true);
}

#[test]
fn scenario_070_and_az_17_the_closest_of_several_paths_is_named() {
    let repo = governed();
    assert_eq!(check(&repo, "cli/mains.py")["closest_match"], "cli/main.py");
    assert_eq!(check(&repo, "core/lld.py")["closest_match"], "utils/lld.py");
    assert_eq!(check(&repo, "cli/mian.py")["closest_match"], "cli/main.py");
    // Nothing is near: a wrong suggestion is worse than none.
    assert_eq!(check(&repo, "Xq0/zz.bin")["closest_match"], Value::Null);
}

#[test]
fn scenario_080_and_az_11_path_traversal_is_refused() {
    let repo = governed();
    for path in ["foo/../../../etc/passwd", "../../../etc/passwd"] {
        let answer = check(&repo, path);
        assert_eq!(answer["allowed"], false);
        assert_eq!(answer["path"], Value::Null);
        assert_eq!(answer["rule"], "outside-workspace");
    }

    // git refuses to stage it; another program's index may hold it.
    let blob = repo.blob(b"x\n");
    repo.stage_raw(&[(0o100644, blob, b"../../../etc/passwd")]);
    let report = repo.json(&["lint"]);
    let unsafe_path = ("unsafe-path", "../../../etc/passwd");
    assert!(findings(&report).contains(&unsafe_path), "{report:#}");

    let repo = governed_by(
        "### 2.1 Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n\
         | `../../../etc/passwd` | Modify | x |\n| `utils/lld.py` | Add | x |\n",
    );
    let scope = repo.json(&["scope", "show"]);
    assert_eq!(scope["grants"].as_array().map(Vec::len), Some(1));
    assert_eq!(scope["problems"][0]["rule"], "design-outside");
    assert_eq!(check(&repo, "../../../etc/passwd")["allowed"], false);
}

#[test]
fn a_file_whose_row_says_do_not_modify_stays_as_it_is() {
    let repo = Repo::new();
    let path = "tests/test_a.py";
    repo.stage(path, "def test(): assert False\n");
    repo.govern(&[
        ("src/a.py", "Add", "makes the tests pass"),
        (path, "Modify", "scaffolded, DO NOT MODIFY"),
    ]);
    assert_eq!(check(&repo, path)["allowed"], false);
    repo.put(path, "def test(): pass\n", &[]).fails("refused");
    repo.stage(path, "def test(): pass\n");
    let report = repo.json(&["lint"]);
    assert_eq!(findings(&report), [("protected-path", path)]);
    repo.tells("lint", 1, "its row says DO NOT MODIFY");
    let scope = repo.json(&["scope", "show"]);
    assert_eq!(scope["grants"].as_array().map(Vec::len), Some(1));
    assert_eq!(scope["denials"][0]["path"], path);
    repo.guard(&["scope", "prompt"])
        .exits(0)
        .says("- tests/test_a.py  # DO NOT MODIFY");
    repo.guard(&["scope", "check"]).exits(0);
}
