//! Finds the granted path closest to one that is not granted: the same file name elsewhere, else the most similar path.
//! Below a threshold nothing is suggested.

use bstr::{BStr, BString, ByteSlice};

use super::Scope;
use super::similarity::Folded;
use super::{Actions, Grant, GrantKind};

/// The weights of the file name and of the directory.
const NAME: f64 = 0.65;
const DIRECTORY: f64 = 0.35;

/// The least similarity of a suggested path.
const MIN_PATH: f64 = 0.55;

/// Names that every directory may have, and so say nothing.
const COMMON_NAMES: &[&str] = &[
    "__init__.py",
    "mod.rs",
    "index.js",
    "index.ts",
    "index.tsx",
    "package.json",
    "cargo.toml",
    "readme.md",
];

/// A granted path close to one that is not granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closest<'a> {
    /// The suggested path. For a directory grant: the file name in that directory.
    pub path: BString,
    /// The grant that permits it.
    pub grant: &'a Grant,
}

/// The granted path closest to `path` whose grant permits `wanted`; `None` if `path` is granted or nothing is close.
/// Ties go to the smaller path.
///
/// Globs are never suggested. For a new file, only a path of an Add row or one where nothing `exists` is suggested:
/// a module that is there already is not the file that was meant.
pub fn closest<'a>(
    scope: &'a Scope,
    path: &BStr,
    wanted: Actions,
    exists: impl Fn(&BStr) -> bool,
) -> Option<Closest<'a>> {
    if !scope.lookup(path).is_empty() || !scope.may_compare_all() {
        return None;
    }
    let (directory, name) = parts(path);
    let is_common = COMMON_NAMES
        .iter()
        .any(|common| name.eq_ignore_ascii_case(common.as_bytes()));
    let mut directories = DirectorySimilarity::to(directory);
    let folded_name = Folded::new(name);
    let mut best: Option<(f64, &Grant)> = None;
    let names = scope.names.get_or_init(|| folded_names(scope));
    for (grant, folded) in scope.grants().iter().zip(names) {
        let least = best.map_or(MIN_PATH, |(most, _)| most);
        let (other, other_name) = parts(grant.path.as_ref());
        let score = match grant.kind {
            GrantKind::Glob => 0.0,
            GrantKind::Directory => directories.of(grant.path.as_ref()),
            GrantKind::File if name == other_name => match directories.of(other) {
                0.0 if is_common => 0.0,
                similarity => 1.0 + similarity,
            },
            // A bare name says nothing about directories.
            GrantKind::File if directory.is_empty() && !other.is_empty() => {
                folded_name.similarity(folded, least)
            }
            // Not even with the same directory.
            GrantKind::File if folded_name.bound(folded) < (least - DIRECTORY) / NAME => 0.0,
            GrantKind::File => {
                let of_directory = DIRECTORY * directories.of(other);
                let least_of_name = (least - of_directory) / NAME;
                NAME * folded_name.similarity(folded, least_of_name) + of_directory
            }
        };
        let is_best =
            best.is_none_or(|(most, previous)| (score, &previous.path) >= (most, &grant.path));
        // Whether a file exists takes longest to say.
        if score >= MIN_PATH && is_best && may_be_meant(grant, wanted, &exists) {
            best = Some((score, grant));
        }
    }
    let (_, grant) = best?;
    let suggested = suggested_path(grant, name);
    let is_denied = scope.denial(suggested.as_ref()).is_some();
    (!is_denied).then_some(Closest {
        path: suggested,
        grant,
    })
}

/// Whether the grant permits what is wanted, and its file is not one that was there before.
fn may_be_meant(grant: &Grant, wanted: Actions, exists: impl Fn(&BStr) -> bool) -> bool {
    let is_new = wanted == Actions::ADD && grant.kind == GrantKind::File;
    if is_new && grant.actions.contains(Actions::MODIFY) {
        !exists(grant.path.as_ref())
    } else {
        grant.actions.contains(wanted)
    }
}

/// How similar directories are to one. The last answer is kept, since rows next to each other often have the same
/// directory.
struct DirectorySimilarity<'a> {
    wanted: Folded,
    last: &'a BStr,
    similarity: f64,
}

impl<'a> DirectorySimilarity<'a> {
    fn to(wanted: &'a BStr) -> DirectorySimilarity<'a> {
        DirectorySimilarity {
            wanted: Folded::new(wanted),
            last: wanted,
            similarity: 1.0,
        }
    }

    fn of(&mut self, other: &'a BStr) -> f64 {
        if self.last != other {
            self.last = other;
            self.similarity = self.wanted.similarity(&Folded::new(other), 0.0);
        }
        self.similarity
    }
}

/// The path of a grant or, in a directory, of the file with this name.
fn suggested_path(grant: &Grant, name: &BStr) -> BString {
    match grant.kind {
        GrantKind::Directory => [grant.path.as_slice(), b"/", name].concat().into(),
        _ => grant.path.clone(),
    }
}

/// The file name of each grant.
fn folded_names(scope: &Scope) -> Vec<Folded> {
    let paths = scope.grants().iter().map(|grant| grant.path.as_ref());
    paths.map(|path| Folded::new(parts(path).1)).collect()
}

/// The directory and the file name.
fn parts(path: &BStr) -> (&BStr, &BStr) {
    let (directory, name) = path.rsplit_once_str("/").unwrap_or((b"", path));
    (directory.into(), name.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::testing::grant;

    fn scope(paths: &[&str]) -> Scope {
        Scope::new(
            paths
                .iter()
                .map(|path| grant(path, Actions::MODIFY))
                .collect(),
        )
    }

    fn ask(paths: &[&str], path: &str) -> Option<String> {
        closest(&scope(paths), path.into(), Actions::MODIFY, |_| false)
            .map(|found| found.path.to_string())
    }

    fn some(path: &str) -> Option<String> {
        Some(path.to_owned())
    }

    #[test]
    fn az_17_requirement_002_scenario_070_the_same_name_elsewhere() {
        assert_eq!(
            ask(&["utils/lld.py", "cli/main.py"], "core/lld.py"),
            some("utils/lld.py")
        );
    }

    #[test]
    fn az_16_a_granted_path_has_no_closest() {
        assert_eq!(ask(&["utils/lld.py", "x/"], "utils/lld.py"), None);
        assert_eq!(ask(&["utils/lld.py", "core/"], "core/lld.py"), None);
    }

    #[test]
    fn az_18_and_az_19_nothing_is_suggested_if_nothing_is_close() {
        assert_eq!(ask(&["src/completely/different.py"], "xyz.txt"), None);
        assert_eq!(ask(&[], "any/path.py"), None);
        assert_eq!(ask(&["src/a.rs", "README.md"], "Makefile"), None);
    }

    #[test]
    fn az_20_the_best_of_several() {
        let scope = [
            "core/config.py",
            "core/lld_verification.py",
            "core/audit.py",
        ];
        assert_eq!(
            ask(&scope, "lld_verifier.py"),
            some("core/lld_verification.py")
        );
    }

    #[test]
    fn of_several_same_names_the_one_with_the_closest_directory() {
        assert_eq!(
            ask(
                &["a/x/y/io.rs", "src/net/io.rs", "src/db/io.rs"],
                "src/nett/io.rs"
            ),
            some("src/net/io.rs")
        );
    }

    #[test]
    fn equally_close_paths_go_by_their_order() {
        let expected = some("a/io.rs");
        assert_eq!(ask(&["b/io.rs", "a/io.rs"], "zzz/io.rs"), expected);
        assert_eq!(ask(&["a/io.rs", "b/io.rs"], "zzz/io.rs"), expected);
    }

    #[test]
    fn common_file_name_needs_a_related_directory() {
        assert_eq!(ask(&["far/away/__init__.py"], "core/x/__init__.py"), None);
        assert_eq!(
            ask(&["core/y/__init__.py"], "core/x/__init__.py"),
            some("core/y/__init__.py")
        );
    }

    #[test]
    fn a_sibling_of_another_type_and_name_is_not_close() {
        assert_eq!(ask(&["src/db/zebra.rs"], "src/db/notes.txt"), None);
        assert_eq!(
            ask(&["src/db/note.rs"], "src/db/notes.txt"),
            some("src/db/note.rs")
        );
    }

    #[test]
    fn names_that_differ_in_case_or_separators_are_found() {
        for (granted, asked) in [
            ("src/LldPath.py", "lib/lld-path.py"),
            ("src/Makefile", "src/makefile"),
        ] {
            assert_eq!(ask(&[granted], asked), some(granted));
        }
    }

    #[test]
    fn a_misspelt_directory_is_found() {
        assert_eq!(
            ask(
                &["assemblyzero/core/audit_log.py", "x/y.py"],
                "asemblyzero/core/auditlog.py"
            ),
            some("assemblyzero/core/audit_log.py")
        );
    }

    #[test]
    fn a_granted_directory_offers_the_name_in_it() {
        assert_eq!(
            ask(&["src/storage/"], "src/storge/index.rs"),
            some("src/storage/index.rs")
        );
        assert_eq!(ask(&["docs/"], "src/index.rs"), None);
    }

    #[test]
    fn globs_and_rows_without_an_action_are_not_offered() {
        assert_eq!(ask(&["src/*.rs"], "srcs/a.rs"), None);
        let named = Scope::new(vec![grant("utils/lld.py", Actions::NONE)]);
        assert_eq!(
            closest(&named, "core/lld.py".into(), Actions::ADD, |_| false),
            None
        );
    }

    #[test]
    fn only_a_path_whose_grant_permits_the_action_is_offered() {
        let scope = Scope::new(vec![
            grant("a/store.rs", Actions::DELETE),
            grant("b/store.rs", Actions::MODIFY),
            grant("c/store.rs", Actions::ADD),
            grant("d/store.rs", Actions::SYMLINK),
        ]);
        let offered = |wanted| {
            let found = closest(&scope, "x/store.rs".into(), wanted, |_| false);
            found.map(|found| found.path.to_string())
        };
        let is = |path: &str| Some(path.to_owned());
        assert_eq!(offered(Actions::DELETE), is("a/store.rs"));
        assert_eq!(offered(Actions::MODIFY), is("b/store.rs"));
        assert_eq!(offered(Actions::ADD), is("b/store.rs"));
        assert_eq!(offered(Actions::SYMLINK), is("d/store.rs"));
        assert_eq!(offered(Actions::SUBMODULE), None);
    }

    #[test]
    fn documents_are_not_suggested_for_code_elsewhere() {
        assert_eq!(ask(&["docs/cli.rst"], "flask/cli.py"), None);
        assert_eq!(ask(&["docs/flask/cli.rst"], "flask/cli.py"), None);
        assert_eq!(ask(&["web/cli.js"], "flask/cli.py"), None);
        assert_eq!(
            ask(&["docs/cli.rst", "flask/clis.py"], "flask/cli.py"),
            some("flask/clis.py")
        );
        // Sources in another language, next to each other.
        assert_eq!(
            ask(&["src/web/app.ts"], "src/wep/app.tsx"),
            some("src/web/app.ts")
        );
    }

    #[test]
    fn right_path_is_found_among_many() {
        let words = [
            "parse", "token", "frame", "index", "cache", "route", "query", "event",
        ];
        let word = |n: usize| words[n % words.len()];
        let paths: Vec<_> = (0..2_000)
            .map(|n| {
                format!(
                    "src/{}_{}/{}_{}_{n}.rs",
                    word(n),
                    n % 50,
                    word(n / 8),
                    word(n / 64)
                )
            })
            .collect();
        let paths: Vec<_> = paths.iter().map(String::as_str).collect();
        let scope = scope(&paths);
        for path in paths.iter().step_by(297) {
            let typo = path.replacen("src/", "scr/", 1).replacen(".rs", "x.rs", 1);
            let found = closest(&scope, typo.as_str().into(), Actions::ADD, |_| false)
                .map(|found| found.path.to_string());
            assert_eq!(found.as_deref(), Some(*path));
        }
    }

    #[test]
    fn after_many_comparisons_nothing_is_suggested() {
        let scope = scope(&["a/store.rs"]);
        let is_found =
            || closest(&scope, "b/store.rs".into(), Actions::MODIFY, |_| false).is_some();
        assert!(is_found());
        while scope.may_compare_all() {}
        assert!(!is_found());
    }

    #[test]
    fn very_long_and_odd_paths_are_handled() {
        let scope = scope(&["src/a.rs"]);
        for path in [
            "",
            "/",
            "a/".repeat(5_000).as_str(),
            "x".repeat(100_000).as_str(),
        ] {
            assert_eq!(closest(&scope, path.into(), Actions::ADD, |_| false), None);
        }
        assert_eq!(
            closest(&scope, b"\xff\xfe".as_bstr(), Actions::ADD, |_| false),
            None
        );
    }

    #[test]
    fn a_bare_name_is_compared_with_names_alone_and_the_root_with_its_directory() {
        assert_eq!(ask(&["abce.rs", "x/abcd2.rs"], "abcd.rs"), some("abce.rs"));
    }

    #[test]
    fn names_of_more_than_a_thousand_bytes_are_not_compared() {
        for (length, is_close) in [(997, true), (998, false), (1_002, false)] {
            let name = |last: &str| format!("{}{last}", "a".repeat(length - 1));
            let row = format!("srcx/{}.rs", name("x"));
            let found = ask(&[&row], &format!("srcy/{}.rs", name("y")));
            assert_eq!(found.is_some(), is_close, "{length}");
        }
    }

    #[test]
    fn a_new_file_is_suggested_only_where_a_row_adds_one_or_nothing_exists() {
        for (actions, exists, expected) in [
            (Actions::ADD, false, true),
            (Actions::ADD, true, true),
            (Actions::MODIFY, false, true),
            (Actions::MODIFY, true, false),
            (Actions::ADD | Actions::MODIFY, false, true),
            (Actions::ADD | Actions::MODIFY, true, false),
            (Actions::DELETE, false, false),
        ] {
            let scope = Scope::new(vec![grant("utils/lld.py", actions)]);
            let found = closest(&scope, "core/lld.py".into(), Actions::ADD, |_| exists);
            assert_eq!(found.is_some(), expected, "{actions:?} {exists}");
        }
    }
}
