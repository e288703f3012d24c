//! The next steps of a finding: wraps sentences and keeps text to paste whole.

use super::escape::message;
use super::style::Style;
use crate::finding::{Finding, Help};

/// The maximum lines of help.
const HELP_LINES: usize = 20;

/// The width for help, right of the line number and `= help: `.
pub(super) fn help_width(finding: &Finding, style: &Style) -> usize {
    let number = finding.design.as_ref().map_or(0, |at| at.line).to_string();
    style
        .width
        .saturating_sub(number.len() + " = help: ".len())
        .max(20)
}

/// One text per step: a wrapped sentence, then text to paste.
pub(super) fn help_blocks(help: &[Help], width: usize) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    for line in help.iter().take(HELP_LINES) {
        let text = message(line);
        if !line.is_to_paste() {
            blocks.push(wrapped(&text, width));
        } else if let Some(block) = blocks.last_mut() {
            block.push('\n');
            block.push_str(&text);
        } else {
            blocks.push(text);
        }
    }
    if help.len() > HELP_LINES {
        let more = help.len() - HELP_LINES;
        blocks.push(format!(
            "… and {more} more lines (use --format json for all)"
        ));
    }
    blocks
}

/// Wraps a sentence at `width` characters. Text to copy stays whole: a longer word, a code span, and a command after
/// a colon, which gets its own line.
fn wrapped(sentence: &str, width: usize) -> String {
    if sentence.chars().count() <= width {
        return sentence.to_owned();
    }
    let command = [": git ", ": guard "]
        .iter()
        .find_map(|begin| sentence.find(begin));
    if let Some((words, command)) = command.and_then(|colon| sentence.split_at_checked(colon + 1)) {
        return format!("{}\n {command}", wrapped(words, width));
    }
    let mut out = String::new();
    let mut column = 0;
    for word in words(sentence) {
        let length = word.chars().count();
        // Some CI systems accept commands at the start of a line.
        let is_command = word.starts_with("::") || word.starts_with("##");
        if column > 0 && column + 1 + length > width && !is_command {
            out.push('\n');
            column = 0;
        } else if !out.is_empty() {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
}

/// The words of a sentence; a code span is part of one word.
fn words(sentence: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    sentence.split(move |c| {
        in_code ^= c == '`';
        c == ' ' && !in_code
    })
}
