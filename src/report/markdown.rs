//! Markdown for a comment on a pull request or the summary of a CI job.
//!
//! Names appear in `<code>` with special characters as entities. `@`, and in sentences `#`, is a separate element, so
//! that no name mentions a person or an issue.

use super::texts::{RunResult, advice, cannot_judge, ordered, place, sentence};
use super::{human, texts};
use write_guard_policy::finding::Finding;
use write_guard_policy::path::escaped;

/// GitHub limits a comment to 65,536 characters; the rest is only counted.
const MOST_BYTES: usize = 60_000;
/// The maximum length of a sentence or a name.
const MOST_CHARS: usize = 500;

pub(super) fn report(RunResult { verdict, failure }: RunResult<'_>) -> String {
    let (outcome, why) = match failure {
        Some(error) => ("could not check", cannot_judge(error)),
        None => (verdict.outcome().name(), human::in_one_line(verdict)),
    };
    let mut out = format!("### guard: {outcome}\n\n{}\n", prose(&why));
    let findings = ordered(&verdict.findings);
    if !findings.is_empty() {
        out.push_str("\n| Level | Rule | Path | Finding | Design |\n|---|---|---|---|---|\n");
    }
    for (shown, finding) in findings.iter().enumerate() {
        let row = row(finding);
        if out.len() + row.len() > MOST_BYTES {
            let more = findings.len() - shown;
            out += &format!("\n… and {more} more (`guard lint --format json` has all)\n");
            break;
        }
        out += &row;
    }
    out
}

fn row(finding: &Finding) -> String {
    let path = finding.path.as_ref();
    let path = path.map_or_else(String::new, |path| code(&escaped(path).to_string()));
    let mut what = prose(&sentence(finding));
    for line in advice(finding).iter().take(4) {
        let is_code = line.starts_with("| ");
        let line = if is_code { code(line) } else { prose(line) };
        what += &format!("<br>{line}");
    }
    let place = finding.design.as_ref().map(|at| code(&place(at)));
    let place = place.unwrap_or_default();
    let level = finding.level.name();
    let rule = finding.rule.id();
    format!("| {level} | {rule} | {path} | {what} | {place} |\n")
}

/// Text as code.
pub(super) fn code(text: &str) -> String {
    let text = safe(text, "@", |c| {
        !c.is_ascii_punctuation() || "#/.-".contains(c)
    });
    format!("<code>{text}</code>")
}

/// A sentence without markup.
pub(super) fn prose(text: &str) -> String {
    safe(text, "@#", |c| !"\\`*_[]<>&|~$!:\"".contains(c))
}

/// Text with the characters of `alone` as elements of their own, and with entities for those that are not plain.
fn safe(text: &str, alone: &str, is_plain: impl Fn(char) -> bool) -> String {
    let mut out = String::new();
    let text = texts::text(text);
    let text = texts::clip(&text, MOST_CHARS);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if alone.contains(c) || begins_link(&out, c, chars.peek()) {
            out += &format!("<span>{c}</span>");
        } else if is_plain(c) {
            out.push(c);
        } else {
            out += &format!("&#{};", u32::from(c));
        }
    }
    out
}

/// Whether the character turns the text before it into a URL (`www.` or `scheme:/`). GitLab detects URLs after
/// resolving entities, so only a separate element prevents that; `<code>` does not.
fn begins_link(before: &str, c: char, next: Option<&char>) -> bool {
    let end = before.as_bytes().last_chunk::<3>();
    c == '.' && end.is_some_and(|end| end.eq_ignore_ascii_case(b"www"))
        || c == ':' && next == Some(&'/')
}
