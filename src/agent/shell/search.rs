//! `find`, `fd` and `xargs`: what they find, and what they do with it.

use super::effect::EffectKind;
use super::options::OptionSyntax;
use super::output::Printed;
use super::run::{Shell, ShellScope};
use super::word::{Part, Word, unquoted};

/// What an expression of `find` selects.
#[derive(Default)]
struct Selection {
    names: Vec<Word>,
    is_shallow: bool,
    only_directories: bool,
    only_empty: bool,
}

impl Shell<'_> {
    pub(super) fn find(&mut self, words: &[Word], scope: &mut ShellScope) -> Printed {
        let is_option = |word: &Word| {
            let text = word.start();
            matches!(text.as_str(), "-H" | "-L" | "-P") || text.starts_with("-O")
        };
        let words: Vec<Word> = words
            .iter()
            .skip_while(|word| is_option(word))
            .cloned()
            .collect();
        let is_expression = |word: &Word| {
            let text = word.start();
            text.starts_with('-') || matches!(text.as_str(), "(" | "!" | "\\(")
        };
        let begin = words.iter().position(is_expression).unwrap_or(words.len());
        let (starts, expression) = words.split_at(begin);
        let here = [Word::from(".")];
        let starts = if starts.is_empty() { &here } else { starts };
        let selection = selection(expression);
        let found: Vec<Word> = starts
            .iter()
            .flat_map(|start| selection.below(start))
            .collect();
        let mut rest = expression.iter();
        let mut prints = true;
        while let Some(word) = rest.next() {
            match word.start().as_str() {
                "-delete" => {
                    prints = false;
                    // A directory is deleted only if it is empty, and git does not know those.
                    if !selection.only_directories {
                        self.emit_all(scope, &EffectKind::Delete, &found);
                    }
                }
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    prints = false;
                    let command: Vec<Word> = rest
                        .by_ref()
                        .take_while(|word| !matches!(word.start().as_str(), ";" | "+"))
                        .cloned()
                        .collect();
                    let is_empty_only = selection.only_directories && selection.only_empty;
                    for path in found.iter().filter(|_| !is_empty_only) {
                        let words: Vec<Word> = command
                            .iter()
                            .map(|word| word.replace("{}", path))
                            .collect();
                        self.run(&words, &mut scope.clone(), &Printed::default());
                    }
                }
                "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                    if let Some(path) = rest.next() {
                        self.emit(scope, EffectKind::Replace { content: None }, path);
                    }
                }
                _ => {}
            }
        }
        match prints {
            true => Printed::paths(found),
            false => Printed::default(),
        }
    }

    /// `fd PATTERN -x command`
    pub(super) fn fd(&mut self, words: &[Word], scope: &mut ShellScope) -> Printed {
        let is_exec = |word: &Word| {
            matches!(
                word.start().as_str(),
                "-x" | "-X" | "--exec" | "--exec-batch"
            )
        };
        let Some(at) = words.iter().position(is_exec) else {
            return Printed::default();
        };
        let long = &[
            "extension",
            "type",
            "exclude",
            "max-depth",
            "base-directory",
            "glob",
        ];
        let given = OptionSyntax::short("etEd").long(long).read(&words[..at]);
        let name = match given.value(&["e", "extension"]) {
            Some(end) => {
                Word(vec![Part::Glob("*".to_owned()), Part::Text(".".to_owned())]).then(end)
            }
            None => Word(vec![Part::Glob("*".to_owned())]),
        };
        let start = given.operands.get(1).cloned().unwrap_or_else(|| ".".into());
        let path = below(&start, &name);
        let words: Vec<Word> = words[at + 1..].to_vec();
        let has_place = words
            .iter()
            .any(|word| word.text().is_some_and(|text| text.contains("{}")));
        let mut command: Vec<Word> = words.iter().map(|word| word.replace("{}", &path)).collect();
        if !has_place {
            command.push(path);
        }
        self.run(&command, &mut scope.clone(), &Printed::default())
    }

    pub(super) fn xargs(
        &mut self,
        words: &[Word],
        scope: &mut ShellScope,
        stdin: &Printed,
    ) -> Printed {
        let syntax = OptionSyntax {
            stops: true,
            ..OptionSyntax::short("nIPLdaEsJ").long(&[
                "max-args",
                "replace",
                "max-procs",
                "max-lines",
                "delimiter",
                "arg-file",
                "jobs",
            ])
        };
        let given = syntax.read(words);
        let is_end = |word: &Word| word.text().as_deref() == Some(":::");
        let (command, items) = match given.operands.iter().position(is_end) {
            Some(at) => (
                given.operands[..at].to_vec(),
                Some(given.operands[at + 1..].to_vec()),
            ),
            None => (given.operands.clone(), stdin.words()),
        };
        let items = items.unwrap_or_else(|| vec![Word::unknown()]);
        let place = given
            .value(&["I", "replace", "J"])
            .and_then(|place| place.text());
        let place = place.unwrap_or_else(|| "{}".to_owned());
        let has_place = command
            .iter()
            .any(|word| word.text().is_some_and(|text| text.contains(&place)));
        if !has_place {
            let words = [command, items].concat();
            return self.run(&words, &mut scope.clone(), &Printed::default());
        }
        for item in items {
            let words: Vec<Word> = command
                .iter()
                .map(|word| word.replace(&place, &item))
                .collect();
            self.run(&words, &mut scope.clone(), &Printed::default());
        }
        Printed::default()
    }
}

fn selection(expression: &[Word]) -> Selection {
    let mut selection = Selection::default();
    let mut is_negated = false;
    let mut words = expression.iter().peekable();
    while let Some(word) = words.next() {
        let negates = is_negated;
        is_negated = false;
        match word.start().as_str() {
            "!" | "-not" => is_negated = true,
            "-name" | "-iname" | "-path" | "-ipath" | "-wholename" => {
                let value = words.next();
                // `-path ./x -prune -o` leaves something out.
                let is_pruned = words.peek().is_some_and(|next| next.start() == "-prune");
                let name = value
                    .and_then(Word::text)
                    .filter(|_| !negates && !is_pruned);
                if let Some(name) = name {
                    let name = name.rsplit('/').next().unwrap_or_default().to_owned();
                    selection.names.push(Word(unquoted(&name)));
                }
            }
            "-maxdepth" => {
                let depth = words.next().and_then(Word::text);
                selection.is_shallow = depth.as_deref() == Some("1");
            }
            "-type" => {
                let kind = words.next().and_then(Word::text);
                selection.only_directories = !negates && kind.as_deref() == Some("d");
            }
            "-empty" => selection.only_empty = true,
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                for word in words.by_ref() {
                    if matches!(word.start().as_str(), ";" | "+") {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    selection
}

impl Selection {
    fn below(&self, start: &Word) -> Vec<Word> {
        let all = [Word(vec![Part::Glob("*".to_owned())])];
        let names = if self.names.is_empty() {
            &all
        } else {
            self.names.as_slice()
        };
        let path = |name: &Word| match self.is_shallow {
            true => start.clone().then("/".into()).then(name.clone()),
            false => below(start, name),
        };
        names.iter().map(path).collect()
    }
}

fn below(start: &Word, name: &Word) -> Word {
    let between = ["/".into(), Word(vec![Part::Below]), "/".into()];
    let path = between.into_iter().fold(start.clone(), Word::then);
    path.then(name.clone())
}
