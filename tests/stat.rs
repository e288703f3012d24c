//! `guard lint --stat`: the map of the change as text.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use crate::common::terminal::{End, driver, guard_at_terminal};
use crate::common::{GUARD, Repo, reviews, run};

/// The map: the lines before the first empty one.
fn map(text: &str) -> Vec<&str> {
    text.lines().take_while(|line| !line.is_empty()).collect()
}

fn stat(repo: &Repo, columns: &str) -> String {
    let mut guard = repo.command(GUARD);
    let guard = guard.env("COLUMNS", columns);
    run(guard.args(["lint", "main..HEAD", "--stat"]))
        .exits(1)
        .stdout
}

#[test]
fn map_shows_lines_share_and_row_of_every_file() {
    let repo = reviews::refused();
    let text = stat(&repo, "100");
    let map = map(&text);
    let line = |name: &str| *map.iter().find(|line| line.contains(name)).unwrap();
    assert_eq!(map.len(), 8, "{text}");
    let state = line("src/runs/state.py");
    assert!(
        state.contains("57 % ==") && state.contains("---") && state.contains("+++"),
        "{state}"
    );
    assert!(state.ends_with("refused, LLD-188.md:7"), "{state}");
    assert!(line("legacy.py").contains("gone ---"), "{text}");
    assert!(line("layout.py").ends_with("refused, no row"), "{text}");
    assert!(line("tests/test_layout.py").contains("new +++"), "{text}");
    assert!(
        line("tests/test_layout.py").ends_with("  LLD-188.md:12"),
        "{text}"
    );
    assert!(map[7].starts_with(" 7 files: "), "{text}");
    // The report follows as without the map.
    let report = repo.guard(&["lint", "main..HEAD"]).stdout;
    assert!(
        repo.guard(&["lint", "main..HEAD", "--stat"])
            .stdout
            .ends_with(&report)
    );
}

#[test]
fn map_fits_the_width_and_names_keep_their_ends() {
    let repo = reviews::refused();
    for columns in ["40", "60", "80", "120", "200"] {
        let text = stat(&repo, columns);
        let most: usize = columns.parse::<usize>().unwrap().max(60);
        for line in &map(&text)[..7] {
            assert!(line.chars().count() <= most, "{columns}: {line}");
            assert!(line.contains(".py "), "{columns}: {line}");
        }
    }
}

#[test]
fn map_escapes_names_and_starts_no_command() {
    let repo = reviews::hostile();
    let text = stat(&repo, "200");
    assert!(
        !text.contains(|c: char| c != '\n' && c.is_control()),
        "{text:?}"
    );
    assert!(text.contains("\\u{202e}"));
}

#[test]
fn map_is_for_people_only() {
    let repo = reviews::refused();
    repo.guard(&["lint", "main..HEAD", "--stat", "--format", "json"])
        .exits(2)
        .says("--stat does not support --format json");
    let quiet = repo
        .guard(&["lint", "main..HEAD", "--stat", "--quiet"])
        .exits(1);
    assert!(quiet.stdout.starts_with("error["), "{}", quiet.stdout);
    // Next to a report for programs, and to the page.
    repo.guard(&[
        "lint",
        "main..HEAD",
        "--stat",
        "--output",
        "html=../page.html",
    ])
    .exits(1)
    .says(" 7 files: ");
    assert!(repo.path("../page.html").exists());
}

#[test]
fn rows_are_hyperlinks_where_the_terminal_has_them() {
    let repo = reviews::refused();
    let shown = |environment: &[(&str, &str)], arguments: &[&str]| {
        let mut driver = driver(&repo)?;
        driver.envs(environment.iter().copied());
        let arguments = [&["lint", "main..HEAD", "--stat"], arguments].concat();
        Some(
            guard_at_terminal(driver, &arguments, &[], End::Wait)
                .exits(1)
                .shown,
        )
    };
    let kitty = ("TERM", "xterm-kitty");
    let Some(linked) = shown(&[kitty], &[]) else {
        return;
    };
    let address = format!(
        "\x1b]8;;file://{}/docs/lld/active/LLD-188.md#7\x1b\\refused, LLD-188.md:7\x1b]8;;\x1b\\",
        repo.root.display()
    );
    assert!(linked.contains(&address), "{linked:?}");
    for (environment, arguments) in [
        (&[("TERM", "xterm")][..], &[][..]),
        (&[kitty, ("CI", "true")], &[]),
        (&[kitty, ("GITHUB_ACTIONS", "true")], &[]),
        (&[kitty, ("GIT_INDEX_FILE", ".git/index")], &[]),
        (&[kitty, ("SSH_CONNECTION", "1")], &[]),
        (&[kitty, ("NO_COLOR", "1")], &[]),
        (&[kitty], &["--color", "never"]),
    ] {
        let plain = shown(environment, arguments).unwrap();
        assert!(
            !plain.contains("\x1b]8"),
            "{environment:?} {arguments:?}\n{plain:?}"
        );
        assert!(plain.contains("LLD-188.md:7"), "{plain:?}");
    }
    // Not into a pipe, even in colour.
    let mut guard = repo.command(GUARD);
    guard
        .env("TERM", "xterm-kitty")
        .args(["lint", "main..HEAD", "--stat", "--color", "always"]);
    assert!(!run(&mut guard).stdout.contains("\x1b]8"));
}
