//! What is replaced and what is deleted, hunk by hunk.

use gix::bstr::BString;

use super::markup::{PagePart, code, folded, grouped, line, name, part};
use super::overview::Home;
use crate::finding::refused_paths;
use crate::report::texts::plural;
use crate::verdict::{JudgedChange, Verdict};

const LIMIT: usize = 300_000;
/// So many files are open from the start.
const OPEN: usize = 3;
/// So many files have a line of their own.
const UNFOLDED: usize = 40;

/// Files that lose most of their content, change its kind, or are gone, but for those that are refused.
pub(super) fn section_of(verdict: &Verdict, home: &Home) -> Option<PagePart> {
    let (away, refused) = (verdict.renamed_away(), refused_paths(&verdict.findings));
    // guard previews exactly the changes that destroy content.
    let is_shown = |change: &&JudgedChange| match change.class {
        _ if refused.contains(&change.path) => false,
        "REPLACE" => true,
        "DELETE" => !away.contains(&change.path),
        _ => change.preview.is_some(),
    };
    let mut changes = verdict.ordered_changes();
    changes.retain(is_shown);
    let items = changes.iter().enumerate().map(|(at, change)| {
        let shown = (&change.path, Some(*change));
        file(verdict, home, shown, ("", ""), at < OPEN)
    });
    let lead = "These files lose most of their lines, become another kind of content, or are gone.";
    let list = folded("files", ("", ""), (UNFOLDED, LIMIT), items);
    let id = (
        "hunks",
        "Replaced and deleted",
        "Other replaced and deleted files",
    );
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
        Some(change) => (facts(change), hunks(verdict, change)),
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
        "<details class=\"file\"{open}><summary><h3>{}</h3>{tags}{facts}</summary>{why}{link}{hunks}</details>",
        code(path)
    )
}

/// The hunks, without the names of the versions.
fn hunks(verdict: &Verdict, change: &JudgedChange) -> String {
    let review = verdict.review.as_ref();
    let of_page = review.and_then(|review| review.hunks.get(&change.path));
    let Some(preview) = of_page.or(change.preview.as_ref()) else {
        return "<p class=\"cut\">No lines are shown of what is not text, or too large.</p>"
            .to_owned();
    };
    if preview.is_empty() {
        return String::new();
    }
    let mut out = String::from("<pre class=\"diff\" tabindex=\"0\">");
    for shown in preview.lines().skip(2) {
        let class = match shown.as_bytes() {
            [b'-', ..] => "o",
            [b'+', ..] => "n",
            _ => "q",
        };
        out += &format!("<span class=\"{class}\">{}\n</span>", line(shown));
    }
    out + "</pre>"
}

/// What happened to the file in figures.
fn facts(change: &JudgedChange) -> String {
    let lines = match change.lines() {
        None => "not text".to_owned(),
        Some(lines) if lines.kept + lines.lost == 0 => {
            format!("{} added", plural(lines.added, "line"))
        }
        Some(lines) => format!(
            "{} of {} lost{}, {} added",
            grouped(lines.lost),
            plural(lines.kept + lines.lost, "line"),
            lines.lost_percent(),
            grouped(lines.added)
        ),
    };
    format!(
        "{} <span class=\"q\">{lines}</span>",
        tags(change, false, false)
    )
}

/// What became of the file, in a word each, and where its lines came from and went.
pub(super) fn tags(change: &JudgedChange, is_refused: bool, is_away: bool) -> String {
    let (class, word) = match change.class {
        _ if is_away => ("", "renamed"),
        "MODIFY" => ("", ""),
        "REPLACE" => ("warn", "replaced"),
        "DELETE" => ("warn", "deleted"),
        "NEW" => ("", "new"),
        other => ("", other),
    };
    let mut out = String::new();
    for (is_so, class, word) in [
        (is_refused, "refused", "✕ refused"),
        (change.approved, "good", "approved"),
        (!word.is_empty(), class, word),
        (change.reformatted, "", "reformatted"),
    ] {
        if is_so {
            out += &format!(" <span class=\"tag {class}\">{word}</span>");
        }
    }
    if let Some(from) = &change.from {
        out += &format!(" <span class=\"q\">from {}</span>", name(from));
    }
    for moved in change.moved_to.iter().take(3) {
        let (lines, to) = (moved.lines, name(&moved.path));
        out += &format!(" <span class=\"q\">{lines} lines moved to {to}</span>");
    }
    out
}
