//! Coloured previews of changes.

use crate::common::Repo;
use crate::common::terminal::{End, driver, guard_at_terminal};

const FILE: &str = "src/state.py";

/// 150 lines in which `new` replaces `old`, which is held; and the new content.
fn repo(line: impl Fn(usize, &str) -> String) -> (Repo, String) {
    let repo = Repo::new();
    let text = |word: &str| (1..=150).map(|n| line(n, word) + "\n").collect::<String>();
    repo.stage(FILE, text("old"));
    repo.govern(&[(FILE, "Modify", "the state")]);
    repo.put(FILE, text("new"), &[]).fails("held");
    (repo, text("new"))
}

/// The text without colour.
fn plain(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut plain = parts.next().unwrap().to_owned();
    for part in parts {
        let (code, rest) = part.split_once('m').unwrap();
        let code = code.strip_prefix('[').unwrap();
        let is_code = code.chars().all(|c| c.is_ascii_digit() || c == ';');
        assert!(is_code, "{code}");
        plain.push_str(rest);
    }
    plain
}

#[test]
fn changed_lines_are_coloured() {
    let (repo, new) = repo(|n, word| format!("line {n} has the {word} word."));
    let id = repo.held_id();
    repo.stage(FILE, &new);
    for arguments in [&["lint"][..], &["approve", &id, "--show"]] {
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
        repo.git(&["reset", "--quiet", "--hard"]);
    }
    if let Some(terminal) = driver(&repo) {
        let approve = ["--color", "always", "approve", &id];
        let session = guard_at_terminal(terminal, &approve, &[("Type `", "no\n")], End::Wait);
        // What is read from a screen of Windows has no sequences.
        let line = "m-line 3 has the old word.\u{1b}[";
        let line = if cfg!(windows) {
            line.trim_matches(['m', '\u{1b}', '['])
        } else {
            line
        };
        session.exits(1).says(line);
    }
}

#[test]
fn terminal_control_sequences_stay_escaped_in_coloured_output() {
    let (repo, _) =
        repo(|n, word| format!("line {n} \u{1b}[2J has \u{202e}the {word}\u{1b}]0;x\u{7} word"));
    let show = ["--color", "always", "approve", &repo.held_id(), "--show"];
    let colored = repo.guard(&show).exits(0);
    let plain = plain(&colored.stdout);
    assert!(plain.contains("\\u{1b}[2J has \\u{202e}the"), "{plain}");
    assert!(!colored.stdout.contains('\u{202e}'));
}
