//! The tables of the designs, each row with what became of it.

use std::collections::{BTreeMap, HashSet};

use gix::bstr::BString;

use super::markup::{PagePart, code, folded, html, part, prose, tag};
use crate::design::Mention;
use crate::finding::Anchor;
use crate::report::escape;
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
        let shown = html(&escape::clip(&place(anchor), 300));
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

/// The grants and mentions of one line; there is at least one.
#[derive(Default)]
struct TableLine<'a> {
    rows: Vec<&'a ReviewRow>,
    mentions: Vec<&'a Mention>,
}

const HEAD: &str = "<table class=\"design\"><thead><tr><th scope=\"col\">Status</th><th scope=\"col\">Path</th><th scope=\"col\">Change</th><th scope=\"col\">Description</th><th scope=\"col\" class=\"num\">Files</th><th scope=\"col\" class=\"num\">Line</th></tr></thead><tbody>";

/// Refused rows first, then untouched ones; touched ones are folded into one line.
pub(super) fn section_of(verdict: &Verdict) -> Option<PagePart> {
    let review = verdict.review.as_ref()?;
    let designs = lines(review);
    let tags = (HEAD, "</tbody></table>");
    let limits = (UNFOLDED, LIMIT / designs.len().max(1) / 2);
    let mut content = String::new();
    for (design, lines) in &designs {
        let mut rows: Vec<_> = lines
            .iter()
            .map(|(number, line)| row(line, *number))
            .collect();
        rows.sort_by_key(|(status, ..)| *status);
        let at = rows.partition_point(|(status, ..)| *status < TOUCHED);
        let touched = rows.split_off(at);
        content += &format!("<h3 class=\"name\">{}</h3>", code(design));
        let item = |(_, name, row)| (name, row);
        if !rows.is_empty() {
            content += &folded("rows", tags, limits, rows.into_iter().map(item));
        }
        if !touched.is_empty() {
            let count = plural(touched.len(), "row");
            let table = folded(
                "rows",
                tags,
                (usize::MAX, limits.1),
                touched.into_iter().map(item),
            );
            content += &format!(
                "<details class=\"more\"><summary>{count} touched</summary>{table}</details>"
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

/// The lines of each design.
fn lines(review: &Review) -> BTreeMap<&BString, BTreeMap<usize, TableLine<'_>>> {
    let mut designs: BTreeMap<_, BTreeMap<_, TableLine<'_>>> = BTreeMap::new();
    for row in &review.rows {
        let at = &row.grant.anchor;
        let line = designs.entry(&at.path).or_default().entry(at.line);
        line.or_default().rows.push(row);
    }
    for mention in &review.mentions {
        let at = &mention.anchor;
        let line = designs.entry(&at.path).or_default().entry(at.line);
        line.or_default().mentions.push(mention);
    }
    designs
}

/// The place of a line in the order, its name, and its row.
fn row<'a>(line: &TableLine<'a>, number: usize) -> (usize, &'a [u8], String) {
    let touched: usize = line.rows.iter().map(|row| row.touched).sum();
    let refused: usize = line.rows.iter().map(|row| row.refused).sum();
    let first = line.rows.first().map(|row| &row.grant);
    let mention = line.mentions.first();
    let (class, sign, word) = match line.rows.first() {
        _ if refused > 0 => ("refused", "✕", "refused"),
        _ if touched > 0 => ("touched", "●", "touched"),
        None => ("mention", "–", "mentioned"),
        Some(first) if !first.in_force => ("mention", "–", "not in force"),
        Some(_) => ("untouched", "○", "untouched"),
    };
    let granted = line.rows.iter().map(|row| {
        let slash: &[u8] = match row.grant.kind {
            GrantKind::Directory => b"/",
            _ => b"",
        };
        code(&[row.grant.path.as_slice(), slash].concat())
    });
    let mentioned = line.mentions.iter().map(|mention| code(&mention.path));
    let mut paths: Vec<String> = granted.chain(mentioned).collect();
    paths.dedup();
    let kind = match (first, mention) {
        (Some(grant), _) if grant.change_type.is_empty() => {
            grant.actions.names().collect::<Vec<_>>().join(", ")
        }
        (Some(grant), _) => grant.change_type.clone(),
        (None, mention) => mention.map_or_else(String::new, |one| one.change_type.clone()),
    };
    let id = first
        .map(|grant| &grant.anchor)
        .or(mention.map(|mention| &mention.anchor))
        .map_or_else(String::new, row_id);
    let files = match touched {
        0 => "–".to_owned(),
        touched => touched.to_string(),
    };
    let order = match class {
        "refused" => 0,
        "touched" => TOUCHED,
        _ => 1,
    };
    let path = first
        .map(|grant| &grant.path)
        .or(mention.map(|mention| &mention.path));
    let row = format!(
        "<tr id=\"{id}\" class=\"{class}\"><td class=\"st\">{}</td><td class=\"pa\">{}</td><td>{}</td><td class=\"de\">{}</td><td class=\"num\" data-l=\"Files\">{files}</td><td class=\"num\" data-l=\"Line\">{number}</td></tr>",
        tag(class, sign, word),
        paths.join(", "),
        prose(&kind),
        prose(first.map_or("", |grant| grant.description.as_str())),
    );
    (order, path.map_or(&b""[..], |path| path.as_slice()), row)
}
