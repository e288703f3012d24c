//! The corpus of hostile and harmless paths through the binary: requests of agents and MCP clients, staged entries and
//! link targets.

use std::fs;

use crate::agent_protocols::{agents, payload};
use crate::common::agents::hook;
use crate::common::corpus::{self, given, text};
use crate::common::corpus_layout;
use crate::common::mcp::McpClient;
use crate::common::{self, GUARD, Repo, strace, system};
use gix::bstr::ByteSlice;
use serde_json::{Value, json};

/// Only the boundary and the names decide.
const SETTINGS: &str = "[lld]\nmissing = \"skip\"\n[workspace]\nsecrets = []\n";

/// The verdicts of this system; without one, that of Unix holds for what is staged.
const EXPECTED: &str = if cfg!(windows) {
    "windows_expected"
} else {
    "expected"
};

fn open_repo() -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    repo.commit("Begin");
    repo
}

/// Counts entries and collects those that were judged wrongly.
#[derive(Default)]
struct Tally {
    judged: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn judge(&mut self, entry: &Value, is_accepted: bool) {
        let expected = entry[EXPECTED].as_str();
        let expected = expected.unwrap_or_else(|| text(entry, "expected"));
        let id = text(entry, "id");
        self.judged += 1;
        if (expected == "accept") != is_accepted {
            let wrong = format!("{id} {}: {expected}", entry["input"]);
            self.wrong.push(wrong);
        }
    }

    /// Asserts that `at_least` entries were judged and none wrongly.
    #[track_caller]
    fn finish(&self, at_least: usize) {
        assert!(self.wrong.is_empty(), "{}", self.wrong.join("\n"));
        assert!(self.judged >= at_least, "only {} entries", self.judged);
    }
}

/// The answers of `guard check -- INPUT…`.
fn check_results(
    repo: &Repo,
    inputs: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>,
) -> Vec<Value> {
    let mut check = repo.command(GUARD);
    check.args(["check", "--format", "json", "--"]).args(inputs);
    let report: Value = serde_json::from_str(&common::run(&mut check).stdout).unwrap();
    report["results"].as_array().unwrap().clone()
}

/// The requests of the corpus that are text and need no layout on disk.
fn texts(repo: &Repo) -> Vec<(Value, String)> {
    let all = corpus::entries().into_iter().filter(|entry| {
        let is_request = ["relative", "absolute"].contains(&text(entry, "context"));
        is_request && entry["needs"].is_null() && entry[EXPECTED].is_string()
    });
    let as_text = |entry: Value| {
        let input = corpus_layout::moved(&corpus::input(&entry), repo);
        Some((entry, String::from_utf8(input).ok()?))
    };
    all.filter_map(as_text).collect()
}

/// The call of an agent that writes a file.
fn creation(agent: &str, path: &str) -> (&'static str, Value) {
    match agent {
        "claude" => ("Write", json!({"file_path": path, "content": "x\n"})),
        "codex" => {
            let patch = format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n");
            ("apply_patch", json!({"command": patch}))
        }
        "copilot" => ("create", json!({"path": path, "file_text": "x\n"})),
        "cursor" => ("Write", json!({"path": path, "contents": "x\n"})),
        "gemini" => ("write_file", json!({"file_path": path, "content": "x\n"})),
        "opencode" => ("write", json!({"filePath": path, "content": "x\n"})),
        "vscode" => ("create_file", json!({"filePath": path, "content": "x\n"})),
        other => panic!("no call creates a file for {other}"),
    }
}

/// Claude Code gets every path, the others take turns; with `GUARD_LONG`, each gets all.
#[test]
fn requests_of_agents() {
    let repo = Repo::open_with("[workspace]\nsecrets = []\n");
    let mut tally = Tally::default();
    for (at, (entry, path)) in texts(&repo).iter().enumerate() {
        if corpus_layout::is_scratch(path, &repo) {
            continue;
        }
        for (number, agent) in agents().enumerate() {
            // A patch has one path per line, without blanks around it.
            let is_other_text =
                agent == "codex" && (path.trim() != path || path.contains(['\n', '\r']));
            let is_its_turn = number == 0 || at % (agents().len() - 1) == number - 1;
            if is_other_text || !(is_its_turn || strace::is_long()) {
                continue;
            }
            let (tool, input) = creation(agent, path);
            let call = payload(&repo, agent, tool, &input).to_string();
            let answer = hook(&repo, agent, call);
            let is_denied = answer.code != 0 || answer.stdout.contains("\"deny\"");
            tally.judge(entry, !is_denied);
        }
    }
    tally.finish(if cfg!(windows) { 60 } else { 400 });
}

#[test]
fn requests_over_mcp() {
    let repo = open_repo();
    let mut client = McpClient::start(&repo, "2025-06-18", json!({}));
    let mut tally = Tally::default();
    let all = texts(&repo);
    let mut answers = Vec::new();
    for (entry, path) in &all {
        let answer = client.does("check_write", json!({ "path": path }));
        tally.judge(entry, answer["allowed"] == true);
        if answer["allowed"] != true {
            let write = json!({ "path": path, "content": "x\n" });
            assert_eq!(client.refuses("write_file", write).0, "security", "{path}");
        }
        answers.push(answer);
    }
    tally.finish(if cfg!(windows) { 30 } else { 200 });
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    // No argument can hold a NUL.
    let both = all.iter().map(|(_, path)| path).zip(answers);
    let both = both.filter(|(path, _)| !path.contains('\0'));
    let (paths, answers): (Vec<_>, Vec<_>) = both.unzip();
    assert_eq!(check_results(&repo, paths), answers);
}

/// Guard's own settings need no row; the commit that changes them is judged by policy-changed.
const NOT_FOR_CHECK: &str = "h324";

#[test]
#[cfg_attr(not(unix), ignore = "needs names of any bytes, which Windows refuses")]
fn requests_in_a_layout_on_disk() {
    let corpus = corpus::entries();
    let mut tally = Tally::default();
    for entry in corpus.iter().filter(|entry| !entry["needs"].is_null()) {
        let id = text(entry, "id");
        let repo = open_repo();
        let built = given(entry).all(|line| corpus_layout::build(&repo, line).is_some());
        if !built || id == NOT_FOR_CHECK {
            continue;
        }
        let input = corpus_layout::moved(&corpus::input(entry), &repo);
        let input = system::name(input).unwrap();
        let result = &check_results(&repo, [input])[0];
        assert_eq!(result["allowed"], result["rule"].is_null(), "{result}");
        tally.judge(entry, result["allowed"] == true);
    }
    tally.finish(25);
}

/// Writes the entries over a clean index and judges it: whether nothing is said against the last one.
fn lint(repo: &Repo, entries: &[(u32, gix::ObjectId, &[u8])], clean: &[u8]) -> bool {
    fs::write(repo.path(".git/index"), clean).unwrap();
    repo.stage_raw(entries);
    let output = repo.guard(&["lint", "--format", "json"]);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    if output.code == 2 {
        assert!(report["error"]["message"].is_string() && report["verdict"].is_null());
        assert!(output.stderr.contains("the index "), "{}", output.stderr);
        return false;
    }
    assert_eq!(output.code == 0, report["verdict"] == "accepted");
    let is_control = |c: char| c.is_control() && c != '\n';
    assert!(!output.stdout.contains(is_control), "{report}");
    let (.., path) = entries[entries.len() - 1];
    let mut findings = report["findings"].as_array().unwrap().iter();
    !findings.any(|finding| {
        let is_elsewhere = path.to_str().is_ok_and(|path| finding["path"] != path);
        finding["level"] == "error" && !is_elsewhere
    })
}

#[test]
fn staged_entries() {
    let corpus = corpus::entries();
    let mut tally = Tally::default();
    let repo = open_repo();
    let clean = fs::read(repo.path(".git/index")).unwrap();
    let target = target_in(&repo);
    let is_entry = |entry: &&Value| entry["context"] == "git-index-entry";
    for entry in corpus.iter().filter(is_entry) {
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
        tally.judge(entry, verdict);
    }
    tally.finish(97);
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
    let is_target = |entry: &&Value| entry["context"] == "symlink-target";
    for entry in corpus.iter().filter(is_target) {
        // "link at /ws/src/link"
        let link = given(entry).find_map(|line| line.strip_prefix("link at /ws/"));
        let blob = repo.blob(&corpus_layout::moved(&corpus::input(entry), &repo));
        let link = (0o120000, blob, link.unwrap().as_bytes());
        tally.judge(entry, lint(&repo, &[link], &clean));
    }
    tally.finish(27);
}

#[test]
fn name_in_another_unicode_form_is_refused_with_the_reason() {
    let repo = Repo::new();
    repo.stage("docs/readme.md", "1\n");
    repo.govern(&[("docs/M\u{fc}ller.md", "Add", "")]);
    // A file system may keep one form only; the index has both.
    let blob = repo.blob(b"1\n");
    repo.stage_raw(&[(0o100_644, blob, "docs/Mu\u{308}ller.md".as_bytes())]);
    repo.tells("lint", 1, "which has this name in another Unicode form")
        .says("git has the decomposed form (NFD), the design the composed form (NFC)");
    let report = repo.json(&["lint"]);
    assert_eq!(report["findings"][0]["closest"], "docs/M\u{fc}ller.md");
}
