//! The tables of the designs, each row with what became of it.

use std::collections::BTreeMap;

use gix::bstr::{BStr, BString};

use super::markup::{LimitedPart, code, left_out, prose, push, section};
use super::row_ids::{RowIds, row_id};
use crate::finding::Anchor;
use crate::report::human::plural;
use crate::verdict::{Review, ReviewRow, Verdict};

const LIMIT: usize = 450_000;
const NAMES: usize = 40_000;
const END: &str = "</tbody></table>";

/// The grants and mentions of one line.
#[derive(Default)]
struct TableLine<'a> {
    rows: Vec<&'a ReviewRow>,
    mentioned: Vec<(&'a BStr, &'a str)>,
    anchor: Option<&'a Anchor>,
}

/// The section, and the ids of the rows in it.
pub(super) fn section_of(verdict: &Verdict) -> (String, RowIds) {
    let mut ids = RowIds::default();
    let section = with_ids(verdict, &mut ids);
    (section, ids)
}

fn with_ids(verdict: &Verdict, ids: &mut RowIds) -> String {
    let Some(review) = &verdict.review else {
        let why = "<p class=\"none\">The designs were not collected for this page.</p>";
        return section("design", "The design", "", why);
    };
    let lines = lines(review);
    if lines.is_empty() {
        let none = match verdict.designs.is_empty() {
            true => "No design was needed.",
            false => "The designs have no rows.",
        };
        return section(
            "design",
            "The design",
            "",
            &format!("<p class=\"none\">{none}</p>"),
        );
    }
    let mut content = LimitedPart::new(LIMIT);
    let mut left: Vec<&[u8]> = Vec::new();
    let (mut of, mut is_open) = (None, false);
    for ((order, _), line) in &lines {
        let Some(anchor) = line.anchor else { continue };
        if of != Some(*order) {
            if is_open {
                content.close(END);
            }
            of = Some(*order);
            is_open = content.open(&head(anchor.path.as_ref()), END);
        }
        if is_open && left.is_empty() && content.push(&row(line, anchor)) {
            ids.add(anchor);
        } else {
            left.extend(line.rows.iter().map(|row| row.grant.path.as_slice()));
        }
    }
    if is_open {
        content.close(END);
    }
    let mut content = content.finish();
    content.push_str(&left_out("rows", left.into_iter(), NAMES));
    let untouched = review.rows.iter().filter(|row| row.touched == 0).count();
    let refused = review.rows.iter().filter(|row| row.refused > 0).count();
    let touched = review.rows.len() - untouched;
    let lead = format!(
        "{} touched, {untouched} untouched, {refused} with a refused change.",
        plural(touched, "row")
    );
    section("design", "The design", &lead, &content)
}

/// The lines of the designs in the order of the document, by position of the design and line.
fn lines(review: &Review) -> BTreeMap<(usize, usize), TableLine<'_>> {
    let mut designs: Vec<&BString> = Vec::new();
    let mut order = |path| match designs.iter().position(|known| *known == path) {
        Some(at) => at,
        None => {
            designs.push(path);
            designs.len() - 1
        }
    };
    let mut lines: BTreeMap<_, TableLine<'_>> = BTreeMap::new();
    for row in &review.rows {
        let anchor = &row.grant.anchor;
        let line = lines.entry((order(&anchor.path), anchor.line)).or_default();
        line.anchor.get_or_insert(anchor);
        line.rows.push(row);
    }
    for mention in &review.mentions {
        let anchor = &mention.anchor;
        let line = lines.entry((order(&anchor.path), anchor.line)).or_default();
        line.anchor.get_or_insert(anchor);
        line.mentioned
            .push((mention.path.as_ref(), &mention.change_type));
    }
    lines
}

fn head(design: &BStr) -> String {
    format!(
        "<table class=\"design\"><caption>{}</caption><thead><tr><th scope=\"col\">Status</th><th scope=\"col\">Path</th><th scope=\"col\">Change</th><th scope=\"col\">Description</th><th scope=\"col\" class=\"num\">Files</th><th scope=\"col\" class=\"num\">Line</th></tr></thead><tbody>",
        code(design)
    )
}

fn row(line: &TableLine<'_>, anchor: &Anchor) -> String {
    let touched: usize = line.rows.iter().map(|row| row.touched).sum();
    let refused: usize = line.rows.iter().map(|row| row.refused).sum();
    let (class, mark, word) = match line.rows.first() {
        _ if refused > 0 => ("refused", "✕", "refused"),
        _ if touched > 0 => ("touched", "●", "touched"),
        None => ("mention", "–", "mentioned"),
        Some(first) if !first.in_force => ("mention", "–", "not in force"),
        Some(_) => ("untouched", "○", "untouched"),
    };
    let mut paths = String::new();
    for (at, row) in line.rows.iter().enumerate() {
        let (path, slash) = (
            &row.grant.path,
            if row.grant.kind == crate::policy::GrantKind::Directory {
                "/"
            } else {
                ""
            },
        );
        let comma = if at == 0 { "" } else { ", " };
        let shown = [path.as_slice(), slash.as_bytes()].concat();
        push(&mut paths, format_args!("{comma}{}", code(&shown)));
    }
    for (at, (path, _)) in line.mentioned.iter().enumerate() {
        let comma = if at == 0 && line.rows.is_empty() {
            ""
        } else {
            ", "
        };
        push(&mut paths, format_args!("{comma}{}", code(path)));
    }
    let first = line.rows.first();
    let kind = match (first, line.mentioned.first()) {
        (Some(row), _) if !row.grant.change_type.is_empty() => row.grant.change_type.clone(),
        (Some(row), _) => row.grant.actions.names().collect::<Vec<_>>().join(", "),
        (None, Some((_, kind))) => (*kind).to_owned(),
        (None, None) => String::new(),
    };
    let description = first.map_or("", |row| row.grant.description.as_str());
    let files = match touched {
        0 => "–".to_owned(),
        touched => touched.to_string(),
    };
    format!(
        "<tr id=\"{}\" class=\"{class}\"><td class=\"st\"><span class=\"tag {class}\"><span aria-hidden=\"true\">{mark}</span> {word}</span></td><td class=\"pa\">{paths}</td><td>{}</td><td class=\"de\">{}</td><td class=\"num\" data-l=\"Files\">{files}</td><td class=\"num\" data-l=\"Line\">{}</td></tr>",
        row_id(anchor),
        prose(&kind),
        prose(description),
        anchor.line
    )
}
