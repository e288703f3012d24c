//! `portable-name`: names that collide, or cannot be checked out, on another system.

use std::collections::BTreeMap;

use bstr::{BStr, BString, ByteSlice};

use super::unsafe_path::rejected;
use super::{Case, ChangeRule, Sink};
use crate::change::Kind;
use crate::finding::{Finding, Rule};
use crate::path::{check_entry, escaped, fold, portable_name};

pub(super) const RULE: ChangeRule = ChangeRule { check, reads: None };

fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    let added = case.changes.iter();
    let added = added.filter(|changed| changed.change.old.is_none());
    let added: Vec<&BStr> = added.map(|changed| changed.path()).collect();
    for path in &added {
        // A path that is refused everywhere needs no warning about one system.
        if check_entry(path, Kind::File, case.platform).is_ok()
            && let Some(rejection) = portable_name(path)
        {
            sink.push(rejected(Rule::PortableName, path, &rejection));
        }
    }
    for (path, other) in clashes(case, &added) {
        let message = format!(
            "{} and {} collide on case-insensitive file systems",
            escaped(&path),
            escaped(&other)
        );
        sink.push(
            Finding::new(Rule::PortableName, path, message)
                .help("rename one of them")
                .detail("reason", "case-collision"),
        );
    }
}

/// Added paths, or directories above them, that another path of the result spells with different case, each with that
/// spelling (the smallest of several).
fn clashes(case: &Case<'_>, added: &[&BStr]) -> BTreeMap<BString, BString> {
    // Folded spelling -> spellings in the added paths, each with its whole path.
    let mut spellings: BTreeMap<BString, BTreeMap<&BStr, &BStr>> = BTreeMap::new();
    for &path in added {
        for end in ends(path) {
            let part = path[..end].as_bstr();
            let same = spellings.entry(fold(part)).or_default();
            same.entry(part).or_insert(path);
        }
    }
    let mut found: BTreeMap<BString, BString> = BTreeMap::new();
    if spellings.is_empty() {
        return found;
    }
    case.result.for_each(&mut |path, kind| {
        for end in ends(path) {
            // A directory comes after those above it.
            if kind == Kind::DIRECTORY && end < path.len() {
                continue;
            }
            let part = path[..end].as_bstr();
            let same = spellings.get(&fold(part)).into_iter().flatten();
            for (_, whole) in same.filter(|(spelling, _)| **spelling != part) {
                let other = found.entry((*whole).into()).or_insert_with(|| part.into());
                if part < other.as_bstr() {
                    *other = part.into();
                }
            }
        }
    });
    found
}

/// The end of each parent directory and of the path itself.
fn ends(path: &BStr) -> impl Iterator<Item = usize> {
    path.find_iter("/").chain([path.len()])
}
