//! Reads a drawn tree: a remark such as NEW makes an entry certain; other files are doubtful.

use super::line::{PlanContext, PlanPiece};
use super::verb::PlanVerb;

const LINES: &[char] = &['├', '└', '│', '─', '┬'];

/// Whether a code block draws a tree.
pub(super) fn is_tree(text: &str) -> bool {
    text.contains(LINES) || text.contains("|--")
}

/// The files, and the directories with a mark: each as a line with its context and its offset.
pub(super) fn entries(text: &str) -> Vec<([PlanPiece; 2], PlanContext, usize)> {
    let is_drawn = |c: char| c.is_whitespace() || LINES.contains(&c) || "|+`-".contains(c);
    let mut lines: Vec<(usize, &str, &str, usize)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let entry = line.trim_start_matches(is_drawn);
        let indent = line.chars().count() - entry.chars().count();
        let (name, remark) = entry.split_once(char::is_whitespace).unwrap_or((entry, ""));
        if !name.is_empty() && !name.starts_with(['#', '(']) {
            lines.push((indent, name, remark, at));
        }
        at += line.len();
    }
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut found = Vec::new();
    for (index, &(indent, name, remark, at)) in lines.iter().enumerate() {
        open.retain(|(above, _)| *above < indent);
        let is_parent = lines
            .get(index + 1)
            .is_some_and(|(next, ..)| *next > indent);
        let is_directory = is_parent || name.ends_with('/');
        let name = name.trim_start_matches("./").trim_end_matches('/');
        let mut path: String = open.iter().map(|(_, name)| format!("{name}/")).collect();
        path.push_str(name);
        if is_directory && !matches!(name, "." | "") {
            open.push((indent, name));
            path.push('/');
        }
        let mut words = remark
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        let verb = words
            .next()
            .and_then(|word| PlanVerb::of(&word.to_lowercase()));
        let is_marked = verb.is_some_and(PlanVerb::writes);
        if is_marked || !is_directory {
            let context = PlanContext {
                declares: true,
                verb,
                is_doubtful: !is_marked,
                ..PlanContext::default()
            };
            found.push((
                [PlanPiece::Code(path), PlanPiece::Text(format!(" {remark}"))],
                context,
                at,
            ));
        }
    }
    found
}
