//! Go.

use tree_sitter::Node;

use super::import::{Atom, Bindings};
use super::syntax::{DefinitionHead, Item, VALUE, children, field, plain, text_of};

pub(super) fn item<'t>(node: Node<'t>, text: &str, _: &[&str]) -> Item<'t> {
    let name = field(node, "name", text);
    match node.kind() {
        "comment" => Item::Comment,
        "package_clause" => Item::Header,
        "import_declaration" => imports(node, text),
        // There may be several of each.
        "function_declaration" if ["init", "_"].contains(&name) => {
            let body = plain(text_of(node, text));
            Item::Definition(DefinitionHead::new("function", name, 0).shaped(body))
        }
        "function_declaration" => Item::Definition(DefinitionHead::new("function", name, VALUE)),
        "method_declaration" => {
            let receiver = receiver(field(node, "receiver", text));
            Item::Definition(DefinitionHead::new(
                "method",
                format!("{receiver}.{name}"),
                0,
            ))
        }
        "type_declaration" => types(node, text),
        "const_declaration" => Item::Definition(group("constant", node, text)),
        "var_declaration" => Item::Definition(group("variable", node, text)),
        "method_elem" | "method_spec" => {
            Item::Definition(DefinitionHead::new("method", name, VALUE))
        }
        _ => Item::Other(Vec::new()),
    }
}

/// The type of `(t *T[K])`.
fn receiver(parameters: &str) -> String {
    let inside = parameters.trim_matches(['(', ')']);
    let plain_type = inside.split('[').next().unwrap_or_default();
    let last = plain_type.split_whitespace().last().unwrap_or_default();
    last.trim_start_matches('*').to_owned()
}

fn types<'t>(node: Node<'t>, text: &str) -> Item<'t> {
    let specs = children(node);
    let specs: Vec<Node<'_>> = specs
        .into_iter()
        .filter(|it| it.kind() != "comment")
        .collect();
    let names = specs
        .iter()
        .map(|spec| field(*spec, "name", text).to_owned());
    let head = DefinitionHead {
        names: names.collect(),
        ..DefinitionHead::new("type", "", VALUE)
    };
    let interface = match specs.as_slice() {
        [spec] => spec
            .child_by_field_name("type")
            .filter(|it| it.kind() == "interface_type"),
        _ => None,
    };
    let mut head = head.with_body(interface);
    if let (Some(body), Some(interface)) = (&mut head.body, interface) {
        let brace = text_of(interface, text).find('{').unwrap_or_default();
        body.open = interface.start_byte() + brace;
    }
    Item::Definition(head)
}

/// A group of constants or variables is one definition: their values may depend on their order.
fn group<'t>(kind: &'static str, node: Node<'_>, text: &str) -> DefinitionHead<'t> {
    let mut names = Vec::new();
    for child in children(node) {
        let specs = if child.kind() == "var_spec_list" {
            children(child)
        } else {
            vec![child]
        };
        for spec in specs {
            let mut cursor = spec.walk();
            for name in spec.children_by_field_name("name", &mut cursor) {
                if name.kind() == "identifier" {
                    names.push(text_of(name, text).to_owned());
                }
            }
        }
    }
    let is_known = names.iter().any(|name| name != "_");
    names.retain(|name| name != "_" || !is_known);
    if !is_known {
        return DefinitionHead::new(kind, plain(text_of(node, text)), 0);
    }
    DefinitionHead {
        names,
        ..DefinitionHead::new(kind, "", VALUE)
    }
}

fn imports<'t>(node: Node<'_>, text: &str) -> Item<'t> {
    let mut specs = Vec::new();
    let mut list_end = None;
    for child in children(node) {
        if child.kind() == "import_spec_list" {
            specs.extend(children(child));
            let close = child.end_byte().saturating_sub(1);
            let line = super::scope::line_start(text, close);
            let is_alone = text.get(line..close).is_some_and(|it| it.trim().is_empty());
            list_end = is_alone.then_some(close);
        } else {
            specs.push(child);
        }
    }
    specs.retain(|spec| spec.kind() == "import_spec");
    let atoms: Vec<Atom> = specs
        .into_iter()
        .map(|spec| {
            let path = field(spec, "path", text);
            let alias = field(spec, "name", text);
            let path_of = path.trim_matches(['"', '`']);
            let bound = match alias {
                "_" | "." => None,
                "" => Some(last_of(path_of)),
                alias => Some(alias),
            };
            let target = match bound {
                Some(_) => path_of.to_owned(),
                None => format!("{alias} {path_of}"),
            };
            Atom::new(target, bound, plain(&format!("{alias} {path}")))
        })
        .collect();
    // A comment above `import "C"` is C source and belongs to it.
    if atoms.iter().any(|atom| atom.target == "C") {
        return Item::Other(Vec::new());
    }
    Item::Import(Bindings {
        atoms,
        list_end,
        is_list: true,
    })
}

/// The likely name of a package: `yaml` for `gopkg.in/yaml.v3`, `b` for `a/b/v2`.
fn last_of(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or_default();
    let is_version = |part: &str| {
        part.strip_prefix('v')
            .is_some_and(|digits| digits.bytes().all(|it| it.is_ascii_digit()))
    };
    let last = if is_version(last) {
        parts.next().unwrap_or(last)
    } else {
        last
    };
    match last.rsplit_once('.') {
        Some((name, version)) if is_version(version) => name,
        _ => last,
    }
}

/// Whether the text uses the package. An unused import does not compile.
pub(super) fn uses(atom: &Atom, text: &str) -> bool {
    let Some(bound) = &atom.bound else {
        return true;
    };
    let mut names = vec![bound.as_str()];
    // The name of a package may differ from its directory in these ways.
    names.extend(bound.strip_prefix("go-"));
    names.extend(bound.strip_suffix("-go"));
    names.extend(bound.rsplit(['-', '.']));
    names.iter().any(|name| mentions(text, name))
}

fn mentions(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    text.match_indices(name).any(|(at, _)| {
        let after = &text[at + name.len()..];
        after.starts_with('.') && !text[..at].ends_with(is_word)
    })
}
