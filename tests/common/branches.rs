//! Branches of several kinds, made with real git and guard's hooks.

use std::fs;
use std::path::{Path, PathBuf};

use super::frameworks::{frameworks, lefthook, local_config, npm_package};
use super::{GUARD, Output, Repo, run, system, write_executable};

/// How the repository calls guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hooks {
    /// All hooks of `guard install git`.
    All,
    /// Without the hooks that write trailers.
    WithoutTrailers,
    /// The commit hook alone, as a line in a script of husky or lefthook.
    CommitAlone,
    /// As pre-commit calls it.
    Framework,
    /// pre-commit itself, with the shipped hook.
    PreCommit,
    /// husky itself, as `guard install husky` writes its scripts.
    Husky,
    /// lefthook itself, as `guard install lefthook` writes its settings.
    Lefthook,
}

impl Hooks {
    /// Whether the messages of commits name the design.
    pub fn write_trailers(self) -> bool {
        matches!(self, Hooks::All | Hooks::Husky | Hooks::Lefthook)
    }
}

/// What a branch is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
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
    /// The branch brings its design, and the remote is a fork whose main stays behind.
    Fork,
}

pub const KINDS: &[Kind] = &[
    Kind::OwnDesign,
    Kind::NewDesign,
    Kind::HotFix,
    Kind::Backport,
    Kind::Stacked,
    Kind::WorkTree,
    Kind::Fork,
];

/// A step on a branch, and whether it needs a row that no design has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Granted,
    Standing,
    Stray,
    StrayAndGranted,
    Gutted,
    RowWithItsCode,
    AmendMessage,
    Squash,
    MergeTarget,
    /// The design goes where finished ones are.
    Archive,
}

pub const ACTS: &[Act] = &[
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
    Act::Archive,
];

const SETTINGS: &str = "[lld]\npath = \"docs/lld/active/LLD-{issue}.md\"\ndone = \"docs/lld/done/LLD-{issue}.md\"\nstanding = \"docs/lld/standing.md\"\nbase = \"main\"\n";

pub struct Branch {
    pub repo: Repo,
    pub hooks: Hooks,
    pub kind: Kind,
    pub name: &'static str,
    /// The remote that the request goes to, and the branch there.
    pub upstream: &'static str,
    pub target: &'static str,
    /// The file that its design allows.
    file: &'static str,
    design: &'static str,
    /// Where the work happens.
    pub at: &'static str,
    /// Directories of the programs that a manager calls.
    programs: Vec<PathBuf>,
    /// What was done, for the message of a failure.
    pub story: Vec<String>,
}

fn design(row: &str) -> String {
    format!("# D\n\n## Files Changed\n\n| File | Change Type |\n|---|---|\n| `{row}` | Modify |\n")
}

fn lines(count: usize, word: &str) -> String {
    (0..count).map(|at| format!("{word} {at}\n")).collect()
}

impl Branch {
    /// A repository with a remote, a release branch and this branch.
    pub fn new(kind: Kind, hooks: Hooks) -> Branch {
        let repo = Repo::new();
        for file in ["a.py", "b.py", "CHANGELOG.md"] {
            repo.stage(file, lines(150, "line"));
        }
        repo.stage("guard.toml", SETTINGS);
        repo.stage("docs/lld/standing.md", design("CHANGELOG.md"));
        repo.stage("docs/lld/active/LLD-7.md", design("a.py"));
        let upstream = if kind == Kind::Fork {
            "upstream"
        } else {
            "origin"
        };
        let (name, target, file, design) = match kind {
            Kind::OwnDesign | Kind::WorkTree => {
                ("7-work", "main", "a.py", "docs/lld/active/LLD-7.md")
            }
            Kind::NewDesign | Kind::Fork => ("9-new", "main", "b.py", "docs/lld/active/LLD-9.md"),
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
            upstream,
            target,
            file,
            design,
            at: if kind == Kind::WorkTree {
                "../linked"
            } else {
                "."
            },
            programs: Vec::new(),
            story: Vec::new(),
        };
        branch.configure_manager();
        branch.repo.commit("Begin");
        branch.publish();
        branch.install();
        branch.begin();
        branch
    }

    /// The bare repositories of the target and of a fork, as remotes.
    fn publish(&self) {
        let git = |arguments: &[&str]| self.repo.git(arguments);
        git(&["branch", "release/1.x"]);
        let remotes: &[(&str, &str)] = match self.kind {
            Kind::Fork => &[("origin", "../fork.git"), (self.upstream, "../up.git")],
            _ => &[(self.upstream, "../up.git")],
        };
        for (remote, place) in remotes {
            git(&["init", "--quiet", "--bare", place]);
            git(&["remote", "add", remote, place]);
            git(&["push", "--quiet", remote, "main", "release/1.x"]);
            git(&["remote", "set-head", remote, "main"]);
        }
    }

    /// Lets a manager call guard by the settings that the repository begins with.
    fn configure_manager(&mut self) {
        let mut guard = self.repo.with_guard_on_path(GUARD);
        match self.hooks {
            Hooks::PreCommit => self.repo.stage(".pre-commit-config.yaml", local_config()),
            Hooks::Husky => {
                run(guard.args(["install", "husky"])).exits(0);
                self.repo.git(&["add", ".husky"]);
                self.repo.stage(".gitignore", "node_modules\n.husky/_\n");
            }
            Hooks::Lefthook => {
                let program = lefthook().unwrap();
                self.programs.push(program.parent().unwrap().to_owned());
                run(guard.args(["install", "lefthook"])).exits(0);
                self.repo.git(&["add", "lefthook.yml"]);
            }
            _ => {}
        }
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
            Hooks::PreCommit => {
                let (_, program) = frameworks().next().unwrap();
                let kinds = ["pre-commit", "pre-merge-commit"];
                let kinds = kinds.iter().flat_map(|kind| ["--hook-type", kind]);
                run(self.repo.command(program).arg("install").args(kinds)).exits(0);
            }
            Hooks::Husky => self.install_husky("."),
            Hooks::Lefthook => {
                run(self.repo.command(lefthook().unwrap()).arg("install")).exits(0);
            }
        }
    }

    /// husky's script `prepare`, which `npm install` runs in every work tree.
    fn install_husky(&self, work_tree: &str) {
        let place = npm_package(&self.repo, "husky").unwrap();
        let mut node = self.repo.command("node");
        node.current_dir(self.repo.path(work_tree));
        run(node.arg(place.join("bin.js"))).exits(0);
    }

    /// Creates the branch and commits its design, each as a person would.
    fn begin(&mut self) {
        let bring = matches!(
            self.kind,
            Kind::NewDesign | Kind::HotFix | Kind::Backport | Kind::Stacked | Kind::Fork
        );
        match self.kind {
            Kind::WorkTree => {
                self.repo
                    .git(&["worktree", "add", "--quiet", "-b", self.name, self.at]);
                if self.hooks == Hooks::Husky {
                    self.install_husky(self.at);
                }
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
        if self.kind == Kind::Fork {
            assert!(self.act(Act::MergeTarget));
        }
    }

    fn write(&self, path: &str, text: &str) {
        self.repo.write(format!("{}/{path}", self.at), text);
    }

    fn text(&self, path: &str) -> String {
        self.repo.text(format!("{}/{path}", self.at))
    }

    /// git with the hooks.
    pub fn git(&self, arguments: &[&str]) -> Output {
        let mut git = self.repo.with_guard_on_path("git");
        let path = system::path_beginning_with(Path::new(GUARD).parent().unwrap());
        let programs = self.programs.iter().cloned();
        let path = std::env::join_paths(programs.chain(std::env::split_paths(&path)));
        git.env("PATH", path.unwrap());
        run(git.args(["-C", self.at]).args(arguments))
    }

    /// The last line that a command of git prints.
    pub fn line_of(&self, arguments: &[&str]) -> String {
        let output = self.git(arguments).exits(0).stdout;
        output.trim().to_owned()
    }

    pub fn guard(&self, arguments: &[&str]) -> Output {
        let mut guard = self.repo.with_guard_on_path(GUARD);
        run(guard.args(["-C", self.at]).args(arguments))
    }

    /// Where the design goes when the work is finished.
    fn archive_path(&self) -> String {
        self.design.replace("active", "done")
    }

    pub fn is_archived(&self) -> bool {
        self.repo
            .path(format!("{}/{}", self.at, self.archive_path()))
            .exists()
    }

    fn place_of_design(&self) -> String {
        if self.is_archived() {
            self.archive_path()
        } else {
            self.design.to_owned()
        }
    }

    fn archive(&self) {
        self.write(&self.archive_path(), &self.text(self.design));
        fs::remove_file(self.repo.path(format!("{}/{}", self.at, self.design))).unwrap();
    }

    /// Does a step, and tells whether git's hooks accepted it.
    pub fn act(&mut self, act: Act) -> bool {
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
                let place = self.place_of_design();
                self.write(&place, &(self.text(&place) + row));
                self.write("extra.py", "x\n");
            }
            Act::Archive => self.archive(),
            Act::AmendMessage | Act::Squash | Act::MergeTarget => {}
        }
        self.git(&["add", "--all"]).exits(0);
        let answer = match act {
            Act::AmendMessage => self.git(&["commit", "--quiet", "--amend", "-m", "Reworded"]),
            Act::Squash => {
                let base = self.line_of(&["merge-base", "HEAD", self.target]);
                let designs =
                    self.git(&["log", "--format=%H", "--diff-filter=A", "--", self.design]);
                let brought = designs.stdout.lines().next().unwrap_or_default().to_owned();
                // The design stays a commit of its own.
                let is_own = self.kind != Kind::OwnDesign && self.kind != Kind::WorkTree;
                let start = if is_own { brought } else { base };
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
                self.repo.git(&["fetch", "--quiet", self.upstream]);
                let tip = format!("{}/{}", self.upstream, self.target);
                self.git(&["merge", "--quiet", "--no-edit", &tip])
            }
            _ => self.git(&["commit", "--quiet", "-m", "A step"]),
        };
        self.story.push(format!("{act:?}: {}", answer.code));
        answer.code == 0
    }
}
