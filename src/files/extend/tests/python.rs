use super::*;

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
fn python_imports_are_placed_where_they_work() {
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
fn python_bodies_on_one_line_are_not_extended() {
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
fn python_statement_above_a_definition_is_not_copied() {
    check(
        "a.py",
        "class A:\n    x = 1\n",
        "class A:\n    pass\n    # Later.\n    def b(self):\n        pass\n",
        "class A:\n    x = 1\n\n    # Later.\n    def b(self):\n        pass\n",
    );
}

#[test]
fn definitions_that_coexist_in_the_content_may_coexist_in_the_file() {
    let imports = "try:\n    from c import load\nexcept ImportError:\n    pass\n";
    check(
        "a.py",
        imports,
        &format!("def load():\n    pass\n{imports}"),
        &format!("{imports}\n\ndef load():\n    pass\n"),
    );
}

#[test]
fn python_names_bound_by_statements_are_not_redefined() {
    for statement in [
        "for f in x:\n    pass\n",
        "for a, (f, b) in x:\n    pass\n",
        "with x as f:\n    pass\n",
        "with x as (a, f):\n    pass\n",
        "if x:\n    a, f = x\n",
        "if x:\n    a = f = x\n",
        "while (f := x):\n    pass\n",
    ] {
        refused(
            "a.py",
            statement,
            "def f():\n    pass\n",
            FailureKind::NoPlace,
            "the file has f as statement, the content as function",
        );
    }
    let old = "for a in f(x):\n    a.f = 1\n";
    let content = "def f(x):\n    pass\n";
    check("a.py", old, content, &format!("{old}\n\n{content}"));
}
