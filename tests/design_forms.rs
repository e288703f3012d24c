//! Plans as teams write them: every document of `fixtures/plans`, read by the built binary.
//!
//! `NAME.grants` states what a reviewer would let through: `write PATH`, `delete PATH`, `mention PATH`, `unread LINE`,
//! and `refused` for a document that grants nothing. Its first line says where the document lies.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::{DESIGN, Repo, SETTINGS, SOURCE};
use serde_json::Value;

/// One fixture.
struct Plan {
    name: String,
    path: String,
    text: String,
    expected: BTreeSet<String>,
}

fn plans() -> Vec<Plan> {
    let directory = Path::new(SOURCE).join("fixtures/plans");
    let mut names: Vec<String> = std::fs::read_dir(&directory)
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".grants").map(str::to_owned)
        })
        .collect();
    names.sort();
    names
        .into_iter()
        .map(|name| {
            let read = |extension: &str| {
                std::fs::read_to_string(directory.join(format!("{name}.{extension}"))).unwrap()
            };
            let grants = read("grants");
            let (at, expected) = grants.split_once('\n').unwrap();
            Plan {
                path: at.strip_prefix("at ").unwrap().to_owned(),
                text: read("md"),
                expected: expected.lines().map(str::to_owned).collect(),
                name,
            }
        })
        .collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("-")
}

/// What `guard scope check` finds in a document.
fn found(repo: &Repo, path: &str) -> BTreeSet<String> {
    let json = repo.json(&["scope", "check", path]);
    let mut found = BTreeSet::new();
    for grant in json["grants"].as_array().unwrap() {
        let actions: Vec<&str> = grant["actions"]
            .as_array()
            .unwrap()
            .iter()
            .map(text)
            .collect();
        let word = if actions.contains(&"delete") {
            "delete"
        } else {
            "write"
        };
        found.insert(format!("{word} {}", text(&grant["path"])));
    }
    if found.is_empty() {
        found.insert("refused".to_owned());
    }
    for mention in json["mentions"].as_array().unwrap() {
        found.insert(format!("mention {}", text(&mention["path"])));
    }
    for problem in json["problems"].as_array().unwrap() {
        if text(&problem["rule"]) == "design-unread" {
            found.insert(format!("unread {}", problem["design"]["line"]));
        }
    }
    found
}

#[test]
fn plans_are_read_as_their_reviewers_read_them() {
    let repo = Repo::new();
    let plans = plans();
    assert!(plans.len() >= 20, "the fixtures are gone");
    for plan in &plans {
        repo.write(&plan.path, &plan.text);
    }
    let mut wrong = String::new();
    for plan in &plans {
        let found = found(&repo, &plan.path);
        // A path that is granted may be mentioned elsewhere.
        let granted = |line: &str| {
            line.strip_prefix("mention ").is_some_and(|path| {
                ["write", "delete"]
                    .iter()
                    .any(|word| found.contains(&format!("{word} {path}")))
            })
        };
        let missing: Vec<_> = plan.expected.difference(&found).collect();
        let beyond: Vec<_> = found
            .difference(&plan.expected)
            .filter(|line| !granted(line))
            .collect();
        if !missing.is_empty() || !beyond.is_empty() {
            wrong.push_str(&format!(
                "{}: missing {missing:#?}, beyond {beyond:#?}\n",
                plan.name
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What each document grants, mentions and leaves unread.
#[track_caller]
pub(crate) fn reads(documents: &[(&str, &[&str])]) {
    let repo = Repo::new();
    let mut wrong = String::new();
    for (document, expected) in documents {
        repo.write("plan.md", document);
        let found = found(&repo, "plan.md");
        let expected: BTreeSet<String> = expected.iter().map(|&line| line.to_owned()).collect();
        if found != expected {
            wrong.push_str(&format!(
                "{document}\nfound {found:#?}\nexpected {expected:#?}\n"
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn defect_1_steps_behind_a_list_are_not_part_of_it() {
    for step in [
        "- [ ] **Step 1: Write `src/step.rs`**",
        "- **Step 1:** edit `src/step.rs`",
        "- [ ] Write `src/step.rs`",
        "1. Create `src/step.rs`",
        "**Approach:**\n- Change `src/step.rs`",
    ] {
        for gap in ["\n", ""] {
            let text = format!("**Files:**\n- Create: `src/a.rs`\n{gap}{step}\n");
            reads(&[(&text, &["write src/a.rs"])]);
        }
    }
}

#[test]
fn defect_2_lines_and_notes_are_cut_off() {
    reads(&[(
        "**Files:**\n- Modify: `a.rs:94,100` (two calls)\n- `b.rs#L10` (lines 40-74)\n- Modify: `c.rs:10-20`, `:45-60`\n- `d.rs:14-15, 20`\n- Test: `t.rs::runs` (new)\n",
        &[
            "write a.rs",
            "write b.rs",
            "write c.rs",
            "write d.rs",
            "write t.rs",
        ],
    )]);
}

#[test]
fn defect_3_verbs_and_notes_that_mean_reading_win_over_the_label() {
    for item in [
        "Read: `b.rs`",
        "Check: `b.rs`",
        "Inspect: `b.rs`",
        "Keep: `b.rs`",
        "Verify: `b.rs`",
        "Reference: `b.rs` (lines 4-9)",
        "See `b.rs`",
        "`b.rs` (no changes)",
        "`b.rs` (read-only)",
        "`b.rs` (verify only)",
        "`b.rs` (existing)",
        "`b.rs` - unchanged",
        "Uses `b.rs`",
        "Follows the pattern of `b.rs`",
        "Tests for `b.rs`",
    ] {
        let text = format!("**Files to modify:**\n- `a.rs`\n- {item}\n");
        reads(&[(&text, &["write a.rs", "mention b.rs"])]);
    }
    reads(&[(
        "**Files read:** `b.rs`\n\n**Existing Files to Use (No Changes):**\n- `c.rs`\n\n**Files:** `a.rs`\n",
        &["write a.rs", "mention b.rs", "mention c.rs"],
    )]);
}

#[test]
fn defect_4_tags_and_front_matter_are_a_union() {
    reads(&[
        (
            "---\nfiles_modified: []\n---\n\n<task>\n    <files>a.rs, b.rs</files>\n</task>\n",
            &["write a.rs", "write b.rs"],
        ),
        (
            "---\nfiles_modified: [a.rs]\nmust_haves:\n  artifacts:\n    - path: c.rs\n---\n\n<task>\n<files>\n  - b.rs\n</files>\n</task>\n\n<files>d.rs</files>\n\n<details>\n<task><files>e.rs</files></task>\n</details>\n",
            &["write a.rs", "write b.rs"],
        ),
    ]);
}

#[test]
fn defect_5_quoted_plans_declare_nothing() {
    reads(&[(
        "**Files:** `a.rs`\n\n````markdown\n**Files:**\n- Create: `b.rs`\n\n```text\nsrc/\n├── c.rs # NEW\n```\n````\n\n> **Files:** `d.rs`\n",
        &["write a.rs"],
    )]);
}

#[test]
fn defect_6_other_colons_and_languages() {
    reads(&[(
        "**文件：**\n- 修改：`a.rs`\n- 新建：`b.rs`（新增）\n- 删除：`c.rs`\n- 读取：`d.rs`\n\n**Files：** `e.rs`\n",
        &[
            "write a.rs",
            "write b.rs",
            "delete c.rs",
            "mention d.rs",
            "write e.rs",
        ],
    )]);
}

#[test]
fn defect_7_paths_that_start_elsewhere_are_refused_together() {
    let table = |row: &str| {
        format!(
            "**Files to modify:**\n\n| File | Change |\n|---|---|\n| {row} | x |\n| `README.md` | x |\n"
        )
    };
    reads(&[
        (&table("`../../x.rs`"), &["refused"]),
        (&table("`x.rs`"), &["write x.rs", "write README.md"]),
        (
            "**Files** (all in `src/commands/`):\n- `index.ts`\n",
            &["refused", "unread 1"],
        ),
        (
            "## File Locations\n\nAll in `src/commands/`:\n\n- `index.ts`\n",
            &["refused", "unread 3"],
        ),
    ]);
}

#[test]
fn defect_8_what_is_undecided_is_not_granted() {
    for item in [
        "`b.rs` or equivalent",
        "`b.rs` (if needed)",
        "Possibly modify: `b.rs`",
        "any file that imports `b.rs`",
        "`b.rs` (or wherever it is)",
    ] {
        let text = format!("**Files:**\n- `a.rs`\n- {item}\n");
        reads(&[(&text, &["write a.rs", "unread 3"])]);
    }
}

#[test]
fn what_is_undecided_leaves_the_other_paths_of_its_item() {
    for (value, also) in [
        ("`src/a.rs`, possibly CI scripts", None),
        ("`src/a.rs`, maybe `lib/b.rs`", None),
        ("`src/a.rs`, perhaps `lib/b.rs`, `lib/c.rs`", None),
        ("`src/a.rs`, update all callers", None),
        ("`src/a.rs`, a new helper under `src/help/`", None),
        ("`src/a.rs`, tests under `src/one/` or `src/two/`", None),
        (
            "`src/a.rs`, a new helper under `src/help/`, `src/c.rs`",
            Some("write src/c.rs"),
        ),
        (
            "`src/a.rs`, new tests in `tests/c.rs`",
            Some("write tests/c.rs"),
        ),
        ("`src/a.rs`, `a_test.rs`", None),
        ("`src/a.ts`, `a.html`", None),
        ("`src/a.rs`, `Cargo.toml`", Some("write Cargo.toml")),
    ] {
        let mut expected = vec!["write src/a.rs"];
        if value.contains("a.ts") {
            expected = vec!["write src/a.ts"];
        }
        expected.extend(also);
        if also.is_none_or(|also| also == "write src/c.rs") {
            expected.push("unread 1");
        }
        reads(&[(&format!("**Files:** {value}\n"), &expected)]);
    }
}

#[test]
fn a_directory_in_which_something_lies_is_not_granted() {
    for item in [
        "Modify: existing tests under `tests/one/` that build it",
        "Modify: the request type in `packages/one/`",
        "Create: a helper inside `src/help`",
        "Test: existing tests in `tests/one/` and new ones in `tests/two/`",
        "`mod.rs` in `src/one/`",
        "Maybe modify: `src/one.rs`",
        "Refresh/execute: `src/one.rs`",
        "`src/one.rs` (if the cache stays)",
        "`src/one.rs` — if the cache stays",
    ] {
        let text = format!("**Files:**\n- `src/a.rs`\n- {item}\n");
        let found = granted(&text);
        assert_eq!(found, ["write src/a.rs"], "{item}");
    }
    let text = "**Files:**\n- Test: existing tests plus new tests in `tests/a.rs`\n- Read: notes under `docs/`\n- Create (via `make new`): `src/one/`\n";
    assert_eq!(granted(text), ["write src/one", "write tests/a.rs"]);
}

#[test]
fn a_name_beside_a_path_counts_where_a_file_has_it() {
    let repo = Repo::new();
    repo.write("docs/a.md", "x\n");
    repo.stage("note.md", "x\n");
    repo.commit("Begin");
    repo.write(
        "plan.md",
        "**Files:** `docs/a.md`, `note.md`, `README.md`, `other.md`, `CHANGELOG.md`\n",
    );
    let expected = [
        "write docs/a.md",
        "write note.md",
        "write README.md",
        "write CHANGELOG.md",
        "unread 1",
    ]
    .map(str::to_owned);
    assert_eq!(found(&repo, "plan.md"), expected.into());
}

#[test]
fn a_leading_slash_means_the_root_of_the_repository() {
    let text = "**Files to modify:**\n- `/libs/one/a.ts`\n- `/src/one/`\n- `/etc/one.conf`\n- `/root/one/a.ts`\n- `/api/users`\n";
    assert_eq!(granted(text), ["write libs/one/a.ts", "write src/one"]);
}

/// What a document grants.
pub(crate) fn granted(document: &str) -> Vec<String> {
    let repo = Repo::new();
    repo.write("plan.md", document);
    let is_grant = |line: &String| line.starts_with("write") || line.starts_with("delete");
    let found = found(&repo, "plan.md");
    found.into_iter().filter(is_grant).collect()
}

#[test]
fn defect_9_deletions_cover_what_they_say() {
    reads(&[
        (
            "**Files:** `a.sh`, `b.sh` (all deleted)\n",
            &["delete a.sh", "delete b.sh"],
        ),
        (
            "**Files:** `a.sh`, `b.sh` (deleted)\n",
            &["write a.sh", "delete b.sh"],
        ),
        (
            "**Files:** create `a.sh`; delete `b.sh`.\n",
            &["write a.sh", "delete b.sh"],
        ),
        (
            "**Files to modify:**\n- Remove the flag from `a.sh`\n- `b.sh` - remove the helper\n",
            &["write a.sh", "write b.sh"],
        ),
        ("**Deleted Files:**\n- `a.sh` - unused\n", &["delete a.sh"]),
    ]);
}

#[test]
fn defect_10_only_the_object_of_a_task_is_granted() {
    let repo = Repo::new();
    let tasks = "- [ ] 1.1 Update `src/a.rs`: call `src/b.rs`\n- [ ] 1.2 Write tests for `src/c.rs`\n- [ ] 1.3 Run `src/d.rs`\n- [ ] 1.4 Create src/e.rs with src/f.rs\n- [ ] 1.5 Add `init.rs`\n- Create `src/g.rs`\n";
    repo.write("specs/x/tasks.md", tasks);
    repo.write("specs/x/notes.md", tasks);
    let granted: BTreeSet<String> = ["write src/a.rs", "write src/e.rs"]
        .map(str::to_owned)
        .into();
    let is_grant = |line: &String| !line.starts_with("mention");
    let found_tasks: BTreeSet<String> = found(&repo, "specs/x/tasks.md")
        .into_iter()
        .filter(is_grant)
        .collect();
    assert_eq!(found_tasks, granted);
    assert!(found(&repo, "specs/x/notes.md").contains("refused"));
    repo.write("guard.toml", "[lld]\ntasks = true\n");
    let with_setting: BTreeSet<String> = found(&repo, "specs/x/notes.md")
        .into_iter()
        .filter(is_grant)
        .collect();
    assert_eq!(with_setting, granted);
}

#[test]
fn defect_11_only_marked_entries_of_a_tree_count() {
    reads(&[
        (
            "```\nsrc/\n├── a.rs   # NEW\n├── b.rs   # Existing\n├── c/     (modified)\n│   └── d.rs\n└── e.rs   # the new parser\n```\n",
            &["write src/a.rs", "write src/c"],
        ),
        (
            "```\nmy-app/\n├── a.rs   # NEW\n```\n",
            &["refused", "unread 3"],
        ),
        ("```\n./\n├── a.rs   # NEW\n```\n", &["write a.rs"]),
    ]);
}

#[test]
fn a_table_with_types_stays_the_whole_scope_and_lint_says_once_what_it_leaves_out() {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    repo.stage(
        DESIGN,
        "## Files Changed\n\n| File | Change Type |\n|---|---|\n| `a.rs` | Add |\n\n**Files:**\n- `b.rs`\n\n**Files:** `c.rs`\n",
    );
    repo.commit("Begin");
    repo.branch("188-work");
    repo.stage("a.rs", "x\n");
    let lint = repo.guard(&["lint"]).exits(0).text();
    assert_eq!(lint.matches("design-unread").count(), 1, "{lint}");
    assert!(lint.contains("1 more passage"), "{lint}");
    let found = found(&repo, DESIGN);
    let expected = ["write a.rs", "unread 8", "unread 10"].map(str::to_owned);
    assert_eq!(found, expected.into());
    repo.stage("b.rs", "x\n");
    repo.guard(&["lint"]).exits(1).says("b.rs");
}

#[test]
fn every_grant_says_which_form_it_came_from() {
    let repo = Repo::new();
    repo.write(
        "tasks.md",
        "---\nfiles_modified: [a.rs]\n---\n\n<task>\n<files>b.rs</files>\n</task>\n\n**Files:**\n- `c.rs`\n\n**Files:** `d.rs`\n\n## Files to Create\n\n- `e.rs`\n\n## New Files\n\n| File | Why |\n|---|---|\n| `f.rs` | x |\n\n#### [MODIFY] g.rs\n\n```\nsrc/\n├── h.rs # NEW\n```\n\n## Tasks\n\n- [ ] Create src/i.rs\n",
    );
    let json = repo.json(&["scope", "show", "--lld", "tasks.md"]);
    let forms: Vec<(&str, &str)> = json["grants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|grant| (text(&grant["path"]), text(&grant["form"])))
        .collect();
    assert_eq!(
        forms,
        [
            ("a.rs", "front-matter"),
            ("b.rs", "files-tag"),
            ("c.rs", "label-list"),
            ("d.rs", "label-line"),
            ("e.rs", "heading-list"),
            ("f.rs", "table"),
            ("g.rs", "file-heading"),
            ("src/h.rs", "tree"),
            ("src/i.rs", "task-line"),
        ]
    );
    repo.guard(&["scope", "show", "--lld", "tasks.md"])
        .exits(0)
        .says("files-tag");
}

#[test]
fn a_remark_in_a_tree_that_forbids_or_leaves_open_a_change_grants_nothing() {
    reads(&[
        (
            "```\n./\n├── a.yml   # settings (DO NOT MODIFY per rule 2)\n├── b.rs   # page (MODIFY to read flags)\n├── c.json (OPTIONAL - NEW if needed)\n├── d.rs   # documents the NEW parser\n└── e.rs   # never UPDATE by hand\n```\n",
            &["write b.rs"],
        ),
        (
            "```text\nsrc/a.rs   # handles keys:\n           #   NEW helper\ntests/keys.rs  # NEW — every key\n```\n",
            &["write tests/keys.rs"],
        ),
        (
            "```text\ncore/\n├── a.rs  # NEW: the types\n\nsettings.toml  # read at the start\n```\n",
            &["write core/a.rs"],
        ),
        (
            "```text\nsrc/\n├── a.rs  ← NUEVO\n├── b.rs  # AJUSTAR — lê o valor\n└── c.rs\n```\n",
            &["write src/a.rs", "write src/b.rs"],
        ),
    ]);
    reads(&[("```sh\nsrc/a.rs  # NEW\n```\n", &["refused"])]);
}

#[test]
fn headings_and_labels_below_a_list_of_files_say_more_about_it() {
    reads(&[
        (
            "## Files to Modify\n\n### Primary Files\n\n- `a.rs` - main\n\n### Related Files\n\n- `b.rs` - context\n\n### Maybe: the queue\n\n- `src/c.rs`\n",
            &["write a.rs", "mention b.rs", "unread 11"],
        ),
        (
            "## Files to Modify\n\n- `a.rs`\n\n**Optional:**\n- `b.rs`\n\n**Possible files:**\n- `c.rs`\n",
            &["write a.rs", "unread 5", "unread 8"],
        ),
    ]);
}

#[test]
fn one_sentence_can_move_every_path_of_a_document() {
    let list = "\n## File List\n\n- `src/a.rs`\n";
    for note in [
        "- All paths in this story are relative to the `tool/` directory",
        "**All paths are relative to `apps/web`.**",
    ] {
        reads(&[(&format!("{note}\n{list}"), &["refused", "unread 1"])]);
    }
    for note in [
        "All paths are relative to the repository root.",
        "All file paths in this plan are relative to `./`.",
        "Import paths are relative to `src/`.",
    ] {
        reads(&[(&format!("{note}\n{list}"), &["write src/a.rs"])]);
    }
}

#[test]
fn tasks_name_their_files_with_links_and_in_other_languages() {
    let repo = Repo::new();
    for (number, (task, expected)) in [
        (
            "Remove the flag from [src/a.rs](../../src/a.rs)",
            &["src/a.rs"][..],
        ),
        ("Remove the flag from [src/a.rs](../../src/b.rs)", &[]),
        (
            "T006 Create the `Kind` type in `src/kind.rs` and its port in `src/port.rs`",
            &["src/kind.rs", "src/port.rs"],
        ),
        (
            "Create `src/a.rs` and update `src/b.rs`",
            &["src/a.rs", "src/b.rs"],
        ),
        (
            "Create `src/a.rs` and follow the pattern in `src/b.rs`",
            &["src/a.rs"],
        ),
        (
            "Create the type in `src/a.rs` and verify it in `src/b.rs`",
            &["src/a.rs"],
        ),
        ("Create `src/a.rs` and remove `src/b.rs`", &["src/a.rs"]),
        ("Criar arquivo `src/a.py` com a classe", &["src/a.py"]),
        ("Implementar o modelo em src/a.py", &["src/a.py"]),
        ("Executar os testes em src/a.py", &[]),
        ("Escribir pruebas para `src/a.py`", &[]),
        (
            "T008 [P] 建立型別定義在 types/a.ts（Kind, Port）",
            &["types/a.ts"],
        ),
        (
            "T009 新增驗證，在 pages/[id]/edit.vue 中",
            &["pages/[id]/edit.vue"],
        ),
        ("T010 新增驗證，使用 utils/a.ts", &[]),
        ("T011 驗證輸入，在 utils/a.ts 中", &[]),
        ("编写 `src/a.ts` 的单元测试", &[]),
        ("Add the plugin to vite.config.ts", &["vite.config.ts"]),
    ]
    .into_iter()
    .enumerate()
    {
        let path = format!("specs/{number}/tasks.md");
        repo.write(&path, format!("# Tasks\n\n- [ ] {task}\n"));
        let found: BTreeSet<String> = found(&repo, &path)
            .into_iter()
            .filter(|line| line.starts_with("write") || line.starts_with("delete"))
            .collect();
        let expected: BTreeSet<String> = expected
            .iter()
            .map(|path| format!("write {path}"))
            .collect();
        assert_eq!(found, expected, "{task}");
    }
}

#[test]
fn items_begin_with_verbs_of_other_languages() {
    reads(&[(
        "- **Affected code**:\n  - `a.rs`（新增套件）\n  - 新檔：`b.rs`、`src/c.rs`\n  - 修改：`d.rs`\n  - 刪除：`e.rs`\n  - 測試：`t.rs`\n",
        &[
            "write a.rs",
            "write b.rs",
            "write src/c.rs",
            "write d.rs",
            "delete e.rs",
            "write t.rs",
        ],
    )]);
}

/// What each task grants in a `tasks.md`, with all deletions marked.
#[track_caller]
fn tasks(cases: &[(&str, &[&str])]) {
    let repo = Repo::new();
    let mut wrong = String::new();
    for (number, (task, expected)) in cases.iter().enumerate() {
        let path = format!("specs/{number}/tasks.md");
        repo.write(&path, format!("# Tasks\n\n- [ ] {task}\n"));
        let found: BTreeSet<String> = found(&repo, &path)
            .into_iter()
            .filter_map(|line| match line.strip_prefix("write ") {
                Some(path) => Some(path.to_owned()),
                None => line.starts_with("delete ").then_some(line),
            })
            .collect();
        let expected: BTreeSet<String> = expected.iter().map(|&path| path.to_owned()).collect();
        if found != expected {
            wrong.push_str(&format!("{task}\nfound {found:?}\nexpected {expected:?}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_task_does_not_grant_a_file_that_it_only_mentions() {
    tasks(&[
        (
            "1.1 Implement `clean.py`, taking `tools/wash.py`'s table as the floor",
            &[],
        ),
        (
            "1.2 Extend `tools/wash.py`'s table in `src/clean.py`",
            &["src/clean.py"],
        ),
        ("1.3 Update `README.md` files in all adapter packages", &[]),
        ("1.4 Update README.md files of the adapters", &[]),
        ("1.5 Add the script to `package.json` in `apps/web`", &[]),
        ("1.6 Add the script to package.json in every package", &[]),
        ("1.7 Add the script to the frontend `package.json`", &[]),
        ("1.8 Update each `Dockerfile`", &[]),
        (
            "1.9 Add the script to `package.json` in the root",
            &["package.json"],
        ),
        (
            "1.10 Update `README.md` with the new command",
            &["README.md"],
        ),
        (
            "1.11 Updated `tests/test_a.py::TestOne` for the new signature",
            &["tests/test_a.py"],
        ),
        ("1.12 Write tests with the helpers in `tests/help.py`", &[]),
        ("1.13 Build `packages/core.ts`", &[]),
        ("1.14 In `src/a.rs`, verify the loop", &[]),
        ("T015 验证新的列表 `src/list.ts`", &[]),
    ]);
}

#[test]
fn a_task_deletes_the_original_file() {
    tasks(&[
        ("1.1 Delete original `src/a.ts` file", &["delete src/a.ts"]),
        ("1.2 Remove the now empty `src/a.ts`", &["src/a.ts"]),
        ("1.3 Delete the temporary `src/a.ts`", &["delete src/a.ts"]),
        (
            "1.4 Remove the original parser from `src/a.ts`",
            &["src/a.ts"],
        ),
    ]);
}

#[test]
fn a_task_names_its_file_behind_what_it_adds() {
    tasks(&[
        (
            "T004 Implement `Store` with retries, logging and `clean()` in `src/store.ts`",
            &["src/store.ts"],
        ),
        (
            "2.1 Update the schema with a `kind` field in db/schema.sql",
            &["db/schema.sql"],
        ),
        (
            "2.2 Create `src/a.ts` with the helper in `src/b.ts`",
            &["src/a.ts"],
        ),
        (
            "2.3 Update the badge in `src/app/(shell)/home/page.tsx`",
            &["src/app/(shell)/home/page.tsx"],
        ),
        (
            "2.4 Replace `app/(tabs)/index.tsx` with the real screen",
            &["app/(tabs)/index.tsx"],
        ),
        ("2.5 Replace `load()` in `src/a.ts`", &["src/a.ts"]),
        (
            "T006 Types and services in `src/types.ts` + `src/services.ts`",
            &["src/types.ts", "src/services.ts"],
        ),
        (
            "T007 Add null checks in `src/a.c` (lines 79, 86, 104) and `src/b.c` (see `doc/c.md`)",
            &["src/a.c", "src/b.c"],
        ),
        (
            "T008 In `src/a.c` and `src/b.c`, fix the loop",
            &["src/a.c", "src/b.c"],
        ),
        (
            "T009 In src/a.c (line 4), replace the loop with `src/b.c`",
            &["src/a.c"],
        ),
        ("2.6 Build the form in `src/form.tsx`", &["src/form.tsx"]),
        (
            "2.7 Apply the macro to all calls in `src/a.c`",
            &["src/a.c"],
        ),
        ("2.8 Move `one.ts` to `src/lib/one.ts`", &["src/lib/one.ts"]),
        ("2.9 Update `one.ts` and `src/two.ts`", &["src/two.ts"]),
    ]);
}

#[test]
fn tasks_in_chinese_and_japanese_name_their_files_first_or_last() {
    tasks(&[
        ("T011 迁移列表到新钩子 `src/list.tsx`", &["src/list.tsx"]),
        (
            "T012 在侧边栏中集成更新 `src/side.tsx`（列表）",
            &["src/side.tsx"],
        ),
        ("T013 在 `docs/run.md` 添加协议", &["docs/run.md"]),
        ("T014 在 `docs/run.md` 中查看协议", &[]),
        (
            "1.1 `src/db/one.py` に Session モデル追加",
            &["src/db/one.py"],
        ),
        (
            "1.2 `src/config/One.js` ファイルを作成する",
            &["src/config/One.js"],
        ),
        ("1.3 src/index.tsにOneをエクスポートする", &["src/index.ts"]),
        (
            "1.4 `src/one.tsx` の「一覧」タブに表示を追加",
            &["src/one.tsx"],
        ),
        ("1.5 `src/service.py` — 回答を生成", &["src/service.py"]),
        ("1.6 古い `src/one.py` を削除", &[]),
        ("1.7 `src/one.py` を削除する。", &["delete src/one.py"]),
        ("1.8 `src/one.py` のテストを作成", &[]),
        ("1.9 `src/one.py` を参考に画面を実装", &[]),
        ("1.10 `src/one.py` の対応を確認", &[]),
        ("1.11 `src/one.py` から定数を削除", &["src/one.py"]),
        (
            "1.12 画面のテストを `tests/one.py` に追加",
            &["tests/one.py"],
        ),
    ]);
}

#[test]
fn a_code_block_behind_a_label_may_list_its_files() {
    reads(&[
        (
            "New files:\n```\nsrc/card.tsx   # the card\n/src/list.tsx\n```\n\n**Files to modify:**\n\n```text\nsrc/page.tsx  # show the cards\n```\n",
            &[
                "write src/card.tsx",
                "write src/list.tsx",
                "write src/page.tsx",
            ],
        ),
        (
            "### Files to Delete\n\n```\nsrc/old.ts\n```\n",
            &["delete src/old.ts"],
        ),
        (
            "**Files to modify:**\n```\nsrc/a.ts\nsrc/b.ts  # existing\n```\n",
            &["refused", "unread 1"],
        ),
        (
            "**Files to modify:**\n```bash\nsrc/a.ts\n```\n",
            &["refused", "unread 1"],
        ),
        (
            "**Files to modify:**\n```\nsrc/a.ts and more\n```\n",
            &["refused", "unread 1"],
        ),
    ]);
}

#[test]
fn lists_of_files_have_other_names_marks_and_languages() {
    reads(&[
        (
            "## File list\n\n## Implementation file list\n\n- API/domain: `src/a.rs`, `src/b.rs`.\n- Documentation/evidence: `docs/a.md`.\n- Panel/catalog: `src/c.rs`\n",
            &[
                "write src/a.rs",
                "write src/b.rs",
                "write src/c.rs",
                "write docs/a.md",
            ],
        ),
        (
            "- Affected code:\n  - Modified:\n    - src/a.py（include the router、and more）\n    - src/b.py（a / b）\n",
            &["write src/a.py", "write src/b.py"],
        ),
        (
            "- Affected code: `src/error.rs`, all 9 modules, mappers (`src/one.rs`, the helpers)\n",
            &["write src/error.rs", "unread 1"],
        ),
        (
            "- Modified file: `setup.toml` requirements updated to include `mylib>=1.1.3`, `other-lib==2.0`\n",
            &["write setup.toml"],
        ),
        (
            "**Files to modify:** `src/a.rs`, and tests for `src/b.rs`\n",
            &["write src/a.rs", "mention src/b.rs"],
        ),
        (
            "- ファイル配置:\n  - lib/one.ts\n  - test/one.test.ts\n\n**変更ファイル**\n- `src/two.ts`\n\n**参照ファイル**\n- `src/three.ts`\n\n配置文件：`conf/four.toml`\n",
            &[
                "write lib/one.ts",
                "write test/one.test.ts",
                "write src/two.ts",
                "mention src/three.ts",
            ],
        ),
    ]);
}
