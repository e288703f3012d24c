//! Files that a Python script writes, where their names are literals.

use std::collections::BTreeMap;

use tree_sitter::Node;

use super::effect::EffectKind;
use super::run::{Shell, ShellScope};
use super::word::{Part, Word, unquoted};
use crate::grammar;

/// Follows a script.
pub(super) fn follow(shell: &mut Shell<'_>, code: &str, scope: &ShellScope) {
    let Ok(tree) = grammar::tree(&tree_sitter_python::LANGUAGE.into(), code) else {
        return shell.unread(code);
    };
    let mut script = Script {
        shell,
        code,
        scope: scope.clone(),
        names: BTreeMap::new(),
        read: Vec::new(),
    };
    script.walk(tree.root_node());
}

struct Script<'s, 'p> {
    shell: &'s mut Shell<'p>,
    code: &'s str,
    scope: ShellScope,
    /// The known values of variables.
    names: BTreeMap<String, Vec<Word>>,
    /// The files that the script reads.
    read: Vec<Word>,
}

impl Script<'_, '_> {
    /// Visits all nodes in the order of the text. Not recursive, because trees may be deep.
    fn walk(&mut self, root: Node<'_>) {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            match node.kind() {
                "assignment" | "named_expression" => {
                    let left = node
                        .child_by_field_name("left")
                        .or_else(|| node.child_by_field_name("name"));
                    let right = node
                        .child_by_field_name("right")
                        .or_else(|| node.child_by_field_name("value"));
                    self.bind(left, right);
                }
                "for_statement" | "for_in_clause" => {
                    self.bind(
                        node.child_by_field_name("left"),
                        node.child_by_field_name("right"),
                    );
                }
                "as_pattern" => {
                    if let Some(value) = node.named_child(0) {
                        let target = node.named_child(1);
                        self.bind(target, Some(value));
                    }
                }
                "call" => self.call(node),
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

    fn bind(&mut self, left: Option<Node<'_>>, right: Option<Node<'_>>) {
        let (Some(left), Some(right)) = (left, right) else {
            return;
        };
        // `for old, new in [("a", "b")]` is not followed.
        let name = self.text(left).to_owned();
        let values = self.values(right, 0);
        self.names.insert(name, values);
    }

    /// The strings and paths that an expression may be.
    fn values(&mut self, node: Node<'_>, depth: u32) -> Vec<Word> {
        if depth > 40 {
            return vec![Word::unknown()];
        }
        let depth = depth + 1;
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        match node.kind() {
            "string" => {
                let mut words = vec![Word::from("")];
                for child in children {
                    let values = match (child.kind(), child.named_child(0)) {
                        ("string_content", _) => vec![self.text(child).into()],
                        ("interpolation", Some(inner)) => self.values(inner, depth),
                        _ => continue,
                    };
                    words = each_pair(&words, &values, |word, value| {
                        word.clone().then(value.clone())
                    });
                }
                words
            }
            "concatenated_string" => {
                let parts = children
                    .iter()
                    .filter_map(|child| self.values(*child, depth).pop());
                vec![parts.fold(Word::default(), Word::then)]
            }
            "identifier" => {
                let known = self.names.get(self.text(node)).cloned();
                known.unwrap_or_else(|| vec![Word::unknown()])
            }
            "list" | "tuple" | "set" | "expression_list" | "parenthesized_expression" => children
                .iter()
                .filter(|child| child.kind() != "comment")
                .flat_map(|child| self.values(*child, depth))
                .collect(),
            "binary_operator" => {
                let side = |name| node.child_by_field_name(name);
                let (Some(left), Some(right)) = (side("left"), side("right")) else {
                    return vec![Word::unknown()];
                };
                let operator = side("operator").map(|operator| self.text(operator).to_owned());
                let (left, right) = (self.values(left, depth), self.values(right, depth));
                each_pair(&left, &right, |left, right| match operator.as_deref() {
                    Some("/") => right.below(left),
                    Some("+") => left.clone().then(right.clone()),
                    _ => Word::unknown(),
                })
            }
            "attribute" => {
                let object = node.child_by_field_name("object");
                let name = node
                    .child_by_field_name("attribute")
                    .map(|name| self.text(name).to_owned());
                match (object, name.as_deref()) {
                    (Some(object), Some("parent")) => self
                        .values(object, depth)
                        .iter()
                        .map(Word::parent)
                        .collect(),
                    (Some(object), Some("name")) => self
                        .values(object, depth)
                        .iter()
                        .map(Word::file_name)
                        .collect(),
                    _ => vec![Word::unknown()],
                }
            }
            "call" => self.result(node, depth),
            _ => vec![Word::unknown()],
        }
    }

    /// What a call results in, if that is a path.
    fn result(&mut self, node: Node<'_>, depth: u32) -> Vec<Word> {
        let Some(PythonCall {
            function,
            object,
            method,
            arguments,
            ..
        }) = self.parts(node)
        else {
            return vec![Word::unknown()];
        };
        let first = |script: &mut Self| match arguments.first() {
            Some(argument) => script.values(*argument, depth),
            None => vec![".".into()],
        };
        match function.as_str() {
            "Path" | "pathlib.Path" | "PurePath" | "PosixPath" | "os.path.join"
            | "pathlib.PurePath" => {
                let mut paths = first(self);
                for argument in arguments.iter().skip(1) {
                    let more = self.values(*argument, depth);
                    paths = each_pair(&paths, &more, |path, name| name.below(path));
                }
                return paths;
            }
            "str" | "os.fspath" | "os.path.abspath" | "os.path.realpath" | "os.path.normpath"
            | "sorted" | "list" | "set" | "tuple" | "reversed" | "Path.resolve" => {
                return first(self);
            }
            "os.path.expanduser" => {
                let home = self.shell.place.home.clone();
                return first(self)
                    .iter()
                    .map(|path| expanded(path, home.as_deref()))
                    .collect();
            }
            "os.path.dirname" => return first(self).iter().map(Word::parent).collect(),
            "os.path.basename" => return first(self).iter().map(Word::file_name).collect(),
            "os.getcwd" | "Path.cwd" | "pathlib.Path.cwd" => return vec![".".into()],
            "Path.home" | "pathlib.Path.home" => {
                return match &self.shell.place.home {
                    Some(home) => vec![home.as_str().into()],
                    None => vec![Word::unknown()],
                };
            }
            "tempfile.mkdtemp" | "tempfile.gettempdir" | "tempfile.mktemp" => {
                return vec![self.shell.place.temporary.as_str().into()];
            }
            "glob.glob" | "glob.iglob" | "glob" => {
                return first(self).iter().map(globbed).collect();
            }
            _ => {}
        }
        let Some(object) = object else {
            return vec![Word::unknown()];
        };
        let base = self.values(object, depth);
        match method.as_str() {
            "resolve" | "absolute" | "as_posix" | "strip" => base,
            "expanduser" => {
                let home = self.shell.place.home.clone();
                base.iter()
                    .map(|path| expanded(path, home.as_deref()))
                    .collect()
            }
            "joinpath" => each_pair(&base, &first(self), |path, name| name.below(path)),
            "with_name" => each_pair(&base, &first(self), |path, name| name.below(&path.parent())),
            "with_suffix" => each_pair(&base, &first(self), with_suffix),
            "glob" => each_pair(&base, &first(self), |path, name| globbed(name).below(path)),
            "rglob" => each_pair(&base, &first(self), |path, name| {
                let below = Word(vec![Part::Below]).then("/".into());
                below.then(globbed(name)).below(path)
            }),
            "iterdir" => base
                .iter()
                .map(|path| Word(vec![Part::Glob("*".to_owned())]).below(path))
                .collect(),
            _ => vec![Word::unknown()],
        }
    }

    fn parts<'t>(&self, node: Node<'t>) -> Option<PythonCall<'t>> {
        let function = node.child_by_field_name("function")?;
        let arguments = node.child_by_field_name("arguments")?;
        let mut cursor = arguments.walk();
        let (mut plain, mut named) = (Vec::new(), Vec::new());
        for argument in arguments.named_children(&mut cursor) {
            match argument.kind() {
                "keyword_argument" => {
                    let name = argument.child_by_field_name("name")?;
                    let value = argument.child_by_field_name("value")?;
                    named.push((self.text(name).to_owned(), value));
                }
                "comment" => {}
                _ => plain.push(argument),
            }
        }
        Some(PythonCall {
            function: self.text(function).to_owned(),
            object: function.child_by_field_name("object"),
            method: function
                .child_by_field_name("attribute")
                .map(|name| self.text(name).to_owned())
                .unwrap_or_default(),
            arguments: plain,
            named,
        })
    }

    fn emit(&mut self, kind: &EffectKind, paths: &[Word]) {
        for path in paths {
            let kind = match kind {
                // What was read before is changed rather than replaced.
                EffectKind::Replace { content: None } if self.read.contains(path) => {
                    EffectKind::Modify
                }
                kind => kind.clone(),
            };
            self.shell.emit(&self.scope, kind, path);
        }
    }

    fn call(&mut self, node: Node<'_>) {
        let Some(call) = self.parts(node) else { return };
        let unknown = EffectKind::Replace { content: None };
        let path = |script: &mut Self, at: usize| -> Vec<Word> {
            let argument = call.arguments.get(at);
            argument
                .map(|argument| script.values(*argument, 0))
                .unwrap_or_default()
        };
        let mode = |script: &mut Self, at: usize| -> String {
            let named = call.named.iter().find(|(name, _)| name == "mode");
            let node = named
                .map(|(_, value)| *value)
                .or_else(|| call.arguments.get(at).copied());
            let mode = node.map(|node| script.values(node, 0)).unwrap_or_default();
            mode.first().and_then(Word::text).unwrap_or_default()
        };
        match call.function.as_str() {
            "open" | "io.open" | "codecs.open" | "os.open" | "gzip.open" => {
                let (paths, mode) = (path(self, 0), mode(self, 1));
                return self.open(&paths, &mode);
            }
            "os.remove" | "os.unlink" | "shutil.rmtree" => {
                let paths = path(self, 0);
                return self.emit(&EffectKind::Delete, &paths);
            }
            "os.mkdir" | "os.makedirs" => {
                let paths = path(self, 0);
                return self.emit(&EffectKind::Directory, &paths);
            }
            "os.truncate" => {
                let paths = path(self, 0);
                return self.emit(&unknown, &paths);
            }
            "os.rename" | "os.replace" | "os.renames" | "shutil.move" => {
                let (from, to) = (path(self, 0), path(self, 1));
                return self.transfer(&from, &to, true);
            }
            "shutil.copy" | "shutil.copy2" | "shutil.copyfile" | "shutil.copytree" | "copyfile"
            | "copytree" => {
                let (from, to) = (path(self, 0), path(self, 1));
                return self.transfer(&from, &to, false);
            }
            "os.symlink" | "os.link" => {
                let paths = path(self, 1);
                return self.emit(&unknown, &paths);
            }
            "os.chdir" => {
                if let [directory] = path(self, 0).as_slice() {
                    super::programs::enter(&mut self.scope, directory);
                }
                return;
            }
            "os.system" | "os.popen" | "subprocess.getoutput" => return self.command(&call),
            "fileinput.input" | "fileinput.FileInput" => {
                if call.named.iter().any(|(name, _)| name == "inplace") {
                    let paths = path(self, 0);
                    self.emit(&EffectKind::Modify, &paths);
                }
                return;
            }
            function if function.starts_with("subprocess.") => return self.command(&call),
            "run" | "check_call" | "check_output" | "Popen" => return self.command(&call),
            _ => {}
        }
        let Some(object) = call.object else { return };
        let base = self.values(object, 0);
        match call.method.as_str() {
            "read_text" | "read_bytes" => self.read.extend(base),
            "write_text" | "write_bytes" => self.emit(&unknown, &base),
            "open" => {
                let mode = mode(self, 0);
                self.open(&base, &mode);
            }
            "unlink" => self.emit(&EffectKind::Delete, &base),
            "touch" => self.emit(&EffectKind::Touch, &base),
            "mkdir" => self.emit(&EffectKind::Directory, &base),
            "symlink_to" | "hardlink_to" => self.emit(&unknown, &base),
            // `str.replace` has two arguments.
            "rename" | "replace" if call.arguments.len() == 1 => {
                let to = path(self, 0);
                self.transfer(&base, &to, true);
            }
            "to_csv" | "to_json" | "to_parquet" | "to_pickle" | "to_excel" | "to_html"
            | "savefig" | "to_markdown" => {
                let paths = path(self, 0);
                self.emit(&unknown, &paths);
            }
            _ => {}
        }
    }

    fn open(&mut self, paths: &[Word], mode: &str) {
        if mode.contains(['w', 'x']) {
            self.emit(&EffectKind::Replace { content: None }, paths);
        } else if mode.contains(['a', '+']) {
            self.emit(&EffectKind::Modify, paths);
        } else {
            self.read.extend_from_slice(paths);
        }
    }

    fn transfer(&mut self, from: &[Word], to: &[Word], moves: bool) {
        for (from, to) in from.iter().zip(to) {
            self.shell.copy(&self.scope, from, to, moves, false, false);
        }
    }

    /// A command that the script runs.
    fn command(&mut self, call: &PythonCall<'_>) {
        let Some(first) = call.arguments.first() else {
            return;
        };
        let words = self.values(*first, 0);
        let mut scope = self.scope.clone();
        let directory = call.named.iter().find(|(name, _)| name == "cwd");
        if let Some((_, directory)) = directory
            && let [directory] = self.values(*directory, 0).as_slice()
        {
            super::programs::enter(&mut scope, directory);
        }
        if matches!(first.kind(), "list" | "tuple") {
            self.shell
                .run(&words, &mut scope, &super::output::Printed::default());
        } else if let [text] = words.as_slice()
            && let Some(text) = text.text()
        {
            self.shell.text(&text, &mut scope);
        }
    }
}

struct PythonCall<'t> {
    /// As written, such as `os.path.join`.
    function: String,
    object: Option<Node<'t>>,
    method: String,
    arguments: Vec<Node<'t>>,
    named: Vec<(String, Node<'t>)>,
}

/// All combinations, if they are few.
pub(super) fn each_pair(
    left: &[Word],
    right: &[Word],
    join: impl Fn(&Word, &Word) -> Word,
) -> Vec<Word> {
    if left.len().saturating_mul(right.len()) > 200 {
        return vec![Word::unknown()];
    }
    let pairs = left
        .iter()
        .flat_map(|left| right.iter().map(move |right| (left, right)));
    pairs.map(|(left, right)| join(left, right)).collect()
}

fn globbed(word: &Word) -> Word {
    let Some(text) = word.text() else {
        return Word::unknown();
    };
    let names = text.split('/').map(|name| match name {
        "**" => vec![Part::Below],
        name => unquoted(name),
    });
    let names: Vec<Vec<Part>> = names.collect();
    Word(names.join(&Part::Text("/".to_owned())))
}

fn with_suffix(path: &Word, suffix: &Word) -> Word {
    match (path.text(), suffix.text()) {
        (Some(path), Some(suffix)) => {
            let name = path.rfind('/').map_or(0, |slash| slash + 1);
            let end = path[name..].rfind('.').filter(|dot| *dot > 0);
            let stem = end.map_or(path.as_str(), |dot| &path[..name + dot]);
            Word::from(format!("{stem}{suffix}"))
        }
        _ => Word::unknown(),
    }
}

fn expanded(path: &Word, home: Option<&str>) -> Word {
    match (path.start().strip_prefix('~'), home) {
        (Some(rest), Some(home)) => Word::from(format!("{home}{rest}")),
        (Some(_), None) => Word::unknown(),
        (None, _) => path.clone(),
    }
}
