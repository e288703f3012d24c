//! Programs that run a text: shells, Python, Node and others.

use regex_lite::Regex;

use super::effect::EffectKind;
use super::options::OptionSyntax;
use super::output::Printed;
use super::run::{Shell, ShellScope};
use super::unified_diff;
use super::word::Word;
use super::{javascript, python};

impl Shell<'_> {
    /// Follows an interpreter; `false` if the program is none.
    pub(super) fn interpreter(
        &mut self,
        name: &str,
        words: &[Word],
        scope: &mut ShellScope,
        stdin: &Printed,
    ) -> bool {
        let base = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
        match base {
            "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "rbash" | "fish" => {
                self.shell(words, scope, stdin)
            }
            "su" | "script" => {
                let given = OptionSyntax::short("cs").long(&["command"]).read(words);
                if let Some(text) = given.value(&["c", "command"]).and_then(|text| text.text()) {
                    self.text(&text, &mut scope.clone());
                }
            }
            "python" | "pypy" | "ipython" => self.python(words, scope, stdin),
            "node" | "nodejs" | "bun" | "deno" | "tsx" | "ts-node" => {
                let long = &["eval", "print", "require", "import", "loader"];
                let syntax = OptionSyntax {
                    stops: base != "deno" && base != "bun",
                    ..OptionSyntax::short("epr").long(long)
                };
                let given = syntax.read(words);
                let is_eval =
                    given.operands.first().and_then(Word::text).as_deref() == Some("eval");
                let code = match given.value(&["e", "eval", "p", "print"]) {
                    Some(code) => code.text(),
                    None if is_eval => given.operands.get(1).and_then(Word::text),
                    None => script_on_stdin(&given.operands, stdin),
                };
                if let Some(code) = code {
                    javascript::follow(self, &code, scope);
                }
            }
            "perl" | "ruby" => self.perl(words, scope, stdin),
            "php" | "lua" | "luajit" | "Rscript" => {
                let given = OptionSyntax::short("re").read(words);
                if let Some(code) = given.value(&["r", "e"]).and_then(|code| code.text()) {
                    self.literals(&code, scope);
                }
            }
            "awk" | "gawk" | "mawk" | "nawk" => self.awk(words, scope),
            _ => return false,
        }
        true
    }

    fn shell(&mut self, words: &[Word], scope: &ShellScope, stdin: &Printed) {
        let mut scope = scope.clone();
        let mut takes_text = false;
        let mut words = words.iter();
        let mut first = None;
        while let Some(word) = words.next() {
            let text = word.start();
            match text.strip_prefix('-').or_else(|| text.strip_prefix('+')) {
                Some("") | Some("-") => {}
                Some(flags) if flags.starts_with('-') => {
                    if matches!(flags, "-rcfile" | "-init-file") {
                        words.next();
                    }
                }
                Some(flags) => {
                    takes_text |= flags.contains('c');
                    if flags.contains('o') || flags.contains('O') {
                        words.next();
                    }
                }
                None => {
                    first = Some(word);
                    break;
                }
            }
        }
        let arguments: Vec<Word> = words.cloned().collect();
        let set = |scope: &mut ShellScope, arguments: &[Word]| {
            for (at, word) in arguments.iter().enumerate() {
                scope.variables.insert(at.to_string(), word.clone());
            }
            if let [_, only] = arguments {
                scope.variables.insert("@".to_owned(), only.clone());
                scope.variables.insert("*".to_owned(), only.clone());
            }
        };
        match (takes_text, first) {
            (true, Some(text)) => {
                set(&mut scope, &arguments);
                if let Some(text) = text.text() {
                    self.text_with(&text, &mut scope, stdin);
                }
            }
            // A script in a file is not in the text.
            (false, Some(_)) => {}
            (_, None) => {
                if let Some(text) = stdin.as_script() {
                    self.text(text, &mut scope);
                }
            }
        }
    }

    fn python(&mut self, words: &[Word], scope: &mut ShellScope, stdin: &Printed) {
        let syntax = OptionSyntax {
            stops: true,
            ..OptionSyntax::short("cmWX")
        };
        let given = syntax.read(words);
        if let Some(module) = given.value(&["m"]).and_then(|module| module.text()) {
            self.run(
                &[vec![module.into()], given.operands].concat(),
                scope,
                stdin,
            );
            return;
        }
        let code = match given.value(&["c"]) {
            Some(code) => code.text(),
            None => script_on_stdin(&given.operands, stdin),
        };
        if let Some(code) = code {
            python::follow(self, &code, scope);
        }
    }

    fn perl(&mut self, words: &[Word], scope: &ShellScope, stdin: &Printed) {
        let syntax = OptionSyntax {
            attached: "i0lFMIm",
            ..OptionSyntax::short("eE")
        };
        // `-i -pe`, `-pi -e` and `-i.bak`: what follows `i` in a word is its suffix.
        let given = syntax.read(words);
        let scripts = given.values(&["e", "E"]);
        let mut operands = given.operands.as_slice();
        if scripts.is_empty() {
            if let Some(code) = script_on_stdin(operands, stdin) {
                self.literals(&code, scope);
            }
            operands = operands.get(1..).unwrap_or_default();
        }
        for code in scripts.iter().filter_map(Word::text) {
            self.literals(&code, scope);
        }
        // `-0pi -e`: digits come before other letters.
        let is_in_place = given.has(&["i"])
            || words.iter().any(|word| {
                let text = word.start();
                let letters = text.strip_prefix('-').unwrap_or_default();
                let letters = letters.trim_start_matches(|char: char| char.is_ascii_digit());
                letters.len() < 6 && letters.starts_with(['p', 'n', 'l']) && letters.contains('i')
            });
        if is_in_place {
            self.emit_all(scope, &EffectKind::Modify, operands);
        }
    }

    fn awk(&mut self, words: &[Word], scope: &ShellScope) {
        let given = OptionSyntax::short("Fvfi")
            .long(&["include", "field-separator", "assign", "file"])
            .read(words);
        let has_file = given.has(&["f", "file"]);
        let (program, files) = match (has_file, given.operands.split_first()) {
            (false, Some((program, files))) => (program.text(), files),
            _ => (None, given.operands.as_slice()),
        };
        let includes = given.values(&["i", "include"]);
        if includes
            .iter()
            .any(|include| include.text().as_deref() == Some("inplace"))
        {
            self.emit_all(scope, &EffectKind::Modify, files);
        }
        let Some(program) = program else { return };
        // A comparison has no `print` before it.
        if let Ok(output) = Regex::new(r#"print[^;}\n|]*?(>>?)\s*"([^"]+)""#) {
            for found in output.captures_iter(&program) {
                let kind = match &found[1] {
                    ">" => EffectKind::Replace { content: None },
                    _ => EffectKind::Modify,
                };
                self.emit(scope, kind, &Word::from(&found[2]));
            }
        }
    }

    pub(super) fn patch(&mut self, words: &[Word], scope: &ShellScope, stdin: &Printed) {
        let long = &[
            "strip",
            "directory",
            "input",
            "output",
            "reject-file",
            "fuzz",
        ];
        let given = OptionSyntax::short("pdioFrBDVYz").long(long).read(words);
        if given.has(&["dry-run", "C", "check"]) {
            return;
        }
        let mut scope = scope.clone();
        if let Some(directory) = given.value(&["d", "directory"]) {
            super::programs::enter(&mut scope, &directory);
        }
        if let Some(output) = given.value(&["o", "output"]) {
            return self.emit(&scope, EffectKind::Replace { content: None }, &output);
        }
        if let Some(file) = given.operands.first() {
            return self.emit(&scope, EffectKind::Modify, file);
        }
        let strip = given
            .value(&["p", "strip"])
            .and_then(|strip| strip.text()?.parse().ok());
        if let Some(text) = stdin.as_script() {
            // Without -p, patch takes the name that exists.
            let files = unified_diff::files(
                text,
                strip.unwrap_or(usize::from(text.contains("\n+++ b/"))),
            );
            self.patched(&files, &".".into(), &scope);
        }
    }

    /// The files of a patch in the format of Codex.
    pub(super) fn applied(&mut self, text: Option<&str>, scope: &ShellScope) {
        for line in text.unwrap_or_default().lines() {
            let after = |start: &str| line.strip_prefix(start).map(|path| Word::from(path.trim()));
            if let Some(path) = after("*** Add File: ")
                .or_else(|| after("*** Update File: "))
                .or_else(|| after("*** Move to: "))
            {
                self.emit(scope, EffectKind::Modify, &path);
            } else if let Some(path) = after("*** Delete File: ") {
                self.emit(scope, EffectKind::Delete, &path);
            }
        }
    }

    /// Calls with literal paths in Perl, Ruby, PHP and Lua.
    fn literals(&mut self, code: &str, scope: &ShellScope) {
        const QUOTED: &str = r#"['"]([^'"$]+)['"]"#;
        let replace = || EffectKind::Replace { content: None };
        let calls: [(&str, EffectKind); 8] = [
            (
                r#"\bopen\s*\(?\s*(?:my\s+)?\$?\w+\s*,\s*['"]\+?>[^'"]*['"]\s*,\s*QUOTED"#,
                replace(),
            ),
            (
                r#"\bopen\s*\(?\s*\w+\s*,\s*['"]>{1,2}\s*([^'"$]+)['"]"#,
                replace(),
            ),
            (
                r#"\b(?:File|IO|Pathname|Dir)\.(?:write|binwrite|truncate)\s*\(?\s*QUOTED"#,
                replace(),
            ),
            (
                r#"\b(?:File|IO|io)\.open\s*\(?\s*QUOTED\s*,\s*['"][waxr]b?\+?['"]"#,
                EffectKind::Modify,
            ),
            (r#"\bfopen\s*\(\s*QUOTED\s*,\s*['"][waxc]"#, replace()),
            (r#"\bfile_put_contents\s*\(\s*QUOTED"#, replace()),
            (
                r#"\b(?:unlink|remove|(?:File|FileUtils)\.(?:delete|unlink|rm\w*)|os\.remove)\s*\(?\s*QUOTED"#,
                EffectKind::Delete,
            ),
            (r#"\bFileUtils\.touch\s*\(?\s*QUOTED"#, EffectKind::Touch),
        ];
        for (pattern, kind) in calls {
            let Ok(regex) = Regex::new(&pattern.replace("QUOTED", QUOTED)) else {
                continue;
            };
            for found in regex.captures_iter(code) {
                // `File.open('x', 'r')` reads.
                if kind_is_read(&found[0]) {
                    continue;
                }
                self.emit(scope, kind.clone(), &Word::from(&found[1]));
            }
        }
        let pairs = format!(
            r#"\b(rename|copy|move|FileUtils\.(?:mv|cp)\w*)\s*\(?\s*{QUOTED}\s*,\s*{QUOTED}"#
        );
        if let Ok(regex) = Regex::new(&pairs) {
            for found in regex.captures_iter(code) {
                let moves = !found[1].contains("cp") && !found[1].contains("copy");
                self.copy(
                    scope,
                    &Word::from(&found[2]),
                    &Word::from(&found[3]),
                    moves,
                    false,
                    false,
                );
            }
        }
    }
}

fn kind_is_read(call: &str) -> bool {
    let mode = call.rsplit(',').next().unwrap_or_default();
    call.contains(".open") && matches!(mode.trim().trim_matches(['"', '\'']), "r" | "rb")
}

/// The script on standard input, if the program reads it from there.
fn script_on_stdin(operands: &[Word], stdin: &Printed) -> Option<String> {
    let is_stdin = operands
        .first()
        .is_none_or(|word| word.text().as_deref() == Some("-"));
    stdin.as_script().filter(|_| is_stdin).map(str::to_owned)
}
