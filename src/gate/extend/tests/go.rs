use super::*;

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
