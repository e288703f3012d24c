//! Tests of the test harness itself.

use crate::common::{self, Repo, SOURCE};

#[test]
fn callers_environment_does_not_reach_commands() {
    let repo = Repo::new();
    let environment = common::run(&mut repo.command("env")).exits(0).stdout;
    let leaked: Vec<_> = environment
        .lines()
        .filter(|line| {
            [
                "GUARD_",
                "PRE_COMMIT",
                "PREK_",
                "CI=",
                "GIT_DIR=",
                "GIT_INDEX_FILE=",
            ]
            .iter()
            .any(|name| line.starts_with(name))
        })
        .collect();
    assert!(leaked.is_empty(), "{leaked:?}");
    assert_eq!(
        repo.git(&["var", "GIT_AUTHOR_IDENT"]),
        "A U Thor <author@example.com> 1767225600 +0000"
    );
}

#[test]
fn hand_written_index_is_readable_by_git() {
    for options in [&[][..], &["--object-format=sha256"][..]] {
        let repo = Repo::init(options);
        repo.stage("kept.txt", "kept\n");
        repo.stage("replaced.txt", "old\n");
        let blob = repo.blob(b"new\n");
        repo.stage_raw(&[
            (0o100644, blob, b".git/hooks/pre-commit"),
            (0o100755, blob, b"replaced.txt"),
            (0o120000, blob, b"a\nb\xff"),
        ]);
        let listing = repo.git(&["ls-files", "--stage"]);
        let entry = |mode, name| format!("{mode} {blob} 0\t{name}");
        assert_eq!(
            listing.lines().collect::<Vec<_>>(),
            [
                entry("100644", ".git/hooks/pre-commit"),
                entry("120000", r#""a\nb\377""#),
                format!("100644 {} 0\tkept.txt", repo.blob(b"kept\n")),
                entry("100755", "replaced.txt"),
            ]
        );

        // Such a path can also be part of HEAD.
        repo.commit("Add hostile paths");
        let tree = repo.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
        assert!(tree.starts_with(".git/hooks/pre-commit\n"), "{tree}");
    }
}

#[test]
fn every_file_of_tests_is_a_module_of_the_program() {
    let main = std::fs::read_to_string(format!("{SOURCE}/tests/main.rs")).unwrap();
    let named: Vec<_> = main
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    let files = std::fs::read_dir(format!("{SOURCE}/tests")).unwrap();
    let missing: Vec<_> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter_map(|file| Some(file.strip_suffix(".rs")?.to_owned()))
        // src/lib.rs includes `pure`, for .ci/mutants.
        .filter(|name| !["main", "pure"].contains(&&**name) && !named.contains(&name.as_str()))
        .collect();
    assert!(missing.is_empty(), "tests/main.rs lacks: {missing:?}");
}
