//! Compares guard with the program that `GUARD_BEFORE` names. Both must answer every call with the same bytes.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Output};

use libtest_mimic::{Failed, Trial};

use crate::common::corpus::{entries, input};
use crate::common::random::Random;
use crate::common::system;
use crate::common::{GUARD, Repo};
use write_guard_testing::designs::corpus;

/// The number of random documents, and the number of tests that share them.
const DOCUMENTS: usize = 2_000;
const SHARES: u64 = 4;

/// The number of random paths, and how many of them one call names.
const PATHS: usize = 5_000;
const PATHS_PER_CALL: usize = 50;

/// The other guard, or `None` if there is nothing to compare with.
fn program() -> Option<PathBuf> {
    let program = std::env::var_os("GUARD_BEFORE")?;
    Some(std::path::absolute(program).unwrap())
}

/// The tests without a repository of `fixtures/repos`, if there is a guard to compare with.
pub fn trials() -> Vec<Trial> {
    if program().is_none() {
        return Vec::new();
    }
    let mut trials = vec![
        Trial::test("before/help", same_help),
        Trial::test("before/paths", same_answers_for_paths),
    ];
    for share in 1..=SHARES {
        trials.push(Trial::test(
            format!("before/documents-{share}"),
            move || same_answers_for_documents(share),
        ));
    }
    trials
}

/// Runs both guards and compares exit code, standard output and standard error. `None` if there is no other guard.
pub fn difference(call: impl Fn(&str) -> Command) -> Option<String> {
    let before = answer(&mut call(program()?.to_str().unwrap()));
    let now = answer(&mut call(GUARD));
    if before == now {
        return None;
    }
    let call = call(GUARD);
    let arguments: Vec<_> = call.get_args().collect();
    Some(format!(
        "GUARD_BEFORE answers {arguments:?} differently.\n--- before: {}\n--- now: {}",
        shown(&before),
        shown(&now),
    ))
}

/// The answer of a guard, whatever the name of its file: the help shows that name.
fn answer(command: &mut Command) -> Output {
    system::call_it(command, "guard");
    command.output().unwrap()
}

fn shown(output: &Output) -> String {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    format!("{}\n{stdout}{stderr}", output.status)
}

/// The same for `guard` with these arguments at the root of a repository.
fn same(repo: &Repo, arguments: &[&str]) -> Result<(), Failed> {
    let answer = difference(|guard| {
        let mut command = repo.command(guard);
        command.args(arguments);
        command
    });
    match answer {
        Some(difference) => Err(difference.into()),
        None => Ok(()),
    }
}

/// The subcommands that a help text lists, without `help`.
fn subcommands(help: &str) -> Vec<String> {
    let Some((_, list)) = help.split_once("\nCommands:\n") else {
        return Vec::new();
    };
    let mut names = Vec::new();
    for line in list.lines().take_while(|line| !line.is_empty()) {
        // A description that continues is indented further.
        if let Some(entry) = line.strip_prefix("  ")
            && !entry.starts_with(' ')
        {
            let name = entry.split(' ').next();
            names.extend(name.filter(|name| *name != "help").map(str::to_owned));
        }
    }
    names
}

fn same_help() -> Result<(), Failed> {
    let repo = Repo::nothing();
    same(&repo, &["--help"])?;
    same(&repo, &["-h"])?;
    let all = repo.guard(&["help", "all"]).exits(0).stdout;
    let mut verbs: Vec<String> = subcommands(&all);
    let mut count = 0;
    while let Some(verb) = verbs.pop() {
        let words: Vec<&str> = verb.split(' ').collect();
        same(&repo, &[&words[..], &["-h"]].concat())?;
        let long = [&words[..], &["--help"]].concat();
        same(&repo, &long)?;
        for name in subcommands(&repo.guard(&long).exits(0).stdout) {
            verbs.push(format!("{verb} {name}"));
        }
        count += 1;
    }
    assert!(count > 40, "only {count} verbs");
    Ok(())
}

/// A text with a few random edits: lines swapped, dropped, doubled or taken from another text, and words exchanged.
fn edited(random: &mut Random, text: &str, other: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let others: Vec<&str> = other.lines().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(lines.len().max(1));
        let Some(line) = lines.get(at).cloned() else {
            break;
        };
        let foreign = others.get(random.below(others.len().max(1)));
        let foreign = foreign.copied().unwrap_or_default();
        match random.below(6) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, line),
            2 => lines.insert(at, foreign.to_owned()),
            3 => {
                let to = random.below(lines.len());
                lines.swap(at, to);
            }
            4 => {
                let places: Vec<(usize, char)> = line.char_indices().collect();
                if let Some(&(place, char)) = places.get(random.below(places.len().max(1))) {
                    let sign =
                        random.of(&["", "`", "|", "#", " ", "\t", "*", "!", "é", "\u{200b}"]);
                    lines[at].replace_range(place..place + char.len_utf8(), sign);
                }
            }
            _ => {
                let words: Vec<&str> = foreign.split(' ').collect();
                let mut own: Vec<&str> = line.split(' ').collect();
                let place = random.below(own.len());
                own[place] = words[random.below(words.len())];
                lines[at] = own.join(" ");
            }
        }
    }
    lines.join("\n") + "\n"
}

fn same_answers_for_documents(share: u64) -> Result<(), Failed> {
    let repo = Repo::new();
    repo.govern(&[("src/a.rs", "Modify", "why")]);
    let corpus = corpus();
    let mut random = Random(share);
    for _ in 0..DOCUMENTS as u64 / SHARES {
        let (at, text) = &corpus[random.below(corpus.len())];
        let (_, other) = &corpus[random.below(corpus.len())];
        let document = edited(&mut random, text, other);
        repo.write(at, &document);
        for arguments in [
            &["scope", "check", "--format", "json", at][..],
            &["scope", "check", at],
        ] {
            let found = same(&repo, arguments);
            found
                .map_err(|fault| format!("{}\n--- {at}:\n{document}", fault.message().unwrap()))?;
        }
    }
    Ok(())
}

/// Every path that a document or the corpus of hostile paths names, and random changes of them.
fn paths(random: &mut Random) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for (_, text) in corpus() {
        let named = text.split(['`', ' ', '|', '\n']);
        words.extend(
            named
                .filter(|word| word.contains(['/', '.']))
                .map(str::to_owned),
        );
    }
    for entry in entries() {
        words.extend(String::from_utf8(input(&entry)));
    }
    let words: Vec<String> = words.into_iter().collect();
    let mut paths = BTreeSet::new();
    while paths.len() < PATHS {
        let mut path = words[random.below(words.len())].clone();
        for _ in 0..random.below(3) {
            let inner = [
                "/",
                "/./",
                "/../",
                "//",
                ".git/",
                "\\",
                ".",
                "~",
                "src/",
                "docs/lld/",
            ];
            let places: Vec<usize> = path.char_indices().map(|(place, _)| place).collect();
            let place = places.get(random.below(places.len().max(1)));
            path.insert_str(place.copied().unwrap_or(0), random.of(&inner));
        }
        // A NUL cannot be an argument.
        if !path.contains('\0') {
            paths.insert(path);
        }
    }
    paths
}

fn same_answers_for_paths() -> Result<(), Failed> {
    let repo = Repo::new();
    repo.govern(&[
        ("src/a.rs", "Modify", "why"),
        ("src/b.rs", "Add", "why"),
        ("docs/", "Add", "why"),
    ]);
    repo.write("src/a.rs", "fn a() {}\n");
    let paths: Vec<String> = paths(&mut Random(7)).into_iter().collect();
    let ask = |verb: &[&str], paths: &[String]| {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        same(&repo, &[verb, &["--"], &paths].concat())
    };
    for some in paths.chunks(PATHS_PER_CALL) {
        ask(&["check", "--format", "json"], some)?;
        ask(&["check"], some)?;
        ask(&["check", "--read", "--format", "json"], some)?;
    }
    Ok(())
}
