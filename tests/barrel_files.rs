//! A barrel file may gain lines that name an added module, and may do nothing else.

#![allow(clippy::unwrap_used)]

use crate::common::{DESIGN, Repo, SETTINGS};

/// A repository whose design grants adding `granted`; `barrel` is already there.
fn repo(granted: &str, barrel: &str, text: &str) -> Repo {
    let repo = Repo::new();
    repo.stage(barrel, text);
    repo.commit("Begin");
    repo.govern(&[(granted, "Add", "new")]);
    repo.stage(granted, "x\n");
    repo
}

#[track_caller]
fn passes(granted: &str, barrel: &str, before: &str, after: &str) {
    let repo = repo(granted, barrel, before);
    repo.stage(barrel, after);
    let output = repo.guard(&["lint"]);
    assert_eq!(output.code, 0, "{barrel}: {after}\n{}", output.text());
}

#[track_caller]
fn is_refused(granted: &str, barrel: &str, before: &str, after: &str) {
    let repo = repo(granted, barrel, before);
    repo.stage(barrel, after);
    let output = repo.guard(&["lint"]);
    assert_eq!(output.code, 1, "{barrel}: {after}\n{}", output.text());
    assert!(output.text().contains("out-of-scope"), "{}", output.text());
}

const RUST: &str = "mod a;\npub use a::A;\n";

#[test]
fn barrel_may_name_the_added_module() {
    let ts = "export * from './a';\n";
    for (granted, barrel, before, after) in [
        (
            "src/b.ts",
            "src/index.ts",
            ts,
            "export * from './a';\nexport * from './b';\n",
        ),
        (
            "src/x/b.tsx",
            "src/index.tsx",
            ts,
            "export { B } from './x/b';\nexport * from './a';\n",
        ),
        (
            "src/b.mts",
            "src/index.mts",
            "",
            "export type { B } from \"./b.mjs\"\n",
        ),
        (
            "src/user-list.js",
            "src/index.js",
            ts,
            "export * from './a';\n\nexport { default as UserList } from './user-list.js';\n",
        ),
        (
            "src/b.rs",
            "src/lib.rs",
            RUST,
            "mod a;\npub(crate) mod b;\npub use a::A;\npub use b::{B, C};\n",
        ),
        (
            "src/x/b.rs",
            "src/x/mod.rs",
            RUST,
            "mod a;\nmod b;\npub use a::A;\n",
        ),
        (
            "src/b/mod.rs",
            "src/lib.rs",
            RUST,
            "mod a;\nmod b;\npub use a::A;\n",
        ),
        (
            "p/b.py",
            "p/__init__.py",
            "from .a import A\n",
            "from .a import A\nfrom .b import B as B\n",
        ),
        (
            "p/b.py",
            "p/__init__.py",
            "__all__ = [\n    \"a\",\n]\n",
            "__all__ = [\n    \"a\",\n    \"b\",\n]\n",
        ),
    ] {
        passes(granted, barrel, before, after);
    }
}

#[test]
fn barrel_that_loses_or_changes_a_line_is_refused() {
    for after in [
        "mod b;\npub use a::A;\n",
        "mod b;\n",
        "pub use a::A;\nmod a;\nmod b;\n",
        "mod a;\nmod b;\npub use a::{A, b};\n",
        "mod a;\r\npub use a::A;\r\nmod b;\r\n",
    ] {
        is_refused("src/b.rs", "src/lib.rs", RUST, after);
    }
}

#[test]
fn barrel_that_gains_other_lines_is_refused() {
    for line in [
        "mod c;",
        "fn evil() {}",
        "fn b() { evil() }",
        "mod b { pub fn evil() {} }",
        "mod b; mod evil;",
        "mod evil; // b",
        "mod evil; /* b */",
        "#[path = \"../evil.rs\"] mod b;",
        "const X: u8 = b();",
        "mod bb;",
        "// b",
    ] {
        is_refused("src/b.rs", "src/lib.rs", RUST, &format!("{RUST}{line}\n"));
    }
    for line in [
        "import './evil'; import './b'",
        "export * from '../b';",
        "export const b = evil();",
        "import('./b')",
        "export * from './evil-b';",
        "evil() // import b",
    ] {
        is_refused("src/b.ts", "src/index.ts", "", &format!("{line}\n"));
    }
}

#[test]
fn barrel_elsewhere_or_for_a_module_that_is_not_added_is_refused() {
    let after = format!("{RUST}mod b;\n");
    is_refused("src/b.rs", "other/mod.rs", RUST, &after);
    is_refused("src/b.rs", "src/x/mod.rs", RUST, &after);
    is_refused("src/b.rs", "src/main.rs", RUST, &after);
    // The design grants modifying an old module, and the barrel begins to name it.
    let repo = Repo::new();
    repo.stage("src/lib.rs", RUST);
    repo.stage("src/b.rs", "old\n");
    repo.commit("Begin");
    repo.govern(&[("src/b.rs", "Modify", "x")]);
    repo.stage("src/b.rs", "new\n");
    repo.stage("src/lib.rs", &after);
    repo.guard(&["lint"])
        .exits(1)
        .says("src/lib.rs is not in the design");
    // The added module itself is out of scope.
    let repo = Repo::new();
    repo.stage("src/lib.rs", RUST);
    repo.commit("Begin");
    repo.govern(&[("src/x.rs", "Add", "x")]);
    repo.stage("src/b.rs", "new\n");
    repo.stage("src/lib.rs", &after);
    repo.guard(&["lint"])
        .exits(1)
        .says("src/lib.rs is not in the design");
}

#[test]
fn barrel_may_follow_in_a_later_commit_and_in_the_range() {
    let repo = repo("src/b.rs", "src/lib.rs", RUST);
    repo.commit("Add the module");
    repo.stage("src/lib.rs", format!("{RUST}mod b;\n"));
    repo.guard(&["lint"]).exits(0);
    repo.commit("Name the module");
    repo.guard(&["lint", "--range", "main..HEAD"]).exits(0);
    // Without the module there is nothing to name.
    repo.git(&["rm", "--quiet", "src/b.rs"]);
    repo.stage("src/lib.rs", format!("{RUST}mod b;\npub use b::B;\n"));
    repo.guard(&["lint"]).exits(1);
}

#[test]
fn barrel_needs_a_row_without_companions() {
    let repo = Repo::new();
    repo.stage("src/lib.rs", RUST);
    repo.stage(
        "guard.toml",
        format!("{SETTINGS}[scope]\ncompanions = false\n"),
    );
    repo.design(DESIGN, &[("src/b.rs", "Add", "x")]);
    repo.commit("Begin");
    repo.branch("188-work");
    repo.stage("src/b.rs", "new\n");
    repo.stage("src/lib.rs", format!("{RUST}mod b;\n"));
    repo.guard(&["lint"]).exits(1);
}

#[cfg(unix)]
#[test]
fn executable_bit_and_link_of_a_barrel_need_a_row() {
    let repo = repo("src/b.rs", "src/lib.rs", RUST);
    repo.stage("src/lib.rs", format!("{RUST}mod b;\n"));
    repo.git(&["update-index", "--chmod=+x", "src/lib.rs"]);
    repo.guard(&["lint"]).exits(1);
}
