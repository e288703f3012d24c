//! Coloured previews of changes.

#![allow(clippy::unwrap_used)]

use crate::common::Repo;
use crate::common::terminal::{End, driver, guard_at_terminal};

const FILE: &str = "src/state.py";

/// 150 lines in which `new` replaces `old`, which is a replacement.
fn repo(line: impl Fn(usize, &str) -> String) -> (Repo, String) {
    let repo = Repo::new();
    let text = |word: &str| (1..=150).map(|n| line(n, word) + "\n").collect::<String>();
    repo.stage(FILE, text("old"));
    repo.commit("Begin");
    repo.govern(&[(FILE, "Modify", "the state")]);
    (repo, text("new"))
}

fn counted(n: usize, word: &str) -> String {
    format!("line {n} has the {word} word.")
}

/// Holds the change and returns its id.
fn held(repo: &Repo, content: &str) -> String {
    repo.write("content", content);
    let write = ["write", FILE, "--content-file", "content"];
    repo.guard(&write).exits(1);
    let held = repo.json(&["pending"]);
    held["held"][0]["id"].as_str().unwrap().to_owned()
}

/// The text without colour.
fn plain(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut plain = parts.next().unwrap().to_owned();
    for part in parts {
        let (code, rest) = part.split_once('m').unwrap();
        let code = code.strip_prefix('[').unwrap();
        assert!(
            code.chars().all(|c| c.is_ascii_digit() || c == ';'),
            "{code}"
        );
        plain.push_str(rest);
    }
    plain
}

#[test]
fn changed_lines_are_coloured() {
    let (repo, new) = repo(counted);
    let id = held(&repo, &new);
    repo.stage(FILE, &new);
    for arguments in [&["lint"][..], &["pending", &id]] {
        repo.git(&["checkout", "--quiet", "HEAD", FILE]);
        if arguments == ["lint"] {
            repo.stage(FILE, &new);
        }
        let colored = repo.guard(&[&["--color", "always"], arguments].concat());
        for line in ["-line 3 has the old word.", "+line 3 has the new word."] {
            let (before, _) = colored.stdout.split_once(line).unwrap();
            assert!(before.ends_with('m'), "{before}");
        }
        let plain = plain(&colored.stdout);
        assert!(plain.contains("  | -line 3 has the old word.\n"), "{plain}");
        let uncolored = repo.guard(&[&["--color", "never"], arguments].concat());
        assert!(!uncolored.text().contains('\u{1b}'));
        assert_eq!(plain, uncolored.stdout, "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn approval_prompt_is_coloured() {
    let (repo, new) = repo(counted);
    let id = held(&repo, &new);
    let Some(terminal) = driver(&repo) else {
        return;
    };
    let arguments = ["--color", "always", "approve", &id];
    let answers = [("Type `", "no\n")];
    let session = guard_at_terminal(terminal, &arguments, &answers, End::Wait).exits(1);
    session.says("m-line 3 has the old word.\u{1b}[");
}

#[test]
fn terminal_control_sequences_stay_escaped_in_coloured_output() {
    let (repo, new) =
        repo(|n, word| format!("line {n} \u{1b}[2J has \u{202e}the {word}\u{1b}]0;x\u{7} word"));
    let id = held(&repo, &new);
    let colored = repo.guard(&["--color", "always", "pending", &id]).exits(0);
    let plain = plain(&colored.stdout);
    assert!(plain.contains("\\u{1b}[2J has \\u{202e}the"), "{plain}");
    assert!(!colored.stdout.contains('\u{202e}'));
}
