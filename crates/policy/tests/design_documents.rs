//! Documents beyond the labelled ones of `fixtures/grammar`: what they grant and report, what a grant knows, encodings, and
//! the cells of the labelled hostile paths.

use bstr::BStr;
use write_guard_policy::design::{Design, parse};
use write_guard_policy::finding::{Level, Rule};
use write_guard_policy::scope::settings::Settings;
use write_guard_policy::scope::{Actions, GrantKind, Role};

use write_guard_testing::corpus;
use write_guard_testing::designs::{HEADER, actions, add, any, faults, paths, read, rows};

fn reasons(design: &Design) -> Vec<&'static str> {
    faults(design)
        .into_iter()
        .map(|(reason, _)| reason)
        .collect()
}

/// What a document below the title `# Plan` grants, and the reasons of its faults.
struct Case {
    text: &'static str,
    granted: &'static [&'static str],
    reported: &'static [&'static str],
}

/// A case.
const fn case(
    text: &'static str,
    granted: &'static [&'static str],
    reported: &'static [&'static str],
) -> Case {
    Case {
        text,
        granted,
        reported,
    }
}

#[track_caller]
fn check(cases: &[Case]) {
    for case in cases {
        let design = read(&format!("# Plan\n\n{}\n", case.text));
        assert_eq!(paths(&design), case.granted, "{}", case.text);
        assert_eq!(reasons(&design), case.reported, "{}", case.text);
    }
}

#[test]
fn forms_of_earlier_versions_declare_nothing() {
    check(&[
        case("#### [MODIFY] src/a.py", &[], &["no-section"]),
        case("#### [MODIFY] [a.py](src/a.py)", &[], &["no-section"]),
        case(
            "## Tasks\n\n- [ ] T001 Create `src/a.py`",
            &[],
            &["no-section"],
        ),
        case("```\nsrc/\n├── a.py # NEW\n```", &[], &["no-section"]),
        case(
            "<task>\n<files>src/a.py</files>\n</task>",
            &[],
            &["no-section"],
        ),
        case("**Files:** `src/a.py`", &[], &["label-line"]),
        case("Files: src/a.py, src/b.py", &[], &["label-line"]),
        case("**Files to create:** Add: `src/a.py`", &[], &["label-line"]),
        case("**Files:**\n\n```\nsrc/a.py\n```", &[], &["no-list"]),
        case(
            "**Files:**\n\nThe parser.\n\n- `src/a.py`",
            &[],
            &["no-list"],
        ),
        case(
            "## Files Changed\n\n```\nsrc/a.py\n```",
            &[],
            &["empty-section"],
        ),
        case(
            "## Files Changed\n\nChange `src/a.py`.",
            &[],
            &["empty-section"],
        ),
        case("The files:\n\n- `src/a.py`", &[], &["unknown-heading"]),
        case("- **Files:**\n  - `src/a.py`", &[], &["no-section"]),
    ]);
}

#[test]
fn a_row_that_is_read_leaves_the_forms_around_it_reported_or_silent() {
    for (form, reported) in [
        ("#### [MODIFY] src/x.py", None),
        ("- [ ] T001 Create `src/x.py`", None),
        ("```\nsrc/x.py\n```", None),
        ("<files>src/x.py</files>", None),
        ("Some files that matter:\n\n- `src/x.py`", None),
        ("**Files:** `src/x.py`", Some("label-line")),
        ("**Files:**\n\nText.\n\n- `src/x.py`", Some("no-list")),
        ("## File changes\n\n`src/x.py`", Some("empty-section")),
        (
            "## File changes\n\nText.\n\n- `src/x.py`",
            Some("unread-list"),
        ),
    ] {
        let design = read(&format!(
            "# Plan\n\n{form}\n\n# Work\n\n**Files:**\n- `src/a.py`\n"
        ));
        assert_eq!(paths(&design), ["src/a.py"], "{form}");
        let expected: Vec<&str> = reported.into_iter().collect();
        assert_eq!(reasons(&design), expected, "{form}");
    }
}

#[test]
fn an_item_is_a_row_and_nothing_else() {
    check(&[
        case(
            "**Files:**\n- `src/a.py`, `src/b.py`",
            &["src/a.py", "src/b.py"],
            &[],
        ),
        case(
            "**Files:**\n- `src/a.py`; `src/b.py`",
            &[],
            &["unread-item"],
        ),
        case(
            "**Files:**\n- `src/a.py` (x; y) — the parser",
            &["src/a.py"],
            &[],
        ),
        case("**Files:**\n- `src/a.py` the parser", &[], &["unread-item"]),
        case("**Files:**\n- the parser `src/a.py`", &[], &["unread-item"]),
        case("**Files:**\n- Tweak: `src/a.py`", &[], &["unknown-type"]),
        case(
            "**Files:**\n- `src/a.py`\n- ✗ `src/b.py`",
            &["src/a.py"],
            &["unread-item"],
        ),
        case("**Files:**\n- Note: see the code", &[], &["unread-item"]),
        case("**Files:**\n- `x`: `src/a.py`", &[], &["unread-item"]),
        case(
            "**Files:**\n- Add: `src/a.py`[^1]\n- Add: `src/b.py`\n\n[^1]: later",
            &["src/b.py"],
            &["unread-item"],
        ),
        case("**Files:**\n- None", &[], &["only-placeholders"]),
        case(
            "**Files:**\n- ~~`src/a.py`~~\n- `src/b.py`",
            &["src/b.py"],
            &[],
        ),
    ]);
    // What stands below an item, and behind a checkbox, belongs to something else.
    check(&[
        case(
            "**Files:**\n- `src/a.py`\n  - the parser",
            &["src/a.py"],
            &[],
        ),
        case(
            "**Files:**\n- Group\n  - `src/x.py`\n- `src/a.py`",
            &["src/a.py"],
            &["unread-item"],
        ),
        case("**Files:**\n- `src/`\n  - only `a.py`", &[], &["odd-item"]),
        case(
            "**Files:**\n- `src/a.py`\n- [ ] `src/x.py`\n- `src/y.py`",
            &["src/a.py"],
            &[],
        ),
        case(
            "**Files:**\n- [x] `src/x.py`\n- `src/y.py`",
            &[],
            &["no-list"],
        ),
    ]);
    check(&[case(
        "## Files Changed\n\n- [x] `src/x.py`\n- `src/y.py`",
        &[],
        &["empty-section"],
    )]);
    // A path that leaves the workspace makes its item bad, and no other.
    check(&[
        case(
            "## Files Changed\n\n- Modify: `src/a.py`\n- Modify: `../b.py`",
            &["src/a.py"],
            &["dotdot"],
        ),
        case(
            "## Files Changed\n\n- Modify: `src/a.py`, `/b.py`",
            &[],
            &["absolute"],
        ),
        case("## Files Changed\n\n- `~/b.py`", &[], &["tilde"]),
    ]);
    // The end of a comment begins no element.
    check(&[case(
        "<!--<s>-->\n\n## Files Changed\n\n- `src/a.py`",
        &["src/a.py"],
        &[],
    )]);
}

#[test]
fn a_table_counts_below_a_heading_that_announces_files() {
    let table = "| Path | Purpose |\n|---|---|\n| `src/a.py` | x |\n";
    for (place, granted) in [
        ("## Files Changed", true),
        ("## Files Changed\n\n### Parser", true),
        ("## Files Changed\n\nSome words.", true),
        ("**Files:**", false),
        ("Files to modify:", false),
        ("## Parser", false),
        ("## Files Changed\n\n- item\n\n## Parser", false),
    ] {
        let design = read(&format!("{place}\n\n{table}"));
        assert_eq!(design.is_usable(), granted, "{place}");
        assert_eq!(design.faults.is_empty(), granted, "{place}");
    }
}

#[test]
fn front_matter_lists_paths_that_may_be_added_and_modified() {
    let design = read(
        "---\nallowed_paths: [src/a.py, 'src/b/']\nfiles_modified:\n  - docs/*.md # all\nother: [src/x.py]\n---\n# Plan\n",
    );
    assert_eq!(paths(&design), ["src/a.py", "src/b", "docs/*.md"]);
    assert_eq!(actions(&design), [any(); 3]);
    assert_eq!(design.grants[2].anchor.line, 4);
    let kinds = [GrantKind::File, GrantKind::Directory, GrantKind::Glob];
    let found: Vec<GrantKind> = design.grants.iter().map(|grant| grant.kind).collect();
    assert_eq!(found, kinds);
    // Only what YAML reads as plain strings, and only at the top of the document.
    for (front, granted) in [
        ("files_modified: []", &[][..]),
        ("files_modified: [a.py]\nfiles_modified: [b.py]", &[]),
        ("files_modified: &x [a.py]", &[]),
        ("files_modified: [*x]", &[]),
        ("files_modified: !x [a.py]", &[]),
        ("files_modified: |\n  a.py", &[]),
        ("files_modified: {a.py: 1}", &[]),
        ("files_modified: [a.py, the parser]", &["a.py"]),
        ("must_haves:\n  files_modified: [a.py]", &[]),
        ("# files_modified: [a.py]", &[]),
        ("Files_Modified: [a.py]", &[]),
    ] {
        let design = read(&format!("---\n{front}\n---\n\n# Plan\n"));
        assert_eq!(paths(&design), granted, "{front}");
        assert!(granted == ["a.py"] || !design.faults.is_empty(), "{front}");
        let later = read(&format!("# Plan\n\n---\n{front}\n---\n"));
        assert!(!later.is_usable(), "{front}");
    }
}

#[test]
fn front_matter_denies_what_rows_grant_and_a_denial_that_is_not_understood_stops_all() {
    let list = "# Plan\n\n**Files:**\n- `src/a.py`\n";
    let design = read(&format!(
        "---\nforbidden_paths: [src/keys/]\nforbidden_files:\n  - src/b.py\n---\n{list}"
    ));
    assert_eq!(paths(&design), ["src/a.py"]);
    let denied: Vec<_> = design
        .denials
        .iter()
        .map(|denial| denial.path.to_string())
        .collect();
    assert_eq!(denied, ["src/keys", "src/b.py"]);
    for front in [
        "forbidden_paths: [../a.py]",
        "forbidden_paths: {a: src/b.py}",
        "forbidden_paths: &x [src/b.py]",
        "forbidden_paths: [src/b.py",
        "denied_paths: [src/b.py]",
        "deny: src/*",
        "exclude-files: [src/b.py]",
        "protected: [src/b.py]",
        "read_only_files: [src/b.py]",
        "READONLY: src/b.py",
    ] {
        let design = read(&format!("---\n{front}\n---\n{list}"));
        assert!(!design.is_usable(), "{front}");
        assert!(!design.declares_nothing(), "{front}");
    }
    for front in [
        "forbidden_paths: []",
        "excluded: [nothing]",
        "denied_by: Jo",
        "protection: src/b.py",
    ] {
        let design = read(&format!("---\n{front}\n---\n{list}"));
        assert_eq!(paths(&design), ["src/a.py"], "{front}");
    }
}

/// What a table `File | HEADER` with these cells grants.
fn column(header: &str, cells: &[&str]) -> Design {
    let mut rows = String::new();
    for (number, cell) in cells.iter().enumerate() {
        rows += &format!("| `src/{number}.py` | {cell} |\n");
    }
    let header = format!("| File | {header} |\n|---|---|\n");
    read(&format!("## Files Changed\n\n{header}{rows}"))
}

#[test]
fn a_column_with_a_bare_type_is_one_of_types_and_a_sentence_in_it_makes_its_row_bad() {
    for cell in [
        "Remove unused imports",
        "Deleted: the old flag",
        "Delete (old) imports",
        "Modify? No",
        "Changes: None.",
        "Modify (not yet)",
        "Modify - not needed",
        "Update: n/a",
        "Don’t change",
        "Never modify",
        "Change nothing",
        "Not modified",
        "Modify?",
        "None",
        "",
    ] {
        let typed = column("Kind", &["Delete", cell, "Modify"]);
        assert_eq!(
            actions(&typed),
            [Actions::DELETE, Actions::MODIFY],
            "{cell}"
        );
        assert_eq!(paths(&typed), ["src/0.py", "src/2.py"], "{cell}");
        assert_eq!(reasons(&typed), ["unknown-type"], "{cell}");
        // With the usual header, too.
        let typed = column("Change Type", &[cell, "Modify"]);
        assert_eq!(paths(&typed), ["src/1.py"], "{cell}");
    }
    for sentences in [["Add retry", "Delete the cache"], ["Modify the loop", "x"]] {
        let untyped = column("Kind", &sentences);
        assert_eq!(actions(&untyped), [any(); 2]);
    }
}

#[test]
fn a_remark_takes_back_a_row_without_a_type() {
    for (header, cell, grants, mentions) in [
        ("Modify?", "No", 0, 0),
        ("Risk", "no", 0, 0),
        ("Changes", "none of its callers", 1, 0),
        (
            "Description",
            "No changes — confirm that all 14 tests pass",
            0,
            1,
        ),
        ("Description", "unchanged", 0, 1),
        ("Description", "No changes to the API; adds a cache", 0, 1),
        ("Description", "Do not touch the input", 0, 1),
        ("Notes", "none", 1, 0),
        ("Description", "Add an optional cache; the API stays", 1, 0),
        ("Description", "Handle a page not found", 1, 0),
        ("Description", "Verify the input", 0, 1),
        ("Description", "the parser; verify the input", 1, 0),
    ] {
        let design = column(header, &[cell, "yes"]);
        assert_eq!(design.grants.len(), grants + 1, "{header}: {cell}");
        assert_eq!(design.mentions.len(), mentions, "{header}: {cell}");
    }
    let forbids = column("Notes", &["Do not modify the input in place", "yes"]);
    assert_eq!(paths(&forbids), ["src/1.py"]);
    assert_eq!(forbids.denials[0].path, "src/0.py");
}

#[test]
fn a_grant_knows_its_type_description_role_and_place() {
    let design = rows(
        "| `src/a.py` | Add | New module |\n| `config/a.toml` | Modify | Key |\n| `tests/é.py` | Add (Directory) | |\n\
         | `c` -> `d` | **Moved** | |\n| [_src/l.py_](src/l.py) | Modify | |\n",
    );
    let [first, config, test, old, new, link] = &design.grants[..] else {
        panic!("{:?}", design.grants);
    };
    assert_eq!(first.change_type, "Add");
    assert_eq!(first.description, "New module");
    assert_eq!(first.role(), Role::Implementation);
    assert_eq!((config.role(), test.role()), (Role::Config, Role::Test));
    assert_eq!(test.kind, GrantKind::Directory);
    assert_eq!(old.renamed.as_ref().unwrap(), "d");
    assert_eq!(new.renamed.as_ref().unwrap(), "c");
    assert_eq!(link.path, "src/l.py");
    let expected = [add(), Actions::MODIFY, add(), Actions::DELETE, any()];
    assert_eq!(actions(&design)[..5], expected);
    assert_eq!((test.anchor.line, test.anchor.column), (9, 3));
    assert_eq!(&design.text[test.anchor.span.clone()], "`tests/é.py`");
    // Remarks may have code and brackets, and the front matter knows its lines.
    let list =
        read("## Files to Create\n\n- `c.py` — text with `code.py`\n- d.py (x (y) z) - why\n");
    let told: Vec<_> = list
        .grants
        .iter()
        .map(|grant| &*grant.description)
        .collect();
    assert_eq!(told, ["text with `code.py`", "why"]);
    let front = read("---\nfiles_modified:\n  - src/a.py\n  - ../b.py\n---\n");
    assert_eq!(faults(&front), [("dotdot", 4)]);
}

#[test]
fn several_rows_with_a_place_for_a_name_are_placeholders_and_one_is_a_file() {
    let one = "| `src/{module}/a.rs` | Add | x |\n";
    let two = format!("{one}| `src/{{name}}/b.rs` | Add | x |\n");
    assert_eq!(paths(&rows(one)), ["src/{module}/a.rs"]);
    assert_eq!(reasons(&rows(one)), [""; 0]);
    let only = rows(&two);
    assert_eq!(paths(&only), [""; 0]);
    let mut found = reasons(&only);
    found.sort_unstable();
    assert_eq!(found, ["only-placeholders", "placeholder", "placeholder"]);
    let beside = rows(&format!("{two}| `c.rs` | Add | x |\n"));
    assert_eq!(paths(&beside), ["c.rs"]);
    assert_eq!(reasons(&beside), ["placeholder", "placeholder"]);
}

#[test]
fn a_type_or_a_slash_says_that_a_path_is_a_directory() {
    for (item, kind) in [
        ("Add directory: `src/x`", GrantKind::Directory),
        ("Add: `src/x/`", GrantKind::Directory),
        ("Add: `src/x` (directory)", GrantKind::Directory),
        ("Add: `src/x`", GrantKind::File),
    ] {
        let design = read(&format!("**Files:**\n- {item}\n- Add: `src/y`\n"));
        let kinds: Vec<_> = design.grants.iter().map(|grant| grant.kind).collect();
        assert_eq!(kinds, [kind, GrantKind::File], "{item}");
    }
}

#[test]
fn a_cell_that_cannot_be_read_says_why() {
    for (row, said) in [
        ("| `a.py` |  | x |\n", "the type is missing"),
        ("| `a.py` | Foo | x |\n", "`Foo` is "),
        ("| the parser | Add | x |\n", "`the parser`"),
        ("| /etc/passwd | Add | x |\n", "absolute"),
        ("| `a.py` parser | Add | x |\n", "`parser`"),
    ] {
        let design = rows(row);
        let message = &design.faults[0].message;
        assert!(message.contains(said), "{row}: {message}");
    }
}

#[test]
fn a_bad_row_is_placed_at_its_bad_path_or_at_its_first() {
    for (row, place) in [
        ("| `src/a.rs`, `b.rs` | Modify | x |\n", "`b.rs`"),
        ("| `src/a.rs`, `../b.rs` | Modify | x |\n", "`../b.rs`"),
        (
            "| `src/a.rs`, `src/b.rs` | Modify | Rejected |\n",
            "`src/a.rs`",
        ),
    ] {
        let design = rows(row);
        let anchor = design.faults[0].anchor.as_ref().unwrap();
        assert_eq!(&design.text[anchor.span.clone()], place, "{row}");
    }
}

#[test]
fn each_fault_has_its_rule_and_says_what_is_meant() {
    let two =
        "| `a.py` | Add | x |\n\n## Files Changed\n\n| File | Type |\n|-|-|\n| `b.py` | Add |\n";
    let twice = "| `a` | Add | x |\n| `a` | Add | x |\n";
    let glob = "| src/*/x/*.py | Add | x |\n";
    for (row, rule, said) in [
        ("| `../a` | Add | x |\n", Rule::DesignOutside, "`..`"),
        ("|`**/*`|Add|x|\n", Rule::DesignTooWide, "whole workspace"),
        ("|`{…}`|Add|x|\n", Rule::DesignPlaceholder, "placeholder"),
        ("| `a` | Foo | x |\n", Rule::DesignBadRow, "`Foo`"),
        (glob, Rule::DesignBadRow, "src/*/x/*.py"),
        (twice, Rule::DesignDuplicate, "line 7"),
        (two, Rule::DesignAmbiguous, "line 5"),
    ] {
        let design = rows(row);
        let mut faults = design.faults.iter();
        let fault = faults.find(|fault| fault.rule == rule).unwrap();
        let is_warning = fault.rule.default_level() == Level::Warning;
        assert_eq!(is_warning, rule == Rule::DesignDuplicate, "{row}");
        assert!(fault.message.contains(said), "{row}: {}", fault.message);
        assert!(!fault.help.is_empty(), "{row}");
    }
    assert_eq!(faults(&read("")), [("no-section", 0)]);
    assert_eq!(faults(&read("\n\n")), [("no-section", 2)]);
    let help = &read("# Plan\n").findings()[0].help;
    let rows = help.iter().filter(|line| line.is_row()).count();
    assert_eq!((help.len(), rows), (5, 3));
    let import = "to propose a table from this document: guard scope import docs/lld/LLD-1.md";
    assert_eq!(&**help.last().unwrap(), import);
}

#[test]
fn encodings_line_endings_and_size() {
    let text = format!("### 2.1 Files Changed\n\n{HEADER}| `ä/é.py` | Add | x |\n");
    let design = read(&format!("\u{feff}{}", text.replace('\n', "\r\n")));
    let anchor = &design.grants[0].anchor;
    assert_eq!((anchor.line, anchor.column), (5, 3));
    assert_eq!(&design.text[anchor.span.clone()], "`ä/é.py`");
    for (hidden, line) in [
        (text.replace('\n', "\r\r\n"), 1),
        (text.replace('\n', "\r"), 1),
        (format!("{text}\0"), 6),
        (format!("{text}\r"), 6),
        (text.replace("x |\n", "x |\r| `b.py` | Add | x |\n"), 5),
    ] {
        let design = read(&hidden);
        assert_eq!(faults(&design), [("hidden-bytes", line)], "{hidden:?}");
        assert!(!design.is_usable(), "{hidden:?}");
    }
    let latin = [text.as_bytes(), b"\ncaf\xe9\n"].concat();
    let latin = parse(BStr::new("d.md"), &latin, &Settings::default());
    assert_eq!(faults(&latin), [("non-utf8", 7)]);
    assert_eq!(latin.faults[0].anchor.as_ref().unwrap().column, 4);
    assert!(!latin.is_usable());
    for (size, expected) in [(1_000_000, &[][..]), (1_000_001, &["too-large"])] {
        let design = read(&format!("{text}\n{}\n", "x".repeat(size - text.len() - 2)));
        assert_eq!(reasons(&design), expected);
        assert_eq!(design.is_usable(), expected.is_empty());
    }
}

#[test]
fn every_cell_of_the_corpus_gets_the_decided_verdict() {
    let corpus = corpus::entries();
    let mut wrong = Vec::new();
    let cells = corpus.iter().filter(|entry| entry["context"] == "lld-cell");
    assert!(cells.clone().count() >= 63, "the corpus has lost cells");
    for entry in cells {
        let text = corpus::design_with(&corpus::input(entry));
        let path = BStr::new("docs/lld/LLD-188.md");
        let design = parse(path, &text, &Settings::default());
        let expected = corpus::text(entry, "expected");
        let grants = design.grants.iter();
        let grants = grants.map(|grant| (grant.kind.name().to_owned(), grant.path.to_string()));
        let is_right = if expected.starts_with("reject:") {
            !design.is_usable() && !design.faults.is_empty()
        } else {
            design.faults.is_empty() && grants.eq(corpus::parsed_as(entry))
        };
        if !is_right {
            let found = (&design.grants, reasons(&design));
            wrong.push(format!("{}: {found:?}", entry["id"]));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn tables_with_types_are_joined_or_the_whole_scope() {
    for (other, is_usable) in [("Files to Create", false), ("Files to Modify", true)] {
        let design = read(&format!(
            "## Files to Create\n\n{HEADER}| `a.py` | Add | x |\n\n## {other}\n\n{HEADER}| `b.py` | Add | x |\n"
        ));
        assert_eq!(design.is_usable(), is_usable, "{other}");
        let is_ambiguous = reasons(&design).contains(&"two-tables");
        assert_eq!(is_ambiguous, !is_usable, "{other}");
    }
    for (path, expected) in [
        ("src/a.py", &[][..]),
        ("src/seen.py", &[]),
        ("docs/a.md", &[]),
        ("src/b.py", &["beyond-table"]),
    ] {
        let design = read(&format!(
            "## Files Changed\n\n{HEADER}| `src/a.py` | Add | x |\n| `src/seen.py` | Exists | x |\n\
             | `docs/` | Modify | x |\n\n**Files:**\n\n- `{path}`\n"
        ));
        assert!(design.is_typed());
        assert_eq!(reasons(&design), expected, "{path}");
    }
    let list = read("## Files Changed\n\n- `src/a.py`\n");
    assert!(!list.is_typed() && list.usable().is_ok());
    let error = read("# Plan\n").usable().unwrap_err();
    assert_eq!(error.message, "the design docs/lld/LLD-1.md cannot be used");
}

const TABLE: &str =
    "| File | Change Type | Description |\n|---|---|---|\n| `hidden.py` | Delete | x |\n";

#[test]
fn unclosed_element_hides_the_rest_of_the_document() {
    for open in [
        "<details>",
        "<div title=\"",
        "text <s>struck",
        "- a\n- b <s>\n",
        "<template></div>\n\n</template>",
        "- a\n\n  <ul><li>\n",
        "| a |\n|---|\n<span hidden>\n",
        "> <template>\n",
        "text <details>\n\n</details>\n",
        "<details>\n<?x </details> ?>\n</details>\n",
        "- <details>\n\n  x\n",
        "> <div hidden>\n",
        "<ul><li>a<li>b</ul>",
        "text </ul>\n",
        "<b hidden>\n",
        "text <b style=\"display: none\">\n",
    ] {
        let hidden = [TABLE, "- `hidden.py`\n"];
        for rows in hidden {
            let design = read(&format!("{open}\n\n## Files Changed\n\n{rows}"));
            assert!(!design.is_usable(), "{open}");
            assert!(!design.faults.is_empty(), "{open}");
        }
    }
    for open in [
        "<a name=\"x\"></a>",
        "<p align=\"center\">",
        "<br>",
        "<img src=\"x\">",
        "Write `docs/` <name> and Vec<T>",
        "a <b>bold word",
        "<ul><li>a</li><li>b</li></ul>",
        "- <details>x</details>\n",
        "<style>h2 { color: red }</style>",
        "<!-- a -->",
        "<details>\n<summary>x</summary>\n\ntext\n</details>",
    ] {
        let design = read(&format!("{open}\n\n## Files Changed\n\n{TABLE}"));
        assert!(design.is_usable(), "{open}");
        assert!(design.faults.is_empty(), "{open}");
    }
}

const NEGATIONS: &[&str] = &[
    "Out of scope",
    "Out-of-Scope",
    "7. Out of scope",
    "Deferred",
    "Deferred to later",
    "Future work",
    "Future Phases",
    "Won't be touched",
    "Won’t be touched",
    "What we won't touch",
    "Phase 2 (out of scope)",
    "Phase 2 — deferred",
    "Not in this change",
    "Non-goals",
    "Nongoals",
    "Not in scope",
    "Not part of this work",
    "Excluded",
    "Exclusions",
    "Will not change",
    "Do not touch",
    "Postponed",
    "Later",
    "Follow-ups",
    "Rejected alternatives",
    "Untouched",
    "Off limits",
];

#[test]
fn nothing_below_a_heading_that_negates_is_granted() {
    for heading in NEGATIONS {
        for text in [
            format!("## {heading}\n\n### Files Changed\n\n{TABLE}"),
            format!("## {heading}\n\n#### More\n\n### Files Changed\n\n- `a.py`\n"),
            format!("## Files Changed\n\n### {heading}\n\n{TABLE}"),
            format!("## Files Changed\n\n### {heading}\n\n- `a.py`\n"),
            format!("## {heading}\n\n**Files:**\n\n- `a.py`\n"),
            format!("## Files Changed\n\n**{heading}:**\n\n{TABLE}"),
            format!("## Files Changed\n\n__{heading}__:\n\n- `a.py`\n"),
        ] {
            let design = read(&text);
            assert!(!design.is_usable(), "{text}");
            assert!(!design.faults.is_empty(), "{text}");
        }
        // The message names the heading where nothing else is read.
        let alone = read(&format!("## {heading}\n\n### Files Changed\n\n{TABLE}"));
        assert_eq!(reasons(&alone), ["excluded"], "{heading}");
        assert!(alone.faults[0].message.contains(heading), "{heading}");
        // It excludes only itself.
        let design = read(&format!(
            "## Files Changed\n\n{HEADER}| `a.py` | Add | x |\n\n### {heading}\n\n{TABLE}\n### Tests\n\n{HEADER}| `b.py` | Add | x |\n"
        ));
        assert_eq!(paths(&design), ["a.py", "b.py"], "{heading}");
        assert!(design.faults.is_empty(), "{heading}");
    }
}
