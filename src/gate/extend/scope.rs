//! A file or body, split into imports, definitions (with their comments and attributes) and the rest.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::import::Atom;
use super::python;
use super::syntax::{DefinitionHead, Item, plain};

/// Deeper members are compared as a whole.
const MAX_DEPTH: usize = 8;

/// A file or a body.
#[derive(Debug)]
pub(super) struct CodeScope<'t> {
    pub(super) text: &'t str,
    pub(super) root: Node<'t>,
    /// The end of the prologue before the imports, or the start of the scope.
    pub(super) prologue_end: usize,
    pub(super) imports: Vec<Import>,
    pub(super) definitions: Vec<Definition<'t>>,
    /// Statements without a name.
    pub(super) others: Vec<Range<usize>>,
    /// Names that those statements may bind.
    pub(super) hidden: Vec<String>,
    /// The start of the first statement after imports and prologue.
    pub(super) first_statement: Option<usize>,
    /// The start of the statement that ends the file.
    pub(super) tail: Option<usize>,
}

/// An import statement.
#[derive(Debug)]
pub(super) struct Import {
    pub(super) range: Range<usize>,
    pub(super) atoms: Vec<Atom>,
}

/// A definition with its comments.
#[derive(Debug)]
pub(super) struct Definition<'t> {
    pub(super) head: DefinitionHead<'t>,
    pub(super) range: Range<usize>,
    /// Blank lines before it; `None` for the first item of its scope.
    pub(super) gap: Option<usize>,
    pub(super) members: Option<Box<CodeScope<'t>>>,
}

/// What was read last, to decide what belongs to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastItem {
    Nothing,
    Import,
    Definition,
    Other,
}

impl<'t> CodeScope<'t> {
    pub(super) fn of_file(text: &'t str, tree: &'t Tree) -> CodeScope<'t> {
        CodeScope::read(text, tree.root_node(), 0, 0)
    }

    /// `open` is the start of the scope.
    fn read(text: &'t str, node: Node<'t>, open: usize, depth: usize) -> CodeScope<'t> {
        let mut scope = CodeScope {
            text,
            root: node,
            prologue_end: open,
            imports: Vec::new(),
            definitions: Vec::new(),
            others: Vec::new(),
            hidden: Vec::new(),
            first_statement: None,
            tail: None,
        };
        let mut cursor = node.walk();
        let mut pending: Option<usize> = None;
        let (mut last, mut last_end) = (LastItem::Nothing, open);
        for child in node.children(&mut cursor) {
            let range = child.start_byte()..trimmed_end(text, child.start_byte(), child.end_byte());
            if !child.is_named() {
                if matches!(child.kind(), ";" | ",") {
                    scope.lengthen(last, range.end);
                    last_end = range.end;
                }
                continue;
            }
            let newlines = newlines(text, last_end, range.start);
            match python::item(child, text) {
                Item::Comment if newlines == 0 && last != LastItem::Nothing => {
                    scope.lengthen(last, range.end);
                }
                Item::Comment => {
                    if pending.is_none() || newlines > 1 {
                        pending = Some(range.start);
                    }
                    last = LastItem::Nothing;
                }
                item => {
                    let start = pending.take().filter(|_| newlines <= 1);
                    let whole = start.unwrap_or(range.start)..range.end;
                    last = scope.add(item, range.clone(), whole, open, depth);
                }
            }
            last_end = range.end;
        }
        scope
    }

    /// `range` is the node; `whole` includes its comments.
    fn add(
        &mut self,
        item: Item<'t>,
        range: Range<usize>,
        whole: Range<usize>,
        open: usize,
        depth: usize,
    ) -> LastItem {
        if !matches!(item, Item::Empty) {
            self.tail = None;
        }
        if matches!(item, Item::Definition(_) | Item::Tail | Item::Other(_)) {
            self.first_statement.get_or_insert(whole.start);
        }
        match item {
            Item::Prologue => {
                if self.imports.is_empty() && self.first_statement.is_none() {
                    self.prologue_end = range.end;
                }
                self.others.push(range);
                LastItem::Other
            }
            // A comment before an import may be about the whole file.
            Item::Import(atoms) => {
                self.imports.push(Import { range, atoms });
                LastItem::Import
            }
            Item::Definition(head) => {
                self.define(head, whole, open, depth);
                LastItem::Definition
            }
            Item::Empty => LastItem::Nothing,
            Item::Tail => {
                self.tail = Some(whole.start);
                self.others.push(range);
                LastItem::Other
            }
            Item::Other(names) => {
                self.hidden.extend(names);
                self.others.push(range);
                LastItem::Other
            }
            // The caller handles it.
            Item::Comment => LastItem::Nothing,
        }
    }

    fn define(&mut self, head: DefinitionHead<'t>, range: Range<usize>, open: usize, depth: usize) {
        let before = self.text.get(..range.start).unwrap_or_default().trim_end();
        let gap = (before.len() > open)
            .then(|| newlines(self.text, before.len(), range.start).saturating_sub(1));
        let members = head
            .body
            .filter(|_| depth < MAX_DEPTH)
            .map(|body| Box::new(CodeScope::read(self.text, body.node, body.open, depth + 1)));
        self.definitions.push(Definition {
            head,
            range,
            gap,
            members,
        });
    }

    fn lengthen(&mut self, last: LastItem, end: usize) {
        let range = match last {
            LastItem::Nothing => None,
            LastItem::Import => self.imports.last_mut().map(|import| &mut import.range),
            LastItem::Definition => self.definitions.last_mut().map(|it| &mut it.range),
            LastItem::Other => self.others.last_mut(),
        };
        if let Some(range) = range {
            range.end = end;
        }
    }

    /// The text of a range, without indentation and trailing white space.
    pub(super) fn dedented(&self, range: &Range<usize>) -> String {
        let indent = indent_at(self.text, range.start);
        let text = self.text.get(range.clone()).unwrap_or_default();
        let lines = text
            .lines()
            .map(|line| line.strip_prefix(indent).unwrap_or(line));
        lines.map(str::trim_end).collect::<Vec<_>>().join("\n")
    }

    /// The text of a range.
    pub(super) fn text_of(&self, range: &Range<usize>) -> &'t str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// A container up to its body, without white space.
    pub(super) fn header_of(&self, container: &Definition<'_>) -> String {
        let body = container.head.body.map(|body| body.open);
        let range = container.range.start..body.unwrap_or(container.range.end);
        plain(self.text_of(&range))
    }

    /// The start of the first item in the scope.
    pub(super) fn first(&self) -> Option<usize> {
        let imports = self.imports.first().map(|import| import.range.start);
        let definitions = self.definitions.first().map(|it| it.range.start);
        let others = self.others.first().map(|range| range.start);
        [imports, definitions, others].into_iter().flatten().min()
    }

    /// The keys of all named items at every depth, which a change must preserve.
    pub(super) fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        for import in &self.imports {
            keys.extend(
                import
                    .atoms
                    .iter()
                    .map(|atom| format!("import {} {:?}", atom.target, atom.bound)),
            );
        }
        for definition in &self.definitions {
            keys.extend(definition.keys());
        }
        keys
    }
}

impl Definition<'_> {
    /// The key of the definition and those of its members.
    pub(super) fn keys(&self) -> Vec<String> {
        let own = self.head.key();
        let members = self.members.as_ref().map(|members| members.keys());
        let members = members.into_iter().flatten();
        let members = members.map(|key| format!("{own} / {key}"));
        std::iter::once(own.clone()).chain(members).collect()
    }
}

impl DefinitionHead<'_> {
    pub(super) fn key(&self) -> String {
        format!("{} {} {}", self.kind, self.names.join(", "), self.shape)
    }
}

/// The white space at the start of a line.
pub(super) fn indent_at(text: &str, at: usize) -> &str {
    let line = text.get(line_start(text, at)..).unwrap_or_default();
    let rest = line.trim_start_matches([' ', '\t']);
    &line[..line.len() - rest.len()]
}

/// The start of the line at a byte offset.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    before.rfind('\n').map_or(0, |newline| newline + 1)
}

fn trimmed_end(text: &str, start: usize, end: usize) -> usize {
    start + text.get(start..end).unwrap_or_default().trim_end().len()
}

fn newlines(text: &str, from: usize, to: usize) -> usize {
    let between = text.get(from..to).unwrap_or_default();
    between.bytes().filter(|&byte| byte == b'\n').count()
}
