//! A report for people needs no lost shares, so guard does not count those that are surely below the thresholds. The
//! verdict is the same as where it counts all of them.

use std::fmt::Write as _;

use write_guard_policy::change::Kind;
use write_guard_policy::measure::{Class, Measured, Precision, Thresholds, measure, measure_if};
use write_guard_testing::random::Random;

/// Lines that repeat, as in code, and lines that do not.
fn line(random: &mut Random) -> String {
    match random.below(8) {
        0 => String::new(),
        1 => "}".to_owned(),
        2 => format!("    step({});", random.below(4)),
        _ => format!("    value_{} = 1;", random.below(1_000_000)),
    }
}

fn lines(random: &mut Random, count: usize) -> Vec<String> {
    (0..count).map(|_| line(random)).collect()
}

/// What people and programs do to a text: `share` hundredths of its lines become others, in one place or in many.
fn edited(random: &mut Random, old: &[String], share: usize) -> Vec<String> {
    let mut new = old.to_vec();
    let goal = old.len() * share / 100 + random.below(3);
    match random.below(4) {
        0 => {
            let start = random.below(old.len() + 1);
            let end = (start + goal).min(old.len());
            let other = random.below(goal + 1);
            new.splice(start..end, lines(random, other));
        }
        1 => {
            for _ in 0..goal.min(old.len()) {
                let at = random.below(new.len());
                match random.below(4) {
                    0 => drop(new.remove(at)),
                    1 => new.insert(at, line(random)),
                    _ => new[at] = line(random),
                }
                if new.is_empty() {
                    break;
                }
            }
        }
        2 => {
            for (at, line) in new.iter_mut().enumerate() {
                if at * 100 / (old.len() + 1) * goal % old.len().max(1) < goal {
                    line.push_str(" // other");
                }
            }
        }
        _ => {
            // A block moves.
            let length = goal.min(new.len());
            let start = random.below(new.len() - length + 1);
            let block: Vec<String> = new.drain(start..start + length).collect();
            let at = random.below(new.len() + 1);
            new.splice(at..at, block);
        }
    }
    new
}

/// Line endings, indentation, encodings and kinds of content.
fn bytes(random: &mut Random, lines: &[String]) -> Vec<u8> {
    let ending = ["\n", "\n", "\n", "\n", "\r\n", "\r", " \n"][random.below(7)];
    let indent = ["", "", "", "", "\t"][random.below(5)];
    let mut text = String::new();
    for line in lines {
        write!(text, "{indent}{line}{ending}").unwrap();
    }
    if random.one_in(5) {
        text.pop();
    }
    match random.below(60) {
        0 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        1 => [b"\0", text.as_bytes()].concat(),
        2 => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        3 => text.replace(';', "\0").into_bytes(),
        4 => b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n".to_vec(),
        5 => Vec::new(),
        6 => " \n".repeat(lines.len()).into_bytes(),
        // Tokens are counted.
        7 | 8 => text.replace('\n', " ").into_bytes(),
        _ => text.into_bytes(),
    }
}

/// What the rules read of a text that governs nothing.
fn deciding(measured: Option<Measured>, thresholds: &Thresholds) -> Option<Measured> {
    measured.filter(|measured| {
        let is_replaced = measured.lost.exceeds_lines(thresholds.lines)
            && measured.lost.at_least(thresholds.share);
        is_replaced || measured.class != Class::Modify || measured.conversion.is_some()
    })
}

/// 4,000 pairs; 100,000 with `GUARD_LONG`, from a seed of `GUARD_SEED` if it is set.
#[test]
fn the_class_is_the_same_without_counting() {
    let long = std::env::var_os("GUARD_LONG").is_some();
    let seed = std::env::var("GUARD_SEED").ok();
    let mut random = Random(seed.map_or(13, |seed| seed.parse().unwrap()));
    let pairs = if long { 100_000 } else { 4_000 };
    let (mut spared, mut close, mut replaced) = (0, 0, 0);
    for round in 0..pairs {
        let thresholds = Thresholds {
            lines: [0, 10, 20, 100][random.below(4)],
            share: [0.5, 0.5, 0.1, 0.33, 0.9, 1.0][random.below(6)],
        };
        let size = match random.below(12) {
            0 => random.below(4),
            1 => 250 + random.below(400),
            _ => 5 + random.below(120),
        };
        let old = lines(&mut random, size);
        let near = (thresholds.share * 100.0) as usize;
        let share = match random.below(3) {
            0 => random.below(101),
            _ => (near + random.below(11)).saturating_sub(5),
        };
        let new = edited(&mut random, &old, share);
        let (old, new) = (bytes(&mut random, &old), bytes(&mut random, &new));
        let [old, new] = [&old, &new].map(|bytes| Some((Kind::File, bytes.as_slice())));
        let exact = measure(old, new, &thresholds);
        let quick = measure_if(old, new, &thresholds, Precision::Verdict);
        let told = format!("round {round}, {thresholds:?}");
        if quick.is_some() {
            assert_eq!(quick, Some(exact), "{told}");
        }
        let decides = deciding(Some(exact), &thresholds);
        assert_eq!(deciding(quick, &thresholds), decides, "{told}");
        let large = exact.lost.exceeds_lines(thresholds.lines);
        let distance = (exact.lost.share() - thresholds.share).abs() * exact.lost.all.total as f64;
        spared += usize::from(large && quick.is_none());
        close += usize::from(large && quick.is_none() && distance <= 2.0);
        replaced += usize::from(exact.class == Class::Replace);
    }
    assert!(spared * 6 > pairs, "{spared} of {pairs} are spared");
    assert!(close * 60 > pairs, "{close} of {pairs} are close");
    assert!(replaced * 6 > pairs, "{replaced} of {pairs} are replaced");
}
