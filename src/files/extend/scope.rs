//! A Python file or class body, split into definitions with their comments, and other statements.

use std::collections::HashMap;
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
    pub(super) definitions: Vec<Definition<'t>>,
    /// All other statements, each on one line.
    pub(super) others: Vec<String>,
    /// The number of the definition with this name.
    pub(super) names: HashMap<String, usize>,
    /// The place for new definitions.
    pub(super) end: Place,
}

/// A place for an addition.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The lines before it.
    pub(super) row: usize,
    /// The blank lines before and after the addition.
    pub(super) gaps: (usize, usize),
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
    pub(crate) members: Option<Box<CodeScope<'t>>>,
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
        let is_file = depth == 0;
        let first_line = lines.get(root.start_position().row).copied();
        let first_line = first_line.filter(|_| !is_file).unwrap_or_default();
        let mut scope = CodeScope {
            text,
            path,
            indent: &first_line[..first_line.len() - first_line.trim_start().len()],
            definitions: Vec::new(),
            others: Vec::new(),
            names: HashMap::new(),
            end: Place {
                row: lines.len(),
                gaps: (2, 0),
            },
        };
        // The row behind the last statement, and the first and last row of the comments above the next one.
        let mut after = 0;
        let mut comments = None::<(usize, usize)>;
        let mut cursor = root.walk();
        for node in root.named_children(&mut cursor) {
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
            // A main block that ends the file stays its end.
            scope.end = if is_main(text_of(node, text)) {
                Place {
                    row: start,
                    gaps: (2, 2),
                }
            } else {
                Place {
                    row: lines.len(),
                    gaps: (2, 0),
                }
            };
            scope.add(node, lines, start..after, depth)?;
        }
        if !is_file {
            scope.end = Place {
                row: after,
                gaps: (1, 0),
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
        let text = self.text;
        let inner = match node.kind() {
            "decorated_definition" => node.child_by_field_name("definition"),
            _ => None,
        };
        let inner = inner.unwrap_or(node);
        let statement = plain(text_of(node, text));
        match inner.kind() {
            "function_definition" => {
                self.define("function", inner, lines[rows.clone()].join("\n"))?;
            }
            "class_definition" => {
                let definition = self.define("class", inner, lines[rows.clone()].join("\n"))?;
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
            _ if matches!(statement.as_str(), "pass" | "...") => {}
            _ => self.others.push(statement),
        }
        Ok(())
    }

    /// Whether nothing has this name; the error is that it stands for something else, or may.
    pub(super) fn lacks(&self, name: &str, meaning: &str) -> ClauseResult<bool> {
        let there = match self.names.get(name).map(|at| self.definitions[*at].kind) {
            Some(there) if there == meaning => return Ok(false),
            Some(there) => there,
            None if self.mentions(name) => "part of a statement",
            None => return Ok(true),
        };
        Err(format!(
            "the file has {name} as {there}, the content as {meaning}"
        ))
    }

    /// Adds a definition, or one more of the same name.
    fn define(
        &mut self,
        kind: &'static str,
        node: Node<'t>,
        piece: String,
    ) -> ClauseResult<&mut Definition<'t>> {
        let name = plain(field(node, "name", self.text));
        let next = self.definitions.len();
        let at = *self.names.entry(name.clone()).or_insert(next);
        if at == next {
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
        if definition.kind == kind {
            Ok(definition)
        } else {
            Err(format!("{} stands for several things", definition.name))
        }
    }

    /// Whether another statement may bind or use a name. Docstrings and the main block of a file do not count.
    fn mentions(&self, name: &str) -> bool {
        for text in &self.others {
            if text.starts_with(['"', '\'']) || is_main(text) {
                continue;
            }
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.');
            // What follows a dot is an attribute.
            if words.any(|word| word.split('.').next() == Some(name)) {
                return true;
            }
        }
        false
    }

    /// The name of a definition in messages and answers.
    pub(super) fn label(&self, definition: &Definition<'_>) -> String {
        format!("{} {}{}", definition.kind, self.path, definition.name)
    }
}

fn is_main(statement: &str) -> bool {
    let condition = statement.split(':').next().unwrap_or_default();
    condition.starts_with("if ") && condition.contains("__name__") && condition.contains("__main__")
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
