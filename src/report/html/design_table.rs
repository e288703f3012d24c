//! The tables of the designs, each row with what became of it.

use super::markup::{PagePart, code, folded, part, prose, tag};
use crate::report::texts::plural;
use crate::scope::GrantKind;
use crate::verdict::{ReviewRow, Verdict};

const LIMIT: usize = 450_000;
/// So many rows of a design that are not touched are shown at once.
const UNFOLDED: usize = 20;
/// The place of touched rows in the order: after refused ones and those that nothing touched.
const TOUCHED: usize = 2;

const HEAD: &str = "<table class=\"design\"><thead><tr><th scope=\"col\">Status</th><th scope=\"col\">Path</th><th scope=\"col\">Change</th><th scope=\"col\">Description</th><th scope=\"col\" class=\"num\">Files</th><th scope=\"col\" class=\"num\">Line</th></tr></thead><tbody>";

/// Refused rows first, then untouched ones; touched ones are folded into one line.
pub(super) fn section_of(verdict: &Verdict) -> Option<PagePart> {
    let rows = &verdict.review.as_ref()?.rows;
    let mut sorted: Vec<&ReviewRow> = rows.iter().collect();
    sorted.sort_by_key(|row| (&row.grant.anchor.path, row.grant.anchor.line));
    let designs = sorted.chunk_by(|a, b| a.grant.anchor.path == b.grant.anchor.path);
    let limit = LIMIT / designs.clone().count().max(1) / 2;
    let mut content = String::new();
    for design in designs {
        let lines = design.chunk_by(|a, b| a.grant.anchor.line == b.grant.anchor.line);
        let mut lines: Vec<_> = lines.map(line_of).collect();
        lines.sort_by_key(|(order, _)| *order);
        let touched = lines.split_off(lines.partition_point(|(order, _)| *order < TOUCHED));
        let path = &design[0].grant.anchor.path;
        content += &format!("<h3 class=\"name\">{}</h3>", code(path));
        let table = |lines: Vec<(_, String)>, most| {
            let items = lines.into_iter().map(|(_, line)| line);
            folded("rows", (HEAD, "</tbody></table>"), (most, limit), items)
        };
        if !lines.is_empty() {
            content += &table(lines, UNFOLDED);
        }
        if !touched.is_empty() {
            content += &format!(
                "<details class=\"more\"><summary>{} touched</summary>{}</details>",
                plural(touched.len(), "row"),
                table(touched, usize::MAX)
            );
        }
    }
    let touched = rows.iter().filter(|row| row.touched > 0).count();
    let refused = rows.iter().filter(|row| row.refused > 0).count();
    let lead = format!(
        "{} touched, {} untouched, {refused} with a refused change.",
        plural(touched, "row"),
        rows.len() - touched
    );
    let id = ("design", "Design", "The design");
    part(id, rows.len(), &lead, content)
}

/// The place in the order of a line, whose cell may name several paths, and its row.
fn line_of(line: &[&ReviewRow]) -> (usize, String) {
    let touched: usize = line.iter().map(|row| row.touched).sum();
    let refused: usize = line.iter().map(|row| row.refused).sum();
    let (order, class, sign, word) = match line[0].in_force {
        _ if refused > 0 => (0, "refused", "✕", "refused"),
        _ if touched > 0 => (TOUCHED, "touched", "●", "touched"),
        true => (1, "untouched", "○", "untouched"),
        false => (1, "mention", "–", "not in force"),
    };
    let path = |row: &&ReviewRow| match row.grant.kind {
        GrantKind::Directory => code(&[row.grant.path.as_slice(), b"/"].concat()),
        _ => code(&row.grant.path),
    };
    let mut paths: Vec<String> = line.iter().map(path).collect();
    paths.dedup();
    let grant = &line[0].grant;
    let kind = match grant.change_type.as_str() {
        "" => grant.actions.names().collect::<Vec<_>>().join(", "),
        kind => kind.to_owned(),
    };
    let files = match touched {
        0 => "–".to_owned(),
        touched => touched.to_string(),
    };
    let row = format!(
        "<tr class=\"{class}\"><td class=\"st\">{}</td><td class=\"pa\">{}</td><td>{}</td><td class=\"de\">{}</td><td class=\"num\" data-l=\"Files\">{files}</td><td class=\"num\" data-l=\"Line\">{}</td></tr>",
        tag(class, sign, word),
        paths.join(", "),
        prose(&kind),
        prose(&grant.description),
        grant.anchor.line,
    );
    (order, row)
}
