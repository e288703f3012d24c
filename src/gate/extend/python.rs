//! Python.

use tree_sitter::Node;

use super::import::Atom;
use super::syntax::{DefinitionHead, Item, children, field, plain, text_of};

/// Decorators that intentionally define a name again.
const ACCESSORS: &[&str] = &["setter", "getter", "deleter", "register"];

pub(super) fn item<'t>(node: Node<'t>, text: &str) -> Item<'t> {
    match node.kind() {
        "comment" if is_for_the_top(node, text) => Item::Prologue,
        "comment" => Item::Comment,
        "import_statement" => Item::Import(modules(node, text)),
        "import_from_statement" => {
            let module = plain(field(node, "module_name", text));
            Item::Import(names(node, &module, text))
        }
        "future_import_statement" => {
            let mut atoms = names(node, "__future__", text);
            atoms.iter_mut().for_each(|atom| atom.is_first = true);
            Item::Import(atoms)
        }
        "function_definition" | "class_definition" => Item::Definition(head(node, text)),
        "decorated_definition" => match node.child_by_field_name("definition") {
            Some(definition) => {
                let head = head(definition, text);
                let shape = shape(node, definition, text);
                Item::Definition(if head.kind == "class" {
                    head
                } else {
                    head.shaped(shape)
                })
            }
            None => Item::Other(Vec::new()),
        },
        "type_alias_statement" => {
            let left = field(node, "left", text);
            let name = left.split('[').next().unwrap_or(left);
            Item::Definition(DefinitionHead::new("type", plain(name)))
        }
        "expression_statement" => expression(node, text),
        "pass_statement" => Item::Empty,
        "if_statement" if is_main(node, text) => Item::Tail,
        "if_statement" | "try_statement" | "with_statement" | "for_statement"
        | "while_statement" | "match_statement" => Item::Other(bound_within(node, text)),
        _ => Item::Other(Vec::new()),
    }
}

/// The shebang line, and that of the encoding.
fn is_for_the_top(comment: Node<'_>, text: &str) -> bool {
    let (row, comment) = (comment.start_position().row, text_of(comment, text));
    (row == 0 && comment.starts_with("#!")) || (row < 2 && comment.contains("coding"))
}

fn head<'t>(node: Node<'t>, text: &str) -> DefinitionHead<'t> {
    let name = field(node, "name", text);
    if node.kind() == "class_definition" {
        DefinitionHead::new("class", name).with_body(node.child_by_field_name("body"))
    } else {
        DefinitionHead::new("function", name).shaped("plain")
    }
}

/// A property has one definition per accessor; single dispatch has several under any name.
fn shape(decorated: Node<'_>, definition: Node<'_>, text: &str) -> String {
    let decorators = children(decorated)
        .into_iter()
        .filter(|it| it.kind() == "decorator");
    for decorator in decorators {
        let decorator = plain(text_of(decorator, text));
        let name = decorator.split('(').next().unwrap_or_default().trim();
        let Some((_, last)) = name.rsplit_once('.') else {
            continue;
        };
        if last == "register" {
            let parameters = plain(field(definition, "parameters", text));
            return format!("{decorator} {parameters}");
        }
        if ACCESSORS.contains(&last) {
            return last.to_owned();
        }
    }
    "plain".to_owned()
}

fn expression<'t>(node: Node<'t>, text: &str) -> Item<'t> {
    let Some(inner) = node.named_child(0) else {
        return Item::Other(Vec::new());
    };
    match inner.kind() {
        "string" => Item::Prologue,
        "ellipsis" => Item::Empty,
        "assignment" => {
            let mut names = Vec::new();
            let mut assignment = Some(inner);
            while let Some(node) = assignment.filter(|node| node.kind() == "assignment") {
                names.push(plain(field(node, "left", text)));
                assignment = node.child_by_field_name("right");
            }
            if names.iter().any(|name| name.contains(['.', '[', '('])) {
                return Item::Other(Vec::new());
            }
            let names = names.iter().flat_map(|name| name.split(','));
            let names = names.map(|name| name.trim().to_owned());
            Item::Definition(DefinitionHead {
                names: names.filter(|name| !name.is_empty()).collect(),
                ..DefinitionHead::new("variable", "")
            })
        }
        _ => Item::Other(Vec::new()),
    }
}

fn is_main(node: Node<'_>, text: &str) -> bool {
    let condition = field(node, "condition", text);
    condition.contains("__name__") && condition.contains("__main__")
}

/// `import a.b, c as d`.
fn modules(node: Node<'_>, text: &str) -> Vec<Atom> {
    let atom = |child: Node<'_>| {
        let (path, alias) = aliased(child, text);
        let first = path.split('.').next().unwrap_or_default();
        match &alias {
            Some(alias) => Atom::new(&path, Some(alias), format!("import {path} as {alias}")),
            // The name is that of the first package; the rest is loaded with it.
            None => Atom {
                meaning: first.to_owned(),
                ..Atom::new(&path, Some(first), format!("import {path}"))
            },
        }
    };
    children(node)
        .into_iter()
        .filter(|child| child.kind() != "comment")
        .map(atom)
        .collect()
}

/// `from m import a, b as c`.
fn names(node: Node<'_>, module: &str, text: &str) -> Vec<Atom> {
    let atom = |child: Node<'_>| {
        if child.kind() == "wildcard_import" {
            return Atom::new(
                format!("{module}:*"),
                None,
                format!("from {module} import *"),
            );
        }
        let (name, alias) = aliased(child, text);
        let bound = alias.as_deref().unwrap_or(&name);
        let source = match &alias {
            Some(alias) => format!("from {module} import {name} as {alias}"),
            None => format!("from {module} import {name}"),
        };
        Atom::new(format!("{module}:{name}"), Some(bound), source)
    };
    let names = children(node).into_iter();
    let module = node.child_by_field_name("module_name");
    names
        .filter(|child| Some(*child) != module && child.kind() != "comment")
        .map(atom)
        .collect()
}

fn aliased(node: Node<'_>, text: &str) -> (String, Option<String>) {
    match node.kind() {
        "aliased_import" => (
            plain(field(node, "name", text)),
            Some(plain(field(node, "alias", text))),
        ),
        _ => (plain(text_of(node, text)), None),
    }
}

/// The names that a statement may bind in its scope; not recursive.
fn bound_within(node: Node<'_>, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut cursor = node.walk();
    loop {
        let node = cursor.node();
        match node.kind() {
            "function_definition" | "class_definition" => {
                found.push(field(node, "name", text).to_owned());
            }
            "import_statement" => found.extend(bound(modules(node, text))),
            "import_from_statement" => found.extend(bound(names(node, "", text))),
            kind => {
                match kind {
                    "assignment" | "for_statement" => {
                        found.extend(targets(field(node, "left", text)));
                    }
                    "named_expression" => found.push(plain(field(node, "name", text))),
                    "as_pattern_target" => found.extend(targets(text_of(node, text))),
                    _ => {}
                }
                if cursor.goto_first_child() {
                    continue;
                }
            }
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// The names in an assignment target, such as `a, (b, *c)`.
fn targets(left: &str) -> impl Iterator<Item = String> {
    let names = left.split([',', '(', ')', '[', ']', '*']);
    names.map(plain).filter(|name| !name.is_empty())
}

fn bound(atoms: Vec<Atom>) -> impl Iterator<Item = String> {
    atoms.into_iter().filter_map(|atom| atom.bound)
}
