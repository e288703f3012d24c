//! The corpus of hostile and harmless paths through the binary: requests, staged entries, link targets and designs.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;

use crate::common::corpus::{self, given, text};
use crate::common::{self, GUARD, Repo};
use gix::bstr::ByteSlice;
use serde_json::Value;

/// Only the boundary and the names decide.
const SETTINGS: &str = "[lld]\nmissing = \"skip\"\n[workspace]\nsecrets = []\n";

fn open_repo() -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    repo.commit("Begin");
    repo
}

/// The verdict on one entry.
enum Verdict {
    Accept,
    /// With the reason, if the interface reports one.
    Reject(Option<String>),
}

/// Compares and counts.
#[derive(Default)]
struct Tally {
    accepted: usize,
    refused: usize,
    other_reason: usize,
    left_out: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn judge(&mut self, entry: &Value, verdict: &Verdict) {
        let (id, expected) = (text(entry, "id"), text(entry, "expected"));
        let said = match verdict {
            Verdict::Accept => {
                self.accepted += 1;
                "accept".to_owned()
            }
            Verdict::Reject(reason) => {
                self.refused += 1;
                format!("reject:{}", reason.as_deref().unwrap_or("?"))
            }
        };
        if (expected == "accept") != matches!(verdict, Verdict::Accept) {
            let input = &entry["input"];
            self.wrong
                .push(format!("{id} {input}: {expected}, said {said}"));
        } else if matches!(verdict, Verdict::Reject(Some(_))) && said != expected {
            self.other_reason += 1;
            println!("{id} {}: {expected}, said {said}", entry["input"]);
        }
    }

    /// Prints the line of the table; asserts that `at_least` entries were judged and none wrongly.
    #[track_caller]
    fn finish(&self, context: &str, at_least: usize) {
        let judged = self.accepted + self.refused;
        println!(
            "{context}: {judged} judged, {} accepted, {} refused, {} with another reason, {} left out",
            self.accepted, self.refused, self.other_reason, self.left_out
        );
        assert!(self.wrong.is_empty(), "{}", self.wrong.join("\n"));
        assert!(judged >= at_least, "the corpus has lost entries");
    }
}

/// The rule of each answer to `guard check -- INPUT…`; `None` where it may be written.
fn check(repo: &Repo, inputs: impl Iterator<Item = Vec<u8>>) -> Vec<Option<String>> {
    let output = common::run(
        repo.command(GUARD)
            .args(["check", "--format", "json", "--"])
            .args(inputs.map(OsString::from_vec)),
    );
    let report: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {output:?}");
    });
    let results = report["results"].as_array().unwrap();
    results
        .iter()
        .map(|result| {
            assert_eq!(result["allowed"], result["rule"].is_null(), "{result}");
            result["rule"].as_str().map(str::to_owned)
        })
        .collect()
}

/// `guard check` names the rule, so reasons are compared by their rules.
fn rule_of(expected: &str) -> &'static str {
    match expected {
        "reject:outside-workspace" | "reject:symlink-escape" | "reject:symlink-absolute" => {
            "outside-workspace"
        }
        _ => "unsafe-path",
    }
}

fn judge_request(tally: &mut Tally, entry: &Value, rule: Option<&String>) {
    let expected = text(entry, "expected");
    let verdict = match rule {
        None => Verdict::Accept,
        Some(rule) if rule == rule_of(expected) => Verdict::Reject(None),
        Some(rule) => Verdict::Reject(Some(rule.clone())),
    };
    tally.judge(entry, &verdict);
}

#[test]
fn requests() {
    let corpus = corpus::entries();
    let repo = open_repo();
    for (context, at_least) in [("relative", 180), ("absolute", 30)] {
        let mut tally = Tally::default();
        let all = corpus
            .iter()
            .filter(|entry| entry["context"] == context && entry["needs"].is_null());
        // No argument can hold a NUL; the library's test judges these.
        let (passable, with_nul): (Vec<_>, Vec<_>) =
            all.partition(|entry| !corpus::input(entry).contains(&0));
        tally.left_out = with_nul.len();
        let inputs = passable
            .iter()
            .map(|entry| corpus::moved(&corpus::input(entry), &repo));
        let rules = check(&repo, inputs);
        assert_eq!(rules.len(), passable.len());
        for (entry, rule) in passable.iter().zip(&rules) {
            judge_request(&mut tally, entry, rule.as_ref());
        }
        tally.finish(context, at_least);
    }
}

/// Refused only by the file verbs, or decided otherwise for a path that is only checked.
const NOT_FOR_CHECK: [(&str, &str); 1] = [
    // Guard's own settings need no row; the commit that changes them is judged by policy-changed.
    ("h324", "protected-file"),
];

#[test]
fn requests_in_a_layout_on_disk() {
    let corpus = corpus::entries();
    let mut tally = Tally::default();
    for entry in corpus.iter().filter(|entry| !entry["needs"].is_null()) {
        let id = text(entry, "id");
        let repo = open_repo();
        let built = given(entry).all(|line| corpus::build(&repo, line).is_some());
        if !built || NOT_FOR_CHECK.iter().any(|(left, _)| *left == id) {
            tally.left_out += 1;
            continue;
        }
        let input = corpus::moved(&corpus::input(entry), &repo);
        let rules = check(&repo, [input].into_iter());
        judge_request(&mut tally, entry, rules[0].as_ref());
    }
    tally.finish("relative, on disk", 25);
}

fn assert_no_verdict(json: &str) {
    let report: Value = serde_json::from_str(json).unwrap();
    assert!(report["error"]["message"].is_string(), "{json}");
    assert!(report.get("verdict").is_none() && report.get("grants").is_none());
}

/// Writes the entries over a clean index and judges it. The reason is that of the finding at `path`.
fn lint(repo: &Repo, entries: &[(u32, gix::ObjectId, &[u8])], clean: &[u8]) -> Verdict {
    fs::write(repo.path(".git/index"), clean).unwrap();
    repo.stage_raw(entries);
    let output = repo.guard(&["lint", "--format", "json"]);
    if output.code == 2 {
        assert_no_verdict(&output.stdout);
        assert!(output.stderr.contains("the index "), "{}", output.stderr);
        return Verdict::Reject(None);
    }
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(output.code == 0, report["verdict"] == "accepted");
    assert!(
        !output
            .stdout
            .contains(|c: char| c.is_control() && c != '\n')
    );
    let (.., path) = entries[entries.len() - 1];
    let mut reasons = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["level"] == "error")
        .filter(|finding| match path.to_str() {
            Ok(path) => finding["path"] == path,
            Err(_) => true,
        })
        .map(|finding| finding["details"]["reason"].as_str().map(str::to_owned));
    match reasons.next() {
        Some(reason) => Verdict::Reject(reason),
        None => Verdict::Accept,
    }
}

#[test]
fn staged_entries() {
    let corpus = corpus::entries();
    let mut tally = Tally::default();
    let repo = open_repo();
    let clean = fs::read(repo.path(".git/index")).unwrap();
    let target = target_in(&repo);
    for entry in corpus
        .iter()
        .filter(|entry| entry["context"] == "git-index-entry")
    {
        let path = corpus::input(entry);
        let mode = u32::from_str_radix(text(entry, "mode"), 8).unwrap();
        let layout = given(entry).next();
        let verdict = match layout.and_then(|line| line.split_once(": ")) {
            None => lint(&repo, &[(mode, target, &path)], &clean),
            Some((when, what)) => {
                let repo = open_repo();
                // "a (120000 -> .git/hooks)"
                let (at, mode_and_target) = what.split_once(" (120000 -> ").unwrap_or((what, ""));
                let is_link = !mode_and_target.is_empty();
                let blob = repo.blob(mode_and_target.trim_end_matches(')').as_bytes());
                let other = if is_link { 0o120000 } else { 0o100644 };
                let other = (other, blob, at.as_bytes());
                let own = (mode, target_in(&repo), path.as_slice());
                if when == "tracked" {
                    repo.stage_raw(&[other]);
                    repo.commit("As found");
                    let clean = fs::read(repo.path(".git/index")).unwrap();
                    lint(&repo, &[own], &clean)
                } else {
                    lint(&repo, &[other, own], &clean)
                }
            }
        };
        tally.judge(entry, &verdict);
    }
    tally.finish("git-index-entry", 97);
}

/// Good as a link's target, and as the content of `.gitmodules`.
fn target_in(repo: &Repo) -> gix::ObjectId {
    repo.blob(b"[core]")
}

#[test]
fn targets_of_staged_links() {
    let corpus = corpus::entries();
    let mut tally = Tally::default();
    let repo = open_repo();
    let clean = fs::read(repo.path(".git/index")).unwrap();
    for entry in corpus
        .iter()
        .filter(|entry| entry["context"] == "symlink-target")
    {
        // "link at /ws/src/link"
        let link = given(entry)
            .find_map(|line| line.strip_prefix("link at /ws/"))
            .unwrap();
        let blob = repo.blob(&corpus::moved(&corpus::input(entry), &repo));
        let verdict = lint(&repo, &[(0o120000, blob, link.as_bytes())], &clean);
        // The finding says how the link leaves; the corpus only whether it does.
        let verdict = match verdict {
            Verdict::Reject(Some(reason)) if reason == "symlink-escapes" => {
                let expected = text(entry, "expected");
                let same = rule_of(expected) == "outside-workspace";
                Verdict::Reject((!same).then_some(reason))
            }
            other => other,
        };
        tally.judge(entry, &verdict);
    }
    tally.finish("symlink-target", 27);
}

#[test]
fn cells_of_designs() {
    let corpus = corpus::entries();
    let mut tally = Tally::default();
    let cells: Vec<_> = corpus
        .iter()
        .filter(|entry| entry["context"] == "lld-cell")
        .collect();
    let repo = open_repo();
    let design = "docs/lld/LLD-188.md";
    for entry in cells {
        // HEAD has no design, so guard reads the one in the work tree.
        repo.write(design, corpus::design_with(&corpus::input(entry)));
        let output = repo.guard(&["scope", "show", "--lld", design, "--format", "json"]);
        if output.code == 2 {
            assert_no_verdict(&output.stdout);
            assert!(
                output.stderr.contains(&format!("--> {design}:7:")),
                "{}",
                output.stderr
            );
            tally.judge(entry, &Verdict::Reject(None));
            continue;
        }
        let scope: Value = serde_json::from_str(&output.stdout).unwrap();
        let granted: Vec<_> = scope["grants"]
            .as_array()
            .unwrap()
            .iter()
            .map(|grant| {
                (
                    text(grant, "kind").to_owned(),
                    text(grant, "path").to_owned(),
                )
            })
            .collect();
        tally.judge(entry, &Verdict::Accept);
        if text(entry, "expected") == "accept" {
            assert_eq!(granted, corpus::parsed_as(entry), "{design}");
            assert_eq!(scope["problems"], Value::Array(Vec::new()), "{design}");
        }
    }
    tally.finish("lld-cell", 63);
}
