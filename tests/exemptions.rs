//! Paths that need no row and files that may lose their content: each exemption applies only as documented.

use crate::common::system::symlink;

use crate::common::commits::{install, passes, refused, refused_by};
use crate::common::{self, DESIGN, Repo, lines};

fn link(repo: &Repo, target: &str, path: &str) {
    let _ = std::fs::remove_file(repo.path(path));
    symlink(target, repo.path(path)).unwrap();
    repo.git(&["add", "--force", path]);
}

/// A rename between two paths of `always` loses half of a file of 200 lines.
fn renamed_under_always(old: &str, new: &str) -> Repo {
    let repo = Repo::new();
    repo.stage(old, lines(1..=200));
    repo.commit("Begin");
    let settings = format!("{}[scope]\nalways = [\"gen/\"]\n", common::SETTINGS);
    repo.stage("guard.toml", settings);
    repo.design(DESIGN, &[("x.rs", "Add", "x")]);
    repo.commit("Say what may change");
    repo.branch("188-work");
    install(&repo);
    repo.git(&["mv", old, new]);
    repo.stage(new, lines(101..=200));
    repo
}

#[test]
fn content_is_exempt_only_by_both_names() {
    let repo = renamed_under_always("gen/x.py", "gen/Cargo.lock");
    refused(&repo, "destructive-change", "gen/Cargo.lock");
    let repo = renamed_under_always("gen/Cargo.lock", "gen/x.py");
    refused(&repo, "destructive-change", "gen/x.py");
    let repo = renamed_under_always("gen/yarn.lock", "gen/Cargo.lock");
    passes(&repo);
}

#[test]
fn link_is_not_a_companion_of_a_manifest_nor_one_of_guards_settings() {
    let repo = Repo::new();
    repo.stage("Cargo.toml", "[package]\n");
    repo.govern(&[("Cargo.toml", "Modify", "x")]);
    install(&repo);
    std::fs::create_dir_all(repo.path(".guard")).unwrap();
    for (target, path) in [
        ("Cargo.toml", "Cargo.lock"),
        ("../Cargo.toml", ".guard/allowed_signers"),
    ] {
        link(&repo, target, path);
        refused(&repo, "out-of-scope", path);
        repo.git(&["rm", "--quiet", "--force", path]);
    }
    repo.stage("Cargo.lock", "lock\n");
    passes(&repo);
    link(&repo, "Cargo.toml", "Cargo.lock");
    repo.guard(&["lint"]).says("| `Cargo.lock` | Symlink |");
}

#[test]
fn link_at_the_path_of_a_design_needs_a_row() {
    let repo = common::commits::repo();
    let path = "docs/lld/active/LLD-7.md";
    link(&repo, "LLD-188.md", path);
    let told = repo.guard(&["lint"]).exits(1);
    told.says("exempt from the scope table only as a regular file");
    refused(&repo, "out-of-scope", path);
    // A regular file needs no row.
    std::fs::remove_file(repo.path(path)).unwrap();
    repo.design(path, &[("src/x.rs", "Add", "x")]);
    passes(&repo);
    // The file may not become a link either.
    link(&repo, "LLD-188.md", path);
    let both = [("out-of-scope", path), ("destructive-change", path)];
    refused_by(&repo, &both);
    // A committed link is deleted without a row.
    repo.commit("A link");
    repo.git(&["rm", "--quiet", path]);
    passes(&repo);
}
