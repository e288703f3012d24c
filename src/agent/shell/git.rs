//! What `git` does to files of the work tree. What it commits is judged as a commit.

use super::effect::EffectKind;
use super::options::OptionSyntax;
use super::output::Printed;
use super::programs::enter;
use super::run::{Shell, ShellScope};
use super::unified_diff;
use super::word::Word;

const UNKNOWN: EffectKind = EffectKind::Replace { content: None };

impl Shell<'_> {
    pub(super) fn git(&mut self, words: &[Word], scope: &ShellScope, stdin: &Printed) -> Printed {
        let syntax = OptionSyntax {
            stops: true,
            ..OptionSyntax::short("Cc").long(&["git-dir", "work-tree", "namespace"])
        };
        let given = syntax.read(words);
        let mut scope = scope.clone();
        for directory in given.values(&["C"]) {
            enter(&mut scope, &directory);
        }
        let Some((verb, words)) = given.operands.split_first() else {
            return Printed::default();
        };
        match verb.text().unwrap_or_default().as_str() {
            "rm" => {
                let given = OptionSyntax::default().read(words);
                if !given.has(&["cached", "n", "dry-run"]) {
                    self.emit_all(&scope, &EffectKind::Delete, &given.operands);
                }
            }
            "mv" => {
                let given = OptionSyntax::default().read(words);
                if !given.has(&["n", "dry-run"]) {
                    self.transfer(&scope, given, true, false);
                }
            }
            "checkout" => self.checkout(words, &scope),
            "restore" => self.restore(words, &scope),
            "reset"
                if OptionSyntax::default()
                    .read(words)
                    .has(&["hard", "merge", "keep"]) =>
            {
                self.restore_all(&scope);
            }
            "clean" => {
                let given = OptionSyntax::short("e").long(&["exclude"]).read(words);
                if given.has(&["f", "force"]) && !given.has(&["n", "dry-run", "X"]) {
                    let here = [Word::from(".")];
                    let paths = if given.operands.is_empty() {
                        &here
                    } else {
                        given.operands.as_slice()
                    };
                    self.emit_all(&scope, &EffectKind::Clean, paths);
                }
            }
            "apply" => self.git_apply(words, &scope, stdin),
            "worktree" => {
                let given = OptionSyntax::short("bB").read(words);
                let verb = given.operands.first().and_then(Word::text);
                if let (Some("add"), Some(path)) = (verb.as_deref(), given.operands.get(1)) {
                    self.emit(&scope, EffectKind::Directory, path);
                }
            }
            "clone" => {
                let long = &["branch", "depth", "origin", "reference", "config", "filter"];
                let given = OptionSyntax::short("bocju").long(long).read(words);
                if let Some(path) = given.operands.get(1) {
                    self.emit(&scope, EffectKind::Directory, path);
                }
            }
            "init" => {
                let given = OptionSyntax::short("b")
                    .long(&["initial-branch", "template"])
                    .read(words);
                self.emit_all(&scope, &EffectKind::Directory, &given.operands);
            }
            "submodule" => {
                let given = OptionSyntax::short("b")
                    .long(&["name", "branch", "depth"])
                    .read(words);
                let verb = given.operands.first().and_then(Word::text);
                if let (Some("add"), Some(path)) = (verb.as_deref(), given.operands.get(2)) {
                    self.emit(&scope, EffectKind::Modify, path);
                }
            }
            "diff" | "log" | "show" | "format-patch" | "archive" | "bundle" => {
                let given = OptionSyntax::short("o")
                    .long(&["output", "output-directory"])
                    .read(words);
                for path in given.values(&["output"]) {
                    self.emit(&scope, UNKNOWN, &path);
                }
                let is_archive = verb.text().as_deref() == Some("archive");
                for path in given.values(&["o", "output-directory"]) {
                    let kind = if is_archive {
                        UNKNOWN
                    } else {
                        EffectKind::Directory
                    };
                    self.emit(&scope, kind, &path);
                }
            }
            "config" => {
                let given = OptionSyntax::short("f").long(&["file"]).read(words);
                let is_reading = given.has(&["get", "get-all", "list", "l", "get-regexp"])
                    || given.operands.len() < 2;
                for path in given.values(&["f", "file"]) {
                    if !is_reading {
                        self.emit(&scope, EffectKind::Modify, &path);
                    }
                }
            }
            "rev-parse" => {
                let has = |flag: &str| {
                    words
                        .iter()
                        .any(|word| word.text().as_deref() == Some(flag))
                };
                if let (true, Some(root)) = (has("--show-toplevel"), &self.place.root) {
                    return Printed::of(format!("{root}\n"));
                }
            }
            "ls-files" => {
                let given = OptionSyntax::default().read(words);
                if given.has(&[
                    "others", "o", "modified", "m", "deleted", "d", "ignored", "i",
                ]) {
                    return Printed::default();
                }
                let is_pattern = |word: &Word| word.text().is_some_and(|text| text.contains('*'));
                if !given.operands.is_empty() && given.operands.iter().all(is_pattern) {
                    return Printed::paths(given.operands.iter().filter_map(pathspec).collect());
                }
            }
            _ => {}
        }
        Printed::default()
    }

    fn restore_all(&mut self, scope: &ShellScope) {
        let root = self
            .place
            .root
            .clone()
            .map_or_else(|| Word::from("."), Word::from);
        self.emit(scope, EffectKind::Restore, &root);
    }

    fn checkout(&mut self, words: &[Word], scope: &ShellScope) {
        let is_separator = |word: &Word| word.text().as_deref() == Some("--");
        let separator = words.iter().position(is_separator);
        let (before, after) = words.split_at(separator.unwrap_or(words.len()));
        let given = OptionSyntax::short("bB")
            .long(&["orphan", "conflict"])
            .read(before);
        if given.has(&["b", "B", "orphan", "t", "track", "detach"]) {
            return;
        }
        let (tree, paths) = match (given.operands.as_slice(), after.get(1..)) {
            (tree, Some(paths)) => (tree.first(), paths),
            // A branch, or a path: the judge looks whether the path exists.
            ([path], None) => (None, std::slice::from_ref(path)),
            ([tree, paths @ ..], None) => (Some(tree), paths),
            ([], None) => (None, [].as_slice()),
        };
        if paths.is_empty() && given.has(&["f", "force"]) {
            return self.restore_all(scope);
        }
        self.emit_all(scope, &taken_from(tree), paths);
        // `git checkout a.rs b.rs`: the first may be a path as well.
        if separator.is_none()
            && let Some(tree) = tree
        {
            self.emit(scope, EffectKind::Restore, tree);
        }
    }

    fn restore(&mut self, words: &[Word], scope: &ShellScope) {
        let given = OptionSyntax::short("s").long(&["source"]).read(words);
        let is_index_only = given.has(&["staged", "S"]) && !given.has(&["worktree", "W"]);
        if !is_index_only {
            let source = given.value(&["s", "source"]);
            self.emit_all(scope, &taken_from(source.as_ref()), &given.operands);
        }
    }

    fn git_apply(&mut self, words: &[Word], scope: &ShellScope, stdin: &Printed) {
        let given = OptionSyntax::short("pC")
            .long(&["directory", "exclude", "include"])
            .read(words);
        let only_looks = ["check", "stat", "numstat", "summary", "cached"];
        if given.has(&only_looks) && !given.has(&["apply", "index"]) {
            return;
        }
        let Some(text) = stdin.as_script() else {
            return;
        };
        let strip = given
            .value(&["p"])
            .and_then(|value| value.text()?.parse().ok());
        let directory = given.value(&["directory"]).unwrap_or_else(|| ".".into());
        // Paths in a patch count from the root, wherever git runs.
        let mut scope = scope.clone();
        if scope.directory.as_ref() == Some(&self.place.directory) && self.place.root.is_some() {
            scope.directory.clone_from(&self.place.root);
        }
        self.patched(
            &unified_diff::files(text, strip.unwrap_or(1)),
            &directory,
            &scope,
        );
    }

    pub(super) fn patched(
        &mut self,
        files: &[unified_diff::File],
        directory: &Word,
        scope: &ShellScope,
    ) {
        for file in files {
            let kind = match file.is_deleted {
                true => EffectKind::Delete,
                false => EffectKind::Modify,
            };
            self.emit(
                scope,
                kind,
                &Word::from(file.path.as_str()).below(directory),
            );
        }
    }
}

/// What taking paths from a commit does to them.
fn taken_from(tree: Option<&Word>) -> EffectKind {
    match tree.map(Word::text) {
        None => EffectKind::Restore,
        Some(Some(tree)) if matches!(tree.as_str(), "HEAD" | "@") => EffectKind::Restore,
        Some(_) => EffectKind::Modify,
    }
}

/// A pathspec, in which `*` also matches `/`.
fn pathspec(word: &Word) -> Option<Word> {
    let text = word.text()?;
    let (start, name) = match text.rsplit_once('/') {
        Some((directory, name)) if !directory.contains('*') => {
            (directory.to_owned(), name.to_owned())
        }
        Some(_) => return None,
        None => (".".to_owned(), text),
    };
    let between = Word(vec![
        super::word::Part::Text(format!("{start}/")),
        super::word::Part::Below,
        super::word::Part::Text("/".to_owned()),
    ]);
    Some(between.then(Word(super::word::unquoted(&name))))
}
