//! The shape of the code in src/: which modules are pure, which module may import which, and that no two files
//! import each other. The order of the modules is the one in the comment at the top of src/lib.rs.
//!
//! A file imports another if it names one of its items, by `use` or by a path such as `crate::git::Repository`. An
//! item that a module re-exports counts as an item of the file that defines it, so `mod.rs` may re-export what its
//! children define. Code under `#[cfg(test)]` does not count.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use regex_lite::Regex;

/// The first module that may depend on more than its arguments; those before it are pure.
const FIRST_IMPURE: &str = "system";

/// What pure modules may not name.
const IMPURE: [&str; 8] = [
    "std::env",
    "std::fs",
    "std::net",
    "std::os",
    "std::process",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
];

type ModulePath = Vec<String>;

/// A file of src/ without comments, strings and tests.
struct Source {
    file: String,
    code: String,
    imports: Vec<Import>,
}

/// One name that a `use` brings in.
struct Import {
    name: String,
    path: Vec<String>,
    is_public: bool,
}

struct Crate {
    sources: BTreeMap<ModulePath, Source>,
    order: Vec<String>,
}

/// The most lines of code that a folder may hold, and the aim. A change that removes lines lowers the figure.
const CEILINGS: [(&str, usize, usize); 4] = [
    ("src/", 36_300, 32_000),
    ("src/design/", 3_430, 3_500),
    ("src/agents/", 1_525, 2_000),
    ("tests/", 26_460, 22_000),
];

/// The most files in src/.
const MOST_FILES: usize = 241;

/// Lines that are neither blank nor comments, without tests.
#[test]
fn the_code_stays_below_its_ceilings() {
    let files = files_of("src".as_ref());
    assert!(files.len() <= MOST_FILES, "{} files", files.len());
    let tests = files_of("tests".as_ref());
    for (folder, most, aim) in CEILINGS {
        let own = files.iter().chain(&tests);
        let own = own.filter(|(file, _)| file.starts_with(folder));
        let lines: usize = own.map(|(_, text)| lines_of_code(text)).sum();
        assert!(
            lines <= most,
            "{folder} has {lines} lines of code, more than {most} (aim: {aim})"
        );
        assert!(
            lines + most / 20 >= most,
            "lower the ceiling of {folder}: it has {lines} lines"
        );
    }
}

fn files_of(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(Path::new(crate::common::SOURCE).join(folder)).unwrap() {
        let path = folder.join(entry.unwrap().file_name());
        let file = path.to_str().unwrap().to_owned();
        let whole = Path::new(crate::common::SOURCE).join(&path);
        match whole.is_dir() {
            true if path.ends_with("tests") => {}
            true => all.extend(files_of(&path)),
            false if !file.ends_with(".rs") || file.ends_with("/tests.rs") => {}
            false => all.push((file, std::fs::read_to_string(whole).unwrap())),
        }
    }
    all
}

fn lines_of_code(text: &str) -> usize {
    // A module of tests ends the code; a single item for tests does not.
    let is_end = |pair: &(&str, &str)| {
        pair.0 == "#[cfg(test)]" && pair.1.contains("mod ") && pair.1.ends_with('{')
    };
    let next = text.lines().skip(1).chain([""]);
    let code = text.lines().zip(next).take_while(|pair| !is_end(pair));
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    code.filter(|(line, _)| is_code(line)).count()
}

#[test]
fn pure_modules_use_no_disk_environment_process_or_clock() {
    assert_eq!(THIS_CRATE.impurities(), [""; 0]);
}

#[test]
fn no_module_imports_a_later_one() {
    assert_eq!(THIS_CRATE.imports_of_later_modules(), [""; 0]);
}

#[test]
fn no_two_files_import_each_other() {
    assert_eq!(THIS_CRATE.circles(), [""; 0]);
}

#[test]
fn no_two_types_have_the_same_name() {
    assert_eq!(THIS_CRATE.types_defined_twice(), [""; 0]);
}

#[test]
fn every_module_has_its_place_in_the_order() {
    let this = &*THIS_CRATE;
    let modules: BTreeSet<&str> = this
        .sources
        .keys()
        .filter_map(|module| module.first().map(String::as_str))
        .collect();
    let ordered: BTreeSet<&str> = this.order.iter().map(String::as_str).collect();
    assert_eq!(modules, ordered, "left: src/, right: src/lib.rs");
    assert!(ordered.contains(FIRST_IMPURE));
}

#[test]
fn each_check_finds_what_it_looks_for() {
    let impure = |code: &str| sample(&[("rules/a.rs", code)]).impurities().len();
    assert_eq!(impure("use std::{fmt, fs::{self, File}};"), 2);
    let clock = "use std::time;\nfn f() { time::SystemTime::now(); }";
    assert_eq!(impure(clock), 1);
    let test = "use std::time::Duration; // std::fs\n#[cfg(test)]\nmod tests { use std::fs; }";
    assert_eq!(impure(test), 0);

    let tree = ("git/tree.rs", "pub struct Tree;");
    let git = ("git/mod.rs", "mod tree;\npub use tree::Tree;");
    let later = |code: &str| {
        let files = [git, tree, ("rules/a.rs", code)];
        sample(&files).imports_of_later_modules().len()
    };
    assert_eq!(later("use crate::{git::Tree as T};"), 1);
    assert_eq!(later("fn f(tree: &super::super::git::Tree) {}"), 1);
    assert_eq!(later("pub(in crate::git) fn f() {}"), 0);

    let a = ("git/a.rs", "use super::b::B;\npub struct A;");
    let b = ("git/b.rs", "use super::A;\npub struct B;");
    let parent = ("git/mod.rs", "mod a;\nmod b;\npub use a::A;");
    assert_eq!(sample(&[parent, a, b]).circles().len(), 1);
    let mere_re_export = ("git/mod.rs", "mod a;\npub use a::A;\npub struct M;");
    let child = ("git/a.rs", "use super::M;\npub struct A;");
    assert_eq!(sample(&[mere_re_export, child]).circles().len(), 0);

    let twice = [
        a,
        (
            "git/b.rs",
            "enum A { B }\nimpl I for B {\n    type B = u8;\n}",
        ),
    ];
    assert_eq!(sample(&twice).types_defined_twice().len(), 1);
}

impl Crate {
    /// Each name that more than one type has.
    fn types_defined_twice(&self) -> Vec<String> {
        let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for source in self.sources.values() {
            for name in source.types() {
                files.entry(name).or_default().push(&source.file);
            }
        }
        files.retain(|_, files| files.len() > 1);
        let twice = files.into_iter();
        twice
            .map(|(name, files)| format!("{name} is defined in src/{}", files.join(" and src/")))
            .collect()
    }

    /// Each use of the system in a pure module.
    fn impurities(&self) -> Vec<String> {
        let mut found = Vec::new();
        let pure = self.order.iter().take_while(|name| *name != FIRST_IMPURE);
        let pure: BTreeSet<&String> = pure.collect();
        for (module, source) in &self.sources {
            if !module.first().is_some_and(|name| pure.contains(name)) {
                continue;
            }
            for path in source.named() {
                let name = path.join("::");
                let is_or_is_below = |impure: &&str| {
                    name.strip_prefix(*impure)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
                };
                if IMPURE.iter().any(is_or_is_below) {
                    found.push(format!("src/{} is pure, but uses {name}", source.file));
                }
            }
        }
        found
    }

    /// Each import of a module that comes later in the order.
    fn imports_of_later_modules(&self) -> Vec<String> {
        let place = |module: &[String]| {
            let name = module.first()?;
            self.order.iter().position(|ordered| ordered == name)
        };
        let mut found = Vec::new();
        for (from, to) in self.edges() {
            if let (Some(own), Some(other)) = (place(&from), place(&to))
                && own < other
            {
                let (from, to) = (&self.sources[&from].file, &self.sources[&to].file);
                found.push(format!(
                    "src/{from} imports src/{to}, which src/lib.rs lists later"
                ));
            }
        }
        found
    }

    /// Each pair of files that import each other.
    fn circles(&self) -> Vec<String> {
        let edges = self.edges();
        edges
            .iter()
            .filter(|(from, to)| from < to && edges.contains(&(to.clone(), from.clone())))
            .map(|(from, to)| {
                let (from, to) = (&self.sources[from].file, &self.sources[to].file);
                format!("src/{from} and src/{to} import each other")
            })
            .collect()
    }

    /// Which file imports which, by their modules.
    fn edges(&self) -> BTreeSet<(ModulePath, ModulePath)> {
        let mut edges = BTreeSet::new();
        for (module, source) in &self.sources {
            let words = source.words();
            for path in source.named() {
                if let Some(to) = self
                    .absolute(module, &path)
                    .and_then(|to| self.definer(&to))
                {
                    edges.insert((module.clone(), to));
                }
            }
            for import in &source.imports {
                let Some(path) = self.absolute(module, &import.path) else {
                    continue;
                };
                let Some(to) = self.definer(&path) else {
                    continue;
                };
                // Re-exporting an item of a child does not count as using it.
                let is_mere_re_export = import.is_public
                    && to.starts_with(module)
                    && !words.contains(import.name.as_str());
                if !is_mere_re_export {
                    edges.insert((module.clone(), to));
                }
            }
        }
        edges.retain(|(from, to)| from != to);
        edges
    }

    /// The path from the crate's root; `None` for what other crates define.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([module, rest].concat()),
            "super" => {
                let (_, parent) = module.split_last()?;
                let is_super = rest.first().is_some_and(|next| next == "super");
                match is_super {
                    true => self.absolute(parent, rest),
                    false => Some([parent, rest].concat()),
                }
            }
            _ => {
                let child = [module, std::slice::from_ref(first)].concat();
                self.sources
                    .contains_key(&child)
                    .then(|| [module, path].concat())
            }
        }
    }

    /// The module that defines what a path names, re-exports followed.
    fn definer(&self, path: &[String]) -> Option<ModulePath> {
        let mut path = path.to_vec();
        for _ in 0..16 {
            let depth = (0..=path.len())
                .rev()
                .find(|&depth| self.sources.contains_key(&path[..depth]))?;
            let (module, rest) = path.split_at(depth);
            // If only a module is imported, the code names its items later.
            let (name, below) = rest.split_first()?;
            if name == "*" {
                return Some(module.to_vec());
            }
            let import = self.sources[module]
                .imports
                .iter()
                .find(|import| import.name == *name);
            let Some(import) = import else {
                return Some(module.to_vec());
            };
            path = [self.absolute(module, &import.path)?, below.to_vec()].concat();
        }
        None
    }
}

impl Source {
    fn of(file: &str, text: &str) -> Source {
        let code = without_tests(&without_comments_and_strings(text));
        let visibility = Regex::new(r"pub\s*\([^)]*\)").unwrap();
        let code = visibility.replace_all(&code, "pub").into_owned();
        let uses = Regex::new(r"\b(pub\s+)?use\s+([^;]+);").unwrap();
        let declarations = Regex::new(r"\bmod\s+\w+;").unwrap();
        let mut imports = Vec::new();
        for found in uses.captures_iter(&code) {
            let is_public = found.get(1).is_some();
            expand(&[], &found[2], &mut |name, path| {
                imports.push(Import {
                    name,
                    path,
                    is_public,
                });
            });
        }
        Source {
            file: file.to_owned(),
            code: declarations
                .replace_all(&uses.replace_all(&code, ""), "")
                .into_owned(),
            imports,
        }
    }

    /// Every path that the code names: imports that are not re-exports, and inline paths with imported names
    /// replaced by their full paths.
    fn named(&self) -> Vec<Vec<String>> {
        let private = self.imports.iter().filter(|import| !import.is_public);
        let mut paths: Vec<Vec<String>> = private.map(|import| import.path.clone()).collect();
        let in_line = Regex::new(r"[A-Za-z_]\w*(?:::\w+)+").unwrap();
        for found in in_line.find_iter(&self.code) {
            let path: Vec<String> = found.as_str().split("::").map(str::to_owned).collect();
            let import = self.imports.iter().find(|import| import.name == path[0]);
            paths.push(match import {
                Some(import) => [&import.path[..], &path[1..]].concat(),
                None => path,
            });
        }
        paths
    }

    /// The structs, enums, traits and type aliases that the file defines; associated types do not count.
    fn types(&self) -> impl Iterator<Item = &str> {
        self.code.lines().filter_map(|line| {
            let item = line.trim_start();
            let is_nested = item.len() < line.len();
            let item = item.strip_prefix("pub ").unwrap_or(item);
            let (kind, rest) = item.split_once(' ')?;
            let is_type = match kind {
                "type" => !is_nested,
                _ => ["struct", "enum", "trait", "union"].contains(&kind),
            };
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            is_type.then(|| &rest[..end.unwrap_or(rest.len())])
        })
    }

    /// Every word outside `use`.
    fn words(&self) -> BTreeSet<&str> {
        self.code
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .collect()
    }
}

/// Calls `found` with each name of a `use` and its path.
fn expand(prefix: &[String], tree: &str, found: &mut impl FnMut(String, Vec<String>)) {
    let segments = |text: &str| -> Vec<String> {
        let parts = text.split("::").map(str::trim);
        let parts = parts.filter(|part| !part.is_empty()).map(str::to_owned);
        prefix.iter().cloned().chain(parts).collect()
    };
    let tree = tree.trim();
    if let Some((before, members)) = tree.split_once('{') {
        let prefix = segments(before);
        let members = members
            .rsplit_once('}')
            .map_or(members, |(inside, _)| inside);
        let mut depth = 0_usize;
        let member = |c: char| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            c == ',' && depth == 0
        };
        for member in members
            .split(member)
            .filter(|member| !member.trim().is_empty())
        {
            expand(&prefix, member, found);
        }
        return;
    }
    let (path, alias) = match tree.split_once(" as ") {
        Some((path, alias)) => (path, Some(alias.trim().to_owned())),
        None => (tree, None),
    };
    let mut path = segments(path);
    if path.len() > 1 {
        path.pop_if(|last| *last == "self");
    }
    let name = alias.or_else(|| path.last().cloned());
    found(name.unwrap_or_default(), path);
}

fn without_comments_and_strings(text: &str) -> String {
    let all = Regex::new(concat!(
        r"//[^\n]*",
        r"|(?s:/\*.*?\*/)",
        r##"|\bb?r#"(?s:.*?)"#|\bb?r"[^"]*""##,
        r#"|"(?:\\(?s:.)|[^"\\])*""#,
        r"|'(?:\\u\{[^}]*\}|\\x..|\\.|[^'\\])'",
    ))
    .unwrap();
    all.replace_all(text, " ").into_owned()
}

fn without_tests(code: &str) -> String {
    let mut kept = String::new();
    let mut rest = code;
    while let Some((before, tests)) = rest.split_once("#[cfg(test)]") {
        kept.push_str(before);
        let mut depth = 0_usize;
        let end = tests.find(|c| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            depth == 0 && matches!(c, '}' | ';')
        });
        rest = end.map_or("", |end| &tests[end + 1..]);
    }
    kept + rest
}

/// The files that only tests are compiled from, as folders or files without an extension.
fn test_modules(file: &str, text: &str) -> Vec<String> {
    let declared = Regex::new(r"#\[cfg\(test\)\]\s*(?:pub(?:\([^)]*\))?\s+)?mod (\w+);").unwrap();
    let folder = match file.strip_suffix("mod.rs") {
        Some(folder) => folder.to_owned(),
        None => format!("{}/", file.trim_end_matches(".rs")),
    };
    declared
        .captures_iter(text)
        .map(|found| format!("{folder}{}", &found[1]))
        .collect()
}

fn crate_of(files: &[(String, String)], order: Vec<String>) -> Crate {
    let tests: Vec<String> = files
        .iter()
        .flat_map(|(file, text)| test_modules(file, text))
        .collect();
    let is_test = |file: &str| {
        tests.iter().any(|module| {
            file.strip_prefix(module.as_str())
                .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        })
    };
    let mut sources = BTreeMap::new();
    for (file, text) in files {
        if is_test(file) || file == "main.rs" {
            continue;
        }
        let mut module: ModulePath = file
            .trim_end_matches(".rs")
            .split('/')
            .map(str::to_owned)
            .collect();
        module.pop_if(|last| *last == "mod" || *last == "lib");
        sources.insert(module, Source::of(file, text));
    }
    Crate { sources, order }
}

/// This crate.
static THIS_CRATE: LazyLock<Crate> = LazyLock::new(|| {
    let files = files_of("src".as_ref()).into_iter();
    let files: Vec<(String, String)> = files
        .map(|(file, text)| (file["src/".len()..].to_owned(), text))
        .collect();
    let lib = files.iter().find(|(file, _)| file == "lib.rs").unwrap();
    let order = order(&lib.1);
    crate_of(&files, order)
});

/// The names in the left column of the block of text in the comment of src/lib.rs.
fn order(text: &str) -> Vec<String> {
    let block = text.split("//! ```text").nth(1).unwrap();
    block
        .lines()
        .skip(1)
        .filter_map(|line| line.strip_prefix("//! ")?.split_once("  "))
        .flat_map(|(names, _)| names.split(", ").map(str::to_owned))
        .filter(|name| !name.is_empty())
        .collect()
}

/// A crate of a few files; pure modules come before `system`.
fn sample(files: &[(&str, &str)]) -> Crate {
    let files: Vec<(String, String)> = files
        .iter()
        .map(|&(file, text)| (file.to_owned(), text.to_owned()))
        .collect();
    let order = ["rules", "system", "git"].map(str::to_owned);
    crate_of(&files, order.to_vec())
}
