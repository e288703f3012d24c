//! How time and memory grow: lines of a file, entries of the index, rows of a design. From ten times to ten times as much,
//! an exponent of 1 is ten times as long.

use super::GUARD;
use super::common::Repo;
use super::measuring::{LINT, Memory, Scale, typical};
use super::repositories::{govern_rows, rewritten, tracked};

/// A size with its repository.
type Sized = fn(usize) -> Repo;

/// What grows, up to what, and the exit code of `guard lint`.
const SERIES: &[(&str, usize, Sized, i32)] = &[
    (
        "lines, 45 % edited",
        1_000_000,
        |lines| rewritten(lines, 45),
        0,
    ),
    (
        "lines, 85 % edited",
        1_000_000,
        |lines| rewritten(lines, 85),
        1,
    ),
    (
        "entries, one staged",
        1_000_000,
        |entries| tracked(entries, 1),
        0,
    ),
    ("rows", 10_000, |rows| govern_rows(rows), 0),
];

/// A line per size, and the exponents between the last two.
pub(crate) fn measure(scale: &Scale, memory: &Memory) {
    println!(
        "{:<24} {:>10} {:>10} {:>10}",
        "series", "size", "guard ms", "guard KiB"
    );
    for (name, most, repository, code) in SERIES {
        let most = scale.of(*most);
        let mut found: Vec<(f64, f64)> = Vec::new();
        let mut size = 10;
        while size <= most {
            let repo = repository(size);
            // A small file is no large one.
            let code = if size > 100 { *code } else { 0 };
            let time = typical(&repo, LINT, code, scale.pairs(7));
            let peak = memory.peak(&repo, &GUARD, LINT);
            println!("{name:<24} {size:>10} {time:>10.2} {peak:>10}");
            found.push((time, peak.parse().unwrap_or(f64::NAN)));
            size *= 10;
        }
        if let [.., before, last] = found[..] {
            let (time, memory) = ((last.0 / before.0).log10(), (last.1 / before.1).log10());
            println!("{name:<24} exponent of time {time:.2}, of memory {memory:.2}");
        }
    }
}
