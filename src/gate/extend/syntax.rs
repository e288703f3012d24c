//! The roles of Python's nodes.

use tree_sitter::Node;

use super::import::Atom;

/// The role of a node.
#[derive(Debug)]
pub(super) enum Item<'t> {
    /// Belongs to the definition that follows it without a blank line.
    Comment,
    /// Comes before the imports.
    Prologue,
    /// Imports names.
    Import(Vec<Atom>),
    /// A definition with a name.
    Definition(DefinitionHead<'t>),
    /// Nothing.
    Empty,
    /// Runs after all definitions, which go before it.
    Tail,
    /// Has no name itself, but may bind these.
    Other(Vec<String>),
}

/// The identity of a definition.
#[derive(Debug, Clone, Default)]
pub(super) struct DefinitionHead<'t> {
    /// Its kind, in words.
    pub(super) kind: &'static str,
    /// All names that it defines; several in `int x, y;`.
    pub(super) names: Vec<String>,
    /// Distinguishes definitions of one name, for example by parameter types.
    pub(super) shape: String,
    /// The members, if more can be added.
    pub(super) body: Option<Body<'t>>,
}

/// The place of members.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body<'t> {
    /// The node whose children are the members.
    pub(super) node: Node<'t>,
    /// The start of the body.
    pub(super) open: usize,
    /// The end of the body.
    pub(super) close: usize,
}

impl<'t> DefinitionHead<'t> {
    pub(super) fn new(kind: &'static str, name: impl Into<String>) -> DefinitionHead<'t> {
        DefinitionHead {
            kind,
            names: vec![name.into()],
            ..DefinitionHead::default()
        }
    }

    /// With a shape.
    pub(super) fn shaped(mut self, shape: impl Into<String>) -> DefinitionHead<'t> {
        self.shape = shape.into();
        self
    }

    /// With the members in a field of the node.
    pub(super) fn with_body(mut self, body: Option<Node<'t>>) -> DefinitionHead<'t> {
        self.body = body.map(|node| Body {
            node,
            open: node.start_byte(),
            close: node.end_byte(),
        });
        self
    }
}

/// The text of a node.
pub(super) fn text_of<'s>(node: Node<'_>, text: &'s str) -> &'s str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// The text of a field of a node, or nothing.
pub(super) fn field<'s>(node: Node<'_>, name: &str, text: &'s str) -> &'s str {
    let child = node.child_by_field_name(name);
    child.map_or("", |child| text_of(child, text))
}

/// Collapses runs of white space into one blank.
pub(super) fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The named children, in order.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}
