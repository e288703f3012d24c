//! `[lld] done`: a plan whose work was done before this work began grants nothing.

use serde_json::json;

use crate::common::{Repo, has_keys};

const SETTINGS: &str = "[lld]
standing = [\".planning/phases/*/*-PLAN.md\"]
done = [\".planning/phases/{1}/{2}-SUMMARY.md\"]
base = \"main\"
[scope]
always = [\"/.planning/**\", \"!/.planning/**/\", \"!*-PLAN.md\"]
";

const FIRST: &str = ".planning/phases/01-a/01-01-PLAN.md";
const SECOND: &str = ".planning/phases/01-a/01-02-PLAN.md";
const FIRST_SUMMARY: &str = ".planning/phases/01-a/01-01-SUMMARY.md";

/// `main` with two plans, the first of which is done, and the branch `work`.
fn repo(settings: &str) -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", settings);
    repo.stage("src/first.rs", "fn first() {}\n");
    repo.stage("src/second.rs", "fn second() {}\n");
    repo.design(FIRST, &[("src/first.rs", "Add", "x")]);
    repo.design(SECOND, &[("src/second.rs", "Modify", "x")]);
    repo.stage(FIRST_SUMMARY, "Done.\n");
    repo.commit("Do the first plan");
    repo.branch("work");
    repo
}

#[test]
fn plan_that_was_done_before_the_branch_grants_nothing() {
    let repo = repo(SETTINGS);
    repo.stage("src/second.rs", "fn second_one() {}\n");
    repo.guard(&["lint"]).exits(0);
    repo.guard(&["check", "src/second.rs"]).exits(0);
    repo.guard(&["check", "src/first.rs"]).exits(1);
    repo.stage("src/first.rs", "fn first_one() {}\n");
    repo.tells("lint", 1, "src/first.rs is not in the design");
    repo.commit("Change both");
    repo.tells(
        "lint --range main..HEAD",
        1,
        "src/first.rs is not in the design",
    );
    // Removing the summary on the branch does not bring the plan back.
    repo.git(&["rm", "--quiet", FIRST_SUMMARY]);
    repo.commit("Remove the summary");
    repo.stage("src/first.rs", "fn first_again() {}\n");
    repo.guard(&["lint"]).exits(1);
    repo.guard(&["check", "src/first.rs"]).exits(1);
    repo.guard(&["lint", "--range", "main..HEAD"]).exits(1);
}

#[test]
fn summary_that_the_branch_adds_ends_nothing_on_it() {
    let repo = repo(SETTINGS);
    repo.stage("src/second.rs", "fn second_one() {}\n");
    repo.stage(".planning/phases/01-a/01-02-SUMMARY.md", "Done.\n");
    repo.guard(&["lint"]).exits(0);
    repo.commit("Do the second plan");
    repo.guard(&["lint", "--range", "main..HEAD", "--each-commit"])
        .exits(0);
    repo.guard(&["check", "src/second.rs"]).exits(0);
    repo.stage("src/second.rs", "fn corrected() {}\n");
    repo.guard(&["lint"]).exits(0);
    // The next piece of work begins after it.
    repo.commit("Correct it");
    repo.git(&["switch", "--quiet", "main"]);
    repo.git(&["merge", "--quiet", "work"]);
    repo.branch("next");
    repo.stage("src/second.rs", "fn again() {}\n");
    repo.guard(&["lint"])
        .exits(2)
        .says(&format!(
            "no design applies: {FIRST} is done: {FIRST_SUMMARY} existed before this work began"
        ))
        .says("commit the plan of this work first, or choose another: guard use FILE");
    // The author of a pull request chooses nothing in this clone.
    repo.commit("Do it again");
    let told = repo.guard(&["lint", "--range", "main..HEAD"]).exits(2);
    let told = told.says("commit the plan of this work first").text();
    assert!(!told.contains("guard use"), "{told}");
}

/// On the branch that work starts from, nothing but HEAD says where work began.
#[test]
fn without_a_merge_base_head_says_what_is_done() {
    let repo = repo(SETTINGS);
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("src/second.rs", "fn second_one() {}\n");
    repo.stage(".planning/phases/01-a/01-02-SUMMARY.md", "Done.\n");
    repo.guard(&["lint"]).exits(0);
    repo.commit("Do the second plan");
    repo.stage("src/second.rs", "fn again() {}\n");
    repo.guard(&["lint"]).exits(2);
}

#[test]
fn chosen_plan_that_is_done_is_told_from_one_that_is_not() {
    let repo = repo(SETTINGS);
    repo.tells(&format!("use {FIRST}"), 2, "01-01-PLAN.md is done");
    repo.guard(&["use", ".planning/phases/01-a"]).exits(0);
    repo.stage("src/second.rs", "fn second_one() {}\n");
    repo.tells("lint", 0, "01-01-PLAN.md is done")
        .says("so it grants nothing");
    repo.stage("src/first.rs", "fn first_one() {}\n");
    repo.guard(&["lint"]).exits(1);
    // Chosen alone, it is no design, and no other standing plan takes its place.
    let line = format!("lint --lld {FIRST}");
    repo.tells(&line, 2, "no design applies").says("is done");
    repo.guard(&["use", "--clear"]).exits(0);
    repo.commit(&format!("Change both\n\nGuard-Design: {FIRST}"));
    repo.guard(&["lint", "--range", "main..HEAD"]).exits(1);
}

/// Where `path` leaves several plans, the one that is still to do decides.
#[test]
fn plan_that_is_not_done_is_the_design_of_the_branch() {
    let settings = SETTINGS.replace("standing", "path");
    let repo = repo(&settings);
    repo.stage("src/second.rs", "fn second_one() {}\n");
    let report = repo.json(&["lint"]);
    assert_eq!(report["designs"][0]["path"], SECOND);
    assert_eq!(report["designs"].as_array().map(Vec::len), Some(1));
    repo.stage("src/first.rs", "fn first_one() {}\n");
    repo.guard(&["lint"]).exits(1);
}

#[test]
fn status_and_scope_check_say_which_plans_are_done() {
    let repo = repo(SETTINGS);
    repo.tells(
        "status",
        0,
        &format!("finished {FIRST} ({FIRST_SUMMARY})\n"),
    );
    let status = repo.json(&["status"]);
    assert_eq!(
        status["finished"],
        json!([{"path": FIRST, "by": FIRST_SUMMARY}])
    );
    has_keys(&status["finished"][0], "path by");
    // The row of the plan that is done adds a file that is there by now: only open plans are compared with the files.
    for line in ["scope check", "scope show", &format!("scope check {FIRST}")] {
        repo.tells(line, 0, "01-01-PLAN.md is done")
            .says("so it grants nothing");
    }
    let told = repo.guard(&["scope", "check", SECOND]).exits(0).text();
    assert!(!told.contains("is done"), "{told}");
    let scope = repo.json(&["scope", "show"]);
    assert_eq!(scope["designs"].as_array().map(Vec::len), Some(1));
}

#[test]
fn pattern_that_can_end_no_plan_is_refused_at_its_place() {
    let settings = SETTINGS.replace("{2}", "{3}");
    let repo = repo(&settings);
    repo.stage("src/second.rs", "fn second_one() {}\n");
    repo.tells(
        "lint",
        2,
        "guard.toml:3:9: `.planning/phases/{1}/{3}-SUMMARY.md` of `done` refers to more",
    );
}

/// A design that the range itself added and moved counts where a design or a done one belongs.
#[test]
fn moved_design_is_found_only_where_the_settings_know_it() {
    for (done, code) in [("done = \"docs/done/LLD-{issue}.md\"\n", 0), ("", 2)] {
        let repo = Repo::new();
        let path = "[lld]\nbase = \"main\"\npath = \"docs/active/LLD-{issue}.md\"\n";
        repo.stage("guard.toml", format!("{path}{done}"));
        repo.commit("Set guard up");
        repo.branch("188-work");
        repo.design("docs/active/LLD-188.md", &[("src/a.rs", "Add", "x")]);
        repo.commit("Say what may change");
        repo.stage("src/a.rs", "fn a() {}\n");
        repo.commit("Change it");
        repo.write("docs/done/.keep", "");
        repo.git(&["mv", "docs/active/LLD-188.md", "docs/done/LLD-188.md"]);
        repo.commit("Finish");
        let told = repo.guard(&["lint", "--range", "main..HEAD"]).exits(code);
        repo.stage("src/a.rs", "fn corrected() {}\n");
        let told_before = repo.guard(&["lint"]).exits(code);
        if code == 2 {
            for told in [told, told_before] {
                told.says("the branch moved it to docs/done/LLD-188.md, which no pattern");
            }
            continue;
        }
        repo.commit("Correct it");
        repo.guard(&["lint", "--range", "main..HEAD"]).exits(0);
        // Once it is merged, another branch cannot take it up again.
        repo.git(&["switch", "--quiet", "main"]);
        repo.git(&["merge", "--quiet", "188-work"]);
        repo.branch("188-more");
        repo.design("docs/active/LLD-188.md", &[("src/a.rs", "Modify", "x")]);
        repo.commit("Take it up again");
        repo.stage("src/a.rs", "fn b() {}\n");
        repo.tells("lint", 2, "docs/active/LLD-188.md is done");
    }
}

const OPENSPEC: &str = "[lld]
path = \"openspec/changes/{slug}/{proposal,design,tasks,files}.md\"
base = \"main\"
[scope]
always = [\"/openspec/**\", \"!/openspec/**/\", \"!/openspec/changes/*/files.md\"]
";
const ARCHIVE: &str = "openspec/changes/archive/2026-11-30-login";

/// Moves a document to a directory that is not there yet.
fn archive(repo: &Repo, document: &str, to: &str) {
    repo.write(format!("{to}/.keep"), "");
    repo.git(&["mv", document, to]);
}

/// `main` with the settings and two files, not committed yet.
fn openspec() -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", OPENSPEC);
    repo.stage("src/a.rs", "fn a() {}\n");
    repo.stage("src/b.rs", "fn b() {}\n");
    repo
}

/// A branch whose design its framework has archived; `name` is that of the branch.
fn archived(name: &str) -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", OPENSPEC);
    repo.stage(
        "openspec/specs/login/spec.md",
        "# Login\n\n## Files Changed\n\n- Modify: `src/b.rs`\n",
    );
    repo.stage("src/b.rs", "fn b() {}\n");
    repo.commit("Set guard up");
    repo.branch(name);
    repo.design(
        "openspec/changes/login/files.md",
        &[("src/a.rs", "Add", "x")],
    );
    repo.commit("Say what may change");
    repo.install_hook("pre-commit");
    repo.install_hook("prepare-commit-msg");
    repo.guard(&["use", "openspec/changes/login/files.md"])
        .exits(0);
    repo.stage("src/a.rs", "fn a() {}\n");
    repo.try_git(&["commit", "-m", "Change it"]).exits(0);
    archive(&repo, "openspec/changes/login/files.md", ARCHIVE);
    repo.try_git(&["commit", "-m", "Archive the change"])
        .exits(0);
    repo
}

/// Found by the name of the branch, and by the choice of a person.
#[test]
fn correction_after_the_branch_archived_its_design_is_judged_by_that() {
    for name in ["feature/login", "other"] {
        let repo = archived(name);
        repo.stage("src/b.rs", "fn c() {}\n");
        repo.tells("lint", 1, "src/b.rs is not in the design");
        repo.guard(&["check", "src/b.rs"]).exits(1);
        repo.git(&["restore", "--staged", "--worktree", "src/b.rs"]);
        repo.stage("src/a.rs", "fn corrected() {}\n");
        repo.tells("lint", 0, ARCHIVE);
        repo.guard(&["check", "src/a.rs"]).exits(0);
        repo.try_git(&["commit", "-m", "Correct it"]).exits(0);
        let message = repo.git(&["log", "-1", "--format=%B"]);
        assert!(
            message.contains(&format!("Guard-Design: {ARCHIVE}/files.md")),
            "{message}"
        );
        repo.guard(&["lint", "--range", "main..HEAD", "--each-commit"])
            .exits(0);
        // A clone that knows no choice reads the trailers.
        repo.git(&[
            "config",
            "--unset-all",
            &format!("branch.{name}.guardDesign"),
        ]);
        repo.guard(&["lint", "--range", "main..HEAD", "--each-commit"])
            .exits(0);
    }
}

/// What a framework writes beside its designs is written without a row, so only what the branch has moved can be its
/// design.
#[test]
fn trailer_makes_no_other_document_a_design() {
    let repo = archived("feature/login");
    let evil = [("src/b.rs", "Modify", "x")];
    repo.design("openspec/notes/files.md", &evil);
    repo.design(&format!("{ARCHIVE}-2/files.md"), &evil);
    repo.try_git(&["commit", "-m", "Write notes"]).exits(0);
    for path in [
        "openspec/specs/login/spec.md",
        "openspec/notes/files.md",
        "openspec/changes/archive/2026-11-30-login-2/files.md",
    ] {
        let trailer = format!("Guard-Design: {path}");
        repo.stage("src/b.rs", "fn c() {}\n");
        repo.git(&[
            "-c",
            "core.hooksPath=/dev/null",
            "commit",
            "--quiet",
            "-m",
            "Choose",
            "-m",
            &trailer,
        ]);
        repo.tells(
            "lint --range main..HEAD",
            1,
            &format!("{path}, which commit"),
        )
        .says("is no design, so it allows nothing here")
        .says("src/b.rs is not in the design");
        repo.git(&["reset", "--quiet", "--hard", "HEAD~"]);
    }
}

/// Of several changes that a branch archives, its own governs it.
#[test]
fn design_of_other_work_that_the_branch_archives_too_does_not_govern_it() {
    let repo = openspec();
    let [other, own] = [
        "openspec/changes/before/files.md",
        "openspec/changes/login/files.md",
    ];
    repo.design(other, &[("src/b.rs", "Modify", "x")]);
    repo.commit("Set guard up");
    repo.branch("login");
    repo.design(own, &[("src/a.rs", "Modify", "x")]);
    repo.commit("Say what may change");
    for (from, to) in [(other, "2026-11-29-before"), (own, "2026-11-30-login")] {
        archive(&repo, from, &format!("openspec/changes/archive/{to}"));
    }
    repo.commit("Archive both");
    repo.stage("src/a.rs", "fn aa() {}\n");
    repo.tells("lint", 0, "2026-11-30-login/files.md");
    repo.commit("Correct it");
    repo.guard(&["lint", "--range", "main..HEAD"]).exits(0);
    repo.stage("src/b.rs", "fn bb() {}\n");
    repo.tells("lint", 1, "src/b.rs is not in the design");
    repo.commit("Sneak");
    repo.guard(&["lint", "--range", "main..HEAD"]).exits(1);
}

/// One that was there before governs as the merge base has it, whatever the branch writes into the archived copy.
#[test]
fn design_of_the_target_that_the_branch_archives_governs_as_before() {
    let repo = openspec();
    repo.design(
        "openspec/changes/login/files.md",
        &[("src/a.rs", "Modify", "x")],
    );
    repo.commit("Set guard up");
    repo.branch("login");
    archive(&repo, "openspec/changes/login/files.md", ARCHIVE);
    repo.commit("Archive it");
    // Named by hand, it must be there.
    repo.stage("src/a.rs", "fn other() {}\n");
    let line = "lint --lld openspec/changes/login/files.md";
    repo.tells(
        line,
        2,
        "there is no design at openspec/changes/login/files.md",
    );
    repo.git(&["reset", "--quiet", "--hard"]);
    let wider = [("src/a.rs", "Modify", "x"), ("src/b.rs", "Modify", "x")];
    repo.design(&format!("{ARCHIVE}/files.md"), &wider);
    repo.commit("Widen it");
    for (file, code) in [("src/a.rs", 0), ("src/b.rs", 1)] {
        repo.guard(&["check", file]).exits(code);
        repo.stage(file, "fn other() {}\n");
        repo.guard(&["lint"]).exits(code);
        repo.commit("Change it");
        repo.guard(&["lint", "--range", "main..HEAD"]).exits(code);
    }
}

/// Neither a name nor a choice says which design it is, but the branch has added no other.
#[test]
fn only_design_of_a_branch_applies_where_it_was_moved() {
    let repo = openspec();
    repo.commit("Set guard up");
    repo.branch("other");
    let design = "openspec/changes/login/files.md";
    repo.design(design, &[("src/a.rs", "Modify", "x")]);
    repo.commit("Say what may change");
    archive(&repo, design, ARCHIVE);
    repo.commit("Archive it");
    repo.stage("src/a.rs", "fn aa() {}\n");
    let from = format!("{ARCHIVE}/files.md, from the branch, which adds it");
    repo.tells("lint", 0, &from);
    repo.commit("Change it");
    repo.tells("lint --range main..HEAD", 0, &from);
    repo.stage("src/b.rs", "fn bb() {}\n");
    repo.tells("lint", 1, "src/b.rs is not in the design");
}

/// A branch that deletes an obsolete design has moved nothing.
#[test]
fn deleted_design_is_followed_to_no_other_document() {
    for (missing, code) in [("block", 2), ("skip", 0)] {
        let repo = Repo::new();
        let settings = OPENSPEC.replace("base =", &format!("missing = \"{missing}\"\nbase ="));
        repo.stage("guard.toml", settings);
        repo.stage("src/b.rs", "fn b() {}\n");
        repo.design(
            "openspec/changes/login/files.md",
            &[("src/a.rs", "Add", "x")],
        );
        repo.commit("Set guard up");
        repo.branch("login");
        repo.git(&["rm", "--quiet", "-r", "openspec/changes/login"]);
        repo.commit("Drop the plan");
        repo.stage("openspec/notes/files.md", "# Notes\n");
        repo.commit("Write notes");
        repo.stage("src/b.rs", "fn bb() {}\n");
        repo.guard(&["lint"]).exits(code);
        repo.guard(&["check", "src/b.rs"]).exits(code);
        // Another design in its place decides.
        repo.git(&["stash", "--quiet"]);
        repo.design(
            "openspec/changes/login-2/files.md",
            &[("src/b.rs", "Modify", "x")],
        );
        repo.commit("Plan again");
        repo.git(&["stash", "pop", "--quiet", "--index"]);
        repo.tells("lint", 0, "openspec/changes/login-2/files.md");
    }
}

/// What others have archived on the target comes with a merge, and is no move of the branch.
#[test]
fn design_that_the_target_archived_does_not_govern_a_branch_that_merges_it() {
    let repo = Repo::new();
    repo.stage("guard.toml", OPENSPEC);
    repo.stage("src/a.rs", "fn a() {}\n");
    let other = "openspec/changes/before/files.md";
    repo.design(other, &[("src/a.rs", "Modify", "x")]);
    repo.commit("Set guard up");
    repo.branch("login");
    repo.stage("openspec/notes/files.md", "# Notes\n");
    repo.commit("Write notes");
    repo.git(&["switch", "--quiet", "main"]);
    archive(&repo, other, ARCHIVE);
    repo.commit("Archive it");
    repo.git(&["switch", "--quiet", "login"]);
    repo.git(&["merge", "--quiet", "--no-edit", "main"]);
    repo.stage("src/a.rs", "fn aa() {}\n");
    repo.tells("lint", 2, "no design for branch login");
    repo.guard(&["check", "src/a.rs"]).exits(2);
}
