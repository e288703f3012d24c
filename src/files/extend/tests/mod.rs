//! Placing; each case is an old file, the content and the expected file.
#![allow(clippy::unwrap_used)]

use super::*;

#[track_caller]
fn extended(path: &str, old: &str, content: &str) -> (String, Extension) {
    let (text, extension) = extend(path.into(), old.as_bytes(), content.as_bytes()).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut lines = text.lines();
    for line in old.lines() {
        assert!(lines.any(|it| it == line), "{line:?} is lost:\n{text}");
    }
    (text, extension)
}

#[track_caller]
fn check(path: &str, old: &str, content: &str, expected: &str) -> Extension {
    let (text, extension) = extended(path, old, content);
    assert_eq!(text, expected, "{text}");
    // Once added, nothing is missing any more.
    refused(path, &text, content, FailureKind::NothingToAdd, "");
    extension
}

#[track_caller]
fn refused(path: &str, old: &str, content: &str, kind: FailureKind, part: &str) {
    let failure = extend(path.into(), old.as_bytes(), content.as_bytes()).unwrap_err();
    assert_eq!(failure.kind, kind, "{}", failure.message);
    assert!(failure.message.contains(part), "{}", failure.message);
    assert!(!failure.help.is_empty());
}

mod python;

#[test]
fn final_newline_line_endings_and_bom_stay() {
    let content = "class A:\n    def b(self): pass\ndef c(): pass\n";
    check(
        "a.py",
        "\u{feff}class A:\r\n    x = 1\r\n",
        content,
        "\u{feff}class A:\r\n    x = 1\r\n    def b(self): pass\r\n\r\n\r\ndef c(): pass\r\n",
    );
    check(
        "a.py",
        "class A:\n    x = 1",
        content,
        "class A:\n    x = 1\n    def b(self): pass\n\n\ndef c(): pass",
    );
    check(
        "a.py",
        "x = 1\n\n\n\n",
        "def c(): pass\n",
        "x = 1\n\n\n\ndef c(): pass\n",
    );
    check(
        "a.py",
        "",
        "import b\ndef c(): pass\n",
        "import b\n\n\ndef c(): pass\n",
    );
}

#[test]
fn unparsable_source_is_refused() {
    let is = |path, old, content, kind, part| refused(path, old, content, kind, part);
    is("a.txt", "", "x", FailureKind::UnsupportedLanguage, "a.txt");
    is(
        "py",
        "",
        "x",
        FailureKind::UnsupportedLanguage,
        "not a Python file",
    );
    is(
        "a.py",
        "def (:\n",
        "x = 1\n",
        FailureKind::SyntaxError,
        "the file does not parse as Python at line 1",
    );
    is(
        "a.py",
        "x = 1\n",
        "y = 1\n\ndef (:\n",
        FailureKind::SyntaxError,
        "the content does not parse as Python at line 3",
    );
    is(
        "a.py",
        "x = 1\n",
        "y = '\0'\n",
        FailureKind::SyntaxError,
        "NUL",
    );
    is(
        "a.py",
        "x = 1\n",
        "x = 2\n",
        FailureKind::NothingToAdd,
        "kept although different: variable x",
    );
    is("a.py", "x = 1\n", "", FailureKind::NothingToAdd, "");
    let latin = extend("a.py".into(), b"x = '\xe9'\n", b"y = 1\n").unwrap_err();
    assert_eq!(latin.kind, FailureKind::SyntaxError);
}
