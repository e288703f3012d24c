//! The path rules, applied to the corpus of hostile and harmless paths.

use bstr::{BStr, BString};
use serde_json::Value;
use write_guard_policy::change::Kind;
use write_guard_policy::path::{
    Links, Node, Platform, Rejection, TreeView, check_entry, check_link_target, normalize_request,
    resolve_link,
};
use write_guard_testing::corpus::{self, given};

const ROOT: &[u8] = b"/ws";

/// Entries whose verdict comes from elsewhere, with the reason.
const LEFT_TO_OTHERS: [(&str, &str); 3] = [
    // Legal paths; the rule submodule-changed looks at the kind of the change.
    ("h494", "submodule-changed"),
    ("h495", "submodule-changed"),
    // The other entry is an ordinary file: a warning of the rule portable-name.
    ("h514", "portable-name"),
];

#[test]
fn every_path_of_the_corpus_gets_its_lexical_verdict() {
    let (mut wrong, mut judged) = (Vec::new(), 0);
    for entry in &corpus::entries() {
        for (column, platform) in [
            ("expected", Platform::Unix),
            ("windows_expected", Platform::Windows),
        ] {
            let (Some(expected), Some(verdict)) = (entry[column].as_str(), judge(entry, platform))
            else {
                continue;
            };
            judged += 1;
            if let Err(rejection) = &verdict {
                let message = &rejection.message;
                let is_plain = !message.contains(char::is_control) && message.len() < 1000;
                assert!(is_plain, "{entry}: {message:?}");
            }
            if verdict.is_ok() != (expected == "accept") {
                wrong.push(format!("{entry} {platform:?}: {verdict:?}"));
            }
        }
    }
    assert!(
        wrong.is_empty() && judged > 350,
        "{judged}: {}",
        wrong.join("\n")
    );
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
