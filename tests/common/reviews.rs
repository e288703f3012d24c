//! Repositories whose review pages are tested, looked at and shown in the documentation.

use std::fmt::Write as _;

use write_guard_policy::approve::Approval;

use super::signing::{self, SIGNERS, WHO};
use super::{DESIGN, Repo, SETTINGS, table};

const BASE: &str = "base = \"main\"\n";

/// Functions as in a small Python module.
fn module(functions: std::ops::Range<usize>, body: &str) -> String {
    const NAMES: [&str; 8] = [
        "load", "store", "merge", "prune", "rotate", "flush", "lock", "check",
    ];
    functions.fold(String::from("\"\"\"The state of a run.\"\"\"\n\n"), |mut text, number| {
        let name = NAMES[number % NAMES.len()];
        writeln!(text, "\ndef {name}_{number}(state):\n    entries = state.entries[{number}:]\n    {body}\n    return len(entries)\n").unwrap();
        text
    })
}

/// On `main`: a small project with its design; then the branch `188-work`.
fn project(signers: &str) -> Repo {
    let repo = Repo::new();
    repo.git(&["remote", "add", "origin", "git@github.com:runs/runs.git"]);
    repo.stage("src/runs/state.py", module(0..40, "state.save(entries)"));
    repo.stage("src/runs/store.py", module(0..12, "state.sync()"));
    repo.stage("src/runs/legacy.py", module(0..9, "state.old()"));
    repo.stage("src/cli/main.py", module(0..15, "print(entries)"));
    repo.stage("src/cli/options.py", module(0..6, "entries.sort()"));
    repo.stage("README.md", "# Runs\n\nKeeps the state of runs.\n");
    repo.commit("Begin");
    repo.stage("guard.toml", format!("{SETTINGS}{BASE}"));
    if !signers.is_empty() {
        repo.stage(SIGNERS, signers);
    }
    let rows = table(
        "src/runs/state.py | Modify | Keep entries by run instead of by time
         src/runs/store.py | Modify | Write the new layout
         src/runs/layout.py | Add | The layout on disk
         src/runs/legacy.py | Delete | Nothing reads the old files any more
         src/cli/options.py | Modify | `--run ID`
         tests/ | Add | Tests of the layout",
    );
    let rows = rows.map(|[path, kind, why]| (path, kind, why));
    repo.design(DESIGN, &rows.collect::<Vec<_>>());
    repo.commit("Say what may change");
    repo.branch("188-work");
    repo
}

/// The steps that the design of [`project`] grants.
fn granted_work(repo: &Repo) {
    repo.stage("src/runs/layout.py", module(0..8, "state.place(entries)"));
    repo.stage("tests/test_layout.py", module(0..5, "assert entries"));
    repo.commit("Describe the layout on disk");
    let store = module(0..14, "state.sync()").replacen("state.sync()", "state.sync(layout)", 6);
    repo.stage("src/runs/store.py", store);
    repo.git(&["rm", "--quiet", "src/runs/legacy.py"]);
    repo.commit("Write the new layout");
}

/// A rewritten file: some functions stay.
fn rewritten() -> String {
    let old = module(0..40, "state.save(entries)");
    let kept: Vec<&str> = old.lines().take(56).collect();
    let kept = kept.join("\n").replace("(entries)", "(entries, run)");
    format!("{kept}\n\n{}", module(50..66, "state.by_run(entries)"))
}

/// An accepted branch: all granted, a rewrite approved with a signature. `None` without ssh-keygen.
pub fn accepted() -> Option<Repo> {
    if !signing::has_ssh_keygen() {
        return None;
    }
    let keys = Repo::new();
    let public = signing::keygen(&keys, "person");
    let repo = project(&format!("{WHO} namespaces=\"guard\" {public}\n"));
    granted_work(&repo);
    let (old, new) = (module(0..40, "state.save(entries)"), rewritten());
    let id = |text: &str| Some(repo.blob(text.as_bytes()).to_string());
    let approval = Approval {
        path: "src/runs/state.py".into(),
        old: id(&old),
        new: id(&new),
        reason: "The entries move to the new layout; reviewed with the team".to_owned(),
        ..signing::approval(&repo, &old, &new)
    };
    let approval = signing::signed(&keys, "person", approval);
    repo.stage("src/runs/state.py", new);
    signing::commit(&repo, &[&approval]);
    Some(repo)
}

/// A refused branch: a rewrite that no person approved, and files outside the design.
pub fn refused() -> Repo {
    let repo = project("");
    granted_work(&repo);
    repo.stage("src/runs/state.py", rewritten());
    repo.commit("Keep entries by run");
    repo.stage("src/cli/layout.py", module(0..3, "pass"));
    repo.stage("src/cli/main.py", module(0..16, "print(entries)"));
    repo.commit("Show the layout on the command line");
    repo
}

/// A branch of many changes: `count` files in many directories, a gutted package among them.
pub fn large(count: usize) -> Repo {
    let repo = Repo::nothing_in_memory().initialized(&[]);
    let path = |n: usize| {
        let package = ["api", "core", "jobs", "ui"][n % 4];
        format!("pkg/{package}/{}/file_{n}.py", n / 4 % 50)
    };
    let gutted = module(0..30, "state.save(entries)");
    for n in 0..count {
        repo.write(path(n), format!("value_{n} = {n}\nkept = 1\n"));
    }
    for n in 0..8 {
        repo.write(format!("pkg/billing/part_{n}.py"), &gutted);
    }
    repo.git(&["add", "--all"]);
    repo.commit("Begin");
    repo.stage("guard.toml", format!("{SETTINGS}{BASE}"));
    let rows = ["pkg/api/", "pkg/core/", "pkg/jobs/", "pkg/billing/"];
    repo.design(DESIGN, &rows.map(|path| (path, "Modify", "Follows")));
    repo.commit("Say what may change");
    repo.branch("188-work");
    for n in 0..count {
        let text = format!("value_{n} = {n} + 1\nkept = 1\nmore = {n}\n");
        repo.write(path(n), text);
    }
    repo.git(&["add", "--all"]);
    repo.commit("Follow the new interface");
    let empty = module(0..2, "raise NotImplementedError");
    for n in 0..8 {
        repo.write(format!("pkg/billing/part_{n}.py"), &empty);
    }
    repo.git(&["add", "--all"]);
    repo.commit("Round amounts");
    repo
}

/// What a page must show as text and nothing else.
pub const PAYLOADS: [&str; 7] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "'><svg onload=alert(1)>",
    "</title></style></code></pre></table><script>alert(1)</script>",
    "<a href=javascript:alert(1) autofocus onfocus=alert(1)>x</a>",
    "<link rel=stylesheet href=http://example.com/x.css><style>@import 'http://example.com/y.css'</style>",
    "&lt;script&gt;\u{202e}\u{1b}[31m\u{0}<iframe srcdoc='<script>alert(1)</script>'>",
];

/// Hostile names, contents, descriptions, messages and reasons.
pub fn hostile() -> Repo {
    let repo = Repo::new();
    let name = |payload: &str| payload.replace('/', "\u{2044}").replace('\0', "");
    let many = |payload: &str, tail: &str| -> String {
        let lines = (0..120).map(|n| format!("{payload} {n} {tail}\n"));
        lines.collect()
    };
    for (at, payload) in PAYLOADS.iter().enumerate() {
        let old = many(payload, "old").replace('\0', "");
        repo.stage(format!("src/{at}.py"), old);
        repo.stage(format!("gone/{at}.py"), many(payload, "gone"));
    }
    repo.stage("guard.toml", format!("{SETTINGS}{BASE}"));
    // guard reads descriptions without their markup, except in code.
    let descriptions = PAYLOADS.map(|payload| format!("`{payload}`"));
    let rows = descriptions[..6]
        .iter()
        .map(|text| ("src/", "Modify", text.as_str()));
    repo.design(DESIGN, &rows.collect::<Vec<_>>());
    repo.commit("Begin");
    repo.branch("188-work");
    for (at, payload) in PAYLOADS.iter().enumerate() {
        let new = many(payload, "new").replace('\0', "").repeat(2);
        repo.stage(format!("src/{at}.py"), new);
        // Windows has no file of this name.
        let hostile = format!("new/{}{at}", name(payload));
        repo.stage_raw(&[(0o100_644, repo.blob(b"x\n"), hostile.as_bytes())]);
        repo.git(&["rm", "--quiet", &format!("gone/{at}.py")]);
        repo.commit(&format!("{payload}\n\nGuard-Approved: {payload}").replace('\0', ""));
    }
    repo
}
