//! The programs that a command runs: what each does with its arguments.

use super::effect::EffectKind;
use super::options::OptionSyntax;
use super::output::Printed;
use super::pattern::PathPattern;
use super::run::{Shell, ShellScope};
use super::word::Word;

impl Shell<'_> {
    /// Follows one program. The result is what it prints.
    pub(super) fn program(
        &mut self,
        name: &str,
        words: &[Word],
        scope: &mut ShellScope,
        stdin: &Printed,
    ) -> Printed {
        if let Some(output) = self.builtin(name, words, scope, stdin) {
            return output;
        }
        if let Some(rest) = wrapped(name, words) {
            let mut inner = scope.clone();
            if let Some(directory) = rest.directory {
                enter(&mut inner, &directory);
            }
            return self.run(&rest.words, &mut inner, stdin);
        }
        match name {
            "git" => self.git(words, scope, stdin),
            "find" => self.find(words, scope),
            "fd" | "fdfind" => self.fd(words, scope),
            "xargs" | "parallel" => self.xargs(words, scope, stdin),
            _ => {
                if !self.interpreter(name, words, scope, stdin) {
                    self.tool(name, words, scope, stdin);
                }
                Printed::default()
            }
        }
    }

    /// Commands of the shell itself, and programs whose output matters.
    fn builtin(
        &mut self,
        name: &str,
        words: &[Word],
        scope: &mut ShellScope,
        stdin: &Printed,
    ) -> Option<Printed> {
        let silent = Printed::of(String::new());
        Some(match name {
            "cd" | "pushd" | "chdir" => {
                let target = words.iter().find(|word| {
                    let text = word.text().unwrap_or_default();
                    text == "-" || !text.starts_with('-')
                });
                match target {
                    Some(target) => enter(scope, target),
                    None if name == "cd" => scope.directory.clone_from(&self.place.home),
                    None => scope.directory = None,
                }
                silent
            }
            "popd" => {
                scope.directory = scope.previous.take();
                silent
            }
            "eval" => {
                let text: Option<Vec<String>> = words.iter().map(Word::text).collect();
                match text {
                    Some(text) => self.text_with(&text.join(" "), scope, stdin),
                    None => Printed::default(),
                }
            }
            "trap" => {
                if let Some(text) = words.first().and_then(Word::text) {
                    self.text(&text, &mut scope.clone());
                }
                silent
            }
            "echo" => printed(words, true),
            "printf" => match words {
                [format] => printed(std::slice::from_ref(format), false),
                [format, values @ ..] if is_list(format) => Printed::paths(values.to_vec()),
                _ => Printed::default(),
            },
            "cat" => {
                let is_stdin = |word: &Word| word.text().as_deref() == Some("-");
                match words.iter().all(is_stdin) {
                    true => stdin.clone(),
                    false => Printed::default(),
                }
            }
            // What they pass on is a part of what they get.
            "sort" | "uniq" | "head" | "tail" | "grep" | "tr" if words_are_options(words) => {
                match stdin.words() {
                    Some(words) => Printed::paths(words),
                    None => Printed::default(),
                }
            }
            "ls" => {
                let paths = OptionSyntax::default().read(words).operands;
                match paths
                    .iter()
                    .all(|path| path.text().is_some_and(|text| text.contains('*')))
                {
                    true if !paths.is_empty() => Printed::paths(paths),
                    _ => Printed::default(),
                }
            }
            "pwd" => match &scope.directory {
                Some(directory) => Printed::of(format!("{directory}\n")),
                None => Printed::default(),
            },
            "dirname" | "basename" => match words {
                [path] if !path.has_unknown() => Printed::paths(vec![match name {
                    "dirname" => path.parent(),
                    _ => path.file_name(),
                }]),
                [path, end] if name == "basename" && !path.has_unknown() => {
                    let end = end.text().unwrap_or_default();
                    Printed::paths(vec![path.file_name().without_end(&end)])
                }
                _ => Printed::default(),
            },
            "realpath" | "readlink" => match words.last() {
                Some(path) if !path.has_unknown() => Printed::paths(vec![path.clone()]),
                _ => Printed::default(),
            },
            // The file that it creates has a name that nothing else has.
            "mktemp" => {
                let given = OptionSyntax::short("p").long(&["suffix"]).read(words);
                let directory = given.value(&["p", "tmpdir"]);
                let name = given.operands.first().cloned();
                let name = name.unwrap_or_else(|| "guard.XXXXXX".into());
                let directory = match directory {
                    Some(directory) => directory,
                    None if given.operands.is_empty() || given.has(&["t"]) => {
                        Word::from(self.place.temporary.as_str())
                    }
                    None => Word::from("."),
                };
                let path = name.below(&directory);
                if !given.operands.is_empty() {
                    self.emit(scope, EffectKind::Touch, &path);
                }
                Printed::paths(vec![path])
            }
            "true" | "false" | ":" | "exit" | "return" | "set" | "shift" | "sleep" | "wait" => {
                silent
            }
            _ => return None,
        })
    }
}

/// Changes the working directory.
pub(super) fn enter(scope: &mut ShellScope, target: &Word) {
    let before = scope.directory.clone();
    scope.directory = match target.text() {
        Some(text) if text == "-" => scope.previous.clone(),
        _ => PathPattern::of(target, scope.directory.as_deref())
            .filter(|path| path.rest.is_empty())
            .map(|path| path.base),
    };
    scope.previous = before;
}

fn is_list(format: &Word) -> bool {
    let text = format.text().unwrap_or_default();
    matches!(text.as_str(), "%s\\n" | "%s\\0" | "%s\n" | "%s ")
}

fn words_are_options(words: &[Word]) -> bool {
    // `grep PATTERN` reads standard input; a further operand would be a file.
    OptionSyntax::short("nce").read(words).operands.len() <= 1
}

/// What `echo` or `printf` prints.
fn printed(words: &[Word], is_echo: bool) -> Printed {
    let texts: Option<Vec<String>> = words.iter().map(Word::text).collect();
    let Some(mut texts) = texts else {
        return Printed::default();
    };
    let mut end = if is_echo { "\n" } else { "" };
    let mut has_escapes = !is_echo;
    while is_echo
        && let Some(first) = texts.first().cloned()
        && first.strip_prefix('-').is_some_and(|flags| {
            !flags.is_empty() && flags.chars().all(|flag| "neE".contains(flag))
        })
    {
        if first.contains('n') {
            end = "";
        }
        has_escapes |= first.contains('e');
        texts.remove(0);
    }
    let text = texts.join(" ");
    if !is_echo && text.contains('%') {
        return Printed::script(super::words::ansi_c(&text));
    }
    let text = match has_escapes {
        true => super::words::ansi_c(&text),
        false => text,
    };
    Printed::of(format!("{text}{end}"))
}

/// A command that another program runs.
struct Wrapped {
    words: Vec<Word>,
    directory: Option<Word>,
}

/// The command that `env`, `sudo`, `timeout` and the like run.
fn wrapped(name: &str, words: &[Word]) -> Option<Wrapped> {
    let stops = |short, long| OptionSyntax {
        stops: true,
        long,
        ..OptionSyntax::short(short)
    };
    let plain = |words: Vec<Word>| Wrapped {
        words,
        directory: None,
    };
    let (syntax, skipped) = match name {
        "env" => {
            let given = stops("uCS", &["unset", "chdir", "split-string"]).read(words);
            let directory = given.value(&["C", "chdir"]);
            let is_assignment = |word: &Word| word.start().contains('=');
            let mut rest: Vec<Word> = given.operands;
            while rest.first().is_some_and(is_assignment) {
                rest.remove(0);
            }
            if let Some(text) = given_split(words) {
                rest.splice(0..0, text.split_whitespace().map(Word::from));
            }
            return Some(Wrapped {
                words: rest,
                directory,
            });
        }
        "sudo" | "doas" => {
            let long = &["user", "group", "chdir", "host", "prompt"];
            let given = stops("ugCDhpRrTt", long).read(words);
            let directory = given.value(&["D", "chdir"]);
            let mut rest = given.operands;
            while rest.first().is_some_and(|word| word.start().contains('=')) {
                rest.remove(0);
            }
            return Some(Wrapped {
                words: rest,
                directory,
            });
        }
        "exec" => (stops("a", &[]), 0),
        "command" | "builtin" | "nohup" | "setsid" | "unbuffer" | "busybox" | "caffeinate" => {
            // `command -v` only looks.
            if name == "command"
                && words
                    .first()
                    .is_some_and(|word| matches!(word.start().as_str(), "-v" | "-V"))
            {
                return Some(plain(Vec::new()));
            }
            (stops("", &[]), 0)
        }
        "nice" => (stops("n", &["adjustment"]), 0),
        "ionice" => (stops("cn", &["class", "classdata"]), 0),
        "chrt" => (stops("", &[]), 1),
        "taskset" => (stops("", &[]), 1),
        "time" => (stops("of", &["output", "format"]), 0),
        "stdbuf" => (stops("ioe", &["input", "output", "error"]), 0),
        "timeout" | "gtimeout" => (stops("ks", &["kill-after", "signal"]), 1),
        "flock" => (stops("wE", &["wait", "timeout", "conflict-exit-code"]), 1),
        "watch" => (stops("n", &["interval"]), 0),
        "strace" | "ltrace" => (stops("eopsuE", &[]), 0),
        "npx" | "bunx" | "pnpx" | "uvx" => (stops("pc", &["package"]), 0),
        "uv" | "poetry" | "pipenv" | "pdm" | "hatch" | "rye" | "pnpm" | "yarn" | "bundle"
        | "mise" | "direnv" => {
            let first = words.first()?.text()?;
            if !matches!(first.as_str(), "run" | "exec" | "x" | "dlx") {
                return None;
            }
            let long = &[
                "with",
                "python",
                "project",
                "directory",
                "extra",
                "group",
                "env-file",
            ];
            let given = stops("p", long).read(&words[1..]);
            return Some(plain(given.operands));
        }
        "conda" | "mamba" | "micromamba" => {
            if words.first()?.text()? != "run" {
                return None;
            }
            (stops("np", &["name", "prefix", "cwd"]), 1)
        }
        "xvfb-run" | "dbus-run-session" | "catchsegv" | "rlwrap" | "chronic" => (stops("", &[]), 0),
        _ => return None,
    };
    let operands = syntax.read(words).operands;
    Some(plain(operands.into_iter().skip(skipped).collect()))
}

/// The command in `env -S 'command'`.
fn given_split(words: &[Word]) -> Option<String> {
    let given = OptionSyntax::short("S").long(&["split-string"]).read(words);
    given.value(&["S", "split-string"])?.text()
}
