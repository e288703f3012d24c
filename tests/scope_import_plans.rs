//! What `guard scope import` proposes for the documents of `fixtures/plans`.
//!
//! `NAME.proposes` lists what a reviewer of `NAME.md` would grant: `write PATH` or `delete PATH`. Its first line says where
//! the document lies.

use std::fs;
use std::path::Path;

use write_guard::design::propose::rows_of_document;

use crate::common::SOURCE;

#[test]
fn fixtures_propose_what_their_reviewers_would_grant() {
    let directory = Path::new(SOURCE).join("fixtures/plans");
    let (mut all, mut found, mut certain) = (0, 0, 0);
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
        let rows = proposed(at, &text);
        for line in expected.lines() {
            let (word, path) = line.split_once(' ').unwrap();
            let names = [format!(" {path}"), format!(" {path}/")];
            let is_of_path = |row: &&String| names.iter().any(|name| row.ends_with(name));
            let row = rows.iter().find(is_of_path);
            let is_right = |row: &&String| row.starts_with("Delete") == (word == "delete");
            let is_certain = row
                .filter(is_right)
                .is_some_and(|row| !row.starts_with('?'));
            all += 1;
            found += usize::from(row.is_some());
            certain += usize::from(is_certain);
            if row.is_none() {
                missed.push_str(&format!("{at}: {line}\n"));
            }
        }
    }
    assert!(all > 100, "the fixtures are gone");
    assert!(found * 100 >= all * 95, "{found} of {all}:\n{missed}");
    assert!(certain * 100 >= all * 60, "{certain} of {all} are certain");
}

/// Type and path of each row that guard proposes for a document, after a `?` if it is doubtful.
fn proposed(at: &str, text: &str) -> Vec<String> {
    let rows = rows_of_document(at.into(), text, &|_| None);
    let row = |row: &String| {
        let cells: Vec<&str> = row.split(" | ").collect();
        let (mark, cells) = match *cells {
            ["?", ref cells @ ..] => ("? ", cells),
            ref cells => ("", cells),
        };
        let path = cells[0].trim_matches(['|', ' ', '`']);
        format!("{mark}{} {path}", cells[1])
    };
    rows.iter().map(row).collect()
}

/// Each line of `documents` is a document, with `\n` for its line ends, and after ` => ` the rows that guard proposes.
#[track_caller]
fn check(documents: &str) {
    for line in documents.trim().lines() {
        let (text, expected) = line.rsplit_once(" =>").unwrap();
        let text = text.replace("\\n", "\n") + "\n";
        let rows = proposed("docs/lld/LLD-1.md", &text);
        assert_eq!(rows.join(", "), expected.trim(), "{text}");
    }
}

#[test]
fn every_form_of_naming_files_is_read() {
    check(
        r#"
---\nfiles_modified:\n  - src/a.ts # new\n  - "src/b.ts"\n--- => Add src/a.ts, Add src/b.ts
<task>\n<files>src/a.ts, src/b.ts</files>\n</task> => Add src/a.ts, Add src/b.ts
**Files:** `src/a.ts`; `src/b.ts` (new) => Add src/a.ts, Add src/b.ts
- Affected code: `src/a.ts`, `src/b.ts` => Add src/a.ts, Add src/b.ts
**Files to create:**\n\n```\nsrc/a.ts\nsrc/b.ts (new)\n``` => Add src/a.ts, Add src/b.ts
## Files to Modify\n\n1. `src/a.rs` - why => Modify src/a.rs
# Tasks\n\n- [ ] T012 [P] Create the model in src/models/task.py => Add src/models/task.py
- [ ] Add page app/[id]/(auth)/page.tsx => ? Add app/[id]/(auth)/page.tsx
#### [MODIFY] [a.rs](src/a.rs) => Modify src/a.rs
| Action | File |\n|-|-|\n| NEW | `src/a.rs` |\n| Deleted | `src/b.rs` | => ? Add src/a.rs, ? Add src/b.rs
**Deleted Files:**\n- `src/a.rs` => Delete src/a.rs
Delete src/a.rs and README.md here. => ? Add src/a.rs, ? Add README.md
Modify src/a.rs(src/c.rs) here. => ? Add src/a.rs, ? Add src/c.rs
```\nsrc/a.rs  # x\n  src/c.rs\n``` => ? Add src/a.rs, ? Add src/c.rs
```\nsrc/\n├── a.rs  # NEW\n├── sub/\n│   └── b.rs  # change\n└── c.rs\n``` => Add src/a.rs, ? Add src/sub/b.rs, ? Add src/c.rs
"#,
    );
}

#[test]
fn doubt_and_denial_in_any_language_get_a_question_mark() {
    for line in [
        "- Avoid touching `src/a.rs`",
        "- `src/a.rs` stays untouched",
        "- Keep: `src/a.rs`",
        "- probably `src/a.rs`",
        "- `src/a.rs` or equivalent (if it exists)",
        "- Nicht ändern `src/a.rs`",
        "- 不要修改 `src/a.rs`",
        "- 変更しない：src/a.rsを参照",
        "The loader calls `src/a.rs`.",
    ] {
        let rows = proposed("d.md", &format!("**Files:**\n\n{line}\n")).join(", ");
        assert_eq!(rows, "? Add src/a.rs", "{line}");
    }
    check(
        r"
## Rollback\n\n**Files:**\n- Modify: `src/a.rs` => ? Add src/a.rs
The API of `src/a.rs` is old.\n\n**Files:**\n- Modify: `src/a.rs` => Modify src/a.rs
",
    );
}

#[test]
fn quotes_samples_and_words_that_are_no_paths_propose_nothing() {
    check(
        r"
> **Files:**\n> - Create: `src/a.rs` =>
```js\n// src/a.js\nimport x from './b.js'\n``` =>
````markdown\n**Files:**\n- Create: `src/a.rs`\n```` =>
<!-- <files>src/a.rs</files> --> =>
Look <!-- Change src/b.rs. --> here. =>
Use and/or read/write, v1.2, https://a.b/c.rs and `GET /api/x`. =>
- ~~Create `src/a.rs`~~ =>
- Create `../other/a.rs`, `~/.cache/a.json`, `C:\\a.rs` and `src/<name>.rs` =>
",
    );
}
