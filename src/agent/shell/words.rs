//! Expands the words of a command.

use tree_sitter::Node;

use super::output::Printed;
use super::run::{Shell, ShellScope, StatementContext};
use super::word::{Part, Word, expand, unquoted};

impl Shell<'_> {
    /// The words that a node expands to. Commands in it are followed.
    pub(super) fn words(
        &mut self,
        node: Node<'_>,
        text: &str,
        scope: &mut ShellScope,
    ) -> Vec<Word> {
        let mut parts = self.parts(node, text, scope, false);
        // `~` counts only at the beginning of a word.
        if let Some(Part::Text(first)) = parts.first_mut()
            && (first == "~" || first.starts_with("~/"))
            && !matches!(node.kind(), "string" | "raw_string")
        {
            match &self.place.home {
                Some(home) => *first = format!("{home}{}", &first[1..]),
                None => parts = vec![Part::Unknown],
            }
        }
        expand(parts)
    }

    /// Follows the commands in a node whose own words do not matter.
    pub(super) fn substitutions(&mut self, node: Node<'_>, text: &str, scope: &ShellScope) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if matches!(node.kind(), "command_substitution" | "process_substitution") {
                self.substitution(node, text, scope);
                continue;
            }
            let mut cursor = node.walk();
            open.extend(node.named_children(&mut cursor));
        }
    }

    /// What a command prints whose output becomes part of a word.
    fn substitution(&mut self, node: Node<'_>, text: &str, scope: &ShellScope) -> Printed {
        let mut scope = scope.clone();
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        let (mut output, nothing) = (Printed::default(), Printed::default());
        let mut context = StatementContext {
            text,
            scope: &mut scope,
            stdin: &nothing,
        };
        self.deeper(&text[node.byte_range()], |shell| {
            for child in &children {
                output = shell.statement(*child, &mut context);
            }
        });
        match children.len() {
            1 => output,
            _ => Printed::default(),
        }
    }

    fn parts(
        &mut self,
        node: Node<'_>,
        text: &str,
        scope: &mut ShellScope,
        quoted: bool,
    ) -> Vec<Part> {
        let own = &text[node.byte_range()];
        match node.kind() {
            "raw_string" => vec![Part::Text(own.trim_matches('\'').to_owned())],
            "ansi_c_string" => {
                let inner = own
                    .strip_prefix("$'")
                    .and_then(|own| own.strip_suffix('\''));
                vec![Part::Text(ansi_c(inner.unwrap_or(own)))]
            }
            "string" => self.quoted(node, text, scope),
            "translated_string" => match node.named_child(0) {
                Some(string) => self.quoted(string, text, scope),
                None => Vec::new(),
            },
            "concatenation" => {
                let mut cursor = node.walk();
                let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
                let mut parts = Vec::new();
                for child in children {
                    parts.extend(self.parts(child, text, scope, quoted));
                }
                parts
            }
            "simple_expansion" => value(scope, own.trim_start_matches('$'), quoted),
            "expansion" => {
                self.substitutions(node, text, scope);
                expansion(own, scope, quoted)
            }
            "command_substitution" => {
                let output = self.substitution(node, text, scope);
                match (&output.text, output.words()) {
                    (Some(text), _) if quoted => {
                        vec![Part::Text(text.trim_end_matches('\n').to_owned())]
                    }
                    (_, Some(words)) => {
                        let words: Vec<Vec<Part>> = words.into_iter().map(|word| word.0).collect();
                        words.join(&Part::Split)
                    }
                    _ => vec![Part::Unknown],
                }
            }
            "process_substitution" => {
                self.substitution(node, text, scope);
                vec![Part::Unknown]
            }
            "arithmetic_expansion" => {
                self.substitutions(node, text, scope);
                vec![Part::Unknown]
            }
            "brace_expression" => numbers(own),
            "array" => vec![Part::Unknown],
            _ => unquoted(own),
        }
    }

    /// The parts of a string in double quotes. What is not an expansion is text, also between the nodes.
    fn quoted(&mut self, node: Node<'_>, text: &str, scope: &mut ShellScope) -> Vec<Part> {
        let end = node.end_byte().saturating_sub(1).max(node.start_byte() + 1);
        let mut parts = Vec::new();
        let mut at = node.start_byte() + 1;
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        for child in children {
            if child.kind() == "string_content" || child.start_byte() < at {
                continue;
            }
            parts.push(Part::Text(unescaped(&text[at..child.start_byte()])));
            parts.extend(self.parts(child, text, scope, true));
            at = child.end_byte();
        }
        if let Some(rest) = text.get(at..end) {
            parts.push(Part::Text(unescaped(rest)));
        }
        parts
    }
}

/// The value of a variable.
fn value(scope: &ShellScope, name: &str, quoted: bool) -> Vec<Part> {
    let word = match name {
        "PWD" => scope.directory.as_deref().map(Word::from),
        "OLDPWD" => scope.previous.as_deref().map(Word::from),
        name => scope.variables.get(name).cloned(),
    };
    let Some(word) = word else {
        return vec![Part::Unknown];
    };
    match word.text() {
        Some(text) if !quoted && text.contains(char::is_whitespace) => {
            let words: Vec<Vec<Part>> = text
                .split_whitespace()
                .map(|word| vec![Part::Text(word.to_owned())])
                .collect();
            words.join(&Part::Split)
        }
        _ => word.0,
    }
}

/// `${name}`, `${name:-default}`, `${name%end}` and `${name##*/}`; others are not known.
fn expansion(own: &str, scope: &ShellScope, quoted: bool) -> Vec<Part> {
    let inner = own.trim_start_matches("${").trim_end_matches('}');
    let is_name = |char: char| char.is_alphanumeric() || char == '_';
    let end = inner.find(|char| !is_name(char)).unwrap_or(inner.len());
    let (name, operation) = inner.split_at(end);
    let known = value(scope, name, quoted);
    if operation.is_empty() || matches!(operation, "[@]" | "[*]") {
        return known;
    }
    let is_known = !known.contains(&Part::Unknown);
    let default = operation
        .strip_prefix(":-")
        .or_else(|| operation.strip_prefix(":="))
        .or_else(|| operation.strip_prefix('-'));
    if let Some(default) = default {
        let is_plain = !default.contains(['$', '`', '"', '\'']);
        return match (is_known, is_plain) {
            (true, _) => known,
            (false, true) => unquoted(default),
            (false, false) => vec![Part::Unknown],
        };
    }
    let word = Word(known);
    let is_literal = |text: &str| !text.contains(['*', '?', '[', '$', '"', '\'', '\\']);
    match (operation, operation.strip_prefix('%')) {
        ("##*/", _) if is_known => word.file_name().0,
        ("%/*", _) if is_known => word.parent().0,
        (_, Some(end)) if is_known && is_literal(end.trim_start_matches('%')) => {
            word.without_end(end.trim_start_matches('%')).0
        }
        _ => vec![Part::Unknown],
    }
}

/// `{1..9}`
fn numbers(own: &str) -> Vec<Part> {
    let bounds = own.trim_matches(['{', '}']).split_once("..");
    let bounds =
        bounds.and_then(|(from, to)| Some((from.parse::<u32>().ok()?, to.parse::<u32>().ok()?)));
    let Some((from, to)) = bounds.filter(|(from, to)| from <= to && to - from < 100) else {
        return vec![Part::Unknown];
    };
    let mut parts = vec![Part::Brace('{')];
    for number in from..=to {
        if number > from {
            parts.push(Part::Brace(','));
        }
        parts.push(Part::Text(number.to_string()));
    }
    // One number is no list.
    if from == to {
        parts.remove(0);
        return parts;
    }
    parts.push(Part::Brace('}'));
    parts
}

/// The text in double quotes.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, chars.peek()) {
            ('\\', Some('$' | '`' | '"' | '\\')) => plain.extend(chars.next()),
            ('\\', Some('\n')) => {
                chars.next();
            }
            _ => plain.push(char),
        }
    }
    plain
}

/// The text in `$'…'`.
pub(super) fn ansi_c(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            plain.push(char);
            continue;
        }
        match chars.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some('x') => {
                let digits: String = chars
                    .clone()
                    .take(2)
                    .take_while(char::is_ascii_hexdigit)
                    .collect();
                chars.by_ref().take(digits.len()).for_each(drop);
                plain.extend(u8::from_str_radix(&digits, 16).ok().map(char::from));
            }
            Some(other) => plain.push(other),
            None => plain.push('\\'),
        }
    }
    plain
}
