//! `guard generate`: completions, manual pages and the schema.

use std::collections::BTreeSet;

use crate::common::pages::assert_current;
use crate::common::{self, Repo};
use serde_json::Value;
use write_guard_policy::finding::Rule;
use write_guard_policy::scope::settings::KEYS;

const SCHEMA: &str = include_str!("../docs/guard.schema.json");

/// The verbs that `guard help all` lists.
fn verbs(repo: &Repo) -> Vec<String> {
    let help = repo.guard(&["help", "all"]).exits(0).stdout;
    let list = help.split("Commands:\n").nth(1).unwrap();
    let verbs = list.lines().take_while(|line| !line.is_empty());
    let verbs = verbs.map(|line| line.split_whitespace().next().unwrap().to_owned());
    verbs.collect()
}

#[test]
fn the_committed_schema_is_current() {
    let printed = Repo::new().guard(&["generate", "schema"]).exits(0).stdout;
    assert_current("docs/guard.schema.json", &printed);
}

#[test]
fn schema_has_exactly_the_known_keys_and_rules() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut known = BTreeSet::new();
    for (table, schema) in schema["properties"].as_object().unwrap() {
        assert_eq!(schema["additionalProperties"], false, "{table}");
        for key in schema["properties"].as_object().unwrap().keys() {
            known.insert(format!("{table}.{key}"));
        }
    }
    let keys = KEYS
        .iter()
        .map(|key| format!("{}.{}", key.section, key.name));
    let rules = Rule::ALL.iter().map(|rule| format!("rules.{}", rule.id()));
    assert_eq!(known, keys.chain(rules).collect());
    assert_eq!(schema["additionalProperties"], false);

    let property = |table: &str, key: &str| &schema["properties"][table]["properties"][key];
    let missing = &property("lld", "missing")["enum"];
    assert_eq!(*missing, serde_json::json!(["block", "skip"]));
    assert_eq!(property("destructive", "share")["default"], 0.5);
    let level = &property("rules", "unsafe-path")["enum"];
    assert_eq!(*level, serde_json::json!(["error"]));
}

#[test]
fn every_shell_gets_completions_and_bash_accepts_its_own() {
    let repo = Repo::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = repo.guard(&["generate", "completions", shell]).exits(0);
        let script = script.says("snapshot").stdout;
        if shell == "bash" {
            repo.write("completions", &script);
        }
    }
    let complete = "source completions\nCOMP_WORDS=(guard sco)\nCOMP_CWORD=1\n\
                    _guard guard sco guard\necho \"${COMPREPLY[@]}\"\n";
    let output = common::run(repo.command("bash").args(["-c", complete])).exits(0);
    assert_eq!(output.stdout, "scope\n");
}

#[test]
fn there_is_a_manual_page_for_every_verb() {
    let repo = Repo::new();
    let all = repo.guard(&["generate", "man"]).exits(0).stdout;
    let mut names: Vec<String> = verbs(&repo);
    names.extend(["scope-check", "generate-man"].map(str::to_owned));
    for name in names {
        assert!(all.contains(&format!(".TH guard-{name} 1 ")), "{name}");
    }
    assert!(all.contains(".TH guard 1 "));
}
