//! Who approved which change, and with which key.

use super::markup::{LimitedPart, code, html, left_out, name, prose, section};
use crate::report::human::plural;
use crate::verdict::{ReviewApproval, Verdict};

const LIMIT: usize = 100_000;
const NAMES: usize = 20_000;

pub(super) fn section_of(verdict: &Verdict) -> String {
    let heading = "Approvals";
    let approvals = verdict
        .review
        .as_ref()
        .map_or(&[][..], |review| &review.approvals);
    if approvals.is_empty() {
        return section(
            "approvals",
            heading,
            "",
            "<p class=\"none\">No approval came with these changes.</p>",
        );
    }
    let mut rows = LimitedPart::new(LIMIT);
    let mut count = 0;
    for approval in approvals {
        if !rows.push(&row(approval)) {
            break;
        }
        count += 1;
    }
    let table = format!(
        "<table class=\"appr\"><thead><tr><th scope=\"col\">Counts</th><th scope=\"col\">File</th><th scope=\"col\">Who and why</th><th scope=\"col\">Key</th></tr></thead><tbody>{}</tbody></table>",
        rows.finish()
    );
    let rest = approvals[count..]
        .iter()
        .map(|one| one.approval.path.as_slice());
    let more = left_out("approvals", rest, NAMES);
    let counting = approvals.iter().filter(|one| one.why_not.is_none()).count();
    let lead = format!(
        "{}, {counting} of them valid.",
        plural(approvals.len(), "approval")
    );
    section("approvals", heading, &lead, &(table + &more))
}

fn row(one: &ReviewApproval) -> String {
    let approval = &one.approval;
    let counts = match &one.why_not {
        None => {
            "<span class=\"tag good\"><span aria-hidden=\"true\">✓</span> valid</span>".to_owned()
        }
        Some(why) => format!(
            "<span class=\"tag refused\"><span aria-hidden=\"true\">✕</span> invalid</span> <span class=\"q\">{}</span>",
            prose(why)
        ),
    };
    let key = match (approval.key(), &approval.signature) {
        (Some(key), _) => format!("<code class=\"key\">{}</code>", html(&key)),
        (None, Some(_)) => "<span class=\"q\">unreadable signature</span>".to_owned(),
        (None, None) => {
            "<span class=\"q\">unsigned, counts only in this repository</span>".to_owned()
        }
    };
    let commit = one.commit.as_deref().map_or_else(String::new, |id| {
        format!(
            ", in commit {}",
            code(id.get(..12).unwrap_or(id).as_bytes())
        )
    });
    format!(
        "<tr><td>{counts}</td><td class=\"pa\">{}</td><td><b>{}</b><br>{} <span class=\"q\">by {}{commit}</span></td><td>{key}</td></tr>",
        code(&approval.path),
        name(approval.who.as_bytes()),
        prose(&approval.reason),
        prose(&approval.how)
    )
}
