//! The path rules, applied to the corpus of hostile and harmless paths.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeMap;

use crate::common::corpus::{self, given};
use gix::bstr::{BStr, BString};
use serde_json::Value;
use write_guard::change::Kind;
use write_guard::path::{
    Links, Node, Platform, Rejection, TreeView, check_entry, check_link_target, normalize_request,
    resolve_link,
};

const ROOT: &[u8] = b"/ws";

/// Entries whose verdict comes from elsewhere, with the reason.
const LEFT_TO_OTHERS: [(&str, &str); 3] = [
    // Legal paths; the rule submodule-changed looks at the kind of the change.
    ("h494", "submodule-changed"),
    ("h495", "submodule-changed"),
    // The other entry is an ordinary file: a warning of the rule portable-name.
    ("h514", "portable-name"),
];

#[derive(Default)]
struct Tally {
    judged: usize,
    accepted: usize,
    refused: usize,
    other_reason: usize,
    left_out: usize,
}

#[test]
fn every_path_of_the_corpus_gets_its_lexical_verdict() {
    let corpus = corpus::entries();
    let mut table: BTreeMap<String, Tally> = BTreeMap::new();
    let mut wrong = Vec::new();
    for entry in &corpus {
        let context = entry["context"].as_str().unwrap();
        for (column, platform) in [
            ("expected", Platform::Unix),
            ("windows_expected", Platform::Windows),
        ] {
            let Some(expected) = entry[column].as_str() else {
                continue;
            };
            let tally = table.entry(format!("{context} {platform:?}")).or_default();
            let verdict = match judge(entry, platform) {
                Some(verdict) => verdict,
                None => {
                    tally.left_out += 1;
                    continue;
                }
            };
            tally.judged += 1;
            let id = entry["id"].as_str().unwrap();
            let said = match &verdict {
                Ok(()) => "accept".to_string(),
                Err(rejection) => format!("reject:{}", rejection.reason.id()),
            };
            match &verdict {
                Ok(()) => tally.accepted += 1,
                Err(rejection) => {
                    tally.refused += 1;
                    let message = &rejection.message;
                    assert!(!message.contains(char::is_control), "{id}: {message:?}");
                    assert!(message.len() < 1000, "{id}: {message}");
                }
            }
            if verdict.is_ok() != (expected == "accept") {
                wrong.push(format!("{id} {platform:?}: {expected}, but {said}"));
            } else if said != expected {
                tally.other_reason += 1;
                println!("{id} {platform:?}: {expected}, said {said}");
            }
        }
    }
    println!(
        "{:<26}{:>7}{:>9}{:>9}{:>14}{:>10}",
        "context", "judged", "accepted", "refused", "other reason", "left out"
    );
    for (context, tally) in &table {
        println!(
            "{context:<26}{:>7}{:>9}{:>9}{:>14}{:>10}",
            tally.judged, tally.accepted, tally.refused, tally.other_reason, tally.left_out
        );
    }
    println!(
        "left out: {} that need a disk, the cells of designs, {}",
        corpus
            .iter()
            .filter(|entry| !entry["needs"].is_null())
            .count(),
        LEFT_TO_OTHERS
            .map(|(id, rule)| format!("{id} ({rule})"))
            .join(", ")
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(table.values().any(|tally| tally.judged > 0));
}

/// The verdict, unless it needs a disk, settings, a design, or another rule.
fn judge(entry: &Value, platform: Platform) -> Option<Result<(), Rejection>> {
    let id = entry["id"].as_str()?;
    if !entry["needs"].is_null() || LEFT_TO_OTHERS.iter().any(|(left, _)| *left == id) {
        return None;
    }
    let input = corpus::input(entry);
    match entry["context"].as_str()? {
        "relative" | "absolute" => Some(normalize_request(ROOT, &input, platform).map(|_| ())),
        "git-index-entry" => Some(judge_entry(entry, &input, platform)),
        "symlink-target" => Some(judge_target(entry, &input, platform)),
        _ => None,
    }
}

fn judge_entry(entry: &Value, path: &[u8], platform: Platform) -> Result<(), Rejection> {
    let path = BStr::new(path);
    let mode = u32::from_str_radix(entry["mode"].as_str().unwrap(), 8).unwrap();
    check_entry(path, Kind::from_mode(mode), platform)?;
    // "tracked: a (120000 -> .git/hooks)"
    let links = given(entry).filter_map(|line| {
        let (_, entry) = line.split_once(": ")?;
        let (path, _) = entry.split_once(" (120000")?;
        Some(BString::from(path))
    });
    Links::new(links).check(path)
}

fn judge_target(entry: &Value, target: &[u8], platform: Platform) -> Result<(), Rejection> {
    // "link at /ws/src/link"
    let link = given(entry)
        .find_map(|line| line.strip_prefix("link at /ws/"))
        .unwrap();
    let by_name = check_link_target(link.into(), target, platform);
    let in_tree = resolve_link(&EmptyTree, link.into(), target).map(|_| ());
    if platform == Platform::Unix {
        assert_eq!(by_name, in_tree, "{entry}");
    }
    by_name
}

struct EmptyTree;

impl TreeView for EmptyTree {
    fn entry(&self, _: &BStr) -> Option<Node> {
        None
    }

    fn link_target(&self, _: &BStr) -> Option<BString> {
        None
    }
}
