//! A Python file or class body, split into imports, definitions with their comments, and other statements.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::Node;

/// Deeper members are compared as a whole.
const MAX_DEPTH: usize = 8;
/// Decorators that intentionally define a name again.
const ACCESSORS: &[&str] = &["setter", "getter", "deleter"];

/// What a name stands for: a kind, and what distinguishes two of that kind, such as the accessors of a property.
pub(super) type Meaning = (&'static str, String);

/// A file or a class body.
pub(super) struct CodeScope<'t> {
    pub(super) text: &'t str,
    pub(super) root: Node<'t>,
    /// The classes that it is in, such as `State.`; empty for the file.
    pub(super) path: String,
    /// The end of the prologue before the imports.
    pub(super) prologue_end: Option<usize>,
    pub(super) imports: Vec<Import>,
    pub(super) definitions: Vec<Definition<'t>>,
    /// Statements without a name.
    pub(super) others: Vec<Range<usize>>,
    /// The start of the first statement after imports and prologue.
    pub(super) first_statement: Option<usize>,
    /// The start of the statement that ends the file.
    pub(super) tail: Option<usize>,
    /// What each name means, and the last definition that gives it this meaning.
    bindings: HashMap<String, HashMap<Meaning, usize>>,
}

/// An import statement.
pub(super) struct Import {
    pub(super) range: Range<usize>,
    pub(super) atoms: Vec<Atom>,
}

/// One imported name, so that `from m import a, b` equals two statements.
pub(super) struct Atom {
    /// A statement that imports only this.
    pub(super) source: String,
    /// The local name.
    pub(super) bound: String,
    pub(super) meaning: Meaning,
}

/// A definition with its comments.
pub(super) struct Definition<'t> {
    pub(super) meaning: Meaning,
    /// All names that it defines; several in `x, y = 1, 2`.
    pub(super) names: Vec<String>,
    pub(super) range: Range<usize>,
    /// What a class defines.
    pub(super) members: Option<Box<CodeScope<'t>>>,
}

/// The role of a node.
enum Item<'t> {
    /// None, such as that of a comment.
    Nothing,
    /// Comes before the imports.
    Prologue,
    Import(Vec<Atom>),
    /// A definition: its meaning, its names, and the body of a class.
    Definition(Meaning, Vec<String>, Option<Node<'t>>),
    /// Runs after all definitions, which go before it.
    Tail,
    /// Has no name itself, but may bind these.
    Other(Vec<String>),
}

impl<'t> CodeScope<'t> {
    /// Reads a file.
    pub(super) fn of_file(text: &'t str, root: Node<'t>) -> CodeScope<'t> {
        CodeScope::read(text, root, String::new(), 0)
    }

    fn read(text: &'t str, root: Node<'t>, path: String, depth: usize) -> CodeScope<'t> {
        let mut scope = CodeScope {
            text,
            root,
            path,
            prologue_end: None,
            imports: Vec::new(),
            definitions: Vec::new(),
            others: Vec::new(),
            first_statement: None,
            tail: None,
            bindings: HashMap::new(),
        };
        let nodes = children(root);
        for (at, &node) in nodes.iter().enumerate() {
            let mut first = node;
            for &above in nodes[..at].iter().rev() {
                let is_above = above.end_position().row + 1 == first.start_position().row;
                let is_comment = above.kind() == "comment" && !is_for_the_top(above, text);
                if !is_above || !is_comment || !begins_line(text, above.start_byte()) {
                    break;
                }
                first = above;
            }
            let mut range = node.byte_range();
            range.end = range.start + text_of(node, text).trim_end().len();
            if let Some(behind) = nodes.get(at + 1).filter(|node| node.kind() == "comment")
                && !text[range.end..behind.start_byte()].contains('\n')
            {
                range.end = behind.end_byte();
            }
            scope.add(node, first.start_byte(), range, depth);
        }
        scope
    }

    /// `start` is that of the comments above; `range` is the node with the comment behind it.
    fn add(&mut self, node: Node<'t>, start: usize, range: Range<usize>, depth: usize) {
        let item = item(node, self.text, self.path.is_empty());
        if matches!(item, Item::Nothing) {
            return;
        }
        self.tail = None;
        if !matches!(item, Item::Prologue | Item::Import(_)) {
            self.first_statement.get_or_insert(start);
        }
        match item {
            Item::Nothing => {}
            Item::Prologue => {
                if self.imports.is_empty() && self.first_statement.is_none() {
                    self.prologue_end = Some(range.end);
                }
                self.others.push(range);
            }
            // A comment before an import may be about the whole file.
            Item::Import(atoms) => {
                for atom in &atoms {
                    self.bind(&atom.bound, &atom.meaning);
                }
                self.imports.push(Import { range, atoms });
            }
            Item::Definition(meaning, names, body) => {
                for name in &names {
                    self.bind(name, &meaning);
                }
                let path = format!("{}{}.", self.path, names.join(", "));
                let body = body.filter(|_| depth < MAX_DEPTH);
                let members = body.map(|body| CodeScope::read(self.text, body, path, depth + 1));
                self.definitions.push(Definition {
                    meaning,
                    names,
                    range: start..range.end,
                    members: members.map(Box::new),
                });
            }
            Item::Tail => {
                self.tail = Some(start);
                self.others.push(range);
            }
            Item::Other(names) => {
                for name in &names {
                    self.bind(name, &("statement", String::new()));
                }
                self.others.push(range);
            }
        }
    }

    fn bind(&mut self, name: &str, meaning: &Meaning) {
        let meanings = self.bindings.entry(name.to_owned()).or_default();
        meanings.insert(meaning.clone(), self.definitions.len());
    }

    /// The meanings of a name.
    pub(super) fn meanings(&self, name: &str) -> impl Iterator<Item = &Meaning> {
        let meanings = self.bindings.get(name).into_iter();
        meanings.flat_map(HashMap::keys)
    }

    /// Whether a name has this meaning.
    pub(super) fn has(&self, name: &str, meaning: &Meaning) -> bool {
        let meanings = self.bindings.get(name);
        meanings.is_some_and(|meanings| meanings.contains_key(meaning))
    }

    /// The last definition of the same thing, which counts in Python.
    pub(super) fn same(&self, definition: &Definition<'_>) -> Option<&Definition<'t>> {
        let meanings = self.bindings.get(definition.names.first()?)?;
        self.definitions.get(*meanings.get(&definition.meaning)?)
    }

    /// The name of a definition in messages and answers.
    pub(super) fn label(&self, definition: &Definition<'_>) -> String {
        let names = definition.names.join(", ");
        format!("{} {}{names}", definition.meaning.0, self.path)
    }

    /// The text of a range, without indentation and trailing white space.
    pub(super) fn dedented(&self, range: &Range<usize>) -> String {
        let indent = indent_at(self.text, range.start);
        let lines = self.text[range.clone()].lines();
        let lines = lines.map(|line| line.strip_prefix(indent).unwrap_or(line).trim_end());
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The keys of all named items at every depth, which a change must preserve.
    pub(super) fn keys(&self) -> Vec<String> {
        let atoms = self.imports.iter().flat_map(|import| &import.atoms);
        let definitions = self.definitions.iter().flat_map(|it| self.keys_of(it));
        let atoms = atoms.map(|atom| atom.source.clone());
        atoms.chain(definitions).collect()
    }

    /// The keys of a definition and of its members.
    pub(super) fn keys_of(&self, definition: &Definition<'_>) -> Vec<String> {
        let own = format!("{} {}", self.label(definition), definition.meaning.1);
        let members = definition.members.iter().flat_map(|it| it.keys());
        std::iter::once(own).chain(members).collect()
    }
}

fn item<'t>(node: Node<'t>, text: &str, is_file: bool) -> Item<'t> {
    let plain_name = |name: &str| vec![plain(field(node, name, text))];
    match node.kind() {
        "comment" if is_for_the_top(node, text) => Item::Prologue,
        "comment" | "pass_statement" => Item::Nothing,
        "import_statement" | "import_from_statement" | "future_import_statement" if is_file => {
            Item::Import(atoms(node, text))
        }
        "function_definition" => {
            Item::Definition(("function", String::new()), plain_name("name"), None)
        }
        "class_definition" => {
            let body = node.child_by_field_name("body");
            Item::Definition(("class", String::new()), plain_name("name"), body)
        }
        "decorated_definition" => {
            let inner = node.child_by_field_name("definition");
            match inner.map(|inner| (inner, item(inner, text, is_file))) {
                Some((inner, Item::Definition(("function", _), names, body))) => {
                    Item::Definition(("function", shape(node, inner, text)), names, body)
                }
                Some((_, item)) => item,
                None => Item::Other(Vec::new()),
            }
        }
        "type_alias_statement" => {
            let left = field(node, "left", text);
            let name = plain(left.split('[').next().unwrap_or(left));
            Item::Definition(("type", String::new()), vec![name], None)
        }
        "expression_statement" => expression(node, text),
        "if_statement" if is_main(node, text) => Item::Tail,
        _ => Item::Other(bound_within(node, text)),
    }
}

/// The shebang line, and that of the encoding.
fn is_for_the_top(comment: Node<'_>, text: &str) -> bool {
    let (row, comment) = (comment.start_position().row, text_of(comment, text));
    (row == 0 && comment.starts_with("#!")) || (row < 2 && comment.contains("coding"))
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
    String::new()
}

fn expression<'t>(node: Node<'t>, text: &str) -> Item<'t> {
    let inner = node.named_child(0);
    match inner.map_or("", |inner| inner.kind()) {
        "string" => Item::Prologue,
        "ellipsis" => Item::Nothing,
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
            let names = names.iter().flat_map(|names| targets(names)).collect();
            Item::Definition(("variable", String::new()), names, None)
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
        "future_import_statement" => Some("__future__".to_owned()),
        _ => from.map(|from| plain(text_of(from, text))),
    };
    let atom = |node: Node<'_>| {
        let (name, alias) = match node.kind() {
            "aliased_import" => (field(node, "name", text), field(node, "alias", text)),
            _ => (text_of(node, text), ""),
        };
        let (name, alias) = (plain(name), plain(alias));
        let mut source = match &module {
            Some(module) => format!("from {module} import {name}"),
            None => format!("import {name}"),
        };
        let meaning = match &module {
            Some(module) => format!("{module}:{name}"),
            // The name that `import a.b` binds is that of the first package; the rest is loaded with it.
            None if alias.is_empty() => name.split('.').take(1).collect(),
            None => name.clone(),
        };
        if !alias.is_empty() {
            source += &format!(" as {alias}");
        }
        let bound = match name.as_str() {
            _ if !alias.is_empty() => alias,
            // It binds names that nobody knows here.
            "*" => source.clone(),
            _ if module.is_none() => meaning.clone(),
            _ => name,
        };
        Atom {
            source,
            bound,
            meaning: ("import", meaning),
        }
    };
    let names = children(node).into_iter();
    let names = names.filter(|child| Some(*child) != from && child.kind() != "comment");
    names.map(atom).collect()
}

/// The names that a statement may bind in its scope.
fn bound_within(node: Node<'_>, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    walk(node, |node| {
        match node.kind() {
            "function_definition" | "class_definition" => {
                found.push(field(node, "name", text).to_owned());
                return false;
            }
            "import_statement" | "import_from_statement" => {
                found.extend(atoms(node, text).into_iter().map(|atom| atom.bound));
                return false;
            }
            "assignment" | "for_statement" => found.extend(targets(field(node, "left", text))),
            "named_expression" => found.push(plain(field(node, "name", text))),
            "as_pattern_target" => found.extend(targets(text_of(node, text))),
            _ => {}
        }
        true
    });
    found
}

/// The names in an assignment target, such as `a, (b, *c)`.
fn targets(left: &str) -> impl Iterator<Item = String> {
    let names = left.split([',', '(', ')', '[', ']', '*']);
    names.map(plain).filter(|name| !name.is_empty())
}

/// Visits a node and what is in it, in order, but nothing in a node for which `visit` is false. Not recursive,
/// because trees may be deep.
pub(super) fn walk<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>) -> bool) {
    let mut cursor = root.walk();
    loop {
        if visit(cursor.node()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
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
    let line = &text[line_start(text, at)..];
    let rest = line.trim_start_matches([' ', '\t']);
    &line[..line.len() - rest.len()]
}

/// The start of the line at a byte offset.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Whether only white space is before a byte offset on its line.
pub(super) fn begins_line(text: &str, at: usize) -> bool {
    text[line_start(text, at)..at].trim().is_empty()
}
