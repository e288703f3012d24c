//! Files that a JavaScript program writes, where their names are literals.

use std::collections::BTreeMap;

use tree_sitter::Node;

use super::effect::EffectKind;
use super::python::each_pair;
use super::run::{Shell, ShellScope};
use super::word::Word;
use crate::grammar;

/// Follows a program.
pub(super) fn follow(shell: &mut Shell<'_>, code: &str, scope: &ShellScope) {
    let Ok(tree) = grammar::tree(&tree_sitter_javascript::LANGUAGE.into(), code) else {
        return shell.unread(code);
    };
    let mut program = Program {
        shell,
        code,
        scope,
        names: BTreeMap::new(),
        read: Vec::new(),
    };
    program.walk(tree.root_node());
}

struct Program<'s, 'p> {
    shell: &'s mut Shell<'p>,
    code: &'s str,
    scope: &'s ShellScope,
    names: BTreeMap<String, Vec<Word>>,
    read: Vec<Word>,
}

impl Program<'_, '_> {
    fn walk(&mut self, root: Node<'_>) {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            match node.kind() {
                "variable_declarator" => self.bind(
                    node.child_by_field_name("name"),
                    node.child_by_field_name("value"),
                ),
                "assignment_expression" => {
                    self.bind(
                        node.child_by_field_name("left"),
                        node.child_by_field_name("right"),
                    );
                }
                "for_in_statement" => {
                    self.bind(
                        node.child_by_field_name("left"),
                        node.child_by_field_name("right"),
                    );
                }
                "call_expression" => self.call(node),
                _ => {}
            }
            let mut cursor = node.walk();
            let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            open.extend(children.into_iter().rev());
        }
    }

    fn text(&self, node: Node<'_>) -> &str {
        &self.code[node.byte_range()]
    }

    fn bind(&mut self, name: Option<Node<'_>>, value: Option<Node<'_>>) {
        if let (Some(name), Some(value)) = (name, value) {
            let name = self.text(name).to_owned();
            let values = self.values(value, 0);
            self.names.insert(name, values);
        }
    }

    fn values(&mut self, node: Node<'_>, depth: u32) -> Vec<Word> {
        if depth > 40 {
            return vec![Word::unknown()];
        }
        let depth = depth + 1;
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        match node.kind() {
            "string" | "template_string" => {
                let mut words = vec![Word::from("")];
                for child in children {
                    let values = match (child.kind(), child.named_child(0)) {
                        ("template_substitution", Some(inner)) => self.values(inner, depth),
                        _ => vec![self.text(child).into()],
                    };
                    words = each_pair(&words, &values, |word, value| {
                        word.clone().then(value.clone())
                    });
                }
                words
            }
            "identifier" => {
                let known = self.names.get(self.text(node)).cloned();
                known.unwrap_or_else(|| vec![Word::unknown()])
            }
            "array" | "parenthesized_expression" | "await_expression" => children
                .iter()
                .flat_map(|child| self.values(*child, depth))
                .collect(),
            "binary_expression" => {
                let side = |name| node.child_by_field_name(name);
                let (Some(left), Some(right)) = (side("left"), side("right")) else {
                    return vec![Word::unknown()];
                };
                let is_sum = side("operator").is_some_and(|operator| self.text(operator) == "+");
                let (left, right) = (self.values(left, depth), self.values(right, depth));
                each_pair(&left, &right, |left, right| match is_sum {
                    true => left.clone().then(right.clone()),
                    false => Word::unknown(),
                })
            }
            "call_expression" => {
                let function = node
                    .child_by_field_name("function")
                    .map(|function| self.text(function).to_owned());
                let is_join = function.as_deref().is_some_and(|name| {
                    matches!(name, "path.join" | "path.resolve" | "join" | "resolve")
                });
                if function.as_deref() == Some("process.cwd") {
                    return vec![".".into()];
                }
                let arguments = arguments(node);
                if !is_join || arguments.is_empty() {
                    return vec![Word::unknown()];
                }
                let mut paths = vec![Word::from(".")];
                for argument in arguments {
                    let names = self.values(argument, depth);
                    paths = each_pair(&paths, &names, |path, name| name.below(path));
                }
                paths
            }
            _ => vec![Word::unknown()],
        }
    }

    fn call(&mut self, node: Node<'_>) {
        let Some(function) = node.child_by_field_name("function") else {
            return;
        };
        let name = function.child_by_field_name("property").unwrap_or(function);
        let name = self.text(name).to_owned();
        let arguments = arguments(node);
        let mut value = |at: usize| -> Vec<Word> {
            let argument = arguments.get(at);
            argument
                .map(|argument| self.values(*argument, 0))
                .unwrap_or_default()
        };
        let first = value(0);
        let kind = match name.trim_end_matches("Sync") {
            "readFile" => {
                self.read.extend(first);
                return;
            }
            "writeFile" | "createWriteStream" | "outputFile" | "writeJson" | "outputJson"
            | "truncate" | "write" => EffectKind::Replace { content: None },
            "appendFile" | "chmod" | "writeTextFile" => EffectKind::Modify,
            "rm" | "unlink" | "remove" | "rmdir" => EffectKind::Delete,
            "mkdir" | "mkdirp" | "ensureDir" => EffectKind::Directory,
            "symlink" | "link" => {
                let to = value(1);
                return self.emit(&EffectKind::Replace { content: None }, &to);
            }
            "rename" | "move" | "copyFile" | "cp" | "copy" => {
                let to = value(1);
                let moves = name.starts_with("rename") || name.starts_with("move");
                for (from, to) in first.iter().zip(&to) {
                    self.shell.copy(self.scope, from, to, moves, false, false);
                }
                return;
            }
            "exec" | "execFile" | "spawn" => {
                let words = [first.clone(), value(1)].concat();
                let mut scope = self.scope.clone();
                let text = first.first().and_then(Word::text);
                match text {
                    Some(text) if name.starts_with("exec") && !name.starts_with("execFile") => {
                        self.shell.text(&text, &mut scope);
                    }
                    _ => {
                        self.shell
                            .run(&words, &mut scope, &super::output::Printed::default());
                    }
                }
                return;
            }
            _ => return,
        };
        // `process.stdout.write(text)` and `response.write(text)` write no file.
        if name == "write" && !self.text(function).starts_with("Bun.") {
            return;
        }
        self.emit(&kind, &first);
    }

    fn emit(&mut self, kind: &EffectKind, paths: &[Word]) {
        for path in paths {
            let kind = match kind {
                EffectKind::Replace { .. } if self.read.contains(path) => EffectKind::Modify,
                kind => kind.clone(),
            };
            self.shell.emit(self.scope, kind, path);
        }
    }
}

fn arguments(node: Node<'_>) -> Vec<Node<'_>> {
    let Some(list) = node.child_by_field_name("arguments") else {
        return Vec::new();
    };
    let mut cursor = list.walk();
    list.named_children(&mut cursor)
        .filter(|child| child.kind() != "comment")
        .collect()
}
