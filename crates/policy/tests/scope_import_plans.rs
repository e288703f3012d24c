//! What `guard scope import` proposes for the documents of `fixtures/plans`, and which forms it reads.
//!
//! `NAME.proposes` lists what a reviewer of `NAME.md` would grant: `write PATH` or `delete PATH`. Its first line says where
//! the document lies.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use write_guard_policy::design::propose::{KnownFiles, Proposal, propose};

use write_guard_testing::SOURCE;

/// A repository with these directories and files.
struct Known {
    directories: BTreeSet<String>,
    files: BTreeSet<String>,
}

impl Known {
    fn new(files: &[&str]) -> Known {
        let mut directories = BTreeSet::new();
        for file in files {
            let mut path = *file;
            while let Some((directory, _)) = path.rsplit_once('/') {
                directories.insert(directory.to_owned());
                path = directory;
            }
        }
        let files = files.iter().filter(|file| !file.ends_with('/'));
        Known {
            directories,
            files: files.map(|file| (*file).to_owned()).collect(),
        }
    }
}

impl KnownFiles for Known {
    fn is_directory(&self, path: &str) -> Option<bool> {
        if self.directories.contains(path) {
            return Some(true);
        }
        self.files.contains(path).then_some(false)
    }

    fn only_file_ending(&self, end: &str) -> Option<String> {
        let inside = format!("/{end}");
        let mut found = self.files.iter().filter(|file| file.ends_with(&inside));
        match (found.next(), found.next()) {
            (Some(only), None) => Some(only.clone()),
            _ => None,
        }
    }
}

/// Type and path of each proposed row.
fn rows(proposal: &Proposal) -> Vec<String> {
    let mut rows = Vec::new();
    for row in &proposal.rows {
        let cells: Vec<&str> = row.text.split(" | ").collect();
        rows.push(format!("{} {}", cells[1], row.path));
    }
    rows
}

#[test]
fn fixtures_propose_what_their_reviewers_would_grant() {
    let directory = Path::new(SOURCE).join("fixtures/plans");
    let (mut all, mut found) = (0, 0);
    let mut missed = String::new();
    for entry in fs::read_dir(&directory).unwrap() {
        let file = entry.unwrap().path();
        if !file.to_string_lossy().ends_with(".proposes") {
            continue;
        }
        let expected = fs::read_to_string(&file).unwrap();
        let (at, expected) = expected.split_once('\n').unwrap();
        let at = at.strip_prefix("at ").unwrap();
        let text = fs::read_to_string(file.with_extension("md")).unwrap();
        // The directories of the expected files exist, as those of most plans do.
        let directories = expected.lines().filter_map(|line| {
            let (_, path) = line.split_once(' ')?;
            Some(format!(
                "{}/",
                path.trim_end_matches('/').rsplit_once('/')?.0
            ))
        });
        let directories: Vec<String> = directories.collect();
        let directories: Vec<&str> = directories.iter().map(String::as_str).collect();
        let proposal = propose(at.into(), &text, &Known::new(&directories), &|_| false);
        for line in expected.lines() {
            let (_, path) = line.split_once(' ').unwrap();
            let path = path.trim_end_matches('/');
            let is_found = proposal
                .rows
                .iter()
                .any(|row| row.path.trim_end_matches('/') == path);
            all += 1;
            found += usize::from(is_found);
            if !is_found {
                missed.push_str(&format!("{at}: {line}\n"));
            }
        }
    }
    assert!(all > 100, "the fixtures are gone");
    assert!(found * 100 >= all * 75, "{found} of {all}:\n{missed}");
}

/// Each line of `documents` is a document, with `\n` for its line ends, and after ` => ` the rows that guard proposes.
#[track_caller]
fn check(documents: &str) {
    let known = Known::new(&[
        "src/old.rs",
        "src/lib.rs",
        "docs/guide.md",
        "web/src/offline.ts",
    ]);
    for line in documents.trim().lines() {
        let (text, expected) = line.rsplit_once(" =>").unwrap();
        let text = text.replace("\\n", "\n") + "\n";
        let proposal = propose("docs/lld/LLD-1.md".into(), &text, &known, &|_| false);
        assert_eq!(rows(&proposal).join(", "), expected.trim(), "{text}");
    }
}

#[test]
fn every_form_of_naming_files_is_read() {
    check(
        r#"
---\nfiles_modified:\n  - src/a.ts # new\n  - "src/b.ts"\n--- => Add src/a.ts, Add src/b.ts
**Files:** `src/a.ts`; `src/b.ts` (new) => Add src/a.ts, Add src/b.ts
- Affected code: `src/a.ts`, `src/lib.rs` => Add src/a.ts, Modify src/lib.rs
**Files to create:**\n\n```\nsrc/a.ts\nsrc/b.ts (new)\n``` => Add src/a.ts, Add src/b.ts
# Tasks\n\n- [ ] T012 [P] Create the model in src/task.py => Add src/task.py
#### [MODIFY] [old.rs](src/old.rs) => Modify src/old.rs
| Action | File |\n|-|-|\n| NEW | `src/a.rs` |\n| Deleted | `src/old.rs` | => Add src/a.rs, Delete src/old.rs
Delete src/old.rs here. => Delete src/old.rs
Create `lib/new/a.rs` here. => Add lib/new/a.rs
Add the flag of the parser to `lib/new/a.rs`. => Add lib/new/a.rs
"#,
    );
}

#[test]
fn the_files_of_a_glob_may_be_added_and_modified() {
    check(
        r#"
**Files:** `src/*.rs`, `src/lib.rs` => Add/Modify src/*.rs, Modify src/lib.rs
"#,
    );
}

#[test]
fn a_row_and_a_denial_name_the_line_of_the_text() {
    let text = "# Plan\n\n**Files to create:**\n\n```\nsrc/a.ts\nsrc/b.ts (new)\n\nsrc/c.ts\n```\n\n\
                - Do not touch `src/old.rs`.\n";
    let known = Known::new(&["src/old.rs"]);
    let propose = |text| propose("docs/lld/LLD-1.md".into(), text, &known, &|_| false);
    let lines = |proposal: &Proposal| -> Vec<(String, usize)> {
        let rows = proposal.rows.iter();
        rows.map(|row| (row.path.clone(), row.line)).collect()
    };
    let expected = [("src/a.ts", 6), ("src/b.ts", 7), ("src/c.ts", 9)];
    let expected = expected.map(|(path, line)| (path.to_owned(), line));
    let proposal = propose(text);
    assert_eq!(lines(&proposal), expected);
    let prose = "# Plan\n\nThe work:\n\nCreate `src/x`,\nadd src/a.ts\nand src/b.ts;\nthen `x` and\nsrc/c.ts\n";
    assert_eq!(lines(&propose(prose)), expected);
    let denied = proposal.denied.iter();
    let denied: Vec<_> = denied.map(|one| (&*one.path, one.line)).collect();
    assert_eq!(denied, [("src/old.rs", 12)]);
}

#[test]
fn what_a_text_leaves_alone_is_not_proposed() {
    check(
        r"
Change `src/old.rs`, and leave `src/lib.rs` alone. =>
Leave `src/lib.rs` alone. =>
Alternative considered: change `src/lib.rs`. =>
Change `src/lib.rs`. => Modify src/lib.rs
",
    );
}

#[test]
fn a_shortened_path_is_the_only_file_that_ends_with_it() {
    check(
        "- Modify: `src/offline.ts` => Modify web/src/offline.ts\n- Modify: `offline.ts` => Modify web/src/offline.ts",
    );
}

#[test]
fn words_that_are_no_paths_propose_nothing() {
    check(
        r"
> **Files:**\n> - Create: `src/a.rs` =>
```js\n// src/a.js\nimport x from './b.js'\n``` =>
<!-- src/a.rs --> =>
Look <!-- Change src/b.rs. --> here. =>
Use and/or read/write, v1.2, https://a.b/c.rs and `GET /api/x`. =>
- ~~Create `src/a.rs`~~ =>
- Create `../other/a.rs`, `~/.cache/a.json`, `C:\\a.rs` and `src/<name>.rs` =>
See @src/lib.rs and docs/guide.md, below src/. =>
The class lib/other/a.rs is unknown. =>
The flag of `lib/other/a.rs` changes. =>
",
    );
}

#[test]
fn what_the_text_denies_is_listed_and_not_proposed() {
    let known = Known::new(&["src/old.rs", "src/lib.rs"]);
    for text in [
        "**Files:**\n\n- Modify: `src/old.rs`\n- Do not touch `src/lib.rs`\n",
        "**Files:**\n\n- Modify: `src/old.rs`\n- Read: `src/lib.rs`\n",
        "- Modify `src/old.rs`\n- `src/lib.rs` stays unchanged\n",
        "- 修改 `src/old.rs`\n- 不要修改 `src/lib.rs`\n",
        "- Modify `src/old.rs`\n\n## Out of scope\n\n- Modify `src/lib.rs`\n",
        "- Modify `src/old.rs` and `src/lib.rs`\n\n## Rejected\n\n- `src/lib.rs`\n",
        "---\nfiles_modified: [src/old.rs, src/lib.rs]\nforbidden_paths: [src/lib.rs]\n---\n",
    ] {
        let proposal = propose("d.md".into(), text, &known, &|_| false);
        assert_eq!(rows(&proposal), ["Modify src/old.rs"], "{text}");
        let denied: Vec<_> = proposal
            .denied
            .iter()
            .map(|one| one.path.as_str())
            .collect();
        assert_eq!(denied, ["src/lib.rs"], "{text}");
    }
}
