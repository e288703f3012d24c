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
    assert_eq!((measured.lost.total, measured.original_lines), (0, Some(0)));
}

#[test]
fn scenario_110_text_that_turns_binary_is_a_conversion() {
    let measured = step("a\n", b"a\0b\n");
    assert_eq!(measured.conversion, Some(Conversion::Binary));
    assert_eq!((measured.lost.lost, measured.new_lines), (1, None));
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
    assert_eq!((measured.lost.lost, measured.lost.total), (290, 314));
}

#[test]
fn a_file_that_doubles_is_not_replaced() {
    assert_eq!(step(lines(0..200), lines(0..400)).class, Class::Modify);
}

#[test]
fn a_rewrite_of_line_endings_or_indentation_is_cosmetic() {
    let old = lines(0..200);
    let endings = step(&old, old.replace('\n', "\r\n"));
    assert_eq!(endings.class, Class::Modify);
    assert_eq!(endings.cosmetic, Some(Cosmetic::LineEndings));
    let indented = step(&old, old.replace("line", "    line"));
    assert_eq!(indented.class, Class::Modify);
    assert_eq!(indented.cosmetic, Some(Cosmetic::Whitespace));
}

#[test]
fn a_deletion_loses_everything() {
    let old = lines(0..101);
    let measured = measure(Some((Kind::File, old.as_bytes())), None, &LIMITS);
    assert_eq!(measured.class, Class::Delete);
    assert_eq!((measured.lost.lost, measured.large), (101, true));
}

#[test]
fn a_large_minified_file_is_replaced_although_it_has_one_line() {
    let old: String = (0..1_001).map(|n| format!("f{n}();")).collect();
    let measured = step(&old, "stub();");
    assert_eq!(measured.class, Class::Replace);
    assert_eq!(measured.original_lines, Some(1));
    let small: String = (0..1_000).map(|n| format!("f{n}();")).collect();
    assert_eq!(step(&small, "stub();").class, Class::Modify);
}

#[test]
fn content_that_becomes_something_else_is_a_conversion() {
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
    assert_eq!(step(&wide, &old).lost.lost, 0);
}

#[test]
fn a_file_that_becomes_a_link_is_lost_and_a_link_that_becomes_a_file_is_not() {
    let old = lines(0..5);
    let file = Some((Kind::Executable, old.as_bytes()));
    let link = Some((Kind::Symlink, b"target".as_slice()));
    let measured = measure(file, link, &LIMITS);
    assert_eq!(measured.conversion, Some(Conversion::Symlink));
    assert_eq!((measured.lost.lost, measured.new_lines), (5, None));
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
