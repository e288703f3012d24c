//! The report of `guard scope overlap`.

use std::io;

use gix::bstr::BString;
use serde_json::{Value, json};

use super::target::Target;
use super::texts::{plural, rfc3339};
use crate::judge::{OpenDesign, OpenDesigns};
use write_guard_policy::finding::json::path_text;
use write_guard_policy::path::escaped;
use write_guard_policy::scope::GrantKind;
use write_guard_policy::scope::overlap::{Claim, Overlap};

const DAY: i64 = 24 * 60 * 60;

/// Writes the paths that several open designs name. `now` is in seconds since 1970.
///
/// # Errors
///
/// Those of `out`.
pub(crate) fn write_overlap(open: &OpenDesigns, now: i64, to: Target<'_>) -> io::Result<()> {
    to.answer(|_| human(open, now), || document(open))
}

fn human(open: &OpenDesigns, now: i64) -> String {
    let overlaps = open.overlaps();
    let branches = match open.branches {
        1 => "1 branch".to_owned(),
        count => format!("{count} branches"),
    };
    let looked_at = format!(
        "{} in {branches}",
        plural(open.designs.len(), "open design")
    );
    if overlaps.is_empty() {
        return format!("guard: no path is named by two of {looked_at}\n");
    }
    let mut text = String::new();
    for overlap in &overlaps {
        let what = if overlap.adds_twice() {
            "warning: several designs add it"
        } else {
            "note"
        };
        text += &format!("{} ({what})\n", shown(&overlap.path, overlap.kind));
        for claim in &overlap.claims {
            text += &line(&open.designs[claim.design], claim, overlap, now);
        }
    }
    let paths = plural(overlaps.len(), "path");
    text + &format!("guard: {paths} named by more than one of {looked_at}\n")
}

fn line(design: &OpenDesign, claim: &Claim<'_>, overlap: &Overlap<'_>, now: i64) -> String {
    let grant = claim.grant;
    let place = format!("{}:{}", escaped(&grant.anchor.path), grant.anchor.line);
    let by = if grant.path == overlap.path {
        String::new()
    } else {
        format!(" by `{}`", shown(&grant.path, grant.kind))
    };
    let age = match design.committed {
        Some(committed) => age((now - committed) / DAY),
        None => "not committed".to_owned(),
    };
    let branches: Vec<String> = design
        .branches
        .iter()
        .map(|branch| escaped(branch).to_string())
        .collect();
    let branches = branches.join(", ");
    format!("  {place}  {}{by}  {branches}  {age}\n", type_of(claim))
}

fn shown(path: &BString, kind: GrantKind) -> String {
    let end = if kind == GrantKind::Directory {
        "/"
    } else {
        ""
    };
    format!("{}{end}", escaped(path))
}

/// The type as the row says it, or the actions that a row without one grants.
fn type_of(claim: &Claim<'_>) -> String {
    if claim.grant.change_type.is_empty() {
        claim.grant.actions.names().collect::<Vec<_>>().join(", ")
    } else {
        escaped(claim.grant.change_type.as_str()).to_string()
    }
}

fn age(days: i64) -> String {
    match days {
        ..=0 => "today".to_owned(),
        1 => "1 day ago".to_owned(),
        days => format!("{days} days ago"),
    }
}

fn document(open: &OpenDesigns) -> Value {
    let claim = |claim: &Claim<'_>| {
        let design = &open.designs[claim.design];
        json!({
            "design": path_text(design.path.as_ref()),
            "document": path_text(claim.grant.anchor.path.as_ref()),
            "line": claim.grant.anchor.line,
            "type": type_of(claim),
            "path": path_text(claim.grant.path.as_ref()),
            "kind": claim.grant.kind.name(),
            "branches": design.branches,
            "committed": design.committed.map(rfc3339),
        })
    };
    let overlap = |overlap: Overlap<'_>| {
        json!({
            "path": path_text(overlap.path.as_ref()),
            "kind": overlap.kind.name(),
            "level": if overlap.adds_twice() { "warning" } else { "note" },
            "claims": overlap.claims.iter().map(claim).collect::<Vec<_>>(),
        })
    };
    json!({
        "version": 1,
        "designs": open.designs.len(),
        "branches": open.branches,
        "overlaps": open.overlaps().into_iter().map(overlap).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use write_guard_policy::design::parse;
    use write_guard_policy::scope::settings::Settings;

    const NOW: i64 = 1_800_000_000;

    #[test]
    fn age_of_a_design_is_told_in_whole_days() {
        let ages = [
            (None, "not committed"),
            (Some(-DAY), "today"),
            (Some(0), "today"),
            (Some(DAY - 1), "today"),
            (Some(DAY), "1 day ago"),
            (Some(2 * DAY - 1), "1 day ago"),
            (Some(2 * DAY), "2 days ago"),
            (Some(400 * DAY), "400 days ago"),
        ];
        let text = "## Files Changed\n\n- Modify: `a.rs`\n";
        let designs = ages.iter().enumerate().map(|(number, (age, _))| {
            let path = BString::from(format!("{number}.md"));
            OpenDesign {
                grants: parse(path.as_ref(), text.as_bytes(), &Settings::default()).grants,
                branches: [format!("{number}-work")].into(),
                committed: age.map(|age| NOW - age),
                path,
            }
        });
        let open = OpenDesigns {
            designs: designs.collect(),
            branches: 1,
        };
        let text = human(&open, NOW);
        for (number, (_, age)) in ages.iter().enumerate() {
            let line = format!("  {number}.md:3  Modify  {number}-work  {age}\n");
            assert!(text.contains(&line), "{line} in {text}");
        }
        assert!(text.ends_with("of 8 open designs in 1 branch\n"), "{text}");
    }
}
