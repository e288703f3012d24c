//! Runs guard and git in turns, and prints a line per case.

use std::process::{Command, Stdio};
use std::time::Instant;

use super::GUARD;
use super::common::Repo;

const GIT: &[&str] = &["diff", "--cached", "--numstat", "--no-renames"];
pub(crate) const LINT: &[&str] = &["lint", "--quiet"];

/// What is run side by side.
#[derive(Clone, Copy)]
pub(crate) struct Commands<'a> {
    pub(crate) guard: &'a [&'a str],
    pub(crate) git: &'a [&'a str],
    /// Whether the processor's caches hold other data at the start of each run, as between the commits of a person.
    pub(crate) is_cold: bool,
}

pub(crate) const STAGED: Commands<'_> = Commands {
    guard: LINT,
    git: GIT,
    is_cold: false,
};

/// The columns of [`line`].
pub(crate) fn head() {
    println!(
        "{:<44} {:>5} {:>10} {:>10} {:>6} {:>6} {:>10} {:>10}",
        "case", "pairs", "guard ms", "git ms", "ratio", "aim", "guard KiB", "git KiB"
    );
}

/// What a line of the table measures; guard exits with `code`.
pub(crate) struct Case<'a> {
    pub(crate) name: &'a str,
    /// How often both commands run, unless the benchmark is quick.
    pub(crate) pairs: usize,
    pub(crate) commands: Commands<'a>,
    pub(crate) code: i32,
    /// The ratio to stay below.
    pub(crate) aim: &'a str,
}

/// Both commands side by side.
pub(crate) fn line((scale, memory): (&Scale, &Memory), repo: &Repo, case: &Case<'_>) {
    let (name, code, aim) = (case.name, case.code, case.aim);
    let Commands { guard, git, .. } = case.commands;
    let lint = timed(repo, &GUARD, guard);
    assert_eq!(lint.code, code, "{name}: the wrong verdict is not timed");
    let peaks = [(GUARD.as_str(), guard), ("git", git)];
    let [guard_peak, git_peak] = peaks.map(|(program, run)| memory.peak(repo, program, run));
    let pairs = scale.pairs(case.pairs);
    let runs = [(GUARD.as_str(), guard), ("git", git)];
    let (guard, git, ratio) = race(repo, runs, case.commands.is_cold, pairs);
    println!(
        "{name:<44} {pairs:>5} {guard:>10.2} {git:>10.2} {ratio:>6.2} {aim:>6} {guard_peak:>10} {git_peak:>10}",
    );
}

/// How much of everything.
pub(crate) struct Scale {
    pub(crate) quick: bool,
}

impl Scale {
    pub(crate) fn of(&self, full: usize) -> usize {
        if self.quick { full / 100 } else { full }
    }

    pub(crate) fn pairs(&self, full: usize) -> usize {
        if self.quick { 3 } else { full }
    }
}

/// One run of a program.
pub(crate) struct Run {
    pub(crate) milliseconds: f64,
    pub(crate) code: i32,
}

pub(crate) fn quiet(command: &mut Command) -> &mut Command {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
}

pub(crate) fn timed(repo: &Repo, program: &str, arguments: &[&str]) -> Run {
    timed_with(Stdio::null(), repo, program, arguments)
}

pub(crate) fn timed_with(input: Stdio, repo: &Repo, program: &str, arguments: &[&str]) -> Run {
    let mut command = repo.command(program);
    quiet(&mut command).stdin(input).args(arguments);
    let start = Instant::now();
    let status = command.status().unwrap();
    Run {
        milliseconds: start.elapsed().as_secs_f64() * 1000.0,
        code: status.code().expect("no death by signal"),
    }
}

/// A program with its arguments.
pub(crate) type ProgramRun<'a> = (&'a str, &'a [&'a str]);

/// The medians of the times of two commands, and of the ratio within a pair; who starts alternates.
pub(crate) fn race(
    repo: &Repo,
    [one, other]: [ProgramRun<'_>; 2],
    is_cold: bool,
    pairs: usize,
) -> (f64, f64, f64) {
    let run = |(program, arguments): ProgramRun<'_>| {
        if is_cold {
            fill_processor_caches();
        }
        timed(repo, program, arguments).milliseconds
    };
    run(one);
    run(other);
    let mut times = (Vec::new(), Vec::new(), Vec::new());
    for pair in 0..pairs {
        let (a, b) = if pair % 2 == 0 {
            let a = run(one);
            (a, run(other))
        } else {
            let b = run(other);
            (run(one), b)
        };
        times.0.push(a);
        times.1.push(b);
        times.2.push(a / b);
    }
    (median(times.0), median(times.1), median(times.2))
}

/// Fills the processor's caches with something else.
pub(crate) fn fill_processor_caches() {
    let other = vec![1_u8; 128 << 20];
    let sum: u64 = other.iter().step_by(64).map(|&byte| u64::from(byte)).sum();
    assert_eq!(std::hint::black_box(sum), 2 << 20);
}

/// The median time of a run of guard that exits with `code`, in milliseconds.
pub(crate) fn typical(repo: &Repo, arguments: &[&str], code: i32, runs: usize) -> f64 {
    let first = timed(repo, &GUARD, arguments);
    assert_eq!(first.code, code, "guard {arguments:?}");
    let times = (0..runs).map(|_| timed(repo, &GUARD, arguments).milliseconds);
    median(times.collect())
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        (values[middle - 1] + values[middle]) / 2.0
    }
}

/// What measures the peak of resident memory.
pub(crate) enum Memory {
    Time,
    Python,
    Nothing,
}

impl Memory {
    const SCRIPT: &str = "import resource,subprocess,sys\n\
        null=subprocess.DEVNULL\n\
        subprocess.call(sys.argv[2:],stdin=null,stdout=null,stderr=null)\n\
        peak=resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n\
        open(sys.argv[1],'w').write(str(peak))";

    pub(crate) fn find() -> Memory {
        let works = |program: &str, arguments: &[&str]| {
            let mut command = Command::new(program);
            quiet(command.args(arguments))
                .status()
                .is_ok_and(|status| status.success())
        };
        if works("/usr/bin/time", &["-f", "%M", "true"]) {
            Memory::Time
        } else if works("python3", &["-c", "import resource"]) {
            Memory::Python
        } else {
            Memory::Nothing
        }
    }

    pub(crate) fn source(&self) -> &'static str {
        match self {
            Memory::Time => "peak resident set by /usr/bin/time -f %M",
            Memory::Python => {
                "peak resident set by Python's resource module (never below Python's own)"
            }
            Memory::Nothing => "not measured: neither /usr/bin/time nor python3 is here",
        }
    }

    /// The largest of three peaks in KiB, or a dash.
    pub(crate) fn peak(&self, repo: &Repo, program: &str, arguments: &[&str]) -> String {
        let report = repo.path("../peak");
        let once = || {
            let mut command = match self {
                Memory::Time => {
                    let mut time = repo.command("/usr/bin/time");
                    time.args(["-q", "-f", "%M", "-o"]).arg(&report);
                    time
                }
                Memory::Python => {
                    let mut python = repo.command("python3");
                    python.args(["-c", Memory::SCRIPT]).arg(&report);
                    python
                }
                Memory::Nothing => return None,
            };
            quiet(command.arg(program).args(arguments))
                .status()
                .unwrap();
            let text = std::fs::read_to_string(&report).unwrap();
            text.trim().parse::<u64>().ok()
        };
        let peaks = (0..3).filter_map(|_| once());
        peaks.max().map_or("-".to_owned(), |peak| peak.to_string())
    }
}
