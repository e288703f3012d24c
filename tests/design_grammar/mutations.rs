//! An unknown word before a path takes its grant away and never adds one, in every plan.

use std::collections::BTreeSet;

use write_guard::scope::Grant;

use super::{actions, corpus, design, none_deviates};

/// A grant as line, path and actions.
type Found = (usize, String, String);

fn found(grant: &Grant) -> Found {
    (grant.anchor.line, grant.path.to_string(), actions(grant))
}

#[test]
fn an_unknown_word_before_a_path_removes_its_grant() {
    let mut all = Vec::new();
    for (at, text) in corpus() {
        let grants = design(&at, &text).grants;
        let before: BTreeSet<Found> = grants.iter().map(found).collect();
        for grant in &grants {
            let start = grant.anchor.span.start;
            let line = &text[text[..start].rfind('\n').map_or(0, |end| end + 1)..];
            if line.trim_start().starts_with('|') {
                continue;
            }
            let mut changed = text.clone();
            changed.insert_str(start, "xyzzy ");
            let after: BTreeSet<Found> = design(&at, &changed).grants.iter().map(found).collect();
            let is_kept = after.contains(&found(grant));
            let added: Vec<_> = after.difference(&before).collect();
            let wrong = match is_kept || !added.is_empty() {
                true => format!("    added {added:?}, kept: {is_kept}\n"),
                false => String::new(),
            };
            all.push((format!("{at}: {}", line.lines().next().unwrap()), wrong));
        }
    }
    assert!(all.len() >= 150, "only {} changes", all.len());
    none_deviates(all);
}
