//! `guard audit attempts`: what guard refused, by design and agent, and what followed each refusal.

use serde_json::Value;

use crate::common::agents::{Answered, repo, write};
use crate::common::{DESIGN, Repo, lines, run};

/// Commits what is staged at the present time, as users do.
fn commit_now(repo: &Repo) {
    let mut git = repo.command("git");
    git.env_remove("GIT_COMMITTER_DATE");
    run(git.args(["commit", "--quiet", "-m", "Work"])).exits(0);
}

/// The work of an agent on this branch.
fn of_agent(report: &Value, agent: &str) -> Value {
    let mut work = report["work"].as_array().unwrap().iter();
    let found = work.find(|work| work["agent"] == agent);
    found.unwrap_or_else(|| panic!("{agent}: {report}")).clone()
}

/// Each refused path with what followed.
fn followed(work: &Value) -> Vec<String> {
    let refusals = work["refusals"].as_array().unwrap().iter();
    let line = |refusal: &Value| {
        let text = |key: &str| refusal[key].as_str().unwrap().to_owned();
        format!("{} {}", text("path"), text("followed"))
    };
    refusals.map(line).collect()
}

#[test]
fn each_refusal_is_listed_with_what_followed() {
    let repo = repo();
    assert_eq!(
        repo.json(&["audit", "attempts"])["work"],
        Value::Array(Vec::new())
    );
    for path in [
        "src/core/lld.py",
        "src/extra.py",
        "src/same.py",
        "src/same.py",
    ] {
        write(&repo, path, "x = 1\n").denies();
    }
    // Nothing has followed yet but the other paths.
    let report = repo.json(&["audit", "attempts"]);
    let work = of_agent(&report, "claude");
    assert_eq!(work["attempts"], Value::Null, "{work}");
    assert_eq!(followed(&work)[3], "src/same.py given-up");

    repo.design(
        DESIGN,
        &[
            ("src/log.py", "Modify", "logging"),
            ("src/utils/lld.py", "Add", "designs"),
            ("src/extra.py", "Add", "more"),
        ],
    );
    commit_now(&repo);
    repo.stage("src/utils/lld.py", "x = 1\n");
    commit_now(&repo);
    let report = repo.json(&["audit", "attempts"]);
    let work = of_agent(&report, "claude");
    let expected = [
        "src/core/lld.py as-suggested",
        "src/extra.py row-added",
        "src/same.py same-path",
        "src/same.py another-path",
    ];
    assert_eq!(followed(&work), expected, "{work}");
    assert_eq!(
        (&work["refused"], &work["attempts"]),
        (&4.into(), &5.into())
    );
    assert_eq!(work["branch"], "188-work");
    assert_eq!(work["refusals"][0]["closest"], "src/utils/lld.py");
    let human = repo.guard(&["audit", "attempts"]).exits(0);
    let human = human
        .says("claude: 4 refused, 0 held, 0 approved; 5 attempts until the first accepted commit");
    human.says("src/core/lld.py [out-of-scope]  went on at src/utils/lld.py, as suggested");
    // Nothing was refused since then.
    let later = repo.json(&["audit", "attempts", "--since", "2999-01-01"]);
    assert_eq!(later["work"], Value::Array(Vec::new()));
    repo.guard(&["audit", "attempts", "--since", "last week"])
        .exits(2);
}

#[test]
fn a_commit_that_guard_refuses_is_no_accepted_one() {
    let repo = repo();
    write(&repo, "src/core/lld.py", "x = 1\n").denies();
    repo.stage("src/core/lld.py", "x = 1\n");
    commit_now(&repo);
    let report = repo.json(&["audit", "attempts"]);
    assert_eq!(of_agent(&report, "claude")["attempts"], Value::Null);
}

/// An amended design is no result of the work yet.
#[test]
fn attempts_go_on_until_a_commit_has_more_than_designs() {
    let repo = repo();
    write(&repo, "src/core/lld.py", "x = 1\n").denies();
    repo.design(DESIGN, &[("src/utils/lld.py", "Add", "designs")]);
    commit_now(&repo);
    let attempts = || of_agent(&repo.json(&["audit", "attempts"]), "claude")["attempts"].clone();
    assert_eq!(attempts(), Value::Null);
    repo.stage("src/utils/lld.py", "x = 1\n");
    commit_now(&repo);
    assert_eq!(attempts(), 2);
}

#[test]
fn the_command_line_programs_and_held_changes_count_for_themselves() {
    let repo = repo();
    let stray = repo.guard_reads(&["write", "stray.py"], "x\n");
    stray.exits(1);
    repo.guard(&["exec", "--", "touch", "made.py"]).exits(1);
    repo.write("src/log.py", lines(1..=200));
    repo.git(&["add", "src/log.py"]);
    repo.commit("A long log");
    write(&repo, "src/log.py", "gone\n").denies();
    let report = repo.json(&["audit", "attempts"]);
    assert_eq!(followed(&of_agent(&report, "")).len(), 1);
    assert_eq!(
        followed(&of_agent(&report, "exec"))[0].split(' ').next(),
        Some("made.py")
    );
    let work = of_agent(&report, "claude");
    assert_eq!(
        (&work["refused"], &work["held"]),
        (&0.into(), &1.into()),
        "{work}"
    );
}
