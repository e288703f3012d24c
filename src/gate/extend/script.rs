//! JavaScript and TypeScript.

use tree_sitter::Node;

use super::import::Atom;
use super::syntax::{DefinitionHead, Item, TYPE, VALUE, children, field, has_word, plain, text_of};

pub(super) fn item<'t>(node: Node<'t>, text: &str, _: &[&str]) -> Item<'t> {
    match node.kind() {
        "comment" => Item::Comment,
        "decorator" => Item::Attribute,
        "hash_bang_line" => Item::Prologue,
        "import_statement" => Item::Import(imports(node, text).into()),
        "empty_statement" => Item::Empty,
        "expression_statement" => match node.named_child(0) {
            Some(inner) if inner.kind() == "string" => Item::Prologue,
            Some(inner) if inner.kind() == "internal_module" => definition(inner, text),
            _ => Item::Other(Vec::new()),
        },
        "export_statement" => exported(node, text),
        "ambient_declaration" => match children(node).into_iter().find(|it| it.kind() != "comment")
        {
            // `declare global` declares no name of its own.
            Some(block) if block.kind() == "statement_block" => {
                Item::Definition(DefinitionHead::new("module", "global", 0).with_body(Some(block)))
            }
            Some(inner) => definition(inner, text),
            None => Item::Other(Vec::new()),
        },
        _ => definition(node, text),
    }
}

fn exported<'t>(node: Node<'t>, text: &str) -> Item<'t> {
    let is_default = has_word(node, "default");
    if let Some(declaration) = node.child_by_field_name("declaration") {
        let item = definition(declaration, text);
        return match item {
            Item::Definition(mut head) if is_default => {
                // Its name and its export name.
                head.names.push("default".to_owned());
                Item::Definition(head)
            }
            item => item,
        };
    }
    let name = if is_default {
        "default".to_owned()
    } else {
        plain(text_of(node, text))
    };
    Item::Definition(DefinitionHead::new("export", name, VALUE))
}

fn definition<'t>(node: Node<'t>, text: &str) -> Item<'t> {
    let name = field(node, "name", text);
    let body = node.child_by_field_name("body");
    let head = match node.kind() {
        "function_declaration" | "generator_function_declaration" => {
            DefinitionHead::new("function", name, VALUE)
        }
        "function_signature" => signature(DefinitionHead::new("function", name, VALUE), node, text),
        "class_declaration" | "abstract_class_declaration" => {
            DefinitionHead::new("class", name, VALUE | TYPE).with_body(body)
        }
        "interface_declaration" => DefinitionHead::new("interface", name, TYPE).with_body(body),
        "type_alias_declaration" => DefinitionHead::new("type", name, TYPE),
        "enum_declaration" => DefinitionHead::new("enum", name, VALUE | TYPE),
        // A namespace may share its name with a function or a class.
        "internal_module" | "module" => DefinitionHead::new("module", name, 0).with_body(body),
        "lexical_declaration" | "variable_declaration" => variables(node, text),
        "method_definition" => {
            let access = ["get", "set"].into_iter().find(|word| has_word(node, word));
            DefinitionHead::new("method", member(node, name), VALUE)
                .shaped(access.unwrap_or_default())
        }
        "method_signature" | "abstract_method_signature" => signature(
            DefinitionHead::new("method", member(node, name), VALUE),
            node,
            text,
        ),
        "public_field_definition" | "property_signature" => {
            DefinitionHead::new("property", member(node, name), VALUE)
        }
        "field_definition" => DefinitionHead::new(
            "property",
            member(node, field(node, "property", text)),
            VALUE,
        ),
        "index_signature" | "call_signature" | "construct_signature" => {
            DefinitionHead::new("signature", plain(text_of(node, text)), 0)
        }
        _ => return Item::Other(Vec::new()),
    };
    Item::Definition(head)
}

/// A class and its instances may have members of the same name.
fn member(node: Node<'_>, name: &str) -> String {
    if has_word(node, "static") {
        format!("static {}", plain(name))
    } else {
        plain(name)
    }
}

/// The parameter types distinguish signatures.
fn signature<'t>(head: DefinitionHead<'t>, node: Node<'_>, text: &str) -> DefinitionHead<'t> {
    let parameters = node
        .child_by_field_name("parameters")
        .map(children)
        .unwrap_or_default();
    let parameters = parameters.into_iter().filter(|it| it.kind() != "comment");
    let types: Vec<String> = parameters
        .map(|parameter| {
            let of_type = plain(field(parameter, "type", text));
            let of_type = of_type.trim_start_matches(':').trim();
            let of_type = if of_type.is_empty() { "any" } else { of_type };
            let is_rest = field(parameter, "pattern", text).starts_with("...");
            let mark = match parameter.kind() {
                _ if is_rest => "...",
                "optional_parameter" => "?",
                _ => "",
            };
            format!("{mark}{of_type}")
        })
        .collect();
    DefinitionHead {
        is_signature: true,
        ..head.shaped(format!("({})", types.join(", ")))
    }
}

fn variables<'t>(node: Node<'_>, text: &str) -> DefinitionHead<'t> {
    let declarators = children(node).into_iter();
    let declarators = declarators.filter(|it| it.kind() == "variable_declarator");
    let names = declarators.map(|it| plain(field(it, "name", text)));
    DefinitionHead {
        names: names.collect(),
        ..DefinitionHead::new("variable", "", VALUE)
    }
}

fn imports(node: Node<'_>, text: &str) -> Vec<Atom> {
    let end = if text_of(node, text).ends_with(';') {
        ";"
    } else {
        ""
    };
    let source = node.child_by_field_name("source");
    let parts = children(node);
    if let Some(required) = parts.iter().find(|it| it.kind() == "import_require_clause") {
        let name = required
            .named_child(0)
            .map_or("", |name| text_of(name, text));
        let from = field(*required, "source", text);
        let target = format!("{}:require", unquoted(from));
        return vec![Atom::new(target, Some(name), text_of(node, text))];
    }
    let from = source.map_or("", |source| text_of(source, text));
    let module = unquoted(from);
    let word = if has_word(node, "type") {
        "import type"
    } else {
        "import"
    };
    let Some(clause) = parts.iter().find(|it| it.kind() == "import_clause") else {
        return vec![Atom::new(module, None, format!("import {from}{end}"))];
    };
    let mut atoms = Vec::new();
    for part in children(*clause) {
        match part.kind() {
            "identifier" => {
                let name = text_of(part, text);
                let source = format!("{word} {name} from {from}{end}");
                atoms.push(Atom::new(format!("{module}:default"), Some(name), source));
            }
            "namespace_import" => {
                let name = part.named_child(0).map_or("", |name| text_of(name, text));
                let source = format!("{word} * as {name} from {from}{end}");
                atoms.push(Atom::new(format!("{module}:*"), Some(name), source));
            }
            _ => {
                let names = children(part).into_iter();
                for one in names.filter(|it| it.kind() == "import_specifier") {
                    let all = plain(text_of(one, text));
                    let (name, bound) = all.rsplit_once(" as ").unwrap_or((&all, &all));
                    let name = name.trim_start_matches("type ");
                    let bound = bound.trim_start_matches("type ");
                    let source = format!("{word} {{ {all} }} from {from}{end}");
                    let target = format!("{module}:{name}");
                    atoms.push(Atom::new(target, Some(bound), source));
                }
            }
        }
    }
    atoms
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\''])
}
