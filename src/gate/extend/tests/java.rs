use super::*;

#[test]
fn java_overloads_are_distinguished_by_erased_types() {
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
        "part of field x, y",
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
