//! Rust.

use tree_sitter::Node;

use super::import::Atom;
use super::syntax::{DefinitionHead, Item, MACRO, TYPE, VALUE, children, field, plain, text_of};

/// Real `use` trees are shallower.
const MAX_DEPTH: usize = 32;

pub(super) fn item<'t>(node: Node<'t>, text: &str, attributes: &[&str]) -> Item<'t> {
    let name = field(node, "name", text);
    let body = node.child_by_field_name("body");
    let head = match node.kind() {
        "line_comment" | "block_comment" if node.child_by_field_name("inner").is_some() => {
            return Item::Prologue;
        }
        "line_comment" | "block_comment" => return Item::Comment,
        "attribute_item" => return Item::Attribute,
        "inner_attribute_item" => return Item::Prologue,
        "use_declaration" | "extern_crate_declaration" => {
            return Item::Import(imports(node, text, attributes).into());
        }
        "function_item" | "function_signature_item" => DefinitionHead::new("function", name, VALUE),
        "struct_item" => DefinitionHead::new("struct", name, TYPE),
        "enum_item" => DefinitionHead::new("enum", name, TYPE),
        "union_item" => DefinitionHead::new("union", name, TYPE),
        "type_item" | "associated_type" => DefinitionHead::new("type", name, TYPE),
        "trait_item" => DefinitionHead::new("trait", name, TYPE).with_body(body),
        // `mod word; pub use word::word;` is common.
        "mod_item" => DefinitionHead::new("module", name, 0).with_body(body),
        "const_item" if name == "_" => {
            DefinitionHead::new("constant", plain(text_of(node, text)), 0)
        }
        "const_item" => DefinitionHead::new("constant", name, VALUE),
        "static_item" => DefinitionHead::new("static", name, VALUE),
        "macro_definition" => DefinitionHead::new("macro", name, MACRO),
        "impl_item" => return Item::Definition(implementation(node, text, attributes)),
        "empty_statement" => return Item::Empty,
        _ => return Item::Other(Vec::new()),
    };
    Item::Definition(head.shaped(conditions(attributes)))
}

/// The conditions under which a definition exists.
fn conditions(attributes: &[&str]) -> String {
    let conditions = attributes.iter().map(|attribute| plain(attribute));
    let conditions: Vec<String> = conditions.filter(|it| it.starts_with("#[cfg")).collect();
    conditions.join(" ")
}

/// Identified by type and trait; the bounds distinguish its parts.
fn implementation<'t>(node: Node<'t>, text: &str, attributes: &[&str]) -> DefinitionHead<'t> {
    let of_type = plain(field(node, "type", text));
    let name = match plain(field(node, "trait", text)) {
        of_trait if of_trait.is_empty() => of_type,
        of_trait => format!("{of_trait} for {of_type}"),
    };
    let clauses = children(node)
        .into_iter()
        .filter(|child| child.kind() == "where_clause");
    let clauses: Vec<&str> = clauses.map(|clause| text_of(clause, text)).collect();
    let shape = [
        conditions(attributes),
        plain(field(node, "type_parameters", text)),
        plain(&clauses.join(" ")),
    ];
    let head = DefinitionHead::new("impl", name, 0).shaped(format!("<{}>", shape.join(" ").trim()));
    head.with_body(node.child_by_field_name("body"))
}

fn imports(node: Node<'_>, text: &str, attributes: &[&str]) -> Vec<Atom> {
    let visibility = children(node)
        .into_iter()
        .find(|it| it.kind() == "visibility_modifier");
    let visibility = visibility.map(|it| format!("{} ", text_of(it, text)));
    let prefix: String = attributes
        .iter()
        .map(|attribute| format!("{attribute}\n"))
        .collect();
    let prefix = prefix + &visibility.unwrap_or_default();
    let conditions = conditions(attributes);
    if node.kind() == "extern_crate_declaration" {
        let name = field(node, "name", text);
        let bound = Some(field(node, "alias", text)).filter(|alias| !alias.is_empty());
        let target = format!("extern crate {name}{conditions}");
        return vec![Atom::new(
            target,
            Some(bound.unwrap_or(name)),
            text_of(node, text),
        )];
    }
    let mut found = Vec::new();
    if let Some(argument) = node.child_by_field_name("argument") {
        flatten(argument, "", text, 0, &mut found);
    }
    let atom = |(path, alias): (String, Option<String>)| {
        let last = path.rsplit("::").next().unwrap_or_default();
        let bound = alias.as_deref().unwrap_or(last);
        // With conditions, a name may have several sources.
        let is_single = !["*", "_"].contains(&bound) && conditions.is_empty();
        let source = match &alias {
            Some(alias) => format!("{prefix}use {path} as {alias};"),
            None => format!("{prefix}use {path};"),
        };
        let target = format!("{path}{conditions}");
        Atom::new(target, is_single.then_some(bound), source)
    };
    found.into_iter().map(atom).collect()
}

/// The single paths of a `use` tree, each with its alias.
fn flatten(
    node: Node<'_>,
    prefix: &str,
    text: &str,
    depth: usize,
    found: &mut Vec<(String, Option<String>)>,
) {
    let joined = |path: &str| match (prefix, path) {
        ("", path) => path.to_owned(),
        (prefix, "self") => prefix.to_owned(),
        (prefix, path) => format!("{prefix}::{path}"),
    };
    match node.kind() {
        _ if depth > MAX_DEPTH => found.push((joined(&plain(text_of(node, text))), None)),
        "use_list" => {
            for child in children(node) {
                flatten(child, prefix, text, depth + 1, found);
            }
        }
        "scoped_use_list" => {
            let path = joined(&plain(field(node, "path", text)));
            if let Some(list) = node.child_by_field_name("list") {
                flatten(list, &path, text, depth + 1, found);
            }
        }
        "use_as_clause" => found.push((
            joined(&plain(field(node, "path", text))),
            Some(field(node, "alias", text).to_owned()),
        )),
        "line_comment" | "block_comment" => {}
        _ => found.push((joined(&plain(text_of(node, text))), None)),
    }
}
