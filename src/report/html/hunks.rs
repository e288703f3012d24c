//! What is replaced and what is deleted, hunk by hunk.

use super::lines::{ChangedLines, grouped, renamed_away};
use super::markup::{code, limited, line, nothing, section};
use crate::report::human::plural;
use crate::report::preview::marked;
use crate::verdict::{JudgedChange, Verdict};

const LIMIT: usize = 900_000;
/// So many files are open from the start.
const OPEN: usize = 3;

/// Files that lose most of their content, change its kind, or are gone.
pub(super) fn section_of(verdict: &Verdict) -> String {
    let heading = "Replaced and deleted files";
    let away = renamed_away(verdict);
    // guard previews exactly the changes that destroy content.
    let is_shown = |change: &&JudgedChange| match change.class {
        "REPLACE" => true,
        "DELETE" => !away.contains(&change.path),
        _ => change.preview.is_some(),
    };
    let changes = verdict.ordered_changes();
    let changes: Vec<_> = changes.into_iter().filter(is_shown).collect();
    if changes.is_empty() {
        return nothing("hunks", heading, "No file is replaced or deleted.");
    }
    let items = changes.iter().enumerate().map(|(at, change)| {
        let open = if at < OPEN { " open" } else { "" };
        let item = format!(
            "<details class=\"file\"{open}><summary><h3>{}</h3>{}</summary>{}</details>",
            code(&change.path),
            facts(change),
            hunks(verdict, change)
        );
        (change.path.as_slice(), item)
    });
    let (files, more) = limited("files", LIMIT, items);
    let lead = "These files lose most of their lines, become another kind of content, or are gone.";
    section("hunks", heading, lead, &(files + &more))
}

/// The hunks with the words that differ, without the names of the versions.
fn hunks(verdict: &Verdict, change: &JudgedChange) -> String {
    let review = verdict.review.as_ref();
    let of_page = review.and_then(|review| review.hunks.get(&change.path));
    let Some(preview) = of_page.or(change.preview.as_ref()) else {
        return "<p class=\"cut\">Not shown for size.</p>".to_owned();
    };
    let mut out = String::from("<pre class=\"diff\">");
    for shown in marked(preview).iter().skip(2) {
        let (class, mark) = match shown.sign {
            "-" => ("o", "del"),
            "+" => ("n", "ins"),
            _ => ("q", "b"),
        };
        out += &format!("<span class=\"{class}\">{}", shown.sign);
        for (differs, text) in &shown.parts {
            out += &match differs {
                true => format!("<{mark}>{}</{mark}>", line(text)),
                false => line(text),
            };
        }
        out += "\n</span>";
    }
    out + "</pre>"
}

/// What happened to the file in figures.
fn facts(change: &JudgedChange) -> String {
    let mut out = match change.class {
        "DELETE" => "deleted; ".to_owned(),
        _ => String::new(),
    };
    if let Some(from) = &change.from {
        out += &format!("from {}; ", code(from));
    }
    out += &match ChangedLines::of(change) {
        None => "not text".to_owned(),
        Some(lines) => format!(
            "{} of {} lost{}, {} added",
            grouped(lines.lost),
            plural(lines.kept + lines.lost, "line"),
            lines.lost_percent(),
            grouped(lines.added)
        ),
    };
    let approved = match change.approved {
        true => " <span class=\"tag good\">approved</span>",
        false => "",
    };
    format!("<span class=\"q\">{out}</span>{approved}")
}
