//! Commits an accepted case: the commit must hold exactly the changes that were judged.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::common::case::Built;
use crate::common::{self, Output};

/// The result of the commit.
pub enum Committed {
    AsJudged,
    /// git itself cannot commit it, with the reason.
    Refused(String),
    Otherwise(String),
}

/// Commits the staged changes in the environment of the case, without its hooks. `judged` is the JSON report.
pub fn commit(built: &Built, judged: &str) -> Committed {
    let git = |arguments: &[&str]| git(built, arguments);
    let made = git(&["commit", "--quiet", "--no-verify", "-m", "Judged"]);
    if made.code != 0 {
        let text = made.text();
        let why = text.lines().find(|line| !line.trim().is_empty());
        return Committed::Refused(why.unwrap_or("it does not say why").to_owned());
    }
    let parents = git(&["rev-parse", "HEAD^@"]).exits(0).stdout;
    let parents: Vec<&str> = parents.lines().collect();
    let mut own = differs(built, parents.first().copied());
    for parent in parents.iter().skip(1) {
        let other = differs(built, Some(parent));
        own.retain(|path| other.contains(path));
    }
    let report: Value = serde_json::from_str(judged).unwrap_or_default();
    let changes = report["changes"].as_array().into_iter().flatten();
    let judged: BTreeSet<String> = changes
        .filter_map(|change| change["path"].as_str())
        .map(str::to_owned)
        .collect();
    // Files that git merged differ from every parent, but are not the committer's.
    if let [ours, theirs] = parents[..] {
        let merged = git(&["merge-tree", "--write-tree", ours, theirs]).stdout;
        let merged = merged.lines().next().unwrap_or_default().to_owned();
        own.retain(|path| judged.contains(path) || !is_same(built, &merged, path));
    }
    if own == judged {
        Committed::AsJudged
    } else {
        Committed::Otherwise(format!("judged is {judged:?}, committed {own:?}"))
    }
}

fn git(built: &Built, arguments: &[&str]) -> Output {
    let mut git = built.judging("git");
    git.env("GIT_NO_REPLACE_OBJECTS", "1");
    git.args(["-c", "core.hooksPath=/dev/null"]);
    git.args(["-c", "commit.gpgSign=false"]);
    common::run(git.args(arguments))
}

/// The paths that differ between HEAD and this commit; all paths if there is no commit.
fn differs(built: &Built, parent: Option<&str>) -> BTreeSet<String> {
    let mut arguments = vec!["diff-tree", "-r", "-z", "--no-renames", "--name-only"];
    match parent {
        Some(parent) => arguments.extend([parent, "HEAD"]),
        None => arguments.extend(["--root", "--no-commit-id", "HEAD"]),
    }
    let listing = git(built, &arguments).exits(0).stdout;
    let paths = listing.split_terminator('\0').map(str::to_owned);
    paths.collect()
}

fn is_same(built: &Built, tree: &str, path: &str) -> bool {
    let entry =
        |tree: &str| git(built, &["--literal-pathspecs", "ls-tree", tree, "--", path]).stdout;
    entry(tree) == entry("HEAD")
}
