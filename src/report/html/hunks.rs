//! What is replaced and what is deleted, hunk by hunk.

use gix::bstr::BString;

use super::markup::{LIMIT, PagePart, code, folded, line, name, part, tag};
use super::overview::Home;
use write_guard_policy::finding::refused_paths;
use write_guard_policy::verdict::{ChangedLines, JudgedChange, Verdict};

/// So many files are open from the start.
const OPEN: usize = 3;
/// So many files have a line of their own.
const UNFOLDED: usize = 40;

/// Files that lose most of their content, change its kind, or are gone, but for those that are refused.
pub(super) fn section_of(verdict: &Verdict, home: &Home) -> Option<PagePart> {
    let away = verdict.renamed_away();
    let refused = refused_paths(&verdict.findings);
    // guard previews exactly the changes that destroy content.
    let mut changes = verdict.ordered_changes();
    changes.retain(|change| match change.class {
        _ if refused.contains(&change.path) => false,
        "REPLACE" => true,
        "DELETE" => !away.contains(&change.path),
        _ => change.preview.is_some(),
    });
    let items = changes.iter().enumerate().map(|(at, change)| {
        let shown = (&change.path, Some(*change));
        file(verdict, home, shown, ("", ""), at < OPEN)
    });
    let lead = "These files lose most of their lines, become another kind of content, or are gone.";
    let list = folded("files", ("", ""), (UNFOLDED, LIMIT), items);
    let id = ("hunks", "Replaced and deleted");
    part(id, changes.len(), lead, list)
}

/// A file to open, with `tags` beside its name, `why` it is here and its hunks.
pub(super) fn file(
    verdict: &Verdict,
    home: &Home,
    (path, change): (&BString, Option<&JudgedChange>),
    (tags, why): (&str, &str),
    is_open: bool,
) -> String {
    let open = if is_open { " open" } else { "" };
    let (facts, hunks) = match change {
        Some(change) => (facts(change), hunks(change)),
        None => Default::default(),
    };
    let source = &verdict.source;
    // What is gone is in the first commit.
    let link = change.and_then(|change| match change.class {
        "DELETE" => Some(home.file(path.as_ref(), source.base.as_ref()?)),
        _ => Some(home.file(path.as_ref(), source.head.as_ref()?)),
    });
    let link = link.unwrap_or_default();
    format!(
        "<details class=\"file\"{open}><summary><h3>{}</h3>{tags}{facts}</summary>\
         {why}{link}{hunks}</details>",
        code(path)
    )
}

/// The hunks, without the names of the versions.
fn hunks(change: &JudgedChange) -> String {
    let Some(preview) = &change.preview else {
        return "<p class=\"cut\">No lines are shown of what is not text, or too large.</p>"
            .to_owned();
    };
    if preview.is_empty() {
        return String::new();
    }
    let lines = preview.lines().skip(2).map(|text| {
        let class = match text.as_bytes().first() {
            Some(b'-') => "o",
            Some(b'+') => "n",
            _ => "q",
        };
        format!("<span class=\"{class}\">{}\n</span>", line(text))
    });
    let lines: String = lines.collect();
    format!("<pre class=\"diff\" tabindex=\"0\">{lines}</pre>")
}

/// What happened to the file in figures.
fn facts(change: &JudgedChange) -> String {
    let lines = match change.lines() {
        None => "not text".to_owned(),
        Some(lines) => counted(lines) + " lines",
    };
    let tags = tags(change, false, false);
    format!("{tags} <span class=\"q\">{lines}</span>")
}

/// The lines that are kept, lost and added.
pub(super) fn counted(lines: ChangedLines) -> String {
    let ChangedLines { kept, lost, added } = lines;
    let percent = lines.lost_percent();
    format!("{kept} kept, {lost} lost{percent}, {added} added")
}

/// What became of the file, in a word each, and where it came from.
pub(super) fn tags(change: &JudgedChange, is_refused: bool, is_away: bool) -> String {
    let (outcome_class, outcome) = match change.class {
        _ if is_away => ("", "renamed"),
        "MODIFY" => ("", ""),
        "REPLACE" => ("warn", "replaced"),
        "DELETE" => ("warn", "deleted"),
        "NEW" => ("", "new"),
        other => ("", other),
    };
    let mut out = String::new();
    for (is_so, class, word) in [
        (is_refused, "refused", "refused"),
        (change.approved, "good", "approved"),
        (!outcome.is_empty(), outcome_class, outcome),
        (change.reformatted, "", "reformatted"),
    ] {
        if is_so {
            out += &tag(class, word);
        }
    }
    if let Some(from) = &change.from {
        out += &format!(" <span class=\"q\">from {}</span>", name(from));
    }
    out
}
