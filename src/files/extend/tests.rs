//! Each case is an old file, the content and the expected file.
#![allow(clippy::unwrap_used)]

use super::*;

#[track_caller]
fn check(old: &str, content: &str, expected: &str) -> Extension {
    let (text, extension) = extend("a.py".into(), old.as_bytes(), content.as_bytes()).unwrap();
    assert_eq!(text.as_bstr(), expected);
    // Once added, nothing is missing any more.
    refused(expected, content, FailureKind::NothingToAdd, "");
    extension
}

#[track_caller]
fn refused(old: &str, content: &str, kind: FailureKind, part: &str) {
    let failure = extend("a.py".into(), old.as_bytes(), content.as_bytes()).unwrap_err();
    assert_eq!(failure.kind, kind, "{}", failure.message);
    assert!(failure.message.contains(part), "{}", failure.message);
}

#[test]
fn functions_and_methods_go_to_their_places() {
    let old = "\
#!/usr/bin/env python3
\"\"\"State.\"\"\"

from __future__ import annotations

import os
from typing import Any


class State:
    \"\"\"Kept.\"\"\"

    def load(self):
        return 1


def main():
    pass


if __name__ == \"__main__\":
    main()
";
    let content = "\
\"\"\"State.\"\"\"
from __future__ import annotations
import os

LIMIT = 3


class State:
    \"\"\"Kept.\"\"\"

    def load(self):
        return 2

    # Writes it.
    @property
    def text(self) -> Any:
        value = \"\"\"
  raw
\"\"\"
        return value

    @text.setter
    def text(self, value):
        pass


# Later.
async def later():
    pass


def main():
    pass
";
    let expected = "\
#!/usr/bin/env python3
\"\"\"State.\"\"\"

from __future__ import annotations

import os
from typing import Any


class State:
    \"\"\"Kept.\"\"\"

    def load(self):
        return 1

    # Writes it.
    @property
    def text(self) -> Any:
        value = \"\"\"
  raw
\"\"\"
        return value

    @text.setter
    def text(self, value):
        pass


def main():
    pass


# Later.
async def later():
    pass


if __name__ == \"__main__\":
    main()
";
    let extension = check(old, content, expected);
    assert_eq!(extension.added, ["function State.text", "function later",]);
    assert_eq!(extension.kept, ["function State.load"]);
    assert_eq!(extension.left_out, ["LIMIT = 3"]);
}

#[test]
fn additions_keep_what_surrounds_them() {
    let content = "class A:\n    def b(self): pass\ndef c(): pass\n";
    for (old, content, expected) in [
        (
            "\u{feff}class A:\r\n    x = 1\r\n",
            content,
            "\u{feff}class A:\r\n    x = 1\r\n\r\n    def b(self): pass\r\n\r\n\r\ndef c(): pass\r\n",
        ),
        (
            "class A:\n    x = 1",
            content,
            "class A:\n    x = 1\n\n    def b(self): pass\n\n\ndef c(): pass",
        ),
        (
            "x = 1\n\n\n\n",
            "def c(): pass\n",
            "x = 1\n\n\n\ndef c(): pass\n",
        ),
        ("", "def c(): pass\n", "def c(): pass\n"),
        (
            "class A:\n\tx = 1\ny = 1\n",
            "class A:\n\tdef b(self): pass\n",
            "class A:\n\tx = 1\n\n\tdef b(self): pass\ny = 1\n",
        ),
        (
            "class A:\n    x = 1\n",
            "class A:\n    pass\n    # Later.\n    def b(self):\n        pass\n",
            "class A:\n    x = 1\n\n    # Later.\n    def b(self):\n        pass\n",
        ),
        (
            "for a in f(x):\n    a.g = 1\n",
            "def g(x): pass\n",
            "for a in f(x):\n    a.g = 1\n\n\ndef g(x): pass\n",
        ),
    ] {
        check(old, content, expected);
    }
}

#[test]
fn what_is_not_certain_is_refused() {
    let f = "def f():\n    pass\n";
    let method = "class A:\n    def b(self):\n        pass\n";
    for (old, content) in [
        ("from a import f\n", "from b import f\n"),
        ("import a\n", "import b as a\n"),
        ("import a\n", "from b import *\n"),
        ("from a import b, c\n", "from a import b\n"),
        (f, "from b import f\n"),
        (f, "class f:\n    pass\n"),
        ("from b import f\n", f),
        (
            "try:\n    import a\nexcept ImportError:\n    a = None\n",
            "import a\n",
        ),
        ("if X:\n    def f(): pass\n", f),
        ("f = 1\n", f),
        ("for a, (f, b) in x:\n    pass\n", f),
        ("with x as (a, f):\n    pass\n", f),
        ("while (f := x):\n    pass\n", f),
        ("x = 1; y = 2\n", f),
        ("class A: pass\n", method),
        ("class A:\n  x = 1\n", method),
        (f, &format!("{method}{method}")),
    ] {
        refused(old, content, FailureKind::NoPlace, "");
    }
    refused(
        "class A: pass\n",
        method,
        FailureKind::NoPlace,
        "the content indents A",
    );
}

#[test]
fn unparsable_source_is_refused() {
    for (old, content, part) in [
        (
            "def (:\n",
            "x = 1\n",
            "the file does not parse as Python at line 1",
        ),
        (
            "x = 1\n",
            "y = 1\n\ndef (:\n",
            "the content does not parse as Python at line 3",
        ),
        ("x = 1\n", "y = '\0'\n", "NUL"),
    ] {
        refused(old, content, FailureKind::SyntaxError, part);
    }
    let kept = "kept although different: function f";
    let old = "def f(): pass\n";
    let content = "def f(): return 1\n";
    refused(old, content, FailureKind::NothingToAdd, kept);
    refused("x = 1\n", "", FailureKind::NothingToAdd, "");
    let latin = extend("a.py".into(), b"x = '\xe9'\n", b"y = 1\n").unwrap_err();
    assert_eq!(latin.kind, FailureKind::SyntaxError);
    for path in ["a.txt", "py"] {
        let failure = extend(path.into(), b"", b"x").unwrap_err();
        assert_eq!(failure.kind, FailureKind::UnsupportedLanguage);
    }
}

/// Classes nested this deep, the innermost with a method.
fn nested(depth: usize, method: &str) -> String {
    let mut text: String = (0..depth)
        .map(|level| format!("{}class C{level}:\n", " ".repeat(level)))
        .collect();
    text += &format!("{}def {method}(self): pass\n", " ".repeat(depth));
    text
}

#[test]
fn classes_are_extended_eight_levels_deep_and_deeper_ones_kept() {
    for (depth, is_extended) in [(7, true), (8, true), (9, false)] {
        let (old, content) = (nested(depth, "a"), nested(depth, "b"));
        let extended = extend("a.py".into(), old.as_bytes(), content.as_bytes());
        let expected = format!("{old}\n{}def b(self): pass\n", " ".repeat(depth));
        match extended {
            Ok((text, _)) => {
                assert!(is_extended, "{depth}");
                assert_eq!(text.as_bstr(), expected.as_str());
            }
            Err(failure) => {
                assert!(!is_extended, "{depth}: {}", failure.message);
                let kept = "kept although different: class C0.C1.C2.C3.C4.C5.C6.C7.C8";
                assert!(failure.message.contains(kept), "{}", failure.message);
            }
        }
    }
}
