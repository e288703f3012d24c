//! Inserts additions into a text.

/// Text to insert before a line.
#[derive(Debug)]
pub(super) struct Insertion {
    /// The start of a line, or the end of the text.
    pub(super) at: usize,
    pub(super) pieces: Vec<LineRun>,
    /// Blank lines after the last piece.
    pub(super) gap_after: usize,
}

/// Some lines.
#[derive(Debug)]
pub(super) struct LineRun {
    /// Blank lines before it.
    pub(super) gap: usize,
    pub(super) text: String,
}

/// The old text with the insertions; all its lines stay, in order.
pub(super) fn assemble(old: &str, mut insertions: Vec<Insertion>, ending: &str) -> String {
    insertions.sort_by_key(|insertion| insertion.at);
    let mut result = String::with_capacity(old.len());
    let mut from = 0;
    for insertion in insertions {
        result.push_str(&old[from..insertion.at]);
        from = insertion.at;
        for piece in &insertion.pieces {
            separate(&mut result, piece.gap, ending);
            for line in piece.text.lines() {
                result.push_str(line);
                result.push_str(ending);
            }
        }
        let rest = old[from..].trim_start_matches(['\r', '\n', ' ', '\t']);
        if !rest.is_empty() {
            let there = old[from..]
                .lines()
                .take_while(|line| line.trim().is_empty())
                .count();
            let gap = insertion.gap_after.saturating_sub(there);
            result.push_str(&ending.repeat(gap));
        }
    }
    result.push_str(&old[from..]);
    if from == old.len() && !old.is_empty() && !old.ends_with('\n') {
        result.truncate(result.len() - ending.len());
    }
    result
}

/// Ends the last line and adds blank lines, except at the start of a file.
fn separate(result: &mut String, gap: usize, ending: &str) {
    if result.is_empty() {
        return;
    }
    if !result.ends_with('\n') {
        result.push_str(ending);
    }
    let blank = result
        .lines()
        .rev()
        .take_while(|line| line.trim().is_empty())
        .count();
    result.push_str(&ending.repeat(gap.saturating_sub(blank)));
}
