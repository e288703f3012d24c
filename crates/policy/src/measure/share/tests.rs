//! Counts of single texts, and properties of all of them.

use super::*;
use fastrand::Rng;

fn lines(range: std::ops::Range<usize>) -> String {
    range.map(|n| format!("line {n}\n")).collect()
}

fn count(old: &str, new: &str) -> (usize, usize) {
    let lost = lost(old.as_bytes(), new.as_bytes());
    (lost.all.lost, lost.all.total)
}

#[test]
fn removed_and_rewritten_lines_are_lost_and_kept_ones_are_not() {
    assert_eq!(count("a\nb\nc\n", "a\nB\nc\n"), (1, 3));
    assert_eq!(count("a\nb\nc\n", "a\nb\nc\n"), (0, 3));
    assert_eq!(count("a\nb\nc\n", ""), (3, 3));
    assert_eq!(count("", "a\n"), (0, 0));
    assert_eq!(count("", ""), (0, 0));
    assert_eq!(count("a\nb\n", "x\na\ny\nb\nz\n"), (0, 2));
}

#[test]
fn a_missing_final_newline_loses_nothing() {
    assert_eq!(count("a\nb\n", "a\nb"), (0, 2));
    assert_eq!(count("a\nb", "a\nb\nc"), (0, 2));
}

#[test]
fn line_endings_and_indentation_lose_nothing() {
    let old = lines(0..200);
    assert_eq!(count(&old, &old.replace('\n', "\r\n")), (0, 200));
    assert_eq!(count(&old, &old.replace("line", "\t  line")), (0, 200));
    assert_eq!(count(&old, &old.replace('\n', "  \n")), (0, 200));
    assert_eq!(count("a b\n", "ab\n"), (1, 1), "blanks inside a line count");
}

#[test]
fn blank_lines_count_as_git_counts_them() {
    assert_eq!(count("a\n\n\nb\n", "a\nb\n"), (2, 4));
    assert_eq!(count("a\n  \nb\n", "a\n\nb\n"), (0, 3));
}

#[test]
fn moved_lines_are_lost_in_place() {
    let old = lines(0..200);
    let new: String = (0..200).rev().map(|n| format!("line {n}\n")).collect();
    let lost = lost(old.as_bytes(), new.as_bytes());
    assert_eq!((lost.all.lost, lost.all.total), (199, 200));
}

#[test]
fn added_lines_never_lower_the_lost_share() {
    let mut dice = Rng::with_seed(0x9e37_79b9_7f4a_7c15);
    for round in 0..300 {
        let size = 1 + dice.usize(..60);
        let old: Vec<String> = (0..size).map(|n| format!("old {n}")).collect();
        let kept: Vec<String> = old
            .iter()
            .filter(|_| dice.usize(..3) > 0)
            .cloned()
            .collect();
        let before = lost(old.join("\n").as_bytes(), kept.join("\n").as_bytes());
        assert_eq!(before.all.lost, size - kept.len(), "round {round}");
        let mut diluted = kept;
        for junk in 0..dice.usize(..400) {
            let place = dice.usize(..diluted.len() + 1);
            diluted.insert(place, format!("junk {junk}"));
        }
        let after = lost(old.join("\n").as_bytes(), diluted.join("\n").as_bytes());
        assert_eq!(after.all.lost, before.all.lost);
    }
}

/// A text with a part of lines without content, and another one made of it.
fn pair(dice: &mut Rng) -> (Vec<String>, Vec<String>) {
    let line = |dice: &mut Rng| match dice.usize(..6) {
        0 => String::new(),
        1 => ["}", "//", "---", "});"][dice.usize(..4)].to_owned(),
        2 => format!("step({})", dice.usize(..5)),
        _ => format!("value {}", dice.usize(..1_000_000)),
    };
    let size = 101 + dice.usize(..200);
    let old: Vec<String> = (0..size).map(|_| line(dice)).collect();
    let rate = dice.usize(..101);
    let mut new = Vec::new();
    for one in &old {
        match dice.usize(..100) < rate {
            true if dice.bool() => new.push(line(dice)),
            true => {}
            false => new.push(one.clone()),
        }
    }
    (old, new)
}

fn class(old: &[String], new: &[String]) -> Class {
    let old = old.join("\n");
    let new = new.join("\n");
    classify(
        &lost(old.as_bytes(), new.as_bytes()),
        &Thresholds::default(),
    )
}

/// The same lines are padded in both versions, as an earlier commit might do, or only in the new one.
#[test]
fn padding_never_turns_replace_into_modify() {
    let mut dice = Rng::with_seed(0x9add);
    let mut replaced = 0;
    for round in 0..600 {
        let (old, new) = pair(&mut dice);
        let carrying = |lines: &[String]| -> Vec<String> {
            let lines = lines.iter().filter(|line| carries_content(line.as_bytes()));
            lines.cloned().collect()
        };
        // Of what carries content, so that no line that comes back is a loss.
        let old = carrying(&old);
        let new = carrying(&new);
        if class(&old, &new) != Class::Replace {
            continue;
        }
        replaced += 1;
        let padding = [
            "", "  ", "{", "}", ",", "});", "//", "#", "---", "|---|", "*", "\u{a0}",
        ];
        let rate = 1 + dice.usize(..8);
        let mut padded = |lines: &[String]| -> Vec<String> {
            let mut padded = Vec::new();
            for line in lines {
                for _ in 0..dice.usize(..rate) {
                    padded.push(padding[dice.usize(..padding.len())].to_owned());
                }
                padded.push(line.clone());
            }
            padded
        };
        assert_eq!(class(&old, &padded(&new)), Class::Replace, "round {round}");
        assert_eq!(
            class(&padded(&old), &padded(&new)),
            Class::Replace,
            "round {round}"
        );
    }
    assert!(replaced > 150, "{replaced}");
}

#[test]
fn lines_that_carry_content_count_for_themselves() {
    let text = |word: &str| -> String { (0..200).map(|n| format!("{word} {n}\n\n")).collect() };
    let lost = lost(text("old").as_bytes(), text("new").as_bytes());
    assert!(lost.is_of_content() && lost.part() == LostPart::whole(200));
    assert_eq!((lost.all.lost, lost.all.total), (200, 400));
    let few = |lines: usize| {
        let old: String = (0..lines).map(|n| format!("a{n}\n}}\n")).collect();
        let new: String = (0..lines).map(|n| format!("b{n}\n}}\n")).collect();
        super::lost(old.as_bytes(), new.as_bytes()).is_of_content()
    };
    assert!(few(51) && !few(50), "50 are few");
}

#[test]
fn large_and_repetitive_texts_are_counted_exactly() {
    let mut dice = Rng::with_seed(5);
    let mut line = || format!("l{}\n", dice.usize(..40));
    let old: Vec<String> = (0..30_000).map(|_| line()).collect();
    let mut new = old.clone();
    for at in (0..new.len()).step_by(3) {
        new[at] = line();
    }
    let lost = lost(old.concat().as_bytes(), new.concat().as_bytes());
    assert!(lost.is_exact && lost.all.lost < 10_000, "{lost:?}");
}

#[test]
fn a_count_that_gives_up_is_that_of_a_look() {
    let mut dice = Rng::with_seed(5);
    let mut text = |lines: usize| -> String {
        (0..lines)
            .map(|_| format!("l{}\n", dice.usize(..40)))
            .collect()
    };
    let old = text(600_000);
    let new = text(600_000);
    let counted = lost(old.as_bytes(), new.as_bytes());
    assert!(!counted.is_exact);
    let look =
        look::missed(old.as_bytes(), new.as_bytes(), 600_000, usize::MAX).unwrap_or_default();
    assert_eq!(
        (counted.all.lost, counted.content.lost),
        (look.lines, look.with_content)
    );
}

#[test]
fn a_minified_file_is_counted_in_tokens() {
    let old: String = (0..500)
        .map(|n| format!("function f{n}(a){{return a+{n}}}"))
        .collect();
    let same = lost(old.as_bytes(), old.replace("f7(", "f7777(").as_bytes());
    assert_eq!((same.unit, same.all.lost), (Unit::Tokens, 1));
    // function · f0( · a){ · return · a+ · 0}
    assert_eq!(same.all.total, 3_000);
    let stub = lost(old.as_bytes(), b"export default {}");
    assert_eq!((stub.all.lost, stub.all.total), (3_000, 3_000));
    // 8 KiB stand for a hundred lines.
    let lines = old.len() * 100 / 8_192;
    assert!(stub.exceeds_lines(lines) && !stub.exceeds_lines(lines + 1));
}

#[test]
fn a_pretty_printed_minified_file_keeps_its_tokens() {
    let old: String = (0..500).map(|n| format!("a{n}=1;")).collect();
    let new = old.replace(';', ";\n");
    assert_eq!(count(&old, &new), (0, 1_000));
}

#[test]
fn tokens_are_counted_above_400_bytes_a_line_and_not_at_400() {
    let line = |width: usize| format!("{}\n", "x".repeat(width - 1));
    assert_eq!(lost(line(400).as_bytes(), b"y").unit, Unit::Lines);
    assert_eq!(lost(line(401).as_bytes(), b"y").unit, Unit::Tokens);
}

#[test]
fn utf16_and_utf8_of_the_same_text_lose_nothing() {
    let text = lines(0..150);
    let mut wide = b"\xff\xfe".to_vec();
    wide.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    let back = lost(&wide, text.as_bytes());
    assert_eq!((back.all.lost, back.all.total), (0, 150));
    let stub = lost(&wide, b"stub\n");
    assert_eq!((stub.all.lost, stub.all.total), (150, 150));
}

#[test]
fn thresholds_compare_exactly() {
    let of = |lost, total| Lost {
        all: LostPart { lost, total },
        ..Lost::NOTHING
    };
    assert!(of(100, 200).at_least(0.5));
    assert!(!of(99, 200).at_least(0.5));
    assert!(!of(499_999, 1_000_000).at_least(0.5));
    for hundredths in 1..=100 {
        let threshold: f64 = hundredths as f64 / 100.0;
        assert!(of(hundredths, 100).at_least(threshold), "{hundredths}");
        assert!(!of(hundredths * 10 - 1, 1_000).at_least(threshold));
    }
    assert!(!of(0, 0).at_least(0.0));
}

#[test]
fn most_lost_lines_are_just_below_the_share() {
    for total in 1..400 {
        for share in [0.01, 0.07, 0.33, 0.5, 0.9, 1.0] {
            let reaches = |lost: usize| LostPart { lost, total }.share() >= share;
            let most = most_lost(total, share);
            assert!(!most.is_some_and(reaches), "{total}, {share}");
            let next = most.map_or(0, |most| most + 1);
            assert!(reaches(next), "{total}, {share}");
        }
        assert_eq!(most_lost(total, 0.0), None);
    }
}

fn surely_modify(old: &str, new: &str) -> bool {
    let old = Text::of(old.as_bytes());
    let new = Text::of(new.as_bytes());
    is_surely_modify(&old, &new, &Thresholds::default())
}

/// Lines of which the first `changed` have another word.
fn with_changed(lines: usize, changed: usize) -> String {
    let word = |at| if at < changed { "new" } else { "old" };
    (0..lines)
        .map(|at| format!("{} {at}\n", word(at)))
        .collect()
}

#[test]
fn a_small_file_and_a_small_loss_need_no_counting() {
    let surely =
        |lines, changed| surely_modify(&with_changed(lines, 0), &with_changed(lines, changed));
    assert!(surely(100, 100), "it has at most 100 lines");
    assert!(!surely(101, 101));
    assert!(surely(200, 60));
    assert!(surely(200, 99));
    assert!(!surely(200, 100), "half is lost");
    let long = "word ".repeat(9_000);
    assert!(!surely_modify(&long, &long), "words are not looked at");
}

#[test]
fn fifty_lines_with_content_may_be_lost_of_few() {
    let brackets = "}\n".repeat(100);
    let old = with_changed(60, 0) + &brackets;
    assert!(surely_modify(&old, &(with_changed(60, 50) + &brackets)));
    assert!(!surely_modify(&old, &(with_changed(60, 51) + &brackets)));
    // Half of many lines with content are too many, however many others there are.
    let of_many = |changed| with_changed(200, changed) + &brackets;
    assert!(surely_modify(&of_many(0), &of_many(99)));
    assert!(!surely_modify(&of_many(0), &of_many(100)));
}
