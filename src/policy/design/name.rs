//! Code that names an existing file, although the text could also mean something else: `TODO`, `a.rs:12`, `{a,b}`.

use gix::bstr::BStr;

use super::entry::{self, GrantPath};
use super::problem::Problem;
use crate::policy::GrantKind;
use crate::policy::glob::Glob;

/// Reads the name of an existing file.
///
/// # Errors
/// A row cannot grant the name.
pub(super) fn read(name: &str, design: &BStr) -> Result<GrantPath, Problem> {
    entry::check_path(name, name, design)?;
    Ok(GrantPath {
        path: name.to_owned(),
        kind: GrantKind::File,
    })
}

/// Whether the meaning of the text depends on whether a file of this name exists.
pub(super) fn is_doubtful(
    name: &str,
    read_as_entry: &Result<GrantPath, Problem>,
    design: &BStr,
) -> bool {
    let covers = |entry: &GrantPath| match entry.kind {
        GrantKind::File => entry.path == name,
        GrantKind::Glob => {
            Glob::new(entry.path.as_str().into()).is_ok_and(|glob| glob.matches(name.into()))
        }
        GrantKind::Directory => false,
    };
    !read_as_entry.as_ref().is_ok_and(covers) && read(name, design).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_doubtful(name: &str, design: &BStr) -> bool {
        super::is_doubtful(name, &entry::read(name, false, design), design)
    }

    #[test]
    fn ambiguous_names_are_recognised() {
        let design = BStr::new("docs/lld/LLD-1.md");
        for name in [
            "TODO",
            "None",
            "-",
            "...",
            "path/to/a.py",
            "src/<T>.hpp",
            "{{name}}/a.py",
            "a.py:12",
            "a.py#L10",
            "{a,b}.py",
            "*",
            "~x",
            " a",
        ] {
            assert!(is_doubtful(name, design), "{name}");
        }
        for name in [
            "a.py",
            "src/a b.py",
            "src/*.py",
            "src/",
            "./a.py",
            "../a.py",
            "/etc/x",
            "guard.toml",
            "docs/lld/LLD-1.md",
            ".git/config",
        ] {
            assert!(!is_doubtful(name, design), "{name}");
        }
    }
}
