//! Paths that a design takes out of the scope, whatever else grants them.

use std::collections::{BTreeSet, HashMap};

use bstr::{BStr, BString, ByteSlice};

use super::GrantKind;
use super::glob::{Glob, directory_above};
use crate::finding::Anchor;

named! {
    /// What takes a path out of the scope.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum DenialSource {
        /// `forbidden_paths` or `forbidden_files` in the front matter. It takes away what the rows of its own design,
        /// standing designs and `[scope] always` grant.
        FrontMatter = "front-matter",
        /// A row that says DO NOT MODIFY. It takes away every grant.
        Row = "row",
    }
}

/// A path, directory or glob that a design forbids to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// The path, normalised like a grant's.
    pub path: BString,
    /// The kind of `path`.
    pub kind: GrantKind,
    /// What says so.
    pub source: DenialSource,
    /// The remark of a row on one line, or empty.
    pub description: String,
    /// The place of the path in the document.
    pub anchor: Anchor,
}

/// The document that a row or a denial stands in, as far as denials tell documents apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Owner {
    /// The number of its design. The documents of one directory are one design.
    pub(super) design: usize,
    /// Whether it joins every other design.
    pub(super) is_standing: bool,
}

/// The denials in force, and how to look them up. As in `.gitignore`, a denial covers everything below its path, too: the
/// author of `forbidden_paths: [migrations]` means the files.
#[derive(Debug, Clone, Default)]
pub(super) struct Denials {
    denials: Vec<(Denial, Owner)>,
    /// Places in `denials` of files and directories, by path.
    named: HashMap<BString, Vec<usize>>,
    /// Places in `denials` of globs, by their text.
    by_glob: HashMap<BString, Vec<usize>>,
    /// Compiled globs with their places in `denials`.
    globs: Vec<(usize, Glob)>,
}

impl Denials {
    pub(super) fn push(&mut self, denial: Denial, owner: Owner) {
        let place = self.denials.len();
        let path = denial.path.clone();
        if denial.kind == GrantKind::Glob {
            let with_below: BString = [path.as_slice(), b"{,/**}"].concat().into();
            // A glob near the limits has no room for more.
            let glob = Glob::new(with_below.as_ref()).or_else(|_| Glob::new(path.as_ref()));
            self.globs.extend(glob.map(|glob| (place, glob)));
            self.by_glob.entry(path).or_default().push(place);
        } else {
            self.named.entry(path).or_default().push(place);
        }
        self.denials.push((denial, owner));
    }

    /// All denials that cover a path, the narrowest first.
    fn covering(&self, path: &BStr) -> impl Iterator<Item = &(Denial, Owner)> {
        let slashes = path.rfind_iter("/");
        let above = std::iter::once(path.len()).chain(slashes);
        let named = above
            .filter(|_| !self.named.is_empty())
            .filter_map(|end| self.named.get(&path[..end]))
            .flatten()
            .copied();
        let globs = self.globs.iter().filter(|(_, glob)| glob.matches(path));
        let globs = globs.map(|(place, _)| *place);
        named.chain(globs).map(|place| &self.denials[place])
    }

    /// The denial of a path that counts first: a row's before those of front matters.
    pub(super) fn first(&self, path: &BStr) -> Option<&Denial> {
        let first = self
            .covering(path)
            .find(|one| one.0.source == DenialSource::Row);
        let first = first.or_else(|| self.covering(path).next());
        first.map(|(denial, _)| denial)
    }

    /// The grants that denials take away at one path.
    pub(super) fn taken_at(&self, path: &BStr) -> TakenGrants {
        let mut taken = TakenGrants::default();
        for (denial, owner) in self.covering(path) {
            taken.by(denial.source, *owner);
        }
        taken
    }

    /// The grants that denials take away everywhere that this path, directory or glob covers.
    pub(super) fn taken_below(&self, path: &BStr, kind: GrantKind) -> TakenGrants {
        let directory = match kind {
            GrantKind::File => return self.taken_at(path),
            GrantKind::Directory => path,
            GrantKind::Glob => directory_above(path),
        };
        // No file has this name, so only stars match it.
        let any_name: &[u8] = if directory.is_empty() {
            b"\x01"
        } else {
            b"/\x01"
        };
        let inside: BString = [directory.as_bytes(), any_name].concat().into();
        let mut taken = self.taken_at(inside.as_ref());
        if kind == GrantKind::Glob {
            for place in self.by_glob.get(path).into_iter().flatten() {
                let (denial, owner) = &self.denials[*place];
                taken.by(denial.source, *owner);
            }
        }
        taken
    }

    /// The denials that `other` lacks, or has in a weaker form.
    pub(super) fn beyond<'a>(&'a self, other: &'a Denials) -> impl Iterator<Item = &'a Denial> {
        let denials = self.denials.iter().map(|(denial, _)| denial);
        denials.filter(|denial| !other.has(denial))
    }

    /// Whether a denial of the same path is at least as strong.
    fn has(&self, denial: &Denial) -> bool {
        let places = match denial.kind {
            GrantKind::Glob => self.by_glob.get(&denial.path),
            GrantKind::File | GrantKind::Directory => self.named.get(&denial.path),
        };
        places.into_iter().flatten().any(|place| {
            let source = self.denials[*place].0.source;
            source == denial.source || source == DenialSource::Row
        })
    }
}

/// The grants that denials take away.
#[derive(Debug, Default)]
pub(super) struct TakenGrants {
    /// Whether a row takes away all.
    all: bool,
    /// The designs whose front matter takes away their own grants and those of standing designs.
    designs: BTreeSet<usize>,
}

impl TakenGrants {
    fn by(&mut self, source: DenialSource, owner: Owner) {
        match source {
            DenialSource::Row => self.all = true,
            DenialSource::FrontMatter => {
                self.designs.insert(owner.design);
            }
        }
    }

    /// Whether the grants of this document are among them.
    pub(super) fn of(&self, owner: Owner) -> bool {
        self.all
            || !self.designs.is_empty()
                && (owner.is_standing || self.designs.contains(&owner.design))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::testing::{denial, grant};
    use crate::scope::{Actions, DeclaredRows, Scope};

    fn document(design: &str, grants: &[&str], forbidden: &[&str]) -> DeclaredRows {
        let source = DenialSource::FrontMatter;
        DeclaredRows {
            design: design.into(),
            is_standing: false,
            grants: grants
                .iter()
                .map(|path| grant(path, Actions::MODIFY))
                .collect(),
            denials: forbidden
                .iter()
                .map(|path| denial(design, path, source))
                .collect(),
        }
    }

    #[test]
    fn the_denial_of_a_row_is_named_first_and_replaces_that_of_a_front_matter() {
        let forbidden = || document("d", &["src/a.rs"], &["src/a.rs"]);
        let mut both = forbidden();
        both.denials
            .push(denial("d", "src/a.rs", DenialSource::Row));
        let mut of_row = forbidden();
        of_row.denials[0].source = DenialSource::Row;
        let [forbidden, both, of_row] =
            [forbidden(), both, of_row].map(|one| Scope::of_documents([one]));
        for (scope, source) in [
            (&forbidden, DenialSource::FrontMatter),
            (&both, DenialSource::Row),
            (&of_row, DenialSource::Row),
        ] {
            let first = scope.denial("src/a.rs".into());
            assert_eq!(first.map(|denial| denial.source), Some(source));
        }
        let mut known = Denials::default();
        let owner = Owner {
            design: 0,
            is_standing: false,
        };
        known.push(denial("d", "src/a.rs", DenialSource::FrontMatter), owner);
        let mut row = Denials::default();
        row.push(denial("d", "src/a.rs", DenialSource::Row), owner);
        let lifted = |before: &Denials, now: &Denials| before.beyond(now).count();
        assert_eq!(lifted(&known, &known), 0);
        assert_eq!(lifted(&known, &row), 0);
        assert_eq!(lifted(&row, &known), 1);
        assert_eq!(lifted(&known, &Denials::default()), 1);
    }

    #[test]
    fn a_denial_that_was_lifted_puts_beyond_what_it_may_have_covered() {
        let beyond = |granted: &str, denied: &str| {
            let before = Scope::of_documents([document("d", &["./", granted], &[denied])]);
            let now = Scope::of_documents([document("d", &["./", granted], &[])]);
            let beyond = now.grants_beyond(&before);
            beyond
                .iter()
                .any(|grant| grant.path == *granted.trim_end_matches('/'))
        };
        for (granted, denied) in [
            ("src/a.rs", "src/a.rs"),
            ("src/a.rs", "src/"),
            ("src/a.rs", "*/*.rs"),
            ("src/", "src/lib/a.rs"),
            ("src/lib/", "src/"),
            ("src/", "*/*.rs"),
            ("src/*.rs", "src/lib/x*"),
            ("*.rs", "src/a.rs"),
        ] {
            assert!(beyond(granted, denied), "{granted} {denied}");
        }
        for (granted, denied) in [
            ("src/a.rs", "src/b.rs"),
            ("src/", "source/a.rs"),
            ("src/lib/", "src/bin/"),
            ("src/*.rs", "lib/*.rs"),
        ] {
            assert!(!beyond(granted, denied), "{granted} {denied}");
        }
    }

    #[test]
    fn a_denial_covers_its_path_and_everything_below() {
        for denied in ["src/a", "src/a/", "src/*", "src/{a,b}", "**/a"] {
            let scope = Scope::of_documents([document("d", &["./"], &[denied])]);
            for path in ["src/a", "src/a/b.rs", "src/a/b/c.rs"] {
                assert!(scope.denial(path.into()).is_some(), "{denied} {path}");
            }
            for path in ["src", "src.rs", "lib/x/y.rs"] {
                assert!(scope.denial(path.into()).is_none(), "{denied} {path}");
            }
        }
        let exact = Scope::of_documents([document("d", &[], &["src/a", "src/*.rs"])]);
        for path in ["src/ab", "src/a.py", "src/b/c.rs", "a"] {
            assert!(exact.denial(path.into()).is_none(), "{path}");
        }
    }

    #[test]
    fn a_grant_that_is_forbidden_as_a_whole_is_left_out() {
        for (granted, denied, stays) in [
            ("src/a.rs", "src/a.rs", false),
            ("src/a.rs", "src/*.rs", false),
            ("src/a.rs", "src/", false),
            ("src/", "src/", false),
            ("src/", "src", false),
            ("src/", "src/**", false),
            ("src/", "src/*", false),
            ("src/lib/", "src/", false),
            ("src/*.rs", "src/*.rs", false),
            ("src/*.rs", "src/", false),
            ("src/*.rs", "src/*", false),
            ("src/a.rs", "src/b.rs", true),
            ("src/", "src/*.rs", true),
            ("src/", "src/a.rs", true),
            ("src/*.rs", "src/*.py", true),
            ("src/*.rs", "src/a.rs", true),
        ] {
            let scope = Scope::of_documents([document("d", &[granted], &[denied])]);
            assert_eq!(scope.is_empty(), !stays, "{granted} {denied}");
            // Another design is not bound by this one.
            let other = document("e", &[granted], &[]);
            let scope = Scope::of_documents([document("d", &[], &[denied]), other]);
            assert!(!scope.is_empty(), "{granted} {denied}");
        }
    }

    #[test]
    fn ten_thousand_denials_are_looked_up_by_their_path() {
        let paths: Vec<String> = (0..10_000).map(|at| format!("src/{at}/")).collect();
        let denied: Vec<&str> = paths.iter().map(String::as_str).collect();
        let files: Vec<String> = paths.iter().map(|path| format!("{path}a.rs")).collect();
        let granted: Vec<&str> = files.iter().map(String::as_str).collect();
        let scope = Scope::of_documents([document("d", &granted, &denied)]);
        assert!(scope.is_empty());
        for path in &granted {
            assert!(scope.denial((*path).into()).is_some());
        }
    }
}
