//! A Python file or class body, split into imports, definitions with their comments, and other statements.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tree_sitter::{Node, Tree};

/// The error is a clause.
pub(super) type ClauseResult<T = ()> = Result<T, String>;

/// Deeper members are compared as a whole.
const MAX_DEPTH: usize = 8;

/// A file or a class body.
pub(super) struct CodeScope<'t> {
    text: &'t str,
    /// The classes that it is in, such as `State.`; empty for the file.
    pub(super) path: String,
    /// The white space before each statement.
    pub(super) indent: &'t str,
    pub(super) imports: Vec<Import>,
    pub(super) definitions: Vec<Definition<'t>>,
    /// The texts of all other statements.
    pub(super) others: Vec<String>,
    /// What definitions and imports bind.
    pub(super) names: HashMap<String, Name>,
    /// The identifiers in other statements, which may bind or use them.
    pub(super) mentioned: HashSet<String>,
    /// The lines up to the end of the last import before the first statement.
    pub(super) imports_end: Option<usize>,
    /// The lines before the first statement after imports and docstring.
    pub(super) first_statement: Option<usize>,
    /// The lines before the place for new definitions; the error is a clause.
    pub(super) end: ClauseResult<usize>,
    /// Whether the main block follows that place.
    pub(super) has_tail: bool,
}

/// What a name stands for.
pub(super) struct Name {
    pub(super) meaning: String,
    /// The number of the definition.
    pub(super) at: usize,
}

/// One imported name, so that `from m import a, b` equals two statements.
pub(super) struct Import {
    /// A statement that imports only this.
    pub(super) source: String,
    /// The local name.
    pub(super) name: String,
    /// What the name stands for; `import a.b` and `import a.c` both bind `a`.
    pub(super) meaning: String,
}

/// All definitions of a name, which are several for a property or an overloaded function.
pub(super) struct Definition<'t> {
    pub(super) kind: &'static str,
    pub(super) name: String,
    /// Their texts, with comments and decorators.
    pub(super) pieces: Vec<String>,
    /// What is before the body of a class.
    pub(super) header: String,
    /// What a class defines.
    pub(super) members: Option<Box<CodeScope<'t>>>,
}

impl<'t> CodeScope<'t> {
    /// Reads a file.
    ///
    /// # Errors
    /// Statements share a line, or a name is defined as different things.
    pub(super) fn of_file(text: &'t str, tree: &'t Tree) -> ClauseResult<CodeScope<'t>> {
        let lines: Vec<&str> = text.lines().collect();
        CodeScope::read(text, &lines, tree.root_node(), String::new(), 0)
    }

    fn read(
        text: &'t str,
        lines: &[&'t str],
        root: Node<'t>,
        path: String,
        depth: usize,
    ) -> ClauseResult<CodeScope<'t>> {
        let first = lines.get(root.start_position().row).copied();
        let first = first.filter(|_| depth > 0).unwrap_or_default();
        let mut scope = CodeScope {
            text,
            path,
            indent: &first[..first.len() - first.trim_start().len()],
            imports: Vec::new(),
            definitions: Vec::new(),
            others: Vec::new(),
            names: HashMap::new(),
            mentioned: HashSet::new(),
            imports_end: None,
            first_statement: None,
            end: Ok(lines.len()),
            has_tail: false,
        };
        // The row behind the last statement, and the first and last row of the comments above the next one.
        let (mut after, mut comments) = (0, None::<(usize, usize)>);
        for node in children(root) {
            let row = node.start_position().row;
            let above = comments.take().filter(|&(_, last)| last + 1 == row);
            let start = above.map(|(first, _)| first);
            if node.kind() == "comment" {
                comments = (row >= after).then(|| (start.unwrap_or(row), row));
                continue;
            }
            if row < after {
                return Err(format!("line {} has more than one statement", row + 1));
            }
            after = row + text_of(node, text).trim_end().matches('\n').count() + 1;
            // Comments at the start of a file are about the file.
            let start = start.filter(|first| *first > 0).unwrap_or(row);
            scope.add(node, lines, start..after, depth)?;
        }
        if depth > 0 {
            scope.end = match text[..root.start_byte()].rsplit('\n').next() {
                Some(before) if before.trim().is_empty() => Ok(after),
                _ => Err(format!(
                    "the body of {} shares a line with other code, which an addition would change",
                    scope.path.trim_end_matches('.')
                )),
            };
        }
        Ok(scope)
    }

    /// `rows` are those of the node and of the comments above.
    fn add(
        &mut self,
        node: Node<'t>,
        lines: &[&'t str],
        rows: Range<usize>,
        depth: usize,
    ) -> ClauseResult {
        let (text, is_file) = (self.text, depth == 0);
        if self.has_tail {
            (self.has_tail, self.end) = (false, Ok(lines.len()));
        }
        let inner = match node.kind() {
            "decorated_definition" => node.child_by_field_name("definition"),
            _ => Some(node),
        };
        let inner = inner.unwrap_or(node);
        let statement = plain(text_of(node, text));
        match inner.kind() {
            "import_statement" | "import_from_statement" | "future_import_statement" if is_file => {
                if self.first_statement.is_none() {
                    self.imports_end = Some(rows.end);
                }
                for import in imports(node, text) {
                    self.bind(&import.name, &import.meaning)?;
                    self.imports.push(import);
                }
                return Ok(());
            }
            "expression_statement" if statement.starts_with(['"', '\'']) => {
                self.others.push(statement);
                return Ok(());
            }
            "function_definition" => {
                let piece = lines[rows.clone()].join("\n");
                self.define("function", inner, piece)?;
            }
            "class_definition" => {
                let piece = lines[rows.clone()].join("\n");
                let definition = self.define("class", inner, piece)?;
                if definition.pieces.len() > 1 {
                    return Err(format!("class {} is defined twice", definition.name));
                }
                if let Some(body) = inner.child_by_field_name("body")
                    && depth < MAX_DEPTH
                {
                    definition.header = plain(&text[node.start_byte()..body.start_byte()]);
                    let path = format!("{}{}.", self.path, plain(field(inner, "name", text)));
                    let members = CodeScope::read(text, lines, body, path, depth + 1)?;
                    if let Some(class) = self.definitions.last_mut() {
                        class.members = Some(Box::new(members));
                    }
                }
            }
            "if_statement" if is_file && is_main(inner, text) => {
                (self.has_tail, self.end) = (true, Ok(rows.start));
                self.others.push(statement);
            }
            _ if matches!(statement.as_str(), "pass" | "...") => {}
            _ => {
                self.mention(node);
                self.others.push(statement);
            }
        }
        self.first_statement.get_or_insert(rows.start);
        Ok(())
    }

    /// What a name stands for; the error is that it stands for something else, too.
    fn bind(&mut self, name: &str, meaning: &str) -> ClauseResult<usize> {
        let new = Name {
            meaning: meaning.to_owned(),
            at: self.definitions.len(),
        };
        let known = self.names.entry(name.to_owned()).or_insert(new);
        match known.meaning == meaning {
            true => Ok(known.at),
            false => Err(format!("{name} stands for several things")),
        }
    }

    /// Adds a definition, or one more of the same name.
    fn define(
        &mut self,
        kind: &'static str,
        node: Node<'t>,
        piece: String,
    ) -> ClauseResult<&mut Definition<'t>> {
        let name = plain(field(node, "name", self.text));
        let at = self.bind(&name, kind)?;
        if at == self.definitions.len() {
            self.definitions.push(Definition {
                kind,
                name,
                pieces: Vec::new(),
                header: String::new(),
                members: None,
            });
        }
        let definition = &mut self.definitions[at];
        definition.pieces.push(piece);
        Ok(definition)
    }

    /// The identifiers in a statement, without those of attributes.
    fn mention(&mut self, node: Node<'t>) {
        let mut attributes = HashSet::new();
        walk(node, |node| {
            let attribute = node.child_by_field_name("attribute");
            attributes.extend(attribute.map(|attribute| attribute.id()));
            if node.kind() == "identifier" && !attributes.contains(&node.id()) {
                self.mentioned.insert(text_of(node, self.text).to_owned());
            }
            true
        });
    }

    /// The name of a definition in messages and answers.
    pub(super) fn label(&self, definition: &Definition<'_>) -> String {
        format!("{} {}{}", definition.kind, self.path, definition.name)
    }

    /// The keys of all statements at every depth, which a change must preserve.
    pub(super) fn keys(&self) -> Vec<String> {
        let imports = self.imports.iter().map(|import| &import.source);
        let mut keys: Vec<String> = imports.chain(&self.others).cloned().collect();
        for definition in &self.definitions {
            self.keys_of(definition, &mut keys);
        }
        keys
    }

    /// The keys of a definition and of its members.
    pub(super) fn keys_of(&self, definition: &Definition<'_>, keys: &mut Vec<String>) {
        keys.extend(definition.pieces.iter().map(|_| self.label(definition)));
        keys.extend(definition.members.iter().flat_map(|members| members.keys()));
    }
}

fn is_main(node: Node<'_>, text: &str) -> bool {
    let condition = field(node, "condition", text);
    condition.contains("__name__") && condition.contains("__main__")
}

/// The names of `import a.b, c as d`, or `from m import a, b as c`.
fn imports(node: Node<'_>, text: &str) -> Vec<Import> {
    let from = node.child_by_field_name("module_name");
    let prefix = match node.kind() {
        "import_statement" => String::new(),
        "future_import_statement" => "from __future__ ".to_owned(),
        _ => format!("from {} ", plain(field(node, "module_name", text))),
    };
    let names = children(node).into_iter();
    let names = names.filter(|child| Some(*child) != from && child.kind() != "comment");
    let import = |node: Node<'_>| {
        let source = format!("{prefix}import {}", plain(text_of(node, text)));
        if node.kind() == "aliased_import" {
            return Import {
                name: plain(field(node, "alias", text)),
                meaning: source.clone(),
                source,
            };
        }
        let name = plain(text_of(node, text));
        // `import a.b` binds the first package; the rest is loaded with it.
        let name: String = match prefix.is_empty() {
            true => name.split('.').take(1).collect(),
            false => name,
        };
        Import {
            meaning: format!("{prefix}import {name}"),
            name,
            source,
        }
    };
    names.map(import).collect()
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
