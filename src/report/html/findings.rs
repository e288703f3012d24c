//! The findings, except those that another section shows in its own way.

use super::markup::{LimitedPart, code, html, left_out, prose, push, section};
use crate::finding::{Anchor, Finding, Level, Rule};
use crate::report::escape;
use crate::report::human::plural;
use crate::report::order::ordered;
use crate::verdict::Verdict;

const LIMIT: usize = 500_000;
const NAMES: usize = 60_000;
/// The most lines of help per finding.
const MOST_HELP: usize = 20;

pub(super) fn section_of(verdict: &Verdict) -> String {
    let has_table = verdict.review.is_some();
    let is_elsewhere = |finding: &Finding| {
        finding.rule == Rule::OutOfScope || finding.rule == Rule::RowUntouched && has_table
    };
    let all = ordered(&verdict.findings);
    let shown: Vec<_> = all.iter().filter(|one| !is_elsewhere(one)).collect();
    let outside = all
        .iter()
        .filter(|one| one.rule == Rule::OutOfScope)
        .count();
    let lead = match outside {
        0 => String::new(),
        1 => "One file <a href=\"#outside\">outside the design</a> is listed below.".to_owned(),
        _ => format!(
            "{} <a href=\"#outside\">outside the design</a> are listed below.",
            plural(outside, "file")
        ),
    };
    let mut list = LimitedPart::new(LIMIT);
    let mut count = 0;
    for finding in &shown {
        if !list.push(&item(finding, has_table)) {
            break;
        }
        count += 1;
    }
    let content = match shown.is_empty() {
        true if outside == 0 => "<p class=\"none\">Nothing to report.</p>".to_owned(),
        true => "<p class=\"none\">Nothing else to report.</p>".to_owned(),
        false => format!("<ul class=\"findings\">{}</ul>", list.finish()),
    };
    let rest = shown[count..].iter();
    let rest = rest.map(|finding| match &finding.path {
        Some(path) => path.as_slice(),
        None => finding.message.as_bytes(),
    });
    let more = left_out("findings", rest, NAMES);
    section("findings", "Findings", &lead, &(content + &more))
}

fn item(finding: &Finding, has_table: bool) -> String {
    let level = finding.level.name();
    let mark = match finding.level {
        Level::Error => "✕",
        Level::Warning => "▲",
        Level::Note => "i",
    };
    let mut out = format!(
        "<li class=\"{level}\"><p class=\"what\"><span class=\"tag {level}\"><span aria-hidden=\"true\">{mark}</span> {level}</span> <b>{}</b> <span class=\"rule\">{}</span></p>",
        prose(&finding.message),
        finding.rule.id(),
    );
    if let Some(path) = &finding.path {
        push(&mut out, format_args!("<p class=\"where\">{}", code(path)));
        if let Some(anchor) = &finding.design {
            push(
                &mut out,
                format_args!(
                    " <span class=\"q\">design: {}</span>",
                    place(anchor, has_table)
                ),
            );
        }
        out.push_str("</p>");
    } else if let Some(anchor) = &finding.design {
        push(
            &mut out,
            format_args!("<p class=\"where\">{}</p>", place(anchor, has_table)),
        );
    }
    out.push_str(&help(finding));
    out.push_str("</li>");
    out
}

/// The next steps: sentences, and what to paste as it is.
pub(super) fn help(finding: &Finding) -> String {
    let mut out = String::new();
    for line in finding.help.iter().take(MOST_HELP) {
        let text = html(&escape::message(line));
        match line.is_to_paste() {
            true => push(
                &mut out,
                format_args!("<p class=\"paste\"><code>{}</code></p>", text.trim_start()),
            ),
            false => push(&mut out, format_args!("<p class=\"help\">{text}</p>")),
        }
    }
    out
}

/// A line of a design, as a link to its row in the table.
pub(super) fn place(anchor: &Anchor, has_table: bool) -> String {
    let shown = format!("{}:{}", crate::path::escaped(&anchor.path), anchor.line);
    let shown = html(&escape::clip(&shown, 300));
    match has_table {
        true => format!("<a href=\"#{}\"><bdi>{shown}</bdi></a>", row_id(anchor)),
        false => format!("<bdi>{shown}</bdi>"),
    }
}

/// The id of the row in the table: the path has characters that an id must not have.
pub(super) fn row_id(anchor: &Anchor) -> String {
    let hash = anchor.path.iter().fold(5381_u32, |hash, &byte| {
        hash.wrapping_mul(33) ^ u32::from(byte)
    });
    format!("r{hash:x}-{}", anchor.line)
}
