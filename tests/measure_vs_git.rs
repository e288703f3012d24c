//! guard counts as many lost lines as `git diff --minimal --numstat` counts deleted ones, if blanks around lines do not
//! matter.

use crate::common::random::Random;
use std::fs;
use std::path::Path;
use std::process::Command;

use write_guard_policy::measure::{line_count, lost};

/// Lines without blanks around them; a part of them repeats, as braces do.
fn text(dice: &mut Random, size: usize, repeated: usize) -> Vec<String> {
    let line = |_| {
        if dice.below(100) < repeated {
            format!("common {}", dice.below(5))
        } else {
            format!("line {}", dice.below(1_000_000))
        }
    };
    (0..size).map(line).collect()
}

/// Deletes, inserts, rewrites, repeats and moves lines at the given rate.
fn edit(dice: &mut Random, old: &[String], percent: usize) -> Vec<String> {
    let mut new = Vec::new();
    for line in old {
        if dice.below(100) >= percent {
            new.push(line.clone());
            continue;
        }
        match dice.below(5) {
            0 => {}
            1 => new.extend([line.clone(), format!("new {}", dice.below(1_000))]),
            2 => new.push(format!("new {}", dice.below(1_000_000))),
            3 => new.extend([line.clone(), line.clone()]),
            _ => {
                let place = dice.below(new.len() + 1);
                new.insert(place, line.clone());
            }
        }
    }
    new
}

/// Every line has its newline: a last line without one differs from the same
/// line elsewhere for git, and does not for guard.
fn blob(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The deleted column of numstat for every file of the two directories that differs.
fn numstat(dir: &Path) -> Vec<(String, usize)> {
    let output = Command::new("git")
        .args(["diff", "--no-index", "--numstat"])
        .args(["--no-renames", "--no-ext-diff", "--diff-algorithm=minimal"])
        .args(["old", "new"])
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", dir.join("none"))
        .current_dir(dir)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let counted = String::from_utf8(output.stdout).unwrap();
    let counted = counted.lines().map(|line| {
        let mut columns = line.split('\t').skip(1);
        let deleted = columns.next().unwrap().parse().unwrap();
        let (_, name) = columns.next().unwrap().rsplit_once('/').unwrap();
        (name.trim_end_matches('}').to_owned(), deleted)
    });
    counted.collect()
}

#[test]
fn lost_lines_never_exceed_gits_deleted_lines() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("old")).unwrap();
    fs::create_dir(dir.path().join("new")).unwrap();
    let mut dice = Random(0x5eed_cafe_f00d_1234);
    let mut expected = Vec::new();
    for pair in 0..400 {
        let most = if pair % 40 == 0 { 4_900 } else { 400 };
        let size = 1 + dice.below(most);
        let repeated = [0, 20, 60, 95][pair % 4];
        let old = text(&mut dice, size, repeated);
        let percent = [2, 15, 50, 90, 100][pair % 5];
        let mut new = edit(&mut dice, &old, percent);
        if pair % 50 == 49 {
            new.clear();
        }
        let (old, new) = (blob(&old), blob(&new));
        let name = format!("{pair:03}");
        fs::write(dir.path().join("old").join(&name), &old).unwrap();
        fs::write(dir.path().join("new").join(&name), &new).unwrap();
        let measured = lost(old.as_bytes(), new.as_bytes());
        assert_eq!(measured.all.total, line_count(old.as_bytes()));
        if old != new {
            expected.push((name, measured.all.lost));
        }
    }
    assert!(expected.len() > 350, "the pairs hardly differ");
    let counted = numstat(dir.path());
    assert_eq!(counted.len(), expected.len());
    let mut fewer = 0;
    for (git, guard) in counted.iter().zip(&expected) {
        assert_eq!(git.0, guard.0);
        assert!(guard.1 <= git.1, "{}: {} above {}", git.0, guard.1, git.1);
        fewer += usize::from(guard.1 < git.1);
    }
    // Some versions of git skip frequent lines even if the shortest diff is requested.
    assert!(fewer <= 4, "{fewer} pairs differ");
}
