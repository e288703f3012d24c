//! Java.

use tree_sitter::Node;

use super::import::Atom;
use super::syntax::{
    Body, CALL, DefinitionHead, Item, TYPE, VALUE, children, field, has_word, plain, text_of,
};

pub(super) fn item<'t>(node: Node<'t>, text: &str, _: &[&str]) -> Item<'t> {
    let name = field(node, "name", text);
    let body = node.child_by_field_name("body");
    let head = match node.kind() {
        "line_comment" | "block_comment" => return Item::Comment,
        "package_declaration" => return Item::Header,
        "import_declaration" => return Item::Import(vec![import(node, text)].into()),
        "class_declaration" => DefinitionHead::new("class", name, TYPE).with_body(body),
        "interface_declaration" => DefinitionHead::new("interface", name, TYPE).with_body(body),
        "record_declaration" => DefinitionHead::new("record", name, TYPE).with_body(body),
        "annotation_type_declaration" => {
            DefinitionHead::new("annotation", name, TYPE).with_body(body)
        }
        "enum_declaration" => enumeration(name, body),
        "method_declaration" => {
            DefinitionHead::new("method", name, CALL).shaped(parameters(node, text))
        }
        "annotation_type_element_declaration" => {
            DefinitionHead::new("method", name, CALL).shaped("()")
        }
        "constructor_declaration" => {
            DefinitionHead::new("constructor", name, 0).shaped(parameters(node, text))
        }
        "compact_constructor_declaration" => {
            DefinitionHead::new("constructor", name, 0).shaped("compact")
        }
        "field_declaration" | "constant_declaration" => fields(node, text),
        "enum_constant" => DefinitionHead::new("constant", name, VALUE),
        "empty_statement" => return Item::Empty,
        _ => return Item::Other(Vec::new()),
    };
    Item::Definition(head)
}

/// The members of an enum follow its constants.
fn enumeration<'t>(name: &str, body: Option<Node<'t>>) -> DefinitionHead<'t> {
    let head = DefinitionHead::new("enum", name, TYPE);
    let Some(body) = body else {
        return head;
    };
    let members = children(body)
        .into_iter()
        .find(|it| it.kind() == "enum_body_declarations");
    DefinitionHead {
        body: members.map(|node| Body {
            node,
            open: node.start_byte(),
            close: body.end_byte(),
        }),
        ..head
    }
}

/// The parameter types that distinguish overloads, without type arguments, which are erased.
fn parameters(node: Node<'_>, text: &str) -> String {
    let Some(parameters) = node.child_by_field_name("parameters") else {
        return "()".to_owned();
    };
    let types: Vec<String> = children(parameters)
        .into_iter()
        .filter_map(|parameter| match parameter.kind() {
            "formal_parameter" => {
                let dimensions = plain(field(parameter, "dimensions", text));
                Some(erased(field(parameter, "type", text)) + &dimensions)
            }
            "spread_parameter" => {
                let mut parts = children(parameter).into_iter();
                let of_type = parts.find(|it| it.kind() != "modifiers");
                of_type.map(|it| erased(text_of(it, text)) + "...")
            }
            _ => None,
        })
        .collect();
    format!("({})", types.join(", "))
}

/// `List[]` for `java.util.List<String>[]`.
fn erased(of_type: &str) -> String {
    let mut depth = 0_usize;
    let mut result = String::new();
    for c in of_type.chars().filter(|c| !c.is_whitespace()) {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '.' if depth == 0 => result.clear(),
            c if depth == 0 => result.push(c),
            _ => {}
        }
    }
    result
}

fn fields<'t>(node: Node<'_>, text: &str) -> DefinitionHead<'t> {
    let mut cursor = node.walk();
    let declarators = node.children_by_field_name("declarator", &mut cursor);
    let names = declarators.map(|it| field(it, "name", text).to_owned());
    DefinitionHead {
        names: names.collect(),
        ..DefinitionHead::new("field", "", VALUE)
    }
}

fn import(node: Node<'_>, text: &str) -> Atom {
    let statement = plain(text_of(node, text));
    let target = statement
        .trim_start_matches("import ")
        .trim_end_matches(';')
        .trim();
    let is_static = has_word(node, "static");
    let is_all = target.ends_with('*');
    let last = target.rsplit('.').next();
    // Static imports of one name may be overloads.
    let bound = last.filter(|_| !is_static && !is_all);
    Atom::new(target, bound, &statement)
}
