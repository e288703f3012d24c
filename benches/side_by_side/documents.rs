//! Documents of the largest size that guard reads, in every form, in every command that reads one.

use super::common::{Repo, SETTINGS};
use super::{Scale, typical, use_design};

/// The size of a document, in bytes: guard reads one of a million.
const SIZE: usize = 990_000;

/// A line of a document, by its number.
type Line = fn(usize) -> String;

/// The forms: what begins the document, its lines, and what ends it.
const FORMS: [(&str, &str, Line, &str); 4] = [
    (
        "table",
        "# Plan\n\n## Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n",
        |n| {
            format!(
                "| `{}` | Add | What this module is for, number {n} |\n",
                path(n)
            )
        },
        "",
    ),
    (
        "list",
        "# Plan\n\n**Files:**\n\n",
        |n| format!("- Create: `{}` - what this module is for\n", path(n)),
        "",
    ),
    (
        "front matter",
        "---\nallowed_paths:\n",
        |n| format!("  - {}\n", path(n)),
        "---\n",
    ),
    (
        "prose",
        "# Plan\n\n",
        |n| {
            format!(
                "The module `{}` is **not** the only one that reads its input.\n\n",
                path(n)
            )
        },
        "",
    ),
];

fn path(number: usize) -> String {
    format!("src/dir{}/module_{number}.py", number % 500)
}

pub(super) fn measure(scale: &Scale) {
    let size = scale.of(SIZE);
    for (number, (form, begin, line, end)) in FORMS.into_iter().enumerate() {
        let mut text = begin.to_owned();
        let lines = (0..).map(line).take_while(|line| {
            text.push_str(line);
            text.len() < size
        });
        let lines = lines.count();
        text.push_str(end);
        let issue = (200 + number).to_string();
        let repo = Repo::new();
        repo.stage("guard.toml", SETTINGS);
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
