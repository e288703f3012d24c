//! Finds the granted path closest to one that is not granted.
//!
//! Candidates in order: the same file name elsewhere; the same name apart from case, separators, accents or
//! look-alike letters; the same directory; similar path segments. Below a threshold nothing is suggested.

use gix::bstr::{BStr, BString};

pub use super::closest_index::Closeness;
use super::closest_index::ClosestCandidate;
use super::path_name::PathName;
use super::scope::Scope;
use super::{Actions, Grant, GrantKind};

/// A granted path close to one that is not granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closest<'a> {
    /// The suggested path. For a directory grant: the file name in that directory.
    pub path: BString,
    /// The grant that permits it.
    pub grant: &'a Grant,
    /// Why it is close.
    pub why: Closeness,
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
    if !scope.lookup(path).is_empty() {
        return None;
    }
    let index = scope.closest_index();
    let asked = PathName::new(path);
    let permits = |candidate: &ClosestCandidate| {
        let grant = &scope.grants()[candidate.grant];
        let granted = grant.actions;
        if wanted != Actions::ADD || grant.kind == GrantKind::Directory {
            return granted.contains(wanted);
        }
        let may_modify = granted.contains(Actions::MODIFY);
        let is_to_add = granted.contains(wanted) && !may_modify;
        is_to_add || may_modify && !exists(grant.path.as_ref())
    };
    let (candidate, why) = index
        .same_name(&asked, permits)
        .or_else(|| index.same_directory(&asked, permits))
        .or_else(|| index.similar(&asked, permits))?;
    let grant = &scope.grants()[candidate.grant];
    let path = match grant.kind {
        GrantKind::Directory => [grant.path.as_slice(), b"/", asked.base.as_slice()]
            .concat()
            .into(),
        _ => grant.path.clone(),
    };
    Some(Closest { path, grant, why })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use gix::bstr::ByteSlice;

    use super::super::closest_index::MANY;
    use super::*;
    use crate::policy::testing::grant;

    fn scope(paths: &[&str]) -> Scope {
        Scope::new(
            paths
                .iter()
                .map(|path| grant(path, Actions::MODIFY))
                .collect(),
        )
    }

    fn ask(paths: &[&str], path: &str) -> Option<(String, Closeness)> {
        closest(&scope(paths), path.into(), Actions::MODIFY, |_| false)
            .map(|found| (found.path.to_string(), found.why))
    }

    fn some(path: &str, why: Closeness) -> Option<(String, Closeness)> {
        Some((path.to_owned(), why))
    }

    #[test]
    fn az_17_requirement_002_scenario_070_the_same_name_elsewhere() {
        assert_eq!(
            ask(&["utils/lld.py", "cli/main.py"], "core/lld.py"),
            some("utils/lld.py", Closeness::SameName)
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
            some("core/lld_verification.py", Closeness::Similar)
        );
    }

    #[test]
    fn the_same_name_comes_first_then_the_directory_then_similarity() {
        let scope = ["far/away/store.rs", "src/db/zebra.rs", "src/dbs/stores.rs"];
        assert_eq!(
            ask(&scope, "src/db/store.rs"),
            some("far/away/store.rs", Closeness::SameName)
        );
        assert_eq!(
            ask(&scope[1..], "src/db/store.rs"),
            some("src/db/zebra.rs", Closeness::SameDirectory)
        );
        assert_eq!(
            ask(&scope[2..], "src/db/store.rs"),
            some("src/dbs/stores.rs", Closeness::Similar)
        );
    }

    #[test]
    fn of_several_same_names_the_one_with_the_closest_directory() {
        assert_eq!(
            ask(
                &["a/x/y/io.rs", "src/net/io.rs", "src/db/io.rs"],
                "src/nett/io.rs"
            ),
            some("src/net/io.rs", Closeness::SameName)
        );
    }

    #[test]
    fn equally_close_paths_go_by_their_order() {
        let expected = some("a/io.rs", Closeness::SameName);
        assert_eq!(ask(&["b/io.rs", "a/io.rs"], "zzz/io.rs"), expected);
        assert_eq!(ask(&["a/io.rs", "b/io.rs"], "zzz/io.rs"), expected);
    }

    #[test]
    fn common_file_name_needs_a_related_directory() {
        assert_eq!(ask(&["far/away/__init__.py"], "core/x/__init__.py"), None);
        assert_eq!(
            ask(&["core/y/__init__.py"], "core/x/__init__.py"),
            some("core/y/__init__.py", Closeness::SameName)
        );
    }

    #[test]
    fn a_sibling_of_another_type_and_name_is_not_close() {
        assert_eq!(ask(&["src/db/zebra.rs"], "src/db/notes.txt"), None);
        assert_eq!(
            ask(&["src/db/note.rs"], "src/db/notes.txt"),
            some("src/db/note.rs", Closeness::SameDirectory)
        );
    }

    #[test]
    fn look_alike_names_are_found() {
        for (granted, asked) in [
            ("src/café.py", "lib/cafe\u{301}.py"),
            ("src/é.py", "src/e\u{301}.py"),
            ("src/app.py", "src/\u{430}pp.py"),
            ("src/LldPath.py", "lib/lld-path.py"),
            ("src/Makefile", "src/makefile"),
        ] {
            assert_eq!(ask(&[granted], asked), some(granted, Closeness::Similar));
        }
    }

    #[test]
    fn a_misspelt_directory_is_found() {
        assert_eq!(
            ask(
                &["assemblyzero/core/audit_log.py", "x/y.py"],
                "asemblyzero/core/auditlog.py"
            ),
            some("assemblyzero/core/audit_log.py", Closeness::Similar)
        );
    }

    #[test]
    fn a_granted_directory_offers_the_name_in_it() {
        assert_eq!(
            ask(&["src/storage/"], "src/storge/index.rs"),
            some("src/storage/index.rs", Closeness::Similar)
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
    fn a_manifest_of_the_same_name_above_or_below_is_close() {
        for (granted, asked) in [
            ("ignore/Cargo.toml", "Cargo.toml"),
            ("Cargo.toml", "ignore/Cargo.toml"),
            ("a/package.json", "a/b/package.json"),
        ] {
            assert_eq!(ask(&[granted], asked), some(granted, Closeness::SameName));
        }
    }

    #[test]
    fn documents_are_not_suggested_for_code_elsewhere() {
        assert_eq!(ask(&["docs/cli.rst"], "flask/cli.py"), None);
        assert_eq!(ask(&["docs/flask/cli.rst"], "flask/cli.py"), None);
        assert_eq!(ask(&["web/cli.js"], "flask/cli.py"), None);
        assert_eq!(
            ask(&["docs/cli.rst", "flask/clis.py"], "flask/cli.py"),
            some("flask/clis.py", Closeness::SameDirectory)
        );
        // Sources in another language, next to each other.
        assert_eq!(
            ask(&["src/web/app.ts"], "src/wep/app.tsx"),
            some("src/web/app.ts", Closeness::Similar)
        );
    }

    #[test]
    fn right_path_is_found_among_ten_thousand() {
        let words = [
            "parse", "token", "frame", "index", "cache", "route", "query", "event",
        ];
        let word = |n: usize| words[n % words.len()];
        let paths: Vec<_> = (0..10_000)
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
        for path in paths.iter().step_by(997) {
            let typo = path.replacen("src/", "scr/", 1).replacen(".rs", "x.rs", 1);
            let found = closest(&scope, typo.as_str().into(), Actions::ADD, |_| false)
                .map(|found| found.path.to_string());
            assert_eq!(found.as_deref(), Some(*path));
        }
    }

    #[test]
    fn after_many_lookups_only_names_and_directories_are_compared() {
        let others: Vec<String> = (0..2 * MANY).map(|n| format!("b/t{n}.rs")).collect();
        let others = others.iter().map(String::as_str);
        let scope = scope(&others.chain(["a/store.rs"]).collect::<Vec<_>>());
        let offered = |path: &str| {
            let found = closest(&scope, path.into(), Actions::MODIFY, |_| false);
            found.map(|found| found.path.to_string())
        };
        assert_eq!(offered("aa/stores.rs").as_deref(), Some("a/store.rs"));
        scope.closest_index().looks.store(2, Relaxed);
        assert_eq!(offered("aa/stores.rs"), None);
        assert_eq!(offered("x/store.rs").as_deref(), Some("a/store.rs"));
        assert_eq!(offered("b/t7x.rs").as_deref(), Some("b/t7.rs"));
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
}
