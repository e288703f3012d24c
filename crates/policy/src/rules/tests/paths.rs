//! `unsafe-path`, `outside-workspace` and `portable-name`.

use super::*;

const ALL: &str = "[scope]\nalways = [\"**\"]\n";

fn any() -> Work {
    commit(ALL, &["`a.rs` | Modify | x"])
}

fn link(target: &str) -> Side {
    Some((Kind::Symlink, target.as_bytes().to_vec()))
}

fn rules(work: &Work) -> Vec<Rule> {
    work.findings().iter().map(|finding| finding.rule).collect()
}

#[test]
fn a_dangerous_path_may_be_deleted_but_not_left() {
    let work = any().add("src/.GIT/config", "a\n");
    work.says(&[
        "error unsafe-path src/.GIT/config: src/.GIT/config leads into git's own directory",
    ]);
    assert_eq!(work.details(), serde_json::json!({"reason": "git-dir"}));
    let help = &work.findings()[0].help;
    assert_eq!(
        &*help[1],
        "to leave it out of the commit: git restore --staged -- src/.GIT/config"
    );
    any().delete("src/.GIT/config", "a\n").says(&[]);
    assert_eq!(
        rules(&any().modify("src/.GIT/config", "a\n", "b\n")),
        [Rule::UnsafePath]
    );
    // No setting changes the level.
    let in_range = work_at(Stage::Range).add("src/.GIT/config", "a\n");
    assert_eq!(in_range.findings()[0].help.len(), 1);
}

fn work_at(stage: Stage) -> Work {
    work(stage, ALL, &["`a.rs` | Modify | x"])
}

#[test]
fn links_may_not_leave_the_workspace() {
    for (target, expected) in [
        ("b.rs", None),
        ("../src/b.rs", None),
        ("../../x", Some(Rule::OutsideWorkspace)),
        ("/etc/passwd", Some(Rule::OutsideWorkspace)),
        ("", Some(Rule::UnsafePath)),
        ("out/x", Some(Rule::OutsideWorkspace)),
    ] {
        let work =
            any()
                .beside("src/out", Kind::Symlink, "../..")
                .step("src/l", None, link(target));
        assert_eq!(
            rules(&work),
            expected.into_iter().collect::<Vec<_>>(),
            "{target}"
        );
    }
    // A link whose target was not loaded counts as empty; a file's content is no target.
    let work = any().step("src/l", None, link("b.rs"));
    let mut changes = work.measured();
    changes[0].content = None;
    assert_eq!(work.check(&changes).len(), 1);
    any().add("src/l", "/etc/passwd").says(&[]);
    any().step("src/l", link("/etc/passwd"), None).says(&[]);
    any()
        .step("src/l", link("/etc/passwd"), file("x\n"))
        .says(&[]);
}

#[test]
fn names_that_differ_from_a_link_only_in_case_are_refused() {
    let beside = || {
        any()
            .beside("docs/Link", Kind::Symlink, "x")
            .beside("docs/x", Kind::File, "")
    };
    assert_eq!(
        rules(&beside().add("docs/link/a", "")),
        [Rule::UnsafePath, Rule::PortableName]
    );
    assert_eq!(
        rules(&beside().modify("docs/link/a", "a\n", "b\n")),
        [Rule::UnsafePath]
    );
    beside().add("docs/other/a", "").says(&[]);
    beside().delete("docs/link/a", "").says(&[]);
    // A new link may collide with an older path, which is then reported.
    let older = any()
        .beside("docs/link/a", Kind::File, "")
        .step("docs/Link", None, link("x"));
    let findings = older.findings();
    assert_eq!(findings[0].rule, Rule::UnsafePath);
    assert_eq!(findings[0].path.as_ref().unwrap(), "docs/link/a");
    // An older link and an older path are not this change's work.
    let both = beside().beside("docs/link/a", Kind::File, "").add("b", "");
    both.says(&[]);
    // Each collision is reported once.
    let added = any()
        .step("docs/Link", None, link("x"))
        .add("docs/link/a", "");
    let unsafe_paths = rules(&added)
        .iter()
        .filter(|rule| **rule == Rule::UnsafePath)
        .count();
    assert_eq!(unsafe_paths, 1);
}

#[test]
fn names_that_another_system_reserves_are_warned_of_when_they_are_added() {
    for (path, expected) in [
        ("src/CON", true),
        ("src/nul.txt", true),
        ("src/a.", true),
        ("src/a:b", true),
        ("src/console", false),
    ] {
        let expected: &[Rule] = if expected { &[Rule::PortableName] } else { &[] };
        assert_eq!(rules(&any().add(path, "")), expected, "{path}");
        any().modify(path, "a\n", "b\n").says(&[]);
        any().delete(path, "a\n").says(&[]);
    }
    assert_eq!(any().add("src/CON", "").findings()[0].level, Level::Warning);
    // What is refused everywhere is not warned of.
    assert_eq!(rules(&any().add("src/.git/CON", "")), [Rule::UnsafePath]);
}

#[test]
fn names_that_collide_without_case_are_warned_of() {
    let collide = |one: &str, other: &str, path: &str| {
        format!(
            "warning portable-name {path}: {one} and {other} collide on case-insensitive file systems"
        )
    };
    let beside = |paths: &[&str]| {
        let work = any();
        paths
            .iter()
            .fold(work, |work, path| work.beside(path, Kind::File, ""))
    };
    let work = beside(&["src/a.rs"]).add("src/A.rs", "");
    work.says(&[&collide("src/A.rs", "src/a.rs", "src/A.rs")]);
    work.helps(&["rename one of them"]);
    assert_eq!(
        work.details(),
        serde_json::json!({"reason": "case-collision"})
    );
    // Directories collide, too; of several spellings the smallest is named.
    beside(&["SRC/b.rs"])
        .add("src/a.rs", "")
        .says(&[&collide("src/a.rs", "SRC", "src/a.rs")]);
    beside(&["src/a.RS", "src/A.rs", "src/a.Rs"])
        .add("src/a.rs", "")
        .says(&[&collide("src/a.rs", "src/A.rs", "src/a.rs")]);
    beside(&["src/É.rs"])
        .add("src/é.rs", "")
        .says(&[&collide("src/é.rs", "src/É.rs", "src/é.rs")]);
    // The Kelvin sign is longer than the letter that it folds to.
    beside(&["src/\u{212a}.rs"])
        .add("src/k.rs", "")
        .says(&[&collide("src/k.rs", "src/\u{212a}.rs", "src/k.rs")]);
    beside(&["src/a.rs"])
        .modify("src/A.rs", "a\n", "b\n")
        .says(&[]);
    beside(&["src/a.rs", "b/A.rs"])
        .add("src/b.rs", "")
        .says(&[]);
    let two = any().add("x/a", "").add("x/A", "");
    two.says(&[&collide("x/A", "x/a", "x/A"), &collide("x/a", "x/A", "x/a")]);
    any()
        .delete("src/A.rs", "")
        .beside("src/a.rs", Kind::File, "")
        .says(&[]);
}

#[test]
fn a_directory_of_the_tree_collides_itself() {
    let work = any().beside("Src", Kind::DIRECTORY, "").add("src/a.rs", "");
    work.says(&[
        "warning portable-name src/a.rs: src/a.rs and Src collide on case-insensitive file systems",
    ]);
    let nested = any()
        .beside("src/Sub", Kind::DIRECTORY, "")
        .add("src/sub/a.rs", "");
    nested.says(&["warning portable-name src/sub/a.rs: src/sub/a.rs and src/Sub collide on case-insensitive file systems"]);
}

/// A person sees no difference between the two names.
#[test]
fn a_name_in_another_unicode_form_is_said_to_be_one() {
    let composed = "docs/M\u{fc}ller.md";
    let decomposed = "docs/Mu\u{308}ller.md";
    for (granted, path, form, in_design) in [
        (composed, decomposed, "NFD", "NFC"),
        (decomposed, composed, "NFC", "NFD"),
    ] {
        let row = format!("`{granted}` | Add | x");
        let work = |stage| work(stage, "", &[&row]).add(path, "a\n");
        let message = format!(
            "error out-of-scope {path}: {path} is not in the design, which has this name in another Unicode form"
        );
        work(Stage::Commit).says(&[&message]);
        let name = |form| match form {
            "NFC" => "the composed form (NFC)",
            _ => "the decomposed form (NFD)",
        };
        for (stage, owner) in [(Stage::Commit, "git"), (Stage::Request, "the request")] {
            let help = work(stage).findings()[0].help[0].to_string();
            let expected = format!(
                "the two names look alike but differ in their Unicode form: {owner} has {}, the design {}",
                name(form),
                name(in_design)
            );
            assert_eq!(help, expected);
        }
        let finding = &work(Stage::Commit).findings()[0];
        assert_eq!(finding.closest, Some(granted.into()));
        assert_eq!(finding.details["unicode_form"], form);
        assert_eq!(finding.details["unicode_form_in_design"], in_design);
        assert!(finding.help[1].starts_with("give the file the name that the design has, or add"));
    }
    // Another name is no other form.
    let work = commit("", &["`docs/M\u{fc}ller.md` | Add | x"]).add("docs/Muller.md", "a\n");
    work.says(&["error out-of-scope docs/Muller.md: docs/Muller.md is not in the design"]);
}
