//! The languages that `extend` supports.

use gix::bstr::{BStr, ByteSlice};
use tree_sitter::Language;

use super::syntax::Syntax;
use super::{go, java, python, rust, script};

const LANGUAGES: &[Syntax] = &[
    Syntax {
        name: "Python",
        extensions: &["py", "pyi"],
        grammar: || tree_sitter_python::LANGUAGE.into(),
        item: python::item,
        has_braces: false,
        blank_lines: 2,
        separator: ".",
        strings: &["string"],
        uses: None,
    },
    Syntax {
        name: "Rust",
        extensions: &["rs"],
        grammar: || tree_sitter_rust::LANGUAGE.into(),
        item: rust::item,
        has_braces: true,
        blank_lines: 1,
        separator: "::",
        strings: &["string_literal", "raw_string_literal"],
        uses: None,
    },
    script("JavaScript", &["js", "jsx", "mjs", "cjs"], || {
        tree_sitter_javascript::LANGUAGE.into()
    }),
    script("TypeScript", &["ts", "mts", "cts"], || {
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()
    }),
    script("TSX", &["tsx"], || {
        tree_sitter_typescript::LANGUAGE_TSX.into()
    }),
    Syntax {
        name: "Go",
        extensions: &["go"],
        grammar: || tree_sitter_go::LANGUAGE.into(),
        item: go::item,
        has_braces: true,
        blank_lines: 1,
        separator: ".",
        strings: &["raw_string_literal"],
        uses: Some(go::uses),
    },
    Syntax {
        name: "Java",
        extensions: &["java"],
        grammar: || tree_sitter_java::LANGUAGE.into(),
        item: java::item,
        has_braces: true,
        blank_lines: 1,
        separator: ".",
        strings: &["string_literal"],
        uses: None,
    },
];

const fn script(
    name: &'static str,
    extensions: &'static [&'static str],
    grammar: fn() -> Language,
) -> Syntax {
    Syntax {
        name,
        extensions,
        grammar,
        item: script::item,
        has_braces: true,
        blank_lines: 1,
        separator: ".",
        strings: &["template_string", "string"],
        uses: None,
    }
}

/// The language of a file, by its extension.
pub(super) fn of(path: &BStr) -> Option<&'static Syntax> {
    let name = path.rsplit(|&byte| byte == b'/').next()?.to_str().ok()?;
    let (_, extension) = name.rsplit_once('.')?;
    let extension = extension.to_ascii_lowercase();
    LANGUAGES
        .iter()
        .find(|syntax| syntax.extensions.contains(&extension.as_str()))
}

/// All languages, for a message.
pub(super) fn names() -> String {
    let names: Vec<&str> = LANGUAGES.iter().map(|syntax| syntax.name).collect();
    names.join(", ")
}
