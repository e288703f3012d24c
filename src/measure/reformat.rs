//! Whether a new version only lays out the old one anew, as formatters do.
//!
//! A formatter keeps the words, in order. So does a program that disables the code: it comments every line out, or
//! puts all of it into a string. Therefore the new version may not add words either, hardly any word may get into a
//! comment or string, and the marks between the words must stay, except separators and quotes, which formatters
//! exchange, and brackets, which they add.
//!
//! Measured with `ruff format`, `prettier` and `rustfmt` on 300 files that lose at least 30 % of their lines: at most
//! 1 % of the words move into comments or strings in code (5 % in prose), and 7 % of the marks change. A comment mark at each
//! line changes all of them.

use super::line_diff::Numbered;
use super::quoted::Makeup;
use super::units::{Text, TextWords};

/// The maximum words per side to compare; more would need too much memory.
const WORD_LIMIT: usize = 1 << 20;

/// Whether `new` has the words of `old` in another layout.
pub(super) fn is_reformat(old: &Text<'_>, new: &Text<'_>) -> bool {
    let (before, after) = (Makeup::of(old.bytes()), Makeup::of(new.bytes()));
    if before.words == 0 || before.words.max(after.words) > WORD_LIMIT {
        return false;
    }
    is_alike(&before, &after) && keeps_words(old, new, (before.words, after.words))
}

/// Whether a part is less than a tenth of the whole.
fn is_little(part: usize, whole: usize) -> bool {
    part == 0 || part * 10 < whole
}

/// The bounds that take linear time.
fn is_alike(before: &Makeup, after: &Makeup) -> bool {
    let (lost_marks, _) = before.marks_beyond(after);
    let (_, added_marks) = after.marks_beyond(before);
    is_little(before.words.abs_diff(after.words), before.words)
        && is_little(after.quoted.saturating_sub(before.quoted), before.words)
        && is_little(lost_marks, before.marks())
        && is_little(added_marks, before.marks())
}

/// Whether fewer than a tenth of the words are lost, and fewer than a tenth added.
fn keeps_words(old: &Text<'_>, new: &Text<'_>, (before, after): (usize, usize)) -> bool {
    let words = Numbered::new(TextWords(old.bytes()), TextWords(new.bytes()));
    if !is_little(words.gone(), before) {
        return false;
    }
    let kept = words.kept().count;
    is_little(before - kept, before) && is_little(after - kept, before)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module of this many functions, with one statement per line.
    fn module(functions: usize) -> String {
        (0..functions)
            .map(|n| {
                format!(
                    "def load_{n}(path, size):\n    # Read {n} first\n    data = read(path + '{n}', limit=size)\n    if data[{n}] > size * 2:\n        return parse(data)\n    return None\n\n"
                )
            })
            .collect()
    }

    fn is_reformat(old: &str, new: &str) -> bool {
        super::is_reformat(&Text::of(old.as_bytes()), &Text::of(new.as_bytes()))
    }

    #[test]
    fn other_layout_quotes_and_separators_are_a_reformat() {
        let old = module(40);
        let new = old
            .replace('\'', "\"")
            .replace(", ", ",\n        ")
            .replace("size)", "size,)")
            .replace("2:", "2 :");
        assert!(is_reformat(&old, &new));
        assert!(is_reformat(&new, &old));
        let in_brackets = new.replace("return None", "return (\n(None)\n)");
        assert!(is_reformat(&old, &in_brackets));
    }

    #[test]
    fn words_that_are_shuffled_lost_or_added_are_no_reformat() {
        let old = module(40);
        let words: Vec<&str> = old.split_whitespace().collect();
        let mut shuffled = words.clone();
        let mut dice = crate::random::Random(5);
        for at in 1..shuffled.len() {
            shuffled.swap(at, dice.below(at + 1));
        }
        assert!(!is_reformat(&old, &shuffled.join("\n")));
        assert!(!is_reformat(
            &old,
            &old[..old.len() * 17 / 20].replace(", ", ",\n")
        ));
        assert!(!is_reformat(&old, &(old.replace(", ", ",\n") + &module(6))));
    }

    #[test]
    fn half_a_rewrite_does_not_hide_behind_the_other_half() {
        let old = module(40);
        let (first, second) = old.split_at(old.len() / 2);
        let new =
            first.replace(", ", ",\n") + &second.replace("data", "other").replace("size", "length");
        assert!(!is_reformat(&old, &new));
    }

    #[test]
    fn comments_and_strings_that_keep_the_words_are_no_reformat() {
        let old = module(40);
        let each =
            |mark: &str| -> String { old.lines().map(|line| format!("{mark}{line}\n")).collect() };
        for mark in [
            "# ", "#", "#[", "// ", "//", "-- ", ";", "% ", "dnl ", "REM ", ": ", "> ", "* ", "' ",
        ] {
            assert!(!is_reformat(&old, &each(mark)), "{mark}");
        }
        let in_strings: String = old
            .lines()
            .map(|line| format!("'{}',\n", line.replace('\'', "\"")))
            .collect();
        assert!(!is_reformat(&old, &in_strings));
        let one_line = old.replace('\n', " ");
        for mark in [
            "# ", "// ", "http://", "x = 1 # ", "/* ", "\"\"\"", "<!-- ", "",
        ] {
            assert!(!is_reformat(&old, &format!("{mark}{one_line}")), "{mark}");
        }
        let reflowed = old.replace(", ", ",\n");
        for (start, end) in [
            ("/*\n", "*/\n"),
            ("\"\"\"\n", "\"\"\"\n"),
            ("<!--\n", "-->\n"),
        ] {
            assert!(
                !is_reformat(&old, &format!("{start}{reflowed}{end}")),
                "{start}"
            );
        }
    }

    #[test]
    fn words_without_their_marks_or_with_others_are_no_reformat() {
        let old = module(40);
        let bare: String = old
            .chars()
            .map(|c| if "()[]:=+*>".contains(c) { '\n' } else { c })
            .collect();
        assert!(!is_reformat(&old, &bare));
        let other = old
            .replace(", ", ",\n")
            .replace('+', "-")
            .replace('*', "/")
            .replace('>', "<");
        assert!(!is_reformat(&old, &other));
    }

    #[test]
    fn text_without_words_is_no_reformat() {
        assert!(!is_reformat("{}\n{}\n", "{}{}\n"));
        assert!(!is_reformat("", "a\n"));
    }

    #[test]
    fn prose_may_be_wrapped_elsewhere() {
        let old = "The quick brown fox jumps over the lazy dog, and then it sleeps.\n".repeat(50);
        let new: String = old
            .split_whitespace()
            .collect::<Vec<_>>()
            .chunks(7)
            .map(|line| line.join(" ") + "\n")
            .collect();
        assert!(is_reformat(&old, &new));
    }

    #[test]
    fn hostile_text_is_compared_within_bounds() {
        let word = "a ".repeat(1 << 20);
        assert!(is_reformat(&word, &word.replace(' ', "\n")));
        let mut dice = crate::random::Random(3);
        let mut noise = || -> String {
            (0..200_000)
                .map(|_| ["a ", "b ", "c "][dice.below(3)])
                .collect()
        };
        let (old, new) = (noise(), noise());
        assert!(!is_reformat(&old, &new));
    }
}
