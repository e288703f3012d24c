//! `portable-name`: names that collide, or cannot be checked out, on another system.

use std::collections::{BTreeMap, HashSet};

use gix::bstr::{BStr, BString, ByteSlice};

use super::{Case, Sink};
use crate::change::Kind;
use crate::finding::{Finding, Rule};
use crate::path::{check_entry, escaped, fold, portable_name};

pub(super) fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    let added = || {
        case.changes
            .iter()
            .filter(|changed| changed.change.old.is_none())
            .map(|changed| changed.path())
    };
    for path in added() {
        // A path that is refused everywhere needs no warning about one system.
        if check_entry(path, Kind::File, case.platform).is_err() {
            continue;
        }
        if let Some(rejection) = portable_name(path) {
            sink.push(
                Finding::new(Rule::PortableName, path, rejection.message)
                    .help(rejection.reason.advice())
                    .detail("reason", rejection.reason.detail()),
            );
        }
    }
    for (path, other) in clashes(case, added()) {
        sink.push(
            Finding::new(
                Rule::PortableName,
                path.clone(),
                format!(
                    "{} and {} collide on case-insensitive file systems",
                    escaped(&path),
                    escaped(&other)
                ),
            )
            .help("rename one of them")
            .detail("reason", "case-collision"),
        );
    }
}

/// Added paths, or directories above them, that another path of the result spells with different case, each with that
/// spelling (the smallest of several).
fn clashes<'a>(
    case: &Case<'_>,
    added: impl Iterator<Item = &'a BStr>,
) -> BTreeMap<BString, BString> {
    // Folded spelling -> spellings in the added paths, each with its whole path.
    let mut spellings: BTreeMap<BString, BTreeMap<BString, BString>> = BTreeMap::new();
    let mut lengths = HashSet::new();
    for path in added {
        for end in ends(path) {
            let part = path[..end].as_bstr();
            let folded = fold(part);
            lengths.insert(folded.len());
            spellings
                .entry(folded)
                .or_default()
                .entry(part.to_owned())
                .or_insert_with(|| path.to_owned());
        }
    }
    let mut found: BTreeMap<BString, BString> = BTreeMap::new();
    if spellings.is_empty() {
        return found;
    }
    case.result.for_each(&mut |path, kind| {
        // A directory comes after those above it.
        let first = if kind == Kind::DIRECTORY {
            path.len()
        } else {
            0
        };
        for end in ends(path).filter(|end| *end >= first) {
            // Folding keeps the length of ASCII; other text is folded to be sure.
            if path.is_ascii() && !lengths.contains(&end) {
                continue;
            }
            let part = path[..end].as_bstr();
            let Some(same) = spellings.get(&fold(part)) else {
                continue;
            };
            for (spelling, whole) in same {
                if spelling != part {
                    let other = found
                        .entry(whole.clone())
                        .or_insert_with(|| part.to_owned());
                    if part < other.as_bstr() {
                        *other = part.to_owned();
                    }
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
