//! Files that several designs name. Each plan may be right alone, and the work still meets at the merge.

use std::collections::{BTreeMap, BTreeSet};

use bstr::{BStr, BString, ByteSlice};

use super::glob::Glob;
use super::grant::{Actions, Grant, GrantKind};

/// One row that names a path of an [`Overlap`], directly or by a directory or glob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim<'a> {
    /// The position of its design among those compared.
    pub design: usize,
    /// The row's grant.
    pub grant: &'a Grant,
}

/// A path that at least two designs name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap<'a> {
    /// The file, or the directory or glob where no row names a file.
    pub path: BString,
    /// What the path is.
    pub kind: GrantKind,
    /// In the order of the designs.
    pub claims: Vec<Claim<'a>>,
}

impl Overlap<'_> {
    /// Whether two designs add the same file: the second one finds it there.
    pub fn adds_twice(&self) -> bool {
        let adding = self.claims.iter().filter(|claim| {
            let actions = claim.grant.actions;
            claim.grant.kind == GrantKind::File
                && actions.contains(Actions::ADD)
                && !actions.contains(Actions::MODIFY)
        });
        adding
            .map(|claim| claim.design)
            .collect::<BTreeSet<usize>>()
            .len()
            > 1
    }
}

/// The paths that at least two designs name, in order. Files meet files, and the directories and globs around them;
/// directories meet those around them, and a glob the same glob.
pub fn overlaps<'a>(designs: &[&'a [Grant]]) -> Vec<Overlap<'a>> {
    let mut rows: BTreeMap<(&'a BStr, u8), Vec<Claim<'a>>> = BTreeMap::new();
    let mut globs = Vec::new();
    for (design, grants) in designs.iter().enumerate() {
        for grant in *grants {
            let claim = Claim { design, grant };
            let place = (grant.path.as_bstr(), order(grant.kind));
            rows.entry(place).or_default().push(claim);
            if grant.kind == GrantKind::Glob
                && let Ok(glob) = Glob::new(grant.path.as_ref())
            {
                globs.push((glob, claim));
            }
        }
    }
    let mut found = Vec::new();
    for ((path, _), own) in &rows {
        let kind = own[0].grant.kind;
        let mut claims = own.clone();
        if kind != GrantKind::Glob {
            for end in path.find_iter("/") {
                let above = (path[..end].as_bstr(), order(GrantKind::Directory));
                claims.extend(rows.get(&above).into_iter().flatten());
            }
        }
        if kind == GrantKind::File {
            let matching = globs.iter().filter(|(glob, _)| glob.matches(path));
            claims.extend(matching.map(|(_, claim)| *claim));
        }
        claims.sort_by_key(|claim| claim.design);
        if claims.first().map(|claim| claim.design) != claims.last().map(|claim| claim.design) {
            found.push(Overlap {
                path: path.to_owned().to_owned(),
                kind,
                claims,
            });
        }
    }
    found
}

/// Two rows may name the same path as a file and as a directory.
fn order(kind: GrantKind) -> u8 {
    match kind {
        GrantKind::File => 0,
        GrantKind::Directory => 1,
        GrantKind::Glob => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    fn named(designs: &[&[Grant]]) -> Vec<(String, Vec<usize>, bool)> {
        let found = overlaps(designs).into_iter().map(|overlap| {
            let adds_twice = overlap.adds_twice();
            let claims = overlap.claims.iter().map(|claim| claim.design).collect();
            (overlap.path.to_string(), claims, adds_twice)
        });
        found.collect()
    }

    #[test]
    fn files_meet_files_directories_and_globs() {
        let file = |path| testing::grant(path, Actions::MODIFY);
        let first = [
            file("src/a.rs"),
            file("src/only.rs"),
            file("docs/x.md"),
            testing::grant("lib/", Actions::MODIFY),
        ];
        let second = [
            file("src/a.rs"),
            testing::grant("docs/*.md", Actions::MODIFY),
            file("lib/deep/b.rs"),
            file("libs.rs"),
        ];
        let third = [testing::grant("lib/deep/", Actions::MODIFY)];
        let expected = [
            ("docs/x.md".to_owned(), vec![0, 1], false),
            ("lib/deep".to_owned(), vec![0, 2], false),
            ("lib/deep/b.rs".to_owned(), vec![0, 1, 2], false),
            ("src/a.rs".to_owned(), vec![0, 1], false),
        ];
        assert_eq!(named(&[&first, &second, &third]), expected);
        assert_eq!(named(&[&first]), []);
        assert_eq!(named(&[&first, &third[..0]]), []);
    }

    #[test]
    fn file_directory_and_glob_of_one_name_are_three_paths() {
        let file = testing::grant("lib", Actions::MODIFY);
        let directory = testing::grant("lib/", Actions::MODIFY);
        let glob = testing::grant("l*b", Actions::MODIFY);
        let of_kind = |kind| Grant {
            kind,
            ..glob.clone()
        };
        let as_file = of_kind(GrantKind::File);
        let as_directory = of_kind(GrantKind::Directory);
        let named = |one: &Grant, other: &Grant| {
            named(&[std::slice::from_ref(one), std::slice::from_ref(other)])
        };
        for (one, other) in [
            (&file, &directory),
            (&as_file, &as_directory),
            (&as_directory, &glob),
        ] {
            assert_eq!(named(one, other), [], "{one:?} {other:?}");
        }
        // A glob matches the file that has its text as its name.
        for one in [&file, &as_file] {
            let expected = [(one.path.to_string(), vec![0, 1], false)];
            assert_eq!(named(one, &glob), expected);
        }
    }

    #[test]
    fn two_rows_that_add_one_file_are_told_apart_from_others() {
        let grant = |actions| [testing::grant("a.rs", actions)];
        let add = grant(Actions::ADD | Actions::MODIFY_NEW);
        let untyped = grant(Actions::ADD | Actions::MODIFY);
        let modify = grant(Actions::MODIFY);
        let one = |other: &[Grant]| named(&[&add, other])[0].2;
        assert!(one(&add));
        assert!(!one(&untyped) && !one(&modify));
        // One design may name it twice.
        let twice = [add[0].clone(), add[0].clone()];
        assert!(!named(&[&twice, &modify])[0].2);
    }
}
