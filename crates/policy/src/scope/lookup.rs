//! All grants in force, and how to look them up.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use bstr::{BStr, BString, ByteSlice};

use super::denial::{Denials, Owner};
use super::glob::{Glob, directory_above};
use super::similarity::Folded;
use super::{Actions, Denial, Grant, GrantKind};

/// The number of comparisons for suggestions, which take about a second at worst.
const MOST_COMPARISONS: usize = 2_000_000;

/// What one document declares.
#[derive(Debug, Clone, Default)]
pub struct DeclaredRows {
    /// The key of its design, which the documents of one directory share.
    pub design: BString,
    /// Whether it joins every other design.
    pub is_standing: bool,
    /// What it grants.
    pub grants: Vec<Grant>,
    /// What it forbids.
    pub denials: Vec<Denial>,
}

/// All grants in force, without those that denials take away. Immutable once built.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    grants: Vec<Grant>,
    /// The document of each grant.
    owners: Vec<Owner>,
    denials: Denials,
    /// Indices into `grants` by exact path.
    files: HashMap<BString, Vec<usize>>,
    /// Indices into `grants` by directory.
    directories: HashMap<BString, Vec<usize>>,
    /// Globs with their indices into `grants`.
    globs: Vec<(usize, Glob)>,
    /// How many grants were compared with refused paths, to suggest one of them.
    compared: Arc<AtomicUsize>,
    /// The file names of `grants`, once one of them is to be suggested.
    pub(super) names: OnceLock<Vec<Folded>>,
    /// Indices into `grants` by the composed form of the path, with a slash at the end of a directory, once a refused
    /// path is looked up by it.
    pub(super) composed: OnceLock<HashMap<String, usize>>,
}

impl Scope {
    /// The scope of these grants, which nothing takes away.
    pub fn new(grants: Vec<Grant>) -> Scope {
        Scope::of_documents([DeclaredRows {
            grants,
            ..DeclaredRows::default()
        }])
    }

    /// Builds the scope and keeps the order of grants. It leaves out grants that denials take away as a whole. A glob
    /// that [`super::glob::Glob::new`] refuses, or a directory with an empty path, covers nothing.
    pub fn of_documents(documents: impl IntoIterator<Item = DeclaredRows>) -> Scope {
        let mut scope = Scope::default();
        let mut designs = HashMap::new();
        let mut declared = Vec::new();
        for document in documents {
            let next = designs.len();
            let owner = Owner {
                design: *designs.entry(document.design).or_insert(next),
                is_standing: document.is_standing,
            };
            for denial in document.denials {
                scope.denials.push(denial, owner);
            }
            declared.extend(document.grants.into_iter().map(|grant| (grant, owner)));
        }
        for (grant, owner) in declared {
            let taken = scope.denials.taken_below(grant.path.as_ref(), grant.kind);
            if !taken.of(owner) {
                scope.push(grant, owner);
            }
        }
        scope
    }

    fn push(&mut self, grant: Grant, owner: Owner) {
        let index = self.grants.len();
        let path = grant.path.clone();
        match grant.kind {
            GrantKind::File => self.files.entry(path).or_default().push(index),
            GrantKind::Directory => self.directories.entry(path).or_default().push(index),
            GrantKind::Glob => {
                let glob = Glob::new(path.as_ref());
                self.globs.extend(glob.map(|glob| (index, glob)));
            }
        }
        self.grants.push(grant);
        self.owners.push(owner);
    }

    /// The grants in document order.
    pub fn grants(&self) -> &[Grant] {
        &self.grants
    }

    /// Whether nothing is granted.
    pub fn is_empty(&self) -> bool {
        self.grants.is_empty()
    }

    /// All grants that cover a path: those that name it, then directories from the innermost, then globs in document
    /// order. Paths are compared by bytes. A directory grant covers what is below the directory, not the directory
    /// itself.
    pub fn lookup(&self, path: &BStr) -> Vec<&Grant> {
        self.covering(path).collect()
    }

    /// What the grants of a path permit regardless of other changes: the old path of a Rename row adds nothing.
    pub fn actions(&self, path: &BStr) -> Actions {
        unconditional(self.covering(path))
    }

    /// The paths that Rename rows move `path` to.
    pub fn new_ends<'a>(&'a self, path: &'a BStr) -> impl Iterator<Item = BString> + 'a {
        self.covering(path)
            .filter_map(move |grant| grant.new_end(path))
    }

    /// Whether a row permits the action at the path, regardless of Rename rows.
    pub fn says(&self, path: &BStr, action: Actions) -> bool {
        self.covering(path)
            .any(|grant| grant.renamed.is_none() && grant.actions.contains(action))
    }

    /// The denial that refuses a change of the path whatever else the scope says: a row's, or that of a front matter
    /// unless a row of another design grants the path.
    pub fn denial(&self, path: &BStr) -> Option<&Denial> {
        let denial = self.denials.first(path)?;
        self.covering(path).next().is_none().then_some(denial)
    }

    fn covering(&self, path: &BStr) -> impl Iterator<Item = &Grant> {
        let named = self.files.get(path).into_iter().flatten().copied();
        let globs = self.globs.iter().filter(|(_, glob)| glob.matches(path));
        let globs = globs.map(|&(index, _)| index);
        let taken = self.denials.taken_at(path);
        named
            .chain(self.above(path))
            .chain(globs)
            .filter(move |&index| !taken.of(self.owners[index]))
            .map(|index| &self.grants[index])
    }

    /// The granted directories above a path, innermost first, as indices into `grants`.
    fn above(&self, path: &BStr) -> impl Iterator<Item = usize> {
        path.rfind_iter("/")
            .filter_map(|slash| self.directories.get(&path[..slash]))
            .flatten()
            .copied()
    }

    /// The grants that permit something `base` does not, in order.
    ///
    /// A grant is not beyond `base` if base's grants for the same path or glob, or for a directory around it, together
    /// permit all its actions. A glob covers files, but neither directories nor other globs. A grant is also beyond
    /// `base` if a denial of `base` that is no longer there kept something from it.
    pub fn grants_beyond(&self, base: &Scope) -> Vec<&Grant> {
        let lifted = LiftedDenials::new(&base.denials, &self.denials);
        let mut beyond = Vec::new();
        for grant in &self.grants {
            let is_in_base = permits(base.around(grant), grant.actions) || base.renames_as(grant);
            if !is_in_base || lifted.concern(grant) {
                beyond.push(grant);
            }
        }
        beyond
    }

    /// Whether a Rename row of this scope moves the path of `grant` to the same place.
    fn renames_as(&self, grant: &Grant) -> bool {
        let inside: BString = match grant.kind {
            GrantKind::Directory => [grant.path.as_slice(), b"/x"].concat().into(),
            _ => grant.path.clone(),
        };
        let new = grant.new_end(inside.as_ref());
        new.is_some_and(|new| self.new_ends(inside.as_ref()).any(|other| other == new))
    }

    /// What is permitted at everything that `grant` covers.
    fn around(&self, grant: &Grant) -> Actions {
        let path: &BStr = grant.path.as_ref();
        let directory = match grant.kind {
            GrantKind::File => return self.actions(path),
            GrantKind::Directory => path,
            GrantKind::Glob => directory_above(path),
        };
        // The name stands for any path below.
        let inside = [directory.as_bytes(), b"/x"].concat();
        let above = self.above(inside.as_bstr());
        let above = above.map(|index| &self.grants[index]);
        let same = self.grants.iter().filter(|one| {
            grant.kind == GrantKind::Glob && one.kind == GrantKind::Glob && one.path == path
        });
        unconditional(above.chain(same))
    }

    /// Whether there is time to compare one more path with every grant.
    pub(super) fn may_compare_all(&self) -> bool {
        let before = self
            .compared
            .fetch_add(self.grants.len(), Ordering::Relaxed);
        before < MOST_COMPARISONS
    }
}

/// The denials that one version of a scope has and the next one lacks.
struct LiftedDenials {
    denials: Denials,
    /// The same, with the directory above a glob in place of the glob.
    near: Denials,
    /// The paths of `near`, in order.
    paths: Vec<BString>,
}

impl LiftedDenials {
    fn new(before: &Denials, now: &Denials) -> LiftedDenials {
        let owner = Owner {
            design: 0,
            is_standing: false,
        };
        let mut lifted = LiftedDenials {
            denials: Denials::default(),
            near: Denials::default(),
            paths: Vec::new(),
        };
        for denial in before.beyond(now) {
            let mut near = denial.clone();
            if near.kind == GrantKind::Glob {
                near.path = directory_above(denial.path.as_ref()).to_owned();
                near.kind = GrantKind::Directory;
            }
            lifted.paths.push(near.path.clone());
            lifted.near.push(near, owner);
            lifted.denials.push(denial.clone(), owner);
        }
        lifted.paths.sort();
        lifted
    }

    /// Whether the grant may cover a path that one of them denied. Of globs, only the directories above are compared.
    fn concern(&self, grant: &Grant) -> bool {
        let path: &BStr = grant.path.as_ref();
        let directory = match grant.kind {
            GrantKind::File => return self.denials.first(path).is_some(),
            GrantKind::Directory => path,
            GrantKind::Glob => directory_above(path),
        };
        let Some(first) = self.paths.first() else {
            return false;
        };
        if first.is_empty() || directory.is_empty() || self.near.first(directory).is_some() {
            return true;
        }
        let below = [directory.as_bytes(), b"/"].concat();
        let at = self
            .paths
            .partition_point(|one| one.as_slice() < below.as_slice());
        self.paths
            .get(at)
            .is_some_and(|one| one.starts_with(&below))
    }
}

/// What grants permit, the old paths of Rename rows left out.
fn unconditional<'a>(grants: impl Iterator<Item = &'a Grant>) -> Actions {
    let unconditional = grants.filter(|grant| !grant.is_old_end());
    unconditional.fold(Actions::NONE, |all, grant| all | grant.actions)
}

/// Whether `given` permits all of `wanted`: permission to modify includes modifying a new file.
fn permits(given: Actions, wanted: Actions) -> bool {
    given.contains(wanted)
        || given.contains(Actions::MODIFY) && (given | Actions::MODIFY_NEW).contains(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::testing::grant;

    const ADD: Actions = Actions::ADD;
    const MODIFY: Actions = Actions::MODIFY;

    fn scope(paths: &[(&str, Actions)]) -> Scope {
        Scope::new(paths.iter().map(|(path, a)| grant(path, *a)).collect())
    }

    fn found(scope: &Scope, path: &str) -> Vec<String> {
        let lookup = scope.lookup(path.into());
        lookup.iter().map(|g| g.path.to_string()).collect()
    }

    #[test]
    fn requirement_002_scenario_030_a_listed_path_is_granted() {
        let scope = scope(&[("utils/lld.py", MODIFY)]);
        let actions = scope.actions("utils/lld.py".into());
        assert!(actions.contains(MODIFY));
        assert!(!actions.contains(ADD));
    }

    #[test]
    fn requirement_002_scenario_040_another_path_is_not() {
        let scope = scope(&[("utils/lld.py", MODIFY)]);
        for path in [
            "core/lld.py",
            "utils/lld.py/x",
            "utils",
            "utils/lld.pyc",
            "",
            "/",
        ] {
            let lookup = scope.lookup(path.into());
            assert!(lookup.is_empty(), "{path}");
            assert_eq!(scope.actions(path.into()), Actions::NONE);
        }
    }

    #[test]
    fn a_rename_row_says_nothing_about_an_action() {
        let mut moved = grant("src/a.rs", Actions::DELETE);
        moved.renamed = Some("src/b.rs".into());
        let scope = Scope::new(vec![moved, grant("src/b.rs", MODIFY)]);
        assert!(scope.says("src/b.rs".into(), MODIFY));
        assert!(!scope.says("src/b.rs".into(), ADD));
        assert!(!scope.says("src/a.rs".into(), Actions::DELETE));
        assert!(!scope.says("src/c.rs".into(), MODIFY));
    }

    #[test]
    fn all_grants_that_cover_a_path_are_found_the_narrowest_first() {
        let scope = scope(&[
            ("src/**", Actions::DELETE),
            ("src/", ADD),
            ("src/a/", ADD),
            ("src/a/b.rs", MODIFY),
            ("src/a/*.rs", MODIFY),
            ("other/", MODIFY),
        ]);
        assert_eq!(
            found(&scope, "src/a/b.rs"),
            ["src/a/b.rs", "src/a", "src", "src/**", "src/a/*.rs"]
        );
        assert_eq!(
            scope.actions("src/a/b.rs".into()),
            ADD | MODIFY | Actions::DELETE
        );
    }

    #[test]
    fn directory_grant_covers_files_below_but_not_its_own_name() {
        let scope = scope(&[("src/a/", ADD)]);
        assert_eq!(found(&scope, "src/a/b/c.rs"), ["src/a"]);
        assert!(found(&scope, "src/a").is_empty());
        assert!(found(&scope, "src/ab").is_empty());
        assert!(found(&scope, "a/b").is_empty());
    }

    #[test]
    fn two_rows_for_one_path_are_joined() {
        let scope = scope(&[("a", ADD), ("a", Actions::DELETE)]);
        let lookup = scope.lookup("a".into());
        assert_eq!(lookup.len(), 2);
        assert_eq!(scope.actions("a".into()), ADD | Actions::DELETE);
    }

    #[test]
    fn an_empty_scope_grants_nothing() {
        assert!(Scope::default().lookup("a".into()).is_empty());
        assert!(Scope::default().is_empty());
    }

    #[test]
    fn a_glob_beyond_the_bounds_grants_nothing() {
        let scope = scope(&[(&format!("{}*", "a".repeat(2_000)), ADD)]);
        assert!(scope.lookup("a".repeat(2_001).as_str().into()).is_empty());
    }

    #[test]
    fn grants_keep_the_order_of_the_documents() {
        let scope = scope(&[("z", ADD), ("a/", ADD), ("m*", ADD)]);
        let paths: Vec<_> = scope.grants().iter().map(|g| g.path.to_string()).collect();
        assert_eq!(paths, ["z", "a", "m*"]);
    }

    fn beyond(new: &[(&str, Actions)], base: &[(&str, Actions)]) -> Vec<String> {
        let new = scope(new);
        let base = scope(base);
        let grants = new.grants_beyond(&base);
        grants.iter().map(|g| g.path.to_string()).collect()
    }

    #[test]
    fn a_new_row_and_a_new_action_are_beyond_the_base() {
        assert_eq!(
            beyond(
                &[("a", MODIFY), ("b", MODIFY), ("c", ADD | MODIFY)],
                &[("a", MODIFY), ("c", ADD)]
            ),
            ["b", "c"]
        );
        assert!(beyond(&[], &[("a", ADD)]).is_empty());
        assert!(beyond(&[("a", ADD | MODIFY)], &[("a", ADD), ("a", MODIFY)]).is_empty());
    }

    #[test]
    fn a_path_under_a_granted_directory_or_glob_is_not_beyond() {
        let base = [("src/", ADD | MODIFY), ("docs/**", ADD), ("t/*.py", ADD)];
        let inside = [
            ("src/a.rs", MODIFY),
            ("src/x/", ADD),
            ("src/", ADD),
            ("src/**/*.rs", ADD),
            ("docs/a.md", ADD),
            ("docs/**", ADD),
            ("t/a.py", ADD),
            ("t/*.py", ADD),
        ];
        assert!(beyond(&inside, &base).is_empty());
        let outside = [
            ("src/a.rs", Actions::DELETE),
            ("src*/a.rs", ADD),
            ("srcs/", ADD),
            ("{src,x}/a", ADD),
            ("docs/a.md", MODIFY),
            ("docs/x/", ADD),
            ("docs/", ADD),
            ("t/", ADD),
            ("t/**", ADD),
            ("t/a*.py", ADD),
        ];
        assert_eq!(beyond(&outside, &base).len(), outside.len());
    }

    #[test]
    fn a_narrower_row_is_not_beyond_and_a_wider_one_is() {
        let new_only = Actions::ADD | Actions::MODIFY_NEW;
        assert!(beyond(&[("a", new_only)], &[("a", ADD | MODIFY)]).is_empty());
        assert_eq!(beyond(&[("a", ADD | MODIFY)], &[("a", new_only)]), ["a"]);
    }

    /// A Rename row for files, or with slashes for directories.
    fn rename(old: &str, new: &str) -> Vec<Grant> {
        let end = |path: &str, actions, other: &str| Grant {
            renamed: Some(other.trim_end_matches('/').into()),
            ..grant(path, actions)
        };
        vec![end(old, Actions::DELETE, new), end(new, ADD | MODIFY, old)]
    }

    #[test]
    fn rename_row_alone_permits_no_deletion() {
        let scope = Scope::new([rename("a", "b"), rename("old/", "new/")].concat());
        for (path, new) in [("a", "b"), ("old/x/y", "new/x/y")] {
            assert_eq!(scope.actions(path.into()), Actions::NONE, "{path}");
            assert!(scope.new_ends(path.into()).eq([new]), "{path}");
        }
        assert_eq!(scope.new_ends("b".into()).count(), 0);
        assert!(!scope.says("a".into(), Actions::DELETE) && !scope.says("b".into(), ADD));
    }

    #[test]
    fn a_rename_row_is_beyond_the_base_unless_that_moves_the_file_to_the_same_place() {
        let to_new = [
            grant("new/", ADD | MODIFY),
            grant("b", ADD | MODIFY),
            grant("c", ADD | MODIFY),
        ];
        let base = |more: Vec<Grant>| Scope::new([more, to_new.to_vec()].concat());
        let count = |new: Vec<Grant>, base: &Scope| Scope::new(new).grants_beyond(base).len();
        for base in [
            base(rename("a", "b")),
            base(vec![grant("a", Actions::DELETE)]),
        ] {
            assert_eq!(count(rename("a", "b"), &base), 0);
        }
        assert_eq!(count(rename("a", "c"), &base(rename("a", "b"))), 1);
        assert_eq!(count(rename("a", "b"), &base(Vec::new())), 1);
        assert_eq!(
            count(vec![grant("a", Actions::DELETE)], &base(rename("a", "b"))),
            1
        );
        let directories = base(rename("old/", "new/"));
        assert_eq!(count(rename("old/", "new/"), &directories), 0);
        assert_eq!(count(rename("old/x/", "new/x/"), &directories), 0);
        assert_eq!(count(rename("old/x", "new/x"), &directories), 0);
        assert_eq!(count(rename("old/x", "new/y"), &directories), 1);
    }

    #[test]
    fn each_of_ten_thousand_grants_is_found() {
        let paths: Vec<_> = (0..10_000)
            .map(|n| format!("d{}/f{n}.rs", n % 97))
            .collect();
        let scope = Scope::new(paths.iter().map(|path| grant(path, ADD)).collect());
        for (n, path) in paths.iter().enumerate() {
            let lookup = scope.lookup(path.as_str().into());
            assert_eq!(lookup, [&scope.grants()[n]]);
        }
    }
}
