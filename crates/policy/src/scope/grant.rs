//! One granted path, directory or glob of a design, and the role of its files (requirement 002, section 2.3).

use std::ops::BitOr;

use bstr::{BStr, BString, ByteSlice};

use super::patterns::Patterns;
use super::settings::TEST_PATTERNS;
use crate::finding::Anchor;

/// A set of actions that a grant permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Actions(u8);

impl Actions {
    /// No action.
    pub const NONE: Actions = Actions(0);
    /// Creating the path.
    pub const ADD: Actions = Actions(1);
    /// Changing content or the executable bit.
    pub const MODIFY: Actions = Actions(2);
    /// Removing the path.
    pub const DELETE: Actions = Actions(4);
    /// Creating or changing a symbolic link.
    pub const SYMLINK: Actions = Actions(8);
    /// Adding or moving a submodule.
    pub const SUBMODULE: Actions = Actions(16);
    /// Modifying a path that the merge base lacks: what an `Add` row grants in addition to adding.
    pub const MODIFY_NEW: Actions = Actions(32);

    const NAMES: [(Actions, &'static str); 5] = [
        (Actions::ADD, "add"),
        (Actions::MODIFY, "modify"),
        (Actions::DELETE, "delete"),
        (Actions::SYMLINK, "symlink"),
        (Actions::SUBMODULE, "submodule"),
    ];

    /// Whether this set contains all actions of `other`.
    pub fn contains(self, other: Actions) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The names in messages and JSON, in a fixed order. `MODIFY_NEW` has none.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES
            .into_iter()
            .filter(move |(action, _)| self.contains(*action))
            .map(|(_, name)| name)
    }
}

impl BitOr for Actions {
    type Output = Actions;

    fn bitor(self, other: Actions) -> Actions {
        Actions(self.0 | other.0)
    }
}

named! {
    /// The kind of a grant's path.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum GrantKind {
        /// Exactly this path.
        File = "file",
        /// Everything below this path (stored without its trailing slash).
        Directory = "directory",
        /// Every path that matches.
        Glob = "glob",
    }
}

named! {
    /// Where the row that names a grant's path stands.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum GrantForm {
        /// A table.
        Table = "table",
        /// A list below a heading such as "Files to Modify".
        HeadingList = "heading-list",
        /// A list below a label such as `**Files:**`.
        LabelList = "label-list",
        /// `allowed_paths:`, `allowed_files:` or `files_modified:` in the front matter.
        FrontMatter = "front-matter",
    }
}

named! {
    /// The purpose of granted files (requirement 002, section 2.3), derived from the path.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Role {
        /// Source code, and everything that is neither test nor configuration.
        Implementation = "implementation",
        /// Tests.
        Test = "test",
        /// Configuration and data.
        Config = "config",
    }
}

/// One path, directory or glob of a design's table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The path, normalised: no `./`, `//`, trailing slash or line suffix.
    pub path: BString,
    /// The kind of `path`.
    pub kind: GrantKind,
    /// What is permitted.
    pub actions: Actions,
    /// The type cell as written (`Modify`); empty if the table has no such column.
    pub change_type: String,
    /// The other path of a Rename row.
    pub renamed: Option<BString>,
    /// Where its row stands.
    pub form: GrantForm,
    /// The description on one line, or empty.
    pub description: String,
    /// The place of the path in the document; the span includes its backticks.
    pub anchor: Anchor,
}

impl Grant {
    /// Identifies the row: two may name the same path.
    pub fn place(&self) -> (&BStr, usize) {
        (self.anchor.path.as_ref(), self.anchor.span.start)
    }

    /// The purpose of the files.
    pub fn role(&self) -> Role {
        role(&self.path.to_str_lossy())
    }

    /// Whether this is the old path of a Rename row, which may be deleted only if its content continues at the new
    /// path.
    pub fn is_old_end(&self) -> bool {
        self.renamed.is_some() && self.actions.contains(Actions::DELETE)
    }

    /// Where this Rename row moves `path`, which the grant covers.
    pub fn new_end(&self, path: &BStr) -> Option<BString> {
        let new = self.renamed.as_ref().filter(|_| self.is_old_end())?;
        match self.kind {
            GrantKind::File => Some(new.clone()),
            GrantKind::Directory => {
                let rest = path.strip_prefix(self.path.as_slice())?;
                Some([new.as_slice(), rest].concat().into())
            }
            GrantKind::Glob => None,
        }
    }
}

const CONFIG_EXTENSIONS: &[&str] = &[
    "toml",
    "yaml",
    "yml",
    "json",
    "jsonc",
    "json5",
    "jsonl",
    "ini",
    "cfg",
    "conf",
    "properties",
    "lock",
    "csv",
    "tsv",
    "xml",
    "plist",
    "env",
];
const CONFIG_NAMES: &[&str] = &["go.mod", "go.sum", "requirements.txt"];

/// The patterns of tests.
static TESTS: Patterns = Patterns::built_in(TEST_PATTERNS);

/// The role of a path, directory or glob.
fn role(path: &str) -> Role {
    // Patterns cover what is below a path, too, and a granted directory of tests stands for the files below it.
    if TESTS.contains(format!("{path}/x").as_str().into()) {
        return Role::Test;
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_dot_file = stem.is_empty() && !extension.is_empty();
    let is_config = CONFIG_EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str());
    if is_dot_file || is_config || CONFIG_NAMES.contains(&name) {
        Role::Config
    } else {
        Role::Implementation
    }
}

/// Grants for unit tests.
#[cfg(test)]
pub(crate) mod testing {
    use super::super::glob::is_glob;
    use super::super::{Denial, DenialSource};
    use super::*;

    fn kind(path: &str) -> GrantKind {
        if path.ends_with('/') {
            GrantKind::Directory
        } else if is_glob(path.into()) {
            GrantKind::Glob
        } else {
            GrantKind::File
        }
    }

    fn anchor(design: &str) -> Anchor {
        Anchor {
            path: design.into(),
            span: 0..0,
            line: 1,
            column: 1,
            label: String::new(),
        }
    }

    /// A denial at the first line of a design, with a path as [`grant`] takes it.
    pub(crate) fn denial(design: &str, path: &str, source: DenialSource) -> Denial {
        Denial {
            path: path.trim_end_matches('/').into(),
            kind: kind(path),
            source,
            description: String::new(),
            anchor: anchor(design),
        }
    }

    /// A grant as a row would give it: a trailing slash makes a directory, stars make a glob.
    pub(crate) fn grant(path: &str, actions: Actions) -> Grant {
        Grant {
            path: path.trim_end_matches('/').into(),
            kind: kind(path),
            actions,
            change_type: String::new(),
            renamed: None,
            form: crate::scope::GrantForm::Table,
            description: String::new(),
            anchor: anchor("design.md"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles() {
        for path in [
            "tests/unit/test_a.py",
            "tests",
            "pkg/tests",
            "src/a_test.go",
            "src/x.spec.ts",
            "test_a.py",
            "a/__tests__/x.js",
            "tests/*.py",
            "tests/data.json",
        ] {
            assert_eq!(role(path), Role::Test, "{path}");
        }
        for path in [
            "Cargo.toml",
            ".gitignore",
            "a/b.lock",
            "data/x.csv",
            ".github/workflows/ci.yml",
            "go.sum",
        ] {
            assert_eq!(role(path), Role::Config, "{path}");
        }
        for path in [
            "src/a.py",
            "src",
            "src/testing.rs",
            "contest.py",
            "Makefile",
            "README.md",
            "latest/x.rs",
        ] {
            assert_eq!(role(path), Role::Implementation, "{path}");
        }
    }

    #[test]
    fn only_the_default_actions_are_empty() {
        assert!(Actions::default().is_empty());
        assert!(!Actions::DELETE.is_empty());
    }
}
