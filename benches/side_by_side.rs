//! guard compared with git, A/B interleaved: `guard lint` against `git diff --cached --numstat --no-renames`, a range against
//! `git diff --numstat --no-renames A...B`, and every commit of one against
//! `git log --first-parent --raw --numstat --no-renames A..B`.
//!
//! `cargo bench --bench side_by_side` measures, with the name of a group (`ranges`, `staged`, `designs`, `documents`, `files`,
//! `checkpoints`) behind it only that; `GUARD_BENCH_QUICK=1` makes everything a hundred times smaller, to see that it runs;
//! `GUARD_BENCH_BINARY=FILE` measures another guard, such as the released one that `.ci/release` builds. Wall-clock times
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

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Instant;

use common::Repo;

/// guard as it is installed: a copy, as `cargo install` makes one. What a linker wrote lies in memory in smaller pieces
/// until it is read again, which makes every start half a millisecond longer.
static GUARD: LazyLock<String> = LazyLock::new(|| {
    let installed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guard");
    let built = std::env::var("GUARD_BENCH_BINARY");
    std::fs::copy(built.as_deref().unwrap_or(common::GUARD), &installed).unwrap();
    installed.to_str().unwrap().to_owned()
});

const GIT: &[&str] = &["diff", "--cached", "--numstat", "--no-renames"];
const LINT: &[&str] = &["lint", "--quiet"];

/// What is run side by side.
#[derive(Clone, Copy)]
struct Commands<'a> {
    guard: &'a [&'a str],
    git: &'a [&'a str],
    /// Whether the processor's caches hold other data at the start of each run, as between the commits of a person.
    is_cold: bool,
}

const STAGED: Commands<'_> = Commands {
    guard: LINT,
    git: GIT,
    is_cold: false,
};

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
    let groups: [Group; 6] = [
        ("ranges", ranges),
        ("staged", staged),
        ("designs", |scale, _| design_and_look_up(scale)),
        ("documents", |scale, _| documents::measure(scale)),
        ("files", files::measure),
        ("checkpoints", |scale, _| checkpoints::measure(scale)),
    ];
    let is_wanted = |name: &str| group.as_deref().is_none_or(|group| group == name);
    let mut wanted = groups.iter().filter(|(name, _)| is_wanted(name)).peekable();
    assert!(wanted.peek().is_some(), "no group is named {group:?}");
    for (name, measure) in wanted {
        println!("\n{name}");
        measure(&scale, &memory);
    }
}

/// The columns of [`line`].
fn head() {
    println!(
        "{:<44} {:>5} {:>10} {:>10} {:>6} {:>6} {:>10} {:>10}",
        "case", "pairs", "guard ms", "git ms", "ratio", "aim", "guard KiB", "git KiB"
    );
}

/// What a line of the table measures; guard exits with `code`.
struct Case<'a> {
    name: &'a str,
    /// How often both commands run, unless the benchmark is quick.
    pairs: usize,
    commands: Commands<'a>,
    code: i32,
    /// The ratio to stay below.
    aim: &'a str,
}

/// Both commands side by side.
fn line((scale, memory): (&Scale, &Memory), repo: &Repo, case: &Case<'_>) {
    let (name, code, aim) = (case.name, case.code, case.aim);
    let Commands { guard, git, .. } = case.commands;
    let lint = timed(repo, &GUARD, guard);
    assert_eq!(lint.code, code, "{name}: the wrong verdict is not timed");
    let peaks = [(GUARD.as_str(), guard), ("git", git)];
    let [guard_peak, git_peak] = peaks.map(|(program, run)| memory.peak(repo, program, run));
    let pairs = scale.pairs(case.pairs);
    let (guard, git, ratio) = race(repo, case.commands, pairs);
    println!(
        "{name:<44} {pairs:>5} {guard:>10.2} {git:>10.2} {ratio:>6.2} {aim:>6} {guard_peak:>10} {git_peak:>10}",
    );
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
    let race = |name: &str, pairs, repo: &Repo, commands, code: i32, aim: &str| {
        let case = Case {
            name,
            pairs,
            commands,
            code,
            aim,
        };
        line((scale, memory), repo, &case);
    };
    let side_by_side = |name: &str, pairs, repo: &Repo, code: i32, aim: &str| {
        race(name, pairs, repo, STAGED, code, aim);
    };
    let cold = |name: &str, pairs, repo: &Repo, code: i32, aim: &str| {
        let commands = Commands {
            is_cold: true,
            ..STAGED
        };
        race(&format!("{name}, cold"), pairs, repo, commands, code, aim);
    };

    let repo = unchanged();
    side_by_side("start-up: nothing staged", 60, &repo, 0, "1.0");

    let repo = tracked(10, 10);
    side_by_side("10 staged of 10", 60, &repo, 0, "0.9");
    cold("10 staged of 10", 60, &repo, 0, "0.9");

    let repo = tracked(scale.of(50_000), 20);
    side_by_side("20 staged of 50,000", 40, &repo, 0, "0.4");
    cold("20 staged of 50,000", 40, &repo, 0, "0.4");

    let repo = tracked(scale.of(500_000), 20);
    side_by_side("20 staged of 500,000", 20, &repo, 0, "0.15");
    cold("20 staged of 500,000", 20, &repo, 0, "0.15");

    let repo = edited(scale.of(5_000), 300);
    side_by_side("5,000 staged of 300 lines, a row each", 15, &repo, 0, "0.5");
    use_design(&repo, "189");
    side_by_side("5,000 staged, one directory row", 15, &repo, 0, "0.5");
    // Without a design, `missing = "skip"` leaves out the scope.
    skip_missing(&repo);
    side_by_side("5,000 staged, no design", 15, &repo, 0, "0.5");
    cold("5,000 staged, no design", 15, &repo, 0, "0.5");

    let repo = half_rewritten(scale.of(200_000));
    side_by_side("one of 200,000 lines half rewritten", 15, &repo, 1, "0.5");
    cold("one of 200,000 lines half rewritten", 15, &repo, 1, "0.5");
}

/// How much of everything.
struct Scale {
    quick: bool,
}

impl Scale {
    fn of(&self, full: usize) -> usize {
        if self.quick { full / 100 } else { full }
    }

    fn pairs(&self, full: usize) -> usize {
        if self.quick { 3 } else { full }
    }
}

/// One run of a program.
struct Run {
    milliseconds: f64,
    code: i32,
}

fn quiet(command: &mut Command) -> &mut Command {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
}

fn timed(repo: &Repo, program: &str, arguments: &[&str]) -> Run {
    timed_with(Stdio::null(), repo, program, arguments)
}

fn timed_with(input: Stdio, repo: &Repo, program: &str, arguments: &[&str]) -> Run {
    let mut command = repo.command(program);
    quiet(&mut command).stdin(input).args(arguments);
    let start = Instant::now();
    let status = command.status().unwrap();
    Run {
        milliseconds: start.elapsed().as_secs_f64() * 1000.0,
        code: status.code().expect("no death by signal"),
    }
}

/// The medians of guard's times, git's times and the ratio within a pair; who starts alternates.
fn race(repo: &Repo, commands: Commands<'_>, pairs: usize) -> (f64, f64, f64) {
    let run = |program: &str, arguments: &[&str]| {
        if commands.is_cold {
            fill_processor_caches();
        }
        timed(repo, program, arguments).milliseconds
    };
    let guard = || run(&GUARD, commands.guard);
    let git = || run("git", commands.git);
    guard();
    git();
    let mut times = (Vec::new(), Vec::new(), Vec::new());
    for pair in 0..pairs {
        let (a, b) = if pair % 2 == 0 {
            let a = guard();
            (a, git())
        } else {
            let b = git();
            (guard(), b)
        };
        times.0.push(a);
        times.1.push(b);
        times.2.push(a / b);
    }
    (median(times.0), median(times.1), median(times.2))
}

/// Fills the processor's caches with something else.
fn fill_processor_caches() {
    let other = vec![1_u8; 128 << 20];
    let sum: u64 = other.iter().step_by(64).map(|&byte| u64::from(byte)).sum();
    assert_eq!(std::hint::black_box(sum), 2 << 20);
}

/// The median time of a run of guard that exits with `code`, in milliseconds.
fn typical(repo: &Repo, arguments: &[&str], code: i32, runs: usize) -> f64 {
    let first = timed(repo, &GUARD, arguments);
    assert_eq!(first.code, code, "guard {arguments:?}");
    let times = (0..runs).map(|_| timed(repo, &GUARD, arguments).milliseconds);
    median(times.collect())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        (values[middle - 1] + values[middle]) / 2.0
    }
}

/// What measures the peak of resident memory.
enum Memory {
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

    fn find() -> Memory {
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

    fn source(&self) -> &'static str {
        match self {
            Memory::Time => "peak resident set by /usr/bin/time -f %M",
            Memory::Python => {
                "peak resident set by Python's resource module (never below Python's own)"
            }
            Memory::Nothing => "not measured: neither /usr/bin/time nor python3 is here",
        }
    }

    /// The largest of three peaks in KiB, or a dash.
    fn peak(&self, repo: &Repo, program: &str, arguments: &[&str]) -> String {
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

/// The name of the `n`th file: at most 250 in a directory.
fn name(n: usize) -> String {
    format!("src/d{:03}/file_{n:05}.txt", n / 250)
}

/// A text in which every line is another one.
fn text(seed: usize, lines: usize) -> String {
    let mut text = String::new();
    for line in 0..lines {
        writeln!(text, "value_{seed}_{line} = {}", line * 7919 + seed).unwrap();
    }
    text
}

/// Settings and two designs: 188 has a row a file, 189 one row for all of `src/`.
fn govern(repo: &Repo, files: usize) {
    let names: Vec<String> = (0..files).map(name).collect();
    let rows: Vec<_> = names
        .iter()
        .map(|name| (name.as_str(), "Modify", "a file of the benchmark"))
        .collect();
    let directory = [("src/", "Modify (Directory)", "all files of the benchmark")];
    repo.design("docs/lld/active/LLD-189.md", &directory);
    repo.govern(&rows);
    repo.git(&["branch", "189-work"]);
}

/// Lets another design judge; index and work tree stay as they are.
fn use_design(repo: &Repo, issue: &str) {
    let branch = format!("refs/heads/{issue}-work");
    repo.git(&["symbolic-ref", "HEAD", &branch]);
}

/// Lets a branch without a design pass; what is staged stays as it is.
fn skip_missing(repo: &Repo) {
    let staged = repo.git(&["write-tree"]);
    repo.git(&["read-tree", "HEAD"]);
    let settings = common::SETTINGS.replacen("[lld]\n", "[lld]\nmissing = \"skip\"\n", 1);
    assert!(settings.contains("skip"), "{settings}");
    repo.stage("guard.toml", &settings);
    repo.commit("Leave out the scope where there is no design");
    repo.git(&["repack", "-a", "-d", "-q"]);
    repo.git(&["branch", "without-design"]);
    repo.git(&["symbolic-ref", "HEAD", "refs/heads/without-design"]);
    repo.git(&["read-tree", &staged]);
    repo.git(&["update-index", "--add", "guard.toml"]);
}

fn unchanged() -> Repo {
    let repo = Repo::new();
    repo.stage(name(0), text(0, 30));
    govern(&repo, 1);
    repo
}

/// `files` tracked files of which `staged` differ from HEAD in one line. They are in no work tree,
/// which neither program looks at.
fn tracked(files: usize, staged: usize) -> Repo {
    let repo = Repo::new();
    let entry = |n: usize, content: &str| {
        let blob = repo.blob(content.as_bytes());
        format!("100644 {blob} 0\t{}\n", name(n))
    };
    let shared = entry(0, &text(0, 30));
    let blob = shared.split(' ').nth(1).unwrap();
    let all: String = (0..files)
        .map(|n| format!("100644 {blob} 0\t{}\n", name(n)))
        .collect();
    repo.git_with_input(&["update-index", "--index-info"], all.as_bytes());
    govern(&repo, staged);
    let changed: String = (0..staged)
        .map(|n| {
            entry(
                n,
                &text(0, 30).replacen("value_0_4 ", &format!("staged_{n} "), 1),
            )
        })
        .collect();
    repo.git_with_input(&["update-index", "--index-info"], changed.as_bytes());
    repo
}

/// `files` files of `lines` lines, every one staged with a tenth of its lines changed; the old
/// versions are packed, as after a clone, and the new ones loose, as after `git add`.
fn edited(files: usize, lines: usize) -> Repo {
    let repo = Repo::new();
    for n in 0..files {
        repo.write(name(n), text(n, lines));
    }
    repo.git(&["add", "src"]);
    govern(&repo, files);
    repo.git(&["repack", "-a", "-d", "-q"]);
    for n in 0..files {
        let mut new = String::new();
        for (line, old) in text(n, lines).lines().enumerate() {
            let mark = if line % 10 == 4 { "changed_" } else { "" };
            writeln!(new, "{mark}{old}").unwrap();
        }
        repo.write(name(n), new);
    }
    repo.git(&["add", "src"]);
    repo
}

/// One file in which every second line is another one: half of it is lost, so it is refused.
fn half_rewritten(lines: usize) -> Repo {
    let repo = Repo::new();
    repo.stage(name(0), text(0, lines));
    govern(&repo, 1);
    repo.git(&["repack", "-a", "-d", "-q"]);
    let mut new = String::new();
    for (line, old) in text(0, lines).lines().enumerate() {
        if line % 2 == 0 {
            writeln!(new, "{old}").unwrap();
        } else {
            writeln!(new, "rewritten_{line}").unwrap();
        }
    }
    repo.stage(name(0), new);
    repo
}

/// `commits` commits in one pack, each changing a line in two of 300 files of 40 lines, after one with the settings,
/// a design with one row for all of `src/`, and the files. Returns the first commit too.
fn history(commits: usize) -> (Repo, String) {
    const FILES: usize = 300;
    const LINES: usize = 40;
    let repo = Repo::new();
    repo.design(
        "docs/lld/active/LLD-188.md",
        &[("src/", "Modify (Directory)", "all files of the benchmark")],
    );
    repo.stage("guard.toml", common::SETTINGS);
    let name = |n: usize| format!("src/d{:02}/file_{n:03}.txt", n / 25);
    let mut files: Vec<Vec<String>> = (0..FILES)
        .map(|n| text(n, LINES).lines().map(str::to_owned).collect())
        .collect();
    for (n, lines) in files.iter().enumerate() {
        repo.write(name(n), lines.join("\n") + "\n");
    }
    repo.git(&["add", "src"]);
    let base = repo.commit("Say what may change");
    let mut stream = String::from("reset refs/heads/188-work\nfrom refs/heads/main\n\n");
    for commit in 0..commits {
        let message = format!("Change {commit}\n\nTwo files.\n");
        let (time, size) = (1_800_000_000 + 60 * commit, message.len());
        writeln!(
            stream,
            "commit refs/heads/188-work\ncommitter A U Thor <author@example.com> {time} +0000\ndata {size}\n{message}"
        )
        .unwrap();
        for n in [commit * 7 % FILES, (commit * 13 + 1) % FILES] {
            files[n][commit * 11 % LINES] = format!("changed_{commit} = {n}");
            let content = files[n].join("\n") + "\n";
            let (name, size) = (name(n), content.len());
            writeln!(stream, "M 100644 inline {name}\ndata {size}\n{content}").unwrap();
        }
    }
    repo.git_with_input(&["fast-import", "--quiet"], stream.as_bytes());
    repo.git(&["repack", "-a", "-d", "-q"]);
    repo.git(&["symbolic-ref", "HEAD", "refs/heads/188-work"]);
    (repo, base)
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

/// Commits a design with `rows` rows on its own branch; returns its size in bytes.
fn govern_with_text(repo: &Repo, issue: &str, rows: usize) -> u64 {
    let path = format!("docs/lld/active/LLD-{issue}.md");
    let names: Vec<String> = (0..rows).map(name).collect();
    let description =
        "What this file is for, in the words that a real table of files has on average";
    let table: Vec<_> = names
        .iter()
        .map(|name| (name.as_str(), "Add", description))
        .collect();
    repo.design(&path, &table);
    repo.commit("Add a long design");
    repo.git(&["branch", &format!("{issue}-work")]);
    std::fs::metadata(repo.path(Path::new(&path)))
        .unwrap()
        .len()
}
