//! Whether the hooks, the push and the request give one answer about a branch.

use std::fs;

use serde_json::{Value, json};

use super::branches::{ACTS, Act, Branch, Hooks, KINDS, Kind};
use super::random::Random;
use super::{GUARD, Output, run, run_with_input};

/// A difference that docs/ci.md lists; the text is how it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// A row in one commit with the code that needs it.
    RowWithItsCode,
    /// A queue knows neither the branch nor a trailer.
    QueueWithoutTrailers,
    /// A queue makes one commit, which shows no move.
    QueueAfterMove,
}

pub const DIFFERENCES: &[(Difference, &str)] = &[
    (
        Difference::RowWithItsCode,
        "a row that comes in one commit with the code that needs it",
    ),
    (
        Difference::QueueWithoutTrailers,
        "a queue that squashes a branch without trailers whose design was there before",
    ),
    (
        Difference::QueueAfterMove,
        "a queue that squashes a branch that has moved the design that it brought",
    ),
];

/// A moment after the commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    Push,
    Request,
    Queue,
}

impl Branch {
    /// What a push and a request say about the branch now, each with its text.
    fn later_answers(&self) -> Vec<(Moment, Output)> {
        let target = format!("github:{}/{}..HEAD", self.upstream, self.target);
        let mut answers = vec![(
            Moment::Request,
            self.guard(&["lint", "--ci", "--pretend", &target]),
        )];
        if self.kind == Kind::Fork {
            answers.push((Moment::Request, self.request_of_the_fork()));
        }
        if self.target == "main" {
            let tip = self.line_of(&["rev-parse", "HEAD"]);
            let zero = "0".repeat(40);
            let line = format!("refs/heads/{0} {tip} refs/heads/{0} {zero}\n", self.name);
            let mut push = self.repo.with_guard_on_path(GUARD);
            push.args(["-C", self.at, "hook", "pre-push", "origin"]);
            answers.push((Moment::Push, run_with_input(&mut push, line.as_bytes())));
            answers.push((Moment::Queue, self.queue()));
        }
        answers
    }

    /// A merge queue that squashes the branch, as GitHub writes the message.
    fn queue(&self) -> Output {
        let main = format!("{}/main", self.upstream);
        let messages = self.git(&[
            "log",
            "--reverse",
            "--format=* %B",
            &format!("{main}..HEAD"),
        ]);
        let message = format!(
            "Work (#12)\n\n{}\n---------\n\nCo-authored-by: B <b@example.com>\n",
            messages.stdout
        );
        let tree = self.line_of(&["merge-tree", "--write-tree", &main, "HEAD"]);
        let head = self.line_of(&["commit-tree", &tree, "-p", &main, "-m", &message]);
        let base = self.line_of(&["rev-parse", &main]);
        let event = json!({"merge_group": {"base_sha": base, "head_sha": head, "base_ref": "refs/heads/main",
            "head_ref": format!("refs/heads/gh-readonly-queue/main/pr-7-{base}")}});
        self.github(self.at, "merge_group", &event, &head)
    }

    /// The job of GitHub for a pull request from the fork: a clone of the target, with the merge that GitHub makes.
    fn request_of_the_fork(&self) -> Output {
        let up = self.repo.path("../up.git");
        let (up, at) = (up.to_string_lossy(), "../ci");
        if !self.repo.path(at).exists() {
            self.repo.git(&["clone", "--quiet", &up, at]);
        }
        let head = self.line_of(&["rev-parse", "HEAD"]);
        let no_hooks = ["-c", "core.hooksPath=/dev/null"];
        let push = ["push", "--quiet", "--force", "origin", "HEAD:9-new"];
        self.git(&[&no_hooks[..], &push].concat()).exits(0);
        let ci = |arguments: &[&str]| self.repo.git(&[&["-C", at], arguments].concat());
        ci(&[
            "fetch",
            "--quiet",
            "origin",
            "main:refs/remotes/origin/main",
        ]);
        ci(&["fetch", "--quiet", "../fork.git", "9-new"]);
        let base = ci(&["rev-parse", "origin/main"]);
        ci(&["switch", "--quiet", "--detach", &base]);
        ci(&["merge", "--quiet", "--no-ff", "-m", "Merge", &head]);
        let event = json!({"pull_request": {"number": 12, "head": {"sha": head, "ref": "9-new"},
            "base": {"sha": base, "ref": "main"}}, "repository": {"default_branch": "main"}});
        self.github(at, "pull_request", &event, &ci(&["rev-parse", "HEAD"]))
    }

    /// `guard lint --ci` in a job of GitHub.
    fn github(&self, at: &str, event: &str, payload: &Value, commit: &str) -> Output {
        let file = self.repo.path("../event.json");
        fs::write(&file, payload.to_string()).unwrap();
        let mut guard = self.repo.with_guard_on_path(GUARD);
        guard
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_EVENT_NAME", event)
            .env("GITHUB_EVENT_PATH", &file)
            .env("GITHUB_SHA", commit)
            .args(["-C", at, "lint", "--ci"]);
        if event == "pull_request" {
            guard
                .env("GITHUB_HEAD_REF", self.name)
                .env("GITHUB_BASE_REF", self.target);
        }
        run(&mut guard)
    }

    /// Commits what the hooks have refused without them, asks again, and takes it back.
    fn forced(&self, act: Act) -> Vec<(Moment, Output)> {
        let before = self.line_of(&["rev-parse", "HEAD"]);
        let no_hooks = ["-c", "core.hooksPath=/dev/null"];
        let commit: &[&str] = match act {
            Act::AmendMessage => &["commit", "--quiet", "--amend", "-m", "Reworded"],
            _ => &["commit", "--quiet", "--allow-empty", "-m", "A step"],
        };
        self.git(&[&no_hooks[..], commit].concat()).exits(0);
        let answers = self.later_answers();
        self.git(&["reset", "--quiet", "--hard", &before]).exits(0);
        answers
    }
}

impl Branch {
    /// The difference that explains another answer than that of the hooks, if one does.
    fn expected_difference(&self, act: Option<Act>, moment: Moment) -> Option<Difference> {
        let brings_design = matches!(self.kind, Kind::NewDesign | Kind::HotFix | Kind::Fork);
        if act == Some(Act::RowWithItsCode) {
            return Some(Difference::RowWithItsCode);
        }
        if moment != Moment::Queue {
            return None;
        }
        if brings_design && self.is_archived() {
            return Some(Difference::QueueAfterMove);
        }
        let is_nameless = !self.hooks.write_trailers() && !brings_design;
        is_nameless.then_some(Difference::QueueWithoutTrailers)
    }
}

/// Makes branches of each kind with each of these, and tells where the answers differ. `GUARD_BRANCHES=N` makes more.
pub fn differences(all: &[Hooks]) -> Vec<String> {
    let count = std::env::var("GUARD_BRANCHES").ok();
    let count = count.and_then(|count| count.parse().ok());
    let seeds = 0..count.unwrap_or(KINDS.len() * all.len());
    let of = |seed| {
        let kind = KINDS[seed % KINDS.len()];
        differences_of(seed, kind, all[seed / KINDS.len() % all.len()])
    };
    seeds.flat_map(of).collect()
}

/// Makes a branch, and tells where the answers differ.
fn differences_of(seed: usize, kind: Kind, hooks: Hooks) -> Vec<String> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (seed as u64 + 1) << 7);
    let mut branch = Branch::new(kind, hooks);
    let (mut has_work, mut found) = (false, Vec::new());
    let mut asked = Vec::new();
    for _ in 0..1 + random.below(4) {
        let act = ACTS[random.below(ACTS.len())];
        let has_nothing_to_do = match act {
            Act::AmendMessage | Act::Squash => !has_work,
            Act::Archive => branch.is_archived(),
            _ => false,
        };
        if has_nothing_to_do {
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
