//! One answer at three moments: what the hooks of a branch accept, its push and its request accept, and what they refuse
//! is refused there, too; but for the differences that docs/ci.md lists with their reasons.
//!
//! Random branches of several kinds are made with real git and guard's hooks. `GUARD_BRANCHES=N` makes more of them.

use std::fs;

use serde_json::json;

use crate::common::random::Random;
use crate::common::{GUARD, Output, Repo, SOURCE, run, write_executable};

/// How the repository calls guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hooks {
    /// All hooks of `guard install git`.
    All,
    /// Without the hooks that write trailers.
    WithoutTrailers,
    /// The commit hook alone, as a line in a script of husky or lefthook.
    CommitAlone,
    /// As pre-commit calls it.
    Framework,
}

const HOOKS: &[Hooks] = &[
    Hooks::All,
    Hooks::WithoutTrailers,
    Hooks::CommitAlone,
    Hooks::Framework,
];

/// What a branch is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The design of the branch is on main.
    OwnDesign,
    /// The branch brings its design.
    NewDesign,
    /// A hot fix on a branch without a number, which brings its design.
    HotFix,
    /// A fix of another branch on a release branch, with a design of its own.
    Backport,
    /// A branch on top of one that is not merged yet.
    Stacked,
    /// The same as `OwnDesign`, in a linked work tree.
    WorkTree,
}

const KINDS: &[Kind] = &[
    Kind::OwnDesign,
    Kind::NewDesign,
    Kind::HotFix,
    Kind::Backport,
    Kind::Stacked,
    Kind::WorkTree,
];

/// A step on a branch, and whether it needs a row that no design has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Granted,
    Standing,
    Stray,
    StrayAndGranted,
    Gutted,
    RowWithItsCode,
    AmendMessage,
    Squash,
    MergeTarget,
}

const ACTS: &[Act] = &[
    Act::Granted,
    Act::Granted,
    Act::Standing,
    Act::Stray,
    Act::StrayAndGranted,
    Act::Gutted,
    Act::RowWithItsCode,
    Act::AmendMessage,
    Act::Squash,
    Act::MergeTarget,
];

/// A difference that docs/ci.md lists; the text is how it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Difference {
    /// A row in one commit with the code that needs it.
    RowWithItsCode,
    /// A queue knows neither the branch nor a trailer.
    QueueWithoutTrailers,
}

const DIFFERENCES: &[(Difference, &str)] = &[
    (
        Difference::RowWithItsCode,
        "a row that comes in one commit with the code that needs it",
    ),
    (
        Difference::QueueWithoutTrailers,
        "a queue that squashes a branch without trailers whose design was there before",
    ),
];

/// A moment after the commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    Push,
    Request,
    Queue,
}

const SETTINGS: &str = "[lld]\npath = \"docs/lld/active/LLD-{issue}.md\"\nstanding = \"docs/lld/standing.md\"\nbase = \"main\"\n";

struct Branch {
    repo: Repo,
    hooks: Hooks,
    kind: Kind,
    name: &'static str,
    /// The branch that the request goes into.
    target: &'static str,
    /// The file that its design allows.
    file: &'static str,
    design: &'static str,
    /// Where the work happens.
    at: &'static str,
    /// What was done, for the message of a failure.
    story: Vec<String>,
}

fn design(row: &str) -> String {
    format!("# D\n\n## Files Changed\n\n| File | Change Type |\n|---|---|\n| `{row}` | Modify |\n")
}

fn lines(count: usize, word: &str) -> String {
    (0..count).map(|at| format!("{word} {at}\n")).collect()
}

impl Branch {
    /// A repository with a remote, a release branch and this branch.
    fn new(kind: Kind, hooks: Hooks) -> Branch {
        let repo = Repo::new();
        for file in ["a.py", "b.py", "CHANGELOG.md"] {
            repo.stage(file, lines(150, "line"));
        }
        repo.stage("guard.toml", SETTINGS);
        repo.stage("docs/lld/standing.md", design("CHANGELOG.md"));
        repo.stage("docs/lld/active/LLD-7.md", design("a.py"));
        repo.commit("Begin");
        repo.git(&["branch", "release/1.x"]);
        repo.git(&["init", "--quiet", "--bare", "../up.git"]);
        repo.git(&["remote", "add", "origin", "../up.git"]);
        repo.git(&["push", "--quiet", "origin", "main", "release/1.x"]);
        repo.git(&["remote", "set-head", "origin", "main"]);
        let (name, target, file, design) = match kind {
            Kind::OwnDesign | Kind::WorkTree => {
                ("7-work", "main", "a.py", "docs/lld/active/LLD-7.md")
            }
            Kind::NewDesign => ("9-new", "main", "b.py", "docs/lld/active/LLD-9.md"),
            Kind::HotFix => ("fix-login", "main", "b.py", "docs/lld/active/LLD-hotfix.md"),
            Kind::Backport => (
                "9-backport",
                "release/1.x",
                "a.py",
                "docs/lld/active/LLD-9.md",
            ),
            Kind::Stacked => ("9-more", "7-work", "b.py", "docs/lld/active/LLD-9.md"),
        };
        let mut branch = Branch {
            repo,
            hooks,
            kind,
            name,
            target,
            file,
            design,
            at: if kind == Kind::WorkTree {
                "../linked"
            } else {
                "."
            },
            story: Vec::new(),
        };
        branch.install();
        branch.begin();
        branch
    }

    fn install(&self) {
        let hook = |name: &str, line: &str| {
            let script = format!("#!/bin/sh\n{line}\n");
            write_executable(&self.repo.path(format!(".git/hooks/{name}")), &script);
        };
        fs::create_dir_all(self.repo.path(".git/hooks")).unwrap();
        match self.hooks {
            Hooks::All | Hooks::WithoutTrailers => {
                run(self.repo.with_guard_on_path(GUARD).args(["install", "git"])).exits(0);
                if self.hooks == Hooks::WithoutTrailers {
                    for name in ["prepare-commit-msg", "commit-msg"] {
                        fs::remove_file(self.repo.path(format!(".git/hooks/{name}"))).unwrap();
                    }
                }
            }
            Hooks::CommitAlone => {
                hook("pre-commit", "guard hook pre-commit \"$@\" || exit $?");
                hook(
                    "pre-merge-commit",
                    "guard hook pre-merge-commit \"$@\" || exit $?",
                );
            }
            Hooks::Framework => {
                hook("pre-commit", "exec guard hook framework");
                hook("pre-merge-commit", "exec guard hook framework");
            }
        }
    }

    /// Creates the branch and commits its design, each as a person would.
    fn begin(&mut self) {
        let bring = matches!(
            self.kind,
            Kind::NewDesign | Kind::HotFix | Kind::Backport | Kind::Stacked
        );
        match self.kind {
            Kind::WorkTree => {
                self.repo
                    .git(&["worktree", "add", "--quiet", "-b", self.name, self.at]);
            }
            Kind::Stacked => {
                self.repo.git(&["switch", "--quiet", "--create", "7-work"]);
                self.repo.write("a.py", lines(151, "line"));
                self.git(&["commit", "--quiet", "-am", "Work on seven"])
                    .exits(0);
                self.repo
                    .git(&["push", "--quiet", "--no-verify", "origin", "7-work"]);
                self.repo.git(&["switch", "--quiet", "--create", self.name]);
            }
            Kind::Backport => {
                self.repo.git(&["switch", "--quiet", "--create", "7-fix"]);
                self.repo.write("a.py", lines(151, "line"));
                self.git(&[
                    "commit",
                    "--quiet",
                    "-am",
                    "Fix\n\nGuard-Design: docs/lld/active/LLD-5.md",
                ])
                .exits(0);
                self.repo
                    .git(&["switch", "--quiet", "--create", self.name, "release/1.x"]);
            }
            _ => {
                self.repo.git(&["switch", "--quiet", "--create", self.name]);
            }
        }
        if bring {
            self.write(self.design, &design(self.file));
            self.git(&["add", "."]).exits(0);
            self.git(&["commit", "--quiet", "-m", "Add the design"])
                .exits(0);
        }
        if self.kind == Kind::Backport {
            self.git(&["cherry-pick", "7-fix"]).exits(0);
        }
    }

    fn write(&self, path: &str, text: &str) {
        self.repo.write(format!("{}/{path}", self.at), text);
    }

    fn text(&self, path: &str) -> String {
        self.repo.text(format!("{}/{path}", self.at))
    }

    /// git with the hooks.
    fn git(&self, arguments: &[&str]) -> Output {
        let mut git = self.repo.with_guard_on_path("git");
        run(git.args(["-C", self.at]).args(arguments))
    }

    fn guard(&self, arguments: &[&str]) -> Output {
        let mut guard = self.repo.with_guard_on_path(GUARD);
        run(guard.args(["-C", self.at]).args(arguments))
    }

    /// Does a step, and tells whether git's hooks accepted it.
    fn act(&mut self, act: Act) -> bool {
        let more = |text: String| text + "more\n";
        match act {
            Act::Granted => self.write(self.file, &more(self.text(self.file))),
            Act::Standing => self.write("CHANGELOG.md", &more(self.text("CHANGELOG.md"))),
            Act::Stray => self.write("stray.py", "x\n"),
            Act::StrayAndGranted => {
                self.write("stray.py", "x\n");
                self.write(self.file, &more(self.text(self.file)));
            }
            Act::Gutted => self.write(self.file, &lines(120, "other")),
            Act::RowWithItsCode => {
                let row = "| `extra.py` | Add |\n";
                self.write(self.design, &(self.text(self.design) + row));
                self.write("extra.py", "x\n");
            }
            Act::AmendMessage | Act::Squash | Act::MergeTarget => {}
        }
        self.git(&["add", "--all"]).exits(0);
        let answer = match act {
            Act::AmendMessage => self.git(&["commit", "--quiet", "--amend", "-m", "Reworded"]),
            Act::Squash => {
                let base = self
                    .git(&["merge-base", "HEAD", self.target])
                    .exits(0)
                    .stdout;
                let designs =
                    self.git(&["log", "--format=%H", "--diff-filter=A", "--", self.design]);
                let brought = designs.stdout.lines().next().unwrap_or_default().to_owned();
                // The design stays a commit of its own.
                let is_own = self.kind != Kind::OwnDesign && self.kind != Kind::WorkTree;
                let start = if is_own {
                    brought
                } else {
                    base.trim().to_owned()
                };
                self.git(&["reset", "--quiet", "--soft", &start]).exits(0);
                self.git(&[
                    "commit",
                    "--quiet",
                    "--allow-empty",
                    "-m",
                    "All of it (#12)",
                ])
            }
            Act::MergeTarget => {
                let other = self.repo.path("../other");
                let up = self.repo.path("../up.git");
                if !other.exists() {
                    let (up, other) = (up.to_string_lossy(), other.to_string_lossy());
                    self.repo
                        .git(&["clone", "--quiet", "--branch", self.target, &up, &other]);
                }
                fs::write(other.join("others.py"), format!("{}\n", self.story.len())).unwrap();
                let at = other.to_string_lossy().into_owned();
                self.repo.git(&["-C", &at, "add", "."]);
                self.repo.git(&[
                    "-C",
                    &at,
                    "commit",
                    "--quiet",
                    "--allow-empty",
                    "-m",
                    "Of others",
                ]);
                self.repo
                    .git(&["-C", &at, "push", "--quiet", "origin", self.target]);
                self.repo.git(&["fetch", "--quiet", "origin"]);
                let tip = format!("origin/{}", self.target);
                self.git(&["merge", "--quiet", "--no-edit", &tip])
            }
            _ => self.git(&["commit", "--quiet", "-m", "A step"]),
        };
        self.story.push(format!("{act:?}: {}", answer.code));
        answer.code == 0
    }

    /// What a push and a request say about the branch now, each with its text.
    fn later_answers(&self) -> Vec<(Moment, Output)> {
        let target = format!("github:origin/{}..HEAD", self.target);
        let mut answers = vec![(
            Moment::Request,
            self.guard(&["lint", "--ci", "--pretend", &target]),
        )];
        if self.target == "main" {
            let refs = self.git(&["rev-parse", "HEAD"]).exits(0).stdout;
            let (tip, name) = (refs.trim(), self.name);
            let zero = "0".repeat(40);
            let line = format!("refs/heads/{name} {tip} refs/heads/{name} {zero}\n");
            let mut push = self.repo.with_guard_on_path(GUARD);
            push.args(["-C", self.at, "hook", "pre-push", "origin"]);
            answers.push((
                Moment::Push,
                crate::common::run_with_input(&mut push, line.as_bytes()),
            ));
            answers.push((Moment::Queue, self.queue()));
        }
        answers
    }

    /// A merge queue that squashes the branch, as GitHub writes the message.
    fn queue(&self) -> Output {
        let messages = self.git(&["log", "--reverse", "--format=* %B", "origin/main..HEAD"]);
        let message = format!(
            "Work (#12)\n\n{}\n---------\n\nCo-authored-by: B <b@example.com>\n",
            messages.stdout
        );
        let tree = self
            .git(&["merge-tree", "--write-tree", "origin/main", "HEAD"])
            .exits(0)
            .stdout;
        let made = self.git(&[
            "commit-tree",
            tree.trim(),
            "-p",
            "origin/main",
            "-m",
            &message,
        ]);
        let head = made.exits(0).stdout.trim().to_owned();
        let base = self
            .git(&["rev-parse", "origin/main"])
            .exits(0)
            .stdout
            .trim()
            .to_owned();
        let event = json!({"merge_group": {"base_sha": base, "head_sha": head, "base_ref": "refs/heads/main",
            "head_ref": format!("refs/heads/gh-readonly-queue/main/pr-7-{base}")}});
        let file = self.repo.path("../event.json");
        fs::write(&file, event.to_string()).unwrap();
        let mut guard = self.repo.with_guard_on_path(GUARD);
        guard
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_EVENT_NAME", "merge_group")
            .env("GITHUB_EVENT_PATH", &file)
            .env("GITHUB_SHA", &head)
            .args(["-C", self.at, "lint", "--ci"]);
        run(&mut guard)
    }

    /// Commits what the hooks have refused without them, asks again, and takes it back.
    fn forced(&self, act: Act) -> Vec<(Moment, Output)> {
        let before = self.git(&["rev-parse", "HEAD"]).exits(0).stdout;
        let no_hooks = ["-c", "core.hooksPath=/dev/null"];
        let commit: &[&str] = match act {
            Act::AmendMessage => &["commit", "--quiet", "--amend", "-m", "Reworded"],
            _ => &["commit", "--quiet", "--allow-empty", "-m", "A step"],
        };
        self.git(&[&no_hooks[..], commit].concat()).exits(0);
        let answers = self.later_answers();
        self.git(&["reset", "--quiet", "--hard", before.trim()])
            .exits(0);
        answers
    }
}

impl Branch {
    /// The difference that explains another answer than that of the hooks, if one does.
    fn expected_difference(&self, act: Option<Act>, moment: Moment) -> Option<Difference> {
        let brings_design = matches!(self.kind, Kind::NewDesign | Kind::HotFix);
        if act == Some(Act::RowWithItsCode) {
            return Some(Difference::RowWithItsCode);
        }
        let is_nameless = moment == Moment::Queue && self.hooks != Hooks::All && !brings_design;
        is_nameless.then_some(Difference::QueueWithoutTrailers)
    }
}

/// Makes a branch, and tells where the answers differ.
fn differences_of(seed: u64) -> Vec<String> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (seed + 1) << 7);
    let at = usize::try_from(seed).unwrap();
    let kind = KINDS[at % KINDS.len()];
    let hooks = HOOKS[at / KINDS.len() % HOOKS.len()];
    let mut branch = Branch::new(kind, hooks);
    let (mut has_work, mut found) = (false, Vec::new());
    let mut asked = Vec::new();
    for _ in 0..1 + random.below(4) {
        let act = ACTS[random.below(ACTS.len())];
        if matches!(act, Act::AmendMessage | Act::Squash) && !has_work {
            continue;
        }
        if branch.act(act) {
            has_work |= matches!(act, Act::Granted | Act::Standing);
        } else {
            let answers = branch.forced(act).into_iter();
            asked.extend(answers.map(|(moment, answer)| (Some(act), moment, answer, true)));
        }
    }
    if has_work {
        let answers = branch.later_answers().into_iter();
        asked.extend(answers.map(|(moment, answer)| (None, moment, answer, false)));
    }
    for (act, moment, answer, is_refused_by_hooks) in asked {
        let is_same = (answer.code != 0) == is_refused_by_hooks;
        if is_same || branch.expected_difference(act, moment).is_some() {
            continue;
        }
        let hooks_say = if is_refused_by_hooks {
            "refuse"
        } else {
            "accept"
        };
        found.push(format!(
            "seed {seed}, {kind:?} with {hooks:?}, {:?}: the hooks {hooks_say}, but {moment:?} ends with {}:\n{}",
            branch.story,
            answer.code,
            answer.text()
        ));
    }
    found
}

#[test]
fn hooks_push_and_request_give_one_answer_about_random_branches() {
    let count = std::env::var("GUARD_BRANCHES").ok();
    let count = count.and_then(|count| count.parse().ok()).unwrap_or(24);
    // Each kind with each way to call guard is 24.
    let found: Vec<String> = (0..count).flat_map(differences_of).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_differences_are_on_the_list_in_the_documentation() {
    let page = fs::read_to_string(format!("{SOURCE}/docs/ci.md")).unwrap();
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for (difference, words) in DIFFERENCES {
        assert!(page.contains(words), "{difference:?}: {words}");
    }
}
