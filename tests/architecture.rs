//! The shape of the code in the packages: which module may import which, and that no file imports itself through
//! others. The order of the modules is the one in the comment at the top of each `lib.rs`. That the policy is pure is no matter of
//! this test: its package has no dependency that opens a file, and its clippy.toml forbids what the standard library
//! has.
//!
//! A file imports another if it names one of its items, by `use` or by a path such as `crate::files::Gate`. An item that
//! a module re-exports counts as an item of the file that defines it, so `mod.rs` may re-export what its children
//! define. Code under `#[cfg(test)]` does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use regex_lite::Regex;

/// The folders of the packages' sources.
const PACKAGES: [&str; 3] = ["crates/policy/src", "crates/repo/src", "src"];

/// The feature whose files stand between those of others; no file of it imports itself through them.
const AMONG_OTHERS: &str = "approvals";

/// A path from the root of the crate, such as `git::tree`; the root itself is empty.
type ModulePath = String;

/// A file of src/ without comments, strings and tests.
struct Source {
    file: String,
    code: String,
    imports: Vec<Import>,
}

/// One name that a `use` brings in.
struct Import {
    name: String,
    path: String,
    is_public: bool,
}

struct Crate {
    sources: BTreeMap<ModulePath, Source>,
    order: Vec<String>,
}

/// The most lines that a file may have, with its comments and unit tests.
const MOST_LINES: usize = 600;

#[test]
fn no_file_has_more_than_six_hundred_lines() {
    for package in PACKAGES {
        for (file, text) in files_of(package.as_ref()) {
            assert!(text.lines().count() <= MOST_LINES, "{file}");
        }
    }
}

/// A question about the system that one place answers, so that Windows and macOS get the same answer everywhere.
struct OnePlace {
    /// How code would answer it on its own.
    code: &'static str,
    /// The file whose functions answer it.
    file: &'static str,
}

const ONE_PLACE: &[OnePlace] = &[
    // Windows answers with a spelling that git refuses: `real_path`.
    OnePlace {
        code: "canonicalize(",
        file: "crates/repo/src/system/paths.rs",
    },
    // Windows syncs only a file that was opened for writing: `sync_file`.
    OnePlace {
        code: ".sync_all(",
        file: "crates/repo/src/disk.rs",
    },
    OnePlace {
        code: ".sync_data(",
        file: "crates/repo/src/disk.rs",
    },
    // A bare name is also looked for in directories of a hostile repository: `find_program`.
    OnePlace {
        code: "Command::new(\"",
        file: "crates/repo/src/system/paths.rs",
    },
    OnePlace {
        code: "EXE_SUFFIX",
        file: "crates/repo/src/system/paths.rs",
    },
    // Systems and libraries have different codes for the same error: `is_held_open`. A link is recognised by looking.
    OnePlace {
        code: "raw_os_error() ==",
        file: "crates/repo/src/system/held_open.rs",
    },
    OnePlace {
        code: "cfg!(windows)",
        file: "crates/policy/src/path/platform.rs",
    },
];

/// The module whose subject is what the systems do differently.
const SYSTEM: &str = "crates/repo/src/system/";

#[test]
fn each_question_about_the_system_is_answered_in_one_place() {
    let mut elsewhere = Vec::new();
    for package in PACKAGES {
        for (file, text) in files_of(package.as_ref()) {
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let code = code
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            let code = code.collect::<Vec<_>>().join("\n");
            for one in ONE_PLACE {
                let is_its_place = file == one.file || file.starts_with(SYSTEM);
                if code.contains(one.code) && !is_its_place {
                    elsewhere.push(format!("{file}: {}", one.code));
                }
            }
        }
    }
    assert_eq!(elsewhere, [""; 0]);
}

fn files_of(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(Path::new(crate::common::SOURCE).join(folder)).unwrap() {
        let path = folder.join(entry.unwrap().file_name());
        let file = crate::common::system::in_shell(&path);
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

#[test]
fn no_module_imports_a_later_one() {
    for package in PACKAGES {
        assert_eq!(package_at(package).imports_of_later_modules(), [""; 0]);
    }
}

#[test]
fn no_file_imports_itself_through_others() {
    for package in PACKAGES {
        assert_eq!(package_at(package).rings(), [""; 0]);
    }
}

#[test]
fn no_two_types_have_the_same_name() {
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in PACKAGES {
        for source in package_at(package).sources.values() {
            for name in source.types() {
                let file = format!("{package}/{}", source.file);
                files.entry(name.to_owned()).or_default().push(file);
            }
        }
    }
    files.retain(|_, files| files.len() > 1);
    assert!(files.is_empty(), "{files:#?}");
}

#[test]
fn every_module_has_its_place_in_the_order() {
    for package in PACKAGES {
        let package = package_at(package);
        let modules = package.sources.keys().map(|module| first(module));
        let modules: BTreeSet<&str> = modules.filter(|name| !name.is_empty()).collect();
        let ordered: BTreeSet<&str> = package.order.iter().map(String::as_str).collect();
        assert_eq!(modules, ordered, "left: the files, right: lib.rs");
    }
}

/// The first name of a path.
fn first(path: &str) -> &str {
    path.split_once("::").map_or(path, |(first, _)| first)
}

/// Whether a path is another one or below it.
fn is_below(path: &str, above: &str) -> bool {
    above.is_empty() || format!("{path}::").starts_with(&format!("{above}::"))
}

/// Two paths after each other.
fn join(one: &str, other: &str) -> String {
    let parts = [one, other].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("::")
}

#[test]
fn each_check_finds_what_it_looks_for() {
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
    assert_eq!(sample(&[parent, a, b]).rings().len(), 2);
    let mere_re_export = ("git/mod.rs", "mod a;\npub use a::A;\npub struct M;");
    let child = ("git/a.rs", "use super::M;\npub struct A;");
    assert_eq!(sample(&[mere_re_export, child]).rings().len(), 0);

    let again = "enum A { B }\nimpl I for B {\n    type B = u8;\n}";
    assert_eq!(Source::of("git/b.rs", again).types(), ["A"]);
}

impl Crate {
    /// Each import of a module that comes later in the order.
    fn imports_of_later_modules(&self) -> Vec<String> {
        let place = |module: &str| self.order.iter().position(|name| name == first(module));
        let mut found = Vec::new();
        for (from, to) in self.edges() {
            if first(&from) == AMONG_OTHERS || first(&to) == AMONG_OTHERS {
                continue;
            }
            if let (Some(own), Some(other)) = (place(&from), place(&to))
                && own < other
            {
                let (from, to) = (&self.sources[&from].file, &self.sources[&to].file);
                found.push(format!("{from} imports {to}, which lib.rs lists later"));
            }
        }
        found
    }

    /// The files on rings of imports: what is left once every file that imports none of the rest, or that none of the
    /// rest imports, is taken away.
    fn rings(&self) -> Vec<String> {
        let mut edges = self.edges();
        loop {
            let from: BTreeSet<ModulePath> = edges.iter().map(|(from, _)| from.clone()).collect();
            let to: BTreeSet<ModulePath> = edges.iter().map(|(_, to)| to.clone()).collect();
            let before = edges.len();
            edges.retain(|(one, other)| to.contains(one) && from.contains(other));
            if edges.len() == before {
                let arrow = |(from, to)| format!("{from} -> {to}");
                return edges.into_iter().map(arrow).collect();
            }
        }
    }

    /// Which file imports which, by their modules.
    fn edges(&self) -> BTreeSet<(ModulePath, ModulePath)> {
        let mut edges = BTreeSet::new();
        for (module, source) in &self.sources {
            for (path, is_re_export) in source.named() {
                let path = self.absolute(module, &path);
                let Some(to) = path.and_then(|to| self.definer(&to)) else {
                    continue;
                };
                // Re-exporting an item of a child does not count as using it.
                if to != *module && !(is_re_export && is_below(&to, module)) {
                    edges.insert((module.clone(), to));
                }
            }
        }
        edges
    }

    /// The path from the crate's root; `None` for what other crates define.
    fn absolute(&self, module: &str, path: &str) -> Option<String> {
        let (first, rest) = path.split_once("::").unwrap_or((path, ""));
        match first {
            "crate" => Some(rest.to_owned()),
            "self" => Some(join(module, rest)),
            "super" => {
                let parent = module.rsplit_once("::").map_or("", |(parent, _)| parent);
                if rest.starts_with("super::") {
                    self.absolute(parent, rest)
                } else {
                    Some(join(parent, rest))
                }
            }
            _ => {
                let is_child = self.sources.contains_key(&join(module, first));
                is_child.then(|| join(module, path))
            }
        }
    }

    /// The module that defines what a path names, re-exports followed.
    fn definer(&self, path: &str) -> Option<ModulePath> {
        let mut path = path.to_owned();
        for _ in 0..16 {
            let mut module = path.as_str();
            while !self.sources.contains_key(module) {
                if module.is_empty() {
                    return None;
                }
                module = module.rsplit_once("::").map_or("", |(parent, _)| parent);
            }
            // If only a module is imported, the code names its items later.
            let rest = path[module.len()..].trim_start_matches("::");
            let (name, below) = rest.split_once("::").unwrap_or((rest, ""));
            let mut imports = self.sources[module].imports.iter();
            match imports.find(|import| import.name == name) {
                _ if name.is_empty() => return None,
                Some(import) if name != "*" => {
                    path = join(&self.absolute(module, &import.path)?, below);
                }
                _ => return Some(module.to_owned()),
            }
        }
        None
    }
}

impl Source {
    fn of(file: &str, text: &str) -> Source {
        let code = without_tests(&without_comments_and_strings(text));
        let visibility = Regex::new(r"pub\s*\([^)]*\)").unwrap();
        let code = visibility.replace_all(&code, "pub").into_owned();
        let uses = Regex::new(r"\b(pub\s+)?use\s+([^;]+);|\bmod\s+\w+;").unwrap();
        let mut imports = Vec::new();
        for found in uses.captures_iter(&code) {
            let is_public = found.get(1).is_some();
            let tree = found.get(2).map_or("", |tree| tree.as_str());
            let tree = tree.replace(" as ", "@").replace(char::is_whitespace, "");
            let import = |(name, path)| Import {
                name,
                path,
                is_public,
            };
            imports.extend(expand("", &tree).into_iter().map(import));
        }
        Source {
            file: file.to_owned(),
            code: uses.replace_all(&code, "").into_owned(),
            imports,
        }
    }

    /// Every path that the code names, with whether it only re-exports it: imports, and inline paths with imported
    /// names replaced by their full paths.
    fn named(&self) -> Vec<(String, bool)> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let words: BTreeSet<&str> = self.code.split(|c| !is_word(c)).collect();
        let is_re_export = |import: &Import| import.is_public && !words.contains(&*import.name);
        let imports = self.imports.iter();
        let imports = imports.map(|import| (import.path.clone(), is_re_export(import)));
        let mut paths: Vec<_> = imports.collect();
        let in_line = Regex::new(r"[A-Za-z_]\w*(?:::\w+)+").unwrap();
        for found in in_line.find_iter(&self.code) {
            let (name, rest) = found.as_str().split_once("::").unwrap();
            let import = self.imports.iter().find(|import| import.name == name);
            let path = join(import.map_or(name, |import| &import.path), rest);
            paths.push((path, false));
        }
        paths
    }

    /// The structs, enums, traits and type aliases that the file defines; associated types do not count.
    fn types(&self) -> Vec<&str> {
        let types = r"(?m)^(?:\s*(?:pub )?(?:struct|enum|trait|union)|(?:pub )?type) (\w+)";
        let types = Regex::new(types).unwrap();
        let found = types.captures_iter(&self.code);
        found.map(|found| found.get(1).unwrap().as_str()).collect()
    }
}

/// Each name of a `use` without blanks, with its path; `@` stands before an alias.
fn expand(prefix: &str, tree: &str) -> Vec<(String, String)> {
    if let Some((before, members)) = tree.split_once('{') {
        let prefix = join(prefix, before.trim_end_matches("::"));
        let (members, _) = members.rsplit_once('}').unwrap();
        let mut depth = 0_usize;
        let is_end = |c: char| {
            depth = depth + usize::from(c == '{') - usize::from(c == '}');
            c == ',' && depth == 0
        };
        let members = members.split(is_end).filter(|member| !member.is_empty());
        return members.flat_map(|member| expand(&prefix, member)).collect();
    }
    let (path, alias) = tree.split_once('@').unwrap_or((tree, ""));
    let path = join(prefix, path);
    let path = path.strip_suffix("::self").unwrap_or(&path);
    let name = path.rsplit_once("::").map_or(path, |(_, name)| name);
    let name = if alias.is_empty() { name } else { alias };
    vec![(name.to_owned(), path.to_owned())]
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
            depth = depth + usize::from(c == '{') - usize::from(c == '}');
            depth == 0 && matches!(c, '}' | ';')
        });
        rest = end.map_or("", |end| &tests[end + 1..]);
    }
    kept + rest
}

fn crate_of(files: impl IntoIterator<Item = (String, String)>, order: Vec<String>) -> Crate {
    let mut sources = BTreeMap::new();
    for (file, text) in files {
        let module = file.trim_end_matches(".rs").replace('/', "::");
        let names = module
            .split("::")
            .filter(|name| !["mod", "lib"].contains(name));
        let module = names.collect::<Vec<_>>().join("::");
        sources.insert(module, Source::of(&file, &text));
    }
    sources.remove("main");
    Crate { sources, order }
}

/// The package whose sources are in this folder.
fn package_at(folder: &str) -> Crate {
    let mut files = BTreeMap::new();
    for (file, text) in files_of(folder.as_ref()) {
        files.insert(file[folder.len() + 1..].to_owned(), text);
    }
    let order = order(&files["lib.rs"]);
    crate_of(files, order)
}

/// The names in the left column of the block of text in the comment of lib.rs.
fn order(text: &str) -> Vec<String> {
    let block = text.split("//! ```text").nth(1).unwrap().lines().skip(1);
    let rows = block.filter_map(|line| line.strip_prefix("//! ")?.split_once("  "));
    let names = rows.flat_map(|(names, _)| names.split(", ").map(str::to_owned));
    names.filter(|name| !name.is_empty()).collect()
}

/// A crate of a few files.
fn sample(files: &[(&str, &str)]) -> Crate {
    let files = files
        .iter()
        .map(|&(file, text)| (file.to_owned(), text.to_owned()));
    let order = ["rules", "git"].map(str::to_owned);
    crate_of(files, order.to_vec())
}
