//! Path lists in `guard.toml` mean the same as in a `.gitignore`: compared with `git check-ignore`.

use std::fs;

use crate::common::random::Random;
use crate::common::{self, Repo, run_with_input};
use write_guard_policy::scope::settings::{Settings, parse};

/// The settings with this list as `[scope] protect`.
fn protect(list: &[String]) -> Result<Settings, String> {
    let list: Vec<String> = list.iter().map(|pattern| format!("{pattern:?}")).collect();
    let text = format!("[scope]\nprotect = [{}]\n", list.join(", "));
    parse(text.as_bytes()).map_err(|error| error.message)
}

/// Whether git ignores each path if this list is its only source of patterns.
fn ignored_by_git(repo: &Repo, list: &[String], paths: &[String]) -> Vec<bool> {
    fs::create_dir_all(repo.path(".git/info")).unwrap();
    fs::write(repo.path(".git/info/exclude"), list.join("\n") + "\n").unwrap();
    let mut git = repo.command("git");
    git.args(["-c", "core.excludesFile=", "-c", "core.ignoreCase=false"]);
    git.args(["check-ignore", "--no-index", "-v", "-n", "-z", "--stdin"]);
    let input: String = paths.iter().map(|path| format!("{path}\0")).collect();
    let output = run_with_input(&mut git, input.as_bytes());
    assert!(output.code <= 1, "{}", output.text());
    // Four fields per path: source, line, pattern, path.
    let fields: Vec<&str> = output.stdout.split_terminator('\0').collect();
    assert_eq!(fields.len(), 4 * paths.len(), "{list:?}");
    let decided = fields.chunks(4).zip(paths).map(|(fields, path)| {
        assert_eq!(fields[3], path);
        !fields[2].is_empty() && !fields[2].starts_with('!')
    });
    decided.collect()
}

fn path(random: &mut Random) -> String {
    const NAMES: &str = "a¦b¦ab¦abc¦src¦foo¦foo.rs¦bar.rs¦secret1.key¦x.key¦README.md¦.env¦a b¦#x¦!x¦{c}¦[a]¦a-b¦a*¦é¦\
        a\\b¦A¦]¦-¦x ";
    let names: Vec<&str> = NAMES.split('¦').collect();
    let depth = 1 + random.below(4);
    let names: Vec<&str> = (0..depth).map(|_| random.of(&names)).collect();
    names.join("/")
}

/// A pattern, most of them made from a path so that they match something.
fn pattern(random: &mut Random) -> String {
    let path = path(random);
    let mut segments: Vec<String> = path.split('/').map(str::to_owned).collect();
    if random.one_in(2) {
        segments.drain(..random.below(segments.len()));
    }
    if random.one_in(3) {
        segments.truncate(1 + random.below(segments.len()));
    }
    let mut segments: Vec<String> = segments.iter().map(|name| segment(random, name)).collect();
    if random.one_in(5) {
        let at = random.below(segments.len() + 1);
        segments.insert(at, "**".to_owned());
    }
    let bang = if random.one_in(6) { "!" } else { "" };
    let start = if random.one_in(4) { "/" } else { "" };
    let end = if random.one_in(6) { "/" } else { "" };
    let blanks = if random.one_in(20) { "  " } else { "" };
    format!("{bang}{start}{}{end}{blanks}", segments.join("/"))
}

fn segment(random: &mut Random, name: &str) -> String {
    if random.one_in(3) {
        return name.to_owned();
    }
    const CLASSES: &str = "[a-z]¦[!a]¦[^b]¦[[:alpha:]]¦[]-]¦[a-]¦[[:digit:]x]¦[.]¦[a-c.]¦[\\]]¦[[a]¦[a/]¦[z-a]¦\
        [!/]¦[[:nope:]]¦[!]a]¦[--0]¦[";
    let classes: Vec<&str> = CLASSES.split('¦').collect();
    let mut text = String::new();
    for c in name.chars() {
        match random.below(14) {
            0 => text.push('?'),
            1 => text.push('*'),
            2 => text.push_str("**"),
            3 => text.push_str(random.of(&classes)),
            4 => {
                text.push('\\');
                text.push(c);
            }
            5 => {}
            _ => text.push(c),
        }
    }
    if random.one_in(8) {
        text.push_str(random.of(&["*", "**", "?"]));
    }
    text
}

/// 10,000 pairs of a list and a path; a million with `GUARD_LONG`, from a seed of `GUARD_SEED` if it is set.
#[test]
fn generated_lists_agree_with_git_check_ignore() {
    const PATHS: usize = 50;
    let repo = Repo::new();
    let long = std::env::var_os("GUARD_LONG").is_some();
    let seed = std::env::var("GUARD_SEED").ok();
    let mut random = Random(seed.map_or(12, |seed| seed.parse().unwrap()));
    let pairs = if long { 1_000_000 } else { 10_000 };
    let (mut judged, mut covered, mut refused) = (0, 0, 0);
    while judged < pairs {
        let length = 1 + random.below(6);
        let list: Vec<String> = (0..length).map(|_| pattern(&mut random)).collect();
        let settings = match protect(&list) {
            Ok(settings) => settings,
            Err(_) => {
                refused += 1;
                assert!(refused < pairs, "hardly a list is accepted");
                continue;
            }
        };
        let paths: Vec<String> = (0..PATHS).map(|_| path(&mut random)).collect();
        let git = ignored_by_git(&repo, &list, &paths);
        for (path, git) in paths.iter().zip(git) {
            let guard = settings.protect.contains(path.as_str().into());
            assert_eq!(guard, git, "{path:?} under {list:?}");
            covered += usize::from(git);
        }
        judged += PATHS;
    }
    println!("{judged} pairs, {covered} covered, {refused} lists refused");
    assert!(covered * 20 > judged, "{covered} of {judged} are covered");
}

#[test]
fn patterns_of_the_settings_judge_commits() {
    let repo = Repo::new();
    repo.govern(&[("src/a.rs", "Add", "a")]);
    let lists = "[scope]\nalways = [\"/CHANGELOG.md\"]\nprotect = [\"secret?.key\"]\n";
    repo.stage("guard.toml", format!("{}{lists}", common::SETTINGS));
    repo.commit("Grant the changelog at the root");
    repo.stage("CHANGELOG.md", "x\n");
    repo.guard(&["lint"]).exits(0);
    repo.stage("x/y/CHANGELOG.md", "x\n");
    repo.stage("deploy/secret1.key", "x\n");
    repo.tells("lint", 1, "x/y/CHANGELOG.md is not in")
        .says("protected by `secret?.key`");
}

#[test]
fn pattern_that_git_would_ignore_is_refused_with_its_line() {
    let (long, stars) = ("a".repeat(1_025), "*a".repeat(40));
    for (pattern, reason) in [
        ("", "empty"),
        ("  ", "empty"),
        ("#notes", "comment"),
        ("/", "matches nothing"),
        ("!", "matches nothing"),
        ("a\\\\", "backslash"),
        ("a\\nb", "line break"),
        ("src/{a,b}.rs", "braces"),
        (&long, "1,024 bytes"),
        (&stars, "32 stars"),
    ] {
        let text = format!("[scope]\nprotect = [\n  \"LICENSE\",\n  \"{pattern}\",\n]\n");
        let message = parse(text.as_bytes()).unwrap_err().message;
        assert!(message.starts_with("guard.toml:4:3: "), "{message}");
        assert!(message.contains(reason), "{pattern:?}: {message}");
    }
}
