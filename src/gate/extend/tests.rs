//! Placing, per language; each case is an old file, the content and the expected file.
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

#[test]
fn python_functions_methods_imports_and_the_main_block() {
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
import json
from typing import Any, Optional

LIMIT = 3


class State:
  \"\"\"Kept.\"\"\"

  def load(self):
    return 2

  # Writes it.
  @property
  def text(self) -> Optional[str]:
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
import json
from typing import Optional


class State:
    \"\"\"Kept.\"\"\"

    def load(self):
        return 1

    # Writes it.
    @property
    def text(self) -> Optional[str]:
      value = \"\"\"
  raw
\"\"\"
      return value

    @text.setter
    def text(self, value):
      pass


def main():
    pass


LIMIT = 3


# Later.
async def later():
    pass


if __name__ == \"__main__\":
    main()
";
    let extension = check("a.py", old, content, expected);
    assert_eq!(
        extension.added,
        [
            "function State.text",
            "function State.text",
            "import json",
            "from typing import Optional",
            "variable LIMIT",
            "function later",
        ]
    );
    assert_eq!(extension.kept, ["function State.load"]);
    assert_eq!(extension.left_out, [""; 0]);
}

#[test]
fn python_imports_stand_where_they_work() {
    let old = "# License.\n\n\"\"\"Doc.\"\"\"\n\ndef a():\n    pass\n";
    let content = "from __future__ import annotations\nimport json\ndef b(): pass\n";
    let expected = "# License.\n\n\"\"\"Doc.\"\"\"\n\nfrom __future__ import annotations\nimport json\n\n\ndef a():\n    pass\n\n\ndef b(): pass\n";
    check("a.py", old, content, expected);
    let old = "import a.b\n\nx = 1\n";
    check(
        "a.py",
        old,
        "import a.c\nx = 1\n",
        "import a.b\nimport a.c\n\nx = 1\n",
    );
    for (old, content) in [
        ("from a import load\n", "from b import load\n"),
        ("import a\n", "import b as a\n"),
        ("def load(): pass\n", "from b import load\n"),
        ("from b import load\n", "def load(): pass\n"),
        (
            "try:\n    import a\nexcept ImportError:\n    a = None\n",
            "import a\n",
        ),
        ("if X:\n    def load(): pass\n", "def load(): pass\n"),
        ("load = 1\n", "def load(): pass\n"),
        ("a, b = 1, 2\n", "b, c = 2, 3\n"),
    ] {
        refused("a.py", old, content, FailureKind::NoPlace, "");
    }
}

#[test]
fn python_bodies_without_lines_of_their_own_are_not_added_to() {
    refused(
        "a.py",
        "class A: pass\n",
        "class A:\n    def b(self): pass\n",
        FailureKind::NoPlace,
        "the body of A",
    );
    let old = "class A:\n\tpass\nx = 1\n";
    let content = "class A:\n    def b(self):\n        pass\n";
    check(
        "a.py",
        old,
        content,
        "class A:\n\tpass\n\n\tdef b(self):\n\t    pass\nx = 1\n",
    );
}

#[test]
fn the_end_of_the_file_its_line_endings_and_mark_stay() {
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
fn rust_items_impls_modules_and_uses() {
    let old = "\
//! Doc.
#![allow(dead_code)]

use std::fmt::{self, Debug};

/// S.
pub struct S<T> {
    a: T,
}

impl<T: Debug> S<T> {
    fn a(&self) {}
}

#[cfg(unix)]
fn os() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one() {}
}
";
    let content = "\
use std::fmt::{Debug, Display, self};
use std::io as stdio;

pub struct S<T> {
    a: T,
    b: T,
}

impl<T: Debug> S<T> {
    /// B.
    #[must_use]
    pub fn b(&self) -> &str {
        \"x
y\"
    }
}

impl<T> fmt::Display for S<T> {
    fn fmt(&self) {}
}

#[cfg(windows)]
fn os() {}

macro_rules! m { () => {} }

m!();

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn two() {}
}
";
    let expected = "\
//! Doc.
#![allow(dead_code)]

use std::fmt::{self, Debug};
use std::fmt::Display;
use std::io as stdio;

/// S.
pub struct S<T> {
    a: T,
}

impl<T: Debug> S<T> {
    fn a(&self) {}

    /// B.
    #[must_use]
    pub fn b(&self) -> &str {
        \"x
y\"
    }
}

#[cfg(unix)]
fn os() {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn one() {}

    #[test]
    fn two() {}
}

impl<T> fmt::Display for S<T> {
    fn fmt(&self) {}
}

#[cfg(windows)]
fn os() {}

macro_rules! m { () => {} }
";
    let extension = check("a.rs", old, content, expected);
    assert_eq!(extension.kept, ["struct S"]);
    assert_eq!(extension.left_out, ["m!();"]);
    assert_eq!(extension.added[0], "function S<T>::b");
}

#[test]
fn rust_what_would_not_compile_is_refused() {
    for (old, content) in [
        ("use a::X;\n", "use b::X;\n"),
        ("struct X;\n", "use b::X;\n"),
        ("struct X;\n", "enum X { A }\n"),
        (
            "impl<T> S<T> {\n    fn a() {}\n}\n",
            "impl<T: Copy> S<T> {\n    fn a() {}\n    fn b() {}\n}\n",
        ),
        ("impl S {}\n", "impl S {\n    fn a() {}\n}\n"),
        (
            "impl S {\n    fn a() {} }\n",
            "impl S {\n    fn b() {}\n}\n",
        ),
        ("use a::b; fn c() {\n}\n", "use a::d;\n"),
    ] {
        refused("a.rs", old, content, FailureKind::NoPlace, "");
    }
    // A type and a function may share a name, and so may parts under conditions.
    check(
        "a.rs",
        "struct X;\n",
        "fn X() {}\n",
        "struct X;\nfn X() {}\n",
    );
    check(
        "a.rs",
        "impl S {\n}\n",
        "impl S {\n    fn a() {}\n}\n",
        "impl S {\n    fn a() {}\n}\n",
    );
}

#[test]
fn typescript_overloads_accessors_interfaces_and_exports() {
    let old = "\
import a, { b } from './m';

export class C {
  private x = 1;

  m(a: string): void;
  m(a: any) {}

  get z() { return 1; }
}

interface I {
  f(a: string): void;
}
";
    let content = "\
import a, { b, type D } from './m';
import 'side';

export class C {
  private x = 1;
  y = 2;
  m(a: number): void;
  m(a: any) {}
  set z(v) {}
  @log()
  async n() {
    return `
  raw`;
  }
}

interface I {
  f(a: number): void;
  g?: string;
}

/** Doc. */
export const arrow = () => 1;
export type T = string;
export { arrow as other };
start();
";
    let expected = "\
import a, { b } from './m';
import { type D } from './m';
import 'side';

export class C {
  private x = 1;

  m(a: string): void;
  m(a: any) {}

  get z() { return 1; }
  y = 2;
  set z(v) {}

  @log()
  async n() {
    return `
  raw`;
  }
}

interface I {
  f(a: string): void;
  f(a: number): void;
  g?: string;
}

/** Doc. */
export const arrow = () => 1;

export type T = string;
export { arrow as other };
";
    let extension = check("a.ts", old, content, expected);
    assert_eq!(extension.kept, ["method C.m"]);
    assert_eq!(extension.left_out, ["start();"]);
    assert!(extension.added.contains(&"method I.f(number)".to_owned()));
    refused(
        "a.ts",
        "export default function a() {}\n",
        "export default function b() {}\n",
        FailureKind::NoPlace,
        "part of function b, default",
    );
}

#[test]
fn jsx_and_tsx_are_known_by_their_ends() {
    let old = "const a = 1;\n";
    let content = "function B() {\n  return <p>x</p>;\n}\n";
    let expected = "const a = 1;\n\nfunction B() {\n  return <p>x</p>;\n}\n";
    for path in ["a.jsx", "a.js", "a.tsx", "A.TSX"] {
        check(path, old, content, expected);
    }
    refused(
        "a.ts",
        old,
        content,
        FailureKind::SyntaxError,
        "does not parse as TypeScript",
    );
}

#[test]
fn go_methods_by_receiver_and_only_imports_that_are_used() {
    let old = "\
// Package p.
package p

import (
\t\"fmt\"
)

type T struct{}

func (t *T) A() { fmt.Println() }

type I interface {
\tGet() int
}
";
    let content = "\
package p

import (
\t\"errors\"
\t\"fmt\"
\ty \"gopkg.in/yaml.v3\"
)

type T struct{}

func (t *T) A() { errors.New(\"x\") }

// B.
func (u T) B() { y.Load() }

func (t *U) A() {}

type I interface {
\tGet() int
\tSet(int)
}

func init() {}
";
    let expected = "\
// Package p.
package p

import (
\t\"fmt\"
\ty \"gopkg.in/yaml.v3\"
)

type T struct{}

func (t *T) A() { fmt.Println() }

type I interface {
\tGet() int
\tSet(int)
}

// B.
func (u T) B() { y.Load() }

func (t *U) A() {}

func init() {}
";
    let extension = check("a.go", old, content, expected);
    assert_eq!(extension.kept, ["method T.A"]);
    assert_eq!(extension.left_out, ["import \"errors\""]);
    refused(
        "a.go",
        "package p\n",
        "package q\nfunc a() {}\n",
        FailureKind::NoPlace,
        "package q",
    );
    check(
        "a.go",
        "package p\n\nfunc a() {}\n",
        "package p\nimport \"os\"\nfunc b() { os.Exit(1) }\n",
        "package p\n\nimport \"os\"\n\nfunc a() {}\nfunc b() { os.Exit(1) }\n",
    );
}

#[test]
fn java_overloads_are_told_apart_by_erased_types() {
    let old = "\
package a;

import java.util.List;

public class C {
    private int x;

    C() {}

    void m(List<String> a) {}
}
";
    let content = "\
package a;

import java.util.*;
import java.util.Map;

public class C {
    private int x, y;

    C(int x) {}

    void m(java.util.List<Integer> b) {}

    /** Doc. */
    @Override
    void m(Map<String, List<X>> a, int... b) {
    }

    enum E { A }
}

record R(int a) {}
";
    refused(
        "a.java",
        old,
        content,
        FailureKind::NoPlace,
        "a part of field x, y",
    );
    let content = &content.replace("x, y;", "x;");
    let expected = "\
package a;

import java.util.List;
import java.util.*;
import java.util.Map;

public class C {
    private int x;

    C() {}

    void m(List<String> a) {}

    C(int x) {}

    /** Doc. */
    @Override
    void m(Map<String, List<X>> a, int... b) {
    }

    enum E { A }
}

record R(int a) {}
";
    let extension = check("a.java", old, content, expected);
    assert_eq!(extension.kept, ["method C.m(List)"]);
    assert!(
        extension
            .added
            .contains(&"method C.m(Map, int...)".to_owned())
    );
    refused(
        "a.java",
        "import java.util.List;\n",
        "import java.awt.List;\nclass A {}\n",
        FailureKind::NoPlace,
        "two places",
    );
    check(
        "a.java",
        "enum E {\n    A, B;\n\n    void a() {}\n}\n",
        "enum E {\n    A;\n    void b() {\n    }\n}\n",
        "enum E {\n    A, B;\n\n    void a() {}\n\n    void b() {\n    }\n}\n",
    );
}

#[test]
fn what_cannot_be_read_is_refused() {
    let is = |path, old, content, kind, part| refused(path, old, content, kind, part);
    is("a.txt", "", "x", FailureKind::UnsupportedLanguage, "a.txt");
    is("py", "", "x", FailureKind::UnsupportedLanguage, "language");
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
        "kept: variable x",
    );
    is("a.py", "x = 1\n", "", FailureKind::NothingToAdd, "");
    let latin = extend("a.py".into(), b"x = '\xe9'\n", b"y = 1\n").unwrap_err();
    assert_eq!(latin.kind, FailureKind::SyntaxError);
}
