use std::collections::BTreeSet;

use super::*;

#[test]
fn rust_items_impls_modules_and_uses() {
    let old = "\
//! Doc.
#![allow(dead_code)]

use std::fmt::{self, Debug};

/// S.
pub struct S<T> {
    a: T,
}

impl<T: Debug> S<T> {
    fn a(&self) {}
}

#[cfg(unix)]
fn os() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one() {}
}
";
    let content = "\
use std::fmt::{Debug, Display, self};
use std::io as stdio;

pub struct S<T> {
    a: T,
    b: T,
}

impl<T: Debug> S<T> {
    /// B.
    #[must_use]
    pub fn b(&self) -> &str {
        \"x
y\"
    }
}

impl<T> fmt::Display for S<T> {
    fn fmt(&self) {}
}

#[cfg(windows)]
fn os() {}

macro_rules! m { () => {} }

m!();

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn two() {}
}
";
    let expected = "\
//! Doc.
#![allow(dead_code)]

use std::fmt::{self, Debug};
use std::fmt::Display;
use std::io as stdio;

/// S.
pub struct S<T> {
    a: T,
}

impl<T: Debug> S<T> {
    fn a(&self) {}

    /// B.
    #[must_use]
    pub fn b(&self) -> &str {
        \"x
y\"
    }
}

#[cfg(unix)]
fn os() {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn one() {}

    #[test]
    fn two() {}
}

impl<T> fmt::Display for S<T> {
    fn fmt(&self) {}
}

#[cfg(windows)]
fn os() {}

macro_rules! m { () => {} }
";
    let extension = check("a.rs", old, content, expected);
    assert_eq!(extension.kept, ["struct S"]);
    assert_eq!(extension.left_out, ["m!();"]);
    assert_eq!(extension.added[0], "function S<T>::b");
}

#[test]
fn rust_result_that_would_not_compile_is_refused() {
    for (old, content) in [
        ("use a::X;\n", "use b::X;\n"),
        ("struct X;\n", "use b::X;\n"),
        ("struct X;\n", "enum X { A }\n"),
        (
            "impl<T> S<T> {\n    fn a() {}\n}\n",
            "impl<T: Copy> S<T> {\n    fn a() {}\n    fn b() {}\n}\n",
        ),
        ("impl S {}\n", "impl S {\n    fn a() {}\n}\n"),
        (
            "impl S {\n    fn a() {} }\n",
            "impl S {\n    fn b() {}\n}\n",
        ),
        ("use a::b; fn c() {\n}\n", "use a::d;\n"),
    ] {
        refused("a.rs", old, content, FailureKind::NoPlace, "");
    }
    // A type and a function may share a name, and so may parts under conditions.
    check(
        "a.rs",
        "struct X;\n",
        "fn X() {}\n",
        "struct X;\nfn X() {}\n",
    );
    check(
        "a.rs",
        "impl S {\n}\n",
        "impl S {\n    fn a() {}\n}\n",
        "impl S {\n    fn a() {}\n}\n",
    );
}

/// The Rust files below a directory.
fn sources(directory: &std::path::Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(std::fs::read_to_string(path).unwrap());
        }
    }
}

#[test]
fn definitions_cut_from_real_sources_are_restored() {
    let mut files = Vec::new();
    let src = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for part in ["gate", "policy"] {
        sources(&src.join(part), &mut files);
    }
    files.sort();
    let syntax = languages::of("a.rs".into()).unwrap();
    let mut cuts = 0;
    for (number, file) in files.iter().enumerate() {
        let tree = parse(syntax, file).unwrap();
        let scope = CodeScope::of_file(syntax, file, &tree);
        let count = scope.definitions.len();
        let Some(cut) = scope.definitions.get(number % count.max(1)) else {
            continue;
        };
        let old = [&file[..cut.range.start], &file[cut.range.end..]].concat();
        let (text, extension) = extended("a.rs", &old, file);
        assert!(!extension.added.is_empty());
        assert_eq!((extension.kept.len(), extension.left_out.len()), (0, 0));
        let again = parse(syntax, &text).unwrap();
        // A method of a part of an `impl` that is gone comes to another part: a set, not a list.
        let keys = |scope: &CodeScope<'_>| scope.keys().into_iter().collect::<BTreeSet<_>>();
        assert_eq!(
            keys(&scope),
            keys(&CodeScope::of_file(syntax, &text, &again))
        );
        cuts += 1;
    }
    assert!(cuts > 40, "{cuts}");
    // Any two files: either all lines of the first stay in their order, or nothing happens.
    let mut done = 0;
    for pair in files.windows(2) {
        let Ok((text, _)) = extend("a.rs".into(), pair[0].as_bytes(), pair[1].as_bytes()) else {
            continue;
        };
        let text = String::from_utf8(text).unwrap();
        let mut lines = text.lines();
        assert!(
            pair[0].lines().all(|line| lines.any(|it| it == line)),
            "{text}"
        );
        done += 1;
    }
    assert!(done > 5, "{done}");
}
