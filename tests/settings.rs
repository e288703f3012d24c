//! `guard settings`, and the documentation of the settings.

use crate::common::pages::{assert_current, page};
use crate::common::{Repo, SETTINGS};
use serde_json::{Value, json};
use write_guard_policy::scope::settings::KEYS;

const PAGE: &str = "docs/settings.md";

/// The entry of one key in `guard settings --format json`.
fn setting(report: &Value, table: &str, key: &str) -> Value {
    let mut all = report["settings"].as_array().unwrap().iter();
    let found = all.find(|entry| entry["table"] == table && entry["key"] == key);
    found.unwrap_or_else(|| panic!("{table}.{key}")).clone()
}

fn rule(report: &Value, id: &str) -> Value {
    let mut all = report["rules"].as_array().unwrap().iter();
    all.find(|entry| entry["rule"] == id).unwrap().clone()
}

#[test]
fn each_value_is_listed_with_its_line() {
    let repo = Repo::new();
    repo.stage(
        "guard.toml",
        "# ä\n[lld]\n  path = \"a.md\"\nmissing = \"skip\"\n\n[scope]\nprotect = [\n  \"x\",\n]\n\
         [rules]\nhidden-change = \"error\"\n\n[snapshots]\nkeep = \"36h\"\n",
    );
    let commit = repo.commit("Set guard up");
    let report = repo.json(&["settings"]);
    assert_eq!(report["version"], 1);
    assert_eq!(report["file"], "guard.toml");
    assert_eq!(report["commit"], commit.as_str());
    for (table, key, value, line, column) in [
        ("lld", "path", json!(["a.md"]), 3, 3),
        ("lld", "missing", json!("skip"), 4, 1),
        ("scope", "protect", json!(["x"]), 7, 1),
        ("snapshots", "keep", json!("36h"), 14, 1),
    ] {
        let expected = json!({"table": table, "key": key, "value": value, "from": "guard.toml", "line": line, "column": column});
        assert_eq!(setting(&report, table, key), expected);
    }
    let lines = setting(&report, "destructive", "lines");
    assert_eq!(
        [&lines["value"], &lines["from"], &lines["line"]],
        [&json!(100), &json!("default"), &Value::Null]
    );
    assert_eq!(setting(&report, "lld", "base")["value"], Value::Null);
    assert_eq!(report["settings"].as_array().unwrap().len(), KEYS.len());
    let hidden = json!({"rule": "hidden-change", "level": "error", "from": "guard.toml", "line": 11, "column": 1});
    assert_eq!(rule(&report, "hidden-change"), hidden);
    assert_eq!(rule(&report, "row-untouched")["level"], "off");
    repo.tells("settings", 0, "path = [\"a.md\"]  # guard.toml:3\n")
        .says("lines = 100  # default\n")
        .says("  # base is not set\n");
}

#[test]
fn notes_say_where_settings_come_from() {
    let defaults = "HEAD has no guard.toml; the defaults apply";
    let differs = "the guard.toml in the work tree differs; it takes effect once committed";
    let repo = Repo::new();
    let notes = || repo.json(&["settings"])["notes"].clone();
    assert_eq!(notes(), json!([defaults]));
    repo.write("guard.toml", SETTINGS);
    assert_eq!(notes(), json!([defaults, differs]));
    repo.stage("guard.toml", SETTINGS);
    repo.commit("Set guard up");
    assert_eq!(notes(), json!([]));
    // Other words for the same settings are no difference.
    repo.write("guard.toml", format!("# Ours\n{SETTINGS}"));
    assert_eq!(notes(), json!([]));
    for other in ["[lld]\n", "[lld\n"] {
        repo.write("guard.toml", other);
        assert_eq!(notes(), json!([differs]), "{other}");
    }
    std::fs::remove_file(repo.path("guard.toml")).unwrap();
    assert_eq!(notes(), json!([]));
}

#[test]
fn settings_of_head_apply_not_those_of_the_work_tree() {
    let repo = Repo::new();
    repo.write("guard.toml", SETTINGS);
    let output = repo.guard(&["settings"]).exits(0);
    output
        .says("HEAD has no guard.toml")
        .says("takes effect once committed")
        .says("path = []  # default");

    repo.stage("guard.toml", SETTINGS);
    repo.commit("Set guard up");
    let notes = |repo: &Repo| repo.json(&["settings"])["notes"].clone();
    assert_eq!(notes(&repo), json!([]));
    repo.write("guard.toml", SETTINGS.replace('\n', "\r\n"));
    assert_eq!(notes(&repo), json!([]));
    repo.write("guard.toml", "[lld]\nmissing = \"skip\"\n");
    assert_eq!(notes(&repo).as_array().unwrap().len(), 1);
    let missing = setting(&repo.json(&["settings"]), "lld", "missing");
    assert_eq!(missing["value"], "block");
}

#[test]
fn broken_settings_are_exit_code_2_with_every_fault() {
    let repo = Repo::new();
    repo.stage("guard.toml", "[lld]\npth = 1\nmissing = \"no\"\n");
    repo.commit("Break the settings");
    repo.tells("settings", 2, "guard.toml:2:1: unknown key `pth`")
        .says("guard.toml:3:11: `missing` must be \"block\" or \"skip\"");
}

#[test]
fn flags_and_variables_are_listed() {
    let repo = Repo::new();
    repo.govern(&[("a", "Add", "")]);
    let chosen = |file: &str, from: &str| json!({"files": [file], "from": from});
    let report = repo.json(&["settings", "--lld", "one.md"]);
    assert_eq!(report["designs"], chosen("one.md", "--lld"));
    assert_eq!(report["variables"], json!([]));
    let variables = [("GUARD_LLD", "two.md"), ("GUARD_QUIET", "1")];
    let output = repo.guard_with(&variables, &["settings", "--format", "json"]);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(report["designs"], chosen("two.md", "GUARD_LLD"));
    let variables = variables.map(|(name, value)| json!({"name": name, "value": value}));
    assert_eq!(report["variables"], json!(variables));
    repo.git(&["config", "branch.188-work.guardDesign", "three.md"]);
    let report = repo.json(&["settings"]);
    assert_eq!(report["designs"], chosen("three.md", "guard use"));
}

#[test]
fn the_reference_at_the_end_of_the_page_is_current() {
    let printed = Repo::nothing().guard(&["generate", "settings"]).exits(0);
    let page = page(PAGE);
    let (start, _) = page.split_at(page.find("## `[").unwrap());
    assert_current(PAGE, &format!("{start}{}", printed.stdout));
}
