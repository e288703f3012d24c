//! The repositories that are measured.

use std::fmt::Write as _;
use std::path::Path;

use super::common::{self, Repo};

/// The name of the `n`th file: at most 250 in a directory.
pub(crate) fn name(n: usize) -> String {
    format!("src/d{:03}/file_{n:05}.txt", n / 250)
}

/// A text in which every line is another one.
pub(crate) fn text(seed: usize, lines: usize) -> String {
    let mut text = String::new();
    for line in 0..lines {
        writeln!(text, "value_{seed}_{line} = {}", line * 7919 + seed).unwrap();
    }
    text
}

/// Settings and two designs: 188 has a row a file, 189 one row for all of `src/`.
pub(crate) fn govern(repo: &Repo, files: usize) {
    govern_named(repo, files.max(1), &name);
}

fn govern_named(repo: &Repo, files: usize, name: &dyn Fn(usize) -> String) {
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
pub(crate) fn use_design(repo: &Repo, issue: &str) {
    let branch = format!("refs/heads/{issue}-work");
    repo.git(&["symbolic-ref", "HEAD", &branch]);
}

/// Lets a branch without a design pass; what is staged stays as it is.
pub(crate) fn skip_missing(repo: &Repo) {
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

pub(crate) fn unchanged() -> Repo {
    let repo = Repo::new();
    repo.stage(name(0), text(0, 30));
    govern(&repo, 1);
    repo
}

/// `files` tracked files of which `staged` differ from HEAD in one line. They are in no work tree,
/// which neither program looks at.
pub(crate) fn tracked(files: usize, staged: usize) -> Repo {
    track(files, staged, &name)
}

fn track(files: usize, staged: usize, name: &dyn Fn(usize) -> String) -> Repo {
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
    govern_named(&repo, staged.max(1), name);
    repo.git(&["repack", "-a", "-d", "-q"]);
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
pub(crate) fn edited(files: usize, lines: usize) -> Repo {
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

/// One file of which so many hundredths of the lines are edited: each becomes none, one or two others.
pub(crate) fn rewritten(lines: usize, percent: u64) -> Repo {
    let repo = Repo::new();
    repo.stage(name(0), text(0, lines));
    govern(&repo, 1);
    repo.git(&["repack", "-a", "-d", "-q"]);
    let mut dice = common::random::Random(7);
    let mut new = String::new();
    for (line, old) in text(0, lines).lines().enumerate() {
        if dice.below(100) as u64 >= percent {
            writeln!(new, "{old}").unwrap();
            continue;
        }
        for part in 0..dice.below(3) {
            writeln!(new, "rewritten_{line}_{part} = {}", dice.below(1_000_000)).unwrap();
        }
    }
    repo.stage(name(0), new);
    repo
}

/// `files` tracked files, three of five alone in a directory, of which `staged` differ from HEAD in one line.
pub(crate) fn in_directories(files: usize, staged: usize) -> Repo {
    let name = |n: usize| {
        let part = n / 50;
        if n % 5 < 3 {
            format!("src/part_{part:04}/d{n:05}/file.txt")
        } else {
            format!("src/part_{part:04}/file_{n:05}.txt")
        }
    };
    track(files, staged, &name)
}

/// `commits` commits in one pack, each changing a line in two of 300 files of 40 lines, after one with the settings,
/// a design with one row for all of `src/`, and the files. Returns the first commit too.
pub(crate) fn history(commits: usize) -> (Repo, String) {
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

/// Commits a design with `rows` rows on its own branch; returns its size in bytes.
pub(crate) fn govern_with_text(repo: &Repo, issue: &str, rows: usize) -> u64 {
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

/// A repository with a design of so many rows, and one file of one staged line.
pub(crate) fn govern_rows(rows: usize) -> Repo {
    let repo = Repo::new();
    repo.stage(name(0), text(0, 30));
    govern(&repo, rows);
    repo.stage(name(0), text(0, 31));
    repo
}
