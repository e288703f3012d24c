//! An unknown word or symbol before a path takes its grant away and never adds one, in every document.

use std::collections::BTreeSet;

use write_guard::scope::Grant;

use super::{actions, design, none_deviates};
use crate::common::documents::corpus;

/// A grant as line, path and actions.
type Found = (usize, String, String);

fn found(grant: &Grant) -> Found {
    (grant.anchor.line, grant.path.to_string(), actions(grant))
}

#[test]
fn an_unknown_word_or_symbol_before_a_path_removes_its_grant() {
    let mut all = Vec::new();
    for (at, text) in corpus() {
        let grants = design(&at, &text).grants;
        let before: BTreeSet<Found> = grants.iter().map(found).collect();
        for grant in &grants {
            for foreign in ["xyzzy ", "нет ", "✗ "] {
                let start = grant.anchor.span.start;
                let line = &text[text[..start].rfind('\n').map_or(0, |end| end + 1)..];
                let mut changed = text.clone();
                changed.insert_str(start, foreign);
                let after = design(&at, &changed).grants;
                let after: BTreeSet<Found> = after.iter().map(found).collect();
                let is_kept = after.contains(&found(grant));
                let added: Vec<_> = after.difference(&before).collect();
                let wrong = if is_kept || !added.is_empty() {
                    format!("    {foreign}: added {added:?}, kept: {is_kept}\n")
                } else {
                    String::new()
                };
                all.push((format!("{at}: {}", line.lines().next().unwrap()), wrong));
            }
        }
    }
    assert!(all.len() >= 1_000, "only {} changes", all.len());
    none_deviates(all);
}
