//! The tables of the designs, each row with what became of it.

use super::markup::{LIMIT, PagePart, code, folded, part, prose, tag};
use crate::report::texts::{place, plural};
use write_guard_policy::scope::GrantKind;
use write_guard_policy::verdict::{ReviewRow, Verdict};

/// So many rows of a design that are not touched are shown at once.
const UNFOLDED: usize = 20;
/// The place of touched rows in the order: after refused ones and those that nothing touched.
const TOUCHED: usize = 2;

const HEAD: &str = "<table class=\"design\"><thead><tr>\
                    <th scope=\"col\">Status</th>\
                    <th scope=\"col\">Path</th>\
                    <th scope=\"col\">Change</th>\
                    <th scope=\"col\">Description</th>\
                    <th scope=\"col\">Row</th>\
                    </tr></thead><tbody>";

/// Refused rows first, then untouched ones; touched ones are folded into one line.
pub(super) fn section_of(verdict: &Verdict) -> Option<PagePart> {
    let rows = &verdict.review.as_ref()?.rows;
    let mut sorted: Vec<&ReviewRow> = rows.iter().collect();
    sorted.sort_by_key(|row| (&row.grant.anchor.path, row.grant.anchor.line));
    let lines = sorted.chunk_by(|a, b| {
        let a = &a.grant.anchor;
        let b = &b.grant.anchor;
        (&a.path, a.line) == (&b.path, b.line)
    });
    let mut lines: Vec<_> = lines.map(line_of).collect();
    lines.sort_by_key(|(order, _)| *order);
    let folded_lines = lines.split_off(lines.partition_point(|(order, _)| *order < TOUCHED));
    let mut content = String::new();
    if !lines.is_empty() {
        content += &table(lines, UNFOLDED);
    }
    if !folded_lines.is_empty() {
        content += &format!(
            "<details class=\"more\"><summary>{} touched</summary>{}</details>",
            plural(folded_lines.len(), "row"),
            table(folded_lines, usize::MAX)
        );
    }
    part(("design", "Design"), rows.len(), "", content)
}

/// A table of these lines, of which `most` are shown at once.
fn table(lines: Vec<(usize, String)>, most: usize) -> String {
    let rows = lines.into_iter().map(|(_, line)| line);
    folded("rows", (HEAD, "</tbody></table>"), (most, LIMIT), rows)
}

/// The place in the order of a line, whose cell may name several paths, and its row.
fn line_of(line: &[&ReviewRow]) -> (usize, String) {
    let touched: usize = line.iter().map(|row| row.touched).sum();
    let refused: usize = line.iter().map(|row| row.refused).sum();
    let (order, class, word) = if refused > 0 {
        (0, "refused", "refused")
    } else if touched > 0 {
        (TOUCHED, "touched", "touched")
    } else if line[0].in_force {
        (1, "untouched", "untouched")
    } else {
        (1, "mention", "not in force")
    };
    let mut paths = Vec::new();
    for ReviewRow { grant, .. } in line {
        paths.push(match grant.kind {
            GrantKind::Directory => code(&[grant.path.as_slice(), b"/"].concat()),
            _ => code(&grant.path),
        });
    }
    paths.dedup();
    let grant = &line[0].grant;
    let kind = match grant.change_type.as_str() {
        "" => grant.actions.names().collect::<Vec<_>>().join(", "),
        kind => kind.to_owned(),
    };
    let row = format!(
        "<tr class=\"{class}\"><td class=\"st\">{}</td><td class=\"pa\">{}</td><td>{}</td>\
         <td class=\"de\">{}</td><td data-l=\"Row\">{}</td></tr>",
        tag(class, word),
        paths.join(", "),
        prose(&kind),
        prose(&grant.description),
        prose(&place(&grant.anchor)),
    );
    (order, row)
}
