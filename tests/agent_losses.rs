//! What is nowhere any more after an agent's command is said, with the command that brings it back: by whom it was
//! made, how it went, and at which path. The cells below were decided by hand from the table of the design, before the
//! code.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::common::agents::{Answered, absolute, claude, hook};
use crate::common::{Repo, assert_each, lines, run};

/// Who made the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Maker {
    /// A person, before the first call of the session.
    PersonBefore,
    /// A person, between two calls of the session.
    PersonDuring,
    /// The agent's tool for writing.
    ToolCall,
    /// A shell command of the agent.
    Command,
}

/// How it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Goes {
    Delete,
    Checkout,
    Reset,
    Clean,
    /// Stashed and dropped by one command.
    StashAndDrop,
    /// It is a commit of a branch, which is deleted; git then forgets its objects.
    BranchAndGc,
    MovedOutside,
    /// Another text takes its place.
    Overwritten,
    Truncated,
    /// Only the index has it.
    IndexOnly,
}

/// Where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A file of 300 lines that HEAD has, and a row that allows modifying it.
    Tracked,
    /// The same without a row.
    TrackedNoRow,
    /// A file that HEAD lacks, and a row that allows adding it.
    New,
    /// The same without a row.
    NewNoRow,
}

/// How many lines were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    /// 60 lines.
    Small,
    /// 250 lines.
    Large,
}

/// What guard says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// Nothing.
    Nothing,
    /// One neutral line with the restore.
    Line,
    /// That the command changed what it may not, with the restore.
    Report,
    /// That work of others is gone, with the restore; a report may come along.
    Loss,
}

use Goes::*;
use Maker::*;
use Place::*;
use Says::*;
use Size::*;

type Cell = (Maker, Goes, Place, Size, Says);

const DECIDED: &[Cell] = &[
    // A person's work that no commit has is told whatever its size, its row, and whether git knows the file.
    (PersonBefore, Delete, Tracked, Small, Loss),
    (PersonBefore, Delete, TrackedNoRow, Large, Loss),
    (PersonBefore, Delete, New, Small, Loss),
    (PersonBefore, Delete, NewNoRow, Small, Loss),
    (PersonBefore, Delete, NewNoRow, Large, Loss),
    (PersonBefore, Checkout, Tracked, Small, Loss),
    (PersonBefore, Checkout, Tracked, Large, Loss),
    (PersonBefore, Checkout, TrackedNoRow, Small, Loss),
    (PersonBefore, Reset, Tracked, Small, Loss),
    (PersonBefore, Reset, TrackedNoRow, Large, Loss),
    (PersonBefore, Clean, New, Small, Loss),
    (PersonBefore, Clean, New, Large, Loss),
    (PersonBefore, Clean, NewNoRow, Small, Loss),
    (PersonBefore, StashAndDrop, Tracked, Small, Loss),
    (PersonBefore, StashAndDrop, New, Large, Loss),
    (PersonBefore, StashAndDrop, NewNoRow, Small, Loss),
    (PersonBefore, BranchAndGc, New, Small, Loss),
    (PersonBefore, BranchAndGc, New, Large, Loss),
    (PersonBefore, BranchAndGc, NewNoRow, Small, Loss),
    (PersonBefore, BranchAndGc, Tracked, Small, Loss),
    (PersonBefore, MovedOutside, New, Small, Loss),
    (PersonBefore, MovedOutside, Tracked, Large, Loss),
    (PersonBefore, MovedOutside, NewNoRow, Small, Loss),
    (PersonBefore, Overwritten, Tracked, Large, Loss),
    (PersonBefore, Overwritten, New, Small, Loss),
    (PersonBefore, Overwritten, NewNoRow, Large, Loss),
    (PersonBefore, Truncated, Tracked, Small, Loss),
    (PersonBefore, Truncated, New, Small, Loss),
    (PersonBefore, Truncated, NewNoRow, Large, Loss),
    (PersonBefore, IndexOnly, Tracked, Small, Loss),
    (PersonBefore, IndexOnly, TrackedNoRow, Large, Loss),
    (PersonBefore, IndexOnly, New, Small, Loss),
    // It makes no difference whether the session had begun.
    (PersonDuring, Delete, New, Small, Loss),
    (PersonDuring, Delete, TrackedNoRow, Small, Loss),
    (PersonDuring, Checkout, Tracked, Small, Loss),
    (PersonDuring, Checkout, TrackedNoRow, Large, Loss),
    (PersonDuring, Reset, Tracked, Large, Loss),
    (PersonDuring, Clean, New, Large, Loss),
    (PersonDuring, Clean, NewNoRow, Small, Loss),
    (PersonDuring, StashAndDrop, Tracked, Large, Loss),
    (PersonDuring, StashAndDrop, NewNoRow, Large, Loss),
    (PersonDuring, BranchAndGc, New, Small, Loss),
    (PersonDuring, MovedOutside, NewNoRow, Large, Loss),
    (PersonDuring, Overwritten, New, Large, Loss),
    (PersonDuring, Overwritten, Tracked, Small, Loss),
    (PersonDuring, Truncated, TrackedNoRow, Small, Loss),
    (PersonDuring, IndexOnly, New, Large, Loss),
    (PersonDuring, IndexOnly, Tracked, Small, Loss),
    // At most 100 lines of the session's own go without a word.
    (ToolCall, Delete, New, Small, Nothing),
    (ToolCall, Checkout, Tracked, Small, Nothing),
    (ToolCall, Reset, Tracked, Small, Nothing),
    (ToolCall, Clean, New, Small, Nothing),
    (ToolCall, StashAndDrop, Tracked, Small, Nothing),
    (ToolCall, BranchAndGc, New, Small, Nothing),
    (ToolCall, MovedOutside, New, Small, Nothing),
    (ToolCall, Overwritten, New, Small, Nothing),
    (ToolCall, Truncated, New, Small, Nothing),
    (ToolCall, IndexOnly, Tracked, Small, Nothing),
    (Command, Delete, New, Small, Nothing),
    (Command, Delete, NewNoRow, Small, Nothing),
    (Command, Checkout, Tracked, Small, Nothing),
    (Command, Checkout, TrackedNoRow, Small, Nothing),
    (Command, Reset, TrackedNoRow, Small, Nothing),
    (Command, Clean, NewNoRow, Small, Nothing),
    (Command, StashAndDrop, New, Small, Nothing),
    (Command, BranchAndGc, New, Small, Nothing),
    (Command, IndexOnly, New, Small, Nothing),
    // More are one neutral line.
    (ToolCall, Delete, New, Large, Line),
    (ToolCall, Checkout, Tracked, Large, Line),
    (ToolCall, Reset, Tracked, Large, Line),
    (ToolCall, Clean, New, Large, Line),
    (ToolCall, StashAndDrop, New, Large, Line),
    (ToolCall, BranchAndGc, New, Large, Line),
    (ToolCall, MovedOutside, New, Large, Line),
    (ToolCall, Overwritten, New, Large, Line),
    (ToolCall, Truncated, New, Large, Line),
    (ToolCall, IndexOnly, New, Large, Line),
    (Command, Delete, New, Large, Line),
    (Command, Delete, NewNoRow, Large, Line),
    (Command, Checkout, TrackedNoRow, Large, Line),
    (Command, Reset, Tracked, Large, Line),
    (Command, Clean, NewNoRow, Large, Line),
    (Command, StashAndDrop, Tracked, Large, Line),
    (Command, BranchAndGc, New, Large, Line),
    (Command, IndexOnly, Tracked, Large, Line),
    // What the rules for requests refuse is reported, whoever made it.
    (ToolCall, Delete, Tracked, Small, Report),
    (Command, Delete, Tracked, Large, Report),
    (Command, Delete, TrackedNoRow, Small, Report),
    (Command, MovedOutside, TrackedNoRow, Small, Report),
    (Command, Overwritten, TrackedNoRow, Small, Report),
    (Command, Overwritten, NewNoRow, Small, Report),
    (Command, Overwritten, Tracked, Small, Report),
    (Command, Truncated, Tracked, Small, Report),
    (ToolCall, Truncated, Tracked, Large, Report),
    (ToolCall, Overwritten, Tracked, Large, Report),
];

const PERSON: [Maker; 2] = [PersonBefore, PersonDuring];
const MAKERS: [Maker; 4] = [PersonBefore, PersonDuring, ToolCall, Command];
const WAYS: [Goes; 10] = [
    Delete,
    Checkout,
    Reset,
    Clean,
    StashAndDrop,
    BranchAndGc,
    MovedOutside,
    Overwritten,
    Truncated,
    IndexOnly,
];
const PLACES: [Place; 4] = [Tracked, TrackedNoRow, New, NewNoRow];

impl Place {
    fn path(self) -> &'static str {
        match self {
            Tracked => "src/a.py",
            TrackedNoRow => "src/b.py",
            New => "src/new.py",
            NewNoRow => "notes.txt",
        }
    }

    fn is_tracked(self) -> bool {
        matches!(self, Tracked | TrackedNoRow)
    }

    fn has_row(self) -> bool {
        matches!(self, Tracked | New)
    }

    /// What the maker leaves there.
    fn content(self, size: Size) -> String {
        let made = match size {
            Small => lines(2001..=2060),
            Large => lines(2001..=2250),
        };
        if self.is_tracked() {
            lines(1..=300) + &made
        } else {
            made
        }
    }
}

fn template() -> Repo {
    let repo = Repo::nothing_in_memory().initialized(&[]);
    repo.git(&["config", "user.name", "A"]);
    repo.git(&["config", "user.email", "a@example.com"]);
    repo.stage("src/a.py", lines(1..=300));
    repo.stage("src/b.py", lines(1..=300));
    repo.govern(&[("src/a.py", "Modify", ""), ("src/new.py", "Add", "")]);
    repo
}

/// A session of an agent in a repository.
struct Scene {
    repo: Repo,
    calls: usize,
}

impl Scene {
    fn new(template: &Repo) -> Scene {
        let repo = crate::agent_observe::copy_of(template);
        Scene { repo, calls: 0 }
    }

    fn send(&self, event: &str, tool: &str, input: &Value) -> crate::common::Output {
        let mut payload = claude(&self.repo, tool, input);
        payload["hook_event_name"] = event.into();
        payload["tool_use_id"] = format!("c{}", self.calls).into();
        hook(&self.repo, "claude", payload.to_string())
    }

    /// Runs a command of the agent. The answer is what guard printed.
    fn command(&mut self, command: &str) -> String {
        self.calls += 1;
        let input = json!({"command": command});
        self.send("PreToolUse", "Bash", &input).passes();
        self.by_hand(command);
        self.send("PostToolUse", "Bash", &input).exits(0).stdout
    }

    fn by_hand(&self, command: &str) {
        let mut shell = self.repo.with_guard_on_path("sh");
        run(shell.arg("-c").arg(command));
    }

    fn write_by_tool(&mut self, path: &str, content: &str) {
        self.calls += 1;
        let input = json!({"file_path": absolute(&self.repo, path), "content": content});
        self.send("PreToolUse", "Write", &input).passes();
        self.repo.write(path, content);
        self.send("PostToolUse", "Write", &input).passes();
    }

    /// Puts a content there, made by this one.
    fn make(&mut self, maker: Maker, place: Place, content: &str) {
        let path = place.path();
        match maker {
            PersonBefore | PersonDuring => self.repo.write(path, content),
            ToolCall => self.write_by_tool(path, content),
            Command => {
                fs::write(self.repo.path("../content"), content).unwrap();
                self.command(&format!("cp ../content {path}"));
            }
        }
    }

    /// A step that the maker does by a command.
    fn step(&mut self, maker: Maker, command: &str) {
        if PERSON.contains(&maker) {
            self.by_hand(command);
        } else {
            self.command(command);
        }
    }

    fn set_up(&mut self, (maker, goes, place, size): Combination) {
        if maker != PersonBefore {
            self.command("true");
        }
        let (path, content) = (place.path(), place.content(size));
        match goes {
            BranchAndGc => {
                self.step(maker, "git switch -q -c 188-wip");
                self.make(maker, place, &content);
                let commit = "git -c core.hooksPath=/dev/null commit -qm wip";
                let commit = format!("git add -- {path} && {commit} && git switch -q 188-work");
                self.step(maker, &commit);
            }
            IndexOnly => {
                self.make(maker, place, &content);
                let rest = if place.is_tracked() {
                    format!("git show HEAD:{path} > {path}")
                } else {
                    format!("rm {path}")
                };
                self.step(maker, &format!("git add -- {path} && {rest}"));
            }
            _ => self.make(maker, place, &content),
        }
        self.command("true");
    }

    /// Whether the content is nowhere: in no file, not in the index, and in nothing that a ref or stash reaches.
    fn is_nowhere(&self, content: &str) -> bool {
        let repo = &self.repo;
        let wanted = repo.git_with_input(&["hash-object", "--stdin"], content.as_bytes());
        let mut all = BTreeSet::new();
        let not_guards = ["--exclude=refs/guard/*", "--all"];
        let stashes = repo.try_git(&["rev-list", "-g", "refs/stash"]).stdout;
        let stashes: Vec<&str> = stashes.lines().collect();
        let revisions = [
            &["rev-list", "--objects"],
            &not_guards[..],
            &["HEAD"],
            &stashes,
        ];
        for line in repo.git(&revisions.concat()).lines() {
            all.extend(line.split(' ').next().map(str::to_owned));
        }
        for line in repo.git(&["ls-files", "--stage"]).lines() {
            all.extend(line.split(' ').nth(1).map(str::to_owned));
        }
        let files = repo.git(&["ls-files", "-z", "--cached", "--others"]);
        for file in files.split('\0').filter(|file| repo.path(file).is_file()) {
            all.insert(repo.git(&["hash-object", "--no-filters", "--", file]));
        }
        !all.contains(&wanted)
    }

    /// Whether the content is where it was made.
    fn has_back(&self, goes: Goes, path: &str, content: &str) -> bool {
        let object = match goes {
            BranchAndGc => format!("188-wip:{path}"),
            IndexOnly => format!(":{path}"),
            _ => return fs::read(self.repo.path(path)).is_ok_and(|is| is == content.as_bytes()),
        };
        let shown = self.repo.try_git(&["show", &object]);
        shown.code == 0 && shown.stdout == content
    }
}

type Combination = (Maker, Goes, Place, Size);

/// The command by which it goes.
fn command_of(goes: Goes, path: &str) -> String {
    match goes {
        Delete => format!("rm -- {path}"),
        Checkout => format!("git checkout -q -- {path}"),
        Reset => "git reset -q --hard".to_owned(),
        Clean => "git clean -fdq".to_owned(),
        StashAndDrop => "git stash -q -u && git stash drop -q".to_owned(),
        BranchAndGc => {
            "git branch -q -D 188-wip; git reflog expire --expire=now --all; git gc -q --prune=now"
                .to_owned()
        }
        MovedOutside => format!("mv {path} ../outside && rm ../outside"),
        Overwritten => format!("seq 1000 1005 > {path}"),
        Truncated => format!(": > {path}"),
        IndexOnly => "git reset -q".to_owned(),
    }
}

/// What guard said, by what it printed, and the command that it named.
fn said(stdout: &str) -> (Says, Option<String>) {
    if stdout.is_empty() {
        return (Nothing, None);
    }
    let answer: Value = serde_json::from_str(stdout).unwrap();
    let context = &answer["hookSpecificOutput"]["additionalContext"];
    let text = answer["reason"].as_str().or(context.as_str()).unwrap();
    let says = if text.contains("which this session did not make") {
        Loss
    } else if text.contains("changed what it may not") {
        Report
    } else if text.contains("are nowhere any more") {
        Line
    } else {
        panic!("{text}")
    };
    let command = text.lines().find_map(|line| {
        let start = line.find("guard snapshot restore ")?;
        Some(line[start..].to_owned())
    });
    (says, command)
}

/// What is wrong with a cell; `None` if guard says what is expected, and its command brings the content back.
fn wrong(template: &Repo, combination: Combination, expected: Says) -> Option<String> {
    let (_, goes, place, size) = combination;
    let mut scene = Scene::new(template);
    scene.set_up(combination);
    let content = place.content(size);
    let answer = scene.command(&command_of(goes, place.path()));
    let (says, command) = said(&answer);
    if says != expected {
        return Some(format!(
            "{combination:?}: {says:?} instead of {expected:?}: {answer}"
        ));
    }
    if matches!(says, Loss | Line) {
        let command = command.unwrap_or_default();
        scene.by_hand(&command);
        if !scene.has_back(goes, place.path(), &content) {
            return Some(format!(
                "{combination:?}: is not back after {command}: {answer}"
            ));
        }
    }
    None
}

/// Whether the combination exists: git restores only what it tracks, and a tool writes only what a row allows.
fn exists((maker, goes, place, _): Combination) -> bool {
    let is_git = match goes {
        Checkout | Reset => place.is_tracked(),
        Clean => !place.is_tracked(),
        _ => true,
    };
    is_git && (maker != ToolCall || place.has_row())
}

/// In two threads, what is wrong with each.
fn check(all: &[(Combination, Says)]) {
    let template = template();
    assert_each(all, |(one, says)| wrong(&template, *one, *says));
}

/// So many cells are checked without `GUARD_LONG`.
const SAMPLE: usize = 32;

fn sampled<T: Clone>(all: Vec<T>) -> Vec<T> {
    let step = match std::env::var_os("GUARD_LONG") {
        Some(_) => 1,
        None => all.len().div_ceil(SAMPLE),
    };
    all.into_iter().step_by(step).collect()
}

#[test]
fn what_is_lost_is_said_as_decided_by_hand() {
    let decided = DECIDED.iter();
    let decided =
        decided.map(|&(maker, goes, place, size, says)| ((maker, goes, place, size), says));
    let decided: Vec<(Combination, Says)> = decided.collect();
    assert!(decided.iter().all(|(one, _)| exists(*one)));
    check(&sampled(decided));
}

/// A slow model: it keeps the content, and asks after the command whether it is nowhere any more.
#[test]
fn what_is_nowhere_any_more_is_said_in_every_combination() {
    let template = template();
    let mut all = Vec::new();
    for maker in MAKERS {
        for goes in WAYS {
            for place in PLACES {
                for size in [Small, Large] {
                    all.push((maker, goes, place, size));
                }
            }
        }
    }
    all.retain(|one| exists(*one));
    let expected = |combination: &Combination| {
        let (maker, goes, place, size) = *combination;
        let mut scene = Scene::new(&template);
        scene.set_up(*combination);
        scene.by_hand(&command_of(goes, place.path()));
        let is_lost = scene.is_nowhere(&place.content(size));
        let is_refused = match goes {
            Delete | MovedOutside => place.is_tracked(),
            Overwritten | Truncated => place != New,
            _ => false,
        };
        let says = match (is_lost, PERSON.contains(&maker), size) {
            (true, true, _) => Loss,
            _ if is_refused => Report,
            (true, false, Large) => Line,
            _ => Nothing,
        };
        (*combination, says)
    };
    let all: Vec<(Combination, Says)> = sampled(all).iter().map(expected).collect();
    assert!(all.iter().any(|(_, says)| *says == Loss));
    check(&all);
}
