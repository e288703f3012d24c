//! A Python file or class body, split into imports, definitions with their comments, and the rest.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tree_sitter::Node;

/// Deeper members are compared as a whole.
const MAX_DEPTH: usize = 8;
/// Decorators that intentionally define a name again.
const ACCESSORS: &[&str] = &["setter", "getter", "deleter", "register"];

/// A file or a class body.
#[derive(Debug)]
pub(super) struct CodeScope<'t> {
    pub(super) text: &'t str,
    pub(super) root: Node<'t>,
    /// The start of the scope.
    pub(super) open: usize,
    /// The end of the prologue before the imports, or the start of the scope.
    pub(super) prologue_end: usize,
    pub(super) imports: Vec<Import>,
    pub(super) definitions: Vec<Definition<'t>>,
    /// Statements without a name.
    pub(super) others: Vec<Range<usize>>,
    /// Names that those statements may bind.
    pub(super) hidden: HashSet<String>,
    /// The start of the first statement after imports and prologue.
    pub(super) first_statement: Option<usize>,
    /// The start of the statement that ends the file.
    pub(super) tail: Option<usize>,
    /// Which definitions have a name.
    named: HashMap<String, Vec<usize>>,
    /// What imported names mean.
    meanings: HashMap<String, Vec<String>>,
}

/// An import statement.
#[derive(Debug)]
pub(super) struct Import {
    pub(super) range: Range<usize>,
    pub(super) atoms: Vec<Atom>,
}

/// One imported name, so that `from m import a, b` equals two statements.
#[derive(Debug, Clone)]
pub(super) struct Atom {
    /// What is imported, and from where.
    pub(super) target: String,
    /// What the name refers to, if not the target: `import a.b` binds `a`.
    pub(super) meaning: String,
    /// The local name; `None` for `*`.
    pub(super) bound: Option<String>,
    /// A statement that imports only this.
    pub(super) source: String,
    /// Whether it must come before all other imports.
    pub(super) is_first: bool,
}

impl Atom {
    pub(super) fn key(&self) -> String {
        format!("import {} {:?}", self.target, self.bound)
    }
}

/// A definition with its comments.
#[derive(Debug)]
pub(super) struct Definition<'t> {
    /// Its kind, in words.
    pub(super) kind: &'static str,
    /// All names that it defines; several in `x, y = 1, 2`.
    pub(super) names: Vec<String>,
    /// Distinguishes functions of one name, such as the accessors of a property.
    pub(super) shape: String,
    pub(super) range: Range<usize>,
    /// Blank lines before it; `None` for the first item of its scope.
    pub(super) gap: Option<usize>,
    /// The body of a class.
    pub(super) body: Option<Node<'t>>,
    pub(super) members: Option<Box<CodeScope<'t>>>,
}

impl Definition<'_> {
    pub(super) fn name(&self) -> String {
        self.names.join(", ")
    }

    /// Whether both define the same thing.
    pub(super) fn is_like(&self, other: &Definition<'_>) -> bool {
        (self.kind, &self.shape) == (other.kind, &other.shape)
    }

    pub(super) fn key(&self) -> String {
        format!("{} {} {}", self.kind, self.name(), self.shape)
    }

    /// The key of the definition and those of its members.
    pub(super) fn keys(&self) -> Vec<String> {
        let own = self.key();
        let members = self.members.as_ref().map(|members| members.keys());
        let members = members.into_iter().flatten();
        let members = members.map(|key| format!("{own} / {key}"));
        std::iter::once(own.clone()).chain(members).collect()
    }
}

/// The role of a node.
enum Item<'t> {
    /// Belongs to the definition that follows it without a blank line.
    Comment,
    /// Comes before the imports.
    Prologue,
    Import(Vec<Atom>),
    /// A definition: its kind, names, shape and body.
    Definition(&'static str, Vec<String>, String, Option<Node<'t>>),
    /// Nothing.
    Empty,
    /// Runs after all definitions, which go before it.
    Tail,
    /// Has no name itself, but may bind these.
    Other(Vec<String>),
}

impl<'t> CodeScope<'t> {
    /// Reads a file.
    pub(super) fn of_file(text: &'t str, root: Node<'t>) -> CodeScope<'t> {
        CodeScope::read(text, root, 0, 0)
    }

    fn read(text: &'t str, root: Node<'t>, open: usize, depth: usize) -> CodeScope<'t> {
        let mut scope = CodeScope {
            text,
            root,
            open,
            prologue_end: open,
            imports: Vec::new(),
            definitions: Vec::new(),
            others: Vec::new(),
            hidden: HashSet::new(),
            first_statement: None,
            tail: None,
            named: HashMap::new(),
            meanings: HashMap::new(),
        };
        let nodes = children(root);
        // The start of the comments right above.
        let mut comments: Option<usize> = None;
        let mut last_end = open;
        for (at, node) in nodes.iter().enumerate() {
            let is_trailing = |node: &Node<'_>, end| {
                node.kind() == "comment" && newlines(text, end, node.start_byte()) == 0
            };
            if at > 0 && is_trailing(node, last_end) {
                // It belongs to the item before it.
                last_end = node.end_byte();
                continue;
            }
            let mut range = node.byte_range();
            range.end = range.start + text_of(*node, text).trim_end().len();
            let trailing = nodes.get(at + 1);
            let trailing = trailing.filter(|node| is_trailing(node, range.end));
            range.end = trailing.map_or(range.end, Node::end_byte);
            let newlines = newlines(text, last_end, range.start);
            last_end = range.end;
            match item(*node, text) {
                Item::Comment if newlines > 1 => comments = Some(range.start),
                Item::Comment => {
                    comments.get_or_insert(range.start);
                }
                item => {
                    let start = comments.take().filter(|_| newlines <= 1);
                    let whole = start.unwrap_or(range.start)..range.end;
                    scope.add(item, range, whole, depth);
                }
            }
        }
        scope
    }

    /// `range` is the node with a trailing comment; `whole` includes the comments above.
    fn add(&mut self, item: Item<'t>, range: Range<usize>, whole: Range<usize>, depth: usize) {
        if !matches!(item, Item::Empty) {
            self.tail = None;
        }
        if matches!(item, Item::Definition(..) | Item::Tail | Item::Other(_)) {
            self.first_statement.get_or_insert(whole.start);
        }
        match item {
            Item::Prologue => {
                if self.imports.is_empty() && self.first_statement.is_none() {
                    self.prologue_end = range.end;
                }
                self.others.push(range);
            }
            // A comment before an import may be about the whole file.
            Item::Import(atoms) => {
                for atom in &atoms {
                    if let Some(bound) = &atom.bound {
                        let meanings = self.meanings.entry(bound.clone()).or_default();
                        meanings.push(atom.meaning.clone());
                    }
                }
                self.imports.push(Import { range, atoms });
            }
            Item::Definition(kind, names, shape, body) => {
                for name in &names {
                    let named = self.named.entry(name.clone()).or_default();
                    named.push(self.definitions.len());
                }
                let before = self.text.get(..whole.start).unwrap_or_default().trim_end();
                let gap = newlines(self.text, before.len(), whole.start).saturating_sub(1);
                let body_to_read = body.filter(|_| depth < MAX_DEPTH);
                let read =
                    |body: Node<'t>| CodeScope::read(self.text, body, body.start_byte(), depth + 1);
                self.definitions.push(Definition {
                    kind,
                    names,
                    shape,
                    range: whole,
                    gap: (before.len() > self.open).then_some(gap),
                    body,
                    members: body_to_read.map(read).map(Box::new),
                });
            }
            Item::Tail => {
                self.tail = Some(whole.start);
                self.others.push(range);
            }
            Item::Other(names) => {
                self.hidden.extend(names);
                self.others.push(range);
            }
            Item::Empty | Item::Comment => {}
        }
    }

    /// The definitions of a name.
    pub(super) fn named(&self, name: &str) -> impl Iterator<Item = &Definition<'t>> {
        let places = self.named.get(name).into_iter().flatten();
        places.filter_map(|&at| self.definitions.get(at))
    }

    /// The meanings of an imported name.
    pub(super) fn meanings(&self, name: &str) -> &[String] {
        self.meanings.get(name).map_or(&[], Vec::as_slice)
    }

    /// The text of a range.
    pub(super) fn text_of(&self, range: &Range<usize>) -> &'t str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// The text of a range, without indentation and trailing white space.
    pub(super) fn dedented(&self, range: &Range<usize>) -> String {
        let indent = indent_at(self.text, range.start);
        let lines = self.text_of(range).lines();
        let lines = lines.map(|line| line.strip_prefix(indent).unwrap_or(line).trim_end());
        lines.collect::<Vec<_>>().join("\n")
    }

    /// A class up to its body, without white space.
    pub(super) fn header_of(&self, class: &Definition<'_>) -> String {
        let body = class.body.map(|body| body.start_byte());
        plain(self.text_of(&(class.range.start..body.unwrap_or(class.range.end))))
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
        let atoms = self.imports.iter().flat_map(|import| &import.atoms);
        let definitions = self.definitions.iter().flat_map(Definition::keys);
        atoms.map(Atom::key).chain(definitions).collect()
    }
}

fn item<'t>(node: Node<'t>, text: &str) -> Item<'t> {
    match node.kind() {
        "comment" if is_for_the_top(node, text) => Item::Prologue,
        "comment" => Item::Comment,
        "import_statement" | "import_from_statement" => Item::Import(atoms(node, text)),
        "future_import_statement" => {
            let mut atoms = atoms(node, text);
            atoms.iter_mut().for_each(|atom| atom.is_first = true);
            Item::Import(atoms)
        }
        "function_definition" | "class_definition" => definition(node, "plain", text),
        "decorated_definition" => match node.child_by_field_name("definition") {
            Some(inner) => definition(inner, &shape(node, inner, text), text),
            None => Item::Other(Vec::new()),
        },
        "type_alias_statement" => {
            let left = field(node, "left", text);
            let name = plain(left.split('[').next().unwrap_or(left));
            Item::Definition("type", vec![name], String::new(), None)
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

fn definition<'t>(node: Node<'t>, shape: &str, text: &str) -> Item<'t> {
    let names = vec![field(node, "name", text).to_owned()];
    match node.kind() {
        "class_definition" => {
            let body = node.child_by_field_name("body");
            Item::Definition("class", names, String::new(), body)
        }
        _ => Item::Definition("function", names, shape.to_owned(), None),
    }
}

/// A property has one definition per accessor; single dispatch has several under any name.
fn shape(decorated: Node<'_>, definition: Node<'_>, text: &str) -> String {
    let nodes = children(decorated).into_iter();
    for decorator in nodes.filter(|it| it.kind() == "decorator") {
        let decorator = plain(text_of(decorator, text));
        let name = decorator.split('(').next().unwrap_or_default().trim();
        match name.rsplit_once('.') {
            Some((_, "register")) => {
                let parameters = plain(field(definition, "parameters", text));
                return format!("{decorator} {parameters}");
            }
            Some((_, last)) if ACCESSORS.contains(&last) => return last.to_owned(),
            _ => {}
        }
    }
    "plain".to_owned()
}

fn expression<'t>(node: Node<'t>, text: &str) -> Item<'t> {
    let inner = node.named_child(0);
    match inner.map_or("", |inner| inner.kind()) {
        "string" => Item::Prologue,
        "ellipsis" => Item::Empty,
        "assignment" => {
            let mut names = Vec::new();
            let mut assignment = inner;
            while let Some(node) = assignment.filter(|node| node.kind() == "assignment") {
                names.push(plain(field(node, "left", text)));
                assignment = node.child_by_field_name("right");
            }
            if names.iter().any(|name| name.contains(['.', '[', '('])) {
                return Item::Other(Vec::new());
            }
            let names = names.iter().flat_map(|name| name.split(','));
            let names = names.map(|name| name.trim().to_owned());
            let names = names.filter(|name| !name.is_empty()).collect();
            Item::Definition("variable", names, String::new(), None)
        }
        _ => Item::Other(Vec::new()),
    }
}

fn is_main(node: Node<'_>, text: &str) -> bool {
    let condition = field(node, "condition", text);
    condition.contains("__name__") && condition.contains("__main__")
}

/// `import a.b, c as d`, or `from m import a, b as c`.
fn atoms(node: Node<'_>, text: &str) -> Vec<Atom> {
    let from = node.child_by_field_name("module_name");
    let module = match node.kind() {
        "import_statement" => None,
        "future_import_statement" => Some("__future__".to_owned()),
        _ => from.map(|from| plain(text_of(from, text))),
    };
    let begin = module
        .as_ref()
        .map_or_else(String::new, |module| format!("from {module} "));
    let atom = |node: Node<'_>| {
        let (name, alias) = match node.kind() {
            "aliased_import" => (
                plain(field(node, "name", text)),
                Some(plain(field(node, "alias", text))),
            ),
            "wildcard_import" => ("*".to_owned(), None),
            _ => (plain(text_of(node, text)), None),
        };
        let target = module
            .as_ref()
            .map_or_else(|| name.clone(), |module| format!("{module}:{name}"));
        // The name that `import a.b` binds is that of the first package; the rest is loaded with it.
        let first = name.split('.').next().unwrap_or_default().to_owned();
        let (meaning, bound) = match (&module, &alias) {
            (_, Some(alias)) => (target.clone(), Some(alias.clone())),
            (Some(_), None) => (
                target.clone(),
                Some(name.clone()).filter(|name| name != "*"),
            ),
            (None, None) => (first.clone(), Some(first)),
        };
        let end = alias.map_or_else(String::new, |alias| format!(" as {alias}"));
        Atom {
            target,
            meaning,
            bound,
            source: format!("{begin}import {name}{end}"),
            is_first: false,
        }
    };
    let names = children(node).into_iter();
    let names = names.filter(|child| Some(*child) != from && child.kind() != "comment");
    names.map(atom).collect()
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
            "import_statement" | "import_from_statement" => {
                found.extend(atoms(node, text).into_iter().filter_map(|atom| atom.bound));
            }
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

/// The text of a node.
fn text_of<'s>(node: Node<'_>, text: &'s str) -> &'s str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// The text of a field of a node, or nothing.
fn field<'s>(node: Node<'_>, name: &str, text: &'s str) -> &'s str {
    let child = node.child_by_field_name(name);
    child.map_or("", |child| text_of(child, text))
}

/// Collapses runs of white space into one blank.
pub(super) fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The named children, in order.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
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

fn newlines(text: &str, from: usize, to: usize) -> usize {
    let between = text.get(from..to).unwrap_or_default();
    between.bytes().filter(|&byte| byte == b'\n').count()
}
