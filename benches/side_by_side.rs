//! guard compared with git, A/B interleaved: `guard lint` against `git diff --cached --numstat --no-renames`, a range against
//! `git diff --numstat --no-renames A...B`, and every commit of one against
//! `git log --first-parent --raw --numstat --no-renames A..B`.
//!
//! `cargo bench --bench side_by_side` measures, with the name of a group (`ranges`, `staged`, `against`, `growth`, `designs`, `documents`, `files`,
//! `checkpoints`, `overlap`) behind it only that; `GUARD_BENCH_QUICK=1` makes everything a hundred times smaller, to see that it runs;
//! `GUARD_BENCH_BINARY=FILE` measures another guard, such as the released one that `.ci/release` builds, and
//! `GUARD_BENCH_AGAINST=FILE` is an earlier one, compared with which `against` says what became slower. Wall-clock times
//! of whole processes, medians; `ratio` is the median over the pairs of guard's time by git's, so below 1 guard is the
//! faster one; `aim` is what it should be at most.
//! Both programs run in the same repository with its pages in memory, in an environment without anybody's
//! configuration, and write to nowhere. Memory is the largest of three runs and should not exceed git's; for ranges
//! it should stay below 200 MiB (204,800 KiB).

// The benchmark makes the repositories that it measures.
#![allow(clippy::disallowed_methods)]
// A group measures one case after the other.
#![allow(clippy::shadow_unrelated, clippy::too_many_lines)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::print_stdout
)]

#[path = "side_by_side/checkpoints.rs"]
mod checkpoints;
#[path = "../tests/common/mod.rs"]
mod common;
#[path = "side_by_side/documents.rs"]
mod documents;
#[path = "side_by_side/files.rs"]
mod files;
#[path = "side_by_side/growth.rs"]
mod growth;
#[path = "side_by_side/measuring.rs"]
mod measuring;
#[path = "side_by_side/overlap.rs"]
mod overlap;
#[path = "side_by_side/repositories.rs"]
mod repositories;

use std::path::Path;
use std::sync::LazyLock;

use common::Repo;
use measuring::{
    Case, Commands, LINT, Memory, STAGED, Scale, head, line, median, race, timed, timed_with,
    typical,
};
use repositories::{
    edited, govern_with_text, history, in_directories, name, rewritten, skip_missing, text,
    tracked, unchanged, use_design,
};

/// guard as it is installed: a copy, as `cargo install` makes one. What a linker wrote lies in memory in smaller pieces
/// until it is read again, which makes every start half a millisecond longer.
static GUARD: LazyLock<String> = LazyLock::new(|| {
    let installed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guard");
    let built = std::env::var("GUARD_BENCH_BINARY");
    std::fs::copy(built.as_deref().unwrap_or(common::GUARD), &installed).unwrap();
    installed.to_str().unwrap().to_owned()
});

/// Name, pairs of runs, repository, exit code of guard, and the ratio to stay below.
type StagedCase = (&'static str, usize, fn(&Scale) -> Repo, i32, &'static str);

/// Staged changes of every size.
const STAGED_CASES: &[StagedCase] = &[
    ("start-up: nothing staged", 60, |_| unchanged(), 0, "1.0"),
    ("10 staged of 10", 60, |_| tracked(10, 10), 0, "0.9"),
    (
        "none of 50,000 in 31,000 directories",
        40,
        |scale| in_directories(scale.of(50_000), 0),
        0,
        "0.45",
    ),
    (
        "20 of 50,000 in 31,000 directories",
        40,
        |scale| in_directories(scale.of(50_000), 20),
        0,
        "0.55",
    ),
    (
        "20 of 500,000",
        20,
        |scale| tracked(scale.of(500_000), 20),
        0,
        "0.28",
    ),
    (
        "5,000 of 300 lines, a row each",
        15,
        |scale| edited(scale.of(5_000), 300),
        0,
        "0.45",
    ),
    (
        "one of 200,000 lines, 45 % edited",
        15,
        |scale| rewritten(scale.of(200_000), 45),
        0,
        "0.45",
    ),
    (
        "one of 200,000 lines, 85 % edited",
        15,
        |scale| rewritten(scale.of(200_000), 85),
        1,
        "1.0",
    ),
];

/// How much slower than another guard is too slow: measurements differ by less.
const SLOWER: f64 = 1.1;

/// This guard and the one in `GUARD_BENCH_AGAINST`, and which cases became slower.
fn against(scale: &Scale, _: &Memory) {
    let Ok(other) = std::env::var("GUARD_BENCH_AGAINST") else {
        println!("GUARD_BENCH_AGAINST names no other guard");
        return;
    };
    println!(
        "{:<44} {:>10} {:>10} {:>6}",
        "case", "guard ms", "other ms", "ratio"
    );
    let mut slower = Vec::new();
    for (name, pairs, repository, ..) in STAGED_CASES {
        let runs = [(GUARD.as_str(), LINT), (other.as_str(), LINT)];
        let (guard, before, ratio) = race(&repository(scale), runs, false, scale.pairs(*pairs));
        println!("{name:<44} {guard:>10.2} {before:>10.2} {ratio:>6.2}");
        if ratio > SLOWER {
            slower.push(*name);
        }
    }
    println!(
        "slower: {}",
        if slower.is_empty() {
            "nothing".to_owned()
        } else {
            slower.join("; ")
        }
    );
}

fn main() {
    let scale = Scale {
        quick: std::env::var_os("GUARD_BENCH_QUICK").is_some(),
    };
    let memory = Memory::find();
    println!("memory: {}", memory.source());
    let group = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'));
    type Group = (&'static str, fn(&Scale, &Memory));
    let groups: [Group; 9] = [
        ("ranges", ranges),
        ("staged", staged),
        ("against", against),
        ("growth", growth::measure),
        ("designs", |scale, _| design_and_look_up(scale)),
        ("documents", |scale, _| documents::measure(scale)),
        ("files", files::measure),
        ("checkpoints", |scale, _| checkpoints::measure(scale)),
        ("overlap", |scale, _| overlap::measure(scale)),
    ];
    let is_wanted = |name: &str| group.as_deref().is_none_or(|group| group == name);
    let mut wanted = groups.iter().filter(|(name, _)| is_wanted(name)).peekable();
    assert!(wanted.peek().is_some(), "no group is named {group:?}");
    for (name, measure) in wanted {
        println!("\n{name}");
        measure(&scale, &memory);
    }
}

/// Ranges of commits.
fn ranges(scale: &Scale, memory: &Memory) {
    head();
    let line = |name: &str, pairs, repo: &Repo, commands, aim: &str| {
        let case = Case {
            name,
            pairs,
            commands,
            code: 0,
            aim,
        };
        line((scale, memory), repo, &case);
    };
    let (repo, base) = history(scale.of(800));
    let (of_guard, of_git) = (format!("{base}..HEAD"), format!("{base}...HEAD"));
    let commands = Commands {
        guard: &["lint", "--quiet", "--range", &of_guard],
        git: &["diff", "--numstat", "--no-renames", &of_git],
        is_cold: false,
    };
    line("net range of 800 commits", 60, &repo, commands, "0.5");
    let (repo, base) = history(scale.of(5_000));
    let range = format!("{base}..HEAD");
    let log = [
        "log",
        "--first-parent",
        "--raw",
        "--numstat",
        "--no-renames",
    ];
    let commands = Commands {
        guard: &["lint", "--quiet", "--each-commit", "--range", &range],
        git: &[&log[..], &[&range]].concat(),
        is_cold: false,
    };
    line("each of 5,000 commits", 15, &repo, commands, "1.0");
}

/// Staged changes.
fn staged(scale: &Scale, memory: &Memory) {
    head();
    for (name, pairs, repository, code, aim) in STAGED_CASES {
        let repo = repository(scale);
        let case = Case {
            name,
            pairs: *pairs,
            commands: STAGED,
            code: *code,
            aim,
        };
        line((scale, memory), &repo, &case);
        let commands = Commands {
            is_cold: true,
            ..STAGED
        };
        let name = &format!("{name}, cold");
        line(
            (scale, memory),
            &repo,
            &Case {
                name,
                commands,
                ..case
            },
        );
    }
    let repo = edited(scale.of(5_000), 300);
    for (name, issue) in [("one directory row", "189"), ("no design", "")] {
        match issue {
            // Without a design, `missing = "skip"` leaves out the scope.
            "" => skip_missing(&repo),
            issue => use_design(&repo, issue),
        }
        let case = Case {
            name: &format!("5,000 staged, {name}"),
            pairs: 15,
            commands: STAGED,
            code: 0,
            aim: "0.45",
        };
        line((scale, memory), &repo, &case);
    }
}

/// What a design of 50 KB and a look-up among 8,000 grants cost, by the difference of two runs.
fn design_and_look_up(scale: &Scale) {
    let runs = scale.pairs(40);
    let repo = unchanged();
    let show: &[&str] = &["scope", "show", "--format", "json"];
    let start = typical(&repo, show, 0, runs);

    let size = govern_with_text(&repo, "190", 450);
    use_design(&repo, "190");
    let parse = typical(&repo, show, 0, runs) - start;
    println!(
        "design of {size} bytes, 450 rows: {parse:.2} ms over the {start:.2} ms of one of one row (aim: below 10 ms)"
    );

    let grants = scale.of(8_000);
    govern_with_text(&repo, "191", grants);
    use_design(&repo, "191");
    let known: Vec<String> = (0..grants.min(500)).map(name).collect();
    let unknown: Vec<String> = (0..500).map(|n| format!("lib/other_{n:05}.txt")).collect();
    for (what, code, paths) in [
        ("granted", 0, &known),
        ("refused, with closest path", 1, &unknown),
    ] {
        let mut check = vec!["check"];
        check.push(&paths[0]);
        let one = typical(&repo, &check, code, runs);
        check.extend(paths[1..].iter().map(String::as_str));
        let all = typical(&repo, &check, code, runs);
        let each = (all - one) * 1000.0 / (paths.len() - 1) as f64;
        println!(
            "look-up among {grants} grants, {what}: {each:.1} µs a path (aim: below 1000 µs; {one:.2} ms for one path)"
        );
    }
}
