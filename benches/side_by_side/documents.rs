//! Documents of the largest size that guard reads, in every form, in every command that reads one.

use super::common::{Repo, SETTINGS};
use super::{Scale, typical, use_design};

/// The size of a document, in bytes: guard reads one of a million.
const SIZE: usize = 990_000;

/// A line of a document, by its number.
type Line = fn(usize) -> String;

/// The forms: what begins the document, and its lines.
const FORMS: [(&str, &str, Line); 5] = [
    (
        "table",
        "## Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n",
        |n| {
            format!(
                "| `{}` | Add | What this module is for, number {n} |\n",
                path(n)
            )
        },
    ),
    ("list", "**Files:**\n\n", |n| {
        format!("- Create: `{}` - what this module is for\n", path(n))
    }),
    ("tasks", "# Tasks\n\n", |n| {
        format!(
            "- [ ] T{n} Create the module of this number in {}\n",
            path(n)
        )
    }),
    ("tree", "```\nsrc/\n", |n| match n % 200 {
        0 => format!("├── dir{n}/\n"),
        _ => format!("│   ├── module_{n}.py   # NEW: what this module is for\n"),
    }),
    ("prose", "", |n| {
        format!(
            "The module `{}` is **not** the only one that reads its input.\n\n",
            path(n)
        )
    }),
];

fn path(number: usize) -> String {
    format!("src/dir{}/module_{number}.py", number % 500)
}

pub(super) fn measure(scale: &Scale) {
    let size = scale.of(SIZE);
    for (number, (form, begin, line)) in FORMS.into_iter().enumerate() {
        let mut text = format!("# Plan\n\n{begin}");
        let lines = (0..).map(line).take_while(|line| {
            text.push_str(line);
            text.len() < size
        });
        let lines = lines.count();
        let issue = (200 + number).to_string();
        let repo = Repo::new();
        repo.stage("guard.toml", format!("{SETTINGS}tasks = true\n"));
        repo.stage(format!("docs/lld/active/LLD-{issue}.md"), text);
        repo.commit("Add a long design");
        repo.git(&["branch", &format!("{issue}-work")]);
        use_design(&repo, &issue);
        repo.stage("other/place.txt", "x\n");
        println!("{form}: {lines} lines (aim: at most 200 ms)");
        for command in [
            &["lint", "--quiet"][..],
            &["check", "src/dir1/module_1.py"],
            &["scope", "check"],
            &["scope", "show"],
            &["scope", "show", "--format", "json"],
            &["scope", "prompt"],
        ] {
            let code = repo.guard(command).code;
            assert!(
                code < 2 || form == "prose",
                "a refused document is not timed"
            );
            let time = typical(&repo, command, code, 3);
            println!("  {:<28} {time:>8.0} ms", command.join(" "));
        }
    }
}
