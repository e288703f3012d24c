//! The open designs of many branches, compared with each other.

use std::fmt::Write as _;

use super::common::{Repo, SETTINGS};
use super::{Scale, typical};

/// So many branches, each with so many designs of its own.
const BRANCHES: usize = 500;
const DESIGNS: usize = 10;
/// So many old designs, which all branches share, and so many files that say that one is done.
const OLD: usize = 1_000;
/// So many rows of each design; the first three name files that others name, too.
const ROWS: usize = 10;

pub(super) fn measure(scale: &Scale) {
    let branches = scale.of(BRANCHES);
    let repo = repository(branches);
    let runs = scale.pairs(9);
    let all = typical(&repo, &["scope", "overlap", "--format", "json"], 0, runs);
    let designs = branches * DESIGNS;
    println!("{designs} open designs in {branches} branches: {all:.0} ms (aim: below 2000 ms)");
    repo.git(&["switch", "--quiet", "7-work"]);
    let status = typical(&repo, &["status"], 0, runs);
    println!("guard status on one of these branches: {status:.0} ms");
}

/// A repository with this many branches, which share the designs of the target branch.
fn repository(branches: usize) -> Repo {
    let repo = Repo::new();
    let settings = "base = \"main\"\ndone = [\"docs/lld/done/LLD-{issue}*.md\"]\n";
    repo.stage("guard.toml", format!("{SETTINGS}{settings}"));
    for number in 0..OLD {
        let number = 1_000_000 + number;
        repo.write(format!("docs/lld/active/LLD-{number}.md"), design(number));
        repo.write(format!("docs/lld/done/LLD-{number}-x.md"), "done\n");
    }
    repo.git(&["add", "docs"]);
    repo.commit("Set guard up");
    let now = gix::date::Time::now_utc().seconds;
    let mut stream = String::new();
    for branch in 0..branches {
        let who = "A U Thor <author@example.com>";
        write!(
            stream,
            "commit refs/heads/{branch}-work\ncommitter {who} {now} +0000\ndata 4\nPlan\nfrom refs/heads/main^0\n"
        )
        .unwrap();
        for number in branch * DESIGNS..(branch + 1) * DESIGNS {
            let text = design(number);
            let path = format!("docs/lld/active/LLD-{number}.md");
            let size = text.len();
            writeln!(stream, "M 100644 inline {path}\ndata {size}\n{text}").unwrap();
        }
    }
    repo.git_with_input(&["fast-import", "--quiet", "--force"], stream.as_bytes());
    repo.git(&["pack-refs", "--all"]);
    repo.git(&["reset", "--quiet", "--hard"]);
    repo
}

fn design(number: usize) -> String {
    let mut text = format!(
        "# Design {number}\n\nWhy this is needed, in a sentence or two, as real designs say it.\n\n\
         ## Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n"
    );
    for row in 0..ROWS {
        let file = match row {
            0..3 => format!("src/shared/module_{}.py", (number * 7 + row * 131) % 4_000),
            _ => format!("src/part_{number}/file_{row}.py"),
        };
        writeln!(text, "| `{file}` | Modify | what changes in it |").unwrap();
    }
    text
}
