//! `destructive-change`: boundaries, exemptions, governing designs, and what guard advises.

use super::*;
use crate::measure::Lost;

const ROWS: [&str; 1] = ["`src/` | Modify | x"];

/// A file of `old` lines of which `kept` stay, judged under a Modify row.
fn cut(settings: &str, old: usize, kept: usize) -> Work {
    let before = lines("a", old);
    let after = lines("a", kept) + &lines("b", 5);
    commit(settings, &ROWS).modify("src/x.rs", &before, &after)
}

#[test]
fn the_limits_are_more_than_100_lines_and_at_least_half() {
    for (old, kept, expected) in [
        (100, 0, None),
        (101, 0, Some("loses 101 of 101 lines (100 %)")),
        (101, 50, Some("loses 51 of 101 lines (50 %)")),
        (101, 51, None),
        (200, 100, Some("loses 100 of 200 lines (50 %)")),
        (200, 101, None),
        (300, 101, Some("loses 199 of 300 lines (66 %)")),
    ] {
        let message =
            expected.map(|loss| format!("error destructive-change src/x.rs: src/x.rs {loss}"));
        let expected: Vec<&str> = message.as_deref().into_iter().collect();
        cut("", old, kept).says(&expected);
    }
    // The settings move both limits.
    cut("[destructive]\nlines = 101\n", 101, 0).says(&[]);
    cut("[destructive]\nshare = 0.52\n", 200, 100).says(&[]);
    cut("[destructive]\nlines = 10\nshare = 0.1\n", 20, 18)
        .says(&["error destructive-change src/x.rs: src/x.rs loses 2 of 20 lines (10 %)"]);
}

/// Brackets and blank lines stay in any rewrite, so where more of the content is lost, its share is the one that counts.
#[test]
fn the_lines_with_content_are_named_where_more_of_them_are_lost() {
    let marks = "}\n\n".repeat(60);
    let before = lines("a", 100) + &marks;
    let kept = |count| lines("a", count) + &marks;
    let change = |after: String| commit("", &ROWS).modify("src/x.rs", &before, &after);
    change(kept(40)).says(&[
        "error destructive-change src/x.rs: src/x.rs loses 60 of 100 lines with content (60 %)",
    ]);
    change(kept(60)).says(&[]);
    let facts = serde_json::json!({"class": "REPLACE", "lost": 60, "original": 100, "unit": "lines with content"});
    assert_eq!(change(kept(40)).details(), facts);
}

#[test]
fn the_facts_and_the_help_of_a_loss() {
    let work = cut("", 200, 20);
    let facts =
        serde_json::json!({"class": "REPLACE", "lost": 180, "original": 200, "unit": "lines"});
    assert_eq!(work.details(), facts);
    let restore = "restore the lines or, if they moved, stage the file that they moved to; if a program writes this file, list it in `[destructive] exempt`";
    for (stage, approve) in [
        (
            Stage::Commit,
            "a person can approve it at a terminal: guard approve --staged",
        ),
        (
            Stage::Request,
            "guard does not write it; it prints an ID, by which a person can approve it: guard approve ID",
        ),
        (
            Stage::Range,
            "a person stages the change again, approves and signs it before committing: guard approve --staged --sign KEY",
        ),
    ] {
        let before = lines("a", 200);
        let after = lines("b", 5);
        let work = super::work(stage, "", &ROWS).modify("src/x.rs", &before, &after);
        work.helps(&[restore, approve]);
    }
}

#[test]
fn a_large_file_needs_a_row_to_be_deleted() {
    let always = "[scope]\nalways = [\"free/**\"]\n[destructive]\nexempt = [\"*.snap\"]\n";
    let delete = |path: &str, count| {
        commit(always, &["`src/x.rs` | Delete | x"]).delete(path, &lines("a", count))
    };
    delete("free/x.rs", 100).says(&[]);
    let refused = delete("free/x.rs", 101);
    refused.says(&[
        "error destructive-change free/x.rs: free/x.rs (101 lines) is deleted without a Delete row",
    ]);
    refused.helps(&[
        "restore it, have a person approve the deletion, or add this row to docs/lld/LLD-1.md and commit the design first:",
        "| `free/x.rs` | Delete | … |",
        "to add it: guard scope add --missing",
    ]);
    let facts =
        serde_json::json!({"class": "DELETE", "lost": 101, "original": 101, "unit": "lines"});
    assert_eq!(refused.details(), facts);
    delete("src/x.rs", 101).says(&[]);
    delete("free/x.snap", 101).says(&[]);
    // No row can name this path.
    delete("free/a\u{202e}.rs", 101).says(&[]);

    // Without a design of the branch, there is no row to write.
    let skipped = commit("", &ROWS).delete("free/x.rs", &lines("a", 101));
    let skipped = skipped.with(|policy| {
        policy.scope = None;
        policy.designs.clear();
    });
    skipped.helps(&[
        "restore it, or have a person approve the loss",
        "a person can approve it at a terminal: guard approve --staged",
    ]);
    // Binary files count by bytes: more than 8 KiB is large.
    for (size, is_refused) in [(8192, false), (8193, true)] {
        let content = [vec![0], vec![b'a'; size - 1]].concat();
        let work =
            commit(always, &["`src/x.rs` | Delete | x"]).step("free/x.bin", file(content), None);
        let expected = format!(
            "error destructive-change free/x.bin: free/x.bin ({size} bytes) is deleted without a Delete row"
        );
        let expected: &[&str] = if is_refused { &[&expected] } else { &[] };
        work.says(expected);
    }
}

#[test]
fn a_rename_row_alone_lets_no_exempt_file_vanish() {
    let rows = ["`free/x.rs` -> `free/y.rs` | Rename | x"];
    let always = "[scope]\nalways = [\"free/**\"]\n";
    let old = lines("a", 150);
    let work = commit(always, &rows).delete("free/x.rs", &old);
    work.says(&[
        "error destructive-change free/x.rs: free/x.rs (150 lines) is deleted without a Delete row",
    ]);
    commit(always, &rows)
        .rename("free/x.rs", "free/y.rs", &old, &old)
        .says(&[]);
    // Where a row is needed, its absence is reported by the rules about the scope alone.
    let work = commit("", &rows).delete("free/x.rs", &old);
    assert_eq!(work.findings().len(), 1);
    let both = [rows[0], "`free/x.rs` | Delete | x"];
    commit(always, &both).delete("free/x.rs", &old).says(&[]);
}

#[test]
fn content_that_becomes_something_else_is_refused_at_any_size() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
    for (old, new, becomes) in [
        ("text\n", "\0binary", "binary"),
        ("\0binary", "text\n", "text"),
        ("text\n", pointer, "a Git LFS pointer"),
    ] {
        let work = commit("", &ROWS).modify("src/x", old, new);
        work.says(&[&format!(
            "error destructive-change src/x: src/x becomes {becomes}"
        )]);
        assert_eq!(work.details()["becomes"], becomes);
        work.helps(&[
            "restore it, or have a person approve the loss",
            "a person can approve it at a terminal: guard approve --staged",
        ]);
    }
    let link = Some((Kind::Symlink, b"y.rs".to_vec()));
    let work = commit("", &["`src/x` | Symlink | x"]).step("src/x", file("a\n"), link);
    work.says(&["error destructive-change src/x: src/x becomes a symbolic link"]);
    // Emptying follows the limit of lines.
    let emptied = |count| commit("", &ROWS).modify("src/x.rs", &lines("a", count), "\n");
    emptied(100).says(&[]);
    emptied(101).says(&["error destructive-change src/x.rs: src/x.rs becomes empty"]);
}

#[test]
fn exempt_files_may_lose_everything() {
    let exempt = "[destructive]\nexempt = [\"*.snap\"]\n";
    let modify = |path: &str| commit(exempt, &ROWS).modify(path, &lines("a", 200), &lines("b", 3));
    modify("src/x.snap").says(&[]);
    assert_eq!(modify("src/x.rs").findings().len(), 1);
    // A rename keeps the exemption only under both names.
    let row = |from: &str, to: &str| format!("`src/{from}` -> `src/{to}` | Rename | x");
    for (from, to, is_exempt) in [
        ("x.snap", "y.snap", true),
        ("x.rs", "y.snap", false),
        ("x.snap", "y.rs", false),
    ] {
        let row = row(from, to);
        let old = lines("a", 200);
        let new = lines("b", 3);
        let work = commit(exempt, &[&row]).rename(
            &format!("src/{from}"),
            &format!("src/{to}"),
            &old,
            &new,
        );
        let findings = work.findings();
        let is_refused = findings
            .iter()
            .any(|finding| finding.rule == Rule::DestructiveChange);
        assert_eq!(is_refused, !is_exempt, "{from} {to}");
    }
    // A deleted file has only its own name.
    let delete = commit(
        "[destructive]\nexempt = [\"*.snap\"]\n[scope]\nalways = [\"*\"]\n",
        &ROWS,
    );
    delete.delete("x.snap", &lines("a", 200)).says(&[]);
}

#[test]
fn what_pip_compile_and_uv_write_is_exempt() {
    let by = |first: &str, word: &str| format!("{first}{}", lines(word, 200));
    let generated = "#\n# This file is autogenerated by pip-compile\n";
    let fourth = "#\n#\n#\n# autogenerated by pip-compile\n";
    let no_comment = "autogenerated by pip-compile\n";
    for (path, old, new, is_exempt) in [
        ("src/requirements.txt", generated, generated, true),
        ("src/requirements-dev.txt", generated, generated, true),
        ("src/requirements.txt", generated, "", false),
        ("src/requirements.txt", "", generated, false),
        ("src/requirements.txt", fourth, fourth, false),
        ("src/requirements.txt", no_comment, no_comment, false),
        ("src/requirements.txt", "# by hand\n", "# by hand\n", false),
        ("src/requirements.in", generated, generated, false),
        ("src/other.txt", generated, generated, false),
    ] {
        let work = commit("", &ROWS).modify(path, &by(old, "a"), &by(new, "b"));
        assert_eq!(
            work.findings().is_empty(),
            is_exempt,
            "{path} {old:?} {new:?}"
        );
    }
}

#[test]
fn a_loss_of_a_rename_says_what_it_was_compared_with() {
    let rows = ["`src/x.rs` -> `src/y.rs` | Rename | x"];
    let work = commit("", &rows).rename("src/x.rs", "src/y.rs", &lines("a", 150), &lines("b", 3));
    work.says(&["error destructive-change src/y.rs: src/y.rs loses 150 of 150 lines (100 %)"]);
    assert_eq!(
        &*work.findings()[0].help[0],
        "renamed from src/x.rs; compared with that file"
    );
    let modified = cut("", 150, 0);
    assert!(!modified.findings()[0].help[0].contains("renamed"));
}

#[test]
fn lines_that_moved_are_named_with_their_files() {
    let said = |paths: &[&str]| {
        let work = cut("", 200, 20);
        let mut changes = work.measured();
        let moved = |path: &&str| MovedTo {
            path: (*path).into(),
            lines: 10,
        };
        changes[0].moved_to = paths.iter().map(moved).collect();
        let findings = work.check(&changes);
        let moved = findings[0].details.get("moved").cloned();
        (findings[0].help[0].to_string(), moved)
    };
    let (first, moved) = said(&[]);
    assert!(first.starts_with("restore the lines"), "{first}");
    assert_eq!(moved, None);
    for (paths, expected) in [
        (
            &["a"][..],
            "10 lines are not counted, because they moved to a",
        ),
        (
            &["a", "b", "c"],
            "30 lines are not counted, because they moved to a, b, c",
        ),
        (
            &["a", "b", "c", "d", "e"],
            "50 lines are not counted, because they moved to a, b, c and 2 more",
        ),
    ] {
        let (help, moved) = said(paths);
        assert_eq!(help, expected);
        assert_eq!(moved.unwrap(), paths.len() * 10);
    }
}

#[test]
fn what_takes_back_the_lines_of_another_file_is_refused_with_its_loss() {
    let found = |settings: &str| {
        let lost = cut("", 200, 20).measured()[0].measured.unwrap();
        let work = commit(settings, &["`src/y.rs` | Modify | x"]);
        let work = work.modify("src/y.rs", "a\n", "b\n");
        let mut changes = work.measured();
        changes[0].pays_for = Some(Box::new(PaidFor {
            path: "src/x.rs".into(),
            measured: lost,
        }));
        work.check(&changes)
    };
    let [finding] = &found("")[..] else {
        panic!("{:?}", found(""))
    };
    assert_eq!(
        said(finding),
        "error destructive-change src/y.rs: src/y.rs has lines of src/x.rs, which would lose 180 of 200 lines (90 %)"
    );
    assert_eq!(
        serde_json::to_value(&finding.details).unwrap(),
        serde_json::json!({
            "class": "REPLACE", "lost": 180, "original": 200, "unit": "lines", "from": "src/x.rs",
        })
    );
    assert_eq!(
        &*finding.help[0],
        "keep these lines here, or put them back into src/x.rs first"
    );
    assert_eq!(found("[destructive]\nexempt = [\"src/x.rs\"]\n"), []);
}

#[test]
fn what_the_branch_itself_has_added_may_go() {
    let delete = || {
        let always = "[scope]\nalways = [\"free/**\"]\n";
        commit(always, &ROWS).delete("free/x.rs", &lines("a", 101))
    };
    delete().began_with(&[("free/x.rs", None)]).says(&[]);
    for before in [delete(), delete().began_with(&[("free/x.rs", Some("a\n"))])] {
        assert_eq!(before.findings().len(), 1);
    }
    let staged = delete().began_with(&[("free/x.rs", None)]);
    let mut changes = staged.measured();
    changes[0].is_committed = false;
    assert_eq!(staged.check(&changes).len(), 1, "no commit has it");
}

#[test]
fn a_loss_that_was_not_counted_in_full_says_so() {
    let work = cut("", 200, 20);
    let mut changes = work.measured();
    let measured = changes[0].measured.as_mut().unwrap();
    measured.lost = Lost {
        is_exact: false,
        ..measured.lost
    };
    let finding = &work.check(&changes)[0];
    assert_eq!(
        finding.message,
        "src/x.rs loses up to 180 of 200 lines (90 %)"
    );
    assert_eq!(finding.details.get("exact").unwrap(), false);
    assert!(finding.help[0].starts_with("the versions are too large"));
}

#[test]
fn a_governing_design_may_not_be_deleted_or_gutted_at_any_size() {
    let small = document(&[
        "`src/a.rs` | Modify | x",
        "`src/b.rs` | Modify | x",
        "`src/c.rs` | Modify | x",
    ]);
    let of = |new: Option<&str>| {
        let text = small.clone();
        let new = new.map(str::to_owned);
        let work = with_designs(Stage::Commit, "", |settings| {
            let mut design = governing(DESIGN, &text, settings);
            design.proposed = new.as_ref().map(|new| parsed(DESIGN, new, settings));
            vec![design]
        });
        work.step(DESIGN, file(text.clone()), new.and_then(file))
    };
    let refused = |what: &str| {
        format!("error destructive-change {DESIGN}: the governing design {DESIGN} {what}")
    };
    let deleted = of(None);
    deleted.says(&[&refused("is deleted")]);
    deleted.helps(&[
        "keep it until its work has landed, then move it away in a separate commit",
        "a person can approve it at a terminal: guard approve --staged",
    ]);
    assert_eq!(deleted.details(), serde_json::json!({"class": "DELETE"}));
    let unusable = small.replace("## Files Changed", "## Files not changed");
    of(Some(&unusable)).says(&[&refused("would allow nothing")]);
    // Four of eight lines stay: half is lost.
    let gutted = "# Design\n\n## Files Changed\n\n- `src/a.rs`\n";
    of(Some(gutted)).says(&[&refused("loses most of its text")]);
    // The words stay, whatever becomes of the lines.
    let boxes = |mark| format!("{small}\n{}", format!("- [{mark}] Step\n").repeat(20));
    let ticked = with_designs(Stage::Commit, "", |settings| {
        let mut design = governing(DESIGN, &boxes(' '), settings);
        design.proposed = Some(parsed(DESIGN, &boxes('x'), settings));
        vec![design]
    });
    ticked.modify(DESIGN, &boxes(' '), &boxes('x')).says(&[]);
    let reversed: Vec<&str> = small.lines().skip(6).collect();
    let rows: String = reversed
        .iter()
        .rev()
        .map(|row| format!("{row}\n"))
        .collect();
    let head: String = small
        .lines()
        .take(6)
        .map(|line| format!("{line}\n"))
        .collect();
    of(Some(&format!("{head}{rows}"))).says(&[]);
    let longer = format!("{small}\n## Why\n\nBecause.\n");
    of(Some(&longer)).says(&[]);
    // A design that does not govern is a file like others, and one that moves is not lost.
    let other = |rows, count| commit("", rows).delete("docs/lld/LLD-7.md", &lines("other", count));
    other(&ROWS, 100).says(&[]);
    other(&ROWS, 101).says(&["error destructive-change docs/lld/LLD-7.md: docs/lld/LLD-7.md (101 lines) is deleted without a Delete row"]);
    other(&["`docs/lld/LLD-7.md` | Delete | x"], 101).says(&[]);
    let moved = commit("", &ROWS).rename(DESIGN, "docs/lld/done/LLD-1.md", &small, &small);
    assert!(
        moved
            .findings()
            .iter()
            .all(|finding| finding.rule != Rule::DestructiveChange)
    );
    let added = commit("", &ROWS).add(DESIGN, &small);
    added.says(&[]);
}

#[test]
fn an_unusable_design_is_not_gutted_by_staying_so() {
    let text = "# Design\n\n## Files not changed\n\none\ntwo\nthree\n";
    let work = with_designs(Stage::Commit, "", |settings| {
        let mut design = governing(DESIGN, text, settings);
        design.proposed = Some(parsed(DESIGN, text, settings));
        vec![design]
    });
    work.modify(DESIGN, text, &format!("{text}four\n"))
        .says(&[]);
}

#[test]
fn the_loss_of_a_rename_is_measured_at_its_new_path() {
    let old = lines("a", 200);
    let rows = ["`docs/` | Modify | x"];
    let work = commit("", &rows).rename("src/a.rs", "src/b.rs", &old, &old);
    let destroys = |finding: &Finding| finding.rule == Rule::DestructiveChange;
    assert!(!work.findings().iter().any(destroys));
    let work = commit("", &rows).delete("src/a.rs", &old);
    assert!(work.findings().iter().any(destroys));
}
