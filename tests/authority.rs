//! Which commits may widen the scope: designs and settings alone, together with code, or for the first time.

use crate::common::commits::{commit, install, passes, refused, refused_by, repo};
use crate::common::{DESIGN, Repo, SETTINGS};

#[test]
fn with_a_merge_base_an_add_row_covers_only_files_the_base_lacks() {
    let repo = Repo::new();
    repo.stage("src/old.rs", "old\n");
    repo.stage("guard.toml", format!("{SETTINGS}base = \"main\"\n"));
    let rows = ["src/new.rs", "src/old.rs"];
    repo.design(DESIGN, &rows.map(|path| (path, "Add", "x")));
    repo.commit("Begin");
    repo.branch("188-work");
    install(&repo);
    repo.stage("src/new.rs", "new\n");
    passes(&repo);
    repo.stage("src/new.rs", "newer\n");
    passes(&repo);
    repo.stage("src/old.rs", "changed\n");
    refused(&repo, "action-not-granted", "src/old.rs");
}

/// What is staged at once with a file: a design, settings; and what is refused.
#[test]
fn designs_and_settings_change_alone_or_without_granting_more() {
    let reworded = [
        ("src/old.rs", "Modify", "said better"),
        ("src/new.rs", "Add", "x"),
    ];
    let wider = [&reworded[..], &[("src/other.rs", "Modify", "x")]].concat();
    let skip = "missing = \"skip\"\n";
    let open = "[scope]\nalways = [\"**\"]\n[rules]\npolicy-changed = \"off\"\n";
    let (amended, changed) = (("scope-amended", DESIGN), ("policy-changed", "guard.toml"));
    let out = ("out-of-scope", "src/other.rs");
    for (rows, settings, file, refusals) in [
        (&wider[..], "", "", &[][..]),
        (&wider, "", "src/other.rs", &[amended]),
        (&reworded, "", "src/new.rs", &[]),
        (&[], skip, "src/old.rs", &[changed]),
        (&[], open, "src/other.rs", &[changed, out]),
    ] {
        let repo = repo();
        if !rows.is_empty() {
            repo.design(DESIGN, rows);
        }
        if !settings.is_empty() {
            repo.stage("guard.toml", format!("{SETTINGS}{settings}"));
        }
        if !file.is_empty() {
            repo.stage(file, "changed\n");
        }
        match refusals {
            [] => passes(&repo),
            // The advice works: first the policy, then the code.
            [(_, policy)] => {
                refused_by(&repo, refusals);
                let advice = format!("git commit -m \"Amend the design\" -- {policy}");
                if *policy == DESIGN {
                    commit(&repo, &[]).says(&advice);
                }
                commit(&repo, &["--", policy]).exits(0);
                passes(&repo);
            }
            _ => refused_by(&repo, refusals),
        }
    }
}

#[test]
fn the_commit_that_adds_guard() {
    let repo = Repo::new();
    repo.stage("src/main.rs", "x\n");
    repo.commit("Begin");
    repo.branch("188-work");
    install(&repo);
    repo.stage("src/main.rs", "y\n");
    commit(&repo, &[]).exits(1).says("guard init");
    repo.git(&["reset", "--quiet", "--hard"]);
    repo.stage("guard.toml", SETTINGS);
    repo.design(DESIGN, &[("src/main.rs", "Modify", "x")]);
    let hooks = "repos:\n- repo: local\n  hooks:\n  - id: guard\n";
    repo.stage(".pre-commit-config.yaml", hooks);
    passes(&repo);
}
