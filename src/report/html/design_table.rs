//! The tables of the designs, each row with what became of it.

use std::collections::HashSet;

use gix::bstr::BString;

use super::markup::{PagePart, code, folded, html, part, prose, tag};
use crate::finding::Anchor;
use crate::report::texts;
use crate::report::texts::{place, plural};
use crate::scope::GrantKind;
use crate::verdict::{Review, ReviewRow, Verdict};

const LIMIT: usize = 450_000;
/// So many rows of a design that are not touched are shown at once.
const UNFOLDED: usize = 20;
/// The place of touched rows in the order: after refused ones and those that nothing touched.
const TOUCHED: usize = 2;

/// The rows of the tables by design and line, to link to.
#[derive(Default)]
pub(super) struct RowIds<'a>(HashSet<(&'a BString, usize)>);

impl<'a> RowIds<'a> {
    pub(super) fn of(verdict: &'a Verdict) -> RowIds<'a> {
        let rows = verdict.review.iter().flat_map(|review| &review.rows);
        RowIds(
            rows.map(|row| (&row.grant.anchor.path, row.grant.anchor.line))
                .collect(),
        )
    }

    /// A line of a design, as a link if it is a row: a finding may point to another line.
    pub(super) fn place(&self, anchor: &Anchor) -> String {
        let shown = html(&texts::clip(&place(anchor), 300));
        match self.0.contains(&(&anchor.path, anchor.line)) {
            true => format!("<a href=\"#{}\"><bdi>{shown}</bdi></a>", row_id(anchor)),
            false => format!("<bdi>{shown}</bdi>"),
        }
    }
}

/// The id of the row in the table: the path has characters that an id must not have.
fn row_id(anchor: &Anchor) -> String {
    let hash = anchor.path.iter().fold(5381_u32, |hash, &byte| {
        hash.wrapping_mul(33) ^ u32::from(byte)
    });
    format!("r{hash:x}-{}", anchor.line)
}

/// What a line of a design says of a path.
struct NamedPath<'a> {
    anchor: &'a Anchor,
    path: &'a BString,
    /// The change type of the row.
    kind: String,
    /// `None` if it grants nothing.
    granted: Option<&'a ReviewRow>,
}

const HEAD: &str = "<table class=\"design\"><thead><tr><th scope=\"col\">Status</th><th scope=\"col\">Path</th><th scope=\"col\">Change</th><th scope=\"col\">Description</th><th scope=\"col\" class=\"num\">Files</th><th scope=\"col\" class=\"num\">Line</th></tr></thead><tbody>";

/// Refused rows first, then untouched ones; touched ones are folded into one line.
pub(super) fn section_of(verdict: &Verdict) -> Option<PagePart> {
    let review = verdict.review.as_ref()?;
    let named = named(review);
    let designs = named.chunk_by(|a, b| a.anchor.path == b.anchor.path);
    let tags = (HEAD, "</tbody></table>");
    let limit = LIMIT / designs.clone().count().max(1) / 2;
    let mut content = String::new();
    for design in designs {
        let lines = design.chunk_by(|a, b| a.anchor.line == b.anchor.line);
        let mut rows: Vec<_> = lines.map(row).collect();
        rows.sort_by_key(|(status, ..)| *status);
        let at = rows.partition_point(|(status, ..)| *status < TOUCHED);
        let touched = rows.split_off(at);
        content += &format!("<h3 class=\"name\">{}</h3>", code(&design[0].anchor.path));
        let table = |rows: Vec<(_, _, _)>, most| {
            let items = rows.into_iter().map(|(_, name, row)| (name, row));
            folded("rows", tags, (most, limit), items)
        };
        if !rows.is_empty() {
            content += &table(rows, UNFOLDED);
        }
        if !touched.is_empty() {
            content += &format!(
                "<details class=\"more\"><summary>{} touched</summary>{}</details>",
                plural(touched.len(), "row"),
                table(touched, usize::MAX)
            );
        }
    }
    let touched = review.rows.iter().filter(|row| row.touched > 0).count();
    let refused = review.rows.iter().filter(|row| row.refused > 0).count();
    let lead = format!(
        "{} touched, {} untouched, {refused} with a refused change.",
        plural(touched, "row"),
        review.rows.len() - touched
    );
    part("design", review.rows.len(), &lead, content)
}

/// All rows and mentions, by design and line.
fn named(review: &Review) -> Vec<NamedPath<'_>> {
    let granted = review.rows.iter().map(|row| NamedPath {
        anchor: &row.grant.anchor,
        path: &row.grant.path,
        kind: match row.grant.change_type.as_str() {
            "" => row.grant.actions.names().collect::<Vec<_>>().join(", "),
            kind => kind.to_owned(),
        },
        granted: Some(row),
    });
    let mentioned = review.mentions.iter().map(|mention| NamedPath {
        anchor: &mention.anchor,
        path: &mention.path,
        kind: mention.change_type.clone(),
        granted: None,
    });
    let mut all: Vec<_> = granted.chain(mentioned).collect();
    all.sort_by_key(|one| (&one.anchor.path, one.anchor.line));
    all
}

/// The place of a line in the order, its name, and its row.
fn row<'a>(line: &[NamedPath<'a>]) -> (usize, &'a [u8], String) {
    let rows = || line.iter().filter_map(|one| one.granted);
    let touched: usize = rows().map(|row| row.touched).sum();
    let refused: usize = rows().map(|row| row.refused).sum();
    let first = &line[0];
    let (order, class, sign, word) = match first.granted {
        _ if refused > 0 => (0, "refused", "✕", "refused"),
        _ if touched > 0 => (TOUCHED, "touched", "●", "touched"),
        None => (1, "mention", "–", "mentioned"),
        Some(row) if !row.in_force => (1, "mention", "–", "not in force"),
        Some(_) => (1, "untouched", "○", "untouched"),
    };
    let mut paths: Vec<String> = line.iter().map(NamedPath::shown).collect();
    paths.dedup();
    let files = match touched {
        0 => "–".to_owned(),
        touched => touched.to_string(),
    };
    let description = first.granted.map(|row| row.grant.description.as_str());
    let row = format!(
        "<tr id=\"{}\" class=\"{class}\"><td class=\"st\">{}</td><td class=\"pa\">{}</td><td>{}</td><td class=\"de\">{}</td><td class=\"num\" data-l=\"Files\">{files}</td><td class=\"num\" data-l=\"Line\">{}</td></tr>",
        row_id(first.anchor),
        tag(class, sign, word),
        paths.join(", "),
        prose(&first.kind),
        prose(description.unwrap_or_default()),
        first.anchor.line,
    );
    (order, first.path.as_slice(), row)
}

impl NamedPath<'_> {
    fn shown(&self) -> String {
        let is_directory = |row: &ReviewRow| row.grant.kind == GrantKind::Directory;
        match self.granted.is_some_and(is_directory) {
            true => code(&[self.path.as_slice(), b"/"].concat()),
            false => code(self.path),
        }
    }
}
