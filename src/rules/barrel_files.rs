//! Barrel files: `index.ts`, `__init__.py`, `mod.rs` and `lib.rs` may gain lines that name a module which the design
//! lets the work add. Every such line must be a declaration of the language that does nothing else.

use std::collections::{BTreeSet, HashMap, HashSet};

use gix::bstr::{BStr, BString, ByteSlice};

use super::MeasuredChange;
use crate::change::Action;
use crate::policy::scope::Scope;
use crate::policy::{Actions, GrantKind};

/// The extensions of scripts, with which an import may or may not name its module.
const SCRIPTS: &[&str] = &[".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];

/// The names of files that stand for their directory.
const OF_DIRECTORY: &[&str] = &["index", "mod", "__init__"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Script,
    Python,
    Rust,
}

/// Whether the rule reads the content of this file.
pub(super) fn concerns(path: &BStr) -> bool {
    language(path).is_some()
}

/// The paths that the scope lets the work add one by one.
pub fn granted_modules(scope: &Scope) -> impl Iterator<Item = &BString> {
    scope
        .grants()
        .iter()
        .filter(|grant| grant.kind == GrantKind::File && grant.actions.contains(Actions::ADD))
        .map(|grant| &grant.path)
}

/// The modules that the work adds.
#[derive(Debug, Default)]
pub(super) struct AddedModules {
    /// Their paths, with and without extension; for a file that stands for its directory, also the directory.
    paths: HashSet<BString>,
    /// The directories in which a module of this name is added.
    places: HashMap<BString, BTreeSet<BString>>,
}

impl AddedModules {
    pub(super) fn new<'a>(added: impl Iterator<Item = &'a BStr>) -> AddedModules {
        let mut modules = AddedModules::default();
        for path in added {
            let module = module(path);
            let (directory, name) = split(module);
            modules
                .places
                .entry(name.into())
                .or_default()
                .insert(directory.into());
            modules.paths.insert(module.into());
            modules.paths.insert(path.to_owned());
        }
        modules
    }

    /// Whether the change only adds lines to a barrel file that name one of the modules, at or below its directory.
    pub(super) fn are_named_by(&self, changed: &MeasuredChange) -> bool {
        let change = &changed.change;
        let is_edit = change.action() == Action::Modify
            && change.renamed.is_none()
            && change.old.map(|state| state.kind) == change.new.map(|state| state.kind)
            && !change.leaves_no_regular_file();
        let (Some(language), Some(content), true) =
            (language(changed.path()), &changed.content, is_edit)
        else {
            return false;
        };
        let (directory, _) = split(changed.path());
        added_lines(&content.0, &content.1).is_some_and(|lines| {
            lines.into_iter().all(|line| {
                let line = line.to_str().ok().map(str::trim);
                line.is_some_and(|line| line.is_empty() || self.is_named(language, directory, line))
            })
        })
    }

    fn is_named(&self, language: Language, directory: &[u8], line: &str) -> bool {
        let is_here = |name: &str| {
            let places = self.places.get(BStr::new(name));
            let below = places.and_then(|places| places.range(BString::from(directory)..).next());
            below.is_some_and(|place| place.starts_with(directory))
        };
        match language {
            Language::Script => {
                let Some(module) = script_module(line) else {
                    return false;
                };
                let has = |module: &str| {
                    let path = [directory, module.as_bytes()].concat();
                    self.paths.contains(BStr::new(&path))
                };
                let ending = SCRIPTS
                    .iter()
                    .find_map(|ending| module.strip_suffix(ending));
                has(module) || ending.is_some_and(has)
            }
            Language::Rust => match rust_item(line) {
                Some(RustItem::Module(name)) => {
                    let path = [directory, name.as_bytes()].concat();
                    self.paths.contains(BStr::new(&path))
                }
                Some(RustItem::Use(tree)) => tree
                    .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .any(is_here),
                None => false,
            },
            Language::Python => python_module(line).is_some_and(is_here),
        }
    }
}

fn language(path: &BStr) -> Option<Language> {
    let (_, name) = split(path);
    match name {
        b"__init__.py" | b"__init__.pyi" => Some(Language::Python),
        b"mod.rs" | b"lib.rs" => Some(Language::Rust),
        _ => {
            let ending = name.strip_prefix(b"index")?;
            let is_script = SCRIPTS.iter().any(|script| script.as_bytes() == ending);
            is_script.then_some(Language::Script)
        }
    }
}

/// The path without its extension; for a file that stands for its directory, the directory.
fn module(path: &BStr) -> &[u8] {
    let (directory, name) = split(path);
    let stem = match name.iter().rposition(|&byte| byte == b'.') {
        Some(dot) if dot > 0 => &name[..dot],
        _ => name,
    };
    let is_directory = OF_DIRECTORY.iter().any(|known| known.as_bytes() == stem);
    match directory.strip_suffix(b"/") {
        Some(directory) if is_directory => directory,
        _ => &path[..directory.len() + stem.len()],
    }
}

/// The lines of `new` that `old` lacks; `None` if `old` has lines that `new` lacks, or in another order.
fn added_lines<'a>(old: &'a [u8], new: &'a [u8]) -> Option<Vec<&'a [u8]>> {
    let mut kept = old.split(|&byte| byte == b'\n').peekable();
    let mut added = Vec::new();
    for line in new.split(|&byte| byte == b'\n') {
        if kept.next_if_eq(&line).is_none() {
            added.push(line);
        }
    }
    kept.next().is_none().then_some(added)
}

/// The module of `export … from './module'` or `import … from './module'`, below the barrel's directory.
fn script_module(line: &str) -> Option<&str> {
    let line = line.strip_suffix(';').unwrap_or(line);
    let quote = line
        .chars()
        .next_back()
        .filter(|c| matches!(c, '\'' | '"'))?;
    let (before, module) = line[..line.len() - 1].rsplit_once(quote)?;
    let names = before
        .strip_prefix("export ")
        .or_else(|| before.strip_prefix("import "))?;
    let is_name = |c: char| c.is_alphanumeric() || "_$ {},*".contains(c);
    let is_module = |c: char| c.is_alphanumeric() || "_$-./@".contains(c);
    let is_from = names.is_empty() || names.trim_end().ends_with("from");
    let is_plain = names.chars().all(is_name) && module.chars().all(is_module);
    module
        .strip_prefix("./")
        .filter(|module| is_from && is_plain && !module.contains("..") && !module.contains("//"))
}

enum RustItem<'a> {
    Module(&'a str),
    Use(&'a str),
}

/// `mod name;` or `use tree;` with any visibility.
fn rust_item(line: &str) -> Option<RustItem<'_>> {
    let line = line.strip_suffix(';')?;
    let item = match line.strip_prefix("pub") {
        Some(rest) => match rest.strip_prefix('(') {
            Some(rest) => rest.split_once(')')?.1,
            None => rest.strip_prefix(' ')?,
        },
        None => line,
    };
    let (word, rest) = item.trim_start().split_once(' ')?;
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    match word {
        "mod" if rest.chars().all(is_name) => Some(RustItem::Module(rest)),
        "use" if rest.chars().all(|c| is_name(c) || ":{},* ".contains(c)) => {
            Some(RustItem::Use(rest))
        }
        _ => None,
    }
}

/// The module of `from .module import …`, `from . import module`, `import package.module`, or of its name in a list.
fn python_module(line: &str) -> Option<&str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let listed = line.strip_suffix(',').unwrap_or(line);
    for quote in ['"', '\''] {
        let inner = listed
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote));
        if let Some(name) = inner {
            return name.chars().all(is_name).then_some(name);
        }
    }
    if line.contains("..") || !line.chars().all(|c| is_name(c) || " .,*".contains(c)) {
        return None;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let last = |module: &'_ str| module.rsplit('.').next().map(str::len);
    match words.as_slice() {
        ["from", ".", "import", name] | ["from", ".", "import", name, "as", _] => Some(*name),
        ["from", module, "import", ..] | ["import", module] | ["import", module, "as", _] => {
            last(module).map(|length| &module[module.len() - length..])
        }
        _ => None,
    }
}

/// The directory, with its trailing slash, and the file name.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    path.split_at(path.rfind_byte(b'/').map_or(0, |slash| slash + 1))
}
