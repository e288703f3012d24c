//! Wordings of real plans that a reader understands at once: conditions, denials, short names, lists in code blocks.
#![allow(clippy::unwrap_used)]

use crate::common::Repo;
use crate::design_forms::{granted, reads};

#[test]
fn a_verb_with_a_condition_grants_nothing() {
    for item in [
        "Modify (if a helper is added): `src/b.rs`",
        "Modify (if the audit finds any): the relevant `pages/*.rs`",
        "Modify conditionally: `src/b.rs`",
        "Modify when red: `src/b.rs`",
        "Optional: `src/b.rs`",
        "Optional create: `src/b.rs`",
        "Modify: `src/b.rs` if the tests need it",
        "Modify: `src/b.rs` only when it breaks",
    ] {
        let text = format!("**Files:**\n- `a.rs`\n- {item}\n");
        reads(&[(&text, &["write a.rs", "unread 3"])]);
    }
    let text = "**Files:**\n- Create (if missing): `src/a.rs`\n- Create if absent: `src/b.rs`\n";
    assert_eq!(granted(text), ["write src/a.rs", "write src/b.rs"]);
}

#[test]
fn a_group_within_a_list_says_more_about_its_files() {
    reads(&[(
        "**Files:**\n- Create: `a.rs`\n- Modify only if the test exposes a defect:\n  - `src/b.rs`\n- Do not modify:\n  - `src/c.rs`\n- Read first:\n  - `src/d.rs`\n- Optional:\n  - `src/e.rs`\n- Backend:\n  - `src/f.rs`\n",
        &[
            "write a.rs",
            "unread 3",
            "mention src/c.rs",
            "mention src/d.rs",
            "unread 9",
            "write src/f.rs",
        ],
    )]);
    reads(&[(
        "## Files to Modify\n\n**Backend:**\n- `src/a.rs`\n\n**Inspect first:**\n- `src/b.rs`\n\n### Inspect before\n\n- `src/c.rs`\n\n### Only if the cache stays\n\n- `src/d.rs`\n",
        &[
            "write src/a.rs",
            "mention src/b.rs",
            "mention src/c.rs",
            "unread 13",
        ],
    )]);
}

#[test]
fn labels_of_files_in_other_languages() {
    for (label, item) in [
        ("**Arquivos:**", "Modificar: `src/a.rs`"),
        ("**Archivos a modificar:**", "`src/a.rs`"),
        ("**Fichiers :**", "Modifier : `src/a.rs`"),
        ("**Dateien:**", "Ändern: `src/a.rs`"),
        ("**Файлы:**", "Изменить: `src/a.rs`"),
        ("**수정 파일**:", "`src/a.rs`"),
        ("**파일:**", "신규: `src/a.rs`"),
        ("**檔案：**", "修改：`src/a.rs`"),
        ("**変更ファイル:**", "`src/a.rs`"),
    ] {
        let text = format!("{label}\n- {item}\n");
        assert_eq!(granted(&text), ["write src/a.rs"], "{text}");
    }
    for label in [
        "**Arquivos de referência:**",
        "**参照ファイル:**",
        "**참고 파일:**",
    ] {
        let text = format!("{label}\n- `src/a.rs`\n");
        assert!(granted(&text).is_empty(), "{text}");
    }
}

#[test]
fn a_denied_file_is_only_mentioned() {
    for item in [
        "Do not modify: `b.rs`",
        "Don't touch: `b.rs`",
        "Never edit: `b.rs`",
        "Out of scope: `b.rs`",
        "Leave untouched: `b.rs`",
    ] {
        let text = format!("**Files:**\n- Modify: `a.rs`\n- {item}\n");
        reads(&[(&text, &["write a.rs", "mention b.rs"])]);
    }
}

#[test]
fn a_new_name_without_a_directory_may_lie_beside_the_old_one() {
    reads(&[
        (
            "**Files:**\n- Rename: `src/a.rs` -> `b.rs`\n- Modify: `c.rs`\n",
            &["write c.rs", "unread 2"],
        ),
        (
            "**Files:**\n- Move: `docs/a.md` -> `a.md`\n",
            &["delete docs/a.md", "write a.md"],
        ),
    ]);
}

#[test]
fn a_name_without_a_directory_is_the_file_that_another_list_names_in_full() {
    let text = "**Files:**\n- Modify: `src/main.rs`\n- Modify: `README.md`\n\n## Files Changed Summary\n\n| Area | Files | New |\n|---|---|---|\n| App | `main.rs`, `README.md` | 0 |\n";
    reads(&[(text, &["write src/main.rs", "write README.md", "unread 9"])]);
    let repo = Repo::new();
    repo.stage("main.rs", "x\n");
    repo.commit("Begin");
    repo.write("plan.md", text);
    let shown = repo.guard(&["scope", "check", "plan.md"]).text();
    assert!(!shown.contains("may lie at the root"), "{shown}");
    let text = "**Files:**\n- Create: `index.rs`\n\n**Files:**\n- Create: `src/index.rs`\n";
    assert_eq!(granted(text), ["write index.rs", "write src/index.rs"]);
}

#[test]
fn a_code_block_below_a_label_may_list_the_files() {
    reads(&[
        (
            "### New files (2):\n```\nsrc/a.rs        — the types\nsrc/b.rs\n```\n\n### Modified files (1):\n```text\nsrc/c.rs - one call\n```\n\n### Unchanged files:\n```\nsrc/d.rs — as it is\n```\n",
            &["write src/a.rs", "write src/b.rs", "write src/c.rs"],
        ),
        (
            "**Files to create:**\n\n```\nsrc/a.rs\nsrc/b.rs — no changes\n```\n",
            &["write src/a.rs", "mention src/b.rs"],
        ),
        // Not a list of paths alone.
        (
            "**Files to create:**\n\n```\nsrc/a.rs\nthe others as well\n```\n",
            &["refused", "unread 1"],
        ),
        (
            "**Files to create:**\n\n```sh\nsrc/a.rs\n```\n",
            &["refused", "unread 1"],
        ),
        (
            "### New files\n```\nsrc/a.rs  # do not touch\n```\n",
            &["refused", "unread 1"],
        ),
    ]);
}

#[test]
fn a_table_of_changes_below_a_label_counts() {
    let table = "| File | Change |\n|---|---|\n| `src/a.rs` | Add the `run` flag |\n| `src/b.rs` | Keep it. No change needed |\n";
    for above in ["**Changes**:", "### Changes", "**Code changes:**"] {
        reads(&[(
            &format!("{above}\n\n{table}"),
            &["write src/a.rs", "mention src/b.rs"],
        )]);
    }
    for above in ["**Breaking changes**:", "**Context**:", "### No changes"] {
        assert!(
            granted(&format!("{above}\n\n{table}")).is_empty(),
            "{above}"
        );
    }
    let other = "**Changes**:\n\n| File | Purpose |\n|---|---|\n| `src/a.rs` | types |\n\n**Changes:**\n- `src/c.rs` is slow\n";
    assert!(granted(other).is_empty());
}

#[test]
fn what_a_section_of_the_file_structure_marks_is_granted() {
    reads(&[
        (
            "## File Structure\n\n| File | Responsibility |\n|---|---|\n| `src/a.rs` (modify) | gains a flag |\n| `src/b.rs` (create) | the types |\n| `src/c.rs` | reads |\n",
            &["write src/a.rs", "write src/b.rs", "mention src/c.rs"],
        ),
        (
            "## File Structure\n\n**新增:**\n- `src/a.rs` - types\n\n**修改:** `src/b.rs`\n\n**Modify:**\n- `src/c.rs`\n",
            &["write src/a.rs", "write src/b.rs", "write src/c.rs"],
        ),
    ]);
}

#[test]
fn the_tasks_of_a_front_matter_list_files() {
    reads(&[(
        "---\nplan: 2\ntasks:\n  - id: T1\n    files: [\"src/a.rs\"]\n    done: \"src/no.rs works\"\n  - id: T2\n    files:\n      - src/b.rs\n---\n\n# Plan\n",
        &["write src/a.rs", "write src/b.rs"],
    )]);
}

#[test]
fn a_condition_behind_the_last_path_leaves_the_others() {
    reads(&[(
        "**Files:** `src/a.rs`, `src/b.rs`, and `src/c.rs` if the schema changes.\n",
        &["write src/a.rs", "write src/b.rs", "unread 1"],
    )]);
}

#[test]
fn words_behind_a_deleted_path_may_name_a_part_of_it() {
    reads(&[(
        "**Files:**\n- Delete: `src/old/` leftovers\n- Delete: `src/b.rs`\n",
        &["delete src/b.rs", "unread 2"],
    )]);
}

#[test]
fn a_new_file_without_a_name_grants_no_directory() {
    reads(&[(
        "**Files:**\n- `src/a.rs`\n- new note under `plans/`\n- Add a helper in `src/help/`\n",
        &["write src/a.rs", "unread 3", "unread 4"],
    )]);
}

#[test]
fn a_neighbour_may_have_a_longer_extension() {
    reads(&[(
        "**Files:** `src/types.ts` + `Stack.tsx`\n",
        &["write src/types.ts", "unread 1"],
    )]);
}

#[test]
fn code_in_a_note_is_no_path() {
    let text = "**Files:**\n- src/a.rs; (the levers in `HOLDERS`, bound by `run`)\n- src/b.rs (calls `run`)\n";
    assert_eq!(granted(text), ["write src/a.rs", "write src/b.rs"]);
}

#[test]
fn a_list_that_goes_on_behind_a_sentence_is_told() {
    reads(&[
        (
            "**Files:** `src/a.rs`, the files\nthat the audit names, `src/b.rs`, and\n`src/c.rs`.\n",
            &["write src/a.rs", "unread 2"],
        ),
        (
            "**Files:**\n- `src/a.rs` - calls the\n  helper, `src/b.rs`\n- `src/c.rs`,\n  `src/d.rs`\n",
            &["write src/a.rs", "write src/c.rs", "write src/d.rs"],
        ),
    ]);
}
