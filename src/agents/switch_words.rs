//! Commands that may end the observation, by their plain words: such a command is denied before it runs, because nothing
//! might be observed any more afterwards.

use super::action::FileAction;
use super::payload::AgentEvent;
use crate::files::{Failure, FailureKind, GateResult};
use write_guard_policy::own_part::AGENT_FILES;

/// Words that switch hooks off, besides the names of the files that have them.
const SWITCHES: &[&str] = &["guard uninstall", "disableAllHooks", ".claude/settings"];

/// Programs that only read, or stage for git.
const READERS: &[&str] = &["ls", "cat", "grep", "rg"];
/// The same among the verbs of git.
const READERS_OF_GIT: &[&str] = &["add", "status", "diff"];
/// The starts of their options that write a file or run a program.
const ACTIVE_OPTIONS: &[&str] = &["--output", "--pre", "--ext-diff", "--textconv"];
/// What makes a line of a shell more than one simple command.
const JOINTS: &[char] = &[';', '&', '|', '<', '>', '`', '\n', '\r'];

/// Refuses a command that names what decides whether guard sees what commands do: an agent's hook files, the directory
/// that holds them, or a word that switches them off. One simple command that only reads or stages may name them.
///
/// # Errors
/// It does.
pub(super) fn refuse(call: &AgentEvent) -> GateResult<()> {
    for action in &call.actions {
        let FileAction::Command(text) = action else {
            continue;
        };
        if only_reads(text) {
            continue;
        }
        if let Some(word) = switch_in(text) {
            return Err(Failure::new(
                FailureKind::Refused,
                format!("the command names `{word}`, which decides whether guard sees what commands do"),
            )
            .help("to read such a file, use the agent's own tool for reading; to change it, ask the user"));
        }
    }
    Ok(())
}

/// Whether the text is one simple command of a program that changes nothing but git's index.
fn only_reads(text: &str) -> bool {
    if text.contains(JOINTS) || text.contains("$(") {
        return false;
    }
    let mut words = text.split_whitespace();
    let is_reader = match words.next() {
        Some("git") => words
            .next()
            .is_some_and(|verb| READERS_OF_GIT.contains(&verb)),
        Some(program) => READERS.contains(&program),
        None => false,
    };
    is_reader && !words.any(|word| ACTIVE_OPTIONS.iter().any(|option| word.starts_with(option)))
}

/// What the command names that ends the observation.
fn switch_in(text: &str) -> Option<&'static str> {
    let plain = text.replace(['"', '\'', '\\'], "");
    let words: Vec<&str> = plain.split_whitespace().collect();
    let line = words.join(" ");
    let files = AGENT_FILES.iter().map(|(file, _)| *file);
    let mut named = files.chain(SWITCHES.iter().copied());
    if let Some(word) = named.find(|word| line.contains(word)) {
        return Some(word);
    }
    let mut directories = AGENT_FILES.iter().filter_map(|(file, _)| {
        let (directory, _) = file.rsplit_once('/')?;
        Some(directory)
    });
    directories.find(|directory| {
        let mut names =
            line.split(|c: char| c.is_whitespace() || JOINTS.contains(&c) || "(){}=".contains(c));
        names.any(|name| is_directory(name, directory))
    })
}

/// Whether a word of a command is the path of this directory, of what is in it, or of what holds it below the root.
fn is_directory(word: &str, directory: &str) -> bool {
    let name = word.trim_end_matches(['/', '*', '.']);
    let above = directory.split_once('/').map(|(above, _)| above);
    // `.github` holds much besides hooks.
    let above = above.filter(|above| *above != ".github");
    [Some(directory), above].into_iter().flatten().any(|own| {
        let rest = name.strip_suffix(own);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_may_end_the_observation_are_known_by_their_words() {
        for (text, named) in [
            ("rm -rf .claude", ".claude"),
            ("rm -rf ./.claude/", ".claude"),
            ("mv \".claude\" /tmp/x", ".claude"),
            ("rm -rf /w/repo/.codex/*", ".codex"),
            ("cd src; rm -r ../.github/hooks", ".github/hooks"),
            ("rm -rf .opencode", ".opencode/plugins"),
            ("git stash -- .gemini", ".gemini"),
            ("x=.cursor; rm -rf $x", ".cursor"),
            (
                "sed -i s/a/b/ .claude/settings.json",
                ".claude/settings.json",
            ),
            ("/usr/bin/guard \"uninstall\"   claude", "guard uninstall"),
            ("cat x >.claude/settings.local.json", ".claude/settings"),
            ("cat .claude/settings.json | tee y", ".claude/settings.json"),
            ("git diff --output=.codex/hooks.json", ".codex/hooks.json"),
        ] {
            assert!(!only_reads(text), "{text}");
            assert_eq!(switch_in(text), Some(named), "{text}");
        }
    }

    #[test]
    fn everyday_commands_and_those_that_only_read_pass() {
        for text in [
            "rm -rf build",
            "rm -rf .",
            "rm -rf ..",
            "rm -rf .github/workflows/old.yml",
            "ls my.claude",
            "touch src/.claude.md",
            "git clean -fdx",
        ] {
            assert_eq!(switch_in(text), None, "{text}");
        }
        for text in [
            "ls -la .claude",
            "cat .claude/settings.json",
            "grep -rn disableAllHooks .claude",
            "git add .claude",
            "git status .codex",
            "git diff -- .claude/settings.json",
        ] {
            assert!(only_reads(text), "{text}");
        }
        for text in [
            "",
            "git",
            "rg --pre sh .claude",
            "git diff --ext-diff .claude",
        ] {
            assert!(!only_reads(text), "{text}");
        }
    }
}
