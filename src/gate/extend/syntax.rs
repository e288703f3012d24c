//! What `extend` has to know of a language: its grammar, and what each node of a body is.

use tree_sitter::{Language, Node};

use super::import::{Atom, Bindings};

/// A language.
#[derive(Debug)]
pub(super) struct Syntax {
    pub(super) name: &'static str,
    /// Ends of file names, without the dot.
    pub(super) extensions: &'static [&'static str],
    pub(super) grammar: fn() -> Language,
    /// What a node of a body is; `attributes` are the texts of those before it.
    pub(super) item: for<'t> fn(node: Node<'t>, text: &str, attributes: &[&str]) -> Item<'t>,
    /// Whether bodies have braces; else indentation makes them.
    pub(super) has_braces: bool,
    /// Blank lines between the definitions of a file.
    pub(super) blank_lines: usize,
    /// Between a container and its member.
    pub(super) separator: &'static str,
    /// Kinds of nodes whose further lines are content, which indentation would change.
    pub(super) strings: &'static [&'static str],
    /// Whether added text uses an import; only where one that is not used is an error.
    pub(super) uses: Option<fn(atom: &Atom, text: &str) -> bool>,
}

impl Syntax {
    pub(super) fn grammar(&self) -> Language {
        (self.grammar)()
    }
}

/// Names of different spaces do not meet.
pub(super) const VALUE: u8 = 1;
pub(super) const TYPE: u8 = 2;
pub(super) const CALL: u8 = 4;
pub(super) const MACRO: u8 = 8;

/// What a node of a body is.
#[derive(Debug)]
pub(super) enum Item<'t> {
    /// Belongs to the definition that follows it without a blank line.
    Comment,
    /// Belongs to the definition that follows it.
    Attribute,
    /// Says what the file is part of: the same in both, or they do not fit together.
    Header,
    /// Stands before the imports.
    Prologue,
    /// Binds names of elsewhere.
    Import(Bindings),
    /// Something with a name.
    Definition(DefinitionHead<'t>),
    /// Says nothing.
    Empty,
    /// Runs when all is defined: definitions go before it.
    Tail,
    /// Has no name itself, but may bind these.
    Other(Vec<String>),
}

/// What a definition is known by.
#[derive(Debug, Clone, Default)]
pub(super) struct DefinitionHead<'t> {
    /// A word for people.
    pub(super) kind: &'static str,
    /// All that it defines; more than one in `int x, y;`.
    pub(super) names: Vec<String>,
    /// Tells definitions of one name apart, such as parameter types; empty where the name alone tells.
    pub(super) shape: String,
    /// The spaces of its names.
    pub(super) spaces: u8,
    /// The members, where it has any that can be added to.
    pub(super) body: Option<Body<'t>>,
    /// Whether an implementation of the same name may follow that makes one definition with it.
    pub(super) is_signature: bool,
}

/// Where members are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body<'t> {
    /// Its children are the members.
    pub(super) node: Node<'t>,
    /// The first byte of the body; that of its opening brace, where it has one.
    pub(super) open: usize,
    /// The byte after the whole body, its closing brace included.
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

/// Runs of white space as one blank.
pub(super) fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The named children, in order.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// Whether a child without a name, such as a keyword, is there.
pub(super) fn has_word(node: Node<'_>, word: &str) -> bool {
    let mut cursor = node.walk();
    let mut all = node.children(&mut cursor);
    all.any(|child| child.kind() == word)
}
