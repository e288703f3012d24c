//! Follows the statements of a command in their order.

use std::collections::BTreeMap;

use tree_sitter::{Node, Tree};

use super::effect::{EffectKind, FileEffect, Sight};
use super::output::Printed;
use super::pattern::PathPattern;
use super::place::CommandPlace;
use super::word::Word;
use crate::grammar;

/// How deep commands may contain commands.
const MAX_DEPTH: u32 = 12;

/// How many commands are followed, with each step of a loop.
const MAX_COMMANDS: u32 = 4000;

/// How many steps of a loop over words are followed.
const MAX_STEPS: usize = 200;

/// What a command knows, which a subshell copies.
#[derive(Debug, Clone)]
pub(super) struct ShellScope {
    /// The working directory, unless only the run decides it.
    pub(super) directory: Option<String>,
    pub(super) previous: Option<String>,
    pub(super) variables: BTreeMap<String, Word>,
}

/// What a statement is part of.
pub(super) struct StatementContext<'c> {
    /// The text with all statements.
    pub(super) text: &'c str,
    pub(super) scope: &'c mut ShellScope,
    pub(super) stdin: &'c Printed,
}

impl StatementContext<'_> {
    /// The same, with other standard input.
    fn reading<'s>(&'s mut self, stdin: &'s Printed) -> StatementContext<'s> {
        StatementContext {
            text: self.text,
            scope: self.scope,
            stdin,
        }
    }

    /// The same in a subshell, whose variables and directory are its own.
    fn inside<'s>(&'s self, scope: &'s mut ShellScope, stdin: &'s Printed) -> StatementContext<'s> {
        StatementContext {
            text: self.text,
            scope,
            stdin,
        }
    }

    /// The text of a node.
    fn of(&self, node: Node<'_>) -> &str {
        &self.text[node.byte_range()]
    }
}

/// Follows commands and collects what they do.
pub(super) struct Shell<'p> {
    pub(super) place: &'p CommandPlace,
    sight: Sight,
    depth: u32,
    commands: u32,
}

impl<'p> Shell<'p> {
    pub(super) fn new(place: &'p CommandPlace) -> Shell<'p> {
        Shell {
            place,
            sight: Sight::default(),
            depth: 0,
            commands: 0,
        }
    }

    pub(super) fn into_sight(self) -> Sight {
        self.sight
    }

    pub(super) fn scope(&self) -> ShellScope {
        let mut variables = BTreeMap::new();
        if let Some(home) = &self.place.home {
            variables.insert("HOME".to_owned(), Word::from(home.as_str()));
        }
        let temporary = self.place.temporary.as_str();
        variables.insert("TMPDIR".to_owned(), Word::from(temporary));
        ShellScope {
            directory: Some(self.place.directory.clone()),
            previous: None,
            variables,
        }
    }

    /// Notes what happens to a path. One that is not known is not seen.
    pub(super) fn emit(&mut self, scope: &ShellScope, kind: EffectKind, path: &Word) {
        if let Some(path) = PathPattern::of(path, scope.directory.as_deref()) {
            let effect = FileEffect { kind, path };
            if !effect.is_void() {
                self.sight.effects.push(effect);
            }
            return;
        }
        // The directory before the unknown part may say enough: that it is outside.
        let start = path.start();
        if start.starts_with('/')
            && let Some((directory, _)) = start.rsplit_once('/')
            && !directory.is_empty()
            && let Some(path) = PathPattern::of(&Word::from(directory), None)
        {
            let kind = EffectKind::Directory;
            self.sight.effects.push(FileEffect { kind, path });
        }
    }

    pub(super) fn unread(&mut self, text: &str) {
        self.sight.unread.get_or_insert_with(|| text.to_owned());
    }

    /// Follows a command inside a command, unless they are nested too deeply.
    pub(super) fn deeper<T: Default>(
        &mut self,
        text: &str,
        follow: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if self.depth >= MAX_DEPTH {
            self.unread(text);
            return T::default();
        }
        self.depth += 1;
        let result = follow(self);
        self.depth -= 1;
        result
    }

    /// Follows a text with commands. The result is what it prints.
    pub(super) fn text(&mut self, text: &str, scope: &mut ShellScope) -> Printed {
        self.text_with(text, scope, &Printed::default())
    }

    pub(super) fn text_with(
        &mut self,
        text: &str,
        scope: &mut ShellScope,
        stdin: &Printed,
    ) -> Printed {
        self.deeper(text, |shell| {
            match grammar::tree(&tree_sitter_bash::LANGUAGE.into(), text) {
                Ok(tree) => {
                    shell.note_errors(&tree, text);
                    let mut context = StatementContext { text, scope, stdin };
                    shell.statement(tree.root_node(), &mut context)
                }
                Err(_) => {
                    shell.unread(text);
                    Printed::default()
                }
            }
        })
    }

    /// A part with an error was not read as a whole. It matters only if it may write.
    fn note_errors(&mut self, tree: &Tree, text: &str) {
        let root = tree.root_node();
        if !root.has_error() {
            return;
        }
        let mut cursor = root.walk();
        for statement in root.children(&mut cursor) {
            let part = &text[statement.byte_range()];
            if statement.has_error() && may_write(part) {
                self.unread(part);
            }
        }
    }

    /// Follows a statement. The result is what it prints.
    pub(super) fn statement(
        &mut self,
        node: Node<'_>,
        context: &mut StatementContext<'_>,
    ) -> Printed {
        match node.kind() {
            "command" => self.simple(node, context, Vec::new()),
            "redirected_statement" => self.redirected(node, context),
            "pipeline" => self.pipeline(node, context, context.stdin.clone()),
            "subshell" => {
                let mut scope = context.scope.clone();
                self.each(node, &mut context.inside(&mut scope, context.stdin))
            }
            "for_statement" => self.for_each(node, context),
            "while_statement" => self.while_reading(node, context),
            "variable_assignment" => {
                self.assign(node, context.text, context.scope);
                Printed::default()
            }
            "variable_assignments" | "declaration_command" => {
                self.substitutions(node, context.text, context.scope);
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    if child.kind() == "variable_assignment" {
                        self.assign(child, context.text, context.scope);
                    }
                }
                Printed::default()
            }
            "test_command" => {
                self.substitutions(node, context.text, context.scope);
                Printed::default()
            }
            "comment" | "word" | "string" | "raw_string" | "concatenation" | "variable_name" => {
                Printed::default()
            }
            _ => self.each(node, context),
        }
    }

    /// Follows the statements in a node. If it is only one, the node prints what it prints.
    fn each(&mut self, node: Node<'_>, context: &mut StatementContext<'_>) -> Printed {
        let mut cursor = node.walk();
        let mut outputs: Vec<Printed> = Vec::new();
        for child in node.named_children(&mut cursor) {
            if child.kind() != "comment" {
                outputs.push(self.statement(child, context));
            }
        }
        let texts: Option<String> = outputs.iter().map(|output| output.text.clone()).collect();
        match (outputs.len(), texts) {
            (1, _) => outputs.pop().unwrap_or_default(),
            (_, Some(text)) if node.kind() == "program" || node.kind() == "compound_statement" => {
                Printed::of(text)
            }
            _ => Printed::default(),
        }
    }

    /// Each part of a pipeline is a subshell.
    fn pipeline(
        &mut self,
        node: Node<'_>,
        context: &StatementContext<'_>,
        stdin: Printed,
    ) -> Printed {
        let mut output = stdin;
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let mut scope = context.scope.clone();
            output = self.statement(child, &mut context.inside(&mut scope, &output));
        }
        output
    }

    fn for_each(&mut self, node: Node<'_>, context: &mut StatementContext<'_>) -> Printed {
        let mut cursor = node.walk();
        let values: Vec<Node<'_>> = node.children_by_field_name("value", &mut cursor).collect();
        let mut words = Vec::new();
        for value in values {
            words.extend(self.words(value, context.text, context.scope));
        }
        let name = node.child_by_field_name("variable");
        let (Some(name), Some(body)) = (name, node.child_by_field_name("body")) else {
            return Printed::default();
        };
        let name = context.of(name).to_owned();
        self.steps(&name, &words, body, context);
        Printed::default()
    }

    /// Follows a body once for each value of a variable.
    fn steps(
        &mut self,
        name: &str,
        words: &[Word],
        body: Node<'_>,
        context: &mut StatementContext<'_>,
    ) {
        let mut words = words.to_vec();
        if words.is_empty() || words.len() > MAX_STEPS {
            words = vec![Word::unknown()];
        }
        for word in words {
            context.scope.variables.insert(name.to_owned(), word);
            self.statement(body, context);
        }
    }

    /// `… | while read -r name; do …; done`
    fn while_reading(&mut self, node: Node<'_>, context: &mut StatementContext<'_>) -> Printed {
        let body = node.child_by_field_name("body");
        let condition = node.child_by_field_name("condition");
        let read = condition
            .filter(|node| node.kind() == "command")
            .and_then(|node| {
                let words: Vec<&str> = context.of(node).split_whitespace().collect();
                let name = words.last().filter(|_| words.contains(&"read"));
                name.map(|name| (*name).to_owned())
            });
        match (read, body, context.stdin.words()) {
            (Some(name), Some(body), Some(words)) => {
                let nothing = Printed::default();
                self.steps(&name, &words, body, &mut context.reading(&nothing));
                Printed::default()
            }
            _ => self.each(node, context),
        }
    }

    fn assign(&mut self, node: Node<'_>, text: &str, scope: &mut ShellScope) {
        let Some(name) = node.child_by_field_name("name") else {
            return;
        };
        let name = text[name.byte_range()].to_owned();
        let value = match node.child_by_field_name("value") {
            Some(value) => self.words(value, text, scope),
            None => vec![Word::from("")],
        };
        let value = match <[Word; 1]>::try_from(value) {
            Ok([word]) if !text[node.byte_range()].starts_with(&format!("{name}+=")) => word,
            _ => Word::unknown(),
        };
        scope.variables.insert(name, value);
    }

    /// A command with its words. `more` are words from behind its redirections.
    fn simple(
        &mut self,
        node: Node<'_>,
        context: &mut StatementContext<'_>,
        more: Vec<Word>,
    ) -> Printed {
        let StatementContext { text, scope, stdin } = context;
        let mut words = Vec::new();
        let mut stdin = stdin.clone();
        let mut local = scope.clone();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "variable_assignment" => self.assign(child, text, &mut local),
                "herestring_redirect" => stdin = self.here_string(child, text, scope),
                "file_redirect" => self.redirect(child, text, scope, None),
                "command_name" => {
                    if let Some(name) = child.named_child(0) {
                        words.extend(self.words(name, text, scope));
                    }
                }
                "subshell" => {
                    let nothing = Printed::default();
                    let stdin = &nothing;
                    self.statement(child, &mut StatementContext { text, scope, stdin });
                }
                _ => words.extend(self.words(child, text, scope)),
            }
        }
        words.extend(more);
        self.run(&words, scope, &stdin)
    }

    /// Runs a command with these words, the first of which names a program.
    pub(super) fn run(
        &mut self,
        words: &[Word],
        scope: &mut ShellScope,
        stdin: &Printed,
    ) -> Printed {
        self.commands += 1;
        if self.commands > MAX_COMMANDS {
            self.unread("a loop with too many steps");
            return Printed::default();
        }
        let Some((name, arguments)) = words.split_first() else {
            return Printed::default();
        };
        let Some(name) = name.text() else {
            return Printed::default();
        };
        let name = name.rsplit('/').next().unwrap_or(&name).to_owned();
        self.deeper(&name.clone(), |shell| {
            shell.program(&name, arguments, scope, stdin)
        })
    }

    fn redirected(&mut self, node: Node<'_>, context: &mut StatementContext<'_>) -> Printed {
        let StatementContext { text, scope, stdin } = context;
        let mut stdin = stdin.clone();
        let mut more = Vec::new();
        let (mut files, mut pipes, mut follow) = (Vec::new(), Vec::new(), Vec::new());
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "file_redirect" => files.push(child),
                "herestring_redirect" => stdin = self.here_string(child, text, scope),
                "heredoc_redirect" => {
                    stdin = self.here_document(child, text, scope);
                    let mut cursor = child.walk();
                    for inner in child.children(&mut cursor) {
                        match inner.kind() {
                            "file_redirect" => files.push(inner),
                            "pipeline" => pipes.push(inner),
                            "heredoc_start" | "heredoc_body" | "heredoc_end" | "||" | "&&" => {}
                            "herestring_redirect" | "file_descriptor" => {}
                            "word" | "string" | "raw_string" | "concatenation" | "number"
                            | "simple_expansion" | "expansion" => {
                                more.extend(self.words(inner, text, scope));
                            }
                            _ if inner.is_named() => follow.push(inner),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        // Words behind a redirection belong to the command: `cat > file name`.
        let later: Vec<Vec<Word>> = files
            .iter()
            .map(|file| self.words_behind(*file, text, scope))
            .collect();
        more.extend(later.into_iter().flatten());
        let nothing = Printed::default();
        let mut context = StatementContext {
            text,
            scope,
            stdin: &stdin,
        };
        let output = match node.child_by_field_name("body") {
            Some(body) if body.kind() == "command" => self.simple(body, &mut context, more),
            Some(body) => self.statement(body, &mut context),
            None => Printed::of(String::new()),
        };
        for file in &files {
            self.redirect(*file, text, context.scope, output.text.as_deref());
        }
        let mut output = match files.iter().any(|file| takes_output(*file, text)) {
            true => Printed::of(String::new()),
            false => output,
        };
        for pipe in pipes {
            output = self.pipeline(pipe, &context, output);
        }
        for statement in follow {
            output = self.statement(statement, &mut context.reading(&nothing));
        }
        output
    }

    fn words_behind(&mut self, file: Node<'_>, text: &str, scope: &mut ShellScope) -> Vec<Word> {
        let mut cursor = file.walk();
        let nodes: Vec<Node<'_>> = file
            .children_by_field_name("destination", &mut cursor)
            .skip(1)
            .collect();
        let mut words = Vec::new();
        for node in nodes {
            words.extend(self.words(node, text, scope));
        }
        words
    }

    /// What a redirection does to its file. `content` is what the command prints.
    fn redirect(
        &mut self,
        node: Node<'_>,
        text: &str,
        scope: &mut ShellScope,
        content: Option<&str>,
    ) {
        let Some(destination) = node.child_by_field_name("destination") else {
            return;
        };
        let words = self.words(destination, text, scope);
        let kind = match operator(node, text) {
            ">" | ">|" | "&>" | ">&" => EffectKind::Replace {
                // Only standard output is known.
                content: content
                    .filter(|_| node.child_by_field_name("descriptor").is_none())
                    .map(str::to_owned),
            },
            ">>" | "&>>" => EffectKind::Modify,
            _ => return,
        };
        let is_descriptor = |word: &Word| {
            let text = word.text().unwrap_or_default();
            text == "-" || (!text.is_empty() && text.chars().all(|char| char.is_ascii_digit()))
        };
        if operator(node, text) == ">&" && words.iter().any(is_descriptor) {
            return;
        }
        for word in &words {
            self.emit(scope, kind.clone(), word);
        }
    }

    fn here_string(&mut self, node: Node<'_>, text: &str, scope: &mut ShellScope) -> Printed {
        let value = node.named_children(&mut node.walk()).last();
        let words = value.map(|value| self.words(value, text, scope));
        let joined: Option<Vec<String>> =
            words.unwrap_or_default().iter().map(Word::text).collect();
        match joined {
            Some(words) => Printed::of(format!("{}\n", words.join(" "))),
            None => Printed::default(),
        }
    }

    fn here_document(&mut self, node: Node<'_>, text: &str, scope: &mut ShellScope) -> Printed {
        let part = |kind| {
            let mut cursor = node.walk();
            node.named_children(&mut cursor)
                .find(|child| child.kind() == kind)
        };
        let Some(body) = part("heredoc_body") else {
            return Printed::of(String::new());
        };
        self.substitutions(body, text, scope);
        let start = part("heredoc_start").map_or("", |start| &text[start.byte_range()]);
        let content = &text[body.byte_range()];
        let content = match text[node.byte_range()].contains("<<-") {
            true => content
                .split_inclusive('\n')
                .map(|line| line.trim_start_matches('\t'))
                .collect(),
            false => content.to_owned(),
        };
        let is_literal = start.contains(['\'', '"', '\\']) || !content.contains(['$', '`', '\\']);
        match is_literal {
            true => Printed::of(content),
            // Scripts are still read; the content of a file is not known.
            false => Printed::script(content),
        }
    }
}

fn operator<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    let mut cursor = node.walk();
    let operator = node.children(&mut cursor).find(|child| !child.is_named());
    operator.map_or("", |operator| &text[operator.byte_range()])
}

/// Whether a redirection takes standard output away from a pipe.
fn takes_output(file: Node<'_>, text: &str) -> bool {
    let descriptor = file.child_by_field_name("descriptor");
    let is_output = descriptor.is_none_or(|node| &text[node.byte_range()] == "1");
    is_output && operator(file, text).contains('>')
}

/// Whether a text that cannot be read may write files.
fn may_write(text: &str) -> bool {
    let is_break = |char: char| !char.is_alphanumeric() && char != '_' && char != '-';
    text.replace("2>&1", "")
        .replace("/dev/null", "")
        .contains("> ")
        || text.contains(">>")
        || text.split(is_break).any(|word| WRITING.contains(&word))
}

/// Programs that write files, for texts that cannot be read.
const WRITING: [&str; 20] = [
    "tee", "cp", "mv", "rm", "ln", "install", "dd", "truncate", "touch", "patch", "sed", "perl",
    "python", "python3", "node", "ruby", "unlink", "rsync", "eval", "xargs",
];
