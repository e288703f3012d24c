//! The programs that change files which their arguments name.

use super::effect::{CopySource, EffectKind};
use super::options::{OptionSyntax, ParsedOptions};
use super::output::Printed;
use super::pattern::PathPattern;
use super::run::{Shell, ShellScope};
use super::word::Word;

const UNKNOWN: EffectKind = EffectKind::Replace { content: None };

impl Shell<'_> {
    /// A program that changes files.
    pub(super) fn tool(
        &mut self,
        name: &str,
        words: &[Word],
        scope: &mut ShellScope,
        stdin: &Printed,
    ) {
        match name {
            "touch" | "mkfifo" | "mknod" => {
                let given = OptionSyntax::short("drtm")
                    .long(&["date", "reference", "mode"])
                    .read(words);
                self.emit_all(scope, &EffectKind::Touch, &given.operands);
            }
            "mkdir" => {
                let given = OptionSyntax::short("mZ").long(&["mode"]).read(words);
                self.emit_all(scope, &EffectKind::Directory, &given.operands);
            }
            "rm" | "unlink" | "trash" | "trash-put" | "rimraf" | "del" | "rmdir" => {
                let given = OptionSyntax::default().read(words);
                let kind = match name {
                    // Git does not know empty directories.
                    "rmdir" => EffectKind::Directory,
                    _ => EffectKind::Delete,
                };
                self.emit_all(scope, &kind, &given.operands);
            }
            "shred" => {
                let given = OptionSyntax::short("ns")
                    .long(&["iterations", "size"])
                    .read(words);
                let kind = match given.has(&["u", "remove"]) {
                    true => EffectKind::Delete,
                    false => UNKNOWN,
                };
                self.emit_all(scope, &kind, &given.operands);
            }
            "cp" | "mv" | "gcp" | "gmv" | "git-mv" => {
                let given = OptionSyntax::short("tS")
                    .long(&["target-directory", "suffix"])
                    .read(words);
                self.transfer(scope, given, name.ends_with("mv"), false);
            }
            "install" => {
                let long = &["mode", "owner", "group", "target-directory", "suffix"];
                let given = OptionSyntax::short("mogtS").long(long).read(words);
                match given.has(&["d", "directory"]) {
                    true => self.emit_all(scope, &EffectKind::Directory, &given.operands),
                    false => self.transfer(scope, given, false, false),
                }
            }
            "rsync" | "scp" => self.synchronize(name, words, scope),
            "ln" => self.link(words, scope),
            "tee" | "sponge" => {
                let given = OptionSyntax::default().read(words);
                let kind = match given.has(&["a", "append"]) {
                    true => EffectKind::Modify,
                    false => EffectKind::Replace {
                        content: stdin.text.clone().filter(|_| name == "tee"),
                    },
                };
                self.emit_all(scope, &kind, &given.operands);
            }
            "dd" => {
                for word in words {
                    if let Some(path) = after(word, "of=") {
                        self.emit(scope, UNKNOWN, &path);
                    }
                }
            }
            "truncate" | "fallocate" => {
                let given = OptionSyntax::short("srlo")
                    .long(&["size", "reference", "length", "offset"])
                    .read(words);
                self.emit_all(scope, &UNKNOWN, &given.operands);
            }
            "chmod" | "chown" | "chgrp" => {
                let given = OptionSyntax::default()
                    .long(&["reference", "from"])
                    .read(words);
                self.emit_all(
                    scope,
                    &EffectKind::Modify,
                    given.operands.get(1..).unwrap_or_default(),
                );
            }
            "sed" | "gsed" => self.sed(words, scope),
            "patch" => self.patch(words, scope, stdin),
            "apply_patch" => {
                let text = words.first().and_then(Word::text);
                self.applied(text.as_deref().or(stdin.as_script()), scope);
            }
            "sort" | "iconv" => {
                let given = OptionSyntax::short("okStTft")
                    .long(&["output", "key", "from-code", "to-code"])
                    .read(words);
                for path in given.values(&["o", "output"]) {
                    let kind = match given.operands.contains(&path) {
                        true => EffectKind::Modify,
                        false => UNKNOWN,
                    };
                    self.emit(scope, kind, &path);
                }
            }
            "uniq" => {
                let given = OptionSyntax::short("fsw").read(words);
                self.emit_all(scope, &UNKNOWN, given.operands.get(1..).unwrap_or_default());
            }
            "ex" | "ed" | "vi" | "vim" | "nvim" => {
                let given = OptionSyntax::short("cSu").long(&["cmd"]).read(words);
                self.emit_all(scope, &EffectKind::Modify, &given.operands);
            }
            "tar" | "bsdtar" | "gtar" => self.tar(words, scope),
            "unzip" => {
                let given = OptionSyntax::short("dxP").read(words);
                if !given.has(&["l", "t", "p", "Z", "v"]) {
                    let target = given.value(&["d"]).unwrap_or_else(|| ".".into());
                    self.emit(scope, EffectKind::Unpack, &target);
                }
            }
            "7z" | "7za" => {
                if words
                    .first()
                    .is_some_and(|word| matches!(word.start().as_str(), "x" | "e"))
                {
                    let target = words.iter().find_map(|word| after(word, "-o"));
                    self.emit(
                        scope,
                        EffectKind::Unpack,
                        &target.unwrap_or_else(|| ".".into()),
                    );
                }
            }
            "zip" => {
                let given = OptionSyntax::short("xi").read(words);
                self.emit_all(
                    scope,
                    &EffectKind::Modify,
                    given.operands.get(..1).unwrap_or_default(),
                );
            }
            "gzip" | "bzip2" | "xz" | "zstd" | "gunzip" | "bunzip2" | "unxz" | "unzstd" => {
                self.compress(name, words, scope);
            }
            "curl" | "wget" => self.download(name, words, scope),
            "split" | "csplit" => {
                let given = OptionSyntax::short("abClnfp").read(words);
                if let Some(prefix) = given.operands.get(1) {
                    let first = prefix.clone().then("aa".into());
                    self.emit(scope, UNKNOWN, &first);
                }
            }
            _ => self.formatter(name, words, scope),
        }
    }

    /// Compilers, converters and formatters.
    fn formatter(&mut self, name: &str, words: &[Word], scope: &mut ShellScope) {
        let given = OptionSyntax::short("oc").long(&[
            "output",
            "out",
            "outfile",
            "config",
            "check-config",
            "line-length",
        ]);
        let given = given.read(words);
        let has = |names: &[&str]| given.has(names);
        let files = match name {
            "rustfmt" | "black" | "isort" | "stylua" | "dos2unix" | "unix2dos" | "nixfmt"
            | "docformatter" => !has(&["check", "diff", "check-only", "n", "version", "help"]),
            "prettier" | "biome" => has(&["write", "w", "fix"]),
            "gofmt" | "goimports" | "shfmt" | "gofumpt" => has(&["w"]),
            "eslint" | "standard" | "stylelint" | "rubocop" | "pyupgrade" | "autoflake" | "xo" => {
                has(&["fix", "a", "A", "autocorrect", "in-place", "i"]) || name == "pyupgrade"
            }
            "clang-format" | "autopep8" | "yapf" | "yq" | "djlint" => {
                has(&["i", "in-place", "inplace"])
            }
            "ruff" => {
                let verb = given
                    .operands
                    .first()
                    .and_then(Word::text)
                    .unwrap_or_default();
                (verb == "format" && !has(&["check", "diff"])) || (verb == "check" && has(&["fix"]))
            }
            "taplo" | "terraform" | "deno" => {
                given.operands.first().and_then(Word::text).as_deref() == Some("fmt")
            }
            "sd" => {
                self.emit_all(
                    scope,
                    &EffectKind::Modify,
                    given.operands.get(2..).unwrap_or_default(),
                );
                false
            }
            "gcc" | "cc" | "g++" | "c++" | "clang" | "clang++" | "rustc" | "go" | "ld"
            | "pandoc" | "dot" | "esbuild" | "tsc" | "protoc" | "as" | "javac" | "nasm" | "xxd"
            | "swiftc" | "jq" | "mmdc" => {
                for path in given.values(&["o", "output", "out", "outfile"]) {
                    self.emit(scope, UNKNOWN, &path);
                }
                false
            }
            "openssl" | "ssh-keygen" | "keytool" => {
                let given = OptionSyntax::default()
                    .long(&["out", "f", "keyout", "keystore", "C", "N", "t", "b"])
                    .read(words);
                for path in given.values(&["out", "f", "keyout", "keystore"]) {
                    self.emit(scope, UNKNOWN, &path);
                }
                false
            }
            _ => false,
        };
        if files {
            let paths: Vec<Word> = given
                .operands
                .iter()
                .filter(|word| {
                    word.text()
                        .is_none_or(|text| text.contains(['.', '/', '*']))
                })
                .cloned()
                .collect();
            self.emit_all(scope, &EffectKind::Modify, &paths);
        }
    }

    pub(super) fn emit_all(&mut self, scope: &ShellScope, kind: &EffectKind, paths: &[Word]) {
        for path in paths {
            self.emit(scope, kind.clone(), path);
        }
    }

    /// `cp`, `mv` and `install`.
    pub(super) fn transfer(
        &mut self,
        scope: &ShellScope,
        given: ParsedOptions,
        moves: bool,
        contents: bool,
    ) {
        let directory = given.value(&["t", "target-directory"]);
        let is_many = given.operands.len() > 2;
        let mut sources = given.operands;
        let target = match &directory {
            Some(target) => target.clone(),
            None => match sources.pop() {
                Some(target) => target,
                None => return,
            },
        };
        let ends_with_slash = target.text().is_some_and(|text| text.ends_with('/'));
        let has_glob = |word: &Word| {
            PathPattern::of(word, scope.directory.as_deref())
                .is_some_and(|path| !path.rest.is_empty())
        };
        for source in sources {
            self.copy(
                scope,
                &source,
                &target,
                moves,
                directory.is_some() || is_many || ends_with_slash || has_glob(&source),
                contents,
            );
        }
    }

    pub(super) fn copy(
        &mut self,
        scope: &ShellScope,
        source: &Word,
        target: &Word,
        moves: bool,
        into_directory: bool,
        contents: bool,
    ) {
        let Some(path) = PathPattern::of(source, scope.directory.as_deref()) else {
            // Only the target is known.
            let kind = match into_directory {
                true => EffectKind::Unpack,
                false => UNKNOWN,
            };
            return self.emit(scope, kind, target);
        };
        let source_word = source;
        let source = CopySource {
            path,
            into_directory,
            contents,
        };
        if PathPattern::of(target, scope.directory.as_deref()).is_none() {
            // The target is not known, but what is moved is gone.
            if moves {
                self.emit(scope, EffectKind::Delete, source_word);
            }
            return self.emit(scope, UNKNOWN, target);
        }
        let kind = match moves {
            true => EffectKind::Move(source),
            false => EffectKind::Copy(source),
        };
        self.emit(scope, kind, target);
    }

    fn synchronize(&mut self, name: &str, words: &[Word], scope: &ShellScope) {
        let short = if name == "rsync" {
            "efBM"
        } else {
            "cFiJloPSXD"
        };
        let long = &[
            "exclude",
            "include",
            "rsh",
            "filter",
            "files-from",
            "exclude-from",
            "chmod",
            "log-file",
        ];
        let given = OptionSyntax::short(short).long(long).read(words);
        let given_dry = given.has(&["n", "dry-run"]);
        let is_remote = |word: &Word| {
            let text = word.text().unwrap_or_default();
            text.split_once(':')
                .is_some_and(|(host, _)| !host.contains('/'))
        };
        let Some((target, sources)) = given.operands.split_last() else {
            return;
        };
        if given_dry || is_remote(target) {
            return;
        }
        for source in sources {
            if is_remote(source) {
                self.emit(scope, EffectKind::Unpack, target);
                continue;
            }
            let contents = source.text().is_some_and(|text| text.ends_with('/'));
            let into = sources.len() > 1 || target.text().is_some_and(|text| text.ends_with('/'));
            self.copy(scope, source, target, false, into || contents, contents);
        }
    }

    fn link(&mut self, words: &[Word], scope: &ShellScope) {
        let given = OptionSyntax::short("tS")
            .long(&["target-directory", "suffix"])
            .read(words);
        let (mut names, directory) = (
            given.operands.clone(),
            given.value(&["t", "target-directory"]),
        );
        let target = match (&directory, names.len()) {
            (Some(directory), _) => directory.clone(),
            (None, 0) => return,
            (None, 1) => Word::from("."),
            (None, _) => names.pop().unwrap_or_default(),
        };
        for name in names {
            // The link's own name, if the target is a directory.
            let is_directory =
                directory.is_some() || matches!(target.text().as_deref(), Some("." | "./"));
            let path = match is_directory {
                true => name.file_name().below(&target),
                false => target.clone(),
            };
            self.emit(scope, UNKNOWN, &path);
        }
    }

    fn sed(&mut self, words: &[Word], scope: &ShellScope) {
        let syntax = OptionSyntax {
            attached: "i",
            ..OptionSyntax::short("efl").long(&["expression", "file", "line-length"])
        };
        let given = syntax.read(words);
        let mut operands = given.operands.as_slice();
        // BSD sed takes an empty suffix as a word of its own.
        if let Some((first, rest)) = operands.split_first()
            && first.text().as_deref() == Some("")
        {
            operands = rest;
        }
        if !given.has(&["e", "expression", "f", "file"]) {
            operands = operands.get(1..).unwrap_or_default();
        }
        if given.has(&["i", "in-place"]) {
            self.emit_all(scope, &EffectKind::Modify, operands);
        }
    }

    fn tar(&mut self, words: &[Word], scope: &mut ShellScope) {
        let mut words = words.to_vec();
        if let Some(first) = words.first_mut()
            && let Some(text) = first.text()
            && !text.starts_with('-')
        {
            // The letters of an old-style call take their values in order, as those of one cluster do.
            *first = format!("-{text}").into();
        }
        let long = &[
            "file",
            "directory",
            "exclude",
            "strip-components",
            "transform",
            "files-from",
            "one-top-level",
        ];
        let given = OptionSyntax::short("fCTXbI").long(long).read(&words);
        let mut inner = scope.clone();
        if let Some(directory) = given.value(&["C", "directory"]) {
            super::programs::enter(&mut inner, &directory);
        }
        let archive = given.value(&["f", "file"]);
        if given.has(&["x", "extract", "get"]) {
            if !given.has(&["O", "to-stdout"]) {
                match given.value(&["C", "directory"]) {
                    Some(directory) => self.emit(scope, EffectKind::Unpack, &directory),
                    None => self.emit(scope, EffectKind::Unpack, &".".into()),
                }
            }
        } else if given.has(&["c", "create", "r", "append", "u", "update"])
            && let Some(archive) = archive.filter(|archive| archive.text().as_deref() != Some("-"))
        {
            self.emit(scope, UNKNOWN, &archive);
        }
    }

    fn compress(&mut self, name: &str, words: &[Word], scope: &ShellScope) {
        let given = OptionSyntax::short("So").read(words);
        if given.has(&["c", "stdout", "l", "list", "t", "test"]) {
            return;
        }
        let is_unpacking = name.starts_with("un")
            || name.starts_with("gun")
            || name.starts_with("bun")
            || given.has(&["d", "decompress"]);
        let end = match name {
            "gzip" | "gunzip" => ".gz",
            "bzip2" | "bunzip2" => ".bz2",
            "xz" | "unxz" => ".xz",
            _ => ".zst",
        };
        for path in &given.operands {
            let result = match is_unpacking {
                true => path.without_end(end),
                false => path.clone().then(end.into()),
            };
            self.emit(scope, UNKNOWN, &result);
            if !given.has(&["k", "keep"]) && !name.contains("zst") {
                self.emit(scope, EffectKind::Delete, path);
            }
        }
    }

    fn download(&mut self, name: &str, words: &[Word], scope: &ShellScope) {
        let is_curl = name == "curl";
        let syntax = match is_curl {
            true => OptionSyntax::short("oDcXHdAeuUFTbxmrKwyYzE").long(&[
                "output",
                "output-dir",
                "header",
                "data",
                "request",
                "user",
                "url",
                "dump-header",
                "cookie-jar",
                "form",
                "max-time",
                "retry",
                "connect-timeout",
                "data-binary",
                "user-agent",
                "cacert",
                "data-raw",
            ]),
            false => OptionSyntax::short("OPoaetTUwQlADRI").long(&[
                "output-document",
                "directory-prefix",
                "output-file",
                "append-output",
                "header",
                "timeout",
                "tries",
                "user-agent",
                "post-data",
            ]),
        };
        let given = syntax.read(words);
        let directory = match is_curl {
            true => given.value(&["output-dir"]),
            false => given.value(&["P", "directory-prefix"]),
        };
        let directory = directory.unwrap_or_else(|| ".".into());
        let named: &[&str] = match is_curl {
            true => &["o", "output", "D", "dump-header", "c", "cookie-jar"],
            false => &[
                "O",
                "output-document",
                "o",
                "output-file",
                "a",
                "append-output",
            ],
        };
        let is_stdout = |path: &Word| path.text().as_deref() == Some("-");
        for path in given.values(named) {
            if !is_stdout(&path) {
                self.emit(scope, UNKNOWN, &path.below(&directory));
            }
        }
        let takes_name = match is_curl {
            true => given.has(&["O", "remote-name", "remote-name-all"]),
            false => !given.has(&[
                "O",
                "output-document",
                "spider",
                "r",
                "recursive",
                "i",
                "version",
                "help",
            ]),
        };
        if takes_name {
            for address in &given.operands {
                let text = address.text().unwrap_or_default();
                let text = text.split(['?', '#']).next().unwrap_or_default();
                let path = text.split_once("://").map_or(text, |(_, rest)| rest);
                if let Some((_, name)) = path.rsplit_once('/').filter(|(_, name)| !name.is_empty())
                {
                    self.emit(scope, UNKNOWN, &Word::from(name).below(&directory));
                }
            }
        }
    }
}

/// The rest of a word behind a known beginning.
fn after(word: &Word, beginning: &str) -> Option<Word> {
    word.start().starts_with(beginning).then(|| {
        let mut parts = word.0.clone();
        if let Some(super::word::Part::Text(text)) = parts.first_mut() {
            text.drain(..beginning.len());
        }
        Word(parts)
    })
}
