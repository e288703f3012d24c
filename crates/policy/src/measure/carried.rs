//! Which lines carry content. Blank lines, brackets and rules are in any two texts, and would dilute a loss.

use bstr::ByteSlice;

use crate::path::is_hostile;

/// Marks around content: brackets, separators and quotes.
const AROUND: &[u8] = b"()[]{},;\"'`";
/// Marks that begin, end or frame a comment, and that Markdown draws lines and quotes with. Alone they say nothing.
const COMMENT: &[u8] = b"/#*-%!<>~_=";
/// Marks of which the rules of a table consist, if one of the last two is among them.
const TABLE_RULE: &[u8] = b"|+:-=";

/// Whether a line has a word or a symbol. Brackets, commas, semicolons, quotes, comment marks and rules alone are none.
pub(super) fn carries_content(line: &[u8]) -> bool {
    if line.iter().any(u8::is_ascii_alphanumeric) {
        return true;
    }
    if !line.is_ascii() && line.chars().any(carries_content_beyond_ascii) {
        return true;
    }
    let symbols = line.iter().filter(|byte| byte.is_ascii_graphic());
    let mut symbols = symbols.filter(|byte| !AROUND.contains(byte)).peekable();
    let is_comment = symbols.clone().all(|byte| COMMENT.contains(byte));
    let is_rule = symbols.clone().any(|byte| b"-=".contains(byte))
        && symbols.clone().all(|byte| TABLE_RULE.contains(byte));
    symbols.peek().is_some() && !is_comment && !is_rule
}

/// Whether a character is a letter or symbol of another script, rather than blank, invisible or a part of a box.
fn carries_content_beyond_ascii(c: char) -> bool {
    !c.is_ascii() && !c.is_whitespace() && !is_hostile(c) && !is_drawn(c)
}

/// Joiners, which are invisible, and the characters of which boxes are drawn.
fn is_drawn(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{2500}'..='\u{257f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_symbols_are_content() {
        for line in [
            "a", "  7", "_x", "é", "字", "✔", "😀", "&&", "||", "...", "?", "@", "{ x }", "# a",
            "* a", "| a |", "$", "- -> ?", "\u{fffd}",
        ] {
            assert!(carries_content(line.as_bytes()), "{line}");
        }
        assert!(carries_content(b"\xff"), "a letter of an older encoding");
    }

    #[test]
    fn brackets_separators_comment_marks_and_rules_are_not() {
        for line in [
            "",
            " \t",
            "{",
            "});",
            "},",
            "\"\"\"",
            "```",
            "//",
            "///",
            "#",
            "##",
            "/*",
            "/**",
            "*/",
            "*",
            "--",
            "---",
            "***",
            "___",
            "~~~",
            "===",
            "|---|",
            "| :-: |---:|",
            "+---+---+",
            "+===+",
            ";;",
            "%",
            "<!--",
            "-->",
            "────",
            "\u{a0}",
            "\u{3000}",
            "\u{200b}",
            "\u{feff}",
            ">",
        ] {
            assert!(!carries_content(line.as_bytes()), "{line}");
        }
    }
}
