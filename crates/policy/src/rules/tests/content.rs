//! `hidden-change` and `submodule-changed`: what git and reviewers are told by content.

use super::*;

const ALL: &str = "[scope]\nalways = [\".git*\", \"**/.gitattributes\"]\n";
const ROWS: [&str; 1] = ["`a.rs` | Modify | x"];

fn module(digit: char) -> Side {
    Some((Kind::Submodule, vec![digit as u8]))
}

#[test]
fn added_attributes_that_hide_content_are_warned_of() {
    let hides = "hides the content of files from diffs";
    let folds = "collapses files in reviews";
    let other = "makes the work tree differ from the commit";
    for (line, attribute, why) in [
        ("*.rs -diff", "-diff", hides),
        ("*.rs binary", "binary", hides),
        ("*.rs !diff", "!diff", hides),
        (
            "*.rs diff=odd",
            "diff=odd",
            "lets a program decide what diffs show",
        ),
        ("*.rs linguist-generated", "linguist-generated", folds),
        (
            "*.rs linguist-vendored=true",
            "linguist-vendored=true",
            folds,
        ),
        ("*.rs text filter=lfs", "filter=lfs", other),
        (
            "*.rs working-tree-encoding=UTF-16",
            "working-tree-encoding=UTF-16",
            other,
        ),
    ] {
        let new = format!("# comment\n*.md text\n{line}\n");
        let work = commit(ALL, &ROWS).modify(".gitattributes", "*.md text\n", &new);
        work.says(&[&format!(
            "warning hidden-change .gitattributes: .gitattributes adds `{line}`, which {why}"
        )]);
        assert_eq!(work.details(), serde_json::json!({"attribute": attribute}));
        work.helps(&[
            "remove the line, or review the matching files: git diff --text --no-textconv",
        ]);
        // The line was there before, or it stands in another file.
        commit(ALL, &ROWS)
            .modify(".gitattributes", &format!("  {line} \n"), &new)
            .says(&[]);
        commit("[scope]\nalways = [\"*\"]\n", &ROWS)
            .modify("gitattributes", "", &new)
            .says(&[]);
        assert_eq!(
            commit(ALL, &ROWS)
                .add("sub/.gitattributes", &new)
                .findings()
                .len(),
            1
        );
    }
    for line in [
        "*.rs diff",
        "*.rs -text",
        "*.rs -merge",
        "*.rs text eol=lf",
        "*.rs linguist-generated=false",
        "*.rs linguist-vendored=false",
        "*.rs filter",
        "*.rs -filter",
        "#*.rs -diff",
        "binary text",
    ] {
        commit(ALL, &ROWS).add(".gitattributes", line).says(&[]);
    }
}

#[test]
fn a_submodule_needs_a_row_of_its_type() {
    let one = "111111111111";
    let two = "222222222222";
    for (old, new, action, what) in [
        (None, module('1'), "add", format!("is added at {one}")),
        (
            module('1'),
            module('2'),
            "modify",
            format!("moves from {one} to {two}"),
        ),
        (
            module('1'),
            None,
            "delete",
            format!("is removed; it was at {one}"),
        ),
        (
            file("a\n"),
            module('1'),
            "type-change",
            format!("is added at {one}"),
        ),
        (
            module('1'),
            file("a\n"),
            "type-change",
            format!("is removed; it was at {one}"),
        ),
    ] {
        let step = |rows: &[&str]| {
            let off = "[rules]\ndestructive-change = \"off\"\n";
            commit(off, rows).step("lib", old.clone(), new.clone())
        };
        let work = step(&ROWS);
        let message = format!("the submodule lib {what} without a Submodule row");
        work.says(&[&format!("error submodule-changed lib: {message}")]);
        let mut details = serde_json::json!({"action": action});
        for (key, side) in [("from", &old), ("to", &new)] {
            if let Some((Kind::Submodule, digit)) = side {
                let id = (digit[0] as char).to_string().repeat(12);
                details[key] = id.into();
            }
        }
        assert_eq!(work.details(), details);
        step(&["`lib` | Submodule | x"]).says(&[]);
        // A Delete row permits only the removal.
        let is_removed = new.is_none();
        assert_eq!(
            step(&["`lib` | Delete | x"]).findings().is_empty(),
            is_removed
        );
    }
    let work = commit("", &ROWS).step("lib", None, module('1'));
    assert_eq!(&*work.findings()[0].help[1], "| `lib` | Submodule | … |");
    let skipped = commit("", &ROWS).step("lib", None, module('1'));
    assert_eq!(
        skipped.with(|policy| policy.scope = None).findings().len(),
        1
    );
}

/// What `submodule-changed` says about keys of the submodule `lib`, by a design with these rows.
fn keys(rows: &[&str], old: &str, new: &str) -> Vec<String> {
    let modules = |keys: &str| match keys {
        "" => String::new(),
        keys => format!("[submodule \"lib\"]\n{keys}\n"),
    };
    let work = commit(ALL, rows).modify(".gitmodules", &modules(old), &modules(new));
    work.findings().iter().map(said).collect()
}

#[test]
fn keys_that_say_where_a_submodule_comes_from_need_its_row() {
    for (new, what) in [
        ("url = https://x", "url changes to https://x"),
        ("branch = x", "branch changes to x"),
        ("update = merge", "update changes to merge"),
        ("URL = https://x", "url changes to https://x"),
    ] {
        let found = keys(&ROWS, "path = lib", &format!("path = lib\n{new}"));
        let expected = format!(
            "error submodule-changed .gitmodules: submodule lib: {what}, but no row allows lib"
        );
        assert_eq!(found, [expected]);
        assert_eq!(
            keys(
                &["`lib` | Submodule | x"],
                "path = lib",
                &format!("path = lib\n{new}")
            ),
            [""; 0]
        );
        // Nothing changes.
        let same = format!("path = lib\n{new}");
        assert_eq!(keys(&ROWS, &same, &same), [""; 0]);
        // Without the key `path`, the name is the path.
        assert_eq!(keys(&["`lib` | Submodule | x"], "", new), [""; 0]);
    }
    let elsewhere = keys(&["`lib` | Submodule | x"], "", "path = src/lib");
    assert_eq!(
        elsewhere,
        [
            "error submodule-changed .gitmodules: submodule lib: path changes to src/lib, but no row allows src/lib"
        ]
    );
    assert_eq!(keys(&ROWS, "", "shallow = true"), [""; 0]);
    let work = commit(ALL, &ROWS).add(".gitmodules", "[submodule \"lib\"]\n\turl = x\n");
    assert_eq!(work.details(), serde_json::json!({"submodule": "lib"}));
    assert_eq!(&*work.findings()[0].help[1], "| `lib` | Submodule | … |");
}

#[test]
fn harmful_values_are_refused_even_with_a_row() {
    let row = ["`lib` | Submodule | x"];
    for (new, expected) in [
        (
            "update = !rm",
            Some(
                "error submodule-changed .gitmodules: submodule lib: update = !rm runs a command in every clone",
            ),
        ),
        (
            "url = ext::sh",
            Some(
                "error submodule-changed .gitmodules: submodule lib: url = ext::sh runs a command instead of connecting to a server",
            ),
        ),
        (
            "url = EXT::sh",
            Some(
                "error submodule-changed .gitmodules: submodule lib: url = EXT::sh runs a command instead of connecting to a server",
            ),
        ),
        (
            "url = -x",
            Some(
                "error submodule-changed .gitmodules: submodule lib: url = -x begins with a dash and is read as an option",
            ),
        ),
        (
            "path = -x",
            Some(
                "error submodule-changed .gitmodules: submodule lib: path = -x begins with a dash and is read as an option",
            ),
        ),
        (
            "url = \"a\\tb\"",
            Some(
                "error submodule-changed .gitmodules: submodule lib: url = \"a\\tb\" contains a control character",
            ),
        ),
        (
            "ignore = all",
            Some(
                "warning hidden-change .gitmodules: submodule lib: ignore = all hides its changes from git diff and git status",
            ),
        ),
        ("ignore = none", None),
        ("update = none", None),
        ("url = https://x", None),
        ("branch = -x", None),
        ("branch = ext::x", None),
        ("branch = !x", None),
        ("branch = \"a\\tb\"", None),
        ("branch = all", None),
    ] {
        let found = keys(&row, "", new);
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{new}");
    }
    let escaping = |name: &str| {
        let new = format!("[submodule \"{name}\"]\n\tshallow = true\n");
        let work = commit(ALL, &row).add(".gitmodules", &new);
        work.findings().first().map(said)
    };
    for name in ["../x", "a/../x", "a\\\\..\\\\x"] {
        let found = escaping(name).unwrap();
        assert!(
            found.ends_with("belongs to a name that escapes .git/modules"),
            "{found}"
        );
    }
    assert_eq!(escaping("a..b/...x"), None);
}

#[test]
fn gitmodules_that_git_cannot_read_are_refused() {
    let broken = "[submodule \"lib\"\n";
    let work = commit(ALL, &ROWS).add(".gitmodules", broken);
    work.says(&["error submodule-changed .gitmodules: .gitmodules is not valid git configuration"]);
    // A broken old version keeps nothing.
    let work = commit(ALL, &ROWS).modify(".gitmodules", broken, "[submodule \"lib\"]\nurl = x\n");
    assert_eq!(work.findings().len(), 1);
    commit(ALL, &ROWS).delete(".gitmodules", broken).says(&[]);
    let link = Some((Kind::Symlink, b"a.rs".to_vec()));
    let link = commit(ALL, &ROWS).step(".gitmodules", None, link);
    link.says(&["error unsafe-path .gitmodules: .gitmodules is a link in place of .gitmodules"]);
    commit("[scope]\nalways = [\"**\"]\n", &ROWS)
        .add("sub/.gitmodules", broken)
        .says(&[]);
    // Sections without a name, and other sections, are not submodules.
    let other = "[submodule]\nurl = -x\n[other \"x\"]\nurl = -x\n";
    commit(ALL, &ROWS).add(".gitmodules", other).says(&[]);
}
