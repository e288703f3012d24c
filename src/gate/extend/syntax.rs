//! What `extend` needs to know about a language: its grammar, and the role of each node.

use tree_sitter::{Language, Node};

use super::import::{Atom, Bindings};

/// A language.
#[derive(Debug)]
pub(super) struct Syntax {
    pub(super) name: &'static str,
    /// File extensions, without the dot.
    pub(super) extensions: &'static [&'static str],
    pub(super) grammar: fn() -> Language,
    /// The role of a node; `attributes` are the texts of those before it.
    pub(super) item: for<'t> fn(node: Node<'t>, text: &str, attributes: &[&str]) -> Item<'t>,
    /// Whether bodies have braces; otherwise they are indented.
    pub(super) has_braces: bool,
    /// Blank lines between definitions.
    pub(super) blank_lines: usize,
    /// The separator between a container and its member.
    pub(super) separator: &'static str,
    /// Node kinds whose later lines are content, so indentation would change them.
    pub(super) strings: &'static [&'static str],
    /// Whether the added text uses an import; only for languages where an unused import is an error.
    pub(super) uses: Option<fn(atom: &Atom, text: &str) -> bool>,
}

impl Syntax {
    pub(super) fn grammar(&self) -> Language {
        (self.grammar)()
    }
}

/// Names in different name spaces do not conflict.
pub(super) const VALUE: u8 = 1;
pub(super) const TYPE: u8 = 2;
pub(super) const CALL: u8 = 4;
pub(super) const MACRO: u8 = 8;

/// The role of a node.
#[derive(Debug)]
pub(super) enum Item<'t> {
    /// Belongs to the definition that follows it without a blank line.
    Comment,
    /// Belongs to the definition that follows it.
    Attribute,
    /// Names the package or module of the file, which must be equal in both.
    Header,
    /// Comes before the imports.
    Prologue,
    /// Imports names.
    Import(Bindings),
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
    /// The name spaces of its names.
    pub(super) spaces: u8,
    /// The members, if more can be added.
    pub(super) body: Option<Body<'t>>,
    /// Whether it is a signature that belongs to a following implementation of the same name.
    pub(super) is_signature: bool,
}

/// The place of members.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body<'t> {
    /// The node whose children are the members.
    pub(super) node: Node<'t>,
    /// The start of the body, at its opening brace if it has one.
    pub(super) open: usize,
    /// The end of the body, after its closing brace.
    pub(super) close: usize,
}

impl<'t> DefinitionHead<'t> {
    pub(super) fn new(
        kind: &'static str,
        name: impl Into<String>,
        spaces: u8,
    ) -> DefinitionHead<'t> {
        DefinitionHead {
            kind,
            names: vec![name.into()],
            spaces,
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

/// Whether there is an unnamed child, such as a keyword.
pub(super) fn has_word(node: Node<'_>, word: &str) -> bool {
    let mut cursor = node.walk();
    let mut all = node.children(&mut cursor);
    all.any(|child| child.kind() == word)
}
