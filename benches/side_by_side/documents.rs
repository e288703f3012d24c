//! Documents of the largest size that guard reads, in every form, in every command that reads one.

use super::common::{Repo, SETTINGS};
use super::{Scale, typical, use_design};

/// The size of a document, in bytes: guard reads one of a million.
const SIZE: usize = 990_000;

/// A line of a document, by its number.
type Line = fn(usize) -> String;

/// A form: what begins the document, and its lines.
struct Form {
    name: &'static str,
    begin: &'static str,
    line: Line,
    end: &'static str,
}

/// The places of rows, and a document without any.
const FORMS: &[Form] = &[
    Form {
        name: "table",
        begin: "# Plan\n\n## Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n",
        line: |n| {
            format!(
                "| `{}` | Add | What this module is for, number {n} |\n",
                path(n)
            )
        },
        end: "",
    },
    Form {
        name: "untyped table",
        begin: "# Plan\n\n## Files to Create\n\n| File | Description |\n|---|---|\n",
        line: |n| format!("| `{}` | What this module is for, number {n} |\n", path(n)),
        end: "",
    },
    Form {
        name: "list",
        begin: "# Plan\n\n**Files:**\n\n",
        line: |n| format!("- Create: `{}` - what this module is for\n", path(n)),
        end: "",
    },
    Form {
        name: "front matter",
        begin: "---\nfiles_modified:\n",
        line: |n| format!("  - {} # what this module is for\n", path(n)),
        end: "---\n\n# Plan\n",
    },
    Form {
        name: "prose",
        begin: "# Plan\n\n",
        line: |n| {
            format!(
                "The module `{}` is **not** the only one that reads its input.\n\n",
                path(n)
            )
        },
        end: "",
    },
];

fn path(number: usize) -> String {
    format!("src/dir{}/module_{number}.py", number % 500)
}

pub(super) fn measure(scale: &Scale) {
    let size = scale.of(SIZE);
    for (number, form) in FORMS.iter().enumerate() {
        let mut text = form.begin.to_owned();
        let mut lines = 0;
        while text.len() < size {
            text.push_str(&(form.line)(lines));
            lines += 1;
        }
        text.push_str(form.end);
        let issue = (200 + number).to_string();
        let repo = Repo::new();
        repo.stage("guard.toml", SETTINGS);
        repo.stage(format!("docs/lld/active/LLD-{issue}.md"), text);
        repo.commit("Add a long design");
        repo.git(&["branch", &format!("{issue}-work")]);
        use_design(&repo, &issue);
        repo.stage("other/place.txt", "x\n");
        println!("{}: {lines} lines (aim: at most 150 ms)", form.name);
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
                code < 2 || form.name == "prose",
                "a refused document is not timed"
            );
            let time = typical(&repo, command, code, 3);
            println!("  {:<28} {time:>8.0} ms", command.join(" "));
        }
    }
}
