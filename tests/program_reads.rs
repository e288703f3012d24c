//! What a program learns before it writes: the effect of an edit, parts of files, where paths start, templates of
//! secrets.
use serde_json::Value;

use crate::common::files::{Answer, answer_of};
use crate::common::{GUARD, Repo, lines};

/// 270 lines, of which `changed` differ.
fn large(changed: usize) -> String {
    lines(1..=270 - changed) + &lines(1001..=1000 + changed)
}

fn with_large() -> Repo {
    let repo = Repo::open();
    repo.stage("state.py", large(0));
    repo.commit("Large");
    repo
}

/// `guard write --dry-run` with the content on standard input.
fn analyze(repo: &Repo, path: &str, content: &str, arguments: &[&str]) -> Answer {
    let mut guard = repo.command(GUARD);
    let guard = guard.args(["write", "--dry-run", path]).args(arguments);
    answer_of(guard, content.as_bytes())
}

#[test]
fn the_analysis_is_of_this_edit_and_the_verdict_of_all_since_head() {
    let repo = with_large();
    let share = |analysis: &Value| analysis["change_percentage"].as_f64().unwrap().round();
    for (changed, of_edit, since_head) in [(54, 20.0, 20.0), (108, 20.0, 40.0)] {
        let answer = repo.put("state.py", large(changed), &[]);
        let analysis = &answer.works().json["analysis"];
        assert_eq!(share(analysis), of_edit, "{analysis}");
        assert_eq!(share(&analysis["since_head"]), since_head, "{analysis}");
        assert_eq!(analysis["since_head"]["change_classification"], "MODIFY");
    }
    // 27 lines more are half of what HEAD has.
    let held = repo.put("state.py", large(135), &[]);
    let analysis = &held.fails("held").json["error"]["analysis"];
    assert_eq!((share(analysis), held.class()), (10.0, "MODIFY"));
    assert_eq!(analysis["requires_approval"], true);
    assert_eq!(share(&analysis["since_head"]), 50.0);
    assert_eq!(analysis["since_head"]["change_classification"], "REPLACE");
    let preview = analysis["diff_preview"].as_str().unwrap();
    assert!(!preview.contains("+line number 1001\n"), "{preview}");
    assert_eq!(repo.json(&["approve"])["held"][0]["class"], "REPLACE");
    // A file that HEAD lacks has no such loss.
    let new = repo.put("new", "x\n", &[]);
    assert!(new.works().json["analysis"]["since_head"].is_null());
}

#[test]
fn templates_of_environment_files_are_no_secrets() {
    let repo = Repo::open();
    for name in [".env.example", ".env.dist", ".env.local.example"] {
        repo.put(&format!("app/{name}"), "KEY=\n", &[]).works();
        repo.ask(&["read", &format!("app/{name}")]).works();
    }
    for name in [".env", ".env.example.local", ".ENV.production"] {
        let refused = repo.put(name, "KEY=1\n", &[]);
        assert_eq!(refused.fails("refused").rule(), "protected-path", "{name}");
    }
}

#[test]
fn dry_run_answers_what_a_write_would_do_and_changes_nothing() {
    let repo = with_large();
    let before = repo.digest_tree();
    let forecast = analyze(&repo, "state.py", &large(54), &[]);
    let analysis = &forecast.works().json["analysis"];
    let expected = serde_json::json!({
        "target_path": "state.py",
        "exists": true,
        "original_lines": 270,
        "new_lines": 270,
        "change_classification": "MODIFY",
        "change_percentage": 20.0,
        "requires_approval": false,
        "auto_mode_blocked": false,
        "deleted_content": null,
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&analysis[key], value, "{key}");
    }
    let preview = analysis["diff_preview"].as_str().unwrap();
    assert!(preview.contains("+line number 1001"), "{preview}");
    assert_eq!(forecast.json["changed"], true);
    let digest = repo.git(&["hash-object", "--no-filters", "state.py"]);
    assert_eq!(forecast.json["digest"], digest);

    let held = analyze(&repo, "state.py", &large(216), &["--expect", &digest]);
    assert_eq!((held.code, held.class()), (1, "REPLACE"));
    assert_eq!(held.json["rule"], "destructive-change");
    assert_eq!(held.json["analysis"]["auto_mode_blocked"], true);
    let lost = held.json["analysis"]["deleted_content"].as_str().unwrap();
    assert!(lost.contains("line number 55\n"), "{lost}");

    assert_eq!(analyze(&repo, "new.py", "x\n", &[]).works().class(), "NEW");
    let same = analyze(&repo, "state.py", &large(0), &[]);
    assert_eq!(same.works().json["changed"], false);
    let more = analyze(&repo, "state.py", "more\n", &["--strategy", "append"]);
    assert_eq!(more.works().json["analysis"]["new_lines"], 271);
    analyze(&repo, "../x", "x\n", &[]).fails("security");
    analyze(&repo, "state.py", "x\n", &["--expect", "none"]).fails("exists");
    analyze(&repo, "state.py", "", &[]).fails("cannot-judge");
    let human = "write --dry-run state.py --content-file guard.toml";
    repo.tells(human, 1, "REPLACE state.py")
        .says("a person must approve it");
    // Nothing is written, held or recorded, not even a refusal.
    assert_eq!(repo.digest_tree(), before);
}
