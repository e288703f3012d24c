//! A review of a pull request, as GitHub's API takes it in one call: the missing rows as suggestions, which a reviewer
//! accepts by a click, and the commands for the others. Nothing to say is a review without text and comments.
//!
//! `POST /repos/{owner}/{repo}/pulls/{number}/reviews`

use std::collections::BTreeSet;
use std::io::{self, Write};

use gix::bstr::BString;
use serde_json::{Value, json};

use super::json::write_document;
use super::markdown::{code, prose};
use super::texts::{RunResult, cannot_judge, ordered};
use write_guard_policy::finding::json::path_text;
use write_guard_policy::finding::{Finding, Help, Level};
use write_guard_policy::measure::LineEdit;
use write_guard_policy::path::{escaped, listed};
use write_guard_policy::verdict::Verdict;

/// So many paths and commands are named; a review has a limited length.
const MOST_NAMED: usize = 50;
/// What a fence has at least.
const FENCE: usize = 3;

const ABOVE: &str = "guard: the design lacks this. If the change belongs to this work, commit the suggestion: a commit of its own extends the design.";

pub(super) fn report(
    RunResult { verdict, failure }: RunResult<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let edits = verdict.suggestions.edits.iter();
    let comments: Vec<Value> = edits.map(|(design, edit)| comment(design, edit)).collect();
    let body = match failure {
        Some(error) => prose(&cannot_judge(error)),
        None => body(verdict),
    };
    let mut review = json!({ "event": "COMMENT", "body": body, "comments": comments });
    if let Some(head) = &verdict.source.head {
        review["commit_id"] = head.as_str().into();
    }
    write_document(&review, out)
}

/// The text of the review: how many suggestions there are, and what else a person can run.
fn body(verdict: &Verdict) -> String {
    let suggested = &verdict.suggestions.paths;
    let mut missing: Vec<&Finding> = ordered(&verdict.findings);
    missing.retain(|finding| finding.level == Level::Error && finding.rule.wants_row());
    if missing.is_empty() {
        return String::new();
    }
    let paths: BTreeSet<&BString> = missing.iter().filter_map(|one| one.path.as_ref()).collect();
    let count = paths.len();
    let names = listed(
        paths.iter().map(|path| code(&escaped(path).to_string())),
        MOST_NAMED,
    );
    let mut text = format!(
        "### guard: refused\n\nThe design lacks rows for {count} of the changed paths: {names}."
    );
    if !suggested.is_empty() {
        text += &format!(" The suggestions below add {} of them.", suggested.len());
    }
    let others = missing.iter().filter(|finding| {
        let row = finding.row.as_deref();
        row.is_none_or(|row| !suggested.contains(&row.path))
    });
    let commands = others.flat_map(|finding| &finding.help);
    let commands: BTreeSet<&str> = commands.filter_map(Help::to_run).collect();
    if !commands.is_empty() {
        text += "\n\nTo add the others, run:\n";
    }
    for shown in commands.iter().take(MOST_NAMED) {
        text += &format!("\n- {}", code(shown));
    }
    if commands.len() > MOST_NAMED {
        text += &format!("\n- … and {} more", commands.len() - MOST_NAMED);
    }
    text
}

fn comment(design: &BString, edit: &LineEdit) -> Value {
    let mut comment = json!({
        "path": path_text(design.as_ref()),
        "body": format!("{ABOVE}\n\n{}", suggestion(&edit.lines)),
        "side": "RIGHT",
        "line": edit.last,
    });
    if edit.first < edit.last {
        comment["start_line"] = edit.first.into();
        comment["start_side"] = "RIGHT".into();
    }
    comment
}

/// The lines in a fence that none of them can end.
fn suggestion(lines: &[String]) -> String {
    let longest = |line: &String| {
        let runs = line.split(|c| c != '`').map(str::len);
        runs.max().unwrap_or_default()
    };
    let longest = lines.iter().map(longest).max().unwrap_or_default();
    let fence = "`".repeat(FENCE.max(longest + 1));
    format!("{fence}suggestion\n{}\n{fence}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::suggestion;

    #[test]
    fn no_line_ends_the_fence() {
        let of = |line: &str| suggestion(&[line.to_owned()]);
        assert_eq!(of("| `a` |"), "```suggestion\n| `a` |\n```");
        assert_eq!(of("a ``` b"), "````suggestion\na ``` b\n````");
        assert_eq!(of("````` b"), "``````suggestion\n````` b\n``````");
    }
}
