//! Reads and damages the audit log.

use std::fs;
use std::path::PathBuf;

use serde_json::{Map, Value};
use write_guard::files::verify;

use super::Repo;

/// A repository whose log has `writes` operations of two records each.
pub fn with_log(writes: usize) -> Repo {
    let repo = Repo::open();
    for number in 0..writes {
        repo.put("a", format!("{number}\n"), &[]).works();
    }
    repo
}

pub fn log_file(repo: &Repo) -> PathBuf {
    repo.path(".git/guard/log.jsonl")
}

pub fn log_lines(repo: &Repo) -> Vec<String> {
    let text = fs::read_to_string(log_file(repo)).unwrap();
    text.lines().map(str::to_owned).collect()
}

pub fn set_log(repo: &Repo, lines: &[String]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(log_file(repo), text).unwrap();
}

/// Whether a log has no damage but a last record that was cut short.
pub fn is_whole_or_cut_short(log: &[u8]) -> bool {
    let lines = log.split_inclusive(|&byte| byte == b'\n').count();
    let fault = verify(log).fault;
    fault.is_none_or(|line| line == lines && !log.ends_with(b"\n"))
}

/// Repeats the last record until the log has this many.
pub fn grow(repo: &Repo, records: usize) {
    let mut lines = log_lines(repo);
    let last = lines.last().unwrap().clone();
    let (_, facts) = last.split_once(',').unwrap();
    for seq in lines.len() + 1..=records {
        lines.push(format!("{{\"seq\":{seq},{facts}"));
    }
    set_log(repo, &restamp(&lines));
}

/// Line and kind of the fault that `audit verify` reports, and its exit code.
#[track_caller]
pub fn verdict(repo: &Repo) -> Option<(u64, String)> {
    let report = repo.json(&["audit", "verify"]);
    let code = repo.guard(&["audit", "verify"]).code;
    let fault = &report["fault"];
    assert_eq!(code, i32::from(!fault.is_null()), "{report}");
    let kind = fault["kind"].as_str()?.to_owned();
    Some((fault["line"].as_u64().unwrap(), kind))
}

/// The chain that an attacker with a text editor and SHA-256 would write.
pub fn restamp(lines: &[String]) -> Vec<String> {
    let mut prev = "0".repeat(64);
    lines
        .iter()
        .map(|line| {
            let mut record: Map<String, Value> = serde_json::from_str(line).unwrap();
            record.remove("hash");
            record.insert("prev".into(), prev.clone().into());
            let body = Value::Object(record).to_string();
            let body = body.strip_suffix('}').unwrap();
            prev = sha256(body);
            format!("{body},\"hash\":\"{prev}\"}}")
        })
        .collect()
}

fn sha256(text: &str) -> String {
    let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha256);
    hasher.update(text.as_bytes());
    hasher.try_finalize().unwrap().to_hex().to_string()
}
