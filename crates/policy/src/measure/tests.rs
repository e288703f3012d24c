//! Scenarios of whole steps, by the numbers of requirement 000.

use super::*;

const LIMITS: Thresholds = Thresholds {
    lines: 100,
    share: 0.5,
};

fn lines(range: std::ops::Range<usize>) -> String {
    range.map(|n| format!("line {n}\n")).collect()
}

fn step(old: impl AsRef<[u8]>, new: impl AsRef<[u8]>) -> Measured {
    measure(
        Some((Kind::File, old.as_ref())),
        Some((Kind::File, new.as_ref())),
        &LIMITS,
    )
}

/// `old` lines of which the first `lost` are rewritten.
fn rewrite(old: usize, lost: usize) -> Measured {
    let new: String = (0..lost).map(|n| format!("new {n}\n")).collect();
    step(lines(0..old), new + &lines(lost..old))
}

#[test]
fn scenario_010_a_new_file() {
    let measured = measure(None, Some((Kind::File, b"a\nb\n")), &LIMITS);
    assert_eq!(measured.class, Class::New);
    assert_eq!(
        (measured.original_lines, measured.new_lines),
        (None, Some(2))
    );
    assert_eq!(measured.lost, Lost::NOTHING);
    assert!(!measured.large);
}

#[test]
fn scenario_020_a_small_file_is_overwritten() {
    let measured = step(lines(0..50), "stub\n");
    assert_eq!(measured.class, Class::Modify);
    assert_eq!(measured.lost.share(), 1.0);
}

#[test]
fn scenario_030_a_fifth_of_a_large_file_changes() {
    assert_eq!(rewrite(270, 54).class, Class::Modify);
}

#[test]
fn scenarios_040_and_050_four_fifths_of_a_large_file_change() {
    let measured = rewrite(270, 216);
    assert_eq!(measured.class, Class::Replace);
    assert_eq!(
        (measured.original_lines, measured.new_lines),
        (Some(270), Some(270))
    );
    assert_eq!(measured.lost.share(), 0.8);
}

#[test]
fn scenario_100_an_empty_file_is_filled() {
    let measured = step("", lines(0..500));
    assert_eq!(measured.class, Class::Modify);
    assert_eq!(
        (measured.lost.all.total, measured.original_lines),
        (0, Some(0))
    );
}

#[test]
fn scenario_110_text_that_turns_binary_is_a_conversion() {
    let measured = step("a\n", b"a\0b\n");
    assert_eq!(measured.conversion, Some(Conversion::Binary));
    assert_eq!((measured.lost.all.lost, measured.new_lines), (1, None));
}

#[test]
fn one_hundred_lines_is_not_more_than_one_hundred() {
    assert_eq!(step(lines(0..100), "").class, Class::Modify);
    assert_eq!(step(lines(0..101), "").class, Class::Replace);
    assert!(!rewrite(100, 0).large);
    assert!(rewrite(101, 0).large);
}

#[test]
fn exactly_half_is_replace() {
    assert_eq!(rewrite(200, 100).class, Class::Replace);
    assert_eq!(rewrite(200, 99).class, Class::Modify);
    assert_eq!(rewrite(101, 50).class, Class::Modify, "49.5 %");
    assert_eq!(rewrite(101, 51).class, Class::Replace);
}

#[test]
fn az_41_a_module_of_314_lines_becomes_one_of_55() {
    // 24 lines survive and 31 are new, as in the accident the rule was made for.
    let new: String = (0..31).map(|n| format!("new {n}\n")).collect();
    let measured = step(lines(0..314), lines(0..24) + &new);
    assert_eq!(measured.class, Class::Replace);
    assert_eq!(
        (measured.original_lines, measured.new_lines),
        (Some(314), Some(55))
    );
    assert_eq!(
        (measured.lost.all.lost, measured.lost.all.total),
        (290, 314)
    );
}

#[test]
fn a_file_that_doubles_is_not_replaced() {
    assert_eq!(step(lines(0..200), lines(0..400)).class, Class::Modify);
}

#[test]
fn a_rewrite_of_line_endings_or_indentation_loses_nothing() {
    let old = lines(0..200);
    let endings = step(&old, old.replace('\n', "\r\n"));
    assert_eq!(endings.class, Class::Modify);
    assert_eq!(endings.lost.all.lost, 0);
    let indented = step(&old, old.replace("line", "    line"));
    assert_eq!(indented.class, Class::Modify);
    assert_eq!(indented.lost.all.lost, 0);
}

#[test]
fn a_deletion_loses_everything() {
    let old = lines(0..101);
    let measured = measure(Some((Kind::File, old.as_bytes())), None, &LIMITS);
    assert_eq!(measured.class, Class::Delete);
    assert_eq!((measured.lost.all.lost, measured.large), (101, true));
}

#[test]
fn a_large_minified_file_is_replaced_although_it_has_one_line() {
    let old = |bytes: usize| "f(1);".repeat(2_000)[..bytes].to_owned();
    let measured = step(old(8_193), "stub();");
    assert_eq!(measured.class, Class::Replace);
    assert_eq!(measured.original_lines, Some(1));
    assert_eq!(step(old(8_192), "stub();").class, Class::Modify);
}

#[test]
fn long_lines_are_large_by_their_bytes_in_any_script() {
    let chinese = "\u{8fd9}\u{662f}\u{4e00}\u{4e2a}\u{6587}\u{4ef6}\u{3002}".repeat(60) + "\n";
    let latin = "lorem ipsum dolor sit amet ".repeat(60) + "\n";
    for line in [chinese, latin] {
        let measured = step(line.repeat(90), line.clone());
        assert_eq!(measured.class, Class::Replace, "{measured:?}");
        assert_eq!(measured.lost.unit, Unit::Tokens);
        assert_eq!(step(line.repeat(90), line.repeat(80)).class, Class::Modify);
    }
}

#[test]
fn text_with_few_nuls_is_measured_by_lines() {
    let dump = |range| lines(range) + "\0";
    assert_eq!(step(dump(0..300), dump(0..30)).class, Class::Replace);
    assert_eq!(step(dump(0..300), dump(0..290)).class, Class::Modify);
    assert_eq!(step(dump(0..300), lines(0..300)).conversion, None);
    let hidden = step(lines(0..300), dump(0..300));
    assert_eq!(
        hidden.conversion,
        Some(Conversion::Binary),
        "no review shows it"
    );
}

#[test]
fn utf16_without_a_mark_is_measured_by_lines() {
    let wide = |range| -> Vec<u8> {
        lines(range)
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect()
    };
    assert_eq!(step(wide(0..300), wide(0..30)).class, Class::Replace);
    assert_eq!(step(wide(0..300), lines(0..300)).lost.all.lost, 0);
}

#[test]
fn carriage_returns_to_newlines_and_back_lose_nothing() {
    let unix = lines(0..148);
    let mac = unix.replace('\n', "\r");
    for (old, new) in [(&unix, &mac), (&mac, &unix)] {
        let measured = step(old, new);
        assert_eq!((measured.class, measured.lost.all.lost), (Class::Modify, 0));
        assert_eq!(measured.original_lines, Some(148));
    }
    let gutted = lines(0..10).replace('\n', "\r");
    assert_eq!(step(mac, gutted).class, Class::Replace);
}

/// A made-up image of this many bytes.
fn image(bytes: usize, seed: usize) -> Vec<u8> {
    let mut number = seed;
    let mut next = || {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (number >> 32) as u8
    };
    let mut image = b"\x89PNG\r\n\x1a\n\0".to_vec();
    image.extend(std::iter::repeat_with(&mut next).take(bytes - 9));
    image
}

#[test]
fn a_binary_that_becomes_text_or_empty_is_lost_whole() {
    let large = image(8_193, 1);
    let text = step(&large, "text\n");
    assert_eq!(text.conversion, Some(Conversion::Text));
    assert_eq!((text.class, text.lost.share()), (Class::Replace, 1.0));
    let emptied = step(&large, "");
    assert_eq!(emptied.conversion, Some(Conversion::Emptied));
    assert!(emptied.large);
    assert!(!step(image(8_192, 1), "").large);
    let gone = measure(Some((Kind::File, &large)), None, &LIMITS);
    assert!(gone.large && gone.class == Class::Delete);
    let other = step(&large, image(9_000, 2));
    assert_eq!((other.class, other.conversion), (Class::Modify, None));
    assert_eq!(other.lost, Lost::NOTHING);
}

#[test]
fn changing_the_kind_of_content_is_a_conversion() {
    let old = lines(0..5);
    let pointer = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 1\n",
        "a".repeat(64)
    );
    let mut wide = b"\xfe\xff".to_vec();
    wide.extend(old.encode_utf16().flat_map(u16::to_be_bytes));
    let conversion = |new: &[u8]| step(&old, new).conversion;
    assert_eq!(conversion(pointer.as_bytes()), Some(Conversion::LfsPointer));
    assert_eq!(conversion(&wide), Some(Conversion::WideText));
    assert_eq!(conversion(b""), Some(Conversion::Emptied));
    assert_eq!(conversion(b" \n\n"), Some(Conversion::Emptied));
    assert_eq!(conversion(b"stub\n"), None);
    assert_eq!(
        step(b"\0png", &pointer).conversion,
        Some(Conversion::LfsPointer)
    );
    assert_eq!(step(&pointer, pointer.replace('a', "b")).conversion, None);
    assert_eq!(step(&pointer, &old).conversion, None);
    assert_eq!(step("", b"\0").conversion, None);
    assert_eq!(step(&wide, &old).conversion, None);
    assert_eq!(step(&wide, &old).lost.all.lost, 0);
}

#[test]
fn a_file_that_becomes_a_link_is_lost_and_a_link_that_becomes_a_file_is_not() {
    let old = lines(0..5);
    let file = Some((Kind::Executable, old.as_bytes()));
    let link = Some((Kind::Symlink, b"target".as_slice()));
    let measured = measure(file, link, &LIMITS);
    assert_eq!(measured.conversion, Some(Conversion::Symlink));
    assert_eq!((measured.lost.all.lost, measured.new_lines), (5, None));
    let measured = measure(link, file, &LIMITS);
    assert_eq!((measured.conversion, measured.lost), (None, Lost::NOTHING));
    let module = Some((Kind::Submodule, b"".as_slice()));
    assert_eq!(
        measure(file, module, &LIMITS).conversion,
        Some(Conversion::Submodule)
    );
}

#[test]
fn a_binary_file_that_changes_is_a_modification_without_lines() {
    let measured = step(b"\0one\n", b"\0two\n");
    assert_eq!(measured.class, Class::Modify);
    assert_eq!(measured.lost, Lost::NOTHING);
    assert_eq!(measured.conversion, None);
    assert_eq!((measured.original_lines, measured.new_lines), (None, None));
}

#[test]
fn class_names_are_the_published_ones() {
    let names = [Class::New, Class::Modify, Class::Replace, Class::Delete].map(Class::name);
    assert_eq!(names, ["NEW", "MODIFY", "REPLACE", "DELETE"]);
}

#[test]
fn a_loss_destroys_from_the_thresholds_on_and_by_another_kind_of_content() {
    assert!(!rewrite(10, 10).destroys(), "a small file");
    assert!(!rewrite(200, 99).destroys(), "less than half");
    assert!(rewrite(200, 100).destroys());
    let binary = step(lines(0..10), [0, 159, 146, 150].repeat(100));
    assert!(binary.destroys(), "{binary:?}");
    assert!(!binary.without_loss().destroys());
    let replaced = rewrite(200, 200).without_loss();
    assert_eq!(
        (replaced.class, replaced.lost),
        (Class::Modify, Lost::NOTHING)
    );
}

#[test]
fn the_lost_share_is_known_of_a_text_without_lines_and_of_a_binary_file_with_content() {
    assert_eq!(step("", "a\n").lost_share(), Some(0.0));
    assert_eq!(rewrite(4, 1).lost_share(), Some(0.25));
    let created = measure(None, Some((Kind::File, b"a\n")), &LIMITS);
    assert_eq!(created.lost_share(), None);
    let gone = measure(Some((Kind::File, &[0, 159, 146, 150])), None, &LIMITS);
    assert!(gone.lost_share().is_some(), "{gone:?}");
}

#[test]
fn words_are_kept_wherever_they_stand_and_each_once() {
    for (old, new, expected) in [
        ("", "a", 1.0),
        ("a b", "b\n\na", 0.0),
        ("a b", "b", 0.5),
        ("a a a b", "a", 0.75),
        ("a", "", 1.0),
    ] {
        assert_eq!(
            lost_words(old.as_bytes(), new.as_bytes()),
            expected,
            "{old:?} {new:?}"
        );
    }
}

#[test]
fn a_loss_weighs_more_by_its_class_then_by_the_size_of_the_file_then_by_its_share() {
    let deleted = |count| {
        let content = lines(0..count);
        measure(Some((Kind::File, content.as_bytes())), None, &LIMITS)
    };
    let binary = || [0, 159, 146, 150].repeat(100);
    let rising = [
        rewrite(10, 1),
        rewrite(10, 2),
        deleted(10),
        deleted(200),
        rewrite(200, 150),
        rewrite(200, 200),
        step(lines(0..200), binary()),
    ];
    for pair in rising.windows(2) {
        assert!(pair[0].weight() < pair[1].weight(), "{pair:?}");
    }
}

#[test]
fn a_large_binary_file_of_which_less_than_half_remains_is_replaced() {
    let size = |bytes: usize| step(image(20_000, 1), image(bytes, 2));
    assert_eq!(size(10_000).class, Class::Modify);
    assert_eq!(size(9_999).class, Class::Replace);
    assert_eq!(size(9_999).lost.all.lost, 10_001);
    assert_eq!(size(40_000).class, Class::Modify);
    assert_eq!(step(image(8_192, 1), image(9, 2)).class, Class::Modify);
}

#[test]
fn a_small_loss_is_no_reformat_even_if_the_words_are_kept() {
    let old = "call(first, second)\n".repeat(200);
    let one = old.replacen(", ", ",\n  ", 1);
    let all = old.replace(", ", ",\n  ");
    let small = step(&old, &one);
    assert_eq!((small.class, small.reformatted), (Class::Modify, false));
    let large = step(&old, &all);
    assert_eq!((large.class, large.reformatted), (Class::Modify, true));
    // As many other words are a rewrite.
    let other = step(&old, old.replace("call(", "do(\n  the_"));
    assert_eq!((other.class, other.reformatted), (Class::Replace, false));
}
