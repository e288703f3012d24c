//! Layouts and what only looks like one.

#![allow(clippy::unwrap_used)]

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
    let old = Text::of(old.as_bytes());
    let new = Text::of(new.as_bytes());
    super::is_reformat(&old, &new)
}

#[test]
fn words_symbols_and_repeated_marks_say_something() {
    for (line, said) in [
        ("a1_b == c, d", &["a1_b", "==", "c", "d"][..]),
        ("x = -y;", &["x", "y"]),
        ("f((a))  [[]]", &["f", "a"]),
        ("a,,b", &["a", ",,", "b"]),
        ("// x -- note", &["x", "--", "note"]),
        ("é→b\u{a0}", &["é", "→", "b"]),
    ] {
        let found = words_and_signs(line.as_bytes());
        let found: Vec<&str> = found.iter().map(|word| word.to_str().unwrap()).collect();
        assert_eq!(found, said, "{line}");
    }
}

/// As [`super::keeps_words`], of these lines.
fn keeps_words(old: &[String], new: &[String]) -> bool {
    let [old, new] = [old, new].map(|lines| -> Vec<&[u8]> {
        let lines = lines.iter();
        lines.map(|line| line.as_bytes()).collect()
    });
    let words = line_diff::numbered(
        old.iter().flat_map(|line| words_and_signs(line)),
        new.iter().flat_map(|line| words_and_signs(line)),
    );
    let words = words.unwrap();
    super::keeps_words(&old, &line_diff::diff(&words), words.before.len())
}

/// So many of 100 lines are replaced.
fn with_replaced(line: &str, replaced: usize, by: &str) -> bool {
    let old = vec![line.to_owned(); 100];
    let mut new = old.clone();
    new[..replaced].fill(by.to_owned());
    keeps_words(&old, &new)
}

#[test]
fn signs_bytes_and_lines_are_kept_each_for_itself() {
    let line = "alpha beta == gamma delta";
    let other_sign = "alpha beta != gamma delta";
    assert!(with_replaced(line, FEW_SIGNS, other_sign));
    assert!(!with_replaced(line, FEW_SIGNS + 1, other_sign));
    // One word of three is not half of the line.
    let name = "n".repeat(80);
    let line = format!("a b {name}");
    assert!(with_replaced("a b c", 9, "a b x"));
    let mut old = vec!["a b c".to_owned(); 95];
    let mut new = old.clone();
    old.resize(100, line.clone());
    new.resize(100, "a b x".to_owned());
    assert!(!keeps_words(&old, &new), "half of the bytes are lost");
    let mut old = vec!["a b c d e f g h".to_owned(); 90];
    let mut new = old.clone();
    old.resize(100, "x".to_owned());
    new.resize(100, "y".to_owned());
    assert!(!keeps_words(&old, &new), "a tenth of the lines is lost");
    new[99] = "x".to_owned();
    assert!(keeps_words(&old, &new));
    let old = vec!["a b c d e f g h i j".to_owned(); 10];
    let with = |line: &str| [&old[..], &[line.to_owned()]].concat();
    assert!(keeps_words(&old, &with("k l m n o p q r s")));
    assert!(!keeps_words(&old, &with("k l m n o p q r s t")));
}

#[test]
fn the_bullets_of_a_list_are_one_mark() {
    let marks = |line: &[u8]| Makeup::of(line).marks;
    assert_eq!(marks(b"* a"), marks(b"- a"));
    assert_eq!(marks(b"+ a"), marks(b"- a"));
    for [one, other] in [
        [&b"*a"[..], b"-a"],
        [b"a * b", b"a - b"],
        [b"x* b", b"x- b"],
    ] {
        assert_ne!(marks(one), marks(other), "{}", one.as_bstr());
    }
}

#[test]
fn a_pattern_of_files_begins_no_comment() {
    let begins = |line: &str| {
        let mut blocks = BlockReader::default();
        assert!(!blocks.read(line.as_bytes()), "{line}");
        blocks.read(b"x")
    };
    for line in [
        "src/*.py",
        "*/*.md",
        "\"/*\"",
        "./*",
        "_/*",
        "a /* b */ c",
        "\"\"\"doc\"\"\"",
        "'''doc'''",
        "<!-- doc -->",
    ] {
        assert!(!begins(line), "{line}");
    }
    for line in [
        "/*",
        "a; /* b",
        "(/*",
        "<!-- x",
        "\"\"\"",
        "'''",
        "a /* b */ /*",
        "\"\"\"a long text\"\"\" '''x",
    ] {
        assert!(begins(line), "{line}");
    }
}

/// As [`super::has_words`], of words between blanks.
fn has_words(old: &str, new: &str) -> bool {
    let mut input = InternedInput::default();
    input.update_before(old.split(' ').map(str::as_bytes));
    input.update_after(new.split(' ').map(str::as_bytes));
    super::has_words(&input)
}

#[test]
fn fewer_than_a_tenth_of_the_words_may_be_lost_and_as_many_added() {
    let old = "a b c d e f g h i j k";
    assert!(has_words(old, "k j i h g f e d c b a"));
    assert!(has_words(old, "a b c d e f g h i j"));
    assert!(has_words(old, "a b c d e f g h i j k l"));
    assert!(!has_words(old, "a b c d e f g h i"), "two are lost");
    assert!(
        !has_words(old, "a b c d e f g h i j k l m"),
        "two are added"
    );
    assert!(!has_words("a a b", "a b"), "each counts by itself");
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
    let mut dice = fastrand::Rng::with_seed(5);
    for at in 1..shuffled.len() {
        shuffled.swap(at, dice.usize(..at + 1));
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

/// Lines of 1 to `most` words, some of them long.
fn lines_of_words(dice: &mut fastrand::Rng, most: usize) -> Vec<Vec<String>> {
    let word = |dice: &mut fastrand::Rng| {
        let word = ["load", "path", "size", "data", "if", "x", "return", "parse"][dice.usize(..8)];
        match dice.usize(..12) {
            0 => format!("{word}_{:x}", dice.usize(..1 << 40)).repeat(1 + dice.usize(..12)),
            1..6 => format!("{word}_{}", dice.usize(..400)),
            _ => word.to_owned(),
        }
    };
    let count = 120 + dice.usize(..200);
    (0..count)
        .map(|_| (0..1 + dice.usize(..most)).map(|_| word(dice)).collect())
        .collect()
}

#[test]
fn dropped_words_bytes_or_lines_are_no_reformat() {
    let mut dice = fastrand::Rng::with_seed(0x6c8e_9cf5);
    let mut accepted = 0;
    for round in 0..800 {
        let most = 1 + dice.usize(..30);
        let mut lines = lines_of_words(&mut dice, most);
        if dice.usize(..3) == 0 {
            // Every other line is short.
            for line in lines.iter_mut().step_by(2) {
                line.truncate(1 + round % 3);
            }
        }
        let old: String = lines.iter().map(|line| line.join(", ") + ";\n").collect();
        let share = dice.usize(..101);
        let way = dice.usize(..4);
        let (mut bytes, mut lost_bytes, mut words, mut lost_words, mut lost_lines) =
            (0, 0, 0, 0, 0);
        let mut new = String::new();
        let layout = [", ", ",\n    ", " , "][dice.usize(..3)];
        for line in &lines {
            let drops_line = dice.usize(..100) < share;
            let is_lost = |word: &&String| match way {
                0 => drops_line,
                1 => drops_line && line.len() < 4,
                2 => drops_line && word.len() > 20,
                _ => drops_line && word.len().is_multiple_of(2),
            };
            let kept: Vec<&str> = line
                .iter()
                .filter(|word| !is_lost(word))
                .map(String::as_str)
                .collect();
            let count =
                |words: &mut dyn Iterator<Item = &String>| words.map(String::len).sum::<usize>();
            bytes += count(&mut line.iter());
            lost_bytes += count(&mut line.iter().filter(is_lost));
            words += line.len();
            lost_words += line.len() - kept.len();
            lost_lines += usize::from(kept.is_empty());
            if !kept.is_empty() {
                new += &(kept.join(layout) + ";\n");
            }
        }
        if is_reformat(&old, &new) {
            accepted += 1;
            assert!(
                2 * lost_bytes < bytes && 2 * lost_words < words && 2 * lost_lines < lines.len(),
                "round {round}: {lost_bytes} of {bytes} bytes, {lost_words} of {words} words, {lost_lines} lines"
            );
        }
    }
    assert!((20..300).contains(&accepted), "{accepted}");
}

#[test]
fn short_code_lines_between_long_ones_are_not_dropped() {
    let (long, short) = (
        |n: usize| format!("    \"{n} {}\",\n", "some long text ".repeat(12)),
        |n: usize| format!("    check_{n}\n"),
    );
    let old: String = (0..150).map(|n| long(n) + &short(n)).collect();
    let new: String = (0..150).map(long).collect();
    assert!(!is_reformat(&old, &new));
    let laid_out = new.replace("some long", "some\nlong");
    assert!(!is_reformat(&old, &laid_out), "with another layout");
    let hashes = |n: usize| format!("sum {n} {}\n", format!("{n:x}").repeat(120));
    let old: String = (0..200).map(hashes).collect();
    let new: String = (0..200).map(|n| format!("sum {n}\n")).collect();
    assert!(!is_reformat(&old, &new), "a word of each line");
}

#[test]
fn version_with_few_lines_is_no_reformat() {
    let old = module(40);
    assert!(!is_reformat(
        &old,
        &old.replace(":\n", ": ").replace('\n', "; ")
    ));
}

#[test]
fn chinese_prose_may_be_wrapped_elsewhere() {
    let sentence = "\u{8fd9}\u{662f}\u{4e00}\u{4e2a}Git\u{ff0c}\u{4ed3}\u{5e93}\u{ff0c}Rust\u{3002}\u{ff08}x\u{ff09}\u{6587}";
    let old = format!("{sentence}\n").repeat(200);
    let wrapped: Vec<char> = sentence.repeat(200).chars().collect();
    let new: String = wrapped
        .chunks(23)
        .map(|line| line.iter().collect::<String>() + "\n")
        .collect();
    assert!(is_reformat(&old, &new));
}

#[test]
fn hostile_text_is_compared_within_bounds() {
    let word = "a ".repeat(1 << 16);
    assert!(is_reformat(&word, &word.replace(' ', "\n")));
    let mut dice = fastrand::Rng::with_seed(3);
    let mut noise = || -> String {
        (0..20_000)
            .map(|_| ["a ", "b ", "c "][dice.usize(..3)])
            .collect()
    };
    let old = noise();
    let new = noise();
    assert!(!is_reformat(&old, &new));
}
